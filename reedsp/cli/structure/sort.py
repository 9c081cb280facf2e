"""``reedsp sort``: the numbers of a file in ascending order."""

from __future__ import annotations

import codecs
import contextlib
import enum
import io
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from reedsp.cli.options import TO_STANDARD, DeviceName, Force, Json, Quiet, file_typed, output_option
from reedsp.cli.output import (
    STANDARD,
    Failure,
    beside,
    check_output,
    content_of,
    input_text,
    print_json,
    size_text,
    stated_failures,
    write_stream,
)

_HOST = "host (NumPy)"
_SUFFIXES = (".npy", ".txt")
_LINES_AT_ONCE = 1 << 16
_INTEGER = re.compile(rb"[+-]?[0-9]+")


class SortMethod(enum.StrEnum):
    """Methods of :func:`reedsp.sort`."""

    fast = "fast"
    merge = "merge"


def sort(
    file: Annotated[
        Path,
        typer.Argument(
            parser=file_typed,
            metavar="FILE",
            show_default=False,
            help="Numbers between white space, or a NumPy .npy file with an array of one dimension. "
            "- is standard input.",
        ),
    ],
    output: Annotated[
        Path | None,
        output_option(
            f"Write the numbers to a .txt file, one a line, or to a .npy file, instead of printing them. {TO_STANDARD}",
            "OUTPUT",
        ),
    ] = None,
    method: Annotated[
        SortMethod, typer.Option(metavar="METHOD", help="How to sort: fast, by digits, or merge, as Dulle does.")
    ] = SortMethod.fast,
    device: DeviceName = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Sort the numbers of a file.

    Numbers of a text are integers of 64 bits if all of them are, and otherwise float64. NaN comes last. Numbers of a
    .npy file keep their type. Without OUTPUT they are printed, also with --quiet.
    """
    with stated_failures():
        import reedsp
        from reedsp.cost_model.place import is_sort_for_host

        check_output(output, force, _SUFFIXES, as_json)
        started = time.perf_counter()
        values = read_numbers(file)
        read_seconds = time.perf_counter() - started
        on_host = device is None and method is SortMethod.fast and is_sort_for_host(len(values))
        chosen = None if on_host else reedsp.get_device(device)
        where = _HOST if chosen is None else str(chosen)
        started = time.perf_counter()
        try:
            result = reedsp.sort(values, method.value, device=chosen)
        except TypeError as error:
            raise Failure(f"{input_text(file)}: {error}") from None
        seconds = time.perf_counter() - started
        if output is not None:
            write_stream(output, force, lambda stream: _write(stream, result, output.suffix.lower() == ".npy"))
        summary: dict[str, Any] = {
            "file": str(file),
            "numbers": len(result),
            "dtype": str(result.dtype),
            "read_seconds": read_seconds,
            "method": method.value,
            "device": where,
            "seconds": seconds,
            "output": None if output is None else str(output),
        }
        if as_json:
            print_json(summary)
        elif output is None:
            _print(result)  # it is the answer, and not about it
        elif not quiet:
            with beside(output):
                print(f"read      {input_text(file)}: {len(result):,} numbers, {result.dtype}, in {read_seconds:.3f} s")
                print(f"sorted    on {where}, in {seconds:.3f} s")
                if output != STANDARD:
                    print(f"written   {output}: {size_text(output.stat().st_size)}")


def read_numbers(file: Path) -> Any:
    """Return the numbers of a file.

    Raises
    ------
    Failure
        It holds something else.
    """
    import numpy as np

    content = content_of(file).removeprefix(codecs.BOM_UTF8)
    if content.startswith(b"\x93NUMPY"):
        from reedsp.io.archives import check_npy

        try:
            check_npy(io.BytesIO(content), len(content), "the array")
            array = np.load(io.BytesIO(content), allow_pickle=False)
        except ValueError as error:
            raise Failure(f"{input_text(file)}: {error}") from None
        if array.ndim != 1:
            raise Failure(f"{input_text(file)}: an array of one dimension is expected, got shape {array.shape}")
        return array
    words = content.split()
    try:
        numbers: list[Any] = [int(word) for word in words]
        if b"_" in content:  # as Python writes numbers, and no graph file may
            raise ValueError
    except ValueError:
        if not all(map(_INTEGER.fullmatch, words)):  # integers of more digits than Python reads are too large
            return np.fromiter(_fractions(file, words), np.float64)
        numbers = [1 << 64]
    for dtype in (np.int64, np.uint64):
        with contextlib.suppress(OverflowError):
            return np.array(numbers, dtype)
    raise Failure(f"{input_text(file)}: integers of more than 64 bits, or of different signs with some beyond 63")


def _fractions(file: Path, words: list[bytes]) -> Iterator[float]:
    for position, word in enumerate(words, start=1):
        try:
            number = float(word)
            if b"_" in word:
                raise ValueError
        except ValueError:
            text = word[:40].decode(errors="replace")
            raise Failure(f"{input_text(file)}: word {position}, {text!r}, is no number") from None
        if abs(number) >= 1 << 53 and _INTEGER.fullmatch(word) and (math.isinf(number) or int(word) != number):
            text = word[:40].decode()
            what = f"word {position}, {text!r}, has no exact float64 value, as there are fractions, too"
            raise Failure(f"{input_text(file)}: {what}")
        yield number


def _write(stream: IO[bytes], values: Any, as_numpy: bool) -> None:
    from reedsp.algorithms.all_pairs.out_of_core import array_files

    if as_numpy:
        array_files.save(stream, values)
        return
    for first in range(0, len(values), _LINES_AT_ONCE):
        stream.write(_lines(values[first : first + _LINES_AT_ONCE]).encode())


def _print(values: Any) -> None:
    for first in range(0, len(values), _LINES_AT_ONCE):
        print(_lines(values[first : first + _LINES_AT_ONCE]), end="")


def _lines(values: Any) -> str:
    """Return numbers one a line, such that reading them gives them back."""
    return "".join(f"{each!r}\n" for each in values.tolist())
