"""Where small inputs are solved: an environment variable, and both sides of what takes a device as long."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from reedsp.cost_model import place


@pytest.mark.parametrize(
    ("value", "serves", "said"),
    [
        ("", True, ""),
        ("never", False, ""),
        ("Never", True, "RuntimeWarning: REEDSP_HOST = 'Never' is ignored, expected 'never'"),
    ],
)
def test_the_variable_that_keeps_small_inputs_on_the_device(value: str, serves: bool, said: str) -> None:
    command = [sys.executable, "-c", "from reedsp.cost_model import place; print(place.serves())"]
    done = subprocess.run(command, env={**os.environ, "REEDSP_HOST": value}, capture_output=True, text=True)
    assert done.stdout == f"{serves}\n"
    assert said in done.stderr if said else not done.stderr


# ---- as long on the host as on a device -------------------------------------------------------------

Args = tuple[int | bool | float, ...]


def counted_on_host(n: int, m: int) -> bool:
    return not place.is_counted_on_cpu_device(n, m)


# The microseconds of each are those of the host, on the left, and those that the device takes.
LAST_ON_HOST: list[tuple[Callable[..., bool], Args, Args]] = [
    # 15 + 0.03 n + 0.06 n log2(1 + m / n) for each row, half of it if unweighted, and 0.002 m; 1200, or 2500 with fewer
    # than six edges a vertex, and 0.001 m
    (place.is_for_host, (3000, 123_452, 1), (3000, 123_453, 1)),  # 105 + 971.55 + 246.9 of 1323.45
    (place.is_for_host, (100, 27_997, 10), (100, 27_998, 10)),  # ten times 18 + 48.81 + 55.99 of 1228
    (place.is_for_host, (100, 4521, 20), (100, 4522, 20)),  # twenty times 18 + 33.18 + 9.04 of 1204.52
    (place.is_for_host, (8000, 117_987, 1, True), (8000, 117_988, 1, True)),  # (255 + 1909.02) / 2 + 235.97 of 1317.99
    (place.is_for_host, (20_000, 38_121, 1), (20_000, 38_122, 1)),  # 615 + 1846.87 + 76.24 of 2538.12
    (place.is_for_host, (9000, 53_999, 1), (9000, 54_000, 1)),  # 1909, six edges a vertex, so that 1254 are less
    (place.is_for_host, (0, 0, 79), (0, 0, 80)),  # 15 each
    # 15, and for each source 2 + 0.004 n + 0.3 for each vertex that is near, and 0.01 m if all edges are looked at; a
    # device takes 0.004 (n + m) more, 2512
    (place.is_limited_for_host, (1000, 2000, 277, 10, False), (1000, 2000, 278, 10, False)),  # 9 each
    (place.is_limited_for_host, (1000, 2000, 86, 10, True), (1000, 2000, 87, 10, True)),  # 29 each
    (counted_on_host, (10_000, 10_972), (10_000, 10_973)),  # (315 + 641) / 2 + 22 of 500, half a millisecond
    # 0.01 n + 0.003 m of 1200, or 2500
    (place.is_order_for_host, (10_000, 366_666), (10_000, 366_667)),
    (place.is_order_for_host, (100_000, 499_999), (100_000, 500_000)),
    (place.is_labelled_on_host, (10_000, 81_333), (10_000, 81_334)),  # 40 + 140 + 0.015 m of 1400
    (place.is_labelled_on_host, (1000, 3799, True), (1000, 3800, True)),  # 200 + 0.25 (n + m) of 1400
    (place.is_flow_for_host, (1000, 15_999), (1000, 16_000)),  # 100 + 0.1 (n + m) of 1.5 times 1200
    # few edges in all, or six for each vertex
    (place.is_flow_slow_on_gpus, (20_000, 49_999), (20_000, 50_000)),
    (place.is_flow_slow_on_gpus, (10_000, 60_000), (10_000, 59_999)),
    # a matrix that is half full, 64 weights for each pair, and more
    (place.is_full_matching_for_host, (8192, 1 << 25, 1 << 24), (8192, 1 << 25, (1 << 24) + 1)),
    (place.is_full_matching_for_host, (1000, 24_000, 12_000), (1000, 24_001, 12_000)),
    (place.is_full_matching_for_host, (1000, 10**6, 11_999), (1000, 10**6, 12_000)),
    (place.is_full_matching_for_host, (200, 10**6, 12_801), (200, 10**6, 12_800)),
    (place.is_full_matching_for_host, (200, 10**7, 499_999), (200, 10**7, 500_000)),
    (place.is_full_matching_slow_on_gpus, (7999,), (8000,)),
    (place.is_matrix_for_host, (133,), (134,)),  # 1176 and 1203 of 1200
    (place.is_forest_for_host, (212,), (213,)),  # 636 + 3811, and 639 + 3865, of 4500
    (place.is_sort_for_host, (1 << 14,), ((1 << 14) + 1,)),
    (place.is_spanning_for_host, (10_000, 24_999), (10_000, 25_000)),  # 200 + 0.04 m of 1200
    (place.is_matched_on_host, (4000, 19_999), (4000, 20_000)),  # 0.05 (4000 + m) of 1200
    # 0.004 (100,000 + m) of 2500, where 95 of 100 rows begin with a column of their own
    (place.is_matched_on_host, (100_000, 524_999, 0.95), (100_000, 525_000, 0.95)),
    (place.is_matched_on_host, (4000, 20_000, 0.95), (4000, 20_000, 0.949)),
    # 0.002 of cells, rows and columns, of 2500; all but two columns in each row, which are no more than columns
    (place.is_full_matched_on_host, (1000, 1247, 1245), (1000, 1248, 1246)),
    (place.is_full_matched_on_host, (100, 100, 98), (100, 100, 97)),
    (place.is_full_matched_on_host, (100, 100, 100), (101, 100, 100)),
    # ahead of the 2 or 3 levels of a quarter of a plane are as many, each 6; 0.01 n + 0.003 m
    (place.is_too_deep, (3, 300, 1200, 1999), (3, 300, 1200, 2000)),
    (place.is_too_deep, (2, 299, 1200, 0), (2, 300, 1200, 0)),
]


@pytest.mark.parametrize(("is_for_host", "last", "next_one"), LAST_ON_HOST)
def test_until_a_device_takes_no_longer(
    is_for_host: Callable[..., bool], last: Args, next_one: Args, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_serves", True)
    assert [is_for_host(*last), is_for_host(*next_one)] == [True, False]
    monkeypatch.setattr(place, "_serves", False)
    assert [is_for_host(*last), is_for_host(*next_one)] == [False, False]


def test_searches_of_road_networks_take_devices_longer() -> None:
    assert [place.on_any_device(100, 599), place.on_any_device(100, 600)] == [2500, 1200]


def test_both_ways_to_simple_paths_are_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """By SciPy 0.1 n + 0.015 m each, by another search 8 each, and 110: no variable has a say."""
    for serves in (True, False):
        monkeypatch.setattr(place, "_serves", serves)
        assert place.is_yen_for_scipy(1179, 0, 1)
        assert not place.is_yen_for_scipy(1180, 0, 1)  # 118, and 8 + 110
        assert place.is_yen_for_scipy(100, 599, 10)  # 189.85, and 190
        assert not place.is_yen_for_scipy(100, 601, 10)
        assert place.is_yen_for_scipy(80, 0, 4096)
        assert not place.is_yen_for_scipy(81, 0, 4096)
        assert not place.is_yen_for_scipy(4, 0, 4097)  # memory for as many
