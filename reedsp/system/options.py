"""Values of arguments that every room checks alike, with errors that name them: methods, options, flags, integers."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

_Choices = Mapping[str, Iterable[str] | type[float]]  # bool and int are floats to a checker of types
"""The options that there are: each with its values if these are names, or ``bool``, ``int``, or ``float`` above 0."""


@dataclass(frozen=True)
class Method:
    """A way to solve something, and the options that it has."""

    solve: Callable[..., Any]
    options: _Choices = field(default_factory=dict)


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise ValueError for a value that is none of some names."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{argument} = {value!r}, expected one of {_listed(known)}")


def check_method(method: str, methods: Iterable[str]) -> None:
    """Raise ValueError for a method of a product or a scan that there is not."""
    known = tuple(methods)
    if not isinstance(method, str) or method not in known:
        raise ValueError(f"method: {method!r} is none of {_listed(known)}")


def checked_options(
    options: Mapping[str, Any] | None,
    known: _Choices,
    owner: str | None = None,
    methods: Mapping[str, Method] | None = None,
) -> dict[str, Any]:
    """Return the options that were given, as Python's own str, bool, int and float.

    Parameters
    ----------
    options : mapping, optional
    known : mapping
        Those that there are.
    owner : str, optional
        What has them, for the message.
    methods : mapping of Method, optional
        Others that may have them, if no method is named.

    Raises
    ------
    ValueError
        There is no option of this name, or it has no such value.
    TypeError
        `options` is no mapping, or an option has another type than it has to have.
    """
    if not isinstance(options, Mapping | None):
        raise TypeError(f"options: expected a mapping of names to values, got {options!r}")
    checked: dict[str, Any] = {}
    for name, value in (options or {}).items():
        if name not in known:
            others = [repr(method) for method, each in (methods or {}).items() if name in each.options]
            if others:
                raise ValueError(f"options: {name!r} needs a method that has it: {' or '.join(others)}")
            where, has = ("", "there are") if owner is None else (f"{owner} has ", "it has")
            raise ValueError(f"options: {where}no option {name!r}; {has} {', '.join(known) or 'none'}")
        values, argument = known[name], f"options: {name}"
        if not isinstance(values, type):
            check_choice(argument, value, values)
            checked[name] = next(each for each in values if each == value)
        elif values is bool:
            checked[name] = flag(value, argument)
        elif values is int:
            checked[name] = integer(value, argument)
        else:
            checked[name] = _positive(value, argument)
    return checked


def _positive(value: Any, name: str) -> float:
    number: Any = value
    if _is_bool(value) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    if not number > 0:
        raise ValueError(f"{name} = {value!r}, expected a number above 0")
    try:
        return float(number)
    except OverflowError:  # an integer or a fraction beyond every float
        return math.inf


def integer(value: object, name: str) -> int:
    """Return an argument as a Python int.

    Raises
    ------
    TypeError
        It is not an integer, or it is True or False; the message names the argument.
    """
    try:
        if not _is_bool(value):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name}: expected an integer, got {value!r}")


def flag(value: object, name: str) -> bool:
    """Return whether something is wanted.

    Raises
    ------
    TypeError
        It is neither True nor False; the message names the argument.
    """
    if _is_bool(value):
        return bool(value)
    raise TypeError(f"{name}: expected True or False, got {value!r}")


def _is_bool(value: object) -> bool:
    numpy = sys.modules.get("numpy")  # which is not imported for this
    return isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_))


def check_memory_limit(memory_limit: Any) -> int:
    """Return a number of bytes, which may be given as ``2e9``, or raise ValueError or TypeError."""
    number: Any = memory_limit
    if isinstance(memory_limit, bool) or not isinstance(memory_limit, Real):
        raise TypeError(f"memory_limit: expected a number of bytes, got {memory_limit!r}")
    if not number >= 1:
        raise ValueError(f"memory_limit = {memory_limit}, expected a number of bytes")
    try:
        return int(number)
    except OverflowError:  # infinity
        return sys.maxsize


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
