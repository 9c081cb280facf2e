"""``reedsp betweenness``: which vertices, or edges, most shortest paths pass."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import drawn_vertices, print_graph, read_with_summary
from reedsp.cli.options import (
    TO_STANDARD,
    DeviceName,
    DrawnSources,
    Force,
    GraphFile,
    Json,
    Quiet,
    Relabel,
    Seed,
    output_option,
)
from reedsp.cli.output import (
    check_output,
    name_text,
    new_table,
    print_answer,
    print_end,
    print_table,
    refuse,
    stated_failures,
    write_answer,
)
from reedsp.system.progress_bar import LATE, search_bar


def betweenness(
    file: GraphFile,
    sources: DrawnSources = None,
    seed: Seed = 0,
    edges: Annotated[bool, typer.Option("--edges", help="Of edges, rather than of vertices.")] = False,
    unnormalized: Annotated[
        bool, typer.Option("--unnormalized", help="Numbers of pairs, which are not divided by how many there are.")
    ] = False,
    endpoints: Annotated[
        bool, typer.Option("--endpoints", help="Count paths for the vertices where they end, too.")
    ] = False,
    device: DeviceName = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write all values to a .csv: vertex and betweenness, or source, target and betweenness of edges, "
            f"numbered as in the file. {TO_STANDARD}"
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also check the sums, by a breadth-first search from each source.")
    ] = False,
    relabel: Relabel = False,
) -> None:
    """Find which part of the shortest paths between all vertices passes each vertex, or each edge.

    Prints the ten largest values. Paths are shortest where they have the fewest edges; weights are ignored.
    """
    with stated_failures():
        if edges and endpoints:
            refuse("choose one of them: paths do not end at edges", "--edges and --endpoints")
        check_output(output, force, (".csv",), as_json)
        import reedsp

        graph, summary = read_with_summary(file, relabel)
        drawn = drawn_vertices(graph, sources, seed)
        started = time.perf_counter()
        with search_bar(max(2, graph.n), "sources", after=LATE) as progress:
            found = reedsp.betweenness(
                graph,
                drawn,
                edges=edges,
                normalized=not unnormalized,
                endpoints=endpoints,
                device=device,
                progress=progress,
            )
        seconds = time.perf_counter() - started
        if verify:
            found.verify()
        largest = [[*ends, value] for ends, value in found.largest_edges()] if edges else found.largest()
        summary |= {"sources": graph.n if drawn is None else len(drawn), "method": found.method}
        summary |= {"device": found.device, "seconds": seconds, "verified": verify, "largest": largest}
        write_answer(output, force, found.save, found.write_csv)
        print_answer(summary, found.stats, partial(_print, edges), output, as_json, quiet)


def _print(edges: bool, summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    table = new_table(*(("source", "target") if edges else ("vertex",)), "betweenness", right=("betweenness",))
    for *names, value in summary["largest"]:
        table.add_row(*map(name_text, names), f"{value:.6g}")
    print_table(table)
    effort = f", {summary['sources']:,} sources"
    print_end(summary, "the sums agree with the levels of all searches", output, effort)
