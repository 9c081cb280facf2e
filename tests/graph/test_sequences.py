"""Sequences of vertices, names and numbers that come from tables, mappings and arrays of pandas and Arrow."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

import reedsp
from reedsp.graph.arguments import source_argument, vertex_argument, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.graph.sequences import dimensions, entries_of, first_missing

PATH = Graph.from_edges(3, [0, 1], [1, 2])
NAMED = Graph.from_edges(3, [0, 1], [1, 2], labels=["a", "b", "c"])
LARGE = 2**53 + 1
WITH_MISSING = {
    "pyarrow": pyarrow.array([LARGE, None]),
    "pyarrow, chunks": pyarrow.chunked_array([[LARGE], [None]]),
    "pandas": pandas.array([LARGE, None], dtype="Int64"),
    "pandas, Series": pandas.Series([LARGE, None], dtype="Int64"),
    "pandas of Arrow": pandas.Series([LARGE, None], dtype="int64[pyarrow]"),
}
STRINGS: dict[str, Callable[[list[str]], Any]] = {
    "array": pyarrow.array,
    "chunks": lambda names: pyarrow.chunked_array([names[:1], names[1:]]),
    "list": lambda names: list(pyarrow.array(names)),
    "dictionary": lambda names: pyarrow.array(names).dictionary_encode(),
    "pandas": lambda names: pandas.Series(names, dtype="string[pyarrow]"),
}


# ---- tables and mappings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [pandas.DataFrame({"name": ["x", "y", "z"]}), pandas.DataFrame([[1, 2, 3]] * 3), np.eye(3)]
)
def test_a_table_is_no_sequence_of_labels(labels: Any) -> None:
    with pytest.raises(ValueError, match=r"^labels has 2 dimensions, expected 1$"):
        Graph.from_edges(3, [0, 1], [1, 2], labels=labels)
    with pytest.raises(ValueError, match=r"^labels has 2 dimensions, expected 1$"):
        Graph([0, 0, 0, 0], [], labels=labels)


class Counted:
    """What has another length than it has entries, as a table of some library may."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> str:
        return ["only"][index]


def test_labels_are_counted_one_by_one() -> None:
    labels: Any = Counted()
    with pytest.raises(ValueError, match=r"^labels has 1 entries for 3 vertices$"):
        Graph.from_edges(3, [0, 1], [1, 2], labels=labels)


@pytest.mark.parametrize("columns", [{0: [1, 2], 1: [2, 0]}, {"a": ["a", "b"]}])
def test_a_table_is_no_sequence_of_vertices(columns: dict[Any, Any]) -> None:
    frame = pandas.DataFrame(columns)
    for graph in (PATH, NAMED):
        for argument, ask in (
            ("source", lambda graph=graph: reedsp.sssp(graph, frame)),
            ("sources", lambda graph=graph: reedsp.distance_table(graph, frame, [0])),
            ("vertices", lambda graph=graph: graph.subgraph(frame)),
        ):
            with pytest.raises(ValueError, match=rf"^{argument} has 2 dimensions, expected 1$"):
                ask()


@pytest.mark.parametrize(
    "mapping",
    [{0: 5}, collections.UserDict({0: 5}), collections.ChainMap({0: 5}), types.MappingProxyType({0: 5})],
    ids=lambda mapping: type(mapping).__name__,
)
def test_a_mapping_is_no_sequence(mapping: Any) -> None:
    kind = type(mapping).__name__
    for argument, ask in (
        ("source", lambda: source_argument(PATH, mapping)),
        ("sources", lambda: vertices_argument(PATH, mapping, "sources")),
        ("vertices", lambda: PATH.subgraph(mapping)),
    ):
        with pytest.raises(TypeError, match=rf"^{argument}: expected a sequence of vertices, got a {kind}$"):
            ask()
    with pytest.raises(TypeError, match=rf"^labels: expected a sequence, got a {kind}$"):
        Graph.from_edges(1, [], [], labels=mapping)
    assert source_argument(PATH, mapping.keys()) == ([0], True)
    assert PATH.subgraph(mapping.keys()).names == (0,)


@pytest.mark.parametrize("several", [{0, 1}, frozenset([0, 1])], ids=lambda several: type(several).__name__)
def test_a_set_has_no_order(several: Any) -> None:
    for argument, ask in (
        ("source", lambda: source_argument(PATH, several)),
        ("sources", lambda: vertices_argument(PATH, several, "sources")),
        ("vertices", lambda: PATH.subgraph(several)),
    ):
        with pytest.raises(
            TypeError, match=rf"^{argument}: expected a sequence of vertices, got a {type(several).__name__}$"
        ):
            ask()


def test_dimensions() -> None:
    assert [dimensions(each) for each in (np.array(3), [[1]], "abc", pandas.Series([1]), np.eye(2))] == [0, 1, 1, 1, 2]
    assert dimensions(types.SimpleNamespace(shape="round")) == 1


# ---- strings of Arrow -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", STRINGS)
def test_strings_of_arrow_are_those_of_python(kind: str) -> None:
    strings = STRINGS[kind]
    graph = Graph.from_edges(3, [0, 1], [1, 2], labels=strings(["a", "b", "c"]))
    assert graph.labels == ("a", "b", "c")
    assert set(map(type, graph.names)) == {str}
    assert vertices_argument(graph, strings(["c", "a"]), "source").tolist() == [2, 0]
    assert source_argument(NAMED, strings(["b", "a"])) == ([1, 0], True)
    assert NAMED.subgraph(strings(["c", "b"])).names == ("c", "b")
    with pytest.raises(ValueError, match=r"^labels\[2\] = 'a' is also labels\[0\]$"):
        Graph.from_edges(3, [], [], labels=strings(["a", "b", "a"]))
    with pytest.raises(ValueError, match=r"^source\[1\] = 'z' is not a vertex of this graph"):
        source_argument(NAMED, strings(["a", "z"]))


def test_one_string_of_arrow() -> None:
    assert vertex_argument(NAMED, pyarrow.scalar("b"), "target") == 1
    assert source_argument(NAMED, pyarrow.scalar("b")) == ([1], False)
    assert pyarrow.scalar("b") in NAMED
    assert pyarrow.scalar("z") not in NAMED


def test_integers_of_arrow_are_names_too() -> None:
    numbers = pyarrow.array([7, 9, 8])
    graph = Graph.from_edges(3, [0, 1], [1, 2], labels=numbers)
    assert graph.labels == (7, 9, 8)
    assert [vertices_argument(each, pyarrow.array([7, 8]), "source").tolist() for each in (graph, PATH_OF_8)] == [
        [0, 2],
        [7, 8],
    ]


PATH_OF_8 = Graph.from_edges(9, range(8), range(1, 9))


def test_entries_are_left_as_they_are() -> None:
    kept = [np.int64(3), "a", (1, 2), pandas.NaT]
    assert all(one is other for one, other in zip(entries_of(kept), kept, strict=True))
    assert entries_of([pyarrow.scalar(1), "a"]) == [1, "a"]


# ---- missing values ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WITH_MISSING)
def test_missing_values_are_not_made_nan(kind: str) -> None:
    given = WITH_MISSING[kind]
    for name, ask in (
        ("values", lambda: reedsp.sort(given)),
        ("x", lambda: reedsp.reduce(given)),
        ("x", lambda: reedsp.inclusive_scan(given)),
        ("weights", lambda: Graph.from_edges(3, [0, 1], [1, 2], given)),
        ("sources", lambda: Graph.from_edges(3, given, [1, 2])),
        ("source", lambda: reedsp.sssp(PATH, given)),
        ("targets", lambda: reedsp.distance_table(PATH, [0], given)),
    ):
        with pytest.raises(ValueError, match=rf"^{name}\[1\] is missing$"):
            ask()


def test_values_that_are_all_there_are_taken() -> None:
    for given in (pyarrow.array([LARGE, 1]), pandas.array([LARGE, 1], dtype="Int64"), pandas.Series([LARGE, 1])):
        assert first_missing(given) is None
        assert Graph.from_edges(3, [0, 1], [1, 2], given).weights.tolist() == [LARGE, 1]
        assert reedsp.sort(given).tolist() == [1, LARGE]


@pytest.mark.deep
def test_nan_is_a_number_where_it_is_one() -> None:
    for given in ([1.0, np.nan], np.array([1.0, np.nan]), pandas.Series([1.0, None]), pyarrow.array([1.0, np.nan])):
        assert first_missing(given) is None
        assert np.isnan(reedsp.sort(given)[1])
    assert first_missing(pandas.DataFrame({"isna": [1, None], "is_null": [1, 2], "dtype": [1, 2]})) is None
