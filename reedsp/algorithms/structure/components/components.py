"""Connected components: the methods, and which one serves where."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.chosen import chosen as chosen_method
from reedsp.algorithms.structure.components.colours import label_by_colours
from reedsp.algorithms.structure.components.depth_first import label_in_depth
from reedsp.algorithms.structure.components.dulle import label_by_matrix
from reedsp.algorithms.structure.components.groups import Edges, label_by_groups
from reedsp.algorithms.structure.components.on_host import strong_labels_by_level, weak_labels
from reedsp.algorithms.structure.components.ranges import label_by_ranges
from reedsp.algorithms.structure.components.result import Components
from reedsp.algorithms.structure.components.selfcheck import Form, is_right
from reedsp.cost_model.place import HOST, is_labelled_on_host
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.system.options import check_choice
from reedsp.system.phases import Phases
from reedsp.typing import ComponentsMethod, Connection, GraphLike

METHODS = {"weak": ("auto", "fast", "dulle"), "strong": ("auto", "depth-first", "colours")}
"""What `method` can be, by the connection."""

_Labels = npt.NDArray[np.int32]


def connected_components(
    graph: GraphLike,
    connection: Connection = "weak",
    method: ComponentsMethod = "auto",
    *,
    device: Device | int | str | None = None,
) -> Components:
    """Find which vertices of a graph are connected.

    The answer is the same with every method, on every device and in every run. Weights are ignored.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`.
    connection : {"weak", "strong"}
        "weak": an edge connects its ends, whichever way it leads. "strong": two vertices are connected if a path leads
        from each to the other one. In an undirected graph both are the same.
    method : {"auto", "fast", "dulle", "depth-first", "colours"}
        Of "weak": "fast", which links two edges of each vertex, and then what is outside the largest component
        (Sutton, Ben-Nun and Barak 2018); or "dulle", by a dense matrix of at most 32,768 vertices in
        ceil(log2(n)) rounds (Dulle's thesis, Algorithm 18, section 5.6). Of "strong": "depth-first", by one work-item
        (Pearce 2005); or "colours", in rounds over all edges, for GPUs (Slota, Rajamanickam and Madduri 2014), which in
        a deep graph, such as a long path, takes long and then gives up. By default what fits the device; where colours
        do and the graph turns out to be deep, "depth-first".
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the
        host where that is done sooner. What is named is used.

    Returns
    -------
    Components

    Raises
    ------
    ValueError
        The graph or an argument is wrong; the message names it.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device, or "colours", where it is asked for, would take more than 16,384 rounds.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 0, 1, 4])
    >>> reedsp.connected_components(graph).labels
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> reedsp.connected_components(graph, "strong").labels
    array([0, 0, 2, 3, 1], dtype=int32)
    """
    phases = Phases()
    check_choice("connection", connection, METHODS)
    check_choice("method", method, METHODS[connection])
    graph = as_graph(graph)
    is_small = is_labelled_on_host(graph.n, graph.m, not _is_weak(graph, connection))
    if device is None and method == "auto" and is_small:
        return _on_host(graph, connection, phases)
    chosen = get_device(device)
    job = Job(chosen, recycle=True, phases=phases)
    labels = np.empty(graph.n, np.int32)
    if graph.n == 0:
        used = _METHOD_OF[_form_for(chosen, graph, connection)] if method == "auto" else method
        count, found = 0, {"method": used, "why": "there are no vertices"}
    elif method == "dulle":
        count, found = _by_matrix(graph, job, labels)
    else:
        count, found = _by_form(graph, connection, method, job, labels)
    job.recycle()
    used = found.pop("method")
    stats = {**job.stats(), **found, "phases": phases.milliseconds()}
    return Components(graph, connection, labels, count, used, str(chosen), stats, chosen)


def _on_host(graph: Graph, connection: Connection, phases: Phases) -> Components:
    phases.begin("search")
    is_weak = _is_weak(graph, connection)
    count, labels = (weak_labels if is_weak else strong_labels_by_level)(graph.indptr, graph.indices)
    found = phases.milliseconds()
    facts = {
        "device": HOST,
        "why": "a device would take longer",
        "kernels_launched": 0,
        "milliseconds": sum(found.values()),
    }
    stats = {**facts, "bytes_to_device": 0, "bytes_from_device": 0, "bytes_allocated": 0, "phases": found}
    return Components(graph, connection, labels, count, "fast" if is_weak else "depth-first", HOST, stats)


def _is_weak(graph: Graph, connection: Connection) -> bool:
    return connection == "weak" or not graph.directed


# ---- forms ------------------------------------------------------------------------------------------

_METHOD_OF: dict[Form, str] = {
    "ranges": "fast",
    "groups": "fast",
    "depth-first": "depth-first",
    "colours": "colours",
}
"""The method that each form of kernels belongs to."""


def _by_matrix(graph: Graph, job: Job, labels: _Labels) -> tuple[int, dict[str, Any]]:
    if not is_right(job.device, "matrix", np.dtype(np.int64), np.dtype(np.int32), symmetric=True):
        raise DeviceError(f"{job.device}: Dulle's components are wrong, or fail")
    count, rounds = label_by_matrix(job, graph, labels)
    return count, {"method": "dulle", "why": "it was asked for", "rounds": rounds}


def _form_for(device: Device, graph: Graph, connection: Connection) -> Form:
    """Return the kernels that fit a device."""
    is_cpu = device.kind == "cpu"
    if _is_weak(graph, connection):
        return "ranges" if is_cpu else "groups"
    return "depth-first" if is_cpu else "colours"


def _by_form(
    graph: Graph, connection: Connection, method: str, job: Job, labels: _Labels
) -> tuple[int, dict[str, Any]]:
    """Write the labels by the first form of kernels that can do it; return how many, and what is to be said."""
    preferred = _form_for(job.device, graph, connection)
    others: dict[Form, Form] = {
        "ranges": "groups",
        "groups": "ranges",
        "depth-first": "colours",
        "colours": "depth-first",
    }

    def choose(asked: Form | None) -> tuple[Form, str]:
        right = functools.partial(_is_right, job, graph)
        return chosen_method(job.device, "connected components", asked, (preferred, others[preferred]), right)

    form, why = choose(method if method in others else None)
    if form == preferred == "colours" and method == "auto":
        count = _by_colours(graph, job, labels, is_patient=False)
    else:
        count = _LABELLED[form](graph, job, labels)
    if count is None:
        why = "the graph is too deep for rounds over all its edges"
        if method == form:
            raise DeviceError(f"{job.device}: method {method!r}: {why}")
        form, _ = choose("depth-first")
        count = _LABELLED[form](graph, job, labels)
        assert count is not None
    return count, {"method": _METHOD_OF[form], "why": why if method == "auto" else "it was asked for"}


def _is_right(job: Job, graph: Graph, form: Form) -> bool:
    """Return whether kernels are right on the device, with the types in which they are given this graph."""
    pointer: np.dtype[Any] = np.dtype(np.int64)
    if form in ("groups", "colours"):
        pointer = np.dtype(np.uint32 if graph.m < 1 << 32 else np.uint64)
    return is_right(job.device, form, pointer, np.dtype(np.int32), symmetric=not graph.directed)


def _in_ranges(graph: Graph, job: Job, labels: _Labels) -> int:
    rows = MatrixRows(job, graph.indptr, graph.indices)
    job.phases.begin("search")
    count = label_by_ranges(rows, not graph.directed, labels)
    rows.close()
    return count


def _in_groups(graph: Graph, job: Job, labels: _Labels) -> int:
    return label_by_groups(job, Edges.of(graph, job), not graph.directed, labels)


def _in_depth(graph: Graph, job: Job, labels: _Labels) -> int:
    rows = MatrixRows(job, graph.indptr, graph.indices)
    job.phases.begin("search")
    count = label_in_depth(rows, labels)
    rows.close()
    return count


def _by_colours(graph: Graph, job: Job, labels: _Labels, is_patient: bool = True) -> int | None:
    edges = Edges.of(graph, job)
    job.phases.begin("search")
    return label_by_colours(job, edges, labels, is_patient)


_LABELLED: dict[Form, Callable[[Graph, Job, _Labels], int | None]] = {
    "ranges": _in_ranges,
    "groups": _in_groups,
    "depth-first": _in_depth,
    "colours": _by_colours,
}
