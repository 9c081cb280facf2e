"""What a spanning forest is."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.forests.verify import verify_forest
from reedsp.device.device import Device
from reedsp.edges.verify import VerificationError, device_that_verifies
from reedsp.graph.graph import Graph
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.text import AsTable
from reedsp.system.public import public

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


def _sum(weights: npt.NDArray[Any]) -> int | float:
    if weights.dtype.kind == "f":
        return _sum_of_floats(weights.tolist())
    largest = max(-int(weights.min(initial=0)), int(weights.max(initial=0)))
    if largest * len(weights) <= np.iinfo(np.int64).max:
        return int(weights.sum(dtype=np.int64))
    return int(sum(weights.tolist()))


def _sum_of_floats(numbers: list[float]) -> float:
    try:
        return math.fsum(numbers)
    except OverflowError:  # of a part of the sum at least
        total = sum(map(Fraction, numbers))
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


@public
@dataclass(frozen=True, eq=False, repr=False)
class SpanningForest(AsTable):
    """The edges of a minimum or maximum spanning forest, read without direction.

    Attributes
    ----------
    graph : Graph
    ends : ndarray of int32, shape (k, 2)
        The indices of the ends of each edge, the smaller one first; edges are in ascending order.
    weights : ndarray, shape (k,)
        Their weights, in the type of the graph's.
    maximum : bool
        Whether the edges are the heaviest rather than the lightest.
    method : {"kruskal", "boruvka", "dulle", "host"}
        What was used.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``method``, ``why``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``,
        ``bytes_from_device``, ``bytes_allocated``, ``rounds``, and ``phases``, as in :class:`ShortestPaths`.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 2, 3], [7, 2, 1, 3], directed=False)
    >>> forest = reedsp.spanning_forest(graph)
    >>> list(forest.edges())
    [(0, 2, 2), (1, 2, 1), (2, 3, 3)]
    >>> forest.total_weight, forest.trees
    (6, 1)
    """

    graph: Graph
    ends: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    maximum: bool
    method: str
    device: str
    stats: dict[str, Any]

    def __len__(self) -> int:
        """Return the number of edges."""
        return len(self.weights)

    @property
    def trees(self) -> int:
        """Number of trees: of connected components, a vertex without edges being one of its own."""
        return self.graph.n - len(self)

    @functools.cached_property
    def total_weight(self) -> int | float:
        """Sum of the weights: exact for integers, the exact sum rounded once for floats, infinite beyond these."""
        return _sum(self.weights)

    def edges(self) -> Iterator[tuple[Any, Any, int | float]]:
        """Iterate over the edges: the names of both ends, and the weight as a Python number."""
        names = self.graph.names
        for (smaller, larger), weight in zip(self.ends.tolist(), self.weights.tolist(), strict=True):
            yield names[smaller], names[larger], weight

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a new ``csr_array`` with each edge once, from its smaller end; zero weights are stored zeros."""
        import scipy.sparse

        counts = np.bincount(self.ends[:, 0], minlength=self.graph.n)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        shape = (self.graph.n, self.graph.n)
        return scipy.sparse.csr_array((self.weights.copy(), self.ends[:, 1].copy(), indptr), shape=shape)

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return a new graph of networkx with all vertices by their names, and the attribute ``weight`` of edges."""
        import networkx

        forest: networkx.Graph[Any] = networkx.Graph()
        forest.add_nodes_from(self.graph.names)
        forest.add_weighted_edges_from(self.edges())
        return forest

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        return ["smaller", "larger", "weight"], self.edges()  # the end with the smaller index first

    def verify(self, device: Device | int | str | None = None) -> bool:
        """Check on a device that these are the edges of the spanning forest, by a rule that no method uses.

        They close no cycle, and are edges of the graph with these weights; and each edge of the graph has its ends in
        one tree and does not come before the heaviest edge on the way between them, in the order of weights and then of
        ends, in which no two edges are equal. There is one forest only of which this is true. What the host has found
        is checked there if there is no device.

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
            They are not; the message names an edge, or an array that is of another shape or type.
        """
        chosen = device_that_verifies(self.device, device)
        verify_forest(self.graph, self.ends, self.weights, self.maximum, chosen)
        known = self.__dict__.get("total_weight")  # since it was asked for
        if known is not None and known != (total := _sum(self.weights)):
            raise VerificationError(f"the edges weigh {total}, but the total weight is {known}")
        return True

    def __repr__(self) -> str:
        kind = "maximum" if self.maximum else "minimum"
        trees = "1 tree" if self.trees == 1 else f"{self.trees:,} trees"
        return f"<reedsp.SpanningForest: {kind}, {len(self):,} edges, {trees}, weight {self.total_weight}>"

    def _repr_html_(self) -> str:
        kind = "Maximum" if self.maximum else "Minimum"
        facts = [("edges", f"{len(self):,}"), ("trees", f"{self.trees:,}"), ("weight", str(self.total_weight))]
        shown = [*itertools.islice(self.edges(), SHOWN), *and_more(len(self), 3)]
        rows = [list(map(str, each)) for each in shown]
        title = f"{kind} spanning forest of {self.graph.n:,} vertices"
        return card(title, [*facts, *run_facts(self.stats, self.device)], ["vertex", "vertex", "weight"], rows)
