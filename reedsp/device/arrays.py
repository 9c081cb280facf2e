"""The arrays that a call is given: numpy arrays, or pyopencl arrays, which stay on their device."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device.device import Device
from reedsp.device.discovery import device_of, get_device
from reedsp.device.job import BoundKernel, Job, Memory
from reedsp.graph.graph import as_array

_LAUNCHES_BETWEEN_WAITS = 16


def is_device_array(array: object) -> bool:
    """Tell whether this is an array of pyopencl."""
    module = sys.modules.get("pyopencl.array")  # a caller with such an array has imported it
    return module is not None and isinstance(array, module.Array)


def are_on_device(arrays: Mapping[str, Any]) -> bool:
    """Tell whether these arrays are arrays of pyopencl.

    Raises
    ------
    TypeError
        Some are and some are not.
    """
    given = {name: is_device_array(array) for name, array in arrays.items() if array is not None}
    first, on_device = next(iter(given.items()))
    for name, differs in given.items():
        if differs != on_device:
            places = ("pyopencl array", "host array")
            raise TypeError(f"{name}: a {places[not differs]}, but {first} is a {places[not on_device]}; convert one")
    return on_device


def vector(name: str, array: Any) -> Any:
    """Return a contiguous and aligned array of one dimension.

    An array of the host comes in this machine's byte order, copied only if it has to be.

    Raises
    ------
    TypeError, ValueError
        It is a masked array, has another number of dimensions, lies scattered on a device, has a missing value, or is a
        list with an integer that numpy rounds.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; call {name}.filled() first")
    given, on_device = array, is_device_array(array)
    if on_device:
        refuse_part_of_svm(name, array)
    else:
        array = as_array(array, name)
        refuse_rounded(name, given, array)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim or given is array else type(given).__name__
        raise ValueError(f"{name}: an array of one dimension is expected, got {got}")
    if not on_device:
        return np.require(array, array.dtype.newbyteorder("="), ("C_CONTIGUOUS", "ALIGNED"))
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: only contiguous arrays are supported on a device")
    return array


def refuse_rounded(name: str, given: Any, array: npt.NDArray[Any], within: tuple[int, ...] = ()) -> None:
    """Raise ValueError for an integer in a list of which numpy made another number, as of one among fractions.

    The list may hold others, and arrays; `within` is where it is in a list of lists itself.
    """
    if array.dtype.kind != "f" or not isinstance(given, Sequence):
        return
    if array.ndim > 1:
        for index, (row, values) in enumerate(zip(given, array, strict=True)):
            numbers = row.tolist() if isinstance(row, np.ndarray) and row.dtype.kind in "iuO" else row
            refuse_rounded(name, numbers, values, (*within, index))
        return
    if not any(issubclass(kind, (int, np.integer)) for kind in set(map(type, given))):
        return
    for position in (np.abs(array) >= 2 / np.finfo(array.dtype).eps).nonzero()[0].tolist():  # smaller ones are exact
        each = given[position]
        if isinstance(each, (int, np.integer)) and int(each) != float(array[position]):
            place = ", ".join(map(str, (*within, position)))
            raise ValueError(f"{name}[{place}] = {each} has no exact {array.dtype} value; give an array of its type")


def refuse_part_of_svm(name: str, array: Any) -> None:
    """Raise ValueError for an array that begins within shared virtual memory, where no kernel's argument can."""
    if array.offset and isinstance(array.base_data, cl.SVMPointer):
        raise ValueError(f"{name}: it begins within shared virtual memory; call {name}.copy() first")


def check_output(name: str, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Check that results of some shape and type can be stored in this array.

    Raises
    ------
    TypeError, ValueError
        They cannot.
    """
    if not is_device_array(out) and (not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray)):
        raise TypeError(f"{name}: expected an array, got {type(out).__name__}")
    if out.dtype != dtype or out.shape != shape:
        order = " in this machine's byte order" if out.dtype.newbyteorder("=") == dtype else ""
        raise ValueError(f"{name}: expected shape {shape} and dtype {dtype}{order}, got {out.shape} and {out.dtype}")
    if not (out.flags.carray if isinstance(out, np.ndarray) else out.flags.c_contiguous):
        raise ValueError(f"{name}: it has to be contiguous, aligned and writable")
    if is_device_array(out):
        refuse_part_of_svm(name, out)


def overlap(one: Any, other: Any) -> bool:
    """Tell whether two arrays of the host, or two arrays of a device, share memory."""
    if isinstance(one, np.ndarray):
        return np.may_share_memory(one, other)
    (base, first), (base_of_other, first_of_other) = map(_place, (one, other))
    if base is None or base != base_of_other:
        return False
    return bool(max(first, first_of_other) < min(first + one.nbytes, first_of_other + other.nbytes))


def _place(array: Any) -> tuple[Any, int]:
    """Return the memory that an array of a device is in, which is part of no other, and its first byte there."""
    memory, offset = array.base_data, array.offset
    if isinstance(memory, cl.Buffer) and (whole := memory.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT)) is not None:
        return whole, offset + memory.get_info(cl.mem_info.OFFSET)
    return memory, offset


class HostArrays:
    """Numpy arrays: copied to the device and back, or used in place by a CPU device.

    Parameters
    ----------
    device : Device
    borrow : bool
        Use the arrays in place. Kernels then cannot rely on their alignment.
    """

    def __init__(self, device: Device, borrow: bool) -> None:
        self.job: Job = Job(device)
        self._borrow = borrow

    def empty(self, shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """Return a new array for a result."""
        return np.empty(shape, dtype)

    def read(self, array: Any) -> Memory:
        """Return memory with the elements of an array."""
        return self.job.borrow(array, writable=False) if self._borrow else self.job.upload(array)

    def write(self, result: Any) -> Memory:
        """Return memory for the elements of a result."""
        return self.job.borrow(result, writable=True) if self._borrow else self.job.allocate(result.size, result.dtype)

    def read_and_write(self, x: Any, result: Any) -> tuple[Memory, Memory]:
        """Return memory for both, which may be the same."""
        if self._borrow and not overlap(x, result):
            return self.read(x), self.write(result)
        if self._borrow:  # one, because two buffers that overlap are undefined
            if x.ctypes.data != result.ctypes.data:
                result[:] = x
            memory = self.write(result)
        else:
            memory = self.job.upload(x)
        return memory, memory

    def run(self, plan: Iterable[BoundKernel]) -> None:
        """Queue kernels, waiting now and then on a CPU device, where Ctrl-C is heard in between only."""
        for number, kernel in enumerate(plan, start=1):
            kernel.queue()
            if number % _LAUNCHES_BETWEEN_WAITS == 0 and self.job.device.kind == "cpu":
                self.job.finish()

    def finish(self, memory: Memory, result: Any) -> Any:
        """Wait until the result is there, and return it."""
        if self._borrow:
            self.job.give_back(memory, result)
        else:
            assert isinstance(memory, cl.Buffer)
            self.job.download_into(result, memory)
        return result

    def reserve(self, length: int, dtype: np.dtype[Any]) -> tuple[Memory, Callable[[], Any]]:
        """Return memory for a small result, and a function that waits until it is there and returns it."""
        result = self.empty(length, dtype)
        memory = self.write(result)
        return memory, functools.partial(self.finish, memory, result)


class DeviceArrays:
    """Arrays of pyopencl: everything is queued behind what their owner has queued, and nothing waits.

    Raises
    ------
    ValueError
        The arrays have no queue, or are not of one context, or `device` is not theirs.
    """

    def __init__(self, arrays: Mapping[str, Any], device: Any) -> None:
        given = {name: array for name, array in arrays.items() if array is not None}
        first, leader = next(iter(given.items()))
        if leader.queue is None:
            raise ValueError(f"{first}: it has no queue; use {first}.with_queue(queue)")
        for name, array in given.items():
            if array.context != leader.context:
                raise ValueError(f"{name}: it belongs to another OpenCL context than {first}")
        if device is not None and get_device(device).handle != leader.queue.device:
            raise ValueError(f"device: {first} is on {leader.queue.device.name.strip()}, not on {get_device(device)}")
        self.job: Job = Job(device_of(leader.queue), recycle=True)
        self._queue, self._allocator = leader.queue, leader.allocator
        self._awaited: list[cl.Event] = [event for array in given.values() for event in array.events]
        self.job.begin_after(self._awaited)

    def empty(self, shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """Return a new array for a result."""
        from pyopencl import array

        return array.empty(self._queue, shape, dtype, allocator=self._allocator)

    def read(self, array: Any) -> cl.Buffer:
        """Return a buffer with the elements of an array."""
        if (buffer := self._buffer_of(array)) is None:
            buffer = self.job.allocate(array.nbytes, np.uint8)
            self.job.copy(buffer, 0, array.base_data, array.offset, array.nbytes)
        return buffer

    def write(self, result: Any) -> cl.Buffer:
        """Return a buffer for the elements of a result."""
        return self._buffer_of(result) or self.job.allocate(result.nbytes, np.uint8)

    def _buffer_of(self, array: Any) -> cl.Buffer | None:
        """Return a buffer of these very elements, or None where no buffer can begin.

        It holds nothing else: a buffer and a part of it must not be used at once.
        """
        if array.size == 0:  # no buffer is empty, and no part of one
            return self.job.allocate(0, array.dtype)
        buffer: Any = array.base_data
        if array.offset == 0 and (array.nbytes == buffer.size or not isinstance(buffer, cl.Buffer)):
            return buffer  # type: ignore[no-any-return]
        if isinstance(buffer, cl.Buffer) and array.offset % self._alignment == 0 and not _is_part(buffer):
            return buffer.get_sub_region(array.offset, array.nbytes)
        return None  # parts of parts, and of the buffers that pyopencl's pools lend, are not to be had either

    def read_and_write(self, x: Any, result: Any) -> tuple[cl.Buffer, cl.Buffer]:
        """Return buffers for both, which may be the same one.

        Raises
        ------
        ValueError
            They overlap without being the same.
        """
        if not overlap(x, result):
            return self.read(x), self.write(result)
        if _place(result) != _place(x):
            raise ValueError("out: it overlaps the input without being the same array")
        buffer = self.read(x)
        return buffer, buffer

    def run(self, plan: Iterable[BoundKernel]) -> None:
        """Queue kernels."""
        for kernel in plan:
            kernel.queue()

    def finish(self, memory: Memory, result: Any) -> Any:
        """Return an array that will hold the result once the queue has come to this point."""
        if self._buffer_of(result) is None:
            self._copy(result, memory)
        return self._finished(result)

    def reserve(self, length: int, dtype: np.dtype[Any]) -> tuple[Memory, Callable[[], Any]]:
        """Return memory for a small result, and a function that returns a new array which will hold it.

        NVIDIA's driver takes longer to let a kernel write to a new buffer than to copy a few bytes there.
        """
        if self._allocator is not None:  # of a user, which may lend what nothing can be copied to
            result = self.empty(length, dtype)
            memory = self.write(result)
            return memory, functools.partial(self.finish, memory, result)
        reserved = self.job.allocate(length, dtype)

        def deliver() -> Any:
            result = self.empty(length, dtype)
            self._copy(result, reserved)
            return self._finished(result)

        return reserved, deliver

    def _copy(self, result: Any, memory: Memory) -> None:
        self.job.copy(result.base_data, result.offset, memory, 0, result.nbytes)

    def _finished(self, result: Any) -> Any:
        event = cl.enqueue_marker(self._queue) if self.job.last is None else self.job.last
        # It comes after what was waited for, of which a long list would have `add_event` wait.
        earlier = [each for each in result.events if all(each is not awaited for awaited in self._awaited)]
        result.events[:] = [*earlier, event]
        self.job.recycle()
        return result

    @functools.cached_property
    def _alignment(self) -> int:
        return int(self.job.device.handle.mem_base_addr_align) // 8


def _is_part(buffer: cl.Buffer) -> bool:
    return buffer.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT) is not None
