"""A trial of maximum flows with networks whose answers prove themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from reedsp.algorithms.structure.flow.capacities import Found, Network
from reedsp.device.device import Device
from reedsp.device.job import Job

_WITH_HUBS = 700
"""Vertices of a network of which some have many edges."""

Method = Callable[[Job, Network], Found]


def finds_known_flow(device: Device, method: Method, pointer: str, index: str, capacity: str, narrow: bool) -> bool:
    """Return whether a method finds flows that a cut proves.

    Parameters
    ----------
    device : Device
    method : callable(job, network)
    pointer, index, capacity : str
        Names of the types of the network's arrays.
    narrow : bool
        Whether 32 bits hold every flow.
    """
    rng = np.random.default_rng(2016)
    for n, edges in ((60, 500), (90, 180), (700, 4000)):
        hubs = np.arange(4 * n if n == _WITH_HUBS else 0)  # the first vertices have edges to all
        keys = np.union1d(rng.integers(0, n * n, edges), hubs)
        capacities = rng.integers(0, 50, len(keys)).astype(capacity)
        if not narrow:
            capacities *= np.dtype(capacity).type(1 << (25 if capacity == "int32" else 40))
        indptr = np.searchsorted(keys, np.arange(n + 1) * n).astype(pointer)
        network = Network.of(indptr, (keys % n).astype(index), capacities, 0, n - 1)
        if not _is_proved(network, method(Job(device), network)):
            return False
    return True


def _is_proved(network: Network, found: Found) -> bool:
    """Return whether the flow is one, and as large as the capacity of the cut."""
    n, flow, side = network.n, found.flow.tolist(), found.is_source_side.tolist()
    balance, across = [0] * n, 0
    for tail, (first, last) in enumerate(pairwise(network.indptr.tolist())):
        for edge in range(first, last):
            head, capacity = int(network.indices[edge]), int(network.capacities[edge])
            if not 0 <= flow[edge] <= capacity:
                return False
            balance[tail] += flow[edge]
            balance[head] -= flow[edge]
            across += capacity if side[tail] and not side[head] else 0
    balance[network.source] -= found.value
    balance[network.sink] += found.value
    return side[network.source] and not side[network.sink] and across == found.value and not any(balance)
