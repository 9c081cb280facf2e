"""Whether a device finds components rightly: it is tried on a small graph whose components are known."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components import ranges
from reedsp.algorithms.structure.components.colours import label_by_colours
from reedsp.algorithms.structure.components.depth_first import label_as_done, label_in_depth
from reedsp.algorithms.structure.components.dulle import label_by_matrix
from reedsp.algorithms.structure.components.groups import Edges, label_by_groups
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.graph import Graph

Form = Literal["ranges", "groups", "matrix", "depth-first", "as done", "as done, descending", "colours"]
"""Kernels that find components, or numbers of them in the order in which a search is done."""

_SIZES = (1, 1, 2, 30, 1, 3, 90, 1, 2, 70, 1, 100)  # of strongly connected components
_APART = 4  # of them are connected to no other


def is_right(
    device: Device, form: Form, pointer: np.dtype[Any], index: np.dtype[Any], *, symmetric: bool = False
) -> bool:
    """Return whether a device finds components rightly.

    Parameters
    ----------
    device : Device
    form : Form
    pointer, index : dtype
        Of the arrays of the graph.
    symmetric : bool
        Each edge is there in both directions.
    """
    trial = (finds_known_components, form, str(pointer), str(index), symmetric)
    return is_trusted(device, f"connected components by {form}", *trial)


def finds_known_components(device: Device, form: Form, pointer: str, index: str, symmetric: bool) -> bool:
    """Return whether components are found as they are, in every way of a form."""
    is_strong = form not in ("ranges", "groups", "matrix")
    indptr, indices, components, below = _known_graph(symmetric and not is_strong)
    job, n = Job(device), len(components)
    rows = MatrixRows(job, indptr.astype(pointer), indices.astype(index))
    expected = _in_order(components, below) if is_strong else _in_order(_united(components), np.zeros(n, int))
    labels = np.empty((2, n), np.int32)
    counts: list[int | None] = []
    if form == "ranges":
        counts = [ranges.label_by_ranges(rows, symmetric, labels[i], parts) for i, parts in enumerate((1, 3))]
    elif form == "groups":
        edges = Edges.of_rows(rows)
        counts = [label_by_groups(job, edges, symmetric, labels[i], sampled) for i, sampled in enumerate((False, True))]
    elif form == "matrix":
        counts = [label_by_matrix(job, Graph(indptr, indices), labels[0])[0]]
    elif form == "depth-first":
        counts = [label_in_depth(rows, labels[0])]
    elif form == "colours":
        counts = [label_by_colours(job, Edges.of_rows(rows), labels[0])]
    else:
        counts = [label_as_done(rows, labels[0], descending="descending" in form)]
    rows.close()
    if any(count != expected.max() + 1 for count in counts):
        return False
    if form.startswith("as done"):
        pairs = set(zip(expected.tolist(), labels[0].tolist(), strict=True))
        return _is_topological(indptr, indices, labels[0]) and len(pairs) == counts[0]
    return bool((labels[: len(counts)] == expected).all())


_Vertices = npt.NDArray[np.int64]


def _known_graph(symmetric: bool) -> tuple[_Vertices, _Vertices, _Vertices, _Vertices]:
    """Return the rows of a graph, the strongly connected component of each vertex, and its level."""
    rng = np.random.default_rng(2016)
    n, parts = sum(_SIZES), len(_SIZES)
    components = rng.permutation(np.repeat(np.arange(parts), _SIZES))
    members = [np.flatnonzero(components == part) for part in range(parts)]
    levels = np.zeros(parts, int)
    edges = [(0, 0)]
    for part, vertices in enumerate(members):
        circle = rng.permutation(vertices)
        edges += zip(circle.tolist(), np.roll(circle, 1).tolist(), strict=True) if len(circle) > 1 else ()
        for lower in rng.choice(part, min(part, 3), replace=False) if part < parts - _APART else ():
            edges.append((int(rng.choice(vertices)), int(rng.choice(members[lower]))))
            levels[part] = max(levels[part], levels[lower] + 1)
    if symmetric:
        edges += [(target, source) for source, target in edges]
    ends = np.array(sorted(set(edges))).T
    indptr = np.concatenate(([0], np.cumsum(np.bincount(ends[0], minlength=n))))
    return indptr, ends[1], components, levels[components]


def _united(components: _Vertices) -> _Vertices:
    """Return the components that are left if edges lead both ways: the last few, and all others, which are one."""
    return np.maximum(components, len(_SIZES) - _APART - 1)


def _in_order(components: _Vertices, levels: _Vertices) -> _Vertices:
    """Return the numbers of components by their levels, and then by their smallest vertices."""
    parts, smallest = np.unique(components, return_index=True)
    numbers = np.empty(components.max() + 1, int)
    numbers[parts[np.lexsort((smallest, levels[smallest]))]] = np.arange(len(parts))
    return numbers[components]


def _is_topological(indptr: _Vertices, indices: _Vertices, labels: npt.NDArray[np.int32]) -> bool:
    """Return whether no edge leads to a higher number."""
    return bool((labels[indices] <= np.repeat(labels, np.diff(indptr))).all())
