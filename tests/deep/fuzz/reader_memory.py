"""Measure how much memory and time the reading of a large file takes, format by format.

    python -m tests.deep.fuzz.reader_memory [--edges 1000000] [FORMAT ...]

Each format is read in a process of its own. Memory is the largest resident size during the reading less that before
(VmHWM), beside the decompressed bytes of the file and the promise: 64 MiB and 4 times these, 6 times for a text with an
undirected graph. The exit status is 1 where a format takes more. What begins with "full", "zero" or "parallel" is a
small archive of what could become large.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import reedsp

MIB = 2**20
UNDIRECTED = ("symmetric.mtx", "plain.graph", "weighted.graph")
SHUFFLED = ("random.gr", "random.el", "random.wel", "fractions.wel")


def road(edges: int) -> reedsp.Graph:
    """Return a grid of streets with lengths."""
    side = int((edges / 4) ** 0.5) + 1
    vertices = np.arange(side * side).reshape(side, side)
    sources = np.concatenate((vertices[:, :-1].ravel(), vertices[:-1].ravel()))
    targets = np.concatenate((vertices[:, 1:].ravel(), vertices[1:].ravel()))
    weights = np.random.default_rng(1).integers(1, 10_000, len(sources))
    return reedsp.Graph.from_edges(side * side, sources, targets, weights, directed=False)


def random_graph(edges: int, directed: bool, fractions: bool = False, unit: bool = False) -> reedsp.Graph:
    rng = np.random.default_rng(2)
    n = edges // 8
    sources, targets = rng.integers(0, n, (2, edges if directed else edges // 2))
    proper = sources != targets
    weights = rng.random(len(sources)) if fractions else rng.integers(1, 1000, len(sources))
    given = None if unit else weights[proper]
    return reedsp.Graph.from_edges(n, sources[proper], targets[proper], given, directed)


MAKERS: dict[str, Callable[[int], reedsp.Graph]] = {
    "road.gr": road,
    "random.gr": lambda edges: random_graph(edges, True),
    "random.mtx": lambda edges: random_graph(edges, True, fractions=True),
    "symmetric.mtx": lambda edges: random_graph(2 * edges, False),
    "random.el": lambda edges: random_graph(edges, True, unit=True),
    "random.wel": lambda edges: random_graph(edges, True),
    "fractions.wel": lambda edges: random_graph(edges, True, fractions=True),
    "plain.graph": lambda edges: random_graph(2 * edges, False, unit=True),
    "weighted.graph": lambda edges: random_graph(2 * edges, False),
    "random.npz": lambda edges: random_graph(edges, True),
    "scipy.npz": lambda edges: random_graph(edges, True),
}
LARGE_INSIDE: dict[str, Callable[[int], dict[str, Any]]] = {
    "full-bsr.npz": lambda edges: full("bsr", edges, 1),
    "zero-bsr.npz": lambda edges: full("bsr", edges, 0),
    "full-dia.npz": lambda edges: full("dia", edges, 1),
    "parallel-csr.npz": lambda edges: {
        **{"format": b"csr", "shape": [2, 2], "indptr": np.array([0, 0, 20 * edges], np.int32)},
        **{"indices": np.zeros(20 * edges, np.int32), "data": np.ones(20 * edges, np.int8)},
    },
}
"""Archives that could take much more memory than they are long."""


def full(form: str, edges: int, value: int) -> dict[str, Any]:
    """Return the arrays of a matrix of so many times 64 bytes, all of which are `value`."""
    n = int((64 * edges) ** 0.5)
    arrays: dict[str, Any] = {"format": form.encode(), "shape": [n, n], "data": np.full((n, n), value, np.int8)}
    if form == "dia":
        return {**arrays, "offsets": np.arange(n, dtype=np.int32)}
    return {**arrays, "data": arrays["data"][np.newaxis], "indptr": np.int32([0, 1]), "indices": np.int32([0])}


def make(name: str, edges: int, file: Path) -> None:
    """Write a file; the lines of an edge list and of ``random.gr`` are in no order."""
    if name in LARGE_INSIDE:
        with file.open("wb") as stream:
            np.savez_compressed(stream, **{key: np.asarray(value) for key, value in LARGE_INSIDE[name](edges).items()})
        return
    graph = MAKERS[name](edges)
    if name == "scipy.npz":
        scipy.sparse.save_npz(file, graph.to_scipy(), compressed=False)
        return
    reedsp.write(graph, file)
    if name in SHUFFLED:
        lines = file.read_bytes().splitlines(keepends=True)
        head = [lines.pop(0)] if name.endswith(".gr") else []
        random.Random(3).shuffle(lines)
        file.write_bytes(b"".join(head + lines))


def status(key: str) -> int:
    """Return a number of bytes that the kernel counts for this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:")) * 1024


def measure(file: Path, answer: multiprocessing.connection.Connection) -> None:
    """Send the most memory that reading a file took besides what there was, and the seconds."""
    Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back
    before, begin = status("VmRSS"), time.perf_counter()
    try:
        edges = f"{reedsp.read(file).m:,}"
    except ValueError:
        edges = "refused"
    seconds = time.perf_counter() - begin
    answer.send((status("VmHWM") - before, edges, seconds))


def decompressed(file: Path) -> int:
    """Return the bytes of a file, or of what an archive holds."""
    if file.suffix != ".npz":
        return file.stat().st_size
    with zipfile.ZipFile(file) as archive:
        return sum(member.file_size for member in archive.infolist())


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "formats", nargs="*", choices=[[], *MAKERS, *LARGE_INSIDE], metavar="FORMAT", help="by default all of them"
    )
    parser.add_argument("--edges", type=int, default=1_000_000, help="that a file lists (default: %(default)s)")
    arguments = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    too_much = []
    print(f"{'file':16} {'edges stored':>12} {'MiB':>9} {'peak MiB':>9} {'promise':>8} {'ratio':>6} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.formats or (*MAKERS, *LARGE_INSIDE):
            file = Path(folder) / name
            maker = processes.Process(target=make, args=(name, arguments.edges, file))
            maker.start()
            maker.join()
            ours, theirs = processes.Pipe(duplex=False)
            reader = processes.Process(target=measure, args=(file, theirs))
            reader.start()
            peak, edges, seconds = ours.recv()
            reader.join()
            size = decompressed(file)
            promise = (6 if name in UNDIRECTED else 4) * size + 64 * MIB
            too_much += [name] if peak > promise else []
            sizes = f"{size / MIB:9.1f} {peak / MIB:9.1f} {promise / MIB:8.1f} {peak / size:6.1f}"
            print(f"{name:16} {edges:>12} {sizes} {seconds:8.2f}", flush=True)
            file.unlink()
    if too_much:
        print(f"more than promised: {', '.join(too_much)}")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
