"""Graphs and arrays as people type them."""

from __future__ import annotations

import contextlib
import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reedsp
from reedsp.io import texts
from reedsp.io.readers import survey
from reedsp.io.texts import array_of_text, graph_of_text
from tests.support.families import FAMILIES, Family
from tests.support.small_graphs import text_of_graph


def edges(graph: reedsp.Graph) -> list[tuple[Any, Any, Any]]:
    return sorted(graph.edges())


@pytest.mark.parametrize(
    ("text", "expected", "directed"),
    [
        ("0 : 1 2\n1 : 2\n2 :", [(0, 1, 1), (0, 2, 1), (1, 2, 1)], True),
        ("0:1\n1:0", [(0, 1, 1)], False),
        ("0:1=3\n1:0=4", [(0, 1, 3), (1, 0, 4)], True),
        ("directed\n0:1\n1:0", [(0, 1, 1), (1, 0, 1)], True),
        ("# a comment\n\n 7 : 30=-2  # another\n", [(7, 30, -2)], True),
        ("5 : 5", [(5, 5, 1)], False),
        ("3 : 4=0.5 5=1e3", [(3, 4, 0.5), (3, 5, 1000.0)], True),
        ("0 : 1=4 1=2", [(0, 1, 2)], True),
        ("\ufeff"[1:] + "0 : 00001", [(0, 1, 1)], True),
    ],
)
def test_graphs(text: str, expected: list[tuple[Any, Any, Any]], directed: bool) -> None:
    graph = graph_of_text(text)
    assert edges(graph) == expected
    assert graph.directed == directed
    assert edges(graph_of_text(text_of_graph(graph))) == expected


def test_vertices_without_edges() -> None:
    graph = graph_of_text("2 :\n9 :")
    assert (graph.n, graph.m, list(graph.names)) == (2, 0, [2, 9])
    assert graph_of_text("").n == 0


@pytest.mark.parametrize("family", [each for each in FAMILIES if len(each.edges) < 3000], ids=lambda each: each.name)
@pytest.mark.parametrize("units", [1, 10])
def test_graphs_come_back(family: Family, units: int) -> None:
    graph = family.graph(units=units)
    back = graph_of_text(text_of_graph(graph))
    assert back == graph
    assert back.weights.tobytes() == graph.weights.tobytes()


@pytest.mark.parametrize("name", ["graph.txt", "graph", "graph.txt.gz"])
@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("0 : 1=7 2=2\n1 : 3\n2 : 3=5\n", 4),
        ("# typed\n\n10:30 20 # two\n30:", 2),
        ("directed\n0 : 1\n1 : 0\n", 2),
        ("directed # both ways\r\n0 :\r\n", 0),
        ("directed", 0),
        ("0 : 1=0.5 0\n1 : 0=0.5\n", 2),
        ("0 : 1=4 1=2\n", 2),
        pytest.param("0 : " + "1 " * 2**16, 2**16, id="a long line"),
    ],
)
def test_files(tmp_path: Path, text: str, listed: int, name: str) -> None:
    content = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    graph, edges_of_file = survey(tmp_path / name)
    assert graph == graph_of_text(text)
    assert list(graph.names) == list(graph_of_text(text).names)
    assert edges_of_file == listed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 : 1\n\n1 2\n", r"graph\.txt:3: expected 'vertex : neighbour neighbour ...', got '1 2'$"),
        ("0 : 1\n1 : 2=x\n", r"graph\.txt:2: word 3: expected a weight, got 'x'$"),
        (b"0 : 1\n1 : \xff\n", r"graph\.txt:2: word 3: expected the number of a vertex, got '\ufffd'$"),
        ("0 : 1\n% 2", r"graph\.txt:2: expected 'vertex : neighbour neighbour ...', got '% 2'$"),
        ("0 : " + "1 " * 200_000, r"graph\.txt: it takes 80,000,400 bytes of memory to read"),
        ("0 :" + "\x1c1" * 200_000, r"graph\.txt: it takes 80,000,400 bytes of memory to read"),
        ("0 :" + "\xa01" * 200_000, r"graph\.txt: it takes 80,000,400 bytes of memory to read"),
    ],
    ids=["no colon", "weight", "no text", "comment", "memory", "separators", "spaces"],
)
def test_faults_of_files(tmp_path: Path, text: str | bytes, message: str) -> None:
    (tmp_path / "graph.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        reedsp.read(tmp_path / "graph.txt")


def test_comments_before_a_file_may_be_of_either_kind(tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("% c\n# d\n  % e\n\n1: 2 3\n2: 1\n")
    assert edges(reedsp.read(tmp_path / "graph.txt")) == [(1, 2, 1), (1, 3, 1), (2, 1, 1)]


def test_a_file_that_few_would_type(tmp_path: Path) -> None:
    size = 75_000
    (tmp_path / "graph.txt").write_text("".join(f"{v} : {(v + 1) % size}\n" for v in range(size)))
    assert reedsp.read(tmp_path / "graph.txt").m == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 : 1\n1 2", r"^text:2: expected 'vertex : neighbour neighbour ...', got '1 2'$"),
        ("0 : 1\n0 : 2", r"^text:2: vertex 0 has a line already, line 1$"),
        ("a : 1", r"^text:1: word 1: expected the number of a vertex, got 'a'$"),
        (": 1", r"^text:1: word 1: expected the number of a vertex, got nothing$"),
        ("0 : 1 -2", r"^text:1: word 4: expected the number of a vertex, got '-2'$"),
        ("0 : 1 2=x", r"^text:1: word 4: expected a weight, got 'x'$"),
        ("0 : 1 2=", r"^text:1: word 4: expected a weight, got nothing$"),
        ("0 : 1=nan", r"^text:1: word 3: expected a weight, got 'nan'$"),
        ("0 : 1=1e999", r"^text:1: word 3: '1e999' is too large for float64$"),
        ("0 : 1=-0.1e-400", r"^text:1: word 3: '-0.1e-400' is too small for float64$"),
        ("0 : 1=9223372036854775808", r"^text:1: word 3: '9223372036854775808' is outside int64$"),
        ("0 : 1=9007199254740993 2=0.5", r"^text:1: float64 cannot hold the weight 9007199254740993$"),
        ("0 : 1\n\ndirected", r"^text:3: expected 'vertex"),
        ("1" * 19 + " : 0", r"^text:1: word 1: expected the number of a vertex"),
        ("0 : \u0661", r"^text:1: word 3: expected the number of a vertex, got '\u0661'$"),
    ],
)
def test_faults_of_graphs(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph_of_text(text)


def test_more_vertices_than_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MAX_VERTICES", 2)
    with pytest.raises(ValueError, match=r"^text:2: 3 vertices are more than the 2 that int32 numbers"):
        graph_of_text("0 : 1\n1 : 7")


@pytest.mark.parametrize(
    ("text", "expected", "dtype"),
    [
        ("3 1\n2", [3, 1, 2], np.int64),
        ("", [], np.int64),
        (" 1.5\t-2 ", [1.5, -2.0], np.float64),
        ("9223372036854775807 -9223372036854775808", [2**63 - 1, -(2**63)], np.int64),
        ("inf -inf 3", [math.inf, -math.inf, 3.0], np.float64),
    ],
)
def test_arrays(text: str, expected: list[Any], dtype: Any) -> None:
    found = array_of_text(text)
    assert (found.tolist(), found.dtype) == (expected, dtype)


def test_what_is_no_number_may_be_in_an_array() -> None:
    assert np.isnan(array_of_text("1 nan")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2 x", r"^list:2: word 2: expected a number, got 'x'$"),
        ("inf 1 infinity", r"^list:1: word 3: expected a number, got 'infinity'$"),
        ("1,2", r"^list:1: word 1: expected a number, got '1,2'$"),
        ("1e400", r"^list:1: word 1: '1e400' is too large for float64$"),
        ("0.0 0e5 1E-400", r"^list:1: word 3: '1E-400' is too small for float64$"),
        pytest.param("1" * 2**21 + "x", r"^list:1: word 1: expected a number, got '111", id="very long"),
        ("0.5\n9007199254740993", r"^list:2: word 1: float64, which other numbers need, cannot hold 9007199254740993$"),
    ],
)
def test_faults_of_arrays(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        array_of_text(text, "list")


@settings(max_examples=200)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_floats_come_back(values: list[float]) -> None:
    assert array_of_text(" ".join(map(repr, values))).tolist() == values


@settings(max_examples=200)
@given(st.text(alphabet="0123456789:= .-e\n#d\x00\u0661\u2028", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (graph_of_text, array_of_text):
        with contextlib.suppress(ValueError):
            read(text)
