"""``reedsp forest``: a minimum or maximum spanning forest."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, Relabel, output_option
from reedsp.cli.output import check_output, print_answer, print_end, stated_failures, write_answer

if TYPE_CHECKING:
    pass


def forest(
    file: GraphFile,
    maximum: Annotated[
        bool, typer.Option("--maximum", help="Take the heaviest edges rather than the lightest.")
    ] = False,
    device: DeviceName = None,
    output: Annotated[
        Path | None,
        output_option(
            f"Write the edges, a .csv with both ends, numbered as in the file, and the weight of each. {TO_STANDARD}"
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
        check_output(output, force, (".csv",), as_json)
        import reedsp

        graph, summary = read_with_summary(file, relabel)
        started = time.perf_counter()
        found = reedsp.spanning_forest(graph, maximum, device=device)
        summary |= {"method": found.method, "device": found.device, "seconds": time.perf_counter() - started}
        if verify:
            found.verify(device)
        summary |= {"verified": verify, "maximum": maximum, "forest_edges": len(found), "trees": found.trees}
        summary["total_weight"] = found.total_weight
        write_answer(output, force, found.save, found.write_csv)
        print_answer(summary, found.stats, _print, output, as_json, quiet)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    kind = "maximum" if summary["maximum"] else "minimum"
    trees = "1 tree" if summary["trees"] == 1 else f"{summary['trees']:,} trees"
    print(f"forest    {kind}: {summary['forest_edges']:,} edges, {trees}, weight {summary['total_weight']}")
    print_end(summary, "no edge of the graph comes before one that the forest has in its stead", output)
