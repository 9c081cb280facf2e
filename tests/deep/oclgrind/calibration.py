"""Checks of what is measured of a machine, and of how memory is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from reedsp.device.device import Device
from tests.deep.oclgrind import Check
from tests.support import accesses, probes


def checks(device: Device) -> Iterator[Check]:
    """Yield every check: each kernel, and each type of numbers."""
    for name, file, is_right in (*probes.checks(), *accesses.checks()):
        yield {file}, partial(check, device, name, is_right)


def check(device: Device, name: str, is_right: Callable[[Device], bool]) -> None:
    """Run a kernel, and compare with numpy."""
    assert is_right(device), name
