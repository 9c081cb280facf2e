"""Which vertices are connected: in either direction of the edges, or in both."""
