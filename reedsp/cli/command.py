"""The ``reedsp`` command."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reedsp.cli.status import BROKEN_PIPE, DONE, FAILED, INTERRUPTED, say

if TYPE_CHECKING:
    import typer  # imported by application: `reedsp doctor` has to work where it is missing


def main() -> None:
    """Run the command line and exit; :data:`reedsp.cli.status.STATUSES` says how."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # of names that its encoding lacks, as standard error does
    warnings.showwarning = _show_warning
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = BROKEN_PIPE
    if status == BROKEN_PIPE:  # what is still buffered has no reader: Python would complain about it on leaving
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _show_warning(message: Warning | str, *_where: object, **_streams: object) -> None:
    """Print a warning without the line of Python that gives it."""
    say(f"warning: {message}")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    if arguments[:1] == ["doctor"]:
        from reedsp.cli import doctor

        return doctor.main(arguments[1:])
    try:
        commands = application(*arguments[:1])
    except ImportError as error:
        say(f"{error}, which the command line needs; run: {sys.executable} -m pip install typer rich")
        return FAILED
    status: str | int | None = DONE
    try:
        commands(args=list(arguments), prog_name="reedsp")
    except SystemExit as leaving:
        is_unread = isinstance(leaving.__context__, BrokenPipeError)  # of help or the version, which Typer ends with 1
        status = BROKEN_PIPE if is_unread else leaving.code
    return status if isinstance(status, int) else DONE


def application(wanted: str | None = None) -> typer.Typer:
    """Build the application, with one command alone if that is wanted.

    Raises
    ------
    ImportError
        Typer or rich is missing.
    """
    from reedsp.cli.commands import application as build

    return build(wanted)
