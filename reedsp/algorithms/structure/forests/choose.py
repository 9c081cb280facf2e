"""Which edges a spanning forest is made of: the one answer that the order of the edges defines, by any method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.structure.chosen import chosen as chosen_method
from reedsp.algorithms.structure.forests.boruvka import boruvka
from reedsp.algorithms.structure.forests.dulle import dulle
from reedsp.algorithms.structure.forests.edges import DeviceEdges, Order, Seen, in_order, reals
from reedsp.algorithms.structure.forests.kruskal import kruskal
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import VALUE_TYPES, Buffers, Elements
from reedsp.primitives.scan import plan_scan

METHODS = ("kruskal", "boruvka", "dulle")
"""Kernels for CPU devices, kernels for GPUs, and those of the thesis, whatever the device."""

MOST_EDGES = 2**32 - 1
"""Places are counted in 32 bits."""

_Search = Callable[[DeviceEdges, Order, int, list[int], cl.Buffer, Job], dict[str, Any]]
_SEARCHES: dict[str, _Search] = {"kruskal": kruskal, "boruvka": boruvka, "dulle": dulle}
_LIGHT = 2.0  # light edges for each vertex
_MOST_LIGHT = 0.6  # of all edges, from which on there is no second list
_COUNT = np.dtype(np.uint32)


def choose(
    edges: DeviceEdges, seen: Seen, job: Job, *, maximum: bool, upper: bool, method: str = "auto"
) -> tuple[cl.Buffer, int, dict[str, Any]]:
    """Return the places of the edges of the spanning forest, ascending, on the device.

    Edges are taken by their weights, and of equal ones that whose place comes first.

    Parameters
    ----------
    edges : DeviceEdges
    seen : Seen
        What there is to see in them; no end is outside.
    job : Job
    maximum : bool
        Take the heaviest edges first.
    upper : bool
        Leave out edges to an earlier vertex.
    method : str
        Of :data:`METHODS`; "auto" takes what suits the device.

    Returns
    -------
    places : pyopencl.Buffer of uint32
    count : int
        How many.
    stats : dict

    Raises
    ------
    DeviceError
        No method gives right answers on the device.
    """
    device, order = job.device, seen.order(maximum)
    suited = ("kruskal", "boruvka") if device.kind == "cpu" else ("boruvka", "kruskal")

    def is_right(method: str) -> bool:
        return _is_right(device, method, edges, order)

    used, why = chosen_method(device, "a spanning forest", None if method == "auto" else method, suited, is_right)
    stats: dict[str, Any] = {"method": used, "why": why}
    chosen = job.full(edges.m, np.uint8(0))
    stats |= _mark(used, edges, order, upper, _thresholds(edges, order, upper), chosen, job)
    return *_places(chosen, edges.m, job), stats


def _mark(
    method: str, edges: DeviceEdges, order: Order, upper: bool, thresholds: list[int], chosen: cl.Buffer, job: Job
) -> dict[str, Any]:
    bits = constants("forests/keys.cl")
    flags = (bits["MAXIMUM"] if order.maximum else 0) | (bits["UPPER"] if upper else 0)
    return _SEARCHES[method](edges, order, flags, thresholds, chosen, job)


def _thresholds(edges: DeviceEdges, order: Order, upper: bool) -> list[int]:
    """Return up to which keys edges are light, by a sample, if there are many more edges than a forest takes."""
    largest = abs(order.last - order.origin)
    share = _LIGHT * edges.n / (edges.m / 2 if upper else edges.m)
    if share > _MOST_LIGHT:
        return [largest]
    keys = np.sort(order.keys(edges.sample))
    light = int(keys[int(share * len(keys))])
    return [light, largest] if light < largest else [largest]


def _places(chosen: cl.Buffer, m: int, job: Job) -> tuple[cl.Buffer, int]:
    elements = Elements(resolve("add", _COUNT), _COUNT, True, compaction="places", value_type=VALUE_TYPES[4])
    places, total = job.allocate(m, _COUNT), job.allocate(1, _COUNT)
    for each in plan_scan(job, elements, Buffers(chosen, chosen, places, total), m):
        each.queue()
    return places, int(job.download(total, 1, _COUNT)[0])


# ---- trials -----------------------------------------------------------------------------------------


def _is_right(device: Device, method: str, edges: DeviceEdges, order: Order) -> bool:
    """Return whether a method gives right answers on a device, with the very programs for these edges."""
    types = str(edges.pointer), str(edges.index), str(edges.value), edges.has_rows
    trial = finds_known_forests, method, *types, order.whole, order.key_bits, order.digit
    return is_trusted(device, f"a spanning forest by {method}", *trial)


_TRIALS = ((300, 900, False, False, False), (60, 900, True, True, False), (200, 900, False, True, True))
"""Vertices, edges, whether the heaviest come first, whether only those to later vertices count, and have all twins."""


def finds_known_forests(
    device: Device,
    method: str,
    pointer: str,
    index: str,
    value: str,
    has_rows: bool,
    whole: bool,
    key_bits: int,
    digit: int,
) -> bool:
    """Return whether a device chooses the edges that Kruskal's algorithm chooses in Python, on small random graphs."""
    rng = np.random.default_rng(2016)
    for n, m, maximum, upper, symmetric in _TRIALS[: None if has_rows else -1]:
        rows, columns = np.sort(rng.integers(0, n, m)), rng.integers(0, n, m)
        if symmetric:
            columns[:n], rows[:n] = np.arange(n), 0  # a vertex with an edge to each
            rows, columns = np.divmod(np.unique(np.concatenate((rows * n + columns, columns * n + rows))), n)
        elif method == "dulle":  # of a matrix, whose entries behind the diagonal count
            rows, columns = np.divmod(np.unique(rows * n + columns), n)
            upper = True
        m = len(rows)
        weights = _weights_of(rng, m, np.dtype(value), whole, key_bits, digit)
        if symmetric:
            twins = np.searchsorted(rows * n + columns, columns * n + rows)
            weights = np.where(rows < columns, weights, weights[twins])
        job = Job(device)
        edges = DeviceEdges(
            *(job, n, columns.astype(index), weights),
            indptr=np.searchsorted(rows, np.arange(n + 1)).astype(pointer) if has_rows else None,
            tails=None if has_rows else rows.astype(index),
            is_symmetric=symmetric,
        )
        order = edges.look(job).order(maximum)
        if (order.whole, order.key_bits, order.digit) != (whole, key_bits, digit):
            return False
        chosen = job.full(m, np.uint8(0))
        keys = order.keys(weights)
        thresholds = [int(np.sort(keys)[m // 4]), abs(order.last - order.origin)]
        _mark(method, edges, order, upper, thresholds, chosen, job)
        found, count = _places(chosen, m, job)
        places, ends = job.download(found, count, _COUNT), np.sort(np.column_stack((rows, columns)), axis=1)
        is_right = places.tolist() == _kruskal_in_python(rows, columns, keys, upper)
        is_right = is_right and _same(edges.ends_of(found, count, job), (ends[places], weights[places]))
        is_right = is_right and _same(edges.heads_of(found, count, job), (columns[places], weights[places]))
        if has_rows:
            before = np.searchsorted(rows[places], np.arange(n + 1))
            is_right = is_right and np.array_equal(edges.rows_before(found, count, job), before)
        job.return_borrowed()
        if not is_right:
            return False
    return True


def _same(arrays: tuple[npt.NDArray[Any], ...], others: tuple[npt.NDArray[Any], ...]) -> bool:
    return all(np.array_equal(array, other) for array, other in zip(arrays, others, strict=True))


def _weights_of(
    rng: np.random.Generator, m: int, dtype: np.dtype[Any], whole: bool, key_bits: int, digit: int
) -> npt.NDArray[Any]:
    """Return weights, many of them equal and some negative, whose keys have these types; fractions are subnormal."""
    spread = 1 << (50 if key_bits == 64 else 20 if digit > 8 else 5)
    numbers = rng.integers(-4, 4, m) * (spread // 8)
    numbers[:2] = -spread // 2, spread // 2 - 1
    if dtype.kind == "i" or whole:
        return numbers.astype(dtype)
    return reals(in_order(np.zeros(1, dtype)) + numbers.view(np.uint64), dtype)


def _kruskal_in_python(
    tails: npt.NDArray[Any], heads: npt.NDArray[Any], keys: npt.NDArray[np.uint64], upper: bool
) -> list[int]:
    tree = {vertex: {vertex} for vertex in np.union1d(tails, heads).tolist()}
    chosen = []
    for place in np.argsort(keys, kind="stable").tolist():
        tail, head = int(tails[place]), int(heads[place])
        if tree[tail] is tree[head] or (upper and head < tail):
            continue
        chosen.append(place)
        joined = tree[tail] | tree[head]
        for vertex in joined:
            tree[vertex] = joined
    return sorted(chosen)
