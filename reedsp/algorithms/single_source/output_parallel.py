"""Output Parallel Bellman-Ford (thesis section 5.3, cl/single_source/output_parallel.cl)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reedsp.algorithms.single_source.outcome import RoundingError, look_for_cycle, settle, solve_on_host
from reedsp.algorithms.single_source.task import Outcome, Task, check_group_size
from reedsp.device.iterate import PASSES, Rounds
from reedsp.device.job import Kernel
from reedsp.edges.device_graph import DeviceGraph

_GPU_GROUP_SIZE = 256
_CPU_GROUP_SIZE = 1024
_SMALL_GROUP = 64
_FIRST_CYCLE_CHECK = 32
_ROUNDS_BETWEEN_WAITS = 32


def output_parallel(
    task: Task,
    *,
    cooperative_loading: bool | None = None,
    in_degree_order: bool | None = None,
    early_stop: bool = True,
    group_size: int | None = None,
) -> Outcome:
    """Solve single-source shortest paths by Output Parallel Bellman-Ford.

    One work-item a vertex relaxes the edges that end there, so that no two write the same path weight (thesis
    Algorithm 12). Path weights are double-buffered: after k rounds each is the minimum weight of a path of at most k
    edges. The three refinements of the thesis can be switched off one by one, to be measured.

    Parameters
    ----------
    task : Task
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
    Outcome

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device = task.job.device
    on_gpu = device.kind == "gpu"
    if cooperative_loading is None:
        cooperative_loading = on_gpu
    if in_degree_order is None:
        in_degree_order = not on_gpu
    if group_size is None:
        group_size = min(_GPU_GROUP_SIZE if on_gpu else _CPU_GROUP_SIZE, device.max_work_group_size)
    check_group_size(group_size, device)
    on_device = DeviceGraph.of(task.graph, task.job, task.arithmetic, in_degree_order)

    def solve(row: Task) -> Outcome:
        relaxations = _Relaxations(row, on_device, cooperative_loading, group_size)
        try:
            rounds = relaxations.run_with_early_stop() if early_stop else relaxations.run_all()
            if row.arithmetic.saturate and row.graph.has_negative_weights:
                relaxations.look_for_cycle()  # saturated sums come to rest on a cycle, too
            return settle(row, on_device, relaxations.weights, rounds)
        except RoundingError:
            return solve_on_host(row)

    return task.in_parts(1, solve)


class _Relaxations:
    """The rounds of one row: buffers, kernels and the watch for negative cycles.

    Path weights go from one buffer to the other and back. Once they are at rest both buffers hold the same, so the
    answer can be read from `weights`, the first, whatever the number of rounds.
    """

    def __init__(self, task: Task, on_device: DeviceGraph, cooperative_loading: bool, group_size: int) -> None:
        graph, job = task.graph, task.job
        self.task, self.graph, self.on_device, self.job = task, graph, on_device, job
        self.cooperative_loading = cooperative_loading
        self.keeps_predecessors = graph.has_negative_weights
        self.group_size = group_size
        self.weights, self.new_weights = (job.allocate(graph.n, on_device.arithmetic.dtype) for _ in range(2))
        self.predecessors = job.allocate(graph.n if self.keeps_predecessors else 1, np.int32)
        self.rounds = Rounds(job)
        self.next_cycle_check = _FIRST_CYCLE_CHECK
        initialise = self._kernel("initialise", early_stop=True)
        number = np.uint32(on_device.number_of[task.source])
        job.launch(initialise, graph.n, _SMALL_GROUP, self.weights, self.predecessors, number, np.uint32(graph.n))

    def run_with_early_stop(self) -> int:
        """Relax until a round updates nothing; return the number of rounds."""

        def after_batch(rounds: int) -> None:
            if self.task.progress is not None:
                self.task.progress(rounds, self.graph.n)
            if self.keeps_predecessors and rounds >= self.next_cycle_check:
                self.next_cycle_check = 2 * rounds
                self.look_for_cycle()

        rounds, unchanged = self.rounds.run(self._relaxation(early_stop=True), self.graph.n, after_batch)
        if not unchanged:
            self._explain_unrest()
        return rounds

    def run_all(self) -> int:
        """Relax |V| - 1 times, as section 5.3 has it, then once more to see whether the weights are at rest."""
        queue_round = self._relaxation(early_stop=False)
        rounds = self.graph.n - 1
        for done in range(rounds):
            queue_round(done)
            if done % _ROUNDS_BETWEEN_WAITS == _ROUNDS_BETWEEN_WAITS - 1:
                self.job.finish()
                if self.task.progress is not None:
                    self.task.progress(done + 1, rounds)
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
        tail = (self.task.bound, np.uint32(graph.n))
        slices = graph.slices(self.group_size)
        passes = []
        for number in range(PASSES):
            buffers = (self.weights, self.new_weights)
            before, after = buffers[::-1] if (number % 2 == 1) != reverse else buffers
            report = (self.predecessors, self.rounds.updates, np.uint32(number % 3))
            args = (*edges, before, *index, after, *report, *tail)
            passes.append(self.job.bind(kernel, graph.n, self.group_size, *args, slices=slices))
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
        return self.job.device.kernel("single_source/output_parallel.cl", name, **macros)

    def _explain_unrest(self) -> None:
        """Raise for weights that still fall after |V| rounds."""
        self.look_for_cycle()
        raise RoundingError

    def look_for_cycle(self) -> None:
        """Raise if the predecessors close a cycle, which has negative weight."""
        look_for_cycle(self.task, self.on_device, self.predecessors)
