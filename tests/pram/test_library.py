"""Programs of the thesis and the library's own kernels have one answer.

The same inputs go through the interpreter here; other tests compare both methods and all sets of optimisations with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp import pram
from reedsp.pram import examples
from tests.pram.problems import Problem, problems

FAR = 1 << 40  # of the problems: no edge
Answer = Callable[[Problem, reedsp.Device], tuple[Any, Any]]


def total(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    found = [reedsp.reduce(problem.given["A"], method=method, device=device) for method in ("fast", "naive", "dulle")]
    return [run(problem)["A"][0]] * 3, found


def prefixes(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    values = problem.given["A"]
    found = [reedsp.inclusive_scan(values, "add", method, device=device) for method in ("fast", "naive", "dulle")]
    return [run(problem)["A"]] * 3, found


def pairs(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    result = run(problem)
    columns = zip(problem.given["A"], problem.given["B"], strict=True)
    return np.stack([result["A"], result["B"]], axis=1), [
        reedsp.sort(np.array(each), device=device) for each in columns
    ]


def merged(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    both = np.concatenate([problem.given["A"], problem.given["B"]])
    return run(problem)["C"], reedsp.sort(both, method="merge", device=device)


def distances(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    m = problem.given["m"]
    weights = problem.given["A"].reshape(m, m)
    i, j = np.nonzero((weights < FAR) & ~np.eye(m, dtype=bool))
    graph = reedsp.Graph.from_edges(m, i, j, weights[i, j])
    expected = np.asarray(reedsp.apsp(graph, "floyd-warshall", device=device).dist, float)
    found = run(problem)["A"].reshape(m, m)
    return np.where(found < FAR, found, np.inf), expected


def components(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    matrix = scipy.sparse.csr_array(problem.given["A"].reshape(problem.n, problem.n))
    labels = [reedsp.connected_components(matrix, method=method, device=device).labels for method in ("fast", "dulle")]
    least = [np.unique(each, return_index=True)[1][each] for each in labels]  # the smallest vertex of each
    return [run(problem)["C"]] * 2, least


def tree(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    """Ranks are distinct, so that there is one forest of minimum weight."""
    n, edges = problem.n, problem.given["edges"]
    ranks = problem.given["W"].reshape(n, n)
    i, j = np.nonzero(np.triu(ranks < edges, 1))
    graph = reedsp.Graph.from_edges(n, i, j, ranks[i, j] + 1, directed=False)
    marked = []
    for method in ("auto", "dulle"):
        ends = reedsp.spanning_forest(graph, method=method, device=device).ends
        flags = np.zeros((n, n), bool)
        flags[ends[:, 0], ends[:, 1]] = flags[ends[:, 1], ends[:, 0]] = True
        marked.append(flags.ravel())
    return [run(problem)["F"]] * 2, marked


def matched(problem: Problem, device: reedsp.Device) -> tuple[Any, Any]:
    given = problem.given
    shape = (given["balls"], given["bins"])
    matrix = scipy.sparse.csr_array((np.ones(len(given["SU"])), given["SU"], given["IU"]), shape)
    sizes = [
        reedsp.maximum_matching(matrix, method, device=device).cardinality for method in ("auto", "dulle", "khosla")
    ]
    return [np.count_nonzero(run(problem)["MU"] >= 0)] * 3, sizes


ANSWERS: dict[pram.Program, Answer] = {
    examples.total: total,
    examples.sorted_pairs: pairs,
    examples.reduction: total,
    examples.scan: prefixes,
    examples.efficient_scan: prefixes,
    examples.merge: merged,
    examples.floyd_warshall: distances,
    examples.components: components,
    examples.spanning_tree: tree,
    examples.matching: matched,
}


def run(problem: Problem) -> pram.Result:
    return problem.program.run(problem.n, method="interpreter", **problem.given)


def test_no_program_is_left_out() -> None:
    programs = {each for each in vars(examples).values() if isinstance(each, pram.Program)}
    assert programs == set(ANSWERS) == {problem.program for problem in problems(0)}


@pytest.mark.deep
@pytest.mark.parametrize("program", ANSWERS, ids=lambda program: program.tree.name)
def test_programs_and_the_library_agree(program: pram.Program, device: reedsp.Device) -> None:
    for seed in range(3):
        for problem in problems(seed):
            if problem.program is program:
                found, expected = ANSWERS[program](problem, device)
                np.testing.assert_array_equal(found, expected)
