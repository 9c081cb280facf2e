"""Full matchings of minimum or maximum weight."""
