"""Maximum matchings: how many pairs there are is compared, that they are pairs is checked; never which ones."""

from __future__ import annotations

import dataclasses
import functools
import pickle
import re
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.structure.matching import (
    balls,
    biadjacency,
    check,
    depth_first,
    karp_sipser,
    on_host,
    one_work_item,
    phases,
    sides,
    solve,
)
from reedsp.algorithms.structure.matching.result import Matching
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from tests.support import bipartite

METHODS = ("depth-first", "phases", "dulle", "khosla")
KINDS = ("cpu", "gpu")
FAMILIES = dict(bipartite.families())

IS_TRUSTED = solve.is_trusted


@pytest.fixture(autouse=True)
def _untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without trials, whose verdicts settings that a test changes would not be known to."""
    monkeypatch.setattr(solve, "is_trusted", lambda *_: True)


@pytest.fixture(params=KINDS)
def pretender(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, and one that pretends to be of each kind, with small work-groups."""
    monkeypatch.setattr(device, "kind", request.param)
    monkeypatch.setattr(phases, "_GROUP_SIZE", 32)
    monkeypatch.setattr(sides, "_GROUP_SIZE", 16)
    return device


def assert_right(matching: Matching, matrix: Any, pairs: int) -> None:
    """By rules of its own, and by those of the library."""
    dense = scipy.sparse.coo_array(matrix)
    entries = set(zip(dense.row.tolist(), dense.col.tolist(), strict=True))
    columns, rows = matching.column_of_row, matching.row_of_column
    assert columns.dtype == rows.dtype == np.int32
    assert (len(columns), len(rows)) == matrix.shape
    matched = np.flatnonzero(columns >= 0)
    assert len(matched) == pairs == matching.cardinality == len(matching) == np.count_nonzero(rows >= 0)
    assert np.array_equal(rows[columns[matched]], matched)
    assert entries.issuperset(zip(matched.tolist(), columns[matched].tolist(), strict=True))
    cover = matching.cover()
    assert len(cover.rows) + len(cover.columns) == pairs
    covered_rows, covered_columns = set(cover.rows.tolist()), set(cover.columns.tolist())
    assert all(row in covered_rows or column in covered_columns for row, column in entries)
    assert matching.verify()


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FAMILIES)
def test_every_method(name: str, method: Any, pretender: Device) -> None:
    matrix = FAMILIES[name]
    found = reedsp.maximum_matching(matrix, method, device=pretender)
    assert found.method == method
    assert_right(found, matrix, bipartite.cardinality(matrix))


@functools.cache
def all_of(n: int, columns: int, step: int) -> Any:
    """Return many small graphs as one, each with rows and columns of its own."""
    numbers = np.arange(0, 1 << n * columns, step)
    graph, bit = np.nonzero(numbers[:, np.newaxis] >> np.arange(n * columns) & 1)
    ends = graph * n + bit // columns, graph * columns + bit % columns
    matrix = scipy.sparse.csr_array(
        (np.ones(len(bit), np.int8), ends), shape=(n * len(numbers), columns * len(numbers))
    )
    return matrix, sum(bipartite.most_pairs(bipartite.rows_of_bits(each, n, columns)) for each in numbers.tolist())


@pytest.mark.deep("gpu-Portable-0-depth-first", "cpu-Portable-0-phases", "gpu")
@pytest.mark.parametrize("method", ["depth-first", "phases"])
def test_small_graphs_side_by_side(method: Any, pretender: Device) -> None:
    matrix, pairs = all_of(4, 4, 97)
    assert_right(reedsp.maximum_matching(matrix, method, device=pretender), matrix, pairs)


@pytest.mark.deep
@pytest.mark.parametrize("method", ["depth-first", "phases"])
def test_all_small_graphs_side_by_side(method: Any, device: Device) -> None:
    matrix, pairs = all_of(4, 4, 1)
    assert_right(reedsp.maximum_matching(matrix, method, device=device), matrix, pairs)


def assert_right_by_balls(rows: list[list[int]], columns: int, device: Device) -> None:
    """Without a look at the trials, which takes as long as this."""
    matrix, job = biadjacency.pattern_of(bipartite.of_rows(rows, columns)), Job(device)
    if matrix.m == 0:
        return
    for find in (balls.solve_in_rounds, balls.solve_by_search):
        both = sides.Sides(job, matrix)
        (of_rows, _), _ = find(both)
        both.close()
        assert np.count_nonzero(of_rows >= 0) == bipartite.most_pairs(rows)
        assert all(of_rows[row] in [-1, *rows[row]] for row in range(len(rows)))


def test_small_graphs_by_balls(device: Device) -> None:
    """Each by itself: a ball gives up when a label is larger than the number of bins."""
    for bits in range(0, 1 << 16, 1999):
        assert_right_by_balls(bipartite.rows_of_bits(bits, 4, 4), 4, device)
    for bits in range(1 << 6):
        assert_right_by_balls(bipartite.rows_of_bits(bits, 2, 3), 3, device)


@pytest.mark.deep
def test_all_small_graphs_by_balls(device: Device) -> None:
    """But for the order of the balls, of which two are tried."""
    some = [[column for column in range(4) if bits >> column & 1] for bits in range(16)]
    for rows in combinations_with_replacement(some, 4):
        for order in (rows, rows[::-1]):
            assert_right_by_balls(list(order), 4, device)


def assert_right_by_depth_first(matrix: Any, device: Device) -> None:
    graph, job = biadjacency.pattern_of(matrix), Job(device)
    if graph.m == 0:
        return
    rows = sides.Rows(job, graph)
    (of_rows, of_columns), _ = depth_first.solve(rows)
    rows.close()
    matched = np.flatnonzero(of_rows >= 0)
    assert len(matched) == np.count_nonzero(of_columns >= 0) == bipartite.cardinality(matrix)
    assert np.array_equal(of_columns[of_rows[matched]], matched)
    assert all(of_rows[row] in matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]] for row in matched.tolist())


def test_small_graphs_one_after_the_other(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is matched when no choice is left, and whether anything is left to search, depends on all of a graph."""
    for bits in range(1 << 9):
        assert_right_by_depth_first(bipartite.of_rows(bipartite.rows_of_bits(bits, 3, 3), 3), device)
    rng = np.random.default_rng(9)
    for budget in (1, 1 << 18):
        monkeypatch.setattr(one_work_item, "_MOST", budget)
        for _ in range(120):  # columns in any order, some of them twice
            size = int(rng.integers(2, 9))
            rows = [rng.integers(0, size, count).tolist() for count in rng.integers(0, 5, int(rng.integers(2, 9)))]
            assert_right_by_depth_first(bipartite.of_rows(rows, size), device)


@pytest.mark.parametrize("most", [2, 3, 5])
def test_hubs_come_last(most: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they take is not known before, nor that paths need not lead through what others have taken."""
    monkeypatch.setattr(karp_sipser, "_HUB", 0)
    monkeypatch.setattr(karp_sipser, "_FEWEST_OF_HUB", most)
    rng = np.random.default_rng(most)
    for budget in (1, 1 << 18):
        monkeypatch.setattr(one_work_item, "_MOST", budget)
        for _ in range(120):
            size = int(rng.integers(3, 11))
            rows = [rng.integers(0, size, count).tolist() for count in rng.integers(0, 7, int(rng.integers(3, 11)))]
            assert_right_by_depth_first(bipartite.of_rows(rows, size), device)
    for matrix in FAMILIES.values():
        assert_right_by_depth_first(matrix, device)


@pytest.mark.deep
def test_many_small_graphs_one_after_the_other(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for bits in range(1 << 12):
        assert_right_by_depth_first(bipartite.of_rows(bipartite.rows_of_bits(bits, 4, 3), 3), device)
    for bits in range(0, 1 << 16, 23):
        assert_right_by_depth_first(bipartite.of_rows(bipartite.rows_of_bits(bits, 4, 4), 4), device)
    monkeypatch.setattr(karp_sipser, "_HUB", 0)
    monkeypatch.setattr(karp_sipser, "_FEWEST_OF_HUB", 2)
    for bits in range(0, 1 << 16, 23):
        assert_right_by_depth_first(bipartite.of_rows(bipartite.rows_of_bits(bits, 4, 4), 4), device)


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_the_same_pairs_on_every_device_and_in_every_run(
    method: Any, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whatever is done at a time, in work-groups of whatever size."""
    matrix = bipartite.random(400, 380, 2.5, 7)
    first = reedsp.maximum_matching(matrix, method, device=device)
    for kind, group, piece in (("cpu", 32, 5), ("gpu", 8, 1 << 14), ("gpu", 32, 5)):
        monkeypatch.setattr(device, "kind", kind)
        monkeypatch.setattr(phases, "_GROUP_SIZE", group)
        monkeypatch.setattr(phases, "_FIRST_LEVELS", 1)
        monkeypatch.setattr(sides, "_FEWEST_ENTRIES", 50 * piece)
        for module in (sides, karp_sipser):
            monkeypatch.setattr(module, "_LONGEST_STEP", 11)
            monkeypatch.setattr(module, "_PIECE", piece)
        monkeypatch.setattr(one_work_item, "_MOST", 3)
        monkeypatch.setattr(balls, "_CPU_PIECE", piece)
        monkeypatch.setattr(balls, "_FIRST_BUDGET", 3)
        again = reedsp.maximum_matching(matrix, method, device=device)
        assert again.column_of_row.tobytes() == first.column_of_row.tobytes()
        assert again.row_of_column.tobytes() == first.row_of_column.tobytes()


@pytest.mark.deep("cpu")
def test_hubs_wait_for_the_phases(pretender: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """And without rounds of offers everything is left to them."""
    matrix = FAMILIES["random 300 x 280, 2"]
    for degree, rounds in ((2, 24), (4096, 0)):
        monkeypatch.setattr(phases, "_MOST_DEGREE", degree)
        monkeypatch.setattr(phases, "_MOST_ROUNDS", rounds)
        found = reedsp.maximum_matching(matrix, "phases", device=pretender)
        assert_right(found, matrix, bipartite.cardinality(matrix))
        assert found.stats["augmented"] > 0


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0), (2, 2)])
def test_01_without_entries(shape: tuple[int, int], index: type, device: Device) -> None:
    matrix = scipy.sparse.csr_array(shape)
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    found = reedsp.maximum_matching(matrix, device=device)
    assert_right(found, matrix, 0)
    assert found.pairs() == []
    assert found.stats["kernels_launched"] == 0


@pytest.mark.deep("int64", "cpu")
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_36_wide_indices(index: type, pretender: Device) -> None:
    matrix = bipartite.random(80, 70, 2, 5, index)
    for method in METHODS:
        found = reedsp.maximum_matching(matrix, method, device=pretender)  # type: ignore[arg-type]
        assert_right(found, matrix, bipartite.cardinality(matrix))


@pytest.mark.deep
@pytest.mark.parametrize("method", ["depth-first", "phases"])
def test_49_50_star_and_path_of_a_million(method: Any, device: Device) -> None:
    million = 10**6
    ends = np.repeat(np.arange(million), 2)
    ends = np.stack([ends, ends + np.tile([0, 1], million)])
    path = scipy.sparse.csr_array((np.ones(2 * million, np.int8), ends), shape=(million, million + 1))
    found = reedsp.maximum_matching(path, method, device=device)
    assert found.cardinality == million
    assert found.verify()
    star = scipy.sparse.csr_array(np.ones((1, million), np.int8))
    for matrix in (star, star.T.tocsr()):
        found = reedsp.maximum_matching(matrix, method, device=device)
        assert found.cardinality == 1
        assert found.verify()


@pytest.mark.deep
def test_a_large_grid(device: Device) -> None:
    """SciPy is not done with it in a minute."""
    found = reedsp.maximum_matching(bipartite.grid(1000), device=device)
    assert found.cardinality == 499_935
    assert found.verify()


# ---- what is a graph --------------------------------------------------------------------------------


@pytest.mark.deep("csr")
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_34_formats(form: str, device: Device) -> None:
    dense = (np.random.default_rng(3).random((9, 12)) < 0.2).astype(float)
    matrix = scipy.sparse.csr_array(dense).asformat(form)
    for method in METHODS:
        found = reedsp.maximum_matching(matrix, method, device=device)  # type: ignore[arg-type]
        assert_right(found, scipy.sparse.csr_array(dense), bipartite.cardinality(scipy.sparse.csr_array(dense)))


def test_07_stored_zeros_are_edges_unless_the_format_stores_its_own(device: Device) -> None:
    zeros = scipy.sparse.csr_array((np.array([0.0, np.nan, np.inf]), [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert reedsp.maximum_matching(zeros, device=device).cardinality == 2
    block = scipy.sparse.bsr_array(np.array([[0.0, 1], [0, 1]]), blocksize=(2, 2))
    assert reedsp.maximum_matching(block, device=device).cardinality == 1
    diagonal = scipy.sparse.dia_array((np.array([[0.0, 1]]), [0]), shape=(2, 2))
    assert reedsp.maximum_matching(diagonal, device=device).pairs() == [(1, 1)]


def test_unused_room_behind_the_entries(device: Device) -> None:
    matrix = scipy.sparse.csr_array((2, 2))
    matrix.indptr, matrix.indices, matrix.data = np.array([0, 1, 1]), np.array([1, 7]), np.ones(2)
    assert reedsp.maximum_matching(matrix, device=device).pairs() == [(0, 1)]
    blocks = scipy.sparse.bsr_array(np.eye(4), blocksize=(2, 2))
    blocks.indices, blocks.data = np.append(blocks.indices, [9, 9]), np.concatenate([blocks.data, np.ones((2, 2, 2))])
    assert reedsp.maximum_matching(blocks, device=device).pairs() == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_08_33_dense_matrices(device: Device) -> None:
    assert reedsp.maximum_matching([[0, 1, 0], [0, 2, 0]], device=device).cardinality == 1
    assert reedsp.maximum_matching(np.array([[0, np.inf], [1, 0]]), device=device).pairs() == [(1, 0)]
    masked = np.ma.MaskedArray(np.array([[0.0, 1], [np.inf, np.nan]]), [[False, True], [False, True]])
    assert reedsp.maximum_matching(masked, device=device).pairs() == [(0, 0)]
    assert reedsp.maximum_matching(np.ones((2, 2), bool), device=device).cardinality == 2


def test_directed_graphs_are_rows_and_columns(device: Device) -> None:
    """Of a path all but one vertex are matched on each side, a loop is an edge."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 3], labels=["a", "b", "c", "d"])
    found = reedsp.maximum_matching(graph, device=device)
    assert_right(found, graph.to_scipy(), 3)
    assert set(found.pairs()) < {("a", "b"), ("b", "c"), ("c", "d"), ("d", "d")}
    assert found.row_names == found.column_names == ("a", "b", "c", "d")
    assert reedsp.maximum_matching(nx.DiGraph([("a", "b")]), device=device).pairs() == [("a", "b")]


def test_the_sides_of_undirected_graphs_are_found(device: Device) -> None:
    graph = nx.disjoint_union_all([nx.star_graph(3), nx.path_graph(5), nx.cycle_graph(6), nx.empty_graph(2)])
    named = nx.relabel_nodes(graph, {node: f"v{node}" for node in graph})
    expected = sum(
        len(nx.bipartite.hopcroft_karp_matching(graph.subgraph(part))) // 2 for part in nx.connected_components(graph)
    )
    found = reedsp.maximum_matching(named, device=device)
    assert found.cardinality == expected == 6
    assert found.verify()
    assert set(found.row_names) >= {"v0", "v15", "v16"}
    assert sorted([*found.row_names, *found.column_names]) == sorted(named)
    assert all(named.has_edge(*pair) for pair in found.pairs())
    assert reedsp.maximum_matching(reedsp.Graph.from_networkx(named), device=device).pairs() == found.pairs()


def test_one_side_is_given(device: Device) -> None:
    graph = nx.complete_bipartite_graph(2, 3)
    for rows in ([2, 3, 4], {2, 3, 4}, np.array([4, 3, 2])):
        found = reedsp.maximum_matching(graph, rows=rows, device=device)
        assert found.row_names == (2, 3, 4)
        assert found.column_names == (0, 1)
        assert found.cardinality == 2
        assert found.verify()
    both_ways = reedsp.Graph.from_edges(4, [0, 3, 1, 2], [2, 0, 3, 1], offset=10)
    found = reedsp.maximum_matching(both_ways, rows=[10, 11], device=device)
    assert sorted(found.pairs()) in ([(10, 12), (11, 13)], [(10, 13), (11, 12)])
    square = scipy.sparse.csr_array(([1, 1], ([0, 1], [2, 2])), shape=(3, 3))
    assert reedsp.maximum_matching(square, rows=[0, 1], device=device).cardinality == 1
    nothing = reedsp.maximum_matching(reedsp.Graph.from_edges(2, [], []), rows=[], device=device)
    assert (len(nothing.column_of_row), len(nothing.row_of_column)) == (0, 2)


CORRUPT = {
    "columns": ([0, 1, 2], [0, 2], r"^graph.indices\[1\] = 2, expected a number from 0 to 1$"),
    "negative columns": ([0, 1, 2], [0, -1], r"^graph.indices\[1\] = -1, expected a number from 0 to 1$"),
    "descending": ([0, 2, 1, 2], [0, 1], r"^graph.indptr\[1\] = 2, but graph.indptr\[2\] = 1: row pointers ascend$"),
    "beyond": ([0, 9, 2], [0, 1], r"^graph.indptr\[1\] = 9, but graph.indptr\[2\] = 2: row pointers ascend$"),
    "negative": ([0, -1, 2], [0, 1], r"^graph.indptr\[0\] = 0, but graph.indptr\[1\] = -1: row pointers ascend$"),
    "begin": ([1, 1, 2], [0, 1], "do not lead from 0"),
    "end": ([0, 1, 3], [0, 1], "do not lead from 0"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CORRUPT)
def test_37_corrupt_arrays(name: str, method: Any, pretender: Device) -> None:
    indptr, indices, message = CORRUPT[name]
    matrix = scipy.sparse.csr_array((len(indptr) - 1, 2))
    matrix.indptr, matrix.indices, matrix.data = np.array(indptr), np.array(indices), np.ones(2)
    with pytest.raises(ValueError, match=message):
        reedsp.maximum_matching(matrix, method, device=pretender)


def changed(**attributes: Any) -> Any:
    matrix = scipy.sparse.coo_array(np.eye(2)) if "row" in attributes else scipy.sparse.csr_array(np.eye(2))
    if "row" in attributes:
        matrix.coords = (np.array(attributes["row"]), matrix.col)
        return matrix
    for name, value in attributes.items():
        setattr(matrix, name, value)
    return matrix


ODD = reedsp.Graph.from_edges(4, [1, 2, 3], [2, 3, 1], directed=False, labels=["z", "a", "b", "c"])
WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "method": (lambda: reedsp.maximum_matching([[1]], "best"), ValueError, r"^method = 'best', expected one of"),  # type: ignore[arg-type]
    "nothing": (lambda: reedsp.maximum_matching(None), TypeError, "graph"),  # type: ignore[arg-type]
    "one dimension": (lambda: reedsp.maximum_matching(np.ones(3)), ValueError, r"^graph has 1 dimensions, expected 2$"),
    "sparse dimension": (
        lambda: reedsp.maximum_matching(scipy.sparse.coo_array(np.ones(3))),
        ValueError,
        r"^graph has 1 dimensions, expected 2$",
    ),
    "complex": (lambda: reedsp.maximum_matching(np.ones((1, 1), complex)), TypeError, r"^graph has dtype complex128"),
    "text": (lambda: reedsp.maximum_matching([["a"]]), TypeError, r"^graph has dtype <U1"),  # type: ignore[list-item]
    "nan": (
        lambda: reedsp.maximum_matching([[0, np.nan]]),
        ValueError,
        r"^graph\[0, 1\] is nan, expected a number greater than -inf$",
    ),
    "-inf": (
        lambda: reedsp.maximum_matching([[0], [-np.inf]]),
        ValueError,
        r"^graph\[1, 0\] is -inf, expected a number greater than -inf$",
    ),
    "index type": (
        lambda: reedsp.maximum_matching(changed(indices=np.array([0, 1], np.int16))),
        ValueError,
        r"^graph has indices of type int32 and int16, expected int32 or int64$",
    ),
    "entry": (
        lambda: reedsp.maximum_matching(changed(row=[0, 5])),
        ValueError,
        r"^graph.coords\[0\]\[1\] = 5, expected a number from 0 to 1$",
    ),
    "not bipartite": (
        lambda: reedsp.maximum_matching(ODD),
        ValueError,
        r"^graph: it is not bipartite, a cycle of odd length can be reached from vertex 'a'$",
    ),
    "loop": (lambda: reedsp.maximum_matching(nx.Graph([(5, 5)])), ValueError, r"not bipartite, .* vertex 5$"),
    "rows": (
        lambda: reedsp.maximum_matching(ODD, rows=["a"]),
        ValueError,
        r"^rows: the edge from 'b' to 'c' is between two columns$",
    ),
    "two rows": (
        lambda: reedsp.maximum_matching(ODD, rows=["a", "b"]),
        ValueError,
        r"^rows: the edge from 'a' to 'b' is between two rows$",
    ),
    "row name": (lambda: reedsp.maximum_matching(ODD, rows=["a", "q"]), ValueError, r"^rows\[1\] = 'q' is not a"),
    "row text": (lambda: reedsp.maximum_matching(ODD, rows="a"), TypeError, r"^rows: expected several vertices"),
    "row number": (lambda: reedsp.maximum_matching(ODD, rows=3), TypeError, r"^rows: expected several vertices"),  # type: ignore[arg-type]
    "progress": (lambda: reedsp.maximum_matching([[1]], progress=3), TypeError, "progress"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    call, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        call()


def test_more_than_there_is_room_for(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(biadjacency, "MOST_ENTRIES", 2)
    with pytest.raises(ValueError, match=r"^graph has 3 entries, at most 2 are possible$"):
        reedsp.maximum_matching([[1, 1, 1]], device=device)
    monkeypatch.setattr(biadjacency, "MAX_VERTICES", 1)
    with pytest.raises(ValueError, match=r"^graph has shape \(1, 2\), at most 1 rows and columns are possible$"):
        reedsp.maximum_matching([[1, 1]], device=device)


# ---- proofs -----------------------------------------------------------------------------------------

FAULTS = {
    "no column": ("column_of_row", 0, 99, "row 0: what it is matched with does not exist"),
    "negative column": ("column_of_row", 0, -5, "row 0: what it is matched with does not exist"),
    "no row": ("row_of_column", 1, 99, "column 1: what it is matched with does not exist"),
    "another column": ("column_of_row", 0, 2, "(row|column) 0: what it is matched with is matched with another one"),
    "another row": ("row_of_column", 0, 2, "(row|column) 0: what it is matched with is matched with another one"),
    "one way": ("row_of_column", 0, -1, "row 0: what it is matched with is matched with another one, or with nothing"),
}


def identity(form: str, device: Device) -> Matching:
    matrix = scipy.sparse.csr_array(np.eye(3)).asformat(form)
    return reedsp.maximum_matching(matrix, device=device)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name: str, form: str, pretender: Device) -> None:
    array, vertex, mate, message = FAULTS[name]
    matching = identity(form, pretender)
    getattr(matching, array)[vertex] = mate
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        matching.verify()
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        matching.cover()


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_other_arrays_are_no_matching(form: str, device: Device) -> None:
    matching = identity(form, device)
    for name in ("column_of_row", "row_of_column"):
        array = getattr(matching, name)
        for other in (array[:2], array.astype(np.int64), array.tolist()):
            wrong = dataclasses.replace(matching, **{name: other})
            for call in (wrong.verify, wrong.cover):
                with pytest.raises(reedsp.VerificationError, match=f"^{name}: expected 3 numbers of type int32$"):
                    call()


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_pairs_that_are_no_edges(form: str, pretender: Device) -> None:
    matching = identity(form, pretender)
    for array in (matching.column_of_row, matching.row_of_column):
        array[:2] = [1, 0]
    with pytest.raises(reedsp.VerificationError, match=r"^(row|column) 0: it is matched, but there is no such edge$"):
        matching.verify()


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_matchings_that_are_too_small(form: str, pretender: Device) -> None:
    matching = identity(form, pretender)
    for array in (matching.column_of_row, matching.row_of_column):
        array[1] = -1
    for call in (matching.verify, matching.cover):
        with pytest.raises(reedsp.VerificationError, match=r"^there is a matching with 3 pairs, and this one has 2$"):
            call()


def test_covers_that_are_wrong(pretender: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that is found is not believed."""
    matching = reedsp.maximum_matching([[1, 0], [1, 0], [0, 1]], device=pretender)
    assert matching.cover().columns.tolist() == [0]
    for rows, columns, message in (
        ([1, 0, 1], [0, 0], "row 1: an edge of it is not covered"),
        ([0, 0, 1], [1, 1], "3 vertices cover all edges, but there are 2 pairs"),
    ):
        cover = np.array(rows, bool), np.array(columns, bool)
        monkeypatch.setattr(check, "cover_of", lambda *_, cover=cover: cover)
        with pytest.raises(reedsp.VerificationError, match=f"^{message}$"):
            matching.verify()


def test_a_vertex_without_edges_that_is_matched(device: Device) -> None:
    matching = reedsp.maximum_matching(scipy.sparse.csr_array((2, 2)), device=device)
    matching.column_of_row[1] = matching.row_of_column[0] = 1
    with pytest.raises(reedsp.VerificationError, match=r"^row 1: what it is matched with is matched with another"):
        matching.verify()


def test_the_cover_does_not_depend_on_the_method(device: Device) -> None:
    matrix = FAMILIES["random 300 x 280, 2"]
    covers = [reedsp.maximum_matching(matrix, each, device=device).cover() for each in METHODS]  # type: ignore[arg-type]
    for cover in covers:
        assert np.array_equal(cover.rows, covers[0].rows)
        assert np.array_equal(cover.columns, covers[0].columns)


# ---- devices ----------------------------------------------------------------------------------------


def test_what_is_reported(device: Device) -> None:
    matrix = bipartite.grid(60)
    told: list[tuple[int, int]] = []
    for method in METHODS:
        found = reedsp.maximum_matching(matrix, method, device=device)  # type: ignore[arg-type]
        stats = found.stats
        assert stats["why"] == "it was asked for"
        assert stats["rounds"] > 0
        assert stats["kernels_launched"] > 3
        assert min(stats["phases"].values()) >= 0 < sum(stats["phases"].values())
        assert re.match(r"<reedsp\.Matching: 1,\d+ pairs of 1,800 rows and 1,800 columns, .* ms on ", repr(found))
        assert f"method <b>&#x27;{method}&#x27;</b>" in found._repr_html_() or method in found._repr_html_()
    reedsp.maximum_matching(matrix, "dulle", device=device, progress=lambda *done: told.append(done))
    assert told
    assert {most for _, most in told} == {1800}


@pytest.mark.parametrize("method", METHODS)
def test_progress(method: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_work_item, "_MOST", 1)
    monkeypatch.setattr(balls, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(phases, "_MOST_ROUNDS", 0)
    told: list[int] = []
    matrix = bipartite.random(300, 300, 2, 1)
    reedsp.maximum_matching(matrix, method, device=device, progress=lambda done, most: told.append(done))
    assert told
    assert told == sorted(told)


def test_phases_of_one_work_item_are_reported(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_work_item, "_MOST", 1)
    graph, job = biadjacency.pattern_of(bipartite.random(300, 300, 2, 1)), Job(device)
    rows, told = sides.Rows(job, graph), []
    nothing = job.full(graph.n + graph.columns, np.int32(-1))
    searched, augmented, _ = depth_first.augment(rows, nothing, lambda done, most: told.append((done, most)))
    rows.close()
    assert augmented == bipartite.cardinality(bipartite.random(300, 300, 2, 1))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert set(told) == {(phase, 300) for phase in range(1, searched + 1)}


def test_what_suits_a_device(pretender: Device) -> None:
    found = reedsp.maximum_matching([[1]], device=pretender)
    assert found.method == {"cpu": "depth-first", "gpu": "phases"}[pretender.kind]
    assert found.stats["why"] == "it suits " + {"cpu": "CPU devices", "gpu": "GPUs"}[pretender.kind]


def test_small_graphs_are_matched_on_the_host(device: Device, serves: None) -> None:
    matrix = scipy.sparse.csr_array(np.array([[1, 1, 0], [1, 0, 0]]))
    for form in ("csr", "csc", "coo"):
        found = reedsp.maximum_matching(matrix.asformat(form), progress=False)
        assert (found.method, found.device) == ("hopcroft-karp", place.HOST)
        assert found.stats["kernels_launched"] == 0
        assert_right(found, matrix, 2)
    indices = matrix.copy()
    indices.indices[0] = 7
    with pytest.raises(ValueError, match=r"^graph.indices\[0\] = 7, expected a number from 0 to 2$"):
        reedsp.maximum_matching(indices)
    rows = matrix.tolil()
    rows.rows[1][0] = 3
    with pytest.raises(ValueError, match=r"^graph.rows\[1\]\[0\] = 3, expected a number from 0 to 2$"):
        reedsp.maximum_matching(rows)
    assert reedsp.maximum_matching(matrix, device=device).method != "hopcroft-karp"
    for shape in ((2, 3), (0, 3), (3, 0), (0, 0)):
        found = reedsp.maximum_matching(scipy.sparse.csr_array(shape))
        assert found.device == place.HOST
        assert_right(found, scipy.sparse.csr_array(shape), 0)


def test_what_greed_matches_is_matched_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees, stars and full matrices, of more entries than SciPy's search takes otherwise."""
    monkeypatch.setattr(place, "_serves", True)
    n, rng = 40_000, np.random.default_rng(30)
    parents, ones = (rng.random(n - 1) * np.arange(1, n)).astype(np.int64), np.ones(n - 1)
    clique = scipy.sparse.csr_array(1 - np.eye(300))
    twice = scipy.sparse.csr_array((np.ones(90_000), np.full(90_000, 7), np.arange(0, 90_001, 300)), shape=(300, 300))
    for tails, pairs in ((parents, len(np.unique(parents))), (np.zeros(n - 1, np.int64), 1)):
        matrix = scipy.sparse.csr_array((ones, (tails, np.arange(1, n))), shape=(n, n))
        for form in (matrix, matrix.T.tocsr(), matrix.tocsc()):
            assert on_host.can_solve(biadjacency.pattern_of(form))
            assert_right(reedsp.maximum_matching(form), form, pairs)
    assert on_host.can_solve(biadjacency.pattern_of(clique))
    assert_right(reedsp.maximum_matching(clique), clique, 300)
    assert not on_host.can_solve(biadjacency.pattern_of(twice))  # which is not full
    few_first = scipy.sparse.csr_array((np.ones(40_001), (np.r_[:40_000, 39_999], np.repeat([0, 7], [40_000, 1]))))
    assert not on_host.can_solve(biadjacency.pattern_of(few_first))
    assert not on_host.can_solve(biadjacency.pattern_of(scipy.sparse.csr_array(np.ones((400, 300)))))


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 2, 20_002], [0, 1] + [0] * 20_000),
        ([0, 2, 5], [0, 1, 1, 0, 1]),
        ([0, 700_000, 700_000], [0] * 700_000),
        ([0, 0, 700_000], [0] * 700_000),
    ],
)
def test_edges_that_are_there_twice_are_for_devices(
    indptr: list[int], indices: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SciPy's search writes beyond its memory."""
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array((np.ones(len(indices)), np.array(indices, np.int32), indptr), shape=(2, 2))
    assert not on_host.can_solve(biadjacency.pattern_of(matrix))
    once = scipy.sparse.csr_array(matrix.toarray())
    assert_right(reedsp.maximum_matching(matrix), once, np.count_nonzero(np.diff(once.indptr)))


@pytest.mark.parametrize("indices", [[2, 0, 1, 2], [0, 2, 2, 1]])
def test_edges_in_any_order_are_for_the_host(indices: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array((np.ones(4), np.array(indices, np.int32), [0, 2, 2, 4]), shape=(3, 3))
    found = reedsp.maximum_matching(matrix)
    assert found.device == place.HOST
    assert_right(found, matrix, 2)


def test_bands_in_any_order_are_for_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy's search of this one does not end."""
    monkeypatch.setattr(place, "_serves", True)
    rng, offset = np.random.default_rng(1), np.arange(1000) - np.arange(1000)[:, None]
    band = ((offset >= 0) & (offset < 50))[rng.permutation(1000)][:, rng.permutation(1000)]
    matrix = scipy.sparse.csr_array(band)
    assert not on_host.can_solve(biadjacency.pattern_of(matrix))
    assert_right(reedsp.maximum_matching(matrix), matrix, 1000)


def test_a_device_that_matches_wrongly(device: Device, own_verdicts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other method serves; if there is none, that is said."""
    monkeypatch.setattr(solve, "is_trusted", IS_TRUSTED)
    matrix = FAMILIES["random 30 x 30, 2"]
    right = solve._SOLVE["depth-first"]

    def wrong(given: Any, progress: Any = None) -> Any:
        (of_rows, of_columns), found = right(given, progress)
        row = int(np.argmax(of_rows >= 0))
        of_columns[of_rows[row]] = of_rows[row] = -1
        return (of_rows, of_columns), found

    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setitem(solve._SOLVE, "depth-first", wrong)
    with pytest.warns(RuntimeWarning, match="maximum matching, depth-first, gives a wrong answer"):
        found = reedsp.maximum_matching(matrix, device=device)
    assert (found.method, found.stats["why"]) == ("phases", "depth-first gives wrong answers on this device, or fails")
    assert found.cardinality == bipartite.cardinality(matrix)
    with pytest.raises(DeviceError, match="maximum matching by depth-first gives wrong answers, or fails"):
        reedsp.maximum_matching(matrix, "depth-first", device=device)


def test_trials_find_pairs_that_are_no_edges(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    types = "int", "int"
    assert solve.finds_known_matchings(device, "phases", *types)
    right = solve._SOLVE["phases"]

    def wrong(given: Any, progress: Any = None) -> Any:
        (of_rows, _), found = right(given, progress)
        of_rows[of_rows >= 0] = np.roll(of_rows[of_rows >= 0], 1)
        of_columns = np.full(given.columns, -1, np.int32)
        of_columns[of_rows[of_rows >= 0]] = np.flatnonzero(of_rows >= 0)
        return (of_rows, of_columns), found

    monkeypatch.setitem(solve._SOLVE, "phases", wrong)
    assert not solve.finds_known_matchings(device, "phases", *types)


# ---- results ----------------------------------------------------------------------------------------


def test_results_go_through_pickle_and_files(tmp_path: Any, device: Device) -> None:
    graph = nx.Graph([("a", 1), ("b", 1), ("b", 2)])
    matching = reedsp.maximum_matching(graph, rows=["a", "b"], device=device)
    again = pickle.loads(pickle.dumps(matching))
    assert again.pairs() == matching.pairs() == [("a", 1), ("b", 2)]
    assert again.verify()
    matching.save(tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_text() == "row,column\na,1\nb,2\n"
    with pytest.raises(FileExistsError):
        matching.save(tmp_path / "pairs.csv")
    with pytest.raises(ValueError, match=r"expected a name that ends in \.csv"):
        matching.save(tmp_path / "pairs.npz")


def test_the_matching_of_a_path_is_not_that_of_its_names(device: Device) -> None:
    names = ["d", "b", "a", "c"]
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], directed=False, labels=names)
    found = reedsp.maximum_matching(graph, device=device)
    assert found.row_names == ("d", "a")
    assert sorted(found.pairs()) == [("a", "c"), ("d", "b")]
    assert all(names.index(b) - names.index(a) == 1 for a, b in [("d", "b"), ("a", "c")])


def test_covers_are_compared_as_objects(device: Device) -> None:
    one, other = (reedsp.maximum_matching([[1, 1], [0, 1]], device=device).cover() for _ in range(2))
    assert one == one
    assert one != other
    assert len({one, other, one}) == 2
    rows, columns = one
    assert (rows is one.rows, columns is one.columns) == (True, True)
