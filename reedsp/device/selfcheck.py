"""Whether a way to compute something gives right answers on a device: tried once on a problem with a known answer.

What passes is remembered for this driver, also by later processes, as long as the trial and the sources of all programs
that it asked for are the same. What does not is put aside with a warning, and the next way serves. Nothing is stored
about it, so that a mended machine is trusted again. In this process what gives a wrong answer or crashes stays aside;
what only fails, as where a disk is full, is tried again when some time has passed.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import logging
import math
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from reedsp.device import build
from reedsp.device.compiler import DEVICE, CompilerCrashError, CompilerUnavailableError
from reedsp.device.device import Device, Program, programs_requested
from reedsp.device.errors import DeviceError, DeviceMemoryError, PrecisionError
from reedsp.device.job import spoilt_memory
from reedsp.system.files.atomic_file import write_private
from reedsp.system.files.cache_folders import private_directory
from reedsp.system.files.regular_file import read_regular

_log = logging.getLogger(__name__)

_LARGEST = 1 << 20  # bytes of a record

_PATIENCE = 100  # times as long as a trial took that has failed, it is not made again


class _Verdict(NamedTuple):
    """What a trial has shown.

    Attributes
    ----------
    programs : frozenset of Program, optional
        Those that it covers, if it was passed.
    failure : str
        Why it was not, if not for a wrong answer.
    until : float
        When it may be made again.
    """

    programs: frozenset[Program] | None
    failure: str = ""
    until: float = math.inf


_known: dict[tuple[tuple[str, ...], str, tuple[Any, ...]], _Verdict] = {}
"""By each trial's driver, name and arguments."""

_failure: ContextVar[str] = ContextVar("_failure", default="")
"""Of what was not trusted last."""


def is_trusted(
    device: Device, description: str | Callable[[], str], trial: Callable[..., bool], *arguments: Any
) -> bool:
    """Return whether a way to compute something gives right answers on a device.

    Parameters
    ----------
    device : Device
    description : str or callable()
        Names the way where a warning says that it is put aside.
    trial : callable(device, *arguments)
        Solves a small problem and compares. If it and its arguments can be pickled but for the device, a child process
        does it first.
    *arguments
        All that decides which programs the trial asks the device for, hashable. A verdict is kept by the name of the
        trial and by these; on disk functions by their names, and everything else as ``repr`` shows it.

    Raises
    ------
    DeviceMemoryError, PrecisionError
        There is no memory to try it, or no device arithmetic.
    """
    if device.platform in build.SIMULATORS:
        return True
    driver = (device.platform, device.platform_version, device.name, device.driver_version, device.kind)
    key = (driver, _name_of(trial), arguments)
    verdict = _known.get(key)
    if verdict is None or verdict.until <= time.monotonic():
        verdict = _known[key] = _verdict(device, key, description, trial)
    if verdict.programs is None:
        _failure.set(verdict.failure)
    return verdict.programs is not None


def none_is_trusted(message: str) -> DeviceError:
    """Return the error of a call for which no way is trusted, with this message and why the last one has failed."""
    failure = _failure.get()
    return DeviceError(f"{message}: {failure}" if failure else message)


def _verdict(
    device: Device,
    key: tuple[tuple[str, ...], str, tuple[Any, ...]],
    description: str | Callable[[], str],
    trial: Callable[..., bool],
) -> _Verdict:
    driver, name, arguments = key
    record = _record((driver, name, *map(_name_of, arguments)), trial.__module__)
    programs = None if record is None else _covered_by(record)
    if programs is not None:
        return _Verdict(programs)
    own = Device(device.index, device.handle) if device.shares_queue else device  # on whose queue nothing waits
    verdict = _tried(own, description, functools.partial(trial, own, *arguments))
    if verdict.programs is not None and record is not None:
        _write(record, verdict.programs)
    return verdict


def _name_of(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}" if hasattr(thing, "__qualname__") else repr(thing)


def _tried(device: Device, description: str | Callable[[], str], trial: Callable[[], bool]) -> _Verdict:
    """Return what a trial shows; what is not passed is warned of."""
    started = time.monotonic()
    try:
        _rehearse(device, trial)
        with programs_requested() as programs, spoilt_memory():
            if trial():
                return _Verdict(frozenset(programs))
        reason, verdict = "gives a wrong answer", _Verdict(None)
    except CompilerCrashError as error:
        reason, verdict = f"crashes: {error}", _Verdict(None, str(error))
    except (DeviceMemoryError, PrecisionError):
        raise
    except DeviceError as error:
        reason, verdict = f"fails: {error}", _Verdict(None, str(error))
        if not _is_of_a_crash(error):
            now = time.monotonic()
            verdict = verdict._replace(until=now + _PATIENCE * (now - started))
    described = description if isinstance(description, str) else description()
    warnings.warn(f"{described} {reason} on {device}, and is put aside", RuntimeWarning, stacklevel=2)
    return verdict


def _is_of_a_crash(error: DeviceError) -> bool:
    """Return whether the compiler has crashed on a kernel of the trial."""
    return error.__cause__ is not None and isinstance(error.__cause__.__cause__, CompilerCrashError)


class _Pickler(pickle.Pickler):
    """Leaves out devices."""

    def persistent_id(self, thing: object) -> str | None:
        return DEVICE if isinstance(thing, Device) else None


def _rehearse(device: Device, trial: Callable[[], bool]) -> None:
    """Have a child process do it first, so that a crash of the driver does not end this one."""
    call = io.BytesIO()
    try:
        _Pickler(call).dump(trial)
        build.rehearse(device.handle, call.getvalue())
    except (CompilerUnavailableError, pickle.PicklingError, AttributeError, TypeError) as error:
        _log.info("tried in this process alone: %s", error)


# ---- what is remembered -----------------------------------------------------------------------------


def _record(key: tuple[Any, ...], module: str) -> Path | None:
    """Return the file that says which programs a trial of a module has passed with."""
    try:
        folder, digest = private_directory("trusted"), _digest_of(module)
    except OSError as error:  # the kernels' cache, beside it, warns
        _log.info("what passes is not remembered: %s", error)
        return None
    return folder / hashlib.sha256(repr((key, digest)).encode()).hexdigest()


@functools.cache
def _digest_of(module: str) -> str:
    file = getattr(sys.modules[module], "__file__", None)
    return "" if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _covered_by(record: Path) -> frozenset[Program] | None:
    """Return the programs of a record, unless there is none, or one of their sources has changed since."""
    try:
        entries = json.loads(read_regular(record, _LARGEST))
        if all(build.digest_of(file, dict(macros)) == digest for file, macros, digest in entries):
            return frozenset((file, tuple((name, value) for name, value in macros)) for file, macros, _ in entries)
    except (
        OSError,
        TypeError,
        ValueError,
        RecursionError,
    ) as error:  # no record, a damaged one, or of a file that there was once
        _log.info("tried again: %s", error)
    return None


def _write(record: Path, programs: frozenset[Program]) -> None:
    entries = [(file, macros, build.digest_of(file, dict(macros))) for file, macros in sorted(programs, key=repr)]
    try:
        write_private(record, json.dumps(entries).encode())
    except OSError as error:
        _log.info("what passes is not remembered: %s", error)
