"""The journal of a folder: records line by line, of which one that was not finished does not count."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from reedsp.system.files.journal import Journal
from reedsp.system.files.own_folder import OwnFolder

RECORDS = [{"n": 3}, ["pass", 0, 3, {"panels": 7}], ["done", 3]]


@pytest.fixture
def folder(tmp_path: Path) -> OwnFolder:
    return OwnFolder(tmp_path / "c")


def lines(folder: OwnFolder) -> list[bytes]:
    return (folder.path / "journal").read_bytes().splitlines(keepends=True)


def test_records_are_read_as_they_were_written(folder: OwnFolder) -> None:
    journal = Journal(folder, "journal")
    assert journal.is_empty
    for number, record in enumerate(RECORDS):
        journal.append(record)
        assert not journal.is_empty
        assert Journal(folder, "journal").read() == RECORDS[: number + 1]
    assert journal.file == folder.path / "journal"
    assert lines(folder)[2] == b'%08x ["done", 3]\n' % zlib.crc32(b'["done", 3]')


def test_nothing_is_read_where_there_is_no_file(folder: OwnFolder) -> None:
    journal = Journal(folder, "journal")
    assert journal.read() == []
    assert journal.is_empty


def test_what_was_not_finished_is_written_over(folder: OwnFolder) -> None:
    for record in RECORDS:
        Journal(folder, "journal").append(record)  # nobody has read what is there
    assert len(lines(folder)) == 1
    journal = Journal(folder, "journal")
    assert journal.read() == RECORDS[2:]
    journal.append(RECORDS[0])
    half = b"".join(lines(folder)) + b"a line that is longer than the next, and is not finished"
    journal.file.write_bytes(half)
    again = Journal(folder, "journal")
    assert again.read() == [RECORDS[2], RECORDS[0]]
    again.append(1)
    again.append(2)
    assert Journal(folder, "journal").read() == [RECORDS[2], RECORDS[0], 1, 2]
    assert len(lines(folder)) == 4


def line_of(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"00000000 1\n", "wrong checksum in line 2"),
        (b"\n", "wrong checksum in line 2"),
        (line_of(b"[1"), "line 2 cannot be read: "),
        (line_of(b"[" * 100_000), "line 2 cannot be read: "),
        (line_of(b'"\xff"'), "line 2 cannot be read: "),
    ],
)
def test_damaged_lines_are_named(line: bytes, what: str, folder: OwnFolder) -> None:
    Journal(folder, "journal").append(1)
    file = folder.path / "journal"
    file.write_bytes(file.read_bytes() + line)
    with pytest.raises(ValueError, match=f"^.*journal: {what}.*; it is damaged, delete .*c to start again$"):
        Journal(folder, "journal").read()
