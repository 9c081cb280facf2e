"""Negative weights on the host: the bytes of a device, and what is left to it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
import reedsp.csgraph as ours
from reedsp.algorithms.single_source.host import signed
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.job import Launched
from tests.support import oracle


def matrix_of(n: int, tails: Any, heads: Any, weights: Any) -> Any:
    return scipy.sparse.csr_array((np.asarray(weights, np.float64), (tails, heads)), shape=(n, n))


def shifted(n: int, degree: int, seed: int, unit: float, lightest: int = 1, heaviest: int = 40) -> Any:
    """Random edges whose weights are shifted by heights, so that no cycle weighs less than its lightest edges."""
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, n, (2, n * degree))
    different = np.unique(tails * n + heads)
    tails, heads = different // n, different % n
    height = rng.integers(0, 100, n)
    weights = rng.integers(lightest, heaviest, len(different)) + height[heads] - height[tails]
    weights[weights == 0] = 1
    return matrix_of(n, tails, heads, unit * weights)


CALLS: dict[str, Any] = {
    "one": lambda matrix: ours.bellman_ford(matrix, indices=1),
    "tree": lambda matrix: ours.bellman_ford(matrix, indices=1, return_predecessors=True),
    "some": lambda matrix: ours.bellman_ford(matrix, indices=[1, 0, 1], return_predecessors=True),
    "johnson": lambda matrix: ours.johnson(matrix, indices=[0, 1], return_predecessors=True),
    "auto": lambda matrix: ours.shortest_path(matrix, indices=[0, 1]),
    "all": ours.bellman_ford,
    "trees": lambda matrix: ours.johnson(matrix, return_predecessors=True),
    "matrix": ours.floyd_warshall,
    "matrix with trees": lambda matrix: ours.floyd_warshall(matrix, return_predecessors=True),
    "all by auto": ours.shortest_path,
    "trees by auto": lambda matrix: ours.shortest_path(matrix, return_predecessors=True),
}


def answer(call: Any, matrix: Any) -> tuple[bytes, ...] | type[Exception]:
    try:
        found = call(matrix)
    except reedsp.NegativeCycleError as error:
        return type(error)
    return tuple(each.tobytes() for each in (found if isinstance(found, tuple) else (found,)))


@pytest.mark.deep("30-", "3-", "tree", "all")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("n", "degree"), [(3, 1), (12, 3), (30, 2), (90, 4)])
@pytest.mark.parametrize("unit", [1, 0.1, 0.25, 1e-7])
def test_the_bytes_of_a_device(
    unit: float, n: int, degree: int, call: Any, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3):
        matrix = shifted(n, degree, seed, unit)
        here = answer(call, matrix.copy())
        monkeypatch.setattr(place, "_serves", False)
        assert here == answer(call, matrix)
        monkeypatch.setattr(place, "_serves", True)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("unit", [1, 0.1])
def test_cycles_of_almost_no_weight(unit: float, call: Any, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding makes less than nothing of some that weigh nothing."""
    for seed in range(6):
        matrix = shifted(12, 2, seed, unit, lightest=0, heaviest=2)
        here = answer(call, matrix.copy())
        monkeypatch.setattr(place, "_serves", False)
        assert here == answer(call, matrix)
        monkeypatch.setattr(place, "_serves", True)


@pytest.mark.parametrize("unit", [1, 0.1])
def test_nothing_is_launched(unit: float, serves: None, launches: list[Launched]) -> None:
    matrix, dense = shifted(30, 3, 5, unit), shifted(20, 5, 5, unit).toarray()
    for call in (CALLS["tree"], CALLS["johnson"], CALLS["auto"], CALLS["all"], CALLS["matrix"]):
        call(matrix.copy())
        call(dense.copy())
    assert reedsp.sssp(reedsp.Graph.from_scipy(matrix), [0, 2]).device == place.HOST
    rng = np.random.default_rng(7)
    unlike = matrix_of(30, *matrix.nonzero(), matrix.data + 0.05 * rng.random(matrix.nnz))  # no two paths are alike
    for name in ("matrix with trees", "trees by auto"):
        CALLS[name](unlike)
    assert not launches


def test_trees_whose_last_edges_rounding_may_hide(serves: None, launches: list[Launched]) -> None:
    """Of paths that are almost alike a device says which it takes."""
    edges = [0, 0, 1, 2, 3], [1, 2, 3, 3, 4]
    for difference, are_alike in ((0, True), (1e-15, True), (1e-9, False)):
        matrix = matrix_of(5, *edges, [0.3, 0.1 + difference, -0.1, 0.1, -0.05])
        launches.clear()
        pred = ours.floyd_warshall(matrix, return_predecessors=True)[1]
        assert bool(launches) is are_alike
        assert pred[0].tolist() == [-9999, 0, 0, 1, 3]


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson", "shortest_path", "floyd_warshall"])
def test_signs_do_not_matter_where_edges_are_counted(
    name: str, serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    negative = matrix_of(5, [0, 1, 2, 3], [1, 2, 1, 4], [1, 1, -2.5, np.inf])
    for options in ({}, {"return_predecessors": True}, {"directed": False}):
        here = answer(lambda matrix: getattr(ours, name)(matrix, unweighted=True, **options), negative)  # noqa: B023
        assert not launches
        monkeypatch.setattr(place, "_serves", False)
        assert here == answer(lambda matrix: getattr(ours, name)(matrix, unweighted=True, **options), negative)  # noqa: B023
        monkeypatch.setattr(place, "_serves", True)
        launches.clear()


def test_an_edge_of_negative_weight_to_where_it_begins(serves: None) -> None:
    """It is a cycle, at which SciPy's search for all pairs does not look."""
    matrix = matrix_of(3, [0, 1, 1], [1, 1, 2], [1, -1, 2])
    for call in (ours.floyd_warshall, ours.johnson, ours.bellman_ford, ours.shortest_path):
        with pytest.raises(reedsp.NegativeCycleError):
            call(matrix)


def test_what_a_device_is_for(serves: None, device: Device) -> None:
    """Cycles of negative weight, or of almost none, also out of reach where those matter; and edges both ways."""
    light = matrix_of(5, [0, 1, 2, 3], [1, 2, 1, 4], [0.5, 0.1, -0.1, 7])
    assert signed.solve_signed(light, np.array([0])) is None
    negative = matrix_of(5, [0, 1, 2, 3], [1, 2, 1, 4], [1, 1, -2, 7])
    sources = np.array([3])
    assert signed.solve_signed(negative, np.array([0])) is None
    dist, pred = signed.solve_signed(negative, sources) or (None, None)
    assert dist is not None
    assert pred is not None
    assert (dist.tolist(), pred[0, 4]) == ([[np.inf] * 3 + [0, 7]], 3)
    assert signed.solve_signed(negative, sources, everywhere=True) is None
    for call in (ours.johnson, ours.shortest_path):
        with pytest.raises(reedsp.NegativeCycleError):
            call(negative, indices=3)
    with pytest.raises(reedsp.NegativeCycleError):
        ours.bellman_ford(matrix_of(3, [0, 1], [1, 2], [-1, 3]), directed=False, indices=0)


@pytest.mark.parametrize("part", [0.24, 0.26, 0.9])
def test_sums_that_float64_just_holds(part: float, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that have potentials add up larger numbers than others."""
    n = 24
    heaviest = int(part * 2**53 / (n + 1)) | 1
    weights = np.where(np.arange(n - 1) % 3, heaviest, -heaviest)
    ends = [*range(n - 1), 0], [*range(1, n), n - 1]
    matrix = matrix_of(n, *ends, [*weights, heaviest])
    edges = list(zip(*ends, [*weights.tolist(), heaviest], strict=True))
    for everywhere in (False, True):
        found = signed.solve_signed(matrix, np.arange(n), everywhere=everywhere)
        assert (found is None) == (everywhere and part > 0.25)
        if found is not None:
            expected = [oracle.distances(n, edges, source) for source in range(n)]
            assert found[0].tolist() == [[np.inf if each is None else each for each in row] for row in expected]
    for call in (CALLS["some"], CALLS["johnson"], CALLS["trees"]):
        here = answer(call, matrix.copy())
        monkeypatch.setattr(place, "_serves", False)
        assert here == answer(call, matrix)
        monkeypatch.setattr(place, "_serves", True)


@pytest.mark.parametrize("back", [None, -1e-17, 0.0])
def test_long_paths_take_no_step_for_each_edge(back: float | None) -> None:
    """Of fractions; each is there twice. An edge of nothing that leads back closes a cycle of nothing."""
    n, calls = 500, 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    heads = np.append(np.arange(1, n).repeat(2), [] if back is None else n - 2).astype(np.int32)
    indptr = np.append(np.arange(0, 2 * n, 2), len(heads)).astype(np.int32)
    weights = np.append(np.tile([-0.5, 0.25], n - 1), [] if back is None else 0.5 + back)
    potentials = np.arange(n) * -0.5
    edges = indptr, heads, weights, potentials
    assert signed._are_cycles_heavy(*edges) == (back is None)  # which imports what it needs
    sys.setprofile(count)
    try:
        signed._are_cycles_heavy(*edges)
    finally:
        sys.setprofile(None)
    assert calls < n
