"""A device's parameters in the model of memory, and the curves that are made of them."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pyopencl as cl
import pytest

from experiments.lib.experiment import Setting
from experiments.tmm import tmm_machine
from reedsp.cost_model.many_core import TABLE, ManyCore
from tests.cost_model.test_calibrate import KNOWN

KINDS = cl.device_local_mem_type


def device_with(kind: int) -> Any:
    """Return a device of 5 compute units at 2 GHz with 40 kB of local memory."""
    handle = SimpleNamespace(max_clock_frequency=2000, local_mem_type=kind)
    return SimpleNamespace(handle=handle, compute_units=5, local_memory=40_000)


def test_parameters() -> None:
    """At 2 GHz 1e11 sums and minima a second are 100 operations a clock, and 8 ns are 16 clocks."""
    expected = ManyCore(16, 100, 16, 10_000, 20, 1)
    assert tmm_machine.many_core(device_with(KINDS.LOCAL), KNOWN) == expected
    threads = dataclasses.replace(KNOWN, threads=700)
    assert tmm_machine.many_core(device_with(KINDS.LOCAL), threads).most_threads == 7


@pytest.mark.parametrize(("seconds", "size"), [(8e-8, 1 << 20), (7e-8, 1 << 14), (8e-9, 1 << 14)])
def test_fast_memory_of_devices_that_have_none_of_their_own(seconds: float, size: int) -> None:
    """What is read ten times as fast as the slowest memory, or the least that was looked at."""
    machine = dataclasses.replace(KNOWN, latencies=(*KNOWN.latencies[:2], (1 << 26, seconds)))
    assert tmm_machine.many_core(device_with(KINDS.GLOBAL), machine).local_words == size / 4


def test_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tmm_machine.calibrate, "measured", lambda device: KNOWN)
    rows = list(tmm_machine.rows(Setting(device_with(KINDS.LOCAL))))
    parameters = {row["name"]: float(row["value"]) for row in rows if row["what"] == "parameter"}
    assert parameters.pop("operations a second") == 2e11
    assert parameters == {"L": 16, "P": 100, "C": 16, "Z": 10_000, "Q": 20, "X": 1}
    curves: dict[tuple[str, str], dict[float, float]] = {}
    for row in rows:
        curves.setdefault((row["what"], row["name"]), {})[float(row["x"])] = float(row["value"])
    for name in TABLE:
        for what, goes_up in (("L", False), ("C", True), ("Z", True), ("X", True), ("P", True)):
            _, values = zip(*sorted(curves[what, name].items()), strict=True)
            assert list(values) == sorted(values, reverse=not goes_up)
        assert all(0 < value <= 1 for value in curves["n", name].values())
    assert curves["L", "heap"][16] == 1 / 16  # X / L
    assert curves["L", "heap"][1] == 1
