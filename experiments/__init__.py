"""Experiments: one script for each figure or table of a paper, in a folder a paper."""
