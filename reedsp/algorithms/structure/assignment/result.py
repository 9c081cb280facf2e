"""What the search for a full matching returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.verify import verify_full
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.algorithms.structure.matching.biadjacency import Names, OfTwoSides
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.verify import VerificationError, check_array
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.text import AsTable
from reedsp.system.public import public


@public
@dataclass(frozen=True, eq=False, repr=False)
class FullMatching(AsTable, OfTwoSides):
    """As many pairs of a row and a column as there are rows, or columns if these are fewer, of the minimum weight.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    rows, columns : ndarray of int32, shape (min(shape),)
        The pairs, rows ascending.
    weight : int or float
        The sum of their weights; of fractions the exact sum, rounded once.
    row_prices : ndarray of int64 or float64, shape (rows,)
    column_prices : ndarray of int64 or float64, shape (columns,)
        The two prices of a pair add up to its weight, and those of any other row and column to no more than the weight
        between them, or no less where the weight is the maximum. Of rows and columns, those of which there are more
        have no price above 0, or below, and 0 where they are free.
    maximum : bool
        Whether the weight is the maximum instead.
    method : {"shortest-paths", "auction"}
        There may be several such matchings; which one is found is a matter of the method alone.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``method``, ``why`` (the reason for this method), ``arithmetic`` ("int64" where sums are exact,
        "float64" otherwise), ``rounds``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``,
        ``bytes_from_device``, ``bytes_allocated``, and ``phases``, as in :class:`ShortestPaths`.

    Examples
    --------
    >>> import reedsp
    >>> found = reedsp.full_matching([[4, 1, 3], [2, 8, 5], [3, 2, 2]])
    >>> found.weight, found.columns
    (5, array([1, 0, 2], dtype=int32))
    """

    shape: tuple[int, int]
    rows: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    weight: int | float
    row_prices: npt.NDArray[Any]
    column_prices: npt.NDArray[Any]
    maximum: bool
    method: str
    device: str
    stats: dict[str, Any]
    _weights: Weights
    _names: tuple[Names, Names]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.rows)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the pairs by the names of their vertices, or by their indices if a matrix was given.

        Returns
        -------
        list of tuple
        """
        rows, columns = self.row_names, self.column_names
        both = zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        return [(rows[row], columns[column]) for row, column in both]

    def verify(self, device: Device | int | str | None = None) -> bool:
        """Prove on a device that no full matching weighs less, or more, however this one was found.

        Prices are checked for every weight. Those of fractions are right up to rounding: the sum of two may be off by
        ``(rows + 16) * 2**-52`` times the largest price, or weight of the matching. Where a price is more than
        ``16 * (rows + 16)`` times this weight, as beside weights that are much larger or better, and so could hide a
        better matching, one is looked for on the host in exact sums. The arrays of a CSR matrix are not copied: one
        that has changed since is checked as it is now.

        Parameters
        ----------
        device : Device, int or str, optional
            As for :func:`reedsp.get_device`.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They are wrong; the message names a row, a column or a pair, or an array that is of another shape or type.
        """
        self._check_form(self._weights)
        edges = self._edges(self._weights)
        verify_full(Job(get_device(device)), self._weights, edges, self.row_prices, self.column_prices, self.maximum)
        total = weight_of(self._weights, edges[edges >= 0])
        if total != self.weight:
            raise VerificationError(f"the pairs weigh {total}, but the weight is {self.weight}")
        return True

    def _check_form(self, weights: Weights) -> None:
        """Check that as many pairs as there can be are given, in order, and a price for each row and column."""
        sizes = (weights.rows, weights.columns)
        if self.shape != sizes:
            raise VerificationError(f"shape is {self.shape}, expected {sizes}")
        for name, array, size in (("rows", self.rows, sizes[0]), ("columns", self.columns, sizes[1])):
            check_array(name, array, (min(sizes),), np.int32)
            wrong = np.flatnonzero((array < 0) | (array >= size))
            if len(wrong):
                raise VerificationError(f"{name}[{wrong[0]}] = {array[wrong[0]]}, expected one of {size} {name}")
        wrong = np.flatnonzero(self.rows[1:] <= self.rows[:-1])
        if len(wrong):
            pair, before = int(wrong[0]) + 1, int(wrong[0])
            raise VerificationError(
                f"rows[{pair}] = {self.rows[pair]} does not come after rows[{before}] = {self.rows[before]}"
            )
        kinds = (np.int64,) if weights.is_integral else (np.int64, np.float64)
        check_array("row_prices", self.row_prices, sizes[:1], *kinds)
        check_array("column_prices", self.column_prices, sizes[1:], *kinds)
        for name, prices in (("row_prices", self.row_prices), ("column_prices", self.column_prices)):
            wrong = np.flatnonzero(~np.isfinite(prices))
            if len(wrong):
                raise VerificationError(f"{name}[{wrong[0]}] is {prices[wrong[0]]}, expected a finite number")

    def _edges(self, weights: Weights) -> npt.NDArray[np.int64]:
        """Return the weight by which each row is matched: the best of those between it and its column."""
        column_of = np.full(weights.rows, -1, np.int64)
        column_of[self.rows] = self.columns
        among = np.flatnonzero(weights.indices == column_of[tails := weights.tails()])
        values = weights.values[among]
        order = np.lexsort((values if self.maximum else -values, tails[among]))  # the last of a row remains
        edges = np.full(weights.rows, -1, np.int64)
        edges[tails[among[order]]] = among[order]
        return edges

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        weights = self._weights.values[self._edges(self._weights)[self.rows]].tolist()
        rows = ((*pair, weight) for pair, weight in zip(self.pairs(), weights, strict=True))
        return ["row", "column", "weight"], rows

    def __repr__(self) -> str:
        kind = "maximum" if self.maximum else "minimum"
        return (
            f"<reedsp.FullMatching: {len(self.rows):,} pairs of {kind} weight {self.weight:,}, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )

    def _repr_html_(self) -> str:
        prices = (self.row_prices[self.rows[:SHOWN]].tolist(), self.column_prices[self.columns[:SHOWN]].tolist())
        shown = [(*pair, *both) for pair, *both in zip(self.pairs()[:SHOWN], *prices, strict=True)]
        title = f"Full matching of {'maximum' if self.maximum else 'minimum'} weight {self.weight:,}"
        facts = [("method", self.method), ("pairs", f"{len(self.rows):,}"), *run_facts(self.stats, self.device)]
        columns = ["row", "column", "price of the row", "of the column"]
        return card(title, facts, columns, [*shown, *and_more(len(self.rows), 4)])


def weight_of(weights: Weights, edges: npt.NDArray[np.int64]) -> int | float:
    """Return the sum of some weights: exact, or of fractions the exact sum rounded once."""
    import math

    values = weights.values[edges].tolist()
    return sum(values) if weights.is_integral else math.fsum(values)
