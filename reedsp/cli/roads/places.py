"""Places as the command line takes them: longitude and latitude, or vertices, typed or in a CSV file."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from reedsp.cli.graph import vertex_called
from reedsp.cli.options import distance_typed, file_typed
from reedsp.cli.output import Failure, content_of, input_text, name_text, refuse
from reedsp.cli.status import say

if TYPE_CHECKING:
    from reedsp import Graph

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_TYPED = re.compile(rf"({_NUMBER}), ?({_NUMBER})")
_ALMOST_TYPED = re.compile(rf"{_NUMBER}[ ;/]+{_NUMBER}|[+-]?[0-9]*\.[0-9]+")
_FAR = 50_000  # metres from its vertex, beyond which a place is likely to be a mistake
_LONGITUDE, _LATITUDE = ("lon", "longitude", "lng"), ("lat", "latitude")


class Place(NamedTuple):
    """A place and its vertex.

    Attributes
    ----------
    name : str or other name
        Its name in the file, or else its vertex; several may be at one.
    vertex : name
    metres : float or None
        How far its vertex is away; None if the vertex itself was named.
    """

    name: Any
    vertex: Any
    metres: float | None


PlacesFile = Annotated[
    Path,
    typer.Argument(
        parser=file_typed,
        metavar="PLACES",
        show_default=False,
        help="CSV with the columns lon and lat in degrees, or vertex, and if wanted name. - is standard input.",
    ),
]
Within = Annotated[
    Any,
    typer.Option(
        parser=distance_typed,
        metavar="METRES",
        show_default=False,
        help="Fail if a place is farther from its vertex than this.",
    ),
]


def check_located(graph: Graph, file: Path) -> None:
    """Check that a graph knows where its vertices are.

    Raises
    ------
    Failure
    """
    if not graph.geographic:
        raise Failure(
            f"{input_text(file)}: it does not say where vertices are on the earth; a .npz of `reedsp read-map` does"
        )


def place_typed(graph: Graph, file: Path, text: str, option: str, within: float | None = None) -> Place:
    """Return the place that is typed as ``lon,lat``, or the vertex that is called so, of the graph of a file.

    Raises
    ------
    Failure
        The graph does not know where its vertices are, or the place is farther from its vertex than `within`.
    """
    found = _TYPED.fullmatch(text)
    if found is None:
        if _ALMOST_TYPED.fullmatch(text) and text not in graph:
            refuse(f"expected lon,lat, two numbers with a comma between them, or a vertex, got {text!r}", option)
        vertex = vertex_called(graph, text, option)
        return Place(vertex, vertex, None)
    from reedsp import nearest_vertices

    check_located(graph, file)
    try:
        vertices, metres = nearest_vertices(graph, [[float(found[1]), float(found[2])]])
    except ValueError as error:
        refuse(str(error).replace("places[0, 0]", "longitude").replace("places[0, 1]", "latitude"), option)
    away = f"the vertex that is nearest to {text}, {name_text(vertices[0])}, is {metres[0]:,.0f} metres away"
    if within is not None and metres[0] > within:
        raise Failure(f"{option}: {away}")
    if metres[0] > _FAR:
        say(f"warning: {option}: {away}; the longitude comes first, then the latitude")
    return Place(vertices[0], vertices[0], float(metres[0]))


def read_places(graph: Graph, graph_file: Path, file: Path, within: float | None = None) -> list[Place]:
    """Return the places of a CSV file, in the graph of another.

    Raises
    ------
    Failure
        It is no such file; the message names the line. Or a place is farther from its vertex than `within`, or the
        graph does not know where its vertices are.
    """
    rows, name = _read_rows(file), input_text(file)
    if not rows:
        raise Failure(f"{name}: there are no places in it")
    columns = rows[0][1].keys()
    longitude = next((each for each in _LONGITUDE if each in columns), None)
    latitude = next((each for each in _LATITUDE if each in columns), None)
    if "vertex" in columns:
        places = [_named(graph, name, line, row) for line, row in rows]
    elif longitude and latitude:
        check_located(graph, graph_file)
        places = _located(graph, name, rows, longitude, latitude)
    else:
        raise Failure(f"{name}:1: expected columns lon and lat, or vertex, got {', '.join(columns)}")
    _check(name, rows, places, within)
    return places


def farthest(places: list[Place]) -> Place | None:
    """Return the place whose vertex is the farthest away, if the places are not vertices."""
    located = [place for place in places if place.metres is not None]
    return max(located, key=lambda place: place.metres or 0.0, default=None)


def _read_rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows below the names of the columns, each with the number of its line.

    Spaces around fields do not count. Columns without a name are left out, as a spreadsheet writes them behind the
    others.
    """
    called = input_text(file)
    try:
        reader = csv.reader(io.StringIO(content_of(file).decode("utf-8-sig"), newline=""), strict=True)
        columns = [name.strip().lower() for name in next(reader, [])]
        if len(columns) == 1 and re.search("[;\t]", columns[0]):
            raise Failure(f"{called}:1: columns have to be separated by commas, got {columns[0]!r}")
        named = [name for name in columns if name]
        if len(set(named)) != len(named):
            raise Failure(f"{called}:1: two columns of one name: {', '.join(named)}")
        rows = []
        for fields in reader:
            if len(fields) != len(columns) and fields:
                raise Failure(f"{called}:{reader.line_num}: expected {len(columns)} fields, got {len(fields)}")
            if fields:
                row = zip(columns, fields, strict=True)
                rows.append((reader.line_num, {name: field.strip() for name, field in row if name}))
    except UnicodeDecodeError as error:
        raise Failure(f"{called}: expected UTF-8: {error}") from None
    except csv.Error as error:
        raise Failure(f"{called}:{reader.line_num}: {error}") from None
    return rows


def _named(graph: Graph, file: str, line: int, row: dict[str, str]) -> Place:
    """Return the place of a row that names a vertex."""
    text = row["vertex"]
    for name in (int(text), text) if re.fullmatch("-?[0-9]{1,100}", text) else (text,):  # int() refuses thousands
        if name in graph:
            vertex = graph.names[graph.index(name)]
            return Place(row.get("name") or vertex, vertex, None)
    raise Failure(f"{file}:{line}: {text!r} is not a vertex of the graph")


def _located(
    graph: Graph, file: str, rows: list[tuple[int, dict[str, str]]], longitude: str, latitude: str
) -> list[Place]:
    """Return the places of rows with longitude and latitude."""
    from reedsp import nearest_vertices

    degrees = [
        (_degrees(file, line, row, longitude, 180), _degrees(file, line, row, latitude, 90)) for line, row in rows
    ]
    vertices, metres = nearest_vertices(graph, degrees)
    return [
        Place(row.get("name") or vertex, vertex, away)
        for (_, row), vertex, away in zip(rows, vertices, metres.tolist(), strict=True)
    ]


def _degrees(file: str, line: int, row: dict[str, str], column: str, most: float) -> float:
    try:
        value = float(row[column])
    except ValueError:
        value = math.nan
    if "_" in row[column] or not abs(value) <= most:
        raise Failure(f"{file}:{line}: {column} is {row[column]!r}, expected degrees from -{most} to {most}")
    return value


def _check(file: str, rows: list[tuple[int, dict[str, str]]], places: list[Place], within: float | None) -> None:
    """Check that names tell places apart, and that none is too far from its vertex; warn if some are far."""
    _check_names(file, rows, places)
    far = []
    for (line, _), place in zip(rows, places, strict=True):
        if place.metres is None:
            continue
        away = f"{file}:{line}: the nearest vertex, {name_text(place.vertex)}, is {place.metres:,.0f} metres away"
        if within is not None and place.metres > within:
            raise Failure(away)
        if place.metres > _FAR:
            far.append(away)
    if far:
        count = f", the first of {len(far):,} such places" if len(far) > 1 else ""
        say(f"warning: {far[0]}{count}; are longitude and latitude exchanged?")


def _check_names(file: str, rows: list[tuple[int, dict[str, str]]], places: list[Place]) -> None:
    """Check that no place has the name of another, which may be called by its vertex, unless both are the same."""
    both = list(zip(rows, places, strict=True))
    unnamed = {str(place.vertex): (line, place.vertex) for (line, row), place in both if not row.get("name")}
    lines: dict[Any, int] = {}
    for (line, row), place in both:
        if not row.get("name"):
            continue
        if lines.setdefault(place.name, line) != line:
            raise Failure(f"{file}:{line}: {place.name!r} is also the name of line {lines[place.name]}")
        other, vertex = unnamed.get(place.name, (line, place.vertex))
        if vertex != place.vertex:
            raise Failure(f"{file}:{line}: {place.name!r} is also the vertex of line {other}, which has no name")
