"""Launches are described to those who listen, in order and as they were, and to nobody else."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.device.dispatch import Slices
from reedsp.device.job import BoundKernel, Job, Launched, recording


def scan(device: Device) -> list[int]:
    return reedsp.inclusive_scan(np.array([3, 1, 7], np.int32), method="naive", device=device).tolist()  # type: ignore[no-any-return]


def bound(device: Device, n: int = 5) -> tuple[Job, BoundKernel, Any]:
    """Return a kernel that reads two elements of each and writes."""
    job = Job(device)
    kernel = device.kernel("primitives/heads.cl", "clear", INDEX="ulong")
    marks = job.full(n, np.uint32(7))
    return job, job.bind(kernel, n, 1, marks, np.uint64(n)), marks


def test_a_launch_is_described(device: Device) -> None:
    job, kernel, marks = bound(device)
    found: list[Launched] = []
    with recording(found.append):
        kernel.queue()
    [launched] = found
    assert launched.job is job
    assert (launched.kernel.file, launched.kernel.name) == ("primitives/heads.cl", "clear")
    assert launched.kernel.macros == {"INDEX": "ulong"}
    assert (launched.global_size, launched.local_size) == ((5,), (1,))
    assert launched.arguments == (marks, np.uint64(5))
    assert launched.buffers == {0: marks}


def test_a_launch_that_is_cut_has_an_event_for_each_dispatch(device: Device) -> None:
    job, kernel, marks = bound(device)
    cut = job.bind(kernel._kernel, 5, 1, marks, np.uint64(5), slices=Slices(0, (2, 4, 5), 2))
    found: list[Launched] = []
    with recording(found.append):
        kernel.queue()
        cut.queue()
    assert [len(launched.events) for launched in found] == [1, 3]
    assert found[1].events[-1] == job.last
    assert len({event.int_ptr for launched in found for event in launched.events}) == 4
    job.finish()
    assert found[1].read(0).view(np.uint32)[:5].tolist() == [0] * 5


def test_what_it_has_left_can_be_read(device: Device) -> None:
    job, kernel, _ = bound(device)
    rows = []
    with recording(lambda launched: rows.append(launched.read(0).view(np.uint32)[:5].tolist())):
        kernel.queue()
        kernel.set("words", np.uint64(0))
        job.fill(kernel._args[0], 5, np.uint32(3))  # type: ignore[arg-type]
        kernel.queue()
    assert rows == [[0] * 5, [3] * 5]
    assert job.bytes_from_device == 0


def test_memory_of_the_host_can_be_read(device: Device) -> None:
    found: list[Any] = []
    values = np.arange(1000, dtype=np.int32)

    def keep(launched: Launched) -> None:
        for position in launched.buffers:
            found.append(launched.read(position).tobytes())

    with recording(keep):
        assert reedsp.reduce(values, device=device) == values.sum()
    assert any(each[: values.nbytes] == values.tobytes() for each in found)


def test_arguments_are_those_of_the_launch(device: Device) -> None:
    _, kernel, _ = bound(device)
    found: list[Launched] = []
    with recording(found.append):
        kernel.queue()
        kernel.set("words", np.uint64(2))
        kernel.queue()
    assert [launched.arguments[1] for launched in found] == [5, 2]


def test_nothing_is_described_before_or_after(device: Device) -> None:
    _, kernel, _ = bound(device)
    found: list[Launched] = []
    kernel.queue()
    with recording(found.append):
        pass
    kernel.queue()
    assert not found


def test_contexts_are_nested(device: Device) -> None:
    _, kernel, _ = bound(device)
    calls: list[str] = []
    with recording(lambda launched: calls.append("outer")):
        with recording(lambda launched: calls.append("inner")):
            kernel.queue()
        kernel.queue()
    assert calls == ["outer", "inner", "outer"]


def test_an_error_ends_the_recording(device: Device) -> None:
    _, kernel, _ = bound(device)
    found: list[Launched] = []

    def fail(launched: Launched) -> None:
        found.append(launched)
        raise KeyError(launched.kernel.name)

    with pytest.raises(KeyError, match="clear"), recording(fail):
        kernel.queue()
    kernel.queue()
    assert len(found) == 1


def test_launches_of_the_function_itself_are_not_described(device: Device) -> None:
    _, kernel, _ = bound(device)
    _, other, _ = bound(device)
    found: list[Launched] = []

    def keep(launched: Launched) -> None:
        found.append(launched)
        other.queue()

    with recording(keep):
        kernel.queue()
        kernel.queue()
    assert len(found) == 2


def test_other_threads_are_not_listened_to(device: Device) -> None:
    found: list[list[str]] = [[], []]
    barrier = threading.Barrier(2)

    def call(number: int) -> None:
        with recording(lambda launched: found[number].append(launched.kernel.name)):
            barrier.wait(60)
            scan(device) if number else reedsp.sort(np.array([3, 1, 2], np.int32), device=device)
            barrier.wait(60)

    scan(device)
    reedsp.sort(np.array([3, 1, 2], np.int32), device=device)  # what is tried at first is over
    threads = [threading.Thread(target=call, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[1] == ["copy_elements", "add_earlier", "add_earlier", "store_prefixes"]
    assert found[0]
    assert not set(found[0]) & set(found[1])


def test_cut_launches_are_described_once(device: Device) -> None:
    from reedsp.device.dispatch import Slices

    job = Job(device)
    kernel = device.kernel("primitives/heads.cl", "clear", INDEX="ulong")
    cut = Slices(0, (2, 4, 5), 1)
    found: list[Launched] = []
    with recording(found.append):
        job.bind(kernel, 5, 1, job.full(5, np.uint32(7)), np.uint64(5), slices=cut).queue()
    assert len(found) == 1
    assert job.kernels_launched == 3
    assert found[0].read(0).view(np.uint32)[:5].tolist() == [0] * 5
