"""Sorts, components, forests, matchings, flows and betweenness give the same bytes in every run and on every device.

    python -m tests.deep.differential.same_bytes [--runs 100] [--size 500] [--write FILE | --compare FILE]

From run to run the device seems to have more or fewer cores and larger or smaller work-groups, and a CPU to be a GPU.
Every method is asked; an answer that does not depend on it is one line of what is printed. What one device has written
another one compares with its own. The simulator Oclgrind, which looks for faults meanwhile, takes a minute or two for a
run of 64 vertices:

    oclgrind --data-races --uninitialized --log LOG python -m tests.deep.differential.same_bytes --size 64 --runs 10
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import reedsp
from reedsp.device.build import SIMULATORS
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from tests.deep.oclgrind import initialised

SEED = 2016
GROUP_SIZES = (16, 32, 64, 128, 256)
COMPUTE_UNITS = (1, 2, 3, 16, 132)


@dataclass(frozen=True)
class Given:
    """What all runs are about: a graph with ties, parts, hubs and loops, a part of a matrix, and numbers.

    Attributes
    ----------
    graph : Graph
        Directed.
    square : csr_array
        With a full matching.
    values : ndarray of float64
        With NaN, infinities and both zeros.
    """

    graph: reedsp.Graph
    square: Any
    values: np.ndarray

    @classmethod
    def of(cls, size: int) -> Given:
        """Return that of so many vertices."""
        rng = np.random.default_rng(SEED)
        ends = rng.integers(0, size, (2, 2 * size))
        hub = np.stack((np.full(size // 4, 7), rng.integers(0, size, size // 4)))
        path = np.arange(size // 2, size - size // 8)
        ends = np.concatenate((ends, hub, hub[::-1], [path[:-1], path[1:]]), axis=1)
        ends = ends[:, (ends % 16 < 14).all(0)]  # an eighth of all vertices are alone
        weights = rng.integers(1, 4, ends.shape[1])
        rows = np.concatenate((np.arange(size), rng.integers(0, size, 3 * size)))
        columns = np.concatenate((rng.permutation(size), rng.integers(0, size, 3 * size)))
        square = scipy.sparse.coo_array((rng.integers(1, 9, 4 * size), (rows, columns)), (size, size)).tocsr()
        values = rng.integers(-size // 3, size // 3, 9 * size) / 4
        values[rng.integers(0, len(values), 99)] = rng.choice([np.nan, np.inf, -np.inf, -0.0], 99)
        return cls(reedsp.Graph.from_edges(size, *ends, weights), square, values)


def sorts(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    indices = np.arange(len(given.values), dtype=np.int32)
    for method in ("fast", "merge"):
        yield "sort", [reedsp.sort(given.values, method=method, device=device)]
        yield "argsort", [reedsp.argsort(given.values, method=method, device=device)]
        yield "sort_by_key", reedsp.sort_by_key(given.values, indices, method=method, device=device)


def components(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    for connection, methods in (("weak", ("fast", "dulle")), ("strong", ("depth-first", "colours"))):
        for method in methods:
            found = reedsp.connected_components(given.graph, connection, method, device=device)
            yield f"{connection} components", [found.labels, found.sizes]


def forests(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    for maximum in (False, True):
        for method in ("kruskal", "boruvka", "dulle"):
            found = reedsp.spanning_forest(given.graph, maximum, method, device=device)
            yield f"{'maximum' if maximum else 'minimum'} forest", [found.ends, found.weights]


def matchings(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    """Which one is found depends on the method."""
    for method in ("depth-first", "phases", "dulle", "khosla"):
        found = reedsp.maximum_matching(given.graph, method, device=device)
        yield f"matching, {method}", [found.column_of_row]
    for method in ("shortest-paths", "auction"):
        full = reedsp.full_matching(given.square, method=method, device=device)
        yield f"full matching, {method}", [full.rows, full.columns]


def flows(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    """One of many flows; how much it is is unique."""
    for method in ("dinic", "push-relabel"):
        yield "flow", [np.array(reedsp.maximum_flow(given.graph, 7, 0, method, device=device).value)]


def betweenness(given: Given, device: Device) -> Iterator[tuple[str, Iterable[Any]]]:
    sources = range(0, given.graph.n, 8)
    for method in ("work-items", "work-groups"):
        options = {"method": method}
        yield "betweenness", [reedsp.betweenness(given.graph, sources, device=device, options=options).values]
        found = reedsp.betweenness(given.graph, sources, edges=True, device=device, options=options)
        yield "betweenness of edges", [found.values, found.edge_values]


QUESTIONS: tuple[Callable[[Given, Device], Iterator[tuple[str, Iterable[Any]]]], ...] = (
    sorts,
    components,
    forests,
    matchings,
    flows,
    betweenness,
)


def digest(arrays: Iterable[Any]) -> str:
    """Return a name of the types, shapes and bytes of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype.str} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:20]


def seem(device: Device, own: Device, rng: np.random.Generator) -> str:
    """Have a device look like another one, and return how."""
    if own.kind == "cpu" or own.platform in SIMULATORS:
        device.kind = str(rng.choice(["cpu", "gpu"]))
    device.max_work_group_size = min(own.max_work_group_size, int(rng.choice(GROUP_SIZES)))
    device.compute_units = int(rng.choice(COMPUTE_UNITS))
    return f"{device.kind}, {device.compute_units} compute units, work-groups of {device.max_work_group_size}"


def ask(runs: int, size: int, own: Device) -> dict[str, str]:
    """Return the digests of all answers.

    Raises
    ------
    AssertionError
        Two runs, or two methods, say different things.
    """
    given, device, found = Given.of(size), Device(own.index, own.handle), dict[str, str]()
    for number in range(runs):
        what = seem(device, own, np.random.default_rng([SEED, number])) if number else "itself"
        for question in QUESTIONS:
            for label, arrays in question(given, device):
                name = digest(arrays)
                assert found.setdefault(label, name) == name, f"{label}: run {number}, {what}"
    return found


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    device = get_device()
    if device.platform in SIMULATORS:
        initialised.know_what_is_initialised()
    found = ask(chosen.runs, chosen.size, device)
    text = "".join(f"{name} {label}\n" for label, name in sorted(found.items()))
    print(f"{text}{chosen.runs} runs of {chosen.size} vertices, the same each time: {device}", flush=True)
    if chosen.write:
        chosen.write.write_text(text)
    if chosen.compare and (expected := chosen.compare.read_text()) != text:
        raise SystemExit(f"{chosen.compare} says\n{expected}")


if __name__ == "__main__":
    main()
