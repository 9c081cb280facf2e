"""Coordinates of maps such as those of osmnx; edges are compared in the tests of the backend."""

from __future__ import annotations

import re
from typing import Any

import networkx as nx
import pytest

import reedsp

TOWN = {11: (24.93, 60.17), 12: (24.94, 60.17), 7: (24.94, 60.18)}


def town(**crs: Any) -> nx.MultiDiGraph[Any]:
    """Return a graph as osmnx makes them."""
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph(**crs)
    for node, (x, y) in TOWN.items():
        graph.add_node(node, x=x, y=y, street_count=2)
    graph.add_edge(11, 12, osmid=1, length=553.2, travel_time=40)
    graph.add_edge(12, 7, osmid=2, length=1113.0, travel_time=80)
    graph.add_edge(12, 7, osmid=3, length=1200.0, travel_time=70)
    return graph


def test_a_map_keeps_its_coordinates() -> None:
    graph = reedsp.Graph.from_networkx(town(crs="epsg:4326"), "travel_time")
    assert graph.coordinates is not None
    assert dict(zip(graph.names, map(tuple, graph.coordinates.tolist()), strict=True)) == TOWN
    assert graph.geographic
    paths = reedsp.sssp(graph, 11)
    assert (paths.to_dict(), paths.path(7)) == ({11: 0.0, 12: 40.0, 7: 110.0}, [11, 12, 7])
    vertices, metres = reedsp.nearest_vertices(graph, [[24.9401, 60.1799]])
    assert vertices == [7]
    assert metres[0] < 20


def test_projected_coordinates_are_no_degrees() -> None:
    wkt = 'PROJCRS["WGS 84 / UTM zone 35N",BASEGEOGCRS["WGS 84",ID["EPSG",4326]],CONVERSION["UTM"],ID["EPSG",{}]]'
    for system in ("epsg:32635", "epsg:14326", wkt.format(32635), wkt.format(4326)):
        graph = reedsp.Graph.from_networkx(town(crs=system))
        assert not graph.geographic
        assert graph.coordinates is not None


@pytest.mark.parametrize(
    "system",
    [
        "EPSG:4326",
        4326,
        {"init": "epsg:4326"},
        "+init=epsg:4326 +type=crs",
        'GEOGCRS["WGS 84",DATUM["World Geodetic System 1984"],\nID["EPSG",4326]]',
    ],
)
def test_ways_to_say_that_coordinates_are_degrees(system: object) -> None:
    assert reedsp.Graph.from_networkx(town(crs=system)).geographic


@pytest.mark.parametrize("place", [(335.07, 60.18), (24.94, 99)])
def test_coordinates_that_cannot_be_degrees(place: tuple[float, float]) -> None:
    """Such as longitudes from 0 to 360: the graph has them as any others."""
    graph = town(crs="epsg:4326")
    graph.add_node(7, x=place[0], y=place[1])
    read = reedsp.Graph.from_networkx(graph)
    assert not read.geographic
    assert read.coordinates is not None
    assert tuple(read.coordinates[2]) == place


def test_what_is_no_map_has_no_coordinates() -> None:
    assert reedsp.Graph.from_networkx(town()).coordinates is None
    without_places = nx.path_graph(3)
    without_places.graph["crs"] = "epsg:4326"
    assert reedsp.Graph.from_networkx(without_places).coordinates is None
    assert reedsp.Graph.from_networkx(nx.Graph(crs="epsg:4326")).n == 0


def test_coordinates_that_are_strings() -> None:
    """As networkx.read_graphml and read_gml leave them in files that osmnx has written."""
    graph = town(crs="epsg:4326")
    for attributes in graph.nodes.values():
        attributes |= {"x": str(attributes["x"]), "y": str(attributes["y"])}
    read = reedsp.Graph.from_networkx(graph)
    assert read.coordinates is not None
    assert read.coordinates.tolist() == [list(place) for place in TOWN.values()]


def test_a_node_that_cannot_be_found_again() -> None:
    graph: nx.Graph[Any] = nx.Graph([(1, 2), (2, float("nan"))])
    with pytest.raises(ValueError, match=r"^node nan cannot be found again: it does not equal itself$"):
        reedsp.Graph.from_networkx(graph)


def test_what_is_wrong() -> None:
    graph = town(crs="epsg:4326")
    del graph.nodes[12]["y"]
    with pytest.raises(ValueError, match="node 12 has no x and y, while other nodes of this map have"):
        reedsp.Graph.from_networkx(graph)
    for value in (float("nan"), "inf", "60.17a", None, [60.17], 10**400, 1j):
        graph.nodes[12]["y"] = value
        with pytest.raises(ValueError, match=f"^node 12 has y = {re.escape(repr(value))}, expected a finite number$"):
            reedsp.Graph.from_networkx(graph)
