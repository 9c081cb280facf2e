"""The same bytes on every device: what a device is decides how fast an answer comes, and nothing else.

One device pretends to be others here: of each kind, with little memory, with vectors of each width.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.all_pairs import johnson
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.single_source import sssp
from reedsp.algorithms.traversal import bfs
from reedsp.arithmetic.matrix import matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cost_model import choose, choose_search, families, place
from reedsp.cost_model.families import Known
from reedsp.device.device import Device
from reedsp.minplus import selfcheck, tilings
from tests.support.machines import MACHINES

MakeGraph = Callable[[], reedsp.Graph]
KINDS = ("cpu", "gpu", "little memory")
PRETENDERS = (*KINDS, "gpu whose work-groups are small", "128 bits", "256 bits", "512 bits")
CASES: dict[str, tuple[int, int, str, tuple[str, ...]]] = {
    "below the threshold": (1000, 3000, "fractional", PRETENDERS),
    "above it": (1000, 2000, "fractional", KINDS),
    "above all": (2700, 90, "fractional", KINDS),
    "float32": (700, 900, "fractional, float32", KINDS),
    "large": (700, 900, "rounded, though whole", KINDS),
    "whole, below the thresholds": (700, 2100, "whole", KINDS),
    "whole, between them": (700, 900, "whole", KINDS),
    "whole floats": (700, 900, "whole, stored as floats", KINDS),
    "negative": (700, 900, "negative", KINDS),
}


def sparse(n: int, m: int, kind: str) -> reedsp.Graph:
    """Return a random graph, the same in each call, since a graph keeps what it has found."""
    rng = np.random.default_rng(n)
    u, v = rng.integers(0, n, (2, m))
    weights: dict[str, Callable[[], Any]] = {
        "fractional": lambda: rng.random(m),
        "fractional, float32": lambda: rng.random(m).astype(np.float32),
        "whole": lambda: rng.integers(0, 9, m),
        "whole, stored as floats": lambda: rng.integers(0, 9, m).astype(np.float64),
        "rounded, though whole": lambda: rng.integers(0, 9, m) * 2.0**52 + rng.integers(0, 9, m),
        "negative": lambda: potential[v] - potential[u] + rng.integers(0, 3, m),
        "negative and fractional": lambda: (potential[v] - potential[u]) / 64 + rng.random(m),
    }
    potential = rng.integers(-50, 50, n)
    return reedsp.Graph.from_edges(n, u, v, weights[kind]())


def needs_doubles(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")


def pretend(what: str, device: Device, patch: pytest.MonkeyPatch) -> None:
    """Make a device look like another one."""
    if what == "little memory":
        patch.setattr(DeviceMatrix, "fits", staticmethod(lambda *arguments: False))
        patch.setattr(johnson, "rows_at_once", lambda *arguments: 7)
    elif what.endswith("bits"):
        patch.setattr(selfcheck, "works_in_groups", lambda device: False)
        patch.setattr(tilings, "_vector_bytes", lambda device: int(what.removesuffix(" bits")) // 8)
    else:
        patch.setattr(device, "kind", what[:3])
        patch.setattr(families, "known", lambda device: MACHINES["PoCL" if what == "cpu" else "H200"])
        patch.setattr(selfcheck, "works_in_groups", lambda device: what == "gpu")


def answers(
    make: MakeGraph, device: Device, solve: Callable[[reedsp.Graph], tuple[bytes, ...]], pretenders: tuple[str, ...]
) -> dict[str, tuple[bytes, ...]]:
    """Return what comes out on each device that this one pretends to be."""
    found = {}
    for what in pretenders:
        with pytest.MonkeyPatch.context() as patch:
            graph = make()
            pretend(what, device, patch)
            found[what] = solve(graph)
    return found


def all_pairs_of(device: Device, **more: Any) -> Callable[[reedsp.Graph], tuple[bytes, ...]]:
    def solve(graph: reedsp.Graph) -> tuple[bytes, ...]:
        alone = reedsp.apsp(graph, device=device, **more)
        both = reedsp.apsp(graph, predecessors=True, device=device, **more)
        assert both.method == alone.method or alone.stats["arithmetic"] != "float64"
        return alone.dist.tobytes(), both.dist.tobytes(), both.pred.tobytes()

    return solve


@pytest.mark.deep(group="a device that pretends to be others")
@pytest.mark.parametrize("name", CASES)
def test_all_pairs(name: str, device: Device) -> None:
    """On both sides of every threshold between searches and matrices."""
    needs_doubles(device)
    n, m, kind, pretenders = CASES[name]
    found = answers(lambda: sparse(n, m, kind), device, all_pairs_of(device), pretenders)
    assert len(set(found.values())) == 1, {what: hash(answer) for what, answer in found.items()}


def test_the_methods_round_in_different_ways(device: Device) -> None:
    """Else the test above would notice nothing."""
    needs_doubles(device)
    graph = sparse(1000, 2000, "fractional")
    by_method = [reedsp.apsp(graph, method, device=device).dist for method in ("johnson", "floyd-warshall")]
    assert not np.array_equal(*by_method)
    np.testing.assert_allclose(*by_method, rtol=1e-14)


def johnson_pays(graph: reedsp.Graph, known: Known, dtype: str) -> bool:
    """Return whether `apsp` takes Johnson's searches."""
    arithmetic = choose_arithmetic(graph, np.dtype(dtype))
    weights = matrix_weights(graph, arithmetic)
    return choose.all_pairs(graph, known, arithmetic, weights).method == "johnson"


def test_which_method_depends_on_the_graph_alone_where_sums_are_rounded() -> None:
    cases = [("fractional", None), ("rounded, though whole", None), ("fractional", "float32")]
    for m in (900, 9000, 18_900, 19_100):
        for kind, dtype in cases:
            graph = sparse(1000, m, kind)
            chosen = {johnson_pays(graph, each, dtype or "float64") for each in MACHINES.values()}
            assert chosen == {50 * (graph.m + 1000) < 1000**2}
    of_whole = [johnson_pays(sparse(1000, 8000, "whole"), MACHINES[each], "float64") for each in ("PoCL", "H200")]
    assert of_whole == [False, True]


@pytest.mark.deep(group="a device that pretends to be others")
@pytest.mark.parametrize("kind", ["fractional", "negative", "negative and fractional", "rounded, though whole"])
def test_one_source(kind: str, device: Device) -> None:
    """By every method: the least of the sums from left to right, whatever the order of the relaxations."""
    needs_doubles(device)
    methods = ["auto", "output-parallel", "input-parallel", "input-parallel-refined"]
    methods += ["bellman-ford", "bellman-ford-queue"]
    methods += [] if kind.startswith("negative") else ["near-far"]

    def solve(graph: reedsp.Graph) -> tuple[bytes, ...]:
        found = [reedsp.sssp(graph, 3, method, device=device) for method in methods]
        assert len({(each.dist.tobytes(), each.pred.tobytes()) for each in found}) == 1
        return found[0].dist.tobytes(), found[0].pred.tobytes()

    kinds = ("cpu", "gpu") if device.kind == "cpu" else ("gpu",)  # which has no room for the work-groups of CPUs
    found = answers(lambda: sparse(500, 2500, kind), device, solve, kinds)
    assert len(set(found.values())) == 1


@pytest.mark.deep(group="a device that pretends to be others")
@pytest.mark.parametrize(
    "kind", ["whole", "fractional", "negative", "negative and fractional", "rounded, though whole"]
)
@pytest.mark.parametrize("sources", [3, [3, 0, 77, 3]], ids=["one", "several"])
def test_searches_on_recorded_machines(
    kind: str, sources: int | list[int], device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As each of these would choose, and on the host where it may: distances, levels and both trees."""
    needs_doubles(device)
    monkeypatch.setattr(sssp, "get_device", lambda named=None: device)
    monkeypatch.setattr(bfs, "get_device", lambda named=None: device)
    found, chosen = set(), set()
    for (name, known), serves in itertools.product(MACHINES.items(), (False, True)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(families, "known", lambda device, known=known: known)
            patch.setattr(place, "_serves", serves)
            patch.setattr(choose_search, "_BEGUN", 1.0 if serves and name == "PoCL" else 0.0)
            graph = sparse(500, 2500, kind)
            paths, search = reedsp.sssp(graph, sources), reedsp.bfs(graph, sources)
            found.add(b"".join(each.tobytes() for each in (paths.dist, paths.pred, search.levels, search.pred)))
            chosen |= {paths.method, search.device, paths.stats["device"]}
    assert len(found) == 1
    assert place.HOST in chosen
    assert str(device) in chosen


def both_ways(n: int, seed: int) -> reedsp.Graph:
    """Return a tree whose edges weigh the opposite on the way back: rounding makes cycles less than zero."""
    rng = np.random.default_rng(seed)
    parent, child, weights = [int(rng.integers(0, i)) for i in range(1, n)], [*range(1, n)], rng.random(n - 1) - 0.5
    return reedsp.Graph.from_edges(n, parent + child, child + parent, np.append(weights, -weights))


@pytest.mark.deep
def test_where_rounding_makes_cycles_negative(device: Device) -> None:
    needs_doubles(device)
    found = answers(lambda: both_ways(70, 3), device, all_pairs_of(device), ("cpu", "gpu", "little memory"))
    assert len(set(found.values())) == 1
    [(alone, both, _)] = set(found.values())
    assert alone == both


def test_tables_add_rounded_sums_from_the_source_on(device: Device) -> None:
    """Also whole numbers that floats round: backwards from the target the sum of these is greater by two."""
    needs_doubles(device)
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2.0**53, 1.0, 1.0])
    assert reedsp.sssp(graph, 0, device=device).dist[3] == 2.0**53
    assert reedsp.distance_table(graph, [0, 1], [3], device=device).tolist() == [[2.0**53], [2.0]]
    assert reedsp.k_nearest(graph, [0, 1], 1, among=[3], device=device).dist.tolist() == [[2.0**53], [2.0]]
