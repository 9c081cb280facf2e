"""Decimals and float64: what is certain is what Python's own conversions give, one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from reedsp.io.decimals import MOST_PLACES, nearest_floats, shortest_decimals

COUNT = 20_000


def python_floats(mantissas: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> list[float]:
    return [float(f"{a}e-{b}") for a, b in zip(mantissas.tolist(), places.tolist(), strict=True)]


@pytest.mark.parametrize("digits", range(1, 19))
def test_nearest_floats(digits: int) -> None:
    rng = np.random.default_rng(digits)
    mantissas, places = rng.integers(0, 10**digits, COUNT), rng.integers(0, MOST_PLACES + 1, COUNT)
    values, certain = nearest_floats(mantissas, places)
    assert np.array_equal(values[certain], np.array(python_floats(mantissas, places))[certain])
    assert certain.mean() > 0.98


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_numbers_halfway_between_two_floats(off: int) -> None:
    rng = np.random.default_rng(1)
    odd = rng.integers(2**53, 2**54, COUNT) | 1  # has a bit more than float64
    mantissas, places = odd * 25 + off, np.full(COUNT, 2)
    values, certain = nearest_floats(mantissas, places)
    assert np.all(certain == (off != 0))
    assert np.array_equal(values[certain], np.array(python_floats(mantissas, places))[certain])


def test_the_ends_of_the_range() -> None:
    mantissas, places = np.array([0, 0, 1, 1, 10**18, 10**18]), np.array([0, MOST_PLACES] * 3)
    values, certain = nearest_floats(mantissas, places)
    assert certain.all()
    assert values.tolist() == [0, 0, 1, 1e-22, 1e18, 1e-4]


POWERS = np.array([2.0**power for power in range(-14, 54)] + [float(f"1e{power}") for power in range(-5, 18)])
FLOATS = {
    "fractions": np.random.default_rng(1).random(COUNT),
    "of all sizes": 10 ** np.random.default_rng(2).uniform(-6, 18, COUNT),
    "of any bits": np.random.default_rng(3).integers(0, 0x7FF0_0000_0000_0000, COUNT).view(np.float64),
    "few digits": np.round(np.random.default_rng(4).random(COUNT) * 1000, 3),
    "dyadic": np.random.default_rng(5).integers(0, 2**53, COUNT) / 2.0 ** (np.arange(COUNT) % 60),
    "integers": np.random.default_rng(6).integers(0, 2**54, COUNT).astype(np.float64),
    "powers": np.concatenate([POWERS, np.nextafter(POWERS, 0), np.nextafter(POWERS, np.inf)]),
    "special": np.array([0, 5e-324, np.finfo(np.float64).max, np.inf, np.nan]),
    "none": np.array([]),
}


@pytest.mark.parametrize("name", FLOATS)
def test_shortest_decimals(name: str) -> None:
    values = FLOATS[name]
    mantissas, places, certain = shortest_decimals(values)
    assert places.min(initial=1) >= 1
    found = zip(*(each[certain].tolist() for each in (values, mantissas, places)), strict=True)
    assert [written(mantissa, place) for _, mantissa, place in found] == list(map(repr, values[certain].tolist()))


@pytest.mark.parametrize("name", ["fractions", "few digits"])
def test_almost_all_are_certain(name: str) -> None:
    assert shortest_decimals(FLOATS[name])[2].mean() > 0.99


def written(mantissa: int, places: int) -> str:
    digits = f"{mantissa:0{places + 1}d}"
    return f"{digits[:-places]}.{digits[-places:].rstrip('0') or '0'}"
