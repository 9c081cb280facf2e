"""What is known of a device: its parameters as they were measured on it, or until then those of its family."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reedsp.cost_model.machine import Machine, stored

if TYPE_CHECKING:
    from reedsp.device.device import Device

CALIBRATED = "`reedsp calibrate`"
"""Where the parameters of a device come from that were measured on it."""

_CACHES = ((1 << 14, 1.4e-9), (1 << 17, 4.2e-9), (1 << 20, 9e-9), (1 << 22, 1.5e-8), (1 << 24, 1e-7))

_CORE = Machine(
    latencies=_CACHES,
    bandwidth=2e10,
    random_reads=1.3e8,
    atomic_minima=1e8,
    coalesced=16,
    threads=1,
    barrier=3e-8,
    launch=2e-6,
    read_back=4e-5,
    upload=2e9,
    download=1.4e10,
    pairs={"uint16": 1.1e11, "int32": 5.2e10, "int64": 2.5e10, "float32": 2.9e10, "float64": 1.45e10},
)
"""One core of a server's processor with 512-bit vectors, of which all others have as much; as measured."""

_NVIDIA_UNIT = Machine(
    latencies=((1 << 14, 2e-8), (1 << 17, 2.1e-8), (1 << 20, 1.4e-7), (1 << 26, 1.5e-7)),
    bandwidth=2.2e10,
    random_reads=4e8,
    atomic_minima=1.6e8,
    coalesced=16,
    threads=64,
    barrier=2.1e-8,
    launch=8e-6,
    read_back=2.5e-5,
    upload=2.9e10,
    download=2.4e10,
    pairs={"uint16": 6.5e10, "int32": 1.2e11, "int64": 2.1e10, "float32": 1.14e11, "float64": 2.3e10},
)
"""One multiprocessor of a data-centre GPU, as measured."""

_INTEGRATED_UNIT = replace(
    _NVIDIA_UNIT,
    latencies=((1 << 14, 6e-8), (1 << 20, 2e-7), (1 << 24, 5e-7)),
    bandwidth=2e9,
    random_reads=2e7,
    atomic_minima=5e6,
    threads=256,
    launch=1e-5,
    read_back=1e-4,
    upload=5e9,
    download=5e9,
    pairs={"uint16": 3e9, "int32": 3e9, "int64": 7e8, "float32": 5e9, "float64": 7e8},
)
"""One unit of a GPU that shares the memory of its processor, with a share of some tens of it; as of data sheets."""

_FEW_CORES = 8
"""Cores that memory and its accesses grow with."""
_DATA_CENTRE = 30 << 30
"""Bytes of memory from which on a GPU is none of a desktop."""


@dataclass(frozen=True, eq=False)  # each its own key, of what is kept
class Known:
    """What is known of a device.

    Attributes
    ----------
    machine : Machine
    kind : str
        "cpu" or "gpu", which anything else counts as.
    units : int
        Compute units.
    source : str
        Where the parameters come from, in words.
    """

    machine: Machine
    kind: str
    units: int
    source: str

    @property
    def is_cpu(self) -> bool:
        """Whether its threads are few, and each of them fast."""
        return self.kind == "cpu"

    @property
    def was_measured(self) -> bool:
        """Whether the parameters are those of this device."""
        return self.source == CALIBRATED


def family(kind: str, units: int, memory: int, shares_memory: bool) -> Known:
    """Return what is assumed of a device on which nothing was measured.

    Parameters
    ----------
    kind : str
        Of a :class:`reedsp.Device`.
    units, memory : int
        Compute units, and bytes of memory.
    shares_memory : bool
        Whether the memory is that of the host.
    """
    if kind == "cpu":
        return Known(_times(_CORE, units, min(units, _FEW_CORES)), "cpu", units, "processors of this size")
    if shares_memory:
        return Known(_times(_INTEGRATED_UNIT, units, units), "gpu", units, "GPUs that share memory with the host")
    if kind == "gpu" and memory >= _DATA_CENTRE:
        return Known(_times(_NVIDIA_UNIT, units, units), "gpu", units, "GPUs of data centres")
    slower = replace(_NVIDIA_UNIT, bandwidth=1e10, random_reads=5e7, atomic_minima=1e7)
    return Known(_times(slower, units, units), "gpu", units, "GPUs of this size")


def _times(unit: Machine, units: int, sharers: int) -> Machine:
    """Return a machine of so many units, as many of which get memory of their own at most."""
    return replace(
        unit,
        bandwidth=unit.bandwidth * sharers,
        random_reads=unit.random_reads * sharers,
        atomic_minima=unit.atomic_minima * sharers,
        threads=unit.threads * units,
        pairs={name: rate * units for name, rate in unit.pairs.items()},
    )


_known: weakref.WeakKeyDictionary[Device, Known] = weakref.WeakKeyDictionary()


def known(device: Device) -> Known:
    """Return what is known of a device; the file of what was measured is read once in a process.

    Warns
    -----
    RuntimeWarning
        There is such a file, which cannot be used.
    """
    found = _known.get(device)
    if found is None:
        found = family(device.kind, device.compute_units, device.global_memory, device.shares_memory)
        machine = stored(device)
        if machine is not None:
            found = Known(machine, found.kind, found.units, CALIBRATED)
        _known[device] = found
    return found


def forget(device: Device) -> None:
    """Have the next look at a device read its file again."""
    _known.pop(device, None)
