"""What Dulle's thesis says of connected components, and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import (
    GPU,
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    measured,
    rows,
    slope,
    time_of,
    times,
)

EXPERIMENT = "components"
GRAPH = "random, degree 3"


def growing(device: str, method: str) -> list[tuple[float, float]]:
    """Return vertices and milliseconds of a method on random graphs of growing size."""
    chosen = rows(device, EXPERIMENT, graph=GRAPH, method=method)
    return [(float(row["n"]), float(row["min_ms"])) for row in chosen]


def enough_rounds() -> Evidence:
    found = {
        (int(row["n"]), int(row["rounds"]))
        for device in measured(EXPERIMENT)
        for row in rows(device, EXPERIMENT, method="dulle")
    }
    sizes, rounds = zip(*sorted(found), strict=True)
    text = f"n = {min(sizes)} to {max(sizes):,}: right after {min(rounds)} to {max(rounds)} rounds (both devices)"
    return text, all(each == (n - 1).bit_length() for n, each in found)


def not_optimal() -> Evidence:
    texts, borne_out = [], True
    for device in measured(EXPERIMENT):
        dense, sparse = growing(device, "dulle"), growing(device, "fast")
        n, took = max(dense)
        ratio = took / dict(sparse)[n]
        largest, fast = max(sparse)
        texts.append(
            f"{SHOWN[device]}: Algorithm 18 takes {times(ratio)} as long as the fast method at n = {int(n):,}, and "
            f"grows with n^{slope(dense):.2g}; {time_of(fast)} are enough for the fast one at n = {int(largest):,}"
        )
        borne_out &= ratio > 20 and fast < took
    best = {
        row["subject"]: float(row["steps_ms"])
        / min(
            float(each["steps_ms"])
            for each in rows(GPU, "pram_programs", subject=row["subject"], n=row["n"])
            if each["way"] == "best"
        )
        for row in rows(GPU, "pram_programs", way="by hand")
        if row["subject"] in ("spanning tree", "matching", "all pairs")
    }
    others = ", ".join(f"{name} {times(ratio)}" for name, ratio in best.items())
    return f"{'; '.join(texts)}; his other kernels by hand on the H200: {others} the best method's time", borne_out


ROUNDS = [
    Claim(
        "5.6",
        "ceil(log2 n) rounds, of ceil(log2 n) pointer jumps each, find the components.",
        EXPERIMENT,
        enough_rounds,
        HOLDS,
        "In every test, too: all graphs of three vertices, paths in the worst orders, random graphs.",
    ),
]
CONCLUSION = [
    Claim(
        "6",
        "Complex algorithms for a PRAM cannot be made optimal in OpenCL.",
        EXPERIMENT,
        not_optimal,
        LIMITED,
        "True of his, which read dense matrices, or need rounds by the thousand; algorithms that are made for sparse "
        "graphs are linear in the edges.",
    ),
]
