"""Matrices in files, written so that work on them goes on after an interruption as if there had been none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core import array_files
from reedsp.cost_model.counts import SPAN
from reedsp.system.files import writing
from reedsp.system.files.atomic_file import FULL, room_for, synchronise_folder
from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.journal import damaged
from reedsp.system.files.journaled_folder import JournaledFolder

FORMAT = 2
"""Version of the files; others are not read."""

_PIECE = 1 << 24  # bytes of a file that are read at a time
_MATRIX, _PANELS, _ROWS, _COLUMNS = "matrix", "panels", "rows", "columns"
DIST, PRED = "dist.npy", "pred.npy"
"""Names of the results in the folder."""
_NAMES = {_MATRIX, _PANELS, _ROWS, _COLUMNS, DIST, PRED}
_NO_RESERVATION = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class Checkpoint(JournaledFolder):
    """A square matrix of path weights in a folder, and how far the relaxation of its paths has come.

    Paths are relaxed through some hundreds or thousands of vertices at a time, in one pass over the matrix. Before
    a pass changes anything, three files hold all that would be needed to do it again: ``panels`` and ``rows``, the
    rows of these vertices when it is their turn and at the end of the pass, and ``columns``, the columns of these
    vertices as the pass found them. To repeat the pass on other rows, finished or half written, is harmless: it
    replaces each entry by the minimum of that entry and of sums of saved numbers.

    Results are written in the folder, too, and moved to their targets when all of them are complete: by their size and
    time it is known later which files there are theirs.

    Every line of ``journal`` has a checksum, and holds those of the other files. What a line says has been written is
    on the disk before that line is. The lock is kept as long as a thread is writing, even after :meth:`close`.

    Parameters
    ----------
    folder : Path
        Made where missing. An earlier checkpoint in it is continued.
    fingerprint : str
        Says which problem this is; an earlier checkpoint has the same.
    n : int
        Rows and columns, at least one.
    dtype : dtype

    Attributes
    ----------
    matrix : memmap, shape (n, n)
        To be filled while `fresh`, and not to be written to afterwards.
    fresh : bool
        Whether the matrix still has to be filled.
    done : int
        How many vertices all paths have been relaxed through.
    unfinished : tuple of int, optional
        First and number of the vertices of a pass that was begun.
    panels, columns : memmap, optional
        Those of the unfinished pass, shape (vertices, n) and (n, vertices).
    placed : bool
        Whether all results have been moved to their targets. Then there is no matrix any more.

    Raises
    ------
    ValueError
        The folder holds the checkpoint of another problem or version, or a damaged one; the message names the file.
    BlockingIOError
        Another process is working in this folder.
    FileExistsError
        The folder holds something else.
    PermissionError
        The folder, or a file in it, is a link or another user's.
    OSError
        There is no room for the matrix, or the like. If nothing has been computed there is no folder then.
    """

    def __init__(self, folder: Path, fingerprint: str, n: int, dtype: npt.DTypeLike) -> None:
        if n < 1:
            raise ValueError(f"n: at least one row is needed, got {n}")
        self._n, self._dtype = n, np.dtype(dtype)
        self.fresh: bool = True
        self.done: int = 0
        self.unfinished: tuple[int, int] | None = None
        self.panels: npt.NDArray[Any] | None = None
        self.columns: npt.NDArray[Any] | None = None
        self._checksums: dict[int, int] = {}  # of spans of rows of the matrix
        self._begun: set[int] = set()  # spans of rows that the unfinished pass may have changed
        self._ended: set[int] = set()
        self._side_checksums: dict[str, int] = {}
        self._results: tuple[str, dict[str, list[int]]] | None = None  # their kind, and size and time of each
        self.placed: bool = False
        header: dict[str, int | str] = {
            **{"format": FORMAT, "n": n, "dtype": self._dtype.str},
            "vertices at a time": SPAN,  # which decides the order in which floats are added up
            "fingerprint": fingerprint,  # last, as an error names the first that differs
        }
        super().__init__(folder, header)

    def remove(self) -> None:
        """Delete the files and the folder."""
        self.panels = self.columns = None
        if hasattr(self, "matrix"):
            del self.matrix
        for name in sorted(_NAMES):
            self._own.unlink(name)
        self._own.synchronise()  # or a power cut may leave them without the journal, and no one knows whose they are
        super().remove()

    def filled(self) -> None:
        """Record that the matrix holds what is to be worked on."""
        self.matrix.flush()
        self._own.synchronise()
        checksums = [array_files.checksum(self.matrix[first : first + SPAN]) for first in range(0, self._n, SPAN)]
        self._record("filled", checksums)

    def finished(self) -> bool:
        """Return whether all paths have been relaxed through all vertices."""
        return self.done == self._n

    # ---- a pass ------------------------------------------------------------------------------------

    def store_panels(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Write some rows of ``panels``, those of the first vertices first; not during a pass."""
        self._store(_PANELS, first, rows)

    def store_rows(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Write some rows of ``rows``, those of the first vertices first; not during a pass."""
        self._store(_ROWS, first, rows)

    def begin_pass(self, first: int, size: int) -> None:
        """Record that a pass through some vertices may begin, whose panels and rows are stored."""
        step = max(1, _PIECE // (size * self._dtype.itemsize))
        for row in range(0, self._n, step):
            self._store(_COLUMNS, row, self.matrix[row : row + step, first : first + size])
        for name in (_PANELS, _ROWS, _COLUMNS):
            self._synchronise(name)
        self._own.synchronise()
        checksums = {name: self._side_checksums[name] for name in (_PANELS, _ROWS, _COLUMNS)}
        self._record("pass", first, size, checksums)
        self._map_side_files()

    def put_rows(self) -> None:
        """Put the stored rows into the matrix, unless they are there."""
        assert self.unfinished is not None
        first, size = self.unfinished
        if first // SPAN in self._ended:
            return
        self.begin_rows(first, first + size)
        with self._reading(_ROWS) as stream:
            for row in range(first, first + size, SPAN):
                count = min(SPAN, first + size - row)
                content = stream.read(count * self._n * self._dtype.itemsize)
                if len(content) < count * self._n * self._dtype.itemsize:
                    raise damaged(self._file(_ROWS), "too short")
                self.write_rows(row, np.frombuffer(content, self._dtype).reshape(count, self._n))
        self.end_rows(first, first + size)

    def missing(self) -> list[tuple[int, int]]:
        """Return the first and last rows, last not included, that the unfinished pass has not finished."""
        runs: list[tuple[int, int]] = []
        for span in sorted(set(range(-(-self._n // SPAN))) - self._ended):
            first, last = span * SPAN, min((span + 1) * SPAN, self._n)
            if runs and runs[-1][1] == first:
                first = runs.pop()[0]
            runs.append((first, last))
        return runs

    def begin_rows(self, first: int, last: int) -> None:
        """Record that some spans of rows of the matrix may be half written from now on."""
        self._record("writing", first, last)

    def write_rows(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Write rows of the matrix; those of a span from its first one on."""
        rows = np.ascontiguousarray(rows)
        with self._writing(_MATRIX, "r+b", rows.nbytes) as stream:
            writing.write(stream, first * self._n * self._dtype.itemsize, rows.data)
        for row in range(first // SPAN * SPAN, first + len(rows), SPAN):
            part = rows[max(0, row - first) : row + SPAN - first]
            before = self._checksums[row // SPAN] if row < first else 0
            self._checksums[row // SPAN] = array_files.checksum(part, before)

    def end_rows(self, first: int, last: int) -> None:
        """Record that some rows of the matrix are written."""
        self._synchronise(_MATRIX)
        self._record("written", first, last, [self._checksums[span] for span in _spans(first, last)])

    def end_pass(self) -> None:
        """Record that a pass is finished."""
        assert self.unfinished is not None
        self.panels = self.columns = None  # their files will be written again
        self._record("done", sum(self.unfinished))

    def _store(self, name: str, first: int, rows: npt.NDArray[Any]) -> None:
        rows = np.ascontiguousarray(rows)
        with self._writing(name, "r+b" if first else "wb", rows.nbytes) as stream:
            writing.write(stream, first * rows.shape[1] * self._dtype.itemsize, rows.data)
        self._side_checksums[name] = array_files.checksum(rows, self._side_checksums[name] if first else 0)

    # ---- results -----------------------------------------------------------------------------------

    def refuse_taken(self, kind: str, targets: Mapping[str, Path]) -> None:
        """Raise FileExistsError if a target is taken by a file that is not this very result.

        Parameters
        ----------
        kind : str
            Says all that decides over results but the matrix.
        targets : mapping of name to Path
            Of :data:`DIST` and :data:`PRED`, also if it is not wanted.
        """
        for name, target in targets.items():
            if os.path.lexists(target) and not self._is(kind, name, target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))

    def has_results(self, kind: str, targets: Mapping[str, Path]) -> bool:
        """Return whether all results are complete, each in the folder or at its target."""
        return all(
            self._is(kind, name, self._file(name)) or self._is(kind, name, target) for name, target in targets.items()
        )

    def write_results(self, kind: str, writers: Mapping[str, tuple[int, Callable[[IO[bytes]], None]]]) -> None:
        """Write files, in this order, and record that they are complete.

        Parameters
        ----------
        kind : str
        writers : mapping of name to (int, callable(stream))
            The bytes that each takes, about, and what writes them.
        """
        known: dict[str, list[int]] = {}
        self._refuse_when_closed()
        for name in (_PANELS, _ROWS, _COLUMNS, DIST, PRED):  # no pass is left that would be repeated
            self._own.unlink(name)
        try:
            for name, (size, write) in writers.items():
                self._refuse_when_closed()
                with room_for(self._file(name), size), self._own.open(name, "xb") as stream:
                    write(stream)
                    stream.flush()
                    os.fsync(stream.fileno())
                    status = os.fstat(stream.fileno())
                    known[name] = [status.st_size, status.st_mtime_ns]
        except OSError:
            for name in (DIST, PRED):  # whose room may be wanted
                self._own.unlink(name)
            raise
        self._own.synchronise()
        self._record("results", kind, known)

    def place_results(self, targets: Mapping[str, Path]) -> None:
        """Move the results to their targets, those that are not there yet.

        Raises
        ------
        FileExistsError
            A target is taken; all is as it was, but for the results before it.
        """
        assert self._results is not None
        kind, _ = self._results
        for name, target in targets.items():
            if self._is(kind, name, target):
                self._own.unlink(name)
            else:
                self._own.give(name, target)
        for folder in {target.parent for target in targets.values()}:
            synchronise_folder(folder)
        if not self.placed:
            self._record("placed")

    def _is(self, kind: str, name: str, file: Path) -> bool:
        """Whether a file is the result of a name that is recorded."""
        if self._results is None or self._results[0] != kind or name not in self._results[1]:
            return False
        try:
            status = os.lstat(file)
        except FileNotFoundError:
            return False
        return stat.S_ISREG(status.st_mode) and [status.st_size, status.st_mtime_ns] == self._results[1][name]

    # ---- the files ---------------------------------------------------------------------------------

    def _file(self, name: str) -> Path:
        return self.path / name

    def _synchronise(self, name: str) -> None:
        """Wait until what was written to a file is on the disk."""
        with self._own.open(name, "r+b") as stream:
            os.fsync(stream.fileno())

    @contextlib.contextmanager
    def _reading(self, name: str, mode: str = "rb") -> Iterator[IO[bytes]]:
        with named_errors(self._file(name)), self._own.open(name, mode) as stream:
            yield stream

    @contextlib.contextmanager
    def _writing(self, name: str, mode: str, size: int) -> Iterator[IO[bytes]]:
        """Open a file, to write some bytes in a thread that hears no signals."""
        with self._keeping_the_lock(), room_for(self._file(name), size), self._own.open(name, mode) as stream:
            yield stream

    @contextlib.contextmanager
    def _keeping_the_lock(self) -> Iterator[None]:
        """Keep others from working in the folder until something is written, even if this is closed meanwhile."""
        with self._mutex:
            self._refuse_when_closed()
            lock = os.fdopen(os.dup(self._lock.fileno()), "ab")
        with lock:
            yield

    def _open(self) -> None:
        try:
            super()._open()
            if not self.placed:
                self._open_matrix()
        except OSError as error:
            if self.fresh and error.errno in FULL:
                self.remove()
            raise

    def _open_matrix(self) -> None:
        size = self._n * self._n * self._dtype.itemsize
        if self.fresh:
            self._own.synchronise()  # no file is there without the journal
            self._reserve(size)
        elif (status := self._own.status(_MATRIX)) is None or status.st_size != size:
            raise damaged(self._file(_MATRIX), "missing" if status is None else f"not {size:,} bytes long")
        self.matrix: np.memmap[Any, Any] = self._mapped(_MATRIX, (self._n, self._n), "r+")
        if not self.fresh:
            self._verify()
            self._map_side_files()

    def _map_side_files(self) -> None:
        if self.unfinished is not None:
            size = self.unfinished[1]
            self.panels = self._mapped(_PANELS, (size, self._n))
            self.columns = self._mapped(_COLUMNS, (self._n, size))

    def _mapped(self, name: str, shape: tuple[int, int], mode: Literal["r", "r+"] = "r") -> np.memmap[Any, Any]:
        with self._reading(name, f"{mode}b") as stream:
            try:
                return np.memmap(stream, self._dtype, mode, shape=shape)
            except ValueError:
                raise damaged(self._file(name), "too short") from None

    def _verify(self) -> None:
        for span, checksum in sorted(self._checksums.items()):
            rows = self.matrix[span * SPAN : (span + 1) * SPAN]
            if span not in self._begun - self._ended and array_files.checksum(rows) != checksum:
                raise damaged(
                    self._file(_MATRIX), f"wrong checksum between rows {span * SPAN} and {span * SPAN + len(rows)}"
                )
        if self.unfinished is not None:
            expected = self.unfinished[1] * self._n * self._dtype.itemsize
            for name, checksum in self._side_checksums.items():
                if self._size_and_checksum(name) != (expected, checksum):
                    raise damaged(self._file(name), "wrong checksum")

    def _size_and_checksum(self, name: str) -> tuple[int, int]:
        size = checksum = 0
        if self._own.status(name) is not None:
            with self._reading(name) as stream:
                while piece := stream.read(_PIECE):
                    size, checksum = size + len(piece), zlib.crc32(piece, checksum)
        return size, checksum

    def _reserve(self, size: int) -> None:
        """Make a matrix of some bytes for which there is room: a mapped file that runs out of it ends the process."""
        try:
            with room_for(self._file(_MATRIX), size), self._own.open(_MATRIX, "wb") as stream:
                if sys.platform != "linux":
                    stream.truncate(size)
                    return
                try:
                    os.posix_fallocate(stream.fileno(), 0, size)
                except OSError as error:
                    if error.errno not in _NO_RESERVATION:
                        raise
                    stream.truncate(size)
        except BaseException:
            self._own.unlink(_MATRIX)
            raise

    # ---- the journal -------------------------------------------------------------------------------

    def _is_own(self, name: str, has_journal: bool) -> bool:
        return has_journal and name in _NAMES

    def _may_follow(self, record: Any) -> bool:
        match record:
            case ["filled", [*checksums]]:
                return self.fresh and len(checksums) == len(_spans(0, self._n)) and _are_naturals(checksums)
            case ["pass", first, size, dict(sides)]:
                sound = _are_naturals([first, size, *sides.values()]) and first == self.done < first + size
                new = not self.fresh and self.unfinished is None and set(sides) == {_PANELS, _ROWS, _COLUMNS}
                return sound and new and first + size <= self._n
            case ["writing", first, last]:
                return self.unfinished is not None and _are_naturals([first, last]) and first < last <= self._n
            case ["written", first, last, [*checksums]]:
                sound = _are_naturals([first, last, *checksums]) and first < last <= self._n
                return self.unfinished is not None and sound and len(checksums) == len(_spans(first, last))
            case ["done", done]:
                return self.unfinished is not None and type(done) is int and done == sum(self.unfinished)
            case ["results", str(), dict(files)]:
                pairs = all(type(each) is list and len(each) == 2 and _are_naturals(each) for each in files.values())
                return self.finished() and not self.placed and pairs and {DIST} <= set(files) <= {DIST, PRED}
            case ["placed"]:
                return self._results is not None and not self.placed
        return False

    def _replay(self, kind: str, *values: Any) -> None:
        if kind == "filled":
            self.fresh, self._checksums = False, dict(enumerate(values[0]))
        elif kind == "pass":
            self.unfinished, self._side_checksums = (values[0], values[1]), values[2]
        elif kind == "writing":
            self._begun.update(_spans(values[0], values[1]))
        elif kind == "written":
            spans = _spans(values[0], values[1])
            self._ended.update(spans)
            self._checksums.update(zip(spans, values[2], strict=True))
        elif kind == "results":
            self._results = values[0], values[1]
        elif kind == "placed":
            self.placed = True
        else:
            self.done, self.unfinished = values[0], None
            self._begun.clear()
            self._ended.clear()


def _spans(first: int, last: int) -> range:
    """Return the numbers of the spans of rows from `first` up to, but not including, `last`."""
    return range(first // SPAN, -(-last // SPAN))


def _are_naturals(values: Sequence[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)
