"""The arguments of ``cl/single_source`` and of the trees of predecessors in ``cl/edges``."""

from __future__ import annotations

from reedsp.viewer.roles.role import INPUT, INTERNAL, Array, Kernels, reads, updates, writes

ARRAYS = {
    "dist": Array("weight of the best path found so far to each vertex", "vertices", "distance", "distances"),
    "sums": Array("weight of the best path that ends with each edge", "edges", "value", "distances"),
    "directed_sums": Array("the same for each edge in each direction", "cells", "value", "distances"),
    "best": Array("smallest path weight that is offered to each vertex in this round", "vertices", "value"),
    "active_edges": Array("edges that leave each active vertex, then how many there are before", "cells", "count"),
    "near": Array("vertices below the threshold", "queue", "set", "vertices"),
    "far": Array("vertices at or above the threshold", "queue", "set", "vertices"),
    "near_keys": Array("the distance with which each came there", "queue", "value"),
    "far_keys": Array("likewise", "queue", "value"),
    "threshold": Array("path weights below it are near", "cells", "value", "distances"),
    "predecessors": Array("the vertex before each on its shortest path", "vertices", "predecessor", "vertices"),
    "hop_levels": Array("edges without progress on the path to each vertex", "vertices", "count"),
}

_BY_TARGET = {"edge_weights": INPUT, "edge_sources": INPUT}
_INDEX = {"edge_counts": INPUT, "vertex_edge_index": INPUT}
_OUTGOING = {"first_edge": INPUT, "edges": INPUT}
_TREE = writes("predecessors", "int")

_UNRESOLVED = {  # of vertices that no tight edge of positive weight leads to
    "count_unresolved": {
        "dist": reads("dist", "WEIGHT"),
        "predecessors": updates("predecessors", "int"),
        "counts": INTERNAL,
    },
    "start_levels": {"predecessors": reads("predecessors", "int"), "levels": writes("hop_levels", "uint")},
    "start_at_sources": {"sources": INPUT, "levels": updates("hop_levels", "uint")},
}

KERNELS: Kernels = {
    "single_source/output_parallel.cl": {
        "initialise": {"weights": writes("dist", "WEIGHT"), "predecessors": INTERNAL},
        "relax": {
            **_BY_TARGET,
            "weights": reads("dist", "WEIGHT"),
            **_INDEX,
            "new_weights": writes("dist", "WEIGHT"),
            "predecessors": INTERNAL,
            "updates": INTERNAL,
        },
    },
    "single_source/input_parallel.cl": {
        "initialise": {"weights": writes("dist", "WEIGHT"), "predecessors": INTERNAL},
        "relax": {
            **_BY_TARGET,
            "weights": reads("dist", "WEIGHT"),
            "sums": writes("sums", "WEIGHT"),
            "updates": INTERNAL,
        },
        "finalise": {
            "prefixes": reads("sums", "WEIGHT"),
            "edge_sources": INPUT,
            **_INDEX,
            "weights": updates("dist", "WEIGHT"),
            "predecessors": INTERNAL,
            "updates": INTERNAL,
        },
    },
    "single_source/input_parallel_refined.cl": {
        "initialise": {
            "weights": writes("dist", "WEIGHT"),
            "best": writes("best", "WEIGHT"),
            "first_edge": INPUT,
            "marks": INTERNAL,
            "prefixes": writes("active_edges", "OFFSET"),
        },
        "relax": {
            **_OUTGOING,
            "active": INPUT,
            "active_count": INPUT,
            "prefixes": reads("active_edges", "OFFSET"),
            "classes": INPUT,
            "weights": reads("dist", "WEIGHT"),
            "best": updates("best", "WEIGHT"),
            "best_sources": INTERNAL,
            "plan": INPUT,
        },
        "finalise": {
            "weights": updates("dist", "WEIGHT"),
            "best": updates("best", "WEIGHT"),
            "first_edge": INPUT,
            "marks": INTERNAL,
            "prefixes": writes("active_edges", "OFFSET"),
            "classes": INPUT,
            "best_sources": INTERNAL,
            "predecessors": INTERNAL,
            "updates": INTERNAL,
        },
    },
    "single_source/near_far_work_group.cl": {
        "clear": {"dist": writes("dist", "WEIGHT"), "counts": INTERNAL, "limits": writes("threshold", "WEIGHT")},
        "start": {
            "sources": INPUT,
            "dist": writes("dist", "WEIGHT"),
            "near_slots": writes("near", "uint"),
            "near_keys": writes("near_keys", "WEIGHT"),
        },
        "advance": {
            **_OUTGOING,
            "dist": updates("dist", "WEIGHT"),
            "near_slots": updates("near", "uint"),
            "near_keys": updates("near_keys", "WEIGHT"),
            "hub_slots": INTERNAL,
            "hub_keys": INTERNAL,
            "far_slots": updates("far", "uint"),
            "far_keys": updates("far_keys", "WEIGHT"),
            "counts": INTERNAL,
            "limits": updates("threshold", "WEIGHT"),
        },
    },
    "edges/predecessors.cl": {
        "resolve_progress": {
            **_BY_TARGET,
            **_INDEX,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": _TREE,
            "counts": INTERNAL,
        },
        "resolve_progress_by_edges": {
            **_BY_TARGET,
            "edge_targets": INPUT,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": updates("predecessors", "int"),
            "counts": INTERNAL,
        },
        **_UNRESOLVED,
        "resolve_level": {
            **_BY_TARGET,
            **_INDEX,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": updates("predecessors", "int"),
            "levels": reads("hop_levels", "uint"),
            "new_levels": writes("hop_levels", "uint"),
            "updates": INTERNAL,
        },
    },
    "edges/predecessors_outgoing.cl": {
        "resolve_progress": {
            **_OUTGOING,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": updates("predecessors", "int"),
            "counts": INTERNAL,
        },
        **_UNRESOLVED,
        "reopen_unresolved": {
            "levels": reads("hop_levels", "uint"),
            "predecessors": updates("predecessors", "int"),
        },
        "resolve_level": {
            **_OUTGOING,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": updates("predecessors", "int"),
            "levels": updates("hop_levels", "uint"),
            "updates": INTERNAL,
        },
    },
    "edges/predecessors_in_order.cl": {
        "resolve_rows": {
            **_OUTGOING,
            "dist": reads("dist", "WEIGHT"),
            "predecessors": updates("predecessors", "int"),
            "levels": updates("hop_levels", "uint"),
            **dict.fromkeys(("queues", "searches", "counters"), INTERNAL),
        },
    },
    "edges/distances.cl": {"convert_distances": {"dist": reads("dist", "WEIGHT"), "converted": INTERNAL}},
    "edges/statistics.cl": {
        "row_statistics": {
            "dist": reads("dist", "WEIGHT"),
            **dict.fromkeys(("reached", "farthest", "total"), INTERNAL),
        },
    },
}
