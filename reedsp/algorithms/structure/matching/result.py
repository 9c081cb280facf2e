"""What a maximum matching is returned as."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching.biadjacency import Biadjacency, Names, OfTwoSides
from reedsp.algorithms.structure.matching.check import check_pairs, cover_of, verify_matching
from reedsp.device.device import Device
from reedsp.edges.verify import device_that_verifies
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.text import AsTable
from reedsp.system.public import compared_as_object, public


@public
@compared_as_object
class VertexCover(NamedTuple):
    """Rows and columns of which each edge has at least one.

    Attributes
    ----------
    rows, columns : ndarray of int32
        Their indices, ascending.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.maximum_matching([[1, 1, 1], [1, 0, 0], [1, 0, 0]]).cover()
    VertexCover(rows=array([0], dtype=int32), columns=array([0], dtype=int32))
    """

    rows: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]


@public
@dataclass(frozen=True, eq=False, repr=False)
class Matching(AsTable, OfTwoSides):
    """As many edges of a bipartite graph as there can be without a vertex in common.

    Attributes
    ----------
    column_of_row : ndarray of int32, shape (rows,)
        The column that each row is matched with; -1 if it is with none.
    row_of_column : ndarray of int32, shape (columns,)
        The row that each column is matched with; -1 if it is with none.
    method : {"depth-first", "phases", "dulle", "khosla", "hopcroft-karp"}
        The last one on the host.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``why`` (this method), ``kernels_launched``, ``milliseconds``, ``bytes_to_device``,
        ``bytes_from_device``, ``bytes_allocated``, ``phases`` as in :class:`ShortestPaths`; ``rounds``: phases of
        "depth-first" and "phases", rounds of "dulle", balls of "khosla"; and ``augmented`` of the first two: pairs that
        the first rule, which matches vertices with a single choice first, has left to be found.

    Examples
    --------
    >>> import reedsp
    >>> matching = reedsp.maximum_matching([[1, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> matching.cardinality, matching.column_of_row
    (2, array([ 1,  0, -1], dtype=int32))
    """

    column_of_row: npt.NDArray[np.int32]
    row_of_column: npt.NDArray[np.int32]
    method: str
    device: str
    stats: dict[str, Any]
    _graph: Biadjacency
    _names: tuple[Names, Names]
    _device: Device | None = None  # then any device verifies

    @property
    def cardinality(self) -> int:
        """How many pairs there are."""
        return int(np.count_nonzero(self.column_of_row >= 0))

    def __len__(self) -> int:
        return self.cardinality

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the names of the row and the column of each pair, in the order of the rows.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1], [2, 3, 2], directed=False, labels=["a", "b", "x", "y"])
        >>> reedsp.maximum_matching(graph).pairs()
        [('a', 'y'), ('b', 'x')]
        """
        rows, columns = self.row_names, self.column_names
        matched = np.flatnonzero(self.column_of_row >= 0)
        both = zip(matched.tolist(), self.column_of_row[matched].tolist(), strict=True)
        return [(rows[row], columns[column]) for row, column in both]

    def cover(self) -> VertexCover:
        """Return as few vertices as possible of which each edge has at least one: as many as there are pairs.

        Of the rows these are the ones that no alternating path leads to from a row that is not matched, of the columns
        the ones that such a path leads to (Koenig 1931); of a matrix in CSC format rows and columns change places. They
        do not depend on the method.

        Returns
        -------
        VertexCover

        Raises
        ------
        VerificationError
            The arrays were changed, and are not a maximum matching any more.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.maximum_matching([[1, 0, 0], [1, 0, 0], [1, 1, 1]]).cover()
        VertexCover(rows=array([2], dtype=int32), columns=array([0], dtype=int32))
        """
        mates, names = (self.column_of_row, self.row_of_column), (self.row_names, self.column_names)
        device = device_that_verifies(self.device, self._device)
        check_pairs(self._graph, mates, device, names)
        covers = cover_of(self._graph, mates, device)
        return VertexCover(*(np.flatnonzero(each).astype(np.int32) for each in covers))

    def verify(self) -> bool:
        """Check on the device that this is a maximum matching, by rules that do not depend on the method.

        Each pair is an edge, no vertex is in two of them, and as many vertices as there are pairs cover all edges. The
        arrays of a sparse matrix are not copied: one that has changed since is checked as it is now. What the host has
        found is checked there if there is no device.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            It is not; the message names a row or a column, or says how many pairs there can be.

        Examples
        --------
        >>> import reedsp
        >>> matching = reedsp.maximum_matching([[1, 1], [0, 1]])
        >>> matching.verify()
        True
        >>> matching.column_of_row[0] = 1
        >>> matching.verify()
        Traceback (most recent call last):
            ...
        reedsp.VerificationError: row 0: what it is matched with is matched with another one, or with nothing
        """
        mates, names = (self.column_of_row, self.row_of_column), (self.row_names, self.column_names)
        verify_matching(self._graph, mates, device_that_verifies(self.device, self._device), names)
        return True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_device": None}  # a device's handle is this process's own

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        return ["row", "column"], self.pairs()

    def _title(self) -> str:
        rows, columns = len(self.column_of_row), len(self.row_of_column)
        return f"{self.cardinality:,} pairs of {rows:,} rows and {columns:,} columns"

    def _repr_html_(self) -> str:
        rows = [
            [repr(self.row_names[row]), "-" if column < 0 else repr(self.column_names[column])]
            for row, column in enumerate(self.column_of_row[:SHOWN].tolist())
        ]
        facts = [("method", self.method), *run_facts(self.stats, self.device)]
        return card(self._title(), facts, ["row", "column"], [*rows, *and_more(len(self.column_of_row), 2)])

    def __repr__(self) -> str:
        how = f"{self.method}, {self.stats['milliseconds']:.1f} ms on {self.device}"
        return f"<reedsp.Matching: {self._title()}, {how}>"
