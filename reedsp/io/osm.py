"""Road maps of OpenStreetMap: what a car, a bicycle or a walker may use of them, as a graph."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import tempfile
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import MAX_VERTICES, Graph
from reedsp.graph.places import metres_between
from reedsp.io.osm_child import SUFFIXES, Places, Roads, read_map
from reedsp.io.readers import READERS, require_regular_file, suffix
from reedsp.io.road_profiles import PROFILES
from reedsp.system import child
from reedsp.system.files.path_argument import path_argument
from reedsp.system.options import flag

_CHILD = "reedsp.io.osm_child"
_BASE_MEMORY = 2**26
"""Bytes of memory that a map of any size may need."""

_MEMORY = 200
"""Bytes that may be needed for each one of the file, beyond the base."""

_NODE_MEMORY = 200
"""Bytes that a node of a road takes while a graph is built, its name included."""

_PART_FOR_FILTER = 4
"""Of that memory, the part that a set of the wanted nodes may take, beside which there is room for the graph."""

_MILLI = 1000
_MILLISECONDS_OF_KMH = 3600.0  # for each metre at 1 km/h


class _Steps(NamedTuple):
    """From a node of a road to the next one: the indices of both, and that of the road."""

    sources: npt.NDArray[np.intp]
    targets: npt.NDArray[np.intp]
    roads: npt.NDArray[np.intp]


def read_osm(
    path: str | os.PathLike[str],
    profile: str = "car",
    weight: str = "time",
    *,
    clipped: bool = False,
    connected: bool = False,
) -> Graph:
    r"""Read a road map of OpenStreetMap.

    Every node of a road that the traveller may use is a vertex, whose name is the node's number; vertices are in
    ascending order of them, and have coordinates. An edge leads from a node to the next one of a road, in each
    direction that is open.

    Speeds are the limits that the map states (``maxspeed``, for bicycles as an upper bound), else those of the kind of
    road. One-way streets, roundabouts and tags that close a road or open it (``access``, ``vehicle``,
    ``motor_vehicle``, ``motorcar``, ``bicycle``, ``foot``) are heeded, and so are barriers: a road ends at the node
    before one that stops the traveller. Ignored are forbidden turns, traffic lights, ferries, closures at certain
    times, and speed limits by a national code.

    Parameters
    ----------
    path : str or path-like
        A regular file: ``.osm``, ``.osm.gz``, ``.osm.bz2`` or ``.osm.pbf``.
    profile : {"car", "bicycle", "foot"}
        Who travels.
    weight : {"time", "length"}
        What the edges weigh: milliseconds, or millimetres. Each is rounded to an integer, so that distances are exact
        sums.
    clipped : bool
        True leaves out the parts of roads whose nodes the file does not hold, as in an extract that cuts roads at its
        border. Otherwise they are an error.
    connected : bool
        True keeps the largest part of the roads in which a way leads from each vertex to each other, and leaves out
        islands, and streets that only lead out of the map, or into it.

    Returns
    -------
    Graph
        Directed, with int64 weights.

    Raises
    ------
    ValueError
        The file is damaged, or no map; an element is: the message names the way or the node. Or the file would take
        more memory than 64 MiB and 200 times its size.
    ImportError
        pyosmium is not installed (the extra ``roads``).
    OSError
        The file cannot be opened or read, or is not a regular file.

    Examples
    --------
    >>> import reedsp
    >>> with open("street.osm", "w") as file:
    ...     _ = file.write(
    ...         "<osm version='0.6'><node id='7' lon='24.93' lat='60.17'/><node id='8' lon='24.94' lat='60.17'/>"
    ...         "<way id='1'><nd ref='7'/><nd ref='8'/><tag k='highway' v='residential'/></way></osm>"
    ...     )
    >>> graph = reedsp.read_osm("street.osm")
    >>> list(graph.edges())
    [(7, 8, 66374), (8, 7, 66374)]
    """
    name = path_argument(path, "path")
    clipped, connected = flag(clipped, "clipped"), flag(connected, "connected")
    _check(name, profile, weight)
    roads, (numbers, places, closed) = _read_in_child(name, profile)
    vertices = np.searchsorted(numbers, roads.nodes)
    steps = _steps(roads, vertices)
    here = ~np.isnan(places[:, 0])
    if not (here.all() or clipped):
        raise _missing(name, roads, int(np.argmin(here[vertices])))
    here &= ~closed
    if not here.all():
        numbers, places, steps = numbers[here], places[here], _between(here, steps)
    if len(numbers) > MAX_VERTICES:
        raise ValueError(f"{name}: {len(numbers):,} nodes are more than a graph can have")
    sources, targets, road = steps
    metres = metres_between(places[sources], places[targets])
    ends, weights = _both_directions(sources, targets, metres, roads.speeds[road], weight)
    graph = Graph.from_edges(len(numbers), *ends, weights, labels=numbers.tolist())
    graph = graph.with_coordinates(places, geographic=True)
    return _largest_part(graph) if connected and graph.n else graph


def _largest_part(graph: Graph) -> Graph:
    """Return the largest strongly connected component; of several that are as large, that of the first vertex."""
    component = graph.strong_components()
    sizes = np.bincount(component)[component]
    chosen = np.flatnonzero(component == component[np.argmax(sizes)])
    return graph.subgraph([graph.names[vertex] for vertex in chosen.tolist()])


def _check(name: str, profile: str, weight: str) -> None:
    """Check the arguments, that the file can be opened, and that there is what reads it."""
    if profile not in PROFILES:
        raise ValueError(f"profile = {profile!r} is not one of {', '.join(PROFILES)}")
    if weight not in ("time", "length"):
        raise ValueError(f"weight = {weight!r} is not one of time, length")
    if not name.lower().endswith(SUFFIXES):
        cure = "; reedsp.read reads it" if suffix(name) in READERS else ""
        raise ValueError(f"{name}: expected a name that ends in one of {', '.join(SUFFIXES)}{cure}")
    if importlib.util.find_spec("osmium") is None:
        raise ImportError("read_osm: pyosmium is not installed; install it with: pip install 'reedsp[roads]'")
    require_regular_file(name)
    with open(name, "rb"):
        pass


def _read_in_child(name: str, profile: str) -> tuple[Roads, Places]:
    """Return the open roads of a map and where their nodes are, which another process reads."""
    memory = _BASE_MEMORY + _MEMORY * os.path.getsize(name)
    for_filter = memory // _PART_FOR_FILTER
    limits = (memory - for_filter) // _NODE_MEMORY, for_filter
    try:
        command = child.command(_CHILD, os.path.abspath(name), profile, *map(str, limits))
    except child.NoChildError:
        return read_map(name, profile, *limits)
    with tempfile.TemporaryFile() as messages:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, env=child.environment()) as process:
            try:
                found = _received(process.stdout, name) if process.stdout is not None else None
            except BaseException:
                process.kill()
                raise
        if found is None:
            raise _obituary(name, process.returncode, messages)
    return found


def _received(stream: IO[bytes], name: str) -> tuple[Roads, Places] | None:
    """Return what the child prints; None if it ends before.

    Raises
    ------
    ValueError
        It says that the file is damaged.
    """
    line = stream.readline() if child.begins(stream) else b""
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    if "error" in head:
        raise ValueError(f"{name}: {head['error']}")
    roads, nodes, places = head["roads"], head["nodes"], head["places"]
    found = (
        Roads(np.empty(nodes, np.int64), np.empty(roads, np.int64), np.empty(roads, np.int64), np.empty((roads, 2))),
        Places(np.empty(places, np.int64), np.empty((places, 2)), np.empty(places, np.bool_)),
    )
    for array in (*found[0], *found[1]):
        content = array.reshape(-1).view(np.uint8).data
        if stream.readinto(content) != len(content):  # type: ignore[attr-defined]
            return None
    return found


def _obituary(name: str, status: int, messages: IO[bytes]) -> ValueError:
    """Return the error for a child that has not answered."""
    if status < 0:
        cause = signal.Signals(-status).name
        return ValueError(f"{name}: pyosmium was ended by {cause} while it read the file, which is damaged")
    messages.seek(0)
    last = messages.read().decode(errors="replace").strip().rpartition("\n")[2]
    return ValueError(f"{name}: pyosmium could not read the file: {last or f'exit status {status}'}")


def _missing(name: str, roads: Roads, position: int) -> ValueError:
    """Return the error for a node, by its position among those of the roads, that the file does not hold."""
    way = roads.ways[np.searchsorted(np.cumsum(roads.counts), position, side="right")]
    cure = "clipped=True leaves out the parts of roads whose nodes are missing"
    return ValueError(f"{name}: way {way}: node {roads.nodes[position]} is not in the file; {cure}")


def _steps(roads: Roads, vertices: npt.NDArray[np.intp]) -> _Steps:
    """Return the steps of all roads; a node that follows itself is one node."""
    road = np.repeat(np.arange(len(roads.counts)), roads.counts)
    kept = road[1:] == road[:-1]
    kept &= vertices[1:] != vertices[:-1]
    return _Steps(vertices[:-1][kept], vertices[1:][kept], road[1:][kept])


def _between(here: npt.NDArray[np.bool_], steps: _Steps) -> _Steps:
    """Return the steps between vertices that are here, which are numbered again."""
    kept = here[steps.sources] & here[steps.targets]
    new = np.cumsum(here) - 1
    return _Steps(new[steps.sources[kept]], new[steps.targets[kept]], steps.roads[kept])


def _both_directions(
    sources: npt.NDArray[np.intp],
    targets: npt.NDArray[np.intp],
    metres: npt.NDArray[np.float64],
    speeds: npt.NDArray[np.float64],
    weight: str,
) -> tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], npt.NDArray[np.int64]]:
    """Return sources and targets of the edges of both directions that are open, and their weights."""
    along, against = speeds[:, 0] > 0, speeds[:, 1] > 0
    ends = (
        np.concatenate((sources[along], targets[against])),
        np.concatenate((targets[along], sources[against])),
    )
    lengths = np.concatenate((metres[along], metres[against]))
    if weight == "length":
        return ends, np.rint(lengths * _MILLI).astype(np.int64)
    pace = _MILLISECONDS_OF_KMH / np.concatenate((speeds[along, 0], speeds[against, 1]))
    return ends, np.rint(lengths * pace).astype(np.int64)
