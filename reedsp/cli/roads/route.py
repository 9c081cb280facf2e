"""``reedsp route``: the shortest way between two places."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import fail_on_negative_cycle, finite, number, print_graph, print_route, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, output_option
from reedsp.cli.output import (
    Failure,
    beside,
    check_output,
    name_text,
    print_end,
    print_json,
    stated_failures,
    the_only,
    write_stream,
)
from reedsp.cli.roads.places import Within, check_located, place_typed


def route(
    file: GraphFile,
    start: Annotated[
        list[str], typer.Option("--from", metavar="PLACE", show_default=False, help="lon,lat in degrees, or a vertex.")
    ],
    end: Annotated[
        list[str], typer.Option("--to", metavar="PLACE", show_default=False, help="lon,lat in degrees, or a vertex.")
    ],
    output: Annotated[
        Path | None,
        output_option(f"Write the route as a line to a .geojson. {TO_STANDARD}", "OUTPUT"),
    ] = None,
    within: Within = None,
    device: DeviceName = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the shortest way from one place to another.

    The graph has to know where its vertices are, as one that read-map wrote; the way leads from the vertex that is
    nearest to the one place to that nearest to the other. The exit status is 1 if there is none.
    """
    with stated_failures():
        begins, ends = the_only(start, "--from"), the_only(end, "--to")
        check_output(output, force, (".geojson",), as_json)
        import reedsp
        from reedsp.arithmetic.paths import exact_type

        graph, summary = read_with_summary(file, False)
        if output is not None:
            check_located(graph, file)
        source = place_typed(graph, file, begins, "--from", within)
        target = place_typed(graph, file, ends, "--to", within)
        started = time.perf_counter()
        try:
            paths = reedsp.sssp(graph, source.vertex, target=target.vertex, device=device, dtype=exact_type(graph))
        except reedsp.NegativeCycleError as error:
            fail_on_negative_cycle(error, as_json, "a negative cycle can be reached")
        summary |= {"method": paths.method, "device": paths.device, "seconds": time.perf_counter() - started}
        found = paths.dist[graph.index(target.vertex)]
        distance = number(graph, found) if finite(found)[0] else None
        answer: dict[str, Any] = {"source": source.vertex, "source_metres": source.metres}
        answer |= {"target": target.vertex, "target_metres": target.metres}
        answer |= {"distance": distance, "path": None if distance is None else paths.path(target.vertex)}
        if distance is None:
            if as_json:
                print_json({**summary, **answer, "stats": paths.stats})
            raise Failure(f"there is no route from {name_text(source.vertex)} to {name_text(target.vertex)}")
        if output is not None:
            line = json.dumps(reedsp.route_geojson(graph, answer["path"]), default=str)
            write_stream(output, force, lambda stream: stream.write(f"{line}\n".encode()))
        if as_json:
            print_json({**summary, **answer, "stats": paths.stats})
        elif not quiet:
            with beside(output):
                print_graph(summary)
                print_route(source.vertex, answer)
                for end_of, place in (("start", source), ("end", target)):
                    if place.metres is not None:
                        print(f"{end_of:<10}{name_text(place.vertex)}, {place.metres:,.0f} metres from where you said")
                print_end({**summary, "verified": False}, "", output)
