"""What runs tasks on workers: one interface for Dask and for executors, and tasks that are under way."""
