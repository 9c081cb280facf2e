"""Look at a flow and a cut where there is no device: at capacities whose sums fit into 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, edge_sources


def look_on_host(
    graph: Graph,
    capacities: npt.NDArray[Any],
    flow: npt.NDArray[Any],
    is_source_side: npt.NDArray[np.bool_],
    ends: tuple[int, int],
) -> tuple[dict[str, int], tuple[int, int], int]:
    """Return what a look on a device does: who breaks rules, what flows at both ends, and what the cut can carry."""
    tails, heads = edge_sources(graph), graph.indices
    leaves, enters = is_source_side[tails], is_source_side[heads]
    is_within = (flow >= 0) & (flow <= capacities)
    net = np.zeros(graph.n, np.int64)
    np.add.at(net, tails[is_within], flow[is_within])
    np.subtract.at(net, heads[is_within], flow[is_within])
    differs = net != 0
    differs[list(ends)] = False
    is_slack = is_within & (leaves != enters) & (flow != np.where(leaves, capacities, 0))
    broken = {
        "WITHIN_CAPACITY": tails[~is_within],
        "CONSERVED": np.flatnonzero(differs),
        "CUT_IS_FULL": tails[is_slack],
    }
    first = {rule: int(vertices[0]) for rule, vertices in broken.items() if len(vertices)}
    across = capacities[leaves & ~enters].sum(dtype=np.int64)
    return first, (int(net[ends[0]]), -int(net[ends[1]])), int(across)
