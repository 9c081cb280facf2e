"""Plants small faults in the modules of the package and reports which of them no test notices.

    python -m tests.deep.host_mutants [--list | --count | --survivors] [--modules GLOB ...] [--operators NAME ...]
                                      [--seed 0] [--sample N] [--patience 60] [--minutes M] [--output CSV] [--again]

A mutant is one module with one fault (``operators.py``), known by ``module:line:what``. The tests that run the line of
a fault are tried, the quickest first, until one fails; a test that fails without the fault, too, notices nothing. Each
run is a process of its own, which imports this one module with the fault, and so do the processes that it starts.

With ``--output`` every verdict is kept, and a later call with the same file goes on from there; a mutant is known by
the whole text of its module, so that no verdict outlives a change. ``equivalent.txt`` has
those that change nothing.

The exit status is 1 if fewer than 95 % of the mutants that were tried are killed.
"""

from __future__ import annotations

import argparse
import fnmatch
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.deep.host_mutants.faults import Fault, equivalents, faults_of, modules
from tests.deep.host_mutants.operators import OPERATORS
from tests.deep.host_mutants.runs import Runs
from tests.deep.host_mutants.verdicts import Verdict, keep, kept_verdicts

FEWEST_KILLED = 0.95


def chosen(patterns: list[str], operators: list[str]) -> list[Fault]:
    """Return the faults of some modules, but for those that are known to change nothing."""
    known = equivalents()
    return [
        fault
        for module in modules()
        if any(fnmatch.fnmatch(module, pattern) for pattern in patterns)
        for fault in faults_of(module)
        if fault.operator in operators and not fault.changes() & known.keys()
    ]


def tried(
    faults: list[Fault], folder: Path, patience: float, minutes: float, output: Path | None, again: bool = False
) -> list[Verdict]:
    """Try faults in their order, until the time is over, and print and keep each verdict.

    Those whose verdict is known are not tried, but for survivors if it is to be `again`.
    """
    known, ends, found = kept_verdicts(output), time.monotonic() + 60 * minutes, []
    runs = Runs(folder)
    for fault in faults:
        verdict = known.get(fault.key)
        if verdict is None or (again and verdict.result == "survived"):
            if time.monotonic() > ends:
                continue
            verdict = runs.verdict(fault, patience)
            keep(output, verdict)
            by = verdict.by or verdict.result
            print(f"{verdict.key}  {verdict.file:<80}  {verdict.seconds:>5.1f} s  {by}", flush=True)
        found.append(verdict)
    return found


def summary(faults: list[Fault], found: list[Verdict]) -> bool:
    """Print the survivors and the share of each room that was killed; return whether it is large enough."""
    print_survivors(faults, found)
    rooms = {fault.key: fault.module.rpartition(".")[0] or fault.module for fault in faults}
    every = Counter(rooms[verdict.key] for verdict in found)
    killed = Counter(rooms[verdict.key] for verdict in found if verdict.result == "killed")
    for room in sorted(every):
        print(f"{room:<40}  {killed[room]:>4} of {every[room]:>4} killed")
    print(f"{'all':<40}  {killed.total():>4} of {every.total():>4} killed")
    return killed.total() >= FEWEST_KILLED * every.total()


def print_survivors(faults: list[Fault], found: list[Verdict]) -> None:
    """Print each survivor and its line."""
    by_key = {fault.key: fault for fault in faults}
    for verdict in found:
        if verdict.result == "survived":
            print(f"survived: {verdict.file}\n    {by_key[verdict.key].code}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="show what would be tried, and try nothing")
    shown.add_argument("--count", action="store_true", help="show how many there are of each kind, and try nothing")
    shown.add_argument("--survivors", action="store_true", help="show those among the kept verdicts, and try nothing")
    parser.add_argument("--modules", nargs="+", default=["*"], metavar="GLOB", help="such as 'system.*'")
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, default=list(OPERATORS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, metavar="N", help="as many, at random; otherwise all, in their order")
    parser.add_argument("--patience", type=float, default=60, metavar="S", help="seconds of tests for each")
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="begin no other afterwards")
    parser.add_argument("--again", action="store_true", help="try those again that have survived an earlier call")
    parser.add_argument(
        "--output", type=Path, metavar="CSV", help="keep the verdicts, and caches beside it, for the next call"
    )
    arguments = parser.parse_args()
    faults = chosen(arguments.modules, arguments.operators)
    if arguments.sample is not None:
        faults = random.Random(arguments.seed).sample(faults, min(arguments.sample, len(faults)))
    if arguments.list:
        for fault in faults:
            print(f"{fault.key}  {fault.name}")
        return
    if arguments.count:
        counts = Counter(fault.operator for fault in faults)
        for name in OPERATORS:
            print(f"{name:<10}  {counts[name]:>6}")
        print(f"{'all':<10}  {counts.total():>6}")
        return
    if arguments.survivors:
        known = kept_verdicts(arguments.output)
        print_survivors(faults, [known[fault.key] for fault in faults if fault.key in known])
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.output.with_suffix(".caches") if arguments.output else Path(scratch)
        limits = arguments.patience, arguments.minutes
        found = tried(faults, folder.resolve(), *limits, arguments.output, arguments.again)
    sys.exit(not summary(faults, found))


if __name__ == "__main__":
    main()
