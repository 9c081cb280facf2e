"""Where rows go that workers write: a zarr array, a folder of ``.npy`` files, or one such file."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core import array_files
from reedsp.system.files.atomic_file import room_for, synchronise_folder, write_whole
from reedsp.system.files.rows_path import FILE, FOLDER, ZARR

_CHUNK_BYTES = 1 << 26  # of a zarr array, at most, in each of which are rows of one task


@dataclass(frozen=True)
class Output:
    """An array on a disk that all workers reach, written some rows at a time.

    Attributes
    ----------
    kind : {"zarr", "folder", "npy"}
    path : Path
    shape : tuple of int
    dtype : dtype
    rows : int
        That a task writes, from a multiple of it on.
    """

    kind: str
    path: Path
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    rows: int

    def at(self, path: Path) -> Output:
        """Return the same in another place."""
        return replace(self, path=path)

    def prepare(self) -> None:
        """Make the array, if it is not there; where it is, tidy it.

        It has its name when it is on the disk, and then for good: rows are recorded that are in it.
        """
        if os.path.lexists(self.path):
            self.tidy()
            return
        beside = replace(self, path=self.path.with_name(f".{self.path.name}.partial"))
        beside._make()
        _synchronise(beside.path)
        os.rename(beside.path, self.path)
        synchronise_folder(self.path.parent)

    def _make(self) -> None:
        if self.kind == FOLDER:
            self.path.mkdir()
        elif self.kind == ZARR:
            import zarr

            chunks = max(1, -(-self.rows * self.shape[1] * self.dtype.itemsize // _CHUNK_BYTES))
            columns = max(1, -(-self.shape[1] // chunks))  # all alike: the last one is as large on the disk
            with room_for(self.path):
                zarr.create_array(  # not compressed, which takes longer than the searches
                    self.path, shape=self.shape, chunks=(self.rows, columns), dtype=self.dtype, compressors=None
                )
        else:
            size, descr = self._bytes_from(0), np.lib.format.dtype_to_descr(self.dtype)
            with room_for(self.path, size), open(self.path, "xb") as stream:
                header = {"descr": descr, "fortran_order": False, "shape": self.shape}
                np.lib.format.write_array_header_1_0(stream, header)
                stream.truncate(stream.tell() + size)

    def tidy(self) -> None:
        """Delete what tasks have left half written, which were killed."""
        if self.kind != FILE:
            for file in self.path.rglob("*.partial"):
                file.unlink(missing_ok=True)

    def write(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Write rows from one on, which are on the disk then.

        Raises
        ------
        OSError
        """
        if self.kind == ZARR:
            import zarr

            with room_for(self.path, rows.nbytes):
                array = zarr.open_array(self.path, mode="r+")
                array[first : first + len(rows)] = rows
            chunks = self.path / "c"  # for which zarr does not wait
            for folder in (chunks / str(first // self.rows), chunks, self.path):
                if folder.is_dir():  # chunks of zeros have no file
                    _synchronise(folder)
            return
        rows = np.ascontiguousarray(rows, self.dtype)
        if self.kind == FOLDER:
            file = self.path / f"{first:0{len(str(self.shape[0]))}}.npy"
            write_whole(file, functools.partial(array_files.save, array=rows), overwrite=True)
            return
        with room_for(self.path, rows.nbytes), open(self.path, "r+b") as stream:
            stream.seek(-self._bytes_from(first), os.SEEK_END)
            stream.write(rows.reshape(-1).view(np.uint8).data)
            stream.flush()
            os.fsync(stream.fileno())

    def _bytes_from(self, first: int) -> int:
        return (self.shape[0] - first) * self.shape[1] * self.dtype.itemsize

    def opened(self) -> Any:
        """Return the array: of zarr, or mapped; of a folder the names of its files."""
        if self.kind == ZARR:
            import zarr

            return zarr.open_array(self.path, mode="r")
        if self.kind == FOLDER:
            return sorted(self.path.glob("*.npy"))
        return np.load(self.path, mmap_mode="r")


def _synchronise(path: Path) -> None:
    """Wait until a file, or the files of a folder and their names, are on the disk."""
    for file in (each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]:
        with open(file, "rb") as stream:
            os.fsync(stream.fileno())
    if path.is_dir():
        synchronise_folder(path)
