"""What the arguments of kernels hold: a table for each room that launches them, data only."""
