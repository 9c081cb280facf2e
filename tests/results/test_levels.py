"""Wrong levels are noticed, with the vertex named."""

from __future__ import annotations

import pytest

import reedsp


@pytest.mark.parametrize(
    ("levels", "pred", "message"),
    [
        ([0, 1, 2, -1], {2: 1}, "vertex 2: an edge from vertex 0 leads to it earlier"),
        ([0, 1, 1, 0], {}, "vertex 3: level 0, but the source is 0"),
        ([1, 1, 1, -1], {}, "vertex 0: level 1, but the source is 0"),
        ([0, 1, 1, -2], {}, "vertex 3: level -2"),
        ([0, 1, 1, 1], {}, "vertex 3: level 1, predecessor none, expected none"),
        ([0, 1, 1, -1], {2: 1}, "vertex 2: level 1, predecessor 1, expected 0"),
    ],
)
def test_wrong_levels(levels: list[int], pred: dict[int, int], message: str, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1], [1, 2, 2])
    found = reedsp.bfs(graph, 0, device=device)
    assert found.verify()
    found.levels[:] = levels
    for vertex, before in pred.items():
        found.pred[vertex] = before
    with pytest.raises(reedsp.VerificationError, match=f"^{message}$"):
        found.verify()
