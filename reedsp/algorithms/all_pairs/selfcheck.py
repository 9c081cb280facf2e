"""Whether shortest paths among all vertices are right on a device: they are tried on a matrix with a known answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job

_LARGEST_HEIGHT, _LARGEST_LENGTH, _DENSITY = 1000, 100, 0.05


def closes_known_matrix(
    device: Device, close: Callable[..., npt.NDArray[Any]], weights: Weights, tile: int, *options: Any
) -> bool:
    """Return whether the shortest paths among vertices of two tiles and a rest are those that numpy finds.

    Weights are integers, so that the order of additions does not matter; negative ones lie on no cycle.

    Parameters
    ----------
    device : Device
    close : callable(job, weights, edges, *options)
        Returns the weights of shortest paths.
    weights : Weights
    tile : int
        Vertices of a tile.
    *options
    """
    n, count = 3 * tile, 2 * tile + 3
    rng = np.random.default_rng(2012)
    edges = np.full((n, n), weights.no_path, weights.dtype)
    heights = np.zeros(n, np.int64) if weights.non_negative else rng.integers(0, _LARGEST_HEIGHT, n)
    lengths = rng.integers(0, _LARGEST_LENGTH, (count, count)) + heights[:count, None] - heights[None, :count]
    present = rng.random((count, count)) < _DENSITY
    edges[:count, :count][present] = lengths[present]
    np.fill_diagonal(edges, 0)
    expected = edges.astype(np.float64)
    expected[edges == weights.no_path] = np.inf
    for k in range(count):
        np.minimum(expected, expected[:, k, None] + expected[None, k, :], out=expected)
    found = close(Job(device), weights, edges, *options)
    return np.array_equal(np.where(found == weights.no_path, np.inf, found), expected)
