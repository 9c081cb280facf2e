"""Several devices that work at a time, each in a thread of its own."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core.worker import Worker
from reedsp.system.threads import POLL, at_once

Made = TypeVar("Made")


class StoppedError(Exception):
    """Another device has failed."""


class Team:
    """The devices, each of which has a thread while there is work for it.

    When the threads have ended, nothing is under way on the devices either.
    """

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        self._changed = threading.Condition()
        self._stopping = False
        self._panels: dict[int, npt.NDArray[Any]] = {}

    def together(self, tasks: Sequence[Callable[[], None]], watch: Callable[[], None] = lambda: None) -> None:
        """Run tasks in threads, the first one that of the first device; `watch` is called in this one now and then.

        The first error of a task, or one in this thread, makes the others stop soon and is raised then.
        """

        def run(number: int) -> None:
            try:
                tasks[number]()
            except BaseException as error:
                self._stop()
                for worker in self.workers[number : number + 1]:
                    with contextlib.suppress(RuntimeError):  # the error that is being raised came first
                        worker.finish()
                if not isinstance(error, StoppedError):
                    raise

        at_once([functools.partial(run, number) for number in range(len(tasks))], self._stop, watch)

    def made(self, makers: Sequence[Callable[[], Made]]) -> list[Made]:
        """Return what some calls return, each in a thread of its own: they allocate memory, which takes long."""
        found: dict[int, Made] = {}

        def make(number: int) -> None:
            found[number] = makers[number]()

        self.together([functools.partial(make, number) for number in range(len(makers))])
        return [found[number] for number in range(len(makers))]

    def go_on(self) -> None:
        """Raise an error if the others have stopped."""
        if self._stopping:
            raise StoppedError

    def publish(self, span: int, panel: npt.NDArray[Any]) -> None:
        """Let the others have the rows of a span."""
        with self._changed:
            self._panels[span] = panel
            self._changed.notify_all()

    def panel(self, span: int) -> npt.NDArray[Any]:
        """Wait for the rows of a span."""
        with self._changed:
            while span not in self._panels:
                self.go_on()
                self._changed.wait(POLL)
            return self._panels[span]

    def _stop(self) -> None:
        self._stopping = True  # who waits for a panel looks now and then
