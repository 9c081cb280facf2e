"""``reedsp forest``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reedsp
from reedsp.cli import command

GRAPH = "p sp 6 7\na 1 2 7\na 1 3 2\na 3 2 3\na 2 4 1\na 3 4 8\na 4 5 1\na 6 6 1\n"
FOREST = "smaller,larger,weight\n1,3,2\n2,3,3\n2,4,1\n4,5,1\n"

pytestmark = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.gr").write_text(GRAPH)
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = command.run(["forest", *arguments])
    captured = capfd.readouterr()
    return status, captured.out, captured.err


def test_prints_the_weight(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, _ = run(capfd, "small.gr", "--verify")
    assert status == 0
    assert "forest    minimum: 4 edges, 2 trees, weight 7" in out
    assert "verified  no edge" in out
    assert "forest    maximum: 4 edges, 2 trees, weight 19" in run(capfd, "small.gr", "--maximum")[1]
    (folder / "edge.gr").write_text("p sp 2 1\na 1 2 7\n")
    assert "1 edges, 1 tree, weight 7" in run(capfd, "edge.gr")[1]
    assert run(capfd, "small.gr", "--quiet") == (0, "", "")
    said = json.loads(run(capfd, "small.gr", "--json")[1])
    assert (said["forest_edges"], said["trees"], said["total_weight"], said["maximum"]) == (4, 2, 7, False)


def test_writes_the_edges(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    assert "written   forest.csv" in run(capfd, "small.gr", "--output", "forest.csv")[1]
    assert (folder / "forest.csv").read_text() == FOREST
    status, out, err = run(capfd, "small.gr", "--output", "-")
    assert (status, out) == (0, FOREST)
    assert "forest    minimum" in err


def test_refuses(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "there.csv").touch()
    for arguments, expected, message in (
        (("small.gr", "--output", "there.csv"), 1, "there.csv exists; --force replaces it"),
        (("small.gr", "--output", "forest.txt"), 2, "does not end in .csv"),
        (("small.gr", "--output", "-", "--json"), 2, "both go to standard output"),
        (("none.gr",), 1, "none.gr"),
    ):
        status, _, err = run(capfd, *arguments)
        assert status == expected
        assert message in err
    assert run(capfd, "small.gr", "--output", "there.csv", "--force")[0] == 0
