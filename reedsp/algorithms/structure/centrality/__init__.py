"""How central vertices and edges are."""
