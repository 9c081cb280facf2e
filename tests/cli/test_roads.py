"""Maps, places and travel times on the command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import reedsp
from reedsp.cli import command
from tests.cli.running import run

MAP = """<osm version="0.6">
<node id="11" lat="60.170" lon="24.930"/><node id="12" lat="60.171" lon="24.930"/>
<node id="13" lat="60.171" lon="24.932"/><node id="14" lat="60.170" lon="24.932"/>
<way id="1"><nd ref="11"/><nd ref="12"/><nd ref="13"/><tag k="highway" v="residential"/></way>
<way id="2"><nd ref="13"/><nd ref="14"/><tag k="highway" v="residential"/><tag k="oneway" v="yes"/></way>
</osm>"""
TIMES = "source,target,distance\nhome,home,0\nhome,work,26617\nwork,home,26617\nwork,work,0\n"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> reedsp.Graph:
    file = tmp_path_factory.mktemp("town") / "town.osm"
    file.write_text(MAP)
    return reedsp.read_osm(file)


@pytest.fixture(autouse=True)
def folder(town: reedsp.Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("town.osm").write_text(MAP)
    Path("places.csv").write_text("name,lon,lat\nhome,24.9301,60.1700\nwork,24.9320,60.1711\n")
    reedsp.write(town, "map.npz")
    return tmp_path


def failure(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status, out, err = run(capsys, *words)
    assert (status, out) == (1, "")
    assert err.startswith("reedsp: ")
    return err.removeprefix("reedsp: ").rstrip()


def refusal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    return err


# ---- read-map ----------------------------------------------------------------------------------------


def test_read_map(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "read-map", "town.osm", "--output", "new.npz")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("read      town.osm: 4 vertices, 5 edges for car, in ")
    assert lines[1].startswith("written   new.npz: ")
    assert len(lines) == 2
    assert reedsp.read("new.npz") == reedsp.read_osm("town.osm")


def test_read_map_with_all_options(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--profile", "foot", "--weight", "length", "--json"]
    _, out, _ = run(capsys, "read-map", "town.osm", *words, "-o", "new.npz")
    found = json.loads(out)
    assert (found["profile"], found["weight"], found["edges"], found["changes"]) == ("foot", "length", 6, [])
    assert reedsp.read("new.npz") == reedsp.read_osm("town.osm", "foot", "length")
    assert "new.npz exists; --force replaces it" in failure(capsys, "read-map", "town.osm", "-o", "new.npz")
    assert run(capsys, "read-map", "town.osm", "-o", "new.npz", "--force", "--quiet", "--connected") == (0, "", "")
    assert reedsp.read("new.npz") == reedsp.read_osm("town.osm", connected=True)


def test_read_map_says_what_another_format_loses(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "read-map", "town.osm", "-o", "map.gr")
    assert "changed   the coordinates of the vertices are lost\n" in out


def test_maps_that_are_not_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("cut.osm").write_text(MAP.replace('<node id="12"', '<node id="99"'))
    message = failure(capsys, "read-map", "cut.osm", "-o", "a.npz")
    assert message.startswith("cut.osm: way 1: node 12 is not in the file; --clipped leaves out")
    assert run(capsys, "read-map", "cut.osm", "-o", "a.npz", "--clipped", "-q")[0] == 0
    assert "town.xml: expected a name that ends in" in failure(capsys, "read-map", "town.xml", "-o", "b.npz")
    assert "none.osm: No such file" in failure(capsys, "read-map", "none.osm", "-o", "b.npz")
    assert "a.txt does not end in" in refusal(capsys, monkeypatch, "read-map", "town.osm", "-o", "a.txt")
    monkeypatch.setitem(sys.modules, "osmium", None)
    assert "pip install 'reedsp[roads]'" in failure(capsys, "read-map", "town.osm", "-o", "b.npz")
    assert not Path("b.npz").exists()


# ---- nearest -----------------------------------------------------------------------------------------


def test_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "nearest", "map.npz", "places.csv")
    assert status == 0
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["name", "vertex", "metres"],
        ["home", "11", "5.5"],
        ["work", "13", "11.1"],
    ]
    assert run(capsys, "nearest", "map.npz", "places.csv", "-o", "near.csv", "-q") == (0, "", "")
    assert Path("near.csv").read_text() == "name,vertex,metres\nhome,11,5.5\nwork,13,11.1\n"
    _, out, _ = run(capsys, "nearest", "map.npz", "places.csv", "--json")
    assert [each["vertex"] for each in json.loads(out)["places"]] == [11, 13]


def test_many_places_are_not_all_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("many.csv").write_text("lon,lat\n" + "24.93,60.17\n" * 23)
    _, out, _ = run(capsys, "nearest", "map.npz", "many.csv", "--output", "near.csv")
    assert out.splitlines()[-2:] == ["and 3 more", "written   near.csv"]
    assert out.count("\n11 ") == 20


def test_places_within(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "nearest", "map.npz", "places.csv", "--within", "12", "-q") == (0, "", "")
    message = failure(capsys, "nearest", "map.npz", "places.csv", "--within", "11")
    assert message == "places.csv:3: the nearest vertex, 13, is 11 metres away"


def test_columns_without_a_name_are_not_read(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """As a spreadsheet writes them behind the others, and pandas before them."""
    (folder / "plain.csv").write_text("name,vertex\na,11\nb,12\n")
    assert run(capsys, "nearest", "map.npz", "plain.csv", "-q", "-o", "expected.csv") == (0, "", "")
    (folder / "more.csv").write_text(",name,vertex,, \n0,a,11,,\n1,b,12,,x\n")
    assert run(capsys, "nearest", "map.npz", "more.csv", "-q", "-o", "found.csv") == (0, "", "")
    assert (folder / "found.csv").read_text() == (folder / "expected.csv").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "places.csv: there are no places in it"),
        ("lon,lat\n", "places.csv: there are no places in it"),
        ("lon;lat\n1,5;2,5\n", "places.csv:1: columns have to be separated by commas, got 'lon;lat'"),
        ("lon\tlat\n1.5\t2.5\n", "places.csv:1: columns have to be separated by commas, got 'lon\\tlat'"),
        ("x,y\n1,2\n", "places.csv:1: expected columns lon and lat, or vertex, got x, y"),
        ("lon,lat,LON\n1,2,3\n", "places.csv:1: two columns of one name: lon, lat, lon"),
        ("lon,lat\n1,2\n\n1\n", "places.csv:4: expected 2 fields, got 1"),
        ("lon,lat\n1,2\n1,north\n", "places.csv:3: lat is 'north', expected degrees from -90 to 90"),
        ("lon,lat\n1_0,2\n", "places.csv:2: lon is '1_0', expected degrees from -180 to 180"),
        ("lon,lat\nnan,2\n", "places.csv:2: lon is 'nan', expected degrees from -180 to 180"),
        ("lon,lat\n1,90.5\n", "places.csv:2: lat is '90.5', expected degrees"),
        ("name,lon,lat\na,1,2\nb,1,2\na,1,3\n", "places.csv:4: 'a' is also the name of line 2"),
        ("name,vertex\nhome,11\nhome ,12\n", "places.csv:3: 'home' is also the name of line 2"),
        ("name,vertex\n11,12\n,11\n", "places.csv:2: '11' is also the vertex of line 3, which has no name"),
        ("vertex\n11\n99\n", "places.csv:3: '99' is not a vertex of the graph"),
        ('lon,lat\n"1"2,3\n', "places.csv:2: "),
        ("lon,lat\n\udcff,3\n", "places.csv: expected UTF-8"),
    ],
)
def test_places_that_are_not_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    content = text.encode(errors="surrogateescape")
    Path("places.csv").write_bytes(content)
    assert failure(capsys, "nearest", "map.npz", "places.csv").startswith(message)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    from_stream = message.replace("places.csv", "standard input")
    assert failure(capsys, "nearest", "map.npz", "-").startswith(from_stream)


@pytest.mark.parametrize(
    "text", ["name,vertex\n,11\n home ,13\n ,12\n", "name,lon,lat\n,24.93,60.17\nhome,24.932,60.171\n,24.93,60.171\n"]
)
def test_places_without_a_name_are_called_by_their_vertices(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Although others have one."""
    Path("more.csv").write_text(text)
    assert run(capsys, "table", "map.npz", "more.csv", "--output", "t.csv")[0] == 0
    named = [line.split(",")[1] for line in Path("t.csv").read_text().splitlines()[1:4]]
    assert named == ["11", "home", "12"]


def test_a_place_may_be_called_by_its_vertex(capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.csv").write_text("name,vertex\n,11\n11,11\n")
    assert run(capsys, "nearest", "map.npz", "more.csv")[0] == 0


def test_a_vertex_of_more_digits_than_python_reads(capsys: pytest.CaptureFixture[str]) -> None:
    Path("places.csv").write_text(f"vertex\n{'1' * 5000}\n")
    message = failure(capsys, "nearest", "map.npz", "places.csv")
    assert message == f"places.csv:2: '{'1' * 5000}' is not a vertex of the graph"


def test_graph_without_places(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.el").write_text("0 1\n1 2\n")
    for words in (
        *("nearest a.el places.csv", "table a.el places.csv", "route a.el --from 1,2 --to 1"),
        *("isochrone a.el --from 0 --cutoff 1", "route a.el --from 0 --to 1 -o way.geojson"),
    ):
        message = "a.el: it does not say where vertices are on the earth; a .npz of `reedsp read-map` does"
        assert failure(capsys, *words.split()) == message
    Path("vertices.csv").write_text("vertex\n0\n2\n")
    assert run(capsys, "table", "a.el", "vertices.csv", "-o", "t.csv", "-q") == (0, "", "")
    assert Path("t.csv").read_text() == "source,target,distance\n0,0,0\n0,2,2\n2,0,inf\n2,2,0\n"
    Path("end.csv").write_text("vertex\n2\n")
    status, out, _ = run(capsys, "table", "a.el", "end.csv", "--to", "vertices.csv")
    assert status == 0
    assert out.splitlines()[1:3] == ["reached   1 of 2 pairs of places", "farthest  0, from 2 to 2"]
    Path("start.csv").write_text("vertex\n0\n")
    status, out, _ = run(capsys, "table", "a.el", "end.csv", "--to", "start.csv")
    assert status == 0
    assert out.splitlines()[1] == "reached   0 of 1 pairs of places"
    assert out.splitlines()[2].startswith("solved ")


# ---- table -------------------------------------------------------------------------------------------


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "table", "map.npz", "places.csv", "--output", "times.csv")
    assert status == 0
    lines = out.splitlines()
    assert lines[1:4] == [
        "reached   4 of 4 pairs of places",
        "farthest  26617, from home to work",
        "off road  at most 11 metres: work, whose vertex is 13",
    ]
    assert lines[-1] == "written   times.csv"
    assert Path("times.csv").read_text() == TIMES
    graph = reedsp.read("map.npz")
    assert reedsp.distance_table(graph, [11], [13]).tolist() == [[26617]]


def test_table_between_two_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ends.csv").write_text("Vertex\n12\n14\n")
    _, out, _ = run(capsys, "table", "map.npz", "ends.csv", "--to", "places.csv", "--json")
    found = json.loads(out)
    assert (found["sources"], found["targets"], found["reachable_pairs"]) == (2, 2, 2)
    assert found["farthest_pair"] in (["12", "home"], [12, "home"], [12, "work"])
    assert found["farthest_place"]["name"] == "work"
    Path("ends.csv").write_text("vertex\n14\n")
    _, out, _ = run(capsys, "table", "map.npz", "ends.csv", "--to", "places.csv", "--json")
    assert (json.loads(out)["max_distance"], json.loads(out)["farthest_pair"]) == (None, None)


def test_table_on_standard_output() -> None:
    code = "from reedsp.cli.command import main; main()"
    words = [sys.executable, "-c", code, "table", "map.npz", "-", "-o", "-"]
    environment = {**os.environ, "PYTHONPATH": str(Path(reedsp.__file__).resolve().parents[1])}
    found = subprocess.run(
        words, input=Path("places.csv").read_text(), capture_output=True, text=True, env=environment, check=True
    )
    assert found.stdout == TIMES
    assert "reached   4 of 4 pairs" in found.stderr


def test_two_commands_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "read-map", "town.osm", "-o", "roads.npz", "-q")[0] == 0
    assert run(capsys, "table", "roads.npz", "places.csv", "-o", "times.csv", "-q")[0] == 0
    assert Path("times.csv").read_text() == TIMES


# ---- route -------------------------------------------------------------------------------------------


def test_route(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--from", "24.9301,60.17", "--to", "24.932, 60.1699"]
    status, out, _ = run(capsys, "route", "map.npz", *words, "--output", "route.geojson")
    assert status == 0
    assert out.splitlines()[1:5] == [
        "distance  39960 from 11 to 14",
        "route     11 -> 12 -> 13 -> 14 (4 vertices)",
        "start     11, 6 metres from where you said",
        "end       14, 11 metres from where you said",
    ]
    line = json.loads(Path("route.geojson").read_text())
    assert line == reedsp.route_geojson(reedsp.read("map.npz"), [11, 12, 13, 14])
    assert run(capsys, "route", "map.npz", "--from", "12", "--to", "14", "--quiet") == (0, "", "")
    _, out, _ = run(capsys, "route", "map.npz", "--from", "12", "--to", "14")
    assert "metres" not in out
    _, out, _ = run(capsys, "route", "map.npz", "--from", "12", "--to", "14", "--json")
    found = json.loads(out)
    assert (found["path"], found["source_metres"], found["target_metres"]) == ([12, 13, 14], None, None)


def test_routes_that_are_none(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure(capsys, "route", "map.npz", "--from", "14", "--to", "11") == "there is no route from 14 to 11"
    status, out, _ = run(capsys, "route", "map.npz", "--from", "14", "--to", "11", "--json")
    found = json.loads(out)
    assert (status, found["source"], found["distance"], found["path"]) == (1, 14, None, None)
    refused = refusal(capsys, monkeypatch, "route", "map.npz", "--from", "7,95", "--to", "11")
    assert "latitude is 95.0, expected a latitude in degrees" in refused
    refused = refusal(capsys, monkeypatch, "route", "map.npz", "--from", "1", "--to", "11")
    assert "'1' is not a vertex of this graph" in refused
    refused = refusal(capsys, monkeypatch, "route", "map.npz", "--from", "11", "--to", "12", "-o", "a.csv")
    assert "a.csv does not end in .geojson" in refused
    refused = refusal(capsys, monkeypatch, "route", "map.npz", "--from", "11", "--to", "12", "-o", "-", "--json")
    assert "both go to standard output" in refused


def test_places_that_are_far_away(capsys: pytest.CaptureFixture[str]) -> None:
    away = "the vertex that is nearest to 60.17,24.93, 14, is 4,"
    for words in ("route map.npz --to 14 --from 60.17,24.93", "isochrone map.npz --cutoff 9 --from 60.17,24.93"):
        status, _, err = run(capsys, *words.split())
        assert (status, err.count("\n")) == (0, 1)
        assert err.startswith(f"reedsp: warning: --from: {away}")
        assert err.endswith(" metres away; the longitude comes first, then the latitude\n")
        assert failure(capsys, *words.split(), "--within", "1000").startswith(f"--from: {away}")


@pytest.mark.parametrize("command", ["table", "nearest"])
def test_places_of_a_file_that_are_far_away(capsys: pytest.CaptureFixture[str], command: str) -> None:
    exchanged = "are longitude and latitude exchanged?\n"
    near, far = "24.93,60.17\n", "60.17,24.93\n"
    for places, end in (
        (near + far, f" metres away; {exchanged}"),
        (near + far + near + far, f" metres away, the first of 2 such places; {exchanged}"),
    ):
        Path("p.csv").write_text(f"lon,lat\n{places}")
        status, _, err = run(capsys, command, "map.npz", "p.csv")
        assert (status, err.count("\n")) == (0, 1)
        assert err.startswith("reedsp: warning: p.csv:3: the nearest vertex, 14, is 4,")
        assert err.endswith(end)
    assert failure(capsys, command, "map.npz", "p.csv", "--within", "1000").startswith("p.csv:3: the nearest vertex, ")


@pytest.mark.parametrize("text", ["7.42", "7.42 43.73", "7.42;43.73", "7 43"])
def test_places_that_are_typed_otherwise(
    text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = refusal(capsys, monkeypatch, "route", "map.npz", "--from", text, "--to", "11")
    assert f"expected lon,lat, two numbers with a comma between them, or a vertex, got '{text}'" in refused


def test_negative_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.gr").write_text("p sp 2 2\na 1 2 -3\na 2 1 1\n")
    Path("v.csv").write_text("vertex\n1\n2\n")
    for words in (["route", "c.gr", "--from", "1", "--to", "2"], ["table", "c.gr", "v.csv"]):
        assert "a negative cycle can be reached, of weight -2" in failure(capsys, *words)


def test_distances_that_float64_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are asked for, and those that are not."""
    Path("far.wel").write_text(f"0 1 {2**53}\n1 2 1\n2 3 1\n")
    Path("ends.csv").write_text("vertex\n0\n2\n3\n")
    for end, distance in ((2, 2**53 + 1), (3, 2**53 + 2)):
        _, out, _ = run(capsys, "route", "far.wel", "--from", "0", "--to", str(end), "--json")
        assert json.loads(out)["distance"] == distance
    assert "there is no route from 3 to 0" in failure(capsys, "route", "far.wel", "--from", "3", "--to", "0")
    _, out, _ = run(capsys, "table", "far.wel", "ends.csv", "--output", "table.csv", "--json")
    answer = json.loads(out)
    assert (answer["reachable_pairs"], answer["max_distance"], answer["farthest_pair"]) == (6, 2**53 + 2, [0, 3])
    lines = Path("table.csv").read_text().splitlines()
    assert lines[2:6] == [f"0,2,{2**53 + 1}", f"0,3,{2**53 + 2}", "2,0,inf", "2,2,0"]


def test_areas_of_distances_that_float64_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    far = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**53 + 1, 2])
    reedsp.write(far.with_coordinates([[0, 0], [1, 0], [2, 0]], geographic=True), "far.npz")
    status, out, _ = run(capsys, "isochrone", "far.npz", "--from", "0", "--cutoff", str(2**53 + 1), "--json")
    assert (status, [each["vertices"] for each in json.loads(out)["reached"]]) == (0, [2])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("route map.npz --from 11 --from 12 --to 13", "--from: may be given once, and not for 11, 12"),
        ("route map.npz --from 11 --to 12 --to 13", "--to: may be given once, and not for 12, 13"),
        ("isochrone map.npz --from 11 --from 12 --cutoff 9", "--from: may be given once, and not for 11, 12"),
    ],
)
def test_an_option_given_twice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    assert message in refusal(capsys, monkeypatch, *words.split())


# ---- isochrone ---------------------------------------------------------------------------------------


def test_isochrone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["isochrone", "map.npz", "--from", "11", "--cutoff", "13342", "--cutoff", "30000"]
    status, out, _ = run(capsys, *words, "--output", "area.geojson")
    assert status == 0
    assert out.splitlines()[1:3] == ["within    13342 of 11: 1 vertices", "within    30000 of 11: 3 vertices"]
    paths = reedsp.sssp(reedsp.read("map.npz"), 11)
    assert json.loads(Path("area.geojson").read_text()) == reedsp.isochrone_geojson(paths, [13342, 30000])
    assert run(capsys, *words, "--quiet") == (0, "", "")
    _, out, _ = run(capsys, *words, "--json")
    assert [each["vertices"] for each in json.loads(out)["reached"]] == [1, 3]


def test_cutoffs_are_shown_as_they_were_typed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["isochrone", "map.npz", "--from", "11", "--cutoff", "20000", "--cutoff", "5.5"]
    _, out, _ = run(capsys, *words, "--output", "area.geojson")
    assert [line.split(" of ")[0] for line in out.splitlines()[1:3]] == ["within    20000", "within    5.5"]
    assert '"cutoff": 20000,' in Path("area.geojson").read_text()


@pytest.mark.parametrize("cutoff", ["-1", "nan", "inf"])
def test_cutoffs_that_are_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cutoff: str
) -> None:
    refused = refusal(capsys, monkeypatch, "isochrone", "map.npz", "--from", "11", "--cutoff", cutoff)
    assert "--cutoff" in refused
    assert "expected finite numbers" in refused or "is no distance" in refused


def test_geojson_on_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert command.run(["isochrone", "map.npz", "--from", "11", "--cutoff", "9", "-o", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert json.load(io.BytesIO(out))["type"] == "FeatureCollection"
    assert b"within    9 of 11" in err
