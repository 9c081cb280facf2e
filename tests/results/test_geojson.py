from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import reedsp

PLACES = [[0, 0], [1, 0], [1, 1], [3, 1]]


def graph_of(weights: Any = (2, 4, 6), **options: Any) -> reedsp.Graph:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], weights, **options)
    return graph.with_coordinates(PLACES, geographic=True)


def test_route() -> None:
    graph = graph_of(labels=["a", "b", "c", "d"])
    line = reedsp.route_geojson(graph, reedsp.sssp(graph, "a").path("c"))
    assert line["type"] == "Feature"
    assert line["geometry"] == {"type": "LineString", "coordinates": [[0, 0], [1, 0], [1, 1]]}
    assert line["properties"] == {"distance": 6, "vertices": ["a", "b", "c"]}
    assert json.loads(json.dumps(line)) == line


def test_route_of_one_vertex_and_of_fractions() -> None:
    point = reedsp.route_geojson(graph_of(), [3])
    assert point["geometry"] == {"type": "Point", "coordinates": [3, 1]}
    assert point["properties"]["distance"] == 0
    assert reedsp.route_geojson(graph_of([0.1, 0.2, 0.3]), [0, 1, 2, 3])["properties"]["distance"] == 0.6


def test_route_of_numbers_of_numpy() -> None:
    line = reedsp.route_geojson(graph_of(), np.array([0, 1]))
    assert json.loads(json.dumps(line)) == line
    assert line["properties"] == {"distance": 2, "vertices": [0, 1]}


def test_millionths_of_a_degree() -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1]).with_coordinates(
        [[-73_530_767, 41_085_396], [-73_530_538, 41_086_098]]
    )
    coordinates = reedsp.route_geojson(graph, [0, 1])["geometry"]["coordinates"]
    assert coordinates == [[-73.530767, 41.085396], [-73.530538, 41.086098]]


@pytest.mark.parametrize(
    ("route", "message"),
    [
        ([], "route has no vertices"),
        ([0, 7], r"route\[1\] = 7 is not a vertex"),
        ([0, 1, 0], r"route\[2\]: no edge leads from 1 to 0"),
        ([0, 3], r"route\[1\]: no edge leads from 0 to 3"),
    ],
)
def test_what_is_no_route(route: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reedsp.route_geojson(graph_of(), route)


def test_graph_without_places() -> None:
    plain = reedsp.Graph.from_edges(2, [0], [1])
    with pytest.raises(ValueError, match="graph has no geographic coordinates"):
        reedsp.route_geojson(plain, [0, 1])
    with pytest.raises(ValueError, match="graph has no geographic coordinates"):
        reedsp.isochrone_geojson(reedsp.sssp(plain, 0), 1)


def lines_of(feature: dict[str, Any]) -> list[Any]:
    assert feature["geometry"]["type"] == "MultiLineString"
    lines: list[Any] = feature["geometry"]["coordinates"]
    return lines


def test_isochrone_cuts_the_road_where_it_ends() -> None:
    area = reedsp.isochrone_geojson(reedsp.sssp(graph_of(), 0), [0, 1, 2, 9])
    assert json.loads(json.dumps(area)) == area
    assert [each["properties"] for each in area["features"]] == [
        {"cutoff": 0, "vertices": 1},
        {"cutoff": 1, "vertices": 1},
        {"cutoff": 2, "vertices": 2},
        {"cutoff": 9, "vertices": 3},
    ]
    first, second, third, last = map(lines_of, area["features"])
    assert first == []
    assert second == [[[0, 0], [0.5, 0]]]
    assert third == [[[0, 0], [1, 0]]]
    assert last == [[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [2, 1]]]


def test_isochrone_of_a_search_with_a_bound_is_the_same() -> None:
    rng = np.random.default_rng(3)
    graph = reedsp.Graph.from_edges(50, rng.integers(0, 50, 200), rng.integers(0, 50, 200), rng.integers(0, 9, 200))
    graph = graph.with_coordinates(rng.uniform(-1, 1, (50, 2)), geographic=True)
    whole = reedsp.isochrone_geojson(reedsp.sssp(graph, 7), 6)
    assert whole == reedsp.isochrone_geojson(reedsp.sssp(graph, 7, cutoff=6), 6)
    several = reedsp.sssp(graph, [3, 7], dtype="int32")
    assert reedsp.isochrone_geojson(several, 6, 7) == whole


def test_roads_across_the_meridian_opposite_to_greenwich() -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [20]).with_coordinates([[179.9, 0], [-179.9, 1]], geographic=True)
    before, behind = [[179.9, 0], [180, 0.5]], [[-180, 0.5], [-179.95, 0.75]]
    for cutoff, lines in ((5, [[[179.9, 0], [179.95, 0.25]]]), (15, [before, behind])):
        [area] = reedsp.isochrone_geojson(reedsp.sssp(graph, 0), cutoff)["features"]
        assert lines_of(area) == lines


def test_a_search_does_not_know_what_is_beyond_its_end(device: reedsp.Device) -> None:
    n = 400
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), [10] * (n - 1), directed=False)
    graph = graph.with_coordinates(np.c_[np.arange(n) * 0.001, np.zeros(n)], geographic=True)
    whole = reedsp.sssp(graph, 0, device=device)
    assert reedsp.isochrone_geojson(whole, 1000)["features"][0]["properties"]["vertices"] == 101
    for paths in (
        reedsp.sssp(graph, 0, target=3, method="near-far", device=device),
        reedsp.sssp(graph, 0, cutoff=30, device=device),
        reedsp.sssp(graph, 0, cutoff=30, target=399, device=device),
    ):
        assert reedsp.isochrone_geojson(paths, [7, 30]) == reedsp.isochrone_geojson(whole, [7, 30])
        with pytest.raises(ValueError, match=r"^cutoffs\[1\] = 31, but the search ended at a distance of 30"):
            reedsp.isochrone_geojson(paths, [30, 31])
        assert paths.verify()


def test_what_is_no_search_for_distances() -> None:
    for wrong in (reedsp.bfs(graph_of(), 0), reedsp.apsp(graph_of()), graph_of()):
        with pytest.raises(TypeError, match=r"^paths: expected a result of reedsp\.sssp, got "):
            reedsp.isochrone_geojson(wrong, 1)  # type: ignore[arg-type]


def test_cutoffs_that_are_none() -> None:
    paths = reedsp.sssp(graph_of(), 0)
    for nothing in ("5", None, [[1, 2]], True):
        with pytest.raises(TypeError, match=r"^cutoffs: expected a number or several, got "):
            reedsp.isochrone_geojson(paths, nothing)  # type: ignore[arg-type]
    for wrong in (-1, np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"cutoffs\[1\] = {wrong}, expected a finite distance"):
            reedsp.isochrone_geojson(paths, [1, wrong])
    with pytest.raises(ValueError, match=r"^cutoffs: "):
        reedsp.isochrone_geojson(paths, [[1], [1, 2]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="negative weights"):
        reedsp.isochrone_geojson(reedsp.sssp(graph_of([2, -1, 3]), 0), 1)


def test_isochrone_compares_integers_beyond_float64() -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**53, 1]).with_coordinates(PLACES[:3], geographic=True)
    paths = reedsp.sssp(graph, 0, dtype="int64")
    for cutoff, vertices, lines in [(2**53, 2, 1), (2**53 + 1, 3, 2), (float(2**53), 2, 1), (2**53 - 1, 1, 1)]:
        [area] = reedsp.isochrone_geojson(paths, cutoff)["features"]
        assert area["properties"] == {"cutoff": cutoff, "vertices": vertices}
        assert len(area["geometry"]["coordinates"]) == lines


def test_isochrone_of_integers_up_to_a_fraction() -> None:
    areas = reedsp.isochrone_geojson(reedsp.sssp(graph_of(), 0, dtype="int64"), [4.5, 20])["features"]
    assert areas[0]["properties"] == {"cutoff": 4.5, "vertices": 2}
    assert areas[0]["geometry"]["coordinates"] == [[[0, 0], [1, 0]], [[1, 0], [1, 0.625]]]
    assert repr(areas[1]["properties"]["cutoff"]) == "20"  # as it was given, beside a fraction


def test_isochrone_has_roads_of_no_length_where_it_ends() -> None:
    area = reedsp.isochrone_geojson(reedsp.sssp(graph_of([2, 0, 6]), 0), 2)["features"][0]
    assert area["properties"]["vertices"] == 3
    assert area["geometry"]["coordinates"] == [[[0, 0], [1, 0]], [[1, 0], [1, 1]]]


def test_masked_cutoffs() -> None:
    with pytest.raises(ValueError, match=r"^cutoffs\[1\] is masked$"):
        reedsp.isochrone_geojson(reedsp.sssp(graph_of(), 0), np.ma.array([5, 10], mask=[0, 1]))


@pytest.mark.parametrize(
    ("places", "lines"),
    [
        ([[179, 0], [-179, 2]], [[[179, 0], [180, 1]], [[-180, 1], [-179, 2]]]),
        ([[-179, 0], [178, 3]], [[[-179, 0], [-180, 1]], [[180, 1], [178, 3]]]),
        (
            [[178, 0], [179, 0], [-179, 2], [-178, 2]],
            [[[178, 0], [179, 0], [180, 1]], [[-180, 1], [-179, 2], [-178, 2]]],
        ),
        ([[180, 4], [-179, 2]], [[[-180, 4], [-179, 2]]]),
        ([[179, 4], [-180, 2]], [[[179, 4], [180, 2]]]),
        ([[180, 4], [-180, 2]], [[[-180, 4], [-180, 2]]]),
        ([[180, 10], [-180, 10]], [[[180, 10], [180, 10]]]),
        ([[170, 0], [180, 0], [-179, 1]], [[[170, 0], [180, 0]], [[-180, 0], [-179, 1]]]),
        (
            [[179, 1], [-179, 1], [179, 1]],
            [[[179, 1], [180, 1]], [[-180, 1], [-179, 1], [-180, 1]], [[180, 1], [179, 1]]],
        ),
        ([[179, 1], [179, 1]], [[[179, 1], [179, 1]]]),
    ],
)
def test_lines_are_cut_at_the_antimeridian(places: list[list[float]], lines: list[Any]) -> None:
    """A map would draw a line from 179 to -179 degrees around the whole earth."""
    n = len(places)
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), [10] * (n - 1)).with_coordinates(
        places, geographic=True
    )
    geometry = reedsp.route_geojson(graph, range(n))["geometry"]
    assert (geometry["coordinates"] if geometry["type"] == "MultiLineString" else [geometry["coordinates"]]) == lines
    if n == 2:
        area = reedsp.isochrone_geojson(reedsp.sssp(graph, 0), 10)["features"][0]
        assert area["geometry"]["coordinates"] == lines


@pytest.mark.parametrize("route", [None, "ab", 3])
def test_what_is_no_sequence_of_vertices(route: Any) -> None:
    with pytest.raises(TypeError, match=r"^route: expected vertices one after the other"):
        reedsp.route_geojson(graph_of(), route)


@pytest.mark.parametrize("dtype", ["int32", "int64", None])
@pytest.mark.parametrize("cutoff", [2**31, 3e9, 2**63, 1e19, 10**20, 1e300])
def test_cutoffs_beyond_all_distances(dtype: Any, cutoff: float) -> None:
    paths = reedsp.sssp(graph_of(), 0, dtype=dtype)
    for given in (cutoff, [1.5, cutoff]):
        area = reedsp.isochrone_geojson(paths, given)["features"][-1]
        assert area["properties"] == {"cutoff": cutoff, "vertices": 4}
        assert area["geometry"]["coordinates"] == [[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [3, 1]]]
