"""What Dulle says of matchings (section 5.5) that can be checked, and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import FAILS, HOLDS, SHOWN, Claim, Evidence, measured, rows


def maximum_after_n_rounds() -> Evidence:
    texts, borne_out = [], True
    for device in measured("matching"):
        [four] = rows(device, "matching", graph="4 balls")
        [small] = [row for row in rows(device, "matching") if row["graph"].startswith("small")]
        largest = max(rows(device, "matching", method="dulle"), key=lambda row: int(row["n"]))
        n, needed = int(largest["n"]), int(largest["rounds"])
        texts.append(
            f"{SHOWN[device]}, 4 balls: {four['after_n_rounds']} of {four['pairs']} pairs after 4 rounds; "
            f"{small['short']} of {small['graph'].removeprefix('small, ')} small graphs are short; n = {n:,}: "
            f"{largest['after_n_rounds']} of {largest['pairs']} pairs after n rounds, {needed:,} rounds needed"
        )
        borne_out &= four["after_n_rounds"] != four["pairs"] and int(small["short"]) > 0 and needed > n
    return "; ".join(texts), borne_out


def infinite_is_final() -> Evidence:
    found = [
        row for device in measured("matching") for row in rows(device, "matching") if row["graph"].startswith("small")
    ]
    small = found[0]
    text = f"{int(small['infinite']):,} bins with infinite labels, of which {small['left']} got another ball later"
    return text, all(int(each["infinite"]) > 0 and each["left"] == "0" for each in found)


MATCHING: list[Claim] = [
    Claim(
        "5.5",
        "The order in which balls are assigned does not matter, so that n rounds give a maximum matching.",
        "matching",
        maximum_after_n_rounds,
        FAILS,
        "The order does not matter for what is found in the end, but n rounds are not enough: a ball that is replaced "
        "begins again, and labels grow by one a round. Rounds until no ball is left are right, if a ball gives up at a "
        "label above the number of bins; Algorithm 14 has such a limit.",
    ),
    Claim(
        "5.5",
        "An infinite label of a bin means that its ball is final.",
        "matching",
        infinite_is_final,
        HOLDS,
        "",
    ),
]
