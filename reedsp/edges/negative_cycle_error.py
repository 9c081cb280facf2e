"""The error that SciPy and networkx know as well: a module of its own, as both take long to import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx
import scipy.sparse.csgraph

from reedsp.system.public import public


@public
class NegativeCycleError(scipy.sparse.csgraph.NegativeCycleError, networkx.NetworkXUnbounded):  # type: ignore[misc]
    """The graph has a cycle of negative weight, so that some vertices have no shortest path.

    It is a ``scipy.sparse.csgraph.NegativeCycleError`` and a ``networkx.NetworkXUnbounded`` as well.

    Attributes
    ----------
    cycle : list
        The vertices of one such cycle, by their names, in the order of its edges; the first vertex stands again at the
        end.
    weight : int or float
        Total weight of the cycle; below zero.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 1], [4, 1, -2])
    >>> try:
    ...     reedsp.sssp(graph, 0)
    ... except reedsp.NegativeCycleError as error:
    ...     print(sorted(set(error.cycle)), error.weight)
    [1, 2] -1
    """

    def __init__(self, cycle: Sequence[Any], weight: int | float) -> None:
        self.cycle: list[Any] = list(cycle)
        self.weight = weight
        shown = [str(vertex) for vertex in self.cycle]
        if len(shown) > 12:
            shown = [*shown[:6], "...", *shown[-5:]]
        super().__init__(f"negative cycle of weight {weight}: {' -> '.join(shown)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cycle, self.weight), self.__dict__
