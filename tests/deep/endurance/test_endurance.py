"""A moment of ``python -m tests.deep.endurance``, and that what it looks for is noticed."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from tests.deep.endurance import runs
from tests.deep.endurance.runs import Run, WrongError, rounds
from tests.support.rooms import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.mark.deep
def test_two_pieces(tmp_path: Path) -> None:
    output = tmp_path / "endurance.csv"
    command = [sys.executable, "-m", "tests.deep.endurance", "--hours", "0", "--round", "4", "--threads", "3"]
    for _ in range(2):
        subprocess.run([*command, "--output", output], check=True, cwd=ROOT, timeout=600)
    with open(output, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["piece"], row["threads"], row["growth_mib"]) for row in rows] == [("1", "3", "0.0"), ("2", "3", "0.0")]
    for row in rows:
        assert min(int(row[name]) for name in ("right", "failed", "interrupted")) > 0


def _run_of(device: Device, **options: Any) -> Any:
    return SimpleNamespace(
        **{"round": lambda *_: None, "wrong": [], "counts": Counter(), "device": device, "threads": 1, "seed": 1}
        | options
    )


@pytest.mark.deep
def test_growth_and_buffers_are_noticed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "left_over", lambda device: 7)
    sizes = iter([100, 100, 200, 200, 300, 300, 300 + runs.ALLOWED, 301 + runs.ALLOWED])
    monkeypatch.setattr(runs, "resident", lambda: next(sizes))
    run: Any = _run_of(device)
    found: list[float] = []
    with pytest.raises(WrongError, match=r"grown by 5\.00 MiB"):
        found.extend(row["growth_mib"] for row in rounds(run, 0, 1, 1))
    assert found == [0, 0, 0, 5, 5]
    monkeypatch.setattr(runs, "resident", lambda: 0)
    counts = iter([3, 5, 4, 5, 6])
    monkeypatch.setattr(runs, "left_over", lambda device: next(counts))
    with pytest.raises(WrongError, match="6 buffers are left, and 5 after the first rounds"):
        list(rounds(run, 0, 1, 1))


def test_what_a_thread_finds_wrong_ends_the_run(device: Device) -> None:
    with pytest.raises(WrongError, match="bfs: the answer has changed"):
        next(rounds(_run_of(device, wrong=["bfs: the answer has changed"]), 0, 1, 1))


def _lost() -> int:
    raise reedsp.DeviceError("the device is lost")


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (lambda: 1, []),
        (lambda: 2, ["a: WrongError: the answer has changed"]),
        (_lost, ["a: DeviceError: the device is lost"]),
    ],
    ids=["right", "another answer", "an error without a reason"],
)
def test_what_a_call_does_is_looked_at(
    call: Callable[[], int], wrong: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_DISTURBED", 0)
    run: Any = object.__new__(Run)
    run.calls, run._expected, run.counts, run.wrong, run.seed = {"a": call}, {"a": np.array(1)}, Counter(), [], 1
    run._counting = runs.threading.Lock()
    times = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr(runs.time, "monotonic", lambda: next(times))
    run._ends = 1.0
    run._work(0, 1)
    assert run.wrong == wrong
    assert run.counts["right"] == (0 if wrong else 2)


def test_a_failure_is_that_of_the_thread_it_is_planted_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "KINDS", {"Buffer": runs.KINDS["Buffer"]})
    monkeypatch.setattr(runs.cl, "Buffer", type("Buffer", (), {}))
    failures = runs.Failures()
    with failures.planted(random.Random(1)) as struck:
        made = 0
        while not struck():
            try:
                runs.cl.Buffer()  # type: ignore[call-arg]
                made += 1
            except runs.cl.MemoryError:
                break
        assert struck()
        assert made < 12
        runs.cl.Buffer()  # type: ignore[call-arg]
    runs.cl.Buffer()  # type: ignore[call-arg]
