"""Betweenness is right to the last digits that fractions know, and the same bytes however it is found."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.algorithms.structure.centrality import dependencies, selfcheck, work_groups, work_items
from reedsp.algorithms.structure.centrality.sums import FORMS, Question, Sums
from reedsp.device.device import Device
from reedsp.device.errors import PrecisionError
from reedsp.device.job import Job
from tests.algorithms.structure.centrality.oracle import Rows, by_all_paths, by_sums, rows_of

METHODS = ("work-items", "work-groups")
FORMS_OF = {"work-items": FORMS, "work-groups": FORMS[1:]}
CLOSE = 1e-12


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return request.param


def graph_of(rows: Rows, directed: bool) -> reedsp.Graph:
    ends = np.array([(tail, head) for tail, heads in enumerate(rows) for head in heads], np.int64).reshape(-1, 2)
    if not directed:
        ends = ends[ends[:, 0] <= ends[:, 1]]
    return reedsp.Graph.from_edges(len(rows), *ends.T, directed=directed)


def sums_of(
    device: Device, graph: reedsp.Graph, method: str, form: str | None = None, sources: Any = None, edges: bool = True
) -> Sums:
    chosen = list(range(graph.n)) if sources is None else list(sources)
    question = Question(graph, chosen, np.ones(graph.n, np.uint8), edges)
    forms = FORMS_OF[method][:1] if form is None else (form,)
    return dependencies.METHODS[method](question, Job(device), None, lambda form: None, *forms)


def assert_close(found: np.ndarray, expected: Any) -> None:
    np.testing.assert_allclose(found, [float(each) for each in expected], CLOSE, 1e-300)


def assert_right(sums: Sums, rows: Rows, answers: tuple[Any, Any]) -> None:
    assert_close(sums.vertices, answers[0])
    assert_close(sums.edges, [answers[1][tail, head] for tail, heads in enumerate(rows) for head in heads])


def as_bytes(sums: Sums) -> tuple[bytes, ...]:
    arrays = (sums.vertices, sums.edges, sums.reached, sums.reached_by)
    return tuple(b"" if array is None else array.tobytes() for array in arrays)


def diamonds(count: int, width: int) -> Rows:
    """So many vertices side by side between two others, again and again: width ** count paths."""
    edges = []
    for first in range(0, count * (width + 1), width + 1):
        for middle in range(first + 1, first + width + 1):
            edges += [(first, middle), (middle, first + width + 1)]
    return rows_of(count * (width + 1) + 1, edges, directed=True)


# ---- right ------------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize(("n", "directed"), [(4, False), (5, False), (3, True)])
def test_all_small_graphs(n: int, directed: bool, method: str, device: Device) -> None:
    """Each is a part of one graph; of directed ones those with loops, too."""
    pairs = itertools.product(range(n), repeat=2) if directed else itertools.combinations(range(n), 2)
    all_pairs = list(pairs)
    rows: Rows = []
    expected: list[Any] = []
    edges: dict[tuple[int, int], Any] = {}
    for chosen in itertools.product((False, True), repeat=len(all_pairs)):
        own = rows_of(n, itertools.compress(all_pairs, chosen), directed)
        vertices, of_edges = by_all_paths(own, range(n))
        edges |= {(tail + len(rows), head + len(rows)): value for (tail, head), value in of_edges.items()}
        rows += [[head + len(rows) for head in heads] for heads in own]
        expected += vertices
    assert_right(sums_of(device, graph_of(rows, directed), method), rows, (expected, edges))


@pytest.mark.deep("rounded", "exact", "items")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_random_graphs(directed: bool, form: str, method: str, device: Device) -> None:
    if form not in FORMS_OF[method]:
        pytest.skip("this method has no such form")
    for n, m in ((9, 12), (40, 60), (60, 400)):
        rows = rows_of(n, np.random.default_rng(n).integers(0, n, (m, 2)).tolist(), directed)
        assert_right(sums_of(device, graph_of(rows, directed), method, form), rows, by_sums(rows, range(n)))


@pytest.mark.deep
@pytest.mark.parametrize(
    ("count", "width", "form"), [(52, 2, "exact"), (60, 2, "rounded"), (40, 3, "rounded"), (1100, 2, "scaled")]
)
def test_many_paths(count: int, width: int, form: str, method: str, device: Device) -> None:
    """Of whose numbers some are no doubles, or overflow: each diamond halves what goes through its vertices."""
    rows = diamonds(count, width)
    graph = graph_of(rows, directed=True)
    sources = [0, 1, len(rows) // 2]
    sums = sums_of(device, graph, method, sources=sources)
    assert sums.form == (form if method == "work-items" or form == "scaled" else "rounded")
    assert_right(sums, rows, by_sums(rows, sources))


@pytest.mark.deep
def test_numbers_of_paths_are_kept_apart_where_they_differ_most(method: str, device: Device) -> None:
    """One path beside 3 ** 800 of the same length, to the same vertex; its vertices have next to nothing of them."""
    rows = diamonds(800, 3)
    end = len(rows) - 1
    path = [0, *range(len(rows), len(rows) + 1599), end]
    rows += [[] for _ in range(1599)]
    for tail, head in itertools.pairwise(path):
        rows[tail] = sorted([*rows[tail], head])
    rows.append([])
    rows[end] = [len(rows) - 1]
    sums = sums_of(device, graph_of(rows, directed=True), method, sources=[0])
    assert sums.form == "scaled"
    assert np.isfinite(sums.vertices).all()
    vertices, _ = by_sums(rows, [0])
    np.testing.assert_allclose(sums.vertices, [float(each) for each in vertices], CLOSE, 1e-300)


@pytest.mark.deep
def test_closed_forms(device: Device, method: str) -> None:
    options: Any = {"method": method}
    n = 700  # the center of the star has more edges than a piece
    star = reedsp.Graph.from_edges(n, np.zeros(n - 1, int), np.arange(1, n), directed=False)
    found = reedsp.betweenness(star, normalized=False, edges=True, device=device, options=options)
    assert found.values.tolist() == [(n - 1) * (n - 2) / 2] + [0.0] * (n - 1)
    assert set(found.edges_to_dict().values()) == {n - 1.0}
    path = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), directed=False)
    found = reedsp.betweenness(path, normalized=False, edges=True, device=device, options=options)
    i = np.arange(n)
    assert found.values.tolist() == (i * (n - 1 - i)).tolist()
    assert list(found.edges_to_dict().values()) == ((i[1:]) * (n - i[1:])).tolist()
    assert found.verify()
    full = reedsp.Graph.from_dense(np.ones((40, 40)) - np.eye(40))
    assert not reedsp.betweenness(full, device=device, options=options).values.any()
    cycle = reedsp.Graph.from_edges(9, np.arange(9), np.arange(1, 10) % 9)
    np.testing.assert_allclose(reedsp.betweenness(cycle, device=device, options=options).values, 0.5)


@pytest.mark.deep("groups")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_vertices(n: int, directed: bool, method: str, device: Device) -> None:
    ends = ([0], [1]) if n == 2 else ([], [])
    graph = reedsp.Graph.from_edges(n, *ends, directed=directed)
    for endpoints, normalized in itertools.product((False, True), repeat=2):
        options: Any = {"method": method}
        found = reedsp.betweenness(
            graph, edges=True, endpoints=endpoints, normalized=normalized, device=device, options=options
        )
        expected = nx.betweenness_centrality(nx_graph(graph), endpoints=endpoints, normalized=normalized)
        assert found.to_dict() == expected
        assert found.edges_to_dict() == nx.edge_betweenness_centrality(nx_graph(graph), normalized=normalized)
        assert found.verify()


def nx_graph(graph: reedsp.Graph) -> nx.Graph:
    made: nx.Graph = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(graph.names)
    made.add_edges_from((tail, head) for tail, head, _ in graph.edges())
    return made


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("sources", [None, [4], [3, 17, 0, 11]])
def test_scales_are_those_of_networkx(
    sources: list[int] | None, directed: bool, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it does with loops, parallel edges, and vertices that nothing leads to."""
    u, v = np.random.default_rng(5).integers(0, 30, (2, 50))
    graph = reedsp.Graph.from_edges(33, [*u, 2, 2, 2], [*v, 2, 9, 9], directed=directed)

    class Drawn:
        def sample(self, nodes: list[int], k: int) -> list[int]:
            return list(sources or ())

    k = None if sources is None else len(sources)
    for normalized, endpoints in itertools.product((False, True), repeat=2):
        found = reedsp.betweenness(
            graph, sources, edges=True, normalized=normalized, endpoints=endpoints, device=device
        )
        drawn: Any = nx.betweenness_centrality.__wrapped__
        expected = drawn.orig_func(nx_graph(graph), k, normalized, None, endpoints, Drawn())
        np.testing.assert_allclose(found.values, list(expected.values()), CLOSE)
        of_edges = nx.edge_betweenness_centrality.__wrapped__.orig_func(nx_graph(graph), k, normalized, None, Drawn())
        given = found.edges_to_dict()
        for (tail, head), value in of_edges.items():
            assert given[(tail, head) if (tail, head) in given else (head, tail)] == pytest.approx(value, CLOSE)
        assert len(given) == len(of_edges)
        assert found.verify()


def test_every_kind_of_graph(device: Device) -> None:
    dense = np.array([[0, 2.5, 0, 0], [0, 0, 1, 0], [0, 0, 0, 7], [0, 0, 0, 0]])
    expected = [0, 1 / 3, 1 / 3, 0]
    matrix = scipy.sparse.csr_array(dense)
    for graph in (dense, matrix, matrix.tocoo(), nx.DiGraph(dense), reedsp.Graph.from_scipy(matrix)):
        assert reedsp.betweenness(graph, device=device).values.tolist() == pytest.approx(expected)


# ---- the same bytes ---------------------------------------------------------------------------------


def hub(n: int, directed: bool) -> reedsp.Graph:
    """A graph with a vertex that has more edges than a piece, in both directions, and a part out of reach."""
    rng = np.random.default_rng(n)
    ends = np.concatenate((rng.integers(0, n, (2, 2 * n)), [np.zeros(n, int), np.arange(n)]), axis=1)
    ends = np.concatenate((ends, [np.arange(n), np.full(n, 3)]), axis=1)
    return reedsp.Graph.from_edges(n + 5, *ends, directed=directed)


@pytest.mark.deep
@pytest.mark.usefixtures("own_verdicts")
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_bytes_whatever_is_done_at_a_time(
    directed: bool, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (work_items, work_groups):
        monkeypatch.setattr(module, "PIECE", 64)
    graph = hub(200, directed)
    sources = [*range(0, graph.n, 2)]
    expected = as_bytes(sums_of(device, graph, "work-items", sources=sources))
    for method in METHODS:
        for form in FORMS_OF[method]:
            assert as_bytes(sums_of(device, graph, method, form, sources)) == expected
    settings: tuple[tuple[Any, str, int, str], ...] = (
        (work_items, "_FIRST_BUDGET", 1, "work-items"),
        (work_items, "_FIRST_BUDGET", 70, "work-items"),
        (work_items, "_BLOCKS_PER_CORE", 1, "work-items"),
        (work_items, "_MOST_BYTES", 1, "work-items"),
        (work_items, "_PART", 7, "work-items"),
        (work_groups, "_MOST_BUNDLES", 1, "work-groups"),
        (work_groups, "_MOST_BUNDLES", 3, "work-groups"),
        (work_groups, "_GROUPS_PER_UNIT", 1, "work-groups"),
        (work_groups, "_FIRST_LEVELS", 1, "work-groups"),
        (work_groups, "_PART_OF_MEMORY", 1 << 60, "work-groups"),
        (work_groups, "_GROUP_SIZE", 16, "work-groups"),
        (work_groups, "_MOST_GROUPS_THAT_COUNT", 1, "work-groups"),
    )
    for module, name, value, method in settings:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            assert as_bytes(sums_of(device, graph, method, sources=sources)) == expected, name
    for few in (sources[:1], sources[:33]):
        of_items = as_bytes(sums_of(device, graph, "work-items", sources=few))
        assert as_bytes(sums_of(device, graph, "work-groups", sources=few)) == of_items


@pytest.mark.deep
@pytest.mark.parametrize(("count", "width"), [(60, 3), (40, 7), (700, 3)])
def test_the_same_bytes_where_paths_are_rounded(count: int, width: int, device: Device) -> None:
    """Also for sources before the first of whose paths are too many."""
    graph = graph_of(diamonds(count, width), directed=True)
    sources = [graph.n - 1 - each for each in range(12)] + [0, 5, 1]
    of_items = sums_of(device, graph, "work-items", sources=sources)
    of_groups = sums_of(device, graph, "work-groups", sources=sources)
    assert as_bytes(of_items) == as_bytes(of_groups)
    assert of_items.form == of_groups.form == ("scaled" if count == 700 else "rounded")
    assert as_bytes(sums_of(device, graph, "work-items", of_items.form, sources)) == as_bytes(of_items)
    without = [sums_of(device, graph, method, sources=sources, edges=False) for method in METHODS]
    assert {each.vertices.tobytes() for each in without} == {of_items.vertices.tobytes()}


def test_a_source_that_is_there_twice_counts_twice(method: str, device: Device) -> None:
    graph = hub(60, directed=True)
    once = sums_of(device, graph, method, sources=[7, 2])
    twice = sums_of(device, graph, method, sources=[7, 2, 7, 2])
    assert_close(twice.vertices, 2 * once.vertices)
    assert twice.reached_by.tolist() == (2 * once.reached_by).tolist()
    assert twice.reached.tolist() == [*once.reached, *once.reached]


# ---- arguments --------------------------------------------------------------------------------------

NAMED = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 2], labels=["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"graph": 3}, TypeError, "graph: expected a reedsp.Graph"),
        ({"sources": ["a", "x"]}, ValueError, r"sources\[1\] = 'x'"),
        ({"sources": ["a", "b", "a"]}, ValueError, r"sources\[2\] = 'a' is sources\[0\] as well"),
        ({"sources": []}, ValueError, "sources: there are none"),
        ({"sources": 5}, TypeError, "sources: expected several vertices, got 5"),
        ({"options": {"method": "levels"}}, ValueError, "options: method = 'levels', expected one of 'work-items'"),
        ({"options": {"group_size": 4}}, ValueError, "options: no option 'group_size'; there are method"),
        ({"progress": 3}, TypeError, "progress = 3"),
        ({"device": "abacus"}, reedsp.DeviceError, "abacus"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.betweenness(**{"graph": NAMED, **change})


def test_names(device: Device) -> None:
    found = reedsp.betweenness(NAMED, ["c", "a"], edges=True, device=device)
    assert found.sources == ["c", "a"]
    assert list(found.to_dict()) == ["a", "b", "c", "d"]
    assert list(found.edges_to_dict()) == [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    assert found.of("d") == 0
    with pytest.raises(ValueError, match="vertex = 'x'"):
        found.of("x")


def test_a_device_without_doubles(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "fp64", False)
    with pytest.raises(PrecisionError, match="no double precision"):
        reedsp.betweenness(NAMED, device=device)


@pytest.mark.usefixtures("own_verdicts")
def test_a_device_that_is_wrong(device: Device, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(selfcheck, "_CLOSE", -1.0)
    with pytest.warns(RuntimeWarning, match="put aside"), pytest.raises(reedsp.DeviceError, match="wrong answers"):
        reedsp.betweenness(NAMED, device=device, options={"method": method})  # type: ignore[typeddict-item]


@pytest.mark.usefixtures("own_verdicts")
def test_the_trial_notices(device: Device) -> None:
    """Whatever of the sums is wrong."""

    def spoilt(which: str) -> Callable[..., Sums]:
        def sum_up(*arguments: Any) -> Sums:
            sums = dependencies.METHODS["work-items"](*arguments)
            array = getattr(sums, which)
            array[np.argmax(array)] += 1
            return sums

        return sum_up

    for which in ("vertices", "edges", "reached", "reached_by"):
        assert not selfcheck.finds_known_sums(device, spoilt(which), True, "exact")


def test_progress(device: Device, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_groups, "_MOST_BUNDLES", 1)
    monkeypatch.setattr(work_items, "_BLOCKS_PER_CORE", 1)
    graph = hub(200, directed=True)
    told: list[tuple[int, int]] = []
    options: Any = {"method": method}
    reedsp.betweenness(graph, device=device, progress=lambda done, most: told.append((done, most)), options=options)
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1] == (graph.n, graph.n)


# ---- results ----------------------------------------------------------------------------------------


def test_result(device: Device, tmp_path: Path) -> None:
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], directed=False, offset=1)
    found = reedsp.betweenness(path, normalized=False, device=device)
    assert found.largest(2) == [(2, 2.0), (3, 2.0)]
    assert repr(found).startswith("<reedsp.Betweenness: 4 vertices, from all vertices, ")
    assert "Betweenness of 4 vertices, by paths from all" in found._repr_html_()
    assert sum(found.stats["phases"].values()) <= found.stats["milliseconds"] * 1.5 + 1e3
    assert found.stats["kernels_launched"] > 0
    found.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "vertex,betweenness\n1,0.0\n2,2.0\n3,2.0\n4,0.0\n"
    with pytest.raises(FileExistsError):
        found.save(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="ends in"):
        found.save(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="edges: they were not asked for"):
        found.edges_to_dict()
    edges = reedsp.betweenness(path, [2], edges=True, normalized=False, device=device)
    assert "from 1 sources" in repr(edges)
    assert edges.largest_edges(1) == [((2, 3), 4.0)]
    for count in (2.0, None, True):
        with pytest.raises(TypeError, match=r"^count: expected an integer, got "):
            edges.largest_edges(count)  # type: ignore[arg-type]
    edges.save(tmp_path / "a.csv", overwrite=True)
    assert (tmp_path / "a.csv").read_text() == "source,target,betweenness\n1,2,2.0\n2,3,4.0\n3,4,2.0\n"


@pytest.mark.deep("vertices")
@pytest.mark.parametrize("which", ["vertices", "edges", "reached", "reached_by"])
def test_verify_notices(which: str, device: Device) -> None:
    found = reedsp.betweenness(hub(60, directed=True), [5, 0, 9], edges=True, device=device)
    assert found.verify()
    array = getattr(found._sums, which)
    array[np.argmax(array)] += 1
    with pytest.raises(reedsp.VerificationError):
        found.verify()


def _without_sums_of_edges(found: reedsp.Betweenness) -> None:
    object.__setattr__(found, "_sums", dataclasses.replace(found._sums, edges=None))


FAULTS: dict[str, tuple[Callable[[reedsp.Betweenness], object], str]] = {
    "infinite": (lambda found: found.values.fill(np.inf), "vertex 'x': its value is inf, expected "),
    "unknown": (lambda found: found.values.__setitem__(1, np.nan), "vertex 'y': its value is nan, expected "),
    "of an edge": (
        lambda found: found.edge_values.__setitem__(1, 9),
        "the edge from 'y' to 'z': its value is 9.0",
    ),
    "short": (lambda found: object.__setattr__(found, "values", found.values[:2]), "values: expected 4 numbers of "),
    "a list": (lambda found: object.__setattr__(found, "values", [0.0] * 4), "values: expected 4 numbers of "),
    "others": (lambda found: object.__setattr__(found, "edge_values", found.values), "edge_values: expected 3 numb"),
    "another scale": (lambda found: object.__setattr__(found, "normalized", False), "vertex 'y': its value is "),
    "sources": (
        lambda found: object.__setattr__(found, "sources", ["q"]),
        "sources: 'q' is not a vertex of this graph",
    ),
    "of nothing": (_without_sums_of_edges, "edge_values: there are no sums that they could be of$"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_looks_at_the_values(fault: str, device: Device) -> None:
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], labels=["x", "y", "z", "w"])
    found = reedsp.betweenness(path, edges=True, device=device)
    assert found.verify()
    change, message = FAULTS[fault]
    change(found)
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        found.verify()


def test_what_is_not_known_of_a_single_source_is_right(device: Device) -> None:
    found = reedsp.betweenness(hub(20, directed=True), [3], device=device)
    assert np.isnan(found.values[3])
    assert found.verify()


@pytest.mark.parametrize("n", [1, 2])
def test_values_are_no_sums(n: int, device: Device) -> None:
    """One that is changed is noticed, also of graphs so small that nothing is scaled."""
    graph = reedsp.Graph.from_edges(n, [0], [n - 1])
    found = reedsp.betweenness(graph, edges=True, device=device)
    assert found.verify()
    for array in (found.values, found.edge_values):
        assert array is not None
        array[0] += 5
        with pytest.raises(reedsp.VerificationError, match=r"its value is [5-9]"):
            found.verify()
        array[0] -= 5


def test_graph_without_sums(device: Device) -> None:
    """There is nothing to verify, and no line but the first."""
    found = reedsp.betweenness(reedsp.Graph.from_edges(0, [], []), edges=True, device=device)
    assert found.verify()
    assert found.largest() == found.largest_edges() == []
