"""SciPy's own tests of csgraph, unchanged, with the functions of reedsp.csgraph in place of SciPy's.

    python -m tests.suites.scipy_suite

A pass means little by itself: a function that hands its work back to SciPy passes, too. So launches of kernels are
counted, and with REEDSP_HOST=never a search of a graph with edges that launches none is a failure like any other.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph

from reedsp import csgraph
from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.structure.components import on_host as components_on_host
from reedsp.algorithms.structure.matching import on_host as matching_on_host
from reedsp.cost_model import place
from reedsp.csgraph.matrix import graph_of
from reedsp.device.job import Launched, recording

MODULES = (
    "test_connected_components",
    "test_conversions",
    "test_flow",
    "test_graph_laplacian",
    "test_matching",
    "test_pydata_sparse",
    "test_reordering",
    "test_shortest_path",
    "test_spanning_tree",
    "test_traversal",
)
SEARCHES = (
    "shortest_path",
    "dijkstra",
    "bellman_ford",
    "johnson",
    "floyd_warshall",
    "breadth_first_order",
    "breadth_first_tree",
    "yen",
    "connected_components",
    "minimum_spanning_tree",
    "maximum_bipartite_matching",
    "structural_rank",
    "min_weight_full_bipartite_matching",
    "maximum_flow",
)
NOT_OURS = ("reverse_edges", "edge_pointers", "make_tails")
"""In the names of tests of functions that are SciPy's own business."""


class Counts:
    """What the functions and the kernels were asked for, and what became of the tests."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.launches: Counter[str] = Counter()
        self.kernels = 0
        self.idle: list[str] = []  # searches that launched nothing
        self.outcomes: Counter[str] = Counter()

    def counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is counted."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            before = self.kernels
            self.calls[name] += 1
            try:
                answer = function(*args, **kwargs)
                if name in SEARCHES and self.kernels == before and has_work(function, args, kwargs):
                    self.idle.append(f"{name}: {os.environ.get('PYTEST_CURRENT_TEST')}")
                return answer
            finally:
                self.launches[name] += self.kernels - before

        return call

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test, apart from those of functions that this library does not have."""
        if report.when == "call" or report.outcome == "skipped":
            apart = any(word in report.nodeid.lower() for word in NOT_OURS)
            self.outcomes[f"{report.outcome}{' (of other functions)' if apart else ''}"] += 1


def has_work(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether a graph has edges and there is a vertex to start from."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    if "biadjacency" in given or given.get("method") == "edmonds_karp":  # which SciPy does
        return "biadjacency" in given and bool(given["biadjacency"].nnz > 0)
    if "graph" in given:  # of a matching, which may have another number of columns
        return bool(given["graph"].nnz > 0)
    indices = given.get("indices")
    return graph_of(given["csgraph"], directed=True).m > 0 and (indices is None or np.size(indices) > 0)


def main() -> int:
    """Run the tests and print the numbers."""
    counts = Counts()

    def count(launched: Launched) -> None:
        counts.kernels += 1

    for their_own in (routines, components_on_host.search, matching_on_host.search):
        their_own()  # before others are in their place
    for name in csgraph.__all__:
        if name != "NegativeCycleError":
            setattr(scipy.sparse.csgraph, name, counts.counted(name, getattr(csgraph, name)))
    modules = [f"scipy.sparse.csgraph.tests.{name}" for name in MODULES]
    options = ["-q", "-c", os.devnull, "-p", "no:cacheprovider", "-p", "no:xdist", "-rs", "--pyargs"]
    with recording(count):
        status = pytest.main([*options, *modules], plugins=[counts])
    for name, calls in counts.calls.items():
        print(f"{name:28s} {calls:5d} calls {counts.launches[name]:7d} launches")
    for outcome, tests in counts.outcomes.items():
        print(f"{tests} tests {outcome}")
    if place.serves():
        return int(status)
    for search in counts.idle:
        print(f"launched nothing: {search}")
    return int(bool(status or counts.idle or not counts.kernels))


if __name__ == "__main__":
    sys.exit(main())
