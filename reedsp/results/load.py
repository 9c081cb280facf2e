"""Results that were saved, as they were: the method `save` wrote their files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import RESULT_TYPES, choose_arithmetic
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.io.archives import BASE_SIZE
from reedsp.io.labels import ENDS, LABELS, TEXT, label_arrays
from reedsp.results.all_pairs import AllPairs
from reedsp.results.files import read_arrays
from reedsp.results.levels import BreadthFirst
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.results.text import fingerprint, numbering
from reedsp.system.files.path_argument import path_argument
from reedsp.typing import GraphLike

_MOST_OF_ABOUT = 1 << 16  # characters
_INT32 = (np.dtype(np.int32),)
_INT64 = (np.dtype(np.int64),)
_Content = dict[str, npt.NDArray[Any]]


def load(path: str | os.PathLike[str], graph: GraphLike) -> ShortestPaths | BreadthFirst | AllPairs:
    """Read a result that its method `save`, or the command with ``--output``, wrote to a ``.npz`` file.

    Parameters
    ----------
    path : path
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        The graph of the result, with the same edges, weights and names.

    Returns
    -------
    ShortestPaths, BreadthFirst or AllPairs
        As it was: the same arrays, names, method, device and numbers, only that any device serves for `verify`.

    Raises
    ------
    ValueError
        The file holds no such result, or that of another graph. The message begins with its name.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> reedsp.sssp(graph, 0).save("paths.npz")
    >>> paths = reedsp.load("paths.npz", graph)
    >>> paths.path(3), paths.verify()
    ([0, 2, 3], True)
    """
    file = Path(path_argument(path, "path"))
    graph = as_graph(graph)
    try:
        if file.suffix.lower() != ".npz":
            raise ValueError("the name does not end in .npz; files of other kinds do not say how a result was found")
        return _result(read_arrays(file, graph), graph)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from None


def _result(content: _Content, graph: Graph) -> ShortestPaths | BreadthFirst | AllPairs:
    about = _about(content)
    if about.pop("graph") != fingerprint(graph):
        raise ValueError("this is the result of another graph: one with other edges or weights")
    names = _in_one_way(numbering(graph))
    stored = _in_one_way({name: content[name] for name in ("offset", LABELS, TEXT, ENDS, "names") if name in content})
    if "names" not in stored:  # older files do not say it
        names.pop("names", None)
    if stored.keys() != names.keys() or not all(np.array_equal(stored[name], each) for name, each in names.items()):
        raise ValueError("this is the result of another graph: one whose vertices have other names")
    kind = about.pop("result")
    if kind == "AllPairs":
        return _all_pairs(content, about, graph)
    if kind == "BreadthFirst":
        return _breadth_first(content, about, graph)
    if kind == "ShortestPaths":
        return _shortest_paths(content, about, graph)
    raise ValueError(f"about: it is a result of the kind {kind!r}")


def _in_one_way(names: _Content) -> _Content:
    """Return what vertices are called, with an offset where labels are numbers in their order; many texts as one."""
    labels = names.get(LABELS)
    if labels is not None and labels.dtype.kind == "U" and labels.ndim == 1 and labels.nbytes > BASE_SIZE:
        return {name: each for name, each in names.items() if name != LABELS} | label_arrays(labels.tolist())
    if labels is None or labels.dtype.kind not in "iu" or labels.ndim != 1 or not len(labels):
        return names
    first = int(labels[0])
    if not np.array_equal(labels, np.arange(first, first + len(labels), dtype=object)):
        return names
    return {name: each for name, each in names.items() if name != LABELS} | {"offset": np.array(first)}


def _shortest_paths(content: _Content, about: dict[str, Any], graph: Graph) -> ShortestPaths:
    sources, many = _sources(content, graph)
    nearest = _vertices(content, "nearest", (graph.n,), graph) if "nearest" in content else None
    if nearest is not None and not (many and sources):
        raise ValueError("nearest: expected several sources")
    shape = (len(sources), graph.n) if many and nearest is None else (graph.n,)
    dist = _array(content, "dist", RESULT_TYPES, shape)
    arithmetic = choose_arithmetic(graph, dist.dtype)
    exact = None
    if dist.dtype == np.float32 and arithmetic.dtype != dist.dtype:
        exact = _array(content, "exact", (arithmetic.dtype,), np.atleast_2d(dist).shape)
    rows: list[int] = []
    if "exact_rows" in content:
        rows = _indices(content, "exact_rows", (content["exact_rows"].size,), len(sources))
    cutoff = content.get("cutoff")
    if cutoff is not None and not (cutoff.shape == () and cutoff.dtype.kind in "if" and cutoff >= 0):
        raise ValueError(f"cutoff: expected a number of at least 0, got {cutoff}")
    return ShortestPaths(
        graph=graph,
        source=_named(sources, many, graph),
        dist=dist,
        pred=_trees(content, shape, graph),
        nearest=nearest,
        rounds=_fact(about, "rounds", int),
        **_how(about),
        _device=None,
        _arithmetic=arithmetic,
        _cutoff=None if cutoff is None else cutoff.item(),
        _target=_indices(content, "stopped_at", (), graph.n)[0] if "stopped_at" in content else None,
        _rows_from_host=frozenset(rows),
        _exact=exact,
    )


def _breadth_first(content: _Content, about: dict[str, Any], graph: Graph) -> BreadthFirst:
    sources, many = _sources(content, graph)
    shape = (len(sources), graph.n) if many else (graph.n,)
    levels = _array(content, "levels", _INT32, shape)
    return BreadthFirst(graph, _named(sources, many, graph), levels, _trees(content, shape, graph), **_how(about))


def _all_pairs(content: _Content, about: dict[str, Any], graph: Graph) -> AllPairs:
    shape = (graph.n, graph.n)
    dist = _array(content, "dist", RESULT_TYPES, shape)
    return AllPairs(graph, dist, _trees(content, shape, graph) if "pred" in content else None, **_how(about))


# ---- facts ------------------------------------------------------------------------------------------


def _about(content: _Content) -> dict[str, Any]:
    """Return what the file says about the result."""
    said = content.get("about")
    if said is None:
        raise ValueError("there is no text 'about', which says how the result was found: `save` writes it")
    if said.shape != () or said.dtype.kind != "U" or said.dtype.itemsize > 4 * _MOST_OF_ABOUT:
        raise ValueError(f"about: expected a short text, got {said.dtype} of shape {said.shape}")
    try:
        about = json.loads(said.item())
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or not {"result", "graph"} <= about.keys():
        raise ValueError("about: it does not say what result of which graph this is")
    return about


def _fact(about: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(about.get(name), kind):
        raise ValueError(f"about: {name} = {about.get(name)!r}")
    return about[name]


def _how(about: dict[str, Any]) -> dict[str, Any]:
    stats = _fact(about, "stats", dict)
    if not isinstance(stats.get("milliseconds"), (int, float)):
        raise ValueError(f"about: milliseconds = {stats.get('milliseconds')!r}")
    return {"method": _fact(about, "method", str), "device": _fact(about, "device", str), "stats": stats}


# ---- arrays -----------------------------------------------------------------------------------------


def _array(content: _Content, name: str, dtypes: Sequence[np.dtype[Any]], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array of one of these types and of this shape, without a NaN."""
    array = content.get(name)
    if array is None:
        raise ValueError(f"there is no array {name!r}")
    if array.dtype not in dtypes or array.shape != shape:
        types = " or ".join(map(str, dtypes))
        raise ValueError(f"{name}: expected {types} of shape {shape}, got {array.dtype} of shape {array.shape}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name}: there is a NaN in it")
    return array


def _indices(content: _Content, name: str, shape: tuple[int, ...], count: int) -> list[int]:
    """Return the numbers of an array, each of them below `count`."""
    array = np.atleast_1d(_array(content, name, _INT64, shape))
    if ((array < 0) | (array >= count)).any():
        raise ValueError(f"{name}: {array[(array < 0) | (array >= count)][0]} is not one of 0 .. {count - 1}")
    return [int(each) for each in array]


def _sources(content: _Content, graph: Graph) -> tuple[list[int], bool]:
    """Return the sources, and whether there may be several."""
    shape = content["source"].shape if "source" in content else ()
    return _indices(content, "source", shape[:1], graph.n), len(shape) > 0


def _named(sources: list[int], many: bool, graph: Graph) -> Any:
    names = [graph.names[each] for each in sources]
    return names if many else names[0]


def _vertices(content: _Content, name: str, shape: tuple[int, ...], graph: Graph) -> npt.NDArray[np.int32]:
    """Return an array of vertices, some of which may be none."""
    array = _array(content, name, _INT32, shape)
    if ((array >= graph.n) | ((array < 0) & (array != NO_VERTEX))).any():
        raise ValueError(f"{name}: there is an index in it that no vertex of the graph has")
    return array


def _trees(content: _Content, shape: tuple[int, ...], graph: Graph) -> npt.NDArray[np.int32]:
    """Return predecessors, by none of which a walk back would go round."""
    pred = _vertices(content, "pred", shape, graph)
    for row in np.atleast_2d(pred):
        before = np.where(row >= 0, row, np.arange(graph.n, dtype=np.int32))
        for _ in range(graph.n.bit_length()):
            further = before[before]
            if np.array_equal(further, before):
                break
            before = further
        if (row[before] >= 0).any():
            raise ValueError("pred: predecessors lead back to where they began")
    return pred
