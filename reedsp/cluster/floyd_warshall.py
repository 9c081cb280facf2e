"""Blocked Floyd-Warshall over workers: which strip is relaxed when and where, and what is kept if one dies.

Each worker has every so-many-th strip of rows. In each pass the strip that is next comes first, and yields its panels
while others are still relaxed through the panels of this one, so that no worker waits for them. Nothing but panels
travels, and whatever is lost can be computed again, from the last checkpoint on: after that no task knows what was
before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from reedsp.cluster import strips as tasks
from reedsp.cluster.engines.engine import Engine, Future
from reedsp.cluster.engines.window import Window
from reedsp.cluster.strips import Filed, Strips
from reedsp.cluster.work_folder import WorkFolder

_PASSES_AT_ONCE = 2  # that tasks are handed in for: the next one begins while one ends
_SECONDS = 5.0  # between checkpoints, at least
_TIMES = 10  # as long as a checkpoint took, at least

Held = Future | Filed
"""A strip or panels: what will be them, or the file they are in."""


def relax_all(
    engine: Engine,
    strips: Strips,
    folder: WorkFolder | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Held]:
    """Relax all paths through every vertex, and return the strips.

    Parameters
    ----------
    engine : Engine
    strips : Strips
    folder : WorkFolder, optional
        Where checkpoints are, and the strips themselves if the engine does not keep results on workers.
    progress : callable(vertices, n), optional
        Called when tasks for all paths through the first `vertices` vertices are done.

    Raises
    ------
    Exception
        What a task has raised, or the engine. All others are cancelled then.
    """
    with Window(engine) as window:
        rows = _Passes(engine, window, strips, folder, progress).run()
    engine.each_worker(tasks.release)
    return rows


def owner(engine: Engine, strip: int) -> str | None:
    """Return the worker that has a strip."""
    workers = engine.workers()
    return workers[strip % len(workers)] if workers else None


class _Passes:
    def __init__(
        self,
        engine: Engine,
        window: Window,
        strips: Strips,
        folder: WorkFolder | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._engine = engine
        self._window = window
        self._strips = strips
        self._folder = folder
        self._in_files = folder is not None and not engine.keeps_results
        self._progress = progress
        self._files: dict[Held, Path] = {}  # in which what futures stand for will be
        self._begun = time.monotonic()
        self._took = 0.0

    def run(self) -> list[Held]:
        strips, count = self._strips, self._strips.count
        begun = 0
        rows: list[Held] = []
        if self._folder is not None:
            begun = self._folder.passes
            rows += self._folder.strips()
        if not rows:
            rows = [self._submit(tasks.fill, f"{each}-0", each) for each in range(count)]
        panels: Held | None = None
        if begun < count:  # of a checkpoint this strip is its panels
            panels = rows[begun] if begun else self._submit(tasks.close, "panels-0", 0, rows[0])
        for number in range(begun, count):
            assert panels is not None
            rows, panels = self._pass(number, rows, panels)
            if self._folder is not None and self._is_due():
                rows = self._checkpoint(number + 1, rows, panels)
                panels = rows[number + 1] if number + 1 < count else None
            self._window.wait(number - _PASSES_AT_ONCE + 1)
            if self._progress is not None:
                self._progress(min(strips.first(max(0, number - _PASSES_AT_ONCE + 2)), strips.n), strips.n)
        self._window.wait(count)
        if self._progress is not None and begun < count:
            self._progress(strips.n, strips.n)
        return rows

    def _pass(self, number: int, rows: Sequence[Held], panels: Held) -> tuple[list[Held], Held | None]:
        """Hand in the tasks of a pass, and return the strips after it, and the panels of the next."""
        strips, count = self._strips, self._strips.count
        self._window.begin(number)
        found, following, next_panels = list(rows), number + 1, None
        if following < count:
            next_panels = self._submit(
                tasks.relax_and_close, f"panels-{following}", following, rows[following], number, panels
            )
            found[following] = next_panels  # from which its rows follow
        alone = strips.spans == 1  # then the panels are all that there is to it
        for offset in range(count):
            strip = (following + offset) % count  # those that are needed soonest come first
            if strip == number:
                found[strip] = panels if alone else self._submit(tasks.own_rows, f"{strip}-{following}", strip, panels)
            elif strip != following:
                found[strip] = self._submit(tasks.relax, f"{strip}-{following}", strip, rows[strip], number, panels)
        kept = {self._files.get(each) for each in found}
        replaced = [self._files.pop(each, None) for each in {*rows, panels} if self._files.get(each) not in kept]
        self._window.at_end(number, [file for file in replaced if file is not None])
        return found, next_panels

    def _submit(self, task: Callable[..., object], name: str, strip: int, *arguments: object) -> Future:
        into = self._folder.scratch(name) if self._in_files and self._folder is not None else None
        future = self._window.submit(task, self._strips, strip, *arguments, into, worker=owner(self._engine, strip))
        if into is not None:
            self._files[future] = into
        return future

    def _is_due(self) -> bool:
        return time.monotonic() - self._begun >= max(_SECONDS, _TIMES * self._took)

    def _checkpoint(self, passes: int, rows: Sequence[Held], panels: Held | None) -> list[Held]:
        """Write all strips to files that stay, and go on from these."""
        assert self._folder is not None
        begun = time.monotonic()
        self._window.wait(passes)
        stored = []
        for strip, each in enumerate(rows):
            arguments = self._strips, each, self._folder.file(strip, passes)
            stored.append(self._engine.submit(tasks.store, *arguments, worker=owner(self._engine, strip)))
        found = self._window.results(stored)
        self._folder.record_strips(passes, found)
        for file in self._files.values():
            file.unlink(missing_ok=True)
        self._files.clear()
        self._begun = time.monotonic()
        self._took = self._begun - begun
        return [*found]
