"""What the documentation shows is what happens: examples run, and measured figures are those of the CSV files."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reedsp
from docs.tools import figures, pram, rooms, steps
from experiments.report import tables
from tests.suites import typed_pages

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


MODULES = sorted(
    module.name for module in pkgutil.walk_packages(reedsp.__path__, "reedsp.") if not module.name.endswith("__main__")
)
DOCTEST_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(
    module: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    monkeypatch.chdir(tmp_path)
    doctest.testmod(importlib.import_module(module), raise_on_error=True, optionflags=DOCTEST_OPTIONS)


@pytest.mark.parametrize("name", [name for name in reedsp.__all__ if inspect.isclass(getattr(reedsp, name))])
def test_examples_of_public_classes(
    name: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Which say that they are of the package itself, so that the tests of modules leave them out."""
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder(exclude_empty=True).find(getattr(reedsp, name), name, module=False, globs={})
    assert examples
    runner = doctest.DebugRunner(optionflags=DOCTEST_OPTIONS)
    for example in examples:
        runner.run(example)


def has_example(value: object) -> bool:
    """Whether the docstring of a function or class has an example, or that of one of the class' own members."""
    members = vars(value).values() if inspect.isclass(value) else ()
    return any(">>> " in (getattr(each, "__doc__", None) or "") for each in (value, *members))


@pytest.mark.parametrize("module", ["reedsp", "reedsp.csgraph"])
def test_every_public_name_has_an_example(module: str) -> None:
    public = importlib.import_module(module)
    values = {name: getattr(public, name) for name in public.__all__}
    ours = {name: value for name, value in values.items() if value.__module__.split(".")[0] == "reedsp"}
    assert [name for name, value in ours.items() if not has_example(value)] == []


def test_reference_has_every_public_name() -> None:
    reference = (DOCS / "reference" / "functions.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^   reedsp\.(\w+)$", reference, re.MULTILINE)) == set(reedsp.__all__)


@pytest.mark.deep
@pytest.mark.parametrize("page", typed_pages.typed_pages(), ids=lambda page: page.name)
def test_page_shows_what_happens(page: Path, device: reedsp.Device, tmp_path: Path) -> None:
    variables = {**os.environ, "REEDSP_DEVICE": device.name, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, typed_pages.__file__, page]
    typist = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert typist.returncode == 0, typist.stdout + typist.stderr


TYPED_WRONGLY = """
```console
$ x=3; echo $x
3
$ echo $((x + 1))
5
```

```pycon
>>> n = 4
>>> n + 1
6
```

```python
assert n == 5
```
"""


def test_typist_notices_other_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    path.write_text(TYPED_WRONGLY, encoding="utf-8")
    page = typed_pages.Page(path)
    page.type()
    shell, example, block = page.faults
    assert "page.md:3: $ echo $((x + 1))" in shell
    assert "+4" in shell
    assert "Expected:\n    6\nGot:\n    5" in example
    assert block.startswith("page.md:16: AssertionError")


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figures_are_as_drawn(name: str) -> None:
    drawn = (figures.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert figures.FIGURES[name]() == drawn, "run: python -m docs.tools.figures"


def test_rooms_are_as_drawn_and_listed() -> None:
    assert rooms.picture() == rooms.PICTURE.read_text(encoding="utf-8"), "run: python -m docs.tools.rooms"
    page = rooms.PAGE.read_text(encoding="utf-8")
    assert rooms.table() in page, "run: python -m docs.tools.rooms"
    assert rooms.with_table(page) == page


def test_stages_of_pram_programs_are_as_made() -> None:
    page = pram.PAGE.read_text(encoding="utf-8")
    assert all(f"<!-- pram: {name} -->" in page for name in pram.TEXTS)
    assert pram.with_texts(page) == page, "run: python -m docs.tools.pram"


def test_frames_show_what_a_build_makes(device: reedsp.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    frames = {
        path: re.findall(r'<iframe src="([./]+)steps/([\w-]+)\.html"', path.read_text(encoding="utf-8"))
        for path in PAGES
    }
    assert sorted(name for each in frames.values() for _, name in each) == sorted(steps.PAGES)
    for path, each in frames.items():
        assert {up for up, _ in each} <= {"../" * (len(path.relative_to(DOCS).parts) - 1)}
    steps.make(tmp_path / "steps")
    assert {path.stem for path in (tmp_path / "steps").iterdir()} == set(steps.PAGES)


RELIABILITY = re.findall(r"`(python [^`]+)`", (DOCS / "explanation" / "reliability.md").read_text(encoding="utf-8"))


@pytest.mark.deep
@pytest.mark.parametrize("command", [each for each in RELIABILITY if " -k " in each])
def test_commands_that_show_a_promise_find_tests(command: str) -> None:
    arguments = [*shlex.split(command)[1:], "--collect-only", "--quiet", *("-p", "no:xdist", "-p", "no:timeout")]
    collection = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert collection.returncode == 0, collection.stdout + collection.stderr


def test_commands_that_show_a_promise_name_files() -> None:
    files = [word for command in RELIABILITY for word in command.split() if word.endswith(".py")]
    assert len(files) > 15
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_every_page_is_listed() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = " ".join(re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL)).split()
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} - {"index"}
    assert [page for page in sorted(pages) if page not in trees or f"({page}.md)" not in index] == []


def test_readme_begins_as_the_tutorial_does() -> None:
    """With a virtual environment, which `typed_pages.py --fresh` makes, since Debian's own Python refuses pip."""
    environment, *_ = typed_pages.commands_of(typed_pages.TUTORIAL)
    first, *others = re.findall(r"```sh\n(.*?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert first == environment == "python3 -m venv .venv && . .venv/bin/activate"
    assert [block.split(" && ")[1] for block in others[:2]] == ["reedsp demo", "python -m pytest"]


def test_readme_example() -> None:
    names: dict[str, object] = {}
    exec(EXAMPLES[0], names)
    paths = names["paths"]
    assert isinstance(paths, reedsp.ShortestPaths)
    assert repr(paths.dist) in EXAMPLES[0]
    assert repr(paths.pred) in EXAMPLES[0]
    assert f"paths.path(3)     # {paths.path(3)}" in EXAMPLES[0]


def test_readme_reads_a_road_network(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shared_data / "dimacs-ny")
    names: dict[str, object] = {"reedsp": reedsp}
    exec(EXAMPLES[1], names)
    paths = names["paths"]
    assert isinstance(paths, reedsp.ShortestPaths)
    assert np.isfinite(paths.dist[264346 - 1])
    assert "264346" in capsys.readouterr().out  # progress=print


def test_readme_example_of_a_negative_cycle() -> None:
    debts = {"reedsp": reedsp}
    exec(EXAMPLES[2], debts)
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(debts["debts"], 0)
    assert f"# {(caught.value.cycle, caught.value.weight)}" in EXAMPLES[2]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_tables_are_those_of_the_results(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.render(text) == text, "run: python -m experiments.report.tables"


EXAMPLE = re.compile(r"^((?:reedsp|np|roads)\..*?)\s+# (array\(.*\))$", re.MULTILINE)


def test_examples_of_scans_show_what_they_return() -> None:
    names: dict[str, object] = {"reedsp": reedsp, "np": np}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "_scan(" in block:
            exec(block, names)
            for expression, expected in EXAMPLE.findall(block):
                assert re.sub(r"\s+", "", repr(eval(expression, names))) == re.sub(r"\s+", "", expected)
                shown += 1
    assert shown >= 1


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *PAGES]:
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
