"""Checks of Dijkstra's kernels, with as little room and as many launches as there can be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from experiments.tmm.counted import count_array, count_heap
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from tests.algorithms.single_source.answers import exact, nearest
from tests.algorithms.single_source.test_dijkstra import WAYS, be_tiny, solve
from tests.deep.oclgrind import Check
from tests.support.families import NOT_NEGATIVE, Family

LARGEST = 700  # edges
NAMES = ("one vertex with a loop", "parallel edges and self loops", "relabel killer")
HEAP, ARRAY = ({f"single_source/dijkstra_{name}.cl", "edges/prepare.cl"} for name in ("heap", "array"))


def checks(device: Device) -> Iterator[Check]:
    """Every form, in launches of one vertex a row, with several rows for each work-item and group; and counts."""
    for family in NOT_NEGATIVE:
        if family.name in NAMES:
            assert len(family.weights) <= LARGEST
            for number, way in enumerate(WAYS):
                dtype = (np.int32, np.float64)[number % 2]
                yield HEAP if "heap" in way else ARRAY, partial(check_way, device, way, family, dtype)
            yield HEAP | ARRAY, partial(check_counts, device, family)


def check_way(device: Device, way: str, family: Family, dtype: type) -> None:
    starts = [[family.source], [0, family.n - 1], [family.n // 2]]
    arithmetic = Arithmetic(np.dtype(dtype))
    with pytest.MonkeyPatch.context() as patch:
        be_tiny(patch)
        rows = solve(device, way, family.graph(), arithmetic, starts)
    assert [exact(row, arithmetic) for row in rows] == [nearest(family.name, some) for some in starts]


def check_counts(device: Device, family: Family) -> None:
    for counts in (
        count_heap(family.graph(), device, [family.source, 0]),
        count_array(family.graph(), device, [family.source, 0], 8),
        count_array(family.graph(), device, [family.source, 0], 8, local_memory=True),
    ):
        assert counts.operations >= counts.span > 0
        assert counts.extractions >= 2
