"""Shortest paths from one vertex or several."""
