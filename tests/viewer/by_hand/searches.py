"""Searches and matrices."""

from __future__ import annotations

import itertools
from typing import Any

Edge = tuple[int, int, Any]
State = dict[str, list[Any]]


def _below(one: Any, other: Any) -> bool:
    """Whether a path weight is below another one, of which None is infinite."""
    return one is not None and (other is None or one < other)


def _smallest(values: list[Any]) -> Any:
    return min((value for value in values if value is not None), default=None)


def rounds(n: int, edges: list[Edge], source: int) -> list[list[Any]]:
    """Return path weights after each round of Bellman-Ford that relaxes all edges at once."""
    dist: list[Any] = [None] * n
    dist[source] = 0
    found = [dist]
    while True:
        after = list(dist)
        for u, v, w in edges:
            if dist[u] is not None and _below(dist[u] + w, after[v]):
                after[v] = dist[u] + w
        if after == dist:
            return found
        found.append(after)
        dist = after


def output_parallel(n: int, edges: list[Edge], source: int) -> dict[str, list[list[Any]]]:
    return {"dist": rounds(n, edges, source)}


def input_parallel(n: int, edges: list[Edge], source: int) -> dict[str, list[list[Any]]]:
    """`edges` in the order in which they are shown; those that end at a vertex are scanned by ascending sources."""
    ending: list[list[int]] = [[] for _ in range(n)]
    for number, (_, v, _) in sorted(enumerate(edges), key=lambda each: each[1][0]):
        ending[v].append(number)
    sums: list[list[Any]] = []
    dists = rounds(n, edges, source)
    for dist in dists:
        relaxed = [None if dist[u] is None else dist[u] + w for u, _, w in edges]
        scanned = list(relaxed)
        for numbers in ending:
            for before, number in itertools.pairwise(numbers):
                scanned[number] = _smallest([scanned[before], scanned[number]])
        sums += [relaxed, scanned]
    return {"dist": dists, "sums": sums}


def refined(n: int, edges: list[Edge], source: int) -> dict[str, list[list[Any]]]:
    dists, offers, counts = rounds(n, edges, source), [], []
    leaving = [sum(u == vertex for u, _, _ in edges) for vertex in range(n)]
    active = {source}
    for dist in dists:
        own = [leaving[vertex] if vertex in active else 0 for vertex in range(n)]
        counts.append([*own, counts[-1][-1] if counts else 0])
        counts.append([sum(own[:vertex]) for vertex in range(n + 1)])
        offered: list[Any] = [None] * n
        for u, v, w in edges:
            if u in active and _below(dist[u] + w, dist[v]) and _below(dist[u] + w, offered[v]):
                offered[v] = dist[u] + w
        offers += [offered, [None] * n]
        active = {vertex for vertex in range(n) if offered[vertex] is not None}
    counts += [[*[0] * n, counts[-1][-1]], [0] * (n + 1)]
    return {"dist": dists, "best": offers, "active_edges": counts}


def near_far(n: int, edges: list[Edge], source: int, thresholds: list[Any]) -> dict[str, list[list[Any]]]:
    """Entries that are not the distance any more can make the threshold rise early, so that it is given."""
    dist: list[Any] = [None] * n
    dist[source] = 0
    near, far, delta = {source}, set[int](), thresholds[0]
    found: dict[str, list[list[Any]]] = {"dist": [dist], "near": [[source]], "far": [[]]}
    position = 0
    while near or position + 1 < len(thresholds):
        active = near
        if not near:
            before, position = thresholds[position], position + 1
            lowest = min((dist[vertex] for vertex in far), default=thresholds[position])
            assert before + delta <= thresholds[position] <= max(before, lowest) + delta
            active = {vertex for vertex in far if dist[vertex] < thresholds[position]}
            far = far - active
        after = list(dist)
        for u, v, w in edges:
            if u in active and _below(dist[u] + w, after[v]):
                after[v] = dist[u] + w
        fallen = {vertex for vertex in range(n) if after[vertex] != dist[vertex]}
        near = {vertex for vertex in fallen if after[vertex] < thresholds[position]}
        far = (far - fallen) | (fallen - near)
        dist = after
        for name, value in (("dist", dist), ("near", sorted(near)), ("far", sorted(far))):
            found[name].append(value)
    assert not far
    return found


def levels(n: int, edges: list[Edge], source: int) -> dict[str, list[list[Any]]]:
    level: list[Any] = [None] * n
    level[source] = 0
    frontier = [source]
    found: dict[str, list[list[Any]]] = {"levels": [list(level)], "frontier": [frontier]}
    while frontier:
        reached = sorted({v for u, v, _ in edges if u in set(frontier) and level[v] is None})
        for vertex in reached:
            level[vertex] = level[frontier[0]] + 1
        frontier = reached
        found["levels"].append(list(level))
        found["frontier"].append(frontier)
    return found


# ---- all pairs --------------------------------------------------------------------------------------

Matrix = list[list[Any]]


def start(n: int, edges: list[Edge]) -> list[Matrix]:
    """Return the matrix with zeros on the diagonal, and with the edges."""
    empty = [[0 if row == column else None for column in range(n)] for row in range(n)]
    matrix = [list(row) for row in empty]
    for u, v, w in edges:
        if _below(w, matrix[u][v]):
            matrix[u][v] = w
    return [empty, matrix]


def _through(matrix: Matrix, rows: list[int], columns: list[int], k: int) -> None:
    for i in rows:
        for j in columns:
            first, second = matrix[i][k], matrix[k][j]
            if first is not None and second is not None and _below(first + second, matrix[i][j]):
                matrix[i][j] = first + second


def by_vertex(n: int, edges: list[Edge]) -> list[Matrix]:
    found = start(n, edges)
    for k in range(n):
        found.append([list(row) for row in found[-1]])
        _through(found[-1], list(range(n)), list(range(n)), k)
    return found


def blocked(n: int, edges: list[Edge], side: int) -> list[Matrix]:
    found = start(n, edges)
    for first in range(0, n, side):
        tile = list(range(first, min(first + side, n)))
        others = [vertex for vertex in range(n) if vertex not in tile]
        for parts in ([(tile, tile)], [(tile, others), (others, tile)], [(others, others)]):
            found.append([list(row) for row in found[-1]])
            for rows, columns in parts:
                for k in tile:
                    _through(found[-1], rows, columns, k)
    return found


def squared(n: int, edges: list[Edge]) -> list[Matrix]:
    found = start(n, edges)
    while len(found) < 3 or found[-1] != found[-2]:
        a = found[-1]
        through = [
            [
                _smallest([a[i][k] + a[k][j] for k in range(n) if a[i][k] is not None and a[k][j] is not None])
                for j in range(n)
            ]
            for i in range(n)
        ]
        found.append(through)
    return found
