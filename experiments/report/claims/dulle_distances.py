"""What Dulle says of distances in graphs (section 5.4), and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import HOLDS, Claim, Evidence, measured, rows


def guard() -> Evidence:
    counts = {
        (row["case"], row["wrong"], row["trials"])
        for device in measured("counted", subject="guard")
        for row in rows(device, "counted", subject="guard")
    }
    wrong = {case: int(number) for case, number, _ in counts}
    text = "; ".join(
        f"{case}: {number} of {trials} matrices differ" for case, number, trials in sorted(counts, reverse=True)
    )
    without = [number for case, number in wrong.items() if case != "negative cycles"]
    return text, len(counts) == 3 and max(without) == 0 < wrong["negative cycles"]


DISTANCES = [
    Claim(
        "5.4",
        "To leave out i = k and j = k changes nothing, and no other processor then reads what one writes.",
        "counted",
        guard,
        HOLDS,
        "Unless there are negative cycles, which unweighted graphs do not have.",
    ),
]
