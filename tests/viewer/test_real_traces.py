"""Traces of real kernels on the page: of every algorithm, each step, and pictures of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import reedsp
from reedsp.viewer import generators
from reedsp.viewer.algorithms.catalogue import ALGORITHMS
from tests.viewer.conftest import DESKTOP, PHONE
from tests.viewer.replay import states
from tests.viewer.test_in_browser import PICTURE, SCREENSHOTS, VALUES, go, until


def input_of(algorithm: str) -> Any:
    problem = ALGORITHMS[algorithm].problem
    if problem.kind == "array":
        return generators.array("random", 24)
    if problem.name == "matching":
        return generators.graph("bipartite", 20)
    if problem.name == "all pairs":
        return generators.graph("random", 12)
    return generators.graph("road", 30)


@pytest.mark.deep
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_on_the_page(open_page: Callable[..., Any], device: reedsp.Device, algorithm: str) -> None:
    trace = reedsp.trace(input_of(algorithm), algorithm, device=device).to_json()
    expected = states(trace)
    for name, values in trace["result"].items():
        assert expected[-1][name] == values
    page = open_page([trace], address=f"#{algorithm}/0")
    assert page.is_hidden("#failure")
    pictures = []
    for k, state in enumerate(expected):
        go(page, k)
        assert page.evaluate(VALUES) == state
        assert page.inner_text("#kernel") == trace["steps"][k]["kernel"]
        assert page.inner_text("#says") == trace["steps"][k]["says"]
        pictures.append(page.evaluate(PICTURE))
    for k in reversed(range(len(expected))):
        go(page, k)
        assert page.evaluate(PICTURE) == pictures[k]
    if SCREENSHOTS:
        Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        go(page, len(expected) // 2)
        until(page, f"location.hash === '#{algorithm}/{len(expected) // 2}'")
        for width, height in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(100)
            page.screenshot(path=Path(SCREENSHOTS) / f"real-{algorithm}-{width}.png")


@pytest.mark.deep
def test_a_scan_is_drawn_as_a_tree(open_page: Callable[..., Any], device: reedsp.Device) -> None:
    """Each node shows what its cell held when its level was written last."""
    trace = reedsp.trace([3, 1, 7, 1, 4, 1, 6, 3], "blelloch-tree", device=device).to_json()
    page = open_page([trace], address="#blelloch-tree/0")
    nodes: dict[tuple[int, int], tuple[Any, int]] = {}
    for k, (step, state) in enumerate(zip(trace["steps"], states(trace), strict=True)):
        go(page, k)
        level = 0 if k == 0 else step["level"]
        if level is not None:
            for j in range(8 >> level):
                nodes[level, j] = state["tree"][((j + 1) << level) - 1], k
        every = [nodes.get((level, j)) for level in range(4) for j in range(8 >> level)]
        look = "all => all.map(g => [g.textContent, g.getAttribute('class')])"
        shown = page.eval_on_selector_all("#array .tree .node", look)
        assert [text for text, _ in shown] == ["" if each is None else str(each[0]) for each in every]
        new = ["node none" if each is None else "node changed" if each[1] == k > 0 else "node" for each in every]
        assert [kind for _, kind in shown] == new
    assert len(nodes) == 15
    page = open_page([reedsp.trace([3, 1, 7], "naive-scan", device=device).to_json()], address="#naive-scan/1")
    assert page.is_hidden("#array .tree")
