"""One rule for distances that the type of the result cannot hold: every method raises, and none for one that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from pyopencl import array as cl_array

import reedsp
from reedsp import csgraph
from reedsp.algorithms.all_pairs.lund_smith import LADDER
from reedsp.device.device import Device
from tests.support.deep_marks import near_far_in_work_groups

LARGEST = float(np.finfo(np.float64).max)
LARGEST32 = float(np.finfo(np.float32).max)
NONE = -9999
SSSP = ("near-far", "output-parallel", "input-parallel", "input-parallel-refined")
APSP = ("auto", "floyd-warshall", "min-plus", "johnson")


@dataclass(frozen=True)
class Chain:
    """Edges i -> i + 1 of these weights, and perhaps one from the first vertex to the last.

    Attributes
    ----------
    name : str
    weights : list
    dtype : str
        Of the distances.
    fits : bool
        Whether the type holds every distance.
    chord : optional
        The weight of the edge from the first vertex to the last.
    """

    name: str
    weights: list[Any]
    dtype: str
    fits: bool
    chord: Any = None

    @property
    def n(self) -> int:
        return len(self.weights) + 1

    @property
    def graph(self) -> reedsp.Graph:
        last = self.n - 1
        chord = [] if self.chord is None else [self.chord]
        u, v = [*range(last), *[0] * len(chord)], [*range(1, self.n), *[last] * len(chord)]
        return reedsp.Graph.from_edges(self.n, u, v, np.array([*self.weights, *chord]))

    @property
    def negative(self) -> bool:
        return min(self.weights) < 0

    @property
    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        """Distances and predecessors."""
        dtype = np.dtype(self.dtype)
        dist = np.full((self.n, self.n), np.iinfo(dtype).max if dtype.kind == "i" else np.inf, dtype)
        pred = np.full((self.n, self.n), NONE, np.int32)
        for source in range(self.n):
            total = type(self.weights[0])(0)
            dist[source, source] = 0
            for v in range(source + 1, self.n):
                total += self.weights[v - 1]
                if not (self.chord is not None and (source, v) == (0, self.n - 1)):
                    dist[source, v], pred[source, v] = total, v - 1
        if self.chord is not None:
            dist[0, -1], pred[0, -1] = self.chord, 0
        return dist, pred


FLOATS = [
    Chain("beyond float64", [1.5e308, 1.5e308], "float64", False),
    Chain("beyond float64 after more", [0.5, 1.5e308, 0.25, 1.5e308, 0.5], "float64", False),
    Chain("the largest float64", [LARGEST / 2, LARGEST / 2], "float64", True),
    Chain("rounded to the largest float64", [LARGEST, 0.5], "float64", True),
    Chain("beyond float64 by the long way", [1.5e308, 1.5e308], "float64", True, chord=0.5),
    Chain("beyond float32", [3e38, 3e38], "float32", False),
    Chain("within float64", [3e38, 3e38], "float64", True),
    Chain("the largest float32", [2.0**127, 2.0**127 - 2.0**104], "float32", True),
    Chain("fractions to the largest float32", [LARGEST32, 0.5], "float32", True),
]
INTEGERS = [
    Chain("beyond int64", [2**62, 2**62], "int64", False),
    Chain("what stands for no path in int64", [2**62, 2**62 - 1], "int64", False),
    Chain("the largest distance in int64", [2**62, 2**62 - 2], "int64", True),
    Chain("beyond int32", [2**30, 2**30], "int32", False),
    Chain("what stands for no path in int32", [2**30, 2**30 - 1], "int32", False),
    Chain("the largest distance in int32", [2**30, 2**30 - 2], "int32", True),
    Chain("beyond int64 by the long way", [2**62, 2**62], "int64", True, chord=5),
]
NEGATIVE = [
    Chain("below float64", [-1.5e308, -1.5e308], "float64", False),
    Chain("below float32", [-3e38, -3e38], "float32", False),
    Chain("below int64", [-(2**62), -(2**62), -1], "int64", False),
    Chain("below int32", [-(2**30), -(2**30), -1], "int32", False),
    Chain("beyond int64, within it with potentials", [-(2**60), 2**62, 2**62, 2**10], "int64", False),
    Chain("the least distance in int32", [-(2**30), -(2**30) + 1], "int32", True),
]
CHAINS = [*FLOATS, *INTEGERS, *NEGATIVE]
every_chain = pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.name)


def needs_doubles(chain: Chain, device: Device) -> None:
    if chain.dtype == "float64" and not device.fp64:
        pytest.skip("the device has no doubles")


def check(chain: Chain, solve: Callable[[], Any], refused: bool = False) -> None:
    """Check that there is an error, or the right distances, and predecessors if there are any."""
    if refused or not chain.fits:
        message = "are possible, which no type adds up" if chain.fits else None
        with pytest.raises(OverflowError, match=message):
            solve()
        return
    answer = solve()
    dist, pred = answer if isinstance(answer, tuple) else (answer, None)
    expected = chain.answer
    assert np.asarray(dist).dtype == chain.dtype
    assert np.asarray(dist).tolist() == expected[0][: len(dist)].tolist()
    assert pred is None or np.asarray(pred).tolist() == expected[1][: len(pred)].tolist()


def both(paths: Any) -> tuple[Any, Any]:
    return np.atleast_2d(paths.dist), np.atleast_2d(paths.pred)


@pytest.mark.deep("parallel", "beyond float64")
@near_far_in_work_groups("int64", "near-far-*in int32", "near-far-beyond int32")
@near_far_in_work_groups("int64 that ends at its limits", "near-far-*in int64", "near-far-beyond int64")
@near_far_in_work_groups("float32", "near-far-*float32")
@every_chain
@pytest.mark.parametrize("method", SSSP)
def test_one_source(chain: Chain, method: str, device: Device) -> None:
    needs_doubles(chain, device)
    if method == "near-far" and chain.negative:
        return
    graph, every = chain.graph, list(range(chain.n))
    options = [{"work_groups": each} for each in (False, True)] if method == "near-far" else [{}]
    for each in options:
        more = {"dtype": chain.dtype, "device": device, "options": each}
        check(chain, lambda more=more: both(reedsp.sssp(graph, every, method, **more)))
        if not chain.negative:
            check(chain, lambda more=more: both(reedsp.sssp(graph, every, method, cutoff=np.inf, **more)))


def matrix_refuses(chain: Chain, method: str) -> bool:
    """Return whether a matrix has no type for every weight that a path could have, whatever the distances are."""
    too_large = chain.graph.simple_path_bound >= 2**61 and not chain.dtype.startswith("float")
    return method in ("floyd-warshall", "min-plus") and too_large


@pytest.mark.deep("auto", "johnson", "floyd")
@every_chain
@pytest.mark.parametrize("method", APSP)
def test_all_pairs(chain: Chain, method: str, device: Device, tmp_path: Path) -> None:
    needs_doubles(chain, device)
    graph, more = chain.graph, {"dtype": chain.dtype, "device": device}
    if chain.negative and chain.dtype.startswith("float") and method == "johnson" and not graph.has_integral_weights:
        return
    refuses = matrix_refuses(chain, method)
    check(chain, lambda: both(reedsp.apsp(graph, method, True, **more)), refuses)
    check(chain, lambda: reedsp.apsp(graph, method, **more).dist, refuses)
    place = np.empty((chain.n, chain.n), chain.dtype)
    check(chain, lambda: reedsp.apsp(graph, method, out=place, **more).dist, refuses)
    if method not in ("auto", "floyd-warshall"):
        return
    refuses = matrix_refuses(chain, "floyd-warshall")
    check(chain, lambda: both(reedsp.apsp(graph, method, True, memory_limit=1 << 24, **more)), refuses)
    for predecessors_too in (False, True):
        file = tmp_path / f"{predecessors_too}.npy"

        def solve(predecessors_too: bool = predecessors_too, file: Path = file) -> Any:
            paths = reedsp.apsp(graph, method, predecessors_too, out=file, **more)
            return both(paths) if predecessors_too else paths.dist

        check(chain, solve, refuses)
        if chain.dtype.startswith("float") and not chain.fits:
            assert list(tmp_path.iterdir()) == []  # nothing that the next call would stumble over


@pytest.mark.deep
@pytest.mark.parametrize("chain", FLOATS, ids=lambda chain: chain.name)
@pytest.mark.parametrize("kernel", LADDER)
def test_every_floyd_warshall(chain: Chain, kernel: str, device: Device) -> None:
    needs_doubles(chain, device)
    options = {"kernel": kernel}
    more = {"dtype": chain.dtype, "device": device, "options": options}
    check(chain, lambda: both(reedsp.apsp(chain.graph, "floyd-warshall", True, **more)))


@pytest.mark.deep("below float32", "beyond int64")
@every_chain
def test_rows_and_tables(chain: Chain, device: Device) -> None:
    needs_doubles(chain, device)
    graph, more, every = chain.graph, {"dtype": chain.dtype, "device": device}, list(range(chain.n))
    check(chain, lambda: np.concatenate([rows for _, rows in reedsp.all_pairs_rows(graph, **more)]))
    check(chain, lambda: reedsp.distance_table(graph, every, every, **more))

    def to_the_last() -> Any:
        return reedsp.distance_table(graph, every, [chain.n - 1], **more)

    def nearest() -> Any:
        return reedsp.k_nearest(graph, every, chain.n, **more).dist

    if chain.fits:
        assert to_the_last()[:, 0].tolist() == chain.answer[0][:, -1].tolist()
        off_diagonal = [np.delete(row, source) for source, row in enumerate(chain.answer[0])]
        assert nearest()[:, :-1].tolist() == [sorted(row.tolist()) for row in off_diagonal]
    else:
        for solve in (to_the_last, nearest):
            with pytest.raises(OverflowError):
                solve()


@pytest.mark.parametrize("chain", [*FLOATS, *INTEGERS], ids=lambda chain: chain.name)
def test_distances_that_stay_on_the_device(chain: Chain, device: Device) -> None:
    """In the type that the device adds in, which for whole numbers is int64 where int32 would not do."""
    needs_doubles(chain, device)
    every = list(range(chain.n))

    def solve() -> Any:
        return reedsp.distances_on_device(chain.graph, every, dtype=chain.dtype, device=device).get()

    if chain.dtype == "int32":
        assert solve()[0, -1] == sum(chain.weights)
    else:
        check(chain, solve)


@pytest.mark.deep("within float64", "beyond int32")
@every_chain
def test_all_pairs_that_stay_on_the_device(chain: Chain, device: Device) -> None:
    """Of a graph, and of a matrix that is on the device."""
    needs_doubles(chain, device)
    matrix = cl_array.to_device(device.queue, chain.graph.to_scipy().toarray())
    for given in (chain.graph, matrix):

        def solve(given: Any = given) -> Any:
            return reedsp.all_pairs_on_device(given, dtype=chain.dtype, device=device).get()

        if chain.dtype == "int32":
            assert solve()[0, -1] == sum(chain.weights)
        else:
            check(chain, solve, matrix_refuses(chain, "floyd-warshall"))


@every_chain
def test_simple_paths(chain: Chain, device: Device) -> None:
    if not device.fp64 or chain.negative:
        return
    last = chain.n - 1

    def solve() -> Any:
        return reedsp.yen(chain.graph, 0, last, 1, dtype=chain.dtype, device=device).dist.tolist()

    if chain.fits:
        assert solve() == [chain.answer[0][0, -1]]
    else:
        with pytest.raises(OverflowError):
            solve()


def test_the_second_simple_path_may_be_beyond(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")
    chain = next(each for each in FLOATS if each.name == "beyond float64 by the long way")
    assert reedsp.yen(chain.graph, 0, 2, 1, device=device).dist.tolist() == [0.5]
    with pytest.raises(OverflowError, match=r"^dist\[1\] is beyond float64$"):
        reedsp.yen(chain.graph, 0, 2, 2, device=device)


@pytest.mark.deep("beyond float64")
@pytest.mark.parametrize("chain", [each for each in CHAINS if each.dtype == "float64"], ids=lambda chain: chain.name)
def test_in_place_of_scipy(chain: Chain, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_doubles(chain, device)
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    matrix = scipy.sparse.csr_array(chain.graph.to_scipy())
    every = list(range(chain.n))
    calls: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (csgraph.johnson, {}),
        (csgraph.johnson, {"indices": every}),
        (csgraph.floyd_warshall, {}),
        (csgraph.bellman_ford, {}),
        (csgraph.bellman_ford, {"indices": every}),
        (csgraph.shortest_path, {}),
    ]
    if not chain.negative:
        calls += [(csgraph.dijkstra, {}), (csgraph.dijkstra, {"indices": every})]
    for function, given in calls:
        check(chain, lambda function=function, given=given: function(matrix, **given))
        check(chain, lambda function=function, given=given: function(matrix, return_predecessors=True, **given))


def test_a_limit_leaves_out_what_is_beyond(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")
    chain = FLOATS[0]
    assert reedsp.sssp(chain.graph, 0, cutoff=1.6e308, device=device).dist.tolist() == [0, 1.5e308, np.inf]
    assert reedsp.sssp(chain.graph, 0, cutoff=LARGEST, device=device).dist.tolist() == [0, 1.5e308, np.inf]


@pytest.mark.parametrize("method", ["floyd-warshall", "min-plus"])
def test_vertices_have_their_names(method: str, device: Device) -> None:
    """Where a vertex cannot be named, none is: the graph that is looked through for negative cycles has one more."""

    def chain(weight: float) -> reedsp.Graph:
        return reedsp.Graph.from_edges(3, [0, 1], [1, 2], [weight, weight], labels=["a", "b", "c"])

    with pytest.raises(OverflowError, match=r"^graph: the weight of a path is below int64$"):
        reedsp.apsp(chain(-(2**62) - 5), method, device=device, dtype="int64")
    if device.fp64:
        with pytest.raises(OverflowError, match=r"^graph: the weight of a path is below float64$"):
            reedsp.apsp(chain(-1.5e308), method, device=device)
        with pytest.raises(OverflowError, match=r"^a distance from vertex 'a' is beyond float64$"):
            reedsp.apsp(chain(1.5e308), method, device=device)


@pytest.mark.parametrize("method", ["floyd-warshall", "min-plus"])
def test_matrices_say_which_vertex_it_is(method: str, device: Device) -> None:
    """Wherever it is, among pairs without a path, and beside finite distances of any size."""
    if not device.fp64:
        pytest.skip("the device has no doubles")
    n = 75
    rng = np.random.default_rng(5)
    for source in (0, 1, 7, 8, n // 2, n - 1):
        others = np.setdiff1d(np.arange(n), [source])
        middle, last = rng.choice(others, 2, replace=False)
        u, v = rng.choice(np.setdiff1d(others, [middle, last]), (2, n))
        graph = reedsp.Graph.from_edges(n, [*u, source, middle], [*v, middle, last], [*rng.random(n), 1.5e308, 1.5e308])
        for limit in (None, 1 << 24) if method == "floyd-warshall" else (None,):
            with pytest.raises(OverflowError, match=f"^a distance from vertex {source} is beyond float64$"):
                reedsp.apsp(graph, method, device=device, memory_limit=limit)
        right = graph.weights.copy()
        right[right > 1] = 8e307
        held = reedsp.apsp(reedsp.Graph(graph.indptr, graph.indices, right), method, device=device)
        assert held.dist[source, last] == 1.6e308


@pytest.mark.parametrize("method", ["near-far", "output-parallel", "input-parallel", "input-parallel-refined"])
def test_a_cutoff_at_the_edge_of_int64(method: str, device: reedsp.Device) -> None:
    """What stands for no path in int64 is left out by a smaller cutoff, and raises under one that is as large."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**62, 2**62 - 1])
    edge = 2**63 - 1
    found = reedsp.sssp(graph, 0, method, cutoff=edge - 1, dtype="int64", device=device)
    assert found.dist.tolist() == [0, 2**62, edge]
    assert found.pred.tolist() == [-9999, 0, -9999]
    with pytest.raises(OverflowError):
        reedsp.sssp(graph, 0, method, cutoff=edge, dtype="int64", device=device)
