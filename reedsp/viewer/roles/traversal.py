"""The arguments of ``cl/traversal``."""

from __future__ import annotations

from reedsp.viewer.roles.role import INPUT, INTERNAL, Array, Kernels, reads, updates, writes

ARRAYS = {
    "levels": Array("edges on a path to each vertex", "vertices", "level", "vertices"),
    "predecessors": Array(
        "the smallest vertex of the level before that has an edge to each", "vertices", "predecessor", "vertices"
    ),
    "frontier": Array("vertices that were found last", "queue", "set", "vertices"),
}

_OUTGOING = {"first_edge": INPUT, "targets": INPUT}

KERNELS: Kernels = {
    "traversal/frontier.cl": {
        "begin": {
            "queue": writes("frontier", "uint"),
            "levels": writes("levels", "int"),
            "predecessors": writes("predecessors", "uint"),
            "ends": INTERNAL,
            "updates": INTERNAL,
        },
        "settle": {
            "first_edge": INPUT,
            "queue": reads("frontier", "uint"),
            "levels": writes("levels", "int"),
            "prefixes": INTERNAL,
            "ends": INTERNAL,
            "sizes": INTERNAL,
            "counts": INTERNAL,
            "updates": INTERNAL,
        },
        "expand": {
            **_OUTGOING,
            "queue": updates("frontier", "uint"),
            "levels": reads("levels", "int"),
            "predecessors": updates("predecessors", "uint"),
            "prefixes": INPUT,
            "ends": INTERNAL,
            "sizes": INPUT,
            "updates": INTERNAL,
            "plan": INPUT,
        },
    },
    "traversal/bfs_work_items.cl": {
        "begin": {
            "start_vertices": INPUT,
            "first_edge": INPUT,
            "found": writes("found", "ulong"),
            "queue": INTERNAL,
            "marks": INTERNAL,
            "level_bits": INTERNAL,
            "level_words": INTERNAL,
            "control": INTERNAL,
        },
        "top_down": {
            **_OUTGOING,
            "found": updates("found", "ulong"),
            "queue": INTERNAL,
            "ends": INTERNAL,
            "marks": INTERNAL,
            "level_bits": INTERNAL,
            "level_words": INTERNAL,
            "control": INTERNAL,
        },
        "write_bits": {
            "found": reads("found", "ulong"),
            "unvisited": INTERNAL,
            "frontier": writes("frontier_bits", "ulong"),
            "control": INPUT,
        },
        "bottom_up": {
            "first_in": INPUT,
            "sources": INPUT,
            "first_edge": INPUT,
            "found": updates("found", "ulong"),
            "unvisited": INTERNAL,
            "frontier": updates("frontier_bits", "ulong"),
            "sums": INTERNAL,
            "control": INPUT,
        },
        "advance": {
            "frontier": reads("frontier_bits", "ulong"),
            "queue": INTERNAL,
            "marks": INTERNAL,
            "sums": INPUT,
            "control": INTERNAL,
        },
        "split": {"found": reads("found", "ulong"), "answers": INTERNAL},
    },
}
