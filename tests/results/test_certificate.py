"""Results are checked against the graph: right ones pass, and each wrong one is caught, with the vertex named."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

import reedsp
from reedsp import Graph
from reedsp.results import certificate, files
from reedsp.results.files import Stored
from tests.cli.running import run


def stored(
    dist: Any, pred: Any = None, sources: list[list[int]] | None = None, cutoff: float | None = None, **more: Any
) -> Stored:
    nothing = np.empty((0, 0), bool)
    rows = np.atleast_2d(dist)
    starts = sources if sources is not None else [[0]]
    tree = None if pred is None else np.atleast_2d(pred)
    return Stored(starts, rows, nothing, nothing, tree, cutoff=cutoff, **more)


def truth(graph: Graph) -> tuple[Any, Any]:
    """Return distances and predecessors from vertex 0, as SciPy finds them; its zero weights are edges."""
    dist, pred = scipy.sparse.csgraph.bellman_ford(graph.to_scipy(), indices=0, return_predecessors=True)
    return dist, pred


@st.composite
def graphs(draw: Any) -> Graph:
    n = draw(st.integers(2, 9))
    whole = draw(st.booleans())
    weights = st.integers(0, 4) if whole else st.sampled_from([0.1, 0.3, 2.7, 1e-9, 1e9])
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex, weights), min_size=1, max_size=25))
    return Graph.from_edges(n, *map(list, zip(*edges, strict=True)))


@settings(max_examples=150)
@given(graph=graphs(), data=st.data())
def test_right_results_pass_and_changed_ones_do_not(graph: Graph, data: st.DataObject) -> None:
    dist, pred = truth(graph)
    assert certificate.check(graph, stored(dist, pred)) == 1
    assert certificate.check(graph, stored(dist)) == 1
    vertex = data.draw(st.integers(0, graph.n - 1))
    changed = dist.copy()
    changed[vertex] = data.draw(
        st.sampled_from([np.inf, -np.inf, np.nan, -1.0, 5e9] + ([dist[vertex] + 1] if dist[vertex] < np.inf else []))
    )
    if not np.array_equal(changed, dist):
        with pytest.raises(reedsp.VerificationError, match=r"^vertex \d+: "):
            certificate.check(graph, stored(changed))
        with pytest.raises(reedsp.VerificationError, match=r"^vertex \d+: "):
            certificate.check(graph, stored(changed, pred))


@settings(max_examples=150)
@given(graph=graphs(), data=st.data())
def test_changed_predecessors_are_wrong_unless_they_also_fit(graph: Graph, data: st.DataObject) -> None:
    dist, pred = truth(graph)
    vertex = data.draw(st.integers(0, graph.n - 1))
    changed = pred.copy()
    changed[vertex] = data.draw(st.sampled_from([-9999, -1, graph.n, *range(graph.n)]))
    weight = {(u, v): graph.weights[e] for u in range(graph.n) for e, v in in_row(graph, u)}
    route, seen = vertex, set()
    while route not in seen and 0 <= changed[route] < graph.n:  # from the changed vertex back to the source
        seen.add(route)
        route = int(changed[route])
    before = int(changed[vertex])
    fits = (before, vertex) in weight and np.isclose(dist[before] + weight[before, vertex], dist[vertex], 1e-15, 0)
    right = changed[vertex] == pred[vertex] or (fits and route == 0 and vertex != 0 and route not in seen)
    if right:
        certificate.check(graph, stored(dist, changed))
    else:
        with pytest.raises(reedsp.VerificationError):
            certificate.check(graph, stored(dist, changed))


def in_row(graph: Graph, u: int) -> list[tuple[int, int]]:
    return [(e, int(graph.indices[e])) for e in range(graph.indptr[u], graph.indptr[u + 1])]


def test_cycle_of_zero_weights_supports_nothing() -> None:
    """Distances that only support one another are no paths, though every edge fits."""
    graph = Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 1, 3], [5, 0, 0, 1])
    wrong = np.array([0.0, 4, 4, 1])
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 1: no path gives its distance 4"):
        certificate.check(graph, stored(wrong))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 1: its predecessors do not lead back to a source$"):
        certificate.check(graph, stored(wrong, [-9999, 2, 1, 0]))


def test_sums_beyond_int64_do_not_wrap() -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [2**63 - 1, 2**63 - 1])
    row = np.array([0, 2**63 - 1, -2], np.int64)  # which is what wraps
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: .* gives 18446744073709551614$"):
        certificate.check(graph, _with_masks(row, [-9999, 0, 1]))


def _with_masks(row: Any, pred: Any = None) -> Stored:
    tree = None if pred is None else np.atleast_2d(pred)
    return Stored([[0]], np.atleast_2d(row), np.ones((1, len(row)), bool), np.zeros((1, len(row)), bool), tree)


def test_large_whole_weights_are_compared_exactly() -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [2**60 + 1, 1])
    certificate.check(graph, _with_masks(np.array([0, 2**60 + 1, 2**60 + 2])))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: "):
        certificate.check(graph, _with_masks(np.array([0, 2**60 + 1, 2**60 + 3])))


def test_a_search_that_stopped_at_a_vertex() -> None:
    """What is farther away than that vertex may be missing, but nothing else."""
    graph = Graph.from_edges(5, [0, 1, 0, 3], [1, 2, 3, 4], [3, 2, 4, 5])
    inf = np.inf
    certificate.check(graph, stored(np.array([0, 3, inf, 4, inf]), stopped_at=3))
    rows = np.array([[0, 3, inf, 4, inf], [inf, 0, 2, inf, inf]])
    certificate.check(graph, stored(rows, None, [[0], [1]], stopped_at=3))
    certificate.check(graph, stored(np.array([0, 3, inf, inf, inf]), cutoff=3, stopped_at=3))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: it has no distance, but .* gives 5"):
        certificate.check(graph, stored(np.array([0, 3, inf, 4, 9]), stopped_at=4))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 3: its distance 4 is beyond the cutoff 3"):
        certificate.check(graph, stored(np.array([0, 3, inf, 4, inf]), stopped_at=1))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: it has no distance"):
        certificate.check(graph, stored(np.array([0, 3, inf, inf, inf]), stopped_at=3))


@pytest.mark.parametrize(("cutoff", "dist"), [(3, [0, 3, np.inf]), (2.5, [0, np.inf, np.inf]), (None, [0, 3, 5])])
def test_cutoff(cutoff: float | None, dist: list[float]) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [3, 2])
    certificate.check(graph, stored(np.array(dist, float), cutoff=cutoff))
    if cutoff is not None:
        with pytest.raises(reedsp.VerificationError):
            certificate.check(graph, stored(np.array(dist, float)))
        with pytest.raises(reedsp.VerificationError, match="beyond the cutoff"):
            certificate.check(graph, stored(np.array([0, 3.0, 5]), cutoff=cutoff))


def floyd_warshall(graph: Graph) -> Any:
    """Distances in Python numbers, -inf where a path can pass a negative cycle."""
    n = graph.n
    dist = [[0.0 if u == v else np.inf for v in range(n)] for u in range(n)]
    for u in range(n):
        for edge, v in in_row(graph, u):
            dist[u][v] = min(dist[u][v], float(graph.weights[edge]))
    for k in range(n):
        for u in range(n):
            for v in range(n):
                dist[u][v] = min(dist[u][v], dist[u][k] + dist[k][v])
    on_cycle = [k for k in range(n) if dist[k][k] < 0]
    for u in range(n):
        for v in range(n):
            if any(dist[u][k] < np.inf and dist[k][v] < np.inf for k in on_cycle):
                dist[u][v] = -np.inf
    return np.array(dist)


@pytest.mark.parametrize("seed", range(25))
def test_matrices_with_marked_negative_cycles(seed: int) -> None:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, 7, (2, 11))
    graph = Graph.from_edges(7, *ends, generator.integers(-2, 6, 11))
    dist = floyd_warshall(graph)
    rows = [[vertex] for vertex in range(7)]
    assert certificate.check(graph, stored(dist, sources=rows)) == 7
    choose = random.Random(seed)
    for _ in range(10):
        changed = dist.copy()
        place = choose.randrange(7), choose.randrange(7)
        changed[place] = choose.choice([np.inf, -np.inf, 3.0, -1.0])
        if not np.array_equal(changed, dist):
            with pytest.raises(reedsp.VerificationError, match=r"vertex \d: "):
                certificate.check(graph, stored(changed, sources=rows))


SMALL = [-4.045744609472885, 9.980385304571456, -5.934640695098572]  # -8.9e-16 in all, 0.0 if added up another way


@pytest.mark.parametrize("weights", [SMALL, [-1e-16, -5e-17]])
def test_negative_cycles_of_small_weight(weights: list[float], device: reedsp.Device) -> None:
    n = len(weights)
    graph = Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, weights)
    assert reedsp.apsp(graph, negative_cycles="mark", device=device).verify()
    assert certificate.check(graph, stored(np.full((n, n), -np.inf), sources=[[vertex] for vertex in range(n)])) == n


@pytest.mark.parametrize("weights", [[1, 2, -3], [0.1, 0.2, -0.3], [1e16, 1.0, 1.0, -1e16 - 2]])
def test_cycles_that_are_not_negative_are_not_marked(weights: list[float]) -> None:
    n = len(weights)
    graph = Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, weights)
    with pytest.raises(reedsp.VerificationError, match="its component has no negative cycle"):
        certificate.check(graph, stored(np.full((n, n), -np.inf), sources=[[vertex] for vertex in range(n)]))


# ---- files and the command --------------------------------------------------------------------------


@pytest.fixture(params=["whole", "fractions", "labels", "negative"])
def graph_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    generator = np.random.default_rng(4)
    ends = generator.integers(0, 60, (2, 200))
    if request.param == "negative":
        ends = ends[:, ends[0] < ends[1]]
    low = -5 if request.param == "negative" else 0
    weights: Any = generator.integers(low, 40, ends.shape[1])
    if request.param == "fractions":
        weights = generator.random(ends.shape[1])
    labels = [10 * vertex + 3 for vertex in range(60)] if request.param == "labels" else None
    file = tmp_path / f"graph{'.wel' if labels else '.gr'}"
    if labels:
        ends = np.hstack((ends, [range(60), range(60)]))
        weights = np.append(weights, np.ones(60, int))
    reedsp.write(Graph.from_edges(60, *ends, weights, labels=labels, offset=0 if labels else 1), file)
    return file


def options_of(file: Path) -> tuple[list[str], list[str]]:
    """Return the options with which a file is read, and the names of three vertices."""
    return (["--relabel"], ["3", "53", "103"]) if file.suffix == ".wel" else ([], ["1", "6", "11"])


@pytest.mark.deep(".npz")
@pytest.mark.parametrize("kind", [".csv", ".npz"])
@pytest.mark.parametrize("command", ["sssp", "bfs", "several", "nearest", "cutoff"])
def test_what_commands_write_is_verified(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path, kind: str, command: str
) -> None:
    read, names = options_of(graph_file)
    result = tmp_path / f"result{kind}"
    starts = [f"--source={name}" for name in (names if command in ("several", "nearest") else names[:1])]
    more = {"nearest": ["--nearest"], "cutoff": ["--cutoff", "20.5"]}.get(command, [])
    name = "bfs" if command == "bfs" else "sssp"
    status, _, err = run(capsys, name, graph_file, *starts, *more, *read, "--output", result)
    if command in ("nearest", "cutoff") and reedsp.read(graph_file).has_negative_weights:
        assert status == 1
        return
    assert (status, err) == (0, "")
    limit = ["--cutoff", "20.5"] if command == "cutoff" and kind == ".csv" else []
    status, out, err = run(capsys, "verify", graph_file, result, *starts, *limit, *read)
    assert (status, err) == (0, "")
    assert f"verified  {result}: {'levels' if command == 'bfs' else 'distances'} and predecessors" in out
    answer = json.loads(run(capsys, "verify", graph_file, result, *limit, *read, "--json")[1])
    assert (answer["right"], answer["wrong"]) == (True, None)
    assert answer["rows"] == (3 if command == "several" else 1)
    if kind == ".npz":
        graph = reedsp.read(graph_file, relabel="--relabel" in read)
        loaded = reedsp.load(result, graph)
        search = reedsp.bfs if command == "bfs" else reedsp.sssp
        again = search(
            graph, loaded.source, **{"nearest": {"min_only": True}, "cutoff": {"cutoff": 20.5}}.get(command, {})
        )
        assert np.array_equal(np.asarray(loaded), np.asarray(again))
        assert np.array_equal(loaded.pred, again.pred)
        assert loaded.verify()


@pytest.mark.parametrize("kind", [".npy", ".npz"])
@pytest.mark.parametrize("predecessors", [False, True])
def test_matrices_are_verified(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path, kind: str, predecessors: bool
) -> None:
    read, _ = options_of(graph_file)
    result = tmp_path / f"result{kind}"
    asked = ["--predecessors"] if predecessors else []
    assert run(capsys, "apsp", graph_file, "--output", result, *asked, *read)[0] == 0
    status, out, err = run(capsys, "verify", graph_file, result, *read)
    assert (status, err) == (0, "")
    what = "distances and predecessors" if predecessors else "distances"
    assert f"verified  {result}: {what} from 60 vertices are right for every edge" in out
    if kind == ".npz":
        graph = reedsp.read(graph_file, relabel="--relabel" in read)
        again = reedsp.apsp(graph, predecessors=predecessors)
        loaded = reedsp.load(result, graph)
        assert np.array_equal(loaded.dist, again.dist)
        assert predecessors == (loaded.pred is not None and np.array_equal(loaded.pred, again.pred))


@pytest.mark.parametrize("method", ["floyd-warshall", "min-plus"])
@pytest.mark.parametrize("negative", [False, True])
def test_matrices_add_in_any_order(method: Any, negative: bool, tmp_path: Path) -> None:
    """A search adds from its source on; the same tolerance would refuse long paths, and small sums of large weights."""
    n, rng = 200, np.random.default_rng(2)
    heights = 1e3 * rng.random(n) if negative else np.zeros(n)
    tails, heads = np.append(np.arange(n - 1), rng.integers(0, n, n)), np.append(np.arange(1, n), rng.integers(0, n, n))
    graph = Graph.from_edges(n, tails, heads, rng.random(2 * n - 1) + 0.01 + heights[heads] - heights[tails])
    assert graph.has_negative_weights == negative
    found = reedsp.apsp(graph, method)
    found.save(tmp_path / "x.npz")
    stored = files.load(tmp_path / "x.npz", graph)
    assert certificate.check(graph, stored) == n
    for change in (1e-6, -1e-6):
        wrong = found.dist.copy()
        wrong[3, 150] += change
        with pytest.raises(reedsp.VerificationError):
            certificate.check(graph, dataclasses.replace(stored, dist=wrong))


CHAIN = 300
FAR_ROAD = (
    [*range(CHAIN - 1), 0],
    [*range(1, CHAIN), CHAIN - 1],
    [-0.5, *[1.5] * (CHAIN - 2), 1e12],  # along a line, and one road that no shortest path takes
)


@pytest.mark.parametrize("predecessors", [False, True])
@pytest.mark.parametrize(
    ("edges", "pair", "wrong"),
    [
        (FAR_ROAD, (0, CHAIN - 1), 456.5),
        (([0, 1, 0], [1, 2, 2], [1e300, -1.5, 2.5]), (0, 2), 5e284),
        (([0, 1, 2], [1, 2, 3], [-1e300, 1.5, 2.5]), (1, 2), 100.0),
        (([0, 0, 2], [1, 2, 3], [1e308, -0.5, 1.5]), (0, 3), 4.0),
        (([0, 1, 2, 4, 5], [1, 2, 3, 5, 4], [-1e300, 1.5, 2.5, 1.0, 1.5]), (1, 2), 1e200),  # and a cycle elsewhere
        (([0, 1, 1, 2, 4, 5], [1, 0, 2, 3, 5, 4], [-1e300, 2e300, 1.5, 2.5, 1.0, 1.5]), (1, 2), 1e200),  # or two
    ],
)
def test_a_large_weight_that_is_on_no_way_allows_for_nothing(
    edges: Any, pair: tuple[int, int], wrong: float, predecessors: bool, device: reedsp.Device
) -> None:
    graph = Graph.from_edges(max(edges[1]) + 1, *edges)
    found = reedsp.apsp(graph, predecessors=predecessors, device=device)
    assert found.verify()
    found.dist[pair] = wrong
    with pytest.raises(reedsp.VerificationError, match=f"^from {pair[0]}: vertex {pair[1]}: "):
        found.verify()


def test_a_negative_cycle_elsewhere_allows_for_nothing(device: reedsp.Device) -> None:
    graph = Graph.from_edges(6, [0, 1, 2, 4, 5], [1, 2, 3, 5, 4], [-1e300, 1.5, 2.5, -1.0, 0.5])
    found = reedsp.apsp(graph, "floyd-warshall", negative_cycles="mark", device=device)
    assert found.verify()
    found.dist[1, 2] = 1e200
    with pytest.raises(reedsp.VerificationError, match=r"^from 1: vertex 2: "):
        found.verify()


def test_a_large_weight_on_the_way_allows_for_its_rounding() -> None:
    """0.1 is what is left of 1e9 + 0.1 - 1e9, and the way through 1 ends at 3; the one through 2 has no large sum."""
    graph = Graph.from_edges(5, [0, 1, 2, 3], [1, 3, 4, 4], [1e9 + 0.1, -1e9, 0.5, 0.25])
    inf, off = np.inf, 1e9 + 0.1 - 1e9 + 1e-7
    rows = [[0, 1e9 + 0.1, inf, off, off + 0.25], [inf, 0, inf, -1e9, -1e9 + 0.25], [inf, inf, 0, inf, 0.5]]
    dist = np.array([*rows, [inf, inf, inf, 0, 0.25], [inf, inf, inf, inf, 0]])
    starts = [[vertex] for vertex in range(5)]
    assert certificate.check(graph, stored(dist, sources=starts, any_order=True)) == 5
    for place in ((2, 4), (3, 4)):
        wrong = dist.copy()
        wrong[place] += 1e-7
        with pytest.raises(reedsp.VerificationError, match=f"^from {place[0]}: vertex 4: "):
            certificate.check(graph, stored(wrong, sources=starts, any_order=True))


@pytest.mark.deep("min", "floyd-warshall-3", "floyd-warshall-2")
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("method", ["floyd-warshall", "min-plus"])
def test_whatever_matrices_round_is_allowed_for(method: Any, seed: int, device: reedsp.Device) -> None:
    """Large weights cancel each other out, on cycles that weigh little or nothing, too, where potentials are added."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 70))
    tails, heads = rng.integers(0, n, (2, 3 * n))
    heights = rng.choice([0.1, -0.3, 1e5 + 0.7, 10.0 ** rng.integers(0, 12)], n)
    weights = np.where(rng.random(3 * n) < 0.5, 0, rng.choice([0.1, 1e-9])) + (heights[tails] - heights[heads])
    for dtype in ("float64", "float32"):
        try:
            found = reedsp.apsp(Graph.from_edges(n, tails, heads, weights), method, dtype=dtype, device=device)
        except reedsp.NegativeCycleError:  # as the weights were rounded, too
            continue
        assert found.verify()


def test_potentials_are_rounded_where_no_distance_says_so(device: reedsp.Device) -> None:
    """Distances to 72 have cancelled to nothing, and still the potential that they were found with was rounded."""
    tails, heads = (
        [49, 42, 108, 55, 32, 121, 85, 39, 92, 72, 85, 96],
        [85, 49, 92, 42, 96, 67, 32, 121, 55, 67, 108, 49],
    )
    large = [99999999899999.39, 100000000000003.3, -100000000000333.23, -100000000000003.2]
    weights = [-329.9333333333333, 0.1, large[0], 100334.03333333333, 100000.59999999999, large[1]]
    weights += [-100003.9, large[2], 0.0, 0.1, large[3], 333.53333333333336]
    graph = Graph.from_edges(125, tails, heads, weights)
    assert reedsp.apsp(graph, "floyd-warshall", dtype="float32", device=device).verify()


def test_what_fits_by_itself_needs_no_look_at_what_is_on_the_way(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a large negative weight that is nearly everywhere on no way makes a check take n^3 steps."""
    rng, n = np.random.default_rng(1), 60
    tails, heads = np.append(rng.integers(1, n, (2, 5 * n)), [[0], [1]], axis=1)
    found = reedsp.apsp(Graph.from_edges(n, tails, heads, np.append(rng.random(5 * n), -1e15)), device=device)
    monkeypatch.setattr(certificate._Sums, "on_the_way", lambda *_: pytest.fail("it is looked at"))
    assert found.verify()


@pytest.mark.parametrize("weights", [[1e-50, 3.7e-50], [1.5e-42, 5.55e-42], [1.3e-45, 4.8e-45], [1e-39, 3.7e-39]])
@pytest.mark.parametrize("predecessors", [False, True])
def test_weights_below_the_normal_numbers_of_float32(
    weights: list[float], predecessors: bool, device: reedsp.Device
) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], weights)
    found = reedsp.apsp(graph, dtype="float32", predecessors=predecessors, device=device)
    assert found.verify()
    found.dist[0, 2] += np.float32(0.01) * found.dist[0, 2] + np.float32(1e-44)
    with pytest.raises(reedsp.VerificationError, match=r"^from 0: vertex 2: "):
        found.verify()


def test_few_edges_of_a_dense_matrix_are_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each row all edges are added to once, and only those that give about the distance are read by their index."""
    n, looked_at, real = 250, 0, certificate._Row._excess

    def counted(self: Any, edge: Any) -> Any:
        nonlocal looked_at
        looked_at += len(edge)
        return real(self, edge)

    monkeypatch.setattr(certificate._Row, "_excess", counted)
    assert reedsp.apsp(np.random.default_rng(0).random((n, n))).verify()
    assert n * n <= looked_at <= 5 * n * n  # a row has as many edges


def test_three_numbers_near_the_limit_of_int64() -> None:
    """The edge from 1 gives far more than the distance of 2, and the difference is beyond int64."""
    large = 2**62 - 1
    graph = Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [large, large, -large])
    assert certificate.check(graph, _with_masks(np.array([0, large, -large]), [-9999, 0, 0])) == 1


def test_whole_floats_that_are_added_as_floats() -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [2.0**53, 1.0])
    dist = reedsp.sssp(graph, 0).dist
    stored = files.Stored([[0]], dist[None], np.empty((0, 0), bool), np.empty((0, 0), bool), None)
    assert certificate.check(graph, stored) == 1


def test_a_source_that_is_given_twice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.wel").write_text("0 1 0.5\n1 2 0.25\n2 0 1\n")
    result = tmp_path / "d.csv"
    assert run(capsys, "sssp", tmp_path / "g.wel", "-s", "2", "-s", "0", "-s", "2", "--output", result)[0] == 0
    assert run(capsys, "verify", tmp_path / "g.wel", result)[0] == 0
    lines = result.read_text().splitlines()
    (tmp_path / "again.csv").write_text("\n".join([*lines[:5], lines[2], *lines[5:]]) + "\n")
    status, _, error = run(capsys, "verify", tmp_path / "g.wel", tmp_path / "again.csv")
    assert status == 1
    assert "a second line for the same vertex" in error


def test_a_vertex_that_comes_twice_where_there_is_one_source(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "g.wel").write_text("1 2 5\n")
    (tmp_path / "d.csv").write_text("vertex,distance,predecessor\n0,inf,\n1,0,\n2,5,1\n0,inf,\n1,0,\n2,5,1\n")
    status, _, error = run(capsys, "verify", tmp_path / "g.wel", tmp_path / "d.csv")
    assert status == 1
    assert f"{tmp_path / 'd.csv'}:5: a second line for the same vertex" in error


SMALL = "p sp 6 7\na 1 2 7\na 1 3 2\na 3 2 3\na 2 4 1\na 3 4 8\na 4 5 1\na 6 1 1\n"
CSV = "vertex,distance,predecessor\n1,0,\n2,5,3\n3,2,1\n4,6,2\n5,7,4\n6,inf,\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2,5,3", "2,6,3", "vertex 2: its distance is 6, but the edge from 3 of weight 3 gives 5"),
        ("2,5,3", "2,4,3", "vertex 2: its distance is 4, but the edge from 3 of weight 3 gives 5"),
        ("2,5,3", "2,7,1", "vertex 2: its distance is 7, but the edge from 3 of weight 3 gives 5"),
        ("2,5,3", "2,5,6", "vertex 2: there is no edge to it from its predecessor 6"),
        ("2,5,3", "2,5,5", "vertex 2: there is no edge to it from its predecessor 5"),
        ("2,5,3", "2,5.5,3", "vertex 2: its distance 5.5 is not whole"),
        ("5,7,4", "5,inf,", "vertex 5: it has no distance, but the edge from 4 of weight 1 gives 7"),
        ("5,7,4", "5,inf,4", "vertex 5: it has a predecessor, though it has no distance"),
        ("5,7,4", "5,-inf,4", "vertex 5: its distance is -inf"),
        ("6,inf,", "6,9,5", "vertex 6: there is no edge to it from its predecessor 5"),
        ("1,0,", "1,1,", "vertex 1: it is a source, but its distance is not 0"),
        ("1,0,", "1,0,6", "0 vertices have a distance but no predecessor, where one source is expected"),
        ("6,inf,", "6,1,", "2 vertices have a distance but no predecessor, where one source is expected"),
        ("5,7,4\n", "", "vertex 5 is missing: only the distances of all vertices together can be checked"),
        ("5,7,4\n", "5,7,4\n5,7,4\n", ":7: a second line for the same vertex"),
        ("5,7,4", "7,7,4", ":6: '7' is not a vertex of this graph"),
        ("5,7,4", "5,x,4", ":6: expected a distance, got 'x'"),
        ("5,7,4", "5,nan,4", ":6: expected a distance, got 'nan'"),
        ("5,7,4", "5,7", ":6: expected 3 fields, got 2"),
        ("vertex,", "node,", ":1: expected the columns vertex, distance and predecessor"),
    ],
)
def test_wrong_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, old: str, new: str, message: str) -> None:
    graph, result = tmp_path / "small.gr", tmp_path / "tree.csv"
    graph.write_text(SMALL)
    result.write_text(CSV, encoding="utf-8-sig")
    assert run(capsys, "verify", graph, result)[0] == 0
    assert CSV.count(old) == 1 or old == "vertex,"
    result.write_text(CSV.replace(old, new, 1))
    status, out, err = run(capsys, "verify", graph, result)
    assert (status, out) == (1, "")
    assert err.startswith(f"reedsp: {result}{message if message.startswith(':') else f': {message}'}")
    if message.startswith("vertex") and "missing" not in message:
        answer = json.loads(run(capsys, "verify", graph, result, "--json")[1])
        assert (answer["right"], answer["wrong"]) == (False, message)


def test_first_wrong_pair_of_a_matrix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph, result = tmp_path / "small.gr", tmp_path / "dist.npy"
    graph.write_text(SMALL)
    dist = scipy.sparse.csgraph.dijkstra(reedsp.read(graph).to_scipy())
    np.save(result, dist)
    assert run(capsys, "verify", graph, result)[0] == 0
    dist[2, 4] -= 1
    dist[4, 1] = 3
    np.save(result, dist)
    expected = f"reedsp: {result}: from 3: vertex 5: no path gives its distance 4\n"
    assert run(capsys, "verify", graph, result) == (1, "", expected)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other": np.zeros(6)}, "there is neither an array 'dist' nor 'levels'"),
        ({"dist": np.zeros(5), "source": 0}, "the distances have shape (1, 5), but this graph needs (1, 6)"),
        ({"dist": np.zeros(6), "source": 6}, "source: 6 is not a vertex of this graph"),
        ({"dist": np.zeros(6, "S1"), "source": 0}, "expected numbers, got |S1"),
        ({"dist": np.zeros((5, 6))}, "the distances have shape (5, 6), but this graph needs (6, 6)"),
        ({"dist": np.zeros(6), "pred": np.zeros(6), "source": 0}, "expected numbers, got float64 and float64"),
    ],
)
def test_arrays_that_are_no_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    graph, result = tmp_path / "small.gr", tmp_path / "result.npz"
    graph.write_text(SMALL)
    np.savez(result, **arrays)
    assert run(capsys, "verify", graph, result) == (1, "", f"reedsp: {result}: {message}\n")


def test_other_failures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph, result = tmp_path / "small.gr", tmp_path / "tree.csv"
    graph.write_text(SMALL)
    status, out, err = run(capsys, "verify", graph, tmp_path / "tree.txt")
    assert (status, out) == (2, "")
    assert "does not end in .csv, .npz or .npy" in " ".join(re.sub(r"[│\n]", " ", err).split())
    assert run(capsys, "verify", graph, result) == (1, "", f"reedsp: {result}: No such file or directory\n")
    result.write_text(CSV)
    expected = f"reedsp: {result}: the paths start at 1\n"
    assert run(capsys, "verify", graph, result, "--source", "2") == (1, "", expected)
    for name in ("x.npz", "x.npy"):
        (tmp_path / name).write_bytes(b"nothing")
        status, _, err = run(capsys, "verify", graph, tmp_path / name)
        assert status == 1
        assert err.startswith(f"reedsp: {tmp_path / name}: ")


@pytest.mark.parametrize("cutoff", ["nan", "-1", "far", "1_0"])
def test_a_cutoff_that_is_none_verifies_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cutoff: str
) -> None:
    graph, result = tmp_path / "small.gr", tmp_path / "tree.csv"
    graph.write_text(SMALL)
    reached = CSV.splitlines()
    result.write_text("\n".join([*reached[:2], *(f"{line.split(',')[0]},inf," for line in reached[2:])]) + "\n")
    status, out, err = run(capsys, "verify", graph, result, "--cutoff", cutoff)
    assert (status, out) == (2, "")
    assert "Invalid value for '--cutoff'" in err
    arrays = {"dist": [0.0] + [np.inf] * (len(reached) - 2), "pred": [-9999] * (len(reached) - 1), "source": 0}
    np.savez(tmp_path / "x.npz", **arrays, cutoff=np.nan)
    status, out, err = run(capsys, "verify", graph, tmp_path / "x.npz")
    assert (status, out) == (1, "")
    assert "cutoff: expected a number of at least 0, got nan" in err


@pytest.mark.parametrize(
    ("n", "weight", "error"),
    [(500, 100, 1), (3, 8_000_000, 1), (40, 2**24 - 1, 4)],  # of many edges, nearly 2^24, and sums that are rounded
)
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_whole_distances_in_float32_are_sums_that_were_rounded_once(
    ending: str, n: int, weight: int, error: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, result = tmp_path / "g.wel", tmp_path / f"d.{ending}"
    graph = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), np.full(n - 1, weight))
    reedsp.write(graph, file)
    right = np.triu(np.arange(n) - np.arange(n)[:, None]) * float(weight)
    right[np.tril_indices(n, -1)] = np.inf
    target = n - 1 if n * weight < 2**25 else 1
    for wrong in (0, error, -error):
        changed = right.astype(np.float32)
        changed[0, target] += np.float32(wrong)
        if ending == "npy":
            np.save(result, changed)
        else:
            np.savez(result, dist=changed[0], source=0)
        assert run(capsys, "verify", file, result)[0] == bool(wrong)


def test_another_cutoff_than_the_result_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, result = tmp_path / "g.wel", tmp_path / "d.npz"
    file.write_text("0 1 2\n1 2 2\n")
    assert run(capsys, "sssp", file, "--source", 0, "--cutoff", 3, "--output", result)[0] == 0
    assert run(capsys, "verify", file, result, "--cutoff", 3)[0] == 0
    status, _, error = run(capsys, "verify", file, result, "--cutoff", 2)
    assert status == 2
    assert "2, but" in error


def test_float32_in_a_csv_is_hinted_at(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph, result = tmp_path / "small.wel", tmp_path / "tree.csv"
    graph.write_text("0 1 0.1\n1 2 0.2\n")
    paths = reedsp.sssp(reedsp.read(graph), 0, dtype="float32")
    paths.save(result)
    status, _, err = run(capsys, "verify", graph, result)
    assert status == 1
    assert err.endswith("; if these are float32, a .npz says so, and allows for their rounding\n")
    paths.save(tmp_path / "tree.npz")
    assert run(capsys, "verify", graph, tmp_path / "tree.npz")[0] == 0
    result.write_text("vertex,distance,predecessor\n0,0,\n1,0.1,0\n2,0.4,1\n")
    status, _, err = run(capsys, "verify", graph, result)
    assert (status, "a .npz says so" in err) == (1, False)


@pytest.mark.parametrize("labels", [["a", "", "c"], ["a", "1", 1]])
def test_names_that_a_csv_confuses(labels: list[Any], tmp_path: Path) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [1, 2], labels=labels)
    paths = reedsp.sssp(graph, "a")
    paths.save(tmp_path / "x.csv")
    with pytest.raises(ValueError, match=r"x\.csv: .*a \.npz tells them apart"):
        files.load(tmp_path / "x.csv", graph)


@pytest.mark.parametrize("name", ["b\rz", "b\nz", "b\r\nz", 'b"z', "b,z", "\r", "z\r\n", " b"])
def test_names_that_are_quoted_come_back(name: str, tmp_path: Path) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [1, 2], labels=["a", name, "c"])
    reedsp.sssp(graph, "a").save(tmp_path / "x.csv")
    certificate.check(graph, files.load(tmp_path / "x.csv", graph))
    with open(tmp_path / "x.csv", newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)] == ["vertex", "a", name, "c"]


def test_large_whole_distances_survive_a_csv(tmp_path: Path) -> None:
    graph, result = tmp_path / "large.gr", tmp_path / "tree.csv"
    graph.write_text(f"p sp 2 1\na 1 2 {2**53 + 1}\n")
    result.write_text(f"vertex,distance,predecessor\n1,0,\n2,{2**53 + 1},1\n")
    read = reedsp.read(graph)
    assert certificate.check(read, files.load(result, read)) == 1
    result.write_text(f"vertex,distance,predecessor\n1,0,\n2,{2**53},1\n")
    with pytest.raises(reedsp.VerificationError):
        certificate.check(read, files.load(result, read))
