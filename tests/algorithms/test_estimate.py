"""What is said about a call before it is made: its arguments, its bytes, its limits; no clock runs here."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms import estimate, rows
from reedsp.algorithms.single_source import sssp
from reedsp.cost_model import choose_search, contraction, families, probe, searches, sharing
from reedsp.cost_model.families import Known
from reedsp.cost_model.place import HOST
from reedsp.cost_model.searches import Searches
from reedsp.cost_model.work import total
from reedsp.device.device import Device
from tests.support.machines import H200, MACHINES, POCL


def random(n: int, m: int, largest: int = 1000, **options: Any) -> reedsp.Graph:
    rng = np.random.default_rng(n + m)
    ends = rng.integers(0, n, (2, m))
    return reedsp.Graph.from_edges(n, *ends, rng.integers(1, largest + 1, m), **options)


GRAPH = random(60, 200)
WIDE = random(20_000, 80_000)
NEGATIVE = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [-1, 2])
FRACTIONS = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.5, 2])


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Known:
    """Have any device be a machine that was recorded."""
    known = MACHINES[request.param]
    monkeypatch.setattr(families, "known", lambda device: known)
    return known


# ---- arguments --------------------------------------------------------------------------------------

CALLS: list[tuple[reedsp.Graph, str, dict[str, Any]]] = [
    (GRAPH, "apsp", {}),
    (GRAPH, "apsp", {"predecessors": True}),
    (GRAPH, "apsp", {"method": "min-plus"}),
    (GRAPH, "apsp", {"method": "johnson"}),
    (GRAPH, "apsp", {"method": "johnson", "options": {"search": "dijkstra-heap"}}),
    (GRAPH, "apsp", {"options": {"kernel": "katz-kider"}}),
    (GRAPH, "apsp", {"memory_limit": 1 << 24}),
    (GRAPH, "apsp", {"dtype": "int32"}),
    (FRACTIONS, "apsp", {}),
    (NEGATIVE, "apsp", {}),
    (NEGATIVE, "apsp", {"negative_cycles": "mark"}),
    *((GRAPH, "sssp", {"source": 3, "method": method}) for method in sssp._METHODS),
    (GRAPH, "sssp", {"source": 0}),
    (GRAPH, "sssp", {"source": [0, 1, 2]}),
    (GRAPH, "sssp", {"source": [0, 1, 2], "min_only": True, "cutoff": 9, "target": 5}),
    (NEGATIVE, "sssp", {"source": 0}),
    (GRAPH, "bfs", {"source": 0}),
    (GRAPH, "bfs", {"source": [0, 1], "options": {"direction": "top-down"}}),
]


@pytest.mark.deep("sssp")
@pytest.mark.parametrize(("graph", "function", "arguments"), CALLS)
def test_what_is_taken_is_what_was_said(
    graph: reedsp.Graph, function: Any, arguments: dict[str, Any], device: Device
) -> None:
    if graph is FRACTIONS and not device.fp64:
        pytest.skip("the device has no doubles")
    expected = reedsp.estimate(graph, function, **arguments, device=device)
    found = getattr(reedsp, function)(graph, **arguments, device=device)
    if found.method == "near-far" and function == "bfs":  # of a deep graph, which a GPU finds out
        return
    assert found.method == expected.method
    arrays = [found.levels if function == "bfs" else found.dist, found.pred, getattr(found, "nearest", None)]
    assert expected.host_bytes >= sum(each.nbytes for each in arrays if each is not None)
    if "memory_limit" not in arguments:
        assert expected.host_bytes == sum(each.nbytes for each in arrays if each is not None)
    assert found.stats["chosen_because"] == expected.because
    assert 0 < expected.low < expected.seconds < expected.high < math.inf
    assert expected.device_bytes > 0
    assert expected.disk_bytes == 0
    assert expected.because


def test_every_argument(device: Device) -> None:
    for name in ("apsp", "sssp", "bfs"):
        parameters = inspect.signature(getattr(reedsp, name)).parameters
        given = {each: known.default for each, known in parameters.items() if known.default is not known.empty}
        where = {} if name == "apsp" else {"source": 0}
        plain = reedsp.estimate(GRAPH, name, **where, device=device)  # type: ignore[arg-type]
        assert reedsp.estimate(GRAPH, name, **{**given, **where, "device": device}) == plain  # type: ignore[arg-type]
        assert reedsp.estimate(GRAPH, name, **{**where, "device": device, "progress": True}) == plain  # type: ignore[arg-type]
    assert reedsp.estimate(GRAPH, "sssp", 5, device=device).host_bytes == 12 * 60  # by its place
    by_place = reedsp.estimate(GRAPH, "apsp", "johnson", False, "raise", None, device, None)
    assert by_place == reedsp.estimate(GRAPH, "apsp", "johnson", device=device)
    assert reedsp.estimate(GRAPH, device=device) == reedsp.estimate(GRAPH, "apsp", device=device)
    matrix = reedsp.estimate(GRAPH.to_scipy(), "apsp", device=device)
    assert matrix.host_bytes == 8 * 60 * 60


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        ("x", {}, ValueError, "^function = 'x', expected one of 'apsp', 'sssp', 'bfs'"),
        ("apsp", {"x": 1}, TypeError, "'x'"),
        ("apsp", {"method": "x"}, ValueError, "^method = 'x'"),
        ("apsp", {"negative_cycles": "x"}, ValueError, "^negative_cycles = 'x'"),
        ("apsp", {"options": {"x": 1}}, ValueError, "^options: 'floyd-warshall' has no option 'x'"),
        ("apsp", {"memory_limit": 0}, ValueError, "^memory_limit = 0"),
        (
            "apsp",
            {"memory_limit": 1000},
            ValueError,
            "^memory_limit: 1,000 bytes, but 60 vertices need",
        ),
        ("apsp", {"memory_limit": 1000.5}, ValueError, "^memory_limit: 1,000 bytes, but 60 vertices need"),
        ("apsp", {"method": "johnson", "memory_limit": 1}, ValueError, "^out, memory_limit and several devices"),
        ("apsp", {"out": "x"}, ValueError, "^out = 'x'"),
        ("sssp", {}, TypeError, "source"),
        ("sssp", {"source": 60}, ValueError, "60"),
        ("sssp", {"source": 0, "method": "x"}, ValueError, "^method = 'x'"),
        ("sssp", {"source": 0, "min_only": True}, ValueError, "^min_only"),
        ("sssp", {"source": 0, "target": 99}, ValueError, "99"),
        (
            "sssp",
            {"source": 0, "method": "dijkstra-heap", "options": {"arity": 3}},
            ValueError,
            "^options: arity = 3, expected one of 2, 4, 8",
        ),
        ("bfs", {"source": 60}, ValueError, "60"),
        *((each, {"source": 0, "progress": "yes"}, TypeError, "^progress = 'yes'") for each in ("sssp", "bfs")),
        ("apsp", {"progress": 1}, TypeError, "^progress = 1"),
        ("distance_statistics", {"progress": 1}, TypeError, "^progress = 1"),
        *(
            (
                "bfs",
                {"source": 0, "options": {"method": each, "group_size": 1 << 20}},
                ValueError,
                "^options: group_size",
            )
            for each in ("work-groups", "source-a-group")
        ),
        *(
            (
                "sssp",
                {"source": 0, "method": each, "options": {"group_size": size}},
                ValueError,
                "^options: group_size = ",
            )
            for each, size in (("near-far-local", 1 << 20), ("bellman-ford", 0), ("dijkstra-array", 3))
        ),
    ],
)
def test_errors_name_the_argument(function: Any, arguments: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.estimate(GRAPH, function, **arguments)


def test_what_the_method_cannot_do(device: Device) -> None:
    with pytest.raises(ValueError, match="needs weights that are not negative"):
        reedsp.estimate(NEGATIVE, "sssp", source=0, method="near-far", device=device)
    with pytest.raises(ValueError, match=r"^negative_cycles = 'mark': needs"):
        reedsp.estimate(NEGATIVE, "apsp", method="johnson", negative_cycles="mark", device=device)
    heavy = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**61, 2**61])
    arguments: list[dict[str, Any]] = [{"method": "floyd-warshall"}, {"method": "min-plus"}, {"memory_limit": 1 << 24}]
    for given in arguments:
        for ask in (reedsp.apsp, reedsp.estimate):
            with pytest.raises(OverflowError, match="are possible, which no type adds up"):
                ask(heavy, **given, device=device)
    assert reedsp.estimate(heavy, device=device).method == "johnson"


# ---- bytes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("predecessors", [False, True])
@pytest.mark.parametrize(("n", "largest"), [(300, 1000), (500, 9), (700, 1000), (600, 10**8)])
def test_bytes_of_a_matrix(n: int, largest: int, predecessors: bool, device: Device) -> None:
    """Of CPUs, within a quarter of what a call allocates."""
    if device.kind != "cpu":
        pytest.skip("counted on CPUs")
    graph = random(n, 4 * n, largest)
    arguments: dict[str, Any] = {"method": "floyd-warshall", "predecessors": predecessors, "device": device}
    allocated = reedsp.apsp(graph, **arguments).stats["bytes_allocated"]
    assert 0.75 < reedsp.estimate(graph, "apsp", **arguments).device_bytes / allocated < 1.35


def test_bytes_of_searches_are_those_of_a_part(device: Device) -> None:
    graph, calls = random(20_000, 120_000), ("sssp", "bfs", "distance_statistics")
    for function in calls:
        given: dict[str, Any] = {"device": device}
        name = "sources" if function == "distance_statistics" else "source"
        few, many = (
            reedsp.estimate(graph, function, **{name: range(rows)}, **given).device_bytes  # type: ignore[arg-type]
            for rows in (10_000, 20_000)
        )
        if device.kind == "cpu":
            assert few == many < 1 << 28
        else:
            assert few <= many
    if device.kind == "cpu":
        unweighted = reedsp.estimate(graph, "distance_statistics", unweighted=True, device=device).device_bytes
        assert unweighted == reedsp.estimate(graph, "bfs", range(64), device=device).device_bytes
        by_rows = reedsp.estimate(graph, "sssp", range(9000), "output-parallel", device=device).device_bytes
        assert by_rows == reedsp.estimate(graph, "sssp", 0, "output-parallel", device=device).device_bytes


def test_files(tmp_path: Path, device: Device) -> None:
    arguments: dict[str, Any] = {"out": tmp_path / "dist.npy", "predecessors": True, "device": device}
    expected = reedsp.estimate(GRAPH, "apsp", **arguments)
    assert expected.host_bytes == 0
    assert expected.disk_bytes == 60 * 60 * (8 + 4 + 4)  # the last of a checkpoint
    wide = random(60, 200, 10**6)  # by a matrix of int32, of whose size each of three files of a pass is
    small = reedsp.estimate(wide, "apsp", out=tmp_path / "dist.npy", dtype="int32", device=device)
    assert small.disk_bytes == 60 * 60 * (4 + 3 * 4)
    assert not list(tmp_path.iterdir())
    assert expected.seconds > reedsp.estimate(GRAPH, "apsp", predecessors=True, device=device).seconds
    plenty = reedsp.estimate(random(3000, 9000), "apsp", memory_limit=1 << 25, device=device)
    assert plenty.device_bytes == 1 << 25


def test_limits_are_those_of_the_call(tmp_path: Path, device: Device) -> None:
    """Where the matrix is in a file, or over workers, strips of it travel, which takes more memory."""

    def least(ask: Any, **arguments: Any) -> int:
        with pytest.raises(ValueError, match=r"^memory_limit: 9,000 bytes, but 60 vertices need") as raised:
            ask(GRAPH, **arguments, memory_limit=9000)
        return int(str(raised.value).split("need ")[1].split()[0].replace(",", ""))

    calls = reedsp.apsp, reedsp.estimate
    alone, in_file = (
        {least(ask, device=device, **given) for ask in calls} for given in ({}, {"out": tmp_path / "dist.npy"})
    )
    assert len(alone) == len(in_file) == 1
    assert max(alone) < max(in_file)
    assert {least(reedsp.estimate, device=device, workers=2, **given) for given in ({}, {"out": "x.npy"})} == in_file
    assert not list(tmp_path.iterdir())
    enough = reedsp.estimate(GRAPH, device=device, workers=2, memory_limit=max(in_file))
    assert enough.method == "floyd-warshall"


def test_a_limit_with_a_fraction_is_whole_bytes(device: Device) -> None:
    found = reedsp.estimate(random(3000, 9000), "apsp", memory_limit=(1 << 25) + 0.5, device=device)  # type: ignore[arg-type]
    assert (found.device_bytes, type(found.device_bytes)) == (1 << 25, int)


def test_squares_need_a_second_matrix(device: Device) -> None:
    one, two = (reedsp.estimate(GRAPH, method=each, device=device) for each in ("floyd-warshall", "min-plus"))
    assert two.device_bytes >= one.device_bytes + 60 * 60 * 2


def test_nothing(device: Device) -> None:
    none = reedsp.estimate(reedsp.Graph.from_edges(0, [], []), "apsp")
    assert (none.seconds, none.high, none.host_bytes, none.device_bytes) == (0, 0, 0, 0)
    one = reedsp.estimate(reedsp.Graph.from_edges(1, [], []), "apsp", device=device)
    assert one.host_bytes == 8
    assert one.seconds > 0
    assert reedsp.estimate(reedsp.Graph.from_edges(1, [], []), "sssp", source=0, device=device).seconds > 0


# ---- seconds ----------------------------------------------------------------------------------------


def test_limits_are_as_wide_as_what_is_not_known(monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    def width(function: Any = "apsp", **arguments: Any) -> float:
        found = reedsp.estimate(GRAPH, function, **arguments, device=device)
        assert found.seconds / found.low == pytest.approx(found.high / found.seconds)
        return found.high / found.seconds

    monkeypatch.setattr(families, "known", lambda device: POCL)
    assert width() == 2
    assert width(method="johnson") == 2
    assert width(method="johnson", options={"search": "bellman-ford"}) == 20
    assert width(method="min-plus") == 4
    assert width(options={"kernel": "katz-kider"}) == 4
    assert width(memory_limit=1 << 24) == 4
    assert width("sssp", source=0) == 2
    assert width("sssp", source=0, method="output-parallel") == 20
    assert width("bfs", source=0) == 4
    monkeypatch.setattr(families, "known", lambda device: families.family("cpu", 2, 1 << 34, True))
    assert width() == 4
    monkeypatch.setattr(families, "known", lambda device: H200)
    assert width("sssp", source=0) == 4


def test_a_graph_that_is_prepared(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = reedsp.prepare(reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1]), device=device)
    expected = reedsp.estimate(prepared, "distance_statistics")
    assert expected.method == "contraction-hierarchy"
    assert expected.seconds > 2e-4  # a call takes as long, however little is to be done
    assert reedsp.estimate(prepared, "distance_statistics", device=device).seconds == expected.seconds
    search = reedsp.estimate(prepared, "sssp", source=0)
    assert (search.method, search.because) == ("contraction-hierarchy", "the graph was prepared")
    assert search.host_bytes == 3 * 12
    with pytest.raises(ValueError, match=r"^target: a prepared graph is searched without"):
        reedsp.estimate(prepared, "sssp", source=0, target=1)
    with pytest.raises(TypeError, match=r"^workers: the graph is prepared on .*, and cannot be asked on a cluster$"):
        reedsp.estimate(prepared, "distance_statistics", workers=2)
    with pytest.raises(ValueError, match=r"^device: the graph is prepared on .*, and not on several devices$"):
        reedsp.estimate(prepared, "distance_statistics", device=[device, device])
    monkeypatch.setattr(rows, "get_device", lambda _: SimpleNamespace(handle=None))
    with pytest.raises(ValueError, match=r"^device = .*: the graph is prepared on .*, and not on"):
        reedsp.estimate(prepared, "distance_statistics", device=device)


def test_a_look_that_was_taken_is_used(machine: Known, device: Device) -> None:
    graph = random(500, 700)
    before = reedsp.estimate(graph, "apsp", method="johnson", device=device).seconds
    graph._derived["reach"] = probe.Reach(5.0, 6.0)
    after = reedsp.estimate(graph, "apsp", method="johnson", device=device).seconds
    assert (after < before) == machine.is_cpu


def test_several_devices_share_the_work(machine: Known, device: Device) -> None:
    """But for copies; and one that is named twice is one."""
    same, other = (Device(device.index, device.handle) for _ in range(2))
    other.handle = object()  # type: ignore[assignment]
    graph, small = random(3000, 9000), random(500, 1500)
    for function in ("apsp", "distance_statistics"):
        alone, twice, both = (
            reedsp.estimate(graph, function, device=[device, *others]).seconds  # type: ignore[arg-type]
            for others in ([], [device, same], [device, same, other])
        )
        if function == "apsp":  # alone the matrix is on the device, if it is not asked for on the host
            alone = reedsp.estimate(graph, memory_limit=1 << 40, device=device).seconds
        assert twice == alone
        assert alone / 2 <= both < 0.9 * alone
    one, two = (reedsp.estimate(small, device=[device, each]).seconds for each in (device, other))
    assert one == two  # there is one span


def test_more_takes_longer(machine: Known, device: Device) -> None:
    for function, arguments in (("apsp", {}), ("sssp", {"source": 0}), ("bfs", {"source": 0})):
        seconds = [reedsp.estimate(random(n, 4 * n), function, **arguments, device=device) for n in (100, 1000, 10_000)]  # type: ignore[arg-type]
        assert [each.seconds for each in seconds] == sorted(each.seconds for each in seconds)
    named = {"method": "floyd-warshall", "device": device}
    plain, both = (reedsp.estimate(GRAPH, "apsp", predecessors=each, **named) for each in (False, True))  # type: ignore[arg-type]
    assert plain.seconds < both.seconds
    assert (
        reedsp.estimate(GRAPH, "sssp", 0, device=device).seconds
        < reedsp.estimate(GRAPH, "sssp", [0] * 9, device=device).seconds
    )


@pytest.mark.parametrize(
    ("n", "m", "rows", "directed", "milliseconds"),
    [  # of near-far with PoCL, as whole calls were measured
        (10_000, 30_000, 1, True, 0.75),
        (100_000, 800_000, 1, True, 4.9),
        (300_000, 2_400_000, 1, True, 14.8),
        (1_000_000, 4_000_000, 1, True, 38.5),
        (360_000, 1_293_746, 1, False, 10.0),
        (10_000, 80_000, 16, True, 5.1),
        (30_000, 240_000, 16, True, 14.4),
        (100_000, 800_000, 16, True, 52),
        (300_000, 900_000, 16, True, 90.5),
        (1_000_000, 4_000_000, 16, True, 743),
        (90_000, 323_210, 16, False, 25.8),
    ],
)
def test_searches_as_recorded(n: int, m: int, rows: int, directed: bool, milliseconds: float) -> None:
    works, _ = searches.near_far(Searches(n, m, directed, rows, "int32", 8), POCL)
    assert 1 / 2 < 1e3 * total(works, POCL.machine) / milliseconds < 2


def test_small_inputs_on_the_host(serves: None) -> None:
    calls: list[tuple[reedsp.Graph, Any, str, float]] = [
        (GRAPH, "sssp", "dijkstra", searches.on_host(Searches(60, GRAPH.m, True, 1, "int32", 8))),
        (NEGATIVE, "sssp", "bellman-ford", searches.on_host(Searches(3, 2, True, 1, "int32", 8, negative=True))),
        (GRAPH, "bfs", "dijkstra", searches.levels_on_host(Searches(60, GRAPH.m, True, 1, "int32", 4))),
    ]
    for graph, function, method, seconds in calls:
        expected, found = reedsp.estimate(graph, function, source=0), getattr(reedsp, function)(graph, 0)
        assert (expected.method, expected.device_bytes) == (method, 0)
        assert (found.method, found.stats["chosen_because"]) == (method, expected.because)
        assert expected.seconds == seconds
        assert "host" in expected.because


def test_a_cutoff_within_which_little_may_lie(serves: None, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host finds that in less time than a device takes for anything."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(choose_search, "shortest_paths_on_host", lambda asked, known: None)
    plain, near = (reedsp.estimate(WIDE, "sssp", 7, cutoff=cutoff) for cutoff in (None, 10))
    assert reedsp.sssp(WIDE, 7, cutoff=10).method == "nearby"
    assert near.low == 1e-4 < plain.low
    assert near.because == f"{plain.because}; the host looks first whether little lies within the cutoff"
    assert (near.seconds, near.high) == (plain.seconds, plain.high)
    for given in ({"source": [7, 8]}, {"source": 7, "device": device}):  # where it does not look
        assert reedsp.estimate(WIDE, "sssp", cutoff=10, **given) == reedsp.estimate(WIDE, "sssp", **given)
    assert reedsp.estimate(WIDE, "sssp", 7, cutoff=np.inf) == plain


def test_rows_of_a_contracted_graph_are_searched_in_parts(device: Device) -> None:
    few, many = (Searches(300_000, 700_000, False, count, "int32", 8, stays=True) for count in (100, 300_000))
    in_parts = contraction.bytes_of(many, 1000) - contraction.bytes_of(many, 0)
    assert in_parts == 300_000 * 4 * 1000
    assert contraction.bytes_of(few, 1000) == contraction.bytes_of(few, 100)
    assert estimate._bytes_of_prepared(device, many) < device.global_memory


def test_what_reports_is_done_by_a_device(serves: None) -> None:
    def report(done: int, most: int) -> None:
        """Ignore it."""

    many = {"sources": range(60)}
    for function, arguments in (("sssp", {"source": 0}), ("bfs", {"source": 0}), ("distance_statistics", many)):
        call: Any = getattr(reedsp, function)
        for progress in (None, False, True, report):  # no terminal shows a bar here
            given: dict[str, Any] = {**arguments, "progress": progress}
            expected, found = reedsp.estimate(GRAPH, function, **given), call(GRAPH, **given)  # type: ignore[arg-type]
            assert (expected.device_bytes == 0) == (found.device == HOST), (function, progress)
    by_place = reedsp.estimate(GRAPH, "sssp", 0, "auto", None, None, None, None, report)
    assert by_place == reedsp.estimate(GRAPH, "sssp", 0, progress=report)
    assert by_place.device_bytes > 0


def test_nothing_is_asked_for(device: Device) -> None:
    nothing = reedsp.Graph.from_edges(0, [], [])
    assert reedsp.estimate(nothing, device=device).because == "there is nothing to solve"
    assert reedsp.estimate(nothing, method="johnson", device=device).because == "it was asked for"


def test_in_words() -> None:
    expected = reedsp.Estimate("johnson", 1.5, 0.75, 3.0, 1, 2, 3, "it was asked for")
    assert str(expected) == "1.5 s (750 ms to 3 s) by johnson"
    assert repr(expected).startswith("Estimate(method='johnson', seconds=1.5, ")


# ---- over workers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["sssp", "bfs"])
def test_workers_share_out_searches(function: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "known", lambda device: POCL)
    graph, sources = WIDE, list(range(2000))
    alone = reedsp.estimate(graph, function, sources, device=device)
    one, two, eight = (
        reedsp.estimate(graph, function, sources, device=device, workers=workers) for workers in (1, 2, 8)
    )
    assert alone.seconds < one.seconds < 1.5 * alone.seconds
    assert eight.seconds < two.seconds < one.seconds
    assert two.seconds > one.seconds / 2
    assert one.low < alone.low
    assert one.high > alone.high
    assert "8 workers share out 32 tasks" in eight.because
    answer = alone.host_bytes - 4 * 2000 * WIDE.n  # rows without trees
    assert (two.method, two.host_bytes, two.disk_bytes) == (alone.method, answer, 0)
    written = reedsp.estimate(graph, function, sources, device=device, workers=2, out="x.zarr")
    assert (written.host_bytes, written.disk_bytes) == (0, answer)
    assert written.seconds > two.seconds
    none = reedsp.estimate(graph, function, [], device=device, workers=2)
    assert none.host_bytes == 0


@pytest.mark.parametrize("method", ["johnson", "floyd-warshall"])
def test_workers_share_out_all_pairs(method: Any, device: Device) -> None:
    graph = WIDE
    alone, two, eight = (
        reedsp.estimate(graph, "apsp", method, device=device, **given)
        for given in ({}, {"workers": 2}, {"workers": 8, "out": "x.npy"})
    )
    if device.kind == "cpu":  # a GPU has nothing left to be shared out
        assert eight.seconds - eight.disk_bytes / 5e8 < two.seconds < alone.seconds
    assert eight.disk_bytes == alone.host_bytes == two.host_bytes
    assert reedsp.estimate(random(0, 0), "apsp", workers=2).seconds == 0


def test_many_tasks_take_the_client_its_time() -> None:
    """More workers do not help where each task is short."""
    few, many = (sharing.searches(10_000, 1 << 27, 0, workers, 1 << 27, lambda rows: 1e-3) for workers in (2, 2000))
    assert few.tasks == many.tasks == 10_000
    assert many.seconds > few.seconds / 2


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"workers": 0}, ValueError, "workers = 0, expected at least 1"),
        ({"workers": 10**400}, ValueError, "^workers: expected at most 1,048,576$"),
        ({"workers": 1.5}, TypeError, "workers: expected an integer, got 1.5"),
        ({"workers": True}, TypeError, "workers: expected an integer, got True"),
        ({"workers": 2, "min_only": True}, ValueError, "min_only"),
        ({"workers": 2, "out": 5}, TypeError, "^out: expected a path, got 5"),
        ({"workers": 2, "out": np.empty((1, 60))}, TypeError, "^out: expected a path, got"),
        ({"workers": 2, "out": "no such folder/x.npy"}, FileNotFoundError, "no such folder"),
    ],
)
def test_bad_workers(given: dict[str, Any], error: type[Exception], message: str, device: Device) -> None:
    with pytest.raises(error, match=message):
        reedsp.estimate(GRAPH, "sssp", [0], device=device, **given)


@pytest.mark.parametrize(
    ("function", "given", "error", "message"),
    [
        ("apsp", {"method": "min-plus"}, ValueError, r"^method = 'min-plus', expected one of 'auto', "),
        ("apsp", {"options": {"kernel": "katz-kider"}}, ValueError, r"^options: kernel = 'katz-kider' works on one"),
        ("apsp", {"device": [0, 1]}, TypeError, r"^device: expected a device, an index or part of a name, got list$"),
        ("apsp", {"out": "x.csv"}, ValueError, r"^out = 'x\.csv', expected a name that ends in \.zarr or \.npy"),
        ("sssp", {"source": 0, "out": "x.csv"}, ValueError, r"^out = 'x\.csv', expected a name that ends in"),
        ("sssp", {"source": 0, "target": 1}, TypeError, r"^target: workers find the distances to all vertices$"),
    ],
)
def test_what_workers_refuse(function: Any, given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.estimate(GRAPH, function, workers=2, **given)


@pytest.mark.parametrize(("function", "given"), [("apsp", {}), ("sssp", {"source": 0}), ("bfs", {"source": 0})])
def test_workers_write_over_nothing(function: Any, given: dict[str, Any], tmp_path: Path, device: Device) -> None:
    out = tmp_path / "x.npy"
    out.touch()
    with pytest.raises(FileExistsError):
        reedsp.estimate(GRAPH, function, **given, device=device, workers=2, out=out)
    (tmp_path / "x.npy.partial").mkdir()  # whose result it may be
    assert reedsp.estimate(GRAPH, function, **given, device=device, workers=2, out=out).disk_bytes > 0


def test_arrays_that_workers_fill(device: Device) -> None:
    plain = reedsp.estimate(GRAPH, device=device, workers=2)
    assert reedsp.estimate(GRAPH, device=device, workers=2, out=np.empty((60, 60))) == plain
    with pytest.raises(ValueError, match=r"^out has shape \(4, 4\)"):
        reedsp.estimate(GRAPH, device=device, workers=2, out=np.empty((4, 4)))
    by_place = reedsp.estimate(GRAPH, "apsp", "auto", False, "raise", "x.npy", device, workers=2)
    assert by_place == reedsp.estimate(GRAPH, "apsp", device=device, workers=2, out="x.npy")
