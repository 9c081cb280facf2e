"""Kills processes of clusters while they write: a worker, all of them, the scheduler, the client or everything."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.deep.kills.calls import graph
from tests.deep.kills.processes import MODULE, PATIENCE, Processes, WrongError, emptied, read_until

_WORKERS = 2
_LOST = 3
"""Exit status of a call that says that what ran its tasks is lost."""


@dataclass(frozen=True)
class Case:
    """What is killed.

    Attributes
    ----------
    kills : int
        How many times by default.
    victim : {"worker", "workers", "scheduler", "client", "all"}
        Without one of its workers a call goes on.
    dask : bool
        Whether the workers are Dask's; otherwise they are those of a pool of processes.
    """

    kills: int
    victim: str
    dask: bool


CASES = {
    "dask worker": Case(50, "worker", dask=True),
    "dask workers": Case(50, "workers", dask=True),
    "dask scheduler": Case(50, "scheduler", dask=True),
    "dask client": Case(50, "client", dask=True),
    "pool workers": Case(30, "workers", dask=False),
    "pool and client": Case(20, "all", dask=False),
}
OUTS = "rows.npy", "rows.zarr", "rows", "pairs.npy", "pairs.zarr"


# ---- in a process of its own ------------------------------------------------------------------------


def child(name: str, folder: Path) -> None:
    """Be the client of a call, of which ``folder`` is the result."""
    case, top = CASES[name], folder.parents[1]
    try:
        with _cluster(case, top) as cluster:
            print("ready", flush=True)
            try:
                if folder.name.startswith("rows"):
                    cluster.sssp(graph(12_000, 4), range(240), out=folder, dtype="int32")
                else:
                    cluster.apsp(graph(1_000, 8), "floyd-warshall", predecessors=True, out=folder)
            except FileExistsError:  # killed when it was complete
                assert not folder.with_name(f"{folder.name}.partial").exists()
            print("answer", flush=True)
    except (RuntimeError, concurrent.futures.BrokenExecutor) as error:
        print("lost", error, flush=True)
        sys.exit(_LOST)


@contextlib.contextmanager
def _cluster(case: Case, top: Path) -> Iterator[Any]:
    import distributed  # which takes seconds, and is needed by these cases only

    import reedsp.cluster

    if case.dask:
        with (
            distributed.Client(scheduler_file=str(top / "scheduler.json"), timeout=60) as client,
            reedsp.cluster.Dask(client) as cluster,
        ):
            client.wait_for_workers(_WORKERS, timeout=60)
            yield cluster
    else:
        context = multiprocessing.get_context("spawn")
        with (
            concurrent.futures.ProcessPoolExecutor(_WORKERS, context) as pool,
            reedsp.cluster.Executor(pool, folder=top / "graphs") as cluster,
        ):
            list(pool.map(abs, range(_WORKERS)))
            yield cluster


# ---- in the process that kills ----------------------------------------------------------------------


class Several:
    """Calls whose processes are killed again and again.

    Parameters
    ----------
    name : str
        Of a case.
    top : Path
        A folder for all files.
    seed : int
    """

    def __init__(self, name: str, top: Path, seed: int = 1) -> None:
        self.kills = self.calls = self.went_on = 0
        self._name, self._case, self._top = name, CASES[name], top
        self._random = random.Random(f"{name} {seed}")
        temporary = str(emptied(top / "temporary"))
        self._clients, self._workers, self._schedulers = (Processes(TMPDIR=temporary) for _ in range(3))
        self._expected: dict[str, dict[str, str]] = {}
        self._seconds: dict[str, float] = {}

    def __enter__(self) -> Several:
        for out in (OUTS[0], *OUTS):  # the first time workers take longer
            self._empty()
            if self._killed(out, None) != 0:
                raise WrongError(f"{out}: it fails where nothing is killed; {self._said()}")
            self._expected[out] = {each.name: _digest(each) for each in (self._top / "out").iterdir()}
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._clients, self._workers, self._schedulers):
            each.kill()

    @property
    def seconds(self) -> float:
        """How long the calls take, on the average, where nothing is killed."""
        return sum(self._seconds.values()) / len(OUTS)

    def kill(self) -> None:
        """Kill what is to be killed during a call, and give the call again until it ends.

        Raises
        ------
        WrongError
            Something is not as it has to be.
        """
        out = OUTS[self.calls % len(OUTS)]
        self._empty()
        status = self._killed(out, self._random.uniform(0, self._seconds[out]))
        self.went_on += status == 0
        while status != 0:
            self._check(out)
            again = self._random.random() < 0.2
            status = self._killed(out, self._random.uniform(0, self._seconds[out]) if again else None)
            if not again and status != 0:
                raise WrongError(f"{out}: given again, it fails: exit status {status}; {self._said()}")
        if self._check(out) != set(self._expected[out]):
            left = [str(each.relative_to(self._top)) for each in (self._top / "out").rglob("*")]
            raise WrongError(f"{out}: given again, it leaves {left}")
        if self._case.victim != "all" and any((self._top / "graphs").iterdir()):
            raise WrongError(f"{out}: files of graphs are left")
        self.calls += 1

    def _killed(self, out: str, after: float | None) -> int:
        """Make the call, kill in the course of it, and return its exit status."""
        process, begun = self._begun(out), time.monotonic()
        struck = after is not None and self._lives_on(process, after)
        if struck:
            self.kills += 1
            self._strike(process)
        answered = read_until(process, "answer", "lost").startswith("answer")
        if answered and not struck:
            self._seconds[out] = time.monotonic() - begun
        status = self._ended(process)
        if not struck:
            return status
        killed = {"client": -signal.SIGKILL, "all": -signal.SIGKILL, "worker": 0}.get(self._case.victim, _LOST)
        if status not in (killed, 0):
            raise WrongError(f"{out}: exit status {status}; {self._said()}")
        if self._case.victim == "scheduler":
            self._schedulers.kill()
            self._workers.kill()
        return status

    @staticmethod
    def _lives_on(process: subprocess.Popen[str], seconds: float) -> bool:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _empty(self) -> None:
        emptied(self._top / "out")
        emptied(self._top / "graphs")

    def _strike(self, client: subprocess.Popen[str]) -> None:
        victim = self._case.victim
        if victim == "client":
            client.kill()
        elif victim == "all":
            self._clients.kill()
        elif victim == "scheduler":
            self._schedulers.kill()
        elif victim == "worker":
            os.kill(self._random.choice(self._workers.alive()), signal.SIGKILL)
        elif self._case.dask:
            self._workers.kill()
            self._prepare()
        else:
            self._clients.kill("spawn_main")

    def _prepare(self) -> None:
        """Start what there is not of a scheduler and workers."""
        if not self._case.dask:
            return
        file = self._top / "scheduler.json"
        options = "--no-dashboard", "--scheduler-file", file
        if not self._schedulers.alive():
            file.unlink(missing_ok=True)
            self._schedulers.start(
                "-m", "distributed.cli.dask_scheduler", "--port", "0", *options, said=subprocess.DEVNULL
            )
        for _ in range(_WORKERS - len(self._workers.alive())):
            more = "--nthreads", "1", "--no-nanny", "--local-directory", self._top / "workers"
            self._workers.start("-m", "distributed.cli.dask_worker", *options, *more, said=subprocess.DEVNULL)

    def _begun(self, out: str) -> subprocess.Popen[str]:
        self._prepare()
        with open(self._top / "said", "w") as said:
            process = self._clients.start("-m", MODULE, "--child", self._name, self._top / "out" / out, said=said)
        if not read_until(process, "ready"):
            raise WrongError(f"{out}: it does not begin: exit status {process.wait()}; {self._said()}")
        return process

    def _ended(self, process: subprocess.Popen[str]) -> int:
        """Wait for the end of a client, and of what it has started, and return its exit status."""
        late = threading.Timer(PATIENCE, process.kill)
        late.start()
        process.communicate()
        if not late.is_alive():
            raise WrongError(f"the client neither ends nor goes on; {self._said()}")
        late.cancel()
        self._clients.wait_for_none()
        return process.returncode

    def _check(self, out: str) -> set[str]:
        """Return which names there are; raise WrongError if that of a result leads to anything but the whole of it."""
        found = {each.name for each in (self._top / "out").iterdir()}
        for name in found & set(self._expected[out]):
            if _digest(self._top / "out" / name) != self._expected[out][name]:
                raise WrongError(f"{name}: it is not what it is where nothing is killed")
        return found

    def _said(self) -> str:
        return (self._top / "said").read_text(errors="replace")[-2000:]


def _digest(path: Path) -> str:
    """Return what tells a result from others: its bytes, or those of its rows, which are cut as suits the workers."""
    if path.suffix == ".npy":
        content = path.read_bytes()
    elif path.suffix == ".zarr":
        import zarr

        rows = np.asarray(zarr.open_array(path, mode="r")[:])
        content = f"{rows.shape} {rows.dtype}".encode() + rows.tobytes()
    else:
        if strange := [each.name for each in path.iterdir() if each.suffix != ".npy"]:
            raise WrongError(f"{path.name} holds {strange}")
        content = np.concatenate([np.load(each) for each in sorted(path.iterdir())]).tobytes()
    return hashlib.sha256(content).hexdigest()
