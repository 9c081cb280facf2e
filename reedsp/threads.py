"""Tasks in threads, none of which is at work any more when the call that began them returns or raises.

A signal interrupts the main thread between any two steps, also while it waits for others to end, and while it waits
again because of the signal before. So it waits as often as it is interrupted, and the first interruption is raised
when nobody is at work. Two things of the standard library cannot be used for that:

- ``Thread.join``: until Python 3.13 a thread counts as ended when a signal's handler raises while it is joined.
- ``Condition``, and ``Event`` and others that are made of it, in the main thread: they are written in Python, and an
  interruption within their ``__exit__`` leaves them locked for ever. ``Lock`` is not.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue

POLL = 0.1
"""Seconds after which is looked whether work goes on, if nothing else happens."""


def _nothing() -> None:
    pass


class _Tasks:
    """Numbered tasks; who has time takes the next one."""

    def __init__(self, task: Callable[[int], object], count: int, on_stop: Callable[[], None]) -> None:
        self.errors: dict[int, BaseException] = {}  # of tasks, in the order in which they have failed
        self._task = task
        self._count, self._next = count, 0
        self._on_stop = on_stop
        self._at_work = 0  # in other threads
        self._lock = threading.Lock()
        self._bell = threading.Lock()  # released when a thread has ended a task
        self._bell.acquire()

    def help_out(self) -> None:
        """Do tasks as long as there are any; in a thread that hears no signals."""
        while (number := self._take(1)) is not None:
            try:
                self._try(number)
            finally:
                with self._lock:
                    self._at_work -= 1
                    if self._bell.locked():
                        self._bell.release()

    def take_part(self) -> None:
        """Do tasks as long as there are any, in the thread that waits for the others."""
        while (number := self._take(0)) is not None:
            self._try(number)

    def stop(self) -> None:
        """Have no more tasks begun."""
        self._on_stop()
        with self._lock:
            self._count = self._next

    def see_through(self, begin: Callable[[], object], watch: Callable[[], None] = _nothing) -> None:
        """Begin, and return or raise when nobody is at work; errors of tasks are not raised.

        Parameters
        ----------
        begin : callable()
            Has threads help out. Whether they come to it or not, and when, does not matter.
        watch : callable()
            Called now and then. An error of it is an interruption.
        """
        interruption: BaseException | None = None
        while True:
            try:
                if interruption is None:
                    begin()
                else:
                    self.stop()
                while not self._ended():
                    self._bell.acquire(timeout=POLL)
                    if interruption is None:
                        watch()
                break
            except BaseException as error:
                if interruption is None:
                    interruption = error
        if interruption is not None:
            try:
                raise interruption
            finally:
                del interruption  # whose traceback leads to this frame: both would live until a garbage collection

    def _take(self, at_work: int) -> int | None:
        with self._lock:
            if self._next == self._count:
                return None
            self._next += 1
            self._at_work += at_work
            return self._next - 1

    def _try(self, number: int) -> None:
        try:
            self._task(number)
        except BaseException as error:
            self.errors[number] = error
            self.stop()

    def _ended(self) -> bool:
        with self._lock:
            return self._at_work == 0 and self._next == self._count


def at_once(
    tasks: Sequence[Callable[[], object]], stop: Callable[[], None] = _nothing, watch: Callable[[], None] = _nothing
) -> None:
    """Run tasks that may wait for each other, each in a thread of its own.

    Parameters
    ----------
    tasks : sequence of callables
        The error of the one that fails first is raised, when all have ended.
    stop : callable()
        Called when one fails, or the thread that waits is interrupted; makes the others end soon.
    watch : callable()
        Called now and then in the thread that waits, and at the end. An error of it interrupts that.
    """
    at_work = _Tasks(lambda number: tasks[number](), len(tasks), stop)

    def begin() -> None:
        for _ in tasks:
            threading.Thread(target=copy_context().run, args=(at_work.help_out,), daemon=True).start()

    at_work.see_through(begin, watch)
    for error in at_work.errors.values():
        raise error
    watch()


class _Helpers:
    """Threads that wait for work: to start some for each array would take as long as to copy tens of megabytes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def ask(self, count: int, work: Callable[[], None]) -> None:
        """Have some threads do the same work, each with the caller's numpy.errstate, which it does not inherit."""
        with self._lock:
            self._threads = [each for each in self._threads if each.is_alive()]
            while len(self._threads) < count:
                thread = threading.Thread(target=self._serve, name="reedsp-parts", daemon=True)
                thread.start()
                self._threads.append(thread)
        for _ in range(count):
            self._asked.put(partial(copy_context().run, work))

    def _serve(self) -> None:
        while True:
            self._asked.get()()


_helpers = _Helpers()


def _forget_helpers() -> None:
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)  # threads do not come along


def shared(task: Callable[[int], object], count: int, helpers: int) -> None:
    """Call ``task(number)`` for each number, in this thread and in some that help out.

    Parameters
    ----------
    task : callable(int)
        After an error no more are begun. Of several errors that of the lowest number is raised.
    count : int
    helpers : int
        Threads that help out, if they are not busy otherwise.
    """
    tasks = _Tasks(task, count, _nothing)

    def begin() -> None:
        _helpers.ask(helpers, tasks.help_out)
        tasks.take_part()

    tasks.see_through(begin)
    if tasks.errors:
        raise tasks.errors[min(tasks.errors)]
