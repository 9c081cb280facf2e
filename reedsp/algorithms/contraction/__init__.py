"""Contraction hierarchies: a graph is prepared once, and answers many questions about shortest paths soon."""
