"""What the papers claim, a file each, and what the results say to it."""
