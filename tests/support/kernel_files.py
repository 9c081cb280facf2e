"""The kernel sources, by the names that includes and the host know them by."""

from __future__ import annotations

from pathlib import Path


def kernel_files(folder: Path) -> list[str]:
    """Return every kernel file below a folder, as ``core/weights.cl``, sorted."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.cl"))
