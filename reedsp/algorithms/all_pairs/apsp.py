"""Shortest paths between all pairs: the front door that chooses method, arithmetic and where the matrix is kept."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.algorithms.all_pairs import lund_smith
from reedsp.algorithms.all_pairs.answers import Answers, predecessor_file, touch
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.algorithms.all_pairs.host_matrix import HostMatrix, fingerprint
from reedsp.algorithms.all_pairs.johnson import SEARCHES, distances_from_root, johnson
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import DIST, PRED, Checkpoint
from reedsp.algorithms.all_pairs.out_of_core.plan import make_plan
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.matrix import Weights, matrix_weights
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, output_array, result_dtype
from reedsp.arithmetic.types import InexactError
from reedsp.cost_model import choose, counts, families, probe
from reedsp.device.device import Device, different
from reedsp.device.discovery import get_devices
from reedsp.device.job import Job
from reedsp.edges.negative_cycles import renamed
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.minplus import product as minplus_product
from reedsp.minplus.matrix import Block
from reedsp.results.all_pairs import AllPairs
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.files.atomic_file import write_whole
from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.path_argument import path_argument
from reedsp.system.options import Method, check_choice, check_memory_limit, checked_options, flag
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import announce_long, vertices_bar
from reedsp.system.threads import to_the_end
from reedsp.typing import AllPairsMethod, AllPairsOptions, Distances, DistanceType, GraphLike, NegativeCycles

_FEW = 1000  # vertices, with which no call takes long
_ADDED_UP = ("kernels_launched", "bytes_to_device", "bytes_from_device", "bytes_allocated")


def apsp(
    graph: GraphLike,
    method: AllPairsMethod = "auto",
    predecessors: bool = False,
    negative_cycles: NegativeCycles = "raise",
    out: str | os.PathLike[str] | Distances | None = None,
    device: Device | Elsewhere | int | str | Sequence[Device | int | str] | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int | None = None,
    options: AllPairsOptions | None = None,
) -> AllPairs:
    """Find shortest paths between all pairs of vertices.

    The answer is exact for integer weights, and for whole floats as long as no path is beyond 2^53 or `dtype` is an
    integer's: they are added in the narrowest of uint16, int32 and int64 that holds every path weight. Others are added
    in float64, or in float32 if that is the `dtype`, in the order in which the method combines paths, so that the last
    digits depend on it, but neither on the device nor on chance: where sums are rounded, the graph and the arguments
    alone decide what "auto" takes. Weights may be negative.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`.
    method : {"auto", "floyd-warshall", "min-plus", "johnson"}
        "floyd-warshall" works on tiles in place (Lund and Smith, section 3.2), "min-plus" squares the matrix until no
        path gets shorter (thesis section 5.2.1), "johnson" searches from every vertex along the edges.
        "auto" takes the last one for sparse graphs, and where it alone can add the weights up, and else the first,
        which needs fewer sums than the second. Where rounding gives a cycle of fractional weights less than zero,
        "floyd-warshall" searches again from every source, with potentials that are rounded. "johnson" needs integer
        weights if some are negative, and raises for negative cycles.
    negative_cycles : {"raise", "mark"}
        Whether a negative cycle is an error, or the pairs whose paths can pass one get the distance -inf (in an integer
        dtype its minimum).
    out : path or ndarray, optional
        An array of shape (n, n) that is filled with the distances; its dtype is that of `dtype`, if both are given. Or
        a ``.npy`` file for the distances, which are then not kept in memory: ``dist`` is the mapped file. Predecessors
        go to a file beside it, ``name.pred.npy`` for ``name.npy``. Work in progress is kept in a folder beside it, the
        name of which ends in ``.partial``: the same call goes on where one was interrupted, even killed, to the same
        bytes, and so does one with the `dtype` that the error for a distance beyond it asks for.
    device : Device, int or str, a sequence of these, or cluster, optional
        As for :func:`reedsp.sssp`. Several devices share the work.
    progress : bool or callable(vertices, n), optional
        True shows a bar in a notebook, or on standard error if that is a terminal, which begins with the time that is
        expected. A function is called now and then with the number of vertices by way of which paths have been relaxed.
        By default a call that is expected to take more than five seconds says so in a line on a terminal.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    memory_limit : int, optional
        Bytes that may be allocated on each device for the distances. The matrix is then, as with `out`, with several
        devices and wherever it is too large for one, kept on the host, and rows of it travel. Needs "floyd-warshall".
    options : mapping, optional
        Of "min-plus": ``product``, a method of :func:`reedsp.min_plus_product`. Of "floyd-warshall": ``kernel``,
        "blocked" or one of the steps of Lund and Smith's table 1, "harish-narayanan", "katz-kider",
        "optimized-blocked" and "staged-load". Of "johnson": ``search``, "near-far", "near-far-local", "bellman-ford",
        "dijkstra-heap" or "dijkstra-array", as the methods of :func:`reedsp.sssp` are called.

    Returns
    -------
    AllPairs

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; its ``cycle`` is one. (With ``negative_cycles="raise"``, or where path weights could
        leave every type.)
    OverflowError
        A distance is beyond the type that path weights are added in, or beyond `dtype`. Matrices are also refused if
        a path weight could leave int64, or the range of floats if there are negative ones.
    ValueError, TypeError
        The graph or an argument is wrong (the message names it), or a distance has no exact float64 value.
    DeviceError, DeviceMemoryError
        There is no usable device, or its memory is too small.
    OSError
        `out` cannot be written; FileExistsError if it exists already, BlockingIOError if another process writes it.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
    >>> paths = reedsp.apsp(graph, predecessors=True)
    >>> paths.dist
    array([[0., 7., 9.],
           [3., 0., 2.],
           [1., 8., 0.]])
    >>> paths.path(1, 0)
    [1, 2, 0]
    """
    if isinstance(device, Elsewhere):
        asked = graph, method, predecessors, negative_cycles, out, progress
        there: AllPairs = device.answer("apsp", *asked, dtype=dtype, memory_limit=memory_limit, options=options)
        return there
    vertices_bar("solving", progress)  # refuses what is no progress
    plan = planned(
        *(graph, method, predecessors, negative_cycles, out, device),
        dtype=dtype,
        memory_limit=memory_limit,
        options=options,
    )
    task, named = plan.task, plan.method
    if task.graph.n == 0:
        return _of_no_vertices(task, named, method)
    bar = vertices_bar("solving", progress, expected=plan.expected.seconds if progress is True else None)
    if progress is None and task.graph.n > _FEW:
        announce_long("apsp", plan.expected.seconds, named)
    if named == "johnson":
        dist, pred, stats = _by_searches(task, plan.options, bar)
    else:
        dist, pred, stats = _by_matrix(task, named, plan.options, plan.in_place, bar)
    stats["chosen_because"] = plan.because
    stats["phases"] = task.phases.milliseconds()
    return AllPairs(task.graph, dist, pred, named, ", ".join(map(str, task.devices)), stats)


@dataclass(frozen=True)
class Task:
    """What is to be found, where the answer goes, and on what.

    Attributes
    ----------
    place, target : ndarray or None, path or None
        What is to be filled with the distances.
    """

    graph: Graph
    result: np.dtype[Any]
    predecessors: bool
    negative_cycles: str
    place: npt.NDArray[Any] | None
    target: Path | None
    devices: list[Device]
    memory_limit: int | None
    phases: Phases

    @property
    def on_host(self) -> bool:
        """Whether what was asked for needs the matrix on the host."""
        return self.target is not None or self.memory_limit is not None or len(self.devices) > 1

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """That of sums along edges."""
        return choose_arithmetic(self.graph, self.result)

    @cached_property
    def weights(self) -> Weights | None:
        """The arithmetic of a matrix, if there is one that adds the path weights up."""
        return matrix_weights(self.graph, self.arithmetic)


@dataclass(frozen=True)
class Plan:
    """How a task is solved.

    Attributes
    ----------
    task : Task
    method : str
    because : str
        Why by this method, in a sentence.
    options : mapping
        Of the method.
    """

    task: Task
    method: str
    because: str
    options: Mapping[str, str]

    @property
    def in_place(self) -> bool:
        """Whether it is Floyd-Warshall in blocks, which works on matrices wherever they are."""
        return self.method == choose.MATRIX and self.options.get("kernel", "blocked") == "blocked"

    @property
    def known(self) -> families.Known:
        """What is known of the first device."""
        return families.known(self.task.devices[0])

    @cached_property
    def pairs(self) -> counts.Pairs:
        """What the cost model's counts depend on."""
        task = self.task
        size, reach = task.result.itemsize, probe.known_reach(task.graph)
        return choose.pairs_of(task.graph, task.arithmetic, task.weights, size, task.predecessors, reach)

    @cached_property
    def expected(self) -> choose.Expected:
        """The seconds that it takes, but for files."""
        own = self.in_place or self.options.get("search") == "near-far" or not self.options
        kernel, devices = self.options.get("kernel", "blocked"), different(self.task.devices)
        given, on_host = (self.pairs, self.known, self.method), self.task.on_host
        return choose.expected(*given, own=own, on_host=on_host, kernel=kernel, devices=devices)


def planned(
    graph: GraphLike,
    method: AllPairsMethod = "auto",
    predecessors: bool = False,
    negative_cycles: NegativeCycles = "raise",
    out: str | os.PathLike[str] | Distances | None = None,
    device: Device | int | str | Sequence[Device | int | str] | None = None,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int | None = None,
    options: AllPairsOptions | None = None,
) -> Plan:
    """Return how :func:`apsp` solves what these arguments ask for, which are checked; of no vertices by no device."""
    phases = Phases()
    graph = as_graph(graph)
    if negative_cycles not in ("raise", "mark"):
        raise ValueError(f"negative_cycles = {negative_cycles!r}, expected 'raise' or 'mark'")
    if memory_limit is not None:
        memory_limit = check_memory_limit(memory_limit)
    predecessors = flag(predecessors, "predecessors")
    check_choice("method", method, ("auto", *METHODS))
    named = choose.MATRIX if method == "auto" else method
    others = METHODS if method == "auto" else None
    choices = checked_options(options, METHODS[named].options, repr(named), others)
    if dtype is None and isinstance(out, np.ndarray):
        result = result_dtype(out.dtype, graph, "out.dtype")
    else:
        result = result_dtype(dtype, graph)
    place = output_array(out, (graph.n, graph.n), result) if isinstance(out, np.ndarray) else None
    target = None if out is None or isinstance(out, np.ndarray) else _output_file(out)
    devices = get_devices(device) if graph.n else []
    task = Task(graph, result, predecessors, negative_cycles, place, target, devices, memory_limit, phases)
    because = "there is nothing to solve" if method == "auto" else "it was asked for"
    if method == "auto" and graph.n:
        named, because = _chosen(task, choices)
    plan = Plan(task, named, because, choices)
    if task.on_host and not plan.in_place and graph.n:
        raise ValueError("out, memory_limit and several devices: need method='floyd-warshall' with its blocked kernel")
    if named == choose.SEARCHES:
        refuse_searches(graph, negative_cycles)
    return plan


def refuse_searches(graph: Graph, negative_cycles: str) -> None:
    """Raise ValueError if "johnson" does not solve a graph."""
    if graph.has_negative_weights:
        if negative_cycles == "mark":
            raise ValueError("negative_cycles = 'mark': needs method='floyd-warshall' or 'min-plus'")
        if not graph.has_integral_weights:
            raise ValueError("method = 'johnson': weights that are negative and fractional need another method")


def beyond_types(graph: Graph) -> OverflowError:
    """Return the error for a graph whose path weights no matrix holds."""
    return OverflowError(
        f"graph: path weights of up to {graph.simple_path_bound:.4g} are possible, which no type adds up; "
        "reedsp.sssp finds those from one vertex, as far as int64 or float64 holds them"
    )


def _chosen(task: Task, choices: Mapping[str, str]) -> choose.Choice:
    """Return the method that "auto" takes, and why."""
    if task.on_host:
        return choose.Choice(choose.MATRIX, "out, memory_limit and several devices need it")
    if choices:
        return choose.Choice(choose.MATRIX, f"{', '.join(choices)} is an option of it")
    return choose.all_pairs(
        *(task.graph, families.known(task.devices[0]), task.arithmetic, task.weights),
        size=task.result.itemsize,
        predecessors=task.predecessors,
        negative_cycles=task.negative_cycles,
    )


_Bar = AbstractContextManager[Callable[[int, int], None] | None]
_Found = tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None, dict[str, Any]]


def _of_no_vertices(task: Task, method: str, asked: str) -> AllPairs:
    none = np.empty((0, 0), task.result) if task.place is None else task.place
    pred = np.empty((0, 0), np.int32) if task.predecessors else None
    if task.target is not None:
        if pred is not None:
            write_whole(predecessor_file(task.target), functools.partial(np.save, arr=pred))
        write_whole(task.target, functools.partial(np.save, arr=none))
    stats = {"device": "", **dict.fromkeys(_ADDED_UP, 0), "milliseconds": 0.0, "arithmetic": str(task.arithmetic)}
    because = "there is nothing to solve" if asked == "auto" else "it was asked for"
    return AllPairs(task.graph, none, pred, method, "", {**stats, "chosen_because": because, "phases": {}})


def _by_searches(task: Task, choices: Mapping[str, str], bar: _Bar) -> _Found:
    """Solve by Johnson's searches from every vertex."""
    graph, job = task.graph, Job(task.devices[0], phases=task.phases)
    with bar as report:
        dist, pred, arithmetic = johnson(graph, job, task.result, task.predecessors, report, task.place, **choices)
    return dist, pred, {**job.stats(), "arithmetic": arithmetic}


def _by_matrix(task: Task, method: str, choices: Mapping[str, str], in_place: bool, bar: _Bar) -> _Found:
    """Solve by a matrix of path weights, on the device or, where that is asked for or it is too large, on the host."""
    graph, result, job = task.graph, task.result, Job(task.devices[0], phases=task.phases)
    weights = task.weights
    if weights is None:
        if graph.has_negative_weights and (found := find_negative_cycle(graph, np.arange(graph.n), job, result)):
            raise renamed(found, graph.names)
        raise beyond_types(graph)
    cycles = np.empty(0, np.intp)
    if weights.dtype.kind == "f":
        cycles = negative_cycles_of_floats(graph, job, result, task.negative_cycles == "raise")
    jobs: Sequence[Job] = [job]

    def answers(checkpoint: Checkpoint | None, meanwhile: Callable[[], None] = lambda: None) -> Answers:
        nonlocal jobs
        matrix: PathMatrix
        if task.on_host or (in_place and not DeviceMatrix.fits(task.devices[0], weights, graph.n)):
            matrix = HostMatrix(task.devices, job, weights, graph, task.memory_limit, checkpoint)
        else:
            matrix = DeviceMatrix(job, weights, graph, keep_edges=task.predecessors)
        jobs = matrix.jobs
        task.phases.begin("search")
        with bar as report:
            return _solve(matrix, method, choices, cycles, task.negative_cycles, result, report, meanwhile)

    dist: npt.NDArray[Any]
    pred: npt.NDArray[np.int32] | None
    if task.target is None:
        shape = graph.n, graph.n
        dist = np.empty(shape, result) if task.place is None else task.place
        pred = np.empty(shape, np.int32) if task.predecessors else None
        new = [each for each in (dist, pred) if each is not None and each is not task.place]
        answers(None, lambda: touch(new)).to_memory(dist, pred)
    else:
        # a limit that is too small is refused before there is a folder
        make_plan(graph.n, weights, task.devices, task.memory_limit, None, most_spans=1)
        problem = fingerprint(graph, weights), graph.n, weights.dtype
        kind = f"{result} {task.negative_cycles} {task.predecessors}"
        dist, pred = _to_files(task.target, problem, kind, task.predecessors, answers)
    return dist, pred, {**_stats(jobs), "arithmetic": str(weights.dtype)}


def _output_file(out: str | os.PathLike[str]) -> Path:
    if not isinstance(out, str | os.PathLike):
        raise TypeError(f"out: expected an array or the name of a .npy file, got {out!r}")
    target = Path(path_argument(out, "out"))
    if target.suffix.lower() != ".npy":
        raise ValueError(f"out = {str(target)!r}, expected the name of a .npy file")
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    for file in (target, predecessor_file(target)):
        # beside a checkpoint they may be its results
        if os.path.lexists(file) and not os.path.lexists(_checkpoint_folder(target)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    return target


def _checkpoint_folder(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


def _to_files(
    target: Path,
    problem: tuple[str, int, np.dtype[Any]],
    kind: str,
    predecessors: bool,
    answers: Callable[[Checkpoint], Answers],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]:
    """Return distances and predecessors in files, of a new checkpoint or one that is continued."""
    places = {PRED: predecessor_file(target), DIST: target}
    wanted = places if predecessors else {DIST: target}
    opened: list[Checkpoint] = []

    def begin() -> Checkpoint:
        opened.append(Checkpoint(_checkpoint_folder(target), *problem))
        return opened[-1]

    def work() -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]:
        checkpoint = begin()
        try:
            checkpoint.refuse_taken(kind, places)
        except FileExistsError:
            if checkpoint.fresh:
                checkpoint.remove()
            raise
        if checkpoint.placed and not checkpoint.has_results(kind, wanted):  # they were deleted since
            checkpoint.remove()
            checkpoint = begin()
        if not checkpoint.has_results(kind, wanted):
            try:
                solved = answers(checkpoint)
            except (reedsp.NegativeCycleError, OverflowError):
                checkpoint.remove()
                raise
            with _named_as_kept(checkpoint):
                solved.to_files(checkpoint, kind, predecessors)
        checkpoint.place_results(wanted)
        pred = _mapped(places[PRED]) if predecessors else None
        dist = _mapped(target)
        checkpoint.remove()
        return dist, pred

    def end() -> None:
        for checkpoint in opened:
            checkpoint.close()

    return to_the_end(work, end)


@contextlib.contextmanager
def _named_as_kept(checkpoint: Checkpoint) -> Iterator[None]:
    """Have the error for a distance beyond `dtype` say that the matrix is kept, for a call with another one."""
    try:
        yield
    except (OverflowError, InexactError) as error:
        raise type(error)(f"{error}; the solved matrix is kept in {checkpoint.path}") from None


def _mapped(file: Path) -> npt.NDArray[Any]:
    try:
        with named_errors(file):
            mapped: npt.NDArray[Any] = np.load(file, mmap_mode="r")
    except ValueError as error:  # it has become shorter meanwhile
        raise ValueError(f"{file}: {error}") from None
    return mapped


def _stats(jobs: Sequence[Job]) -> dict[str, Any]:
    """Return what all jobs together have done."""
    total = jobs[0].stats()
    for each in jobs[1:]:
        stats = each.stats()
        total = {name: value + stats[name] if name in _ADDED_UP else value for name, value in total.items()}
    return total


# ---- methods ----------------------------------------------------------------------------------------


def _solve(
    matrix: PathMatrix,
    method: str,
    choices: Mapping[str, str],
    cycles: npt.NDArray[np.intp],
    negative_cycles: str,
    result: np.dtype[Any],
    progress: Callable[[int, int], None] | None,
    meanwhile: Callable[[], None],
) -> Answers:
    """Solve the matrix, and deal with negative cycles.

    `cycles` has those that were found before, with floats; `meanwhile` is for the host to do while a GPU works.
    """
    graph, weights = matrix.graph, matrix.weights
    floats = weights.dtype.kind == "f"
    if isinstance(matrix, HostMatrix):
        matrix.solve(progress)
    else:
        until_negative = negative_cycles == "raise" and not floats
        METHODS[method].solve(matrix, progress=progress, until_negative=until_negative, **choices)
        if matrix.job.device.kind != "cpu":
            matrix.job.queue.flush()
            meanwhile()
    if not floats:
        cycles = matrix.vertices_on_negative_cycles()
    if len(cycles) and negative_cycles == "raise":
        found = find_negative_cycle(graph, cycles, matrix.job, result)
        assert found is not None  # integers are not rounded, and floats have been searched before
        raise renamed(found, graph.names)
    matrix.mark_unbounded(cycles)
    # Where rounding makes a cycle less than zero, in place a path may go round it twice as often with each vertex.
    spoilt = floats and matrix.reset_diagonal() and method != "min-plus"
    if not spoilt:
        matrix.refuse_overflow()
    return Answers(matrix, result, again=spoilt)


def _floyd_warshall(
    matrix: DeviceMatrix, progress: Callable[[int, int], None] | None, until_negative: bool, kernel: str = "blocked"
) -> None:
    if kernel == "blocked":
        report = None if progress is None else lambda vertices, _: progress(min(vertices, matrix.n), matrix.n)
        FloydWarshall(matrix.job, matrix.weights).solve(matrix.dist, matrix.side, report)
    else:
        lund_smith.solve(matrix.job, matrix.weights, matrix.dist.buffer, matrix.side, kernel)


def _min_plus(
    matrix: DeviceMatrix, progress: Callable[[int, int], None] | None, until_negative: bool, product: str = "auto"
) -> None:
    edges, shorter = 1, True
    while shorter and edges < matrix.n:  # a negative cycle may have n edges
        buffer, shorter = minplus_product.square(matrix.job, matrix.weights, matrix.dist.buffer, matrix.side, product)
        matrix.dist = Block(buffer, matrix.side)
        edges *= 2
        if progress is not None:
            progress(min(edges, matrix.n), matrix.n)
        if until_negative and len(matrix.vertices_on_negative_cycles()):
            return


METHODS = {
    "min-plus": Method(_min_plus, {"product": minplus_product.METHODS}),
    "floyd-warshall": Method(_floyd_warshall, {"kernel": ("blocked", *lund_smith.LADDER)}),
    "johnson": Method(johnson, {"search": SEARCHES}),
}
"""Those that there are, by their names."""


# ---- negative cycles --------------------------------------------------------------------------------


def find_negative_cycle(
    graph: Graph, vertices: npt.NDArray[np.intp], job: Job, result: np.dtype[Any]
) -> reedsp.NegativeCycleError | None:
    """Return the error for a negative cycle among some vertices, by their indices, or None if there is none.

    Bellman-Ford decides it exactly.
    """
    try:
        distances_from_root(graph, vertices, job, result)
    except reedsp.NegativeCycleError as found:
        return renamed(found, vertices.tolist())
    return None


def negative_cycles_of_floats(graph: Graph, job: Job, result: np.dtype[Any], until_first: bool) -> npt.NDArray[np.intp]:
    """Return a vertex of a negative cycle of each strongly connected component that has one.

    Rounding can hide a negative cycle on the diagonal, and make one up there; so with floats it is decided before.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle, and `until_first`.
    """
    found: list[int] = []
    if graph.has_negative_weights:
        component = graph.strong_components()
        left = np.arange(graph.n)
        while len(left) and (error := find_negative_cycle(graph, left, job, result)) is not None:
            if until_first:
                raise renamed(error, graph.names)
            found.append(error.cycle[0])
            left = left[component[left] != component[error.cycle[0]]]
    return np.array(found, np.intp)
