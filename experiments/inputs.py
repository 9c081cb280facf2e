"""The graphs that the experiments run on: seeded generators, and the real road network if it is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

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


def new_york(folder: Path) -> reedsp.Graph:
    """Return the road network USA-road-d.NY of the 9th DIMACS challenge from a folder that holds it."""
    return reedsp.read(folder / "USA-road-d.NY.gr.gz")
