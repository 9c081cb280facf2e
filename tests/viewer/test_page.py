"""The file of a page: what is in it, how large it is, and that no content of a trace gets out of its place."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import reedsp
from reedsp import Device
from reedsp.viewer.page import FOLDER, LAST_SCRIPTS, SCRIPTS, Page, embedded
from tests.viewer import examples

# Of the file dist/d3.min.js in d3-7.9.2.tgz of registry.npmjs.org, whose integrity npm gives as
# sha512-ZKb/mONPVKzaO5UlcWcwN8bS4ezvQaYu+bsou+XgNABdGC800kwH651ADTbbTxMPHW13UlvbQafdmJQDk1w7Mg==
D3 = "912111098ea99503a6f4967361d2bbdc9dbf58cf9c678c8e27e5b02d1a07f0c1"
LARGEST = 400_000


def test_d3_is_the_official_file_with_its_licence() -> None:
    assert hashlib.sha256((FOLDER / "d3.min.js").read_bytes()).hexdigest() == D3
    assert (FOLDER / "d3.LICENSE").read_text().startswith("Copyright 2010-2026 Mike Bostock\n\nPermission to use")


def test_the_page_is_made_of_every_script_there_is() -> None:
    names = {file.stem for file in FOLDER.glob("*.js")} - {"d3.min"}
    assert sorted((*SCRIPTS, *LAST_SCRIPTS)) == sorted(names)


def test_policy_admits_what_the_page_holds_and_nothing_else() -> None:
    page = Page([examples.scan([1, 2])]).html
    [policy] = re.findall(r'http-equiv="?Content-Security-Policy"? content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for content in (*scripts, style):
        assert base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() in policy
    [packed] = re.findall(r'id="library">([^<]*)<', page)
    library = gzip.decompress(base64.b64decode(packed))
    assert hashlib.sha256(library).hexdigest() == D3
    assert base64.b64encode(hashlib.sha256(library).digest()).decode() in policy
    assert len(scripts) == len(SCRIPTS) + len(LAST_SCRIPTS)
    assert len(re.findall("sha256-", policy)) == len(scripts) + 2
    assert not re.search(
        r"(src|href)\s*=\s*[\"']?(https?:)?//", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    )
    assert "connect-src 'self'" in Page([], run="run").html


HOSTILE = "</script><!-- <script>\u2028\u2029\ud800 & {{data}} {{scripts}} ]]>"


def test_json_ends_no_element() -> None:
    text = embedded({"name": HOSTILE})
    assert json.loads(text) == {"name": HOSTILE}
    assert text.isascii()
    assert not set("<>&") & set(text)
    with pytest.raises(ValueError, match="JSON"):
        embedded([float("inf")])


def test_no_content_is_taken_for_a_mark_of_the_frame() -> None:
    trace = examples.scan([1]) | {"title": HOSTILE, "device": HOSTILE}
    page = Page([trace]).html
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data)["traces"][0]["title"] == HOSTILE
    assert page.count("<script>") == len(SCRIPTS) + len(LAST_SCRIPTS)
    page.encode()


def hundred_steps_of_fifty_vertices() -> dict[str, Any]:
    """A search by near-far, say: a tenth of the vertices change in a step, in each of three arrays."""
    draw = random.Random(1)
    trace = examples.shortest_paths(examples.sparse(50, 150))
    step = trace["steps"][1]
    trace["steps"] = trace["steps"][:1] + [
        step
        | {"changes": {name: [[v, draw.randrange(100)] for v in draw.sample(range(50), 5)] for name in trace["arrays"]}}
        for _ in range(99)
    ]
    return trace


def test_page_is_small() -> None:
    assert len(Page([hundred_steps_of_fifty_vertices()]).html.encode()) <= LARGEST


def test_a_page_is_saved_whole(tmp_path: Path) -> None:
    page = Page([examples.scan([3, 4])])
    page.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    page.save(str(tmp_path / "a.html"))
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "a.html", overwrite=False)
    assert [file.name for file in tmp_path.iterdir()] == ["a.html"]
    with pytest.raises(OSError, match="nowhere"):
        page.save(tmp_path / "nowhere" / "a.html")


def test_arguments_are_named(tmp_path: Path) -> None:
    trace = examples.scan([3, 4])
    for traces in (None, "traces", trace):
        with pytest.raises(TypeError, match=rf"^traces: expected a sequence of traces, got {type(traces).__name__}$"):
            Page(traces)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^path: expected a path, got 5$"):
        Page([trace]).save(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (5, TypeError, r"expected a Trace, or what its to_json returns, got int"),
        ({}, ValueError, r"its format is None, and not 'reedsp-trace'"),
        ({"format": "reedsp-trace"}, ValueError, r"its version is None, and not 1"),
        (examples.scan([1]) | {"version": 2}, ValueError, r"its version is 2, and not 1"),
    ],
)
def test_what_is_no_trace(wrong: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=rf"^traces\[1\]: {message}$"):
        Page([examples.scan([3, 4]), wrong])


def test_a_page_of_traces(device: Device) -> None:
    found = reedsp.trace([3, 1, 2], "naive-scan", device=device)
    assert Page([found]).html == Page([found.to_json()]).html


def test_a_notebook_shows_it_in_a_frame() -> None:
    page = Page([examples.scan([3, 4])])
    frame = page._repr_html_()
    [content] = re.findall(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(content) == page.html
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert repr(page).startswith("<Page of 1 traces, ")
