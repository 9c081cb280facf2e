"""Pictures: what is drawn, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

import reedsp

matplotlib.use("Agg")
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _no_figures_stay() -> Iterator[None]:
    yield
    plt.close("all")


def path_of(n: int, **naming: Any) -> reedsp.Graph:
    return reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), **naming)


def test_edges_that_no_path_takes_are_on_the_map_too(device: reedsp.Device) -> None:
    places = [[0, 0], [1, 0], [0, 5], [1, 5]]
    graph = reedsp.Graph.from_edges(4, [0, 2], [1, 3]).with_coordinates(places)
    ax = reedsp.sssp(graph, 0, device=device).plot()
    lines = [path.vertices.tolist() for each in ax.collections for path in each.get_paths() if len(path.vertices)]
    assert sorted(lines) == [places[:2], places[2:]]


@pytest.mark.parametrize("reached", [60, 61])
def test_a_tree_is_drawn_with_its_names_as_far_as_the_guide_says(reached: int, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(70, np.zeros(reached - 1, int), np.arange(1, reached))
    ax = reedsp.sssp(graph, 0, device=device).plot()
    assert len(ax.texts) == (60 if reached == 60 else 0)


def test_names_below_a_matrix_do_not_run_into_one_another(device: reedsp.Device) -> None:
    for graph, rotation in ((path_of(3, labels=["Bern", "Thun", "Spiez"]), 90), (path_of(3), 0)):
        ax = reedsp.apsp(graph, device=device).plot()
        assert {label.get_rotation() for label in ax.get_xticklabels()} == {rotation}
        assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}
