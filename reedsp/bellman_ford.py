"""Output Parallel Bellman-Ford (thesis section 5.3, cl/output_parallel_bellman_ford.cl)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device import DeviceError, Job, Kernel
from reedsp.device_graph import DeviceGraph
from reedsp.exactness import Arithmetic
from reedsp.graph import Graph
from reedsp.negative_cycle import (
    cycle_weight,
    error_for,
    exact_shortest_paths,
    hidden_negative_cycle,
    predecessor_cycle,
)
from reedsp.predecessors import shortest_path_tree
from reedsp.rounds import PASSES, Rounds

_GPU_GROUP_SIZE = 256
_CPU_GROUP_SIZE = 1024
_SMALL_GROUP = 64
_FIRST_CYCLE_CHECK = 32
_ROUNDS_BETWEEN_WAITS = 32


@dataclass(frozen=True)
class Solution:
    """Shortest paths from one source, in the user's vertex order.

    Attributes
    ----------
    dist : ndarray of the arithmetic's dtype, shape (n,)
    predecessors : ndarray of int32, shape (n,)
    rounds : int
        Sets of edge relaxations; with the early stop the last one changed nothing.
    exact_on_host : bool
        True if rounding defeated the device's float arithmetic and the host solved the graph in whole numbers.
    """

    dist: npt.NDArray[Any]
    predecessors: npt.NDArray[np.int32]
    rounds: int
    exact_on_host: bool = False


class _RoundingError(Exception):
    """Rounded path weights contradict each other: the graph has to be solved in whole numbers."""


def output_parallel(
    graph: Graph,
    source: int,
    job: Job,
    arithmetic: Arithmetic,
    *,
    ceiling: Any = None,
    progress: Callable[[int, int], None] | None = None,
    cooperative_loading: bool | None = None,
    in_degree_order: bool | None = None,
    early_stop: bool = True,
    group_size: int | None = None,
) -> Solution:
    """Solve single-source shortest paths by Output Parallel Bellman-Ford.

    One work-item a vertex relaxes the edges that end there, so that no two write the same path weight (thesis
    Algorithm 12). Path weights are double-buffered: after k rounds each is the least weight of a path of at most k
    edges. The three refinements of the thesis can be switched off one by one, to be measured.

    Parameters
    ----------
    graph : Graph
    source : int
    job : Job
    arithmetic : Arithmetic
        Holds every path sum, as :func:`reedsp.exactness.choose_arithmetic` finds it.
    ceiling : optional
        Path weights from here on are left out; for graphs without negative weights.
    progress : callable(rounds, most_rounds), optional
    cooperative_loading : bool, optional
        Work-groups load their edges together into local memory (section 5.3.1). By default on GPUs.
    in_degree_order : bool, optional
        Re-enumerate the vertices by the number of edges that end at them (section 5.3.1). By default on other
        devices: with cooperative loading it puts all edges of the busiest vertices into one work-group.
    early_stop : bool
        Stop after the first round without an update (section 6.1.2) instead of after n - 1 rounds.
    group_size : int, optional
        Work-items of a work-group. The thesis takes exactly one warp; larger ones measured faster.

    Returns
    -------
    Solution

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    on_gpu = job.device.kind == "gpu"
    if cooperative_loading is None:
        cooperative_loading = on_gpu
    if in_degree_order is None:
        in_degree_order = not on_gpu
    if group_size is None:
        group_size = min(_GPU_GROUP_SIZE if on_gpu else _CPU_GROUP_SIZE, job.device.max_work_group_size)
    on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order)
    bound = arithmetic.infinity if ceiling is None else ceiling
    relaxations = _Relaxations(graph, on_device, source, job, bound, cooperative_loading, group_size)
    try:
        rounds = relaxations.run_with_early_stop(progress) if early_stop else relaxations.run_all(progress)
        if arithmetic.saturate and graph.has_negative_weights:
            relaxations.look_for_cycle()  # saturated sums come to rest on a cycle, too
        dist = on_device.to_user_order(job.download(relaxations.weights, graph.n, arithmetic.dtype))
        if arithmetic.saturate and dist.min() == np.iinfo(arithmetic.dtype).min:
            raise OverflowError(f"a distance from vertex {source} is below {arithmetic.dtype}")
        number = int(on_device.number_of[source])
        tree, overflowed, unresolved = shortest_path_tree(
            job, on_device, relaxations.weights, number, zero_progress_only=graph.has_negative_weights
        )
        if overflowed and ceiling is None:
            raise OverflowError(f"a distance from vertex {source} is beyond {arithmetic.dtype}")
        if unresolved:
            raise _RoundingError
        if graph.has_negative_weights and arithmetic.dtype.kind == "f":
            cycle = hidden_negative_cycle(graph, dist.astype(np.float64))
            if cycle is not None:
                raise error_for(graph, cycle, cycle_weight(graph, cycle))
            if dist[source] < 0:  # a cycle that weighs nothing, or more
                raise _RoundingError
    except _RoundingError:
        if arithmetic.dtype.kind == "i":
            raise DeviceError(f"{job.device} has computed path weights that contradict each other") from None
        return _solve_on_host(graph, source, arithmetic)
    return Solution(dist, on_device.to_user_order(on_device.to_vertices(tree)), rounds)


class _Relaxations:
    """The rounds of one solution: buffers, kernels and the watch for negative cycles.

    Path weights go from one buffer to the other and back. Once they are at rest both buffers hold the same, so the
    answer can be read from `weights`, the first, whatever the number of rounds.
    """

    def __init__(
        self,
        graph: Graph,
        on_device: DeviceGraph,
        source: int,
        job: Job,
        ceiling: Any,
        cooperative_loading: bool,
        group_size: int,
    ) -> None:
        self.graph, self.on_device, self.job = graph, on_device, job
        self.ceiling = ceiling
        self.cooperative_loading = cooperative_loading
        self.keeps_predecessors = graph.has_negative_weights
        self.group_size = group_size
        self.weights, self.new_weights = (job.allocate(graph.n, on_device.arithmetic.dtype) for _ in range(2))
        self.predecessors = job.allocate(graph.n if self.keeps_predecessors else 1, np.int32)
        self.rounds = Rounds(job)
        self.next_cycle_check = _FIRST_CYCLE_CHECK
        initialise = self._kernel("initialise", early_stop=True)
        number = np.uint32(on_device.number_of[source])
        job.launch(initialise, graph.n, _SMALL_GROUP, self.weights, self.predecessors, number, np.uint32(graph.n))

    def run_with_early_stop(self, progress: Callable[[int, int], None] | None) -> int:
        """Relax until a round updates nothing; return the number of rounds."""

        def after_batch(rounds: int) -> None:
            if progress is not None:
                progress(rounds, self.graph.n)
            if self.keeps_predecessors and rounds >= self.next_cycle_check:
                self.next_cycle_check = 2 * rounds
                self.look_for_cycle()

        rounds, unchanged = self.rounds.run(self._relaxation(early_stop=True), self.graph.n, after_batch)
        if not unchanged:
            self._explain_unrest()
        return rounds

    def run_all(self, progress: Callable[[int, int], None] | None) -> int:
        """Relax |V| - 1 times, as section 5.3 has it, then once more to see whether the weights are at rest."""
        queue_round = self._relaxation(early_stop=False)
        rounds = self.graph.n - 1
        for done in range(rounds):
            queue_round(done)
            if done % _ROUNDS_BETWEEN_WAITS == _ROUNDS_BETWEEN_WAITS - 1:
                self.job.finish()
                if progress is not None:
                    progress(done + 1, rounds)
        _, unchanged = self.rounds.run(self._relaxation(early_stop=True, reverse=rounds % 2 == 1), limit=1)
        if not unchanged:
            self._explain_unrest()
        return rounds

    def _relaxation(self, early_stop: bool, reverse: bool = False) -> Callable[[int], None]:
        """Return a function that queues a round by number, between the two buffers and back in turn."""
        graph = self.on_device
        kernel = self._kernel("relax", early_stop)
        edges = (graph.edge_weights, graph.edge_sources)
        index = (graph.edge_counts, graph.vertex_edge_index)
        tail = (self.ceiling, np.uint32(graph.n))
        passes = []
        for number in range(PASSES):
            buffers = (self.weights, self.new_weights)
            before, after = buffers[::-1] if (number % 2 == 1) != reverse else buffers
            report = (self.predecessors, self.rounds.updates, np.uint32(number % 3))
            passes.append(
                self.job.bind(kernel, graph.n, self.group_size, *edges, before, *index, after, *report, *tail)
            )
        return lambda number: passes[number % PASSES].queue()

    def _kernel(self, name: str, early_stop: bool) -> Kernel:
        macros: dict[str, str | int] = {
            "GROUP_SIZE": self.group_size,
            "COOPERATIVE_LOADING": int(self.cooperative_loading),
            "EARLY_STOP": int(early_stop),
            "KEEP_PREDECESSORS": int(self.keeps_predecessors),
            **self.on_device.arithmetic.macros,
        }
        if self.cooperative_loading:
            macros["CHUNK"] = self.group_size
        return self.job.device.kernel("output_parallel_bellman_ford.cl", name, **macros)

    def _explain_unrest(self) -> None:
        """Raise for weights that still fall after |V| rounds."""
        self.look_for_cycle()
        raise _RoundingError

    def look_for_cycle(self) -> None:
        """Raise if the predecessors of the relaxations close a cycle.

        Such a cycle has negative weight: along each of its edges the path weight has not risen since the edge was
        relaxed, and along at least one it has fallen. Rounding can fake that, so the weight is added up exactly.
        """
        n = self.graph.n
        kept = self.job.download(self.predecessors, n, np.int32)
        cycle = predecessor_cycle(self.on_device.to_user_order(self.on_device.to_vertices(kept)))
        if cycle is None:
            return
        weight = cycle_weight(self.graph, cycle)
        if weight >= 0:
            raise _RoundingError
        raise error_for(self.graph, cycle, weight)


def _solve_on_host(graph: Graph, source: int, arithmetic: Arithmetic) -> Solution:
    exact, scale, tree = exact_shortest_paths(graph, [source])
    dist = [np.inf if value is None else float(Fraction(value, scale)) for value in exact]
    return Solution(np.array(dist, arithmetic.dtype), tree, graph.n, exact_on_host=True)
