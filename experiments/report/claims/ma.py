"""What Ma, Agrawal and Chamberlain say of all pairs in their model of memory, and what the results say to it.

Each device is judged by itself, with its own parameters (``tmm_machine``): verdicts follow from the figures.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

from experiments.lib.results import Row
from experiments.report.claims.claim import (
    FAILS,
    HOLDS,
    LIMITED,
    NOT_JUDGED,
    Claim,
    Judged,
    by_devices,
    rows,
    times,
    verdict_of,
)
from reedsp.cost_model.many_core import TABLE, ManyCore, time, time_without_latency

SPARSE, SQUARED, LOG, DENSE = "4", "n / lg^2 n", "n / lg n", "n"
HEAP, ARRAY, BELLMAN_FORD, SQUARING = "heap", "array", "Bellman-Ford", "matrix squaring"
TIMED = (HEAP, ARRAY, BELLMAN_FORD, SQUARING)
ALGORITHMS, MACHINE, ACCESSES, PRODUCTS = "tmm_algorithms", "tmm_machine", "accesses", "min_plus"
SMALLEST = 256  # vertices, below which a call is hardly more than its launches


@cache
def parameters(device: str) -> dict[str, float]:
    return {row["name"]: float(row["value"]) for row in rows(device, MACHINE, what="parameter")}


def machine_of(device: str) -> ManyCore:
    return ManyCore(*(parameters(device)[letter] for letter in "LPCZQX"))


@cache
def of_degree(device: str, degree: str) -> dict[int, dict[str, Row]]:
    """Return the rows of each size, by their algorithms."""
    found: dict[int, dict[str, Row]] = {}
    for row in rows(device, ALGORITHMS, degree=degree):
        found.setdefault(int(row["n"]), {})[row["algorithm"]] = row
    return found


def largest(device: str, degree: str) -> dict[str, Row]:
    found = of_degree(device, degree)
    return found[max(found)]


def gain(sizes: dict[str, Row], slow: str, fast: str) -> float:
    return float(sizes[slow]["min_ms"]) / float(sizes[fast]["min_ms"])


def predicted(device: str, row: Row, name: str, pram: bool = False) -> float:
    """Return the time of an algorithm by equation 2, with this device's parameters, or on a PRAM of as many cores."""
    machine = machine_of(device)
    program = TABLE[name].program(int(row["n"]), int(row["m"]), machine)
    return time_without_latency(program, machine) if pram else time(program, machine)


def size_of(row: Row) -> str:
    return f"n = {int(row['n']):,}"


def compared(device: str, degree: str, slow: str, fast: str) -> tuple[str, float]:
    """Say how many times as fast one algorithm is as another, and what equation 2 and a PRAM say to it."""
    found = largest(device, degree)
    row, here = found[fast], gain(found, slow, fast)
    by_model, by_pram = (
        predicted(device, row, slow, pram) / predicted(device, row, fast, pram) for pram in (False, True)
    )
    return f"{size_of(row)}: {times(here)}; {times(by_model)} by the model, {times(by_pram)} on a PRAM", here


# ---- section IV ---------------------------------------------------------------------------------------


def parts_of_the_speed(device: str) -> Judged:
    """Compare operations a second with what the cores could do."""
    peak = parameters(device)["operations a second"]
    found = largest(device, LOG)
    parts = {
        name: float(found[name]["operations"]) / float(found[name]["min_ms"]) * 1e3 / peak
        for name in (ARRAY, BELLMAN_FORD, HEAP)
    }
    pairs = [row for row in rows(device, PRODUCTS, kind="int32") if row["method"] != "arithmetic"]
    parts[SQUARING] = 2e9 * max(float(row["gigapairs_per_second"]) for row in pairs) / peak
    shown = ", ".join(f"{name} {parts[name]:.2%}" for name in (SQUARING, ARRAY, BELLMAN_FORD, HEAP))
    holds = (
        parts[SQUARING] > max(parts[ARRAY], parts[BELLMAN_FORD])
        and min(parts[ARRAY], parts[BELLMAN_FORD]) > parts[HEAP]
    )
    return f"{shown}", verdict_of(holds, parts[SQUARING] > parts[HEAP])


def squaring_on_dense_graphs(device: str) -> Judged:
    text, ratio = compared(device, DENSE, HEAP, SQUARING)
    machine = machine_of(device)
    most = math.sqrt(machine.local_words) * machine.coalesced
    return f"{text}, at most {times(most)}", verdict_of(ratio > 1)


def array_against_heap(device: str) -> Judged:
    text, ratio = compared(device, LOG, HEAP, ARRAY)
    return text, verdict_of(ratio > 1)


def squaring_against_array(device: str) -> Judged:
    ratios = {degree: gain(largest(device, degree), ARRAY, SQUARING) for degree in (SPARSE, LOG, DENSE)}
    shown = ", ".join(f"{degree} edges a vertex {times(ratio)}" for degree, ratio in ratios.items())
    every = [ratio > 1 for ratio in ratios.values()]
    return f"{size_of(largest(device, DENSE)[ARRAY])}: {shown}", verdict_of(all(every), any(every))


def squaring_against_bellman_ford(device: str) -> Judged:
    text, ratio = compared(device, SPARSE, BELLMAN_FORD, SQUARING)
    return text, verdict_of(ratio > 1)


# ---- section V ----------------------------------------------------------------------------------------


def array_in_local_memory(device: str) -> Judged:
    found = largest(device, SQUARED)
    less = float(found[ARRAY]["accesses"]) / float(found["array in local memory"]["accesses"])
    more = float(found[ARRAY]["operations"]) / float(found[HEAP]["operations"])
    ratio = gain(found, HEAP, ARRAY)
    text = f"{size_of(found[ARRAY])}: M falls {times(less)}; the array is {times(ratio)} as fast, with {times(more)} T1"
    return text, verdict_of(ratio > 1 and less > 1, less > 1)


def edges_in_local_memory(device: str) -> Judged:
    """Of the largest graph whose edges, of three words, would fit."""
    machine = machine_of(device)
    room = machine.cores / machine.cores_together * machine.local_words / 3
    fits = [found for found in of_degree(device, LOG).values() if int(found[HEAP]["m"]) <= room]
    if not fits:
        return f"no graph has as few edges as {room:,.0f}", verdict_of(False)
    found = fits[-1]
    ratio = gain(found, HEAP, BELLMAN_FORD)
    return f"{size_of(found[HEAP])}: {times(ratio)} the heap's speed", verdict_of(ratio > 1)


def latency(device: str, table: str) -> dict[int, float]:
    """Return the reads a second, by work-items of a compute unit."""
    chosen = rows(device, ACCESSES, question="latency", variant=table)
    return {int(float(row["x"])): 1e9 * float(row["gigaaccesses_per_second"]) for row in chosen}


def tables(device: str) -> list[str]:
    return list(dict.fromkeys(row["variant"] for row in rows(device, ACCESSES, question="latency")))


def enough(rates: dict[int, float]) -> int:
    return next(items for items, rate in rates.items() if rate >= 0.8 * max(rates.values()))


def small_latency(device: str) -> Judged:
    shown, found = [], []
    for table in (tables(device)[0], tables(device)[-1]):
        rates = latency(device, table)
        found.append(enough(rates))
        alone = rates[1] / max(rates.values())
        shown.append(f"{int(table.split()[0]) >> 10:,} KiB: one does {alone:.0%} of the best, {found[-1]} are enough")
    text = f"work-items of a compute unit that wait for memory: {'; '.join(shown)}"
    return text, verdict_of(found[0] <= found[1] and found[0] == 1, found[0] < found[1])


def hidden_by_threads(device: str) -> Judged:
    rates = latency(device, tables(device)[-1])
    best = enough(rates)
    total = max(rates.values()) / rates[1]
    if machine_of(device).most_threads <= 1 and total < 3:
        return f"X is 1, and many work-items are {times(total)} as fast as one: nothing is to fall", NOT_JUDGED
    power = math.log(rates[best] / rates[1]) / math.log(best) if best > 1 else 0.0
    text = f"1 to {best} work-items a compute unit: speed as their number to the power of {power:.2f}, {times(total)}"
    return text, verdict_of(power > 0.8, power > 0.5)


def order_of_algorithms(device: str) -> Judged:
    """Count the pairs of algorithms that come in the right order."""
    right = {True: 0, False: 0}
    total = 0
    for degree in (SPARSE, SQUARED, LOG, DENSE):
        for n, found in of_degree(device, degree).items():
            for one, other in itertools.combinations(TIMED, 2):
                if n < SMALLEST or abs(math.log(gain(found, one, other))) < math.log(1.1):
                    continue  # as fast as each other
                total += 1
                for pram in (False, True):
                    first, second = (predicted(device, found[one], name, pram) for name in (one, other))
                    right[pram] += (first > second) == (gain(found, one, other) > 1) and first != second
    text = f"of {total} pairs, {SMALLEST} vertices and more: {right[False]} by the model, {right[True]} by the PRAM"
    return text, verdict_of(right[False] >= 0.9 * total, right[False] > right[True])


# ---- section III: what is counted ---------------------------------------------------------------------


def range_of(device: str, algorithm: str, column: str) -> tuple[float, float]:
    """Return the least and the largest part of a formula, of all graphs of enough vertices."""
    chosen = [row for row in rows(device, ALGORITHMS, algorithm=algorithm) if int(row["n"]) >= SMALLEST]
    parts = [float(row[column]) for row in chosen]
    return min(parts), max(parts)


def counted(device: str, algorithm: str, column: str) -> Judged:
    """Say how far what is counted is from the formula; it holds up to a factor of three."""
    least, most = range_of(device, algorithm, column)
    holds = least > 1 / 3 and most < 3
    return f"{least:.2g} to {most:.2g} of it", verdict_of(holds, most < 3 and most > 1 / 3)


def local_bellman_ford(device: str) -> Judged:
    found = largest(device, LOG)
    less = float(found[BELLMAN_FORD]["accesses"]) / float(found["Bellman-Ford in local memory"]["accesses"])
    return f"{size_of(found[HEAP])}: {times(less)} as many without", verdict_of(less < 1.1)


BOTH = (ALGORITHMS, MACHINE)
MA: list[Claim] = [
    by_devices(
        "III.B",
        "The heap makes mn lg n operations",
        (ALGORITHMS,),
        lambda device: counted(device, HEAP, "of_t1"),
        (LIMITED, LIMITED),
        "A bound: few of many edges to a vertex lower its distance, and few entries rise to the top",
    ),
    by_devices(
        "III.B",
        "The heap makes mn lg n accesses",
        (ALGORITHMS,),
        lambda device: counted(device, HEAP, "of_m"),
        (LIMITED, LIMITED),
        "The same bound",
    ),
    by_devices(
        "III.C",
        "The array makes n³ + mn operations",
        (ALGORITHMS,),
        lambda device: counted(device, ARRAY, "of_t1"),
        (HOLDS, HOLDS),
    ),
    by_devices(
        "III.C",
        "The array makes n³/C + mn accesses",
        (ALGORITHMS,),
        lambda device: counted(device, ARRAY, "of_m"),
        (HOLDS, HOLDS),
    ),
    by_devices(
        "III.D",
        "Bellman-Ford makes mn² operations",
        (ALGORITHMS,),
        lambda device: counted(device, BELLMAN_FORD, "of_t1"),
        (FAILS, FAILS),
        "It is printed without an early stop; hardly any graph needs n - 1 rounds",
    ),
    by_devices(
        "IV, Table III",
        "Squaring keeps most of a PRAM's speed, the array and Bellman-Ford less, and the heap least",
        (*BOTH, PRODUCTS),
        parts_of_the_speed,
        (HOLDS, NOT_JUDGED),
        "Parts of the operations that the cores can do, which Table III has as 1 and less",
    ),
    by_devices(
        "IV.A.1",
        "On dense graphs squaring beats the heap by up to √Z C, though a PRAM takes as long for both",
        BOTH,
        squaring_on_dense_graphs,
        (HOLDS, HOLDS),
        "The heap does a fifth of its mn lg n operations, and caches answer most of its accesses",
    ),
    by_devices(
        "IV.A.2",
        "With n / lg n edges a vertex the array beats the heap by up to C, though a PRAM takes as long for both",
        BOTH,
        array_against_heap,
        (HOLDS, HOLDS),
        "By C only if lg n is above C, which takes 2^C vertices",
    ),
    by_devices(
        "IV.B",
        "Squaring beats the array as long as lg n < √Z, though a PRAM takes lg n times as long for it",
        BOTH,
        squaring_against_array,
        (FAILS, LIMITED),
        "The printed times depend on n alone; on sparse graphs the array has hardly an edge to relax",
    ),
    by_devices(
        "IV.B",
        "Squaring beats Bellman-Ford if m = O(n) and lg n < √Z",
        BOTH,
        squaring_against_bellman_ford,
        (FAILS, FAILS),
        "Of its n - 1 rounds few are needed",
    ),
    by_devices(
        "V.A",
        "If n < Z the array's accesses become fewer, so that it beats the heap with n / lg² n edges a vertex",
        BOTH,
        array_in_local_memory,
        (HOLDS, HOLDS),
        "Fewer than the mn of the paper, as edges lie side by side",
    ),
    by_devices(
        "V.A",
        "To keep all distances in fast memory leaves Bellman-Ford's accesses as they are",
        (ALGORITHMS,),
        local_bellman_ford,
        (FAILS, FAILS),
        "It spares just those that are not coalesced",
    ),
    by_devices(
        "V.B",
        "If the edges fit into all local memories Bellman-Ford beats the heap with n / lg n edges a vertex",
        BOTH,
        edges_in_local_memory,
        (HOLDS, FAILS),
        "Not built as the paper has it: nothing in local memory outlives a launch, so that edges are read from caches",
    ),
    by_devices(
        "IV",
        "If the latency is small everything is as fast as on a PRAM",
        (ACCESSES,),
        small_latency,
        (LIMITED, HOLDS),
        "Chains of reads in a table that the nearest cache holds, and in one that no cache holds",
    ),
    by_devices(
        "II.C",
        "Time that is spent waiting for memory falls as 1/T, up to min(X, Z/(SQ)) threads of a core",
        (ACCESSES, MACHINE),
        hidden_by_threads,
        (HOLDS, NOT_JUDGED),
    ),
    by_devices(
        "VI",
        "Work, depth and accesses order algorithms properly from slow to fast",
        BOTH,
        order_of_algorithms,
        (LIMITED, LIMITED),
        "By equation 2 and the formulae of Table III without a factor; pairs within a tenth are left out",
    ),
]
