"""Checks of the kernels that only experiments with Busato and Bombieri's survey use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from experiments.busato_bombieri import representations
from experiments.busato_bombieri.representations import Forms
from experiments.busato_bombieri.searches import Bucketing, QueueBellmanFord
from reedsp.device.device import Device
from reedsp.primitives.sort import radix
from tests.algorithms.single_source.test_techniques import SEARCHED_FAMILIES, expected_of
from tests.deep.oclgrind import Check
from tests.support.families import Family

SMALL_SORTS = {"_GROUP_SIZE": 16, "_MOST_ITEMS": 3, "_GROUPS_PER_COMPUTE_UNIT": 1}
NAMES = ("zero-weight cycles", "relabel killer")


def checks(device: Device) -> Iterator[Check]:
    """Buckets that several work-items share a vertex of, a queue that many launches go through, and every form."""
    sorts = {"sort/radix_work_item.cl", "sort/radix_work_group.cl", "edges/prepare.cl"}
    yield {"experiments/bucketing.cl"} | sorts, partial(check_bucketing, device)
    for family in SEARCHED_FAMILIES:
        if family.name in NAMES:
            yield {"experiments/queue_bellman_ford.cl", "edges/prepare.cl"}, partial(check_queue, device, family)
    for run in (1, 5):
        yield {"experiments/representations.cl", "edges/prepare.cl"}, partial(check_forms, device, run)


def check_bucketing(device: Device) -> None:
    """Of few rounds, each of which sorts."""
    rng = np.random.default_rng(3)
    ends, weights = rng.integers(0, 16, (2, 90)), rng.integers(0, 50, 90)
    family = Family("", 16, *ends.tolist(), weights.tolist())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SMALL_SORTS.items():
            patch.setattr(radix, name, value)
        dist, rounds = Bucketing(family.graph(), device, 20, 4).solve(family.source)
    assert 2 < rounds < 8
    assert dist.tolist() == expected_of(family)


def check_queue(device: Device, family: Family) -> None:
    assert QueueBellmanFord(family.graph(), device).solve(family.source, 100).tolist() == expected_of(family)


def check_forms(device: Device, run: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(representations, "RUN_ON_CPU", run)
        patch.setattr(representations, "QUERIES", 80)
        forms = Forms(representations.skewed(5), device)
        for key, kernel in forms.kernels().items():
            forms.run(kernel)
            forms.check(*key, None)
