"""Components without regard to directions, by the work-groups of a GPU (cl/components/groups.cl)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device.job import Argument, BoundKernel, Job, Memory, round_up
from reedsp.edges.device_graph import Neighbours
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.graph import Graph

_FILE = "components/groups.cl"
_GROUP_SIZE = 256
_MOST_TILES = 1024  # whose counts each work-group adds up
_FEW_EDGES = 6  # of a vertex, up to which a sample of them costs more than it saves
_LOOKS = 4  # neighbours of a vertex among which its first parent is chosen, if all edges are linked afterwards


@dataclass(frozen=True)
class Edges:
    """Edges on a GPU, sorted by the vertex that they leave.

    Attributes
    ----------
    n, m : int
    indptr, indices : pyopencl.Buffer or pyopencl.SVM
    sources : pyopencl.Buffer of int32, shape (m,)
        The vertex that each edge leaves.
    macros : dict
        POINTER and INDEX, types in OpenCL C.
    """

    n: int
    m: int
    indptr: Memory
    indices: Memory
    sources: cl.Buffer
    macros: dict[str, str | int]

    @classmethod
    def of(cls, graph: Graph, job: Job) -> Edges:
        """Return those of a graph on the job's device, which are written there only once."""
        copies: dict[object, Edges] = graph._derived.setdefault("edges_by_source", {})
        if job.device not in copies:
            near = Neighbours.of(graph, job, incoming=False)
            macros = {"POINTER": near.macros["OFFSET"], "INDEX": "int"}
            sources = _sources(job, near.first_edge, graph.n, graph.m, macros, keep=True)
            copies[job.device] = cls(graph.n, graph.m, near.first_edge, near.vertices, sources, macros)
        return copies[job.device]

    @classmethod
    def of_rows(cls, rows: MatrixRows) -> Edges:
        """Return those of a matrix on the device of its job."""
        sources = _sources(rows.job, rows.indptr, rows.n, rows.m, rows.macros, keep=False)
        return cls(rows.n, rows.m, rows.indptr, rows.indices, sources, rows.macros)


def _sources(job: Job, indptr: Memory, n: int, m: int, macros: dict[str, str | int], *, keep: bool) -> cl.Buffer:
    sources = job.allocate(m, np.int32, keep=keep)
    _bind(job, {**_options(job), **macros}, "write_sources", m, indptr, sources, np.uint64(m), np.uint32(n)).queue()
    return sources


def _options(job: Job) -> dict[str, str | int]:
    group = min(_GROUP_SIZE, 1 << (job.device.max_work_group_size.bit_length() - 1))
    sizes: dict[str, str | int] = {"GROUP_SIZE": group, "MOST_TILES": _MOST_TILES}
    return {**sizes, "ATOMIC_LOADS": int(not job.device.loads_are_atomic)}


def _bind(job: Job, macros: dict[str, str | int], name: str, items: int, *args: Argument) -> BoundKernel:
    return job.bind(job.device.kernel(_FILE, name, **macros), items, int(macros["GROUP_SIZE"]), *args)


def label_by_groups(
    job: Job, edges: Edges, symmetric: bool, labels: npt.NDArray[np.int32], sampled: bool | None = None
) -> int:
    """Write the number of the component of each vertex, in the order of their smallest vertices; return how many.

    Parameters
    ----------
    job : Job
    edges : Edges
        At least one vertex; edges may be there more than once.
    symmetric : bool
        Each edge is there in both directions, so that one of them needs to be looked at.
    labels : ndarray, shape (n,)
    sampled : bool, optional
        Link a sample of the edges first; by default if there are many.
    """
    if sampled is None:
        sampled = edges.m > _FEW_EDGES * edges.n
    macros = {**_options(job), **edges.macros}
    group = int(macros["GROUP_SIZE"])
    n, number, both, length = edges.n, np.uint32(edges.n), np.int32(symmetric), np.uint64(edges.m)
    tile = round_up(-(-n // _MOST_TILES), group)
    tiles = -(-n // tile)
    parents, numbers = job.allocate(n, np.int32), job.allocate(n, np.int32)
    counts, largest = job.allocate(tiles + 1, np.uint32), job.allocate(1, np.int32)

    def bind(name: str, items: int, *args: Argument) -> BoundKernel:
        return _bind(job, macros, name, items, *args)

    rows, ends = (edges.indptr, edges.indices, parents), (edges.sources, edges.indices, parents)
    begin = bind("begin", n, *rows, np.uint32(1 if sampled else _LOOKS), number)
    settle = bind("settle", round_up(n, group) + group, parents, largest, number)
    if sampled:
        link_first = bind("link_first", n, *rows, both, number)
        steps = [begin, link_first, settle, bind("link_rest", edges.m, *ends, largest, both, length)]
    else:
        steps = [begin, settle, bind("link_all", edges.m, *ends, both, length)]
    steps += [
        bind("count_roots", tiles * group, parents, numbers, counts, np.uint32(tile), number),
        bind("write_labels", tiles * group, parents, numbers, counts, np.uint32(tiles), np.uint32(tile), number),
    ]
    job.phases.begin("search")
    for each in steps:
        each.queue()
    count = np.empty(1, np.uint32)
    job.download_into(count, counts, first=tiles)
    job.phases.begin("download")
    job.download_into(labels, parents)
    return int(count[0])
