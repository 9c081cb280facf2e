"""What Busato and Bombieri say of load balancing (section 5, figures 12 to 15), and what the results say to it.

What they say of breadth-first search and of paths is in ``busato_bombieri_levels`` and ``busato_bombieri_paths``.
"""

from __future__ import annotations

from experiments.report.claims.claim import FAILS, GPU, HOLDS, LIMITED, Claim, Evidence, rows, times

KINDS = {
    "USA-road-d.NY": "New York",
    "grid": "grid",
    "web-NotreDame": "web-NotreDame",
    "few long rows": "few long rows",
    "R-MAT": "R-MAT",
}
"""The beginnings of the names of graphs."""

CLOSE = 1.15
"""Within this factor times are close to each other; beyond it one is slower. Who is first, the least time decides."""

ROADS = ("USA-road-d.NY", "grid")
WEB, ROWS, R_MAT = "web-NotreDame", "few long rows", "R-MAT"
WIDTHS = [f"virtual-warps-{width}" for width in (2, 4, 8, 16, 32)]
STATIC = ["items", *WIDTHS]
DYNAMIC = ("cta-warp-scan", "two-phase", "multi-phase")
NO_QUEUE = "dynamic-virtual-warps, no queue"


def milliseconds(kind: str) -> dict[str, float]:
    """Return the times of all rungs by themselves on one kind of graph, the fastest first."""
    found = [row for row in rows(GPU, "balance", what="expansion") if row["graph"].startswith(kind)]
    return dict(sorted(((row["rung"], float(row["min_ms"])) for row in found), key=lambda each: each[1]))


def place(kind: str, rung: str) -> str:
    """Say which place a rung has, and how many times the fastest one's time it takes."""
    number = list(milliseconds(kind)).index(rung) + 1
    return f"{KINDS[kind]}: {rung} no. {number}, {times(against_fastest(kind, rung))} the fastest"


def against_fastest(kind: str, rung: str) -> float:
    found = milliseconds(kind)
    return found[rung] / min(found.values())


def items_on_roads() -> Evidence:
    shown = [place(kind, rung) for kind in ROADS for rung in ("items", "multi-phase")]
    near = all(against_fastest(kind, "items") < CLOSE for kind in ROADS)
    return "; ".join(shown), near and all(against_fastest(kind, "multi-phase") > CLOSE for kind in ROADS)


def multi_phase_on_the_web() -> Evidence:
    return place(WEB, "multi-phase"), against_fastest(WEB, "multi-phase") > CLOSE


def widths_on_the_web() -> Evidence:
    found = milliseconds(WEB)
    shown = ", ".join(f"{width.removeprefix('virtual-warps-')}: {found[width]:.3g} ms" for width in WIDTHS)
    best = min(WIDTHS, key=found.__getitem__)
    return f"mean degree 4.6; {shown}", best == "virtual-warps-4" and found["virtual-warps-32"] > 2 * found[best]


def cta_warp_scan_is_slow() -> Evidence:
    kinds = (*ROADS, WEB)
    shown = "; ".join(place(kind, "cta-warp-scan") for kind in kinds)
    slow = [against_fastest(kind, "cta-warp-scan") > CLOSE for kind in kinds]
    return shown, any(slow) and not all(slow)


def static_on_long_rows() -> Evidence:
    found = milliseconds(ROWS)
    slowest, quickest = (choose(found[rung] for rung in STATIC) for choose in (max, min))
    shown = [f"{rung}: {times(slowest / found[rung])} and {times(quickest / found[rung])}" for rung in DYNAMIC]
    text = f"faster than the slowest and the fastest static one: {'; '.join(shown)}"
    return text, against_fastest(ROWS, "multi-phase") < CLOSE and slowest > 10 * found["multi-phase"] > quickest


def cta_warp_scan_on_r_mat() -> Evidence:
    shown = "; ".join(place(R_MAT, rung) for rung in ("cta-warp-scan", "multi-phase"))
    return shown, next(iter(milliseconds(R_MAT))) == "cta-warp-scan" and against_fastest(R_MAT, "multi-phase") > CLOSE


def dynamic_width_on_r_mat() -> Evidence:
    found = milliseconds(R_MAT)
    ratio = found["dynamic-virtual-warps"] / found["virtual-warps-32"]
    return f"R-MAT: {times(ratio)} the time of virtual-warps-32", ratio > CLOSE


def searches_are_worst() -> Evidence:
    shown = [place(kind, rung) for kind in KINDS for rung in ("direct-search", "block-search")]
    worst = list(milliseconds(R_MAT))[-2:]
    return "; ".join(shown), set(worst) == {"direct-search", "block-search"} and against_fastest(ROWS, "items") > 10


def queue_of_large_items() -> Evidence:
    ratios = {kind: milliseconds(kind)[NO_QUEUE] / milliseconds(kind)["dynamic-virtual-warps"] for kind in KINDS}
    shown = ", ".join(f"{KINDS[kind]} {times(ratio)}" for kind, ratio in ratios.items())
    return f"gain by the queue of large items: {shown}", ratios[ROWS] > 10


BUSATO_BOMBIERI = [
    Claim(
        *("5, figure 12", "On a road network items to threads are best, multi-phase is second", "balance"),
        *(items_on_roads, LIMITED),
        "A work-item an item is best, or close to it; but nothing has to be shared out, so that searches do not pay",
    ),
    Claim(
        *("5, figure 13", "On web-NotreDame multi-phase is best, almost twice as fast as the next", "balance"),
        *(multi_phase_on_the_web, FAILS),
        "The graph is in the second cache of such a device, and the fewest barriers win",
    ),
    Claim(
        *("5, figure 13", "Virtual warps are good only if their size suits the mean degree", "balance"),
        *(widths_on_the_web, HOLDS),
        "",
    ),
    Claim(
        *("5, figures 12 and 13", "CTA + warp + scan is slow where degrees are small", "balance"),
        *(cta_warp_scan_is_slow, LIMITED),
        "Not on New York, and elsewhere by less than half: ours has no votes, but a queue of large items",
    ),
    Claim(
        "5, figure 14",
        "On circuit5M CTA + warp + scan, two-phase and multi-phase are 10 times as fast as static rungs, the last best",
        *("balance", static_on_long_rows, LIMITED),
        "Ten times and more against items and narrow warps; wide virtual warps come closer",
    ),
    Claim(
        *("5, figure 15", "On kron_g500-logn20 CTA + warp + scan is best, and multi-phase close", "balance"),
        *(cta_warp_scan_on_r_mat, LIMITED),
        "It is the best, but multi-phase is not close",
    ),
    Claim(
        *("5, figure 15", "There dynamic virtual warps are as virtual warps of 32", "balance"),
        *(dynamic_width_on_r_mat, FAILS),
        "All vertices at once are more than the work-items of a launch, so that the narrowest width is chosen",
    ),
    Claim(
        *("5", "Direct search and block search are much worse than the others, in all figures", "balance"),
        *(searches_are_worst, LIMITED),
        "On the graph like kron they are last; on roads others take as long, and where rows are long items are worse",
    ),
    Claim(
        *("5.2.1", "Dynamic parallelism never pays", "balance"),
        *(queue_of_large_items, FAILS),
        "A queue of large items, which stands in its place, pays where rows are long and costs nothing elsewhere",
    ),
]
