"""Mutation testing of the kernels: plants small faults in ``cl/`` and reports which of them no check notices.

    python -m tests.deep.mutants [--list] [--count 200] [--seed 0] [--files GLOB] [--operators NAME ...] [--jobs 2]
                                 [--output CSV]

A mutant is one kernel file with one fault (``OPERATORS``). Which ones are tried depends on the seed alone, and they are
spread over files and operators. Then, quickest first, until something fails: the checks of ``under_oclgrind.py`` that
use this file, under Oclgrind, whose log has to stay empty, and with stricter options where a barrier, guard or atomic
is missing; the tests in ``MODULES`` that use it, on PoCL; the checks again, not optimised. Where a type became
narrower, ``test_widths.py`` comes first. A mutant that does not build does not count.

An entry in the log and a failed test are what ``.ci/run`` does not find without a fault. Whatever else fails, or takes
too long, is repeated without the fault, once for each file, and kills nothing if it fails then.

With ``--output`` every verdict is kept, and a later call with the same file goes on from there; a mutant is known by
its whole text, so that no verdict outlives a change of its file.

The exit status is 1 if fewer than 95 % of all mutants are killed, or not every one without a barrier, guard or atomic.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import fnmatch
import hashlib
import itertools
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.deep.host_mutants.verdicts import Verdict, keep, kept_verdicts
from tests.support.kernel_files import kernel_files

TESTS = Path(__file__).resolve().parents[1]
FOLDER = "REEDSP_MUTANT_KERNELS"
"""The environment variable that tells a child process where the kernels with the fault are."""

FEWEST_KILLED = 0.95
RACES = ("barrier", "guard", "atomic")
"""Operators of whose mutants every one has to be killed."""

LOGGED = " says: "
"""In the reasons that come from Oclgrind's log."""

UNIFORM = "oclgrind, uniform writes"
"""The step in which work-items must not even write the same value to one place."""

NO_PROGRAM = "did not build on"
LIMITS = {"oclgrind": 600, "tests": 600}
"""Seconds after which a step counts as failed: the fault is an endless loop, as far as anybody would wait."""

MEMORY = 8 << 30
"""Bytes that a step may use: a search that a fault keeps from ending asks for more and more."""

DIJKSTRA = tuple(f"algorithms/single_source/test_dijkstra{name}.py" for name in ("_counted", ""))
LADDER = "algorithms/single_source/test_balance.py"
NEAR_FAR = "algorithms/single_source/test_near_far.py"
NEAR_FAR_BY_WORK_ITEMS = "algorithms/single_source/test_near_far_work_item.py"
RUNGS = "edges/test_ladder.py"
TECHNIQUES = "algorithms/single_source/test_techniques.py"
FRONTIERS = "algorithms/traversal/test_frontier.py"
MATCHINGS = "algorithms/structure/matching/test_matching.py"
SCANS = ("primitives/test_scan.py",)
SORTS = ("primitives/test_sort.py",)
TREES = ("primitives/test_trees.py",)
PRODUCTS = ("minplus/test_product.py", "minplus/test_blocks.py")
MODULES: dict[str, tuple[str, ...]] = {
    "all_pairs/matrix.cl": ("algorithms/all_pairs/test_apsp.py", "algorithms/all_pairs/test_dense.py"),
    "all_pairs/trees.cl": ("algorithms/all_pairs/test_apsp.py", "algorithms/all_pairs/test_dense.py"),
    "primitives/blelloch_scan.cl": SCANS,
    "traversal/bfs_rows.cl": ("algorithms/traversal/test_source_a_group.py",),
    "traversal/bfs_work_groups.cl": ("algorithms/traversal/test_bfs.py",),
    "traversal/bfs_work_items.cl": ("algorithms/traversal/test_bfs.py",),
    "all_pairs/floyd_warshall_serial_tile.cl": ("algorithms/all_pairs/test_floyd_warshall.py",),
    "all_pairs/floyd_warshall_stage.cl": ("algorithms/all_pairs/test_floyd_warshall.py",),
    "all_pairs/harish_narayanan.cl": ("algorithms/all_pairs/test_lund_smith.py",),
    "primitives/heads.cl": ("primitives/test_scan.py", "algorithms/single_source/test_input_parallel.py"),
    "single_source/input_parallel.cl": ("algorithms/single_source/test_input_parallel.py",),
    "single_source/input_parallel_refined.cl": (
        *(RUNGS, "algorithms/single_source/test_input_parallel.py"),
        "edges/test_edge_classes.py",
    ),
    "balance/partition.cl": (RUNGS,),
    "balance/large_items.cl": (RUNGS,),
    "experiments/expansion.cl": (RUNGS,),
    **{f"experiments/{name}.cl": (TECHNIQUES,) for name in ("bucketing", "queue_bellman_ford", "representations")},
    **{f"experiments/{name}.cl": ("cost_model/test_accesses.py",) for name in ("accesses", "banks")},
    "experiments/every_level.cl": ("algorithms/traversal/test_every_level.py",),
    "all_pairs/katz_kider.cl": ("algorithms/all_pairs/test_lund_smith.py",),
    "experiments/minplus_arithmetic.cl": PRODUCTS,
    "minplus/compare.cl": ("minplus/test_product.py",),
    "minplus/entries.cl": ("minplus/test_entries.py",),
    "minplus/from_user.cl": ("minplus/test_entries.py",),
    "minplus/to_user.cl": ("minplus/test_operands.py",),
    "minplus/naive.cl": PRODUCTS,
    "cost_model/pairs.cl": ("cost_model/test_calibrate.py",),
    "cost_model/probes.cl": ("cost_model/test_calibrate.py",),
    "minplus/panels.cl": PRODUCTS,
    "minplus/registers.cl": PRODUCTS,
    "minplus/row_blocks.cl": PRODUCTS,
    "minplus/tiles.cl": PRODUCTS,
    "primitives/naive_scan.cl": SCANS,
    "single_source/near_far_target.cl": (
        NEAR_FAR,
        NEAR_FAR_BY_WORK_ITEMS,
    ),
    "single_source/bellman_ford_groups.cl": ("algorithms/single_source/test_bellman_ford_groups.py",),
    "single_source/bellman_ford_queue.cl": ("algorithms/single_source/test_bellman_ford_queue.py",),
    "single_source/near_far_local.cl": ("algorithms/single_source/test_near_far_local.py",),
    "single_source/near_far_team.cl": (NEAR_FAR_BY_WORK_ITEMS,),
    "single_source/near_far_trees.cl": (NEAR_FAR_BY_WORK_ITEMS,),
    **{f"single_source/dijkstra_{name}.cl": DIJKSTRA for name in ("heap", "array")},
    "single_source/near_far_work_group.cl": (NEAR_FAR, LADDER),
    "edges/pad.cl": (LADDER,),
    "traversal/deep.cl": ("algorithms/traversal/test_bfs.py",),
    "traversal/frontier.cl": (FRONTIERS,),
    "single_source/near_far_work_item.cl": (NEAR_FAR_BY_WORK_ITEMS,),
    "all_pairs/optimized_blocked.cl": ("algorithms/all_pairs/test_lund_smith.py",),
    "single_source/output_parallel.cl": ("algorithms/single_source/test_sssp.py",),
    "edges/predecessors.cl": ("algorithms/single_source/test_sssp.py", "edges/test_trees.py"),
    "edges/predecessors_outgoing.cl": (NEAR_FAR, "edges/test_trees.py"),
    "edges/predecessors_in_order.cl": ("edges/test_trees.py",),
    "edges/distances.cl": (NEAR_FAR, "algorithms/single_source/test_sssp.py"),
    "edges/statistics.cl": ("edges/test_statistics.py",),
    "edges/prepare.cl": ("edges/test_preparation.py",),
    "components/colours.cl": ("algorithms/structure/test_components.py",),
    "components/depth_first.cl": ("algorithms/structure/test_components.py",),
    "components/dulle.cl": ("algorithms/structure/test_components.py",),
    "components/groups.cl": ("algorithms/structure/test_components.py",),
    "components/ranges.cl": ("algorithms/structure/test_components.py",),
    "components/verify.cl": ("algorithms/structure/test_components.py",),
    "matching/balls.cl": (MATCHINGS,),
    "matching/check.cl": (MATCHINGS,),
    "matching/depth_first.cl": (MATCHINGS,),
    "matching/karp_sipser.cl": (MATCHINGS,),
    "matching/phases.cl": (MATCHINGS,),
    "matching/rows.cl": (MATCHINGS,),
    "assignment/paths.cl": ("algorithms/structure/test_full_matching.py",),
    "assignment/verify.cl": ("algorithms/structure/test_full_matching.py",),
    "assignment/auction_few.cl": ("algorithms/structure/test_full_matching.py",),
    "assignment/auction_rounds.cl": ("algorithms/structure/test_full_matching.py",),
    "flow/arcs.cl": ("algorithms/structure/test_maximum_flow.py",),
    "flow/dinic.cl": ("algorithms/structure/test_maximum_flow.py", "csgraph/test_structure.py"),
    "flow/push_relabel.cl": ("algorithms/structure/test_maximum_flow.py",),
    "flow/verify.cl": ("algorithms/structure/test_maximum_flow.py",),
    "centrality/levels.cl": ("algorithms/structure/centrality/test_betweenness.py",),
    "centrality/serial.cl": ("algorithms/structure/centrality/test_betweenness.py",),
    "contraction/rounds.cl": ("algorithms/contraction/test_prepare.py",),
    "contraction/batches.cl": ("algorithms/contraction/test_sweep.py", "algorithms/contraction/test_prepare.py"),
    "contraction/wide.cl": ("algorithms/contraction/test_sweep.py",),
    "traversal/queue_levels.cl": ("algorithms/traversal/test_queue_order.py",),
    "traversal/queue_order.cl": ("algorithms/traversal/test_queue_order.py", "csgraph/test_csgraph.py"),
    "primitives/reduce.cl": SCANS,
    "primitives/scan_trace.cl": SCANS,
    "sort/lists.cl": SORTS,
    "sort/merge_work_group.cl": SORTS,
    "sort/merge_work_item.cl": SORTS,
    "primitives/single_pass_scan.cl": SCANS,
    "sort/radix_lanes.cl": SORTS,
    "sort/radix_work_group.cl": SORTS,
    "sort/radix_work_item.cl": SORTS,
    "core/self_test.cl": ("device/test_device.py",),
    "all_pairs/staged_load.cl": ("algorithms/all_pairs/test_lund_smith.py",),
    "core/transpose.cl": ("minplus/test_product.py", "algorithms/all_pairs/test_apsp.py"),
    "edges/verify.cl": ("algorithms/single_source/test_sssp.py", "results/test_paths.py"),
    **{
        f"forests/{name}.cl": ("algorithms/structure/test_forests.py", *more)
        for name, *more in (
            ("boruvka",),
            ("dulle",),
            ("edges", "algorithms/structure/test_minimum_spanning_tree.py"),
            ("kruskal",),
            ("rows",),
            ("verify",),
        )
    },
    "primitives/work_group_scan.cl": SCANS,
    "primitives/work_item_scan.cl": SCANS,
    "strided/pairs.cl": TREES,
    "strided/reduce.cl": TREES,
    "strided/scan.cl": TREES,
}
"""The tests of each file; those of an included file are those of the files that include it."""

SAME_IF_EQUAL = "chooses between two values that are equal there"
UNUSED = "nothing is read or written there"
WAITS_TWICE = "a vertex that waits several times is passed several times, at the same distance"
SPEED = "decides how soon something is done, not what"
OTHER_DEVICES = "compiled on big-endian devices only, of which none is tested"
COMMUTES = "the same sum, its numbers the other way round"
SAME_TYPE = "the other operand is of 64 bits as well"
UNEQUAL = "the two are never equal"
BILLION = "differs from 2**30 vertices on, for which no machine that tests has memory"
SMALL = "what it holds comes from 32 bits"
IN_MEMORY = (
    "a row of one tile, times the length of rows: 2**32 with rows of 2**26 elements only, of which n fit nowhere"
)
READ_BY_HOST = "the host reads the number here, too"
NAME = "another number for the same name, which the host never sees"
ANY_ITEM = "one work-item or work-group does it, whichever that is"
NO_UNITS = "goes through units of which there are none"
INDEX_OF = "an array and its index, which C takes in either order"
UNREACHED: dict[tuple[str, str], str] = {
    ("primitives/heads.cl", "atomic_or(&marks[index / 4], 1u << (8 * (3 - index % 4)));"): OTHER_DEVICES,
}
"""Statements that no device here reaches, and why."""

AS_MANY = "there are as many work-items as parts: where they count apart, a work-group has one"
SAME_ZERO = "others write the same 0, behind the last read and before the next barrier"
HARMLESS: dict[tuple[str, str], str] = {
    ("matching/rows.cl", "if (part >= parts) return;"): AS_MANY,
    ("matching/rows.cl", "if (entry >= last) return;"): SPEED,  # the loop over these entries has no turn then
    ("forests/boruvka.cl", "if (get_local_id(0) == 0) *kept = 0;"): SAME_ZERO,
    (
        "forests/dulle.cl",
        "if (joined == own) { for (uint vertex = 0; vertex < n; ++vertex)",
    ): SPEED,  # jumps have led every vertex to a root, so that what is no root has no vertex to look at
}
"""Lines, as they are, each with the line behind it, in which no planted fault changes any behaviour, and why."""

EQUIVALENT: dict[tuple[str, str], str] = {
    ("forests/boruvka.cl", "if (value <= *word)"): SAME_IF_EQUAL,
    ("forests/boruvka.cl", "if (get_local_id(0) == 1)"): ANY_ITEM,
    (
        "forests/boruvka.cl",
        "volatile __global const Word *words = words_of(best, round, n, 0);",
    ): SPEED,  # odd rounds choose nothing then, as the words of the next round are empty
    ("forests/boruvka.cl", "for (size_t i = get_global_id(0); i < 2 * WORDS * n; i += get_global_size(0))"): BILLION,
    (
        "forests/boruvka.cl",
        "for (ulong begin = get_group_id(0) * (size_t)GROUP_SIZE; begin <= m; begin += get_global_size(0)) {",
    ): NO_UNITS,
    (
        "forests/boruvka.cl",
        "for (ulong begin = get_group_id(0) * GROUP_SIZE; begin < m; begin += get_global_size(0)) {",
    ): SAME_TYPE,
    ("assignment/auction_few.cl", "for (uint row = item; row < rows; row += GROUP_SIZE)"): SMALL,
    ("assignment/auction_few.cl", "offer = better(other, offer, indices);"): COMMUTES,
    (
        "assignment/auction_rounds.cl",
        "return bid_price[a] < bid_price[b] || (bid_price[a] == bid_price[b] && a <= b) ? a : b;",
    ): UNEQUAL,
    ("sort/radix_work_group.cl", "own_descents |= ordinal <= ordinal_of(earlier[j]);"): SPEED,
    ("forests/place.cl", "const ulong middle = low + (high - low) / 3;"): SPEED,
    (
        "forests/rows.cl",
        "#define LONGEST 65  // entries of a row; vertices with more are left to the rounds that follow",
    ): SPEED,
    ("forests/rows.cl", "for (ulong i = begin; i < end && end - begin < LONGEST; ++i) {"): SPEED,
    ("forests/rows.cl", "Key first = 1;"): UNUSED,
    ("forests/trees.cl", "#define PATIENCE 17  // steps"): SPEED,
    ("forests/trees.cl", "for (uint step = 1;; ++step) {"): SPEED,
    ("forests/trees.cl", "if (step > PATIENCE)"): SPEED,
    ("forests/trees.cl", "return max(vertex, up);"): "either one of two may be the root, if it always is",
    ("forests/rows.cl", "if (head <= vertex)"): UNUSED,
    ("forests/rows.cl", "chosen[place] = 2;"): "anything but 0 says the same",
    ("contraction/wide.cl", "while (count < WAITING && count < (limit - begin) / 2) {"): SPEED,
    ("contraction/wide.cl", "while (count <= WAITING && count < (limit - begin) / 3) {"): SPEED,
    ("contraction/wide.cl", "} else if (true) {"): WAITS_TWICE,
    (
        "contraction/wide.cl",
        "if (reaches(up, own, dist, lane, lanes) || (uint)up.target < limit)",
    ): WAITS_TWICE,
    (
        "contraction/wide.cl",
        "if (reaches(up, own, dist, lane, lanes) && (uint)up.target <= limit)",
    ): "a product comes to the same distances as the vertex at the limit",
    (
        "contraction/wide.cl",
        "const int vertex = member < last ? members[member] : 1;",
    ): UNUSED,
    (
        "contraction/wide.cl",
        "if (vertex < n && path_by_way_of(dist, vertex) <= INF)",
    ): "nothing is lowered to what it is before",
    ("edges/statistics.cl", "for (; first + LANES < n; first += LANES)"): "what comes last adds up a whole turn, too",
    (
        "edges/statistics.cl",
        "for (uint lane = 0; lane <= LANES_EACH; ++lane) if (lane * GROUP_SIZE + item < n - first)",
    ): "what comes last has fewer than LANES",
    ("edges/statistics.cl", "own = together(shared[item + apart], own);"): "the sum of two is the same either way",
    (
        "edges/statistics.cl",
        "lanes[lane] = together(lanes[lane + apart], lanes[lane]);",
    ): "the sum of two is the same either way",
    ("minplus/common.cl", "const WEIGHT raised = weight <= LOWEST ? LOWEST : weight;"): SAME_IF_EQUAL,
    ("minplus/common.cl", "#define smaller(x, y) ((y) <= (x) ? (y) : (x))"): SAME_IF_EQUAL,
    ("edges/verify.cl", "const WEIGHT bound = own <= ceiling ? own : ceiling;"): SAME_IF_EQUAL,
    (
        "single_source/near_far_piles.cl",
        "const OFFSET end = last - begin <= CHUNK ? last : begin + CHUNK;",
    ): SAME_IF_EQUAL,
    ("core/rows.cl", "#define COUNTERS 5"): READ_BY_HOST,
    ("single_source/bellman_ford_groups.cl", "#define PAUSED_WORDS 3"): READ_BY_HOST,
    ("single_source/bellman_ford_groups.cl", "#define RELAXES 3"): "another name of the same stage",
    (
        "single_source/near_far_local.cl",
        "#define PAUSED_BITS 3                             // near ones, then far ones",
    ): READ_BY_HOST,
    ("single_source/near_far_work_group.cl", "#define COUNTS 15"): READ_BY_HOST,
    ("single_source/near_far_work_group.cl", "#define LIMITS 6"): READ_BY_HOST,
    ("single_source/near_far_work_group.cl", "#define HUB_ROOM 1025"): READ_BY_HOST,
    (
        "single_source/near_far_piles.cl",
        "#define STATE_BYTES 129     // that a work-item has for what it remembers between two launches",
    ): READ_BY_HOST,
    ("single_source/counted.cl", "#define COUNTED 6"): READ_BY_HOST,
    (
        "single_source/dijkstra_heap.cl",
        "#define STATE_BYTES 17  // that a work-item has for what it remembers between two launches",
    ): READ_BY_HOST,
    (
        "single_source/dijkstra_array.cl",
        "#define STATE_BYTES 17  // that a work-group has for what it remembers between two launches",
    ): READ_BY_HOST,
    ("single_source/dijkstra_array.cl", "#define UNDER_WAY 3"): NAME,
    ("traversal/bfs_work_items.cl", "#define CONTROL_WORDS 12"): READ_BY_HOST,
    ("traversal/bfs_work_items.cl", "#define DONE 4"): READ_BY_HOST,
    ("traversal/bfs_work_groups.cl", "#define CONTROL_WORDS 25"): READ_BY_HOST,
    ("traversal/bfs_work_groups.cl", "#define DONE 3"): READ_BY_HOST,
    ("traversal/bfs_direction.cl", "#define VERTICES_PER_EDGE 5"): SPEED,
    ("traversal/frontier.cl", "if (count >= 0)"): "appends nothing, wherever that is",
    (
        "traversal/frontier.cl",
        "const size_t stop = min(run - RUN, (size_t)size);",
    ): SPEED,  # the first work-item then goes through all
    **{
        (f"balance/{file}.cl", line): NO_UNITS
        for file, line in (
            *((name, "if (first <= end)") for name in ("items", "dynamic_virtual_warps", "cta_warp_scan")),
            ("virtual_warps", "if (is_taken && first <= end)"),
            ("two_phase", "if (unit <= end)"),
            ("block_search", "if (unit <= own_end)"),
            ("direct_search", "if (unit <= own_end)  // not an item without units"),
        )
    },
    **{
        (f"balance/{file}.cl", line): SAME_TYPE
        for file, size in (("block_search", "CHUNK"), ("cta_warp_scan", "GROUP_SIZE"), ("warp_search", "GROUP_SIZE"))
        for line in (
            f"for (size_t base = get_group_id(0) * {size}; base < items->count;",
            f"base += get_num_groups(0) * {size}) {{",
        )
    },
    **{
        (f"single_source/{file}.cl", f"COUNT({which}, {totals}, {number});"): INDEX_OF
        for file, totals, which, number in (
            ("bellman_ford_groups", "totals", "OPERATIONS", "2 * (last - first)"),
            (
                *("bellman_ford_groups", "totals", "ACCESSES"),
                "2 + (2 + !IN_LOCAL) * (last - first) + (IN_LOCAL ? 0 : 2)",
            ),
            ("bellman_ford_groups", "totals", "INSERTIONS", "minimum < start"),
            *(("dijkstra_array", "totals", "OPERATIONS", number) for number in ("1", "2", "n")),
            ("dijkstra_array", "totals", "ACCESSES", "IN_LOCAL ? 0 : 1"),
            ("dijkstra_array", "totals", "INSERTIONS", "1"),
            *(("dijkstra_heap", "heap->totals", which, "1") for which in ("ACCESSES", "OPERATIONS", "EXTRACTIONS")),
            *(("dijkstra_heap", "heap.totals", which, "1") for which in ("ACCESSES", "OPERATIONS", "INSERTIONS")),
            ("dijkstra_heap", "heap.totals", "ACCESSES", "2"),
        )
    },
    ("single_source/dijkstra_array.cl", "ulong pieces(const ulong count, const uint size)"): SAME_TYPE,
    (
        "experiments/every_level.cl",
        "({ __typeof__(*(&looks[word + 1]) + 0) was_ = *(&looks[word + 1]); *(&looks[word + 1]) = was_ + 1; was_; });",
    ): "one work-item does so in 2**32 looks, never two at a time",
    (
        "experiments/accesses.cl",
        "__global const uint *record = table + shift + (i * items + get_global_id(0)) * apart;",
    ): "a table of 2**32 records takes 16 GiB at least, those of the experiments half a GiB",
    ("experiments/banks.cl", "for (uint first = 0; first < inner; first += TILE) {"): SMALL,
    (
        "single_source/near_far_piles.cl",
        "#define NARROW 65           // times narrower than `delta`; more measured the same",
    ): SPEED,
    (
        "single_source/near_far_piles.cl",
        "#define WIDEN_AFTER 17      // entries scanned in vain for each edge relaxed",
    ): SPEED,
    (
        "single_source/near_far_piles.cl",
        "#define WIDEN_FREELY 65537  // entries that are scanned so quickly that nothing is gained",
    ): SPEED,
    ("traversal/bfs_work_items.cl", "#define FAR_AHEAD 17  // indices in the queue, or vertices"): SPEED,
    ("traversal/bfs_work_items.cl", "#define AHEAD 9"): SPEED,
    ("traversal/bfs_work_items.cl", "#define SOON 5"): SPEED,
    (
        "traversal/bfs_direction.cl",
        "return level_edges * edge_factor >= unexplored + n / VERTICES_PER_EDGE;",
    ): SPEED,
    **{
        ("traversal/bfs_direction.cl", f"bool bottom_up_pays({numbers}, const uint n)"): SPEED
        for numbers in (
            "const uint level_edges, const ulong unexplored, const ulong edge_factor",
            "const ulong level_edges, const uint unexplored, const ulong edge_factor",
            "const ulong level_edges, const ulong unexplored, const uint edge_factor",
        )
    },
    (
        "traversal/bfs_work_items.cl",
        "if (bottom_up_pays((tail - end) * largest_degree, 0, n, edge_factor))",
    ): SPEED,
    (
        "traversal/bfs_work_items.cl",
        "} else if (bottom_up_pays(level_edges, unexplored - level_edges, n, edge_factor)) {",
    ): SPEED,
    ("edges/predecessors_outgoing.cl", "if (false)  // which takes less time than to try"): SPEED,
    **{
        (f"single_source/near_far_{file}.cl", line): SPEED
        for file, line in (
            ("piles", "if (s->width < s->delta && s->scanned > WIDEN_FREELY + WIDEN_AFTER * s->relaxed)"),
            ("team", "launches_alone = min(launches_alone, share.launches_alone);"),
            ("team", "const bool spent = s.relaxed > enough;"),
            ("team", "if (false)"),  # where a work-item stops so that others get some of its entries
        )
    },
    ("single_source/near_far_piles.cl", "if (sum < limit) {"): SPEED,
    ("single_source/near_far_piles.cl", "uint relaxed = 0;"): SPEED,
    ("single_source/near_far_work_group.cl", "limits[word] = word <= MINIMUM ? AS_KEY(delta) : NO_KEY;"): SPEED,
    ("single_source/near_far_team.cl", "if (true) {"): SPEED,
    **{
        ("single_source/near_far_local.cl", line): "so few rows at once that they have 2**31 distances at most"
        for line in (
            "store_row(&s, dist + row * n, n);",
            "load_row(&s, dist + row * n, own + PAUSED_BITS, n);",
        )
    },
    **{
        ("traversal/bfs_rows.cl", line): SAME_TYPE
        for line in (
            "__global uint *own = paused + get_group_id(0) * PAUSED_WORDS;",
            "__global uint *queue = queues + get_group_id(0) * n;",
        )
    },
    (
        "traversal/bfs_rows.cl",
        "__global int *levels = answers + row * 2 * n;",
    ): "so few rows at once that they have 2**31 levels at most",
    ("traversal/bfs_rows.cl", "if (item == 1)"): ANY_ITEM,
    (
        "single_source/near_far_work_group.cl",
        "uint max_rounds = alone ? min(local_rounds, (uint)ROUNDS_ALONE) : local_rounds;",
    ): SPEED,
    ("minplus/common.cl", "return MINIMUM(sum, minimum);"): SAME_IF_EQUAL,
    ("minplus/blocks.cl", "return result(MINIMUM(other, minimum));"): SAME_IF_EQUAL,
    ("minplus/vectors.cl", "const Weights raised = weights <= lowest ? lowest : weights;"): SAME_IF_EQUAL,
    ("core/weights.cl", "return dist == INF ? INF : add_sat(weight, dist);"): COMMUTES,
    ("core/atomic_min.cl", "return AS_KEY(path_sum(weight, AS_WEIGHT(key)));"): COMMUTES,
    ("edges/predecessors.cl", "const WEIGHT sum = path_sum(weight[i], before[i]);"): COMMUTES,
    ("single_source/input_parallel_refined.cl", "const WEIGHT sum = path_sum(edge.weight, before);"): COMMUTES,
    ("all_pairs/floyd_warshall_stage.cl", "own[i][j] = relaxed(own[i][j], row[j], column[i]);"): COMMUTES,
    (
        "all_pairs/floyd_warshall_serial_tile.cl",
        "STORE(results(relaxed_vector(TO_ORDER(LOAD(own + j)), LOAD(row + j), column)), own + j);",
    ): COMMUTES,
    (
        "experiments/minplus_arithmetic.cl",
        "minimum[i] = relaxed_vector(minimum[i], (Weights)weight, TO_WEIGHTS(minimum[(i + 1) % RING]));",
    ): COMMUTES,
    ("minplus/row_blocks.cl", "minimum = relaxed(minimum, b[column * inner + first + k], block[k]);"): COMMUTES,
    ("primitives/elements.cl", "#define LENGTH_OF(n) ((n))"): SAME_TYPE,
    ("primitives/work_item_scan.cl", "const size_t end = min((base + first_length), LENGTH_OF(n));"): SAME_TYPE,
    ("primitives/work_group_scan.cl", "const size_t first = get_group_id(0) * chunk;"): SAME_TYPE,
    (
        "edges/predecessors.cl",
        "const size_t edge = min(get_global_id(0) + i * stride, (m - 1));  // the last one again, past the end",
    ): SAME_TYPE,
    ("primitives/heads.cl", "if (i >= count || indices[i] < 0 || indices[i] >= n)"): SAME_TYPE,
    ("minplus/naive.cl", "for (uint k = 0; k < inner; ++k)"): SMALL,
    ("single_source/near_far_team.cl", "for (uint vertex = first; vertex < last; ++vertex)"): SMALL,
    ("minplus/registers.cl", "const uint row = i / QUAD * QUAD * ITEMS_DOWN + i % QUAD;"): IN_MEMORY,
    (
        "single_source/near_far_work_group.cl",
        "for (size_t begin = group * (size_t)share; begin < waiting; begin += groups * share) {",
    ): "some work-groups for each compute unit, times their size at most",
    ("all_pairs/floyd_warshall_serial_tile.cl", "row[j] = matrix[k * stride + j];"): IN_MEMORY,
    (
        "minplus/compare.cl",
        "if (column <= stride && a[row * stride + column] != b[row * stride + column])",
    ): "matrices are made as wide as several work-groups: no work-item is beside them",
    **{
        ("minplus/entries.cl", line): SAME_IF_EQUAL
        for line in (
            "seen->low = weight <= seen->low ? weight : seen->low;",
            "seen->high = weight >= seen->high ? weight : seen->high;",
            "fact.low = found[i].low <= fact.low ? found[i].low : fact.low;",
            "fact.high = found[i].high >= fact.high ? found[i].high : fact.high;",
        )
    },
    ("minplus/panels.cl", "for (; i + VECTOR_LENGTH < length; i += VECTOR_LENGTH) {"): SPEED,
    ("minplus/panels.cl", "empty = empty && (b_is_empty && no_paths(a_rows[i] + step, last_k - step));"): SPEED,
    (
        "minplus/panels.cl",
        "bool no_paths(__global const WEIGHT *restrict weights, const uint length)",
    ): "a step of a panel, of at most 1,024 rows",
    ("minplus/entries.cl", "for (; i + WIDTH < count; i += WIDTH)"): SPEED,
    ("minplus/entries.cl", "for (; i + WIDTH < count; i += WIDTH) {"): SPEED,
    **{
        (file, line): SPEED  # work-groups do what others do, too
        for file in ("minplus/entries.cl", "minplus/to_user.cl")
        for line in (
            "const ulong last = min((group - 1) * PIECE, rows * columns);",
            "const ulong count = min(last + index, columns - column);",
        )
    },
    (
        "minplus/entries.cl",
        "for (i = get_local_id(0); i <= count; i += GROUP_SIZE) {",
    ): "it ends before, at the wrong entry that the work-item has seen",
    ("minplus/entries.cl", "uint i = get_local_id(0);"): SMALL,
    (
        "minplus/from_user.cl",
        "const ulong given = row < rows && column <= columns ? min(count, columns - column) : 0;",
    ): SAME_IF_EQUAL,
    ("primitives/scan_trace.cl", "if (item == 1)"): ANY_ITEM,
    ("primitives/blelloch_scan.cl", "if (item == GROUP_SIZE - 1 || get_num_groups(0) > 1) {"): ANY_ITEM,
    ("all_pairs/trees.cl", "if (vertex == 1 && row == 0)"): ANY_ITEM,
    ("all_pairs/katz_kider.cl", "const bool in_row = GROUP_OF_LAUNCH(1) == 1;"): ANY_ITEM,
    (
        "single_source/near_far_team.cl",
        "report[2 * worker - ENTRIES_LEFT] = s.tail - s.head + s.far_count;",
    ): "ENTRIES_LEFT is 0",
    (
        "sort/radix_work_item.cl",
        "const size_t first = get_global_id(0) * (size_t)chunk, end = min(first + chunk, n);",
    ): SAME_TYPE,
    (
        "sort/keys.cl",
        "return magnitude > INFINITE_BITS ? (KEY) ~(KEY)1 : ordinal;",
    ): "still above infinity, and the same for every NaN",
    (
        "traversal/bfs_work_groups.cl",
        "for (size_t first = get_group_id(0) * (size_t)share; first <= pieces; first += (size_t)groups * share)",
    ): "no piece is left there",
    (
        "matching/phases.cl",
        "for (uint base = (uint)get_group_id(0) * GROUP_SIZE; base <= count; base += stride) {",
    ): "no row is left there",
    ("matching/phases.cl", "const uint degree = indptr[vertex + 1] - first;"): SMALL,
    **{
        ("matching/karp_sipser.cl", line): SPEED
        for line in ("#define FAR_AHEAD 9", "#define AHEAD 5", "#define NEAR_AHEAD 3")
    },
    (
        "matching/karp_sipser.cl",
        "open += is_free(left, (uint)cursor) && (uint)left[cursor] > 1;",
    ): "a column with one row left has been matched before",
    **{
        ("matching/balls.cl", line): "the launch has one work-item"
        for line in ("if (false)", "if (get_global_id(0) > 1)")
    },
    ("forests/verify.cl", "const uint edge = last - 1;"): SMALL,
    ("components/colours.cl", "Edge edge = {0, 1, false};"): "an edge that is not there has no target",
    (
        "components/colours.cl",
        "if (true) atomic_min(&pivot[1], (int)vertex);",
    ): SPEED,  # by vertex 0: any pivot is as right, and one that has an owner already marks nothing else
    (
        "matching/balls.cl",
        "for (ulong work = 0; work <= budget && (held > 0 || cursor < n); ++work) {",
    ): SPEED,
    (
        "matching/check.cl",
        "const ulong first = (ulong)get_global_id(0) * PIECE, last = min(first - PIECE, (ulong)n + columns);",
    ): SPEED,  # the first work-item then looks at everything
    (
        "assignment/paths.cl",
        "epsilon = over || epsilon <= last_epsilon ? 0 : min(epsilon / REFINEMENT, last_epsilon);",
    ): SPEED,
    ("assignment/paths.cl", "#define SUMS 4"): READ_BY_HOST,
    ("traversal/bfs_work_items.cl", "PREFETCH(first_edge + queue[min(head - FAR_AHEAD, tail - 1)]);"): SPEED,
    ("edges/predecessors_outgoing.cl", "#define LISTED (RUN < 64 ? RUN : 65)  // edges, or more by this many"): SPEED,
    (
        "forests/edges.cl",
        "const VALUE magnitude = value & ~((VALUE)1 << (9 * sizeof(VALUE) - 1));",
    ): "for devices that take subnormal numbers for 0, of which none is tested",
    (
        "centrality/counts.cl",
        "#define EXPONENT_BITS (0x7FFul << 53)",
    ): "exponents are even then, and parts below 2: the same numbers, rounded alike",
}
"""Mutants that change no behaviour where there is a device, each checked by hand: file and mutated line, and why.

Where other mutants of the file have the same line, it is given together with the one behind it.
"""

Edit = tuple[int, int, str]
"""Where a text is to be replaced, from and up to, and by what."""


# ---- faults -----------------------------------------------------------------------------------------

UNTOUCHED = re.compile(
    r"""//.*
    | /\*[\s\S]*?\*/
    | "(?:\\.|[^"\\\n])*"
    | ^[ ]*\#[ ]*define[ ]+\w+(?:\([^)\n]*\))?
    | ^[ ]*\#[ ]*(?!define)(?:.*\\\n)*.*
    | __attribute__\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)
    | ^WORK_GROUP\(.*\)
    | \basm\(.*\);
    | \bget_\w+\(\d\)""",
    re.MULTILINE | re.VERBOSE,
)
"""Comments, texts, directives but for what macros stand for, and what the compiler alone needs."""


def code_of(text: str) -> str:
    """Return a text of the same length in which everything that no fault may touch is blank; ids keep their names."""

    def blank(match: re.Match[str]) -> str:
        if match[0].startswith("get_"):
            return match[0][:-2] + " " + match[0][-1]
        return re.sub(r"[^\n]", " ", match[0])

    return UNTOUCHED.sub(blank, text)


def closing(code: str, start: int) -> int:
    """Return the place behind the bracket that closes the one at ``start``."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth == 0:
            return place + 1
    raise ValueError(f"nothing closes the bracket at {start}")


def arguments_of(code: str, start: int) -> list[tuple[int, int]]:
    """Return where the arguments of the call whose bracket opens at ``start`` are, without the blanks around them."""
    end, begin, found = closing(code, start), start + 1, []
    depth = 0
    for place in range(start + 1, end):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if place == end - 1 or (code[place] == "," and depth == 0):
            part = code[begin:place]
            found.append((begin + len(part) - len(part.lstrip()), begin + len(part.rstrip())))
            begin = place + 1
    return found


def without_barrier(code: str) -> Iterator[Edit]:
    for match in re.finditer(r"\b(?:barrier|mem_fence)(?=\()", code):
        yield match.start(), closing(code, match.end()), ""


def without_guard(code: str) -> Iterator[Edit]:
    """Let all work-items do what a condition on their ids leaves to some."""
    ids = set(re.findall(r"(\w+) = (?:\(\w+\))?get_(?:global|local|group)_id\([^()]*\)[,;]", code))
    for match in re.finditer(r"\bif (?=\()", code):
        end = closing(code, match.end())
        words = set(re.findall(r"\w+", code[match.end() : end]))
        if words & ids or words & {"get_global_id", "get_local_id", "get_group_id"}:
            leaves = re.match(r"\s*(?:return|continue|break);", code[end:])
            yield match.end(), end, "(false)" if leaves else "(true)"


PLAIN = {
    **{"min": "min(was_, {1})", "max": "max(was_, {1})", "lower": "min(was_, {1})"},
    **{"add": "was_ + ({1})", "sub": "was_ - ({1})", "inc": "was_ + 1", "dec": "was_ - 1", "get": "was_"},
    **{"or": "was_ | ({1})", "and": "was_ & ({1})", "xor": "was_ ^ ({1})", "xchg": "{1}", "set": "{1}"},
    "cmpxchg": "was_ == ({1}) ? ({2}) : was_",
}
"""What atomic operations, and the macros for them, write where ``was_`` was."""


def plain_operation(code: str) -> Iterator[Edit]:
    for match in re.finditer(rf"\b(?:atomic_|atom_)({'|'.join(PLAIN)})(?=\()|\b(LOWER)(?=\()", code):
        arguments = [code[begin:end] for begin, end in arguments_of(code, match.end())]
        written = PLAIN[match[1] or "min"].format(*arguments)
        place = f"*({arguments[0]})"
        plain = f"({{ __typeof__({place} + 0) was_ = {place}; {place} = {written}; was_; }})"
        yield match.start(), closing(code, match.end()), plain


def replaced(pattern: str, replacements: dict[str, str]) -> Callable[[str], Iterator[Edit]]:
    """Return the operator that replaces whatever matches the group of a pattern."""

    def edits(code: str) -> Iterator[Edit]:
        for match in re.finditer(pattern, code):
            yield match.start(1), match.end(1), replacements[match[1]]

    return edits


def sign_in_index(code: str) -> Iterator[Edit]:
    """In brackets, and where a variable of an unsigned type is declared."""
    brackets = [(match.start(), closing(code, match.start())) for match in re.finditer(r"\[", code)]
    declared = re.finditer(r"^ *(?:const )?(?:size_t|ulong|uint|OFFSET) [^;{]*;", code, re.MULTILINE)
    indices = [*brackets, *(match.span() for match in declared)]
    for match in re.finditer(r"(?<=[\w)\]] )[+-](?= )", code):
        if any(begin < match.start() < end for begin, end in indices):
            yield match.start(), match.end(), {"+": "-", "-": "+"}[match[0]]


def off_by_one(code: str) -> Iterator[Edit]:
    """Add one to a constant, or leave out the last turn of a loop."""
    arrays = [
        match.span()
        for match in re.finditer(r"^ *(?:__local |const |volatile )*\w+ \**\w+(?:\[[^\]\n]*\])+", code, re.MULTILINE)
    ]
    for match in re.finditer(r"(?<![\w.])\d+(?=u?l?\b)(?!\.)", code):
        if not any(begin < match.start() < end for begin, end in arrays):
            yield match.start(), match.end(), str(int(match[0]) + 1)
    for match in re.finditer(r"\bfor \([^;]*;[^;]*?( < )[^;]*; \+\+", code):
        yield match.start(1), match.end(1), " + 1 < "


NO_CALL = {"if", "for", "while", "switch", "return", "sizeof", "min", "max", "barrier"}


def swapped_arguments(code: str) -> Iterator[Edit]:
    for match in re.finditer(r"\b(\w+)(?=\()", code):
        if match[1] in NO_CALL or match[1].startswith(("atom", "as_")):
            continue
        places = arguments_of(code, match.end())
        for (begin, end), (next_begin, next_end) in itertools.pairwise(places):
            first, second = code[begin:end], code[next_begin:next_end]
            declares = re.search(r"\w \**\w+$", first) or not first or not second
            if first != second and not declares:
                yield begin, next_end, second + code[end:next_begin] + first


OPERATORS: dict[str, Callable[[str], Iterator[Edit]]] = {
    "barrier": without_barrier,
    "guard": without_guard,
    "atomic": plain_operation,
    "relation": replaced(r" ([<>]=?) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    "min-max": replaced(r"\b(?:atomic_|atom_|f)?(min|max)(?=\()", {"min": "max", "max": "min"}),
    "sign": sign_in_index,
    "off by one": off_by_one,
    "narrow": replaced(
        r"(\((?:size_t|ulong)\)|\b(?:size_t|ulong)\b(?= \w))",
        {"(size_t)": "", "(ulong)": "", "size_t": "uint", "ulong": "uint"},
    ),
    "logic": replaced(r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    "arguments": swapped_arguments,
}


@dataclass(frozen=True)
class Mutant:
    """A kernel file with one fault."""

    file: str
    operator: str
    before: str
    after: str

    @property
    def key(self) -> str:
        """What tells this mutant from every other one, and from itself once its code has changed.

        A file may move, and its comments may change.
        """
        lines = (re.sub("//.*", "", line).strip() for line in self.after.split("\n") if not line.startswith("#include"))
        return hashlib.sha256("\n".join(line for line in lines if line).encode()).hexdigest()[:12]

    @property
    def line(self) -> int:
        """The number of the first line that differs, from 1 on."""
        both = zip(self.before.split("\n"), self.after.split("\n"), strict=False)
        return next(number for number, (old, new) in enumerate(both, 1) if old != new)

    @property
    def diff(self) -> str:
        """The fault, as a patch without context."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), n=0, lineterm="")
        return "\n".join(line for line in itertools.islice(lines, 2, None) if not line.startswith("@@"))


def mutants_of(folder: Path, file: str) -> list[Mutant]:
    """Return every mutant of a file, in the order of its text."""
    text = (folder / file).read_text(encoding="utf-8")
    code = code_of(text)
    found = []
    for name, edits in OPERATORS.items():
        for begin, end, replacement in edits(code):
            found.append(Mutant(file, name, text, text[:begin] + replacement + text[end:]))
    return found


def is_equivalent(mutant: Mutant) -> bool:
    """Whether a mutant is known to be no fault."""
    (before, *_), (after, *_) = lines = [lines_at(text, mutant.line) for text in (mutant.before, mutant.after)]
    return (
        (mutant.file, before) in UNREACHED
        or (mutant.file, " ".join(lines[0])) in HARMLESS
        or {(mutant.file, after), (mutant.file, " ".join(lines[1]))} & EQUIVALENT.keys() != set()
    )


def lines_at(text: str, number: int) -> list[str]:
    """Return the line with a number, from 1 on, and the one behind it, without the blanks around them."""
    return [line.strip() for line in text.split("\n")[number - 1 : number + 1]]


def in_turn(groups: list[list[Mutant]]) -> list[Mutant]:
    """Return the first of each group, then the second ones, and so on."""
    rows = itertools.zip_longest(*groups)
    return [mutant for row in rows for mutant in row if mutant is not None]


def planned(folder: Path, seed: int, files: str = "*", operators: Collection[str] = tuple(OPERATORS)) -> list[Mutant]:
    """Return all mutants in the order in which they are tried: files take turns, and operators within each file.

    Those that are known to be equivalent, or of other operators, are left out: nothing else changes in this order.
    """
    by_file = []
    for file in kernel_files(folder):
        if fnmatch.fnmatch(file, files):
            order = random.Random(f"{seed} {Path(file).name}")
            every = mutants_of(folder, file)
            groups = [[each for each in every if each.operator == name] for name in OPERATORS]
            for group in groups:
                order.shuffle(group)
            order.shuffle(groups)
            by_file.append(in_turn(groups))
    random.Random(seed).shuffle(by_file)
    return [each for each in in_turn(by_file) if each.operator in operators and not is_equivalent(each)]


# ---- in a child process, with the fault -------------------------------------------------------------


def use_mutant() -> None:
    """Take the kernels from where the parent process has put them."""
    from reedsp.device import build

    folder = Path(os.environ[FOLDER])
    build.kernel_directory = lambda: folder


def pytest_configure() -> None:
    """Plant the fault before any test is collected: this file is also a plugin of pytest."""
    use_mutant()


def run_checks(file: str) -> None:
    """Run the checks of a kernel file that ``under_oclgrind.py`` has."""
    from tests.deep import under_oclgrind

    use_mutant()
    under_oclgrind.until_noticed(file)


# ---- verdicts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worker:
    """A folder with a copy of the kernels, and with caches that nobody else uses."""

    folder: Path
    passed: dict[tuple[str, str], bool] = field(default_factory=dict)

    def verdict(self, mutant: Mutant) -> Verdict:
        """Try one mutant."""
        started = time.monotonic()
        result, by = "survived", ""
        for name, command in self.steps(mutant.file, mutant.operator).items():
            if self.passed.get((mutant.file, name)) is False:
                continue
            self.place(mutant.file, mutant.after)
            status, output = self.run(name, command)
            if NO_PROGRAM in output:
                result = "discarded"
                break
            by = reason(name, status, output, self._log)
            beyond_doubt = name != UNIFORM and (LOGGED in by or "::" in by)
            if by and (beyond_doubt or self.passes(mutant, name, command)):
                result = "killed"
                break
            by = ""
        seconds = round(time.monotonic() - started, 1)
        return Verdict(mutant.key, mutant.file, mutant.line, mutant.operator, result, by, seconds)

    def passes(self, mutant: Mutant, name: str, command: list[str]) -> bool:
        """Whether a step notices nothing where there is no fault, which is tried once for each file."""
        if (mutant.file, name) not in self.passed:
            self.place(mutant.file, mutant.before)
            self.passed[mutant.file, name] = reason(name, *self.run(name, command), self._log) == ""
        return self.passed[mutant.file, name]

    @property
    def _log(self) -> Path:
        return self.folder / "oclgrind.log"

    def place(self, file: str, text: str) -> None:
        """Copy the kernels, one file with another text."""
        from reedsp.device import build

        copy = self.folder / "cl"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(build.kernel_directory(), copy)
        (copy / file).write_text(text, encoding="utf-8")

    def steps(self, file: str, operator: str) -> dict[str, list[str]]:
        """Return the commands that might notice the fault, the quickest first."""
        simulate = ["oclgrind", "--data-races", "--uninitialized", "--max-errors", "20", "--log", str(self._log)]
        checks = [sys.executable, "-c", f"from tests.deep import mutants; mutants.run_checks({file!r})"]
        options = ["-n", "0", "-q", "-x", "-W", "error", "-p", "tests.deep.mutants", "-p", "no:cacheprovider"]
        pytest = [sys.executable, "-m", "pytest", *options]
        unoptimised = {"oclgrind, unoptimised": [*simulate, "--build-options", "-cl-opt-disable", *checks]}
        stricter = {UNIFORM: [*simulate, "--uniform-writes", *checks], **unoptimised}
        widths = [
            f"{TESTS}/arithmetic/test_widths.py::test_no_number_is_cut_short[{each}]" for each in programs_of(file)
        ]
        return {
            **({"tests, widths": [*pytest, *widths]} if operator == "narrow" else {}),
            "oclgrind": [*simulate, *checks],
            **(stricter if operator in RACES else {}),
            "tests": [*pytest, *(str(TESTS / module) for module in modules_of(file))],
            **unoptimised,
        }

    def run(self, name: str, command: list[str]) -> tuple[int | None, str]:
        """Run a command with the fault; return its exit status, None if it had to be ended, and what it wrote."""
        self._log.unlink(missing_ok=True)
        environment = {
            **os.environ,
            FOLDER: str(self.folder / "cl"),
            "REEDSP_DEVICE": "oclgrind" if name.startswith("oclgrind") else "pocl",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "POCL_CACHE_DIR": str(self.folder / "pocl"),
            "OCLGRIND_LOG": str(self._log),
            "PYTHONPATH": str(TESTS.parent),
        }
        with (self.folder / "output").open("w+", errors="replace") as output:
            child = subprocess.Popen(
                ["prlimit", f"--data={MEMORY}", *command],
                env=environment,
                cwd=TESTS.parent,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                status: int | None = child.wait(LIMITS[name.partition(",")[0]])
            except subprocess.TimeoutExpired:
                status = None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)  # what it has started, too
                child.wait()
            output.seek(0)
            return status, output.read()


def programs_of(file: str) -> list[str]:
    """Return a kernel file, or the files that include it."""
    from reedsp.device import build

    return [program for program in MODULES if f'"cl/{file}"' in build.assemble(program, {})]


def modules_of(file: str) -> list[str]:
    """Return the tests of a kernel file, or of the files that include it."""
    return list(dict.fromkeys(module for program in programs_of(file) for module in MODULES[program]))


def reason(name: str, status: int | None, output: str, log: Path) -> str:
    """Return what noticed the fault in a step, or an empty text."""
    if status is None:
        return f"{name}: no end"
    if name.startswith("oclgrind"):
        found = log.read_text(errors="replace").strip() if log.exists() else ""
        if found:
            return f"{name}{LOGGED}{found.splitlines()[0].strip()}"
        return "" if "all answers are right" in output else f"{name}: {last_line(output)}"
    if status == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return f"{name}: {failed[1] if failed else last_line(output)}"


def last_line(output: str) -> str:
    """Return the end of what a process has written, or that it has written nothing."""
    return output.strip().rpartition("\n")[2][:100] or "it crashed"


# ---- the command ------------------------------------------------------------------------------------


def tried(mutants: list[Mutant], count: int, jobs: int, output: Path | None) -> list[tuple[Mutant, Verdict]]:
    """Try mutants in their order until ``count`` of them have been built, and print and keep each verdict."""
    known = kept_verdicts(output)
    idle: queue.Queue[Worker] = queue.Queue()
    lock = threading.Lock()

    def judge(mutant: Mutant) -> tuple[Mutant, Verdict]:
        if mutant.key in known:
            return mutant, known[mutant.key]
        worker = idle.get()
        try:
            verdict = worker.verdict(mutant)
        finally:
            idle.put(worker)
        with lock:
            keep(output, verdict)
            print(row(verdict), flush=True)
        return mutant, verdict

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as pool:
        for number in range(jobs):
            worker = Worker((output.with_suffix(".caches") if output else Path(scratch)) / str(number))
            worker.folder.mkdir(parents=True, exist_ok=True)
            idle.put(worker)
        found: list[tuple[Mutant, Verdict]] = []
        waiting = iter(mutants)
        while batch := list(itertools.islice(waiting, count - len(found))):
            judged = pool.map(judge, batch)
            found += [each for each in judged if each[1].result != "discarded"]
    return found


def row(verdict: Verdict) -> str:
    """Return a verdict as a row of the table."""
    place = f"{verdict.file}:{verdict.line}"
    by = verdict.by or verdict.result
    return f"{verdict.key}  {place:<40}  {verdict.operator:<10}  {verdict.seconds:>7.1f} s  {by}"


def summary(found: list[tuple[Mutant, Verdict]]) -> bool:
    """Print the survivors and the share of each operator that was killed; return whether it is large enough."""
    for mutant, verdict in found:
        if verdict.result == "survived":
            print(f"\nsurvived: {mutant.key}, {mutant.operator}, cl/{mutant.file}:{mutant.line}\n{mutant.diff}")
    every = Counter(mutant.operator for mutant, _ in found)
    killed = Counter(mutant.operator for mutant, verdict in found if verdict.result == "killed")
    print()
    for name in OPERATORS:
        print(f"{name:<10}  {killed[name]:>4} of {every[name]:>4} killed")
    print(f"{'all':<10}  {killed.total():>4} of {every.total():>4} killed, in {len({m.file for m, _ in found})} files")
    enough = killed.total() >= FEWEST_KILLED * every.total()
    return enough and all(killed[name] == every[name] for name in RACES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show what would be tried, and try nothing")
    parser.add_argument("--count", type=int, default=200, help="mutants that build")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", default="*", metavar="GLOB", help="kernel files, such as 'near_far*'")
    parser.add_argument(
        "--operators", nargs="+", choices=OPERATORS, default=list(OPERATORS), metavar="NAME", help="kinds of faults"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--output", type=Path, metavar="CSV", help="keep the verdicts, and programs beside it, for the next call"
    )
    arguments = parser.parse_args()
    from reedsp.device import build

    mutants = planned(build.kernel_directory(), arguments.seed, arguments.files, arguments.operators)
    if arguments.list:
        for mutant in mutants[: arguments.count]:
            print(f"{mutant.key}  {mutant.file}:{mutant.line}  {mutant.operator}\n{mutant.diff}")
        return
    sys.exit(not summary(tried(mutants, arguments.count, arguments.jobs, arguments.output)))


if __name__ == "__main__":
    main()
