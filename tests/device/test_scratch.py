"""Buffers that jobs leave to each other."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.memory import scratch
from reedsp.device.memory.scratch import PinnedArray, PinnedParts, Scratch
from reedsp.edges.preparation import Preparation

SIZE = 5000


@pytest.fixture
def own(device: Device) -> Device:
    """The same device with nothing left by others."""
    return Device(device.index, device.handle)


def test_what_a_job_leaves_serves_the_next(own: Device) -> None:
    job = Job(own, recycle=True)
    left = job.allocate(SIZE, np.int32)
    assert Job(own, recycle=True).allocate(SIZE, np.int32).int_ptr != left.int_ptr
    job.recycle()
    assert own.scratch.handles() == {left.int_ptr}
    assert Job(own, recycle=True).allocate(SIZE - 1, np.int32).int_ptr == left.int_ptr
    assert own.scratch.handles() == set()


def test_not_more_is_kept_than_is_of_use(own: Device) -> None:
    job = Job(own, recycle=True)
    buffers = [job.allocate(own.scratch.largest, np.uint8) for _ in range(17)]
    assert len({each.int_ptr for each in buffers}) == 17
    job.recycle()
    assert len(own.scratch.handles()) == 16 * own.scratch.largest // buffers[0].size
    assert own.scratch.release()
    assert own.scratch.handles() == set()
    assert not own.scratch.release()


def test_what_is_taken_makes_room_for_what_comes_back(own: Device) -> None:
    first = own.scratch.take(own.context, own.scratch.largest)
    buffer = first
    for _ in range(18):
        own.scratch.give_back(buffer)
        buffer = own.scratch.take(own.context, own.scratch.largest)
        assert buffer.int_ptr == first.int_ptr


def test_prepared_edges_go_back_when_nothing_needs_them(own: Device) -> None:
    job = Job(own, recycle=True)
    indptr, indices = np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)
    preparation = Preparation(job, indptr, indices, np.array([7, 9], np.int32), Arithmetic(np.dtype(np.int32)))
    edges = preparation.edges()
    preparation.close()
    job.recycle()
    handles = {edges.first_edge.int_ptr, edges.edges.int_ptr}
    assert not handles & own.scratch.handles()
    assert np.array_equal(job.download(edges.edges, 4, np.int32), [1, 7, 0, 9])
    del edges
    gc.collect()
    assert handles <= own.scratch.handles()


def test_ctrl_c_when_the_owner_of_buffers_ends(own: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """They serve the next all the same, or are freed."""
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: ignored.append(hook.exc_type))

    class Owner:
        pass

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    for is_taken in (True, False):
        owner, buffer = Owner(), own.scratch.take(own.context, SIZE)
        handle = buffer.int_ptr
        own.scratch.give_back_with(owner, buffer)
        del buffer
        with monkeypatch.context() as patch:
            patch.setattr(weakref.finalize, "__call__", pressed)
            del owner
            gc.collect()
        assert own.scratch.handles() == set()
        assert own.scratch.take(own.context, SIZE).int_ptr == handle if is_taken else own.scratch.release()
    assert ignored == [KeyboardInterrupt] * 2


def test_uploads_that_nothing_keeps_are_recycled(own: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "kind", "gpu")
    job, array = Job(own, recycle=True), np.arange(SIZE, dtype=np.int32)
    buffer = job.reads(array, keep=False)
    assert np.array_equal(job.download(buffer, SIZE, np.int32), array)
    job.recycle()
    assert own.scratch.handles() == {buffer.int_ptr}


def test_a_device_without_memory_first_gives_up_what_is_kept(own: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(own, recycle=True)
    job.allocate(SIZE, np.int32)
    job.recycle()
    make, failures = cl.Buffer, 0

    def full(*arguments: Any, **options: Any) -> cl.Buffer:
        nonlocal failures
        if own.scratch.handles():
            failures += 1
            record = cl._cl._ErrorRecord("planted", cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer")
            raise cl.MemoryError(record)
        return make(*arguments, **options)

    monkeypatch.setattr(cl, "Buffer", full)
    assert job.allocate(1 << 20, np.int32).size == 4 << 20
    assert failures == 1


def test_a_device_without_memory_that_has_nothing_to_give_up(own: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **options: Any) -> cl.Buffer:
        raise cl.MemoryError(cl._cl._ErrorRecord("planted", cl.status_code.OUT_OF_HOST_MEMORY, "clCreateBuffer"))

    monkeypatch.setattr(cl, "Buffer", full)
    with pytest.raises(reedsp.DeviceMemoryError, match=r"allocation of 4,000 bytes failed"):
        Job(own).allocate(1000, np.int32)


@pytest.mark.parametrize(("kind", "memory", "largest"), [("cpu", 1 << 40, 1 << 24), ("gpu", 1 << 36, 1 << 28)])
def test_how_large_the_largest_is(kind: str, memory: int, largest: int) -> None:
    assert Scratch(kind, memory).largest == largest


def test_a_signal_comes_while_memory_is_pinned(own: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its handler may ask for some, too: were that locked, it would wait for ever."""
    parts, pinned, handled = PinnedParts(own.queue), scratch.PinnedArray, list[PinnedArray]()

    def pin(*arguments: Any) -> PinnedArray:
        if not handled:
            handled.append(pinned(*arguments))
            asked = threading.Thread(target=lambda: handled.append(parts.take()), daemon=True)
            asked.start()
            asked.join(20)
        return pinned(*arguments)

    monkeypatch.setattr(scratch, "PinnedArray", pin)
    taken = parts.take()
    assert len(handled) == 2
    assert taken is not handled[1]


def test_memory_that_is_being_copied_is_not_lent(own: Device) -> None:
    parts = PinnedParts(own.queue)
    events, lent = [cl.UserEvent(own.context) for _ in range(8)], []
    for event in events:
        lent.append(parts.take())
        lent[-1].copied = event
        parts.give_back(lent[-1])
    assert len({id(each) for each in lent}) == 8
    threading.Timer(0.05, events[0].set_status, (cl.command_execution_status.COMPLETE,)).start()
    assert parts.take() is lent[0]  # there are no more than eight
    assert events[0].command_execution_status == cl.command_execution_status.COMPLETE
    assert parts.take() not in lent
    for event in events[1:]:
        event.set_status(cl.command_execution_status.COMPLETE)
    assert parts.take() is lent[1]
