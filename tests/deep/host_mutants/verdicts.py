"""What came of planted faults, kept in files from one call to the next."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path


@dataclass(frozen=True)
class Verdict:
    """What came of a fault: killed, survived, or discarded because it does not build."""

    key: str
    file: str
    line: int
    operator: str
    result: str
    by: str
    seconds: float


def kept_verdicts(file: Path | None) -> dict[str, Verdict]:
    """Return the verdicts of earlier calls."""
    if file is None or not file.exists():
        return {}
    with file.open(newline="") as stream:
        rows = [Verdict(**row) for row in csv.DictReader(stream)]
    return {row.key: replace(row, line=int(row.line), seconds=float(row.seconds)) for row in rows}


def keep(file: Path | None, verdict: Verdict) -> None:
    """Append a verdict to the file of verdicts."""
    if file is None:
        return
    is_new = not file.exists()
    with file.open("a", newline="") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(field.name for field in fields(Verdict))
        writer.writerow(astuple(verdict))
