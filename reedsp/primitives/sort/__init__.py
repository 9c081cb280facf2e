"""Sorting by keys, and by a comparison of the user's."""
