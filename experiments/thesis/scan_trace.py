"""Scans as their kernels run them, round by round: what figures 4.3 to 4.5 of the thesis show, and how much they add.

The sweeps of Algorithm 9 are those of ``cl/primitives/blelloch_scan.cl``, whose tree ``cl/primitives/scan_trace.cl``
copies at each barrier. The naive scan (Algorithm 8) and the recursion (Algorithm 10) take several launches; their
buffers are read after each.

An item holds its value in 32 bits, in 16 more how many elements it sums, and in the uppermost 16 how many additions
have led to it. An item that no item of the round before equals is thus the result of an addition, and those are
counted. Which elements each item sums is compared with the same rounds carried out on ranges of places.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import INK, PUBLISHED, device_of, finish, line
from reedsp.device.job import Job, Launched, recording
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements
from reedsp.primitives.scan import plan_scan

VALUES = (3, 1, 7, 0, 4, 1, 6, 3)
RECURSION = (*VALUES, 2, 5, 1, 8, 0, 2, 4, 1, 1, 3, 0, 2)  # two segments and a half
SEGMENT = 8  # elements of the smallest one: two leaves of four
ITEM = np.dtype(np.uint64)
ELEMENT, ADDITION = 1 << 32, 1 << 48
ADD = reedsp.Operator(f"a + b + {ADDITION}ul", identity=0)  # not quite an identity: its additions count
ELEMENTS = Elements(resolve(ADD, ITEM), ITEM, built_in=False)

OF_SUMS = ("sums", "segment_sums of sums")  # steps after which there is an item for each segment
EXCLUSIVE = ("root to leaf", "segment_sums of sums")  # steps towards sums that leave out the item's own place

Range = tuple[int, int]  # of the places that an item sums
Step = tuple[str, int, list[Range]]  # its name, the distance of what is added, and what there is after it


# ---- what has to come out ---------------------------------------------------------------------------


def leaves(n: int) -> list[Range]:
    return [(place, place + 1) for place in range(n)]


def joined(left: Range, right: Range) -> Range:
    """Return the range of both, which are neighbours unless one is empty."""
    if left[0] == left[1]:
        return right
    assert left[1] == right[0]
    return left[0], right[1]


def sweeps(n: int) -> Iterator[Step]:
    """Yield what the tree holds at each barrier of Algorithm 9, as it is in ``cl/primitives/blelloch_scan.cl``."""
    row = leaves(n)
    yield "elements", 0, list(row)
    strides = [1 << k for k in range(n.bit_length() - 1)]
    for stride in strides:
        for right in range(2 * stride - 1, n, 2 * stride):
            row[right] = joined(row[right - stride], row[right])
        yield "leaf to root", stride, list(row)
    yield "sum is read", 0, list(row)
    row[n - 1] = (0, 0)
    for stride in reversed(strides):
        for right in range(2 * stride - 1, n, 2 * stride):
            row[right - stride], row[right] = row[right], joined(row[right], row[right - stride])
        yield "root to leaf", stride, list(row)


def naive(n: int) -> Iterator[Step]:
    """Yield what each launch of Algorithm 8 leaves."""
    row, stride = leaves(n), 1
    yield "copy_elements", 0, row
    while stride < n:
        row = [joined(row[i - stride], each) if i >= stride and each[0] else each for i, each in enumerate(row)]
        yield "add_earlier", stride, row
        stride *= 2


def recursion(n: int) -> Iterator[Step]:
    """Yield what Algorithm 10 finds and leaves."""
    segments = range(0, n, SEGMENT)
    yield "elements", 0, leaves(n)
    yield "segment_sums", SEGMENT, [(i - i % SEGMENT, i + 1) for i in range(n)]
    yield "sums", SEGMENT, [(first, min(first + SEGMENT, n)) for first in segments]
    yield "segment_sums of sums", SEGMENT, [(0, first) for first in segments]
    yield "uniform_add", SEGMENT, [(0, i + 1) for i in range(n)]


# ---- what does come out -----------------------------------------------------------------------------


def items_of(values: Sequence[int]) -> np.ndarray:
    return np.array(values, ITEM) + ITEM.type(ELEMENT)


def run_sweeps(device: reedsp.Device, values: Sequence[int]) -> list[np.ndarray]:
    """Return the tree of one work-group at each barrier."""
    n, job = len(values), Job(device)
    macros = {"GROUP_SIZE": n // 2, "OF_SUMS": 1, "LEVELS": 2 * (n.bit_length() - 1) + 2}
    kernel = device.kernel("primitives/scan_trace.cl", "trace_sweep", **ELEMENTS.macros, **macros)
    levels = job.allocate(macros["LEVELS"] * n, ITEM)
    job.launch(kernel, n // 2, n // 2, job.upload(items_of(values)), levels)
    return list(job.download(levels, macros["LEVELS"] * n, ITEM).reshape(-1, n))


def scanned(device: reedsp.Device, values: Sequence[int], method: str, on_launch: Callable[[Launched], None]) -> None:
    """Scan, and have a function called after each launch."""
    job = Job(device)
    source, out, total = job.upload(items_of(values)), job.allocate(len(values), ITEM), job.allocate(1, ITEM)
    group_size = SEGMENT // 8 if method == "blelloch" else None
    plan = plan_scan(job, ELEMENTS, Buffers(source, source, out, total), len(values), method, group_size)
    with recording(on_launch):
        for kernel in plan:
            kernel.queue()


def items_at(launched: Launched, position: int, length: int) -> np.ndarray:
    """Return the first items of a buffer."""
    return launched.read(position).view(ITEM)[:length]


def run_naive(device: reedsp.Device, values: Sequence[int]) -> list[np.ndarray]:
    """Return the items after each round; the last launch only takes the values out of them."""
    rows: list[np.ndarray] = []
    scanned(device, values, "naive", lambda done: rows.append(items_at(done, max(done.buffers), len(values))))
    return rows[:-1]


def run_recursion(device: reedsp.Device, values: Sequence[int]) -> list[np.ndarray]:
    """Return the elements, and the prefixes and the sums of segments, after each launch that changes them."""
    n, segments = len(values), -(-len(values) // SEGMENT)
    rows = [items_of(values)]

    def keep(done: Launched) -> None:
        if len(rows) == 1:  # the segments, then their sums, and both together
            rows.extend([items_at(done, 2, n), items_at(done, 3, segments)])
        elif len(rows) == 3:
            rows.append(items_at(done, 2, segments))
        else:
            rows.append(items_at(done, 0, n))

    scanned(device, values, "blelloch", keep)
    return rows


ALGORITHMS = {
    "sweeps": (sweeps, run_sweeps, "trace_sweep"),
    "4.5 naive": (naive, run_naive, "add_earlier"),
    "recursion": (recursion, run_recursion, "blelloch_scan.cl"),
}


def row_of(picture: str, n: int, kernel: str, rounds: int, **rest: Any) -> Row:
    empty = dict.fromkeys(("round", "step", "stride", "place", "value", "elements", "changed", "complete"), "")
    return {"picture": picture, "n": n, "kernel": kernel, "rounds": rounds, **empty, "adds": "", **rest}


def trace(device: reedsp.Device, picture: str, values: Sequence[int]) -> list[Row]:
    """Run one algorithm, check what each round leaves, and return a row for each place of each round."""
    expected, run, kernel = ALGORITHMS[picture]
    steps, items = list(expected(len(values))), run(device, values)
    rounds = sum(stride > 0 for _, stride, _ in steps)
    rows, before = [], items[0]
    for number, ((step, stride, ranges), after) in enumerate(zip(steps, items, strict=True)):
        found = [(int(item) % ELEMENT, int(item) % ADDITION // ELEMENT) for item in after]
        if found != [(sum(values[first:end]), end - first) for first, end in ranges]:
            raise WrongAnswerError(f"{picture}: {step}, stride {stride}: {found}")
        comparable = picture != "recursion"
        adds = int(np.sum(~np.isin(after, before) & (after != 0))) if comparable else ""
        distance = SEGMENT if step in OF_SUMS else 1
        for place, (value, elements) in enumerate(found):
            rows.append(
                row_of(
                    picture,
                    *(len(values), kernel, rounds),
                    **{"round": number, "step": step, "stride": stride, "place": place},
                    **{"value": value, "elements": elements},
                    changed=int(after[place] != before[place]) if comparable else "",
                    complete=int(elements == min(len(values), (place + (step not in EXCLUSIVE)) * distance)),
                    adds=adds,
                )
            )
        before = after
    return rows


def of_figures(device: reedsp.Device) -> Iterator[Row]:
    """Yield the sweeps, and those of their rounds and values that are the parallel left fold."""
    rows = trace(device, "sweeps", VALUES)
    fold = [row for row in rows if row["step"] in ("elements", "leaf to root")]
    yield from ({**row, "picture": "4.3 parallel left fold"} for row in fold)
    for place in range(len(VALUES)):
        last = [row for row in fold if row["place"] == place and (row["changed"] or row["round"] == 0)][-1]
        yield {**last, "picture": "4.4 what the fold leaves"}
    yield from rows


def work(device: reedsp.Device, n: int) -> Iterator[Row]:
    """Yield how many additions each algorithm makes for n elements."""
    values = [1 + place % 9 for place in range(n)]
    for picture in ("4.5 naive", "sweeps"):
        rows = trace(device, picture, values)
        adds = sum(row["adds"] for row in rows if row["place"] == 0)
        yield row_of("work", n, rows[0]["kernel"], rows[0]["rounds"], adds=adds)


def cases(setting: Setting) -> list[Case]:
    largest = min(16 if setting.quick else 256, 2 * setting.device.max_work_group_size)
    sizes = itertools.takewhile(largest.__ge__, (8 << k for k in itertools.count()))
    return [
        ("figures 4.3 and 4.4, sweeps", partial(of_figures, setting.device)),
        ("figure 4.5", partial(trace, setting.device, "4.5 naive", VALUES)),
        ("recursion", partial(trace, setting.device, "recursion", RECURSION)),
        *((f"work for {n}", partial(work, setting.device, n)) for n in sizes),
    ]


# ---- the pictures -----------------------------------------------------------------------------------

ACTIVE, CLEARED, HANDED_DOWN, GREY = "#cfe2f3", "#fde0b2", "#b5451b", "#999999"
Drawn = dict[str, str]


def box(axes: Axes, x: float, y: float, text: str, fill: str = "white") -> None:
    axes.add_patch(Rectangle((x - 0.4, y - 0.3), 0.8, 0.6, facecolor=fill, edgecolor=INK, linewidth=0.8))
    axes.text(x, y, text, ha="center", va="center", fontsize=9, color=INK)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str = INK) -> None:
    """Draw an arrow from the lower edge of one box to the upper edge of another."""
    style = {"arrowstyle": "-|>", "color": color, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (end[0], end[1] + 0.3), (start[0], start[1] - 0.3), arrowprops=style)


def label(axes: Axes, x: float, y: float, text: str, side: str = "right") -> None:
    axes.text(x, y, text, ha=side, va="center", fontsize=8, color=INK)


def rounds_of(rows: list[Drawn], picture: str) -> list[list[Drawn]]:
    """Return the rows of each round that changes something, and of the elements."""
    chosen = [row for row in rows if row["picture"] == picture]
    rounds = [list(group) for _, group in itertools.groupby(chosen, lambda row: row["round"])]
    return [each for each in rounds if each[0]["round"] == "0" or any(row["changed"] != "0" for row in each)]


def clear(axes: Axes, title: str, lowest: float, left: float = -2.6, right: float = 7.6) -> None:
    axes.set(xlim=(left, right), ylim=(lowest - 0.6, 0.5))
    axes.axis("off")
    axes.set_title(title, fontsize=10)


def draw_fold(axes: Axes, rows: list[Drawn]) -> None:
    """Draw only what each round computes, and circle what each slot is left with."""
    place_of_last = {row["place"]: row for row in rows if row["picture"].startswith("4.4")}
    rounds = rounds_of(rows, "4.3 parallel left fold")
    for number, each in enumerate(rounds):
        y = -1.25 * number
        stride = int(each[0]["stride"])
        label(axes, -0.75, y, f"stride {stride}" if number else "elements")
        for row in each:
            if number and row["changed"] == "0":
                continue
            x = int(row["place"])
            if number:
                arrow(axes, (x - stride, y + 1.25), (x, y))
                arrow(axes, (x, y + 1.25), (x, y))
            box(axes, x, y, row["value"], ACTIVE if number else "white")
            last = place_of_last[row["place"]]
            if last["round"] == row["round"]:
                line_style = "-" if last["complete"] == "1" else (0, (2, 2))
                axes.add_patch(Ellipse((x, y), 0.98, 0.94, fill=False, linestyle=line_style, linewidth=1.3))
    lowest = -1.25 * (len(rounds) - 1)
    label(axes, -2.5, lowest - 0.75, "last value of a slot: solid, a prefix sum; dashed, incomplete", "left")
    clear(axes, "Parallel left fold (figures 4.3 and 4.4)", lowest - 0.5)


def draw_naive(axes: Axes, rows: list[Drawn]) -> None:
    rounds = rounds_of(rows, "4.5 naive")
    for number, each in enumerate(rounds):
        y, stride = -1.25 * number, int(each[0]["stride"])
        label(axes, -0.75, y, f"stride {stride},\nadditions: {each[0]['adds']}" if number else "elements")
        for row in each:
            x, active = int(row["place"]), number > 0 and row["changed"] == "1"
            if active:
                arrow(axes, (x - stride, y + 1.25), (x, y), GREY)
                arrow(axes, (x, y + 1.25), (x, y))
            box(axes, x, y, row["value"], ACTIVE if active else "white")
    clear(axes, "Naive scan (figure 4.5, Algorithm 8)", -1.25 * (len(rounds) - 1))


def draw_sweeps(axes: Axes, rows: list[Drawn]) -> None:
    rounds = rounds_of(rows, "sweeps")
    for number, each in enumerate(rounds):
        y, stride = -1.25 * number, int(each[0]["stride"])
        changed = [int(row["place"]) for row in each if row["changed"] == "1"] if number else []
        down = each[0]["step"] == "root to leaf"
        from_root = down and each[0]["adds"] == "0"  # the root is cleared in the same round
        step = "root cleared, then" if from_root else f"{each[0]['step']},"
        label(axes, -0.75, y, f"{step}\nstride {stride},\nadditions: {each[0]['adds']}" if number else "elements")
        for right in changed[1::2] if down else changed:
            if not from_root:
                arrow(axes, (right, y + 1.25), (right, y))
            if down and not from_root:
                arrow(axes, (right, y + 1.25), (right - stride, y), HANDED_DOWN)
            arrow(axes, (right - stride, y + 1.25), (right, y))
        for row in each:
            fill = ACTIVE if int(row["place"]) in changed else "white"
            box(axes, int(row["place"]), y, row["value"], CLEARED if row["elements"] == "0" else fill)
    clear(axes, "Work-efficient scan: both sweeps (Algorithm 9)", -1.25 * (len(rounds) - 1))


def draw_recursion(axes: Axes, rows: list[Drawn]) -> None:
    elements, local, sums, offsets, result = rounds_of(rows, "recursion")
    n, segment = len(elements), int(local[0]["stride"])
    names = ("elements", "segment_sums", "uniform_add")
    for y, name, each in zip((0.0, -1.3, -3.9), names, (elements, local, result), strict=True):
        label(axes, -0.75, y, name)
        for row in each:
            shaded = int(row["place"]) // segment % 2 == 0
            box(axes, int(row["place"]), y, row["value"], ACTIVE if shaded else "white")
    label(axes, -0.75, -2.6, "scan of the sums\nby the same kernel")
    for number, (total, offset) in enumerate(zip(sums, offsets, strict=True)):
        first, last = number * segment, min(n, (number + 1) * segment) - 1
        x = n + 0.6 + number
        box(axes, x, -1.3, total["value"])
        box(axes, x, -2.6, offset["value"], ACTIVE)
        arrow(axes, (x, -1.3), (x, -2.6))
        height = -0.88 + 0.16 * number
        axes.plot([last, last, x, x], [-1.0, height, height, -1.0], color=GREY, linewidth=0.8)
        for place in range(first, last + 1):
            arrow(axes, (place, -1.3), (place, -3.9), GREY)
        axes.text((first + last) / 2, -2.6, f"+ {offset['value']}", ha="center", va="center", backgroundcolor="white")
    label(axes, n + 0.5 + len(sums), -1.3, "sums", "left")
    title = f"Recursion over segments of {segment} elements (Algorithm 10)"
    clear(axes, title, -3.9, -3.6, n + 1.8 + len(sums))


def draw_work(axes: Axes, rows: list[Drawn]) -> None:
    measured = [row for row in rows if row["picture"] == "work"]
    for number, (kernel, name) in enumerate((("add_earlier", "naive"), ("trace_sweep", "work-efficient"))):
        points = [
            (float(row["n"]), float(row["adds"]) / float(row["n"])) for row in measured if row["kernel"] == kernel
        ]
        line(axes, points, name, number)
    sizes = sorted({float(row["n"]) for row in measured})
    bounds = {"n log n / 2: bound of 4.2.1": [np.log2(n) / 2 for n in sizes], "3 n of 4.2.3": [3.0 for _ in sizes]}
    for (name, heights), marker in zip(bounds.items(), "sD", strict=True):
        axes.plot(sizes, heights, label=name, marker=marker, linestyle=":", **PUBLISHED)
    axes.set_ylim(0, None)
    finish(axes, "elements n", "additions for each element", "Additions made", log="x")
    axes.set_xscale("log", base=2)


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw each traced run as rows of boxes: shaded where the round has changed them."""
    figure = Figure(figsize=(12.5, 11.0), layout="constrained")
    wide, narrow = ["recursion"] * 7, ["work"] * 3
    layout = [["fold"] * 5 + ["sweeps"] * 5, ["naive"] * 5 + ["sweeps"] * 5, wide + narrow]
    axes = figure.subplot_mosaic(layout, height_ratios=(5.3, 4.6, 4.4))
    draw_fold(axes["fold"], rows)
    draw_naive(axes["naive"], rows)
    draw_sweeps(axes["sweeps"], rows)
    draw_recursion(axes["recursion"], rows)
    draw_work(axes["work"], rows)
    figure.suptitle(f"Scans as traced on {device_of(rows)}", fontsize=11)
    return figure


EXPERIMENT = Experiment(
    "Scans, round by round, traced from their kernels (thesis figures 4.3 to 4.5, Algorithms 8 to 10)", cases, plot
)
