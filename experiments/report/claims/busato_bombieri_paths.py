"""What Busato and Bombieri say of representations and of shortest paths (sections 1, 3 and 4), and what is measured."""

from __future__ import annotations

from experiments.report.claims.claim import (
    FAILS,
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    measured,
    ms,
    rows,
    time_of,
    times,
)

TECHNIQUES, FORMS, LAZY = "shortest_path_techniques", "representations", "lazy_minimum"
DIJKSTRA, SWEEP, BUCKETING, NEAR_FAR = "Dijkstra (SciPy)", "workfront sweep", "bucketing", "near-far"
NEAR_FAR_AS_SAID, H_BF, WITHOUT_CLASSES = "near-far, 32 w / d", "H-BF", "H-BF without classes"
FRONTIER, WITH_CLASSES = "frontier", "frontier with classes"
NEW_YORK = "USA-road-d.NY"
ALL, SOME, LINEAR, SEARCHED = "round of all", "round of 1 %", "an edge, one by one", "an edge, searched"
CSR, SOA, AOS, MATRIX = "CSR", "COO, arrays", "COO, records", "matrix"


def device_with(experiment: str) -> str:
    """Return the first device that has such figures: a GPU as soon as there are any of one."""
    return measured(experiment)[0]


def of_graphs(technique: str, other: str) -> dict[str, float]:
    """Return how many times as long as another one a technique takes, by the graph."""
    found: dict[str, dict[str, float]] = {}
    for row in rows(device_with(TECHNIQUES), TECHNIQUES):
        found.setdefault(row["graph"], {})[row["technique"]] = float(row["min_ms"])
    return {graph: each[technique] / each[other] for graph, each in found.items()}


def shown(ratios: dict[str, float]) -> str:
    return ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items())


def on(experiment: str, text: str) -> str:
    """Say on which device something was measured."""
    return f"{SHOWN[device_with(experiment)]}: {text}"


def h_bf_is_first() -> Evidence:
    ratios = of_graphs(H_BF, NEAR_FAR)
    return on(TECHNIQUES, f"times near-far's time: {shown(ratios)}"), all(each > 1.5 for each in ratios.values())


def deep_graphs() -> Evidence:
    techniques = (SWEEP, BUCKETING, H_BF, FRONTIER, NEAR_FAR_AS_SAID, NEAR_FAR)
    ratios = {each: of_graphs(each, DIJKSTRA)[NEW_YORK] for each in techniques}
    others = [ratio for technique, ratio in ratios.items() if not technique.startswith(NEAR_FAR)]
    return on(TECHNIQUES, f"New York, times Dijkstra's time: {shown(ratios)}"), min(others) > 5 > 1 > ratios[NEAR_FAR]


def classes_pay() -> Evidence:
    gains = {f"{graph}, H-BF": each for graph, each in of_graphs(WITHOUT_CLASSES, H_BF).items()}
    gains |= {f"{graph}, {FRONTIER}": each for graph, each in of_graphs(FRONTIER, WITH_CLASSES).items()}
    return on(TECHNIQUES, f"gain: {shown(gains)}"), max(gains.values()) < 1.2 and min(gains.values()) < 0.95


def less_redundant_work() -> Evidence:
    near, buckets = of_graphs(SWEEP, NEAR_FAR_AS_SAID), of_graphs(SWEEP, BUCKETING)
    text = f"times as fast as the sweep: near-far {shown(near)}; bucketing {shown(buckets)}"
    return on(TECHNIQUES, text), min(near.values()) > 3 and min(buckets.values()) < 1 < max(buckets.values())


def width_of_buckets() -> Evidence:
    ratios = of_graphs(NEAR_FAR_AS_SAID, NEAR_FAR)
    return on(TECHNIQUES, f"times the time with our width: {shown(ratios)}"), max(ratios.values()) < 2


def time_with(graph: str, form: str, what: str) -> float:
    return ms(device_with(FORMS), FORMS, graph=graph, form=form, what=what)


def graph_named(beginning: str, largest: bool) -> str:
    """Return the name of the smaller or the larger graph of a kind."""
    found = [row["graph"] for row in rows(device_with(FORMS), FORMS) if row["graph"].startswith(beginning)]
    return found[-1 if largest else 0]


def list_is_better_if_skewed() -> Evidence:
    graph = graph_named("R-MAT", largest=True)
    ratios = {what: time_with(graph, CSR, what) / time_with(graph, SOA, what) for what in (ALL, SOME)}
    return on(FORMS, f"{graph}, CSR's time over COO's: {shown(ratios)}"), max(ratios.values()) < 1.15


def search_in_a_list() -> Evidence:
    graph = graph_named("degree", largest=False)
    one_by_one, searched = (time_with(graph, SOA, what) for what in (LINEAR, SEARCHED))
    text = f"4,096 edges of a graph of {graph}: {time_of(one_by_one)} one by one, {time_of(searched)} by binary search"
    return on(FORMS, text), one_by_one > 10 * searched


def rows_are_better() -> Evidence:
    graph = graph_named("degree", largest=False)
    ratios = {form: time_with(graph, form, SOME) / time_with(graph, CSR, SOME) for form in (SOA, MATRIX)}
    bytes_of = {row["form"]: int(row["bytes"]) for row in rows(device_with(FORMS), FORMS, graph=graph)}
    sizes = ", ".join(f"{form} {bytes_of[form]:,}" for form in (CSR, SOA, MATRIX))
    text = f"{graph}, a round of 1 % of the vertices, times CSR's time: {shown(ratios)}; bytes: {sizes}"
    return on(FORMS, text), ratios[SOA] > 1 and ratios[MATRIX] > 20


def records_are_better() -> Evidence:
    graphs = [graph_named(kind, largest=True) for kind in ("degree", "R-MAT")]
    ratios = {f"{graph}, {what}": time_with(graph, SOA, what) / time_with(graph, AOS, what)
              for graph in graphs for what in (ALL, SOME)}  # fmt: skip
    return on(FORMS, f"gain by records: {shown(ratios)}"), max(ratios.values()) < 1.15


def lazy_minimum() -> Evidence:
    device = device_with(LAZY)
    found: dict[str, float] = {}
    for row in rows(device, LAZY, order="in order"):
        key = {name: row[name] for name in ("graph", "kind")}
        found[f"{row['graph']} {row['kind']}"] = ms(device, LAZY, **key, order="shuffled") / float(row["min_ms"])
    dense = [ratio for name, ratio in found.items() if name.startswith(("complete", "random"))]
    text = f"gain by vertices in order: {shown(found)}"
    return on(LAZY, text), found["components int32"] > 2 and all(0.9 < each < 1.1 for each in dense)


PATHS = [
    Claim(
        *("1.2, table 1", "For many algorithms rows of edges are better than a matrix and than a list", FORMS),
        *(rows_are_better, HOLDS),
        "",
    ),
    Claim(
        *("1.3", "In a sorted list an edge is found in O(log E) steps instead of O(E)", FORMS),
        *(search_in_a_list, HOLDS),
        "Table 1 has O(E)",
    ),
    Claim(
        *("1.3", "Where degrees are not uniform, COO is generally more efficient than CSR", FORMS),
        *(list_is_better_if_skewed, FAILS),
        "Of a few cores each has many vertices, so that a hub holds none of them up; a list has more bytes, and all of"
        " it is looked at in each round",
    ),
    Claim(
        *("1.2, 1.3", "Edges in one array of structures avoid scattered accesses and improve performance", FORMS),
        *(records_are_better, FAILS),
        "A list is read in its order, whichever way it is stored. What is scattered are the vertices",
    ),
    Claim(
        *("3.2, figure 7", "H-BF outperforms all the other implementations in every graph", TECHNIQUES),
        *(h_bf_is_first, FAILS),
        "Near-far relaxes a fraction of the edges, and needs no scan in each round. Its 64-bit atomics and dynamic"
        " parallelism are left out here: OpenCL C 1.2 has neither",
    ),
    Claim(
        "3.1, 3.2, figure 7",
        "On graphs of large diameter all parallel implementations but H-BF are slower than Dijkstra's on one core",
        *(TECHNIQUES, deep_graphs, LIMITED),
        "True of all that launch kernels in each round, H-BF among them. Near-far does many rounds in one launch",
    ),
    Claim(
        *("3.2", "Classes of edges pay in the majority of graphs", TECHNIQUES),
        *(classes_pay, FAILS),
        "To look a class up takes as long as the atomic operation that it saves, which is cheap on CPU cores",
    ),
    Claim(
        "3.1",
        "Near-far and bucketing do much less redundant work than the workfront sweep, but have an overhead",
        *(TECHNIQUES, less_redundant_work, LIMITED),
        "Near-far wins everywhere. The sort of each round costs bucketing more than it saves on grids",
    ),
    Claim(
        *("3.1", "32 w / d is a good width of buckets", TECHNIQUES),
        *(width_of_buckets, HOLDS),
        "Ours is chosen for the device; this one is never twice as slow",
    ),
    Claim(
        *("4.1", "Lazy minimum, which leaves out infinite operands, saves arithmetic", LAZY),
        *(lazy_minimum, LIMITED),
        "Where they lie together. Asked of each entry it would cost more than the minimum",
    ),
]
