"""What ``under_oclgrind.py`` runs of sorting and of what graphs are made of, a file for each."""

from __future__ import annotations

from collections.abc import Callable

Check = tuple[set[str], Callable[[], None]]
"""The kernel files that are used, and what is to be run."""
