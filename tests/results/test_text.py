"""Results as text: into streams of bytes alone."""

from __future__ import annotations

import io
from typing import Any

import pytest

import reedsp


@pytest.mark.parametrize("stream", ["x.csv", io.StringIO()])
def test_what_is_no_binary_stream_is_named(stream: Any) -> None:
    with pytest.raises(TypeError, match=r"^stream: expected a binary stream, got "):
        reedsp.maximum_matching([[1, 1], [0, 1]]).write_csv(stream)


def test_what_is_no_path_is_named() -> None:
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3"):
        reedsp.maximum_matching([[1, 1], [0, 1]]).save(3)  # type: ignore[arg-type]
