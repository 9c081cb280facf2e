"""Breadth-first search, in both directions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from reedsp.algorithms.traversal.bfs import bfs
from reedsp.device.device import Device
from reedsp.results.levels import BreadthFirst
from reedsp.viewer.inputs import Input
from reedsp.viewer.recorder import Moment
from reedsp.viewer.roles.traversal import ARRAYS, KERNELS
from reedsp.viewer.story import State, Story, Values, changed, counted

_PHASES = 3


class BreadthFirstStory(Story):
    """What both directions share: levels, and the tree."""

    kernels = KERNELS
    main = "levels"
    paper: str | None = None
    how: dict[str, Any]

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(device)
        self.graph, self.source = given.as_graph, given.source
        self.arrays = {name: ARRAYS[name] for name in self.names()}
        self._found: BreadthFirst | None = None

    def names(self) -> tuple[str, ...]:
        """Return the arrays that are shown."""
        return ("levels", "predecessors")

    def run(self) -> None:
        """Search."""
        name = self.graph.names[self.source]
        self._found = bfs(self.graph, name, device=self.device, options=self.how)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return levels and predecessors."""
        assert self._found is not None
        return {
            name: [None if value < 0 else value for value in values.tolist()]
            for name, values in (("levels", self._found.levels), ("predecessors", self._found.pred))
        }

    def shape(self, name: str) -> list[int]:
        """Return the shape; a frontier has any length."""
        return [0 if name == "frontier" else self.graph.n]

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many vertices were found."""
        found = changed(before["levels"], after["levels"])
        if moment.kernel == "begin":
            return f"level 0 is vertex {self.graph.names[self.source]}"
        if moment.kernel == "top_down":
            return f"{counted(len(found), 'vertex', 'vertices')} found top-down"
        return self.of_level(before, after, found)

    @abstractmethod
    def of_level(self, before: State, after: State, found: list[int]) -> str:
        """Return what a launch of a level has found."""


class TopDown(BreadthFirstStory):
    """The edges that leave a level are shared out."""

    title = "Breadth-first search, top-down"
    paper = "Busato and Bombieri, 2017"
    how = {"method": "frontier"}  # noqa: RUF012 - of the class
    watched = ("ends",)

    def names(self) -> tuple[str, ...]:
        """Return the arrays that are shown."""
        return ("levels", "predecessors", "frontier")

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the array; of the queue the vertices that were found last, ascending."""
        if name != "frontier" or name not in moment.left:
            return super().shown(name, moment)
        if moment.kernel == "begin":
            return [moment.numbers["source"]]
        ends, phase = moment.buffers["ends"], moment.numbers["phase"]
        return sorted(moment.left[name][ends[phase] : ends[(phase + 1) % _PHASES]].tolist())

    def of_level(self, before: State, after: State, found: list[int]) -> str:
        """Return what became of the levels, or which vertices were found."""
        if found:
            level = after["levels"][found[0]]
            return f"level {level}: {counted(len(found), 'vertex', 'vertices')}"
        edges = int(np.diff(self.graph.indptr)[before["frontier"]].sum())
        count = len(after["frontier"])
        return f"{counted(edges, 'edge')} of the level looked at, {counted(count, 'vertex', 'vertices')} found"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices whose edges are looked at."""
        return list(before["frontier"]) if moment.kernel in ("expand", "settle") else None

    def first(self) -> dict[str, Values]:
        """Return the arrays before the first launch."""
        return {**super().first(), "frontier": []}


class BottomUp(BreadthFirstStory):
    """Vertices that are not reached look for one of the last level among those with an edge to them."""

    title = "Breadth-first search, bottom-up"
    paper = "Beamer, Asanović and Patterson, 2012"
    how = {"method": "work-items", "direction": "bottom-up"}  # noqa: RUF012 - of the class

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return levels or predecessors, which share a word of each vertex."""
        if "found" not in moment.left:
            return None
        words = moment.left["found"][: self.graph.n]
        half = words >> np.uint64(32) if name == "levels" else words & np.uint64(0xFFFFFFFF)
        return self.plain(name, half.astype(np.uint32), moment)

    def dtype(self, name: str, moment: Moment) -> np.dtype[Any]:
        """Return the type of half a word."""
        return np.dtype(np.uint32)

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices that look for the last level."""
        if moment.kernel != "bottom_up":
            return None
        return [vertex for vertex, level in enumerate(before["levels"]) if level is None]

    def of_level(self, before: State, after: State, found: list[int]) -> str:
        """Return how many of the vertices that had no level have one now."""
        level = max(after["levels"][vertex] for vertex in found)
        looking = sum(level is None for level in before["levels"])
        return f"level {level}: {len(found)} of {counted(looking, 'vertex', 'vertices')} not reached found one above"
