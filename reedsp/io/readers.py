"""Graph files: DIMACS, Matrix Market, edge lists, METIS, lines of neighbours and SciPy's ``.npz``, plain or compressed.

The text is decompressed piece by piece and handed out in blocks of whole lines. Each block goes first to a
vectorised parser, which answers only where the meaning is certain and otherwise returns None; then the line
parser reads the same block. The line parser defines the format and is the only one that finds faults.

Nothing is allocated because a header claims a size: arrays grow with the text, and a claim is compared with
what the text turned out to hold before a graph is built from it. A file that would take more memory than 64 MiB and
4 times its decompressed bytes, or 6 times those of a text with an undirected graph, is refused
(:meth:`Text.require`) before the memory is taken. Names that are in it may take 160 bytes each, besides.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import itertools
import lzma
import math
import operator
import os
import re
import stat
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import (
    MAX_VERTICES,
    Graph,
    is_symmetric,
    refuse_infinite,
    sparse_entries,
    transposed,
)
from reedsp.io.archives import BASE_SIZE, EXPANSION, check_archive
from reedsp.io.labels import ENDS, LABELS, TEXT, LabelText, label_text
from reedsp.io.texts import WORD, graph_of_lines
from reedsp.io.words import (
    INFINITY,
    INTEGER,
    MAX_DIGITS,
    NOT_ZERO,
    find_words,
    integers,
    naturals,
    numbers,
    words_in_columns,
)
from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.path_argument import path_argument
from reedsp.system.options import flag
from reedsp.system.progress_bar import bytes_bar

_PIECE = 2**19
"""Bytes that are decompressed and parsed at a time: what the parser derives from them stays in the cache."""

_PART = 2**13
"""Bytes that are parsed at a time after a block could not be parsed at once; and edges that are numbered at a time."""

_HEAD = 2**16
"""Bytes by which the format is recognised, if there are so many."""

_BASE_MEMORY = 2**26
"""Bytes of memory that a file of any size may need."""

_MEMORY = 4
"""Bytes that may be needed for each decompressed one, beyond the base."""

_UNDIRECTED_MEMORY = 6
"""The same for a text with an undirected graph, in which an edge is stored twice: the shortest lines need so much."""

_VERTEX_MEMORY = 24
"""Bytes that a vertex takes while a graph is built."""

_EDGE_MEMORY = 20
"""Bytes that an edge takes while a graph is built of edges in any order, apart from its weight."""

_NAME_MEMORY = 64
"""Bytes that the number of a vertex takes as its name."""

_STRING_MEMORY = 160
"""Bytes that a string takes as the name of a vertex, beside its characters, while it is compared with the others."""

_NEIGHBOUR_MEMORY = 40
"""Bytes that a word takes while neighbours with weights are read one by one."""

_TYPED_MEMORY = 400
"""Bytes that a vertex or an edge takes while lines that a person may have typed are read one by one."""

_WORKING_MEMORY = 2**22
"""Bytes for what is done piece by piece."""

_XZ_MAGIC = b"\xfd7zXZ\x00"
_COMPRESSED = re.compile(rb"\x1f\x8b|\xfd7zXZ\x00|BZh[0-9]|\x28\xb5\x2f\xfd|7z\xbc\xaf")
"""How compressed data begin that are not decompressed, or only once."""

_XZ_MEMORY = 2**27
"""Memory limit of the xz decoder; the strongest preset of xz needs half of it."""

_INT64 = np.iinfo(np.int64)
DECIMAL = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WORD = re.compile(rb"\S+")


def read(
    path: str | os.PathLike[str], *, relabel: bool = False, progress: Callable[[int, int], None] | bool | None = None
) -> Graph:
    r"""Read a graph from a file.

    The format follows from the file's name and, when that says nothing, from its content. gzip and xz
    compression are recognised by content.

    ============ ======================================================================================
    name         format
    ============ ======================================================================================
    .gr          DIMACS shortest path (``p sp n m``, arcs ``a u v w``): directed, vertices from 1; or PACE
                 (``p tw n m``, edges ``u v``): undirected, weight 1, vertices from 1
    .mtx         Matrix Market, real, integer or pattern; entry (i, j) is the edge from i to j, vertices
                 from 1. Coordinate format: a zero is an edge of weight 0, of duplicates the minimum counts.
                 Array format: a zero is no edge, nor is inf in a real matrix. A symmetric matrix is an
                 undirected graph
    .el, .wel    edge list (SNAP, GAPBS): lines ``u v`` or ``u v w``, comments with ``#`` or ``%``: directed,
                 vertices from 0, as many as the largest number says. A first line ``n m`` that is followed
                 by exactly m > 0 lines ``u v`` with all numbers below n is a header
    .graph       METIS (header ``n m [fmt [ncon]]``, then one line for each vertex): undirected, vertices
                 from 1. Vertex weights and sizes are skipped
    .npz         what :func:`scipy.sparse.save_npz` writes: directed, vertices from 0; or what
                 :func:`reedsp.write` does, which also keeps direction, numbering, labels and
                 coordinates
    any other    recognised by its content: one of the above, or a line ``v : a=5 b`` for each vertex, as the page
                 of :func:`reedsp.watch` saves graphs: v is followed by its neighbours and, behind ``=``, what the
                 edges weigh, else 1. The numbers may have gaps. Undirected if each edge is listed both ways with
                 one weight, unless the first line is ``directed``. For graphs that are typed: lines and neighbours
                 may be some 170,000 together
    ============ ======================================================================================

    Weights are int64 when all of them are written as integers, otherwise float64; those of a real Matrix
    Market file are float64, to which integers are rounded as fractions are.

    Parameters
    ----------
    path : str or path-like
        A regular file.
    relabel : bool
        For an edge list: number the vertices that occur from 0 in ascending order, and keep the file's numbers
        as names in :attr:`Graph.labels`. Needed where the numbers are so sparse that most vertices would be empty.
    progress : bool or callable(done, size), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with the bytes of the file that have been read, and their number.

    Returns
    -------
    Graph
        Its vertices have the numbers of the file as their names; see :attr:`Graph.names`.

    Raises
    ------
    ValueError
        The file is not a valid graph. The message begins with ``path:line:``, or with ``path:`` where the fault
        is in the compression or in a binary format. An integer weight outside int64, or one that float64
        cannot hold next to fractional weights, is such a fault, and so is a fraction that float64 would make infinite
        or 0; so is a text that expands to more than 64 MiB
        and 200 times the compressed size, a header that claims far more vertices than the file could use, and a file
        that would take more memory than 64 MiB and 4 times its decompressed bytes, or 6 times those of a text with an
        undirected graph, and 160 bytes for each name that it gives a vertex.
    TypeError
        `path` is none.
    OSError
        The file cannot be opened or read, or is not a regular file.

    Examples
    --------
    >>> import reedsp
    >>> with open("three-arcs.gr", "w") as file:
    ...     _ = file.write("p sp 3 3\na 1 2 7\na 2 3 1\na 1 3 9\n")
    >>> graph = reedsp.read("three-arcs.gr")
    >>> graph
    <reedsp.Graph: 3 vertices, 3 edges, directed, int64 weights>
    >>> graph.name(0)
    1
    """
    relabel = flag(relabel, "relabel")
    with bytes_bar("reading", progress) as report:
        return survey(path, relabel=relabel, progress=report)[0]


def survey(
    path: str | os.PathLike[str], *, relabel: bool = False, progress: Callable[[int, int], None] | None = None
) -> tuple[Graph, int]:
    """Read a graph as :func:`read` does, and count the edges that the file lists.

    Returns
    -------
    graph : Graph
    listed : int
        Edges in the file, parallel ones included; an undirected one counts once.
    """
    with open_text(path, progress) as text:
        reader = READERS.get(suffix(text.name)) or _sniff(text)
        if not relabel:
            return reader(text), text.edges
        if reader is not _read_edge_list:
            raise text.fault(None, "relabel=True is for edge lists; this format declares its vertices")
        return _read_edge_list(text, relabel=True), text.edges


@contextlib.contextmanager
def open_text(path: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None) -> Iterator[Text]:
    """Open a file, plain or compressed, for as long as a ``with`` block lasts.

    Raises
    ------
    OSError
        It cannot be opened or read, or is not a regular file.
    ValueError
        It is empty, damaged, or an archive of tar.
    """
    require_regular_file(path)
    name = os.fsdecode(path)
    with named_errors(path), open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        report = None if progress is None else lambda: progress(file.tell(), size)
        yield Text(name, _to_the_end(_pieces(file), file, size, name), BASE_SIZE + EXPANSION * size, report)


def require_regular_file(path: str | os.PathLike[str]) -> None:
    """Check that a file can be opened without waiting: to open a pipe is to wait for its writer.

    Raises
    ------
    OSError
        There is none, or it is not a regular file.
    """
    mode = os.stat(path_argument(path, "path")).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fsdecode(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", os.fsdecode(path))


# ---- decompression and lines ------------------------------------------------------------------------


def _pieces(file: io.BufferedReader) -> Iterator[bytes]:
    """Return the decompressed content in pieces, some of which may be empty."""
    magic = file.peek(6)
    if magic.startswith(b"\x1f\x8b"):
        return _read_pieces(gzip.GzipFile(fileobj=file))
    if magic.startswith(_XZ_MAGIC):
        return _unxz(file)
    return _read_pieces(file)


def _to_the_end(pieces: Iterator[bytes], file: io.BufferedReader, size: int, name: str) -> Iterator[bytes]:
    """Hand out the pieces of a file, of which no fewer bytes may be read than it had when it was opened."""
    yield from pieces
    if file.tell() < size:
        raise ValueError(f"{name}: it has become shorter while it was read: {file.tell():,} bytes instead of {size:,}")


def _read_pieces(file: io.BufferedIOBase) -> Iterator[bytes]:
    return iter(partial(file.read, _PIECE), b"")


def _unxz(file: io.BufferedIOBase) -> Iterator[bytes]:
    """Decompress concatenated xz streams with bounded memory and, unlike LZMAFile, without ignoring their rest."""
    stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    for data in _read_pieces(file):
        rest = data.lstrip(b"\0") if stream.eof else data
        while rest:
            if stream.eof:
                if not _XZ_MAGIC.startswith(rest[: len(_XZ_MAGIC)]):
                    raise lzma.LZMAError("there is something else behind an xz stream")
                stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
            yield stream.decompress(rest, _PIECE)
            while not (stream.eof or stream.needs_input):
                yield stream.decompress(b"", _PIECE)
            rest = stream.unused_data.lstrip(b"\0")
    if not stream.eof:
        raise EOFError("the file ends in the middle of an xz stream")


class Text:
    """The decompressed content of a file: counted, limited, and handed out in whole lines.

    Attributes
    ----------
    name : str
        Of the file.
    size : int
        Decompressed bytes so far.
    lines : int
        Lines handed out so far; at the end of the text, the number of its last line.
    head : bytes
        The beginning of the content, without a byte order mark.
    complete : bool
        Whether the head is all of the content.
    edges : int
        Edges that the text lists, once they are known.
    memory : int
        Bytes of memory that may be needed for each decompressed one, beyond the base.
    names : int
        Bytes of memory that may be needed for the names of vertices that the text is known to have, besides.
    """

    def __init__(
        self, name: str, pieces: Iterator[bytes], limit: int, report: Callable[[], object] | None = None
    ) -> None:
        self.name = name
        self._pieces = pieces
        self._limit = limit
        self._report = report
        self.edges = 0
        self.memory = _MEMORY
        self.names = 0
        self._block = b""
        self._position = 0
        self.size = 0
        self.lines = 0
        head = b""
        while len(head) < _HEAD and (piece := self._piece()):
            head += piece
        if not head:
            raise self.fault(1, "the file is empty")
        if head[257:262] == b"ustar":
            raise self.fault(None, "this is a tar archive: unpack it first")
        if _COMPRESSED.match(head):
            raise self.fault(None, "this is compressed by bzip2, zstd or 7z, or more than once: decompress it first")
        self.complete = len(head) < _HEAD
        self._ahead = head.removeprefix(b"\xef\xbb\xbf")
        self.head = self._ahead[:_HEAD]

    def fault(self, line: int | None, message: str) -> ValueError:
        """Return the error for a fault in this line; None: in the file as a whole."""
        place = self.name if line is None else f"{self.name}:{max(line, 1)}"
        return ValueError(f"{place}: {message}")

    def require(self, memory: int, inside: int = 0) -> None:
        """Refuse the file if it takes more memory to read than is promised.

        Parameters
        ----------
        memory : int
            Bytes.
        inside : int
            Decompressed bytes, where the content is compressed a second time.
        """
        limit = _BASE_MEMORY + self.memory * max(self.size, inside) + self.names
        if memory > limit:
            raise self.fault(
                None,
                f"it takes {memory:,} bytes of memory to read, more than the {limit:,} that its size allows; "
                "Graph.from_edges and Graph.from_scipy, to which arrays of it can be given, set no limit",
            )

    def _piece(self) -> bytes:
        """Return some more of the content, b"" at its end."""
        try:
            piece = next(filter(None, self._pieces), b"")
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
            if "Memory usage limit" in str(error):  # of lzma, which has no exception of its own for it
                limit = f"the {_XZ_MEMORY >> 20} MiB that are allowed: compress it with a smaller dictionary"
                raise self.fault(None, f"decompression takes more memory than {limit}") from None
            raise self.fault(None, f"the compressed data are damaged: {error}") from None
        if self._report is not None:
            self._report()
        self.size += len(piece)
        if self.size > self._limit:
            raise self.fault(None, f"expands to more than {self._limit} bytes, too much for a file of its size")
        return piece

    def rest(self) -> bytes:
        """Return the content that has not been handed out."""
        return b"".join([self._ahead, *iter(self._piece, b"")])

    def _advance(self) -> bool:
        """Make sure that the current block has a line left; False at the end of the text."""
        if self._position < len(self._block):
            return True
        parts = []
        piece = self._ahead or self._piece()
        while piece and b"\n" not in piece:
            parts.append(piece)
            piece = self._piece()
        cut = piece.rfind(b"\n") + 1
        self._block, self._position = b"".join([*parts, piece[:cut]]), 0
        self._ahead = piece[cut:]
        return bool(self._block)

    def data_line(self, comments: bytes) -> tuple[int, bytes]:
        """Return the next line that is neither blank nor a comment, and its number; b"" at the end."""
        if b"\n" not in self.head and b"\r" in self.head.strip():
            raise self.fault(1, "there is no line feed: lines end with carriage returns alone")
        while self._advance():
            end = self._block.find(b"\n", self._position) + 1 or len(self._block)
            line = self._block[self._position : end]
            self._position = end
            self.lines += 1
            start = line.lstrip()[:1]
            if start and start not in comments:
                return self.lines, line
        return self.lines, b""

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Hand out the remaining text in blocks of whole lines, each with the number of its first line."""
        while self._advance():
            block = self._block[self._position :]
            self._position = len(self._block)
            first = self.lines + 1
            self.lines += block.count(b"\n") + (not block.endswith(b"\n"))
            yield first, block


def split(first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """Cut a block into smaller ones, so that a comment in it takes the speed of only one of them."""
    begin = 0
    while begin < len(block):
        end = block.find(b"\n", begin + _PART) + 1 or len(block)
        yield first, block[begin:end]
        first += block.count(b"\n", begin, end)
        begin = end


def lines_of(first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a block, the number of whose first one is given, with their numbers."""
    return enumerate(block.removesuffix(b"\n").split(b"\n"), first)


# ---- numbers, one by one ----------------------------------------------------------------------------


def quote(field: bytes) -> str:
    """Return a part of the text as an error message shows it."""
    shown = field.strip()[:40]
    if not shown:
        return "nothing"
    try:
        field.decode()
    except UnicodeDecodeError:
        return f"{repr(shown)[1:]}, which is not UTF-8 text"
    return repr(shown.decode(errors="ignore"))


def natural(text: Text, line: int, field: bytes) -> int:
    """Read a number of a header."""
    digits = field.lstrip(b"0")
    if not field.isdigit() or len(digits) > MAX_DIGITS:
        raise text.fault(line, f"expected a number from 0 to 10**{MAX_DIGITS} - 1, got {quote(field)}")
    return int(digits or b"0")


def vertex_of(text: Text, line: int, field: bytes, first: int, last: int) -> int:
    """Read the number of a vertex, which the file counts from `first` to `last`."""
    if not field.isdigit():
        raise text.fault(line, f"expected a vertex number, got {quote(field)}")
    digits = field.lstrip(b"0")
    vertex = int(digits or b"0") if len(digits) <= 19 else last + 1
    if not first <= vertex <= last:
        raise text.fault(line, f"vertex {quote(field)} is outside {first} .. {last}")
    return vertex


def _real(text: Text, line: int, field: bytes) -> float:
    """Read a weight as a float, also one that is written as an integer; that of no edge may be infinite."""
    return math.inf if INFINITY.fullmatch(field) else _fraction(text, line, field)


def _weight(text: Text, line: int, field: bytes, integral: bool) -> int | float:
    """Read a weight: an int when it is written as an integer, otherwise a float."""
    if INTEGER.fullmatch(field):
        digits = field.lstrip(b"+-0")
        if len(digits) <= 19:
            value = int(digits or b"0") * (-1 if field.startswith(b"-") else 1)
            if _INT64.min <= value <= _INT64.max:
                return value
        raise text.fault(line, f"the weight {quote(field)} is outside int64")
    if integral:
        raise text.fault(line, f"expected an integer as weight, got {quote(field)}")
    return _fraction(text, line, field)


def _fraction(text: Text, line: int, field: bytes) -> float:
    if not DECIMAL.fullmatch(field):
        raise text.fault(line, f"expected a number as weight, got {quote(field)}")
    weight = float(field)
    if math.isinf(weight):
        raise text.fault(line, f"the weight {quote(field)} is too large for float64")
    if weight == 0 and NOT_ZERO.match(field):
        raise text.fault(line, f"the weight {quote(field)} is too small for float64")
    return weight


def _inexact(text: Text, line: int, weight: int) -> ValueError:
    return text.fault(line, f"float64, which the fractional weights of this file need, cannot hold {weight}")


# ---- tables: one edge or one value a line -----------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """What the lines of a table consist of: [tag] [source target] [weight]."""

    layout: str
    """The same for an error message."""
    first: int = 0
    """Number of the first vertex."""
    last: int = _INT64.max
    """Number of the last vertex."""
    comments: bytes = b""
    """Characters with which a comment line begins."""
    header: bytes = b""
    """Word with which a header begins, of which there may be no second one."""
    tag: bytes = b""
    """Letter with which each line begins."""
    ends: int = 2
    """Number of vertices in a line: 2 or 0."""
    weighted: bool = True
    """Whether each line ends with a weight."""
    integral: bool = False
    """Whether the weights have to be integers."""
    real: bool = False
    """Whether the weights are floats, also those that are written as integers."""
    hint: str = ""
    """What to say besides of a line that has another layout."""

    @property
    def columns(self) -> int:
        return len(self.tag) + self.ends + self.weighted


class _Rows(NamedTuple):
    """What a block of text holds.

    ids: vertices from 0, shape (count, 2) or (count, 0). weights: int64 or float64, or narrower integers where there
    are no vertices; None without weights.
    lines: line number of each row.
    """

    ids: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    weights: npt.NDArray[Any] | None
    lines: range | npt.NDArray[np.int32] | npt.NDArray[np.int64]

    def line(self, row: int) -> int:
        """Return the number of the line in which a row is."""
        return int(self.lines[row])

    @property
    def memory(self) -> int:
        """Bytes of its arrays."""
        return sum(array.nbytes for array in self if isinstance(array, np.ndarray))

    def compact(self) -> _Rows:
        """Return the same with weights in less memory."""
        return self if self.weights is None else self._replace(weights=_narrowest(self.weights))


class _Content(NamedTuple):
    """What a text holds: as :class:`_Rows`, but `lines` has the line numbers block by block."""

    ids: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    weights: npt.NDArray[Any] | None
    lines: list[range | npt.NDArray[np.int32] | npt.NDArray[np.int64]]

    def line(self, row: int) -> int:
        """Return the number of the line in which a row is."""
        part = 0
        while row >= len(self.lines[part]):
            row -= len(self.lines[part])
            part += 1
        return int(self.lines[part][row])


def narrow(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int32] | npt.NDArray[np.int64]:
    """Return natural numbers in half the memory where possible."""
    return numbers.astype(np.int32) if numbers.max(initial=0) < 2**31 else numbers


def _table_block(first_line: int, block: bytes, table: _Table) -> _Rows | None:
    """Parse a block at once; None when that is not certain to give what :func:`_table_lines` gives."""
    words = words_in_columns(block, table.columns, table.tag)
    if words is None:
        return None
    data, starts, ends = words
    count = len(starts)
    ids = np.empty((count, table.ends), dtype=np.int64)
    for end in range(table.ends):
        vertices = naturals(data, starts[:, end], ends[:, end])
        if vertices is None or vertices.min() < table.first or vertices.max() > table.last:
            return None
        ids[:, end] = vertices - table.first
    weights: npt.NDArray[Any] | None = None
    if table.weighted:
        last = starts[:, -1], ends[:, -1]
        weights = integers(data, *last) if table.integral else numbers(data, *last, table.real)
        if weights is None:
            return None
    return _Rows(narrow(ids), weights, range(first_line, first_line + count))


def _table_part(first_line: int, block: bytes, table: _Table) -> _Rows | None:
    """Parse a part of a block at once, but for comments and blank lines; None as :func:`_table_block`."""
    rows = _table_block(first_line, block, table)
    if rows is not None:
        return rows
    lines = list(lines_of(first_line, block))
    listed = [(number, line) for number, line in lines if not _is_skipped(line, table.comments)]
    if not 0 < len(listed) < len(lines):
        return None
    rows = _table_block(first_line, b"\n".join(line for _, line in listed), table)
    return rows if rows is None else rows._replace(lines=narrow(np.array([number for number, _ in listed])))


def _is_skipped(line: bytes, comments: bytes) -> bool:
    """Whether a line is blank or a comment."""
    return line.lstrip()[:1] in comments  # as no character is


def _table_lines(text: Text, first_line: int, block: bytes, table: _Table) -> _Rows:
    """Parse a block line by line."""
    ids, lines = array("q"), array("q")
    weights: list[int | float] = []
    weight_of = _real if table.real else partial(_weight, integral=table.integral)
    for number, line in lines_of(first_line, block):
        fields = line.split(None, table.columns)
        if not fields or fields[0][0] in table.comments:
            continue
        if fields[0] == table.header:
            raise text.fault(number, f"a second header: {quote(line)}")
        if len(fields) != table.columns or (table.tag and fields[0] != table.tag):
            raise text.fault(number, f"expected '{table.layout}', got {quote(line)}{table.hint}")
        for field in fields[len(table.tag) :][: table.ends]:
            ids.append(vertex_of(text, number, field, table.first, table.last) - table.first)
        if table.weighted:
            weights.append(weight_of(text, number, fields[-1]))
        lines.append(number)
    return _rows(text, np.array(ids, dtype=np.int64).reshape(len(lines), table.ends), weights, lines, table.weighted)


def _rows(
    text: Text, ids: npt.NDArray[np.int64], weights: list[int | float], lines: array[int], weighted: bool
) -> _Rows:
    numbers = narrow(np.array(lines, dtype=np.int64))
    return _Rows(narrow(ids), _weights(text, weights, lines.__getitem__) if weighted else None, numbers)


def _weights(
    text: Text, weights: list[int | float], line: Callable[[int], int]
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Return weights in an array; `line` tells the line of each."""
    if not any(isinstance(weight, float) for weight in weights):
        return np.array(weights, dtype=np.int64)
    for place, weight in enumerate(weights):
        if float(weight) != weight:
            raise _inexact(text, line(place), int(weight))
    return np.array(weights, dtype=np.float64)


def _read_table(text: Text, table: _Table) -> list[_Rows]:
    """Parse the rest of the text. The result has at least one entry, so that it can be joined."""
    parts = [_table_lines(text, 1, b"", table).compact()]
    memory = 0
    for first_line, block in text.blocks():
        rows = _table_block(first_line, block, table)
        blocks = [(first_line, block)] if rows else split(first_line, block)
        for line, part in blocks:
            rows = rows or _table_part(line, part, table) or _table_lines(text, line, part, table)
            parts.append(rows if table.ends else rows.compact())
            memory += parts[-1].memory
            rows = None
        text.require(2 * memory + _WORKING_MEMORY)  # the parts, and what they are joined to
    return parts


def _narrowest(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return integers in the narrowest type that holds all of them."""
    if numbers.dtype.kind != "i":
        return numbers
    minimum, largest = numbers.min(initial=0), numbers.max(initial=0)
    kinds: tuple[type[np.signedinteger[Any]], ...] = (np.int8, np.int16, np.int32, np.int64)
    return numbers.astype(next(k for k in kinds if np.iinfo(k).min <= minimum and largest <= np.iinfo(k).max))


def _join(text: Text, parts: list[_Rows], real: bool = False) -> _Content:
    """Put the blocks together, with weights of one type: float64 when `real` or when one of them is a fraction."""
    ids = np.concatenate([part.ids for part in parts])
    weights: npt.NDArray[Any] | None = None
    if parts[0].weights is not None:
        listed = [part.weights for part in parts if part.weights is not None]
        kind = np.dtype(np.float64) if real else np.result_type(*listed)
        text.require(sum(part.memory for part in parts) + ids.nbytes + kind.itemsize * len(ids) + _WORKING_MEMORY)
        if kind.kind == "f" and not real:
            for part in parts:
                _check_exact(text, part)
        weights = np.concatenate(listed, dtype=kind)
    return _Content(ids, weights, [part.lines for part in parts])


def _check_exact(text: Text, part: _Rows | _Neighbours) -> None:
    """Check that float64 can hold the integers."""
    if part.weights is not None and part.weights.dtype.kind == "i":
        with np.errstate(invalid="ignore"):  # 2**63, to which float64 rounds, wraps and so differs
            inexact = part.weights.astype(np.float64).astype(np.int64) != part.weights
        if inexact.any():
            row = int(np.argmax(inexact))
            raise _inexact(text, part.line(row), int(part.weights[row]))


def _build(
    text: Text,
    n: int,
    listed: list[npt.NDArray[Any] | None],
    directed: bool = True,
    *,
    offset: int = 0,
    labels: list[int] | None = None,
) -> Graph:
    """Build the graph of the edges that the text lists: their ends, of shape (m, 2), and their weights.

    The list is emptied, since the memory is needed.
    """
    weights, ends = listed.pop(), listed.pop()
    assert ends is not None
    text.edges = len(ends)
    stored = len(ends) * (1 if directed else 2)
    text.require(_building(n, stored, 4 if weights is None else 8))
    edges = [*ends.T, weights]
    del ends, weights
    return Graph._taking(edges, n, directed, offset, labels)


def _building(n: int, edges: int, weight: int) -> int:
    """Return the bytes that it takes to build a graph of edges in any order with weights of so many bytes."""
    return _WORKING_MEMORY + n * _VERTEX_MEMORY + edges * (_EDGE_MEMORY + weight)


def _distinct_edges(graph: Graph) -> int:
    """Return the number of edges, counting an undirected one once."""
    if graph.directed:
        return graph.m
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return int(np.count_nonzero(sources <= graph.indices))


# ---- claims -----------------------------------------------------------------------------------------


def _vertex_limit(size: int) -> int:
    """Largest number of vertices that is believed of so many decompressed bytes: those that memory is promised for."""
    return min(MAX_VERTICES, (_BASE_MEMORY + _MEMORY * size - 2 * _WORKING_MEMORY) // _VERTEX_MEMORY)


def text_is_accepted(form: str, directed: bool, n: int, edges: int, weighted: bool, size: int) -> bool:
    """Whether a text of so many bytes is long enough to be read as a graph of so many vertices.

    Parameters
    ----------
    form : str
        Ending of its name.
    directed : bool
        Whether the text has a directed graph.
    n, edges : int
        Vertices and edges of the graph, an undirected edge in both directions.
    weighted : bool
        Whether the text has weights.
    size : int
        Decompressed bytes.
    """
    memory = _mirroring(n, edges, weighted) if form == ".graph" else _building(n, edges, 8 if weighted else 4)
    limit = _BASE_MEMORY + (_MEMORY if directed else _UNDIRECTED_MEMORY) * size
    return n <= _vertex_limit(size) and memory <= limit


def check_vertices(text: Text, line: int, n: int) -> None:
    """Check that a header does not claim far more vertices than a text that has been read to its end could use."""
    limit = _vertex_limit(text.size)
    if n > limit:
        reason = "int32 numbers no more" if limit == MAX_VERTICES else f"the file has only {text.size} bytes"
        raise text.fault(line, f"{n} vertices are more than the {limit} accepted here: {reason}")


def _check_count(text: Text, content: _Content, line: int, declared: int, what: str) -> None:
    found = len(content.ids)
    if found != declared:
        place = text.lines if found < declared else content.line(declared)
        raise text.fault(place, f"line {line} declares {declared} {what}, but the file has {found}")


# ---- DIMACS and PACE --------------------------------------------------------------------------------


_OTHER_DIMACS = (b"max", b"min", b"asn", b"edge", b"col", b"cnf", b"mat")
"""Problems of DIMACS whose files are others; what a header of PACE names has edges without weights."""


def _read_gr(text: Text) -> Graph:
    line, header = text.data_line(b"c")
    fields = header.split(None, 4)
    if len(fields) != 4 or fields[0] != b"p" or not fields[1].isalpha() or fields[1].lower() in _OTHER_DIMACS:
        raise text.fault(line, f"expected a header 'p sp n m', got {quote(header)}")
    n, m = natural(text, line, fields[2]), natural(text, line, fields[3])
    dimacs = fields[1].lower() == b"sp"
    text.memory = _MEMORY if dimacs else _UNDIRECTED_MEMORY
    if dimacs:
        table = _Table("a source target weight", first=1, last=n, comments=b"c", header=b"p", tag=b"a")
    else:
        table = _Table("vertex vertex", first=1, last=n, comments=b"c", header=b"p", weighted=False)
    content = _join(text, _read_table(text, table))
    check_vertices(text, line, n)
    _check_count(text, content, line, m, "edges")
    listed = [content.ids, content.weights]
    del content
    return _build(text, n, listed, directed=dimacs, offset=1)


# ---- edge lists -------------------------------------------------------------------------------------


def _read_edge_list(text: Text, relabel: bool = False) -> Graph:
    line, start = text.data_line(b"#%")
    columns = len(start.split(None, 3))
    if columns not in (2, 3):
        raise text.fault(line, f"expected an edge 'source target' or 'source target weight', got {quote(start)}")
    if start[:1].isalpha():
        raise text.fault(line, f"expected a vertex number, got {quote(start.split(None, 1)[0])}; {_CURES[_TABLE]}")
    weighted = columns == 3
    layout = "source target weight" if weighted else "source target"
    hint = "" if weighted else f"; line {line} has no weight, and is a header 'n m' only before lines without weights"
    table = _Table(layout, comments=b"#%", weighted=weighted, hint=hint)
    content = _join(text, [_table_lines(text, line, start, table), *_read_table(text, table)])
    ids = content.ids
    declared = _declared_vertices(content)
    if declared is not None:
        ids = ids[1:]
    if relabel:
        listed = [ids, content.weights]
        del ids, content
        return _relabelled(text, listed)
    if declared is None:
        _check_density(text, content)
        n = int(ids.max()) + 1
    else:
        check_vertices(text, line, declared)
        n = declared
    listed = [ids, content.weights]
    del ids, content
    return _build(text, n, listed)


def _relabelled(text: Text, listed: list[npt.NDArray[Any] | None]) -> Graph:
    """Build the graph of an edge list whose vertices are given new numbers; the list is emptied."""
    weights, ids = listed.pop(), listed.pop()
    assert ids is not None
    held = ids.nbytes + (0 if weights is None else weights.nbytes)
    text.require(held + 2 * ids.nbytes + 2 * ids.size + _WORKING_MEMORY)
    ascending = np.sort(ids, axis=None)
    first = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    numbers = ascending[first]
    del ascending, first
    text.names = names = len(numbers) * _NAME_MEMORY
    text.require(held + numbers.nbytes + names + 4 * ids.size + _WORKING_MEMORY)
    ends = np.empty(ids.shape, np.int32)
    for begin in range(0, len(ids), _PART):
        ends[begin : begin + _PART] = np.searchsorted(numbers, ids[begin : begin + _PART])
    del ids
    text.require(names + _building(len(numbers), len(ends), 4 if weights is None else 8))
    labels = numbers.tolist()
    del numbers
    return _build(text, len(labels), [ends, weights], labels=labels)


def _declared_vertices(content: _Content) -> int | None:
    """Return the n of a header "n m", which the first row holds as if it were an edge; None: it is an edge."""
    n, m = (int(number) for number in content.ids[0])
    edges = content.ids[1:]
    header = content.weights is None and m == len(edges) > 0 and n > edges.max()
    return n if header else None


def _check_density(text: Text, content: _Content) -> None:
    limit = _vertex_limit(text.size)
    sparse = (content.ids >= limit).any(axis=1)
    if sparse.any():
        row = int(np.argmax(sparse))
        raise text.fault(
            content.line(row),
            f"vertex {content.ids[row].max()} means more vertices than the {limit} accepted in a file of "
            f"{text.size} bytes; relabel=True numbers only the vertices that occur",
        )


# ---- Matrix Market ----------------------------------------------------------------------------------


def _read_mtx(text: Text) -> Graph:
    line, start = text.data_line(b"")
    banner = start.lower().split(None, 5)
    if banner[:1] == [b"%matrixmarket"]:
        raise text.fault(line, f"expected two percent signs before MatrixMarket, got {quote(start)}")
    if len(banner) != 5 or banner[0] != b"%%matrixmarket" or banner[1] != b"matrix":
        expected = "%%MatrixMarket matrix <format> <field> <symmetry>"
        raise text.fault(line, f"expected a header '{expected}', got {quote(start)}")
    form, field, symmetry = banner[2:]
    choices = (
        (form, (b"coordinate", b"array")),
        (field, (b"real", b"double", b"integer", b"unsigned-integer", b"pattern")),
        (symmetry, (b"general", b"symmetric", b"skew-symmetric")),
    )
    for word, known in choices:
        if word not in known:
            raise text.fault(line, f"expected one of {', '.join(w.decode() for w in known)}, got {quote(word)}")
    if field == b"pattern" and (form == b"array" or symmetry == b"skew-symmetric"):
        raise text.fault(line, f"a pattern without values cannot be {quote(form)} {quote(symmetry)}")
    text.memory = _MEMORY if symmetry == b"general" else _UNDIRECTED_MEMORY
    if form == b"array":
        return _read_mtx_array(text, field, symmetry)
    return _read_mtx_coordinate(text, field, symmetry)


def _mtx_size(text: Text, numbers: int) -> tuple[int, list[int]]:
    """Return the line number of the size line and its numbers, the first two of which have to be equal."""
    line, start = text.data_line(b"%")
    fields = start.split(None, numbers)
    if len(fields) != numbers:
        raise text.fault(line, f"expected a size line of {numbers} numbers, got {quote(start)}")
    size = [natural(text, line, field) for field in fields]
    if size[0] != size[1]:
        raise text.fault(line, f"the matrix is {size[0]} x {size[1]}, expected a square matrix")
    return line, size


def _is_real(field: bytes) -> bool:
    return field in (b"real", b"double")


def _negated(text: Text, content: _Content, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values of the other triangle of a skew-symmetric matrix."""
    if weights.dtype.kind == "i" and weights.min(initial=0) == _INT64.min:
        raise text.fault(content.line(int(np.argmin(weights))), f"the mirrored entry {-_INT64.min} is outside int64")
    if np.isposinf(weights).any():
        raise text.fault(content.line(int(np.argmax(weights))), "the mirrored entry -inf is no weight")
    return -weights


def _read_mtx_coordinate(text: Text, field: bytes, symmetry: bytes) -> Graph:
    line, (n, _, m) = _mtx_size(text, 3)
    weighted = field != b"pattern"
    layout = "row column value" if weighted else "row column"
    real = _is_real(field)
    table = _Table(layout, first=1, last=n, weighted=weighted, integral=weighted and not real, real=real)
    content = _join(text, _read_table(text, table), real)
    check_vertices(text, line, n)
    _check_count(text, content, line, m, "entries")
    listed = [content.ids, content.weights]
    if symmetry == b"skew-symmetric" and content.weights is not None:
        loops = content.ids[:, 0] == content.ids[:, 1]
        if loops.any():
            place = content.line(int(np.argmax(loops)))
            raise text.fault(place, "a skew-symmetric matrix has no entries on its diagonal")
        text.require(_building(n, 2 * len(content.ids), content.weights.itemsize))
        listed[0] = np.concatenate((content.ids, content.ids[:, ::-1]))
        listed[1] = np.concatenate((content.weights, _negated(text, content, content.weights)))
    del content
    return _build(text, n, listed, directed=symmetry != b"symmetric", offset=1)


def _read_mtx_array(text: Text, field: bytes, symmetry: bytes) -> Graph:
    line, (n, _) = _mtx_size(text, 2)
    real = _is_real(field)
    table = _Table("value", ends=0, integral=not real, real=real)
    content = _join(text, _read_table(text, table), real)
    # The lower triangle of a column begins on the diagonal or, in a skew-symmetric matrix, below it.
    below = int(symmetry == b"skew-symmetric")
    full = symmetry == b"general"
    _check_count(text, content, line, n * n if full else (n - below) * (n - below + 1) // 2, "values")
    values = content.weights
    assert values is not None
    if real:
        values[values == np.inf] = 0  # no edge either
    if below and values.dtype.kind == "i":
        values = values.astype(np.int64)  # which can be negated
    text.require(_WORKING_MEMORY + values.nbytes * (2 if full else 4) + (0 if full else n * n * values.itemsize))
    if full:
        matrix = values.reshape(n, n).T
    else:
        mirrored = _negated(text, content, values) if below else values
        matrix = np.zeros((n, n), dtype=values.dtype)
        begin = 0
        for column in range(n - below):
            end = begin + n - below - column
            matrix[column + below :, column] = values[begin:end]
            matrix[column, column + below :] = mirrored[begin:end]
            begin = end
        del mirrored
    del content, values
    graph = _of_matrix(text, matrix, directed=symmetry != b"symmetric")
    del matrix
    text.edges = _distinct_edges(graph)
    return graph


def _of_matrix(text: Text, matrix: npt.NDArray[Any], directed: bool) -> Graph:
    """Build the graph of a dense matrix of finite numbers; its vertices count from 1."""
    n, present = len(matrix), matrix != 0
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.count_nonzero(present, axis=1), out=indptr[1:])
    edges = int(indptr[-1])
    text.require(_WORKING_MEMORY + matrix.nbytes + present.nbytes + n * _VERTEX_MEMORY + edges * (matrix.itemsize + 17))
    weights = matrix[present].astype(np.int64 if matrix.dtype.kind == "i" else np.float64)
    indices = np.broadcast_to(np.arange(n, dtype=np.int32), matrix.shape)[present]
    return Graph._of_rows((indptr, indices, weights), directed, 1)


# ---- METIS ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Adjacency:
    """What the lines of a METIS file consist of: numbers to skip, then the neighbours of one vertex."""

    n: int
    skip: int
    weighted: bool


class _Neighbours(NamedTuple):
    """What some lines of a METIS file hold, row by row.

    degrees: number of neighbours of each vertex. targets: neighbours from 0. weights: as in :class:`_Rows`.
    lines: line number of each vertex.
    """

    degrees: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int64] | npt.NDArray[np.float64] | None
    lines: npt.NDArray[np.int32] | npt.NDArray[np.int64]

    def line(self, edge: int) -> int:
        """Return the number of the line in which a neighbour is."""
        return int(self.lines[np.searchsorted(np.cumsum(self.degrees), edge, side="right")])


def _read_metis(text: Text) -> Graph:
    text.memory = _UNDIRECTED_MEMORY
    line, layout, m = _metis_header(text)
    listed = _join_adjacency(text, _read_adjacency(text, line, layout))
    found = len(listed.targets)
    if found != 2 * m:
        place = text.lines if found < 2 * m else listed.line(2 * m)
        raise text.fault(place, f"line {line} declares {2 * m} = 2 * {m} neighbours, but the file has {found}")
    text.edges = m
    text.require(_mirroring(layout.n, found, listed.weights is not None))
    indptr = np.concatenate(([0], np.cumsum(listed.degrees)))
    values = np.zeros(found, np.int8) if listed.weights is None else listed.weights
    mirrored = transposed(indptr, listed.targets, values)  # the same edges from the other end, in ascending order
    if not is_symmetric(*mirrored):
        text.require(_WORKING_MEMORY + 40 * layout.n + 80 * found)
        _check_symmetry(text, listed, layout.n)
    weights = None if listed.weights is None else mirrored[2]
    del indptr, values, listed
    return Graph(mirrored[0], mirrored[1], weights, directed=False, offset=1)


def _mirroring(n: int, neighbours: int, weighted: bool) -> int:
    """Return the bytes that it takes to list the edges of a METIS file from their other end, and to compare."""
    return _WORKING_MEMORY + 40 * n + (37 if weighted else 22) * neighbours  # of each array three times


def _read_adjacency(text: Text, header_line: int, layout: _Adjacency) -> list[_Neighbours]:
    """Parse the rest of the text. The result has at least one entry, so that it can be joined."""
    parts = [_adjacency_lines(text, 1, b"%", layout, 0)]
    vertices = memory = 0
    for first_line, block in text.blocks():
        rows = _adjacency_block(first_line, block, layout, vertices)
        if rows is None:
            words = sum(map(block.count, (b" ", b"\t", b"\n")))
            text.require(memory + 3 * len(block) + words * (_NEIGHBOUR_MEMORY if layout.weighted else 8))
            rows = _adjacency_lines(text, first_line, block, layout, vertices)
        parts.append(rows)
        vertices += len(rows.degrees)
        memory += sum(array.nbytes for array in rows if array is not None)
        text.require(2 * memory + 2 * vertices * 8 + _WORKING_MEMORY)
    if vertices < layout.n:
        raise text.fault(text.lines, f"line {header_line} declares {layout.n} vertices, but the file has {vertices}")
    return parts


def _join_adjacency(text: Text, parts: list[_Neighbours]) -> _Neighbours:
    """Put the blocks together, with weights of one type; empties the list, since the memory is needed."""
    degrees, targets, lines = (np.concatenate([part[place] for part in parts]) for place in (0, 1, 3))
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
        if weights.dtype.kind == "f":
            for part in parts:
                _check_exact(text, part)
    parts.clear()
    return _Neighbours(degrees, targets, weights, lines)


def _metis_header(text: Text) -> tuple[int, _Adjacency, int]:
    line, header = text.data_line(b"%")
    fields = header.split(None, 4)
    if not 2 <= len(fields) <= 4:
        raise text.fault(line, f"expected a header 'n m [fmt [ncon]]', got {quote(header)}")
    n, m = natural(text, line, fields[0]), natural(text, line, fields[1])
    if n > MAX_VERTICES:
        raise text.fault(line, f"{n} vertices are more than the {MAX_VERTICES} that int32 numbers")
    flags = fields[2] if len(fields) > 2 else b"0"
    if not re.fullmatch(rb"[01]{1,3}", flags):
        raise text.fault(line, f"expected fmt to be up to three digits 0 or 1, got {quote(flags)}")
    sized, vertex_weighted, weighted = (flag == ord("1") for flag in flags.zfill(3))
    constraints = natural(text, line, fields[3]) if len(fields) > 3 else int(vertex_weighted)
    if (constraints > 0) != vertex_weighted:
        raise text.fault(line, f"ncon is {constraints}, which contradicts fmt {quote(flags)}")
    return line, _Adjacency(n, sized + constraints, weighted), m


def _adjacency_block(first_line: int, block: bytes, layout: _Adjacency, vertex: int) -> _Neighbours | None:
    """Parse a block at once; None when that is not certain to give what :func:`_adjacency_lines` gives."""
    words = find_words(block)
    count = 0 if words is None else len(words.breaks) - 1
    if words is None or vertex + count > layout.n:
        return None
    borders = np.searchsorted(words.starts, words.breaks)
    lengths = np.diff(borders)
    step = 1 + layout.weighted
    if lengths.min() < layout.skip or ((lengths - layout.skip) % step).any():
        return None
    place = np.arange(len(words.starts)) - np.repeat(borders[:-1], lengths) - layout.skip
    is_weight = (place >= 0) & (place % step == 1)
    values = naturals(words.data, words.starts[~is_weight], words.ends[~is_weight])
    weights = numbers(words.data, words.starts[is_weight], words.ends[is_weight]) if layout.weighted else None
    if values is None or (layout.weighted and weights is None):
        return None
    targets = values[place[~is_weight] >= 0] - 1
    degrees = (lengths - layout.skip) // step
    sources = np.repeat(np.arange(vertex, vertex + count), degrees)
    if targets.min(initial=0) < 0 or targets.max(initial=0) >= layout.n or (sources == targets).any():
        return None
    return _Neighbours(degrees, targets.astype(np.int32), weights, narrow(np.arange(first_line, first_line + count)))


def _adjacency_lines(text: Text, first_line: int, block: bytes, layout: _Adjacency, vertex: int) -> _Neighbours:
    """Parse the lines of the vertices from `vertex` on."""
    degrees, targets, lines = array("q"), array("i"), array("q")
    weights: list[int | float] = []
    for number, line in lines_of(first_line, block):
        start = line.lstrip()[:1]
        if start == b"%":
            continue
        if vertex == layout.n:
            if start:
                raise text.fault(number, f"a line more than the {layout.n} vertices that the header declares")
            continue
        before = len(targets)
        fields = (match[0] for match in _WORD.finditer(line))
        for _ in range(layout.skip):
            if not (field := next(fields, b"")).isdigit():
                raise text.fault(number, f"expected {layout.skip} sizes and weights of the vertex, got {quote(field)}")
        for field in fields:
            target = vertex_of(text, number, field, 1, layout.n) - 1
            if target == vertex:
                raise text.fault(number, f"vertex {vertex + 1} lists itself")
            targets.append(target)
            if layout.weighted:
                weights.append(_weight(text, number, next(fields, b""), integral=False))
        degrees.append(len(targets) - before)
        lines.append(number)
        vertex += 1
    rows = _Neighbours(
        np.array(degrees, np.int64), np.array(targets, np.int32), None, narrow(np.array(lines, np.int64))
    )
    return rows._replace(weights=_weights(text, weights, rows.line)) if layout.weighted else rows


def _check_symmetry(text: Text, listed: _Neighbours, n: int) -> None:
    """Check that each edge occurs as often, and with the same weights, from one end as from the other."""
    sources, targets = np.repeat(np.arange(n, dtype=np.int32), listed.degrees), listed.targets
    values = np.zeros(len(sources), dtype=np.int8) if listed.weights is None else listed.weights
    up = sources < targets
    one = _in_order(n, sources[up], targets[up], values[up])
    other = _in_order(n, targets[~up], sources[~up], values[~up])
    if np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1]):
        return
    pairs = itertools.zip_longest(zip(*one, strict=True), zip(*other, strict=True))
    edge, mirror = next((edge, mirror) for edge, mirror in pairs if edge != mirror)
    # Both lists ascend: where they first differ, the lesser edge is the one that the other list lacks.
    lone = min(edge or mirror, mirror or edge)
    source, target = divmod(int(lone[0]), n) if lone is edge else divmod(int(lone[0]), n)[::-1]
    edge_of = int(np.argmax((sources == source) & (targets == target) & (values == lone[1])))
    weight = "" if listed.weights is None else f" with weight {lone[1]}"
    raise text.fault(
        listed.line(edge_of),
        f"vertex {source + 1} lists {target + 1}{weight}, but {target + 1} does not list {source + 1} so",
    )


def _in_order(
    n: int, starts: npt.NDArray[Any], ends: npt.NDArray[Any], values: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return start * n + end and the value of each edge, in ascending order."""
    keys = starts * np.int64(n) + ends
    order = np.lexsort((values, keys))
    return keys[order], values[order]


# ---- SciPy's npz ------------------------------------------------------------------------------------


_PLACES = frozenset(f"{name}.npy" for name in ("indices", "indptr", "offsets", "row", "col", "coords", "shape"))
"""Arrays that say where entries are."""


def _read_npz(text: Text) -> Graph:
    import scipy.sparse

    content = text.rest()
    with _blamed(
        text, Exception, "not a file that scipy.sparse.save_npz wrote: "
    ):  # whatever fails, it is all in memory
        inside = check_archive(io.BytesIO(content), _PLACES)
    text.require(len(content) + inside, inside)
    with _blamed(text, Exception, "not a file that scipy.sparse.save_npz wrote: "):
        matrix = scipy.sparse.load_npz(io.BytesIO(content))
        n, stored = matrix.shape[0], matrix.nnz
        naming = _naming(content, n)
    del content
    limit = _vertex_limit(max(text.size, inside))
    if max(matrix.shape) > limit:
        raise text.fault(None, f"a matrix of shape {matrix.shape} is larger than the {limit} rows accepted here")
    text.names, names = (0, 0) if naming is None else _naming_memory(naming)
    text.require(names + _sparse_memory(matrix), inside)
    with _blamed(text, (TypeError, ValueError)):
        if matrix.format in ("bsr", "dia"):
            n, *entries = sparse_entries(matrix)
            del matrix
            graph = Graph._from_matrix_entries(n, entries, directed=True)
        else:
            graph = Graph.from_scipy(matrix)
            del matrix
    if naming is not None:
        graph = _named(text, graph, naming, names, inside)
        if naming.coordinates is not None:
            graph = graph._located(naming.coordinates, naming.geographic)
    text.edges = stored if graph.directed else _distinct_edges(graph)
    return graph


@contextlib.contextmanager
def _blamed(text: Text, kinds: type[Exception] | tuple[type[Exception], ...], what: str = "") -> Iterator[None]:
    """Turn exceptions into faults of the file, but for a lack of memory."""
    try:
        yield
    except MemoryError:
        raise
    except kinds as error:
        raise text.fault(None, what + re.sub(r"^The file <_io\.BytesIO object at \w+>", "it", str(error))) from None


def _sparse_memory(matrix: Any) -> int:
    """Return the bytes that it takes to build a directed graph of a sparse matrix, those of the matrix included."""
    data: npt.NDArray[Any] = matrix.data
    size, weight, stored = data.itemsize, 8 if data.itemsize > 4 or data.dtype == np.uint32 else 4, int(data.size)
    arrays = [
        data,
        *(getattr(matrix, name) for name in ("indices", "indptr", "offsets", "row", "col") if hasattr(matrix, name)),
    ]
    held = sum(int(array.nbytes) for array in arrays)
    base: int = _WORKING_MEMORY + matrix.shape[0] * _VERTEX_MEMORY
    if matrix.format in ("bsr", "dia"):
        entries = int(np.count_nonzero(data))
        listed = held + 16 * len(arrays[1]) + (0 if data.flags.c_contiguous else data.nbytes) + (8 + size) * entries
        return base + max(listed, (12 + size + weight) * entries, (_EDGE_MEMORY + weight) * entries)
    if matrix.format == "coo":
        return base + held + (_EDGE_MEMORY + weight) * stored
    if matrix.format == "csc":
        return base + held + (9 + 2 * weight) * stored
    longest = min(max(0, int(np.diff(matrix.indptr).max(initial=0))), stored)
    if 16 * longest <= _WORKING_MEMORY or (_are_bounds(matrix.indptr, stored) and matrix.has_sorted_indices):
        longest = 0  # otherwise that row is sorted apart
    return base + held + (8 + weight) * stored + 16 * longest


def _are_bounds(indptr: npt.NDArray[Any], stored: int) -> bool:
    """Whether rows begin and end where there are entries, as SciPy believes; differences of int32 may wrap."""
    return indptr[0] >= 0 and indptr[-1] <= stored and bool((indptr[1:] >= indptr[:-1]).all())


class _Naming(NamedTuple):
    """What :func:`reedsp.write` adds to a matrix."""

    directed: bool
    offset: int
    labels: npt.NDArray[Any] | LabelText | None
    coordinates: npt.NDArray[np.float64] | None
    geographic: bool


def _naming(content: bytes, n: int) -> _Naming | None:
    """Return direction, offset, labels and coordinates of a graph; None: scipy.sparse.save_npz wrote the file."""
    with np.load(io.BytesIO(content)) as arrays:
        if not {"directed", "offset"} <= set(arrays):
            return None
        labels = label_text(arrays, n) if {TEXT, ENDS} <= set(arrays) else _label_array(arrays.get(LABELS), n)
        coordinates = arrays.get("coordinates")
        if coordinates is not None and (coordinates.dtype != np.float64 or coordinates.shape != (n, 2)):
            found = f"{coordinates.dtype} of shape {coordinates.shape}"
            raise ValueError(f"coordinates: expected float64 of shape {(n, 2)}, got {found}")
        if coordinates is not None:
            coordinates = np.ascontiguousarray(coordinates)
            refuse_infinite(coordinates)
        directed, offset = _single(arrays, "directed", "b"), _single(arrays, "offset", "iu")
        geographic = "geographic" in arrays and _single(arrays, "geographic", "b")
        return _Naming(directed, offset, labels, coordinates, geographic)


def _label_array(labels: npt.NDArray[Any] | None, n: int) -> npt.NDArray[Any] | None:
    """Return the array of labels, if there is one, after a check."""
    if labels is not None and (labels.dtype.kind not in "iU" or labels.shape != (n,)):
        raise ValueError(f"labels: expected {n} integers or strings, got {labels.dtype} of shape {labels.shape}")
    if labels is not None and labels.dtype.kind == "U":
        _check_characters(labels)
    return labels


def _single(arrays: Mapping[str, npt.NDArray[Any]], name: str, kinds: str) -> Any:
    """Return the one value in an array, which has to be of one of these kinds."""
    array = arrays[name]
    if array.dtype.kind not in kinds or array.ndim:
        expected = "True or False" if kinds == "b" else "an integer"
        raise ValueError(f"{name}: expected {expected}, got {array.dtype} of shape {array.shape}")
    return array.item()


def _label_list(labels: npt.NDArray[Any] | LabelText | None) -> list[Any] | None:
    """Return the labels as Python's integers or strings, after a check that they differ."""
    if labels is None:
        return None
    if isinstance(labels, LabelText):
        strings = labels.strings()
        _check_different(strings)
        return strings
    _check_different(labels)
    return list(labels.tolist())


def _check_different(labels: npt.NDArray[Any] | list[str]) -> None:
    """Refuse two labels that are equal."""
    if isinstance(labels, list):
        if len(set(labels)) < len(labels):
            label = next(label for label, times in Counter(labels).items() if times > 1)
            first = labels.index(label)
            raise ValueError(f"labels[{labels.index(label, first + 1)}] = {label!r} is also labels[{first}]")
        return
    ascending = np.sort(labels)
    equal = ascending[1:] == ascending[:-1]
    if equal.any():
        label = ascending[np.argmax(equal)]
        first, second = np.flatnonzero(labels == label)[:2]
        raise ValueError(f"labels[{second}] = {label.item()!r} is also labels[{first}]")


def _check_characters(labels: npt.NDArray[np.str_]) -> None:
    """Refuse strings of which Python has none."""
    code = np.dtype(np.uint32).newbyteorder(labels.dtype.byteorder)
    codes = np.frombuffer(labels.tobytes(), code).reshape(len(labels), labels.itemsize // 4)
    if (wrong := (codes > sys.maxunicode).any(axis=1)).any():
        raise ValueError(f"labels[{np.argmax(wrong)}] holds a character beyond U+{sys.maxunicode:X}")


def _naming_memory(naming: _Naming) -> tuple[int, int]:
    """Return the bytes of the Python objects that labels are, and those of labels and coordinates with all copies."""
    coordinates = 0 if naming.coordinates is None else 2 * naming.coordinates.nbytes
    labels = naming.labels
    if labels is None:
        return 0, coordinates
    if isinstance(labels, LabelText):  # a character is a byte of them at least, and takes four at most
        objects, characters = _STRING_MEMORY * len(labels.ends), 4 * len(labels.text)
    else:
        objects = labels.size * (_NAME_MEMORY if labels.dtype.kind == "i" else _STRING_MEMORY)
        characters = labels.nbytes * (1 if labels.dtype.kind == "i" else 2)
    return objects, coordinates + objects + characters


def _named(text: Text, graph: Graph, naming: _Naming, names: int, inside: int) -> Graph:
    """Return a directed graph with the direction, the offset and the labels of a file."""
    with _blamed(text, ValueError):
        labels = _label_list(naming.labels)
    rows = graph.indptr, graph.indices, graph.weights
    if naming.directed or is_symmetric(*rows):
        with _blamed(text, ValueError):
            return Graph._of_rows(rows, naming.directed, naming.offset, labels)
    weight = graph.weights.itemsize
    text.require(names + (8 + weight) * graph.m + _building(graph.n, 2 * graph.m, weight), inside)
    sources = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    edges = [sources, graph.indices, graph.weights]
    del sources
    with _blamed(text, ValueError):
        return Graph._taking(edges, graph.n, False, naming.offset, labels)


# ---- lines of neighbours ----------------------------------------------------------------------------


def _read_neighbours(text: Text) -> Graph:
    graph = graph_of_lines(_lines_of_neighbours(text), text.fault)
    if not graph.directed:  # each is listed from both ends, but for a loop
        text.edges = _distinct_edges(graph) + (text.edges - graph.m + 1) // 2
    return graph


def _lines_of_neighbours(text: Text) -> Iterator[tuple[int, str]]:
    """Yield the lines that are no comments, and count their edges."""
    vertices = 0
    while (found := text.data_line(b"#%" if vertices == 0 else b"#"))[1]:
        number, line = found[0], found[1].decode(errors="replace")
        vertices += 1
        text.edges += sum(1 for _ in WORD.finditer(line.partition("#")[0].partition(":")[2]))
        text.require(_TYPED_MEMORY * (vertices + text.edges))
        yield number, line


# ---- formats ----------------------------------------------------------------------------------------

READERS: Mapping[str, Callable[[Text], Graph]] = {
    ".gr": _read_gr,
    ".mtx": _read_mtx,
    ".el": _read_edge_list,
    ".wel": _read_edge_list,
    ".graph": _read_metis,
    ".npz": _read_npz,
}
"""What reads the files whose names end so."""


def suffix(name: str) -> str:
    """Return the ending of a file's name that tells the format: in lower case, without that of a compression."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in (".gz", ".xz") else path.suffix


_ROAD_MAP, _TABLE = "a road map of OpenStreetMap", "a table with commas or semicolons"

_FOREIGN = (
    (re.compile(rb"(?=<)(?s:.{0,1000})<graphml\b"), "GraphML"),
    (re.compile(rb"(?=<)(?s:.{0,1000})<gexf\b"), "GEXF"),
    (re.compile(rb"(?=<)(?s:.{0,1000})<osm\b"), _ROAD_MAP),
    (re.compile(rb"(?s:\0\0..\n\tOSMHeader)"), _ROAD_MAP),
    (re.compile(rb"PAR1"), "Parquet"),
    (re.compile(rb"<"), "XML"),
    (re.compile(rb"(?:(?:Creator|Version)\b(?s:.{0,1000})\b)?graph\s{0,100}\[", re.IGNORECASE), "GML"),
    (re.compile(rb"(?:strict\s+)?(?:di)?graph\b[^\n]{0,100}\n?\s{0,100}\{", re.IGNORECASE), "Graphviz's DOT"),
    (re.compile(rb"[{\[]"), "JSON"),
    (re.compile(rb"[^\s,;]*[,;]"), _TABLE),
    (re.compile(rb"(?s:.*)\0"), "a binary file"),
)
"""How files of formats begin that are not read, and what to call them; the first one that fits counts."""

_BANNER = re.compile(rb"%%?matrixmarket\b", re.IGNORECASE)
"""How Matrix Market begins; with one sign, with which it would be a comment, it is a fault."""

_COMMENTS = re.compile(rb"\A(?:\s*[#%][^\n]*)*\s*")
"""What may be before the content of a text."""

_NEIGHBOURS = re.compile(rb"directed[^\S\n]*(?:[#\n]|\Z)|[0-9]+[^\S\n]*:")
"""How lines of neighbours begin."""

_CURES = {
    _ROAD_MAP: "reedsp.read_osm reads it, and the command reedsp read-map",
    _TABLE: "Graph.from_table reads it if its name ends in .csv, and it has a line of names and commas",
    "GraphML": "networkx.read_graphml reads it for Graph.from_networkx",
    "GEXF": "networkx.read_gexf reads it for Graph.from_networkx",
    "GML": "networkx.read_gml reads it for Graph.from_networkx",
    "Parquet": "Graph.from_table reads it",
}
_OTHER_CURE = "networkx reads some more for Graph.from_networkx, pandas and numpy tables for Graph.from_edges"


def _refuse_foreign(text: Text, content: bytes) -> None:
    """Say so if a file is in a well-known format that no reader is for."""
    foreign = next((name for beginning, name in _FOREIGN if beginning.match(content)), None)
    if foreign is not None:
        ours = ", ".join(READERS)
        cure = _CURES.get(foreign, _OTHER_CURE)
        raise text.fault(None, f"this seems to be {foreign}, which is not read; the formats are {ours}; {cure}")


def _sniff(text: Text) -> Callable[[Text], Graph]:
    """Recognise the format of a file whose name does not tell it."""
    if text.head.startswith(b"PK\x03\x04"):
        return _read_npz
    if _BANNER.match(text.head):
        return _read_mtx
    content = _COMMENTS.sub(b"", text.head, 1)
    if _NEIGHBOURS.match(content):
        return _read_neighbours
    _refuse_foreign(text, content)
    lines = text.head.split(b"\n")
    if not text.complete or not lines[-1]:
        lines.pop()
    rows = [line.split(None, 4) for line in lines if not line.lstrip().startswith((b"#", b"%"))]
    rows = list(itertools.dropwhile(operator.not_, rows))
    if rows and rows[0][0] in (b"c", b"p"):
        return _read_gr
    return _read_metis if rows and _looks_like_metis(text, rows[0], rows[1:]) else _read_edge_list


def _looks_like_metis(text: Text, header: list[bytes], body: list[list[bytes]]) -> bool:
    """Whether the lines are no table, but a header "n m [fmt [ncon]]" and a line for each of n vertices."""
    if not all(field.isdigit() and len(field) <= MAX_DIGITS for field in header) or not 2 <= len(header) <= 4:
        return False
    n = int(header[0])
    if any(body[n:]) or (len(body) < n and text.complete):
        return False
    without_edges = int(header[1]) == 0 and bool(body) and not any(body)
    if without_edges or any(row and len(row) != len(header) for row in body):
        return True
    return len(header) == 2 and _lists_neighbours(text, n, int(header[1]), body[:n])


def _lists_neighbours(text: Text, n: int, m: int, rows: list[list[bytes]]) -> bool:
    """Whether lines of two numbers or none, as an edge list may have them, list the neighbours of vertices 1 to n.

    Of a long text the head has to have an edge that both of its ends list.
    """
    words = [(vertex, field) for vertex, row in enumerate(rows, 1) for field in row]
    if not all(field.isdigit() and len(field) <= MAX_DIGITS for _, field in words):
        return False
    listed = {(vertex, int(field)) for vertex, field in words}
    inner = [(other, vertex) in listed for vertex, other in listed if other <= len(rows)]
    if not all(inner) or any(vertex == other or not 0 < other <= n for vertex, other in listed):
        return False
    if not text.complete:
        return bool(inner)
    if len(words) != 2 * m or not n:
        return False
    if not rows[n - 1]:  # then n and m are what a header of an edge list says, too, or its only edge
        raise text.fault(None, "this may be an edge list or METIS: write it to a file whose name ends in .el or .graph")
    return True
