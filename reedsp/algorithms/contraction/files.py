"""Hierarchies in files: arrays of numpy's, which are checked when they are read, so that none gives a wrong path.

What is in them is checked to be right, and a digest says that nothing is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.core import ORIGINAL
from reedsp.algorithms.contraction.exact import Units, infinity_of, units_of
from reedsp.algorithms.contraction.hierarchy import Half, Hierarchy
from reedsp.algorithms.contraction.unpack import owners
from reedsp.graph.graph import Graph, edge_sources
from reedsp.results.files import read_arrays
from reedsp.results.text import fingerprint
from reedsp.system.files.atomic_file import write_whole

_KIND, _VERSION = "prepared graph", 1
_SUFFIX = ".npz"
_HALF = ("first", "higher", "weights", "parts")
_INDEX = np.dtype(np.int32)
_WEIGHTS = _INDEX, np.dtype(np.int64)


def write(path: Path, hierarchy: Hierarchy, graph: Graph, *, overwrite: bool) -> None:
    """Write a hierarchy, whole or not at all.

    Raises
    ------
    ValueError
        The name does not end in ``.npz``.
    OSError
        The file cannot be written; FileExistsError if there is one that may not be replaced.
    """
    if path.suffix.lower() != _SUFFIX:
        raise ValueError(f"path = {str(path)!r}, expected a name that ends in {_SUFFIX}")
    halves = (("up", hierarchy.up), ("down", hierarchy.down))
    arrays = {f"{side}_{name}": getattr(half, name) for side, half in halves for name in _HALF}
    arrays |= {"vertices": hierarchy.vertices, "rounds": hierarchy.rounds}
    about = {"kind": _KIND, "version": _VERSION, "graph": fingerprint(graph), "arrays": _digest(arrays)}
    arrays["about"] = np.array(json.dumps(about))
    write_whole(path, lambda stream: np.savez(stream, allow_pickle=False, **arrays), overwrite=overwrite)


def read(path: Path, graph: Graph) -> Hierarchy:
    """Read a hierarchy of this graph.

    Raises
    ------
    ValueError
        The file holds none, one of another graph, or one of another version, or is damaged. The message begins with
        its name.
    OSError
        The file cannot be read.
    """
    try:
        return _hierarchy(read_arrays(path), graph)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _hierarchy(content: dict[str, npt.NDArray[Any]], graph: Graph) -> Hierarchy:
    about = _checked_about(content, graph)
    units, n = units_of(graph), graph.n
    vertices = _array(content, "vertices", (n,))
    if not np.array_equal(np.sort(vertices), np.arange(n)):
        raise ValueError("vertices: they are not those of the graph, each once")
    rank = np.empty(n, np.int32)
    rank[vertices] = np.arange(n, dtype=np.int32)
    rounds = _pointers(content, "rounds", n)
    up, down = (_half(content, side, n) for side in ("up", "down"))
    hierarchy = Hierarchy(vertices, rank, rounds, up, down, units.exponent)
    _check_rounds(hierarchy)
    _check_shortcuts(hierarchy)
    hierarchy = _in_units(hierarchy, graph, units)
    if about.get("arrays") not in (None, _digest(content)):  # older files do not say it
        raise ValueError("the arrays are not those that were written")
    return hierarchy


def _digest(content: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return what tells the arrays of a file from others."""
    digest = hashlib.sha256()
    for name in ("vertices", "rounds", *(f"{side}_{name}" for side in ("up", "down") for name in _HALF)):
        digest.update(np.ascontiguousarray(content[name]).data)
    return digest.hexdigest()


def _checked_about(content: dict[str, npt.NDArray[Any]], graph: Graph) -> dict[str, Any]:
    said = content.get("about")
    try:
        about = json.loads(said.item()) if said is not None and said.shape == () and said.dtype.kind == "U" else None
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or about.get("kind") != _KIND:
        raise ValueError("this is not a prepared graph: PreparedGraph.save writes one")
    if about.get("version") != _VERSION:
        raise ValueError(f"version {about.get('version')!r}, expected {_VERSION}: prepare the graph again")
    if about.get("graph") != fingerprint(graph):
        raise ValueError("this was prepared from another graph: one with other edges or weights")
    return about


def _array(
    content: dict[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...], dtypes: Sequence[np.dtype[Any]] = (_INDEX,)
) -> npt.NDArray[Any]:
    array = content.get(name)
    if array is None:
        raise ValueError(f"there is no array {name!r}")
    if array.dtype not in dtypes or array.shape != shape:
        expected = " or ".join(map(str, dtypes))
        raise ValueError(f"{name}: expected {expected} of shape {shape}, got {array.dtype} of shape {array.shape}")
    return array


def _pointers(content: dict[str, npt.NDArray[Any]], name: str, last: int | None = None) -> npt.NDArray[np.int64]:
    """Return offsets, which begin at 0 and ascend to the last one."""
    array = content.get(name)
    if array is None:
        raise ValueError(f"there is no array {name!r}")
    if array.dtype != np.int64 or array.ndim != 1 or not len(array):
        raise ValueError(f"{name}: expected int64 of one dimension, got {array.dtype} of shape {array.shape}")
    if array[0] != 0 or (np.diff(array) < 0).any() or (last is not None and array[-1] != last):
        raise ValueError(f"{name}: it does not ascend from 0 to {'the number of edges' if last is None else last}")
    return array


def _half(content: dict[str, npt.NDArray[Any]], side: str, n: int) -> Half:
    first = _pointers(content, f"{side}_first")
    if len(first) != n + 1:
        raise ValueError(f"{side}_first: expected {n + 1} entries, got {len(first)}")
    count = int(first[-1])
    higher = _array(content, f"{side}_higher", (count,))
    weights = _array(content, f"{side}_weights", (count,), _WEIGHTS)
    if ((weights < 0) | (weights >= infinity_of(weights.dtype))).any():
        raise ValueError(f"{side}_weights: one is negative, or stands for no path")
    parts = _array(content, f"{side}_parts", (count, 2))
    own = np.repeat(np.arange(n), np.diff(first))
    if ((higher <= own) | (higher >= n)).any():
        raise ValueError(f"{side}_higher: an edge does not lead to a higher vertex")
    return Half(first, higher, weights, parts)


def _check_rounds(hierarchy: Hierarchy) -> None:
    n = len(hierarchy.vertices)
    round_of = np.searchsorted(hierarchy.rounds, np.arange(n), "right")
    for side, half in (("up", hierarchy.up), ("down", hierarchy.down)):
        own = np.repeat(np.arange(n), np.diff(half.first))
        if (round_of[own] >= round_of[half.higher]).any():
            raise ValueError(f"{side}_higher: an edge joins two vertices of a round")


def _check_shortcuts(hierarchy: Hierarchy) -> None:
    """Check that each shortcut is as heavy as its two parts, which meet below both of its ends, as edges do."""
    up, down = hierarchy.up, hierarchy.down
    n = len(hierarchy.vertices)
    for side, half in (("up", up), ("down", down)):
        number = np.flatnonzero((half.parts != ORIGINAL).any(axis=1))
        one, other = half.parts[number].T.astype(np.int64)
        if ((one < 0) | (one >= len(down.higher)) | (other < 0) | (other >= len(up.higher))).any():
            raise ValueError(f"{side}_parts: there is no such edge")
        own = np.repeat(np.arange(n), np.diff(half.first))[number]
        ends = (own, half.higher[number]) if side == "up" else (half.higher[number], own)
        meets = owners(down.first, one)
        fits = (meets == owners(up.first, other)) & (down.higher[one] == ends[0]) & (up.higher[other] == ends[1])
        if not (fits & (down.weights[one] + up.weights[other] == half.weights[number])).all():
            raise ValueError(f"{side}_parts: a shortcut is not the path of its parts")


def _in_units(hierarchy: Hierarchy, graph: Graph, units: Units) -> Hierarchy:
    """Return a hierarchy with its weights in the units of the graph, after a check that all edges are the graph's.

    In the file they may be others: those of the same weights in another type, or of an earlier version.
    """
    halves = (("up", hierarchy.up), ("down", hierarchy.down))
    found = {side: _edges(hierarchy, graph, side) for side, _ in halves}
    bits = np.concatenate([_bits(units.weights[found[side][1]], half.weights[found[side][0]]) for side, half in halves])
    shift = int(np.median(bits)) if len(bits) else 0
    in_units = {}
    for side, half in halves:
        number, place = found[side]
        weights = _shifted(half.weights.astype(np.int64), shift)
        if (weights[number] != units.weights[place]).any():
            raise ValueError(f"{side}_weights: an edge is not in the graph")
        if ((_shifted(weights, -shift) != half.weights) | (weights >= units.infinity)).any():
            raise ValueError(f"{side}_weights: a shortcut is not a sum of weights of the graph")
        in_units[side] = replace(half, weights=weights.astype(units.weights.dtype))
    return replace(hierarchy, up=in_units["up"], down=in_units["down"])


def _edges(hierarchy: Hierarchy, graph: Graph, side: str) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return which of a half are no shortcuts, and which edges of the graph these are."""
    n, half = graph.n, hierarchy.up if side == "up" else hierarchy.down
    known = edge_sources(graph).astype(np.int64) * n + graph.indices
    number = np.flatnonzero(half.parts[:, 0] == ORIGINAL)
    own = hierarchy.vertices[np.repeat(np.arange(n), np.diff(half.first))[number]].astype(np.int64)
    higher = hierarchy.vertices[half.higher[number]].astype(np.int64)
    keys = own * n + higher if side == "up" else higher * n + own
    place = np.searchsorted(known, keys)
    if (np.append(known, -1)[place] != keys).any():
        raise ValueError(f"{side}_weights: an edge is not in the graph")
    return number, place


def _bits(weights: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[np.intc]:
    """Return by how many bits weights are longer than others, where none is 0."""
    counted = (weights > 0) & (others > 0)
    longer: npt.NDArray[np.intc] = np.frexp(weights[counted])[1] - np.frexp(others[counted])[1]
    return longer


def _shifted(weights: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int64]:
    return weights << bits if bits >= 0 else weights >> -bits
