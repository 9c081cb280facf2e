"""``reedsp table``: the distances between places, each from each."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import fail_on_negative_cycle, finite, number, print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, DeviceName, Force, GraphFile, Json, Quiet, file_typed, output_option
from reedsp.cli.output import (
    STANDARD,
    beside,
    check_inputs,
    check_output,
    name_text,
    print_json,
    stated_failures,
    write_stream,
)
from reedsp.cli.roads.places import Place, PlacesFile, Within, farthest, read_places

if TYPE_CHECKING:
    from reedsp import Graph


def table(
    file: GraphFile,
    places: PlacesFile,
    to: Annotated[
        Path | None,
        typer.Option(
            parser=file_typed,
            metavar="PLACES",
            show_default=False,
            help="Where the ways end, a file of the same kind; else the same.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            f"Write source, target and distance of each pair to a .csv; inf is no way. {TO_STANDARD}", "OUTPUT"
        ),
    ] = None,
    within: Within = None,
    device: DeviceName = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the distances between places, from each to each.

    Distances are in the unit of the weights: milliseconds, or millimetres, in a graph that read-map wrote. Ways lead
    between the vertices that are nearest to the places.
    """
    with stated_failures():
        check_inputs("FILE, PLACES and --to", file, places, to)
        check_output(output, force, (".csv",), as_json)
        import reedsp
        from reedsp.algorithms.routes.tables import table_and_device
        from reedsp.arithmetic.paths import exact_type

        graph, summary = read_with_summary(file, False)
        sources = read_places(graph, file, places, within)
        targets = sources if to is None else read_places(graph, file, to, within)
        vertices = [each.vertex for each in sources], [each.vertex for each in targets]
        started = time.perf_counter()
        try:
            dist, where = table_and_device(graph, *vertices, device=device, dtype=exact_type(graph))
        except reedsp.NegativeCycleError as error:
            fail_on_negative_cycle(error, as_json, "a negative cycle can be reached")
        summary |= {"device": where, "seconds": time.perf_counter() - started}
        if output is not None:
            write_stream(output, force, lambda stream: _write(stream, graph, sources, targets, dist))
        answer = _answer(graph, sources, targets, dist)
        if as_json:
            print_json({**summary, **answer})
        elif not quiet:
            with beside(output):
                print_graph(summary)
                _print(answer, len(sources) * len(targets))
                print(f"solved    {summary['seconds']:.3f} s on {where}")
                if output is not None and output != STANDARD:
                    print(f"written   {output}")


def _write(stream: IO[bytes], graph: Graph, sources: list[Place], targets: list[Place], dist: Any) -> None:
    from reedsp.results.text import csv_writer

    with csv_writer(stream, ("source", "target", "distance")) as writer:
        for source, row in zip(sources, dist, strict=True):
            present, _ = finite(row)
            for target, distance, reached in zip(targets, row.tolist(), present.tolist(), strict=True):
                writer.writerow((source.name, target.name, number(graph, distance) if reached else "inf"))


def _answer(graph: Graph, sources: list[Place], targets: list[Place], dist: Any) -> dict[str, Any]:
    """Return what there is to say about a table."""
    import numpy as np

    reached, _ = finite(dist)
    least = -np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).min
    off = farthest([*sources, *targets])
    found: dict[str, Any] = {"sources": len(sources), "targets": len(targets)}
    found |= {"reachable_pairs": int(np.count_nonzero(reached)), "max_distance": None, "farthest_pair": None}
    found["farthest_place"] = None if off is None else off._asdict()
    if reached.any():
        source, target = np.unravel_index(np.argmax(np.where(reached, dist, least)), dist.shape)
        found["max_distance"] = number(graph, dist[source, target])
        found["farthest_pair"] = [sources[int(source)].name, targets[int(target)].name]
    return found


def _print(answer: dict[str, Any], pairs: int) -> None:
    print(f"reached   {answer['reachable_pairs']:,} of {pairs:,} pairs of places")
    if answer["farthest_pair"] is not None:
        source, target = answer["farthest_pair"]
        print(f"farthest  {answer['max_distance']}, from {name_text(source)} to {name_text(target)}")
    place = answer["farthest_place"]
    if place is not None:
        name, vertex = name_text(place["name"]), name_text(place["vertex"])
        print(f"off road  at most {place['metres']:,.0f} metres: {name}, whose vertex is {vertex}")
