"""The child process that reads a map, so that a damaged one, on which pyosmium may crash, ends nothing else.

It prints a line of JSON, with an error or with the numbers of roads, of their nodes and of different nodes; then the
arrays of :class:`Roads` and :class:`Places`.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.io.road_profiles import PROFILES, RoadProfile
from reedsp.system import child

SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf", ".pbf")
"""What names of maps end in, in any case."""

_NODES_AT_ONCE = 2**16

_IDS_TOGETHER, _MEMORY_TOGETHER = 2**25, 2**22
"""Numbers of nodes that pyosmium's set keeps a bit each for at once, and the bytes that these take."""


class Roads(NamedTuple):
    """The roads that are open: the nodes of each, one road after the other, and what is known of each road."""

    nodes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    ways: npt.NDArray[np.int64]
    speeds: npt.NDArray[np.float64]
    """Shape (roads, 2): along and against, in km/h, 0 where it is closed."""


class Places(NamedTuple):
    """Where the nodes of roads are: their numbers, ascending, longitude and latitude, shape (count, 2), and barriers.

    NaN is the place of a node that the file does not hold; ``closed`` are those at which one cannot go on.
    """

    numbers: npt.NDArray[np.int64]
    places: npt.NDArray[np.float64]
    closed: npt.NDArray[np.bool_]


def main() -> None:
    """Read the map that is named by the first argument, and print what is in it."""
    name, profile, most, memory = sys.argv[1:]
    with child.answers() as stream:
        try:
            roads, places = read_map(name, profile, int(most), int(memory))
        except ValueError as error:
            _print(stream, {"error": str(error)})
            return
        counts = {"roads": len(roads.ways), "nodes": len(roads.nodes), "places": len(places.numbers)}
        _print(stream, counts, *roads, *places)


def read_map(name: str, profile: str, most: int, memory: int) -> tuple[Roads, Places]:
    """Return the open roads of a map and where their nodes are.

    Parameters
    ----------
    name : str
    profile : str
    most : int
        Roads, and nodes of roads, beyond which a file is refused.
    memory : int
        Bytes that help to pass over what belongs to no road.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    roads = read_roads(name, PROFILES[profile], most)
    return roads, read_places(name, np.unique(roads.nodes), PROFILES[profile], memory)


def _print(stream: IO[bytes], head: dict[str, Any], *arrays: npt.NDArray[Any]) -> None:
    stream.write(json.dumps(head).encode() + b"\n")
    for each in arrays:
        stream.write(np.ascontiguousarray(each).reshape(-1).view(np.uint8).data)
    stream.flush()


def read_roads(name: str, profile: RoadProfile, most: int) -> Roads:
    """Return the open roads, refusing a file with more roads, and nodes of roads, than `most`."""
    nodes, counts, ways, speeds = array("q"), array("q"), array("q"), array("d")
    for way in _elements(name, "WAY", "highway"):
        along, against = profile.speeds_of(_tags("way", way))
        if not along and not against:
            continue
        counts.append(len(way.nodes))
        ways.append(way.id)
        speeds.extend((along, against))
        if (total := len(nodes) + counts[-1]) + len(ways) > most:
            raise ValueError(
                f"way {way.id}: so far {len(ways):,} roads have {total:,} nodes, together more than the "
                f"{most:,} that the size of the file allows"
            )
        nodes.extend(node.ref for node in way.nodes)
    found, times = np.unique(ways, return_counts=True)
    if (times > 1).any():
        raise ValueError(f"way {found[times > 1][0]} occurs {times.max()} times; a history is not a map")
    return Roads(
        np.array(nodes, np.int64),
        np.array(counts, np.int64),
        np.array(ways, np.int64),
        np.array(speeds, np.float64).reshape(-1, 2),
    )


def _tags(kind: str, element: Any) -> dict[str, str]:
    try:
        return {tag.k: tag.v for tag in element.tags}
    except UnicodeDecodeError as error:
        raise ValueError(f"{kind} {element.id}: a tag is no UTF-8: {error}") from None


def read_places(name: str, numbers: npt.NDArray[np.int64], profile: RoadProfile, memory: int) -> Places:
    """Return where nodes are, whose numbers ascend.

    Most nodes of a map belong to no road; pyosmium passes over them in less time, if the memory is enough.
    """
    result = Places(numbers, np.full((len(numbers), 2), np.nan), np.zeros(len(numbers), np.bool_))
    if not len(numbers):
        return result
    found, where, closed = array("q"), array("d"), array("q")
    fits = numbers[0] >= 0 and len(np.unique(numbers // _IDS_TOGETHER)) * _MEMORY_TOGETHER <= memory
    for node in _elements(name, "NODE", numbers=numbers if fits else None):
        location = node.location
        valid = location.valid()
        found.append(node.id)
        where.extend((location.lon, location.lat) if valid else (np.inf, np.inf))
        if "barrier" in node.tags and not profile.passes(_tags("node", node)):
            closed.append(node.id)
        if len(found) == _NODES_AT_ONCE:
            _fill(numbers, result.places, found, where)
            found, where = array("q"), array("d")
    _fill(numbers, result.places, found, where)
    result.closed[np.isin(numbers, np.array(closed, np.int64))] = True
    return result


def _fill(
    numbers: npt.NDArray[np.int64], places: npt.NDArray[np.float64], found: array[int], where: array[float]
) -> None:
    """Enter some nodes of the file among the places of those that are wanted."""
    nodes, locations = np.array(found, np.int64), np.array(where).reshape(-1, 2)
    index = np.minimum(np.searchsorted(numbers, nodes), len(numbers) - 1)
    wanted = numbers[index] == nodes
    nodes, locations, index = nodes[wanted], locations[wanted], index[wanted]
    invalid = np.isinf(locations[:, 0])
    if invalid.any():
        raise ValueError(f"node {nodes[invalid][0]} has no valid location")
    first = np.zeros(len(index), np.bool_)
    first[np.unique(index, return_index=True)[1]] = True
    again = ~first | ~np.isnan(places[index, 0])
    if again.any():
        raise ValueError(f"node {nodes[again][0]} occurs more than once; a history is not a map")
    places[index] = locations


def _elements(
    name: str, kind: str, key: str | None = None, numbers: npt.NDArray[np.int64] | None = None
) -> Iterator[Any]:
    """Return the elements of a kind: all, those with a key, or those with certain numbers."""
    import osmium

    try:
        suffix = next(each for each in SUFFIXES if name.lower().endswith(each))  # which osmium knows in this case alone
        file = osmium.io.File(name, suffix.removeprefix("."))
        elements = osmium.FileProcessor(file, getattr(osmium.osm, kind))
        if key is not None:
            elements.with_filter(osmium.filter.KeyFilter(key))
        if numbers is not None:
            elements.with_filter(osmium.filter.IdFilter(map(int, numbers)))
        yield from (each for each in elements if each.visible)  # an editor writes what it has deleted, too
    except (RuntimeError, ValueError, IndexError, osmium.InvalidLocationError) as error:
        raise ValueError(str(error)) from None


if __name__ == "__main__":
    main()
