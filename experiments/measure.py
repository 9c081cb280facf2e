"""The only timing code: how long a solve takes, checked outside the timed region, as rows of a CSV file."""

from __future__ import annotations

import csv
import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import reedsp

Answer = TypeVar("Answer")

RESULTS = Path(__file__).resolve().parent / "results"


def measure(
    solve: Callable[[], Answer], check: Callable[[Answer], None], repeats: int
) -> tuple[Answer, dict[str, float]]:
    """Time a call that returns when its work is done; see :func:`measure_in_turn`.

    Returns
    -------
    answer
        The last one.
    dict
        ``first_ms``, ``min_ms``, ``median_ms``, ``repeats``.
    """
    answers: list[Answer] = []

    def keep_and_check(answer: Answer) -> None:
        answers[:] = [answer]
        check(answer)

    [times] = measure_in_turn([(solve, keep_and_check)], repeats)
    return answers[0], times


def measure_in_turn(
    solves: Sequence[tuple[Callable[[], Any], Callable[[Any], None]]], repeats: int, warm_up: int = 0
) -> list[dict[str, float]]:
    """Time several calls in turn, again and again, so that what slows the machine down slows all of them down.

    The first call of each builds kernels and copies its input to the device; it is reported apart. Every answer is
    checked, outside the timed region; a wrong one raises, so that no figure is ever written without a right answer. A
    GPU that idles during a long check lowers its clock: `warm_up` calls come before each timed one.

    Returns
    -------
    list of dict
        ``first_ms``, ``min_ms``, ``median_ms`` and ``repeats`` of each.
    """
    times: list[list[float]] = [[] for _ in solves]
    for number in range(repeats + 1):
        for (solve, check), series in zip(solves, times, strict=True):
            for _ in range(warm_up if number else 0):
                solve()
            started = time.perf_counter()
            answer = solve()
            series.append(1e3 * (time.perf_counter() - started))
            check(answer)
    return [
        {
            "first_ms": round(first, 3),
            "min_ms": round(min(rest), 4),
            "median_ms": round(statistics.median(rest), 4),
            "repeats": repeats,
        }
        for first, *rest in times
    ]


def folder_name(device: reedsp.Device) -> str:
    """Return a short name for a device, such as ``nvidia-h200`` or ``pocl-intel-xeon``."""
    short = re.sub(r"^(pthread|cpu)-[a-z0-9-]*-(?=[A-Z])|\(\w+\)| (Processor|CPU)\b|@.*", "", device.name)
    platform = {"Portable Computing Language": "pocl"}.get(device.platform, device.platform.split("(")[0].split()[0])
    words = f"{platform} {short}".lower().split()
    return "-".join(dict.fromkeys(re.sub(r"[^a-z0-9.]+", "", word) for word in words))


def conditions(device: reedsp.Device) -> dict[str, str]:
    """Return what a figure depends on besides its input: device, driver and commit."""
    return {
        "device": device.name,
        "platform": device.platform,
        "driver": device.driver_version,
        "commit": os.environ.get("REEDSP_COMMIT") or _commit(),
    }


def _commit() -> str:
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True, text=True, cwd=RESULTS
    )
    return described.stdout.strip() or "unknown"


def write(name: str, device: reedsp.Device, rows: Iterable[Mapping[str, Any]], folder: Path = RESULTS) -> Path:
    """Write the rows of one experiment to ``results/<device>/<name>.csv`` and return its path."""
    file = folder / folder_name(device) / f"{name}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    complete = [{**row, **conditions(device)} for row in rows]
    with file.open("w", newline="") as stream:
        table = csv.DictWriter(stream, fieldnames=list(complete[0]))
        table.writeheader()
        table.writerows(complete)
    return file
