"""Draw the figures of the documentation: every number in them is computed here.

    python -m docs.tools.figures

writes ``docs/images/*.svg``. The same files come out everywhere; the tests compare them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from docs.tools.drawing import BLUE, GREEN, INK, LINE, ORANGE, PALE, Drawing

IMAGES = Path(__file__).resolve().parents[1] / "images"

# The five towns of the tutorial: from, to, minutes; and where they are drawn.
ROADS = ((0, 1, 7), (0, 2, 2), (1, 2, 3), (1, 3, 2), (2, 3, 8), (3, 4, 1))
PLACES = ((50, 120), (220, 45), (220, 195), (390, 120), (520, 120))
TOWNS = len(PLACES)


def in_edges() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the roads, both ways, in the order of the towns they end at: from, to, minutes."""
    both = sorted((end, start, minutes) for a, b, minutes in ROADS for start, end in ((a, b), (b, a)))
    targets, sources, minutes = np.array(both).T
    return sources, targets, minutes


def towns() -> str:
    """Return the map of the tutorial."""
    drawing = Drawing(570, 240, "Five towns and the minutes from one to another")
    for a, b, minutes in ROADS:
        (x, y), (to_x, to_y) = PLACES[a], PLACES[b]
        drawing.line(x, y, to_x, to_y)
        drawing.box((x + to_x) / 2 - 15, (y + to_y) / 2 - 13, 30, 26, LINE, minutes)
    for town, (x, y) in enumerate(PLACES):
        drawing.circle(x, y, 20, town)
    return drawing.svg()


def segmented_minimum() -> str:
    """Return one round of relaxation by edges, after two rounds from town 0."""
    sources, targets, minutes = in_edges()
    dist = np.full(TOWNS, np.inf)
    dist[0] = 0
    for _ in range(2):
        dist = relaxed(dist)
    sums = dist[sources] + minutes
    heads = np.r_[True, targets[1:] != targets[:-1]]
    least = sums.copy()
    for edge in range(1, len(sums)):
        if not heads[edge]:
            least[edge] = min(least[edge - 1], sums[edge])
    ends = np.r_[heads[1:], True]
    assert (np.minimum(dist, least[ends]) == relaxed(dist)).all()

    drawing = Drawing(690, 344, "A segmented minimum over the edges that end at each vertex")
    cell, left = 44, 140
    rows: Sequence[tuple[str, float, np.ndarray, str]] = (
        ("ends at", 20, targets, INK),
        ("comes from", 60, sources, LINE),
        ("minutes", 100, minutes, LINE),
        ("its dist + minutes", 150, sums, BLUE),
        ("least so far", 206, least, ORANGE),
    )
    for name, y, values, colour in rows:
        drawing.text(left - 10, y + 16, name, anchor="end", size=13)
        for edge, value in enumerate(values):
            last = colour == ORANGE and ends[edge]
            drawing.box(left + edge * cell, y, cell - 3, 32, GREEN if last else colour, number(value), bold=last)
    drawing.text(left - 10, 300, "new dist", anchor="end", size=13)
    for town, edge in enumerate(np.flatnonzero(ends)):
        middle, x = left + edge * cell + cell / 2 - 1.5, left + town * 104
        drawing.line(middle, 240, x + 30, 278, INK, arrow=True)
        drawing.box(x, 282, 60, 36, GREEN, number(min(dist[town], least[edge])), bold=True)
        drawing.text(x + 30, 331, f"vertex {town}", size=12)
    for edge in np.flatnonzero(heads)[1:]:
        x = left + edge * cell - 1.5
        drawing.line(x, 14, x, 242, INK)
    return drawing.svg()


def relaxed(dist: np.ndarray) -> np.ndarray:
    """Return the distances after one more round."""
    sources, targets, minutes = in_edges()
    after = dist.copy()
    np.minimum.at(after, targets, dist[sources] + minutes)
    return after


def number(value: float) -> str:
    """Return a distance as it is written."""
    return "∞" if value == np.inf else f"{value:g}"


def near_far_steps(delta: int) -> list[tuple[int, list[tuple[int, int]], list[tuple[int, int]], list[float]]]:
    """Return the threshold, the near queue, the far pile and the distances at the beginning of each step."""
    sources, targets, minutes = in_edges()
    dist = [np.inf] * TOWNS
    dist[0] = 0
    threshold, near, far, steps = delta, [(0, 0)], [], []
    while near or far:
        steps.append((threshold, list(near), list(far), list(dist)))
        if not near:
            threshold += delta
            valid = [(vertex, at) for vertex, at in far if at == dist[vertex]]
            near = [pair for pair in valid if pair[1] < threshold]
            far = [pair for pair in valid if pair[1] >= threshold]
            continue
        lowered: list[tuple[int, int]] = []
        for vertex, at in near:
            for edge in np.flatnonzero(sources == vertex) if at == dist[vertex] else ():
                end, sum_ = int(targets[edge]), at + int(minutes[edge])
                if sum_ < dist[end]:
                    dist[end] = sum_
                    lowered.append((end, sum_))
        near = [pair for pair in lowered if pair[1] < threshold]
        far += [pair for pair in lowered if pair[1] >= threshold]
    return [*steps, (threshold, [], [], list(dist))]


def near_far() -> str:
    """Return the steps of a near-far search from town 0."""
    steps = near_far_steps(3)
    row = 52
    drawing = Drawing(690, 62 + row * len(steps), "The near queue and the far pile in each step of a search")
    for x, name in ((60, "threshold"), (175, "near queue"), (370, "far pile"), (580, "distances")):
        drawing.text(x, 24, name, bold=True, size=13)
    for step, (threshold, near, far, dist) in enumerate(steps):
        y = 48 + step * row
        drawing.text(60, y + 17, threshold)
        for pairs, left, colour in ((near, 124, BLUE), (far, 268, ORANGE)):
            for place, (vertex, at) in enumerate(pairs):
                stale = at != dist[vertex]
                x = left + place * 68
                drawing.box(x, y, 62, 34, LINE if stale else colour, f"{vertex} : {at}")
                if stale:
                    drawing.line(x + 4, y + 30, x + 58, y + 4, INK)
        for vertex, value in enumerate(dist):
            drawing.box(490 + vertex * 38, y, 35, 34, GREEN if value < threshold else LINE, number(value))
    return drawing.svg()


def floyd_warshall() -> str:
    """Return the three steps of blocked Floyd-Warshall for one span."""
    blocks, side, span = 5, 34, 1
    drawing = Drawing(690, 262, "Which blocks of the matrix each of the three steps changes, and what they need")
    titles = ("1. the diagonal block", "2. its row and column", "3. everything else")
    for panel, title in enumerate(titles):
        left, top = 20 + panel * 226, 50
        drawing.text(left + blocks * side / 2, 24, title, bold=True, size=14)
        for i in range(blocks):
            for j in range(blocks):
                step = (i != span) + (j != span)
                colour = ORANGE if step == panel else BLUE if step == panel - 1 else LINE
                drawing.box(left + j * side, top + i * side, side - 3, side - 3, colour)
    left, top, middle = 20 + 2 * 226, 50, (side - 3) / 2
    x, y = left + 3 * side + middle, top + 3 * side + middle
    drawing.line(left + span * side + middle, y, x - middle - 1, y, INK, arrow=True)
    drawing.line(x, top + span * side + middle, x, y - middle - 1, INK, arrow=True)
    for x, colour, text in ((150, ORANGE, "is changed"), (330, BLUE, "is read, changed one step before")):
        drawing.box(x, 229, 22, 22, colour)
        drawing.text(x + 30, 240, text, anchor="start", size=14)
    return drawing.svg()


def directions() -> str:
    """Return both directions of a level of a breadth-first search."""
    drawing = Drawing(690, 262, "Top-down, the frontier looks for unvisited neighbours; bottom-up, the unvisited look")
    edges = {"top-down": [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3)], "bottom-up": [(0, 0), (0, 1), (1, 2), (1, 3)]}
    for left, title, colours in (
        (20, "top-down: the frontier looks ahead", (BLUE, LINE)),
        (370, "bottom-up: the unvisited look back", (GREEN, ORANGE)),
    ):
        drawing.text(left + 145, 24, title, bold=True, size=14)
        columns = [(left + 50, 80 + 70 * k) for k in range(2)], [(left + 240, 62 + 50 * k) for k in range(4)]
        for a, b in edges[title.partition(":")[0]]:
            (x, y), (to_x, to_y) = columns[0][a], columns[1][b]
            ends = (x + 20, y), (to_x - 20, to_y)
            start, tip = ends if colours[0] == BLUE else ends[::-1]
            drawing.line(*start, *tip, INK, arrow=True)
        for places, colour, name in zip(columns, colours, ("frontier", "unvisited"), strict=True):
            for x, y in places:
                drawing.box(x - 18, y - 16, 36, 32, colour)
            drawing.text(places[0][0], 244, name, size=13)
    return drawing.svg()


def digit_passes() -> str:
    """Return a radix sort of two digits, by two work-items with a chunk each."""
    keys = np.array([41, 17, 12, 47, 22, 10, 42, 11])
    half, width = len(keys) // 2, 52
    rows = [keys]
    drawing = Drawing(690, 330, "Each pass moves every key behind the smaller digits, and equal ones in their order")
    for number in range(2):
        order = np.argsort(rows[-1] // 10**number % 10, kind="stable")
        for target, source in enumerate(order):
            start, end = (180 + place * (width + 8) + width / 2 for place in (source, target))
            colour = BLUE if source < half else GREEN
            drawing.line(start, 80 + 110 * number, end, 148 + 110 * number, colour)
        rows.append(rows[-1][order])
    assert (rows[-1] == np.sort(keys)).all()
    names = ("as they come", "by the last digit", "by the first one")
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        drawing.text(20, 64 + 110 * number, name, anchor="start")
        for place, key in enumerate(row):
            drawing.box(180 + place * (width + 8), 48 + 110 * number, width, 32, BLUE if place < half else GREEN, key)
    for first, colour, name in ((0, BLUE, "work-item 0"), (half, GREEN, "work-item 1")):
        drawing.text(180 + (first + half / 2) * (width + 8) - 4, 24, name, colour, bold=True)
    return drawing.svg()


# Of vertices 1 .. 6 the pairs that edges of weight 1 have joined, the edges of weight 5, and where pairs are drawn.
PAIRS = {1: "1, 6", 2: "2, 4", 3: "3, 5"}
PAIR_OF = {1: 1, 6: 1, 2: 2, 4: 2, 3: 3, 5: 3}
EQUAL = ((1, 4), (2, 5), (3, 6))
CORNERS = {1: (165, 70), 2: (280, 190), 3: (50, 190)}


def hooks(ordered: bool) -> dict[int, tuple[int, int]]:
    """Return the edge that each pair chooses: the first in the order of ends, or that of the pair's first vertex."""
    found = {}
    for pair in PAIRS:
        leaving = [edge for edge in EQUAL if pair in (PAIR_OF[edge[0]], PAIR_OF[edge[1]])]
        if ordered:
            found[pair] = min(leaving)
        else:
            found[pair] = min(leaving, key=lambda edge: min(end for end in edge if PAIR_OF[end] == pair))
    return found


def ring() -> str:
    """Return the components that hook in a ring where weights are equal, and those that an order keeps from it."""
    drawing = Drawing(690, 262, "Three components of equal edges: without an order they hook in a ring")
    for left, ordered, title in ((10, False, "the smallest vertex decides"), (350, True, "the order of edges decides")):
        drawing.text(left + 165, 24, title, bold=True, size=14)
        chosen = hooks(ordered)
        assert len(set(chosen.values())) == (2 if ordered else 3)
        for edge in EQUAL:
            (x, y), (to_x, to_y) = (CORNERS[PAIR_OF[end]] for end in edge)
            drawing.line(left + x, y, left + to_x, to_y)
        for pair, edge in chosen.items():
            [other] = {PAIR_OF[end] for end in edge} - {pair}
            (x, y), (to_x, to_y) = CORNERS[pair], CORNERS[other]
            length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
            across_x, across_y = 7 * (to_y - y) / length, 7 * (x - to_x) / length
            begin, end = 36 / length, 1 - 40 / length
            drawing.line(
                *(left + x + begin * (to_x - x) + across_x, y + begin * (to_y - y) + across_y),
                *(left + x + end * (to_x - x) + across_x, y + end * (to_y - y) + across_y),
                *(ORANGE, True),
            )
        for edge in EQUAL:
            (x, y), (to_x, to_y) = (CORNERS[PAIR_OF[end]] for end in edge)
            drawing.box(
                left + (x + to_x) / 2 - 22, (y + to_y) / 2 - 12, 44, 24, LINE, f"{edge[0]} - {edge[1]}", size=13
            )
        for pair, name in PAIRS.items():
            x, y = CORNERS[pair]
            drawing.circle(left + x, y, 26, name)
        drawing.text(left + 165, 248, f"{len(set(chosen.values()))} of the 3 edges are chosen", size=13)
    return drawing.svg()


# Who can do which of four jobs; the names stand for rows and columns.
ABLE = ((0, 1), (0,), (1, 2, 3), (3,), (3,))
JOBS = 4


def matching() -> str:
    """Return two matchings of people and jobs: what each takes in turn, and a maximum one with a cover."""
    taken: dict[int, int] = {}  # by whom each job is done
    for person, jobs in enumerate(ABLE):
        free = [job for job in jobs if job not in taken]
        if free:
            taken[free[0]] = person
    path = augmenting_path(taken)
    after = {**taken, **{job: person for person, job in path}}
    assert len(after) == len(taken) + 1
    assert not augmenting_path(after)
    reached = reached_jobs(after)
    left_out = [person for job, person in after.items() if job not in reached]

    drawing = Drawing(640, 300, "An augmenting path, and the maximum matching that it leads to, with a cover")
    for left, pairs, title in (
        (60, taken, "each takes the first free job"),
        (380, after, "after one path, with a cover"),
    ):
        drawing.text(left + 100, 24, title, size=13)
        for person, jobs in enumerate(ABLE):
            for job in jobs:
                on_path = pairs is taken and (
                    (person, job) in path or (taken.get(job) == person and job in dict(path).values())
                )
                colour = ORANGE if on_path else LINE
                ends = (left + 34, 62 + 50 * person, left + 166, 87 + 50 * job)
                drawing.line(*ends, colour)
                if pairs.get(job) == person:
                    for shift in (-1.5, 1.5):
                        drawing.line(ends[0], ends[1] + shift, ends[2], ends[3] + shift, ORANGE if on_path else BLUE)
        for person in range(len(ABLE)):
            is_covered = pairs is after and person in left_out
            drawing.box(left, 47 + 50 * person, 34, 30, GREEN if is_covered else LINE, "abcde"[person])
        for job in range(JOBS):
            is_covered = pairs is after and job in reached
            drawing.box(left + 166, 72 + 50 * job, 34, 30, GREEN if is_covered else LINE, job)
    return drawing.svg()


def augmenting_path(taken: dict[int, int]) -> list[tuple[int, int]]:
    """Return who takes which job instead, from someone without a job on; nothing if there is no such path."""
    for start in set(range(len(ABLE))) - set(taken.values()):
        before: dict[int, int] = {}  # who asks for each job
        queue = [start]
        for person in queue:
            for job in ABLE[person]:
                if job in before:
                    continue
                before[job] = person
                if job in taken:
                    queue.append(taken[job])
                    continue
                path = [(person, job)]
                while path[-1][0] != start:
                    given_up = next(each for each, owner in taken.items() if owner == path[-1][0])
                    path.append((before[given_up], given_up))
                return path
    return []


def reached_jobs(taken: dict[int, int]) -> set[int]:
    """Return the jobs that an alternating path leads to from someone without one."""
    reached: set[int] = set()
    queue = sorted(set(range(len(ABLE))) - set(taken.values()))
    for person in queue:
        for job in ABLE[person]:
            if job not in reached:
                reached.add(job)
                queue.append(taken[job])
    return reached


def flow() -> str:
    """Return a maximum flow and the minimum cut that proves it."""
    drawing = Drawing(690, 286, "A maximum flow of 13, and a minimum cut of capacity 13")
    places = {"s": (60, 140), "a": (210, 60), "b": (210, 220), "c": (430, 60), "d": (430, 220), "t": (630, 140)}
    edges = {
        ("s", "a"): (8, 10),
        ("s", "b"): (5, 9),
        ("a", "b"): (0, 2),
        ("a", "c"): (8, 8),
        ("b", "d"): (5, 5),
        ("c", "d"): (1, 3),
        ("c", "t"): (7, 12),
        ("d", "t"): (6, 11),
    }
    drawing.band(20, 20, 270, 246, PALE)
    drawing.text(155, 252, "the source's side", size=13)
    for (tail, head), (amount, capacity) in edges.items():
        (x, y), (to_x, to_y) = places[tail], places[head]
        length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
        step_x, step_y = 24 * (to_x - x) / length, 24 * (to_y - y) / length
        crosses = tail in "ab" and head in "cd"
        colour = ORANGE if crosses else INK
        drawing.line(
            x + step_x, y + step_y, to_x - step_x, to_y - step_y, colour, arrow=True, width=3 if crosses else 2
        )
        above = (x + to_x) / 2 + (18 if x == to_x else 0), (y + to_y) / 2 - (0 if x == to_x else 16)
        drawing.text(*above, f"{amount} / {capacity}", colour, bold=crosses, size=14)
    for name, (x, y) in places.items():
        drawing.circle(x, y, 20, name)
    drawing.text(360, 140, "full: 8 + 5 = 13", ORANGE, bold=True, size=14)
    return drawing.svg()


def betweenness() -> str:
    """Return the numbers of paths on the way there, and the dependencies on the way back."""
    steps = {0: (1, 2), 1: (3,), 2: (3, 4), 3: (5,), 4: (5, 6), 5: (), 6: ()}
    levels = ((0,), (1, 2), (3, 4), (5, 6))
    paths = dict.fromkeys(steps, 0) | {0: 1}
    for vertex, heads in steps.items():
        for head in heads:
            paths[head] += paths[vertex]
    dependencies = dict.fromkeys(steps, Fraction(0))
    for vertex, heads in reversed(steps.items()):
        dependencies[vertex] = sum(
            (paths[vertex] * (1 + dependencies[v]) / Fraction(paths[v]) for v in heads), Fraction()
        )
    drawing = Drawing(690, 250, "Numbers of paths are summed up level by level, and dependencies on the way back")
    for left, title, values, colour in (
        (20, "there: numbers of paths from s", paths, BLUE),
        (370, "back: dependencies of s", dependencies, GREEN),
    ):
        drawing.text(left + 145, 24, title, bold=True, size=14)
        places = {
            vertex: (left + 25 + 80 * level, 130 + (80 * k - 40 if len(row) > 1 else 0))
            for level, row in enumerate(levels)
            for k, vertex in enumerate(row)
        }
        for tail, heads in steps.items():
            for head in heads:
                (x, y), (to_x, to_y) = places[tail], places[head]
                away = 24 / math.hypot(to_x - x, to_y - y)
                ends = [
                    (x + away * (to_x - x), y + away * (to_y - y)),
                    (to_x - away * (to_x - x), to_y - away * (to_y - y)),
                ]
                (a, b), (c, d) = ends if colour == BLUE else ends[::-1]
                drawing.line(a, b, c, d, INK, arrow=True)
        for vertex, (x, y) in places.items():
            drawing.box(x - 20, y - 16, 40, 32, colour, "s" if vertex == 0 else values[vertex])
        drawing.text(
            left + 145,
            232,
            "level 0, 1, 2, 3" if colour == BLUE else "each: paths x sum of (1 + dependency) / paths",
            size=13,
        )
    return drawing.svg()


FIGURES: dict[str, Callable[[], str]] = {
    "towns": towns,
    "segmented-minimum": segmented_minimum,
    "near-far": near_far,
    "floyd-warshall": floyd_warshall,
    "digit-passes": digit_passes,
    "directions": directions,
    "ring": ring,
    "matching": matching,
    "flow": flow,
    "betweenness": betweenness,
}


def main() -> None:
    """Draw them all."""
    for name, draw in FIGURES.items():
        (IMAGES / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
