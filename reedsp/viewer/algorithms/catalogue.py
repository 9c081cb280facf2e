"""Which algorithms there are to watch, and for what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from reedsp.viewer.algorithms import all_pairs, pram, primitives, single_source, structure, traversal
from reedsp.viewer.inputs import Problem
from reedsp.viewer.story import Story, listed

_SHORTEST, _BREADTH = Problem("shortest paths", "search"), Problem("breadth-first search", "search")
_PAIRS = Problem("all pairs", "graph")
_COMPONENTS, _FOREST = Problem("components", "graph"), Problem("spanning forest", "graph")
_MATCHING = Problem("matching", "graph")
_SCAN, _SORT = Problem("scan", "array"), Problem("sort", "array")
_PRAM = Problem("PRAM program", "array")


class Entry(NamedTuple):
    """An algorithm: its problem, and what makes a story of an input, a device and options."""

    problem: Problem
    story: Callable[..., Story]


ALGORITHMS = {
    "output-parallel": Entry(_SHORTEST, single_source.OutputParallel),
    "input-parallel": Entry(_SHORTEST, single_source.InputParallel),
    "input-parallel-refined": Entry(_SHORTEST, single_source.Refined),
    "near-far": Entry(_SHORTEST, single_source.NearFar),
    "top-down": Entry(_BREADTH, traversal.TopDown),
    "bottom-up": Entry(_BREADTH, traversal.BottomUp),
    "floyd-warshall": Entry(_PAIRS, all_pairs.ByVertex),
    "floyd-warshall-blocked": Entry(_PAIRS, all_pairs.Blocked),
    "min-plus-squaring": Entry(_PAIRS, all_pairs.Squaring),
    "components": Entry(_COMPONENTS, structure.FastComponents),
    "dulle-components": Entry(_COMPONENTS, structure.DulleComponents),
    "boruvka": Entry(_FOREST, structure.Boruvka),
    "dulle-forest": Entry(_FOREST, structure.DulleForest),
    "matching-phases": Entry(_MATCHING, structure.Phases),
    "dulle-matching": Entry(_MATCHING, structure.Balls),
    "naive-scan": Entry(_SCAN, primitives.NaiveScan),
    "recursive-scan": Entry(_SCAN, primitives.Recursion),
    "blelloch-tree": Entry(_SCAN, primitives.BlellochTree),
    "dulle-scan": Entry(_SCAN, primitives.DulleScan),
    "segmented-scan": Entry(_SCAN, primitives.SegmentedScan),
    "reduction-in-pairs": Entry(_SCAN, primitives.PairReduction),
    "dulle-reduction": Entry(_SCAN, primitives.DulleReduction),
    "compaction": Entry(_SCAN, primitives.Compaction),
    "radix-sort": Entry(_SORT, primitives.RadixSort),
    "merge-sort": Entry(_SORT, primitives.MergeSort),
    "merge-path-sort": Entry(_SORT, primitives.PathSort),
    "pram": Entry(_PRAM, pram.ProgramStory),
    "pram-reduction": Entry(_PRAM, pram.ReductionProgram),
    "pram-efficient-scan": Entry(_PRAM, pram.EfficientScanProgram),
}
"""The algorithms that can be watched."""


def entry_of(algorithm: Any) -> Entry:
    """Return an algorithm by its name.

    Raises
    ------
    ValueError
        There is none of this name.
    """
    found = ALGORITHMS.get(algorithm) if isinstance(algorithm, str) else None
    if found is None:
        raise ValueError(f"algorithm: one of {listed(tuple(ALGORITHMS))} is expected, got {algorithm!r}")
    return found
