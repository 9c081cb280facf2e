"""Progress bars: who sees one, what it says, and how a terminal is left."""

from __future__ import annotations

import html
import io
import os
import pty
import re
import signal
import subprocess
import sys
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import reedsp
from reedsp.io import datasets
from reedsp.system import progress_bar

SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
CALLS: dict[str, Callable[[Path, Any], Any]] = {
    "sssp": lambda folder, progress: reedsp.sssp(path(), 0, progress=progress),
    "sssp, several": lambda folder, progress: reedsp.sssp(path(), [0, 3, 0], progress=progress),
    "sssp, nearest": lambda folder, progress: reedsp.sssp(path(), [0, 3], min_only=True, progress=progress),
    "sssp, Bellman-Ford": lambda folder, progress: reedsp.sssp(path(), 0, "output-parallel", progress=progress),
    "bfs": lambda folder, progress: reedsp.bfs(path(), [0, 3], progress=progress),
    "apsp": lambda folder, progress: reedsp.apsp(path(), "min-plus", progress=progress),
    "apsp, johnson": lambda folder, progress: reedsp.apsp(path(), "johnson", progress=progress),
    "apsp, file": lambda folder, progress: reedsp.apsp(path(), out=folder / "dist.npy", progress=progress),
    "prepare": lambda folder, progress: reedsp.prepare(path(), progress=progress),
    "read": lambda folder, progress: reedsp.read(written(folder), progress=progress),
    "write": lambda folder, progress: reedsp.write(path(), folder / "written.gr", progress=progress),
    "fetch": lambda folder, progress: datasets.fetch("road-ny", folder, progress),
}
"""Every public function with this argument."""

WORDS = {
    "sssp": "searching.*rounds",
    "sssp, several": "searching.*3 of 3 sources",
    "sssp, nearest": "searching.*rounds",
    "sssp, Bellman-Ford": "searching.*rounds",
    "bfs": "searching.*2 of 2 sources",
    "apsp": "solving.*20 of 20 vertices",
    "apsp, johnson": "solving.*20 of 20 vertices",
    "apsp, file": "solving.*20 of 20 vertices",
    "prepare": "contracting.*20 of 20 vertices",
    "read": "reading.*100% of the file",
    "write": "writing.*19 of 19 edges",
}

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")


def path() -> reedsp.Graph:
    return reedsp.Graph.from_edges(20, range(19), range(1, 20))


def written(folder: Path) -> Path:
    file = folder / "read.el"
    reedsp.write(path(), file)
    return file


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return what standard error is from now on: a fixture could not, as pytest sets its own after them."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return found


class Notebook:
    """An IPython that shows what it is given in this list: one text for each time."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []

    def display(self, line: Any, display_id: bool) -> Notebook:
        assert display_id
        self.shown.append([])
        self.update(line)
        return self

    def update(self, line: Any) -> None:
        self.shown[-1].append(line._repr_html_())
        assert repr(line) in html.unescape(self.shown[-1][-1])


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    """What IPython is: a kernel whose standard error is no terminal."""
    found = Notebook()
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=found.display))  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    return found


def clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let so much time pass between two looks at the clock."""
    times = iter(range(10**6))
    monkeypatch.setattr(progress_bar, "time", types.SimpleNamespace(monotonic=lambda: next(times) * seconds))


# ---- the argument -----------------------------------------------------------------------------------


@needs_device
@pytest.mark.parametrize("call", WORDS)
def test_true_shows_a_bar_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    terminal = on_terminal(monkeypatch)
    CALLS[call](tmp_path, True)
    assert re.search(WORDS[call], terminal.getvalue())
    assert terminal.getvalue().rindex(SHOW_CURSOR) > terminal.getvalue().rindex(HIDE_CURSOR)


@needs_device
@pytest.mark.parametrize("call", WORDS)
def test_true_shows_a_bar_in_a_notebook(tmp_path: Path, notebook: Notebook, call: str) -> None:
    CALLS[call](tmp_path, True)
    [lines] = notebook.shown
    assert re.search(f'^<progress value="1.0000"></progress> {WORDS[call]}.*0:00:..$', lines[-1])


@needs_device
@pytest.mark.parametrize("call", WORDS)
@pytest.mark.parametrize("progress", [True, False, None])
def test_nothing_is_shown_elsewhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], call: str, progress: bool | None
) -> None:
    CALLS[call](tmp_path, progress)
    assert capfd.readouterr() == ("", "")


@needs_device
@pytest.mark.parametrize("call", WORDS)
@pytest.mark.parametrize("is_closed", [False, True])
def test_without_a_console_nothing_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, is_closed: bool
) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stderr", stream if is_closed else None)
    CALLS[call](tmp_path, True)
    progress_bar.announce_long("apsp", 1e6, "min-plus")


@needs_device
@pytest.mark.parametrize("call", WORDS)
@pytest.mark.parametrize("progress", [False, None])
def test_false_and_none_show_nothing_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, progress: bool | None
) -> None:
    terminal = on_terminal(monkeypatch)
    CALLS[call](tmp_path, progress)
    assert terminal.getvalue() == ""


@needs_device
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("progress", ["notebook", 1])
def test_anything_else_is_refused_before_work_begins(tmp_path: Path, call: str, progress: object) -> None:
    message = f"^progress = {progress!r}, expected True, False, None, or a function of two integers$"
    with pytest.raises(TypeError, match=message):
        CALLS[call](tmp_path, progress)
    assert [file.name for file in tmp_path.iterdir() if file.name != "read.el"] == []


def test_a_download_shows_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    def download(known: datasets.Dataset, place: Path, progress: progress_bar.Report | None) -> Path:
        assert progress is not None
        progress(5, 0)  # a server need not say the size
        progress(5, 10)
        return place

    monkeypatch.setattr(datasets, "_download", download)
    datasets.fetch("road-ny", tmp_path, True)
    assert "5 bytes" in terminal.getvalue() or "50% of the file" in terminal.getvalue()
    assert "downloading" in terminal.getvalue()


# ---- bars -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bar",
    [
        partial(progress_bar.search_bar, 1, "rounds"),
        partial(progress_bar.search_bar, 5, "rounds"),
        progress_bar.vertices_bar,
        partial(progress_bar.parts_bar, "tuning"),
        partial(progress_bar.bytes_bar, "reading"),
        partial(progress_bar.edges_bar, "writing"),
    ],
)
def test_nobody_wants_to_know_without_a_terminal(monkeypatch: pytest.MonkeyPatch, bar: Any) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with bar() as report:
        assert report is None


def test_terminal_that_cannot_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    with progress_bar.vertices_bar() as report:
        assert report is None
    assert terminal.getvalue() == ""


def test_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """How much there is to do is known, and so is the time left after some of it."""
    terminal = on_terminal(monkeypatch)
    with progress_bar.vertices_bar() as report:
        assert report is not None
        report(1234, 5000)
    assert "1,234 of 5,000 vertices" in terminal.getvalue()
    assert re.search(r"left.*-?:--:--", terminal.getvalue())


def test_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress_bar.parts_bar("tuning") as report:
        assert report is not None
        report(0.5, "[int32]")
    assert "[int32]" in terminal.getvalue()


@pytest.mark.parametrize(("looks", "shown"), [(1, False), (2, True), (3, True)])
def test_late_bar(monkeypatch: pytest.MonkeyPatch, looks: int, shown: bool) -> None:
    """It is taken away when the work is done."""
    terminal = on_terminal(monkeypatch)
    clock(monkeypatch, 1)
    with progress_bar.search_bar(1, "rounds", after=2) as report:
        assert report is not None
        for look in range(looks):
            report(1234 + look, 5000)
    assert ("1,235 rounds" in terminal.getvalue()) is shown
    assert terminal.getvalue().endswith("\x1b[2K") is shown  # the line is empty
    assert "left" not in terminal.getvalue()


def test_notebook_says_the_time_left(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    clock(monkeypatch, 60)
    with progress_bar.vertices_bar() as report:
        assert report is not None
        report(1250, 5000)
        report(5000, 5000)
    [[first, *_, last]] = notebook.shown
    assert first == '<progress value="0.2500"></progress> solving: 1,250 of 5,000 vertices, 0:02:00, 0:06:00 left'
    assert re.fullmatch('<progress value="1.0000"></progress> solving: 5,000 of 5,000 vertices, 0:0.:00', last)


def test_notebook_is_not_told_too_often(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    clock(monkeypatch, 0.01)
    with progress_bar.search_bar(1, "<rounds>") as report:
        assert report is not None
        for done in range(1000):
            report(done, 5000)
    [lines] = notebook.shown
    assert 50 < len(lines) < 200
    assert lines[0] == "<progress></progress> searching: 0 &lt;rounds&gt;, 0:00:00"  # which moves: no end is known
    assert "999" in lines[-1]


@pytest.mark.parametrize(("looks", "shown"), [(1, False), (2, True)])
def test_a_late_bar_of_a_notebook(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, looks: int, shown: bool) -> None:
    clock(monkeypatch, 1)
    with progress_bar.vertices_bar(after=2) as report:
        assert report is not None
        for done in range(looks):
            report(done, 5000)
    assert len(notebook.shown) == shown


def test_error_leaves_the_bar_of_a_notebook(notebook: Notebook) -> None:
    with pytest.raises(KeyboardInterrupt), progress_bar.vertices_bar() as report:  # noqa: PT012
        assert report is not None
        report(1, 4)
        raise KeyboardInterrupt
    [[only]] = notebook.shown
    assert 'value="0.2500"' in only


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: object()))  # type: ignore[arg-type]
    with progress_bar.vertices_bar() as report:
        assert report is not None
        report(1, 4)
    assert "1 of 4 vertices" in terminal.getvalue()


# ---- a terminal -------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys, reedsp
from reedsp.system.progress_bar import vertices_bar
try:
    with vertices_bar() as report:
        report(1, 4)
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()
except KeyboardInterrupt:
    print("ended", file=sys.stderr)
"""


def test_ctrl_c_leaves_the_terminal_in_order() -> None:
    """In a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(reedsp.__file__).resolve().parents[1]),
        "TERM": "xterm",
        "COLUMNS": "120",
    }
    default = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stderr=theirs, env=environment, preexec_fn=default):
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 10_000):
                text += piece
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    before, bar, after = text.decode().partition("1 of 4 vertices")
    assert HIDE_CURSOR in before
    assert bar
    assert after.rindex(SHOW_CURSOR) > after.rfind(HIDE_CURSOR)
    assert after.endswith(f"\n{SHOW_CURSOR}ended\r\n")


# ---- what is expected -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "part", "expected", "left"),
    [
        (0.0, 0.0, 40.0, 40.0),  # nothing is known but this
        (0.0, None, 40.0, 40.0),
        (4.0, 0.1, 40.0, 36.0),  # as it was expected
        (20.0, 0.1, 40.0, 0.9 * 120),  # it takes 200 s, by a tenth of the work; what was expected counts as much
        (100.0, 0.9, 40.0, 10.4),
        (100.0, 1.0, 40.0, 0.0),
        (30.0, 0.5, None, 30.0),
        (30.0, 0.0, None, None),
        (30.0, None, None, None),
    ],
)
def test_what_is_left(seconds: float, part: float | None, expected: float | None, left: float | None) -> None:
    assert progress_bar._left(seconds, part, expected) == (None if left is None else pytest.approx(left))


def test_a_bar_begins_with_what_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    clock(monkeypatch, 1.0)
    with progress_bar.vertices_bar(expected=90.0) as report:
        assert report is not None
        assert "about 0:01:30 expected" in terminal.getvalue()
        report(10, 100)
        assert progress_bar._BETWEEN_SECONDS  # as often as a terminal is written to
    shown = terminal.getvalue()
    assert "10 of 100 vertices" in shown
    assert re.search(
        r"0:00:4\d left", shown
    )  # 3 s for a tenth, and 90 expected: (0.1 * 90 + 3) / 0.2 * 0.9 = 54 or less


def test_a_late_bar_does_not_begin_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress_bar.vertices_bar(after=5.0, expected=90.0) as report:
        assert report is not None
        report(1, 100)
    assert terminal.getvalue() == ""


def test_a_notebook_begins_with_it_too(notebook: Notebook) -> None:
    with progress_bar.vertices_bar(expected=90.0) as report:
        assert report is not None
    assert "about 0:01:30 expected" in notebook.shown[0][0]


@needs_device
@pytest.mark.parametrize("how", ["terminal", "no terminal", "hidden", "told", "False", "short", "few"])
def test_a_long_call_says_so_once(how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from reedsp.algorithms.all_pairs import apsp
    from reedsp.cost_model import choose

    seconds = 4.9 if how == "short" else 77.4
    monkeypatch.setattr(choose, "expected", lambda *arguments, **options: choose.Expected(seconds, 1.0))
    if how != "few":
        monkeypatch.setattr(apsp, "_FEW", 10)
    terminal = Terminal() if how == "no terminal" else on_terminal(monkeypatch)
    if how == "no terminal":
        monkeypatch.setattr(sys, "stderr", other := io.StringIO())
    progress: Any = {"told": lambda done, most: None, "False": False}.get(how)
    if how == "hidden":
        with progress_bar.hidden():
            method = reedsp.apsp(path()).method
    else:
        method = reedsp.apsp(path(), progress=progress).method
    line = f"reedsp: apsp is expected to take some 77 s by {method}; progress=True shows how far it is\n"
    assert terminal.getvalue() == (line if how == "terminal" else "")
    assert how != "no terminal" or other.getvalue() == ""


@needs_device
@pytest.mark.parametrize("function", ["sssp", "bfs"])
def test_many_sources_that_take_long(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They say so in the same way, and a bar begins with it."""
    from reedsp.cost_model import choose_search

    monkeypatch.setattr(choose_search, "seconds_on", lambda *_: 77.4)
    monkeypatch.setattr(choose_search, "levels_times", lambda *_: {choose_search.ITEMS: 77.4})
    solve, graph, terminal = getattr(reedsp, function), path(), on_terminal(monkeypatch)
    method = solve(graph, [0, 1]).method
    line = f"reedsp: {function} is expected to take some 77 s by {method}; progress=True shows how far it is\n"
    assert terminal.getvalue() == line
    solve(graph, 0)
    solve(graph, [0])
    solve(graph, [0, 1], progress=False)
    solve(graph, [0, 1], progress=lambda done, most: None)
    assert terminal.getvalue() == line
    solve(graph, [0, 1], progress=True)
    assert "about 0:01:17 expected" in terminal.getvalue()
    assert "2 of 2 sources" in terminal.getvalue()
    monkeypatch.setattr(choose_search, "seconds_on", lambda *_: 4.9)
    monkeypatch.setattr(choose_search, "levels_times", lambda *_: {choose_search.ITEMS: 4.9})
    solve(graph, [0, 1])
    assert terminal.getvalue().count("progress=True") == 1
