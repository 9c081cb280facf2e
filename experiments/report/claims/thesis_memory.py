"""What the thesis says of memory (sections 3.2.1 to 3.2.5, figure 4.2) and of Dijkstra's algorithm (section 1.5).

Each device is judged by itself: verdicts follow from the figures.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.report.claims.claim import (
    FAILS,
    GPU,
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
from experiments.report.claims.ma import (
    ALGORITHMS,
    ARRAY,
    DENSE,
    HEAP,
    LOG,
    SPARSE,
    counted,
    enough,
    gain,
    largest,
    latency,
    size_of,
    tables,
)

ACCESSES = "accesses"
RATE, BYTES = "gigaaccesses_per_second", "gigabytes_per_second"
CLEARLY, ALIKE = 1.2, 1.1  # times as fast
WARP = 32
PADDED = ((1024, 1040), (4096, 4112))  # words of a row, and of one that is 16 words longer


def rate(device: str, question: str, variant: str = "", x: float = 0, column: str = RATE) -> float:
    """Return accesses, or bytes, of the one row of a question."""
    chosen = [row for row in rows(device, ACCESSES, question=question, variant=variant) if float(row["x"]) == x]
    [row] = chosen
    return float(row[column])


# ---- 3.2.1 word size ----------------------------------------------------------------------------------


def words(device: str) -> Judged:
    found = {size: rate(device, "word size", x=size, column=BYTES) for size in (1, 2, 4, 8, 16)}
    shown = ", ".join(f"{size}: {each:,.3g}" for size, each in found.items())
    gains = [found[size] / found[1] for size in (4, 8, 16)]
    return f"GB/s by bytes of a word: {shown}", verdict_of(min(gains) > CLEARLY, max(gains) > CLEARLY)


def alignment(device: str) -> Judged:
    whole = rate(device, "alignment", "as one word")
    ratios = {off: whole / rate(device, "alignment", "as four words", off) for off in (4, 8)}
    shown = ", ".join(f"{off} bytes off {times(ratio)}" for off, ratio in ratios.items())
    every = [ratio > CLEARLY for ratio in ratios.values()]
    return f"time of 16 bytes, against aligned ones: {shown}", verdict_of(all(every), any(every))


def record_sizes(device: str) -> Judged:
    ratio = rate(device, "record size", "20 bytes", 32) / rate(device, "record size", "20 bytes", 20)
    other = rate(device, "record size", "12 bytes", 16) / rate(device, "record size", "12 bytes", 12)
    text = f"records a second: 20 bytes in 32 {times(ratio)} those in 20, 12 bytes in 16 {times(other)} those in 12"
    return text, verdict_of(ratio > CLEARLY)


# ---- 3.2.2 latency ------------------------------------------------------------------------------------


def latency_hidden(device: str) -> Judged:
    rates = latency(device, tables(device)[-1])
    total = max(rates.values()) / rates[1]
    text = f"{times(total)} the reads of one work-item a compute unit, {enough(rates)} do most of that"
    return text, verdict_of(total > 10, total > 1.5)


def in_progress(device: str, table: str) -> int:
    """Return the most work-items of a compute unit whose reads are clearly more than those of half as many."""
    rates = latency(device, table)
    return max((items for items in rates if items > 1 and rates[items] > ALIKE * rates[items // 2]), default=1)


def tens_of_warps(device: str) -> Judged:
    if device != GPU:
        return "it has no warps", NOT_JUDGED
    items = max(in_progress(device, table) for table in tables(device))
    text = f"up to {items} work-items, {items / WARP:.3g} warps of {WARP}, do clearly more reads than half as many"
    return text, verdict_of(items >= 10 * WARP)


# ---- 3.2.3 coalescing ---------------------------------------------------------------------------------


def coalescing(device: str) -> Judged:
    ratios = {stride: rate(device, "stride", x=1) / rate(device, "stride", x=stride) for stride in (2, 8, 32)}
    shown = ", ".join(f"{stride}: {times(ratio)}" for stride, ratio in ratios.items())
    return f"time by words from neighbour to neighbour, against 1: {shown}", verdict_of(ratios[32] > 4, ratios[32] > 2)


def any_order(device: str) -> Judged:
    ratio = rate(device, "order", "in another order") / rate(device, "order", "in order")
    return f"{times(ratio)} the speed of neighbours in order", verdict_of(ratio > 1 / ALIKE, ratio > 0.5)


def one_segment(device: str) -> Judged:
    ratio = rate(device, "order", "one word off") / rate(device, "order", "in order")
    return f"one word off the segment: {times(ratio)} the speed", verdict_of(ratio < 1 / ALIKE)


# ---- 3.2.4 conflicts in global memory -----------------------------------------------------------------


def by_padding(device: str) -> dict[int, float]:
    """Return how many times as fast a column is if rows are longer, by the words that they have before."""
    return {
        length: rate(device, "column", "down a column", padded) / rate(device, "column", "down a column", length)
        for length, padded in PADDED
    }


def columns(device: str) -> Judged:
    found = by_padding(device)
    shown = ", ".join(f"{length:,} words a row: {times(ratio)}" for length, ratio in found.items())
    every = [ratio > CLEARLY for ratio in found.values()]
    return f"time down a column, against that with 16 more words a row: {shown}", verdict_of(all(every), any(every))


def padded_columns(device: str) -> Judged:
    """Compare padded columns with reads along a row, which have no conflicts."""
    gains, row = by_padding(device), rate(device, "column", "along a row")
    left = {padded: row / rate(device, "column", "down a column", padded) for _, padded in PADDED}
    shown = " and ".join(map(times, gains.values()))
    of_row = ", ".join(f"{padded:,} {times(ratio)}" for padded, ratio in left.items())
    text = (
        f"16 more words make a column {shown} as fast, of rows of 1,024 and 4,096; time against along a row: {of_row}"
    )
    avoided = max(left.values()) < ALIKE
    gained = [ratio > CLEARLY for ratio in gains.values()]
    return text, verdict_of(avoided and all(gained), avoided and any(gained))


def same_word(device: str) -> Judged:
    ratio = rate(device, "same word", "read by one") / rate(device, "same word", "read by all")
    return f"loaded by one work-item each: {times(ratio)} as fast as by all", verdict_of(ratio > CLEARLY, ratio > 1.05)


def raised_word(device: str) -> Judged:
    found = {words: rate(device, "raised words", x=words) for words in (1, 32, 32768)}
    shown = ", ".join(f"{words:,}: {found[words]:.3g}" for words in found)
    ratio = found[32768] / found[1]
    return f"10^9 atomic maxima a second by words: {shown}", verdict_of(ratio > CLEARLY)


# ---- 3.2.5 and figure 4.2: conflicts in local memory ----------------------------------------------------


def banks(device: str) -> Judged:
    ratios = {stride: rate(device, "bank", x=1) / rate(device, "bank", x=stride) for stride in (2, 8, 32, 33)}
    shown = ", ".join(f"{stride}: {times(ratio)}" for stride, ratio in ratios.items())
    holds = ratios[32] > 4 and ratios[33] < ALIKE
    return f"time by words from neighbour to neighbour, against 1: {shown}", verdict_of(holds, ratios[32] > CLEARLY)


def padding(device: str, kernel: str) -> float:
    """Return how many times as fast a kernel is with padded rows."""
    return rate(device, "tile", kernel, 1) / rate(device, "tile", kernel, 0)


def figure_4_2(device: str) -> Judged:
    found = {kernel: padding(device, kernel) for kernel in ("transposition", "product, by columns")}
    shown = ", ".join(f"{kernel} {times(ratio)}" for kernel, ratio in found.items())
    every = [ratio > CLEARLY for ratio in found.values()]
    return f"gain by padding of kernels that read a tile down its columns: {shown}", verdict_of(all(every), any(every))


def algorithm_5(device: str) -> Judged:
    ratio = padding(device, "product, by rows")
    return f"gain by padding: {times(ratio)}", verdict_of(ratio > ALIKE)


# ---- 1.5 Dijkstra's algorithm -------------------------------------------------------------------------


def loops(device: str) -> Judged:
    found = largest(device, DENSE)
    n = int(found[ARRAY]["n"])
    turns = {name: float(found[name]["extractions"]) / n for name in (ARRAY, HEAP)}
    shown = ", ".join(f"{name} {each:,.0f}" for name, each in turns.items())
    once = all(each == n for each in turns.values())
    return f"{size_of(found[ARRAY])}, minima taken for each source: {shown}", verdict_of(once, turns[ARRAY] <= n + 1)


def better_queue(device: str) -> Judged:
    shown, fewer = [], []
    for degree in (SPARSE, LOG, DENSE):
        found = largest(device, degree)
        ratio = float(found[ARRAY]["operations"]) / float(found[HEAP]["operations"])
        fewer.append(ratio)
        shown.append(f"{degree}: {times(ratio)} the operations and {times(gain(found, ARRAY, HEAP))} the time")
    text = f"array against heap by edges a vertex, {size_of(found[ARRAY])}: {', '.join(shown)}"
    return text, verdict_of(fewer[0] > 2 > fewer[2] and fewer[2] < CLEARLY, fewer[0] > fewer[1] > fewer[2])


def of_algorithms(statement: str, judge: Callable[[str], Judged], verdicts: tuple[str, str], why: str = "") -> Claim:
    return by_devices("1.5.3", statement, (ALGORITHMS,), judge, verdicts, why)


def of_accesses(
    section: str, statement: str, judge: Callable[[str], Judged], verdicts: tuple[str, str], why: str = ""
) -> Claim:
    return by_devices(section, statement, (ACCESSES,), judge, verdicts, why)


MEMORY: list[Claim] = [
    of_algorithms(
        "The main loop is entered exactly once for each vertex.",
        loops,
        (LIMITED, LIMITED),
        "With the array, and once more to find that none is left. A heap that keeps outdated entries has more turns.",
    ),
    of_algorithms(
        "With an array Dijkstra's algorithm takes n² + m steps.",
        lambda device: counted(device, ARRAY, "of_t1"),
        (HOLDS, HOLDS),
    ),
    of_algorithms(
        "A better queue is an improvement only if there are O(n² / log n) edges.",
        better_queue,
        (LIMITED, LIMITED),
        "Of steps, with a binary heap, of which it is true; a Fibonacci heap is one for any o(n²) edges.",
    ),
    of_accesses(
        "3.2.1",
        "Words of 4, 8 and 16 bytes are read by a single instruction.",
        words,
        (HOLDS, LIMITED),
        "So they bring more bytes than single ones, unless memory is the limit.",
    ),
    of_accesses(
        "3.2.1",
        "16 bytes at a multiple of 4 or 8 take two requests.",
        alignment,
        (FAILS, FAILS),
        "Four requests or one longer one, which caches make cheap.",
    ),
    of_accesses(
        "3.2.1",
        "An array of records of more than 16 bytes, but no multiple of 16, is read inefficiently.",
        record_sizes,
        (FAILS, FAILS),
        "What makes records larger is moved, too.",
    ),
    of_accesses(
        "3.2.2",
        "Enough work-items hide the latency of memory.",
        latency_hidden,
        (HOLDS, LIMITED),
        "A CPU core runs one work-item after the other.",
    ),
    of_accesses(
        "3.2.2",
        "A streaming processor can “simultaneously manage hundreds of threads, or […] tens of thread warps”.",
        tens_of_warps,
        (HOLDS, NOT_JUDGED),
        "At least so many: chains of reads show what is in progress, not what else could be.",
    ),
    of_accesses(
        "3.2.3",
        "Neighbours whose words lie in one segment read them together.",
        coalescing,
        (HOLDS, HOLDS),
        "On a CPU it is a cache line that several work-items read.",
    ),
    of_accesses(
        "3.2.3",
        "From compute capability 1.2 on neighbours may read a segment in any order.",
        any_order,
        (HOLDS, HOLDS),
    ),
    of_accesses(
        "3.2.3",
        "The best speed takes all words of a half-warp in one segment.",
        one_segment,
        (HOLDS, FAILS),
        "The word that is beside it is one of a line that neighbours have asked for.",
    ),
    of_accesses(
        "3.2.4",
        "Down a column of a matrix, neighbours are slow if rows are multiples of a bank or channel.",
        columns,
        (HOLDS, LIMITED),
        "By less than half, as each work-item goes on along its row and uses up lines in caches; of 4,096 words CPU "
        "cores show nothing of it.",
    ),
    of_accesses(
        "3.2.4",
        "Padded rows avoid that.",
        padded_columns,
        (HOLDS, LIMITED),
        "Where it is slow; on CPU cores rows of 4,096 words are not.",
    ),
    of_accesses(
        "3.2.4",
        "Many work-items that read one word are in conflict; one should load it into local memory.",
        same_word,
        (HOLDS, HOLDS),
    ),
    of_accesses(
        "3.2.4",
        "Many work-items that access one word are in conflict: as they change it.",
        raised_word,
        (HOLDS, HOLDS),
    ),
    of_accesses(
        "3.2.5",
        "Successive words lie in different banks, and a warp is fast only if each work-item has its own.",
        banks,
        (HOLDS, FAILS),
        "PoCL has no local memory of its own: it is ordinary memory in the nearest cache.",
    ),
    of_accesses(
        "4.1.4, figure 4.2",
        "A row one word longer takes the conflicts from access down a column.",
        figure_4_2,
        (HOLDS, FAILS),
    ),
    of_accesses(
        "4.1.4, figure 4.2",
        "So it does for B's tile in Algorithm 5.",
        algorithm_5,
        (FAILS, FAILS),
        "It reads that tile along its rows alone.",
    ),
]
