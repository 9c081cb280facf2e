"""What reedsp has to answer to a case of ``cases.py``, from exact arithmetic, and whether it does."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import reedsp
from reedsp import csgraph
from reedsp.edges import balance, ladder
from tests.deep.differential.cases import (
    Case,
    Number,
    Weighted,
    as_argument,
    contained,
    contents,
    has_bad_weight,
    meant_edges,
    node,
)
from tests.support import oracle

NONE = -9999
INT64_MAX = 2**63 - 1
EXACT_IN_FLOAT64 = 2**53
CERTAIN_IN_MATRICES = 2**60  # apsp promises answers of path weights up to here
SSSP_WAYS: tuple[dict[str, Any], ...] = (
    {"method": "auto"},
    {"method": "output-parallel"},
    {"method": "output-parallel", "options": {"early_stop": False}},
    {"method": "input-parallel"},
    {"method": "input-parallel-refined"},
    {"method": "near-far", "options": {"work_groups": False}},
    {"method": "near-far", "options": {"work_groups": True}},
)
RARE_SSSP_WAYS: tuple[dict[str, Any], ...] = (
    *({"method": "near-far", "options": {"work_groups": True, "balance": rung}} for rung in balance.RUNGS),
    {"method": "near-far-local"},
    {"method": "dijkstra-heap"},
    {"method": "dijkstra-array"},
    {"method": "bellman-ford"},
    {"method": "bellman-ford-queue"},
    *({"method": "input-parallel-refined", "options": {"balance": rung}} for rung in ladder.RUNGS),
    {"method": "input-parallel-refined", "options": {"edge_classes": True}},
)
WITHOUT_NEGATIVE_WEIGHTS = ("near-far", "near-far-local", "dijkstra-heap", "dijkstra-array")
APSP_WAYS: tuple[dict[str, Any], ...] = (
    {"method": "auto"},
    {"method": "floyd-warshall"},
    {"method": "floyd-warshall", "options": {"kernel": "staged-load"}},
    {"method": "min-plus"},
    {"method": "min-plus", "options": {"product": "tiles"}},
    {"method": "floyd-warshall", "memory_limit": 1 << 21},  # enough for the panels of every device
    {"method": "johnson"},
)
PRODUCT_METHODS = ("auto", "naive", "row-blocks", "tiles", "registers", "panels")
SCAN_METHODS = ("fast", "blelloch", "naive", "work-group", "work-item")
BFS_WAYS: tuple[dict[str, Any], ...] = (
    *(
        {"method": method, "direction": direction}
        for method in ("work-items", "work-groups")
        for direction in ("top-down", "bottom-up", "auto")
    ),
    {},
)
RARE_BFS_WAYS: tuple[dict[str, Any], ...] = (
    *({"method": "frontier", "balance": rung} for rung in ladder.RUNGS),
    {"method": "source-a-group"},
)
_RARELY = 0.15
"""How often a rare way is taken, each of which has kernels of its own to be built."""
CSGRAPH_WAYS = ("dijkstra", "nearest", "bellman_ford", "johnson", "floyd_warshall", "shortest_path")


class Mismatch(AssertionError):
    """reedsp's answer is not the right one."""


def require(holds: bool, message: str, *values: Any) -> None:
    """Raise Mismatch with these values unless something holds."""
    if not holds:
        raise Mismatch(message.format(*values))


# ---- what is right ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One right answer from a source: distances, None for no path, and the tree, if it is unique."""

    dist: list[Any]
    pred: list[int] | None


@dataclass
class Rules:
    """The errors that have to come, or may; and what a graph is to reedsp.

    Attributes
    ----------
    n : int
    edges : list of (source, target, weight)
        That exist.
    result : dtype
    exact : bool
        Whether weights are added as integers.
    must, may : set of exception types
        If `must` is not empty, one of both has to be raised.
    """

    n: int
    edges: list[Weighted]
    result: np.dtype[Any]
    exact: bool = False
    must: set[type[Exception]] = field(default_factory=set)
    may: set[type[Exception]] = field(default_factory=set)

    @property
    def negative(self) -> bool:
        return any(w < 0 for _, _, w in self.edges)

    @property
    def bound(self) -> int | Fraction:
        """Which no simple path's weight exceeds: it leaves each vertex at most once."""
        heaviest: dict[int, Fraction] = {}
        for u, _, w in self.edges:
            heaviest[u] = max(heaviest.get(u, Fraction(0)), abs(Fraction(w)))
        return sum(heaviest.values(), Fraction(0))

    @property
    def heaviest(self) -> Number:
        return max((abs(w) for _, _, w in self.edges), default=0)

    @functools.cached_property
    def fractions(self) -> list[oracle.Edge]:
        """The edges with exact weights, whole ones as integers, which are added sooner."""
        return [(u, v, int(w) if w == int(w) else Fraction(w)) for u, v, w in self.edges]

    @property
    def number(self) -> type:
        """Type in which fractional weights are added."""
        return np.float32 if self.result == np.float32 else float


def rules_of(case: Case, result: str | None) -> Rules:
    """Return what holds for a graph, and for a dtype of the distances."""
    edges = meant_edges(case)
    rules = Rules(case.n, edges, np.dtype(result or "float64"))
    if has_bad_weight(edges):
        rules.must.add(ValueError)
        return rules
    least: dict[Any, Number] = {}  # of parallel edges only that one is in the graph
    for u, v, w in edges:
        key = (u, v) if case.directed else frozenset((u, v))
        least[key] = min(least.get(key, w), w)
    whole = all(w == int(w) for w in least.values())
    floats = any(isinstance(w, float) for _, _, w in edges)
    if rules.result.kind == "i" and not whole:
        rules.must.add(ValueError)
    elif floats and rules.heaviest > (INT64_MAX if rules.result.kind == "i" else float(np.finfo(rules.result).max)):
        rules.must.add(OverflowError)
    kept = Rules(case.n, [(u, v, w) for (u, v), w in lightest(rules).items()], rules.result)
    small = kept.bound + Fraction(kept.heaviest) <= EXACT_IN_FLOAT64
    rules.exact = whole and (not floats or rules.result.kind == "i" or small)
    return rules


def no_path_in(dtype: np.dtype[Any]) -> Any:
    """Return what stands for "no path" in this type."""
    return np.iinfo(dtype).max if dtype.kind == "i" else np.inf


def rounded(exact: Fraction | None, rules: Rules) -> Any:
    """Return a distance in the type of the results; note the error if that cannot hold it."""
    result = rules.result
    if exact is None:
        return no_path_in(result)
    if exact == -np.inf:
        return np.iinfo(result).min if result.kind == "i" else -np.inf
    if not rules.exact:
        return _nearest(exact, rules)
    value = int(exact)
    limits = np.iinfo(result if result.kind == "i" else np.int64)
    if not limits.min <= value < limits.max:
        rules.must.add(OverflowError)
    elif value == limits.min:
        rules.may.add(OverflowError)
    if result == np.float64 and int(float(value)) != value:
        rules.must.add(ValueError)
    return value if result.kind == "i" else result.type(value)


def _nearest(exact: Fraction, rules: Rules) -> Any:
    try:
        with np.errstate(over="ignore"):
            near = rules.number(float(exact))
    except OverflowError:
        near = np.inf if exact > 0 else -np.inf
    if np.isinf(near):
        rules.may.add(OverflowError)
    return near


def right_rows(rules: Rules, source: int) -> list[Row]:
    """Return the answers from one source that are right: with fractional weights below zero there may be two.

    Those of sums that are rounded from left to right, and of exact sums that are rounded once.
    """
    n, result = rules.n, rules.result
    none = [NONE] * n
    try:
        exact = oracle.distances(n, rules.fractions, source)
    except oracle.NegativeCycle:
        rules.must.add(reedsp.NegativeCycleError)
        if rules.exact and rules.bound > INT64_MAX:  # perhaps on the way to the cycle
            rules.may.add(OverflowError)
        return [Row([None] * n, none)]
    rows = []
    if rules.exact or rules.negative:
        tree = oracle.predecessors(n, rules.fractions, source, exact)
        rows.append(Row([rounded(d, rules) for d in exact], tree))
    if not rules.exact:
        fixed = from_left_to_right(rules, source)
        if fixed is not None:
            weights = [(u, v, rules.number(w)) for u, v, w in rules.edges]
            reached = [None if d == np.inf else d for d in fixed]
            if any(d is None and right is not None for d, right in zip(reached, exact, strict=True)):
                rules.may.add(OverflowError)
            with np.errstate(over="ignore"):
                rows.append(Row([result.type(d) for d in fixed], oracle.predecessors(n, weights, source, reached)))
    return rows


def from_left_to_right(rules: Rules, source: int) -> list[Any] | None:
    """Return the least sums in floats, or None if they keep falling."""
    with np.errstate(over="ignore"):
        if not rules.negative:
            return oracle.left_to_right_distances(rules.n, rules.edges, source, rules.number)
        dist = [rules.number("inf")] * rules.n
        dist[source] = rules.number(0)
        for _ in range(2 * rules.n + 2):
            before = list(dist)
            for u, v, w in rules.edges:
                dist[v] = min(dist[v], rules.number(dist[u] + rules.number(w)))
            if before == dist:
                break
        if before != dist or dist[source] < 0 or -np.inf in dist:
            return None
        return dist


# ---- asking -----------------------------------------------------------------------------------------


def ask(case: Case, rules: Rules, call: Callable[[Any], Any]) -> Any:
    """Return the answer to a question about the container, or None if an error comes that has to, or may.

    The container has to be the same afterwards.
    """
    container = contained(case)
    before = contents(container)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = call(container)
    except Exception as error:
        answer = None
        check_error(case, rules, error)
    else:
        names = ", ".join(sorted(each.__name__ for each in rules.must))
        require(not rules.must, "an answer, and not {}", names)
    require(contents(container) == before, "the input was changed")
    return answer


def check_error(case: Case, rules: Rules, error: Exception) -> None:
    """Raise Mismatch for an error that should not have come, or names no negative cycle."""
    expected = tuple(rules.must | rules.may)
    if not isinstance(error, expected):
        raise Mismatch(f"{type(error).__name__}: {error}") from error
    if isinstance(error, reedsp.NegativeCycleError):
        vertices = {node(case, vertex): vertex for vertex in range(case.n)}
        weight = oracle.closed_walk_weight(rules.fractions, [vertices[name] for name in error.cycle])
        require(weight < 0, "the cycle {} weighs {}", error.cycle, weight)
        try:
            near = float(weight)
        except OverflowError:
            near = -np.inf
        require(error.weight in (weight, near), "the error says {}, the cycle weighs {}", error.weight, weight)


def check_row(name: str, dist: Any, pred: Any, rows: list[Row]) -> None:
    """Raise Mismatch unless distances and predecessors are those of one of the right answers."""
    dist, pred = dist.tolist(), pred.tolist()
    near = [row for row in rows if row.dist == dist]
    require(bool(near), "{}: dist = {}, expected {}", name, dist, " or ".join(str(row.dist) for row in rows))
    trees = [row.pred for row in near if row.pred is not None]
    require(not trees or pred in trees, "{}: pred = {}, expected {}", name, pred, trees)


def lightest(rules: Rules) -> dict[tuple[int, int], Number]:
    """Return the edges that a graph has, of parallel ones the lightest."""
    best: dict[tuple[int, int], Number] = {}
    for u, v, w in rules.edges:
        best[u, v] = min(w, best.get((u, v), w))
    return best


def check_forest(
    rules: Rules, roots: Iterable[int], dist: Sequence[Any], pred: Sequence[int], tolerance: Callable[[Any], Any]
) -> None:
    """Check predecessors by Graph500's rules: edges that are tight, from roots, without a circle."""
    best, roots = lightest(rules), set(roots)
    for v, before in enumerate(pred):
        if before == NONE:
            fine = v in roots or not np.isfinite(dist[v])
            require(fine, "vertex {}: distance {} but no predecessor", v, dist[v])
            continue
        require(bool(np.isfinite(dist[v])), "vertex {}: predecessor {} but no path", v, before)
        require(bool(np.isfinite(dist[before])), "vertex {}: no path to its predecessor {}", v, before)
        require((before, v) in best, "vertex {}: no edge from its predecessor {}", v, before)
        gap = abs(Fraction(dist[before]) + Fraction(best[before, v]) - Fraction(dist[v]))
        require(gap <= tolerance(dist[v]), "vertex {}: its predecessor {} is not on a shortest path", v, before)
        walker, steps = v, 0
        while pred[walker] != NONE:
            walker, steps = pred[walker], steps + 1
            require(steps <= rules.n, "vertex {}: its predecessors run in a circle", v)
        require(walker in roots, "vertex {}: its predecessors lead to {}", v, walker)


# ---- one source, several, the nearest of several ----------------------------------------------------


def _most_edges(case: Case) -> int:
    """Return how many edges leave a vertex at most, parallel ones counted each."""
    ends = [end for tail, head, _ in case.edges for end in ((tail,) if case.directed else (tail, head))]
    return max(Counter(ends).values(), default=0)


def sssp(case: Case, device: Any) -> None:
    """Check reedsp.sssp."""
    given = dict(case.arguments)
    rules = rules_of(case, given.get("dtype"))
    source, target, cutoff = given.pop("source"), given.pop("target", None), given.get("cutoff")
    sources = [each % case.n for each in (source if isinstance(source, list) else [source])]
    bad = bool(rules.must)
    min_only = given.get("min_only", False)
    needs_positive = cutoff is not None or min_only or given["method"] in WITHOUT_NEGATIVE_WEIGHTS
    if not bad and needs_positive and rules.negative:
        rules.must.add(ValueError)
    elif not bad:
        if min_only:
            rows = _rows_of_the_nearest(rules, sources)
        elif cutoff is None:
            rows = [right_rows(rules, each) for each in sources]
        else:
            rows = [[_cut(rules, each, cutoff)] for each in sources]
        if cutoff is not None and cutoff >= INT64_MAX:  # it may leave out what no type holds, or not
            rules.may.add(OverflowError)
        if target is not None:  # whether it is noticed depends on how far the search goes
            unrepresentable = rules.must & {OverflowError, ValueError}
            rules.may, rules.must = rules.may | unrepresentable, rules.must - unrepresentable
    if given.get("options", {}).get("balance") == "low-degree" and _most_edges(case) > balance.FEW_EDGES:
        rules.may.add(ValueError)
    names = [node(case, each) for each in source] if isinstance(source, list) else node(case, source)

    def call(container: Any) -> Any:
        aim = {} if target is None else {"target": node(case, target)}
        return reedsp.sssp(as_argument(case, container), names, device=device, **aim, **given)

    paths = ask(case, rules, call)
    if paths is None:
        return
    require(paths.dist.dtype == rules.result, "dtype {}", paths.dist.dtype)
    if min_only:
        _check_nearest(rules, sources, rows, paths)
    elif target is not None:
        _check_target(rows[0], paths, target % case.n)
    else:
        shape = (len(sources), case.n) if isinstance(source, list) else (case.n,)
        require(paths.dist.shape == paths.pred.shape == shape, "shape {}", paths.dist.shape)
        for each, right, dist, pred in zip(
            sources, rows, np.atleast_2d(paths.dist), np.atleast_2d(paths.pred), strict=True
        ):
            check_row(f"source {each}", dist, pred, right)


def _rows_of_the_nearest(rules: Rules, sources: list[int]) -> list[list[Row]]:
    """Return the answers from each source; only what is nearest has to be representable."""
    scratch = dataclasses.replace(rules, must=set(), may=set())
    rows = [right_rows(scratch, each) for each in sources]
    rules.may |= scratch.may
    if rules.exact:
        for column in zip(*(oracle.distances(rules.n, rules.fractions, each) for each in sources), strict=True):
            rounded(min((d for d in column if d is not None), default=None), rules)
    return rows


def _cut(rules: Rules, source: int, cutoff: Number) -> Row:
    """Return the answer without what is beyond the cutoff; weights are not negative."""
    if rules.exact:
        kept = [None if d is None or d > cutoff else d for d in oracle.distances(rules.n, rules.fractions, source)]
        return Row([rounded(d, rules) for d in kept], oracle.predecessors(rules.n, rules.fractions, source, kept))
    [row] = right_rows(rules, source)
    assert row.pred is not None
    beyond = [not float(d) <= cutoff for d in row.dist]
    return Row(
        [np.inf if far else d for d, far in zip(row.dist, beyond, strict=True)],
        [NONE if far else u for u, far in zip(row.pred, beyond, strict=True)],
    )


def _check_nearest(rules: Rules, sources: list[int], rows: list[list[Row]], paths: Any) -> None:
    dist = [min(column) for column in zip(*(row.dist for [row] in rows), strict=True)]
    check_row("the nearest source", paths.dist, paths.pred, [Row(dist, None)])
    infinity = no_path_in(rules.result)
    finite = [np.inf if d == infinity else d for d in paths.dist.tolist()]
    slack = _slack(rules)
    check_forest(rules, sources, finite, paths.pred.tolist(), slack)
    for v, nearest in enumerate(paths.nearest.tolist()):
        require((nearest == NONE) == (finite[v] == np.inf), "vertex {}: nearest is {}", v, nearest)
        if nearest != NONE:
            [row] = rows[sources.index(nearest)]
            require(row.dist[v] == dist[v], "vertex {}: {} is not its nearest source", v, nearest)


def _check_target(rows: list[Row], paths: Any, target: int) -> None:
    """Check the path to the target; what is farther away may be unreached."""
    right = [row for row in rows if _leads_to(row, paths, target)]
    message = "target {}: dist = {}, pred = {}, expected {}"
    require(bool(right), message, target, paths.dist.tolist(), paths.pred.tolist(), rows)


def _leads_to(row: Row, paths: Any, target: int) -> bool:
    """Tell whether all that is not farther away than the target is as in a row, and the path to it."""
    infinity = no_path_in(paths.dist.dtype)
    for got, expected in zip(paths.dist.tolist(), row.dist, strict=True):
        if got != expected and not (got == infinity and expected > row.dist[target]):
            return False
    walker = target
    while row.pred is not None and row.pred[walker] != NONE:
        if paths.pred[walker] != row.pred[walker]:
            return False
        walker = row.pred[walker]
    return True


def _slack(rules: Rules) -> Callable[[Any], Any]:
    """Return how far a float may be from its exact value: one rounding for each edge of a path."""
    if rules.exact and rules.result != np.float32:
        return lambda value: 0
    narrow = rules.result == np.float32
    limits = np.finfo(np.float32 if narrow else np.float64)
    relative = 2 * (rules.n + 1) * Fraction(float(limits.eps))
    least = rules.n * Fraction(float(limits.smallest_subnormal)) if narrow else Fraction(0)  # of rounded weights
    magnitude = rules.bound if rules.negative else None
    return lambda value: relative * abs(Fraction(value) if magnitude is None else magnitude) + least


# ---- all pairs --------------------------------------------------------------------------------------


def apsp(case: Case, device: Any) -> None:
    """Check reedsp.apsp."""
    given = case.arguments
    rules = rules_of(case, given.get("dtype"))
    rows: list[list[Any]] = []
    fractional = any(np.isfinite(float(w)) and w != int(w) for w in lightest(rules).values())
    if given["method"] == "johnson" and rules.negative and (fractional or given["negative_cycles"] == "mark"):
        rules.must.add(ValueError)
    if not rules.must:
        rows = _all_pairs(rules, given)
    paths = ask(case, rules, lambda container: reedsp.apsp(as_argument(case, container), device=device, **given))
    if paths is not None:
        require(paths.dist.dtype == rules.result, "dtype {}", paths.dist.dtype)
        check_all_pairs(rules, rows, paths.dist, paths.pred, paths.method == "johnson")


def _all_pairs(rules: Rules, given: dict[str, Any]) -> list[list[Any]]:
    """Return exact distances, and note the errors."""
    rows = oracle.all_distances(rules.n, rules.fractions)
    if any(-np.inf in row for row in rows) and given["negative_cycles"] == "raise":
        rules.must.add(reedsp.NegativeCycleError)
    if rules.exact:
        for row in rows:
            for d in row:
                rounded(d, rules)
    if rules.exact or (rules.negative and given["method"] == "johnson"):
        if max(rules.bound, rules.heaviest) > CERTAIN_IN_MATRICES:
            rules.may.add(OverflowError)
            if any(-np.inf in row for row in rows):
                rules.may.add(reedsp.NegativeCycleError)
    elif rules.bound > float(np.finfo(rules.result).max) * (1 - 1e-5):
        rules.may.add(OverflowError)
        if any(-np.inf in row for row in rows):
            rules.may.add(reedsp.NegativeCycleError)
    return rows


def check_all_pairs(rules: Rules, rows: list[list[Any]], dist: Any, pred: Any, by_searches: bool) -> None:
    """Check a matrix of distances, and the trees if there are any."""
    require(dist.shape == (rules.n, rules.n), "shape {}", dist.shape)
    trees = oracle.all_predecessors(rules.n, rules.fractions, rows) if rules.exact and pred is not None else None
    for source, exact in enumerate(rows):
        name = f"source {source}"
        if by_searches and not rules.exact and not rules.negative:
            [right] = right_rows(rules, source)
            check_row(name, dist[source], np.array(right.pred) if pred is None else pred[source], [right])
        elif rules.exact:
            right = [rounded(d, rules) for d in exact]
            require(dist[source].tolist() == right, "{}: dist = {}, expected {}", name, dist[source].tolist(), right)
            require(
                trees is None or pred[source].tolist() == trees[source],
                *("{}: pred = {}, expected {}", name),
                *(None if pred is None else pred[source].tolist(), trees and trees[source]),
            )
        else:
            check_rounded_row(rules, source, exact, dist[source], None if pred is None else pred[source])


def check_rounded_row(rules: Rules, source: int, exact: list[Any], dist: Any, pred: Any) -> None:
    """Check distances that were added in some order, and the tree."""
    slack = _slack(rules)
    for v, (got, right) in enumerate(zip(dist.tolist(), exact, strict=True)):
        if right is None or right == -np.inf:
            near = got == (np.inf if right is None else right)
        else:  # inf would say that there is no path
            near = np.isfinite(got) and abs(Fraction(got) - right) <= slack(right)
        require(bool(near), "dist[{}, {}] = {}, expected {}", source, v, got, right if right is None else _shown(right))
    if pred is not None and exact[source] == 0:
        bounded = [d if d > -np.inf else np.inf for d in dist.tolist()]
        check_forest(rules, [source], bounded, pred.tolist(), lambda value: 2 * slack(value))


def _shown(number: Any) -> Any:
    try:
        return float(number)
    except OverflowError:
        return number


# ---- csgraph ----------------------------------------------------------------------------------------


def _csgraph_rules(case: Case) -> Rules:
    """Return the rules for weights that are float64 first, where NaN and +inf are no edges."""
    unweighted = case.arguments.get("unweighted", False)
    meant = meant_edges(case)
    edges = [(u, v, 1.0 if unweighted else float(w)) for u, v, w in meant if np.isfinite(float(w))]
    rules = Rules(case.n, edges, np.dtype(np.float64))
    if any(w == -np.inf for _, _, w in meant):
        rules.must.add(ValueError)
    whole = all(w == int(w) for _, _, w in edges)
    rules.exact = whole and rules.bound + Fraction(rules.heaviest) <= EXACT_IN_FLOAT64
    return rules


def csgraph_paths(case: Case, device: Any) -> None:
    """Check the functions of reedsp.csgraph that find paths."""
    rules, given = _csgraph_rules(case), dict(case.arguments)
    function, limit = given.pop("function"), given.get("limit", np.inf)
    if function == "nearest":
        function, given["min_only"] = "dijkstra", True
    indices = given.get("indices")
    sources = list(range(case.n)) if indices is None else [each % case.n for each in indices]
    everywhere = function in ("johnson", "floyd_warshall", "shortest_path") or indices is None
    rows = oracle.all_distances(case.n, rules.fractions)
    checked = rows if everywhere else [rows[each] for each in sources]
    if any(-np.inf in row for row in checked):
        rules.must.add(reedsp.NegativeCycleError)
    if rules.bound > 1.7e308:
        rules.may.add(OverflowError)
    call = getattr(csgraph, function)
    found = ask(
        case, rules, lambda container: call(container, directed=case.directed, return_predecessors=True, **given)
    )
    if found is None:
        return
    if given.get("min_only"):
        _check_csgraph_nearest(rules, [rows[each] for each in sources], sources, found, limit)
        return
    dist, pred = found
    require(dist.shape == pred.shape == (len(sources), case.n), "shape {}", dist.shape)
    for source, d, tree in zip(sources, dist, pred, strict=True):
        tree_too = not (rules.negative and limit < np.inf)  # paths may lead by way of vertices beyond the limit
        check_rounded_row(rules, source, _within(rules, rows[source], d, limit), d, tree if tree_too else None)


def _within(rules: Rules, exact: list[Any], dist: Any, limit: float) -> list[Any]:
    """Return the distances up to the limit; where rounding may decide, as it has."""
    slack = _slack(rules)
    kept = []
    for right, got in zip(exact, dist.tolist(), strict=True):
        close = right is not None and limit < np.inf and abs(right - Fraction(limit)) <= slack(right) > 0
        outside = right is not None and (got == np.inf if close else right > limit)
        kept.append(None if outside else right)
    return kept


def _check_csgraph_nearest(rules: Rules, rows: list[list[Any]], sources: list[int], found: Any, limit: float) -> None:
    dist, pred, nearest = found
    if not sources:
        require(bool((dist == np.inf).all()), "dist = {}", dist)
        return
    least = [min((d for d in column if d is not None), default=None) for column in zip(*rows, strict=True)]
    least = _within(rules, least, dist, limit)
    slack, largest = _slack(rules), Fraction(float(np.finfo(rules.result).max))
    least = [
        None if right is not None and np.isposinf(got) and right + slack(right) >= largest else right
        for right, got in zip(least, dist.tolist(), strict=True)
    ]
    for v, (got, right) in enumerate(zip(dist.tolist(), least, strict=True)):
        near = got == np.inf if right is None else np.isfinite(got) and abs(Fraction(got) - right) <= slack(right)
        require(bool(near), "dist[{}] = {}, expected {}", v, got, right if right is None else _shown(right))
        require((nearest[v] == NONE) == (right is None), "vertex {}: nearest is {}", v, nearest[v])
        if right is not None:
            from_it = rows[sources.index(int(nearest[v]))][v]
            fine = from_it is not None and abs(from_it - right) <= 2 * slack(right)
            require(fine, "vertex {}: {} is not its nearest source", v, nearest[v])
    if not (rules.negative and limit < np.inf):  # where a path within the limit may lead by way of vertices beyond
        check_forest(rules, sources, dist.tolist(), pred.tolist(), lambda value: 2 * slack(value))


def csgraph_breadth_first(case: Case, device: Any) -> None:
    """Check reedsp.csgraph.breadth_first_order by what defines it."""
    rules = _csgraph_rules(case)
    edges = [(u, v, Fraction(1)) for u, v, _ in rules.edges]
    start = case.arguments["source"] % case.n
    found = ask(case, rules, lambda container: csgraph.breadth_first_order(container, start, case.directed))
    if found is None:
        return
    order, pred = (each.tolist() for each in found)
    levels = oracle.distances(case.n, edges, start)
    require(sorted(order) == [v for v in range(case.n) if levels[v] is not None], "order = {}", order)
    require([levels[v] for v in order] == sorted(levels[v] for v in order), "order = {}, levels {}", order, levels)
    place = {v: at for at, v in enumerate(order)}
    for v in range(case.n):
        above = [place[u] for u, x, _ in edges if x == v and v in place and u in place and levels[u] + 1 == levels[v]]
        right = order[min(above)] if above else NONE
        require(pred[v] == right, "vertex {}: predecessor {}, expected {}", v, pred[v], right)


# ---- breadth-first search ---------------------------------------------------------------------------


def bfs(case: Case, device: Any) -> None:
    """Check reedsp.bfs."""
    given = dict(case.arguments)
    source = given.pop("source")
    rules = rules_of(case, None)
    edges = [(u, v, Fraction(1)) for u, v, _ in rules.edges]
    sources = source if isinstance(source, list) else [source]
    names = [node(case, each) for each in source] if isinstance(source, list) else node(case, source)
    rules.must -= {OverflowError}
    search = ask(case, rules, lambda container: reedsp.bfs(as_argument(case, container), names, device=device, **given))
    if search is None:
        return
    for each, levels, pred in zip(sources, np.atleast_2d(search.levels), np.atleast_2d(search.pred), strict=True):
        exact = oracle.distances(case.n, edges, each % case.n)
        right = Row(
            [-1 if d is None else int(d) for d in exact], oracle.predecessors(case.n, edges, each % case.n, exact)
        )
        check_row(f"source {each}", levels, pred, [right])


# ---- products, powers, scans ------------------------------------------------------------------------


def _entries(case: Case, edges: Iterable[Weighted], dtype: np.dtype[Any]) -> tuple[np.ndarray, list[list[Any]]]:
    """Return a matrix with these entries, and the same in exact numbers, None for no path."""
    no_path = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    matrix = np.full((case.n, case.n), no_path, dtype)
    for u, v, w in edges:
        matrix[u, v] = w
    rows = matrix.tolist()
    return matrix, [
        [None if x == no_path else Fraction(x) if np.isfinite(float(x)) else x for x in row] for row in rows
    ]


def product(case: Case, device: Any) -> None:
    """Check min_plus_product: of the matrix of every other edge by that of the rest."""
    dtype = np.dtype(case.weight_type)
    rules = Rules(case.n, [], dtype)
    if dtype.kind == "b":
        rules.must.add(TypeError)
    elif dtype.itemsize > 8:
        rules.must.add(ValueError)
    held = {"b": np.dtype(np.int8), "f": np.dtype(np.float64)}.get(dtype.kind, dtype)
    a, left = _entries(case, case.edges[::2], held)
    b, right = _entries(case, case.edges[1::2], held)
    rows, columns = case.arguments["shape"]
    a, b = a.astype(dtype)[: rows % case.n + 1], b.astype(dtype)[:, : columns % case.n + 1]
    if dtype.kind == "f" and any(np.isnan(each).any() or (each == -np.inf).any() for each in (a, b)):
        rules.must.add(ValueError)
    limits = np.float32 if dtype == np.float16 else dtype
    expected: list[list[Any]] = []
    if not rules.must:
        width = columns % case.n + 1
        exact = oracle.min_plus_product(left[: rows % case.n + 1], [row[:width] for row in right], width)
        expected = [[_entry(d, np.dtype(limits), rules) for d in row] for row in exact]
    found = _ask_matrices(rules, (a, b), lambda: reedsp.min_plus_product(a, b, case.arguments["method"], device=device))
    if found is not None:
        require(found.dtype == limits, "dtype {}", found.dtype)
        require(found.tolist() == expected, "product = {}, expected {}", found.tolist(), expected)


def _entry(exact: Any, dtype: np.dtype[Any], rules: Rules) -> Any:
    """Return an entry of a product, rounded once."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            try:
                return np.inf if exact is None else float(dtype.type(float(exact)))
            except OverflowError:
                return np.inf if exact > 0 else -np.inf
    limits = np.iinfo(dtype)
    if exact is not None and not limits.min <= exact < limits.max:
        rules.must.add(OverflowError)
    return limits.max if exact is None else int(exact)


def _ask_matrices(rules: Rules, arrays: Sequence[np.ndarray], call: Callable[[], Any]) -> Any:
    """Return the answer, or None if an error has to come; the arrays have to be the same afterwards."""
    before = [contents(each) for each in arrays]
    try:
        answer = call()
    except Exception as error:
        answer = None
        if not isinstance(error, tuple(rules.must | rules.may)):
            raise Mismatch(f"{type(error).__name__}: {error}") from error
    else:
        require(not rules.must, "an answer, and not {}", ", ".join(each.__name__ for each in rules.must))
    require([contents(each) for each in arrays] == before, "the input was changed")
    return answer


def power(case: Case, device: Any) -> None:
    """Check min_plus_power of a matrix whose powers floats hold exactly."""
    dtype, k = np.dtype(case.weight_type), case.arguments["k"]
    rules = Rules(case.n, [], dtype)
    a, exact = _entries(case, case.edges, dtype)
    result = [[Fraction(0) if u == v else None for v in range(case.n)] for u in range(case.n)]
    for _ in range(k):
        result = oracle.min_plus_product(result, exact, case.n)
    if dtype == np.float32 and any(
        d is not None and Fraction(float(np.float32(float(d)))) != d for row in result for d in row
    ):
        return  # rounded at each addition, in another order
    expected = [[_entry(d, dtype, rules) for d in row] for row in result]
    if (
        k
        and dtype.kind == "i"
        and 8 * case.n * k * max((abs(w) for *_, w in case.edges), default=0) > np.iinfo(dtype).max
    ):
        rules.may.add(OverflowError)
    found = _ask_matrices(rules, (a,), lambda: reedsp.min_plus_power(a, k, case.arguments["method"], device=device))
    if found is not None:
        require(found.tolist() == expected, "power = {}, expected {}", found.tolist(), expected)


def scan(case: Case, device: Any) -> None:
    """Check scans, reductions and compactions of the weights; the ends of edges say where segments begin."""
    dtype, given = np.dtype(case.weight_type), case.arguments
    x = np.array([w for *_, w in case.edges], dtype)
    heads = np.array([u % 3 == 0 for u, *_ in case.edges], bool)
    mask = np.array([v % 2 == 0 for _, v, _ in case.edges], bool)
    op, method, kind = given["op"], given["method"], given["kind"]
    least, most = (-np.inf, np.inf) if dtype.kind == "f" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    identity = {"add": 0, "min": most, "max": least}[op]
    join = {"add": lambda a, b: _wrapped(a + b, dtype), "min": min, "max": max}[op]
    segments = heads if kind == "segmented" else np.zeros(len(x), bool)
    right: Any = oracle.scan(x.tolist(), join, identity, segments.tolist(), given["exclusive"])
    if kind == "reduce":
        right = [functools.reduce(join, x.tolist(), identity)]
    elif kind == "compact":
        right = x[mask].tolist()

    def call() -> Any:
        if kind == "segmented":
            return reedsp.segmented_scan(x, heads, op, method, exclusive=given["exclusive"], device=device)
        if kind == "reduce":
            return np.atleast_1d(reedsp.reduce(x, op, method=method, device=device))
        if kind == "compact":
            return reedsp.compact(x, mask, method=method, device=device)
        function = reedsp.exclusive_scan if given["exclusive"] else reedsp.inclusive_scan
        return function(x, op, method, device=device)

    found = _ask_matrices(Rules(case.n, [], dtype), (x, heads, mask), call)
    require(found.dtype == dtype, "dtype {}", found.dtype)
    require(found.tolist() == right, "{} = {}, expected {}", kind, found.tolist(), right)


def _wrapped(number: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return number
    low, span = int(np.iinfo(dtype).min), 2 ** (8 * dtype.itemsize)
    return (number - low) % span + low


# ---- all questions ----------------------------------------------------------------------------------

CHECKS: dict[str, Callable[[Case, Any], None]] = {
    **{"sssp": sssp, "apsp": apsp, "csgraph": csgraph_paths, "csgraph breadth_first_order": csgraph_breadth_first},
    **{"bfs": bfs, "product": product, "power": power, "scan": scan},
}
QUESTIONS: dict[str, float] = {
    **{"sssp": 0.46, "apsp": 0.2, "csgraph": 0.13, "csgraph breadth_first_order": 0.03},
    **{"bfs": 0.06, "product": 0.05, "power": 0.03, "scan": 0.04},
}


def choose(rng: np.random.Generator, question: str, n: int, weights: list[Number], weight_type: str) -> dict[str, Any]:
    """Choose the arguments of a question."""

    def one(values: Sequence[Any]) -> Any:
        return values[rng.integers(len(values))]

    vertices = rng.integers(-n, n, int(rng.integers(0 if rng.random() < 0.05 else 1, 4))).tolist()
    source = int(rng.integers(-n, n))
    if question == "sssp":
        return _sssp_arguments(rng, one, n, weights, source, vertices)
    if question == "apsp":
        cycles = one(("raise", "raise", "mark"))
        dtype = one((None, None, "float64", "float32", "int64", "int32"))
        return {**one(APSP_WAYS), "predecessors": one((True, False)), "negative_cycles": cycles, "dtype": dtype}
    if question == "csgraph":
        return _csgraph_arguments(one, weights, vertices)
    if question == "bfs":
        ways = RARE_BFS_WAYS if rng.random() < _RARELY else BFS_WAYS
        return {"source": one((source, vertices)), "options": one(ways)}
    if question == "product":
        return {"method": one(PRODUCT_METHODS), "shape": rng.integers(0, n, 2).tolist()}
    if question == "power":
        return {"method": one(PRODUCT_METHODS), "k": int(rng.integers(0, 8))}
    if question == "scan":
        kind = one(("plain", "segmented", "reduce", "compact"))
        methods = SCAN_METHODS if kind in ("plain", "segmented") else ("fast", "work-group", "work-item")
        ops = ("add", "min", "max") if weight_type in ("int32", "float64") else ("add",)  # each is a kernel of its own
        return {"kind": kind, "op": one(ops), "method": one(methods), "exclusive": one((True, False))}
    return {"source": source}


def _sssp_arguments(
    rng: np.random.Generator,
    one: Callable[[Sequence[Any]], Any],
    n: int,
    weights: list[Number],
    source: int,
    vertices: list[int],
) -> dict[str, Any]:
    given: dict[str, Any] = {
        "source": one((source, source, vertices)),
        **one(RARE_SSSP_WAYS if rng.random() < _RARELY else SSSP_WAYS),
    }
    dtype = one((None, None, None, "float64", "float32", "int64", "int32"))
    if dtype is not None:
        given["dtype"] = dtype
    extra = rng.random()
    if extra < 0.15:
        given["cutoff"] = _some_distance(one, weights)
    elif extra < 0.25 and given["method"] in ("near-far", "auto") and vertices:
        given.update(source=vertices, min_only=True)
    elif extra < 0.35:
        given.update(source=source, target=int(rng.integers(-n, n)))
    return given


def _some_distance(one: Callable[[Sequence[Any]], Any], weights: list[Number]) -> Number:
    finite = [abs(w) for w in weights if np.isfinite(float(w))] or [1]
    return one((0, 1.5, one(finite), one(finite) * 2, one(finite) + one(finite)))


def _csgraph_arguments(
    one: Callable[[Sequence[Any]], Any], weights: list[Number], vertices: list[int]
) -> dict[str, Any]:
    function = one(CSGRAPH_WAYS)
    given: dict[str, Any] = {"function": function, "unweighted": one((True, False, False, False))}
    if function in ("dijkstra", "nearest") and one((True, False)):
        given["limit"] = float(_some_distance(one, weights))
    if function == "shortest_path":
        given["method"] = one(("auto", "FW", "D", "BF", "J"))
    if function == "nearest" or (function not in ("floyd_warshall", "shortest_path") and one((True, False))):
        given["indices"] = vertices
    return given
