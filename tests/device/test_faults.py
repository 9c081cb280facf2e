"""Whatever the device refuses, and whenever: the documented error, no memory kept, and a right answer the next time."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from scipy.sparse import csgraph

import reedsp
from reedsp.device import build as device_build
from reedsp.device.device import Device
from reedsp.device.memory.scratch import Scratch
from tests.device.failing_device import KINDS, LOST, MEMORY, failure
from tests.support.calls import CALLS, MATRIX, NUMBERS, made_graph

ROUTINES = [name for name in KINDS if name != "Buffer"]
EVERY_ONE = 12
"""Faults of which each is planted; later ones are taken ever farther apart."""


_tried: set[Device] = set()


pytestmark = pytest.mark.usefixtures("nothing_else_is_collected")


@pytest.fixture(autouse=True)
def tried_before(device: Device) -> None:
    """What is tried once per machine is tried before faults are planted."""
    if device not in _tried:
        for call in CALLS.values():
            call(device)
        _tried.add(device)


class Faults:
    """Let some calls of a routine pass, and fail the next one; and know which buffers live.

    Attributes
    ----------
    left : int
        Calls that pass.
    planted : bool
        Whether one has failed.
    """

    def __init__(self) -> None:
        self.left = 0
        self.planted = True
        self.buffers: weakref.WeakSet[cl.Buffer] = weakref.WeakSet()

    def arm(self, passing: int) -> None:
        self.left, self.planted = passing, False

    def strike(self, error: tuple[type[cl.Error], str]) -> None:
        if not self.planted:
            if self.left == 0:
                self.planted = True
                raise failure(*error)
            self.left -= 1

    def kept(self, device: Device) -> int:
        """Return the buffers that live, without those that the device keeps for later jobs."""
        gc.collect()
        spare = device.scratch.handles()
        if device._pinned is not None:
            spare |= {part._buffer.int_ptr for part in device._pinned._free}
        return len({buffer.int_ptr for buffer in self.buffers} - spare)


@contextmanager
def planted(routine: str, patch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Plant faults in a routine of OpenCL, or in the making of buffers."""
    faults, make = Faults(), cl.Buffer

    class Buffer(make):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            if routine == "Buffer":
                faults.strike(MEMORY)
            super().__init__(*arguments, **options)
            faults.buffers.add(self)

    with patch.context() as own:
        own.setattr(cl, "Buffer", Buffer)
        own.setattr(Scratch, "release", lambda scratch: False)  # after which a job tries once more
        if routine != "Buffer":
            work = getattr(cl, routine)

            def strike(*arguments: Any, **options: Any) -> Any:
                faults.strike(LOST)
                return work(*arguments, **options)

            own.setattr(cl, routine, strike)
        yield faults


def numbers() -> Iterator[int]:
    """Yield which call is to fail, each of the first ones and fewer later."""
    yield from range(EVERY_ONE)
    yield from (EVERY_ONE + round(1.5**step) for step in itertools.count(2))


def complaint(call: Callable[[Device], Any], device: Device, kind: type[Exception]) -> str | None:
    """Return how a call fails, which it may in one way only."""
    try:
        call(device)
    except kind as error:
        return str(error)
    return None


@pytest.mark.deep
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("routine", ["Buffer", *ROUTINES])
def test_76_77_every_fault(routine: str, name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    call, kind = CALLS[name], reedsp.DeviceMemoryError if routine == "Buffer" else reedsp.DeviceError
    expected = call(device)
    own = Device(device.index, device.handle)  # with buffers of its own
    with planted(routine, monkeypatch) as faults:
        for passing in numbers():
            faults.arm(passing)
            message = complaint(call, own, kind)
            assert (message is not None) == faults.planted
            faults.planted = True
            assert faults.kept(own) == 0
            if message is None:
                break
            assert str(device) in message
            assert "planted" in message
            assert np.array_equal(call(own), expected)
            assert faults.kept(own) == 0
    needs_none = routine == "Buffer" and device.sees_host_memory  # where arrays of the host are used in place
    assert passing > 0 or needs_none or routine not in ("Buffer", "enqueue_nd_range_kernel")


@pytest.mark.deep
@pytest.mark.parametrize("name", CALLS)
def test_73_every_failed_build(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    call, build, passing = CALLS[name], device_build.build, 0
    expected = call(device)
    for passing in itertools.count():
        own, built = Device(device.index, device.handle), 0

        def fail(*arguments: Any) -> Any:
            nonlocal built
            built += 1
            if built == passing + 1:  # noqa: B023 - called in this turn only
                raise device_build.KernelBuildError("planted")
            return build(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(device_build, "build", fail)
            message = complaint(call, own, reedsp.DeviceError)
        if message is None:
            assert built <= passing
            break
        assert message == "planted"
        assert np.array_equal(call(own), expected)
    assert passing > 0


def test_the_right_answers_are_right(device: Device) -> None:
    """What the calls are compared with is not taken on trust."""
    matrix = made_graph().to_scipy()
    right = csgraph.dijkstra(matrix, indices=[3, 5])
    for name, call in CALLS.items():
        if name.startswith("sssp") and "min_only" not in name:
            assert np.array_equal(call(device), right), name
    assert np.array_equal(CALLS["sssp min_only"](device), right.min(axis=0))
    for method in ("floyd-warshall", "min-plus", "johnson"):
        assert np.array_equal(CALLS[f"apsp {method}"](device), csgraph.floyd_warshall(matrix))
    assert np.array_equal(CALLS["min_plus_product"](device), (MATRIX[:, :, None] + MATRIX).min(axis=1))
    assert np.array_equal(CALLS["inclusive_scan"](device), np.cumsum(NUMBERS))
