"""Searches in a hierarchy on a device: climbs from sources, and sweeps down over all vertices or some (sweep.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.core import ranges
from reedsp.algorithms.contraction.exact import infinity_of, unit_macros
from reedsp.algorithms.contraction.hierarchy import Half, Hierarchy
from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import weight_macros
from reedsp.device.job import Job

_FILE = "contraction/sweep.cl"
_LANES, _WIDE_LANES = 16, 64  # of a work-item, and of many
_GROUP_SIZE = 64


@dataclass(frozen=True)
class Sweep:
    """The vertices that a sweep passes over, and those that it is for.

    Attributes
    ----------
    place_of : ndarray of int32, shape (n,)
        Place of the vertex of each rank among these, which are in the order of ranks; -1 if it is none of them.
    first : ndarray of uint32, shape (places + 1,)
    higher : ndarray of int32, shape (k,)
        Places from which edges come to each of them, one after the other.
    weights : ndarray of int32 or int64, shape (k,)
    rounds : ndarray of int64, shape (r + 1,)
        The first place of each round, then how many there are.
    targets : ndarray of int32
        Places of the vertices whose distances are wanted.
    """

    place_of: npt.NDArray[np.int32]
    first: npt.NDArray[np.uint32]
    higher: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    rounds: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]

    @property
    def places(self) -> int:
        """How many vertices it passes over."""
        return len(self.first) - 1


def sweep_to_all(hierarchy: Hierarchy) -> Sweep:
    """Return the sweep over all vertices, whose targets are in the order of the graph."""
    down = hierarchy.down
    places = np.arange(len(hierarchy.vertices), dtype=np.int32)
    first = down.first.astype(np.uint32)
    return Sweep(places, first, down.higher, down.weights, hierarchy.rounds, hierarchy.rank)


def sweep_to(hierarchy: Hierarchy, targets: npt.NDArray[Any]) -> Sweep:
    """Return the sweep over those vertices only from which edges lead down to some targets, vertices of the graph."""
    down, ranks = hierarchy.down, hierarchy.rank[targets]
    passes = np.zeros(len(hierarchy.vertices), bool)
    frontier = np.unique(ranks)
    while len(frontier):
        passes[frontier] = True
        higher = down.higher[ranges(down.first, frontier)]
        frontier = np.unique(higher[~passes[higher]])
    members = np.flatnonzero(passes)
    place_of = np.full(len(passes), -1, np.int32)
    place_of[members] = np.arange(len(members))
    edges = ranges(down.first, members)
    first = np.concatenate(([0], np.diff(down.first)[members].cumsum())).astype(np.uint32)
    rounds = np.searchsorted(members, hierarchy.rounds)
    return Sweep(place_of, first, place_of[down.higher[edges]], down.weights[edges], rounds, place_of[ranks])


class _Edges(NamedTuple):
    first: cl.Buffer
    edges: cl.Buffer


class OnDevice:
    """A hierarchy on a device.

    Parameters
    ----------
    hierarchy : Hierarchy
    job : Job
        Which copies it there.
    """

    def __init__(self, hierarchy: Hierarchy, job: Job) -> None:
        self._n: int = len(hierarchy.vertices)
        self._dtype: np.dtype[Any] = hierarchy.up.weights.dtype
        self._exponent = hierarchy.exponent
        self._most_edges = 2 * len(hierarchy.rounds)
        self._up = _uploaded(hierarchy.up, job)
        self._down = _uploaded(hierarchy.down, job)
        self._all = SweepOnDevice(sweep_to_all(hierarchy), job, self._down)
        infinity = self._dtype.type(infinity_of(self._dtype))
        above, scratch = job.allocate(2 * self._n, self._dtype), job.allocate(6 * self._n, np.int32)
        self._between = above, scratch
        job.fill(above, 2 * self._n, infinity)

    def rows(
        self,
        job: Job,
        sources: npt.NDArray[np.int32],
        arithmetic: Arithmetic,
        sweep: SweepOnDevice | None = None,
        by_rounds: bool | None = None,
    ) -> cl.Buffer:
        """Queue the search for the distances from some sources.

        Parameters
        ----------
        job : Job
        sources : ndarray of int32, shape (rows,)
            Their ranks; at least one.
        arithmetic : Arithmetic
            Type of the distances, which holds all of them.
        sweep : SweepOnDevice, optional
            By default to all vertices of the graph, in its order.
        by_rounds : bool, optional
            Whether a launch sweeps over a round, and as many work-items as there are sources share it. Otherwise each
            work-item sweeps by itself. By default they do on devices other than CPUs.

        Returns
        -------
        pyopencl.Buffer, shape (rows, targets)
        """
        here = self._all if sweep is None else sweep
        results = job.allocate(len(sources) * len(here.sweep.targets), arithmetic.dtype)
        shared = job.device.kind != "cpu" if by_rounds is None else by_rounds
        ranks = job.upload(sources, keep=False)
        (self._by_rounds if shared else self._by_batches)(job, here, ranks, len(sources), results, arithmetic)
        return results

    def _by_batches(
        self, job: Job, here: SweepOnDevice, sources: cl.Buffer, rows: int, results: cl.Buffer, arithmetic: Arithmetic
    ) -> None:
        n, device, sweep = self._n, job.device, here.sweep
        size = sweep.places * _LANES * self._dtype.itemsize
        workers = max(1, min(device.compute_units, -(-rows // _LANES), device.max_allocation // size))
        kernel = device.kernel(_FILE, "solve_batches", **self._macros(_LANES, arithmetic))
        above, heap = self._scratch(job, workers)
        dist = job.allocate(workers * sweep.places * _LANES, self._dtype)
        sizes = np.uint32(n), np.uint32(sweep.places), np.uint32(len(sweep.targets))
        buffers = (*self._up, *here.edges, here.place_of, here.targets, sources, results, above, heap, dist)
        for first in range(0, rows, workers * _LANES):
            job.launch(kernel, workers, 1, *buffers, *sizes, np.uint32(first), np.uint32(rows))
            job.add_steps(_LANES * (sweep.places + len(sweep.higher)))

    def _by_rounds(
        self, job: Job, here: SweepOnDevice, sources: cl.Buffer, rows: int, results: cl.Buffer, arithmetic: Arithmetic
    ) -> None:
        device, sweep, macros = job.device, here.sweep, self._macros(_WIDE_LANES, arithmetic)
        names = "climb", "sweep_round", "write_rows"
        climb, sweep_round, write = (device.kernel(_FILE, name, **macros) for name in names)
        above, heap = self._scratch(job, min(rows, _WIDE_LANES))
        entries = sweep.places * _WIDE_LANES
        dist, targets = job.allocate(entries, self._dtype), len(sweep.targets)
        for first in range(0, rows, _WIDE_LANES):
            lanes = min(_WIDE_LANES, rows - first)
            now = np.uint32(first), np.uint32(lanes)
            job.fill(dist, entries, self._dtype.type(infinity_of(self._dtype)))
            climbing = (*self._up, here.place_of, sources, above, heap, dist)
            job.launch(climb, lanes, 1, *climbing, np.uint32(self._n), *now)
            for begin, end in zip(sweep.rounds[-2::-1].tolist(), sweep.rounds[:0:-1].tolist(), strict=True):
                if begin < end:
                    size, group = (_WIDE_LANES, end - begin), (_WIDE_LANES, 1)
                    job.launch(sweep_round, size, group, *here.edges, dist, np.uint32(begin), np.uint32(end))
            job.launch(write, (targets, lanes), (_GROUP_SIZE, 1), dist, here.targets, results, np.uint32(targets), *now)
            job.add_steps(_WIDE_LANES * (sweep.places + len(sweep.higher)))

    def meet(self, job: Job, source: int, target: int) -> tuple[int, list[int], list[int]]:
        """Return a shortest path from one rank to another.

        Returns
        -------
        weight : int
            In units; -1 if there is no path.
        up, down : list of int
            Indices of edges, in the order of the path.
        """
        meeting, weight = job.allocate(3 + self._most_edges, np.int32), job.allocate(1, self._dtype)
        kernel = job.device.kernel(_FILE, "meet", **self._macros(_LANES, Arithmetic(self._dtype)))
        ends = np.uint32(self._n), np.int32(source), np.int32(target)
        job.launch(kernel, 1, 1, *self._up, *self._down, *self._between, meeting, weight, *ends)
        highest, ups, downs, *edges = job.download(meeting, 3 + self._most_edges, np.int32).tolist()
        found = int(job.download(weight, 1, self._dtype)[0])
        if highest < 0:
            return -1, [], []
        return found, edges[:ups][::-1], edges[ups : ups + downs]

    def _scratch(self, job: Job, workers: int) -> tuple[cl.Buffer, cl.Buffer]:
        """Return what climbs need, which is INF, and their heaps."""
        count = workers * self._n
        above = job.allocate(count, self._dtype)
        job.fill(above, count, self._dtype.type(infinity_of(self._dtype)))
        return above, job.allocate(count, np.int32)

    def _macros(self, lanes: int, arithmetic: Arithmetic) -> dict[str, str | int]:
        of_result = weight_macros(arithmetic.dtype)
        scale = float.hex(2.0**self._exponent) if arithmetic.dtype.kind == "f" else "1"
        return {
            "LANES": lanes,
            "RESULT": of_result["WEIGHT"],
            "RESULT_INF": of_result["INF"],
            "SCALE": scale,
            "OFFSET": "uint",
            **unit_macros(self._dtype),
        }


class SweepOnDevice:
    """A sweep, and its arrays on a device.

    Parameters
    ----------
    sweep : Sweep
    job : Job
        Which copies it there.
    edges : _Edges, optional
        Those that are there already.
    """

    def __init__(self, sweep: Sweep, job: Job, edges: _Edges | None = None) -> None:
        self.sweep = sweep
        self.edges = _pairs_uploaded(sweep.first, sweep.higher, sweep.weights, job) if edges is None else edges
        self.place_of: cl.Buffer = job.upload(sweep.place_of)
        self.targets: cl.Buffer = job.upload(sweep.targets)


def _uploaded(half: Half, job: Job) -> _Edges:
    return _pairs_uploaded(half.first, half.higher, half.weights, job)


def _pairs_uploaded(
    first: npt.NDArray[Any], higher: npt.NDArray[np.int32], weights: npt.NDArray[Any], job: Job
) -> _Edges:
    pairs = np.empty(len(higher), np.dtype([("target", np.int32), ("weight", weights.dtype)], align=True))
    pairs["target"], pairs["weight"] = higher, weights
    return _Edges(job.upload(first.astype(np.uint32)), job.upload(pairs))
