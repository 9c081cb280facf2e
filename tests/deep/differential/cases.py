"""Seeded cases for ``ask.py``: a graph, the container that it comes in, and a question about it."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse

import reedsp

Number = int | float
Weighted = tuple[int, int, Number]

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64", "longdouble")
NUMBER_TYPES = ("bool", *SIGNED, *UNSIGNED, *FLOATS)

NAMED = ("numbered edge arrays", "labelled edge arrays")
EDGE_LISTS = ("edge arrays", "strided edge arrays", "read-only edge arrays", "edge lists", *NAMED)
DENSE = ("dense C", "dense Fortran", "dense strided", "dense read-only", "dense lists")
OTHER_DENSE = ("dense with inf", "masked")
REPEATING = ("coo", "csr", "csc", "csr with int64 indices", "read-only csr", "csr matrix")
SPARSE = (*REPEATING, "lil", "dok", "bsr", "dia")
NETWORKX = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")
CONTAINERS = (*EDGE_LISTS, *DENSE, *OTHER_DENSE, *SPARSE, *NETWORKX)

_ZERO_IS_NO_EDGE = (*DENSE, "bsr", "dia")
_MAY_REPEAT = (*EDGE_LISTS, *REPEATING, "MultiGraph", "MultiDiGraph")
_WITHOUT_HALVES = (*SPARSE, *NETWORKX)
_LARGEST_INT64 = 2**63 - 1
_OFFSET = 3  # of numbers that are names


class Kept:
    """A container, and the Graph that is made of it, where several questions are about the same ones."""

    def __init__(self, case: Case) -> None:
        self.container = contained(case)
        self._argument: Any = None

    def argument(self, make: Callable[[], Any]) -> Any:
        """Return what reedsp is given, which is made for the first question; where it cannot be, for each."""
        if self._argument is None:
            self._argument = make()
        return self._argument


@dataclass(frozen=True)
class Case:
    """One question. Its ``repr`` is Python code that makes it again.

    Attributes
    ----------
    question : str
        A name of ``questions.QUESTIONS``.
    n : int
        Number of vertices.
    edges : tuple of (source, target, weight)
        Weights are exact in `weight_type`. Questions about matrices and arrays take their entries from here, too.
    weight_type : str
        A dtype.
    container : str
        One of `CONTAINERS`.
    directed : bool
    arguments : dict
        What else the question needs.
    kept : Kept, optional
        What to ask about, instead of a container of its own.
    """

    question: str
    n: int
    edges: tuple[Weighted, ...]
    weight_type: str = "int64"
    container: str = "edge arrays"
    directed: bool = True
    arguments: dict[str, Any] = field(default_factory=dict)
    kept: Kept | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        edges = "".join(f"        ({u}, {v}, {_written(w)}),\n" for u, v, w in self.edges)
        return (
            f"Case(\n    question={self.question!r},\n    n={self.n},\n    edges=(\n{edges}    ),\n"
            f"    weight_type={self.weight_type!r},\n    container={self.container!r},\n"
            f"    directed={self.directed},\n    arguments={self.arguments!r},\n)"
        )


def _written(number: Number) -> str:
    return repr(number) if np.isfinite(float(number)) else f'float("{number}")'


def is_possible(case: Case) -> bool:
    """Tell whether the container can hold these weights, and the arguments name vertices of the graph."""
    csgraph = case.question.startswith("csgraph")
    weights = [w for _, _, w in case.edges]
    return (
        exists_in(weights, case.weight_type)
        and all(u < case.n and v < case.n for u, v, _ in case.edges)
        and not (case.weight_type == "float16" and case.container in _WITHOUT_HALVES)
        and not (case.weight_type == "bool" and (case.container in NETWORKX or (csgraph and False in weights)))
        and not (case.container == "dense with inf" and case.weight_type not in FLOATS)
        and not (csgraph and case.container not in (*DENSE[:-1], "masked", *SPARSE))
        and not (case.container in NETWORKX and case.directed != case.container.endswith("DiGraph"))
        and all(-case.n <= source < case.n for source in _vertices(case.arguments))
    )


def _vertices(arguments: dict[str, Any]) -> Iterable[int]:
    for name in ("source", "target", "indices"):
        given = arguments.get(name)
        if given is not None:
            yield from given if isinstance(given, list) else [given]


def exists_in(weights: Iterable[Number], dtype: str) -> bool:
    """Tell whether a dtype holds these numbers exactly; floats hold infinities and NaN."""
    if dtype == "bool":
        return all(w in (0, 1) for w in weights)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return all(isinstance(w, int) and limits.min <= w <= limits.max for w in weights)
    return all(not np.isfinite(float(w)) or _held_by_float(w, kind) for w in weights)


def _held_by_float(number: Number, dtype: np.dtype[Any]) -> bool:
    if int(abs(number)) > int(np.finfo(dtype).max):
        return False
    return float(number) == number and float(dtype.type(float(number))) == float(number)


# ---- containers -------------------------------------------------------------------------------------


def meant_edges(case: Case) -> list[Weighted]:
    """Return the edges that the documentation sees in the container, bad weights among them; both directions."""
    edges = _stored(case)
    if case.container in _ZERO_IS_NO_EDGE:
        edges = [edge for edge in edges if edge[2] != 0]
    if case.weight_type == "bool":
        edges = [(u, v, int(w)) for u, v, w in edges if w or case.container == "masked"]
    edges = [edge for edge in edges if edge[2] != np.inf]
    return edges if case.directed else edges + [(v, u, w) for u, v, w in edges]


def _stored(case: Case) -> list[Weighted]:
    """Return the entries of the container: where it holds one for each pair of vertices, the least."""
    if case.container in _MAY_REPEAT:
        return list(case.edges)
    least: dict[tuple[int, int], Number] = {}
    for u, v, w in case.edges:
        pair = (min(u, v), max(u, v)) if case.container == "Graph" else (u, v)
        least[pair] = min(w, least.get(pair, w))
    return [(u, v, w) for (u, v), w in least.items()]


def contained(case: Case) -> Any:
    """Return the container."""
    if case.kept is not None:
        return case.kept.container
    edges = _stored(case)
    if case.container in EDGE_LISTS:
        return _edge_list(case, edges)
    if case.container in NETWORKX:
        return _networkx(case, edges)
    if case.container in SPARSE:
        return _sparse(case, edges)
    return _dense(case, edges)


def as_argument(case: Case, container: Any) -> Any:
    """Return what reedsp's functions take: the container, or the Graph that is made of it."""
    if case.kept is not None:
        unkept = dataclasses.replace(case, kept=None)
        return case.kept.argument(lambda: as_argument(unkept, container))
    if case.container in EDGE_LISTS:
        return reedsp.Graph.from_edges(case.n, *container, case.directed, **_naming(case))
    if case.container == "dense with inf":
        return reedsp.Graph.from_dense(container, case.directed, null_value=None)
    if case.directed or case.container in NETWORKX:
        return container
    if case.container in SPARSE:
        return reedsp.Graph.from_scipy(container, directed=False)
    return reedsp.Graph.from_dense(container, directed=False)


def contents(container: Any) -> Any:
    """Return all that is in a container, to be compared."""
    if isinstance(container, (list, tuple)):
        return [contents(each) for each in container]
    if isinstance(container, np.ma.MaskedArray):
        return [contents(container.data), contents(container.mask)]
    if isinstance(container, np.ndarray):
        return (str(container.dtype), container.shape, container.tobytes(), container.flags.writeable)
    if isinstance(container, nx.Graph):
        return (repr(list(container.nodes(data=True))), repr(list(container.edges(data=True))))
    if scipy.sparse.issparse(container):
        if container.format == "dok":
            return repr(sorted(container.items()))
        if container.format == "lil":
            return repr((container.rows.tolist(), container.data.tolist()))
        names = ("data", "indices", "indptr", "row", "col", "offsets")
        return [contents(getattr(container, name)) for name in names if hasattr(container, name)]
    return container


def node(case: Case, vertex: int) -> Any:
    """Return what the container calls a vertex."""
    if case.container == "numbered edge arrays":
        return _OFFSET + vertex % case.n
    return f"node {vertex % case.n}" if case.container in (*NETWORKX, "labelled edge arrays") else vertex


def _naming(case: Case) -> dict[str, Any]:
    if case.container == "labelled edge arrays":
        return {"labels": [node(case, vertex) for vertex in range(case.n)]}
    return {"offset": _OFFSET} if case.container == "numbered edge arrays" else {}


def _numbers(case: Case, edges: list[Weighted]) -> np.ndarray:
    return np.array([w for _, _, w in edges], case.weight_type)


def _edge_list(case: Case, edges: list[Weighted]) -> Any:
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    parts = [ends[:, 0], ends[:, 1], _numbers(case, edges)]
    if case.container == "edge lists":
        return [each.tolist() for each in parts]
    if case.container == "strided edge arrays":
        return [np.repeat(each, 2)[::2] for each in parts]
    parts = [np.ascontiguousarray(each) for each in parts]
    for each in parts:
        each.flags.writeable = case.container != "read-only edge arrays"
    return parts


def _dense(case: Case, edges: list[Weighted]) -> Any:
    matrix = np.full((case.n, case.n), np.inf if case.container == "dense with inf" else 0, case.weight_type)
    present = np.zeros((case.n, case.n), bool)
    for (u, v, _), weight in zip(edges, _numbers(case, edges), strict=True):
        matrix[u, v], present[u, v] = weight, True
    if case.container == "masked":
        return np.ma.MaskedArray(matrix, ~present)
    if case.container == "dense lists":
        return matrix.tolist()
    if case.container == "dense Fortran":
        return np.asfortranarray(matrix)
    if case.container == "dense strided":
        return np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)[::2, ::3]
    matrix.flags.writeable = case.container != "dense read-only"
    return matrix


def _sparse(case: Case, edges: list[Weighted]) -> Any:
    rows, columns = np.array([edge[:2] for edge in edges], np.int32).reshape(-1, 2).T
    weights, shape = _numbers(case, edges), (case.n, case.n)
    if case.container in ("csr", "csc", "csr with int64 indices", "read-only csr", "csr matrix"):
        return _compressed(case, rows, columns, weights)
    if case.container == "lil":
        matrix = scipy.sparse.lil_array(shape, dtype=weights.dtype)
        for place in np.argsort(columns, kind="stable"):
            matrix.rows[rows[place]].append(int(columns[place]))
            matrix.data[rows[place]].append(weights[place])
        return matrix
    entries = scipy.sparse.coo_array((weights, (rows, columns)), shape=shape)
    if case.container == "dok":
        return entries.todok()
    if case.container == "bsr":
        return entries.tobsr((2, 2) if case.n % 2 == 0 else (1, 1))
    if case.container != "dia":
        return entries
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.sparse.SparseEfficiencyWarning)  # of many diagonals
        return entries.todia()


def _compressed(case: Case, rows: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> Any:
    """Return a matrix whose rows are in the order of the edges, with parallel ones."""
    major, minor = (columns, rows) if case.container == "csc" else (rows, columns)
    order = np.argsort(major, kind="stable")
    index = np.int64 if "int64" in case.container else np.int32
    indptr = np.searchsorted(major[order], np.arange(case.n + 1)).astype(index)
    arrays = (weights[order], minor[order].astype(index), indptr)
    for each in arrays:
        each.flags.writeable = case.container != "read-only csr"
    kinds = {"csc": scipy.sparse.csc_array, "csr matrix": scipy.sparse.csr_matrix}
    matrix = kinds.get(case.container, scipy.sparse.csr_array)(arrays, shape=(case.n, case.n), copy=False)
    if index is np.int64:
        matrix.indices, matrix.indptr = arrays[1:]
    return matrix


def _networkx(case: Case, edges: list[Weighted]) -> Any:
    graph = getattr(nx, case.container)()
    graph.add_nodes_from(node(case, v) for v in range(case.n))
    for u, v, w in edges:
        graph.add_edge(node(case, u), node(case, v), weight=w)
    return graph


# ---- graphs and weights -----------------------------------------------------------------------------


def _random_ends(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    return rng.integers(0, n, (2, m))


def _path(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)
    return np.array([order[:-1], order[1:]])


def _ring(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    chords = rng.integers(0, n, (2, m // 4))
    return np.concatenate(([np.arange(n), (np.arange(n) + 1) % n], chords), axis=1)


def _star(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    hub, others = np.full(n - 1, int(rng.integers(n))), np.arange(1, n)
    return np.concatenate(([hub, others], [others, hub][:: rng.choice([1, -1])]), axis=1)


def _grid(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    side = max(1, int(n**0.5))
    cell = np.arange(side * side).reshape(side, side)
    return np.concatenate(([cell[:, :-1].ravel(), cell[:, 1:].ravel()], [cell[:-1].ravel(), cell[1:].ravel()]), axis=1)


def _complete(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    return np.array(np.nonzero(~np.eye(min(n, 14), dtype=bool)))


def _layers(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Edges to larger numbers only: no cycle."""
    ends = np.sort(rng.integers(0, n, (2, m)), axis=0)
    return ends[:, ends[0] < ends[1]]


FAMILIES: tuple[Callable[[np.random.Generator, int, int], np.ndarray], ...] = (
    *(_random_ends, _random_ends, _random_ends, _path, _ring, _star, _grid, _complete, _layers),
)


def _potentials(rng: np.random.Generator, n: int, ends: np.ndarray, most: int, slack: int) -> np.ndarray:
    potential = rng.integers(-most, most, n)
    return potential[ends[1]] - potential[ends[0]] + rng.integers(0, slack, ends.shape[1])


def _whole(low: int, high: int) -> Callable[..., np.ndarray]:
    return lambda rng, n, ends: rng.integers(low, high, ends.shape[1])


WEIGHTS: dict[str, Callable[[np.random.Generator, int, np.ndarray], np.ndarray]] = {
    "unit": _whole(1, 2),
    "zero or one": _whole(0, 2),
    "ties": _whole(0, 4),
    "small": _whole(0, 60),
    "of bytes": _whole(0, 256),
    "any sign": _whole(-3, 60),
    "potentials": lambda rng, n, ends: _potentials(rng, n, ends, 30, 3),
    "near uint16": _whole(2**12, 2**15),
    "near int32": _whole(2**28, 2**31),
    "beyond int32": _whole(2**40, 2**44),
    "near 2^53": _whole(2**50, 2**54),
    "near int64": _whole(2**58, 2**63),
    "limits of int64": lambda rng, n, ends: rng.choice([-(2**63), -1, 0, 1, 2**62, 2**63 - 1], ends.shape[1]),
    "beyond int64": lambda rng, n, ends: rng.integers(2**62, 2**64, ends.shape[1], np.uint64),
    "large potentials": lambda rng, n, ends: _potentials(rng, n, ends, 2**40, 3),
    "huge potentials": lambda rng, n, ends: _potentials(rng, n, ends, 2**60, 3),
    "eighths": lambda rng, n, ends: rng.integers(0, 80, ends.shape[1]) / 8,
    "eighths of any sign": lambda rng, n, ends: _potentials(rng, n, ends, 30, 3) / 8,
    "fractions": lambda rng, n, ends: rng.random(ends.shape[1]),
    "fractions of any sign": lambda rng, n, ends: rng.random(n)[ends].T @ (-1, 1) + rng.random(ends.shape[1]) / 4,
    "rarely negative": lambda rng, n, ends: rng.random(ends.shape[1]) - 0.05,
    "scales": lambda rng, n, ends: rng.random(ends.shape[1]) * 10.0 ** rng.integers(-20, 20, ends.shape[1]),
    "subnormal": lambda rng, n, ends: rng.integers(0, 9, ends.shape[1]) * 5e-324,
    "subnormal float32": lambda rng, n, ends: rng.integers(0, 9, ends.shape[1]) * 2.0**-149,
    "subnormal of any sign": lambda rng, n, ends: _potentials(rng, n, ends, 30, 3) * 5e-324,
    "huge": lambda rng, n, ends: rng.random(ends.shape[1]) * 1.7e308,
    "huge float32": lambda rng, n, ends: rng.random(ends.shape[1]) * 3e38,
    "huge of any sign": lambda rng, n, ends: (rng.random(n)[ends].T @ (-1, 1)) * 1e308,
    "negative zeros": lambda rng, n, ends: rng.choice([-0.0, 0.0, 1.0], ends.shape[1]),
}
_EXACT = ("unit", "ties", "small", "of bytes", "any sign", "potentials", "near int32", "beyond int32", "eighths")


def _typed(rng: np.random.Generator, numbers: np.ndarray, allowed: tuple[str, ...]) -> tuple[list[Number], str]:
    """Choose a dtype that holds the numbers; fractions may be rounded to it first."""
    if numbers.dtype.kind == "f":
        narrow = str(rng.choice(["float16", "float32", "float64", "float64", "longdouble"]))
        with np.errstate(over="ignore", under="ignore"):
            rounded = numbers.astype(narrow).astype(np.float64)
        narrow = narrow if np.isfinite(rounded).all() and narrow in allowed else "float64"
        return (rounded if narrow != "float64" else numbers).tolist(), narrow
    weights = numbers.tolist()
    possible = [name for name in allowed if exists_in(weights, name)]
    chosen = str(rng.choice(possible or ["int64"]))
    return [float(w) for w in weights] if chosen in FLOATS else weights, chosen


def generate(seed: int, questions: dict[str, float], arguments: Callable[..., dict[str, Any]]) -> Case:
    """Return the case of a seed, always the same.

    Parameters
    ----------
    seed : int
    questions : dict
        Their names, and how often each is asked.
    arguments : callable(rng, question, n, weights, weight_type)
        Chooses the arguments of a question.
    """
    rng = np.random.default_rng(seed)
    names = list(questions)
    share = np.array(list(questions.values()))
    question = str(rng.choice(names, p=share / share.sum()))
    n = _size(rng, question)
    ends = FAMILIES[rng.integers(len(FAMILIES))](rng, n, int(rng.integers(0, 3 * n + 2)))
    exact = question.startswith(("scan", "power"))
    kind = str(rng.choice(_EXACT if exact else list(WEIGHTS)))
    allowed = ("int32", "uint32", "int64", "uint64", "float32", "float64") if exact else NUMBER_TYPES
    weights, weight_type = _typed(rng, WEIGHTS[kind](rng, n, ends), allowed)
    if weights and not exact and weight_type in FLOATS and rng.random() < 0.04:
        weights[rng.integers(len(weights))] = [float("nan"), -float("inf"), float("inf")][rng.integers(3)]
    edges = tuple((int(u), int(v), w) for u, v, w in zip(*ends, weights, strict=True))
    given = arguments(rng, question, n, weights, weight_type)
    choices = [str(each) for each in rng.permutation(CONTAINERS)]
    for container, directed in itertools.product(choices, rng.permutation([True, True, False]).tolist()):
        case = Case(question, n, edges, weight_type, container, directed, given)
        if is_possible(case):
            return case
    return Case(question, n, edges, "int64", "coo", True, given)  # booleans, some of which csgraph takes for 0


def _size(rng: np.random.Generator, question: str) -> int:
    """Return a number of vertices; rarely one beside the side of a tile, as large as the oracle answers soon."""
    chance = rng.random()
    if chance < 0.015:
        sizes = [64, 65, 128, 129, 256, 257]
        if question == "apsp" or question.startswith("csgraph"):
            sizes = [63, 64, 65, 127, 128, 129]
        elif question in ("product", "power"):
            sizes = [63, 64, 65]
        return int(rng.choice(sizes))
    if chance < 0.2:
        return int(rng.integers(20, 41))
    return int(rng.integers(1, 20))


def has_bad_weight(edges: Iterable[Weighted]) -> bool:
    """Tell whether there is a NaN, a -inf or an integer outside int64, which no Graph accepts."""
    return any(not -np.inf < w < np.inf or (isinstance(w, int) and w > _LARGEST_INT64) for _, _, w in edges)
