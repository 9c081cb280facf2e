"""Distances that are left on the device."""

from __future__ import annotations

import doctest
import functools
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.algorithms.single_source import on_device
from tests.support.small_graphs import graph_of


@pytest.mark.parametrize("kind", ["zero and small", "fractional", "unit", "undirected"])
@pytest.mark.parametrize("seed", range(5))
def test_the_distances_are_those_of_sssp(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, _ = graph_of(kind, seed)
    for source in (0, list(range(graph.n)), [0, 0]):
        there = reedsp.distances_on_device(graph, source, device=device)
        expected = reedsp.sssp(graph, source, dtype=there.dtype, device=device).dist
        assert there.dtype == (np.float64 if kind == "fractional" and not graph.has_integral_weights else np.int32)
        assert np.array_equal(there.get(), expected)


def test_wide_and_narrow_numbers(device: reedsp.Device) -> None:
    whole = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**40, 5])
    assert reedsp.distances_on_device(whole, 0, device=device).get().tolist() == [0, 2**40, 2**40 + 5]
    halves = reedsp.Graph.from_edges(3, [0], [1], [0.5])
    there = reedsp.distances_on_device(halves, 0, dtype="float32", device=device)
    assert there.dtype == np.float32
    assert there.get().tolist() == [0, 0.5, np.inf]


@pytest.mark.deep("on the device")
@pytest.mark.parametrize("method", ["on the device", "near-far", "bellman-ford", "dijkstra-heap"])
def test_distances_beyond_int64_are_named(method: Any, device: reedsp.Device) -> None:
    """By the first source that one is too far from, and the first vertex that is."""
    graph = reedsp.Graph.from_edges(5, [0, 1, 1, 0], [1, 3, 2, 4], [2**62, 2**62, 2**62, 5], labels=list("abcde"))
    solve = functools.partial(reedsp.sssp, method=method, dtype="int64")
    with pytest.raises(OverflowError, match=r"^graph: the distance from vertex 'a' to vertex 'c' is beyond int64$"):
        (reedsp.distances_on_device if method == "on the device" else solve)(graph, ["b", "a"], device=device)
    if method in ("near-far", "dijkstra-heap"):
        with pytest.raises(OverflowError, match="the distance from the nearest source to vertex 'c' is beyond int64"):
            solve(graph, ["e", "a"], device=device, min_only=True)


def test_a_target_beyond_int64_is_named(device: reedsp.Device) -> None:
    """By the row in which it is that far, though in others there is less to be known."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 3], [1, 2, 1], [2**62, 2**62, 1])
    with pytest.raises(OverflowError, match=r"^graph: the distance from vertex 0 to vertex 2 is beyond int64$"):
        reedsp.sssp(graph, [3, 0], "near-far", target=2, dtype="int64", device=device)
    found = reedsp.sssp(graph, [3, 1], "near-far", target=2, dtype="int64", device=device)
    assert found.dist[:, 2].tolist() == [2**62 + 1, 2**62]


@pytest.mark.deep
def test_a_queue_of_the_user(device: reedsp.Device) -> None:
    context = cl.Context([device.handle])
    graph = reedsp.Graph.from_edges(1000, np.arange(999), np.arange(1, 1000))
    for properties in 20 * (0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE):
        queue = cl.CommandQueue(context, device.handle, properties)
        there = reedsp.distances_on_device(graph, 0, queue=queue)
        assert there.context == context
        assert there.queue == queue
        assert np.array_equal(there.get(), np.arange(1000))
        assert np.array_equal(there.copy()[3:].get(), np.arange(3, 1000))


@pytest.mark.parametrize(
    "function", [lambda graph, **named: reedsp.distances_on_device(graph, 0, **named), reedsp.all_pairs_on_device]
)
def test_the_device_of_the_environment_is_looked_up_each_time(
    function: Any, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [1])
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    function(graph)
    function(graph, device=device.index)
    monkeypatch.setenv("REEDSP_DEVICE", "none of this name")
    with pytest.raises(reedsp.DeviceError, match="none of this name"):
        function(graph)
    with pytest.raises(TypeError, match=r"^device"):
        function(graph, device=[0])
    with pytest.raises(TypeError, match=r"^device"):
        function(graph, device=float(device.index))


def test_arguments(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [-1])
    with pytest.raises(ValueError, match="not negative"):
        reedsp.distances_on_device(graph, 0, device=device)
    graph = reedsp.Graph.from_edges(2, [0], [1], [1])
    with pytest.raises(ValueError, match=r"source\[1\] = 2"):
        reedsp.distances_on_device(graph, [0, 2], device=device)
    with pytest.raises(ValueError, match="device: the queue"):
        reedsp.distances_on_device(graph, 0, queue=device.queue, device=device)
    with pytest.raises(TypeError, match=r"^queue: expected a pyopencl.CommandQueue, got int$"):
        reedsp.distances_on_device(graph, 0, queue=5)  # type: ignore[arg-type]
    assert reedsp.distances_on_device(graph, [], device=device).shape == (0, 2)
    huge = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**62, 2**62])
    with pytest.raises(OverflowError):
        reedsp.distances_on_device(huge, 0, device=device)


def test_docstring_example(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    assert doctest.testmod(on_device, raise_on_error=True).attempted == 5
