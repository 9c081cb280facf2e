"""Each example of the gallery runs on every device, without a warning, and draws what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib
import pytest

import reedsp

matplotlib.use("Agg")
from matplotlib import pyplot as plt

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "docs" / "gallery").glob("plot_*.py"))


def test_there_are_as_many_as_promised() -> None:
    assert len(EXAMPLES) >= 12


@pytest.mark.deep
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem.removeprefix("plot_"))
def test_examples_run_and_draw(example: Path, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    drawn: list[int] = []
    monkeypatch.setattr(plt, "show", lambda: drawn.extend(len(plt.figure(each).axes) for each in plt.get_fignums()))
    try:
        runpy.run_path(str(example))
    finally:
        plt.close("all")
    assert drawn
    assert min(drawn) > 0
