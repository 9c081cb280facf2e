"""Which vertices a search in a hierarchy sweeps down over: all, or those only from which some targets are reached."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.core import ranges
from reedsp.algorithms.contraction.hierarchy import Hierarchy


@dataclass(frozen=True)
class Sweep:
    """The vertices that a sweep passes over, and those that it is for.

    Attributes
    ----------
    members : ndarray of int32, shape (k,)
        Ranks of the vertices, in ascending order.
    rounds : ndarray of int64, shape (r + 1,)
        The first member of each round, then how many there are.
    targets : ndarray of int32
        Ranks of the vertices whose distances are wanted.
    """

    members: npt.NDArray[np.int32]
    rounds: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]


def sweep_to_all(hierarchy: Hierarchy) -> Sweep:
    """Return the sweep over all vertices, whose targets are in the order of the graph."""
    return Sweep(np.arange(len(hierarchy.vertices), dtype=np.int32), hierarchy.rounds, hierarchy.rank)


def sweep_to(hierarchy: Hierarchy, targets: npt.NDArray[Any]) -> Sweep:
    """Return the sweep over those vertices only from which edges lead down to some targets, vertices of the graph."""
    down, ranks = hierarchy.down, hierarchy.rank[targets]
    passes = np.zeros(len(hierarchy.vertices), bool)
    passes[ranks] = True
    for begin, end in itertools.pairwise(hierarchy.rounds.tolist()):
        passes[down.higher[ranges(down.first, begin + np.flatnonzero(passes[begin:end]))]] = True
    members = np.flatnonzero(passes).astype(np.int32)
    return Sweep(members, np.searchsorted(members, hierarchy.rounds), ranks)
