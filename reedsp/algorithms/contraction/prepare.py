"""Graphs that are prepared once, and then asked often: prepared now, or read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.files import read
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.prepared_graph import PreparedGraph, check_device
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.graph.arguments import as_graph
from reedsp.system.files.path_argument import path_argument
from reedsp.system.progress_bar import vertices_bar
from reedsp.typing import GraphLike


def prepare(
    graph: GraphLike,
    *,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> PreparedGraph:
    """Prepare a graph for many questions about its shortest paths: find a hierarchy of its vertices.

    It pays for road networks and other graphs that few vertices hold together, when many questions follow: rows of
    distances come several times as fast as from :func:`reedsp.sssp`, and on a CPU one path in less than a millisecond.
    The answers are the same.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. No weight is negative; all are integers, or multiples of one power of two.
    device : Device, int or str, optional
        Where it is prepared and asked, as for :func:`reedsp.get_device`.
    progress : bool or callable(done, n), optional
        As for :func:`reedsp.sssp`; a function is called now and then with how many vertices are contracted.

    Returns
    -------
    PreparedGraph

    Raises
    ------
    ValueError
        The graph has no hierarchy that could be of use; a weight is negative, or their sums would be rounded (the
        message names `weights`); or the graph is wrong.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Notes
    -----
    Vertices are contracted in independent sets, with bounded searches for witnesses, as in "Contraction Hierarchies" by
    Geisberger, Sanders, Schultes and Delling, 2008. See docs/how-to/roads-prepared.md.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> prepared = reedsp.prepare(graph)
    >>> prepared.distance(0, 3), prepared.path(0, 3)
    (5.0, [0, 2, 3])
    >>> prepared.distance_table([0, 1], [2, 3])
    array([[ 2.,  5.],
           [inf,  1.]])
    """
    bar = vertices_bar("contracting", progress)
    graph = as_graph(graph)
    units = units_of(graph)
    chosen = get_device(device)
    check_device(chosen, graph, units.weights.dtype, units.exponent)
    with bar as report:
        hierarchy = contract(graph, units, Job(chosen, recycle=True), report)
    return PreparedGraph(graph, hierarchy, chosen)


def load_prepared(
    path: str | os.PathLike[str], graph: GraphLike, *, device: Device | int | str | None = None
) -> PreparedGraph:
    """Read a prepared graph that :meth:`PreparedGraph.save` wrote.

    Parameters
    ----------
    path : path
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        The graph that was prepared, with the same edges and weights.
    device : Device, int or str, optional
        Where it is asked, as for :func:`reedsp.get_device`.

    Returns
    -------
    PreparedGraph

    Raises
    ------
    ValueError
        The file holds no prepared graph, or that of another graph, is of another version, or damaged. The message
        begins with its name.
    TypeError
        An argument has the wrong type.
    OSError
        The file cannot be read.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> reedsp.prepare(graph).save("prepared.npz")
    >>> reedsp.load_prepared("prepared.npz", graph).distance(0, 3)
    5.0
    """
    graph = as_graph(graph)
    hierarchy = read(Path(path_argument(path, "path")), graph)
    chosen = get_device(device)
    check_device(chosen, graph, hierarchy.up.weights.dtype, hierarchy.exponent)
    return PreparedGraph(graph, hierarchy, chosen)
