"""PRAM programs beside kernels by hand and the library's best methods (Dulle, chapter 5 and conclusion).

Each program of `reedsp.pram.examples` by both methods, without optimisations and with all; "by hand" are kernels that a
person wrote from the same pseudo-code, "best" is what the library does without being told how. `steps_ms` is the time
of the launches alone, from arrays on the device to arrays on the device, `min_ms` that of the whole call. Vertices are
int64 in programs and int32 in the library's kernels. Weights of all pairs are so large that the library, too, needs
int64. The answers are compared with numpy and SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels
from reedsp import pram
from reedsp.device.job import Job, Memory
from reedsp.pram import examples
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements, Plan
from reedsp.primitives.scan import plan_reduce, plan_scan
from reedsp.primitives.sort.records import Records, kernel_by_order

SEED = 2016
INT64 = np.dtype(np.int64)
ELEMENTS = Elements(resolve("add", np.dtype(np.uint64)), np.dtype(np.uint64), built_in=True)
HEAVIEST = 1 << 40
GROUP_SIZE = 256
PLOTTED = ("bitset, none", "list, none", "bitset, all", "list, all", "by hand", "best")


class Answer(NamedTuple):
    """An array, how long the launches took, and how many they were."""

    value: np.ndarray
    steps_ms: float
    launches: int


Solve = Callable[[], Answer]


class Problem(NamedTuple):
    """A program with its input, its answer, and other ways to it."""

    subject: str
    program: pram.Program
    n: int
    given: dict[str, Any]
    value: Callable[[pram.Result], np.ndarray]
    expected: np.ndarray
    others: dict[str, Solve]
    plain: bool = True  # whether it is small enough to be run without optimisations, too


def by_program(problem: Problem, method: Any, optimizations: Any, device: reedsp.Device) -> Answer:
    found = problem.program.run(problem.n, method=method, optimizations=optimizations, device=device, **problem.given)
    return Answer(problem.value(found), found.stats["phases"]["search"], found.stats["kernels_launched"])


def by_plan(
    device: reedsp.Device, x: np.ndarray, length: int, plan: Callable[[Job, Memory, Memory], Plan | None]
) -> Answer:
    """Run what a function plans, or queues itself, from one array to another."""
    job = Job(device)
    source, target = job.upload(x), job.allocate(length, INT64)
    job.phases.begin("search")
    for kernel in plan(job, source, target) or ():
        kernel.queue()
    job.finish()
    job.phases.begin("download")
    value = job.download(target, length, INT64)
    return Answer(value, job.phases.milliseconds()["search"], job.kernels_launched)


def by_call(call: Callable[[], Any], value: Callable[[Any], np.ndarray]) -> Answer:
    found = call()
    return Answer(value(found), found.stats["phases"]["search"], found.stats["kernels_launched"])


def arrays(device: reedsp.Device, power: int) -> Iterator[Problem]:
    """Yield reductions, scans and a merge."""
    n = 1 << power
    values = np.random.default_rng(SEED).integers(-99, 99, n)

    def reduced(method: str) -> Solve:
        return partial(by_plan, device, values, 1, lambda job, x, out: plan_reduce(job, ELEMENTS, x, out, n, method))

    def scanned(method: str) -> Solve:
        def plan(job: Job, x: Memory, out: Memory) -> Plan:
            return plan_scan(job, ELEMENTS, Buffers(x, x, out, job.allocate(1, INT64)), n, method)

        return partial(by_plan, device, values, n, plan)

    total, sums = values[:1] * 0 + values.sum(), values.cumsum()
    others = {"by hand": reduced("naive"), "best": reduced("fast")}
    yield Problem("reduction", examples.reduction, n // 2, {"A": values}, lambda found: found["A"][:1], total, others)
    others = {"by hand": scanned("naive"), "best": scanned("fast")}
    yield Problem("scan", examples.scan, n, {"A": values}, itemgetter("A"), sums, others)
    others = {"best": scanned("fast")}
    yield Problem("efficient scan", examples.efficient_scan, n // 2, {"A": values}, itemgetter("A"), sums, others)

    halves = np.sort(values.reshape(2, -1), axis=1)

    def merged(job: Job, x: Memory, out: Memory) -> None:
        records = Records(INT64)
        kernel = kernel_by_order(job, records, "sort/lists.cl", "merge_step", True, LIST=2, BITONIC=0)
        group = min(GROUP_SIZE, kernel.max_work_group_size)
        job.launch(kernel, n, group, x, x, out, out, np.uint32(0), np.uint32(1), np.uint64(n // 2), np.uint64(n))

    given = {"A": halves[0], "B": halves[1], "C": np.zeros(n, INT64)}
    others = {"by hand": partial(by_plan, device, halves.ravel(), n, merged)}
    yield Problem("merge", examples.merge, n, given, itemgetter("C"), np.sort(values), others)


def least_vertices(matrix: Any) -> np.ndarray:
    _, labels = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    _, first = np.unique(labels, return_index=True)
    return first[labels]


def all_pairs(device: reedsp.Device, m: int) -> Iterator[Problem]:
    rng = np.random.default_rng(SEED)
    weights = rng.integers(1, HEAVIEST, (m, m))
    np.fill_diagonal(weights, 0)
    graph = reedsp.Graph.from_dense(weights)
    expected = scipy.sparse.csgraph.floyd_warshall(weights.astype(float)).astype(INT64).ravel()

    def closed(kernel: Any) -> Solve:
        call = partial(reedsp.apsp, graph, "floyd-warshall", options={"kernel": kernel}, device=device, dtype=np.int64)
        return partial(by_call, call, lambda found: np.asarray(found.dist).ravel())

    others = {"by hand": closed("harish-narayanan"), "best": closed("blocked")}
    given = {"m": m, "A": weights.ravel()}
    yield Problem("all pairs", examples.floyd_warshall, m * m, given, itemgetter("A"), expected, others, m <= 64)


def graphs(device: reedsp.Device, n: int) -> Iterator[Problem]:
    """Yield components and a spanning tree of a random graph, as a matrix."""
    rng = np.random.default_rng(SEED)
    u, v = rng.integers(0, n, (2, n))
    u, v = u[u != v], v[u != v]
    matrix = scipy.sparse.csr_array((np.ones(u.size), (u, v)), (n, n))
    edges = (matrix + matrix.T).toarray() > 0
    labels = least_vertices(matrix)
    graph = reedsp.Graph.from_edges(n, u, v, directed=False)

    def connected(method: Any) -> Solve:
        call = partial(reedsp.connected_components, graph, method=method, device=device)
        return partial(by_call, call, lambda found: np.unique(found.labels, return_index=True)[1][found.labels])

    others = {"by hand": connected("dulle"), "best": connected("auto")}
    given: dict[str, Any] = {"A": edges.ravel(), "C": np.zeros(n, INT64)}
    yield Problem("components", examples.components, n, given, itemgetter("C"), labels, others, n <= 128)

    ends = np.argwhere(np.triu(edges, 1))
    ranks = np.full((n, n), len(ends), np.int32)
    weights = rng.permutation(len(ends))
    ranks[ends[:, 0], ends[:, 1]] = ranks[ends[:, 1], ends[:, 0]] = weights
    dense = np.zeros((n, n))
    dense[ends[:, 0], ends[:, 1]] = weights + 1.0
    tree = scipy.sparse.csgraph.minimum_spanning_tree(dense).toarray() > 0
    weighted = reedsp.Graph.from_edges(n, ends[:, 0], ends[:, 1], weights + 1, directed=False)

    def spanned(method: Any) -> Solve:
        def marked(found: Any) -> np.ndarray:
            flags = np.zeros((n, n), bool)
            one, other = found.ends.T
            flags[one, other] = flags[other, one] = True
            return flags.ravel()

        return partial(by_call, partial(reedsp.spanning_forest, weighted, method=method, device=device), marked)

    others = {"by hand": spanned("dulle"), "best": spanned("auto")}
    given = {
        "edges": len(ends),
        "W": ranks.ravel(),
        "F": np.zeros(n * n, bool),
        "C": np.zeros(n, INT64),
    }
    expected = (tree | tree.T).ravel()
    yield Problem("spanning tree", examples.spanning_tree, n, given, itemgetter("F"), expected, others, n <= 128)


def matchings(device: reedsp.Device, n: int) -> Iterator[Problem]:
    """Yield balls and bins, three bins a ball; the program gets as many rounds as the kernels by hand need."""
    rng = np.random.default_rng(SEED)
    matrix = scipy.sparse.csr_array((np.ones(3 * n), (np.repeat(np.arange(n), 3), rng.integers(0, n, 3 * n))), (n, n))
    matrix.sum_duplicates()
    other = scipy.sparse.csr_array(matrix.T)
    other.sort_indices()
    expected = np.array([(scipy.sparse.csgraph.maximum_bipartite_matching(matrix) >= 0).sum()])
    rounds = reedsp.maximum_matching(matrix, "dulle", device=device).stats["rounds"]

    def matched(method: Any) -> Solve:
        call = partial(reedsp.maximum_matching, matrix, method, device=device)
        return partial(by_call, call, lambda found: np.array([found.cardinality]))

    others = {"by hand": matched("dulle"), "best": matched("auto")}
    given = {"balls": n, "bins": n, "rounds": rounds, "IU": matrix.indptr, "SU": matrix.indices}
    given |= {"IV": other.indptr, "SV": other.indices, "MU": np.zeros(n, INT64), "MV": np.zeros(n, INT64)}

    def pairs(found: pram.Result) -> np.ndarray:
        return np.array([np.count_nonzero(found["MU"] >= 0)])

    yield Problem("matching", examples.matching, n, given, pairs, expected, others, n <= 64)


def rows(
    problems: Callable[[reedsp.Device, int], Iterator[Problem]], device: reedsp.Device, n: int, repeats: int
) -> Iterator[Row]:
    for problem in problems(device, n):
        ways: dict[str, Solve] = {}
        for label, optimizations in (("none", ()), ("all", "all")):
            if problem.plain or label == "all":
                for method in ("bitset", "list"):
                    ways[f"{method}, {label}"] = partial(by_program, problem, method, optimizations, device)
        ways |= problem.others
        answers: dict[str, list[Answer]] = {way: [] for way in ways}

        def check(answer: Answer, way: str, problem: Problem = problem, answers: Any = answers) -> None:
            if not np.array_equal(answer.value, problem.expected):
                raise WrongAnswerError(f"{problem.subject}, {way}")
            answers[way].append(answer)

        times = measure_in_turn([(solve, partial(check, way=way)) for way, solve in ways.items()], repeats)
        for (way, found), each in zip(answers.items(), times, strict=True):
            steps = round(min(answer.steps_ms for answer in found[1:]), 4)
            size = n if problem.subject in ("all pairs", "components", "spanning tree", "matching") else 1 << n
            what = {"subject": problem.subject, "n": size, "processors": problem.n, "way": way, "seed": SEED}
            yield {**what, "launches": found[-1].launches, **each, "steps_ms": steps}


def cases(setting: Setting) -> list[Case]:
    power = 10 if setting.quick else 20 if setting.device.kind == "cpu" else 24
    repeats = 1 if setting.quick else 4
    sizes: list[tuple[str, Any, tuple[int, ...]]] = [
        ("arrays", arrays, (power,)),
        ("all pairs", all_pairs, (16,) if setting.quick else (64, 512)),
        ("graphs", graphs, (16,) if setting.quick else (64, 1024)),
        ("matching", matchings, (8,) if setting.quick else (64, 256)),
    ]
    return [
        (f"{name}, {n}", partial(rows, problems, setting.device, n, repeats))
        for name, problems, ns in sizes
        for n in ns
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the steps of each program, at the smallest size it was run at, in every way."""
    figure, [axes] = panels(width=8.0)
    smallest = {
        row["subject"]: min(int(each["n"]) for each in rows if each["subject"] == row["subject"]) for row in rows
    }
    times = {
        (row["subject"], row["way"]): float(row["steps_ms"])
        for row in rows
        if int(row["n"]) == smallest[row["subject"]]
    }
    names = [f"{subject}, {n:,}" for subject, n in smallest.items()]
    bars(axes, names, {way: [times.get((subject, way)) for subject in smallest] for way in PLOTTED}, "milliseconds")
    axes.set_yscale("log")
    axes.set_title(f"The launches of PRAM programs: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False, ncols=3)
    return figure


EXPERIMENT = Experiment("PRAM programs, kernels by hand and the best methods (Dulle, chapters 4 to 6)", cases, plot)
