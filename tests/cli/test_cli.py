"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.all_pairs import apsp
from reedsp.algorithms.single_source import sssp
from reedsp.algorithms.traversal import work_groups, work_items
from reedsp.cli import command as cli_command
from reedsp.cli import commands, demo
from reedsp.cli import options as cli_options
from reedsp.cli import output as cli_output
from reedsp.cost_model import calibrate, machine, place
from reedsp.device.discovery import get_device
from reedsp.minplus import tilings, tune
from reedsp.system import icd, progress_bar
from tests.cli.running import run

GRAPH = """\
c vertex 6 cannot be reached
p sp 6 7
a 1 2 7
a 1 3 2
a 3 2 3
a 2 4 1
a 3 4 8
a 4 5 1
a 6 1 1
"""
COMMANDS = [
    "sssp",
    "bfs",
    "apsp",
    "statistics",
    "components",
    "forest",
    "match",
    "flow",
    "betweenness",
    "read-map",
    "nearest",
    "route",
    "table",
    "isochrone",
    "sort",
    "watch",
    "verify",
    "info",
    "convert",
    "dataset",
    "devices",
    "doctor",
    "calibrate",
    "tune",
    "demo",
]
PNG = b"\x89PNG\r\n\x1a\n"

MACHINE = machine.Machine(
    latencies=((1 << 14, 1.2e-9),),
    **{"bandwidth": 4.8e12, "random_reads": 1e9, "atomic_minima": 1e9, "coalesced": 32, "threads": 1 << 18},
    **{"barrier": 1e-8, "launch": 2.5e-6, "read_back": 1e-5, "upload": 1e10, "download": 1e10},
    pairs={"int32": 1e11},
)

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    """Vertices 1 .. 6, with the shortest path 1 -> 3 -> 2 -> 4 -> 5 of length 7."""
    file = tmp_path / "small.gr"
    file.write_text(GRAPH)
    return file


@pytest.fixture
def negative_cycle_file(tmp_path: Path) -> Path:
    file = tmp_path / "negative.gr"
    file.write_text("p sp 4 4\na 1 2 5\na 2 3 -4\na 3 2 1\na 3 4 1\n")
    return file


def python(code: str, *arguments: object, variables: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(Path(reedsp.__file__).resolve().parents[1]), **(variables or {})}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


# ---- help and usage ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--version", "-v"])
def test_version(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert run(capsys, option) == (0, f"reedsp {reedsp.__version__}\n", "")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--help")
    assert status == 0
    for command in COMMANDS:
        assert re.search(rf"^\W*{command} +[A-Z]", out, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, _ = run(capsys, command, "--help")
    assert status == 0
    assert re.search(rf"Examples?:\s+reedsp\s+{command}", out)


@pytest.mark.parametrize("command", ["", *sorted({*COMMANDS} - {"doctor"})])
def test_help_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Options, and what stands for their values, take half of the width at most; each example has its line."""
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(capsys, *command.split(), "-h")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    options = out.partition(" Options ")[2].partition("╰")[0]
    assert not re.search("<[a-z]", options)  # <bool>, <list[str]>
    assert re.search(r"--help +-h {3,40}Show this message and exit", options)
    for line, _ in next((e for function, e in commands.COMMANDS.items() if commands.name_of(function) == command), ()):
        assert re.search(rf"^ +{re.escape(line)}( |$)", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-command"], "No such command"),
        (["sssp"], "Missing argument"),
        (["sssp", "FILE"], "Missing option '--source'"),
        (
            ["sssp", "FILE", "--source", "1", "--method", "magic"],
            "'--method': 'magic' is not one of 'auto', 'output-parallel'",
        ),
        (["sssp", "FILE", "--source", "1", "--output", "paths.txt"], "paths.txt does not end in .npz or .csv"),
        (["sssp", "FILE", "--source", "7"], "'7' is not a vertex of this graph, whose vertices are 1 .. 6"),
        (["sssp", "FILE", "--source", "a"], "'a' is not a vertex of this graph, whose vertices are 1 .. 6"),
        (["sssp", "FILE", "--source", "1", "--target", "0"], "'0' is not a vertex of this graph"),
        (["apsp", "FILE", "--method", "magic"], "'magic' is not one of 'auto', 'floyd-warshall', 'min-plus'"),
        (["apsp", "FILE", "--dtype", "int8"], "'int8' is not one of 'float64', 'float32', 'int64', 'int32'"),
        (["apsp", "FILE", "--negative-cycles", "skip"], "'skip' is not one of 'raise', 'mark'"),
        (["apsp", "FILE", "--source", "1"], "--source and --target: one needs the other"),
        (["apsp", "FILE", "--target", "1"], "--source and --target: one needs the other"),
        (["apsp", "FILE", "--source", "1", "--target", "7"], "'7' is not a vertex of this graph"),
        (["read-map", "FILE", "-o", "x.npz", "--profile", "walk"], "value for '--profile': 'walk' is not one of 'car'"),
        (["apsp", "FILE", "--output", "matrix.csv"], "matrix.csv does not end in .npy or .npz"),
        (["tune", "--list", "--forget"], "--quick, --list and --forget: choose one of them"),
        (["calibrate", "--list", "--forget"], "--list and --forget: choose one of them"),
        (["sssp", "FILE", "-s", "1", "-o", "-", "--json"], "--output - and --json: both go to standard output"),
        (["bfs", "FILE", "-s", "1", "-o", "-", "--json"], "--output - and --json: both go to standard output"),
        (["apsp", "FILE", "-o", "-"], "- does not end in .npy or .npz"),
        (["convert", "FILE", "-"], "- does not end in .gr"),
        (["verify", "-", "-"], "FILE and RESULT: only one of them can be standard input"),
        (["nearest", "-", "-"], "FILE and PLACES: only one of them can be standard input"),
        (["table", "FILE", "-", "--to", "-"], "FILE, PLACES and --to: only one of them can be standard input"),
        (["sort", "FILE", "--output", "sorted.csv"], "sorted.csv does not end in .npy or .txt"),
        (["demo", "--vertices", "1"], "Invalid value for '--vertices'"),
        (["demo", "--output", "picture.jpg"], "picture.jpg does not end in .png"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], graph_file: Path, arguments: list[str], message: str) -> None:
    status, out, err = run(capsys, *(str(graph_file) if each == "FILE" else each for each in arguments))
    assert (status, out) == (2, "")
    assert message in " ".join(re.sub(r"[│\n]", " ", err).split())


def test_offers_every_method_of_the_library() -> None:
    assert [method.value for method in cli_options.Method] == ["auto", *sssp._METHODS]
    assert {method.value for method in cli_options.AllPairsMethod} == {"auto", *apsp.METHODS}


# ---- sssp -------------------------------------------------------------------------------------------


def test_route(capsys: pytest.CaptureFixture[str], graph_file: Path, device: reedsp.Device) -> None:
    status, out, err = run(
        capsys, "sssp", graph_file, "--source", 1, "--target", 5, "--device", device.index, "--verify"
    )
    assert (status, err) == (0, "")
    assert f"graph     {graph_file}: 6 vertices, 7 edges, read in " in out
    assert "\ndistance  7 from 1 to 5\n" in out
    assert "\nroute     1 -> 3 -> 2 -> 4 -> 5 (5 vertices)\n" in out
    assert re.search(rf"^solved    near-far, \d rounds, \d+\.\d+ s on {re.escape(str(device))}$", out, re.MULTILINE)
    assert "\nverified  " in out


@needs_device
@pytest.mark.parametrize("command", ["sssp", "bfs"])
def test_one_target_alone(capsys: pytest.CaptureFixture[str], graph_file: Path, command: str) -> None:
    status, out, err = run(capsys, command, graph_file, "-s", 1, "-t", 2, "-t", 3)
    assert (status, out) == (2, "")
    assert "may be given once, and not for 2, 3" in " ".join(err.replace("│", " ").split())


def test_what_would_be_taken_is_what_is_taken(
    capsys: pytest.CaptureFixture[str], graph_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_serves", True)
    expected = json.loads(run(capsys, "info", graph_file, "--json")[1])["sssp"]["method"]
    found = json.loads(run(capsys, "sssp", graph_file, "-s", 1, "--json")[1])["method"]
    assert found == expected == "dijkstra"


def test_summary_without_target(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "sssp", graph_file, "--source", 1)
    assert status == 0
    assert "\nreached   5 of 6 vertices from 1\n" in out
    assert "\nfarthest  5, at distance 7\n" in out
    assert "verified" not in out


@needs_device
def test_route_as_json(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "sssp", graph_file, "--source", 1, "--target", 5, "--json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["distance"], answer["path"]) == (7, [1, 3, 2, 4, 5])
    assert (answer["source"], answer["target"], answer["method"]) == (1, 5, "near-far")
    assert (answer["vertices"], answer["edges"], answer["verified"]) == (6, 7, False)
    assert answer["stats"]["kernels_launched"] > 0


@needs_device
def test_summary_as_json(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    _, out, _ = run(capsys, "sssp", graph_file, "--source", 3, "--json")
    answer = json.loads(out)
    assert (answer["reached"], answer["farthest"], answer["max_distance"]) == (4, 5, 5)


@needs_device
def test_route_to_itself(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "sssp", graph_file, "--source", 6, "--target", 6)
    assert status == 0
    assert "distance  0 from 6 to 6\nroute     6 (1 vertices)\n" in out


@needs_device
def test_fractional_weights_stay_fractional(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "fractions.wel"
    file.write_text("0 1 0.5\n1 2 1.5\n")
    _, out, _ = run(capsys, "sssp", file, "--source", 0, "--target", 2)
    assert "distance  2.0 from 0 to 2\n" in out


@needs_device
def test_relabel(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "gaps.wel"
    file.write_text("1000 70 4\n70 50000000 5\n")
    status, _, err = run(capsys, "sssp", file, "--source", 1000)
    assert status == 1
    assert f"reedsp: {file}:2: vertex 50000000 means more vertices than" in err
    assert "; --relabel numbers only the vertices that occur" in err
    status, out, _ = run(capsys, "sssp", file, "--source", 1000, "--target", 50000000, "--relabel")
    assert status == 0
    assert "route     1000 -> 70 -> 50000000 (3 vertices)\n" in out


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (12, "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> 11"),
        (13, "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> (2 more) -> 8 -> 9 -> 10 -> 11 -> 12"),
        (2000, "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> (1,989 more) -> 1995 -> 1996 -> 1997 -> 1998 -> 1999"),
    ],
)
def test_long_route_is_elided(length: int, text: str) -> None:
    assert cli_output.elided(range(length)) == text


# ---- apsp -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", list(cli_options.AllPairsMethod))
def test_all_pairs(
    capsys: pytest.CaptureFixture[str], graph_file: Path, device: reedsp.Device, method: cli_options.AllPairsMethod
) -> None:
    status, out, err = run(capsys, "apsp", graph_file, "--method", method.value, "--device", device.index)
    assert (status, err) == (0, "")
    solver = "(floyd-warshall|johnson)" if method == "auto" else method.value
    assert re.fullmatch(
        rf"graph     {re.escape(str(graph_file))}: 6 vertices, 7 edges, read in \d+\.\d+ s\n"
        r"reached   15 of 30 pairs of vertices\n"
        r"mean      4\.06667\n"
        r"diameter  8, from 6 to 5\n"
        rf"solved    {solver}, \d+\.\d+ s on {re.escape(str(device))}\n",
        out,
    )


@needs_device
@pytest.mark.parametrize("dtype", [None, "float64", "float32", "int64", "int32"])
def test_all_pairs_as_json(capsys: pytest.CaptureFixture[str], graph_file: Path, dtype: str | None) -> None:
    chosen = [] if dtype is None else ["--dtype", dtype]
    status, out, err = run(capsys, "apsp", graph_file, "--json", *chosen)
    assert (status, err) == (0, "")
    answer = json.loads(out)
    dist = reedsp.apsp(reedsp.read(graph_file)).dist
    finite = dist[np.isfinite(dist) & ~np.eye(6, dtype=bool)]
    assert (answer["vertices"], answer["edges"]) == (6, 7)
    assert answer["method"] in {"floyd-warshall", "johnson"}
    assert (answer["reachable_pairs"], answer["unbounded_pairs"]) == (len(finite), 0)
    assert answer["mean_distance"] == pytest.approx(finite.mean())
    assert (answer["diameter"], answer["farthest_pair"]) == (8, [6, 5])
    assert answer["stats"]["kernels_launched"] > 0
    assert answer["seconds"] > 0


@needs_device
def test_route_of_a_pair(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "apsp", graph_file, "--source", 1, "--target", 5)
    assert status == 0
    assert "\ndistance  7 from 1 to 5\nroute     1 -> 3 -> 2 -> 4 -> 5 (5 vertices)\nsolved    " in out
    _, out, _ = run(capsys, "apsp", graph_file, "--source", 3, "--target", 5, "--json")
    answer = json.loads(out)
    assert (answer["source"], answer["target"], answer["distance"]) == (3, 5, 5)
    assert answer["path"] == [3, 2, 4, 5]


@needs_device
def test_negative_cycle_among_all_pairs(capsys: pytest.CaptureFixture[str], negative_cycle_file: Path) -> None:
    status, out, err = run(capsys, "apsp", negative_cycle_file)
    assert (status, out) == (1, "")
    assert re.fullmatch(r"reedsp: there is a negative cycle, of weight -3: (2 -> 3 -> 2|3 -> 2 -> 3)\n", err)
    status, out, _ = run(capsys, "apsp", negative_cycle_file, "--json")
    assert status == 1
    assert sorted(set(json.loads(out)["negative_cycle"])) == [2, 3]


@needs_device
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_marked_negative_cycles(capsys: pytest.CaptureFixture[str], negative_cycle_file: Path, dtype: str) -> None:
    command = ("apsp", negative_cycle_file, "--negative-cycles", "mark", "--dtype", dtype)
    status, out, err = run(capsys, *command)
    assert (status, err) == (0, "")
    assert "reached   0 of 12 pairs of vertices\nendless   7 pairs, whose paths can pass a negative cycle\n" in out
    assert "diameter" not in out
    result = run(capsys, *command, "--source", 1, "--target", 4)
    assert result == (1, "", "reedsp: routes from 1 to 4 can pass a negative cycle, so that none is shortest\n")
    assert run(capsys, *command, "--source", 4, "--target", 1)[2] == "reedsp: there is no route from 4 to 1\n"


@needs_device
@pytest.mark.parametrize("predecessors", [False, True])
def test_matrices_as_npz(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path, predecessors: bool
) -> None:
    output = tmp_path / "matrices.npz"
    asked = ["--predecessors"] if predecessors else []
    status, out, _ = run(capsys, "apsp", graph_file, "--output", output, *asked)
    assert status == 0
    assert out.endswith(f"written   {output}\n")
    paths = reedsp.apsp(reedsp.read(graph_file), predecessors=True)
    with np.load(output) as content:
        assert sorted(content) == ["about", "dist", "offset", *(["pred"] if predecessors else [])]
        np.testing.assert_array_equal(content["dist"], paths.dist)
        assert content["offset"] == 1
        if predecessors:
            np.testing.assert_array_equal(content["pred"], paths.pred)
    assert sorted(tmp_path.iterdir()) == [output, graph_file]


@needs_device
def test_matrix_as_npy(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "matrix.npy"
    command = ("apsp", graph_file, "--output", output, "--dtype", "int32", "--source", 1, "--target", 5)
    assert run(capsys, *command)[0] == 0
    dist = np.load(output)
    assert dist.dtype == np.int32
    np.testing.assert_array_equal(dist, reedsp.apsp(reedsp.read(graph_file), dtype=np.int32).dist)
    assert run(capsys, *command) == (1, "", f"reedsp: {output} exists; --force replaces it\n")
    assert run(capsys, *command, "--force")[0] == 0
    pred = tmp_path / "matrix.pred.npy"
    np.testing.assert_array_equal(np.load(pred), reedsp.apsp(reedsp.read(graph_file), predecessors=True).pred)
    assert sorted(tmp_path.iterdir()) == sorted([output, pred, graph_file])


@needs_device
def test_old_predecessors_go_with_their_distances(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path
) -> None:
    """Or they would be taken for those of the new distances."""
    output, pred = tmp_path / "matrix.npy", tmp_path / "matrix.pred.npy"
    command = ("apsp", graph_file, "--output", output, "--quiet")
    assert run(capsys, *command, "--predecessors")[0] == 0
    np.save(pred, np.load(pred) * 0)
    assert run(capsys, *command, "--force") == (0, "", "")
    assert sorted(tmp_path.iterdir()) == sorted([output, graph_file])
    assert run(capsys, "verify", graph_file, output)[0] == 0
    np.save(pred, np.zeros((2, 2)))
    output.unlink()
    status, _, complaint = run(capsys, *command)
    assert status == 1
    assert "matrix.pred.npy" in complaint
    assert run(capsys, *command, "--predecessors", "--force") == (0, "", "")
    assert sorted(tmp_path.iterdir()) == sorted([output, pred, graph_file])
    assert run(capsys, "verify", graph_file, output)[0] == 0


@needs_device
@pytest.mark.skipif(os.name != "posix", reason="links and permissions")
def test_all_pairs_that_replace_others_keep_links_and_permissions(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    matrices = {tmp_path / "matrix.npy": elsewhere / "m.npy", tmp_path / "matrix.pred.npy": elsewhere / "p.npy"}
    for link, target in matrices.items():
        target.write_bytes(b"older")
        target.chmod(0o600)
        link.symlink_to(target)
    output = next(iter(matrices))
    assert run(capsys, "apsp", graph_file, "-o", output, "--predecessors", "--force", "--quiet") == (0, "", "")
    for link, target in matrices.items():
        assert (link.is_symlink(), target.stat().st_mode & 0o777) == (True, 0o600)
    assert sorted(elsewhere.iterdir()) == sorted(matrices.values())
    assert sorted(tmp_path.iterdir()) == sorted([*matrices, elsewhere, graph_file])
    assert run(capsys, "verify", graph_file, output)[0] == 0


@needs_device
def test_all_pairs_in_little_memory(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "apsp", graph_file, "--memory-limit", 16, "--json")
    assert status == 0
    assert json.loads(out)["stats"]["bytes_allocated"] <= 2 * 16 << 20


@needs_device
@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["solved", "estimated"])
def test_a_memory_limit_that_is_too_small(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, more: tuple[str, ...]
) -> None:
    file = tmp_path / "ring.npz"
    vertices = np.arange(3000)
    reedsp.write(reedsp.Graph.from_edges(3000, vertices, np.roll(vertices, -1)), file)
    command = "apsp", file, "--method", "floyd-warshall", *more, "--memory-limit"
    status, _, err = run(capsys, *command, 1)
    found = re.fullmatch(r"reedsp: --memory-limit: 1 MiB, but 3,000 vertices need ([0-9]+) MiB on each device\n", err)
    assert status == 1
    assert found is not None, err
    assert run(capsys, *command, found[1], "--dry-run")[0] == 0


@needs_device
def test_matrices_with_labels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, output = tmp_path / "gaps.wel", tmp_path / "matrices.npz"
    file.write_text("1000 70 4\n70 50000000 5\n")
    status, out, _ = run(capsys, "apsp", file, "--relabel", "--output", output)
    assert status == 0
    assert "diameter  9, from 1000 to 50000000\n" in out
    with np.load(output) as content:
        assert content["labels"].tolist() == [70, 1000, 50000000]
        assert content["dist"][1].tolist() == [4.0, 0.0, 9.0]


@needs_device
@pytest.mark.parametrize("edges", ["0 1 0.5\n1 2 1.5\n", "0 0 3\n"])
def test_all_pairs_of_small_graphs(capsys: pytest.CaptureFixture[str], tmp_path: Path, edges: str) -> None:
    """Fractional weights stay fractional; where no pair has a path there is no mean."""
    file = tmp_path / "small.wel"
    file.write_text(edges)
    status, out, _ = run(capsys, "apsp", file)
    assert status == 0
    if "0.5" in edges:
        assert "reached   3 of 6 pairs of vertices\nmean      1.33333\ndiameter  2.0, from 0 to 2\n" in out
    else:
        assert "reached   0 of 0 pairs of vertices\nsolved" in out


@pytest.mark.parametrize("kind", [MemoryError, reedsp.DeviceMemoryError])
def test_too_large_for_memory(
    capsys: pytest.CaptureFixture[str], graph_file: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise kind("a buffer of 288 bytes is needed")

    monkeypatch.setattr(reedsp, "apsp", fail)
    status, out, err = run(capsys, "apsp", graph_file)
    assert (status, out) == (1, "")
    assert err.startswith("reedsp: a buffer of 288 bytes is needed; there are 36 distances between all pairs")
    assert "--output FILE.npy" in err
    assert "`reedsp statistics`" in err
    assert err.count("\n") == 1
    assert "--output" not in run(capsys, "apsp", graph_file, "-o", graph_file.with_suffix(".npy"))[2]


# ---- calibrate --------------------------------------------------------------------------------------


@needs_device
def test_calibrate_prints_what_it_finds(
    capsys: pytest.CaptureFixture[str], private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = get_device()

    def measure(chosen: reedsp.Device, progress: object) -> machine.Machine:
        assert (chosen, progress) == (device, None)
        machine.FILES.write(machine.identity_of(chosen), MACHINE.content())
        return MACHINE

    monkeypatch.setattr(calibrate, "calibrate", measure)
    nothing = f"device    {device}\nnothing is stored: `reedsp calibrate` measures what it can do\n"
    assert run(capsys, "calibrate", "--list") == (0, nothing, "")
    assert nothing in run(capsys, "devices", "--verbose")[1]
    status, out, err = run(capsys, "calibrate")
    assert (status, err) == (0, "")
    for line in ("latency in 16 KiB +1.2 ns", "bandwidth +4.8 TB/s", "coalesced +32 words", "launch +2.5 µs"):
        assert re.search(rf"^{line} +$", out, re.MULTILINE)
    assert re.search(r"^sums and minima of int32 +100 G/s +$", out, re.MULTILINE)
    file = machine.FILES.path(machine.identity_of(device))
    assert out == f"{run(capsys, 'calibrate', '--list')[1]}"
    assert out.endswith(f"stored    {file}\n")
    assert out.removesuffix(f"stored    {file}\n") in run(capsys, "devices", "--verbose")[1]
    assert "latency" not in run(capsys, "devices")[1]
    assert run(capsys, "calibrate", "--forget") == (0, f"deleted   {file}\n", "")
    assert run(capsys, "calibrate", "--forget") == (0, f"nothing is stored for {device}\n", "")


@needs_device
def test_calibrate_says_what_cannot_be_used(capsys: pytest.CaptureFixture[str], private_cache: Path) -> None:
    device = get_device()
    file = machine.FILES.path(machine.identity_of(device))
    file.write_text("{}")
    with pytest.warns(RuntimeWarning, match="`reedsp calibrate --forget` deletes it"):
        status, out, _ = run(capsys, "calibrate", "--list")
    found = "nothing of use is stored: `reedsp calibrate` measures what it can do"
    assert (status, out) == (0, f"device    {device}\n{found}\n")
    assert run(capsys, "calibrate", "--forget") == (0, f"deleted   {file}\n", "")


@needs_device
@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("option", ["--list", "--forget"])
def test_a_cache_that_others_can_change_has_a_cure(
    option: str, capsys: pytest.CaptureFixture[str], private_cache: Path
) -> None:
    folder = machine.FILES.path(machine.identity_of(get_device())).parent
    folder.chmod(0o777)
    status, _, err = run(capsys, "calibrate", option)
    assert (status, err) == (1, f"reedsp: {folder}: not a directory that only you can change; delete it\n")


# ---- tune -------------------------------------------------------------------------------------------


@needs_device
def test_tune_prints_what_it_finds(
    capsys: pytest.CaptureFixture[str], private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = get_device()
    before, after = tilings.panels(8, 2, 6), tilings.panels(8, 1, 8)
    found = [
        tune.Outcome("int32", before, 1000.0, after, 1234.5),
        tune.Outcome("float32", before, 20.0, before, 20.0),
        tune.Outcome("float64", before, 0.0, after, 7.0, small=True),
    ]

    def find(chosen: reedsp.Device, quick: bool, progress: object) -> list[tune.Outcome]:
        assert (chosen, quick, progress) == (device, True, None)
        tune.store(chosen, {"int32": [after]})
        return found

    monkeypatch.setattr(tune, "tune", find)
    status, out, err = run(capsys, "tune", "--quick")
    assert (status, err) == (0, "")
    assert f"device    {device}\n" in out
    assert re.search(r"^int32 +6x2x8 64x256 +1,000\.0 +8x1x8 64x256 +1,234\.5 +1\.23 x", out, re.MULTILINE)
    assert re.search(r"^float32 +6x2x8 64x256 +20\.0 +the same +20\.0 +1\.00 x", out, re.MULTILINE)
    assert re.search(r"^float64, small products +6x2x8 64x256 +FAILS +8x1x8 64x256 +7\.0 +$", out, re.MULTILINE)
    assert out.endswith(f"stored    {tilings.tuning_file(device)}\n")
    tune.forget(device)


@needs_device
def test_list_and_forget(capsys: pytest.CaptureFixture[str], private_cache: Path) -> None:
    device = get_device()
    tilings.read_anew(device)
    status, out, err = run(capsys, "tune", "--list")
    assert (status, err) == (0, "")
    assert len(re.findall(r"^(?:u?int|float)\d\d.* table +$", out, re.MULTILINE)) >= len(tilings.ARITHMETICS)
    assert "reedsp tune" not in out
    known = tilings.tabled(device, tilings.ARITHMETICS["int32"], tilings.works_in_groups(device))
    tune.store(device, {"int32": known[-1:]})
    file = tilings.tuning_file(device)
    _, out, _ = run(capsys, "tune", "--list")
    assert len(re.findall(rf"^int32 +{tilings.describe(known[-1])} +reedsp tune +$", out, re.MULTILINE)) == 1
    assert out.endswith(f"stored    {file}\n")
    assert run(capsys, "tune", "--forget") == (0, f"deleted   {file}\n", "")
    assert run(capsys, "tune", "--forget") == (0, f"nothing is stored for {device}\n", "")
    assert "reedsp tune" not in run(capsys, "tune", "--list")[1]


@needs_device
def test_tune_where_nothing_can_be_stored(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so before it has measured for minutes."""
    (tmp_path / "reedsp").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    status, _, err = run(capsys, "tune", "--quick")
    assert status == 1
    assert err == f"reedsp: {tmp_path / 'reedsp'}: File exists\n"


# ---- stated failures --------------------------------------------------------------------------------


@needs_device
@pytest.mark.parametrize(("command", "file"), [("sssp", "route.csv"), ("apsp", "matrix.npz")])
def test_no_route(
    command: str, file: str, capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path
) -> None:
    output = tmp_path / file
    result = run(capsys, command, graph_file, "--source", 1, "--target", 6, "--output", output)
    assert result == (1, "", "reedsp: there is no route from 1 to 6\n")
    assert not output.exists()
    status, out, _ = run(capsys, command, graph_file, "--source", 1, "--target", 6, "--json")
    assert status == 1
    assert (json.loads(out)["distance"], json.loads(out)["path"]) == (None, None)


@needs_device
def test_negative_cycle(capsys: pytest.CaptureFixture[str], negative_cycle_file: Path) -> None:
    status, out, err = run(capsys, "sssp", negative_cycle_file, "--source", 1)
    assert (status, out) == (1, "")
    assert re.fullmatch(r"reedsp: the source reaches a negative cycle, of weight -3: (2 -> 3 -> 2|3 -> 2 -> 3)\n", err)
    status, out, _ = run(capsys, "sssp", negative_cycle_file, "--source", 1, "--json")
    assert status == 1
    assert sorted(set(json.loads(out)["negative_cycle"])) == [2, 3]


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    expected = (1, "", "reedsp: nowhere.gr: No such file or directory\n")
    assert run(capsys, "sssp", "nowhere.gr", "--source", 1) == expected


def test_bad_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bad.gr"
    file.write_text("p sp 2 1\na 1 x 3\n")
    status, out, err = run(capsys, "sssp", file, "--source", 1)
    assert (status, out) == (1, "")
    assert err.startswith(f"reedsp: {file}:2: ")
    assert err.count("\n") == 1


@needs_device
def test_unknown_device(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, err = run(capsys, "sssp", graph_file, "--source", 1, "--device", "abacus")
    assert (status, out) == (1, "")
    assert err.startswith("reedsp: device = 'abacus' fits none of the devices found:\n  0: ")


@needs_device
def test_failed_verification(
    capsys: pytest.CaptureFixture[str], graph_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(paths: reedsp.ShortestPaths) -> bool:
        raise reedsp.VerificationError("vertex 3: an edge leads to it on a shorter path")

    monkeypatch.setattr(reedsp.ShortestPaths, "verify", fail)
    result = run(capsys, "sssp", graph_file, "--source", 1, "--verify")
    assert result == (1, "", "reedsp: vertex 3: an edge leads to it on a shorter path\n")


@pytest.mark.deep
def test_no_device(graph_file: Path) -> None:
    if any(device.platform == "Oclgrind" for device in reedsp.devices()):
        pytest.skip("Oclgrind shows its device whatever the loader reads")
    variables = {"OCL_ICD_VENDORS": "/nonexistent", "REEDSP_DEVICE": ""}
    for arguments in (["devices"], ["sssp", graph_file, "--source", 1], ["apsp", graph_file], ["tune", "--list"]):
        child = python("from reedsp.cli import main; main()", *arguments, variables=variables)
        assert (child.returncode, child.stdout) == (1, "")
        assert child.stderr == f"reedsp: no OpenCL device was found\n{icd.install_hint()}\n"


@pytest.mark.parametrize("name", ["typer", "rich"])
def test_missing_command_line_package(name: str) -> None:
    child = python(f"import sys; sys.modules[{name!r}] = None; from reedsp.cli import main; main()", "devices")
    assert (child.returncode, child.stdout) == (1, "")
    assert f"{sys.executable} -m pip install typer rich" in child.stderr
    assert "Traceback" not in child.stderr


def test_broken_numpy(graph_file: Path) -> None:
    code = "import sys; sys.modules['numpy'] = None; from reedsp.cli import main; main()"
    child = python(code, "sssp", graph_file, "--source", 1)
    assert (child.returncode, child.stdout) == (1, "")
    assert "numpy" in child.stderr
    assert child.stderr.endswith("; `reedsp doctor` says what to do\n")


@needs_device
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupt(graph_file: Path) -> None:
    code = """
import os, signal, time
import reedsp
from reedsp.cli import main
def endless(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)
reedsp.sssp = endless
main()
"""
    child = python(code, "sssp", graph_file, "--source", 1)
    assert (child.returncode, child.stdout, child.stderr) == (128 + signal.SIGINT, "", "")


@pytest.mark.deep
@needs_device
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("command", ["devices", "sssp", "doctor"])
def test_broken_pipe(graph_file: Path, command: str) -> None:
    arguments = ["sssp", str(graph_file), "--source", "1", "--json"] if command == "sssp" else [command]
    environment = {**os.environ, "PYTHONPATH": str(Path(reedsp.__file__).resolve().parents[1])}
    invocation = [sys.executable, "-c", "from reedsp.cli import main; main()", *arguments]
    with subprocess.Popen(invocation, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        complaints = child.stderr.read()
    assert child.returncode == 128 + signal.SIGPIPE
    assert b"Traceback" not in complaints  # a driver may have had something of its own to say
    assert b"BrokenPipe" not in complaints


# ---- output files -----------------------------------------------------------------------------------


@needs_device
def test_csv_of_all_vertices(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "all.csv"
    status, out, _ = run(capsys, "sssp", graph_file, "--source", 1, "--output", output)
    assert status == 0
    assert out.endswith(f"written   {output}\n")
    assert output.read_text() == "vertex,distance,predecessor\n1,0,\n2,5,3\n3,2,1\n4,6,2\n5,7,4\n6,inf,\n"


@needs_device
def test_csv_of_a_route(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "route.csv"
    run(capsys, "sssp", graph_file, "--source", 3, "--target", 5, "--output", output)
    assert output.read_text() == "vertex,distance,predecessor\n3,0,\n2,3,3\n4,4,2\n5,5,4\n"


@needs_device
def test_npz(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "paths.npz"
    assert run(capsys, "sssp", graph_file, "--source", 1, "--target", 4, "--output", output)[0] == 0
    paths = reedsp.sssp(reedsp.read(graph_file), 1)
    with np.load(output) as content:
        assert sorted(content) == ["about", "dist", "offset", "path", "pred", "source", "target"]
        np.testing.assert_array_equal(content["dist"], paths.dist)
        np.testing.assert_array_equal(content["pred"], paths.pred)
        assert content["pred"].dtype == np.int32
        assert (content["source"], content["target"], content["offset"]) == (0, 3, 1)
        assert content["path"].tolist() == [0, 2, 1, 3]


@needs_device
@pytest.mark.parametrize(("output", "target"), [("paths.npz", None), ("route.csv", 4)])
def test_npz_holds_all_distances_even_with_a_target(
    capsys: pytest.CaptureFixture[str],
    graph_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    output: str,
    target: int | None,
) -> None:
    asked = []
    solve = reedsp.sssp

    def record(*arguments: object, **options: object) -> reedsp.ShortestPaths:
        asked.append(options["target"])
        return solve(*arguments, **options)

    monkeypatch.setattr(reedsp, "sssp", record)
    run(capsys, "sssp", graph_file, "--source", 1, "--target", 4, "--output", tmp_path / output)
    assert asked == [target]


@needs_device
def test_npz_with_labels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, output = tmp_path / "gaps.wel", tmp_path / "paths.npz"
    file.write_text("1000 70 4\n70 50000000 5\n")
    assert run(capsys, "sssp", file, "--source", 1000, "--relabel", "--output", output)[0] == 0
    with np.load(output) as content:
        assert content["labels"].tolist() == [70, 1000, 50000000]
        assert content["dist"].tolist() == [4.0, 0.0, 9.0]
        assert content["source"] == 1


@needs_device
def test_output_is_not_replaced_unasked(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "precious.csv"
    output.write_text("precious")
    arguments = ("sssp", graph_file, "--source", 1, "--output", output)
    assert run(capsys, *arguments) == (1, "", f"reedsp: {output} exists; --force replaces it\n")
    assert output.read_text() == "precious"
    assert run(capsys, *arguments, "--force")[0] == 0
    assert next(csv.reader(io.StringIO(output.read_text()))) == ["vertex", "distance", "predecessor"]
    assert sorted(tmp_path.iterdir()) == [output, graph_file]


def test_output_into_nowhere(capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "nowhere" / "x.csv"
    result = run(capsys, "sssp", graph_file, "--source", 1, "--output", output)
    assert result == (1, "", f"reedsp: {output.parent} is not a directory\n")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="files can be made in every folder there is")
@pytest.mark.parametrize(
    "command", ["sssp {} -s 1 -o", "apsp {} -o", "betweenness {} -o", "convert {}", "components {} -o"]
)
def test_output_that_cannot_be_made_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, graph_file: Path, tmp_path: Path, command: str
) -> None:
    words = command.format(graph_file).split()
    end = ".npy" if words[0] == "apsp" else ".gr" if words[0] == "convert" else ".csv"
    monkeypatch.setattr("reedsp.io.readers.survey", None)
    status, out, err = run(capsys, *words, f"/proc/x{end}")
    assert (status, out, err) == (1, "", f"reedsp: /proc/x{end}: No such file or directory\n")
    long = tmp_path / f"{'x' * os.pathconf(tmp_path, 'PC_NAME_MAX')}{end}"
    assert run(capsys, *words, long) == (1, "", f"reedsp: {long}: File name too long\n")
    assert list(tmp_path.iterdir()) == [graph_file]


# ---- devices ----------------------------------------------------------------------------------------


@needs_device
def test_devices(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REEDSP_DEVICE", raising=False)
    status, out, err = run(capsys, "devices")
    assert (status, err) == (0, "")
    for device in reedsp.devices():
        mark = r"\*" if device.index == reedsp.device.get_device().index else " "
        assert re.search(rf"^{device.index}{mark} +{re.escape(device.name)} .* passes +$", out, re.MULTILINE)
        assert f"{device.platform}, {device.driver_version}" in out


@needs_device
def test_devices_as_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", "0")
    status, out, _ = run(capsys, "devices", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [row["name"] for row in rows] == [device.name for device in reedsp.devices()]
    assert [row["default"] for row in rows] == [device.index == 0 for device in reedsp.devices()]
    first = reedsp.devices()[0]
    assert rows[0]["type"] == first.kind
    assert rows[0]["global_memory"] == first.global_memory
    assert rows[0]["self_test"] == "passes"


@needs_device
def test_devices_that_fail_and_a_wrong_choice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(device: reedsp.Device) -> None:
        raise reedsp.DeviceError("wrong answers in int32 arithmetic")

    monkeypatch.setattr(reedsp.Device, "self_test", fail)
    monkeypatch.setenv("REEDSP_DEVICE", "abacus")
    status, out, err = run(capsys, "devices")
    assert status == 1
    assert " FAILS " in out
    assert "self test of device 0 fails: wrong answers in int32 arithmetic\n" in out
    assert "* used by default" not in out
    assert err.startswith("reedsp: REEDSP_DEVICE = 'abacus' fits none of the devices found:\n")


@pytest.mark.parametrize(
    ("count", "text"), [(100, "100 B"), (48 * 2**10, "48 KiB"), (2**31, "2 GiB"), (140 * 2**30, "140 GiB")]
)
def test_sizes_are_readable(count: int, text: str) -> None:
    assert cli_output.size_text(count) == text


# ---- progress ---------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """So many seconds pass between two looks."""

    def __init__(self, seconds: float) -> None:
        self.now, self._seconds = 0.0, seconds

    def monotonic(self) -> float:
        self.now += self._seconds
        return self.now


@pytest.mark.deep
@needs_device
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("sssp FILE --source 1 --method output-parallel", "rounds"),
        ("sssp FILE --source 1 --source 250 --nearest", "rounds"),
        ("sssp FILE --source 1 --source 250 --source 499", "3 of 3 sources"),
        ("sssp FILE --source 1 --source 250 --method output-parallel", "2 of 2 sources"),
        ("bfs FILE --source 1", "levels"),
        ("bfs FILE --source 1 --source 250", "2 of 2 sources"),
    ],
)
def test_progress_of_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, shown: str) -> None:
    """Of a grid, by a clock that is fast."""
    side = 300
    pixels = np.arange(side * side).reshape(side, side)
    ends = np.concatenate([np.stack([pixels[:-1], pixels[1:]], -1), np.stack([pixels.T[:-1], pixels.T[1:]], -1)], 1)
    sources, targets = ends.reshape(-1, 2).T
    file = tmp_path / "grid.gr"
    reedsp.write(reedsp.Graph.from_edges(side * side, sources, targets, directed=False, offset=1), file)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress_bar, "time", Clock(3.0))
    monkeypatch.setattr(work_items, "_LONGEST_DISPATCH", 1000)  # edges between two looks at the device
    monkeypatch.setattr(work_groups, "_LARGEST_BATCH", 1)  # likewise on a GPU: launches
    monkeypatch.setattr(work_groups, "_MOST_LEVELS", 8)  # of a launch
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    assert cli_command.run([str(file) if word == "FILE" else word for word in command.split()]) == 0
    assert re.search(rf"searching.*{shown}", terminal.getvalue())


# ---- demo -------------------------------------------------------------------------------------------


@needs_device
def test_demo(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    picture = tmp_path / "demo.png"
    status, out, err = run(capsys, "demo", "--vertices", 400, "--output", picture)
    assert (status, err) == (0, "")
    assert "network  400 crossings, " in out
    assert re.search(r"^reedsp   \d+\.\d+ s, near-far, ", out, re.MULTILINE)
    assert re.search(r"^SciPy    \d+\.\d+ s, scipy.sparse.csgraph.dijkstra", out, re.MULTILINE)
    assert "\nanswers  equal, all 400 distances\n" in out
    assert picture.read_bytes().startswith(PNG)
    result = run(capsys, "demo", "--vertices", 400, "--output", picture)
    assert result == (1, "", f"reedsp: {picture} exists; --force replaces it\n")


@needs_device
def test_demo_without_matplotlib(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(capsys, "demo", "--vertices", 100, "--output", tmp_path / "demo.png")
    assert status == 1
    assert "answers  equal, all 100 distances\n" in out
    assert err.startswith("reedsp: no picture was drawn: ")
    assert err.endswith('; run: pip install "reedsp[plot]"\n')
    assert list(tmp_path.iterdir()) == []


@needs_device
def test_demo_reports_a_difference(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dijkstra = scipy.sparse.csgraph.dijkstra

    def one_off(*arguments: object, **options: object) -> object:
        dist, pred = dijkstra(*arguments, **options)
        dist[5] += 1
        return dist, pred

    monkeypatch.setattr(scipy.sparse.csgraph, "dijkstra", one_off)
    status, out, err = run(capsys, "demo", "--vertices", 100, "--output", tmp_path / "demo.png")
    assert status == 1
    assert "answers  1 of all 100 distances DIFFER\n" in out
    assert err.startswith("reedsp: the answers of reedsp and SciPy differ")
    assert list(tmp_path.iterdir()) == []


@needs_device
@pytest.mark.parametrize("vertices", [2, 3, 5, 10])
def test_smallest_networks(vertices: int) -> None:
    network = demo.road_network(vertices, seed=3)
    outcome = demo.solve(network)
    assert outcome.different == 0
    assert network.graph.n == vertices
    assert network.source != network.target
    assert outcome.paths.path(network.target)[0] == network.source


def test_network_is_like_roads() -> None:
    network = demo.road_network(10_000, seed=7)
    graph = network.graph
    assert (graph.weights > 0).all()
    assert graph.weights.dtype == np.int32
    full_grid = 2 * 2 * 100 * 99
    assert 0.88 < graph.m / full_grid < 0.92
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    length = np.hypot(*(network.places[tails] - network.places[graph.indices]).T)
    seconds = graph.weights / 10
    assert length.max() < 2 * demo.SPACING
    speed = length / np.maximum(seconds, 0.1)
    assert 4 < speed.min() < speed.max() < 60


def test_same_seed_gives_the_same_network() -> None:
    first, again, other = (demo.road_network(500, seed).graph for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.indices, again.indices)
    np.testing.assert_array_equal(first.weights, again.weights)
    assert not np.array_equal(first.weights, other.weights)


# ---- what is printed --------------------------------------------------------------------------------


def test_what_is_no_vertex_is_not_printed_whole(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, _, err = run(capsys, "sssp", graph_file, "-s", "9" * 5000)
    assert status == 2
    assert "is not a vertex" in err
    assert 50 < err.count("9") < 200


@pytest.mark.skipif(sys.platform != "linux", reason="names are characters")
def test_names_of_files_that_are_no_characters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """No reader of JSON takes half a pair of surrogates but Python's."""
    file = tmp_path / os.fsdecode(b"a\xff.gr")
    file.write_text("p sp 2 1\na 1 2 3\n")
    status, out, _ = run(capsys, "sssp", file, "-s", 1, "--json")
    assert (status, json.loads(out)["file"]) == (0, str(tmp_path / "a\\udcff.gr"))


def test_names_are_printed_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    labels = ["stop:bus:1", "[bold]x[/bold]", ":x:"]
    reedsp.write(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [10, 20], labels=labels), tmp_path / "g.npz")
    status, out, _ = run(capsys, "sssp", tmp_path / "g.npz", "-s", labels[0], "-s", labels[1])
    assert status == 0
    assert labels[0] in out
    assert labels[1] in out


HOSTILE = "a\x1b]0;b\x07\nc"


@needs_device
@pytest.mark.parametrize(
    "command",
    [
        *("sssp FILE -s NAME", "sssp FILE -s NAME -t end", "sssp FILE -s NAME -s end", "sssp FILE -s end -t NAME"),
        *("sssp FILE -s NAME -s end --nearest", "apsp FILE", "apsp FILE -s NAME -t end", "apsp FILE -s end -t NAME"),
        *("components FILE", "betweenness FILE", "statistics FILE", "flow FILE -s NAME -t end", "info FILE"),
        *("route FILE --from NAME --to end", "route FILE --from end --to NAME", "nearest FILE places.csv"),
        "table FILE places.csv",
    ],
)
def test_a_terminal_does_not_obey_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [10, 20], labels=[HOSTILE, "b -> c", "end"])
    reedsp.write(graph, "g.npz")
    (tmp_path / "places.csv").write_text(f'vertex,name\n"{HOSTILE}","{HOSTILE}"\nend,\n')
    words = (HOSTILE if word == "NAME" else word.replace("FILE", "g.npz") for word in command.split())
    text = "".join(run(capsys, *words)[1:])
    assert r"a\x1b]0;b\x07\nc" in text
    assert not any(each in text for each in "\x1b\x07")


def test_names_of_other_scripts_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ["東京\u3000駅", "क्\u200dष", "a\xa0b", "turned\u202e\u2066", "two\u2028lines"]
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1], labels=names)
    reedsp.write(graph, tmp_path / "g.npz")
    out = run(capsys, "sssp", tmp_path / "g.npz", "-s", names[0], "-t", names[4])[1]
    assert " -> ".join([*names[:3], r"turned\u202e\u2066", r"two\u2028lines"]) in out


def test_sources_keep_their_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [10, 20], labels=["a", "b -> c", "end"])
    reedsp.write(graph, tmp_path / "g.npz")
    out = run(capsys, "sssp", tmp_path / "g.npz", "-s", "a", "-s", "b -> c", "--nearest")[1]
    assert "reached   3 of 3 vertices from a, b -> c\n" in out


def test_what_is_no_number_is_null_in_json(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    """Scaled by the sources beside a vertex, of which the only source has none."""
    status, out, _ = run(capsys, "betweenness", graph_file, "--sources", "1", "--json")
    assert status == 0

    def refuse(word: str) -> None:
        raise ValueError(word)

    largest = json.loads(out, parse_constant=refuse)["largest"]
    assert None in [value for _, value in largest]


@pytest.mark.deep("2>", "<")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_streams_that_are_closed(closed: str, graph_file: Path, tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m reedsp sssp {graph_file} -s 1 --output {tmp_path}/d.csv {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True).returncode == 0
    assert (tmp_path / "d.csv").read_text().startswith("vertex,distance,predecessor")


def test_a_route_that_is_longer_than_the_cutoff(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.wel").write_text("0 1 3\n1 2 4\n")
    result = run(capsys, "sssp", tmp_path / "g.wel", "--source", 0, "--target", 2, "--cutoff", 6)
    assert result == (1, "", "reedsp: there is no route from 0 to 2 within 6\n")


def test_an_archive_of_other_arrays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(3))
    message = "not a file that scipy.sparse.save_npz wrote: it does not contain a sparse array or matrix."
    assert run(capsys, "info", tmp_path / "x.npz") == (1, "", f"reedsp: {tmp_path}/x.npz: {message}\n")


def test_a_matrix_without_the_route_that_was_asked_for_is_not_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    graph, output = tmp_path / "g.wel", tmp_path / "d.npy"
    graph.write_text("1 2 -5\n2 1 6\n2 3 1\n")
    asked = ["apsp", graph, "--output", output, "--source", 3, "--target", 1]
    assert run(capsys, *asked) == (1, "", "reedsp: there is no route from 3 to 1\n")
    assert list(tmp_path.iterdir()) == [graph]
    assert run(capsys, "apsp", graph, "--output", output)[0] == 0
    before = output.read_bytes()
    assert run(capsys, *asked, "--force")[0] == 1
    assert sorted(tmp_path.iterdir()) == [output, graph]
    assert output.read_bytes() == before
