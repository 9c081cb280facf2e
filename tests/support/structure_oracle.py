"""What graphs are made of, in exact arithmetic and by the simplest rules, which share nothing with the library's.

Maximum matchings, full matchings and flows need no oracle: a cover, prices and a cut prove them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from tests.support.bipartite import most_pairs

Pair = tuple[int, int]
Weighted = tuple[int, int, Any]


def weak_labels(n: int, pairs: Iterable[Pair]) -> list[int]:
    """Return the number of each vertex's component, those with smaller vertices first."""
    near: list[set[int]] = [set() for _ in range(n)]
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)
    labels, count = [-1] * n, 0
    for first in range(n):
        if labels[first] >= 0:
            continue
        waiting = [first]
        while waiting:
            vertex = waiting.pop()
            if labels[vertex] < 0:
                labels[vertex] = count
                waiting += near[vertex]
        count += 1
    return labels


def levels_from(n: int, pairs: Iterable[Pair], source: int) -> dict[int, int]:
    """Return the vertices that can be reached, with the number of edges that it takes."""
    out: list[list[int]] = [[] for _ in range(n)]
    for u, v in pairs:
        out[u].append(v)
    level, waiting = {source: 0}, deque([source])
    while waiting:
        vertex = waiting.popleft()
        for head in out[vertex]:
            if head not in level:
                level[head] = level[vertex] + 1
                waiting.append(head)
    return level


def strong_labels(n: int, pairs: Iterable[Pair]) -> list[int]:
    """Return the number of each vertex's strong component, in reverse topological order.

    Components come by the longest path to others that leads on from them, and then by their smallest vertices.
    """
    listed = list(pairs)
    reach = [set(levels_from(n, listed, vertex)) for vertex in range(n)]
    smallest = [min(v for v in reach[u] if u in reach[v]) for u in range(n)]
    across = {(smallest[u], smallest[v]) for u, v in listed if smallest[u] != smallest[v]}
    longest = dict.fromkeys(smallest, 0)
    for _ in longest:
        for u, v in across:
            longest[u] = max(longest[u], longest[v] + 1)
    order = sorted(longest, key=lambda each: (longest[each], each))
    return [order.index(each) for each in smallest]


def spanning_forest(n: int, edges: Iterable[Weighted], maximum: bool) -> list[Weighted]:
    """Return the edges (smaller end, larger end, weight) of the forest that the order of weights and ends defines.

    By the rule of cycles: an edge is in it unless edges before it connect its ends.
    """
    best: dict[Pair, Any] = {}
    for u, v, w in edges:
        pair = (min(u, v), max(u, v))
        if u != v and (pair not in best or (w > best[pair] if maximum else w < best[pair])):
            best[pair] = w
    order = sorted(best, key=lambda pair: (-best[pair] if maximum else best[pair], pair))
    kept = []
    for number, (u, v) in enumerate(order):
        labels = weak_labels(n, order[:number])
        if labels[u] != labels[v]:
            kept.append((u, v, best[u, v]))
    return sorted(kept)


def sides(n: int, pairs: Iterable[Pair]) -> tuple[list[int], list[int]] | None:
    """Return the rows and the columns of an undirected graph, or None if it is not bipartite.

    A vertex is a row if the smallest vertex of its component is an even number of edges away.
    """
    listed = {pair for u, v in pairs for pair in ((u, v), (v, u))}
    levels = [levels_from(n, listed, vertex) for vertex in range(n)]
    is_row = [level[min(level)] % 2 == 0 for level in levels]
    if any(is_row[u] == is_row[v] for u, v in listed):
        return None
    return [v for v in range(n) if is_row[v]], [v for v in range(n) if not is_row[v]]


def matching_size(rows: int, pairs: Iterable[Pair]) -> int:
    """Return how many pairs a maximum matching has, by an augmenting path from each row."""
    near: list[list[int]] = [[] for _ in range(rows)]
    for row, column in pairs:
        near[row].append(column)
    return most_pairs(near)


def betweenness(n: int, pairs: Iterable[Pair], sources: Iterable[int]) -> tuple[list[Fraction], dict[Pair, Fraction]]:
    """Return which part of the shortest paths from the sources leads through each vertex, and along each edge.

    Each pair of vertices counts 1, divided among its shortest paths.
    """
    listed = {(u, v) for u, v in pairs if u != v}
    levels = [levels_from(n, listed, vertex) for vertex in range(n)]
    paths: list[dict[int, int]] = []
    for source, level in enumerate(levels):
        count = {source: 1}
        for target in sorted(level, key=level.__getitem__)[1:]:
            count[target] = sum(count[u] for u in level if (u, target) in listed and level[u] + 1 == level[target])
        paths.append(count)
    through, along = [Fraction(0)] * n, dict.fromkeys(listed, Fraction(0))
    for source in sources:
        for target, distance in levels[source].items():
            if target == source:
                continue
            share = Fraction(1, paths[source][target])
            for v, here in levels[source].items():
                if v not in (source, target) and here + levels[v].get(target, n) == distance:
                    through[v] += share * paths[source][v] * paths[v][target]
            for u, v in listed:
                if u in levels[source] and levels[source][u] + 1 + levels[v].get(target, n) == distance:
                    along[u, v] += share * paths[source][u] * paths[v][target]
    return through, along
