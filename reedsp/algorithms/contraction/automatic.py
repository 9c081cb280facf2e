"""Graphs that are prepared without being asked to, where many rows of distances are wanted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import Hierarchy, contract
from reedsp.algorithms.contraction.prepared_graph import PreparedGraph, check_device
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.arithmetic.types import name_of
from reedsp.cost_model import contraction, families
from reedsp.cost_model.searches import Searches
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.graph.graph import Graph


def prepared_for(graph: Graph, device: Device | None, rows: int, dtype: np.dtype[np.generic]) -> PreparedGraph | None:
    """Return a graph that is prepared, if that pays for so many rows of distances or was done for an earlier call.

    None where it does not, and where the graph has no hierarchy, or none that is found in about the time that is
    expected, or that there is memory for, or its sums would be rounded. A hierarchy is kept with its graph, and so is
    that there is none. By default the device is that of :func:`reedsp.get_device`.
    """
    if not contraction.may_pay(graph.n, graph.m, rows):
        return None
    arithmetic = choose_arithmetic(graph, dtype)
    if arithmetic.dtype == np.float32:
        return None
    device = get_device(device)
    kept: dict[Device, Hierarchy | None] = graph._derived.setdefault("hierarchies", {})
    if device not in kept:
        counts = graph.n, graph.m, graph.directed, rows
        asked = Searches(*counts, name_of(arithmetic.dtype), dtype.itemsize, graph.has_negative_weights)
        if not contraction.pays(asked, families.known(device)):
            return None
        kept[device] = _contracted(graph, device)
    hierarchy = kept[device]
    if hierarchy is None or not hierarchy.gives(dtype):
        return None
    try:
        return PreparedGraph(graph, hierarchy, device)
    except (DeviceError, MemoryError):
        return None


def prepare_for_several(graph: Graph, devices: Sequence[Device], rows: int, dtype: np.dtype[np.generic]) -> None:
    """Prepare a graph once for devices that share so many rows, if that pays.

    `prepared_for` finds the hierarchy for each of them, or that there is none.
    """
    prepared_for(graph, devices[0], rows, dtype)
    kept = graph._derived.get("hierarchies", {})
    if devices[0] in kept:
        for device in devices:
            kept.setdefault(device, kept[devices[0]])


def _contracted(graph: Graph, device: Device) -> Hierarchy | None:
    try:
        units = units_of(graph)
        check_device(device, graph, units.weights.dtype, units.exponent)
        return contract(graph, units, Job(device, recycle=True), budget=contraction.budget(graph.m))
    except (ValueError, DeviceError, MemoryError):
        return None
