"""No expensive test is dropped for ever, and no test disappears from the suite in silence."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from tests.support import deep_slice
from tests.support.deep_slice import CHOICE, COLLECTED, PARTS, Choice, Collected
from tests.support.rooms import ROOT, floors, room_of

FLOOR = int((ROOT / "tests" / "floor.txt").read_text(encoding="utf-8"))
"""The number of tests on one device, as it once was; never less without a reason."""

pytest_plugins = ["pytester"]


# ---- the whole suite --------------------------------------------------------------------------------


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> Collected:
    """What this run has collected, if that is the whole suite."""
    if not request.config.stash[CHOICE].whole:
        pytest.skip("only a part of the suite is collected")
    return request.config.stash[COLLECTED]


def test_the_suite_does_not_shrink(collected: Collected) -> None:
    assert collected.count >= FLOOR, "where the subject of tests is gone, write the new number into tests/floor.txt"
    assert collected.count <= 1.1 * FLOOR, f"write {collected.count} into tests/floor.txt"


# ---- what is chosen ---------------------------------------------------------------------------------

NOTHING = Choice(everything=False, number=0, rooms=(), files=(), whole=True)
NAMES = [f"tests/minplus/test_product.py::test_{number}" for number in range(300)]


@pytest.mark.parametrize("parts", [PARTS, 20])
@pytest.mark.parametrize("first", [0, 513])
def test_as_many_commits_as_there_are_slices_run_each_deep_test_once(first: int, parts: int) -> None:
    slices = [
        [name for name in NAMES if dataclasses.replace(NOTHING, number=first + number).takes_anyway(name, parts=parts)]
        for number in range(parts)
    ]
    assert sorted(name for each in slices for name in each) == sorted(NAMES)
    assert min(map(len, slices)) > len(NAMES) / parts / 4


def test_what_shares_an_expense_is_in_one_slice() -> None:
    for number in range(PARTS):
        assert len({dataclasses.replace(NOTHING, number=number).takes_anyway(name, "a kernel") for name in NAMES}) == 1


@pytest.mark.parametrize(
    "choice",
    [
        dataclasses.replace(NOTHING, everything=True),
        dataclasses.replace(NOTHING, rooms=("minplus",)),
        dataclasses.replace(NOTHING, files=("tests/minplus/test_product.py",)),
    ],
)
def test_all_deep_tests_of_what_has_changed_are_taken(choice: Choice) -> None:
    others = [name.replace("minplus", "graph") for name in NAMES]
    left_out = choice.left_out([(name, {}) for name in NAMES + others], most=len(NAMES))
    assert not any(left_out[: len(NAMES)])
    assert choice.everything or any(left_out[len(NAMES) :])


def test_where_much_has_changed_its_deep_tests_take_turns() -> None:
    """And what shares an expense takes the same one."""
    count = 0
    for number in range(3):
        choice = dataclasses.replace(NOTHING, number=number, rooms=("minplus",))
        assert [deep_slice.turns_of(len(NAMES), most) for most in (101, 100, 99)] == [3, 3, 4]
        of_one = choice.left_out([(name, {"group": "a kernel", "parts": 46}) for name in NAMES], most=100)
        assert len(set(of_one)) == 1
        left_out = choice.left_out([(name, {}) for name in NAMES], most=100)
        anyway = [choice.takes_anyway(name) for name in NAMES]
        assert not any(gone and taken for gone, taken in zip(left_out, anyway, strict=True))
        count += len(NAMES) - sum(left_out)
        turn = [choice.takes_anyway(name, parts=3) for name in NAMES]
        assert left_out == [not (one or other) for one, other in zip(anyway, turn, strict=True)]
    assert count > len(NAMES)  # once each, and slices


def test_what_has_more_slices_has_as_many_times_as_many_turns() -> None:
    changed = dataclasses.replace(NOTHING, rooms=("minplus",))
    taken = 0
    for number in range(3 * 4):
        choice = dataclasses.replace(changed, number=number)
        left_out = choice.left_out([(name, {"parts": 4 * PARTS}) for name in NAMES], most=100)
        taken += len(NAMES) - sum(left_out)
        by_slice = [choice.takes_anyway(name, parts=4 * PARTS) for name in NAMES]
        by_turn = [choice.takes_anyway(name, parts=3 * 4) for name in NAMES]
        assert left_out == [not (one or other) for one, other in zip(by_slice, by_turn, strict=True)]
    assert len(NAMES) <= taken < 1.5 * len(NAMES)


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("reedsp/minplus/product.py", "minplus"),
        ("reedsp/csgraph.py", "csgraph"),
        ("reedsp/algorithms/routes/yen.py", "algorithms.routes"),
        ("reedsp/algorithms/__init__.py", "algorithms"),
        ("cl/core/weights.cl", "device"),
        ("cl/all_pairs/trees.cl", "algorithms.all_pairs"),
        ("tests/device/test_build.py", "device"),
        ("tests/algorithms/traversal/test_bfs.py", "algorithms.traversal"),
        ("tests/csgraph/test_small.py", "csgraph"),
        ("tests/test_docs.py", None),
        ("tests/deep/soak.py", None),
        ("reedsp/__init__.py", None),
        ("cl/experiments/banks.cl", None),
        ("pyproject.toml", None),
        (".ci/run", None),
    ],
)
def test_rooms_of_files(file: str, room: str | None) -> None:
    assert room_of(file) == room


def test_rooms_to_test() -> None:
    assert set(deep_slice.rooms_to_test(["cl/core/weights.cl"])) >= {"device", "minplus", "algorithms.routes", "cli"}
    assert not {"graph", "io", "system"} & set(deep_slice.rooms_to_test(["cl/core/weights.cl"]))
    assert "algorithms.single_source" not in deep_slice.rooms_to_test(["cl/traversal/bfs_direction.cl"])
    assert set(deep_slice.rooms_to_test(["reedsp/_version.py"])) == set(floors()) - {"_nx_info"}
    assert deep_slice.rooms_to_test(["pyproject.toml", "tests/conftest.py", ".ci/run", "README.md"]) == ()
    assert deep_slice.rooms_to_test(["tests/device/test_build.py", "tests/io/test_readers.py"]) == ("device", "io")


def test_files_that_use_what_has_changed() -> None:
    users = deep_slice.files_that_use(["tests/support/kernel_files.py", "reedsp/graph/graph.py", "tests/conftest.py"])
    assert {"tests/test_architecture.py", "tests/test_every_kernel.py", "tests/deep/test_mutants.py"} <= set(users)
    assert "tests/graph/test_graph.py" not in users
    assert deep_slice.files_that_use(["tests/test_docs.py"]) == ("tests/test_docs.py",)
    assert deep_slice.files_that_use(["docs/index.md"]) == ()


def test_imported_files() -> None:
    text = "import a.b\nfrom c import (\n    d,\n    e,\n)\nfrom f.g import h as i\n"
    assert {"a/b.py", "c/d.py", "c/e.py", "f/g.py", "f/g/h.py"} <= deep_slice.imported_files(text)


# ---- what has changed -------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two commits, the first of which has landed."""
    monkeypatch.delenv("REEDSP_LANDED", raising=False)
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    run(tmp_path, "init", "--quiet")
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        run(tmp_path, "add", name)
        run(tmp_path, "-c", "user.name=n", "-c", "user.email=e@e", "commit", "--quiet", "--message", name)
    run(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    return tmp_path


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def test_a_change_is_what_has_not_landed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert deep_slice.commits(repository) == 2
    assert deep_slice.changed_files(repository) == ["b"]
    (repository / "a").write_text("changed")
    (repository / "new").touch()
    assert deep_slice.changed_files(repository) == ["a", "b", "new"]
    run(repository, "update-ref", "refs/remotes/origin/main", "HEAD")  # a clone of what has just landed
    assert deep_slice.changed_files(repository) == ["a", "b", "new"]
    monkeypatch.setenv("REEDSP_LANDED", "HEAD")
    assert deep_slice.changed_files(repository) == ["a", "new"]
    monkeypatch.setenv("REEDSP_LANDED", "no such commit")
    with pytest.raises(pytest.UsageError, match="no such commit"):
        deep_slice.changed_files(repository)


def test_where_nothing_is_before_everything_has_changed(repository: Path) -> None:
    run(repository, "update-ref", "-d", "refs/remotes/origin/main")
    run(repository, "reset", "--quiet", "--hard", "HEAD~1")
    assert deep_slice.changed_files(repository) == ["a"]


def test_outside_a_repository_nothing_has_changed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    inside = repository / "unpacked"
    inside.mkdir()
    for folder in (inside, tmp_path_factory.mktemp("elsewhere")):
        assert deep_slice.commits(folder) == 0
        assert deep_slice.changed_files(folder) == []


# ---- a run ------------------------------------------------------------------------------------------

SUITE = """
import pytest

@pytest.mark.deep
@pytest.mark.parametrize("number", range(40))
def test_deep(number):
    pass

@pytest.mark.deep("*b*1", group="b")
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("letter", "ab")
def test_cases(letter, number):
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite of three quick and 41 deep tests, of which this commit's slice is number 0."""
    monkeypatch.delenv("REEDSP_DEEP", raising=False)
    monkeypatch.setattr(deep_slice, "commits", lambda: 0)
    monkeypatch.setattr(deep_slice, "changed_files", list)
    pytester.makeini("[pytest]\ntestpaths = tests\nmarkers =\n    deep\naddopts = --strict-markers")
    pytester.makepyfile(**{"tests/test_it": SUITE})
    return pytester


def passed(suite: pytest.Pytester, *arguments: str) -> tuple[int, str]:
    """Return how many tests pass, and what is printed."""
    result = suite.runpytest_inprocess("-p", "tests.support.deep_slice", *arguments)
    assert result.ret == 0
    return result.parseoutcomes()["passed"], result.stdout.str()


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.deep)])
def test_a_run_takes_a_slice_and_says_what_it_leaves_out(suite: pytest.Pytester, workers: str) -> None:
    taken = sum(NOTHING.takes_anyway(f"tests/test_it.py::test_deep[{number}]") for number in range(40))
    taken += NOTHING.takes_anyway("tests/test_it.py::test_cases[b-1]", "b")
    count, printed = passed(suite, "-n", workers)
    assert 0 < taken < 41
    assert count == 3 + taken
    said = f"{41 - taken} of 41 deep tests left out (all but slice 0 of {PARTS}, and what stands on no room)"
    assert f"{said}: test_it.py {41 - taken}; --deep all runs them" in printed
    assert passed(suite, "--deep", "slice", "tests/test_it.py", "-n", workers)[0] == count


def test_a_run_says_which_turn_it_takes(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep_slice, "MOST", 20)
    monkeypatch.setattr(deep_slice, "files_that_use", lambda files: ("tests/test_it.py",))
    names = [(f"tests/test_it.py::test_deep[{number}]", {}) for number in range(40)]
    names.append(("tests/test_it.py::test_cases[b-1]", {"group": "b"}))
    choice = dataclasses.replace(NOTHING, files=("tests/test_it.py",))
    left_out = sum(choice.left_out(names, most=20))
    count, printed = passed(suite, "-n", "0")
    assert 41 / 3 < left_out < 41
    assert count == 3 + 41 - left_out
    said = f"{left_out} of 41 deep tests left out (all but slice 0 of {PARTS}, and turn 0 of 3 of what stands on"
    assert said in printed


@pytest.mark.parametrize(
    "arguments", [["--deep", "all"], ["tests/test_it.py"], ["-k", "test"], ["-m", "deep or not deep"]]
)
def test_everything_is_run_where_that_is_asked_for(suite: pytest.Pytester, arguments: list[str]) -> None:
    count, printed = passed(suite, *arguments, "-n", "0")
    assert count == 44
    assert "left out" not in printed


def test_the_environment_asks_for_everything(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEEP", "all")
    assert passed(suite, "-n", "0")[0] == 44
