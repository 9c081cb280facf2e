"""Betweenness on GPUs: many sources go from level to level together (cl/centrality/levels.cl)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.structure.centrality.sums import (
    BLOCK,
    MOST_PATHS,
    PIECE,
    ROUNDED,
    SCALED,
    Question,
    Require,
    Sums,
)
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, BoundKernel, Job, Kernel, Memory
from reedsp.edges.device_graph import Neighbours
from reedsp.graph.graph import edge_sources
from reedsp.system.progress_bar import Report

_FILE = "centrality/levels.cl"
LANES = 32
_MOST_BUNDLES = 64
_GROUPS_PER_UNIT = 64
_PART_OF_MEMORY = 3  # of the device's, at most one in so many
_FIRST_LEVELS, _MOST_LEVELS = 8, 64
_GROUP_SIZE = 64  # of the kernels in which each work-item has a vertex or an edge of its own
_MOST_GROUPS_THAT_COUNT = 256


def sum_by_work_groups(
    question: Question, job: Job, report: Report | None, require: Require, form: str = ROUNDED
) -> Sums:
    """Sum up the dependencies of all sources.

    Sources with numbers of paths that are too large for float64 are searched from again with exponents apart, which
    serves from then on. What is exact is counted as what is rounded.

    Parameters
    ----------
    question : Question
    job : Job
    report : callable(done, most), optional
    require : callable(form)
    form : str
        The form to begin with.
    """
    require(form)
    graph, count = question.graph, len(question.sources)
    edges = _Edges(question, job)
    totals, reached_by = job.upload(np.zeros(graph.n)), job.upload(np.zeros(graph.n, np.uint32))
    edge_totals = job.upload(np.zeros(graph.m if question.edges else 0))
    reached: list[npt.NDArray[np.int64]] = []
    bundles = _Bundles(edges, form)
    done = 0
    while done < count:
        some = question.sources[done : done + bundles.count * LANES]
        if not bundles.search(some):
            form = SCALED
            require(form)
            bundles = _Bundles(edges, form)
            continue
        bundles.sum_up()
        reached.append(bundles.reached(len(some)))
        bundles.add(totals, reached_by, edge_totals)
        done += len(some)
        if report is not None:
            report(done, count)
    own = np.bincount(np.array(question.sources, np.int64), minlength=graph.n)
    return Sums(
        vertices=job.download(totals, graph.n, np.float64),
        edges=job.download(edge_totals, graph.m, np.float64) if question.edges else None,
        reached=np.concatenate(reached),
        reached_by=job.download(reached_by, graph.n, np.uint32).astype(np.int64) - own,
        form=form,
    )


class _Pieces:
    """The pieces of those vertices that have more than PIECE edges."""

    def __init__(self, indptr: npt.NDArray[np.int64], job: Job) -> None:
        degrees = np.diff(indptr)
        pieces = np.where(degrees > PIECE, -(-degrees // PIECE), 0)
        self.count = int(pieces.sum())
        self.first: cl.Buffer = job.upload(np.concatenate(([0], np.cumsum(pieces))).astype(np.uint32))
        self.vertices: cl.Buffer = job.upload(np.repeat(np.arange(len(degrees), dtype=np.int32), pieces))


class _Edges:
    """What does not change from some sources to the next."""

    def __init__(self, question: Question, job: Job) -> None:
        graph = question.graph
        self.question, self.job = question, job
        self.outward = Neighbours.of(graph, job, incoming=False)
        self.inward = Neighbours.of(graph, job, incoming=True)
        self.pieces = _Pieces(graph.indptr, job)
        self.pieces_in = _Pieces(graph._in_neighbors()[0], job) if graph.directed else self.pieces
        self.tails = job.upload(edge_sources(graph)) if question.edges else self.outward.vertices
        self.is_target = job.upload(question.is_target)


class _Step:
    """A kernel that is queued again and again, each time for other levels."""

    def __init__(self, kernel: BoundKernel) -> None:
        self.kernel = kernel

    def queue(self, **levels: int) -> None:
        """Queue the kernel, for these levels if it asks for any."""
        for name, level in levels.items():
            self.kernel.set(name, np.uint32(level))
        self.kernel.queue()


class _Bundles:
    """The memory of some bundles of LANES sources that are searched together, and the kernels bound to it."""

    def __init__(self, edges: _Edges, form: str) -> None:
        job, graph, self._asked = edges.job, edges.question.graph, edges.question.edges
        self._edges, self._job, self._n, self._m, self._form = edges, job, graph.n, graph.m, form
        number = 16 if form == SCALED else 8
        most_pieces = max(edges.pieces.count, edges.pieces_in.count)
        each = LANES * (graph.n * (2 * number + 8 + 8 + 4) + number * most_pieces) + 20 * graph.n
        wanted = -(-len(edges.question.sources) // LANES)
        fit = min(
            job.device.global_memory // _PART_OF_MEMORY // each,
            job.device.max_allocation // (LANES * number * max(graph.n, most_pieces)),
        )
        self.count = max(1, min(wanted, _MOST_BUNDLES, fit))
        rows = self.count * graph.n
        self._layout = constants(_FILE)
        self._bits, self._seen = job.allocate(3 * rows, np.uint32), job.allocate(rows, np.uint32)
        self._list, self._masks = job.allocate(rows * LANES, np.int32), job.allocate(rows * LANES, np.uint32)
        self._ends = job.allocate(self.count * (graph.n + self._layout["LEVELS_BEYOND"]), np.uint32)
        self._counts = job.allocate(rows * LANES * number, np.uint8)
        self._coefficients = job.allocate(rows * LANES * number, np.uint8) if self._asked else self._counts
        self._dependencies = job.allocate(rows * LANES, np.float64)
        self._levels = job.allocate(rows * LANES if self._asked else 0, np.int32)
        self._partial = job.allocate(self.count * most_pieces * LANES * number, np.uint8)
        self._control = job.allocate(self._layout["CONTROL_WORDS"], np.uint32)
        self._starts, self._start_bits = (job.allocate(self.count * LANES, each) for each in (np.int32, np.uint32))
        self._groups = max(1, _GROUPS_PER_UNIT * job.device.compute_units // self.count)
        self._pace = Pace(_FIRST_LEVELS, _MOST_LEVELS)
        self._bind_all()

    def _kernel(self, name: str) -> Kernel:
        macros: dict[str, str | int] = {
            **{"LANES": LANES, "SOURCES": BLOCK, "PIECE": PIECE, "EDGES": int(self._asked)},
            **{"SCALED": int(self._form == SCALED), "ATOMIC_LOADS": int(not self._job.device.loads_are_atomic)},
            **self._edges.outward.macros,
        }
        return self._job.device.kernel(_FILE, name, **macros)

    def _bind(self, name: str, groups: int, *args: Argument) -> _Step:
        return _Step(self._job.bind(self._kernel(name), (groups * LANES, self.count), (LANES, 1), *args))

    def _bind_all(self) -> None:
        edges, n, level = self._edges, np.uint32(self._n), np.uint32(0)
        lists = (self._list, self._masks, self._ends)
        numbers = (self._counts, self._coefficients, self._dependencies)
        limit = np.float64(MOST_PATHS[self._form])
        outward = (edges.outward.first_edge, edges.outward.vertices)
        inward = (edges.inward.first_edge, edges.inward.vertices)
        pieces, pieces_in = edges.pieces, edges.pieces_in
        found = (self._bits, self._seen)
        self._begin = self._bind("begin", -(-self._n // LANES), *found, self._control, n)
        starts = (self._starts, self._start_bits)
        self._start = self._bind("start", 1, *starts, *found, *lists, self._counts, self._levels, n)
        self._expand = self._bind("expand", self._groups, *outward, *found, *lists, level, n)
        self._sum_pieces_in = self._bind_pieces(inward, pieces_in, self._counts)
        self._count = self._bind(
            *("count", self._groups, *inward, pieces_in.first, self._partial, *found, *lists),
            *(self._counts, self._levels, self._control, limit, np.uint32(pieces_in.count), level, n),
        )
        self._mark = self._bind("mark", self._groups, self._bits, *lists, level, n)
        self._sum_pieces = self._bind_pieces(outward, pieces, self._coefficients)
        self._collect = self._bind(
            *("collect", self._groups, *outward, pieces.first, self._partial, edges.is_target, self._bits, *lists),
            *(*numbers, np.uint32(pieces.count), level, n),
        )
        self._parts = min(_MOST_GROUPS_THAT_COUNT, -(-self._n // LANES))
        self._reached = self._job.allocate(self.count * self._parts * LANES, np.uint32)
        self._count_reached = self._bind("count_reached", self._parts, self._seen, self._reached, n)

    def _bind_pieces(self, edges: tuple[Memory, ...], pieces: _Pieces, numbers: cl.Buffer) -> _Step | None:
        if not pieces.count:
            return None
        given = (*edges, pieces.first, pieces.vertices, self._partial, self._bits, numbers)
        levels = (np.uint32(0), np.uint32(0))
        return self._bind("sum_pieces", pieces.count, *given, *levels, np.uint32(pieces.count), np.uint32(self._n))

    def search(self, sources: Sequence[int]) -> bool:
        """Count the paths from some sources; return False if they are too many for float64."""
        starts, bits = np.zeros((self.count, LANES), np.int32), np.zeros((self.count, LANES), np.uint32)
        for bundle in range(-(-len(sources) // LANES)):
            vertices, which = np.unique(sources[bundle * LANES : (bundle + 1) * LANES], return_inverse=True)
            starts[bundle, : len(vertices)] = vertices
            np.bitwise_or.at(bits[bundle], which, np.uint32(1) << np.arange(len(which), dtype=np.uint32))
        self._start.kernel.set("starts", self._job.upload(starts))
        self._start.kernel.set("start_bits", self._job.upload(bits))
        self._begin.queue()
        self._start.queue()
        level, depth = 0, 0
        while level < depth + 2:  # so that no bits are left
            self._pace.begin()
            last = min(level + self._pace.amount, self._n + 1)
            while level < last:
                self._expand.queue(level=level)
                level += 1
                if self._sum_pieces_in is not None:
                    self._sum_pieces_in.queue(other=level - 1, level=level)
                self._count.queue(level=level)
            control = self._job.download(self._control, self._layout["CONTROL_WORDS"], np.uint32)
            if control[self._layout["TOO_LARGE"]]:
                return False
            depth = int(control[self._layout["DEPTH"]])
            self._pace.adapt()
        self._depth = depth
        return True

    def sum_up(self) -> None:
        """Sum up the dependencies of these sources on every vertex."""
        for level in range(self._depth, -1, -1):
            self._mark.queue(level=level)
            if self._sum_pieces is not None:
                self._sum_pieces.queue(other=level + 1, level=level)
            self._collect.queue(level=level)
            if level % self._pace.amount == 0:
                self._job.finish()  # for Ctrl-C

    def reached(self, count: int) -> npt.NDArray[np.int64]:
        """Return how many vertices each of these sources has reached."""
        self._count_reached.queue()
        parts = self._job.download(self._reached, self.count * self._parts * LANES, np.uint32)
        reached: npt.NDArray[np.int64] = parts.reshape(self.count, self._parts, LANES).sum(axis=1, dtype=np.int64)
        return reached.reshape(-1)[:count]

    def add(self, totals: cl.Buffer, reached_by: cl.Buffer, edge_totals: cl.Buffer) -> None:
        """Add what was summed up to the totals."""
        bundles, n = np.uint32(self.count), np.uint32(self._n)
        given = (self._seen, self._dependencies, totals, reached_by, bundles, n)
        self._job.launch(self._kernel("add_sources"), self._n, _GROUP_SIZE, *given)
        if self._asked and self._m:
            ends = (self._edges.tails, self._edges.outward.vertices)
            numbers = (self._seen, self._levels, self._counts, self._coefficients)
            totals_of_edges = (edge_totals, bundles, n, np.uint64(self._m))
            self._job.launch(self._kernel("add_edges"), self._m, _GROUP_SIZE, *ends, *numbers, *totals_of_edges)
