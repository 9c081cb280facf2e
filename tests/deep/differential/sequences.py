"""Ask many questions about one container, on every device in turn, and change its weights in between.

    python -m tests.deep.differential.sequences --sequences 300 --first 0 [--devices pocl,intel] [--threads 4]

What reedsp keeps of a graph or a matrix from one call to the next has to suit the next one: another type of number,
another method, another device, weights that are different now. Each number is one sequence, always the same; its
answers are checked like those of ``ask.py``. With threads all ask about the same container at the same time, and
nothing is changed. The exit status is 1 if an answer was wrong.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np

import reedsp
from reedsp.graph import remembered
from tests.deep.differential.cases import EDGE_LISTS, NETWORKX, Case, Kept, contained, generate, is_possible
from tests.deep.differential.questions import QUESTIONS, check, choose

_OF_OTHER_THINGS = ("product", "power", "scan", "sort")  # matrices and arrays that are made of the weights
ASKED = {name: share for name, share in QUESTIONS.items() if not name.startswith(_OF_OTHER_THINGS)}
_MOST_QUESTIONS = 12
_MOST_TRIES = 40
_CHANGES = 0.3
"""How often weights are changed before a question."""


class CallSequence:
    """A container and what is asked about it, one after the other.

    Parameters
    ----------
    number : int
        It is the same one for the same number.
    """

    def __init__(self, number: int) -> None:
        self._rng = np.random.default_rng((number, 1))
        case = generate(number, ASKED, choose)
        self.case = dataclasses.replace(case, kept=Kept(case))
        self.questions = int(self._rng.integers(2, _MOST_QUESTIONS))

    def next(self) -> Case:
        """Return the next question about the container."""
        names, shares = list(ASKED), np.array(list(ASKED.values()))
        weights = [w for *_, w in self.case.edges]
        for _ in range(_MOST_TRIES):
            question = str(self._rng.choice(names, p=shares / shares.sum()))
            given = choose(self._rng, question, self.case.n, weights, self.case.weight_type)
            case = dataclasses.replace(self.case, question=question, arguments=given)
            if is_possible(case):
                return case
        return self.case

    def change(self) -> None:
        """Give some edges the weights of others, in the container itself, where that can be."""
        weights = [w for *_, w in self.case.edges]
        if len(set(weights)) < 2 or not _is_given_itself(self.case):
            return
        edges = list(self.case.edges)
        for place in self._rng.integers(len(edges), size=int(self._rng.integers(1, 4))):
            u, v, _ = edges[place]
            edges[place] = (u, v, weights[self._rng.integers(len(weights))])
        fresh = dataclasses.replace(self.case, edges=tuple(edges), kept=None)
        if is_possible(fresh) and _write(self.case, contained(fresh)):
            self.case = dataclasses.replace(fresh, kept=self.case.kept)


def _is_given_itself(case: Case) -> bool:
    """Tell whether reedsp is given the container, and not a Graph of it, which does not change."""
    return case.container in NETWORKX or (case.directed and case.container not in (*EDGE_LISTS, "dense with inf"))


def _write(case: Case, fresh: Any) -> bool:
    """Give a container the weights of another one with the same edges; tell whether that was possible."""
    old = contained(case)
    if isinstance(old, nx.Graph):
        for ends in old.edges(keys=True) if old.is_multigraph() else old.edges:
            old.edges[ends]["weight"] = fresh.edges[ends]["weight"]
        return True
    if isinstance(old, list):
        for row, other in zip(old, fresh, strict=True):
            row[:] = other
        return True
    if isinstance(old, np.ndarray):
        if old.flags.writeable:
            old[...] = fresh
        return old.flags.writeable
    data = getattr(old, "data", None)
    if (
        isinstance(data, np.ndarray)
        and data.dtype != object
        and data.shape == fresh.data.shape
        and data.flags.writeable
    ):
        data[...] = fresh.data
        return True
    return False


def run(number: int, devices: Sequence[reedsp.Device]) -> int:
    """Ask one sequence, and return how many questions there were.

    Parameters
    ----------
    number : int
    devices : sequence of Device
    """
    sequence = CallSequence(number)
    rng = np.random.default_rng((number, 2))
    for asked in range(sequence.questions):
        if asked and rng.random() < _CHANGES:
            sequence.change()
        _check(sequence.next(), devices[rng.integers(len(devices))], f"sequence {number}, question {asked}")
    return sequence.questions


def run_together(number: int, devices: Sequence[reedsp.Device], threads: int) -> int:
    """Ask one sequence in several threads at a time, and return how many questions there were.

    Parameters
    ----------
    number : int
    devices : sequence of Device
    threads : int
    """
    sequence = CallSequence(number)
    cases = [[sequence.next() for _ in range(sequence.questions)] for _ in range(threads)]

    def ask(thread: int) -> None:
        for asked, case in enumerate(cases[thread]):
            where = f"sequence {number}, thread {thread} of {threads}, question {asked}"
            _check(case, devices[(thread + asked) % len(devices)], where)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(ask, thread) for thread in range(threads)]:
            done.result()
    return threads * sequence.questions


def _check(case: Case, device: reedsp.Device, where: str) -> None:
    try:
        check(case, device)
    except Exception as error:
        error.add_note(f"{where}, on {device}:\n{case!r}")
        raise


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sequences", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="the first one (0)")
    parser.add_argument("--devices", metavar="NAME,NAME", help="as REEDSP_DEVICE; by default all that there are")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="that ask at the same time (1)")
    parser.add_argument("--failures", type=int, default=5, metavar="N", help="stop after so many wrong sequences (5)")
    given = parser.parse_args(arguments)
    names = given.devices.split(",") if given.devices else range(len(reedsp.devices()))
    devices = [reedsp.get_device(name) for name in names]
    remembered._FEWEST_BYTES = 0  # small matrices are remembered here, too
    begin, asked, failures = time.monotonic(), 0, 0
    for number in range(given.first, given.first + given.sequences):
        try:
            asked += run(number, devices) if given.threads == 1 else run_together(number, devices, given.threads)
        except Exception:
            failures += 1
            traceback.print_exc()
            if failures >= given.failures:
                break
    print(
        f"{asked} questions in {given.sequences} sequences, {failures} of them wrong, {time.monotonic() - begin:.0f} s"
    )
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
