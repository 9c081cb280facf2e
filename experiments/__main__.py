"""Run experiments, each of which leaves a CSV file and its plot in ``experiments/results/<device>/``.

    python -m experiments [NAME ...] [--device D] [--quick] [--data FOLDER] [--output FOLDER]
    python -m experiments --list | --draw

An interrupted run goes on where it stopped when the same command is given again.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.lib.catalogue import EXPERIMENTS
from experiments.lib.experiment import Row, Setting
from experiments.lib.results import RESULTS, conditions, folder_name, read, save, write
from reedsp.device.discovery import get_device

REAL_GRAPHS = Path(__file__).resolve().parents[2] / "shared" / "data"
QUICK = RESULTS / "quick"


class Journal:
    """What an unfinished run has measured so far, a line of JSON for each case.

    Parameters
    ----------
    file : Path
    head : mapping
        What has to be the same for a run to be continued.
    """

    def __init__(self, file: Path, head: Mapping[str, Any]) -> None:
        self._file = file
        self._rows: dict[tuple[str, str], list[Row]] = {}
        lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else [""]
        whole = [json.loads(line) for line in lines[:-1]]  # the last line has been cut short, or is empty
        if whole and whole[0] == head:
            self._rows = {(line["experiment"], line["case"]): line["rows"] for line in whole[1:]}
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(line) + "\n" for line in (whole if self._rows else [head]))

    def get(self, experiment: str, case: str) -> list[Row] | None:
        """Return the rows of a case that is done."""
        return self._rows.get((experiment, case))

    def add(self, experiment: str, case: str, rows: list[Row]) -> None:
        """Keep the rows of a case."""
        with self._file.open("a", encoding="utf-8") as stream:
            line = {"experiment": experiment, "case": case, "rows": rows}
            stream.write(json.dumps(line, default=lambda number: number.item()) + "\n")

    def close(self) -> None:
        """Forget everything: the run is complete."""
        self._file.unlink(missing_ok=True)


def run(names: list[str], setting: Setting, output: Path) -> list[str]:
    """Run experiments, and return the names of those that failed."""
    folder, measured = output / folder_name(setting.device), conditions(setting.device)
    journal = Journal(folder / ".journal.jsonl", {**measured, "quick": setting.quick})
    failed: list[str] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console) as bar:
        everything = bar.add_task("all", total=len(names))
        for name in names:
            experiment = EXPERIMENTS[name]
            if reason := experiment.impossible(setting):
                console.print(f"{name}: left out: {reason}")
                bar.advance(everything)
                continue
            cases = experiment.cases(setting)
            task = bar.add_task(name, total=len(cases))
            rows: list[Row] = []
            try:
                for label, solve in cases:
                    bar.update(task, description=f"{name}: {label}")
                    found = journal.get(name, label)
                    if found is None:
                        found = list(solve())
                        journal.add(name, label, found)
                    rows += found
                    bar.advance(task)
                file = folder / f"{name}.csv"
                write(file, rows, measured)
                save(experiment.plot(read(file)), file)
                console.print(f"{name}: {file}")
            except Exception:
                failed.append(name)
                console.print(f"{name}: failed\n{traceback.format_exc()}", markup=False)
            bar.remove_task(task)
            bar.advance(everything)
    if not failed:
        journal.close()
    return failed


def draw() -> None:
    """Draw the plots of all results that there are, anew."""
    for file in sorted(RESULTS.glob("*/*.csv")):
        save(EXPERIMENTS[file.stem].plot(read(file)), file)
        print(file.with_suffix(".svg"))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="see --list; all of them by default")
    parser.add_argument("--list", action="store_true", help="say which experiments there are")
    parser.add_argument("--draw", action="store_true", help="measure nothing: draw the plots of the CSV files again")
    parser.add_argument("--device", help="as for reedsp.get_device")
    parser.add_argument("--quick", action="store_true", help="small inputs, once: does everything work?")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="of real graphs; by default ../shared/data, if any")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="by default experiments/results[/quick]")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in EXPERIMENTS]:
        parser.error(f"no experiment is called {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}")
    if arguments.list:
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:20} {experiment.about}")
        return
    if arguments.draw:
        draw()
        return
    data = arguments.data or (REAL_GRAPHS if REAL_GRAPHS.is_dir() else None)
    setting = Setting(get_device(arguments.device), arguments.quick, data)
    output = arguments.output or (QUICK if arguments.quick else RESULTS)
    try:
        failed = run(arguments.names or list(EXPERIMENTS), setting, output)
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on from here")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; the same command tries these again")


if __name__ == "__main__":
    main()
