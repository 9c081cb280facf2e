"""A graph as the command line sees it: read with progress, its vertices called by the names of the file."""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from reedsp.cli.output import STANDARD, Failure, elided, input_text, is_stream, name_text, print_json, refuse, size_text
from reedsp.system.files.atomic_file import room_for
from reedsp.system.progress_bar import LATE, bytes_bar

if TYPE_CHECKING:
    from reedsp import Graph

_LONGEST_SHOWN = 100
"""Characters of what is no vertex in a message."""


@contextlib.contextmanager
def on_disk(file: Path, suffix: str = "") -> Iterator[Path]:
    """Give a regular file of this content: of a stream a copy, whose name no message mentions."""
    if not is_stream(file):
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="reedsp-") as folder:
        copy = Path(folder, f"copy{suffix}")
        source = contextlib.nullcontext(sys.stdin.buffer) if file == STANDARD else file.open("rb")
        with source as content, room_for(copy), copy.open("wb") as stream:
            shutil.copyfileobj(content, stream)
        try:
            yield copy
        except ValueError as error:
            raise ValueError(str(error).replace(str(copy), input_text(file))) from None


def read_graph(file: Path, relabel: bool) -> Graph:
    """Read a graph, showing progress.

    Raises
    ------
    Failure
        The file is no graph.
    """
    return read_and_count(file, relabel)[0]


def read_with_summary(file: Path, relabel: bool) -> tuple[Graph, dict[str, Any]]:
    """Read a graph; return also what the answer of a command begins with."""
    started = time.perf_counter()
    graph = read_graph(file, relabel)
    seconds = time.perf_counter() - started
    return graph, {"file": str(file), "vertices": graph.n, "edges": graph.m, "read_seconds": seconds}


def read_and_count(file: Path, relabel: bool) -> tuple[Graph, int]:
    """Read a graph, and count the edges that the file lists."""
    from reedsp.io.readers import survey

    try:
        with on_disk(file) as path, bytes_bar("reading", after=LATE) as progress:
            return survey(path, relabel=relabel, progress=progress)
    except ValueError as error:
        raise Failure(str(error).replace("relabel=True", "--relabel")) from None


def vertex_called(graph: Graph, text: str, option: str) -> Any:
    """Return the name of the vertex that the file calls so: a number if there is such a vertex, else a string."""
    if re.fullmatch("-?[0-9]+", text):
        with contextlib.suppress(ValueError):
            return graph.names[graph.index(int(text))]
    try:
        return graph.names[graph.index(text)]
    except ValueError as error:
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
        refuse(str(error).replace(text, shown), option)


def drawn_vertices(graph: Graph, count: int | None, seed: int) -> list[Any] | None:
    """Return the names of so many vertices that are drawn by chance, as in the graph; None for all, also of fewer."""
    import numpy as np

    if count is None or count > graph.n:
        return None
    chosen = np.sort(np.random.default_rng(seed).choice(graph.n, count, replace=False))
    return [graph.names[vertex] for vertex in chosen.tolist()]


def number(graph: Graph, distance: Any) -> int | float | None:
    """Return a distance as the kind of number the graph's weights are; None if there is no path."""
    if math.isinf(distance):
        return None
    return int(distance) if graph.has_integral_weights else float(distance)


def finite(dist: Any) -> tuple[Any, Any]:
    """Return which distances are finite, and which ones are those of paths that can pass a negative cycle."""
    import numpy as np

    if dist.dtype.kind == "f":
        return np.isfinite(dist), dist == -np.inf
    limits = np.iinfo(dist.dtype)
    return (dist != limits.max) & (dist != limits.min), dist == limits.min


def sum_of(dist: Any) -> int | float | Fraction:
    """Return the sum of finite distances: exactly of integers, and where that of floats is beyond them."""
    import numpy as np

    if dist.dtype.kind == "i":
        upper, lower = dist >> 31, dist & (1 << 31) - 1
        return (int(upper.sum(dtype=np.int64)) << 31) + int(lower.sum(dtype=np.int64))
    with np.errstate(over="ignore"):
        total = float(dist.sum(dtype=np.float64))
    return total if math.isfinite(total) else sum(map(Fraction, dist.tolist()), Fraction())


def mean_of(sums: Sequence[int | float | Fraction], count: int) -> float | None:
    """Return the mean of so many distances, of which there are some sums; None of none."""
    if count == 0:
        return None
    with contextlib.suppress(OverflowError):
        total = sum(sums)
        if math.isfinite(total):
            return float(total / count)
    return float(sum((Fraction(each) for each in sums), Fraction()) / count)


def fail_on_negative_cycle(error: Any, as_json: bool, what: str) -> NoReturn:
    """End the command: there is a negative cycle.

    Raises
    ------
    Failure
    """
    if as_json:
        print_json({"negative_cycle": error.cycle, "weight": error.weight})
    raise Failure(f"{what}, of weight {error.weight}: {elided(error.cycle)}") from None


def print_graph(summary: dict[str, Any]) -> None:
    """Print the line about the graph that most commands begin with."""
    size = f"{summary['vertices']:,} vertices, {summary['edges']:,} edges"
    print(f"graph     {input_text(Path(summary['file']))}: {size}, read in {summary['read_seconds']:.3f} s")


def print_estimate(
    graph: Graph, summary: dict[str, Any], as_json: bool, quiet: bool, function: Any, **arguments: Any
) -> None:
    """Print what a call would take, which is not made."""
    from dataclasses import asdict

    import reedsp

    expected = reedsp.estimate(graph, function, **arguments)
    if as_json:
        print_json({**summary, "estimate": asdict(expected)})
        return
    if quiet:
        return
    print_graph(summary)
    print(f"expected  {expected}")
    print(f"because   {expected.because}")
    sizes = [("device", expected.device_bytes), ("host", expected.host_bytes), ("disk", expected.disk_bytes)]
    if any(size for _, size in sizes):
        print(f"memory    {', '.join(f'{size_text(size)} {where}' for where, size in sizes if size)}")


def print_route(source: Any, answer: dict[str, Any], what: str = "distance") -> None:
    """Print a distance and its route."""
    print(f"{what:<10}{answer[what]} from {name_text(source)} to {name_text(answer['target'])}")
    print(f"route     {elided(answer['path'])} ({len(answer['path']):,} vertices)")
