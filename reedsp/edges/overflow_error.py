"""The error for a distance, or a sum of distances, that its type does not hold, which names vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class VertexOverflowError(OverflowError):
    """A number that belongs to a vertex is beyond its type.

    Parameters
    ----------
    text : str
        What is said, with ``{}`` in place of each vertex.
    *vertices
        Their names; where the names are not known, the indices, until the error is :meth:`renamed`.
    """

    def __init__(self, text: str, *vertices: Any) -> None:
        self.text = text
        self.vertices = vertices
        super().__init__(text.format(*map(repr, vertices)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, *self.vertices), self.__dict__

    def renamed(self, names: Sequence[Any]) -> VertexOverflowError:
        """Return the same error for a graph of these names, whose indices the vertices are given by."""
        return type(self)(self.text, *(names[vertex] for vertex in self.vertices))
