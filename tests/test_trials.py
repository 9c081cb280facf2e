"""What a method asks a device for is what its verdict rests on: no program runs that no trial has tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest

import reedsp
from reedsp.device import selfcheck
from reedsp.device.device import Device, Program, programs_requested
from reedsp.typing import SearchMethod

UNTRIED = {
    "all_pairs/matrix.cl",  # writes and compares single entries, as do the others here
    "all_pairs/trees.cl",
    "core/transpose.cl",
    "primitives/heads.cl",
    "single_source/near_far_target.cl",
}
"""Files with kernels that nothing could take the place of."""

N, M = 1 << 10, 1 << 19
ENDS = np.random.default_rng(2012).integers(0, N, (2, M))
SMALL = ([0, 0, 1, 2], [1, 2, 3, 3])
GRAPHS = {
    "small": reedsp.Graph.from_edges(5, *SMALL, [7, 2, 1, 3]),
    "negative": reedsp.Graph.from_edges(5, *SMALL, [7, -2, 1, 3]),
    "fractional": reedsp.Graph.from_edges(5, *SMALL, [7.5, 2, 1, 3]),
    "many edges": reedsp.Graph.from_edges(N, *ENDS, ENDS.sum(axis=0)),
    "a long path": reedsp.Graph.from_edges(N, np.arange(N - 1), np.arange(1, N), np.arange(N - 1) - 5),
    "a star": reedsp.Graph.from_edges(N, np.zeros(N - 1, int), np.arange(1, N)),
}
ARRAYS = [np.arange(100_003, dtype=dtype) for dtype in (np.int32, np.uint64, np.float32)]

Call = Callable[..., object]


def calls() -> Iterator[tuple[str, Call]]:
    for name, graph in GRAPHS.items():
        for method in get_args(SearchMethod):
            if not graph.has_negative_weights or not method.startswith(("near-far", "dijkstra")):
                yield f"{method} on {name}", partial(reedsp.sssp, graph, 0, method)
        for method in ("work-items", "work-groups"):
            for direction in ("auto", "top-down", "bottom-up"):
                options: Any = {"method": method, "direction": direction}
                yield f"{direction} in {method} on {name}", partial(reedsp.bfs, graph, 0, options=options)
        for connection, methods in (("weak", ("fast", "dulle")), ("strong", ("depth-first", "colours"))):
            for method in methods:
                connected = partial(reedsp.connected_components, graph, connection, method)
                yield f"{connection} components of {name}, {method}", connected
        for method, edges in (("work-items", False), ("work-groups", True)):
            options = {"method": method}
            yield (
                f"betweenness in {method} on {name}",
                partial(reedsp.betweenness, graph, range(5), edges=edges, options=options),
            )
        yield f"all pairs on {name}", partial(reedsp.apsp, graph, "floyd-warshall", predecessors=True)
        for forest in ("auto", "kruskal", "boruvka", "dulle"):
            yield f"a forest by {forest} of {name}", partial(reedsp.spanning_forest, graph, method=forest)
    small, many = GRAPHS["small"], GRAPHS["many edges"]
    matchings = {"small": GRAPHS["small"], "a star": GRAPHS["a star"], "wide": GRAPHS["small"].to_scipy()}
    for name, of_matching in matchings.items():
        for method in ("auto", "depth-first", "phases", "dulle", "khosla"):
            yield f"matching by {method} of {name}", partial(reedsp.maximum_matching, of_matching, method)
    for method in ("dinic", "push-relabel"):
        for name in ("small", "many edges", "a star"):
            yield f"flow by {method} in {name}", partial(reedsp.maximum_flow, GRAPHS[name], 0, 3, method)
    for method in ("shortest-paths", "auction"):
        for maximum in (False, True):
            matrices = {"a square": np.ones((70, 70), np.int32), "a large one": np.arange(1, 600).reshape(1, 599)}
            for name, numbers in matrices.items():
                what = f"{name} by {method}, maximum {maximum}"
                yield what, partial(reedsp.full_matching, numbers, maximum, method)
        yield (
            f"fractions by {method}",
            partial(reedsp.full_matching, np.full((60, 70), 0.1) + np.eye(60, 70), False, method),
        )
        yield (
            f"fractions in a square by {method}",
            partial(reedsp.full_matching, [[0.1, 0.2], [0.3, 0.7]], True, method),
        )
    yield "johnson", partial(reedsp.apsp, small, "johnson", predecessors=True)
    yield "a target", partial(reedsp.sssp, small, 0, target=3)
    yield "the nearest of several", partial(reedsp.sssp, many, [0, 5], min_only=True)
    yield "several", partial(reedsp.sssp, many, [0, 5])
    matrix = np.ones((70, 70), np.int32)
    yield "a product", partial(reedsp.min_plus_product, matrix, matrix)
    yield "a large product", partial(reedsp.min_plus_product, np.ones((1 << 20, 1), np.int8), [[1, 2]])
    for x in ARRAYS:
        for op in ("add", "max", reedsp.Operator("a + b", 0)):
            for how in ("fast", "naive", "dulle"):
                yield f"{op} reduces {x.dtype}, {how}", partial(reedsp.reduce, x, op, method=how)
            yield f"dulle inclusive_scan of {x.dtype} by {op}", partial(reedsp.inclusive_scan, x, op, "dulle")
            for method in ("fast", "blelloch", "naive", "work-group", "work-item"):
                for scan in (reedsp.inclusive_scan, reedsp.exclusive_scan):
                    yield f"{method} {scan.__name__} of {x.dtype} by {op}", partial(scan, x, op, method)
        for sort in (reedsp.sort, reedsp.argsort):
            yield f"{sort.__name__} of {x.dtype}", partial(sort, x[::-1])
            yield f"{sort.__name__} of {x.dtype} as Dulle does", partial(sort, x[::-1], "merge")
            yield f"{sort.__name__} of {x.dtype} by an order", partial(sort, x, order="a > b")
        yield f"{x.dtype} sorts others", partial(reedsp.sort_by_key, x[::-1], x)
        yield f"segments of {x.dtype}", partial(reedsp.segmented_scan, x, x % 9 == 0)
        yield f"compaction of {x.dtype}", partial(reedsp.compact, x, x % 9 == 0)


CALLS = dict(calls())


def programs_of(call: Call, device: Device, monkeypatch: pytest.MonkeyPatch) -> tuple[set[Program], set[Program]]:
    """Return the programs that a call asks for, and those that the trials before it have asked for."""
    monkeypatch.setattr(selfcheck, "_known", {})
    with programs_requested() as requested:
        call(device=device)
    return requested, set().union(*(verdict.programs or () for verdict in selfcheck._known.values()))


@pytest.mark.deep
@pytest.mark.parametrize("name", CALLS)
def test_programs_have_been_tried(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    requested, tried = programs_of(CALLS[name], device, monkeypatch)
    if requested - tried:  # a record may be that of a test with other settings: nothing is taken from records
        monkeypatch.setattr(selfcheck, "_record", lambda *_: None)
        requested, tried = programs_of(CALLS[name], device, monkeypatch)
    left = {(file, macros) for file, macros in requested - tried if file not in UNTRIED}
    if "Operator" in name:  # those of users are not known to the trial, which adds instead
        left = {(file, macros) for file, macros in left if dict(macros)["OPERATION"] != "(a + b)"}
    if "order" in name:  # nor are their orders, for which that of numbers stands
        left = {(file, macros) for file, macros in left if dict(macros)["ORDER"] != "(a > b)"}
    assert not left
    assert requested
