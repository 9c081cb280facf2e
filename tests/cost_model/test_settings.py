"""The settings of searches, as they were measured: each rule, and both sides of each of its thresholds."""

from __future__ import annotations

import pytest

from reedsp.cost_model import counts, settings
from reedsp.cost_model.counts import Pairs
from reedsp.cost_model.settings import shared
from tests.support.machines import H200

FEW, MANY = 4, 16


@pytest.mark.parametrize(
    ("n", "m", "max_degree", "rows", "is_deep", "expected"),
    [
        (10_000, 160_000, 1001, 1, True, (256, 4, 2, 16.0, MANY)),  # hubs
        (10_000, 160_000, 1001, 2, True, (512, 4, 2, 16.0, FEW)),
        (500_000, 5_000_000, 1001, 1, True, (256, 4, 2, 16.0, MANY)),
        (500_000, 5_000_001, 1001, 1, True, (512, 4, 2, 16.0, FEW)),
        (500_000, 12_000_000, 1001, 1, True, (512, 4, 2, 16.0, FEW)),
        (500_000, 12_000_001, 1001, 1, True, (1024, 2, 2, 16.0, FEW)),
        (500_000, 12_000_001, 1001, 2, True, (512, 4, 2, 16.0, FEW)),
        (10_000, 160_000, 1000, 1, True, (256, 4, 4, 1.5, FEW)),
        (10_000, 1_280_000, 1024, 2, True, (256, 4, 4, 2.0 / 128**0.5, MANY)),  # all have many
        (10_000, 160_000, 30, 2, True, (256, 4, 4, 0.5, MANY)),
        (400_000, 6_400_000, 30, 1, True, (256, 4, 4, 0.5, MANY)),
        (375_000, 6_000_000, 30, 1, True, (256, 4, 4, 1.5, FEW)),
        (10_000, 120_000, 30, 2, True, (256, 4, 4, 1.5, MANY)),
        (10_000, 60_001, 30, 1, True, (256, 4, 4, 1.5, MANY)),
        (10_000, 60_000, 30, 1, True, (256, 2, 64, 128.0, FEW)),
        (10_000, 60_000, 30, 1, False, (256, 4, 4, 4.0, FEW)),
        (10_000, 29_999, 30, 1, True, (256, 2, 32, 256.0, FEW)),
        (10_000, 30_000, 30, 1, True, (256, 2, 64, 128.0, FEW)),
        (10_000, 30_000, 30, 2, True, (256, 4, 32, 128.0, FEW)),
        (10_000, 30_000, 30, 7, True, (256, 4, 32, 128.0, FEW)),
        (10_000, 30_000, 30, 8, True, (256, 4, 16, 64.0, FEW)),
        (2_500_000, 7_500_000, 30, 8, True, (256, 4, 16, 64.0, FEW)),
        (2_500_001, 7_500_003, 30, 8, True, (256, 4, 16, 16.0, FEW)),
        (4_000_000, 12_000_000, 8, 1, True, (256, 2, 64, 128.0, FEW)),
        (4_000_001, 12_000_003, 8, 1, True, (128, 8, 32, 128.0, FEW)),
        (0, 0, 0, 1, True, (256, 2, 32, 256.0, FEW)),
    ],
)
def test_work_groups_that_share_a_search(
    n: int, m: int, max_degree: int, rows: int, is_deep: bool, expected: tuple[float, ...]
) -> None:
    assert shared(n, m, max_degree, rows, is_deep)[:-1] == pytest.approx(expected)


def test_room_of_queues() -> None:
    """As many entries as slots, but of very many rows of a deep graph: there frontiers are of the order of root n."""
    deep = [shared(n, 3 * n, 4, 30_000_000 // n, True).room for n in (100, 2500, 10_000, 90_000, 1_000_000)]
    assert deep == [1.0, 16 / 50, 16 / 100, 1 / 8, 1 / 8]
    assert [shared(90_000, 270_000, 4, rows, True).room for rows in (1, 8, 222, 223)] == [1.0, 1.0, 1.0, 1 / 8]
    assert shared(90_000, 270_000, 4, 1000, False).room == 1.0
    assert shared(90_000, 2_700_000, 40, 1000, True).room == 1.0


def test_work_items() -> None:
    found = [settings.delta_of_items(1000, m) for m in (0, 2000, 2001, 4000, 15_999, 16_000, 10**6)]
    assert found == pytest.approx([2.0, 2.0, 4000 / 2001, 1.0, 4000 / 15_999, 0.25, 0.25])


def test_local_memory() -> None:
    found = [settings.delta_in_local_memory(degree) for degree in (1.0, 6.0, 6.1, 12.0, 12.1)]
    assert found == [8.0, 8.0, 1.0, 1.0, 0.25]
    sizes = ((8192, 32.0), (8193, 1.0), (1, 32.1))
    assert [settings.needs_large_groups(*each) for each in sizes] == [False, True, True]


# ---- searches from all vertices ---------------------------------------------------------------------


def rows_of_part(n: int) -> int:
    """Return from how many vertices a GPU is expected to search in one part, by the bytes that grow with them."""
    pairs = Pairs(n, 0, n, 0, True, False, "int32", "int32", 8, False)
    return (counts.bytes_of_searches(pairs, H200) - 8 * n) // (n * (20 + 5 * 4))


def test_progress_is_reported_of_eighths() -> None:
    """What a part finds is 2^25 distances at least, if there are so many."""
    assert [rows_of_part(n) for n in (1, 100, 5792, 5793)] == [1, 100, 5792, (1 << 25) // 5793]
    assert [rows_of_part(n) for n in (1 << 14, 1 << 15, 40_000)] == [1 << 11, 1 << 12, 5000]
    assert rows_of_part(40_001) == 5001  # eight parts, and no ninth
