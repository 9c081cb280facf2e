"""Rows that stay on devices: the bytes of one device, also where they have to move or are lost."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import numpy.typing as npt
import pytest

import reedsp
import reedsp.cluster
from reedsp.algorithms.all_pairs.floyd_warshall import SPAN
from reedsp.algorithms.all_pairs.host_matrix import fill_rows
from reedsp.algorithms.all_pairs.out_of_core.plan import make_plan
from reedsp.arithmetic.matrix import Weights, matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cluster import floyd_warshall as over_workers
from reedsp.cluster import strips
from reedsp.cluster.kept_rows import Keeper, KeptRows, LostRowsError, Part
from reedsp.device.device import Device
from tests.cluster.pool_engine import Future, PoolCluster, PoolEngine
from tests.cluster.test_all_pairs import SHORT_SPAN, Here, check, fractions, use_short_spans

N = 5 * SHORT_SPAN + 9


def sent(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns, after it was sent elsewhere."""
    return pickle.loads(pickle.dumps(function(*arguments)))


class Moving(PoolEngine):
    """Workers in threads, of which none has what another one has returned."""

    def __init__(self, pool: Here, folder: Path) -> None:
        super().__init__(pool, folder, True)
        self.tasks: Counter[str] = Counter()
        self.moves = False

    def submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None, urgent: bool = False
    ) -> Future:
        self.tasks[function.__name__] += 1
        return super().submit(*([sent] if self.moves else []), function, *arguments, worker=worker, urgent=urgent)


@pytest.fixture
def engine(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Moving]:
    use_short_spans(monkeypatch.setattr)
    with Here() as pool:
        engine = Moving(pool, tmp_path_factory.mktemp("graphs"))
        yield engine
        engine.close()


# ---- from the first pass to the last ----------------------------------------------------------------


@pytest.mark.parametrize("out", [None, "x.npy"])
def test_shares_that_move_after_each_task(engine: Moving, out: str | None, tmp_path: Path) -> None:
    engine.moves = True
    check(PoolCluster(engine), fractions(N), tmp_path, out, method="floyd-warshall", dtype="float32")
    assert engine.tasks["relax_kept"] > 6
    assert not engine.tasks["relax"]


def test_tasks_of_a_pass(engine: Moving, tmp_path: Path) -> None:
    """Of two shares one waits for the panels of its own, and makes up for it in the next pass."""
    check(PoolCluster(engine), fractions(N), tmp_path, None, method="floyd-warshall")
    of_passes = {
        task: engine.tasks[task] for task in ("fill", "begin", "relax_and_close", "bring", "relax_kept", "relax")
    }
    assert of_passes == {"fill": 2, "begin": 1, "relax_and_close": 5, "bring": 4, "relax_kept": 7, "relax": 0}


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_checkpoints_now_and_then(passes: int, engine: Moving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of a checkpoint have come equally far; an interrupted call goes on from it."""
    graph, asked = fractions(N, seed=passes), 0

    def is_due(_: Any) -> bool:
        nonlocal asked
        asked += 1
        return asked % passes == 0

    def interrupt(vertices: int, _: int) -> None:
        if vertices >= 4 * SHORT_SPAN:
            raise KeyboardInterrupt

    monkeypatch.setattr(over_workers._Passes, "_is_due", is_due)
    out = tmp_path / "x.npy"
    with pytest.raises(KeyboardInterrupt):
        PoolCluster(engine).apsp(graph, "floyd-warshall", out=out, progress=interrupt)
    monkeypatch.setattr(strips, "fill_rows", lambda *_: pytest.fail("it begins anew"))
    found = PoolCluster(engine).apsp(graph, "floyd-warshall", out=out)
    assert found.dist.tobytes() == reedsp.apsp(graph, "floyd-warshall").dist.tobytes()
    assert engine.tasks["load"]


@pytest.mark.parametrize("error", [LostRowsError, reedsp.DeviceMemoryError])
@pytest.mark.parametrize("out", [None, "x.npy"])
def test_shares_that_cannot_stay(
    out: str | None, error: type[Exception], engine: Moving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strips travel then, from the last checkpoint on if there is one; progress does not go back."""
    relax, calls, seen = Keeper.relax, 0, list[int]()

    def fail(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 6:
            raise error("as planned")
        return relax(*arguments, **options)

    monkeypatch.setattr(Keeper, "relax", fail)
    target = None if out is None else tmp_path / out
    found = PoolCluster(engine).apsp(fractions(N), "floyd-warshall", out=target, progress=lambda k, _: seen.append(k))
    assert found.dist.tobytes() == reedsp.apsp(fractions(N), "floyd-warshall").dist.tobytes()
    assert engine.tasks["relax"]
    assert engine.tasks["fill"] == (2 if out else 8)
    assert seen == sorted(set(seen))


def test_devices_without_memory_for_two_shares(engine: Moving, tmp_path: Path) -> None:
    """If a worker is lost, another has to take its share: otherwise strips travel."""
    row, graph = 4 * (6 * SHORT_SPAN), fractions(N)
    alone = strips_memory(graph, None, 2)
    needed = next(limit for limit in range(row, 100_000 * row, row) if strips_memory(graph, limit, 2).keeps)
    assert alone.keeps
    less = strips_memory(graph, needed - row, 2)
    assert isinstance(less.spans, int)
    assert not less.keeps
    check(PoolCluster(engine), graph, tmp_path, None, method="floyd-warshall", memory_limit=needed - row)
    assert engine.tasks["relax"]
    assert not engine.tasks["relax_kept"]


def strips_memory(graph: reedsp.Graph, limit: int | None, shares: int) -> strips.Memory:
    """Return what a worker in this thread has memory for."""
    weights, setting = weights_of(graph, "float64"), strips.registry.Setting("of a test")
    strips.registry.begin(setting, "worker")
    with strips.registry.serving(setting.key):
        return strips.memory_for(graph.n, weights, 1, shares, limit)


# ---- in place ---------------------------------------------------------------------------------------


def weights_of(graph: reedsp.Graph, dtype: str) -> Weights:
    weights = matrix_weights(graph, choose_arithmetic(graph, np.dtype(dtype)))
    assert weights is not None
    return weights


class Matrix:
    """Six strips, the last of which is shorter, on one device."""

    def __init__(self, graph: reedsp.Graph, device: Device) -> None:
        weights = weights_of(graph, "float32")
        self.keeper = Keeper(device, weights, make_plan(graph.n, weights, [device], None, None, most_spans=1))
        self.parts = [Part(first, min(SHORT_SPAN, graph.n - first)) for first in range(0, graph.n, SHORT_SPAN)]
        edges = np.empty((graph.n, graph.n), weights.dtype)
        fill_rows(graph, weights, 0, edges)

        def reader(part: Part) -> Callable[[int, npt.NDArray[Any]], None]:
            def read(row: int, rows: npt.NDArray[Any]) -> None:
                rows[:] = weights.no_path
                there = edges[part.first + row : part.first + part.size][: len(rows)]
                rows[: len(there), : graph.n] = there

            return read

        self.rows = self.keeper.keep([(part, reader(part)) for part in self.parts], 0)

    def passed(self, number: int, panels: npt.NDArray[Any]) -> KeptRows:
        return self.keeper.relax(self.rows, self.parts[number], lambda: panels)

    def begun(self, number: int, rows: KeptRows, panels: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        if panels is None:
            return self.keeper.begin_pass(rows, self.parts[number], None, None)
        return self.keeper.begin_pass(rows, self.parts[number], self.parts[number - 1], lambda: panels)


@pytest.fixture(params=["as it is", "gpu"])
def matrix(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Matrix:
    """Lend a matrix on a device, also the way of one with memory of its own."""
    use_short_spans(monkeypatch.setattr)
    if request.param == "gpu":
        monkeypatch.setattr(device, "kind", "gpu")
    return Matrix(fractions(N), device)


@pytest.mark.deep("gpu")
@pytest.mark.parametrize("panels_first", [True, False])
def test_panels_may_come_before_the_pass_and_after_it(panels_first: bool, matrix: Matrix, device: Device) -> None:
    """A pass leaves the rows alone whose turn is next; all together are those of one device."""
    panels = matrix.begun(0, matrix.rows)
    for number in range(len(matrix.parts)):
        before, following = matrix.rows, number + 1
        if following == len(matrix.parts):
            matrix.rows = matrix.passed(number, panels)
        elif panels_first:
            next_panels = matrix.begun(following, before, panels)
            matrix.rows, panels = matrix.passed(number, panels), next_panels
        else:
            matrix.rows = matrix.passed(number, panels)
            panels = matrix.begun(following, before, panels)
    found = pickle.loads(pickle.dumps(matrix.rows))
    expected = reedsp.apsp(fractions(N), "floyd-warshall", dtype="float32", device=device).dist
    assert found.tobytes() == expected.tobytes()
    assert all(
        np.array_equal(matrix.rows.on_host(part.first), expected[part.first :][: part.size]) for part in matrix.parts
    )


@pytest.mark.deep("gpu")
def test_what_was_changed_is_lost(matrix: Matrix) -> None:
    first = matrix.rows
    assert len(pickle.loads(pickle.dumps(first))) == N
    panels = matrix.begun(0, first)
    second = matrix.passed(0, panels)
    assert pickle.loads(pickle.dumps(first)) is None
    with pytest.raises(LostRowsError):
        first.on_host(0)
    with pytest.raises(LostRowsError):
        matrix.passed(0, panels)
    with pytest.raises(LostRowsError):
        matrix.begun(0, first)
    matrix.rows = second
    assert len(pickle.loads(pickle.dumps(second))) == N


def test_a_pass_that_fails_loses_the_rows(matrix: Matrix, monkeypatch: pytest.MonkeyPatch) -> None:
    panels = matrix.begun(0, matrix.rows)
    with monkeypatch.context() as patch:
        patch.setattr(matrix.keeper._worker, "end_pass", lambda *_: pytest.fail("as planned"))
        with pytest.raises(pytest.fail.Exception):
            matrix.passed(0, panels)
    assert pickle.loads(pickle.dumps(matrix.rows)) is None


def test_what_is_sent_elsewhere_waits_for_a_pass(matrix: Matrix) -> None:
    """No one gets rows that are half changed."""
    panels, found = matrix.begun(0, matrix.rows), list[Any]()
    memory = matrix.rows._memory
    with memory.lock:
        sending = threading.Thread(target=lambda: found.append(pickle.dumps(matrix.rows)))
        sending.start()
        sending.join(0.2)
        assert not found
    sending.join()
    assert len(pickle.loads(found[0])) == N
    assert len(panels) == SHORT_SPAN


def test_their_size_is_known(matrix: Matrix, device: Device) -> None:
    """Dask puts what is large on disks, and does not send it about without need."""
    assert (matrix.rows.__sizeof__() > 4 * N * N) == (device.kind == "cpu")


# ---- workers that die -------------------------------------------------------------------------------


def process() -> int:
    return os.getpid()


@pytest.mark.deep
@pytest.mark.parametrize("out", [None, "x.npy"])
def test_workers_that_die_and_retire(out: str | None, tmp_path: Path) -> None:
    """One or both are killed after half of the passes, or one is retired, with the rows that it has."""
    n = 5 * SPAN + 70
    graph = fractions(n)
    expected = reedsp.apsp(graph, "floyd-warshall", dtype="float32").dist
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, "cpu") as cluster,
    ):
        for victims in (1, 2, 0):
            client.wait_for_workers(2)
            pids = cluster.engine.each_worker(process)
            done: list[int] = []

            def act(vertices: int, n: int, victims: int = victims, pids: Any = pids, done: list[int] = done) -> None:
                if vertices >= n // 2 and not done:
                    done.append(vertices)
                    if not victims:
                        client.retire_workers([next(iter(pids))])
                    for pid in list(pids.values())[:victims]:
                        os.kill(pid, signal.SIGKILL)

            target = None if out is None else tmp_path / f"{victims}-{out}"
            found = cluster.apsp(graph, "floyd-warshall", dtype="float32", out=target, progress=act)
            with client.as_current():
                assert np.asarray(found.dist).tobytes() == expected.tobytes()
            assert done
