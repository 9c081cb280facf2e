"""Experiments: one script for each figure or table of a paper."""
