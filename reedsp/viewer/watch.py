"""Algorithms on a page: of inputs that are given, and of those that the page itself sends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reedsp.device.device import Device
from reedsp.io.texts import array_of_text, graph_of_text
from reedsp.viewer import generators
from reedsp.viewer.algorithms.catalogue import ALGORITHMS, entry_of
from reedsp.viewer.page import Page
from reedsp.viewer.server import Request, Run, Server
from reedsp.viewer.trace import trace


def watch(
    input: Any,
    algorithm: str | Sequence[str],
    source: Any = None,
    *,
    device: Device | int | str | None = None,
    **options: Any,
) -> Page:
    """Run algorithms and return a page that plays their steps, forwards and backwards.

    A step is a launch of a kernel, and what is shown is what it left in the memory of the device.

    Parameters
    ----------
    input : Graph, or what is taken for one; or array_like
        At most 200 vertices and 2,000 edges, or 1,000 elements.
    algorithm : str or sequence of str
        As of :func:`reedsp.trace`; the page has a tab for each problem, and a list of its algorithms.
    source : vertex, optional
        Where searches start, of all algorithms those that search; by default the first vertex.
    device : Device, int or str, optional
        By default that of :func:`reedsp.get_device`.
    **options
        Of the algorithm.

    Returns
    -------
    Page
        Shows itself in a notebook; :meth:`Page.save` writes it to one file, which needs no network.

    Raises
    ------
    ValueError
        There is no such algorithm, or the input is too large, or it is not for this algorithm.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> reedsp.watch(graph, ["output-parallel", "input-parallel"]).save("steps.html")
    """
    return Page(_traces(input, algorithm, source, device, options))


def serve(
    input: Any, algorithm: str | Sequence[str], source: Any = None, *, device: Device | int | str | None = None
) -> Server:
    """As :func:`watch`, but return a server of the page, where the input can be changed and run again."""
    page = Page(_traces(input, algorithm, source, device, {}), run="run", choices=choices())
    return Server(page.html, runner(device))


def choices() -> dict[str, dict[str, list[Any]]]:
    """Return what the page offers: algorithms by the kind of input, each with how it is called there."""
    algorithms: dict[str, list[Any]] = {"graph": [], "array": []}
    for name, entry in ALGORITHMS.items():
        algorithms[kind_of(name)].append([name, f"{entry.problem.name}: {name}"])
    return {
        "algorithms": algorithms,
        "generators": {"graph": list(generators.GRAPHS), "array": list(generators.ARRAYS)},
    }


def kind_of(algorithm: str) -> str:
    """Return whether an algorithm is for a "graph" or an "array".

    Raises
    ------
    ValueError
        There is no such algorithm.
    """
    return "array" if entry_of(algorithm).problem.kind == "array" else "graph"


def searches(algorithm: str) -> bool:
    """Return whether an algorithm starts from a vertex."""
    return entry_of(algorithm).problem.kind == "search"


def generated(kind: str, generate: str, size: int) -> Any:
    """Return a "graph" or an "array" of a kind that is called so.

    Raises
    ------
    ValueError
        There is no such kind, or not of this size.
    """
    return (generators.array if kind == "array" else generators.graph)(generate, size)


def runner(device: Device | int | str | None) -> Run:
    """Return what runs a request of the page on a device."""

    def run(request: Request) -> Mapping[str, Any]:
        if request.kind != kind_of(request.algorithm):
            raise ValueError(f"algorithm: {request.algorithm} is for another kind of input than {request.kind}")
        source = request.source if searches(request.algorithm) else None
        return trace(_sent(request), request.algorithm, source, device=device).to_json()

    return run


def _sent(request: Request) -> Any:
    if request.generate is not None:
        return generated(request.kind, request.generate, request.size)
    text = request.text or ""
    return array_of_text(text) if request.kind == "array" else graph_of_text(text)


def _traces(
    input: Any,
    algorithm: str | Sequence[str],
    source: Any,
    device: Device | int | str | None,
    options: Mapping[str, Any],
) -> list[dict[str, Any]]:
    names = [algorithm] if isinstance(algorithm, str) or not isinstance(algorithm, Iterable) else list(algorithm)
    if not names:
        raise ValueError("algorithm: at least one is expected")
    starting = set(filter(searches, names)) or set(names)
    starts = {name: source if name in starting else None for name in names}
    return [trace(input, name, start, device=device, **options).to_json() for name, start in starts.items()]
