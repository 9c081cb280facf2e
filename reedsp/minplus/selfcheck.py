"""Min-plus products with tilings that have given right products on the device (:mod:`reedsp.device.selfcheck`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.minplus.blocks import Excluded, Products
from reedsp.minplus.matrix import Block
from reedsp.minplus.tilings import Tiling, describe, name_of, tabled, tabled_for_few, tilings_for, works_in_groups

_LARGEST_WEIGHT = 4000


def trusted_products(job: Job, weights: Weights, in_groups: bool | None = None) -> Products:
    """Return products with those of the device's tilings that are right, or with what can take their place.

    Parameters
    ----------
    job : Job
    weights : Weights
    in_groups : bool, optional
        As for :class:`Products`; by default what the device is quicker with, or else the other.

    Raises
    ------
    DeviceError
        No tiling gives right products.
    """
    return Products(job, weights, *right_tilings(job.device, weights, in_groups))


def right_tilings(device: Device, weights: Weights, in_groups: bool | None) -> tuple[bool, list[Tiling]]:
    """Return whether products are to be computed in groups, and the tilings; parameters and errors as above."""
    preferred = works_in_groups(device) if in_groups is None else in_groups
    ways = [(preferred, tilings_for(device, weights, preferred)), (preferred, tabled(device, weights, preferred))]
    if in_groups is None:
        ways.append((False, tabled(device, weights, False)))
    for chosen, tilings in ways:
        right = [each for each in tilings if _is_trusted(device, weights, chosen, each)]
        if right and right[-1] == tilings[-1]:  # it serves for products that the others do not divide
            few = [tabled_for_few(device, weights)] if chosen and works_in_groups(device) else []
            return chosen, right + [each for each in few if _is_trusted(device, weights, chosen, each)]
    raise none_is_trusted(f"{device}: no tiling gives right min-plus products of {name_of(weights)}")


def is_right(device: Device, weights: Weights, in_groups: bool, tiling: Tiling) -> bool:
    """Return whether products with a tiling are those of numpy.

    They have several tiles and a rest, negative weights and pairs without a path, leave out rows and columns, and are
    combined with what is there or not.
    """
    rng = np.random.default_rng(2012)
    return all(_is_right(device, weights, in_groups, tiling, accumulate, rng) for accumulate in (False, True))


def numbers(shape: tuple[int, int], weights: Weights, rng: np.random.Generator) -> npt.NDArray[np.generic]:
    """Return path weights, some of them infinite."""
    low = 0 if weights.non_negative else -_LARGEST_WEIGHT
    result = rng.integers(low, _LARGEST_WEIGHT, shape).astype(weights.dtype)
    if weights.dtype.kind == "f":
        result += rng.random(shape).astype(weights.dtype)
    result[rng.random(shape) < 0.1] = weights.no_path
    return result


def product(a: npt.NDArray[np.generic], b: npt.NDArray[np.generic], weights: Weights) -> npt.NDArray[np.generic]:
    """Return the product, by numpy, in the type of the weights: it holds a sum of no path and no path."""
    minimum = np.array([(row[:, None] + b).min(axis=0) for row in a])
    if weights.dtype.kind == "f":
        return minimum
    return np.where(minimum > weights.limit, weights.no_path, minimum).astype(weights.dtype)


def _is_trusted(device: Device, weights: Weights, in_groups: bool, tiling: Tiling) -> bool:
    name = f"the min-plus product of {name_of(weights)} in {tiling.kernel} {describe(tiling)}"
    return is_trusted(device, name, is_right, weights, in_groups, tiling)


def _is_right(
    device: Device, weights: Weights, in_groups: bool, tiling: Tiling, accumulate: bool, rng: np.random.Generator
) -> bool:
    unit, extra = (128, 0) if in_groups else (64, 3)
    shape = (2 * unit + extra, tiling.macros["DEPTH"] + (64 if in_groups else 5), 2 * unit)
    excluded = Excluded(unit, unit + 2 * extra, unit, unit)
    rows, columns = (np.ones(size, np.bool_) for size in (shape[0] + excluded.rows, shape[2] + excluded.columns))
    rows[excluded.row : excluded.row + excluded.rows] = False
    columns[excluded.column : excluded.column + excluded.columns] = False
    sizes = ((len(rows), shape[1]), (shape[1], len(columns)), (len(rows), len(columns)))
    a, b, c = (numbers(size, weights, rng) for size in sizes)
    c[rng.random(c.shape) < 0.5] = 0 if weights.non_negative else -2 * _LARGEST_WEIGHT  # less than sums
    there = np.ix_(rows, columns)
    minimum = product(a[rows], b[:, columns], weights)
    expected = c.copy()
    expected[there] = np.minimum(minimum, c[there]) if accumulate else minimum
    job = Job(device)
    left, right, result = (Block(job.upload(each), each.shape[1]) for each in (a, b, c))
    Products(job, weights, in_groups, [tiling]).queue(left, right, result, shape, accumulate, excluded)
    return np.array_equal(job.download(result.buffer, c.size, c.dtype).reshape(c.shape), expected)
