"""Tasks in threads, none of which is at work any more when the call that began them returns or raises.

The handler of a signal runs in the main thread, between any two steps, also while that waits for others to end, and it
may raise. No arrangement of ``try`` and ``finally`` is safe from a second signal. So once an error has ended the
waiting, what handlers raise is dropped until no task is at work. Two things of the standard library cannot be used in
the main thread:

- ``Thread.join``: until Python 3.13 a thread counts as ended when a handler raises while it is joined.
- ``Condition``, and ``Event`` and others that are made of it: they are written in Python, and an error that comes
  within their ``__exit__`` leaves them locked for ever. ``Lock`` is not.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from types import FrameType
from typing import TypeVar

from reedsp.system.handlers import SIGNALS, of_python, set_in_python

Returned = TypeVar("Returned")

POLL = 0.1
"""Seconds after which is looked whether work goes on, if nothing else happens."""


def _nothing() -> None:
    pass


class _Handlers:
    """The handlers of signals, replaced by one that calls them, and can drop what they raise.

    Attributes
    ----------
    silent : bool
        Whether what they raise is dropped.
    dropped : exception, optional
        The last that was.
    over : bool
        Whether they do again what they did before, even if they could not be put back.
    """

    def __init__(self) -> None:
        self.silent = False
        self.dropped: BaseException | None = None
        self.over = False
        self._replaced: dict[int, Callable[[int, FrameType | None], object]] = {}

    def replace(self) -> None:
        """Replace them, in the only thread that can do so, and in which they run."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            handler = of_python(number)
            if callable(handler):
                self._replaced[number] = handler
                try:
                    set_in_python(number, self._handle)
                except ValueError:  # in a sub-interpreter, or in what `threading` only takes for the main thread
                    return

    def put_back(self) -> None:
        """Undo that, unless another handler has been set since."""
        for number, handler in self._replaced.items():
            if of_python(number) == self._handle:
                set_in_python(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        try:
            self._replaced[number](number, frame)
        except BaseException as error:
            if self.over or not self.silent:
                raise
            self.dropped = error


def to_the_end(work: Callable[[], Returned], end: Callable[[], object]) -> Returned:
    """Return what a call returns, or raise what it raises, after another one that no signal interrupts.

    Parameters
    ----------
    work : callable()
    end : callable()
        If a signal's handler raises meanwhile, and `work` did not, that is raised afterwards.
    """
    handlers = _Handlers()
    try:
        handlers.replace()
        found = work()
    except BaseException:
        handlers.silent = True
        end()
        raise
    else:
        handlers.silent = True
        end()
    finally:
        handlers.over = True
        handlers.put_back()
    if handlers.dropped is not None:
        raise handlers.dropped
    return found


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
        """Begin, and return or raise when no task is at work; errors of tasks are not raised.

        Parameters
        ----------
        begin : callable()
            Has threads help out. Whether they come to it or not, and when, does not matter.
        watch : callable()
            Called now and then.
        """
        handlers = _Handlers()
        try:
            handlers.replace()
            begin()
            self._wait(watch)
        except BaseException:
            handlers.silent = True  # before anything is called that might be interrupted
            self.stop()
            self._wait(_nothing)
            raise
        finally:
            handlers.over = True
            handlers.put_back()

    def _wait(self, watch: Callable[[], None]) -> None:
        while not self._ended():
            self._bell.acquire(timeout=POLL)
            watch()

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
        Called when one fails, or the thread that waits does; makes the others end soon.
    watch : callable()
        Called now and then in the thread that waits, and at the end. An error of it is raised when all have ended.
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
        self._lock = threading.RLock()  # a signal's handler may ask meanwhile
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
        error = tasks.errors[min(tasks.errors)]
        tasks.errors.clear()  # what an error leads to would live until a garbage collection if it led to itself
        try:
            raise error
        finally:
            del error
