"""Environment variables that switch something off, or on."""

from __future__ import annotations

import os
import warnings

_OFF, _FORCED = "never", "1"

_named: set[tuple[str, str]] = set()
"""Variables and values without a meaning that have been warned of."""


def is_on(switch: str) -> bool:
    """Whether a variable leaves something on, as all do that are not "never"; others than that have no meaning."""
    return _asked(switch, _OFF) != _OFF


def is_forced(switch: str) -> bool:
    """Whether a variable is "1"; others than that, and "0", have no meaning."""
    return _asked(switch, _FORCED, "0") == _FORCED


def _asked(switch: str, *known: str) -> str:
    asked = os.environ.get(switch, "")
    if asked and asked not in known and (switch, asked) not in _named:  # once, even where a warning is made an error
        _named.add((switch, asked))
        expected = " or ".join(map(repr, known))
        warnings.warn(f"{switch} = {asked!r} is ignored, expected {expected}", RuntimeWarning, stacklevel=1)
    return asked
