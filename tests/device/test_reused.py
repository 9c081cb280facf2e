"""Large buffers of a GPU that go from one part of some work to the next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.device.job import Job
from reedsp.device.memory.reused import Reused
from tests.device.failing_device import MEMORY, failure


def buffer(size: int) -> Any:
    return SimpleNamespace(size=size)


def test_the_smallest_that_fits_is_taken_and_none_that_is_much_larger() -> None:
    reused, sizes = Reused(), (300, 100, 120)
    buffers = [buffer(size) for size in sizes]
    for each in buffers:
        reused.add(each)
    assert reused.take(100) is None  # they are in use
    reused.end_part()
    assert reused.take(99) is buffers[1]
    assert reused.take(99) is buffers[2]
    assert reused.take(101) is None
    assert reused.take(301) is None
    assert reused.take(150) is buffers[0]
    assert not reused.release()
    reused.end_part()
    assert [reused.take(100), reused.take(100), reused.take(100)] == [buffers[1], buffers[2], None]
    reused.end_part()
    assert reused.release()
    assert reused.take(100) is None


@pytest.fixture
def gpu(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> reedsp.Device:
    """A device whose buffers beyond a kilobyte are large."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device.scratch, "largest", 1024)
    return device


def test_each_part_has_the_buffers_of_the_one_before(gpu: reedsp.Device) -> None:
    job, length = Job(gpu, recycle=True), 1000
    with job.reusing() as end_part:
        first, kept = job.allocate(length, np.int64), job.allocate(length, np.int64, keep=True)
        other = job.allocate(length, np.int64)
        assert len({each.int_ptr for each in (first, kept, other)}) == 3
        end_part()
        again = {job.allocate(length, np.int64).int_ptr, job.allocate(length - 5, np.int64).int_ptr}
        assert again == {first.int_ptr, other.int_ptr}
        with job.reusing() as end_inner:
            inner = job.allocate(length, np.int64)
            end_inner()
            assert job.allocate(length, np.int64).int_ptr == inner.int_ptr
        end_part()
        assert job.allocate(length, np.int64).int_ptr in again
    outside = job.allocate(length, np.int64)
    assert outside.int_ptr not in again | {inner.int_ptr, kept.int_ptr}


def test_memory_that_is_short_is_freed_first(gpu: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    job, made = Job(gpu, recycle=True), cl.Buffer
    with job.reusing() as end_part:
        job.allocate(1000, np.int64)
        end_part()

        def full(*args: Any, **more: Any) -> Any:
            assert job._reused is not None
            if job._reused._free:
                raise failure(*MEMORY)
            return made(*args, **more)

        monkeypatch.setattr(cl, "Buffer", full)
        assert job.allocate(9000, np.int64).size == 72_000  # too large for the one that is left
        monkeypatch.setattr(cl, "Buffer", lambda *_, **__: (_ for _ in ()).throw(failure(*MEMORY)))
        gpu.scratch.release()
        with pytest.raises(reedsp.DeviceMemoryError):
            job.allocate(90_000, np.int64)


def test_processors_have_no_such_buffers(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "cpu")
    job = Job(device, recycle=True)
    with job.reusing() as end_part:
        assert job._reused is None
        end_part()


@pytest.mark.deep
def test_searches_in_parts_are_right_with_them(gpu: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    graph = reedsp.Graph.from_edges(600, *rng.integers(0, 600, (2, 2000)), rng.integers(1, 50, 2000))
    expected = reedsp.apsp(graph, dtype="int64").dist
    for most in (100, 77):
        monkeypatch.setattr("reedsp.algorithms.single_source.near_far.rows_at_once", lambda *_, most=most: most)
        found = reedsp.sssp(graph, range(600), "near-far", dtype="int64", device=gpu)
        assert np.array_equal(found.dist, expected)
        assert found.verify()
