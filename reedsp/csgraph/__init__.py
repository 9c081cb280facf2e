"""All functions of ``scipy.sparse.csgraph``: their names, arguments and results, on any device.

What searches runs on the device that ``REEDSP_DEVICE`` names, else on the best one; an input so small that SciPy's own
compiled routine is done before a device could begin goes to that, with the same answers. Distances are float64,
predecessors int32 with -9999 where there is none.

A graph is a sparse matrix or array of any format, where each stored entry is an edge, a stored 0 one of weight 0, and
the minimum of parallel edges counts; or a dense matrix, where a 0 is no edge; or a masked array, where the mask alone
says so. NaN and +inf are no edges wherever they stand, -inf is a ``ValueError``, and complex numbers are a
``TypeError``. With ``directed=False`` each edge can be used in both directions, and the lesser weight counts.
Functions for which that is otherwise, as it is in SciPy, say so.
"""

from __future__ import annotations

from scipy.sparse.csgraph import NegativeCycleError

from reedsp.csgraph.components import connected_components
from reedsp.csgraph.conversions import (
    construct_dist_matrix,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
    csgraph_to_dense,
    csgraph_to_masked,
    reconstruct_path,
)
from reedsp.csgraph.flows import maximum_flow, min_weight_full_bipartite_matching
from reedsp.csgraph.matchings import maximum_bipartite_matching, structural_rank
from reedsp.csgraph.reordering import depth_first_order, depth_first_tree, laplacian, reverse_cuthill_mckee
from reedsp.csgraph.searches import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path, yen
from reedsp.csgraph.spanning import minimum_spanning_tree
from reedsp.csgraph.traversal import breadth_first_order, breadth_first_tree

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]
