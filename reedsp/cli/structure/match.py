"""``reedsp match``: a maximum matching of a bipartite graph."""

from __future__ import annotations

import enum
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, Relabel, output_option
from reedsp.cli.output import check_output, print_answer, print_end, stated_failures, write_answer
from reedsp.system.progress_bar import LATE, search_bar


class MatchingMethod(enum.StrEnum):
    """Methods of :func:`reedsp.maximum_matching`."""

    auto = "auto"
    depth_first = "depth-first"
    phases = "phases"
    dulle = "dulle"
    khosla = "khosla"


def match(
    file: GraphFile,
    method: Annotated[
        MatchingMethod, typer.Option(metavar="METHOD", help=f"How to match: {', '.join(MatchingMethod)}.")
    ] = MatchingMethod.auto,
    device: DeviceName = None,
    output: Annotated[
        Path | None,
        output_option(f"Write the pairs to a .csv: row and column, numbered as in the file. {TO_STANDARD}"),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also check on the device that no matching has more pairs.")
    ] = False,
    relabel: Relabel = False,
) -> None:
    """Find as many edges of a bipartite graph as there can be without a vertex in common.

    Of a directed graph each vertex is a row, with the edges that leave it, and a column, with those that end there. An
    undirected one has to be bipartite; its sides are found. Weights are ignored.
    """
    with stated_failures():
        check_output(output, force, (".csv",), as_json)
        import reedsp

        graph, summary = read_with_summary(file, relabel)
        started = time.perf_counter()
        with search_bar(1, "rounds", after=LATE) as progress:
            found = reedsp.maximum_matching(graph, method.value, device=device, progress=progress)
        seconds = time.perf_counter() - started
        if verify:
            found.verify()
        summary |= {"rows": len(found.column_of_row), "columns": len(found.row_of_column), "pairs": found.cardinality}
        summary |= {"method": found.method, "device": found.device, "seconds": seconds, "verified": verify}
        write_answer(output, force, found.save, found.write_csv)
        print_answer(summary, found.stats, _print, output, as_json, quiet)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    print(f"matched   {summary['pairs']:,} pairs of {summary['rows']:,} rows and {summary['columns']:,} columns")
    print_end(summary, "as many vertices cover all edges", output)
