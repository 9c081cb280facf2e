"""Which OpenCL devices there are, and which one to use."""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.device import build
from reedsp.device.device import Device, one_line
from reedsp.device.errors import DeviceError, opencl_is_used, refuse_after_fork, refuse_in_sub_interpreter
from reedsp.system import icd
from reedsp.system.elsewhere import Elsewhere

_log = logging.getLogger(__name__)

_PREFERENCE = ("cpu", "accelerator", "gpu")

_devices: list[Device] | None = None
_devices_lock = threading.RLock()  # a signal's handler may ask meanwhile


def devices() -> list[Device]:
    """Return every OpenCL device of this machine, in the order of the OpenCL loader; empty if there is none.

    The order changes with the drivers installed: choose a device by name rather than by index.

    Raises
    ------
    DeviceError
        This is a sub-interpreter of Python, in which pyopencl does not work.
    RuntimeError
        The process was forked after another one had called OpenCL.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.devices()
    [<reedsp.Device 0: ...>...]
    """
    global _devices
    refuse_after_fork()
    with _devices_lock:
        if _devices is None:
            refuse_in_sub_interpreter()
            opencl_is_used()
            found = [Device(index, handle) for index, handle in enumerate(_device_handles())]
            if _devices is None:  # still
                _devices = found
    return list(_devices)


def are_known() -> bool:
    """Return whether this process has looked for devices already."""
    return _devices is not None


def device_or_that_of(queue: cl.CommandQueue | None, device: Device | int | str | None) -> Device:
    """Return the device of a queue, if one is given, else the device that an argument names.

    Raises
    ------
    ValueError
        Both are given.
    """
    if queue is None:
        return get_device(device)
    if device is not None:
        raise ValueError("device: the queue has one already")
    if not isinstance(queue, cl.CommandQueue):
        raise TypeError(f"queue: expected a pyopencl.CommandQueue, got {type(queue).__name__}")
    return device_of(queue)


@functools.lru_cache(maxsize=8)  # with the buffers that it keeps, and what is built for its context
def device_of(queue: cl.CommandQueue) -> Device:
    """Return the device of a user's own queue, on which everything is then queued, and nothing waits."""
    matching = [each.index for each in devices() if each.handle == queue.device]
    return Device(matching[0] if matching else -1, queue.device, queue)


def _device_handles() -> list[cl.Device]:
    handles: list[cl.Device] = []
    with build.loading():  # AMD's driver reads the variables as soon as it is loaded
        try:
            platforms = cl.get_platforms()
        except cl.Error as error:
            _log.info("no OpenCL platform: %s", error)
            return []
        for platform in platforms:
            try:
                handles += platform.get_devices(cl.device_type.ALL)
            except cl.Error as error:
                _log.info("platform %s has no device: %s", platform.name, error)
    return [handle for handle in handles if handle.available and handle.compiler_available]


def get_devices(device: Device | int | str | Sequence[Device | int | str] | None) -> list[Device]:
    """Return the devices that an argument names: one as for :func:`get_device`, or each of a sequence.

    Raises
    ------
    DeviceError, TypeError
        As for :func:`get_device`; the message names the position.
    ValueError
        The sequence is empty.
    """
    if not isinstance(device, Sequence) or isinstance(device, str | bytes | bytearray | memoryview):
        return [get_device(device)]  # type: ignore[arg-type]  # of bytes, which are refused
    if not device:
        raise ValueError("device: the list is empty")
    return [_device_that(each, f"device[{position}]") for position, each in enumerate(device)]


def get_device(device: Device | cl.Device | int | str | None = None) -> Device:
    """Return the device to use.

    Parameters
    ----------
    device : Device, pyopencl.Device, int, str, optional
        A device, its index in :func:`devices`, or part of its name or of its platform's name, version or vendor
        (``"nvidia"``, ``"pocl"``), or its kind (``"gpu"``, ``"cpu"``). By default the environment variable
        ``REEDSP_DEVICE``, read in the same way; without it the best GPU, else the CPU.

    Raises
    ------
    DeviceError
        There is no OpenCL device (the message says what to install), or none that fits the request.
    TypeError
        `device` is none of these.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.get_device("cpu").kind
    'cpu'
    """
    return device if isinstance(device, Device) else _device_that(device, "device")


def _device_that(device: Device | cl.Device | int | str | None, argument: str) -> Device:
    """Return the device that an argument names."""
    if isinstance(device, Device):
        return device
    found = devices()
    if isinstance(device, cl.Device):
        match = [each for each in found if each.handle == device]
        if not match:
            raise DeviceError(f"{one_line(device.name)} is not among the devices found")
        return match[0]
    origin = argument
    if device is None and (wanted := os.environ.get("REEDSP_DEVICE", "").strip()):
        device, origin = wanted, "REEDSP_DEVICE"
    if not found:
        raise DeviceError(f"no OpenCL device was found\n{icd.install_hint()}")
    if device is None:
        candidates = found
    elif isinstance(device, str):
        candidates = [each for each in found if _matches(each, device.strip().lower())]
    elif isinstance(device, (int, np.integer)) and not isinstance(device, bool):
        candidates = [each for each in found if each.index == device]
    elif isinstance(device, Elsewhere):
        raise TypeError(
            f"{argument}: a cluster answers sssp, bfs, apsp, distance_table and distance_statistics, and nothing else"
        )
    else:
        raise TypeError(f"{argument}: expected a device, an index or part of a name, got {type(device).__name__}")
    if not candidates:
        listing = "\n".join(f"  {each.index}: {each}, {each.kind}" for each in found)
        raise DeviceError(f"{origin} = {device!r} fits none of the devices found:\n{listing}")
    chosen = candidates[0] if len(candidates) == 1 else max(candidates, key=_score)
    _log.info("using %s", chosen)
    return chosen


def _matches(device: Device, text: str) -> bool:
    if not text or text.isdigit():
        return text == str(device.index)
    if text in _PREFERENCE:
        return device.kind == text and device.platform not in build.SIMULATORS  # Oclgrind calls itself a GPU
    names = (device.name, device.platform, device.platform_version, device.vendor)
    return any(text in words.lower() for words in names)


def _score(device: Device) -> tuple[Any, ...]:
    """Real devices before simulators, GPUs before CPUs, then by speed, then the earlier one."""
    kind = _PREFERENCE.index(device.kind) if device.kind in _PREFERENCE else -1
    speed = device.compute_units * int(device.handle.max_clock_frequency)
    return (device.platform not in build.SIMULATORS, kind, speed, device.global_memory, -device.index)
