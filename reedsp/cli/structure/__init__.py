"""The commands that say what a graph, or an array, is made of."""
