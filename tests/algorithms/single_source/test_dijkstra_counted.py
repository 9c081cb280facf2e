"""What Dijkstra's kernels count, against the same algorithms written down in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest

import reedsp
from experiments.tmm.counted import Counts, count_array, count_heap
from reedsp.algorithms.single_source import dijkstra_array, dijkstra_heap
from reedsp.device.device import Device
from tests.algorithms.single_source.test_dijkstra import be_tiny
from tests.support.families import NOT_NEGATIVE, Family

COALESCED = dijkstra_array.COALESCED
COUNTED = [family for family in NOT_NEGATIVE if family.n <= 300]


@dataclass
class Tally:
    """The counts of one row."""

    operations: int = 0
    accesses: int = 0
    extractions: int = 0
    insertions: int = 0
    span: int = 0


@dataclass
class Heap:
    """A heap of pairs of a distance and a vertex, which counts what it does."""

    arity: int
    tally: Tally
    entries: list[tuple[float, int]] = field(default_factory=list)

    def is_below(self, one: float, other: float) -> bool:
        self.tally.operations += 1
        return one < other

    def insert(self, entry: tuple[float, int]) -> None:
        self.entries.append(entry)
        place = len(self.entries) - 1
        while place > 0:
            parent = (place - 1) // self.arity
            self.tally.accesses += 1
            if not self.is_below(entry[0], self.entries[parent][0]):
                break
            self.tally.accesses += 1
            self.entries[place] = self.entries[parent]
            place = parent
        self.tally.accesses += 1
        self.entries[place] = entry

    def extract(self) -> tuple[float, int]:
        self.tally.extractions += 1
        self.tally.accesses += 1
        lowest, last = self.entries[0], self.entries.pop()
        if self.entries:
            self.tally.accesses += 1
            self.sink(0, last)
        return lowest

    def sink(self, place: int, entry: tuple[float, int]) -> None:
        while children := range(place * self.arity + 1, min(place * self.arity + 1 + self.arity, len(self.entries))):
            self.tally.accesses += len(children)
            lowest = children[0]
            for child in children[1:]:
                if self.is_below(self.entries[child][0], self.entries[lowest][0]):
                    lowest = child
            if not self.is_below(self.entries[lowest][0], entry[0]):
                break
            self.tally.accesses += 1
            self.entries[place] = self.entries[lowest]
            place = lowest
        self.tally.accesses += 1
        self.entries[place] = entry


def heap_by_hand(graph: reedsp.Graph, source: int, arity: int) -> Tally:
    tally = Tally(accesses=3, insertions=1)  # the source is read, its distance and its entry are written
    heap = Heap(arity, tally, [(0, source)])
    dist = {source: 0}
    while heap.entries:
        key, vertex = heap.extract()
        tally.accesses += 1
        if heap.is_below(dist[vertex], key):
            continue
        tally.accesses += 2
        for edge in range(graph.indptr[vertex], graph.indptr[vertex + 1]):
            tally.accesses += 2  # the edge, and the distance of its end
            tally.operations += 1
            end, total = int(graph.indices[edge]), key + int(graph.weights[edge])
            if heap.is_below(total, dist.get(end, math.inf)):
                tally.accesses += 1
                tally.insertions += 1
                dist[end] = total
                heap.insert((total, end))
    tally.span = tally.operations
    return tally


def array_by_hand(graph: reedsp.Graph, source: int, group_size: int, local: bool) -> Tally:
    n = graph.n
    far = int(not local)  # accesses of an entry of the array

    def pieces(count: int, size: int) -> int:
        return -(-count // size)

    tally = Tally(accesses=far * pieces(n, COALESCED) + 1 + far, insertions=1)
    dist, relaxed = {source: 0}, set()
    while True:
        tally.extractions += 1
        tally.operations += n + group_size - 1
        tally.span += pieces(n, group_size) + group_size.bit_length() - 1
        tally.accesses += far * pieces(n, COALESCED)
        left = [(d, vertex) for vertex, d in dist.items() if vertex not in relaxed]
        if not left:
            tally.accesses += (1 + far) * pieces(n, COALESCED)
            return tally
        key, vertex = min(left)
        first, last = int(graph.indptr[vertex]), int(graph.indptr[vertex + 1])
        tally.span += 2 * pieces(last - first, group_size)
        tally.accesses += 2 + pieces(last - first, COALESCED) + 2 * far
        tally.operations += 2 * (last - first)
        for end, weight in zip(graph.indices[first:last].tolist(), graph.weights[first:last].tolist(), strict=True):
            tally.accesses += far
            if key + weight < dist.get(end, math.inf):
                tally.accesses += far
                tally.insertions += 1
                dist[end] = key + weight
        relaxed.add(vertex)


def added_up(tallies: list[Tally]) -> Counts:
    totals = {name: sum(getattr(each, name) for each in tallies) for name in vars(tallies[0])}
    return Counts(**{**totals, "span": max(each.span for each in tallies)})


@pytest.fixture(params=["as it is", "tiny"], autouse=True)
def _setting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One launch, or many; but stale entries are kept, as the counts depend on when they are dropped."""
    if request.param == "tiny":
        be_tiny(monkeypatch)
    monkeypatch.setattr(dijkstra_heap, "_SPARE_ROOM", 100)


@pytest.mark.deep
@pytest.mark.parametrize("arity", [2, 4])
@pytest.mark.parametrize("family", COUNTED, ids=lambda family: family.name)
def test_heaps(device: Device, family: Family, arity: int) -> None:
    graph, sources = family.graph(), [family.source, 0, family.n - 1]
    found = count_heap(graph, device, sources, arity)
    assert found == added_up([heap_by_hand(graph, source, arity) for source in sources])


@pytest.mark.deep
@pytest.mark.parametrize(("group_size", "local"), [(1, False), (1, True), (8, False), (32, True)])
@pytest.mark.parametrize("family", COUNTED, ids=lambda family: family.name)
def test_arrays(device: Device, family: Family, group_size: int, local: bool) -> None:
    graph, sources = family.graph(), [family.source, 0, family.n - 1]
    found = count_array(graph, device, sources, group_size, local)
    assert found == added_up([array_by_hand(graph, source, group_size, local) for source in sources])
