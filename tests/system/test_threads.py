"""Tasks in threads (reedsp.system.threads): none is at work when the call has returned, whatever signals come."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from reedsp.system import threads
from reedsp.system.threads import at_once, shared, to_the_end

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals cannot be sent to a thread")


class InterruptionError(Exception):
    """What the handler of the signal raises, with its number."""


class Signals:
    """A signal whose handler raises, in the main thread."""

    def __init__(self) -> None:
        self.raised = 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.raised += 1
        raise InterruptionError(self.raised)

    def send(self) -> None:
        """Send the signal from another thread, and wait until its handler has raised."""
        before = self.raised
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        while self.raised == before:
            time.sleep(0.001)


@pytest.fixture
def signals() -> Iterator[Signals]:
    found = Signals()
    before = signal.signal(signal.SIGUSR1, found.handle)
    yield found
    signal.signal(signal.SIGUSR1, before)


def wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.001)


def test_who_waits_is_interrupted_again_and_again(signals: Signals) -> None:
    """The threads have ended even so, the first interruption is raised, and the handler is what it was."""
    ended: list[int] = []
    stopped, begun = threading.Event(), threading.Barrier(2)

    def interrupt() -> None:
        begun.wait()
        for _ in range(3):
            signals.send()
        ended.append(1)

    def other() -> None:
        begun.wait()
        stopped.wait()
        wait_for(lambda: signals.raised == 3)
        ended.append(2)

    with pytest.raises(InterruptionError, match=r"^1$"):
        at_once([interrupt, other], stopped.set)
    assert sorted(ended) == [1, 2]
    assert signals.raised == 3
    assert signal.getsignal(signal.SIGUSR1) == signals.handle
    with pytest.raises(InterruptionError, match=r"^4$"):
        signal.raise_signal(signal.SIGUSR1)


def test_who_takes_part_is_interrupted_again_and_again(signals: Signals) -> None:
    """In its own task first, and then while it waits for the others."""
    ended: list[int] = []
    begun = threading.Barrier(2)

    def task(number: int) -> None:
        if number > 1:
            pytest.fail("a task was begun after the interruption")
        begun.wait()
        if threading.current_thread() is threading.main_thread():
            while True:
                time.sleep(0.001)
        for _ in range(3):
            signals.send()
        ended.append(number)

    with pytest.raises(InterruptionError):
        shared(task, 100, 1)
    assert len(ended) == 1
    assert signals.raised == 3


@pytest.mark.parametrize("instant", ["begin", "end"])
def test_a_thread_that_is_being_started(instant: str, signals: Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it runs or not when the interruption comes: it does nothing, or is waited for."""
    start, begun, ended = threading.Thread.start, [], []

    def interrupted(thread: threading.Thread) -> None:
        if instant == "end":
            start(thread)
        signal.raise_signal(signal.SIGUSR1)

    def task() -> None:
        begun.append(1)
        time.sleep(0.01)
        ended.append(1)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(InterruptionError):
        at_once([task, task])
    assert len(begun) == len(ended) <= 1


def test_an_interruption_that_is_caught_is_not_the_last(signals: Signals) -> None:
    """By whoever watches; the next one counts."""
    stopped = threading.Event()
    caught: list[int] = []

    def watch() -> None:
        try:
            signal.raise_signal(signal.SIGUSR1)
        except InterruptionError:
            caught.append(1)
            if len(caught) == 3:
                raise

    with pytest.raises(InterruptionError, match=r"^3$"):
        at_once([stopped.wait], stopped.set, watch)


def test_a_handler_that_is_set_meanwhile_stays(signals: Signals) -> None:
    def watch() -> None:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)

    at_once([lambda: time.sleep(0.01)], watch=watch)
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN


def test_handlers_stay_where_another_thread_works(signals: Signals) -> None:
    """Which can set none, and hears no signals."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(threads.to_the_end(lambda: 3, lambda: found.append("end"))))
    thread.start()
    thread.join()
    assert found == ["end", 3]


def test_the_main_thread_is_not_what_it_is_taken_for(signals: Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where `threading` was imported first in another, until 3.12; a sub-interpreter raises the same error."""
    found: list[object] = []
    monkeypatch.setattr(threading, "main_thread", threading.current_thread)
    thread = threading.Thread(target=lambda: found.append(threads.to_the_end(lambda: 3, lambda: found.append("end"))))
    thread.start()
    thread.join()
    assert found == ["end", 3]
    assert signal.getsignal(signal.SIGUSR1) == signals.handle


def test_a_handler_that_a_library_has_set_stays(signals: Signals) -> None:
    """Though Python has one for that signal, too."""
    heard: list[int] = []
    of_library = ctypes.CFUNCTYPE(None, ctypes.c_int)(heard.append)
    ctypes.CDLL(None).signal(int(signal.SIGUSR1), of_library)
    to_the_end(lambda: None, lambda: None)
    signal.raise_signal(signal.SIGUSR1)
    assert heard == [signal.SIGUSR1]


def test_a_handler_may_work_in_threads(signals: Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it interrupts the very moment at which threads are asked for."""
    done: list[int] = []

    def works(number: int, frame: FrameType | None) -> None:
        monkeypatch.undo()
        shared(done.append, 3, 1)

    def is_alive(thread: threading.Thread) -> bool:
        signal.raise_signal(signal.SIGUSR1)
        return False

    shared(lambda number: None, 3, 1)
    monkeypatch.setattr(threading.Thread, "is_alive", is_alive)
    signal.signal(signal.SIGUSR1, works)
    shared(lambda number: done.append(number + 3), 3, 1)
    assert sorted(done) == list(range(6))


def test_handlers_that_could_not_be_put_back(signals: Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Since the signal came at that very moment: they do what they did."""
    monkeypatch.setattr(threads._Handlers, "put_back", lambda handlers: signal.raise_signal(signal.SIGUSR1))
    with pytest.raises(InterruptionError, match=r"^1$"):
        at_once([lambda: None])
    with pytest.raises(InterruptionError, match=r"^2$"):
        signal.raise_signal(signal.SIGUSR1)


@pytest.mark.parametrize("fails", [False, True])
def test_what_is_done_at_the_end_is_not_interrupted(fails: bool, signals: Signals) -> None:
    ended: list[int] = []

    def work() -> int:
        if fails:
            signal.raise_signal(signal.SIGUSR1)
        return 7

    def end() -> None:
        signal.raise_signal(signal.SIGUSR1)
        ended.append(1)

    with pytest.raises(InterruptionError, match=r"^1$"):
        to_the_end(work, end)
    assert ended == [1]
    assert signals.raised == 1 + fails
    assert to_the_end(lambda: 7, lambda: None) == 7
    assert signal.getsignal(signal.SIGUSR1) == signals.handle


def test_the_first_error_is_raised() -> None:
    """In time where tasks run at once, by number where they come one after the other."""
    failed = threading.Event()

    def fails() -> None:
        raise ValueError("first")

    def fails_later() -> None:
        failed.wait()
        raise ValueError("second")

    with pytest.raises(ValueError, match="first"):
        at_once([fails_later, fails], failed.set)

    def numbered(number: int) -> None:
        raise ValueError(str(number))

    with pytest.raises(ValueError, match=r"^0$"):
        shared(numbered, 3, 2)


def test_who_watches_may_interrupt() -> None:
    ended: list[int] = []
    stopped = threading.Event()

    def task() -> None:
        stopped.wait()
        ended.append(1)

    def watch() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        at_once([task], stopped.set, watch)
    assert ended == [1]
