"""Serial references that share no code with the library: exact arithmetic, textbook algorithms."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

Edge = tuple[int, int, Fraction]


class NegativeCycle(Exception):
    """A negative cycle can be reached from the source."""


def edges_of(sources: Iterable[int], targets: Iterable[int], weights: Iterable[object], directed: bool) -> list[Edge]:
    """Return the edges with exact weights, both directions of undirected ones."""
    edges = [(int(u), int(v), Fraction(w)) for u, v, w in zip(sources, targets, weights, strict=True)]
    return edges if directed else edges + [(v, u, w) for u, v, w in edges]


def distances(n: int, edges: Sequence[Edge], source: int) -> list[Fraction | None]:
    """Bellman-Ford over a plain edge list in exact arithmetic; None = unreachable."""
    dist: list[Fraction | None] = [None] * n
    dist[source] = Fraction(0)
    for _ in range(n):
        changed = False
        for u, v, w in edges:
            through = dist[u]
            if through is not None and (dist[v] is None or through + w < dist[v]):
                dist[v] = through + w
                changed = True
        if not changed:
            return dist
    raise NegativeCycle


def left_to_right_distances(n: int, edges: Sequence[Edge], source: int, number: type) -> list[float]:
    """Least path weight when weights are added from left to right in one floating-point type."""
    dist = [number("inf")] * n
    dist[source] = number(0)
    changed = True
    while changed:
        changed = False
        for u, v, w in edges:
            through = number(dist[u] + number(float(w)))
            if through < dist[v]:
                dist[v] = through
                changed = True
    return dist


def predecessors(n: int, edges: Sequence[Edge], source: int, dist: Sequence[Fraction | None]) -> list[int]:
    """Return the tree that the documentation promises, straight from its definition."""
    none = -9999
    negative = any(w < 0 for _, _, w in edges)
    tight = [(u, v) for u, v, w in edges if dist[u] is not None and v != source and dist[u] + w == dist[v]]
    tree = [none] * n
    level = {source: 0}
    if not negative:
        for v in range(n):
            progress = [u for u, x in tight if x == v and dist[u] < dist[v]]
            if progress:
                tree[v] = min(progress)
                level[v] = 0
    hop = 0
    while below := {v for v, reached_at in level.items() if reached_at == hop}:
        for v in range(n):
            candidates = [u for u, x in tight if x == v and u in below]
            if v not in level and candidates:
                tree[v] = min(candidates)
                level[v] = hop + 1
        hop += 1
    return tree


def all_distances(n: int, edges: Sequence[Edge]) -> list[list[Any]]:
    """Distances between all pairs; None where there is no path, -inf where one can pass a negative cycle."""
    after = [_reached(n, edges, source) for source in range(n)]
    on_cycles: set[int] = set()
    left = set(range(n)) if any(w < 0 for _, _, w in edges) else set()
    while left:
        first = left.pop()
        component = {v for v in after[first] if first in after[v]}
        try:
            distances(n, [edge for edge in edges if component.issuperset(edge[:2])], first)
        except NegativeCycle:
            on_cycles |= component
        left -= component
    rows: list[list[Any]] = []
    for source in range(n):
        unbounded = set().union(*(after[k] for k in after[source] & on_cycles))
        rest = [edge for edge in edges if unbounded.isdisjoint(edge[:2])]
        row: list[Any] = [None] * n if source in unbounded else distances(n, rest, source)
        rows.append([float("-inf") if v in unbounded else d for v, d in enumerate(row)])
    return rows


def _reached(n: int, edges: Sequence[Edge], source: int) -> set[int]:
    targets: list[list[int]] = [[] for _ in range(n)]
    for u, v, _ in edges:
        targets[u].append(v)
    reached, waiting = {source}, [source]
    while waiting:
        new = set(targets[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def all_predecessors(n: int, edges: Sequence[Edge], dist: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return the tree of each source from what all_distances gives; no predecessor where that is not finite."""
    finite = [[None if d == float("-inf") else d for d in row] for row in dist]
    return [
        predecessors(n, edges, source, row) if row[source] is not None else [-9999] * n
        for source, row in enumerate(finite)
    ]


def check_tree(n: int, edges: Sequence[Edge], source: int, dist: Sequence[object], pred: Sequence[int]) -> None:
    """Assert the rules of the Graph500 validator for exact distances; None = unreachable."""
    best: dict[tuple[int, int], Fraction] = {}
    for u, v, w in edges:
        best[u, v] = min(w, best.get((u, v), w))
    assert dist[source] == 0
    assert pred[source] == -9999
    for (u, v), w in best.items():
        assert dist[u] is None or (dist[v] is not None and dist[v] <= dist[u] + w), f"edge {u} -> {v} is shorter"
    for v in range(n):
        if v == source or dist[v] is None:
            assert pred[v] == -9999
            continue
        assert (pred[v], v) in best, f"vertex {v}: no edge from its predecessor {pred[v]}"
        assert dist[pred[v]] + best[pred[v], v] == dist[v]
        steps, walker = 0, v
        while walker != source:
            walker = pred[walker]
            steps += 1
            assert steps <= n, f"vertex {v}: its predecessors run in a circle"


def closed_walk_weight(edges: Sequence[Edge], cycle: Sequence[int]) -> Fraction:
    """Return the weight of a cycle given as v0, v1, ..., v0; a missing edge is a KeyError."""
    best: dict[tuple[int, int], Fraction] = {}
    for u, v, w in edges:
        best[u, v] = min(w, best.get((u, v), w))
    assert cycle[0] == cycle[-1]
    assert len(cycle) > 1
    return sum((best[pair] for pair in itertools.pairwise(cycle)), Fraction(0))


def scan(
    values: Sequence[object],
    join: Callable[[object, object], object],
    identity: object,
    heads: Sequence[object],
    exclusive: bool,
) -> list[object]:
    """Join each value with those before it in its segment, one after the other."""
    result = []
    carry = identity
    for value, head in zip(values, heads, strict=True):
        before = identity if head else carry
        carry = join(before, value)
        result.append(before if exclusive else carry)
    return result


def min_plus_product(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]], columns: int) -> list[list[Any]]:
    """Multiply rows by columns in Python's numbers; None = no path."""
    product = []
    for row in a:
        sums: list[list[Any]] = [[] for _ in range(columns)]
        for left, other in zip(row, b, strict=True):
            for column, right in enumerate(other):
                if left is not None and right is not None:
                    sums[column].append(left + right)
        product.append([min(each, default=None) for each in sums])
    return product
