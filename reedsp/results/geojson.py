"""Routes and isochrones as GeoJSON, which maps on the web and geographic information systems read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, as_array, edge_sources
from reedsp.graph.places import degrees_of
from reedsp.results.shortest_paths import ShortestPaths

_DECIMALS = 7  # of a degree: a centimetre
_LARGEST = np.iinfo(np.int64).max
_REAL = (int, float, np.integer, np.floating)


def route_geojson(graph: Graph, route: Iterable[Hashable]) -> dict[str, Any]:
    """Return a route as a line of GeoJSON.

    Parameters
    ----------
    graph : Graph
        With geographic coordinates.
    route : iterable of int or of other names
        Its vertices, as :meth:`ShortestPaths.path` returns them.

    Returns
    -------
    dict
        A ``Feature`` with a ``LineString``, or a ``Point`` if there is one vertex, or a ``MultiLineString`` if the
        route crosses the antimeridian, where lines are cut (RFC 7946, section 3.1.9). Its properties are ``distance``,
        the sum of the weights, and ``vertices``. :func:`json.dump` writes it.

    Raises
    ------
    TypeError, ValueError
        The graph has no geographic coordinates, the route has no vertices, one is no vertex, or no edge leads from one
        to the next; the message names the position.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1], [27], labels=["Bern", "Thun"])
    >>> graph = graph.with_coordinates([[7.44, 46.95], [7.63, 46.76]], geographic=True)
    >>> line = reedsp.route_geojson(graph, ["Bern", "Thun"])
    >>> line["geometry"]
    {'type': 'LineString', 'coordinates': [[7.44, 46.95], [7.63, 46.76]]}
    >>> line["properties"]
    {'distance': 27, 'vertices': ['Bern', 'Thun']}
    """
    degrees = degrees_of(graph)
    if isinstance(route, str) or not isinstance(route, Iterable):
        raise TypeError(f"route: expected vertices one after the other, got {route!r}")
    names = list(route)
    if not names:
        raise ValueError("route has no vertices")
    vertices = []
    for position, name in enumerate(names):
        try:
            vertices.append(graph.index(name))
        except ValueError as error:
            raise ValueError(f"route[{position}] = {error}") from None
    places = degrees[vertices].tolist()
    if len(places) == 1:
        geometry = {"type": "Point", "coordinates": places[0]}
    elif len(lines := _cut_at_antimeridian(places)) == 1:
        geometry = {"type": "LineString", "coordinates": lines[0]}
    else:
        geometry = {"type": "MultiLineString", "coordinates": lines}
    return _feature(geometry, {"distance": _length(graph, vertices), "vertices": [graph.names[v] for v in vertices]})


def isochrone_geojson(paths: ShortestPaths, cutoffs: npt.ArrayLike, source: Hashable | None = None) -> dict[str, Any]:
    """Return how far a search reaches on a map: the roads, or parts of them, that end within a distance.

    Parameters
    ----------
    paths : ShortestPaths
        Of a graph with geographic coordinates and weights that are not negative.
    cutoffs : float, or array_like of float
        Distances, in the unit of the weights. None may be larger than a ``cutoff`` of the search itself, nor than the
        distance of a ``target`` at which it stopped.
    source : int or other name, optional
        Which of several sources.

    Returns
    -------
    dict
        A ``FeatureCollection`` with a ``MultiLineString`` for each cutoff: each edge from a vertex that is reached, as
        far as the distance allows, and cut where it crosses the antimeridian. Its properties are ``cutoff``, and
        ``vertices``, the number of those reached.

    Raises
    ------
    TypeError, ValueError
        `paths` is no result of a search for distances, or its graph has no geographic coordinates or has negative
        weights; a cutoff is no number, negative, infinite, NaN, or beyond what the search has looked at.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1], [20], labels=["Bern", "Thun"])
    >>> graph = graph.with_coordinates([[7.44, 46.95], [7.64, 46.75]], geographic=True)
    >>> area = reedsp.isochrone_geojson(reedsp.sssp(graph, "Bern"), 10)
    >>> area["features"][0]["geometry"]["coordinates"]
    [[[7.44, 46.95], [7.54, 46.85]]]
    """
    if not isinstance(paths, ShortestPaths):
        raise TypeError(f"paths: expected a result of reedsp.sssp, got {type(paths).__name__}")
    graph = paths.graph
    degrees = degrees_of(graph)
    if graph.has_negative_weights:
        raise ValueError("paths: the graph has negative weights, for which no distance bounds where a path leads")
    row = paths._row(source)
    dist, _, reached = paths._arrays(row)
    limits, known = _numbers(cutoffs), paths._complete_to(row)
    for position, limit in enumerate(limits):
        if not 0 <= limit < math.inf:
            raise ValueError(f"cutoffs[{position}] = {limit}, expected a finite distance that is not negative")
        if limit > known:
            raise ValueError(f"cutoffs[{position}] = {limit}, but the search ended at a distance of {known}")
    features = [_reach(graph, degrees, dist, reached, limit) for limit in limits]
    return {"type": "FeatureCollection", "features": features}


def _numbers(cutoffs: npt.ArrayLike) -> list[int | float]:
    """Return the cutoffs as numbers of Python: an integer of any size, also beside a fraction, stays one."""
    given = np.atleast_1d(as_array(cutoffs, "cutoffs"))
    numbers = list(cutoffs) if isinstance(cutoffs, (list, tuple)) else given.tolist()
    if given.ndim != 1 or not all(isinstance(each, _REAL) and not isinstance(each, bool) for each in numbers):
        raise TypeError(f"cutoffs: expected a number or several, got {cutoffs!r}")
    return [int(each) if isinstance(each, (int, np.integer)) else float(each) for each in numbers]


def _feature(geometry: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _length(graph: Graph, vertices: list[int]) -> int | float:
    """Return the sum of the weights along a route."""
    weights = []
    for position, (tail, head) in enumerate(itertools.pairwise(vertices), start=1):
        begin, end = graph.indptr[tail : tail + 2].tolist()
        edge = begin + int(np.searchsorted(graph.indices[begin:end], head))
        if edge == end or graph.indices[edge] != head:
            names = f"{graph.name(tail)!r} to {graph.name(head)!r}"
            raise ValueError(f"route[{position}]: no edge leads from {names}")
        weights.append(graph.weights[edge].item())
    return sum(map(int, weights)) if graph.has_integral_weights else math.fsum(weights)


def _reach(
    graph: Graph, degrees: npt.NDArray[np.float64], dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_], limit: float
) -> dict[str, Any]:
    """Return what is reached within a distance as lines."""
    most, rest = limit, 0.0
    if dist.dtype.kind == "i":  # compared, and subtracted, without loss
        dist, most = dist.astype(np.int64), min(math.floor(limit), _LARGEST)
        rest = limit - most if most < _LARGEST else 0
    within = reached & (dist <= most)
    left = (most - np.where(within, dist, 0)) + rest
    tails = edge_sources(graph)
    kept = within[tails] & ((left[tails] > 0) | (graph.weights == 0))
    tails, heads, weights = tails[kept], graph.indices[kept], graph.weights[kept]
    part = np.ones(len(tails))
    cut = weights > left[tails]
    part[cut] = left[tails][cut] / weights[cut]
    along = degrees[heads] - degrees[tails]
    along[:, 0] -= 360 * np.rint(along[:, 0] / 360)  # the short way round the earth
    ends = degrees[tails] + part[:, np.newaxis] * along
    ends[:, 0] -= 360 * np.rint(ends[:, 0] / 360)
    ends[~cut] = degrees[heads[~cut]]
    lines = np.stack((degrees[tails], ends), axis=1).round(_DECIMALS)
    crosses = np.abs(lines[:, 1, 0] - lines[:, 0, 0]) > 180
    coordinates = lines[~crosses].tolist()
    for line in lines[crosses].tolist():
        coordinates += _cut_at_antimeridian(line)
    properties = {"cutoff": limit, "vertices": int(np.count_nonzero(within))}
    return _feature({"type": "MultiLineString", "coordinates": coordinates}, properties)


def _cut_at_antimeridian(line: list[list[float]]) -> list[list[list[float]]]:
    """Return the parts of a line that goes the short way round the earth, each with two places at least."""
    parts = [[line[0]]]
    for here, there in itertools.pairwise(line):
        if abs(there[0] - here[0]) > 180:
            side = math.copysign(180, here[0])
            along = there[0] + 2 * side - here[0]
            share = (side - here[0]) / along if along else 0
            latitude = round(here[1] + share * (there[1] - here[1]), _DECIMALS)
            if parts[-1][-1] != [side, latitude]:
                parts[-1].append([side, latitude])
            parts.append([[-side, latitude]])
        parts[-1].append(there)
    longer = [part for part in parts if len(part) > 2 or part[0] != part[-1]]
    return longer or [[line[0], line[0]]]
