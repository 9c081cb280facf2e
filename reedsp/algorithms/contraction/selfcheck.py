"""Whether a device contracts and sweeps rightly: it is tried on a small graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from reedsp.algorithms.contraction.exact import Units
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.wide import searches_in
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.selfcheck import SOURCE, is_known, known_graph


def finds_known_rows(device: Device, units: np.dtype[Any], exponent: int, arithmetic: Arithmetic) -> bool:
    """Return whether distances are right that are added in one type and given in another, in rows and one by one.

    Those in the other one are multiplied by a power of two.
    """
    graph, expected = known_graph(fractional=False, negative=False)
    dist = np.empty((2, graph.n), arithmetic.dtype)
    expected = expected * 2.0**exponent
    job = Job(device)
    hierarchy = contract(graph, Units(graph.weights.astype(units), exponent), job)
    searches = searches_in(hierarchy, job)
    with job.writes(dist) as results:
        searches.rows(job, hierarchy.rank[[SOURCE, SOURCE]], arithmetic, results)
    farthest = int(np.argmax(np.where(np.isfinite(expected), expected, -1)))
    weight, _, _ = searches.meet(job, *hierarchy.rank[[SOURCE, farthest]].tolist())
    are_right = all(is_known(row, arithmetic.infinity, expected) for row in dist)
    return are_right and weight * 2.0**exponent == expected[farthest]
