"""Write the tables of measured figures into the documentation, from the CSV files alone.

    python -m experiments.report.tables [--check]

A table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. With --check nothing is written, and the exit
status is 1 if a page differs from the CSV files.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

from experiments.lib.catalogue import EXPERIMENTS
from experiments.lib.results import RESULTS, Row, by_device
from experiments.report import published
from experiments.report.claims.busato_bombieri import BUSATO_BOMBIERI, KINDS
from experiments.report.claims.busato_bombieri_levels import LEVELS
from experiments.report.claims.busato_bombieri_paths import PATHS
from experiments.report.claims.claim import FAILS, HOLDS, LIMITED, NOT_MEASURED, Claim, heads_and_lines, time_of
from experiments.report.claims.dulle_components import CONCLUSION, ROUNDS
from experiments.report.claims.dulle_distances import DISTANCES
from experiments.report.claims.dulle_forests import FORESTS
from experiments.report.claims.dulle_matching import MATCHING
from experiments.report.claims.dulle_programs import PROGRAMS
from experiments.report.claims.dulle_sorting import SORTING
from experiments.report.claims.dulle_trees import TREES
from experiments.report.claims.lund_smith import LUND_SMITH
from experiments.report.claims.ma import MA
from experiments.report.claims.thesis import THESIS
from experiments.report.claims.thesis_memory import MEMORY
from reedsp.system.phases import NAMES as PHASES

DOCS = RESULTS.parents[1] / "docs"


def table(heads: list[str], lines: list[list[str]], texts: int = 1) -> str:
    """Return a table whose first columns are of texts, and the others of numbers."""
    rule = ["---"] * texts + ["---:"] * (len(heads) - texts)
    escaped = [[cell.replace("|", "\\|") for cell in cells] for cells in (heads, rule, *lines)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)


def milliseconds(row: Row) -> str:
    return f"{float(row['median_ms']):.3g}" if float(row["median_ms"]) < 100 else f"{float(row['median_ms']):.0f}"


def new_york() -> str:
    lines = [
        [device, row["platform"], row["driver"], row["rounds"], milliseconds(row), row["predecessors_sha256"][:12]]
        for device, rows in by_device("new_york")
        for row in rows
    ]
    return table(["device", "platform", "driver", "rounds", "median ms", "tree (SHA-256)"], lines)


def output_parallel() -> str:
    """Return one line a graph and work-group size, one column a combination of the other refinements."""
    combinations = [("False", "False"), ("True", "False"), ("False", "True"), ("True", "True")]
    lines = []
    for device, rows in by_device("output_parallel"):
        groups: dict[tuple[str, ...], dict[tuple[str, str], str]] = {}
        for row in rows:
            key = (row["graph"], row["n"], row["rounds"], row["early_stop"], row["group_size"])
            groups.setdefault(key, {})[row["cooperative_loading"], row["in_degree_order"]] = milliseconds(row)
        for (graph, n, rounds, early_stop, size), cells in groups.items():
            stop = "yes" if early_stop == "True" else "no"
            lines.append([device, graph, f"{int(n):,}", stop, rounds, size, *(cells[each] for each in combinations)])
    heads = ["device", "graph", "n", "early stop", "rounds", "work-group"]
    return table([*heads, "neither", "cooperative loading", "in-degree order", "both"], lines)


def scans() -> str:
    """Return one line a device, type and method, of the largest arrays."""
    lines = []
    for device, rows in by_device("scans"):
        largest = max(int(row["n"]) for row in rows)
        for row in rows:
            if int(row["n"]) == largest:
                method = row["method"] + (f", work-groups of {row['group_size']}" if row["group_size"] else "")
                rate, share = float(row["gigabytes_per_second"]), float(row["of_copy"])
                figures = [
                    f"{float(row['min_ms']):.3g}",
                    f"{rate:,.0f}" if rate > 10 else f"{rate:.1f}",
                    f"{share:.1%}",
                ]
                lines.append([device, row["dtype"], f"{largest:,}", method, *figures])
    return table(["device", "type", "n", "method", "least ms", "GB/s", "of the copy"], lines)


LUND_SMITH_SIZES = (1024, 2048, 4096, 8192, 16384)  # of the paper's table 1, those that are measured here too


def rate(value: str) -> str:
    return f"{float(value):,.0f}" if float(value) > 100 else f"{float(value):.3g}"


def min_plus() -> str:
    """Return one line a device, type and size, one column a method."""
    found = list(by_device("min_plus"))
    methods = list(dict.fromkeys(row["method"] for _, rows in found for row in rows))
    lines = []
    for device, rows in found:
        groups: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows:
            groups.setdefault((row["kind"], row["n"]), {})[row["method"]] = rate(row["gigapairs_per_second"])
        lines += [
            [device, kind, n, *(rates.get(method, "") for method in methods)] for (kind, n), rates in groups.items()
        ]
    return table(["device", "weights", "n", *methods], lines)


def lund_smith() -> str:
    """Return the paper's table 1 and ours: one line a device and size, one column an implementation, in seconds."""
    paper = published.LUND_SMITH_SECONDS
    lines = [
        [f"{published.LUND_SMITH_DEVICE}, paper", str(n), *(str(paper[method].get(n, "")) for method in paper), ""]
        for n in LUND_SMITH_SIZES
    ]
    for device, rows in by_device("floyd_warshall"):
        groups: dict[str, dict[str, str]] = {}
        for row in rows:
            if row["kind"] == "float32" or row["method"] == "cpu":
                groups.setdefault(row["n"], {})[row["method"]] = seconds(row)
        lines += [
            [device, n, *(times.get(method, "") for method in (*published.LUND_SMITH_METHODS, "blocked"))]
            for n, times in groups.items()
        ]
    return table(["device", "n", *published.LUND_SMITH_METHODS, "blocked"], lines)


def floyd_warshall() -> str:
    """Return one line a device and size, two columns a type of weights, of the blocked algorithm."""
    found = list(by_device("floyd_warshall"))
    kinds = list(dict.fromkeys(row["kind"] for _, rows in found for row in rows if row["method"] == "blocked"))
    lines = []
    for device, rows in found:
        groups: dict[str, dict[str, str]] = {}
        for row in rows:
            if row["method"] == "blocked":
                figures = f"{milliseconds(row)} ms, {rate(row['gigatasks_per_second'])} G/s"
                groups.setdefault(row["n"], {})[row["kind"]] = figures
        lines += [[device, n, *(figures.get(kind, "") for kind in kinds)] for n, figures in groups.items()]
    return table(["device", "n", *kinds], lines)


def seconds(row: Row) -> str:
    return f"{float(row['min_ms']) / 1e3:.3g}"


def clusters() -> str:
    """Return one line a device, task and way."""
    lines = []
    for device, rows in by_device("clusters"):
        ways = dict.fromkeys((row["task"], row["graph"], row["n"], row["sources"], row["way"]) for row in rows)
        for task, graph, n, sources, way in ways:
            of_way = {row["workers"]: row for row in rows if (row["task"], row["n"], row["way"]) == (task, n, way)}
            one, two = of_way.get("1"), of_way.get("2")
            lines.append(
                [
                    *(device, f"{task}, {graph}, n = {int(n):,}", f"{int(sources):,}", way),
                    *(f"{float(each['min_ms']) / 1e3:.3g}" if each else "" for each in (one, two)),
                    f"{float(one['min_ms']) / float(two['min_ms']):.2f}" if one and two else "",
                ]
            )
    return table(["device", "what", "sources", "way", "one, s", "two, s", "ratio"], lines, 4)


def many_workers() -> str:
    """Return one line a device, question and way to keep rows: seconds by some numbers of workers."""
    counts = ("1", "2", "8", "64")
    lines = []
    for device, rows in by_device("many_workers"):
        for what, kept in dict.fromkeys((row["what"], row["kept"]) for row in rows):
            of_count = {row["workers"]: row for row in rows if (row["what"], row["kept"]) == (what, kept)}
            seconds = [float(of_count[each]["seconds"]) for each in counts]
            seconds.append(float(of_count["64"]["seconds_by_the_model"]))
            lines.append([device, what, kept, *(f"{each:,.0f}" if each >= 100 else f"{each:.3g}" for each in seconds)])
    heads = ["device", "what", "rows", *(f"{each}, s" for each in counts), "64 by the model alone, s"]
    return table(heads, lines, 3)


def several_devices() -> str:
    """Return one line a size and type of weights, one column a number of devices."""
    lines = []
    for device, rows in by_device("several_devices"):
        groups: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            groups.setdefault((row["kind"], row["n"]), []).append(row)
        for (kind, n), (one, several) in groups.items():
            gain = float(one["min_ms"]) / float(several["min_ms"])
            lines.append([f"{several['devices']} x {device}", kind, n, seconds(one), seconds(several), f"{gain:.2f}"])
    return table(["devices", "weights", "n", "one, s", "all, s", "gain"], lines)


def largest() -> str:
    """Return one line a device."""
    lines = [
        [device, row["kind"], row["n"], f"{int(row['bytes']):,}", seconds(row), rate(row["gigatasks_per_second"])]
        for device, rows in by_device("largest")
        for row in rows
    ]
    return table(["device", "weights", "n", "bytes", "s", "G/s"], lines)


def predecessors() -> str:
    """Return one line a device, graph, size and measure."""
    figures = ("min_ms_without", "min_ms", "ratio")
    lines = [
        [device, row["graph"], row["n"], row["m"], row["what"], *(f"{float(row[name]):.3g}" for name in figures)]
        for device, rows in by_device("predecessors")
        for row in rows
    ]
    return table(["device", "graph", "n", "edges", "what", "without, ms", "with, ms", "ratio"], lines)


def single_source() -> str:
    """Return one line a device, graph, measure and number of sources, one column a method."""
    methods = ["near-far", "output-parallel", "input-parallel", "input-parallel-refined", "scipy dijkstra"]
    lines = []
    for device, rows in by_device("single_source"):
        groups: dict[tuple[str, ...], dict[str, str]] = {}
        for row in rows:
            groups.setdefault((row["graph"], row["sources"], row["what"]), {})[row["method"]] = row["min_ms"]
        for (graph, sources, what), times in groups.items():
            ratio = float(times["scipy dijkstra"]) / float(times["near-far"]) if "scipy dijkstra" in times else None
            cells = [f"{float(times[method]):.3g}" if method in times else "" for method in methods]
            lines.append([device, graph, sources, what, *cells, "" if ratio is None else f"{ratio:.1f}"])
    heads = ["device", "graph", "sources", "what, ms"]
    return table([*heads, *methods, "near-far against scipy"], lines)


def negative_weights() -> str:
    """Return one line a device and task."""
    lines = []
    for device, rows in by_device("negative_weights"):
        for row in rows:
            of_scipy, ratio = float(row["scipy_ms"]) / 1e3, float(row["ratio"])
            figures = (seconds(row), f"{of_scipy:.3g}", f"{ratio:,.0f}" if ratio > 100 else f"{ratio:.3g}")
            lines.append([device, *(row[name] for name in ("what", "n", "m", "method")), *figures])
    return table(["device", "what", "n", "edges", "method", "s", "scipy, s", "ratio"], lines)


def networkx_backend() -> str:
    """Return one line a device, program or call, and size."""
    lines = []
    for device, rows in by_device("networkx_backend"):
        for row in rows:
            times = [figure(float(row[column])) for column in ("networkx_min_ms", "reedsp_min_ms")]
            lines.append([device, row["what"], row["n"], row["m"], *times, row["ratio"]])
    return table(["device", "what", "nodes", "edges", "networkx, ms", "reedsp, ms", "ratio"], lines, texts=2)


def near_far_settings() -> str:
    """Return one line a device and graph."""
    lines = []
    for device, rows in by_device("near_far_settings"):
        for graph in dict.fromkeys(row["graph"] for row in rows):
            own = [row for row in rows if row["graph"] == graph]
            compared, wrong = sum(int(row["sources"]) for row in own), sum(int(row["wrong"]) for row in own)
            times = [float(row["median_ms"]) for row in own]
            figures = (f"{compared:,}", str(wrong), f"{min(times):.3g}", f"{max(times):.3g}")
            lines.append([device, graph, str(len(own)), *figures])
    return table(["device", "graph", "settings", "compared", "wrong", "fastest, ms", "slowest, ms"], lines)


def input_parallel() -> str:
    """Return one line a device and graph, one column a method."""
    methods = [("output-parallel", ""), ("input-parallel", "")]
    methods += [("input-parallel-refined", listed) for listed in ("True", "False")]
    lines = []
    for device, rows in by_device("input_parallel"):
        groups: dict[tuple[str, str, str], dict[tuple[str, str], str]] = {}
        for row in rows:
            key = (row["graph"], row["n"], row["rounds"])
            groups.setdefault(key, {})[row["method"], row["list_active"]] = milliseconds(row)
        for (graph, n, rounds), cells in groups.items():
            lines.append([device, graph, f"{int(n):,}", rounds, *(cells[each] for each in methods)])
    heads = ["device", "graph", "n", "rounds", "output parallel", "input parallel"]
    return table([*heads, "refined, with the list", "refined"], lines)


def breadth_first() -> str:
    """Return one line a device and graph."""
    lines = [
        [
            *(device, row["graph"], f"{int(row['n']):,}", f"{int(row['m']):,}", row["levels"], row["bottom_up_levels"]),
            *(milliseconds(row), f"{float(row['scipy_median_ms']):.3g}", row["ratio"]),
        ]
        for device, rows in by_device("breadth_first")
        for row in rows
    ]
    heads = ["device", "graph", "n", "edges", "levels", "bottom-up", "ms", "SciPy, ms", "ratio"]
    return table(heads, lines)


DULLE = [*PROGRAMS, *TREES, *SORTING, *DISTANCES, *MATCHING, *ROUNDS, *FORESTS, *CONCLUSION]
"""His claims, in the order of his sections."""


SURVEY = [*LEVELS, *PATHS, *BUSATO_BOMBIERI]
"""Its claims, in the order of its sections."""


OF_THESIS = sorted((*MEMORY, *THESIS), key=lambda claim: [int(part) for part in claim.section.split(",")[0].split(".")])
"""Its claims, in the order of its sections."""


PAPERS = {
    "thesis": OF_THESIS,
    "Lund and Smith": LUND_SMITH,
    "Dulle": DULLE,
    "Busato and Bombieri": SURVEY,
    "Ma, Agrawal and Chamberlain": MA,
}


def balance() -> str:
    """Return one line a device, measure and rung, one column a kind of graph."""
    lines = []
    for device, rows in by_device("balance"):
        times = {(row["what"], row["rung"], kind): row["min_ms"] for row in rows for kind in kinds_of(row)}
        for what, rung in dict.fromkeys((what, rung) for what, rung, _ in times):
            cells = [figure_or_nothing(times.get((what, rung, kind), "")) for kind in KINDS]
            lines.append([device, what, rung, *cells])
    return table(["device", "", "rung", *KINDS.values()], lines, texts=3)


def kinds_of(row: Row) -> list[str]:
    return [kind for kind in KINDS if row["graph"].startswith(kind)]


def breadth_first_techniques() -> str:
    """Return one line a device and technique, one column a kind of graph."""
    lines = []
    for device, rows in by_device("breadth_first_techniques"):
        times = {(row["technique"], kind): row["min_ms"] for row in rows for kind in kinds_of(row)}
        for technique, paper in {row["technique"]: row["paper"] for row in rows}.items():
            cells = [figure_or_nothing(times.get((technique, kind), "")) for kind in KINDS]
            lines.append([device, technique, paper, *cells])
    return table(["device", "technique", "in table 2", *KINDS.values()], lines, texts=3)


def breadth_first_sources() -> str:
    """Return one line a device, graph and number of sources."""
    found = dict(by_device("breadth_first_sources"))
    methods = list(dict.fromkeys(row["method"] for rows in found.values() for row in rows))
    lines = []
    for device, rows in found.items():
        times: dict[tuple[str, ...], dict[str, str]] = {}
        for row in rows:
            key = (row["graph"], f"{int(row['n']):,}", f"{int(row['m']):,}", row["sources"])
            times.setdefault(key, {})[row["method"]] = milliseconds(row)
        lines += [[device, *key, *(each.get(method, "") for method in methods)] for key, each in times.items()]
    return table(["device", "graph", "n", "edges", "sources", *methods], lines)


def breadth_first_looks() -> str:
    """Return one line a device and technique that looks at something else, one column a kind of graph."""
    lines = []
    for device, rows in by_device("breadth_first_techniques"):
        looks = {
            (row["technique"], kind): f"{int(row['vertex_looks']):,} + {int(row['edge_looks']):,}"
            for row in rows
            for kind in kinds_of(row)
            if row["edge_looks"]
        }
        for technique in ("all vertices", "all edges", "matrix-vector", "frontier, items"):
            lines.append([device, technique, *(looks.get((technique, kind), "") for kind in KINDS)])
    return table(["device", "technique", *KINDS.values()], lines, texts=2)


def claims_busato_bombieri() -> str:
    return judged(SURVEY)


def shortest_path_techniques() -> str:
    """Return one line a device and technique, one column a graph."""
    lines, names = [], [row["graph"] for _, rows in by_device("shortest_path_techniques") for row in rows]
    for device, rows in by_device("shortest_path_techniques"):
        times = {(row["technique"], row["graph"]): float(row["min_ms"]) for row in rows}
        for technique in dict.fromkeys(row["technique"] for row in rows):
            cells = [times.get((technique, name)) for name in dict.fromkeys(names)]
            lines.append([device, technique, *("" if each is None else figure(each) for each in cells)])
    return table(["device", "technique", *dict.fromkeys(names)], lines, texts=2)


def representations() -> str:
    """Return one line a device, graph and form, one column a question."""
    found = list(by_device("representations"))
    questions = sorted({row["what"] for _, rows in found for row in rows})
    lines = []
    for device, rows in found:
        groups: dict[tuple[str, ...], dict[str, float]] = {}
        for row in rows:
            groups.setdefault((row["graph"], row["form"], row["bytes"]), {})[row["what"]] = float(row["min_ms"])
        for (graph, form, size), times in groups.items():
            cells = ["" if what not in times else figure(times[what]) for what in questions]
            lines.append([device, graph, form, f"{int(size):,}", *cells])
    return table(["device", "graph", "form", "bytes", *(f"{each}, ms" for each in questions)], lines, texts=3)


def lazy_minimum() -> str:
    """Return one line a device, type of weights and graph."""
    lines = []
    for device, rows in by_device("lazy_minimum"):
        groups: dict[tuple[str, ...], dict[str, float]] = {}
        for row in rows:
            groups.setdefault((row["kind"], row["graph"], row["n"]), {})[row["order"]] = float(row["min_ms"])
        for (kind, graph, n), found in groups.items():
            ordered, shuffled = found["in order"], found["shuffled"]
            cells = [f"{int(n):,}", figure(ordered), figure(shuffled), f"{shuffled / ordered:.2f}"]
            lines.append([device, kind, graph, *cells])
    return table(["device", "weights", "graph", "n", "in order, ms", "shuffled, ms", "ratio"], lines, texts=3)


def source_a_group() -> str:
    """Return one line a device and graph."""
    lines = []
    for device, rows in by_device("source_a_group"):
        groups: dict[tuple[str, ...], dict[tuple[str, str], list[float]]] = {}
        for row in rows:
            times = groups.setdefault((row["graph"], row["n"], row["m"]), {})
            times.setdefault((row["what"], row["search"]), []).append(float(row["min_ms"]))
        for (graph, n, m), found in groups.items():
            local = found["search", "near-far-local"]
            shown = [found["search", "near-far"][0], local[0], min(local)]
            shown += [found["whole call", each][0] for each in ("near-far", "near-far-local")]
            lines.append([device, graph, f"{int(n):,}", f"{int(m):,}", *map(figure, shown)])
    searches = ("near-far, ms", "in local memory, ms", "best setting, ms")
    calls = ("near-far, whole call, ms", "in local memory, whole call, ms")
    return table(["device", "graph", "n", "edges", *searches, *calls], lines, texts=2)


def tmm_algorithms() -> str:
    """Return one line a device, density and size."""
    counted = {
        **{f"{name} {letter}": (name, column) for name in ("heap", "array") for letter, column in TMM_PARTS.items()},
        "local array M": ("array in local memory", "of_m"),
        **{f"Bellman-Ford {letter}": ("Bellman-Ford", column) for letter, column in TMM_PARTS.items()},
    }
    timed = {"heap": "heap", "array": "array", "Bellman-Ford": "Bellman-Ford", "squaring": "matrix squaring"}
    lines = []
    for device, rows in by_device("tmm_algorithms"):
        groups: dict[tuple[str, ...], dict[str, Row]] = {}
        for row in rows:
            groups.setdefault((row["degree"], row["n"], row["m"]), {})[row["algorithm"]] = row
        for (degree, n, m), found in groups.items():
            times = [figure(float(found[name]["min_ms"])) for name in timed.values()]
            parts = [found[name][column] for name, column in counted.values()]
            lines.append([device, degree, f"{int(n):,}", f"{int(m):,}", *times, *parts])
    names = ["device", "edges a vertex", "n", "edges", *(f"{name}, ms" for name in timed), *counted]
    return table(names, lines, texts=2)


TMM_PARTS = {"T1": "of_t1", "M": "of_m"}


def tmm_machine() -> str:
    """Return one line a device, one column a parameter."""
    lines = []
    for device, rows in by_device("tmm_machine"):
        found = {row["name"]: float(row["value"]) for row in rows if row["what"] == "parameter"}
        lines.append([device, *(figure(found[letter]) for letter in "LPCZQX"), f"{found['operations a second']:.3g}"])
    return table(["device", *"LPCZQX", "operations a second"], lines)


def cost_model_fit() -> str:
    """Return one line a device and part of the graphs: how far off predictions were, and what choices cost."""
    return _predictions("cost_model_fit", 10)


def cost_model_searches() -> str:
    """Return the same of searches, which take less."""
    return _predictions("cost_model_searches", 1)


def _predictions(experiment: str, least: float) -> str:
    """Return it, with how far off predictions were of calls that took so many milliseconds at least."""
    lines = []
    for device, rows in by_device(experiment):
        for part in dict.fromkeys(row["part"] for row in rows):
            some = [row for row in rows if row["part"] == part]
            long = [float(row["ratio"]) for row in some if float(row["min_ms"]) > least]
            within = [sum(1 / factor <= each <= factor for each in long) / len(long) for factor in (1.3, 2.0)]
            chosen = [float(row["times_best"]) for row in some if row["chosen"] == "True"]
            good = f"{sum(each <= 1.2 for each in chosen)} of {len(chosen)}"
            shares = [f"{100 * each:.0f} %" for each in within]
            lines.append([device, part, str(len(long)), *shares, good, f"{max(chosen):.3g}"])
    long_calls = f"calls over {least:g} ms"
    heads = ["device", "graphs", long_calls, "within 1.3 times", "within 2", "choices within 20 %", "worst"]
    return table(heads, lines, texts=2)


def betweenness() -> str:
    """Return one line a device and size."""
    others = ("networkx", "igraph", "networkit")
    lines = [
        [
            *(device, row["graph"], f"{int(row['n']):,}", f"{int(row['m']):,}", f"{int(row['sources']):,}"),
            figure(float(row["reedsp_us_a_source"])),
            *(figure(float(row[f"{each}_us_a_source"])) if row[f"{each}_us_a_source"] else "-" for each in others),
            row["ratio"],
        ]
        for device, rows in by_device("betweenness")
        for row in rows
    ]
    return table(["device", "graph", "n", "edges", "sources", "reedsp", *others, "networkx / reedsp"], lines, texts=2)


def judged(chosen: list[Claim]) -> str:
    """Return one line a claim."""
    heads, lines = heads_and_lines(chosen)
    return table(heads, lines, texts=len(heads))


def claims_thesis() -> str:
    return judged(OF_THESIS)


def components() -> str:
    """Return one line a device and graph, of the larger ones, and of Dulle's algorithm beside the fast one."""
    lines = []
    for device, rows in by_device("components"):
        times = {(row["graph"], row["n"], row["method"]): row["min_ms"] for row in rows}
        for row in rows:
            if row["method"] not in ("fast", "auto"):
                continue
            others = (times.get((row["graph"], row["n"], method), "") for method in ("dulle", "csgraph", "SciPy"))
            sizes = (f"{int(row[each]):,}" for each in ("n", "m", "components"))
            shown = map(figure_or_nothing, (row["min_ms"], row["search_ms"], *others))
            lines.append([device, row["graph"], row["connection"], *sizes, *shown])
    heads = ["device", "graph", "connection", "n", "edges", "components"]
    return table([*heads, "fast, ms", "search, ms", "Dulle's, ms", "from a matrix, ms", "SciPy, ms"], lines, texts=3)


def forests() -> str:
    """Return one line a device, graph and kind of weights."""
    lines = []
    for device, rows in by_device("forests"):
        times = {(row["graph"], row["n"], row["kind"], row["method"]): row["min_ms"] for row in rows}
        for row in rows:
            if row["method"] == "fast":
                about = row["graph"], row["n"], row["kind"]
                others = (times.get((*about, method), "") for method in ("dulle", "scipy"))
                sizes = (f"{int(row[each]):,}" for each in ("n", "m", "rounds"))
                shown = map(figure_or_nothing, (row["min_ms"], row["search_ms"], *others))
                lines.append([device, row["graph"], row["kind"], *sizes, *shown])
    heads = ["device", "graph", "weights", "n", "edges", "rounds"]
    return table([*heads, "fast, ms", "search, ms", "Dulle's, ms", "SciPy, ms"], lines, texts=3)


def flows() -> str:
    """Return one line a problem and input: our time on each device, and how many times SciPy's speed that is."""
    files = list(by_device("flows"))
    found = {(row["problem"], row["graph"], row["n"], device): row for device, rows in files for row in rows}
    inputs = dict.fromkeys((row["problem"], row["graph"], row["n"], row["m"]) for _, rows in files for row in rows)
    lines = []
    for problem, graph, n, m in inputs:
        rows_of = [found.get((problem, graph, n, device)) for device, _ in files]
        shown = [
            each for row in rows_of for each in ((figure(float(row["min_ms"])), row["ratio"]) if row else ("", ""))
        ]
        lines.append([problem, graph, f"{int(n):,}", f"{int(m):,}", *shown])
    heads = [head for device, _ in files for head in (f"{device}, ms", f"{device}, times SciPy")]
    return table(["problem", "input", "vertices, or rows", "edges, or weights", *heads], lines, texts=2)


def figure_or_nothing(text: str) -> str:
    """Return a number of milliseconds with three digits, if there is one."""
    return "" if not text else f"{float(text):.3g}" if float(text) < 1000 else f"{float(text):,.0f}"


def claims_dulle() -> str:
    return judged(DULLE)


def claims_ma() -> str:
    return judged(MA)


def claims_lund_smith() -> str:
    return judged(LUND_SMITH)


def pram_programs() -> str:
    """Return one line a device, program and size: its launches by hand, and how much longer the generated ones take."""
    ways = ("bitset, none", "list, none", "bitset, all", "list, all", "best")
    lines = []
    for device, rows in by_device("pram_programs"):
        steps = {(row["subject"], row["n"], row["way"]): float(row["steps_ms"]) for row in rows}
        for subject, n in dict.fromkeys((row["subject"], row["n"]) for row in rows):
            by_hand = steps.get((subject, n, "by hand"))
            if by_hand is not None:
                found = [steps.get((subject, n, way)) for way in ways]
                ratios = ["" if each is None else f"{each / by_hand:.3g}x" for each in found]
                lines.append([device, subject, f"{int(n):,}", f"{by_hand:.3g}", *ratios])
    heads = ["device", "program", "n", "by hand, ms", *ways[:-1], "best method"]
    return table(heads, lines, texts=2)


def verdicts() -> str:
    """Return how many claims of each paper have which verdict."""
    kinds = (HOLDS, LIMITED, FAILS, NOT_MEASURED)
    lines = [
        [paper, *(str(sum(claim.verdict == verdict for claim in found)) for verdict in kinds), str(len(found))]
        for paper, found in PAPERS.items()
    ]
    return table(["claims of", *kinds, "in all"], lines)


def pictures() -> str:
    """Return every experiment with its plots, one a device."""
    parts = []
    for name, experiment in EXPERIMENTS.items():
        files = sorted(RESULTS.glob(f"*/{name}.svg"))
        images = [f"![{name} on {file.parent.name}](../../{file.relative_to(RESULTS.parents[1])})" for file in files]
        parts.append("\n\n".join([f"### `{name}`", f"{experiment.about}.", *images]))
    return "\n\n".join(parts)


def figure(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def performance() -> str:
    """Return what whole calls take beside SciPy's and numpy's: a heading and a table for each device."""
    parts = []
    for device, rows in by_device("single_source"):
        found = [
            *_one_source(rows),
            *_others("breadth_first", device, lambda row: ("breadth-first search", row["graph"], row["scipy_min_ms"])),
            *_others("negative_weights", device, _task_and_method),
            *_all_pairs(device),
        ]
        lines = [[task, graph, *map(figure, (ours, theirs, theirs / ours))] for task, graph, ours, theirs in found]
        heads = ["task", "graph", "reedsp, ms", "SciPy, ms", "times as fast"]
        parts.append(f"### {device}\n\n{table(heads, lines, texts=2)}")
    return "\n\n".join(parts)


Comparison = tuple[str, str, float, float]  # task, graph, our milliseconds, SciPy's


def _one_source(rows: list[Row]) -> list[Comparison]:
    whole = {
        (row["graph"], row["sources"], row["method"]): float(row["min_ms"])
        for row in rows
        if row["what"] == "whole call"
    }
    return [
        (f"from {sources} source{'s' * (sources != '1')}", graph, ours, whole[graph, sources, "scipy dijkstra"])
        for (graph, sources, method), ours in whole.items()
        if method == "near-far" and (graph, sources, "scipy dijkstra") in whole
    ]


def _others(name: str, device: str, describe: Callable[[Row], tuple[str, str, str]]) -> list[Comparison]:
    rows = next((rows for folder, rows in by_device(name) if folder == device), [])
    return [
        (task, graph, float(row["min_ms"]), float(theirs))
        for row in rows
        for task, graph, theirs in [describe(row)]
        if theirs
    ]


def _task_and_method(row: Row) -> tuple[str, str, str]:
    return f"{row['what']} ({row['method']})", f"n = {row['n']}", row["scipy_ms"]


def _all_pairs(device: str) -> list[Comparison]:
    rows = next((rows for folder, rows in by_device("floyd_warshall") if folder == device), [])
    times = {(row["method"], row["kind"], row["n"]): float(row["min_ms"]) for row in rows}
    return [
        ("all pairs, complete graph on the device", f"n = {n}", times["blocked", kind, n], theirs)
        for (method, kind, n), theirs in times.items()
        if method == "cpu" and ("blocked", kind, n) in times
    ]


NAMED_GRAPHS = {
    "New York": "New York",
    "grid, n = 1,000,000": "grid 1000 x 1000",
    "R-MAT 18": "R-MAT 18",
    "random, n = 100,000": "random, n = 100,000",
}


def contraction() -> str:
    """Return one line a device, graph and call, one column a method."""
    lines = []
    for device, rows in by_device("contraction"):
        calls: dict[tuple[str, str], dict[str, float]] = {}
        for row in rows:
            calls.setdefault((row["graph"], row["call"]), {})[row["method"]] = float(row["min_ms"])
        for (graph, call), times in calls.items():
            ours, others = times["prepared"], ("near-far", "SciPy", "igraph", "networkit")
            figures = [f"{times[each]:,.0f}" if each in times else "" for each in others]
            gain = f"{times['near-far'] / ours:.3g}" if "near-far" in times else ""
            lines.append([device, graph, call, f"{ours:,.0f}" if ours > 100 else f"{ours:.2g}", *figures, gain])
    columns = "prepared, ms", "near-far, ms", "SciPy, ms", "igraph, ms", "networkit, ms", "times near-far's speed"
    return table(["device", "graph", "call", *columns], lines, 3)


def whole_calls() -> str:
    """Return one line a function, one column a large graph: how many times as fast, and our milliseconds."""
    parts = []
    for device, rows in by_device("whole_calls"):
        calls: dict[str, dict[str, str]] = {}
        for row in rows:
            calls.setdefault(row["call"], {})[row["graph"]] = f"{row['ratio']} ({figure(float(row['min_ms']))})"
        lines = [[call, *(cells.get(each, "") for each in NAMED_GRAPHS)] for call, cells in calls.items()]
        lines = [each for each in lines if any(each[1:])]
        parts.append(f"### {device}\n\n{table(['call', *NAMED_GRAPHS.values()], lines)}")
    return "\n\n".join(parts)


FRONT = {
    ("dijkstra", "grid, n = 1,000,000"): "from one place, a grid of a million crossings",
    ("dijkstra, 16 sources", "New York"): "from 16 places, the roads of New York",
    ("floyd_warshall", "complete, n = 1,000"): "between all pairs of a thousand",
}
"""Of the front page: a call and its graph, and what a user would call it."""


def front_page() -> str:
    """Return one line a task, one column a device: how many times as fast as SciPy's function, and our time."""
    found = {name: {(row["call"], row["graph"]): row for row in rows} for name, rows in by_device("whole_calls")}
    heads = {"pocl-amd-epyc": "two CPU cores", "nvidia-h200": "NVIDIA H200"}
    first = "shortest paths, from a SciPy matrix to numpy's arrays, beside SciPy's own call"

    def cell(row: dict[str, str] | None) -> str:
        return f"**{float(row['ratio']):.3g}x**, {time_of(float(row['min_ms']))}" if row else ""

    lines = [[task, *(cell(found[device].get(key)) for device in heads)] for key, task in FRONT.items()]
    return table([first, *heads.values()], lines)


def whole_calls_by_size() -> str:
    """Return one line a function, one column a size: how many times as fast at least, over the kinds of graphs."""
    parts = []
    for device, rows in by_device("whole_calls"):
        sizes: dict[str, dict[int, float]] = {}
        for row in rows:
            size = 10 ** round(math.log10(float(row["n"])))
            cells, ratio = sizes.setdefault(row["call"], {}), float(row["ratio"])
            cells[size] = min(ratio, cells.get(size, ratio))
        columns = sorted({size for cells in sizes.values() for size in cells})
        lines = [
            [call, *(f"{cells[size]:.3g}" if size in cells else "" for size in columns)]
            for call, cells in sizes.items()
        ]
        heads = ["call", *(f"n about {size:,}" for size in columns)]
        parts.append(f"### {device}, by size\n\n{table(heads, lines)}")
    return "\n\n".join(parts)


def small_calls() -> str:
    """Return one line a device and size: how many calls there are, how many are slower, and times SciPy's speed."""
    lines = []
    for device, rows in by_device("small_calls"):
        for size in dict.fromkeys(row["n"] for row in rows):
            own = [row for row in rows if row["n"] == size]
            ratios = sorted(float(row["ratio"]) for row in own)
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            slower = sum(int(row["slower"]) for row in own)
            part = [f"{ratios[place * (len(ratios) - 1) // 20]:.3g}" for place in (0, 1, 10, 20)]
            lines.append([device, f"{int(size):,}", f"{len(own):,}", f"{slower:,}", f"{mean:.3g}", *part])
    heads = ["device", "vertices", "calls", "slower", "mean", "the least", "of 5 %", "of half", "the most"]
    return table(heads, lines)


def distance_statistics() -> str:
    """Return one line a graph, and sources: milliseconds on each device, and how many times as fast as SciPy."""
    found = {
        device: {(row["graph"], row["what"]): row for row in rows} for device, rows in by_device("distance_statistics")
    }
    columns = [f"{device}, {what}" for device in found for what in ("ms", "times SciPy")]
    lines = [
        [*key, *(cell for rows in found.values() for cell in (figure(float(rows[key]["min_ms"])), rows[key]["ratio"]))]
        for key in dict.fromkeys(key for rows in found.values() for key in rows)
    ]
    return table(["graph", "from", *columns], lines, texts=2)


def phases() -> str:
    """Return one line a device and graph, one column a phase: milliseconds."""
    lines = [
        [device, row["graph"], figure(float(row["min_ms"])), *(figure(float(row[f"{phase}_ms"])) for phase in PHASES)]
        for device, rows in by_device("phases")
        for row in rows
    ]
    return table(["device", "graph", "whole call", *PHASES], lines, texts=2)


def first_calls() -> str:
    """Return one line a statement or call, one column a device: milliseconds."""
    found = {device: {(row["what"], row["name"]): row for row in rows} for device, rows in by_device("first_calls")}
    keys = dict.fromkeys(key for rows in found.values() for key in rows)
    lines = [
        [what, name, *(figure(float(rows[what, name]["min_ms"])) for rows in found.values())] for what, name in keys
    ]
    return table(["what", "name", *found], lines, texts=2)


def matching() -> str:
    """Return one line a graph and method: pairs, rounds, milliseconds, and how many times SciPy's."""
    lines = []
    for device, found in by_device("matching"):
        scipys = {row["graph"]: float(row["min_ms"]) for row in found if row["method"] == "SciPy"}
        for row in found:
            if not row["min_ms"]:
                continue
            ratio = scipys.get(row["graph"])
            gain = "-" if ratio is None else f"{ratio / float(row['min_ms']):.2g}"
            size = f"{int(row['m']):,}"
            rounds = f"{int(row['rounds']):,}" if row["rounds"] else "-"
            pairs = f"{int(row['pairs']):,}"
            lines.append([device, row["graph"], size, row["method"], pairs, rounds, figure(float(row["min_ms"])), gain])
    heads = ["device", "graph", "entries", "method", "pairs", "rounds", "ms", "times SciPy's speed"]
    return table(heads, lines, texts=2)


TABLES: dict[str, Callable[[], str]] = {
    "claims_dulle": claims_dulle,
    "claims_lund_smith": claims_lund_smith,
    "claims_ma": claims_ma,
    "claims_thesis": claims_thesis,
    "matching": matching,
    "new_york": new_york,
    "performance": performance,
    "pictures": pictures,
    "pram_programs": pram_programs,
    "predecessors": predecessors,
    "input_parallel": input_parallel,
    "betweenness": betweenness,
    "balance": balance,
    "breadth_first_techniques": breadth_first_techniques,
    "breadth_first_looks": breadth_first_looks,
    "claims_busato_bombieri": claims_busato_bombieri,
    "lazy_minimum": lazy_minimum,
    "source_a_group": source_a_group,
    "tmm_algorithms": tmm_algorithms,
    "tmm_machine": tmm_machine,
    "cost_model_fit": cost_model_fit,
    "cost_model_searches": cost_model_searches,
    "representations": representations,
    "shortest_path_techniques": shortest_path_techniques,
    "breadth_first": breadth_first,
    "breadth_first_sources": breadth_first_sources,
    "components": components,
    "flows": flows,
    "forests": forests,
    "first_calls": first_calls,
    "output_parallel": output_parallel,
    "scans": scans,
    "several_devices": several_devices,
    "clusters": clusters,
    "many_workers": many_workers,
    "floyd_warshall": floyd_warshall,
    "front_page": front_page,
    "largest": largest,
    "lund_smith": lund_smith,
    "min_plus": min_plus,
    "near_far_settings": near_far_settings,
    "negative_weights": negative_weights,
    "networkx_backend": networkx_backend,
    "single_source": single_source,
    "verdicts": verdicts,
    "phases": phases,
    "contraction": contraction,
    "whole_calls": whole_calls,
    "distance_statistics": distance_statistics,
    "whole_calls_by_size": whole_calls_by_size,
    "small_calls": small_calls,
}


def render(text: str) -> str:
    """Return a page with its tables made anew."""
    return re.sub(
        r"(<!-- table (\w+) -->\n).*?(<!-- end -->)",
        lambda block: f"{block[1]}\n{TABLES[block[2]]()}\n\n{block[3]}",
        text,
        flags=re.DOTALL,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    pages = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
    stale = [page for page in pages if render(page.read_text()) != page.read_text()]
    if arguments.check and stale:
        raise SystemExit(
            f"run python -m experiments.report.tables: {', '.join(page.name for page in stale)} is out of date"
        )
    for page in stale:
        page.write_text(render(page.read_text()))


if __name__ == "__main__":
    main()
