"""What Dulle says of spanning trees (2016, section 5.7), and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import LIMITED, SHOWN, Claim, Evidence, measured, ms, rows, times


def unique_tree() -> Evidence:
    """Count where the printed algorithm is wrong; with an order of edges it is checked where it is measured."""
    device, *_ = measured("counted", subject="spanning tree")
    found = rows(device, "counted", subject="spanning tree")
    wrong = {row["case"]: int(row["wrong"]) for row in found}
    counts = ", ".join(
        f"{number} wrong of {case} weight{'s' * (case != '1')}" for case, number in wrong.items() if case != "distinct"
    )
    slower = {
        each: ms(each, "forests", n=2048, kind="few", method="dulle")
        / ms(each, "forests", n=2048, kind="few", method="fast")
        for each in measured("forests")
    }
    others = ", ".join(f"{times(ratio)} on {SHOWN[each]}" for each, ratio in slower.items())
    text = (
        f"as printed, {int(found[0]['trials']):,} small graphs: {counts}, {wrong['distinct']} of distinct ones; with "
        f"the order of edges none, in {others} the time of the fast method (n = 2,048)"
    )
    return text, wrong["distinct"] == 0 < wrong["1"] and wrong["1"] > wrong["10"] and min(slower.values()) > 1


FORESTS = [
    Claim(
        "5.7",
        "The minimum spanning tree has to be unique.",
        "forests",
        unique_tree,
        LIMITED,
        "Of the algorithm as it is printed that is true, and the fewer weights there are, the more often it fails. An "
        "order in which no two edges are equal makes any tree unique, and costs nothing. The counts are in `counted`.",
    ),
]
