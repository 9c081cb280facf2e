"""Prepared graphs in files: the same after a load, and refused if anything is wrong with them."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.contraction import files
from reedsp.algorithms.contraction.core import ORIGINAL
from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import Half, Hierarchy
from tests.support.families import grid

GRID = grid("grid", 12, 9, seed=2)
GRAPH = GRID.graph()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "prepared.npz"
    reedsp.prepare(GRAPH).save(path)
    return path


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with np.load(path) as content:
        arrays = {name: array.copy() for name, array in content.items()}
    change(arrays)
    np.savez(path, **arrays)


def test_what_was_saved_answers_as_before(saved: Path, device: reedsp.Device) -> None:
    loaded = reedsp.load_prepared(saved, GRAPH, device=device)
    expected = reedsp.sssp(GRAPH, range(GRAPH.n), "near-far", device=device)
    found = loaded.sssp(range(GRAPH.n))
    assert np.array_equal(found.dist, expected.dist)
    assert np.array_equal(found.pred, expected.pred)
    assert loaded.path(0, 107) == reedsp.prepare(GRAPH, device=device).path(0, 107)


@pytest.mark.parametrize("seed", range(40))
def test_small_graphs_are_saved(seed: int, tmp_path: Path) -> None:
    """In some the first edges are parts of shortcuts."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 7
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, 2 * n)), rng.integers(1, 9, 2 * n))
    prepared = reedsp.prepare(graph)
    prepared.save(tmp_path / "prepared.npz")
    loaded = reedsp.load_prepared(tmp_path / "prepared.npz", graph)
    assert (loaded.shortcuts, loaded.rounds) == (prepared.shortcuts, prepared.rounds)
    assert np.array_equal(loaded.distances(range(n)), prepared.distances(range(n)))


def test_an_edge_beyond_all_of_the_graph_is_refused(saved: Path) -> None:
    prepared = reedsp.load_prepared(saved, GRAPH)
    for edges in ([], [0]):
        less = reedsp.Graph.from_edges(GRID.n, edges, edges, len(edges) * [1])
        with pytest.raises(ValueError, match=r"^up_weights: an edge is not in the graph$"):
            files._in_units(prepared._hierarchy, less, units_of(less))


def test_fractions_are_saved(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.25, 1.5])
    reedsp.prepare(graph).save(tmp_path / "prepared.npz")
    assert reedsp.load_prepared(tmp_path / "prepared.npz", graph).distance(0, 2) == 1.75


@pytest.mark.deep("weights1-False", "weights1")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("weights", [20 * [2**26], [2.0**46 * each for each in range(1, 21)], 20 * [2**57]])
def test_what_is_reversed_is_saved(weights: list[float], backwards: bool, tmp_path: Path) -> None:
    """Although the sum of the heaviest edges that leave the vertices is another in each direction."""
    ends = [0] * 20, range(1, 21)
    graph = reedsp.Graph.from_edges(21, *(ends[::-1] if backwards else ends), weights)
    prepared = reedsp.prepare(graph).reverse()
    prepared.save(tmp_path / "prepared.npz")
    loaded = reedsp.load_prepared(tmp_path / "prepared.npz", prepared.graph)
    assert loaded._hierarchy.exponent == prepared._hierarchy.exponent
    assert np.array_equal(loaded.distances(range(21)), reedsp.sssp(prepared.graph, range(21)).dist)


INTEGERS = np.arange(1, 20) * 2**50 // 16 * 16


@pytest.mark.deep("types0")
@pytest.mark.parametrize("types", [(np.int64, np.float64), (np.float64, np.int64)])
def test_the_same_weights_in_another_type_are_of_the_same_graph(types: tuple[type, type], tmp_path: Path) -> None:
    """Whose units are others."""
    written, read = (reedsp.Graph.from_edges(20, range(19), range(1, 20), INTEGERS.astype(each)) for each in types)
    reedsp.prepare(written).save(tmp_path / "prepared.npz")
    found = reedsp.load_prepared(tmp_path / "prepared.npz", read)
    expected = reedsp.prepare(read)
    assert found._hierarchy.exponent == expected._hierarchy.exponent
    assert found._hierarchy.up.weights.dtype == expected._hierarchy.up.weights.dtype
    assert np.array_equal(found.distances(range(20)), expected.distances(range(20)))


def test_a_file_is_not_replaced_unasked(saved: Path) -> None:
    with pytest.raises(FileExistsError):
        reedsp.prepare(GRAPH).save(saved)
    reedsp.prepare(GRAPH).save(saved, overwrite=True)
    with pytest.raises(ValueError, match=r"expected a name that ends in \.npz"):
        reedsp.prepare(GRAPH).save(saved.with_suffix(".csv"))


def test_what_is_no_path_is_named(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3"):
        reedsp.prepare(graph, device=device).save(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3"):
        reedsp.load_prepared(3, graph, device=device)  # type: ignore[arg-type]


def test_other_graphs_are_refused(saved: Path) -> None:
    other = dataclasses.replace(GRID, weights=[GRID.weights[0] + 1, *GRID.weights[1:]]).graph()
    with pytest.raises(ValueError, match=r"prepared\.npz: this was prepared from another graph"):
        reedsp.load_prepared(saved, other)


def test_other_files_are_refused(saved: Path, tmp_path: Path) -> None:
    reedsp.sssp(GRAPH, 0).save(tmp_path / "paths.npz")
    with pytest.raises(ValueError, match="this is not a prepared graph"):
        reedsp.load_prepared(tmp_path / "paths.npz", GRAPH)
    with pytest.raises(FileNotFoundError):
        reedsp.load_prepared(tmp_path / "missing.npz", GRAPH)
    content = saved.read_bytes()
    for damaged in (b"", content[: len(content) // 2], content[:900] + b"\xff" * 40 + content[940:]):
        saved.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"prepared\.npz: not an archive of arrays"):
            reedsp.load_prepared(saved, GRAPH)


def star(leaves_to_hub: bool) -> reedsp.Graph:
    """Return a graph whose edges lead up in its hierarchy, or down if they lead to the hub, which goes first."""
    ends = [0] * 5, range(1, 6)
    return reedsp.Graph.from_edges(6, *(ends[::-1] if leaves_to_hub else ends), range(1, 6))


@pytest.mark.parametrize(("leaves_to_hub", "side"), [(False, "up"), (True, "down")])
def test_both_halves_are_checked(leaves_to_hub: bool, side: str, tmp_path: Path) -> None:
    graph, path = star(leaves_to_hub), tmp_path / "prepared.npz"
    for change, message in (
        (in_one_round, "higher: an edge joins two vertices of a round"),
        (increased(f"{side}_weights", 2), "weights: an edge is not in the graph"),
    ):
        reedsp.prepare(graph).save(path, overwrite=True)
        changed(path, change)
        with pytest.raises(ValueError, match=rf"prepared\.npz: {side}_{message}$"):
            reedsp.load_prepared(path, graph)


@pytest.mark.parametrize("leaves_to_hub", [True, False])
def test_edges_between_other_vertices_are_refused(leaves_to_hub: bool) -> None:
    """Which weigh as much."""
    tails, heads = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]).T
    others = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 5)]).T
    ends = ((heads, tails), others[::-1]) if leaves_to_hub else ((tails, heads), others)
    graph, other = (reedsp.Graph.from_edges(6, *each) for each in ends)
    found = reedsp.prepare(graph)._hierarchy
    assert files._in_units(found, graph, units_of(graph)).exponent == 0
    with pytest.raises(ValueError, match=r"_weights: an edge is not in the graph$"):
        files._in_units(found, other, units_of(other))


def half_of(edges: list[tuple[int, int, int, int, int]]) -> Half:
    """Return a half of edges between four vertices: the lower and the higher end, the weight, the two parts."""
    lower, higher, weights, *parts = np.array(edges, np.int32).reshape(-1, 5).T
    first = np.concatenate(([0], np.bincount(lower, minlength=4).cumsum()))
    return Half(first, higher, weights, np.stack(parts, axis=1))


@pytest.mark.parametrize(
    ("down", "up", "shortcut", "message"),
    [
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 9, 0, 0), ""),
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 8, 0, 0), "a shortcut is not the path of its parts"),
        ([(0, 2, 4)], [(0, 3, 5), (1, 3, 5)], (2, 3, 9, 0, 1), "a shortcut is not the path of its parts"),
        ([(0, 1, 4), (0, 2, 4)], [(0, 3, 5)], (2, 3, 9, 0, 0), "a shortcut is not the path of its parts"),
        ([(0, 2, 4)], [(0, 2, 5), (0, 3, 5)], (2, 3, 9, 0, 0), "a shortcut is not the path of its parts"),
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 9, 0, 2), "there is no such edge"),
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 9, 1, 0), "there is no such edge"),
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 9, 0, -1), "there is no such edge"),
        ([(0, 2, 4)], [(0, 3, 5)], (2, 3, 9, -1, 0), "there is no such edge"),
    ],
)
@pytest.mark.parametrize("side", ["up", "down"])
def test_shortcuts_are_the_paths_of_their_parts(
    down: list[tuple[int, int, int]],
    up: list[tuple[int, int, int]],
    shortcut: tuple[int, int, int, int, int],
    message: str,
    side: str,
) -> None:
    """Of a path that leads down from a vertex to 0, and then up to 3; in the other half it is the other way round."""
    ups, downs = [[(*each, ORIGINAL, ORIGINAL) for each in half] for half in (up, down)]
    if side == "up":
        ups.append(shortcut)
    else:
        ups, downs = downs, [*ups, (*shortcut[:3], *shortcut[:2:-1])]
    ranks = np.arange(4, dtype=np.int32)
    found = Hierarchy(ranks, ranks, np.arange(5), half_of(ups), half_of(downs), 0)
    if message:
        with pytest.raises(ValueError, match=f"^{side}_parts: {message}$"):
            files._check_shortcuts(found)
    else:
        files._check_shortcuts(found)


@pytest.mark.parametrize(
    ("edge", "shortcut", "expected"),
    [
        (2**9, 9, 18),
        (2**10, 9, 9),
        (2**11, 10, 5),
        (2**9, 2**29 - 1, 2**30 - 2),
        (2**9, 2**29, None),
        (2**11, 9, None),
    ],
)
def test_weights_are_read_in_the_units_of_the_graph(edge: int, shortcut: int, expected: int | None) -> None:
    """None but multiples of these are, nor what would stand for no path there."""
    graph, ranks = reedsp.Graph.from_edges(4, [0, 0], [1, 2], [2**10, 0]), np.arange(4, dtype=np.int32)
    edges = [(0, 1, edge, ORIGINAL, ORIGINAL), (0, 2, 0, ORIGINAL, ORIGINAL), (1, 2, shortcut, 0, 0)]
    found = Hierarchy(ranks, ranks, np.arange(5), half_of(edges), half_of([]), 0)
    if expected is not None:
        assert files._in_units(found, graph, units_of(graph)).up.weights.tolist() == [2**10, 0, expected]
    else:
        with pytest.raises(ValueError, match=r"^up_weights: a shortcut is not a sum of weights of the graph$"):
            files._in_units(found, graph, units_of(graph))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_shortcuts_whose_sums_wrap_are_refused(dtype: type, tmp_path: Path) -> None:
    """Each is a path by way of the vertex below, whose edges are such paths, too: twice as heavy as there."""
    n, bits = 12, np.iinfo(dtype).bits
    lower, higher = np.triu_indices(n, 1)
    number = np.zeros((n, n), np.int32)
    number[lower, higher] = np.arange(len(lower))
    weights = (np.array(1, dtype) << bits - 8) << lower.astype(dtype)
    below = np.stack((number[lower - 1, lower], number[lower - 1, higher]), axis=1)
    parts = np.where(lower[:, None] == 0, ORIGINAL, below).astype(np.int32)
    first = np.searchsorted(lower, np.arange(n + 1))
    up, down = (Half(first, higher.astype(np.int32), weights, each) for each in (parts, parts[:, ::-1]))
    graph = reedsp.Graph.from_edges(n, lower, higher, len(lower) * [1 << bits - 8], directed=False)
    ranks = np.arange(n, dtype=np.int32)
    files.write(tmp_path / "forged.npz", Hierarchy(ranks, ranks, np.arange(n + 1), up, down, 0), graph, overwrite=False)
    with pytest.raises(ValueError, match=r"forged\.npz: up_weights: one is negative, or stands for no path$"):
        reedsp.load_prepared(tmp_path / "forged.npz", graph)


def of_version(version: object) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        about = json.loads(arrays["about"].item())
        arrays["about"] = np.array(json.dumps({**about, "version": version}))

    return change


def about(content: Any) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.update(about=np.array(content))


def in_a_list(arrays: dict[str, Any]) -> None:
    arrays["about"] = arrays["about"].reshape(1)


def replaced(name: str, place: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays[name].__setitem__(place, value)


def increased(name: str, place: Any, amount: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name][place] += amount

    return change


def first_shortcut(arrays: dict[str, Any]) -> int:
    return int(np.flatnonzero(arrays["up_parts"][:, 0] >= 0)[0])


def shortcut_of_none(arrays: dict[str, Any]) -> None:
    arrays["up_parts"][first_shortcut(arrays)] = [10**6, 0]


def heavier_shortcut(arrays: dict[str, Any]) -> None:
    arrays["up_weights"][first_shortcut(arrays)] += 1


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.pop(name)


def part_before_the_first(arrays: dict[str, Any]) -> None:
    arrays["up_parts"][first_shortcut(arrays), 1] = -1


def without_edges(arrays: dict[str, Any]) -> None:
    for side in ("up", "down"):
        arrays[f"{side}_first"] = np.zeros_like(arrays[f"{side}_first"])
        for name in ("higher", "weights", "parts"):
            arrays[f"{side}_{name}"] = arrays[f"{side}_{name}"][:0]


def in_one_round(arrays: dict[str, Any]) -> None:
    arrays["rounds"] = arrays["rounds"][[0, -1]]


def of_type(name: str, dtype: type) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].astype(dtype)

    return change


def without_the_last_vertex(arrays: dict[str, Any]) -> None:
    arrays["down_first"] = arrays["down_first"][:-1]


@pytest.mark.deep("<lambda>", "change")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_version(2), "version 2, expected 1: prepare the graph again"),
        (of_version(None), "version None, expected 1"),
        (increased("vertices", 0), "vertices: they are not those of the graph"),
        (increased("rounds", 0), "rounds: it does not ascend from 0 to 108"),
        (increased("up_first", -1), "up_higher: expected int32 of shape"),
        (increased("up_higher", 0, 200), "up_higher: an edge does not lead to a higher vertex"),
        (increased("down_weights", 0), "down_weights: an edge is not in the graph"),
        (shortcut_of_none, "up_parts: there is no such edge"),
        (heavier_shortcut, "up_parts: a shortcut is not the path of its parts"),
        (without("rounds"), "there is no array 'rounds'"),
        (without("vertices"), "there is no array 'vertices'"),
        (without("down_parts"), "there is no array 'down_parts'"),
        (part_before_the_first, "up_parts: there is no such edge"),
        (increased("up_first", 0), "up_first: it does not ascend from 0 to the number of edges"),
        (increased("up_first", 9, -50), "up_first: it does not ascend from 0 to the number of edges"),
        (increased("rounds", -1), "rounds: it does not ascend from 0 to 108"),
        (increased("up_higher", 0, -108), "up_higher: an edge does not lead to a higher vertex"),
        (in_one_round, "up_higher: an edge joins two vertices of a round"),
        (of_type("up_weights", np.int16), "up_weights: expected int32 or int64 of shape"),
        (of_type("up_weights", np.int64), "the arrays are not those that were written"),
        (of_type("up_higher", np.int64), "up_higher: expected int32 of shape"),
        (of_type("rounds", np.int32), r"rounds: expected int64 of one dimension, got int32 of shape \(\d+,\)$"),
        (without_the_last_vertex, "down_first: expected 109 entries, got 108$"),
        *((about(each), "this is not a prepared graph") for each in ("{", "[1]", "[" * 10**5, 5, '{"kind": "paths"}')),
        (in_a_list, "this is not a prepared graph"),
        (without("about"), "this is not a prepared graph"),
        (without_edges, "the arrays are not those that were written"),
        (replaced("up_weights", 0, 2**30 - 1), "up_weights: one is negative, or stands for no path"),
        (replaced("down_weights", 0, -1), "down_weights: one is negative, or stands for no path"),
        (replaced("up_higher", 0, 108), "up_higher: an edge does not lead to a higher vertex"),
        (replaced("up_higher", 0, 0), "up_higher: an edge does not lead to a higher vertex"),
        (lambda arrays: arrays.update(rounds=np.empty(0, np.int64)), "rounds: expected int64 of one dimension"),
        (lambda arrays: arrays.update(rounds=arrays["rounds"][None]), "rounds: expected int64 of one dimension"),
    ],
)
def test_wrong_content_is_refused(saved: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    changed(saved, change)
    with pytest.raises(ValueError, match=rf"prepared\.npz: {message}"):
        reedsp.load_prepared(saved, GRAPH)


def test_a_file_that_says_nothing_of_its_arrays_is_read(saved: Path) -> None:
    """As it was written before it did."""

    def say_less(arrays: dict[str, Any]) -> None:
        said = json.loads(arrays["about"].item())
        del said["arrays"]
        arrays["about"] = np.array(json.dumps(said))

    changed(saved, say_less)
    assert np.array_equal(reedsp.load_prepared(saved, GRAPH).distances(0), reedsp.sssp(GRAPH, 0).dist)


def test_a_prepared_graph_is_not_copied(saved: Path) -> None:
    prepared = reedsp.load_prepared(saved, GRAPH)
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save it, and reedsp\.load_prepared reads it"):
            make(prepared)
