"""Throw changed files at every reader: each has to be refused with a reason, or to give something that is whole.

    python -m tests.deep.fuzz.readers [--count 1000000] [--first 0] [--seed 1] [--formats metis npz ...] [--jobs N]
                                 [--seconds S] [--save FOLDER] [--engine seeds|atheris]

Input `i` of a format is always the same for a seed (``inputs.py``). Of each input is demanded:

- no exception but ValueError, whose message begins with the path, and OSError; no warning;
- at most 10 seconds of the processor, and an end of the process of its own will only;
- at most 4 times its decompressed bytes and 64 MiB of memory: more address space than that, on top of what the process
  has before, the kernel does not give (RLIMIT_AS), so that memory which is merely reserved counts, too. The allocator
  is told to hand back at once what is freed, so that nothing comes from what an earlier input has left;
- of what was read: the invariants of a graph, places, a result or a checkpoint. Every fourth graph survives being
  written in its own format, where that can hold it, and some also as ``.npz``, and being read again.

What fails is made small, printed as a literal and saved. The exit status is 1 if there was a failure. With
``--engine atheris`` (needs ``pip install atheris``) inputs that reach new lines of the library are changed further, in
one process, until ``--count`` inputs are tried.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import faulthandler
import hashlib
import inspect
import io
import multiprocessing
import multiprocessing.connection
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import reedsp
from reedsp.algorithms.all_pairs.floyd_warshall import SPAN
from reedsp.algorithms.all_pairs.out_of_core import checkpoint
from reedsp.graph import graph
from reedsp.graph.graph import Graph
from reedsp.io import archives, coordinates, readers
from reedsp.results import files
from tests.deep.fuzz.inputs import CHECKPOINT_FILE, CHECKPOINT_SIZE, Format, formats

FORMATS = formats(SPAN)

_SECONDS = 10
"""Time of the processor that an input may take, and a twelfth of the time on the clock after which it is given up."""
_CHUNK = 10_000
"""Inputs that a process tries."""
_MOST_FAILURES = 40
"""Failures after which a process goes no further."""
_MEMORY = 2**26
_MEMORY_OF_FILE = 6
_PIECES = (2**19, 2**19, 2**19, 64, 2**19, 9, 2**19, 1)
"""Bytes that the readers take at a time: files of a few lines are to come in several pieces, too."""
_WRITTEN, _ARCHIVED = 4, 20
"""One graph of so many is written in its own format, and as ``.npz``."""
_MOST_TRIES = 1500
_GRAPH_OF_RESULTS = Graph.from_edges(3, [0, 1], [1, 2], [5, 6], directed=False, offset=1)


class Failure(Exception):
    """What was read is not what it has to be."""


class OutOfTime(BaseException):
    """An input took too long; not an Exception, so that no reader handles it."""


# ---- what is demanded -------------------------------------------------------------------------------


def demand(condition: object, what: str) -> None:
    if not condition:
        raise Failure(what)


def check_graph(graph: Graph) -> None:
    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    demand((indptr.dtype, indices.dtype) == (np.int64, np.int32), "types of the indices")
    demand(weights.dtype in (np.int32, np.int64, np.float32, np.float64), "type of the weights")
    demand(not (indptr.flags.writeable or indices.flags.writeable or weights.flags.writeable), "writable arrays")
    demand(len(indptr) >= 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(weights), "ends of indptr")
    demand((indptr[1:] >= indptr[:-1]).all(), "indptr falls")
    demand(graph.m == 0 or 0 <= indices.min() <= indices.max() < graph.n, "a target outside the graph")
    begins_row = np.zeros(graph.m + 1, bool)
    begins_row[indptr] = True
    demand((begins_row[1:-1] | (indices[1:] > indices[:-1])).all(), "a row is not in order")
    demand(weights.dtype.kind == "i" or np.isfinite(weights).all(), "a weight is not finite")
    demand(not (np.signbit(weights) & (weights == 0)).any(), "a negative zero")
    demand(graph.labels is None or len(graph.labels) == graph.n, "labels")
    if not graph.directed:
        sources = np.repeat(np.arange(graph.n), np.diff(indptr))
        mirrored = np.lexsort((sources, indices))
        same = (indices[mirrored] == sources).all() and (sources[mirrored] == indices).all()
        demand(same and (weights[mirrored] == weights).all(), "an undirected graph without symmetry")


def same_graph(one: Graph, other: Graph) -> bool:
    arrays = (one.indptr, other.indptr), (one.indices, other.indices), (one.weights, other.weights)
    return all(np.array_equal(left, right) for left, right in arrays)


def check_written(graph: Graph, folder: Path, ending: str) -> None:
    """Check that a graph is the same when it has been written and read again, unless the format cannot hold it."""
    file = folder / f"written{ending}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that names are lost
            reedsp.write(graph, file, overwrite=True)
    except ValueError:
        demand(ending != ".npz", "a graph that .npz cannot hold")
        return
    renamed = any("labels" in change or "numbered" in change for change in reedsp.changes(graph, file))
    named = ending in (".el", ".wel") and graph.has_names and not renamed
    again = reedsp.read(file, relabel=named)
    demand(same_graph(graph, again), f"another graph after writing it as {ending}")
    demand(not named or list(again.names) == list(graph.names), "other names after writing it as an edge list")
    if ending == ".npz":
        same = (graph.weights.dtype, graph.directed, graph.offset, graph.labels)
        demand(same == (again.weights.dtype, again.directed, again.offset, again.labels), "another graph from .npz")


def read_graph(path: Path, limits: Limits, number: int, relabel: bool = False) -> None:
    with limits:
        graph = reedsp.read(path, relabel=relabel)
    check_graph(graph)
    if number % _WRITTEN == 0:
        ending = readers.suffix(path.name)
        unit = graph.weights.dtype.kind == "i" and bool((graph.weights == 1).all())
        check_written(graph, path.parent, ".wel" if ending == ".el" and not unit else ending or ".gr")
    if number % _ARCHIVED == 0:
        check_written(graph, path.parent, ".npz")


def read_relabelled(path: Path, limits: Limits, number: int) -> None:
    read_graph(path, limits, number, relabel=True)


def read_places(path: Path, limits: Limits, number: int) -> None:
    with limits:
        places = reedsp.read_coordinates(path)
    demand(places.dtype == np.float64 and places.ndim == 2 and places.shape[1] == 2, "the shape of coordinates")
    demand(np.isfinite(places).all(), "a coordinate that is not finite")


def read_result(path: Path, limits: Limits, number: int) -> None:
    with limits:
        stored = files.load(path, _GRAPH_OF_RESULTS)
    shape = (len(stored.sources), _GRAPH_OF_RESULTS.n)
    demand(stored.sources, "no source")
    demand(all(0 <= v < _GRAPH_OF_RESULTS.n for row in stored.sources for v in row), "a source that is no vertex")
    demand(stored.dist.shape == shape and stored.dist.dtype.kind in "iuf", "the distances")
    demand(stored.pred is None or (stored.pred.shape == shape and stored.pred.dtype.kind in "iu"), "predecessors")
    demand(stored.nearest is None or stored.nearest.shape == (_GRAPH_OF_RESULTS.n,), "the nearest sources")
    demand(stored.cutoff is None or isinstance(stored.cutoff, (int, float)), "the cutoff")
    for row in range(len(stored.sources)):
        reached, unbounded = files.masks(stored, row)
        demand(reached.shape == unbounded.shape == shape[1:], "the masks")
        demand(not (reached & unbounded).any(), "a distance that is finite and endless")


def read_checkpoint(path: Path, limits: Limits, number: int) -> None:
    """Continue a checkpoint, of which the input is the journal."""
    folder = path.parent / "checkpoint"
    folder.mkdir(exist_ok=True)
    for name in ("matrix", "panels", "rows", "columns"):
        (folder / name).write_bytes(CHECKPOINT_FILE)
    path.replace(folder / "journal")
    with limits, checkpoint.Checkpoint(folder, "x", CHECKPOINT_SIZE, np.int64) as state:
        demand(state.placed or state.matrix.shape == (CHECKPOINT_SIZE, CHECKPOINT_SIZE), "the matrix")
        demand(type(state.done) is int and 0 <= state.done <= CHECKPOINT_SIZE, "the vertices that are done")
        missing = state.missing()
        demand(all(0 <= first < last <= CHECKPOINT_SIZE for first, last in missing), "the missing rows")
        if state.unfinished is not None:
            first, size = state.unfinished
            demand(type(first) is int and type(size) is int, "the types of an unfinished pass")
            demand(0 <= first < first + size <= CHECKPOINT_SIZE, "the vertices of an unfinished pass")


READERS: dict[str, Callable[[Path, Any, int], None]] = {
    "graph": read_graph,
    "relabelled graph": read_relabelled,
    "coordinates": read_places,
    "result": read_result,
    "checkpoint": read_checkpoint,
}
_PREFIX = {"checkpoint": "checkpoint"}  # what the message begins with, where it is not the file


class Limits:
    """Memory and time that the reading of a file may take, within a ``with`` block."""

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        self._bytes = 0

    def of(self, content: bytes) -> Limits:
        """Return these limits for a file of this content."""
        self._bytes = _MEMORY + _MEMORY_OF_FILE * max(len(content), _inside(content))
        return self

    def __enter__(self) -> None:
        pages = int(os.pread(self._statm, 64, 0).split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + self._bytes, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


_MOST_DEFLATED = 1032
"""How many bytes one that is deflated can become: a member that claims more lies."""


def _inside(content: bytes) -> int:
    """Return the bytes that an archive holds; other compressed inputs are held to 6 times what they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            return sum(each.file_size for each in members if each.file_size <= _MOST_DEFLATED * each.compress_size)
    except Exception:  # no archive, or a damaged one
        return 0


def _out_of_time(_: int, frame: FrameType | None) -> None:
    raise OutOfTime("".join(traceback.format_stack(frame)[-3:]))


class Examiner:
    """Tries inputs in this process, whose limits it changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._limits = Limits()
        self._recorder = warnings.catch_warnings(record=True)  # for the rest of the process
        self._warnings: Any = self._recorder.__enter__()
        warnings.simplefilter("always")
        signal.signal(signal.SIGPROF, _out_of_time)
        allocator = ctypes.CDLL(None)
        for option in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
            allocator.mallopt(option, 1 << 17)
        # What threads would reserve and not use is not counted, or every core would take 72 MiB.
        allocator.mallopt(-8, 1)  # M_ARENA_MAX
        threading.stack_size(2**18)

    def examine(self, form: Format, file: str, content: bytes, number: int) -> tuple[bool, str | None]:
        """Return whether an input was read, and what went wrong: the kind of error and where it was raised."""
        piece = _PIECES[number % len(_PIECES)]
        readers._PIECE, readers._PART, readers._HEAD = piece, min(piece, 2**13), min(piece, 2**16)
        path = self._folder / file
        path.write_bytes(content)
        self._warnings.clear()
        read, wrong = False, None
        try:
            READERS[form.reader](path, self._limits.of(content), number)
            read = True
        except ValueError as error:
            if not str(error).startswith(str(self._folder / _PREFIX.get(form.reader, file))):
                wrong = _signature(error)
        except OSError:
            pass
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            wrong = _signature(error)
        if self._warnings and wrong is None:
            first = self._warnings[0]
            wrong = f"{first.category.__name__}: {first.message} at {Path(first.filename).name}:{first.lineno}"
        return read, wrong


def _signature(error: BaseException) -> str:
    """Return what kind of error it is and where, without what differs from input to input."""
    places = [
        f"{Path(frame.filename).name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "reedsp" in Path(frame.filename).parts
    ]
    what = f": {error}" if isinstance(error, Failure) else ""
    return f"{type(error).__name__}{what} at {places[-1] if places else 'the check'}"


# ---- processes --------------------------------------------------------------------------------------


@dataclass
class Chunk:
    """Inputs that one process tries, and how far it has come."""

    name: str
    first: int
    last: int
    seed: int
    position: Any = field(default_factory=lambda: multiprocessing.RawValue(ctypes.c_int64, -1))
    seen: int = -2
    since: float = 0.0


def _try_chunk(chunk: Chunk, parent: Path, answer: multiprocessing.connection.Connection) -> None:
    """Try inputs, and send how many were read, and number and signature of those that failed."""
    faulthandler.enable()
    form = FORMATS[chunk.name]
    read = 0
    failures: list[tuple[int, str]] = []
    folder = parent / f"{chunk.name}-{chunk.first}"
    folder.mkdir()
    examiner = Examiner(folder)
    for number in range(chunk.first, chunk.last):
        chunk.position.value = number
        file, content = form.make(chunk.seed, number, chunk.name)
        ok, wrong = examiner.examine(form, file, content, number)
        read += ok
        if wrong is not None:
            failures.append((number, wrong))
            if len(failures) >= _MOST_FAILURES:
                break
    answer.send((number + 1 - chunk.first, read, failures))


def _memory_folder() -> str | None:
    """Return a folder that is no disk, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _try_one(name: str, file: str, content: bytes, number: int, folder: Path, answer: Any) -> None:
    answer.send(Examiner(folder).examine(FORMATS[name], file, content, number)[1])


def wrong_with(name: str, file: str, content: bytes, number: int = 0) -> str | None:
    """Return what goes wrong with an input, found out in a process of its own; None: nothing."""
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_memory_folder()) as folder:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = _PROCESSES.Process(target=_try_one, args=(name, file, content, number, Path(folder), theirs))
        process.start()
        theirs.close()
        try:
            if not ours.poll(12 * _SECONDS):
                process.kill()
                return "OutOfTime on the clock"
            wrong: str | None = ours.recv()
        except EOFError:
            process.join()
            return f"the process ended with {process.exitcode}"
        finally:
            ours.close()
            process.join()
    return wrong


_PROCESSES = multiprocessing.get_context("fork")


def limits_hold() -> bool:
    """Whether this system refuses memory beyond the limit, and nothing short of it."""

    def allocate(answer: Any) -> None:
        limits = Limits().of(b"")
        refused = []
        for size in (_MEMORY - 2**23, _MEMORY + 2**23):
            try:
                with limits:
                    np.empty(size, np.uint8)
            except MemoryError:
                refused.append(size)
        answer.send(refused == [_MEMORY + 2**23])

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = _PROCESSES.Process(target=allocate, args=(theirs,))
    process.start()
    holds: bool = ours.recv()
    process.join()
    return holds


@dataclass
class Tally:
    """What came of the inputs of one format."""

    tried: int = 0
    read: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """The first input of each kind of failure."""

    def add(self, tried: int, read: int, failures: list[tuple[int, str]]) -> None:
        self.tried += tried
        self.read += read
        for number, wrong in failures:
            self.failures[wrong] = min(number, self.failures.get(wrong, number))


def run(names: list[str], numbers: range, seed: int, jobs: int, seconds: float | None = None) -> dict[str, Tally]:
    """Try the inputs of some formats in several processes at a time.

    Parameters
    ----------
    names : list of str
        Keys of `FORMATS`.
    numbers : range
        Which inputs of each.
    seed : int
    jobs : int
    seconds : float, optional
        After which no further process is started.
    """
    begin = time.monotonic()
    tallies = {name: Tally() for name in names}
    chunks = collections.deque(
        Chunk(name, first, min(first + _CHUNK, numbers.stop), seed)
        for first in range(numbers.start, numbers.stop, _CHUNK)
        for name in names
    )
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_memory_folder()) as folder:
        running: dict[Any, tuple[Chunk, Any]] = {}
        while chunks or running:
            while chunks and len(running) < jobs and (seconds is None or time.monotonic() - begin < seconds):
                chunk = chunks.popleft()
                ours, theirs = multiprocessing.Pipe(duplex=False)
                process = _PROCESSES.Process(target=_try_chunk, args=(chunk, Path(folder), theirs))
                process.start()
                theirs.close()
                running[ours] = chunk, process
            if not running:
                break
            for answer in multiprocessing.connection.wait(list(running), timeout=_SECONDS):
                chunk, process = running.pop(answer)
                tally = tallies[chunk.name]
                try:
                    tally.add(*answer.recv())
                except EOFError:  # it has not come to its end: go on behind the input that ended it
                    process.join()
                    number = chunk.position.value
                    tally.add(number + 1 - chunk.first, 0, [(number, f"the process ended with {process.exitcode}")])
                    if number + 1 < chunk.last:
                        chunks.appendleft(Chunk(chunk.name, number + 1, chunk.last, seed))
                process.join()
            _end_those_that_hang(running)
    return tallies


def _end_those_that_hang(running: dict[Any, tuple[Chunk, Any]]) -> None:
    now = time.monotonic()
    for chunk, process in running.values():
        position = chunk.position.value
        if position != chunk.seen:
            chunk.seen, chunk.since = position, now
        elif now - chunk.since > 12 * _SECONDS:
            process.kill()


# ---- what failed, made small ------------------------------------------------------------------------


def shrink(content: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return an input that still fails, but not without any of its lines, words or bytes, nor with plainer ones."""
    tries = 0
    simpler = True
    while simpler:
        simpler = False
        for candidate in _simpler(content):
            if tries >= _MOST_TRIES:
                return content
            tries += 1
            if fails(candidate):
                content, simpler = candidate, True
                break
    return content


def _simpler(content: bytes) -> Iterator[bytes]:
    size = len(content)
    while size := size // 2 if size > 1 else 0:
        for first in range(0, len(content), size):
            yield content[:first] + content[first + size :]
    if len(content) == 1:
        yield b""
    for place in range(min(len(content), 200)):
        if content[place : place + 1] not in (b"0", b"1", b" ", b"\n"):
            yield content[:place] + b"1" + content[place + 1 :]


def report(name: str, number: int, seed: int, wrong: str, folder: Path) -> None:
    """Print a failure and a smaller input that fails alike, and save that."""
    file, content = FORMATS[name].make(seed, number, name)
    print(f"\nFAILED: {name}, input {number} of seed {seed}: {wrong}", flush=True)
    small = shrink(content, lambda candidate: wrong_with(name, file, candidate, number) == wrong)
    saved = folder / f"{name}-{hashlib.sha256(small).hexdigest()[:8]}-{file}"
    folder.mkdir(parents=True, exist_ok=True)
    saved.write_bytes(small)
    print(f"    saved as {saved}\n    {name!r}, {file!r}, {small!r}, {number}", flush=True)


# ---- guided by what is reached ----------------------------------------------------------------------


def guided(name: str, count: int, seed: int) -> None:
    """Let atheris, which knows the lines that an input has reached, choose what to change; does not return."""
    import atheris

    for module in (readers, archives, coordinates, files, checkpoint, graph):
        for function in [each for _, each in inspect.getmembers(module, inspect.isfunction)]:
            if function.__module__ == module.__name__:
                atheris.instrument_func(function)
    form = FORMATS[name]
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_memory_folder()))
    seeds = folder / "corpus"
    seeds.mkdir()
    for position, (file, content) in enumerate(form.corpus):
        (seeds / f"{position}-{file}").write_bytes(bytes([position]) + content)
    examiner = Examiner(folder)
    tried = 0

    def one(data: bytes) -> None:
        nonlocal tried
        tried += 1
        file = form.corpus[data[0] % len(form.corpus)][0] if data else form.corpus[0][0]
        wrong = examiner.examine(form, file, data[1:], tried)[1]
        if wrong is not None:
            print(f"FAILED: {wrong}\n    {name!r}, {file!r}, {data[1:]!r}, {tried}", flush=True)
            raise Failure(wrong)

    def change(data: bytes, size: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, size))
        try:
            return (data[:1] + form.change(rng, data[1:]))[:size]
        except Exception:  # the change knows valid archives only
            return bytes(atheris.Mutate(data, size))

    options = [f"-runs={count}", f"-seed={seed}", "-max_len=20000", "-rss_limit_mb=0", "-timeout=60"]
    options.append(f"-artifact_prefix={folder}/failed-")
    atheris.Setup([sys.argv[0], *options, str(seeds)], one, custom_mutator=change)
    atheris.Fuzz()


# ---- the command ------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs of each format (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first input (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--formats", nargs="+", choices=list(FORMATS), default=list(FORMATS), metavar="FORMAT")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one for each core)")
    parser.add_argument("--seconds", type=float, help="after which no further inputs are begun")
    parser.add_argument("--save", type=Path, default=Path(tempfile.gettempdir()) / "fuzz-failures", metavar="FOLDER")
    parser.add_argument("--engine", choices=["seeds", "atheris"], default="seeds", help="(default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.engine == "atheris":
        if len(arguments.formats) != 1:
            parser.error("--engine atheris takes one format")
        guided(arguments.formats[0], arguments.count, arguments.seed)
    if not limits_hold():
        parser.exit(2, "this system does not limit the memory of a process (RLIMIT_AS)\n")
    begin = time.monotonic()
    numbers = range(arguments.first, arguments.first + arguments.count)
    tallies = run(arguments.formats, numbers, arguments.seed, arguments.jobs, arguments.seconds)
    for name, tally in tallies.items():
        print(f"{name:14} {tally.tried:11,} inputs, {tally.read:10,} read, {len(tally.failures)} kinds of failure")
    total = sum(tally.tried for tally in tallies.values())
    print(f"{total:,} inputs in {time.monotonic() - begin:.0f} s, {arguments.jobs} processes", flush=True)
    for name, tally in tallies.items():
        for wrong, number in tally.failures.items():
            report(name, number, arguments.seed, wrong, arguments.save)
    return 1 if any(tally.failures for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
