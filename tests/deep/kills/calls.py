"""Calls of one process that leave something on disk: what is made beforehand, what is done, and what may be left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import reedsp
from reedsp.device.discovery import get_device
from tests.deep.interrupts import digest

Made = Callable[[], str]


@dataclass(frozen=True)
class Call:
    """A call.

    Attributes
    ----------
    kills : int
        How many there are of it by default.
    make : callable(folder, out)
        Prepares the call in a process of its own, with a folder for its input and one for its results, and returns what
        makes it: a function that returns a digest of the answer, if there is one, or becomes a command.
    over : bool
        Whether older files lie where the results go.
    fixed : bool
        Whether the results are the same bytes each time.
    cache : bool
        Whether the results are what it leaves in the cache of the user, which is empty before.
    partial : bool
        Whether ``.NAME.<random>.partial`` may be left; otherwise the call given again deletes everything.
    """

    kills: int
    make: Callable[[Path, Path], Made]
    over: bool = False
    fixed: bool = True
    cache: bool = False
    partial: bool = True


def graph(n: int, degree: int) -> reedsp.Graph:
    rng = np.random.default_rng(1)
    return reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, degree * n)), rng.integers(1, 99, degree * n))


def streets(side: int) -> reedsp.Graph:
    place = np.arange(side * side).reshape(side, side)
    ends = [np.r_[place[:, :-1].ravel(), place[:-1].ravel()], np.r_[place[:, 1:].ravel(), place[1:].ravel()]]
    weights = np.random.default_rng(1).integers(1, 99, len(ends[0]))
    return reedsp.Graph.from_edges(side * side, *ends, weights, directed=False)


def each_of(out: Path, overwrite: bool, writers: dict[str, Callable[..., object]]) -> Made:
    """Return what writes one file after the other, but for those that are there and may not be replaced."""

    def call() -> str:
        for name, write in writers.items():
            try:
                write(out / name, overwrite=overwrite)
            except FileExistsError:
                assert not overwrite
        return ""

    return call


# ---- all pairs --------------------------------------------------------------------------------------


def all_pairs(stops: bool) -> Callable[[Path, Path], Made]:
    """Return what makes all pairs with predecessors; where it stops, it waits between their names to be killed."""

    def make(folder: Path, out: Path) -> Made:
        problem = graph(900, 8)
        get_device().self_test()  # the driver takes its time
        link = os.link

        def linked(*arguments: Any, **options: Any) -> None:
            link(*arguments, **options)
            print("linked", flush=True)
            if not (folder / "goes on").exists():
                time.sleep(60)

        if stops:
            os.link = linked

        def call() -> str:
            try:
                found = reedsp.apsp(problem, "floyd-warshall", predecessors=True, out=out / "y.npy")
            except FileExistsError:  # killed when it was complete
                assert {each.name for each in out.iterdir()} == {"y.npy", "y.pred.npy"}
                return digest(np.load(out / "y.npy"))
            return digest(found.dist)

        return call

    return make


# ---- files ------------------------------------------------------------------------------------------


def write(overwrite: bool) -> Callable[[Path, Path], Made]:
    def make(folder: Path, out: Path) -> Made:
        problem = graph(8_000, 8)
        names = "x.npz", "x.gr", "x.wel", "x.mtx"
        if not overwrite:
            names = "x.gr.gz", *names
        named = {name: lambda file, overwrite: reedsp.write(problem, file, overwrite=overwrite) for name in names}
        return each_of(out, overwrite, named)

    return make


def save(overwrite: bool) -> Callable[[Path, Path], Made]:
    """Return what saves results, which were found once: how long that took is in the files."""

    def make(folder: Path, out: Path) -> Made:
        large, small, given = graph(20_000, 4), graph(300, 4), folder / "given"
        graphs = {"tree.npz": large, "trees.npz": large, "levels.npz": large, "pairs.npz": small}
        if not given.exists():
            found = reedsp.sssp(large, 0), reedsp.sssp(large, range(8)), reedsp.bfs(large, 0), reedsp.apsp(small)
            given.mkdir()
            for name, each in zip(graphs, found, strict=True):
                each.save(given / name)
        results = {name: reedsp.load(given / name, problem) for name, problem in graphs.items()}
        return each_of(out, overwrite, {"tree.csv": results["tree.npz"].save} | {n: r.save for n, r in results.items()})

    return make


def prepared(overwrite: bool) -> Callable[[Path, Path], Made]:
    """Return what prepares a graph, saves what is found, loads it and asks."""

    def make(folder: Path, out: Path) -> Made:
        problem, file = streets(50), out / "roads.npz"
        reedsp.prepare(streets(5))

        def call() -> str:
            if overwrite or not file.exists():
                reedsp.prepare(problem).save(file, overwrite=overwrite)
            return digest(reedsp.load_prepared(file, problem).distances([0, 7, 99]))

        return call

    return make


# ---- commands ---------------------------------------------------------------------------------------


def becomes(*arguments: str | Path) -> Made:
    def call() -> str:
        os.execv(sys.executable, [sys.executable, "-m", "reedsp", *map(str, arguments)])

    return call


def command(*arguments: str, output: str, force: bool) -> Callable[[Path, Path], Made]:
    """Return what becomes a command with a graph and an output, which may be there when it has been killed."""

    def make(folder: Path, out: Path) -> Made:
        name, *more = arguments
        file = folder / "x.wel"
        if not file.exists():
            reedsp.write(graph(900 if name == "apsp" else 8_000, 8), file)
        answer = (out / output,) if name == "convert" else ("--output", out / output)
        if (out / output).exists() and not force:
            return lambda: ""
        return becomes(name, file, *answer, *more, "--quiet", *["--force"] * force)

    return make


def first_call(folder: Path, out: Path) -> Made:
    """Compile kernels, look for drivers and try methods, and remember all that."""

    def call() -> str:
        problem = graph(300, 4)
        found = reedsp.sssp(problem, [0, 7]), reedsp.apsp(problem, "floyd-warshall")
        return digest(*(each.dist for each in found), reedsp.min_plus_product(*[found[1].dist] * 2))

    return call


CALLS: dict[str, Call] = {
    "apsp": Call(60, all_pairs(stops=False), partial=False),
    "apsp between results": Call(30, all_pairs(stops=True), partial=False),
    "write": Call(40, write(overwrite=False)),
    "write over": Call(40, write(overwrite=True), over=True),
    "save": Call(30, save(overwrite=False)),
    "save over": Call(30, save(overwrite=True), over=True),
    "prepared": Call(20, prepared(overwrite=False)),
    "prepared over": Call(20, prepared(overwrite=True), over=True),
    "command sssp": Call(20, command("sssp", "--source", "0", output="tree.csv", force=False)),
    "command apsp": Call(20, command("apsp", "--predecessors", output="pairs.npy", force=False)),
    "command apsp over": Call(20, command("apsp", "--predecessors", output="pairs.npy", force=True), over=True),
    "command convert over": Call(20, command("convert", output="y.mtx", force=True), over=True),
    "first call": Call(40, first_call, fixed=False, cache=True),
    "calibrate": Call(15, lambda folder, out: becomes("calibrate"), fixed=False, cache=True),
}
