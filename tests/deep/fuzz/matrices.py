"""Give damaged sparse matrices to every function that takes one: each is refused, or answered, and nothing crashes.

    python -m tests.deep.fuzz.matrices [--count 20000] [--first 0] [--seed 1] [--device NAME]

Anybody can write into the arrays of a SciPy matrix, and compiled code that follows them ends the process, or corrupts
its memory. Matrix `i` is always the same for a seed. They are asked about in a child process, of which is demanded that
it goes on; of each, that what is raised is an error that blames the argument, and that the matrix is not changed. The
first one that fails is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import copy
import os
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

import reedsp
from reedsp import csgraph

ASKED: dict[str, Callable[[Any], Any]] = {
    "apsp": reedsp.apsp,
    "betweenness": reedsp.betweenness,
    "bfs": lambda matrix: reedsp.bfs(matrix, 0),
    "connected_components": reedsp.connected_components,
    "distance_statistics": reedsp.distance_statistics,
    "distance_table": lambda matrix: reedsp.distance_table(matrix, [0], [1]),
    "full_matching": reedsp.full_matching,
    "k_nearest": lambda matrix: reedsp.k_nearest(matrix, [0], 2),
    "maximum_flow": lambda matrix: reedsp.maximum_flow(matrix, 0, 1),
    "maximum_matching": reedsp.maximum_matching,
    "prepare": reedsp.prepare,
    "spanning_forest": reedsp.spanning_forest,
    "sssp": lambda matrix: reedsp.sssp(matrix, 0),
    "yen": lambda matrix: reedsp.yen(matrix, 0, 1, 2),
    "csgraph.bellman_ford": lambda matrix: csgraph.bellman_ford(matrix, indices=0),
    "csgraph.breadth_first_order": lambda matrix: csgraph.breadth_first_order(matrix, 0),
    "csgraph.breadth_first_tree": lambda matrix: csgraph.breadth_first_tree(matrix, 0),
    "csgraph.connected_components": csgraph.connected_components,
    "csgraph.connected_components, strong": lambda matrix: csgraph.connected_components(matrix, connection="strong"),
    "csgraph.csgraph_to_dense": csgraph.csgraph_to_dense,
    "csgraph.csgraph_to_masked": csgraph.csgraph_to_masked,
    "csgraph.depth_first_order": lambda matrix: csgraph.depth_first_order(matrix, 0),
    "csgraph.depth_first_tree": lambda matrix: csgraph.depth_first_tree(matrix, 0),
    "csgraph.dijkstra": csgraph.dijkstra,
    "csgraph.dijkstra, a tree": lambda matrix: csgraph.dijkstra(matrix, indices=0, return_predecessors=True),
    "csgraph.floyd_warshall": csgraph.floyd_warshall,
    "csgraph.johnson": csgraph.johnson,
    "csgraph.laplacian": csgraph.laplacian,
    "csgraph.maximum_bipartite_matching": csgraph.maximum_bipartite_matching,
    "csgraph.maximum_flow": lambda matrix: csgraph.maximum_flow(matrix, 0, 1),
    "csgraph.min_weight_full_bipartite_matching": csgraph.min_weight_full_bipartite_matching,
    "csgraph.minimum_spanning_tree": csgraph.minimum_spanning_tree,
    "csgraph.reverse_cuthill_mckee": csgraph.reverse_cuthill_mckee,
    "csgraph.shortest_path": csgraph.shortest_path,
    "csgraph.structural_rank": csgraph.structural_rank,
    "csgraph.yen": lambda matrix: csgraph.yen(matrix, 0, 1, 2),
}
FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil")
_ARRAYS = {"coo": ("row", "col", "data"), "dia": ("offsets", "data"), "lil": ("rows", "data")}
_BLAMES = (ValueError, TypeError, OverflowError)
_PART = 2000  # matrices of a child


def make(seed: int, number: int) -> tuple[str, Any]:
    """Return the name of a function, and a matrix of which an array may be wrong."""
    rng = np.random.default_rng([seed, number])
    name, layout = str(rng.choice(list(ASKED))), str(rng.choice(FORMATS))
    n = int(rng.integers(2, 40))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 6 * n))))
    dtype = np.int32 if name == "csgraph.maximum_flow" else rng.choice([np.int32, np.int64, np.float32, np.float64])
    weights = rng.integers(1, 9, ends.shape[1]).astype(dtype)
    matrix = scipy.sparse.coo_array((weights, tuple(ends)), shape=(n, n)).asformat(layout)
    if rng.random() < 0.9:
        _damage(rng, matrix, str(rng.choice(_ARRAYS.get(layout, ("indptr", "indices", "data")))))
    return name, matrix


def _damage(rng: np.random.Generator, matrix: Any, array: str) -> None:
    """Change a number of an array of indices, or shorten one."""
    values = getattr(matrix, array)
    if array == "rows" and (row := values[int(rng.integers(len(values)))]):
        row[int(rng.integers(len(row)))] = _wrong(rng, len(values))
    elif array in ("data", "rows") or not len(values) or rng.random() < 0.2:
        _put(matrix, array, values[: int(rng.integers(len(values) + 1))])
    else:
        changed = values.copy()
        changed[int(rng.integers(len(values)))] = _wrong(rng, matrix.shape[0])
        _put(matrix, array, changed)


def _wrong(rng: np.random.Generator, n: int) -> int:
    return int(rng.choice([-1, 0, 1, n - 1, n, n + 1, 2 * n, 10**6, -(2**31), 2**31 - 1]))


def _put(matrix: Any, array: str, values: Any) -> None:
    if array in ("row", "col"):  # assignment would check it
        axis = ("row", "col").index(array)
        matrix.coords = tuple(values if each == axis else matrix.coords[each] for each in (0, 1))
    else:
        setattr(matrix, array, values)


def _contents(matrix: Any) -> list[bytes]:
    arrays = _ARRAYS.get(matrix.format, ("indptr", "indices", "data"))
    return [repr(getattr(matrix, array).tolist()).encode() for array in arrays]


def wrong_with(name: str, matrix: Any) -> str | None:
    """Return what is wrong with how a function deals with a matrix, or None."""
    before = _contents(matrix)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ASKED[name](copy.copy(matrix))
    except _BLAMES:
        pass
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if _contents(matrix) == before else "the matrix was changed"


def described(number: int, name: str, matrix: Any) -> str:
    """Return how a matrix is called in a message."""
    return f"{number}: {name} of a {matrix.format} matrix of {matrix.shape[0]} rows"


def ask(seed: int, numbers: range) -> None:
    """Ask about some matrices in this process, and say which one comes next, and what is wrong."""
    for number in numbers:
        name, matrix = make(seed, number)
        print("next", described(number, name, matrix), flush=True)
        found = wrong_with(name, matrix)
        print("done" if found is None else f"wrong {found}", flush=True)


def _children(seed: int, numbers: range, device: str | None) -> Iterator[list[str]]:
    """Return what each of some child processes printed."""
    for first in range(numbers.start, numbers.stop, _PART):
        last = min(first + _PART, numbers.stop)
        command = [sys.executable, "-m", __spec__.name, "--child", f"{seed}", f"{first}", f"{last}"]
        environment = os.environ if device is None else {**os.environ, "REEDSP_DEVICE": device}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        yield [*done.stdout.splitlines(), f"ended {done.returncode}"]


def run(numbers: range, seed: int, device: str | None = None) -> Counter[str]:
    """Return how many matrices each function was asked about.

    Raises
    ------
    AssertionError
        A function does not refuse what it cannot answer, or crashes; the message names the matrix.
    """
    counts: Counter[str] = Counter()
    for lines in _children(seed, numbers, device):
        asked = ""
        for line in lines:
            what, _, said = line.partition(" ")
            if what == "next":
                asked = said
                counts[said.split(": ")[1].split(" of a ")[0]] += 1
            if what == "wrong" or (what == "ended" and said != "0"):
                raise AssertionError(f"matrix {asked} (seed {seed}): {line}")
    assert counts.total() == len(numbers)
    return counts


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device")
    parser.add_argument("--child", type=int, nargs=3, metavar=("SEED", "FIRST", "LAST"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        seed, first, last = given.child
        ask(seed, range(first, last))
        return
    try:
        counts = run(range(given.first, given.first + given.count), given.seed, given.device)
    except AssertionError as error:
        sys.exit(str(error))
    print(f"{counts.total():,} matrices, {len(counts)} functions")


if __name__ == "__main__":
    main()
