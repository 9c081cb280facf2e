"""What gives a wrong answer on a device, or fails there, is put aside, and something else serves."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csgraph

import reedsp
from reedsp.algorithms.single_source import near_far, near_far_work_group
from reedsp.algorithms.traversal import bfs
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import build, selfcheck
from reedsp.device import compiler as compiler_module
from reedsp.device.compiler import Compiler
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.job import Job, spoilt_memory
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges.selfcheck import (
    SOURCE,
    finds_distances_along_few,
    is_known_tree,
    known_graph,
    known_grid,
    known_levels,
)
from reedsp.minplus import selfcheck as minplus_selfcheck
from reedsp.minplus import tilings
from reedsp.primitives import scan
from reedsp.primitives import selfcheck as primitives_selfcheck
from reedsp.primitives.operators import identity_of, resolve
from reedsp.primitives.plans import Buffers
from reedsp.primitives.selfcheck import known_scan
from tests.support import oracle

# Each is wrong for few edges or entries only.
FAULTS = {
    "single_source/near_far_piles.cl": (
        "path_sum(entry.dist, edge.weight)",
        "path_sum(entry.dist, edge.weight + (edge.target == 77))",
    ),
    "single_source/near_far_work_group.cl": (
        "extended(key, edge.weight)",
        "extended(key, edge.weight + (edge.target == 77))",
    ),
    "core/weights.cl": ("INF : dist + weight;", "INF : dist + weight + (weight == 3);"),
    "all_pairs/floyd_warshall_stage.cl": ("column[i], row[j])", "column[i], row[j] + (x == 1 && y == 2))"),
    "minplus/common.cl": ("MINIMUM(minimum, sum)", "MINIMUM(minimum, sum + ((sum & 63) == 7))"),
    "minplus/vectors.cl": ("MINIMUM(minimum, sum)", "MINIMUM(minimum, sum + 1)"),
    "primitives/work_item_scan.cl": (
        "base == 0 ? IDENTITY_ITEM",
        "base < 15000 ? IDENTITY_ITEM",
    ),  # from the second span on
    "primitives/work_group_scan.cl": (
        "carry = combine_items(carry, sum);",
        "carry = combine_items(carry, tile > first ? IDENTITY_ITEM : sum);",
    ),
    "primitives/single_pass_scan.cl": ("WORD(OF_ALL, after)", "WORD(OF_ALL, sum)"),
    "primitives/blelloch_scan.cl": (
        "combine(VALUE_OF(before), values[k])",
        "combine(VALUE_OF(before), values[k] + (i == 4096))",
    ),
    "primitives/naive_scan.cl": ("i >= stride ?", "i > stride ?"),
    "primitives/reduce.cl": ("= total;", "= get_group_id(0) == 3 ? IDENTITY_ITEM : total;"),
    "traversal/bfs_rows.cl": ("shared->source[place])", "shared->source[place] + (target == 77))"),
    "traversal/bfs_work_items.cl": ("min(before, word);", "min(before, word + (target == 620));"),
    "traversal/bfs_work_groups.cl": ("shared->source[piece])", "shared->source[piece] + (target == 77))"),
}

INT32 = Arithmetic(np.dtype(np.int32))


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch, private_cache: Path) -> None:
    """As in a new process of somebody who has never used the device."""
    monkeypatch.setattr(selfcheck, "_known", {})


SPOILT = np.full(50, np.array(4 * [0xA5], np.uint8).view(np.int32)[0])


def _gets_spoilt_memory(device: Device) -> bool:
    job = Job(device)
    return np.array_equal(job.download(job.allocate(50, np.int32), 50, np.int32), SPOILT)


def test_what_lay_there_before_is_no_answer(device: Device, own_verdicts: None) -> None:
    """Trials get memory in which nothing is right only because an earlier one has left it there."""
    assert is_trusted(device, "the memory", _gets_spoilt_memory)
    job = Job(device)
    with spoilt_memory():
        assert _gets_spoilt_memory(device)
        assert (job.download(job.full(50, np.int32(3)), 50, np.int32) == 3).all()
    job.full(50, np.int32(3))
    assert not _gets_spoilt_memory(device)


def test_what_fails_is_tried_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at once, as what takes long would be in each call; what is wrong stays aside. An error says why."""
    now, tried, errors = [0.0], list[str](), ["the disk is full"]
    monkeypatch.setattr(selfcheck.time, "monotonic", lambda: now[0])

    def trial(device: Device, name: str) -> bool:
        tried.append(name)
        now[0] += 1.0
        if name == "fails" and errors:
            raise DeviceError(errors[0])
        return name == "fails"

    def passes(name: str) -> bool:
        return is_trusted(device, "a way", trial, name)

    with pytest.warns(RuntimeWarning, match=r"^a way fails: the disk is full on .*, and is put aside$"):
        assert not passes("fails")
    assert str(none_is_trusted("nothing works")) == "nothing works: the disk is full"
    with pytest.warns(RuntimeWarning, match="a way gives a wrong answer"):
        assert not passes("is wrong")
    assert str(none_is_trusted("nothing works")) == "nothing works"
    errors.clear()
    now[0] += 90.0
    assert not passes("fails")
    assert str(none_is_trusted("nothing works")) == "nothing works: the disk is full"
    assert tried == ["fails", "is wrong"]
    now[0] += 20.0
    assert passes("fails")
    assert not passes("is wrong")
    assert tried == ["fails", "is wrong", "fails"]


@pytest.fixture
def fresh(device: Device) -> Device:
    """The device, with nothing built for it."""
    return Device(device.index, device.handle)


def plant(folder: Path, file: str) -> None:
    right, wrong = FAULTS[file]
    text = (folder / file).read_text()
    assert right in text
    (folder / file).write_text(text.replace(right, wrong))


def graph_and_distances() -> tuple[reedsp.Graph, np.ndarray]:
    rng = np.random.default_rng(5)
    graph = reedsp.Graph.from_edges(200, *rng.integers(0, 200, (2, 900)), rng.integers(1, 9000, 900))  # for int32
    return graph, csgraph.floyd_warshall(graph.to_scipy())


# ---- what is remembered -----------------------------------------------------------------------------


def test_simulators_are_not_tried(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def trial(device: Device) -> bool:
        raise AssertionError

    monkeypatch.setattr(selfcheck.build, "SIMULATORS", (device.platform,))
    assert is_trusted(device, "a way", trial)


def test_what_passes_where_nothing_can_be_written(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(selfcheck, "write_private", refuse)
    for known in ({}, {}):  # two processes
        monkeypatch.setattr(selfcheck, "_known", known)
        assert is_trusted(device, "the memory", _gets_spoilt_memory)
        assert len(known) == 1


def test_75_tried_once_and_remembered(device: Device, private_cache: Path) -> None:
    tried: list[str] = []

    def trial(device: Device, name: str) -> bool:
        return bool(tried.append(name)) or True

    def passes(name: str, on: Any = device) -> bool:
        return is_trusted(on, "a way", trial, name)

    assert passes("one")
    assert passes("one")
    assert tried == ["one"]
    selfcheck._known.clear()  # another process
    assert passes("one")
    assert tried == ["one"]
    assert len(list((private_cache / "reedsp" / "trusted").iterdir())) == 1
    assert passes("other")
    assert tried == ["one", "other"]
    assert passes("one", SimpleNamespace(**vars(device) | {"driver_version": "a later one"}))
    assert tried == ["one", "other", "one"]


def test_75_tried_again_when_a_source_of_its_programs_has_changed(fresh: Device, kernel_copy: Path) -> None:
    """Not if another file has; and what a record covers is known without a trial."""
    tried: list[bool] = []

    def trial(device: Device) -> bool:
        device.self_test()
        return bool(tried.append(True)) or True

    def tried_after(change: Callable[[], object]) -> int:
        change()
        selfcheck._known.clear()
        assert is_trusted(fresh, "a way", trial)
        [verdict] = selfcheck._known.values()
        assert {file for file, _ in verdict.programs or ()} == {"core/self_test.cl"}
        return len(tried)

    included = kernel_copy / "core/weights.cl"
    [record] = [tried_after(lambda: None)] and (kernel_copy.parent / "cache/reedsp/trusted").iterdir()
    assert tried_after(lambda: (kernel_copy / "edges/verify.cl").write_text("")) == 1
    assert tried_after(lambda: included.write_text(included.read_text() + "// changed\n")) == 2
    assert tried_after(lambda: None) == 2
    for damage in (b"", b"[", b"[[1]]", b"7", record.read_bytes().replace(b"self_test.cl", b"nowhere.cl")):
        before = len(tried)
        assert tried_after(lambda damage=damage: record.write_bytes(damage)) == before + 1  # type: ignore[misc]


def test_75_other_arguments_are_another_trial(device: Device) -> None:
    """Functions are known by their names, which are the same in every process."""
    tried: list[Any] = []

    def trial(device: Device, thing: Any) -> bool:
        return bool(tried.append(thing)) or True

    things = [0, "0", np.add, np.dtype("int32"), np.dtype("int64"), crash, Arithmetic, INT32]
    for thing in things * 2:
        assert is_trusted(device, "a way", trial, thing)
    assert len(tried) == len(things)
    assert not any(" at 0x" in selfcheck._name_of(thing) for thing in things)


def test_75_scans_that_begin_with_another_zero_are_tried_by_themselves(device: Device) -> None:
    x = np.zeros(3, np.float32)
    reedsp.reduce(x, device=device)
    before = len(selfcheck._known)
    reedsp.inclusive_scan(x, device=device)
    assert len(selfcheck._known) == before + 1


def test_75_failure_is_said_once_and_not_remembered(device: Device, private_cache: Path) -> None:
    with pytest.warns(RuntimeWarning, match=r"^a way gives a wrong answer on .*, and is put aside$"):
        assert not is_trusted(device, "a way", lambda device: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not is_trusted(device, "a way", lambda device: True)
        selfcheck._known.clear()
        assert is_trusted(device, "a way", lambda device: True)


def test_73_what_fails_is_put_aside(device: Device) -> None:
    def fail(device: Device) -> bool:
        raise DeviceError("it does not build")

    with pytest.warns(RuntimeWarning, match=r"^a way fails: it does not build on .*, and is put aside$"):
        assert not is_trusted(device, "a way", fail)


def test_77_lack_of_memory_says_nothing_about_a_way(device: Device) -> None:
    def fail(device: Device) -> bool:
        raise DeviceMemoryError("no memory")

    with pytest.raises(DeviceMemoryError):
        is_trusted(device, "a way", fail)
    assert is_trusted(device, "a way", lambda device: True)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_68_folder_of_others_vouches_for_nothing(device: Device, private_cache: Path) -> None:
    assert is_trusted(device, "a way", lambda device: True)
    selfcheck._known.clear()
    (private_cache / "reedsp" / "trusted").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="a way gives a wrong answer"):
        assert not is_trusted(device, "a way", lambda device: False)


# ---- the known graph --------------------------------------------------------------------------------


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("fractional", [False, True])
def test_known_distances_are_those_of_scipy(fractional: bool, negative: bool) -> None:
    graph, expected = known_graph(fractional, negative)
    dist, pred = csgraph.bellman_ford(graph.to_scipy(), indices=SOURCE, return_predecessors=True)
    assert np.array_equal(dist, expected)
    assert graph.has_negative_weights == negative
    assert np.diff(graph.indptr).max() > 500
    assert np.isinf(expected).sum() == 10
    assert is_known_tree(dist, pred, np.inf, graph, expected)
    for vertex, wrong in ((7, -9999), (7, 599), (599, 7), (SOURCE, 7)):
        assert not is_known_tree(dist, np.where(np.arange(graph.n) == vertex, wrong, pred), np.inf, graph, expected)
    assert not is_known_tree(dist + (np.arange(graph.n) == 300), pred, np.inf, graph, expected)


@pytest.mark.parametrize("degree", [2, 4, 8])
@pytest.mark.parametrize("fractional", [False, True])
def test_distances_in_a_known_grid_are_those_of_scipy(fractional: bool, degree: int) -> None:
    graph, expected = known_grid(fractional, degree)
    assert graph.n == 400
    assert np.array_equal(csgraph.dijkstra(graph.to_scipy(), indices=SOURCE), expected)
    assert np.diff(graph.indptr).max() == degree
    assert np.isfinite(expected).all()
    assert bool((graph.weights % 1).any()) == fractional


@pytest.mark.parametrize("graph", ["known_graph", "known_grid"])
def test_what_finds_few_distances_wrongly_is_not_trusted(graph: str, device: Device) -> None:
    """In either of the graphs."""
    sizes: list[int] = []

    def solve(job: Any, edges: Any, arithmetic: Arithmetic, starts: Any) -> Any:
        wrong = edges.n == {"known_graph": 640, "known_grid": 400}[graph]
        sizes.append(edges.n)
        found = known[edges.n].copy()
        found[-1] += wrong
        return job.upload(found)

    arithmetic = Arithmetic(np.dtype(np.int32))
    known = {}
    for made, expected in (known_graph(False, False, 4), known_grid(False, 4)):
        known[made.n] = np.where(np.isinf(expected), arithmetic.infinity, expected).astype(np.int32)
    assert not finds_distances_along_few(device, solve, arithmetic, 4)
    assert sizes == ([640] if graph == "known_graph" else [640, 400])


def test_known_levels_are_those_of_scipy() -> None:
    graph, levels, before = known_levels()
    assert np.array_equal(csgraph.dijkstra(graph.to_scipy(), indices=SOURCE, unweighted=True), levels)
    ends, sources = graph.indices, np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    for vertex in range(graph.n):
        above = [u for u in sources[ends == vertex] if levels[u] + 1 == levels[vertex] < np.inf]
        assert before[vertex] == min(above, default=-9999)


@pytest.mark.parametrize("segmented", [False, True])
@pytest.mark.parametrize("op", ["add", "min", "max"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_known_scans_are_those_of_the_oracle(dtype: str, op: str, segmented: bool) -> None:
    kind = np.dtype(dtype)
    join = {"add": lambda a, b: kind.type(a + b), "min": min, "max": max}[op]
    identity = identity_of(resolve(op, kind), kind)
    known = known_scan(kind, op, identity, segmented, 3000)
    with np.errstate(over="ignore"):
        for exclusive, found in ((False, known.inclusive), (True, known.exclusive)):
            expected = oracle.scan(list(known.x), join, identity, known.heads.tolist(), exclusive)
            assert found.dtype == kind
            assert found.tolist() == [kind.type(each) for each in expected]
    assert known.heads.any() == segmented
    assert len(np.unique(known.inclusive)) > 30
    if kind.kind != "u":
        assert (known.x < 0).any()
    assert np.isinf(known.x).any() == (kind.kind == "f")
    if op == "add" and kind.kind == "u":
        assert (np.diff(known.inclusive.astype(np.float64)) < 0).sum() > 100  # sums that have wrapped around


# ---- what serves instead ----------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("together", [False, True])
def test_75_wrong_near_far_is_replaced_by_the_other(
    together: bool, fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_far, "in_work_groups", lambda device, arithmetic: together)
    file = "single_source/near_far_work_group.cl" if together else "single_source/near_far_piles.cl"
    plant(kernel_copy, file)
    graph, expected = graph_and_distances()
    form = "work-groups" if together else "work-items"
    with pytest.warns(RuntimeWarning, match=f"near-far in {form} and int32 .* is put aside"):
        assert np.array_equal(reedsp.sssp(graph, 3, device=fresh).dist, expected[3])
    assert near_far.chosen_form(fresh, INT32) is not together
    assert np.array_equal(reedsp.sssp(graph, 4, device=fresh).dist, expected[4])


@pytest.mark.deep(parts=164)  # a wrong kernel that takes a compiler for CPUs a minute
def test_75_wrong_size_of_work_groups_is_replaced(
    fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_far, "in_work_groups", lambda device, arithmetic: True)
    tuning_for = near_far_work_group.tuning_for
    larger = {"group_size": 32, "queue": 64}
    monkeypatch.setattr(near_far_work_group, "tuning_for", lambda *given: replace(tuning_for(*given), **larger))
    right, wrong = FAULTS["single_source/near_far_work_group.cl"]
    file = kernel_copy / "single_source/near_far_work_group.cl"
    file.write_text(file.read_text().replace(right, wrong.replace("(edge.target", "(GROUP_SIZE == 32 && edge.target")))
    graph, expected = graph_and_distances()
    with pytest.warns(
        RuntimeWarning, match="near-far in work-groups of 32 by block-search of 1 and int32 gives a wrong answer"
    ):
        assert np.array_equal(reedsp.sssp(graph, 3, device=fresh).dist, expected[3])
    assert near_far.chosen_form(fresh, INT32)


@pytest.mark.deep(parts=164)  # two sets of wrong kernels, of which one takes as long
def test_75_another_method_serves(fresh: Device, kernel_copy: Path) -> None:
    """With near-far wrong in both forms Bellman-Ford; with that wrong as well, an error."""
    for file in ("single_source/near_far_piles.cl", "single_source/near_far_work_group.cl"):
        plant(kernel_copy, file)
    graph, expected = graph_and_distances()
    with pytest.warns(RuntimeWarning, match="near-far in .* is put aside"):
        paths = reedsp.sssp(graph, 3, device=fresh)
    assert paths.method in ("input-parallel-refined", "output-parallel")
    assert np.array_equal(paths.dist, expected[3])
    with pytest.raises(DeviceError, match=r": near-far in int32 give wrong answers, or fail$"):
        reedsp.sssp(graph, 3, "near-far", device=fresh)
    plant(kernel_copy, "core/weights.cl")
    selfcheck._known.clear()
    with pytest.warns(RuntimeWarning), pytest.raises(DeviceError, match="input-parallel in int32 give wrong answers"):
        reedsp.sssp(graph, 3, device=Device(fresh.index, fresh.handle))


@pytest.mark.deep
def test_75_wrong_products_are_replaced(fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minplus_selfcheck, "works_in_groups", lambda device: True)
    plant(kernel_copy, "minplus/common.cl")
    graph, expected = graph_and_distances()
    with pytest.warns(RuntimeWarning, match="the min-plus product of int32 in registers .* gives a wrong answer"):
        assert np.array_equal(reedsp.apsp(graph, "floyd-warshall", device=fresh).dist, expected)
    plant(kernel_copy, "minplus/vectors.cl")
    selfcheck._known.clear()
    with pytest.warns(RuntimeWarning), pytest.raises(DeviceError, match="no tiling gives right min-plus products"):
        reedsp.apsp(graph, "floyd-warshall", device=Device(fresh.index, fresh.handle))


def test_75_wrong_tile_of_floyd_warshall_is_replaced(
    fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minplus_selfcheck, "works_in_groups", lambda device: True)
    plant(kernel_copy, "all_pairs/floyd_warshall_stage.cl")
    graph, expected = graph_and_distances()
    with pytest.warns(RuntimeWarning, match="Floyd-Warshall in work-groups and int32 gives a wrong answer"):
        assert np.array_equal(reedsp.apsp(graph, "floyd-warshall", device=fresh).dist, expected)


def prefer_form(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    preferred = {"fast": form}
    monkeypatch.setattr(primitives_selfcheck, "preferred_form", lambda device, method: preferred.get(method, method))


FORM_OF_FILE = {
    "primitives/work_item_scan.cl": "work-item",
    "primitives/work_group_scan.cl": "work-group",
    "primitives/reduce.cl": "work-group",
}


@pytest.mark.deep
@pytest.mark.parametrize("file", FORM_OF_FILE)
def test_75_wrong_scans_are_replaced(
    file: str, fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = FORM_OF_FILE[file]
    monkeypatch.setattr(
        primitives_selfcheck, "preferred_form", lambda device, method: form if method == "fast" else method
    )
    plant(kernel_copy, file)
    x = np.random.default_rng(8).integers(-99, 99, 60_001)[1:]  # at no multiple of the size of a vector
    heads = x > 95
    with pytest.warns(RuntimeWarning, match=f"the scan of uint64 by add, inclusive, in {form} form gives a wrong"):
        assert np.array_equal(reedsp.inclusive_scan(x, device=fresh), np.cumsum(x))
    with pytest.warns(RuntimeWarning, match=f"the segmented scan of int64 by min, inclusive, in {form} form gives"):
        found = reedsp.segmented_scan(x, heads, "min", device=fresh)
    parts = np.split(x, np.flatnonzero(heads))
    assert np.array_equal(found, np.concatenate([np.minimum.accumulate(part) for part in parts]))
    with pytest.warns(RuntimeWarning, match=f"compaction of ulong by values and uint32 in {form} form gives a wrong"):
        assert np.array_equal(reedsp.compact(x, heads, device=fresh), x[heads])
    assert reedsp.reduce(x, device=fresh) == x.sum()
    with pytest.raises(DeviceError, match=r": the scan of uint64 by add, inclusive, gives wrong answers, or fails$"):
        reedsp.inclusive_scan(x, method=form, device=fresh)


@pytest.mark.deep
def test_75_a_wrong_single_pass_is_replaced(fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fresh.int64_atomics:
        pytest.skip("the device has no atomic operations of 64 bits")
    if fresh.kind == "gpu":
        pytest.skip("work-groups that all run at once do not read what is wrong")
    fresh.kind = "gpu"
    monkeypatch.setattr(scan, "SHORTEST_SINGLE_PASS", 1)
    plant(kernel_copy, "primitives/single_pass_scan.cl")
    job, elements = Job(fresh), scan._elements("add", np.dtype(np.int32), scanned=True)
    x, out, total = (job.allocate(100, np.int32) for _ in range(3))
    with pytest.warns(RuntimeWarning, match="the scan of uint32 by add, inclusive, in single-pass form gives a wrong"):
        plan = scan.plan_scan(job, elements, Buffers(x, x, out, total), 100)
    assert [kernel._name for kernel in plan] == ["scan_chunks"]


@pytest.mark.deep("blelloch")
@pytest.mark.parametrize("method", ["blelloch", "naive"])
def test_75_scans_that_were_asked_for_are_right_or_an_error(method: str, fresh: Device, kernel_copy: Path) -> None:
    plant(kernel_copy, f"primitives/{method}_scan.cl")
    for _ in range(2):
        with pytest.raises(DeviceError, match="the scan of uint64 by add, inclusive, gives wrong answers"):  # noqa: PT012
            if scan_is_new := not selfcheck._known:
                with pytest.warns(RuntimeWarning, match=f"in {method} form gives a wrong answer"):
                    reedsp.inclusive_scan(np.arange(70), method=method, device=fresh)
            assert not scan_is_new
            reedsp.inclusive_scan(np.arange(70), method=method, device=fresh)
    assert reedsp.inclusive_scan(np.arange(70), device=fresh).tolist() == np.cumsum(np.arange(70)).tolist()


def test_75_searches_with_wrong_scans_are_right(
    fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        primitives_selfcheck, "preferred_form", lambda device, method: "work-item" if method == "fast" else method
    )
    plant(kernel_copy, "primitives/work_item_scan.cl")
    graph, expected = graph_and_distances()
    for method in ("input-parallel", "input-parallel-refined"):
        with pytest.warns(RuntimeWarning, match=r"scan of .* in work-item form gives a wrong answer"):
            assert np.array_equal(reedsp.sssp(graph, 3, method, device=fresh).dist, expected[3])


@pytest.mark.deep
@pytest.mark.parametrize("method", [*bfs.METHODS, "source-a-group"])
def test_75_wrong_breadth_first_search_is_replaced(
    method: str, fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.kind = "cpu" if method == "work-items" else "gpu"
    plant(
        kernel_copy,
        "traversal/bfs_rows.cl" if method == "source-a-group" else f"traversal/bfs_{method.replace('-', '_')}.cl",
    )
    graph, _ = graph_and_distances()
    levels = csgraph.dijkstra(graph.to_scipy(), indices=3, unweighted=True)
    with pytest.warns(RuntimeWarning, match=f"breadth-first search in {method} gives a wrong answer"):
        search = reedsp.bfs(graph, [3] * 64 if method == "source-a-group" else 3, device=fresh)
    assert (np.where(search.levels < 0, np.inf, search.levels) == levels).all()
    assert search.verify()
    assert search.method != method
    with pytest.raises(DeviceError, match="breadth-first search gives wrong answers, or fails"):
        reedsp.bfs(graph, 3, device=fresh, options={"method": method})


@pytest.mark.skipif(os.name != "posix", reason="the planted crash is one of POSIX")
def test_74_what_crashes_the_compiler_is_put_aside(
    fresh: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler_module, "_CHILD", "tests.support.child_that_crashes")
    compiler = Compiler()
    monkeypatch.setattr(build, "compiler", compiler)
    monkeypatch.setattr(minplus_selfcheck, "works_in_groups", lambda device: True)
    with (kernel_copy / "minplus/registers.cl").open("a") as file:
        file.write("// planted_crash\n")
    graph, expected = graph_and_distances()
    with pytest.warns(
        RuntimeWarning, match=r"registers .* fails: the compiler of .* has crashed on cl/minplus/registers\.cl"
    ):
        assert np.array_equal(reedsp.apsp(graph, "floyd-warshall", device=fresh).dist, expected)
    compiler.stop()


def crash(device: Device) -> bool:
    """As a driver does that crashes when a kernel is launched: in whichever process that is."""
    device.self_test()
    os.abort()


def crash_in_a_child(device: Device, folder: Path) -> bool:
    """Leave word of a call; a second one is right."""
    (folder / str(os.getpid())).touch()
    if os.getppid() == int((folder / "parent").read_text()):
        os._exit(3)
    return device.self_test() is None


def fail_in_a_child(device: Device, folder: Path) -> bool:
    (folder / str(os.getpid())).touch()
    if os.getppid() == int((folder / "parent").read_text()):
        raise KeyError("of no interest")
    return True


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="the planted crash is one of POSIX")
def test_74_what_crashes_when_it_is_tried_is_put_aside(fresh: Device) -> None:
    """This process, in which it would crash, too, goes on."""
    with pytest.warns(RuntimeWarning, match=r"^a way crashes: Aborted(.|\n)* on .*, and is put aside$"):
        assert not is_trusted(fresh, "a way", crash)
    fresh.self_test()


@pytest.mark.deep
@pytest.mark.parametrize("was_used", [False, True])
@pytest.mark.parametrize("trial", [crash_in_a_child, fail_in_a_child])
def test_75_tried_in_a_child_before(
    trial: Callable[[Device, Path], bool], was_used: bool, fresh: Device, tmp_path: Path
) -> None:
    """Only what ends the child counts, and another one after it; what is right there is not taken on trust."""
    (tmp_path / "parent").write_text(str(os.getpid()))
    compiler_module.compiler.stop()  # which may have worked for another test
    if was_used:
        other = tmp_path / "other"
        other.mkdir()
        (other / "parent").write_text(str(os.getpid()))
        assert is_trusted(fresh, "another way", fail_in_a_child, other)
    crashes = trial is crash_in_a_child
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert is_trusted(fresh, "a way", trial, tmp_path) != crashes
    assert [str(each.message).startswith("a way crashes: exit status 3") for each in caught] == [True] * crashes
    processes = {int(each.name) for each in tmp_path.iterdir() if each.name.isdigit()}
    assert len(processes) == (1 + was_used if crashes else 2)
    assert (os.getpid() in processes) != crashes


def test_75_tried_here_if_there_is_no_child(fresh: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.compiler, "unavailable", "none today")
    assert is_trusted(fresh, "a way", bool)


@pytest.mark.deep
def test_74_intel_compiler_crashes_on_a_large_tile(device: Device) -> None:
    """Its version 2026.2 does; if a later one does not, the tile is just right."""
    weights = tilings.ARITHMETICS["int32"]
    large = tilings.registers(128, 128, 8, 8, 8)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        right = is_trusted(device, "a large tile", minplus_selfcheck.is_right, weights, True, large)
    assert right == (not caught)
