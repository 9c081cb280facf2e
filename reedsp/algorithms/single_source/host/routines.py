"""SciPy's searches, whose import takes long."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple


class Routines(NamedTuple):
    """Functions of ``scipy.sparse.csgraph``."""

    dijkstra: Callable[..., Any]
    bellman_ford: Callable[..., Any]
    johnson: Callable[..., Any]


@functools.cache
def routines() -> Routines:
    """Return them as they are at the first call."""
    from scipy.sparse.csgraph import bellman_ford, dijkstra, johnson

    return Routines(dijkstra, bellman_ford, johnson)
