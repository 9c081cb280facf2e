"""What is raised when a device cannot do what it was asked to, or may not be asked: after a fork, or from here."""

from __future__ import annotations

import ctypes
import os

from reedsp.system.public import public


@public
class DeviceError(RuntimeError):
    """No usable OpenCL device, or a device could not do what it was asked to.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1])
    >>> reedsp.sssp(graph, 0, device="abacus")
    Traceback (most recent call last):
        ...
    reedsp.DeviceError: device = 'abacus' fits none of the devices found:
    ...
    """


class PrecisionError(DeviceError):
    """The device does not have this arithmetic at all."""


@public
class DeviceMemoryError(DeviceError, MemoryError):
    """A buffer does not fit on the device; the message says how many bytes were needed.

    Examples
    --------
    It is a ``MemoryError`` as well, so that a program need not know where memory was short:

    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1])
    >>> try:
    ...     dist = reedsp.apsp(graph).dist
    ... except MemoryError:
    ...     dist = reedsp.apsp(graph, out="distances.npy").dist
    """


# ---- OpenCL does not survive a fork -----------------------------------------------------------------

_process: int | None = None


def opencl_is_used() -> None:
    """Remember that it is this process that calls OpenCL."""
    global _process
    _process = os.getpid()


def is_opencl_used() -> bool:
    """Whether this process has called OpenCL: then its drivers read no environment variables any more."""
    return _process == os.getpid()


def is_forked() -> bool:
    """Whether another process has called OpenCL before this one was forked: then this one cannot."""
    return _process not in (None, os.getpid())


def refuse_after_fork() -> None:
    """Raise a RuntimeError if another process has called OpenCL before this one was forked."""
    if is_forked():
        raise RuntimeError(
            "reedsp used OpenCL before this process was forked, and OpenCL does not survive a fork; "
            "start worker processes with multiprocessing.get_context('spawn')"
        )


# ---- pyopencl does not work everywhere --------------------------------------------------------------


def refuse_in_sub_interpreter() -> None:
    """Raise a DeviceError in any other than the main interpreter: pyopencl would wait for a buffer for ever."""
    present, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    present.restype = main.restype = ctypes.c_void_p
    if present() != main():
        raise DeviceError(
            "pyopencl does not work in a sub-interpreter; use the main one (mod_wsgi: WSGIApplicationGroup %{GLOBAL})"
        )
