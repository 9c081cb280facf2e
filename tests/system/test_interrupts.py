"""A few signals at random moments of calls that work in threads; ``interrupts.py`` sends thousands."""

from __future__ import annotations

import os

import pytest

from reedsp.device.device import Device
from tests.deep import interrupts


@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C")
@pytest.mark.parametrize("name", ["apsp two devices", "apsp predecessors out"])
def test_78_interruptions(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    told, wrong = interrupts.run(name, 6, seed=2)
    assert wrong == ""
    assert told["signals"] >= 6
    assert told["calls"] >= 1
