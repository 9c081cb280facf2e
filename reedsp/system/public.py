"""Classes of the public interface, which are found in the package itself."""

from __future__ import annotations

from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)


def public(cls: _Class) -> _Class:
    """Have a class say that it is ``reedsp.NAME``, in tracebacks, pickles and help, wherever its module is.

    Above ``@dataclass``, which looks for the names in annotations where the class says it is.
    """
    cls.__module__ = "reedsp"
    return cls


def compared_as_object(cls: _Class) -> _Class:
    """Have a class of named tuples of arrays equal itself only, as other results do: arrays have no one answer."""

    def __eq__(self: Any, other: object) -> bool:
        return self is other

    def __ne__(self: Any, other: object) -> bool:
        return self is not other

    def __hash__(self: Any) -> int:
        return id(self)

    for method in (__eq__, __ne__, __hash__):
        setattr(cls, method.__name__, method)
    return cls
