"""What stands for a device where the work is done by other processes: a cluster."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any


class Elsewhere(ABC):
    """Answers calls of this package in other processes."""

    @abstractmethod
    def answer(self, function: str, /, *args: Any, **arguments: Any) -> Any:
        """Return what a function of this package would return.

        Parameters
        ----------
        function : str
            Its name.
        *args, **arguments
            What it was given, without the device.

        Raises
        ------
        TypeError
            Its work cannot be done elsewhere.
        """


_of_networkx: ContextVar[Any] = ContextVar("of_networkx", default=None)


def of_networkx() -> Any:
    """Return what measures of networkx are answered by, a cluster or a graph that is prepared; None means a device."""
    return _of_networkx.get()


@contextlib.contextmanager
def answers_networkx(answering: Any) -> Iterator[None]:
    """Have measures of networkx answered by a cluster or by a graph that is prepared, in this context."""
    token = _of_networkx.set(answering)
    try:
        yield
    finally:
        _of_networkx.reset(token)
