"""Places on the earth: how far they are apart, and which vertices of a graph are the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.arguments import refuse_other_than_graph
from reedsp.graph.graph import Graph, refuse_masked

EARTH_RADIUS = 6_371_008.8
"""Mean radius of the earth in metres."""

_ROUNDED_UP = 1 + 1e-12  # more than a root and its square lose


def metres_between(places: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distance of each place from another one on a sphere, in metres.

    Parameters
    ----------
    places, others : ndarray of float64, shape (count, 2)
        Longitude and latitude in degrees.
    """
    first, second = np.radians(places), np.radians(others)
    half = np.sin((second - first) / 2) ** 2
    chord = half[:, 1] + np.cos(first[:, 1]) * np.cos(second[:, 1]) * half[:, 0]
    return np.asarray(2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(chord, 1))))


def nearest_vertices(graph: Graph, places: npt.ArrayLike) -> tuple[list[Any], npt.NDArray[np.float64]]:
    """Find the vertex that is nearest to each of some places on the earth, as the crow flies.

    Of several that are equally near, the one with the smallest index is taken.

    Parameters
    ----------
    graph : Graph
        With geographic coordinates: of :func:`reedsp.read_osm`, or given to :meth:`Graph.with_coordinates`.
    places : array_like of real numbers, shape (count, 2)
        Longitude and latitude of each place in degrees.

    Returns
    -------
    vertices : list
        The name of the nearest vertex, for each place.
    metres : ndarray of float64, shape (count,)
        How far it is away, on a sphere of the earth's mean radius.

    Raises
    ------
    TypeError
        `graph` is no :class:`Graph`, or `places` are no real numbers.
    ValueError
        The graph has no vertices or no geographic coordinates, `places` has another shape, or holds no longitude or
        latitude; the message names the position.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1], labels=["Bern", "Thun"])
    >>> graph = graph.with_coordinates([[7.44, 46.95], [7.63, 46.76]], geographic=True)
    >>> vertices, metres = reedsp.nearest_vertices(graph, [[7.45, 46.95], [7.6, 46.8]])
    >>> vertices, metres.round().tolist()
    (['Bern', 'Thun'], [759.0, 5000.0])
    """
    from scipy.spatial import cKDTree

    degrees = degrees_of(graph)
    if not graph.n:
        raise ValueError("graph has no vertices, of which one could be the nearest")
    asked = _places_argument(places)
    known, wanted = _one_name(degrees), _one_name(asked)
    away, nearest_two = cKDTree(_on_sphere(known)).query(_on_sphere(wanted), k=2)
    found, limit = nearest_two[:, 0], away[:, 0] * _ROUNDED_UP
    if (tied := np.flatnonzero(away[:, 1] <= limit)).size:
        found[tied] = _first_of_the_nearest(known, wanted[tied], limit[tied])
    return [graph.names[vertex] for vertex in found.tolist()], metres_between(asked, degrees[found])


def degrees_of(graph: Graph) -> npt.NDArray[np.float64]:
    """Return longitude and latitude of all vertices, in degrees, shape (n, 2).

    Raises
    ------
    TypeError
        It is no :class:`Graph`.
    ValueError
        It has no geographic coordinates.
    """
    refuse_other_than_graph(graph)
    if graph.coordinates is None or not graph.geographic:
        raise ValueError("graph has no geographic coordinates: give it some by with_coordinates(..., geographic=True)")
    millionths = (np.abs(graph.coordinates) > 180).any()  # as no degrees are
    return graph.coordinates / 1e6 if millionths else graph.coordinates


def _places_argument(places: npt.ArrayLike) -> npt.NDArray[np.float64]:
    refuse_masked(places, "places")
    try:
        given = np.asarray(places)
    except ValueError:
        raise ValueError(
            "places has rows of different lengths, expected longitude and latitude of each place"
        ) from None
    if given.shape == (0,):
        return np.empty((0, 2))
    if given.dtype.kind not in "iuf":
        raise TypeError(f"places has dtype {given.dtype}, expected real numbers")
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"places has shape {given.shape}, expected (count, 2): longitude and latitude of each place")
    degrees = given.astype(np.float64)
    within = np.abs(degrees) <= (180, 90)
    if not within.all():
        place, axis = np.argwhere(~within)[0].tolist()
        expected = ("longitude", "latitude")[axis]
        raise ValueError(f"places[{place}, {axis}] is {degrees[place, axis]}, expected a {expected} in degrees")
    return degrees


def _one_name(degrees: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return places so that each has one longitude, at the antimeridian and at the poles, too."""
    longitude, latitude = degrees.T
    meridian = np.where(longitude == -180, 180, longitude)
    return np.stack((np.where(np.abs(latitude) == 90, 0, meridian), latitude), axis=1) + 0.0  # -0.0 is 0.0


def _first_of_the_nearest(
    known: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64], limit: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """Return the smallest index of those that are nearest to each place, of which none is farther than a chord."""
    from scipy.spatial import cKDTree

    first, _ = _distinct(known)
    tree = cKDTree(_on_sphere(known[first]))
    asked, which = _distinct(wanted)
    nearest = np.empty(len(asked), np.intp)
    for number, place in enumerate(asked):
        here = wanted[np.newaxis, place]
        near = first[tree.query_ball_point(_on_sphere(here)[0], limit[place])]
        metres = metres_between(here, known[near])
        nearest[number] = near[metres == metres.min()].min()
    return np.asarray(nearest[which])


def _distinct(places: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the smallest index of each different place, and which of these places each one is."""
    order: npt.NDArray[np.intp] = np.lexsort(places.T)
    begins = np.append(True, (np.diff(places[order], axis=0) != 0).any(axis=1))
    which = np.empty(len(places), np.intp)
    which[order] = np.cumsum(begins) - 1
    return np.asarray(order[begins]), which


def _on_sphere(degrees: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points of the unit sphere."""
    longitude, latitude = np.radians(degrees).T
    return np.stack(
        (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)), axis=1
    )
