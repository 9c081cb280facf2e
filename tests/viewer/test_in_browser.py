"""The page in a headless Chromium: what it shows, and that no trace, however wrong, breaks it."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import reedsp
from reedsp.viewer.page import _in_json
from tests.support.small_graphs import text_of_graph
from tests.viewer import examples
from tests.viewer.conftest import DESKTOP, FRAME, PHONE
from tests.viewer.replay import states

OpenPage = Callable[..., Any]

SCREENSHOTS = os.environ.get("REEDSP_SCREENSHOTS")
"""Folder for a picture of each kind of trace, in each size and in the dark."""

PICTURE = """() => {
    const canvas = document.querySelector("#matrix canvas");
    return document.querySelector("main").innerHTML + document.querySelector("footer").innerHTML
        + document.querySelector("#at").value + canvas.toDataURL();
}"""
THICK = """() => {
    const edges = document.querySelectorAll("#graph .edge");
    return app.graph.lines().filter((_, i) => edges[i].classList.contains("tree")).map((line) => [line.u, line.v]);
}"""
VALUES = "() => Object.fromEntries(app.state.current.replay.names.map((n) => [n, app.state.current.replay.values(n)]))"


def go(page: Any, step: int) -> None:
    page.evaluate("(k) => app.go(k)", step)


def until(page: Any, condition: str) -> None:
    """Wait for a condition, without what the policy of the page forbids to those who wait inside of it."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(condition)


# ---- steps ------------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("kind", examples.EXAMPLES)
def test_every_step_is_that_of_an_independent_replay(open_page: OpenPage, kind: str) -> None:
    trace = examples.EXAMPLES[kind]()
    expected = states(trace)
    page = open_page([trace])
    order = [*range(len(expected)), *reversed(range(len(expected))), len(expected) - 1, 0]
    for k in order:
        go(page, k)
        assert page.evaluate(VALUES) == expected[k]


@pytest.mark.deep
@pytest.mark.parametrize("kind", examples.EXAMPLES)
def test_forward_then_back_gives_the_same_page(open_page: OpenPage, kind: str) -> None:
    page = open_page([examples.EXAMPLES[kind]()])
    last = page.evaluate("app.state.current.replay.steps.length") - 1
    seen = [page.evaluate(PICTURE)]
    for _ in range(last):
        page.click("#next")
        seen.append(page.evaluate(PICTURE))
    assert page.is_disabled("#next")
    assert page.is_disabled("#last")
    assert len(set(seen)) == last + 1
    for k in reversed(range(last)):
        page.click("#back")
        assert page.evaluate(PICTURE) == seen[k]
    assert page.is_disabled("#back")
    page.click("#last")
    assert page.evaluate(PICTURE) == seen[last]
    page.click("#first")
    assert page.evaluate(PICTURE) == seen[0]


def test_what_is_drawn_is_what_the_arrays_hold(open_page: OpenPage) -> None:
    trace = examples.shortest_paths(examples.grid(4, 5))
    page = open_page([trace])
    before: dict[str, list[Any]] = {}
    for k, state in enumerate(states(trace)):
        go(page, k)
        shown = page.locator("#graph .vertex .value").all_text_contents()
        assert shown == ["\N{INFINITY}" if v is None else str(v) for v in state["dist"]]
        thick = page.evaluate(THICK)
        assert {frozenset(pair) for pair in thick} == {frozenset((p, v)) for v, p in enumerate(state["pred"]) if p >= 0}
        changed = page.locator("#graph .vertex").evaluate_all(
            "(all) => all.map((g) => g.classList.contains('changed'))"
        )
        assert changed == [
            k > 0 and u != v for u, v in zip(before.get("dist", state["dist"]), state["dist"], strict=True)
        ]
        row = page.locator("#small tbody tr.now td").all_text_contents()
        assert row == shown
        before = state


def test_panel_says_what_a_step_did(open_page: OpenPage) -> None:
    trace = examples.shortest_paths(examples.grid(3, 3))
    trace["steps"][2]["folded"] = 3
    page = open_page([trace], address="#output-parallel/2")
    assert page.inner_text("#kernel") == "relax"
    assert page.inner_text("#says") == trace["steps"][2]["says"]
    facts = page.inner_text("#facts")
    assert "256 in work-groups of 64" in facts
    assert "3 launches before this one, which changed nothing" in facts
    assert page.inner_text("#source-title") == "single_source/relax.cl, lines 3 to 8"
    assert page.locator("#code .line").count() == 6
    assert page.locator("#code .line").first.get_attribute("data-number") == "3"
    assert page.inner_text("#device") == "Recorded on a device of tests"


def test_play_goes_to_the_end_and_stops(open_page: OpenPage) -> None:
    page = open_page([examples.scan(examples.KEYS)])
    page.select_option("#speed", "20")
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    until(page, "app.state.current.replay.k === app.state.current.replay.steps.length - 1")
    assert page.get_attribute("#play", "aria-label") == "Play"
    page.keyboard.press("r")
    assert page.evaluate("app.state.current.replay.k") == 0


def test_the_address_keeps_algorithm_and_step(open_page: OpenPage) -> None:
    traces = [examples.scan(examples.KEYS), examples.sort(examples.KEYS)]
    page = open_page(traces, address="#odd-even/4")
    assert page.inner_text("#count") == "4 of 32"
    assert page.inner_text("[role=tab][aria-selected=true]").lower() == "sort"
    page.click("#next")
    until(page, "location.hash === '#odd-even/5'")
    page.evaluate("location.hash = '#naive/2'")
    until(page, "app.state.current.key === 'naive'")
    assert page.inner_text("#count") == "2 of 5"
    for address in ("#nothing/7", "#naive/999", "#%E0%A4%A/1", "#//", "#naive/-1"):
        page.evaluate("(hash) => (location.hash = hash)", address)
        page.wait_for_timeout(30)
        assert page.is_visible("#count")


def test_tabs_and_algorithms(open_page: OpenPage) -> None:
    first = examples.scan([1, 2, 3])
    other = {**examples.scan([4, 5]), "algorithm": "other", "title": "Another"}
    page = open_page([first, other, examples.sort([2, 1])])
    assert page.locator("[role=tab]").all_text_contents() == ["scan", "sort"]
    assert page.locator("#algorithm option").all_text_contents() == [first["title"], "Another"]
    page.select_option("#algorithm", "other")
    assert page.evaluate(VALUES) == {"items": [4, 5]}
    page.locator("[role=tab]").nth(1).click()
    assert page.locator("#algorithm option").all_text_contents() == ["Odd-even transposition"]


def test_a_selected_vertex_shows_its_distances(open_page: OpenPage) -> None:
    trace = examples.all_pairs(examples.sparse(9, 16, directed=True))
    last = states(trace)[-1]["dist"]
    page = open_page([trace], address=f"#floyd-warshall/{len(trace['steps']) - 1}")
    page.click("#views button:has-text('Graph')")
    for source in (0, 4):
        page.evaluate("(v) => app.select({ vertex: v })", source)
        shown = page.locator("#graph .vertex .value").all_text_contents()
        assert shown == ["\N{INFINITY}" if v is None else str(v) for v in last[9 * source : 9 * source + 9]]
        assert page.inner_text("#selected-title") == f"Vertex {source}"
    page.click("#views button:has-text('Matrix')")
    assert "blocks of 4 by 4" in page.get_attribute("#matrix canvas", "aria-label")
    box = page.locator("#matrix canvas").bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 40)
    assert page.evaluate("app.state.selected") == {"vertex": 0, "column": 0}


# ---- layout -----------------------------------------------------------------------------------------


def crossing_edges(points: list[dict[str, float]], edges: list[list[int]]) -> int:
    """Return how many edges cross another one."""

    def side(a: int, b: int, c: int) -> float:
        p, q, r = points[a], points[b], points[c]
        return (q["x"] - p["x"]) * (r["y"] - p["y"]) - (q["y"] - p["y"]) * (r["x"] - p["x"])

    crossed = set()
    for i, (a, b, *_) in enumerate(edges):
        for j, (c, d, *_) in enumerate(edges[:i]):
            if len({a, b, c, d}) == 4 and side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
                crossed |= {i, j}
    return len(crossed)


@pytest.mark.deep
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("family", examples.FAMILIES)
def test_no_two_vertices_overlap_and_hardly_an_edge_crosses(
    open_page: OpenPage, family: str, size: tuple[int, int]
) -> None:
    given = examples.FAMILIES[family]()
    page = open_page([examples.breadth_first(given)], size=size)
    points = page.evaluate("app.graph.points()")
    radius = page.evaluate("layout.RADIUS")
    assert len(points) == given["n"]
    nearest = min(
        ((p["x"] - q["x"]) ** 2 + (p["y"] - q["y"]) ** 2) ** 0.5 for i, p in enumerate(points) for q in points[:i]
    )
    assert nearest > 2 * radius
    assert crossing_edges(points, given["edges"]) <= 0.02 * len(given["edges"])


@pytest.mark.deep
@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_random_graphs_do_not_overlap_either(open_page: OpenPage, n: int) -> None:
    same = [[0.0, 0.0]] * n
    page = open_page([examples.breadth_first(examples.sparse(n, 3 * n, coordinates=where)) for where in (None, same)])
    for _ in range(2):
        points = page.evaluate("app.graph.points()")
        assert all(
            (p["x"] - q["x"]) ** 2 + (p["y"] - q["y"]) ** 2 > 900 for i, p in enumerate(points) for q in points[:i]
        )
        page.select_option("#algorithm", "frontier-2")


def test_coordinates_are_where_vertices_are_drawn(open_page: OpenPage) -> None:
    where = [[0, 0], [2, 0], [2, 2], [-1, 2]]
    page = open_page([examples.breadth_first(examples.graph(4, [(0, 1), (1, 2), (2, 3)], coordinates=where))])
    points = page.evaluate("app.graph.points()")
    for (x, y), p in zip(where, points, strict=True):
        unit = (points[1]["x"] - points[0]["x"]) / 2
        assert p["x"] == pytest.approx(points[0]["x"] + x * unit)
        assert p["y"] == pytest.approx(points[0]["y"] - y * unit)


def test_the_same_picture_each_time(open_page: OpenPage) -> None:
    traces = [examples.forest(examples.sparse(40, 70)), examples.components(examples.sparse(36, 30))]
    pages = [open_page(traces) for _ in range(2)]
    for step in (0, 2):
        for page in pages:
            go(page, step)
        assert pages[0].evaluate(PICTURE) == pages[1].evaluate(PICTURE)


# ---- editing, keys ----------------------------------------------------------------------------------


def drawn(page: Any) -> dict[str, Any]:
    return page.evaluate("(({ n, edges }) => ({ n, edges }))(app.input())")


def test_vertices_and_edges_are_added_and_deleted_by_mouse(open_page: OpenPage) -> None:
    page = open_page([examples.breadth_first(examples.path(3))])
    where = lambda v: page.locator("#graph .vertex .disc").nth(v).bounding_box()  # noqa: E731
    middle = lambda box: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # noqa: E731
    box = page.locator("#graph").bounding_box()
    page.mouse.dblclick(box["x"] + 80, box["y"] + 60)
    assert drawn(page)["n"] == 4
    page.mouse.click(box["x"] + 80, box["y"] + 400, button="right")
    assert drawn(page)["n"] == 5
    for button, keys, u, v in (("right", [], 3, 0), ("left", ["Shift"], 4, 1)):
        for key in keys:
            page.keyboard.down(key)
        page.mouse.move(*middle(where(u)))
        page.mouse.down(button=button)
        page.mouse.move(*middle(where(v)), steps=4)
        page.mouse.up(button=button)
        for key in keys:
            page.keyboard.up(key)
        assert [each[:2] for each in drawn(page)["edges"]][-1] == [u, v]
    page.evaluate("new Promise(done => setTimeout(done, 10))")  # d3 passes over a click as a drag ends
    page.mouse.click(*middle(where(1)))
    assert page.inner_text("#selected-title") == "Vertex 1"
    page.click("#delete")
    assert drawn(page)["n"] == 4
    assert [each[:2] for each in drawn(page)["edges"]] == [[2, 0]]
    page.click("#draft-discard")
    assert drawn(page)["n"] == 3


def test_a_vertex_is_dragged_and_the_graph_frozen(open_page: OpenPage) -> None:
    page = open_page([examples.breadth_first(examples.grid(3, 3))])
    page.click("#freeze")
    assert page.get_attribute("#freeze", "aria-pressed") == "true"
    before = page.evaluate("app.graph.points()")
    box = page.locator("#graph .vertex .disc").nth(4).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 30, steps=3)
    page.mouse.up()
    after = page.evaluate("app.graph.points()")
    assert [i for i, (p, q) in enumerate(zip(before, after, strict=True)) if p != q] == [4]
    assert page.evaluate("app.state.draft") is None
    page.click("#freeze")
    page.mouse.move(box["x"] + 40, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 60, steps=5)
    page.wait_for_timeout(150)
    page.mouse.up()
    moved = page.evaluate("app.graph.points()")
    assert sum(p != q for p, q in zip(after, moved, strict=True)) > 1


def test_everything_is_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page([examples.breadth_first(examples.path(4)), examples.scan([1, 2, 3])])
    press = page.keyboard.press
    reached = set()
    for _ in range(60):
        press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {
        "edit",
        "export",
        "help",
        "algorithm",
        "zoom-in",
        "freeze",
        "graph",
        "shown",
        "play",
        "at",
        "speed",
    } <= reached
    page.evaluate("document.activeElement.blur()")
    press("ArrowRight")
    press("ArrowRight")
    assert page.inner_text("#count").startswith("2 of")
    press("ArrowLeft")
    press("End")
    assert page.is_disabled("#next")
    press("Home")
    press("]")
    press("]")
    assert page.evaluate("app.state.selected") == {"vertex": 1}
    place = page.evaluate("app.graph.points()[1]")
    press("Shift+ArrowDown")
    assert page.evaluate("app.graph.points()[1]") == {"x": place["x"], "y": place["y"] + 12}
    press("i")
    assert drawn(page)["n"] == 5
    assert page.evaluate("app.state.selected") == {"vertex": 4}
    press("e")
    press("]")
    press("Enter")
    assert [each[:2] for each in drawn(page)["edges"]][-1] == [4, 0]
    press("w")
    page.keyboard.type("7")
    press("Enter")
    page.evaluate("document.activeElement.blur()")
    assert drawn(page)["edges"][-1][2] in (7, 17)
    press("Delete")
    assert len(drawn(page)["edges"]) == 3
    press("[")
    press("Delete")
    assert drawn(page)["n"] == 4
    press("r")
    assert page.evaluate("app.state.draft") is None
    for key, dialog in (("?", "#help-dialog"), ("x", "#export-dialog"), ("n", "#edit-dialog")):
        press(key)
        assert page.is_visible(dialog)
        press("Escape")
        assert not page.is_visible(dialog)
        until(page, "!document.activeElement.closest('dialog')")  # until the next frame it has the keys
    press("v")
    assert page.is_visible("#array")
    page.locator("[role=tab]").first.focus()
    press("ArrowRight")
    assert page.inner_text("[role=tab][aria-selected=true]").lower() == "scan"
    assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"


def test_typed_inputs_are_shown_or_refused(open_page: OpenPage) -> None:
    page = open_page([examples.breadth_first(examples.path(3))])
    page.click("#edit")
    assert page.input_value("#edit-text").startswith("0 : 1=")
    for text, complaint in (
        ("1 2 3", "line 1"),
        ("0 : x", 'line 1: "x" is no vertex'),
        ("0 : 1\n2 : 1=z", 'line 2: weight "z"'),
        ("0 : 1=2=3", "line 1"),
        ("0 : 1\n0 : 2", "line 2: vertex 0 has a line already"),
        ("\n".join(f"{v} :" for v in range(201)), "201 vertices"),
    ):
        page.fill("#edit-text", text)
        page.click("#edit-apply")
        assert complaint in page.inner_text("#edit-error")
    page.fill("#edit-text", "3 : 7=4 9  # one\n9 : 3\n")
    page.click("#edit-apply")
    assert drawn(page) == {"n": 3, "edges": [[0, 1, 4], [0, 2, 1], [2, 0, 1]]}
    assert page.locator("#graph .vertex .value").all_text_contents() == ["3", "7", "9"]
    assert "no device" in page.inner_text("#draft-text")


@pytest.mark.deep
@pytest.mark.parametrize(
    "kind", [kind for kind, make in examples.EXAMPLES.items() if make()["input"]["kind"] == "graph"]
)
@pytest.mark.parametrize("names", [None, 3], ids=["numbers", "gaps"])
def test_page_and_library_read_the_same_text(open_page: OpenPage, kind: str, names: int | None, tmp_path: Path) -> None:
    trace = examples.EXAMPLES[kind]()
    given = trace["input"]
    if names is not None:
        given["names"] = [str(names * v + 1) for v in range(given["n"])]
    page = open_page([trace])
    (tmp_path / "saved.txt").write_text(page.evaluate("text.write(app.input())"))
    graph = reedsp.read(tmp_path / "saved.txt")
    assert graph.n == given["n"]
    assert graph.directed == given["directed"] or not given["edges"]
    assert [str(name) for name in graph.names] == (given["names"] or [str(v) for v in range(graph.n)])
    lightest: dict[tuple[int, int], int] = {}
    for u, v, w in examples.arcs(given):
        lightest[u, v] = min(w, lightest.get((u, v), w))
    found = graph.to_scipy().tocoo()
    assert dict(zip(zip(found.row.tolist(), found.col.tolist()), found.data.tolist())) == lightest  # noqa: B905
    read = page.evaluate("(content) => text.read(content, { kind: 'graph' })", text_of_graph(graph))
    assert (read["n"], read["directed"]) == (graph.n, graph.directed)
    assert {(u, v): w for u, v, w in examples.arcs(read)} == lightest


# ---- export -----------------------------------------------------------------------------------------


def exported(page: Any, button: str, folder: Path) -> str:
    if not page.is_visible("#export-dialog"):
        page.click("#export")
    with page.expect_download() as download:
        page.click(button)
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file.read_text(encoding="utf-8")


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["shortest-paths", "all-pairs", "sort"])
def test_exports(open_page: OpenPage, tmp_path: Path, kind: str) -> None:
    import xml.etree.ElementTree as ElementTree

    trace = examples.EXAMPLES[kind]()
    page = open_page([trace])
    go(page, 2)
    assert json.loads(exported(page, "#save-json", tmp_path)) == trace
    svg = ElementTree.fromstring(exported(page, "#save-svg", tmp_path))
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    texts = ["".join(node.itertext()) for node in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > 20
    tikz = exported(page, "#save-tikz", tmp_path)
    assert tikz.startswith("\\begin{tikzpicture}")
    assert tikz.endswith("\\end{tikzpicture}\n")
    if kind == "shortest-paths":
        assert tikz.count("\\node[") == trace["input"]["n"]
        assert tikz.count("\\draw[") == len(trace["input"]["edges"])
    assert exported(page, "#save-text", tmp_path)


# ---- for everyone -----------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing(open_page: OpenPage, size: tuple[int, int], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page([make() for make in examples.EXAMPLES.values()], size=size, color_scheme=scheme)
    for i in range(page.locator("[role=tab]").count()):
        page.locator("[role=tab]").nth(i).click()
        go(page, 2)
        page.keyboard.press("]")
        found = axe.run(page).response["violations"]
        assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []
    for dialog in ("help", "export", "edit"):
        page.click(f"#{dialog}")
        assert [each["id"] for each in axe.run(page).response["violations"]] == []
        page.keyboard.press("Escape")


@pytest.mark.deep
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE, FRAME], ids=["desktop", "phone", "frame"])
def test_it_fits_and_is_photographed(open_page: OpenPage, size: tuple[int, int], scheme: str) -> None:
    page = open_page([make() for make in examples.EXAMPLES.values()], size=size, color_scheme=scheme)
    for i, kind in enumerate(examples.EXAMPLES):
        page.locator("[role=tab]").nth(i).click()
        for view in [None, *page.locator("#views button").all_text_contents()]:
            if view and page.is_visible("#views"):
                page.click(f"#views button:has-text('{view}')")
            go(page, 3)
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            if SCREENSHOTS and view is None:
                Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
                page.screenshot(path=Path(SCREENSHOTS) / f"{kind}-{size[0]}-{scheme}.png")
        inside = page.locator("footer").bounding_box()
        assert inside["y"] + inside["height"] <= size[1] + 1


def test_nothing_moves_by_itself_for_those_who_ask_for_that(open_page: OpenPage) -> None:
    page = open_page([examples.breadth_first(examples.grid(3, 3))], reduced_motion="reduce")
    assert page.get_attribute("#freeze", "aria-pressed") == "true"


def test_changes_are_seen_without_colour(open_page: OpenPage) -> None:
    page = open_page(
        [examples.shortest_paths(examples.grid(3, 3)), examples.sort(examples.KEYS)], address="#output-parallel/1"
    )
    width = "(node) => getComputedStyle(node).strokeWidth"
    assert page.locator(".vertex.changed .disc").first.evaluate(width) == "4px"
    assert page.locator(".vertex:not(.changed):not(.source) .disc").first.evaluate(width) == "1.4px"
    assert (
        page.locator(".vertex.none .disc").first.evaluate("(node) => getComputedStyle(node).strokeDasharray") != "none"
    )
    assert page.locator("td.changed").first.evaluate("(node) => getComputedStyle(node).fontWeight") == "700"


# ---- hostile and wrong traces -----------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</script><b>",
    "&lt;",
    "\u202e\u2028x",
    "a" * 500,
]


def test_labels_stay_text(open_page: OpenPage) -> None:
    given = examples.graph(6, [(i, i + 1) for i in range(5)], names=HOSTILE)
    trace = examples.shortest_paths(given)
    trace |= {"title": HOSTILE[0], "problem": HOSTILE[1], "algorithm": HOSTILE[2], "device": HOSTILE[0]}
    for step in trace["steps"]:
        step |= {"kernel": HOSTILE[0], "says": HOSTILE[1], "file": HOSTILE[2]}
    trace["sources"] = {HOSTILE[2]: HOSTILE[0]}
    trace["arrays"]["dist"]["meaning"] = HOSTILE[1]
    page = open_page([trace])
    go(page, 2)
    for v in range(6):
        page.evaluate("(v) => app.select({ vertex: v })", v)
        assert page.text_content("#selected-title") == f"Vertex {HOSTILE[v]}"
    assert page.text_content("#kernel") == HOSTILE[0]
    assert page.text_content("#says") == HOSTILE[1]
    assert page.locator("main script, main img, main b").count() == 0
    assert page.text_content("#code").strip() == HOSTILE[0]


JUNK: list[Any] = [
    None,
    True,
    -1,
    1e308,
    3.5,
    2**60,
    "",
    "nan",
    "x" * 50,
    [],
    {},
    [[]],
    [None],
    {"all": 3},
    [[0, {}]],
    {"all": [0]},
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in a trace with each of its keys."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@pytest.mark.deep
@pytest.mark.parametrize("kind", examples.EXAMPLES)
def test_no_wrong_trace_breaks_the_page(open_page: OpenPage, kind: str) -> None:
    draw = random.Random(kind)
    sound = examples.EXAMPLES[kind]()
    wrong: list[Any] = []
    for _ in range(80):
        trace = copy.deepcopy(sound)
        every = list(places(trace))
        shallow = [place for place in every if place[0] is trace or place[0] in list(trace.values())]
        for container, key in draw.choices(every, k=1) + draw.choices(shallow, k=draw.randrange(2)):
            try:
                if draw.random() < 0.3:
                    del container[key]
                else:
                    container[key] = draw.choice(JUNK)
            except (KeyError, IndexError):
                pass
        with contextlib.suppress(TypeError, ValueError):  # what says itself that it is no trace
            wrong.append(_in_json(trace, "trace"))
    assert len(wrong) > 40
    page = open_page([*wrong, sound])
    outcomes = page.evaluate(
        """() => app.state.entries.map((entry) => {
            app.choose(entry);
            for (const k of [1, Infinity, 2, 0]) app.go(k);
            for (const button of document.querySelectorAll("#views button")) button.click();
            if (entry.replay) for (const name of entry.replay.names) { app.show(name); app.go(1); }
            app.select({ vertex: 0 });
            app.select(null);
            const said = document.querySelector("#failure-text").textContent;
            return [entry.error, document.querySelector("#failure").hidden, said];
        })"""
    )
    for error, hidden, text in outcomes:
        assert hidden == (error is None)
        assert error is None or (text == error and re.search(r"\w+ \w+", error) and len(error) < 400)
        assert error is None or "not as expected" not in error
    assert outcomes[-1][0] is None
    assert sum(error is not None for error, _, _ in outcomes) > 20


def test_a_page_without_a_trace_says_so(open_page: OpenPage) -> None:
    page = open_page([])
    assert page.inner_text("#failure-text") == "There is no trace in this page."


def test_a_notebook_frame_works(browser: Any) -> None:
    from reedsp.viewer.page import Page
    from tests.viewer.conftest import watch_for_errors

    wrong: list[str] = []
    page = browser.new_page()
    watch_for_errors(page, wrong)
    page.set_content(f"<!doctype html><p>cell</p>{Page([examples.scan([1, 2, 3])])._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.locator("#next").click()
    assert frame.locator("#count").inner_text() == "1 of 2"
    page.wait_for_timeout(300)
    page.close()
    assert wrong == []
