"""What is to be verified has the shape and the type of a result, or is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device

GRAPH = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [7, 2, 1])
RESULTS: dict[str, tuple[Callable[[Device], Any], str]] = {
    "one": (lambda device: reedsp.sssp(GRAPH, 0, device=device), "4"),
    "several": (lambda device: reedsp.sssp(GRAPH, [0, 2], device=device), "2 x 4"),
    "nearest": (lambda device: reedsp.sssp(GRAPH, [0, 2], min_only=True, device=device), "4"),
    "levels": (lambda device: reedsp.bfs(GRAPH, 0, device=device), "4"),
    "levels of several": (lambda device: reedsp.bfs(GRAPH, [0, 2], device=device), "2 x 4"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_other_arrays_are_no_result(name: str, device: Device) -> None:
    find, size = RESULTS[name]
    found = find(device)
    assert found.verify()
    for array in ("dist", "levels", "pred", "nearest"):
        right = getattr(found, array, None)
        if right is None:
            continue
        for other in (right[..., :2], np.zeros(right.shape, np.int16), right.tolist(), right[None]):
            wrong = dataclasses.replace(found, **{array: other})
            with pytest.raises(reedsp.VerificationError, match=rf"^{array}: expected {size} numbers of type "):
                wrong.verify()
