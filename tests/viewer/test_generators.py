"""What generators promise of their arrays and graphs."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest

import reedsp
from reedsp.viewer import generators
from reedsp.viewer.inputs import LARGEST_LENGTH, LARGEST_M, LARGEST_N

SIZES = [1, 2, 3, 4, 7, 16, 63, 200]


def edges_of(graph: reedsp.Graph) -> networkx.Graph:
    found = networkx.Graph()
    found.add_nodes_from(range(graph.n))
    found.add_weighted_edges_from(graph.edges())
    return found


@pytest.mark.parametrize("kind", generators.ARRAYS)
@pytest.mark.parametrize("size", [1, 2, 50, LARGEST_LENGTH])
def test_arrays(kind: str, size: int) -> None:
    values = generators.array(kind, size, seed=1)
    assert (values.dtype, values.shape) == (np.int32, (size,))
    assert values.tolist() == generators.array(kind, size, seed=1).tolist()
    if kind in ("shuffled", "ascending", "descending"):
        assert sorted(values.tolist()) == list(range(size))
    steps = set(np.diff(values).tolist())
    assert steps <= {"ascending": {1}, "descending": {-1}, "constant": {0}}.get(kind, steps)
    assert values.min() >= 0
    if kind == "random":
        assert values.max() <= 10
    if kind == "constant":
        assert values[0] == 1


@pytest.mark.parametrize("kind", generators.GRAPHS)
@pytest.mark.parametrize("size", SIZES)
def test_graphs(kind: str, size: int) -> None:
    if kind == "complete" and size > 63:
        with pytest.raises(ValueError, match=r"size: at most 2,000 edges .* 'complete' of 200 vertices has 19,900"):
            generators.graph(kind, size)
        return
    graph = generators.graph(kind, size, seed=2)
    assert graph == generators.graph(kind, size, seed=2)
    assert not graph.directed
    assert 1 <= graph.n <= LARGEST_N
    found = edges_of(graph)
    m = found.number_of_edges()
    assert m <= LARGEST_M
    assert networkx.number_of_selfloops(found) == 0
    assert all(1 <= weight <= 9 for _, _, weight in graph.edges())
    if kind not in ("grid", "road"):
        assert graph.n == size
        assert graph.coordinates is None
    else:
        assert graph.n > size - int(size**0.5) - 1
        assert graph.coordinates is not None
    known: dict[str, Any] = {
        "tree": networkx.is_tree,
        "path": lambda each: networkx.is_isomorphic(each, networkx.path_graph(size)),
        "cycle": lambda each: size < 3 or networkx.is_isomorphic(each, networkx.cycle_graph(size)),
        "complete": lambda each: m == size * (size - 1) // 2,
        "bipartite": lambda each: all(u < (size + 1) // 2 <= v for u, v, _ in graph.edges() if u < v),
        "grid": lambda each: networkx.is_connected(each),
    }
    assert known.get(kind, lambda each: True)(found)


def test_two_seeds_differ() -> None:
    for kind in ("road", "random", "r-mat", "tree", "bipartite"):
        assert generators.graph(kind, 60, 1) != generators.graph(kind, 60, 2)


@pytest.mark.parametrize("make", [generators.array, generators.graph])
def test_bad_arguments(make: Any) -> None:
    with pytest.raises(ValueError, match=r"generate: one of .* is expected, got 'star'"):
        make("star", 3)
    for size in (0, -1, 10**9):
        with pytest.raises(ValueError, match=r"size: 1 to (200|1,000) (vertices|elements) are expected, got"):
            make("random", size)
    with pytest.raises(TypeError, match=r"size: expected an integer, got "):
        make("random", 2.5)
