"""Maximum matchings of bipartite graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reedsp.algorithms.structure.matching import on_host
from reedsp.algorithms.structure.matching.biadjacency import Biadjacency, Names, biadjacency_of
from reedsp.algorithms.structure.matching.result import Matching
from reedsp.algorithms.structure.matching.solve import METHODS, solve
from reedsp.cost_model.place import HOST
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.system.options import check_choice
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import may_be_silent, search_bar
from reedsp.typing import GraphLike, MatchingMethod, Vertices


def maximum_matching(
    graph: GraphLike,
    method: MatchingMethod = "auto",
    *,
    rows: Vertices | None = None,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> Matching:
    """Find as many edges of a bipartite graph as there can be without a vertex in common.

    How many there are is unique; which ones is not, and depends on the method. A method finds the same ones on every
    device and in every run. Weights are ignored, but that of a dense matrix's entry says whether there is an edge.

    Parameters
    ----------
    graph : scipy sparse matrix, dense array, Graph or networkx graph
        A matrix may have any shape: its rows are one side, its columns the other one, and each entry is an edge. In a
        sparse one these are the entries that are stored, whatever their values; but zeros are no edges in the formats
        BSR and DIA, which store some of their own. In a dense one 0 and +inf are no edges; in a masked one the mask
        says which are none. A directed graph is read in the same way: each vertex is a row, with the edges that leave
        it, and a column, with those that end there. The sides of an undirected graph, which has to be bipartite, are
        found: that of the smallest vertex of each component are the rows.
    method : {"auto", "depth-first", "phases", "dulle", "khosla"}
        "depth-first", by one work-item: first vertices with a single choice (Karp and Sipser 1981), then augmenting
        paths (Pothen and Fan 1990). "phases", for GPUs: the same rule in rounds, then searches in breadth from all free
        rows at once (Deveci, Kaya, Ucar and Catalyurek 2013). "dulle": rows are balls that choose bins by labels, in
        rounds (Dulle's thesis, Algorithms 15-17, section 5.5), as many as it takes. "khosla": the same by one work-item
        (Algorithm 14). These two are for study: each bin's label goes up to the number of columns and one, so that
        there may be as many rounds as that number squared, which take a minute for some hundred rows. By default what
        fits the device.
    rows : sequence of vertices, optional
        One side, by the names of the vertices; all others are the other one. A matrix is then one of weights, as for
        :func:`reedsp.sssp`, and square; and an edge may lead in either direction.
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the host
        where that is done sooner, by SciPy's search. What is named is used.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with the phases or rounds so far, and the number of rows; of "dulle" there may be more rounds than rows.

    Returns
    -------
    Matching

    Raises
    ------
    ValueError
        The graph or an argument is wrong, or the graph is not bipartite; the message names it.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> matching = reedsp.maximum_matching([[1, 1, 0], [1, 0, 0]])
    >>> matching.column_of_row
    array([1, 0], dtype=int32)
    >>> matching.row_of_column
    array([ 1,  0, -1], dtype=int32)
    """
    phases = Phases()
    check_choice("method", method, METHODS)
    pattern, *names = biadjacency_of(graph, rows)
    bar = search_bar(1, "rounds", progress)
    phases.begin("search")
    if device is None and method == "auto" and may_be_silent(progress) and on_host.can_solve(pattern):
        return _on_host(on_host.solve(pattern), pattern, names, phases)
    chosen = get_device(device)
    job = Job(chosen, recycle=True, phases=phases)
    with bar as report:
        mates, facts = solve(pattern, job, method, report)
    job.recycle()
    used = facts.pop("method")
    stats = {**job.stats(), **facts, "phases": phases.milliseconds()}
    return Matching(mates[0], mates[1], used, str(chosen), stats, pattern, (names[0], names[1]), chosen)


def _on_host(found: Any, pattern: Biadjacency, names: list[Names], phases: Phases) -> Matching:
    times = phases.milliseconds()
    stats = {
        "device": HOST,
        "why": "a device would take longer",
        "kernels_launched": 0,
        "milliseconds": sum(times.values()),
        **dict.fromkeys(("bytes_to_device", "bytes_from_device", "bytes_allocated"), 0),
        "phases": times,
    }
    return Matching(found[0], found[1], on_host.METHOD, HOST, stats, pattern, (names[0], names[1]))
