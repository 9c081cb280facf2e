"""Every kernel file, quickly: one small call that runs it, and its right answer. The rest of the suite goes further."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph
from scipy.optimize import linear_sum_assignment

import reedsp
from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.wide import Wide
from reedsp.algorithms.single_source import near_far_work_item
from reedsp.algorithms.structure.components import groups, ranges
from reedsp.algorithms.structure.forests.choose import finds_known_forests
from reedsp.algorithms.structure.matching import depth_first
from reedsp.algorithms.structure.matching.biadjacency import biadjacency_of
from reedsp.algorithms.structure.matching.sides import Rows
from reedsp.algorithms.traversal import queue_levels, queue_order
from reedsp.arithmetic.matrix import INTEGERS
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import build
from reedsp.device.device import Device, Program
from reedsp.device.job import Job
from reedsp.edges import statistics
from reedsp.edges.device_graph import NO_VERTEX, OutEdges
from reedsp.edges.predecessors import find_trees_outgoing
from reedsp.edges.preparation import MatrixRows
from reedsp.minplus import selfcheck
from reedsp.minplus.entries import convert, entries_of, look, write_results
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements, scan_in_form
from reedsp.primitives.sort.merges import list_sort, merge_path_sort
from reedsp.primitives.sort.radix import radix_sort
from reedsp.primitives.sort.records import Columns, Records, Sorting
from tests.support import probes
from tests.support.calls import made_graph
from tests.support.kernel_files import kernel_files

Check = Callable[[Device], bool]
NUMBERS = np.arange(300, dtype=np.int64)[::-1].copy()
HEADS = NUMBERS % 7 == 0


def distances(graph: reedsp.Graph, *sources: int) -> np.ndarray:
    return scipy.sparse.csgraph.bellman_ford(graph.to_scipy(), indices=sources or None)


def one_source(method: str, **more: Any) -> Check:
    """Distances, which the device finds right, too."""

    def check(device: Device) -> bool:
        graph = made_graph()
        paths = reedsp.sssp(graph, 3, method, device=device, **more)
        return np.array_equal(paths.dist, distances(graph, 3)[0]) and paths.verify()

    return check


def forest_by(method: str) -> Check:
    """Edges that Python chooses, too."""

    def check(device: Device) -> bool:
        types = "int32", "int32", "int32"
        verified = method != "kruskal" or reedsp.spanning_forest(made_graph(), device=device).verify(device)
        return verified and finds_known_forests(device, method, *types, True, False, 32, 8)

    return check


def near_far_by(rows: int, workers: int) -> Check:
    """Work-items that each take a row, or share one."""

    def check(device: Device) -> bool:
        arithmetic, job, graph = Arithmetic(np.dtype(np.int32)), Job(device), made_graph()
        edges = OutEdges.of(graph, job, arithmetic)
        dist, _ = near_far_work_item.solve(job, edges, arithmetic, [[row] for row in range(rows)], workers=workers)
        found = job.download(dist, rows * graph.n, np.int32).reshape(rows, graph.n)
        return np.array_equal(np.where(found == arithmetic.infinity, np.inf, found), distances(graph, *range(rows)))

    return check


def near_far_with_trees(rows: int, workers: int) -> Check:
    """The same, which note the trees on the way."""

    def check(device: Device) -> bool:
        arithmetic, job, graph = Arithmetic(np.dtype(np.int32)), Job(device), made_graph(lightest=1)
        edges, starts = OutEdges.of(graph, job, arithmetic), [[row] for row in range(rows)]
        found, _, noted = near_far_work_item.solve_with_trees(job, edges, arithmetic, starts, workers=workers)
        dist, pred = (
            job.download(each, rows * graph.n, np.int32).reshape(rows, graph.n) for each in (found, noted.predecessors)
        )
        expected = [reedsp.sssp(graph, row, "input-parallel", device=device).pred for row in range(rows)]
        is_right = np.array_equal(np.where(dist == arithmetic.infinity, np.inf, dist), distances(graph, *range(rows)))
        return is_right and np.array_equal(pred, expected)

    return check


def target(device: Device) -> bool:
    graph = made_graph()
    expected = distances(graph, 3)[0]
    end = int(np.argsort(expected)[20])
    return reedsp.sssp(graph, 3, "near-far", target=end, device=device).dist[end] == expected[end]


def prepared(device: Device) -> bool:
    """Searches by work-items alone, and by many that share each round."""
    graph, job, arithmetic = made_graph(), Job(device), Arithmetic(np.dtype(np.int32))
    hierarchy = contract(graph, units_of(graph), job)
    expected = distances(graph, 3, 5)
    for searches in (Batches(hierarchy, job), Wide(hierarchy, job)):
        rows = np.empty((2, graph.n), np.int32)
        with job.writes(rows) as results:
            searches.rows(job, hierarchy.rank[[3, 5]], arithmetic, results)
        if not np.array_equal(np.where(rows == arithmetic.infinity, np.inf, rows), expected):
            return False
        if searches.meet(job, *hierarchy.rank[[3, 5]].tolist())[0] != expected[0, 5]:
            return False
    return True


def by_levels(method: str) -> Check:
    def check(device: Device) -> bool:
        graph = made_graph()
        levels = reedsp.bfs(graph, 3, device=device, options={"method": method}).levels
        expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), unweighted=True, indices=3)
        return np.array_equal(np.where(levels < 0, np.inf, levels), expected)

    return check


def along_few_edges(device: Device) -> bool:
    """Both ways in which work-groups relax all edges of a vertex at once."""
    graph = grid()
    expected = distances(graph, 3)[0]
    return all(
        np.array_equal(reedsp.sssp(graph, 3, "near-far", device=device, options={"balance": name}).dist, expected)
        for name in ("items", "low-degree")
    )


def levels_along_few_edges(device: Device) -> bool:
    graph = grid()
    levels = reedsp.bfs(graph, 3, device=device, options={"method": "near-far"}).levels
    return np.array_equal(levels, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), unweighted=True, indices=3))


def grid() -> reedsp.Graph:
    """Return a grid of 20 by 20 vertices."""
    number = np.arange(400).reshape(20, 20)
    ends = [
        np.concatenate((a.ravel(), b.ravel())) for a, b in ((number[1:], number[:, 1:]), (number[:-1], number[:, :-1]))
    ]
    return reedsp.Graph.from_edges(400, *ends, np.arange(1, 1 + len(ends[0])) % 17 + 1, directed=False)


def betweenness(method: str) -> Check:
    def check(device: Device) -> bool:
        graph = made_graph()
        found = reedsp.betweenness(graph, device=device, options={"method": method})
        expected = nx.betweenness_centrality(nx.DiGraph(graph.to_scipy()))
        return np.allclose(found.values, list(expected.values())) and found.verify()

    return check


def in_order(search: Callable[[MatrixRows, int], Any]) -> Check:
    """Breadth-first, by one work-item or by work-groups."""

    def check(device: Device) -> bool:
        graph = made_graph()
        rows = MatrixRows(Job(device), graph.indptr, graph.indices)
        order, predecessors = search(rows, 3)
        rows.close()
        matrix = graph.to_scipy().astype(np.float64)
        matrix.data[:] = 1
        expected = scipy.sparse.csgraph.breadth_first_order(matrix, 3)
        return np.array_equal(order, expected[0]) and np.array_equal(predecessors, expected[1])

    return check


def all_pairs(method: str, negative: bool = False, **options: Any) -> Check:
    def check(device: Device) -> bool:
        graph = made_graph(negative)
        pairs = reedsp.apsp(graph, method, predecessors=True, device=device, options=options)
        weights = np.full((graph.n, graph.n), np.inf)
        np.minimum.at(weights, (np.repeat(np.arange(graph.n), np.diff(graph.indptr)), graph.indices), graph.weights)
        source, end = np.nonzero(pairs.pred >= 0)
        before = pairs.pred[source, end]
        through = pairs.dist[source, before] + weights[before, end]
        return np.array_equal(pairs.dist, distances(graph)) and np.array_equal(pairs.dist[source, end], through)

    return check


def by_products(in_groups: bool) -> Check:
    """Of tiles for work-groups, or for work-items that work alone."""

    def check(device: Device) -> bool:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(selfcheck, "works_in_groups", lambda device: in_groups)
            return all_pairs("floyd-warshall", negative=not in_groups)(device)

    return check


def of_users(device: Device) -> bool:
    matrix, job = np.array([[3, np.inf], [0, -1]], np.float32), Job(device)
    entries = entries_of(job, matrix)
    facts = look(job, entries)
    converted = convert(job, entries, INTEGERS[1], (2, 3))
    result = job.allocate(4, np.int8)
    lost = write_results(job, INTEGERS[1], converted, 3, result, (2, 2), np.dtype(np.int8))
    found = job.download(result, 4, np.int8).tolist()
    job.return_borrowed()
    return (facts.low, facts.high, facts.wrong, lost, found) == (-1, 3, None, None, [3, 127, 0, -1])


def scanned(method: str) -> Check:
    def check(device: Device) -> bool:
        sums = reedsp.segmented_scan(NUMBERS, HEADS, method=method, device=device)
        expected = np.cumsum(NUMBERS)
        first = np.maximum.accumulate(np.where(HEADS, np.arange(len(HEADS)), 0))
        return np.array_equal(sums, expected - expected[first] + NUMBERS[first])

    return check


def scanned_once(device: Device) -> bool:
    job, elements = Job(device), Elements(resolve("add", np.dtype(np.uint32)), np.dtype(np.uint32), built_in=True)
    out, total = job.allocate(NUMBERS.size, np.uint32), job.allocate(1, np.uint32)
    x = job.upload(NUMBERS.astype(np.uint32))
    for kernel in scan_in_form(job, elements, Buffers(x, x, out, total), NUMBERS.size, "single-pass", 16):
        kernel.queue()
    return np.array_equal(job.download(out, NUMBERS.size, np.uint32), np.cumsum(NUMBERS))


def at_places(device: Device) -> bool:
    from pyopencl import array

    given = [array.to_device(device.queue, each) for each in (NUMBERS, np.flatnonzero(HEADS))]
    return np.array_equal(reedsp.segmented_scan(*given).get(), reedsp.segmented_scan(NUMBERS, HEADS, device=device))


def sorted_by(sort: Callable[..., None], *choices: Any) -> Check:
    def check(device: Device) -> bool:
        job, records = Job(device), Records(NUMBERS.dtype)
        target = job.allocate(NUMBERS.size, NUMBERS.dtype)
        sort(Sorting(job, records, NUMBERS.size, Columns(job.upload(NUMBERS)), Columns(target)), *choices)
        return np.array_equal(job.download(target, NUMBERS.size, NUMBERS.dtype), NUMBERS[::-1])

    return check


def matched(method: Any) -> Check:
    """As many pairs as SciPy finds, proved."""

    def check(device: Device) -> bool:
        matrix = made_graph().to_scipy()
        found = reedsp.maximum_matching(matrix, method, device=device)
        expected = scipy.sparse.csgraph.maximum_bipartite_matching(matrix)
        return found.verify() and found.cardinality == np.count_nonzero(expected >= 0)

    return check


def matched_in_depth(device: Device) -> bool:
    """As above, where it begins with pairs that leave nothing to be searched for, and from no pair on."""
    matrix, job = made_graph().to_scipy(), Job(device)
    rows = Rows(job, biadjacency_of(matrix)[0])
    mates = job.full(sum(matrix.shape), np.int32(-1))
    pairs = depth_first.augment(rows, mates)[1]
    rows.close()
    expected = np.count_nonzero(scipy.sparse.csgraph.maximum_bipartite_matching(matrix) >= 0)
    return pairs == expected and matched("depth-first")(device)


def flow_by(method: Any) -> Check:
    def check(device: Device) -> bool:
        graph = made_graph()
        found = reedsp.maximum_flow(graph, 3, 5, method, device=device)
        expected = scipy.sparse.csgraph.maximum_flow(graph.to_scipy().astype(np.int32), 3, 5).flow_value
        return found.value == expected and found.verify(device)

    return check


def assignment_by(method: Any) -> Check:
    def check(device: Device) -> bool:
        matrix = (np.arange(49).reshape(7, 7) * 17) % 23
        found = reedsp.full_matching(matrix + 1, method=method, device=device)
        return found.weight == 7 + matrix[linear_sum_assignment(matrix)].sum() and found.verify(device)

    return check


def self_test(device: Device) -> bool:
    device.self_test()
    return True


def connected(connection: Any, method: Any) -> Check:
    """Components, which the device finds right, too."""

    def check(device: Device) -> bool:
        graph = made_graph()
        found = reedsp.connected_components(graph, connection, method, device=device)
        count, labels = scipy.sparse.csgraph.connected_components(graph.to_scipy(), connection=connection)
        pairs = set(zip(found.labels.tolist(), labels.tolist(), strict=True))
        return found.count == count == len(pairs) and found.verify()

    return check


def connected_in_ranges(device: Device) -> bool:
    graph = made_graph()
    labels = np.empty(graph.n, np.int32)
    count = ranges.label_by_ranges(MatrixRows(Job(device), graph.indptr, graph.indices), False, labels, parts=3)
    expected = scipy.sparse.csgraph.connected_components(graph.to_scipy())
    return count == expected[0] and np.array_equal(labels, expected[1])


def many_levels(device: Device) -> bool:
    """Edges that weigh nothing, along which a CPU finds the tree hop by hop."""
    graph = reedsp.Graph.from_edges(60, range(59), range(1, 60), [0] * 59)
    arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
    edges, dist = OutEdges.of(graph, job, arithmetic), job.full(60, np.int32(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "kind", "cpu")
        trees = find_trees_outgoing(job, edges, arithmetic, dist, [[0]], False)
    return job.download(trees.predecessors, 60, np.int32).tolist() == [NO_VERTEX, *range(59)]


def added_up(device: Device) -> bool:
    """In groups of several work-items, which add up what each has seen."""
    arithmetic, job, n = Arithmetic(np.dtype(np.float64)), Job(device), 700
    dist = np.sqrt(np.arange(3.0 * n)).reshape(3, n)
    dist[:, ::4] = np.inf
    found, expected = (statistics.RowStatistics.empty(3, dist.dtype) for _ in range(2))
    statistics.add_up(job, job.upload(dist), n, found, arithmetic, 64)
    statistics.add_up_on_host(dist, expected, np.inf)
    return found.equals(expected)


def connected_in_groups(device: Device) -> bool:
    graph, job = made_graph(), Job(device)
    labels = np.empty(graph.n, np.int32)
    count = groups.label_by_groups(job, groups.Edges.of(graph, job), False, labels)
    expected = scipy.sparse.csgraph.connected_components(graph.to_scipy())
    return count == expected[0] and np.array_equal(labels, expected[1])


COMPONENTS = "components/hook.cl"
PATHS = {
    "core/language.cl",
    "core/weights.cl",
    "core/no_vertex.cl",
    "core/rounds.cl",
    "edges/unresolved.cl",
    "edges/verify.cl",
}
INWARD = {"edges/predecessors.cl"}
OUTWARD = {"edges/predecessors_outgoing.cl", "edges/prepare.cl", "edges/distances.cl"}
PILES = {"single_source/near_far_piles.cl", "single_source/entry.cl", "core/out_edges.cl"}
MATRICES = {"all_pairs/matrix.cl", "all_pairs/trees.cl", "core/transpose.cl", "minplus/common.cl", "minplus/vectors.cl"}
MATCHINGS = {f"matching/{name}.cl" for name in ("check", "row_of", "rows")}
SCANS = {"primitives/elements.cl"}
LADDER = {f"edges/balance{name}.cl" for name in ("", "_sums", "_block_search", "_items")}
RUNGS = {
    f"balance/{name}.cl"
    for name in (
        *("ladder", "units", "direct_search", "items", "virtual_warps", "dynamic_virtual_warps", "cta_warp_scan"),
        *("running_ends", "warp_search", "block_search", "merge_path", "tiles", "two_phase", "multi_phase"),
    )
}
CHECKS: dict[str, tuple[Check, set[str]]] = {
    "output parallel": (
        one_source("output-parallel"),
        PATHS | INWARD | {"single_source/output_parallel.cl", "core/dispatch.cl"},
    ),
    "input parallel": (one_source("input-parallel"), PATHS | INWARD | {"single_source/input_parallel.cl"}),
    "refined": (
        one_source("input-parallel-refined"),
        PATHS | INWARD | RUNGS | {"single_source/input_parallel_refined.cl"},
    ),
    **{
        f"refined by {name}": (one_source("input-parallel-refined", options={"balance": name}), {f"balance/{file}.cl"})
        for name, file in (("multi-phase", "partition"), ("dynamic-virtual-warps", "large_items"))
    },
    "near-far in rows": (near_far_by(3, 1), PILES | {"single_source/near_far_work_item.cl", "core/rows.cl"}),
    "near-far in a team": (near_far_by(1, 3), PILES | {"single_source/near_far_team.cl"}),
    "near-far with trees in rows": (near_far_with_trees(3, 1), {"single_source/near_far_trees.cl"}),
    "near-far with trees in a team": (near_far_with_trees(1, 3), {"single_source/near_far_trees.cl"}),
    "near-far in work-groups": (
        one_source("near-far", options={"work_groups": True}),
        PATHS | OUTWARD | {"single_source/near_far_work_group.cl", "core/atomic_min.cl"} | LADDER,
    ),
    "Dijkstra with heaps": (
        one_source("dijkstra-heap"),
        PATHS | OUTWARD | {"single_source/dijkstra_heap.cl", "single_source/counted.cl", "core/out_edges.cl"},
    ),
    "Dijkstra with arrays": (
        one_source("dijkstra-array", options={"group_size": 8}),
        PATHS | OUTWARD | {"single_source/dijkstra_array.cl", "single_source/counted.cl", "core/out_edges.cl"},
    ),
    "contraction": (
        prepared,
        {"core/out_edges.cl", "core/atomic_min.cl"}
        | {f"contraction/{name}.cl" for name in ("rounds", "batches", "wide", "results")},
    ),
    "near-far along few edges": (along_few_edges, {"edges/pad.cl"}),
    "levels along few edges": (levels_along_few_edges, {"traversal/deep.cl", "edges/pad.cl"}),
    "near-far in local memory": (
        one_source("near-far-local"),
        PATHS | OUTWARD | {"single_source/near_far_local.cl", "core/out_edges.cl", "core/atomic_min.cl"},
    ),
    "Bellman-Ford in work-groups": (
        one_source("bellman-ford"),
        PATHS | INWARD | {"single_source/bellman_ford_groups.cl", "single_source/counted.cl", "core/rows.cl"},
    ),
    "Bellman-Ford with a queue": (
        one_source("bellman-ford-queue"),
        PATHS
        | {f"edges/{name}.cl" for name in ("predecessors_outgoing", "prepare")}
        | {"single_source/bellman_ford_queue.cl", "core/rows.cl", "core/prefetch.cl"},
    ),
    "a path of many hop levels": (many_levels, {"edges/predecessors_in_order.cl"}),
    "sums of distances": (added_up, {"edges/statistics.cl"}),
    "to a target": (target, {"single_source/near_far_target.cl"}),
    "levels in work-items": (
        by_levels("work-items"),
        {"traversal/bfs_work_items.cl", "traversal/bfs_direction.cl", "traversal/queue.cl", "core/prefetch.cl"},
    ),
    "the order of a queue": (in_order(queue_order._search_by_item), {"traversal/queue_order.cl", "traversal/queue.cl"}),
    "the order of a queue by levels": (in_order(queue_levels.search_by_levels), {"traversal/queue_levels.cl"}),
    "components in ranges": (connected_in_ranges, {"components/ranges.cl", COMPONENTS}),
    "components in work-groups": (connected_in_groups, {"components/groups.cl"}),
    "components by a matrix": (connected("weak", "dulle"), {"components/dulle.cl"}),
    "strong components in depth": (
        connected("strong", "depth-first"),
        {"components/depth_first.cl", "components/verify.cl", "core/prefetch.cl"},
    ),
    "strong components by colours": (connected("strong", "colours"), {"components/colours.cl"}),
    **{
        f"matching, {method}": (check, MATCHINGS | {f"{name}.cl" for name in names})
        for method, check, *names in (
            ("depth-first", matched_in_depth, "matching/karp_sipser", "matching/depth_first", "core/prefetch"),
            ("phases", matched("phases"), "matching/phases"),
            ("dulle", matched("dulle"), "matching/balls"),
            ("khosla", matched("khosla"), "matching/balls"),
        )
    },
    "levels in work-groups": (by_levels("work-groups"), {"traversal/deal_out.cl", "traversal/bfs_work_groups.cl"}),
    "levels by a work-group a source": (
        by_levels("source-a-group"),
        {"traversal/deal_out.cl", "traversal/bfs_rows.cl", "core/rows.cl"},
    ),
    "levels by frontiers": (by_levels("frontier"), {"traversal/frontier.cl", "core/rounds.cl"} | RUNGS),
    **{
        f"a spanning forest by {method}": (forest_by(method), {"forests/keys.cl", *files})
        for method, files in (
            ("kruskal", {"forests/edges.cl", "forests/place.cl", "forests/kruskal.cl", "forests/verify.cl"}),
            ("boruvka", {"forests/edges.cl", "forests/boruvka.cl", "forests/rows.cl", "forests/trees.cl"}),
            ("dulle", {"forests/dulle.cl"}),
        )
    },
    "betweenness in work-items": (
        betweenness("work-items"),
        {"centrality/serial.cl", "centrality/counts.cl", "core/language.cl"},
    ),
    "betweenness in work-groups": (betweenness("work-groups"), {"centrality/levels.cl"}),
    "all pairs": (
        by_products(in_groups=False),
        MATRICES | {"all_pairs/floyd_warshall_serial_tile.cl", "minplus/panels.cl", "minplus/blocks.cl"},
    ),
    "all pairs in work-groups": (by_products(in_groups=True), MATRICES | {"all_pairs/floyd_warshall_stage.cl"}),
    **{
        f"all pairs, {name}": (
            all_pairs("floyd-warshall", kernel=name),
            MATRICES | {f"all_pairs/{name.replace('-', '_')}.cl"},
        )
        for name in ("harish-narayanan", "katz-kider", "optimized-blocked", "staged-load")
    },
    **{
        f"products, {what}": (
            all_pairs("min-plus", negative, product=name),
            {f"minplus/{'registers' if what == 'pairs' else what}.cl", "minplus/compare.cl"},
        )
        for name, what, negative in (
            ("naive", "naive", False),
            ("row-blocks", "row_blocks", False),
            ("tiles", "tiles", False),
            ("registers", "registers", True),
            ("registers", "pairs", False),
        )
    },
    "matrices of users": (of_users, {"minplus/entries.cl", "minplus/from_user.cl", "minplus/to_user.cl"}),
    **{
        f"scan, {name}": (scanned(name), SCANS | {f"primitives/{name.replace('-', '_')}_scan.cl"})
        for name in ("work-group", "work-item", "blelloch", "naive")
    },
    "scan in a single pass": (scanned_once, {"primitives/single_pass_scan.cl", "primitives/tiles.cl"}),
    "scan of places": (at_places, {"primitives/heads.cl"}),
    "sum in work-groups": (
        lambda device: reedsp.reduce(NUMBERS, method="work-group", device=device) == NUMBERS.sum(),
        SCANS | {"primitives/reduce.cl", "primitives/quads.cl"},
    ),
    "sum in pairs": (
        lambda device: reedsp.reduce(NUMBERS, method="naive", device=device) == NUMBERS.sum(),
        {"strided/pairs.cl"},
    ),
    "sum by a tree of work-groups": (
        lambda device: reedsp.reduce(NUMBERS, method="dulle", group_size=4, each=3, device=device) == NUMBERS.sum(),
        {"strided/reduce.cl", "strided/tile.cl"},
    ),
    "scan by a tree of work-groups": (
        lambda device: np.array_equal(
            reedsp.inclusive_scan(NUMBERS, method="dulle", group_size=4, each=3, device=device), np.cumsum(NUMBERS)
        ),
        {"strided/scan.cl"},
    ),
    "tree of a scan": (
        lambda device: reedsp.trace([3, 1, 7], "blelloch-tree", device=device).states()[-1]["tree"] == [0, 3, 4, 11],
        {"primitives/scan_trace.cl"},
    ),
    **{
        f"sort by digits, {form}": (
            sorted_by(radix_sort, form),
            {f"sort/radix_{form.replace('-', '_')}.cl", "sort/digits.cl"} | more,
        )
        for form, more in (("work-item", set()), ("work-group", {"sort/sums.cl"}), ("lanes", set()))
    },
    **{
        f"sort by merging, {form}": (
            sorted_by(merge_path_sort, form),
            {f"sort/merge_{form.replace('-', '_')}.cl", "sort/order.cl"},
        )
        for form in ("work-item", "work-group")
    },
    "sort as Dulle does": (
        sorted_by(list_sort, "bitonic", 16),
        {"sort/lists.cl", "sort/keys.cl"},
    ),
    "flow by one work-item": (
        flow_by("dinic"),
        {f"flow/{name}.cl" for name in ("arc", "arcs", "dinic", "sum", "verify")},
    ),
    "flow by work-groups": (flow_by("push-relabel"), {"core/loads.cl", "flow/push_relabel.cl"}),
    "assignment by one work-item": (
        assignment_by("shortest-paths"),
        {"assignment/paths.cl", "assignment/verify.cl"},
    ),
    "assignment by work-groups": (
        assignment_by("auction"),
        {"assignment/auction_rounds.cl", "assignment/auction_few.cl", "assignment/offers.cl"},
    ),
    "self test": (self_test, {"core/self_test.cl"}),
    "accesses": (lambda device: probes.gathers(device, stride=None), {"cost_model/probes.cl"}),
    "sums and minima": (lambda device: probes.adds(device, "int32", 4), {"cost_model/pairs.cl"}),
}


def test_every_kernel_file_is_named() -> None:
    """But those of experiments, which are not in the wheel."""
    named = {file for _, files in CHECKS.values() for file in files}
    assert named == {file for file in kernel_files(build.kernel_directory()) if not file.startswith("experiments/")}


@pytest.mark.kernels
@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning"
)  # Intel's compiler crashes on tilings of GPUs, which are put aside
@pytest.mark.parametrize("name", CHECKS)
def test_kernel(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    check, files = CHECKS[name]
    used: set[str] = set()
    kernel_of = Device.kernel_of

    def recorded(device: Device, program: Program, name: str) -> Any:
        used.update(re.findall(r'^#line 1 "cl/(.*)"$', build.assemble(program[0], {}), re.MULTILINE))
        return kernel_of(device, program, name)

    monkeypatch.setattr(Device, "kernel_of", recorded)
    assert check(device)
    assert files <= used
