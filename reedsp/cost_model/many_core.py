"""The threaded many-core memory model of Ma, Agrawal and Chamberlain (2012), as it is printed.

It says how long a program takes on a machine whose threads wait for a slow memory by turns, from six numbers of the
machine and four of the program, up to constant factors. The four algorithms for all pairs of their Table III are here
as functions of the vertices and edges; docs/explanation/all-pairs.md says what was found wrong.

It is here to be asked. The package itself decides by counts that were fitted to what was measured
(:mod:`reedsp.cost_model.counts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class ManyCore:
    """A machine (Table I).

    Attributes
    ----------
    latency : float
        L: operations that could be done while the slow memory is accessed once.
    cores : float
        P, of all multiprocessors.
    coalesced : float
        C: words side by side that neighbours access together.
    local_words : float
        Z: of the fast memory of a multiprocessor.
    cores_together : float
        Q: those of a multiprocessor.
    most_threads : float
        X: the most threads of a core.
    """

    latency: float
    cores: float
    coalesced: float
    local_words: float
    cores_together: float
    most_threads: float

    def __post_init__(self) -> None:
        """Refuse numbers that no machine has.

        Raises
        ------
        ValueError
            One is not positive; the message names it.
        """
        _refuse_what_is_not_positive(self)


@dataclass(frozen=True)
class Program:
    """What a program does (Table II).

    Attributes
    ----------
    work : float
        T1: all operations.
    span : float
        T-infinity: operations that have to wait for each other.
    accesses : float
        M: of the slow memory; what neighbours access together counts once.
    local_words : float
        S: of the fast memory, for each thread.
    """

    work: float
    span: float
    accesses: float
    local_words: float = 1

    def __post_init__(self) -> None:
        """Refuse numbers that no program has.

        Raises
        ------
        ValueError
            One is not positive; the message names it.
        """
        _refuse_what_is_not_positive(self)


def _refuse_what_is_not_positive(numbers: ManyCore | Program) -> None:
    for each in fields(numbers):
        value = getattr(numbers, each.name)
        if not 0 < value < math.inf:
            raise ValueError(f"{each.name} = {value!r}, expected a positive number")


def threads(program: Program, machine: ManyCore, *, span: bool = True) -> float:
    """Return T, the threads of a core: as many as the machine, its fast memory and the program allow.

    Parameters
    ----------
    program : Program
    machine : ManyCore
    span : bool
        Whether the program's parallelism T1 / (T-infinity P) bounds them: section II.B says so, and Table III leaves it
        out.
    """
    by_memory = machine.local_words / (program.local_words * machine.cores_together)
    most = min(machine.most_threads, by_memory)
    return min(most, program.work / (program.span * machine.cores)) if span else most


def effective_work(program: Program, machine: ManyCore, *, span: bool = True) -> float:
    """Return T_E, the operations and the accesses that threads do not hide (equation 1)."""
    return max(program.work, program.accesses * machine.latency / threads(program, machine, span=span))


def time(program: Program, machine: ManyCore, *, span: bool = True) -> float:
    """Return T_P, the time in operations of a core (equation 2); without the span as in Table III."""
    shared = effective_work(program, machine, span=span) / machine.cores
    return max(shared, program.span) if span else shared


def speedup(program: Program, machine: ManyCore, *, span: bool = True) -> float:
    """Return S_P, how many times as fast as one core without latency it is (equation 3)."""
    return program.work / time(program, machine, span=span)


def time_without_latency(program: Program, machine: ManyCore) -> float:
    """Return the time on a PRAM of as many cores."""
    return max(program.work / machine.cores, program.span)


def latency_hidden(program: Program, machine: ManyCore) -> float:
    """Return the largest L that takes no time: the program is as fast as on a PRAM up to it, if its span allows."""
    return program.work / program.accesses * threads(program, machine, span=False)


# ---- Table III -----------------------------------------------------------------------------------------


def _log(number: float) -> float:
    """Return a logarithm that is never below one operation."""
    return max(1.0, math.log2(number))


def matrix_squaring(n: float, m: float, machine: ManyCore) -> Program:
    """Return the first row: min-plus squares of the matrix in blocks; the paper calls it Floyd-Warshall (III.A)."""
    work = n**3 * _log(n)
    return Program(work, n * _log(n), work / (math.sqrt(machine.local_words) * machine.coalesced))


def johnson_heap(n: float, m: float, machine: ManyCore) -> Program:
    """Return the second row: Dijkstra's algorithm with a binary heap, a thread a source (III.B)."""
    return Program(m * n * _log(n), m * _log(n), m * n * _log(n))


def johnson_array(n: float, m: float, machine: ManyCore) -> Program:
    """Return the third row: Dijkstra's algorithm with an array, a multiprocessor a source (III.C).

    Where the array fits into the fast memory, it is read there (V.A).
    """
    if n <= machine.local_words:
        return Program(n**3 + m * n, n * _log(n) + m, n**2 / machine.coalesced + m * n)
    chunks = n**2 * _log(machine.local_words) / machine.local_words
    return Program(n**3 + m * n, chunks, n**3 / machine.coalesced + m * n)


def bellman_ford_as_printed(n: float, m: float, machine: ManyCore) -> Program:
    """Return the fourth row: Bellman-Ford, a multiprocessor a source (III.D), all of whose accesses are coalesced.

    Where the edges fit into the fast memory of all multiprocessors, they are read once (V.B).
    """
    edges = 0 if m <= machine.cores / machine.cores_together * machine.local_words else m * n**2
    return Program(m * n**2, n, (edges + n**3) / machine.coalesced)


def bellman_ford(n: float, m: float, machine: ManyCore) -> Program:
    """Return the fourth row put right: the distances of the vertices that edges come from lie anywhere.

    Sorted by the vertices that they end at, the edges are coalesced and those distances are not, unless all distances
    fit into the fast memory: then it is the edges that are read, in each round.
    """
    gathered = 0 if n <= machine.local_words else m * n**2
    return Program(m * n**2, n, (m * n**2 + n**3) / machine.coalesced + gathered)


def _limit_of_squaring(n: float, m: float, machine: ManyCore) -> float:
    return math.sqrt(machine.local_words) * machine.coalesced * _limit(machine)


def _limit_of_heaps(n: float, m: float, machine: ManyCore) -> float:
    return _limit(machine)


def _limit_of_arrays(n: float, m: float, machine: ManyCore) -> float:
    relaxations = n**2 / m
    return (relaxations if n <= machine.local_words else min(machine.coalesced, relaxations)) * _limit(machine)


def _limit_as_printed(n: float, m: float, machine: ManyCore) -> float:
    return machine.coalesced * _limit(machine)


def _limit_of_bellman_ford(n: float, m: float, machine: ManyCore) -> float:
    return (machine.coalesced if n <= machine.local_words else 1) * _limit(machine)


def _limit(machine: ManyCore) -> float:
    return min(machine.most_threads, machine.local_words / machine.cores_together)


@dataclass(frozen=True)
class Algorithm:
    """A row of Table III.

    Attributes
    ----------
    program : callable(n, m, machine)
        Returns the :class:`Program` for a graph of n vertices and m edges.
    limit : callable(n, m, machine)
        Returns the largest latency at which the table says that it is as fast as on a PRAM.
    """

    program: Callable[[float, float, ManyCore], Program]
    limit: Callable[[float, float, ManyCore], float]


TABLE = {
    "matrix squaring": Algorithm(matrix_squaring, _limit_of_squaring),
    "heap": Algorithm(johnson_heap, _limit_of_heaps),
    "array": Algorithm(johnson_array, _limit_of_arrays),
    "Bellman-Ford": Algorithm(bellman_ford, _limit_of_bellman_ford),
    "Bellman-Ford, as printed": Algorithm(bellman_ford_as_printed, _limit_as_printed),
}
"""The four algorithms, the last of them put right and as it is printed."""
