"""Where rows go that several workers write: what a path asks for, and whether it is free."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from reedsp.system.files.path_argument import path_to_write

ZARR, FOLDER, FILE = "zarr", "folder", "npy"
_OTHERS = (".csv", ".h5", ".hdf5", ".mat", ".npz", ".parquet", ".tsv", ".txt")
"""How names end of files that are not written."""


def kind_of(out: str | os.PathLike[str]) -> tuple[str, Path]:
    """Return what a path asks for, and the path, which is the same for workers that are in another folder.

    Raises
    ------
    TypeError, ValueError
        It is no path, or an empty one, or its name is that of a file of another format.
    FileNotFoundError
        There is no folder for it.
    """
    path = path_to_write(out)
    ending = path.suffix.lower()
    if ending in _OTHERS:
        raise ValueError(f"out = {os.fspath(out)!r}, expected a name that ends in .zarr or .npy, or one for a folder")
    return {".zarr": ZARR, ".npy": FILE}.get(ending, FOLDER), path


def free_path(out: str | os.PathLike[str]) -> tuple[str, Path]:
    """Return the same of a place that is free, or beside which is what an interrupted call has left.

    Raises
    ------
    FileExistsError
        It is not.
    TypeError, ValueError, FileNotFoundError
        As for :func:`kind_of`.
    """
    kind, target = kind_of(out)
    refuse_taken(target, beside=target)
    return kind, target


def partial(target: Path) -> Path:
    """Return the folder of work in progress for a result."""
    return target.with_name(f"{target.name}.partial")


def is_there(path: Path) -> bool:
    """Return whether there is something in a place, a link to nothing included.

    Raises
    ------
    OSError
        It cannot be looked at, which says nothing about what is there.
    """
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def refuse_existing(path: Path) -> None:
    """Raise FileExistsError if there is something in a place."""
    if is_there(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def refuse_taken(*targets: Path, beside: Path) -> None:
    """Raise FileExistsError if a target is taken, unless there is work in progress, whose results they may be."""
    if not os.path.lexists(partial(beside)):
        for target in targets:
            refuse_existing(target)
