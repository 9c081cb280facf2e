"""networkx' own tests of shortest paths, unchanged, with this backend in place of networkx' functions.

    python tests/networkx_suite.py

A pass means little by itself: a backend that hands its calls back to networkx passes, too. So calls are counted, and a
function that this backend has and that is never called is a failure like any other. With REEDSP_FORCE_DEVICE=1 every
search that a device can do is done there, and kernels have to be launched.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from collections import Counter
from collections.abc import Callable
from typing import Any

os.environ["NETWORKX_TEST_BACKEND"] = "reedsp"
os.environ["NETWORKX_FALLBACK_TO_NX"] = "True"  # some tests prepare their graphs by functions that no backend has

import networkx as nx
import pytest

from reedsp import _nx_info, networkx_backend
from reedsp.networkx_device import FORCE_DEVICE, kernels_launched

FUNCTIONS = (*_nx_info.DEVICE_FUNCTIONS, *_nx_info.HOST_FUNCTIONS)


def counted(name: str, function: Callable[..., Any], calls: Counter[str]) -> Callable[..., Any]:
    """Return a function that does the same and is counted."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        return function(*args, **kwargs)

    return call


def main() -> int:
    """Run the tests and print the numbers."""
    calls: Counter[str] = Counter()  # by networkx, not those of one function of ours by another
    handed_back: Counter[str] = Counter()
    ours = types.SimpleNamespace(**vars(networkx_backend))
    for name in FUNCTIONS:
        setattr(ours, name, counted(name, getattr(networkx_backend, name), calls))
        dispatched = nx.utils.backends._registered_algorithms[name].__wrapped__
        dispatched.orig_func = counted(name, dispatched.orig_func, handed_back)
    nx.utils.backends._loaded_backends["reedsp"] = ours
    options = ["-q", "-c", os.devnull, "-p", "no:cacheprovider", "-p", "no:xdist", "--pyargs"]
    status = pytest.main([*options, "networkx.algorithms.shortest_paths"])
    for name in FUNCTIONS:
        print(f"{name:45s} {calls[name]:5d} calls")
    print(f"{sum(map(bool, calls.values()))} of {len(FUNCTIONS)} functions called, {kernels_launched()} launches")
    never = [name for name in FUNCTIONS if not calls[name]]
    idle = os.environ.get(FORCE_DEVICE) == "1" and not kernels_launched()
    for what, names in (("never called", never), ("handed back to networkx", list(handed_back))):
        if names:
            print(f"{what}: {', '.join(names)}")
    return int(bool(status or never or handed_back or idle))


if __name__ == "__main__":
    sys.exit(main())
