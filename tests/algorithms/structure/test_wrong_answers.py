"""What proves answers names the first of many wrong places, on every device; ``under_oclgrind.py`` looks for races."""

from __future__ import annotations

import pytest

from reedsp.device.device import Device
from tests.deep.oclgrind import wrong_answers


@pytest.mark.parametrize("number", range(7))
def test_the_first_wrong_place_is_named(number: int, device: Device) -> None:
    every = list(wrong_answers.checks(device))
    assert len(every) == 7
    every[number][1]()
