"""Some runs of ``python -m tests.deep.differential.same_bytes``, and that a different answer is noticed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp.device.device import Device
from tests.deep.differential import same_bytes
from tests.deep.differential.same_bytes import Given, ask, main


@pytest.mark.deep
def test_some_runs(device: Device) -> None:
    assert len(ask(3, 40, device)) == 16


def test_another_answer_is_noticed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()

    def unlike(given: Given, device: Device) -> Iterator[tuple[str, Any]]:
        yield "number", [np.array(next(numbers) // 3)]

    monkeypatch.setattr(same_bytes, "QUESTIONS", (unlike,))
    with pytest.raises(AssertionError, match="number: run 3, "):
        ask(4, 9, device)


@pytest.mark.deep
def test_devices_are_compared(tmp_path: Path) -> None:
    written = tmp_path / "digests"
    arguments = ["--runs", "1", "--size", "20"]
    main([*arguments, "--write", str(written)])
    main([*arguments, "--compare", str(written)])
    written.write_text(written.read_text().replace("flow", "flown"))
    with pytest.raises(SystemExit, match="flown"):
        main([*arguments, "--compare", str(written)])
