"""Exact shortest paths on any OpenCL device.

Importing this package touches no driver and imports neither pyopencl nor numpy: each public name is loaded from
its module when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from reedsp._version import __version__ as __version__

if TYPE_CHECKING:
    from reedsp.all_pairs import apsp
    from reedsp.breadth_first import BreadthFirst, bfs
    from reedsp.coordinates import read_coordinates
    from reedsp.device import Device, DeviceError, DeviceMemoryError, devices
    from reedsp.device_distances import distances_on_device
    from reedsp.doctor import show_versions
    from reedsp.graph import Graph
    from reedsp.k_shortest import SimplePaths, yen
    from reedsp.minplus import min_plus_power, min_plus_product
    from reedsp.negative_cycle import NegativeCycleError
    from reedsp.operators import Operator
    from reedsp.readers import read
    from reedsp.result import AllPairs, ShortestPaths
    from reedsp.routes import Routes
    from reedsp.row_blocks import all_pairs_rows
    from reedsp.saved_results import load
    from reedsp.scan import compact, compact_indices, exclusive_scan, inclusive_scan, reduce, segmented_scan
    from reedsp.single_source import sssp
    from reedsp.tables import distance_table, k_nearest
    from reedsp.verification import VerificationError
    from reedsp.writers import write

_MODULE_OF = {
    "AllPairs": "result",
    "BreadthFirst": "breadth_first",
    "Device": "device",
    "DeviceError": "device",
    "DeviceMemoryError": "device",
    "Graph": "graph",
    "NegativeCycleError": "negative_cycle",
    "Operator": "operators",
    "Routes": "routes",
    "ShortestPaths": "result",
    "SimplePaths": "k_shortest",
    "VerificationError": "verification",
    "all_pairs_rows": "row_blocks",
    "apsp": "all_pairs",
    "bfs": "breadth_first",
    "compact": "scan",
    "compact_indices": "scan",
    "devices": "device",
    "distance_table": "tables",
    "distances_on_device": "device_distances",
    "exclusive_scan": "scan",
    "inclusive_scan": "scan",
    "k_nearest": "tables",
    "load": "saved_results",
    "min_plus_power": "minplus",
    "min_plus_product": "minplus",
    "read": "readers",
    "read_coordinates": "coordinates",
    "reduce": "scan",
    "segmented_scan": "scan",
    "show_versions": "doctor",
    "sssp": "single_source",
    "write": "writers",
    "yen": "k_shortest",
}

__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "Graph",
    "read",
    "read_coordinates",
    "write",
    "sssp",
    "ShortestPaths",
    "Routes",
    "bfs",
    "BreadthFirst",
    "apsp",
    "AllPairs",
    "load",
    "all_pairs_rows",
    "distance_table",
    "distances_on_device",
    "k_nearest",
    "yen",
    "SimplePaths",
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
    "show_versions",
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
