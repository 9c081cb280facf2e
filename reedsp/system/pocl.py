"""A folder for what PoCL compiles, where the one that it would choose cannot be written to, or is no longer there.

Without such a folder PoCL shows no device, or builds nothing, and does not say why. Only the standard library is used,
so that ``reedsp doctor`` can ask here when anything else is broken.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from reedsp.system.files.cache_folders import temporary_directory

VARIABLE = "POCL_CACHE_DIR"
"""Environment variable by which a user chooses the folder; if it is set nothing is changed."""

_ROOM = 1 << 20  # bytes, less than which a compiler may need


def give_cache_folder() -> Path | None:
    """Point PoCL to a temporary folder, removed when this process ends, if it can write to none of its own.

    Has to be called before the process's first OpenCL call. Sets ``POCL_CACHE_DIR`` for this process and its children.

    Returns
    -------
    Path or None
        The temporary folder, or None if nothing was changed.
    """
    if os.name != "posix" or os.environ.get(VARIABLE) or can_write(cache_folder()):
        return None
    try:
        folder = temporary_directory("reedsp-pocl-")
    except OSError:
        return None
    os.environ[VARIABLE] = str(folder)
    return folder


def cache_folder() -> Path | None:
    """Return the folder that PoCL takes where a user has chosen none, None if it finds none."""
    if cache := os.environ.get("XDG_CACHE_HOME"):
        return Path(cache, "pocl", "kcache")
    home = os.environ.get("HOME")
    return None if home is None else Path(f"{home}/.cache/pocl/kcache")


def can_write(folder: Path | None) -> bool:
    """Return whether files can be made in a folder, which could itself be made where missing."""
    if folder is None:
        return False
    existing = next(each for each in (folder, *folder.absolute().parents) if os.path.lexists(each))
    try:  # what root may do, and yet cannot, no look at rights shows
        tempfile.TemporaryDirectory(dir=existing).cleanup()
    except OSError:
        return False
    return True


def mend_cache_folder() -> None:
    """Make the folder that PoCL has taken again if it is no longer there: PoCL does not, and builds nothing."""
    if (folder := _folder_in_use()) is not None:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def cache_folder_error() -> str | None:
    """Return why PoCL cannot keep in its folder what it compiles, and so builds nothing; None if it can."""
    if (folder := _folder_in_use()) is None:
        return None
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        return f"PoCL cannot write to its cache {folder}: {error.strerror}"
    return None


def _folder_in_use() -> Path | None:
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else cache_folder()
