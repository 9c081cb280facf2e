"""Environment variables that switch something off."""

from __future__ import annotations

import os
import warnings

_OFF = "never"


def is_on(switch: str) -> bool:
    """Whether a variable leaves something on, as all do that are not "never"; others than that have no meaning."""
    asked = os.environ.get(switch, "")
    if asked not in ("", _OFF):
        warnings.warn(f"{switch} = {asked!r} is ignored, expected {_OFF!r}", RuntimeWarning, stacklevel=1)
    return asked != _OFF
