"""Graphs on a device: their edges, trees of predecessors, negative cycles, and checks of answers."""
