"""Paths that are made when someone asks for them are a dict in every other respect."""

from __future__ import annotations

import copy
import dataclasses
import json
import operator
import pickle
import threading
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from reedsp.networkx_backend import paths as paths_module
from reedsp.networkx_backend.paths import LazyPaths, PathTree, all_paths_to

NAMES = ["a", "b", "c", "d", "e"]
PLAIN = {"c": ["c"], "a": ["c", "a"], "e": ["c", "e"], "d": ["c", "a", "d"]}


def lazy(source_last: bool = False) -> LazyPaths:
    """Return the paths of c - a - d and c - e; b has none."""
    before = np.array([2, -1, -1, 0, 2], np.int32)
    numbers = {name: number for number, name in enumerate(NAMES)}
    return LazyPaths(
        PathTree(np.array(NAMES, object), numbers, np.array([2, 0, 4, 3]), memoryview(before), source_last)
    )


USES: dict[str, Callable[[Any], Any]] = {
    "item": lambda p: p["d"],
    "missing": lambda p: p["b"],
    "get": lambda p: (p.get("e"), p.get("b"), p.get("b", 3)),
    "in, len and bool": lambda p: ("b" in p, "c" in p, len(p), bool(p)),
    "keys": lambda p: (list(p), list(reversed(p)), list(p.keys()), p.keys() & {"a", "b"}),
    "values": lambda p: (list(p.values()), len(p.values()), list(reversed(p.values()))),
    "items": lambda p: (list(p.items()), list(reversed(p.items())), ("a", ["c", "a"]) in p.items()),
    "repr": repr,
    "str": str,
    "dict": dict,
    "unpacked": lambda p: {**p},
    "called": lambda p: (lambda **found: found)(**p),
    "update of another": lambda p: {"x": 1}.update(p),
    "update": lambda p: (p.update({"a": 1, "x": 2}), dict(p)),
    "set": lambda p: (p.__setitem__("a", 5), p["a"], list(p.items())),
    "set to None": lambda p: (p.__setitem__("a", None), p["a"], list(p.items())),
    "deleted": lambda p: (p.__delitem__("a"), p.get("a"), p["d"], list(p.items())),
    "path that its owner changes": lambda p: (p["a"].append("x"), p["a"], p["d"], list(p.items())),
    "pop": lambda p: (p.pop("d"), p.pop("b", 7), list(p.items())),
    "pop of a missing one": lambda p: p.pop("b"),
    "popitem": lambda p: (p.popitem(), p.popitem(), list(p.items())),
    "setdefault": lambda p: (p.setdefault("d", 1), p.setdefault("b", 2), list(p.items())),
    "clear": lambda p: (p.clear(), dict(p)),
    "copy": lambda p: p.copy(),
    "fromkeys": lambda p: (p.fromkeys("ab", 1), type(p.fromkeys("ab"))),
    "shallow copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda p: pickle.loads(pickle.dumps(p)),
    "json": json.dumps,
    "json in lines": lambda p: json.dumps(p, indent=1, sort_keys=True),
    "equal": lambda p: (p == PLAIN, p == {}, p != PLAIN, p != {}, p == 3),
    "equal from the other side": lambda p: (operator.eq(PLAIN, p), operator.eq({}, p), operator.ne(PLAIN, p)),
    "union": lambda p: (p | {"x": 1}, {"x": 1, "a": 2} | p),
    "union in place": lambda p: p.__ior__({"x": 1}) == {**PLAIN, "x": 1},
    "hash": hash,
    "sorted": lambda p: sorted(p.items()),
    "is a dict": lambda p: isinstance(p, dict),
    "match": lambda p: path_of_d(p),
}


def path_of_d(paths: Any) -> Any:
    match paths:
        case {"d": path}:
            return path


def outcome(use: Callable[[Any], Any], paths: Any) -> Any:
    try:
        return repr(use(paths))
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("before", [None, "item", "values"])
def test_every_use_of_a_dict(use: str, before: str | None) -> None:
    paths, plain = lazy(), copy.deepcopy(PLAIN)
    if before is not None:
        USES[before](paths)
    assert outcome(USES[use], paths) == outcome(USES[use], plain)
    assert outcome(repr, paths) == outcome(repr, plain)


def test_two_of_them_are_equal() -> None:
    assert lazy() == lazy()
    assert lazy() != lazy(source_last=True)


def test_paths_to_the_source() -> None:
    assert lazy(source_last=True)["d"] == ["d", "a", "c"]
    assert dict(lazy(source_last=True)) == {node: path[::-1] for node, path in PLAIN.items()}


def test_a_path_is_made_once() -> None:
    paths = lazy()
    assert paths["d"] is paths["d"]
    found = paths["d"]
    assert dict(paths)["d"] is found


@pytest.mark.parametrize("name", ["__getitem__", "get", "setdefault", "pop", "popitem"])
def test_another_thread_makes_all_paths_meanwhile(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = lazy()
    node = list(paths)[-1]
    expected, inner = lazy()[node], "_made_and_gone" if name.startswith("pop") else "_made"
    made = getattr(LazyPaths, inner)

    def late(self: LazyPaths, *args: Any) -> Any:
        other = threading.Thread(target=self.values)
        other.start()
        other.join()
        return made(self, *args)

    monkeypatch.setattr(LazyPaths, inner, late)
    found = getattr(paths, name)(*([] if name == "popitem" else [node]))
    assert found == ((node, expected) if name == "popitem" else expected)


def test_two_threads_make_all_paths() -> None:
    paths, tree = lazy(), lazy()._tree
    assert tree is not None

    class Names:
        """Those of the tree; while they are read another thread makes all paths."""

        def __getitem__(self, numbers: Any) -> Any:
            paths._tree = None
            return tree.names[numbers]

    paths._tree = dataclasses.replace(tree, names=Names())  # type: ignore[arg-type]
    assert dict(paths.items()) == dict(lazy().items())


FOUND: dict[str, Callable[[Any], Any]] = {
    "fewest edges": lambda graph: nx.single_source_shortest_path(graph, 0, backend="reedsp"),
    "fewest edges to": lambda graph: nx.single_target_shortest_path(graph, 0, backend="reedsp"),
    "by weight": lambda graph: nx.single_source_dijkstra(graph, 0, backend="reedsp")[1],
}


def as_c_reads(paths: Any) -> list[tuple[Any, Any]]:
    """Return what a dict stores, which is all that orjson and pydantic-core look at."""
    return list(dict.items(paths))


@pytest.mark.parametrize("name", FOUND)
def test_short_paths_are_in_a_plain_dict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_FORCE_DEVICE", "1")
    graph = nx.disjoint_union(nx.path_graph(100), nx.path_graph(3))
    paths = FOUND[name](graph)
    step = -1 if name.endswith(" to") else 1
    assert type(paths) is dict
    assert as_c_reads(paths) == [(node, list(range(node + 1))[::step]) for node in range(100)]


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("n", [2, 3, 4, 7, 20])
def test_nodes_on_paths_are_counted(name: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of n nodes has n (n + 1) / 2 of them on its paths; paths along a tree have fewer."""
    monkeypatch.setenv("REEDSP_FORCE_DEVICE", "1")
    for graph in (nx.path_graph(n), nx.star_graph(n), nx.balanced_tree(2, 3)):
        on_all = sum(map(len, nx.single_source_shortest_path(graph, 0, backend="networkx").values()))
        for most, kind in ((on_all, dict), (on_all - 1, LazyPaths)):
            monkeypatch.setattr(paths_module, "_MADE_AT_ONCE", most)
            assert type(FOUND[name](graph)) is kind


def test_only_what_is_asked_for_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_FORCE_DEVICE", "1")
    paths = nx.single_source_dijkstra_path(nx.path_graph(400), 0, backend="reedsp")
    assert paths[7] == list(range(8))
    assert [node for node, path in as_c_reads(paths) if isinstance(path, list)] == [7]
    assert paths == {node: list(range(node + 1)) for node in range(400)}


@pytest.mark.parametrize(("later", "times"), [(False, 2), (True, 1)])
def test_edges_that_lead_back_to_the_source(later: bool, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier networkx names such a path once more."""
    monkeypatch.setattr(paths_module, "SINCE_3_7", later)
    predecessors: dict[Any, list[Any]] = {"s": ["t"], "a": ["s"], "t": ["s", "a"]}
    found = list(all_paths_to(["s"], "t", predecessors))
    assert found == [["s", "t"]] * times + [["s", "a", "t"]] * times
