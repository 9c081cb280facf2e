"""Maximum matchings of bipartite graphs."""

"""Matchings: of the most edges, and full ones of minimum weight."""
