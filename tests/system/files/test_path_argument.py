"""Arguments that are paths, and those that are none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reedsp.system.files.path_argument import path_argument, path_to_write


@pytest.mark.parametrize("path", ["./x", b"./x"])
def test_a_path_stays_as_it_was_given(path: str | bytes) -> None:
    assert path_argument(path, "path") == "./x"
    assert path_argument(Path("x"), "path") == "x"


@pytest.mark.parametrize("value", [3, None, ["x"]])
def test_what_is_no_path_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^out: expected a path, got "):
        path_argument(value, "out")


@pytest.mark.parametrize("value", ["a\0b", b"a\0b", Path("a\0b")])
def test_a_null_character_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^out = 'a\\x00b', expected a path without null characters$"):
        path_argument(value, "out")


def test_what_is_written_has_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert path_to_write("x") == tmp_path / "x"
    with pytest.raises(TypeError, match=r"^out: expected a path, got 3$"):
        path_to_write(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^out: expected a path as text, got b'x'$"):
        path_to_write(b"x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^out: it is empty, expected a path$"):
        path_to_write("")
    with pytest.raises(ValueError, match=f"^out = '{re.escape(tmp_path.anchor)}', expected a path that ends in a name"):
        path_to_write(tmp_path.anchor)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        path_to_write(tmp_path / "nowhere" / "x")
