"""Prove a flow and a cut by each other, on a device (cl/flow/verify.cl)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

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
    job: Job,
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
    job : Job
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
    names, (source, sink) = graph.names, ends
    for vertex, expected in zip(ends, (True, False), strict=True):
        if bool(is_source_side[vertex]) is not expected:
            raise VerificationError(f"vertex {names[vertex]!r}: it is on the wrong side of the cut")
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
    both = (np.uint32(source), np.uint32(sink))
    job.launch(check_vertices, graph.n, _GROUP_SIZE, outward, inward, offenders, *both, *everything)
    found = job.download(offenders, len(_RULES), np.uint32)
    sums = [
        job.download(each, (vertex + 1) * words, np.uint32)[-words:] for vertex in ends for each in (outward, inward)
    ]
    across = _number(job.download(crossing, words, np.uint32))
    job.return_borrowed()
    for rule, fault in _RULES.items():
        if (offender := int(found[layout[rule]])) != _NONE:
            raise VerificationError(f"vertex {names[offender]!r}: {fault}")
    out, back, forth, into = map(_number, sums)
    for vertex, amount in ((source, out - back), (sink, into - forth)):
        if amount != value:
            raise VerificationError(f"vertex {names[vertex]!r}: {amount} flows there, but the value is {value}")
    if across != value:
        raise VerificationError(f"the capacity of the cut is {across}, but the value of the flow is {value}")


def _number(words: npt.NDArray[np.uint32]) -> int:
    return sum(word << 32 * index for index, word in enumerate(words.tolist()))
