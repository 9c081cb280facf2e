"""What the thesis, and Lund and Smith, say that can be checked, and what the committed results say to it.

A claim's evidence is computed from the CSV files: the figures to show, and whether they bear the verdict out. If they
no longer do, the report cannot be made until the claim is judged anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from experiments import published
from experiments.results import RESULTS, Row, read

GPU, CPU = "nvidia-h200", "pocl-amd-epyc"
SHOWN = {GPU: "H200", CPU: "two CPU cores"}
HOLDS, LIMITED, FAILS = "holds", "holds with limits", "does not hold"
Evidence = tuple[str, bool]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, in our words.

    Attributes
    ----------
    section : str
    statement : str
    experiment : str
        Its figures are in ``results/<device>/<experiment>.csv``.
    evidence : callable() -> (text, bool)
    verdict : str
    why : str
        The reason, without figures.
    """

    section: str
    statement: str
    experiment: str
    evidence: Callable[[], Evidence]
    verdict: str
    why: str


def rows(device: str, experiment: str, **values: object) -> list[Row]:
    """Return the rows of one file in which these columns have these values."""
    chosen = read(RESULTS / device / f"{experiment}.csv")
    return [row for row in chosen if all(row[column] == str(value) for column, value in values.items())]


def number(device: str, experiment: str, column: str, **values: object) -> float:
    """Return the one figure that these values choose."""
    [row] = rows(device, experiment, **values)
    return float(row[column])


def ms(device: str, experiment: str, **values: object) -> float:
    """Return the least time that these values choose."""
    return number(device, experiment, "min_ms", **values)


def times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def time_of(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:.3g} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"


def slope(points: list[tuple[float, float]]) -> float:
    """Return the exponent at which y grows with x between the last two points."""
    (x0, y0), (x1, y1) = sorted(points)[-2:]
    return math.log(y1 / y0) / math.log(x1 / x0)


# ---- min-plus products -------------------------------------------------------------------------------


def product_ms(method: str, n: int = 8192, kind: str = "float32") -> float:
    return ms(GPU, "min_plus", method=method, n=n, kind=kind)


def naive_on_gpu() -> Evidence:
    n = 2048
    ratio = ms(GPU, "floyd_warshall", method="cpu", n=n) / product_ms("naive", n)
    return f"H200, n = {n}: {times(ratio)} as many pairs a second as one core with three loops", ratio > 10


def row_blocks() -> Evidence:
    gains = {n: product_ms("naive", n) / product_ms("row-blocks", n) for n in (1024, 8192)}
    text = ", ".join(f"{times(gain)} at n = {n}" for n, gain in gains.items())
    return f"H200, Algorithm 4 against 3: {text}", gains[1024] < 1 < gains[8192]


def transposed() -> Evidence:
    ratio = product_ms("row-blocks-transposed") / product_ms("row-blocks")
    return f"H200, n = 8192: with B transposed Algorithm 4 takes {times(ratio)} as long", ratio > 2


def tiles() -> Evidence:
    gain, left = product_ms("row-blocks") / product_ms("tiles"), product_ms("tiles") / product_ms("registers")
    return (
        f"H200, n = 8192: {times(gain)} Algorithm 4; tiles in registers are {times(left)} Algorithm 5",
        gain > 1.1 and left > 2,
    )


# ---- prefix sums ------------------------------------------------------------------------------------


def scan_ms(device: str, method: str, n: int, group_size: str = "") -> float:
    return ms(device, "scans", method=method, n=n, dtype="float32", group_size=group_size)


LARGEST_SCAN = {GPU: 1 << 28, CPU: 1 << 26}


def scan_outperforms() -> Evidence:
    sequential = number(CPU, "scans", "gigabytes_per_second", method="numpy.cumsum", dtype="int32")
    gains = {
        device: number(device, "scans", "gigabytes_per_second", method="fast", dtype="int32") / sequential
        for device in SHOWN
    }
    text = ", ".join(f"{SHOWN[device]} {times(gain)}" for device, gain in gains.items())
    return f"GB/s of the largest int32 arrays against numpy.cumsum on one core: {text}", min(gains.values()) > 1.2


def work_efficient() -> Evidence:
    gains = {device: scan_ms(device, "naive", n) / scan_ms(device, "blelloch", n) for device, n in LARGEST_SCAN.items()}
    small = scan_ms(GPU, "naive", 1 << 10) / scan_ms(GPU, "blelloch", 1 << 10)
    text = ", ".join(f"{SHOWN[device]} {times(gain)}" for device, gain in gains.items())
    return f"largest arrays: {text}; 1,024 floats on the H200: {times(small)}", min(*gains.values(), small) > 1.5


def largest_group() -> Evidence:
    ratios = {
        device: scan_ms(device, "blelloch", n, "1024") / scan_ms(device, "blelloch", n, "256")
        for device, n in LARGEST_SCAN.items()
    }
    text = ", ".join(f"{SHOWN[device]} {times(ratio)}" for device, ratio in ratios.items())
    return f"groups of 1,024 against 256 take: {text} as long", min(ratios.values()) > 1.1


def scan_on_proper_gpu() -> Evidence:
    n = 1 << 26
    ratio = scan_ms(CPU, "fast", n) / scan_ms(GPU, "fast", n)
    return f"2^26 floats: H200 {times(ratio)} as fast as the best scan of two cores", ratio > 10


# ---- output-parallel and input-parallel Bellman-Ford -------------------------------------------------


def output_parallel_ms(graph: str, **options: object) -> float:
    chosen = rows(GPU, "output_parallel", graph=graph, early_stop=True, **options)
    return min(float(row["min_ms"]) for row in chosen if row["n"] != "4096")


SKEWED, FIXED, GRID = "skewed in-degree 8", "fixed in-degree 8", "grid 500 x 500"


def cooperative_loading() -> Evidence:
    gains = {
        graph: output_parallel_ms(graph, cooperative_loading=False)
        / output_parallel_ms(graph, cooperative_loading=True)
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(gain)}" for graph, gain in gains.items())
    return f"H200, gain: {text}", gains[SKEWED] > 1.3 and gains[GRID] < 1.1


def in_degree_order() -> Evidence:
    gains = {
        graph: output_parallel_ms(graph, in_degree_order=False, cooperative_loading=False)
        / output_parallel_ms(graph, in_degree_order=True, cooperative_loading=False)
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(gain)}" for graph, gain in gains.items())
    return f"H200, gain: {text}", max(gains.values()) < 1.1


def warp_sized_groups() -> Evidence:
    ratio = output_parallel_ms(SKEWED, group_size=32, cooperative_loading=True, in_degree_order=False) / min(
        output_parallel_ms(SKEWED, group_size=size, cooperative_loading=True, in_degree_order=False)
        for size in (128, 256)
    )
    return f"H200, {SKEWED}: groups of 32 take {times(ratio)} as long as the best larger ones", ratio > 1.1


def early_rounds() -> Evidence:
    [row, *_] = rows(GPU, "output_parallel", graph=FIXED, n=4096, early_stop=True)
    return f"in-degree 8, n = 4,096: {row['rounds']} of 4,095 rounds", int(row["rounds"]) < 100


def no_sacrifice() -> Evidence:
    ratios = {
        graph: ms(GPU, "input_parallel", graph=graph, method="output-parallel")
        / ms(GPU, "input_parallel", graph=graph, method="input-parallel")
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items())
    return f"H200, OPBF's time over IPBF's: {text}", ratios[SKEWED] > 1.5 and ratios[GRID] < 1


def against_dijkstra() -> Evidence:
    ratios = {
        graph: ms(GPU, "single_source", graph=graph, what="whole call", method="scipy dijkstra")
        / ms(GPU, "single_source", graph=graph, what="whole call", method="output-parallel")
        for graph in ("r-mat-20", "random-1m-8")
    }
    on_roads = ms(GPU, "single_source", graph="new-york", what="whole call", method="scipy dijkstra", sources=1) / ms(
        GPU, "input_parallel", graph="USA-road-d.NY", method="output-parallel"
    )
    text = ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items())
    return f"H200, OPBF against SciPy's Dijkstra: {text}, New York {times(on_roads)}", min(ratios.values()) > 10


def larger_problems() -> Evidence:
    single = max(int(row["n"]) for row in rows(GPU, "single_source"))
    [pairs] = rows(GPU, "largest")
    return f"H200: {single:,} vertices from one source, {int(pairs['n']):,} for all pairs", single > 10 * int(
        pairs["n"]
    )


def one_block() -> Evidence:
    [row] = rows(GPU, "largest")
    return f"{int(row['n']):,} vertices in one buffer of {int(row['bytes']):,} bytes", int(row["bytes"]) < 2**36


def large_run_times() -> Evidence:
    milliseconds = ms(GPU, "floyd_warshall", method="blocked", n=4096, kind="float32")
    return f"H200, n = 4,096: {time_of(milliseconds)}", milliseconds < 100


def several_gpus() -> Evidence:
    one, two = (ms(GPU, "several_devices", devices=count) for count in (1, 2))
    [row] = rows(GPU, "several_devices", devices=2)
    return f"two H200s, n = {int(row['n']):,}: {times(one / two)}", one / two > 1.8


# ---- Lund and Smith ---------------------------------------------------------------------------------


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


def stated_rate() -> Evidence:
    rates = {n: n**3 / published.LUND_SMITH_SECONDS["staged-load"][n] / 1e9 for n in (4096, 16384)}
    text = ", ".join(f"{rate:.1f} at n = {n:,}" for n, rate in rates.items())
    return f"10^9 tasks per second from table 1: {text}", rates[4096] < 74 < 80 < rates[16384]


THESIS: list[Claim] = [
    Claim(
        "4.1.2",
        "Even the naive kernel (Algorithm 3) is appreciably faster than a naive CPU implementation.",
        "min_plus",
        naive_on_gpu,
        HOLDS,
        "",
    ),
    Claim(
        "4.1.2",
        "Loading blocks of a row of A into local memory (Algorithm 4) drastically reduces requests, and so the time.",
        "min_plus",
        row_blocks,
        LIMITED,
        "Caches of today's GPUs do the same for matrices that fit into them; only large ones gain.",
    ),
    Claim(
        "4.1.2",
        "Access to B cannot be coalesced in Algorithm 4, because B is in row-major order; transposing B helps.",
        "min_plus",
        transposed,
        FAILS,
        "Neighbouring work-items read neighbouring entries of a row of B, which is coalesced until B is transposed.",
    ),
    Claim(
        "4.1.4",
        "Tiles of both matrices in local memory (Algorithm 5) make the best kernel.",
        "min_plus",
        tiles,
        LIMITED,
        "Best of the ladder, but each sum still reads local memory twice; tiles in registers share reads.",
    ),
    Claim(
        "4.2",
        "The parallel scan often outperforms the optimal sequential one.",
        "scans",
        scan_outperforms,
        HOLDS,
        "",
    ),
    Claim(
        "4.2.4",
        "The work-efficient scan is certain to run much faster than the naive one, because it asks less of memory.",
        "scans",
        work_efficient,
        HOLDS,
        "",
    ),
    Claim(
        "4.2.5",
        "Work-groups of the largest supported size are to be used.",
        "scans",
        largest_group,
        FAILS,
        "Small groups hide each other's barriers; of a large one all work-items wait.",
    ),
    Claim(
        "5.3.1",
        "Work-items that load edges together make better use of memory.",
        "output_parallel",
        cooperative_loading,
        LIMITED,
        "Long lists are then read by all; of short ones a cache line brings the next edges anyway.",
    ),
    Claim(
        "5.3.1",
        "Vertices numbered by in-degree make the kernel faster on GPUs.",
        "output_parallel",
        in_degree_order,
        FAILS,
        "It evens out warps, but scatters neighbours over memory, and gathers all hubs in a few work-groups.",
    ),
    Claim(
        "5.3.1",
        "Work-groups and chunks of exactly a warp are best.",
        "output_parallel",
        warp_sized_groups,
        FAILS,
        "Larger groups share out the edges of a hub among more work-items.",
    ),
    Claim(
        "5.4",
        "Relaxing by edges keeps the parallelism that relaxing by vertices gives away.",
        "input_parallel",
        no_sacrifice,
        LIMITED,
        "Worth it where in-degrees are skewed; elsewhere the scan's traffic and launches cost more.",
    ),
    Claim(
        "6.1.1",
        "Two blocks of memory of n x n entries are needed, one for input and one for output.",
        "largest",
        one_block,
        FAILS,
        "Blocked Floyd-Warshall works in place.",
    ),
    Claim(
        "6.1.1",
        "All pairs take long even below 5,000 vertices.",
        "floyd_warshall",
        large_run_times,
        FAILS,
        "True of its hardware; no longer of today's.",
    ),
    Claim(
        "6.1.2",
        "From a single source far larger graphs can be solved than for all pairs.",
        "single_source",
        larger_problems,
        HOLDS,
        "",
    ),
    Claim(
        "6.1.2",
        "The shortest paths of random graphs are found long before round |V| - 1.",
        "output_parallel",
        early_rounds,
        HOLDS,
        "",
    ),
    Claim(
        "6.2",
        "A highly optimised sequential Dijkstra would soundly beat OPBF, even on the best hardware.",
        "single_source",
        against_dijkstra,
        FAILS,
        "OPBF needs few rounds on graphs of small diameter, and a GPU has the memory bandwidth for them.",
    ),
    Claim(
        "6.2",
        "On a better GPU segmented and prefix sums should be faster than on a CPU.",
        "scans",
        scan_on_proper_gpu,
        HOLDS,
        "",
    ),
    Claim(
        "6.2",
        "Block-wise work would suit several GPUs.",
        "several_devices",
        several_gpus,
        HOLDS,
        "",
    ),
]

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
    Claim(
        "5",
        "The staged kernel does 73.6e9 tasks per second.",
        "published",
        stated_rate,
        LIMITED,
        "That is the line of 4,096 vertices; the largest problems are faster.",
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


def table(claims: list[Claim]) -> tuple[list[str], list[list[str]]]:
    """Return heads and lines of a table of claims.

    Raises
    ------
    ValueError
        The figures no longer bear out a verdict.
    """
    lines = []
    for place, claim in enumerate(claims, start=1):
        figures, borne_out = claim.evidence()
        if not borne_out:
            raise ValueError(f"section {claim.section}: {claim.statement!r} no longer {claim.verdict}: {figures}")
        lines.append(
            [
                str(place),
                claim.section,
                claim.statement,
                figures,
                f"`{claim.experiment}`",
                f"**{claim.verdict}**",
                claim.why,
            ]
        )
    return ["", "section", "claim", "here", "experiment", "verdict", "why"], lines
