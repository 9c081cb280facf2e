"""Sentences about calls beside SciPy say what the files say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.lib.results import RESULTS, Row, read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "performance.md"
README = (PAGE.parents[2] / "README.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())
CALLS = {device: read(RESULTS / device / "whole_calls.csv") for device in ("nvidia-h200", "pocl-amd-epyc")}
ORDER = "breadth_first_order"


def size(row: Row) -> int:
    """Return the power of ten that is next to the number of vertices."""
    return round(math.log10(float(row["n"])))


def ratio(row: Row) -> float:
    return float(row["ratio"])


def with_trees(row: Row) -> bool:
    return "predecessors" in row["call"]


def is_negative(row: Row) -> bool:
    return row["graph"].startswith("negative")


def lost(chosen: Callable[[Row], bool]) -> str:
    """Return by how much chosen calls are slower than SciPy's, where they are."""
    found = []
    for rows in CALLS.values():
        slower = [row for row in rows if chosen(row) and ratio(row) < 1]
        by = sorted(round(1e3 * (float(row["min_ms"]) - float(row["scipy_min_ms"]))) for row in slower)
        found.append(f"{by[0]}" if by[0] == by[-1] else f"{by[0]} to {by[-1]}")
    return f"by {found[0]} microseconds on the host of the H200, by {found[1]} on two cores with PoCL"


@pytest.mark.parametrize(
    ("start", "chosen"),
    [
        (
            "- **Ten to a thousand vertices**: ",
            lambda row: size(row) <= 3 and not with_trees(row) and not is_negative(row),
        ),
        (
            "- **Predecessors** of up to a thousand vertices: ",
            lambda row: size(row) <= 3 and with_trees(row) and not is_negative(row),
        ),
        (
            "- **Negative weights** of ten to a hundred vertices: ",
            lambda row: is_negative(row) and int(row["n"]) <= 100,
        ),
        (
            "; of ten thousand, in grids and with PoCL in R-MAT graphs, too: ",
            lambda row: size(row) == 4 and with_trees(row),
        ),
        (
            "- **Other calls of ten thousand vertices**: ",
            lambda row: size(row) == 4 and not with_trees(row) and row["call"] != ORDER,
        ),
        (f"- **`{ORDER}`** of ten thousand vertices: ", lambda row: size(row) == 4 and row["call"] == ORDER),
        ("; of a hundred thousand and more, in grids and with PoCL in R-MAT graphs, too: ", lambda row: size(row) > 4),
    ],
)
def test_where_scipy_is_faster_the_page_says_by_how_much(start: str, chosen: Callable[[Row], bool]) -> None:
    assert start + lost(chosen) in TEXT


def test_where_we_are_faster_is_where_the_page_says() -> None:
    counts = []
    for rows in CALLS.values():
        assert all(ratio(row) > 1 for row in rows if size(row) > 4 and not row["call"].startswith("breadth_first"))
        for row in rows:
            if row["call"].split(",")[0] in ("bellman_ford", "johnson"):
                assert ratio(row) > 1 or int(row["n"]) < (1000 if is_negative(row) else 60)
        assert all(ratio(row) > 1 for row in rows if int(row["n"]) >= 500 and row["call"].startswith("floyd_warshall"))
        middle = [row for row in rows if size(row) == 4]
        counts.append(f"{sum(ratio(row) > 1 for row in middle)} of {len(middle)}")
        other = [ratio(row) for row in middle if not with_trees(row) and row["call"] != ORDER]
        assert min(other) >= 0.9, "a tenth at most"
    assert f"{counts[0]} calls are faster on the H200 and {counts[1]} on two cores with PoCL" in TEXT


def test_the_readme_says_how_much_faster_one_search_is() -> None:
    """Of searches from one source in sparse graphs of a hundred thousand vertices and more."""
    calls = ("dijkstra", "dijkstra, predecessors", "dijkstra, unweighted", "shortest_path")
    found = {
        device: [ratio(row) for row in rows if int(row["n"]) > 90_000 and row["call"] in calls]
        for device, rows in CALLS.items()
    }
    said = re.search(r"about (\d+) to (\d+) times as fast on two CPU cores, and (\d+) to\s+(\d+) times", README)
    assert said is not None
    ends = [
        round(end) for device in ("pocl-amd-epyc", "nvidia-h200") for end in (min(found[device]), max(found[device]))
    ]
    assert ends == [int(each) for each in said.groups()]


def test_what_is_slower_in_large_graphs_is_what_the_page_names() -> None:
    slower = {
        device: {row["graph"].split(",")[0] for row in rows if size(row) == 5 and ratio(row) < 1}
        for device, rows in CALLS.items()
    }
    assert slower == {"nvidia-h200": {"grid"}, "pocl-amd-epyc": {"grid", "R-MAT"}}
    trees = {row["graph"].split(",")[0] for rows in CALLS.values() for row in rows if size(row) == 4 and ratio(row) < 1}
    assert "grid" in trees
    assert {
        row["graph"].split(",")[0]
        for rows in CALLS.values()
        for row in rows
        if size(row) == 4 and with_trees(row) and ratio(row) < 1
    } == {"grid", "R-MAT"}


def test_figures_are_of_as_many_runs_as_the_page_says() -> None:
    said = re.search(r"of (\d+) to (\d+) for calls from a program's own matrix", TEXT)
    assert said is not None
    repeats = [int(row["repeats"]) for rows in CALLS.values() for row in rows]
    assert (min(repeats), max(repeats)) == (int(said[1]), int(said[2]))
