"""What needs the standard library alone: folders, files, threads, progress, and where OpenCL is found."""
