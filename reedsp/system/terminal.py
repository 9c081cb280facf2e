"""Whether someone sees what is printed."""

from __future__ import annotations

from typing import TextIO


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; where a program has no console, there is none, and it may be closed."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False
