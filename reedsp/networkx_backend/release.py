"""What depends on the installed release of networkx: the arguments of its functions, and some of their answers.

A release may add arguments that this backend does not know. networkx fills in the defaults of all arguments, by
position or by name, before it calls a backend: so a call is read by the signature of networkx' own function.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx

from reedsp.networkx_backend.graph import NetworkXGraph

SINCE_3_7 = hasattr(nx, "centroid")
"""Whether networkx is 3.7 or later: `floyd_warshall` takes functions as weights and has the order of the neighbours; a
graph without nodes has no eccentricities; `all_shortest_paths` and its kin name fewer paths twice where edges of weight
0 lead back to the source."""


def networkx_function(name: str) -> Any:
    """Return networkx' own function of a name, also one of bipartite graphs; None if it has none."""
    return getattr(nx, name, None) or getattr(nx.bipartite, name, None)


class Dispatched:
    """A function of this backend, as networkx calls it: with the arguments of its own function of that name.

    Parameters
    ----------
    name : str
    function : callable, optional
        What answers, by the names of the arguments that it knows; networkx itself, if there is none.
    """

    def __init__(self, name: str, function: Callable[..., Any] | None) -> None:
        own = networkx_function(name)
        self._signature = None if own is None else inspect.signature(inspect.unwrap(own))
        parameters = {} if self._signature is None else dict(self._signature.parameters)
        self._name = name
        self._function = functools.partial(_answer_of_networkx, name) if function is None else function
        self._known = set(parameters) if function is None else set(inspect.signature(function).parameters)
        self._unknown = set(parameters) - self._known
        self._options = [name for name, each in parameters.items() if each.kind is each.VAR_KEYWORD]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Answer; arguments that the function does not know are left out.

        Raises
        ------
        TypeError
            networkx' function does not take these arguments, or what is given for the graph is none.
        """
        try:
            arguments = self._given(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}() {error}") from None
        for name in ("G", "flowG"):
            if name in arguments and not isinstance(arguments[name], NetworkXGraph):
                raise TypeError(f"{self._name}: {name} must be a networkx graph, not {type(arguments[name]).__name__}")
        given = {name: value for name, value in arguments.items() if name in self._known}
        for name in self._options:
            given |= given.pop(name, {})
        return self._function(**given)

    def reason_not_to_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """Return which argument the function does not know, unless it has its default anyway."""
        if self._signature is None:
            return f"networkx {nx.__version__} means another function by this name"
        if not self._unknown:
            return None
        try:
            given = self._given(*args, **kwargs)
        except TypeError:  # networkx does not take these arguments either, and the call will tell which
            return None
        for name in self._unknown & given.keys():
            default = self._signature.parameters[name].default
            if not (type(given[name]) is type(default) and given[name] == default):
                return f"reedsp does not know the argument {name}"
        return None

    def _given(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        assert self._signature is not None
        return self._signature.bind(*args, **kwargs).arguments


def _answer_of_networkx(function: str, **arguments: Any) -> Any:
    if "G" in arguments:
        arguments["G"] = arguments["G"].source
    own = networkx_function(function)
    assert own is not None
    return own(**arguments, backend="networkx")
