"""Whether sums over sources are right on a device: they are tried on a small graph, and compared with numpy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.centrality.sums import BLOCK, Question, Sums
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.selfcheck import known_levels
from reedsp.graph.graph import edge_sources

_SOURCES = 2 * BLOCK + 1
_CLOSE = 1e-9


def finds_known_sums(device: Device, sum_up: Callable[..., Sums], edges: bool, form: str) -> bool:
    """Return whether ``sum_up(question, job, report, require, form)`` is right for a graph with a hub, and a chain."""
    graph, _, _ = known_levels()
    is_target = np.arange(graph.n) % 5 > 0
    question = Question(graph, list(range(0, graph.n, graph.n // _SOURCES)), is_target.astype(np.uint8), edges)
    found = sum_up(question, Job(device), None, lambda form: None, form)
    expected, of_edges, reached, reached_by = _by_numpy(question)
    return (
        np.allclose(found.vertices, expected, _CLOSE, _CLOSE)
        and (found.edges is None or np.allclose(found.edges, of_edges, _CLOSE, _CLOSE))
        and np.array_equal(found.reached, reached)
        and np.array_equal(found.reached_by, reached_by)
    )


def _by_numpy(question: Question) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[int], list[int]]:
    """Return what is asked, from the edges of one level after the other."""
    graph = question.graph
    tails, heads = edge_sources(graph), graph.indices
    vertices, edges = np.zeros(graph.n), np.zeros(graph.m)
    reached, reached_by = [], np.zeros(graph.n, np.int64)
    for source in question.sources:
        levels, paths = np.full(graph.n, -1), np.zeros(graph.n)
        levels[source], paths[source] = 0, 1
        steps: list[npt.NDArray[np.intp]] = []
        while not steps or len(steps[-1]):
            ahead = np.flatnonzero((levels[tails] == len(steps)) & (levels[heads] < 0))
            levels[heads[ahead]] = len(steps) + 1
            np.add.at(paths, heads[ahead], paths[tails[ahead]])
            steps.append(ahead)
        dependencies = np.zeros(graph.n)
        for step in reversed(steps):
            shares = paths[tails[step]] / paths[heads[step]] * (question.is_target + dependencies)[heads[step]]
            np.add.at(dependencies, tails[step], shares)
            edges[step] += shares
        dependencies[source] = 0
        vertices += dependencies
        reached.append(int(np.count_nonzero(levels >= 0)))
        reached_by += levels > 0
    return vertices, edges, reached, reached_by.tolist()
