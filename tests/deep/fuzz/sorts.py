"""Random arrays of every type, sorted in every way, against numpy.

    python -m tests.deep.fuzz.sorts [--cases 100000] [--seed 1] [--gpu]

``--gpu`` has the device take the forms of a GPU.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import reedsp
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.primitives.sort.records import KEY_TYPES

LONGEST = 2000
VALUE_TYPES = tuple(np.dtype(name) for name in ("uint8", "float16", "int32", "float64"))
DESCENDING = "a > b"


def random_keys(rng: np.random.Generator) -> np.ndarray:
    """Return keys of some type: over its range or a part of it, often equal, perhaps partly sorted."""
    dtype, n = KEY_TYPES[rng.integers(len(KEY_TYPES))], int(LONGEST ** rng.random())
    bits = rng.integers(0, 256, (n, dtype.itemsize), np.uint8)
    if dtype.kind == "b":
        bits %= 2
    keys = bits.reshape(-1).view(dtype)
    if dtype.kind in "iu" and rng.random() < 0.5:
        keys = keys >> dtype.type(rng.integers(8 * dtype.itemsize))
        if rng.random() < 0.5:
            keys = keys << dtype.type(rng.integers(8 * dtype.itemsize))
    if rng.random() < 0.5:
        keys = rng.choice(keys, n)
    if dtype.kind == "f":
        special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf], dtype)
        keys = np.where(rng.random(n) < rng.random(), rng.choice(special, n), keys).astype(dtype)
    first, last = sorted(rng.integers(0, n + 1, 2))
    if rng.random() < 0.3:
        keys[first:last] = np.sort(keys[first:last])[:: rng.choice([1, -1])]
    return keys


def random_cases(device: Device, cases: int, seed: int) -> int:
    """Sort so many arrays and return how many there were.

    Raises
    ------
    AssertionError
        One is not sorted as numpy sorts it.
    """
    for number in range(cases):
        rng = np.random.default_rng([seed, number])
        keys = random_keys(rng)
        how: dict[str, Any] = {"device": device}
        indices = np.argsort(keys, kind="stable")
        if rng.random() < 0.2:
            how |= {"method": "merge", "presort": str(rng.choice(["bitonic", "odd-even", "none"]))}
        elif rng.random() < 0.2 and keys.dtype.kind in "iub":
            how["order"] = DESCENDING
            indices = len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
        values = np.arange(len(keys)).astype(VALUE_TYPES[rng.integers(len(VALUE_TYPES))])
        found, beside = reedsp.sort_by_key(keys, values, **how)
        case = (seed, number, keys.dtype, len(keys), how)
        assert found.tobytes() == keys[indices].tobytes(), case
        assert beside.tobytes() == values[indices].tobytes(), case
        assert np.array_equal(reedsp.argsort(keys, **how), indices), case
        assert reedsp.sort(keys, **how).tobytes() == found.tobytes(), case
    return cases


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpu", action="store_true")
    arguments = parser.parse_args()
    chosen = get_device()
    device = Device(chosen.index, chosen.handle)
    if arguments.gpu:
        device.kind = "gpu"
    print(random_cases(device, arguments.cases, arguments.seed), "cases, all as by numpy")


if __name__ == "__main__":
    main()
