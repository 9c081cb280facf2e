"""Whether it pays to contract a graph before many rows of distances are searched for in it; the numbers are fitted."""

from __future__ import annotations

from reedsp.cost_model.choose_search import NEAR_FAR, seconds_on
from reedsp.cost_model.counts import SIZES
from reedsp.cost_model.families import Known
from reedsp.cost_model.searches import Searches
from reedsp.cost_model.work import Work, seconds

_MOST_EDGES = 5  # of a vertex on average: road networks have fewer, and most graphs without a hierarchy more
_TIMES = 4  # what it takes to contract a graph has to be gained, since it may be in vain
_FEWEST = 10**8  # vertices and edges of all rows: with fewer there is little to gain
_CONTRACTED, _GPU_CONTRACTED = 3e-5, 5.5e-6
"""Seconds for each edge of a graph that is contracted: of a core, of which all share them, or beside a GPU."""
_LOOKED_AT = 11
"""Edges of all cores, for each edge of the graph, where it takes no longer: 8 in New York, and 10 in a grid of a
million crossings with weights at random; but 15 in one of 40,000 with equal weights, which takes ten times as long."""
_SWEPT, _GPU_SWEPT = 8e-10, 1.3e-10
"""Seconds for each vertex and edge in a row of distances, likewise."""
_GPU_ADDED = 6e-12
"""The same where rows do not leave a GPU."""
_CALL, _LAUNCHES, _READS = 2e-4, 4, 3
"""Seconds of the host, launches and looks of a call, however few rows there are."""


def contracting(m: int, known: Known) -> float:
    """Return the seconds in which a graph of m edges is contracted."""
    return m * (_CONTRACTED / known.units if known.is_cpu else _GPU_CONTRACTED)


def budget(m: int) -> int:
    """Return how many edges the cores of a graph of m edges have, one after the other, if it takes no longer."""
    return _LOOKED_AT * m


def swept(asked: Searches, known: Known) -> float:
    """Return the seconds that rows of distances take in a graph that is contracted."""
    each = _SWEPT / known.units if known.is_cpu else _GPU_ADDED if asked.stays else _GPU_SWEPT
    call = seconds(Work(host=_CALL, launches=_LAUNCHES, read_backs=_READS), known.machine)
    return call + asked.rows * (asked.n + asked.m) * each


def bytes_of(asked: Searches, at_once: int) -> int:
    """Return the bytes that a device needs for rows in a graph that is contracted, so many of them at once.

    Of edges there are twice as many as in the graph, and of each the weight, both its ends and its middle.
    """
    size, rows = SIZES[asked.arithmetic], min(asked.rows, at_once)
    return 2 * asked.m * (size + 12) + asked.n * rows * (size if asked.stays else size + 4)


def may_pay(n: int, m: int, rows: int) -> bool:
    """Return whether it may pay to contract a graph for rows of distances, whatever device there is."""
    return rows * (n + m) > _FEWEST and m <= _MOST_EDGES * n


def pays(asked: Searches, known: Known) -> bool:
    """Return whether rows of distances are sooner there, if a graph that is like a road network is contracted first."""
    alike = asked._replace(scattered=0.0)  # which costs both of them time
    gain = seconds_on(alike, known, NEAR_FAR) - swept(asked, known)
    return not asked.negative and gain > _TIMES * contracting(asked.m, known)
