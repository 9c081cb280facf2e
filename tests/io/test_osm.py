from __future__ import annotations

import bz2
import contextlib
import gzip
import itertools
import json
import math
import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import osmium
import pytest

import reedsp
from reedsp.io import osm, osm_child
from reedsp.io.road_profiles import PROFILES
from reedsp.system import child

TOWN = """<?xml version='1.0' encoding='UTF-8'?>
<osm version="0.6" generator="by hand">
  <node id="1" lat="60.1700000" lon="24.9300000"/>
  <node id="2" lat="60.1710000" lon="24.9310000"/>
  <node id="3" lat="60.1720000" lon="24.9325000"><tag k="highway" v="crossing"/></node>
  <node id="9000000000" lat="60.1705000" lon="24.9350000"/>
  <node id="-5" lat="60.1690000" lon="24.9340000"/>
  <node id="6" lat="60.1680000" lon="24.9290000"/>
  <node id="7" lat="0" lon="0"/>
  <way id="10"><nd ref="1"/><nd ref="2"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way>
  <way id="11"><nd ref="3"/><nd ref="9000000000"/><nd ref="-5"/><tag k="highway" v="primary"/>
    <tag k="oneway" v="yes"/><tag k="maxspeed" v="30 mph"/></way>
  <way id="12"><nd ref="-5"/><nd ref="1"/><tag k="highway" v="footway"/><tag k="name" v="Käytävä"/></way>
  <way id="13"><nd ref="-5"/><nd ref="6"/><nd ref="1"/><tag k="highway" v="secondary"/>
    <tag k="cycleway" v="opposite"/><tag k="oneway" v="-1"/></way>
  <way id="14"><nd ref="6"/><nd ref="2"/><tag k="highway" v="service"/><tag k="access" v="private"/></way>
  <way id="15"><nd ref="6"/><nd ref="7"/><tag k="railway" v="rail"/></way>
  <way id="16"><nd ref="6"/><tag k="highway" v="residential"/></way>
  <relation id="20"><member type="way" ref="10" role="from"/><tag k="type" v="restriction"/></relation>
</osm>
"""


def put(folder: Path, text: str, name: str = "town.osm") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def roads_of(text: str, profile: str, weight: str) -> tuple[dict[int, tuple[float, float]], dict[tuple[int, int], int]]:
    """Read a map without pyosmium: the places of the vertices, and the weights of the edges."""
    root = ET.fromstring(text.encode())
    place_of = {
        int(node.get("id", "")): (float(node.get("lon", "")), float(node.get("lat", ""))) for node in root.iter("node")
    }
    places: dict[int, tuple[float, float]] = {}
    edges: dict[tuple[int, int], int] = {}
    tags_of = {
        int(node.get("id", "")): {tag.get("k", ""): tag.get("v", "") for tag in node} for node in root.iter("node")
    }
    stops = {node for node, tags in tags_of.items() if not PROFILES[profile].passes(tags)}
    for way in root.iter("way"):
        tags = {tag.get("k", ""): tag.get("v", "") for tag in way.iter("tag")}
        speeds = PROFILES[profile].speeds_of(tags) if "highway" in tags else (0, 0)
        nodes = [int(node.get("ref", "")) for node in way.iter("nd")]
        if any(speeds):
            places |= {node: place_of[node] for node in nodes if node not in stops}
            for tail, head in itertools.pairwise(nodes):
                if stops & {tail, head}:
                    continue
                metres = chord_length(place_of[tail], place_of[head])
                for ends, speed in zip(((tail, head), (head, tail)), speeds, strict=True):
                    if speed and tail != head:
                        seconds_or_metres = metres if weight == "length" else metres / (speed / 3.6)
                        edges[ends] = min(edges.get(ends, sys.maxsize), round(1000 * seconds_or_metres))
    return places, edges


def chord_length(place: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the length of an arc by way of the straight line between its ends."""
    points = []
    for longitude, latitude in (place, other):
        x, y = math.radians(longitude), math.radians(latitude)
        points.append((math.cos(y) * math.cos(x), math.cos(y) * math.sin(x), math.sin(y)))
    return 2 * 6_371_008.8 * math.asin(math.dist(*points) / 2)


def assert_map(graph: reedsp.Graph, text: str, profile: str, weight: str) -> None:
    places, edges = roads_of(text, profile, weight)
    assert graph.directed
    assert graph.geographic
    assert graph.weights.dtype == np.int64
    assert list(graph.names) == sorted(places)
    assert np.asarray(graph.coordinates).tolist() == [list(places[name]) for name in graph.names]
    found = {(tail, head): length for tail, head, length in graph.edges()}
    assert found.keys() == edges.keys()
    assert all(abs(found[ends] - edges[ends]) <= 1 for ends in edges)  # the two formulas differ in the last bits


@pytest.mark.deep("length", "foot", "car")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("weight", ["time", "length"])
def test_edges_are_those_of_another_reader(profile: str, weight: str, tmp_path: Path) -> None:
    assert_map(reedsp.read_osm(put(tmp_path, TOWN), profile, weight), TOWN, profile, weight)


@pytest.mark.deep("1", "2", "3")
@pytest.mark.parametrize("seed", range(4))
def test_random_maps(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.choice(10**6, 40, replace=False).tolist()
    nodes = "".join(
        f'<node id="{number}" lon="{rng.uniform(-180, 180):.7f}" lat="{rng.uniform(-90, 90):.7f}">'
        f'<tag k="barrier" v="{rng.choice(["bollard", "stile", "gate", "gate"])}"/></node>'
        for number in numbers
    )
    ways = ""
    for way in range(30):
        tags = {"highway": rng.choice(["motorway", "primary", "residential", "footway", "cycleway", "steps", "track"])}
        if rng.random() < 0.5:
            tags["oneway"] = rng.choice(["yes", "no", "-1", "reversible"])
        if rng.random() < 0.5:
            tags["maxspeed"] = rng.choice(["50", "20 mph", "none"])
        if rng.random() < 0.3:
            tags[str(rng.choice(["access", "foot", "bicycle", "motor_vehicle"]))] = rng.choice(["yes", "no", "private"])
        refs = "".join(f'<nd ref="{ref}"/>' for ref in rng.choice(numbers, rng.integers(1, 9)).tolist())
        ways += f'<way id="{way}">{refs}{"".join(f"<tag k={k!r} v={str(v)!r}/>" for k, v in tags.items())}</way>'
    text = f'<osm version="0.6">{nodes}{ways}</osm>'
    path = put(tmp_path, text)
    for profile in PROFILES:
        assert_map(reedsp.read_osm(path, profile), text, profile, "time")


def test_compressed_and_binary_maps_are_the_same(tmp_path: Path) -> None:
    plain = reedsp.read_osm(put(tmp_path, TOWN))
    (tmp_path / "town.osm.gz").write_bytes(gzip.compress(TOWN.encode()))
    (tmp_path / "town.osm.bz2").write_bytes(bz2.compress(TOWN.encode()))
    with osmium.SimpleWriter(str(tmp_path / "town.osm.pbf")) as writer:
        for element in osmium.FileProcessor(str(tmp_path / "town.osm")):
            writer.add(element)
    for name in ("town.osm.gz", "town.osm.bz2", "town.osm.pbf"):
        other = reedsp.read_osm(tmp_path / name)
        assert other == plain
        assert np.array_equal(np.asarray(other.coordinates), np.asarray(plain.coordinates))


@pytest.mark.parametrize("at_once", [1, 2, 5, 6, 7])
@pytest.mark.parametrize("memory", [0, 2**30])
def test_places_of_nodes(at_once: int, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without a filter, in one block and in several."""
    monkeypatch.setattr(osm_child, "_NODES_AT_ONCE", at_once)
    path = str(put(tmp_path, TOWN))
    for wanted in ([1, 2, 3, 9_000_000_000], [-5, 1, 4], [6]):
        numbers = np.array(wanted)
        found = osm_child.read_places(path, numbers, PROFILES["car"], memory)
        here = {1: (24.93, 60.17), 2: (24.931, 60.171), 3: (24.9325, 60.172), 9_000_000_000: (24.935, 60.1705)}
        here |= {-5: (24.934, 60.169), 6: (24.929, 60.168)}
        expected = [here.get(number, (np.nan, np.nan)) for number in wanted]
        assert found.numbers is numbers
        np.testing.assert_array_equal(found.places, expected)
    twice = put(tmp_path, DAMAGED["a node twice"][0])
    with pytest.raises(ValueError, match="node 2 occurs more than once"):
        osm_child.read_places(str(twice), np.array([1, 2]), PROFILES["car"], memory)


def what_the_child_prints(
    capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch, path: Path, profile: str, most: int
) -> bytes:
    """Return what the child answers, run in this process."""
    with patch.context() as within:
        within.setattr(sys, "argv", ["", str(path), profile, str(most), "0"])
        stdout = os.dup(1)
        try:
            osm_child.main()
        finally:
            os.dup2(stdout, 1)
            os.close(stdout)
    before, begin, answer = capture.readouterr().out.partition(child._BEGIN)
    assert (before, begin) == (b"", child._BEGIN)
    return answer


def test_what_the_child_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    printed = []
    for path in (put(tmp_path, TOWN), put(tmp_path, "<svg/>", "b.osm")):
        printed.append(what_the_child_prints(capfdbinary, monkeypatch, path, "foot", 100))
    head, _, arrays = printed[0].partition(b"\n")
    assert json.loads(head) == {"roads": 5, "nodes": 13, "places": 6}
    assert len(arrays) == 8 * (13 + 2 * 5 + 2 * 5 + 3 * 6) + 6
    assert "svg" in json.loads(printed[1])["error"]


@pytest.mark.parametrize("what", ["a node without a place", "a node twice", "a way twice", "many nodes", "no text"])
def test_faults_that_the_child_finds(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    if what == "many nodes":
        path, most, expected = put(tmp_path, TOWN), 5, "way 11: so far 2 roads have 7 nodes, together more than the 5"
    elif what == "no text":
        path, most, expected = not_text(tmp_path), 100, "way 10: a tag is no UTF-8"
    else:
        path, most, expected = put(tmp_path, DAMAGED[what][0]), 100, SEEN_BY_THE_CHILD[what]
    printed = what_the_child_prints(capfdbinary, monkeypatch, path, "car", most)
    assert json.loads(printed)["error"].startswith(expected)


@pytest.mark.parametrize("said", ["hi", "many words of a module of this site", "\0reedsp"])
def test_what_python_prints_at_its_start_is_no_map(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, TOWN)
    expected = reedsp.read_osm(path, "car")
    (tmp_path / "sitecustomize.py").write_text(f"print({said!r}, flush=True)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert (reedsp.read_osm(path, "car").weights == expected.weights).all()


def test_read_here_where_there_can_be_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, TOWN)
    expected = reedsp.read_osm(path, "car")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert (reedsp.read_osm(path, "car").weights == expected.weights).all()


def test_largest_part_that_is_connected(tmp_path: Path) -> None:
    island = (
        '<node id="30" lat="61" lon="25"/><way id="30"><nd ref="30"/><nd ref="7"/><tag k="highway" v="road"/></way>'
    )
    street = '<way id="31"><nd ref="7"/><nd ref="1"/><tag k="highway" v="road"/><tag k="oneway" v="yes"/></way>'
    path = put(tmp_path, TOWN.replace("</osm>", f"{island}{street}</osm>"))
    whole, part = (reedsp.read_osm(path, "bicycle", connected=connected) for connected in (False, True))
    assert set(whole.names) - set(part.names) == {7, 30}
    assert part == whole.subgraph(part.names)
    assert part.strong_components().max() == 0
    assert np.isfinite(reedsp.distance_table(part, part.names, part.names)).all()


def test_map_without_roads(tmp_path: Path) -> None:
    path = put(tmp_path, '<osm version="0.6"><node id="1" lat="0" lon="0"/></osm>')
    for connected in (False, True):
        graph = reedsp.read_osm(path, connected=connected)
        assert (graph.n, graph.m) == (0, 0)


def test_travel_times_are_sums_of_milliseconds(tmp_path: Path) -> None:
    graph = reedsp.read_osm(put(tmp_path, TOWN))
    paths = reedsp.sssp(graph, 2)
    route = paths.path(-5)
    assert route == [2, 3, 9000000000, -5]
    weights = {(tail, head): weight for tail, head, weight in graph.edges()}
    assert paths.dist[graph.index(-5)] == sum(weights[step] for step in itertools.pairwise(route))


# ---- faults ------------------------------------------------------------------------------------------


def assert_fault(path: Path, *words: str, **options: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: ") as caught:
        reedsp.read_osm(path, **options)
    message = str(caught.value)
    for word in words:
        assert word in message


def test_roads_that_the_border_cuts(tmp_path: Path) -> None:
    text = TOWN.replace('<node id="2" lat="60.1710000" lon="24.9310000"/>', "")
    path = put(tmp_path, text)
    assert_fault(path, "way 10: node 2 is not in the file", "clipped=True")
    graph = reedsp.read_osm(path, clipped=True)
    assert list(graph.names) == [-5, 1, 3, 6, 9000000000]
    whole = {(tail, head): weight for tail, head, weight in reedsp.read_osm(put(tmp_path, TOWN, "w.osm")).edges()}
    assert {(u, v): w for u, v, w in graph.edges()} == {ends: w for ends, w in whole.items() if 2 not in ends}


DAMAGED = {
    "an element that ends nowhere": (TOWN[:900], "XML"),
    "no map": ("<svg/>", "svg"),
    "no XML": ("p sp 1 0\n", "XML"),
    "nothing": ("", ""),
    "an entity": ('<!DOCTYPE osm [<!ENTITY a "b">]><osm version="0.6">&a;</osm>', "entities"),
    "a number that is none": (TOWN.replace('ref="3"', 'ref="three"'), ""),
    "a number beyond int64": (TOWN.replace('ref="3"', 'ref="99999999999999999999"'), ""),
    "a latitude that is none": (TOWN.replace('lat="60.1710000"', 'lat="north"'), ""),
    "a node off the earth": (TOWN.replace('lat="60.1710000"', 'lat="160.1"'), "node 2"),
    "a node without a place": (TOWN.replace(' lat="60.1710000" lon="24.9310000"', ""), "node 2"),
    "a node twice": (TOWN.replace('<node id="3"', '<node id="2" lat="1" lon="1"/><node id="3"'), "node 2"),
    "a way twice": (TOWN.replace('<way id="16"', '<way id="11"'), "way 11 occurs 2 times"),
}
SEEN_BY_THE_CHILD = {
    "a node without a place": "node 2 has no valid location",
    "a node twice": "node 2 occurs more than once; a history is not a map",
    "a way twice": "way 11 occurs 2 times; a history is not a map",
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_maps(what: str, tmp_path: Path) -> None:
    text, word = DAMAGED[what]
    assert_fault(put(tmp_path, text), word)


@pytest.mark.deep("town.osm.pbf", "town.osm.gz")
@pytest.mark.parametrize("name", ["town.osm.gz", "town.osm.bz2", "town.osm.pbf"])
def test_damaged_compression(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"this is not compressed at all")
    assert_fault(path)
    if name.endswith("pbf"):
        with osmium.SimpleWriter(str(path), overwrite=True) as writer:
            for element in osmium.FileProcessor(str(put(tmp_path, TOWN))):
                writer.add(element)
        data = path.read_bytes()
    else:
        data = (gzip if name.endswith("gz") else bz2).compress(TOWN.encode())
    path.write_bytes(data[:-20])
    assert_fault(path)


def not_text(folder: Path) -> Path:
    """Write a map in which a tag is no text."""
    path = folder / "town.osm.pbf"
    with osmium.SimpleWriter(osmium.io.File(str(path), "pbf,pbf_compression=none")) as writer:
        for element in osmium.FileProcessor(str(put(folder, TOWN))):
            writer.add(element)
    path.write_bytes(path.read_bytes().replace(b"residential", b"\xffesidential"))
    return path


def test_tag_that_is_no_text(tmp_path: Path) -> None:
    assert_fault(not_text(tmp_path), "way 10: a tag is no UTF-8")


def test_more_nodes_than_a_graph_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osm, "MAX_VERTICES", 5)
    assert_fault(put(tmp_path, TOWN), "6 nodes are more than a graph can have")


def test_tag_that_makes_pyosmium_read_beyond_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "town.osm.pbf"
    with osmium.SimpleWriter(osmium.io.File(str(path), "pbf,pbf_compression=none")) as writer:
        for element in osmium.FileProcessor(str(put(tmp_path, TOWN))):
            writer.add(element)
    path.write_bytes(path.read_bytes().replace(b"railway", b"railw\0y"))
    with contextlib.suppress(ValueError):  # which it does not on every machine
        assert_map(reedsp.read_osm(path), TOWN, "car", "time")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "os.kill(os.getpid(), signal.SIGSEGV)",
            "pyosmium was ended by SIGSEGV while it read the file, which is damaged",
        ),
        ("raise MemoryError('too much')", "pyosmium could not read the file: MemoryError: too much"),
        ("sys.exit(3)", "pyosmium could not read the file: exit status 3"),
        ("print('{', end='')", "could not read the file"),
        (f"os.write(1, {child._BEGIN!r} + b'{{')", "could not read the file"),
        (
            f'os.write(1, {child._BEGIN!r}); print(\'{{"roads": 1, "nodes": 9, "places": 9}}\'); print(\'short\')',
            "could not read the file",
        ),
        ("print('too many words ' * 100_000)", "could not read the file"),
    ],
)
def test_child_that_does_not_answer(code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "another_child.py").write_text(f"import os, signal, sys\n{code}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(osm, "_CHILD", "another_child")
    assert_fault(put(tmp_path, TOWN), message)


def test_damaged_maps_leave_no_file_open(tmp_path: Path) -> None:
    path = tmp_path / "town.osm.pbf"
    path.write_bytes(b"\0\0\0\r\n\tOSMHeader\x18\x7f")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        assert_fault(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_map_that_would_take_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = '<way id="1"><tag k="highway" v="road"/>{}</way>'.format('<nd ref="1"/>' * 20_000)
    path = tmp_path / "bomb.osm.gz"
    path.write_bytes(gzip.compress(f'<osm version="0.6">{way}</osm>'.encode()))
    monkeypatch.setattr(osm, "_BASE_MEMORY", 0)
    assert_fault(path, "way 1: so far 1 roads have 20,000 nodes, together more than the")


def test_names_in_capitals_and_roads_that_an_editor_has_deleted(tmp_path: Path) -> None:
    expected = reedsp.read_osm(put(tmp_path, TOWN))
    assert reedsp.read_osm(put(tmp_path, TOWN, "TOWN.OSM")) == expected
    assert TOWN.count("<way ") > 1
    [first, *_] = re.findall(r"<way .*?</way>", TOWN, re.DOTALL)
    deleted = put(tmp_path, TOWN.replace(first, first.replace("<way ", '<way visible="false" ', 1)), "deleted.osm")
    without = put(tmp_path, TOWN.replace(first, ""), "without.osm")
    assert reedsp.read_osm(deleted) == reedsp.read_osm(without) != expected


def test_arguments(tmp_path: Path) -> None:
    path = put(tmp_path, TOWN)
    with pytest.raises(ValueError, match="profile = 'lorry' is not one of car, bicycle, foot"):
        reedsp.read_osm(path, "lorry")
    with pytest.raises(ValueError, match="weight = 'money' is not one of time, length"):
        reedsp.read_osm(path, weight="money")
    with pytest.raises(
        ValueError, match=r"a\.gr: expected a name that ends in one of \.osm, .*; reedsp\.read reads it"
    ):
        reedsp.read_osm("a.gr")
    with pytest.raises(ValueError, match=r"expected a name that ends in one of .*\.pbf$"):
        reedsp.read_osm("a.xyz")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        reedsp.read_osm(tmp_path / "none.osm")
    (tmp_path / "folder.osm").mkdir()
    with pytest.raises(IsADirectoryError):
        reedsp.read_osm(tmp_path / "folder.osm")
    os.mkfifo(tmp_path / "pipe.osm")
    with pytest.raises(OSError, match="not a regular file"):
        reedsp.read_osm(tmp_path / "pipe.osm")


def test_without_pyosmium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(ImportError, match=r"pip install 'reedsp\[roads\]'"):
        reedsp.read_osm(put(tmp_path, TOWN))


def test_read_names_the_reader(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"reedsp\.read_osm reads it"):
        reedsp.read(put(tmp_path, TOWN))
