"""The engine of Dask: rows on workers, workers that die and come, and what is said when all are gone."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array
import distributed
import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse.csgraph
import zarr
from distributed.comm import CommClosedError

import reedsp
import reedsp.cluster
from reedsp.cluster.engines import dask as dask_engine
from reedsp.cluster.engines.dask import DaskEngine
from reedsp.cluster.worker import registry
from tests.cluster.test_power_cuts import digest

N = 60
KILLS = int(os.environ.get("REEDSP_KILLS", "3"))


def ring(n: int = N, first: int = 0) -> reedsp.Graph:
    """Return a directed ring with chords."""
    tails = [*range(n), *range(n)]
    heads = [*((each + 1) % n for each in range(n)), *((7 * each + 3) % n for each in range(n))]
    return reedsp.Graph.from_edges(n, tails, heads, [1 + (each + first) % 5 for each in range(2 * n)])


def expected(graph: reedsp.Graph, sources: Any) -> npt.NDArray[np.float64]:
    return np.asarray(scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=list(sources)))


def process() -> int:
    return os.getpid()


def process_in_a_while() -> int:
    time.sleep(1)
    return os.getpid()


def one_graph() -> int:
    """Return how many graphs a worker keeps for a cluster."""
    return len(registry._entries[registry._serving.key].graphs)


def slowly(source: int, dist: npt.NDArray[Any]) -> float:
    time.sleep(0.05)
    return float(dist[0])


def makes_generators(source: int, dist: npt.NDArray[Any]) -> Iterator[Any]:
    """Return what no pickle holds, also one that holds functions."""
    return (each for each in dist)


def die(source: int, dist: npt.NDArray[Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def client() -> Iterator[distributed.Client]:
    """Two workers, which are processes; where they are started, this takes two seconds."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture
def threads() -> Iterator[distributed.Client]:
    """One worker of four threads, in this process."""
    options: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 4, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client


# ---- in this process --------------------------------------------------------------------------------


def test_rows_stay_on_workers(threads: distributed.Client, tmp_path: Path) -> None:
    graph, other = ring(), ring(30)
    with reedsp.cluster.Dask(threads) as first, reedsp.cluster.Dask(threads, "cpu") as second:
        rows = first.sssp(graph, range(20), dtype="int32")
        assert isinstance(rows, dask.array.Array)
        assert (rows.shape, rows.dtype, rows.numblocks[0]) == ((20, N), np.int32, 4)
        assert np.array_equal(rows.compute(), expected(graph, range(20)))
        assert first.sssp(graph, 3).shape == (N,)
        assert first.sssp(graph, []).compute().shape == (0, N)
        assert first.sssp(graph, [], dtype="int64").compute().dtype == np.int64
        assert first.bfs(graph, []).compute().dtype == np.int32
        assert second.map_rows(other, slowly) == expected(other, range(30))[:, 0].tolist()  # two graphs, two clusters
        assert first.engine.each_worker(one_graph) == dict.fromkeys(first.engine.workers(), 1)
        first.bfs(graph, range(20), out=tmp_path / "x.zarr")
        found = dask.array.from_zarr(tmp_path / "x.zarr").compute()
        assert np.array_equal(found, reedsp.bfs(graph, range(20)).levels)
        assert np.array_equal(reedsp.apsp(graph, device=second).dist, expected(graph, range(N)))
        for method in ("johnson", "floyd-warshall"):
            pairs = second.apsp(graph, method, predecessors=True)
            assert isinstance(pairs.dist, dask.array.Array)
            one = reedsp.apsp(graph, method, predecessors=True)
            assert np.array_equal(pairs.dist.compute(), expected(graph, range(N)))
            assert np.array_equal(np.asarray(pairs.pred), one.pred)
            assert pairs.path(3, 5) == one.path(3, 5)
        assert second.apsp(ring(0)).dist.compute().shape == (0, 0)
        assert second.apsp(ring(0), predecessors=True).pred.compute().dtype == np.int32  # type: ignore[union-attr]
        keys = {each.engine._setting.key for each in (first, second)}  # type: ignore[attr-defined]
        assert keys <= set(registry._entries)
    assert not keys & set(registry._entries)


@pytest.mark.deep("x.zarr", "None")
@pytest.mark.parametrize("out", [None, "x.zarr", "x.npy"])
def test_matrices_that_are_elsewhere_answer_as_in_memory(
    out: str | None, threads: distributed.Client, tmp_path: Path
) -> None:
    graph = ring()
    expected = reedsp.apsp(graph, predecessors=True)
    with reedsp.cluster.Dask(threads) as cluster:
        found = cluster.apsp(graph, predecessors=True, out=None if out is None else tmp_path / out)
        pairs = [0, 5, 0, 7], [5, 0, 9, 7]
        assert list(found.paths_between(*pairs)) == list(expected.paths_between(*pairs))
        assert found.path(3, 1) == expected.path(3, 1)
        assert np.array_equal(found, expected)
        assert nx.utils.graphs_equal(found.to_networkx(), expected.to_networkx())
        assert np.array_equal(found.to_dataframe(), expected.to_dataframe())
        assert found._repr_html_().count("<td") == expected._repr_html_().count("<td") > 9
        assert np.array_equal(found.plot().images[0].get_array(), expected.plot().images[0].get_array())
        found.save(tmp_path / "saved.npz")
    loaded = reedsp.load(tmp_path / "saved.npz", graph)
    assert np.array_equal(loaded.dist, expected.dist)
    assert np.array_equal(loaded.pred, expected.pred)


def test_matrices_in_files_of_rows_say_that_they_are(threads: distributed.Client, tmp_path: Path) -> None:
    with reedsp.cluster.Dask(threads) as cluster:
        found = cluster.apsp(ring(), predecessors=True, out=tmp_path / "rows")
    assert isinstance(found.dist, list)
    assert "Shortest paths" in found._repr_html_()
    for ask in (
        lambda: found.path(0, 1),
        lambda: found.paths_between([0], [1]),
        lambda: found.save(tmp_path / "x.npz"),
        lambda: np.asarray(found),
        found.to_networkx,
        found.to_dataframe,
        found.plot,
    ):
        with pytest.raises(ValueError, match=r"^(dist|pred) is in \d+ files of rows, .* numpy\.load does$"):
            ask()
    assert not (tmp_path / "x.npz").exists()


def test_workers_of_another_version(threads: distributed.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "Setting", functools.partial(registry.Setting, version="0.1.0"))
    with pytest.raises(reedsp.DeviceError, match=r"worker inproc://\S+: it has reedsp \S+, and its client 0\.1\.0: "):
        reedsp.cluster.Dask(threads)


def test_bad_input(threads: distributed.Client) -> None:
    with pytest.raises(TypeError, match=r"client: expected a distributed\.Client, got int"):
        reedsp.cluster.Dask(1)
    with pytest.raises(reedsp.DeviceError, match=r"worker inproc://\S+: device = 'abacus' fits none"):
        reedsp.cluster.Dask(threads, ["abacus"])
    with reedsp.cluster.Dask(threads) as cluster:
        with pytest.raises(ValueError, match=r"source\[1\] = 60"):
            cluster.sssp(ring(), [0, N])
        threads.close()
        with pytest.raises(RuntimeError, match="client: it is closed"):
            cluster.sssp(ring(), [0])
    with pytest.raises(RuntimeError, match="client: it is closed"):
        reedsp.cluster.Dask(threads)


@pytest.mark.parametrize("error", [CommClosedError, ConnectionRefusedError, TimeoutError, OSError])
def test_workers_are_asked_again_but_not_for_ever(
    threads: distributed.Client, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    with reedsp.cluster.Dask(threads) as cluster:
        ask, failures = threads.run, iter([error, error])

        def fail_twice(*arguments: Any) -> Any:
            for failure in failures:
                raise failure("gone")
            return ask(*arguments)

        monkeypatch.setattr(threads, "run", fail_twice)
        assert set(cluster.engine.each_worker(process).values()) == {os.getpid()}
        failures = itertools.repeat(error)
        with pytest.raises(RuntimeError, match=r"client: the scheduler is lost, or one worker .*\(gone\)"):
            cluster.sssp(ring(), [0])
        for name in ("unregister_worker_plugin", "unregister_scheduler_plugin"):  # which closing survives
            monkeypatch.setattr(threads, name, fail_twice)


def test_a_cluster_without_workers_and_one_that_comes() -> None:
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, threads=1) as cluster,
    ):
        with pytest.raises(RuntimeError, match="no workers"):
            cluster.sssp(ring(), [0])
        local.scale(1)
        client.wait_for_workers(1)
        assert np.array_equal(cluster.sssp(ring(), [0]).compute(), expected(ring(), [0]))


def test_workers_that_are_there_are_seen_while_dask_looks_at_its_scheduler() -> None:
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "1 ms"}),
        distributed.LocalCluster(n_workers=2, processes=False, dashboard_address=":0") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, threads=1) as cluster,
    ):
        assert {len(cluster.engine.workers()) for _ in range(300)} == {2}


def test_workers_that_are_waited_for_are_missed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "_PATIENCE", 0.0)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        engine = DaskEngine(client)
        engine._alone = 0
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(4):
                engine.check()
        assert [each.category for each in said] == [RuntimeWarning]
        assert "no workers for 0 s" in str(said[0].message)
        local.scale(1)
        client.wait_for_workers(1)
        engine.check()
        assert engine._alone == 0
        engine.close()


def test_the_last_worker_of_a_process_forgets() -> None:
    graph = ring()
    with (
        distributed.LocalCluster(n_workers=2, processes=False, threads_per_worker=1, dashboard_address=":0") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, threads=1) as cluster,
    ):
        cluster.publish(graph)
        local.scale(1)
        while len(cluster.engine.workers()) > 1:
            time.sleep(0.01)
        assert np.array_equal(cluster.sssp(graph, [0]).compute(), expected(graph, [0]))
        assert np.array_equal(cluster.sssp(ring(30), [0]).compute(), expected(ring(30), [0]))


def test_tasks_for_a_worker_that_was_the_last_one_are_done_by_the_next() -> None:
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, threads=1) as cluster,
    ):
        future = cluster.engine.submit(process, worker="tcp://192.0.2.1:9")
        local.scale(1)
        assert future.result(timeout=60) == os.getpid()


def test_tasks_for_a_lost_worker_that_come_before_the_next_one_is_ready() -> None:
    """The scheduler knows a worker for some milliseconds before it hears that it runs: here until a task has come."""
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, threads=1) as cluster,
    ):
        scheduler, held, has_come = local.scheduler, [], threading.Event()
        tell = scheduler.stream_handlers["worker-status-change"]

        def hold(**change: Any) -> None:
            held.append(change)
            has_come.set()

        scheduler.stream_handlers["worker-status-change"] = hold
        local.scale(1)
        assert has_come.wait(60)
        assert scheduler.workers
        assert not scheduler.running
        future = cluster.engine.submit(process, worker="tcp://192.0.2.1:9")
        ends = time.monotonic() + 60
        while not scheduler.unrunnable and time.monotonic() < ends:
            time.sleep(0.01)
        client.loop.add_callback(lambda: tell(**held[0]))
        assert future.result(timeout=60) == os.getpid()


def test_a_scheduler_without_this_package(threads: distributed.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    register = threads.register_plugin

    def refuse(plugin: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(plugin, distributed.SchedulerPlugin):
            raise ModuleNotFoundError("No module named 'reedsp'")
        return register(plugin, *arguments, **options)

    monkeypatch.setattr(threads, "register_plugin", refuse)
    with reedsp.cluster.Dask(threads) as cluster:
        assert np.array_equal(cluster.sssp(ring(), [0]).compute(), expected(ring(), [0]))


def leave(source: int, dist: npt.NDArray[Any]) -> None:
    sys.exit(3)


def test_a_cluster_that_is_closed_meanwhile_ends_the_call(threads: distributed.Client) -> None:
    with reedsp.cluster.Dask(threads) as cluster:
        cluster.engine.task_bytes = 2 * N * 8
        with pytest.raises(RuntimeError, match=r"^the cluster is closed"):
            cluster.map_rows(ring(), slowly, range(N), progress=lambda *_: cluster.close())


def test_a_function_that_would_end_a_worker(threads: distributed.Client) -> None:
    with (
        reedsp.cluster.Dask(threads) as cluster,
        pytest.raises(RuntimeError, match=r"RuntimeError: SystemExit: 3; then on .*RuntimeError: SystemExit: 3"),
    ):
        cluster.map_rows(ring(), leave, [3])


def test_a_client_whose_calls_do_not_wait() -> None:
    async def make() -> None:
        async with distributed.Client(
            processes=False, n_workers=0, dashboard_address=":0", asynchronous=True
        ) as client:
            DaskEngine(client)

    with pytest.raises(ValueError, match="client: it is asynchronous"):
        asyncio.run(make())


# ---- processes --------------------------------------------------------------------------------------


@pytest.mark.deep
def test_workers_that_die_are_replaced(client: distributed.Client) -> None:
    graph = ring()
    with reedsp.cluster.Dask(client) as cluster:
        pids = cluster.engine.each_worker(process)
        assert len(set(pids.values())) == 2
        rows = cluster.sssp(graph, range(N))
        killer = threading.Timer(0.5, os.kill, (next(iter(pids.values())), signal.SIGKILL))
        killer.start()
        assert cluster.map_rows(graph, slowly) == expected(graph, range(N))[:, 0].tolist()
        killer.join()
        assert np.array_equal(rows.compute(), expected(graph, range(N)))  # those that were lost are found again
        client.wait_for_workers(2)
        cluster.map_rows(graph, slowly)
        assert set(cluster.engine.each_worker(one_graph).values()) == {1}
        with pytest.raises(TypeError, match=r"^function: its answer for sources\[0:1\] = 7 cannot be sent back .*$"):
            cluster.map_rows(graph, makes_generators, [7])
        with pytest.raises(RuntimeError, match=r"sources\[0:1\] = 7: failed on .*KilledWorker"):
            cluster.map_rows(graph, die, [7])


@pytest.mark.deep
def test_a_worker_dies_while_all_are_asked(client: distributed.Client) -> None:
    """Those that are left are asked again; the graph is sent to them once more, if need be."""
    with reedsp.cluster.Dask(client) as cluster:
        for number in range(3):
            while len(pids := cluster.engine.each_worker(process)) < 2:  # the scheduler counts one that has just died
                wait_for_two(client)
            victim = next(iter(pids.values()))
            killer = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
            killer.start()
            assert victim not in cluster.engine.each_worker(process_in_a_while).values()
            killer.join()
            graph = ring(first=number)
            assert cluster.map_rows(graph, slowly, range(8)) == expected(graph, range(8))[:, 0].tolist()


@pytest.mark.deep
def test_the_memory_manager_takes_no_graph(client: distributed.Client) -> None:
    graph = ring()
    client.amm.start()
    with reedsp.cluster.Dask(client) as cluster:
        sent = []
        for _ in range(3):
            cluster.map_rows(graph, slowly, range(8))
            client.amm.run_once()
            sent.append(cluster.engine.each_worker(one_graph))
        assert all(set(each.values()) == {1} for each in sent)


@pytest.mark.deep
def test_workers_that_come_and_go(client: distributed.Client, tmp_path: Path) -> None:
    """One is retired, with the rows that it has, and another one comes, while a call runs."""
    graph = ring()
    with reedsp.cluster.Dask(client) as cluster:
        rows = cluster.sssp(graph, range(N))
        retired = next(iter(cluster.engine.workers()))
        changed: list[Any] = []

        def change(done: int, most: int) -> None:
            if done >= most // 4 and not changed:
                changed.append(client.retire_workers([retired]))
                client.cluster.scale(3)

        cluster.sssp(graph, range(N), out=tmp_path / "x.zarr", progress=change)
        assert changed
        assert retired not in cluster.engine.workers()
        for each in (rows, dask.array.from_zarr(tmp_path / "x.zarr")):
            assert np.array_equal(each.compute(), expected(graph, range(N)))


@pytest.mark.deep
def test_rows_that_workers_have_no_memory_for() -> None:
    """They go to disks and come back; the graph does not."""
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    graph = ring(20_000)
    with (
        dask.config.set({"distributed.worker.memory.target": 0.02, "distributed.worker.memory.spill": 0.03}),
        distributed.LocalCluster(**options, memory_limit="1500MB") as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, "cpu") as cluster,
    ):
        rows = cluster.sssp(graph, range(600))  # 96 MB, and some 200 that the processes have anyway
        assert sum(client.run(spilled).values()) > 0
        assert set(cluster.engine.each_worker(one_graph).values()) == {1}
        assert np.array_equal(rows[::100].compute(), expected(graph, range(0, 600, 100)))


def spilled(dask_worker: distributed.Worker) -> int:
    """Return how many rows a worker has put on its disk."""
    return len(dask_worker.data.disk)


OTHER = """
import sys
import distributed, numpy as np, reedsp, reedsp.cluster
from tests.cluster.test_dask import N, expected, ring, slowly

if __name__ == "__main__":
    try:
        reedsp.get_device()
    except reedsp.DeviceError:
        print("no device")
    with distributed.Client(sys.argv[1]) as client, reedsp.cluster.Dask(client, "cpu") as cluster:
        for first in range(4):
            graph = ring(first=first)
            assert cluster.map_rows(graph, slowly) == expected(graph, range(N))[:, 0].tolist()
            assert np.array_equal(reedsp.sssp(graph, [3, 5], device=cluster).dist, expected(graph, [3, 5]))
"""


@pytest.mark.deep
def test_two_clients_of_which_one_has_no_driver(client: distributed.Client, tmp_path: Path) -> None:
    environment = {**os.environ, "OCL_ICD_VENDORS": str(tmp_path)}
    environment.pop("REEDSP_DEVICE", None)
    command = [sys.executable, "-c", OTHER, client.scheduler.address]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as other:
        with reedsp.cluster.Dask(client, "cpu") as cluster:
            while other.poll() is None:
                graph = ring(first=7)
                assert cluster.map_rows(graph, slowly) == expected(graph, range(N))[:, 0].tolist()
        assert other.stdout is not None
        assert other.stderr is not None
        assert (other.stdout.read(), other.returncode) == (b"no device\n", 0), other.stderr.read().decode()[-3000:]


CALL = """
import sys
import distributed, reedsp, reedsp.cluster
from tests.cluster.test_dask import N, ring, slowly
import reedsp.cluster.tasks as tasks

if __name__ == "__main__":
    address, out = sys.argv[1:]
    with distributed.Client(address) as client, reedsp.cluster.Dask(client) as cluster:
        print("begun", flush=True)
        cluster.sssp(ring(20000), range(400), out=out, dtype="int32")
        print("done", flush=True)
"""


CLOSES = """
import sys
import distributed, reedsp, reedsp.cluster
from tests.cluster.test_dask import N, ring, slowly

def interrupt(done, most):
    raise KeyboardInterrupt

if __name__ == "__main__":
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        with reedsp.cluster.Dask(client, "cpu") as cluster:
            rows = cluster.sssp(ring(), range(N))
            cluster.apsp(ring(), "floyd-warshall")
            cluster.map_rows(ring(), slowly, range(8))
            if sys.argv[1:]:
                try:
                    cluster.map_rows(ring(), slowly, progress=interrupt)
                except KeyboardInterrupt:
                    print(sys.argv[1])
"""


KINDS = ".zarr", ".npy"


def wait_for_two(client: distributed.Client) -> None:
    """Wait for two workers; Dask gives up those that are killed while they begin, for which others are begun."""
    while True:
        try:
            client.wait_for_workers(2, timeout=30)
        except TimeoutError:
            lacking = 2 - len(client.nthreads())
            client.cluster.scale(len(client.cluster.worker_spec) + max(0, lacking))
        else:
            return


def check_same(out: Path, whole: Path) -> None:
    """Compare bytes; chunks of an array of zarr are as many as suit the workers that were there when a call began."""
    if out.suffix == ".npy":
        assert digest(out) == digest(whole)
    else:
        one, other = (zarr.open_array(path, mode="r") for path in (out, whole))
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert np.asarray(one[:]).tobytes() == np.asarray(other[:]).tobytes()
        if one.chunks == other.chunks:
            assert digest(out) == digest(whole)
    assert not out.with_name(f"{out.name}.partial").exists()


@pytest.mark.deep
@pytest.mark.parametrize("victim", ["client", "worker", "all workers"])
def test_the_same_call_goes_on_after_a_kill(client: distributed.Client, tmp_path: Path, victim: str) -> None:
    command = [sys.executable, "-c", CALL, client.scheduler.address]
    wholes = [tmp_path / f"whole{kind}" for kind in KINDS]
    for whole in wholes:
        with subprocess.Popen([*command, whole], stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.readline()
            begun = time.monotonic()
            running.stdout.readline()
            seconds = time.monotonic() - begun
    rng = np.random.default_rng(5)
    for number in range(KILLS):
        whole = wholes[number % 2]
        out = tmp_path / f"x{number}{whole.suffix}"
        wait_for_two(client)
        with subprocess.Popen([*command, out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            assert running.stdout is not None
            running.stdout.readline()
            time.sleep(rng.random() * seconds)
            if victim == "client":
                running.kill()
            else:
                pids = list(client.run(process).values())
                for pid in pids if victim == "all workers" else pids[:1]:
                    os.kill(pid, signal.SIGKILL)
            running.wait()
        is_whole = out.exists()
        wait_for_two(client)
        again = subprocess.run([*command, out], capture_output=True)
        assert (b"FileExistsError" in again.stderr) == is_whole == (again.returncode != 0)
        check_same(out, whole)


@contextlib.contextmanager
def of_its_own(file: Path, workers: int) -> Iterator[tuple[subprocess.Popen[bytes], distributed.Client]]:
    """Start a scheduler, which may be killed, and workers of one thread."""
    options = "--no-dashboard", "--scheduler-file", str(file)
    with contextlib.ExitStack() as stack:

        def start(module: str, *more: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.{module}", *options, *more]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("dask_scheduler", "--port", "0")
        for _ in range(workers):
            start("dask_worker", "--nthreads", "1")
        with distributed.Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(workers, timeout=60)
            yield scheduler, client


@pytest.mark.deep
def test_a_scheduler_that_is_lost_is_named_and_another_goes_on(tmp_path: Path) -> None:
    graph, out = ring(), tmp_path / "x.zarr"
    with of_its_own(tmp_path / "first.json", 1) as (scheduler, client):
        with pytest.raises(RuntimeError, match=r"scheduler is lost.* goes on"):
            reedsp.cluster.Dask(client).sssp(graph, range(N), out=out, progress=lambda done, most: scheduler.kill())
        assert not out.exists()
    with of_its_own(tmp_path / "second.json", 1) as (_, client):
        reedsp.cluster.Dask(client).sssp(graph, range(N), out=out)
        assert np.array_equal(dask.array.from_zarr(out).compute(), expected(graph, range(N)))


@pytest.mark.deep
def test_a_scheduler_is_killed_and_the_same_call_goes_on(tmp_path: Path) -> None:
    """At random instants; workers of another one write what is missing."""
    graph, sources, rng = ring(20_000), range(400), np.random.default_rng(7)
    wholes = [tmp_path / f"whole{kind}" for kind in KINDS]
    with of_its_own(tmp_path / "whole.json", 2) as (_, client):
        for whole in wholes:
            begun = time.monotonic()
            reedsp.cluster.Dask(client).sssp(graph, sources, out=whole, dtype="int32")
            seconds = time.monotonic() - begun
    for number in range(-(-KILLS // 3)):
        whole = wholes[number % 2]
        out = tmp_path / f"x{number}{whole.suffix}"
        with of_its_own(tmp_path / f"killed{number}.json", 2) as (scheduler, client):
            killer = threading.Timer(rng.random() * seconds, scheduler.kill)
            killer.start()
            with contextlib.suppress(RuntimeError):
                reedsp.cluster.Dask(client).sssp(graph, sources, out=out, dtype="int32")
            killer.join()
        if not out.exists():
            with of_its_own(tmp_path / f"other{number}.json", 2) as (_, client):
                reedsp.cluster.Dask(client).sssp(graph, sources, out=out, dtype="int32")
        check_same(out, whole)


@pytest.mark.deep
@pytest.mark.parametrize("interrupted", [False, True])
def test_nothing_is_said_at_the_end(tmp_path: Path, interrupted: bool) -> None:
    """Workers, client and scheduler end without a warning.

    Dask itself says that tasks which still run end, and that a heartbeat has come too late, on a busy machine.
    """
    file = tmp_path / "closes.py"
    file.write_text(CLOSES)
    command = [sys.executable, file, *["interrupted"] * interrupted]
    variables = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "interrupted\n" * interrupted
    said = [line for line in ended.stderr.splitlines() if not (interrupted and "ended with CancelledError" in line)]
    records = re.split(r"^(?=\d{4}-\d\d-\d\d )", "\n".join(said), flags=re.MULTILINE)  # each with its traceback
    assert [each for each in records if each and "during heartbeat" not in each] == []
