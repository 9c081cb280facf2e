"""What networkx is told about this backend, at every ``import networkx``: nothing is imported for it."""

from __future__ import annotations

from typing import Any

_ON_DEVICE = "Searched on the OpenCL device for weights that are int or float, by networkx itself otherwise."
_BY_NETWORKX = "Searched by networkx itself: the answer depends on the order of the steps of one search."

DEVICE_FUNCTIONS = (
    "all_pairs_all_shortest_paths",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "all_shortest_paths",
    "astar_path",
    "astar_path_length",
    "attracting_components",
    "average_shortest_path_length",
    "barycenter",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "betweenness_centrality",
    "betweenness_centrality_subset",
    "bidirectional_dijkstra",
    "bidirectional_shortest_path",
    "center",
    "centroid",
    "closeness_centrality",
    "condensation",
    "connected_components",
    "diameter",
    "dijkstra_path",
    "dijkstra_path_length",
    "dijkstra_predecessor_and_distance",
    "eccentricity",
    "edge_betweenness_centrality",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "global_efficiency",
    "gutman_index",
    "harmonic_centrality",
    "harmonic_diameter",
    "has_path",
    "hopcroft_karp_matching",
    "hyper_wiener_index",
    "is_attracting_component",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "johnson",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "maximum_flow",
    "maximum_flow_value",
    "minimum_cut",
    "minimum_cut_value",
    "multi_source_dijkstra",
    "multi_source_dijkstra_path",
    "multi_source_dijkstra_path_length",
    "negative_edge_cycle",
    "node_connected_component",
    "number_attracting_components",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "periphery",
    "predecessor",
    "radius",
    "schultz_index",
    "shortest_path",
    "shortest_path_length",
    "single_source_all_shortest_paths",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "weakly_connected_components",
    "to_vertex_cover",
    "wiener_index",
)
"""Functions of networkx that search on a device if the weights allow it."""

FROM_EACH = (
    "average_shortest_path_length",
    "barycenter",
    "center",
    "centroid",
    "closeness_centrality",
    "diameter",
    "eccentricity",
    "floyd_warshall_numpy",
    "global_efficiency",
    "gutman_index",
    "harmonic_centrality",
    "harmonic_diameter",
    "hyper_wiener_index",
    "johnson",
    "periphery",
    "radius",
    "schultz_index",
    "wiener_index",
)
"""Those that search from every node, most of them for sums and extremes of distances alone."""

COUNT_PATHS = ("betweenness_centrality", "betweenness_centrality_subset", "edge_betweenness_centrality")
"""Those that count shortest paths, from every node or from some."""

HOST_FUNCTIONS = (
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "bellman_ford_predecessor_and_distance",
    "efficiency",
    "find_negative_cycle",
    "floyd_warshall_predecessor_and_distance",
    "goldberg_radzik",
    "local_efficiency",
    "reconstruct_path",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
)
"""Functions of networkx whose order of keys, ties or rounding only its own steps give."""


def get_info() -> dict[str, Any]:
    """Return the description of the backend that networkx asks for."""
    described = {name: {"additional_docs": _ON_DEVICE} for name in DEVICE_FUNCTIONS}
    described |= {name: {"additional_docs": _BY_NETWORKX} for name in HOST_FUNCTIONS}
    return {
        "backend_name": "reedsp",
        "project": "reedsp",
        "package": "reedsp",
        "short_summary": "Exact shortest paths on any OpenCL device.",
        "functions": described,
    }
