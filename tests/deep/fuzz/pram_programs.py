"""Random PRAM programs: what the interpreter says, both methods on a device say, with any optimisations.

    python -m tests.deep.fuzz.pram_programs --count 2000 --first 0

    oclgrind --data-races --log races.log python -m tests.deep.fuzz.pram_programs --device oclgrind

The second command does so in a simulator, which takes no time to compile, and whose log has to stay empty; asked for
uninitialised values, too, it ends kernels at an instruction that it does not know (freeze), and their answers are
wrong. Each number is one program, always the same. A wrong answer is printed with the program, and the exit status is
then 1. A program that the interpreter finds wrong has to be found wrong by a device that checks, unless processors only
read the same cell.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections import Counter
from typing import Any, Literal

import numpy as np

from reedsp import pram
from tests.pram.random_programs import Case, case

MAX_ROUNDS = 64
SIMULATED_GROUP_SIZE = 8
METHODS: tuple[Literal["bitset", "list"], ...] = ("bitset", "list")
ALL_SETS = [
    frozenset(chosen)
    for size in range(len(pram.OPTIMIZATIONS) + 1)
    for chosen in itertools.combinations(pram.OPTIMIZATIONS, size)
]


def same(one: Any, other: Any) -> bool:
    """Whether two results are the same numbers, signs of zeros included."""
    one, other = np.asarray(one), np.asarray(other)
    if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
        return False
    return one.dtype.kind != "f" or bool((np.signbit(one) == np.signbit(other))[~np.isnan(one)].all())


def outcome(number: int, device: Any = None) -> tuple[str, str]:
    """Return what a program came to, and what is wrong with it, which is empty if nothing is."""
    found = case(number)
    rng = random.Random(number)
    try:
        program = pram.from_text(found.text, mode=found.mode)  # type: ignore[arg-type]
    except pram.ProgramError:
        return "refused", ""
    try:
        expected = program.run(found.n, method="interpreter", max_rounds=MAX_ROUNDS, **found.given)
    except pram.RunError as error:
        return type(error).__name__, _wrongly_accepted(program, found, error, rng, device)
    faults = ""
    for method in METHODS:
        chosen, check = rng.choice(ALL_SETS), rng.random() < 0.3
        how = f"{method}, {sorted(chosen)}, check={check}"
        try:
            result = program.run(
                found.n,
                method=method,
                optimizations=chosen,
                check=check,
                max_rounds=MAX_ROUNDS,
                device=device,
                **found.given,
            )
        except Exception as error:  # whatever it is, it is wrong
            faults += f"{how}: {type(error).__name__}: {error}\n"
            continue
        for name in expected:
            if not same(expected[name], result[name]):
                faults += f"{how}: {name} is {result[name]}, not {expected[name]}\n"
    return "right", faults


def _wrongly_accepted(program: pram.Program, found: Case, error: pram.RunError, rng: random.Random, device: Any) -> str:
    if isinstance(error, pram.ConflictError) and "both read" in error.reason:
        return ""
    method, chosen = rng.choice(METHODS), rng.choice(ALL_SETS)
    how = f"{method}, {sorted(chosen)}"
    settings: dict[str, Any] = {
        "method": method,
        "optimizations": chosen,
        "check": True,
        "max_rounds": MAX_ROUNDS,
        "device": device,
    }
    try:
        program.run(found.n, **settings, **found.given)
    except pram.RunError:
        return ""
    except Exception as other:  # of no kind that a wrong program may cause
        return f"{how}: {type(other).__name__}: {other}, not {error}\n"
    return f"{how}: not noticed: {error}\n"


def make_simulator_quick() -> None:
    """Have Oclgrind simulate no work-items that have nothing to do."""
    from reedsp.pram import machine
    from reedsp.primitives import plans

    plans._GROUP_SIZE = machine.PLAIN_GROUP_SIZE = SIMULATED_GROUP_SIZE


def main() -> None:
    """Ask the questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--device")
    options = parser.parse_args()
    if options.device == "oclgrind":
        make_simulator_quick()
    outcomes: Counter[str] = Counter()
    wrong = 0
    for number in range(options.first, options.first + options.count):
        kind, faults = outcome(number, options.device)
        outcomes[kind] += 1
        if faults:
            wrong += 1
            found = case(number)
            print(f"program {number} ({found.mode}), n = {found.n}, {found.given}:\n{found.text}{faults}", flush=True)
        if (done := number + 1 - options.first) % 500 == 0:
            print(f"{done} programs, {wrong} wrong", flush=True)
    print(f"{wrong} of {options.count} wrong;", ", ".join(f"{kind} {count}" for kind, count in outcomes.most_common()))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
