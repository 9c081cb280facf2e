"""Files and folders: written whole or not at all, of one owner, or kept from run to run."""
