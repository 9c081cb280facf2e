"""What a caller is told while searches run: of one its rounds, of several how many of them are done."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with what is done and how much there may be: rounds of the only search, else searches."""


def of_a_search(progress: Progress | None, done: int, searches: int) -> Progress | None:
    """Return what a search, or some of them together, report rounds to once `done` of all searches are done."""
    if progress is None or searches == 1:
        return progress
    return lambda rounds, most_rounds: progress(done, searches)


def report_done(progress: Progress | None, done: int, searches: int) -> None:
    """Tell how many searches are done, unless there is only one."""
    if progress is not None and searches > 1:
        progress(done, searches)
