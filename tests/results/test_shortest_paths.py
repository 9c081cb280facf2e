"""A nearest source that is another one is noticed."""

from __future__ import annotations

import pytest

import reedsp


@pytest.mark.parametrize(
    ("nearest", "message"),
    [
        ([0, 1, 1, 1, -9999], "vertex 2: 1 is not its nearest source"),
        ([0, 1, 0, -9999, -9999], "vertex 3: none is not its nearest source"),
        ([0, 1, 1, 0, 0], "vertex 2: 1 is not its nearest source"),
        ([1, 1, 1, 1, -9999], "vertex 0: 1 is not its nearest source"),
    ],
)
def test_a_wrong_nearest_source(nearest: list[int], message: str, device: reedsp.Device) -> None:
    found = reedsp.sssp(reedsp.Graph.from_edges(5, [0, 1], [2, 3], [1, 1]), [0, 1], min_only=True, device=device)
    assert found.nearest is not None
    assert found.nearest.tolist() == [0, 1, 0, 1, -9999]
    assert found.verify()
    found.nearest[:] = nearest
    with pytest.raises(reedsp.VerificationError, match=f"^{message}$"):
        found.verify()
