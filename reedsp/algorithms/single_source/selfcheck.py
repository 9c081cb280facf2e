"""Whether a search from single sources gives right answers on a device: it is tried on a small graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.selfcheck import SOURCE, is_known_tree, known_graph


def finds_known_tree(
    device: Device,
    solve: Callable[..., Outcome],
    arithmetic: Arithmetic,
    negative: bool,
    by_hops: bool = False,
    *options: tuple[str, Any],
) -> bool:
    """Return whether ``solve(task, **options)`` is right, of a graph with or without negative weights."""
    graph, expected = known_graph(arithmetic.dtype.kind == "f", negative)
    dist, predecessors = np.zeros((1, graph.n), arithmetic.dtype), np.zeros((1, graph.n), np.int32)  # wrong ones
    task = Task(graph, [[SOURCE]], Job(device), arithmetic, dist, predecessors, by_hops=by_hops)
    solve(task, **dict(options))
    return is_known_tree(dist[0], predecessors[0], arithmetic.infinity, graph, expected)
