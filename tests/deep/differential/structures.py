"""What reedsp has to answer to questions about what a graph is made of, and to sort; and whether it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reedsp
from tests.deep.differential.answers import Rules, ask, require, rules_of
from tests.deep.differential.cases import NETWORKX, Case, Weighted, as_argument, contents, node
from tests.support import structure_oracle as oracle

_LARGEST_SUM = 2**63 - 1
_ENOUGH_DIGITS = 1e-12
_SORTED_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_SORTED_TYPES += ("float16", "float32", "float64")


def _rules(case: Case) -> Rules:
    """Return the rules of a graph whose weights are not added up."""
    rules = rules_of(case, None)
    rules.must -= {OverflowError}
    if rules.heaviest > _LARGEST_SUM:
        rules.may.add(OverflowError)
    return rules


def _lightest(rules: Rules) -> list[Weighted]:
    """Return the edges of the graph that is made of the container: of parallel ones the lightest."""
    kept: dict[tuple[int, int], Any] = {}
    for u, v, w in rules.edges:
        kept[u, v] = min(w, kept.get((u, v), w))
    return [(u, v, w) for (u, v), w in kept.items()]


def components(case: Case, device: Any) -> None:
    """Check reedsp.connected_components: the labels are unique."""
    given, rules = case.arguments, _rules(case)
    found = ask(
        case, rules, lambda container: reedsp.connected_components(as_argument(case, container), device=device, **given)
    )
    if found is None:
        return
    pairs = [(u, v) for u, v, _ in rules.edges]
    weak = given["connection"] == "weak"
    right = oracle.weak_labels(case.n, pairs) if weak or not case.directed else oracle.strong_labels(case.n, pairs)
    require(found.labels.tolist() == right, "labels {}, expected {}", found.labels.tolist(), right)
    require(found.count == len(set(right)) and found.verify(), "{} components", found.count)


def forest(case: Case, device: Any) -> None:
    """Check reedsp.spanning_forest: the edges are unique."""
    given, rules = case.arguments, _rules(case)
    found = ask(
        case, rules, lambda container: reedsp.spanning_forest(as_argument(case, container), device=device, **given)
    )
    if found is None:
        return
    right = oracle.spanning_forest(case.n, _lightest(rules), given["maximum"])
    edges = [(*ends, weight) for ends, weight in zip(found.ends.tolist(), found.weights.tolist(), strict=True)]
    require(edges == right, "{}, expected {}", edges, right)
    require(found.verify(), "verify")


def _in_sides(case: Case, rules: Rules) -> tuple[int, int, dict[tuple[int, int], Any]]:
    """Return how many rows and columns there are, and the lightest edge between them by their numbers.

    All vertices of a directed graph are rows and columns. An undirected one has to be bipartite.
    """
    edges = {(u, v): w for u, v, w in _lightest(rules)}
    if case.directed:
        return case.n, case.n, edges
    sides = oracle.sides(case.n, edges)
    if sides is None:
        rules.must.add(ValueError)
        return 0, 0, {}
    row_of, column_of = ({vertex: number for number, vertex in enumerate(side)} for side in sides)
    between: dict[tuple[int, int], Any] = {}
    for (u, v), w in edges.items():
        row, column = (u, v) if u in row_of else (v, u)
        pair = row_of[row], column_of[column]
        between[pair] = min(w, between.get(pair, w))
    return len(row_of), len(column_of), between


def matching(case: Case, device: Any) -> None:
    """Check reedsp.maximum_matching by its own vertex cover, as large as the matching and no larger."""
    given, rules = case.arguments, _rules(case)
    n_rows, n_columns, pairs = _in_sides(case, rules)
    found = ask(
        case,
        rules,
        lambda container: reedsp.maximum_matching(_graph(case, container), device=device, **given),
    )
    if found is None:
        return
    columns = found.column_of_row.tolist()
    require(len(columns) == n_rows, "{} rows, expected {}", len(columns), n_rows)
    matched = [(row, column) for row, column in enumerate(columns) if column >= 0]
    require(set(matched) <= set(pairs) and len({column for _, column in matched}) == len(matched), "{}", matched)
    rows = [-1] * n_columns
    for row, column in matched:
        rows[column] = row
    require(found.row_of_column.tolist() == rows, "{}, expected {}", found.row_of_column, rows)
    size = oracle.matching_size(n_rows, pairs)
    require(len(matched) == found.cardinality == size, "{} pairs, expected {}", len(matched), size)
    cover = found.cover()
    require(len(cover.rows) + len(cover.columns) == size, "a cover of {}", cover)
    in_cover = (set(cover.rows.tolist()), set(cover.columns.tolist()))
    require(all(u in in_cover[0] or v in in_cover[1] for u, v in pairs), "{} covers not all", cover)
    require(found.verify(), "verify")


def _graph(case: Case, container: Any) -> reedsp.Graph:
    """Return the graph: entries of a matrix are read otherwise by what takes a matrix for one of two sides."""
    given = as_argument(case, container)
    if isinstance(given, reedsp.Graph):
        return given
    if case.container in NETWORKX:
        return reedsp.Graph.from_networkx(given)
    return reedsp.Graph.from_scipy(given) if hasattr(given, "nnz") else reedsp.Graph.from_dense(given)


def full_matching(case: Case, device: Any) -> None:
    """Check reedsp.full_matching by its prices, in exact arithmetic."""
    given, rules = case.arguments, _rules(case)
    n_rows, n_columns, edges = _in_sides(case, rules)
    size, span = min(n_rows, n_columns), Fraction(0)
    if not rules.must:
        weights = [Fraction(w) for w in edges.values()]
        span = max(map(abs, weights), default=span)
        spread = max(weights, default=span) - min(weights, default=span)
        if max(512 * (size + 1) * spread, span) >= 2**62 or span * 4 * (size + 1) > np.finfo(np.float64).max:
            rules.may.add(OverflowError)
        if oracle.matching_size(n_rows, edges) < size:
            rules.must.add(ValueError)
    if given["method"] == "auction" and not rules.must:  # whose prices int64 has to hold
        sums = size
        if n_rows != n_columns:  # two copies, with weights of 0 between them
            sums, spread = n_rows + n_columns, max([Fraction(0), *weights]) - min([Fraction(0), *weights])
        too_large = 8 * (sums + 1) ** 2 * (spread + 1) >= 2**62
        rules.may |= {ValueError} if too_large or any(w != int(w) for w in edges.values()) else set()
    found = ask(case, rules, lambda container: reedsp.full_matching(_graph(case, container), device=device, **given))
    if found is None:
        return
    pairs = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    require(len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs) == size, "{}", pairs)
    require(all(pair in edges for pair in pairs), "{} are not all edges", pairs)
    weight = sum((Fraction(edges[pair]) for pair in pairs), Fraction(0))
    require(Fraction(found.weight) == weight or found.weight == float(weight), "{} is not {}", found.weight, weight)
    rows, columns = ([Fraction(each) for each in prices.tolist()] for prices in (found.row_prices, found.column_prices))
    slack = 0 if found.row_prices.dtype == np.int64 else Fraction(_ENOUGH_DIGITS) * (1 + span) * max(size, 1)
    sign = -1 if given["maximum"] else 1
    for (u, v), w in edges.items():
        require(sign * (rows[u] + columns[v] - Fraction(w)) <= slack, "prices of {}", (u, v))
    taken, larger = ({u for u, _ in pairs}, rows) if n_rows > size else ({v for _, v in pairs}, columns)
    prices = [sign * price for price in larger] if len(larger) > size else []
    require(all(price <= slack and (each in taken or not price) for each, price in enumerate(prices)), "{}", prices)
    require(
        abs(sum(rows) + sum(columns) - weight) <= slack * (size + 1), "prices add up to {}", sum(rows) + sum(columns)
    )
    require(found.verify(), "verify")


def flow(case: Case, device: Any) -> None:
    """Check reedsp.maximum_flow by its cut, in exact arithmetic."""
    given, rules = dict(case.arguments), _rules(case)
    source, target = given.pop("source") % case.n, given.pop("target") % case.n
    edges = _lightest(rules)
    unlimited = case.container in NETWORKX and any(w == np.inf for *_, w in case.edges)  # refused, elsewhere no edge
    possible = all(0 <= w <= _LARGEST_SUM and w == int(w) for *_, w in edges)
    if rules.must or source == target or unlimited or not possible:
        rules.must.add(ValueError)
    elif sum(int(w) for *_, w in edges) > _LARGEST_SUM:
        rules.may.add(OverflowError)
    names = (node(case, source), node(case, target))
    found = ask(
        case, rules, lambda container: reedsp.maximum_flow(as_argument(case, container), *names, device=device, **given)
    )
    if found is None:
        return
    graph = found.graph
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    arcs = list(zip(tails, graph.indices.tolist(), found.flow.tolist(), strict=True))
    capacity = {(u, v): int(w) for u, v, w in edges}
    net = [0] * case.n
    for u, v, amount in arcs:
        require(0 <= amount <= capacity[u, v], "{} along {}", amount, (u, v))
        net[u] -= amount
        net[v] += amount
    net[source] += found.value
    net[target] -= found.value
    require(not any(net), "what flows in does not flow out: {}", net)
    amounts = {(u, v): amount for u, v, amount in arcs}
    left = [pair for pair in capacity if amounts[pair] < capacity[pair] or amounts.get(pair[::-1], 0)]
    left += [(v, u) for (u, v), amount in amounts.items() if amount]
    side = set(oracle.levels_from(case.n, left, source))
    cut = found.cut()
    require(cut.source_side.tolist() == sorted(side) and target not in side, "{}, expected {}", cut, sorted(side))
    across = sum(w for (u, v), w in capacity.items() if u in side and v not in side)
    require(across == cut.capacity == found.value, "{} flow, the cut carries {}", found.value, across)
    require(found.verify(), "verify")


def betweenness(case: Case, device: Any) -> None:
    """Check reedsp.betweenness, of vertices and of edges."""
    given, rules = dict(case.arguments), _rules(case)
    sources = given.pop("sources")
    distinct = list(range(case.n)) if sources is None else list(dict.fromkeys(each % case.n for each in sources))
    names = None if sources is None else [node(case, each) for each in distinct]
    found = ask(
        case,
        rules,
        lambda container: reedsp.betweenness(
            as_argument(case, container), names, edges=True, normalized=False, device=device, **given
        ),
    )
    if found is None or sources is not None:
        return
    pairs = [(u, v) for u, v, _ in rules.edges]
    through, along = oracle.betweenness(case.n, pairs, distinct)
    half = 1 if case.directed else 2
    for vertex, (value, right) in enumerate(zip(found.values.tolist(), through, strict=True)):
        require(_is_near(value, right / half), "vertex {}: {}, expected {}", vertex, value, float(right / half))
    index = {node(case, vertex): vertex for vertex in range(case.n)}
    for (u, v), value in found.edges_to_dict().items():
        ends = (index[u], index[v])
        right = Fraction(0) if ends[0] == ends[1] else along[ends] * (1 if case.directed else 2) / half
        require(_is_near(value, right), "edge {}: {}, expected {}", ends, value, float(right))
    require(found.verify(), "verify")


def _is_near(value: float, right: Fraction) -> bool:
    return abs(Fraction(value) - right) <= Fraction(_ENOUGH_DIGITS) * right


def sort(case: Case, device: Any) -> None:
    """Check sort, argsort and sort_by_key of the weights against numpy, bit by bit."""
    given = dict(case.arguments)
    kind = given.pop("kind")
    values = np.array([w for *_, w in case.edges], case.weight_type)
    others = np.arange(len(values), dtype=np.int32) * 3
    before = contents([values, others])
    order = np.argsort(values, kind="stable")
    if case.weight_type not in _SORTED_TYPES:
        with pytest.raises(TypeError, match=r"^(values|keys): elements of type"):
            reedsp.sort_by_key(values, others, device=device, **given)
        return
    right: list[np.ndarray]
    if kind == "sort":
        found, right = [reedsp.sort(values, device=device, **given)], [values[order]]
    elif kind == "argsort":
        found, right = [reedsp.argsort(values, device=device, **given)], [order]
    else:
        found, right = list(reedsp.sort_by_key(values, others, device=device, **given)), [values[order], others[order]]
    require(contents([values, others]) == before, "the input was changed")
    for one, other in zip(found, right, strict=True):
        require(contents(one) == contents(np.ascontiguousarray(other)), "{}, expected {}", one.tolist(), other.tolist())


CHECKS: dict[str, Callable[[Case, Any], None]] = {
    "components": components,
    "forest": forest,
    "matching": matching,
    "full matching": full_matching,
    "flow": flow,
    "betweenness": betweenness,
    "sort": sort,
}


QUESTIONS = dict.fromkeys(CHECKS, 0.05)


def choose(rng: np.random.Generator, question: str, n: int) -> dict[str, Any]:
    """Choose the arguments of a question."""

    def one(values: Sequence[Any]) -> Any:
        return values[rng.integers(len(values))]

    if question == "components":
        connection = one(("weak", "strong"))
        return {"connection": connection, "method": one(_COMPONENT_METHODS[connection])}
    if question == "forest":
        return {"maximum": one((True, False)), "method": one(("auto", "kruskal", "boruvka", "dulle"))}
    if question == "matching":
        return {"method": one(("auto", "depth-first", "phases", "dulle", "khosla"))}
    if question == "full matching":
        return {"maximum": one((True, False)), "method": one(("auto", "shortest-paths", "auction"))}
    if question == "flow":
        ends = rng.integers(-n, n, 2).tolist()
        return {"source": ends[0], "target": ends[1], "method": one(("auto", "dinic", "push-relabel"))}
    if question == "betweenness":
        sources = one((None, None, rng.integers(-n, n, 3).tolist()))
        return {"sources": sources, "options": {"method": one(("work-items", "work-groups"))}}
    method = one(("fast", "merge"))
    given = {"kind": one(("sort", "argsort", "sort by key")), "method": method}
    return {**given, "presort": one(("bitonic", "odd-even"))} if method == "merge" else given


_COMPONENT_METHODS = {"weak": ("auto", "fast", "dulle"), "strong": ("auto", "depth-first", "colours")}
