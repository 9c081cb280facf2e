"""The ``reedsp`` command."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from reedsp.cli.status import BROKEN_PIPE, DONE, FAILED, INTERRUPTED, STANDARD_OUTPUT, failure_text, say
from reedsp.system.files.file_errors import named_errors

if TYPE_CHECKING:
    import typer  # imported by application: `reedsp doctor` has to work where it is missing

_T = TypeVar("_T")


def main() -> None:
    """Run the command line and exit; :data:`reedsp.cli.status.STATUSES` says how."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # of names that its encoding lacks, as standard error does
    sys.stdout = cast(TextIO, _Output(sys.stdout))
    warnings.showwarning = _show_warning
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = BROKEN_PIPE
    except OSError as error:
        status = FAILED
        say(failure_text(error))
    if status == BROKEN_PIPE:
        _discard(sys.stdout)
    sys.exit(status)


class _Output:
    """Standard output, whose errors name it, and to which nothing goes any more after one.

    Parameters
    ----------
    stream : text stream
        All else is done by it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._tried(lambda: self._stream.write(text))

    def flush(self) -> None:
        self._tried(self._stream.flush)

    def _tried(self, do: Callable[[], _T]) -> _T:
        try:
            with named_errors(STANDARD_OUTPUT):
                return do()
        except OSError:
            _discard(self._stream)
            raise


def _discard(stream: TextIO) -> None:
    """Let go of what is still buffered, and cannot be written: Python would complain about it on leaving."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _show_warning(message: Warning | str, *_where: object, **_streams: object) -> None:
    """Print a warning without the line of Python that gives it."""
    say(f"warning: {message}")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    status: str | int | None = DONE
    try:
        if arguments[:1] == ["doctor"]:
            from reedsp.cli import doctor

            return doctor.main(arguments[1:])
        try:
            commands = application(*arguments[:1])
        except ImportError as error:
            say(f"{error}, which the command line needs; run: {sys.executable} -m pip install typer rich")
            return FAILED
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
