"""Run experiments, each of which leaves a CSV file and its plot in ``experiments/results/<device>/``.

    python -m experiments [NAME ...] [--device D] [--quick] [--data FOLDER] [--output FOLDER]
    python -m experiments --draw [NAME ...] [--output FOLDER]
    python -m experiments --list

An interrupted experiment goes on where it stopped when it is run again: on the same device and data, by the same code.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.lib.catalogue import EXPERIMENTS
from experiments.lib.experiment import Row, Setting
from experiments.lib.journal import Journal
from experiments.lib.results import RESULTS, changes, conditions, folder_name, read, save, write
from reedsp import DeviceError
from reedsp.device.discovery import get_device

REAL_GRAPHS = Path(__file__).resolve().parents[2] / "shared" / "data"
QUICK = RESULTS / "quick"


def run(names: list[str], setting: Setting, output: Path) -> list[str]:
    """Run experiments, and return the names of those that failed."""
    folder, measured = output / folder_name(setting.device), conditions(setting.device)
    data = str(setting.data and setting.data.resolve())
    head = {**measured, "changes": changes(), "quick": setting.quick, "data": data}
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
            journal = Journal(folder / f".{name}.journal.jsonl", head)
            try:
                for label, solve in cases:
                    bar.update(task, description=f"{name}: {label}")
                    found = journal.get(label)
                    if found is None:
                        found = list(solve())
                        journal.add(label, found)
                    rows += found
                    bar.advance(task)
                file = folder / f"{name}.csv"
                write(file, rows, measured)
                save(experiment.plot(read(file)), file)
                journal.close()
                console.print(f"{name}: {file}")
            except Exception:
                failed.append(name)
                console.print(f"{name}: failed\n{traceback.format_exc()}", markup=False)
            bar.remove_task(task)
            bar.advance(everything)
    return failed


def draw(names: list[str], output: Path) -> None:
    """Draw the plots of results that there are again, of all devices."""
    files = [file for file in sorted(output.glob("*/*.csv")) if file.stem in names]
    if not files:
        sys.exit(f"nothing to draw: {output} has no folder of a device with results of {', '.join(names)}")
    for file in files:
        save(EXPERIMENTS[file.stem].plot(read(file)), file)
        print(file.with_suffix(".svg"))


def setting_of(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Setting:
    """Return what is measured on, or say which option is wrong."""
    if arguments.data is not None and not arguments.data.is_dir():
        parser.error(f"--data: {arguments.data} is no folder")
    try:
        device = get_device(arguments.device)
    except DeviceError as error:
        parser.error(f"--device: {error}" if arguments.device else str(error))
    return Setting(device, arguments.quick, arguments.data or (REAL_GRAPHS if REAL_GRAPHS.is_dir() else None))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="see --list; all of them by default")
    parser.add_argument("--list", action="store_true", help="say which experiments there are")
    parser.add_argument("--draw", action="store_true", help="measure nothing: draw plots of all devices again")
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
    names = arguments.names or list(EXPERIMENTS)
    output = arguments.output or (QUICK if arguments.quick else RESULTS)
    if output.exists() and not output.is_dir():
        parser.error(f"--output: {output} is no folder")
    if arguments.draw:
        if arguments.device or arguments.data:
            parser.error("--draw measures nothing: it takes no --device and no --data")
        draw(names, output)
        return
    setting = setting_of(arguments, parser)
    try:
        failed = run(names, setting, output)
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on from here")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; the same command tries these again")


if __name__ == "__main__":
    main()
