"""Labels as arrays, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.io import labels, readers

STRINGS = ["a", "", "bé", "🛣", "end\0", "\ud800", "long" * 20]


@pytest.fixture
def _text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every array of strings for a large one."""
    monkeypatch.setattr(labels, "BASE_SIZE", 0)


@pytest.mark.usefixtures("_text")
def test_strings_are_written_behind_one_another() -> None:
    arrays = labels.label_arrays(STRINGS)
    assert set(arrays) == {"label_text", "label_ends"}
    assert arrays["label_text"].nbytes == sum(len(each.encode(errors="surrogatepass")) for each in STRINGS)
    assert labels.label_text(arrays, len(STRINGS)).strings() == STRINGS


def test_small_arrays_are_as_numpy_writes_them() -> None:
    assert labels.label_arrays(["a", "bc"])["labels"].tolist() == ["a", "bc"]
    assert labels.label_arrays([3, -1])["labels"].dtype == np.int64
    assert labels.label_arrays([])["labels"].tolist() == []
    for none in (None, ["a", 1], ["a\0"], [2**63], [1.5]):
        assert labels.label_arrays(none) == {}


@pytest.mark.usefixtures("_text")
def test_graphs_and_results_keep_them(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(7, range(6), range(1, 7), labels=STRINGS)
    reedsp.write(graph, tmp_path / "graph.npz")
    assert reedsp.read(tmp_path / "graph.npz") == graph
    reedsp.sssp(graph, "").save(tmp_path / "paths.npz")
    assert reedsp.load(tmp_path / "paths.npz", graph).path("\ud800") == STRINGS[1:6]
    other = reedsp.Graph.from_edges(7, range(6), range(1, 7), labels=[*STRINGS[:6], "short"])
    with pytest.raises(ValueError, match="whose vertices have other names"):
        reedsp.load(tmp_path / "paths.npz", other)


@pytest.mark.usefixtures("_text")
def test_characters_of_four_bytes_are_no_reason_to_refuse_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "_BASE_MEMORY", 2 * readers._WORKING_MEMORY)
    graph = reedsp.Graph.from_edges(200_000, [0], [1], labels=[f"🛣{number}" for number in range(200_000)])
    reedsp.write(graph, tmp_path / "x.npz")
    assert reedsp.read(tmp_path / "x.npz") == graph


@pytest.mark.usefixtures("_text")
@pytest.mark.parametrize(
    ("memory", "ends", "words"),
    [
        (0, [2, 2, 2], r"labels\[2\] = '' is also labels\[1\]"),
        (10**9, [1, 2, 2], "it takes [0-9,]+ bytes of memory to read"),
    ],
)
def test_files_are_refused_before_strings_are_made(
    memory: int, ends: list[int], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reedsp.write(reedsp.Graph.from_edges(3, [0], [1], labels=["a", "b", ""]), tmp_path / "graph.npz")
    with np.load(tmp_path / "graph.npz") as content:
        arrays = dict(content)
    np.savez(tmp_path / "graph.npz", **arrays | {"label_ends": np.array(ends)})
    made: list[labels.LabelText] = []
    monkeypatch.setattr(labels.LabelText, "strings", made.append)
    monkeypatch.setattr(readers, "_sparse_memory", lambda _: memory)
    with pytest.raises(ValueError, match=rf"graph\.npz: .*{words}"):
        reedsp.read(tmp_path / "graph.npz")
    assert not made


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label_text": np.zeros(3, np.int8)}, r"label_text: expected bytes, got int8 of shape \(3,\)"),
        ({"label_text": np.zeros((3, 1), np.uint8)}, r"label_text: expected bytes, got uint8 of shape \(3, 1\)"),
        ({"label_ends": np.array([1, 3], np.int32)}, r"label_ends: expected int64 of shape \(2,\), got int32"),
        ({"label_ends": np.array([3])}, r"label_ends: expected int64 of shape \(2,\), got int64 of shape \(1,\)"),
        ({"label_ends": np.array([-1, 3])}, "label_ends: they do not ascend to the 3 bytes of label_text"),
        ({"label_ends": np.array([3, 2])}, "label_ends: they do not ascend to the 3 bytes of label_text"),
        ({"label_ends": np.array([1, 2])}, "label_ends: they do not ascend to the 3 bytes of label_text"),
        ({"label_ends": np.array([2**63 - 1, -2])}, "label_ends: they do not ascend to the 3 bytes of label_text"),
        ({"label_text": np.array([97, 195, 97], np.uint8)}, r"labels\[1\] is no UTF-8 text: b'\\xc3a'"),
        ({"label_text": np.array([97, 97], np.uint8), "label_ends": np.array([1, 2])}, r"labels\[1\] = 'a' is also"),
    ],
)
def test_damaged_texts(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    reedsp.write(reedsp.Graph.from_edges(2, [0], [1]), path)
    with np.load(path) as content:
        arrays = dict(content)
    text = {"label_text": np.array([97, 98, 99], np.uint8), "label_ends": np.array([1, 3])}
    np.savez(path, **arrays, **text)
    assert reedsp.read(path).labels == ("a", "bc")
    np.savez(path, **arrays, **text | changes)
    with pytest.raises(ValueError, match=rf"graph\.npz: .*{words}"):
        reedsp.read(path)
