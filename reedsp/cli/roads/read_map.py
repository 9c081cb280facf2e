"""``reedsp read-map``: the roads of a map as a graph in a file."""

from __future__ import annotations

import enum
import time
import warnings
from pathlib import Path
from typing import Annotated

import typer

from reedsp.cli.options import Force, Json, Quiet
from reedsp.cli.output import Failure, check_place, input_text, print_json, refuse, size_text, stated_failures
from reedsp.system.progress_bar import LATE, edges_bar


class Profile(enum.StrEnum):
    """Who travels."""

    car = "car"
    bicycle = "bicycle"
    foot = "foot"


class Weight(enum.StrEnum):
    """What edges weigh."""

    time = "time"
    length = "length"


def read_map(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="MAP", show_default=False, help="Map of OpenStreetMap: .osm, .osm.gz, .osm.bz2 or .osm.pbf."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="The graph to write: .npz keeps the places of the vertices; also what convert writes.",
        ),
    ],
    profile: Annotated[
        Profile, typer.Option(metavar="PROFILE", help=f"Who travels: {', '.join(Profile)}.")
    ] = Profile.car,
    weight: Annotated[
        Weight, typer.Option(metavar="WEIGHT", help="What edges weigh: time, in milliseconds, or length, in mm.")
    ] = Weight.time,
    clipped: Annotated[
        bool, typer.Option("--clipped", help="Leave out parts of roads whose nodes the map does not hold.")
    ] = False,
    connected: Annotated[
        bool,
        typer.Option("--connected", help="Keep the largest part in which a way leads from each vertex to each other."),
    ] = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the roads of a map as a graph.

    Vertices are the nodes of the roads that a car, a bicycle or a walker may use, called by their numbers in
    OpenStreetMap. One-way streets, closed roads, barriers and speed limits are heeded; forbidden turns are not.
    """
    with stated_failures():
        import reedsp
        from reedsp.io import writers
        from reedsp.io.readers import suffix

        if suffix(output.name) not in writers.FORMATS:
            refuse(f"{output} does not end in {', '.join(writers.FORMATS)}, with or without .gz or .xz", "--output")
        check_place(output, force)
        started = time.perf_counter()
        try:
            graph = reedsp.read_osm(file, profile.value, weight.value, clipped=clipped, connected=connected)
        except ImportError as error:
            raise Failure(str(error)) from None
        except ValueError as error:
            raise Failure(str(error).replace("clipped=True", "--clipped")) from None
        read_seconds = time.perf_counter() - started
        changes = writers.changes(graph, output)
        with edges_bar("writing", after=LATE) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `changes` says the same
            writers.write(graph, output, overwrite=force, progress=progress)
        summary = {
            "file": str(file),
            "output": str(output),
            "profile": profile.value,
            "weight": weight.value,
            "vertices": graph.n,
            "edges": graph.m,
            "bytes": output.stat().st_size,
            "changes": changes,
            "read_seconds": read_seconds,
        }
        if as_json:
            print_json(summary)
        elif not quiet:
            size = f"{graph.n:,} vertices, {graph.m:,} edges"
            print(f"read      {input_text(file)}: {size} for {profile.value}, in {read_seconds:.3f} s")
            print(f"written   {output}: {size_text(output.stat().st_size)}")
            for change in changes:
                print(f"changed   {change}")
