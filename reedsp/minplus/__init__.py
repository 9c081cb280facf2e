"""Products of matrices with minimum and plus."""
