"""Pictures of results, drawn with matplotlib."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, edge_sources

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_DRAWN = 60  # vertices of a tree that is drawn with its names
_MOST_NAMED = 30  # rows of a matrix, each with its name
_MOST_PIXELS = 1000  # of a side of a matrix
_COLOURS = "viridis_r"
_SHADES = 64
_LEAST_COSINE = 0.05  # a map of a pole is none
_ROUTE = "#d62728"
_NUMBERS = "{x:,.10g}"  # of an axis: never with a power of ten apart


def axes_for(ax: Axes | None) -> Axes:
    """Return the axes to draw on: those given, else those of a new figure.

    Raises
    ------
    ImportError
        matplotlib is not installed; the message says how to.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot: matplotlib is not installed; install it with: pip install 'reedsp[plot]'") from None
    return plt.subplots(figsize=(7, 6), layout="constrained")[1] if ax is None else ax


def draw_search(
    ax: Axes,
    graph: Graph,
    values: npt.NDArray[np.float64],
    pred: npt.NDArray[np.int32],
    sources: list[int],
    route: Sequence[int],
    quantity: str,
) -> None:
    """Draw what a search found: a map if the graph has coordinates, else the tree, or how many vertices are how far.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    graph : Graph
    values : ndarray of float64, shape (n,)
        Distance of each vertex, inf where there is no path.
    pred : ndarray of int32, shape (n,)
    sources : list of int
    route : sequence of int
        Vertices of a path to be shown, or none.
    quantity : str
        What the values are.
    """
    if graph.coordinates is not None:
        _draw_map(ax, graph, graph.coordinates, values, sources, route, quantity)
    elif np.isfinite(values).sum() <= _MOST_DRAWN:
        _draw_tree(ax, graph, values, pred, route, quantity)
    else:
        _draw_growth(ax, values, route, quantity)


def _draw_map(
    ax: Axes,
    graph: Graph,
    places: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    sources: list[int],
    route: Sequence[int],
    quantity: str,
) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    ends = _lines(graph)
    far = values[ends].max(axis=1)
    reached = np.isfinite(far)
    width = float(np.clip(40 / np.sqrt(graph.n + 1), 0.25, 2))
    _add_lines(ax, [places[ends[~reached]]], ["0.8"], width)
    if reached.any():
        minimum, most = min(0, far[reached].min()), far[reached].max()
        norm = Normalize(minimum, most if most > minimum else minimum + 1)
        shade = (np.clip(norm(far[reached]), 0, 1) * (_SHADES - 1)).astype(np.intp)
        scale = ScalarMappable(norm, _COLOURS)
        groups = [places[ends[reached][shade == each]] for each in range(_SHADES)]
        _add_lines(ax, groups, scale.cmap(np.linspace(0, 1, _SHADES)), width)
        ax.figure.colorbar(scale, ax=ax, label=quantity, shrink=0.8, format=_NUMBERS)
    if len(route):
        ax.plot(*places[list(route)].T, color="white", linewidth=4.5, solid_joinstyle="round", zorder=3)
        ax.plot(*places[list(route)].T, color=_ROUTE, linewidth=2.5, solid_joinstyle="round", zorder=4)
        ax.plot(*places[route[-1]], "s", color=_ROUTE, markeredgecolor="white", markersize=9, zorder=5)
    ax.plot(*places[sources].T, "o", color="black", markeredgecolor="white", markersize=8, zorder=5)
    ax.autoscale_view()
    ax.set_aspect(_height_of_unit(places) if graph.geographic else 1)
    ax.set_axis_off()


def _height_of_unit(places: npt.NDArray[np.float64]) -> float:
    """Return how many times as long a degree of latitude is as one of longitude, amid the places."""
    degrees = places * (1e-6 if (np.abs(places) > 180).any() else 1)
    return float(1 / max(np.cos(np.radians(degrees[:, 1].mean())), _LEAST_COSINE))


def _lines(graph: Graph) -> npt.NDArray[np.int32]:
    """Return the ends of each edge, shape (lines, 2); one of two edges in opposite directions is enough."""
    tails = edge_sources(graph)
    keys = np.minimum(tails, graph.indices) * np.int64(graph.n) + np.maximum(tails, graph.indices)
    once = np.unique(keys[tails != graph.indices])
    return np.stack((once // graph.n, once % graph.n), axis=1).astype(np.int32)


def _add_lines(ax: Axes, groups: list[npt.NDArray[np.float64]], colours: Any, width: float) -> None:
    """Draw groups of lines, shape (lines, 2, 2), each in its colour: a path a group, as paths are what takes time."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    codes = (np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), len(lines)) for lines in groups)
    paths = [Path(lines.reshape(-1, 2), code) for lines, code in zip(groups, codes, strict=True)]
    ax.add_collection(PathCollection(paths, edgecolors=colours, facecolors="none", linewidths=width, rasterized=True))


def _draw_tree(
    ax: Axes,
    graph: Graph,
    values: npt.NDArray[np.float64],
    pred: npt.NDArray[np.int32],
    route: Sequence[int],
    quantity: str,
) -> None:
    """Draw each reached vertex at the height of its distance, its subtree below a stretch of its own."""
    height, across = values, _leaf_positions(values, pred)
    on_route = set(itertools.pairwise(route))
    names = graph.names
    for vertex in np.flatnonzero(np.isfinite(values)).tolist():
        before = int(pred[vertex])
        if before >= 0:
            red = (before, vertex) in on_route
            ends = [before, vertex]
            ax.plot(across[ends], height[ends], color=_ROUTE if red else "0.6", linewidth=2.5 if red else 1, zorder=1)
        ax.text(
            across[vertex],
            height[vertex],
            str(names[vertex]),
            ha="center",
            va="center",
            fontsize=9,
            zorder=2,
            bbox={
                "boxstyle": "round,pad=0.25",
                "facecolor": "white",
                "edgecolor": _ROUTE if vertex in route else "0.4",
            },
        )
    ax.set_ylabel(quantity)
    ax.yaxis.set_major_formatter(_NUMBERS)
    ax.set_xticks([])
    ax.margins(0.08, 0.1)
    ax.invert_yaxis()
    ax.spines[["top", "right", "bottom"]].set_visible(False)


def _leaf_positions(values: npt.NDArray[np.float64], pred: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Return a position for each reached vertex: leaves side by side, every other one amid those below it."""
    reached = np.flatnonzero(np.isfinite(values)).tolist()
    below: dict[int, list[int]] = {vertex: [] for vertex in reached}
    for vertex in reached:
        if pred[vertex] >= 0:
            below[int(pred[vertex])].append(vertex)
    across = np.full(len(values), np.nan)
    leaves = 0
    waiting = [vertex for vertex in reversed(reached) if pred[vertex] < 0]
    while waiting:
        vertex = waiting[-1]
        missing = [each for each in reversed(below[vertex]) if np.isnan(across[each])]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if below[vertex]:
            across[vertex] = across[below[vertex]].mean()
        else:
            across[vertex] = leaves
            leaves += 1
    return across


def _draw_growth(ax: Axes, values: npt.NDArray[np.float64], route: Sequence[int], quantity: str) -> None:
    ordered = np.sort(values[np.isfinite(values)])
    ax.step(ordered, np.arange(1, len(ordered) + 1), where="post", color="#1f77b4")
    if len(route):
        ax.axvline(values[route[-1]], color=_ROUTE, linewidth=1.5)
    ax.set_xlabel(quantity)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(_NUMBERS)
    ax.set_ylabel(f"vertices reached, of {len(values):,}")
    ax.set_ylim(0)
    ax.grid(alpha=0.3)


def draw_matrix(
    ax: Axes, graph: Graph, dist: npt.NDArray[Any], finite: Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]]
) -> None:
    """Draw a matrix of distances, of a large one some rows and columns; white where there is no path.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    graph : Graph
    dist : ndarray, shape (n, n)
    finite : callable
        Tells of some distances which stand for a shortest path.
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator

    n = graph.n
    step = max(1, -(-n // _MOST_PIXELS))
    some = np.asarray(dist[::step, ::step])
    shown = np.ma.MaskedArray(some, ~finite(some))
    first = graph.offset if graph.labels is None else 0
    side = (first - 0.5, first + max(n, 1) - 0.5)
    image = ax.imshow(shown, cmap=_COLOURS, extent=(*side, *side[::-1]), interpolation="nearest")
    if shown.count():
        ax.figure.colorbar(image, ax=ax, label="distance", shrink=0.8, format=_NUMBERS)
    each_named = graph.labels is not None and n <= _MOST_NAMED
    for axis, title in ((ax.xaxis, "target"), (ax.yaxis, "source")):
        axis.set_label_text(title)
        axis.set_major_locator(FixedLocator(range(n)) if each_named else MaxNLocator("auto", integer=True))
        if graph.labels is not None:
            axis.set_major_formatter(lambda place, _: str(graph.names[int(place)]) if 0 <= place < n else "")
    if each_named:
        ax.tick_params("x", rotation=90)
