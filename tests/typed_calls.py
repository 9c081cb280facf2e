"""Calls as a type checker sees them: mypy reads this file, and nothing runs it.

A right call has the type that is asserted. A wrong one is an error, which the comment behind it expects: mypy also
complains of comments that hide nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any, assert_type

import networkx as nx
import numpy as np
import numpy.typing as npt
import scipy.sparse

import reedsp
from reedsp import cluster, csgraph
from reedsp.typing import AllPairsOptions, Distances, GraphLike, SearchMethod, Vertex

Dist = npt.NDArray[np.float64]
Vertices = npt.NDArray[np.int32]


def right_calls(graph: reedsp.Graph, matrix: scipy.sparse.csr_array, dense: Dist, routes: nx.DiGraph[Any]) -> None:
    assert_type(reedsp.sssp(graph, 0), reedsp.ShortestPaths)
    assert_type(reedsp.watch(graph, ["near-far", "boruvka"], "a"), reedsp.Page)
    assert_type(reedsp.sssp(graph, "a", "near-far", target="b", options={"delta": 2.5}).dist, Distances)
    assert_type(reedsp.sssp(graph, [0, 1], dtype="int64", min_only=True).pred, Vertices)
    assert_type(reedsp.sssp(graph, np.arange(3), dtype=np.float32).path(3), list[Any])
    reedsp.sssp(matrix, 0, dtype=np.dtype(np.int32), out=np.empty(4, np.int32))
    reedsp.sssp(dense, 0, dtype=float, device="gpu")
    reedsp.sssp([[0, 1], [1, 0]], 0, cutoff=3)
    reedsp.sssp(dense, 0, cutoff=np.int64(3))
    reedsp.sssp(routes, (0, 0), "output-parallel", options={"early_stop": False, "group_size": 64})
    assert_type(reedsp.bfs(routes, [(0, 0), (0, 1)], options={"direction": "top-down"}).levels, Vertices)
    assert_type(reedsp.betweenness(routes, [(0, 0)], edges=True, options={"method": "work-items"}), reedsp.Betweenness)
    assert_type(reedsp.connected_components(matrix, "strong", "depth-first").labels, Vertices)
    assert_type(csgraph.connected_components(matrix), tuple[int, Vertices])
    assert_type(csgraph.connected_components(matrix, return_labels=False), int)
    assert_type(reedsp.apsp(dense, "min-plus", True, "mark", options={"product": "tiles"}).pred, Vertices | None)
    reedsp.apsp(graph, out="dist.npy", device=[0, 1], options={"kernel": "staged-load"})
    assert_type(reedsp.distance_table(matrix, range(3), ["a", "b"]), Distances)
    assert_type(reedsp.prepare(matrix, device="cpu").sssp([0, 1], dtype="int32"), reedsp.ShortestPaths)
    assert_type(reedsp.load_prepared("prepared.npz", routes).distances("a"), Distances)
    assert_type(reedsp.prepare(graph).distance_table(range(3), ["a", "b"]), Distances)
    assert_type(reedsp.prepare(graph).distance("a", "b"), float)
    assert_type(reedsp.distance_statistics(matrix, device=["gpu", 0]), reedsp.DistanceStatistics)
    assert_type(reedsp.distance_statistics(reedsp.prepare(graph), ["a"], unweighted=True).closeness, Dist)
    assert_type(reedsp.distance_table(reedsp.prepare(graph).reverse(), [3], ["a"]), Distances)
    assert_type(reedsp.sssp(reedsp.prepare(graph), "a", dtype="int64"), reedsp.ShortestPaths)
    assert_type(reedsp.k_nearest(graph, None, 2, among=[3, 4]).dist, Distances)
    assert_type(reedsp.all_pairs_rows(graph, dtype="float32"), Iterator[tuple[Any, Distances]])
    reedsp.all_pairs_on_device(dense, dtype="float32", device=0)
    assert_type(reedsp.maximum_matching(dense, "phases", rows=[0, 1]), reedsp.Matching)
    assert_type(reedsp.maximum_matching(routes, device="gpu").column_of_row, Vertices)
    assert_type(reedsp.maximum_matching([[1, 0]]).cover(), reedsp.VertexCover)
    assert_type(reedsp.yen(graph, "a", "b", 3), reedsp.SimplePaths)
    reedsp.min_plus_product(dense, [[0, 1], [1, 0]], "row-blocks-transposed")
    reedsp.min_plus_power(dense, 3, "panels", out=dense, device=0)
    reedsp.reduce(dense, "max", method="work-item")
    reedsp.inclusive_scan(dense, reedsp.Operator("a * b", 1), "blelloch")
    reedsp.segmented_scan([3, 1], [0, 1], "min", "naive", exclusive=True)


def right_calls_on_workers(graph: reedsp.Graph, executor: Executor) -> None:
    with cluster.Executor(executor, ["gpu"], folder="shared") as workers:
        assert_type(workers, cluster.Cluster)
        assert_type(workers.map_rows(graph, lambda source, dist: dist.max(), ["a"], dtype="int32"), list[Any])
        assert_type(workers.apsp(graph, "johnson", out="x.zarr"), reedsp.AllPairs)
        workers.sssp(graph, [0, 1], "near-far", out="rows")
        assert_type(reedsp.sssp(graph, [0, 1], device=workers), reedsp.ShortestPaths)
        assert_type(reedsp.bfs(graph, [0, 1], device=workers), reedsp.BreadthFirst)
        assert_type(reedsp.distance_table(graph, [0], [1], device=workers), Distances)
        assert_type(reedsp.distance_statistics(graph, device=workers).eccentricity, Distances)
        workers.sssp(graph, 0, "near_far")  # type: ignore[arg-type]
        reedsp.k_nearest(graph, [0], 1, device=workers)  # type: ignore[arg-type]
    cluster.Executor(2)  # type: ignore[arg-type]


def right_calls_in_place_of_scipy(matrix: scipy.sparse.csr_array, dense: Dist, asked: bool) -> None:
    assert_type(csgraph.dijkstra(matrix), Dist)
    assert_type(csgraph.dijkstra(dense, indices=0, return_predecessors=True), tuple[Dist, Vertices])
    assert_type(csgraph.dijkstra(dense, True, [0, 1], True), tuple[Dist, Vertices])
    assert_type(csgraph.dijkstra(matrix, indices=[0, 1], min_only=True), Dist)
    nearest = csgraph.dijkstra(matrix, indices=[0, 1], min_only=True, return_predecessors=True)
    assert_type(nearest, tuple[Dist, Vertices, Vertices])
    assert_type(csgraph.maximum_bipartite_matching(matrix, "column"), Vertices)
    assert_type(csgraph.structural_rank(matrix), np.int64)
    assert_type(csgraph.shortest_path([[0, 1], [1, 0]], "FW"), Dist)
    assert_type(csgraph.shortest_path(matrix, "auto", True, True), tuple[Dist, Vertices])
    assert_type(csgraph.shortest_path(matrix, return_predecessors=asked), Dist | tuple[Dist, Vertices])
    assert_type(csgraph.floyd_warshall(dense, return_predecessors=True), tuple[Dist, Vertices])
    assert_type(csgraph.bellman_ford(dense, indices=np.arange(3)), Dist)
    assert_type(csgraph.johnson(dense, return_predecessors=True), tuple[Dist, Vertices])
    assert_type(csgraph.yen(dense, 0, 3, 2, return_predecessors=True), tuple[Dist, Vertices])
    assert_type(csgraph.breadth_first_order(matrix, 0), tuple[Vertices, Vertices])
    assert_type(csgraph.breadth_first_order(matrix, 0, return_predecessors=False), Vertices)


def wrong_calls(graph: reedsp.Graph, dense: Dist, half: npt.NDArray[np.float16]) -> None:
    reedsp.sssp(graph, 0, "near_far")  # type: ignore[arg-type]
    reedsp.sssp("roads.gr", 0)  # type: ignore[arg-type]
    reedsp.sssp(graph, [[0], [1]])  # type: ignore[list-item]
    reedsp.sssp(graph, 0, dtype="float16")  # type: ignore[arg-type]
    reedsp.sssp(graph, 0, out=half)  # type: ignore[arg-type]
    reedsp.sssp(graph, 0, options={"detla": 2})  # type: ignore[arg-type]
    reedsp.sssp(graph, 0, options={"group_size": "64"})  # type: ignore[arg-type]
    reedsp.bfs(graph, 0, options={"direction": "up"})  # type: ignore[arg-type]
    reedsp.betweenness(graph, options={"method": "near-far"})  # type: ignore[arg-type]
    reedsp.all_pairs_on_device(graph, dtype="int8")  # type: ignore[arg-type]
    reedsp.apsp(graph, "johnsen")  # type: ignore[arg-type]
    reedsp.apsp(graph, negative_cycles="ignore")  # type: ignore[arg-type]
    reedsp.apsp(graph, options={"kernel": "tiled"})  # type: ignore[arg-type]
    reedsp.apsp(graph, predecessors=True).pred[0]  # type: ignore[index]
    reedsp.min_plus_product(dense, dense, "tile")  # type: ignore[arg-type]
    reedsp.reduce(dense, "mul")  # type: ignore[arg-type]
    reedsp.reduce(dense, method="blelloch")  # type: ignore[arg-type]
    reedsp.exclusive_scan(dense, "add", "quick")  # type: ignore[arg-type]
    csgraph.shortest_path(dense, "DIJKSTRA")  # type: ignore[call-overload]
    _dist, _pred = csgraph.dijkstra(dense, indices=[0, 1], min_only=True, return_predecessors=True)  # type: ignore[misc]
    _dist, _pred, _nearest = csgraph.dijkstra(dense, return_predecessors=True)  # type: ignore[misc]
    csgraph.dijkstra(dense, return_predecessors=True).min()  # type: ignore[attr-defined]


def annotated(graph: GraphLike, source: Vertex, method: SearchMethod = "auto") -> Distances:
    options: AllPairsOptions = {"product": "tiles"}
    reedsp.apsp(graph, "min-plus", options=options)
    return reedsp.sssp(graph, source, method).dist
