"""The arguments of ``cl/all_pairs`` and of the plain product in ``cl/minplus``."""

from __future__ import annotations

from reedsp.viewer.roles.role import INPUT, INTERNAL, Array, Kernels, reads, updates, writes

ARRAYS = {
    "dist": Array("weight of the best path found so far from each vertex to each", "matrix", "distance", "distances"),
}

_IN_PLACE = {"matrix": updates("dist", "WEIGHT")}

KERNELS: Kernels = {
    "all_pairs/matrix.cl": {
        "clear": {"matrix": writes("dist", "WEIGHT")},
        "scatter": {"matrix": updates("dist", "WEIGHT"), "index": INPUT, "targets": INPUT, "weights": INPUT},
        "diagonal": {"matrix": reads("dist", "WEIGHT"), "values": INTERNAL},
    },
    "all_pairs/harish_narayanan.cl": {"relax": _IN_PLACE},
    "all_pairs/katz_kider.cl": {
        "independent_tile": _IN_PLACE,
        "singly_dependent_tiles": _IN_PLACE,
        "doubly_dependent_tiles": _IN_PLACE,
    },
    "minplus/naive.cl": {
        "multiply": {"a": reads("dist", "WEIGHT"), "b": reads("dist", "WEIGHT"), "c": writes("dist", "WEIGHT")}
    },
    "minplus/compare.cl": {
        "compare": {"a": reads("dist", "WEIGHT"), "b": reads("dist", "WEIGHT"), "differs": INTERNAL}
    },
}
