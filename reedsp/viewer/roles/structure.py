"""The arguments of ``cl/components``, ``cl/forests`` and ``cl/matching``."""

from __future__ import annotations

from reedsp.viewer.roles.role import INPUT, INTERNAL, SAME, Array, Kernels, reads, updates, writes

ARRAYS = {
    "parents": Array("a vertex on the way to the root of each component", "vertices", "pointer", "vertices"),
    "labels": Array("the number of the component of each vertex", "vertices", "label"),
    "components": Array(
        "a vertex of the component of each vertex, at last the smallest", "vertices", "pointer", "vertices"
    ),
    "targets": Array(
        "the component that each vertex, then each component, wants to join", "vertices", "label", "vertices"
    ),
    "copied": Array("what a step computes, from where the next one copies it", "vertices", "label", "vertices"),
    "chosen": Array("1 for the edges of the forest", "edges", "chosen"),
    "nearest": Array(
        "the end of the first edge that leaves the component, for each vertex", "vertices", "label", "vertices"
    ),
    "mates": Array("the vertex that each is matched with", "vertices", "mate", "vertices"),
    "offers": Array("the smallest vertex of the other side that wants each", "vertices", "label", "vertices"),
    "wanted": Array("the bin that each ball has chosen", "vertices", "pointer", "vertices"),
    "bin_labels": Array("how far each bin is from one that is free", "vertices", "count"),
}

_ROWS = {"indptr": INPUT, "indices": INPUT}
_PARENTS = {"parents": updates("parents", "int")}

KERNELS: Kernels = {
    "components/dulle.cl": {
        "init": {"components": writes("components", "int")},
        "copy": {"to": SAME, "from": SAME},
        "pointer_jump": {"to": SAME, "from": SAME},
        "step_1": {"adjacent": INPUT, "components": reads("components", "int"), "targets": writes("targets", "int")},
        "step_2": {
            "components": reads("components", "int"),
            "targets": reads("targets", "int"),
            "copied": writes("copied", "int"),
        },
        "step_3a": {"components": updates("components", "int"), "targets": reads("targets", "int")},
        "step_3b": {"components": updates("components", "int"), "copied": reads("copied", "int")},
    },
    "components/ranges.cl": {
        "begin": {**_ROWS, "parents": writes("parents", "int")},
        "link_first": {**_ROWS, **_PARENTS},
        "settle": {**_PARENTS, "counts": INTERNAL},
        "find_largest": {"parents": reads("parents", "int"), "largest": INTERNAL},
        "link_rest": {**_ROWS, **_PARENTS, "largest": INPUT},
        "number": {"parents": reads("parents", "int"), "numbers": INTERNAL, "counts": INPUT},
        "write_labels": {**_PARENTS, "numbers": INPUT},
    },
    "components/groups.cl": {
        "write_sources": {"indptr": INPUT, "sources": INTERNAL},
        "begin": {**_ROWS, "parents": writes("parents", "int")},
        "link_first": {**_ROWS, **_PARENTS},
        "settle": {**_PARENTS, "largest": INTERNAL},
        "link_all": {"sources": INPUT, "indices": INPUT, **_PARENTS},
        "link_rest": {"sources": INPUT, "indices": INPUT, **_PARENTS, "largest": INPUT},
        "count_roots": {**_PARENTS, "numbers": INTERNAL, "counts": INTERNAL},
        "write_labels": {**_PARENTS, "numbers": INPUT, "counts": INTERNAL},
    },
    "forests/dulle.cl": {
        "place_edges": {**_ROWS, "matrix": INTERNAL, "component": writes("components", "int")},
        "find_nearest": {
            "values": INPUT,
            "matrix": INPUT,
            "component": reads("components", "int"),
            "nearest": writes("nearest", "int"),
        },
        "choose": {
            "values": INPUT,
            "matrix": INPUT,
            "component": reads("components", "int"),
            "nearest": reads("nearest", "int"),
            "hooked": writes("copied", "int"),
            "chosen": updates("chosen", "uchar"),
        },
        "hook": {"component": updates("components", "int"), "hooked": reads("copied", "int")},
        "jump": {"component": reads("components", "int"), "after": writes("copied", "int")},
        "part_pairs": {"component": updates("components", "int"), "after": reads("copied", "int")},
    },
    "forests/boruvka.cl": {
        "begin": {"next": writes("parents", "int")},
        "clear": {"best": INTERNAL},
        "gather": {
            "tails": INPUT,
            "indices": INPUT,
            "values": INPUT,
            "roots": INPUT,
            "left": INTERNAL,
            "counts": INTERNAL,
            "best": INTERNAL,
        },
        "shorten": {
            "edges": INPUT,
            "left": INTERNAL,
            "counts": INTERNAL,
            "best": INTERNAL,
            "next": updates("parents", "int"),
        },
        "lower": {"edges": INPUT, "counts": INPUT, "best": INTERNAL},
        "join": {
            "edges": INPUT,
            "counts": INPUT,
            "best": INTERNAL,
            "next": updates("parents", "int"),
            "chosen": updates("chosen", "uchar"),
        },
        "find_roots": {"next": updates("parents", "int"), "roots": INTERNAL},
    },
    "forests/rows.cl": {
        "join_rows": {
            **_ROWS,
            "values": INPUT,
            "next": writes("parents", "int"),
            "chosen": updates("chosen", "uchar"),
        },
    },
    "matching/phases.cl": {
        "choose": {
            **_ROWS,
            "mates": reads("mates", "int"),
            "offers": updates("offers", "uint"),
            "state": INTERNAL,
        },
        "accept": {"mates": updates("mates", "int"), "offers": updates("offers", "uint")},
        "begin_phase": {
            "indptr": INPUT,
            "mates": reads("mates", "int"),
            "parents": INTERNAL,
            "seen": INTERNAL,
            "trees": INTERNAL,
            "ends": INTERNAL,
            "frontier": INTERNAL,
            "roots": INTERNAL,
            "state": INTERNAL,
        },
        "expand": {
            **_ROWS,
            "parents": INTERNAL,
            "seen": INPUT,
            "trees": INPUT,
            "ends": INPUT,
            "frontier": INPUT,
            "reached": INTERNAL,
            "state": INTERNAL,
        },
        "settle": {
            "mates": reads("mates", "int"),
            "parents": INPUT,
            "seen": INTERNAL,
            "trees": INTERNAL,
            "ends": INTERNAL,
            "frontier": INTERNAL,
            "reached": INPUT,
            "state": INTERNAL,
        },
        "augment": {
            "mates": updates("mates", "int"),
            "parents": INPUT,
            "ends": INPUT,
            "roots": INPUT,
            "state": INTERNAL,
        },
    },
    "matching/balls.cl": {
        "choose_bin": {
            **_ROWS,
            "bin_of": updates("wanted", "int"),
            "ball_of": reads("mates", "int"),
            "of_balls": INTERNAL,
            "of_bins": reads("bin_labels", "uint"),
            "updates": INTERNAL,
        },
        "choose_ball": {
            "first_row": INPUT,
            "rows": INPUT,
            "bin_of": reads("wanted", "int"),
            "ball_of": updates("mates", "int"),
            "of_balls": INPUT,
            "of_bins": updates("bin_labels", "uint"),
            "updates": INPUT,
        },
    },
}
