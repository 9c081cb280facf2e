"""``reedsp watch``: pages of files and of generated inputs, and the server."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from reedsp.cli import command
from reedsp.viewer import server


@pytest.fixture
def run(device: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in an empty folder; gives its status and what it prints."""
    monkeypatch.chdir(tmp_path)
    Path("small.gr").write_text("p sp 3 3\na 1 2 7\na 2 3 1\na 1 3 9\n")
    Path("numbers.txt").write_text("3 1 2")
    Path("nothing.txt").write_text("")
    Path("large.graph").write_text("201 0\n" + "\n" * 201)
    np.save("flags.npy", np.ones(2, bool))

    def run(line: str) -> tuple[int, str, str]:
        status = command.run(["watch", *line.split(), "--device", str(device.index)])
        return (status, *capsys.readouterr())

    return run


def test_a_page_is_written(run: Any) -> None:
    status, out, err = run("small.gr --algorithm output-parallel --source 2 --output page.html")
    assert (status, err) == (0, "")
    assert out.startswith("recorded  output-parallel: ")
    assert "written   page.html: " in out
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"source":1' in page
    status, out, _ = run("numbers.txt -a merge-sort -a naive-scan --output page.html --force --json")
    summary = json.loads(out)
    assert list(summary) == ["file", "output", "bytes", "device", "steps"]
    assert set(summary["steps"]) == {"merge-sort", "naive-scan"}
    assert run("--generate tree --size 9 -a boruvka --output other.html --quiet") == (0, "", "")


def test_what_a_page_saves_is_watched(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A graph as text, as page/text.js writes it."""
    Path("graph-1.txt").write_text("0 : 1=7 2=2\n1 : 3\n2 : 3=5\n3 :\n")
    assert run("graph-1.txt -a output-parallel -a near-far -s 2 -o page.html --quiet") == (0, "", "")
    assert '"source":2' in Path("page.html").read_text(encoding="utf-8")
    assert command.run(["info", "graph-1.txt"]) == 0
    assert re.search(r"directed.*\nvertices +4.*\nedges +4;", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("line", "status", "complaint"),
    [
        ("small.gr", 2, "is missing"),
        ("-a boruvka", 2, "either a file or --generate"),
        ("small.gr --generate grid -a boruvka", 2, "either a file or --generate"),
        ("small.gr --size 7 -a boruvka --output p.html", 2, "needs --generate"),
        ("small.gr -a near-far -a merge-sort --output p.html", 2, "merge-sort does not take what near-far does"),
        ("numbers.txt -a merge-sort -a near-far --output p.html", 2, "near-far does not take what merge-sort does"),
        ("small.gr -a nothing", 2, '"near-far"'),
        ("small.gr -a boruvka --output page.txt", 2, "does not end in .html"),
        ("small.gr -a boruvka --output small.gr/page.html", 1, "is not a directory"),
        ("small.gr -a boruvka --json", 2, "needs --output"),
        ("small.gr -a output-parallel --source 4 --output p.html", 2, "--source"),
        ("--generate grid --size 201 -a boruvka --output p.html", 2, "Invalid value for --size: 1 to 200"),
        ("--generate random --size 0 -a merge-sort --output p.html", 2, "Invalid value for --size: 1 to 1,000"),
        ("--generate nothing -a boruvka --output p.html", 2, 'Invalid value for --generate: one of "grid"'),
        ("numbers.txt -a naive-scan --source 0 --output p.html", 2, "--source: naive-scan starts from no vertex"),
        ("small.gr -a boruvka -a floyd-warshall -s 1", 2, "--source: boruvka and floyd-warshall start from no vertex"),
        ("nothing.txt -a merge-sort", 1, "nothing.txt: 1 to 1,000 elements can be traced, the array has 0"),
        ("flags.npy -a merge-sort", 1, "flags.npy: an array of numbers in one dimension is expected"),
        ("large.graph -a boruvka --output p.html", 1, "large.graph: 1 to 200 vertices can be traced"),
        ("nowhere.gr -a boruvka --output p.html", 1, "nowhere.gr"),
    ],
)
def test_what_is_refused(run: Any, line: str, status: int, complaint: str) -> None:
    found, out, err = run(line)
    assert (found, out) == (status, "")
    assert complaint in err
    assert not list(Path().glob("*.html"))


def test_the_address_is_printed_even_if_quiet(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server._Http, "serve_forever", lambda self, **_: None)
    status, out, err = run("--generate path --size 5 -a output-parallel --quiet")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/\n", out)


def test_a_page_is_served_until_it_is_interrupted(device: Any, tmp_path: Path) -> None:
    line = ["watch", "--generate", "path", "--size", "5", "-a", "output-parallel", "--device", str(device.index)]
    variables = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-m", "reedsp", *line], cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "serving   until Ctrl-C, to this machine alone:\n"
        parts = urlsplit(child.stdout.readline().strip())
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection.request("GET", parts.path)
        assert connection.getresponse().status == 200
        body = json.dumps({"kind": "graph", "algorithm": "top-down", "text": "0 : 1\n1 : 2", "source": 0})
        headers = {"Content-Type": "application/json", "Origin": f"http://{parts.netloc}"}
        connection.request("POST", f"{parts.path}run", body, headers)
        answer = connection.getresponse()
        assert answer.status == 200
        assert json.loads(answer.read())["input"]["n"] == 3
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
