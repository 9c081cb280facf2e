"""Weights as integers, whose sums are exact in every order: a shortcut weighs as much as the path it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import C_TYPES
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph, edge_sources

_MANTISSA = 53  # bits
_NARROW, _WIDE = (1 << 30) - 1, 1 << 61  # of a type that twice as much fits into


@dataclass(frozen=True)
class Units:
    """What the edges of a graph weigh, in units.

    Attributes
    ----------
    weights : ndarray of int32 or int64, shape (m,)
    exponent : int
        Of two: what a unit is worth.
    """

    weights: npt.NDArray[Any]
    exponent: int

    @property
    def infinity(self) -> int:
        """More than any simple path weighs; twice as much fits into the type."""
        return infinity_of(self.weights.dtype)


def infinity_of(dtype: np.dtype[Any]) -> int:
    """Return what stands for "no path" among sums in this type."""
    return _NARROW if dtype == np.int32 else _WIDE


def unit_macros(dtype: np.dtype[Any]) -> dict[str, str | int]:
    """Return the macros of ``core/weights.cl`` for sums of units, which are never greater than twice INF."""
    return {"WEIGHT": C_TYPES[dtype], "INF": infinity_of(dtype), "IS_INTEGER": 1, "SATURATE": 0}


def units_of(graph: Graph) -> Units:
    """Return the weights of a graph in a unit that is a power of two, of which all of them are multiples.

    It is that of the weights of the reverse graph, in the same type.

    Raises
    ------
    ValueError
        A weight is negative, or their sums may not be exact.
    """
    if graph.has_negative_weights:
        edge = int(np.flatnonzero(graph.weights < 0)[0])
        source, target = graph.names[edge_sources(graph)[edge]], graph.names[graph.indices[edge]]
        raise ValueError(
            f"weights: {graph.weights[edge]} on the edge from {source!r} to {target!r}, expected none below 0"
        )
    bound = graph.simple_path_bound
    if graph.directed and not (graph.has_integral_weights and bound < _NARROW):
        bound = min(bound, graph.reverse().simple_path_bound)  # no path is heavier in either direction
    if graph.weight_dtype.kind == "i":
        if not bound < _WIDE:
            raise ValueError(f"weights: the weight of a path may be up to {bound:.3g}, expected less than 2**61")
        return Units(graph.weights.astype(np.int32 if bound < _NARROW else np.int64), 0)
    fits = graph.has_integral_weights and bound < EXACT_IN_FLOAT64
    exponent = 0 if fits else exponent_of(graph.weights)
    with np.errstate(over="ignore"):
        units, most = np.ldexp(graph.weights.astype(np.float64), -exponent), np.ldexp(bound, -exponent)
    if not most < EXACT_IN_FLOAT64:
        raise ValueError(
            "weights: their sums are rounded in float64, so that a path and its shortcut may not weigh the same; "
            "expected integers, or multiples of one power of two whose sums are below 2**53 of it"
        )
    return Units(units.astype(np.int32 if most < _NARROW else np.int64), exponent)


def exponent_of(weights: npt.NDArray[Any]) -> int:
    """Return the exponent of the largest power of two that divides all weights, of which one is not 0."""
    mantissas, exponents = np.frexp(weights[weights != 0].astype(np.float64))
    digits = np.ldexp(mantissas, _MANTISSA).astype(np.int64)
    zeros = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    return int((exponents - _MANTISSA + zeros).min())
