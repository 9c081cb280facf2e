"""Koenig's proof that a matching is a maximum one: a cover of all edges with as many vertices as there are pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching import depth_first, phases
from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.algorithms.structure.matching.check_on_host import broken_on_host, reached_on_host
from reedsp.algorithms.structure.matching.sides import Mates, Rows
from reedsp.algorithms.structure.matching.solve import method_for
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Job
from reedsp.edges.verify import VerificationError, check_array

_FILE = "matching/check.cl"
_CPU_PIECE, _GPU_GROUP = 1 << 14, 64
_NONE = 0xFFFFFFFF
_RULES = {
    "NO_MATE": "what it is matched with does not exist",
    "NOT_MUTUAL": "what it is matched with is matched with another one, or with nothing",
    "NO_EDGE": "it is matched, but there is no such edge",
    "NOT_COVERED": "an edge of it is not covered",
}

Covers = tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
"""Whether each row, and each column, is in the cover."""


def cover_of(graph: Biadjacency, mates: Mates, device: Device | None) -> Covers:
    """Return a minimum cover, as the user calls rows and columns, found from a maximum matching.

    Of the rows those that no alternating path leads to from a row that is not matched, of the columns the others.

    Raises
    ------
    VerificationError
        The matching is not a maximum one.
    """
    if graph.m == 0:
        return np.zeros(graph.sizes[0], np.bool_), np.zeros(graph.sizes[1], np.bool_)
    own = of_rows, of_columns = _own(graph, mates)
    pairs = np.count_nonzero(of_rows >= 0)
    if device is None:
        reached = reached_on_host(graph, own)
        if (of_columns[reached] < 0).any():
            raise VerificationError(f"there is a matching with more pairs, and this one has {pairs}")
    else:
        reached, augmented = _reached(graph, own, device)
        if augmented:
            raise VerificationError(f"there is a matching with {pairs + augmented} pairs, and this one has {pairs}")
    not_reached = of_rows >= 0
    not_reached[not_reached] = ~reached[of_rows[not_reached]]
    return (reached, not_reached) if graph.flipped else (not_reached, reached)


def _reached(graph: Biadjacency, mates: Mates, device: Device) -> tuple[npt.NDArray[np.bool_], int]:
    """Return which columns alternating paths lead to, and how many pairs these have added."""
    job = Job(device)
    rows = Rows(job, graph)
    on_device = job.upload(np.concatenate(mates))
    if method_for(device, graph)[0] == "depth-first":
        last, augmented, found = depth_first.augment(rows, on_device)
        reached = job.download(found, graph.columns, np.uint32) == last
    else:
        _, augmented, found = phases.augment(rows, on_device)
        reached = job.download(found, graph.columns, np.uint8) > 0
    rows.close()
    return reached, augmented


def check_pairs(
    graph: Biadjacency, mates: Mates, device: Device | None, names: tuple[Sequence[Any], Sequence[Any]]
) -> None:
    """Check that pairs are edges, and have no vertex in common.

    Raises
    ------
    VerificationError
        They are not; the message names a row or a column, or an array that is of another shape or type.
    """
    for name, array, size in zip(("column_of_row", "row_of_column"), mates, graph.sizes, strict=True):
        check_array(name, array, (size,), np.int32)
    nothing = np.zeros(graph.n, np.bool_), np.zeros(graph.columns, np.bool_)
    _check(graph, _own(graph, mates), nothing, device, names, ("NO_MATE", "NOT_MUTUAL", "NO_EDGE"))


def verify_matching(
    graph: Biadjacency, mates: Mates, device: Device | None, names: tuple[Sequence[Any], Sequence[Any]]
) -> None:
    """Check that pairs are edges, have no vertex in common, and are as many as the vertices of a cover.

    Raises
    ------
    VerificationError
        They are not; the message names a row or a column.
    """
    check_pairs(graph, mates, device, names)
    of_rows, of_columns = _own(graph, mates)
    covers = _own(graph, cover_of(graph, mates, device))
    size, pairs = sum(map(np.count_nonzero, covers)), np.count_nonzero(of_rows >= 0)
    if size != pairs:
        raise VerificationError(f"{size} vertices cover all edges, but there are {pairs} pairs")
    _check(graph, (of_rows, of_columns), covers, device, names, tuple(_RULES))


def _own(graph: Biadjacency, pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return what belongs to the rows here, and to the columns."""
    return pair[::-1] if graph.flipped else pair


def _check(
    graph: Biadjacency,
    mates: Mates,
    covers: Covers,
    device: Device | None,
    names: tuple[Sequence[Any], Sequence[Any]],
    rules: tuple[str, ...],
) -> None:
    n = graph.n
    if n + graph.columns == 0:
        return
    broken = broken_on_host(graph, mates, covers) if device is None else _broken(graph, mates, covers, device)
    for rule in rules:
        if rule in broken:
            vertex = broken[rule]
            is_row = vertex < n
            name = names[is_row == graph.flipped][vertex if is_row else vertex - n]
            raise VerificationError(f"{'row' if is_row != graph.flipped else 'column'} {name!r}: {_RULES[rule]}")


def _broken(graph: Biadjacency, mates: Mates, covers: Covers, device: Device) -> dict[str, int]:
    """Return the first vertex that breaks each rule, columns counted on from n."""
    n, columns, job = graph.n, graph.columns, Job(device)
    rows = Rows(job, graph)
    piece, group = (_CPU_PIECE, 1) if device.kind == "cpu" else (1, min(_GPU_GROUP, device.max_work_group_size))
    kernel = device.kernel(_FILE, "check", PIECE=piece, **rows.macros)
    offenders, layout = job.full(len(_RULES), np.uint32(_NONE)), constants(_FILE)
    items = -(-(n + columns) // piece)
    arrays = job.upload(np.concatenate(mates)), job.upload(np.concatenate(covers).astype(np.uint8))
    job.launch(
        *(kernel, items, group, rows.indptr, rows.indices, *arrays, offenders, np.uint32(n), np.uint32(columns)),
        slices=even(0, items, group, graph.m + n + columns, device.steps_at_once),
    )
    found = job.download(offenders, len(_RULES), np.uint32).tolist()
    rows.close()
    return {rule: found[layout[rule]] for rule in _RULES if found[layout[rule]] != _NONE}
