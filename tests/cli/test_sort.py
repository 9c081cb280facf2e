"""``reedsp sort``: numbers of texts and of numpy's files, and what is wrong in them."""

from __future__ import annotations

import codecs
import errno
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp.cli import command
from reedsp.cli.structure.sort import _write
from reedsp.device import discovery
from tests.system.files.failing import files_that_end_at


@pytest.fixture
def run(device: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in an empty folder; gives its status and what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        status = command.run([*line.split(), "--device", str(device.index)])
        return (status, *capsys.readouterr())

    return run


@pytest.mark.deep
@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("3 1\n2\t-7", "-7\n1\n2\n3\n"),
        ("", ""),
        ("18446744073709551615 0", "0\n18446744073709551615\n"),
        ("2.5 nan -inf\n1e300 0.1", "-inf\n0.1\n2.5\n1e+300\nnan\n"),
    ],
)
@pytest.mark.parametrize("method", ["fast", "merge"])
def test_numbers_are_printed(content: str, printed: str, method: str, run: Any) -> None:
    Path("numbers.txt").write_text(content)
    assert run(f"sort numbers.txt --method {method}") == (0, printed, "")
    assert run(f"sort numbers.txt --method {method} --quiet") == (0, printed, "")


def test_files_are_written(run: Any) -> None:
    numbers = np.array([3, 1, 2], np.uint16)
    np.save("numbers.npy", numbers)
    status, out, _ = run("sort numbers.npy --output sorted.npy")
    assert status == 0
    assert out.startswith("read      numbers.npy: 3 numbers, uint16, in ")
    found = np.load("sorted.npy")
    assert found.dtype == np.uint16
    assert found.tolist() == [1, 2, 3]
    assert run("sort numbers.npy --output sorted.txt --quiet") == (0, "", "")
    assert Path("sorted.txt").read_text() == "1\n2\n3\n"
    assert run("sort numbers.npy --output sorted.txt")[0] == 1
    assert run("sort sorted.txt --output sorted.txt --force --quiet") == (0, "", "")


def test_a_file_for_which_there_is_no_room(tmp_path: Path) -> None:
    with (
        (tmp_path / "sorted.npy").open("wb") as stream,
        files_that_end_at(10_000),
        pytest.raises(OSError, match="File too large") as raised,
    ):
        _write(stream, np.zeros(2000), as_numpy=True)
    assert raised.value.errno == errno.EFBIG


def test_a_few_numbers_need_no_device(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, serves: None
) -> None:
    monkeypatch.setattr(discovery, "_devices", [])
    (tmp_path / "n.txt").write_bytes(codecs.BOM_UTF8 + b"3 1 2")
    assert command.run(["sort", str(tmp_path / "n.txt"), "-o", str(tmp_path / "m.TXT")]) == 0
    assert "\nsorted    on host (NumPy), in " in capsys.readouterr().out
    assert (tmp_path / "m.TXT").read_text() == "1\n2\n3\n"
    assert command.run(["sort", str(tmp_path / "n.txt"), "--quiet"]) == 0
    assert capsys.readouterr().out == "1\n2\n3\n"
    assert command.run(["sort", str(tmp_path / "n.txt"), "--device", "0"]) == 1


def test_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"2 1")))
    assert run("sort -") == (0, "1\n2\n", "")
    for content, message in (
        *((b"2 x", "word 2, 'x', is no number"), (b"0.5 9007199254740993", "word 2, '9007199254740993', has no exact")),
        *((b"1" * 30, "integers of more than 64 bits"), (b"\x93NUMPY", "")),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run("sort -")[2].startswith(f"reedsp: standard input: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 two 3", "numbers.txt: word 2, 'two', is no number"),
        (b"5 1_000", "numbers.txt: word 2, '1_000', is no number"),
        (b"0.5 1_0.5", "numbers.txt: word 2, '1_0.5', is no number"),
        (b"1 18446744073709551616", "numbers.txt: integers of more than 64 bits"),
        (b"-1 18446744073709551615", "numbers.txt: integers of more than 64 bits"),
        (b"\x93NUMPY\1", "numbers.txt: "),
    ],
)
def test_files_of_something_else(content: bytes, message: str, run: Any) -> None:
    Path("numbers.txt").write_bytes(content)
    status, out, err = run("sort numbers.txt")
    assert (status, out) == (1, "")
    assert message in err


def npy_with(header: bytes) -> bytes:
    """Return a .npy file of five integers with another text in its header."""
    stream = io.BytesIO()
    np.save(stream, np.arange(5))
    whole = stream.getvalue()
    return whole[:10] + header.ljust(117) + b"\n" + whole[128:]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"(" * 117, "the array does not begin with the header of an array of numbers or strings"),
        (b"{'descr': '<i8', 'fortran_order': False, 'shape': (5L,), }", "the array does not begin with the header"),
        (
            b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999,), }",
            "the array declares 799999999999992 bytes of int64, which do not agree with its size",
        ),
    ],
)
def test_damaged_headers(header: bytes, message: str, run: Any) -> None:
    Path("numbers.npy").write_bytes(npy_with(header))
    status, out, err = run("sort numbers.npy")
    assert (status, out) == (1, "")
    assert err.startswith(f"reedsp: numbers.npy: {message}")


def test_integers_of_very_many_digits(run: Any) -> None:
    Path("numbers.txt").write_text(f"1 {'7' * 5000}")
    status, out, err = run("sort numbers.txt")
    assert (status, out) == (1, "")
    assert err.startswith("reedsp: numbers.txt: integers of more than 64 bits")


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("3 1 2")
    words = ["sort", str(tmp_path / "numbers.txt"), "--output", "-"]
    assert command.run(words) == 0
    out, err = capfdbinary.readouterr()
    assert out == b"1\n2\n3\n"
    assert err.startswith(b"read ")
    assert b"written" not in err
    assert command.run([*words, "--quiet"]) == 0
    assert capfdbinary.readouterr() == (b"1\n2\n3\n", b"")
    assert command.run([*words, "--json"]) == 2


def test_a_file_that_is_called_like_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"2 1")))
    Path("-").write_text("7 6")
    assert run("sort ./-") == (0, "6\n7\n", "")
    assert run("sort -") == (0, "1\n2\n", "")


def test_arrays_of_something_else(run: Any) -> None:
    for array, message in (
        (np.ones((2, 2)), "an array of one dimension is expected, got shape (2, 2)"),
        (np.array(["b", "a"]), "elements of type bool"),
    ):
        np.save("numbers.npy", array)
        status, _, err = run("sort numbers.npy")
        assert status == 1
        assert message in err
    assert run("sort missing.npy")[0] == 1


@pytest.mark.parametrize("word", [str(2**53 + 1), "9" * 5000, "-" + "9" * 400], ids=["odd", "long", "below"])
def test_integers_among_fractions_that_are_none_of_float64(word: str, run: Any) -> None:
    Path("numbers.txt").write_text(f"0.5 {word}")
    status, _, err = run("sort numbers.txt")
    assert status == 1
    assert f"numbers.txt: word 2, {word[:40]!r}, has no exact float64 value" in err
