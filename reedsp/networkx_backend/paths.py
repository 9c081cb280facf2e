"""Shortest paths to many nodes: one to each node of a tree, made when it is asked for, or all of equal length."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.networkx_backend.graph import Names, Node
from reedsp.networkx_backend.release import SINCE_3_7

_NOT_YET = object()
_MADE_AT_ONCE = 2**16
"""Nodes on all paths that are listed in a few milliseconds, which may be as long again as the search."""


@dataclass(frozen=True)
class PathTree:
    """Where paths come from.

    Attributes
    ----------
    names : ndarray of node, shape (n,)
        By number.
    number_of : mapping
        The number of each node.
    order : ndarray of int, shape (k,)
        Numbers of the nodes that have a path, each after the one before it on its path.
    before : memoryview of int, shape (n,)
        Number of the node before each on its path, -1 where a path begins.
    source_last : bool
        Whether paths lead to the root of the tree, rather than from it.
    """

    names: Names
    number_of: Mapping[Node, int]
    order: npt.NDArray[np.int64]
    before: memoryview
    source_last: bool

    def path_of(self, node: Node) -> list[Node]:
        """Return the path of one node."""
        number = self.number_of[node]
        path = []
        while number >= 0:
            path.append(number)
            number = self.before[number]
        return list(self.names[path if self.source_last else path[::-1]])

    def all_paths(self) -> list[list[Node]]:
        """Return the path of each node, in their order."""
        paths: list[list[Node]] = []
        for name, place in zip(self.names[self.order].tolist(), self._places_before().tolist(), strict=True):
            so_far = paths[place] if place >= 0 else []
            paths.append([name, *so_far] if self.source_last else [*so_far, name])
        return paths

    def leads_far(self) -> bool:
        """Tell whether there are more nodes on all paths, each counted on each, than are listed at once."""
        ahead = np.append(self._places_before(), -1)  # of the last place, which stands for none
        counts = np.ones(len(ahead), np.int64)
        counts[-1] = 0
        while (is_short := int(counts.sum()) <= _MADE_AT_ONCE) and (ahead >= 0).any():
            counts += counts[ahead]
            ahead = ahead[ahead]
        return not is_short

    def _places_before(self) -> npt.NDArray[np.int64]:
        """Return where in the order the node before each is, -1 where a path begins."""
        places = np.empty(len(self.before), np.int64)
        places[self.order] = np.arange(len(self.order))
        before = np.asarray(self.before)[self.order]
        return np.where(before >= 0, places[before], -1)


def paths_of(tree: PathTree) -> dict[Node, list[Node]]:
    """Return the path of each node: those that are many or long are made when they are asked for."""
    if len(tree.order) > _MADE_AT_ONCE or tree.leads_far():
        return LazyPaths(tree)
    return dict(zip(tree.names[tree.order].tolist(), tree.all_paths(), strict=True))


class LazyPaths(dict[Node, list[Node]]):
    """A dict of the path of each node, which is made when it is first asked for.

    Everything that Python can do with a dict gives what it gives with a dict; copies, pickles and unions are plain
    dicts. What reads the storage of a dict in C, as orjson does, finds no paths there: it needs such a copy.

    Parameters
    ----------
    tree : PathTree
    """

    def __init__(self, tree: PathTree) -> None:
        super().__init__(dict.fromkeys(tree.names[tree.order].tolist(), _NOT_YET))
        self._tree: PathTree | None = tree

    # Who reads looks at the tree first: another thread may make all paths meanwhile, and the tree goes.

    def _made(self, tree: PathTree | None, node: Any, path: Any) -> list[Node]:
        if path is _NOT_YET and tree is not None:
            path = tree.path_of(node)
            super().__setitem__(node, path)
        return path  # type: ignore[no-any-return]

    def _make_all(self) -> None:
        tree = self._tree
        if tree is None:
            return
        for node, path in zip(tree.names[tree.order].tolist(), tree.all_paths(), strict=True):
            if super().get(node) is _NOT_YET:  # neither asked for, nor changed or deleted by the owner
                super().__setitem__(node, path)
        self._tree = None

    def __getitem__(self, node: Any) -> list[Node]:
        return self._made(self._tree, node, super().__getitem__(node))

    def get(self, node: Any, default: Any = None) -> Any:
        """Return a path, or the default where there is none."""
        return self._made(self._tree, node, super().get(node, default))

    def setdefault(self, node: Any, default: Any = None) -> Any:
        """Return a path; where there is none, the default, which is kept."""
        return self._made(self._tree, node, super().setdefault(node, default))

    def pop(self, node: Any, *default: Any) -> Any:
        """Remove and return a path."""
        return self._made_and_gone(self._tree, node, super().pop(node, *default))

    def popitem(self) -> tuple[Node, list[Node]]:
        """Remove and return the last node and its path."""
        tree = self._tree
        node, path = super().popitem()
        return node, self._made_and_gone(tree, node, path)

    def _made_and_gone(self, tree: PathTree | None, node: Any, path: Any) -> Any:
        return tree.path_of(node) if path is _NOT_YET and tree is not None else path

    def __iter__(self) -> Iterator[Node]:  # defined, so that dict(paths) and the like ask for the paths
        return super().__iter__()

    def values(self) -> Any:
        """Return a view of all paths."""
        self._make_all()
        return super().values()

    def items(self) -> Any:
        """Return a view of all nodes with their paths."""
        self._make_all()
        return super().items()

    def copy(self) -> dict[Node, list[Node]]:
        """Return a plain dict of the same paths."""
        return dict(self.items())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (self.copy(),)

    def __eq__(self, other: object) -> bool:
        self._make_all()
        return super().__eq__(other._all_made() if isinstance(other, LazyPaths) else other)

    __hash__ = None

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _all_made(self) -> LazyPaths:
        self._make_all()
        return self

    def __repr__(self) -> str:
        self._make_all()
        return super().__repr__()

    @classmethod
    def fromkeys(cls, nodes: Iterable[Any], value: Any = None) -> dict[Any, Any]:
        """Return a plain dict of some nodes, which all have one value."""
        return dict.fromkeys(nodes, value)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()


def all_paths_to(
    sources: Collection[Node], target: Node, predecessors: Mapping[Node, list[Node]]
) -> Iterator[list[Node]]:
    """Yield the paths along predecessors that end at a node.

    Raises
    ------
    networkx.NetworkXNoPath
        The node was not reached.
    """
    if target not in predecessors:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    path, choices, on_path = [target], [iter(predecessors[target])], {target}
    while path:
        if path[-1] in sources:
            yield path[::-1]
        before = next(choices[-1], None)
        while SINCE_3_7 and before in on_path:
            before = next(choices[-1], None)
        if before is None:
            on_path.discard(path.pop())
            choices.pop()
        elif before not in on_path:
            path.append(before)
            choices.append(iter(predecessors[before]))
            on_path.add(before)
