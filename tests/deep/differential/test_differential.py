"""Some of the cases of ``ask.py``; and that it finds planted faults, and prints cases that show them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp.algorithms.single_source import input_parallel, sssp
from reedsp.arithmetic.paths import ROUNDS_BEYOND
from reedsp.device.device import Device
from tests.deep.differential import answers, ask, questions
from tests.deep.differential.cases import CONTAINERS, NUMBER_TYPES, Case

SEEDS_IN_A_BATCH = 12
RAISE = {"negative_cycles": "raise", "predecessors": False}
ONCE_WRONG = {
    "sums that wrap around while nobody looks for a cycle": [
        Case("sssp", 1, ((0, 0, -(2**bits)),), arguments={"source": 0, "method": method})
        for bits in (26, 58)
        for method in ("input-parallel", "input-parallel-refined", "output-parallel")
    ],
    "distances beyond int64 that a greater cutoff does not leave out": [
        Case(
            *("sssp", 3, ((0, 1, 6994120413651300252), (1, 2, 2305843009213693952)), "int64"),
            arguments={"source": 0, "method": method, "cutoff": cutoff},
        )
        for method in ("near-far", "output-parallel", "input-parallel", "input-parallel-refined")
        for cutoff in (2**63 - 2, 2**63 - 1, 14149366099890846846, 1e300)
    ],
    "whole floats that the choice of a method took for int64": [
        Case("apsp", 310, ((0, 1, -(2.0**63)),), "float64", arguments={**RAISE, "method": "auto"}),
        Case(
            **{"question": "csgraph", "n": 1, "edges": ((0, 0, -3e307),), "weight_type": "float64", "container": "coo"},
            arguments={"function": "johnson", "indices": None},
        ),
    ],
    "sums beyond int64 that were taken for no path": [
        Case("apsp", 3, ((0, 1, 2**62), (1, 2, 2**62)), arguments={**RAISE, "method": "johnson"}),
        Case("sssp", 2, ((0, 1, 2**63 - 1),), arguments={"source": 0, "method": "near-far", "target": 1}),
    ],
}


@pytest.mark.deep
@pytest.mark.parametrize("batch", range(5))
def test_cases(batch: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))  # for functions that take no device
    for seed in range(SEEDS_IN_A_BATCH * batch, SEEDS_IN_A_BATCH * (batch + 1)):
        questions.check(ask.case_of(seed), device)


@pytest.mark.parametrize("cases", ONCE_WRONG.values(), ids=ONCE_WRONG)
def test_cases_that_were_answered_wrong_once(cases: list[Case], device: Device) -> None:
    for case in cases:
        questions.check(case, device)


def test_cases_are_the_same_whenever_they_are_made_and_printed() -> None:
    for seed in range(200):
        case = ask.case_of(seed)
        assert repr(case) == repr(ask.case_of(seed))
        assert repr(eval(repr(case), {"Case": Case})) == repr(case)


@pytest.mark.deep
def test_cases_come_in_everything() -> None:
    cases = [ask.case_of(seed) for seed in range(1500)]
    assert {case.container for case in cases} == set(CONTAINERS)
    assert {case.weight_type for case in cases} == set(NUMBER_TYPES)
    assert {case.question for case in cases} == set(questions.QUESTIONS)
    assert {case.directed for case in cases} == {True, False}
    weights = [w for case in cases for *_, w in case.edges]
    assert any(np.isnan(float(w)) for w in weights)
    assert any(0 < w < 1e-310 for w in weights)
    assert {257, 129, 65} & {case.n for case in cases}


def one_too_far(dist: np.ndarray, *arguments: Any) -> np.ndarray:
    """Stand in for ``to_result``, wrong about the last vertex of graphs with more than two."""
    right = to_result(dist, *arguments)
    if right.shape[-1] > 2:
        right[..., -1] += 1
    return right


to_result = sssp.to_result


def test_a_planted_fault_is_found_and_shrunk_and_the_printed_code_shows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sssp, "to_result", one_too_far)
    assert ask.main(["--seeds", "40", "--failures", "1"]) == 1
    _, _, printed = capsys.readouterr().out.partition("# the smallest case that fails alike: Mismatch")
    code = printed[printed.index("from tests.deep") : printed.rindex("))\n") + 3]
    case = eval(code[code.index("Case(\n") : -2], {"Case": Case})
    assert (case.n, case.container) == (3, "edge arrays")
    assert len(case.edges) <= 1  # the last vertex is the source, or next to it
    with pytest.raises(answers.Mismatch):
        exec(code, {})
    monkeypatch.undo()
    exec(code, {})


def test_a_fault_in_a_kernel_is_found_and_shrunk(
    device: Device, kernel_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vertices at which more than two edges end forget one of them, which nobody tries before it is used."""
    monkeypatch.setattr(sssp, "is_trusted", lambda *_: True)
    file = kernel_copy / "single_source/output_parallel.cl"
    text = file.read_text(encoding="utf-8")
    damaged = text.replace("first + edge_counts[vertex] :", "first + min(edge_counts[vertex], 2u) :")
    assert damaged != text
    file.write_text(damaged, encoding="utf-8")
    fresh = Device(device.index, device.handle)

    def fails(case: Case) -> bool:
        try:
            questions.check(case, fresh)
        except answers.Mismatch:
            return True
        return False

    asked = (ask.case_of(seed) for seed in range(200))
    by_vertices = [
        dataclasses.replace(case, arguments={**case.arguments, "method": "output-parallel", "options": {}})
        for case in asked
        if case.question == "sssp" and not {"min_only", "target"} & set(case.arguments)
    ]
    smallest = ask.shrink(next(case for case in by_vertices if fails(case)), fails)
    ends = [v for _, v, _ in smallest.edges]
    ends += [u for u, v, _ in smallest.edges if u != v and not smallest.directed]
    assert max(map(ends.count, ends)) == 3
    assert smallest.n == 3
    assert len(smallest.edges) <= 4


def test_no_case_is_simpler_than_itself() -> None:
    asked: list[Case] = []

    def never(case: Case) -> bool:
        asked.append(case)
        return False

    case = ask.case_of(7)
    assert ask.shrink(case, never) == case
    assert asked
    assert all(repr(other) != repr(case) for other in asked)


def test_a_clean_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask.main(["--seeds", "3", "--first", "10", "--minutes", "5"]) == 0
    assert " 3 cases (" in capsys.readouterr().out


def test_sums_are_bounded_for_all_rounds_that_are_run() -> None:
    assert input_parallel._ROUNDS_UNWATCHED < ROUNDS_BEYOND
