"""networkx with this backend first in its priorities, beside networkx alone, on what its gallery and pages compute.

Programs are timed as a whole, from a graph that is not converted yet; their answers have to be the same, in values,
types and orders. The other rows are single calls on a graph that is converted, each forced to the device: from which
size on it answers sooner is where `MIN_NODES` and `MIN_NODES_FROM_EACH` of `reedsp.networkx_backend.on_device`
belong. Last, graphs of a million edges are read into arrays here and by `networkx.to_scipy_sparse_array`.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import networkx as nx
from matplotlib.figure import Figure

from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, panels
from reedsp.device.discovery import get_device
from reedsp.networkx_backend.functions import convert_from_nx
from reedsp.networkx_backend.on_device import FORCE_DEVICE

SEED = 2012
SIZES = (250, 500, 1000, 2500, 5000, 10_000, 25_000)
SIZES_FROM_EACH = (60, 125, 250, 500, 1000, 2500)


def small_world(n: int) -> nx.Graph:
    """Return a connected graph in which a node has six neighbours on average, with whole weights."""
    graph = nx.connected_watts_strogatz_graph(n, 6, 0.1, seed=SEED)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1 + number * 7919 % 1000
    return graph


def road_grid(n: int) -> nx.Graph:
    """Return a square grid of about n nodes, with whole weights."""
    side = round(n**0.5)
    graph = nx.grid_2d_graph(side, side)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1 + number * 7919 % 1000
    return graph


# ---- programs ---------------------------------------------------------------------------------------


def properties(graph: nx.Graph) -> Any:
    """Compute what the gallery's page on the properties of a graph prints."""
    lengths = [length for node in graph for length in nx.single_source_shortest_path_length(graph, node).values()]
    return (
        *(sum(lengths) / len(lengths), dict(Counter(lengths)), nx.radius(graph), nx.diameter(graph)),
        *(nx.eccentricity(graph), nx.center(graph), nx.periphery(graph), nx.density(graph)),
    )


def means(graph: nx.Graph) -> Any:
    """Compute the mean distance within each component, as the page on average_shortest_path_length does."""
    parts = (graph.subgraph(nodes).copy() for nodes in nx.connected_components(graph))
    return [nx.average_shortest_path_length(part, weight="weight") for part in parts]


def routes(graph: nx.Graph) -> Any:
    """Print distances and a few routes from some nodes, as the page on single_source_dijkstra does."""
    found = []
    for source in list(graph)[:: len(graph) // 5]:
        lengths, paths = nx.single_source_dijkstra(graph, source)
        found.append((lengths, [paths[node] for node in list(graph)[:: len(graph) // 10]]))
    return found


PROGRAMS: dict[str, tuple[Callable[[nx.Graph], Any], Callable[[int], nx.Graph], int]] = {
    "properties": (properties, small_world, 1000),
    "mean distances": (means, small_world, 1000),
    "routes": (routes, road_grid, 90_000),
}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any], tuple[int, ...]]] = {
    "single_source_dijkstra": (nx.single_source_dijkstra, {"source": 0}, SIZES),
    "single_source_shortest_path_length": (nx.single_source_shortest_path_length, {"source": 0}, SIZES),
    "eccentricity": (nx.eccentricity, {}, SIZES_FROM_EACH),
    "closeness_centrality": (nx.closeness_centrality, {"distance": "weight"}, SIZES_FROM_EACH),
}


def grid_of_numbers(n: int) -> nx.Graph:
    """Return a square grid of about n nodes, which are numbers, with whole weights."""
    return nx.convert_node_labels_to_integers(road_grid(n))


def random_graph(n: int) -> nx.Graph:
    """Return a graph of 5 n edges anywhere, with whole weights."""
    graph = nx.gnm_random_graph(n, 5 * n, seed=SEED)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1 + number * 7919 % 1000
    return graph


CONVERSIONS: dict[str, tuple[Callable[[int], nx.Graph], int]] = {
    "conversion, grid": (grid_of_numbers, 708**2),
    "conversion, random": (random_graph, 200_000),
    "conversion, grid of tuples": (road_grid, 708**2),
}

# ---- rows -------------------------------------------------------------------------------------------


def check(answer: Any, answers: list[Any], shown: Callable[[Any], Any]) -> None:
    """Raise unless the answer is shown the same as the first one."""
    answers.append(shown(answer))
    if answers[-1] != answers[0]:
        raise WrongAnswerError("networkx and this backend differ")
    del answers[1:]


def row(
    what: str, graph: nx.Graph, solves: list[Callable[[], Any]], repeats: int, shown: Callable[[Any], Any] = repr
) -> Row:
    answers: list[Any] = []
    checked = partial(check, answers=answers, shown=shown)
    theirs, ours = measure_in_turn([(solve, checked) for solve in solves], repeats)
    return {
        "what": what,
        "n": len(graph),
        "m": graph.number_of_edges(),
        "seed": SEED,
        "networkx_min_ms": theirs["min_ms"],
        "networkx_median_ms": theirs["median_ms"],
        "reedsp_first_ms": ours["first_ms"],
        "reedsp_min_ms": ours["min_ms"],
        "reedsp_median_ms": ours["median_ms"],
        "ratio": round(theirs["min_ms"] / ours["min_ms"], 2),
    }


def program_row(name: str, repeats: int, quick: bool) -> Iterator[Row]:
    program, make, n = PROGRAMS[name]
    graph = make(n // 20 if quick else n)

    def run(priority: list[str]) -> Any:
        graph.__networkx_cache__.clear()
        with nx.config(backend_priority=priority):
            return program(graph)

    yield row(name, graph, [partial(run, []), partial(run, ["reedsp"])], repeats)


def call_rows(name: str, repeats: int, quick: bool) -> Iterator[Row]:
    function, kwargs, sizes = CALLS[name]
    for n in sizes[:2] if quick else sizes:
        graph = small_world(n)

        def call(backend: str, graph: nx.Graph = graph) -> Any:
            os.environ[FORCE_DEVICE] = "1"
            return function(graph, backend=backend, **kwargs)

        yield row(name, graph, [partial(call, "networkx"), partial(call, "reedsp")], repeats)
    del os.environ[FORCE_DEVICE]


def conversion_row(name: str, repeats: int, quick: bool) -> Iterator[Row]:
    make, n = CONVERSIONS[name]
    graph = make(n // 100 if quick else n)

    def theirs() -> Any:
        matrix = nx.to_scipy_sparse_array(graph)
        return matrix.indptr, matrix.indices, matrix.data

    def ours() -> Any:
        arcs = convert_from_nx(graph).arcs("weight")
        return arcs.graph.indptr, arcs.graph.indices, arcs.graph.weights

    def same(arrays: tuple[Any, ...]) -> list[str]:
        return [hashlib.sha256(array.astype("i8").tobytes()).hexdigest() for array in arrays]

    yield row(name, graph, [theirs, ours], repeats, same)


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 3
    programs: list[Case] = [(name, partial(program_row, name, repeats, setting.quick)) for name in PROGRAMS]
    calls: list[Case] = [(name, partial(call_rows, name, repeats, setting.quick)) for name in CALLS]
    return programs + calls + [(name, partial(conversion_row, name, repeats, setting.quick)) for name in CONVERSIONS]


def impossible(setting: Setting) -> str:
    used = get_device()
    same = (used.name, used.platform) == (setting.device.name, setting.device.platform)
    return "" if same else "networkx has no argument for the device: name it by REEDSP_DEVICE"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each call over the number of nodes; programs are marked by a cross."""
    figure, [axes] = panels(width=7.0)
    for number, name in enumerate(CALLS):
        chosen = [row for row in rows if row["what"] == name]
        sizes = [int(row["n"]) for row in chosen]
        axes.plot(sizes, [float(row["ratio"]) for row in chosen], "o-", color=f"C{number}", label=name)
    for number, name in enumerate(PROGRAMS):
        chosen = [row for row in rows if row["what"] == name]
        places = [int(row["n"]) for row in chosen]
        axes.plot(places, [float(row["ratio"]) for row in chosen], "X", color=f"C{number + len(CALLS)}", label=name)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("nodes")
    axes.set_ylabel("times as fast as networkx")
    axes.set_title(f"networkx with this backend: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=7, frameon=False)
    return figure


EXPERIMENT = Experiment("networkx with this backend, beside networkx alone", cases, plot, impossible)
