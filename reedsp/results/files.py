"""Results in files, read to be checked: distances or levels with their trees, as CSV or as numpy's ``.npz``, ``.npy``.

A CSV names vertices as the graph's file does. The arrays of ``.npz`` and ``.npy`` count them from 0.
"""

from __future__ import annotations

import csv
import errno
import math
import os
import re
import zipfile
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.edges.device_graph import NO_VERTEX, UNREACHED
from reedsp.graph.graph import Graph
from reedsp.io.archives import Shape, check_archive, check_npy
from reedsp.io.labels import LABELS, TEXT, array_size
from reedsp.system.files.file_errors import named_errors

_NAME = re.compile("-?[0-9]{1,19}")
_INTEGER = re.compile("[+-]?[0-9]{1,400}")
_PLACE_SIZES = {"dist.npy": 8, "exact.npy": 8, "pred.npy": 4, "levels.npy": 4, "nearest.npy": 4}
"""Bytes that an array of a result has at most for a vertex and a source, by its file."""

_NUMBER = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Stored:
    """What a result file says: a row of distances for each source.

    Attributes
    ----------
    sources : list of list of int
        The vertices that each row starts from.
    dist : ndarray, shape (k, n)
        Distances; int64 where all of them are whole, else floating-point. Unspecified where `reached` is false.
    reached, unbounded : ndarray of bool, shape (k, n)
        Where there is a finite distance, and where a path can pass a negative cycle.
    pred : ndarray of int, shape (k, n), or None
    nearest : ndarray of int, shape (n,), or None
    cutoff : float or None
        Longer paths were left out.
    levels : bool
        Whether each edge counts 1.
    stopped_at : int or None
        The search from each source may have stopped at this vertex, and have left out what is farther away.
    any_order : bool
        Whether the weights of a path may have been added in any order, as matrices are, and not from its source on.
    """

    sources: Sequence[list[int]]
    dist: npt.NDArray[Any]
    reached: npt.NDArray[np.bool_]
    unbounded: npt.NDArray[np.bool_]
    pred: npt.NDArray[Any] | None
    nearest: npt.NDArray[Any] | None = None
    cutoff: float | None = None
    levels: bool = False
    stopped_at: int | None = None
    any_order: bool = False


class _LineError(ValueError):
    """What is wrong in a line of a CSV."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"{line}: {what}")


def load(path: Path, graph: Graph, cutoff: float | None = None) -> Stored:
    """Read what the method `save` of a result, or `reedsp.apsp(out=...)`, wrote.

    A matrix in a ``.npy`` file is mapped rather than read; its predecessors are in ``name.pred.npy``, if anywhere.

    Raises
    ------
    ValueError
        The file is no such result, or not one of this graph. The message begins with its name.
    OSError
        It cannot be read.
    """
    try:
        ending = path.suffix.lower()
        if ending == ".csv":
            return _load_csv(path, graph, cutoff)
        if ending == ".npy":
            return matrices(_mapped(path), _mapped_beside(path), graph)
        if ending == ".npz":
            return _load_npz(read_arrays(path, graph), graph, cutoff)
    except _LineError as error:
        raise ValueError(f"{path}:{error}") from None
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None
    raise ValueError(f"{path}: the name does not end in .csv, .npz or .npy")


def _mapped(path: Path) -> npt.NDArray[Any]:
    with named_errors(path):
        with open(path, "rb") as file:
            check_npy(file, os.fstat(file.fileno()).st_size, path.name)
        mapped: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return mapped


def _mapped_beside(path: Path) -> npt.NDArray[Any] | None:
    """Return the predecessors of a matrix, if there are any."""
    try:
        return _mapped(path.with_suffix(".pred.npy"))
    except FileNotFoundError:
        return None


def read_arrays(path: Path, graph: Graph | None = None) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a ``.npz`` file.

    Those of a result may be as large as its graph and its sources justify: rows without paths shrink to little.

    Raises
    ------
    ValueError
        It is none, or holds other than numbers and strings.
    OSError
        It cannot be read.
    """
    with named_errors(path), open(path, "rb") as file:
        try:
            check_archive(file, justified=None if graph is None else partial(_result_sizes, graph))
            file.seek(0)
            with np.load(file) as content:
                return dict(content)
        except MemoryError:
            raise
        except Exception as error:  # zipfile and zlib raise many kinds for an archive that is damaged
            cause = error.__context__ if isinstance(error, zipfile.BadZipFile) else error
            # Without a number it is zipfile that raises it; EINVAL is that of a place before the file.
            if isinstance(cause, OSError) and cause.errno not in (None, errno.EINVAL):
                raise cause from None
            raise ValueError(f"not an archive of arrays: {error}") from None


def _result_sizes(graph: Graph, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return the bytes that arrays of a result may have which are as its graph and its sources say, by their files."""
    texts = array_size([label for label in graph.labels or () if isinstance(label, str)])
    return {f"{LABELS}.npy": texts, f"{TEXT}.npy": texts} | _places(graph.n, shapes)


def _places(n: int, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return those of the arrays with a row for each source, or one for the nearest; none if a shape is another."""
    rows = math.prod(shapes["source.npy"]) if "source.npy" in shapes else n
    if "nearest.npy" in shapes:
        rows = 1
    expected = ((n,), (1, n)) if rows == 1 else ((rows, n),)
    sizes = {name: size * rows * n for name, size in _PLACE_SIZES.items() if name in shapes}
    return sizes if all(shapes[name] in expected for name in sizes) else {}


def _load_npz(content: dict[str, Any], graph: Graph, cutoff: float | None) -> Stored:
    levels = "levels" in content
    if not levels and "dist" not in content:
        raise ValueError("there is neither an array 'dist' nor 'levels'")
    pred = content.get("pred")
    if "source" not in content:
        if levels:
            raise ValueError("there is an array 'levels', but none that is called 'source'")
        return matrices(content["dist"], pred, graph)
    named = np.atleast_1d(content["source"])
    if named.dtype.kind not in "iu" or named.ndim > 1 or not named.size or not ((named >= 0) & (named < graph.n)).all():
        raise ValueError(f"source: {content['source']} is not a vertex of this graph")
    nearest = content.get("nearest")
    sources = [named.tolist()] if nearest is not None else [[each] for each in named.tolist()]
    dist = np.atleast_2d(content["levels" if levels else "dist"])
    if "cutoff" in content:
        stored = content["cutoff"]
        if stored.shape or stored.dtype.kind not in "iuf":
            raise ValueError(f"cutoff: expected a number, got {stored.dtype} of shape {stored.shape}")
        if not stored >= 0:
            raise ValueError(f"cutoff: expected a number of at least 0, got {stored}")
        cutoff = float(stored) if stored.dtype.kind == "f" else int(stored)
    stored = _rows(sources, dist, None if pred is None else np.atleast_2d(pred), graph, nearest, cutoff, levels)
    if "stopped_at" not in content:
        return stored
    stopped_at = content["stopped_at"]
    if stopped_at.shape or stopped_at.dtype.kind not in "iu" or not 0 <= stopped_at < graph.n:
        raise ValueError(f"stopped_at: {stopped_at} is not a vertex of this graph")
    return replace(stored, stopped_at=int(stopped_at))


def matrices(dist: npt.NDArray[Any], pred: npt.NDArray[Any] | None, graph: Graph) -> Stored:
    """Return a matrix of distances, and of predecessors if there is one, as what a file of them holds.

    Raises
    ------
    ValueError
        One is of another shape, or not of numbers.
    """
    stored = _rows([[source] for source in range(graph.n)], dist, pred, graph, None, None, False)
    return replace(stored, any_order=True)


def _rows(
    sources: list[list[int]],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[Any] | None,
    graph: Graph,
    nearest: npt.NDArray[Any] | None,
    cutoff: float | None,
    levels: bool,
) -> Stored:
    """Check shapes and types, and find out where there is a path. Matrices stay mapped: see :func:`masks`."""
    shape = (len(sources), graph.n)
    for name, each in (("distances", dist), ("pred", pred)):
        if each is not None and each.shape != shape:
            raise ValueError(f"the {name} have shape {each.shape}, but this graph needs {shape}")
    if dist.dtype.kind not in "iuf" or (pred is not None and pred.dtype.kind not in "iu"):
        raise ValueError(f"expected numbers, got {dist.dtype}{'' if pred is None else f' and {pred.dtype}'}")
    if nearest is not None and (nearest.shape != (graph.n,) or nearest.dtype.kind not in "iu"):
        raise ValueError(f"expected nearest to be {graph.n} vertices, got {nearest.dtype} of shape {nearest.shape}")
    nothing = np.empty((0, 0), bool)
    return Stored(sources, dist, nothing, nothing, pred, nearest, cutoff, levels)


def masks(stored: Stored, row: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return where a row has a finite distance, and where a path can pass a negative cycle."""
    if stored.reached.size:
        return stored.reached[row], stored.unbounded[row]
    dist = stored.dist[row]
    if stored.levels:
        return dist != UNREACHED, np.zeros(len(dist), bool)
    if dist.dtype.kind == "f":
        return np.isfinite(dist), np.isneginf(dist)
    limits = np.iinfo(dist.dtype)
    return (dist != limits.max) & ((dist != limits.min) | (limits.min == 0)), (dist == limits.min) & (limits.min < 0)


def _load_csv(path: Path, graph: Graph, cutoff: float | None) -> Stored:
    with named_errors(path), open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        known = {name: place for place, name in enumerate(header)}
        levels = "level" in known
        if not {"vertex", "level" if levels else "distance", "predecessor"} <= set(known):
            raise _LineError(1, f"expected the columns vertex, distance and predecessor, got {','.join(header)!r}")
        several, near = "source" in known, "nearest" in known
        names = _Names(graph)
        table = _Table()
        for line, fields in enumerate(reader, 2):
            if len(fields) != len(header):
                raise _LineError(line, f"expected {len(header)} fields, got {len(fields)}")
            table.sources.append(names.vertex(fields[known["source"]], line) if several else 0)
            table.vertices.append(names.vertex(fields[known["vertex"]], line))
            table.values.append(_value(fields[known["level" if levels else "distance"]], line))
            table.pred.append(names.vertex_or_none(fields[known["predecessor"]], line))
            table.nearest.append(names.vertex_or_none(fields[known["nearest"]], line) if near else NO_VERTEX)
    if not table.values:
        raise ValueError("there is no vertex in it")
    keys, order = table.arranged(graph, several)
    shape = len(keys), graph.n
    dist, reached, unbounded = _values([table.values[line] for line in order.tolist()], shape)
    pred = np.array(table.pred)[order].reshape(shape)
    starts = _starts(keys, several, reached, pred, near)
    nearest = np.array(table.nearest)[order].reshape(shape)[0] if near else None
    return Stored(starts, dist, reached, unbounded, pred, nearest, cutoff, levels)


def _starts(
    keys: list[int], several: bool, reached: npt.NDArray[np.bool_], pred: npt.NDArray[Any], near: bool
) -> list[list[int]]:
    """Return the sources of each row: they are named, or have a distance and no predecessor."""
    if several:
        return [[source] for source in keys]
    roots = np.flatnonzero(reached[0] & (pred[0] == NO_VERTEX)).tolist()
    if not roots or (len(roots) > 1 and not near):
        raise ValueError(f"{len(roots)} vertices have a distance but no predecessor, where one source is expected")
    return [roots]


class _Names:
    """Vertices by the names that a CSV calls them by."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._vertex_of: dict[str, int] = {}
        if graph.labels is not None:
            self._vertex_of = {str(label): vertex for vertex, label in enumerate(graph.labels)}
            if len(self._vertex_of) < graph.n:
                raise ValueError("two vertices are called alike in a .csv; a .npz tells them apart")
            if "" in self._vertex_of:
                raise ValueError("the name of a vertex is empty, which is no vertex in a .csv; a .npz tells them apart")

    def vertex(self, text: str, line: int) -> int:
        if self._graph.labels is not None:
            vertex = self._vertex_of.get(text, -1)
        else:
            vertex = int(text) - self._graph.offset if _NAME.fullmatch(text) else -1
        if not 0 <= vertex < self._graph.n:
            raise _LineError(line, f"{text[:40]!r} is not a vertex of this graph")
        return vertex

    def vertex_or_none(self, text: str, line: int) -> int:
        return self.vertex(text, line) if text else NO_VERTEX


class _Table:
    """What the lines of a CSV say, in their order: as much memory as lines, whatever they claim."""

    def __init__(self) -> None:
        self.sources, self.vertices = array("q"), array("q")
        self.values: list[int | float] = []
        self.pred, self.nearest = array("q"), array("q")

    def arranged(self, graph: Graph, several: bool) -> tuple[list[int], npt.NDArray[np.intp]]:
        """Return the sources as they first appear, and for each of them the lines of all vertices, in their order.

        Where there may be several, one that was given several times has as many lines for each vertex, and is returned
        as often.
        """
        times, rows = _occurrences(np.array(self.sources), np.array(self.vertices)), np.array(self.sources)
        sources, firsts, rows = np.unique(rows + graph.n * times, return_index=True, return_inverse=True)
        by_appearance = np.argsort(firsts)
        rows = np.argsort(by_appearance)[rows]
        vertices = np.array(self.vertices)
        order = np.lexsort((vertices, rows))
        rows, vertices = rows[order], vertices[order]
        short = np.flatnonzero(np.bincount(rows, minlength=len(sources)) < graph.n)
        if (short.size or not several) and (again := times > 0).any():
            raise _LineError(int(np.argmax(again)) + 2, "a second line for the same vertex")
        if short.size:
            missing = graph.names[np.setdiff1d(np.arange(graph.n), vertices[rows == short[0]])[0]]
            raise ValueError(
                f"vertex {missing} is missing: only the distances of all vertices together can be checked edge by edge"
            )
        return (sources[by_appearance] % graph.n).tolist(), order


def _occurrences(*columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each line how many lines before it say the same."""
    order = np.lexsort(columns)
    same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in columns])
    first = np.maximum.accumulate(np.where(np.append(False, same), 0, np.arange(len(order))))
    times = np.empty(len(order), np.int64)
    times[order] = np.arange(len(order)) - first
    return times


def _value(text: str, line: int) -> int | float:
    if text in ("inf", "-inf"):
        return float(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return int(text) if _INTEGER.fullmatch(text) else number
    raise _LineError(line, f"expected a distance, got {text[:40]!r}")


def _values(
    values: list[int | float], shape: tuple[int, int]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return distances as int64 where they are all written as integers, and where they are finite and -inf."""
    infinite = np.array([value in (np.inf, -np.inf) for value in values])
    finite = [0 if out else value for value, out in zip(values, infinite.tolist(), strict=True)]
    integral = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in finite)
    numbers = np.array(finite, np.int64 if integral else np.float64).reshape(shape)
    endless = np.array([value == -np.inf for value in values])
    return numbers, ~infinite.reshape(shape), endless.reshape(shape)
