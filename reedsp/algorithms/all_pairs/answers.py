"""From a matrix of final path weights to distances and predecessors, in memory or in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core.array_files import write_npy
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import DIST, PRED, Checkpoint
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.algorithms.all_pairs.trees import TightEdges, find_tight_edges, shortest_path_trees
from reedsp.algorithms.single_source.output_parallel import output_parallel
from reedsp.algorithms.single_source.task import Task
from reedsp.arithmetic.matrix import write_distances
from reedsp.arithmetic.paths import choose_arithmetic, to_result
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
        Rounding has made the path weights useless: every source is solved again, by Bellman-Ford.
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
        self._corrected: dict[int, npt.NDArray[Any]] = {}  # distances from sources that were solved by Bellman-Ford

    def to_memory(self, dist: npt.NDArray[Any], pred: npt.NDArray[np.int32] | None) -> None:
        """Fill arrays, shape (rows, n), with distances and, if they are wanted, predecessors."""
        phases = self._matrix.job.phases
        if pred is not None or self._again:
            phases.begin("tree")
            for _ in self._predecessors(pred):
                pass
        phases.begin("download")
        self._write(self._matrix.rows, dist)

    def to_files(self, checkpoint: Checkpoint, kind: str, predecessors: bool) -> None:
        """Write distances and, if they are wanted, predecessors to results of this kind in a checkpoint."""
        n = self._matrix.n

        def write_predecessors(stream: IO[bytes]) -> None:
            write_npy(stream, self._predecessors(), (n, n), np.int32)

        def write_dist(stream: IO[bytes]) -> None:
            write_npy(stream, self._distances(), (n, n), self._dtype)

        if self._again and not predecessors:
            for _ in self._predecessors():
                pass
        # predecessors first: to find them may correct distances
        files = {PRED: (n * n * 4, write_predecessors)} if predecessors else {}
        checkpoint.write_results(kind, {**files, DIST: (n * n * self._dtype.itemsize, write_dist)})

    def _distances(self) -> Iterator[npt.NDArray[Any]]:
        for rows in self._matrix.slices():
            dist = np.empty((rows.stop - rows.start, self._matrix.n), self._dtype)
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
                for source in range(first, first + count) if self._again else map(int, unresolved):
                    pred[source - first] = self._solve(source)
                yield pred

    def _solve(self, source: int) -> npt.NDArray[np.int32]:
        """Return the predecessors from one source by Bellman-Ford, among what no negative cycle reaches."""
        matrix, graph = self._matrix, self._matrix.graph
        with matrix.rows_on_host(slice(source, source + 1)) as [row]:
            values = row.copy()
        dist = np.empty(graph.n, self._dtype)
        write_distances(values[np.newaxis], source, matrix.weights, dist[np.newaxis])
        bounded = values != matrix.weights.unbounded
        kept = np.repeat(bounded, np.diff(graph.indptr)) & bounded[graph.indices]
        sources = edge_sources(graph)
        rest = Graph.from_edges(graph.n, sources[kept], graph.indices[kept], graph.weights[kept])
        arithmetic = choose_arithmetic(rest, self._dtype)
        found, pred = np.empty((1, graph.n), arithmetic.dtype), np.empty((1, graph.n), np.int32)
        output_parallel(Task(rest, [[source]], matrix.job, arithmetic, found, pred))
        dist[bounded] = to_result(found[0], arithmetic, self._dtype)[bounded]
        dist[source] = 0 if bounded[source] else dist[source]  # which rounding may have made less
        self._corrected[source] = dist
        return pred[0]  # type: ignore[no-any-return]


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
