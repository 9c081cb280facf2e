"""What the documentation shows is what happens: examples run, and measured figures are those of the CSV files."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import reedsp
from experiments import tables
from reedsp import single_source

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def test_docstring_examples(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    attempted = doctest.testmod(single_source, raise_on_error=True).attempted
    assert attempted >= 4


def test_readme_example() -> None:
    names: dict[str, object] = {}
    exec(EXAMPLES[0], names)
    paths = names["paths"]
    assert isinstance(paths, reedsp.ShortestPaths)
    assert repr(paths.dist) in EXAMPLES[0]
    assert repr(paths.pred) in EXAMPLES[0]
    assert f"paths.path(3)     # {paths.path(3)}" in EXAMPLES[0]


def test_readme_reads_a_road_network(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shared_data / "dimacs-ny")
    names: dict[str, object] = {"reedsp": reedsp}
    exec(EXAMPLES[1], names)
    paths = names["paths"]
    assert isinstance(paths, reedsp.ShortestPaths)
    assert np.isfinite(paths.dist[264346 - 1])
    assert "264346" in capsys.readouterr().out  # progress=print


def test_readme_example_of_a_negative_cycle() -> None:
    debts = {"reedsp": reedsp}
    exec(EXAMPLES[2], debts)
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(debts["debts"], 0)
    assert f"# {(caught.value.cycle, caught.value.weight)}" in EXAMPLES[2]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_tables_are_those_of_the_results(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.render(text) == text, "run: python -m experiments.tables"


EXAMPLE = re.compile(r"^((?:reedsp|np|roads)\..*?)\s+# (array\(.*\))$", re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/scans.md"])
def test_examples_of_scans_show_what_they_return(page: str) -> None:
    names: dict[str, object] = {"reedsp": reedsp, "np": np}
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "_scan(" in block:
            exec(block, names)
            for expression, expected in EXAMPLE.findall(block):
                assert re.sub(r"\s+", "", repr(eval(expression, names))) == re.sub(r"\s+", "", expected)
                shown += 1
    assert shown >= 1


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
