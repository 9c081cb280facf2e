"""How long the kernels of large calls keep a device, and the calls keep Ctrl-C waiting.

    python -m tests.deep.dispatches [--device pocl] [--vertices N] [--edges M] [--side S] [--whole] [NAME ...]

runs each call twice, the first time to build its kernels, and prints its longest dispatch, by the device's own clock,
and its longest wait: while Python is in a function of OpenCL, Ctrl-C has no effect. NAME is the start of a call's name.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyopencl as cl

import reedsp
from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.algorithms.all_pairs.lund_smith import LADDER
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import recording
from reedsp.minplus.product import METHODS

_TICK = 0.002  # seconds
_WEIGHTS = {"int32": 100, "float64": 1.0}

Call = Callable[[Device], Any]


class Dispatches:
    """Times of all dispatches while it is active."""

    def __init__(self) -> None:
        self._events: list[tuple[str, cl.Event]] = []

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Keep the event of each dispatch, for as long as the context lasts."""
        with recording(lambda launched: self._events.extend((launched.kernel.name, each) for each in launched.events)):
            yield

    def by_kernel(self) -> dict[str, list[float]]:
        """Return the milliseconds of the dispatches of each kernel."""
        times = defaultdict(list)
        for name, event in self._events:
            times[name].append((event.profile.end - event.profile.start) / 1e6)
        return dict(times)


class Waits:
    """The longest time for which Python could not run the handler of a signal."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Have a timer interrupt Python, for as long as the context lasts."""
        before = signal.signal(signal.SIGALRM, lambda *_: self._note())
        self._last = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _note(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


def calls(vertices: int, edges: int, side: int) -> Iterator[tuple[str, Call]]:
    """Yield calls whose kernels have much to do, by name."""
    rng = np.random.default_rng(5)
    for dtype, unit in _WEIGHTS.items():
        matrix = (rng.random((side, side)) * 100 * unit).astype(dtype)
        yield from _matrix_calls(dtype, matrix)
        ends = (np.minimum(*rng.random((2, 2, edges))) * vertices).astype(np.int32)  # some vertices have more edges
        weights = (rng.random(edges) * 100 * unit).astype(dtype)
        yield from _graph_calls(dtype, reedsp.Graph.from_edges(vertices, *ends, weights))
    heights = rng.integers(0, 1000, vertices)
    negative = (rng.integers(0, 100, edges) + heights[ends[0]] - heights[ends[1]]).astype(np.int64)
    yield from _graph_calls("negative", reedsp.Graph.from_edges(vertices, *ends, negative))
    numbers = rng.integers(0, 100, 4 * edges).astype(np.int32)
    heads = numbers < 5
    yield "inclusive_scan", lambda device: reedsp.inclusive_scan(numbers, device=device)
    yield "segmented_scan", lambda device: reedsp.segmented_scan(numbers, heads, "min", device=device)
    yield "compact", lambda device: reedsp.compact(numbers, heads, device=device)


def _matrix_calls(dtype: str, matrix: np.ndarray) -> Iterator[tuple[str, Call]]:
    for method in METHODS:
        yield (
            f"product {dtype} {method}",
            lambda device, method=method: reedsp.min_plus_product(matrix, matrix, method, device=device),
        )
    yield f"apsp {dtype} fast", lambda device: apsp(matrix, "floyd-warshall", predecessors=True, device=device)
    for kernel in LADDER:
        yield (
            f"apsp {dtype} {kernel}",
            lambda device, kernel=kernel: apsp(matrix, "floyd-warshall", options={"kernel": kernel}, device=device),
        )


def _graph_calls(dtype: str, graph: reedsp.Graph) -> Iterator[tuple[str, Call]]:
    negative = graph.has_negative_weights
    for method in ("output-parallel", "input-parallel", "input-parallel-refined", *(["near-far"] * (not negative))):
        yield (
            f"sssp {dtype} {method}",
            lambda device, method=method: reedsp.sssp(graph, 0, method, device=device),
        )
    yield f"verify {dtype}", lambda device: reedsp.sssp(graph, 0, device=device).verify()
    yield f"bfs {dtype}", lambda device: reedsp.bfs(graph, 0, device=device)
    yield f"betweenness {dtype}", lambda device: reedsp.betweenness(graph, range(4), device=device)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--device")
    parser.add_argument("--vertices", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=16_000_000)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument(
        "--whole", action="store_true", help="never cut a launch into dispatches, nor wait between them"
    )
    given = parser.parse_args()
    chosen = get_device(given.device)
    handle = chosen.handle
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    device = Device(0, handle, cl.CommandQueue(cl.Context([handle]), handle, properties=profiling))
    device.steps_at_once = sys.maxsize if given.whole else chosen.steps_at_once
    for name, call in calls(given.vertices, given.edges, given.side):
        if not given.names or name.startswith(tuple(given.names)):
            call(device)
            dispatches, waits = Dispatches(), Waits()
            started = time.perf_counter()
            with dispatches.recorded(), waits.watched():
                call(device)
            seconds = time.perf_counter() - started
            print(f"{name}: {seconds:.2f} s, longest wait {1e3 * waits.longest:.0f} ms")
            times = dispatches.by_kernel()
            for kernel, each in sorted(times.items(), key=lambda item: -max(item[1]))[:3]:
                print(f"    {kernel:<28} {len(each):>6} dispatches, longest {max(each):8.2f} ms", flush=True)


if __name__ == "__main__":
    main()
