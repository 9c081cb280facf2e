"""Make the calls, and print what is left after each round."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path
from typing import Any

import pyopencl as cl

from reedsp.device.discovery import get_device
from tests.deep.endurance import __doc__ as description
from tests.deep.endurance.runs import Run, WrongError, rounds
from tests.deep.soak import CountedBuffer


def pieces_in(output: Path | None) -> int:
    """Return how many runs have written to a file."""
    if output is None or not output.exists():
        return 0
    with open(output, encoding="utf-8", newline="") as file:
        return max((int(row["piece"]) for row in csv.DictReader(file)), default=0)


def write(output: Path, row: dict[str, Any]) -> None:
    """Add a line to a file."""
    is_new = not output.exists()
    with open(output, "a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*row], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--round", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, metavar="CSV")
    arguments = parser.parse_args()
    cl.Buffer = CountedBuffer  # type: ignore[misc]
    run = Run(get_device(), arguments.threads, arguments.seed)
    try:
        for row in rounds(run, arguments.round, arguments.hours, pieces_in(arguments.output) + 1):
            told = "{hours:8.3f} h {right:9,} right {failed:7,} failed {interrupted:6,} interrupted"
            print((told + "{growth_mib:+8.2f} MiB {buffers:4} buffers").format(**row), flush=True)
            if arguments.output is not None:
                write(arguments.output, row)
    except WrongError as error:
        print(error, flush=True)
        os._exit(1)  # also where a thread is at work that does not end
    return 0


if __name__ == "__main__":
    sys.exit(main())
