"""Tasks that are under way: how far they have come, the first error, and what ends all of them."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from reedsp.cluster.engines.engine import Engine, Future
from reedsp.cluster.engines.job import described, failure, note
from reedsp.system.threads import POLL


class Window:
    """Tasks of steps that follow one another; a few steps are under way at a time.

    As a context it cancels what is left when an error leaves it, Ctrl-C included.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._running: dict[int, set[Future]] = defaultdict(set)
        self._files: dict[int, list[Path]] = {}
        self._failed: list[Future] = []
        self._step = -1

    def __enter__(self) -> Window:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with self._changed:
                left = [future for running in self._running.values() for future in running]
            self._engine.cancel(left)

    def begin(self, step: int) -> None:
        """Count tasks that are handed in from now on as those of a step."""
        self._step = step

    def at_end(self, step: int, files: Iterable[Path]) -> None:
        """Have files deleted when all tasks up to those of a step are done."""
        self._files[step] = list(files)

    def submit(
        self, function: Callable[..., object], *arguments: object, worker: str | None = None, urgent: bool = False
    ) -> Future:
        """Hand in a task of the step that has begun."""
        future = self._engine.submit(function, *arguments, worker=worker, urgent=urgent)
        self.follow(future)
        return future

    def follow(self, future: Future) -> None:
        """Count a task that was handed in as one of the step that has begun."""
        step = self._step
        with self._changed:
            self._running[step].add(future)

        def done(_: Any) -> None:
            cancelled = future.cancelled()
            failed = not cancelled and future.exception() is not None
            with self._changed:
                if cancelled or failed:  # what failed says more than what was cancelled because of it
                    self._failed.insert(0 if failed else len(self._failed), future)
                self._running[step].discard(future)
                self._changed.notify_all()

        future.add_done_callback(done)

    def wait(self, step: int) -> None:
        """Wait until all tasks of a step, and of those before it, are done.

        Raises
        ------
        Exception
            What a task, of any step, has raised, with a note of its worker, or the engine if it is lost.
        RuntimeError
            The engine has given a task up: a BrokenExecutor if it is one.
        """
        while True:
            with self._changed:
                failed = self._failed[:1]
                left = any(running for number, running in self._running.items() if number <= step)
                if left and not failed:
                    self._changed.wait(POLL)
            if left and not failed:
                self._engine.check()
                continue
            for future in failed:
                self._raise(future)
            break
        for number in sorted(each for each in self._files if each <= step):
            for file in self._files.pop(number):
                file.unlink(missing_ok=True)

    def _raise(self, future: Future) -> None:
        self._engine.check()
        try:
            future.result()
        except self._engine.final as error:
            raise failure("matrix", [described(error, self._engine)], error) from error
        except Exception as error:
            error.add_note(note("matrix", error))
            raise

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """Return what some tasks return; cancel the others of them when one fails, or this is interrupted."""
        for future in futures:
            self.follow(future)
        try:
            self.wait(self._step)
            return [future.result() for future in futures]
        except BaseException:
            self._engine.cancel(futures)
            raise
