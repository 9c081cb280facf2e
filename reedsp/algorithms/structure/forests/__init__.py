"""Spanning forests: the lightest edges, or the heaviest, that hold together what an undirected graph holds together."""
