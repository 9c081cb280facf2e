"""Check components by rules that do not depend on how they were found (cl/components/verify.cl, or numpy)."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.check_on_host import look_at_edges, reached_from
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.device.device import Device
from reedsp.device.dispatch import by_counts, even
from reedsp.device.job import Argument, Job
from reedsp.edges.verify import VerificationError, check_array
from reedsp.graph.graph import Graph, edge_sources

_FILE = "components/verify.cl"
_GROUP_SIZE = 64


def verify_labels(graph: Graph, labels: npt.NDArray[np.int32], strong: bool, device: Device | None) -> None:
    """Check the numbers of components of a graph.

    Parameters
    ----------
    graph : Graph
    labels : ndarray, shape (n,)
    strong : bool
        They are those of strongly connected components, of which lower levels come first.
    device : Device, optional
        None: the host.

    Raises
    ------
    VerificationError
        They are not right; the message names a vertex, or two.
    """
    n = graph.n
    check_array("labels", labels, (n,), np.int32)
    if n == 0:
        return
    count = int(labels.max()) + 1
    if labels.min() < 0 or count > n:
        vertex = int(np.argmin(labels) if labels.min() < 0 else np.argmax(labels))
        raise VerificationError(f"vertex {graph.names[vertex]!r}: no component has the number {labels[vertex]}")
    search = None if device is None else _Check(Job(device), graph, labels, count, strong)
    wrong, smallest, highest = look_at_edges(graph, labels, count, strong) if search is None else search.edges()
    if wrong < n:
        targets = graph.indices[graph.indptr[wrong] : graph.indptr[wrong + 1]]
        others = labels[targets]
        target = int(targets[np.argmax(others > labels[wrong] if strong else others != labels[wrong])])
        raise VerificationError(
            f"vertex {graph.names[wrong]!r}: its component is {labels[wrong]}, but it has an edge to vertex "
            f"{graph.names[target]!r} of component {labels[target]}"
        )
    if (smallest == n).any():
        raise VerificationError(
            f"no vertex has component {int(np.argmax(smallest == n))}, but there are higher numbers"
        )
    if search is None or strong:
        _check_linked(graph, labels, smallest, strong, device)
    elif (trees := search.trees()) != count:
        raise VerificationError(f"{count} components, but {trees} cannot be joined by edges")
    _check_order(graph, smallest, _levels(highest) if strong else np.zeros(count, np.int64))


class _Check:
    """The numbers of a graph on a device."""

    def __init__(self, job: Job, graph: Graph, labels: npt.NDArray[np.int32], count: int, strong: bool) -> None:
        self._job, self._n, self._count = job, graph.n, count
        self._macros = {"STRONG": int(strong), "ATOMIC_LOADS": int(not job.device.loads_are_atomic)}
        self._group = min(_GROUP_SIZE, job.device.max_work_group_size)
        self._rows = (job.upload(graph.indptr), job.upload(graph.indices))
        self._labels = job.upload(labels)
        at_once = job.device.steps_at_once
        self._by_edges = by_counts(np.diff(graph.indptr), graph.m, self._group, 1, at_once)
        self._by_vertices = even(0, graph.n, self._group, graph.n, at_once)

    def _launch(self, name: str, *args: Argument, by_edges: bool = False) -> None:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        slices = self._by_edges if by_edges else self._by_vertices
        self._job.launch(kernel, self._n, self._group, *args, np.uint32(self._n), slices=slices)

    def edges(self) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return a vertex with a wrong edge, or n, and `smallest` and `highest` of the kernel."""
        job = self._job
        smallest, highest = job.full(self._count, np.int32(self._n)), job.full(self._count, np.int32(-1))
        wrong = job.full(1, np.int32(self._n))
        self._launch("check_edges", *self._rows, self._labels, smallest, highest, wrong, by_edges=True)
        lowest, reached = (job.download(each, self._count, np.int32) for each in (smallest, highest))
        return int(job.download(wrong, 1, np.int32)[0]), lowest, reached

    def trees(self) -> int:
        """Return how many trees are left when none can grow any more."""
        job = self._job
        parents, roots = job.allocate(self._n, np.int32), job.full(1, np.uint32(0))
        self._launch("begin_trees", parents)
        while True:
            changed = job.full(1, np.uint32(0))
            self._launch("hook", *self._rows, parents, changed, by_edges=True)
            self._launch("jump", parents, changed)
            if not job.download(changed, 1, np.uint32)[0]:
                break
        self._launch("count_trees", parents, roots)
        return int(job.download(roots, 1, np.uint32)[0])


def _check_linked(
    graph: Graph,
    labels: npt.NDArray[np.int32],
    smallest: npt.NDArray[np.int32],
    strong: bool,
    device: Device | None,
) -> None:
    """Check that the smallest vertex of each component reaches all others within it, and is reached from them.

    Of weak components, that edges in either direction lead to them.
    """
    sources, targets = edge_sources(graph), graph.indices
    inside = labels[sources] == labels[targets]
    sources, targets = sources[inside], targets[inside]
    root = np.full(len(smallest), graph.n, np.int32)  # a new vertex, with an edge to each of the smallest ones
    ways = [((sources, targets), "is not reached from"), ((targets, sources), "does not reach")]
    if not strong:
        both = np.append(sources, targets), np.append(targets, sources)
        ways = [(both, "is not connected with")]
    for ends, does in ways:
        linked = Graph.from_edges(graph.n + 1, np.append(ends[0], root), np.append(ends[1], smallest))
        reached = reached_from(linked, graph.n) if device is None else bfs(linked, graph.n, device=device).levels >= 0
        if not reached.all():
            vertex = int(np.argmin(reached))
            of = graph.names[smallest[labels[vertex]]]
            raise VerificationError(f"vertex {graph.names[vertex]!r}: it {does} vertex {of!r} of the same component")


def _levels(highest: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the level of each component if they ascend, by the highest of those that it leads to.

    If they ascend, that one has the highest level among these.
    """
    reach: list[int] = np.maximum.accumulate(highest).tolist()
    begins = [0]
    while (begin := bisect_left(reach, begins[-1], begins[-1])) < len(reach):
        begins.append(begin)
    first = np.array(begins)
    levels = np.searchsorted(first, np.arange(len(highest)), "right") - 1
    below = np.where(highest < 0, -1, levels[np.maximum(highest, 0)])
    return below + 1


def _check_order(graph: Graph, smallest: npt.NDArray[np.int32], levels: npt.NDArray[np.int64]) -> None:
    """Check that lower levels come first, and of these smaller vertices."""
    key = levels * graph.n + smallest
    wrong = np.flatnonzero(key[1:] <= key[:-1])
    if len(wrong):
        one, other = (graph.names[smallest[component]] for component in (wrong[0], wrong[0] + 1))
        raise VerificationError(
            f"vertex {other!r}: its component, {wrong[0] + 1}, should have a lower number than that of vertex {one!r}"
        )
