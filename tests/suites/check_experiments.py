"""Whether a run of experiments left what it has to: a CSV file and its plots for each.

    python -m experiments --quick --output FOLDER [NAME ...]
    python -m tests.suites.check_experiments FOLDER [NAME ...]

The device is the one that REEDSP_DEVICE names, as for the run. Says what is wrong, and exits with status 1 then.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from experiments.__main__ import REAL_GRAPHS
from experiments.lib.catalogue import EXPERIMENTS
from experiments.lib.experiment import Setting
from experiments.lib.results import RESULTS, Row, digest, folder_name, read
from reedsp.device.discovery import get_device

SMALLEST_PLOT = 5_000  # bytes


def wrong_in_plots(file: Path) -> Iterator[str]:
    """Yield what is wrong with the plots beside a CSV file, which have to be drawn from just this file."""
    for plot in (file.with_suffix(".png"), file.with_suffix(".svg")):
        if not plot.exists():
            yield f"{plot}: missing"
        elif plot.stat().st_size < SMALLEST_PLOT:
            yield f"{plot}: {plot.stat().st_size} bytes only"
        elif source_of(plot) != digest(file):
            yield f"{plot}: drawn from another {file.name}"


def source_of(plot: Path) -> str | None:
    """Return the digest that a plot names."""
    if plot.suffix == ".png":
        with Image.open(plot) as image:
            return image.info.get("Source")
    found = re.search(r"<dc:source>(\w+)</dc:source>", plot.read_text(encoding="utf-8"))
    return found and found[1]


def wrong_in_rows(file: Path) -> Iterator[str]:
    """Yield what is wrong with the rows of a CSV file."""
    rows = read(file)
    if not rows:
        yield f"{file}: no rows"
        return
    for committed in sorted(RESULTS.glob(f"*/{file.name}")):
        if list(rows[0]) != (columns := list(read(committed)[0])):
            yield f"{file}: its columns are {list(rows[0])}, those of {committed} are {columns}"
    for number, row in enumerate(rows, start=2):
        for column in wrong_times(row):
            yield f"{file}, line {number}: {column} is {row[column]!r}"


def wrong_times(row: Row) -> Iterator[str]:
    """Yield the columns of milliseconds that hold neither a number that is not negative nor nothing."""
    for column, text in row.items():
        if column.endswith("_ms") and text:
            try:
                right = 0 <= float(text) < math.inf
            except ValueError:
                right = False
            if not right:
                yield column


def main() -> None:
    setting = Setting(get_device(), quick=True, data=REAL_GRAPHS if REAL_GRAPHS.is_dir() else None)
    folder, names = Path(sys.argv[1]) / folder_name(setting.device), sys.argv[2:] or list(EXPERIMENTS)
    wrong = []
    for name in names:
        file = folder / f"{name}.csv"
        if file.exists():
            wrong += [*wrong_in_rows(file), *wrong_in_plots(file)]
        elif not EXPERIMENTS[name].impossible(setting):
            wrong.append(f"{file}: missing")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(names)} experiments: every file is there, and every plot is that of its file")


if __name__ == "__main__":
    main()
