"""One conversion writes the distances of paths and of matrices; what has a meaning of its own is no distance."""

from __future__ import annotations

import numpy as np
import pytest

from reedsp.arithmetic.types import convert, first_lost

NO_PATH, UNBOUNDED = 2**62 - 1, -(2**61)


def converted(values: list[int], dtype: str, unbounded: int | None = UNBOUNDED) -> list[float]:
    target = np.empty(len(values), dtype)
    convert(np.array(values), target, NO_PATH, unbounded, str)
    return target.tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_marks_become_those_of_the_result(dtype: str) -> None:
    kind = np.dtype(dtype)
    extremes = (np.inf, -np.inf) if kind.kind == "f" else (np.iinfo(kind).max, np.iinfo(kind).min)
    assert converted([3, NO_PATH, UNBOUNDED, -3], dtype) == [3, *extremes, -3]
    assert converted([NO_PATH, NO_PATH], dtype) == [extremes[0]] * 2
    assert converted([], dtype) == []


def test_the_smallest_integer_is_a_distance_where_no_path_is_unbounded() -> None:
    smallest = -(2**31)
    assert converted([smallest, NO_PATH], "int32", None) == [smallest, 2**31 - 1]
    with pytest.raises(OverflowError, match=rf"^dist\[1\] = {smallest} is outside int32; ask for dtype='int64'$"):
        converted([smallest + 1, smallest, NO_PATH], "int32")


def test_numbers_beyond_2_53_are_exact_or_refused() -> None:
    """Those that float64 holds are kept, however many there are; 2^63 - 1 would become 2^63, which is beyond int64."""
    even = [2**53 + 2 * each for each in range(1000)]
    assert converted([*even, NO_PATH], "float64") == [*even, np.inf]
    with pytest.raises(ValueError, match=rf"^dist\[2\] = {2**53 + 1} has no exact float64 value"):
        converted([NO_PATH, 2**53, 2**53 + 1], "float64")
    values = np.array([[2**60, -(2**63)], [2**63 - 1, 2**53 + 1]])
    assert first_lost(values, np.dtype(np.float64)) == 2
    assert first_lost(values, np.dtype(np.float64), [values > 2**62]) == 3
    assert first_lost(values, np.dtype(np.float32)) is None
