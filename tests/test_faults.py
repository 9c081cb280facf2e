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
from reedsp import kernels
from reedsp.device import Device

MEMORY = (cl.MemoryError, "MEM_OBJECT_ALLOCATION_FAILURE")
LOST = (cl.RuntimeError, "OUT_OF_RESOURCES")
ROUTINES = ("enqueue_nd_range_kernel", "enqueue_copy", "enqueue_fill_buffer", "enqueue_map_buffer")
EVERY_ONE = 12
"""Faults of which each is planted; later ones are taken ever farther apart."""


def failure(kind: type[cl.Error], code: str) -> cl.Error:
    """Return an error as pyopencl raises it."""
    return kind(cl._cl._ErrorRecord(msg="planted", code=getattr(cl.status_code, code), routine="clPlanted"))


def made_graph(negative: bool = False) -> reedsp.Graph:
    """Return a graph that nothing is derived of yet."""
    rng = np.random.default_rng(3)
    heights = rng.integers(0, 40, 90) if negative else np.zeros(90, np.int64)
    sources, targets = rng.integers(0, 90, (2, 400))
    return reedsp.Graph.from_edges(90, sources, targets, rng.integers(0, 30, 400) + heights[sources] - heights[targets])


def solved(method: str, **options: Any) -> Callable[[Device], Any]:
    return lambda device: reedsp.sssp(made_graph(), [3, 5], method, device=device, **options).dist


def all_pairs(method: str, negative: bool = False, **options: Any) -> Callable[[Device], Any]:
    return lambda device: reedsp.apsp(made_graph(negative), method, device=device, **options).dist


def verified(device: Device) -> Any:
    paths = reedsp.sssp(made_graph(), 3, device=device)
    return paths.dist if paths.verify() else None


NUMBERS = np.arange(5000, dtype=np.int64)[::-1].copy()
MATRIX = np.arange(80 * 80).reshape(80, 80) % 77
CALLS: dict[str, Callable[[Device], Any]] = {
    **{f"sssp {method}": solved(method) for method in ("near-far", "output-parallel", "input-parallel")},
    "sssp input-parallel-refined": solved("input-parallel-refined"),
    "sssp near-far in groups": solved("near-far", options={"work_groups": True}),
    "sssp min_only": solved("near-far", min_only=True),
    "verify": verified,
    "bfs": lambda device: reedsp.bfs(made_graph(), 3, device=device).levels,
    **{f"apsp {method}": all_pairs(method) for method in ("floyd-warshall", "min-plus", "johnson")},
    "apsp with predecessors": all_pairs("floyd-warshall", predecessors=True),
    "apsp of negative weights": all_pairs("johnson", negative=True),
    "apsp marking": all_pairs("floyd-warshall", negative=True, negative_cycles="mark"),
    "min_plus_product": lambda device: reedsp.min_plus_product(MATRIX, MATRIX, device=device),
    "min_plus_power": lambda device: reedsp.min_plus_power(MATRIX, 3, device=device),
    "reduce": lambda device: reedsp.reduce(NUMBERS, device=device),
    "inclusive_scan": lambda device: reedsp.inclusive_scan(NUMBERS, device=device),
    "exclusive_scan blelloch": lambda device: reedsp.exclusive_scan(NUMBERS, method="blelloch", device=device),
    "segmented_scan": lambda device: reedsp.segmented_scan(NUMBERS, NUMBERS % 7 == 0, device=device),
    "compact": lambda device: reedsp.compact(NUMBERS, NUMBERS % 3 == 0, device=device),
}


@pytest.fixture(autouse=True)
def tried_before(device: Device) -> None:
    """What is tried once per machine is tried before faults are planted."""
    for call in CALLS.values():
        call(device)


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
        spare = {buffer.int_ptr for buffers in device._scratch.values() for buffer in buffers}
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
    assert passing > 0 or routine not in ("Buffer", "enqueue_nd_range_kernel")


@pytest.mark.parametrize("name", CALLS)
def test_73_every_failed_build(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    call, build, passing = CALLS[name], kernels.build, 0
    expected = call(device)
    for passing in itertools.count():
        own, built = Device(device.index, device.handle), 0

        def fail(*arguments: Any) -> Any:
            nonlocal built
            built += 1
            if built == passing + 1:  # noqa: B023 - called in this turn only
                raise kernels.KernelBuildError("planted")
            return build(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(kernels, "build", fail)
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
