"""The largest of several values, with their names."""

from __future__ import annotations

import numpy as np
import pytest

from reedsp.results.ranking import largest


@pytest.mark.parametrize(
    ("count", "names"), [(-1, ""), (0, ""), (1, "b"), (2, "bd"), (3, "bda"), (4, "bdac"), (9, "bdac")]
)
def test_of_equal_ones_the_first(count: int, names: str) -> None:
    found = largest("abcd", np.array([1.0, 2, 1, 2]), count)
    assert "".join(name for name, _ in found) == names
    assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
