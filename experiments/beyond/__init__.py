"""Experiments on what goes beyond the papers."""
