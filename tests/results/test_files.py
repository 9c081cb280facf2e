"""Results in files that are read to be checked: what is read is what was written, and what cannot be is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp import Graph
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.results import files

PATH = Graph.from_edges(3, [0, 1], [1, 2], [2, 3])
SEARCH = {"dist": np.array([0, 2, 5]), "pred": np.array([NO_VERTEX, 0, 1]), "source": np.array(0)}
NEAREST = np.array([0, 0, 0])


def loaded(folder: Path, **arrays: Any) -> files.Stored:
    """Return what is read of arrays."""
    np.savez(folder / "x.npz", **{**SEARCH, **arrays})
    return files.load(folder / "x.npz", PATH)


def read(folder: Path, *lines: str, header: str = "vertex,distance,predecessor", graph: Graph = PATH) -> files.Stored:
    """Return what is read of lines of a CSV."""
    (folder / "x.csv").write_text("\n".join((header, *lines)) + "\n")
    return files.load(folder / "x.csv", graph)


def test_where_a_search_stopped_is_a_vertex(tmp_path: Path) -> None:
    assert [loaded(tmp_path, stopped_at=vertex).stopped_at for vertex in range(3)] == [0, 1, 2]
    for wrong in (-1, 3, 1.0, np.array([1]), np.array([0, 1])):
        with pytest.raises(ValueError, match=r"x\.npz: stopped_at: .* is not a vertex of this graph$"):
            loaded(tmp_path, stopped_at=wrong)


def test_the_nearest_sources_are_numbers_of_vertices(tmp_path: Path) -> None:
    for nearest in (NEAREST, NEAREST.astype(np.uint8)):
        assert loaded(tmp_path, nearest=nearest).sources == [[0]]
    for wrong in (NEAREST[:2], NEAREST[None], NEAREST.astype(float), NEAREST.astype(bool)):
        with pytest.raises(ValueError, match=r"x\.npz: expected nearest to be 3 vertices, got \w+ of shape \("):
            loaded(tmp_path, nearest=wrong)


def test_a_matrix_is_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[0, 2, 5], [np.inf, 0, 3], [np.inf, np.inf, 0]]))
    stored = files.load(tmp_path / "x.npy", PATH)
    assert isinstance(stored.dist, np.memmap)
    assert (stored.sources, stored.dist[0].tolist(), stored.pred) == ([[0], [1], [2]], [0, 2, 5], None)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((0, 2, 2**63 - 1), np.array([0, 2, 2**63 - 1])),
        ((0, -(2**63), 1), np.array([0, -(2**63), 1])),
        ((0, 2, 2**63), np.array([0, 2, 2.0**63])),
        ((0, 2, 2**64), np.array([0, 2, 2.0**64])),
        ((0, -(2**63) - 2**11, 1), np.array([0, -(2.0**63) - 2**11, 1])),
        ((0, 2, 2.75), np.array([0, 2, 2.75])),
        ((0, 2, "inf"), np.array([0, 2, 0])),
    ],
)
def test_integers_stay_exact_where_int64_holds_them(texts: tuple[Any, ...], expected: Any, tmp_path: Path) -> None:
    first, *others = (f"{vertex},{text}" for vertex, text in enumerate(texts))
    stored = read(tmp_path, f"{first},", *(f"{each},0" for each in others))
    assert stored.dist.dtype == expected.dtype
    assert stored.dist.tolist() == [expected.tolist()]
    assert stored.reached.tolist() == [[True, True, texts[2] != "inf"]]


def test_a_source_that_comes_twice_has_two_rows(tmp_path: Path) -> None:
    rows = {"0": ["0,0,0,", "0,1,2,0", "0,2,5,1"], "1": ["1,0,inf,", "1,1,0,", "1,2,3,1"]}
    header, tree = "source,vertex,distance,predecessor", {"0": [NO_VERTEX, 0, 1], "1": [NO_VERTEX, NO_VERTEX, 1]}
    for order in ("00", "010", "0110"):
        stored = read(tmp_path, *(line for source in order for line in rows[source]), header=header)
        assert stored.sources == [[int(source)] for source in order]
        assert stored.pred is not None
        assert stored.pred.tolist() == [tree[source] for source in order]


@pytest.mark.parametrize("again", range(3))
def test_a_vertex_that_comes_twice_is_named_by_its_line(again: int, tmp_path: Path) -> None:
    lines = ["0,0,", "1,2,0", "2,5,1"]
    with pytest.raises(ValueError, match=r"x\.csv:5: a second line for the same vertex$"):
        read(tmp_path, *lines, lines[again])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0,0,1", "1,2,0", "2,5,1"], "0 vertices have a distance but no predecessor, where one source is expected"),
        (["0,0,", "1,2,", "2,5,1"], "2 vertices have a distance but no predecessor, where one source is expected"),
        (["0,0,", "3,2,0", "2,5,1"], "3: '3' is not a vertex of this graph"),
        (["0,0,", "-1,2,0", "2,5,1"], "3: '-1' is not a vertex of this graph"),
        (["0,0,", "2,5,1"], "vertex 1 is missing: only the distances of all vertices together can be checked"),
    ],
)
def test_lines_that_are_no_result(lines: list[str], message: str, tmp_path: Path) -> None:
    where = f"{tmp_path}/x.csv:" + ("" if re.match(r"\d+:", message) else " ")  # the number of a line follows at once
    with pytest.raises(ValueError, match=f"^{re.escape(where)}{message}"):
        read(tmp_path, *lines)
