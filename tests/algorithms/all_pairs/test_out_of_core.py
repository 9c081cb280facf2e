"""Matrices larger than the device, or on several devices: bit for bit what one device in core gives."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import pytest

from reedsp.algorithms.all_pairs import floyd_warshall
from reedsp.algorithms.all_pairs.floyd_warshall import TILE, FloydWarshall
from reedsp.algorithms.all_pairs.out_of_core import checkpoint as checkpoint_module
from reedsp.algorithms.all_pairs.out_of_core import plan as plan_module
from reedsp.algorithms.all_pairs.out_of_core import solve as solve_module
from reedsp.algorithms.all_pairs.out_of_core.array_files import write_npy
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.out_of_core.plan import Plan, make_plan
from reedsp.algorithms.all_pairs.out_of_core.solve import solve_matrix
from reedsp.algorithms.all_pairs.out_of_core.worker import Worker
from reedsp.arithmetic.matrix import INTEGERS, NARROW, Weights
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.job import Job
from reedsp.minplus import selfcheck
from reedsp.minplus.blocks import Products
from reedsp.minplus.matrix import Block
from reedsp.system import threads
from reedsp.system.files import writing

FLOAT32, FLOAT64 = (Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))
TYPES = [NARROW, INTEGERS[1], FLOAT32, FLOAT64, replace(FLOAT64, non_negative=True)]
SIZES = (1, 63, 64, 65, 513, 600, 1100)
SHORT_SPAN = 128
KILLS = int(os.environ.get("REEDSP_KILLS", "4"))
KILLED_VERTICES = 1500

Matrix = npt.NDArray[Any]

every_type = pytest.mark.parametrize("weights", TYPES, ids=lambda each: f"{each.dtype}{'+' * each.non_negative}")


@pytest.fixture
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have more spans, and strips, in small matrices."""
    use_short_spans(monkeypatch.setattr)


def use_short_spans(set_attribute: Callable[[object, str, int], None]) -> None:
    for module in (floyd_warshall, plan_module, checkpoint_module):
        set_attribute(module, "SPAN", SHORT_SPAN)


@functools.cache
def weights_of_edges(n: int, weights: Weights, seed: int = 1) -> Matrix:
    """Return a random matrix; floats are fractions, whose sums depend on how they are bracketed."""
    rng = np.random.default_rng(seed)
    floats = weights.dtype.kind == "f"
    matrix = rng.random((n, n)) * 3 + 0.001 if floats else rng.integers(1, 90, (n, n))
    if not weights.non_negative:
        heights = rng.random(n) * 2 if floats else rng.integers(0, 60, n)
        matrix = matrix + heights[:, None] - heights
    matrix = matrix.astype(weights.dtype)
    matrix[rng.random((n, n)) > 4 / n**0.5] = weights.no_path
    np.fill_diagonal(matrix, 0)
    matrix.flags.writeable = False
    return matrix


def closed_in_core(matrix: Matrix, weights: Weights, device: Device) -> Matrix:
    """Return what one device makes of it."""
    if weights.dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    n = len(matrix)
    padded = -(-n // TILE) * TILE
    host = np.full((padded, padded), weights.no_path, weights.dtype)
    host[:n, :n] = matrix
    job = Job(device)
    buffer = job.upload(host)
    FloydWarshall(job, weights).solve(Block(buffer, padded), padded)
    return job.download(buffer, padded * padded, weights.dtype).reshape(padded, padded)[:n, :n]


def twice(device: Device) -> list[Device]:
    """Return two devices, with contexts and queues of their own."""
    return [Device(device.index, device.handle) for _ in range(2)]


def least_memory(matrix: Matrix, weights: Weights, devices: list[Device], checkpoint: Checkpoint | None = None) -> int:
    """Return the memory that the error asks for."""
    with pytest.raises(
        ValueError, match=r"^memory_limit: 1 bytes, but [\d,]+ vertices need [\d,]+ on each device$"
    ) as e:
        solve_matrix(matrix, weights, devices, memory_limit=1, checkpoint=checkpoint)
    return int(str(e.value).split()[-4].replace(",", ""))


def assert_same(matrix: Matrix, expected: Matrix, *details: object) -> None:
    assert matrix.tobytes() == np.ascontiguousarray(expected).tobytes(), details


# ---- results ----------------------------------------------------------------------------------------


@pytest.mark.deep
@every_type
def test_every_size(weights: Weights, device: Device) -> None:
    for n in SIZES:
        given = weights_of_edges(n, weights)
        expected = closed_in_core(given, weights, device)
        for devices in ([device], twice(device)):
            least = least_memory(given.copy(), weights, devices)
            for limit in (None, least, least * 9 // 8):
                matrix = given.copy()
                jobs = solve_matrix(matrix, weights, devices, limit)
                assert_same(matrix, expected, n, len(devices), limit)
                assert jobs[0].kernels_launched > 0
                assert min(jobs[0].bytes_to_device, jobs[0].bytes_from_device) >= n * n * weights.dtype.itemsize // 2


@pytest.mark.deep
@every_type
@pytest.mark.parametrize("spans", [1, 3])
def test_strips(
    weights: Weights, spans: int, short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one span or of three, on up to three devices, with rows left over."""
    n = 9 * SHORT_SPAN + 70
    given = weights_of_edges(n, weights)
    expected = closed_in_core(given, weights, device)
    for devices in ([device], twice(device), [device, *twice(device)]):
        matrix = given.copy()
        plan = Plan(n, 1280, len(devices), pass_spans=spans, width=3 * TILE, staging_rows=TILE - 1)
        monkeypatch.setattr(solve_module, "make_plan", lambda *_: plan)  # noqa: B023
        done: list[tuple[int, int]] = []
        solve_matrix(matrix, weights, devices, progress=lambda *each: done.append(each))  # noqa: B023
        assert_same(matrix, expected, len(devices))
        step = spans * SHORT_SPAN
        assert done == [(min(end, n), n) for end in range(step, n + step, step)]


def test_passes_by_way_of_several_spans(short_spans: None, device: Device) -> None:
    """As many as the memory allows, but so few that there are strips enough for every device."""
    n = 33 * SHORT_SPAN
    for parts, most in ((1, 8), (2, 4)):
        devices, row = twice(device)[:parts], n * 4
        limits = [(spans * 3 + 4) * SHORT_SPAN * row + 8 * SHORT_SPAN * TILE for spans in range(1, most + 2)]
        plans = [make_plan(n, FLOAT32, devices, limit, None) for limit in limits]
        assert [each.pass_spans for each in plans] == [*range(1, most + 1), most]


def test_what_is_staged_gives_way_to_fewer_passes(device: Device) -> None:
    """But not without end: at least a quarter of it is left, as long as there is room for a span."""
    n, row = 16384, 16384 * 4
    for spans in (1, 2, 3, 4):
        strips = 3 * spans * floyd_warshall.SPAN * row
        plan = make_plan(n, FLOAT32, [device], strips + (1 << 26), None)
        assert (plan.pass_spans, plan.staging_rows * row) == (spans, 1 << 24)
        plan = make_plan(n, FLOAT32, [device], strips + (1 << 24), None)
        assert plan.pass_spans == max(1, spans - 1)


@pytest.mark.deep("uint16")
@pytest.mark.parametrize("weights", [NARROW, FLOAT32], ids=lambda each: str(each.dtype))
def test_products_in_groups(
    weights: Weights, short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, whatever the device is."""
    for module in (selfcheck, plan_module):
        monkeypatch.setattr(module, "works_in_groups", lambda _: True)
    n = 3 * SHORT_SPAN + 1
    given = weights_of_edges(n, weights)
    expected = closed_in_core(given, weights, device)
    for devices in ([device], twice(device)):
        for limit in (None, least_memory(given.copy(), weights, devices)):
            matrix = given.copy()
            solve_matrix(matrix, weights, devices, limit)
            assert_same(matrix, expected, len(devices), limit)


def test_several_buffers(short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that stay need not fit into one."""
    n = 9 * SHORT_SPAN + 1
    given = weights_of_edges(n, FLOAT32)
    expected = closed_in_core(given, FLOAT32, device)
    for devices in (twice(device)[:1], twice(device)):
        for each in devices:
            monkeypatch.setattr(each, "max_allocation", 5 * SHORT_SPAN * 1280 * 4 // 2)
        matrix = given.copy()
        done: list[int] = []
        solve_matrix(matrix, FLOAT32, devices, progress=lambda vertices, _: done.append(vertices))  # noqa: B023
        assert_same(matrix, expected)
        assert done == sorted(done)
        assert done[-1] == n


def test_more_devices_than_spans(device: Device) -> None:
    given = weights_of_edges(65, INTEGERS[1])
    matrix = given.copy()
    assert len(solve_matrix(matrix, INTEGERS[1], [device, *twice(device)])) == 1
    assert_same(matrix, closed_in_core(given, INTEGERS[1], device))
    assert len(solve_matrix(np.zeros((0, 0), np.int32), INTEGERS[1], [device])) == 1


def test_negative_cycle(short_spans: None, device: Device) -> None:
    """Numbers sink as far on one device as on several."""
    for weights in (INTEGERS[1], FLOAT32):
        given = weights_of_edges(600, weights).copy()
        given[3, 400] = given[400, 3] = -1000
        expected = closed_in_core(given, weights, device)
        assert expected[3, 3] < 0
        for devices in ([device], twice(device)):
            for limit in (None, least_memory(given.copy(), weights, devices)):
                matrix = given.copy()
                solve_matrix(matrix, weights, devices, limit)
                assert_same(matrix, expected)


# ---- memory -----------------------------------------------------------------------------------------


class Counted:
    """Bytes of the buffers that are alive, and the most there were at a time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: dict[int, int] = {}
        self.most: dict[int, int] = {}
        counted = self

        class CountedBuffer(cl.Buffer):
            def __init__(self, context: cl.Context, flags: Any, size: int = 0, hostbuf: Any = None) -> None:
                super().__init__(context, flags, size, hostbuf)
                self.key, self.bytes = context.int_ptr, size or hostbuf.nbytes
                now = counted.now[self.key] = counted.now.get(self.key, 0) + self.bytes
                counted.most[self.key] = max(now, counted.most.get(self.key, 0))

            def __del__(self) -> None:
                counted.now[self.key] -= self.bytes

        monkeypatch.setattr(cl, "Buffer", CountedBuffer)


@pytest.mark.deep
@pytest.mark.parametrize("in_groups", [True, False], ids=["in groups", "one by one"])
@pytest.mark.parametrize("resident", [True, False], ids=["resident", "streamed"])
def test_memory_limit_is_kept(
    resident: bool, in_groups: bool, short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 1100
    given = weights_of_edges(n, FLOAT32)
    for count in (1, 2):
        for module in (plan_module, selfcheck):
            monkeypatch.setattr(module, "works_in_groups", lambda device: in_groups)
        devices = twice(device)[:count]
        limit = int(1.5 * 1152 * 1152 * 4) if resident else least_memory(given.copy(), FLOAT32, devices) + 5000
        assert make_plan(n, FLOAT32, devices, limit, None).resident == resident
        counted = Counted(monkeypatch)
        jobs = solve_matrix(given.copy(), FLOAT32, devices, limit)
        monkeypatch.undo()
        use_short_spans(monkeypatch.setattr)
        assert len(counted.most) == count
        assert all(limit // 2 < each <= limit for each in counted.most.values()), (limit, counted.most)
        assert all(each.bytes_allocated <= limit for each in jobs)


def test_row_77_allocation_fails(short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is changed, and less memory may do."""
    given = weights_of_edges(1100, FLOAT32)
    matrix = given.copy()
    allocate, most = Job.allocate, 1 << 20

    def failing(job: Job, length: int, dtype: npt.DTypeLike) -> cl.Buffer:
        if length * np.dtype(dtype).itemsize > most:
            raise DeviceMemoryError("no more")
        return allocate(job, length, dtype)

    monkeypatch.setattr(Job, "allocate", failing)
    with pytest.raises(MemoryError, match="no more"):
        solve_matrix(matrix, FLOAT32, [device])
    assert_same(matrix, given)
    solve_matrix(matrix, FLOAT32, [device], 3 << 20)
    assert_same(matrix, closed_in_core_with(allocate, given, device, monkeypatch))


def closed_in_core_with(allocate: Any, given: Matrix, device: Device, monkeypatch: pytest.MonkeyPatch) -> Matrix:
    monkeypatch.setattr(Job, "allocate", allocate)
    return closed_in_core(given, FLOAT32, device)


def test_wrong_arguments(device: Device, tmp_path: Path) -> None:
    matrix = np.zeros((4, 4), np.float32)
    for wrong in (matrix[:3], matrix.astype(np.float64), np.zeros((8, 8), np.float32)[::2, ::2]):
        with pytest.raises(ValueError, match=r"^matrix: "):
            solve_matrix(wrong, FLOAT32, [device])
    with pytest.raises(ValueError, match=r"^devices: "):
        solve_matrix(matrix, FLOAT32, [])
    with Checkpoint(tmp_path / "c", "", 4, np.float32) as checkpoint:
        for wrong in (matrix, checkpoint.matrix):
            with pytest.raises(ValueError, match=r"^checkpoint: "):
                solve_matrix(wrong, FLOAT32, [device], checkpoint=checkpoint)


@pytest.mark.deep("streamed", "1-resident")
@pytest.mark.parametrize("limit", [None, 3 << 20], ids=["resident", "streamed"])
@pytest.mark.parametrize("count", [1, 2])
def test_row_76_device_fails(
    limit: int | None,
    count: int,
    short_spans: None,
    device: Device,
    at_work: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No thread is left, and the devices work afterwards."""
    given = weights_of_edges(1100, FLOAT32)
    devices = twice(device)[:count]
    with monkeypatch.context() as patch:
        fail_after(40, patch)
        with pytest.raises(DeviceError, match=r"^lost$"):
            solve_matrix(given.copy(), FLOAT32, devices, limit)
    assert at_work() == 0
    matrix = given.copy()
    solve_matrix(matrix, FLOAT32, devices, limit)
    assert_same(matrix, closed_in_core(given, FLOAT32, device))


def test_row_76_device_that_fails_again_while_it_is_waited_for(
    short_spans: None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first error is the one to know."""

    def failing(worker: Any) -> None:
        raise DeviceError("lost for good")

    monkeypatch.setattr(Worker, "finish", failing)
    fail_after(20, monkeypatch)
    with pytest.raises(DeviceError, match=r"^lost$"):
        solve_matrix(weights_of_edges(1100, FLOAT32).copy(), FLOAT32, twice(device))


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return what says how many tasks of threads are under way."""
    begun: list[int] = []
    ended: list[int] = []
    run = threads._Tasks._try

    def counted(tasks: threads._Tasks, number: int) -> None:
        begun.append(number)
        run(tasks, number)
        ended.append(number)

    monkeypatch.setattr(threads._Tasks, "_try", counted)
    return lambda: len(begun) - len(ended)


def fail_after(products: int, patch: pytest.MonkeyPatch, error: Exception = DeviceError("lost")) -> None:  # noqa: B008
    """Have a product fail, after some."""
    queue, left = Products.queue, [products]

    def failing(*args: Any, **options: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise error
        queue(*args, **options)

    patch.setattr(Products, "queue", failing)


def test_row_78_interruption(short_spans: None, device: Device, at_work: Callable[[], int]) -> None:
    """By whatever the caller's progress bar raises."""

    def interrupted(vertices: int, n: int) -> None:
        raise KeyboardInterrupt

    for limit in (None, 3 << 20):
        with pytest.raises(KeyboardInterrupt):
            solve_matrix(weights_of_edges(1100, FLOAT32).copy(), FLOAT32, twice(device), limit, progress=interrupted)
        assert at_work() == 0


# ---- checkpoints ------------------------------------------------------------------------------------

VERTICES = 900  # in eight short spans


@pytest.fixture
def given() -> Matrix:
    return weights_of_edges(VERTICES, FLOAT32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


def opened(folder: Path, given: Matrix) -> Checkpoint:
    """Return a checkpoint whose matrix is filled."""
    checkpoint = Checkpoint(folder, "a graph", len(given), given.dtype)
    if checkpoint.fresh:
        checkpoint.matrix[:] = given
        checkpoint.filled()
    return checkpoint


def interrupted(folder: Path, given: Matrix, device: Device, products: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the checkpoint of a run in which a device failed; it had little memory, and so many products to form."""
    with monkeypatch.context() as patch, opened(folder, given) as checkpoint:
        least = least_memory(checkpoint.matrix, FLOAT32, [device], checkpoint)
        fail_after(products, patch)
        with pytest.raises(DeviceError, match=r"^lost$"):
            solve_matrix(checkpoint.matrix, FLOAT32, [device], least, checkpoint)


@pytest.mark.parametrize("spans", [1, 3])
def test_checkpoint(
    spans: int, short_spans: None, folder: Path, given: Matrix, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "_STRIPS", 8 // spans)
    expected = closed_in_core(given, FLOAT32, device)
    for devices in ([device], twice(device)):
        with opened(folder, given) as checkpoint:
            assert not checkpoint.finished()
            solve_matrix(checkpoint.matrix, FLOAT32, devices, checkpoint=checkpoint)
            assert checkpoint.finished()
            assert_same(checkpoint.matrix, expected)
        with opened(folder, given) as checkpoint:
            solve_matrix(checkpoint.matrix, FLOAT32, devices, checkpoint=checkpoint)
            assert_same(checkpoint.matrix, expected)
            checkpoint.remove()
        assert not folder.exists()


@pytest.mark.parametrize("count", [1, 2])
def test_row_76_device_fails_and_the_checkpoint_is_kept(
    count: int, short_spans: None, folder: Path, given: Matrix, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is, whether the same object or another one goes on, and with however much memory."""
    expected = closed_in_core(given, FLOAT32, device)
    devices = twice(device)[:count]
    failures = 0
    checkpoint = opened(folder, given)
    least = least_memory(checkpoint.matrix, FLOAT32, devices, checkpoint)
    while not checkpoint.finished():
        with monkeypatch.context() as patch:
            fail_after(10 + 10 * failures, patch)
            try:
                solve_matrix(checkpoint.matrix, FLOAT32, devices, least * (1 + failures % 2), checkpoint)
            except DeviceError:
                failures += 1
        if failures % 2:
            checkpoint.close()
            checkpoint = opened(folder, given)
    assert failures > 2
    assert_same(checkpoint.matrix, expected)
    checkpoint.close()


@pytest.mark.deep("columns", "journal", "matrix", "rows")
@pytest.mark.parametrize("name", ["matrix", "panels", "rows", "columns", "journal"])
def test_row_81_disk_full(
    name: str, short_spans: None, folder: Path, given: Matrix, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file it is that does not fit: half of it is written."""
    expected = closed_in_core(given, FLOAT32, device)
    write = writing.write
    with opened(folder, given) as checkpoint:  # many passes
        least = least_memory(checkpoint.matrix, FLOAT32, [device], checkpoint)
    for allowed in (0, 1, 5):
        with opened(folder, given) as checkpoint:
            left = [allowed]

            def failing(stream: Any, place: int | None, content: Any) -> None:
                if Path(stream.name).name == name:
                    left[0] -= 1  # noqa: B023
                    if left[0] < 0:  # noqa: B023
                        write(stream, place, bytes(content)[: len(bytes(content)) // 2])
                        raise OSError(errno.ENOSPC, "No space left on device")
                write(stream, place, content)

            with monkeypatch.context() as patch:
                patch.setattr(writing, "write", failing)
                with pytest.raises(OSError, match="No space left"):
                    solve_matrix(checkpoint.matrix, FLOAT32, [device], least, checkpoint)
    with opened(folder, given) as checkpoint:
        solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
        assert_same(checkpoint.matrix, expected)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere room for a file is not reserved")
def test_row_81_no_room_for_the_matrix(folder: Path, given: Matrix, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how much is missing, and where; nothing is left of a work that has not begun."""

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    size = VERTICES * VERTICES * 4
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        message = rf"No space left on device: {size:,} bytes are needed, [\d,]+ bytes are free: '.*matrix'"
        with pytest.raises(OSError, match=message) as found:
            opened(folder, given)
    assert found.value.errno == errno.ENOSPC
    assert not folder.exists()
    opened(folder, given).close()
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write", full)
        with pytest.raises(OSError, match=r"No space left on device: [\d,]+ bytes are needed, .*journal"):
            Checkpoint(folder.with_name("other"), "a graph", VERTICES, np.float32)
    assert not folder.with_name("other").exists()


def test_row_81_no_room_for_the_results(folder: Path, given: Matrix, device: Device) -> None:
    """Those that were written go, and the work stays."""

    def full(stream: Any) -> None:
        stream.write(bytes(100))
        raise OSError(errno.ENOSPC, "No space left on device")

    with opened(folder, given) as checkpoint:
        solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
        with pytest.raises(OSError, match=r": 7,777 bytes are needed, [\d,]+ bytes are free: '.*dist\.npy'"):
            checkpoint.write_results("", {"pred.npy": (5, lambda stream: None), "dist.npy": (7777, full)})
        assert {each.name for each in folder.iterdir()} & {"pred.npy", "dist.npy"} == set()
    with opened(folder, given) as checkpoint:
        assert checkpoint.finished()


def run_child(folder: Path, device: Device) -> subprocess.Popen[bytes]:
    """Work on a checkpoint in another process, with the least memory."""
    environment = {**os.environ, "REEDSP_DEVICE": str(device.index)}
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(folder)], env=environment, cwd=Path(__file__).parents[3]
    )


def child(folder: Path) -> None:
    """Go on with a checkpoint."""
    from reedsp.device.discovery import get_device

    use_short_spans(setattr)
    device = get_device()
    given = weights_of_edges(KILLED_VERTICES, FLOAT64)
    with opened(folder, given) as checkpoint:
        solve_matrix(checkpoint.matrix, FLOAT64, [device], 8 << 20, checkpoint)


@pytest.mark.deep
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_row_82_killed(folder: Path, short_spans: None, device: Device) -> None:
    """At random instants, and continued each time: the same bytes."""
    if not device.fp64:
        pytest.skip("the device has no doubles")
    rng, instants = random.Random(7), []
    for _ in range(KILLS):
        process = run_child(folder, device)
        started, journal = time.perf_counter(), folder / "journal"
        known = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > known):
            time.sleep(0.001)  # until it has gone on from where the one before was killed
        time.sleep(rng.random() * min(0.4, 5 / KILLS))
        process.kill()
        ended = process.wait()
        instants.append(
            (ended, round(time.perf_counter() - started, 3), journal.stat().st_size if journal.exists() else 0)
        )
    assert run_child(folder, device).wait() == 0
    expected = closed_in_core(weights_of_edges(KILLED_VERTICES, FLOAT64), FLOAT64, device)
    with Checkpoint(folder, "a graph", KILLED_VERTICES, np.float64) as checkpoint:
        assert checkpoint.finished()
        digests = [hashlib.sha256(np.ascontiguousarray(each)).hexdigest() for each in (checkpoint.matrix, expected)]
        assert digests[0] == digests[1]
    print(instants, digests)
    assert -signal.SIGKILL in {ended for ended, *_ in instants}


def test_row_83_another_problem(folder: Path, given: Matrix, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(folder, given).close()
    for other in (("another graph", 900, np.float32), ("a graph", 899, np.float32), ("a graph", 900, np.int32)):
        with pytest.raises(ValueError, match=r"journal: its \w+ is .*, not "):
            Checkpoint(folder, *other)
    monkeypatch.setattr(checkpoint_module, "FORMAT", 3)
    with pytest.raises(ValueError, match=r"journal: its format is 2, not 3"):
        opened(folder, given)
    monkeypatch.undo()
    use_short_spans(monkeypatch.setattr)
    with pytest.raises(ValueError, match=r"journal: its vertices at a time is 512, not 128"):
        opened(folder, given)
    monkeypatch.undo()
    opened(folder, given).close()


@pytest.mark.deep("panels", "journal", "matrix", "rows")
@pytest.mark.parametrize("name", ["matrix", "panels", "rows", "columns", "journal"])
def test_row_84_damaged(
    name: str, short_spans: None, folder: Path, given: Matrix, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bit, or a file that is too short or missing."""
    interrupted(folder, given, device, 100, monkeypatch)
    with opened(folder, given) as checkpoint:
        assert checkpoint.unfinished is not None
    file = folder / name
    content = file.read_bytes()
    for place in random.Random(1).sample(range(len(content) - 1), 5):
        file.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(ValueError, match=f"{name}: .*it is damaged"):
            opened(folder, given)
    if name != "journal":  # of which the end may be missing
        file.write_bytes(content[:-8])
        with pytest.raises(ValueError, match=f"{name}: .*it is damaged"):
            opened(folder, given)
        file.unlink()
        with pytest.raises(ValueError, match=f"{name}: .*it is damaged"):
            opened(folder, given)
    file.write_bytes(content)
    with opened(folder, given) as checkpoint:
        solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
        assert_same(checkpoint.matrix, closed_in_core(given, FLOAT32, device))


def test_row_85_two_writers(folder: Path, given: Matrix) -> None:
    with opened(folder, given), pytest.raises(BlockingIOError, match="another process is working in this folder"):
        opened(folder, given)
    opened(folder, given).close()


def test_nothing_is_written_after_the_end(short_spans: None, folder: Path, given: Matrix) -> None:
    """A thread that goes on would change what others work on; one that is writing keeps them out."""
    with opened(folder, given) as checkpoint:
        rows = np.array(given[:SHORT_SPAN])
        checkpoint.store_panels(0, rows)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    for write in (
        lambda: checkpoint.store_panels(0, rows),
        lambda: checkpoint.write_rows(0, rows + 1),
        lambda: checkpoint.begin_rows(0, SHORT_SPAN),
        lambda: checkpoint.write_results("", {"dist.npy": (0, lambda stream: None)}),
    ):
        with pytest.raises(ValueError, match=r"checkpoint: it is closed, and cannot be written to"):
            write()
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
    with opened(folder, given) as checkpoint:
        write, busy = writing.write, []

        def slow(stream: Any, place: int | None, content: Any) -> None:
            checkpoint.close()
            with pytest.raises(BlockingIOError):
                opened(folder, given)
            write(stream, place, content)
            busy.append(True)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writing, "write", slow)
            checkpoint.write_rows(0, rows)
    assert busy
    opened(folder, given).close()


def test_journal_cut_anywhere(short_spans: None, folder: Path, given: Matrix, device: Device) -> None:
    """A line that is not finished does not count: what it would have said is done again."""
    with opened(folder, given) as checkpoint:
        start = (folder / "journal").stat().st_size
        solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
    expected = closed_in_core(given, FLOAT32, device)
    journal = (folder / "journal").read_bytes()
    lines = journal[:-1].rsplit(b"\n", 1)
    assert b'"done"' in lines[1]
    for end in (len(lines[0]) + 1, len(journal) - 1):
        (folder / "journal").write_bytes(journal[:end])
        with opened(folder, given) as checkpoint:
            assert not checkpoint.finished()
            solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
            assert_same(checkpoint.matrix, expected)
        assert (folder / "journal").read_bytes() == journal
    (folder / "journal").write_bytes(journal[: start - 1])
    with Checkpoint(folder, "a graph", VERTICES, np.float32) as checkpoint:
        assert checkpoint.fresh
    (folder / "journal").write_bytes(journal[:20])
    with Checkpoint(folder, "a graph", VERTICES, np.float32) as checkpoint:
        assert checkpoint.fresh


def test_half_written_strip(short_spans: None, folder: Path, given: Matrix, device: Device) -> None:
    """Whatever part of the rows that were being written is new."""
    expected = closed_in_core(given, FLOAT32, device)
    with opened(folder, given) as checkpoint:
        write, calls = checkpoint.write_rows, 0

        def half(first: int, rows: Matrix) -> None:
            nonlocal calls
            calls += 1
            if calls == 20:
                mixed = np.where(
                    np.random.default_rng(1).random(rows.shape) < 0.5,
                    rows,
                    checkpoint.matrix[first : first + len(rows)],
                )
                write(first, mixed)
                raise InterruptedError
            write(first, rows)

        checkpoint.write_rows = half  # type: ignore[method-assign]
        with pytest.raises(InterruptedError):
            solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
        assert checkpoint.unfinished is not None
    with opened(folder, given) as checkpoint:
        solve_matrix(checkpoint.matrix, FLOAT32, [device], checkpoint=checkpoint)
        assert_same(checkpoint.matrix, expected)


def test_folder_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match=r"not the folder of work in progress: it holds 'thesis.tex'"):
        Checkpoint(tmp_path, "", 3, np.int32)
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(ValueError, match=r"^n: "):
        Checkpoint(tmp_path / "c", "", 0, np.int32)


# ---- .npy files -------------------------------------------------------------------------------------


def test_write_npy(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    expected = np.arange(15.0).reshape(5, 3)
    with open(file, "wb") as stream:
        write_npy(stream, iter([expected[:2], expected[2:].astype(np.int32)]), (5, 3), np.float64)
    assert_same(np.load(file), expected)
    for wrong in ([expected[:4]], [expected, expected[:1]], [expected[:, :2]]):
        with open(file, "wb") as stream, pytest.raises(ValueError, match=r"^rows: "):
            write_npy(stream, iter(wrong), (5, 3), np.float64)
    with open(file, "wb") as stream:
        write_npy(stream, iter([expected[:0]]), (0, 3), np.float64)
    assert np.load(file).shape == (0, 3)


if __name__ == "__main__":
    child(Path(sys.argv[1]))
