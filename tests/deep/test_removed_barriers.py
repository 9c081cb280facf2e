"""Barriers that are removed: all are found, one is missing at a time, and what says that it was noticed is the log."""

import os
from pathlib import Path

import pytest

from reedsp.device import build
from tests.deep import under_oclgrind
from tests.deep.removed_barriers import barriers, is_noticed, main, remove

FOLDER = build.kernel_directory()


def test_every_barrier_is_found() -> None:
    lines = [line for file in FOLDER.rglob("*.cl") for line in file.read_text().splitlines()]
    found = barriers(FOLDER)
    assert len(found) == sum(line.lstrip().startswith("barrier(") for line in lines) > 200


def test_one_is_removed_and_lines_stay_where_they_are(tmp_path: Path) -> None:
    (file, match), copy = barriers(FOLDER)[7], tmp_path / "copy.cl"
    remove((file, match), copy.write_text(file.read_text()) and copy)
    before, after = file.read_text().splitlines(), copy.read_text().splitlines()
    differ = [(old.strip(), new) for old, new in zip(before, after, strict=True) if old != new]
    assert differ == [(match[0].strip(), "")]


@pytest.mark.parametrize("notices", [False, True])
def test_what_is_noticed_is_in_the_log(notices: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child has the kernels without the barrier, and a log of its own."""
    barrier, log = barriers(FOLDER)[7], tmp_path / "log.7"

    def until_noticed(file: str) -> None:
        if notices and (build.kernel_directory() / file).read_text() != barrier[0].read_text():
            Path(os.environ["OCLGRIND_LOG"]).write_text(file)

    monkeypatch.setattr(under_oclgrind, "until_noticed", until_noticed)
    assert is_noticed(barrier, FOLDER, log) is notices
    assert build.kernel_directory() == FOLDER
    assert not notices or log.read_text() == barrier[0].relative_to(FOLDER).as_posix()


def test_what_is_missed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong_answer(file: str) -> None:
        raise AssertionError("wrong")

    monkeypatch.setattr(under_oclgrind, "until_noticed", wrong_answer)
    monkeypatch.setenv("OCLGRIND_LOG", str(tmp_path / "log"))
    monkeypatch.setattr("sys.argv", ["removed_barriers", "7", "100"])
    assert main() == 1
    file, match = barriers(FOLDER)[7]
    line = file.read_text()[: match.start()].count("\n") + 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"barrier 7 is not missed: {file.relative_to(FOLDER)}, line {line}"
    assert said[-1].startswith("0 of 3 removed barriers are noticed, of ")
