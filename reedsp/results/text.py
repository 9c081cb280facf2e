"""Results written to files: distances or levels with their trees, as CSV or as numpy's ``.npz``.

A CSV calls vertices by their names. The arrays of a ``.npz`` have them by index; ``about``, a text in JSON, says how
the result was found and of which graph it is.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.io.archives import DEFLATE_LEVEL
from reedsp.io.labels import label_arrays
from reedsp.system.files.atomic_file import write_whole
from reedsp.system.files.path_argument import path_argument

_INT64_MAX = 2**63 - 1


def write_result(
    path: str | os.PathLike[str], formats: Mapping[str, Callable[[IO[bytes]], None]], *, overwrite: bool
) -> None:
    """Write a file in the format that its name ends in, whole or not at all.

    Parameters
    ----------
    path : path
    formats : mapping of str to callable(stream)
        What writes the files whose names end so.
    overwrite : bool
        Whether a file of this name may be replaced.

    Raises
    ------
    ValueError
        The name ends otherwise.
    TypeError
        It is no path.
    OSError
        The file cannot be written; FileExistsError if there is one that may not be replaced.
    """
    file = Path(path_argument(path, "path"))
    write = formats.get(file.suffix.lower())
    if write is None:
        raise ValueError(f"path = {str(file)!r}, expected a name that ends in {' or '.join(formats)}")
    write_whole(file, write, overwrite=overwrite)


class AsTable(ABC):
    """A result that can be written as a table."""

    @abstractmethod
    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        """Return what the columns are called, and the rows."""

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a ``.csv``, whole or not at all: what was found for each vertex, or each pair or edge, by their names.

        Parameters
        ----------
        path : path
            A name that ends in ``.csv``.
        overwrite : bool
            Whether a file of this name may be replaced.

        Raises
        ------
        ValueError
            The name ends otherwise.
        OSError
            The file cannot be written; FileExistsError if there is one that may not be replaced.
        """
        write_result(path, {".csv": self.write_csv}, overwrite=overwrite)

    def write_csv(self, stream: IO[bytes]) -> None:
        r"""Write what :meth:`save` writes to a binary stream, such as ``sys.stdout.buffer``.

        Examples
        --------
        >>> import io, reedsp
        >>> stream = io.BytesIO()
        >>> reedsp.maximum_matching([[1, 1], [0, 1]]).write_csv(stream)
        >>> stream.getvalue()
        b'row,column\n0,0\n1,1\n'
        """
        columns, rows = self._table()
        with csv_writer(stream, columns) as writer:
            writer.writerows(rows)


@contextlib.contextmanager
def csv_writer(stream: IO[bytes], columns: Iterable[str]) -> Iterator[Any]:
    """Lend a writer of rows below the names of the columns, in a binary stream that stays open.

    Raises
    ------
    TypeError
        It is none.
    ValueError
        A row has a character that UTF-8 has no bytes for; the message has the line.
    """
    if not hasattr(stream, "write") or isinstance(stream, io.TextIOBase):
        raise TypeError(f"stream: expected a binary stream, got {stream!r}")
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(_Lines(text), lineterminator=_Lines.END)
    try:
        writer.writerow(columns)
        yield writer
    finally:
        text.detach()  # flushes


class _Lines:
    """A text of lines that end in a newline, in which csv quotes a carriage return like a newline."""

    END = "\r\n"

    def __init__(self, text: IO[str]) -> None:
        self._text = text

    def write(self, line: str) -> None:
        """Write a line that ends in both."""
        try:
            self._text.write(f"{line.removesuffix(self.END)}\n")
        except UnicodeEncodeError as error:
            wrong = line[error.start]
            raise ValueError(
                f"the line {line.removesuffix(self.END)!r} has {wrong!r}, of which UTF-8 has no bytes"
            ) from None


def write_rows(
    stream: IO[bytes],
    graph: Graph,
    quantity: str,
    numbers: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    columns: Mapping[str, npt.NDArray[np.int32]],
    sources: Sequence[Any] | None,
    vertices: Sequence[int] | None,
) -> None:
    """Write a line for each vertex, or for some of them, and for each of several sources, as CSV.

    Parameters
    ----------
    stream : binary file
    graph : Graph
    quantity : str
        What to call the numbers.
    numbers, reached : ndarray, shape (k, n)
        Distances or levels, and where there is one; "inf" is written where there is none.
    columns : mapping of str to ndarray of int32, shape (k, n)
        Vertices for each vertex, negative for none.
    sources : sequence of names, optional
        That of each row, if there are several.
    vertices : sequence of int, optional
        Those that are written; all by default.
    """
    names = graph.names
    number = int if graph.has_integral_weights or numbers.dtype.kind == "i" else float
    chosen = range(graph.n) if vertices is None else vertices
    with csv_writer(stream, [*(["source"] if sources is not None else []), "vertex", quantity, *columns]) as writer:
        for row in range(len(numbers)):
            before = [] if sources is None else [repeat(sources[row])]
            values, known = numbers[row].tolist(), reached[row].tolist()
            texts = [number(values[v]) if known[v] else "inf" for v in chosen]
            ends = (column[row].tolist() for column in columns.values())
            named = [[names[column[v]] if column[v] >= 0 else "" for v in chosen] for column in ends]
            writer.writerows(zip(*before, [names[v] for v in chosen], texts, *named, strict=False))


def write_arrays(
    stream: IO[bytes], graph: Graph, arrays: Mapping[str, Any], about: Mapping[str, Any], *, compress: bool
) -> None:
    """Write arrays, what the vertices are called, and facts in JSON, as ``.npz``."""
    said = np.array(json.dumps({**about, "graph": fingerprint(graph)}))
    every: dict[str, Any] = {**arrays, **numbering(graph), "about": said}
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", method, compresslevel=DEFLATE_LEVEL) as archive:
        for name, array in every.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def numbering(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Return what the vertices are called: numbers and strings themselves, and a digest of tuples of them."""
    offset = {"offset": np.array(graph.offset, np.int64)}
    if graph.labels is None:
        return offset
    if labels := label_arrays(graph.labels):
        return offset | labels
    if not all(map(_is_plain, graph.labels)):
        return offset  # what it looks like may be another thing in the next process
    return offset | {"names": np.array(hashlib.sha256(repr(graph.labels).encode()).hexdigest())}


def _is_plain(label: Any) -> bool:
    """Return whether a label looks the same wherever it is made."""
    if isinstance(label, tuple):
        return type(label) is tuple and all(map(_is_plain, label))
    return type(label) in (int, float, str, bytes, bool)


def fingerprint(graph: Graph) -> str:
    """Return what tells graphs with other edges or weights apart; weights are compared as numbers."""
    weights = graph.weights
    if weights.dtype.kind == "i" or (graph.has_integral_weights and graph.max_abs_weight <= _INT64_MAX):
        weights = weights.astype(np.int64)
    else:
        weights = weights.astype(np.float64)
    digest = hashlib.sha256(f"{graph.n} {weights.dtype}".encode())
    for array in (graph.indptr, graph.indices, weights):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
