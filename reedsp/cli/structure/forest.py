"""``reedsp forest``: a minimum or maximum spanning forest."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_graph
from reedsp.cli.options import DeviceName, Force, GraphFile, Json, Quiet, Relabel
from reedsp.cli.output import STANDARD, check_output, print_json, refuse, stated_failures, write_answer

if TYPE_CHECKING:
    from reedsp import SpanningForest


def forest(
    file: GraphFile,
    maximum: Annotated[
        bool, typer.Option("--maximum", help="Take the heaviest edges rather than the lightest.")
    ] = False,
    device: DeviceName = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the edges, a .csv with both ends, numbered as in the file, and the weight of each. "
            "- is standard output; what else there is to say then goes to standard error.",
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also check the answer on the device, edge by edge.")
    ] = False,
    relabel: Relabel = False,
) -> None:
    """Find a minimum spanning forest of a graph in a file, whose edges are read without direction.

    Prints how many edges and trees it has, and its weight. Of edges of equal weight those between the first vertices of
    the file are taken first, so that the answer is the same on every device.
    """
    with stated_failures():
        if output is not None:
            check_output(output, force, (".csv",))
        if output == STANDARD and as_json:
            refuse("both go to standard output", "--output - and --json")
        import reedsp

        started = time.perf_counter()
        graph = read_graph(file, relabel)
        summary: dict[str, Any] = {"file": str(file), "vertices": graph.n, "edges": graph.m}
        summary["read_seconds"] = time.perf_counter() - started
        started = time.perf_counter()
        found = reedsp.spanning_forest(graph, maximum, device=device)
        summary |= {"method": found.method, "device": found.device, "seconds": time.perf_counter() - started}
        if verify:
            found.verify(device)
        summary |= {"verified": verify, "maximum": maximum, "forest_edges": len(found), "trees": found.trees}
        summary["total_weight"] = found.total_weight
        _finish(found, summary, output, force, as_json, quiet)


def _finish(
    found: SpanningForest, summary: dict[str, Any], output: Path | None, force: bool, as_json: bool, quiet: bool
) -> None:
    """Write and print the answer."""
    write_answer(found, output, force, found.write)
    if as_json:
        print_json({**summary, "stats": found.stats})
    elif not quiet:
        with contextlib.redirect_stdout(sys.stderr if output == STANDARD else sys.stdout):
            _print(summary, output)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    kind = "maximum" if summary["maximum"] else "minimum"
    trees = "1 tree" if summary["trees"] == 1 else f"{summary['trees']:,} trees"
    print(f"forest    {kind}: {summary['forest_edges']:,} edges, {trees}, weight {summary['total_weight']}")
    print(f"solved    {summary['method']}, {summary['seconds']:.3f} s on {summary['device']}")
    if summary["verified"]:
        print("verified  no edge of the graph comes before one that the forest has in its stead")
    if output is not None and output != STANDARD:
        print(f"written   {output}")
