"""Vertices contracted on a device, a round at a time (rounds.cl)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.core import Core, Edges, ranges
from reedsp.algorithms.contraction.exact import infinity_of, unit_macros
from reedsp.device.dispatch import even
from reedsp.device.job import Argument, Job

_FILE = "contraction/rounds.cl"
_GROUP_SIZE = 16
_LISTED, _SETTLED = (62, 254), (16, 128)
"""Vertices that a search for witnesses reaches, and whose edges it follows: at first, and in a late round."""

_FEW, _DENSE = 20_000, 8  # vertices, and edges of each, on the average
_FOLLOWED = 6000  # edges of a search for witnesses, about; and of a vertex there, at most
_COMPLETE = 1 / 4  # of the pairs of vertices have an edge, so that a search would be in vain
_SLOTS = 1 << 22  # of shortcuts that are looked at in a row, or those of one vertex
_SAMPLED = 8  # edges that end at a vertex, at most, whose shortcuts are counted


class Round:
    """A core on a device."""

    def __init__(self, job: Job, core: Core) -> None:
        self._job = job
        self._n = core.n
        dtype = core.edges.weights.dtype
        pairs = np.dtype([("target", np.int32), ("weight", dtype)], align=True)
        leaving = np.empty(core.m, pairs)
        leaving["target"], leaving["weight"] = core.edges.heads, core.edges.weights
        self._edges = [job.upload(each, keep=False) for each in (core.first_out, leaving)]
        if core.symmetric:
            self._edges *= 2
        else:
            entering = np.empty(core.m, pairs)
            entering["target"], entering["weight"] = core.edges.tails[core.entering], core.edges.weights[core.entering]
            self._edges += [job.upload(each, keep=False) for each in (core.first_in, entering)]
        late = core.n <= _FEW or core.m > _DENSE * core.n
        settled = 1 if core.m > _COMPLETE * core.n**2 else _FOLLOWED * core.n // max(1, core.m)
        self._settled = np.uint32(max(1, min(_SETTLED[late], settled)))
        self._lightest = core.edges.weights.min(initial=infinity_of(dtype))
        self._macros = {
            "SYMMETRIC": int(core.symmetric),
            "LISTED": _LISTED[late],
            "FOLLOWED": _FOLLOWED,
            "OFFSET": "uint",
            **unit_macros(dtype),
        }

    def counts(self, core: Core, vertices: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Return how many shortcuts some vertices would need; where many edges end, as many as some let expect."""
        degrees = core.in_degrees[vertices]
        steps = -(-degrees // _SAMPLED)
        searches = -(-(degrees - steps // 2) // np.maximum(steps, 1))
        ends = searches.cumsum()
        within = np.arange(ends[-1]) - np.repeat(ends - searches, searches)
        entering = np.repeat(core.first_in[vertices] + steps // 2, searches) + within * np.repeat(steps, searches)
        needed = self._job.allocate(len(entering), np.uint32)
        goes = self._job.full(core.n, np.uint8(0))
        self._look("count_shortcuts", core, goes, np.repeat(vertices, searches), entering, needed)
        found = np.concatenate(([0], self._job.download(needed, len(entering), np.uint32).cumsum(dtype=np.int64)))
        counts: npt.NDArray[np.int64] = (found[ends] - found[ends - searches]) * degrees // np.maximum(searches, 1)
        return counts

    def shortcuts(self, core: Core, goes: npt.NDArray[np.bool_], down_edges: int, up_edges: int) -> Iterator[Edges]:
        """Yield the shortcuts of the vertices that go, those of some after the other.

        Parameters
        ----------
        core : Core
        goes : ndarray of bool, shape (n,)
        down_edges, up_edges : int
            How many edges of each kind the hierarchy has, to which theirs are appended.
        """
        mask = self._job.upload(goes.astype(np.uint8), keep=False)
        going = np.flatnonzero(goes)
        slots = (core.in_degrees[going] * core.out_degrees[going]).cumsum()
        for some in np.split(going, np.flatnonzero(np.diff(slots // _SLOTS)) + 1):
            yield self._shortcuts_of(core, mask, some, down_edges, up_edges)
            down_edges += int(core.in_degrees[some].sum())
            up_edges += int(core.out_degrees[some].sum())

    def _shortcuts_of(
        self, core: Core, goes: cl.Buffer, some: npt.NDArray[np.intp], down_edges: int, up_edges: int
    ) -> Edges:
        job, dtype = self._job, core.edges.weights.dtype
        rows, columns = core.in_degrees[some], core.out_degrees[some]
        first_slot = np.zeros(len(some) + 1, np.int64)
        np.cumsum(rows * columns, out=first_slot[1:])
        slots = int(first_slot[-1])
        ends, weights = job.allocate(2 * slots, np.int32), job.allocate(slots, dtype)
        firsts = job.upload(np.repeat(first_slot[:-1], rows).astype(np.uint64), keep=False)
        entering = ranges(core.first_in, some)
        self._look("add_shortcuts", core, goes, np.repeat(some, rows), entering, firsts, ends, weights)
        pairs = job.download(ends, 2 * slots, np.int32).reshape(slots, 2)
        used = np.flatnonzero(pairs[:, 0] >= 0)
        number = np.searchsorted(first_slot, used, "right") - 1
        row, column = np.divmod(used - first_slot[number], columns[number])
        parts = np.stack(
            (
                down_edges + (rows.cumsum() - rows)[number] + row,
                up_edges + (columns.cumsum() - columns)[number] + column,
            ),
            axis=1,
        )
        tails, heads = pairs[used].T.astype(np.int64)
        return Edges(tails, heads, job.download(weights, slots, dtype)[used], parts.astype(np.int32))

    def _look(
        self,
        name: str,
        core: Core,
        goes: cl.Buffer,
        vertices: npt.NDArray[np.intp],
        entering: npt.NDArray[Any],
        *others: cl.Buffer,
    ) -> None:
        """Queue a search around each of some vertices, which begins at an edge that ends there."""
        job, count = self._job, len(vertices)
        if count == 0:
            return
        listed = job.upload(vertices.astype(np.int32), keep=False), job.upload(entering.astype(np.uint32), keep=False)
        steps = count * int(self._settled) * (1 + core.m // core.n)
        slices = even(0, count, _GROUP_SIZE, steps, job.device.steps_at_once)
        kernel = job.device.kernel(_FILE, name, **self._macros)
        sizes = self._settled, self._lightest, np.uint32(count)
        args: tuple[Argument, ...] = (*self._edges, goes, *listed, *others, *sizes)
        job.launch(kernel, count, _GROUP_SIZE, *args, slices=slices)

    def smallest_around(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Return the smallest of the keys of each vertex and its neighbours."""
        job, n = self._job, self._n
        kernel = job.device.kernel(_FILE, "smallest_around", **self._macros)
        smallest = job.allocate(n, np.uint64)
        job.launch(kernel, n, _GROUP_SIZE, *self._edges, job.upload(keys, keep=False), smallest, np.uint32(n))
        return job.download(smallest, n, np.uint64)
