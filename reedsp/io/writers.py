"""Graphs written to files: every format that :mod:`reedsp.io.readers` reads, plain or compressed.

What is read back is the same graph. Integers stay integers, and a float is written with the fewest digits that mean
it and no other. A graph that a format cannot hold is refused, and so is one whose text would be too short to be
believed; what only concerns the names of the vertices is told.

Text is made a block of edges at a time, as a matrix of characters: a column for each place that a number may fill,
from which those that are not filled are then left out.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.arguments import refuse_other_than_graph
from reedsp.graph.graph import Graph
from reedsp.io.archives import DEFLATE_LEVEL
from reedsp.io.decimals import shortest_decimals
from reedsp.io.labels import LABELS, label_arrays
from reedsp.io.readers import suffix, text_is_accepted
from reedsp.system.files.atomic_file import write_whole
from reedsp.system.files.path_argument import path_argument
from reedsp.system.progress_bar import edges_bar

_BLOCK = 2**16
"""Edges that are made text at a time: some 60 bytes each."""

_ARCHIVE_BLOCK = 2**20
"""Bytes of an array that are put into an archive at a time."""

_FOUR_DIGITS = np.frombuffer(b"".join(b"%04d" % number for number in range(10_000)), np.uint32)
_POWERS = 10 ** np.arange(20, dtype=np.uint64)

_Characters = tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]
"""Characters of shape (count, width), and which of them are text."""

_Blocks = Iterator[tuple[bytes, int]]
"""Pieces of a file, each with the number of edges up to its end."""


def write(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | bool | None = None,
) -> None:
    """Write a graph to a file, which :func:`reedsp.read` reads back as the same graph.

    The format follows from the name; ``.gz`` or ``.xz`` behind it compresses the file. The file appears under its
    name when it is complete.

    ============ ======================================================================================
    name         format
    ============ ======================================================================================
    .gr          DIMACS shortest path; an undirected graph lists both directions, and is read back as directed.
                 The format asks for whole weights; fractional ones are written, too
    .mtx         Matrix Market, coordinate format: pattern where all weights are the integer 1, else integer or
                 real; symmetric for an undirected graph
    .el          edge list without weights: for graphs whose weights are all the integer 1. Has a first line ``n m``
                 where the last vertices have no edges
    .wel         edge list with weights
    .graph       METIS: for graphs in which each edge has a counterpart of the same weight, without self loops
    .npz         as :func:`scipy.sparse.save_npz` writes it, with the direction, the numbering, the labels and the
                 coordinates besides
    ============ ======================================================================================

    Integers of any width are read back from text as int64, those that are all 1 as int32 where the format leaves them
    out, and float32 as float64; ``.npz`` keeps the type. Edge lists
    are numbered by the labels where those are ascending natural numbers and every vertex has an edge, so that
    ``read(path, relabel=True)`` restores them; otherwise from 0. The other texts count from 1.

    Parameters
    ----------
    graph : Graph
    path : str or path-like
    overwrite : bool
        Whether a file of this name may be replaced.
    progress : bool or callable(edges, m), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with the number of edges that have been written, and that of all.

    Warns
    -----
    UserWarning
        The names of the vertices, labels or numbers, or their coordinates, are lost.

    Raises
    ------
    ValueError
        The name tells no format, or the format cannot hold this graph; the message names an edge or a vertex. Or it has
        so many vertices, millions, and so few edges that :func:`reedsp.read` would refuse the text; ``.npz`` holds it.
    FileExistsError
        There is a file of this name, and `overwrite` is false.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [7, 2.5])
    >>> reedsp.write(graph, "two-edges.wel", overwrite=True)
    >>> with open("two-edges.wel") as file:
    ...     print(file.read(), end="")
    0 1 7.0
    1 2 2.5
    """
    bar = edges_bar("writing", progress)
    refuse_other_than_graph(graph)
    file = Path(path_argument(path, "path"))
    writer = _writer(file)
    blocks = writer(graph)
    renumbered = _renumbering(graph, suffix(file.name)) if graph.has_names else []
    for lost in renumbered + _losses(graph, file):
        warnings.warn(f"{file}: {lost}", stacklevel=2)
    with bar as report:
        write_whole(file, partial(_write_blocks, file, blocks, graph, report), overwrite=overwrite)


def changes(graph: Graph, path: str | os.PathLike[str]) -> list[str]:
    """Say how vertices and edges will be named differently in a file of this name, one clause a change.

    Nothing of this alters a shortest path.

    Raises
    ------
    TypeError
        It is no graph.
    ValueError
        The name tells no format.

    Examples
    --------
    >>> import reedsp
    >>> roads = reedsp.Graph.from_edges(2, [0], [1], [30], directed=False, labels=["Bern", "Thun"])
    >>> reedsp.changes(roads, "roads.gr")
    ['each edge is listed in both directions', 'the labels of the vertices are lost']
    """
    refuse_other_than_graph(graph)
    file = Path(path_argument(path, "path"))
    _writer(file)
    form = suffix(file.name)
    found = _renumbering(graph, form)
    if form != ".npz":
        if not graph.directed and form in (".gr", ".el", ".wel"):
            found.append("each edge is listed in both directions")
        if graph.directed and form == ".graph":
            found.append("the graph is undirected")
    return found + _losses(graph, file)


def _writer(file: Path) -> Callable[[Graph], _Blocks]:
    form = suffix(file.name)
    if form not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"path = {str(file)!r} does not end in one of {known}, with or without .gz or .xz")
    return FORMATS[form]


def _renumbering(graph: Graph, form: str) -> list[str]:
    """Say so if the vertices, which have numbers, get others."""
    first = 0 if form in (".el", ".wel") else 1
    if form == ".npz" or graph.labels is not None or graph.offset == first or not graph.n:
        return []
    return [f"vertices are numbered from {first}, no longer from {graph.offset}"]


def _losses(graph: Graph, file: Path) -> list[str]:
    lost = ["the labels of the vertices are lost"] if _loses_labels(graph, file) else []
    loses_coordinates = graph.coordinates is not None and suffix(file.name) != ".npz"
    return lost + (["the coordinates of the vertices are lost"] if loses_coordinates else [])


def _loses_labels(graph: Graph, file: Path) -> bool:
    if not graph.labels:
        return False
    form = suffix(file.name)
    if form == ".npz":
        return not label_arrays(graph.labels)
    return form not in (".el", ".wel") or _numbers(graph) is None


def _write_blocks(
    file: Path, blocks: _Blocks, graph: Graph, progress: Callable[[int, int], None] | None, stream: IO[bytes]
) -> None:
    form, edges, size = suffix(file.name), graph.m, 0
    with _compressed(file, stream) as text:
        for block, done in blocks:
            text.write(block)
            size += len(block)
            if progress is not None:
                progress(done, edges)
    weighted = form in (".gr", ".wel") or not _is_unit(graph)
    directed = form in (".gr", ".el", ".wel") or (form == ".mtx" and graph.directed)
    if form != ".npz" and not text_is_accepted(form, directed, graph.n, edges, weighted, size):
        raise ValueError(
            f"graph: {graph.n:,} vertices are more than reedsp.read accepts of a {form} of {size:,} bytes; "
            ".npz holds them"
        )


def _compressed(file: Path, stream: IO[bytes]) -> contextlib.AbstractContextManager[Any]:
    """Return what compresses into the stream as the file's name says."""
    ending = file.suffix.lower()
    if ending == ".gz":
        return gzip.GzipFile("", "wb", DEFLATE_LEVEL, stream, mtime=0)
    if ending == ".xz":
        return lzma.LZMAFile(stream, "wb")
    return contextlib.nullcontext(stream)


# ---- characters -------------------------------------------------------------------------------------


def _literal(character: str, count: int) -> _Characters:
    return np.full((count, 1), ord(character), np.uint8), np.ones((count, 1), bool)


def _naturals(numbers: npt.NDArray[Any]) -> _Characters:
    """Return the decimal digits of numbers that are not negative."""
    digits = _digits(numbers, len(str(numbers.max(initial=0))))
    lengths = np.maximum(np.searchsorted(_POWERS, numbers.astype(np.uint64), side="right"), 1)
    return digits, np.arange(digits.shape[1]) >= digits.shape[1] - lengths[:, np.newaxis]


def _digits(numbers: npt.NDArray[Any], least: int) -> npt.NDArray[np.uint8]:
    """Return the last decimal digits of numbers, no fewer than `least`, made four at a time."""
    rest = numbers.astype(np.uint64)
    if rest.max(initial=0) < 2**32:
        rest = rest.astype(np.uint32)  # which divides faster
    groups = -(-least // 4)
    digits = np.empty((len(rest), groups), np.uint32)
    for group in reversed(range(groups)):
        rest, last = np.divmod(rest, rest.dtype.type(10_000))
        digits[:, group] = _FOUR_DIGITS[last]
    return digits.view(np.uint8)


def _weights(weights: npt.NDArray[Any]) -> _Characters:
    if weights.dtype.kind == "f":
        return _floats(weights.astype(np.float64))
    values = weights.astype(np.int64)
    negative = values < 0
    magnitude = np.where(negative, ~values, values).astype(np.uint64) + negative  # -2**63 has no int64 magnitude
    return _beside([_sign(negative), _naturals(magnitude)])


def _sign(negative: npt.NDArray[np.bool_]) -> _Characters:
    return np.full((len(negative), 1), ord("-"), np.uint8), negative[:, np.newaxis]


def _floats(values: npt.NDArray[np.float64]) -> _Characters:
    """Return the fewest digits that mean floats, as Python writes them."""
    mantissas, places, certain = shortest_decimals(np.abs(values))
    if np.count_nonzero(certain) < len(values) / 2:
        return _replaced(_literal(".", len(values)), np.arange(len(values)), values)
    wholes, fractions = np.divmod(mantissas.astype(np.uint64), _POWERS[np.minimum(places, len(_POWERS) - 1)])
    point = _literal(".", len(values))
    found = _beside([_sign(np.signbit(values)), _naturals(wholes), point, _places(fractions, places)])
    return found if certain.all() else _replaced(found, np.flatnonzero(~certain), values[~certain])


def _places(fractions: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> _Characters:
    """Return the digits behind a point, without zeros at their end but for one that is alone."""
    digits = _digits(fractions, int(places.max(initial=1)))
    width = digits.shape[1]
    zeros = np.argmax(digits[:, ::-1] != ord("0"), axis=1)
    zeros[fractions == 0] = width
    begins = width - places
    ends = np.maximum(width - zeros, begins + 1)
    columns = np.arange(width)
    return digits, (columns >= begins[:, np.newaxis]) & (columns < ends[:, np.newaxis])


def _replaced(text: _Characters, rows: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> _Characters:
    """Return the text with what Python writes of some values."""
    words = list(map(repr, values.tolist()))
    lengths = np.array(list(map(len, words)))
    missing = ((0, 0), (0, max(0, int(lengths.max()) - text[0].shape[1])))
    characters, kept = np.pad(text[0], missing), np.pad(text[1], missing)
    kept[rows] = of_words = np.arange(kept.shape[1]) < lengths[:, np.newaxis]
    written = np.zeros(of_words.shape, np.uint8)
    written[of_words] = np.frombuffer("".join(words).encode(), np.uint8)
    characters[rows] = written
    return characters, kept


def _beside(columns: Sequence[_Characters]) -> _Characters:
    return np.hstack([column for column, _ in columns]), np.hstack([kept for _, kept in columns])


def _text(columns: Sequence[_Characters]) -> bytes:
    characters, kept = _beside(columns)
    return characters[kept].tobytes()


# ---- one edge a line --------------------------------------------------------------------------------


def _edge_blocks(graph: Graph) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], int]]:
    """Yield sources, targets and weights of some edges after others, and the number of edges up to there."""
    indptr = graph.indptr
    for first in range(0, graph.m, _BLOCK):
        last = min(first + _BLOCK, graph.m)
        low, high = np.searchsorted(indptr, (first, last - 1), side="right") - 1
        borders = np.clip(indptr[low : high + 2], first, last)
        sources = np.repeat(np.arange(low, high + 1), borders[1:] - borders[:-1])
        yield sources, graph.indices[first:last], graph.weights[first:last], last


def _lines(graph: Graph, tag: str, first: int, weighted: bool, names: npt.NDArray[Any] | None = None) -> _Blocks:
    """Yield the lines ``[tag] source target [weight]`` of all edges, the vertices numbered from `first` or named."""
    for sources, targets, weights, done in _edge_blocks(graph):
        yield _line_block(sources, targets, weights, tag, first, weighted, names), done


def _line_block(
    sources: npt.NDArray[Any],
    targets: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    tag: str,
    first: int,
    weighted: bool,
    names: npt.NDArray[Any] | None = None,
) -> bytes:
    count = len(sources)
    if not count:
        return b""
    ends = [end + np.int64(first) if names is None else names[end] for end in (sources, targets)]
    space = _literal(" ", count)
    columns = [_literal(tag, count), space] if tag else []
    columns += [_naturals(ends[0]), space, _naturals(ends[1])]
    if weighted:
        columns += [space, _weights(weights)]
    return _text([*columns, _literal("\n", count)])


def _gr_blocks(graph: Graph) -> _Blocks:
    yield b"p sp %d %d\n" % (graph.n, graph.m), 0
    yield from _lines(graph, "a", 1, weighted=True)


def _mtx_blocks(graph: Graph) -> _Blocks:
    unit = _is_unit(graph)
    field = "pattern" if unit else "real" if graph.weights.dtype.kind == "f" else "integer"
    entries = graph.m
    if not graph.directed:
        entries = sum(int(np.count_nonzero(sources >= targets)) for sources, targets, _, _ in _edge_blocks(graph))
    symmetry = "general" if graph.directed else "symmetric"
    yield f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{graph.n} {graph.n} {entries}\n".encode(), 0
    if graph.directed:
        yield from _lines(graph, "", 1, weighted=not unit)
        return
    for sources, targets, weights, done in _edge_blocks(graph):
        lower = sources >= targets
        yield _line_block(sources[lower], targets[lower], weights[lower], "", 1, weighted=not unit), done


def _is_unit(graph: Graph) -> bool:
    return graph.weights.dtype.kind == "i" and bool((graph.weights == 1).all())


# ---- edge lists -------------------------------------------------------------------------------------


def _el(graph: Graph) -> _Blocks:
    wrong = graph.weights != 1
    if wrong.any():
        raise ValueError(f"graph: {_edge(graph, int(np.argmax(wrong)))}, but .el holds no weights; .wel does")
    if graph.weights.dtype.kind == "f" and graph.m:
        raise ValueError("graph: its weights are floats, but .el holds no weights; .wel does")
    _check_edges(graph)
    return _el_blocks(graph)


def _el_blocks(graph: Graph) -> _Blocks:
    names = _numbers(graph)
    if names is None and _last_used(graph) + 1 < graph.n:
        yield b"%d %d\n" % (graph.n, graph.m), 0
    yield from _lines(graph, "", 0, weighted=False, names=names)


def _wel(graph: Graph) -> _Blocks:
    _check_edges(graph)
    last = _last_used(graph)
    if last + 1 < graph.n:
        lost = graph.name(last + 1)
        raise ValueError(
            f"graph: no edge begins or ends at vertex {lost!r} or later, which .wel cannot tell; .gr, .mtx and .npz can"
        )
    return _lines(graph, "", 0, weighted=True, names=_numbers(graph))


def _check_edges(graph: Graph) -> None:
    if not graph.m:
        raise ValueError("graph: it has no edges, which an edge list cannot tell; .gr, .mtx and .npz can")


def _last_used(graph: Graph) -> int:
    """Return the largest vertex that has an edge."""
    return max(int(np.searchsorted(graph.indptr, graph.m)) - 1, int(graph.indices.max(initial=0)))


def _numbers(graph: Graph) -> npt.NDArray[np.int64] | None:
    """Return labels that an edge list can use as the numbers of its vertices; None if there are none such."""
    labels = label_arrays(graph.labels).get(LABELS)
    if labels is None or labels.dtype.kind != "i" or labels.min(initial=0) < 0 or (np.diff(labels) <= 0).any():
        return None
    used = np.diff(graph.indptr) > 0
    used[graph.indices] = True
    return labels if used.all() else None


# ---- METIS ------------------------------------------------------------------------------------------


def _metis(graph: Graph) -> _Blocks:
    sources = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    loops = sources == graph.indices
    if loops.any():
        raise ValueError(f"graph: {_edge(graph, int(np.argmax(loops)))} is a self loop, which METIS files cannot hold")
    if graph.directed and graph.m:
        _check_symmetry(graph, sources)
    return _metis_blocks(graph)


def _check_symmetry(graph: Graph, sources: npt.NDArray[np.int32]) -> None:
    """Check that each edge has a counterpart of the same weight."""
    forth = sources * np.int64(graph.n) + graph.indices
    back = graph.indices * np.int64(graph.n) + sources
    counterpart = np.minimum(np.searchsorted(forth, back), graph.m - 1)
    lone = (forth[counterpart] != back) | (graph.weights[counterpart] != graph.weights)
    if lone.any():
        edge = _edge(graph, int(np.argmax(lone)))
        raise ValueError(f"graph: {edge} has no counterpart of the same weight, which METIS files need")


def _metis_blocks(graph: Graph) -> _Blocks:
    """Yield the header, and the items of all lines: each edge and each line end is one."""
    weighted = not _is_unit(graph)
    yield b"%d %d%s\n" % (graph.n, graph.m // 2, b" 001" if weighted else b""), 0
    line_ends = graph.indptr[1:] + np.arange(graph.n)
    for first in range(0, graph.m + graph.n, _BLOCK):
        count = min(_BLOCK, graph.m + graph.n - first)
        vertex, beyond = np.searchsorted(line_ends, (first, first + count))
        is_end = np.zeros(count, bool)
        is_end[line_ends[vertex:beyond] - first] = True
        edges = slice(first - vertex, first + count - beyond)
        begins_line = first == 0 or (vertex > 0 and line_ends[vertex - 1] == first - 1)
        yield _metis_block(graph, edges, is_end, bool(begins_line), weighted), edges.stop


def _metis_block(graph: Graph, edges: slice, is_end: npt.NDArray[np.bool_], begins_line: bool, weighted: bool) -> bytes:
    is_edge = ~is_end
    follows_edge = is_edge.copy()
    follows_edge[0] &= not begins_line
    follows_edge[1:] &= is_edge[:-1]
    space, newline = _literal(" ", len(is_end)), _literal("\n", len(is_end))
    columns = [(space[0], follows_edge[:, np.newaxis]), _spread(_naturals(graph.indices[edges] + np.int64(1)), is_edge)]
    if weighted:
        columns += [(space[0], is_edge[:, np.newaxis]), _spread(_weights(graph.weights[edges]), is_edge)]
    return _text([*columns, (newline[0], is_end[:, np.newaxis])])


def _spread(column: _Characters, places: npt.NDArray[np.bool_]) -> _Characters:
    """Put the rows of a column at these places, and nothing elsewhere."""
    shape = len(places), column[0].shape[1]
    characters, kept = np.zeros(shape, np.uint8), np.zeros(shape, bool)
    characters[places], kept[places] = column
    return characters, kept


# ---- SciPy's npz ------------------------------------------------------------------------------------


def _npz_blocks(graph: Graph) -> _Blocks:
    arrays: dict[str, Any] = {
        "indices": graph.indices,
        "indptr": graph.indptr,
        "format": np.array(b"csr"),
        "shape": np.array((graph.n, graph.n)),
        "data": graph.weights,
        "_is_array": np.array(True),
        "directed": np.array(graph.directed),
        "offset": np.array(graph.offset),
    }
    arrays |= label_arrays(graph.labels)
    if graph.coordinates is not None:
        arrays |= {"coordinates": graph.coordinates, "geographic": np.array(graph.geographic)}
    size, done = sum(array.nbytes for array in arrays.values()), 0
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w") as archive:  # type: ignore[call-overload]
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # of the same date always: the same graph gives the same bytes
            if array.dtype.kind == "U":  # of no more than 64 MiB, which do not look like a bomb to the reader
                member.compress_type = zipfile.ZIP_DEFLATED  # all are as long as the longest one
                member._compresslevel = DEFLATE_LEVEL  # type: ignore[attr-defined]  # public from Python 3.13 on
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
                content = array.reshape(-1).view(np.uint8)
                for begin in range(0, len(content), _ARCHIVE_BLOCK):
                    stream.write(content[begin : begin + _ARCHIVE_BLOCK].tobytes())
                    done += len(content[begin : begin + _ARCHIVE_BLOCK])
                    yield pieces.taken(), graph.m * done // size
    yield pieces.taken(), graph.m


class _Pieces:
    """A stream that cannot seek, and hands out what has been written to it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        """Return what has been written since the last call."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _edge(graph: Graph, edge: int) -> str:
    """Name an edge in an error message."""
    source = int(np.searchsorted(graph.indptr, edge, side="right")) - 1
    ends = graph.names[source], graph.names[graph.indices[edge]]
    return f"the edge from {ends[0]!r} to {ends[1]!r} of weight {graph.weights[edge]}"


FORMATS: Mapping[str, Callable[[Graph], _Blocks]] = {
    ".gr": _gr_blocks,
    ".mtx": _mtx_blocks,
    ".el": _el,
    ".wel": _wel,
    ".graph": _metis,
    ".npz": _npz_blocks,
}
"""What writes the files whose names end so."""
