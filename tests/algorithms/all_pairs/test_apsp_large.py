"""apsp with the matrix on the host: little device memory, several devices, results in files, interruptions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import shortest_path

import reedsp
from reedsp.algorithms.all_pairs import device_matrix, host_matrix
from reedsp.algorithms.all_pairs.host_matrix import HostRows, fingerprint
from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.graph.arguments import as_graph
from tests.algorithms.all_pairs.test_apsp import tree_both_ways

LITTLE = 24 << 20  # bytes: less than the matrices and their copies, more than three spans of rows


def random_graph(n: int, kind: str, seed: int = 1) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)
    weights: np.ndarray = rng.integers(0, 50, 3 * n)
    if kind == "fractions":
        weights = rng.random(3 * n)
    elif kind == "negative":
        potential = rng.integers(0, 50, n)
        weights = weights + potential[sources] - potential[targets]
    return reedsp.Graph.from_edges(n, sources, targets, weights)


def check_equal(first: reedsp.AllPairs, second: reedsp.AllPairs) -> None:
    np.testing.assert_array_equal(first.dist, second.dist)
    np.testing.assert_array_equal(first.pred, second.pred)
    assert first.dist.dtype == second.dist.dtype


@pytest.mark.deep("negative", "700-fractions")
@pytest.mark.parametrize("kind", ["whole", "negative", "fractions"])
@pytest.mark.parametrize("n", [1, 65, 700])
def test_47_same_bits_wherever_the_matrix_is(n: int, kind: str, device: Device, tmp_path: Path) -> None:
    if kind == "fractions" and not device.fp64:
        pytest.skip("the device has no doubles")
    graph = random_graph(n, kind)
    in_core = reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device)  # which all others need
    check_equal(in_core, reedsp.apsp(graph, predecessors=True, device=device, memory_limit=LITTLE))
    check_equal(in_core, reedsp.apsp(graph, predecessors=True, device=[device, Device(device.index, device.handle)]))
    file = tmp_path / "distances.npy"
    in_files = reedsp.apsp(graph, predecessors=True, device=device, out=file)
    check_equal(in_core, in_files)
    assert in_files.path(0, 0) == [0]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["distances.npy", "distances.pred.npy"]
    assert np.array_equal(np.load(file), in_core.dist)


@pytest.mark.deep
def test_trees_found_in_several_pieces(device: Device) -> None:
    graph = random_graph(4200, "whole")  # rows of more than one piece, each of which has large buffers of its own
    matrix = graph.to_scipy()
    result = reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device)
    np.testing.assert_array_equal(result.dist, shortest_path(matrix, method="D"))
    for source in (0, 1667, 1668, 4199):
        on_the_way = result.pred[source] >= 0
        assert np.array_equal(on_the_way, np.isfinite(result.dist[source]) & (np.arange(graph.n) != source))
        reached = np.flatnonzero(on_the_way)
        before = result.pred[source][reached]
        edges = np.asarray(matrix[before, reached]).reshape(-1)
        np.testing.assert_array_equal(result.dist[source][before] + edges, result.dist[source][reached])


def test_47_what_does_not_fit_is_kept_on_the_host(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(100, "whole")
    expected = reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device)
    monkeypatch.setattr(device_matrix, "_PART_OF_MEMORY", 0)
    used = []
    close = host_matrix.solve_matrix
    monkeypatch.setattr(
        "reedsp.algorithms.all_pairs.host_matrix.solve_matrix", lambda *args: used.append(args) or close(*args)
    )
    check_equal(expected, reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device))
    assert len(used) == 1


def test_negative_cycles_on_the_host(device: Device, tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(600, [0, 1, 2, 5, 400], [1, 2, 1, 6, 0], [1, -3, 1, 2, 7])
    marked = reedsp.apsp(graph, predecessors=True, negative_cycles="mark", device=device)
    assert np.count_nonzero(np.isneginf(marked.dist)) == 8
    file = tmp_path / "marked.npy"
    check_equal(marked, reedsp.apsp(graph, predecessors=True, negative_cycles="mark", device=device, out=file))
    with pytest.raises(reedsp.NegativeCycleError) as found:
        reedsp.apsp(graph, device=device, out=tmp_path / "none.npy")
    assert found.value.weight == -2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["marked.npy", "marked.pred.npy"]


def test_several_negative_cycles_on_the_host(device: Device) -> None:
    """Each is marked, and what leads to one of them only is not taken for what the other leads to."""
    u, v, weights = [0, 1, 2, 3, 4, 5, 6], [1, 0, 0, 4, 3, 3, 7], [2, -5, 1, 2, -6, 1, 3]
    marked = reedsp.apsp(
        reedsp.Graph.from_edges(8, u, v, weights), negative_cycles="mark", device=device, memory_limit=LITTLE
    )
    expected = np.full((8, 8), np.inf)
    np.fill_diagonal(expected, 0)
    expected[6, 7] = 3
    for cycle in ([0, 1], [3, 4]):
        expected[np.ix_([*cycle, cycle[1] + 1], cycle)] = -np.inf
    np.testing.assert_array_equal(marked.dist, expected)


def test_a_diagonal_below_zero_counts_where_it_is_not_marked(device: Device) -> None:
    """What leads to a negative cycle, or is led to by it, is not on it."""
    weights, graph = Weights(np.dtype(np.float64), np.inf, np.inf), reedsp.Graph.from_edges(3, [0, 1], [1, 2])
    for below_zero, counts in ((1, False), (0, True), (2, True)):
        dist = np.array([[0, 1, 2], [np.inf, -1, 1], [np.inf, np.inf, 0]])
        dist[below_zero, below_zero] = -1
        matrix = HostRows(Job(device), weights, graph, dist)
        matrix.mark_paths_through(np.array([1]))
        assert matrix.reset_diagonal() == counts


def test_some_rows_by_their_vertices(device: Device) -> None:
    """Of rows that do not begin with the first vertex, as a part of a matrix has them."""
    weights, graph = Weights(np.dtype(np.float64), np.inf, np.inf), reedsp.Graph.from_edges(5, [0, 1], [1, 2])
    dist = np.arange(15.0).reshape(3, 5)
    matrix = HostRows(Job(device), weights, graph, dist, first=2)
    with matrix.rows_on_host(slice(3, 4)) as rows:
        np.testing.assert_array_equal(rows, dist[1:2])
        with pytest.raises(ValueError, match="read-only"):
            rows[:] = 0
    assert dist.flags.writeable
    assert matrix.vertices_on_negative_cycles().size == 0


def test_rows_of_a_dense_matrix() -> None:
    """Those of the same sparse one, as long as the graph has the matrix and no edges in compressed rows."""
    weights, n = Weights(np.dtype(np.float64), np.inf, np.inf), 6
    values = np.random.default_rng(3).integers(-2, 9, (n, n)).astype(np.float64)
    values[values == 1] = 0  # no edge
    sparse = as_graph(scipy.sparse.csr_array(values))
    rows = [np.empty((3, n)) for _ in range(2)]
    for graph, some in zip((as_graph(values), sparse), rows, strict=True):
        host_matrix.fill_rows(graph, weights, 2, some)
    np.testing.assert_array_equal(rows[0], rows[1])
    dense = as_graph(values)
    found, expected = (host_matrix.edges_from(graph, weights, slice(2, 5)) for graph in (dense, sparse))
    assert dense.dense is not None
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_cycles_that_rounding_makes_negative_on_the_host(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")
    n = 60
    u, v, weights, height = tree_both_ways(n, 3)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    exact = (height - height[:, None]).astype(np.float64)
    for predecessors in (False, True):
        paths = reedsp.apsp(graph, predecessors=predecessors, device=device, memory_limit=LITTLE)
        np.testing.assert_allclose(
            paths.dist, exact, rtol=0, atol=n * np.finfo(np.float64).eps * graph.simple_path_bound
        )
        assert not paths.dist.diagonal().any()
    assert paths.path(3, 40)[0] == 3


def test_sources_solved_anew_beside_a_negative_cycle(device: Device) -> None:
    """Without the cycle the rest of the graph may have whole weights only."""
    if not device.fp64:
        pytest.skip("the device has no doubles")
    n = 80
    u, v, weights, _ = tree_both_ways(n, 3)
    sources, targets = np.append(u, [n, n + 1, n, n + 2]), np.append(v, [n, n, 0, n + 3])
    graph = reedsp.Graph.from_edges(n + 4, sources, targets, np.append(weights, [-0.5, 1, 1, 3]))
    marked = reedsp.apsp(graph, negative_cycles="mark", predecessors=True, device=device, memory_limit=LITTLE)
    assert marked.dist[n + 1, n:].tolist() == [-np.inf, 0, np.inf, np.inf]
    assert marked.dist[n + 2, n:].tolist() == [np.inf, np.inf, 0, 3]


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, RuntimeError])
def test_78_82_an_interrupted_run_goes_on(interrupt: type[BaseException], device: Device, tmp_path: Path) -> None:
    graph, file = random_graph(1100, "whole"), tmp_path / "distances.npy"
    reported = []

    def stop(done: int, n: int) -> None:
        raise interrupt

    with pytest.raises(interrupt):
        reedsp.apsp(graph, device=device, out=file, progress=stop)
    assert [each.name for each in tmp_path.iterdir()] == ["distances.npy.partial"]
    with pytest.raises(ValueError, match=r"distances\.npy\.partial"):  # row 83
        reedsp.apsp(random_graph(1100, "whole", seed=2), device=device, out=file)
    paths = reedsp.apsp(graph, device=device, out=file, progress=lambda done, n: reported.append(done))
    assert np.array_equal(paths.dist, reedsp.apsp(graph, device=device).dist)
    assert reported[-1] == 1100
    assert [each.name for each in tmp_path.iterdir()] == ["distances.npy"]


@pytest.mark.parametrize(("weight", "dtype"), [(2**30, "int32"), (2**53 + 1, None)])
def test_a_call_in_another_type_goes_on_with_what_is_kept(
    weight: int, dtype: Any, device: Device, tmp_path: Path
) -> None:
    graph, file = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [weight, weight]), tmp_path / "distances.npy"
    for _ in range(2):
        with pytest.raises(
            (OverflowError, ValueError), match=r"; the solved matrix is kept in .*distances\.npy\.partial$"
        ):
            reedsp.apsp(graph, device=device, out=file, dtype=dtype)
        assert [each.name for each in tmp_path.iterdir()] == ["distances.npy.partial"]
    reported: list[int] = []
    paths = reedsp.apsp(graph, device=device, out=file, dtype="int64", progress=lambda done, n: reported.append(done))
    assert paths.dist[0].tolist() == [0, weight, 2 * weight]
    assert reported == []  # no path was relaxed again
    assert [each.name for each in tmp_path.iterdir()] == ["distances.npy"]


def test_85_existing_files_are_not_touched(device: Device, tmp_path: Path) -> None:
    graph = random_graph(10, "whole")
    for name in ("distances.npy", "distances.pred.npy"):
        existing = tmp_path / name
        existing.write_text("mine")
        with pytest.raises(FileExistsError, match=name):
            reedsp.apsp(graph, device=device, out=tmp_path / "distances.npy")
        assert existing.read_text() == "mine"
        existing.unlink()


def test_wrong_arguments(device: Device, tmp_path: Path) -> None:
    graph = random_graph(10, "whole")
    with pytest.raises(ValueError, match=r"out = '.*distances', expected the name of a \.npy file"):
        reedsp.apsp(graph, device=device, out=tmp_path / "distances")
    with pytest.raises(FileNotFoundError, match="missing"):
        reedsp.apsp(graph, device=device, out=tmp_path / "missing" / "distances.npy")
    with pytest.raises(ValueError, match="memory_limit = 0, expected a number of bytes"):
        reedsp.apsp(graph, device=device, memory_limit=0)
    with pytest.raises(ValueError, match="memory_limit: 1,000 bytes, but 10 vertices need"):
        reedsp.apsp(graph, device=device, memory_limit=1000)
    with pytest.raises(ValueError, match="device: the list is empty"):
        reedsp.apsp(graph, device=[])
    for method, options in (("min-plus", None), ("floyd-warshall", {"kernel": "katz-kider"})):
        with pytest.raises(ValueError, match="out, memory_limit and several devices: need method='floyd-warshall'"):
            reedsp.apsp(graph, method, device=device, memory_limit=LITTLE, options=options)
    assert list(tmp_path.iterdir()) == []


def test_a_limit_that_is_too_small_leaves_nothing(tmp_path: Path, device: reedsp.Device) -> None:
    graph = random_graph(40, "whole")
    with pytest.raises(ValueError, match=r"^memory_limit: 1,000 bytes, but 40 vertices need "):
        reedsp.apsp(graph, out=tmp_path / "x.npy", memory_limit=1000, device=device)
    assert list(tmp_path.iterdir()) == []
    large = reedsp.Graph.from_edges(2, [0], [1], [2**53 + 1])
    with pytest.raises(ValueError, match=r"dist\[0, 1\]"):
        reedsp.apsp(large, out=tmp_path / "x.npy", device=device)
    message = r"another problem's, delete .*x\.npy\.partial to start again, or choose another name"
    with pytest.raises(ValueError, match=message):
        reedsp.apsp(graph, out=tmp_path / "x.npy", device=device)


def test_01_no_vertices_need_no_device(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(0, [], [])
    for out in (None, tmp_path / "none.npy"):
        paths = reedsp.apsp(graph, predecessors=True, device="no such device", out=out)
        assert paths.dist.shape == paths.pred.shape == (0, 0)
        assert paths.stats.keys() == reedsp.apsp(reedsp.Graph.from_edges(1, [], [])).stats.keys()
        assert paths.stats["chosen_because"] == "there is nothing to solve"
    for name, dtype in (("none.npy", np.float64), ("none.pred.npy", np.int32)):
        stored = np.load(tmp_path / name)
        assert (stored.shape, stored.dtype) == ((0, 0), dtype)
    reedsp.apsp(graph, "floyd-warshall", out=tmp_path / "alone.npy")
    assert {each.name for each in tmp_path.iterdir()} == {"none.npy", "none.pred.npy", "alone.npy"}


def test_the_fingerprint_covers_all_that_decides() -> None:
    """Vertices, edges, weights, and the arithmetic: a checkpoint of another problem is not continued."""
    weights = Weights(np.dtype(np.int32), 2**31 - 1, 2**30, True)
    problems = [
        (reedsp.Graph.from_edges(n, sources, targets, values), arithmetic)
        for n, sources, targets, values, arithmetic in (
            (3, [0, 1], [1, 2], [5, 7], weights),
            (4, [0, 1], [1, 2], [5, 7], weights),
            (3, [0, 0], [1, 2], [5, 7], weights),
            (3, [0, 1], [2, 2], [5, 7], weights),
            (3, [0, 1], [1, 2], [5, 8], weights),
            (3, [0, 1], [1, 2], [5.0, 7.5], weights),
            (3, [0, 1], [1, 2], np.array([5.0, 7.5]).view(np.int64), weights),
            (3, [0, 1], [1, 2], [5, 7], Weights(np.dtype(np.float64), np.inf, np.inf, True)),
            (3, [0, 1], [1, 2], [5, 7], replace(weights, non_negative=False)),
        )
    ]
    prints = [fingerprint(*each) for each in problems]
    assert len(set(prints)) == len(prints)
    assert prints == [fingerprint(*each) for each in problems]
    again = reedsp.Graph.from_edges(3, [1, 0], [2, 1], [7, 5])
    assert fingerprint(again, weights) == prints[0]
