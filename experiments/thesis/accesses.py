"""What section 3.2 of the thesis says of memory, and figure 4.2, one question after the other.

Each question has variants, which take turns; each is launched for some milliseconds. Some results of every launch are
compared with what numpy makes of the same table. Rates count what the kernel asks for, not what the device moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import LINES, bars, device_of, finish, line
from experiments.thesis.access_kernels import MOST_STEPS, WORDS, Access, Chains, Memory

ENOUGH = 3e-3  # seconds of a launch
MOST_LAUNCHES = 64
GPU_GROUP, GPU_ITEMS, GPU_TABLE = 256, 2048, 1 << 29  # items of a compute unit; bytes
CPU_GROUP, CPU_ITEMS, CPU_TABLE = 64, 512, 1 << 27
CHAINS = (1 << 14, 1 << 18, 1 << 22, 1 << 28)  # bytes
STRIDES = (1, 2, 4, 8, 16, 32, 64)
LOCAL_STRIDES = (1, 2, 4, 8, 16, 32, 33)
RAISED = (1, 32, 1024, 1 << 15)
PADDED = {1024: 1040, 4096: 4112}  # words of a row, a multiple of what banks and channels have, and half a line more
TILE, SIDE, PRODUCT_SIDE = 32, 4096, 512
SMALL_TABLE, SMALL_ITEMS = 1 << 20, 16


def memory_of(setting: Setting) -> Memory:
    """Return a table that is larger than caches, and some work-items for each compute unit."""
    device = setting.device
    is_cpu = device.kind == "cpu"
    size, items, group = (CPU_TABLE, CPU_ITEMS, CPU_GROUP) if is_cpu else (GPU_TABLE, GPU_ITEMS, GPU_GROUP)
    if setting.quick:
        size, items, group = SMALL_TABLE, SMALL_ITEMS, min(SMALL_ITEMS, group)
    room = min(size, device.max_allocation, device.global_memory // 8)
    group = min(group, 1 << device.max_work_group_size.bit_length() - 1)
    return Memory(device, 1 << room.bit_length() - 1, items * device.compute_units, group)


Variants = dict[tuple[str, float], Access]


def word_sizes(memory: Memory) -> Variants:
    return {("", size): memory.words(size) for size in WORDS}


def alignment(memory: Memory) -> Variants:
    """Four words, where the compiler knows how they lie, where it does not, and where they lie badly."""
    return {
        ("as one word", 0): memory.words(16),
        **{("as four words", 4 * shift): memory.records(4, 4, shift, vload=True) for shift in (0, 1, 2)},
    }


def record_sizes(memory: Memory) -> Variants:
    """Read records of 12 and of 20 bytes, with and without some more that make them 16 and 32."""
    lengths = ((3, 3), (3, 4), (4, 4), (5, 5), (5, 8), (8, 8))
    return {(f"{4 * length} bytes", 4 * apart): memory.records(length, apart) for length, apart in lengths}


def strides(memory: Memory) -> Variants:
    return {("", stride): memory.neighbours(stride) for stride in STRIDES}


def orders(memory: Memory) -> Variants:
    return {
        ("in order", 0): memory.neighbours(1),
        ("in another order", 0): memory.neighbours(1, factor=5),
        ("one word off", 0): memory.neighbours(1, shift=1),
    }


def columns(memory: Memory) -> Variants:
    """Neighbours in a column, whose rows have a power of 2 of words or some more, and neighbours in a row."""
    lengths = [length for pair in PADDED.items() for length in pair]
    items = memory.size // 4 // max(lengths) // memory.group * memory.group
    steps = min(lengths)
    found = {("along a row", 0): memory.lines(items, 1, items, steps)}
    found |= {("down a column", length): memory.lines(items, length, 1, steps) for length in lengths}
    return found


def same_word(memory: Memory) -> Variants:
    return {("read by all", 0): memory.same(staged=False), ("read by one", 0): memory.same(staged=True)}


def raised(memory: Memory) -> Variants:
    return {("", words): memory.raised(words) for words in RAISED}


def banks(memory: Memory) -> Variants:
    return {("", stride): memory.local(stride) for stride in LOCAL_STRIDES}


def tiles(memory: Memory, side: int, product_side: int, tile: int) -> Variants:
    """Kernels that read a tile down its columns, and Algorithm 5, which does not."""
    found: Variants = {}
    for pad in (0, 1):
        found["transposition", pad] = memory.transposed(side, tile, pad)
        found["product, by columns", pad] = memory.product(product_side, tile, pad, transposed=True)
        found["product, by rows", pad] = memory.product(product_side, tile, pad, transposed=False)
    return found


def latencies(setting: Setting, size: int) -> Variants:
    """Chains of reads, of more and more work-items of each compute unit."""
    device, chains = setting.device, Chains(setting.device, size)
    largest = SMALL_ITEMS if setting.quick else CPU_ITEMS if device.kind == "cpu" else GPU_ITEMS
    most = CPU_GROUP if device.kind == "cpu" else GPU_GROUP
    found: Variants = {}
    for power in range(largest.bit_length()):
        each = 1 << power
        group = min(each, most, 1 << device.max_work_group_size.bit_length() - 1)
        found[f"{size} bytes", each] = chains.followed(each * device.compute_units, group)
    return found


# ---- how long it takes ------------------------------------------------------------------------------


def run(launch: Any, access: Access, launches: int) -> None:
    for _ in range(launches):
        launch.queue()
    access.job.finish()


def enough(access: Access, steps: int = 0) -> tuple[int, int]:
    """Return steps, unless they are given, and launches that take some milliseconds."""
    most = min(steps or MOST_STEPS, access.most_steps)
    steps = most if access.whole else min(steps or 4, most)
    while True:
        launch = access.launch(steps)
        run(launch, access, 1)
        started = time.perf_counter()
        run(launch, access, 1)
        seconds = time.perf_counter() - started
        if seconds >= ENOUGH or steps == most:
            return steps, int(np.clip(ENOUGH / seconds, 1, MOST_LAUNCHES))
        steps = min(most, steps * int(np.clip(1.5 * ENOUGH / seconds, 2, 32)))


def sizes_of(variants: Variants) -> dict[tuple[str, float], tuple[int, int]]:
    """Return steps and launches of each: as many steps for all, if they differ in nothing but where they read."""
    sizes = {key: enough(access) for key, access in variants.items()}
    if len({(access.accesses, access.whole) for access in variants.values()}) == 1:
        steps = min(steps for steps, _ in sizes.values())
        sizes = {key: enough(access, steps) for key, access in variants.items()}
    return sizes


def rows(setting: Setting, question: str, make: Callable[[], Variants], repeats: int) -> Iterator[Row]:
    variants = make()
    few = {key: (min(4, access.most_steps), 1) for key, access in variants.items()}
    sizes = few if setting.quick else sizes_of(variants)

    def checked(key: tuple[str, float], access: Access) -> tuple[Callable[[], None], Callable[[None], None]]:
        steps, launches = sizes[key]
        is_right = access.check(steps, launches)

        def check(_: None) -> None:
            if not is_right():
                raise WrongAnswerError(f"{question}: {key}")

        return partial(run, access.launch(steps), access, launches), check

    times = measure_in_turn([checked(*each) for each in variants.items()], repeats)
    for ((variant, x), access), each in zip(variants.items(), times, strict=True):
        steps, launches = sizes[variant, x]
        accesses = access.accesses * steps * launches
        rate = accesses / each["min_ms"] / 1e6
        yield {
            **{"question": question, "variant": variant, "x": x, "bytes": access.bytes},
            **{"steps": steps, "launches": launches, "accesses": accesses, **each},
            "gigaaccesses_per_second": f"{rate:.4g}",
            "gigabytes_per_second": f"{rate * access.bytes:.4g}",
        }


QUESTIONS: dict[str, Callable[[Memory], Variants]] = {
    "word size": word_sizes,
    "alignment": alignment,
    "record size": record_sizes,
    "stride": strides,
    "order": orders,
    "column": columns,
    "same word": same_word,
    "raised words": raised,
    "bank": banks,
}
"""Those of one table; latencies and tiles are the others."""


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 25
    made: list[Memory] = []

    def of_memory(find: Callable[[Memory], Variants]) -> Variants:
        made.extend([memory_of(setting)] * (not made))
        return find(made[0])

    side, product_side, tile = (32, 16, 8) if setting.quick else (SIDE, PRODUCT_SIDE, TILE)
    found = {**QUESTIONS, "tile": partial(tiles, side=side, product_side=product_side, tile=tile)}
    return [
        *((name, partial(rows, setting, name, partial(of_memory, find), repeats)) for name, find in found.items()),
        *(
            (f"latency, {size} bytes", partial(rows, setting, "latency", partial(latencies, setting, size), repeats))
            for size in ((SMALL_TABLE,) if setting.quick else CHAINS)
        ),
    ]


# ---- the picture ------------------------------------------------------------------------------------


def points(rows: list[dict[str, str]], question: str, variant: str, column: str) -> list[tuple[float, float]]:
    chosen = [row for row in rows if (row["question"], row["variant"]) == (question, variant)]
    return [(float(row["x"]), float(row[column])) for row in chosen]


def draw_lines(
    axes: Axes, rows: list[dict[str, str]], question: str, names: dict[str, str], x: str, y: str, log: str = "y"
) -> None:
    """Draw a line for each variant that has a name."""
    for number, (variant, name) in enumerate(names.items()):
        line(axes, points(rows, question, variant, COLUMNS[y]), name, number)
    axes.set_xscale("log", base=2)
    finish(axes, x, y, question, log=log)


def draw_bars(axes: Axes, rows: list[dict[str, str]], questions: dict[str, str]) -> None:
    """Draw all variants of some questions, as parts of the first one of each."""
    names, heights = [], []
    for question, unit in questions.items():
        own = [row for row in rows if row["question"] == question]
        for row in own:
            names.append(row["variant"] + (unit.format(row["x"]) if float(row["x"]) else ""))
            heights.append(float(row[COLUMNS[ACCESSES]]) / float(own[0][COLUMNS[ACCESSES]]))
    axes.barh(names, heights, color=LINES[0]["color"])
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_title(", ".join(questions), fontsize=10)
    axes.set_xlabel("speed, against the first of each")


ACCESSES, BYTES = "10^9 accesses a second", "GB/s"
COLUMNS = {ACCESSES: "gigaaccesses_per_second", BYTES: "gigabytes_per_second"}


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw each question by itself."""
    figure = Figure(figsize=(9.4, 9.0), layout="constrained")
    panes = list(figure.subplots(3, 3).flat)
    draw_lines(panes[0], rows, "word size", {"": "_"}, "bytes of a word", BYTES)
    chains = dict.fromkeys(row["variant"] for row in rows if row["question"] == "latency")
    named = {chain: f"{int(chain.split()[0]) >> 10:,} KiB" for chain in chains}
    draw_lines(panes[1], rows, "latency", named, "work-items a compute unit", ACCESSES)
    panes[1].set_ylim(panes[1].get_ylim()[0] / 30, None)  # room for the names
    panes[1].legend(fontsize=8, frameon=False, loc="lower right")
    draw_lines(panes[2], rows, "stride", {"": "_"}, "words between neighbours", ACCESSES)
    draw_bars(panes[3], rows, {"alignment": ", {} bytes off", "same word": ""})
    draw_bars(panes[4], rows, {"record size": " in {}"})
    draw_bars(panes[5], rows, {"order": "", "column": " of {} words"})
    draw_lines(panes[6], rows, "raised words", {"": "_"}, "words", ACCESSES)
    draw_lines(panes[7], rows, "bank", {"": "_"}, "words between neighbours", ACCESSES, log="")
    panes[7].set_ylim(0, 1.25 * panes[7].get_ylim()[1])
    tiles = [row for row in rows if row["question"] == "tile"]
    series: dict[str, list[float | None]] = {}
    for row in tiles:
        series.setdefault("padded" if float(row["x"]) else "not padded", []).append(float(row["min_ms"]))
    bars(panes[8], list(dict.fromkeys(row["variant"] for row in tiles)), series, "milliseconds")
    panes[8].set_title("tile", fontsize=10)
    panes[8].legend(fontsize=8, frameon=False)
    figure.suptitle(f"How memory is read: {device_of(rows)}", fontsize=11)
    return figure


EXPERIMENT = Experiment(
    "How memory is read: words, neighbours, latency and banks (thesis 3.2, figure 4.2)", cases, plot
)
