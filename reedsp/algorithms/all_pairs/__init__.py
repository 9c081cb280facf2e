"""Shortest paths between all pairs of vertices."""
