"""Draw the figures of the documentation: explanations from traced arrays, measurements from the CSV files alone.

python -m experiments.figures [NAME ...]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from experiments.measure import RESULTS

IMAGES = RESULTS.parents[1] / "docs" / "images"
VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
SEGMENT = 4
INK, GREY, ACTIVE, CLEARED = "#222222", "#bbbbbb", "#dbe9f6", "#fde7c8"
LINES = {  # readable without colour: every method has its own marker and dash
    "copy": {"color": "#888888", "linestyle": ":", "marker": ""},
    "fast": {"color": "#1f5fa8", "linestyle": "-", "marker": "o"},
    "blelloch": {"color": "#c4561b", "linestyle": "--", "marker": "s"},
    "naive": {"color": "#3f7f3f", "linestyle": "-.", "marker": "^"},
    "numpy.cumsum": {"color": "#7a4fa3", "linestyle": (0, (1, 1)), "marker": "x"},
}


def boxes(axes: Any, row: float, values: list[Any], fills: dict[int, str] | None = None) -> None:
    for i, value in enumerate(values):
        fill = (fills or {}).get(i, "white")
        axes.add_patch(plt.Rectangle((i - 0.4, row - 0.3), 0.8, 0.6, facecolor=fill, edgecolor=INK, linewidth=0.8))
        axes.text(i, row, str(value), ha="center", va="center", fontsize=10, color=INK)


def arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], color: str = INK) -> None:
    style = {"arrowstyle": "-|>", "color": color, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (end[0], end[1] + 0.3), (start[0], start[1] - 0.3), arrowprops=style)


def label(axes: Any, row: float, text: str) -> None:
    axes.text(-0.75, row, text, ha="right", va="center", fontsize=9, color=INK)


def scan_sweeps() -> plt.Figure:
    """Draw the two sweeps of Algorithm 9 over eight elements, row by row."""
    figure, axes = plt.subplots(figsize=(8.2, 6.4))
    values, n, row = list(VALUES), len(VALUES), 0.0
    boxes(axes, row, values)
    label(axes, row, "elements")
    stride = 1
    while stride < n:
        active = range(2 * stride - 1, n, 2 * stride)
        before = list(values)
        for i in active:
            values[i] = before[i - stride] + before[i]
            arrow(axes, (i - stride, row), (i, row - 1.15))
            arrow(axes, (i, row), (i, row - 1.15))
        row -= 1.15
        boxes(axes, row, values, dict.fromkeys(active, ACTIVE))
        label(axes, row, f"leaf to root,\nstride {stride}")
        stride *= 2
    axes.text(n - 0.45, row, f"  sum of the segment: {values[-1]}", ha="left", va="center", fontsize=9, color=INK)
    values[-1] = 0
    row -= 1.15
    boxes(axes, row, values, {n - 1: CLEARED})
    label(axes, row, "identity\nat the root")
    while stride > 1:
        stride //= 2
        active = range(2 * stride - 1, n, 2 * stride)
        before = list(values)
        for i in active:
            values[i], values[i - stride] = before[i] + before[i - stride], before[i]
            arrow(axes, (i, row), (i - stride, row - 1.15), "#c4561b")
            arrow(axes, (i, row), (i, row - 1.15))
            arrow(axes, (i - stride, row), (i, row - 1.15))
        row -= 1.15
        boxes(axes, row, values, dict.fromkeys([j for i in active for j in (i, i - stride)], ACTIVE))
        label(axes, row, f"root to leaf,\nstride {stride}")
    assert values == [sum(VALUES[:i]) for i in range(n)]
    axes.set(xlim=(-2.6, n + 2.2), ylim=(row - 0.5, 0.5))
    axes.axis("off")
    return figure


def scan_recursion() -> plt.Figure:
    """Draw the recursion of Algorithm 10 over the sums of segments of four elements."""
    figure, axes = plt.subplots(figsize=(8.2, 4.2))
    local = [sum(VALUES[i - i % SEGMENT : i + 1]) for i in range(len(VALUES))]
    sums = local[SEGMENT - 1 :: SEGMENT]
    offsets = [sum(sums[:i]) for i in range(len(sums))]
    steps = [("elements", VALUES), ("segment_sums: each\nwork-group, its segment", local)]
    for row, (text, values) in enumerate(steps):
        boxes(axes, -1.5 * row, values, dict.fromkeys(range(SEGMENT), ACTIVE))
        label(axes, -1.5 * row, text)
    for segment, (total, offset) in enumerate(zip(sums, offsets, strict=True)):
        last = segment * SEGMENT + SEGMENT - 1
        x = 9.6 + 0.9 * segment
        for level, (value, fill) in enumerate(((total, "white"), (offset, CLEARED))):
            y = -1.5 - 1.5 * level
            axes.add_patch(plt.Rectangle((x - 0.4, y - 0.3), 0.8, 0.6, facecolor=fill, edgecolor=INK, linewidth=0.8))
            axes.text(x, y, str(value), ha="center", va="center", fontsize=10, color=INK)
        arrow(axes, (x, -1.5), (x, -3.0))
        axes.plot([last, last, x], [-1.2, -0.85 + 0.2 * segment, -0.85 + 0.2 * segment], color=GREY, linewidth=0.9)
        axes.plot([x, x], [-0.85 + 0.2 * segment, -1.2], color=GREY, linewidth=0.9)
    axes.text(10.9, -1.5, "  sums of the segments", ha="left", va="center", fontsize=9, color=INK)
    axes.text(10.9, -3.0, "  scanned by the\n  same procedure", ha="left", va="center", fontsize=9, color=INK)
    result = [value + offsets[i // SEGMENT] for i, value in enumerate(local)]
    assert result == [sum(VALUES[: i + 1]) for i in range(len(VALUES))]
    for i in range(len(VALUES)):
        arrow(axes, (i, -1.5), (i, -4.5), GREY)
    boxes(axes, -4.5, result, dict.fromkeys(range(SEGMENT), ACTIVE))
    label(axes, -4.5, "uniform_add: what\nprecedes the segment")
    for segment, offset in enumerate(offsets):
        middle = segment * SEGMENT + (SEGMENT - 1) / 2
        axes.text(
            middle, -3.0, f"+ {offset}", ha="center", va="center", fontsize=10, color=INK, backgroundcolor="white"
        )
    axes.set(xlim=(-3.6, 13.6), ylim=(-5.0, 0.5))
    axes.axis("off")
    return figure


def scans() -> plt.Figure:
    """Draw the throughput of each method against the number of elements, one panel a device."""
    files = sorted(RESULTS.glob("*/scans.csv"))
    figure, panels = plt.subplots(1, len(files), figsize=(5.2 * len(files), 4.2), squeeze=False)
    for axes, file in zip(panels[0], files, strict=True):
        with file.open(newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["dtype"] == "float32" and not row["group_size"]]
        for method, style in LINES.items():
            points = [(int(row["n"]), float(row["gigabytes_per_second"])) for row in rows if row["method"] == method]
            if points:
                axes.plot(*zip(*points, strict=True), label=method, linewidth=1.5, markersize=4, **style)
        axes.set(xscale="log", yscale="log", xlabel="elements (float32)", title=file.parent.name)
        axes.grid(True, which="major", linewidth=0.3)
        axes.legend(fontsize=8, frameon=False)
    panels[0][0].set_ylabel("GB/s, each element counted as\nread once and written once")
    return figure


FIGURES: dict[str, Callable[[], plt.Figure]] = {
    "scan-sweeps": scan_sweeps,
    "scan-recursion": scan_recursion,
    "scans": scans,
}


def draw(name: str, folder: Path = IMAGES) -> Path:
    """Draw one figure and return the file."""
    with plt.rc_context({"svg.hashsalt": "reedsp", "font.family": "DejaVu Sans"}):
        figure = FIGURES[name]()
        file = folder / f"{name}.svg"
        figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
    return file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FIGURES)}; all by default")
    for name in parser.parse_args().names or FIGURES:
        print(draw(name))


if __name__ == "__main__":
    main()
