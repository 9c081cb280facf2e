"""A file of records, each of which is on the disk before the next step is taken."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from reedsp.system.files import writing
from reedsp.system.files.atomic_file import room_for
from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.own_folder import OwnFolder


class Journal:
    """A file in a folder, each line of which is a checksum and what JSON makes of a record.

    Parameters
    ----------
    folder : OwnFolder
    name : str
    """

    def __init__(self, folder: OwnFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self.file: Path = folder.path / name
        self._end = 0

    @property
    def is_empty(self) -> bool:
        """Whether no record was read or written."""
        return self._end == 0

    def read(self) -> list[Any]:
        """Return the records; a line that was not finished does not count.

        Raises
        ------
        ValueError
            A line is damaged.
        """
        content = b""
        if self._folder.status(self._name) is not None:
            with named_errors(self.file), self._folder.open(self._name, "rb") as stream:
                content = stream.read()
        lines = content.split(b"\n")[:-1]
        self._end = sum(len(line) + 1 for line in lines)
        records = []
        for number, line in enumerate(lines, start=1):
            checksum, _, text = line.partition(b" ")
            if checksum != b"%08x" % zlib.crc32(text):
                raise damaged(self.file, f"wrong checksum in line {number}")
            try:
                records.append(json.loads(text))
            except (ValueError, RecursionError) as error:  # also what is no UTF-8, and numbers of thousands of digits
                raise damaged(self.file, f"line {number} cannot be read: {error}") from None
        return records

    def append(self, record: Any) -> None:
        """Write a record behind those that were read or written, and wait until it is on the disk."""
        text = json.dumps(record).encode()
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        mode = "wb" if self._folder.status(self._name) is None else "r+b"
        with room_for(self.file, len(line)), self._folder.open(self._name, mode) as stream:
            stream.truncate(self._end)  # what is left of a line that could not be finished
            writing.write(stream, self._end, line)
            os.fsync(stream.fileno())
            self._end = stream.tell()


def damaged(file: Path, what: str) -> ValueError:
    """Return the error for a damaged file of work in progress."""
    return ValueError(f"{file}: {what}; it is damaged, delete {file.parent} to start again")
