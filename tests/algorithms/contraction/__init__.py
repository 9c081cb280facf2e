"""Contraction hierarchies."""
