"""Shortest paths on the host: SciPy's searches, the trees that follow from distances, and what is near."""
