"""Maximum flow: what is asked for, and which method finds it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.chosen import chosen as chosen_method
from reedsp.algorithms.structure.flow import on_host
from reedsp.algorithms.structure.flow.capacities import Found, Network, capacities_of, refuse_unlimited
from reedsp.algorithms.structure.flow.dinic import Dinic, dinic
from reedsp.algorithms.structure.flow.push_relabel import TooDeepError, push_relabel
from reedsp.algorithms.structure.flow.result import Flow
from reedsp.algorithms.structure.flow.selfcheck import finds_known_flow
from reedsp.cost_model.place import HOST, is_flow_for_host
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.graph.arguments import as_graph, vertex_argument
from reedsp.graph.graph import is_networkx
from reedsp.system.options import check_choice
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import may_be_silent, search_bar
from reedsp.typing import FlowMethod, GraphLike, Vertex

_NARROW = np.iinfo(np.int32).max
_FEW_LEVELS, _THIN = 1 << 12, 16
"""Levels of a network that are few for rounds, however few vertices each has; and vertices of a level that are few."""

_TOO_DEEP = "the network is too deep for rounds over all its vertices"

_METHODS: dict[str, Callable[..., Found]] = {"dinic": dinic, "push-relabel": push_relabel}


def maximum_flow(
    graph: GraphLike,
    source: Vertex,
    target: Vertex,
    method: FlowMethod = "auto",
    *,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> Flow:
    """Find the most that can flow from one vertex to another, where weights are the capacities of the edges.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. Its weights are integers, of whichever type, and not negative. Of parallel edges a
        graph keeps the one with the minimum weight: add up the capacities of those that shall count together. What
        flows along an undirected edge, in both directions together, is at most its capacity. As everywhere, +inf is no
        edge, along which nothing flows, and in a networkx graph, where it would be no limit, it is refused: for no
        limit, give a capacity that is larger than any flow.
    source, target : int or other name
        Two vertices: their names in a graph that knows names, otherwise 0 .. n-1, of which a negative one counts from
        the end.
    method : {"auto", "dinic", "push-relabel"}
        "dinic" finds the flow that SciPy finds, by a single work-item; "push-relabel" is for GPUs, in rounds over all
        vertices, at least as many as the source is arcs away. The value and the minimum cut are the same. By default
        what fits the device; on GPUs "dinic", too, where there are thousands of levels of few vertices each, as in a
        path.
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the
        host where that is done sooner. What is named is used.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with the phases or rounds so far, and the number of vertices. There are never more phases than vertices, but
        there may be more rounds.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError
        The graph or an argument is wrong, a capacity is negative or no integer, or source and target are the same; the
        message names it.
    OverflowError
        More may flow than int64 holds.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Notes
    -----
    Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", 1970; Goldberg and
    Tarjan, "A new approach to the maximum-flow problem", 1988. See docs/explanation/structure/flow.md.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> found = reedsp.maximum_flow(graph, 0, 3)
    >>> found.value, found.cut().edges
    (3, array([1, 2]))
    """
    phases = Phases()
    check_choice("method", method, ("auto", *_METHODS))
    given, graph = graph, as_graph(graph)
    if is_networkx(given):
        refuse_unlimited(given)
    start, end = (vertex_argument(graph, *each) for each in ((source, "source"), (target, "target")))
    if start == end:
        raise ValueError(f"source and target are the same vertex, {graph.names[start]!r}")
    bar = search_bar(1, "rounds", progress)
    network = Network.of(graph.indptr, graph.indices, capacities_of(graph), start, end)
    where = device is None and method == "auto" and may_be_silent(progress)
    if where and is_flow_for_host(network.n, network.m) and on_host.can_solve(network):
        phases.begin("search")
        began = time.perf_counter()
        found = on_host.solve(network)
        stats: dict[str, Any] = {
            "device": HOST,
            "kernels_launched": 0,
            "milliseconds": 1e3 * (time.perf_counter() - began),
            **dict.fromkeys(("bytes_to_device", "bytes_from_device", "bytes_allocated"), 0),
        }
        used, why = "dinic", "small, and SciPy is done before a device has begun"
    else:
        job = Job(get_device(device), recycle=True, phases=phases)
        with bar as report:
            found, used, why = solve(job, network, method, report)
        stats = job.stats()
    stats |= {"method": used, "why": why, "rounds": found.rounds, "phases": phases.milliseconds()}
    return Flow(
        graph=graph,
        source=graph.names[start],
        target=graph.names[end],
        value=found.value,
        flow=found.flow,
        is_source_side=found.is_source_side,
        method=used,
        device=stats["device"],
        stats=stats,
    )


def solve(
    job: Job, network: Network, method: str, progress: Callable[[int, int], None] | None = None
) -> tuple[Found, str, str]:
    """Return a maximum flow, the method that found it, and why it was chosen."""
    used, why = _trusted_method(job.device, method, network)
    job.phases.begin("search")
    if network.m == 0:
        return Found(0, network.capacities.copy(), np.arange(network.n) == network.source, 0), used, why
    if method == "auto" and used == "push-relabel":
        try:
            return push_relabel(job, network, progress, max(_FEW_LEVELS, network.n // _THIN)), used, why
        except TooDeepError:
            used, why = _trusted_method(job.device, method, network, True)
    return _METHODS[used](job, network, progress), used, why


def flow_between(network: Network) -> tuple[int, tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[Any]]]:
    """Find a maximum flow on the best device, and what flows between two vertices, less what flows back.

    Parameters
    ----------
    network : Network

    Returns
    -------
    value : int
    net : tuple of ndarray
        The arrays data, indices and indptr of a CSR matrix with an entry for each pair of vertices that an edge joins
        in either direction.
    """
    job = Job(get_device(), recycle=True)
    method, _ = _trusted_method(job.device, "auto", network)
    if method == "dinic" and network.m:
        search = Dinic(job, network)
        try:
            value, _ = search.run()
            return value, search.net()
        finally:
            search.close()
    found, _, _ = solve(job, network, "auto")
    return found.value, net_of(network, found.flow)


def net_of(
    network: Network, flow: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return what flows between two vertices, less what flows back, as CSR arrays data, indices and indptr."""
    n = network.n
    keys = np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(network.indptr)) + network.indices
    tails, heads = np.divmod(keys, n)
    back = heads * n + tails
    among = np.union1d(keys, back)
    net = np.zeros(len(among), flow.dtype)
    net[np.searchsorted(among, keys)] = flow
    net[np.searchsorted(among, back)] -= np.where(tails == heads, 0, flow)
    indptr = np.searchsorted(among, np.arange(n + 1, dtype=np.int64) * n)
    return net, (among % n).astype(np.int32), indptr.astype(np.int32 if len(among) <= _NARROW else np.int64)


def _trusted_method(device: Device, method: str, network: Network, is_deep: bool = False) -> tuple[str, str]:
    """Return a method that gives right answers on a device, and why it was chosen."""
    suited = ("dinic", "push-relabel") if is_deep or device.kind == "cpu" else ("push-relabel", "dinic")
    asked, because = None if method == "auto" else method, _TOO_DEEP if is_deep else None

    def is_right(method: str) -> bool:
        return is_trusted_with(device, method, network)

    return chosen_method(device, "maximum flow", asked, suited, is_right, because)


def is_trusted_with(device: Device, method: str, network: Network) -> bool:
    """Return whether a method is right on a device, with the types of a network."""
    types = [array.dtype.name for array in (network.indptr, network.indices, network.capacities)]
    arguments = (_METHODS[method], *types, network.is_narrow)
    return is_trusted(device, f"maximum flow by {method}", finds_known_flow, *arguments)
