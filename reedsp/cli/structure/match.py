"""``reedsp match``: a maximum matching of a bipartite graph."""

from __future__ import annotations

import contextlib
import enum
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_graph
from reedsp.cli.options import DeviceName, Force, GraphFile, Json, Quiet, Relabel
from reedsp.cli.output import STANDARD, check_output, print_json, refuse, stated_failures, write_answer
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
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the pairs to a .csv: row and column, numbered as in the file. - is standard output; what else "
            "there is to say then goes to standard error.",
        ),
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
        with search_bar(1, "rounds", after=LATE) as progress:
            found = reedsp.maximum_matching(graph, method.value, device=device, progress=progress)
        seconds = time.perf_counter() - started
        if verify:
            found.verify()
        summary |= {"rows": len(found.column_of_row), "columns": len(found.row_of_column), "pairs": found.cardinality}
        summary |= {"method": found.method, "device": found.device, "seconds": seconds, "verified": verify}
        write_answer(found, output, force, found.save)
        if as_json:
            print_json({**summary, "stats": found.stats})
        elif not quiet:
            with contextlib.redirect_stdout(sys.stderr if output == STANDARD else sys.stdout):
                _print(summary, output)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    print(f"matched   {summary['pairs']:,} pairs of {summary['rows']:,} rows and {summary['columns']:,} columns")
    print(f"solved    {summary['method']}, {summary['seconds']:.3f} s on {summary['device']}")
    if summary["verified"]:
        print("verified  as many vertices cover all edges")
    if output is not None and output != STANDARD:
        print(f"written   {output}")
