"""What searches return: distances, predecessors, paths, and the files they are kept in."""
