"""Words that are read as numbers at once: as Python reads them one by one, or not at all."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from reedsp.io import words
from reedsp.io.readers import DECIMAL
from reedsp.io.words import find_words, numbers

COUNT = 5000


def read(listed: list[str], real: bool = False) -> list[Any] | None:
    found = find_words("\n".join(listed).encode())
    assert found is not None
    values = numbers(found.data, found.starts, found.ends, real)
    return None if values is None else values.tolist()


NUMBERS = [
    *(
        "0.5",
        "1.",
        ".5",
        "+.5",
        "-1.5",
        "-0.0",
        "+0.000",
        "00012.50",
        "1e5",
        "1.E+2",
        "1.5e-05",
        "-2.5e-3",
        "0e5",
        "0.0e-999",
    ),
    *(
        "0.30000000000000004",
        "0.012345678901234567",
        "0.0001234567890123456",
        "123456789012345678",
        "1234567890.12345678",
    ),
    *("9007199254740993.0", "9007199254740992.5", "0.1234567890123456789012345", "1e-22", "1e22", "1e23", "5e-324"),
    *(
        "1.7976931348623157e308",
        "100000000000000000000000.0",
        "9e15",
        "3.745401188473625e-01",
        "2.2250738585072011e-308",
    ),
]


@pytest.mark.parametrize("word", NUMBERS)
@pytest.mark.parametrize("real", [False, True])
def test_fractions(word: str, real: bool) -> None:
    listed = ["0.25", word, "3.5"]
    exact = real or not word.isdigit() or int(word) < 2**53  # else it is for who reads line by line
    assert repr(read(listed, real)) == repr([float(each) for each in listed] if exact else None)


@pytest.mark.parametrize(
    "word",
    [".", "+", "-.", "e5", ".e5", "1e", "1e+", "1e5.5", "1.2.3", "1e5e5", "1_0.5", "0x1p3", "nan", "--1.5", "1.5-"],
)
@pytest.mark.parametrize("real", [False, True])
def test_other_words(word: str, real: bool) -> None:
    assert read(["0.25", word, "3.5"], real) is None


@pytest.mark.parametrize("word", ["1e999", "1e-999", "0.01e-400", "-inf", "1" * 400])
@pytest.mark.parametrize("real", [False, True])
def test_what_float64_does_not_hold(word: str, real: bool) -> None:
    assert read(["0.25", word], real) is None


def test_infinities_are_real() -> None:
    assert read(["0.25", "inf", "+Infinity", "7"], real=True) == [0.25, math.inf, math.inf, 7]
    assert read(["0.25", "inf"]) is None


@pytest.mark.parametrize("seed", range(20))
def test_random_words(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        listed = ["".join(rng.choices("00123456789..eE+-", k=rng.randrange(1, 9))) for _ in range(rng.randrange(1, 3))]
        values = read(["0.25", *listed])
        if values is None:
            assert not all(map(is_simple, listed)), listed
        else:
            assert all(DECIMAL.fullmatch(word.encode()) for word in listed), listed
            assert repr(values[1:]) == repr(list(map(float, listed))), listed


def is_simple(word: str) -> bool:
    """Whether a word is a number that float64 holds, with no great exponent."""
    return DECIMAL.fullmatch(word.encode()) is not None and abs(int(word.lower().partition("e")[2] or "0")) < 200


SAMPLES = {
    "shortest": [repr(value) for value in np.random.default_rng(1).random(COUNT).tolist()],
    "negative": [repr(-value) for value in np.random.default_rng(2).random(COUNT).tolist()],
    "small": [f"{value:.20f}" for value in np.random.default_rng(3).uniform(1e-4, 1e-3, COUNT).tolist()],
    "exponents": [f"{value:.15e}" for value in np.random.default_rng(4).uniform(0.1, 1000, COUNT).tolist()],
    "four digits": [f"{value:.4f}" for value in np.random.default_rng(5).uniform(0, 1000, COUNT).tolist()],
    "no point": [f"{value:g}" for value in np.random.default_rng(6).integers(0, 100, COUNT) / 4],
}


@pytest.mark.parametrize("name", SAMPLES)
def test_few_usual_words_are_read_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes Python several times as long."""
    left: list[bytes] = []
    one_by_one = words._one_by_one
    monkeypatch.setattr(words, "_one_by_one", lambda some, real: left.extend(some) or one_by_one(some, real))
    assert read(SAMPLES[name]) == list(map(float, SAMPLES[name]))
    assert len(left) < COUNT / 100, left[:5]


@pytest.mark.parametrize("exponent", [-9, 20])
def test_where_few_are_read_at_once_the_others_are_not_tried(exponent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take half as long again."""
    tried: list[int] = []
    decimals = words._decimals
    monkeypatch.setattr(words, "_TRIED", 100)
    monkeypatch.setattr(words, "_decimals", lambda *given: tried.append(len(given[1])) or decimals(*given))
    text = [f"{value:.15e}" for value in (np.random.default_rng(7).uniform(1, 10, COUNT) * 10.0**exponent).tolist()]
    assert read(text) == list(map(float, text))
    assert tried == [100]
    assert read(SAMPLES["shortest"]) == list(map(float, SAMPLES["shortest"]))
    assert sum(tried) == 100 + COUNT
