"""``reedsp.watch``, and what a page sends to be run."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.viewer import typed, watch
from reedsp.viewer.server import Request
from tests.viewer.replay import states

TEXT = "3 : 7(4) 9\n\n9 : 3(2.5)\n"


# ---- text -------------------------------------------------------------------------------------------


def test_graphs_as_text() -> None:
    graph = typed.graph_of(TEXT)
    assert list(graph.names) == [3, 7, 9]
    assert graph.to_scipy().toarray().tolist() == [[0, 4, 1], [0, 0, 0], [2.5, 0, 0]]
    without = typed.graph_of("0 : 1 2\n1 :\n2 : 0", directed=False)
    assert not without.directed
    assert not without.has_names
    assert without.to_scipy().toarray().tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert typed.graph_of("").n == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0 1", "line 1: a vertex, a colon"),
        ("0 : 1\nx : 0", "line 2: a vertex, a colon"),
        ("-1 : 0", "line 1: a vertex, a colon"),
        ("0 : -1", "line 1: a neighbour"),
        ("0 : 1(2", "line 1: a neighbour"),
        ("0 : 1()", "line 1: '' is no number"),
        ("0 : 1(x)", "line 1: 'x' is no number"),
        ("0 : 1(nan)", "line 1: 'nan' is no number"),
        ("0 : 1(1e999)", "line 1: a number that float64 can hold"),
        ("0 : \u0661", "line 1: a neighbour"),
        ("9999999999999999 :", "line 1: a vertex, a colon"),
        ("\n".join(f"{v} :" for v in range(201)), "line 201: at most 200 vertices"),
        ("0 : " + "1 " * 2001, "line 1: at most 200 vertices and 2,000 edges"),
    ],
)
def test_wrong_graphs_as_text(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match="^text: " + complaint.replace("(", r"\(")):
        typed.graph_of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 -1\n2", np.array([3, -1, 2], np.int32)),
        ("3000000000 1", np.array([3_000_000_000, 1], np.int64)),
        ("1 2.5 1e3", np.array([1, 2.5, 1000.0])),
    ],
)
def test_arrays_as_text(text: str, expected: Any) -> None:
    found = typed.array_of(text)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 x", "word 2: 'x' is no number"),
        ("1_0", "word 1: '1_0' is no number"),
        ("9" * 30, "integers"),
        ("1 " * 1001, "at most"),
    ],
)
def test_wrong_arrays_as_text(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^text: {complaint}"):
        typed.array_of(text)


# ---- kinds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 17, 40, 200])
@pytest.mark.parametrize("kind", typed.GRAPHS)
def test_generated_graphs(kind: str, size: int) -> None:
    if kind == "complete" and size > 45:
        with pytest.raises(ValueError, match="^size: at most 1,000 edges"):
            typed.generated_graph(kind, size)
        return
    graph = typed.generated_graph(kind, size)
    again = typed.generated_graph(kind, size)
    assert graph.n == size or kind == "r-mat"
    assert 1 <= graph.n <= size
    assert graph.m <= 2000
    assert (graph.to_scipy() != again.to_scipy()).nnz == 0
    assert not np.diff(graph.indptr)[graph.n :].any()
    edges = {"tree": size - 1, "path": size - 1, "cycle": size if size > 2 else 0, "complete": size * (size - 1) // 2}
    assert graph.m // 2 == edges.get(kind, graph.m // 2)


def test_generated_arrays() -> None:
    assert typed.generated_array("constant", 3).tolist() == [1, 1, 1]
    assert typed.generated_array("ascending", 3).tolist() == [0, 1, 2]
    assert typed.generated_array("descending", 3).tolist() == [2, 1, 0]
    assert sorted(typed.generated_array("shuffled", 50)) == list(range(50))
    assert set(typed.generated_array("random", 1000).tolist()) == set(range(11))
    for kind in typed.ARRAYS:
        assert typed.generated_array(kind, 7).dtype == np.int32


@pytest.mark.parametrize(("kind", "size"), [("grid", 0), ("grid", 201), ("grid", 10**9), ("nothing", 3)])
def test_what_is_not_generated(kind: str, size: int) -> None:
    with pytest.raises(ValueError, match="^(size|generate): "):
        typed.generated_graph(kind, size)
    with pytest.raises(ValueError, match="^(size|generate): "):
        typed.generated_array(kind if kind == "nothing" else "random", size * 5 if size else 0)


# ---- watch ------------------------------------------------------------------------------------------


def test_a_page_of_several_algorithms(device: reedsp.Device) -> None:
    graph = typed.generated_graph("grid", 12)
    page = reedsp.watch(graph, ["output-parallel", "floyd-warshall"], device=device)
    assert [trace["algorithm"] for trace in page.traces] == ["output-parallel", "floyd-warshall"]
    expected = reedsp.sssp(graph, 0, device=device).dist
    assert states(page.traces[0])[-1]["dist"] == expected.tolist()
    assert reedsp.watch([3, 1, 2], "merge-sort", device=device).traces[0]["problem"] == "sort"
    with pytest.raises(ValueError, match="^algorithm: at least one"):
        reedsp.watch(graph, [], device=device)
    with pytest.raises(ValueError, match="^algorithm: "):
        reedsp.watch(graph, "nothing", device=device)


def test_requests_are_run(device: reedsp.Device) -> None:
    run = watch.runner(device)
    trace = run(Request("graph", "output-parallel", TEXT, source=9, directed=True))
    assert trace["input"]["names"] == ["3", "7", "9"]
    assert states(trace)[-1]["dist"] == [2.5, 6.5, 0]
    trace = run(Request("graph", "floyd-warshall", generate="cycle", size=5, source=3))
    assert trace["input"]["n"] == 5
    trace = run(Request("array", "naive-scan", "1 2 3"))
    assert trace["input"]["values"] == [1, 2, 3]
    trace = run(Request("array", "merge-sort", generate="descending", size=9))
    assert states(trace)[-1]["keys"] == list(range(9))


@pytest.mark.parametrize(
    "request_",
    [
        Request("graph", "naive-scan", "0 : 1"),
        Request("array", "output-parallel", "1 2"),
        Request("graph", "nothing", "0 : 1"),
        Request("graph", "output-parallel", ""),
        Request("graph", "output-parallel", "0 : 1", source=2),
        Request("graph", "output-parallel", "0 : 1", source="x"),
        Request("graph", "output-parallel", generate="random", size=201),
        Request("graph", "output-parallel", generate="ascending", size=3),
        Request("array", "naive-scan", ""),
    ],
)
def test_wrong_requests_are_refused(device: reedsp.Device, request_: Request) -> None:
    with pytest.raises((ValueError, TypeError), match="^[a-z]+"):
        watch.runner(device)(request_)


def test_any_text_is_an_input_or_refused() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        text = "".join(draw.choices("0123 :()\n-.ex\u0661", k=draw.randrange(25)))
        for read in (typed.graph_of, typed.array_of):
            try:
                read(text)
            except ValueError as error:
                assert str(error).startswith("text: ")


def test_every_choice_can_be_made() -> None:
    choices = watch.choices()
    assert {kind for kind in choices["generators"]["graph"]} == set(typed.GRAPHS)
    for kind in ("graph", "array"):
        assert choices["algorithms"][kind]
        assert all(watch.kind_of(name) == kind for name, _ in choices["algorithms"][kind])
