"""From a matrix of final path weights to distances and predecessors, in memory or in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.johnson import Searches
from reedsp.algorithms.all_pairs.out_of_core.array_files import write_npy
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import DIST, PRED, Checkpoint
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.algorithms.all_pairs.trees import TightEdges, find_tight_edges, shortest_path_trees
from reedsp.arithmetic.matrix import write_distances
from reedsp.arithmetic.types import minus_infinity
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.graph import Graph, edge_sources
from reedsp.system.parts import TRANSFERRED, in_parts

_EDGES_AT_A_TIME = {"cpu": 1 << 26, "gpu": 1 << 30}  # that are looked at in one launch

_PAGE = 1 << 12  # bytes


class Answers:
    """Distances and predecessors, some rows at a time.

    Parameters
    ----------
    matrix : PathMatrix
    dtype : dtype
        Of the distances.
    again : bool
        Rounding has made the path weights useless: every source is solved again, by searches.
    edges : TightEdges, optional
        By default found in the matrix, if it has all rows.
    """

    def __init__(
        self, matrix: PathMatrix, dtype: np.dtype[Any], again: bool = False, edges: TightEdges | None = None
    ) -> None:
        self._matrix = matrix
        self._dtype = dtype
        self._again = again
        self._edges = edges
        self._corrected: dict[int, npt.NDArray[Any]] = {}  # distances from sources that were solved by searches

    def to_memory(self, dist: npt.NDArray[Any], pred: npt.NDArray[np.int32] | None) -> None:
        """Fill arrays, shape (rows, n), with distances and, if they are wanted, predecessors."""
        phases, rows = self._matrix.job.phases, self._matrix.rows
        if self._again:
            self._solve(np.arange(rows.start, rows.stop), dist, pred)
            return
        if pred is not None:
            phases.begin("tree")
            for _ in self._predecessors(pred):
                pass
        phases.begin("download")
        self._write(rows, dist)

    def to_files(self, checkpoint: Checkpoint, kind: str, predecessors: bool) -> None:
        """Write distances and, if they are wanted, predecessors to results of this kind in a checkpoint."""
        n = self._matrix.n

        def begin(phase: str) -> None:
            if not self._again:  # else all is found by searches
                self._matrix.job.phases.begin(phase)

        def write_predecessors(stream: IO[bytes]) -> None:
            begin("tree")
            write_npy(stream, self._predecessors(), (n, n), np.int32)

        def write_dist(stream: IO[bytes]) -> None:
            begin("download")
            write_npy(stream, self._distances(), (n, n), self._dtype)

        # predecessors first: to find them may correct distances
        files = {PRED: (n * n * 4, write_predecessors)} if predecessors else {}
        checkpoint.write_results(kind, {**files, DIST: (n * n * self._dtype.itemsize, write_dist)})

    def _distances(self) -> Iterator[npt.NDArray[Any]]:
        for rows in self._matrix.slices():
            dist = np.empty((rows.stop - rows.start, self._matrix.n), self._dtype)
            if self._again:
                self._solve(np.arange(rows.start, rows.stop), dist)
            else:
                self._write(rows, dist)
            yield dist

    def _write(self, rows: slice, dist: npt.NDArray[Any]) -> None:
        """Write the distances of some rows."""
        matrix = self._matrix

        def write(first: int, last: int) -> None:
            part = slice(rows.start + first, rows.start + last)
            with matrix.rows_on_host(part) as values:
                write_distances(values, part.start, matrix.weights, dist[first:last])

        in_parts(write, len(dist), matrix.row_bytes, TRANSFERRED)
        for source in self._corrected:
            if rows.start <= source < rows.stop:
                dist[source - rows.start] = self._corrected[source]

    def _predecessors(self, out: npt.NDArray[np.int32] | None = None) -> Iterator[npt.NDArray[np.int32]]:
        """Yield predecessors, some rows at a time; they are rows of `out` if that is given."""
        if self._again:
            yield from self._predecessors_of_searches()
            return
        matrix, graph = self._matrix, self._matrix.graph
        edges = find_tight_edges(matrix) if self._edges is None else self._edges
        kind = "cpu" if matrix.job.device.kind == "cpu" else "gpu"
        step = max(1, _EDGES_AT_A_TIME[kind] // (edges.count + graph.n))
        for slab in matrix.slices():
            block = matrix.rows_on_device(slab)
            for first in range(slab.start, slab.stop, step):
                count = min(step, slab.stop - first)
                start = first - matrix.rows.start
                pred = np.empty((count, graph.n), np.int32) if out is None else out[start : start + count]
                trees, unresolved = shortest_path_trees(
                    *(matrix, edges, block.at(first - slab.start, 0), first, pred.shape),
                    zero_progress_only=graph.has_negative_weights,
                )
                matrix.job.download_into(pred, trees)
                if len(unresolved):
                    dist, trees_of_searches = self._empty(len(unresolved))
                    self._solve(unresolved, dist, trees_of_searches)
                    pred[unresolved - first] = trees_of_searches
                    self._corrected.update(zip(unresolved.tolist(), dist, strict=True))
                yield pred

    def _predecessors_of_searches(self) -> Iterator[npt.NDArray[np.int32]]:
        for rows in self._matrix.slices():
            dist, pred = self._empty(rows.stop - rows.start)
            self._solve(np.arange(rows.start, rows.stop), dist, pred)
            yield pred

    def _empty(self, rows: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        shape = rows, self._matrix.n
        return np.empty(shape, self._dtype), np.empty(shape, np.int32)

    def _solve(
        self, sources: npt.NDArray[np.intp], dist: npt.NDArray[Any], pred: npt.NDArray[np.int32] | None = None
    ) -> None:
        """Fill rows with the distances, and predecessors, from some sources by searches."""
        step = self._searches.at_once
        for first in range(0, len(sources), step):
            some = slice(first, first + step)
            self._searches.rows(sources[some], None if pred is None else pred[some], dist[some])
            unbounded = self._matrix.unbounded(sources[some])
            np.copyto(dist[some], minus_infinity(self._dtype), where=unbounded)
            if pred is not None:
                np.copyto(pred[some], NO_VERTEX, where=unbounded)

    @cached_property
    def _searches(self) -> Searches:
        """Searches among what is on no negative cycle: a path that is bounded passes nothing else."""
        matrix, graph = self._matrix, self._matrix.graph
        if len(matrix.cycles):
            component, sources = graph.strong_components(), edge_sources(graph)
            on_cycle = np.isin(component, component[matrix.cycles])
            kept = ~(on_cycle[sources] | on_cycle[graph.indices])
            graph = Graph.from_edges(graph.n, sources[kept], graph.indices[kept], graph.weights[kept])
        return Searches(graph, matrix.job, self._dtype, rounded=True)


def touch(arrays: Iterable[npt.NDArray[Any]]) -> None:
    """Have the system hand out the memory of new arrays."""
    for array in arrays:
        elements, step = array.reshape(-1), _PAGE // array.itemsize

        def write(first: int, last: int, elements: npt.NDArray[Any] = elements, step: int = step) -> None:
            elements[first:last:step] = 0

        in_parts(write, array.size, array.itemsize)


def predecessor_file(target: Path) -> Path:
    """Return where predecessors go beside a file of distances."""
    return target.with_suffix(".pred.npy")
