"""Binaries of built kernels on disk, each under a name that says what it was built from and for."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from reedsp.system.files.atomic_file import write_private
from reedsp.system.files.cache_folders import SharedDirectoryError, private_directory, warn_of_shared, warn_once
from reedsp.system.files.regular_file import read_regular

_log = logging.getLogger(__name__)

_MAGIC = b"reedsp kernel 1\n"
_LARGEST = 1 << 28  # bytes


def file_for(*key: object) -> Path | None:
    """Return the file of a binary that depends on all this, or None where there is no cache."""
    folder = _directory()
    return None if folder is None else folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()}.bin"


def is_empty() -> bool:
    """Return whether no kernel has been kept yet, where there is a place for them that can be looked into."""
    folder = _directory()
    try:
        return folder is not None and not any(name.endswith(".bin") for name in os.listdir(folder))
    except OSError:
        return False


def _directory() -> Path | None:
    """Return a cache directory that belongs to this user alone, or None."""
    try:
        return private_directory("kernels")
    except SharedDirectoryError as error:
        warn_of_shared(error, "kernels are not cached")
    except OSError as error:
        _warn_of_compiling_again(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return None


def _warn_of_compiling_again(reason: str) -> None:
    warn_once(
        f"every process compiles its kernels again, since they cannot be kept: {reason}; "
        "set XDG_CACHE_HOME to a folder that can be written to",
        stacklevel=2,
    )


def read(file: Path) -> bytes | None:
    """Return a cached binary if it is complete and unchanged since it was written."""
    try:
        content = read_regular(file, _LARGEST)
    except OSError:
        return None
    start = len(_MAGIC) + hashlib.sha256().digest_size
    binary = content[start:]
    if content[:start] != _head(file, binary):
        _log.info("cached kernel %s is damaged and is built anew", file.name)
        return None
    return binary


def _head(file: Path, binary: bytes) -> bytes:
    """Return what a cached binary starts with; the name takes part, so that no entry passes for another one."""
    return _MAGIC + hashlib.sha256(file.name.encode() + binary).digest()


def write(file: Path, binary: bytes) -> None:
    """Keep a binary; where that cannot be, warn once."""
    try:
        write_private(file, _head(file, binary) + binary)
    except OSError as error:
        _warn_of_compiling_again(f"{file.parent}: {error.strerror}")
