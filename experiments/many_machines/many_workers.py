"""What a graph of a million vertices costs on up to 64 machines like this one, by the rate measured here.

No cluster is started: a call from some sources is measured, and `reedsp.cost_model.sharing` says what tasks, sending
the graph and a shared disk add to it. Beside it stands what `reedsp.estimate(workers=)` says without measuring.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import device_of, finish, line, panels
from reedsp.cost_model import sharing

SEED = 2010
SIDE, SIDE_QUICK = 1000, 30
SAMPLE, SAMPLE_GPU, SAMPLE_QUICK = 64, 1024, 8
WORKERS = (1, 2, 4, 8, 16, 32, 64)
CHECKED = 2  # rows, by SciPy
SHARES = {"4,096 sources": 4096, "all pairs": 0}  # of which 0 are all
KEPT, FILES = "rows reduced on workers", "rows to a disk of 0.5 GB/s"
ENTRY = 4  # bytes of an integer
DISK = 5e8


def estimates(device: reedsp.Device, side: int, sample: int, repeats: int) -> Iterator[Row]:
    graph = inputs.grid(side, SEED)
    n, sources = graph.n, list(range(0, graph.n, graph.n // sample))[:sample]
    expected_rows = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources[:CHECKED])
    expected_rows[np.isinf(expected_rows)] = np.iinfo(np.int32).max  # not reached

    def check(found: reedsp.ShortestPaths) -> None:
        if not np.array_equal(found.dist[:CHECKED], expected_rows):
            raise WrongAnswerError("wrong distances")

    _, times = measure(lambda: reedsp.sssp(graph, sources, device=device, dtype="int32"), check, repeats)
    rate = times["min_ms"] / 1e3 / len(sources)
    most = sharing.ROW_BYTES_GPU if device.kind == "gpu" else sharing.ROW_BYTES
    sent = graph.m * (4 + ENTRY) + ENTRY * n
    for share, rows in SHARES.items():
        rows = min(rows, n) or n
        for workers in WORKERS:
            shared = sharing.searches(rows, ENTRY * n, sent, workers, most, lambda count: count * rate)
            for kept, out in ((KEPT, None), (FILES, "x.zarr")):
                expected = reedsp.estimate(
                    graph, "sssp", list(range(rows)), device=device, dtype="int32", workers=workers, out=out
                )
                written = rows * ENTRY * n / DISK if out else 0.0
                yield {
                    **{"graph": f"grid {side} x {side}", "n": n, "m": graph.m, "seed": SEED, "what": share},
                    **{"sources": rows, "kept": kept, "workers": workers, "tasks": shared.tasks},
                    "measured_ms_per_source": round(1e3 * rate, 3),
                    "seconds": round(shared.seconds + written, 2),
                    "seconds_by_the_model": round(expected.seconds, 2),
                }


def cases(setting: Setting) -> list[Case]:
    side = SIDE_QUICK if setting.quick else SIDE
    sample = SAMPLE_QUICK if setting.quick else SAMPLE_GPU if setting.device.kind == "gpu" else SAMPLE
    return [(f"grid {side} x {side}", partial(estimates, setting.device, side, sample, 1 if setting.quick else 3))]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw seconds against workers."""
    shares = list(dict.fromkeys(row["what"] for row in rows))
    figure, parts = panels(len(shares), width=4.2, height=3.6)
    for axes, share in zip(parts, shares, strict=True):
        some = [row for row in rows if row["what"] == share]
        for number, kept in enumerate((KEPT, FILES)):
            points = [(float(row["workers"]), float(row["seconds"])) for row in some if row["kept"] == kept]
            line(axes, points, kept, number)
        first = next(float(row["seconds"]) for row in some if row["kept"] == KEPT and row["workers"] == "1")
        line(axes, [(each, first / each) for each in WORKERS], "shared out for nothing", 7, marker="")
        title = f"{share}, {int(some[0]['n']):,} vertices: {device_of(rows)}"
        finish(axes, "workers, each a machine like this one", "seconds", title)
        axes.set_xticks(WORKERS, [str(each) for each in WORKERS])
        axes.minorticks_off()
    return figure


EXPERIMENT = Experiment("What a million vertices cost on up to 64 machines, by measured rates", cases, plot)
