"""Kernels build without a warning, name the true line of an error, and come from a cache that can be trusted."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import json
import os
import pickle
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.algorithms.contraction.exact import unit_macros
from reedsp.arithmetic import matrix
from reedsp.arithmetic.types import weight_macros
from reedsp.device import build as device_build
from reedsp.device import discovery, kernel_cache
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.minplus import tilings
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Elements
from reedsp.primitives.sort.records import Records
from reedsp.system import icd
from reedsp.system.files import atomic_file, cache_folders
from tests.device import unoptimised
from tests.support.kernel_files import kernel_files

INT32 = weight_macros(np.dtype(np.int32))
INT64 = weight_macros(np.dtype(np.int64))
ARITHMETICS = [
    *(INT32, weight_macros(np.dtype(np.int32), saturate=True)),
    *(INT64, weight_macros(np.dtype(np.int64), saturate=True)),
    *(weight_macros(np.dtype(np.float32)), weight_macros(np.dtype(np.float64))),
]


def own(tiling: tilings.Tiling) -> dict[str, tuple[int]]:
    """The macros of a tiling, with one value each."""
    return {name: (value,) for name, value in tiling.macros.items()}


FOREST_KEYS: dict[str, tuple[int | str, ...]] = {
    **{"VALUE": ("uint",), "REAL": ("float",), "FLOATS": (1,), "WHOLE": (0,), "KEY_BITS": (32, 64)},
}
RESULTS: dict[str, tuple[int | str, ...]] = {
    **{"RESULT": ("int", "long", "double"), "RESULT_INF": (2**31 - 1,), "SCALE": (1,), "OFFSET": ("uint",)},
}
OWN_MACROS: dict[str, dict[str, tuple[int | str, ...]]] = {
    "single_source/output_parallel.cl": {
        "GROUP_SIZE": (64,),
        "COOPERATIVE_LOADING": (1, 0),
        "CHUNK": (64,),
        "EARLY_STOP": (1, 0),
        "KEEP_PREDECESSORS": (1, 0),
    },
    "single_source/input_parallel.cl": {"GROUP_SIZE": (64,), "KEEP_PREDECESSORS": (0, 1)},
    "single_source/input_parallel_refined.cl": {
        **{"GROUP_SIZE": (64,), "RUN": (8,), "LISTED": (0, 1), "WIDE": (0,)},
        **{"KEEP_PREDECESSORS": (0, 1), "EDGE_CLASSES": (0, 1), "OFFSET": ("uint",), "LADDER": (1, 5)},
        **{"WIDTH": (32,), "LARGE": (4096,), "EACH": (8,), "PORTIONS": (2,)},
    },
    "single_source/near_far_work_group.cl": {
        **{"GROUP_SIZE": (16,), "QUEUE": (32,), "WIDE": (0,)},
        **{"ATOMIC_LOADS": (0, 1), "OFFSET": ("uint", "ulong"), "BALANCE": (1, 2, 3), "UNITS_AT_ONCE": (1,)},
    },
    "single_source/bellman_ford_groups.cl": {
        **{"GROUP_SIZE": (16,), "IN_LOCAL": (1, 0), "VERTICES": (64,), "KEEP_PREDECESSORS": (1, 0), "COUNTS": (0, 1)},
    },
    "single_source/bellman_ford_queue.cl": {"PREFETCH_BUILT_IN": (0, 1), "OFFSET": ("uint", "ulong")},
    "single_source/near_far_local.cl": {
        **{"GROUP_SIZE": (16, 1), "LANES": (1,), "EDGES_AT_ONCE": (2,), "HUB": (0, 8), "VERTICES": (64,)},
        **{"QUEUE": (32,), "NARROW": (0,), "BOUNDED": (0, 1), "WIDE": (0,), "ATOMIC_LOADS": (0, 1)},
        **{"OFFSET": ("uint", "ulong")},
    },
    "single_source/near_far_target.cl": {},
    "single_source/dijkstra_heap.cl": {
        **{"ARITY": (2, 4, 8), "INTERLEAVED": (0, 1), "WIDE": (0,), "CHUNK": (64,), "GROUP_SIZE": (1,)},
        **{"COUNTS": (0, 1), "OFFSET": ("uint", "ulong")},
    },
    "single_source/dijkstra_array.cl": {
        **{"GROUP_SIZE": (1, 32), "LANES": (8, 16), "IN_LOCAL": (1, 0), "CAPACITY": (1024,), "WIDE": (0,)},
        **{"COALESCED": (32,), "COUNTS": (0, 1), "OFFSET": ("uint", "ulong")},
    },
    "single_source/near_far_work_item.cl": {
        **{"SHARED": (0,), "WIDE": (0,), "TREES": (0,), "CHUNK": (256,), "PREFETCH_BUILT_IN": (0,)},
        "OFFSET": ("uint", "ulong"),
    },
    "single_source/near_far_team.cl": {
        **{"SHARED": (1,), "WIDE": (0,), "TREES": (0,), "CHUNK": (256,), "PREFETCH_BUILT_IN": (0,)},
        **{"OFFSET": ("uint", "ulong"), "ATOMIC_LOADS": (0, 1), "SLICE": (64,), "LAG": (1,)},
    },
    "single_source/near_far_trees.cl": {},
    "balance/partition.cl": {"GROUP_SIZE": (32,), "EACH": (8,), "COUNTED": (0, 1), "OFFSET": ("uint", "ulong")},
    "balance/large_items.cl": {"LARGE": (4096,), "COUNTED": (0, 1), "OFFSET": ("uint", "ulong")},
    "experiments/expansion.cl": {
        **{"ADDS": (0, 1), "COUNTED": (0, 1), "OFFSET": ("uint", "ulong"), "GROUP_SIZE": (32,), "RUN": (8,)},
        **{"LADDER": tuple(range(1, 10)), "WIDTH": (32,), "LARGE": (4096,), "EACH": (8,), "PORTIONS": (2,)},
    },
    "experiments/accesses.cl": {
        **{"GROUP_SIZE": (16,), "WORD": ("uchar", "uint"), "LANES": (1,), "LENGTH": (3,), "VLOAD": (0, 1)},
    },
    "experiments/banks.cl": {
        **{"GROUP_SIZE": (16,), "STAGED": (0, 1), "TILE": (8,), "TILE_ROWS": (2,), "PAD": (0, 1)},
        "TRANSPOSED": (0, 1),
    },
    "experiments/bucketing.cl": {"WIDTH": (1, 4), "ATOMIC_LOADS": (0, 1), "OFFSET": ("uint", "ulong")},
    "experiments/queue_bellman_ford.cl": {"OFFSET": ("uint", "ulong")},
    "experiments/representations.cl": {"SEARCHED": (0, 1), "RUN": (1, 64), "OFFSET": ("uint", "ulong")},
    "experiments/every_level.cl": {"WIDTH": (1, 8), "COUNTS": (0, 1), "OFFSET": ("uint", "ulong")},
    "traversal/frontier.cl": {
        **{"FOUND": (2,), "OFFSET": ("uint", "ulong"), "GROUP_SIZE": (32,), "RUN": (8,), "LADDER": tuple(range(1, 10))},
        **{"WIDTH": (32,), "LARGE": (4096,), "EACH": (8,), "PORTIONS": (2,)},
    },
    "contraction/rounds.cl": {"SYMMETRIC": (0, 1), "LISTED": (62, 254), "FOLLOWED": (6000,), "OFFSET": ("uint",)},
    "contraction/batches.cl": RESULTS,
    "contraction/wide.cl": {
        **RESULTS,
        **{"WAITING": (1, 2048), "TEAM": (16,), "GROUP": (512,), "TILE": (64,), "TILE_LANES": (64,)},
        **{"WIDE": (0,), "ATOMIC_LOADS": (0,)},
    },
    "edges/distances.cl": {},
    "edges/statistics.cl": {"TOTAL": ("ulong", "double"), "GROUP_SIZE": (1, 64)},
    "edges/pad.cl": {"WIDTH": (4,), "UNIT": (0, 1), "OFFSET": ("uint", "ulong")},
    "traversal/deep.cl": {"WIDTH": (4,), "OFFSET": ("uint", "ulong")},
    "edges/predecessors.cl": {"ZERO_PROGRESS_ONLY": (1, 0), "EDGES_EACH": (4,)},
    "edges/predecessors_outgoing.cl": {
        **{"ZERO_PROGRESS_ONLY": (1, 0), "RUN": (1, 4096), "ATOMIC_LOADS": (0, 1), "OFFSET": ("uint", "ulong")},
    },
    "edges/predecessors_in_order.cl": {"OFFSET": ("uint", "ulong")},
    "edges/prepare.cl": {
        **{
            "GROUP_SIZE": (1, 32),
            "PIECE": (64,),
            "VALUE": ("float",),
            "VALUE_IS_INTEGER": (0,),
            "UNIT": (0, 1),
        },
        **{"WRITES": (0, 1), "POINTER": ("int", "long"), "INDEX": ("int", "long"), "OFFSET": ("uint", "ulong")},
    },
    "components/colours.cl": {
        **{"POINTER": ("int", "uint", "long"), "INDEX": ("int", "long"), "ATOMIC_LOADS": (0, 1)},
    },
    "components/depth_first.cl": {
        **{"POINTER": ("int", "long"), "INDEX": ("int", "long"), "DESCENDING": (0, 1)},
        **{"PREFETCH_BUILT_IN": (0, 1)},
    },
    "components/dulle.cl": {},
    "components/groups.cl": {
        **{"GROUP_SIZE": (32,), "POINTER": ("int", "uint", "long"), "INDEX": ("int", "long")},
        **{"MOST_TILES": (64,), "ATOMIC_LOADS": (0, 1)},
    },
    "components/ranges.cl": {
        **{"POINTER": ("int", "long"), "INDEX": ("int", "long"), "SYMMETRIC": (0, 1), "ATOMIC": (0, 1)},
        **{"ATOMIC_LOADS": (0, 1)},
    },
    "components/verify.cl": {"STRONG": (0, 1), "ATOMIC_LOADS": (0, 1)},
    "forests/boruvka.cl": {
        **{**FOREST_KEYS, "INDEX": ("int", "long"), "ATOMICS_64": (0, 1), "ATOMIC_LOADS": (0, 1)},
        **{"GROUP_SIZE": (32,)},
    },
    "forests/dulle.cl": {
        **{**FOREST_KEYS, "POINTER": ("int", "long"), "INDEX": ("int",)},
        **{"GROUP_SIZE": (32,), "BY_ROWS": (0, 1)},
    },
    "forests/edges.cl": {
        **{**FOREST_KEYS, "POINTER": ("int", "long"), "INDEX": ("int",), "ROWS": (0, 1), "ROUNDS": (1,)},
        **{"GROUP_SIZE": (32,), "DIGITS": (256,)},
    },
    "forests/rows.cl": {**FOREST_KEYS, "POINTER": ("int", "long"), "INDEX": ("int", "long"), "GROUP_SIZE": (32,)},
    "forests/kruskal.cl": {**FOREST_KEYS, "DIGITS": (256,), "PREFETCH_BUILT_IN": (0, 1)},
    "forests/verify.cl": {**FOREST_KEYS, "INDEX": ("int", "long"), "GROUP_SIZE": (32,)},
    "assignment/paths.cl": {
        **{"POINTER": ("int", "long"), "INDEX": ("int",), "VALUE": ("int", "long"), "SUM": ("long",)},
        **{"SUM_MAX": ("LONG_MAX",), "NEGATED": (0, 1)},
    },
    "assignment/verify.cl": {
        **{"VALUE": ("int", "long"), "SUM": ("long",), "IS_INTEGER": (0, 1), "NEGATED": (0, 1)},
    },
    "assignment/auction_few.cl": {
        **{"GROUP_SIZE": (32,), "TEAM": (1, 8), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
        **{"VALUE": ("int", "long"), "NEGATED": (0, 1)},
    },
    "assignment/auction_rounds.cl": {
        **{"GROUP_SIZE": (32,), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
        **{"VALUE": ("int", "long"), "NEGATED": (0, 1)},
    },
    "flow/arcs.cl": {
        **{"POINTER": ("int", "long"), "INDEX": ("int", "long"), "CAPACITY": ("int", "long")},
        **{"AMOUNT": ("uint", "ulong")},
    },
    "flow/dinic.cl": {
        **{"POINTER": ("int", "long"), "INDEX": ("int", "long"), "CAPACITY": ("int", "long")},
        **{"AMOUNT": ("uint", "ulong")},
    },
    "flow/push_relabel.cl": {
        **{"GROUP_SIZE": (32,), "HUB": (64,), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
        **{"CAPACITY": ("int", "long"), "ATOMIC_LOADS": (0, 1)},
    },
    "flow/verify.cl": {"CAPACITY": ("int", "long")},
    "centrality/levels.cl": {
        **{"LANES": (32,), "SOURCES": (8,), "PIECE": (64,), "EDGES": (0, 1), "OFFSET": ("uint", "ulong")},
        **{"ATOMIC_LOADS": (0, 1), "SCALED": (0, 1)},
    },
    "centrality/serial.cl": {
        **{"SOURCES": (8,), "PIECE": (64,), "PART": (64,), "EDGES": (0, 1), "OFFSET": ("uint", "ulong")},
        **{"PULLS": (1,), "SCALED": (0, 1)},
    },
    "traversal/queue_levels.cl": {
        **{"GROUP_SIZE": (32,), "POINTER": ("int", "long"), "INDEX": ("int", "long"), "VERTICES": (2,)},
        **{"DEGREE_ALONE": (64,), "ATOMIC_LOADS": (0, 1)},
    },
    "matching/balls.cl": {"PIECE": (1, 64), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
    "matching/check.cl": {"PIECE": (1, 64), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
    "matching/depth_first.cl": {"POINTER": ("int", "long"), "INDEX": ("int", "long")},
    "matching/karp_sipser.cl": {
        **{"PIECE": (64,), "POINTER": ("int", "long"), "INDEX": ("int", "long"), "PREFETCH_BUILT_IN": (0, 1)},
    },
    "matching/phases.cl": {
        **{"GROUP_SIZE": (32,), "POINTER": ("int", "long", "uint"), "INDEX": ("int", "long")},
    },
    "matching/rows.cl": {
        **{"APART": (0, 1), "PIECE": (64,), "POINTER": ("int", "long"), "INDEX": ("int", "long")},
    },
    "traversal/queue_order.cl": {
        **{"PIECE": (64,), "POINTER": ("int", "long"), "INDEX": ("int", "long"), "PREFETCH_BUILT_IN": (0, 1)},
    },
    "traversal/bfs_work_items.cl": {"OFFSET": ("uint", "ulong"), "PREFETCH_BUILT_IN": (0, 1)},
    "traversal/bfs_rows.cl": {"OFFSET": ("uint", "ulong"), "GROUP_SIZE": (32,)},
    "traversal/bfs_work_groups.cl": {
        "OFFSET": ("uint", "ulong"),
        "GROUP_SIZE": (32,),
        "PIECE": (64,),
        "EDGES_PER_ITEM": (4,),
        "SMALL": (0, 128),
        "MOST_LEVELS": (256,),
    },
    "core/self_test.cl": {"GROUP_SIZE": (16,)},
    "cost_model/probes.cl": {"GROUP_SIZE": (16,)},
    "cost_model/pairs.cl": {"GROUP_SIZE": (16,), "LANES": (4,), "NUMBER": ("ushort", "int", "long", "float", "double")},
    "edges/verify.cl": {},
    "primitives/blelloch_scan.cl": {"GROUP_SIZE": (16,), "OF_SUMS": (0, 1)},
    "primitives/scan_trace.cl": {"GROUP_SIZE": (16,), "OF_SUMS": (1,), "LEVELS": (12,)},
    "primitives/heads.cl": {"INDEX": ("uint", "int", "ulong", "long")},
    "minplus/compare.cl": {},
    "minplus/entries.cl": {
        **{"GROUP_SIZE": (1, 32), "PIECE": (64,), "VALUE": ("float",), "WORD": ("int",), "IS_FLOAT": (1,)},
        **{"ABSENT": ("(x == (VALUE)INFINITY)", "((x == (VALUE)0) | (x != x))")},
    },
    "minplus/from_user.cl": {
        **{"GROUP_SIZE": (1, 32), "PIECE": (64,), "VALUE": ("uchar", "long")},
        **{"ABSENT": ("(x == (VALUE)0)",), "OF_GRAPH": (0, 1)},
    },
    "minplus/to_user.cl": {"GROUP_SIZE": (1, 32), "PIECE": (64,), "RESULT": ("char",), "INFINITE": (127,)},
    "minplus/naive.cl": {},
    "all_pairs/matrix.cl": {},
    "all_pairs/trees.cl": {"ZERO_PROGRESS_ONLY": (0, 1), "TRUTH": ("int",), "VECTOR_LENGTH": (4,)},
    "core/transpose.cl": {"ELEMENT": ("uint", "ushort", "ulong"), "BLOCK": (32,), "STEP": (8,)},
    "all_pairs/floyd_warshall_stage.cl": {"TILE": (64,), "SIDE": (4,), "ACROSS": (2,), "STAGED": (0, 1)},
    "all_pairs/floyd_warshall_serial_tile.cl": {"TILE": (64,), "VECTOR_LENGTH": (2,)},
    "all_pairs/harish_narayanan.cl": {},
    "all_pairs/katz_kider.cl": {"TILE": (32,), "GROUP_SIDE": (16,)},
    "all_pairs/optimized_blocked.cl": {"TILE": (32,), "GROUP_ROWS": (8,), "UNROLL": (8,)},
    "all_pairs/staged_load.cl": {"TILE": (32,), "STAGE": (4,), "GROUP_SIZE": (64,)},
    "minplus/registers.cl": own(tilings.registers(64, 64, 16, 8, 8)),
    "minplus/panels.cl": own(tilings.panels(4, 2, 6)),
    "experiments/minplus_arithmetic.cl": {"VECTOR_LENGTH": (4,), "VECTORS": (2,), "ITEM_ROWS": (6,)},
    "minplus/row_blocks.cl": {"BLOCK": (32,), "TRANSPOSED": (0, 1)},
    "minplus/tiles.cl": {"TILE": (16,)},
    "primitives/naive_scan.cl": {},
    "primitives/reduce.cl": {"GROUP_SIZE": (16,), "ROWS": (2,)},
    "primitives/work_group_scan.cl": {"GROUP_SIZE": (16,), "ROWS": (2,)},
    "primitives/work_item_scan.cl": {"VECTORS": (0, 1)},
    "primitives/single_pass_scan.cl": {"GROUP_SIZE": (16,), "ROWS": (2,), "ATOMIC_LOADS": (0, 1), "LOOKS": (2,)},
    "strided/pairs.cl": {},
    "strided/reduce.cl": {"GROUP_SIZE": (16,), "EACH": (3,)},
    "strided/scan.cl": {"GROUP_SIZE": (16,), "EACH": (3,)},
    "sort/lists.cl": {"LIST": (16,), "BITONIC": (0, 1)},
    "sort/merge_work_group.cl": {"GROUP_SIZE": (16,), "ITEMS": (3,)},
    "sort/merge_work_item.cl": {"RUN": (4,), "PIECE": (16,)},
    "sort/radix_work_group.cl": {
        **{"GROUP_SIZE": (16,), "ITEMS": (3,), "COPIES": (2,), "COUNT": ("uint", "ulong")},
    },
    "sort/radix_lanes.cl": {"GROUP_SIZE": (8,), "ITEMS": (3,), "LANES": (1,), "COUNT": ("uint", "ulong")},
    "sort/radix_work_item.cl": {"DIGITS": (256,), "COUNT": ("uint", "ulong")},
}
DTYPES = [*map(np.dtype, (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64))]
ELEMENTS = [
    Elements(resolve(op, dtype), dtype, built_in=True, exclusive=exclusive, segmented=segmented)
    for dtype, op in zip(DTYPES, ("add", "min", "max", "add", "min", "max"), strict=True)
    for exclusive, segmented in itertools.product((False, True), repeat=2)
]
COUNT = Elements(resolve("add", np.dtype(np.uint32)), np.dtype(np.uint32), built_in=True)
COMPACTIONS = [
    replace(COUNT, compaction=compaction, value_type=value_type)
    for compaction, value_type in (("values", "uchar"), ("values", "ulong"), ("places", "uint"))
]
COUNTED = [replace(each, counted=True) for each in ELEMENTS if each.exclusive and not each.segmented]
RECORDS = [
    Records(np.dtype(np.uint8)),
    Records(np.dtype(np.float16), np.dtype(np.uint8), np.dtype(np.uint8)),
    Records(np.dtype(np.int32), np.dtype(np.uint32), np.dtype(np.uint64), are_numbered=True),
    Records(np.dtype(np.float64), np.dtype(np.uint64), np.dtype(np.uint64)),
]
FLOATS = [
    matrix.Weights(np.dtype(dtype), np.inf, np.inf, non_negative)
    for dtype in (np.float32, np.float64)
    for non_negative in (False, True)
]
WEIGHTS = [weights.macros(kind) for kind in ("gpu", "cpu") for weights in (*matrix.INTEGERS[1:], *FLOATS)]
INCLUDED = {
    "core/weights.cl": INT32,
    "core/atomic_min.cl": {"WIDE": 0, "ATOMIC_LOADS": 0},
    "core/out_edges.cl": {"OFFSET": "uint"},
    "contraction/results.cl": {"RESULT": "int", "RESULT_INF": 2**31 - 1, "SCALE": 1},
    "edges/unresolved.cl": {},
    "assignment/offers.cl": {"INDEX": "int", "NEGATED": 0},
    "balance/units.cl": {"OFFSET": "uint"},
    "balance/ladder.cl": {"LADDER": 1, "WIDTH": 32, "LARGE": 4096, "PORTIONS": 2},
    "balance/direct_search.cl": {"RUN": 8},
    "balance/items.cl": {},
    "balance/virtual_warps.cl": {},
    "balance/dynamic_virtual_warps.cl": {},
    "balance/cta_warp_scan.cl": {},
    "balance/running_ends.cl": {},
    "balance/warp_search.cl": {},
    "balance/block_search.cl": {},
    "balance/merge_path.cl": {"EACH": 8, "GROUP_SIZE": 32},
    "balance/tiles.cl": {},
    "balance/two_phase.cl": {},
    "balance/multi_phase.cl": {},
    "edges/balance.cl": {"BALANCE": 1, "UNITS_AT_ONCE": 1},
    "edges/balance_sums.cl": {"GROUP_SIZE": 16},
    "edges/balance_block_search.cl": {},
    "edges/balance_items.cl": {},
    "single_source/near_far_piles.cl": {"SHARED": 0, "WIDE": 0, "TREES": 0, "CHUNK": 256, "ATOMIC_LOADS": 0},
    "single_source/counted.cl": {"COUNTS": 0},
    "single_source/entry.cl": {"WIDE": 0},
    "core/prefetch.cl": {"PREFETCH_BUILT_IN": 0},
    "core/no_vertex.cl": {},
    "traversal/queue.cl": {"POINTER": "uint", "INDEX": "int"},
    "minplus/common.cl": WEIGHTS[0],
    "minplus/blocks.cl": {},
    "minplus/vectors.cl": {"VECTOR_LENGTH": 4},
    "flow/arc.cl": {"AMOUNT": "uint"},
    "flow/sum.cl": {},
    "matching/row_of.cl": {"POINTER": "int"},
    "centrality/counts.cl": {"SCALED": 0},
    "components/hook.cl": {"ATOMIC": 1, "ATOMIC_LOADS": 0},
    "core/loads.cl": {"ATOMIC_LOADS": 0},
    "forests/trees.cl": {"ATOMIC_LOADS": 0},
    "forests/place.cl": {"INDEX": "int"},
    "forests/keys.cl": {name: values[0] for name, values in FOREST_KEYS.items()},
    "traversal/bfs_direction.cl": {"OFFSET": "uint"},
    "traversal/deal_out.cl": {"GROUP_SIZE": 32, "NUMBER": "uint"},
    "core/rounds.cl": {},
    "core/rows.cl": {},
    "core/dispatch.cl": {},
    "primitives/elements.cl": ELEMENTS[0].macros,
    "primitives/quads.cl": {},
    "primitives/tiles.cl": {**ELEMENTS[0].macros, "GROUP_SIZE": 16, "ROWS": 2},
    "strided/tile.cl": {**ELEMENTS[0].macros, "GROUP_SIZE": 16, "EACH": 3},
    "sort/digits.cl": {**RECORDS[0].macros(True), "COUNT": "uint"},
    "sort/keys.cl": RECORDS[0].macros(True),
    "sort/sums.cl": {**RECORDS[0].macros(True), "COUNT": "uint", "GROUP_SIZE": 16},
    "sort/order.cl": RECORDS[0].order_macros(True),
    "core/language.cl": {},
}
FILES = [*OWN_MACROS, *INCLUDED]


def base_macros(file: str) -> list[dict[str, str | int]]:
    """The sets of macros of the files that a file includes."""
    text = device_build.assemble(file, {})
    if file.startswith("contraction/"):
        return [unit_macros(np.dtype(np.int32)), unit_macros(np.dtype(np.int64))]
    if '"cl/core/weights.cl"' in text:
        return ARITHMETICS
    if file == "minplus/registers.cl":
        return [*WEIGHTS, {**matrix.NARROW.macros("gpu"), "PTX": 0}]
    if '"cl/minplus/common.cl"' in text:
        return WEIGHTS
    if '"cl/sort/order.cl"' in text:
        return [records.order_macros(last) for records in RECORDS for last in (False, True)]
    if '"cl/sort/keys.cl"' in text:
        return [records.macros(last) for records in RECORDS for last in (False, True)]
    if '"cl/primitives/elements.cl"' not in text:
        return [{}]
    if file == "primitives/single_pass_scan.cl":
        return [elements.macros for elements in ELEMENTS if elements.item_bytes == 4 and not elements.segmented]
    scans = file in ("primitives/work_group_scan.cl", "primitives/work_item_scan.cl")
    return [elements.macros for elements in (*ELEMENTS, *((*COMPACTIONS, *COUNTED) if scans else ()))]


AT_ONCE = 64
"""Sets of macros that one test compiles a file with."""

FIRST = {
    file: {**base_macros(file)[0], **{name: values[0] for name, values in own.items()}}
    for file, own in OWN_MACROS.items()
}
SELF_TEST = FIRST["core/self_test.cl"]

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")
posix_only = pytest.mark.skipif(os.name != "posix", reason="owners and permissions")


def combinations(file: str) -> list[dict[str, str | int]]:
    """Every set of macros with which the library builds a file."""
    own, found = OWN_MACROS[file], []
    for choice in itertools.product(*own.values()):
        macros: dict[str, str | int] = dict(zip(own, choice, strict=True))
        if macros.get("COOPERATIVE_LOADING") == 0:
            del macros["CHUNK"]
        for base in base_macros(file):
            if "WIDE" in macros:
                macros["WIDE"] = int(base["WEIGHT"] in ("long", "double"))
            if "PAIRS" in macros:
                macros["PAIRS"] = int(base["WEIGHT"] == "ushort")
            if "TRUTH" in macros:
                macros["TRUTH"] = {"float": "int", "double": "long"}.get(str(base["WEIGHT"]), base["WEIGHT"])
            scalar_only = macros.get("VECTORS") == 1 and (base["SEGMENTED"] or base["COMPACTION"])
            if not scalar_only:
                found.append({**base, **macros})
    return found


def fresh(device: Device) -> Device:
    """Return the same device with nothing built."""
    return Device(device.index, device.handle)


def build(device: Device, **changes: str | int) -> Any:
    """Build the self test on a device that has nothing built yet."""
    return fresh(device).kernel("core/self_test.cl", "self_test", **{**SELF_TEST, **changes})


def child_environment(device: Device | None, **variables: str) -> dict[str, str]:
    """Return the environment of a process in which reedsp has not been used yet."""
    environment = dict(os.environ)
    if environment.get("OCL_ICD_VENDORS") == str(icd.enable_pip_runtimes()):
        del environment["OCL_ICD_VENDORS"]
    environment["PYTHONPATH"] = str(Path(reedsp.__file__).resolve().parent.parent)
    if device is not None:
        environment["REEDSP_DEVICE"] = str(device.index)
    return {**environment, **variables}


def python(code: str, device: Device | None, *arguments: str, cwd: Path | None = None, **variables: str) -> str:
    environment = child_environment(device, **variables)
    command = [sys.executable, "-c", code, *arguments]
    child = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert child.returncode == 0, child.stderr
    return child.stdout


@pytest.fixture(autouse=True)
def binaries_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of drivers that have a cache of their own."""
    monkeypatch.setattr(device_build, "_CACHING_DRIVERS", ())


@pytest.fixture
def folder(private_cache: Path) -> Path:
    """The folder of cached kernels, which does not exist yet."""
    return private_cache / "reedsp" / "kernels"


def count_builds() -> list[str]:
    """What is built from now on: "source" for a compilation, "binary" for an attempt to load one from the cache."""
    program, apart, made, inside = cl._cl._Program, device_build._compile_apart, [], []

    def create(context: cl.Context, *what: Any) -> Any:
        if not inside:
            made.append("source" if len(what) == 1 else "binary")
        return program(context, *what)

    def compile_apart(*arguments: Any) -> Any:
        made.append("source")
        inside.append(True)
        try:
            return apart(*arguments)
        finally:
            inside.pop()

    cl._cl._Program, device_build._compile_apart = create, compile_apart
    return made


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was built since, as :func:`count_builds` has it."""
    monkeypatch.setattr(cl._cl, "_Program", cl._cl._Program)  # put back afterwards
    monkeypatch.setattr(device_build, "_compile_apart", device_build._compile_apart)
    return count_builds()


# ---- sources ----------------------------------------------------------------------------------------


def test_where_a_kernel_is_written() -> None:
    found = device_build.text_of("core/self_test.cl", "self_test")
    lines = found.text.splitlines()
    assert lines[found.first - 1].startswith("__kernel void self_test(")
    assert lines[found.last - 1] == "}"
    with pytest.raises(KeyError, match=r"cl/core/self_test\.cl has no kernel nothing"):
        device_build.text_of("core/self_test.cl", "nothing")


def test_a_binary_that_the_driver_does_not_take_back(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is compiled here."""
    here: list[str] = []
    compile_here = device_build.compile_here

    def compile_and_note(*arguments: Any) -> cl.Program:
        here.append("compiled")
        return compile_here(*arguments)

    monkeypatch.setattr(device_build, "_load", lambda *arguments: None)
    monkeypatch.setattr(device_build, "compile_here", compile_and_note)
    assert build(device) is not None
    assert here == ["compiled"]


def test_generated_sources_are_not_optimised_by_compilers_in_doubt(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: list[bytes] = []
    compile_apart = device_build._compile_apart

    def compile_and_note(*arguments: Any) -> tuple[cl.Program, bytes]:
        options.append(arguments[3])
        return compile_apart(*arguments)

    monkeypatch.setattr(device_build, "_compile_apart", compile_and_note)
    for number, doubtful in enumerate(((), (device.platform,))):
        monkeypatch.setattr(device_build, "_DOUBTFUL_OPTIMIZERS", doubtful)
        source = f"__kernel void nothing_{number}(void) {{ }}\n"
        assert device_build.build_generated(device.context, device.handle, source, "nothing") is not None
    assert [b"-cl-opt-disable" in each for each in options] == [False, True]


def test_every_kernel_file_is_listed_here() -> None:
    assert sorted(FILES) == kernel_files(device_build.kernel_directory())


def header(file: str) -> str:
    text = (device_build.kernel_directory() / file).read_text()
    return re.match(r"(//.*\n)+", text)[0]


@pytest.mark.parametrize("file", FILES)
def test_header(file: str) -> None:
    lines = header(file).splitlines()
    assert re.fullmatch(r"// [A-Z].*[.:,a-z]", lines[0])
    if file in INCLUDED:
        return
    fields = [found[1] for line in lines if (found := re.match(r"// (Source|NDRange|Local memory|Macros): +\S", line))]
    assert fields == ["Source", "NDRange", "Local memory", "Macros"]
    assert all(
        included in header(file)
        for included in files_of(file)
        if included in ("core/weights.cl", "primitives/elements.cl", "minplus/common.cl")
    )


@pytest.mark.parametrize("file", FILES)
def test_header_names_every_macro_that_is_set(file: str) -> None:
    for name in INCLUDED.get(file, OWN_MACROS.get(file)):
        [used, *_] = (used for used in files_of(file) if guard(used, name))
        assert re.search(rf"\b{name}\b", header(used)), name


def guard(file: str, macro: str) -> int:
    """Return the line of the #error for a missing macro, or 0."""
    lines = (device_build.kernel_directory() / file).read_text().splitlines()
    tests = [i for i, line in enumerate(lines) if re.search(rf"^#ifndef {macro}\b|!defined\({macro}\)", line)]
    if not tests:
        return 0
    test = tests[0]
    return next(i for i, line in enumerate(lines, 1) if i > test and line.startswith("#error"))


@pytest.mark.deep
@pytest.mark.parametrize("file", OWN_MACROS)
def test_sources_are_joined_macros_first(file: str) -> None:
    source = device_build.assemble(file, FIRST[file])
    assert source.startswith('#line 1 "macros set by reedsp"\n')
    for name, value in FIRST[file].items():
        assert f"#undef {name}\n#define {name} {value}\n" in source
    assert "#include" not in source
    # every line of every file is there once, under its own name and number
    shown = set()
    for number, line in enumerate(source.splitlines(), start=1):
        place = device_build.name_lines(f"<kernel>:{number}:", source)
        if (found := re.fullmatch(r"cl/(\w+/\w+\.cl):(\d+):", place)) and not line.startswith("#line"):
            assert text_of(found[1])[int(found[2]) - 1] == line
            assert place not in shown
            shown.add(place)
    lines = [line for used in files_of(file) for line in text_of(used)]
    assert len(shown) == len([line for line in lines if not line.startswith("#include")])


def text_of(file: str) -> list[str]:
    return (device_build.kernel_directory() / file).read_text().splitlines()


def files_of(file: str) -> list[str]:
    """The file and those that it includes, at whatever depth, each once."""
    found = [re.fullmatch(r'#include "(.*)"', line) for line in text_of(file)]
    return list(dict.fromkeys([file, *(name for match in found if match for name in files_of(match[1]))]))


# ---- building ---------------------------------------------------------------------------------------


def compile_strictly(device: Device, source: str) -> str:
    """Compile without building, which takes much longer, and return the log; a warning is an error.

    But for one: vectors of 16, which PoCL has for its own functions, have another form in the calls of each processor.
    """
    program = cl._cl._Program(device.context, source)
    try:
        with device_build.without_option_variables():
            program.compile(device_build._OPTIONS + b" -Werror", [device.handle], [])
    except cl.RuntimeError:
        log = str(program.get_build_info(device.handle, cl.program_build_info.LOG))
        errors = [line for line in log.splitlines() if "error:" in line]
        if not errors or not all("changes the ABI" in line for line in errors):
            raise
        return ""
    return str(program.get_build_info(device.handle, cl.program_build_info.LOG))


@pytest.mark.deep
@pytest.mark.parametrize(
    ("file", "first"), [(file, first) for file in OWN_MACROS for first in range(0, len(combinations(file)), AT_ONCE)]
)
def test_compiles_without_a_warning(file: str, first: int, device: Device) -> None:
    for macros in combinations(file)[first : first + AT_ONCE]:
        if "double" not in macros.values() or device.fp64:
            assert "warning" not in compile_strictly(device, device_build.assemble(file, macros))


def test_a_warning_would_be_noticed(device: Device) -> None:
    with pytest.raises(cl.Error):
        compile_strictly(device, device_build.assemble("core/self_test.cl", SELF_TEST) + "#warning planted\n")


def test_pocl_alone_leaves_some_kernels_unoptimised(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    monkeypatch.setattr(unoptimised, "_build_as_users_do", lambda *given: seen.append(given[-1]))
    for file in ("core/self_test.cl", *unoptimised.KERNELS):
        unoptimised._build(device.context, device.handle, "", f"cl/{file}", b"-cl-std=CL1.2")
    added = b" -cl-opt-disable" if device.platform == "Portable Computing Language" else b""
    assert seen == [b"-cl-std=CL1.2"] + len(unoptimised.KERNELS) * [b"-cl-std=CL1.2" + added]
    assert set(OWN_MACROS) >= unoptimised.KERNELS


@pytest.mark.deep(parts=82)
@pytest.mark.parametrize("file", OWN_MACROS)
def test_every_kernel_of_a_file_is_built(file: str, device: Device, private_cache: Path) -> None:
    names = re.findall(r"^__kernel void (\w+)\(", "\n".join(text_of(file)), re.MULTILINE)
    built = fresh(device)
    assert [built.kernel(file, name, **FIRST[file]).name for name in names] == names != []


@pytest.mark.deep
@pytest.mark.parametrize(("file", "macro"), [(file, macro) for file in OWN_MACROS for macro in FIRST[file]])
def test_73_missing_macro(file: str, macro: str, device: Device, private_cache: Path) -> None:
    macros = {name: value for name, value in FIRST[file].items() if name != macro}
    # a macro is missed by the first file that needs it
    place = next(used for used in files_of(file) if guard(used, macro))
    with pytest.raises(reedsp.DeviceError, match=rf"cl/{place}:{guard(place, macro)}\b") as caught:
        fresh(device).kernel(file, "unknown", **macros)
    assert re.search(rf"needs .*\b{macro}\b", str(caught.value))


@pytest.mark.deep
@pytest.mark.parametrize("where", ["after the header", "at the end"])
@pytest.mark.parametrize("file", FILES)
def test_73_error_names_the_true_line(file: str, where: str, kernel_copy: Path, device: Device) -> None:
    lines = text_of(file)
    line = lines.index("") if where == "after the header" else len(lines)
    lines.insert(line, "planted_type mistake;")
    (kernel_copy / file).write_text("\n".join(lines))
    built = next(own for own in OWN_MACROS if file in files_of(own))
    with pytest.raises(reedsp.DeviceError, match=rf"cl/{file}:{line + 1}\b") as caught:
        fresh(device).kernel(built, "unknown", **FIRST[built])
    message = str(caught.value)
    assert message.startswith(f"cl/{built} did not build on {device.name}")
    assert "planted_type" in message
    assert isinstance(caught.value.__cause__, device_build.KernelBuildError)


def test_73_failed_build_is_not_cached_and_can_be_repeated(
    kernel_copy: Path, folder: Path, device: Device, compiled: list[str]
) -> None:
    file = kernel_copy / "core/self_test.cl"
    right, built = file.read_text(), fresh(device)
    file.write_text(right + "planted_type mistake;")
    for _ in range(2):
        with pytest.raises(reedsp.DeviceError, match="planted_type"):
            built.kernel("core/self_test.cl", "self_test", **SELF_TEST)
    assert compiled == ["source", "source"]
    assert list(folder.iterdir()) == []
    file.write_text(right)
    built.self_test()


def test_each_kernel_is_built_once(device: Device, private_cache: Path, compiled: list[str]) -> None:
    built = fresh(device)
    jump = built.kernel("edges/verify.cl", "jump", **INT32)
    assert built.kernel("edges/verify.cl", "jump", **dict(reversed(INT32.items()))) is jump
    assert built.kernel("edges/verify.cl", "check_edges", **INT32).program is jump.program
    assert compiled == ["source"]
    assert built.kernel("edges/verify.cl", "jump", **INT64).program is not jump.program
    assert compiled == ["source", "source"]


# ---- options ----------------------------------------------------------------------------------------


def test_relaxed_mathematics_is_refused(device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_build, "_OPTIONS", device_build._OPTIONS + b" -cl-fast-relaxed-math")
    with pytest.raises(reedsp.DeviceError, match="never run with relaxed mathematics"):
        build(device)


HARM = "-Dget_global_id=get_local_id -DIS_INTEGER=1 -DINF=3 -cl-fast-relaxed-math -cl-denorms-are-zero"
OPTIONS = {
    "PYOPENCL_BUILD_OPTIONS": HARM,
    "POCL_EXTRA_BUILD_FLAGS": HARM,
    "CL_CONFIG_USE_FAST_RELAXED_MATH": "1",
    "AMD_OCL_BUILD_OPTIONS": HARM,
    "AMD_OCL_BUILD_OPTIONS_APPEND": HARM,
    "CLOVER_EXTRA_BUILD_OPTIONS": HARM,
    "PYOPENCL_CTX": "xx",
    "PYOPENCL_TEST": "xx",
}
SOLVE = """
import os, sys
before = dict(os.environ)
import numpy as np
import reedsp

leaves = 3000
weights = np.full(leaves, 5e-324) if sys.argv[1] == "float" else np.arange(1, leaves + 1)
star = reedsp.Graph.from_edges(leaves + 1, np.zeros(leaves, int), np.arange(1, leaves + 1), weights)
result = reedsp.sssp(star, 0)
assert result.dist[1:].tolist() == weights.tolist(), result.dist
assert result.verify()
names = sys.argv[2].split()
assert all(os.environ[name] == before[name] for name in names)
print("right", result.device)
"""


@pytest.mark.deep("float")
@pytest.mark.parametrize("weights", ["int", "float"])
def test_70_options_in_the_environment_change_nothing(weights: str, device: Device, tmp_path: Path) -> None:
    if weights == "float" and not device.fp64:
        pytest.skip("the device has no doubles")
    output = python(SOLVE, device, weights, " ".join(OPTIONS), XDG_CACHE_HOME=str(tmp_path), **OPTIONS)
    assert output == f"right {device}\n"


def test_70_options_are_hidden_only_while_they_matter(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in OPTIONS.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with device_build.without_option_variables():
        assert sorted(set(before) - set(os.environ)) == sorted(name for name in OPTIONS if OPTIONS[name] != "xx")
    assert dict(os.environ) == before
    with pytest.raises(reedsp.DeviceError):
        build(device, GROUP_SIZE="wrong")
    assert dict(os.environ) == before

    def see() -> list[cl.Platform]:
        assert not [name for name, value in OPTIONS.items() if value != "xx" and name in os.environ]
        return []

    monkeypatch.setattr(cl, "get_platforms", see)
    assert discovery._device_handles() == []
    assert dict(os.environ) == before


# ---- the cache --------------------------------------------------------------------------------------


def entries(folder: Path) -> list[Path]:
    """Return the cached kernels; there is nothing else in the folder."""
    files = sorted(folder.iterdir())
    assert all(re.fullmatch(r"[0-9a-f]{64}\.bin", file.name) for file in files)
    return files


@posix_only
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_cache_is_private(umask: int, device: Device, folder: Path) -> None:
    previous = os.umask(umask)
    try:
        build(device)
    finally:
        os.umask(previous)
    [entry] = entries(folder)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    for directory in (folder, folder.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


COUNT = f"""
from __future__ import annotations
import json, sys
import pyopencl as cl
from reedsp.device import build as device_build
from reedsp.device import get_device

{inspect.getsource(count_builds)}
made = count_builds()
device_build._CACHING_DRIVERS = ()
if sys.argv[1:]:
    get_device().kernel("core/self_test.cl", "self_test", **json.loads(sys.argv[1]))
else:
    get_device().self_test()
print(*made)
"""


def test_cache_serves_the_next_process(device: Device, private_cache: Path, folder: Path) -> None:
    kinds = 4 if device.fp64 else 3
    assert python(COUNT, device).split() == ["source"] * kinds
    written = {entry: entry.stat().st_mtime_ns for entry in entries(folder)}
    assert len(written) == kinds
    assert python(COUNT, device).split() == ["binary"] * kinds
    assert {entry: entry.stat().st_mtime_ns for entry in entries(folder)} == written


def test_a_driver_that_keeps_programs_is_given_the_source_again(
    device: Device, folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a child process has compiled it once, for which it is not asked for a binary."""
    monkeypatch.setattr(device_build, "_CACHING_DRIVERS", (device.platform,))
    monkeypatch.setattr(device_build, "binary_of", None)
    apart, asked = device_build.compiler.compile, []

    def compile_apart(*arguments: Any) -> bytes:
        asked.append(arguments[-1])
        return apart(*arguments)

    monkeypatch.setattr(device_build.compiler, "compile", compile_apart)
    for _ in range(2):
        build(device)
    assert asked == [False]
    assert compiled == ["source", "source"]
    [entry] = entries(folder)
    assert kernel_cache.read(entry) == b"source"
    fresh(device).self_test()


def test_a_driver_that_keeps_programs_without_a_child_process(
    device: Device, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_build, "_CACHING_DRIVERS", (device.platform,))
    monkeypatch.setattr(device_build.compiler, "unavailable", "planted")
    build(device)
    [entry] = entries(folder)
    assert kernel_cache.read(entry) == b"source"


@pytest.mark.parametrize(
    "damaged", [lambda content: content[: len(content) // 2], pickle.dumps], ids=["half", "a pickle"]
)
def test_67_damaged_entry_is_built_anew(
    damaged: Callable[[bytes], bytes], device: Device, folder: Path, compiled: list[str]
) -> None:
    build(device)
    [entry] = entries(folder)
    entry.write_bytes(damaged(entry.read_bytes()))
    build(device)
    assert compiled == ["source", "source"]
    assert entries(folder) == [entry]
    assert kernel_cache.read(entry)
    build(device)
    assert compiled == ["source", "source", "binary"]


def test_67_code_that_the_driver_refuses_is_built_anew(device: Device, folder: Path, compiled: list[str]) -> None:
    build(device)
    [entry] = entries(folder)
    for code in (b"", b"no code at all", b"\x7fELF" + bytes(1000)):
        compiled.clear()
        kernel_cache.write(entry, code)
        assert kernel_cache.read(entry) == code
        build(device)
        assert compiled == ["binary", "source"]
    fresh(device).self_test()


def test_67_entry_of_another_kernel_is_built_anew(device: Device, folder: Path, compiled: list[str]) -> None:
    """A file that was copied to another name is whole, and would be loaded, but would compute something else."""
    build(device)
    [first] = entries(folder)
    build(device, **INT64)
    [second] = set(entries(folder)) - {first}
    first.write_bytes(second.read_bytes())
    compiled.clear()
    build(device)
    assert compiled == ["source"]
    assert kernel_cache.read(first)
    fresh(device).self_test()


def made_up(**facts: str) -> Any:
    """Return what the cache looks at in a device."""
    known = {"name": "device", "version": "OpenCL 1.2", "driver_version": "1.0", **facts}
    platform = SimpleNamespace(name=known.pop("platform", "platform"), version=known.pop("platform_version", "1"))
    return SimpleNamespace(platform=platform, **known)


def test_key_tells_apart_what_matters(private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = [made_up(), *(made_up(**{name: "other"}) for name in ("name", "version", "driver_version", "platform"))]
    devices.append(made_up(platform_version="other"))
    sources = [
        device_build.assemble("core/self_test.cl", SELF_TEST),
        device_build.assemble("edges/verify.cl", SELF_TEST),
    ]
    sources += [
        device_build.assemble("core/self_test.cl", {**SELF_TEST, **change}) for change in (INT64, {"GROUP_SIZE": 32})
    ]
    keys = [device_build._cache_file(device, source) for device in devices for source in sources]
    monkeypatch.setattr(device_build, "_OPTIONS", b"-cl-std=CL1.2 -cl-opt-disable")
    keys.append(device_build._cache_file(devices[0], sources[0]))
    assert len({*keys}) == len(keys) == 25
    assert device_build._cache_file(devices[0], sources[0]) == keys[-1]


def test_66_names_are_hashes(private_cache: Path, folder: Path) -> None:
    for text in ("../../../outside", "/etc/passwd", "a\0b", "\n", "x" * 5000, "ü" * 100):
        file = device_build._cache_file(made_up(name=text, platform=text, driver_version=text), text)
        assert file is not None
        assert file.parent == folder
        assert re.fullmatch(r"[0-9a-f]{64}\.bin", file.name)


@posix_only
def test_66_link_in_place_of_an_entry_is_replaced_and_not_followed(
    device: Device, folder: Path, tmp_path: Path, compiled: list[str]
) -> None:
    build(device)
    [entry] = entries(folder)
    victim = tmp_path / "victim"
    for content in (b"precious", None):
        entry.unlink()
        if content is not None:
            victim.write_bytes(content)
        else:
            victim.unlink()  # a link that leads nowhere
        entry.symlink_to(victim)
        compiled.clear()
        build(device)
        assert compiled == ["source"]
        assert not entry.is_symlink()
        assert (victim.read_bytes() if content is not None else victim.exists()) in (b"precious", False)


PYOPENCL = """
import sys
import pyopencl as cl

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
program = cl.Program(context, sys.argv[1]).build("-cl-std=CL1.2")
cl.Kernel(program, "self_test")
"""
REEDSP = """
import sys

found = []
sys.addaudithook(lambda event, arguments: found.append(arguments) if event == "pickle.find_class" else None)

import reedsp
import reedsp.device

reedsp.device.get_device().self_test()
assert reedsp.sssp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 2]), 0).verify()
print(found)
"""


@pytest.mark.deep
@needs_device
def test_67_no_pickle_is_loaded(tmp_path: Path) -> None:
    """The caches of pyopencl and of reedsp are filled and poisoned; pyopencl falls for it, and reedsp does not."""
    cache, mark = tmp_path / "cache", tmp_path / "mark"
    variables = {"XDG_CACHE_HOME": str(cache), "HOME": str(tmp_path), "POCL_CACHE_DIR": str(tmp_path / "pocl")}
    if (drivers := icd.enable_pip_runtimes()) is not None:  # pyopencl by itself does not find them
        variables["OCL_ICD_VENDORS"] = str(drivers)
    python(PYOPENCL, None, source := device_build.assemble("core/self_test.cl", SELF_TEST), **variables)
    assert python(REEDSP, None, **variables) == "[]\n"
    poison = f"cbuiltins\nexec\n(V__import__('pathlib').Path({str(mark)!r}).touch()\ntR.".encode()
    for file in [file for file in cache.rglob("*") if file.is_file() and file.suffix != ".icd"]:
        if file.suffix == ".sqlite":
            with contextlib.closing(sqlite3.connect(file)) as database, database:
                database.execute("UPDATE dict SET key_value = ?", (poison,))
        else:
            file.write_bytes(poison)
    assert python(REEDSP, None, **variables) == "[]\n"
    assert not mark.exists()
    command = [sys.executable, "-c", PYOPENCL, source]
    subprocess.run(command, env=child_environment(None, **variables), capture_output=True, check=False, timeout=300)
    if not mark.exists():
        pytest.skip("this version of pyopencl does not load pickles either, so that nothing was shown")


LEVELS = pytest.mark.parametrize("level", ["reedsp", "reedsp/kernels"])
REFUSED = r"kernels are not cached: .* is not a directory that only you can change"


def check_refused(device: Device, *places: Path) -> None:
    """The cache is refused with a warning, nothing is written, and the kernel is built all the same."""
    before = [sorted(place.rglob("*")) for place in places]
    with pytest.warns(RuntimeWarning, match=REFUSED):
        build(device)
    assert [sorted(place.rglob("*")) for place in places] == before


@posix_only
class TestUntrustedCache:
    @LEVELS
    @pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
    def test_68_others_can_write(self, level: str, mode: int, device: Device, private_cache: Path) -> None:
        kernel_cache._directory()
        (private_cache / level).chmod(mode)
        check_refused(device, private_cache)

    @pytest.mark.parametrize("level", [".", ".."])
    def test_68_others_can_rename_it(
        self, level: str, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "above" / "cache"))
        kernel_cache._directory()
        (tmp_path / "above" / "cache" / level).resolve().chmod(0o777)
        check_refused(device, tmp_path)

    @LEVELS
    def test_68_belongs_to_somebody_else(
        self, level: str, device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kernel_cache._directory()
        lstat, other = Path.lstat, private_cache / level

        def theirs(path: Path) -> Any:
            status = lstat(path)
            owner = status.st_uid + (path == other)
            return SimpleNamespace(st_mode=status.st_mode, st_uid=owner, st_gid=status.st_gid)

        monkeypatch.setattr(Path, "lstat", theirs)
        check_refused(device)
        monkeypatch.undo()

    @LEVELS
    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
    def test_68_really_belongs_to_somebody_else(self, level: str, device: Device, private_cache: Path) -> None:
        kernel_cache._directory()
        os.chown(private_cache / level, 65534, -1)
        check_refused(device, private_cache)

    @LEVELS
    def test_68_is_a_link(self, level: str, device: Device, private_cache: Path, tmp_path: Path) -> None:
        theirs = tmp_path / "theirs"
        (theirs / "kernels").mkdir(mode=0o700, parents=True)
        (private_cache / level).parent.mkdir(mode=0o700, parents=True)
        (private_cache / level).symlink_to(theirs)
        check_refused(device, private_cache, theirs)

    def test_68_warns_once(self, device: Device, private_cache: Path) -> None:
        """Whatever the filters of warnings, which pytest, numpy and others set anew again and again."""
        (private_cache / "reedsp").mkdir(parents=True)
        (private_cache / "reedsp").chmod(0o777)
        environment = {**child_environment(device), "PYTHONWARNINGS": "always"}
        command = [sys.executable, "-c", COUNT]
        child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
        assert child.stdout.split() == ["source"] * (4 if device.fp64 else 3)
        assert child.stderr.count("RuntimeWarning") == 1


AGAIN = "every process compiles its kernels again, since they cannot be kept: .*; set XDG_CACHE_HOME to a folder"


@pytest.mark.usefixtures("unwarned")
def test_69_cache_that_cannot_be_made(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("")
    places = [file, file / "below", Path("/proc/self") if sys.platform == "linux" else file]
    for place in places:
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        cache_folders._warned.clear()
        with pytest.warns(RuntimeWarning, match=AGAIN):
            build(device)
        build(device)  # in silence
    dangling = tmp_path / "cache" / "reedsp"
    dangling.parent.mkdir()
    dangling.symlink_to(tmp_path / "nowhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(dangling.parent))
    with pytest.warns(RuntimeWarning, match=REFUSED):
        build(device)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.deep
def test_69_no_home_that_can_be_written_to(device: Device, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(tmp_path / "file"))
    command = [sys.executable, "-c", COUNT]
    environment = child_environment(device, **places)
    environment.pop("POCL_CACHE_DIR", None)
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    assert set(child.stdout.split()) == {"source"}
    assert len(re.findall(AGAIN, child.stderr)) == 1


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("routine", ["open", "write", "replace"])
def test_69_cache_that_cannot_be_written(
    routine: str, device: Device, folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise OSError(28, "No space left on device")

    class Full(io.BufferedWriter):
        write = fail

    with monkeypatch.context() as patch:
        if routine == "replace":
            patch.setattr(atomic_file.os, "replace", fail)
        else:
            full = fail if routine == "open" else lambda path, _, opener: Full(io.FileIO(path, "x", opener=opener))
            patch.setattr(atomic_file, "open", full, raising=False)
        with pytest.warns(RuntimeWarning, match="No space left on device"):
            build(device)
    assert entries(folder) == []
    build(device)
    assert compiled == ["source", "source"]
    assert len(entries(folder)) == 1


@posix_only
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.usefixtures("unwarned")
def test_69_read_only_cache_still_serves(device: Device, folder: Path, compiled: list[str]) -> None:
    build(device)
    folder.chmod(0o500)
    build(device)
    with pytest.warns(RuntimeWarning, match=AGAIN):
        build(device, **INT64)
    folder.chmod(0o700)
    assert compiled == ["source", "binary", "source"]
    assert len(entries(folder)) == 1


WHERE = "from reedsp.device import kernel_cache; print(kernel_cache._directory())"


@pytest.mark.deep("relative")
@posix_only
@pytest.mark.parametrize("chosen", ["relative", "./relative", ""])
def test_relative_cache_folder_is_ignored(chosen: str, tmp_path: Path) -> None:
    """As the XDG Base Directory Specification has it."""
    output = python(WHERE, None, cwd=tmp_path, HOME=str(tmp_path / "home"), XDG_CACHE_HOME=chosen)
    assert output == f"{tmp_path / 'home' / '.cache' / 'reedsp' / 'kernels'}\n"
    assert [each.name for each in tmp_path.iterdir()] == ["home"]


@pytest.mark.deep
def test_processes_fill_the_cache_together(device: Device, private_cache: Path, folder: Path) -> None:
    environment, command = child_environment(device), [sys.executable, "-c", COUNT, json.dumps(SELF_TEST)]
    children = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = [child.communicate(timeout=300)[0] for child in children]
    assert [child.returncode for child in children] == [0] * 4
    assert set(outputs) <= {"source\n", "binary\n"}
    [entry] = entries(folder)
    assert kernel_cache.read(entry)
    assert python(COUNT, device, json.dumps(SELF_TEST)) == "binary\n"


OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


@pytest.mark.skipif(not OCLGRIND.exists(), reason="Oclgrind is not installed as Debian does: apt-get install oclgrind")
def test_builds_for_oclgrind_are_not_cached(tmp_path: Path, private_cache: Path, folder: Path) -> None:
    """It takes build options from its own command line, which no key names."""
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "oclgrind.icd").write_text(str(OCLGRIND))
    variables = {"OCL_ICD_VENDORS": str(tmp_path / "vendors"), "REEDSP_DEVICE": "oclgrind"}
    for _ in range(2):
        assert set(python(COUNT, None, **variables).split()) == {"source"}
    assert not folder.exists()


def test_73_line_of_a_compiler_that_ignores_line_directives(kernel_copy: Path) -> None:
    """NVIDIA's compiler speaks of ``<kernel>`` and counts the lines of the assembled source."""
    source = device_build.assemble("core/self_test.cl", SELF_TEST)
    for file in ("core/weights.cl", "core/self_test.cl"):
        for number, line in enumerate((kernel_copy / file).read_text().splitlines(), start=1):
            if source.splitlines().count(line) == 1:
                physical = source.splitlines().index(line) + 1
                assert (
                    device_build.name_lines(f"<kernel>:{physical}:2: error", source) == f"cl/{file}:{number}:2: error"
                )
    assert device_build.name_lines("<kernel>:99999:2", source) == "<kernel>:99999:2"


# ---- what the host reads from the sources -----------------------------------------------------------


@pytest.mark.deep("single_source", "traversal", "minplus", "edges/predecessors")
@pytest.mark.parametrize(
    "file",
    [
        "edges/predecessors.cl",
        "edges/predecessors_in_order.cl",
        "edges/predecessors_outgoing.cl",
        "edges/prepare.cl",
        "minplus/entries.cl",
        "single_source/bellman_ford_groups.cl",
        "single_source/bellman_ford_queue.cl",
        "single_source/dijkstra_array.cl",
        "single_source/dijkstra_heap.cl",
        "single_source/input_parallel_refined.cl",
        "single_source/near_far_local.cl",
        "single_source/near_far_team.cl",
        "single_source/near_far_work_group.cl",
        "single_source/near_far_work_item.cl",
        "traversal/bfs_work_groups.cl",
        "traversal/bfs_work_items.cl",
    ],
)
def test_constants_are_those_that_the_compiler_sees(file: str, device: Device) -> None:
    found = device_build.constants(file)
    lines = [f"#ifdef {name}\nresult[{place}] = {name};\n#endif" for place, name in enumerate(found)]
    kernel = "\n__kernel void values(__global long *result) {"
    source = "\n".join([device_build.assemble(file, FIRST[file]), kernel, *lines, "}"])
    program = device_build.build_generated(device.context, device.handle, source, file)
    job = Job(device)
    result = job.full(len(found), np.int64(1 << 60))
    program.values(device.queue, (1,), (1,), result)
    values = dict(zip(found, job.download(result, len(found), np.int64).tolist(), strict=True))
    assert {name: value for name, value in values.items() if value < 1 << 60}.items() <= found.items()
    assert 1 << 60 not in values.values()


def test_constants_of_a_file(kernel_copy: Path) -> None:
    text = (
        "#define A 7\n#define B  (-9)  // less\n#define C 0xFFFFFFFFu\n#define D(x) 1\n#define E INT_MAX\n#define F\n"
    )
    (kernel_copy / "core/rounds.cl").write_text(f'{text}#include "core/language.cl"\n')
    assert device_build.constants("core/rounds.cl") == {"A": 7, "B": -9, "C": 0xFFFFFFFF}


def test_places_of_arguments(kernel_copy: Path) -> None:
    one = "__kernel void one(const uint b)\n{\n}\n"
    more = "#define MORE \\\n  const uint b, \\\n  const uint bb\n"
    text = f"{more}{one}__kernel void two(__global int *restrict a, // not b, c\n  MORE,\n  const uint c)\n{{\n}}\n"
    (kernel_copy / "core/rounds.cl").write_text(text)
    assert device_build.arguments("core/rounds.cl", "two") == ["a", "b", "bb", "c"]


def test_no_vertex_is_that_of_the_kernels() -> None:
    assert device_build.constants("core/no_vertex.cl") == {"NO_VERTEX": NO_VERTEX}


def test_generated_sources_have_quotients_that_are_rounded_once(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compilers may make a quotient of doubles one of floats, which need not be exact unless that is asked for."""
    asked: list[bytes] = []
    monkeypatch.setattr(device_build, "_build", lambda *given: asked.append(given[-1]))
    config = cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    for can in (True, False):
        handle = SimpleNamespace(platform=device.handle.platform, single_fp_config=config if can else 0)
        device_build.build_generated(device.context, handle, "", "a test")  # type: ignore[arg-type]
    assert [b"-cl-fp32-correctly-rounded-divide-sqrt" in each for each in asked] == [True, False]
