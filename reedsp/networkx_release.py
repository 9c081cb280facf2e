"""What depends on the installed release of networkx: the arguments of its functions, and some of their answers.

A release may add arguments that this backend does not know. networkx fills in the defaults of all arguments, by
position or by name, before it calls a backend: so a call is read by the signature of networkx' own function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx

SINCE_3_7 = hasattr(nx, "centroid")
"""Whether Floyd and Warshall's functions take functions as weights, keep networkx' order and raise at negative cycles;
an empty graph has no eccentricities; and a path along edges of weight 0 is named once for each of its ends."""


class Dispatched:
    """A function of this backend, as networkx calls it: with the arguments of its own function of that name.

    Parameters
    ----------
    name : str
    function : callable
        What answers, by the names of the arguments that it knows.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._function = function
        self._known = inspect.signature(function).parameters.keys()
        own = getattr(nx, name, None)
        self._signature = None if own is None else inspect.signature(inspect.unwrap(own))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Answer; arguments that the function does not know are left out."""
        given = self._given(*args, **kwargs)
        return self._function(**{name: value for name, value in given.items() if name in self._known})

    def reason_not_to_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """Return which argument the function does not know, unless it has its default anyway."""
        if self._signature is None:
            return f"networkx {nx.__version__} means another function by this name"
        try:
            given = self._given(*args, **kwargs)
        except TypeError:  # networkx does not take these arguments either, and the call will tell which
            return None
        for name, value in given.items():
            default = self._signature.parameters[name].default
            if name not in self._known and not (type(value) is type(default) and value == default):
                return f"reedsp does not know the argument {name}"
        return None

    def _given(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        assert self._signature is not None
        return self._signature.bind(*args, **kwargs).arguments
