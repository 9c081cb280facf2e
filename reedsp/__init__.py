"""Exact shortest paths on any OpenCL device.

Importing this package touches no driver and imports neither pyopencl nor numpy: each public name is loaded from
its module when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from reedsp.all_pairs import apsp
    from reedsp.breadth_first import BreadthFirst, bfs
    from reedsp.device import Device, DeviceError, DeviceMemoryError, devices
    from reedsp.graph import Graph
    from reedsp.minplus import min_plus_power, min_plus_product
    from reedsp.negative_cycle import NegativeCycleError
    from reedsp.operators import Operator
    from reedsp.readers import read
    from reedsp.result import AllPairs, ShortestPaths
    from reedsp.scan import compact, compact_indices, exclusive_scan, inclusive_scan, reduce, segmented_scan
    from reedsp.single_source import sssp
    from reedsp.verification import VerificationError

_MODULE_OF = {
    "AllPairs": "result",
    "BreadthFirst": "breadth_first",
    "Device": "device",
    "DeviceError": "device",
    "DeviceMemoryError": "device",
    "Graph": "graph",
    "NegativeCycleError": "negative_cycle",
    "Operator": "operators",
    "ShortestPaths": "result",
    "VerificationError": "verification",
    "apsp": "all_pairs",
    "bfs": "breadth_first",
    "compact": "scan",
    "compact_indices": "scan",
    "devices": "device",
    "exclusive_scan": "scan",
    "inclusive_scan": "scan",
    "min_plus_power": "minplus",
    "min_plus_product": "minplus",
    "read": "readers",
    "reduce": "scan",
    "segmented_scan": "scan",
    "sssp": "single_source",
}

__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "Graph",
    "read",
    "sssp",
    "ShortestPaths",
    "bfs",
    "BreadthFirst",
    "apsp",
    "AllPairs",
    "min_plus_product",
    "min_plus_power",
    "reduce",
    "inclusive_scan",
    "exclusive_scan",
    "segmented_scan",
    "compact",
    "compact_indices",
    "Operator",
    "devices",
    "Device",
    "DeviceError",
    "DeviceMemoryError",
    "NegativeCycleError",
    "VerificationError",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'reedsp' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"reedsp.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
