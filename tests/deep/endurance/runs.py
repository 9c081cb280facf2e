"""Rounds of calls in threads, while devices fail and Ctrl-C is pressed, and what is left after each."""

from __future__ import annotations

import contextlib
import gc
import itertools
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np
import pyopencl as cl
import scipy.sparse

import reedsp
import reedsp.csgraph
from experiments.lib.results import conditions
from reedsp.device.device import Device
from tests.deep.soak import ALLOWED, left_over, resident
from tests.device.failing_device import KINDS, failure
from tests.support.calls import CALLS, made_graph

WARM_UP = 3
"""Rounds after which nothing is new any more."""
_DISTURBED = 0.1
"""Of the calls: that part meets a failure of the device, and of those of the main thread Ctrl-C."""
_LONGEST = 0.05
"""Seconds after which Ctrl-C is pressed, at most."""

Call = Callable[[], Any]


class WrongError(Exception):
    """What must not be."""


# ---- calls ------------------------------------------------------------------------------------------


def calls_of(device: Device) -> dict[str, Call]:
    """Return calls by their names: those of one thread each, and those on what all threads share."""
    graph, negative = made_graph(lightest=1), made_graph(negative=True)
    pairs = scipy.sparse.csr_array(np.where(np.arange(900).reshape(30, 30) % 7 < 2, 3 + np.arange(30), 0))
    costs = np.arange(900).reshape(30, 30) * 7919 % 101 + 1
    prepared = reedsp.prepare(made_graph(lightest=1), device=device)
    shared: dict[str, Call] = {
        "sssp of a shared graph": lambda: reedsp.sssp(graph, [3, 5, 8], device=device).pred,
        "sssp of shared negative weights": lambda: reedsp.sssp(negative, 3, device=device).dist,
        "bfs of a shared graph": lambda: reedsp.bfs(graph, 5, device=device).levels,
        "apsp of a shared graph": lambda: reedsp.apsp(graph, predecessors=True, device=device).pred,
        "distance_table of a shared graph": lambda: reedsp.distance_table(graph, [1, 2], [3, 4], device=device),
        "sums of distances of a shared graph": lambda: reedsp.distance_statistics(graph, device=device).farness,
        "components of a shared graph": lambda: reedsp.connected_components(graph, "strong", device=device).labels,
        "forest of a shared graph": lambda: reedsp.spanning_forest(negative, device=device).ends,
        "matching of a shared matrix": lambda: reedsp.maximum_matching(pairs, device=device).row_of_column,
        "full matching of shared costs": lambda: reedsp.full_matching(costs, device=device).columns,
        "flow of a shared graph": lambda: reedsp.maximum_flow(graph, 3, 5, device=device).value,
        "a prepared graph that is shared": lambda: prepared.sssp([3, 7]).dist,
        "sort": lambda: reedsp.sort(np.arange(3000)[::-1] % 700, device=device),
        "csgraph.dijkstra": lambda: reedsp.csgraph.dijkstra(pairs, indices=[0, 3]),
    }
    return shared | {name: lambda call=call: call(device) for name, call in CALLS.items()}


def expected_of(calls: dict[str, Call]) -> dict[str, Any]:
    """Return the answer of each call, which are told apart from others by their bytes."""
    return {name: np.array(call()) for name, call in calls.items()}


# ---- what is done to them ---------------------------------------------------------------------------


class Failures:
    """Failures of the device, each in a call of one thread."""

    def __init__(self) -> None:
        self._of_thread = threading.local()
        buffer = cl.Buffer

        class Buffer(buffer):  # type: ignore[misc, valid-type]
            """One that may not be given."""

            def __init__(self, *arguments: Any, **options: Any) -> None:
                strike("Buffer")
                super().__init__(*arguments, **options)

        strike = self._strike
        cl.Buffer = Buffer  # type: ignore[misc]
        for name in KINDS:
            if name != "Buffer":
                setattr(cl, name, self._failing(name, getattr(cl, name)))

    def _failing(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self._strike(name)
            return work(*arguments, **options)

        return call

    def _strike(self, name: str) -> None:
        chosen, left = getattr(self._of_thread, "next", (None, 0))
        if chosen == name:
            self._of_thread.next = (chosen, left - 1) if left else (None, 0)
            if not left:
                self._of_thread.struck = True
                raise failure(*KINDS[name])

    @contextlib.contextmanager
    def planted(self, rng: random.Random) -> Iterator[Callable[[], bool]]:
        """Have one of the next commands of this thread fail; what is lent says whether one has."""
        self._of_thread.next, self._of_thread.struck = (rng.choice([*KINDS]), rng.randrange(12)), False
        try:
            yield lambda: self._of_thread.struck
        finally:
            self._of_thread.next = None, 0


class Signals:
    """Ctrl-C, which the main thread hears while it makes a call."""

    def __init__(self) -> None:
        self._armed = False
        signal.signal(signal.SIGALRM, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            self._armed = False
            raise KeyboardInterrupt

    def during(self, call: Call, seconds: float) -> Any:
        """Return what a call returns, or None if it is interrupted."""
        try:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, seconds)
            found = call()
            self._armed = False
        except KeyboardInterrupt:
            return None
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        return found


# ---- rounds -----------------------------------------------------------------------------------------


@dataclass
class Run:
    """Threads that make calls.

    Parameters
    ----------
    device : Device
    threads : int
    seed : int
    """

    device: Device
    threads: int
    seed: int
    calls: dict[str, Call] = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.calls = calls_of(self.device)
        self._expected = expected_of(self.calls)
        self._failures, self._signals = Failures(), Signals()
        self._ends = 0.0
        self._counting = threading.Lock()

    def round(self, number: int, seconds: float) -> None:
        """Have all threads make calls for some seconds, and wait for their end."""
        self._ends = time.monotonic() + seconds
        others = [threading.Thread(target=self._work, args=(number, each)) for each in range(1, self.threads)]
        for each in others:
            each.start()
        self._work(number, 0)
        for each in others:
            each.join()

    def _work(self, number: int, thread: int) -> None:
        rng = random.Random(f"{self.seed} {number} {thread}")
        found: Counter[str] = Counter()
        names = [*self.calls]
        while time.monotonic() < self._ends and not self.wrong:
            name = rng.choice(names)
            try:
                found[self._made(name, rng, is_main=thread == 0)] += 1
            except Exception as error:
                self.wrong.append(f"{name}: {type(error).__name__}: {error}")
        with self._counting:
            self.counts += found

    def _made(self, name: str, rng: random.Random, is_main: bool) -> str:
        """Make a call, and return what came of it."""
        call = self.calls[name]
        if is_main and rng.random() < _DISTURBED:
            answer = self._signals.during(call, rng.uniform(1e-4, _LONGEST))
            if answer is None:
                return "interrupted"
        elif rng.random() < _DISTURBED:
            with self._failures.planted(rng) as struck:
                try:
                    answer = call()
                except reedsp.DeviceError:
                    if not struck():
                        raise
                    return "failed"
        else:
            answer = call()
        if not np.array_equal(np.array(answer), self._expected[name]):
            raise WrongError("the answer has changed")
        return "right"


def rounds(run: Run, seconds: float, hours: float, piece: int) -> Iterator[dict[str, Any]]:
    """Yield what there is after each round.

    Raises
    ------
    WrongError
        Something is as it must not be.
    """
    began, before, most = time.monotonic(), 0, 0
    for number in itertools.count():
        run.round(number, seconds)
        if run.wrong:
            raise WrongError("; ".join(run.wrong))
        buffers = left_over(run.device)
        gc.collect()
        if number < WARM_UP:
            before, most = resident(), max(most, buffers)
        growth = resident() - before
        elapsed = (time.monotonic() - began) / 3600
        yield {
            "piece": piece,
            "hours": round(elapsed, 4),
            "threads": run.threads,
            "seed": run.seed,
            **{name: run.counts[name] for name in ("right", "failed", "interrupted")},
            "growth_mib": round(growth / 2**20, 2),
            "buffers": buffers,
            **conditions(run.device),
        }
        if growth > ALLOWED:
            raise WrongError(f"the process has grown by {growth / 2**20:.2f} MiB")
        if buffers > most:
            raise WrongError(f"{buffers} buffers are left, and {most} after the first rounds")
        if elapsed >= hours:
            return
