"""What Busato and Bombieri say of breadth-first search (section 2, table 2, figure 5), and what the results say to it.

Those with counts alone are the same on every device.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.report.claims.busato_bombieri import CLOSE, KINDS, R_MAT, ROADS
from experiments.report.claims.claim import (
    FAILS,
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    Judged,
    by_devices,
    measured,
    ms,
    number,
    rows,
    time_of,
    times,
    verdict_of,
)

TECHNIQUES = "breadth_first_techniques"
VERTICES, EDGES, MATRIX, SEQUENTIAL = "all vertices", "all edges", "matrix-vector", "sequential"
WIDTHS = [f"{VERTICES}, virtual-warps-{width}" for width in (4, 8, 16, 32)]
LUO, GARLAND, BFS_4K = (f"frontier, {rung}" for rung in ("items", "cta-warp-scan", "dynamic-virtual-warps"))


def graph_of(device: str, kind: str) -> str:
    """Return the name of the graph of a kind."""
    return next(row["graph"] for row in rows(device, TECHNIQUES) if row["graph"].startswith(kind))


def time(device: str, kind: str, technique: str) -> float:
    return ms(device, TECHNIQUES, graph=graph_of(device, kind), technique=technique)


def shown(what: dict[str, str]) -> str:
    return ", ".join(f"{KINDS[kind]} {figures}" for kind, figures in what.items())


def against_bound(device: str, technique: str) -> dict[str, float]:
    """Return how many times as much as table 2 says a technique looks at, for each kind of graph."""
    found = {}
    for kind in KINDS:
        chosen = {"graph": graph_of(device, kind), "technique": technique}
        columns = ("vertex_looks", "edge_looks", "bound")
        vertices, edges, bound = (number(device, TECHNIQUES, column, **chosen) for column in columns)
        found[kind] = (vertices + edges) / bound
    return found


def looks(technique: str, most: float = 2.0) -> Callable[[str], Judged]:
    """Return what judges whether a technique looks at so many times as much as table 2 says at most, or at twice."""

    def judge(device: str) -> Judged:
        ratios = against_bound(device, technique)
        text = shown({kind: times(each) for kind, each in ratios.items()})
        largest = max(ratios.values())
        judged = verdict_of(min(ratios.values()) >= 1 and largest <= most, partly=largest <= 2)
        return f"looks at vertices and edges by this number: {text}", judged

    return judge


def slower_than_sequential(device: str) -> Judged:
    ratios = {kind: time(device, kind, VERTICES) / time(device, kind, SEQUENTIAL) for kind in ROADS}
    text = shown({kind: f"{times(each)} the time of SciPy's search" for kind, each in ratios.items()})
    return text, verdict_of(min(ratios.values()) > CLOSE, partly=max(ratios.values()) > CLOSE)


def width_on_roads(device: str) -> Judged:
    ratios = {kind: min(time(device, kind, each) for each in WIDTHS) / time(device, kind, VERTICES) for kind in ROADS}
    text = shown({kind: f"{times(each)} the time without warps" for kind, each in ratios.items()})
    return f"by the best of four widths, {text}", verdict_of(min(ratios.values()) > 1 / CLOSE)


def edges_against_vertices(device: str) -> Judged:
    ratios = {kind: time(device, kind, EDGES) / time(device, kind, VERTICES) for kind in KINDS}
    text = shown({kind: times(each) for kind, each in ratios.items()})
    worse = sum(ratio > 1 / CLOSE for ratio in ratios.values())
    return f"time of all edges by that of all vertices, {text}", verdict_of(2 * worse > len(ratios), partly=worse > 0)


def frontiers(device: str) -> Judged:
    found = {}
    for kind in KINDS:
        at_levels = rows(device, TECHNIQUES, graph=graph_of(device, kind))
        queued = [float(row["min_ms"]) for row in at_levels if row["technique"].startswith("frontier, ")]
        others = [time(device, kind, each) for each in (VERTICES, *WIDTHS, EDGES, MATRIX)]
        found[kind] = min(others) / min(queued)
    text = shown({kind: times(each) for kind, each in found.items()})
    gains = sum(ratio > CLOSE for ratio in found.values())
    return f"best time without a queue by the best with one, {text}", verdict_of(gains == len(found), partly=gains > 0)


def first_everywhere(device: str) -> Judged:
    others = (VERTICES, *WIDTHS, EDGES, LUO, GARLAND)
    found = {kind: min((time(device, kind, each), each) for each in others) for kind in KINDS}
    own = {kind: time(device, kind, BFS_4K) for kind in KINDS}
    text = {kind: f"{time_of(own[kind])}, {each} {time_of(best)}" for kind, (best, each) in found.items()}
    first = all(own[kind] <= best for kind, (best, _) in found.items())
    return f"dynamic virtual warps and the best other one, {shown(text)}", verdict_of(first)


def bottom_up() -> Evidence:
    """Say how many levels a search that chooses goes bottom-up: two in three, or none."""
    parts, right = [], True
    for each in measured("breadth_first"):
        for kind in (R_MAT, "grid"):
            [row] = [row for row in rows(each, "breadth_first") if row["graph"].startswith(kind)]
            levels, up = int(row["levels"]), int(row["bottom_up_levels"])
            parts.append(f"{SHOWN[each]}, {row['graph']}: {up} of {levels} levels")
            right = right and (up * 3 >= levels if kind == R_MAT else up == 0)
    return "bottom-up: " + "; ".join(parts), right


AT = (TECHNIQUES,)
LEVELS = [
    by_devices(
        *("2.1", "The most efficient implementations exploit the frontier", AT, frontiers),
        (LIMITED, LIMITED),
        "A level by a queue is several launches of a GPU, and by all vertices a single one: a queue gains there where"
        " levels have many edges. On CPU cores it gains the more, the more levels there are",
    ),
    by_devices(
        *("2.1, table 2", "Harish and Narayanan's search looks at O(V D + E)", AT, looks(VERTICES)),
        (HOLDS, HOLDS),
        "Its second kernel goes through all vertices once more",
    ),
    by_devices(
        *("2.1", "Where there are many levels it is slower than the sequential one", AT, slower_than_sequential),
        (LIMITED, HOLDS),
        "A GPU reads a quarter of a million vertices as fast as it launches a kernel",
    ),
    by_devices(
        *("2.1", "Virtual warps gain little where degrees are low", AT, width_on_roads),
        (HOLDS, HOLDS),
        "Nearly all of the warps have a vertex that is not in the frontier",
    ),
    by_devices(
        "2.1",
        "A matrix-vector product at each level looks at O(V + E D), in the worst case O(V^2)",
        *(AT, looks(MATRIX, 1.5)),
        (LIMITED, LIMITED),
        "Rows without edges are looked at, too; and with V levels it is O(V E), which is O(V^2) of sparse graphs alone",
    ),
    by_devices(
        *("2.1, table 2", "Edge parallelism looks at O(E D)", AT, looks(EDGES, 1.2)),
        (LIMITED, LIMITED),
        "The vertices that get their level have to be found, too, which is O(V D) unless there is a queue",
    ),
    by_devices(
        "2.1",
        "To visit all edges at each level is in many cases no better than vertex parallelism",
        *(AT, edges_against_vertices),
        (LIMITED, HOLDS),
        "It is where few vertices have many of the edges: no work-item waits for a hub's",
    ),
    by_devices(
        *("2.1, table 2", "Luo's, Garland's and BFS-4K's searches look at O(V + E)", AT, looks(BFS_4K)),
        (HOLDS, HOLDS),
        "The same for every rung of the ladder: each vertex is settled once and expanded once",
    ),
    Claim(
        *("2.1", "Bottom-up is efficient on graphs of low diameter", "breadth_first"),
        *(bottom_up, HOLDS),
        "A search that chooses by the number of edges takes it there, and never on grids",
    ),
    by_devices(
        *("2.2, figure 5", "BFS-4K outperforms all other implementations in every graph", AT, first_everywhere),
        (FAILS, FAILS),
        "Dynamic virtual warps and a queue for large items, without what needs a certain GPU, are not always first",
    ),
]
