"""The techniques of breadth-first search that the survey compares (section 2, table 2 and figure 5), on one device.

A technique without a queue looks at all vertices or all edges at each level (cl/experiments/every_level.cl); a frontier
has its edges shared out by a rung of the ladder (cl/traversal/frontier.cl). Each has the buffers that it needs before
the time is taken, and copies levels and tree back within it. "work-items" and "work-groups" are whole calls of
`reedsp.bfs`, which may go bottom-up; SciPy's `breadth_first_order` with predecessors stands for the sequential one.

What is looked at is counted: by the kernels of the techniques without a queue, in a search apart, and by hand from
levels and degrees; both have to be the same. `bound` is what table 2 says: V D + E, E D or V + E, D being the levels
that are searched, E the edges that leave what is reached, but for "all edges" and "matrix-vector" all edges there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.busato_bombieri.balance import SEED, graphs
from experiments.busato_bombieri.every_level import EveryLevel, Looks, expected_looks
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, dots, panels
from reedsp.algorithms.traversal.frontier import FrontierSearch
from reedsp.device.job import Job
from reedsp.edges.ladder import RUNGS
from reedsp.results.levels import BreadthFirst

WARPS = (4, 8, 16, 32)
FRONTIER = "frontier, "
WITHOUT_QUEUE = {
    "all vertices": ("all vertices", 1),
    **{f"all vertices, virtual-warps-{width}": ("all vertices", width) for width in WARPS},
    "all edges": ("all edges", 1),
    "matrix-vector": ("matrix-vector", 1),
}
OF_PAPER = {
    "sequential": "sequential",
    "all vertices": "Harish",
    **{f"all vertices, virtual-warps-{width}": "Virtual Warps" for width in WARPS},
    "all edges": "Edge Parallelism",
    "matrix-vector": "Deng",
    f"{FRONTIER}items": "Luo",
    f"{FRONTIER}cta-warp-scan": "Garland",
    f"{FRONTIER}dynamic-virtual-warps": "BFS-4K",
}
"""Whose each technique is, by the survey's names in table 2."""

Answer = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
Task = tuple[Callable[[], Any], Callable[[Any], None]]


def by_frontier(search: FrontierSearch, job: Job, n: int, source: int) -> Answer:
    search.run(source, None)
    return job.download(search.levels, n, np.int32), job.download(search.predecessors, n, np.int32)


def check(expected: BreadthFirst, answer: Answer) -> None:
    """Raise unless levels and tree are those that are expected."""
    if not (np.array_equal(answer[0], expected.levels) and np.array_equal(answer[1], expected.pred)):
        raise WrongAnswerError("wrong levels, or another tree")


def check_call(expected: BreadthFirst, answer: BreadthFirst) -> None:
    check(expected, (answer.levels, answer.pred))


def check_order(expected: BreadthFirst, answer: tuple[npt.NDArray[Any], npt.NDArray[Any]]) -> None:
    """Raise unless SciPy has reached the same vertices, each from one level below."""
    order, pred = answer
    levels = expected.levels
    if len(order) != np.count_nonzero(levels >= 0) or (levels[order[1:]] != levels[pred[order[1:]]] + 1).any():
        raise WrongAnswerError("SciPy and reedsp differ")


def counted(graph: reedsp.Graph, expected: BreadthFirst, source: int, name: str, device: reedsp.Device) -> Looks:
    """Return how often a technique looks at vertices and edges; counted by its kernels, unless it has a queue."""
    looks = expected_looks(graph, expected.levels, WITHOUT_QUEUE[name][0] if name in WITHOUT_QUEUE else name)
    if name in WITHOUT_QUEUE:
        search = EveryLevel(graph, Job(device), *WITHOUT_QUEUE[name], counts=True)
        check(expected, search.search(source))
        if search.looks() != looks:
            raise WrongAnswerError(f"{name}: {search.looks()} looks, expected {looks}")
    return looks


def bound(graph: reedsp.Graph, expected: BreadthFirst, name: str) -> int:
    """Return what table 2 says that a technique looks at."""
    levels = expected.levels
    rounds, reached = int(levels.max()) + 1, levels >= 0
    leaving = int(np.diff(graph.indptr)[reached].sum())
    if name in ("all edges", "matrix-vector"):
        return graph.m * rounds + (graph.n if name == "matrix-vector" else 0)
    return leaving + (graph.n * rounds if name in WITHOUT_QUEUE else int(reached.sum()))


def tasks_of(graph: reedsp.Graph, source: int, expected: BreadthFirst, device: reedsp.Device) -> dict[str, Task]:
    """Return each technique, by its name, and how its answer is checked."""
    matrix = inputs.scipy_matrix(graph)
    found: dict[str, Task] = {
        "sequential": (
            partial(scipy.sparse.csgraph.breadth_first_order, matrix, source),
            partial(check_order, expected),
        )
    }
    right = partial(check, expected)
    for name, technique in WITHOUT_QUEUE.items():
        found[name] = partial(EveryLevel(graph, Job(device), *technique).search, source), right
    for rung in RUNGS:
        job = Job(device)
        found[FRONTIER + rung] = partial(by_frontier, FrontierSearch(graph, job, rung), job, graph.n, source), right
    for method in ("work-items", "work-groups") if device.kind == "cpu" else ("work-groups",):
        call = partial(reedsp.bfs, graph, source, device=device, options={"method": method})
        found[method] = call, partial(check_call, expected)
    return found


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    degrees = np.diff(graph.indptr)
    source = int(np.argmax(degrees))
    expected = reedsp.bfs(graph, source, device=device)
    expected.verify()
    tasks = tasks_of(graph, source, expected, device)
    times = measure_in_turn(list(tasks.values()), repeats)
    for technique, measured in zip(tasks, times, strict=True):
        knows = technique in WITHOUT_QUEUE or technique.startswith(FRONTIER)
        looks = counted(graph, expected, source, technique, device) if knows else Looks(0, 0)
        yield {
            **{"graph": name, "n": graph.n, "m": graph.m, "max_degree": degrees.max(), "seed": SEED, "source": source},
            **{"levels": int(expected.levels.max()), "technique": technique, "paper": OF_PAPER.get(technique, "")},
            "vertex_looks": looks.vertices if knows else "",
            "edge_looks": looks.edges if knows else "",
            "bound": bound(graph, expected, technique) if knows else "",
            **measured,
        }


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many times as fast as the sequential search each technique is, and what each looks at."""
    figure, panes = panels(2, width=7.8, height=3.6, below=True)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    times = {(row["graph"], row["technique"]): float(row["min_ms"]) for row in rows}
    looks = {
        (row["graph"], row["technique"]): (int(row["vertex_looks"]) + int(row["edge_looks"]))
        / (int(row["n"]) + int(row["m"]))
        for row in rows
        if row["edge_looks"]
    }
    techniques = [name for name in dict.fromkeys(row["technique"] for row in rows) if name != "sequential"]
    speedups: dict[str, list[float | None]] = {
        graph: [times[graph, "sequential"] / times[graph, each] for each in techniques] for graph in names
    }
    different = {"all vertices": "all vertices", "all edges": "all edges", "matrix-vector": "matrix-vector"}
    different[f"{FRONTIER}items"] = "frontier, any rung"
    shares: dict[str, list[float | None]] = {graph: [looks.get((graph, each)) for each in different] for graph in names}
    dots(panes[0], techniques, speedups, "times as fast", f"Beside SciPy's search on the host: {device_of(rows)}")
    dots(panes[1], list(different.values()), shares, "looks for each vertex and edge", "What is looked at")
    return figure


EXPERIMENT = Experiment(
    "Techniques of breadth-first search (Busato and Bombieri, section 2, table 2 and figure 5)", cases, plot
)
