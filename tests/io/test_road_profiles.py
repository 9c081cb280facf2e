from __future__ import annotations

import pytest

from reedsp.io.road_profiles import PROFILES, speed_limit


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("50", 50),
        ("7.5", 7.5),
        ("50 km/h", 50),
        ("80kmh", 80),
        ("30 mph", 30 * 1.609344),
        ("30mph", 30 * 1.609344),
        ("10 knots", 18.52),
        ("walk", 5),
        *((text, None) for text in ("", "none", "signals", "DE:urban", "50;30", "0", "-5", "301", "1e2", "nan", "٣٠")),
    ],
)
def test_speed_limit(text: str, speed: float | None) -> None:
    assert speed_limit(text) == speed


CAR = {
    "highway=residential": (30, 30),
    "highway=footway": (0, 0),
    "highway=construction": (0, 0),
    "railway=rail": (0, 0),
    "highway=residential maxspeed=50": (50, 50),
    "highway=residential maxspeed=DE:urban": (30, 30),
    "highway=primary maxspeed=60 maxspeed:backward=40": (60, 40),
    "highway=primary maxspeed:forward=20_mph": (32.18688, 70),
    "highway=residential oneway=yes": (30, 0),
    "highway=residential oneway=-1": (0, 30),
    "highway=residential oneway=reversible": (0, 0),
    "highway=residential oneway=alternating": (30, 30),
    "highway=residential oneway=perhaps": (30, 30),
    "highway=residential oneway=yes cycleway=opposite": (30, 0),
    "highway=residential oneway=yes oneway:motor_vehicle=no": (30, 30),
    "highway=motorway": (110, 0),
    "highway=motorway oneway=no": (110, 110),
    "highway=motorway_link": (60, 60),
    "highway=tertiary junction=roundabout": (50, 0),
    "highway=tertiary junction=circular": (50, 0),
    "highway=residential access=private": (0, 0),
    "highway=residential access=no motor_vehicle=destination": (30, 30),
    "highway=residential vehicle=no motorcar=yes": (30, 30),
    "highway=residential motor_vehicle=agricultural;forestry": (0, 0),
    "highway=residential motor_vehicle=agricultural;destination": (30, 30),
    "highway=residential foot=no bicycle=no": (30, 30),
    "highway=track": (0, 0),
    "highway=track access=yes": (0, 0),
    "highway=track motor_vehicle=yes": (15, 15),
}
BICYCLE = {
    "highway=residential": (16, 16),
    "highway=cycleway": (18, 18),
    "highway=motorway": (0, 0),
    "highway=footway": (0, 0),
    "highway=footway bicycle=yes": (8, 8),
    "highway=footway bicycle=dismount": (5, 5),
    "highway=primary maxspeed=10": (10, 10),
    "highway=primary maxspeed=100": (16, 16),
    "highway=primary bicycle=use_sidepath": (0, 0),
    "highway=residential motor_vehicle=no": (16, 16),
    "highway=residential vehicle=no": (0, 0),
    "highway=residential oneway=yes": (16, 0),
    "highway=residential oneway=yes oneway:bicycle=no": (16, 16),
    "highway=residential oneway=yes oneway:bicycle=-1": (0, 16),
    "highway=residential oneway=yes cycleway=opposite": (16, 16),
    "highway=residential oneway=-1 cycleway:left=opposite_lane": (16, 16),
    "highway=residential oneway=reversible cycleway=opposite": (0, 0),
    "highway=tertiary junction=roundabout": (16, 0),
}
FOOT = {
    "highway=residential": (5, 5),
    "highway=steps": (3, 3),
    "highway=motorway foot=yes": (0, 0),
    "highway=cycleway": (0, 0),
    "highway=cycleway foot=designated": (5, 5),
    "highway=residential oneway=yes maxspeed=3": (5, 5),
    "highway=residential oneway:foot=yes": (5, 0),
    "highway=tertiary junction=roundabout": (5, 5),
    "highway=residential foot=private": (0, 0),
    "highway=residential access=no foot=permissive": (5, 5),
    "highway=residential motor_vehicle=no": (5, 5),
}


@pytest.mark.parametrize(
    ("profile", "tags", "speeds"),
    [
        (profile, tags, speeds)
        for profile, cases in (("car", CAR), ("bicycle", BICYCLE), ("foot", FOOT))
        for tags, speeds in cases.items()
    ],
)
def test_speeds_along_and_against(profile: str, tags: str, speeds: tuple[float, float]) -> None:
    given = dict(tag.replace("_mph", " mph").split("=") for tag in tags.split(" "))
    assert PROFILES[profile].speeds_of(given) == pytest.approx(speeds)


def test_what_a_permission_opens_is_closed_otherwise() -> None:
    for profile in PROFILES.values():
        assert not profile.speeds.keys() & profile.speeds_on_permission.keys()
        assert min(*profile.speeds.values(), *profile.speeds_on_permission.values()) > 0


@pytest.mark.parametrize(
    ("tags", "passed"),
    [
        ("highway=crossing", "car bicycle foot"),
        ("access=no", "car bicycle foot"),
        ("barrier=gate", "car bicycle foot"),
        ("barrier=bollard", "bicycle foot"),
        ("barrier=bollard motor_vehicle=yes", "car bicycle foot"),
        ("barrier=bollard access=yes", "car bicycle foot"),
        ("barrier=kissing_gate", "foot"),
        ("barrier=kissing_gate bicycle=yes", "bicycle foot"),
        ("barrier=gate access=private", ""),
        ("barrier=gate access=no foot=yes", "foot"),
        ("barrier=lift_gate vehicle=no", "foot"),
    ],
)
def test_barriers(tags: str, passed: str) -> None:
    given = dict(tag.split("=") for tag in tags.split(" "))
    assert [name for name, profile in PROFILES.items() if profile.passes(given)] == passed.split()
