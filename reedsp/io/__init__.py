"""Graphs from files, and into them."""
