"""Blocked Floyd-Warshall over workers: which strip is relaxed when and where, and what is kept if one dies.

Each worker has a share of the rows, every so-many-th strip. In each pass the strip that is next comes first, and yields
its panels while others are still relaxed through the panels of this one, so that no worker waits for them. Nothing but
panels travels, and whatever is lost can be computed again, from the last checkpoint on: after that no task knows what
was before it.
"""

from __future__ import annotations

import dataclasses
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from reedsp.cluster import strips as tasks
from reedsp.cluster.engines.engine import Engine, Future
from reedsp.cluster.engines.window import Window
from reedsp.cluster.kept_rows import LostRowsError
from reedsp.cluster.strips import Filed, Strips
from reedsp.cluster.work_folder import WorkFolder
from reedsp.device.errors import DeviceMemoryError

_PASSES_AT_ONCE = 3  # that tasks are handed in for: the next one begins while one ends
_SECONDS = 5.0  # between checkpoints, at least
_TIMES = 10  # as long as a checkpoint took, at least
_KNOWN = 1.0  # seconds that the workers there are need not be asked for again

Held = Future | Filed
"""A share or panels: what will be them, or the file they are in."""


class Relaxed(NamedTuple):
    """A matrix of final path weights over workers."""

    strips: Strips
    """As they are shared out."""
    rows: list[Held]
    """The shares."""
    owners: list[str | None]
    """The workers that have them."""


def relax_all(
    engine: Engine,
    strips: Strips,
    folder: WorkFolder | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Relaxed:
    """Relax all paths through every vertex.

    Where the shares cannot stay on devices after all, work goes on with strips that travel, from the last checkpoint.

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
    reported = -1

    def report(vertices: int, n: int) -> None:
        nonlocal reported
        if progress is not None and vertices > reported:
            reported = vertices
            progress(vertices, n)

    while True:
        try:
            with Window(engine) as window:
                passes = _Passes(engine, window, strips, folder, report)
                rows = passes.run()
                return Relaxed(strips, rows, passes.owners)
        except (DeviceMemoryError, LostRowsError):
            if not strips.kept:
                raise
            strips = dataclasses.replace(strips, name=uuid.uuid4().hex, shares=strips.count, kept=False)


class _Passes:
    def __init__(
        self,
        engine: Engine,
        window: Window,
        strips: Strips,
        folder: WorkFolder | None,
        progress: Callable[[int, int], None],
    ) -> None:
        self._engine = engine
        self._window = window
        self._strips = strips
        self._folder = folder
        self._in_files = folder is not None and not engine.keeps_results
        self._progress = progress
        self._ask()
        self._late: tuple[int, Held] | None = None  # a share that is a pass behind the others, and the panels of that
        self._files: dict[Held, Path] = {}  # in which what futures stand for will be
        self._begun = time.monotonic()
        self._took = 0.0

    def run(self) -> list[Held]:
        strips, count = self._strips, self._strips.count
        begun = 0
        rows: list[Held] = []
        panels: Held | None = None
        if self._folder is not None and (stored := self._folder.strips()):
            begun = self._folder.passes
            rows, panels = self._loaded(begun, stored)
        else:
            if strips.kept:
                panels = self._submit(tasks.begin, "", 0, urgent=True)
            rows = [self._submit(tasks.fill, f"{each}-0", each, each) for each in range(strips.shares)]
            if not strips.kept:
                panels = self._submit(tasks.close, "panels-0", 0, 0, rows[0])
        for number in range(begun, count):
            assert panels is not None
            rows, panels = self._pass(number, rows, panels)
            if self._folder is not None and self._is_due():
                rows, panels = self._checkpoint(number + 1, rows, panels)
            self._window.wait(number - _PASSES_AT_ONCE + 1)
            self._progress(min(strips.first(max(0, number - _PASSES_AT_ONCE + 2)), strips.n), strips.n)
        self._window.wait(count)
        if begun < count:
            self._progress(strips.n, strips.n)
        return rows

    def _ask(self) -> None:
        """Ask for the workers there are now, which shares are dealt out to."""
        workers = self._engine.workers() or (None,)
        self.owners = [workers[share % len(workers)] for share in range(self._strips.shares)]
        self._asked = time.monotonic()

    def _pass(self, number: int, rows: Sequence[Held], panels: Held) -> tuple[list[Held], Held | None]:
        """Hand in the tasks of a pass, and return the shares after it, and the panels of the next."""
        strips, following, next_panels = self._strips, number + 1, None
        self._window.begin(number)
        if time.monotonic() - self._asked > _KNOWN:
            self._ask()
        if following < strips.count:
            own = strips.share(following)
            given = following, rows[own], number, panels
            next_panels = self._submit(tasks.relax_and_close, f"panels-{following}", own, *given, urgent=True)
        if strips.kept:
            return self._relax_kept(number, rows, panels, next_panels), next_panels
        found = self._relax_travelling(number, rows, panels, next_panels)
        kept = {self._files.get(each) for each in found}
        replaced = [self._files.pop(each, None) for each in {*rows, panels} if self._files.get(each) not in kept]
        self._window.at_end(number, [file for file in replaced if file is not None])
        return found, next_panels

    def _relax_kept(self, number: int, rows: Sequence[Held], panels: Held, next_panels: Held | None) -> list[Held]:
        """Hand in a task for each share but that of the strip which is next: it gets one for two passes in the next.

        Between its panels and those after them its worker would otherwise wait for the engine once more.
        """
        strips, following, found = self._strips, number + 1, list(rows)
        late = strips.share(following) if strips.shares > 1 and following < strips.count else None
        if late is not None and following + 1 < strips.count:
            own = strips.share(following + 1)  # whose worker gets them while it still does something else
            self._submit(tasks.bring, "", own, following, next_panels, urgent=True)
        for offset in range(strips.shares):
            share = (following + offset) % strips.shares  # those that are needed soonest come first
            if share != late:
                found[share] = self._relax_share(share, rows[share], number, panels)
        self._late = None if late is None else (late, panels)
        return found

    def _relax_share(self, share: int, rows: Held, number: int, panels: Held) -> Future:
        """Hand in a pass for a share, and the one before, if it has not got that yet."""
        given: list[object] = [number, panels, None]
        if self._late is not None and self._late[0] == share:
            given = [number - 1, self._late[1], panels]
        return self._submit(tasks.relax_kept, "", share, share, rows, *given)

    def _relax_travelling(
        self, number: int, rows: Sequence[Held], panels: Held, next_panels: Held | None
    ) -> list[Held]:
        """Hand in a task for each strip."""
        strips, count, following, found = self._strips, self._strips.count, number + 1, list(rows)
        for offset in range(count):
            strip = (following + offset) % count  # those that are needed soonest come first
            name = f"{strip}-{following}"
            if strip == number:  # if it has one span, the panels are all that there is to it
                alone = strips.spans == 1
                found[strip] = panels if alone else self._submit(tasks.own_rows, name, strip, strip, panels)
            elif strip != following:
                found[strip] = self._submit(tasks.relax, name, strip, strip, rows[strip], number, panels)
            elif next_panels is not None:
                found[strip] = next_panels  # from which its rows follow
        return found

    def _submit(
        self, task: Callable[..., object], name: str, share: int, *arguments: object, urgent: bool = False
    ) -> Future:
        into = self._folder.scratch(name) if self._in_files and self._folder is not None else None
        given = self._strips, *arguments, into
        future = self._window.submit(task, *given, worker=self.owners[share], urgent=urgent)
        if into is not None:
            self._files[future] = into
        return future

    def _loaded(self, passes: int, stored: Sequence[Filed]) -> tuple[list[Held], Held | None]:
        """Return the shares and the next panels of a checkpoint, of which the strip that is next is its panels."""
        strips = self._strips
        panels = stored[passes] if passes < strips.count else None
        if not strips.kept:
            return [*stored], panels
        rows: list[Held] = []
        for share in range(strips.shares):
            files = (stored[strip] for strip in strips.of_share(share))
            rows.append(self._window.submit(tasks.load, strips, share, passes, *files, worker=self.owners[share]))
        return rows, panels

    def _is_due(self) -> bool:
        return time.monotonic() - self._begun >= max(_SECONDS, _TIMES * self._took)

    def _checkpoint(self, passes: int, rows: Sequence[Held], panels: Held | None) -> tuple[list[Held], Held | None]:
        """Write all strips to files that stay, and go on from these."""
        assert self._folder is not None
        begun = time.monotonic()
        if self._late is not None:
            share, its_panels = self._late
            self._late = None
            rows = [*rows]
            rows[share] = self._relax_share(share, rows[share], passes - 1, its_panels)
        self._window.wait(passes)
        stored = []
        for strip in range(self._strips.count):
            share = self._strips.share(strip)
            given = panels if strip == passes else rows[share]
            arguments = self._strips, strip, given, self._folder.file(strip, passes)
            stored.append(self._engine.submit(tasks.store, *arguments, worker=self.owners[share]))
        found = self._window.results(stored)
        self._folder.record_strips(passes, found)
        for file in self._files.values():
            file.unlink(missing_ok=True)
        self._files.clear()
        self._begun = time.monotonic()
        self._took = self._begun - begun
        return self._loaded(passes, found)
