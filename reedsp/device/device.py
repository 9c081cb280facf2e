"""One OpenCL device: what it can do, and the kernels that are built for it."""

from __future__ import annotations

import contextlib
import logging
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import pyopencl as cl

from reedsp.device import build
from reedsp.device.errors import DeviceError, PrecisionError
from reedsp.device.job import Kernel
from reedsp.device.memory.scratch import PinnedParts, Scratch
from reedsp.device.self_test import self_test
from reedsp.system.public import public

_log = logging.getLogger(__name__)

Program = tuple[str, tuple[tuple[str, str | int], ...]]
"""A file in ``cl/``, and the macros that it is built with."""

_KINDS = {
    cl.device_type.GPU: "gpu",
    cl.device_type.ACCELERATOR: "accelerator",
    cl.device_type.CPU: "cpu",
}
_STEPS_AT_ONCE = 1 << 22  # a few hundredths of a second on slow cores, or on cores with much else to do


class _Built:
    """What is built for one device of one context, in any of its queues."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.programs: dict[Program, cl.Program] = {}
        self.kernels: dict[tuple[Program, str], Kernel] = {}


_of_queues: WeakValueDictionary[tuple[cl.Context, cl.Device], _Built] = WeakValueDictionary()
"""Of users' own, whose contexts are released with the last :class:`Device` that has such a queue."""


def _built_for(context: cl.Context, handle: cl.Device) -> _Built:
    return _of_queues.setdefault((context, handle), _Built())


_requested: ContextVar[set[Program] | None] = ContextVar("requested", default=None)


@public
class Device:
    """One OpenCL device.

    Attributes
    ----------
    index : int
        Place in :func:`devices`.
    name, platform, platform_version, vendor, driver_version : str
    kind : {"gpu", "accelerator", "cpu"}
    compute_units : int
    global_memory, local_memory, max_allocation : int
        Bytes of memory, of local memory of one work-group, and of the largest single buffer.
    max_work_group_size : int
        Work-items.
    fp64, int64_atomics : bool
        Whether the device computes with doubles, and has 64-bit atomic operations.
    loads_are_atomic : bool
        Whether a load of an aligned word gives what one work-item or another has stored there, though other
        work-groups write it by atomic operations. OpenCL C 1.2 does not promise it; CPUs and NVIDIA's GPUs do.
    steps_at_once : int
        Edges, or as much else, that the device is given at a time, so that Ctrl-C is prompt. GPUs, which are
        much faster, have no limit, nor has a user's own queue, on which nothing waits.
    sees_host_memory : bool
        Whether it is a CPU whose kernels may use any memory of the process (fine-grained system shared virtual memory).
    shares_memory : bool
        Whether its memory is that of the host.
    shares_queue : bool
        Whether its queue is a user's own.
    scratch : Scratch
        Buffers that are kept for later calls.
    nvidia_generation : int
        Compute capability of an NVIDIA device without its second digit; 0 for others.

    Examples
    --------
    >>> import reedsp
    >>> device = reedsp.get_device()
    >>> reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], [7]), 0, device=device).dist
    array([0., 7.])
    >>> device.self_test()
    """

    def __init__(self, index: int, handle: cl.Device, queue: cl.CommandQueue | None = None) -> None:
        self.index = index
        self.handle = handle
        self.name: str = one_line(handle.name)
        self.platform: str = one_line(handle.platform.name)
        self.platform_version: str = one_line(handle.platform.version)
        self.vendor: str = one_line(handle.platform.vendor)
        self.driver_version: str = one_line(handle.driver_version)
        self.kind: str = next((kind for bit, kind in _KINDS.items() if handle.type & bit), "other")
        self.compute_units: int = int(handle.max_compute_units)
        self.global_memory: int = int(handle.global_mem_size)
        self.local_memory: int = int(handle.local_mem_size)
        self.max_allocation: int = int(handle.max_mem_alloc_size)
        self.max_work_group_size: int = int(handle.max_work_group_size)
        extensions = handle.extensions.split()
        self.fp64: bool = "cl_khr_fp64" in extensions
        self.int64_atomics: bool = {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"} <= set(extensions)
        by_nvidia = "cl_nv_device_attribute_query" in extensions
        self.nvidia_generation: int = int(handle.compute_capability_major_nv) if by_nvidia else 0
        self.loads_are_atomic: bool = self.platform not in build.SIMULATORS and (self.kind == "cpu" or by_nvidia)
        self.sees_host_memory: bool = self.kind == "cpu" and _sees_host_memory(handle)
        self.shares_memory: bool = bool(handle.host_unified_memory)
        self.shares_queue: bool = queue is not None
        self.steps_at_once: int = _STEPS_AT_ONCE if self.kind == "cpu" and queue is None else sys.maxsize
        self._lock = threading.RLock()
        self._context: cl.Context | None = None if queue is None else queue.context
        self._queue: cl.CommandQueue | None = queue
        self.scratch: Scratch = Scratch(self.kind, self.global_memory)
        self._pinned: PinnedParts | None = None
        self._built = _Built() if queue is None else _built_for(queue.context, handle)

    def __repr__(self) -> str:
        return f"<reedsp.Device {self.index}: {self.name} ({self.platform})>"

    def __str__(self) -> str:
        return f"{self.name} ({self.platform})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Device belongs to its process, and is not copied: its name or its index stands for it")

    @property
    def identity(self) -> dict[str, str]:
        """What its speed depends on, by which what was measured is kept."""
        return {"platform": self.platform, "device": self.name, "driver": self.driver_version}

    @property
    def context(self) -> cl.Context:
        """The OpenCL context of this device, made at its first use."""
        if self._context is None:
            with self._lock:
                if self._context is None:  # still, now that no other thread is making one
                    build.expect_work(self.handle)
                    with build.loading():
                        self._context = cl.Context([self.handle])
        return self._context

    @property
    def queue(self) -> cl.CommandQueue:
        """The in-order command queue of this device, made at its first use."""
        if self._queue is None:
            with self._lock:
                if self._queue is None:
                    self._queue = cl.CommandQueue(self.context, self.handle)
        return self._queue

    @property
    def pinned(self) -> PinnedParts:
        """Host memory that this device reads and writes by itself, for what is on its way to the device or back."""
        queue = self.queue
        with self._lock:
            if self._pinned is None:
                self._pinned = PinnedParts(queue)
            return self._pinned

    def kernel(self, file: str, name: str, **macros: str | int) -> Kernel:
        """Return a kernel of one file in ``cl/``, built once per device and set of macros.

        Parameters
        ----------
        file, name : str
            File in ``cl/``, and kernel in that file.
        **macros
            The macros that the head of the file lists.

        Raises
        ------
        DeviceError
            The kernel does not build; the message names the file and line in ``cl/``.
        """
        return self.kernel_of((file, tuple(sorted(macros.items()))), name)

    def kernel_of(self, program: Program, name: str) -> Kernel:
        """Return a kernel of a program, whose macros are sorted; otherwise as :meth:`kernel`."""
        if (requested := _requested.get()) is not None:
            requested.add(program)
        built = self._built
        with built.lock:
            if (kernel := built.kernels.get((program, name))) is not None:
                return kernel
            if program not in built.programs:
                built.programs[program] = self._build(program[0], dict(program[1]))
            kernel = built.kernels[program, name] = self._limited(*program, name, built.programs[program])
            return kernel

    def kernels_of_text(self, source: str, title: str, names: Iterable[str]) -> dict[str, Kernel]:
        """Build a generated source and return kernels of it by their names; the caller keeps them.

        Raises
        ------
        DeviceError
            It does not build; the message calls it by its title.
        """
        if re.search(r"\bdouble\b", source) and not self.fp64:
            raise PrecisionError(f"{self} has no double precision, which {title} needs; choose another device")
        program = self._timed(title, lambda: build.build_generated(self.context, self.handle, source, title))
        return {name: self._limited(title, (), name, program) for name in names}

    def _limited(self, file: str, macros: Iterable[tuple[str, str | int]], name: str, program: cl.Program) -> Kernel:
        """Return a kernel with the limits of its launches."""
        handle, info = cl.Kernel(program, name), cl.kernel_work_group_info
        limits: list[Any] = [
            handle.get_work_group_info(limit, self.handle)
            for limit in (info.COMPILE_WORK_GROUP_SIZE, info.WORK_GROUP_SIZE, info.LOCAL_MEM_SIZE)
        ]
        asked, largest, local_memory = math.prod(limits[0]), *limits[1:]
        # NVIDIA's driver says 256 whatever size the kernel was compiled for.
        largest = max(asked, largest) if asked <= self.max_work_group_size else largest
        return Kernel(file, name, program, largest, local_memory, dict(macros))

    def _build(self, file: str, macros: Mapping[str, str | int]) -> cl.Program:
        if "double" in macros.values() and not self.fp64:
            raise PrecisionError(f"{self} has no double precision; ask for float32 or choose another device")
        return self._timed(file, lambda: build.build(self.context, self.handle, file, macros))

    def _timed(self, title: str, build_it: Callable[[], cl.Program]) -> cl.Program:
        started = time.perf_counter()
        try:
            program = build_it()
        except build.KernelBuildError as error:
            raise DeviceError(str(error)) from error
        _log.debug("built %s for %s in %.0f ms", title, self, 1e3 * (time.perf_counter() - started))
        return program

    def self_test(self) -> None:
        """Run a small kernel with known answers in every arithmetic the device has.

        Raises
        ------
        DeviceError
            The kernel does not build or run, or an answer is wrong.
        """
        self_test(self)


@contextlib.contextmanager
def programs_requested() -> Iterator[set[Program]]:
    """Collect the programs whose kernels this thread asks devices for, but in other such contexts within this one."""
    programs: set[Program] = set()
    before = _requested.set(programs)
    try:
        yield programs
    finally:
        _requested.reset(before)


def different(devices: Iterable[Device]) -> int:
    """Return how many devices there are in a list, in which one may be several times."""
    return len({each.handle for each in devices})


def _sees_host_memory(handle: cl.Device) -> bool:
    try:
        return bool(handle.svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM)
    except cl.Error:  # of a platform that is older than OpenCL 2.0
        return False


def one_line(value: str) -> str:
    """Return what a driver says of itself without zeros and line breaks."""
    return " ".join(value.replace("\0", " ").split())
