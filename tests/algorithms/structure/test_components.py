"""Components by every form of kernels are those of brute force, of SciPy, and prove themselves."""

from __future__ import annotations

import dataclasses
import pickle
import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.structure.components import check, colours, depth_first, dulle, groups, ranges, selfcheck
from reedsp.algorithms.structure.components.components import METHODS
from reedsp.algorithms.structure.components.on_host import looks_from_the_last, weak_labels
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.edges.verify import VerificationError

Rows = tuple[np.ndarray, np.ndarray]
Label = Callable[[Job, Rows, np.ndarray, bool], int | None]


# ---- every form of kernels --------------------------------------------------------------------------


def in_ranges(job: Job, rows: Rows, labels: np.ndarray, symmetric: bool, parts: int = 1) -> int:
    return ranges.label_by_ranges(MatrixRows(job, *rows), symmetric, labels, parts)


def in_groups(job: Job, rows: Rows, labels: np.ndarray, symmetric: bool, sampled: bool = False) -> int:
    return groups.label_by_groups(job, groups.Edges.of_rows(MatrixRows(job, *rows)), symmetric, labels, sampled)


def in_depth(job: Job, rows: Rows, labels: np.ndarray, symmetric: bool) -> int:
    return depth_first.label_in_depth(MatrixRows(job, *rows), labels)


def by_colours(job: Job, rows: Rows, labels: np.ndarray, symmetric: bool) -> int | None:
    return colours.label_by_colours(job, groups.Edges.of_rows(MatrixRows(job, *rows)), labels)


WEAK: dict[str, Label] = {
    "one range": in_ranges,
    "three ranges": partial(in_ranges, parts=3),
    "groups": in_groups,
    "groups and a sample": partial(in_groups, sampled=True),
}
STRONG: dict[str, Label] = {"depth-first": in_depth, "colours": by_colours}


def labelled(label: Label, device: Device, rows: Rows, symmetric: bool = False) -> tuple[int | None, np.ndarray]:
    labels = np.full(len(rows[0]) - 1, -7, np.int32)
    job = Job(device, recycle=True)
    count = label(job, rows, labels, symmetric)
    job.return_borrowed()
    job.recycle()
    return count, labels


# ---- brute force ------------------------------------------------------------------------------------


def all_digraphs(n: int, loops: bool) -> np.ndarray:
    """Every directed graph of n vertices, as matrices of booleans."""
    cells = [(i, j) for i in range(n) for j in range(n) if loops or i != j]
    matrices = np.zeros((2 ** len(cells), n, n), np.bool_)
    numbers = np.arange(2 ** len(cells))
    for bit, (i, j) in enumerate(cells):
        matrices[:, i, j] = numbers >> bit & 1
    return matrices


def reached(matrices: np.ndarray) -> np.ndarray:
    """Which vertices reach which, themselves among them, by trying all ways."""
    n = matrices.shape[1]
    reach = matrices | np.eye(n, dtype=np.bool_)
    for middle in range(n):
        reach |= reach[:, :, middle, None] & reach[:, None, middle, :]
    return reach


def expected_of(matrices: np.ndarray, strong: bool, order: np.ndarray) -> np.ndarray:
    """Numbers of the components of many graphs side by side, whose vertices have the places `order`."""
    total, n = matrices.shape[0], matrices.shape[1]
    reach = reached(matrices if strong else matrices | matrices.transpose(0, 2, 1))
    together = reach & reach.transpose(0, 2, 1)
    places = order.reshape(total, 1, n)
    smallest = np.where(together, places, len(order)).min(axis=2)
    levels = np.zeros((total, n), int)
    for _ in range(n):
        levels = np.where(reach & ~together, levels[:, None, :] + 1, 0).max(axis=2)
    _, labels = np.unique(levels.ravel() * len(order) + smallest.ravel(), return_inverse=True)
    found = np.empty(len(order), np.int32)
    found[order] = labels
    return found


def side_by_side(matrices: np.ndarray, order: np.ndarray) -> Rows:
    """The rows of one graph that consists of many."""
    total, n = matrices.shape[0], matrices.shape[1]
    graph, source, target = np.nonzero(matrices)
    ends = order[graph * n + source], order[graph * n + target]
    rows = scipy.sparse.csr_array((np.ones(len(graph)), ends), shape=(total * n, total * n))
    rows.sort_indices()
    return rows.indptr, rows.indices


def check_all(name: str, n: int, loops: bool, device: Device) -> None:
    matrices = all_digraphs(n, loops)
    order = np.random.default_rng(n).permutation(len(matrices) * n)
    strong = name in STRONG
    count, labels = labelled({**WEAK, **STRONG}[name], device, side_by_side(matrices, order))
    expected = expected_of(matrices, strong, order)
    assert count == expected.max() + 1
    assert np.array_equal(labels, expected)
    if not strong:
        both = matrices | matrices.transpose(0, 2, 1)
        assert np.array_equal(labelled(WEAK[name], device, side_by_side(both, order), symmetric=True)[1], expected)


@pytest.mark.deep
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", [*WEAK, *STRONG])
def test_every_digraph(name: str, n: int, device: Device) -> None:
    check_all(name, n, loops=True, device=device)


@pytest.mark.deep
@pytest.mark.parametrize("name", [*WEAK, *STRONG])
def test_every_digraph_of_five(name: str, device: Device) -> None:
    check_all(name, 5, loops=False, device=device)


def random_rows(n: int, m: int, seed: int, index: type = np.int32) -> tuple[Rows, Any]:
    """Rows in any order, with columns that occur more than once; and the matrix."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, n, m))
    indptr = np.searchsorted(ends, np.arange(n + 1)).astype(index)
    indices = rng.integers(0, n, m).astype(index)
    return (indptr, indices), scipy.sparse.csr_array((np.ones(m), indices, indptr), shape=(n, n))


def without_doubles(matrix: Any) -> Any:
    """Of columns that are twice in a row the one to which SciPy's search comes first: SciPy 1.17 hangs on doubles."""
    step = -1 if looks_from_the_last() else 1
    rows = [matrix.indices[first:last].tolist()[::step] for first, last in pairwise(matrix.indptr.tolist())]
    columns = [list(dict.fromkeys(row))[::step] for row in rows]
    indptr = np.cumsum([0, *map(len, columns)])
    return scipy.sparse.csr_array(
        (np.ones(indptr[-1]), np.concatenate(columns).astype(int), indptr), shape=matrix.shape
    )


@pytest.mark.deep
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("at_once", [37, 1 << 22])
@pytest.mark.parametrize(("n", "m"), [(1, 0), (1, 3), (2, 1), (300, 100), (300, 330), (300, 3000), (5000, 6000)])
def test_random_graphs_in_any_order(
    n: int, m: int, at_once: int, index: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a launch does at a time, and in which order."""
    monkeypatch.setattr(device, "steps_at_once", at_once)
    monkeypatch.setattr(depth_first, "_FIRST_BUDGET", at_once)
    rows, matrix = random_rows(n, m, n + m, index)
    count, expected = scipy.sparse.csgraph.connected_components(matrix)
    for label in WEAK.values():
        found = labelled(label, device, rows)
        assert found[0] == count
        assert np.array_equal(found[1], expected)
    if at_once < n and n > 300:
        return  # rounds over all edges, thirty at a time
    count, expected = scipy.sparse.csgraph.connected_components(without_doubles(matrix), connection="strong")
    found = labelled(in_depth, device, rows)
    others = labelled(by_colours, device, rows)
    assert found[0] == others[0] == count
    assert np.array_equal(found[1], others[1])
    assert len(set(zip(expected.tolist(), found[1].tolist(), strict=True))) == count
    done = np.empty(n, np.int32)
    assert depth_first.label_as_done(MatrixRows(Job(device), *rows), done, looks_from_the_last()) == count
    assert np.array_equal(done, expected)  # SciPy's own numbers
    depth_first.label_as_done(MatrixRows(Job(device), *rows), done, descending=False)
    by_networkx = list(nx.strongly_connected_components(in_order(rows)))
    assert [set(np.flatnonzero(done == number)) for number in range(count)] == by_networkx


@pytest.mark.deep("255-False")
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("n", [255, 256, 257, 1000, 5000])
def test_tiles_of_several_steps(n: int, sampled: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_GROUP_SIZE", 8)
    monkeypatch.setattr(groups, "_MOST_TILES", 8)
    for m in (0, n // 2, 2 * n):
        rows, matrix = random_rows(n, m, n + m)
        count, expected = scipy.sparse.csgraph.connected_components(matrix)
        found = labelled(partial(in_groups, sampled=sampled), device, rows)
        assert found[0] == count
        assert np.array_equal(found[1], expected)


@pytest.mark.deep("False")
@pytest.mark.parametrize("sampled", [False, True])
def test_vertices_that_others_settle_meanwhile(sampled: bool, device: Device) -> None:
    """Ways to roots are long and shared, and work-groups walk them at the same time."""
    n = 100_000
    rng = np.random.default_rng(n)
    tails = rng.integers(0, n, n)
    heads = np.minimum(tails + rng.integers(1, 50, n), n - 1)
    matrix = scipy.sparse.coo_array((np.ones(n), (heads, tails)), shape=(n, n)).tocsr()
    expected = scipy.sparse.csgraph.connected_components(matrix)
    rows = matrix.indptr, matrix.indices
    for _ in range(3):
        found = labelled(partial(in_groups, sampled=sampled), device, rows)
        assert found[0] == expected[0]
        assert np.array_equal(found[1], expected[1])


def test_a_sample_of_the_edges_where_there_are_many(device: Device) -> None:
    launched = []
    for m in (3000, 30_000):
        rows, matrix = random_rows(500, m, m)
        job, labels = Job(device), np.empty(500, np.int32)
        edges = groups.Edges.of_rows(MatrixRows(job, *rows))
        before = job.kernels_launched
        groups.label_by_groups(job, edges, False, labels)
        launched.append(job.kernels_launched - before)
        assert np.array_equal(labels, scipy.sparse.csgraph.connected_components(matrix)[1])
    assert launched == [5, 6]


def in_order(rows: Rows) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(rows[0]) - 1))
    tails = np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]))
    graph.add_edges_from(zip(tails.tolist(), rows[1].tolist(), strict=True))
    return graph


def path_of(n: int, order: np.ndarray) -> Rows:
    rows = scipy.sparse.csr_array((np.ones(n - 1), (order[:-1], order[1:])), shape=(n, n))
    return rows.indptr, rows.indices


@pytest.mark.deep
@pytest.mark.parametrize("name", [*WEAK, "depth-first"])
@pytest.mark.parametrize("shape", ["path", "path backwards", "path at random", "star", "star inwards", "apart"])
def test_a_million_vertices(shape: str, name: str, device: Device) -> None:
    n = 10**6
    order = np.arange(n)
    if shape == "path backwards":
        order = order[::-1]
    elif shape == "path at random":
        order = np.random.default_rng(1).permutation(n)
    rows = path_of(n, order)
    if shape == "star":
        rows = np.concatenate(([0], np.full(n, n - 1))), np.arange(1, n)
    elif shape == "star inwards":
        rows = np.append(np.arange(n), n - 1), np.full(n - 1, n - 1)
    elif shape == "apart":
        rows = np.zeros(n + 1, int), np.empty(0, int)
    count, labels = labelled({**WEAK, **STRONG}[name], device, (rows[0].astype(np.int32), rows[1].astype(np.int32)))
    if name == "depth-first":
        position = np.empty(n, int)
        position[order] = np.arange(n)
        expected = {
            "star": np.append(n - 1, np.arange(n - 1)),
            "star inwards": np.append(np.arange(1, n), 0),
            "apart": np.arange(n),
        }.get(shape, n - 1 - position)
        assert count == n
        assert np.array_equal(labels, expected)
    else:
        assert count == (n if shape == "apart" else 1)
        assert np.array_equal(labels, np.arange(n) if shape == "apart" else np.zeros(n))


@pytest.mark.deep("three ranges", "one range")
@pytest.mark.parametrize("name", WEAK)
def test_edges_between_ranges_only(name: str, device: Device) -> None:
    """No vertex is connected to one of its own range, and chains go back and forth between the ranges."""
    n = 3000
    order = np.arange(n).reshape(3, -1).T.ravel()
    count, labels = labelled(WEAK[name], device, path_of(n, order))
    assert (count, labels.max()) == (1, 0)


# ---- the function -----------------------------------------------------------------------------------


def known(directed: bool = True) -> reedsp.Graph:
    labels = ["Bern", "Thun", "Chur", "Genf", "Olten", "Brig"]
    return reedsp.Graph.from_edges(6, [0, 1, 2, 3, 3], [1, 0, 1, 4, 3], directed=directed, labels=labels)


@pytest.mark.deep("auto")
@pytest.mark.parametrize("method", METHODS["weak"])
def test_weak(method: Any, device: Device) -> None:
    found = reedsp.connected_components(known(), method=method, device=device)
    assert (found.connection, found.count, len(found)) == ("weak", 3, 3)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 2]
    assert found.labels.dtype == np.int32
    assert found.method == ("dulle" if method == "dulle" else "fast")
    assert found.device == str(device)
    assert found.verify()


@pytest.mark.deep("colours")
@pytest.mark.parametrize("method", METHODS["strong"])
def test_strong(method: Any, device: Device) -> None:
    found = reedsp.connected_components(known(), "strong", method, device=device)
    assert found.labels.tolist() == [0, 0, 3, 4, 1, 2]
    usual = "depth-first" if device.kind == "cpu" else "colours"
    assert (found.count, found.method) == (5, usual if method == "auto" else method)
    assert found.verify()


@pytest.mark.deep("auto")
@pytest.mark.parametrize("method", METHODS["strong"])
def test_without_direction_both_are_the_same(method: Any, device: Device) -> None:
    found = reedsp.connected_components(known(directed=False), "strong", method, device=device)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 2]
    assert found.verify()


def test_what_a_result_says(device: Device, tmp_path: Path) -> None:
    found = reedsp.connected_components(known(), device=device)
    assert found.sizes.tolist() == [3, 2, 1]
    assert found.largest == 0
    assert found.component("Genf") == 1
    assert found.vertices(1) == ["Genf", "Olten"]
    assert np.array_equal(np.asarray(found), found.labels)
    text = r"<reedsp.Components: 3 connected components of 6 vertices, the largest has 3, fast, \S+ ms on .*>"
    assert re.fullmatch(text, repr(found))
    strong = reedsp.connected_components(known(), "strong", device=device)
    assert "5 strongly connected components of 6 vertices" in repr(strong)
    assert "&#x27;Genf&#x27;" in found._repr_html_()
    assert set(found.stats) == {
        *("device", "why", "kernels_launched", "milliseconds", "bytes_to_device", "bytes_from_device"),
        *("bytes_allocated", "phases"),
    }
    assert found.stats["kernels_launched"] > 0
    stream = BytesIO()
    found.write_csv(stream)
    assert stream.getvalue().decode().splitlines()[:3] == ["vertex,component", "Bern,0", "Thun,0"]
    found.save(tmp_path / "parts.csv")
    assert (tmp_path / "parts.csv").read_bytes() == stream.getvalue()
    with pytest.raises(FileExistsError):
        found.save(tmp_path / "parts.csv")
    again = pickle.loads(pickle.dumps(found))
    assert again._device is None
    assert again.verify()


@pytest.mark.parametrize("connection", METHODS)
def test_no_vertices(connection: Any, device: Device) -> None:
    for method in METHODS[connection]:
        found = reedsp.connected_components(reedsp.Graph.from_edges(0, [], []), connection, method, device=device)
        assert (found.count, found.labels.tolist(), found.sizes.tolist(), found.largest) == (0, [], [], None)
        assert method in ("auto", found.method)
        assert found.verify()
        assert "0 " in repr(found)
        assert found._repr_html_()


@pytest.mark.parametrize("connection", METHODS)
def test_every_kind_of_graph(connection: Any, device: Device) -> None:
    """Stored zeros are edges, infinity is none; weights do not matter else."""
    matrix = scipy.sparse.csr_array(([0.0, np.inf, -3.5, 0.0], ([0, 1, 2, 3], [1, 2, 3, 2])), shape=(4, 4))
    dense = np.array([[0, 5, 0, 0], [0, 0, np.inf, 0], [0, 0, 0, -1], [0, 0, 2, 0]])
    graph = nx.DiGraph([("a", "b"), ("c", "d"), ("d", "c")])
    expected = [0, 0, 1, 1] if connection == "weak" else [2, 0, 1, 1]
    for given in (matrix, matrix.tocsc(), matrix.tocoo(), dense, graph, dense.tolist()):
        found = reedsp.connected_components(given, connection, device=device)
        assert found.labels.tolist() == expected
    assert found.graph.n == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("both",), "connection = 'both', expected one of 'weak', 'strong'"),
        (("weak", "colours"), "method = 'colours', expected one of 'auto', 'fast', 'dulle'"),
        (("strong", "fast"), "method = 'fast', expected one of 'auto', 'depth-first', 'colours'"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], message: str, device: Device) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        reedsp.connected_components(known(), *arguments, device=device)


def test_wrong_vertices_and_components(device: Device) -> None:
    found = reedsp.connected_components(known(), device=device)
    with pytest.raises(ValueError, match="vertex = 'Basel' is not a vertex of this graph"):
        found.component("Basel")
    for number in (-1, 3):
        with pytest.raises(ValueError, match=f"component = {number} is not the number of one of 3 components"):
            found.vertices(number)
    with pytest.raises(TypeError, match="component"):
        found.vertices("Bern")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected a name that ends in \.csv"):
        found.save("parts.txt")
    with pytest.raises(TypeError, match=r"graph: expected a reedsp\.Graph"):
        reedsp.connected_components("roads")  # type: ignore[arg-type]


def test_a_matrix_has_a_limit(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = known()
    reedsp.connected_components(graph, method="dulle", device=device)  # its kernels' trial has a larger graph
    monkeypatch.setattr(dulle, "LARGEST", 5)
    message = "method: 'dulle' takes a matrix of at most 5 vertices, the graph has 6"
    with pytest.raises(ValueError, match=message):
        reedsp.connected_components(graph, method="dulle", device=device)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 64, 65, 200])
def test_dulle(n: int, device: Device) -> None:
    """The rounds that the thesis names are enough: of random graphs, and of paths in the worst orders."""
    rng = np.random.default_rng(n)
    evens = np.concatenate((np.arange(0, n, 2), np.arange(1, n, 2)))
    for order in (np.arange(n), np.arange(n)[::-1], rng.permutation(n), evens):
        graph = reedsp.Graph.from_edges(n, order[:-1], order[1:])
        found = reedsp.connected_components(graph, method="dulle", device=device)
        assert (found.count, found.stats["rounds"]) == (1, int(np.ceil(np.log2(n))))
    for m in (n // 2, n, 2 * n):
        graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)))
        found = reedsp.connected_components(graph, method="dulle", device=device)
        assert np.array_equal(found.labels, scipy.sparse.csgraph.connected_components(graph.to_scipy())[1])


def test_every_small_digraph_by_dulle(device: Device) -> None:
    matrices = all_digraphs(3, loops=True)[::2]  # a loop at one vertex changes nothing
    for first in range(0, len(matrices), 64):
        some = matrices[first : first + 64]
        order = np.arange(3 * len(some))
        graph = reedsp.Graph(*side_by_side(some, order))
        found = reedsp.connected_components(graph, method="dulle", device=device)
        assert np.array_equal(found.labels, expected_of(some, False, order))


# ---- other devices ----------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("connection", METHODS)
def test_the_same_bytes_on_every_kind(
    connection: Any, kind: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, matrix = random_rows(2000, 2600, 5)
    graph = reedsp.Graph.from_scipy(matrix)
    expected = reedsp.connected_components(graph, connection, device=device).labels
    monkeypatch.setattr(device, "kind", kind)
    found = reedsp.connected_components(graph, connection, device=device)
    assert found.labels.tobytes() == expected.tobytes()
    assert found.method == {"weak": "fast", "strong": "depth-first" if kind == "cpu" else "colours"}[connection]
    assert found.verify()


def test_a_deep_graph_is_for_one_work_item(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    reedsp.connected_components(known(), "strong", device=device)  # its trial takes more rounds
    monkeypatch.setattr(colours, "_MOST_ROUNDS", 20)
    graph = reedsp.Graph.from_edges(100, np.arange(99), np.arange(1, 100))
    found = reedsp.connected_components(graph, "strong", device=device)
    assert (found.method, found.stats["why"]) == ("depth-first", "the graph is too deep for rounds over all its edges")
    assert np.array_equal(found.labels, np.arange(100)[::-1])
    with pytest.raises(DeviceError, match="method 'colours': the graph is too deep"):
        reedsp.connected_components(graph, "strong", "colours", device=device)


def test_rounds_end_when_one_work_item_would_be_done(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in launches; what is asked for is not given up so soon."""
    monkeypatch.setattr(device, "kind", "gpu")
    reedsp.connected_components(known(), "strong", device=device)
    monkeypatch.setattr(colours, "_FEW_ROUNDS", 50)
    launched = {}
    for n in (150, 3000):
        graph = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n))
        found = reedsp.connected_components(graph, "strong", device=device)
        assert np.array_equal(found.labels, np.arange(n)[::-1])
        assert found.method == "depth-first"
        launched[n] = found.stats["kernels_launched"]
        asked = reedsp.connected_components(graph, "strong", "colours", device=device)
        assert np.array_equal(found.labels, asked.labels)
        assert asked.stats["kernels_launched"] > launched[n]
    assert launched[3000] < launched[150] + 2 * ((3000 + 2999) // 64 - 50) + 20
    shallow = reedsp.Graph.from_edges(20, np.arange(19), np.arange(1, 20))
    assert reedsp.connected_components(shallow, "strong", device=device).method == "colours"


@pytest.mark.parametrize("connection", METHODS)
def test_forms_that_fail_are_put_aside(connection: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    preferred = {"weak": "ranges", "strong": "depth-first"}[connection]
    is_right = selfcheck.finds_known_components

    def fails(device: Device, form: str, *types: Any) -> bool:
        return form != preferred and is_right(device, form, *types)  # type: ignore[arg-type]

    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setattr(selfcheck, "finds_known_components", fails)
    with pytest.warns(RuntimeWarning, match=f"components by {preferred} gives a wrong answer"):
        found = reedsp.connected_components(known(), connection, device=device)
    assert found.stats["why"] == f"{preferred} gives wrong answers on this device, or fails"
    assert found.verify()


def test_a_trial_counts_the_components(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    types = "depth-first", "int64", "int32", False
    assert selfcheck.finds_known_components(device, *types)  # type: ignore[arg-type]
    right = selfcheck.label_in_depth
    monkeypatch.setattr(selfcheck, "label_in_depth", lambda rows, labels: right(rows, labels) + 1)
    assert not selfcheck.finds_known_components(device, *types)  # type: ignore[arg-type]


def test_no_form_is_right(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "finds_known_components", lambda *arguments: False)
    for connection in METHODS:
        with (
            pytest.warns(RuntimeWarning),
            pytest.raises(DeviceError, match=r"connected components by .* and .* gives wrong answers, or fails"),
        ):
            reedsp.connected_components(known(), connection, device=device)  # type: ignore[arg-type]
    with pytest.warns(RuntimeWarning), pytest.raises(DeviceError, match="Dulle's components are wrong, or fail"):
        reedsp.connected_components(known(), method="dulle", device=device)


def test_the_host_finds_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    for n, m in ((0, 0), (1, 0), (5, 3), (300, 310), (300, 1000), (2000, 1500)):
        graph = reedsp.Graph.from_scipy(random_rows(n, m, n)[1])
        for connection in METHODS:
            on_host, on_device = (
                reedsp.connected_components(graph, connection, device=each)  # type: ignore[arg-type]
                for each in (None, device)
            )
            assert (on_host.device, on_host.stats["kernels_launched"]) == (place.HOST, 0)
            assert on_device.device == str(device)
            assert (on_host.count, on_host.labels.tobytes()) == (on_device.count, on_device.labels.tobytes())
            assert on_host.labels.dtype == on_device.labels.dtype
            assert set(on_host.stats) == set(on_device.stats)
            assert on_host.method == {"weak": "fast", "strong": "depth-first"}[connection]
            assert on_host.verify()
    assert weak_labels(np.array([0, 1, 1]), np.array([1], np.int32))[0] == 1


# ---- answers that are wrong -------------------------------------------------------------------------

TWO_RINGS = reedsp.Graph.from_edges(6, [0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], labels=list("abcdef"))
APART = reedsp.Graph.from_edges(6, [0, 1, 3], [1, 2, 4], labels=list("abcdef"))
FAULTS = {
    "wrong split": (
        APART,
        "weak",
        [0, 0, 1, 2, 2, 3],
        "vertex 'b': its component is 0, but it has an edge to vertex 'c'",
    ),
    "wrong merge": (APART, "weak", [0, 0, 0, 0, 0, 1], "2 components, but 3 cannot be joined by edges"),
    "wrong order": (APART, "weak", [1, 1, 1, 0, 0, 2], "vertex 'a': its component, 1, should have a lower number"),
    "a number left out": (APART, "weak", [0, 0, 0, 1, 1, 3], "no vertex has component 2"),
    "negative": (APART, "weak", [0, 0, 0, 1, 1, -2], "vertex 'f': no component has the number -2"),
    "too large": (APART, "weak", [0, 0, 0, 1, 1, 6], "vertex 'f': no component has the number 6"),
    "strong, wrong split": (
        *(TWO_RINGS, "strong", [1, 1, 2, 0, 0, 0]),
        "vertex 'b': its component is 1, but it has an edge to vertex 'c' of component 2",
    ),
    "strong, wrong merge": (
        *(TWO_RINGS, "strong", [0, 0, 0, 0, 0, 0]),
        "vertex 'a' of the same component",
    ),
    "strong, upside down": (TWO_RINGS, "strong", [0, 0, 0, 1, 1, 1], "vertex 'c': its component is 0"),
    "strong, wrong order": (APART, "strong", [4, 3, 1, 5, 0, 2], "vertex 'c': its component, 1, should have a lower"),
    "strong, wrong level": (APART, "strong", [5, 2, 0, 4, 1, 3], "vertex 'f': its component, 3, should have a lower"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, device: Device) -> None:
    graph, connection, labels, message = FAULTS[fault]
    found = reedsp.connected_components(graph, connection, device=device)  # type: ignore[arg-type]
    assert found.verify()
    found.labels[:] = labels
    with pytest.raises(VerificationError, match=message):
        found.verify()


def test_random_faults_are_seen(device: Device) -> None:
    rng = np.random.default_rng(4)
    graph = reedsp.Graph.from_scipy(random_rows(60, 70, 8)[1])
    for connection in ("weak", "strong"):
        found = reedsp.connected_components(graph, connection, device=device)  # type: ignore[arg-type]
        right = found.labels.copy()
        for _ in range(15):
            vertex, other = rng.integers(0, 60, 2)
            found.labels[:] = right
            found.labels[vertex] = right[other] if rng.random() < 0.7 else rng.integers(0, found.count)
            if not np.array_equal(found.labels, right):
                with pytest.raises(VerificationError):
                    found.verify()


def test_other_arrays_are_no_labels(device: Device) -> None:
    for labels in (np.zeros(5, np.int32), np.zeros(6, np.int64)):
        with pytest.raises(VerificationError, match="expected 6 numbers of type int32"):
            check.verify_labels(APART, labels, False, device)


def test_another_count_is_seen(device: Device) -> None:
    for graph in (known(), reedsp.Graph.from_edges(0, [], [])):
        found = reedsp.connected_components(graph, device=device)
        wrong = dataclasses.replace(found, count=7)
        with pytest.raises(VerificationError, match=f"^count is 7, but there are {found.count} components$"):
            wrong.verify()
