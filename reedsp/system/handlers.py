"""The handlers of signals that the system calls: Python's own for all of its functions, or one that C code has set.

Who sets one replaces another's, and says so to no one. Drivers do when their compilers are loaded, and a function of
Python's is not called any more then; ``signal.signal`` does, and that of a debugger or of another language's runtime is
not. None of the forms in which systems describe a handler is relied on: what was read is written as it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
from collections.abc import Callable, Iterator
from typing import Any

SIGNALS = tuple(int(number) for number in signal.valid_signals())

# What Python's functions call, without a search for the names of numbers, which takes longer than to copy a megabyte.
of_python: Callable[[int], object] = getattr(signal.getsignal, "__wrapped__", signal.getsignal)
_set_in_python: Any = getattr(signal.signal, "__wrapped__", signal.signal)

_SIZE = 1024  # bytes; no system's description of a handler has as many
_FAULTS = {  # of the code that runs: PoCL goes on after a division by zero in a kernel
    getattr(signal, name, None) for name in ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP")
}
_SENT = tuple(number for number in SIGNALS if number not in _FAULTS)


def _function_of_system() -> Any:
    try:
        function = ctypes.PyDLL(None).sigaction
    except (TypeError, OSError, AttributeError):  # on Windows
        return None
    function.argtypes = ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
    return function


_sigaction = _function_of_system()


def _of_system(number: int) -> Any:
    """Return a description of the handler that the system calls."""
    found = ctypes.create_string_buffer(_SIZE)
    if _sigaction is not None:
        _sigaction(number, None, found)
    return found


def _put_back(number: int, description: Any) -> None:
    if _sigaction is not None:
        _sigaction(number, description, None)


def set_in_python(number: int, function: object) -> None:
    """Have Python call another function for a signal that it has one for; the system calls what it did."""
    before = _of_system(number)
    _set_in_python(number, function)
    _put_back(number, before)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Put back what C code replaces meanwhile, but the handlers of faults; of one thread at a time."""
    before = [(number, of_python(number), _of_system(number)) for number in _SENT]
    try:
        yield
    finally:
        for number, function, description in before:
            now = of_python(number)
            is_as_before = now == function or (callable(now) and callable(function))
            if is_as_before and _is_set(description):  # a driver may need one where there was none
                _put_back(number, description)


def _is_set(description: Any) -> bool:
    """Return whether there is a handler, or the signal is ignored: an address stands first, if anything does."""
    return ctypes.c_void_p.from_buffer(description).value is not None
