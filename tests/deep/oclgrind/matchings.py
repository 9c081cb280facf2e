"""Checks of matchings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.structure.matching import balls, check, karp_sipser, one_work_item, phases, sides
from reedsp.device.device import Device
from tests.deep.oclgrind import Check
from tests.support import bipartite

_METHODS = ("depth-first", "phases", "dulle", "khosla")
_FILES = {
    *(f"matching/{name}.cl" for name in ("balls", "check", "depth_first", "karp_sipser", "phases", "rows")),
    *(f"primitives/{name}_scan.cl" for name in ("work_item", "work_group")),
}
_PIECE = 9


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    graphs = [bipartite.random(70, 60, degree, 3, index) for degree, index in ((2, np.int32), (4, np.int64))]
    graphs.append(bipartite.of_rows([[*range(40)], [0], [0, 1], [], *[[each] for each in range(30)]], 45))
    for method in _METHODS:
        for graph in graphs:
            for kind in ("cpu", "gpu"):
                yield _FILES, partial(_check, device, graph, method, kind)


def _check(device: Device, graph: Any, method: Any, kind: str) -> None:
    """In several parts and pieces, some entries or levels a launch, and with a proof; and with corrupt rows."""
    no_column, no_rows = graph.copy(), graph.copy()
    no_column.indices[:] = graph.shape[1]
    no_rows.indptr[1:-1] = graph.nnz + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "kind", kind)
        for module in (sides, karp_sipser):
            patch.setattr(module, "_PIECE", _PIECE)
            patch.setattr(module, "_LONGEST_STEP", 30)
        patch.setattr(sides, "_GROUP_SIZE", 8)
        patch.setattr(sides, "_FEWEST_ENTRIES", 40)
        patch.setattr(device, "compute_units", 3)
        patch.setattr(one_work_item, "_MOST", 60)
        patch.setattr(karp_sipser, "_FEWEST_OF_HUB", 3)
        patch.setattr(karp_sipser, "_HUB", 2)
        patch.setattr(phases, "_GROUP_SIZE", 4)  # of which some take rows twice
        patch.setattr(phases, "_GROUPS_PER_UNIT", 1)
        patch.setattr(phases, "_MOST_ROUNDS", 2)
        patch.setattr(phases, "_MOST_DEGREE", 20)
        patch.setattr(balls, "_CPU_PIECE", _PIECE)
        patch.setattr(balls, "_GPU_GROUP", 8)
        patch.setattr(balls, "_FIRST_BUDGET", 60)
        patch.setattr(check, "_CPU_PIECE", _PIECE)
        patch.setattr(check, "_GPU_GROUP", 8)
        found = reedsp.maximum_matching(graph, method, device=device)
        assert found.verify()
        for corrupt in (no_column, no_rows):
            with pytest.raises(ValueError, match=r"^graph\.(indptr|indices)\["):
                reedsp.maximum_matching(corrupt, method, device=device)
    assert found.cardinality == bipartite.cardinality(graph)
