"""The graphs that the experiments run on: seeded generators, and the real road network if it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
import scipy.sparse.csgraph

import reedsp

R_MAT_A, R_MAT_B, R_MAT_C = 0.57, 0.19, 0.19


def fixed_in_degree(n: int, degree: int, seed: int) -> reedsp.Graph:
    """Return the random graph of thesis section 6.1.2: `degree` edges end at each vertex.

    Their sources are drawn uniformly, and their weights from 1 .. 400.
    """
    rng = np.random.default_rng(seed)
    targets = np.repeat(np.arange(n), degree)
    return reedsp.Graph.from_edges(n, rng.integers(0, n, n * degree), targets, rng.integers(1, 401, n * degree))


def skewed_in_degree(n: int, mean_degree: int, seed: int) -> reedsp.Graph:
    """Return a random graph whose in-degrees follow a power law: the case for ordering vertices by in-degree."""
    rng = np.random.default_rng(seed)
    m = n * mean_degree
    targets = rng.permutation(n)[np.minimum((n * rng.random(m) ** 3).astype(np.int64), n - 1)]
    return reedsp.Graph.from_edges(n, rng.integers(0, n, m), targets, rng.integers(1, 401, m))


def grid(side: int, seed: int, removed: float = 0.1) -> reedsp.Graph:
    """Return an undirected square grid with a part of its edges removed and weights 1 .. 1000."""
    rng = np.random.default_rng(seed)
    vertex = np.arange(side * side).reshape(side, side)
    u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    kept = rng.random(len(u)) >= removed
    weights = rng.integers(1, 1001, len(u))
    return reedsp.Graph.from_edges(side * side, u[kept], v[kept], weights[kept], directed=False)


def random_in_degree(n: int, degree: int, seed: int) -> reedsp.Graph:
    """Return a random graph in which `degree` edges end at each vertex, with weights 1 .. 1000."""
    rng = np.random.default_rng(seed)
    targets = np.repeat(np.arange(n), degree)
    return reedsp.Graph.from_edges(n, rng.integers(0, n, n * degree), targets, rng.integers(1, 1001, n * degree))


def r_mat(scale: int, edge_factor: int, seed: int, directed: bool = True) -> reedsp.Graph:
    """Return a Kronecker graph with the probabilities of Graph500, shuffled vertices and weights 1 .. 1000."""
    rng = np.random.default_rng(seed)
    n, m = 1 << scale, edge_factor << scale
    u, v = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for bit in range(scale):
        below = rng.random(m) >= R_MAT_A + R_MAT_B
        share = np.where(below, R_MAT_C / (1 - R_MAT_A - R_MAT_B), R_MAT_A / (R_MAT_A + R_MAT_B))
        right = rng.random(m) >= share
        u += below.astype(np.int64) << bit
        v += right.astype(np.int64) << bit
    number = rng.permutation(n)
    return reedsp.Graph.from_edges(n, number[u], number[v], rng.integers(1, 1001, m), directed=directed)


def negative_edges(n: int, m: int, seed: int) -> tuple[reedsp.Graph, npt.NDArray[Any]]:
    """Return a random graph with negative edges but no negative cycle, and its distances from vertex 0.

    Each vertex has a potential, by which its distance differs from that in a graph with weights that are not negative.
    """
    rng = np.random.default_rng(seed)
    potential = rng.integers(-1000, 1000, n)
    sources, targets = rng.integers(0, n, (2, m))
    lengths = rng.integers(1, 101, m)
    plain = reedsp.Graph.from_edges(n, sources, targets, lengths)
    dist = scipy.sparse.csgraph.dijkstra(plain.to_scipy(), indices=0) + potential - potential[0]
    return reedsp.Graph.from_edges(n, sources, targets, lengths + potential[targets] - potential[sources]), dist


def long_path(n: int, seed: int) -> reedsp.Graph:
    """Return an undirected path through all vertices in random order, with weights 1 .. 1000."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    return reedsp.Graph.from_edges(n, order[:-1], order[1:], rng.integers(1, 1001, n - 1), directed=False)


def complete(n: int, seed: int) -> reedsp.Graph:
    """Return a graph with an edge from each vertex to each other one, with weights 1 .. 1000."""
    weights = np.random.default_rng(seed).integers(1, 1001, (n, n))
    np.fill_diagonal(weights, 0)  # no edge
    return reedsp.Graph.from_dense(weights)


def forced_path(n: int, degree: int, seed: int) -> reedsp.Graph:
    """Return a path from vertex 0 through all others, in which Bellman-Ford updates one vertex in each round.

    `degree` edges end at each vertex, as far as there are enough sources: one of weight 1 from the vertex before, the
    others from later vertices, so that none of these is ever part of a shortest path.
    """
    rng = np.random.default_rng(seed)
    targets = np.repeat(np.arange(n - 1), degree - 1)
    sources = targets + 1 + (rng.random(len(targets)) * (n - 1 - targets)).astype(np.int64)
    before = np.arange(n - 1)
    weights = np.concatenate((np.ones(n - 1, np.int64), rng.integers(1, 401, len(targets))))
    return reedsp.Graph.from_edges(n, np.append(before, sources), np.append(before + 1, targets), weights)


def ever_shorter_steps(n: int, degree: int, seed: int) -> reedsp.Graph:
    """Return a graph in which Bellman-Ford from vertex 0 takes n - 1 rounds, and updates many vertices in each.

    Vertices are in random order but for vertex 0, the first. `degree` edges end at each, from those just before it in
    this order; a step of k vertices has weight k^2, so that more and shorter steps are always better.
    """
    order = np.append(0, 1 + np.random.default_rng(seed).permutation(n - 1))
    steps = np.repeat(np.arange(1, degree + 1), n)
    places = np.tile(np.arange(n), degree)
    kept = places >= steps
    steps, places = steps[kept], places[kept]
    return reedsp.Graph.from_edges(n, order[places - steps], order[places], steps**2)


def new_york(folder: Path) -> reedsp.Graph:
    """Return the road network USA-road-d.NY of the 9th DIMACS challenge from a folder that holds it, without names."""
    roads = reedsp.read(folder / "USA-road-d.NY.gr.gz")
    return reedsp.Graph(roads.indptr, roads.indices, roads.weights)


def complete_matrix(n: int, seed: int) -> npt.NDArray[np.float32]:
    """Return the first random matrix of thesis section 6.1.1: weights 0 .. 400, and zeros on the diagonal."""
    matrix = np.random.default_rng(seed).integers(0, 401, (n, n)).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    return matrix


def quarter_matrix(n: int, seed: int) -> npt.NDArray[np.float32]:
    """Return the second one: as the first, but with infinity everywhere but at n/4 random entries of each row."""
    rng = np.random.default_rng(seed)
    matrix = np.full((n, n), np.inf, np.float32)
    for row in matrix:
        row[rng.choice(n, n // 4, replace=False)] = rng.integers(0, 401, n // 4)
    np.fill_diagonal(matrix, 0)
    return matrix


def scipy_matrix(graph: reedsp.Graph) -> scipy.sparse.csr_array:
    """Return the edges as SciPy's functions use them, which convert whatever else they are given in each call."""
    index = np.int32 if max(graph.n, graph.m) <= np.iinfo(np.int32).max else np.int64
    arrays = (graph.weights.astype(np.float64), graph.indices.astype(index), graph.indptr.astype(index))
    return scipy.sparse.csr_array(arrays, shape=(graph.n, graph.n))
