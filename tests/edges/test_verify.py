"""What is to be verified has the shape and the type of a result, or is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.verify import verify_on_host

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


def test_predecessors_lead_back_to_a_source(device: Device) -> None:
    circle = reedsp.Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 1, 3], [1, 0, 0, 1])
    found = reedsp.sssp(circle, 0, device=device)
    assert found.verify()
    found.pred[1] = 2
    message = r"^vertex 1: its predecessors do not lead back to a source \(dist 1, pred 2\)$"
    with pytest.raises(reedsp.VerificationError, match=message):
        found.verify()


def test_what_was_solved_in_integers() -> None:
    dist, pred = np.array([np.inf, 0, 2, 3]), np.array([NO_VERTEX, NO_VERTEX, 1, 2], np.int32)
    verify_on_host(GRAPH, 1, dist, pred)
    for array, vertex, value, message in (
        (dist, 0, 7, "dist 7.0 should be inf"),
        (dist, 3, 3.5, "dist 3.5 should be 3.0"),
        (pred, 3, 1, "predecessor 1 should be 2"),
        (pred, 2, NO_VERTEX, "predecessor none should be 1"),
        (pred, 1, 9, "predecessor no. 9 should be none"),
    ):
        right = array[vertex]
        array[vertex] = value
        with pytest.raises(reedsp.VerificationError, match=f"^vertex {vertex}: {message}$"):
            verify_on_host(GRAPH, 1, dist, pred)
        array[vertex] = right
