"""The algorithms in plain Python, a state for each step, sharing no code with the library."""
