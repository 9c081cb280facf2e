"""What a call has to do, in counts, and how long a machine takes for it: a pure function of both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reedsp.cost_model.machine import Machine

_ENDLESS = float("inf")


class Work(NamedTuple):
    """A part of a call, whose counts are never negative, and need not be whole.

    Attributes
    ----------
    launches, read_backs : float
        Kernels that are queued behind others, and looks of the host at what they have left.
    pairs : float
        Sums and minima in registers, of numbers of the type `arithmetic`.
    bytes : float
        Read or written side by side, in the memory of the device.
    random, atomics : float
        Words anywhere in memory that are read, or lowered.
    waits : float
        Accesses of which one waits for the other,
    footprint : float
        anywhere in so many bytes.
    steps : float
        The same in the nearest memory: what a thread does with what it has at hand is counted so, too.
    barriers : float
        Of a work-group.
    sent, received : float
        Bytes to the device, and back.
    host : float
        Seconds that the host takes, which are not measured.
    """

    launches: float = 0.0
    read_backs: float = 0.0
    pairs: float = 0.0
    bytes: float = 0.0
    random: float = 0.0
    atomics: float = 0.0
    waits: float = 0.0
    footprint: float = 0.0
    steps: float = 0.0
    barriers: float = 0.0
    sent: float = 0.0
    received: float = 0.0
    host: float = 0.0
    arithmetic: str = "int32"


def seconds(work: Work, machine: Machine) -> float:
    """Return how long some work takes: what goes on at the same time takes as long as the slowest part of it.

    Raises
    ------
    ValueError
        A count is negative or no number.
    """
    launches, read_backs, pairs, moved, random, atomics, waits, footprint, steps, barriers, *others, arithmetic = work
    sent, received, host = others
    thread = barriers * machine.barrier
    if steps or waits:
        thread += waits * machine.latency(footprint) + steps * machine.latencies[0][1]
    found = (
        launches * machine.launch
        + read_backs * machine.read_back
        + max(
            pairs / machine.rate(arithmetic),
            moved / machine.bandwidth,
            random / machine.random_reads,
            atomics / machine.atomic_minima,
            thread,
        )
        + sent / machine.upload
        + received / machine.download
        + host
    )
    counts = work[:-1]
    if not (found < _ENDLESS and sum(counts) >= 0 and min(counts) >= 0):
        raise ValueError(f"{work}, expected counts that are not negative")
    return found


def total(works: Iterable[Work], machine: Machine) -> float:
    """Return how long parts take that come one after the other."""
    return sum(seconds(work, machine) for work in works)
