"""Algorithms step by step: traces of their kernels, and a page that plays them."""
