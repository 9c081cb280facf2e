"""Results as text: into streams of bytes alone."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.io.archives import DEFLATE_LEVEL
from reedsp.results.text import fingerprint


@pytest.mark.parametrize("stream", ["x.csv", io.StringIO()])
def test_what_is_no_binary_stream_is_named(stream: Any) -> None:
    with pytest.raises(TypeError, match=r"^stream: expected a binary stream, got "):
        reedsp.maximum_matching([[1, 1], [0, 1]]).write_csv(stream)


def test_what_is_no_path_is_named() -> None:
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3"):
        reedsp.maximum_matching([[1, 1], [0, 1]]).save(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("least", [2.0**63, -(2.0**64)])
def test_weights_beyond_int64_tell_graphs_apart(least: float) -> None:
    known = {fingerprint(reedsp.Graph.from_edges(2, [0], [1], [least * factor])) for factor in (1, 2, 3)}
    assert len(known) == 3
    whole = (reedsp.Graph.from_edges(2, [0], [1], np.array([2**62], dtype)) for dtype in ("int64", "float32"))
    assert len(set(map(fingerprint, whole))) == 1


def test_a_name_without_bytes_is_named(tmp_path: Path) -> None:
    paths = reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], labels=["a", "b\ud800"]), "a")
    stream = io.BytesIO()
    for write in (lambda: paths.save(tmp_path / "x.csv"), lambda: paths.write_csv(stream)):
        with pytest.raises(ValueError, match=r"^the line 'b\\ud800,1,a' has '\\ud800', of which UTF-8 has no bytes$"):
            write()
    assert list(tmp_path.iterdir()) == []
    assert not stream.closed


def test_archives_are_compressed_quickly(tmp_path: Path) -> None:
    """By the level that is several times as fast as zlib's own choice."""
    rng = np.random.default_rng(0)
    graph = reedsp.Graph.from_edges(3000, *rng.integers(0, 3000, (2, 15_000)), rng.integers(1, 1000, 15_000))
    reedsp.sssp(graph, 0).save(tmp_path / "x.npz")
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        for name in ("dist.npy", "pred.npy"):
            deflate = zlib.compressobj(DEFLATE_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            expected = len(deflate.compress(archive.read(name)) + deflate.flush())
            assert archive.getinfo(name).compress_size == pytest.approx(expected, rel=0.01)
