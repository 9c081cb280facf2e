"""Full matchings of minimum weight: what is asked for, and which method finds them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.auction import auction, can_auction
from reedsp.algorithms.structure.assignment.paths import NO_FULL_MATCHING, Found, shortest_paths
from reedsp.algorithms.structure.assignment.result import FullMatching, weight_of
from reedsp.algorithms.structure.assignment.rounded import can_round, rounded_auction
from reedsp.algorithms.structure.assignment.selfcheck import finds_known_matching
from reedsp.algorithms.structure.assignment.weights import Weights, in_integers, weights_of
from reedsp.algorithms.structure.chosen import chosen as chosen_method
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.system.options import check_choice, flag
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import search_bar
from reedsp.typing import FullMatchingMethod, GraphLike, Vertices


def _auction(job: Job, weights: Weights, maximum: bool, progress: Callable[[int, int], None] | None = None) -> Found:
    return (auction if weights.is_integral else rounded_auction)(job, weights, maximum, progress)


_METHODS: dict[str, Callable[..., Found]] = {"shortest-paths": shortest_paths, "auction": _auction}


def full_matching(
    graph: GraphLike,
    maximum: bool = False,
    method: FullMatchingMethod = "auto",
    *,
    rows: Vertices | None = None,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> FullMatching:
    """Match every row with a column of its own, or every column if these are fewer, for the minimum weight in all.

    This is the assignment problem, where not every row goes with every column.

    Parameters
    ----------
    graph : scipy sparse matrix, dense array, Graph or networkx graph
        The weight between each row and each column, in a matrix of any shape. A *stored* zero of a sparse matrix is a
        weight of 0, but in the BSR and DIA formats, which store zeros of their own; in a dense array a 0 is none, and
        in a masked array the mask alone says where there is none. +inf is no weight either, or -inf where the maximum
        is wanted, nor False that a sparse matrix stores, as for :meth:`reedsp.Graph.from_scipy`. Where several are
        stored for one row and column, the best counts. A directed graph stands for its square matrix: an edge leads
        from a row to a column. The sides of an undirected graph, which has to be bipartite, are found, as by
        :func:`reedsp.maximum_matching`: that of the smallest vertex of each component are the rows. Of parallel edges
        a graph has the lightest only.
    maximum : bool
        Find the maximum weight instead.
    method : {"auto", "shortest-paths", "auction"}
        "shortest-paths" is done by a single work-item; "auction" is for GPUs. The weight is the same. An auction takes
        the more rounds the farther the weights are apart: where few of them are very large, it may take seconds for
        some hundred rows. By default what fits the device.
    rows : sequence of vertices, optional
        One side, by the names of the vertices; all others are the other one. A matrix is then one of weights, as for
        :func:`reedsp.sssp`, and square; and an edge may lead in either direction.
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then,
        with the rows that are matched, and how many there are.

    Returns
    -------
    FullMatching

    Raises
    ------
    ValueError
        There is no full matching, or the graph, which may not be bipartite, or an argument is wrong; the message names
        the position, or the vertex.
    OverflowError
        The weights are integers whose prices int64 may not hold: 16 times the number of pairs and one, times the range
        of the weights, is not below 2^62, or a weight is not. Or they are fractions whose prices float64 may not hold:
        4 times the largest, times the number of pairs and one.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Notes
    -----
    Integers are exact. So are fractions that are integers once they are multiplied by a power of two, if int64 holds
    their prices, with a factor of 512 instead of the 16 above; and all fractions in an auction. By "shortest-paths"
    sums of others are rounded, as in SciPy, on devices with double precision.

    Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems", 1987;
    Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", 1988. See
    docs/explanation/structure/flow.md.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.full_matching([[4, 1, 3], [2, 8, 5], [3, 2, 2]]).pairs()
    [(0, 1), (1, 0), (2, 2)]
    """
    phases = Phases()
    check_choice("method", method, ("auto", *_METHODS))
    maximum = flag(maximum, "maximum")
    weights, *names = weights_of(graph, maximum, rows)
    bar = search_bar(1, "rows", progress)
    solved, power = in_integers(weights)
    exchanged = solved.rows > solved.columns
    before = np.arange(solved.m)
    if exchanged:
        solved, before = solved.transposed()
    chosen = get_device(device)
    used, why = _trusted_method(chosen, method, solved, maximum)
    job = Job(chosen, recycle=True, phases=phases)
    phases.begin("search")
    with bar as report:
        try:
            found = solve(job, solved, maximum, used, report)
        except ValueError as error:
            raise ValueError(f"{error}{_hint(graph)}") from None
    stats = job.stats()
    phases.begin("convert")
    sides = _sides(solved, maximum, found, power)
    taken = before[found.edges]
    tails, heads = (
        (solved.indices[found.edges], np.arange(solved.rows))
        if exchanged
        else (
            np.arange(solved.rows),
            solved.indices[found.edges],
        )
    )
    order = np.argsort(tails, kind="stable")
    arithmetic = "int64" if solved.is_integral else "float64"
    stats |= {"method": used, "why": why, "arithmetic": arithmetic, "rounds": found.rounds}
    return FullMatching(
        shape=(weights.rows, weights.columns),
        rows=tails[order].astype(np.int32),
        columns=heads[order].astype(np.int32),
        weight=weight_of(weights, taken),
        row_prices=sides[exchanged],
        column_prices=sides[not exchanged],
        maximum=maximum,
        method=used,
        device=stats["device"],
        stats={**stats, "phases": phases.milliseconds()},
        _weights=weights,
        _names=(names[0], names[1]),
    )


def _hint(graph: Any) -> str:
    """Return what may explain that there is no full matching."""
    is_dense = isinstance(graph, (np.ndarray, list, tuple)) and not np.ma.isMaskedArray(graph)
    if is_dense and (np.asarray(graph) == 0).any():
        return "; a 0 in a dense array is no edge, but one that a sparse or masked array holds is"
    return ""


def solve(
    job: Job, weights: Weights, maximum: bool, method: str, progress: Callable[[int, int], None] | None = None
) -> Found:
    """Match every row, of which there are no more than columns, by a method that is trusted on the device of a job."""
    if weights.rows == 0:
        kind = np.int64 if weights.is_integral else np.float64
        return Found(np.empty(0, np.int64), np.zeros(weights.columns, kind), 0)
    if weights.m == 0:
        raise ValueError(NO_FULL_MATCHING)
    return _METHODS[method](job, weights, maximum, progress)


def _sides(weights: Weights, maximum: bool, found: Found, power: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the prices of rows and columns, with the sign and the scale of the weights as they were given."""
    sign = -1 if maximum else 1
    column_prices = sign * found.prices
    matched = weights.indices[found.edges]
    row_prices = weights.values[found.edges].astype(column_prices.dtype) - column_prices[matched]
    if power:
        return np.ldexp(row_prices.astype(np.float64), -power), np.ldexp(column_prices.astype(np.float64), -power)
    return row_prices, column_prices


def _trusted_method(device: Device, method: str, weights: Weights, maximum: bool) -> tuple[str, str]:
    """Return a method that gives right answers on a device, and why it was chosen.

    Raises
    ------
    DeviceError
        None does.
    ValueError
        An auction is asked for, and is not possible.
    """
    is_possible = can_auction(weights) if weights.is_integral else can_round(weights)
    if method == "auction" and not is_possible:
        raise ValueError("method = 'auction': the weights are too large, or too many, for its prices")
    suited, because = ["shortest-paths"], None
    if is_possible:
        suited.insert(1 if device.kind == "cpu" else 0, "auction")
    elif device.kind != "cpu":
        because = "weights are too large, or too many, for an auction"
    is_right = functools.partial(is_trusted_with, device, weights=weights, maximum=maximum)
    asked = None if method == "auto" else method
    return chosen_method(device, "full matching", asked, suited, is_right, because)


def is_trusted_with(device: Device, method: str, weights: Weights, maximum: bool) -> bool:
    """Return whether a method is right on a device, with the types of a matrix."""
    types = [array.dtype.name for array in (weights.indptr, weights.indices, weights.values)]
    arguments = (_METHODS[method], *types, bool(maximum))
    return is_trusted(device, f"full matching by {method}", finds_known_matching, *arguments)
