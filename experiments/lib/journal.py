"""What an unfinished experiment has measured so far."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.lib.experiment import Row


class Journal:
    """The cases of one experiment that are done, a line of JSON for each.

    Parameters
    ----------
    file : Path
    head : mapping
        What has to be the same for a run to be continued.
    """

    def __init__(self, file: Path, head: Mapping[str, Any]) -> None:
        self._file = file
        self._rows: dict[str, list[Row]] = {}
        lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else [""]
        whole = [json.loads(line) for line in lines[:-1]]  # the last line has been cut short, or is empty
        if whole and whole[0] == head:
            self._rows = {line["case"]: line["rows"] for line in whole[1:]}
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(line) + "\n" for line in (whole if self._rows else [head]))

    def get(self, case: str) -> list[Row] | None:
        """Return the rows of a case that is done."""
        return self._rows.get(case)

    def add(self, case: str, rows: list[Row]) -> None:
        """Keep the rows of a case."""
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"case": case, "rows": rows}, default=lambda number: number.item()) + "\n")

    def close(self) -> None:
        """Forget everything: the experiment is complete."""
        self._file.unlink(missing_ok=True)
