"""What Dulle says of spanning trees (2016, section 5.7), and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import CPU, LIMITED, SHOWN, Claim, Evidence, number, times


def unique_tree() -> Evidence:
    """Count where the printed algorithm is wrong; with an order of edges it is checked where it is measured."""
    first = {"n": 256, "method": "dulle"}
    wrong = {kind: number(CPU, "forests", "printed", kind=kind, **first) for kind in ("distinct", "few")}
    trials = number(CPU, "forests", "trials", kind="few", **first)
    gain = {n: number(CPU, "forests", "min_ms", n=n, kind="few", method="dulle") for n in (1024, 2048)}
    ours = number(CPU, "forests", "min_ms", n=2048, kind="few", method="fast")
    text = (
        f"as printed, distinct weights: {wrong['distinct']:.0f} of {trials:.0f} small graphs wrong; weights 1 to 3: "
        f"{wrong['few']:.0f} wrong; with the order of edges none, on {SHOWN[CPU]} in "
        f"{times(gain[2048] / ours)} the time of the other method (n = 2,048)"
    )
    return text, wrong["distinct"] == 0 and wrong["few"] > 0 and gain[2048] > ours


FORESTS = [
    Claim(
        "5.7",
        "The minimum spanning tree has to be unique.",
        "forests",
        unique_tree,
        LIMITED,
        "Of the algorithm as it is printed that is true. An order in which no two edges are equal makes any tree "
        "unique, and costs nothing.",
    ),
]
