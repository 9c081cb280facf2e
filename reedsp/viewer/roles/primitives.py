"""The arguments of ``cl/primitives``, ``cl/strided`` and ``cl/sort``."""

from __future__ import annotations

from reedsp.viewer.roles.role import INPUT, INTERNAL, Array, Kernels, reads, updates, writes

ARRAYS = {
    "prefixes": Array("each element combined with some before it, at last with all", "elements", "value"),
    "tree": Array("sums on the way to the root, then of all leaves before each", "cells", "tree"),
    "sums": Array("each segment combined, then all segments before it", "cells", "value"),
    "partial": Array("several elements combined into one, from each of these on", "elements", "value"),
    "heads": Array("1 where a segment begins", "elements", "flag"),
    "mask": Array("1 where an element is collected", "elements", "flag"),
    "collected": Array("the elements collected so far", "queue", "value"),
    "keys": Array("the elements, on their way to their places", "elements", "value"),
}

_ITEMS = {"x": INPUT, "marks": INPUT}
_RECORDS = {"keys": reads("keys", "KEY"), "values": INPUT}
_MOVED = {"moved_keys": writes("keys", "KEY"), "moved_values": INTERNAL}
_MERGED = {**_RECORDS, **_MOVED}
_BY_CHUNKS = {
    "look": {"keys": reads("keys", "KEY"), "facts": INTERNAL},
    "count_digits": {"keys": reads("keys", "KEY"), "counts": INTERNAL},
}
_BY_GROUPS = {**_RECORDS, "counts": INPUT, "totals": INPUT, **_MOVED}

KERNELS: Kernels = {
    "primitives/naive_scan.cl": {
        "copy_elements": {**_ITEMS, "items": writes("prefixes", "ELEMENT")},
        "add_earlier": {"items": reads("prefixes", "ELEMENT"), "new_items": writes("prefixes", "ELEMENT")},
        "store_prefixes": {"items": reads("prefixes", "ELEMENT"), "out": writes("prefixes", "ELEMENT")},
    },
    "primitives/blelloch_scan.cl": {
        "segment_sums": {
            **_ITEMS,
            "out": writes("prefixes", "ELEMENT"),
            "sums": writes("sums", "ELEMENT"),
            "first_heads": INTERNAL,
        },
        "uniform_add": {
            "out": updates("prefixes", "ELEMENT"),
            "sums": reads("sums", "ELEMENT"),
            "first_heads": INPUT,
        },
    },
    "primitives/scan_trace.cl": {"trace_sweep": {"leaves": INPUT, "levels": writes("tree", "ELEMENT")}},
    "primitives/work_item_scan.cl": {
        "scan_first_chunk": {
            **_ITEMS,
            "sums": INTERNAL,
            "out": writes("collected", "VALUE"),
            "total": INTERNAL,
        },
    },
    "strided/scan.cl": {
        "up_step": {"x": reads("prefixes", "ELEMENT"), "a": updates("prefixes", "ELEMENT")},
        "down_step": {"a": updates("prefixes", "ELEMENT")},
    },
    "strided/pairs.cl": {"reduce_pairs": {"x": reads("partial", "ELEMENT"), "a": writes("partial", "ELEMENT")}},
    "strided/reduce.cl": {"reduce_step": {"x": reads("partial", "ELEMENT"), "a": writes("partial", "ELEMENT")}},
    "sort/lists.cl": {"sort_lists": _MERGED, "merge_step": _MERGED},
    "sort/merge_work_item.cl": {"sort_runs": _MERGED, "merge_runs": _MERGED},
    "sort/merge_work_group.cl": {"sort_tiles": _MERGED, "merge_tiles": _MERGED},
    "sort/radix_work_item.cl": {**_BY_CHUNKS, "move_records": {**_RECORDS, "counts": INPUT, **_MOVED}},
    "sort/radix_work_group.cl": {
        **_BY_CHUNKS,
        "place_digits": {"counts": INTERNAL, "totals": INTERNAL},
        "move_records": _BY_GROUPS,
    },
    "sort/radix_lanes.cl": {"move_records": _BY_GROUPS},
}
