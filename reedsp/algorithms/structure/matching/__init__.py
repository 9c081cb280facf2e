"""Maximum matchings of bipartite graphs."""
