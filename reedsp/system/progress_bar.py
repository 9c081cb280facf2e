"""Progress bars: on standard error if that is a terminal, or in a notebook; elsewhere there are none."""

from __future__ import annotations

import contextlib
import html
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from reedsp.system.terminal import is_terminal

LATE = 2.0
"""Seconds of work after which the command line shows a bar."""

_LONG = 5.0  # seconds from which on a call says how long it takes
_BETWEEN_SECONDS = 0.1
_EXPECTED = 0.1  # of the work, as which an expectation counts
_HIDDEN = ContextVar("_HIDDEN", default=False)

Report = Callable[[int, int], None]
"""Told how much is done, and of how much."""

Asked = Report | bool | None
"""What the argument `progress` may be: whether there shall be a bar, or a function to be told instead."""

_Words = Callable[[int, int], str]
"""Says how much is done, of how much."""

_Show = Callable[[float, float | None, str], None]
"""Shows a bar: done, of how much if that is known, in words."""


def search_bar(
    searches: int, steps: str, progress: Asked = True, after: float = 0.0, expected: float | None = None
) -> AbstractContextManager[Report | None]:
    """Return the context in which :func:`reedsp.sssp` or :func:`reedsp.bfs` reports.

    Parameters
    ----------
    searches : int
    steps : str
        What is counted if there is only one.
    progress : bool or callable(done, most), optional
    after : float
        Seconds of work after which a bar is shown; one that is shown late is taken away in the end.
    expected : float, optional
        Seconds that several searches are thought to take; see :func:`vertices_bar`.

    Returns
    -------
    context manager
        Gives the function to report to: None if there is none. Nothing is shown before a first report.

    Raises
    ------
    TypeError
        `progress` is something else.
    """
    if searches > 1:
        return _reports(
            *(progress, "searching", lambda done, most: f"{done:,} of {most:,} sources", after), expected=expected
        )
    # how many steps it will take is not known beforehand, so the bar only shows that there is progress
    return _reports(progress, "searching", lambda done, _: f"{done:,} {steps}", after, has_end=False)


def vertices_bar(
    verb: str = "solving", progress: Asked = True, after: float = 0.0, expected: float | None = None
) -> AbstractContextManager[Report | None]:
    """Return the context in which :func:`reedsp.apsp`, or a check, reports; see :func:`search_bar`.

    `expected` are the seconds that it was thought to take: what is left is told by these in the beginning, and the more
    is done, the more by how long that has taken. A bar that is not shown late begins with them.
    """
    return _reports(progress, verb, lambda done, n: f"{done:,} of {n:,} vertices", after, expected=expected)


def may_be_silent(progress: Asked) -> bool:
    """Whether the host may do it, which does not report on the way: no bar is asked for, or one that is shown late."""
    return progress is None or progress is False or isinstance(progress, _Late)


def announce_long(function: str, seconds: float, method: str) -> None:
    """Say that a call is expected to take long, if it is."""
    if seconds > _LONG:
        took = f"some {seconds:,.0f} s by {method}"
        announce(f"{function} is expected to take {took}; progress=True shows how far it is")


def announce(text: str) -> None:
    """Say something on standard error, if that is a terminal and progress is not hidden."""
    if not _HIDDEN.get() and not _in_notebook() and is_terminal(sys.stderr):
        print(f"reedsp: {text}", file=sys.stderr)


def bytes_bar(verb: str, progress: Asked = True, after: float = 0.0) -> AbstractContextManager[Report | None]:
    """Return the context in which the bytes of a file that are read are reported; see :func:`search_bar`."""
    return _reports(progress, verb, _part_of_file, after)


def edges_bar(verb: str, progress: Asked = True, after: float = 0.0) -> AbstractContextManager[Report | None]:
    """Return the context in which :func:`reedsp.write` reports; see :func:`search_bar`."""
    return _reports(progress, verb, lambda done, m: f"{done:,} of {m:,} edges", after)


def _part_of_file(done: int, size: int) -> str:
    return f"{done / size:.0%} of the file" if size else f"{done:,} bytes"


@contextlib.contextmanager
def parts_bar(verb: str, after: float = 0.0) -> Iterator[Callable[[float, str], None] | None]:
    """Give a function that is told which part of the work is done, and what is being done."""
    with _bar(verb, after) as show:
        yield None if show is None else lambda part, text: show(part, 1.0, text)


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Show no bar."""
    token = _HIDDEN.set(True)
    try:
        yield
    finally:
        _HIDDEN.reset(token)


def _reports(
    progress: Asked, verb: str, words: _Words, after: float, has_end: bool = True, expected: float | None = None
) -> AbstractContextManager[Report | None]:
    if progress is None or progress is False:
        return contextlib.nullcontext()
    if progress is True:
        return _reports_to_bar(verb, words, after, has_end, expected)
    if not callable(progress):
        raise TypeError(f"progress = {progress!r}, expected True, False, None, or a function of two integers")
    return contextlib.nullcontext(progress)


@contextlib.contextmanager
def _reports_to_bar(
    verb: str, words: _Words, after: float, has_end: bool, expected: float | None
) -> Iterator[Report | None]:
    with _bar(verb, after, has_end, expected) as show:
        if show is not None and expected is not None and after == 0:
            show(0.0, 1.0, f"about {_clock(expected)} expected")
        if show is None:
            yield None
            return

        def report(done: int, most: int) -> None:
            show(done, most if has_end else None, words(done, most))

        yield _Late(report) if after > 0 else report


class _Late:
    """Told how much is done, as any other; but where it is told nothing, nobody misses a bar."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def __call__(self, done: int, most: int) -> None:
        self._report(done, most)


def _bar(
    verb: str, after: float, has_end: bool = True, expected: float | None = None
) -> AbstractContextManager[_Show | None]:
    if _HIDDEN.get():
        return contextlib.nullcontext()
    if _in_notebook():
        return _notebook_bar(verb, after, expected)
    if is_terminal(sys.stderr):
        return _terminal_bar(verb, after, has_end, expected)
    return contextlib.nullcontext()


# ---- terminals --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _terminal_bar(verb: str, after: float, has_end: bool, expected: float | None) -> Iterator[_Show | None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_interactive:  # a terminal that cannot go back in a line
        yield None
        return
    started = time.monotonic()
    words = TextColumn("{task.description}", markup=False)
    columns: list[ProgressColumn] = [TextColumn(verb), BarColumn(), words, TimeElapsedColumn()]
    if expected is not None:
        columns.append(TextColumn("{task.fields[left]}", markup=False))
    elif has_end:
        columns += [TextColumn("left"), TimeRemainingColumn()]
    bar = Progress(*columns, console=console, transient=after > 0)
    task = bar.add_task("", total=None, left="")

    def show(done: float, most: float | None, text: str) -> None:
        seconds = time.monotonic() - started
        left = _left(seconds, done / most if most else None, expected)
        ahead = "" if left is None else f"{_clock(left)} left"
        bar.update(task, completed=done, total=most, description=text, left=ahead)
        if not bar.live.is_started and seconds >= after:
            bar.start()

    try:
        yield show
        if not has_end:
            bar.update(task, total=bar.tasks[0].completed)
    finally:
        if bar.live.is_started:
            bar.stop()


# ---- notebooks --------------------------------------------------------------------------------------


def _in_notebook() -> bool:
    """Return whether this is the process of a notebook: rich needs a widget there, which not everybody has."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


class _Line:
    """A bar, as a notebook shows it."""

    def __init__(self, text: str, part: float | None) -> None:
        self._text = text
        self._part = part

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        value = "" if self._part is None else f' value="{self._part:.4f}"'
        return f"<progress{value}></progress> {html.escape(self._text)}"


@contextlib.contextmanager
def _notebook_bar(verb: str, after: float, expected: float | None) -> Iterator[_Show | None]:
    display = importlib.import_module("IPython.display").display
    started = shown = time.monotonic()
    handle: Any = None
    part: float | None = None
    words = ""

    def draw() -> None:
        nonlocal handle, shown
        shown = time.monotonic()
        seconds = shown - started
        ahead = None if part is None or part >= 1 else _left(seconds, part, expected)
        left = "" if ahead is None else f", {_clock(ahead)} left"
        line = _Line(f"{verb}: {words}, {_clock(seconds)}{left}", part)
        if handle is None:
            handle = display(line, display_id=True)
        else:
            handle.update(line)

    def show(done: float, most: float | None, text: str) -> None:
        nonlocal part, words
        part, words = done / most if most else None, text
        now = time.monotonic()
        if now - started >= after and (handle is None or now - shown >= _BETWEEN_SECONDS):
            draw()

    yield show
    if handle is not None:
        part = 1.0 if part is None else part
        draw()


def _left(seconds: float, part: float | None, expected: float | None) -> float | None:
    """Return the seconds that are left, when a part has been done in some; None if that is unknown.

    What was expected counts as much as a tenth of the work that is measured.
    """
    if expected is None:
        return seconds / part - seconds if part else None
    whole = (_EXPECTED * expected + seconds) / (_EXPECTED + (part or 0.0))
    return max(0.0, whole * (1 - (part or 0.0)))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


# ---- several searches ---------------------------------------------------------------------------------


def of_a_search(report: Report | None, done: int, searches: int) -> Report | None:
    """Return what a search, or some of them together, report rounds to once `done` of all searches are done."""
    if report is None or searches == 1:
        return report
    return lambda rounds, most_rounds: report(done, searches)


def report_done(report: Report | None, done: int, searches: int) -> None:
    """Report how many searches are done, unless there is only one."""
    if report is not None and searches > 1:
        report(done, searches)
