"""Ctrl-C at random moments of long calls: no thread is left at work, and the same call then gives the same bytes.

    python -m tests.deep.interrupts [--signals 1000] [--calls NAME ...]

sends that many signals into each of some calls, on the device that REEDSP_DEVICE chooses. Each process takes some of
them: after a signal, or two or three that follow each other quickly, the same call is made again, until it ends; the
last call is interrupted, and the process ends with it. The exit status is 1 if a task is at work when a call has
raised, a call fails in another way or gives other bytes, or a process hangs or ends otherwise than by Ctrl-C.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import faulthandler
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import reedsp
import reedsp.cluster
from reedsp.device.discovery import get_device
from reedsp.system import threads

SIGNALS_A_PROCESS = 50
PATIENCE = 600.0  # seconds for a process
IN_A_ROW = 5  # interruptions of a call that begins from the beginning each time, before it is left alone once


def graph(n: int, degree: int, whole: bool) -> reedsp.Graph:
    rng = np.random.default_rng(1)
    ends = rng.integers(0, n, (2, degree * n))
    return reedsp.Graph.from_edges(n, *ends, rng.integers(1, 99, degree * n) if whole else rng.random(degree * n))


def digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()


def matrices(whole: bool, predecessors: bool = False, **options: Any) -> Callable[[Path], Callable[[], str]]:
    """Return what makes a call of Floyd-Warshall in memory."""

    def made(folder: Path) -> Callable[[], str]:
        problem = graph(800, 8, whole)

        def call() -> str:
            paths = reedsp.apsp(problem, "floyd-warshall", predecessors, **options)
            return digest(paths.dist, paths.pred if predecessors else ())

        return call

    return made


def several(**options: Any) -> Callable[[Path], Callable[[], str]]:
    return lambda folder: matrices(False, device=[get_device()] * 2, **options)(folder)


def files(whole: bool, predecessors: bool, devices: int = 1) -> Callable[[Path], Callable[[], str]]:
    """Return what makes a call whose results are files; they are deleted when they are complete."""

    def made(folder: Path) -> Callable[[], str]:
        problem, out = graph(800, 8, whole), folder / "y.npy"
        results = [out, *([out.with_suffix(".pred.npy")] if predecessors else [])]

        def call() -> str:
            try:
                reedsp.apsp(problem, "floyd-warshall", predecessors, out=out, device=[get_device()] * devices)
            except FileExistsError:  # the signal came when they were complete, or while they were deleted below
                present = set(folder.iterdir())
                assert present <= set(results), present
                if len(present) < len(results):
                    delete()
                    return call()
            found = digest(*map(np.load, results))
            delete()
            return found

        def delete() -> None:
            for each in results:
                each.unlink(missing_ok=True)

        return call

    return made


def searches(call: Callable[[reedsp.Graph], Any], n: int, degree: int) -> Callable[[Path], Callable[[], str]]:
    def made(folder: Path) -> Callable[[], str]:
        problem = graph(n, degree, True)
        return lambda: digest(call(problem))

    return made


def written(folder: Path) -> Callable[[], str]:
    problem, file = graph(12_000, 8, False), folder / "x.wel"

    def call() -> str:
        reedsp.write(problem, file, overwrite=True)
        return hashlib.sha256(file.read_bytes()).hexdigest()

    return call


def read(folder: Path) -> Callable[[], str]:
    file = folder / "x.wel"
    reedsp.write(graph(20_000, 8, False), file)

    def call() -> str:
        found = reedsp.read(file)
        return digest(found.indptr, found.indices, found.weights)

    return call


def product(folder: Path) -> Callable[[], str]:
    matrix = np.random.default_rng(1).random((900, 900))
    return lambda: digest(reedsp.min_plus_product(matrix, matrix))


def scan(folder: Path) -> Callable[[], str]:
    numbers = np.random.default_rng(1).integers(0, 99, 20_000_000)
    return lambda: digest(reedsp.inclusive_scan(numbers))


def sort(folder: Path) -> Callable[[], str]:
    numbers = np.random.default_rng(1).integers(0, 1 << 40, 5_000_000)
    return lambda: digest(reedsp.sort(numbers))


def streets(folder: Path) -> Callable[[], str]:
    """Contract a grid, and search in what is found."""
    side = 60
    place = np.arange(side * side).reshape(side, side)
    ends = [np.r_[place[:, :-1].ravel(), place[:-1].ravel()], np.r_[place[:, 1:].ravel(), place[1:].ravel()]]
    weights = np.random.default_rng(1).integers(1, 99, len(ends[0]))
    problem = reedsp.Graph.from_edges(side * side, *ends, weights, directed=False)
    return lambda: digest(reedsp.prepare(problem).sssp([0, 7, 99]).dist)


def flow(folder: Path) -> Callable[[], str]:
    problem = graph(40_000, 6, True)
    return lambda: digest(np.array([reedsp.maximum_flow(problem, 0, 1).value]))


def matching(folder: Path) -> Callable[[], str]:
    rng, n = np.random.default_rng(1), 200_000
    problem = reedsp.Graph.from_edges(2 * n, rng.integers(0, n, 3 * n), rng.integers(n, 2 * n, 3 * n))
    return lambda: digest(reedsp.maximum_matching(problem).column_of_row)


def workers(out: str) -> Callable[[Path], Callable[[], str]]:
    """Return what makes a call whose rows two threads write; they are deleted when they are complete."""

    def made(folder: Path) -> Callable[[], str]:
        problem, graphs = graph(20_000, 4, True), folder / "graphs"
        graphs.mkdir()
        file = folder / out

        def call() -> str:
            with (
                concurrent.futures.ThreadPoolExecutor(2) as pool,
                reedsp.cluster.Executor(pool, folder=graphs) as cluster,
            ):
                try:
                    cluster.sssp(problem, range(60), out=file)
                except FileExistsError:  # the signal came when it was complete
                    assert not file.with_name(f"{out}.partial").exists()
                found = digest(np.load(file))
            file.unlink()
            return found

        return call

    return made


CALLS: dict[str, Callable[[Path], Callable[[], str]]] = {
    "apsp out": files(False, False),
    "apsp predecessors out": files(True, True),
    "apsp two devices out": files(False, False, devices=2),
    "apsp memory_limit": matrices(False, memory_limit=14 << 20),
    "apsp two devices": several(),
    "apsp float": matrices(False),
    "apsp int": matrices(True, True),
    "johnson": searches(lambda problem: reedsp.apsp(problem, "johnson").dist, 1200, 3),
    "sssp": searches(lambda problem: reedsp.sssp(problem, list(range(10))).dist, 60_000, 5),
    "min_plus_product": product,
    "inclusive_scan": scan,
    "all_pairs_rows": searches(
        lambda problem: np.concatenate([rows for _, rows in reedsp.all_pairs_rows(problem)]), 1200, 3
    ),
    "distance_table": searches(
        lambda problem: reedsp.distance_table(problem, list(range(10)), list(range(99, 200))), 60_000, 5
    ),
    "distance_statistics": searches(lambda problem: reedsp.distance_statistics(problem, range(40)).farness, 40_000, 5),
    "distance_statistics two devices": searches(
        lambda problem: reedsp.distance_statistics(problem, range(40), device=[reedsp.get_device()] * 2).farness,
        *(40_000, 5),
    ),
    "sort": sort,
    "prepare": streets,
    "maximum_flow": flow,
    "betweenness": searches(lambda problem: reedsp.betweenness(problem, sources=list(range(40))).values, 40_000, 4),
    "maximum_matching": matching,
    "spanning_forest": searches(lambda problem: reedsp.spanning_forest(problem).ends, 400_000, 5),
    "connected_components": searches(
        lambda problem: reedsp.connected_components(problem, "strong").labels, 1_000_000, 4
    ),
    "rows of workers": workers("x.npy"),
    "write": written,
    "read": read,
}


class Interruptions:
    """Signals at random moments, whose handler raises as long as a call is being made."""

    def __init__(self, seed: int) -> None:
        self.raised = 0
        self._random = random.Random(seed)
        self._armed = False
        signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            self.raised += 1
            raise KeyboardInterrupt

    def during(self, call: Callable[[], str], seconds: float) -> str | None:
        """Return what a call returns into which signals are sent, or None if it is interrupted."""
        moments = [self._random.uniform(0, seconds)]
        moments += [self._random.uniform(0, 0.03) for _ in range(self._random.choice((0, 0, 0, 1, 2)))]

        def send() -> None:
            for moment in moments:
                time.sleep(moment)
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        found = None
        try:
            try:
                self._armed = True
                found = call()
                self._armed = False
            except KeyboardInterrupt:
                self._armed = False
        except KeyboardInterrupt:  # the next signal came before the line above
            self._armed = False
        sender.join()
        return found


class AtWork:
    """How many tasks of threads are under way."""

    def __init__(self) -> None:
        self._begun: list[int] = []
        self._ended: list[int] = []
        run = threads._Tasks._try

        def counted(tasks: threads._Tasks, number: int) -> None:
            thread = threading.get_ident()
            self._begun.append(thread)
            try:
                run(tasks, number)
            finally:
                self._ended.append(thread)

        threads._Tasks._try = counted  # type: ignore[method-assign]

    def count(self) -> int:
        """Return how many there are in other threads than this one, and forget those that have ended."""
        this = threading.get_ident()
        return sum(each != this for each in self._begun) - sum(each != this for each in self._ended)


def child(name: str, signals: int, seed: int) -> None:
    """Send signals into a call, print what came of it, and end by Ctrl-C."""
    faulthandler.dump_traceback_later(PATIENCE - 10, exit=True)
    at_work, interruptions = AtWork(), Interruptions(seed)
    with tempfile.TemporaryDirectory() as folder:
        call = CALLS[name](Path(folder))
        expected = call()
        started = time.perf_counter()
        assert call() == expected
        seconds = time.perf_counter() - started
        calls = in_a_row = 0
        while interruptions.raised < signals:
            found = interruptions.during(call, seconds) if in_a_row < IN_A_ROW else call()
            assert at_work.count() == 0, "a task is at work after the call"
            in_a_row = in_a_row + 1 if found is None else 0
            calls += found is not None
            assert found in (None, expected), "other bytes"
        while call() != expected or interruptions.during(call, seconds / 2) is not None:
            continue
        print(json.dumps({"signals": interruptions.raised, "calls": calls + 1, "seconds": seconds}), flush=True)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(seconds / 2, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            call()


def run(name: str, signals: int, seed: int) -> tuple[dict[str, Any], str]:
    """Return what a process of so many signals has printed, and what is wrong with it, if anything is."""
    command = [
        sys.executable,
        "-m",
        "tests.deep.interrupts",
        "--child",
        name,
        "--signals",
        str(signals),
        "--seed",
        str(seed),
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    told = json.loads(process.stdout) if process.stdout else {"signals": 0, "calls": 0, "seconds": 0}
    right = process.returncode == -signal.SIGINT and process.stdout and "terminate" not in process.stderr
    return told, "" if right else f"exit status {process.returncode}\n{process.stderr}"


def main() -> int:
    """Send signals into calls, and print how many each has survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=int, default=1000, help="for each call")
    parser.add_argument("--calls", nargs="+", choices=[*CALLS], default=[*CALLS], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", choices=[*CALLS], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.signals, arguments.seed)
    failures = 0
    for name in arguments.calls:
        signals = calls = processes = 0
        seconds = 0.0
        while signals < arguments.signals:
            count = min(SIGNALS_A_PROCESS, arguments.signals - signals)
            told, wrong = run(name, count, arguments.seed * 1000 + processes)
            processes += 1
            signals, calls, seconds = signals + told["signals"], calls + told["calls"], told["seconds"]
            if wrong:
                failures += 1
                print(f"{name}: {wrong}", flush=True)
                break
        print(f"{name:24}{seconds:6.2f} s {signals:6,} signals {calls:6,} calls {processes:4} processes", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
