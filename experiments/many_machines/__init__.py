"""Beyond one machine: workers of a cluster."""
