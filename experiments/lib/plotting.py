"""How plots look: lines that can be told apart in grey, axes with units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#222222"
LINES: tuple[dict[str, Any], ...] = (  # dark to light: each has its own marker and dash, for readers without colour
    {"color": "#0b2f5c", "linestyle": "-", "marker": "o"},
    {"color": "#b5451b", "linestyle": "--", "marker": "s"},
    {"color": "#2f7d3b", "linestyle": "-.", "marker": "^"},
    {"color": "#7a4fa3", "linestyle": ":", "marker": "D"},
    {"color": "#c08a10", "linestyle": (0, (5, 1)), "marker": "v"},
    {"color": "#2a8fa8", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
    {"color": "#c25b8a", "linestyle": (0, (1, 1)), "marker": "X"},
    {"color": "#777777", "linestyle": (0, (8, 2)), "marker": "*"},
)
PUBLISHED: dict[str, Any] = {"color": "#999999", "markerfacecolor": "white", "linewidth": 1.0}  # of a paper
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")


def panels(count: int = 1, width: float = 5.4, height: float = 4.2, below: bool = False) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, side by side or one below the other; pages are some 8 inches wide."""
    rows, columns = (count, 1) if below else (1, count)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def grid_of_panels(count: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, in rows of some columns, all on the same scales."""
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    panes = list(figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).flat)
    for spare in panes[count:]:
        spare.set_axis_off()
    return figure, panes[:count]


def line(axes: Axes, points: Sequence[tuple[float, float]], label: str, number: int, **style: Any) -> None:
    """Draw points, in order of x, in the style of this number."""
    chosen = {**LINES[number % len(LINES)], "linewidth": 1.5, "markersize": 4.5, **style}
    axes.plot(*zip(*sorted(points), strict=True), label=label, **chosen)


def bars(axes: Axes, groups: Sequence[str], series: dict[str, list[float | None]], label: str) -> None:
    """Draw one group of bars for each name, one bar for each series; what was not measured has none."""
    width = 0.8 / len(series)
    for number, (name, heights) in enumerate(series.items()):
        places = [place + (number - (len(series) - 1) / 2) * width for place, each in enumerate(heights) if each]
        known = [height for height in heights if height]
        fill, hatch = LINES[number % len(LINES)]["color"], HATCHES[number % len(HATCHES)]
        axes.bar(places, known, width, label=name, facecolor=fill, edgecolor="white", hatch=hatch, linewidth=0.5)
    axes.set_xticks(range(len(groups)), groups, rotation=20, ha="right", fontsize=8)
    axes.set_ylabel(label)
    axes.grid(True, axis="y", which="major", linewidth=0.3)
    axes.set_axisbelow(True)


def dots(axes: Axes, groups: Sequence[str], series: dict[str, list[float | None]], label: str, title: str) -> None:
    """Draw one line for each name, on it a marker for each series; what was not measured has none."""
    for number, (name, values) in enumerate(series.items()):
        size = max(5.5, 8.5 - 0.8 * number)  # so that none hides another
        style = {**LINES[number % len(LINES)], "linestyle": "", "markersize": size}
        if known := [(value, place) for place, value in enumerate(values) if value]:
            axes.plot(*zip(*known, strict=True), label=name, markeredgecolor="white", markeredgewidth=0.5, **style)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    finish(axes, label, "", title, "x")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def finish(axes: Axes, x: str, y: str, title: str, log: str = "xy") -> None:
    """Name the axes, with units; those in `log` are logarithmic."""
    axes.set(xlabel=x, ylabel=y)
    if "x" in log:
        axes.set_xscale("log")
    if "y" in log:
        axes.set_yscale("log")
    axes.set_title(title, fontsize=10)
    axes.grid(True, which="major", linewidth=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, frameon=False)


def device_of(rows: Sequence[dict[str, str]]) -> str:
    """Return the device's name for a title."""
    return re.sub(r"^(pthread|cpu)-([a-z0-9-]*-(?=[A-Z]))?", "", rows[0]["device"])
