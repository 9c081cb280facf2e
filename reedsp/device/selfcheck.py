"""Whether a way to compute something gives right answers on a device: tried once on a problem with a known answer.

What passes is remembered for this driver and these kernels, also by later processes. What fails is put aside with one
warning, and the next way serves. Nothing is stored about it, so that a mended machine is trusted again.
"""

from __future__ import annotations

import hashlib
import io
import logging
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

from reedsp.device import build
from reedsp.device.compiler import DEVICE, CompilerCrashError, CompilerUnavailableError
from reedsp.device.device import Device, DeviceError, DeviceMemoryError, PrecisionError
from reedsp.system.cache_folders import private_directory

_log = logging.getLogger(__name__)

_SIMULATORS = ("Oclgrind",)
"""They are slow, and are there to find faults."""

_known: dict[tuple[tuple[str, ...], str], bool] = {}  # by driver and name


def is_trusted(device: Device, name: str, is_right: Callable[[], bool]) -> bool:
    """Return whether a way to compute something gives right answers on a device.

    Parameters
    ----------
    device : Device
    name : str
        Names the way, with all that decides which kernels it runs.
    is_right : callable()
        Solves a small problem and compares. If it can be pickled but for the device, a child process does it first.

    Raises
    ------
    DeviceMemoryError, PrecisionError
        There is no memory to try it, or no device arithmetic.
    """
    if device.platform in _SIMULATORS:
        return True
    driver = (device.platform, device.platform_version, device.name, device.driver_version)
    if (verdict := _known.get((driver, name))) is None:
        record = _record(driver, name)
        verdict = _known[driver, name] = (record is not None and record.exists()) or _passes(device, name, is_right)
        if verdict and record is not None:
            _write(record)
    return verdict


def _passes(device: Device, name: str, is_right: Callable[[], bool]) -> bool:
    try:
        _rehearse(device, is_right)
        if is_right():
            return True
        reason = "gives a wrong answer"
    except CompilerCrashError as error:
        reason = f"crashes: {error}"
    except (DeviceMemoryError, PrecisionError):
        raise
    except DeviceError as error:
        reason = f"fails: {error}"
    warnings.warn(f"{name} {reason} on {device}, and is put aside", RuntimeWarning, stacklevel=2)
    return False


class _Pickler(pickle.Pickler):
    """Leaves out devices."""

    def persistent_id(self, thing: object) -> str | None:
        return DEVICE if isinstance(thing, Device) else None


def _rehearse(device: Device, is_right: Callable[[], bool]) -> None:
    """Have a child process do it first, lest a crash of the driver ends this one."""
    call = io.BytesIO()
    try:
        _Pickler(call).dump(is_right)
        build.rehearse(device.handle, call.getvalue())
    except (CompilerUnavailableError, pickle.PicklingError, AttributeError, TypeError) as error:
        _log.info("tried in this process alone: %s", error)


# ---- what is remembered -----------------------------------------------------------------------------


def _record(driver: tuple[str, ...], name: str) -> Path | None:
    """Return the file whose presence says that something has passed."""
    try:
        folder = private_directory("trusted")
    except OSError as error:  # the kernels' cache, beside it, warns
        _log.info("what passes is not remembered: %s", error)
        return None
    key = hashlib.sha256(repr((driver, build.sources_digest(), name)).encode()).hexdigest()
    return folder / key


def _write(record: Path) -> None:
    try:
        record.touch(mode=0o600)
    except OSError as error:
        _log.info("what passes is not remembered: %s", error)
