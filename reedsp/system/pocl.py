"""A folder for what PoCL compiles, where the one that it would choose cannot be written to.

Without such a folder PoCL shows no device, and does not say why. Only the standard library is used, so that
``reedsp doctor`` can ask here when anything else is broken.
"""

from __future__ import annotations

import os
from pathlib import Path

from reedsp.system.files.cache_folders import temporary_directory

VARIABLE = "POCL_CACHE_DIR"
"""Environment variable by which a user chooses the folder; if it is set nothing is changed."""


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
    """Return whether files can be made in a folder, which is itself made where missing."""
    if folder is None:
        return False
    existing = next(each for each in (folder, *folder.absolute().parents) if os.path.lexists(each))
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
