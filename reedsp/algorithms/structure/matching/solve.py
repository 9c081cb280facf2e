"""Which method finds a maximum matching where, and whether a device does it right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reedsp.algorithms.structure.chosen import chosen as chosen_method
from reedsp.algorithms.structure.matching import balls, depth_first, phases
from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.algorithms.structure.matching.sides import Mates, Rows, Sides
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.system.progress_bar import Report

_SOLVE: dict[str, Callable[[Any, Report | None], tuple[Mates, dict[str, Any]]]] = {
    "depth-first": depth_first.solve,
    "phases": phases.solve,
    "dulle": balls.solve_in_rounds,
    "khosla": balls.solve_by_search,
}

METHODS = ("auto", *_SOLVE)
"""What `method` can be."""


def solve(
    graph: Biadjacency, job: Job, method: str = "auto", progress: Report | None = None
) -> tuple[Mates, dict[str, Any]]:
    """Return the column of each row and the row of each column, as the user calls them, and what is to be reported.

    Parameters
    ----------
    graph : Biadjacency
    job : Job
    method : str
        One of METHODS.
    progress : callable(done, most), optional

    Raises
    ------
    ValueError
        The arrays of the graph are corrupt.
    DeviceError
        The device does it wrong, or fails.
    """
    used, why = method_for(job.device, graph, method)
    if graph.m == 0:
        mates = np.full(graph.n, -1, np.int32), np.full(graph.columns, -1, np.int32)
        found: dict[str, Any] = {"rounds": 0}
    else:
        mates, found = _solved(graph, job, used, progress)
    of_rows, of_columns = mates
    return (of_columns, of_rows) if graph.flipped else mates, {"method": used, "why": why, **found}


def _solved(graph: Biadjacency, job: Job, method: str, progress: Report | None = None) -> tuple[Mates, dict[str, Any]]:
    rows = Rows(job, graph) if method == "depth-first" else Sides(job, graph)
    try:
        return _SOLVE[method](rows, progress)
    finally:
        rows.close()


def method_for(device: Device, graph: Biadjacency, method: str = "auto") -> tuple[str, str]:
    """Return the method that was asked for, or else one that suits the device, and why it is this one.

    Raises
    ------
    DeviceError
        The device does it wrong, or fails.
    """
    suited = ("depth-first", "phases") if device.kind == "cpu" else ("phases", "depth-first")
    types = tuple(C_TYPES[each.dtype] for each in (graph.indptr, graph.indices))

    def is_right(method: str) -> bool:
        return is_trusted(device, f"maximum matching, {method},", finds_known_matchings, method, *types)

    return chosen_method(device, "maximum matching", None if method == "auto" else method, suited, is_right)


# ---- trial ------------------------------------------------------------------------------------------


def finds_known_matchings(device: Device, method: str, pointer: str, index: str) -> bool:
    """Return whether a device finds maximum matchings of small graphs: a sparse one, a path, one with hubs."""
    dtypes = [np.dtype({"int": np.int32, "long": np.int64}[each]) for each in (pointer, index)]
    rng = np.random.default_rng(2013)
    sparse = [rng.choice(90, size, replace=False) for size in rng.choice([0, 1, 2, 3], 100)]
    path = [np.array([row, row + 1]) for row in range(90)]
    hubs = [rng.choice(40, size, replace=False) for size in rng.choice([1, 30], 60)]
    for columns, rows in ((90, sparse), (91, path), (40, hubs)):
        indptr, indices = np.cumsum([0, *map(len, rows)]).astype(dtypes[0]), np.concatenate(rows).astype(dtypes[1])
        (of_rows, of_columns), _ = _solved(Biadjacency(indptr, indices, columns), Job(device), method)
        matched = np.flatnonzero(of_rows >= 0)
        if len(matched) != np.count_nonzero(of_columns >= 0) or len(matched) != _cardinality(rows, columns):
            return False
        if not all(of_rows[row] in rows[row] and of_columns[of_rows[row]] == row for row in matched.tolist()):
            return False
    return True


def _cardinality(rows: list[Any], columns: int) -> int:
    """Return how many pairs a maximum matching has, by augmenting paths in breadth."""
    row_of: list[int] = [-1] * columns
    found = 0
    for start in range(len(rows)):
        parents: dict[int, int] = {}  # the row that leads to each column
        queue, column_of = [start], {start: -1}
        for row in queue:
            for column in rows[row].tolist():
                if column in parents:
                    continue
                parents[column] = row
                if row_of[column] >= 0:
                    queue.append(row_of[column])
                    column_of[row_of[column]] = column
                    continue
                while column >= 0:
                    row_of[column] = parents[column]
                    column = column_of[parents[column]]
                found += 1
                queue.clear()
                break
            else:
                continue
            break
    return found
