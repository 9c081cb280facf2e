"""Which weights are sums of units."""

from __future__ import annotations

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.contraction.exact import unit_macros, units_of


def graph_of(*weights: float) -> reedsp.Graph:
    n = len(weights) + 1
    return reedsp.Graph.from_edges(n, range(n - 1), range(1, n), np.array(weights))


@pytest.mark.parametrize(
    ("weights", "units", "exponent"),
    [
        ((3, 0, 5), [3, 0, 5], 0),
        ((3.0, 4.0), [3, 4], 0),
        ((0.5, 3.0), [1, 6], -1),
        ((0.75, 0.0, 2.0**20), [3, 0, 2**22], -2),
        ((0.0,), [0], 0),
        ((2**40, 1), [2**40, 1], 0),
        ((2.0**200, 3 * 2.0**200), [1, 3], 200),
        ((2.0**53, 2.0**54, 0.0), [1, 2, 0], 53),
    ],
)
def test_units(weights: tuple[float, ...], units: list[int], exponent: int) -> None:
    found = units_of(graph_of(*weights))
    assert (found.weights.tolist(), found.exponent) == (units, exponent)


@pytest.mark.parametrize("weight", [int, float])
def test_the_type_is_as_narrow_as_sums_allow(weight: type) -> None:
    """The largest sum is less than what stands for "no path"."""
    most = 2**30 - 2
    assert units_of(graph_of(weight(most - 1), weight(1))).weights.dtype == np.int32
    assert units_of(graph_of(weight(most), weight(1))).weights.dtype == np.int64
    assert units_of(graph_of(2**29, 2**29)).weights.dtype == np.int64


@pytest.mark.parametrize(
    ("weights", "dtype", "exponent"),
    [(8 * [2**27], np.int32, 0), (16 * [2**57], np.int64, 0), (20 * [2.0**49], np.int64, 0)],
)
def test_units_are_those_of_the_other_direction(weights: list[float], dtype: type, exponent: int) -> None:
    """Since its paths weigh as much, though the heaviest edges that leave each vertex do not."""
    graph = reedsp.Graph.from_edges(len(weights) + 1, [0] * len(weights), range(1, len(weights) + 1), weights)
    for each in (graph, graph.reverse()):
        units = units_of(each)
        assert (units.weights.dtype, units.exponent) == (dtype, exponent)


def test_twice_no_path_fits() -> None:
    narrow, wide = units_of(graph_of(2**28, 2**28)), units_of(graph_of(2**29, 2**29))
    assert (narrow.infinity, wide.infinity) == (2**30 - 1, 2**61)
    assert unit_macros(np.dtype(np.int32)) == {"WEIGHT": "int", "INF": 2**30 - 1, "IS_INTEGER": 1, "SATURATE": 0}
    assert unit_macros(np.dtype(np.int64)) == {"WEIGHT": "long", "INF": 2**61, "IS_INTEGER": 1, "SATURATE": 0}


@pytest.mark.parametrize("weights", [(0.1, 0.3), (1e300, 1.0), (2.0**52 + 1, 2.0**52, 2.0**52), (5e-324, 1.0)])
def test_rounded_sums_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^weights: their sums are rounded in float64"):
        units_of(graph_of(*weights))


def test_sums_beyond_int64_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^weights: the weight of a path may be up to"):
        units_of(graph_of(2**61, 2**61))


def test_negative_weights_are_refused_by_their_edge() -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1], [1, 3, 2], [4, 0, -2], labels=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"^weights: -2 on the edge from 'b' to 'c', expected none below 0"):
        reedsp.prepare(graph)
