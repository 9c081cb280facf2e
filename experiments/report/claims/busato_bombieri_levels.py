"""What Busato and Bombieri say of breadth-first search (section 2, table 2, figure 5), and what the results say to it.

The figures are those of the GPU, and of two CPU cores as long as there are none of it.
"""

from __future__ import annotations

from experiments.report.claims.busato_bombieri import KINDS, R_MAT, ROADS
from experiments.report.claims.claim import (
    FAILS,
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    measured,
    ms,
    number,
    rows,
    time_of,
    times,
)

TECHNIQUES = "breadth_first_techniques"
VERTICES, EDGES, MATRIX, SEQUENTIAL = "all vertices", "all edges", "matrix-vector", "sequential"
WIDTHS = [f"{VERTICES}, virtual-warps-{width}" for width in (4, 8, 16, 32)]
LUO, GARLAND, BFS_4K = (f"frontier, {rung}" for rung in ("items", "cta-warp-scan", "dynamic-virtual-warps"))


def device() -> str:
    return measured(TECHNIQUES)[0]


def graph_of(kind: str) -> str:
    """Return the name of the graph of a kind."""
    return next(row["graph"] for row in rows(device(), TECHNIQUES) if row["graph"].startswith(kind))


def time(kind: str, technique: str) -> float:
    return ms(device(), TECHNIQUES, graph=graph_of(kind), technique=technique)


def shown(what: dict[str, str]) -> str:
    return f"{SHOWN[device()]}: " + ", ".join(f"{KINDS[kind]} {figures}" for kind, figures in what.items())


def against_bound(technique: str) -> dict[str, float]:
    """Return how many times as much as table 2 says a technique looks at, for each kind of graph."""
    found = {}
    for kind in KINDS:
        chosen = {"graph": graph_of(kind), "technique": technique}
        columns = ("vertex_looks", "edge_looks", "bound")
        vertices, edges, bound = (number(device(), TECHNIQUES, column, **chosen) for column in columns)
        found[kind] = (vertices + edges) / bound
    return found


def looks(technique: str) -> Evidence:
    ratios = against_bound(technique)
    text = f"looks at vertices and edges by this number: {shown({kind: times(each) for kind, each in ratios.items()})}"
    return text, all(1 <= ratio <= 2 for ratio in ratios.values())


def looks_at_all_edges() -> Evidence:
    text, within = looks(EDGES)
    return text, within and any(ratio > 1.2 for ratio in against_bound(EDGES).values())


def looks_of_the_matrix() -> Evidence:
    text, within = looks(MATRIX)
    return text, within and any(ratio > 1.5 for ratio in against_bound(MATRIX).values())


def slower_than_sequential() -> Evidence:
    ratios = {kind: time(kind, VERTICES) / time(kind, SEQUENTIAL) for kind in ROADS}
    text = shown({kind: f"{times(each)} the time of SciPy's search" for kind, each in ratios.items()})
    return text, all(ratio > 2 for ratio in ratios.values())


def width_on_roads() -> Evidence:
    ratios = {kind: min(time(kind, each) for each in WIDTHS) / time(kind, VERTICES) for kind in ROADS}
    text = shown({kind: f"{times(each)} the time without warps" for kind, each in ratios.items()})
    return f"by the best of four widths, {text}", all(ratio > 0.9 for ratio in ratios.values())


def edges_against_vertices() -> Evidence:
    ratios = {kind: time(kind, EDGES) / time(kind, VERTICES) for kind in KINDS}
    text = shown({kind: times(each) for kind, each in ratios.items()})
    deep = all(ratios[kind] > 1.2 for kind in ROADS)
    return f"time of all edges by that of all vertices, {text}", deep


def frontiers() -> Evidence:
    found = {}
    for kind in KINDS:
        at_levels = rows(device(), TECHNIQUES, graph=graph_of(kind))
        queued = [float(row["min_ms"]) for row in at_levels if row["technique"].startswith("frontier, ")]
        others = [time(kind, each) for each in (VERTICES, *WIDTHS, EDGES, MATRIX)]
        found[kind] = min(others) / min(queued)
    text = shown({kind: times(each) for kind, each in found.items()})
    return f"best time without a queue by the best with one, {text}", all(ratio > 1 for ratio in found.values())


def first_everywhere() -> Evidence:
    others = (VERTICES, *WIDTHS, EDGES, LUO, GARLAND)
    found = {kind: min((time(kind, each), each) for each in others) for kind in KINDS}
    text = {kind: f"{time_of(time(kind, BFS_4K))}, {each} {time_of(best)}" for kind, (best, each) in found.items()}
    return f"dynamic virtual warps and the best other one, {shown(text)}", any(
        time(kind, BFS_4K) > best for kind, (best, _) in found.items()
    )


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


LEVELS = [
    Claim(
        *("2.1", "The most efficient implementations exploit the frontier", TECHNIQUES),
        *(frontiers, HOLDS),
        "The more levels there are, the more it gains",
    ),
    Claim(
        *("2.1, table 2", "Harish and Narayanan's search looks at O(V D + E)", TECHNIQUES),
        *(lambda: looks(VERTICES), HOLDS),
        "Its second kernel goes through all vertices once more",
    ),
    Claim(
        *("2.1", "Where there are many levels it is slower than the sequential one", TECHNIQUES),
        *(slower_than_sequential, HOLDS),
        "",
    ),
    Claim(
        *("2.1", "Virtual warps gain little where degrees are low", TECHNIQUES),
        *(width_on_roads, HOLDS),
        "Nearly all of the warps have a vertex that is not in the frontier",
    ),
    Claim(
        *("2.1", "A matrix-vector product at each level looks at O(V + E D), in the worst case O(V^2)", TECHNIQUES),
        *(looks_of_the_matrix, LIMITED),
        "Rows without edges are looked at, too; and with V levels it is O(V E), which is O(V^2) of sparse graphs alone",
    ),
    Claim(
        *("2.1, table 2", "Edge parallelism looks at O(E D)", TECHNIQUES),
        *(looks_at_all_edges, LIMITED),
        "The vertices that get their level have to be found, too, which is O(V D) unless there is a queue",
    ),
    Claim(
        *("2.1", "To visit all edges at each level is in many cases no better than vertex parallelism", TECHNIQUES),
        *(edges_against_vertices, HOLDS),
        "",
    ),
    Claim(
        *("2.1, table 2", "Luo's, Garland's and BFS-4K's searches look at O(V + E)", TECHNIQUES),
        *(lambda: looks(BFS_4K), HOLDS),
        "The same for every rung of the ladder: each vertex is settled once and expanded once",
    ),
    Claim(
        *("2.1", "Bottom-up is efficient on graphs of low diameter", "breadth_first"),
        *(bottom_up, HOLDS),
        "A search that chooses by the number of edges takes it there, and never on grids",
    ),
    Claim(
        *("2.2, figure 5", "BFS-4K outperforms all other implementations in every graph", TECHNIQUES),
        *(first_everywhere, FAILS),
        "Dynamic virtual warps and a queue for large items, without what needs a certain GPU, are not always first",
    ),
]
