"""Methods and their options: which there are, and the errors for those that there are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_Choices = Mapping[str, Iterable[str] | None]
"""The options that can be given, each with its values if these are names."""


@dataclass(frozen=True)
class Method:
    """A way to solve something, and the options that it has."""

    solve: Callable[..., Any]
    options: _Choices = field(default_factory=dict)


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise ValueError for a value that is none of some names."""
    known = tuple(choices)
    if value not in known:
        raise ValueError(f"{argument} = {value!r}, expected one of {_listed(known)}")


def check_method(method: str, methods: Iterable[str]) -> None:
    """Raise ValueError for a method of a product or a scan that there is not."""
    known = tuple(methods)
    if method not in known:
        raise ValueError(f"method: {method!r} is none of {_listed(known)}")


def checked_options(options: Mapping[str, Any] | None, known: _Choices, owner: str | None = None) -> dict[str, Any]:
    """Return the options that were given.

    Raises
    ------
    ValueError
        There is no option of this name, or it has no such value; the message names the owner, if there is one.
    """
    for name, value in (options or {}).items():
        if name not in known:
            where, has = ("", "there are") if owner is None else (f"{owner} has ", "it has")
            raise ValueError(f"options: {where}no option {name!r}; {has} {', '.join(known) or 'none'}")
        values = known[name]
        if values is not None:
            check_choice(f"options: {name}", value, values)
    return dict(options or {})


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
