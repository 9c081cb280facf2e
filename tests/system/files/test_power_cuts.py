"""The power fails at any step, and any of what was not synchronised is lost or half there: no answer is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.system.files.atomic_file import write_whole
from tests.system.files.disk import states_of

pytestmark = pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be synchronised")

VERTICES = 70


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


@pytest.mark.parametrize("earlier", [None, b"earlier" * 5])
def test_a_file_is_one_of_both_and_has_its_name_at_the_end(
    earlier: bytes | None, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, later = folder / "a", b"later" * 50
    if earlier is not None:
        path.write_bytes(earlier)

    def write() -> None:
        write_whole(path, lambda stream: stream.write(later), overwrite=earlier is not None)

    during, after = states_of(write, folder, monkeypatch)
    assert len(during) >= 5
    found = set()
    for number, state in enumerate((*during, *after)):
        state.place(tmp_path / str(number))
        file = tmp_path / str(number) / "a"
        found.add(file.read_bytes() if file.exists() else None)
        if number >= len(during):
            assert file.read_bytes() == later
    assert found == {earlier, later}


def test_what_is_not_synchronised_is_noticed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here and below it is the layer that is tested: a file that is renamed too early is found half there."""

    def write() -> None:
        (folder / "partial").write_bytes(b"later" * 50)
        os.replace(folder / "partial", folder / "a")

    during, after = states_of(write, folder, monkeypatch)
    contents = {state.files[number][0] for state in (*during, *after) for number in state.folders[state.root].values()}
    assert {b"", b"later" * 50} < contents
    assert any(not state.folders[state.root] for state in after)


def test_names_of_any_moment_may_be_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write() -> None:
        for name in "abc":
            os.close(os.open(folder / name, os.O_CREAT | os.O_WRONLY))
        os.unlink(folder / "a")

    _, after = states_of(write, folder, monkeypatch)
    left = {"".join(sorted(state.folders[state.root])) for state in after}
    assert {"", "bc"} < left <= {"", "a", "ab", "abc", "bc"}


@pytest.mark.deep
def test_all_pairs_go_on_to_the_same_bytes(
    folder: Path, tmp_path: Path, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, VERTICES, (2, 4 * VERTICES))
    graph = reedsp.Graph.from_edges(VERTICES, *ends, rng.integers(1, 99, 4 * VERTICES))

    def call(place: Path) -> None:
        reedsp.apsp(graph, "floyd-warshall", out=place / "y.npy", device=device, predecessors=True)

    def contents(place: Path) -> dict[str, bytes]:
        return {each.name: each.read_bytes() for each in place.iterdir() if each.is_file()}

    call(tmp_path)
    expected = contents(tmp_path)
    during, after = states_of(lambda: call(folder), folder, monkeypatch)
    assert set(expected) == {"y.npy", "y.pred.npy"}
    assert len(during) > 100
    for number, state in enumerate(during):
        place = tmp_path / f"{number}"
        state.place(place)
        complete = contents(place) == expected
        try:
            call(place)
        except FileExistsError:
            assert complete  # nothing was left to do
        assert contents(place) == expected, number
    for number, state in enumerate(after):
        state.place(tmp_path / f"after {number}")
        assert contents(tmp_path / f"after {number}") == expected
