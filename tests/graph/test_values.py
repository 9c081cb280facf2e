"""Flags, integers and numbers of bytes: whatever takes one refuses what is none, and names the argument."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse

import reedsp
from reedsp.graph.graph import as_array
from reedsp.pram import examples
from reedsp.system.options import check_memory_limit, flag, integer

GRAPH = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 5])
TABLE = {"source": [0], "target": [1]}
MATRIX = scipy.sparse.csr_array(np.eye(3, k=1))
NO_FLAGS: tuple[Any, ...] = ("no", "", 0, 1, None, 2.0, [], np.zeros(2, bool))

FLAGS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "Graph": ("directed", lambda value: reedsp.Graph([0, 1, 1], [1], directed=value)),
    "from_edges": ("directed", lambda value: reedsp.Graph.from_edges(2, [0], [1], directed=value)),
    "from_scipy": ("directed", lambda value: reedsp.Graph.from_scipy(MATRIX, value)),
    "from_scipy, coo": ("directed", lambda value: reedsp.Graph.from_scipy(MATRIX.tocoo(), value)),
    "from_dense": ("directed", lambda value: reedsp.Graph.from_dense(MATRIX.toarray(), value)),
    "from_table": ("directed", lambda value: reedsp.Graph.from_table(TABLE, weight=None, directed=value)),
    "apsp": ("predecessors", lambda value: reedsp.apsp(GRAPH, predecessors=value)),
    "sssp": ("min_only", lambda value: reedsp.sssp(GRAPH, [0, 1], min_only=value)),
    "spanning_forest": ("maximum", lambda value: reedsp.spanning_forest(GRAPH, maximum=value)),
    "full_matching": ("maximum", lambda value: reedsp.full_matching(np.eye(2), maximum=value)),
    "distance_statistics": ("unweighted", lambda value: reedsp.distance_statistics(GRAPH, unweighted=value)),
    "betweenness": ("edges", lambda value: reedsp.betweenness(GRAPH, edges=value)),
    "betweenness, normalized": ("normalized", lambda value: reedsp.betweenness(GRAPH, normalized=value)),
    "betweenness, endpoints": ("endpoints", lambda value: reedsp.betweenness(GRAPH, endpoints=value)),
    "segmented_scan": ("exclusive", lambda value: reedsp.segmented_scan([1, 2], [0], exclusive=value)),
    "Operator": ("commutative", lambda value: reedsp.Operator("a + b", 0, value)),
    "Program.run": ("check", lambda value: examples.total.run(2, A=[1, 2, 3, 4], check=value)),
    "Program.run, demand": ("demand", lambda value: examples.total.run(2, A=[1, 2, 3, 4], demand=value)),
    "Program.kernels": ("check", lambda value: examples.total.kernels(check=value)),
}


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_no_flag_is_refused(name: str) -> None:
    argument, call = FLAGS[name]
    for value in NO_FLAGS:
        with pytest.raises(TypeError, match=rf"^{argument}: expected True or False, got "):
            call(value)


@pytest.mark.parametrize("name", [name for name in FLAGS if not name.startswith(("Program", "segmented"))])
def test_flags_of_numpy_are_flags(name: str) -> None:
    FLAGS[name][1](np.True_)


def test_flags_of_files_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    kept, new = tmp_path / "kept.npz", tmp_path / "new.npz"
    paths = reedsp.sssp(GRAPH, 0)
    paths.save(kept)
    before = kept.read_bytes()
    for file in (kept, new):
        for save in (paths.save, lambda path, overwrite: reedsp.write(GRAPH, path, overwrite=overwrite)):
            with pytest.raises(TypeError, match=r"^overwrite: expected True or False, got 'no'"):
                save(file, overwrite="no")
    assert kept.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["kept.npz"]
    edges = tmp_path / "edges.el"
    reedsp.write(reedsp.Graph.from_edges(2, [0], [1]), edges)
    with pytest.raises(TypeError, match=r"^relabel: expected True or False, got 'no'"):
        reedsp.read(edges, relabel="no")  # type: ignore[arg-type]
    for name in ("clipped", "connected"):
        with pytest.raises(TypeError, match=rf"^{name}: expected True or False, got 1"):
            reedsp.read_osm(tmp_path / "none.osm", **{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.array(["fast", "merge"]), np.array(["fast"]), pandas.NA, None, ["fast"], 3])
def test_what_is_no_name_of_a_method(value: Any) -> None:
    for call, message in (
        (lambda: reedsp.sort([2, 1], value), "^method: .* is none of 'fast', 'merge'$"),
        (lambda: reedsp.reduce([2, 1], method=value), "^method: .* is none of 'fast', "),
        (lambda: reedsp.apsp(GRAPH, method=value), "^method = .*, expected one of 'auto', "),
        (lambda: reedsp.sssp(GRAPH, 0, method=value), "^method = .*, expected one of 'auto', "),
        (lambda: reedsp.spanning_forest(GRAPH, method=value), "^method = .*, expected one of 'auto', "),
        (lambda: reedsp.connected_components(GRAPH, connection=value), "^connection = .*, expected one of 'weak', "),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_what_is_no_dtype() -> None:
    for call in (
        lambda value: reedsp.sssp(GRAPH, 0, dtype=value),
        lambda value: reedsp.apsp(GRAPH, dtype=value),
        lambda value: reedsp.distance_table(GRAPH, [0], [1], dtype=value),
    ):
        for value in ("nonsense", object()):
            with pytest.raises(TypeError, match=r"^dtype = .*, expected one of int32, int64, float32, float64$"):
                call(value)


@pytest.mark.parametrize("options", [3, ["kernel"], "kernel", 1.5])
def test_options_are_a_mapping(options: Any) -> None:
    for call in (
        lambda: reedsp.sssp(GRAPH, 0, options=options),
        lambda: reedsp.bfs(GRAPH, 0, options=options),
        lambda: reedsp.apsp(GRAPH, options=options),
        lambda: reedsp.betweenness(GRAPH, options=options),
    ):
        with pytest.raises(TypeError, match=r"^options: expected a mapping of names to values, got "):
            call()


@pytest.mark.parametrize(
    ("method", "option"),
    [
        *(("output-parallel", each) for each in ("cooperative_loading", "in_degree_order", "early_stop")),
        *(("input-parallel-refined", each) for each in ("list_active", "edge_classes")),
        *((each, "local_memory") for each in ("bellman-ford", "dijkstra-array")),
    ],
)
def test_options_that_are_flags(method: Any, option: str) -> None:
    for value in NO_FLAGS:
        with pytest.raises(TypeError, match=rf"^options: {option}: expected True or False, got "):
            reedsp.sssp(GRAPH, 0, method, options={option: value})
    assert reedsp.sssp(GRAPH, 0, method, options={option: np.False_}).dist.tolist() == [0, 4, 9]


def test_numbers_beyond_every_graph() -> None:
    assert list(reedsp.yen(GRAPH, 0, 2, 2**70)) == [(9.0, [0, 1, 2])]
    with pytest.raises(ValueError, match=r"^k = 9223372036854775808 is more than the 2,147,483,647 vertices"):
        reedsp.k_nearest(GRAPH, [0], 2**63)


@pytest.mark.parametrize("out", [[1], b"x.npy", 5])
def test_what_is_no_output(out: Any) -> None:
    with pytest.raises(TypeError, match=r"^out: expected an array or the name of a \.npy file, got "):
        reedsp.apsp(GRAPH, out=out)
    with pytest.raises(TypeError, match=r"^out: expected an array without a mask, got "):
        reedsp.sssp(GRAPH, 0, out=out)


def test_components_of_a_graph_are_not_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        GRAPH.strong_components()[:] = 0


def test_geographic_may_be_left_open() -> None:
    places = np.zeros((3, 2))
    assert [GRAPH.with_coordinates(places, geographic=each).geographic for each in (None, True, np.False_)] == [
        False,
        True,
        False,
    ]
    with pytest.raises(TypeError, match=r"^geographic: expected True or False, got 'no'"):
        GRAPH.with_coordinates(places, geographic="no")  # type: ignore[arg-type]


def test_flag() -> None:
    for value in (True, False, np.True_, np.False_):
        assert flag(value, "x") is bool(value)


@pytest.mark.parametrize("value", [True, False, np.True_, 1.0, "1", None, np.ones(2, int), [1]])
def test_what_is_no_integer(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^x: expected an integer, got "):
        integer(value, "x")


@pytest.mark.parametrize("value", [0, -3, np.int8(-3), np.uint64(2**64 - 1), 10**30])
def test_integer(value: Any) -> None:
    assert type(integer(value, "x")) is int
    assert integer(value, "x") == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((1, 1), (2e9, 2 * 10**9), (np.int64(5), 5), (np.float32(3), 3), (1000.9, 1000), (10**30, 10**30)),
        (float("inf"), sys.maxsize),
    ],
)
def test_memory_limits(value: Any, expected: int) -> None:
    found = check_memory_limit(value)
    assert (type(found), found) == (int, expected)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("1G", TypeError, "^memory_limit: expected a number of bytes, got '1G'"),
        (True, TypeError, "^memory_limit: expected a number of bytes, got True"),
        (None, TypeError, "^memory_limit: expected a number of bytes, got None"),
        ([5], TypeError, "^memory_limit: expected a number of bytes, got "),
        (0, ValueError, "^memory_limit = 0, expected a number of bytes"),
        (-1.5, ValueError, "^memory_limit = -1.5, expected a number of bytes"),
        (0.5, ValueError, "^memory_limit = 0.5, expected a number of bytes"),
        (float("nan"), ValueError, "^memory_limit = nan, expected a number of bytes"),
    ],
)
def test_what_is_no_memory_limit(value: Any, error: type[Exception], message: str) -> None:
    calls: tuple[Callable[[], object], ...] = (lambda: check_memory_limit(value),)
    if value is not None:
        calls += (lambda: reedsp.apsp(GRAPH, memory_limit=value),)
    for call in (
        *calls,
        lambda: reedsp.distance_table(GRAPH, [0], [1], memory_limit=value),
        lambda: list(reedsp.all_pairs_rows(GRAPH, [0], memory_limit=value)),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("number", [1, 0.5, True])
def test_masked_numbers_of_lists_are_refused(number: float, long: bool) -> None:
    """In long lists, too, of which numpy is asked first what they hold."""
    rows = [[number, number] for _ in range(300 if long else 3)]
    rows[2][1] = np.ma.array(number, mask=True)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"^x\[2\]\[1\] is masked$"):
        as_array(rows, "x")
    with pytest.raises(ValueError, match=r"^x\[2\] is masked$"):
        as_array([number, number, rows[2][1], *[number] * len(rows)], "x")
    rows[2] = np.ma.array([number, number], mask=[False, True])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"^x\[2\]\[1\] is masked$"):
        as_array(rows, "x")
