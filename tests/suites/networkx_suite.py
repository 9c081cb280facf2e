"""networkx' own tests of shortest paths, and of all that calls them, unchanged, with this backend forced on them.

    python -m tests.suites.networkx_suite

A pass means little by itself: what the device does not answer, networkx does. So calls are counted, and a function that
this backend has and that is never called is a failure like any other. With REEDSP_FORCE_DEVICE=1 every search that a
device can do is done there, and each function that can search there has to launch kernels.
"""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

os.environ["NETWORKX_TEST_BACKEND"] = "reedsp"
os.environ["NETWORKX_FALLBACK_TO_NX"] = "True"  # some tests prepare their graphs by functions that no backend has

import pytest

from reedsp._nx_info import DEVICE_FUNCTIONS
from reedsp.networkx_backend.functions import FUNCTIONS, backend
from reedsp.networkx_backend.on_device import FORCE_DEVICE, kernels_launched
from reedsp.networkx_backend.release import networkx_function

CALLERS = {
    "algorithms": """bridges chordal cycles dag distance_measures distance_regular efficiency euler hybrid
        link_prediction lowest_common_ancestors smallworld sparsifiers swap threshold vitality voronoi wiener""",
    "algorithms.approximation": "distance_measures steinertree traveling_salesman",
    "algorithms.bipartite": "centrality matching",
    "algorithms.centrality": """betweenness_centrality betweenness_centrality_subset closeness_centrality group
        harmonic_centrality load_centrality percolation_centrality reaching""",
    "algorithms.components": "attracting connected strongly_connected weakly_connected",
    "algorithms.connectivity": "connectivity edge_augmentation stoer_wagner",
    "algorithms.flow": "gomory_hu maxflow mincost",
    "algorithms.tree": "branchings mst",
    "drawing": "layout",
    "generators": "classic cographs ego small",
    "utils": "rcm",
}
"""networkx' test modules that call one of our functions, or test what calls one, by package.

That of tree isomorphism is left out: it takes the centers of thousands of trees of a few nodes, and nothing else.
"""

NOT_CALLERS = "spring_layout or fruchterman_reingold"
"""Long tests among those that call none of our functions."""

NOT_TESTED = {"floyd_warshall": "networkx 3.7 tests what it calls"}
"""Functions that networkx' tests need not call, and why."""

NOT_ON_DEVICE = dict.fromkeys(("maximum_flow", "minimum_cut"), "networkx' tests name the algorithm")
"""Functions that networkx' tests only call with arguments for networkx itself, and why."""

DISPATCHED = [name for name in FUNCTIONS if getattr(networkx_function(name), "name", None) == name]
"""The functions that the installed networkx dispatches."""


def counted(name: str, function: Callable[..., Any], calls: Counter[str], launches: Counter[str]) -> Callable[..., Any]:
    """Return a function that does the same, of which calls and launches of kernels are counted."""

    def launching(step: Callable[[], Any]) -> Any:
        before = kernels_launched()
        try:
            return step()
        finally:
            launches[name] += kernels_launched() - before

    def each(answers: Iterator[Any]) -> Iterator[Any]:
        done = object()
        while (answer := launching(lambda: next(answers, done))) is not done:
            yield answer

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        answer = launching(lambda: function(*args, **kwargs))
        return each(answer) if isinstance(answer, Iterator) else answer

    return call


def main() -> int:
    """Run the tests and print the numbers."""
    calls: Counter[str] = Counter()  # by networkx, not those of one function of ours by another
    launches: Counter[str] = Counter()
    for name in DISPATCHED:
        setattr(backend, name, counted(name, FUNCTIONS[name], calls, launches))
    options = ["-q", "-c", os.devnull, "-p", "no:cacheprovider", "-p", "no:xdist", "-k", f"not ({NOT_CALLERS})"]
    callers = [f"networkx.{package}.tests.test_{name}" for package, names in CALLERS.items() for name in names.split()]
    status = pytest.main([*options, "--pyargs", "networkx.algorithms.shortest_paths", *callers])
    for name in DISPATCHED:
        print(f"{name:45s} {calls[name]:5d} calls {launches[name]:8d} launches")
    print(f"{sum(map(bool, calls.values()))} of {len(DISPATCHED)} functions called, {kernels_launched()} launches")
    never = [name for name in DISPATCHED if not calls[name] and name not in NOT_TESTED]
    forced = os.environ.get(FORCE_DEVICE) == "1"
    searched = [name for name in DISPATCHED if name in DEVICE_FUNCTIONS and name not in NOT_ON_DEVICE]
    idle = [name for name in searched if forced and calls[name] and not launches[name]]
    for what, names in (("never called", never), ("never on the device", idle)):
        if names:
            print(f"{what}: {', '.join(names)}")
    return int(bool(status or never or idle))


if __name__ == "__main__":
    sys.exit(main())
