"""What Dulle says of reductions and prefix sums (sections 5.1 and 5.2), and what the committed results say to it."""

from __future__ import annotations

import itertools

from experiments.lib.results import Row
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


def largest(device: str, problem: str) -> list[Row]:
    """Return the rows of the largest arrays."""
    found = rows(device, "trees", problem=problem)
    n = max(int(row["n"]) for row in found)
    return [row for row in found if int(row["n"]) == n]


def took(row: Row) -> float:
    return float(row["min_ms"])


def named(row: Row) -> str:
    return f"m = {row['m']}, c = {row['c']}"


def trees_of(device: str, problem: str) -> tuple[list[Row], float]:
    """Return his trees of the largest arrays, the quickest first, and the time of the way that he starts from."""
    found = largest(device, problem)
    [naive] = [took(row) for row in found if row["method"] == "naive"]
    return sorted((row for row in found if row["method"] == "dulle"), key=took), naive


def linear() -> Evidence:
    texts, borne_out = [], True
    for device in measured("trees"):
        points: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        for row in rows(device, "trees", problem="reduction"):
            if row["method"] != "copy":
                points.setdefault((row["method"], row["m"], row["c"]), []).append((float(row["n"]), took(row)))
        exponents = [slope(each) for each in points.values()]
        sizes = sorted({int(row["n"]) for row in rows(device, "trees", problem="reduction")})[-2:]
        between = " to ".join(f"2^{n.bit_length() - 1}" for n in sizes)
        texts.append(f"{SHOWN[device]}, {between}: n^{min(exponents):.2g} to n^{max(exponents):.2g}")
        borne_out &= min(exponents) > 0.6 and max(exponents) < 1.4
    return "; ".join(texts), borne_out


def reductions() -> Evidence:
    texts, borne_out = [], True
    for device in measured("trees"):
        found, naive = trees_of(device, "reduction")
        slower = sum(took(row) > naive for row in found)
        of_group = {c: [took(row) for row in found if row["c"] == c] for c in ("1", "4", "16")}
        means = {c: sum(each) / len(each) for c, each in of_group.items()}
        by_each = ", ".join(f"{time_of(mean)} with c = {c}" for c, mean in means.items())
        texts.append(
            f"{SHOWN[device]}: {times(naive / took(found[0]))} the pairs' speed with {named(found[0])}; {slower} of "
            f"{len(found)} trees are slower than pairs; on average {by_each}"
        )
        borne_out &= naive > 3 * took(found[0]) and slower > 0 and means["1"] > means["4"]
    return "; ".join(texts), borne_out


def accesses() -> Evidence:
    found = [row for row in largest(measured("trees")[0], "reduction") if row["method"] in ("naive", "dulle")]
    by_children = {2 if row["m"] == "" else int(row["m"]) * int(row["c"]): row for row in found}
    counted = [int(by_children[k]["accesses"]) for k in sorted(by_children)]
    n = int(found[0]["n"])
    apart = max(abs(int(row["accesses"]) - float(row["mem_access"])) for row in found)
    ends = [
        f"{int(by_children[k]['accesses']) / n:.6g} n with {k:,} children" for k in (min(by_children), max(by_children))
    ]
    falls = all(after < before for before, after in itertools.pairwise(counted))
    return (
        f"2^{n.bit_length() - 1} elements: {', '.join(ends)}; at most {apart:.2g} beside his sum",
        falls and apart < 10,
    )


def scans() -> Evidence:
    texts, borne_out = [], True
    for device in measured("trees"):
        found, naive = trees_of(device, "scan")
        reduced, pairs = trees_of(device, "reduction")
        slower = sum(took(row) > naive for row in found)
        best = {c: min(took(row) for row in found if row["c"] == c) for c in ("1", "4", "8", "64")}
        by_each = ", ".join(f"{time_of(time)} with c = {c}" for c, time in best.items())
        gain, in_reductions = naive / took(found[0]), pairs / took(reduced[0])
        texts.append(
            f"{SHOWN[device]}: {times(gain)} the speed of the unoptimised scan with {named(found[0])}, "
            f"{times(in_reductions)} in reductions; {slower} of {len(found)} trees are slower; at best {by_each}"
        )
        borne_out &= gain > in_reductions and best["1"] > best["8"]
        if device == GPU:
            borne_out &= slower == 0 and best["64"] > 2 * min(best.values())
    return "; ".join(texts), borne_out


def no_conflicts() -> Evidence:
    counts = {}
    for last in (False, True):
        found = [
            row
            for device in measured("counted", subject="down phase")
            for row in rows(device, "counted", subject="down phase")
            if row["case"].endswith("too") == last
        ]
        counts[last] = [int(row["wrong"]) for row in found]
    text = (
        f"cells that two work-groups share in a launch, 100,000 elements, three (m, c): {max(counts[False])}; if a "
        f"group writes its last element, too: {min(counts[True])} to {max(counts[True])}"
    )
    return text, max(counts[False]) == 0 < min(counts[True])


TREES = [
    Claim(
        "5.1",
        "All reductions take linear time; the logarithm of the PRAM is not reached.",
        "trees",
        linear,
        HOLDS,
        "",
    ),
    Claim(
        "5.1",
        "Trees of work-groups are faster than pairs, which are the slowest; m = 64, c = 16 is best, c = 4 is worse "
        "than the others, and m hardly matters.",
        "trees",
        reductions,
        LIMITED,
        "Most are faster, and with c = 1 they lose. Which m and c are best depends on the device, and so does "
        "whether m matters: on CPU cores large groups wait long at their barriers.",
    ),
    Claim(
        "5.1",
        "The accesses to memory, the sum of n/k^i + n/k^(i+1), become fewer with k.",
        "trees",
        accesses,
        HOLDS,
        "From a thousand children on hardly: 2/k of the elements are at stake.",
    ),
    Claim(
        "5.2",
        "Every optimised scan is faster than the unoptimised one, by more than in 5.1; m = 256, c = 8 is best; too "
        "small and too large c lose.",
        "trees",
        scans,
        LIMITED,
        "On the GPU all of it but for the best c, which is 4. On CPU cores large groups lose, and a large c does not.",
    ),
    Claim(
        "5.2",
        "In the down phase no work-group writes what another one reads or writes.",
        "counted",
        no_conflicts,
        HOLDS,
        "As the text has it; line 18 of Algorithm 10 writes the last element, too. Oclgrind finds no race.",
    ),
]
