"""Prove a flow and a cut by each other, on a device (cl/flow/verify.cl), or on the host."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.flow.verify_on_host import look_on_host
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.job import Job
from reedsp.edges.verify import VerificationError
from reedsp.graph.graph import Graph

_FILE = "flow/verify.cl"
_GROUP_SIZE = 64
_PART = 1 << 19  # edges a launch
_NONE = 0xFFFFFFFF
_RULES = {
    "WITHIN_CAPACITY": "an edge from there carries less than nothing or more than its capacity",
    "CONSERVED": "not as much flows out as in",
    "CUT_IS_FULL": "an edge from there crosses the cut, and is not full, or leads back and is not empty",
}


def verify_flow(
    job: Job | None,
    graph: Graph,
    capacities: npt.NDArray[Any],
    flow: npt.NDArray[Any],
    is_source_side: npt.NDArray[np.bool_],
    ends: tuple[int, int],
    value: int,
) -> None:
    """Check that a flow is one, and that it is as large as the capacity of the cut.

    Parameters
    ----------
    job : Job, optional
        None: the host.
    graph : Graph
    capacities, flow : ndarray of int32 or int64, shape (m,)
    is_source_side : ndarray of bool, shape (n,)
    ends : tuple of int
        Source and sink.
    value : int

    Raises
    ------
    VerificationError
        A rule is broken; the message names a vertex.
    """
    names = graph.names
    for vertex, expected in zip(ends, (True, False), strict=True):
        if bool(is_source_side[vertex]) is not expected:
            raise VerificationError(f"vertex {names[vertex]!r}: it is on the wrong side of the cut")
    arrays = graph, capacities, flow, is_source_side, ends
    broken, amounts, across = look_on_host(*arrays) if job is None else _look(job, *arrays)
    for rule, fault in _RULES.items():
        if rule in broken:
            raise VerificationError(f"vertex {names[broken[rule]]!r}: {fault}")
    for vertex, amount in zip(ends, amounts, strict=True):
        if amount != value:
            raise VerificationError(f"vertex {names[vertex]!r}: {amount} flows there, but the value is {value}")
    if across != value:
        raise VerificationError(f"the capacity of the cut is {across}, but the value of the flow is {value}")


def _look(
    job: Job,
    graph: Graph,
    capacities: npt.NDArray[Any],
    flow: npt.NDArray[Any],
    is_source_side: npt.NDArray[np.bool_],
    ends: tuple[int, int],
) -> tuple[dict[str, int], tuple[int, int], int]:
    """Return who breaks each rule, what flows out of the source and into the sink, and what the cut can carry."""
    macros = {"CAPACITY": C_TYPES[capacities.dtype]}
    layout = constants(_FILE)
    words = layout["SUM_WORDS"]
    edges = [job.reads(each) for each in (graph.indptr, graph.indices, capacities, flow)]
    side = job.reads(is_source_side.view(np.uint8))
    outward, inward = (job.full(graph.n * words, np.uint32(0)) for _ in range(2))
    crossing = job.full(words, np.uint32(0))
    offenders = job.full(len(_RULES), np.uint32(_NONE))
    check_edges, check_vertices = (
        job.device.kernel(_FILE, name, **macros) for name in ("check_edges", "check_vertices")
    )
    cuts = np.searchsorted(graph.indptr, np.arange(0, graph.m, _PART)).tolist()
    bounds = sorted({0, *cuts, graph.n})
    for begin, end in pairwise(bounds):
        part = (np.uint32(begin), np.uint32(end))
        job.launch(check_edges, end - begin, _GROUP_SIZE, *edges, side, outward, inward, crossing, offenders, *part)
        job.finish()
    everything = (np.uint32(0), np.uint32(graph.n))
    both = tuple(map(np.uint32, ends))
    job.launch(check_vertices, graph.n, _GROUP_SIZE, outward, inward, offenders, *both, *everything)
    found = job.download(offenders, len(_RULES), np.uint32).tolist()
    sums = [
        job.download(each, (vertex + 1) * words, np.uint32)[-words:] for vertex in ends for each in (outward, inward)
    ]
    across = _number(job.download(crossing, words, np.uint32))
    job.return_borrowed()
    out, back, forth, into = map(_number, sums)
    broken = {rule: found[layout[rule]] for rule in _RULES if found[layout[rule]] != _NONE}
    return broken, (out - back, into - forth), across


def _number(words: npt.NDArray[np.uint32]) -> int:
    return sum(word << 32 * index for index, word in enumerate(words.tolist()))
