"""What a graph is made of: components, spanning forests, matchings, flows, and how central its vertices are."""
