"""Experiments on the threaded many-core memory model of Ma, Agrawal and Chamberlain (2012)."""
