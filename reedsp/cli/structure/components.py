"""``reedsp components``: which vertices are connected."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_graph
from reedsp.cli.options import DeviceName, Force, GraphFile, Json, Quiet, Relabel
from reedsp.cli.output import (
    STANDARD,
    check_output,
    new_table,
    print_json,
    print_table,
    refuse,
    stated_failures,
    write_answer,
)

_SHOWN = 5  # components


def components(
    file: GraphFile,
    strong: Annotated[
        bool, typer.Option("--strong", help="Connect two vertices only if paths lead both ways.")
    ] = False,
    device: DeviceName = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="CSV",
            show_default=False,
            help="Write a .csv with vertex, numbered as in the file, and component. - is standard output; what else "
            "there is to say then goes to standard error.",
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[bool, typer.Option("--verify", help="Also check the answer on the device.")] = False,
    relabel: Relabel = False,
) -> None:
    """Find the connected components of a graph in a file.

    Prints how many there are, and the largest. Edges connect their ends whichever way they lead, but with --strong.
    """
    with stated_failures():
        if output is not None:
            check_output(output, force, (".csv",))
        if output == STANDARD and as_json:
            refuse("both go to standard output", "--output - and --json")
        import numpy as np

        import reedsp

        started = time.perf_counter()
        graph = read_graph(file, relabel)
        summary: dict[str, Any] = {"file": str(file), "vertices": graph.n, "edges": graph.m}
        summary["read_seconds"] = time.perf_counter() - started
        started = time.perf_counter()
        found = reedsp.connected_components(graph, "strong" if strong else "weak", device=device)
        seconds = time.perf_counter() - started
        if verify:
            found.verify()
        by_size = np.argsort(-found.sizes, kind="stable")[:_SHOWN]
        _, smallest = np.unique(found.labels, return_index=True)
        largest = [
            {"component": int(each), "vertices": int(found.sizes[each]), "smallest": graph.name(int(smallest[each]))}
            for each in by_size
        ]
        summary |= {"connection": found.connection, "components": found.count, "largest": largest}
        summary |= {"method": found.method, "device": found.device, "seconds": seconds, "verified": verify}
        write_answer(found, output, force, found.save)
        if as_json:
            print_json({**summary, "stats": found.stats})
        elif not quiet:
            with contextlib.redirect_stdout(sys.stderr if output == STANDARD else sys.stdout):
                _print(summary, output)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    kind = "strongly connected" if summary["connection"] == "strong" else "connected"
    print(f"found     {summary['components']:,} {kind} components")
    table = new_table("component", "vertices", "smallest", right=("vertices",))
    for each in summary["largest"]:
        table.add_row(str(each["component"]), f"{each['vertices']:,}", str(each["smallest"]))
    if summary["largest"]:
        print_table(table)
    print(f"solved    {summary['method']}, {summary['seconds']:.3f} s on {summary['device']}")
    if summary["verified"]:
        print("verified  components are right for every edge")
    if output is not None and output != STANDARD:
        print(f"written   {output}")
