"""A graph on its way to workers: its edges in the narrowest types that hold them, and a fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph


@dataclass(frozen=True)
class Published:
    """What a task knows of a graph: enough for a worker to find it.

    Attributes
    ----------
    fingerprint : str
        Of everything that an answer depends on.
    n, m : int
        Vertices and edges.
    file : str or None
        Where workers find it that no one can send it to.
    """

    fingerprint: str
    n: int
    m: int
    file: str | None = None


@dataclass(frozen=True)
class Wrapped:
    """The edges of a graph, without names and coordinates, which stay with the client.

    Attributes
    ----------
    fingerprint : str
    degrees : ndarray, shape (n,)
        Edges of each vertex.
    targets : ndarray, shape (m,)
    weights : ndarray, shape (m,)
        In the narrowest type of integers, if all of them are integers.
    dtype : str
        The type that they have in the graph.
    directed : bool
    """

    fingerprint: str
    degrees: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    weights: npt.NDArray[Any]
    dtype: str
    directed: bool

    @classmethod
    def of(cls, graph: Graph) -> Wrapped:
        """Wrap a graph."""
        weights = graph.weights
        if graph.has_integral_weights and graph.max_abs_weight < 2**63:
            weights = narrowest(weights)
        degrees, targets = narrowest(np.diff(graph.indptr)), narrowest(graph.indices)
        arrays = degrees, targets, weights
        dtype = graph.weight_dtype.str
        said = [graph.n, graph.directed, dtype, *(each.dtype.str for each in arrays)]
        digest = hashlib.sha256(repr(said).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
        return cls(digest.hexdigest(), *arrays, dtype, graph.directed)

    def graph(self) -> Graph:
        """Return a graph of indices with the same edges and weights, in the same types."""
        indptr = np.zeros(len(self.degrees) + 1, np.int64)
        np.cumsum(self.degrees, out=indptr[1:])
        weights = self.weights.astype(self.dtype)
        return Graph(indptr, self.targets.astype(np.int32), weights, directed=self.directed)

    def published(self, file: str | None = None) -> Published:
        """Return what tasks know of it."""
        return Published(self.fingerprint, len(self.degrees), len(self.targets), file)


def narrowest(integers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return integers, of whatever type, that int64 holds, in the narrowest type that holds every one of them."""
    if not len(integers):
        return integers.astype(np.uint8)
    low, high = int(integers.min()), int(integers.max())
    for name in ("u1", "i1", "u2", "i2", "u4", "i4"):
        dtype = np.dtype(f"<{name}")
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return integers.astype(dtype)
    return integers.astype("<i8")
