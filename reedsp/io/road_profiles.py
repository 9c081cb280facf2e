"""Who may use which road of a map, in which direction and how fast, by the tags of OpenStreetMap."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_WALKING = 5.0
_FASTEST = 300.0  # a limit beyond is a slip of the pen

_SPEED = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?) ?(km/h|kmh|kph|mph|knots)?")
_UNITS = {None: 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}

_PERMITTED = frozenset(
    ("yes", "permissive", "designated", "official", "destination", "customers", "delivery", "residents", "dismount")
)
_ONE_WAY = {"yes": (1, 0), "true": (1, 0), "1": (1, 0), "-1": (0, 1), "reverse": (0, 1)}
_BOTH_WAYS = {"no": (1, 1), "false": (1, 1), "0": (1, 1), "alternating": (1, 1)}
_DIRECTIONS = {**_ONE_WAY, **_BOTH_WAYS, "reversible": (0, 0)}


@dataclass(frozen=True)
class RoadProfile:
    """A kind of traveller.

    Attributes
    ----------
    speeds : mapping of str to float
        In km/h, by value of ``highway``: the roads that are open unless a tag closes them.
    speeds_on_permission : mapping of str to float
        The same of those that are closed unless a tag about such travellers opens them.
    access : tuple of str
        Tags that open or close a road, the most specific first; the first one that a road has counts.
    one_way : tuple of str
        Tags that say in which direction a road is open, likewise.
    contraflow : tuple of str
        Tags whose values of ``opposite`` open a one-way road in the other direction, too.
    implied : bool
        Whether roundabouts and motorways are one-way streets.
    barriers : frozenset of str
        Values of ``barrier`` that no one of this kind passes, unless a tag says so.
    limit : str
        What a speed limit is: ``"speed"`` of the traveller, an upper ``"bound"``, or ``"nothing"``.
    """

    speeds: Mapping[str, float]
    speeds_on_permission: Mapping[str, float]
    access: tuple[str, ...]
    one_way: tuple[str, ...]
    contraflow: tuple[str, ...]
    implied: bool
    barriers: frozenset[str]
    limit: str

    def speeds_of(self, tags: Mapping[str, str]) -> tuple[float, float]:
        """Return the speeds along a road and against its direction, in km/h, 0 where it is closed."""
        speed = self._speed(tags)
        if not speed:
            return 0.0, 0.0
        forward, backward = self._directions(tags)
        return (
            forward * self._limited(speed, tags, "maxspeed:forward"),
            backward * self._limited(speed, tags, "maxspeed:backward"),
        )

    def passes(self, tags: Mapping[str, str]) -> bool:
        """Return whether one can go on at a node with such tags."""
        if "barrier" not in tags:
            return True
        deciding, values = self._deciding(tags)
        return tags["barrier"] not in self.barriers if deciding is None else bool(values & _PERMITTED)

    def _deciding(self, tags: Mapping[str, str]) -> tuple[str | None, set[str]]:
        """Return the tag that closes or opens, if there is one, and its values."""
        deciding = next((tag for tag in self.access if tag in tags), None)
        return deciding, set() if deciding is None else {value.strip() for value in tags[deciding].split(";")}

    def _speed(self, tags: Mapping[str, str]) -> float:
        """Return the speed without limits, 0 if the road is closed."""
        highway = tags.get("highway", "")
        deciding, values = self._deciding(tags)
        if deciding is not None and not values & _PERMITTED:
            return 0.0
        speed = self.speeds.get(highway, 0.0)
        if not speed and deciding not in (None, "access"):
            speed = self.speeds_on_permission.get(highway, 0.0)
        return min(speed, _WALKING) if values == {"dismount"} else speed

    def _directions(self, tags: Mapping[str, str]) -> tuple[int, int]:
        """Return whether a road is open along its direction, and against it."""
        for tag in self.one_way:
            found = _DIRECTIONS.get(tags.get(tag, ""))
            if found is None:
                continue
            against = any(tags.get(lane, "").startswith("opposite") for lane in self.contraflow)
            return (1, 1) if tag == "oneway" and any(found) and against else found
        if self.implied and (tags.get("junction") in ("roundabout", "circular") or tags.get("highway") == "motorway"):
            return 1, 0
        return 1, 1

    def _limited(self, speed: float, tags: Mapping[str, str], tag: str) -> float:
        if self.limit == "nothing":
            return speed
        limit = speed_limit(tags.get(tag, "")) or speed_limit(tags.get("maxspeed", ""))
        if limit is None:
            return speed
        return limit if self.limit == "speed" else min(speed, limit)


def speed_limit(text: str) -> float | None:
    """Return a speed limit in km/h; None for what is no number: ``none``, ``signals``, codes such as ``DE:urban``."""
    if text == "walk":
        return _WALKING
    found = _SPEED.fullmatch(text)
    if found is None:
        return None
    speed = float(found[1]) * _UNITS[found[2]]
    return speed if 0 < speed <= _FASTEST else None


_ROADS = ("primary", "secondary", "tertiary")
_EVERY_ROAD = (
    *("trunk", "trunk_link", *_ROADS, *(f"{road}_link" for road in _ROADS)),
    *("unclassified", "residential", "living_street", "service", "road"),
)
_NARROW = frozenset(("full-height_turnstile", "horse_stile", "kissing_gate", "stile", "turnstile"))
_FOR_CARS = frozenset(
    ("block", "bollard", "bus_trap", "cycle_barrier", "debris", "jersey_barrier", "log", "motorcycle_barrier")
)
_CYCLEWAYS = ("cycleway", "cycleway:both", "cycleway:left", "cycleway:right")

PROFILES: Mapping[str, RoadProfile] = MappingProxyType(
    {
        "car": RoadProfile(
            speeds={
                **{"motorway": 110.0, "trunk": 90.0, "primary": 70.0, "secondary": 60.0, "tertiary": 50.0},
                **{"motorway_link": 60.0, "trunk_link": 50.0, "primary_link": 45.0, "secondary_link": 40.0},
                **{"tertiary_link": 35.0, "unclassified": 40.0, "residential": 30.0, "living_street": 10.0},
                **{"service": 15.0, "road": 30.0},
            },
            speeds_on_permission={"track": 15.0, "pedestrian": 5.0, "cycleway": 5.0, "path": 5.0, "footway": 5.0},
            access=("motorcar", "motor_vehicle", "vehicle", "access"),
            one_way=("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
            contraflow=(),
            implied=True,
            barriers=_NARROW | _FOR_CARS,
            limit="speed",
        ),
        "bicycle": RoadProfile(
            speeds={
                **dict.fromkeys(_EVERY_ROAD, 16.0),
                **{"cycleway": 18.0, "track": 12.0, "path": 12.0, "living_street": 10.0, "service": 14.0},
            },
            speeds_on_permission={
                **{"pedestrian": 8.0, "footway": 8.0, "bridleway": 8.0, "steps": 2.0},
                **{"motorway": 16.0, "motorway_link": 16.0, "busway": 16.0},
            },
            access=("bicycle", "vehicle", "access"),
            one_way=("oneway:bicycle", "oneway:vehicle", "oneway"),
            contraflow=_CYCLEWAYS,
            implied=True,
            barriers=_NARROW,
            limit="bound",
        ),
        "foot": RoadProfile(
            speeds={
                **dict.fromkeys((*_EVERY_ROAD, "pedestrian", "footway", "path", "track", "corridor"), _WALKING),
                **{"steps": 3.0, "platform": 4.0},
            },
            speeds_on_permission=dict.fromkeys(("cycleway", "bridleway", "busway", "motorway_link"), _WALKING),
            access=("foot", "access"),
            one_way=("oneway:foot",),
            contraflow=(),
            implied=False,
            barriers=frozenset(),
            limit="nothing",
        ),
    }
)
"""By the name that :func:`reedsp.read_osm` calls them."""
