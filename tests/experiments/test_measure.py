"""Calls that are compared are timed alike, and what takes long is not repeated for ever."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from experiments.beyond import negative_weights, single_source
from experiments.lib import inputs, measure
from experiments.lib.experiment import Setting
from experiments.thesis import graph_families
from reedsp.device.device import Device


@pytest.mark.parametrize(
    ("patience", "repeats"), [(math.inf, [20, 20, 20, 20]), (measure.PATIENCE, [20, 10, 3, 1])], ids=["all", "some"]
)
def test_what_takes_long_is_not_repeated(patience: float, repeats: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: clock[0])

    def solve(seconds: float) -> None:
        clock[0] += seconds

    solves = [(partial(solve, seconds), lambda answer: None) for seconds in (0.5, 1.0625, 8, 11)]
    times = measure.measure_in_turn(solves, 20, warm_up=1, patience=patience)
    assert [each["repeats"] for each in times] == repeats
    assert [each["min_ms"] for each in times] == [500, 1062.5, 8000, 11000]


def test_matrices_of_scipy_need_no_conversion() -> None:
    graph = inputs.grid(5, 1)
    matrix = inputs.scipy_matrix(graph)
    assert (matrix.dtype, matrix.indices.dtype, matrix.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert (matrix != graph.to_scipy()).nnz == 0


@pytest.mark.deep("True")
@pytest.mark.parametrize("as_a_gpu", [False, True])
def test_scipy_is_timed_as_often_as_reedsp(device: Device, as_a_gpu: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if as_a_gpu:
        monkeypatch.setattr(device, "kind", "gpu")
    make = partial(inputs.grid, 20, 1)
    rows = list(single_source.rows(device, single_source.NEW_YORK, make, 3))
    rows += graph_families.rows(device, "grid", partial(graph_families.plain, make), 3)
    assert {row["method"] for row in rows} >= {single_source.SCIPY, graph_families.BELLMAN_FORD}
    assert {row["repeats"] for row in rows if row.get("sources", 1) == 1} == {3}
    many = {row["repeats"] for row in rows if row.get("sources", 1) > 1}
    assert many == {3 if device.kind == "cpu" else 2}


def test_scipy_is_repeated_for_negative_weights_too(device: Device) -> None:
    for _, solve in negative_weights.cases(Setting(device, quick=True)):
        for row in solve():
            assert row["scipy_repeats"] == row["repeats"] == 1
