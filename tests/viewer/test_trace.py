"""Every step of a trace equals the same algorithm in plain Python, and the last one the library's answer."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import networkx
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.device.job import Launched, recording
from reedsp.pram.errors import ConflictError, EndlessLoopError, OutOfRangeError, UndefinedError
from reedsp.viewer import generators
from reedsp.viewer.algorithms import pram as pram_stories
from reedsp.viewer.algorithms.catalogue import ALGORITHMS
from tests.support.families import FAMILIES, Family, named
from tests.support.rooms import ROOT
from tests.viewer.by_hand import arrays, searches, structure

SCHEMA = json.loads((Path(reedsp.__file__).parent / "viewer/schema.json").read_text())
TRACED = [each for each in FAMILIES if each.n <= 80 and len(each.edges) <= 2000]
NOT_NEGATIVE = [each for each in TRACED if min(each.weights, default=0) >= 0]
ADD = int.__add__
SCANS = [name for name, entry in ALGORITHMS.items() if entry.problem.name == "scan" and name != "compaction"]

by_name = pytest.mark.parametrize("family", TRACED, ids=lambda family: family.name)
by_name_not_negative = pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)


def edges_of(graph: reedsp.Graph) -> list[tuple[int, int, Any]]:
    """Return the edges in the order of the rows, both directions of undirected ones."""
    return [
        (u, int(graph.indices[entry]), int(graph.weights[entry]))
        for u in range(graph.n)
        for entry in range(graph.indptr[u], graph.indptr[u + 1])
    ]


def traced(given: Any, algorithm: str, source: Any = None, **options: Any) -> reedsp.Trace:
    """Return a trace that agrees with the schema and with the library."""
    found = reedsp.trace(given, algorithm, source, **options)
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    jsonschema.validate(written, SCHEMA)
    states = found.states()
    for name, values in found.result.items():
        assert states[-1][name] == values, name
    assert sum(array["main"] for array in found.arrays.values()) == 1
    for step, state in zip(found.steps, states, strict=True):
        assert set(step.changes) <= set(found.arrays)
        assert set(step.reads) | set(step.writes) <= set(found.arrays)
        for name, array in found.arrays.items():
            assert len(state[name]) == np.prod(array["shape"]) or array["of"] == "queue"
    return found


def history(found: reedsp.Trace, name: str) -> list[list[Any]]:
    """Return the different states of an array, one after the other."""
    return different([state[name] for state in found.states()])


def different(states: list[list[Any]]) -> list[list[Any]]:
    return [state for state, _ in itertools.groupby(states)]


def has(found: reedsp.Trace, name: str, states: list[list[Any]]) -> None:
    """Check the states of an array, of which the first may be the input."""
    expected = different(states)
    actual = history(found, name)
    assert actual in (expected, [actual[0], *expected])


# ---- searches ---------------------------------------------------------------------------------------


@pytest.mark.deep
@by_name
@pytest.mark.parametrize("method", ["output-parallel", "input-parallel", "input-parallel-refined"])
def test_rounds(family: Family, method: str, device: Device) -> None:
    if family.name.startswith("negative cycle"):
        pytest.skip("no edge of the cycle is left to be looked at")
    graph = family.graph()
    found = traced(graph, method, family.source, device=device)
    replay = {
        "output-parallel": searches.output_parallel,
        "input-parallel": searches.input_parallel,
        "input-parallel-refined": searches.refined,
    }[method]
    for name, states in replay(graph.n, edges_of(graph), family.source).items():
        is_cut = name == "active_edges" and history(found, name)[-1] != states[-1]  # as there are rounds enough
        has(found, name, states[:-1] if is_cut else states)


@by_name_not_negative
def test_near_and_far(family: Family, device: Device) -> None:
    graph = family.graph()
    delta = max(1, sum(family.weights) // max(1, 2 * len(family.weights)))
    found = traced(graph, "near-far", family.source, device=device, delta=delta)
    thresholds = [value for [value] in history(found, "threshold") if value is not None]
    assert thresholds[0] == delta
    for name, states in searches.near_far(graph.n, edges_of(graph), family.source, thresholds).items():
        has(found, name, states)


@pytest.mark.deep
@by_name_not_negative
def test_predecessors(family: Family, device: Device) -> None:
    graph = family.graph()
    for method in ("output-parallel", "near-far"):
        states = traced(graph, method, family.source, device=device).states()
        dist, tree = states[-1]["dist"], states[-1]["predecessors"]
        for vertex, before in enumerate(tree):
            assert (before is None) == (dist[vertex] is None or vertex == family.source)
            progress = [
                u
                for u, v, w in edges_of(graph)
                if v == vertex and w > 0 and dist[u] is not None and dist[u] + w == dist[v]
            ]
            if progress and before is not None:
                assert before == min(progress)


@pytest.mark.deep("bottom", "zero")
@by_name
@pytest.mark.parametrize("method", ["top-down", "bottom-up"])
def test_levels(family: Family, method: str, device: Device) -> None:
    graph = family.graph()
    found = traced(graph, method, family.source, device=device)
    expected = searches.levels(graph.n, edges_of(graph), family.source)
    has(found, "levels", expected["levels"])
    if method == "top-down":
        has(found, "frontier", expected["frontier"])


def test_active_vertices_are_those_that_work(device: Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    steps = traced(graph, "top-down", device=device).steps
    assert [step.active for step in steps if step.kernel == "expand" and step.active] == [[0], [1, 2], [3]]
    steps = traced(graph, "input-parallel-refined", device=device).steps
    assert [step.active for step in steps if step.kernel == "relax"] == [[0], [1, 2]]


# ---- all pairs --------------------------------------------------------------------------------------


@pytest.mark.deep
@by_name_not_negative
@pytest.mark.parametrize("method", ["floyd-warshall", "floyd-warshall-blocked", "min-plus-squaring"])
def test_matrices(family: Family, method: str, device: Device) -> None:
    graph = family.graph()
    found = traced(graph, method, device=device)
    edges = edges_of(graph)
    if method == "floyd-warshall":
        states = searches.by_vertex(graph.n, edges)
    elif method == "floyd-warshall-blocked":
        [first, *_] = [step for step in found.steps if step.kernel == "independent_tile"] or found.steps
        states = searches.blocked(graph.n, edges, math.isqrt(len(first.active or [0])))
    else:
        states = searches.squared(graph.n, edges)
    has(found, "dist", [[value for row in matrix for value in row] for matrix in states])


def test_the_tiles_of_a_matrix(device: Device) -> None:
    """Of a launch on the diagonal, the cells that it works on are one tile: so long are the sides of all of them."""
    graph = generators.graph("random", 70)
    steps = [step for step in reedsp.trace(graph, "floyd-warshall-blocked", device=device).steps if step.active]
    [first, *_] = [step for step in steps if step.kernel == "independent_tile"]
    side = math.isqrt(len(first.active or ()))
    assert {step.block for step in steps} == {(side, side)}
    assert {step.block for step in reedsp.trace(graph, "floyd-warshall", device=device).steps} == {None}


# ---- structure --------------------------------------------------------------------------------------


@pytest.mark.deep
@by_name
def test_dulles_components(family: Family, device: Device) -> None:
    graph = family.graph()
    found = traced(graph, "dulle-components", device=device)
    expected = structure.dulle_components(graph.n, edges_of(graph))
    for name in ("components", "targets"):
        if expected[name]:
            has(found, name, expected[name])


@by_name
def test_components(family: Family, device: Device) -> None:
    """In which order edges link trees is the device's affair, but not which vertices a tree can have."""
    graph = family.graph()
    found = traced(graph, "components", device=device)
    label = structure.components(graph.n, edges_of(graph))
    trees = graph.n
    for parents in history(found, "parents")[1:]:
        assert all(parent <= vertex for vertex, parent in enumerate(parents))
        assert all(label[parent] == label[vertex] for vertex, parent in enumerate(parents))
        roots = sum(parent == vertex for vertex, parent in enumerate(parents))
        assert roots <= trees
        trees = roots
    assert found.result["labels"] == [sorted(set(label)).index(each) for each in label]


@pytest.mark.deep
@by_name
@pytest.mark.parametrize("method", ["boruvka", "dulle-forest"])
def test_forests(family: Family, method: str, device: Device) -> None:
    graph = dataclasses.replace(family, directed=False).graph()
    found = traced(graph, method, device=device)
    edges = [(u, v, w) for u, v, w in edges_of(graph) if u <= v]
    assert found.input["edges"] == [list(edge) for edge in edges]
    expected = structure.boruvka(graph.n, edges)
    if method == "dulle-forest" or 2 * graph.n > 0.7 * len(edges):
        has(found, "chosen", expected)
    for before, after in itertools.pairwise(history(found, "chosen")):  # of many edges the light ones come first
        assert all(old <= new <= end for old, new, end in zip(before, after, expected[-1], strict=True))
    if method == "dulle-forest":
        states = found.states()
        ends = [index for index, step in enumerate(found.steps) if step.kernel == "find_nearest"]
        for index in ends[1:]:
            taken = [edge for edge, chosen in zip(edges, states[index]["chosen"], strict=True) if chosen]
            label = structure.components(graph.n, taken)
            assert len(set(zip(label, states[index]["components"], strict=True))) == len(set(label))


def bipartite(seed: int, rows: int, columns: int, m: int) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    return reedsp.Graph.from_edges(
        rows + columns, rng.integers(0, rows, m), rows + rng.integers(0, columns, m), directed=False
    )


SIZES = [(1, 1, 1), (3, 5, 0), (9, 7, 20), (7, 9, 15), (20, 20, 45), (30, 60, 90)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_matching_by_phases(sizes: tuple[int, int, int], device: Device) -> None:
    graph = bipartite(5, *sizes)
    found = traced(graph, "matching-phases", device=device)
    known = {frozenset(edge[:2]) for edge in found.input["edges"]}
    size = 0
    for mates in history(found, "mates"):
        pairs = [(vertex, mate) for vertex, mate in enumerate(mates) if mate is not None]
        assert all(mates[mate] == vertex and frozenset((vertex, mate)) in known for vertex, mate in pairs)
        assert len(pairs) >= size
        size = len(pairs)
    for offers in history(found, "offers"):
        assert all(frozenset((vertex, each)) in known for vertex, each in enumerate(offers) if each is not None)
    assert size // 2 == len(networkx.max_weight_matching(networkx.Graph(map(tuple, known)), maxcardinality=True))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_balls(sizes: tuple[int, int, int], device: Device) -> None:
    graph = bipartite(6, *sizes)
    found = traced(graph, "dulle-matching", device=device)
    side = networkx.Graph()
    side.add_nodes_from(range(graph.n))
    side.add_edges_from((u, v) for u, v, _ in edges_of(graph))
    rows = {vertex for part in networkx.connected_components(side) for vertex in part if even(side, min(part), vertex)}
    columns = sorted(set(range(graph.n)) - rows)
    expected = structure.balls(sorted(rows), columns, edges_of(graph), graph.n)
    for name, states in expected.items():
        has(found, name, states or [[None] * graph.n])


def even(graph: networkx.Graph, start: int, vertex: int) -> bool:
    return bool(networkx.shortest_path_length(graph, start, vertex) % 2 == 0)


# ---- arrays -----------------------------------------------------------------------------------------


def values_of(n: int, seed: int = 3) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-50, 1000, n).astype(np.int32)


by_length = pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 65, 100, 257])


@pytest.mark.deep
@by_length
def test_scans(n: int, device: Device) -> None:
    values = values_of(n)
    given = values.tolist()
    has(traced(values, "naive-scan", device=device), "prefixes", arrays.naive(given, ADD))
    has(traced(values, "naive-scan", device=device, op="max"), "prefixes", arrays.naive(given, max))
    has(traced(values, "dulle-scan", device=device), "prefixes", arrays.tree_scan(given, ADD, 4))
    group = next(size for size in (1, 2, 4, 8) if (8 * size) ** 2 >= n)
    found = traced(values, "recursive-scan", device=device)
    for name, states in arrays.recursion(given, ADD, 0, 8 * group).items():
        if name in found.arrays:
            has(found, name, states)


@pytest.mark.deep
@pytest.mark.parametrize("n", [1, 2, 3, 8, 21, 100, 256])
def test_the_tree_of_a_work_group(n: int, device: Device) -> None:
    values = values_of(n)
    found = traced(values, "blelloch-tree", device=device)
    leaves = max(2, 1 << (n - 1).bit_length())
    has(found, "tree", arrays.blelloch_tree([*values.tolist(), *[0] * (leaves - n)]))
    heights = leaves.bit_length() - 1
    way = iter([*range(1, heights + 1), *reversed(range(heights))])  # of which steps without a change are left out
    assert all(step.level in way for step in found.steps[1:])
    for step in found.steps[1:]:  # no cell but the last one of a node of this level
        for index, _ in step.changes.get("tree", ()):
            assert (index + 1) % (1 << step.level) == 0
    assert {step.says.partition(":")[0] for step in found.steps} >= {"leaf to root, stride 1"}


def test_a_tree_has_a_limit() -> None:
    with pytest.raises(ValueError, match=r"input: a tree has at most 256 leaves, the array has 257 elements"):
        reedsp.trace(np.ones(257, np.int32), "blelloch-tree")


@by_length
def test_segmented_scans(n: int, device: Device) -> None:
    values = values_of(n)
    heads = sorted({0, n // 4, n // 2, n - 1})
    flags = [int(index in heads) for index in range(n)]
    found = traced(values, "segmented-scan", device=device, heads=heads)
    has(found, "prefixes", arrays.naive(values.tolist(), ADD, flags))
    has(found, "heads", [flags])
    for others in (np.array(flags, bool), [*heads, n]):
        has(traced(values, "segmented-scan", device=device, heads=others), "heads", [flags])


@pytest.mark.parametrize("algorithm", ["output-parallel", "input-parallel", "floyd-warshall"])
def test_sums_beyond_floats(algorithm: Any, device: Device) -> None:
    """They are digits, in the result as in the states."""
    graph = reedsp.Graph.from_edges(4, [0, 1], [1, 2], [2**60 + 1, 5])
    found = reedsp.trace(graph, algorithm, device=device)
    result = found.to_json()["result"]["dist"]
    assert result[:4] == [0, str(2**60 + 1), str(2**60 + 6), None]
    assert found.states()[-1]["dist"] == result


MASKED = np.ma.array([True, False, True], mask=[False, False, True])


@pytest.mark.parametrize("heads", [[0, 5, 0], [-1], [True, False], "abc", MASKED, np.ma.array([0, 2], mask=[0, 1]), 3])
def test_segments_that_are_none(heads: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^heads"):
        reedsp.trace([1, 2, 3], "segmented-scan", heads=heads)


@pytest.mark.parametrize("mask", [MASKED, ["False", "", "x"], [5, 0, 1.5], [5, 0, 1], [True], [[True] * 3], 1])
def test_masks_that_are_none(mask: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^mask: "):
        reedsp.trace([1, 2, 3], "compaction", mask=mask)


def test_arrays_of_a_device_are_not_traced(device: Device) -> None:
    marks = cl_array.to_device(cl.CommandQueue(device.context), np.ones(3, np.uint8))
    for algorithm, name in (("segmented-scan", "heads"), ("compaction", "mask")):
        with pytest.raises(TypeError, match=f"^{name}: a pyopencl array, but input is a host array; convert one$"):
            reedsp.trace([1, 2, 3], algorithm, device=device, **{name: marks})


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float16])
@pytest.mark.parametrize("algorithm", SCANS)
def test_elements_that_are_not_scanned(algorithm: Any, dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"^input: elements of type int32, .* are expected, got "):
        reedsp.trace(np.array([1, 2], dtype), algorithm)


def test_the_input_is_called_so() -> None:
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(TypeError, match=r"^input: elements of at most 8 bytes are expected, got "):
            reedsp.trace(np.ones(2, np.longdouble), "merge-sort")
    with pytest.raises(ValueError, match=r"^mask: it has 1 elements, but input has 3$"):
        reedsp.trace([1, 2, 3], "compaction", mask=[True])
    with pytest.raises(ValueError, match=r"^heads: 1 of bool, but input has 3 elements$"):
        reedsp.trace([1, 2, 3], "segmented-scan", heads=[True])
    with pytest.raises(ValueError, match=r"^input: it is not bipartite, "):
        reedsp.trace(networkx.complete_graph(3), "dulle-matching")


@pytest.mark.deep
def test_exclusive_scans(device: Device) -> None:
    values = values_of(20)
    found = traced(values, "naive-scan", device=device, exclusive=True)
    has(found, "prefixes", arrays.naive([0, *values[:-1].tolist()], ADD))


def test_scans_of_what_is_no_number(device: Device) -> None:
    found = traced(np.array([1.0, np.nan, -np.inf]), "naive-scan", device=device)
    assert history(found, "prefixes")[-1] == [1.0, "nan", "nan"]


@by_length
def test_reductions(n: int, device: Device) -> None:
    values = values_of(n)
    pairs = traced(values, "reduction-in-pairs", device=device)
    has(pairs, "partial", arrays.tree_reduction(values.tolist(), ADD, 2))
    tree = traced(values, "dulle-reduction", device=device, group_size=4, each=2, op="min")
    has(tree, "partial", arrays.tree_reduction(values.tolist(), min, 8))


@by_length
def test_compaction(n: int, device: Device) -> None:
    values = values_of(n)
    mask = values % 3 == 0
    found = traced(values, "compaction", device=device, mask=mask)
    has(found, "collected", [[], values[mask].tolist()])


@pytest.mark.deep
@by_length
@pytest.mark.parametrize("presort", ["bitonic", "odd-even", "none"])
def test_merge_sorts(n: int, presort: str, device: Device) -> None:
    values = values_of(n)
    found = traced(values, "merge-sort", device=device, presort=presort, list_length=4)
    has(found, "keys", arrays.merged(values.tolist(), 4, presort != "none" or n == 1))


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("order", ["a > b", "a < b", "a % 10 < b % 10"])
@by_length
def test_sorts_by_an_order(n: int, order: str, kind: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", kind)
    values = np.abs(values_of(n))
    found = traced(values, "merge-path-sort", device=device, order=order)
    key = {"a > b": lambda a: -a, "a < b": lambda a: a, "a % 10 < b % 10": lambda a: a % 10}[order]
    lengths = [int(step.says.split()[2]) for step in found.steps[1:] if step.changes]
    states = [values.tolist()]
    for length in lengths:
        runs = (states[-1][first : first + length] for first in range(0, n, length))
        states.append([element for run in runs for element in sorted(run, key=key)])
    has(found, "keys", states)
    assert states[-1] == sorted(values.tolist(), key=key)
    assert lengths == sorted(lengths)


@by_length
def test_radix_sorts(n: int, device: Device) -> None:
    """By digits as wide as the steps say; what is negative comes first, as its sign is moved."""
    values = values_of(n)
    keys = values.tolist()
    found = traced(values, "radix-sort", device=device)
    smallest = min(keys) if device.kind == "cpu" else -(1 << 31)  # few are not looked at on GPUs
    states = [keys]
    for step in found.steps[1:]:
        if step.kernel == "move_records" and step.changes:
            first, last = map(int, re.findall(r"\d+", step.says)[:2])
            width = 1 << last - first + 1
            states.append(sorted(states[-1], key=lambda key: (key - smallest >> first) % width))
    has(found, "keys", states)
    assert states[-1] == sorted(keys)


@pytest.mark.deep("tree", "pram")
@pytest.mark.parametrize("algorithm", ["naive-scan", "blelloch-tree", "pram", "radix-sort"])
def test_arrays_in_the_other_order_of_bytes(algorithm: str, device: Device) -> None:
    values = np.array([3, 1, 2], np.int32)
    found = traced(values.astype(values.dtype.newbyteorder()), algorithm, device=device)
    assert found.to_json() == traced(values, algorithm, device=device).to_json()


@pytest.mark.deep("scan")
@pytest.mark.parametrize(("algorithm", "name"), [("recursive-scan", "prefixes"), ("blelloch-tree", "tree")])
def test_the_result_is_that_of_the_launches_that_are_shown(algorithm: str, name: str, device: Device) -> None:
    """Another scan adds floats in another order."""
    values = np.random.default_rng(0).standard_normal(33)
    found = traced(values, algorithm, device=device)
    expected = values.cumsum() if name == "prefixes" else [0.0, *np.pad(values, (0, 30)).cumsum()]
    np.testing.assert_allclose(found.result[name], expected)


# ---- PRAM programs ----------------------------------------------------------------------------------


@by_length
def test_a_program_scans(n: int, device: Device) -> None:
    values = values_of(n)
    found = traced(values, "pram", device=device)
    has(found, "A", arrays.naive(values.tolist(), ADD))
    strides = list(itertools.takewhile(lambda stride: stride < n, (1 << bit for bit in itertools.count())))
    has(found, "s", [[stride] * n for stride in [*strides, 2 * strides[-1] if strides else 1]])
    sets = [[int(processor >= stride) for processor in range(n)] for stride in strides]
    states = [state for each in sets for state in ([1] * n, each)]
    has(found, "active", [[1] * n, *states, [0] * n])
    for step in found.steps:
        if step.kernel == "assign_2":
            assert step.says.startswith("A[p] = A[p - s] + A[p]: ")
            assert step.active in [[processor for processor in range(n) if each[processor]] for each in sets]


@pytest.mark.deep
@by_length
def test_programs_of_trees(n: int, device: Device) -> None:
    values = values_of(n)
    a = values.tolist()
    states, stride = [list(a)], 1
    while stride < n:
        for first in range(0, n - stride, 2 * stride):
            a[first] += a[first + stride]
        states.append(list(a))
        stride *= 2
    has(traced(values, "pram-reduction", device=device), "A", states)
    found = traced(values, "pram-efficient-scan", device=device)
    assert found.result["A"] == arrays.prefixes(values.tolist(), ADD)


def test_a_program_of_ones_own(device: Device) -> None:
    from reedsp import pram
    from reedsp.pram import examples

    with_pairs = {"program": examples.sorted_pairs, "others": {"B": [3, 1, 4]}}
    found = traced([2, 5, 4], "pram", device=device, **with_pairs)
    assert (found.result["A"], found.result["B"]) == ([2, 1, 4], [3, 5, 4])
    assert history(found, "x")[-1] == [None, 5, None]
    assert found.title == "PRAM program sorted_pairs (EREW)"
    assert "__kernel void assign_1(" in found.sources["sorted_pairs.cl"]
    with pytest.raises(ValueError, match=r"input: integers are expected by this program"):
        reedsp.trace([0.5], "pram", device=device)
    half = pram.from_text("def half(p, n, A: float32[:]):\n    A[p] = A[p] * 0.5\n")
    assert traced([1, 2.5, 0.25], "pram", device=device, program=half).result["A"] == [0.5, 1.25, 0.125]


def of_text(text: str, device: Device, **options: Any) -> reedsp.Trace:
    """Return the trace of a program of an array A of four elements."""
    from reedsp import pram

    return traced([1, 2, 3, 4], "pram", device=device, program=pram.from_text(text), **options)


def test_types_of_what_a_program_has(device: Device) -> None:
    """Also of what it reads alone, and of booleans, which a device has as bytes."""
    text = (
        "def f(p, n, A: float64[:], F: boolean[:]):\n    B: Global[float64[n]]\n    x: boolean[2]\n    y = int32(p)\n"
    )
    text += "    x[0] = F[p]\n    F[p] = not x[0]\n    if A[p] > 1:\n        B[p] = A[p] * y"
    found = of_text(text, device, others={"F": [True] * 4})
    types = {name: array["dtype"] for name, array in found.arrays.items()}
    assert types == {"A": "float64", "F": "bool", "x": "bool", "y": "int32", "B": "float64", "active": "int32"}


def test_names_of_variables_in_steps(device: Device) -> None:
    """They are those of the program, in statements and in conditions."""
    found = of_text("def f(p, n, A: int64[:]):\n    y = p\n    if y < 3:\n        A[p] = y", device)
    assert [step.says.partition(":")[0] for step in found.steps[1:]] == ["y = p", "y < 3", "A[p] = y"]


@pytest.mark.deep("ConflictError", " 4)")
@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("A[0] = p", ConflictError, "step 1: processors 0 and 1 both write A[0], which EREW forbids"),
        ("x = A[0]", ConflictError, "step 1: processors 0 and 1 both read A[0], which EREW forbids"),
        ("A[p] = p // (n - 4)", UndefinedError, "step 1: processor 0: division by zero"),
        ("A[p] = A[p + 1]", OutOfRangeError, "step 1: processor 3: A[4] is outside of A, which has 4 elements"),
    ],
)
def test_a_program_that_goes_wrong_is_not_shown(text: str, kind: Any, message: str, device: Device) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        of_text(f"@program(mode='EREW')\ndef f(p, n, A: int64[:]):\n    {text}", device)


@pytest.mark.deep("ConflictError", "arbitrary")
@pytest.mark.parametrize(
    ("mode", "text", "kind", "message"),
    [
        ("CREW", "A[0] = p", ConflictError, "both write A[0], which CREW forbids"),
        ("common", "A[0] = p", ConflictError, "write different values to A[0], which common forbids"),
        ("priority", "A[p] = p // (n - 4)", UndefinedError, "division by zero"),
        ("arbitrary", "A[p] = A[p + 1]", OutOfRangeError, "A[4] is outside of A, which has 4 elements"),
        ("arbitrary", "A[0] = p", None, ""),
    ],
)
def test_a_device_notices_what_goes_wrong_in_long_programs(
    mode: str, text: str, kind: Any, message: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter would take longer than all else."""
    monkeypatch.setattr(pram_stories, "MOST_INTERPRETED", 3)
    monkeypatch.delattr("reedsp.pram.interpreter.Interpreter.run")
    with contextlib.nullcontext() if kind is None else pytest.raises(kind, match=f"launch 1: .*{re.escape(message)}"):
        of_text(f"@program(mode='{mode}')\ndef f(p, n, A: int64[:]):\n    {text}", device)


def test_global_variables_of_a_program(device: Device) -> None:
    """They have one cell, whether the program declares them or is given them; the input is the first array."""
    text = "    if p == 0:\n        s = A[0]\n    A[p] = A[p] + s"
    own = of_text(f"def f(p, n, A: int64[:]):\n    s: Global[int64]\n{text}", device)
    given = of_text(f"def f(p, n, s: int64, A: int64[:]):\n{text}", device, others={"s": 7})
    for found, first in ((own, 0), (given, 7)):
        assert found.result == {"A": [2, 3, 4, 5], "s": [1]}
        assert history(found, "s") == [[first], [1]]
        assert found.arrays["s"]["meaning"] == "the global variable s"


def test_private_variables_of_a_program(device: Device) -> None:
    """Also those that have another name in a kernel, or the end of another name."""
    text = "count = 2 * A[p]\n    x = p\n    if p < 2:\n        ax = x + 1\n    A[p] = A[0] + count"
    found = of_text(f"def f(p, n, A: int64[:]):\n    {text}\n    if p > 0:\n        A[p] = x", device)
    assert history(found, "count") == [[None] * 4, [2, 4, 6, 8]]
    assert history(found, "x") == [[None] * 4, [0, 1, 2, 3]]
    assert {name for step in found.steps for name in step.writes if "x" in name} == {"x"}


def test_private_arrays_of_a_program(device: Device) -> None:
    found = of_text("def f(p, n, A: int64[:]):\n    x: int64[3]\n    x[p % 2] = A[p]\n    A[p] = x[1]", device)
    assert history(found, "x") == [[0] * 12, [1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 4, 0]]
    assert found.arrays["x"]["shape"] == [12]
    assert found.arrays["x"]["meaning"] == "x of each processor, 3 cells one after the other"
    assert [step.says for step in found.steps[1:2]] == ["x[p % 2] = A[p]: 4 processors, 4 cells changed"]


def test_a_program_may_name_something_active(device: Device) -> None:
    found = of_text("def f(p, n, active: int64[:]):\n    if p > 1:\n        active[p] = 9", device)
    assert found.result == {"active": [1, 2, 9, 9]}
    assert history(found, "active_") == [[1] * 4, [0, 0, 1, 1]]
    assert found.steps[1].says == "p > 1: 2 processors are active"


WRONG_PROGRAMS: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ([1], {"program": "scan"}, TypeError, "program: a program of reedsp.pram is expected, got 'scan'"),
    ([1], {"others": [1]}, TypeError, r"others: a mapping from names of parameters is expected, got \[1\]"),
    ([1], {"others": {"A": [1]}}, ValueError, "others: 'A' is no parameter of scan beside A, which the input is"),
    ([1], {"others": {"n": 1}}, ValueError, "others: 'n' is no parameter of scan beside A, which the input is"),
    ([1], {"n": "x"}, TypeError, "n: expected an integer, got 'x'"),
    (np.array([1, np.inf], np.float16), {}, ValueError, "input: integers are expected .*, and element 1 is inf"),
    (np.array([2**64 - 1], np.uint64), {}, ValueError, rf"input\[0\] = {2**64 - 1} is no int64"),
    ([0, 1e30], {}, ValueError, r"input: integers are expected by this program, and element 1 is 1e\+30"),
    ([0, np.nan], {}, ValueError, "input: integers are expected by this program, and element 1 is nan"),
]


@pytest.mark.parametrize(("given", "options", "kind", "message"), WRONG_PROGRAMS)
def test_what_no_program_takes(
    given: Any, options: dict[str, Any], kind: type[Exception], message: str, device: Device
) -> None:
    with pytest.raises(kind, match=f"^{message}$"):
        reedsp.trace(given, "pram", device=device, **options)


def test_a_program_of_booleans(device: Device) -> None:
    """Zeros and ones are taken, as a page without types sends them."""
    from reedsp.pram import examples

    options = {"program": examples.components, "n": 2, "others": {"C": [0, 0]}, "device": device}
    for edges, dtype in (([0, 1, 1, 0], "int64"), ([False, True, True, False], "bool"), ([0.0, 1, 1, 0], "float64")):
        found = traced(edges, "pram", **options)
        assert (found.result["C"], found.input["dtype"], found.input["values"]) == ([0, 0], dtype, [0, 1, 1, 0])
    with pytest.raises(ValueError, match=r"^input: 0 and 1 are expected by this program, and element 3 is 2$"):
        reedsp.trace([0, 1, 1, 2], "pram", **options)
    with pytest.raises(TypeError, match=r"^input: int64 is expected, got bool$"):
        reedsp.trace([True], "pram", device=device)
    with pytest.raises(TypeError, match=r"^input: an array of numbers in one dimension is expected, got bool \(1,\)$"):
        reedsp.trace([True], "naive-scan", device=device)


ENDLESS = "def f(p, n, A: int64[:], B: int64[:]):\n    while A[p] >= 0:\n        A[p] = A[p] + 1"


@pytest.mark.parametrize(
    ("text", "options", "kind", "message"),
    [
        (ENDLESS, {"n": 1001}, ValueError, "n: at most 1,000 processors can be traced, got 1,001"),
        (
            ENDLESS,
            {"others": {"B": [1] * 1001}},
            ValueError,
            "others: at most 1,000 elements can be traced, B has 1,001",
        ),
        (
            "def f(p, n, A: int64[:]):\n    x: int64[101]\n    x[0] = p",
            {"n": 100},
            ValueError,
            "n: at most 10,000 cells can be traced, with 100 processors x has 10,100",
        ),
        (
            "def f(p, n, A: int64[:]):\n    X: Global[int64[n * n]]\n    X[p] = p",
            {"n": 101},
            ValueError,
            "n: at most 10,000 cells can be traced, with 101 processors X has 10,201",
        ),
        (ENDLESS, {"others": {"B": [1]}}, ValueError, "program: at most 100 launches can be traced, f takes more"),
        (
            ENDLESS,
            {"others": {"B": [1]}, "max_rounds": 9},
            EndlessLoopError,
            r"line 2, column 5: launch \d+: the loop has not ended after 9 rounds; (?s:.*)",
        ),
    ],
)
def test_programs_that_are_too_large(
    text: str, options: Any, kind: type[Exception], message: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pram_stories, "MOST_LAUNCHES", 100)
    with pytest.raises(kind, match=f"^{message}$"):
        of_text(text, device, **options)


def test_halves_that_are_integers(device: Device) -> None:
    assert traced(np.array([1, 2], np.float16), "pram", device=device).result == {"A": [1, 3]}


def test_a_program_without_an_array(device: Device) -> None:
    with pytest.raises(ValueError, match=r"^program: f has no parameter that is an array, which the input could be$"):
        of_text("def f(p, n, s: int64):\n    x = p", device)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.float32, np.float64])
def test_types_of_elements(dtype: Any, device: Device) -> None:
    if np.dtype(dtype) == np.float64 and not device.fp64:
        pytest.skip("no double precision")
    values = (np.arange(40) * 7919 % 101).astype(dtype)
    values[3] = 2**62 if np.dtype(dtype).itemsize == 8 and np.dtype(dtype).kind in "iu" else values[3]
    for name, entry in ALGORITHMS.items():
        if entry.problem.kind == "array":
            found = traced(values, name, device=device)
            assert found.input["dtype"] == str(np.dtype(dtype))
            [main] = [array for array in found.arrays.values() if array["main"]]
            assert main["dtype"] == ("int64" if entry.problem.name == "PRAM program" else str(values.dtype))


@pytest.mark.deep
@pytest.mark.parametrize("scale", [0.25, 2.0**31])
def test_types_of_weights(scale: float, device: Device) -> None:
    family = named("random, undirected")
    kept = [index for index in range(len(family.sources)) if max(family.sources[index], family.targets[index]) < 60]
    weights = np.array(family.weights)[kept] * scale
    ends = np.array(family.sources)[kept], np.array(family.targets)[kept]
    weights = weights.astype(np.int64) if scale > 1 else weights
    graph = reedsp.Graph.from_edges(60, *ends, weights, directed=False)
    for name, entry in ALGORITHMS.items():
        if entry.problem.name in ("shortest paths", "all pairs", "spanning forest", "breadth-first search"):
            if scale < 1 and not device.fp64:
                pytest.skip("no double precision")
            traced(graph, name, device=device)


# ---- what is common to all --------------------------------------------------------------------------


def test_every_algorithm_is_tested() -> None:
    text = Path(__file__).read_text()
    assert [name for name in ALGORITHMS if f'"{name}"' not in text] == []


def test_every_algorithm_is_documented() -> None:
    page = (ROOT / "docs/reference/traces.md").read_text().partition("## The format")[0]
    assert re.findall(r"^\| `([\w-]+)` \| .*(?:graph|array)", page, re.MULTILINE) == list(ALGORITHMS)
    for name, entry in ALGORITHMS.items():
        [options] = re.findall(rf"^\| `{name}` \|.*\|.*\|(.*)\|$", page, re.MULTILINE)
        known = [each for each in inspect.signature(entry.story).parameters if each not in ("given", "device")]
        assert re.findall(r"`(\w+)`", options) == known


def test_kernels_and_their_lines(device: Device) -> None:
    found = traced(FAMILIES[0].graph(), "output-parallel", device=device)
    [step] = [step for step in found.steps if step.kernel == "initialise"]
    assert step.file == "single_source/output_parallel.cl"
    assert step.lines is not None
    lines = found.sources[step.file].splitlines()[step.lines[0] - 1 : step.lines[1]]
    assert lines[0].startswith("__kernel void initialise(")
    assert lines[-1] == "}"
    assert step.local_size == (64,)


def test_launches_without_effect_are_folded(device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 1])
    found = traced(graph, "output-parallel", device=device)
    recorded = len(found.steps) - 1 + sum(step.folded for step in found.steps)
    assert recorded > len(found.steps) - 1
    assert all(step.changes for step in found.steps[:-1])


def test_a_trace_is_saved(tmp_path: Path, device: Device) -> None:
    found = reedsp.trace([3, 1, 2], "naive-scan", device=device)
    found.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text()) == json.loads(json.dumps(found.to_json()))
    with pytest.raises(FileExistsError):
        found.save(tmp_path / "trace.json")
    found.save(tmp_path / "trace.json", overwrite=True)
    with pytest.raises(TypeError, match=r"^path: expected a path, got 5$"):
        found.save(5)  # type: ignore[arg-type]


def test_names_and_coordinates(device: Device) -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "<script>", weight=2)
    found = traced(graph, "output-parallel", "<script>", device=device)
    assert found.input["names"] == ["a", "<script>"]
    assert (found.input["source"], found.result["dist"]) == (1, [2, 0])
    square = reedsp.Graph.from_edges(2, [0], [1]).with_coordinates([[0, 0], [1, 3]])
    assert traced(square, "top-down", device=device).input["coordinates"] == [[0, 0], [1, 3]]


@pytest.mark.parametrize(
    ("algorithm", "source", "said"),
    [
        ("output-parallel", 2, "the path to vertex 2 weighs 0"),
        ("near-far", 2, "the path to vertex 2 weighs 0"),
        ("top-down", 2, "level 0 is vertex 2"),
        ("bottom-up", 2, "level 0 is vertex 2"),
        ("floyd-warshall", None, "paths through vertex 2: 1 distance fell"),
        ("floyd-warshall-blocked", None, "paths through vertices 1 to 0, the tile on the diagonal: 1 distance fell"),
    ],
)
def test_steps_call_vertices_by_their_names(algorithm: str, source: int | None, said: str, device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 5], labels=[1, 2, 0])
    assert said in [step.says for step in traced(graph, algorithm, source, device=device).steps]


@pytest.mark.parametrize(
    ("given", "algorithm", "source", "error", "message"),
    [
        ([1], "quicksort", None, ValueError, r'algorithm: one of "output-parallel", .* is expected, got .quicksort.'),
        ([1], 5, None, ValueError, r"algorithm: one of .* is expected, got 5"),
        (np.zeros(1001), "naive-scan", None, ValueError, r"input: 1 to 1,000 elements .* the array has 1,001"),
        ([], "naive-scan", None, ValueError, r"input: 1 to 1,000 elements .* the array has 0"),
        (["a"], "naive-scan", None, TypeError, r"input: an array of numbers in one dimension is expected"),
        ([2**63 + 1, -1], "merge-sort", None, ValueError, r"input\[0\] = 9223372036854775809 has no exact float64"),
        ([0.5, 2**53 + 1], "merge-sort", None, ValueError, r"input\[1\] = 9007199254740993 has no exact float64 value"),
        (networkx.path_graph(3), "merge-sort", None, TypeError, r"^input: an array is expected, got a graph$"),
        (reedsp.Graph.from_edges(2, [0], [1]), "pram", None, TypeError, r"^input: an array is expected, got a graph$"),
        ([[1]], "naive-scan", None, TypeError, r"input: an array of numbers in one dimension is expected"),
        ([1], "naive-scan", 0, ValueError, r"source: expected None, as this is about scan, got 0"),
        (np.ones((201, 201)), "top-down", None, ValueError, r"input: 1 to 200 vertices .* the graph has 201"),
        (np.ones((46, 46)), "top-down", None, ValueError, r"input: at most 2,000 edges .* the graph has 2,116"),
        (np.ones((2, 2)), "top-down", 7, ValueError, r"source"),
        ([3, 1], "near-far", None, ValueError, r"^input: matrix has 1 dimensions, expected 2$"),
        (5, "near-far", None, TypeError, r"^input: expected a reedsp\.Graph"),
        (np.ones((2, 2)), "floyd-warshall", 1, ValueError, r"source: expected None, as this is about all pairs, got 1"),
        (-np.ones((2, 2)), "near-far", 0, ValueError, r"input: 'near-far' needs weights that are not negative"),
        (np.ones((2, 2)), "boruvka", None, ValueError, r"input: a spanning forest is of an undirected graph"),
        (np.ones((2, 2)), "dulle-matching", None, ValueError, r"input: an undirected graph is expected"),
    ],
)
def test_bad_input(given: Any, algorithm: Any, source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.trace(given, algorithm, source)


def test_options_are_checked() -> None:
    with pytest.raises(TypeError, match=r"options: 'near-far' has delta, got 'alpha'"):
        reedsp.trace(np.ones((2, 2)), "near-far", alpha=3)
    with pytest.raises(ValueError, match=r"^delta = True, expected a finite number above 0$"):
        reedsp.trace(np.ones((2, 2)), "near-far", delta=True)
    with pytest.raises(TypeError, match=r"options: 'top-down' has none, got 'alpha'"):
        reedsp.trace(np.ones((2, 2)), "top-down", alpha=3)


def test_a_step_cannot_be_changed(device: Device) -> None:
    [first, *_] = traced([3, 1], "naive-scan", device=device).steps
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.says = "nothing"  # type: ignore[misc]


AROUND = {
    "edges/prepare.cl",
    "forests/edges.cl",
    "matching/rows.cl",
    "single_source/near_far_trees.cl",
    "single_source/near_far_work_item.cl",
}
"""Files of kernels that prepare an input, write an answer, or find the library's own."""


@pytest.mark.deep("scan", "sort", "reduction", "tree")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_launch_is_unknown(algorithm: str, device: Device) -> None:
    """But those around an algorithm, and scans, whose buffers are known where they have a role."""
    entry = ALGORITHMS[algorithm]
    undirected = dataclasses.replace(FAMILIES[8], directed=False).graph()
    graph = bipartite(7, 9, 12, 30) if entry.problem.name == "matching" else undirected
    given = values_of(60) if entry.problem.kind == "array" else graph
    launched: list[Launched] = []
    with recording(launched.append):
        found = reedsp.trace(given, algorithm, device=device)
    files = {each.kernel.file for each in launched}
    files -= {each for each in files if each.startswith(("primitives/", "the PRAM program "))}
    assert files - set(entry.story.kernels) <= AROUND
    assert {step.file for step in found.steps if step.changes} - {None} <= set(found.sources)
