"""Classes of the public interface, which are found in the package itself."""

from __future__ import annotations

from typing import TypeVar

_Class = TypeVar("_Class", bound=type)


def public(cls: _Class) -> _Class:
    """Have a class say that it is ``reedsp.NAME``, in tracebacks, pickles and help, wherever its module is.

    Above ``@dataclass``, which looks for the names in annotations where the class says it is.
    """
    cls.__module__ = "reedsp"
    return cls
