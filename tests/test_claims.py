"""Verdicts that follow from the figures of each device: what they are made of, and what devices make of them."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from experiments.lib.results import RESULTS, read
from experiments.report.claims import claim, lund_smith, ma, thesis, thesis_memory
from experiments.report.claims.claim import (
    CPU,
    FAILS,
    GPU,
    HOLDS,
    LIMITED,
    NOT_JUDGED,
    NOT_MEASURED,
    SHOWN,
    Claim,
    Judged,
    by_devices,
    heads_and_lines,
)
from experiments.report.tables import PAPERS

EXPERIMENTS = (*ma.BOTH, ma.ACCESSES)
EVERY = [each for claims in PAPERS.values() for each in claims]


def forget() -> None:
    ma.parameters.cache_clear()
    ma.of_degree.cache_clear()


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which there are no results yet."""
    forget()
    monkeypatch.setattr(claim, "RESULTS", tmp_path)
    yield tmp_path
    forget()


def lend(results: Path, device: str, *experiments: str) -> None:
    """Have a device measured, and find just what the CPU has found."""
    (results / device).mkdir(exist_ok=True)
    for experiment in experiments:
        shutil.copy(RESULTS / CPU / f"{experiment}.csv", results / device)


def change(results: Path, device: str, experiment: str, column: str, new: Callable[[dict[str, str]], str]) -> None:
    """Have a device measure something else than it has."""
    rows = read(RESULTS / device / f"{experiment}.csv")
    file = results / device / f"{experiment}.csv"
    file.parent.mkdir(exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, fieldnames=list(rows[0]))
        table.writeheader()
        table.writerows({**row, column: new(row)} for row in rows)


def saying(statement: str) -> Claim:
    """Return the one claim whose statement begins so."""
    [found] = [each for each in EVERY if each.statement.startswith(statement)]
    return found


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ((NOT_MEASURED, NOT_MEASURED), NOT_MEASURED),
        ((NOT_MEASURED, FAILS), FAILS),
        ((HOLDS, HOLDS), HOLDS),
        ((FAILS, HOLDS), LIMITED),
        ((HOLDS, LIMITED), LIMITED),
        ((HOLDS, NOT_JUDGED), HOLDS),
    ],
)
def test_verdict_is_that_of_all_devices(results: Path, verdicts: tuple[str, str], verdict: str) -> None:
    of_device = dict(zip(SHOWN, verdicts, strict=True))
    measured = {device for device in SHOWN if of_device[device] != NOT_MEASURED}
    for device in measured:
        lend(results, device, "accesses", "tmm_machine")
    lend(results, GPU, "accesses")  # one of two experiments is not enough

    def judge(device: str) -> Judged:
        return "figures", of_device[device]

    made = by_devices("1", "x", ("accesses", "tmm_machine"), judge, verdicts)
    assert made.verdict == verdict
    text, borne_out = made.evidence()
    shown = [f"{name}: figures ({of_device[device]})" for device, name in SHOWN.items() if device in measured]
    missing = [f"{name}: {NOT_MEASURED}" for device, name in SHOWN.items() if device not in measured]
    assert set(text.split("; ")) == {*shown, *missing}
    assert borne_out


def test_figures_of_several_processors_are_not_put_together(results: Path) -> None:
    lend(results, CPU, "accesses")
    change(results, CPU, "tmm_machine", "device", lambda row: "another")

    def judge(device: str) -> Judged:
        raise AssertionError("asked")

    made = by_devices("1", "x", ("accesses", "tmm_machine"), judge, (NOT_MEASURED, NOT_JUDGED))
    text, borne_out = made.evidence()
    assert "measured on 2 processors (not judged)" in text
    assert borne_out


def test_all_figures_of_the_gpu_are_of_one() -> None:
    """Claims with figures of several of its experiments rely on that."""
    assert {row["device"] for file in (RESULTS / GPU).glob("*.csv") for row in read(file)} == {"NVIDIA H200"}


@pytest.mark.parametrize("devices", [(), (CPU,), (GPU,), (CPU, GPU)], ids=" and ".join)
def test_claims_can_be_judged_of_any_devices(results: Path, devices: tuple[str, ...]) -> None:
    for device in devices:
        lend(results, device, *EXPERIMENTS)
    for each in (*ma.MA, *thesis_memory.MEMORY):
        if ma.PRODUCTS not in each.experiment:
            text, _ = each.evidence()
            assert text.count(NOT_MEASURED) == len(SHOWN) - len(devices)


def test_other_verdict_of_one_device_is_no_page(results: Path) -> None:
    """The reason that is given may be wrong then, though the verdict of all devices is the same."""
    lend(results, CPU, "accesses")
    made = by_devices("1", "x", ("accesses",), lambda device: ("figures", HOLDS), (HOLDS, HOLDS))
    with pytest.raises(ValueError, match="'x', 'holds' is not right: H200: not measured; two CPU cores: figures"):
        heads_and_lines([made])


def raised(factor: float, **values: str) -> Callable[[dict[str, str]], str]:
    """Return what multiplies the times of the rows that have these values."""
    return lambda row: str(
        float(row["min_ms"]) * (factor if all(row[name] == value for name, value in values.items()) else 1)
    )


@pytest.mark.parametrize(
    ("statement", "device", "experiment", "column", "new"),
    [
        ("The time depends neither", CPU, "density", "min_ms", raised(2, weights="all 1")),
        ("The time depends neither", CPU, "density", "min_ms", raised(2, edges_per_vertex="2")),
        ("A highly optimised sequential", GPU, "graph_families", "min_ms", raised(1e4, method="scipy dijkstra")),
        ("“No performance gains", GPU, "graph_families", "min_ms", raised(1e4, method="input-parallel")),
        ("Katz and Kider's kernel is not", GPU, "ceilings", "of_ceiling", lambda row: "0.8"),
        ("Two blocks of memory", CPU, "density", "bytes_allocated", lambda row: "2097152"),
        ("The transfer of data", GPU, "transfers", "share", lambda row: "0.9"),
        ("The bitset method suffers", GPU, "pram", "steps_ms", lambda row: "1"),
        ("The main loop is entered", CPU, "tmm_algorithms", "extractions", lambda row: str(int(row["n"]) ** 2)),
        ("On graphs of large diameter", GPU, "shortest_path_techniques", "min_ms", raised(0.1, technique="H-BF")),
    ],
)
def test_other_figures_are_another_verdict(
    results: Path, statement: str, device: str, experiment: str, column: str, new: Callable[[dict[str, str]], str]
) -> None:
    for of_device in SHOWN:
        shutil.copytree(RESULTS / of_device, results / of_device, ignore=shutil.ignore_patterns("*.png", "*.svg"))
    of_paper = saying(statement)
    assert of_paper.evidence()[1]
    change(results, device, experiment, column, new)
    forget()
    assert not of_paper.evidence()[1]


def test_baseline_of_columns_are_padded_ones() -> None:
    """Where padding gains, columns are slow without it: both follow from the same rows."""
    for device in SHOWN:
        assert thesis_memory.columns(device)[1] == thesis_memory.padded_columns(device)[1]


def test_all_families_are_asked_about_dijkstra() -> None:
    ratios = thesis.dijkstra_over_opbf()
    both = [
        {row["graph"] for row in read(RESULTS / GPU / "graph_families.csv") if row["method"] == method}
        for method in ("scipy dijkstra", "output-parallel")
    ]
    assert both[0] & both[1] <= set(ratios)


def test_figures_are_introduced_once() -> None:
    for each in EVERY:
        for part in each.evidence()[0].split("; "):
            assert part.count("by this number") <= 1


def test_density_is_judged_of_the_staged_kernel() -> None:
    text, verdict = lund_smith.any_structure(CPU)
    assert "staged-load" in text
    assert verdict in (HOLDS, FAILS)
