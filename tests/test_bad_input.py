"""The catalogue of bad and extreme input: that every row has a test, and the rows that belong to no one module."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from tests.support.families import named
from tests.support.oracle import distances

ROWS = range(1, 87)
METHODS = ("near-far", "output-parallel", "input-parallel", "input-parallel-refined")
BELLMAN_FORD = METHODS[1:]
MILLION = 10**6


def rows_of(name: str) -> set[int]:
    """Return the rows that a test carries in its name, as ``test_57_58_...`` or ``test_row_57_...``."""
    match = re.match(r"test_(?:row_)?((?:\d+_)+)", name)
    return {int(number) for number in match[1].split("_")[:-1]} if match else set()


def test_every_row_has_a_test() -> None:
    found = set()
    for file in Path(__file__).parent.rglob("test_*.py"):
        for name in re.findall(r"^ *def (test_\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE):
            found |= rows_of(name)
    assert sorted(set(ROWS) - found) == []


def family(name: str) -> tuple[reedsp.Graph, int, list[float]]:
    """Return a graph, a source and the right distances."""
    found = named(name)
    graph = found.graph()
    expected = distances(found.n, found.edges, found.source)
    return graph, found.source, [np.inf if each is None else float(each) for each in expected]


@pytest.mark.parametrize("method", [*BELLMAN_FORD, "auto"])
@pytest.mark.parametrize("name", ["negative edges", "negative edges, sparse"])
def test_09_negative_edges_without_a_cycle(name: str, method: str, device: Device) -> None:
    graph, source, expected = family(name)
    paths = reedsp.sssp(graph, source, method, device=device)
    assert paths.dist.tolist() == expected
    assert paths.verify()


@pytest.mark.parametrize("method", ["floyd-warshall", "min-plus", "johnson", "auto"])
def test_09_negative_edges_between_all_pairs(method: str, device: Device) -> None:
    graph, source, expected = family("negative edges")
    assert reedsp.apsp(graph, method, device=device).dist[source].tolist() == expected


def test_09_near_far_refuses_negative_edges(device: Device) -> None:
    graph, source, expected = family("negative edges")
    with pytest.raises(ValueError, match="method = 'near-far': needs weights that are not negative"):
        reedsp.sssp(graph, source, "near-far", device=device)
    assert reedsp.sssp(graph, source, device=device).dist.tolist() == expected


@pytest.mark.parametrize("method", METHODS)
def test_41_duplicate_sources_have_a_row_each(method: str, device: Device) -> None:
    graph, source, expected = family("grid")
    sources = [source, 5, source, -1, graph.n - 1, source]
    paths = reedsp.sssp(graph, sources, method, device=device)
    assert paths.dist.shape == paths.pred.shape == (6, graph.n)
    for row in (0, 2, 5):
        assert paths.dist[row].tolist() == expected
        assert np.array_equal(paths.pred[row], paths.pred[0])
    assert np.array_equal(paths.dist[3], paths.dist[4])
    assert paths.verify()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("empty", [[], (), np.empty(0, np.int64)], ids=["list", "tuple", "array"])
def test_42_no_sources(method: str, empty: object, device: Device) -> None:
    graph, source, expected = family("grid")
    paths = reedsp.sssp(graph, empty, method, device=device)
    assert paths.dist.shape == paths.pred.shape == (0, graph.n)
    assert reedsp.sssp(graph, source, method, device=device).dist.tolist() == expected


@pytest.mark.parametrize("method", ["near-far", "output-parallel", "input-parallel", "input-parallel-refined"])
@pytest.mark.parametrize("inward", [False, True])
def test_49_vertex_of_a_million_edges(method: str, inward: bool, device: Device) -> None:
    hub, leaves = np.zeros(MILLION, np.int64), np.arange(1, MILLION + 1)
    weights = 1 + leaves % 9
    ends = (leaves, hub) if inward else (hub, leaves)
    graph = reedsp.Graph.from_edges(MILLION + 1, *ends, weights)
    dist = reedsp.sssp(graph, 1 if inward else 0, method, device=device).dist
    if inward:
        assert dist[[0, 1]].tolist() == [weights[0], 0]
        assert np.isinf(dist[2:]).all()
    else:
        assert dist[0] == 0
        assert np.array_equal(dist[1:], weights)


def test_50_path_of_a_million_vertices(device: Device) -> None:
    weights = 1 + np.arange(MILLION - 1) % 3
    graph = reedsp.Graph.from_edges(MILLION, np.arange(MILLION - 1), np.arange(1, MILLION), weights)
    paths = reedsp.sssp(graph, 0, device=device)
    assert np.array_equal(paths.dist, np.concatenate([[0], np.cumsum(weights)]))
    assert np.array_equal(paths.pred[1:], np.arange(MILLION - 1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["complete", "grid", "star", "inward star"])
def test_51_complete_grid_star(name: str, method: str, device: Device) -> None:
    graph, source, expected = family(name)
    paths = reedsp.sssp(graph, source, method, device=device)
    assert paths.dist.tolist() == expected
    assert paths.verify()


@pytest.mark.parametrize("method", METHODS)
def test_52_relabelling_is_bounded(method: str, device: Device) -> None:
    """Label correcting in depth-first order relabels 2**12 times here; rounds are those of the longest path at most."""
    graph, source, expected = family("relabel killer")
    paths = reedsp.sssp(graph, source, method, device=device)
    assert paths.dist.tolist() == expected
    assert paths.rounds <= 10 * graph.n


EXIT = """
import numpy as np
import reedsp
from reedsp.device.discovery import get_device
from reedsp.device.job import Job

job = Job(get_device())
matrix = np.ones((600, 600), np.int32)
reedsp.min_plus_product(matrix, matrix)
from reedsp.arithmetic.matrix import integers_for
from reedsp.minplus.matrix import Block
from reedsp.minplus.selfcheck import trusted_products
weights = integers_for(1 << 20, True)
products = trusted_products(job, weights)
shape = products.padded((2048, 2048, 2048))
buffers = [job.upload(np.ones((2048, 2048), weights.dtype)) for _ in range(3)]
for _ in range(4):
    products.queue(*(Block(buffer, 2048) for buffer in buffers), shape)
job.device.queue.flush()
print("queued")
"""


@pytest.mark.deep("sys.exit", "a mistake")
@pytest.mark.parametrize("ending", ["", "import sys; sys.exit(3)", "raise ValueError('a mistake')"])
def test_86_interpreter_leaves_with_work_queued(ending: str, device: Device) -> None:
    environment = {**os.environ, "REEDSP_DEVICE": str(device.index)}
    command = [sys.executable, "-c", EXIT + ending]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert child.stdout == "queued\n"
    assert child.returncode == (3 if "exit" in ending else int("raise" in ending))
    assert ("ValueError: a mistake" in child.stderr) == ("raise" in ending)
    assert "Segmentation" not in child.stderr
