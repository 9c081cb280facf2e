"""Small random graphs, thousands of them side by side in each call, against oracles that share no code.

    python -m tests.deep.fuzz.unions [--cases 100000] [--union 500] [--seed 1] [--gpu] [QUESTION ...]

``--gpu`` has the device take the forms of a GPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

import reedsp
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from tests.support import structure_oracle as oracle
from tests.support.bipartite import most_pairs

MOST_VERTICES = 7
NEAR = 1e-12


@dataclass(frozen=True)
class Small:
    """A graph of a few vertices, perhaps with loops, parallel edges, ties, zeros and isolated vertices.

    Attributes
    ----------
    n : int
    edges : list of (int, int, int)
    first : int
        Number of its first vertex in the union.
    """

    n: int
    edges: list[tuple[int, int, int]]
    first: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Its edges without weights."""
        return [(u, v) for u, v, _ in self.edges]

    @property
    def here(self) -> slice:
        """Where its vertices are in the union."""
        return slice(self.first, self.first + self.n)


@dataclass(frozen=True)
class Union:
    """Graphs side by side, and all of them as one."""

    graphs: list[Small]
    n: int
    directed: bool

    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Tails, heads and weights of all edges."""
        listed = [(each.first + u, each.first + v, w) for each in self.graphs for u, v, w in each.edges]
        return tuple(np.array(listed, np.int64).reshape(-1, 3).T.copy())

    def graph(self, dtype: Any) -> reedsp.Graph:
        """All of them as one; of parallel edges the lightest counts."""
        tails, heads, weights = self.columns()
        return reedsp.Graph.from_edges(self.n, tails, heads, weights.astype(dtype), self.directed)

    def matrix(self) -> scipy.sparse.csr_array:
        """All of them as a matrix, of parallel edges the lightest."""
        best: dict[tuple[int, int], int] = {}
        for u, v, w in zip(*(each.tolist() for each in self.columns()), strict=True):
            best[u, v] = min(w, best.get((u, v), w))
        rows, columns = np.array(list(best), np.int64).reshape(-1, 2).T
        return scipy.sparse.csr_array((list(best.values()), (rows, columns)), shape=(self.n, self.n))


def random_union(rng: np.random.Generator, count: int, lowest: int = -9) -> Union:
    """Return so many graphs, which tend to be sparse; with one, two, three or many weights, of at least `lowest`."""
    graphs, first = [], 0
    for _ in range(count):
        n = int(rng.integers(1, MOST_VERTICES + 1))
        ends = rng.integers(0, n, (int(rng.integers(0, 3 * n + 1)), 2))
        weights = rng.choice(rng.integers(lowest, 10, int(rng.choice([1, 2, 3, 30]))), len(ends))
        graphs.append(Small(n, [(*pair, w) for pair, w in zip(ends.tolist(), weights.tolist(), strict=True)], first))
        first += n
    return Union(graphs, first, bool(rng.random() < 0.5))


# ---- questions ------------------------------------------------------------------------------------------


def components(rng: np.random.Generator, count: int, device: Device) -> None:
    """Weak ones by number; strong ones by number within each graph, since numbers follow from the whole union."""
    union = random_union(rng, count)
    graph = union.graph(np.int32)
    for method in ("fast", "dulle") if union.n <= 4000 else ("fast",):
        found = reedsp.connected_components(graph, method=method, device=device)
        expected, before = [], 0
        for each in union.graphs:
            labels = oracle.weak_labels(each.n, each.pairs)
            expected += [before + label for label in labels]
            before += max(labels) + 1
        assert found.labels.tolist() == expected, method
        assert found.count == before, method
        assert found.verify(), method
    if not union.directed:
        return
    for method in ("depth-first", "colours"):
        found = reedsp.connected_components(graph, "strong", method=method, device=device)
        for each in union.graphs:
            own = np.unique(found.labels[each.here], return_inverse=True)[1].tolist()
            assert own == oracle.strong_labels(each.n, each.pairs), (method, each)
        assert found.verify(), method


def forests(rng: np.random.Generator, count: int, device: Device) -> None:
    """The forest of the union is that of each graph."""
    union, maximum = random_union(rng, count), bool(rng.random() < 0.5)
    dtype = rng.choice(["int32", "int64", "float32", "float64"])
    graph = union.graph(dtype)  # which keeps the lightest of parallel edges
    expected = []
    for each in union.graphs:
        lightest: dict[tuple[int, int], int] = {}
        for u, v, w in each.edges:
            pair = (u, v) if union.directed else (min(u, v), max(u, v))
            lightest[pair] = min(w, lightest.get(pair, w))
        edges = [(*pair, w) for pair, w in lightest.items()]
        expected += [(each.first + u, each.first + v, w) for u, v, w in oracle.spanning_forest(each.n, edges, maximum)]
    for method in ("kruskal", "boruvka", "dulle"):
        found = reedsp.spanning_forest(graph, maximum, method, device=device)
        edges = [(*ends, weight) for ends, weight in zip(found.ends.tolist(), found.weights.tolist(), strict=True)]
        assert edges == expected, (method, dtype, maximum)
        assert found.verify(device), (method, dtype, maximum)


def matchings(rng: np.random.Generator, count: int, device: Device) -> None:
    """A maximum matching is one of each graph, whose rows are the tails of its edges and whose columns the heads."""
    union = random_union(rng, count)
    matrix = union.matrix()
    matrix.data[:] = 1
    for method in ("depth-first", "phases", "dulle", "khosla"):
        found = reedsp.maximum_matching(matrix, method, device=device)
        columns = found.column_of_row.tolist()
        for each in union.graphs:
            own = [(u, columns[each.first + u] - each.first) for u in range(each.n) if columns[each.first + u] >= 0]
            assert set(own) <= set(each.pairs), (method, each)
            assert len({column for _, column in own}) == len(own), (method, each)
            near: list[list[int]] = [[] for _ in range(each.n)]
            for u, v in each.pairs:
                near[u].append(v)
            assert len(own) == most_pairs(near), (method, each)
        assert found.verify(), method


def full_matchings(rng: np.random.Generator, count: int, device: Device) -> None:
    """The weight of a full matching is the sum of those of the graphs that have one."""
    union, maximum = random_union(rng, count), bool(rng.random() < 0.5)
    least = [_least_weight(each, maximum) for each in union.graphs]
    kept, first = [], 0
    for each, weight in zip(union.graphs, least, strict=True):
        if weight is not None:
            kept.append(Small(each.n, each.edges, first))
            first += each.n
    if not kept:
        return
    matrix = Union(kept, first, True).matrix()
    expected = sum(weight for weight in least if weight is not None)
    for method in ("shortest-paths", "auction"):
        found = reedsp.full_matching(matrix, maximum, method=method, device=device)
        assert sorted(found.rows.tolist()) == sorted(found.columns.tolist()) == list(range(first)), method
        chosen = matrix.toarray()[found.rows, found.columns] if first < 2000 else None
        assert chosen is None or chosen.sum() == found.weight, method
        assert found.weight == expected, (method, maximum)
        assert found.verify(device), method


def _least_weight(graph: Small, maximum: bool) -> int | None:
    """Return the weight of the best full matching, by trying for each set of columns; None if there is none."""
    best: dict[tuple[int, int], int] = {}
    for u, v, w in graph.edges:
        best[u, v] = min(w, best.get((u, v), w))
    sums: dict[int, int] = {0: 0}
    for row in range(graph.n):
        after: dict[int, int] = {}
        for used, so_far in sums.items():
            for column in range(graph.n):
                if (row, column) in best and not used >> column & 1:
                    with_it, weight = used | 1 << column, so_far + best[row, column]
                    known = after.get(with_it, weight)
                    after[with_it] = max(weight, known) if maximum else min(weight, known)
        sums = after
    return sums.get((1 << graph.n) - 1)


def flows(rng: np.random.Generator, count: int, device: Device) -> None:
    """A flow through all graphs, from one source into each first vertex and from each last one to one target."""
    union = random_union(rng, count, lowest=0)
    union = Union([each for each in union.graphs if each.n > 1], union.n, directed=True)
    tails, heads, weights = union.columns()
    firsts = np.array([each.first for each in union.graphs], np.int64)
    lasts = np.array([each.first + each.n - 1 for each in union.graphs], np.int64)
    source, target, much = union.n, union.n + 1, np.full(len(firsts), 10**6)
    best: dict[tuple[int, int], int] = {}
    for u, v, w in zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True):
        best[u, v] = min(w, best.get((u, v), w))
    inner = np.array([(u, v, w) for (u, v), w in best.items()], np.int64).reshape(-1, 3).T
    graph = reedsp.Graph.from_edges(
        union.n + 2,
        np.concatenate((inner[0], np.full(len(firsts), source), lasts)),
        np.concatenate((inner[1], firsts, np.full(len(lasts), target))),
        np.concatenate((inner[2], much, much)),
    )
    expected = [_least_cut(each) for each in union.graphs]
    for method in ("dinic", "push-relabel"):
        found = reedsp.maximum_flow(graph, source, target, method, device=device)
        begin, end = graph.indptr[source : source + 2]
        through = dict(zip(graph.indices[begin:end].tolist(), found.flow[begin:end].tolist(), strict=True))
        assert [through[each] for each in firsts.tolist()] == expected, method
        assert found.value == sum(expected), method
        assert found.verify(device), method


def _least_cut(graph: Small) -> int:
    """Return the capacity of the smallest cut between the first and the last vertex, by trying every one."""
    best: dict[tuple[int, int], int] = {}
    for u, v, w in graph.edges:
        best[u, v] = min(w, best.get((u, v), w))
    sides = range(1, 1 << (graph.n - 1), 2)  # those with the first vertex and without the last one
    return min(sum(w for (u, v), w in best.items() if side >> u & 1 and not side >> v & 1) for side in sides)


def betweenness(rng: np.random.Generator, count: int, device: Device) -> None:
    """No path leads from one graph to another, so that each vertex has the number that it has in its own."""
    union = random_union(rng, count)
    graph = union.graph(np.int32)
    both = 1 if union.directed else 2
    expected = []
    for each in union.graphs:
        pairs = each.pairs if union.directed else [*each.pairs, *((v, u) for u, v in each.pairs)]
        expected += [float(value / both) for value in oracle.betweenness(each.n, pairs, range(each.n))[0]]
    for method in ("work-items", "work-groups"):
        found = reedsp.betweenness(graph, normalized=False, device=device, options={"method": method})
        np.testing.assert_allclose(found.values, expected, NEAR, NEAR, err_msg=method)


QUESTIONS: dict[str, Callable[[np.random.Generator, int, Device], None]] = {
    "components": components,
    "forests": forests,
    "matchings": matchings,
    "full-matchings": full_matchings,
    "flows": flows,
    "betweenness": betweenness,
}


def ask(question: str, cases: int, at_once: int, seed: int, device: Device) -> int:
    """Ask about so many graphs, some together, and return how many there were.

    Raises
    ------
    AssertionError
        An answer is wrong.
    """
    asked = number = 0
    while asked < cases:
        rng = np.random.default_rng([seed, number])
        count = at_once if number % 4 else int(rng.integers(1, at_once + 1))  # of every size
        try:
            QUESTIONS[question](rng, count, device)
        except Exception as error:
            error.add_note(f"{question}: seed {seed}, union {number} of {count} graphs, on {device}")
            raise
        asked, number = asked + count, number + 1
    return asked


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(QUESTIONS))
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--union", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpu", action="store_true")
    given = parser.parse_args(None if arguments is None else list(arguments))
    if unknown := set(given.questions) - set(QUESTIONS):
        parser.error(f"there is no question {', '.join(unknown)}; there are {', '.join(QUESTIONS)}")
    chosen = get_device()
    device = Device(chosen.index, chosen.handle)
    if given.gpu:
        device.kind = "gpu"
    for question in given.questions or QUESTIONS:
        print(
            f"{question}: {ask(question, given.cases, given.union, given.seed, device):,} graphs, 0 wrong", flush=True
        )


if __name__ == "__main__":
    main()
