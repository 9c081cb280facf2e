"""Edges on a device, and the one order in which spanning forests take them (cl/forests/edges.cl)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import Slices, even
from reedsp.device.job import Argument, Job, Memory
from reedsp.graph.graph import EXACT_IN_FLOAT64

FILE = "forests/edges.cl"
GROUP_SIZE = 256
SHORT_DIGIT, LONG_DIGIT = 8, 11  # bits
_GROUPS_PER_UNIT = 8
_CHUNK = 1 << 20  # edges, at most
_FEWEST = 1 << 13  # edges, for which another chunk pays
_SAMPLE = 1 << 10  # weights
_MOST_LOOKING = 1 << 15  # work-items, each of which reports what it has seen
_SIGN = 1 << 63
_FACTS = np.dtype([("low", np.uint64), ("high", np.uint64), ("flags", np.uint32), ("unused", np.uint32)])


def chunks_of(count: int, device: Device) -> int:
    """Return into how many chunks, of a work-item each, so many edges are cut: for every core, and for Ctrl-C."""
    units = device.compute_units
    rounds = -(-count // (units * _CHUNK))
    return max(1, min(units * max(1, rounds), count // _FEWEST))


@dataclass(frozen=True)
class Order:
    """The order of weights: a key is the distance of a weight from the first one.

    Attributes
    ----------
    whole : bool
        Whether the weights are floats, and all of them integers of a magnitude of at most 2^53.
    maximum : bool
        Whether the largest weight is the first.
    origin, last : int
        Of the first weight and of the last one, as ``in_order`` has them.
    """

    whole: bool
    maximum: bool
    origin: int
    last: int

    @property
    def bits(self) -> int:
        """Those of the largest key; at least 1."""
        return max(1, abs(self.last - self.origin).bit_length())

    @property
    def key_bits(self) -> int:
        """Those of the type of keys."""
        return 32 if self.bits <= 32 else 64

    @property
    def digit(self) -> int:
        """Bits of a digit by which keys are sorted in the fewest passes."""
        is_short = -(-self.bits // SHORT_DIGIT) == -(-self.bits // LONG_DIGIT)
        return SHORT_DIGIT if is_short else LONG_DIGIT

    def keys(self, values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
        """Return the keys of some weights."""
        ordered = in_order(values, self.whole)
        return np.uint64(self.origin) - ordered if self.maximum else ordered - np.uint64(self.origin)


def in_order(values: npt.NDArray[Any], whole: bool = False) -> npt.NDArray[np.uint64]:
    """Return weights as unsigned numbers in the same order, as ``in_order`` of cl/forests/keys.cl does."""
    if values.dtype.kind == "i" or whole:
        return values.astype(np.int64).view(np.uint64) ^ np.uint64(_SIGN)
    bits = (values + 0).view(np.dtype(f"u{values.itemsize}"))  # -0.0 + 0 is 0.0
    sign = bits.dtype.type(1 << (8 * values.itemsize - 1))
    ordered = np.where(bits & sign, ~bits, bits | sign).astype(np.uint64)
    ordered[np.isnan(values)] = np.iinfo(np.uint64).max
    return ordered


class DeviceEdges:
    """Edges with weights on a device, which a CPU reads where they are.

    Parameters
    ----------
    job : Job
    n : int
        Vertices.
    heads : ndarray of int32 or int64, shape (m,)
        Columns of a matrix, or heads of edges; m is from 1 to 2^32 - 1.
    values : ndarray of int32, int64, float32 or float64, shape (m,)
    indptr : ndarray of int32 or int64, shape (n + 1,), optional
        Row pointers of the matrix, in order and from 0 to m.
    tails : ndarray of the dtype of `heads`, shape (m,), optional
        Instead of row pointers.
    is_symmetric : bool
        Whether each edge is there in both directions, with one weight, of which that to a later vertex counts, and
        columns ascend in each row, none of them twice.

    Attributes
    ----------
    n, m : int
    value, index, pointer : dtype
        Of weights, of heads, and of row pointers, or of heads again.
    has_rows, is_symmetric : bool
    indptr, heads, values : pyopencl.Buffer
    sample : ndarray
        Some of the weights.
    """

    def __init__(
        self,
        job: Job,
        n: int,
        heads: npt.NDArray[Any],
        values: npt.NDArray[Any],
        *,
        indptr: npt.NDArray[Any] | None = None,
        tails: npt.NDArray[Any] | None = None,
        is_symmetric: bool = False,
    ) -> None:
        self.n, self.m, self.value = n, len(heads), values.dtype
        self.sample = values[:: -(-self.m // _SAMPLE)].copy()
        self.has_rows, self.is_symmetric = indptr is not None, is_symmetric
        self.heads, self.values = job.reads(heads), job.reads(_bits_of(values))
        self.indptr = self.heads if indptr is None else job.reads(indptr)
        self._tails = None if tails is None else job.reads(tails)
        self._scratch: dict[Any, list[Any]] = {}
        self.index = heads.dtype
        self.pointer = self.index if indptr is None else indptr.dtype
        self._types: dict[str, str | int] = {
            "POINTER": C_TYPES[self.pointer],
            "INDEX": C_TYPES[self.index],
            "ROWS": int(self.has_rows),
            "ROUNDS": int(job.device.fp64 or values.itemsize == 4),
            "GROUP_SIZE": GROUP_SIZE,
        }

    def take_scratch(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return buffers that an earlier search of these edges has left, or new ones."""
        try:
            return self._scratch[key].pop()  # which no other thread gets meanwhile
        except (KeyError, IndexError):
            return make()

    def give_scratch(self, key: Any, buffers: Any) -> None:
        """Let a later search have buffers, all of whose work is done."""
        self._scratch[key] = [buffers]

    def macros(self, order: Order | None = None) -> dict[str, str | int]:
        """Return the macros of cl/forests/edges.cl; without an order for what needs no keys."""
        digit = SHORT_DIGIT if order is None else order.digit
        return {**key_macros(self.value, order), **self._types, "DIGITS": 1 << digit}

    def tails(self, job: Job) -> Memory:
        """Return the tail of each edge, of the dtype of heads and shape (m,), written at the first call."""
        if self._tails is None:
            tails = job.allocate(self.m, self.index, keep=True)
            kernel = job.device.kernel(FILE, "spread", **self.macros())
            arguments = self.indptr, tails, np.uint64(self.m), np.uint32(self.n)
            job.launch(kernel, group_items(job.device, self.m), GROUP_SIZE, *arguments)
            self._tails = tails  # only now: another thread queues at once what reads them
        return self._tails

    def tails_or_rows(self) -> Memory:
        """Return the tails if they were given; any buffer will do for kernels that look at rows."""
        return self.heads if self._tails is None else self._tails

    def look(self, job: Job) -> Seen:
        """Return what there is to see in the weights and the heads."""
        is_cpu = job.device.kind == "cpu"
        chunks = chunks_of(self.m, job.device) if is_cpu else min(group_items(job.device, self.m), _MOST_LOOKING)
        facts = job.allocate(chunks, _FACTS)
        kernel = job.device.kernel(FILE, "look", **self.macros())
        arguments = self.tails_or_rows(), self.heads, self.values, facts
        sizes = np.uint64(self.m), np.uint32(self.n), np.uint32(chunks), np.uint32(1 if is_cpu else chunks)
        slices = chunk_slices(self.m, chunks, job) if is_cpu else None
        job.launch(kernel, chunks, 1 if is_cpu else GROUP_SIZE, *arguments, *sizes, slices=slices)
        seen = job.download(facts, chunks, _FACTS)
        bits, flags = constants(FILE), int(np.bitwise_or.reduce(seen["flags"]))
        low, high = int(seen["low"].min()), int(seen["high"].max())
        whole = self.value.kind == "f" and not flags & bits["FRACTIONAL"]
        if whole:
            ends = reals(np.array([low, high], np.uint64), self.value)
            whole = bool((np.abs(ends) <= EXACT_IN_FLOAT64).all())
            low, high = (int(each) + _SIGN for each in ends) if whole else (low, high)
        return Seen(low, high, whole, bool(flags & bits["OUTSIDE"]))

    def ends_of(self, places: cl.Buffer, count: int, job: Job) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return the ends of some edges, the smaller one first, shape (count, 2), and the weights; places ascend."""
        return self._written(places, np.empty((count, 2), np.int32), job)

    def heads_of(self, places: cl.Buffer, count: int, job: Job) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return the heads of some edges, shape (count,), and the weights; places ascend."""
        return self._written(places, np.empty(count, np.int32), job)

    def _written(
        self, places: cl.Buffer, ends: npt.NDArray[np.int32], job: Job
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        count, is_gpu = len(ends), job.device.kind != "cpu"
        weights = np.empty(count, self.value)
        if count:
            rows = self.indptr, self.tails(job) if is_gpu else self.tails_or_rows(), self.heads, self.values
            sizes = np.uint32(count), np.uint32(self.n), np.uint32(ends.ndim == 1)
            with job.writes(ends) as ends_buffer, job.writes(_bits_of(weights)) as weights_buffer:
                arrays = *rows, places, ends_buffer, weights_buffer
                self._in_parts("write_chosen", count, job, *arrays, *sizes, ROWS=int(self.has_rows and not is_gpu))
        return ends, weights

    def rows_before(self, places: cl.Buffer, count: int, job: Job) -> npt.NDArray[np.int32]:
        """Return row pointers of a matrix in which only some entries are left, of ascending places, shape (n + 1,)."""
        before = np.empty(self.n + 1, np.int32)
        with job.writes(before) as buffer:
            arrays = self.indptr, places, buffer, np.uint32(count), np.uint32(self.n)
            self._in_parts("count_before", self.n + 1, job, *arrays)
        return before

    def _in_parts(self, name: str, count: int, job: Job, *args: Argument, **macros: int) -> None:
        """Launch a kernel over so many elements: in chunks on a CPU, side by side on a GPU."""
        is_cpu = job.device.kind == "cpu"
        items, group = (chunks_of(count, job.device), 1) if is_cpu else (group_items(job.device, count), GROUP_SIZE)
        kernel = job.device.kernel(FILE, name, **{**self.macros(), **macros})
        slices = chunk_slices(count, items, job) if is_cpu else None
        job.launch(kernel, items, group, *args, np.uint32(items), np.uint32(1 if is_cpu else items), slices=slices)

    def lacks_twins(self, job: Job, maximum: bool) -> bool:
        """Return whether an edge to an earlier vertex is not there in the other direction, or counts for more here.

        Columns have to ascend in each row, none of them twice.
        """
        lonely = job.full(1, np.uint32(0))
        flags = np.uint32(constants(FILE)["MAXIMUM"] if maximum else 0)
        m = np.uint64(self.m)
        if job.device.kind == "cpu":
            chunks = chunks_of(self.m, job.device)
            kernel = job.device.kernel(FILE, "look_for_twins_in_chunks", **self.macros())
            arguments = self.indptr, self.heads, self.values, lonely, m, np.uint32(self.n), flags, np.uint32(chunks)
            job.launch(kernel, chunks, 1, *arguments, slices=chunk_slices(self.m, chunks, job))
        else:
            kernel = job.device.kernel(FILE, "look_for_twins", **self.macros())
            rows = self.indptr, self.tails(job), self.heads, self.values
            job.launch(kernel, group_items(job.device, self.m), GROUP_SIZE, *rows, lonely, m, flags)
        return bool(job.download(lonely, 1, np.uint32)[0])


@dataclass(frozen=True)
class Seen:
    """What there is to see in edges.

    Attributes
    ----------
    low, high : int
        Of the smallest and of the largest weight, as ``in_order`` has them; NaN is the largest.
    whole : bool
        As of :class:`Order`.
    outside : bool
        Whether an end of an edge is no vertex.
    """

    low: int
    high: int
    whole: bool
    outside: bool

    def order(self, maximum: bool) -> Order:
        """Return the order of the weights."""
        return Order(self.whole, maximum, *((self.high, self.low) if maximum else (self.low, self.high)))


def key_macros(value: np.dtype[Any], order: Order | None) -> dict[str, str | int]:
    """Return the macros of cl/forests/keys.cl; without an order for what needs no keys."""
    floats = value.kind == "f"
    return {
        "VALUE": C_TYPES[np.dtype(f"u{value.itemsize}") if floats else value],
        "REAL": C_TYPES[value] if floats else "float",
        "FLOATS": int(floats),
        "WHOLE": int(order is not None and order.whole),
        "KEY_BITS": 32 if order is None else order.key_bits,
    }


def edge_type(order: Order) -> np.dtype[Any]:
    """Return the type of an edge with a key."""
    key = np.dtype(f"u{order.key_bits // 8}")
    fields = [("key", key), ("place", np.uint32), ("tail", np.int32), ("head", np.int32)]
    return np.dtype(fields if order.key_bits == 32 else [*fields, ("unused", np.int32)])


def chunk_slices(count: int, chunks: int, job: Job) -> Slices:
    """Return how to cut a launch of a work-item for each chunk."""
    return even(0, chunks, 1, count, job.device.steps_at_once)


def group_items(device: Device, count: int) -> int:
    """Return the work-items of a launch over so many edges: as many as the device holds, or fewer; never none."""
    return max(1, min(-(-count // GROUP_SIZE), _GROUPS_PER_UNIT * device.compute_units)) * GROUP_SIZE


def reals(ordered: npt.NDArray[np.uint64], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the floats that :func:`in_order` has made numbers of."""
    bits = ordered.astype(np.dtype(f"u{dtype.itemsize}"))
    sign = bits.dtype.type(1 << (8 * dtype.itemsize - 1))
    return np.where(bits & sign, bits ^ sign, ~bits).view(dtype)


def _bits_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.view(f"u{values.itemsize}") if values.dtype.kind == "f" else values
