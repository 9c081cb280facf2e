"""Public data sets: found or downloaded, and never taken for what they are not."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import reedsp
from reedsp.io import datasets
from tests.cli.running import run

CONTENT = b"0 1\n1 2\n"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[datasets.Dataset]:
    """A data set that a server on this machine offers."""
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "tiny.el").write_bytes(CONTENT)
    handler = functools.partial(Handler, directory=str(tmp_path / "server"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/tiny.el"
        known = datasets.Dataset("two edges", url, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
        monkeypatch.setitem(datasets.DATASETS, "tiny", known)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.delenv("REEDSP_DATA", raising=False)
        yield known
        server.shutdown()


def test_downloaded_once(published: datasets.Dataset, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    seen: list[tuple[int, int]] = []
    file = datasets.fetch("tiny", folder, lambda *done: seen.append(done))
    assert file == folder / "tiny.el"
    assert file.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    (tmp_path / "server" / "tiny.el").unlink()
    assert datasets.fetch("tiny", folder) == file


def test_no_network(published: datasets.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(datasets.DATASETS, "tiny", replace(published, url="http://127.0.0.1:9/tiny.el"))
    with pytest.raises(OSError, match=r"^tiny\.el could not be downloaded from http://\S+: ") as caught:
        datasets.fetch("tiny", tmp_path / "data")
    assert str(caught.value).endswith(f"; put tiny.el into {tmp_path / 'data'} yourself")
    assert "Pool" not in str(caught.value)


def test_default_folders(
    published: datasets.Dataset, private_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert datasets.fetch("tiny") == private_cache / "reedsp" / "datasets" / "tiny.el"
    monkeypatch.setenv("REEDSP_DATA", str(tmp_path / "mine"))
    assert datasets.fetch("tiny") == tmp_path / "mine" / "tiny.el"


def test_file_at_hand_needs_neither_network_nor_pooch(
    published: datasets.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    file = tmp_path / "data" / "deeper" / "tiny.el"
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert datasets.fetch("tiny", tmp_path / "data") == file
    with pytest.raises(ImportError, match=r'pip install "reedsp\[datasets\]", or put it there from http://'):
        datasets.fetch("tiny", tmp_path / "elsewhere")


def test_another_file_of_the_name_is_refused(published: datasets.Dataset, tmp_path: Path) -> None:
    (tmp_path / "tiny.el").write_bytes(CONTENT + b"2 0\n")
    with pytest.raises(ValueError, match=rf"tiny\.el: not the published file: its SHA-256 is .* {published.sha256}$"):
        datasets.fetch("tiny", tmp_path)


def test_another_file_at_the_address_is_refused(published: datasets.Dataset, tmp_path: Path) -> None:
    (tmp_path / "server" / "tiny.el").write_bytes(b"something else")
    with pytest.raises(ValueError, match="hash"):
        datasets.fetch("tiny", tmp_path / "data")
    assert not (tmp_path / "data" / "tiny.el").exists()


def test_missing_at_the_address(published: datasets.Dataset, tmp_path: Path) -> None:
    (tmp_path / "server" / "tiny.el").unlink()
    with pytest.raises(OSError, match="404"):
        datasets.fetch("tiny", tmp_path / "data")


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"^name = 'moon', expected one of road-ny, "):
        datasets.fetch("moon")


@pytest.mark.parametrize("name", datasets.DATASETS)
def test_real_files_have_the_hashes(shared_data: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    file = datasets.fetch(name, shared_data)
    assert file.stat().st_size == datasets.DATASETS[name].size
    if not name.endswith("-places"):
        graph = reedsp.read(file)
        assert f"{graph.n:,} vertices" in datasets.DATASETS[name].title


# ---- the command ------------------------------------------------------------------------------------


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "dataset")
    assert (status, err) == (0, "")
    for name, known in datasets.DATASETS.items():
        assert any(line.startswith(name) and known.title in line for line in out.splitlines())
    rows = json.loads(run(capsys, "dataset", "--json")[1])
    assert [(row["name"], row["sha256"]) for row in rows] == [
        (name, known.sha256) for name, known in datasets.DATASETS.items()
    ]


def test_command(capsys: pytest.CaptureFixture[str], published: datasets.Dataset, tmp_path: Path) -> None:
    file = tmp_path / "data" / "tiny.el"
    assert run(capsys, "dataset", "tiny", "--folder", tmp_path / "data") == (0, f"{file}\n", "")
    answer = json.loads(run(capsys, "dataset", "tiny", "--folder", tmp_path / "data", "--json")[1])
    assert answer == {"name": "tiny", "file": str(file), "sha256": published.sha256, "url": published.url}
    file.write_bytes(b"")
    status, out, err = run(capsys, "dataset", "tiny", "--folder", tmp_path / "data")
    assert (status, out) == (1, "")
    assert err.startswith(f"reedsp: {file}: not the published file: ")


def test_command_without_pooch(
    capsys: pytest.CaptureFixture[str],
    published: datasets.Dataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    status, out, err = run(capsys, "dataset", "tiny", "--folder", tmp_path / "data")
    assert (status, out) == (1, "")
    assert 'pip install "reedsp[datasets]"' in err


def test_command_with_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "dataset", "moon")
    assert (status, out) == (2, "")
    assert "'moon' is not one of road-ny" in err
