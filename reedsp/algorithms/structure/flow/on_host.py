"""Maximum flows on the host, by SciPy: for inputs so small that a device would not have begun meanwhile."""

from __future__ import annotations

import numpy as np

from reedsp.algorithms.structure.flow.capacities import Found, Network

_NARROW = np.iinfo(np.int32).max


def can_solve(network: Network) -> bool:
    """Return whether SciPy's numbers, of 32 bits, do not wrap."""
    return 2 * int(network.capacities.max(initial=0)) <= _NARROW


def solve(network: Network) -> Found:
    """Return the flow that Dinic's algorithm finds in a network that SciPy can solve."""
    import scipy.sparse
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n, source = network.n, network.source
    rows = (network.capacities.astype(np.int32), network.indices.astype(np.int32), network.indptr.astype(np.int32))
    capacities = scipy.sparse.csr_array(rows, shape=(n, n))
    found = maximum_flow(capacities, source, network.sink)
    net = found.flow
    among = np.repeat(np.arange(n) * n, np.diff(net.indptr)) + net.indices
    edges = np.searchsorted(among, np.repeat(np.arange(n) * n, np.diff(network.indptr)) + network.indices)
    residual = -net.data
    residual[edges] += rows[0]
    left = np.flatnonzero(residual)
    tails, heads = np.divmod(among[left], n)
    graph = scipy.sparse.csr_array((np.ones(len(left)), (tails, heads)), shape=(n, n))
    is_source_side = np.zeros(n, np.bool_)
    is_source_side[breadth_first_order(graph, source, return_predecessors=False)] = True
    flow = np.maximum(net.data[edges], 0).astype(network.capacities.dtype)
    return Found(int(found.flow_value), flow, is_source_side, 0)
