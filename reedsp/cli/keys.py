"""What ``--json`` prints: the keys of every command, and what they mean. They are a promise."""

from __future__ import annotations

_GRAPH = {
    "file": "the file that was read",
    "vertices": "number of vertices",
    "edges": "number of stored edges; an undirected one counts twice, a self loop once",
    "read_seconds": "seconds that reading took",
}
_SOLVED = {
    "method": "the method that was used",
    "device": "name and platform of the device",
    "seconds": "seconds that solving took",
    "stats": "what the device did: `kernels_launched`, `milliseconds`, `bytes_to_device`, `bytes_from_device`, "
    "`bytes_allocated`, `phases` (where the milliseconds went) and more",
}
_EXPECTED = {
    "estimate": "with `--dry-run`, and without the keys of an answer: `method`, `seconds`, between `low` and `high`, "
    "`device_bytes`, `host_bytes`, `disk_bytes`, and `because`, why this method",
}
_TREE = {
    "source": "the source, or the list of them",
    "verified": "whether `--verify` was given",
    "target": "with `--target`: that vertex",
    "path": "with `--target`: all vertices of the route, null if there is none",
    "reached": "without `--target`: number of vertices reached, the source included",
    "farthest": "without `--target`: a vertex reached last",
    "answers": "from several sources, unless `--nearest`: a list of objects with `source` and the keys of one answer",
}

KEYS: dict[str, dict[str, str]] = {
    "sssp": {
        **_GRAPH,
        **_SOLVED,
        **_TREE,
        **_EXPECTED,
        "rounds": "rounds that the device ran",
        "distance": "with `--target`: its distance, null if there is no route",
        "max_distance": "without `--target`: the largest distance",
        "nearest": "with `--nearest`, without `--target`: for each source, to how many vertices it is the nearest",
        "negative_cycle": "in place of all others: the vertices of a negative cycle that a source reaches",
        "weight": "in place of all others: the weight of that cycle",
    },
    "bfs": {
        **_GRAPH,
        **_SOLVED,
        **_TREE,
        **_EXPECTED,
        "level": "with `--target`: the number of edges to it, null if there is no route",
        "max_level": "without `--target`: the largest level",
    },
    "components": {
        **_GRAPH,
        **_SOLVED,
        "connection": "`strong` with `--strong`, else `weak`",
        "components": "number of components",
        "largest": "up to five objects, the largest component first: its number `component`, how many `vertices` it "
        "has, and the `smallest` of these",
        "verified": "whether `--verify` was given",
    },
    "apsp": {
        **_GRAPH,
        **_SOLVED,
        **_EXPECTED,
        "reachable_pairs": "number of pairs of different vertices that have a path",
        "unbounded_pairs": "number of those whose paths can pass a negative cycle, which are not among the former",
        "mean_distance": "mean of the finite distances, null if there is none",
        "diameter": "the largest finite distance, null if there is none",
        "farthest_pair": "two vertices at this distance, null if there are none",
        "source": "with `--source` and `--target`: the one",
        "target": "with `--source` and `--target`: the other",
        "distance": "with `--source` and `--target`: the distance, null if there is none",
        "path": "with `--source` and `--target`: all vertices of the route, null if there is none",
        "negative_cycle": "in place of all others: the vertices of a negative cycle",
        "weight": "in place of all others: its weight",
    },
    "sort": {
        "file": "the file that was read",
        "numbers": "how many there are",
        "dtype": "their type",
        "read_seconds": "seconds that reading took",
        "method": "the method that was used",
        "device": "name and platform of the device",
        "seconds": "seconds that sorting took, the way to the device and back included",
        "output": "the file that was written, null without `--output`; the numbers themselves are not printed then",
    },
    "forest": {
        **_GRAPH,
        **_SOLVED,
        "verified": "whether `--verify` was given",
        "maximum": "whether `--maximum` was given",
        "forest_edges": "number of edges of the forest",
        "trees": "number of its trees; a vertex without edges is one",
        "total_weight": "the sum of its weights",
    },
    "match": {
        **_GRAPH,
        **_SOLVED,
        "rows": "number of rows, which are the vertices of one side",
        "columns": "number of columns, which are those of the other side",
        "pairs": "number of pairs of a maximum matching",
        "verified": "whether `--verify` was given",
    },
    "flow": {
        **_GRAPH,
        **_SOLVED,
        "source": "the vertex from which it flows",
        "target": "the vertex to which it flows",
        "value": "how much can flow",
        "cut": "the edges of the minimum cut, each as a list of two vertices",
        "source_side": "number of vertices on the source's side of the cut",
        "verified": "whether `--verify` was given",
    },
    "betweenness": {
        **_GRAPH,
        **_SOLVED,
        "sources": "number of vertices whose paths were counted",
        "verified": "whether `--verify` was given",
        "largest": "the ten largest values, each a list of a vertex, or the ends of an edge, and the value",
    },
    "watch": {
        "file": "the file that was read, null if the input was generated",
        "output": "the page that was written",
        "bytes": "its size",
        "device": "name and platform of the device",
        "steps": "number of steps, by algorithm",
    },
    "verify": {
        "file": "the file of the graph",
        "result": "the file that was checked",
        "vertices": "number of vertices",
        "edges": "number of stored edges",
        "rows": "number of rows of distances, which is that of the sources",
        "predecessors": "whether the result has predecessors, which are then checked, too",
        "right": "whether everything is right",
        "wrong": "the first wrong vertex and why, null if everything is right",
        "seconds": "seconds that checking took",
    },
    "info": {
        **_GRAPH,
        "directed": "whether edges have a direction",
        "first_vertex": "what the file calls its first vertex",
        "degree": "of an undirected graph: `min`, `mean`, `p50`, `p90`, `p99`, `max`, and `zero`, the number of "
        "vertices without edges",
        "out_degree": "the same of the edges that leave a vertex of a directed graph",
        "in_degree": "the same of the edges that end there",
        "weights": "`type`, `whole` (whether all are whole numbers), `min`, `max`, and the numbers of those that are "
        "`zero` and `negative`; null without edges",
        "self_loops": "number of edges from a vertex to itself",
        "parallel_edges": "number of edges of the file that were left out, because a parallel one is as light",
        "weak_components": "`count`, and the vertices of the `largest`, when directions are ignored",
        "strong_components": "the same when they are not",
        "device": "the device that would solve, null without any",
        "no_device": "why there is none",
        "sssp": "`method` that `--method auto` would take, and the `seconds` expected; null without a device",
        "apsp": "the same for all pairs: `method`, `seconds` expected, between `low` and `high`, `because`, `pairs`, "
        "`distance_bytes`, `predecessor_bytes`, `matrix_bytes` on the device (null for johnson, which keeps no matrix "
        "there), `arithmetic` and `device_memory`",
    },
    "convert": {
        "file": "the file that was read",
        "output": "the file that was written",
        "vertices": "number of vertices",
        "edges": "number of stored edges",
        "bytes": "size of the new file",
        "changes": "list of what is named differently in it",
        "read_seconds": "seconds that reading took",
        "write_seconds": "seconds that writing took",
    },
    "dataset": {
        "name": "of the data set",
        "file": "where it is (with a name)",
        "sha256": "hash of the published file, which the file has",
        "url": "where it is published",
        "title": "what it is (in the list)",
        "size": "bytes (in the list)",
    },
    "devices": {
        "index": "number in the list",
        "name": "of the device",
        "platform": "the OpenCL platform",
        "platform_version": "its version",
        "driver_version": "that of the driver",
        "type": "cpu, gpu or accelerator",
        "compute_units": "their number",
        "global_memory": "bytes",
        "max_allocation": "bytes of the largest buffer",
        "local_memory": "bytes for a work-group",
        "max_work_group_size": "work-items",
        "fp64": "whether it has float64",
        "int64_atomics": "whether it has atomic operations on int64",
        "self_test": "passes, or how it fails",
        "default": "whether it is used unless another is chosen",
        "machine": "with `--verbose`: as of `reedsp calibrate`",
    },
    "calibrate": {
        "device": "name and platform of the device",
        "file": "where the parameters are stored, null if nowhere",
        "machine": "the parameters, null if there are none: `latencies`, a list of bytes and seconds; `bandwidth`, "
        "`random_reads`, `atomic_minima`, `coalesced`, `threads`, `barrier`, `launch`, `read_back`, `upload` and "
        "`download`, in bytes, words, work-items and seconds; `pairs` per second, by type",
        "deleted": "with `--forget`: the file that was deleted, null if there was none",
    },
    "tune": {
        "device": "name and platform of the device",
        "file": "where the tilings are stored, null if nowhere",
        "outcomes": "list of `arithmetic`, `small_products`, `before`, `before_gpairs_per_second`, `after` and "
        "`after_gpairs_per_second`",
        "tilings": "with `--list`: list of `arithmetic`, `tiling` and `from`",
        "deleted": "with `--forget`: the file that was deleted, null if there was none",
    },
    "demo": {
        "vertices": "number of crossings",
        "edges": "number of stored edges, two a road",
        "source": "where the route begins",
        "target": "where it ends",
        "distance": "tenths of a second",
        "route_vertices": "crossings of the route",
        "method": "the method that was used",
        "device": "name and platform of the device",
        "first_seconds": "of the first call, which may compile the kernels",
        "seconds": "of the second call",
        "scipy_seconds": "of SciPy's Dijkstra",
        "different": "number of distances that differ, which is 0",
        "picture": "the file of the picture",
    },
}
"""Meaning of each key, by command. ``reedsp devices`` and ``reedsp dataset`` without a name print lists of objects.

Those of ``reedsp doctor`` are facts for a bug report, which change with what there is to find out.
"""
