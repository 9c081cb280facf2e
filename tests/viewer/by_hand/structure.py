"""Components, spanning forests and matchings."""

from __future__ import annotations

from typing import Any

Edge = tuple[int, int, Any]
History = dict[str, list[list[Any]]]


def dulle_components(n: int, edges: list[Edge]) -> History:
    """Algorithm 18, with all vertices at a time."""
    beside: list[set[int]] = [set() for _ in range(n)]
    for u, v, _ in edges:
        beside[u].add(v)
        beside[v].add(u)
    rounds = (n - 1).bit_length()
    c = list(range(n))
    t: list[Any] = [None] * n
    states: History = {"components": [c], "targets": []}
    for _ in range(rounds):
        t = [min((c[j] for j in beside[p] if c[j] != c[p]), default=c[p]) for p in range(n)]
        states["targets"].append(t)
        wishes = [[t[j] for j in range(n) if c[j] == p and t[j] != p] for p in range(n)]
        t = [min(wishes[p], default=c[p]) for p in range(n)]
        states["targets"].append(t)
        c = [t[p] if c[p] == p else c[p] for p in range(n)]
        states["components"].append(c)
        jumped = [c[c[p]] for p in range(n)]
        c = [min(c[p], p) if jumped[p] == p else c[p] for p in range(n)]
        states["components"].append(c)
        for _ in range(rounds):
            c = [c[c[p]] for p in range(n)]
            states["components"].append(c)
    return states


def _component_of(n: int, edges: list[Edge]) -> list[int]:
    """Return the smallest vertex of the component of each."""
    label = list(range(n))
    changed = True
    while changed:
        changed = False
        for u, v, _ in edges:
            low = min(label[u], label[v])
            changed = changed or label[u] != low or label[v] != low
            label[u] = label[v] = low
    return label


components = _component_of


def boruvka(n: int, edges: list[Edge]) -> list[list[int]]:
    """Return which edges are chosen after each round; of equal weights the one listed first is lighter."""
    chosen = [0] * len(edges)
    found = [list(chosen)]
    while True:
        label = _component_of(n, [edge for edge, taken in zip(edges, chosen, strict=True) if taken])
        best: dict[int, int] = {}
        for number, (u, v, w) in enumerate(edges):
            for own, other in ((label[u], label[v]), (label[v], label[u])):
                if own != other and (own not in best or (w, number) < (edges[best[own]][2], best[own])):
                    best[own] = number
        if not best:
            return found
        for number in best.values():
            chosen[number] = 1
        found.append(list(chosen))


def balls(rows: list[int], columns: list[int], edges: list[Edge], n: int) -> History:
    """Algorithms 15 to 17: balls are rows, bins are columns."""
    is_row = set(rows)
    bins: dict[int, set[int]] = {ball: set() for ball in rows}
    for u, v, _ in edges:
        ball, each = (u, v) if u in is_row else (v, u)
        bins[ball].add(each)
    limit = len(columns) + 1
    wanted: dict[int, Any] = dict.fromkeys(rows)
    lost: set[int] = set()
    inside: dict[int, Any] = dict.fromkeys(columns)
    label: dict[int, float] = dict.fromkeys(columns, 0)
    other: dict[int, float] = {}
    found: History = {"wanted": [], "mates": []}
    while True:
        has_chosen = False
        for ball in rows:
            if ball in lost or (wanted[ball] is not None and inside[wanted[ball]] == ball):
                continue
            ordered = sorted((label[each], each) for each in bins[ball])
            if not ordered or ordered[0][0] >= limit:
                wanted[ball] = None
                lost.add(ball)
                continue
            wanted[ball] = ordered[0][1]
            other[ball] = ordered[1][0] if len(ordered) > 1 else float("inf")
            has_chosen = True
        found["wanted"].append([wanted.get(vertex) for vertex in range(n)])
        if not has_chosen:
            return found
        for each in columns:
            suitors = sorted((-other[ball], ball) for ball in rows if wanted[ball] == each)
            if suitors:
                inside[each] = suitors[0][1]
                label[each] = -suitors[0][0] + 1
        mates: list[Any] = [inside.get(vertex) for vertex in range(n)]
        for each, ball in inside.items():
            if ball is not None:
                mates[ball] = each
        found["mates"].append(mates)
