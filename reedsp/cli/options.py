"""Arguments and options that commands share, what their values can be, and how a shell completes them."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.output import STANDARD
from reedsp.system.progress_bar import hidden


class Method(enum.StrEnum):
    """Methods of :func:`reedsp.sssp`."""

    auto = "auto"
    output_parallel = "output-parallel"
    input_parallel = "input-parallel"
    input_parallel_refined = "input-parallel-refined"
    near_far = "near-far"
    near_far_local = "near-far-local"
    bellman_ford = "bellman-ford"
    bellman_ford_queue = "bellman-ford-queue"
    dijkstra_heap = "dijkstra-heap"
    dijkstra_array = "dijkstra-array"


class AllPairsMethod(enum.StrEnum):
    """Methods of :func:`reedsp.apsp`."""

    auto = "auto"
    floyd_warshall = "floyd-warshall"
    min_plus = "min-plus"
    johnson = "johnson"


class NegativeCycles(enum.StrEnum):
    """What :func:`reedsp.apsp` does about negative cycles."""

    fail = "raise"
    mark = "mark"


class DistanceType(enum.StrEnum):
    """Types of the distances of :func:`reedsp.apsp`."""

    float64 = "float64"
    float32 = "float32"
    int64 = "int64"
    int32 = "int32"


def file_typed(text: str) -> Path:
    """Return the path that was typed; ``-`` alone is standard input or output, and ``./-`` a file."""
    path = Path(text)
    return path.absolute() if path == STANDARD and text != str(STANDARD) else path


def distance_typed(text: str) -> int | float:
    """Return a distance as it was typed, a whole number exactly."""
    try:
        number = int(text) if re.fullmatch("[0-9]+", text) else float(text.replace("_", "?"))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number") from None
    if not number >= 0:
        raise typer.BadParameter(f"{text} is no distance: expected a number of at least 0")
    return int(number) if isinstance(number, float) and number.is_integer() else number


def complete_device(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer a short name of each device found: the first word of its platform, as no shell quotes it, and its kind."""
    from reedsp import devices

    offered = set()
    for device in devices():
        for name in (*re.findall(r"[a-z0-9]+", device.platform.lower())[:1], device.kind):
            if name.startswith(incomplete) and name not in offered:
                offered.add(name)
                yield name, f"{device.name}, {device.platform}"


def complete_dataset(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the names of known data sets."""
    from reedsp.io.datasets import DATASETS

    return ((name, known.title) for name, known in DATASETS.items() if name.startswith(incomplete))


def _hide_progress(context: typer.Context, quiet: bool) -> bool:
    if quiet:
        context.with_resource(hidden())
    return quiet


def output_option(what: str, metavar: str = "FILE") -> Any:
    """Return the option for the file that the answer is written to."""
    return typer.Option("--output", "-o", parser=file_typed, metavar=metavar, show_default=False, help=what)


TO_STANDARD = "- is standard output; what else there is to say then goes to standard error."
"""Of an output that may be a table."""

GraphFile = Annotated[
    Path,
    typer.Argument(
        parser=file_typed,
        metavar="FILE",
        show_default=False,
        help="DIMACS .gr, Matrix Market .mtx, edge list .el/.wel/.txt, METIS .graph or SciPy .npz; "
        "also compressed with gzip or xz. - is standard input.",
    ),
]
Sources = Annotated[
    list[str],
    typer.Option(
        "--source",
        "-s",
        metavar="VERTEX",
        show_default=False,
        help="Vertex to start from, numbered as in the file; again for each of several.",
    ),
]
Target = Annotated[
    list[str] | None,
    typer.Option(
        "--target", "-t", metavar="VERTEX", show_default=False, help="Vertex whose distance and route are wanted."
    ),
]
"""Which :func:`the_only` has to be called with: of several, typer would take the last one."""
DrawnSources = Annotated[
    int | None,
    typer.Option(
        "--sources",
        metavar="NUMBER",
        min=1,
        show_default=False,
        help="Take only the paths from so many vertices, drawn by chance; from all if there are fewer.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of the vertices that are drawn.")]
DeviceName = Annotated[
    str | None,
    typer.Option(
        metavar="DEVICE",
        show_default=False,
        autocompletion=complete_device,
        help="Index, or part of the name of a device or platform.",
    ),
]
DeviceNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DEVICE",
        show_default=False,
        autocompletion=complete_device,
        help="Index, or part of the name of a device or platform; again for each to share the work.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_hide_progress, help="Print no text but failures, and no progress.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say how, and about how long and in how much memory, it would be solved.")
]
Force = Annotated[bool, typer.Option("--force", help="Let the output replace a file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
JsonList = Annotated[bool, typer.Option("--json", help="Print a list of JSON objects instead of text.")]
Relabel = Annotated[
    bool, typer.Option("--relabel", help="For edge lists: keep only the vertices that occur in the file.")
]
