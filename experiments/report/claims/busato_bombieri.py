"""What Busato and Bombieri say of load balancing (section 5, figures 12 to 15), and what the results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import GPU, rows

KINDS = {
    "USA-road-d.NY": "New York",
    "grid": "grid",
    "web-NotreDame": "web-NotreDame",
    "few long rows": "few long rows",
    "R-MAT": "R-MAT",
}
"""The beginnings of the names of graphs."""

ROADS = ("USA-road-d.NY", "grid")
WEB, ROWS, R_MAT = "web-NotreDame", "few long rows", "R-MAT"
WIDTHS = [f"virtual-warps-{width}" for width in (2, 4, 8, 16, 32)]
STATIC = ["items", *WIDTHS]
NO_QUEUE = "dynamic-virtual-warps, no queue"


def milliseconds(kind: str) -> dict[str, float]:
    """Return the times of all rungs by themselves on one kind of graph, the fastest first."""
    found = [row for row in rows(GPU, "balance", what="expansion") if row["graph"].startswith(kind)]
    return dict(sorted(((row["rung"], float(row["min_ms"])) for row in found), key=lambda each: each[1]))
