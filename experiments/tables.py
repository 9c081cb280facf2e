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


def min_plus() -> str:
    """Return one line a device, type and size, one column a method."""
    lines = []
    methods: list[str] = []
    for device, rows in read("min_plus"):
        groups: dict[tuple[str, str], list[str]] = {}
        methods = list(dict.fromkeys(row["method"] for row in rows))
        for row in rows:
            rate = float(row["gigapairs_per_second"])
            groups.setdefault((row["kind"], row["n"]), []).append(f"{rate:,.0f}" if rate > 100 else f"{rate:.3g}")
        lines += [[device, kind, n, *rates] for (kind, n), rates in groups.items()]
    return table(["device", "weights", "n", *methods], lines)


TABLES: dict[str, Callable[[], str]] = {
    "new_york": new_york,
    "output_parallel": output_parallel,
    "scans": scans,
    "min_plus": min_plus,
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
