"""Verdicts that follow from the figures of each device: what they are made of, and what devices make of them."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.lib.results import RESULTS
from experiments.report.claims import claim, ma, thesis_memory
from experiments.report.claims.claim import CPU, FAILS, GPU, HOLDS, LIMITED, NOT_MEASURED, SHOWN, by_devices

EXPERIMENTS = (*ma.BOTH, ma.ACCESSES, ma.PRODUCTS)


def made_anew() -> list[claim.Claim]:
    ma.parameters.cache_clear()
    ma.of_degree.cache_clear()
    return [*importlib.reload(ma).MA, *importlib.reload(thesis_memory).MEMORY]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which there are no results yet."""
    with monkeypatch.context() as patch:
        patch.setattr(claim, "RESULTS", tmp_path)
        yield tmp_path
    made_anew()


def lend(results: Path, device: str, *experiments: str) -> None:
    """Have a device measured, and find just what the CPU has found."""
    (results / device).mkdir(exist_ok=True)
    for experiment in experiments:
        shutil.copy(RESULTS / CPU / f"{experiment}.csv", results / device)


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ({}, NOT_MEASURED),
        ({CPU: FAILS}, FAILS),
        ({CPU: HOLDS, GPU: HOLDS}, HOLDS),
        ({CPU: HOLDS, GPU: FAILS}, LIMITED),
        ({CPU: LIMITED, GPU: HOLDS}, LIMITED),
    ],
)
def test_verdict_is_that_of_all_devices(results: Path, verdicts: dict[str, str], verdict: str) -> None:
    for device in verdicts:
        lend(results, device, "accesses", "min_plus")
    lend(results, GPU, "accesses")  # one of two experiments is not enough
    made = by_devices("1", "x", ("accesses", "min_plus"), lambda device: ("figures", verdicts[device]))
    assert made.verdict == verdict
    shown = [f"{name}: figures ({verdicts[device]})" for device, name in SHOWN.items() if device in verdicts]
    missing = [f"{name}: {NOT_MEASURED}" for device, name in SHOWN.items() if device not in verdicts]
    assert set(made.evidence()[0].split("; ")) == {*shown, *missing}


@pytest.mark.parametrize("devices", [(), (CPU,), (GPU,), (CPU, GPU)], ids=" and ".join)
def test_claims_can_be_judged_of_any_devices(results: Path, devices: tuple[str, ...]) -> None:
    for device in devices:
        lend(results, device, *EXPERIMENTS)
    claims = made_anew()
    for each in claims:
        text, borne_out = each.evidence()
        assert borne_out
        assert text.count(NOT_MEASURED) == len(SHOWN) - len(devices)
        assert (each.verdict == NOT_MEASURED) == (not devices)
    judged = {each.statement: each.verdict for each in claims}
    if len(devices) == 1:
        assert {HOLDS, LIMITED, FAILS} <= set(judged.values())
