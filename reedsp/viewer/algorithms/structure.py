"""Components, spanning forests and matchings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.components import connected_components
from reedsp.algorithms.structure.components.result import Components
from reedsp.algorithms.structure.forests.result import SpanningForest
from reedsp.algorithms.structure.forests.spanning_forest import spanning_forest
from reedsp.algorithms.structure.matching.matching import maximum_matching
from reedsp.algorithms.structure.matching.result import Matching
from reedsp.device.device import Device
from reedsp.viewer.inputs import Input, ends_of, sides_of
from reedsp.viewer.recorder import Moment
from reedsp.viewer.roles.structure import ARRAYS, KERNELS
from reedsp.viewer.story import State, Story, Values, changed, counted

_ENDLESS = 0xFFFFFFFF  # of a bin that no ball leaves any more


class Structure(Story):
    """What all of them share: a graph whose edges are read without direction."""

    kernels = KERNELS
    shows: tuple[str, ...]

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(device)
        self.graph = given.as_graph
        self.arrays = {name: ARRAYS[name] for name in self.shows}
        self.main = self.shows[0]

    def shape(self, name: str) -> list[int]:
        """Return how many vertices there are."""
        return [self.graph.n]

    def roots(self, parents: Values) -> int:
        """Return how many vertices are their own parents."""
        return sum(vertex == parent for vertex, parent in enumerate(parents))


# ---- components -------------------------------------------------------------------------------------


class FastComponents(Structure):
    """Edges link the roots of their ends; at last each root has a number."""

    title = "Connected components"
    paper = "Sutton, Ben-Nun and Barak, 2018"
    shows: tuple[str, ...] = ("labels", "parents")
    method = "fast"
    found: Components

    def run(self) -> None:
        """Find the components."""
        self.found = connected_components(self.graph, method=self.method, device=self.device)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return the numbers of components."""
        return {"labels": self.found.labels.tolist()}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return parents, which become labels with the last launch."""
        is_label = moment.kernel == "write_labels"
        if "parents" not in moment.left or is_label != (name == "labels"):
            return None
        values: Values = moment.left["parents"][: self.graph.n].tolist()
        return values

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many trees are left."""
        trees = self.roots(after["parents"])
        what = {
            "begin": "each vertex points to itself or to an earlier one",
            "link_first": "the first edges link trees",
            "link_all": "edges link trees",
            "link_rest": "the other edges link trees",
            "settle": "each vertex points to the root of its tree",
            "count_roots": "each vertex points to the root of its tree",
            "write_labels": "each root has a number, and each vertex that of its root",
        }[moment.kernel]
        return f"{what}: {counted(trees, 'tree')}"


class DulleComponents(Structure):
    """Components join the smallest one beside them, by the matrix."""

    title = "Connected components by Dulle's kernels"
    paper = "Dulle, Algorithm 18"
    shows = ("components", "targets", "copied")
    found: Components

    def run(self) -> None:
        """Find the components."""
        self.found = connected_components(self.graph, method="dulle", device=self.device)

    def answer(self) -> State:
        """Return the smallest vertex of each component."""
        return {"components": np.unique(self.found.labels, return_index=True)[1][self.found.labels].tolist()}

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return what became of the components."""
        if moment.kernel == "init":
            return "each vertex is a component"
        if moment.kernel == "step_1":
            return "each vertex wants to join the smallest component that it has an edge to"
        if moment.kernel == "step_2":
            return "each component takes the smallest wish of its vertices"
        if moment.kernel == "copy" and "components" not in moment.writes:
            return "what was computed is copied"
        roots = self.roots(after["components"])
        if moment.kernel == "pointer_jump":
            count = len(changed(before["copied"], after["copied"]))
            return f"each vertex looks up the component of its component: {count} are others"
        what = {
            "copy": "each vertex points to where its component pointed",
            "step_3a": "each component points to the one that it joins",
            "step_3b": "of two that point to each other the smaller one stays",
        }[moment.kernel]
        return f"{what}: {counted(roots, 'root')}"


# ---- spanning forests -------------------------------------------------------------------------------


class Boruvka(Structure):
    """The lightest edge that leaves each tree is chosen, and joins it to another one."""

    title = "Boruvka's spanning forest"
    paper = "Fallin, Gonzalez, Seo and Burtscher, 2023"
    shows: tuple[str, ...] = ("chosen", "parents")
    method = "boruvka"
    found: SpanningForest

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        if self.graph.directed:
            raise ValueError("input: a spanning forest is of an undirected graph, this one is directed")
        self._tails, self._heads, self._places = ends_of(self.graph)
        self.rounds = 0

    def run(self) -> None:
        """Find the forest."""
        self.found = spanning_forest(self.graph, method=self.method, device=self.device)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return which edges are in the forest."""
        chosen = set(map(tuple, self.found.ends.tolist()))
        ends = zip(self._tails.tolist(), self._heads.tolist(), strict=True)
        return {"chosen": [int(each in chosen) for each in ends]}

    def shape(self, name: str) -> list[int]:
        """Return how many edges or vertices there are."""
        return [len(self._places) if name == "chosen" else self.graph.n]

    def first(self) -> dict[str, Values]:
        """Return the arrays before the first launch: no edge is chosen."""
        return {**super().first(), "chosen": [0] * len(self._places)}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the array; of edges those that are listed, each of which stands in two rows."""
        if name == "chosen" and name in moment.left:
            values: Values = moment.left[name][self._places].tolist()
            return values
        return super().shown(name, moment)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many edges were chosen, and how many trees are left."""
        if moment.kernel == "begin":
            return "each vertex is a tree"
        self.rounds += 1
        count = counted(sum(after["chosen"]) - sum(before["chosen"]), "edge")
        return f"round {self.rounds}: {count} chosen, {counted(len(_tops(after['parents'])), 'tree')} left"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices that are roots of trees."""
        return _tops(before["parents"]) if moment.kernel == "join" else None


def _tops(parents: Values) -> list[int]:
    """Return the vertices that point to themselves, and of two that point to each other the smaller one."""
    return [vertex for vertex, up in enumerate(parents) if parents[up] == vertex <= up]


class DulleForest(Boruvka):
    """The same by the matrix, a kernel for each step."""

    title = "Spanning forest by Dulle's kernels"
    paper = "Dulle, Algorithm 19"
    shows = ("chosen", "components", "nearest", "copied")
    method = "dulle"

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        self._is_parted = False

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the array; with jumps after the pairs are parted two buffers take turns to hold the components."""
        self._is_parted = moment.kernel == "part_pairs" or (self._is_parted and moment.kernel == "jump")
        if moment.kernel != "jump" or not self._is_parted:
            return super().shown(name, moment)
        if name != "components":
            return None
        return self.plain(name, moment.left["copied"][: self.graph.n], moment)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return what became of the components or of the edges."""
        if moment.kernel == "place_edges":
            return "each vertex is a component"
        if moment.kernel == "choose":
            self.rounds += 1
            count = sum(after["chosen"]) - sum(before["chosen"])
            return f"round {self.rounds}: {counted(count, 'edge')} chosen, the lightest that leaves each component"
        return {
            "find_nearest": "each vertex finds the lightest edge that leaves its component",
            "hook": "each component points to the one that it joins",
            "jump": "each vertex points to where its component pointed",
            "part_pairs": "of two that point to each other the smaller one stays",
        }[moment.kernel]

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return nothing: all vertices work."""
        return None


# ---- matchings --------------------------------------------------------------------------------------


class Phases(Structure):
    """Offers, and then searches from all free vertices at once, along whose paths mates are exchanged."""

    title = "Matching by offers and phases"
    paper = "Deveci, Kaya, Uçar and Çatalyürek, 2013"
    shows: tuple[str, ...] = ("mates", "offers")
    method = "phases"
    found: Matching

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        self.rows, self.columns = sides_of(self.graph)

    def run(self) -> None:
        """Match."""
        self.found = maximum_matching(self.graph, self.method, device=self.device)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return the mate of each vertex."""
        mates: Values = [None] * self.graph.n
        for row, column in enumerate(self.found.column_of_row.tolist()):
            if column >= 0:
                ends = int(self.rows[row]), int(self.columns[column])
                mates[ends[0]], mates[ends[1]] = ends[1], ends[0]
        return {"mates": mates}

    def placed(
        self, vertices: npt.NDArray[np.intp], others: npt.NDArray[np.intp], values: npt.NDArray[np.int32]
    ) -> Values:
        """Return for some vertices the other ones whose indices are given, unless these are negative."""
        found: Values = [None] * self.graph.n
        for vertex, value in zip(vertices.tolist(), values.tolist(), strict=True):
            if value >= 0:
                found[vertex] = int(others[value])
        return found

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return mates or offers, by vertices."""
        if name not in moment.left:
            return None
        values, n = moment.left[name].view(np.int32), len(self.rows)
        if name == "offers":
            wanted = self.rows if moment.numbers["other" if moment.kernel == "choose" else "own"] == 0 else self.columns
            others = self.columns if wanted is self.rows else self.rows
            return self.placed(wanted, others, values[: len(wanted)])
        of_rows = self.placed(self.rows, self.columns, values[:n])
        of_columns = self.placed(self.columns, self.rows, values[n : self.graph.n])
        return [row if row is not None else column for row, column in zip(of_rows, of_columns, strict=True)]

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many edges are matched."""
        size = counted(sum(mate is not None for mate in after["mates"]) // 2, "edge")
        if moment.kernel == "choose":
            count = sum(offer is not None for offer in after["offers"])
            return f"offers to {counted(count, 'vertex', 'vertices')}"
        if moment.kernel == "accept":
            return f"offers are accepted: {size} matched"
        return f"mates are exchanged along the paths that were found: {size} matched"


class Balls(Phases):
    """Balls choose the bin with the smallest label, and bins one of the balls that have chosen them."""

    title = "Matching by balls and bins"
    paper = "Dulle, Algorithms 15 to 17"
    shows = ("mates", "wanted", "bin_labels")
    method = "dulle"

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return what balls have chosen, which balls are in bins, or the labels of bins."""
        if name not in moment.left:
            return None
        values = moment.left[name].view(np.int32)
        if name == "wanted":
            return self.placed(self.rows, self.columns, values[: len(self.rows)])
        values = values[: len(self.columns)]
        if name == "bin_labels":
            labels: Values = [None] * self.graph.n
            for vertex, label in zip(self.columns.tolist(), values.view(np.uint32).tolist(), strict=True):
                labels[vertex] = None if label == _ENDLESS else label
            return labels
        mates = self.placed(self.columns, self.rows, values)
        for column, row in enumerate(list(mates)):
            if row is not None:
                mates[row] = column
        return mates

    def first(self) -> dict[str, Values]:
        """Return the arrays before the first launch: labels are 0."""
        found = super().first()
        for vertex in self.columns.tolist():
            found["bin_labels"][vertex] = 0
        return found

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many balls have chosen, or lie in bins."""
        if moment.kernel == "choose_bin":
            count = len(changed(before["wanted"], after["wanted"]))
            return f"{counted(count, 'ball chooses', 'balls choose')} another bin, that with the smallest label"
        size = sum(mate is not None for mate in after["mates"]) // 2
        return f"each bin keeps one ball, that with the largest label: {counted(size, 'ball is', 'balls are')} in a bin"
