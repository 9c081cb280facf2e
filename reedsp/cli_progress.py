"""Progress bars on standard error, for work that takes more than two seconds on a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

_AFTER_SECONDS = 2.0

Show = Callable[[float, float | None, str], None]
"""Shows a bar: done, of how much, description."""


@contextlib.contextmanager
def search_bar(searches: int, steps: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.sssp` or :func:`reedsp.bfs`; None if nobody would see it.

    Parameters
    ----------
    searches : int
    steps : str
        What is counted if there is only one.
    """
    if searches > 1:
        with _bar("{task.completed:,} of {task.total:,} sources", "searching") as show:
            yield None if show is None else lambda done, total: show(done, total, "")
        return
    with _bar(f"{{task.completed:,}} {steps}", "searching", with_time_left=False) as show:
        # How many steps it will take is not known beforehand, so the bar only shows that there is progress.
        yield None if show is None else lambda done, most: show(done, None, "")


@contextlib.contextmanager
def vertices_bar(verb: str = "solving") -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.apsp`, or of a check; None if nobody would see it."""
    with _bar("{task.completed:,} of {task.total:,} vertices", verb) as show:
        yield None if show is None else lambda vertices, n: show(vertices, n, "")


@contextlib.contextmanager
def bytes_bar(verb: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.read`; None if nobody would see it."""
    with _bar("{task.percentage:.0f}% of the file", verb) as show:
        yield None if show is None else lambda done, size: show(done, size, "")


@contextlib.contextmanager
def edges_bar(verb: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.write`; None if nobody would see it."""
    with _bar("{task.completed:,.0f} of {task.total:,} edges", verb) as show:
        yield None if show is None else lambda done, edges: show(done, edges, "")


@contextlib.contextmanager
def parts_bar(verb: str) -> Iterator[Callable[[float, str], None] | None]:
    """Give a progress callback (part of the work, what is being done); None if nobody would see it."""
    with _bar("{task.description}", verb) as show:
        yield None if show is None else lambda part, text: show(part, 1.0, text)


@contextlib.contextmanager
def _bar(text: str, verb: str = "solving", with_time_left: bool = True) -> Iterator[Show | None]:
    """Give a function that shows a bar once the work has taken a while, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    started = time.monotonic()
    columns: list[ProgressColumn] = [TextColumn(verb), BarColumn(), TextColumn(text), TimeElapsedColumn()]
    if with_time_left:
        columns += [TextColumn("left"), TimeRemainingColumn()]
    with contextlib.ExitStack() as stack:
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        task = bar.add_task("", total=None)

        def show(done: float, total: float | None, description: str) -> None:
            bar.update(task, completed=done, total=total, description=description)
            if not bar.live.is_started and time.monotonic() - started > _AFTER_SECONDS:
                stack.enter_context(bar)

        yield show
