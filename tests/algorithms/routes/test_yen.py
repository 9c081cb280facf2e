"""The k shortest simple paths, against all of them in exact order."""

from __future__ import annotations

import doctest
import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp import csgraph
from reedsp.algorithms.routes import k_shortest
from reedsp.arithmetic.types import InexactError
from tests.support import oracle
from tests.support.small_graphs import KINDS, graph_of, simple_paths

CASES = [(kind, seed) for kind in KINDS for seed in range(15)]


def in_order(n: int, edges: list[oracle.Edge], source: int, target: int) -> list[tuple[Fraction, int, list[int]]]:
    """All simple paths with their weights and numbers of edges, as they are promised."""
    return sorted((weight, len(path) - 1, path) for weight, path in simple_paths(n, edges, source, target))


def test_paths_are_a_sequence(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3], labels=list("abcd"))
    paths = reedsp.yen(graph, "a", "d", 3, device=device)
    expected = [(5.0, ["a", "c", "d"]), (8.0, ["a", "b", "d"])]
    assert [paths[0], paths[1]] == [paths[-2], paths[-1]] == paths[:] == list(paths) == expected
    assert (paths[1:], paths[np.int64(1)], list(reversed(paths))) == (expected[1:], expected[1], expected[::-1])
    assert expected[1] in paths
    assert paths[True] == expected[1]
    assert type(paths[0][0]) is float
    with pytest.raises(IndexError, match=r"^there is no route 2: there are 2$"):
        paths[2]


@pytest.mark.deep("negative", "undirected", "zero and small", "unit")
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_every_simple_path_in_order(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, edges = graph_of(kind, seed)
    for source, target in itertools.islice(itertools.product(range(graph.n), repeat=2), seed % 3, None, 5):
        expected = in_order(graph.n, edges, source, target)
        paths = reedsp.yen(graph, source, target, len(expected) + 5, device=device)
        assert list(paths.routes) == [path for _, _, path in expected]
        assert paths.dist.tolist() == [float(weight) for weight, _, _ in expected]
        few = reedsp.yen(graph, source, target, 2, device=device)
        assert list(few) == list(paths)[:2]


@pytest.mark.parametrize("seed", range(6))
def test_weights_of_networkx_paths(seed: int, device: reedsp.Device) -> None:
    rng = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(40, 160, seed=seed, directed=seed % 2 == 0)
    for _, _, data in graph.edges(data=True):
        data["weight"] = int(rng.integers(1, 10))
    paths = reedsp.yen(graph, 0, 39, 60, device=device)
    theirs = list(itertools.islice(nx.shortest_simple_paths(graph, 0, 39, "weight"), 60))
    assert paths.dist.tolist() == [nx.path_weight(graph, path, "weight") for path in theirs]
    for (weight, path), other in zip(paths, theirs, strict=True):
        assert nx.path_weight(graph, path, "weight") == weight == nx.path_weight(graph, other, "weight")
        assert nx.is_simple_path(graph, path)
    assert len({tuple(path) for path in paths.routes}) == len(paths)


@pytest.mark.parametrize(("kind", "seed"), CASES[::2])
def test_sets_that_are_empty_are_known_at_once(
    kind: str, seed: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, edges = graph_of(kind, seed)
    monkeypatch.setattr(k_shortest, "_FEW", 1)
    for source, target in itertools.islice(itertools.product(range(graph.n), repeat=2), seed % 4, None, 7):
        expected = in_order(graph.n, edges, source, target)
        paths = reedsp.yen(graph, source, target, len(expected) + 5, device=device)
        assert list(paths.routes) == [path for _, _, path in expected]


@pytest.mark.deep("negative", "fractional", "zero and small")
@pytest.mark.parametrize("longer", [0, 1, 50])
@pytest.mark.parametrize(("kind", "seed"), CASES[1::4])
def test_paths_that_go_on_along_first_paths(
    kind: str, seed: int, longer: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(k_shortest, "_FEW", 1)
    monkeypatch.setattr(k_shortest, "_LONGER_ENDS", longer)
    test_every_simple_path_in_order(kind, seed, device)


@pytest.mark.parametrize("weight", [1, 0.25, 0.1, 1 / 3])
def test_many_equally_short_paths(weight: float, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """One search finds the first path to each vertex; others need none, but where paths would visit one twice."""
    side = 40
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side), ordering="sorted")
    nx.set_edge_attributes(graph, weight, "weight")
    looks = []
    shortest = k_shortest._Search._edges_into
    monkeypatch.setattr(
        k_shortest._Search, "_edges_into", lambda self, vertex: looks.append(vertex) or shortest(self, vertex)
    )
    paths = reedsp.yen(graph, 0, side * side - 1, 200, device=device)
    assert set(paths.dist.tolist()) == {float((2 * side - 2) * Fraction(weight))}
    routes = list(paths.routes)
    assert sorted(routes) == routes
    assert len(set(map(tuple, routes))) == 200
    assert all(graph.has_edge(*edge) for route in routes for edge in itertools.pairwise(route))
    assert len(looks) < 200 * 200 * 3


def test_a_dead_end_is_not_walked(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time grew with the vertices behind the target."""
    looked_at = []
    edges_into = k_shortest._Search._edges_into
    monkeypatch.setattr(
        k_shortest._Search, "_edges_into", lambda self, v: (looked_at.append(v), edges_into(self, v))[1]
    )
    graph = reedsp.Graph.from_edges(5000, range(4999), range(1, 5000), directed=False)
    assert list(reedsp.yen(graph, 0, 20, 5, device=device)) == [(20, list(range(21)))]
    assert len(looked_at) < 500


def test_nodes_of_networkx(device: reedsp.Device) -> None:
    graph = nx.DiGraph([("s", (1,)), ((1,), "t"), ("s", "t")])
    assert list(reedsp.yen(graph, "s", "t", 9, device=device)) == [(1, ["s", "t"]), (2, ["s", (1,), "t"])]
    with pytest.raises(ValueError, match="'x' is not a vertex"):
        reedsp.yen(graph, "s", "x", 1, device=device)


def test_parallel_edges_loops_and_the_source_itself(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 0, 1, 1], [1, 1, 0, 2, 0], [5, 3, 1, 1, 0])
    assert list(reedsp.yen(graph, 0, 2, 9, device=device)) == [(4, [0, 1, 2])]
    assert list(reedsp.yen(graph, 0, 0, 9, device=device)) == [(0, [0])]
    assert list(reedsp.yen(graph, 2, 0, 9, device=device)) == []
    assert list(reedsp.yen(graph, 0, -1, 9, device=device)) == [(4, [0, 1, 2])]
    assert list(reedsp.yen(reedsp.Graph.from_edges(1, [], []), 0, 0, 2, device=device)) == [(0, [0])]


def test_a_negative_cycle(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 1, 3], [1, 0, 2, 0], [-2, 1, 1, 1])
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.yen(graph, 0, 2, 1, device=device)
    assert list(reedsp.yen(graph, 2, 2, 1, device=device)) == [(0, [2])]  # from there it cannot be reached
    with pytest.raises(ValueError, match="is not a vertex"):
        reedsp.yen(reedsp.Graph.from_edges(0, [], []), 0, 0, 1, device=device)


@pytest.mark.parametrize("offset", [2**53, 2**62])
def test_large_integers(offset: int, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 0, 2], [1, 3, 2, 3], [offset, 1, offset, 3])
    paths = reedsp.yen(graph, 0, 3, 3, dtype="int64", device=device)
    assert list(paths) == [(offset + 1, [0, 1, 3]), (offset + 3, [0, 2, 3])]
    assert paths.dist.dtype == np.int64
    with pytest.raises(InexactError, match="dtype='int64'"):
        reedsp.yen(graph, 0, 3, 3, device=device)
    with pytest.raises(OverflowError, match="int32"):
        reedsp.yen(graph, 0, 3, 3, dtype="int32", device=device)


def test_a_second_path_beyond_int64(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 1], [2, 1, 2], [5, 2**62, 2**62])
    with pytest.raises(OverflowError, match=rf"^dist\[1\] = {2**63} is outside int64$"):
        reedsp.yen(graph, 0, 2, 2, dtype="int64", device=device)


def test_order_that_rounding_would_hide(device: reedsp.Device) -> None:
    """1e16 + 0.5 and 1e16 + 0.25 are the same float."""
    ends = ([0, 1, 0, 2], [1, 3, 2, 3])
    graph = reedsp.Graph.from_edges(4, *ends, [1e16, 0.5, 1e16, 0.25])
    assert list(reedsp.yen(graph, 0, 3, 3, device=device).routes) == [[0, 2, 3], [0, 1, 3]]
    graph = reedsp.Graph.from_edges(4, *ends, [1e16, 0.5, 1e16, 0.5])
    assert list(reedsp.yen(graph, 0, 3, 3, device=device).routes) == [[0, 1, 3], [0, 2, 3]]
    graph = reedsp.Graph.from_edges(4, *ends, [5e-324, 5e-324, 5e-324, 1.5])
    assert reedsp.yen(graph, 0, 3, 3, device=device).dist.tolist() == [1e-323, 1.5]


def test_arguments(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    assert len(reedsp.yen(graph, 0, 1, 0, device=device)) == 0
    with pytest.raises(ValueError, match="k = -1"):
        reedsp.yen(graph, 0, 1, -1, device=device)
    with pytest.raises(TypeError):
        reedsp.yen(graph, 0, 1, 1.5, device=device)
    for position, name in enumerate(("source", "target")):
        ends = [0, 0]
        ends[position] = 2
        with pytest.raises(ValueError, match=f"{name} = 2"):
            reedsp.yen(graph, *ends, 1, device=device)


def test_what_is_shown(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [1, 1, 5], labels=["<a>", "b", "c"])
    paths = reedsp.yen(graph, "<a>", "c", 4, device=device)
    assert "2 from vertex '<a>' to vertex 'c', 2.0 to 5.0" in repr(paths)
    assert "&lt;a&gt;" in paths._repr_html_()
    assert "<a>" not in paths._repr_html_()
    assert np.asarray(paths) is paths.dist


def test_a_road_network(shared_data: Path, device: reedsp.Device) -> None:
    graph = reedsp.read(shared_data / "dimacs-ny" / "USA-road-d.NY.gr.gz")
    paths = reedsp.yen(graph, 1, 200_001, 50, device=device)
    weights = graph.to_scipy()
    assert paths.dist[0] == reedsp.sssp(graph, 1, device=device).dist[200_000]
    assert (np.diff(paths.dist) >= 0).all()
    assert len({tuple(path) for path in paths.routes}) == 50
    for weight, path in paths:
        assert len(set(path)) == len(path)
        indices = [graph.index(name) for name in path]
        assert weights[indices[:-1], indices[1:]].sum() == weight


@pytest.mark.parametrize(("dtype", "weight"), [(None, 2**53), ("int32", 2**31)])
def test_a_distance_that_is_refused_is_named(dtype: Any, weight: int, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 1], [2, 1, 2], [5, weight, 1])
    with pytest.raises((ValueError, OverflowError), match=rf"^dist\[1\] = {weight + 1} "):
        reedsp.yen(graph, 0, 2, 3, dtype=dtype, device=device)


def test_a_float_that_is_beyond_its_type_is_named(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [3e38, 3e38])
    with pytest.raises(OverflowError, match=r"^dist\[0\] is beyond float32"):
        reedsp.yen(graph, 0, 2, 1, dtype="float32", device=device)


def test_a_device_is_looked_for_even_if_no_path_is() -> None:
    with pytest.raises(reedsp.DeviceError, match="device = 'nope'"):
        reedsp.yen(reedsp.Graph.from_edges(2, [0], [1]), 0, 1, 0, device="nope")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_scipys_function(seed: int, directed: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    weights = np.where(rng.random((n, n)) < 0.4, rng.random((n, n)) + 0.1, 0)
    theirs = scipy.sparse.csgraph.yen(weights, 0, n - 1, 20, directed=directed, return_predecessors=True)
    ours = csgraph.yen(weights, 0, n - 1, 20, directed=directed, return_predecessors=True)
    assert np.allclose(theirs[0], ours[0], rtol=1e-14)
    assert np.array_equal(theirs[1], ours[1])
    assert [array.dtype for array in ours] == [np.float64, np.int32]
    counts = csgraph.yen(weights, 0, n - 1, 20, directed=directed, unweighted=True)
    assert np.array_equal(counts, scipy.sparse.csgraph.yen(weights, 0, n - 1, 20, directed=directed, unweighted=True))


def test_scipys_conventions(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    graph = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], float)
    for arguments in ((0, 0, 2), (0, 2, 0), (2, 0, 3), (0, 2, 9)):
        theirs = scipy.sparse.csgraph.yen(graph, *arguments, return_predecessors=True)
        ours = csgraph.yen(graph, *arguments, return_predecessors=True)
        assert [array.shape for array in ours] == [array.shape for array in theirs]
        assert np.array_equal(ours[0], theirs[0])
    for ends in ((0, 3), (-1, 0)):
        with pytest.raises(ValueError, match="must have 0 <="):
            csgraph.yen(graph, *ends, 1)
    apart = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, -2], [0, 0, 1, 0]], float)
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.yen(apart, 0, 1, 1)


def test_docstring_examples(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    assert doctest.testmod(k_shortest, raise_on_error=True).attempted >= 3
