from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.spatial

import reedsp
from reedsp.graph.places import EARTH_RADIUS, metres_between


def graph_at(places: Any, **options: Any) -> reedsp.Graph:
    graph = reedsp.Graph.from_edges(len(places), [], [], **options)
    return graph.with_coordinates(np.reshape(places, (-1, 2)), geographic=True)


def test_metres_between() -> None:
    quarter = math.pi / 2 * EARTH_RADIUS
    places = np.array([[0, 0], [0, 0], [0, 90], [179, 0], [25, 60], [-90, 0]], float)
    others = np.array([[90, 0], [0, 90], [77, 90], [-179, 0], [25, 60], [90, 0]], float)
    expected = [quarter, quarter, 0, quarter * 2 / 90, 0, 2 * quarter]
    assert metres_between(places, others) == pytest.approx(expected, abs=1e-6)


def test_nearest_of_all() -> None:
    rng = np.random.default_rng(5)
    here = np.stack((rng.uniform(-180, 180, 300), np.degrees(np.arcsin(rng.uniform(-1, 1, 300)))), axis=1)
    asked = np.stack((rng.uniform(-180, 180, 200), rng.uniform(-90, 90, 200)), axis=1)
    vertices, metres = reedsp.nearest_vertices(graph_at(here), asked)
    every = metres_between(
        asked[:, np.newaxis].reshape(-1, 1, 2).repeat(300, 1).reshape(-1, 2), np.tile(here, (200, 1))
    )
    every = every.reshape(200, 300)
    assert vertices == every.argmin(axis=1).tolist()
    assert metres == pytest.approx(every.min(axis=1))


def test_names_and_places_across_the_date_line_and_the_pole() -> None:
    graph = graph_at([[179.9, 10], [0, 10], [0, 89.9]], labels=["Fiji", "Benin", "pole"])
    assert reedsp.nearest_vertices(graph, [(-179.9, 10), (180, 89), (-1, 11)])[0] == ["Fiji", "pole", "Benin"]
    numbered = graph_at([[0, 0], [1, 1]], offset=1)
    assert reedsp.nearest_vertices(numbered, [[1, 1]])[0] == [2]


def test_of_equally_near_vertices_the_first() -> None:
    graph = graph_at([[3, 3], [1, 1], [1, 1], [1, 1]])
    assert reedsp.nearest_vertices(graph, [[1, 1], [3, 3], [1.1, 1]])[0] == [1, 0, 1]


def test_of_vertices_as_near_on_either_side_the_first() -> None:
    for sides in ((1, -1), (-1, 1)):
        across = graph_at([[0, 50], *((0, side) for side in sides), *((side, 0) for side in sides)])
        assert reedsp.nearest_vertices(across, [[0, 0]])[0] == [1]
        along = graph_at([[0, 50], *((side, 0) for side in sides), *((0, side) for side in sides)])
        assert reedsp.nearest_vertices(along, [[0, 0]])[0] == [1]


def test_of_many_vertices_at_each_place_the_first() -> None:
    places = np.tile(np.random.default_rng(0).uniform(-80, 80, (20, 2)), (2, 1))
    found, metres = reedsp.nearest_vertices(graph_at(places), np.random.default_rng(1).uniform(-80, 80, (300, 2)))
    once = reedsp.nearest_vertices(graph_at(places[:20]), np.random.default_rng(1).uniform(-80, 80, (300, 2)))
    assert (found, metres.tolist()) == (once[0], once[1].tolist())


def test_millionths_of_a_degree() -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1]).with_coordinates(
        [[-73_530_767, 41_085_396], [-73_530_538, 41_086_098]]
    )
    vertices, metres = reedsp.nearest_vertices(graph, [[-73.530538, 41.0861]])
    assert vertices == [1]
    assert metres[0] < 1


def test_no_places() -> None:
    vertices, metres = reedsp.nearest_vertices(graph_at([[0, 0]]), [])
    assert (vertices, metres.shape) == ([], (0,))


@pytest.mark.parametrize(
    ("places", "error", "message"),
    [
        ([[0, 0], [181, 0]], ValueError, r"places\[1, 0\] is 181.0, expected a longitude in degrees"),
        ([[0, -91]], ValueError, r"places\[0, 1\] is -91.0, expected a latitude in degrees"),
        ([[0, np.nan]], ValueError, r"places\[0, 1\] is nan"),
        ([0, 0], ValueError, r"places has shape \(2,\), expected \(count, 2\)"),
        ([["1", "2"]], TypeError, "places has dtype"),
        ([[1, 2], [3]], ValueError, "places"),
        ([[1, None]], TypeError, "places has dtype object"),
    ],
)
def test_places_that_are_none(places: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.nearest_vertices(graph_at([[0, 0]]), places)


def test_graphs_without_geographic_coordinates() -> None:
    plain = reedsp.Graph.from_edges(2, [0], [1])
    with pytest.raises(ValueError, match="graph has no geographic coordinates"):
        reedsp.nearest_vertices(plain, [[0, 0]])
    with pytest.raises(ValueError, match="graph has no geographic coordinates"):
        reedsp.nearest_vertices(plain.with_coordinates([[0, 0], [1, 1]]), [[0, 0]])
    with pytest.raises(ValueError, match="graph has no vertices"):
        reedsp.nearest_vertices(graph_at([]), [[0, 0]])
    with pytest.raises(TypeError, match=r"graph: expected a reedsp\.Graph"):
        reedsp.nearest_vertices([[0, 1], [1, 0]], [[0, 0]])  # type: ignore[arg-type]


def test_one_place_has_one_name_at_the_antimeridian_and_the_poles() -> None:
    for places in ([[-180, 7], [180, 7]], [[180, 7], [-180, 7]], [[33, 90], [-80, 90]], [[1, -90], [0, -90]]):
        graph = reedsp.Graph.from_edges(2, [], []).with_coordinates(places, geographic=True)
        assert reedsp.nearest_vertices(graph, places)[0] == [0, 0]


def test_masked_places() -> None:
    graph = reedsp.Graph.from_edges(1, [], []).with_coordinates([[0, 0]], geographic=True)
    with pytest.raises(ValueError, match=r"^places\[1, 0\] is masked$"):
        reedsp.nearest_vertices(graph, np.ma.array([[0, 0], [5, 5]], mask=[[0, 0], [1, 1]]))


def test_vertices_that_lie_in_one_place_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = []
    tree_of = scipy.spatial.cKDTree
    monkeypatch.setattr(scipy.spatial, "cKDTree", lambda points: trees.append(points) or tree_of(points))
    graph = reedsp.Graph.from_edges(5000, [], []).with_coordinates(
        np.tile([[3, 4], [7, 8]], (2500, 1)), geographic=True
    )
    assert reedsp.nearest_vertices(graph, [[7, 8]] * 5000)[0] == [1] * 5000
    assert [len(points) for points in trees] == [5000, 2]


@pytest.mark.parametrize("place", [[10, 0], [0, 45], [7, 47], [-33, -12]])
@pytest.mark.parametrize("axis", [0, 1])
def test_of_vertices_as_many_metres_away_the_first(place: list[float], axis: int) -> None:
    """Chords are rounded otherwise than the metres that are returned."""
    for step in (1.0, 0.25):
        offset = np.eye(2)[axis] * step
        graph = graph_at([place + offset, place - offset])
        metres = metres_between(np.array([place, place], float), graph.coordinates)
        assert reedsp.nearest_vertices(graph, [place])[0] == [int(np.argmin(metres))]


def test_many_vertices_as_near_as_each_other() -> None:
    """All of a circle of latitude, from the pole; each different place is looked at once."""
    around = np.stack((np.linspace(-180, 179, 360), np.full(360, 80.0)), axis=1)
    found, metres = reedsp.nearest_vertices(graph_at(around), [[0, 90]] * 1000)
    assert found == [int(np.argmin(metres_between(np.array([[0.0, 90.0]]), around)))] * 1000
    assert np.ptp(metres) == 0
