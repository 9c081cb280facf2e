"""The memory of the host, and of the container that this process may be in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reedsp.system import host_memory


@pytest.fixture(autouse=True)
def _asked_again() -> None:
    host_memory.host_memory.cache_clear()


def test_it_is_that_of_the_machine_or_less() -> None:
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 1 << 20 < host_memory.host_memory() <= physical


@pytest.mark.parametrize(
    ("limit", "expected"), [("1000000\n", 1_000_000), ("max\n", None), ("-1", None), ("9" * 19, None)]
)
def test_a_container_may_have_less(
    limit: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.max"
    file.write_text(limit, encoding="ascii")
    monkeypatch.setattr(host_memory, "_LIMITS", (tmp_path / "no such file",))
    of_the_machine = host_memory.host_memory()
    host_memory.host_memory.cache_clear()
    monkeypatch.setattr(host_memory, "_LIMITS", (file,))
    assert host_memory.host_memory() == (expected or of_the_machine)


def test_a_system_that_does_not_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(host_memory, "_LIMITS", ())
    assert host_memory.host_memory() == host_memory._UNKNOWN
