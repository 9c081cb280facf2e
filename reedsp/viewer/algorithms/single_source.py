"""Shortest paths from one vertex."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.near_far_work_group import Tuning, solve
from reedsp.algorithms.single_source.sssp import checked, sssp
from reedsp.arithmetic.paths import exact_type
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.predecessors import find_trees_outgoing
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.viewer.inputs import Input
from reedsp.viewer.recorder import Moment
from reedsp.viewer.roles.single_source import ARRAYS, KERNELS
from reedsp.viewer.story import State, Story, Values, changed, counted, distances_in_json

_GROUP = 256  # work-items, at least as many as vertices
_NONE_OFFERED = np.uint32(0xFFFFFFFF)


class Search(Story):
    """What the searches share: distances, and at the end the tree."""

    kernels = KERNELS
    followed = ("primitives/",)
    main = "dist"
    method: str
    names: tuple[str, ...] = ("dist",)
    in_degree_order = False

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(device)
        self.graph, self.source = given.as_graph, given.source
        self.arrays = {name: ARRAYS[name] for name in (*self.names, "predecessors")}
        self.rounds = 0
        self._paths: ShortestPaths | None = None

    def run(self) -> None:
        """Search by the method."""
        self._paths = self.searched()

    def searched(self) -> ShortestPaths:
        """Return what the library answers."""
        name = self.graph.names[self.source]
        how: dict[str, Any] = {"dtype": exact_type(self.graph), "options": self.options()}
        return sssp(self.graph, name, self.method, device=self.device, **how)  # type: ignore[arg-type]

    def options(self) -> dict[str, Any]:
        """Return the options of the method."""
        return {}

    def answer(self) -> State:
        """Return distances and predecessors."""
        assert self._paths is not None
        return {
            "dist": distances_in_json(self._paths.dist, self.graph),
            "predecessors": [None if vertex < 0 else vertex for vertex in self._paths.pred.tolist()],
        }

    def shape(self, name: str) -> list[int]:
        """Return the shape of an array of the vertices or edges."""
        return [{"edges": self.graph.m}.get(self.arrays[name].of, self.graph.n)]

    def in_order(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return vertices in the user's order."""
        return self._on_device().to_user_order(values) if self.in_degree_order else values

    def vertices(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the user's numbers of vertices."""
        return self._on_device().to_vertices(numbers) if self.in_degree_order else numbers

    def _on_device(self) -> DeviceGraph:
        [found] = [
            copy for key, copy in self.graph._derived["device_graphs"].items() if key[0] == self.device and key[2]
        ]
        return found  # type: ignore[no-any-return]

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return what became of the distances or of the tree."""
        fallen = changed(before["dist"], after["dist"])
        if "predecessors" in moment.writes:
            found = len(changed(before["predecessors"], after["predecessors"]))
            return f"{counted(found, 'vertex gets', 'vertices get')} a predecessor: tight edges make the tree"
        if moment.kernel == "clear":
            return f"vertices below {after['threshold'][0]} are near"
        if moment.kernel in ("initialise", "start"):
            return f"the path to vertex {self.graph.names[self.source]} weighs 0"
        return self.of_round(moment, before, after, fallen)

    def of_round(self, moment: Moment, before: State, after: State, fallen: list[int]) -> str:
        """Return what a launch of a round has done."""
        self.rounds += 1
        return f"round {self.rounds}: {counted(len(fallen), 'path weight')} fell"


class OutputParallel(Search):
    """One work-item a vertex relaxes the edges that end there."""

    method = "output-parallel"
    title = "Output Parallel Bellman-Ford"
    paper = "thesis, section 5.3.1"
    in_degree_order = True

    def options(self) -> dict[str, Any]:
        """Have the device number vertices by how many edges end at them, on each kind of device."""
        return {"in_degree_order": True}

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices that a path from the last round reaches."""
        return changed(before["dist"], after["dist"]) if moment.kernel == "relax" else None


class InputParallel(Search):
    """One work-item an edge relaxes it, and a scan finds the minimum of each vertex."""

    method = "input-parallel"
    title = "Input Parallel Bellman-Ford"
    paper = "thesis, section 5.4.1"
    names = ("dist", "sums")

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        order = np.argsort(self.graph.indices, kind="stable")  # of the edges on the device, by where they end
        self._at = np.argsort(order)
        if not self.graph.directed:
            self.arrays["sums"] = ARRAYS["directed_sums"]

    def shape(self, name: str) -> list[int]:
        """Return how many there are; of an undirected graph each direction has a sum."""
        return [self.graph.m if name == "sums" else self.graph.n]

    def in_order(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return edges in the order of the rows."""
        return values[self._at] if name == "sums" else values

    def of_round(self, moment: Moment, before: State, after: State, fallen: list[int]) -> str:
        """Return what became of the edges or of the vertices."""
        if moment.kernel == "relax":
            self.rounds += 1
            count = len(changed(before["sums"], after["sums"]))
            return f"round {self.rounds}: {counted(count, 'edge offers', 'edges offer')} another path weight"
        if moment.kernel == "finalise":
            return f"round {self.rounds}: {counted(len(fallen), 'path weight')} fell"
        return f"round {self.rounds}: minima of the edges that end at each vertex, by a segmented scan"


class Refined(Search):
    """Only edges that leave a vertex of the last round's updates are relaxed."""

    method = "input-parallel-refined"
    title = "Input Parallel Bellman-Ford, refined"
    paper = "thesis, section 5.4.2"
    names = ("dist", "best", "active_edges")

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        self._active: list[int] = []

    def shape(self, name: str) -> list[int]:
        """Return how many there are: behind the edges of each vertex stands how many there are of all."""
        return [self.graph.n + (name == "active_edges")]

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the array; of the words that atomic operations lower, the path weights that they stand for."""
        if name != "best" or name not in moment.left:
            return super().shown(name, moment)
        n, dtype = self.graph.n, moment.left["best"].dtype
        if moment.macros["WIDE"]:
            words = moment.left["best"].view(np.uint32)[: 2 * n].reshape(n, 2).astype(np.uint64)
            keys, absent = words[:, 0] << np.uint64(32) | words[:, 1], words[:, 0] == _NONE_OFFERED
        else:
            keys = moment.left["best"].view(np.uint32)[:n]
            absent = keys == _NONE_OFFERED
        sign = keys.dtype.type(1 << 8 * dtype.itemsize - 1)
        bits = keys ^ sign if dtype.kind == "i" else np.where(keys & sign != 0, keys ^ sign, ~keys)
        return [None if none else value for none, value in zip(absent.tolist(), bits.view(dtype).tolist(), strict=True)]

    def of_round(self, moment: Moment, before: State, after: State, fallen: list[int]) -> str:
        """Return what became of the active edges, of what they offer or of the distances."""
        if moment.kernel == "relax":
            self.rounds += 1
            count = len(changed(before["best"], after["best"]))
            return (
                f"round {self.rounds}: {counted(after['active_edges'][-1], 'edge')} of active vertices offered"
                f" {counted(count, 'vertex', 'vertices')} a path"
            )
        if moment.kernel == "finalise":
            if not fallen:
                return "no path weight fell: there is no edge to relax"
            count = sum(edges > 0 for edges in after["active_edges"][:-1])
            return (
                f"round {self.rounds}: {counted(len(fallen), 'path weight')} fell,"
                f" {counted(count, 'vertex has', 'vertices have')} edges to relax"
            )
        return f"{counted(after['active_edges'][-1], 'edge leaves', 'edges leave')} active vertices, by a scan"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices whose edges are relaxed."""
        if moment.kernel in ("initialise", "finalise"):
            self._active = [vertex for vertex, edges in enumerate(after["active_edges"][:-1]) if edges]
        return self._active if moment.kernel == "relax" else None


class NearFar(Search):
    """Vertices below a threshold are relaxed first; one launch relaxes each of them once."""

    method = "near-far"
    title = "Near-far piles"
    paper = "Davidson, Baxter, Garland and Owens, 2014"
    names = ("dist", "near", "far", "threshold")
    watched = ("counts",)

    def __init__(self, given: Input, device: Device, delta: float | None = None) -> None:
        super().__init__(given, device)
        if self.graph.has_negative_weights:
            raise ValueError("input: 'near-far' needs weights that are not negative")
        if delta is not None and not (isinstance(delta, Real) and delta is not True and 0 < delta < math.inf):
            raise ValueError(f"delta = {delta!r}, expected a finite number above 0")
        self._delta = delta
        self._layout = constants("single_source/near_far_work_group.cl")

    def run(self) -> None:
        """Search with one work-group, which relaxes what it finds in the next launch only."""
        asked = checked(self.graph, self.graph.names[self.source], "near-far")
        job, starts = Job(self.device), [[self.source]]
        edges = OutEdges.of(self.graph, job, asked.arithmetic)
        size = min(_GROUP, 1 << self.device.max_work_group_size.bit_length() - 1)
        tuning = Tuning(
            group_size=size,
            groups=1,
            local_rounds=1,
            least_share=size,
            delta=self.delta(edges),
            queue=2 * _GROUP,
            hub=self.graph.m + 1,
            edges_alone=0,
            room=max(self.graph.m, 2 * self.graph.n),
        )
        found, _ = solve(job, edges, asked.arithmetic, starts, tuning=tuning)
        find_trees_outgoing(job, edges, asked.arithmetic, found, starts, zero_progress_only=False)

    def delta(self, edges: OutEdges) -> float:
        """Return by how much the threshold rises."""
        return 2.0 * edges.typical_weight if self._delta is None else self._delta

    def answer(self) -> State:
        """Return what the library's own search finds."""
        self._paths = self.searched()
        return super().answer()

    def shape(self, name: str) -> list[int]:
        """Return the shape; queues have any length."""
        return [{"threshold": 1, "near": 0, "far": 0}.get(name, self.graph.n)]

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return distances, the threshold, or the vertices of a queue."""
        if name not in moment.left:
            return None
        values, layout = moment.left[name], self._layout
        after = moment.numbers["round"] + 1 if moment.kernel == "advance" else 0
        if name == "threshold":
            return self.plain(name, values[layout["THRESHOLD"] + after % 2 :][:1], moment)
        if name not in ("near", "far"):
            return super().shown(name, moment)
        if moment.kernel == "start":
            return self._entries(name, moment, 0, moment.numbers["starts"])
        counts = moment.buffers["counts"]
        if name == "near":
            return self._entries(name, moment, after % 2, counts[layout["NEAR"] + after % 3])
        splits = int(counts[layout["SPLITS"] + after % 2])
        return self._entries(name, moment, splits % 2, counts[layout["FAR"] + splits % 3])

    def _entries(self, name: str, moment: Moment, side: int, count: int) -> Values:
        """Return the vertices of the entries on one side of a queue whose key is still the distance, ascending."""
        room = max(self.graph.m, 2 * self.graph.n)
        entries = slice(side * room, side * room + int(count))
        slots, keys = moment.left[name][entries], moment.left[f"{name}_keys"][entries]
        return sorted(set(slots[moment.left["dist"][slots] == keys].tolist()))

    def of_round(self, moment: Moment, before: State, after: State, fallen: list[int]) -> str:
        """Return how many vertices are near and far."""
        self.rounds += 1
        piles = f"{len(after['near'])} near, {len(after['far'])} far"
        if before["threshold"] != after["threshold"] and moment.kernel == "advance":
            return (
                f"round {self.rounds}: the threshold rises to {after['threshold'][0]} and the pile is split,"
                f" {counted(len(fallen), 'distance')} fell: {piles}"
            )
        return f"round {self.rounds}: {counted(len(fallen), 'distance')} fell: {piles}"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices whose edges are relaxed: those nearby, or of a pile that is split those below."""
        if moment.kernel != "advance":
            return None
        if before["near"]:
            return list(before["near"])
        limit = after["threshold"][0]
        return [vertex for vertex in before["far"] if limit is None or before["dist"][vertex] < limit]

    def first(self) -> dict[str, Values]:
        """Return the arrays before the first launch."""
        return {**super().first(), "near": [], "far": []}
