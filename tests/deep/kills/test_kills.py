"""A few kills of some calls; the command sends hundreds, into all of them."""

from __future__ import annotations

import sys

import pytest

from reedsp.device.device import Device
from tests.deep.kills import __main__ as command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")


@pytest.mark.deep
@pytest.mark.parametrize("name", ["write over", "save"])
def test_kills(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    assert command.run(name, 3) == ""


@pytest.mark.deep
@pytest.mark.parametrize("name", ["apsp", "prepared", "command apsp over", "pool workers"])
def test_more_kills(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    assert command.run(name, 2) == ""
