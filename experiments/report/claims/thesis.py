"""What the thesis says that can be checked, and what the committed results say to it."""

from __future__ import annotations

from experiments.report.claims.claim import (
    CPU,
    FAILS,
    GPU,
    HOLDS,
    LIMITED,
    SHOWN,
    Claim,
    Evidence,
    measured,
    ms,
    number,
    rows,
    slope,
    time_of,
    times,
)

# ---- min-plus products -------------------------------------------------------------------------------


def product_ms(method: str, n: int = 8192) -> float:
    return ms(GPU, "min_plus", method=method, n=n, kind="float32")


def naive_on_gpu() -> Evidence:
    n = 2048
    ratio = ms(GPU, "floyd_warshall", method="cpu", n=n) / product_ms("naive", n)
    return f"H200, n = {n}: {times(ratio)} as many pairs a second as one core with three loops", ratio > 10


def row_blocks() -> Evidence:
    gains = {n: product_ms("naive", n) / product_ms("row-blocks", n) for n in (1024, 8192)}
    text = ", ".join(f"{times(gain)} at n = {n}" for n, gain in gains.items())
    return f"H200, Algorithm 4 against 3: {text}", gains[1024] < 1 < gains[8192]


def transposed() -> Evidence:
    on_gpu = product_ms("row-blocks-transposed") / product_ms("row-blocks")
    on_cpu = ms(CPU, "min_plus", method="row-blocks", n=2048, kind="float32") / ms(
        CPU, "min_plus", method="row-blocks-transposed", n=2048, kind="float32"
    )
    return (
        f"with B transposed Algorithm 4 takes {times(on_gpu)} as long on the H200 (n = 8,192); on two CPU cores it is "
        f"{times(on_cpu)} as fast (n = 2,048)",
        on_gpu > 2 and on_cpu > 2,
    )


def tiles() -> Evidence:
    gain, left = product_ms("row-blocks") / product_ms("tiles"), product_ms("tiles") / product_ms("registers")
    return (
        f"H200, n = 8192: {times(gain)} Algorithm 4; tiles in registers are {times(left)} Algorithm 5",
        gain > 1.1 and left > 2,
    )


# ---- prefix sums ------------------------------------------------------------------------------------


def scan_ms(device: str, method: str, n: int, group_size: str = "") -> float:
    return ms(device, "scans", method=method, n=n, dtype="float32", group_size=group_size)


LARGEST_SCAN = {GPU: 1 << 28, CPU: 1 << 26}


def scan_outperforms() -> Evidence:
    sequential = number(CPU, "scans", "gigabytes_per_second", method="numpy.cumsum", dtype="int32")
    gains = {
        device: number(device, "scans", "gigabytes_per_second", method="fast", dtype="int32") / sequential
        for device in SHOWN
    }
    text = ", ".join(f"{SHOWN[device]} {times(gain)}" for device, gain in gains.items())
    return f"GB/s of the largest int32 arrays against numpy.cumsum on one core: {text}", min(gains.values()) > 1.2


def work_efficient() -> Evidence:
    gains = {device: scan_ms(device, "naive", n) / scan_ms(device, "blelloch", n) for device, n in LARGEST_SCAN.items()}
    small = scan_ms(GPU, "naive", 1 << 10) / scan_ms(GPU, "blelloch", 1 << 10)
    text = ", ".join(f"{SHOWN[device]} {times(gain)}" for device, gain in gains.items())
    return f"largest arrays: {text}; 1,024 floats on the H200: {times(small)}", min(*gains.values(), small) > 1.5


def largest_group() -> Evidence:
    ratios = {
        device: scan_ms(device, "blelloch", n, "1024") / scan_ms(device, "blelloch", n, "256")
        for device, n in LARGEST_SCAN.items()
    }
    text = ", ".join(f"{SHOWN[device]} {times(ratio)}" for device, ratio in ratios.items())
    return f"groups of 1,024 against 256 take: {text} as long", min(ratios.values()) > 1.1


def scan_on_proper_gpu() -> Evidence:
    n = 1 << 26
    ratio = scan_ms(CPU, "fast", n) / scan_ms(GPU, "fast", n)
    return f"2^26 floats: H200 {times(ratio)} as fast as the best scan of two cores", ratio > 10


# ---- transfers --------------------------------------------------------------------------------------


def transfer(column: str, what: str) -> float:
    return number(GPU, "transfers", column, what=what)


def transfers_are_slow() -> Evidence:
    """Say which part of each call, from host to host, is transfers."""
    of_scan, of_graph = transfer("share", "inclusive scan"), transfer("share", "near-far, graph copied")
    total = transfer("min_ms", "near-far, graph copied")
    return (
        f"H200, part of the call that is transfers: {of_scan:.0%} of the scan of a host array, {of_graph:.1%} of the "
        f"{time_of(total)} of a search of a graph that the device does not have yet",
        of_scan > 0.5 > of_graph,
    )


def kept_on_the_device() -> Evidence:
    n = 1 << 26
    host, device = transfer("min_ms", "inclusive scan"), scan_ms(GPU, "call", n)
    return (
        f"H200, scan of 2^26 numbers: {time_of(host)} from and to the host, {time_of(device)} on the device",
        host > 10 * device,
    )


def bus_rate() -> Evidence:
    rate = transfer("upload_gigabytes_per_second", "floyd-warshall")
    return f"H200, uploads from ordinary memory: {rate:.1f} GB/s", rate > 10


# ---- work of the scans ------------------------------------------------------------------------------


def additions(kernel: str, n: int) -> int:
    return int(number(CPU, "scan_trace", "adds", picture="work", kernel=kernel, n=n))


TRACED = 256


def naive_work() -> Evidence:
    made, bound = additions("add_earlier", TRACED), TRACED // 2 * (TRACED.bit_length() - 1)
    return f"n = {TRACED}: {made:,} additions, bound {bound:,}", made >= bound


def sweep_work() -> Evidence:
    made = {n: additions("trace_sweep", n) for n in (8, TRACED)}
    text = ", ".join(f"{count} additions for n = {n}" for n, count in made.items())
    return text, all(count == 2 * n - 3 for n, count in made.items())


# ---- all pairs by multiplication --------------------------------------------------------------------


def structure() -> Evidence:
    generators = ("complete", "n/4 edges")
    every, stopped = (
        [ms(GPU, "figure_6_1", n=8192, generator=each, what=what, product="auto") for each in generators]
        for what in ("every squaring", "apsp")
    )
    return (
        f"H200, n = 8,192, complete over n/4 edges: {every[0] / every[1]:.3f} of the time with every squaring, "
        f"{stopped[0] / stopped[1]:.3g} if a fixed point ends it",
        abs(every[0] / every[1] - 1) < 0.05 < abs(stopped[0] / stopped[1] - 1),
    )


def squarings() -> Evidence:
    [row, _] = rows(GPU, "figure_6_1", n=8192, what="every squaring", product="auto")
    return f"n = 8,192: {row['products']} products instead of {8192 - 2:,}", int(row["products"]) == 13


def counted(claim: str, column: str, **values: object) -> int:
    """Return a sum over all families and sizes of random graphs."""
    return sum(int(row[column]) for row in rows(CPU, "negative_cycles", claim=claim, **values))


def exponent() -> Evidence:
    claim = "matrixExponent returns the power"
    wrong, cases = (counted(claim, column, way="as printed, for 1 to 16") for column in ("wrong", "cases"))
    return f"{wrong} of {cases} exponents wrong", wrong == 1


def path_procedure() -> Evidence:
    claim, ties = "predecessors lead along a shortest path, if there is one", "A^(2^k), ties in any order"
    wrong, endless, cases = (
        counted(claim, column, way=ties, family="cycles of weight zero") for column in ("wrong", "endless", "cases")
    )
    plain = sum(counted(claim, column, family="positive weights") for column in ("wrong", "endless"))
    return (
        f"positive weights: {plain} wrong; cycles of weight zero, ties kept by any work-item: {wrong + endless} of "
        f"{cases:,} paths wrong or endless",
        plain == 0 < wrong + endless,
    )


def negative_diagonal() -> Evidence:
    claim = "a negative cycle through i makes i,i negative"
    exact, enough = (
        [counted(claim, column, way=way) for column in ("wrong", "cases")]
        for way in ("A^(|V|-1)", "A^(2^k), 2^k > |V|-1")
    )
    return (
        f"A^(|V|-1) misses {exact[0]:,} of {exact[1]:,}; A^(2^k), 2^k > |V| - 1, misses {enough[0]} of {enough[1]:,}",
        exact[0] > 0 == enough[0],
    )


def path_test() -> Evidence:
    claim = "an invalid path value is rejected, its path being known"
    wrong, endless, cases = (counted(claim, column, way="A^(2^k)") for column in ("wrong", "endless", "cases"))
    ours = [counted("reedsp marks the pairs without a shortest path", column) for column in ("wrong", "cases")]
    return (
        f"of {cases:,} invalid pairs {wrong:,} are accepted, and {endless:,} have paths without an end; "
        f"negative_cycles='mark' is wrong for {ours[0]} of {ours[1]:,}",
        wrong > 0 and endless > 0 == ours[0],
    )


def block_wise() -> Evidence:
    [row] = rows(GPU, "memory_cap", n=16384)
    limit, size = int(row["memory_limit"]) >> 20, int(row["bytes_of_matrix"]) >> 20
    on_cpu = number(CPU, "memory_cap", "ratio", n=8192)
    return (
        f"n = 16,384 ({size:,} MiB) within {limit} MiB: {time_of(float(row['min_ms']))}, "
        f"{times(float(row['ratio']))} the time without a limit; CPU, n = 8,192: {times(on_cpu)}",
        size > 2 * limit,
    )


# ---- output-parallel and input-parallel Bellman-Ford -------------------------------------------------


def output_parallel_ms(graph: str, **options: object) -> float:
    chosen = rows(GPU, "output_parallel", graph=graph, early_stop=True, **options)
    return min(float(row["min_ms"]) for row in chosen if row["n"] != "4096")


SKEWED, FIXED, GRID = "skewed in-degree 8", "fixed in-degree 8", "grid 500 x 500"


def cooperative_loading() -> Evidence:
    gains = {
        graph: output_parallel_ms(graph, cooperative_loading=False)
        / output_parallel_ms(graph, cooperative_loading=True)
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(gain)}" for graph, gain in gains.items())
    return f"H200, gain: {text}", gains[SKEWED] > 1.3 and gains[GRID] < 1.1


def in_degree_order() -> Evidence:
    gains = {
        graph: output_parallel_ms(graph, in_degree_order=False, cooperative_loading=False)
        / output_parallel_ms(graph, in_degree_order=True, cooperative_loading=False)
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(gain)}" for graph, gain in gains.items())
    return f"H200, gain: {text}", max(gains.values()) < 1.1


def warp_sized_groups() -> Evidence:
    ratio = output_parallel_ms(SKEWED, group_size=32, cooperative_loading=True, in_degree_order=False) / min(
        output_parallel_ms(SKEWED, group_size=size, cooperative_loading=True, in_degree_order=False)
        for size in (128, 256)
    )
    return f"H200, {SKEWED}: groups of 32 take {times(ratio)} as long as the best larger ones", ratio > 1.1


def early_rounds() -> Evidence:
    [row, *_] = rows(GPU, "output_parallel", graph=FIXED, n=4096, early_stop=True)
    return f"in-degree 8, n = 4,096: {row['rounds']} of 4,095 rounds", int(row["rounds"]) < 100


def no_sacrifice() -> Evidence:
    ratios = {
        graph: ms(GPU, "input_parallel", graph=graph, method="output-parallel")
        / ms(GPU, "input_parallel", graph=graph, method="input-parallel")
        for graph in (FIXED, GRID, SKEWED)
    }
    text = ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items())
    return f"H200, OPBF's time over IPBF's: {text}", ratios[SKEWED] > 1.5 and ratios[GRID] < 1


def dijkstra_over_opbf() -> dict[str, float]:
    """Return how many times as long Dijkstra's algorithm takes as OPBF, on each graph that both have solved."""
    found: dict[tuple[str, str], float] = {}
    whole_calls = rows(GPU, "single_source", what="whole call", sources=1)
    for row in (*rows(GPU, "graph_families"), *whole_calls):
        found[row["graph"], row["method"]] = float(row["min_ms"])
    graphs = [graph for graph, method in found if method == "output-parallel" and (graph, "scipy dijkstra") in found]
    return {graph: found[graph, "scipy dijkstra"] / found[graph, "output-parallel"] for graph in graphs}


def against_dijkstra() -> Evidence:
    ratios = dijkstra_over_opbf()
    beaten, ahead = (
        ", ".join(f"{graph} {times(ratio)}" for graph, ratio in ratios.items() if (ratio < 1) == slower)
        for slower in (True, False)
    )
    text = f"H200, time of SciPy's Dijkstra over OPBF's: Dijkstra ahead: {beaten}; OPBF ahead: {ahead}"
    return text, min(ratios.values()) < 0.5 < 2 < max(ratios.values())


def of_all_rounds(device: str, low: int, high: int) -> float:
    """Return the exponent at which the time of all rounds grows between two numbers of vertices."""
    return slope([(n, ms(device, "figure_6_2", n=n, in_degree=8)) for n in (low, high)])


def quadratic() -> Evidence:
    launches, end = of_all_rounds(GPU, 1024, 65536), of_all_rounds(GPU, 131072, 262144)
    on_cpu = of_all_rounds(CPU, 8192, 32768)
    return (
        f"H200: n^{launches:.2f} up to 65,536 vertices, n^{end:.2f} at 262,144; CPU: n^{on_cpu:.2f} at 32,768",
        launches < 1.2 < end and 1.7 < on_cpu < 2.6,
    )


def report_cost() -> Evidence:
    found = {}
    for device, n in ((GPU, 65536), (CPU, 4096)):
        for what in ("forced path", "many updates"):
            with_report, without = (
                number(device, "figure_6_3", "ms_per_round", what=f"per round, {what}", n=n, early_stop=early_stop)
                for early_stop in (True, False)
            )
            found[device, what] = with_report / without - 1
    text = ", ".join(f"{SHOWN[device]} {cost:+.1%} ({what})" for (device, what), cost in found.items())
    on_gpu, on_cpu = (max(cost for (device, _), cost in found.items() if device == each) for each in (GPU, CPU))
    return text, on_gpu < 0.1 < on_cpu


def worth_the_report() -> Evidence:
    gains = {
        device: number(device, "figure_6_3", "gain", n=n, in_degree=8, what="early stop")
        for device, n in ((GPU, 65536), (CPU, 4096))
    }
    text = ", ".join(f"{SHOWN[device]} {times(gain)}" for device, gain in gains.items())
    return f"n = 65,536 and 4,096, gain: {text}", min(gains.values()) > 10


def family_ms(device: str, graph: str, method: str) -> float:
    return ms(device, "graph_families", graph=graph, method=method)


def a_relaxation(device: str, graph: str, method: str) -> float:
    """Return nanoseconds."""
    relaxations = number(device, "graph_families", "relaxations", graph=graph, method=method)
    return 1e6 * family_ms(device, graph, method) / relaxations


def against_sequential() -> Evidence:
    """Compare relaxations: SciPy's makes all rounds, and IPBF stops after one that changes nothing."""
    parts, found = [], {}
    for device in SHOWN:
        for row in rows(device, "graph_families", method="scipy bellman_ford"):
            graph = row["graph"]
            gain = family_ms(device, graph, "scipy bellman_ford") / family_ms(device, graph, "input-parallel")
            found[device, graph] = a_relaxation(device, graph, "scipy bellman_ford") / a_relaxation(
                device, graph, "input-parallel"
            )
            early = gain / found[device, graph]
            parts.append(
                f"{SHOWN[device]}, {graph}: {times(found[device, graph])} by relaxation ({times(gain)} the whole, "
                f"{times(early)} of it by fewer rounds)"
            )
    on_gpu, on_cpu = ([ratio for (device, _), ratio in found.items() if device == each] for each in (GPU, CPU))
    return f"IPBF against SciPy's Bellman-Ford: {'; '.join(parts)}", min(on_gpu) > 1 > max(on_cpu)


def needless_relaxations() -> Evidence:
    shares = {
        graph: number(CPU, "graph_families", "relaxations", graph=graph, method="input-parallel-refined")
        / number(CPU, "graph_families", "relaxations", graph=graph, method="output-parallel")
        for graph in ("path", "grid", "in-degree 4", "in-degree 32", "complete")
    }
    text = ", ".join(f"{graph} {share:.2g}" for graph, share in shares.items())
    return f"part of the relaxations that can change anything: {text}", list(shares.values()) == sorted(shares.values())


def refinement() -> Evidence:
    gains = {
        (device, graph): family_ms(device, graph, "output-parallel")
        / family_ms(device, graph, "input-parallel-refined")
        for graph in ("grid", "skewed in-degree 8")
        for device in (CPU, GPU)
    }
    text = ", ".join(f"{SHOWN[device]}, {graph}: {times(gain)}" for (device, graph), gain in gains.items())
    return f"refined IPBF against OPBF: {text}", gains[CPU, "grid"] > 1.5 and gains[GPU, "grid"] < 1


def larger_problems() -> Evidence:
    single = max(int(row["n"]) for row in rows(GPU, "single_source"))
    [pairs] = rows(GPU, "largest")
    return f"H200: {single:,} vertices from one source, {int(pairs['n']):,} for all pairs", single > 10 * int(
        pairs["n"]
    )


def one_block() -> Evidence:
    """Say how many matrices were needed: of a limit that was kept, and of what was allocated."""
    parts, needed = [], []
    for device in measured("memory_cap"):
        row = max(rows(device, "memory_cap"), key=lambda row: int(row["n"]))
        needed.append(int(row["memory_limit"]) / int(row["bytes_of_matrix"]))
        parts.append(f"{SHOWN[device]}, n = {int(row['n']):,}: in memory for {needed[-1]:.3g} of the matrix")
    for device in measured("density", method="blocked"):
        row = rows(device, "density", method="blocked")[0]
        needed.append(int(row["bytes_allocated"]) / int(row["bytes_of_matrix"]))
        parts.append(f"{SHOWN[device]}, n = {int(row['n']):,}, all on the device: {needed[-1]:.3g} times the matrix")
    return "; ".join(parts), max(needed) < 2


def large_run_times() -> Evidence:
    milliseconds = ms(GPU, "floyd_warshall", method="blocked", n=4096, kind="float32")
    return f"H200, n = 4,096: {time_of(milliseconds)}", milliseconds < 100


def several_gpus() -> Evidence:
    n = 32768
    gains = {
        kind: ms(GPU, "several_devices", devices=1, n=n, kind=kind)
        / ms(GPU, "several_devices", devices=2, n=n, kind=kind)
        for kind in ("float32", "int32")
    }
    text = ", ".join(f"{times(gain)} for {kind}" for kind, gain in gains.items())
    return f"two H200s, n = {n:,}, from host to host: {text}", min(gains.values()) > 1.6


THESIS: list[Claim] = [
    Claim(
        "3.2.6",
        "The transfer of data can be one of the slowest parts of a program.",
        "transfers",
        transfers_are_slow,
        LIMITED,
        "It is where little is done with each byte. Before a graph is searched for the first time, the host prepares "
        "it, which takes longer than to copy it.",
    ),
    Claim(
        "3.2.6",
        "It is best to keep all of a computation on the device.",
        "transfers",
        kept_on_the_device,
        HOLDS,
        "",
    ),
    Claim(
        "3.2.6",
        "The bus has about 8 GB/s.",
        "transfers",
        bus_rate,
        FAILS,
        "Today's has more: several threads copy to pinned memory, which the device reads.",
    ),
    Claim(
        "4.1.2",
        "Even the naive kernel (Algorithm 3) is appreciably faster than a naive CPU implementation.",
        "min_plus",
        naive_on_gpu,
        HOLDS,
        "",
    ),
    Claim(
        "4.1.2",
        "Loading blocks of a row of A into local memory (Algorithm 4) drastically reduces requests, and so the time.",
        "min_plus",
        row_blocks,
        LIMITED,
        "Caches of today's GPUs do the same for matrices that fit into them; only large ones gain.",
    ),
    Claim(
        "4.1.2",
        "Access to B cannot be coalesced in Algorithm 4, because B is in row-major order; transposing B helps.",
        "min_plus",
        transposed,
        FAILS,
        "Neighbouring work-items read neighbours in a row of B: coalesced, until B is transposed. CPU cores differ.",
    ),
    Claim(
        "4.1.4",
        "Tiles of both matrices in local memory (Algorithm 5) make the best kernel.",
        "min_plus",
        tiles,
        LIMITED,
        "Best of the ladder, but each sum still reads local memory twice; tiles in registers share reads.",
    ),
    Claim(
        "4.2",
        "The parallel scan often outperforms the optimal sequential one.",
        "scans",
        scan_outperforms,
        HOLDS,
        "",
    ),
    Claim(
        "4.2.1",
        "The naive scan makes at least (n/2) log n additions.",
        "scan_trace",
        naive_work,
        HOLDS,
        "",
    ),
    Claim(
        "4.2.3",
        "The work-efficient scan makes 3n operations in all.",
        "scan_trace",
        sweep_work,
        LIMITED,
        "It is linear, but less: 2n - 3 additions. The root is cleared, and its children are served, without one.",
    ),
    Claim(
        "4.2.4",
        "The work-efficient scan is certain to run much faster than the naive one, because it asks less of memory.",
        "scans",
        work_efficient,
        HOLDS,
        "",
    ),
    Claim(
        "4.2.5",
        "Work-groups of the largest supported size are to be used.",
        "scans",
        largest_group,
        FAILS,
        "Small groups hide each other's barriers; of a large one all work-items wait.",
    ),
    Claim(
        "5.2.1",
        "Squaring needs log |V| products instead of |V| - 1.",
        "figure_6_1",
        squarings,
        HOLDS,
        "",
    ),
    Claim(
        "5.2.1",
        "matrixExponent returns A^n.",
        "negative_cycles",
        exponent,
        LIMITED,
        "It returns the cube for the exponent 1.",
    ),
    Claim(
        "5.2.2",
        "Following predecessors back from j ends at i, along a shortest path.",
        "negative_cycles",
        path_procedure,
        LIMITED,
        "With cycles of weight zero it depends on which of several equal sums is kept.",
    ),
    Claim(
        "5.2.3",
        "A negative cycle through i makes entry i,i negative.",
        "negative_cycles",
        negative_diagonal,
        LIMITED,
        "A cycle of |V| vertices has |V| edges, one more than the exponent that shortest paths need.",
    ),
    Claim(
        "5.2.3",
        "A path weight is invalid if and only if its path passes a vertex with a negative diagonal entry.",
        "negative_cycles",
        path_test,
        FAILS,
        "Any path over a negative cycle is enough, whichever the predecessors hold; and these may lead in circles.",
    ),
    Claim(
        "5.3.1",
        "Work-items that load edges together make better use of memory.",
        "output_parallel",
        cooperative_loading,
        LIMITED,
        "Long lists are then read by all; of short ones a cache line brings the next edges anyway.",
    ),
    Claim(
        "5.3.1",
        "Vertices numbered by in-degree make the kernel faster on GPUs.",
        "output_parallel",
        in_degree_order,
        FAILS,
        "It evens out warps, but scatters neighbours over memory, and gathers all hubs in a few work-groups.",
    ),
    Claim(
        "5.3.1",
        "Work-groups and chunks of exactly a warp are best.",
        "output_parallel",
        warp_sized_groups,
        FAILS,
        "Larger groups share out the edges of a hub among more work-items.",
    ),
    Claim(
        "5.4",
        "Relaxing by edges keeps the parallelism that relaxing by vertices gives away.",
        "input_parallel",
        no_sacrifice,
        LIMITED,
        "Worth it where in-degrees are skewed; elsewhere the scan's traffic and launches cost more.",
    ),
    Claim(
        "6.1.1",
        "The structure of the graph has no effect on the time for all pairs.",
        "figure_6_1",
        structure,
        HOLDS,
        "For the algorithm as it is. One that stops at a fixed point depends on how many edges paths have.",
    ),
    Claim(
        "6.1.1",
        "Two blocks of memory of n x n entries are needed, one for input and one for output.",
        "memory_cap`, `density",
        one_block,
        FAILS,
        "Blocked Floyd-Warshall works in place, beside a copy of a panel, and rows of the matrix can stay on the host.",
    ),
    Claim(
        "6.1.1",
        "All pairs take long even below 5,000 vertices.",
        "floyd_warshall",
        large_run_times,
        FAILS,
        "True of its hardware; no longer of today's.",
    ),
    Claim(
        "6.1.2",
        "From a single source far larger graphs can be solved than for all pairs.",
        "single_source",
        larger_problems,
        HOLDS,
        "",
    ),
    Claim(
        "6.1.2",
        "The time of OPBF over all rounds is quadratic in the number of vertices.",
        "figure_6_2",
        quadratic,
        LIMITED,
        "Once a round fills the device. Before, a round costs what a launch costs, and the time is linear.",
    ),
    Claim(
        "6.1.2",
        "The shortest paths of random graphs are found long before round |V| - 1.",
        "output_parallel",
        early_rounds,
        HOLDS,
        "",
    ),
    Claim(
        "6.1.2",
        "To report updates makes a round about 10 % slower.",
        "figure_6_3",
        report_cost,
        LIMITED,
        "Here one work-item of a group reports. On the GPU that costs less; on CPU cores, more.",
    ),
    Claim(
        "6.1.2",
        "Fewer rounds more than make up for it.",
        "figure_6_3",
        worth_the_report,
        HOLDS,
        "",
    ),
    Claim(
        "6.2",
        "A highly optimised sequential Dijkstra would soundly beat OPBF, even on the best hardware.",
        "graph_families`, `single_source",
        against_dijkstra,
        LIMITED,
        "True of a path, which leaves a GPU little to do in each of many rounds, and of a small complete graph, of "
        "which each work-item has a thousand edges. Elsewhere rounds are few, or take a GPU microseconds. "
        "Dijkstra's algorithm is SciPy's, which others may beat.",
    ),
    Claim(
        "6.2",
        "“No performance gains could be achieved” by IPBF on a GPU “on the testing hardware”, even over a sequential "
        "implementation of the same algorithm.",
        "graph_families",
        against_sequential,
        LIMITED,
        "That hardware cannot be measured here. A relaxation takes less time on a GPU of today, as the author hoped, "
        "and more on CPU cores. SciPy makes all rounds, which is what is left of the gain of a call.",
    ),
    Claim(
        "6.2",
        "Needless relaxations are the worse, the fewer edges a vertex has.",
        "graph_families",
        needless_relaxations,
        HOLDS,
        "",
    ),
    Claim(
        "6.2",
        "To skip needless relaxations makes IPBF promising.",
        "graph_families",
        refinement,
        LIMITED,
        "On CPU cores it is the fastest of the three methods. On a GPU rounds with little work cost launches.",
    ),
    Claim(
        "6.2",
        "On a better GPU segmented and prefix sums should be faster than on a CPU.",
        "scans",
        scan_on_proper_gpu,
        HOLDS,
        "",
    ),
    Claim(
        "6.2",
        "Multiplying in blocks would allow any problem size on any GPU.",
        "memory_cap",
        block_wise,
        HOLDS,
        "At the price of transfers, on a device as fast as this one.",
    ),
    Claim(
        "6.2",
        "Block-wise work would suit several GPUs.",
        "several_devices",
        several_gpus,
        HOLDS,
        "Copies on the host take as long with two as with one.",
    ),
]
