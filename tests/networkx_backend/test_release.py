"""What another networkx may change: no argument that this backend does not know breaks a program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from inspect import Parameter
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import functions
from reedsp.networkx_backend.release import Dispatched
from tests.networkx_backend.test_functions import FUNCTIONS, outcome, some_calls, spelled

LATER = "what only a later networkx answers"
OF_NETWORKX = {name for name in FUNCTIONS if not hasattr(functions, name)}
"""Functions that this backend leaves to networkx."""


def required(function: Callable[..., Any]) -> list[Parameter]:
    return [each for each in inspect.signature(function).parameters.values() if each.default is Parameter.empty]


def with_one_more(now: Callable[..., Any], kind: Any) -> Callable[..., Any]:
    """Return a function with an argument more: the last one, by name, or before those that have defaults."""
    parameters = list(inspect.signature(now).parameters.values())
    place = len(parameters) if kind is Parameter.KEYWORD_ONLY else len(required(now))
    parameters.insert(place, Parameter("extra", kind, default=1))

    def answer(extra: int, **given: Any) -> Any:
        return now(**given) if extra == 1 else LATER

    names = {"answer": answer}
    exec(f"def {now.__name__}{inspect.Signature(parameters)}: return answer(**locals())", names)
    return names[now.__name__]


def dispatched(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function as networkx dispatches its own of that name, which it takes the place of."""
    own = getattr(nx, function.__name__)
    monkeypatch.delitem(nx.utils.backends._registered_algorithms, own.name)
    as_before = {name: getattr(own, name) for name in ("edge_attrs", "mutates_input", "preserve_edge_attrs")}
    later = nx._dispatchable(function, name=own.name, graphs=own.graphs or None, **as_before)
    monkeypatch.setattr(nx, own.name, later)
    return later


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the functions that this backend was asked for and that were made by `noted`."""
    monkeypatch.setattr(functions.backend, "should_run", lambda name, args, kwargs: True)
    with nx.config(backend_priority=["reedsp"], cache_converted_graphs=False):
        yield []


def noted(name: str, answered: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Note the calls of a function of this backend, which reads the signature of networkx' function anew."""
    function = getattr(functions, name)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        answered.append(name)
        return function(*args, **kwargs)

    monkeypatch.setitem(functions.FUNCTIONS, name, Dispatched(name, call))
    monkeypatch.setattr(functions.backend, name, functions.FUNCTIONS[name])


def test_arguments_that_networkx_does_not_take_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call says which."""
    monkeypatch.setattr(nx, "eccentricity", with_one_more(inspect.unwrap(nx.eccentricity), Parameter.KEYWORD_ONLY))
    function = Dispatched("eccentricity", functions.eccentricity)
    assert function.reason_not_to_run((nx.Graph(),), {"extra": 2}) == "reedsp does not know the argument extra"
    assert function.reason_not_to_run((nx.Graph(),), {"extra": 1}) is None
    assert function.reason_not_to_run((nx.Graph(),), {"nonsense": 2}) is None


OF_DIGRAPHS = ("is_strongly_connected",)  # which refuse others before a backend is asked


OTHERS = (
    "betweenness",
    "edge_betweenness",
    "harmonic",
    "maximum_",
    "minimum_",
    "hopcroft",
    "to_vertex",
    "condensation",
)
"""How functions begin whose arguments are told apart by decorators, or need more than a graph and its nodes."""


@pytest.mark.parametrize("kind", [Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.startswith(OTHERS)])
def test_one_argument_more(name: str, kind: Any, answered: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = inspect.unwrap(getattr(nx, name))
    kind_of_graph = nx.DiGraph if name in OF_DIGRAPHS else nx.Graph
    args = some_calls(nx.cycle_graph(5, kind_of_graph))[name][: len(required(now))]
    expected = outcome(now, *args)
    later = dispatched(with_one_more(now, kind), monkeypatch)
    if name in OF_NETWORKX:  # which takes whatever it has
        monkeypatch.setattr(functions.backend, name, Dispatched(name, None))
        for backend in ("networkx", "reedsp"):
            assert outcome(later, *args, backend=backend) == expected
            assert outcome(later, *args, extra=2, backend=backend) == spelled(LATER)
        return
    noted(name, answered, monkeypatch)
    for default in ({}, {"extra": 1}):
        assert outcome(later, *args, **default) == expected
        assert outcome(later, *args, **default, backend="reedsp") == expected
    assert answered == [name] * 4
    assert outcome(later, *args, extra=2) == spelled(LATER)
    if kind is Parameter.POSITIONAL_OR_KEYWORD:
        assert outcome(later, *args, 2) == spelled(LATER)
    assert outcome(later, *args, extra=2, backend="reedsp") is NotImplementedError
    assert functions.can_run(name, args, {"extra": 2}) == "reedsp does not know the argument extra"
    assert answered == [name] * 4


def test_arguments_that_changed_their_names(answered: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def dijkstra_path(G: Any, start: Any, end: Any, *, weights: str = "weight") -> list[Any]:
        return [start, LATER, end]

    later = dispatched(dijkstra_path, monkeypatch)
    noted("dijkstra_path", answered, monkeypatch)
    for call in (lambda: later(nx.path_graph(3), 0, 2), lambda: later(G=nx.path_graph(3), start=0, end=2)):
        assert call() == [0, LATER, 2]
    assert answered == []


def test_arguments_that_nobody_knows(answered: list[str]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'wieght'"):
        nx.dijkstra_path(nx.path_graph(3), 0, 2, wieght=None)
    with pytest.raises(TypeError, match=r"^dijkstra_path\(\) got an unexpected keyword argument 'wieght'$"):
        nx.dijkstra_path(nx.path_graph(3), 0, 2, wieght=None, backend="reedsp")


def test_what_is_no_graph() -> None:
    for function, args in ((nx.betweenness_centrality, ()), (nx.goldberg_radzik, (0,))):  # which is networkx' own
        with pytest.raises(TypeError, match=f"^{function.__name__}: G must be a networkx graph, not list$"):
            function([(0, 1)], *args, backend="reedsp")
    with pytest.raises(TypeError, match=r"^maximum_flow: flowG must be a networkx graph, not dict$"):
        nx.maximum_flow({}, 0, 1, backend="reedsp")


def test_centroids_of_graphs_and_of_trees(answered: list[str]) -> None:
    """Before networkx 3.7 the centroid was that of trees only, and that of graphs was the barycenter."""
    graph = nx.path_graph(4)
    assert nx.barycenter(graph) == nx.tree.centroid(graph) == [1, 2]
    with pytest.raises(nx.NotATree):
        nx.tree.centroid(nx.cycle_graph(4))
