"""Traces made by hand, of every kind: what the page shows is tested without a device."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

Edges = list[list[int]]
Trace = dict[str, Any]

SOURCE = "\n".join(
    [
        "// Relaxes the edges of a frontier.",
        "//",
        "__kernel void relax(__global const int* dist, __global int* new_dist, int n)",
        "{",
        "    const size_t v = get_global_id(0);",
        "    if (v < (size_t)n)",
        "        new_dist[v] = min(new_dist[v], dist[v]);",
        "}",
    ]
)


class Maker:
    """Writes down the states of arrays as a trace."""

    def __init__(
        self, problem: str, algorithm: str, title: str, given: dict[str, Any], **arrays: dict[str, Any]
    ) -> None:
        self.arrays = arrays
        self.before: dict[str, list[Any]] = {}
        self.steps: list[dict[str, Any]] = []
        self.head = {"problem": problem, "algorithm": algorithm, "title": title, "input": given}

    def step(self, kernel: str, says: str, active: Iterable[int] | None = None, **states: list[Any]) -> None:
        changes: dict[str, Any] = {}
        for name, state in states.items():
            old = self.before.get(name)
            if old is None or len(old) != len(state):
                changes[name] = {"all": list(state)}
            else:
                pairs = [[i, v] for i, (u, v) in enumerate(zip(old, state, strict=True)) if u != v]
                if pairs:
                    changes[name] = pairs
            self.before[name] = list(state)
        first = not self.steps
        self.steps.append(
            {
                "kernel": kernel,
                "file": None if first else "single_source/relax.cl",
                "lines": None if first else [3, 8],
                "global": [] if first else [256],
                "local": [] if first else [64],
                "reads": [] if first else sorted(self.arrays)[:2],
                "writes": [] if first else sorted(changes),
                "says": says,
                "folded": 0,
                "active": None if active is None else list(active),
                "changes": changes,
            }
        )

    def trace(self) -> Trace:
        return {
            "format": "reedsp-trace",
            "version": 1,
            "paper": None,
            "device": "a device of tests",
            "library": "0.1.0",
            "arrays": self.arrays,
            "sources": {"single_source/relax.cl": SOURCE},
            "result": {},
            "steps": self.steps,
            **self.head,
        }


def array(
    meaning: str, of: str, shape: list[int], role: str, main: bool = False, dtype: str = "int32"
) -> dict[str, Any]:
    return {"meaning": meaning, "of": of, "shape": shape, "dtype": dtype, "role": role, "main": main}


# ---- graphs -----------------------------------------------------------------------------------------


def graph(
    n: int, pairs: Iterable[tuple[int, int]], seed: int = 1, directed: bool = False, **more: Any
) -> dict[str, Any]:
    draw = random.Random(seed)
    edges = [[u, v, draw.randint(1, 9)] for u, v in pairs]
    known = {"names": None, "coordinates": None, "sides": None, "source": 0}
    return {"kind": "graph", "n": n, "directed": directed, "edges": edges, "weighted": True, **known, **more}


def grid(rows: int, columns: int) -> dict[str, Any]:
    across = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return graph(rows * columns, across + down)


def tree(n: int, seed: int = 3) -> dict[str, Any]:
    draw = random.Random(seed)
    return graph(n, [(draw.randrange(v), v) for v in range(1, n)])


def path(n: int) -> dict[str, Any]:
    return graph(n, [(v, v + 1) for v in range(n - 1)])


def cycle(n: int) -> dict[str, Any]:
    return graph(n, [(v, (v + 1) % n) for v in range(n)])


def sparse(n: int, m: int, seed: int = 5, **more: Any) -> dict[str, Any]:
    draw = random.Random(seed)
    return graph(n, [(draw.randrange(n), draw.randrange(n)) for _ in range(m)], **more)


def bipartite(rows: int) -> dict[str, Any]:
    """A ladder's two sides, shuffled: it can be drawn in columns without a crossing."""
    draw = random.Random(7)
    left, right = list(range(rows)), list(range(rows, 2 * rows))
    draw.shuffle(left)
    draw.shuffle(right)
    pairs = [(left[i], right[i]) for i in range(rows)] + [(left[i + 1], right[i]) for i in range(rows - 1)]
    return graph(2 * rows, pairs, sides=rows)


def arcs(given: dict[str, Any]) -> Edges:
    both = [[v, u, w] for u, v, w in given["edges"]]
    return given["edges"] if given["directed"] else given["edges"] + both


# ---- traces -----------------------------------------------------------------------------------------


def shortest_paths(given: dict[str, Any], source: int = 0) -> Trace:
    n = given["n"]
    maker = Maker(
        *("shortest paths", "output-parallel", "Output Parallel Bellman-Ford", {**given, "source": source}),
        dist=array("tentative distance of each vertex", "vertices", [n], "distance", True),
        pred=array("predecessor of each vertex", "vertices", [n], "predecessor"),
        improved=array("whether the distance fell in this round", "vertices", [n], "flag"),
    )
    dist: list[int | None] = [None] * n
    pred = [-1] * n
    dist[source] = 0
    maker.step("input", "the source has distance 0", dist=dist, pred=pred, improved=[0] * n)
    for round_ in range(1, n + 1):
        new, parents = list(dist), list(pred)
        for u, v, w in arcs(given):
            if dist[u] is not None and (new[v] is None or dist[u] + w < new[v]):
                new[v], parents[v] = dist[u] + w, u
        fell = [v for v in range(n) if new[v] != dist[v]]
        flags = [int(v in set(fell)) for v in range(n)]
        dist, pred = new, parents
        says = f"round {round_}: {len(fell)} path weights fell"
        maker.step("relax", says, fell, dist=dist, pred=pred, improved=flags)
        if not fell:
            break
    return maker.trace()


def breadth_first(given: dict[str, Any], source: int = 0) -> Trace:
    n = given["n"]
    maker = Maker(
        *("breadth-first search", "frontier", "Breadth-first search with a queue", {**given, "source": source}),
        level=array("level of each vertex", "vertices", [n], "level", True),
        queue=array("vertices of the present level", "queue", [n], "set"),
    )
    level: list[int | None] = [None] * n
    level[source] = 0
    queue = [source]
    maker.step("input", "the queue holds the source", level=level, queue=queue)
    while queue:
        found = sorted({v for u, v, _ in arcs(given) if u in set(queue) and level[v] is None})
        depth = (level[queue[0]] or 0) + 1
        for v in found:
            level[v] = depth
        maker.step("expand", f"level {depth}: {len(found)} vertices found", queue, level=level, queue=found)
        queue = found
    return maker.trace()


def all_pairs(given: dict[str, Any]) -> Trace:
    n = given["n"]
    matrix: list[int | None] = [None] * (n * n)
    for v in range(n):
        matrix[v * n + v] = 0
    for u, v, w in arcs(given):
        old = matrix[u * n + v]
        matrix[u * n + v] = w if old is None else min(old, w)
    maker = Maker(
        *("all pairs", "floyd-warshall", "Floyd-Warshall", given),
        dist=array("distance from the row's vertex to the column's", "matrix", [n, n], "distance", True),
    )
    maker.step("input", "the weights of the edges", dist=matrix)
    for k in range(n):
        old = list(matrix)
        for i in range(n):
            for j in range(n):
                a, b, c = old[i * n + k], old[k * n + j], old[i * n + j]
                if a is not None and b is not None and (c is None or a + b < c):
                    matrix[i * n + j] = a + b
        maker.step("pivot", f"paths by way of vertex {k}", dist=matrix)
        maker.steps[-1]["global"], maker.steps[-1]["local"] = [16, 16], [4, 4]
    return maker.trace()


def components(given: dict[str, Any]) -> Trace:
    n = given["n"]
    maker = Maker(
        *("components", "fast", "Components by hooks and pointers", given),
        label=array("component of each vertex", "vertices", [n], "label", True),
        parent=array("what each vertex points at", "vertices", [n], "pointer"),
    )
    parent = list(range(n))
    maker.step("input", "each vertex points at itself", label=parent, parent=parent)
    while True:
        old = list(parent)
        for u, v, _ in arcs(given):
            parent[max(parent[u], parent[v])] = min(parent[u], parent[v])
        maker.step("hook", "roots point at smaller roots", label=parent, parent=parent)
        parent = [parent[parent[v]] for v in range(n)]
        maker.step("jump", "pointers jump", label=parent, parent=parent)
        if parent == old:
            return maker.trace()


def forest(given: dict[str, Any]) -> Trace:
    n, m = given["n"], len(given["edges"])
    maker = Maker(
        *("spanning forest", "boruvka", "Boruvka's rounds", given),
        chosen=array("edges of the forest", "edges", [m], "chosen"),
        tree=array("tree of each vertex", "vertices", [n], "label", True),
    )
    label, chosen = list(range(n)), [0] * m
    maker.step("input", "no edge is chosen", chosen=chosen, tree=label)
    while True:
        best: dict[int, int] = {}
        for i, (u, v, w) in enumerate(given["edges"]):
            for side in (label[u], label[v]):
                if label[u] != label[v] and (side not in best or (w, i) < (given["edges"][best[side]][2], best[side])):
                    best[side] = i
        if not best:
            return maker.trace()
        for i in sorted(set(best.values())):
            u, v, _ = given["edges"][i]
            a, b = sorted((label[u], label[v]))
            if a != b:
                chosen[i] = 1
                label = [a if x == b else x for x in label]
        maker.step("choose", f"{sum(chosen)} edges chosen", chosen=chosen, tree=label)


def matching(given: dict[str, Any]) -> Trace:
    n = given["n"]
    maker = Maker(
        *("matching", "karp-sipser", "Karp and Sipser's rounds", given),
        mate=array("partner of each vertex", "vertices", [n], "mate", True),
    )
    mate = [-1] * n
    maker.step("input", "no vertex has a partner", mate=mate)
    for u, v, _ in given["edges"]:
        if mate[u] < 0 and mate[v] < 0:
            mate[u], mate[v] = v, u
            maker.step("match", f"{u} and {v} are partners", [u, v], mate=mate)
    return maker.trace()


def scan(values: list[int]) -> Trace:
    n = len(values)
    maker = Maker(
        *("scan", "naive", "Hillis and Steele's scan", {"kind": "array", "dtype": "int32", "values": values}),
        items=array("partial sums", "elements", [n], "value", True),
    )
    state = list(values)
    maker.step("input", "the array as it is given", items=state)
    stride = 1
    while stride < n:
        state = [v + (state[i - stride] if i >= stride else 0) for i, v in enumerate(state)]
        maker.step("add", f"each adds the one {stride} before it", range(stride, n), items=state)
        stride *= 2
    return maker.trace()


def sort(values: list[int]) -> Trace:
    n = len(values)
    maker = Maker(
        *("sort", "odd-even", "Odd-even transposition", {"kind": "array", "dtype": "int32", "values": values}),
        keys=array("keys", "elements", [n], "value", True),
    )
    state = list(values)
    maker.step("input", "the keys as they are given", keys=state)
    for round_ in range(n):
        for i in range(round_ % 2, n - 1, 2):
            if state[i] > state[i + 1]:
                state[i], state[i + 1] = state[i + 1], state[i]
        maker.step("exchange", "even pairs" if round_ % 2 == 0 else "odd pairs", range(round_ % 2, n), keys=state)
    return maker.trace()


def program(values: list[int]) -> Trace:
    n = len(values)
    maker = Maker(
        *("PRAM program", "maximum", "Maximum by halving", {"kind": "array", "dtype": "int32", "values": values}),
        A=array("the cells of A", "cells", [n], "value", True),
    )
    state = list(values)
    maker.step("input", "the cells as they are given", A=state)
    half = n
    while half > 1:
        half = (half + 1) // 2
        for p in range(half):
            if p + half < n:
                state[p] = max(state[p], state[p + half])
        maker.step("assign", f"{half} processors are active", range(half), A=state)
    return maker.trace()


KEYS = random.Random(2).choices(range(100), k=32)

EXAMPLES: dict[str, Callable[[], Trace]] = {
    "shortest-paths": lambda: shortest_paths(grid(5, 8)),
    "breadth-first": lambda: breadth_first(sparse(40, 52)),
    "all-pairs": lambda: all_pairs(sparse(12, 22, directed=True)),
    "components": lambda: components(sparse(36, 30)),
    "spanning-forest": lambda: forest(sparse(30, 48)),
    "matching": lambda: matching(bipartite(10)),
    "scan": lambda: scan(KEYS),
    "sort": lambda: sort(KEYS[:24]),
    "program": lambda: program(KEYS),
}
"""A trace of every kind."""

FAMILIES: dict[str, Callable[[], dict[str, Any]]] = {
    "grid": lambda: grid(7, 7),
    "wide grid": lambda: grid(4, 12),
    "large grid": lambda: grid(10, 20),
    "tree": lambda: tree(50),
    "large tree": lambda: tree(200),
    "path": lambda: path(50),
    "long path": lambda: path(200),
    "cycle": lambda: cycle(50),
    "long cycle": lambda: cycle(200),
    "bipartite": lambda: bipartite(12),
    "large bipartite": lambda: bipartite(60),
}
"""Graphs that can be drawn without a crossing."""
