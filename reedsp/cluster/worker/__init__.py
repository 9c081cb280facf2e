"""What a worker has: its device, the graphs that were sent to it, and how it runs a task."""
