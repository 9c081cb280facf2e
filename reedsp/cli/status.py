"""Exit statuses of the command ``reedsp``, and its messages; needs nothing but Python itself."""

from __future__ import annotations

import sys

DONE = 0
FAILED = 1
_USAGE = 2
INTERRUPTED = 130  # as after a SIGINT
BROKEN_PIPE = 141  # as after a SIGPIPE

STATUSES = {
    DONE: "done",
    FAILED: "a stated failure: the first line on standard error says which",
    _USAGE: "wrong usage: an unknown command or option, or a value that cannot be",
    INTERRUPTED: "interrupted by Ctrl-C; no output file is left half written",
    BROKEN_PIPE: "the reader of standard output has gone away",
}
"""What each exit status means."""


def say(message: str) -> None:
    """Print a message to standard error."""
    print(f"reedsp: {message}", file=sys.stderr)
