"""It is said of which device and commit figures are, and no table mixes two devices unless the pages say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.lib import results
from experiments.lib.results import RESULTS, Row, ancestors, by_device, read
from experiments.report import provenance, tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "measurements.md"
TEXT = PAGE.read_text(encoding="utf-8")
OF_TWO = {"performance": {"pocl-amd-epyc"}}
"""The table that has rows of two devices of one folder; the page says so."""

MACHINES = re.findall(r"^\| `([\w-]+)` \| `(.+?)` \|", TEXT, re.MULTILINE)
OLDER = "pthread-haswell-AMD EPYC"
FILES = sorted(RESULTS.glob("*/*.csv"))


def device_of(file: Path) -> str:
    [device] = {row["device"] for row in read(file)}
    return device


def test_no_file_is_added_to_those_whose_commits_are_unknown() -> None:
    known = ancestors()
    if not known:
        pytest.skip("git does not know the history here")
    found, recorded = set(provenance.unknown(known)), set(provenance.recorded())
    assert found - recorded == set(), "measure again, at a commit without changes"
    assert recorded - found == set(), f"measured again: take out of {provenance.RECORDED.name}"


def test_what_cannot_be_checked_out_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ["1234567" + 33 * "0"]
    assert provenance.doubts("1234567", known) == []
    assert provenance.doubts("1234567-dirty", known) == ["dirty"]
    assert provenance.doubts("7654321", known) == ["unknown"]
    assert provenance.doubts("unknown", known) == ["unknown"]
    monkeypatch.setattr(provenance, "ancestors", lambda: known)
    provenance.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [provenance.name_of(file) for file in FILES]
    assert all(device_of(file) in line for file, line in zip(FILES, lines, strict=True))


def test_every_machine_is_described() -> None:
    assert sorted({(file.parent.name, device_of(file)) for file in FILES}) == sorted(MACHINES)


def test_files_of_each_processor_are_named() -> None:
    lists = re.findall(
        r"^Files of the older processor:\n\n(.*?)\n\nand of the later one:\n\n(.*?)\n\n", TEXT, re.M | re.S
    )
    [named] = [[set(re.findall(r"`(\w+)`", each)) for each in both] for both in lists]
    found: list[set[str]] = [set(), set()]
    for file in RESULTS.glob("pocl-amd-epyc/*.csv"):
        found[device_of(file) != OLDER].add(file.stem)
    assert named == found
    of_2_5 = {file.stem for file in RESULTS.glob("pocl-intel-xeon/*.csv") if "@" in device_of(file)}
    assert of_2_5 == {"new_york", "output_parallel"}


def test_no_table_mixes_devices_of_one_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, set[str]] = {}
    seen: dict[str, set[str]] = {}

    def noted(name: str) -> Iterator[tuple[str, list[Row]]]:
        for folder, rows in by_device(name):
            seen.setdefault(folder, set()).add(rows[0]["device"])
            yield folder, rows

    monkeypatch.setattr(tables, "by_device", noted)
    for name, make in tables.TABLES.items():
        seen.clear()
        make()
        if mixed := {folder for folder, devices in seen.items() if len(devices) > 1}:
            found[name] = mixed
    assert found == OF_TWO


def test_a_file_of_two_devices_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    conditions = {"platform": "p", "driver": "1", "commit": "one"}
    rows = [{"n": 1, "device": device, **conditions} for device in ("first", "second")]
    results.write(tmp_path / "folder" / "figures.csv", rows, {})
    with pytest.raises(ValueError, match="rows of several devices: first, second"):
        list(by_device("figures"))
