"""``reedsp components``: which vertices are connected."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, Relabel, output_option
from reedsp.cli.output import (
    check_output,
    name_text,
    new_table,
    print_answer,
    print_end,
    print_table,
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
        output_option(f"Write a .csv with vertex, numbered as in the file, and component. {TO_STANDARD}", "CSV"),
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
        check_output(output, force, (".csv",), as_json)
        import numpy as np

        import reedsp

        graph, summary = read_with_summary(file, relabel)
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
        write_answer(output, force, found.save, found.write_csv)
        print_answer(summary, found.stats, _print, output, as_json, quiet)


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    kind = "strongly connected" if summary["connection"] == "strong" else "connected"
    print(f"found     {summary['components']:,} {kind} components")
    table = new_table("component", "vertices", "smallest", right=("vertices",))
    for each in summary["largest"]:
        table.add_row(str(each["component"]), f"{each['vertices']:,}", name_text(each["smallest"]))
    if summary["largest"]:
        print_table(table)
    print_end(summary, "components are right for every edge", output)
