"""Ask reedsp random questions whose right answers exact arithmetic knows, and shrink those that it answers wrong.

    python -m tests.deep.differential --seeds 3000 --first 0 [--device pocl] [--jobs 2] [--minutes M]

Each seed is one case, always the same: a graph, the container that it comes in, and a question about it
(``cases.py``); what the answer has to be, errors included, is in ``answers.py`` and ``structures.py``. A case that
fails is made as small as it can be and still fail, and printed as Python code, to be pasted in the root of the
repository. The exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator

from reedsp.device.discovery import get_device
from tests.deep.differential.cases import Case, Number, generate, is_possible
from tests.deep.differential.questions import QUESTIONS, check, choose

_MOST_TRIES = 3000
_SECONDS_BETWEEN_REPORTS = 10
_SIMPLE_TYPES = ("int64", "float64")
_NEEDED_ARGUMENTS = ("source", "method", "function", "negative_cycles", "predecessors", "shape", "k", "kind", "op")


def case_of(seed: int) -> Case:
    """Return the case of a seed."""
    return generate(seed, QUESTIONS, choose)


def failure(case: Case) -> str | None:
    """Return what is wrong with the answer to a case, or None."""
    try:
        check(case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


# ---- shrinking --------------------------------------------------------------------------------------


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a case that still fails, but none of the simpler ones that a single step leads to does.

    Parameters
    ----------
    case : Case
    fails : callable(case)
    """
    tries = 0
    simpler = True
    while simpler and tries < _MOST_TRIES:
        simpler = False
        for candidate in _simpler(case):
            tries += 1
            if is_possible(candidate) and fails(candidate):
                case, simpler = candidate, True
                break
            if tries >= _MOST_TRIES:
                break
    return case


def _simpler(case: Case) -> Iterator[Case]:
    """Yield cases that are a step simpler, the greatest steps first."""
    yield from _with_fewer_edges(case)
    yield from _with_fewer_vertices(case)
    yield from _with_plainer_arguments(case)
    if case.container != "edge arrays":
        yield dataclasses.replace(case, container="edge arrays")
    elif not case.directed:
        yield dataclasses.replace(case, directed=True)
    if case.container not in ("edge arrays", "coo", "dense C"):
        yield dataclasses.replace(case, container="coo")
        yield dataclasses.replace(case, container="dense C")
    if case.weight_type not in _SIMPLE_TYPES:
        for name in _SIMPLE_TYPES:
            yield dataclasses.replace(case, weight_type=name)
    yield from _with_simpler_weights(case)


def _with_fewer_edges(case: Case) -> Iterator[Case]:
    size = len(case.edges)
    while size := size // 2 if size > 1 else 0:
        for first in range(0, len(case.edges), size):
            yield dataclasses.replace(case, edges=case.edges[:first] + case.edges[first + size :])
    if len(case.edges) == 1:
        yield dataclasses.replace(case, edges=())


def _with_fewer_vertices(case: Case) -> Iterator[Case]:
    """Leave out a vertex without edges, or make one of two."""
    used = {end for u, v, _ in case.edges for end in (u, v)}
    for vertex in range(case.n) if case.n > 1 else ():
        if vertex not in used:
            yield _renumbered(case, vertex, vertex)
    for vertex in sorted(used) if case.n > 1 else ():
        yield _renumbered(case, vertex, 0 if vertex else 1)


def _renumbered(case: Case, gone: int, instead: int) -> Case:
    """Return the case without a vertex, whose place another one takes."""

    def new(v: int) -> int:
        v = v % case.n
        v = instead if v == gone else v
        return min(v - (v > gone), case.n - 2)

    edges = tuple((new(u), new(v), w) for u, v, w in case.edges)
    arguments = dict(case.arguments)
    for name in ("source", "target", "indices"):
        given = arguments.get(name)
        if given is not None:
            arguments[name] = [new(v) for v in given] if isinstance(given, list) else new(given)
    return dataclasses.replace(case, n=case.n - 1, edges=edges, arguments=arguments)


def _with_plainer_arguments(case: Case) -> Iterator[Case]:
    for name, value in case.arguments.items():
        if name not in _NEEDED_ARGUMENTS:
            rest = {other: kept for other, kept in case.arguments.items() if other != name}
            yield dataclasses.replace(case, arguments=rest)
        if isinstance(value, list) and name in ("source", "indices"):
            for i in range(len(value) if len(value) > 1 else 0):
                yield dataclasses.replace(case, arguments={**case.arguments, name: value[:i] + value[i + 1 :]})
            if len(value) == 1 and name == "source" and "min_only" not in case.arguments:
                yield dataclasses.replace(case, arguments={**case.arguments, name: value[0]})
        if value is True and name == "predecessors":
            yield dataclasses.replace(case, arguments={**case.arguments, name: False})


def _with_simpler_weights(case: Case) -> Iterator[Case]:
    for i, (u, v, w) in enumerate(case.edges):
        for simpler in _simpler_numbers(w):
            yield dataclasses.replace(case, edges=(*case.edges[:i], (u, v, simpler), *case.edges[i + 1 :]))


def _simpler_numbers(number: Number) -> Iterator[Number]:
    if number != number or abs(number) == float("inf"):
        yield type(number)(1)
        return
    sign = type(number)(-1 if number < 0 else 1)
    candidates = [type(number)(0), sign, sign * 2]
    if isinstance(number, float):
        candidates += [float(f"{number:.1g}"), float(f"{number:.3g}"), float(int(number))]
    else:
        candidates.append(sign * 2 ** (abs(number).bit_length() - 1) if number else 0)
    candidates.append(type(number)(number // 2) if isinstance(number, int) and number > 0 else number / 2)
    for each in candidates:
        if type(each) is type(number) and _complexity(each) < _complexity(number):
            yield each


def _complexity(number: Number) -> tuple[float, float, bool]:
    """Return a key that falls with each step: digits, size, sign."""
    return (len(repr(number).strip("-")), abs(number), number < 0)


# ---- the command ------------------------------------------------------------------------------------


def as_code(case: Case) -> str:
    """Return Python code that asks a case again, to be pasted in the root of the repository."""
    return (
        "from tests.deep.differential.questions import check\nfrom tests.deep.differential.cases import Case\n\n"
        f"check({case!r})\n"
    )


def run(seeds: range, minutes: float | None = None, most_failures: int = 5) -> int:
    """Ask the cases of some seeds; print and count those that fail.

    Parameters
    ----------
    seeds : range
    minutes : float, optional
        When to stop, wherever it is.
    most_failures : int
        After how many failures to stop.
    """
    begin = last = time.monotonic()
    asked: Counter[str] = Counter()
    failures = 0
    for seed in seeds:
        case = case_of(seed)
        message = failure(case)
        asked[case.question] += 1
        if message is not None:
            failures += 1
            _report(seed, case, message)
        now = time.monotonic()
        if now - last > _SECONDS_BETWEEN_REPORTS:
            print(f"{asked.total()} of {len(seeds)} cases, {failures} wrong, {now - begin:.0f} s", flush=True)
            last = now
        if failures >= most_failures or (minutes is not None and now - begin > 60 * minutes):
            break
    counts = ", ".join(f"{name} {count}" for name, count in sorted(asked.items()))
    seconds = time.monotonic() - begin
    device = get_device()
    print(f"{device}: {asked.total()} cases ({counts}), {failures} wrong")
    print(f"{seconds:.0f} s, {len(device._built.programs)} OpenCL programs")
    return failures


def _report(seed: int, case: Case, message: str) -> None:
    kind = message.partition(":")[0]
    smallest = shrink(case, lambda other: (failure(other) or "").partition(":")[0] == kind)
    print(f"\n# seed {seed}: {message[:300]}")
    print(f"# the smallest case that fails alike: {(failure(smallest) or '')[:300]}\n\n{as_code(smallest)}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3000, metavar="N", help="how many cases to ask (3000)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    parser.add_argument("--device", help="as REEDSP_DEVICE: pocl, intel, a part of a name or a number")
    parser.add_argument("--minutes", type=float, metavar="M", help="stop after this time")
    parser.add_argument("--failures", type=int, default=5, metavar="N", help="stop after so many wrong answers (5)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, each with its share of cases (1)")
    given = parser.parse_args(arguments)
    if given.device is not None:
        os.environ["REEDSP_DEVICE"] = given.device
    end = given.first + given.seeds
    shares = [range(given.first + job, end, given.jobs) for job in range(given.jobs)]
    if given.jobs == 1:
        return int(run(shares[0], given.minutes, given.failures) > 0)
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        failures = pool.starmap(run, [(share, given.minutes, given.failures) for share in shares], chunksize=1)
    return int(sum(failures) > 0)
