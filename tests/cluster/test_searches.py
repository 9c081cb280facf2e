"""Searches over workers: the bytes of one device, whatever happens to a task, and clear errors."""

from __future__ import annotations

import concurrent.futures
import contextlib
import errno
import gc
import importlib.util
import itertools
import multiprocessing
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse.csgraph

import reedsp
import reedsp.cluster
from reedsp.cluster import cluster, output, plan, tasks
from reedsp.cluster.engines import executor
from reedsp.cluster.worker import claims, registry
from reedsp.cluster.worker.published import Wrapped, narrowest
from reedsp.cost_model import sharing
from reedsp.device.device import Device
from reedsp.networkx_backend import on_device
from tests.support.families import FAMILIES, Family
from tests.system.files.failing import files_that_end_at

N = 40
OUTS = ("x.npy", "x.zarr", "x")


def of_mpi() -> concurrent.futures.Executor:
    """Return the ranks of a program that was started by ``mpiexec -n 3 python -m mpi4py.futures``."""
    from mpi4py.futures import MPIPoolExecutor

    executor: concurrent.futures.Executor = MPIPoolExecutor()
    return executor


POOLS: dict[str, Callable[[], concurrent.futures.Executor]] = {
    "threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
    "processes": lambda: concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")),
    "mpi": of_mpi,
}
POOL = os.environ.get("REEDSP_TEST_POOL", "threads")
workers_are_threads = pytest.mark.skipif(POOL != "threads", reason="looks into workers, or makes one fail")


@pytest.fixture(scope="module")
def pool() -> Iterator[concurrent.futures.Executor]:
    with POOLS[POOL]() as pool:
        yield pool


@pytest.fixture
def workers(pool: concurrent.futures.Executor, tmp_path: Path) -> Iterator[reedsp.cluster.Cluster]:
    """Two threads, which share the registry of this process."""
    with reedsp.cluster.Executor(pool, folder=tmp_path) as workers:
        yield workers


def makes_functions(source: Any, dist: npt.NDArray[Any]) -> Callable[[], Any]:
    """Return what no pickle holds."""
    return lambda: source


def makes_generators(source: Any, dist: npt.NDArray[Any]) -> Iterator[Any]:
    """Return what no pickle holds, also one that holds functions."""
    return (each for each in dist)


def ring(n: int = N, names: bool = False, weights: Sequence[float] | None = None) -> reedsp.Graph:
    """Return a directed ring with chords, of integer weights unless others are given."""
    tails = [*range(n), *range(n)]
    heads = [*((each + 1) % n for each in range(n)), *((7 * each + 3) % n for each in range(n))]
    given = [1 + each % 5 for each in range(2 * n)] if weights is None else weights
    labels = [f"v{each}" for each in range(n)] if names else None
    graph = reedsp.Graph.from_edges(n, tails, heads, given)
    return reedsp.Graph(graph.indptr, graph.indices, graph.weights, labels=labels)


def same(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> bool:
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


def from_scipy(graph: reedsp.Graph, sources: Sequence[int]) -> npt.NDArray[np.float64]:
    return np.asarray(scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=list(sources)))


# ---- answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_rows_are_those_of_one_device(workers: reedsp.cluster.Cluster, family: Family) -> None:
    graph = family.graph()
    sources = range(min(family.n, 5))
    try:
        expected = reedsp.sssp(graph, sources)
    except (reedsp.NegativeCycleError, OverflowError) as error:
        with pytest.raises(type(error)):
            workers.sssp(graph, sources)
        return
    assert same(workers.sssp(graph, sources), expected.dist)
    found = reedsp.sssp(graph, sources, device=workers)
    assert same(found.dist, expected.dist)
    assert same(found.pred, expected.pred)
    assert found.verify()
    levels = reedsp.bfs(graph, sources)
    assert same(workers.bfs(graph, sources), levels.levels)
    assert same(reedsp.bfs(graph, sources, device=workers).pred, levels.pred)


def test_rows_are_those_of_scipy(workers: reedsp.cluster.Cluster) -> None:
    graph, sources = ring(), [3, 0, 39, 3, 7]
    assert np.array_equal(workers.sssp(graph, sources), from_scipy(graph, sources))


def test_one_source_has_one_row_and_none_has_none(workers: reedsp.cluster.Cluster) -> None:
    graph = ring()
    assert same(workers.sssp(graph, 3), reedsp.sssp(graph, 3).dist)
    assert workers.sssp(graph, []).shape == (0, N)
    assert reedsp.sssp(graph, [], device=workers).dist.shape == (0, N)
    assert reedsp.bfs(graph, [], device=workers).levels.shape == (0, N)
    one = reedsp.sssp(graph, 3, device=workers, target=5)
    assert one.path(5) == reedsp.sssp(graph, 3).path(5)
    assert "64" not in repr(one)


def test_arguments_are_those_of_the_function(workers: reedsp.cluster.Cluster) -> None:
    graph, sources = ring(names=True), ["v3", "v0"]
    arguments: dict[str, Any] = {"method": "near-far", "dtype": "int32", "cutoff": 9, "options": {"delta": 2}}
    expected = reedsp.sssp(graph, sources, **arguments)
    assert same(workers.sssp(graph, sources, **arguments), expected.dist)
    found = reedsp.sssp(graph, sources, device=workers, **arguments)
    assert (found.source, found.method) == (sources, "near-far")
    assert found.path("v1", "v0") == expected.path("v1", "v0")
    place = np.empty((2, N), np.float32)
    assert reedsp.sssp(graph, sources, out=place, device=workers).dist is place
    assert same(place, reedsp.sssp(graph, sources, dtype="float32").dist)
    halves = ring(weights=[0.1 * (1 + each % 7) for each in range(2 * N)])
    rounded = reedsp.sssp(halves, [1, 2], dtype="float32", device=workers)
    assert same(rounded.dist, reedsp.sssp(halves, [1, 2], dtype="float32").dist)
    assert rounded.verify()


def test_sources_may_be_read_only_once(workers: reedsp.cluster.Cluster) -> None:
    graph, asked = ring(), [3, 0]

    def once() -> Any:
        return (each for each in asked)

    expected = from_scipy(graph, asked)
    for rows in (
        workers.sssp(graph, once()),
        reedsp.sssp(graph, once(), device=workers).dist,
        reedsp.distance_table(graph, once(), (each for each in range(N)), device=workers),
    ):
        assert np.array_equal(rows, expected)
    for levels in (workers.bfs(graph, once()), reedsp.bfs(graph, once(), device=workers).levels):
        assert same(levels, reedsp.bfs(graph, asked).levels)
    assert workers.map_rows(graph, name_and_farthest, once()) == [*zip(asked, expected.max(axis=1), strict=True)]
    statistics = reedsp.distance_statistics(graph, once(), device=workers)
    assert statistics.eccentricity.tolist() == expected.max(axis=1).tolist()


def name_and_farthest(name: str, dist: npt.NDArray[Any]) -> tuple[str, float]:
    return name, float(dist.max())


def test_a_function_sees_names_and_rows_in_their_order(workers: reedsp.cluster.Cluster) -> None:
    graph = ring(names=True)
    expected = from_scipy(graph, range(N)).max(axis=1)
    found = workers.map_rows(graph, name_and_farthest)
    assert found == [(f"v{index}", farthest) for index, farthest in enumerate(expected)]
    assert workers.map_rows(graph, name_and_farthest, ["v7"]) == [("v7", expected[7])]


@pytest.mark.parametrize(("sources", "targets"), [([1, 2, 9], [0]), ([5], [1, 2]), ([], [1]), ([1, 2], [])])
def test_tables(workers: reedsp.cluster.Cluster, sources: list[int], targets: list[int]) -> None:
    graph = ring()
    found = reedsp.distance_table(graph, sources, targets, device=workers)
    assert same(found, reedsp.distance_table(graph, sources, targets))
    if sources:
        assert np.array_equal(found, from_scipy(graph, sources)[:, targets])


@pytest.mark.parametrize("weights", [[2**53, 1], [2**53, 1, -1]])
@pytest.mark.parametrize("dtype", [None, "int32"])
def test_tables_need_no_type_that_holds_other_distances(
    workers: reedsp.cluster.Cluster, weights: list[int], dtype: Any
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 3][: len(weights)], [1, 2, 0][: len(weights)], weights)
    targets = [0, 1] if dtype is None else [0]
    found = reedsp.distance_table(graph, [0], targets, dtype=dtype, device=workers)
    assert same(found, reedsp.distance_table(graph, [0], targets, dtype=dtype))
    with pytest.raises((ValueError, OverflowError), match=r"^dist\[0, 2\]"):
        reedsp.distance_table(graph, [1, 0], [2, 0], dtype=dtype, device=workers)


@pytest.mark.parametrize("dtype", [None, "int32"])
def test_an_error_of_a_table_searched_backwards_names_the_pair_as_it_was_asked_for(
    workers: reedsp.cluster.Cluster, dtype: Any
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2**53 + 1, 0, 2**20])
    with pytest.raises((ValueError, OverflowError), match=r"^dist\[0, 2\]"):
        reedsp.distance_table(graph, [0, 1, 2], [2], dtype=dtype, device=workers)
    found = reedsp.distance_table(graph, [1, 2, 3], [3, 2], dtype=dtype, device=workers)
    assert same(found, reedsp.distance_table(graph, [1, 2, 3], [3, 2], dtype=dtype))


@pytest.mark.parametrize(
    ("call", "position"),
    [
        (lambda graph, workers: workers.sssp(graph, range(4)), "3, 2"),
        (lambda graph, workers: workers.sssp(graph, [3]), "0, 2"),
        (lambda graph, workers: workers.sssp(graph, 3), "2"),
        (lambda graph, workers: workers.sssp(graph, range(4), dtype="int32"), "3, 1"),
        (lambda graph, workers: workers.map_rows(graph, operator.is_), "3, 2"),
        (lambda graph, workers: reedsp.sssp(graph, range(4), device=workers), "3, 2"),
        (lambda graph, workers: reedsp.sssp(graph, 3, device=workers), "2"),
    ],
)
def test_errors_name_the_row(workers: reedsp.cluster.Cluster, call: Callable[..., Any], position: str) -> None:
    graph = reedsp.Graph.from_edges(4, [3, 1], [1, 2], [2**53, 1])
    with pytest.raises((ValueError, OverflowError), match=re.escape(f"dist[{position}] = ")):
        call(graph, workers)


FAR, FARTHEST = 3 * 2**60, 2.0**1023
OVERFLOWS: list[tuple[list[float], Callable[[reedsp.Graph, Any], Any]]] = [
    ([FAR, FAR, FAR], lambda graph, device: reedsp.sssp(graph, ["b", "d"], dtype="int64", device=device)),
    ([FAR, FAR, FAR], lambda graph, device: reedsp.sssp(graph, "d", dtype="int64", device=device)),
    ([FAR, FAR, FAR], lambda graph, device: reedsp.distance_table(graph, ["d"], ["c"], dtype="int64", device=device)),
    ([FAR, FAR, FAR], lambda graph, device: reedsp.apsp(graph, "johnson", dtype="int64", device=device)),
    ([FAR, FAR, 1], lambda graph, device: reedsp.distance_statistics(graph, ["d"], device=device)),
    ([-FAR, -FAR, -FAR], lambda graph, device: reedsp.sssp(graph, ["d"], dtype="int64", device=device)),
    ([FARTHEST, FARTHEST, 0.5], lambda graph, device: reedsp.apsp(graph, "floyd-warshall", device=device)),
    ([-FARTHEST, -FARTHEST, -FARTHEST], lambda graph, device: reedsp.sssp(graph, ["d"], device=device)),
]


@pytest.mark.parametrize(("weights", "call"), OVERFLOWS)
def test_what_is_beyond_a_type_is_named_as_by_one_device(
    workers: reedsp.cluster.Cluster, weights: list[float], call: Callable[[reedsp.Graph, Any], Any]
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], np.array(weights), labels=["d", "c", "b", "a"])
    with pytest.raises(OverflowError, match="vertex '") as expected:
        call(graph, None)
    with pytest.raises(OverflowError, match="vertex '") as caught:
        call(graph, workers)
    assert str(caught.value) == str(expected.value)


def test_what_is_beyond_a_type_is_named_where_rows_go_elsewhere(
    workers: reedsp.cluster.Cluster, tmp_path: Path
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [FAR] * 3, labels=["d", "c", "b", "a"])
    pair = r"from vertex 'd' to vertex 'a' is beyond int64"
    for call in (
        lambda: workers.sssp(graph, ["d"], dtype="int64"),
        lambda: workers.sssp(graph, ["d"], dtype="int64", out=tmp_path / "x.npy"),
        lambda: workers.map_rows(graph, name_and_farthest, ["d"], dtype="int64"),
    ):
        with pytest.raises(OverflowError, match=pair) as caught:
            call()
        assert any("'d', on worker" in note for note in caught.value.__notes__)


def test_rows_in_the_type_of_their_sums(workers: reedsp.cluster.Cluster) -> None:
    graph, sources = reedsp.Graph.from_edges(4, [3, 1], [1, 2], [2**53, 2]), [3, 0, 1]
    expected = reedsp.sssp(graph, sources)
    assert same(workers.sssp(graph, sources), expected.dist)
    found = reedsp.sssp(graph, sources, device=workers)
    assert same(found.dist, expected.dist)
    assert same(found.pred, expected.pred)
    assert found.verify()


@pytest.mark.parametrize("weights", [None, "fractions"])
def test_sums_of_distances(workers: reedsp.cluster.Cluster, weights: str | None) -> None:
    graph = ring(names=True)
    if weights is not None:
        graph = ring(weights=[0.1 * (1 + each % 7) for each in range(2 * N)])
    done: list[tuple[int, int]] = []
    for unweighted in (False, True):
        for sources in (None, [graph.names[7], graph.names[0], graph.names[7]], []):
            asked: dict[str, Any] = {"unweighted": unweighted}
            found = reedsp.distance_statistics(
                graph, sources, device=workers, progress=lambda *report: done.append(report), **asked
            )
            expected = reedsp.distance_statistics(graph, sources, **asked)
            assert found.sources == expected.sources
            for name in ("reached", "eccentricity", "farness"):
                assert same(getattr(found, name), getattr(expected, name))
    assert (N, N) in done
    with pytest.raises((ValueError, TypeError), match=r"sources\[1\]"):
        reedsp.distance_statistics(graph, [graph.names[0], "nowhere"], device=workers)
    with pytest.raises(TypeError, match="the graph is prepared"):
        reedsp.distance_statistics(reedsp.prepare(ring()), device=workers)


def test_all_pairs(workers: reedsp.cluster.Cluster) -> None:
    graph = ring()
    found = reedsp.apsp(graph, predecessors=True, device=workers)
    assert np.array_equal(found.dist, from_scipy(graph, range(N)))
    assert found.path(3, 5) == reedsp.apsp(graph, predecessors=True).path(3, 5)
    assert "workers" in repr(found)


def test_measures_of_networkx(workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    monkeypatch.setattr(on_device, "get_device", None)  # nothing is done here
    graph = nx.gnm_random_graph(30, 90, seed=4)
    nx.set_edge_attributes(graph, {edge: 1 + sum(edge) % 4 for edge in graph.edges}, "weight")
    for weight in (None, "weight"):
        with workers.answers_networkx():
            found = nx.closeness_centrality(graph, distance=weight, backend="reedsp")
        assert found == pytest.approx(nx.closeness_centrality(graph, distance=weight))
        with workers.answers_networkx():
            found = nx.eccentricity(graph, weight=weight, backend="reedsp")
        assert found == nx.eccentricity(graph, weight=weight)


# ---- files ------------------------------------------------------------------------------------------


def read(path: Path) -> npt.NDArray[Any]:
    if path.suffix == ".zarr":
        import zarr

        return np.asarray(zarr.open_array(path, mode="r")[:])
    return np.load(path) if path.suffix else np.concatenate([np.load(each) for each in sorted(path.glob("*.npy"))])


def test_chunks_of_zarr_take_no_more_room_than_rows(
    workers: reedsp.cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_CHUNK_BYTES", 16 * 20 * 8)  # of a task of 20 rows and 40 columns 16 would fit
    monkeypatch.setattr(sharing, "PARTS", 1)
    graph = ring()
    workers.sssp(graph, range(N), out=tmp_path / "x.zarr")
    chunks = [each for each in (tmp_path / "x.zarr" / "c").rglob("*") if each.is_file()]
    assert len(chunks) == 2 * 3
    assert sum(each.stat().st_size for each in chunks) <= N * 8 * (N + 2)
    assert same(read(tmp_path / "x.zarr"), from_scipy(graph, range(N)))


@pytest.mark.parametrize("out", OUTS)
def test_rows_go_into_files(workers: reedsp.cluster.Cluster, tmp_path: Path, out: str) -> None:
    graph, sources = ring(), [*range(20), 3]
    workers.sssp(graph, sources, out=tmp_path / out, dtype="int32")
    assert same(read(tmp_path / out), reedsp.sssp(graph, sources, dtype="int32").dist)
    with pytest.raises(FileExistsError, match=out):
        workers.sssp(graph, sources, out=tmp_path / out, dtype="int32")
    workers.bfs(graph, sources, out=tmp_path / f"levels-{out}")
    assert same(read(tmp_path / f"levels-{out}"), reedsp.bfs(graph, sources).levels)
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("out", OUTS)
def test_the_error_that_says_what_to_ask_for_leaves_nothing(
    workers: reedsp.cluster.Cluster, tmp_path: Path, out: str
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], np.array([2**53, 1, 1]))
    with pytest.raises(ValueError, match=r"^dist\[0, 2\] = 9007199254740993 .* ask for dtype='int64'"):
        workers.sssp(graph, [0, 1, 2], out=tmp_path / out)
    workers.sssp(graph, [0, 1, 2], out=tmp_path / out, dtype="int64")
    assert same(read(tmp_path / out), reedsp.sssp(graph, [0, 1, 2], dtype="int64").dist)


@pytest.mark.parametrize("out", OUTS)
def test_what_was_interrupted_goes_on(
    workers: reedsp.cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    graph, sources = ring(), list(range(24))

    def interrupt(done: int, most: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workers.sssp(graph, sources, out=tmp_path / out, progress=interrupt)
    assert not (tmp_path / out).exists()
    with pytest.raises(ValueError, match="its sources is"):
        workers.sssp(graph, [1, *sources[1:]], out=tmp_path / out)
    with pytest.raises(ValueError, match="its function is 'sssp', not 'bfs'"):
        workers.bfs(graph, sources, out=tmp_path / out)
    with pytest.raises(ValueError, match="its dtype is 'float64', not 'int32'"):
        workers.sssp(graph, sources, out=tmp_path / out, dtype="int32")
    with pytest.raises(ValueError, match="its graph is"):
        workers.sssp(ring(weights=[2] * 2 * N), sources, out=tmp_path / out)
    done: list[tuple[int, int]] = []
    monkeypatch.setattr(sharing, "PARTS", 1)  # which does not change how it was cut
    workers.sssp(graph, sources, out=tmp_path / out, progress=lambda count, most: done.append((count, most)))
    assert done[0][0] > 6
    assert done[-1] == (24, 24)
    assert {most for _, most in done} == {24}
    assert same(read(tmp_path / out), reedsp.sssp(graph, sources).dist)


def test_what_was_interrupted_goes_on_by_equal_arguments(workers: reedsp.cluster.Cluster, tmp_path: Path) -> None:
    graph, sources, out = ring(), list(range(24)), tmp_path / "x.npy"

    def interrupt(done: int, most: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    def interrupted(**arguments: Any) -> None:
        with pytest.raises(KeyboardInterrupt):
            workers.sssp(graph, sources, method="near-far", out=out, progress=interrupt, **arguments)

    interrupted(cutoff=9, options={})
    interrupted(cutoff=9.0)
    for given, message in (
        ({}, "its cutoff is '9', not None"),
        *[({"cutoff": each}, "its cutoff is '9', not '9.5'") for each in (9.5, Fraction(19, 2))],
        ({"cutoff": np.inf}, "its cutoff is '9', not 'inf'"),
        ({"cutoff": 9, "options": {"delta": 2}}, r"its options is None, not \"{'delta': 2.0}\""),
    ):
        with pytest.raises(ValueError, match=message):
            workers.sssp(graph, sources, method="near-far", out=out, **given)
    with pytest.raises(ValueError, match="its sources is"):
        workers.sssp(graph, sources[1:], method="near-far", cutoff=9, out=out)
    workers.sssp(graph, sources, method="near-far", cutoff=np.float32(9), out=out)
    assert same(read(out), reedsp.sssp(graph, sources, cutoff=9).dist)
    levels = tmp_path / "levels.npy"
    for options in (None, {}):
        with pytest.raises(KeyboardInterrupt):
            workers.bfs(graph, sources, out=levels, progress=interrupt, options=options)
    for options in ({"method": "frontier", "group_size": 64}, {"group_size": 64, "method": "frontier"}):
        with pytest.raises(ValueError, match=r"its options is None, not \"{'group_size': 64, 'method': 'frontier'}"):
            workers.bfs(graph, sources, out=levels, options=options)  # type: ignore[arg-type]


@pytest.mark.parametrize("out", [out for out in OUTS if not out.endswith(".npy")])
def test_what_killed_workers_leave_half_written_is_no_part_of_the_result(
    workers: reedsp.cluster.Cluster, tmp_path: Path, out: str
) -> None:
    left: list[Path] = []

    def killed(done: int, most: int) -> None:
        (folder,) = tmp_path.glob("*.partial/result-*")
        left.append((folder / "c" if (folder / "c").is_dir() else folder) / f"{done}.partial")
        left[-1].write_bytes(b"half")

    workers.sssp(ring(), range(24), out=tmp_path / out, progress=killed)
    assert left
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.deep
@workers_are_threads
@pytest.mark.parametrize("out", OUTS)
def test_a_full_disk_is_an_error_and_the_same_call_goes_on(
    workers: reedsp.cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """Each write to the disk in turn is the first one for which there is no room."""
    graph, fsync, failed = ring(), os.fsync, 0
    for after in itertools.count():
        left = iter(range(after))

        def full(descriptor: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            fsync(descriptor)

        path = tmp_path / f"{after}-{out}"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            try:
                workers.sssp(graph, range(N), out=path)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
            else:
                break
        failed += 1
        workers.sssp(graph, range(N), out=path)
        assert np.array_equal(read(path), from_scipy(graph, range(N)))
        assert not list(tmp_path.glob("*.partial"))
    assert failed >= 8  # a task each, at least


def test_a_file_for_which_there_is_no_room(tmp_path: Path) -> None:
    rows = np.zeros((3, 1000))
    folder = output.Output("folder", tmp_path / "x", rows.shape, rows.dtype, len(rows))
    folder.prepare()
    with files_that_end_at(10_000), pytest.raises(OSError, match="File too large") as raised:
        folder.write(0, rows)
    assert raised.value.errno == errno.EFBIG
    assert not list(folder.path.iterdir())


@workers_are_threads
@pytest.mark.parametrize("function", ["sssp", "apsp"])
def test_workers_may_be_in_another_folder(
    workers: reedsp.cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    places: list[Path] = []
    write = output.Output.write

    def write_there(self: output.Output, first: int, rows: npt.NDArray[Any]) -> None:
        places.append(self.path)
        write(self, first, rows)

    monkeypatch.setattr(output.Output, "write", write_there)
    graph = ring()
    if function == "sssp":
        workers.sssp(graph, range(N), out="x.npy")
    else:
        workers.apsp(graph, out="x.npy")
    assert places
    assert all(place.is_absolute() for place in places)
    assert np.array_equal(np.load("x.npy"), from_scipy(graph, range(N)))


def test_a_folder_that_is_missing_is_named(workers: reedsp.cluster.Cluster, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        workers.sssp(ring(), [0], out=tmp_path / "nowhere" / "x.npy")


# ---- tasks that fail --------------------------------------------------------------------------------


@workers_are_threads
def test_out_of_memory_halves_a_task(workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def short_in(search: Callable[..., Any]) -> Callable[..., Any]:
        def short(self: tasks.Search, graph: reedsp.Graph, sources: Sequence[int], device: reedsp.Device) -> Any:
            asked.append(len(sources))
            if len(sources) > 2:
                raise MemoryError
            return search(self, graph, sources, device)

        return short

    for name in ("found", "rows"):
        monkeypatch.setattr(tasks.Search, name, short_in(getattr(tasks.Search, name)))
    monkeypatch.setattr(sharing, "PARTS", 1)
    graph = ring()
    assert np.array_equal(workers.sssp(graph, range(20)), from_scipy(graph, range(20)))
    assert max(asked) == 10
    found_rows = reedsp.sssp(graph, range(9), device=workers)
    assert np.array_equal(found_rows.dist, from_scipy(graph, range(9)))
    assert workers.map_rows(graph, lambda name, dist: dist[1], range(7)) == from_scipy(graph, range(7))[:, 1].tolist()


@workers_are_threads
def test_a_single_row_that_does_not_fit_is_an_error(
    workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object) -> None:
        raise MemoryError("1 byte is missing")

    monkeypatch.setattr(tasks.Search, "rows", short)
    with pytest.raises(reedsp.DeviceMemoryError, match=r"sources\[0:1\] = 3: failed on .*1 byte.*then on .*1 byte"):
        workers.sssp(ring(), [3])


class Failing:
    """Fails some times for a source."""

    def __init__(self, source: int, times: int, error: Callable[[str], Exception] = ZeroDivisionError) -> None:
        self._source, self._left, self._error = source, times, error
        self._lock = threading.Lock()

    def __call__(self, source: int, dist: npt.NDArray[Any]) -> float:
        with self._lock:
            if source == self._source and self._left:
                self._left -= 1
                raise self._error("broken")
        return float(dist[0])


@workers_are_threads
def test_a_task_that_fails_once_is_done_elsewhere(workers: reedsp.cluster.Cluster) -> None:
    graph = ring()
    assert workers.map_rows(graph, Failing(3, 1), range(9)) == from_scipy(graph, range(9))[:, 0].tolist()


@workers_are_threads
def test_a_task_that_fails_twice_names_sources_and_workers(workers: reedsp.cluster.Cluster) -> None:
    here = rf"\S+-{os.getpid()}"
    with pytest.raises(
        RuntimeError, match=rf"'v3'.* failed on {here}: ZeroDivisionError: broken; then on {here}: Zero"
    ) as caught:
        workers.map_rows(ring(names=True), Failing("v3", 2), [f"v{each}" for each in range(9)])  # type: ignore[arg-type]
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(reedsp.DeviceError, match="broken"):
        workers.map_rows(ring(), Failing(3, 2, reedsp.DeviceError), range(9))


@workers_are_threads
def test_what_every_worker_would_raise_is_raised_at_once(workers: reedsp.cluster.Cluster) -> None:
    with pytest.raises(ValueError, match="broken") as caught:
        workers.map_rows(ring(), Failing(3, 1, ValueError), range(4))
    assert any("on worker" in note for note in caught.value.__notes__)


def leave(source: int, dist: npt.NDArray[Any]) -> None:
    sys.exit(3)


def test_a_function_that_would_end_a_worker(workers: reedsp.cluster.Cluster) -> None:
    twice = r"^sources\[0:1\] = 3: failed on \S+-\d+: RuntimeError: SystemExit: 3; then on \S+-\d+: RuntimeError: Sys"
    with pytest.raises(RuntimeError, match=twice):
        workers.map_rows(ring(), leave, [3])


def search_elsewhere(source: int, dist: npt.NDArray[Any]) -> None:
    other = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**62, 2**62], labels=["w", "x", "y"])
    reedsp.sssp(other, "w", dtype="int64")


def go_round_elsewhere(source: int, dist: npt.NDArray[Any]) -> None:
    reedsp.sssp(reedsp.Graph.from_edges(2, [0, 1], [1, 0], [1, -2], labels=["w", "x"]), "w")


def test_errors_about_a_graph_of_the_function_keep_its_names(workers: reedsp.cluster.Cluster) -> None:
    graph = ring(names=True)
    with pytest.raises(OverflowError, match=r"from vertex 'w' to vertex 'y' is beyond int64"):
        workers.map_rows(graph, search_elsewhere, ["v3"])
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        workers.map_rows(graph, go_round_elsewhere, ["v3"])
    assert set(caught.value.cycle) == {"w", "x"}


class UnreadError(ValueError):
    """Can be sent, and not be read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


def fail_unread(source: int, dist: npt.NDArray[Any]) -> None:
    raise UnreadError("too far")


class UnsentError(Exception):
    """Cannot be sent."""

    def __init__(self) -> None:
        super().__init__(threading.Lock())


def fail_unsent(source: int, dist: npt.NDArray[Any]) -> None:
    raise UnsentError


def test_an_exception_that_cannot_be_sent_is_a_plain_one(workers: reedsp.cluster.Cluster) -> None:
    with pytest.raises(ValueError, match=r"^UnreadError: too far") as caught:
        workers.map_rows(ring(), fail_unread, [3])
    assert type(caught.value) is ValueError
    assert re.search(r"= 3, on worker \S+-\d+$", caught.value.__notes__[0])
    with pytest.raises(RuntimeError, match=r"failed on \S+-\d+: RuntimeError: UnsentError: .*lock"):
        workers.map_rows(ring(), fail_unsent, [3])


def test_an_exception_need_not_say_where_it_was_raised(
    workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some, as those of json, lose what was added where they are sent."""
    failed: concurrent.futures.Future[Any] = concurrent.futures.Future()
    monkeypatch.setattr(workers.engine, "submit", lambda *_, **__: failed)
    failed.set_exception(ValueError("no number"))
    with pytest.raises(ValueError, match="no number") as caught:
        workers.sssp(ring(), [3])
    assert caught.value.__notes__ == ["sources[0:1] = 3, on a worker"]
    failed = concurrent.futures.Future()
    failed.set_exception(ZeroDivisionError())
    with pytest.raises(RuntimeError, match="failed on a worker: ZeroDivisionError: ; then on a worker: Zero"):
        workers.sssp(ring(), [3])
    failed = concurrent.futures.Future()
    failed.set_exception(BrokenProcessPool())
    with pytest.raises(BrokenProcessPool, match="failed on a worker that is lost: BrokenProcessPool"):
        workers.sssp(ring(), [3])


def test_a_negative_cycle_is_named(workers: reedsp.cluster.Cluster) -> None:
    graph = reedsp.Graph([0, 1, 2, 3], [1, 2, 1], [4, 1, -2], labels=["a", "b", "c"])
    for call in (workers.sssp, lambda *given: reedsp.sssp(*given, device=workers)):
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            call(graph, ["a", "b"])
        assert set(caught.value.cycle) == {"b", "c"}
        assert caught.value.weight == -1
        assert any(", on worker " in note for note in caught.value.__notes__)


@workers_are_threads
def test_a_graph_too_large_for_a_device_is_not_searched(
    workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "bytes_needed", lambda n, m, itemsize: 1 << 60)
    monkeypatch.setattr(tasks.Search, "found", None)
    with pytest.raises(reedsp.DeviceMemoryError, match=r"needs 1,152,921,504,606,846,976 bytes, .* has [0-9,]+"):
        workers.sssp(ring(), [0])


# ---- bad input --------------------------------------------------------------------------------------


def test_sources_are_looked_at_before_anything_is_sent() -> None:
    class Silent(concurrent.futures.Executor):
        def submit(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

    with reedsp.cluster.Executor(Silent()) as silent:
        with pytest.raises(ValueError, match=r"source\[1\] = 40"):
            silent.sssp(ring(), [0, 40])
        with pytest.raises(ValueError, match=r"sources\[0\] = 40"):
            silent.map_rows(ring(), max, [40])
        with pytest.raises(TypeError, match=r"^sources: expected several vertices, got 'v1'"):
            silent.map_rows(ring(names=True), max, "v1")
        with pytest.raises(TypeError, match=r"^function: expected a function, got None"):
            silent.map_rows(ring(), None, [0])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"^sources: expected several vertices, got 0"):
            silent.map_rows(ring(), max, 0)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"^options: no option 'x'"):
            silent.bfs(ring(), [0], options={"x": 1})
        with pytest.raises(ValueError, match=r"targets\[0\] = -41"):
            reedsp.distance_table(ring(), [0], [-41], device=silent)
        with pytest.raises(ValueError, match="min_only"):
            reedsp.sssp(ring(), [0], min_only=True, device=silent)
        with pytest.raises(TypeError, match=r"^min_only: expected True or False, got 1"):
            reedsp.sssp(ring(), [0], min_only=1, device=silent)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"^out\.dtype = int16, expected"):
            reedsp.sssp(ring(), [0], out=np.empty((1, 40), np.int16), device=silent)
        with pytest.raises(TypeError, match="device: betweenness"):
            silent.answer("betweenness", ring())
        with pytest.raises(TypeError, match="device"):
            reedsp.k_nearest(ring(), [0], 1, device=silent)  # type: ignore[arg-type]


def test_what_is_no_path_is_named(workers: reedsp.cluster.Cluster) -> None:
    for call in (workers.sssp, workers.bfs):
        with pytest.raises(TypeError, match=r"^out: expected a path, got 3"):
            call(ring(), [0], out=3)
        with pytest.raises(ValueError, match=r"^out: it is empty, expected a path$"):
            call(ring(), [0], out="")
        with pytest.raises(ValueError, match=r"^out = 'a\\x00b', expected a path without null characters$"):
            call(ring(), [0], out="a\0b")
        with pytest.raises(ValueError, match=r"^out = 'x\.NPZ', expected a name that ends in \.zarr or \.npy, or one "):
            call(ring(), [0], out="x.NPZ")
    with pytest.raises(TypeError, match=r"^out: expected a path, got 3"):
        workers.apsp(ring(), out=3)  # type: ignore[arg-type]
    with concurrent.futures.ThreadPoolExecutor(1) as pool, pytest.raises(TypeError, match=r"^folder: expected a path"):
        reedsp.cluster.Executor(pool, folder=3)  # type: ignore[arg-type]


def test_an_executor_is_one_and_open() -> None:
    with pytest.raises(TypeError, match=r"executor: expected a concurrent\.futures\.Executor, got list"):
        reedsp.cluster.Executor([])  # type: ignore[arg-type]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pass
    with reedsp.cluster.Executor(pool) as closed:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="executor takes no task"):
                closed.sssp(ring(), [0])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"devices": []}, ValueError, "^devices: the list is empty"),
        ({"devices": 5}, TypeError, "^devices: expected a string or a sequence of strings, got 5"),
        ({"devices": [None]}, TypeError, "^devices: expected a string or a sequence of strings"),
        ({"threads": "x"}, TypeError, "^threads: expected an integer, got 'x'"),
        ({"threads": True}, TypeError, "^threads: expected an integer, got True"),
        ({"threads": 0}, ValueError, "^threads = 0, expected at least 1"),
    ],
)
def test_devices_and_threads_that_are_none(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool, pytest.raises(error, match=message):
        reedsp.cluster.Executor(pool, **given)


def test_a_cluster_that_is_closed_answers_nothing(pool: concurrent.futures.Executor) -> None:
    with reedsp.cluster.Executor(pool) as cluster:
        cluster.sssp(ring(), [0])
    with pytest.raises(RuntimeError, match="the cluster is closed"):
        cluster.sssp(ring(), [0])
    with pytest.raises(ValueError, match="memory_limit = -1"):
        reedsp.distance_table(ring(), [0], [1], device=cluster, memory_limit=-1)


@pytest.mark.parametrize(
    "call",
    [
        lambda cluster, close: cluster.sssp(ring(), range(N), progress=close),
        lambda cluster, close: cluster.apsp(ring(), "johnson", progress=close),
        lambda cluster, close: cluster.apsp(ring(), "floyd-warshall", progress=close),
    ],
)
def test_a_cluster_that_is_closed_meanwhile_ends_the_call(
    pool: concurrent.futures.Executor, call: Callable[..., Any], tmp_path: Path
) -> None:
    with reedsp.cluster.Executor(pool, folder=tmp_path) as cluster:

        def close(*_: int) -> None:
            cluster.close()

        cluster.engine.task_bytes = 2 * N * 8
        with pytest.raises(RuntimeError, match=r"^the cluster is closed"):
            call(cluster, close)


@workers_are_threads
def test_a_task_that_fails_as_its_cluster_is_closed(pool: concurrent.futures.Executor) -> None:
    with reedsp.cluster.Executor(pool) as cluster:

        def close(*_: object) -> None:
            cluster.close()
            raise ZeroDivisionError

        with pytest.raises(RuntimeError, match=r"^the cluster is closed"):
            cluster.map_rows(ring(), close, [3])


def test_what_needs_a_device_says_what_a_cluster_answers(pool: concurrent.futures.Executor) -> None:
    with reedsp.cluster.Executor(pool) as cluster:
        assert repr(cluster) == f"<reedsp.cluster.Executor: {len(cluster.engine.workers())} workers>"
        for call, given in ((reedsp.k_nearest, ([0], 2)), (reedsp.betweenness, ())):
            with pytest.raises(TypeError, match=r"^device: a cluster answers sssp, bfs, .* and distance_statistics, "):
                call(ring(), *given, device=cluster)


def test_a_cluster_is_closed_once(pool: concurrent.futures.Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    with reedsp.cluster.Executor(pool) as cluster:
        close = cluster.engine.close
        monkeypatch.setattr(cluster.engine, "close", lambda: closed.append(True) or close())  # type: ignore[func-returns-value]
        cluster.close()
    assert closed == [True]


def test_graphs_of_a_cluster_that_no_one_closes_are_deleted(pool: concurrent.futures.Executor, tmp_path: Path) -> None:
    cluster = reedsp.cluster.Executor(pool, folder=tmp_path)
    cluster.sssp(ring(), [0])
    [folder] = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 1
    executor._remove(folder, os.getpid() + 1)  # as in a process that was forked
    assert folder.exists()
    del cluster
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_threads_that_use_a_cluster_leave_each_other_their_graphs(workers: reedsp.cluster.Cluster) -> None:
    graphs = [ring(weights=[1 + each] * (2 * N)) for each in range(8)]
    expected = [from_scipy(graph, range(30)) for graph in graphs]

    def is_right(call: int) -> bool:
        return np.array_equal(workers.sssp(graphs[call % 8], range(30)), expected[call % 8])

    with concurrent.futures.ThreadPoolExecutor(8) as callers:
        assert all(callers.map(is_right, range(48)))
    assert len(workers._published) == cluster._GRAPHS
    assert not workers._calls


def test_a_graph_is_kept_until_its_last_call_has_ended(workers: reedsp.cluster.Cluster) -> None:
    same_graphs, others = [ring(), ring()], [ring(n) for n in range(10, 10 + cluster._GRAPHS)]
    with contextlib.ExitStack() as second:
        with workers._used(same_graphs[0]) as published:
            second.enter_context(workers._used(same_graphs[1]))
            for each in others:
                workers.publish(each)
        assert published.file is not None
        assert Path(published.file).exists()
    assert not Path(published.file).exists()


def test_the_folder_of_graphs_stays_where_it_was(
    pool: concurrent.futures.Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs").mkdir()
    (tmp_path / "later").mkdir()
    with reedsp.cluster.Executor(pool, folder="graphs") as cluster:
        monkeypatch.chdir("later")
        file = cluster.publish(ring()).file
    assert file is not None
    assert Path(file).parent.parent == tmp_path / "graphs"


def test_workers_forget_what_their_client_has_forgotten(tmp_path: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for run in range(2):
            with reedsp.cluster.Executor(pool, folder=tmp_path) as cluster:
                graphs = [ring(weights=[1 + each + 10 * run] * (2 * N)) for each in range(7)]
                for graph in graphs:
                    cluster.sssp(graph, [0])
                [(key, held)] = [each for each in registry._entries.items() if each[1].setting.folder is not None]
                assert key == cluster.engine._setting.key
                assert 4 <= len(held.graphs) <= 5  # one may have come before its predecessor was forgotten


def test_a_graph_in_the_place_of_another_has_that_one_forgotten(
    pool: concurrent.futures.Executor, tmp_path: Path
) -> None:
    graph, other = ring(), ring(weights=[3] * (2 * N))
    with reedsp.cluster.Executor(pool, folder=tmp_path) as cluster:
        file = cluster.publish(graph).file
        assert file is not None
        assert Path(file).exists()
        cluster._published[id(other)] = cluster._published.pop(id(graph))  # as if it had been there
        published = cluster.publish(other)
        assert published.file is not None
        assert [Path(each).exists() for each in (file, published.file)] == [False, True]


def test_an_engine_without_workers(pool: concurrent.futures.Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    with reedsp.cluster.Executor(pool) as empty:
        monkeypatch.setattr(empty.engine, "workers", lambda: ())
        with pytest.raises(RuntimeError, match="no workers"):
            empty.sssp(ring(), [0])


def test_a_device_that_a_worker_does_not_have(pool: concurrent.futures.Executor) -> None:
    with (
        reedsp.cluster.Executor(pool, devices=["abacus"]) as without,
        pytest.raises(reedsp.DeviceError, match=r"worker \S+-\d+: device = 'abacus' fits none"),
    ):
        without.sssp(ring(), [0])


@pytest.mark.parametrize("theirs", ["0.1.0", None])
def test_a_client_of_another_version(
    theirs: str | None, pool: concurrent.futures.Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reedsp.cluster.Executor(pool) as old:
        if theirs is None:  # one from before the version was sent
            vars(old.engine._setting).pop("version")
        else:
            monkeypatch.setitem(vars(old.engine._setting), "version", theirs)
        message = f"it has reedsp {reedsp.__version__}, and its client {theirs or 'another'}: install one version"
        with pytest.raises(reedsp.DeviceError, match=rf"worker \S+-\d+: {re.escape(message)}"):
            old.sssp(ring(), [0])


def test_a_folder_that_a_worker_does_not_reach(workers: reedsp.cluster.Cluster, tmp_path: Path) -> None:
    graph = ring()
    published = workers.publish(graph)
    assert published.file is not None
    Path(published.file).unlink()
    with pytest.raises(RuntimeError, match="a folder that all workers share"):
        workers.sssp(graph, [0])


# ---- graphs on workers ------------------------------------------------------------------------------


def test_integers_travel_in_the_narrowest_type() -> None:
    for low, high, expected in [
        *[(0, 255, "u1"), (-1, 127, "i1"), (0, 256, "u2"), (-1, 128, "i2"), (0, 65536, "u4"), (-1, 32768, "i4")],
        *[(0, 2**32, "i8"), (-(2**63), 2**63 - 1, "i8")],
    ]:
        found = narrowest(np.array([low, high], np.int64))
        assert found.dtype == np.dtype(expected)
        assert found.tolist() == [low, high]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_a_graph_arrives_as_it_was_without_its_names(dtype: str) -> None:
    graph = ring(names=True, weights=np.arange(2 * N).astype(dtype))  # type: ignore[arg-type]
    wrapped = Wrapped.of(graph)
    assert wrapped.weights.dtype == np.uint8
    arrived = wrapped.graph()
    assert not arrived.has_names
    for name in ("indptr", "indices", "weights"):
        assert same(getattr(arrived, name), getattr(graph, name))
    others = [ring(weights=np.arange(2 * N).astype(each)) for each in ("int32", "int64", "float64")]  # type: ignore[arg-type]
    assert len({Wrapped.of(each).fingerprint for each in others}) == 3
    fractions = Wrapped.of(ring(weights=np.arange(2 * N) / 7))  # type: ignore[arg-type]
    assert fractions.weights.dtype == np.float64


def test_workers_keep_the_last_graphs(workers: reedsp.cluster.Cluster) -> None:
    first, others = ring(), [ring(n) for n in range(10, 10 + cluster._GRAPHS)]
    published = workers.publish(first)
    assert workers.publish(first) is published
    assert published.file is not None
    assert Path(published.file).exists()
    for each in others:
        workers.publish(each)
    assert not Path(published.file).exists()
    assert np.array_equal(workers.sssp(first, [0]), from_scipy(first, [0]))


@workers_are_threads
def test_a_worker_keeps_one_graph_and_the_last_entries(workers: reedsp.cluster.Cluster) -> None:
    def twice(reference: Any) -> tuple[bool, int, int]:
        same_graph = registry.graph(reference) is registry.graph(reference)
        for key in range(registry.KEPT + 1):
            registry.kept(key, [key].copy)
        return same_graph, registry.kept(registry.KEPT, lambda: [0])[0], registry.kept(0, lambda: [-1])[0]

    reference = workers.publish(ring())
    assert workers.engine.submit(twice, reference).result() == (True, registry.KEPT, -1)
    with pytest.raises(RuntimeError, match="not in a task"):
        registry.device()


@workers_are_threads
def test_futures_are_arguments_and_their_failures_are_those_of_the_task(workers: reedsp.cluster.Cluster) -> None:
    engine = workers.engine
    one = engine.submit(int, "1")
    assert engine.submit(max, one, engine.submit(int, "7")).result() == 7
    failed = engine.submit(max, one, engine.submit(int, "x"))
    with pytest.raises(ValueError, match="'x'"):
        failed.result()
    begun = threading.Event()
    blocked = engine.submit(begun.wait)
    waiting = engine.submit(bool, blocked)
    engine.cancel([waiting])
    begun.set()
    assert waiting.cancelled()
    assert blocked.result()


def test_what_is_not_known_on_a_worker_is_said(
    workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_GRAPH_COMES", 0.01)
    unsent = Wrapped.of(ring()).published()
    with pytest.raises(RuntimeError, match=r"worker \S+: the graph [0-9a-f]{12} was not sent here"):
        workers.engine.submit(registry.graph, unsent).result()
    with registry.serving("nothing"), pytest.raises(RuntimeError, match="the cluster nothing is not known here"):
        registry.device()


def test_a_task_that_another_cancels_is_an_error(
    workers: reedsp.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(*_: object, **__: object) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future

    monkeypatch.setattr(workers.engine, "submit", cancelled)
    with pytest.raises(RuntimeError, match=r"sources\[0:1\] = 3: the task was cancelled by another"):
        workers.sssp(ring(), [3])


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "reedsp.cluster.engines.dask", None)
    with pytest.raises(ImportError, match=r"reedsp\[dask\]"):
        reedsp.cluster.Dask(None)


def test_neither_the_package_nor_its_cluster_imports_dask() -> None:
    code = "import sys, reedsp, reedsp.cluster; print({'dask', 'distributed', 'zarr'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


# ---- devices of workers -----------------------------------------------------------------------------


def test_processes_of_a_host_share_out_its_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = [claims.claim("a cluster", "abc") for _ in range(5)]
    assert [each.taken for each in held] == ["a", "b", "c", "a", "b"]
    held.append(claims.claim("another", "abc"))
    assert held[-1].taken == "a"
    held.pop(1).release()
    held.append(claims.claim("a cluster", "abc"))
    assert held[-1].taken == "b"
    assert claims.claim("a cluster", "a").taken == "a"
    [folder] = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 1 + len(held)
    for each in held:
        each.release()
    assert [each.name for each in folder.iterdir()] == ["turn"]


def test_what_another_process_holds_is_not_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the files of claims were deleted in between, or a claim is let go twice."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lost = claims.claim("a cluster", "abc")
    [folder] = tmp_path.iterdir()
    shutil.rmtree(folder)
    held = claims.claim("a cluster", "abc")
    lost.release()
    lost.release()
    other = claims.claim("a cluster", "abc")
    assert [held.taken, other.taken] == ["a", "b"]
    held.release()
    other.release()


def test_what_a_process_had_taken_that_ended_is_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lost = claims.claim("a cluster", "abc"), claims.claim("one that is closed", "abc")
    for each in lost:
        assert each._file is not None
        each._file.close()  # as if its process had ended
    again = claims.claim("a cluster", "abc")
    assert again.taken == "a"
    [folder] = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 2  # the other one's file is deleted
    again.release()


def test_processes_that_take_and_let_go_at_once_take_different_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    taken: list[int] = []

    def take(_: int) -> None:
        claim = claims.claim("a cluster", range(8))
        assert claim.taken not in taken
        taken.append(claim.taken)
        taken.remove(claim.taken)
        claim.release()

    with concurrent.futures.ThreadPoolExecutor(8) as processes:
        list(processes.map(take, range(400)))
    [folder] = tmp_path.iterdir()
    assert [each.name for each in folder.iterdir()] == ["turn"]


@workers_are_threads
def test_workers_let_go_of_what_they_had_for_a_cluster_that_is_closed(
    pool: concurrent.futures.Executor, device: Device
) -> None:
    before = dict(registry._entries)
    for _ in range(4):
        with reedsp.cluster.Executor(pool, [device.name] * 2) as cluster:
            cluster.sssp(ring(), [0])
            [entry] = [entry for key, entry in registry._entries.items() if key not in before]
    assert entry.claim is not None
    assert entry.claim._file is not None
    with reedsp.cluster.Executor(pool) as cluster:
        cluster.sssp(ring(), [0])
    assert entry.claim._file.closed
    assert not Path(entry.claim._file.name).exists()


@pytest.mark.parametrize(("rows", "workers", "row_bytes"), [(0, 2, 8), (1, 2, 8), (1000, 3, 8), (100, 2, 1 << 26)])
def test_tasks_cover_all_rows_once(rows: int, workers: int, row_bytes: int) -> None:
    step = sharing.rows_of_task(rows, workers, row_bytes)
    cut = plan.parts(rows, step)
    assert [row for first, last in cut for row in range(first, last)] == list(range(rows))
    assert step == 1 or step * row_bytes <= sharing.ROW_BYTES
    assert step <= sharing.rows_of_task(rows, workers, row_bytes, sharing.ROW_BYTES_GPU)
    if rows == 1000:
        assert len(cut) >= sharing.PARTS * workers


# ---- processes --------------------------------------------------------------------------------------


def pid_and_distance(source: int, dist: npt.NDArray[Any]) -> tuple[int, float]:
    return os.getpid(), float(dist[0])


def die(source: int, dist: npt.NDArray[Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["processes", "mpi"])
def test_what_holds_of_threads_holds_of_others(kind: str) -> None:
    """All tests but those that look into workers, in two processes, and by mpi4py.futures in three ranks."""
    launch = [sys.executable, "-m", "pytest"]
    if kind == "mpi":
        if shutil.which("mpiexec") is None or importlib.util.find_spec("mpi4py") is None:
            pytest.skip("no MPI")
        options = ["--allow-run-as-root", "--oversubscribe"] if os.geteuid() == 0 else ["--oversubscribe"]
        launch = ["mpiexec", *options, "-n", "3", sys.executable, "-m", "mpi4py.futures", "-m", "pytest"]
    command = [*launch, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not deep", __file__]
    environment = {**os.environ, "REEDSP_TEST_POOL": kind, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 55


@pytest.mark.deep
def test_what_cannot_be_sent_is_named(tmp_path: Path) -> None:
    with (
        POOLS["processes"]() as pool,
        reedsp.cluster.Executor(pool, "cpu", folder=tmp_path) as workers,
        pytest.raises(
            TypeError, match=r"sources\[0:1\] = 3: cannot be sent to a worker, .* those of a module: .*lambda"
        ),
    ):
        workers.map_rows(ring(), lambda source, dist: source, [3])


@pytest.mark.deep
def test_a_pool_of_processes(tmp_path: Path) -> None:
    graph = ring(names=True)
    with (
        concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool,
        reedsp.cluster.Executor(pool, "cpu", folder=tmp_path) as workers,
    ):
        names = list(graph.names)
        found = workers.map_rows(graph, pid_and_distance)
        assert [distance for _, distance in found] == from_scipy(graph, range(N))[:, 0].tolist()
        assert os.getpid() not in {pid for pid, _ in found}
        workers.sssp(graph, names, out=tmp_path / "x.zarr")
        assert same(read(tmp_path / "x.zarr"), reedsp.sssp(graph, names).dist)
        for function in (makes_functions, makes_generators):
            with pytest.raises(TypeError, match=r"^function: its answer for sources\[0:1\] = 'v0' cannot be sent back"):
                workers.map_rows(graph, function, ["v0"])
        with pytest.raises(ValueError, match=r"^UnreadError: too far"):
            workers.map_rows(graph, fail_unread, ["v0"])
        with pytest.raises(BrokenProcessPool, match=r"'v0'.*failed on"):
            workers.map_rows(graph, die, ["v0"])
        with pytest.raises(BrokenProcessPool, match="takes no task"):
            workers.sssp(graph, "v0")
