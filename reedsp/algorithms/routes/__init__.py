"""What is made of searches: tables, the nearest, the k shortest paths."""
