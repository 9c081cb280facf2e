"""Write the tables of measured figures into the documentation, from the CSV files alone.

    python -m experiments.tables [--check]

A table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. With --check nothing is written, and the exit
status is 1 if a page differs from the CSV files.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable, Iterator

from experiments.measure import RESULTS

DOCS = RESULTS.parents[1] / "docs"
Row = dict[str, str]


def read(name: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of one experiment by device."""
    for file in sorted(RESULTS.glob(f"*/{name}.csv")):
        with file.open(newline="") as stream:
            yield file.parent.name, list(csv.DictReader(stream))


def table(heads: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(heads) - 1)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *lines))


def milliseconds(row: Row) -> str:
    return f"{float(row['median_ms']):.3g}" if float(row["median_ms"]) < 100 else f"{float(row['median_ms']):.0f}"


def new_york() -> str:
    lines = [
        [device, row["platform"], row["driver"], row["rounds"], milliseconds(row), row["predecessors_sha256"][:12]]
        for device, rows in read("new_york")
        for row in rows
    ]
    return table(["device", "platform", "driver", "rounds", "median ms", "tree (SHA-256)"], lines)


def output_parallel() -> str:
    """Return one line a graph and work-group size, one column a combination of the other refinements."""
    combinations = [("False", "False"), ("True", "False"), ("False", "True"), ("True", "True")]
    lines = []
    for device, rows in read("output_parallel"):
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
    for device, rows in read("scans"):
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


def rate(value: str) -> str:
    return f"{float(value):,.0f}" if float(value) > 100 else f"{float(value):.3g}"


def min_plus() -> str:
    """Return one line a device, type and size, one column a method."""
    found = list(read("min_plus"))
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


# Lund and Smith, table 1: seconds on an NVIDIA Tesla C1060 (the first column on an AMD Phenom 9950).
LUND_SMITH_METHODS = ("cpu", "harish-narayanan", "katz-kider", "optimized-blocked", "staged-load")
LUND_SMITH_SECONDS = {
    1024: ("2.405", "0.408", "0.108", "0.0428", "0.0274"),
    2048: ("18.38", "3.212", "0.65", "0.282", "0.14"),
    4096: ("145.2", "26.05", "4.62", "2.06", "0.934"),
    8192: ("", "208.6", "35.37", "16.39", "6.88"),
    16384: ("", "", "277.8", "126.9", "53.02"),
}


def lund_smith() -> str:
    """Return the paper's table 1 and ours: one line a device and size, one column an implementation, in seconds."""
    lines = [["Tesla C1060, paper", str(n), *times, ""] for n, times in LUND_SMITH_SECONDS.items()]
    for device, rows in read("floyd_warshall"):
        groups: dict[str, dict[str, str]] = {}
        for row in rows:
            if row["kind"] == "float32" or row["method"] == "cpu":
                groups.setdefault(row["n"], {})[row["method"]] = seconds(row)
        lines += [
            [device, n, *(times.get(method, "") for method in (*LUND_SMITH_METHODS, "blocked"))]
            for n, times in groups.items()
        ]
    return table(["device", "n", *LUND_SMITH_METHODS, "blocked"], lines)


def floyd_warshall() -> str:
    """Return one line a device and size, two columns a type of weights, of the blocked algorithm."""
    found = list(read("floyd_warshall"))
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


def several_devices() -> str:
    """Return one line a size and type of weights, one column a number of devices."""
    lines = []
    for device, rows in read("several_devices"):
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
        for device, rows in read("largest")
        for row in rows
    ]
    return table(["device", "weights", "n", "bytes", "s", "G/s"], lines)


def predecessors() -> str:
    """Return one line a device, graph and size."""
    figures = ("min_ms_without", "min_ms", "ratio")
    lines = [
        [device, row["graph"], row["n"], row["m"], *(f"{float(row[name]):.3g}" for name in figures)]
        for device, rows in read("predecessors")
        for row in rows
    ]
    return table(["device", "graph", "n", "edges", "without, ms", "with, ms", "ratio"], lines)


def single_source() -> str:
    """Return one line a device, graph, measure and number of sources, one column a method."""
    methods = ["near-far", "output-parallel", "input-parallel", "input-parallel-refined", "scipy dijkstra"]
    lines = []
    for device, rows in read("single_source"):
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
    for device, rows in read("negative_weights"):
        for row in rows:
            of_scipy, ratio = float(row["scipy_ms"]) / 1e3, float(row["ratio"])
            figures = (seconds(row), f"{of_scipy:.3g}", f"{ratio:,.0f}" if ratio > 100 else f"{ratio:.3g}")
            lines.append([device, *(row[name] for name in ("what", "n", "m", "method")), *figures])
    return table(["device", "what", "n", "edges", "method", "s", "scipy, s", "ratio"], lines)


def near_far_settings() -> str:
    """Return one line a device and graph."""
    lines = []
    for device, rows in read("near_far_settings"):
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
    for device, rows in read("input_parallel"):
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
        for device, rows in read("breadth_first")
        for row in rows
    ]
    heads = ["device", "graph", "n", "edges", "levels", "bottom-up", "ms", "SciPy, ms", "ratio"]
    return table(heads, lines)


TABLES: dict[str, Callable[[], str]] = {
    "new_york": new_york,
    "predecessors": predecessors,
    "input_parallel": input_parallel,
    "breadth_first": breadth_first,
    "output_parallel": output_parallel,
    "scans": scans,
    "several_devices": several_devices,
    "floyd_warshall": floyd_warshall,
    "largest": largest,
    "lund_smith": lund_smith,
    "min_plus": min_plus,
    "near_far_settings": near_far_settings,
    "negative_weights": negative_weights,
    "single_source": single_source,
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
    stale = [page for page in sorted(DOCS.glob("*.md")) if render(page.read_text()) != page.read_text()]
    if arguments.check and stale:
        raise SystemExit(f"run python -m experiments.tables: {', '.join(page.name for page in stale)} is out of date")
    for page in stale:
        page.write_text(render(page.read_text()))


if __name__ == "__main__":
    main()
