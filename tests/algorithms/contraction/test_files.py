"""Prepared graphs in files: the same after a load, and refused if anything is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.contraction import files
from tests.support.families import grid

GRID = grid("grid", 12, 9, seed=2)
GRAPH = reedsp.Graph.from_edges(GRID.n, GRID.sources, GRID.targets, GRID.weights, False)


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
            files._check_edges(prepared._hierarchy, less, less.weights)


def test_fractions_are_saved(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.25, 1.5])
    reedsp.prepare(graph).save(tmp_path / "prepared.npz")
    assert reedsp.load_prepared(tmp_path / "prepared.npz", graph).distance(0, 2) == 1.75


def test_a_file_is_not_replaced_unasked(saved: Path) -> None:
    with pytest.raises(FileExistsError):
        reedsp.prepare(GRAPH).save(saved)
    reedsp.prepare(GRAPH).save(saved, overwrite=True)
    with pytest.raises(ValueError, match=r"expected a name that ends in \.npz"):
        reedsp.prepare(GRAPH).save(saved.with_suffix(".csv"))


def test_other_graphs_are_refused(saved: Path) -> None:
    weights = [GRID.weights[0] + 1, *GRID.weights[1:]]
    other = reedsp.Graph.from_edges(GRID.n, GRID.sources, GRID.targets, weights, False)
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


def of_version(version: object) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        about = json.loads(arrays["about"].item())
        arrays["about"] = np.array(json.dumps({**about, "version": version}))

    return change


def about_nothing(arrays: dict[str, Any]) -> None:
    arrays["about"] = np.array("{")


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


def in_one_round(arrays: dict[str, Any]) -> None:
    arrays["rounds"] = arrays["rounds"][[0, -1]]


def of_type(name: str, dtype: type) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].astype(dtype)

    return change


def without_the_last_vertex(arrays: dict[str, Any]) -> None:
    arrays["down_first"] = arrays["down_first"][:-1]


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
        (of_type("up_weights", np.int64), "up_weights: expected int32 of shape"),
        (of_type("rounds", np.int32), r"rounds: expected int64 of one dimension, got int32 of shape \(\d+,\)$"),
        (without_the_last_vertex, "down_first: expected 109 entries, got 108$"),
        (about_nothing, "this is not a prepared graph"),
    ],
)
def test_wrong_content_is_refused(saved: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    changed(saved, change)
    with pytest.raises(ValueError, match=rf"prepared\.npz: {message}"):
        reedsp.load_prepared(saved, GRAPH)
