"""The parameters of a machine that the cost model works with, and where they are kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reedsp.system.files.measured_file import MeasuredFile, UnusableError

if TYPE_CHECKING:
    from reedsp.device.device import Device

FILES = MeasuredFile("machines", "parameters", "reedsp calibrate")
"""Where they are kept."""

UNITS = {
    "bandwidth": "B/s",
    "random_reads": "/s",
    "atomic_minima": "/s",
    "coalesced": "words",
    "threads": "work-items",
    "barrier": "s",
    "launch": "s",
    "read_back": "s",
    "upload": "B/s",
    "download": "B/s",
}
"""Of the parameters that are single numbers."""

_LEAST, _LARGEST = 1e-18, 1e18  # of any parameter
_LONGEST_SHOWN = 40  # characters of what is no parameter
_WHOLE = ("coalesced", "threads")


@dataclass(frozen=True)
class Machine:
    """What a device can do, as measured by ``reedsp calibrate``.

    Ma, Agrawal and Chamberlain (2014, section II) describe a machine by the latency L of its memory, its cores P, the
    words C of one access and the threads X of a core. Bandwidth, rates and times are missing from their model, and
    needed.

    Attributes
    ----------
    latencies : tuple of (int, float)
        Bytes that are accessed at random, ascending, and the seconds in which one access follows the other, which do
        not fall. Each level of memory is a step.
    bandwidth : float
        Bytes per second that are read or written in a copy within the device.
    random_reads, atomic_minima : float
        Words of 32 bits per second, anywhere in memory, that are read or lowered.
    coalesced : int
        Words that lie side by side, and that neighbouring work-items read in one access.
    threads : int
        Work-items that read words anywhere as fast as any number of them.
    barrier : float
        Seconds of a barrier of one work-group.
    launch : float
        Seconds of a launch that is queued behind others.
    read_back : float
        Seconds from a launch to a word of its results on the host.
    upload, download : float
        Bytes per second from the host to the device, and back.
    pairs : mapping of str to float
        Sums and minima per second in registers, by the type of the numbers.
    """

    latencies: tuple[tuple[int, float], ...]
    bandwidth: float
    random_reads: float
    atomic_minima: float
    coalesced: int
    threads: int
    barrier: float
    launch: float
    read_back: float
    upload: float
    download: float
    pairs: Mapping[str, float]

    def __post_init__(self) -> None:
        """Refuse numbers that no machine has.

        Raises
        ------
        ValueError
            One is not positive, not finite or too large, or the latencies are out of order; the message names it.
        """
        values = [(name, getattr(self, name)) for name in UNITS]
        values += [(f"pairs[{name!r}]", rate) for name, rate in self.pairs.items()]
        values += [(f"latencies[{i}]", number) for i, each in enumerate(self.latencies) for number in each]
        for name, value in values:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not _LEAST <= value <= _LARGEST:
                raise ValueError(f"{name} = {_shown(value)}, expected a number from {_LEAST:g} to {_LARGEST:g}")
        for name in _WHOLE:
            if getattr(self, name) != int(getattr(self, name)):
                raise ValueError(f"{name} = {getattr(self, name)!r}, expected an integer")
        if not self.latencies or not self.pairs:
            raise ValueError("latencies and pairs: expected at least one of each")
        for number, (one, other) in enumerate(pairwise(self.latencies), start=1):
            if not (one[0] < other[0] and one[1] <= other[1]):
                raise ValueError(f"latencies[{number}] = {other!r} comes after {one!r}")

    def latency(self, size: float) -> float:
        """Return the seconds of an access that has to wait for another one, anywhere in so many bytes."""
        (before, seconds), *others = self.latencies
        if size <= before:
            return seconds
        for after, then in others:
            if size <= after:
                part = math.log(size / before) / math.log(after / before)
                return seconds + part * (then - seconds)
            before, seconds = after, then
        return seconds

    def rate(self, arithmetic: str) -> float:
        """Return the sums and minima per second of a type; of one that was not measured those of the slowest."""
        pairs = self.pairs
        return pairs[arithmetic] if arithmetic in pairs else min(pairs.values())

    def content(self) -> dict[str, Any]:
        """Return what a file holds of it."""
        return asdict(self)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def identity_of(device: Device) -> dict[str, str]:
    """Return what the parameters depend on: also how many compute units there are, of which a job may get a part."""
    return {**device.identity, "compute_units": str(device.compute_units)}


def stored(device: Device) -> Machine | None:
    """Return the parameters of a device that were measured on it; None if there are none.

    Warns
    -----
    RuntimeWarning
        There is a file that cannot be used.
    """
    return FILES.read(identity_of(device), _parsed)


def _parsed(content: dict[str, Any]) -> Machine:
    if set(content) != {each.name for each in fields(Machine)}:
        raise UnusableError("it is damaged")
    latencies, rates = content["latencies"], content["pairs"]
    if not isinstance(latencies, list) or not isinstance(rates, dict):
        raise UnusableError("it is damaged")
    if not all(isinstance(each, list) and len(each) == 2 for each in latencies):
        raise UnusableError("it is damaged")
    try:
        return Machine(**{**content, "latencies": tuple((size, seconds) for size, seconds in latencies)})
    except ValueError as error:
        raise UnusableError(str(error)) from None
