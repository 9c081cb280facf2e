"""PRAM programs compiled to OpenCL: launches and time by method and optimisation (chapter 4 of Dulle's thesis).

The thesis measures neither. It says that the bitset method suffers from few active processors, less if they lie
together (4.2.1), that the list method pays for conditions (4.2.2), and that each optimisation saves launches or
transfers (4.3). The first subject is a condition that a share of the processors fulfils, with 16 assignments below it;
the others are connected components and a scan, without optimisations, with each alone, with all but one, and with all.
Times are those of whole calls, arrays copied there and back, and of the steps alone; answers are compared with numpy
and SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import bars, device_of, finish, line, panels
from reedsp import pram

SEED = 2016
REPEATS = 5
METHODS: tuple[Literal["bitset", "list"], ...] = ("bitset", "list")
SHARES = (1, 4, 16, 64, 256)  # one processor in so many is active
ASSIGNMENTS = 16
SETS: dict[str, Any] = {
    "none": (),
    **{name: (name,) for name in pram.OPTIMIZATIONS},
    **{f"all but {name}": set(pram.OPTIMIZATIONS) - {name} for name in pram.OPTIMIZATIONS},
    "all": "all",
}

SHARED = pram.from_text(
    "def shared(p, n, chosen: boolean[:], A: int64[:]):\n    x = p\n    if chosen[p]:\n"
    + "        x = x * 5 + 1\n" * ASSIGNMENTS
    + "        A[p] = x\n"
)


def compare(result: pram.Result, name: str, expected: Any) -> None:
    if not np.array_equal(result[name], expected):
        raise WrongAnswerError(f"{name}: {np.count_nonzero(result[name] != expected)} wrong elements")


def row(
    subject: str,
    setting: tuple[reedsp.Device, int],
    program: pram.Program,
    n: int,
    method: Literal["bitset", "list"],
    chosen: str,
    given: dict[str, Any],
    check: Callable[[pram.Result], None],
    share: int = 1,
    layout: str = "together",
) -> Row:
    device, repeats = setting
    solve = partial(program.run, n, method=method, optimizations=SETS[chosen], device=device, **given)
    searches: list[float] = []

    def checked(found: pram.Result) -> None:
        check(found)
        searches.append(found.stats["phases"]["search"])

    result, times = measure(solve, checked, repeats)
    return {
        "subject": subject,
        "n": n,
        "method": method,
        "optimizations": chosen,
        "one_active_in": share,
        "layout": layout,
        "seed": SEED,
        "launches": result.stats["kernels_launched"],
        "assignments": result.stats["assignments"],
        "branches": result.stats["branches"],
        "set_launches": result.stats["set_launches"],
        "copies": result.stats["copies"],
        "words_read": result.stats["words_read"],
        **times,
        "steps_ms": round(min(searches[1:]), 4),
    }


def rows_of_shares(setting: tuple[reedsp.Device, int], n: int, share: int, layout: str) -> Iterator[Row]:
    chosen = np.zeros(n, bool)
    if layout == "together":
        chosen[: n // share] = True
    else:
        chosen[np.random.default_rng(SEED).permutation(n)[: n // share]] = True
    x = np.arange(n)
    for _ in range(ASSIGNMENTS):
        x = x * 5 + 1
    check = partial(compare, name="A", expected=np.where(chosen, x, 0))
    given = {"chosen": chosen, "A": np.zeros(n, np.int64)}
    for method in METHODS:
        yield row("active share", setting, SHARED, n, method, "in place", given, check, share, layout)


def rows_of_components(setting: tuple[reedsp.Device, int], n: int, chosen: str) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    edges = np.zeros((n, n), bool)
    edges[rng.integers(0, n, n // 2), rng.integers(0, n, n // 2)] = True
    edges |= edges.T
    _, labels = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(edges), directed=False)
    _, first = np.unique(labels, return_index=True)
    check = partial(compare, name="C", expected=first[labels])
    given = {"A": edges.ravel(), "C": np.zeros(n, np.int64)}
    for method in METHODS:
        yield row("components", setting, pram.examples.components, n, method, chosen, given, check)


def rows_of_scan(setting: tuple[reedsp.Device, int], n: int, chosen: str) -> Iterator[Row]:
    values = np.random.default_rng(SEED).integers(-99, 99, n)
    check = partial(compare, name="A", expected=values.cumsum())
    for method in METHODS:
        yield row("scan", setting, pram.examples.efficient_scan, n // 2, method, chosen, {"A": values}, check)


def cases(setting: Setting) -> list[Case]:
    on = (setting.device, 1 if setting.quick else REPEATS)
    n, vertices = (1 << 10, 16) if setting.quick else (1 << (20 if setting.device.kind == "cpu" else 24), 64)
    found: list[Case] = [
        (f"one of {share} {layout}", partial(rows_of_shares, on, n, share, layout))
        for share in SHARES
        for layout in ("together", "scattered")
    ]
    for chosen in SETS:
        found.append((f"components, {chosen}", partial(rows_of_components, on, vertices, chosen)))
        found.append((f"scan, {chosen}", partial(rows_of_scan, on, n, chosen)))
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time against the share of active processors, and by optimisation."""
    figure, axes = panels(3, width=9.0, height=3.4, below=True)
    number = 0
    for method in METHODS:
        for layout in ("together", "scattered"):
            points = sorted(
                (1 / float(each["one_active_in"]), float(each["steps_ms"]))
                for each in rows
                if (each["subject"], each["method"], each["layout"]) == ("active share", method, layout)
            )
            line(axes[0], points, f"{method}, {layout}", number)
            number += 1
    finish(
        axes[0],
        "share of active processors",
        "milliseconds of the steps",
        f"{ASSIGNMENTS} assignments: {device_of(rows)}",
    )
    for place, subject in zip(axes[1:], ("components", "scan"), strict=True):
        times = {
            (each["method"], each["optimizations"]): float(each["steps_ms"])
            for each in rows
            if each["subject"] == subject
        }
        series = {method: [times.get((method, chosen)) for chosen in SETS] for method in METHODS}
        bars(place, list(SETS), series, "milliseconds of the steps")
        place.set_title(f"{subject}, by optimisation", fontsize=10)
        place.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("PRAM programs: methods and optimisations (Dulle, sections 4.2 and 4.3)", cases, plot)
