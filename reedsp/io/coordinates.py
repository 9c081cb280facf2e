"""Coordinate files of DIMACS (.co): where the vertices of a graph lie."""

from __future__ import annotations

import math
import os
from array import array
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.io.readers import (
    DECIMAL,
    Text,
    check_vertices,
    lines_of,
    narrow,
    natural,
    open_text,
    quote,
    split,
    vertex_of,
)
from reedsp.io.words import naturals, numbers, words_in_columns

_LAYOUT = "v vertex x y"


class _Places(NamedTuple):
    """What a block of text holds: vertices from 0, shape (count,); x and y, shape (count, 2); line numbers."""

    vertices: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    places: npt.NDArray[np.float64]
    lines: range | npt.NDArray[np.int64]


def read_coordinates(path: str | os.PathLike[str]) -> npt.NDArray[np.float64]:
    """Read a DIMACS coordinate file (``p aux sp co n``, then a line ``v vertex x y`` for each vertex).

    gzip and xz compression are recognised by content. Give the result to :meth:`Graph.with_coordinates`.

    Parameters
    ----------
    path : str or path-like
        A regular file.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        x and y of vertex 0, 1, ..., which the file counts from 1, in the file's unit: road networks give longitude
        and latitude in millionths of a degree, which :meth:`Graph.with_coordinates` recognises.

    Raises
    ------
    ValueError
        The file is not a valid one, or does not name each vertex once. The message begins with ``path:line:``.
    OSError
        The file cannot be opened or read, or is not a regular file.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.read("USA-road-d.NY.gr.gz")  # doctest: +SKIP
    >>> graph = graph.with_coordinates(reedsp.read_coordinates("USA-road-d.NY.co.gz"))  # doctest: +SKIP
    """
    with open_text(path) as text:
        return _read_co(text)


def _read_co(text: Text) -> npt.NDArray[np.float64]:
    line, header = text.data_line(b"c")
    fields = header.split()
    if fields[:4] != [b"p", b"aux", b"sp", b"co"] or len(fields) != 5:
        raise text.fault(line, f"expected a header 'p aux sp co n', got {quote(header)}")
    n = natural(text, line, fields[4])
    parts = [_place_lines(text, 1, b"", n)]
    for first_line, block in text.blocks():
        if rows := _place_block(first_line, block, n):
            parts.append(rows)
            continue
        for number, part in split(first_line, block):
            parts.append(_place_block(number, part, n) or _place_lines(text, number, part, n))
    check_vertices(text, line, n)
    vertices = np.concatenate([part.vertices for part in parts])
    times = np.bincount(vertices, minlength=n)
    if (times > 1).any():
        raise _repeated(text, parts, times)
    if len(vertices) < n:
        raise text.fault(text.lines, f"line {line} declares {n} vertices, but {int(np.argmin(times)) + 1} is missing")
    places = np.empty((n, 2))
    places[vertices] = np.concatenate([part.places for part in parts])
    return places


def _repeated(text: Text, parts: list[_Places], times: npt.NDArray[np.intp]) -> ValueError:
    """Return the error for the first line that names a vertex once more."""
    named = (
        (int(part.lines[row]), int(part.vertices[row]))
        for part in parts
        for row in np.flatnonzero(times[part.vertices] > 1).tolist()
    )
    seen: set[int] = set()
    line, vertex = next(named)
    while vertex not in seen:
        seen.add(vertex)
        line, vertex = next(named)
    return text.fault(line, f"vertex {vertex + 1} once more")


def _place_block(first_line: int, block: bytes, n: int) -> _Places | None:
    """Parse a block of coordinates at once; None when anything else is in it."""
    words = words_in_columns(block, 4, b"v")
    if words is None:
        return None
    data, starts, ends = words
    vertices = naturals(data, starts[:, 0], ends[:, 0])
    x, y = (numbers(data, starts[:, axis], ends[:, axis], real=True) for axis in (1, 2))
    if vertices is None or x is None or y is None or vertices.min() < 1 or vertices.max() > n:
        return None
    places = np.stack((x, y), axis=1).astype(np.float64)
    if not np.isfinite(places).all():
        return None
    return _Places(narrow(vertices - 1), places, range(first_line, first_line + len(starts)))


def _place_lines(text: Text, first_line: int, block: bytes, n: int) -> _Places:
    """Parse a block line by line."""
    vertices, lines, places = array("q"), array("q"), array("d")
    for number, line in lines_of(first_line, block):
        fields = line.split(None, 4)
        if not fields or fields[0][:1] == b"c":
            continue
        if fields[0] == b"p":
            raise text.fault(number, f"a second header: {quote(line)}")
        if len(fields) != 4 or fields[0] != b"v":
            raise text.fault(number, f"expected '{_LAYOUT}', got {quote(line)}")
        vertices.append(vertex_of(text, number, fields[1], 1, n) - 1)
        places.extend(_coordinate(text, number, field) for field in fields[2:])
        lines.append(number)
    rows = np.array(vertices, np.int64)
    return _Places(narrow(rows), np.array(places, np.float64).reshape(-1, 2), np.array(lines, np.int64))


def _coordinate(text: Text, line: int, field: bytes) -> float:
    if not DECIMAL.fullmatch(field):
        raise text.fault(line, f"expected a number as coordinate, got {quote(field)}")
    value = float(field)
    if math.isinf(value):
        raise text.fault(line, f"the coordinate {quote(field)} is too large for float64")
    return value
