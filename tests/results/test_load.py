"""Results that are saved and loaded are what they were; files that are damaged, or of other graphs, are refused."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import os
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.io import archives
from reedsp.results import certificate, files
from tests.support.small_graphs import KINDS, graph_of

NAMED = reedsp.Graph.from_edges(
    6, [0, 0, 1, 2, 3, 2], [1, 2, 3, 3, 4, 4], [7, 2, 1, 3, 4, 9], labels=["a", "b", "c", "d", "e", "f"]
)
TUPLES = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.1, 0.2], labels=[(0, 0), (0, 1), "end"])
HEAVY = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2**24 + 1, 2**40 + 1, 5])
ROUNDED = reedsp.Graph.from_edges(5, [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], [1e16, 0.9, 0.9, -1.1, 8.0])  # as in test_sssp
ABOVE = reedsp.Graph.from_edges(4, [0, 0, 2], [1, 2, 3], [2**24 + 3, 2**24 + 1, 3])  # float32 holds none of the sums
MARKED = reedsp.Graph.from_edges(4, [0, 1, 1], [1, 0, 2], [-2, 1, 1])
SEARCHES: dict[str, Callable[[], Any]] = {
    "one source": lambda: reedsp.sssp(NAMED, "a"),
    "several sources": lambda: reedsp.sssp(NAMED, ["c", "a", "c"]),
    "one source in a list": lambda: reedsp.sssp(NAMED, ["c"]),
    "no source": lambda: reedsp.sssp(NAMED, []),
    "the nearest": lambda: reedsp.sssp(NAMED, ["b", "c"], min_only=True),
    "a whole cutoff": lambda: reedsp.sssp(NAMED, "a", cutoff=7),
    "a fractional cutoff": lambda: reedsp.sssp(NAMED, ["a", "c"], cutoff=Fraction(11, 2)),
    "a cutoff of fractional weights": lambda: reedsp.sssp(TUPLES, (0, 0), cutoff=0.1),
    "a cutoff beyond every number": lambda: reedsp.sssp(NAMED, "a", cutoff=2**70),
    "a target": lambda: reedsp.sssp(NAMED, "a", target="d"),
    "a target from several": lambda: reedsp.sssp(NAMED, ["a", "b", "f"], target="d"),
    "a target of Bellman-Ford": lambda: reedsp.sssp(NAMED, "a", "output-parallel", target="d"),
    "int32": lambda: reedsp.sssp(NAMED, ["a", "f"], dtype="int32"),
    "int64": lambda: reedsp.sssp(HEAVY, 0, dtype="int64"),
    "float32 of whole weights": lambda: reedsp.sssp(HEAVY, [0, 1], dtype="float32"),
    "float32 and a cutoff": lambda: reedsp.sssp(ABOVE, 0, dtype="float32", cutoff=2**24 + 3),
    "float32 of fractional weights": lambda: reedsp.sssp(TUPLES, (0, 0), dtype="float32"),
    "a source that the host solved": lambda: reedsp.sssp(ROUNDED, [4, 0]),
    "levels": lambda: reedsp.bfs(NAMED, "a"),
    "levels from several": lambda: reedsp.bfs(NAMED, ["a", "f"]),
}
MATRICES: dict[str, Callable[[], Any]] = {
    "a matrix": lambda: reedsp.apsp(NAMED),
    "trees": lambda: reedsp.apsp(TUPLES, "floyd-warshall", True),
    "searches": lambda: reedsp.apsp(NAMED, "johnson", True, dtype="int64"),
    "products": lambda: reedsp.apsp(NAMED, "min-plus", options={"product": "tiles"}),
    "negative cycles": lambda: reedsp.apsp(MARKED, predecessors=True, negative_cycles="mark", dtype="int32"),
    "columns first": lambda: reedsp.apsp(NAMED, out=np.empty((6, 6), order="F")),
    "no vertex": lambda: reedsp.apsp(reedsp.Graph.from_edges(0, [], []), predecessors=True),
}


@pytest.fixture(autouse=True)
def _one_device(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", device.name)


def assert_same(loaded: Any, saved: Any) -> None:
    """Compare every field, but the device's handle."""
    assert type(loaded) is type(saved)
    for field in dataclasses.fields(saved):
        here, there = getattr(loaded, field.name), getattr(saved, field.name)
        if isinstance(there, np.ndarray):
            assert (here.dtype, here.shape) == (there.dtype, there.shape), field.name
            assert np.array_equal(here, there), field.name
        elif field.name not in ("_device", "_cutoff"):
            assert here == there, field.name
    assert repr(loaded) == repr(saved)
    assert loaded._repr_html_() == saved._repr_html_()


def routes_of(result: Any) -> Any:
    """Return every path that there is."""
    names = result.graph.names
    if isinstance(result, reedsp.AllPairs):
        return list(result.paths_between(*zip(*itertools.product(names, names), strict=True)))
    several = isinstance(result.source, list) and getattr(result, "nearest", None) is None
    return [list(result.paths_to(list(names), each)) for each in (result.source if several else [None])]


@pytest.mark.parametrize("case", SEARCHES)
def test_searches_come_back(case: str, tmp_path: Path) -> None:
    saved = SEARCHES[case]()
    saved.save(tmp_path / "x.npz")
    loaded = reedsp.load(str(tmp_path / "x.npz"), saved.graph)
    assert_same(loaded, saved)
    assert routes_of(loaded) == routes_of(saved)
    assert loaded.verify() is True
    if isinstance(saved, reedsp.ShortestPaths):
        sources = saved.source if saved.pred.ndim > 1 else [None]
        assert [loaded.to_dict(each) for each in sources] == [saved.to_dict(each) for each in sources]
    loaded.save(tmp_path / "again.npz")
    assert_same(reedsp.load(tmp_path / "again.npz", saved.graph), saved)
    if case != "no source":  # whose file has nothing to check
        certificate.check(saved.graph, files.load(tmp_path / "x.npz", saved.graph))
    assert pickle.loads(pickle.dumps(loaded)).verify()


def test_the_host_solved_a_source() -> None:
    assert SEARCHES["a source that the host solved"]()._rows_from_host == {1}


@pytest.mark.parametrize("case", MATRICES)
def test_matrices_come_back(case: str, tmp_path: Path) -> None:
    saved = MATRICES[case]()
    saved.save(tmp_path / "x.npz")
    loaded = reedsp.load(tmp_path / "x.npz", saved.graph)
    assert_same(loaded, saved)
    if saved.pred is not None and saved.graph.n:
        assert routes_of(loaded) == routes_of(saved)


def test_a_matrix_in_a_file_is_saved(tmp_path: Path) -> None:
    saved = reedsp.apsp(NAMED, predecessors=True, out=tmp_path / "dist.npy")
    saved.save(tmp_path / "x.npz")
    assert_same(reedsp.load(tmp_path / "x.npz", NAMED), saved)


@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs(kind: str, tmp_path: Path) -> None:
    for seed in range(3):
        graph, _ = graph_of(kind, seed)
        for number, result in enumerate((reedsp.sssp(graph, [0, -1]), reedsp.apsp(graph, predecessors=True))):
            file = tmp_path / f"{seed}-{number}.npz"
            result.save(file)
            assert_same(reedsp.load(file, graph), result)


def test_a_wrong_distance_is_noticed_after_loading(tmp_path: Path) -> None:
    for case in ("float32 of whole weights", "a target", "a source that the host solved"):
        saved = SEARCHES[case]()
        np.atleast_2d(saved.dist)[-1, 2] *= 1.5
        saved.save(tmp_path / "x.npz", overwrite=True)
        with pytest.raises(reedsp.VerificationError):
            reedsp.load(tmp_path / "x.npz", saved.graph).verify()


# ---- whole or not at all, and as asked --------------------------------------------------------------


def test_a_file_is_replaced_only_if_that_was_said(tmp_path: Path) -> None:
    paths = reedsp.sssp(NAMED, "a")
    for result, name in ((paths, "x.csv"), (paths, "x.npz"), (reedsp.apsp(NAMED), "y.npz")):
        result.save(tmp_path / name)
        before = (tmp_path / name).read_bytes()
        with pytest.raises(FileExistsError):
            result.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
        result.save(tmp_path / name, overwrite=True)


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    paths = reedsp.sssp(NAMED, "a")
    paths.stats["mine"] = object()
    with pytest.raises(TypeError, match="not JSON serializable"):
        paths.save(tmp_path / "x.npz")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("result", "name", "words"),
    [
        (lambda: reedsp.sssp(NAMED, "a"), "x.npy", "x.npy', expected a name that ends in .npz or .csv"),
        (lambda: reedsp.bfs(NAMED, "a"), "x", "x', expected a name that ends in .npz or .csv"),
        (lambda: reedsp.apsp(NAMED), "x.csv", "x.csv', expected a name that ends in .npz$"),
    ],
)
def test_names_that_end_otherwise(result: Callable[[], Any], name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^path = '.*{words}"):
        result().save(tmp_path / name)


def test_lines_of_a_csv(tmp_path: Path) -> None:
    paths = reedsp.sssp(NAMED, ["a", "f"], dtype="int64")
    paths.save(tmp_path / "x.csv")
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0] == "source,vertex,distance,predecessor"
    assert lines[1:8] == ["a,a,0,", "a,b,7,a", "a,c,2,a", "a,d,5,c", "a,e,9,d", "a,f,inf,", "f,a,inf,"]
    reedsp.sssp(NAMED, ["b", "c"], min_only=True).save(tmp_path / "y.csv", target="e")
    assert (tmp_path / "y.csv").read_text() == ("vertex,distance,predecessor,nearest\nb,0,,b\nd,1,b,b\ne,5,d,b\n")
    reedsp.bfs(NAMED, "a").save(tmp_path / "z.csv")
    assert (tmp_path / "z.csv").read_text().splitlines()[4:] == ["d,2,b", "e,2,c", "f,inf,"]


def test_a_csv_has_no_target_of_several_sources(tmp_path: Path) -> None:
    paths = reedsp.sssp(NAMED, ["a", "b"])
    for write in (
        lambda: paths.save(tmp_path / "x.csv", target="e"),
        lambda: paths.write_csv(io.BytesIO(), target="e"),
    ):
        with pytest.raises(ValueError, match=r"^target = 'e': a path leads to it from each of several sources$"):
            write()
    assert os.listdir(tmp_path) == []
    paths.save(tmp_path / "x.npz", target="e")
    with np.load(tmp_path / "x.npz") as content:
        assert content["target"] == 4
        assert "path" not in content


def test_a_target_is_kept_with_its_path(tmp_path: Path) -> None:
    reedsp.sssp(NAMED, "a").save(tmp_path / "x.npz", target="e")
    with np.load(tmp_path / "x.npz") as content:
        assert (content["target"], content["path"].tolist()) == (4, [0, 2, 3, 4])
    with pytest.raises(ValueError, match="no path from vertex 'a' to vertex 'f'"):
        reedsp.sssp(NAMED, "a").save(tmp_path / "y.npz", target="f")


# ---- other graphs -----------------------------------------------------------------------------------


def edges_of(**changes: Any) -> reedsp.Graph:
    arguments = {"n": 4, "sources": [0, 1, 2], "targets": [1, 2, 3], "weights": [1, 2, 3]} | changes
    return reedsp.Graph.from_edges(**arguments)


def test_the_same_numbers_are_the_same_graph(tmp_path: Path) -> None:
    reedsp.sssp(edges_of(), 0).save(tmp_path / "x.npz")
    for weights in (np.array([1, 2, 3], np.int64), np.array([1, 2, 3], np.float32), [1.0, 2.0, 3.0]):
        assert reedsp.load(tmp_path / "x.npz", edges_of(weights=weights)).verify()
    assert reedsp.load(tmp_path / "x.npz", edges_of().to_scipy()).path(2) == [0, 1, 2]
    reedsp.sssp(edges_of(weights=[0.5, -0.0, 1]), 0).save(tmp_path / "y.npz")
    assert reedsp.load(tmp_path / "y.npz", edges_of(weights=[0.5, 0.0, 1])).verify()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weights": [1, 2, 4]}, "other edges or weights"),
        ({"weights": [1, 2, 3.5]}, "other edges or weights"),
        ({"targets": [1, 2, 0]}, "other edges or weights"),
        ({"sources": [0, 0, 2]}, "other edges or weights"),
        ({"n": 5}, "other edges or weights"),
        ({"offset": 1}, "whose vertices have other names"),
        ({"labels": ["a", "b", "c", "d"]}, "whose vertices have other names"),
        ({"labels": [3, 2, 1, 0]}, "whose vertices have other names"),
    ],
)
@pytest.mark.parametrize("search", [reedsp.sssp, reedsp.bfs, lambda graph, source: reedsp.apsp(graph)])
def test_a_result_of_another_graph(
    changes: dict[str, Any], words: str, search: Callable[..., Any], tmp_path: Path
) -> None:
    search(edges_of(), 0).save(tmp_path / "x.npz")
    with pytest.raises(ValueError, match=rf"x.npz: this is the result of another graph: one .*{words}$"):
        reedsp.load(tmp_path / "x.npz", edges_of(**changes))


@pytest.mark.parametrize(("offset", "labels"), [(0, range(4)), (3, range(3, 7)), (-2, np.arange(-2, 2, dtype=np.int8))])
def test_names_that_are_the_same_numbers(offset: int, labels: Any, tmp_path: Path) -> None:
    for number, (saved, loaded) in enumerate(
        (({"labels": labels}, {"offset": offset}), ({"offset": offset}, {"labels": labels}))
    ):
        reedsp.sssp(edges_of(**saved), offset).save(tmp_path / f"{number}.npz")
        assert reedsp.load(tmp_path / f"{number}.npz", edges_of(**loaded)).path(offset + 2) == [
            offset,
            offset + 1,
            offset + 2,
        ]
    with pytest.raises(ValueError, match="whose vertices have other names"):
        reedsp.load(tmp_path / "0.npz", edges_of(offset=offset + 1))


@pytest.mark.parametrize("labels", [[(0, 1), (1, 0), (1, 1), (2, 0)], ["a", 1, 2.5, ("b", b"c", True)]])
def test_names_that_are_tuples_are_told_apart(labels: list[Any], tmp_path: Path) -> None:
    reedsp.sssp(edges_of(labels=labels), labels[0]).save(tmp_path / "x.npz")
    assert reedsp.load(tmp_path / "x.npz", edges_of(labels=labels)).path(labels[2]) == labels[:3]
    for others in (labels[::-1], None, ["a", "b", "c", "d"], [*labels[:3], (7, 7)]):
        with pytest.raises(ValueError, match="whose vertices have other names"):
            reedsp.load(tmp_path / "x.npz", edges_of(labels=others))


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, np.str_, np.float64, np.bool_])
def test_names_of_numpy_are_names_of_python(kind: Any, tmp_path: Path) -> None:
    names = [0, 1] if kind is np.bool_ else [30, 20, 10]
    given = {"n": len(names), "sources": [0], "targets": [1], "weights": [5]}
    for labels in (np.array(names).astype(kind), [kind(name) for name in names]):
        graph = edges_of(**given, labels=labels)
        assert {type(name) for name in graph.names} == {type(kind(0).item())}
        assert graph.index(kind(names[1])) == graph.index(graph.names[1]) == 1
        reedsp.sssp(graph, graph.names[0]).save(tmp_path / "x.npz", overwrite=True)
        assert reedsp.load(tmp_path / "x.npz", graph).source == graph.names[0]
        with pytest.raises(ValueError, match="whose vertices have other names"):
            reedsp.load(tmp_path / "x.npz", edges_of(**given, labels=labels[::-1]))
        if kind not in (np.float64, np.bool_):
            reedsp.write(graph, tmp_path / "g.npz", overwrite=True)
            assert reedsp.read(tmp_path / "g.npz").names == graph.names


def test_names_that_look_otherwise_each_time_are_not_compared(tmp_path: Path) -> None:
    class Place:
        pass

    places = [Place(), Place(), Place(), Place()]
    reedsp.sssp(edges_of(labels=places), places[0]).save(tmp_path / "x.npz")
    others = [Place(), *places[1:]]
    assert reedsp.load(tmp_path / "x.npz", edges_of(labels=others)).path(places[2])[1:] == places[1:3]


def test_files_that_do_not_say_what_tuples_there_are(tmp_path: Path) -> None:
    """As they were written before they did."""
    labels = [(0, 1), (1, 0), (1, 1), (2, 0)]
    reedsp.sssp(edges_of(labels=labels), (0, 1)).save(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as content:
        np.savez(tmp_path / "y.npz", **{name: content[name] for name in content if name != "names"})
    assert reedsp.load(tmp_path / "y.npz", edges_of(labels=labels)).path((1, 0)) == labels[:2]


# ---- damaged files ----------------------------------------------------------------------------------

ROWS = np.zeros((2, 6))
OTHER = np.array([0, 1, 2, 3, 4, 5], np.int32)


def about(**changes: Any) -> np.ndarray[Any, Any]:
    """Return what is said about a search, with changes."""
    return np.array(json.dumps(changes))


@pytest.mark.parametrize(
    ("case", "changes", "words"),
    [
        ("one source", {"dist": None}, "there is no array 'dist'"),
        ("one source", {"dist": ROWS}, r"dist: expected int32 or .* of shape \(6,\), got float64 of shape \(2, 6\)"),
        ("one source", {"dist": ROWS[0].astype(np.float16)}, "dist: expected .*, got float16 of shape"),
        ("one source", {"dist": np.full(6, np.nan)}, "dist: there is a NaN in it"),
        ("one source", {"pred": None}, "there is no array 'pred'"),
        ("one source", {"pred": OTHER.astype(np.int64)}, "pred: expected int32"),
        ("one source", {"pred": OTHER + 1}, "pred: there is an index in it that no vertex of the graph has"),
        ("one source", {"pred": OTHER - 1}, "pred: there is an index in it that no vertex of the graph has"),
        ("one source", {"pred": OTHER}, "pred: predecessors lead back to where they began"),
        ("one source", {"pred": np.array([-9999, 2, 3, 1, -9999, -9999], np.int32)}, "pred: predecessors lead back"),
        ("one source", {"source": None}, "there is no array 'source'"),
        ("one source", {"source": np.int64(6)}, r"source: 6 is not one of 0 \.\. 5"),
        ("one source", {"source": np.float64(0)}, "source: expected int64"),
        ("one source", {"source": np.zeros((1, 1), np.int64)}, "source: expected int64"),
        ("one source", {"nearest": OTHER}, "nearest: expected several sources"),
        ("the nearest", {"nearest": OTHER[:5]}, r"nearest: expected int32 of shape \(6,\)"),
        ("several sources", {"source": np.array([0, 1])}, r"dist: expected .* of shape \(2, 6\), got .*\(3, 6\)"),
        ("several sources", {"source": np.array([0, 1, -1])}, "source: -1 is not one of"),
        ("a whole cutoff", {"cutoff": np.float64(-1)}, r"cutoff: expected a number of at least 0, got -1\.0"),
        ("a whole cutoff", {"cutoff": np.float64(np.nan)}, "cutoff: expected a number of at least 0, got nan"),
        ("a whole cutoff", {"cutoff": np.array("far")}, "cutoff: expected a number of at least 0, got far"),
        ("a target", {"stopped_at": np.int64(9)}, "stopped_at: 9 is not one of"),
        ("float32 of whole weights", {"exact": None}, "there is no array 'exact'"),
        ("float32 of whole weights", {"exact": np.zeros((2, 4))}, "exact: expected int64"),
        ("a source that the host solved", {"exact_rows": np.array([2])}, r"exact_rows: 2 is not one of 0 \.\. 1"),
        ("a source that the host solved", {"exact_rows": np.array([[0], [1]])}, r"exact_rows: expected int64 of shape"),
        ("levels", {"levels": OTHER.astype(float)}, "levels: expected int32"),
        ("a matrix", {"dist": ROWS}, r"dist: expected .* of shape \(6, 6\)"),
        ("trees", {"pred": np.zeros((3, 3), np.int32)}, "pred: predecessors lead back to where they began"),
        ("one source", {"offset": np.int64(1)}, "whose vertices have other names"),
        ("one source", {"labels": None}, "whose vertices have other names"),
        ("one source", {"about": None}, "there is no text 'about', which says how the result was found"),
        ("one source", {"about": np.int64(3)}, "about: expected a short text, got int64"),
        ("one source", {"about": np.array("[" * 100_000)}, "about: expected a short text, got <U100000"),
        ("one source", {"about": np.array("[" * 60_000)}, "about: it does not say what result of which graph this is"),
        ("one source", {"about": np.array('{"result": "AllPairs"}')}, "about: it does not say what result"),
        ("one source", {"about": {"result": "Graph"}}, "about: it is a result of the kind 'Graph'"),
        ("one source", {"about": {"result": "BreadthFirst"}}, "there is no array 'levels'"),
        ("one source", {"about": {"graph": 7}}, "this is the result of another graph"),
        ("one source", {"about": {"rounds": "3"}}, "about: rounds = '3'"),
        ("one source", {"about": {"method": None}}, "about: method = None"),
        ("one source", {"about": {"device": 1}}, "about: device = 1"),
        ("one source", {"about": {"stats": []}}, r"about: stats = \[\]"),
        ("one source", {"about": {"stats": {"milliseconds": "3"}}}, "about: milliseconds = '3'"),
    ],
)
def test_damaged_files(case: str, changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    saved = (SEARCHES | MATRICES)[case]()
    saved.save(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as content:
        arrays = dict(content)
    if isinstance(changes.get("about"), dict):
        changes = {"about": np.array(json.dumps(json.loads(arrays["about"].item()) | changes["about"]))}
    arrays = {name: array for name, array in (arrays | changes).items() if array is not None}
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(ValueError, match=rf"^{tmp_path}/x\.npz: .*{words}"):
        reedsp.load(tmp_path / "x.npz", saved.graph)


class Shell:
    """What a pickle would do."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("was-run",)


def test_pickles_and_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("pickle.npz", about=np.array([Shell()], object))
    Path("text.npz").write_text("vertex,distance,predecessor\n")
    reedsp.sssp(NAMED, "a").save("table.csv")
    reedsp.sssp(NAMED, "a").save("table.npz")
    for name, words in (
        ("pickle.npz", "not an archive of arrays: about.npy does not begin with the header of an array of numbers"),
        ("text.npz", "not an archive of arrays"),
        ("table.csv", "the name does not end in .npz; files of other kinds do not say how a result was found"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: {words}"):
            reedsp.load(name, NAMED)
    assert not Path("was-run").exists()
    with pytest.raises(FileNotFoundError):
        reedsp.load("missing.npz", NAMED)
    reedsp.sssp(NAMED, "a").save("cut.npz")
    Path("cut.npz").write_bytes(Path("cut.npz").read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"^cut\.npz: not an archive of arrays"):
        reedsp.load("cut.npz", NAMED)
    content = bytearray(Path("table.npz").read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 16 : end + 20] = (len(content) * 4).to_bytes(4, "little")  # where the list of members begins
    Path("table.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"^table\.npz: not an archive of arrays"):
        reedsp.load("table.npz", NAMED)


def test_errors_that_zipfile_raises_for_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some versions raise an OSError, which unlike those of the system has no number."""

    def give_up(*_: object) -> None:
        raise OSError("Unknown I/O error")

    reedsp.sssp(NAMED, "a").save(tmp_path / "x.npz")
    monkeypatch.setattr(np, "load", give_up)
    with pytest.raises(ValueError, match=rf"^{tmp_path}/x\.npz: not an archive of arrays: Unknown I/O error$"):
        reedsp.load(tmp_path / "x.npz", NAMED)


def test_what_is_no_path() -> None:
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3$"):
        reedsp.load(3, reedsp.Graph.from_edges(1, [], []))  # type: ignore[arg-type]


# ---- large files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sources", [0, [0, 1, 2]])
def test_rows_without_paths_shrink_to_little(sources: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than other archives may, since the graph and its sources justify it."""
    monkeypatch.setattr(archives, "BASE_SIZE", 2**16)
    graph, path = reedsp.Graph.from_edges(500_000, [0], [1]), tmp_path / "x.npz"
    for saved in (reedsp.sssp(graph, sources), reedsp.sssp(graph, [0, 1], min_only=True), reedsp.bfs(graph, sources)):
        saved.save(path, overwrite=True)
        with pytest.raises(ValueError, match="it expands to "):
            files.read_arrays(path)
        assert_same(reedsp.load(path, graph), saved)
        certificate.check(graph, files.load(path, graph))
    with np.load(path) as content:
        np.savez_compressed(path, **dict(content), more=np.zeros(100_000_000, np.int8))
    with pytest.raises(ValueError, match=r"x\.npz: not an archive of arrays: it expands to "):
        reedsp.load(path, graph)


@pytest.mark.parametrize(
    "changes",
    [
        {"pred": np.zeros((4000, 1001), np.int32)},
        {"pred": np.zeros(1000, np.int32)},
        {"nearest": np.zeros(1000, np.int32)},
        {"more": np.zeros((4000, 5000), np.int8)},
        {"dist": np.zeros((4000, 1000), "U4")},
        {
            "source": None,
            "dist": np.eye(1000),
            "pred": np.eye(1000, dtype="i4"),
            "more": np.zeros((1000, 18_000), "i1"),
        },
    ],
)
def test_what_sources_do_not_justify_is_refused_unread(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short list of sources is no reason for arrays of other names, shapes or types."""
    graph, path = reedsp.Graph.from_edges(1000, [0], [1]), tmp_path / "x.npz"
    reedsp.sssp(graph, [0, 1]).save(path)
    with np.load(path) as content:
        arrays = dict(content)
    arrays |= {"source": np.zeros(4000, np.int64), "dist": np.zeros((4000, 1000)), "pred": np.zeros((4000, 1000), "i4")}
    arrays = {name: array for name, array in (arrays | changes).items() if array is not None}
    np.savez_compressed(path, **arrays)
    monkeypatch.setattr(archives, "BASE_SIZE", 2**16)
    monkeypatch.delattr(np, "load")
    with pytest.raises(ValueError, match=r"x\.npz: not an archive of arrays: it expands to "):
        reedsp.load(path, graph)


def test_files_with_a_large_array_of_labels(tmp_path: Path) -> None:
    """As they were written before labels stood behind one another."""
    labels = [f"https://example.org/{number}" for number in range(999)] + ["x" * 25_000]
    graph, path = reedsp.Graph.from_edges(1000, [0, 2], [999, 1], labels=labels), tmp_path / "x.npz"
    saved = reedsp.sssp(graph, labels[0])
    saved.save(path)
    with np.load(path) as content:
        arrays = {name: content[name] for name in content if name not in ("label_text", "label_ends")}
    assert path.stat().st_size < 100_000
    np.savez_compressed(path, **arrays, labels=np.array(labels))
    assert_same(reedsp.load(path, graph), saved)
    np.savez_compressed(path, **arrays, labels=np.array(labels[::-1]))
    with pytest.raises(ValueError, match="whose vertices have other names"):
        reedsp.load(path, graph)
