"""The command line as a whole: every command's JSON, its page of the documentation, its examples, and completion."""

from __future__ import annotations

import gzip
import inspect
import io
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from docs.tools import command_line
from reedsp.cli import command as cli_command
from reedsp.cli import commands as cli_commands
from reedsp.cli import demo, doctor, options
from reedsp.cli.keys import KEYS
from reedsp.cli.status import STATUSES
from reedsp.cost_model import calibrate, place
from reedsp.device import discovery
from reedsp.device.discovery import get_device
from reedsp.minplus import tilings, tune
from reedsp.system import icd, progress_bar
from reedsp.viewer import server
from tests.cli.running import run

ROOT = Path(__file__).resolve().parents[2]
GRAPH = "p sp 6 7\na 1 2 7\na 1 3 2\na 3 2 3\na 2 4 1\na 3 4 8\na 4 5 1\na 6 1 1\n"

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: vertices 1 .. 6, and what was found from vertex 1."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.gr").write_text(GRAPH)
    (tmp_path / "tree.csv").write_text("vertex,distance,predecessor\n1,0,\n2,5,3\n3,2,1\n4,6,2\n5,7,4\n6,inf,\n")
    (tmp_path / "cycle.gr").write_text("p sp 4 4\na 1 2 5\na 2 3 -4\na 3 2 1\na 3 4 1\n")
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], command: str, expected: int = 0) -> Any:
    """Run a command with --json; return what it prints."""
    status, out, err = run(capsys, *shlex.split(command), "--json")
    assert status == expected, err
    assert out.count("\n") == 1
    return json.loads(out)


# ---- JSON -------------------------------------------------------------------------------------------


@pytest.mark.deep("sort numbers.txt", "demo ")
@needs_device
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("sssp small.gr --source 1", 0),
        ("sssp small.gr --source 1 --target 5", 0),
        ("sssp small.gr --source 1 --target 6", 1),
        ("sssp small.gr --source 1 --source 6", 0),
        ("sssp small.gr --source 1 --source 6 --nearest", 0),
        ("sssp cycle.gr --source 1", 1),
        ("bfs small.gr --source 1", 0),
        ("bfs small.gr --source 1 --target 5", 0),
        ("bfs small.gr --source 1 --source 6", 0),
        ("bfs small.gr --source 1 --target 6", 1),
        ("components small.gr", 0),
        ("components small.gr --strong", 0),
        ("forest small.gr", 0),
        ("forest small.gr --maximum --output forest.csv", 0),
        ("match small.gr", 0),
        ("apsp small.gr", 0),
        ("apsp small.gr --source 1 --target 5", 0),
        ("apsp cycle.gr", 1),
        ("read-map town.osm -o town.npz", 0),
        ("nearest map.npz places.csv", 0),
        ("route map.npz --from 24.93,60.17 --to 12", 0),
        ("table map.npz places.csv", 0),
        ("isochrone map.npz --from 11 --cutoff 9", 0),
        ("sort numbers.txt", 0),
        ("flow small.gr --source 1 --target 5", 0),
        ("statistics small.gr", 0),
        ("statistics small.gr --sources 3 --unweighted --output values.csv", 0),
        ("statistics small.gr --dry-run", 0),
        ("statistics cycle.gr", 1),
        ("betweenness small.gr", 0),
        ("betweenness small.gr --edges --sources 3 --output values.csv", 0),
        ("watch small.gr --algorithm output-parallel --output steps.html", 0),
        ("verify small.gr tree.csv", 0),
        ("verify cycle.gr other.csv", 1),
        ("info small.gr", 0),
        ("convert small.gr new.mtx", 0),
        ("dataset", 0),
        ("devices", 0),
        ("devices --verbose", 0),
        ("calibrate --list", 0),
        ("calibrate --forget", 0),
        ("tune --list", 0),
        ("tune --forget", 0),
        ("demo --vertices 50", 0),
    ],
)
def test_json_has_the_keys_that_are_promised(
    capsys: pytest.CaptureFixture[str], folder: Path, private_cache: Path, command: str, status: int
) -> None:
    (folder / "numbers.txt").write_text("3 1 2")
    put_town(folder, "town.osm")
    (folder / "other.csv").write_text("vertex,distance,predecessor\n1,0,\n2,5,1\n3,1,2\n4,3,3\n")
    found = answer(capsys, command, status)
    for row in found if isinstance(found, list) else [found]:
        assert row
        assert set(row) <= set(KEYS[command.split()[0]])


CYCLES = {"sssp": "--source 1", "apsp": "", "statistics": "", "route": "--from 1 --to 2", "table": "vertices.csv"}


def put_town(folder: Path, name: str) -> None:
    """Write a map with two crossings, the graph of it, and two places."""
    nodes = "".join(f'<node id="{node}" lat="60.17" lon="{lon}"/>' for node, lon in ((11, 24.93), (12, 24.94)))
    road = '<way id="1"><nd ref="11"/><nd ref="12"/><tag k="highway" v="road"/></way>'
    text = f'<osm version="0.6">{nodes}{road}</osm>'
    (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    graph = reedsp.Graph.from_edges(2, [0, 1], [1, 0], [66_374, 66_374], labels=[11, 12])
    graph = graph.with_coordinates([[24.93, 60.17], [24.94, 60.17]], geographic=True)
    reedsp.write(graph, folder / "map.npz", overwrite=True)
    (folder / "places.csv").write_text("name,lon,lat\nhome,24.93,60.17\nwork,24.95,60.17\n")


@needs_device
def test_no_key_is_promised_in_vain(capsys: pytest.CaptureFixture[str], folder: Path, private_cache: Path) -> None:
    """Those that need another machine, or minutes, apart."""
    commands = {
        "sssp": ["small.gr --source 1", "small.gr --source 1 --target 5", "small.gr --source 1 --source 2"],
        "bfs": [
            "small.gr --source 1 --dry-run",
            "small.gr --source 1",
            "small.gr --source 1 --target 5",
            "small.gr --source 1 --source 2",
        ],
        "apsp": ["small.gr", "small.gr --dry-run", "small.gr --source 1 --target 5"],
        "components": ["small.gr"],
        "forest": ["small.gr"],
        "match": ["small.gr"],
        "flow": ["small.gr --source 1 --target 5"],
        "statistics": ["small.gr", "small.gr --dry-run"],
        "betweenness": ["small.gr"],
        "watch": ["small.gr --algorithm output-parallel --output steps.html"],
        "read-map": ["town.osm -o town.npz"],
        "nearest": ["map.npz places.csv"],
        "route": ["map.npz --from 11 --to 12"],
        "table": ["map.npz places.csv"],
        "isochrone": ["map.npz --from 11 --cutoff 9"],
        "info": ["small.gr", "both.mtx"],
    }
    commands["sssp"] += ["small.gr --source 1 --source 2 --nearest", "small.gr --source 1 --dry-run"]
    reedsp.write(reedsp.Graph.from_edges(3, [0, 1], [1, 2], directed=False), "both.mtx")
    put_town(folder, "town.osm")
    (folder / "vertices.csv").write_text("vertex\n1\n")
    for name, lines in commands.items():
        found = {key for line in lines for key in answer(capsys, f"{name} {line}")}
        if name in CYCLES:
            found |= set(answer(capsys, f"{name} cycle.gr {CYCLES[name]}", 1))
        assert found == set(KEYS[name]) - {"no_device"}


@needs_device
def test_components(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "parts.el").write_text("1 2\n2 1\n4 3\n")
    status, out, err = run(capsys, "components", "parts.el", "--relabel", "--verify", "--output", "parts.csv")
    assert (status, err) == (0, "")
    assert out.splitlines()[1] == "found     2 connected components"
    assert [line.split() for line in out.splitlines()[2:5]] == [
        ["component", "vertices", "smallest"],
        ["0", "2", "1"],
        ["1", "2", "3"],
    ]
    assert out.splitlines()[-2:] == ["verified  components are right for every edge", "written   parts.csv"]
    assert (folder / "parts.csv").read_text().splitlines()[0] == "vertex,component"
    assert run(capsys, "components", "parts.el", "--quiet", "--output", "parts.csv")[0] == 1  # it is there
    _, out, _ = run(capsys, "components", "parts.el", "--strong")
    assert "strongly connected components" in out
    (folder / "none.gr").write_text("p sp 0 0\n")
    status, out, _ = run(capsys, "components", "none.gr")
    assert status == 0
    assert out.splitlines()[1].startswith("found     0 connected components")
    assert "smallest" not in out


@needs_device
def test_statistics(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "some.gr").write_text("p sp 5 5\na 1 2 7\na 1 3 2\na 3 2 3\na 2 4 1\na 4 1 1\n")  # nothing leads to 5
    status, out, err = run(capsys, "statistics", "some.gr", "--output", "found.csv")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[1:5] == [
        "reached   12 of 20 pairs of vertices",
        "mean      3.5",
        "diameter  6, from 1",
        "radius    0, from 5",
    ]
    assert [line.split() for line in lines[5:11]] == [
        *(["vertex", "closeness"], ["2", "0.321429"], ["4", "0.225"], ["3", "0.1875"], ["1", "0.173077"]),
        ["5", "0"],
    ]
    assert lines[-1] == "written   found.csv"
    assert (folder / "found.csv").read_text().splitlines() == [
        "vertex,reached,eccentricity,farness,closeness",
        *(f"1,4,6,13,{3 / 13 * 0.75}", f"2,4,4,7,{3 / 7 * 0.75}", f"3,4,5,12,{3 / 12 * 0.75}"),
        *(f"4,4,6,10,{3 / 10 * 0.75}", "5,1,0,0,0.0"),
    ]
    edges = answer(capsys, "statistics some.gr --unweighted")
    assert (edges["diameter"], edges["farthest"], edges["radius"], edges["center"]) == (3, 2, 0, 5)
    few = answer(capsys, "statistics some.gr --sources 2 --seed 3")
    assert few["sources"] == 2
    assert {vertex for vertex, _ in few["central"]} <= {1, 2, 3, 4, 5}
    assert answer(capsys, "statistics some.gr --sources 6")["sources"] == 5
    (folder / "none.gr").write_text("p sp 0 0\n")
    none = answer(capsys, "statistics none.gr")
    assert [none[key] for key in ("reached", "mean_distance", "diameter", "radius", "central")] == [
        0,
        None,
        None,
        None,
        [],
    ]
    status, out, _ = run(capsys, "statistics", "none.gr")
    assert status == 0
    assert out.splitlines()[1] == "reached   0 of 0 pairs of vertices"


@needs_device
def test_betweenness(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, err = run(capsys, "betweenness", "small.gr", "--verify")
    assert (status, err) == (0, "")
    assert "verified " in out
    _, out, _ = run(capsys, "betweenness", "small.gr", "--json")
    largest = json.loads(out)["largest"]
    for number, drawn in ((2, 2), (6, 6), (100, 6)):  # all, if there are fewer
        status, out, err = run(capsys, "betweenness", "small.gr", "--sources", number)
        assert (status, err) == (0, "")
        assert f", {drawn} sources" in out
        status, out, err = run(capsys, "betweenness", "small.gr", "--sources", number, "--json")
        assert (json.loads(out)["sources"], json.loads(out)["largest"] == largest) == (drawn, drawn == 6)


@needs_device
@pytest.mark.parametrize("command", ["sssp small.gr --source 1", "apsp small.gr", "statistics small.gr"])
def test_what_a_call_would_take(capsys: pytest.CaptureFixture[str], folder: Path, command: str) -> None:
    status, out, err = run(capsys, *command.split(), "--dry-run")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == ["graph", "expected", "because", "memory"]


@needs_device
def test_tuning_as_json(
    capsys: pytest.CaptureFixture[str], private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tilings.panels(8, 2, 6), tilings.panels(8, 1, 8)
    found = [tune.Outcome("int32", before, 1000.0, after, 1234.5)]
    monkeypatch.setattr(tune, "tune", lambda *arguments: found)
    told = answer(capsys, "tune --quick")
    assert told["device"] == str(get_device())
    assert told["file"] is None
    assert told["outcomes"] == [
        {
            "arithmetic": "int32",
            "small_products": False,
            "before": tilings.describe(before),
            "before_gpairs_per_second": 1000.0,
            "after": tilings.describe(after),
            "after_gpairs_per_second": 1234.5,
        }
    ]


@needs_device
def test_demo_as_json(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    told = answer(capsys, "demo --vertices 100 --output picture.png")
    network = demo.road_network(100, 1)
    assert (told["vertices"], told["edges"], told["different"]) == (100, network.graph.m, 0)
    assert (told["source"], told["target"], told["picture"]) == (network.source, network.target, "picture.png")
    assert (folder / "picture.png").exists()


# ---- several sources, cutoffs, breadth-first search -------------------------------------------------


@needs_device
def test_several_sources(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    told = answer(capsys, "sssp small.gr --source 1 --source 6 --output rows.csv")
    assert told["source"] == [1, 6]
    assert [(row["source"], row["reached"], row["max_distance"]) for row in told["answers"]] == [(1, 5, 7), (6, 6, 8)]
    lines = (folder / "rows.csv").read_text().splitlines()
    assert lines[0] == "source,vertex,distance,predecessor"
    assert lines[5:9] == ["1,5,7,4", "1,6,inf,", "6,1,1,6", "6,2,6,3"]
    _, out, _ = run(capsys, "sssp", "small.gr", "--source", 1, "--source", 6)
    assert re.search(r"^source +reached +farthest +distance *\n1 +5 +5 +7 *\n6 +6 +5 +8 *$", out, re.MULTILINE)
    _, out, _ = run(capsys, "sssp", "small.gr", "--source", 1, "--source", 3, "--target", 5)
    assert "distance  7 from 1 to 5\nroute     1 -> 3 -> 2 -> 4 -> 5 (5 vertices)\ndistance  5 from 3 to 5\n" in out


@needs_device
@pytest.mark.parametrize("command", ["sssp", "bfs"])
def test_routes_from_several_sources(command: str, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A .csv has all vertices, and sources without a route do not keep back those that have one."""
    column = {"sssp": "distance", "bfs": "level"}[command]
    assert run(capsys, command, "small.gr", *["-s", "3", "-s", "6", "-t", "5", "-o", "r.CSV", "-q"]) == (0, "", "")
    assert Path("r.CSV").read_text().startswith(f"source,vertex,{column},predecessor\n3,1,inf,\n")
    assert len(answer(capsys, f"{command} small.gr -s 3 -s 6 -t 5 -o r2.csv")["answers"]) == 2
    assert Path("r2.csv").read_text() == Path("r.CSV").read_text()
    status, out, err = run(capsys, command, "small.gr", *["-s", "5", "-s", "1", "-s", "4", "-t", "3", "-o", "r3.csv"])
    assert (status, err) == (1, "reedsp: there is no route from 5, 4 to 3\n")
    assert "\nroute     1 -> 3 (2 vertices)\n" in out
    assert Path("r3.csv").read_text().count("\n") == 19
    assert run(capsys, command, "small.gr", *["-s", "5", "-s", "4", "-t", "3", "-o", "r4.csv"])[::2] == (
        *(1, "reedsp: there is no route from 5, 4 to 3\n"),
    )
    assert not Path("r4.csv").exists()


def test_small_searches_without_a_device(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_devices", [])
    monkeypatch.setattr(place, "_serves", True)
    (folder / "places.csv").write_text("vertex\n1\n5\n")
    (folder / "none.gr").write_text("p sp 0 0\n")
    (folder / "bare.gr").write_text("p sp 3 0\n")
    assert answer(capsys, "sssp small.gr -s 1 --verify")["verified"]
    for command in ("components", "forest", "match", "flow -s 1 -t 5"):
        assert answer(capsys, f"{command} small.gr --verify")["verified"]
    assert answer(capsys, "sssp small.gr -s 1 --dry-run")["estimate"]["method"] == "dijkstra"
    assert answer(capsys, "bfs small.gr -s 1 --dry-run")["estimate"]["device_bytes"] == 0
    assert answer(capsys, "table small.gr places.csv")["max_distance"] == 7
    for command in ("sssp", "bfs"):
        assert answer(capsys, f"{command} bare.gr -s 1")["reached"] == 1
    told = answer(capsys, "info small.gr")
    assert (told["device"], told["sssp"]["method"], told["apsp"]) == (None, "dijkstra", None)
    assert "\nsssp      would take dijkstra, about " in run(capsys, "info", "small.gr")[1]
    assert re.search(r"^solved    floyd-warshall, \S+ s$", run(capsys, "apsp", "none.gr")[1], re.MULTILINE)
    assert "memory" not in run(capsys, "apsp", "none.gr", "--dry-run")[1]
    assert run(capsys, "apsp", "small.gr")[0] == 1


def test_ends_of_paths_are_not_those_of_edges(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, _, err = run(capsys, "betweenness", "small.gr", "--edges", "--endpoints")
    assert status == 2
    assert "choose one of them" in err


def test_warnings_have_no_line_of_python(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(arguments: object) -> int:
        warnings.showwarning("it is damaged", RuntimeWarning, "file.py", 3)
        return 0

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(cli_command, "run", warn)
    with pytest.raises(SystemExit, match=r"^0$"):
        cli_command.main()
    assert capsys.readouterr().err == "reedsp: warning: it is damaged\n"


@needs_device
def test_nearest_source(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    told = answer(capsys, "sssp small.gr --source 3 --source 6 --nearest --output near.csv")
    assert (told["reached"], told["nearest"]) == (6, {"3": 4, "6": 2})
    assert (folder / "near.csv").read_text().splitlines()[:3] == [
        "vertex,distance,predecessor,nearest",
        "1,1,6,6",
        "2,3,3,3",
    ]
    told = answer(capsys, "sssp small.gr --source 3 --source 6 --nearest --target 1")
    assert (told["distance"], told["path"]) == (1, [6, 1])
    assert run(capsys, "sssp", "small.gr", "--source", 3, "--source", 5, "--nearest", "--target", 6) == (
        *(1, "", "reedsp: there is no route from 3 or 5 to 6\n"),
    )


@needs_device
def test_cutoff(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    told = answer(capsys, "sssp small.gr --source 1 --cutoff 5 --output near.npz")
    assert (told["reached"], told["max_distance"]) == (3, 5)
    with np.load("near.npz") as content:
        assert content["cutoff"] == 5
        assert content["dist"].tolist() == [0, 5, 2, np.inf, np.inf, np.inf]


@needs_device
def test_whole_cutoffs_are_not_rounded(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("long.gr").write_text("p sp 2 1\na 1 2 9007199254740996\n", encoding="utf-8")
    for cutoff, reached in ((9007199254740995, 1), (9007199254740996, 2), ("9007199254740997.0", 2), ("1e16", 2)):
        assert answer(capsys, f"sssp long.gr --source 1 --cutoff {cutoff}")["reached"] == reached


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("sssp small.gr --source 1 --nearest", "--nearest: needs several --source"),
        ("sssp small.gr --source 1 --cutoff nan", "'--cutoff': nan is no distance"),
        ("sssp small.gr --source 1 --cutoff far", "Invalid value for '--cutoff'"),
        ("bfs small.gr --source 9", "--source: '9' is not a vertex of this graph"),
        ("bfs small.gr --source 1 --output levels.txt", "levels.txt does not end in .npz or .csv"),
        ("match small.gr --output pairs.npz", "pairs.npz does not end in .csv"),
        ("match small.gr --output - --json", "--output - and --json: both go to standard output"),
        ("match small.gr --method best", "Invalid value for '--method'"),
        ("convert small.gr graph.txt", "graph.txt does not end in .gr, .mtx, .el, .wel, .graph, .npz"),
        ("convert small.gr", "Missing argument"),
        ("info", "Missing argument"),
        ("verify small.gr", "Missing argument"),
        ("bfs small.gr", "Missing option '--source'"),
        ("apsp small.gr -s 1 -s 6 -t 5", "--source: may be given once, and not for 1, 6"),
        ("apsp small.gr -s 1 -t 5 -t 4", "--target: may be given once, and not for 5, 4"),
        ("flow small.gr -t 5", "Missing option '--source'"),
        ("watch small.gr -a near-far -s 1 -s 2 -o page.html", "--source: may be given once, and not for 1, 2"),
        ("components small.gr --output parts.npz", "parts.npz does not end in .csv"),
        ("components small.gr --output - --json", "--output - and --json: both go to standard output"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], folder: Path, command: str, message: str) -> None:
    status, out, err = run(capsys, *shlex.split(command))
    assert (status, out) == (2, "")
    assert message in " ".join(re.sub(r"[│\n]", " ", err).split())


@needs_device
def test_maximum_matching(capsys: pytest.CaptureFixture[str], folder: Path, device: reedsp.Device) -> None:
    status, out, err = run(capsys, "match", "small.gr", "--device", device.index, "--verify", "--output", "pairs.csv")
    assert (status, err) == (0, "")
    assert "\nmatched   5 pairs of 6 rows and 6 columns\nsolved    " in out
    assert out.endswith("verified  as many vertices cover all edges\nwritten   pairs.csv\n")
    pairs = "row,column\n1,3\n2,4\n3,2\n4,5\n6,1\n"
    assert Path("pairs.csv").read_text() == pairs
    assert run(capsys, "match", "small.gr", "-o", "pairs.csv") == (
        1,
        "",
        "reedsp: pairs.csv exists; --force replaces it\n",
    )
    for method in ("depth-first", "phases", "dulle", "khosla"):
        assert run(capsys, "match", "small.gr", "--method", method, "-o", "pairs.csv", "--force", "-q") == (0, "", "")
        assert Path("pairs.csv").read_text() == pairs
    reedsp.write(reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], directed=False), "odd.graph")
    assert run(capsys, "match", "odd.graph")[::2] == (
        *(1, "reedsp: graph: it is not bipartite, a cycle of odd length can be reached from vertex 1\n"),
    )


@needs_device
def test_breadth_first_search(capsys: pytest.CaptureFixture[str], folder: Path, device: reedsp.Device) -> None:
    status, out, err = run(
        capsys, "bfs", "small.gr", "--source", 1, "--target", 5, "--device", device.index, "--verify"
    )
    assert (status, err) == (0, "")
    assert "\nlevel     3 from 1 to 5\nroute     1 -> 2 -> 4 -> 5 (4 vertices)\nsolved    " in out
    assert out.endswith("verified  levels and predecessors are right for every edge\n")
    _, out, _ = run(capsys, "bfs", "small.gr", "--source", 1, "--output", "levels.csv")
    assert "\nreached   5 of 6 vertices from 1\nfarthest  5, at level 3\n" in out
    assert Path("levels.csv").read_text() == "vertex,level,predecessor\n1,0,\n2,1,1\n3,1,1\n4,2,2\n5,3,4\n6,inf,\n"
    assert run(capsys, "bfs", "small.gr", "--source", 1, "--target", 6)[::2] == (
        *(1, "reedsp: there is no route from 1 to 6\n"),
    )
    assert run(capsys, "bfs", "small.gr", "--source", 1, "--output", "levels.csv") == (
        *(1, "", "reedsp: levels.csv exists; --force replaces it\n"),
    )
    assert run(capsys, "bfs", "small.gr", "--source", 1, "--target", 5, "--output", "levels.csv", "--force")[0] == 0
    assert Path("levels.csv").read_text() == "vertex,level,predecessor\n1,0,\n2,1,1\n4,2,2\n5,3,4\n"
    run(capsys, "bfs", "small.gr", "--source", 1, "--source", 6, "--output", "levels.npz")
    with np.load("levels.npz") as content:
        assert sorted(content) == ["about", "levels", "offset", "pred", "source"]
        assert content["levels"].tolist() == [[0, 1, 1, 2, 3, -1], [1, 2, 2, 3, 4, 0]]


# ---- convert and info -------------------------------------------------------------------------------


def test_convert(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, err = run(capsys, "convert", "small.gr", "small.wel.gz")
    assert (status, err) == (0, "")
    assert re.fullmatch(
        r"read      small\.gr: 6 vertices, 7 edges, in \d+\.\d+ s\n"
        r"written   small\.wel\.gz: \d+ B, in \d+\.\d+ s\n"
        r"changed   vertices are numbered from 0, no longer from 1\n",
        out,
    )
    one, other = reedsp.read("small.gr"), reedsp.read("small.wel.gz")
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.weights, other.weights)
    again = "reedsp: small.wel.gz exists; --force replaces it\n"
    assert run(capsys, "convert", "small.gr", "small.wel.gz") == (1, "", again)
    assert run(capsys, "convert", "small.gr", "small.wel.gz", "--force")[0] == 0
    told = answer(capsys, "convert small.wel.gz small.npz")
    assert (told["changes"], told["bytes"]) == ([], Path("small.npz").stat().st_size)


def test_convert_refuses_what_does_not_fit(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, err = run(capsys, "convert", "small.gr", "small.graph")
    assert (status, out) == (1, "")
    assert err == (
        "reedsp: graph: the edge from 1 to 2 of weight 7 has no counterpart of the same weight, "
        "which METIS files need\n"
    )
    assert not Path("small.graph").exists()
    expected = f"reedsp: {Path('nowhere')} is not a directory\n"
    assert run(capsys, "convert", "small.gr", "nowhere/small.mtx") == (1, "", expected)
    (folder / "gaps.wel").write_text("1000 70 4\n70 50000000 5\n")
    _, out, _ = run(capsys, "convert", "gaps.wel", "gaps.gr", "--relabel")
    assert "changed   the labels of the vertices are lost\n" in out


@needs_device
def test_info(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Against the graph, counted by hand: an edge 2 -> 2, two edges 1 -> 2, an island of 5 and 6."""
    (folder / "odd.gr").write_text("p sp 6 6\na 1 2 7\na 1 2 9\na 2 2 0\na 2 3 -3\na 3 1 4\na 5 6 1\n")
    told = answer(capsys, "info odd.gr")
    assert (told["vertices"], told["edges"], told["directed"], told["first_vertex"]) == (6, 5, True, 1)
    assert told["out_degree"] == {"min": 0, "mean": 5 / 6, "p50": 1, "p90": 2, "p99": 2, "max": 2, "zero": 2}
    assert told["in_degree"] == {"min": 0, "mean": 5 / 6, "p50": 1, "p90": 2, "p99": 2, "max": 2, "zero": 2}
    assert told["weights"] == {"type": "int64", "whole": True, "min": -3, "max": 7, "zero": 1, "negative": 1}
    assert (told["self_loops"], told["parallel_edges"]) == (1, 1)
    assert told["weak_components"] == {"count": 3, "largest": 3}
    assert told["strong_components"] == {"count": 4, "largest": 3}
    assert told["sssp"]["method"] == reedsp.sssp(reedsp.read("odd.gr"), 3).method
    assert told["apsp"]["method"] == reedsp.apsp(reedsp.read("odd.gr")).method
    assert (told["apsp"]["pairs"], told["apsp"]["distance_bytes"]) == (36, 288)
    _, out, _ = run(capsys, "info", "odd.gr")
    assert "\nedges     5; 1 self loops; 1 parallel ones left out\n" in out
    assert "\nweights   int64, -3 .. 7; 1 zero, 1 negative\n" in out
    assert max(map(len, out.splitlines())) <= 120


@pytest.mark.parametrize(
    ("name", "text", "parallel", "loops"),
    [
        ("x.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n2 1 5\n2 1 6\n", 1, 1),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n2 1 6\n", 2, 0),
        ("x.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", 0, 2),
        ("x.graph", "2 2\n2 2\n1 1\n", 1, 0),
        ("x.gr", "p tw 3 3\n1 2\n1 2\n2 3\n", 1, 0),
        ("x.el", "3 3\n0 1\n0 1\n1 0\n", 1, 0),
    ],
)
def test_parallel_edges_are_counted(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str, text: str, parallel: int, loops: int
) -> None:
    (folder / name).write_text(text)
    told = answer(capsys, f"info {name}")
    assert (told["parallel_edges"], told["self_loops"]) == (parallel, loops)


def test_info_of_nothing(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "none.gr").write_text("p sp 0 0\n")
    told = answer(capsys, "info none.gr")
    assert (told["vertices"], told["weights"], told["first_vertex"]) == (0, None, None)
    assert told["weak_components"] == {"count": 0, "largest": 0}
    assert run(capsys, "info", "none.gr")[0] == 0


def test_no_device(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_devices", [])
    told = answer(capsys, "info small.gr")
    assert (told["device"], told["sssp"], told["apsp"]) == (None, None, None)
    assert told["no_device"] == "no OpenCL device was found"
    _, out, err = run(capsys, "info", "small.gr")
    assert (out.splitlines()[-1], err) == ("device    none: no OpenCL device was found", "")
    message = f"reedsp: no OpenCL device was found\n{icd.install_hint()}\n"
    assert run(capsys, "devices") == (1, "", message)
    assert run(capsys, "devices", "--json") == (1, "[]\n", message)


def child(
    code: str, *arguments: str, variables: dict[str, str] | None = None, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, input=given)


MAIN = "from reedsp.cli import main; main()"


@pytest.mark.deep
def test_info_and_convert_and_verify_without_a_device(folder: Path) -> None:
    if any(device.platform == "Oclgrind" for device in reedsp.devices()):
        pytest.skip("Oclgrind shows its device whatever the loader reads")
    variables = {"OCL_ICD_VENDORS": "/nonexistent", "REEDSP_DEVICE": ""}
    found = child(MAIN, "info", "small.gr", variables=variables)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.endswith("device    none: no OpenCL device was found\n")
    for command in ("convert small.gr small.mtx", "verify small.gr tree.csv"):
        assert child(MAIN, *command.split(), variables=variables).returncode == 0


# ---- standard input and output, silence -------------------------------------------------------------


@pytest.mark.deep
@needs_device
@pytest.mark.parametrize("command", ["sssp", "bfs"])
def test_standard_input_and_output(folder: Path, command: str) -> None:
    """What goes to standard output is the file that would have been written, and the text goes elsewhere."""
    assert cli_command.run([command, "small.gr", "-s", "1", "-o", "expected.csv"]) == 0
    found = child(MAIN, command, "-", "-s", "1", "-o", "-", given=GRAPH)
    assert (found.returncode, found.stdout) == (0, Path("expected.csv").read_text())
    assert re.match(r"graph     standard input: 6 vertices, 7 edges, .*\n.*\n.*\nsolved .*\n$", found.stderr)
    assert "written" not in found.stderr
    quiet = child(MAIN, command, "-", "-s", "1", "-t", "5", "-o", "-", "-q", given=GRAPH)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout.count("\n") == 1 + (5 if command == "sssp" else 4)
    assert child(MAIN, "verify", "small.gr", "-", given=found.stdout).returncode == 0


@pytest.mark.deep
@needs_device
def test_every_text_format_is_recognised_on_standard_input(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for name in ("small.gr", "new.mtx", "new.wel"):
        if name != "small.gr":
            run(capsys, "convert", "small.gr", name)
        first = "0" if name == "new.wel" else "1"
        found = child(MAIN, "sssp", "-", "-s", first, "--json", given=Path(name).read_text())
        assert json.loads(found.stdout)["max_distance"] == 7


@pytest.mark.deep
def test_faults_on_standard_input(folder: Path) -> None:
    found = child(MAIN, "info", "-", given="p sp 2 1\na 1 x 3\n")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "reedsp: standard input:2: expected a vertex number, got 'x'\n"
    found = child(MAIN, "info", "-", given="4 3\n2 3\n1 3\n1 2\n\n")
    assert "standard input: this may be an edge list or METIS: write it to a file whose name ends in" in found.stderr
    found = child(MAIN, "verify", "small.gr", "-", given="vertex,distance,predecessor\n1,x,\n")
    assert found.returncode == 1
    assert found.stderr.startswith("reedsp: standard input:2: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("command", ["sort", "info", "nearest map.npz"])
def test_a_pipe_that_nobody_may_ever_write_to(capsys: pytest.CaptureFixture[str], folder: Path, command: str) -> None:
    put_town(folder, "map.npz")
    os.mkfifo("pipe.gr")
    assert run(capsys, *command.split(), "pipe.gr") == (1, "", "reedsp: pipe.gr: not a regular file\n")


@pytest.mark.deep("sort ")
@pytest.mark.skipif(shutil.which("bash") is None or not Path("/dev/fd").is_dir(), reason="pipes without names")
@pytest.mark.parametrize(
    "command", ["sort <(echo 3 1) -q", "sort - < <(echo 3 1)", "sort /dev/stdin < <(echo 3 1)", "info <(cat small.gr)"]
)
def test_what_the_shell_has_opened_may_be_a_pipe(folder: Path, command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -m reedsp {command}"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("1\n3\n" if command.startswith("sort") else "graph     /dev/fd/")


@needs_device
def test_nobody_reads_standard_output(folder: Path) -> None:
    ring = np.arange(100_000)
    reedsp.write(reedsp.Graph.from_edges(100_000, ring, np.roll(ring, 1)), "ring.el")
    command = [sys.executable, "-c", MAIN, "sssp", "ring.el", "-s", "0", "-o", "-", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@needs_device
@pytest.mark.parametrize(
    "command",
    [
        "sssp small.gr -s 1",
        "sssp small.gr -s 1 -t 5 -o new.csv",
        "bfs small.gr -s 1 -s 6",
        "apsp small.gr -s 1 -t 5",
        "apsp small.gr -o new.npy",
        "convert small.gr new.mtx",
        "verify small.gr tree.csv -s 1",
    ],
)
def test_quiet(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Neither text nor a bar, on a terminal, by a clock that is fast."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    clock = types.SimpleNamespace(monotonic=itertools.count(step=3).__next__)
    monkeypatch.setattr(progress_bar, "time", clock)
    monkeypatch.setenv("TERM", "xterm")
    assert cli_command.run([*command.split(), "-q"]) == 0
    assert (capsys.readouterr().out, terminal.getvalue()) == ("", "")
    for written in ("-o", "new.mtx"):
        if written in command:
            assert next(folder.glob("new.*")).stat().st_size > 0


class EndedError(BaseException):
    """The process is to have ended here."""


def end_before(name: str, count: int, patch: pytest.MonkeyPatch, command: str) -> None:
    """Have a command end before an operation on files, when it has happened so often."""
    operation, left = getattr(os, name), itertools.count()

    def ended(*arguments: Any, **options: Any) -> Any:
        if next(left) >= count:
            raise EndedError(name)
        return operation(*arguments, **options)

    with patch.context() as context:
        context.setattr(os, name, ended)
        with pytest.raises(EndedError):
            cli_command.run(command.split())


@needs_device
@pytest.mark.parametrize("count", [0, 1])
def test_all_pairs_that_replace_others_end_when_the_command_is_given_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """It was killed before one or both results were moved to their places."""
    command = "apsp small.gr --predecessors -q -o "
    assert cli_command.run(f"{command}right.npy".split()) == 0
    there = {each.name for each in folder.iterdir()}
    for name in ("pairs.npy", "pairs.pred.npy"):
        (folder / name).write_bytes(b"older")
    end_before("replace", count, monkeypatch, f"{command}pairs.npy --force")
    assert cli_command.run(f"{command}pairs.npy --force".split()) == 0
    assert {each.name for each in folder.iterdir()} == there | {"pairs.npy", "pairs.pred.npy"}
    for ending in (".npy", ".pred.npy"):
        assert (folder / f"pairs{ending}").read_bytes() == (folder / f"right{ending}").read_bytes()


@needs_device
def test_all_pairs_whose_folder_was_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = {each.name for each in folder.iterdir()}
    end_before("unlink", 6, monkeypatch, "apsp small.gr -q -o pairs.npy")  # five make room for the results
    assert (folder / "pairs.npy.partial").exists()
    content = (folder / "pairs.npy").read_bytes()
    assert cli_command.run(["apsp", "small.gr", "-q", "-o", "pairs.npy"]) == 0
    assert (folder / "pairs.npy").read_bytes() == content
    assert {each.name for each in folder.iterdir()} == there | {"pairs.npy"}


@needs_device
@needs_device
@pytest.mark.parametrize("command", ["sssp small.gr -s 1", "bfs small.gr -s 1", "apsp small.gr", "statistics small.gr"])
def test_a_dry_run_can_be_quiet(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    words = [*command.split(), "--dry-run", "--quiet"]
    assert run(capsys, *words) == (0, "", "")
    assert "estimate" in json.loads(run(capsys, *words, "--json")[1])


@needs_device
def test_names_that_an_encoding_has_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reedsp.write(reedsp.Graph.from_edges(2, [0], [1], labels=["Chur", "Z\u00fcrich"]), "names.npz")
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["reedsp", "bfs", "names.npz", "--source", "Chur", "--target", "Zürich"])
    with pytest.raises(SystemExit, match=r"^0$"):
        cli_command.main()
    out.seek(0)
    assert "route     Chur -> Z\\xfcrich (2 vertices)" in out.read()


def test_failures_are_not_quiet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "reedsp: there is no route from 5 to 1\n"
    assert run(capsys, "sssp", "small.gr", "-s", "5", "-t", "1", "--quiet") == (1, "", message)
    assert answer(capsys, "sssp small.gr -s 1 -t 5 --quiet")["distance"] == 7


# ---- ends -------------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("command", "interrupted"),
    [
        ("bfs small.gr --source 1", "reedsp.algorithms.traversal.bfs.bfs"),
        ("info small.gr", "reedsp.io.readers.survey"),
        ("convert small.gr new.mtx", "reedsp.io.writers.write"),
        ("verify small.gr tree.csv", "reedsp.results.certificate.check"),
        ("dataset road-ny", "reedsp.io.datasets.fetch"),
        ("apsp small.gr", "reedsp.algorithms.all_pairs.apsp.apsp"),
    ],
)
def test_interrupt(folder: Path, command: str, interrupted: str) -> None:
    module, name = interrupted.rsplit(".", 1)
    code = f"""
import functools, importlib, os, signal, time
def endless(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)
module = importlib.import_module("{module}")
setattr(module, "{name}", functools.wraps(module.{name})(endless))
from reedsp.cli import main
main()
"""
    before = sorted(folder.iterdir())
    ended = child(code, *command.split())
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.SIGINT, "", "")
    assert sorted(folder.iterdir()) == before


@pytest.mark.deep
@needs_device
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    "command",
    [
        "bfs small.gr --source 1 --json",
        "info small.gr --json",
        "convert small.gr new.mtx --json",
        "verify small.gr tree.csv --json",
        "dataset --json",
        "--version",
        "sssp --help",
    ],
)
def test_broken_pipe(folder: Path, command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    invocation = [sys.executable, "-c", MAIN, *command.split()]
    with subprocess.Popen(invocation, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaints = process.stderr.read()
    assert process.returncode == 128 + signal.SIGPIPE
    assert b"Traceback" not in complaints
    assert b"BrokenPipe" not in complaints


@pytest.mark.deep("later", "convert ", "sort numbers.txt", "dataset")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
@pytest.mark.parametrize("variables", [{"PYTHONUNBUFFERED": "1"}, {"PYTHONUNBUFFERED": ""}], ids=["at once", "later"])
@pytest.mark.parametrize(
    "command",
    [
        *(
            "--version",
            "--help",
            "convert --help",
            "doctor --help",
            "convert small.gr new.mtx",
            "convert small.gr a.mtx --json",
        ),
        *("sort numbers.txt", "sort numbers.txt -o -", "dataset"),
    ],
)
def test_standard_output_is_full(folder: Path, command: str, variables: dict[str, str]) -> None:
    if command == "doctor --help" and variables["PYTHONUNBUFFERED"]:
        pytest.skip("argparse keeps the error for itself")
    Path("numbers.txt").write_text("2 1 " * 5000)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", MAIN, *command.split()],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ended.returncode, ended.stderr) == (1, "reedsp: standard output: No space left on device\n")


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_the_doctor_is_ended(
    error: type[BaseException], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is printed any more that has no reader."""

    def end(arguments: list[str]) -> int:
        print("half a report")
        raise error

    output = tmp_path / "output"
    with output.open("w") as stream, monkeypatch.context() as patch:
        patch.setattr(doctor, "main", end)
        patch.setattr(sys, "argv", ["reedsp", "doctor"])
        patch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit, match=f"^{status}$"):
            cli_command.main()
    assert output.read_text() == ("" if error is BrokenPipeError else "half a report\n")


@pytest.mark.parametrize("command", ["info", "convert", "verify", "bfs"])
def test_faults_of_files_are_told_in_a_line(capsys: pytest.CaptureFixture[str], folder: Path, command: str) -> None:
    more = {"convert": ["new.mtx"], "verify": ["tree.csv"], "bfs": ["--source", "1"], "info": []}[command]
    assert run(capsys, command, "nowhere.gr", *more) == (1, "", "reedsp: nowhere.gr: No such file or directory\n")
    (folder / "bad.gr").write_text("p sp 2 1\na 1 x 3\n")
    status, out, err = run(capsys, command, "bad.gr", *more, "--json")
    assert (status, out) == (1, "")
    assert err == "reedsp: bad.gr:2: expected a vertex number, got 'x'\n"


# ---- progress ---------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@needs_device
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("info small.gr", ("reading", "100% of the file", "examining", "methods")),
        ("convert small.gr new.mtx", ("reading", "writing", "7 of 7 edges")),
        ("verify small.gr tree.csv", ("reading", "checking", "1 of 1 vertices")),
    ],
)
def test_progress_with_time_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, shown: tuple[str, ...]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    clock = types.SimpleNamespace(monotonic=itertools.count(step=3).__next__)  # which is fast
    monkeypatch.setattr(progress_bar, "time", clock)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    assert cli_command.run(command.split()) == 0
    for text in (*shown, "left"):
        assert text in terminal.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        *("sssp small.gr -s 1", "sssp small.gr -s 1 -s 3", "bfs small.gr -s 1", "flow small.gr -s 1 -t 5"),
        *("statistics small.gr", "statistics small.gr --unweighted", "match small.gr"),
    ],
)
def test_a_bar_that_is_shown_late_needs_no_device(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(discovery, "_devices", [])
    monkeypatch.setattr(place, "_serves", True)
    assert cli_command.run(command.split()) == 0, terminal.getvalue()


# ---- completion -------------------------------------------------------------------------------------


def completed(words: str) -> list[str]:
    """Return what a shell is told when these words have been typed."""
    variables = {
        "_REEDSP_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    found = child(MAIN, variables=variables)
    assert found.stderr == ""
    return found.stdout.split("\n")


@needs_device
@pytest.mark.deep("offered0", "offered1", "offered3", "offered4")  # a process each
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("reedsp ", ["sssp", "bfs", "verify", "dataset"]),
        ("reedsp sssp --me", ["--method"]),
        ("reedsp sssp --method near", ["near-far"]),
        ("reedsp dataset road", ["road-ny", "road-ny-places"]),
        ("reedsp watch --algorithm bo", ["boruvka"]),
    ],
)
def test_completion(words: str, offered: list[str]) -> None:
    assert set(offered) <= set(completed(words))


@needs_device
def test_devices_are_completed() -> None:
    device = get_device()
    platform = re.findall("[a-z0-9]+", device.platform.lower())[0]
    offered = completed("reedsp sssp --device ")
    assert {platform, device.kind} <= set(offered)
    assert platform in get_device(platform).platform.lower()
    assert platform in completed(f"reedsp tune --device {platform[:2]}")


def test_names_of_devices_need_no_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are parts of the platform's name, which is what `--device` accepts."""
    platforms = ["Intel(R) OpenCL", "Portable Computing Language", "(c) Vendor's", "Intel(R) OpenCL Graphics"]
    found = [types.SimpleNamespace(platform=each, kind="cpu", name="processor") for each in platforms]
    monkeypatch.setattr(reedsp, "devices", lambda: found)
    offered = [name for name, _ in options.complete_device("")]
    assert offered == ["intel", "cpu", "portable", "c"]
    assert all(shlex.quote(name) == name for name in offered)
    assert [name for name, _ in options.complete_device("in")] == ["intel"]


def test_completion_can_be_installed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--help")
    assert "--install-completion" in out
    shown = child(MAIN, "--show-completion", "bash", variables={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert shown.returncode == 0
    assert "complete_bash" in shown.stdout


# ---- the page ---------------------------------------------------------------------------------------


def test_page_is_up_to_date() -> None:
    page = command_line.PAGE.read_text(encoding="utf-8")
    assert page == command_line.page(), "run: python -m docs.tools.command_line"


NAMED_OTHERWISE = {"as_json": "--json", "show": "--list", "start": "--from", "end": "--to"}


def test_arguments_are_called_as_in_the_help() -> None:
    assert "\n`reedsp read-map MAP --output FILE [OPTIONS]`\n" in command_line.page()


@pytest.mark.usefixtures("folder")
def test_the_help_names_what_is_in_the_files() -> None:
    reedsp.sssp(reedsp.read("small.gr"), [1, 6], min_only=True, cutoff=9).save("nearest.npz")
    reedsp.bfs(reedsp.read("small.gr"), 1).save("levels.npz")
    for command, file in (("sssp", "nearest.npz"), ("bfs", "levels.npz")):
        options = command_line.page().partition(f"### reedsp {command}\n")[2]
        [said] = re.findall(r"`-o, --output FILE` \| (.*)", options)[:1]
        assert [name for name in np.load(file).files if name not in said] == []


def test_page_has_every_command_option_status_and_key() -> None:
    page = command_line.page()
    for command in cli_commands.COMMANDS:
        assert f"### reedsp {cli_commands.name_of(command)}\n" in page
        for name in inspect.signature(command).parameters:
            words = NAMED_OTHERWISE.get(name, f"--{name.replace('_', '-')}")
            assert words in page or name.upper() in page
    for status in STATUSES:
        assert f"| {status} | " in page
    assert set(KEYS) | {"doctor"} == set(map(cli_commands.name_of, cli_commands.COMMANDS))


@needs_device
@pytest.mark.deep("doctor --json", "demo --vertices", "USA-road-d.NY", "output sorted.npy", "reedsp read")
@pytest.mark.parametrize(
    "example",
    [example for examples in cli_commands.COMMANDS.values() for example, _ in examples],
)
def test_examples_of_the_help_run(
    folder: Path, private_cache: Path, monkeypatch: pytest.MonkeyPatch, example: str, request: pytest.FixtureRequest
) -> None:
    """With small graphs under the names of the examples, and without minutes of measuring."""
    number = np.arange(264_346)
    if "USA" in example:
        reedsp.write(reedsp.Graph.from_edges(264_346, number[:-1], number[1:], offset=1), "USA-road-d.NY.gr.gz")
    ring = np.arange(10)
    roads = reedsp.Graph.from_edges(10, ring, (ring + 1) % 10, ring + 1, offset=1)
    reedsp.write(roads, "roads.gr")
    reedsp.write(reedsp.Graph.from_edges(10, ring, (ring + 1) % 10), "web.el")
    Path("numbers.txt").write_text("3 1 2")
    put_town(folder, "monaco.osm.gz")
    if example.endswith("--output map.npz"):
        Path("map.npz").unlink()
    np.save("numbers.npy", np.array([3, 1, 2], np.uint8))
    if "verify" in example:
        reedsp.sssp(roads, 1).save("tree.csv", overwrite=True)
    elif "tree.csv" in example:
        Path("tree.csv").unlink()
    if "road-ny" in example:
        data: Path = request.getfixturevalue("shared_data")
        Path("data").mkdir()
        shutil.copy(data / "dimacs-ny" / "USA-road-d.NY.gr.gz", "data")
    words = example.split(" > ")[0].replace("--device pocl", f"--device {get_device().index}").split()
    monkeypatch.setattr(tune, "tune", lambda *arguments: [])
    monkeypatch.setattr(calibrate, "calibrate", lambda *arguments: None)
    monkeypatch.setattr(server._Http, "serve_forever", lambda self, **_: None)
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match=r"^0$"):
        cli_command.main()


@pytest.mark.parametrize("weights", [(2**53 + 1, 4), (2.0**53, 4)], ids=["integers", "whole floats"])
def test_distances_that_float64_has_not(
    weights: tuple[Any, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, result = tmp_path / "g.wel", tmp_path / "d.csv"
    file.write_text(f"0 1 {weights[0]}\n1 2 {weights[1]}\n0 3 1\n")
    total = int(weights[0]) + 4
    for command in ("sssp", "apsp"):
        found = json.loads(run(capsys, command, file, "--source", 0, "--target", 2, "--json")[1])
        assert (found["distance"], found["path"]) == (total, [0, 1, 2])
        status, _, error = run(capsys, command, file, "--source", 2, "--target", 0)
        assert (status, error) == (1, "reedsp: there is no route from 2 to 0\n")
    found = json.loads(run(capsys, "sssp", file, "--source", 0, "--output", result, "--json")[1])
    assert (found["reached"], found["max_distance"], found["farthest"]) == (4, total, 2)
    assert f"\n2,{total},1\n" in result.read_text()
    assert run(capsys, "verify", file, result)[0] == 0
    found = json.loads(run(capsys, "apsp", file, "--json")[1])
    assert (found["reachable_pairs"], found["diameter"], found["farthest_pair"]) == (4, total, [0, 2])
    assert json.loads(run(capsys, "statistics", file, "--json")[1])["diameter"] == total


def test_means_of_sums_beyond_float64(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "wide.wel").write_text("0 1 1e308\n0 2 1.5e308\n")
    status, out, err = run(capsys, "apsp", tmp_path / "wide.wel", "--json")
    assert (status, err, json.loads(out)["mean_distance"]) == (0, "", 1.25e308)
    (tmp_path / "rows.wel").write_text("0 1 1e308\n2 3 1.5e308\n")
    for command in ("apsp", "statistics"):
        status, out, err = run(capsys, command, tmp_path / "rows.wel", "--json")
        assert (status, err, json.loads(out)["mean_distance"]) == (0, "", 1.25e308)


def test_numbers_that_json_has_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.wel").write_text("0 1 1.7e308\n1 2 1.7e308\n")
    _, out, _ = run(capsys, "forest", tmp_path / "g.wel", "--json")
    assert json.loads(out, parse_constant=pytest.fail)["total_weight"] is None


def test_whole_floats_beyond_all_integers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.wel").write_text("0 1 1e300\n1 2 4\n")
    for command in ("sssp", "apsp"):
        found = json.loads(run(capsys, command, tmp_path / "g.wel", "--source", 0, "--target", 2, "--json")[1])
        assert (float(found["distance"]), found["path"]) == (1e300, [0, 1, 2])


@pytest.mark.parametrize("options", [(), ("--predecessors",)], ids=["distances", "predecessors"])
def test_predecessors_that_are_left_of_other_distances(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, output, beside = tmp_path / "g.wel", tmp_path / "a.npy", tmp_path / "a.pred.npy"
    file.write_text("0 1 5\n")
    beside.write_bytes(b"of other distances")
    status, _, error = run(capsys, "apsp", file, "--output", output, *options)
    assert (status, error) == (1, f"reedsp: {beside} exists; --force replaces it\n")
    assert not output.exists()
    assert run(capsys, "apsp", file, "--output", output, "--force", *options)[0] == 0
    assert output.exists()
    assert beside.exists() == bool(options)
    assert run(capsys, "verify", file, output)[0] == 0


def test_means_of_integers_beyond_float64(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Statistics and all pairs agree, also where sums in float64 cancel each other."""
    file = tmp_path / "a.wel"
    for text in (f"0 1 {2**60 + 1}\n2 3 {-(2**60)}\n", f"0 1 {2**53 + 1}\n1 2 1\n2 3 {2**53 + 1}\n"):
        file.write_text(text)
        found = [json.loads(run(capsys, name, file, "--json")[1])["mean_distance"] for name in ("apsp", "statistics")]
        assert found[0] == found[1]
        assert found[0] in (0.5, (6 * 2**53 + 10) / 6)
