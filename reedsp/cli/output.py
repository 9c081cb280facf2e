"""What every command prints: failures and exit statuses, tables, JSON, and numbers for people."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer

from reedsp.cli.status import BROKEN_PIPE, FAILED, INTERRUPTED, say

STANDARD = Path("-")
"""Standard input or output, where a file is expected."""

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
        if isinstance(error, OSError) and error.strerror and error.filename is not None:
            say(f"{error.filename}: {error.strerror}")
        else:
            say(str(error) or type(error).__name__)
        raise typer.Exit(FAILED) from None


def refuse(message: str, option: str) -> NoReturn:
    """End the command: an option or argument is used wrongly."""
    raise typer.BadParameter(message, param_hint=option)


def check_output(path: Path, force: bool, suffixes: tuple[str, ...]) -> None:
    """Refuse, before any work is done, what could not be written after it.

    Raises
    ------
    typer.BadParameter, Failure
    """
    if path == STANDARD and ".csv" in suffixes:
        return
    if path.suffix not in suffixes:
        refuse(f"{path} does not end in {' or '.join(suffixes)}", "--output")
    check_place(path, force)


def check_place(path: Path, force: bool) -> None:
    """Refuse a path at which no file can appear.

    Raises
    ------
    Failure
    """
    if path.is_dir():
        raise Failure(f"{path} is a directory")
    if not path.parent.is_dir():
        raise Failure(f"{path.parent} is not a directory")
    if not force and os.path.lexists(path):
        raise Failure(f"{path} exists; --force replaces it")


def print_json(answer: Any) -> None:
    """Print an answer in one line; what JSON has no word for, as text."""
    print(json.dumps(answer, default=str))


def print_table(table: Any) -> None:
    """Print a table of rich, as wide as the terminal, or as it needs where there is none."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _WIDE, markup=False, highlight=False)
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


def elided(route: Sequence[Any]) -> str:
    """Return the vertices of a route, without those in the middle if there are many."""
    names = [str(name) for name in route]
    left_out = len(names) - _ROUTE_HEAD - _ROUTE_TAIL
    if left_out > 1:
        names[_ROUTE_HEAD:-_ROUTE_TAIL] = [f"({left_out:,} more)"]
    return " -> ".join(names)


def write_answer(answer: Any, output: Path | None, force: bool, save: Callable[..., None]) -> None:
    """Write the table of an answer to standard output, or by its own `save` to a file, if either is wanted."""
    if output == STANDARD:
        with open(sys.stdout.fileno(), "wb", closefd=False) as stream:  # one that may be closed
            answer.write_csv(stream)
    elif output is not None:
        save(output, overwrite=force)
