"""Exit statuses of the command ``reedsp``, and its messages; needs nothing but Python itself."""

from __future__ import annotations

import sys
import unicodedata

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

_LAYOUT = "\n\t"
_OBEYED = ("Cc", "Cs", "Zl", "Zp")
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

STANDARD_OUTPUT = "standard output"
"""What messages call it."""


def say(message: str) -> None:
    """Print a message to standard error; it may have several lines, but sends a terminal nothing else to obey."""
    print(f"reedsp: {printable(message, kept=_LAYOUT)}", file=sys.stderr)


def printable(text: str, kept: str = "") -> str:
    """Return a text with escapes in place of what a terminal obeys, but for characters that are kept.

    These are control characters, ends of lines, and what turns the direction of writing; not the spaces and joiners of
    other scripts.
    """
    if text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode() if _is_obeyed(each) and each not in kept else each for each in text
    )


def _is_obeyed(character: str) -> bool:
    return unicodedata.category(character) in _OBEYED or character in _TURNS


def failure_text(error: OSError) -> str:
    """Return which file an error is about, if that is known, and what is wrong with it."""
    is_named = error.strerror and error.filename is not None
    return f"{error.filename}: {error.strerror}" if is_named else str(error) or type(error).__name__
