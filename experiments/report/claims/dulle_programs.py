"""What Dulle says of both methods and of the optimisations (chapter 4), and what the committed results say to it."""

from __future__ import annotations

from collections.abc import Callable

from experiments.report.claims.claim import (
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    Judged,
    by_devices,
    measured,
    number,
    rows,
    times,
    verdict_of,
)

METHODS = ("bitset", "list")


def count(device: str, column: str, **values: object) -> int:
    return int(number(device, "pram", column, **values))


def barrier() -> Evidence:
    texts, borne_out = [], True
    for device in measured("counted", subject="global barrier"):
        found = rows(device, "counted", subject="global barrier")
        fewest, most = (pick(found, key=lambda row: int(row["n"])) for pick in (min, max))
        texts.append(f"{SHOWN[device]}: {int(most['wrong']):,} of {int(most['n']):,} work-groups waited in vain")
        borne_out &= fewest["wrong"] == "0" and int(most["wrong"]) > int(most["n"]) / 2
    return "; ".join(texts), borne_out


def launches_of(subject: str, method: str) -> dict[str, tuple[int, int]]:
    """Return what each device needs beside the assignments themselves: launches of the smallest and the largest n."""
    found = {}
    for device in measured("counted", subject=subject, case=method):
        each = sorted(rows(device, "counted", subject=subject, case=method), key=lambda row: int(row["n"]))
        found[device] = int(each[0]["launches"]), int(each[-1]["launches"])
    return found


def bitset_costs() -> Evidence:
    loops, branches = launches_of("a loop", "bitset"), launches_of("a branch", "bitset")
    [(few, many)] = set(loops.values())
    [rounds] = {row["rounds"] for device in loops for row in rows(device, "counted", subject="a loop", case="bitset")}
    text = (
        f"a loop of {rounds} rounds: {few} launches for 256 processors, {many} for 2^20; a condition: 0 (both devices)"
    )
    return text, few < many < 20 * few and set(branches.values()) == {(0, 0)}


def list_costs() -> Evidence:
    loops, branches = launches_of("a loop", "list"), launches_of("a branch", "list")
    [(few, many)], [(one, more)] = set(loops.values()), set(branches.values())
    text = (
        f"a condition: {one} launch for 256 processors, {more} for 2^20, and a word that is read; the new list of each "
        f"round of a loop as much: {few} and {many} for 8 rounds (both devices)"
    )
    return text, 0 < one < more and set(loops.values()) == set(launches_of("a loop", "bitset").values())


def few_active(device: str) -> Judged:
    steps = {
        (row["method"], row["one_active_in"], row["layout"]): float(row["steps_ms"])
        for row in rows(device, "pram", subject="active share")
    }
    layouts = ("scattered", "together")
    shares = {
        fewer: [steps["bitset", fewer, layout] / steps["bitset", "1", layout] for layout in layouts]
        for fewer in ("4", "16", "256")
    }
    shown = ", ".join(f"1 in {fewer} {apart:.0%} and {near:.0%}" for fewer, (apart, near) in shares.items())
    listed = steps["list", "256", "scattered"] / steps["bitset", "256", "scattered"]
    text = (
        f"time of that with all active, scattered and together: {shown}; of 1 in 256, scattered, the list method takes "
        f"{listed:.0%}"
    )
    suffers = shares["256"][0] > 0.25
    less = all(near < apart for apart, near in (shares["4"], shares["16"]))
    return text, verdict_of(suffers and less, suffers)


def list_is_slower() -> Evidence:
    texts, borne_out = [], True
    for device in measured("pram_programs"):
        ratios = {}
        for row in rows(device, "pram_programs", way="list, none"):
            bitset = number(device, "pram_programs", "steps_ms", way="bitset, none", subject=row["subject"], n=row["n"])
            ratios[row["subject"]] = float(row["steps_ms"]) / bitset
        least, most = (pick(ratios, key=lambda each: ratios[each]) for pick in (min, max))
        texts.append(f"{SHOWN[device]}: {times(ratios[least])} ({least}) to {times(ratios[most])} ({most})")
        borne_out &= sorted(ratios.values())[len(ratios) // 2] > 1.1
    return (
        f"time of the list method over that of the bitset method, {len(ratios)} programs: {'; '.join(texts)}",
        borne_out,
    )


def saves(optimization: str, column: str, what: str = "") -> Callable[[], Evidence]:
    """Return evidence that an optimisation alone lowers a count, on each device and with each method."""

    def evidence() -> Evidence:
        texts, borne_out = [], True
        for method in METHODS:
            counts = {
                (
                    count(device, column, subject="components", method=method, optimizations="none"),
                    count(device, column, subject="components", method=method, optimizations=optimization),
                )
                for device in measured("pram")
            }
            borne_out &= all(after < before for before, after in counts)
            before, after = max(counts)
            texts.append(f"{before:,} to {after:,} ({method})")
        return f"components, {what or column}: {', '.join(texts)}", borne_out

    return evidence


def in_place_saves() -> Evidence:
    text, borne_out = saves("in place", "copies")()
    together = []
    for device in measured("pram"):
        before, after = (
            count(device, "copies", subject="scan", method="bitset", optimizations=each) for each in ("none", "all")
        )
        together.append(f"{before} to {after} on {SHOWN[device]}")
        borne_out &= after == 0 < before
    return f"{text}; scan, with meta variables: {', '.join(together)}", borne_out


def waiting() -> Evidence:
    texts, borne_out = [], True
    for device in measured("pram", subject="components", optimizations="loops"):
        none, loops = (
            number(device, "pram", "steps_ms", subject="components", method="bitset", optimizations=each)
            for each in ("none", "loops")
        )
        words = count(device, "words_read", subject="components", method="bitset", optimizations="none")
        texts.append(f"{SHOWN[device]}: {times(none / loops)} for {words:,} words that are not read")
        borne_out &= none / loops > 1.1
    return f"components: {'; '.join(texts)}", borne_out


EVERY = "Programs of chapter 5 and random ones have the same results with each of the 32 sets of optimisations."
PROGRAMS = [
    Claim(
        "4.1",
        "A barrier of all work-groups never ends if there are more of them than can run at once.",
        "counted",
        barrier,
        HOLDS,
        "Here each gives up after some thousand looks.",
    ),
    Claim(
        "4.2.1",
        "Of the bitset method only the test of a loop costs more than on a PRAM, by log n; a condition does not.",
        "counted",
        bitset_costs,
        LIMITED,
        "The reduction has two levels of wide work-groups, not log n. What costs is to wait for its result.",
    ),
    Claim(
        "4.2.2",
        "Of the list method a condition costs a factor of log n, and the test of a loop nothing.",
        "counted",
        list_costs,
        LIMITED,
        "The test itself is free, but each round makes a new list: a loop costs as much as with the bitset method.",
    ),
    by_devices(
        "4.2.1",
        "The bitset method suffers if few processors are active, less if they lie together.",
        ("pram",),
        few_active,
        (HOLDS, LIMITED),
        "On CPU cores the figures have no order: what few that lie together gain is less than what calls vary by.",
    ),
    Claim(
        "4.2.2",
        "The list method is at a disadvantage, since conditions are commoner than loops.",
        "pram_programs",
        list_is_slower,
        HOLDS,
        "Without optimisations. With all of them most programs need neither flags nor lists.",
    ),
    Claim(
        "4.3.1",
        "Independent assignments can share a kernel.",
        "pram",
        saves("merge", "launches"),
        HOLDS,
        f"{EVERY} Alone it finds little: most assignments stand between conditions, until these are in kernels, too.",
    ),
    Claim(
        "4.3.2",
        "Without double buffering nothing changes if no other processor reads the cell that one writes.",
        "pram",
        in_place_saves,
        HOLDS,
        "",
    ),
    Claim(
        "4.3.3",
        "A condition around one assignment is better tested in its kernel.",
        "pram",
        saves("branches", "branches", what="launches of conditions"),
        HOLDS,
        "The condition that what is written is not read in the test is needed only without double buffering.",
    ),
    Claim(
        "4.3.4",
        "Assignments to meta variables need no kernels.",
        "pram",
        saves("meta variables", "assignments", what="launches of assignments"),
        HOLDS,
        "",
    ),
    Claim(
        "4.3.5",
        "Loops whose rounds the host can count, or that fit into a kernel, need no test of who is left.",
        "pram",
        saves("loops", "words_read", what="words that the host waits for"),
        HOLDS,
        "Conditions of the list method still need one each.",
    ),
    Claim(
        "4.3.5",
        "Not to wait for the device in each round gives a clear gain.",
        "pram",
        waiting,
        HOLDS,
        "",
    ),
]
