"""DIMACS coordinate files, and graphs that know where their vertices lie."""

from __future__ import annotations

import copy
import gzip
import lzma
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import reedsp
from reedsp.io import coordinates

GOOD = b"c a comment\np aux sp co 3\nc\nv 2 -5 7\nv 1 0 1\nv 3 12 -9\n"
PLACES = [[0, 1], [-5, 7], [12, -9]]


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes], Path]:
    """Writes a file and returns its name."""

    def write(content: bytes) -> Path:
        path = tmp_path / "places.co"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_plain_and_compressed(pack: Callable[[bytes], bytes], file: Callable[[bytes], Path]) -> None:
    places = reedsp.read_coordinates(file(pack(GOOD)))
    assert places.dtype == np.float64
    assert places.tolist() == PLACES


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b" ", b" \t "),
        GOOD.rstrip(),
        GOOD + b"\n\nc the end\n",
        b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"-9", b"-9.0").replace(b"12", b"+1.2e1"),
    ],
)
def test_what_else_is_good(content: bytes, file: Callable[[bytes], Path]) -> None:
    assert reedsp.read_coordinates(file(content)).tolist() == PLACES


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (b"", ":1", "empty"),
        (b"p sp 3 3\n", ":1", "'p aux sp co n'"),
        (b"v 1 2 3\n", ":1", "header"),
        (b"p aux sp co x\n", ":1", "number"),
        (b"p aux sp co 2 2\n", ":1", "header"),
        (GOOD.replace(b"v 3", b"v 4"), ":6", "'4' is outside 1 .. 3"),
        (GOOD.replace(b"v 3", b"v 0"), ":6", "'0' is outside 1 .. 3"),
        (GOOD.replace(b"v 3", b"v 1"), ":6", "vertex 1 once more"),
        (GOOD.replace(b"v 3", b"a 3"), ":6", "'v vertex x y'"),
        (GOOD.replace(b" -9", b""), ":6", "'v vertex x y'"),
        (GOOD.replace(b" -9", b" -9 1"), ":6", "'v vertex x y'"),
        (GOOD.replace(b" -9", b" nan"), ":6", "coordinate, got 'nan'"),
        (GOOD.replace(b" -9", b" 1e999"), ":6", "too large"),
        (GOOD.replace(b" -9", b" \xff"), ":6", "not UTF-8"),
        (GOOD + b"p aux sp co 3\n", ":7", "second header"),
        (GOOD[:-10], ":5", "line 2 declares 3 vertices, but 3 is missing"),
        (b"p aux sp co 1000000000000\nv 1 2 3\n", ":1", "more than"),
        (gzip.compress(GOOD, mtime=0)[:-9], ":", "damaged"),
        (gzip.compress(b"c" * (1 << 27), mtime=0), ":", "expands"),
    ],
)
def test_faults_have_a_line(content: bytes, place: str, words: str, file: Callable[[bytes], Path]) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        reedsp.read_coordinates(file(content))
    assert re.match(r".*places\.co" + place, str(caught.value))


def test_blocks_and_single_lines_read_the_same(file: Callable[[bytes], Path]) -> None:
    rng = np.random.default_rng(0)
    places = rng.integers(-(10**9), 10**9, (50_000, 2))
    lines = [b"v %d %d %d" % (vertex + 1, *place) for vertex, place in enumerate(places.tolist())]
    rng.shuffle(lines)
    head = b"p aux sp co 50000\n"
    assert np.array_equal(reedsp.read_coordinates(file(head + b"\n".join(lines))), places)
    mixed = [line + b"\nc" if number % 50 == 0 else line for number, line in enumerate(lines)]
    assert np.array_equal(reedsp.read_coordinates(file(head + b"\n".join(mixed))), places)
    repeated = head + b"\n".join([*lines[:40_000], lines[7], *lines[40_001:]])
    with pytest.raises(ValueError, match=rf":40002: vertex {lines[7].split()[1].decode()} once more"):
        reedsp.read_coordinates(file(repeated))
    for wrong, words in (
        (b"v 0 1 2", "'0' is outside 1 .. 50000"),
        (b"v 50001 1 2", "'50001' is outside 1 .. 50000"),
        (b"v x 1 2", "number, got 'x'"),
        (b"v 7 x 2", "coordinate, got 'x'"),
        (b"v 7 1 2x", "coordinate, got '2x'"),
    ):
        with pytest.raises(ValueError, match=f":40002: .*{words}"):
            reedsp.read_coordinates(file(head + b"\n".join([*lines[:40_000], wrong, *lines[40_001:]])))


def test_no_regular_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        reedsp.read_coordinates(tmp_path / "none.co")
    with pytest.raises(IsADirectoryError):
        reedsp.read_coordinates(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular"):
        reedsp.read_coordinates(tmp_path / "pipe")


def test_new_york(shared_data: Path) -> None:
    folder = shared_data / "dimacs-ny"
    places = reedsp.read_coordinates(folder / "USA-road-d.NY.co.gz")
    assert places.shape == (264346, 2)
    assert places[0].tolist() == [-73530767, 41085396]
    assert (places.min(axis=0) > [-75_000_000, 40_000_000]).all()
    assert (places.max(axis=0) < [-73_000_000, 42_000_000]).all()


def test_a_graph_with_coordinates() -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3], directed=False, offset=1)
    graph.in_edges()
    assert graph.coordinates is None
    given = np.array(PLACES)
    placed = graph.with_coordinates(given)
    given[:] = 0
    assert graph.coordinates is None
    assert placed.coordinates is not None
    assert placed.coordinates.tolist() == PLACES
    assert placed.indices is graph.indices
    assert placed.in_edges().weights is graph.weights
    assert (placed.n, placed.m, placed.directed, placed.offset, placed.labels) == (3, 4, False, 1, None)
    with pytest.raises(ValueError, match="read-only"):
        placed.coordinates[0, 0] = 1
    with pytest.raises(AttributeError):
        placed.coordinates = None
    for same in (copy.copy(placed), copy.deepcopy(placed), pickle.loads(pickle.dumps(placed))):
        assert same.coordinates.tolist() == PLACES
        assert not same.coordinates.flags.writeable
        assert np.array_equal(same.weights, graph.weights)
        assert same.directed is False


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([[0, 1]], ValueError, r"coordinates has shape \(1, 2\), expected \(2, 2\)"),
        ([0, 1], ValueError, "shape"),
        ([[0, 1], [np.nan, 0]], ValueError, r"coordinates\[1, 0\] is nan"),
        ([[0, np.inf], [0, 0]], ValueError, r"coordinates\[0, 1\] is inf"),
        ([["a", "b"], ["c", "d"]], TypeError, "coordinates has dtype"),
        ([[1j, 0], [0, 0]], TypeError, "coordinates has dtype"),
    ],
)
def test_coordinates_that_are_none(given: object, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        reedsp.Graph.from_edges(2, [0], [1]).with_coordinates(given)


@pytest.mark.parametrize(
    ("given", "told", "geographic"),
    [
        ([[-73530767, 41085396], [-73530538, 41086098]], None, True),  # millionths of a degree, as DIMACS has them
        ([[-73530767, 41085396], [-73530538, 41086098]], False, False),
        ([[-73.53, 41.08], [-73.54, 41.09]], None, False),  # could be anything
        ([[-73.53, 41.08], [-73.54, 41.09]], True, True),
        ([[0, 0], [1000, 999]], None, False),  # a grid
        ([[5e6, 5e6], [6e6, 5e6 + 0.5]], None, False),  # metres
        ([[181e6, 1], [0, 0]], None, False),
        ([[0, 91e6], [0, 0]], None, False),
        ([[180, 90], [-180, -90]], True, True),
        ([[180e6, 90e6], [-180e6, -90e6]], True, True),
        ([[1e6 + 1, 0], [0, 0]], True, True),
        ([[2e6 + 0.5, 0], [0, 0]], True, True),  # the mean of two
        ([[1500, 0], [0, 900]], True, True),
    ],
)
def test_longitude_and_latitude(given: object, told: bool | None, geographic: bool) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    assert graph.geographic is False
    assert reedsp.Graph.from_dense([[0, 1], [0, 0]]).geographic is False
    placed = graph.with_coordinates(given, geographic=told)
    assert placed.geographic is geographic
    assert pickle.loads(pickle.dumps(placed)).geographic is geographic


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[0, 0], [0, -90.5]], r"coordinates\[1, 1\] is -90.5, expected a latitude"),
        (
            [[181e6, 0], [0, 0]],
            r"is 181000000.0, expected a longitude in millionths of a degree, as some are beyond 1000$",
        ),
        (
            [[179.5, 60], [180.5, 60]],
            r"coordinates\[1, 0\] is 180.5, expected a longitude in degrees, as none is beyond",
        ),
        (
            [[0, 60], [360, 60]],
            r"coordinates\[1, 0\] is 360.0, expected a longitude in degrees, as none is beyond 1000$",
        ),
    ],
)
def test_no_longitude_or_latitude(given: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        reedsp.Graph.from_edges(2, [0], [1]).with_coordinates(given, geographic=True)


def test_parts_of_a_map_in_millionths_are_in_millionths() -> None:
    """Also where those of the part alone could be of anything."""
    graph = reedsp.Graph.from_edges(3, [0, 1, 1], [1, 0, 2]).with_coordinates([[500, 0], [0, 900], [2e6, 0]])
    for whole in (graph, graph.reverse()):
        for part in (whole.subgraph([0, 1]), pickle.loads(pickle.dumps(whole.subgraph([0, 1])))):
            assert part.geographic
            assert reedsp.route_geojson(part, [0, 1])["geometry"]["coordinates"] == [[0.0005, 0], [0, 0.0009]]


def test_fractions_are_read_at_once() -> None:
    given = np.random.default_rng(0).uniform(-180, 180, (500, 2))
    lines = "".join(f"v {vertex} {x!r} {y!r}\n" for vertex, (x, y) in enumerate(given.tolist(), 1))
    found = coordinates._place_block(2, lines.encode(), 500)
    assert found is not None
    assert np.array_equal(found.places, given)


def test_infinite_coordinates_are_a_fault_of_their_line(file: Callable[[bytes], Path]) -> None:
    with pytest.raises(ValueError, match=":3: expected a number as coordinate, got 'inf'"):
        reedsp.read_coordinates(file(b"p aux sp co 2\nv 1 0.5 1\nv 2 inf 2\n"))
