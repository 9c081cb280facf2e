"""The ladder of load balancing: how a work-group shares out the edges of its vertices (cl/edges/balance.cl)."""

from __future__ import annotations

from dataclasses import dataclass

from reedsp.device.build import constants
from reedsp.device.job import Job, Memory
from reedsp.edges.device_graph import OutEdges, UnitEdges

RUNGS = ("block-search", "items", "low-degree")
"""By the names of ``options={"balance": ...}``."""

_WIDTHS = (4, 8)  # edges of a vertex that a work-item loads at once

FEW_EDGES = _WIDTHS[-1]
"""The most edges of a vertex for "low-degree"."""


@dataclass(frozen=True)
class Balance:
    """A rung of the ladder.

    Attributes
    ----------
    name : str
        One of :data:`RUNGS`.
    units_at_once : int
        Edges that a work-item relaxes at once; of "low-degree" the most that a vertex may have.
    """

    name: str = "block-search"
    units_at_once: int = 1

    @property
    def macros(self) -> dict[str, str | int]:
        """Those of ``cl/edges/balance.cl``."""
        rung = constants("edges/balance.cl")[self.name.upper().replace("-", "_")]
        return {"BALANCE": rung, "UNITS_AT_ONCE": self.units_at_once}

    def edges_of(self, edges: OutEdges | UnitEdges, job: Job) -> Memory:
        """Return the edges on the device, as this rung reads them."""
        return edges.padded(job, self.units_at_once) if self.name == "low-degree" else edges.edges


def balance_for(edges: OutEdges | UnitEdges, most_bytes: int, name: str | None = None) -> Balance:
    """Return the rung of this name, or else the one that suits the edges.

    Parameters
    ----------
    edges : OutEdges or UnitEdges
    most_bytes : int
        What edges may take beside those that are there already.
    name : str, optional
        One of :data:`RUNGS`.

    Raises
    ------
    ValueError
        A vertex has too many edges for "low-degree".
    """
    widths = [width for width in _WIDTHS if width >= edges.max_degree]
    fits = bool(widths) and edges.n * widths[0] * edges.edge_bytes <= most_bytes
    if name == "low-degree" and not fits:
        raise ValueError(
            f"options: balance = 'low-degree', but a vertex has {edges.max_degree} edges, and may have {FEW_EDGES}"
            if not widths
            else f"options: balance = 'low-degree' takes more than {most_bytes:,} bytes of this graph"
        )
    if name == "low-degree" or (name is None and fits):
        return Balance("low-degree", widths[0])
    if name == "items":
        return Balance("items", widths[0] if widths else FEW_EDGES)
    return Balance()
