"""Types for annotations: what the functions of this package take and give.

Each ``Literal`` has all values that the argument can have. Names of vertices can be any hashable objects; where a
function gives them their type is ``Any``, since only the graph knows it.

Examples
--------
>>> from reedsp.typing import Distances, GraphLike
>>> import reedsp
>>> def farthest(graph: GraphLike) -> Distances:
...     return reedsp.apsp(graph).dist.max(axis=1)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Union

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph

# ---- graphs and vertices ----------------------------------------------------------------------------


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy, of any format."""

    def tocoo(self, copy: bool = ...) -> Any:
        """Return the entries in coordinate format."""

    def tocsr(self, copy: bool = ...) -> Any:
        """Return the entries row by row."""


class GraphOfNetworkX(Protocol):
    """A graph of networkx, of any class."""

    def is_directed(self) -> bool:
        """Whether edges have a direction."""

    def is_multigraph(self) -> bool:
        """Whether there can be parallel edges."""

    def number_of_nodes(self) -> int:
        """Return the number of vertices."""


# Not of classes of SciPy and networkx, of which a type checker knows nothing unless their stubs are installed.
GraphLike: TypeAlias = Graph | SparseMatrix | GraphOfNetworkX | npt.NDArray[Any] | Sequence[Sequence[float]]
"""What is taken for a graph everywhere but in :mod:`reedsp.csgraph`."""

MatrixLike: TypeAlias = Union[SparseMatrix, npt.ArrayLike]  # noqa: UP007 - ArrayLike may be a string
"""What the functions of :mod:`reedsp.csgraph` take, as those of SciPy do."""

Vertex: TypeAlias = Hashable
"""The name of a vertex: its index, if the graph knows no names."""

Vertices: TypeAlias = Iterable[Hashable]
"""Several vertices, such as a list or an array."""

# ---- distances --------------------------------------------------------------------------------------

Distances: TypeAlias = npt.NDArray[np.float64 | np.float32 | np.int64 | np.int32]
"""Distances in the type that was asked for, float64 by default."""

DistanceTypeName: TypeAlias = Literal["float64", "float32", "int64", "int32"]
"""The names of these types."""

DistanceType: TypeAlias = (
    DistanceTypeName
    | type[np.float64 | np.float32 | np.int64 | np.int32 | float | int]
    | np.dtype[np.float64 | np.float32 | np.int64 | np.int32]
)
"""Such a type: "float64", ``numpy.float64``, ``numpy.dtype("float64")`` and the like."""

# ---- methods and options ----------------------------------------------------------------------------

ForestMethod: TypeAlias = Literal["auto", "kruskal", "boruvka", "dulle"]
"""How :func:`reedsp.spanning_forest` can solve."""

SearchMethod: TypeAlias = Literal[
    "auto",
    "near-far",
    "near-far-local",
    "bellman-ford",
    "bellman-ford-queue",
    "dijkstra-heap",
    "dijkstra-array",
    "output-parallel",
    "input-parallel",
    "input-parallel-refined",
]
"""How :func:`reedsp.sssp` can solve."""

AllPairsMethod: TypeAlias = Literal["auto", "floyd-warshall", "min-plus", "johnson"]
"""How :func:`reedsp.apsp` can solve."""

JohnsonSearch: TypeAlias = Literal["near-far", "near-far-local", "bellman-ford", "dijkstra-heap", "dijkstra-array"]
"""How "johnson" of :func:`reedsp.apsp` can search from each vertex."""

EstimatedFunction: TypeAlias = Literal["apsp", "sssp", "bfs", "distance_statistics"]
"""What :func:`reedsp.estimate` can say something about."""

NegativeCycles: TypeAlias = Literal["raise", "mark"]
"""What :func:`reedsp.apsp` can do about negative cycles."""

ProductMethod: TypeAlias = Literal[
    "auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers", "panels"
]
"""How :func:`reedsp.min_plus_product` can multiply."""

FloydWarshallKernel: TypeAlias = Literal[
    "blocked", "harish-narayanan", "katz-kider", "optimized-blocked", "staged-load"
]
"""The kernels of "floyd-warshall"."""

BreadthFirstMethod: TypeAlias = Literal["work-items", "work-groups", "source-a-group", "near-far", "frontier"]
"""The kernels of :func:`reedsp.bfs`."""

BetweennessMethod: TypeAlias = Literal["work-items", "work-groups"]
"""The kernels of :func:`reedsp.betweenness`."""

Direction: TypeAlias = Literal["auto", "top-down", "bottom-up"]
"""From where :func:`reedsp.bfs` can look at edges."""

Connection: TypeAlias = Literal["weak", "strong"]
"""What :func:`reedsp.connected_components` can take for connected."""

ComponentsMethod: TypeAlias = Literal["auto", "fast", "dulle", "depth-first", "colours"]
"""How :func:`reedsp.connected_components` can find components."""
MatchingMethod: TypeAlias = Literal["auto", "depth-first", "phases", "dulle", "khosla"]
"""How :func:`reedsp.maximum_matching` can match."""
FlowMethod: TypeAlias = Literal["auto", "dinic", "push-relabel"]
"""How :func:`reedsp.maximum_flow` can search."""

FullMatchingMethod: TypeAlias = Literal["auto", "shortest-paths", "auction"]
"""How :func:`reedsp.full_matching` can search."""

OperatorName: TypeAlias = Literal["add", "min", "max"]
"""The built-in operators of reductions and scans."""

ReduceMethod: TypeAlias = Literal["fast", "naive", "dulle", "work-group", "work-item"]
"""How :func:`reedsp.reduce` can reduce."""

InclusiveMethod: TypeAlias = Literal["fast", "blelloch", "naive", "dulle", "work-group", "work-item"]
"""How :func:`reedsp.inclusive_scan` can scan."""

ScanMethod: TypeAlias = Literal["fast", "blelloch", "naive", "work-group", "work-item"]
"""How :func:`reedsp.exclusive_scan` and :func:`reedsp.segmented_scan` can scan."""

ChunkedMethod: TypeAlias = Literal["fast", "work-group", "work-item"]
"""How :func:`reedsp.reduce` and :func:`reedsp.compact` can go through chunks."""

SortMethod: TypeAlias = Literal["fast", "merge"]
"""How :func:`reedsp.sort` and its like can sort."""

Presort: TypeAlias = Literal["bitonic", "odd-even", "none"]
"""How the lists of "merge" can be sorted before they are merged."""

CsgraphMethod: TypeAlias = Literal["auto", "FW", "D", "BF", "J"]
"""How :func:`reedsp.csgraph.shortest_path` can solve."""


Balance: TypeAlias = Literal["block-search", "items", "low-degree"]
"""How work-groups can share out the edges of their vertices, in "near-far"."""

Rung: TypeAlias = Literal[
    "direct-search",
    "items",
    "virtual-warps-2",
    "virtual-warps-4",
    "virtual-warps-8",
    "virtual-warps-16",
    "virtual-warps-32",
    "dynamic-virtual-warps",
    "cta-warp-scan",
    "warp-search",
    "block-search",
    "two-phase",
    "multi-phase",
]
"""How all work-items of a launch can share out edges, in "input-parallel-refined" and "frontier"."""


class SearchOptions(TypedDict, total=False):
    """Options of the methods of :func:`reedsp.sssp`, each of which has some."""

    cooperative_loading: bool
    in_degree_order: bool
    early_stop: bool
    group_size: int
    list_active: bool
    edge_classes: bool
    delta: float
    work_groups: bool
    balance: Balance | Rung
    arity: Literal[2, 4, 8]
    local_memory: bool


class AllPairsOptions(TypedDict, total=False):
    """Options of the methods of :func:`reedsp.apsp`, each of which has one."""

    product: ProductMethod
    kernel: FloydWarshallKernel
    search: JohnsonSearch


class BetweennessOptions(TypedDict, total=False):
    """Options of :func:`reedsp.betweenness`."""

    method: BetweennessMethod


class BreadthFirstOptions(TypedDict, total=False):
    """Options of :func:`reedsp.bfs`."""

    method: BreadthFirstMethod
    direction: Direction
    group_size: int
    balance: Rung
