"""The algorithms that can be watched, a module for each problem."""
