"""What the page sends back to the library: what was not changed in it is the same afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.viewer import generators, watch
from tests.viewer import examples
from tests.viewer.conftest import watch_for_errors

INPUT = "app.state.current.trace.input"
PLACES = "Object.fromEntries(app.graph.points().map((p, v) => [app.nameOf(v), [p.x, p.y]]))"


@pytest.fixture
def serve(browser: Any, device: reedsp.Device) -> Iterator[Callable[..., Any]]:
    """Serve an input and open its page; at the end no error was in the console."""
    pages, servers, wrong = [], [], []

    def open_(given: Any, algorithm: str, source: Any = None) -> Any:
        server = watch.serve(given, algorithm, source, device=device)
        servers.append(server.__enter__())
        page = browser.new_page()
        pages.append(page)
        watch_for_errors(page, wrong)
        page.goto(server.address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for page, server in zip(pages, servers, strict=True):
        page.close()
        server.close()
    assert [each for each in wrong if not each.startswith("http://127.0.0.1:")] == []


def run_input(page: Any) -> dict[str, Any]:
    """Run what the dialog has, and return the input of the new trace."""
    page.click("#edit")
    page.click("#edit-apply")
    page.wait_for_selector("#edit-dialog", state="hidden")
    return page.evaluate(INPUT)  # type: ignore[no-any-return]


# ---- arrays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [3.14159265, 2.71828182, 1000000.5],
        [2.0, 1.0, -0.0],
        [1.0, np.inf, -np.inf, np.nan, 1e-300],
        [2**62 + 1, -5, 0],
    ],
    ids=["digits", "fractions that are integers", "infinities", "long integers"],
)
def test_an_array_comes_back_as_it_was(values: list[Any], serve: Callable[..., Any]) -> None:
    page = serve(np.array(values), "merge-sort")
    before = page.evaluate(INPUT)
    assert run_input(page) == before


def test_a_page_without_a_device_keeps_all_digits(open_page: Callable[..., Any]) -> None:
    page = open_page([examples.breadth_first(examples.path(3))])
    for content in ("9007199254740993 1\n", "1.0 0.30000000000000004 -0.0 inf -inf nan\n"):
        assert page.evaluate("(content) => text.write(text.read(content, { kind: 'array' }))", content) == content
    graph = "0 : 1=9007199254740993\n1 : 0=0.1\n"
    assert page.evaluate("(content) => text.write(text.read(content, { kind: 'graph' }))", graph) == graph


# ---- graphs -----------------------------------------------------------------------------------------


def test_edges_without_direction_count_once(serve: Callable[..., Any]) -> None:
    """Also where both directions with all digits of the weights are more than 64 KiB."""
    u, v = np.triu_indices(60, 1)
    weights = np.random.default_rng(3).random(len(u))
    graph = reedsp.Graph.from_edges(60, u, v, weights, directed=False, labels=[10**14 + each for each in range(60)])
    page = serve(graph, "top-down")
    before = page.evaluate(INPUT)
    assert len(page.evaluate("text.write(app.input())")) > 64 * 1024
    assert run_input(page) == before
    page.evaluate("content => app.use(text.read(content, app.input()))", complete(63))
    assert page.evaluate("app.input().edges.length") == 63 * 62 // 2
    page.click("#edit")
    page.fill("#edit-text", complete(64))
    page.click("#edit-apply")
    assert page.inner_text("#edit-error") == "there are 2016 edges; at most 2000 can be watched"


def complete(n: int) -> str:
    """Return a complete graph as text."""
    return "".join(f"{u} : {' '.join(str(v) for v in range(n) if v != u)}\n" for u in range(n))


@pytest.mark.parametrize("labels", [[30, 10, 20], [1, 2, 0]], ids=["gaps", "another order"])
def test_vertices_stay_where_they_were_drawn(labels: list[int], serve: Callable[..., Any]) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 5], directed=False, labels=labels)
    page = serve(graph.with_coordinates([[0, 0], [1, 0], [5, 0]]), "top-down", labels[0])
    page.evaluate("app.addEdge(0, 2)")
    before = page.evaluate(PLACES)
    page.click("#draft-run")
    page.wait_for_selector("#draft", state="hidden")
    assert page.evaluate(INPUT)["names"] == (sorted(map(str, labels)) if 30 in labels else None)
    for name, place in page.evaluate(PLACES).items():
        assert place == pytest.approx(before[name])


def test_names_that_are_one_number_are_called_by_indices(open_page: Callable[..., Any]) -> None:
    page = open_page([examples.breadth_first(examples.path(2))])
    given = {"kind": "graph", "n": 2, "directed": True, "edges": [[0, 1]], "names": ["7", "07"]}
    assert page.evaluate("(given) => text.write(given)", given) == "0 : 1\n1 :\n"


def test_a_weight_is_shown_whole_and_never_empty(serve: Callable[..., Any]) -> None:
    page = serve(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 3.14159265]), "output-parallel")
    page.evaluate("app.select({ edge: 1 })")
    assert page.input_value("#weight") == "3.14159265"
    page.fill("#weight", "")
    page.press("#weight", "Enter")
    assert page.input_value("#weight") == "3.14159265"
    assert page.evaluate("app.state.draft") is None
    page.fill("#weight", "9007199254740993")
    page.press("#weight", "Enter")
    assert page.evaluate("text.write(app.input())") == "0 : 1\n1 : 2=9007199254740993\n2 :\n"


def test_what_is_generated_can_be_run_again(serve: Callable[..., Any]) -> None:
    page = serve(generators.graph("complete", 60), "top-down")
    before = page.evaluate(INPUT)
    assert run_input(page) == before
