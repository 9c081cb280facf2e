"""A plugin of pytest that chooses among the expensive tests, which are marked ``deep``.

A run of all tests takes every quick one, a slice of the deep ones, which changes with each commit, and the deep ones
of what has changed since the last landing: those of the rooms that it touches and, if it touches more than their tests,
of the rooms above them; where these are more than ``MOST``, which takes long, they take turns as well. A run that names
files, ``-k`` or ``-m`` takes all that it names. ``--deep all`` or ``--deep slice``, or ``REEDSP_DEEP``, says otherwise.
Every run says what it has left out.

``@pytest.mark.deep("int64", "groups*5")`` marks only the cases whose names in brackets hold one of these parts. Tests
that share what is expensive, a kernel that takes a minute to build, say so by ``group="..."``: they are in one slice.
There are 41 slices; of tests that together take minutes, ``parts=82`` makes 82, and twice as many turns.

What has changed is what differs from ``REEDSP_LANDED``, a commit, or from where ``origin/main`` was left, or, where
that is this very commit, from the commit before it. Outside a git repository it is slice 0 and nothing more.
"""

from __future__ import annotations

import os
import re
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from tests.support.rooms import ROOT, floors, is_at_or_above, room_of

PARTS = 41  # a prime number, so that slices and turns are independent
MOST = 128  # deep tests of what has changed in a run
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # as git names it: the first commit has nothing before it


@dataclass(frozen=True)
class Choice:
    """Which deep tests to take.

    Attributes
    ----------
    everything : bool
    number : int
        How many commits there are, which says what slice is taken anyway.
    rooms, files : tuple of str
        Whose deep tests are taken, too.
    whole : bool
        Whether every test of the suite is collected.
    """

    everything: bool
    number: int
    rooms: tuple[str, ...]
    files: tuple[str, ...]
    whole: bool

    def takes_anyway(self, nodeid: str, group: str | None = None, parts: int = PARTS) -> bool:
        """Whether a deep test, of those that are cut into so many slices, is to be run whatever has changed."""
        return self.everything or zlib.crc32((group or nodeid).encode()) % parts == self.number % parts

    def has_changed(self, nodeid: str) -> bool:
        """Whether a test is one of what has changed."""
        file = nodeid.partition("::")[0]
        return room_of(file) in self.rooms or file in self.files

    def left_out(self, tests: Sequence[tuple[str, Mapping[str, Any]]], most: int) -> list[bool]:
        """Return for each deep test, a name and what its mark says, whether it is not to be run."""
        anyway = [self.takes_anyway(nodeid, **mark) for nodeid, mark in tests]
        changed = [self.has_changed(nodeid) for nodeid, _ in tests]
        turns = turns_of(sum(changed), most)
        return [
            not taken and not (of_changed and self.takes_anyway(nodeid, mark.get("group"), turns_for(mark, turns)))
            for (nodeid, mark), taken, of_changed in zip(tests, anyway, changed, strict=True)
        ]


def turns_of(count: int, most: int) -> int:
    """Return in how many turns so many checks are made, if at most some are made in each."""
    return max(1, -(-count // most))


def turns_for(mark: Mapping[str, Any], turns: int) -> int:
    """Return the turns of what a mark says of, where others have so many: as many times as it has more slices."""
    return turns * mark.get("parts", PARTS) // PARTS


@dataclass(frozen=True)
class Collected:
    """What the suite consists of, before anything is left out.

    Attributes
    ----------
    count : int
        Number of tests on one device.
    deep : int
        Number of deep tests.
    turns : int
        In how many turns those of what has changed are run.
    left_out : dict of str to int
        Number of deep tests that are not run, by room.
    """

    count: int
    deep: int
    turns: int
    left_out: dict[str, int]


CHOICE = pytest.StashKey[Choice]()
COLLECTED = pytest.StashKey[Collected]()


# ---- what has changed -------------------------------------------------------------------------------


def git(*arguments: str, root: Path = ROOT) -> str | None:
    """Return what git prints, or None where it fails or is missing."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def commits(root: Path = ROOT) -> int:
    """Return the number of commits so far; 0 where the folder is not the top of a git repository."""
    top = git("rev-parse", "--show-toplevel", root=root)
    if top is None or Path(top).resolve() != root.resolve():
        return 0
    return int(git("rev-list", "--count", "HEAD", root=root) or 0)


def changed_files(root: Path = ROOT) -> list[str]:
    """Return the files, by their paths below the root, that differ from the last landing."""
    if not commits(root):
        return []
    base = os.environ.get("REEDSP_LANDED")
    if not base:
        base = git("merge-base", "HEAD", "origin/main", root=root)
        if base is None or base == git("rev-parse", "HEAD", root=root):
            base = git("rev-parse", "--verify", "--quiet", "HEAD~1", root=root) or EMPTY_TREE
    changed = git("diff", "--name-only", "--no-renames", base, root=root)
    if changed is None:
        raise pytest.UsageError(f"git knows no commit {base}, which REEDSP_LANDED names")
    new = git("ls-files", "--others", "--exclude-standard", root=root) or ""
    return sorted({*changed.splitlines(), *new.splitlines()})


def rooms_to_test(files: Iterable[str]) -> tuple[str, ...]:
    """Return the rooms of some files and, where these are not tests, the rooms that stand on them."""
    rooms = {(room_of(file), file.startswith("tests/")) for file in files}
    return tuple(
        room
        for room in floors()
        if any(room == each or (not is_test and is_at_or_above(room, each)) for each, is_test in rooms if each)
    )


def files_that_use(files: Iterable[str], root: Path = ROOT) -> tuple[str, ...]:
    """Return the test files among some files, and those that import one of the others, also by way of others.

    Modules of the package, kernels, and ``conftest.py`` do not count here: the first two have rooms.
    """
    new = {file for file in files if file.endswith(".py") and not file.startswith("reedsp/")} - {"tests/conftest.py"}
    imports = (
        {}
        if not new
        else {
            file.relative_to(root).as_posix(): imported_files(file.read_text(encoding="utf-8"))
            for file in (root / "tests").rglob("*.py")
        }
    )
    used: set[str] = set()
    while new:
        used |= new
        new = {file for file, names in imports.items() if names & new} - used
    return tuple(sorted(file for file in used if Path(file).name.startswith("test_")))


def imported_files(text: str) -> set[str]:
    """Return the files of this repository that a module may import at its top."""
    found = set()
    for package, names in re.findall(r"^(?:from ([\w.]+) )?import ((?:\([^)]*\))|.*)$", text, re.MULTILINE):
        for name in re.findall(r"[\w.]+", names):
            found |= {f"{each.replace('.', '/')}.py" for each in (package, f"{package}.{name}".removeprefix("."))}
    return found


# ---- hooks ------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--deep",
        choices=("all", "slice"),
        default=os.environ.get("REEDSP_DEEP") or None,
        help="which of the expensive tests to run: all, or a slice and those above what has changed",
    )


def is_whole(config: pytest.Config) -> bool:
    """Whether the command line names no part of the suite."""
    given = {(config.invocation_params.dir / each).resolve() for each in config.args}
    option = config.option
    return given == {config.rootpath / each for each in config.getini("testpaths")} and not (
        option.ignore or option.ignore_glob
    )


def choice(config: pytest.Config) -> Choice:
    """Return which deep tests to take."""
    whole = is_whole(config)
    names_some = not whole or bool(config.option.keyword or config.option.markexpr)
    wanted = config.getoption("deep") or ("all" if names_some else "slice")
    if wanted == "all":
        return Choice(True, 0, (), (), whole)
    files = changed_files()
    return Choice(False, commits(), rooms_to_test(files), files_that_use(files), whole)


def pytest_configure(config: pytest.Config) -> None:
    handed_over: Any = getattr(config, "workerinput", {}).get("deep")
    config.stash[CHOICE] = choice(config) if handed_over is None else Choice(**handed_over)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node: Any) -> None:
    """Have every worker make the same choice."""
    node.workerinput["deep"] = asdict(node.config.stash[CHOICE])


def pytest_itemcollected(item: pytest.Item) -> None:
    """Take the mark from the cases of a test that it does not name."""
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        case = item.callspec.id
        item.own_markers[:] = [
            mark
            for mark in item.own_markers
            if mark.name != "deep" or not mark.args or any(fnmatchcase(case, f"*{part}*") for part in mark.args)
        ]


@pytest.hookimpl(tryfirst=True)  # before -k, -m and --deselect leave anything out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    choice = config.stash[CHOICE]
    deep = {item: mark for item in items if (mark := item.get_closest_marker("deep"))}
    gone_of = choice.left_out([(item.nodeid, mark.kwargs) for item, mark in deep.items()], MOST)
    left_out = [item for item, is_gone in zip(deep, gone_of, strict=True) if is_gone]
    config.stash[COLLECTED] = Collected(
        len({on_any_device(item) for item in items}),
        len(deep),
        turns_of(sum(choice.has_changed(item.nodeid) for item in deep), MOST),
        dict(Counter(place(item.nodeid) for item in left_out)),
    )
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def on_any_device(item: pytest.Item) -> tuple[str, frozenset[tuple[str, int]]]:
    """Return what is the same of a test on every device."""
    indices = item.callspec.indices if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return item.nodeid.partition("[")[0], frozenset(each for each in indices.items() if each[0] != "device")


def place(nodeid: str) -> str:
    """Return the room of a test, or its file."""
    file = nodeid.partition("::")[0]
    return room_of(file) or file.removeprefix("tests/")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None and COLLECTED in session.config.stash:
        output["deep"] = asdict(session.config.stash[COLLECTED])


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has collected."""
    if found := getattr(node, "workeroutput", {}).get("deep"):
        node.config.stash[COLLECTED] = Collected(**found)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if (collected := config.stash.get(COLLECTED, None)) is None or not collected.left_out:
        return
    choice, left_out = config.stash[CHOICE], Counter(collected.left_out)
    by_room = ", ".join(f"{room} {count}" for room, count in left_out.most_common())
    turn = f"turn {choice.number % collected.turns} of {collected.turns} of " if collected.turns > 1 else ""
    terminalreporter.write_line(
        f"{left_out.total()} of {collected.deep} deep tests left out (all but slice {choice.number % PARTS} of "
        f"{PARTS}, and {turn}what stands on {', '.join(choice.rooms) or 'no room'}): {by_room}; --deep all runs them"
    )
