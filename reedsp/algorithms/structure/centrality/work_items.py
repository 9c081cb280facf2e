"""Betweenness on CPU devices: a core searches from one source after the other (cl/centrality/serial.cl)."""

from __future__ import annotations

import numpy as np

from reedsp.algorithms.structure.centrality.sums import (
    BLOCK,
    EXACT,
    FORMS,
    MOST_PATHS,
    PIECE,
    SCALED,
    Question,
    Require,
    Sums,
)
from reedsp.device.build import constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Job
from reedsp.edges.device_graph import Neighbours
from reedsp.system.progress_bar import Report

_FILE = "centrality/serial.cl"
_PART = 1 << 12  # numbers
_CLEARED_TOGETHER = 64
_BLOCKS_PER_CORE = 4  # so that cores end together
_MOST_BYTES = 1 << 29
_FIRST_BUDGET = 1 << 18  # edges of all blocks


def sum_by_work_items(question: Question, job: Job, report: Report | None, require: Require, form: str = EXACT) -> Sums:
    """Sum up the dependencies of all sources.

    Blocks with numbers of paths that are too large for a form are searched again in the next one, which serves from
    then on.

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
    state = _State(question, job, form)
    blocks = -(-len(question.sources) // BLOCK)
    first = 0
    while first < blocks:
        if not state.search(first, report):
            form = FORMS[FORMS.index(form) + 1]
            require(form)
            state.build(form)
            continue
        state.add()
        first += state.blocks
    return state.sums()


class _State:
    """The memory of some blocks that are searched at the same time."""

    def __init__(self, question: Question, job: Job, form: str) -> None:
        graph, sources = question.graph, question.sources
        self._question, self._job, self._n = question, job, graph.n
        self._m = graph.m if question.edges else 0
        self._layout = constants(_FILE)
        blocks = -(-len(sources) // BLOCK)
        fit = min(_MOST_BYTES, job.device.max_allocation) // (64 * graph.n + 8 * self._m)
        self.blocks = max(1, min(blocks, _BLOCKS_PER_CORE * job.device.compute_units, fit))
        self._outward = Neighbours.of(graph, job, incoming=False)
        self._sources = job.upload(np.array(sources, np.int32))
        self._is_target = job.upload(question.is_target)
        self._levels = job.allocate(self.blocks * graph.n, np.int32)
        self._queue = job.allocate(self.blocks * (graph.n + 1), np.int32)
        self._reached = job.allocate(len(sources), np.uint32)
        self._words = self.blocks * self._layout["STATE_WORDS"]
        self._state = job.allocate(self._words, np.uint32)
        # Of vertices, of edges, and of how many sources reach a vertex.
        self._lengths = (graph.n, self._m, graph.n)
        self._totals = [job.upload(np.zeros(length)) for length in self._lengths]
        self._of_blocks = [job.allocate(self.blocks * length, np.float64) for length in self._lengths]
        self._pace = Pace(max(1, _FIRST_BUDGET // self.blocks))
        self.build(form)

    def build(self, form: str) -> None:
        """Take the kernels of a form, and clear what they begin with."""
        self._form = form
        job, n = self._job, np.uint32(self._n)
        macros: dict[str, str | int] = {
            **{"SOURCES": BLOCK, "PIECE": PIECE, "PART": _PART, "EDGES": int(self._question.edges)},
            **{"PULLS": int(form != EXACT), "SCALED": int(form == SCALED), **self._outward.macros},
        }
        names = ("begin", "clear", "clear_edges", "search", "add_blocks")
        kernels = {name: job.device.kernel(_FILE, name, **macros) for name in names}
        size = self.blocks * self._n * (2 if form == SCALED else 1)
        vertices = (self._levels, job.allocate(size, np.float64), job.allocate(size, np.float64))
        sums, edge_sums, reached_by = self._of_blocks
        cleared = (*vertices, sums, reached_by)
        job.launch(kernels["clear"], (self._n, self.blocks), (_CLEARED_TOGETHER, 1), *cleared, n)
        if self._m:
            length = self.blocks * self._m
            job.launch(kernels["clear_edges"], length, _CLEARED_TOGETHER, edge_sums, np.uint64(length))
        self._begin = job.bind(kernels["begin"], self.blocks, 1, self._state)
        inward = self._outward if form == EXACT else Neighbours.of(self._question.graph, job, incoming=True)
        edges = (self._outward.first_edge, self._outward.vertices, inward.first_edge, inward.vertices)
        limits = (np.float64(MOST_PATHS[form]), np.uint64(0), np.uint32(0), np.uint32(len(self._question.sources)))
        given = (*edges, self._is_target, self._sources, *vertices, self._queue, sums, edge_sums)
        outputs = (self._reached, reached_by, self._state)
        self._search = job.bind(kernels["search"], self.blocks, 1, *given, *outputs, *limits, n, np.uint64(self._m))
        self._add = [
            job.bind(kernels["add_blocks"], -(-length // _PART), 1, *arrays, np.uint32(self.blocks), np.uint64(length))
            for length, arrays in zip(self._lengths, zip(self._totals, self._of_blocks, strict=True), strict=True)
            if length
        ]

    def search(self, first: int, report: Report | None) -> bool:
        """Search from the sources of some blocks; return False if a number of paths is too large for this form."""
        self._begin.queue()
        self._search.set("first_block", np.uint32(first))
        words = self._layout["STATE_WORDS"]
        for _ in repeated(self._search, self._pace):
            state = self._job.download(self._state, self._words, np.uint32)
            if state[self._layout["TOO_LARGE"] :: words].any():
                return False
            if report is not None:
                done = first * BLOCK + int(state[self._layout["SOURCE"] :: words].sum())
                report(done, len(self._question.sources))
            if (state[self._layout["STEP"] :: words] == self._layout["DONE"]).all():
                break
        return True

    def add(self) -> None:
        """Add what the blocks have summed up."""
        for each in self._add:
            each.queue()

    def sums(self) -> Sums:
        """Return the sums of all blocks."""
        job, n = self._job, self._n
        vertices, edges, reached_by = self._totals
        return Sums(
            vertices=job.download(vertices, n, np.float64),
            edges=job.download(edges, self._m, np.float64) if self._question.edges else None,
            reached=job.download(self._reached, len(self._question.sources), np.uint32).astype(np.int64),
            reached_by=job.download(reached_by, n, np.float64).astype(np.int64),
            form=self._form,
        )
