"""``reedsp verify``: whether a result is that of its graph."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import on_disk, read_graph, vertex_called
from reedsp.cli.options import GraphFile, Json, Quiet, Relabel, distance_typed, file_typed
from reedsp.cli.output import (
    STANDARD,
    Failure,
    check_inputs,
    input_text,
    name_text,
    print_json,
    refuse,
    stated_failures,
)
from reedsp.system.progress_bar import LATE, vertices_bar

if TYPE_CHECKING:
    from reedsp.graph.graph import Graph
    from reedsp.results.files import Stored


def verify(
    file: GraphFile,
    result: Annotated[
        Path,
        typer.Argument(
            parser=file_typed,
            metavar="RESULT",
            show_default=False,
            help="A .csv or .npz of [bold]reedsp sssp[/bold] or [bold]bfs[/bold], or a .npy or .npz of "
            "[bold]reedsp apsp[/bold]. - is a .csv on standard input.",
        ),
    ],
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            "-s",
            metavar="VERTEX",
            show_default=False,
            help="Also check that this is where the paths start; again for several.",
        ),
    ] = None,
    cutoff: Annotated[
        Any,
        typer.Option(
            parser=distance_typed,
            metavar="NUMBER",
            show_default=False,
            help="Longer paths were left out, which a .csv does not say of itself.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    relabel: Relabel = False,
) -> None:
    """Check a result against every edge of its graph, on the host, however it was made.

    No edge may lead to a vertex on a shorter path, and each distance must be that of a path. Whole weights are
    compared exactly, fractional ones to two units in the last place, in a matrix to as many as there are vertices. The
    exit status is 1 if something is wrong, and the message names the first wrong vertex.
    """
    with stated_failures():
        check_inputs("FILE and RESULT", file, result)
        if result != STANDARD and result.suffix.lower() not in (".csv", ".npz", ".npy"):
            refuse(f"{result} does not end in .csv, .npz or .npy", "RESULT")
        from reedsp.edges.verify import VerificationError
        from reedsp.results import certificate, files

        graph = read_graph(file, relabel)
        with on_disk(result, ".csv") as path:
            stored = files.load(path, graph, cutoff)
        if cutoff is not None and stored.cutoff != cutoff:
            refuse(
                f"{cutoff}, but {input_text(result)} says that paths beyond {stored.cutoff} were left out", "--cutoff"
            )
        named = sorted(vertex for row in stored.sources for vertex in row)
        if source:
            wanted = sorted(graph.index(vertex_called(graph, each, "--source")) for each in source)
            if wanted != named:
                found = ", ".join(name_text(graph.names[vertex]) for vertex in named[:6])
                raise Failure(f"{input_text(result)}: the paths start at {found}{', ...' if len(named) > 6 else ''}")
        summary = {"file": str(file), "result": str(result), "vertices": graph.n, "edges": graph.m}
        summary["rows"] = len(stored.sources)
        summary["predecessors"] = stored.pred is not None
        started = time.perf_counter()
        failure = None
        try:
            with vertices_bar("checking", after=LATE) as progress:
                certificate.check(graph, stored, progress)
        except VerificationError as error:
            failure = f"{error}{_hint(graph, result, stored)}"
        seconds = time.perf_counter() - started
        if as_json:
            print_json({**summary, "right": failure is None, "wrong": failure, "seconds": seconds})
        elif failure is None and not quiet:
            what = "levels" if stored.levels else "distances"
            rows = f" from {len(named):,} vertices" if len(stored.sources) > 1 else ""
            print(f"graph     {input_text(file)}: {graph.n:,} vertices, {graph.m:,} edges")
            tree = " and predecessors" if stored.pred is not None else ""
            print(f"verified  {input_text(result)}: {what}{tree}{rows} are right for every edge, in {seconds:.3f} s")
        if failure is not None:
            raise Failure(f"{input_text(result)}: {failure}")


def _hint(graph: Graph, result: Path, stored: Stored) -> str:
    """Return what may be behind distances that were rounded to float32, of which a .csv says nothing."""
    import numpy as np

    dist = stored.dist[stored.reached]
    is_text = result.suffix.lower() not in (".npz", ".npy")
    if not is_text or graph.has_integral_weights or not np.array_equal(dist.astype(np.float32), dist):
        return ""
    return "; if these are float32, a .npz says so, and allows for their rounding"
