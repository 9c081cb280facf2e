"""Work on one device: allocations, copies and launches of kernels, within the device's limits."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import time
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device import build, pyopencl_private
from reedsp.device.dispatch import Slices
from reedsp.device.errors import DeviceError, DeviceMemoryError, refuse_after_fork
from reedsp.device.memory import large_pages
from reedsp.device.memory.reused import Reused
from reedsp.device.memory.scratch import PinnedArray
from reedsp.system.parts import PART, TRANSFERRED, WORTH_THREADS, in_parts
from reedsp.system.phases import Phases

if TYPE_CHECKING:
    from reedsp.device.device import Device

Size = int | tuple[int, ...]
"""Work-items along one dimension, or along each."""

Memory: TypeAlias = "cl.Buffer | cl.SVM[Any]"
"""That of a device, or what it is lent by the host."""

Argument: TypeAlias = "Memory | np.generic | bytes"
"""Of a kernel."""

_set_number = pyopencl_private.number_setter()
_OUT_OF_MEMORY = (
    cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    cl.status_code.OUT_OF_HOST_MEMORY,
    cl.status_code.INVALID_BUFFER_SIZE,  # larger than the largest allocation; no buffer of ours is empty
)
_MOST_HANDLES = 64  # of a kernel
_LARGE_PAGES = 1 << 25  # bytes, from which on memory is given back to the system when it is released
_FILLED_BY_HOST = 1 << 14  # bytes, up to which an array for a CPU device is copied sooner than filled by it
_LARGE_UPLOAD = 1 << 20  # bytes, from which on copies to a GPU take less time through pinned memory
_LARGE_DOWNLOAD = 1 << 24  # likewise from a GPU, if several threads take part


class _Loan(weakref.ref["BoundKernel"]):
    """A kernel object, which is added to those that nobody uses as soon as what uses it is no more.

    That takes no step of Python's, as a ``__del__`` does, in which what a signal's handler raises would be lost.
    """

    __slots__ = ("handle",)
    handle: cl.Kernel


def _nobodys() -> defaultdict[int, deque[_Loan]]:
    return defaultdict(lambda: deque(maxlen=_MOST_HANDLES))


@dataclass(frozen=True)
class Kernel:
    """A built kernel and the limits that its device sets to its launches."""

    file: str
    name: str
    program: cl.Program
    max_work_group_size: int
    local_memory: int
    macros: Mapping[str, str | int] = field(default_factory=dict, compare=False)
    """Those it was built with."""
    handles: defaultdict[int, deque[_Loan]] = field(default_factory=_nobodys, compare=False, repr=False)
    """Kernel objects that nobody uses, by how many arguments they have: making one takes longer than a small launch."""

    @cached_property
    def positions(self) -> dict[str, int]:
        """Those of the arguments, by their names in the source."""
        return {name: position for position, name in enumerate(build.arguments(self.file, self.name))}

    def lend(self, user: BoundKernel, arguments: int) -> _Loan:
        """Lend a kernel object, which holds its arguments, at most so many, for as long as its user lives and has this.

        What is queued then has arguments of its own already.
        """
        unused = self.handles[arguments]
        try:
            handle = unused.pop().handle
        except IndexError:
            handle = cl.Kernel(self.program, self.name)
        loan = _Loan(user, unused.append)
        loan.handle = handle
        return loan


class _Lent(NamedTuple):
    """Memory of the host, and what keeps it for the next if it is pinned."""

    array: npt.NDArray[Any]
    part: PinnedArray | None = None


class Job:
    """One piece of work on one device: allocates, copies and launches within the device's limits, and counts.

    Parameters
    ----------
    device : Device
    recycle : bool
        Keep small buffers for later jobs on the same queue: with NVIDIA's driver, to release a buffer is to wait for
        everything queued. The caller that queues the job calls :meth:`recycle` then.
    phases : Phases, optional
        Those of the call that the job is done for.

    Attributes
    ----------
    device : Device
    phases : Phases
    queue : pyopencl.CommandQueue
        That of the device.
    after : list of pyopencl.Event, optional
        What the next command has to wait for; None on an in-order queue.
    last : pyopencl.Event, optional
        Of the last command, before which all others of this job are done.
    kernels_launched : int
    bytes_to_device, bytes_from_device, bytes_allocated : int
    """

    _lent: ClassVar[dict[int, tuple[list[npt.NDArray[Any]], weakref.ref[Job]]]] = {}
    """What all jobs have borrowed: kept on where Ctrl-C interrupts a job that waits for its kernels in the end."""

    def __init__(self, device: Device, recycle: bool = False, phases: Phases | None = None) -> None:
        refuse_after_fork()
        self.device = device
        self.phases = Phases() if phases is None else phases
        self.queue: cl.CommandQueue = device.queue
        self._context: cl.Context = device.context
        self._scratch: list[cl.Buffer] | None = [] if recycle else None
        self._reused: Reused | None = None
        self.after: list[cl.Event] | None = None
        self.last: cl.Event | None = None
        self.kernels_launched: int = 0
        self.bytes_to_device: int = 0
        self.bytes_from_device: int = 0
        self.bytes_allocated: int = 0
        self._borrowed: list[npt.NDArray[Any]] = []
        self._steps = 0
        self._started = time.perf_counter()

    def begin_after(self, events: Sequence[cl.Event]) -> None:
        """Have this job begin when these events, and everything queued so far, are done."""
        queue = self.queue
        if queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            self.after = [cl.enqueue_marker(queue), *events]
        elif others := [event for event in events if event.command_queue != queue]:  # its own come in order anyway
            cl.enqueue_barrier(queue, wait_for=others)

    def queued(self, event: cl.Event) -> None:
        """Have the next command of this job wait for this one, if the queue does not see to that."""
        self.last = event
        if self.after is not None:
            self.after = [event]

    def stats(self) -> dict[str, Any]:
        """Return what was done so far: kernels launched, bytes, and milliseconds since the start."""
        return {
            "device": str(self.device),
            "kernels_launched": self.kernels_launched,
            "milliseconds": 1e3 * (time.perf_counter() - self._started),
            "bytes_to_device": self.bytes_to_device,
            "bytes_from_device": self.bytes_from_device,
            "bytes_allocated": self.bytes_allocated,
        }

    def allocate(self, length: int, dtype: npt.DTypeLike, *, keep: bool = False) -> cl.Buffer:
        """Allocate an uninitialised array of at least one element; one to `keep` is never recycled."""
        size = max(1, length) * np.dtype(dtype).itemsize
        self._check_allocation(size)
        while True:
            try:
                buffer = self._allocated(size, keep)
                break
            except (cl.Error, MemoryError) as error:
                failure = self._translate(error, f"allocation of {size:,} bytes")
                if not isinstance(failure, DeviceMemoryError) or not self._release():
                    raise failure from error
        self.bytes_allocated += size
        if _spoils.get():
            self.fill(buffer, size, _NONSENSE)
        return buffer

    def _release(self) -> bool:
        """Have the device free what is kept for later; return whether there was anything."""
        own = self._reused is not None and self._reused.release()
        return self.device.scratch.release() or own

    @contextlib.contextmanager
    def reusing(self) -> Iterator[Callable[[], None]]:
        """Use large buffers on GPUs again, too: gives the function that ends a part, whose work is all queued."""
        if self.device.kind == "cpu" or self._scratch is None:
            yield self.recycle
            return
        outer, reused = self._reused, Reused()
        self._reused = reused

        def end_part() -> None:
            self.recycle()
            reused.end_part()

        try:
            yield end_part
        finally:
            self._reused = outer

    def _allocated(self, size: int, keep: bool) -> cl.Buffer:
        if self._scratch is not None and not keep and size <= self.device.scratch.largest:
            self._scratch.append(self.device.scratch.take(self._context, size))
            return self._scratch[-1]
        if size >= _LARGE_PAGES and self.device.kind == "cpu":
            return large_pages.allocate(self.queue, size)
        if self._reused is None or keep:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
        buffer = self._reused.take(size)
        if buffer is None:
            buffer = cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
            self._reused.add(buffer)
        return buffer

    def recycle(self) -> None:
        """Let what is queued from now on use the small buffers of this job, all of whose work is queued."""
        if self._scratch:
            self.device.scratch.give_back(*self._scratch)
            self._scratch.clear()

    def recycle_with(self, owner: object, *buffers: cl.Buffer) -> None:
        """Recycle some buffers of this job only once an object is no more."""
        for buffer in buffers:
            if self._scratch is not None and buffer in self._scratch:
                self._scratch.remove(buffer)
                self.device.scratch.give_back_with(owner, buffer)

    def full(self, length: int, value: np.generic) -> cl.Buffer:
        """Allocate an array of at least one element, each of them `value`."""
        if self.device.kind == "cpu" and length * value.itemsize <= _FILLED_BY_HOST:
            return self.upload(np.full(max(1, length), value))
        buffer = self.allocate(length, value.dtype)
        self.fill(buffer, length, value)
        return buffer

    def fill(self, buffer: cl.Buffer, length: int, value: np.generic) -> None:
        """Queue the filling of the first elements of a buffer with a value."""
        with self.translated("filling a buffer"):
            pattern = np.full(1, value)
            size = max(1, length) * pattern.itemsize
            self.queued(cl.enqueue_fill_buffer(self.queue, buffer, pattern, 0, size, wait_for=self.after))

    def upload(self, array: npt.NDArray[Any], dtype: npt.DTypeLike | None = None, *, keep: bool = True) -> cl.Buffer:
        """Copy an array into a buffer.

        Parameters
        ----------
        array : ndarray
        dtype : dtype, optional
            To convert it to, with zeros that have no sign. By default it is copied as it is.
        keep : bool
            Never recycle the buffer.
        """
        with self.phases.within("upload"):
            return self._upload(array, dtype, keep)

    def _upload(self, array: npt.NDArray[Any], dtype: npt.DTypeLike | None, keep: bool) -> cl.Buffer:
        if array.size == 0:
            array = np.zeros(1, array.dtype)  # OpenCL has no empty buffers
        target = array.dtype if dtype is None else np.dtype(dtype)
        size = array.size * target.itemsize
        self._check_allocation(size)
        values = np.ascontiguousarray(array).reshape(-1)

        def convert(first: int, last: int, part: npt.NDArray[Any]) -> None:
            if dtype is None:
                part[...] = values[first:last]
            else:
                np.add(values[first:last], 0, out=part, dtype=target, casting="unsafe")

        if size >= _LARGE_UPLOAD and self.device.kind != "cpu":
            buffer = self.allocate(array.size, target, keep=keep)
            with self.translated("copy to the device"):
                self._send(buffer, array.size, target, convert)
        else:
            contents = values
            if dtype is not None:
                contents = np.empty(array.size, target)
                convert(0, array.size, contents)
            buffer = self._filled(contents, keep)
        self.bytes_to_device += size
        return buffer

    def _filled(self, contents: npt.NDArray[Any], keep: bool) -> cl.Buffer:
        """Return a buffer with what an array holds."""
        if not keep and self._scratch is not None and self.device.kind != "cpu":
            buffer = self.allocate(contents.size, contents.dtype)
            with self.translated("copy to the device"):
                cl.enqueue_copy(self.queue, buffer, contents, wait_for=self.after)
            return buffer
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        with self.translated(f"allocation of {contents.nbytes:,} bytes"):
            buffer = cl.Buffer(self._context, flags, hostbuf=contents)
        self.bytes_allocated += contents.nbytes
        return buffer

    def upload_rows(
        self, shape: tuple[int, int], dtype: np.dtype[Any], write: Callable[[int, int, npt.NDArray[Any]], None]
    ) -> cl.Buffer:
        """Return a new buffer, which is never recycled, with the rows of a matrix.

        Parameters
        ----------
        shape : tuple of int
            Rows, and elements of a row.
        dtype : dtype
        write : callable(int, int, ndarray)
            ``write(first, last, part)`` fills an array with rows first .. last-1; several calls run at a time.
        """
        rows, length = shape
        row_bytes = length * dtype.itemsize
        size = rows * row_bytes
        flags = cl.mem_flags.READ_WRITE
        self._check_allocation(size)

        def send(first: int, last: int) -> None:
            with self._host_memory((last - first) * length, dtype) as lent:
                write(first, last, lent.array.reshape(last - first, length))
                self._copy_there(buffer, lent, first * row_bytes)

        with self.phases.within("upload"), self.translated(f"allocation of {size:,} bytes"):
            if size < _LARGE_UPLOAD:
                contents = np.empty(shape, dtype)
                write(0, rows, contents)
                buffer = cl.Buffer(self._context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=contents)
            else:
                buffer = cl.Buffer(self._context, flags, size)
                if self.device.kind == "cpu":  # whose memory this one can write to
                    with self._mapped(buffer, shape, dtype) as mapped:
                        in_parts(lambda first, last: write(first, last, mapped[first:last]), rows, row_bytes)
                else:
                    in_parts(send, rows, row_bytes, TRANSFERRED)
        self.bytes_allocated += size
        self.bytes_to_device += size
        return buffer

    @contextlib.contextmanager
    def _mapped(self, buffer: cl.Buffer, shape: tuple[int, int], dtype: np.dtype[Any]) -> Iterator[npt.NDArray[Any]]:
        """Wait for the work queued so far and lend the memory of a buffer, to fill it."""
        flags = cl.map_flags.WRITE_INVALIDATE_REGION
        mapped, _ = cl.enqueue_map_buffer(self.queue, buffer, flags, 0, shape, dtype, wait_for=self.after)
        try:
            yield mapped
        finally:
            self.queued(mapped.base.release(self.queue))

    def borrow(self, array: npt.NDArray[Any], writable: bool) -> Memory:
        """Let kernels of a CPU device use the memory of an array itself, until :meth:`give_back`.

        The array has to be contiguous and not empty. Its address is a multiple of the size of one element, and of
        nothing more: Intel's runtime copies such an array at each launch, unless it is given as shared virtual memory.
        """
        self._check_allocation(array.nbytes)
        if not self._borrowed:
            end = partial(_await, self.queue, id(self._borrowed))
            self._lent[id(self._borrowed)] = self._borrowed, weakref.ref(self, end)
        self._borrowed.append(array)
        if self.device.sees_host_memory:
            # pyopencl would refuse a read-only array
            memory: Any = (ctypes.c_ubyte * array.nbytes).from_address(array.ctypes.data)
            memory.owner = array  # which lives as long, as the one of a buffer does
            return cl.SVM(np.ctypeslib.as_array(memory))
        access = cl.mem_flags.READ_WRITE if writable else cl.mem_flags.READ_ONLY
        try:
            return cl.Buffer(self._context, access | cl.mem_flags.USE_HOST_PTR, hostbuf=array)
        except cl.Error as error:
            raise self._translate(error, f"use of {array.nbytes:,} bytes of host memory") from error

    def give_back(self, memory: Memory, array: npt.NDArray[Any]) -> None:
        """Wait for the work queued so far, after which a borrowed array holds what kernels have written to it.

        No array is borrowed any more then.
        """
        if isinstance(memory, cl.SVM):
            self.return_borrowed()
            return
        try:
            mapped, _ = cl.enqueue_map_buffer(
                *(self.queue, memory, cl.map_flags.READ, 0, array.shape, array.dtype),
                wait_for=self.after,
                is_blocking=True,
            )
            mapped.base.release(self.queue)
        except cl.Error as error:
            raise self._translate(error, "waiting for the device") from error
        self._return_all()

    def _return_all(self) -> None:
        self._borrowed.clear()
        self._lent.pop(id(self._borrowed), None)

    def reads(self, array: npt.NDArray[Any], *, keep: bool = True) -> Memory:
        """Lend an array of the host for kernels to read: a CPU device reads it where it is, until all is returned.

        `keep` is that of :meth:`upload`.
        """
        array = np.ascontiguousarray(array)
        if self.device.kind == "cpu" and array.size:
            return self.borrow(array, writable=False)
        return self.upload(array, keep=keep)

    @contextlib.contextmanager
    def writes(self, array: npt.NDArray[Any]) -> Iterator[Memory]:
        """Lend memory for kernels to write, with which a contiguous array is filled at the end.

        For a CPU device that is the array itself: there is no copy, and all cores ask for the pages of a new array.
        """
        if self.device.kind == "cpu" and array.size:
            memory = self.borrow(array, writable=True)
            yield memory
            self.give_back(memory, array)
        else:
            buffer = self.allocate(array.size, array.dtype)
            yield buffer
            self.download_into(array, buffer)

    def return_borrowed(self) -> None:
        """Wait for the work queued so far; no array is borrowed any more then."""
        self.finish()
        self._return_all()

    def download(self, buffer: cl.Buffer, length: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Wait for the work queued so far and copy the first elements of a buffer back."""
        array = np.empty(length, dtype)
        self.download_into(array, buffer)
        return array

    def download_into(self, array: npt.NDArray[Any], buffer: cl.Buffer, first: int = 0) -> None:
        """Wait for the work queued so far and copy a contiguous array back, from one element of a buffer on."""
        assert array.flags.forc
        values = array.reshape(-1, order="A")

        def receive(start: int, end: int) -> None:
            with self._host_memory(end - start, values.dtype) as lent:
                self._copy_back(lent.array, buffer, (first + start) * values.itemsize)
                values[start:end] = lent.array

        with self.translated("copy from the device"):
            if array.nbytes >= _LARGE_DOWNLOAD and self.device.kind != "cpu":
                in_parts(receive, values.size, values.itemsize, TRANSFERRED)
            else:
                self._copy_back(array, buffer, first * array.itemsize)

    def download_rows(
        self, buffer: cl.Buffer, first: int, shape: tuple[int, int], dtype: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """Wait for the work queued so far and copy whole rows back, from one element of a buffer on."""
        array = np.empty(shape, dtype)
        self.download_into(array, buffer, first)
        return array

    @contextlib.contextmanager
    def lent(
        self, buffer: cl.Buffer, first: int, shape: tuple[int, int], dtype: npt.DTypeLike
    ) -> Iterator[npt.NDArray[Any]]:
        """Wait for the work queued so far and lend a copy of rows, from one element of a buffer on.

        They have no more than reedsp.system.parts.TRANSFERRED bytes, or are a single row.
        """
        size = math.prod(shape)
        with self._host_memory(size, np.dtype(dtype)) as lent:
            with self.translated("copy from the device"):
                self._copy_back(lent.array, buffer, first * lent.array.itemsize)
            yield lent.array.reshape(shape)

    @contextlib.contextmanager
    def _host_memory(self, size: int, dtype: np.dtype[Any]) -> Iterator[_Lent]:
        """Lend memory for what comes from the device, or goes there: pinned where that is copied faster."""
        if self.device.kind == "cpu" or size * dtype.itemsize > TRANSFERRED:
            yield _Lent(np.empty(size, dtype))
        else:
            with self.translated(f"allocation of {TRANSFERRED:,} bytes of pinned memory"):
                part = self.device.pinned.take()
            try:
                yield _Lent(part.array[: size * dtype.itemsize].view(dtype), part)
            finally:
                self.device.pinned.give_back(part)

    def _copy_back(self, array: npt.NDArray[Any], buffer: cl.Buffer, byte: int) -> None:
        if array.size:
            cl.enqueue_copy(self.queue, array, buffer, src_offset=byte, wait_for=self.after)
        large_pages.release()
        with self.device._lock:  # several threads may read parts of what one job has computed
            self.bytes_from_device += array.nbytes

    def _copy_there(self, buffer: cl.Buffer, lent: _Lent, byte: int) -> None:
        """Copy what has been written to lent memory; the host goes on at once if what is queued later waits for it."""
        waits = lent.part is None or self.after is not None
        event = cl.enqueue_copy(self.queue, buffer, lent.array, dst_offset=byte, wait_for=self.after, is_blocking=waits)
        if lent.part is not None:
            lent.part.copied = event

    def _send(
        self, buffer: cl.Buffer, count: int, dtype: np.dtype[Any], write: Callable[[int, int, npt.NDArray[Any]], None]
    ) -> None:
        """Fill the beginning of a buffer, through pinned memory that ``write(first, last, part)`` fills."""

        def send(first: int, last: int) -> None:
            with self._host_memory(last - first, dtype) as lent:
                write(first, last, lent.array)
                self._copy_there(buffer, lent, first * dtype.itemsize)

        size = count * dtype.itemsize
        in_parts(send, count, dtype.itemsize, PART if size < WORTH_THREADS else TRANSFERRED)

    def copy(self, target: Memory, target_byte: int, source: Memory, source_byte: int, size: int) -> None:
        """Queue a copy of some bytes from one buffer to another; of what the host has lent it is done at once."""
        if isinstance(source, cl.SVM) or isinstance(target, cl.SVM):
            self._copy_lent(target, target_byte, source, source_byte, size)
            return
        try:
            event = cl.enqueue_copy(
                self.queue,
                target,
                source,
                byte_count=size,
                src_offset=source_byte,
                dst_offset=target_byte,
                wait_for=self.after,
            )
        except cl.Error as error:
            raise self._translate(error, "copy on the device") from error
        self.queued(event)

    def _copy_lent(self, target: Memory, target_byte: int, source: Memory, source_byte: int, size: int) -> None:
        self.finish()
        read, written = (
            each.mem[first : first + size] if isinstance(each, cl.SVM) else each
            for each, first in ((source, source_byte), (target, target_byte))
        )
        with self.translated("copy"):
            if isinstance(written, cl.Buffer):
                cl.enqueue_copy(self.queue, written, read, dst_offset=target_byte)
            elif isinstance(read, cl.Buffer):
                cl.enqueue_copy(self.queue, written, read, src_offset=source_byte)
            else:
                written[:] = read

    def copy_rows(
        self,
        target: cl.Buffer,
        target_byte: int,
        target_pitch: int,
        source: cl.Buffer,
        source_byte: int,
        source_pitch: int,
        width: int,
        rows: int,
    ) -> None:
        """Queue a copy of some bytes from each of some rows, which are a pitch apart in either buffer."""
        sides = (target, target_byte, target_pitch), (source, source_byte, source_pitch)
        if any((byte // pitch + rows) * pitch > buffer.size for buffer, byte, pitch in sides):
            rows -= 1  # NVIDIA's driver refuses a last row whose pitch would end beyond the buffer
            target_last, source_last = (byte + rows * pitch for _, byte, pitch in sides)
            self.copy(target, target_last, source, source_last, width)
            if rows == 0:
                return
        origins = [(byte % pitch, byte // pitch, 0) for _, byte, pitch in sides]
        try:
            event = cl.enqueue_copy(
                self.queue,
                target,
                source,
                dst_origin=origins[0],
                src_origin=origins[1],
                region=(width, rows, 1),
                dst_pitches=(target_pitch,),
                src_pitches=(source_pitch,),
                wait_for=self.after,
            )
        except cl.Error as error:
            raise self._translate(error, "copy on the device") from error
        self.queued(event)

    def bind(
        self,
        kernel: Kernel,
        global_size: Size,
        local_size: Size,
        *args: Argument,
        slices: Slices | None = None,
    ) -> BoundKernel:
        """Fix the arguments and sizes of a kernel, to queue it again and again at little cost.

        Parameters
        ----------
        kernel : Kernel
        global_size : int or tuple of int
            Work-items, in each dimension; rounded up to whole work-groups.
        local_size : int or tuple of int
            Work-items of a work-group, in each dimension.
        *args
            Buffers, scalars as numpy numbers of exactly the type that the kernel declares, and vectors as bytes.
        slices : Slices, optional
            How to cut the launch into dispatches, for kernels that cl/core/dispatch.cl allows it.

        Raises
        ------
        DeviceError
            The work-group or its local memory is larger than the device allows, or an argument is wrong.
        """
        device = self.device
        group = local_size if isinstance(local_size, tuple) else (local_size,)
        items = global_size if isinstance(global_size, tuple) else (global_size,)
        if not 0 < math.prod(group) <= kernel.max_work_group_size:
            allowed = f"{device} allows {kernel.max_work_group_size}"
            raise DeviceError(f"{kernel.name}: work-groups of {math.prod(group)} work-items, but {allowed}")
        if kernel.local_memory > device.local_memory:
            available = f"{device} has {device.local_memory:,}"
            raise DeviceError(f"{kernel.name}: {kernel.local_memory:,} bytes of local memory, but {available}")
        return BoundKernel(self, kernel, _whole_groups(items, group), group, args, slices)

    def launch(
        self, kernel: Kernel, global_size: Size, local_size: Size, *args: Argument, slices: Slices | None = None
    ) -> None:
        """Queue a kernel once; parameters and errors as for :meth:`bind`."""
        self.bind(kernel, global_size, local_size, *args, slices=slices).queue()

    def run(self, launches: Iterable[Launch]) -> None:
        """Queue launches of bound kernels one after the other, and wait as :meth:`add_steps` does."""
        for launch in launches:
            launch.kernel.change(launch.global_size, *launch.arguments)
            launch.kernel.queue()
            self.add_steps(launch.steps)

    def add_steps(self, steps: int) -> None:
        """Count what was queued, and wait if it is as much as the device is given at a time."""
        self._steps += steps
        if self._steps >= self.device.steps_at_once:
            self._steps = 0
            self.finish()

    def finish(self) -> None:
        """Wait until everything queued is done."""
        try:
            self.queue.finish()
        except cl.Error as error:
            raise self._translate(error, "waiting for the device") from error
        large_pages.release()

    @contextlib.contextmanager
    def translated(self, action: str) -> Iterator[None]:
        """Turn OpenCL's errors into those of this package, for callers that use OpenCL themselves."""
        try:
            yield
        except cl.Error as error:
            raise self._translate(error, action) from error

    def _check_allocation(self, size: int) -> None:
        if size > self.device.max_allocation:
            raise DeviceMemoryError(
                f"a buffer of {size:,} bytes is needed, but {self.device} allows {self.device.max_allocation:,} in one"
            )

    def _translate(self, error: cl.Error | MemoryError, action: str) -> DeviceError:
        is_full = isinstance(error, MemoryError) or error.code in _OUT_OF_MEMORY
        kind = DeviceMemoryError if is_full else DeviceError
        return kind(f"{self.device}: {action} failed: {error}")


class Launched(NamedTuple):
    """A launch that is queued, as :func:`recording` describes it.

    Attributes
    ----------
    job : Job
    kernel : Kernel
        With its file, its name and its macros.
    global_size, local_size : tuple of int
        Work-items, and those of a work-group, in each dimension.
    arguments : tuple
        Buffers, numbers and vectors, by their positions.
    events : tuple of pyopencl.Event
        Of the dispatches that the launch was cut into.
    """

    job: Job
    kernel: Kernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Argument, ...]
    events: tuple[cl.Event, ...]

    @property
    def buffers(self) -> dict[int, Memory]:
        """The arguments that are memory, by their positions."""
        return {
            position: argument
            for position, argument in enumerate(self.arguments)
            if isinstance(argument, (cl.Buffer, cl.SVM))
        }

    def read(self, position: int) -> npt.NDArray[np.uint8]:
        """Wait for the work queued so far and return the bytes of a buffer; the job does not count them."""
        memory = self.buffers[position]
        with self.job.translated("copy from the device"):
            if isinstance(memory, cl.SVM):
                self.job.queue.finish()
                return np.array(memory.mem, copy=True).view(np.uint8)
            contents = np.empty(memory.size, np.uint8)
            cl.enqueue_copy(self.job.queue, contents, memory, wait_for=self.job.after)
        return contents


_Listener: TypeAlias = Callable[[Launched], None]
_listeners: ContextVar[tuple[_Listener, ...]] = ContextVar("listeners", default=())


@contextlib.contextmanager
def recording(on_launch: _Listener) -> Iterator[None]:
    """Have a function called with each launch of this thread, and of those that work for it, once it is queued.

    Contexts may be nested: the outer function is called first. Launches of the functions themselves are not recorded.

    Parameters
    ----------
    on_launch : callable(Launched)

    Examples
    --------
    >>> import reedsp
    >>> from reedsp.device.job import recording
    >>> launched = []
    >>> with recording(launched.append):
    ...     total = reedsp.reduce([1, 2, 3], method="work-item")
    >>> launched[-1].kernel.file
    'primitives/work_item_scan.cl'
    """
    before = _listeners.set((*_listeners.get(), on_launch))
    try:
        yield
    finally:
        _listeners.reset(before)


_spoils: ContextVar[bool] = ContextVar("spoils", default=False)
_NONSENSE = np.uint8(0xA5)


@contextlib.contextmanager
def spoilt_memory() -> Iterator[None]:
    """Fill all that this thread allocates, so that nothing is right only because it lay there before."""
    before = _spoils.set(True)
    try:
        yield
    finally:
        _spoils.reset(before)


def _await(queue: cl.CommandQueue, borrowed: int, job: weakref.ref[Job]) -> None:
    """Wait for what a job has queued that is no more: it has failed, or was interrupted, with arrays still in use."""
    with contextlib.suppress(cl.Error):
        queue.finish()
    Job._lent.pop(borrowed, None)


class BoundKernel:
    """A kernel with its arguments and sizes; made by :meth:`Job.bind`."""

    def __init__(
        self,
        job: Job,
        kernel: Kernel,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...],
        args: Sequence[Argument],
        slices: Slices | None = None,
    ) -> None:
        self._job = job
        self._name = kernel.name
        self._global_size, self._local_size = global_size, local_size
        self._steps = 0 if slices is None else slices.steps
        self._dispatches = [(None, global_size)] if slices is None else _dispatches(global_size, slices)
        self._kernel = kernel
        self._loan: _Loan | None = kernel.lend(self, len(args))
        self._handle = self._loan.handle
        self._args = list(args)  # OpenCL does not keep a buffer alive that is only an argument
        for position, argument in enumerate(args):
            self._set(position, argument)

    def set(self, name: str, argument: Argument) -> None:
        """Change one argument, by its name in the source, from the next launch on."""
        self._set(self._kernel.positions[name], argument)

    def _set(self, position: int, argument: Argument) -> None:
        self._args[position] = argument
        if isinstance(argument, cl.SVMPointer) and self._job.device.kind != "cpu":
            self._loan = None  # and no other's later: NVIDIA's driver refuses a buffer where shared memory was
        try:
            if isinstance(argument, (np.generic, bytes)):
                _set_number(self._handle, position, argument)
            else:
                self._handle.set_arg(position, argument)
        except cl.Error as error:
            raise self._job._translate(error, f"{self._name}, argument {position}") from error
        except TypeError as error:  # as some versions of pyopencl refuse what is no argument of any kernel
            raise DeviceError(f"{self._job.device}: {self._name}, argument {position} failed: {error}") from error

    def set_all(self, *args: Argument) -> None:
        """Change the arguments that are others now, from the next launch on."""
        for position, (present, argument) in enumerate(zip(self._args, args, strict=True)):
            is_same = argument is present or (isinstance(argument, np.integer) and argument == present)
            if not is_same:  # floating-point zeros are equal and have two signs
                self._set(position, argument)

    def change(self, global_size: tuple[int, ...], *args: Argument) -> None:
        """Change the work-items, and arguments as by :meth:`set_all`."""
        self._global_size = _whole_groups(global_size, self._local_size)
        self._dispatches = [(None, self._global_size)]
        self.set_all(*args)

    def queue(self) -> None:
        """Queue a launch; where it was cut, or follows others that took long, wait for what is queued."""
        queue, listeners = self._job.queue, _listeners.get()
        events = []
        for offset, size in self._dispatches:
            try:
                event = cl.enqueue_nd_range_kernel(
                    queue, self._handle, size, self._local_size, offset, wait_for=self._job.after
                )
            except cl.Error as error:
                raise self._job._translate(error, self._name) from error
            self._job.queued(event)
            self._job.kernels_launched += 1
            if self._steps:
                self._job.add_steps(self._steps)
            if listeners:
                events.append(event)
        if listeners:
            self._describe_to(listeners, events)

    def _describe_to(self, listeners: tuple[_Listener, ...], events: Sequence[cl.Event]) -> None:
        sizes = self._global_size, self._local_size
        launched = Launched(self._job, self._kernel, *sizes, tuple(self._args), tuple(events))
        before = _listeners.set(())
        try:
            for on_launch in listeners:
                on_launch(launched)
        finally:
            _listeners.reset(before)


class Launch(NamedTuple):
    """One launch of a bound kernel: its work-items and arguments, and how many steps they are."""

    kernel: BoundKernel
    global_size: tuple[int, ...]
    arguments: tuple[Argument, ...]
    steps: int = 0


def _dispatches(global_size: tuple[int, ...], slices: Slices) -> list[tuple[tuple[int, ...] | None, tuple[int, ...]]]:
    """Return the offset and the size of each dispatch of a launch."""
    if len(slices.ends) == 1:
        return [(None, global_size)]
    dimension = slices.dimension
    dispatches: list[tuple[tuple[int, ...] | None, tuple[int, ...]]] = []
    for first, end in itertools.pairwise((0, *slices.ends[:-1], global_size[dimension])):
        offset = tuple(first if each == dimension else 0 for each in range(len(global_size)))
        size = tuple(end - first if each == dimension else whole for each, whole in enumerate(global_size))
        dispatches.append((offset, size))
    return dispatches


def _whole_groups(items: tuple[int, ...], group: tuple[int, ...]) -> tuple[int, ...]:
    if len(items) == len(group) == 1:  # without a generator, which takes as long as half a launch
        return (round_up(max(1, items[0]), group[0]),)
    return tuple(round_up(max(1, size), multiple) for size, multiple in zip(items, group, strict=True))


def round_up(count: int, multiple: int) -> int:
    """Return the smallest multiple that is not below `count`."""
    return -(-count // multiple) * multiple
