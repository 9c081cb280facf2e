"""Single values of arguments: what is an integer, a flag and a number of bytes, and the errors for what is none."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def integer(value: object, name: str) -> int:
    """Return an argument as a Python int.

    Raises
    ------
    TypeError
        It is not an integer, or it is True or False; the message names the argument.
    """
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name}: expected an integer, got {value!r}")


def flag(value: object, name: str) -> bool:
    """Return whether something is wanted.

    Raises
    ------
    TypeError
        It is neither True nor False; the message names the argument.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def check_memory_limit(memory_limit: Any) -> None:
    """Raise ValueError or TypeError for a number of bytes that is none; ``2e9`` is one."""
    if isinstance(memory_limit, bool) or not isinstance(memory_limit, (int, float, np.integer, np.floating)):
        raise TypeError(f"memory_limit: expected a number of bytes, got {memory_limit!r}")
    if not memory_limit > 0:
        raise ValueError(f"memory_limit = {memory_limit}, expected a number of bytes")
