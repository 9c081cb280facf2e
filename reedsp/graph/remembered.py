"""Graphs of matrices that were given in an earlier call, and have not changed since.

A matrix is known by its identity, and by a checksum of its arrays that each call takes again, so that a change in place
is noticed. A graph that is remembered has been made of a copy, of which the checksum was taken: whatever other threads
write to the matrix meanwhile, the two belong together.

The first call with a matrix leaves a mark only, since most matrices are given once. The second one copies it. A matrix
that changes from call to call, or does not fit, is looked at more and more seldom.
"""

from __future__ import annotations

import copy
import os
import sys
import threading
import weakref
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from reedsp.graph.graph import Graph, is_sparse
from reedsp.system.host_memory import host_memory
from reedsp.system.parts import PART, in_parts
from reedsp.system.switches import is_on

SWITCH = "REEDSP_REMEMBER"
"""The environment variable that has every call prepare its matrix, where it is "never"; read at the import."""

PART_OF_MEMORY = 1 / 16
"""What remembered graphs may take of the memories, of the host and of devices, in all."""

_serves = is_on(SWITCH)
_FEWEST_BYTES = 1 << 16  # of a matrix; smaller ones are prepared about as soon as they are looked up
_LONGEST_WAIT = 64  # calls
_MOST_GRAPHS = 256
_LATEST = 2  # graphs, whose memory may have grown since it was measured
_ARRAYS = {
    "bsr": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "csc": ("indptr", "indices", "data"),
    "csr": ("indptr", "indices", "data"),
    "dia": ("offsets", "data"),
}
_Arrays = tuple[npt.NDArray[Any], ...]
_Key = tuple[int, Hashable]


class _Known(NamedTuple):
    """A graph, and the checksum of the matrix that it was made of."""

    checksum: Hashable
    graph: Graph


class _Entry:
    """A matrix that was given.

    Attributes
    ----------
    matrix : weakref.ref
    known : _Known, optional
    part : float
        Of the memory, that the graph takes.
    failures : int
        How often in a row it has been of no use to know the matrix.
    wait : int
        Calls in which the matrix is not looked at.
    """

    __slots__ = ("failures", "known", "matrix", "part", "wait")

    def __init__(self, matrix: weakref.ref[Any]) -> None:
        self.matrix = matrix
        self.known: _Known | None = None
        self.part = 0.0
        self.failures, self.wait = 1, 0  # until it has been of use

    def fail(self) -> None:
        """Forget the graph, and have some calls not look at the matrix, unless the graph has been of use before."""
        self.known, self.part = None, 0.0
        self.failures += 1
        self.wait = 0 if self.failures == 1 else min(2**self.failures, _LONGEST_WAIT)


class _Memory:
    """The matrices that were given, by their addresses and by what was asked for.

    A collector of garbage may take one away at any time, also while these are looked at, which are copied before: that
    is a single operation, which nothing interrupts.
    """

    def __init__(self) -> None:
        self._entries: dict[_Key, _Entry] = {}
        self._with_graph: dict[_Key, _Entry] = {}  # the latest that was of use stands last
        self._lock = threading.RLock()

    def entry(self, key: _Key, matrix: Any) -> _Entry | None:
        """Return what there is of a matrix, or None if it is not to be looked at in this call."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.matrix() is not matrix:
                self._entries[key] = _Entry(weakref.ref(matrix, partial(self._died, key)))
                return None
            if entry.wait == 0:
                return entry
            entry.wait -= 1
            return None

    def used(self, key: _Key, entry: _Entry, known: _Known) -> None:
        """Keep a graph that is of use, and forget those that were of use the longest time ago, if there is no room."""
        dropped = []  # outlives the lock: what goes with a graph may take its time
        with self._lock:
            entry.known = known
            self._with_graph.pop(key, None)
            self._with_graph[key] = entry
            graphs = list(self._with_graph.copy().items())
            for _, each in graphs[-_LATEST:]:
                each.part = _part_of_memory(each.known)
            total, count = sum(each.part for _, each in graphs), len(graphs)
            for other, each in graphs:
                if total <= PART_OF_MEMORY and count <= _MOST_GRAPHS:
                    break
                total, count = total - each.part, count - 1
                dropped.append(each.known)
                each.fail()
                self._with_graph.pop(other, None)

    def graphs(self) -> list[Graph]:
        """Return the graphs that are remembered."""
        return [each.known.graph for each in self._with_graph.copy().values() if each.known is not None]

    def _died(self, key: _Key, matrix: weakref.ref[Any]) -> None:
        """Forget a matrix; without the lock, which another thread may hold: Python collects garbage at any time."""
        entry = self._entries.get(key)
        if entry is not None and entry.matrix is matrix:
            self._with_graph.pop(key, None)
            self._entries.pop(key, None)


_memory = _Memory()
_of_the_parent: list[Graph] = []


def _forget_after_fork() -> None:
    """Begin again, but keep the graphs of the parent: OpenCL, which would release their buffers, survives no fork."""
    global _memory
    _of_the_parent.extend(_memory.graphs())
    _memory = _Memory()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def remembered(matrix: Any, kind: Hashable, make: Callable[[Any], Graph]) -> Graph:
    """Return the graph of a matrix: the one of an earlier call if the matrix is as it was, else a new one.

    Parameters
    ----------
    matrix : any
        Of a matrix or array of SciPy in CSR, CSC, COO, BSR or DIA format, or a dense or masked array that is
        contiguous, a graph can be remembered.
    kind : hashable
        What the graph depends on beside the matrix.
    make : callable(matrix)
        Makes the graph of the matrix, or of its copy.
    """
    arrays = _arrays_of(matrix) if _serves else None
    if arrays is None or not _FEWEST_BYTES <= sum(each.nbytes for each in arrays) <= PART_OF_MEMORY * host_memory():
        return make(matrix)
    memory, key = _memory, (id(matrix), kind)
    entry = memory.entry(key, matrix)
    if entry is None:
        return make(matrix)
    known = entry.known
    if known is not None:
        if known.checksum == _checksum(matrix, arrays):
            entry.failures = 0
            memory.used(key, entry, known)
            return known.graph
        known = None  # its memory is needed
        entry.fail()
        if entry.wait:
            return make(matrix)
    copied, arrays = _copied(matrix, arrays)
    known = _Known(_checksum(copied, arrays), make(copied))
    memory.used(key, entry, known)
    return known.graph


def _arrays_of(matrix: Any) -> _Arrays | None:
    """Return the arrays that a matrix consists of; None if it is not of a kind that can be remembered."""
    arrays: tuple[Any, ...]
    if type(matrix) in (np.ndarray, np.matrix):
        arrays = (np.asarray(matrix),)
    elif type(matrix) is np.ma.MaskedArray:
        mask = np.ma.getmask(matrix)
        arrays = (np.ma.getdata(matrix), *(() if mask is np.ma.nomask else (mask,)))
    elif is_sparse(matrix) and type(matrix).__module__.startswith("scipy.") and len(matrix.shape) == 2:
        arrays = tuple(getattr(matrix, name) for name in _ARRAYS.get(matrix.format, ()))
    else:
        return None
    fits = all(type(each) is np.ndarray and each.dtype.kind in "biuf" and each.flags.forc for each in arrays)
    return arrays if arrays and fits else None


def _copied(matrix: Any, arrays: _Arrays) -> tuple[Any, _Arrays]:
    """Return the same matrix with arrays of its own, which are not checked, and these."""
    arrays = tuple(map(_copy, arrays))
    if isinstance(matrix, np.ma.MaskedArray):
        return np.ma.MaskedArray(arrays[0], arrays[1] if len(arrays) > 1 else np.ma.nomask), arrays
    if isinstance(matrix, np.ndarray):
        return arrays[0].view(type(matrix)), arrays
    copied = copy.copy(matrix)
    for name, array in zip(_ARRAYS[matrix.format], arrays, strict=True):
        setattr(copied, name, array)
    return copied, arrays


def _copy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy, by several threads if it is large: its memory is new."""
    copied = np.empty_like(array)
    source, target = array.reshape(-1, order="A"), copied.reshape(-1, order="A")

    def work(first: int, last: int) -> None:
        target[first:last] = source[first:last]

    in_parts(work, len(source), source.itemsize)
    return copied


def _checksum(matrix: Any, arrays: _Arrays) -> Hashable:
    """Return what differs between two matrices, but for one case in 2^128, if they do: types, shapes and a hash.

    Each byte is hashed, by several threads where there are many.
    """
    memories = [each.reshape(-1, order="A").view(np.uint8).data for each in arrays]
    pieces = [memory[first : first + PART] for memory in memories for first in range(0, len(memory), PART)]
    hashes = [b""] * len(pieces)

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            hashes[number] = xxhash.xxh3_128_digest(pieces[number])  # without Python's lock

    in_parts(work, len(pieces), PART)
    form = getattr(matrix, "format", None), matrix.shape
    types = tuple((each.dtype.str, each.shape, each.flags.c_contiguous) for each in arrays)
    return form, types, xxhash.xxh3_128_digest(b"".join(hashes))


def _part_of_memory(known: Any) -> float:
    """Return which part of the memories a graph takes, with all that was made of it, of the host and of devices."""
    opencl = sys.modules.get("pyopencl")
    part, host = 0.0, host_memory()
    seen: dict[int, Any] = {}
    todo = [known]
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, (type, str, bytes, int, float)):
            continue
        seen[id(each)] = each
        if isinstance(each, np.ndarray):
            part += (each.nbytes if any(each.strides) else each.itemsize) / host  # one weight of all edges
        elif opencl is not None and isinstance(each, opencl.MemoryObject):
            part += each.size / each.context.devices[0].global_mem_size
        elif isinstance(each, Graph):
            todo += each._edges, each._derived
        elif isinstance(each, dict):
            todo += list(each.values())
        elif isinstance(each, (tuple, list)):
            todo += each
        elif hasattr(each, "__dict__"):
            todo += list(vars(each).values())
    return part
