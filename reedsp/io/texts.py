"""Graphs and arrays as text that a person types: a line of neighbours for each vertex, or numbers between white space.

Both are formats of Dulle's thesis, appendix A.2. A graph::

    # what stands behind this sign is a comment
    0 : 1=7 2=2
    1 : 3
    2 : 3=0.5

has a line for each vertex that edges leave: its number, a colon, and the numbers of the vertices that they lead to, in
any order. Beyond the thesis, a weight may follow a neighbour behind ``=``; without one it is 1. Numbers may have gaps:
they are the names of the vertices then. If each edge is listed in both directions with the same weight the graph is
undirected, unless the first line says ``directed``.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64, MAX_VERTICES, Graph, is_symmetric

Fault = Callable[[int, str], Exception]
"""Makes the error for a fault in a line, which is counted from 1."""

WORD = re.compile(r"\S+")
"""What stands between white space, of which Unicode has more than ASCII."""

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NO_FRACTIONS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_NOT_ZERO = re.compile(r"[^1-9eE]*[1-9]")
_DIRECTED = "directed"
_LONGEST = 18  # digits of the number of a vertex
_INT64 = np.iinfo(np.int64)


def graph_of_text(text: str, name: str = "text") -> Graph:
    r"""Return the graph that a text lists.

    Parameters
    ----------
    text : str
    name : str
        What errors call it.

    Returns
    -------
    Graph
        With the numbers of the text as names, unless these are 0 .. n-1.

    Raises
    ------
    ValueError
        It is no such text; the message names the line, and the word in it.

    Examples
    --------
    >>> from reedsp.io.texts import graph_of_text
    >>> graph_of_text("0 : 1=7 2=2\n1 : 3\n2 : 3=5")
    <reedsp.Graph: 4 vertices, 4 edges, directed, int64 weights>
    """
    return graph_of_lines(enumerate(text.splitlines(), start=1), _fault_in(name))


def graph_of_lines(lines: Iterable[tuple[int, str]], fault: Fault) -> Graph:
    """Return the graph that lines with their numbers list; otherwise as :func:`graph_of_text`."""
    sources, targets = array("q"), array("q")
    weights: list[int | float] = []
    listed: dict[int, int] = {}  # vertices with a line, and which
    directed = False
    last = 1
    for last, line in lines:
        body = line.partition("#")[0].strip()
        if not body:
            continue
        if body == _DIRECTED and not listed:
            directed = True
            continue
        vertex, colon, rest = body.partition(":")
        if not colon:
            raise fault(last, f"expected 'vertex : neighbour neighbour ...', got {_quoted(body)}")
        source = _vertex(vertex.strip(), last, 1, fault)
        if source in listed:
            raise fault(last, f"vertex {source} has a line already, line {listed[source]}")
        listed[source] = last
        for word, neighbour in enumerate(WORD.finditer(rest), start=3):
            target, equals, weight = neighbour[0].partition("=")
            sources.append(source)
            targets.append(_vertex(target, last, word, fault))
            weights.append(_number(weight, last, word, "a weight", fault) if equals else 1)
    ends = np.concatenate([np.fromiter(listed, np.int64, len(listed)), sources, targets], dtype=np.int64)
    numbers, places = np.unique(ends, return_inverse=True)
    if len(numbers) > MAX_VERTICES:
        raise fault(last, f"{len(numbers):,} vertices are more than the {MAX_VERTICES:,} that int32 numbers")
    begins, leads = np.split(places[len(listed) :], 2)
    labels = None if len(numbers) == 0 or numbers[-1] == len(numbers) - 1 else numbers.tolist()
    values = _in_array(weights, lambda place: fault(last, f"float64 cannot hold the weight {weights[place]}"))
    graph = Graph.from_edges(len(numbers), begins, leads, values, labels=labels)
    if directed or not is_symmetric(graph.indptr, graph.indices, graph.weights):
        return graph
    return Graph.from_edges(len(numbers), begins, leads, values, directed=False, labels=labels)


def array_of_text(text: str, name: str = "text") -> npt.NDArray[Any]:
    r"""Return the numbers of a text, between white space: int64 if all are written as integers, otherwise float64.

    Among fractions ``inf``, ``-inf`` and ``nan`` are numbers, too.

    Raises
    ------
    ValueError
        A word is no number, or outside these types; the message names its line and which word it is.

    Examples
    --------
    >>> from reedsp.io.texts import array_of_text
    >>> array_of_text("3 1\n2")
    array([3, 1, 2])
    """
    fault = _fault_in(name)
    values: list[int | float] = []
    places: list[tuple[int, int]] = []
    for line, words in enumerate(text.splitlines(), start=1):
        for word, written in enumerate(words.split(), start=1):
            no_fraction = _NO_FRACTIONS.get(written)
            values.append(_number(written, line, word, "a number", fault) if no_fraction is None else no_fraction)
            places.append((line, word))

    def inexact(place: int) -> Exception:
        line, word = places[place]
        return fault(line, f"word {word}: float64, which other numbers need, cannot hold {values[place]}")

    return _in_array(values, inexact)


# ---- words ------------------------------------------------------------------------------------------


def _fault_in(name: str) -> Fault:
    return lambda line, message: ValueError(f"{name}:{line}: {message}")


def _quoted(word: str) -> str:
    return repr(word[:40]) if word else "nothing"


def _vertex(word: str, line: int, place: int, fault: Fault) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > _LONGEST:
        raise fault(line, f"word {place}: expected the number of a vertex, got {_quoted(word)}")
    return int(word)


def _number(word: str, line: int, place: int, what: str, fault: Fault) -> int | float:
    if _INTEGER.fullmatch(word):
        if len(word) <= len(str(_INT64.min)) and _INT64.min <= int(word) <= _INT64.max:
            return int(word)
        raise fault(line, f"word {place}: {_quoted(word)} is outside int64")
    if not _NUMBER.fullmatch(word):
        raise fault(line, f"word {place}: expected {what}, got {_quoted(word)}")
    value = float(word)
    if math.isinf(value):
        raise fault(line, f"word {place}: {_quoted(word)} is too large for float64")
    if value == 0 and _NOT_ZERO.match(word):
        raise fault(line, f"word {place}: {_quoted(word)} is too small for float64")
    return value


def _in_array(values: list[int | float], inexact: Callable[[int], Exception]) -> npt.NDArray[Any]:
    if not any(isinstance(value, float) for value in values):
        return np.array(values, np.int64)
    for place, value in enumerate(values):
        if isinstance(value, int) and abs(value) > EXACT_IN_FLOAT64 and int(float(value)) != value:
            raise inexact(place)
    return np.array(values, np.float64)
