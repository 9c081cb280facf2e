"""Processes of this package that answer the one that starts them through their standard output."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO

_BEGIN = b"\0reedsp answers\n"
_MOST_SAID = 1 << 20  # bytes before that

_VARIABLE = "REEDSP_CHILD"
"""Environment variable that is set in a child, also where the interpreter turns out to be another program."""


class NoChildError(RuntimeError):
    """There can be no child process here."""


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this package.

    Raises
    ------
    NoChildError
        This is a child itself, or there is no interpreter that could be started.
    """
    if _VARIABLE in os.environ:
        raise NoChildError("this is a child process")
    if getattr(sys, "frozen", False):
        raise NoChildError("the interpreter is part of a program (sys.frozen)")
    if not isinstance(sys.executable, str) or not sys.executable:
        raise NoChildError("where the interpreter is, is not known (sys.executable)")
    # -P: nothing is imported from the current directory
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return the environment variables of a child, which imports what this process would."""
    # Another thread may hide a variable between the look at the names and the one at the values.
    found = {name: value for name in list(os.environ) if (value := os.environ.get(name)) is not None}
    found["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if isinstance(each, str) and each)
    return {**found, _VARIABLE: "1"}


@contextlib.contextmanager
def answers() -> Iterator[IO[bytes]]:
    """Give a child its standard output for answers alone: what anything else prints from now on is a message."""
    sys.stdout.flush()
    output, messages = 1, 2
    with os.fdopen(os.dup(output), "wb") as stream:
        os.dup2(messages, output)
        stream.write(_BEGIN)
        stream.flush()
        yield stream


def begins(stream: IO[bytes]) -> bool:
    """Read what a child has printed before its answers, as modules do that are imported at the start of Python.

    Returns
    -------
    bool
        False if it ended before, or said too much.
    """
    said, last = 0, b""
    while said < _MOST_SAID and (line := stream.readline(_MOST_SAID)):
        said += len(line)
        last = (last + line)[-len(_BEGIN) :]
        if last == _BEGIN:
            return True
    return False
