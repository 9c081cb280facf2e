"""The algorithms, by what they find."""
