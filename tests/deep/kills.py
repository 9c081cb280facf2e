"""Kill -9 at random moments of all pairs into files: the same command goes on, and ends in the same bytes.

    python -m tests.deep.kills [--kills 400] [--between 100]

kills processes that compute distances and predecessors, at random moments of the call and between the moments when the
one result and the other get their names; after each kill the same command is given again, until it ends. The exit
status is 1 if it fails, the bytes are others, or anything but the results is left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

VERTICES = 900
NAMES = ("y.npy", "y.pred.npy")


def child(folder: Path, between: bool) -> None:
    """Make the call; between the names of the two results, wait to be killed."""
    import numpy as np

    import reedsp
    from reedsp.device.discovery import get_device

    rng = np.random.default_rng(1)
    graph = reedsp.Graph.from_edges(VERTICES, *rng.integers(0, VERTICES, (2, 8 * VERTICES)), rng.random(8 * VERTICES))
    get_device().self_test()  # the driver takes its time
    link = os.link

    def linked(*arguments: Any, **options: Any) -> None:
        link(*arguments, **options)
        print("linked", flush=True)
        time.sleep(60)

    if between:
        os.link = linked
    print("ready", flush=True)
    try:
        reedsp.apsp(graph, "floyd-warshall", predecessors=True, out=folder / "y.npy")
    except FileExistsError:
        sys.exit(0 if {each.name for each in folder.iterdir()} == set(NAMES) else 1)  # killed when it was complete


def command(folder: Path, between: bool = False) -> subprocess.Popen[str]:
    """Begin the call, and return when it has begun."""
    arguments = [sys.executable, "-m", "tests.deep.kills", "--child", str(folder), *(["--stop"] if between else [])]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def killed(process: subprocess.Popen[str]) -> bool:
    """Kill a process, and return whether it had not ended before."""
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def main() -> int:
    """Kill calls, and compare what they end in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=400, help="at random moments")
    parser.add_argument("--between", type=int, default=100, help="between the names of the two results")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stop", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.stop)
        return 0
    rng, calls, at_random, between = random.Random(1), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = command(folder)
        started = time.perf_counter()
        process.communicate()
        seconds = time.perf_counter() - started
        expected = [(folder / each).read_bytes() for each in NAMES]
        while at_random < arguments.kills or between < arguments.between:
            for each in NAMES:
                (folder / each).unlink()
            for _ in range(rng.choice((1, 1, 2, 4)) if at_random < arguments.kills else 0):
                process = command(folder)
                time.sleep(rng.uniform(0, seconds))
                at_random += killed(process)
            if between < arguments.between and not any((folder / each).exists() for each in NAMES):
                process = command(folder, between=True)
                assert process.stdout is not None
                if process.stdout.readline():
                    between += killed(process)
            process = command(folder)
            process.communicate()
            calls += 1
            found = [(folder / each).read_bytes() for each in NAMES if (folder / each).exists()]
            if process.returncode or found != expected or {each.name for each in folder.iterdir()} != set(NAMES):
                print(f"exit status {process.returncode}; {sorted(each.name for each in folder.rglob('*'))}")
                return 1
            random_moments = f"{at_random} kills at random moments of {seconds:.2f} s"
            print(f"{random_moments}, {between} between the results: {calls} right answers", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
