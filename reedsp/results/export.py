"""Results as graphs of networkx and as tables of pandas and Arrow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph

if TYPE_CHECKING:
    import networkx
    import pandas
    import pyarrow


def tree_to_networkx(
    graph: Graph,
    pred: npt.NDArray[np.int32],
    reached: npt.NDArray[np.intp],
    attributes: Mapping[str, list[Any]],
) -> networkx.DiGraph[Any]:
    """Return the reached vertices and the edges from their predecessors.

    Parameters
    ----------
    graph : Graph
    pred : ndarray of int32, shape (n,)
    reached : ndarray of intp, shape (r,)
    attributes : mapping of str to list
        Attributes of the nodes, one entry for each reached vertex.
    """
    import networkx

    names = graph.names
    tree: networkx.DiGraph[Any] = networkx.DiGraph()
    columns = zip(*attributes.values(), strict=True)
    for vertex, values in zip(reached.tolist(), columns, strict=True):
        tree.add_node(names[vertex], **dict(zip(attributes, values, strict=True)))
    below = reached[pred[reached] >= 0]
    weights = weights_of_edges(graph, pred[below], below)
    ends = zip(pred[below].tolist(), below.tolist(), weights.tolist(), strict=True)
    tree.add_weighted_edges_from((names[u], names[v], weight) for u, v, weight in ends)
    return tree


def pairs_to_networkx(graph: Graph, dist: npt.NDArray[Any], finite: npt.NDArray[np.bool_]) -> networkx.DiGraph[Any]:
    """Return an edge, weighted with the distance, for each pair of different vertices that has one."""
    import networkx

    names = graph.names
    closure: networkx.DiGraph[Any] = networkx.DiGraph()
    closure.add_nodes_from(names)
    for source in range(graph.n):
        targets = np.flatnonzero(finite[source])
        targets = targets[targets != source]
        weights = dist[source, targets].tolist()
        closure.add_weighted_edges_from(
            (names[source], names[target], weight) for target, weight in zip(targets.tolist(), weights, strict=True)
        )
    return closure


def weights_of_edges(graph: Graph, sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the weights of edges that exist, given by their ends."""
    tails = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(graph.indptr))
    keys = tails * graph.n + graph.indices  # ascending
    places = np.searchsorted(keys, sources.astype(np.int64) * graph.n + targets)
    return np.asarray(graph.weights[places])


def _import_pandas() -> Any:
    """Return pandas.

    Raises
    ------
    ImportError
        It is not installed; the message says how to.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe: pandas is not installed; install it with: pip install pandas") from None
    return pandas


def rows_to_dataframe(
    graph: Graph,
    sources: list[int] | None,
    columns: Mapping[str, npt.NDArray[Any]],
    reached: npt.NDArray[np.bool_],
    vertices: Mapping[str, Any],
) -> pandas.DataFrame:
    """Return one line for each vertex, or with several sources for each source and vertex.

    Parameters
    ----------
    graph : Graph
    sources : list of int, or None
        That of each row of the columns, where there are several.
    columns : mapping of str to ndarray, shape (k, n)
        Numbers.
    reached : ndarray of bool, shape (k, n)
        Where they are those of a path: integers are missing elsewhere.
    vertices : mapping of str to ndarray, shape (k, n)
        Vertices, negative for none, which are shown by name.
    """
    pandas = _import_pandas()
    names = np.fromiter((*graph.names, None), object, graph.n + 1)
    rows = 1 if sources is None else len(sources)
    column_of = functools.partial(pandas.Series, dtype=object)  # which keeps every name, and None, as it is
    content: dict[str, Any] = {}
    if sources is not None:
        content["source"] = column_of(np.repeat(names[np.asarray(sources, np.intp)], graph.n))
    content["vertex"] = column_of(np.tile(names[:-1], rows))
    content.update(
        {name: _column_of_pandas(pandas, column.ravel(), reached.ravel()) for name, column in columns.items()}
    )
    for name, column in vertices.items():
        content[name] = column_of(names[np.where(column.ravel() >= 0, column.ravel(), -1)])
    frame = pandas.DataFrame(content)
    if graph.labels is None:  # names are integers, of which those that are missing may be left out
        whole = dict.fromkeys(vertices, "Int64") | dict.fromkeys({"source", "vertex"} & set(content), "int64")
        frame = frame.astype(whole)
    return frame.set_index([name for name in ("source", "vertex") if name in content])


def _column_of_pandas(pandas: Any, numbers: npt.NDArray[Any], known: npt.NDArray[np.bool_]) -> Any:
    """Return numbers as a column, in which integers that are not known are missing; floats are infinite there."""
    return pandas.arrays.IntegerArray(numbers.copy(), ~known) if numbers.dtype.kind == "i" else numbers


def rows_to_arrow(
    graph: Graph,
    sources: list[int] | None,
    columns: Mapping[str, npt.NDArray[Any]],
    reached: npt.NDArray[np.bool_],
    vertices: Mapping[str, Any],
) -> pyarrow.Table:
    """Return the lines of :func:`rows_to_dataframe` as a table of Arrow, what is missing as a null.

    Raises
    ------
    ImportError
        pyarrow is not installed; the message says how to.
    TypeError
        Vertices have names of different types, of which Arrow has no column.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError("to_arrow: pyarrow is not installed; install it with: pip install 'reedsp[tables]'") from None
    try:
        names = _arrow_names(graph)
    except (pyarrow.ArrowException, OverflowError, TypeError, UnicodeEncodeError) as error:
        raise TypeError(f"to_arrow: the names of the vertices are no column of Arrow: {error}") from None
    content: dict[str, Any] = {}
    if sources is not None:
        content["source"] = names.take(pyarrow.array(np.repeat(np.asarray(sources, np.int64), graph.n)))
    content["vertex"] = names.take(pyarrow.array(np.tile(np.arange(graph.n), 1 if sources is None else len(sources))))
    for name, column in columns.items():
        content[name] = pyarrow.array(column.ravel(), mask=~reached.ravel() if column.dtype.kind == "i" else None)
    for name, column in vertices.items():
        content[name] = names.take(pyarrow.array(column.ravel(), mask=column.ravel() < 0))
    return pyarrow.table(content)


def _arrow_names(graph: Graph) -> Any:
    """Return the names of the vertices as an array of Arrow, which makes one type of several where it can.

    Raises
    ------
    TypeError
        Two of them would become one.
    Exception
        Whatever pyarrow raises for what it has no type for.
    """
    import pyarrow

    if graph.labels is None:
        return pyarrow.array(np.arange(graph.n) + graph.offset)
    kinds, names = set(map(type, graph.labels)), pyarrow.array(list(graph.labels))
    if len(kinds) == 1 and kinds <= {int, str, bytes, float, bool}:
        return names
    values = names.to_pylist()
    is_tuple = any(issubclass(kind, tuple) for kind in kinds)  # a list in Arrow
    if len(set(map(repr, values) if is_tuple else values)) < graph.n:
        raise TypeError(f"{names.type} does not tell all of them apart")
    return names


def matrix_to_dataframe(
    graph: Graph, dist: npt.NDArray[Any], are_finite: Callable[[Any], npt.NDArray[np.bool_]]
) -> pandas.DataFrame:
    """Return the matrix of distances with the names of the vertices on both sides; integers are missing if infinite."""
    pandas = _import_pandas()
    names = pandas.Index(list(graph.names), tupleize_cols=False)
    if dist.dtype.kind != "i" or are_finite(dist).all():
        return pandas.DataFrame(dist, index=names, columns=names, copy=False)
    columns = {v: _column_of_pandas(pandas, dist[:, v], are_finite(dist[:, v])) for v in range(graph.n)}
    return pandas.DataFrame(columns, copy=False).set_axis(names, axis=0).set_axis(names, axis=1)
