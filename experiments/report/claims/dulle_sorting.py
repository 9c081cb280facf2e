"""What Dulle says of sorting (section 5.3) that can be checked, and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import CPU, GPU, LIMITED, SHOWN, Claim, Evidence, measured, ms, rows, times

KEYS = 1 << 20


def presorting_gains() -> Evidence:
    """Compare the best length of lists with lists of one."""
    texts, gains = [], {}
    for device in measured("sorting", presort="none"):
        unsorted = ms(device, "sorting", method="merge", presort="none", n=KEYS)
        found = [row for row in rows(device, "sorting", method="merge", n=KEYS) if row["presort"] != "none"]
        best = min(found, key=lambda row: float(row["min_ms"]))
        gains[device] = unsorted / float(best["min_ms"])
        fast = unsorted / ms(device, "sorting", method="fast", n=KEYS)
        texts.append(
            f"{SHOWN[device]}: {times(gains[device])} by {best['presort']} lists of {best['list_length']} "
            f"({times(fast)} by digits)"
        )
    return f"{KEYS:,} keys: {'; '.join(texts)}", gains[GPU] > 1.2 and gains[CPU] < 1.2


def equal_keys_stay_apart() -> Evidence:
    """Count the places of a merge that are taken, and say whether equal keys keep their order."""
    found = {row["method"].partition(", ")[2]: row for row in rows(CPU, "sorting") if row["method"].startswith("RANK")}
    texts = [
        f"{name}: {row['places']} of {row['n']} places taken, {'stable' if row['stable'] == 'True' else 'not stable'}"
        for name, row in found.items()
    ]
    printed, exchanged, without = (found[name] for name in ("b as printed", "b exchanged", "without b"))
    all_taken = printed["places"] == printed["n"] == exchanged["places"]
    borne_out = all_taken and without["places"] != without["n"] and exchanged["stable"] == "True" != printed["stable"]
    return "; ".join(texts), borne_out


SORTING: list[Claim] = [
    Claim(
        "5.3",
        "Sorting lists of m elements first is faster than to begin with lists of one.",
        "sorting",
        presorting_gains,
        LIMITED,
        "True of the GPU. On CPU cores the barriers of a network cost what it saves in merges.",
    ),
    Claim(
        "5.3",
        "The flag b of RANK keeps equal elements of two lists apart.",
        "sorting",
        equal_keys_stay_apart,
        LIMITED,
        "As printed RANK takes equal elements of the second list first, so that the sort is not stable; b exchanged it "
        "is. And it returns the count with the wrong sign.",
    ),
]
