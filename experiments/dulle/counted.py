"""What Dulle says and no clock has to decide: launches, cells that work-groups share, answers, and groups that wait.

"a loop" and "a branch" are programs without optimisations, whose launches beside their assignments and conditions are
counted (sections 4.2.1 and 4.2.2). "global barrier" is a kernel whose work-groups wait for each other on a counter, as
section 4.1 rejects it: each gives up after some thousand looks at it, and `wrong` counts those that did. "down phase"
counts the cells that one work-group writes and another one reads or writes in one launch of the scan (5.2), where a
work-group writes all but its last element, as the text says, and where it writes that one, too. "guard" counts the
matrices for which Floyd-Warshall's steps have another answer without i = k and j = k (5.4), all cells at once.
"spanning tree" counts the graphs, of so many weights, on which Algorithm 19 as it is printed, run in Python with the
smallest index for each choice, does not mark the edges of a minimum spanning forest (5.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csgraph

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import bars, device_of, finish, line, panels
from reedsp import pram
from reedsp.device.job import Job
from reedsp.primitives.strided.trees import strides_of_scan

SEED = 2016
ROUNDS = 8
GROUP_SIZE = 64
POLLS = 1 << 12
WEIGHTS = (1, 2, 3, 5, 10, 30, 100, None)  # of a graph's edges; None where they are all different
LARGEST_TREE = 11  # vertices
SHAPES = ((32, 4), (64, 16), (256, 8))  # m and c
LOOP = pram.from_text(
    f"def loop(p, n, A: int64[:]):\n    x = {ROUNDS}\n    while x > 0:\n        x = x - 1\n    A[p] = x + p\n"
)
BRANCH = pram.from_text("def branch(p, n, A: int64[:]):\n    if p % 2 == 0:\n        A[p] = p\n")
BARRIER = """
__kernel void meet(__global int *arrived, __global int *gave_up, const int groups, const int polls)
{
    if (get_local_id(0) == 0) {
        int looks = 0;
        atomic_inc(arrived);
        while (atomic_add(arrived, 0) < groups && looks < polls)
            ++looks;
        if (atomic_add(arrived, 0) < groups)
            atomic_inc(gave_up);
    }
}
"""


def row(subject: str, case: str, n: int, **counts: int) -> Row:
    empty = {"rounds": "", "launches": "", "words_read": "", "trials": "", "wrong": ""}
    return {"subject": subject, "case": case, "n": n, "seed": SEED, **empty, **counts}


def rows_of_launches(device: reedsp.Device, n: int) -> Iterator[Row]:
    """Yield what loops and branches cost beside the assignments and conditions themselves."""
    p = np.arange(n)
    for subject, program, right in (("a loop", LOOP, p), ("a branch", BRANCH, np.where(p % 2 == 0, p, 0))):
        for method in ("bitset", "list"):
            zeros = np.zeros(n, np.int64)
            found = program.run(n, method=method, optimizations=(), device=device, A=zeros)  # type: ignore[arg-type]
            if not np.array_equal(found["A"], right):
                raise WrongAnswerError(f"{subject}, {method}")
            counts = {"launches": found.stats["set_launches"], "words_read": found.stats["words_read"]}
            yield row(subject, method, n, rounds=ROUNDS if subject == "a loop" else 0, **counts)


def rows_of_barrier(device: reedsp.Device, groups: int) -> Iterator[Row]:
    """Yield how many work-groups have given up waiting for the others."""
    job = Job(device)
    kernel = device.kernels_of_text(BARRIER, "a global barrier", ["meet"])["meet"]
    arrived, gave_up = (job.full(1, np.int32(0)) for _ in range(2))
    size = min(GROUP_SIZE, kernel.max_work_group_size)
    job.launch(kernel, groups * size, size, arrived, gave_up, np.int32(groups), np.int32(POLLS))
    yield row(
        "global barrier", f"{POLLS} looks", groups, trials=groups, wrong=int(job.download(gave_up, 1, np.int32)[0])
    )


def rows_of_down_phase(n: int, m: int, c: int) -> Iterator[Row]:
    """Yield how many cells of a launch two work-groups touch, one of which writes."""
    tile = m * c
    for case, items in (("all but the last element", np.arange(tile - 1)), ("the last element, too", np.arange(tile))):
        cells = shared = 0
        for stride, nodes in strides_of_scan(n, tile):
            groups = np.zeros(n, np.int64)  # that touch a cell
            written = np.zeros(n, bool)
            for group in range(1, nodes):
                places = (group * tile + items + 1) * stride - 1
                places = places[places < n]
                groups[places] += 1
                written[places] = True
                groups[group * tile * stride - 1] += 1
            cells += int((groups > 0).sum())
            shared += int((written & (groups > 1)).sum())
        yield row("down phase", f"m = {m}, c = {c}, {case}", n, trials=cells, wrong=shared)


def closed(matrix: Any, guard: bool) -> Any:
    """Return the matrix of distances after a step for each k, each of which reads what the one before has left."""
    places = np.arange(len(matrix))
    for k in places:
        through = matrix[:, [k]] + matrix[[k], :]
        kept = ((places == k)[:, None] | (places == k)[None, :]) & guard
        matrix = np.where(kept, matrix, np.minimum(matrix, through))
    return matrix


def rows_of_guard(trials: int) -> Iterator[Row]:
    """Yield how many matrices have another answer without i = k and j = k."""
    rng = np.random.default_rng(SEED)
    for case in ("weights of 0 and more", "negative weights, no negative cycle", "negative cycles"):
        wrong = 0
        for _ in range(trials):
            n = int(rng.integers(2, 9))
            weights = rng.integers(0, 9, (n, n)).astype(float)
            if case == "negative cycles":
                weights[1, 0] = -weights[0, 1] - 1
            elif case != "weights of 0 and more":
                heights = rng.integers(0, 9, n)
                weights += heights[:, None] - heights[None, :]
            weights[rng.random((n, n)) < 0.4] = np.inf
            if case == "negative cycles":
                weights[0, 1], weights[1, 0] = 1, -2
            np.fill_diagonal(weights, 0)
            wrong += not np.array_equal(closed(weights, True), closed(weights, False))
        yield row("guard", case, 8, trials=trials, wrong=int(wrong))


def as_printed(weights: np.ndarray) -> set[tuple[int, int]]:
    """Run Algorithm 19 on a matrix of weights, inf where there is no edge, and return the edges that it marks.

    Line 3 names a vertex of another component, which the paper's kernel forgets to demand; each other choice is that of
    the smallest index.
    """
    n = len(weights)
    component = np.arange(n)
    marked: set[tuple[int, int]] = set()
    for _ in range((n - 1).bit_length()):
        apart = np.where(component[:, None] != component[None, :], weights, np.inf)
        nearest = np.where(np.isfinite(apart.min(axis=1)), apart.argmin(axis=1), -1)
        hooked = component.copy()
        for own in np.flatnonzero(component == np.arange(n)):
            inside = [v for v in np.flatnonzero(component == own) if nearest[v] >= 0]
            if inside:
                best = min(inside, key=lambda v: weights[v, nearest[v]])
                hooked[own] = component[nearest[best]]
                marked.add((min(best, nearest[best]), max(best, nearest[best])))
        roots = component == np.arange(n)
        component = np.where(roots, hooked, component)
        back = component[component] == np.arange(n)
        component = np.where(back, np.minimum(component, np.arange(n)), component)
        for _ in range((n - 1).bit_length()):
            component = component[component]
    return marked


def rows_of_trees(weights: int | None, trials: int) -> Iterator[Row]:
    """Yield on how many small graphs of so many weights, or of different ones, the printed algorithm is wrong."""
    rng, wrong = np.random.default_rng(SEED), 0
    for _ in range(trials):
        n = int(rng.integers(2, LARGEST_TREE + 1))
        pairs = np.argwhere(np.triu(rng.random((n, n)) < 0.5, 1))
        if weights is None:
            numbers = rng.permutation(n * n)[: len(pairs)] + 1
        else:
            numbers = rng.integers(1, weights + 1, len(pairs))
        matrix = np.full((n, n), np.inf)
        matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = numbers
        marked = as_printed(matrix)
        tree = csgraph.minimum_spanning_tree(np.where(np.isinf(matrix), 0, matrix))
        wrong += len(marked) != tree.nnz or sum(matrix[edge] for edge in marked) != tree.sum()
    yield row(
        "spanning tree", "distinct" if weights is None else str(weights), LARGEST_TREE, trials=trials, wrong=wrong
    )


def cases(setting: Setting) -> list[Case]:
    device, on_cpu = setting.device, setting.device.kind == "cpu"
    powers = (8, 10) if setting.quick else (8, 12, 16, 20)
    groups = (1, 4, 64) if setting.quick else (1, 4, 64, 256) if on_cpu else (1, 64, 1024, 16384)
    length, trials = (5000, 20) if setting.quick else (100_000, 1000)
    found: list[Case] = [(f"launches, 2^{power}", partial(rows_of_launches, device, 1 << power)) for power in powers]
    found += [(f"global barrier, {each} work-groups", partial(rows_of_barrier, device, each)) for each in groups]
    found += [(f"down phase, {m} x {c}", partial(rows_of_down_phase, length, m, c)) for m, c in SHAPES]
    found += [
        (f"spanning tree, {each or 'distinct'} weights", partial(rows_of_trees, each, trials)) for each in WEIGHTS
    ]
    return [*found, ("guard", partial(rows_of_guard, trials))]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the launches of loops and branches, and the share of work-groups that have given up."""
    figure, axes = panels(3, width=6.0, height=3.0, below=True)
    for number, (subject, method) in enumerate(
        (subject, method) for subject in ("a loop", "a branch") for method in ("bitset", "list")
    ):
        points = [
            (float(each["n"]), float(each["launches"]))
            for each in rows
            if (each["subject"], each["case"]) == (subject, method)
        ]
        line(axes[0], points, f"{subject}, {method}", number)
    finish(axes[0], "processors", "launches", f"{ROUNDS} rounds, or one condition: {device_of(rows)}")
    waiting = [each for each in rows if each["subject"] == "global barrier"]
    points = [(float(each["n"]), float(each["wrong"]) / float(each["trials"])) for each in waiting]
    line(axes[1], points, f"gave up after {POLLS:,} looks", 0)
    axes[1].set_xscale("log")
    axes[1].set(xlabel="work-groups", ylabel="share of work-groups")
    axes[1].set_title("A barrier of all work-groups", fontsize=10)
    axes[1].legend(fontsize=8, frameon=False)
    trees = [each for each in rows if each["subject"] == "spanning tree"]
    names = [each["case"] for each in trees]
    bars(axes[2], names, {"as printed": [int(each["wrong"]) for each in trees]}, "graphs with a wrong tree")
    axes[2].set_xlabel("different weights")
    axes[2].set_title("Algorithm 19 as it is printed", fontsize=10)
    return figure


EXPERIMENT = Experiment("What Dulle says and no clock decides (sections 4.1, 4.2, 5.2, 5.4 and 5.7)", cases, plot)
