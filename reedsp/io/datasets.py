"""Public data sets: found in a folder or downloaded once, and always checked against the SHA-256 of the original."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reedsp.system.files.cache_folders import private_directory
from reedsp.system.files.file_errors import named_errors
from reedsp.system.progress_bar import bytes_bar

_FOLDER_VARIABLE = "REEDSP_DATA"
_DIMACS = "http://www.diag.uniroma1.it/challenge9/data/USA-road-d"
_SNAP = "https://snap.stanford.edu/data"


@dataclass(frozen=True)
class Dataset:
    """A public file.

    Attributes
    ----------
    title : str
        What is in it.
    url : str
        Where it is published.
    sha256 : str
        Hash of the published file.
    size : int
        Bytes.
    """

    title: str
    url: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.url.rpartition("/")[2]


DATASETS = {
    "road-ny": Dataset(
        "Roads of New York, lengths; 264,346 vertices, 733,846 arcs (9th DIMACS challenge)",
        f"{_DIMACS}/USA-road-d.NY.gr.gz",
        "7b2446c7ffe6179efbc42af6812448e8cb782f12968ca2bb1d50d979343056d4",
        3_667_907,
    ),
    "road-ny-places": Dataset(
        "Coordinates of the vertices of road-ny; no graph (9th DIMACS challenge)",
        f"{_DIMACS}/USA-road-d.NY.co.gz",
        "02547a628742164e02bd73f59e33a65d23dfac8fc54c09275c8b9169c38eafdf",
        2_058_598,
    ),
    "email-enron": Dataset(
        "E-mail between addresses at Enron; 36,692 vertices, 367,662 edges (SNAP)",
        f"{_SNAP}/email-Enron.txt.gz",
        "e4611471ed181699b36e2aafc313e077fb25d16ed67ec5a81591eb8d8b40a5bc",
        1_054_970,
    ),
}
"""The data sets that are known, by name."""


def fetch(
    name: str, folder: str | os.PathLike[str] | None = None, progress: Callable[[int, int], None] | bool | None = None
) -> Path:
    """Return a data set's file; download it if it is not there yet.

    Parameters
    ----------
    name : str
        One of those that the message about another name lists.
    folder : path, optional
        Where to look for the file, also one folder deeper, and where to put it; by default the environment variable
        ``REEDSP_DATA``, else ``reedsp/datasets`` in the user's cache folder.
    progress : bool or callable(done, size), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with the bytes that have been downloaded, and their number.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        The name is unknown, or the file is not the published one.
    ImportError
        The file has to be downloaded, and pooch is not installed (the extra ``datasets``).
    OSError
        It cannot be downloaded or stored.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.fetch("Atlantis")
    Traceback (most recent call last):
        ...
    ValueError: name = 'Atlantis', expected one of ...
    """
    bar = bytes_bar("downloading", progress)
    known = DATASETS.get(name)
    if known is None:
        raise ValueError(f"name = {name!r}, expected one of {', '.join(DATASETS)}")
    place = Path(folder if folder is not None else os.environ.get(_FOLDER_VARIABLE) or _cache())
    for file in (place / known.file, *sorted(place.glob(f"*/{known.file}"))):
        if file.is_file():
            _check(file, known)
            return file
    with bar as report:
        return _download(known, place, report)


def _cache() -> Path:
    return private_directory("datasets")


def _check(file: Path, known: Dataset) -> None:
    with named_errors(file), open(file, "rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != known.sha256:
        raise ValueError(f"{file}: not the published file: its SHA-256 is {found}, expected {known.sha256}")


def _download(known: Dataset, place: Path, progress: Callable[[int, int], None] | None) -> Path:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            f'{known.file} is not in {place}, and {error}; run: pip install "reedsp[datasets]", or put it there from '
            f"{known.url}"
        ) from None
    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(progressbar=_Bar(progress) if progress is not None else False)
    try:
        found = pooch.retrieve(known.url, f"sha256:{known.sha256}", known.file, place, downloader=downloader)
    except OSError as error:
        if error.errno is not None:  # it is not of the network: the folder cannot be written to
            raise
        reason = str(getattr(error.args[0], "reason", error) if error.args else error).rpartition("): ")[2]
        cure = f"put {known.file} into {place} yourself"
        raise OSError(f"{known.file} could not be downloaded from {known.url}: {reason}; {cure}") from None
    return Path(found)


class _Bar:
    """What pooch tells its progress to."""

    total: int = 0

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress
        self._done = 0

    def update(self, size: int) -> None:
        """Count bytes that have arrived."""
        self._done += size
        self._progress(self._done, self.total)

    def reset(self) -> None:
        """Begin to count again, which pooch asks for before its last update."""
        self._done = 0

    def close(self) -> Any:
        """End."""
