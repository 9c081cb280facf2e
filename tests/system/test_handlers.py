"""Handlers of signals (reedsp.system.handlers): what C code replaces is put back, and what it has set stays."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator

import pytest

from reedsp.system import handlers

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the signals are those of POSIX")

Function = ctypes.CFUNCTYPE(None, ctypes.c_int)


class Library:
    """A library in C that handles a signal without saying so to Python."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self._handler = Function(self.heard.append)
        self._signal = ctypes.CDLL(None).signal
        self._signal.restype = ctypes.c_void_p
        self._signal.argtypes = ctypes.c_int, ctypes.c_void_p

    def takes(self, number: int) -> None:
        self._signal(number, ctypes.cast(self._handler, ctypes.c_void_p))

    def has(self, number: int) -> bool:
        """Whether the system calls it; another handler may have to be set to find out."""
        own = ctypes.cast(self._handler, ctypes.c_void_p).value
        found = self._signal(number, own)
        self._signal(number, found)
        return found == own


@pytest.fixture
def library() -> Iterator[Library]:
    """One, and signals that are handled as by default before and after."""
    numbers = signal.SIGUSR1, signal.SIGUSR2, signal.SIGFPE
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    yield Library()
    for number, function in zip(numbers, before, strict=True):
        signal.signal(number, function)


def test_a_function_of_python_is_called_again(library: Library) -> None:
    heard: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    with handlers.kept():
        library.takes(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    assert (heard, library.heard) == ([signal.SIGUSR1], [])


def test_another_library_is_called_again(library: Library) -> None:
    library.takes(signal.SIGUSR1)
    driver = Library()
    with handlers.kept():
        driver.takes(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    assert (library.heard, driver.heard) == ([signal.SIGUSR1], [])


def test_what_a_driver_needs_stays(library: Library) -> None:
    """That of a fault, also where Python has one, and where there was none."""
    signal.signal(signal.SIGFPE, lambda number, frame: None)
    with handlers.kept():
        library.takes(signal.SIGFPE)
        library.takes(signal.SIGUSR2)
    assert library.has(signal.SIGFPE)
    assert library.has(signal.SIGUSR2)


def test_what_python_sets_meanwhile_stays(library: Library) -> None:
    heard: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    signal.signal(signal.SIGUSR2, lambda number, frame: None)
    with handlers.kept():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGUSR2, lambda number, frame: heard.append(number))
        library.takes(signal.SIGUSR2)
    signal.raise_signal(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR2)
    assert heard == [signal.SIGUSR2]


def test_a_library_goes_on_being_called_where_python_sets_another_function(library: Library) -> None:
    """As a debugger's that calls Python's handler afterwards."""
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    library.takes(signal.SIGUSR1)
    function = handlers.of_python(signal.SIGUSR1)
    handlers.set_in_python(signal.SIGUSR1, lambda number, frame: None)
    assert handlers.of_python(signal.SIGUSR1) != function
    signal.raise_signal(signal.SIGUSR1)
    assert library.heard == [signal.SIGUSR1]


def test_without_the_function_of_the_system(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: Python's functions are set all the same."""
    monkeypatch.setattr(handlers, "_sigaction", None)
    heard: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    with handlers.kept():
        handlers.set_in_python(signal.SIGUSR1, lambda number, frame: heard.append(number))
    signal.raise_signal(signal.SIGUSR1)
    assert heard == [signal.SIGUSR1]
    monkeypatch.setattr(ctypes, "PyDLL", int)  # int(None) is an error, as that of no library is
    assert handlers._function_of_system() is None
