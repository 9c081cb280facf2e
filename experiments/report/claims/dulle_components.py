"""What Dulle's thesis says of connected components, and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import CPU, HOLDS, LIMITED, Claim, Evidence, ms, rows, slope, time_of, times

EXPERIMENT = "components"
GRAPH = "random, degree 3"


def growing(method: str) -> list[tuple[float, float]]:
    """Return vertices and milliseconds of a method on random graphs of growing size."""
    chosen = rows(CPU, EXPERIMENT, graph=GRAPH, method=method)
    return [(float(row["n"]), float(row["min_ms"])) for row in chosen]


def enough_rounds() -> Evidence:
    found = {int(row["n"]): int(row["rounds"]) for row in rows(CPU, EXPERIMENT, method="dulle")}
    text = f"n = {min(found)} to {max(found):,}: right after {min(found.values())} to {max(found.values())} rounds"
    return text, all(rounds == (n - 1).bit_length() for n, rounds in found.items())


def not_optimal() -> Evidence:
    dense, sparse = growing("dulle"), growing("fast")
    n = int(max(dense)[0])
    ratio = ms(CPU, EXPERIMENT, graph=GRAPH, n=n, method="dulle") / ms(CPU, EXPERIMENT, graph=GRAPH, n=n, method="fast")
    largest, took = max(sparse)
    growth = slope(dense)
    return (
        f"two CPU cores: Algorithm 18 grows with n^{growth:.2g} and takes {times(ratio)} as long as the fast method at "
        f"n = {n:,}, which takes {time_of(took)} at n = {int(largest):,}",
        ratio > 20 and growth > 1.5 and took < ms(CPU, EXPERIMENT, graph=GRAPH, n=n, method="dulle"),
    )


COMPONENTS = [
    Claim(
        "5.6",
        "ceil(log2 n) rounds, of ceil(log2 n) pointer jumps each, find the components.",
        EXPERIMENT,
        enough_rounds,
        HOLDS,
        "In every test, too: all graphs of three vertices, paths in the worst orders, random graphs.",
    ),
    Claim(
        "6",
        "Complex algorithms for a PRAM cannot be made optimal in OpenCL.",
        EXPERIMENT,
        not_optimal,
        LIMITED,
        "True of this one, which reads a dense matrix in each round; an algorithm that is made for sparse graphs is "
        "linear in the edges.",
    ),
]
