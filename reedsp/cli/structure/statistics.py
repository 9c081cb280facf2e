"""``reedsp statistics``: how far away other vertices are, and which vertices are the most central."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import (
    drawn_vertices,
    fail_on_negative_cycle,
    mean_of,
    number,
    print_estimate,
    print_graph,
    read_with_summary,
)
from reedsp.cli.options import (
    TO_STANDARD,
    DeviceNames,
    DrawnSources,
    DryRun,
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
    stated_failures,
    write_answer,
)
from reedsp.system.progress_bar import LATE, search_bar

if TYPE_CHECKING:
    from reedsp import DistanceStatistics


def statistics(
    file: GraphFile,
    sources: DrawnSources = None,
    seed: Seed = 0,
    unweighted: Annotated[bool, typer.Option("--unweighted", help="Count edges in place of weights.")] = False,
    device: DeviceNames = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write a .csv: of each source, numbered as in the file, how many vertices it reaches, how far the "
            f"farthest is, the sum of the distances, and the closeness. {TO_STANDARD}"
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    relabel: Relabel = False,
    dry_run: DryRun = False,
) -> None:
    """Find how far all others are from each vertex of a graph in a file.

    Prints the mean distance, the diameter, the radius, and the ten vertices of the largest closeness. Distances are
    added up where they are found; no matrix is kept. What a vertex does not reach does not count, and of vertices that
    are drawn diameter and radius are those of these alone. The exit status is 1 if there is a negative cycle.
    """
    with stated_failures():
        check_output(output, force, (".csv",), as_json)
        import reedsp
        from reedsp.arithmetic.paths import exact_type

        graph, summary = read_with_summary(file, relabel)
        arguments: dict[str, Any] = {
            "sources": drawn_vertices(graph, sources, seed),
            "unweighted": unweighted,
            "device": device,
            "dtype": None if unweighted else exact_type(graph),
        }
        if dry_run:
            print_estimate(graph, summary, as_json, quiet, "distance_statistics", **arguments)
            return
        started = time.perf_counter()
        try:
            with search_bar(max(2, min(sources or graph.n, graph.n)), "searches", after=LATE) as progress:
                found = reedsp.distance_statistics(graph, progress=progress, **arguments)
        except reedsp.NegativeCycleError as error:
            fail_on_negative_cycle(error, as_json, "there is a negative cycle")
        summary |= {"sources": len(found.sources), "method": found.method, "device": found.device}
        summary |= {"seconds": time.perf_counter() - started, **_facts(found)}
        write_answer(output, force, found.save, found.write_csv)
        print_answer(summary, found.stats, _print, output, as_json, quiet)


def _facts(found: DistanceStatistics) -> dict[str, Any]:
    """Return what is said of all sources together."""
    pairs = int((found.reached - 1).sum())
    facts: dict[str, Any] = {"reached": pairs, "mean_distance": mean_of(found.farness.tolist(), pairs)}
    for what, which, index in (
        *(("diameter", "farthest", found.eccentricity.argmax),),
        *(("radius", "center", found.eccentricity.argmin),),
    ):
        at = int(index()) if found.sources else None
        facts[what] = None if at is None else number(found.graph, found.eccentricity[at])
        facts[which] = None if at is None else found.sources[at]
    return {**facts, "central": [list(each) for each in found.most_central()]}


def _print(summary: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    pairs = summary["sources"] * max(0, summary["vertices"] - 1)
    print(f"reached   {summary['reached']:,} of {pairs:,} pairs of vertices")
    if summary["reached"]:
        print(f"mean      {summary['mean_distance']:.6g}")
    if summary["sources"]:
        print(f"diameter  {summary['diameter']}, from {name_text(summary['farthest'])}")
        print(f"radius    {summary['radius']}, from {name_text(summary['center'])}")
        table = new_table("vertex", "closeness", right=("closeness",))
        for vertex, closeness in summary["central"]:
            table.add_row(name_text(vertex), f"{closeness:.6g}")
        print_table(table)
    print_end(summary, "", output, f", {summary['sources']:,} sources")
