"""Full matchings: every permutation of small matrices, SciPy's weights, exact integers, faults that a proof finds."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse
from scipy.optimize import linear_sum_assignment

import reedsp
from reedsp.algorithms.structure.assignment import auction, full_matching, paths, rounded, verify
from reedsp.algorithms.structure.assignment.paths import Found
from reedsp.algorithms.structure.assignment.selfcheck import finds_known_matching
from reedsp.algorithms.structure.assignment.weights import Weights, in_integers, weights_of
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges import negative_cycles

METHODS = ("shortest-paths", "auction")
INT64 = np.iinfo(np.int64).max


class ConstantPace:
    """Leaves the budget at one."""

    amount = 1

    def begin(self) -> None:
        """Do nothing."""

    def adapt(self) -> None:
        """Do nothing."""


@pytest.fixture(params=["", "budgets"])
def small_steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in one launch, or as little at a time as there can be."""
    if request.param:
        monkeypatch.setattr(paths, "Pace", lambda *_: ConstantPace())
        monkeypatch.setattr(auction, "Pace", lambda *_: ConstantPace())


def random_matrix(rng: np.random.Generator, most: int = 6) -> Any:
    """Return a sparse matrix with ties, negative weights, stored zeros, and parallel entries."""
    rows, columns = rng.integers(1, most, 2)
    entries = int(rng.integers(0, 3 * most))
    indices = np.array([rng.integers(0, rows, entries), rng.integers(0, columns, entries)])
    return scipy.sparse.coo_array((rng.integers(-4, 7, entries), tuple(indices)), shape=(rows, columns))


def best_of_all(matrix: Any, maximum: bool) -> int | None:
    """Return the weight of the best of all full matchings; None if there is none."""
    sign = -1 if maximum else 1
    weights: dict[tuple[int, int], int] = {}
    for row, column, value in zip(*matrix.coords, matrix.data.tolist(), strict=True):
        place = (int(row), int(column))
        weights[place] = min(weights.get(place, sign * value), sign * value)
    rows, columns = matrix.shape
    if rows > columns:
        weights, rows, columns = {(column, row): w for (row, column), w in weights.items()}, columns, rows
    sums = [
        sum(weights[pair] for pair in enumerate(chosen))
        for chosen in itertools.permutations(range(columns), rows)
        if all(pair in weights for pair in enumerate(chosen))
    ]
    return sign * min(sums) if sums else None


@pytest.mark.deep
@pytest.mark.parametrize("maximum", [False, True], ids=["minimum", "maximum"])
@pytest.mark.parametrize("method", METHODS)
def test_every_permutation_of_small_matrices(method: Any, maximum: bool, device: Device, small_steps: None) -> None:
    rng = np.random.default_rng(maximum)
    found_some = 0
    for _ in range(50):
        matrix = random_matrix(rng)
        expected = best_of_all(matrix, maximum)
        if expected is None:
            with pytest.raises(ValueError, match=r"^no full matching exists$"):
                reedsp.full_matching(matrix, maximum, method, device=device)
            continue
        found = reedsp.full_matching(matrix, maximum, method, device=device)
        assert (found.weight, type(found.weight)) == (expected, int)
        assert found.verify(device)
        assert len(found.rows) == min(matrix.shape) == len(set(found.columns.tolist()))
        assert found.rows.tolist() == sorted(set(found.rows.tolist()))
        assert found.row_prices.sum() + found.column_prices.sum() == expected
        found_some += 1
    assert found_some > 10


def with_a_matching(rng: np.random.Generator, rows: int, columns: int, degree: int, heaviest: int) -> Any:
    tails = np.concatenate((np.repeat(np.arange(rows), degree), np.arange(rows)))
    heads = np.concatenate((rng.integers(0, columns, rows * degree), rng.permutation(columns)[:rows]))
    keys = np.unique(tails * columns + heads)
    return scipy.sparse.csr_array(
        (rng.integers(-heaviest, heaviest, len(keys)), np.divmod(keys, columns)), shape=(rows, columns)
    )


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(120, 120), (80, 130), (130, 80)])
def test_larger_matrices(method: Any, shape: tuple[int, int], device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    matrix = with_a_matching(rng, *sorted(shape), 4, 1000)
    matrix = matrix if shape[0] <= shape[1] else matrix.T
    dense = np.full(shape, 10**6)
    dense[matrix.tocoo().coords] = matrix.tocoo().data
    answers = []
    for group in (16, 64):
        for name in ("_CPU_GROUP", "_GPU_GROUP", "_GPU_FEW_GROUP"):
            monkeypatch.setattr(auction, name, group)
        found = reedsp.full_matching(matrix, method=method, device=device)
        assert found.weight == dense[linear_sum_assignment(dense)].sum()
        assert found.verify(device)
        answers.append((found.columns.tobytes(), found.row_prices.tobytes()))
    assert len(set(answers)) == 1


@pytest.mark.deep("auction")
@pytest.mark.parametrize("method", METHODS)
def test_dense_matrices(method: Any, device: Device) -> None:
    rng = np.random.default_rng(8)
    for shape in ((70, 70), (20, 90)):
        matrix = rng.integers(1, 50, shape).astype(np.int8)
        found = reedsp.full_matching(matrix, method=method, device=device)
        assert found.weight == matrix[linear_sum_assignment(matrix)].sum()
        assert found.verify(device)


@pytest.mark.deep
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_fractions(method: Any, maximum: bool, device: Device) -> None:
    rng = np.random.default_rng(9)
    for shape in ((60, 60), (30, 50), (50, 30)):
        for matrix, arithmetic in ((rng.integers(1, 99, shape) / 8, "int64"), (rng.random(shape) + 1e-9, "float64")):
            found = reedsp.full_matching(matrix, maximum, method, device=device)
            expected = math.fsum(matrix[linear_sum_assignment(matrix, maximum)])
            assert found.stats["arithmetic"] == arithmetic
            assert (
                found.weight == expected if arithmetic == "int64" else abs(found.weight - expected) < 1e-12 * expected
            )
            assert found.verify(device)
    sparse = scipy.sparse.csr_array(rng.random((400, 400)) * (rng.random((400, 400)) < 0.03) + np.eye(400))
    assert reedsp.full_matching(sparse, maximum, method, device=device).verify(device)


def of_many_sizes(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> Any:
    """Return fractions of which some are so large that the others vanish beside them, or rows of different sizes."""
    matrix = rng.random(shape)
    large = 10.0 ** rng.integers(12, 19, shape)
    if kind == "all sizes":
        return 10.0 ** rng.integers(-3, 17, shape) * rng.integers(1, 4, shape)
    if kind == "rows":
        return rng.normal(size=shape) * 10.0 ** rng.integers(-5, 12, (shape[0], 1))
    if kind == "a row far from 0":
        return 1e9 * (np.arange(shape[0]) == 0)[:, np.newaxis] + matrix
    if kind == "one that is very good":
        matrix[tuple(rng.integers(0, shape))] = -large[0, 0]
        return matrix
    np.copyto(matrix, large, where=(rng.random(shape) < 0.6) & ~np.eye(*shape, dtype=bool))
    return matrix


def best_in_rational_numbers(given: Any, maximum: bool, found: reedsp.FullMatching) -> tuple[Fraction, Fraction]:
    """Return the weight of a matching and that of the best of all, of at most as many rows as columns."""
    exact = [[Fraction(value) for value in row] for row in given.tolist()]
    sums = [
        sum((exact[row][column] for row, column in enumerate(columns)), Fraction())
        for columns in itertools.permutations(range(given.shape[1]), given.shape[0])
    ]
    weight = sum((exact[row][column] for row, column in found.pairs()), Fraction())
    return weight, max(sums) if maximum else min(sums)


@pytest.mark.deep
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("kind", ["all sizes", "rows", "a row far from 0", "one that is very good", "some very bad"])
@pytest.mark.parametrize("method", METHODS)
def test_fractions_of_many_sizes(method: Any, kind: str, maximum: bool, device: Device) -> None:
    """The best of all in rational numbers, also among those that are the same in float64."""
    rng = np.random.default_rng(31)
    for _ in range(25):
        rows = int(rng.integers(2, 6))
        matrix = of_many_sizes(rng, kind, (rows, rows + int(rng.integers(0, 2))))
        given = -matrix if maximum and kind in ("one that is very good", "some very bad") else matrix
        found = reedsp.full_matching(np.ma.array(given, mask=False), maximum, method, device=device)
        weight, best = best_in_rational_numbers(given, maximum, found)
        assert weight == best
        assert found.verify(device)


@pytest.mark.deep
@pytest.mark.parametrize("bits", [3, 6, None])
@pytest.mark.parametrize("maximum", [False, True])
def test_auctions_of_what_was_rounded_away(
    maximum: bool, bits: int | None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fractions that are the same at first, and of which what is left prefers another matching, at many levels."""
    auctions: list[int] = []

    def counted(*args: Any, **kwargs: Any) -> Found:
        auctions[-1] += 1
        return auction.auction(*args, **kwargs)

    monkeypatch.setattr(rounded, "auction", counted)
    if bits is not None:
        monkeypatch.setattr(rounded, "_bits", lambda rows, steps: bits)
    rng = np.random.default_rng(12)
    tiny = 5e-324
    for number in range(30):
        rows = int(rng.integers(2, 6))
        shape = (rows, rows + number % 2)
        matrix = 1 + sum(rng.integers(0, 3, shape) * 2.0**-shift for shift in (4, 20, 35, 52))
        if number % 5 == 0:
            matrix = rng.integers(1, 5, shape) * tiny
        if number % 5 == 1:
            matrix = np.where(rng.random(shape) < 0.3, 1e300, matrix * 1e-300)
        auctions.append(0)
        weights, *_ = weights_of(np.ma.array(matrix, mask=False))
        found = rounded.rounded_auction(Job(device), weights, maximum)
        columns = weights.indices[found.edges]
        exact = [[Fraction(value) for value in row] for row in matrix.tolist()]
        sums = [
            sum(exact[row][column] for row, column in enumerate(chosen))
            for chosen in itertools.permutations(range(shape[1]), rows)
        ]
        assert sum(exact[row][column] for row, column in enumerate(columns)) == (max(sums) if maximum else min(sums))
    assert max(auctions) > 1
    assert min(auctions) == 1


@pytest.mark.deep
@pytest.mark.parametrize("n", [30, 200])
@pytest.mark.parametrize("method", METHODS)
def test_what_may_not_be_matched_excuses_nothing(method: Any, n: int, device: Device) -> None:
    rng = np.random.default_rng(n)
    matrix = rng.random((n, n))
    for large in (1e15, 1e18):
        matrix[rng.random((n, n)) < 0.3] = large
        for given, maximum in ((matrix, False), (-matrix, True)):
            found = reedsp.full_matching(given, maximum, method, device=device)
            expected = math.fsum(given[linear_sum_assignment(given, maximum)])
            assert abs(found.weight - expected) < 1e-12 * abs(expected)
            assert found.verify(device)
            assert np.abs([found.row_prices, found.column_prices]).max() < 1000
            columns = found.columns.copy()
            pairs = itertools.combinations(range(n), 2)
            pair = next(list(pair) for pair in pairs if _may_exchange(matrix, columns, *pair))
            found.columns[pair] = columns[pair[::-1]]
            with pytest.raises(reedsp.VerificationError, match="not its price and that of the column"):
                found.verify(device)


def _may_exchange(matrix: Any, columns: Any, one: int, other: int) -> bool:
    return max(matrix[one, columns[other]], matrix[other, columns[one]]) < 1  # type: ignore[no-any-return]


def test_integers_are_exact_up_to_the_limit(device: Device) -> None:
    base = 2**62 - 2**40
    matrix = np.array([[base + 2, base + 1], [base, base + 2**30]])
    found = reedsp.full_matching(matrix, method="shortest-paths", device=device)
    assert (found.weight, found.verify()) == (2 * base + 1, True)
    for wrong in ([[INT64, 1], [1, 1]], [[2**62, 2**62 - 1]], [[-(2**62) - 1, -(2**62) + 1]]):
        with pytest.raises(OverflowError, match=r"^the weights are from .* whose prices int64 may not hold for"):
            reedsp.full_matching(np.array(wrong), device=device)
    large = np.array([[2**61, 1], [1, 2**55]])
    with pytest.raises(OverflowError, match=r"for 2 edges$"):
        reedsp.full_matching(large, device=device)
    with pytest.raises(
        ValueError, match=r"^method = 'auction': the weights are too large, or too many, for its prices$"
    ):
        reedsp.full_matching(wide_diagonal(), method="auction", device=device)


@pytest.mark.deep("True")
@pytest.mark.parametrize("maximum", [False, True])
def test_the_sides_of_an_undirected_graph(maximum: bool, device: Device) -> None:
    """Each edge once, as networkx has it: not the square matrix, in which each vertex is a row and a column."""
    rng = np.random.default_rng(6)
    for rows, columns in ((2, 2), (2, 3), (4, 3), (5, 7)):
        graph = nx.complete_bipartite_graph(rows, columns)
        graph = nx.relabel_nodes(graph, {node: f"v{node}" for node in graph})
        for edge in graph.edges:
            graph.edges[edge]["weight"] = int(rng.integers(1, 50)) * (-1 if maximum else 1)
        top = [f"v{node}" for node in range(rows)]
        theirs = nx.bipartite.minimum_weight_full_matching(graph, top, backend="networkx")
        expected = sum(graph.edges[pair]["weight"] for pair in theirs.items()) // 2
        if maximum:
            for edge in graph.edges:
                graph.edges[edge]["weight"] *= -1
            expected *= -1
        found = reedsp.full_matching(graph, maximum, device=device)
        assert (found.weight, len(found), found.verify(device)) == (expected, min(rows, columns), True)
        assert sum(graph.edges[pair]["weight"] for pair in found.pairs()) == expected
        assert (list(found.row_names), len(found.column_names)) == (top, columns)
        other = reedsp.full_matching(graph, maximum, rows=set(graph) - set(top), device=device)
        assert (other.weight, {row for row, _ in other.pairs()} <= set(found.column_names)) == (expected, True)


def test_sides_that_are_given(device: Device) -> None:
    """Edges of a directed graph lead in either direction then, and the better of two counts."""
    edges = [("a", "x", 3), ("y", "a", 1), ("b", "x", 4), ("x", "b", 2), ("b", "y", 9)]
    graph: Any = nx.DiGraph()
    graph.add_weighted_edges_from(edges)
    found = reedsp.full_matching(graph, rows=["x", "y"], device=device)
    assert (sorted(found.pairs()), found.weight, found.verify(device)) == ([("x", "b"), ("y", "a")], 3, True)
    with pytest.raises(ValueError, match=r"^rows: the edge from 'a' to 'x' is between two columns$"):
        reedsp.full_matching(graph, rows=["y"], device=device)
    with pytest.raises(ValueError, match=r"^graph: it is not bipartite, a cycle of odd length"):
        reedsp.full_matching(nx.cycle_graph(3), device=device)
    matrix = np.array([[0, 0, 4, 1], [0, 0, 2, 8], [0, 0, 0, 0], [0, 0, 0, 0]])
    found = reedsp.full_matching(matrix, rows=[0, 1], device=device)
    assert (found.pairs(), found.weight) == ([(0, 3), (1, 2)], 3)


def test_it_is_written_as_a_table(device: Device, tmp_path: Path) -> None:
    found = reedsp.full_matching([[4, 1, 3], [2, 8, 5], [3, 2, 2]], device=device)
    found.save(tmp_path / "matching.csv")
    assert (tmp_path / "matching.csv").read_text().split() == ["row,column,weight", "0,1,1", "1,0,2", "2,2,2"]


@pytest.mark.parametrize("maximum", [False, True])
def test_integers_that_are_too_far_apart_for_auctions(maximum: bool, device: Device) -> None:
    """Their sums are far below what int64 holds, and so are the prices of paths."""
    n, far = 2000, 10**13
    weights = [np.full(n, far), np.full(n - 1, 3), np.full(n - 1, 5)]
    matrix = scipy.sparse.diags_array(weights, offsets=[0, 1, -1], format="csr", dtype=np.int64)
    found = reedsp.full_matching(-matrix if maximum else matrix, maximum, device=device)
    assert (found.weight, found.verify(device)) == ((-8 if maximum else 8) * n // 2, True)
    assert np.abs(found.column_prices).max() <= 16 * n * far


def test_prices_of_paths_fit_up_to_the_limit(device: Device) -> None:
    """Rows bid for too few columns until they have lost patience, of weights as far apart as they may be."""
    rng = np.random.default_rng(11)
    for n in (3, 5, 7) * 10:
        far = (2**62 - 1) // (16 * (n + 1)) - 100
        matrix = np.where(rng.random((n, n)) < 0.4, 1, far) + rng.integers(1, 50, (n, n)) + rng.integers(-far, 1)
        found = reedsp.full_matching(matrix, method="shortest-paths", device=device)
        orders = itertools.permutations(range(n))
        assert found.weight == min(sum(matrix[row, column].item() for row, column in enumerate(o)) for o in orders)
        assert found.verify(device)


def wide_diagonal() -> Any:
    """Return integers whose sums int64 holds, but not those that are multiplied by the number of rows."""
    return scipy.sparse.diags_array(np.append(2**45, np.ones(199, np.int64)), format="csr", dtype=np.int64)


def test_how_many_rows_fractions_may_have() -> None:
    for rows, columns, expected in ((10**5, 10**5, True), (10**6, 10**6, False), (10**5, 10**6, False)):
        weights = Weights(np.zeros(rows + 1, np.int64), np.empty(0, np.int32), np.empty(0), columns)
        assert rounded.can_round(weights) == expected


def test_what_fractions_become() -> None:
    def power_of(*values: float) -> tuple[int, bool]:
        weights = Weights(np.array([0, len(values)]), np.arange(len(values)), np.array(values), len(values))
        solved, power = in_integers(weights)
        assert not solved.is_integral or (np.ldexp(solved.values.astype(float), -power) == weights.values).all()
        return power, solved.is_integral

    assert power_of(1.0, 2.0, -6.0) == (0, True)
    assert power_of(0.5, 0.75, 0.0) == (2, True)
    assert power_of(0.1, 1.0) == (55, False) or power_of(0.1, 1.0) == (0, False)
    for small in (1.0, 0.1):  # of which the latter is multiplied by 2^55
        assert power_of(1e300, small) == (0, False)
    assert (power_of(np.nextafter(2.0**62, 0)), power_of(2.0**62)) == ((0, True), (0, False))
    assert power_of(5e-324, 1.0) == (0, False)
    assert power_of(*[1.0] * 2000, 0.1) == (0, False)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is float64 here")
@pytest.mark.parametrize("power", [-16_000, 16_000])
def test_weights_that_float64_does_not_hold(power: int) -> None:
    with pytest.raises(ValueError, match=r"^graph\[0, 1\] is .*, expected a number that float64 holds$"):
        reedsp.full_matching(np.array([[1, np.ldexp(np.longdouble(1), power)]]))


def test_weights_far_apart(device: Device) -> None:
    found = reedsp.full_matching([[1e300, 0.1], [0.2, 1e300]], device=device)
    assert (found.pairs(), found.verify(device)) == ([(0, 1), (1, 0)], True)


def test_what_is_accepted(device: Device) -> None:
    dense = np.array([[4, 1, 3], [2, 8, 5], [3, 2, 2]])
    csr = scipy.sparse.csr_array(dense)
    for given in (dense, dense.tolist(), csr, csr.tocsc(), csr.tocoo(), csr.astype(np.uint8), csr.astype(float)):
        found = reedsp.full_matching(given, device=device)
        assert (found.weight, found.pairs()) == (5, [(0, 1), (1, 0), (2, 2)])
    zero = scipy.sparse.csr_array(([0, 5, 5], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert reedsp.full_matching(zero, device=device).weight == 10
    assert reedsp.full_matching(np.ma.masked_equal([[0, 7], [7, 0]], 7), device=device).weight == 0
    for impossible in ([[0, 7], [0, 7]], [[0, 0]], np.array([[0.0, 0], [5, 7]])):
        with pytest.raises(ValueError, match=r"^no full matching exists; a 0 in a dense array is no edge"):
            reedsp.full_matching(impossible, device=device)
    for impossible in (
        np.full((2, 2), np.inf),
        scipy.sparse.csr_array(np.eye(2)[:1] * 0),
        np.ma.masked_equal([[0, 0]], 0),
    ):
        with pytest.raises(ValueError, match=r"^no full matching exists$"):
            reedsp.full_matching(impossible, device=device)
    booleans = scipy.sparse.csr_array(([True, True, False], [0, 1, 0], [0, 1, 3]), shape=(2, 2))
    assert reedsp.full_matching(booleans, device=device).weight == 2
    infinite = scipy.sparse.csr_array(([np.inf, 2.0, 3.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert reedsp.full_matching(infinite, device=device).weight == 5
    infinite.data[0] = -np.inf
    assert reedsp.full_matching(infinite, True, device=device).weight == 5
    graph = nx.DiGraph([("a", "b"), ("b", "a")])
    assert reedsp.full_matching(graph, device=device).pairs() == [("a", "b"), ("b", "a")]
    loop = reedsp.Graph.from_edges(2, [0, 0, 1], [0, 1, 1], [3, 1, 4])
    found = reedsp.full_matching(loop, device=device)
    assert (found.weight, found.columns.tolist()) == (7, [0, 1])
    assert repr(found).startswith("<reedsp.FullMatching: 2 pairs of minimum weight 7, ")
    assert "Full matching of minimum weight 7" in found._repr_html_()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_empty_sides(shape: tuple[int, int], device: Device) -> None:
    found = reedsp.full_matching(scipy.sparse.csr_array(shape, dtype=int), device=device)
    assert (found.weight, found.pairs(), found.verify()) == (0, [], True)
    assert (found.row_prices.tolist(), found.column_prices.tolist()) == ([0] * shape[0], [0] * shape[1])


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (np.ones(3), ValueError, "graph has 1 dimensions, expected 2"),
        (scipy.sparse.coo_array(np.ones(3)), ValueError, "graph has 1 dimensions, expected 2"),
        (np.ones((2, 2)) * 1j, TypeError, "graph has dtype complex128, expected real numbers"),
        (scipy.sparse.csr_array(np.eye(2) * 1j), TypeError, "graph has dtype complex128, expected real numbers"),
        ([[1, 0, np.nan]], ValueError, r"^graph\[0, 2\] is nan, expected a finite number$"),
        ([[1, -np.inf]], ValueError, r"^graph\[0, 1\] is -inf, expected a finite number$"),
        (np.array([[2**63]], np.uint64), ValueError, r"^graph\[0, 0\] = 9223372036854775808 is outside int64"),
        (
            scipy.sparse.csr_array([[0, 1], [np.nan, 1]]),
            ValueError,
            r"^graph.data\[1\] is nan, expected a finite number$",
        ),
        (
            scipy.sparse.csc_array([[0, 1], [np.nan, 1]]),
            ValueError,
            r"^graph\[1, 0\] is nan, expected a finite number$",
        ),
        (
            scipy.sparse.coo_array([[0, 1], [np.nan, 1]]),
            ValueError,
            r"^graph\[1, 0\] is nan, expected a finite number$",
        ),
        ("abc", TypeError, "graph: expected a matrix or a graph, got str$"),
        (
            pandas.DataFrame(np.ones((2, 3))),
            TypeError,
            r"graph: expected a matrix or a graph, got DataFrame; numpy\.asarray makes a matrix of it$",
        ),
        (scipy.sparse.coo_array((2**31, 1)), ValueError, r"expected at most 2147483647 rows and columns"),
    ],
)
def test_wrong_matrices(given: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        reedsp.full_matching(given)


def test_corrupt_matrices() -> None:
    for indptr, indices, message in (
        ([0, 3, 2], [0, 1], "graph.indptr is corrupt"),
        ([0, 1, 9], [0, 1], "graph.indptr is corrupt"),
        ([0, 1, 2], [0, 7], r"graph.indices\[1\] = 7, expected a number from 0 to 1"),
        ([0, 1, 2], [-1, 0], r"graph.indices\[0\] = -1, expected a number from 0 to 1"),
    ):
        matrix = scipy.sparse.csr_array(np.eye(2))
        matrix.indptr, matrix.indices = np.array(indptr, np.int32), np.array(indices, np.int32)
        with pytest.raises(ValueError, match=message):
            weights_of(matrix)


def test_an_auction_of_many_launches(device: Device) -> None:
    found = reedsp.full_matching([[0.3, -0.8], [-3.8, 3.0]], True, "auction", device=device)
    assert (found.weight, found.verify(device)) == (3.3, True)


def test_prices_of_subnormal_weights(device: Device) -> None:
    weights = np.array([[6, -6, 5], [4, -6, -6]]) * 5e-324
    given = np.ma.masked_array(weights, mask=[[0, 1, 0], [0, 1, 0]])
    found = reedsp.full_matching(given, True, "auction", device=device)
    assert (found.weight, found.verify(device)) == (9 * 5e-324, True)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_what_is_behind_the_last_entry_is_no_weight(form: str, device: Device) -> None:
    dense = np.array([[4, 1, 3, 9], [2, 8, 5, 9], [3, 2, 2, 9], [9, 9, 9, 1]])
    for room in (1, 100, 10**6):
        matrix = scipy.sparse.csr_array(dense).asformat(form)
        matrix.indices = np.append(matrix.indices, np.zeros(room, np.int32))
        matrix.data = np.concatenate([matrix.data, np.full((room, *matrix.data.shape[1:]), -1000)])
        found = reedsp.full_matching(matrix, device=device)
        assert (found.weight, found.verify(device), found.pairs()) == (6, True, [(0, 1), (1, 0), (2, 2), (3, 3)])


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("types", [("i8", "i4"), ("i4", "i8"), (">i4", ">i4"), (">i8", "i4")])
def test_index_arrays_of_any_type(types: tuple[str, str], form: str, device: Device) -> None:
    matrix = scipy.sparse.csr_array(np.array([[4, 1, 3], [2, 8, 5], [3, 2, 2]])).asformat(form)
    matrix.indptr, matrix.indices = matrix.indptr.astype(types[0]), matrix.indices.astype(types[1])
    found = reedsp.full_matching(matrix, device=device)
    assert (found.weight, found.pairs()) == (5, [(0, 1), (1, 0), (2, 2)])


def test_false_is_a_weight_where_the_mask_says_so_and_none_in_a_sparse_matrix(device: Device) -> None:
    masked = np.ma.array([[True, False], [False, True]], mask=False)
    found = reedsp.full_matching(masked, device=device)
    assert (found.weight, found.pairs()) == (0, [(0, 1), (1, 0)])
    stored = scipy.sparse.csr_array((~np.eye(2, dtype=bool).ravel(), [0, 1, 0, 1], [0, 2, 4]))
    for given in (stored, stored.tocsc(), stored.tocoo(), reedsp.Graph.from_scipy(stored)):
        found = reedsp.full_matching(given, device=device)
        assert (found.weight, found.pairs()) == (2, [(0, 1), (1, 0)])


def test_what_fills_blocks_is_no_weight() -> None:
    filled = scipy.sparse.bsr_array(np.array([[5.0, 1], [7, 0]]), blocksize=(2, 2))
    assert reedsp.full_matching(filled).pairs() == [(0, 1), (1, 0)]
    empty = scipy.sparse.bsr_array(np.array([[5.0, 0], [7, 0]]), blocksize=(2, 2))
    with pytest.raises(ValueError, match="no full matching exists"):
        reedsp.full_matching(empty)


@pytest.mark.parametrize("function", [reedsp.full_matching, reedsp.maximum_matching])
def test_lists_that_are_no_matrices(function: Any) -> None:
    masked = np.ma.masked_array([[1, 9], [9, 1]], mask=[[1, 0], [0, 1]])
    for given, kind, message in (
        (list(masked), ValueError, r"\[0\]\[0\] is masked$"),
        ([[1, np.ma.masked], [1, 2]], ValueError, r"\[0\]\[1\] is masked$"),
        ([[5, 2**63 + 1], [5, 3]], ValueError, r"\[0, 1\] = 9223372036854775809 is outside int64$"),
        ([[1, 2], [3, 2**70]], ValueError, r"\[1, 1\] = 1180591620717411303424 is outside int64$"),
        ([[1, 2], [None, 2]], TypeError, r"\[1, 0\] is None, expected an int or a float$"),
        ([[1], [1, 2]], ValueError, "^graph: setting an array element with a sequence"),
    ):
        with pytest.raises(kind, match=message):
            function(given)
    assert function([[2, True], [1.5, 4]]).verify()


@pytest.mark.parametrize("wrong", [2, -1])
@pytest.mark.parametrize("axis", [0, 1])
def test_corrupt_entries(axis: int, wrong: int) -> None:
    matrix = scipy.sparse.coo_array(np.ones((2, 2)))
    matrix.coords[axis][3] = wrong
    with pytest.raises(ValueError, match=rf"graph.coords\[{axis}\]\[3\] = {wrong}, expected a number from 0 to 1"):
        reedsp.full_matching(matrix)
    matrix = scipy.sparse.coo_array(np.ones((2, 2)))
    matrix.data = matrix.data[:3]
    with pytest.raises(ValueError, match=r"graph.coords\[0\] has 4 entries, but graph.data has 3"):
        reedsp.full_matching(matrix)


def test_wrong_methods() -> None:
    with pytest.raises(ValueError, match=r"^method = 'simplex', expected one of 'auto', 'shortest-paths', 'auction'$"):
        reedsp.full_matching([[1]], method="simplex")  # type: ignore[arg-type]


FAULTS = {
    "a price too high": lambda found: found.column_prices.__setitem__(0, found.column_prices[0] + 1),
    "a price too low": lambda found: found.column_prices.__setitem__(0, found.column_prices[0] - 1),
    "a row's price": lambda found: found.row_prices.__setitem__(1, found.row_prices[1] + 1),
    "twice the same column": lambda found: found.columns.__setitem__(0, found.columns[1]),
    "two exchanged": lambda found: found.columns.__setitem__(slice(0, 2), found.columns[1::-1].copy()),
    "a pair less": lambda found: (
        object.__setattr__(found, "rows", found.rows[:-1]) or object.__setattr__(found, "columns", found.columns[:-1])
    ),
    "another weight": lambda found: object.__setattr__(found, "weight", found.weight - 1),
    "the largest price": lambda found: found.row_prices.__setitem__(0, INT64),
}


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["row_prices", "column_prices"])
def test_prices_that_are_no_numbers(name: str, wrong: float, device: Device) -> None:
    found = reedsp.full_matching([[0.3, 5.1], [7.7, 0.1]], device=device)
    getattr(found, name)[1] = wrong
    with pytest.raises(reedsp.VerificationError, match=rf"^{name}\[1\] is {wrong}, expected a finite number$"):
        found.verify(device)


@pytest.mark.parametrize("size", [1e17, 1e300, 1.7e308])
@pytest.mark.parametrize("maximum", [False, True])
def test_large_prices_hide_no_better_matching(maximum: bool, size: float, device: Device) -> None:
    """Prices beside which the weights are rounded away: the best of all matchings passes, and none that is worse."""
    matrix = np.random.default_rng(4).random((4, 4)) * (-1 if maximum else 1)
    found = reedsp.full_matching(matrix, maximum, device=device)
    found.row_prices[:], found.column_prices[:] = size, -size
    passed = []
    for columns in itertools.permutations(range(4)):
        weight = math.fsum(matrix[range(4), columns])
        other = dataclasses.replace(found, columns=np.array(columns, np.int32), weight=weight)
        with contextlib.suppress(reedsp.VerificationError):
            passed += [weight] * other.verify(device)
    assert passed == [found.weight]
    found.columns[:] = found.columns[::-1].copy()
    with pytest.raises(reedsp.VerificationError, match=r"^row 0: another matching is better, in which its column is"):
        found.verify(device)


@pytest.mark.parametrize("forbidden", [1e18, 1e200])
def test_exact_sums_are_for_few_exchanges(forbidden: float, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pairs that must not be matched weigh very much, prices may be as large, and say nothing of the others."""
    looked = []
    exact = negative_cycles.exact_shortest_paths
    monkeypatch.setattr(
        negative_cycles, "exact_shortest_paths", lambda graph, *given: looked.append(graph.m) or exact(graph, *given)
    )
    matrix = np.random.default_rng(3).random((40, 40))
    matrix[np.triu_indices(40, 1)] = forbidden
    found = reedsp.full_matching(matrix, device=device)
    found.row_prices[:] += forbidden
    found.column_prices[:] -= forbidden
    assert found.verify(device)
    assert len(looked) == 1
    assert looked[0] < 40  # of 1,640, and of 80 without prices of its own


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3)])
def test_exchanges_of_pairs(shape: tuple[int, int], maximum: bool) -> None:
    """What is free may take the place of what is not."""
    rng = np.random.default_rng(shape[0])
    weights, *_ = weights_of(np.ma.array(rng.random(shape) - 0.5, mask=rng.random(shape) < 0.2))
    edge_of = {
        (int(row), int(column)): edge
        for edge, (row, column) in enumerate(zip(weights.tails(), weights.indices, strict=True))
    }
    few, many = sorted(shape)
    matchings = []
    for chosen in itertools.permutations(range(many), few):
        pairs = [pair if shape[0] <= shape[1] else pair[::-1] for pair in enumerate(chosen)]
        if all(pair in edge_of for pair in pairs):
            edges = np.full(shape[0], -1)
            edges[[row for row, _ in pairs]] = [edge_of[pair] for pair in pairs]
            matchings.append((math.fsum(weights.values[edges[edges >= 0]]), edges))
    best = (max if maximum else min)(weight for weight, _ in matchings)
    for weight, edges in matchings:
        with contextlib.nullcontext() if weight == best else pytest.raises(reedsp.VerificationError, match="better"):
            verify._refuse_better(weights, edges, maximum, 1e-12)
    assert len(matchings) > 5


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3)])
@pytest.mark.parametrize("name", FAULTS)
def test_a_proof_finds_faults(name: str, shape: tuple[int, int], maximum: bool, device: Device) -> None:
    matrix = np.random.default_rng(2).permutation(np.arange(1, 1 + math.prod(shape))).reshape(shape) ** 2
    found = reedsp.full_matching(matrix, maximum, device=device)
    assert found.verify(device)
    FAULTS[name](found)
    with pytest.raises(reedsp.VerificationError):
        found.verify(device)


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("rows", [0, 1, -1], r"rows\[2\] = -1, expected one of 3 rows"),
        ("rows", [0, 1, 99], r"rows\[2\] = 99, expected one of 3 rows"),
        ("rows", [0, 1, 1], r"rows\[2\] = 1 does not come after rows\[1\] = 1"),
        ("rows", [0, 1, 2, 2], "rows: expected 3 numbers of type int32"),
        ("columns", [1, 0, 3], r"columns\[2\] = 3, expected one of 3 columns"),
        ("columns", [1, 0], "columns: expected 3 numbers of type int32"),
        ("row_prices", [0, 0], "row_prices: expected 3 numbers of type int64"),
        ("column_prices", [0, 0, 0, 0], "column_prices: expected 3 numbers of type int64"),
    ],
)
def test_other_arrays_are_no_full_matching(name: str, changed: list[int], message: str, device: Device) -> None:
    found = reedsp.full_matching([[4, 1, 3], [2, 8, 5], [3, 2, 2]], device=device)
    wrong = dataclasses.replace(found, **{name: np.array(changed, getattr(found, name).dtype)})
    with pytest.raises(reedsp.VerificationError, match=f"^{message}$"):
        wrong.verify(device)


def test_another_shape_is_no_full_matching(device: Device) -> None:
    wrong = dataclasses.replace(reedsp.full_matching([[1, 2, 3]], device=device), shape=(3, 1))
    with pytest.raises(reedsp.VerificationError, match=r"^shape is \(3, 1\), expected \(1, 3\)$"):
        wrong.verify(device)


def test_a_free_column_costs_nothing(device: Device) -> None:
    found = reedsp.full_matching([[1, 2, 3]], device=device)
    found.column_prices[2] = -1
    with pytest.raises(reedsp.VerificationError, match=r"^column 2: it is free, or may be, and its price"):
        found.verify(device)
    found.column_prices[2] = 1
    with pytest.raises(reedsp.VerificationError, match=r"^column 2: it is free, or may be, and its price"):
        found.verify(device)


@pytest.mark.deep
def test_it_is_asked_whether_there_is_a_matching_at_all(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """An auction would go on for ever, or nearly so."""
    monkeypatch.setattr(auction, "_PATIENCE", 10)
    matrix = scipy.sparse.csr_array([[1, 0, 0], [1, 0, 0], [1, 1, 1]])
    with pytest.raises(ValueError, match=r"^no full matching exists$"):
        reedsp.full_matching(matrix, method="auction", device=device)
    possible = with_a_matching(np.random.default_rng(1), 40, 40, 3, 100)
    assert reedsp.full_matching(possible, method="auction", device=device).verify()


def test_progress_is_reported(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "Pace", lambda *_: ConstantPace())
    monkeypatch.setattr(auction, "Pace", lambda *_: ConstantPace())
    seen: list[tuple[int, int]] = []
    matrix = np.random.default_rng(3).integers(1, 99, (20, 20))
    for method in METHODS:
        seen.clear()
        reedsp.full_matching(matrix, False, method, device=device, progress=lambda *done: seen.append(done))
        assert {most for _, most in seen} == {20}
        assert 0 < max(done for done, _ in seen) <= 20


@pytest.mark.usefixtures("own_verdicts")
def test_a_method_that_is_wrong_is_not_used(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(job: Job, weights: Weights, maximum: bool, progress: Any = None) -> Found:
        return Found(np.zeros(weights.rows, np.int64), np.zeros(weights.columns, np.int64), 0)

    preferred = "shortest-paths" if device.kind == "cpu" else "auction"
    monkeypatch.setitem(full_matching._METHODS, preferred, wrong)
    with pytest.warns(RuntimeWarning, match=f"full matching by {preferred} gives a wrong answer"):
        found = reedsp.full_matching([[1, 2], [2, 1]], device=device)
    assert (found.weight, found.method != preferred) == (2, True)
    with pytest.raises(reedsp.DeviceError, match=rf"full matching by {preferred} gives wrong answers, or fails$"):
        reedsp.full_matching([[1, 2], [2, 1]], method=preferred, device=device)  # type: ignore[arg-type]


def test_methods_of_gpus(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fits an auction goes there, and nothing else."""
    monkeypatch.setattr(device, "kind", "gpu")
    found = reedsp.full_matching([[1, 2], [2, 1]], device=device)
    assert (found.method, found.weight, found.stats["why"]) == ("auction", 2, "it suits GPUs")
    found = reedsp.full_matching([[0.1, 0.3], [0.7, 0.2]], device=device)
    assert (found.method, found.weight, found.stats["arithmetic"]) == ("auction", 0.1 + 0.2, "float64")
    found = reedsp.full_matching(wide_diagonal(), device=device)
    assert (found.method, found.weight) == ("shortest-paths", 2**45 + 199)
    assert found.stats["why"] == "weights are too large, or too many, for an auction"


def test_the_trial_notices_prices_that_prove_nothing(device: Device) -> None:
    def no_prices(job: Job, weights: Weights, maximum: bool) -> Found:
        found = paths.shortest_paths(job, weights, maximum)
        return Found(found.edges, found.prices * 0, 0)

    def one_edge(job: Job, weights: Weights, maximum: bool) -> Found:
        return Found(np.zeros(weights.rows, np.int64), np.zeros(weights.columns, np.int64), 0)

    for method in (no_prices, one_edge):
        assert not finds_known_matching(device, method, "int64", "int32", "int64", False)


def test_fractions_whose_sums_are_beyond_float64(device: Device) -> None:
    """Sums that are infinite would be taken for pairs that there are not."""
    matrix = scipy.sparse.coo_array(([4e307, -1.28e307, 0.5], ([0, 1, 1], [1, 0, 1])))
    with pytest.raises(
        OverflowError, match=r"^the weights reach 4e\+307, whose prices float64 may not hold for 2 edges$"
    ):
        reedsp.full_matching(matrix, device=device)
