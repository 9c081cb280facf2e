"""What Lund and Smith say that can be checked, and what the committed results say to it."""

from __future__ import annotations

import math

from experiments.report import published
from experiments.report.claims.claim import (
    FAILS,
    GPU,
    HOLDS,
    LIMITED,
    Claim,
    Evidence,
    Judged,
    by_devices,
    ms,
    number,
    rows,
    slope,
    times,
    verdict_of,
)

ALIKE = 1.1
"""Times that differ by less are the same."""


def table_ms(method: str, n: int) -> float:
    return ms(GPU, "floyd_warshall", method=method, n=n, kind="float64" if method == "cpu" else "float32")


def gain(slow: str, fast: str, n: int = 16384) -> tuple[float, float]:
    """Return how many times faster one method is than another, in the paper and here."""
    paper = published.LUND_SMITH_SECONDS[slow][n] / published.LUND_SMITH_SECONDS[fast][n]
    return paper, table_ms(slow, n) / table_ms(fast, n)


def compared(slow: str, fast: str, low: float, high: float, n: int = 16384) -> Evidence:
    """Say whether the gain lies in an interval."""
    paper, here = gain(slow, fast, n)
    return f"n = {n:,}: {times(paper)} in table 1, {times(here)} on the H200", low <= here <= high


def over_the_sizes() -> Evidence:
    sizes = sorted(set(published.LUND_SMITH_SECONDS["katz-kider"]) & set(published.LUND_SMITH_SECONDS["staged-load"]))
    gains = {
        n: published.LUND_SMITH_SECONDS["katz-kider"][n] / published.LUND_SMITH_SECONDS["staged-load"][n] for n in sizes
    }
    here = gain("katz-kider", "staged-load")[1]
    in_paper = ", ".join(f"{times(gains[n])} at n = {n:,}" for n in (sizes[0], sizes[-1]))
    return f"table 1: {in_paper}; H200: {times(here)} at n = {sizes[-1]:,}", here < 4


def faster_than_cpu() -> Evidence:
    paper = published.LUND_SMITH_SECONDS["cpu"][4096] / published.LUND_SMITH_SECONDS["staged-load"][4096]
    here = table_ms("cpu", 2048) / table_ms("staged-load", 2048)
    return f"{times(paper)} at n = 4,096 in table 1; {times(here)} at n = 2,048 here", here > 150


def headroom() -> Evidence:
    ratio = table_ms("staged-load", 16384) / table_ms("blocked", 16384)
    return f"H200, n = 16,384: the blocked kernel of this library is {times(ratio)} the staged one", ratio > 1.5


def cubic() -> Evidence:
    sizes = (8192, 16384)
    exponent = slope([(n, table_ms("staged-load", n)) for n in sizes])
    per_task = table_ms("staged-load", 16384) / 1e3 / 16384**3
    paper = published.LUND_SMITH_SECONDS["staged-load"][16384] / 16384**3
    return (
        f"H200, 8,192 to 16,384: n^{exponent:.2f}; {per_task:.2g} s a task, {paper:.2g} in table 1",
        2.8 < exponent < 3.2,
    )


def ceiling(column: str, method: str) -> float:
    return number(GPU, "ceilings", column, method=method)


def bandwidth_limited() -> Evidence:
    paper, here = (ceiling(column, "harish-narayanan") for column in ("paper_of_bandwidth", "of_bandwidth"))
    return f"{paper:.0%} of the speed of a copy in the paper, {here:.0%} on the H200", here > 0.7


def arithmetic_limited() -> Evidence:
    tile = 32
    bound = tile * ceiling("bandwidth_gigatasks_per_second", "katz-kider")
    of_copy = ceiling("gigatasks_per_second", "katz-kider") / bound
    paper, of_arithmetic = (ceiling(column, "katz-kider") for column in ("paper_of_ceiling", "of_ceiling"))
    return (
        f"H200: {of_copy:.0%} of what the speed of a copy would allow, {of_arithmetic:.0%} of the additions and minima "
        f"that the device can do ({paper:.0%} in the paper)",
        of_copy < 0.5 and of_arithmetic < 0.5,
    )


def any_structure(device: str) -> Judged:
    """Compare graphs that took turns: of each density with each kind of weights."""
    parts, spreads = [], {}
    for method in ("staged-load", "blocked"):
        found = [float(row["min_ms"]) for row in rows(device, "density", method=method)]
        spreads[method] = max(found) / min(found)
        parts.append(f"{method} {times(spreads[method])}")
    row = rows(device, "density")[0]
    text = f"n = {int(row['n']):,}, {len(found)} graphs, the longest time over the shortest: {', '.join(parts)}"
    return text, verdict_of(spreads["staged-load"] < ALIKE)


def stated_rate() -> Evidence:
    rates = {n: n**3 / published.LUND_SMITH_SECONDS["staged-load"][n] / 1e9 for n in (4096, 16384)}
    text = ", ".join(f"{rate:.1f} at n = {n:,}" for n, rate in rates.items())
    return f"10^9 tasks per second from table 1: {text}", rates[4096] < 74 < 80 < rates[16384]


LUND_SMITH: list[Claim] = [
    Claim(
        "1",
        "The staged kernel is about 5 times as fast as that of Katz and Kider.",
        "floyd_warshall",
        over_the_sizes,
        LIMITED,
        "Local memory no longer keeps a multiprocessor to one block, which was what the staging cured.",
    ),
    Claim(
        "2",
        "Katz and Kider's blocked kernel is 5 to 6.5 times as fast as Harish and Narayanan's.",
        "floyd_warshall",
        lambda: compared("harish-narayanan", "katz-kider", 6.5, math.inf, 8192),
        LIMITED,
        "More: arithmetic has grown faster than memory bandwidth since.",
    ),
    Claim(
        "4",
        "Standard optimisations (fewer, cheaper instructions) gain 2.1 to 2.3.",
        "floyd_warshall",
        lambda: compared("katz-kider", "optimized-blocked", 1.8, 2.5),
        HOLDS,
        "",
    ),
    Claim(
        "4",
        "The doubly dependent tile in registers and the staged load gain another 2.3 to 2.4.",
        "floyd_warshall",
        lambda: compared("optimized-blocked", "staged-load", 0, 1.6),
        FAILS,
        "A multiprocessor now has room for several blocks of the optimised kernel, so there is less latency to hide.",
    ),
    Claim(
        "1",
        "The staged kernel is over 150 times as fast as a basic implementation on a CPU core.",
        "floyd_warshall",
        faster_than_cpu,
        HOLDS,
        "",
    ),
    Claim(
        "1",
        "The time grows as n^3, with about 1.2e-11 s for each task.",
        "floyd_warshall",
        cubic,
        HOLDS,
        "",
    ),
    by_devices(
        "1",
        "The time depends neither on the density of the graph nor on its weights.",
        ("density",),
        any_structure,
        (HOLDS, HOLDS),
        "Of the staged kernel; the blocked one is ours.",
    ),
    Claim(
        "3.1",
        "Harish and Narayanan's kernel is limited by memory bandwidth: 16 bytes a task.",
        "ceilings",
        bandwidth_limited,
        HOLDS,
        "",
    ),
    Claim(
        "3.2",
        "Katz and Kider's kernel is not; arithmetic limits it.",
        "ceilings",
        arithmetic_limited,
        LIMITED,
        "Bandwidth does not limit it, but nor do additions and minima alone: what surrounds them, and the wait at "
        "barriers, takes most of the time.",
    ),
    Claim(
        "5",
        "The staged kernel does 73.6e9 tasks per second.",
        "published",
        stated_rate,
        LIMITED,
        "A claim about the paper's own table: that is the line of 4,096 vertices; the largest problems are faster.",
    ),
    Claim(
        "5",
        "Further optimisation could gain a factor of 1.5 at most.",
        "floyd_warshall",
        headroom,
        FAILS,
        "Larger tiles in registers read local memory less often; the estimate took the 32 x 32 tile for granted.",
    ),
]
