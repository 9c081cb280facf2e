"""A generated road network: solve it, check the answer against SciPy's Dijkstra, and draw it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph

import reedsp

SPACING = 100.0
"""Mean distance of neighbouring crossings in metres."""

_REMOVED = 0.1  # share of the roads that the grid has too many
_JITTER = 0.35  # of the spacing, in each direction
_TICKS_PER_SECOND = 10
_FASTEST, _SLOWEST = 30.0, 6.0  # metres a second

_BACKGROUND, _FOREGROUND, _GOAL = "#0d1117", "#e6edf3", "#39d353"


@dataclass(frozen=True)
class RoadNetwork:
    """A graph with a place for every vertex.

    Attributes
    ----------
    graph : reedsp.Graph
        Undirected; weights are travel times in tenths of a second.
    places : ndarray, shape (n, 2)
        In metres.
    source, target : int
        Two vertices far apart that are connected.
    """

    graph: reedsp.Graph
    places: npt.NDArray[np.float64]
    source: int
    target: int


@dataclass(frozen=True)
class Outcome:
    """Both answers and the seconds they took.

    Attributes
    ----------
    paths : reedsp.ShortestPaths
    scipy_dist : ndarray, shape (n,)
    first_seconds : float
        The first call of :func:`reedsp.sssp`, in which its kernels may be compiled.
    seconds, scipy_seconds : float
        The second call, with copying to and from the device, and SciPy's.
    """

    paths: reedsp.ShortestPaths
    scipy_dist: npt.NDArray[np.float64]
    first_seconds: float
    seconds: float
    scipy_seconds: float

    @property
    def different(self) -> int:
        """Number of vertices with different distances."""
        return int(np.count_nonzero(self.paths.dist != self.scipy_dist))


def road_network(vertices: int, seed: int) -> RoadNetwork:
    """Generate crossings on a jittered grid, some of whose roads are missing and whose speeds vary.

    Parameters
    ----------
    vertices : int
        At least 2.
    seed : int
        The same seed gives the same network.
    """
    random = np.random.default_rng(seed)
    columns = int(np.ceil(np.sqrt(vertices)))
    number = np.arange(vertices)
    column, row = number % columns, number // columns
    jitter = random.uniform(-_JITTER, _JITTER, (vertices, 2))
    places = SPACING * (np.stack([column, row], axis=1) + jitter)

    right = number[(column + 1 < columns) & (number + 1 < vertices)]
    up = number[number + columns < vertices]
    sources, targets = np.concatenate([right, up]), np.concatenate([right + 1, up + columns])
    kept = random.random(len(sources)) >= _REMOVED
    kept[0] = True  # so that there is somewhere to go
    sources, targets = sources[kept], targets[kept]
    length = np.hypot(*(places[sources] - places[targets]).T)
    slowness = _slowness((places[sources] + places[targets]) / 2, SPACING * columns, random)
    weights = np.maximum(1, np.rint(_TICKS_PER_SECOND * length * slowness)).astype(np.int32)
    graph = reedsp.Graph.from_edges(vertices, sources, targets, weights, directed=False)
    source, target = _far_apart(graph, places)
    return RoadNetwork(graph, places, source, target)


def _slowness(places: npt.NDArray[np.float64], width: float, random: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return seconds a metre: a landscape of fast and slow districts, and a random factor for each road."""
    landscape = np.zeros(len(places))
    for waves in (1.5, 2.5, 4.0, 7.0):
        for _ in range(3):
            angle, phase = random.uniform(0, 2 * np.pi, 2)
            across = places @ [np.cos(angle), np.sin(angle)] / width
            landscape += np.sin(2 * np.pi * waves * across + phase) / waves
    landscape = (landscape - landscape.min()) / max(np.ptp(landscape), 1e-9)
    slow, fast = 1 / _SLOWEST, 1 / _FASTEST
    seconds: npt.NDArray[np.float64] = fast + (slow - fast) * landscape**2
    return seconds * random.uniform(0.7, 1.3, len(places))


def _far_apart(graph: reedsp.Graph, places: npt.NDArray[np.float64]) -> tuple[int, int]:
    """Return the vertices nearest to the lower left and upper right of the largest connected part."""
    _, part = scipy.sparse.csgraph.connected_components(graph.to_scipy(), directed=False)
    largest = np.flatnonzero(part == np.argmax(np.bincount(part)))
    low, high = places.min(axis=0), places.max(axis=0)

    def nearest(share: float) -> int:
        offset = places[largest] - (low + share * (high - low))
        return int(largest[np.argmin(np.hypot(*offset.T))])

    return nearest(0.12), nearest(0.9)


def solve(network: RoadNetwork, device: Any = None, progress: Callable[[int, int], None] | None = None) -> Outcome:
    """Solve from the network's source with reedsp, twice, and with SciPy's Dijkstra, predecessors included."""
    graph, source = network.graph, network.source

    def run() -> tuple[reedsp.ShortestPaths, float]:
        started = time.perf_counter()
        paths = reedsp.sssp(graph, source, device=reedsp.get_device(device), progress=progress)
        return paths, time.perf_counter() - started

    _, first_seconds = run()
    paths, seconds = run()
    matrix = graph.to_scipy()
    started = time.perf_counter()
    scipy_dist, _ = scipy.sparse.csgraph.dijkstra(matrix, indices=source, return_predecessors=True)
    return Outcome(paths, scipy_dist, first_seconds, seconds, time.perf_counter() - started)


def report(network: RoadNetwork, outcome: Outcome) -> list[str]:
    """Return what was solved, how long both took, and whether they agree, in lines of text."""
    graph, paths = network.graph, outcome.paths
    ratio = outcome.scipy_seconds / outcome.seconds
    faster = f"reedsp is {ratio:.1f} times as fast" if ratio >= 1 else f"SciPy is {1 / ratio:.1f} times as fast"
    compared = f"all {graph.n:,} distances"
    minutes = paths.dist[network.target] / _TICKS_PER_SECOND / 60
    return [
        f"network  {graph.n:,} crossings, {graph.m // 2:,} roads",
        f"route    {len(paths.path(network.target)):,} crossings, {minutes:.1f} minutes",
        f"reedsp   {outcome.seconds:.3f} s, {paths.method}, {paths.rounds:,} rounds on {paths.device}",
        f"         (the first call, which may compile the kernels, took {outcome.first_seconds:.3f} s)",
        f"SciPy    {outcome.scipy_seconds:.3f} s, scipy.sparse.csgraph.dijkstra on one CPU core: {faster} here",
        f"answers  {f'equal, {compared}' if outcome.different == 0 else f'{outcome.different:,} of {compared} DIFFER'}",
    ]


def draw(network: RoadNetwork, paths: reedsp.ShortestPaths) -> bytes:
    """Draw the tree of shortest paths, coloured by travel time, with the route on top.

    A road is the wider, the more crossings are reached through it.

    Returns
    -------
    bytes
        A PNG image.

    Raises
    ------
    ImportError
        Matplotlib is not installed.
    """
    from matplotlib import colormaps
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    kilometres = network.places / 1000
    minutes = paths.dist / _TICKS_PER_SECOND / 60
    reached_through = _subtree_sizes(paths)
    heads = np.flatnonzero(paths.pred >= 0)
    heads = heads[np.argsort(reached_through[heads], kind="stable")]  # wide roads on top
    share = reached_through[heads] / reached_through[network.source]

    figure = Figure(figsize=(9.6, 8.6), dpi=140, facecolor=_BACKGROUND)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.005, 0.005, 0.89, 0.99))
    axes.set_axis_off()
    axes.set_aspect("equal")
    roads = LineCollection(
        list(np.stack([kilometres[heads], kilometres[paths.pred[heads]]], axis=1)),
        array=minutes[heads],
        cmap=ListedColormap(colormaps["plasma"](np.linspace(0.22, 1, 256))),
        linewidths=min(1.5, 120 / np.sqrt(len(minutes))) + 5.5 * np.cbrt(share),
        capstyle="round",
    )
    axes.add_collection(roads)
    route = kilometres[paths.path(network.target)]
    for colour, width in ((_BACKGROUND, 5.5), ("white", 2.4)):
        axes.plot(*route.T, color=colour, linewidth=width, solid_joinstyle="round")
    for place, colour in ((route[0], "white"), (route[-1], _GOAL)):
        axes.plot(*place, marker="o", markersize=11, color=colour, markeredgecolor=_BACKGROUND, markeredgewidth=2)
    axes.autoscale_view()
    axes.margins(0.005)

    scale = figure.colorbar(roads, cax=figure.add_axes((0.905, 0.2, 0.018, 0.6)))
    scale.set_label("travel time from the white dot (minutes)", color=_FOREGROUND, fontsize=11, labelpad=8)
    scale.ax.tick_params(colors=_FOREGROUND, labelsize=10)
    scale.outline.set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", facecolor=_BACKGROUND)
    return _with_palette(picture)


def _with_palette(picture: io.BytesIO) -> bytes:
    """Encode a PNG again with a palette of 256 colours: a quarter of the size."""
    from PIL import Image

    image = Image.open(picture).convert("RGB")
    palette = image.quantize(256, method=Image.Quantize.FASTOCTREE)
    content = io.BytesIO()
    image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG).save(content, format="PNG", optimize=True)
    return content.getvalue()


def _subtree_sizes(paths: reedsp.ShortestPaths) -> npt.NDArray[np.int64]:
    """Return how many vertices are reached through each vertex, itself included; all weights are positive."""
    sizes = [1] * len(paths.dist)
    pred = paths.pred.tolist()
    for vertex in np.argsort(-paths.dist, kind="stable").tolist():
        if pred[vertex] >= 0:
            sizes[pred[vertex]] += sizes[vertex]
    return np.array(sizes)
