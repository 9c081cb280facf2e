"""Graphs written to files: what is read back is the same, and what a format cannot hold is refused."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reedsp
from reedsp import Graph
from reedsp.io import readers, writers

FORMATS = (".gr", ".mtx", ".el", ".wel", ".graph", ".npz")
COMPRESSIONS = ("", ".gz", ".xz")
WEIGHTS = {
    "unit": st.just(1),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "float64": st.floats(allow_nan=False, allow_infinity=False),
}


@st.composite
def graphs(draw: Any, kind: str, undirected: bool) -> Graph:
    n = draw(st.integers(1, 12))
    vertices = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertices, vertices, WEIGHTS[kind]), max_size=30))
    dtype = np.int32 if kind == "unit" else np.dtype(kind)
    sources, targets, weights = ([edge[place] for edge in edges] for place in range(3))
    ends = np.array(sources, np.int64), np.array(targets, np.int64)
    return Graph.from_edges(n, *ends, np.array(weights, dtype), directed=not undirected)


def edges_of(graph: Graph) -> list[tuple[int, int, int | float]]:
    """Return the edges with weights as Python numbers, which tell integers from floats."""
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return list(zip(sources.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def held(graph: Graph, form: str) -> bool:
    """Whether a format can hold a graph, by its own rules rather than the writer's."""
    edges = edges_of(graph)
    used = {end for edge in edges for end in edge[:2]}
    weight_of = {edge[:2]: edge[2] for edge in edges}
    if form == ".el":
        return bool(edges) and all(repr(weight) == "1" for *_, weight in edges)
    if form == ".wel":
        return bool(edges) and graph.n - 1 in used
    if form == ".graph":
        return all(u != v and weight_of.get((v, u)) == weight for u, v, weight in edges)
    return True


@pytest.mark.deep
@pytest.mark.parametrize("undirected", [False, True])
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_read_gives_back_what_was_written(
    tmp_path: Path, data: st.DataObject, form: str, kind: str, undirected: bool
) -> None:
    graph = data.draw(graphs(kind, undirected))
    file = tmp_path / f"graph{form}{data.draw(st.sampled_from(COMPRESSIONS))}"
    if not held(graph, form):
        with pytest.raises(ValueError, match=r"^graph: "):
            reedsp.write(graph, file, overwrite=True)
        return
    reedsp.write(graph, file, overwrite=True)
    again = reedsp.read(file)
    assert again.n == graph.n
    assert [(u, v, repr(weight)) for u, v, weight in edges_of(again)] == [
        (u, v, repr(weight)) for u, v, weight in edges_of(graph)
    ]
    assert again.directed == {".mtx": graph.directed, ".npz": graph.directed, ".graph": False}.get(form, True)
    assert again.offset == {".gr": 1, ".mtx": 1, ".graph": 1}.get(form, 0)
    if form == ".npz":
        assert again.weights.dtype == graph.weights.dtype
    assert bool(writers.changes(graph, file)) == (again.directed != graph.directed or again.offset != graph.offset)


@pytest.mark.parametrize("form", FORMATS)
def test_blocks_of_any_size_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    random = np.random.default_rng(3)
    ends = random.integers(0, 50, (2, 200))
    ends = ends[:, ends[0] != ends[1]]
    weights = np.ones(ends.shape[1], int) if form == ".el" else random.integers(1, 10**12, ends.shape[1])
    graph = Graph.from_edges(50, *ends, weights, directed=False)
    whole = tmp_path / f"whole{form}"
    reedsp.write(graph, whole)
    for block in (1, 2, 3, 7, 64):
        monkeypatch.setattr(writers, "_BLOCK", block)
        reedsp.write(graph, tmp_path / f"{block}{form}")
        assert (tmp_path / f"{block}{form}").read_bytes() == whole.read_bytes()


def test_texts_are_as_their_formats_ask(tmp_path: Path) -> None:
    graph = Graph.from_edges(4, [0, 1], [1, 2], [5, -3], directed=False)
    expected = {
        "a.gr": "p sp 4 4\na 1 2 5\na 2 1 5\na 2 3 -3\na 3 2 -3\n",
        "a.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n2 1 5\n3 2 -3\n",
        "a.graph": "4 2 001\n2 5\n1 5 3 -3\n2 -3\n\n",
    }
    for name, text in expected.items():
        reedsp.write(graph, tmp_path / name)
        assert (tmp_path / name).read_text() == text
    unit = Graph.from_edges(4, [2, 0], [1, 1])
    reedsp.write(unit, tmp_path / "unit.el")
    assert (tmp_path / "unit.el").read_text() == "4 2\n0 1\n2 1\n"
    reedsp.write(Graph.from_edges(2, [0, 1], [1, 1], [0.1, 2.0]), tmp_path / "some.wel")
    assert (tmp_path / "some.wel").read_text() == "0 1 0.1\n1 1 2.0\n"


def test_other_programs_read_them(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    graph = Graph.from_edges(30, *random.integers(0, 30, (2, 90)), random.normal(size=90))
    reedsp.write(graph, tmp_path / "graph.mtx")
    reedsp.write(graph, tmp_path / "graph.npz")
    dense = graph.to_scipy().toarray()
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "graph.mtx", spmatrix=False).toarray(), dense)
    np.testing.assert_array_equal(scipy.sparse.load_npz(tmp_path / "graph.npz").toarray(), dense)
    reedsp.write(Graph.from_edges(30, *np.nonzero(dense)), tmp_path / "graph.el")
    found = nx.read_edgelist(tmp_path / "graph.el", create_using=nx.DiGraph, nodetype=int)
    assert set(found.edges) == set(zip(*(each.tolist() for each in np.nonzero(dense)), strict=True))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_edges(tmp_path: Path, form: str, n: int) -> None:
    file = tmp_path / f"none{form}"
    graph = Graph.from_edges(n, [], [])
    if form in (".el", ".wel"):
        with pytest.raises(ValueError, match="graph: it has no edges, which an edge list cannot tell"):
            reedsp.write(graph, file)
        return
    reedsp.write(graph, file)
    assert (reedsp.read(file).n, reedsp.read(file).m) == (n, 0)


# ---- names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[3, 70, 1000], ["a", "bé", ""], [2, -5, 1]])
def test_npz_keeps_labels(tmp_path: Path, labels: list[Any]) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 0], [1.5, 2], offset=4, labels=labels)
    reedsp.write(graph, tmp_path / "labels.npz.gz")
    again = reedsp.read(tmp_path / "labels.npz.gz")
    assert (again.labels, again.offset) == (graph.labels, 4)
    assert list(map(type, again.labels or ())) == list(map(type, labels))


@pytest.mark.parametrize("longest", [10_000, 25_000])
def test_npz_with_one_long_label(tmp_path: Path, longest: int) -> None:
    """Which would make the array of all of them large: beyond 64 MiB they are written behind one another."""
    labels = [f"https://example.org/{number}" for number in range(999)] + ["x" * longest]
    graph = Graph.from_edges(1000, [0, 2], [999, 1], labels=labels)
    reedsp.write(graph, tmp_path / "labels.npz")
    assert reedsp.read(tmp_path / "labels.npz").labels == graph.labels
    assert (tmp_path / "labels.npz").stat().st_size < 200_000


def test_edge_lists_keep_ascending_labels(tmp_path: Path) -> None:
    graph = Graph.from_edges(3, [0, 2], [1, 1], [7, 8], labels=[3, 70, 50_000_000])
    reedsp.write(graph, tmp_path / "labels.wel")
    assert (tmp_path / "labels.wel").read_text() == "3 70 7\n50000000 70 8\n"
    again = reedsp.read(tmp_path / "labels.wel", relabel=True)
    assert (edges_of(again), again.labels) == (edges_of(graph), graph.labels)
    assert writers.changes(graph, tmp_path / "labels.wel") == []


@pytest.mark.parametrize(
    ("n", "offset", "name", "first"),
    [
        (3, 5, "a.gr", 1),
        (3, 5, "a.mtx", 1),
        (3, 5, "a.graph", 1),
        (3, -2, "a.wel", 0),
        (4, 1, "a.el", 0),
        (3, 1, "a.wel", 0),
        (3, 10**15, "a.el", 0),
    ],
)
def test_numbers_that_are_lost_are_told(tmp_path: Path, n: int, offset: int, name: str, first: int) -> None:
    graph = Graph.from_edges(n, [0, 1, 1, 2], [1, 0, 2, 1], offset=offset)
    lost = f"vertices are numbered from {first}, no longer from {offset}"
    with pytest.warns(UserWarning, match=rf"^{re.escape(str(tmp_path / name))}: {lost}$"):
        reedsp.write(graph, tmp_path / name)
    assert lost in writers.changes(graph, tmp_path / name)
    assert edges_of(reedsp.read(tmp_path / name)) == edges_of(graph)


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ([3, 70, 1000], "lost.gr"),
        ([3, 70, 1000], "lost.graph"),
        ([70, 3, 1000], "lost.wel"),
        ([-1, 3, 1000], "lost.wel"),
        (["a", "b", "c"], "lost.wel"),
        (["a", 2, "c"], "lost.npz"),
        (["a", "b\0", "c"], "lost.npz"),
        ([1, 2, 10**20], "lost.npz"),
        ([True, False, 2], "lost.npz"),
    ],
)
def test_labels_that_are_lost_are_told(tmp_path: Path, labels: list[Any], name: str) -> None:
    graph = Graph.from_edges(3, [0, 1, 1, 2], [1, 0, 2, 1], labels=labels)
    file = tmp_path / name
    with pytest.warns(UserWarning, match=rf"^{re.escape(str(file))}: the labels of the vertices are lost$"):
        reedsp.write(graph, file)
    assert "the labels of the vertices are lost" in writers.changes(graph, file)
    assert edges_of(reedsp.read(file)) == edges_of(graph)


@pytest.mark.parametrize("name", ["a.npz", "a.gr", "a.graph"])
def test_no_labels_are_not_lost(tmp_path: Path, name: str) -> None:
    graph = Graph.from_edges(0, [], [], labels=[])
    assert writers.changes(graph, tmp_path / name) == (["the graph is undirected"] if name == "a.graph" else [])
    reedsp.write(graph, tmp_path / name)
    assert reedsp.read(tmp_path / name).n == 0


@pytest.mark.parametrize("geographic", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_npz_keeps_coordinates(tmp_path: Path, geographic: bool, directed: bool) -> None:
    places = [[0.1, -0.0], [1e-300, 2]]
    graph = Graph.from_edges(2, [0], [1], directed=directed, labels=["a", "b"])
    graph = graph.with_coordinates(places, geographic=geographic)
    assert writers.changes(graph, "x.npz") == []
    reedsp.write(graph, tmp_path / "x.npz")
    again = reedsp.read(tmp_path / "x.npz")
    assert again == graph
    assert np.asarray(again.coordinates).tolist() == places
    assert again.geographic == geographic


@pytest.mark.parametrize("places", [[[7e7, 4e7], [5e5, 4e5], [501_000, 4e5]], [[2e6 + 0.5, 0.25], [300, 40], [1, 2]]])
def test_npz_keeps_coordinates_of_a_part(tmp_path: Path, places: list[list[float]]) -> None:
    """Which alone would be none in degrees, nor in millionths."""
    graph = Graph.from_edges(3, [0, 1], [1, 2]).with_coordinates(places, geographic=True)
    for part in (graph, graph.subgraph([1, 2])):
        reedsp.write(part, tmp_path / "a.npz", overwrite=True)
        again = reedsp.read(tmp_path / "a.npz")
        assert again.geographic
        assert again.coordinates is not None
        np.testing.assert_array_equal(again.coordinates, part.coordinates)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != ".npz"])
def test_coordinates_that_are_lost_are_told(tmp_path: Path, form: str) -> None:
    graph = Graph.from_edges(2, [0, 1], [1, 0]).with_coordinates([[0, 0], [1, 2]])
    with pytest.warns(UserWarning, match=r": the coordinates of the vertices are lost$"):
        reedsp.write(graph, tmp_path / f"x{form}")
    assert "the coordinates of the vertices are lost" in writers.changes(graph, tmp_path / f"x{form}")
    assert edges_of(reedsp.read(tmp_path / f"x{form}")) == edges_of(graph)


def test_changes_are_told(tmp_path: Path) -> None:
    graph = Graph.from_edges(2, [0], [1], directed=False)
    assert writers.changes(graph, "x.gr.gz") == [
        "vertices are numbered from 1, no longer from 0",
        "each edge is listed in both directions",
    ]
    assert writers.changes(graph, "x.npz") == []
    one = Graph.from_edges(2, [0, 1], [1, 0], offset=1)
    assert writers.changes(one, "x.el") == ["vertices are numbered from 0, no longer from 1"]
    assert writers.changes(one, "x.graph") == ["the graph is undirected"]


# ---- refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "name", "message"),
    [
        (Graph.from_edges(3, [0, 1], [1, 2], [1, 4]), "x.el", "the edge from 1 to 2 of weight 4, but .el holds no"),
        (Graph.from_edges(3, [0], [2], [1.0]), "x.el", "its weights are floats, but .el holds no weights"),
        (Graph.from_edges(5, [0], [2]), "x.wel", "no edge begins or ends at vertex 3 or later, which .wel cannot"),
        (Graph.from_edges(3, [1, 2], [1, 1], offset=1), "x.graph", "the edge from 2 to 2 of weight 1 is a self loop"),
        (Graph.from_edges(3, [0], [2], [7]), "x.graph", "the edge from 0 to 2 of weight 7 has no counterpart"),
        (Graph.from_edges(2, [0, 1], [1, 0], [7, 8]), "x.graph", "the edge from 0 to 1 of weight 7 has no counterpart"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, graph: Graph, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^graph: {re.escape(message)}"):
        reedsp.write(graph, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "n"), [("x.gr", 2_450_000), ("x.mtx.gz", 2_450_000), ("x.graph", 1_900_000)])
def test_texts_that_would_be_too_short_to_be_read(tmp_path: Path, name: str, n: int) -> None:
    graph = Graph.from_edges(n, [0, 1], [1, 0])
    with pytest.raises(ValueError, match=rf"^graph: {n:,} vertices are more than .*; \.npz holds them$"):
        reedsp.write(graph, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    reedsp.write(graph, tmp_path / "x.npz")
    assert reedsp.read(tmp_path / "x.npz") == graph


@pytest.mark.parametrize(("name", "n"), [("x.gr", 2_440_000), ("x.mtx.gz", 2_440_000), ("x.graph", 1_800_000)])
def test_texts_that_are_just_long_enough_are_read(tmp_path: Path, name: str, n: int) -> None:
    reedsp.write(Graph.from_edges(n, [0, 1], [1, 0]), tmp_path / name)
    assert reedsp.read(tmp_path / name).n == n


@pytest.mark.parametrize("names", [range(0, 600_000, 2), [f"v{number}" for number in range(300_000)]])
def test_names_are_no_reason_to_refuse_a_file(
    names: Sequence[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of millions of vertices with few edges were."""
    monkeypatch.setattr(readers, "_BASE_MEMORY", 2 * readers._WORKING_MEMORY)
    graph = Graph.from_edges(300_000, [0], [1], labels=names)
    reedsp.write(graph, tmp_path / "x.npz")
    assert reedsp.read(tmp_path / "x.npz") == graph


@pytest.mark.parametrize("name", ["x.el", "x.wel"])
def test_numbers_of_sparse_edge_lists_are_no_reason(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_BASE_MEMORY", 4 * readers._WORKING_MEMORY)
    even = np.arange(0, 400_000, 2)
    graph = Graph.from_edges(400_000, even, even + 1, labels=range(10**6, 5 * 10**6, 10))
    reedsp.write(graph, tmp_path / name)
    assert reedsp.read(tmp_path / name, relabel=True).labels == graph.labels


def test_a_long_row_in_order_needs_no_memory_to_be_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_BASE_MEMORY", 2 * readers._WORKING_MEMORY)
    star = Graph.from_edges(1_500_000, np.zeros(1_499_999, np.int32), np.arange(1, 1_500_000))
    reedsp.write(star, tmp_path / "star.npz")
    assert reedsp.read(tmp_path / "star.npz") == star


@pytest.mark.parametrize("name", ["graph", "graph.txt", "graph.gz", "graph.csv", ".gr"])
def test_names_that_tell_no_format(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"does not end in one of \.gr, \.mtx, \.el, \.wel, \.graph, \.npz"):
        reedsp.write(Graph.from_edges(1, [], []), tmp_path / name)


def test_only_graphs_are_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3$"):
        reedsp.write(reedsp.Graph.from_edges(2, [0], [1]), 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^graph: expected a reedsp\.Graph, got list$"):
        reedsp.write([[0]], tmp_path / "x.gr")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^graph: expected a reedsp\.Graph, got list$"):
        writers.changes([[0]], tmp_path / "x.gr")  # type: ignore[arg-type]
    made = r"got networkx\.classes\.graph\.Graph; reedsp\.Graph\.from_networkx makes one of it$"
    with pytest.raises(TypeError, match=rf"^graph: expected a reedsp\.Graph, {made}"):
        reedsp.write(nx.Graph(), tmp_path / "x.npz")  # type: ignore[arg-type]


def test_85_existing_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    graph, file = Graph.from_edges(2, [0], [1]), tmp_path / "precious.gr"
    file.write_text("precious")
    with pytest.raises(FileExistsError):
        reedsp.write(graph, file)
    assert file.read_text() == "precious"
    reedsp.write(graph, file, overwrite=True)
    assert reedsp.read(file).m == 1
    assert list(tmp_path.iterdir()) == [file]


def test_85_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "late.gr"
    with pytest.raises(FileExistsError):
        reedsp.write(Graph.from_edges(2, [0], [1]), file, progress=lambda *_: file.write_text("precious"))
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_left_of_an_interrupted_file(tmp_path: Path, form: str) -> None:
    def interrupt(done: int, edges: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reedsp.write(Graph.from_edges(2, [0, 1], [1, 0]), tmp_path / f"x{form}.gz", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


# ---- compression, progress, memory ------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_compression_by_name(tmp_path: Path, form: str) -> None:
    graph = Graph.from_edges(3, [0, 1, 1, 2], [1, 0, 2, 1])
    for ending in COMPRESSIONS:
        reedsp.write(graph, tmp_path / f"x{form}{ending}")
        reedsp.write(graph, tmp_path / f"Y{form}{ending}".upper())
        assert (tmp_path / f"x{form}{ending}").read_bytes() == (tmp_path / f"Y{form}{ending}".upper()).read_bytes()
    content = (tmp_path / f"x{form}").read_bytes()
    assert gzip.decompress((tmp_path / f"x{form}.gz").read_bytes()) == content
    assert lzma.decompress((tmp_path / f"x{form}.xz").read_bytes()) == content


@pytest.mark.parametrize("form", FORMATS)
def test_progress_ends_with_all_edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(writers, "_BLOCK", 10)
    monkeypatch.setattr(writers, "_ARCHIVE_BLOCK", 100)
    ring = np.arange(100)
    graph = Graph.from_edges(100, ring, (ring + 1) % 100, directed=False)
    seen: list[tuple[int, int]] = []
    reedsp.write(graph, tmp_path / f"ring{form}", progress=lambda *done: seen.append(done))
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1] == (200, 200)
    seen.clear()
    reedsp.read(tmp_path / f"ring{form}", progress=lambda *done: seen.append(done))
    size = (tmp_path / f"ring{form}").stat().st_size
    assert seen == sorted(seen)
    assert seen[-1] == (size, size)


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux forgets the peak of a process")
@pytest.mark.parametrize("form", [".gr", ".graph", ".mtx.gz", ".npz"])
def test_memory_does_not_follow_the_graph(tmp_path: Path, form: str) -> None:
    """Three million edges, 60 MB of text, are written in blocks: measured in a process of its own."""
    code = """
import re, sys
import numpy as np
from reedsp import Graph, write

def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(re.search(rf"{name}:\\s+(\\d+)", status.read())[1])

n = 1_500_000
ring = np.arange(n)
graph = Graph.from_edges(n, ring, (ring + 1) % n, ring + 10**9, directed=False)
write(graph, sys.argv[1] + ".first.npz")  # whatever is loaded only once is loaded now
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = kilobytes("VmRSS")
write(graph, sys.argv[1])
print(kilobytes("VmHWM") - before)
"""
    child = subprocess.run(
        [sys.executable, "-c", code, tmp_path / f"ring{form}"],
        env={**os.environ, "PYTHONPATH": str(Path(reedsp.__file__).resolve().parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 <= int(child.stdout) * 1024 < 40 * 2**20


def test_empty_paths() -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    for name, call in (("path", lambda: reedsp.write(graph, "")), ("out", lambda: reedsp.apsp(graph, out=""))):
        with pytest.raises(ValueError, match=f"^{name}: it is empty, expected a path$"):
            call()


FLOATS = {
    "fractions": np.random.default_rng(1).random(5000),
    "few digits": np.random.default_rng(2).integers(-(10**6), 10**6, 5000) / 1000,
    "of all sizes": 10 ** np.random.default_rng(3).uniform(-300, 300, 5000),
    "special": np.array([0.0, -0.0, -2.5, 1e15, 1e16, 1e-4, 1e-5, 123456789012345.67, 0.00012345678901234567, 5e-324]),
    "with an exponent": np.array([1e300]),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats_are_written_as_python_writes_them(name: str) -> None:
    text = writers._text([writers._floats(FLOATS[name]), writers._literal("\n", len(FLOATS[name]))])
    assert text.decode().splitlines() == list(map(repr, FLOATS[name].tolist()))


@pytest.mark.parametrize("name", ["fractions", "few digits"])
def test_few_usual_floats_are_written_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes Python several times as long."""
    left: list[int] = []
    replaced = writers._replaced

    def counted(text: writers._Characters, rows: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> Any:
        left.extend(rows.tolist())
        return replaced(text, rows, values)

    monkeypatch.setattr(writers, "_replaced", counted)
    writers._floats(FLOATS[name])
    assert len(left) < 50
