"""``reedsp flow``: how much can flow, a minimum cut, and what is wrong with the arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reedsp.cli import command

PIPES = "p sp 5 5\na 1 2 7\na 1 3 2\na 2 4 1\na 3 4 3\na 5 1 9\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "pipes.gr").write_text(PIPES)
    return str(tmp_path / "pipes.gr")


def test_what_is_printed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["flow", file, "--source", "1", "--target", "4", "--verify"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["flow      3 from 1 to 4", "cut       2 edges: 1 -> 3, 2 -> 4"]
    assert lines[-1].startswith("verified  no edge carries too much")
    assert command.run(["flow", file, "-s", "4", "-t", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1:3] == ["flow      0 from 4 to 1", "cut       0 edges"]


def test_a_large_cut_is_not_printed_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ends = range(2, 12)
    arcs = "".join(f"a 1 {end} 1\na {end} 12 5\n" for end in ends)
    (tmp_path / "wide.gr").write_text(f"p sp 12 20\n{arcs}")
    assert command.run(["flow", str(tmp_path / "wide.gr"), "-s", "1", "-t", "12"]) == 0
    assert capsys.readouterr().out.splitlines()[2].endswith("1 -> 8, 1 -> 9, and 2 more")


def test_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["flow", file, "-s", "1", "-t", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["cut"], found["source_side"], found["verified"]) == (3, [[1, 3], [2, 4]], 2, False)
    assert command.run(["flow", file, "-s", "1", "-t", "4", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_an_option_given_twice(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["-s", "1", "-s", "5", "-t", "4"], "--source: may be given once, and not for 1, 5"),
        (["-s", "1", "-t", "4", "--target", "3"], "--target: may be given once, and not for 4, 3"),
    ):
        assert command.run(["flow", file, *words]) == 2
        assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_the_same_vertex_twice(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["flow", file, "-s", "1", "-t", "1"]) == 2
    assert "is the source" in capsys.readouterr().err
