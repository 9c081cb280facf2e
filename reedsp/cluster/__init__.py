"""The calls of this package on many machines: on a cluster of Dask, or by any executor of ``concurrent.futures``."""

from __future__ import annotations

from reedsp.cluster.cluster import Cluster, Dask, Executor

__all__ = ["Cluster", "Dask", "Executor"]
