"""Scans, reductions and sorts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Operator = Callable[[Any, Any], Any]


def naive(values: list[Any], op: Operator, heads: list[int] | None = None) -> list[list[Any]]:
    """Algorithm 8; with heads of segments each element has a flag whether one begins within what it combines."""
    row, flags = list(values), list(heads or [0] * len(values))
    found, stride = [row], 1
    while stride < len(values):
        row = [op(row[i - stride], each) if i >= stride and not flags[i] else each for i, each in enumerate(row)]
        flags = [each or (i >= stride and flags[i - stride]) for i, each in enumerate(flags)]
        found.append(row)
        stride *= 2
    return found


def prefixes(values: list[Any], op: Operator) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found.append(op(found[-1], value) if found else value)
    return found


def recursion(values: list[Any], op: Operator, identity: Any, segment: int) -> dict[str, list[list[Any]]]:
    parts = [values[first : first + segment] for first in range(0, len(values), segment)]
    local = [prefixes(part, op) for part in parts]
    sums = [part[-1] for part in local]
    before = [identity, *prefixes(sums, op)[:-1]]
    inside = [value for part in local for value in part]
    return {
        "prefixes": [values, inside, prefixes(values, op)],
        "sums": [sums, before] if len(parts) > 1 else [sums],
    }


def blelloch_tree(values: list[Any]) -> list[list[Any]]:
    """Algorithm 9, of a power of two of elements."""
    row, n = list(values), len(values)
    found, strides = [list(row)], [1 << bit for bit in range(n.bit_length() - 1)]
    for stride in strides:
        for right in range(2 * stride - 1, n, 2 * stride):
            row[right] += row[right - stride]
        found.append(list(row))
    row[-1] = 0
    for stride in reversed(strides):
        for right in range(2 * stride - 1, n, 2 * stride):
            row[right - stride], row[right] = row[right], row[right - stride] + row[right]
        found.append(list(row))
    return found


def tree_scan(values: list[Any], op: Operator, tile: int) -> list[list[Any]]:
    """Algorithms 9 and 10: up by strides of powers of `tile`, and down again."""
    a = list(values)
    found, strides, stride = [list(a)], [], 1
    while True:
        strides.append(stride)
        at = list(range(stride - 1, len(a), stride))
        for first in range(0, len(at), tile):
            part = at[first : first + tile]
            for index, value in zip(part, prefixes([a[i] for i in part], op), strict=True):
                a[index] = value
        found.append(list(a))
        if len(at) <= tile:
            break
        stride *= tile
    for stride in reversed(strides[:-1]):
        at = list(range(stride - 1, len(a), stride))
        for first in range(tile, len(at), tile):
            left = a[at[first - 1]]
            for index in at[first : first + tile - 1]:
                a[index] = op(left, a[index])
        found.append(list(a))
    return found


def tree_reduction(values: list[Any], op: Operator, tile: int) -> list[list[Any]]:
    """Algorithms 6 to 8; None where nothing that counts is left."""
    n, stride = len(values), 1
    found, a = [list(values)], list(values)
    while True:
        after: list[Any] = [None] * n
        for first in range(0, n, stride * tile):
            after[first] = prefixes([a[i] for i in range(first, min(first + stride * tile, n), stride)], op)[-1]
        found.append(after)
        a = after
        stride *= tile
        if stride >= n:
            return found


def merged(values: list[Any], length: int, presorts: bool) -> list[list[Any]]:
    found, width = [list(values)], length if presorts else 1
    if presorts:
        found.append(_lists(values, width))
    while width < len(values):
        width *= 2
        found.append(_lists(values, width))
    return found


def _lists(values: list[Any], width: int) -> list[Any]:
    return [value for first in range(0, len(values), width) for value in sorted(values[first : first + width])]
