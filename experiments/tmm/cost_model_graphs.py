"""The graphs that the cost model was fitted to, and others, of other families, sizes and seeds, that judge it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.spatial

import reedsp
from experiments.lib import inputs

Graphs = dict[str, Callable[[], reedsp.Graph]]


def random(n: int, m: int, largest: int = 1000, seed: int = 1, fractional: bool = False) -> reedsp.Graph:
    """Return a directed random graph with weights up to some number."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    weights = rng.random(m) + 0.01 if fractional else rng.integers(1, largest + 1, m)
    return reedsp.Graph.from_edges(n, *ends, weights)


def star(n: int, seed: int) -> reedsp.Graph:
    """Return an undirected star."""
    weights = np.random.default_rng(seed).integers(1, 1001, n - 1)
    return reedsp.Graph.from_edges(n, np.zeros(n - 1, int), np.arange(1, n), weights, directed=False)


def nearest(n: int, neighbours: int, seed: int) -> reedsp.Graph:
    """Return a graph of points in a square, each of which has edges to its nearest ones, as long as they are apart."""
    points = np.random.default_rng(seed).random((n, 2))
    lengths, ends = scipy.spatial.cKDTree(points).query(points, neighbours + 1)
    weights = np.maximum(1, 100_000 * lengths[:, 1:].ravel()).astype(np.int64)
    return reedsp.Graph.from_edges(n, np.arange(n).repeat(neighbours), ends[:, 1:].ravel(), weights, directed=False)


def small_world(n: int, neighbours: int, seed: int) -> reedsp.Graph:
    """Return a ring with edges to the next ones, a tenth of which leads anywhere."""
    rng = np.random.default_rng(seed)
    tails = np.arange(n).repeat(neighbours)
    heads = (tails + np.tile(np.arange(1, neighbours + 1), n)) % n
    anywhere = rng.random(len(heads)) < 0.1
    heads[anywhere] = rng.integers(0, n, np.count_nonzero(anywhere))
    return reedsp.Graph.from_edges(n, tails, heads, rng.integers(1, 101, len(tails)), directed=False)


def tree(n: int, children: int, seed: int) -> reedsp.Graph:
    """Return an undirected tree of so many children a vertex."""
    below = np.arange(1, n)
    weights = np.random.default_rng(seed).integers(1, 1001, n - 1)
    return reedsp.Graph.from_edges(n, (below - 1) // children, below, weights, directed=False)


def layers(count: int, width: int, degree: int, seed: int) -> reedsp.Graph:
    """Return layers of vertices, from each of which edges lead to the next layer only."""
    rng = np.random.default_rng(seed)
    tails = np.arange((count - 1) * width).repeat(degree)
    heads = (tails // width + 1) * width + rng.integers(0, width, len(tails))
    return reedsp.Graph.from_edges(count * width, tails, heads, rng.integers(1, 1001, len(tails)))


def islands(count: int, size: int, degree: int, seed: int) -> reedsp.Graph:
    """Return random graphs that are not connected with each other."""
    rng = np.random.default_rng(seed)
    tails = np.arange(count * size).repeat(degree)
    heads = tails // size * size + rng.integers(0, size, len(tails))
    return reedsp.Graph.from_edges(count * size, tails, heads, rng.integers(1, 1001, len(tails)))


FITTED: Graphs = {
    "random 100, 2": partial(random, 100, 200),
    "random 300, 3": partial(random, 300, 900),
    "random 300, 30": partial(random, 300, 9000),
    "random 700, 2": partial(random, 700, 1400),
    "random 700, 8": partial(random, 700, 5600),
    "random 1000, 2": partial(random, 1000, 2000),
    "random 1000, 4, to 9": partial(random, 1000, 4000, 9),
    "random 1000, 8": partial(random, 1000, 8000),
    "random 1500, 2": partial(random, 1500, 3000),
    "random 1500, 4": partial(random, 1500, 6000),
    "random 1500, 4, fractions": partial(random, 1500, 6000, fractional=True),
    "random 1500, 4, to 9": partial(random, 1500, 6000, 9),
    "random 1500, 16": partial(random, 1500, 24_000),
    "random 2000, 3": partial(random, 2000, 6000),
    "random 2000, 8": partial(random, 2000, 16_000),
    "random 2000, 8, to 1e6": partial(random, 2000, 16_000, 10**6),
    "random 2000, 32": partial(random, 2000, 64_000),
    "random 2000, 1": partial(random, 2000, 2000),
    "random 2000, 0.5": partial(random, 2000, 1000),
    "grid 20": partial(inputs.grid, 20, 1),
    "grid 32": partial(inputs.grid, 32, 1),
    "grid 45": partial(inputs.grid, 45, 1),
    "path 1000": partial(inputs.long_path, 1000, 1),
    "path 2000": partial(inputs.long_path, 2000, 1),
    "star 1000": partial(star, 1000, 1),
    "star 2000": partial(star, 2000, 1),
    "nearest 1000, 8": partial(nearest, 1000, 8, 1),
    "nearest 2000, 8": partial(nearest, 2000, 8, 1),
    "R-MAT 10, 16": partial(inputs.r_mat, 10, 16, 1),
    "R-MAT 11, 4": partial(inputs.r_mat, 11, 4, 1),
    "R-MAT 11, 16": partial(inputs.r_mat, 11, 16, 1),
    "complete 300": partial(inputs.complete, 300, 1),
    "complete 1000": partial(inputs.complete, 1000, 1),
    "negative 1000, 4": lambda: inputs.negative_edges(1000, 4000, 1)[0],
    "negative 2000, 4": lambda: inputs.negative_edges(2000, 8000, 1)[0],
}
"""Graphs that the model's factors come from."""

_SIZES = (150, 500, 850, 1200, 1800, 2600)

HELD_BACK: Graphs = {
    **{f"random {n}, {d}": partial(random, n, n * d, seed=n) for n in _SIZES for d in (1, 3, 6, 12)},
    **{f"random {n}, 5, to 3": partial(random, n, n * 5, 3, n) for n in _SIZES[2:5]},
    **{f"random {n}, 5, to 1e7": partial(random, n, n * 5, 10**7, n) for n in _SIZES[2:5]},
    **{f"small world {n}, 4": partial(small_world, n, 4, n) for n in _SIZES[1:]},
    **{f"tree {n}, {c}": partial(tree, n, c, n) for n, c in ((500, 2), (1200, 3), (1800, 2), (2600, 5))},
    **{f"layers {c} x {w}": partial(layers, c, w, 3, c) for c, w in ((10, 60), (40, 30), (20, 100), (100, 20))},
    **{f"islands {c} x {s}": partial(islands, c, s, 4, c) for c, s in ((4, 300), (20, 60), (8, 300))},
    **{f"in-degree {n}, {d}": partial(inputs.skewed_in_degree, n, d, n) for n, d in ((600, 4), (1300, 6), (2200, 3))},
    **{f"nearest {n}, {k}": partial(nearest, n, k, n) for n, k in ((700, 3), (1500, 5), (2400, 4))},
    **{f"grid {s}": partial(inputs.grid, s, s, 0.3) for s in (27, 38, 50)},
    **{f"complete {n}": partial(inputs.complete, n, n) for n in (200, 700)},
    **{f"R-MAT 9, {f}": partial(inputs.r_mat, 9, f, 9) for f in (4, 16)},
    "R-MAT 11, 8": partial(inputs.r_mat, 11, 8, 9),
}
"""Graphs that played no part in the fit."""
