"""What a device can do, and what a call costs on it."""
