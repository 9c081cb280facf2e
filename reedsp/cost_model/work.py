"""What a call has to do, in counts, and how long a machine takes for it: a pure function of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reedsp.cost_model.machine import Machine


@dataclass(frozen=True, slots=True)
class Work:
    """A part of a call, whose counts are never negative, and need not be whole.

    Attributes
    ----------
    launches, read_backs : float
        Kernels that are queued behind others, and looks of the host at what they have left.
    pairs : float
        Sums and minima in registers,
    arithmetic : str
        of numbers of this type.
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
        Seconds that the host takes, which nobody measures.
    """

    launches: float = 0.0
    read_backs: float = 0.0
    pairs: float = 0.0
    arithmetic: str = "int32"
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


def seconds(work: Work, machine: Machine) -> float:
    """Return how long some work takes: what goes on at the same time takes as long as the slowest part of it.

    Raises
    ------
    ValueError
        A count is negative or no number.
    """
    at_once = max(
        work.pairs / machine.rate(work.arithmetic) if work.pairs else 0.0,
        work.bytes / machine.bandwidth,
        work.random / machine.random_reads,
        work.atomics / machine.atomic_minima,
        work.waits * machine.latency(work.footprint)
        + work.steps * machine.latencies[0][1]
        + work.barriers * machine.barrier,
    )
    found = (
        work.launches * machine.launch
        + work.read_backs * machine.read_back
        + at_once
        + work.sent / machine.upload
        + work.received / machine.download
        + work.host
    )
    if not (found < _ENDLESS and _least(work) >= 0):
        raise ValueError(f"{work}, expected counts that are not negative")
    return found


def total(works: Iterable[Work], machine: Machine) -> float:
    """Return how long parts take that come one after the other."""
    return sum(seconds(work, machine) for work in works)


_ENDLESS = float("inf")


def _least(work: Work) -> float:
    """Return the least count; NaN is less than all."""
    counts = (
        *(work.launches, work.read_backs, work.pairs, work.bytes, work.random, work.atomics, work.waits),
        *(work.footprint, work.steps, work.barriers, work.sent, work.received, work.host),
    )
    return min(counts) if sum(counts) >= 0 else -1.0
