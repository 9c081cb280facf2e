"""How much memory the host has."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_UNKNOWN = 8 << 30  # bytes, where the system does not say it


@functools.cache
def host_memory() -> int:
    """Return the bytes of the machine's memory, or of the part that the container may use, if it is in one."""
    found = []
    with contextlib.suppress(AttributeError, OSError, ValueError):  # Windows has no sysconf
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for file in _LIMITS:
        with contextlib.suppress(OSError, ValueError):  # "max" is no limit
            found.append(int(file.read_text(encoding="ascii")))
    return min((each for each in found if each > 0), default=_UNKNOWN)
