"""The graph families that every method is tested on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import reedsp
from tests.support.oracle import Edge, edges_of


@dataclass(frozen=True)
class Family:
    """One graph: edges as plain lists, and a source."""

    name: str
    n: int
    sources: list[int]
    targets: list[int]
    weights: list[int]
    source: int = 0
    directed: bool = True

    @property
    def edges(self) -> list[Edge]:
        return edges_of(self.sources, self.targets, self.weights, self.directed)

    def graph(self, dtype: npt.DTypeLike = np.int64, units: int = 1) -> reedsp.Graph:
        """Return the graph, its weights divided by some units."""
        weights = np.array(self.weights, dtype)
        own = weights if units == 1 else weights / units
        return reedsp.Graph.from_edges(self.n, self.sources, self.targets, own, directed=self.directed)


def random(name: str, n: int, m: int, low: int, high: int, seed: int, **kwargs: object) -> Family:
    """Return a graph whose edges lead anywhere, with weights below `high`."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    return Family(name, n, ends[0].tolist(), ends[1].tolist(), rng.integers(low, high, m).tolist(), **kwargs)


def grid(name: str, rows: int, columns: int, seed: int) -> Family:
    """Return a grid of undirected edges."""
    rng = np.random.default_rng(seed)
    vertex = np.arange(rows * columns).reshape(rows, columns)
    u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    return Family(name, rows * columns, u.tolist(), v.tolist(), rng.integers(1, 100, len(u)).tolist(), directed=False)


def _potentials(name: str, n: int, m: int, seed: int) -> Family:
    """Negative edges without a negative cycle: w(u, v) = p(v) - p(u) + something not negative, often 0."""
    rng = np.random.default_rng(seed)
    potential = rng.integers(-50, 50, n)
    u, v = rng.integers(0, n, (2, m))
    weights = potential[v] - potential[u] + rng.integers(0, 3, m)
    return Family(name, n, u.tolist(), v.tolist(), weights.tolist())


def _negative_ties(paths: int) -> Family:
    """Paths of the same weight to one vertex, each of a positive and a negative edge: all arrive in the same round."""
    middle = list(range(1, paths + 1))
    ends = [0] * paths + middle, middle + [paths + 1] * paths
    return Family("ties of negative edges", paths + 2, *ends, [3] * paths + [-1] * paths)


def _zero_cycles(n: int) -> Family:
    """Rings of zero-weight edges hung on one another, with ties and zero self loops."""
    u = [*range(n), *range(n), *range(0, n - 3, 3)]
    v = [(i + 1) % n for i in range(n)] + [i - i % 7 for i in range(n)] + [i + 3 for i in range(0, n - 3, 3)]
    return Family("zero-weight cycles", n, u, v, [0 if i % 5 else 2 for i in range(len(u))], source=3)


def _complete(n: int, seed: int) -> Family:
    rng = np.random.default_rng(seed)
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    return Family("complete", n, u.tolist(), v.tolist(), rng.integers(0, 401, len(u)).tolist(), source=n // 2)


def _relabel_killer(k: int) -> Family:
    """Chained triangles whose long way round is the short one: label correcting relabels 2**k times."""
    u, v, w = [], [], []
    for i in range(k):
        u += [2 * i, 2 * i, 2 * i + 1]
        v += [2 * i + 2, 2 * i + 1, 2 * i + 2]
        w += [2 ** (k - i), 0, 2 ** (k - i) - 2 ** (k - i - 1)]
    return Family("relabel killer", 2 * k + 1, u, v, w)


def _star(leaves: int, inward: bool) -> Family:
    hub, others = [0] * leaves, list(range(1, leaves + 1))
    weights = [1 + i % 9 for i in range(leaves)]
    if inward:  # 1 -> every other leaf -> hub, so that the hub has many in-edges
        return Family(
            "inward star", leaves + 1, others + [1] * (leaves - 1), hub + others[1:], weights + weights[1:], source=1
        )
    return Family("star", leaves + 1, hub, others, weights)


FAMILIES = [
    Family("one vertex", 1, [], [], []),
    Family("one vertex with a loop", 1, [0], [0], [4]),
    Family("no edges", 70, [], [], [], source=69),
    Family("path", 130, list(range(129)), list(range(1, 130)), [1 + i % 3 for i in range(129)]),
    Family("backward path", 97, list(range(1, 97)), list(range(96)), [2] * 96, source=96),
    _star(200, inward=False),
    _star(1500, inward=True),
    grid("grid", 13, 17, seed=1),
    _complete(37, seed=2),
    random("random", 300, 1200, 1, 50, seed=3),
    random("random, dense, many ties", 65, 2000, 0, 4, seed=4),
    random("random, undirected", 200, 500, 0, 20, seed=5, directed=False),
    random("disconnected", 500, 300, 1, 10, seed=6),
    random("parallel edges and self loops", 20, 600, 0, 100, seed=7),
    random("heavy", 150, 700, 2**29, 2**30, seed=8),
    random("beyond int32", 150, 700, 2**40, 2**44, seed=9),
    _potentials("negative edges", 200, 900, seed=10),
    _potentials("negative edges, sparse", 300, 400, seed=11),
    _negative_ties(30),
    _zero_cycles(64),
    _relabel_killer(12),
    Family("zero cycle of negative and positive edges", 5, [0, 1, 2, 3, 1], [1, 2, 3, 1, 4], [5, -2, 4, -2, 0]),
    Family("negative cycle out of reach", 6, [0, 1, 3, 4, 4], [1, 2, 4, 3, 5], [1, -4, -1, -1, 2]),
]
NOT_NEGATIVE = [family for family in FAMILIES if min(family.weights, default=0) >= 0]
CYCLE_FREE = [family for family in FAMILIES if family.name != "negative cycle out of reach"]

NEGATIVE_CYCLES = [
    Family("negative self loop", 3, [0, 1, 1], [1, 1, 2], [4, -1, 1]),
    Family("two vertices", 4, [0, 1, 2, 2], [1, 2, 1, 3], [1, 2, -3, 1]),
    Family("undirected negative edge", 3, [0, 1], [1, 2], [3, -1], directed=False),
    Family("long cycle of weight -1", 300, list(range(300)), [*range(1, 300), 0], [1] * 299 + [-300]),
    Family(
        "behind a long path",
        400,
        [*range(399), 399],
        [*range(1, 400), 380],
        [7] * 399 + [-7 * 19 - 1],
    ),
    random("random with negative weights", 80, 600, -5, 30, seed=12),
    Family("heavy", 3, [0, 1, 2], [1, 2, 0], [2**62, -(2**62), -(2**61)]),
]


def named(name: str) -> Family:
    return next(family for family in FAMILIES if family.name == name)
