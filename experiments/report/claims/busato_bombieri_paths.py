"""What Busato and Bombieri say of representations and of shortest paths (sections 1, 3 and 4), and what is measured."""

from __future__ import annotations

from experiments.report.claims.busato_bombieri import CLOSE
from experiments.report.claims.claim import (
    FAILS,
    HOLDS,
    LIMITED,
    NOT_MEASURED,
    Judged,
    by_devices,
    ms,
    rows,
    time_of,
    times,
    verdict_of,
)

TECHNIQUES, FORMS, LAZY = "shortest_path_techniques", "representations", "lazy_minimum"
DIJKSTRA, SWEEP, BUCKETING, NEAR_FAR = "Dijkstra (SciPy)", "workfront sweep", "bucketing", "near-far"
NEAR_FAR_AS_SAID, H_BF, WITHOUT_CLASSES = "near-far, 32 w / d", "H-BF", "H-BF without classes"
FRONTIER, WITH_CLASSES = "frontier", "frontier with classes"
NEW_YORK = "USA-road-d.NY"
ALL, SOME, LINEAR, SEARCHED = "round of all", "round of 1 %", "an edge, one by one", "an edge, searched"
CSR, SOA, AOS, MATRIX = "CSR", "COO, arrays", "COO, records", "matrix"


def of_graphs(device: str, technique: str, other: str) -> dict[str, float]:
    """Return how many times as long as another one a technique takes, by the graph."""
    found: dict[str, dict[str, float]] = {}
    for row in rows(device, TECHNIQUES):
        found.setdefault(row["graph"], {})[row["technique"]] = float(row["min_ms"])
    return {graph: each[technique] / each[other] for graph, each in found.items()}


def shown(ratios: dict[str, float]) -> str:
    return ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items())


def h_bf_is_first(device: str) -> Judged:
    ratios = of_graphs(device, H_BF, NEAR_FAR)
    return f"times near-far's time: {shown(ratios)}", verdict_of(
        max(ratios.values()) < 1, partly=min(ratios.values()) < 1
    )


def deep_graphs(device: str) -> Judged:
    techniques = (SWEEP, BUCKETING, H_BF, FRONTIER, NEAR_FAR_AS_SAID, NEAR_FAR)
    ratios = {each: of_graphs(device, each, DIJKSTRA)[NEW_YORK] for each in techniques}
    others_are = all(ratio > CLOSE for technique, ratio in ratios.items() if technique != H_BF)
    h_bf_is_not = ratios[H_BF] < CLOSE
    verdict = verdict_of(others_are and h_bf_is_not, partly=others_are or h_bf_is_not)
    return f"New York, times Dijkstra's time: {shown(ratios)}", verdict


def classes_pay(device: str) -> Judged:
    gains = {f"{graph}, H-BF": each for graph, each in of_graphs(device, WITHOUT_CLASSES, H_BF).items()}
    gains |= {f"{graph}, {FRONTIER}": each for graph, each in of_graphs(device, FRONTIER, WITH_CLASSES).items()}
    paid = sum(gain > CLOSE for gain in gains.values())
    return f"gain: {shown(gains)}", verdict_of(2 * paid > len(gains))


def less_redundant_work(device: str) -> Judged:
    near, buckets = of_graphs(device, SWEEP, NEAR_FAR_AS_SAID), of_graphs(device, SWEEP, BUCKETING)
    text = f"times as fast as the sweep: near-far {shown(near)}; bucketing {shown(buckets)}"
    gains = [ratio > CLOSE for ratio in (*near.values(), *buckets.values())]
    return text, verdict_of(all(gains), partly=any(gains))


def width_of_buckets(device: str) -> Judged:
    ratios = of_graphs(device, NEAR_FAR_AS_SAID, NEAR_FAR)
    return f"times the time with our width: {shown(ratios)}", verdict_of(
        max(ratios.values()) < CLOSE, partly=min(ratios.values()) < CLOSE
    )


def time_with(device: str, graph: str, form: str, what: str) -> float:
    return ms(device, FORMS, graph=graph, form=form, what=what)


def graph_named(device: str, beginning: str, largest: bool) -> str:
    """Return the name of the smaller or the larger graph of a kind."""
    found = [row["graph"] for row in rows(device, FORMS) if row["graph"].startswith(beginning)]
    return found[-1 if largest else 0]


def list_is_better_if_skewed(device: str) -> Judged:
    graph = graph_named(device, "R-MAT", largest=True)
    ratios = {what: time_with(device, graph, CSR, what) / time_with(device, graph, SOA, what) for what in (ALL, SOME)}
    return f"{graph}, CSR's time over COO's: {shown(ratios)}", verdict_of(min(ratios.values()) > CLOSE)


def search_in_a_list(device: str) -> Judged:
    graph = graph_named(device, "degree", largest=False)
    one_by_one, searched = (time_with(device, graph, SOA, what) for what in (LINEAR, SEARCHED))
    text = f"4,096 edges of a graph of {graph}: {time_of(one_by_one)} one by one, {time_of(searched)} by binary search"
    return text, verdict_of(one_by_one > 10 * searched)


def rows_are_better(device: str) -> Judged:
    graph = graph_named(device, "degree", largest=False)
    ratios = {
        form: time_with(device, graph, form, SOME) / time_with(device, graph, CSR, SOME) for form in (SOA, MATRIX)
    }
    bytes_of = {row["form"]: int(row["bytes"]) for row in rows(device, FORMS, graph=graph)}
    sizes = ", ".join(f"{form} {bytes_of[form]:,}" for form in (CSR, SOA, MATRIX))
    text = f"{graph}, a round of 1 % of the vertices, times CSR's time: {shown(ratios)}; bytes: {sizes}"
    return text, verdict_of(min(ratios.values()) > CLOSE, partly=max(ratios.values()) > CLOSE)


def records_are_better(device: str) -> Judged:
    graphs = [graph_named(device, kind, largest=True) for kind in ("degree", "R-MAT")]
    ratios = {f"{graph}, {what}": time_with(device, graph, SOA, what) / time_with(device, graph, AOS, what)
              for graph in graphs for what in (ALL, SOME)}  # fmt: skip
    return f"gain by records: {shown(ratios)}", verdict_of(min(ratios.values()) > CLOSE)


def lazy_minimum(device: str) -> Judged:
    found: dict[str, float] = {}
    for row in rows(device, LAZY, order="in order"):
        key = {name: row[name] for name in ("graph", "kind")}
        found[f"{row['graph']} {row['kind']}"] = ms(device, LAZY, **key, order="shuffled") / float(row["min_ms"])
    gains = [ratio > CLOSE for ratio in found.values()]
    return f"gain by vertices in order: {shown(found)}", verdict_of(all(gains), partly=any(gains))


OF_PATHS, OF_FORMS = (TECHNIQUES,), (FORMS,)
PATHS = [
    by_devices(
        "1.2, table 1",
        "For many algorithms rows of edges are better than a matrix and than a list",
        *(OF_FORMS, rows_are_better),
        (LIMITED, HOLDS),
        "A GPU goes through a short list in the time of a launch",
    ),
    by_devices(
        *("1.3", "In a sorted list an edge is found in O(log E) steps instead of O(E)", OF_FORMS, search_in_a_list),
        (HOLDS, HOLDS),
        "Table 1 has O(E)",
    ),
    by_devices(
        "1.3",
        "Where degrees are not uniform, COO is generally more efficient than CSR",
        *(OF_FORMS, list_is_better_if_skewed),
        (HOLDS, FAILS),
        "A hub holds up the work-item of a GPU that has its row. Of a few cores each has many vertices, so that it"
        " holds none of them up; a list has more bytes, and all of it is looked at in each round",
    ),
    by_devices(
        "1.2, 1.3",
        "Edges in one array of structures avoid scattered accesses and improve performance",
        *(OF_FORMS, records_are_better),
        (FAILS, FAILS),
        "A list is read in its order, whichever way it is stored. What is scattered are the vertices",
    ),
    by_devices(
        *("3.2, figure 7", "H-BF outperforms all the other implementations in every graph", OF_PATHS, h_bf_is_first),
        (FAILS, FAILS),
        "Near-far relaxes a fraction of the edges, and needs no scan in each round. Its 64-bit atomics and dynamic"
        " parallelism are left out here: OpenCL C 1.2 has neither",
    ),
    by_devices(
        "3.1, 3.2, figure 7",
        "On graphs of large diameter all parallel implementations but H-BF are slower than Dijkstra's on one core",
        *(OF_PATHS, deep_graphs),
        (FAILS, FAILS),
        "H-BF, the exception, is slower itself, as nearly all are that launch kernels in each round. Near-far, which "
        "does many rounds in a launch, is faster",
    ),
    by_devices(
        *("3.2", "Classes of edges pay in the majority of graphs", OF_PATHS, classes_pay),
        (FAILS, FAILS),
        "To look a class up takes as long as the atomic operation that it saves",
    ),
    by_devices(
        "3.1",
        "Near-far and bucketing do much less redundant work than the workfront sweep, but have an overhead",
        *(OF_PATHS, less_redundant_work),
        (LIMITED, LIMITED),
        "Near-far wins everywhere. The sort of each round costs bucketing more than it saves",
    ),
    by_devices(
        *("3.1", "32 w / d is a good width of buckets", OF_PATHS, width_of_buckets),
        (LIMITED, LIMITED),
        "Ours is chosen for the device; this one is close to it on some graphs, and never twice as slow",
    ),
    by_devices(
        *("4.1", "Lazy minimum, which leaves out infinite operands, saves arithmetic", (LAZY,), lazy_minimum),
        (NOT_MEASURED, LIMITED),
        "Where they lie together. Asked of each entry it would cost more than the minimum",
    ),
]
