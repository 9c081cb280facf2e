"""Prepared graphs that were saved."""

from __future__ import annotations

import os
from pathlib import Path

from reedsp.algorithms.contraction.files import read
from reedsp.algorithms.contraction.prepared_graph import PreparedGraph, check_device
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.graph.arguments import as_graph
from reedsp.typing import GraphLike


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
    hierarchy = read(Path(path), graph)
    chosen = get_device(device)
    check_device(chosen, graph, hierarchy.up.weights.dtype, hierarchy.exponent)
    return PreparedGraph(graph, hierarchy, chosen)
