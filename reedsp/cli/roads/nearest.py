"""``reedsp nearest``: the vertex of a graph that is nearest to each of some places."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Annotated

from reedsp.cli.graph import print_graph, read_with_summary
from reedsp.cli.options import TO_STANDARD, Force, GraphFile, Json, Quiet, output_option
from reedsp.cli.output import (
    STANDARD,
    beside,
    check_inputs,
    check_output,
    name_text,
    new_table,
    print_json,
    print_table,
    stated_failures,
    write_stream,
)
from reedsp.cli.roads.places import Place, PlacesFile, Within, read_places

_SHOWN = 20


def nearest(
    file: GraphFile,
    places: PlacesFile,
    output: Annotated[
        Path | None, output_option(f"Write name, vertex and metres of all places to a .csv. {TO_STANDARD}", "OUTPUT")
    ] = None,
    within: Within = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the vertex that is nearest to each of some places on the earth, as the crow flies.

    The graph has to know where its vertices are, as one that read-map wrote.
    """
    with stated_failures():
        check_inputs("FILE and PLACES", file, places)
        check_output(output, force, (".csv",), as_json)
        graph, summary = read_with_summary(file, False)
        found = read_places(graph, file, places, within)
        if output is not None:
            write_stream(output, force, lambda stream: _write(stream, found))
        if as_json:
            print_json({**summary, "places": [place._asdict() for place in found]})
        elif not quiet:
            with beside(output):
                print_graph(summary)
                _print(found)
                if output is not None and output != STANDARD:
                    print(f"written   {output}")


def _write(stream: IO[bytes], places: list[Place]) -> None:
    from reedsp.results.text import csv_writer

    with csv_writer(stream, Place._fields) as writer:
        writer.writerows(_fields(place) for place in places)


def _fields(place: Place) -> tuple[str, str, str]:
    return str(place.name), str(place.vertex), "" if place.metres is None else f"{place.metres:.1f}"


def _print(places: list[Place]) -> None:
    table = new_table(*Place._fields, right=("metres",))
    for place in places[:_SHOWN]:
        table.add_row(*map(name_text, _fields(place)))
    print_table(table)
    if len(places) > _SHOWN:
        print(f"and {len(places) - _SHOWN:,} more")
