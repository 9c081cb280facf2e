"""Betweenness in exact fractions: from every shortest path by itself, and by Brandes' sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

Rows = list[list[int]]
"""The neighbours of each vertex, none twice."""
Edges = dict[tuple[int, int], Fraction]


def rows_of(n: int, edges: Iterable[tuple[int, int]], directed: bool) -> Rows:
    found: list[set[int]] = [set() for _ in range(n)]
    for tail, head in edges:
        found[tail].add(head)
        if not directed:
            found[head].add(tail)
    return [sorted(each) for each in found]


def levels_from(rows: Rows, source: int) -> dict[int, int]:
    levels, queue = {source: 0}, [source]
    for vertex in queue:
        for head in rows[vertex]:
            if head not in levels:
                levels[head] = levels[vertex] + 1
                queue.append(head)
    return levels


def by_all_paths(rows: Rows, sources: Iterable[int]) -> tuple[list[Fraction], Edges]:
    """Go every shortest path, and give each its part."""
    vertices, edges = [Fraction(0)] * len(rows), dict.fromkeys(_edges(rows), Fraction(0))
    for source in sources:
        levels = levels_from(rows, source)

        def paths(target: int, levels: dict[int, int] = levels, source: int = source) -> Iterator[list[int]]:
            if target == source:
                yield [source]
            for before, heads in enumerate(rows):
                if target in heads and levels.get(before, -2) == levels[target] - 1:
                    yield from ([*path, target] for path in paths(before))

        for target in levels:
            found = list(paths(target)) if target != source else []
            for path in found:
                for vertex in path[1:-1]:
                    vertices[vertex] += Fraction(1, len(found))
                for edge in pairwise(path):
                    edges[edge] += Fraction(1, len(found))
    return vertices, edges


def by_sums(rows: Rows, sources: Iterable[int]) -> tuple[list[Fraction], Edges]:
    """Sum up dependencies, in integers of any size."""
    vertices, edges = [Fraction(0)] * len(rows), dict.fromkeys(_edges(rows), Fraction(0))
    for source in sources:
        levels = levels_from(rows, source)
        paths = dict.fromkeys(levels, 0) | {source: 1}
        for vertex in levels:
            for head in rows[vertex]:
                if levels[head] == levels[vertex] + 1:
                    paths[head] += paths[vertex]
        dependency = dict.fromkeys(levels, Fraction(0))
        for vertex in reversed(levels):
            for head in rows[vertex]:
                if levels[head] == levels[vertex] + 1:
                    share = Fraction(paths[vertex], paths[head]) * (1 + dependency[head])
                    edges[vertex, head] += share
                    dependency[vertex] += share
            if vertex != source:
                vertices[vertex] += dependency[vertex]
    return vertices, edges


def _edges(rows: Rows) -> Iterator[tuple[int, int]]:
    return ((tail, head) for tail, heads in enumerate(rows) for head in heads)
