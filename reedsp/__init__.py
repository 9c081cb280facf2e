"""Exact shortest paths on any OpenCL device.

Importing this package touches no driver and imports neither pyopencl nor numpy: each public name is loaded from
its module when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from reedsp._version import __version__ as __version__

if TYPE_CHECKING:
    from reedsp import cluster as cluster
    from reedsp import csgraph as csgraph
    from reedsp import pram as pram
    from reedsp import typing as typing
    from reedsp.algorithms.all_pairs.apsp import apsp
    from reedsp.algorithms.all_pairs.on_device import all_pairs_on_device
    from reedsp.algorithms.contraction.prepare import load_prepared, prepare
    from reedsp.algorithms.contraction.prepared_graph import PreparedGraph
    from reedsp.algorithms.estimate import estimate
    from reedsp.algorithms.routes.k_shortest import SimplePaths, yen
    from reedsp.algorithms.routes.rows import all_pairs_rows
    from reedsp.algorithms.routes.statistics import distance_statistics
    from reedsp.algorithms.routes.tables import Nearest, distance_table, k_nearest
    from reedsp.algorithms.single_source.on_device import distances_on_device
    from reedsp.algorithms.single_source.sssp import sssp
    from reedsp.algorithms.structure.assignment.full_matching import full_matching
    from reedsp.algorithms.structure.assignment.result import FullMatching
    from reedsp.algorithms.structure.centrality.betweenness import betweenness
    from reedsp.algorithms.structure.centrality.result import Betweenness
    from reedsp.algorithms.structure.components.components import connected_components
    from reedsp.algorithms.structure.components.result import Components
    from reedsp.algorithms.structure.flow.maximum_flow import maximum_flow
    from reedsp.algorithms.structure.flow.result import Cut, Flow
    from reedsp.algorithms.structure.forests.result import SpanningForest
    from reedsp.algorithms.structure.forests.spanning_forest import spanning_forest
    from reedsp.algorithms.structure.matching.matching import maximum_matching
    from reedsp.algorithms.structure.matching.result import Matching, VertexCover
    from reedsp.algorithms.traversal.bfs import bfs
    from reedsp.cli.doctor import show_versions
    from reedsp.cost_model.estimate import Estimate
    from reedsp.device.device import Device
    from reedsp.device.discovery import devices, get_device
    from reedsp.device.errors import DeviceError, DeviceMemoryError
    from reedsp.edges.negative_cycle_error import NegativeCycleError
    from reedsp.edges.verify import VerificationError
    from reedsp.graph.graph import Graph
    from reedsp.graph.places import nearest_vertices
    from reedsp.io.coordinates import read_coordinates
    from reedsp.io.datasets import fetch
    from reedsp.io.osm import read_osm
    from reedsp.io.readers import read
    from reedsp.io.writers import changes, write
    from reedsp.minplus.product import min_plus_power, min_plus_product
    from reedsp.primitives.operators import Operator
    from reedsp.primitives.scan import compact, compact_indices, exclusive_scan, inclusive_scan, reduce, segmented_scan
    from reedsp.primitives.sort.sorts import argsort, sort, sort_by_key
    from reedsp.results.all_pairs import AllPairs
    from reedsp.results.geojson import isochrone_geojson, route_geojson
    from reedsp.results.levels import BreadthFirst
    from reedsp.results.load import load
    from reedsp.results.routes import Routes
    from reedsp.results.shortest_paths import ShortestPaths
    from reedsp.results.statistics import DistanceStatistics
    from reedsp.viewer.page import Page
    from reedsp.viewer.trace import Trace, trace
    from reedsp.viewer.watch import watch

_MODULES = ("cluster", "csgraph", "pram", "typing")
_MODULE_OF = {
    "AllPairs": "results.all_pairs",
    "Betweenness": "algorithms.structure.centrality.result",
    "BreadthFirst": "results.levels",
    "Components": "algorithms.structure.components.result",
    "Cut": "algorithms.structure.flow.result",
    "Device": "device.device",
    "Estimate": "cost_model.estimate",
    "DeviceError": "device.errors",
    "DistanceStatistics": "results.statistics",
    "DeviceMemoryError": "device.errors",
    "Flow": "algorithms.structure.flow.result",
    "FullMatching": "algorithms.structure.assignment.result",
    "Graph": "graph.graph",
    "Matching": "algorithms.structure.matching.result",
    "Nearest": "algorithms.routes.tables",
    "NegativeCycleError": "edges.negative_cycle_error",
    "Operator": "primitives.operators",
    "Page": "viewer.page",
    "PreparedGraph": "algorithms.contraction.prepared_graph",
    "Routes": "results.routes",
    "ShortestPaths": "results.shortest_paths",
    "SimplePaths": "algorithms.routes.k_shortest",
    "SpanningForest": "algorithms.structure.forests.result",
    "Trace": "viewer.trace",
    "VerificationError": "edges.verify",
    "VertexCover": "algorithms.structure.matching.result",
    "all_pairs_on_device": "algorithms.all_pairs.on_device",
    "all_pairs_rows": "algorithms.routes.rows",
    "apsp": "algorithms.all_pairs.apsp",
    "argsort": "primitives.sort.sorts",
    "betweenness": "algorithms.structure.centrality.betweenness",
    "bfs": "algorithms.traversal.bfs",
    "changes": "io.writers",
    "compact": "primitives.scan",
    "compact_indices": "primitives.scan",
    "connected_components": "algorithms.structure.components.components",
    "devices": "device.discovery",
    "distance_statistics": "algorithms.routes.statistics",
    "distance_table": "algorithms.routes.tables",
    "distances_on_device": "algorithms.single_source.on_device",
    "estimate": "algorithms.estimate",
    "exclusive_scan": "primitives.scan",
    "fetch": "io.datasets",
    "full_matching": "algorithms.structure.assignment.full_matching",
    "get_device": "device.discovery",
    "inclusive_scan": "primitives.scan",
    "k_nearest": "algorithms.routes.tables",
    "isochrone_geojson": "results.geojson",
    "load": "results.load",
    "load_prepared": "algorithms.contraction.prepare",
    "maximum_matching": "algorithms.structure.matching.matching",
    "maximum_flow": "algorithms.structure.flow.maximum_flow",
    "min_plus_power": "minplus.product",
    "min_plus_product": "minplus.product",
    "nearest_vertices": "graph.places",
    "prepare": "algorithms.contraction.prepare",
    "read": "io.readers",
    "read_coordinates": "io.coordinates",
    "read_osm": "io.osm",
    "reduce": "primitives.scan",
    "route_geojson": "results.geojson",
    "segmented_scan": "primitives.scan",
    "show_versions": "cli.doctor",
    "sort": "primitives.sort.sorts",
    "sort_by_key": "primitives.sort.sorts",
    "spanning_forest": "algorithms.structure.forests.spanning_forest",
    "sssp": "algorithms.single_source.sssp",
    "trace": "viewer.trace",
    "watch": "viewer.watch",
    "write": "io.writers",
    "yen": "algorithms.routes.k_shortest",
}

__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "Graph",
    "read",
    "read_coordinates",
    "read_osm",
    "nearest_vertices",
    "write",
    "changes",
    "fetch",
    "sssp",
    "ShortestPaths",
    "Routes",
    "bfs",
    "BreadthFirst",
    "apsp",
    "AllPairs",
    "estimate",
    "Estimate",
    "load",
    "prepare",
    "PreparedGraph",
    "load_prepared",
    "maximum_matching",
    "Matching",
    "VertexCover",
    "all_pairs_on_device",
    "all_pairs_rows",
    "distance_statistics",
    "DistanceStatistics",
    "distance_table",
    "distances_on_device",
    "k_nearest",
    "Nearest",
    "yen",
    "SimplePaths",
    "route_geojson",
    "isochrone_geojson",
    "connected_components",
    "Components",
    "spanning_forest",
    "SpanningForest",
    "full_matching",
    "FullMatching",
    "maximum_flow",
    "Flow",
    "Cut",
    "betweenness",
    "Betweenness",
    "min_plus_product",
    "min_plus_power",
    "reduce",
    "inclusive_scan",
    "exclusive_scan",
    "segmented_scan",
    "compact",
    "compact_indices",
    "Operator",
    "sort",
    "argsort",
    "sort_by_key",
    "devices",
    "get_device",
    "Device",
    "DeviceError",
    "DeviceMemoryError",
    "NegativeCycleError",
    "VerificationError",
    "trace",
    "Trace",
    "watch",
    "Page",
    "show_versions",
]


def __getattr__(name: str) -> Any:
    module = name if name in _MODULES else _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'reedsp' has no attribute {name!r}")
    if _is_loading():
        raise RuntimeError(
            "reedsp is being loaded, which a signal's handler has interrupted: it may call it afterwards"
        )
    from reedsp.system.threads import to_the_end

    # Ctrl-C in the midst of an import would leave modules that are half there, and names that are not.
    to_the_end(lambda: None, lambda: importlib.import_module(f"reedsp.{module}"))
    found = sys.modules[f"reedsp.{module}"]
    globals()[name] = found if name in _MODULES else getattr(found, name)
    return globals()[name]


def _is_loading() -> bool:
    """Return whether this thread is within an import of below: its modules, and numpy's, are half there."""
    frame = sys._getframe(1).f_back
    while frame is not None and frame.f_code is not __getattr__.__code__:
        frame = frame.f_back
    return frame is not None


def __dir__() -> list[str]:
    return sorted((*_MODULES, *__all__, "__version__"))
