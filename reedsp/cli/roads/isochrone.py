"""``reedsp isochrone``: how far one comes from a place within a distance."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, distance_typed, output_option
from reedsp.cli.output import (
    beside,
    check_output,
    name_text,
    print_end,
    print_json,
    refuse,
    stated_failures,
    the_only,
    write_stream,
)
from reedsp.cli.roads.places import Within, check_located, place_typed


def isochrone(
    file: GraphFile,
    start: Annotated[
        list[str], typer.Option("--from", metavar="PLACE", show_default=False, help="lon,lat in degrees, or a vertex.")
    ],
    cutoff: Annotated[
        list[Any],
        typer.Option(
            parser=distance_typed,
            metavar="NUMBER",
            show_default=False,
            help="How far, in the unit of the weights; again for each.",
        ),
    ],
    output: Annotated[
        Path | None, output_option(f"Write the roads that are reached to a .geojson. {TO_STANDARD}", "OUTPUT")
    ] = None,
    within: Within = None,
    device: DeviceName = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the roads that are reached from a place within a distance, or several.

    The graph has to know where its vertices are, as one that read-map wrote; there distances are in milliseconds, or in
    millimetres. A road that is reached in part is cut there.
    """
    with stated_failures():
        begins = the_only(start, "--from")
        check_output(output, force, (".geojson",), as_json)
        if math.inf in cutoff:
            refuse("expected finite numbers", "--cutoff")
        import reedsp
        from reedsp.arithmetic.paths import exact_type

        graph, summary = read_with_summary(file, False)
        check_located(graph, file)
        source = place_typed(graph, file, begins, "--from", within)
        started = time.perf_counter()
        paths = reedsp.sssp(graph, source.vertex, cutoff=max(cutoff), device=device, dtype=exact_type(graph))
        area = reedsp.isochrone_geojson(paths, cutoff)
        summary |= {"method": paths.method, "device": paths.device, "seconds": time.perf_counter() - started}
        reached = [feature["properties"] for feature in area["features"]]
        if output is not None:
            write_stream(output, force, lambda stream: stream.write(f"{json.dumps(area)}\n".encode()))
        if as_json:
            print_json(
                {**summary, "source": source.vertex, "source_metres": source.metres, "reached": reached}
                | {"stats": paths.stats}
            )
        elif not quiet:
            with beside(output):
                print_graph(summary)
                for each in reached:
                    print(f"within    {each['cutoff']} of {name_text(source.vertex)}: {each['vertices']:,} vertices")
                print_end({**summary, "verified": False}, "", output)
