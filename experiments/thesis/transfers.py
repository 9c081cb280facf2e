"""How much of a whole call is transfer between host and device (thesis section 3.2.6).

The bytes are those that the library has counted. They are then copied alone, in one upload and one download, as the
library copies them; a call copies them in several pieces, which takes no less time. A graph is copied at its first use
and stays on the device afterwards. On CPU devices, too, graphs and distances are copied from memory to memory, but the
arrays of a scan, and the edges that near-far searches, are used where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.inputs import complete_matrix, random_in_degree
from experiments.lib.measure import measure, measure_in_turn
from experiments.lib.plotting import HATCHES, LINES, device_of, finish, panels
from reedsp.device.job import Job

SEED = 2012
EDGES_PER_VERTEX = 8
CHECKED_ROWS = 3


class Call(NamedTuple):
    """A call of the library, a check of what it returns, and the bytes that it has copied each way."""

    solve: Callable[[], Any]
    check: Callable[[Any], None]
    transferred: Callable[[Any], tuple[int, int]]


def counted(answer: reedsp.ShortestPaths | reedsp.AllPairs) -> tuple[int, int]:
    """Return the bytes to the device and from it."""
    return answer.stats["bytes_to_device"], answer.stats["bytes_from_device"]


def require(equal: bool) -> None:
    """Stop unless an answer is what it has to be."""
    if not equal:
        raise WrongAnswerError("a wrong answer")


def single_source(device: reedsp.Device, n: int, calls: int, method: str, copied: bool) -> Call:
    graph = random_in_degree(n, EDGES_PER_VERTEX, SEED)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)
    arrays = graph.indptr, graph.indices, graph.weights
    # a new graph for each call: what a device holds of one, it holds of its copies, too
    graphs = [reedsp.Graph(*arrays) for _ in range(calls)] if copied else [graph] * calls

    is_sent = copied and not (method == "near-far" and device.kind == "cpu")

    def check(paths: reedsp.ShortestPaths) -> None:
        require(np.array_equal(paths.dist, expected))
        require(not is_sent or counted(paths)[0] >= graph.indices.nbytes)

    return Call(lambda: reedsp.sssp(graphs.pop(), 0, method, device=device), check, counted)


def all_pairs(device: reedsp.Device, n: int, calls: int) -> Call:
    graph = reedsp.Graph.from_dense(complete_matrix(n, SEED), null_value=np.inf)
    chosen = np.random.default_rng(SEED).choice(n, CHECKED_ROWS, replace=False)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=chosen)
    return Call(
        partial(reedsp.apsp, graph, "floyd-warshall", device=device),
        lambda paths: require(np.array_equal(paths.dist[chosen], expected)),
        counted,
    )


def scan(device: reedsp.Device, n: int, calls: int) -> Call:
    x = np.random.default_rng(SEED).integers(-1, 2, n).astype(np.int32)
    expected = np.cumsum(x, dtype=x.dtype)
    size = 0 if device.kind == "cpu" else x.nbytes
    return Call(
        partial(reedsp.inclusive_scan, x, device=device),
        lambda sums: require(np.array_equal(sums, expected)),
        lambda sums: (size, size),
    )


def alone(device: reedsp.Device, sizes: tuple[int, int], repeats: int) -> list[float]:
    """Return the milliseconds that an upload and a download take alone."""
    job = Job(device)
    sent, received = (np.random.default_rng(SEED).integers(0, 256, size, np.uint8) for size in sizes)
    buffer = job.upload(received)

    def upload() -> Any:
        target = job.upload(sent)
        job.finish()
        return target

    solves: list[tuple[Callable[[], Any], Callable[[Any], None]]] = [
        (upload, lambda target: require(np.array_equal(job.download(target, sent.size, sent.dtype), sent))),
        (lambda: job.download(buffer, received.size, received.dtype), lambda x: require(np.array_equal(x, received))),
    ]
    times = measure_in_turn(solves, repeats)
    return [each["min_ms"] if size else 0.0 for size, each in zip(sizes, times, strict=True)]


def rows(device: reedsp.Device, what: str, n: int, make: Callable[..., Call], repeats: int) -> Iterator[Row]:
    call = make(device, n, repeats + 1)
    answer, times = measure(call.solve, call.check, repeats)
    sizes = call.transferred(answer)
    transfers = alone(device, sizes, repeats)
    rates = [round(size / 1e6 / ms, 4) if size else "" for size, ms in zip(sizes, transfers, strict=True)]
    yield {
        "what": what,
        "n": n,
        "seed": SEED,
        "bytes_to_device": sizes[0],
        "bytes_from_device": sizes[1],
        **times,
        "upload_ms": transfers[0],
        "download_ms": transfers[1],
        "share": round(sum(transfers) / times["min_ms"], 4),
        "upload_gigabytes_per_second": rates[0],
        "download_gigabytes_per_second": rates[1],
    }


def cases(setting: Setting) -> list[Case]:
    large = setting.device.kind == "gpu"
    vertices, side, elements = (1 << 20, 4096, 1 << 26) if large else (1 << 17, 2048, 1 << 24)
    repeats = 5
    if setting.quick:
        vertices, side, elements, repeats = 1 << 10, 128, 1 << 14, 1
    calls: list[tuple[str, int, Callable[..., Call]]] = [
        (
            f"{method}, graph {'copied' if copied else 'on the device'}",
            vertices,
            partial(single_source, method=method, copied=copied),
        )
        for method in ("near-far", "output-parallel")
        for copied in (True, False)
    ]
    calls += [("floyd-warshall", side, all_pairs), ("inclusive scan", elements, scan)]
    return [(what, partial(rows, setting.device, what, n, make, repeats)) for what, n, make in calls]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw what part of each call is transfer."""
    figure, [axes] = panels(width=7)
    left = [0.0] * len(rows)
    for number, (label, column) in enumerate(
        {"upload": "upload_ms", "download": "download_ms", "all else": ""}.items()
    ):
        parts = [
            100 * float(row[column]) / float(row["min_ms"]) if column else max(0.0, 100 - done)
            for row, done in zip(rows, left, strict=True)
        ]
        fill = {"facecolor": LINES[number]["color"], "edgecolor": "white", "hatch": HATCHES[number], "linewidth": 0.5}
        axes.barh(range(len(rows)), parts, 0.7, left, label=label, **fill)
        left = [done + part for done, part in zip(left, parts, strict=True)]
    labels = [f"{row['what']},\nn = {int(row['n']):,}: {float(row['min_ms']):.3g} ms" for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_axisbelow(True)
    finish(axes, "% of the whole call", "", f"Transfers between host and device: {device_of(rows)}", "")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)
    return figure


EXPERIMENT = Experiment("What part of a call is transfer (thesis 3.2.6)", cases, plot)
