"""What every command prints: failures and exit statuses, tables, JSON, and numbers for people."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn, overload

import typer

from reedsp.cli.status import BROKEN_PIPE, FAILED, INTERRUPTED, STANDARD_OUTPUT, failure_text, printable, say
from reedsp.system.files.atomic_file import check_writable, write_whole
from reedsp.system.files.cache_folders import SharedDirectoryError
from reedsp.system.files.file_errors import named_errors
from reedsp.system.terminal import is_terminal

STANDARD = Path("-")
"""Standard input or output, where a file is expected."""

_OPENED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Files that are open already, as of ``<(...)`` in a shell: to open one is not to wait for a writer."""

_TEXTS = frozenset((".csv", ".geojson", ".txt"))
_ROUTE_HEAD, _ROUTE_TAIL = 6, 5
_WIDE = 250  # columns of a table that is not printed to a terminal


class Failure(Exception):
    """Something the user has to know, in one line."""


@contextlib.contextmanager
def stated_failures() -> Iterator[None]:
    """Turn what can go wrong through no fault of the program into a message and an exit status."""
    try:
        import reedsp

        expected = (
            *(OSError, ValueError, OverflowError, MemoryError, Failure),
            *(reedsp.DeviceError, reedsp.VerificationError),
        )
    except Exception as error:  # a damaged installation can fail in any way
        say(f"{error}; `reedsp doctor` says what to do")
        raise typer.Exit(FAILED) from None
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(BROKEN_PIPE) from None
    except expected as error:
        text = failure_text(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        say(f"{text}; {error.cure}" if isinstance(error, SharedDirectoryError) else text)
        raise typer.Exit(FAILED) from None


def refuse(message: str, option: str) -> NoReturn:
    """End the command: an option or argument is used wrongly."""
    raise typer.BadParameter(message, param_hint=option)


@overload
def the_only(values: list[str], option: str) -> str: ...


@overload
def the_only(values: list[str] | None, option: str) -> str | None: ...


def the_only(values: list[str] | None, option: str) -> str | None:
    """Return what an option was given, which may be once."""
    if values and len(values) > 1:
        refuse(f"may be given once, and not for {', '.join(values)}", option)
    return values[0] if values else None


def check_inputs(names: str, *files: Path | None) -> None:
    """Refuse several inputs, which are called so, that are all standard input."""
    if files.count(STANDARD) > 1:
        refuse("only one of them can be standard input", names)


def is_stream(file: Path) -> bool:
    """Whether an input is standard input, or else what the shell has opened: these need not be regular files."""
    return file == STANDARD or str(file).startswith(_OPENED)


def content_of(file: Path) -> bytes:
    """Return all that is in an input.

    Raises
    ------
    OSError
        It cannot be read, or is neither a stream nor a regular file.
    """
    from reedsp.io.readers import require_regular_file

    if not is_stream(file):
        require_regular_file(file)
    with named_errors(input_text(file)):
        return sys.stdin.buffer.read() if file == STANDARD else file.read_bytes()


def input_text(file: Path) -> str:
    """Return what messages call an input."""
    return "standard input" if file == STANDARD else str(file)


def check_output(path: Path | None, force: bool, suffixes: tuple[str, ...], as_json: bool = False) -> None:
    """Refuse, before any work is done, what could not be written after it.

    Where one of the suffixes is that of a text the output may be standard output, unless the answer goes there as JSON.

    Raises
    ------
    typer.BadParameter, Failure, OSError
    """
    if path is None:
        return
    if path == STANDARD and not _TEXTS.isdisjoint(suffixes):
        if as_json:
            refuse("both go to standard output", "--output - and --json")
        return
    if path.suffix.lower() not in suffixes:
        refuse(f"{path} does not end in {' or '.join(suffixes)}", "--output")
    check_place(path, force)


def check_place(path: Path, force: bool) -> None:
    """Refuse a path at which no file can appear; to see that, one is made beside it for a moment.

    Raises
    ------
    Failure, OSError
    """
    if path.is_dir():
        raise Failure(f"{path} is a directory")
    if not path.parent.is_dir():
        raise Failure(f"{path.parent} is not a directory")
    if not force and os.path.lexists(path):
        raise Failure(f"{path} exists; --force replaces it")
    check_writable(path)


def print_json(answer: Any) -> None:
    r"""Print an answer in one line; what JSON has no word for, as text, and what is no finite number as null.

    Bytes of a file's name that are no characters are printed as where the answer is text: as ``\udcff``.
    """
    print(json.dumps(_sayable(answer), default=str))


def _sayable(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: _sayable(each) for name, each in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [_sayable(each) for each in answer]
    if isinstance(answer, str):
        return answer.encode(errors="backslashreplace").decode()
    return None if isinstance(answer, float) and not math.isfinite(answer) else answer


def print_table(table: Any) -> None:
    """Print a table of rich, as wide as the terminal, or as it needs where there is none."""
    from rich.console import Console

    console = Console(width=None if is_terminal(sys.stdout) else _WIDE, markup=False, highlight=False, emoji=False)
    with console.capture() as text:  # a console that prints itself ends the program when its reader has gone
        console.print(table)
    print(text.get(), end="")


def new_table(*titles: str, right: Sequence[str] = (), caption: str | None = None) -> Any:
    """Return a table of rich with these columns, some of them aligned to the right."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), caption=caption, caption_justify="left")
    for title in titles:
        table.add_column(title, justify="right" if title in right else "left", no_wrap=title in right)
    return table


def size_text(count: int) -> str:
    """Return a number of bytes for people."""
    for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def name_text(name: object) -> str:
    """Return what text calls a vertex or place, whose name a file may have filled with what a terminal obeys."""
    return printable(str(name))


def elided(route: Sequence[Any], between: str = " -> ") -> str:
    """Return the vertices of a route, or others, without those in the middle if there are many."""
    names = [name_text(name) for name in route]
    left_out = len(names) - _ROUTE_HEAD - _ROUTE_TAIL
    if left_out > 1:
        names[_ROUTE_HEAD:-_ROUTE_TAIL] = [f"({left_out:,} more)"]
    return between.join(names)


def write_answer(output: Path | None, force: bool, save: Callable[..., None], write_csv: Callable[..., None]) -> None:
    """Write a table to standard output by the one function, or a file by the other, if either is wanted."""
    if output == STANDARD:
        write_stream(output, force, write_csv)
    elif output is not None:
        save(output, overwrite=force)


def write_stream(output: Path, force: bool, write: Callable[[IO[bytes]], object]) -> None:
    """Write to standard output, or to a file, which appears whole or not at all."""
    if output == STANDARD:
        with named_errors(STANDARD_OUTPUT), open(sys.stdout.fileno(), "wb", closefd=False) as stream:  # may be closed
            write(stream)
    else:
        write_whole(output, write, overwrite=force)


def print_answer(
    summary: dict[str, Any],
    stats: dict[str, Any],
    show: Callable[[dict[str, Any], Path | None], None],
    output: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what there is to say about an answer: as JSON, or by `show`, or nothing."""
    if as_json:
        print_json({**summary, "stats": stats})
    elif not quiet:
        with beside(output):
            show(summary, output)


def beside(output: Path | None) -> contextlib.AbstractContextManager[Any]:
    """Have text printed to standard error where the answer itself goes to standard output."""
    return contextlib.redirect_stdout(sys.stderr if output == STANDARD else sys.stdout)


def print_end(summary: dict[str, Any], verified: str, output: Path | None, effort: str = "") -> None:
    """Print the lines that most commands end with: how it was solved, what was verified, and what is written."""
    where = f" on {summary['device']}" if summary["device"] else ""  # there is nothing to solve in an empty graph
    print(f"solved    {summary['method']}{effort}, {summary['seconds']:.3f} s{where}")
    if summary.get("verified"):
        print(f"verified  {verified}")
    if output is not None and output != STANDARD:
        print(f"written   {output}")
