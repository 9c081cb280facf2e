"""The kernels that say how memory is read, against numpy, and the experiment that times them."""

from __future__ import annotations

import dataclasses
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from experiments.lib.experiment import Setting, WrongAnswerError
from experiments.thesis import accesses
from experiments.thesis.access_kernels import Access, Memory
from reedsp.device.device import Device
from tests.support import accesses as checked


@pytest.mark.deep
@pytest.mark.parametrize(("name", "check"), [(name, check) for name, _, check in checked.checks()])
def test_accesses_are_those_of_numpy(name: str, check: Any, device: Device) -> None:
    assert check(device)


@pytest.mark.deep
def test_wrong_results_are_noticed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a launch of other steps, and of a launch that did not happen."""
    access = Memory(device, checked.TABLE, checked.GROUP * checked.GROUPS, checked.GROUP).words(4)
    is_right = access.check(3)
    assert not is_right()
    access.launch(2).queue()
    assert not is_right()
    access.launch(3).queue()
    assert is_right()
    monkeypatch.setattr(Access, "check", lambda self, steps, launches: lambda: False)
    [(_, find), *_] = accesses.cases(Setting(device, quick=True))
    with pytest.raises(WrongAnswerError, match="word size"):
        list(find())


def test_steps_grow_until_they_take_long_enough(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """All variants are given as many; those that read all that there is, just that many."""
    memory = Memory(device, checked.TABLE, checked.GROUP * checked.GROUPS, checked.GROUP)
    ticks = itertools.count()
    monkeypatch.setattr(accesses, "run", lambda launch, access, launches: None)
    monkeypatch.setattr(accesses, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 8192))
    monkeypatch.setattr(accesses, "MOST_STEPS", 100)
    assert accesses.enough(memory.local(1)) == (100, 24)
    assert accesses.enough(memory.local(1), steps=7) == (7, 24)
    assert accesses.enough(memory.words(4)) == (checked.TABLE // 4 // memory.items, 24)
    slow = dataclasses.replace(memory.local(1), most_steps=9)
    assert accesses.sizes_of({("a", 1): memory.local(1), ("b", 1): slow}) == {("a", 1): (9, 24), ("b", 1): (9, 24)}
    other = dataclasses.replace(slow, accesses=1)
    assert accesses.sizes_of({("a", 1): memory.local(1), ("b", 1): other}) == {("a", 1): (100, 24), ("b", 1): (9, 24)}
