"""An experiment's run can be interrupted, leaves nothing that is wrong, and its plots are those of its figures."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from experiments import __main__ as command
from experiments.lib import results
from experiments.lib.catalogue import EXPERIMENTS
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.journal import Journal
from experiments.lib.plotting import panels
from experiments.lib.results import RESULTS, read
from tests.suites.check_experiments import wrong_in_plots, wrong_in_rows

DEVICE = SimpleNamespace(name="Imaginary (tm) Processor", platform="Portable Computing Language", driver_version="1")
SETTING = Setting(DEVICE, quick=True)  # type: ignore[arg-type]
FOLDER = "pocl-imaginary"


class Fake:
    """An experiment of three cases, which can be made to fail."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.errors: dict[str, type[BaseException]] = {}
        self.experiment = Experiment("A fake.", self.cases, self.plot)

    def cases(self, setting: Setting) -> list[Case]:
        return [(label, self.case(label)) for label in "abc"]

    def case(self, label: str) -> Callable[[], Iterator[Row]]:
        def rows() -> Iterator[Row]:
            self.calls.append(label)
            yield {"case": label, "note": "{}", "min_ms": 1.5}
            if error := self.errors.get(label):
                raise error

        return rows

    def plot(self, rows: list[dict[str, str]]) -> Figure:
        figure, [axes] = panels()
        axes.plot([float(row["min_ms"]) for row in rows])
        return figure


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> dict[str, Fake]:
    """Two experiments instead of those of the catalogue."""
    made = {"first": Fake(), "second": Fake()}
    monkeypatch.setattr(command, "EXPERIMENTS", {name: fake.experiment for name, fake in made.items()})
    monkeypatch.setenv("REEDSP_COMMIT", "one")
    monkeypatch.setattr(command, "changes", lambda: "")  # others may be editing files
    return made


def run(output: Path, setting: Setting = SETTING) -> list[str]:
    return command.run(list(command.EXPERIMENTS), setting, output)


def interrupt(fake: Fake, output: Path) -> Path:
    """Run the first experiment until its second case is interrupted, and return the journal."""
    fake.errors["b"] = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        run(output)
    fake.errors.clear()
    assert fake.calls == ["a", "b"]
    fake.calls.clear()
    return output / FOLDER / ".first.journal.jsonl"


def labels(file: Path) -> list[str]:
    return [row["case"] for row in read(file)]


def test_interrupted_run_goes_on(fakes: dict[str, Fake], tmp_path: Path) -> None:
    journal = interrupt(fakes["first"], tmp_path)
    assert list((tmp_path / FOLDER).iterdir()) == [journal]
    assert run(tmp_path) == []
    assert fakes["first"].calls == ["b", "c"]
    assert fakes["second"].calls == ["a", "b", "c"]
    assert not journal.exists()
    for name in fakes:
        file = tmp_path / FOLDER / f"{name}.csv"
        assert labels(file) == ["a", "b", "c"]
        assert [*wrong_in_rows(file), *wrong_in_plots(file)] == []


def test_run_under_other_conditions_starts_anew(
    fakes: dict[str, Fake], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(fakes["first"], tmp_path)
    monkeypatch.setenv("REEDSP_COMMIT", "two")
    assert run(tmp_path) == []
    assert fakes["first"].calls == ["a", "b", "c"]
    assert {row["commit"] for row in read(tmp_path / FOLDER / "first.csv")} == {"two"}


def test_other_experiments_do_not_forget_an_interrupted_one(fakes: dict[str, Fake], tmp_path: Path) -> None:
    journal = interrupt(fakes["first"], tmp_path)
    assert command.run(["second"], SETTING, tmp_path) == []
    assert journal.exists()
    assert command.run(["first"], SETTING, tmp_path) == []
    assert fakes["first"].calls == ["b", "c"]
    assert not list((tmp_path / FOLDER).glob(".*"))


def test_run_on_other_data_starts_anew(fakes: dict[str, Fake], tmp_path: Path) -> None:
    interrupt(fakes["first"], tmp_path)
    assert run(tmp_path, replace(SETTING, data=tmp_path)) == []
    assert fakes["first"].calls == ["a", "b", "c"]


def test_run_of_other_uncommitted_code_starts_anew(
    fakes: dict[str, Fake], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(fakes["first"], tmp_path)
    monkeypatch.setattr(command, "changes", lambda: "others")
    assert run(tmp_path) == []
    assert fakes["first"].calls == ["a", "b", "c"]


def repository(folder: Path) -> Callable[..., None]:
    """Make a repository with a file and one of results, and return git."""

    def git(*arguments: str) -> None:
        of = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(folder), *of, *arguments], check=True, capture_output=True)

    (folder / "experiments" / "results").mkdir(parents=True)
    (folder / "experiments" / "lib").mkdir()
    (folder / "experiments" / "results" / "figures.csv").write_text("old")
    (folder / "code.py").write_text("old")
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    return git


def test_figures_are_of_a_commit_unless_something_else_than_results_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = repository(tmp_path)
    monkeypatch.delenv("REEDSP_COMMIT", raising=False)
    monkeypatch.setattr(results, "__file__", str(tmp_path / "experiments" / "lib" / "results.py"))
    commit = lambda: results.conditions(DEVICE)["commit"]  # type: ignore[arg-type]  # noqa: E731
    (tmp_path / "experiments" / "results" / "figures.csv").write_text("new")
    assert re.fullmatch("[0-9a-f]{12}", clean := commit())
    assert results.changes() == ""
    digests = set()
    for text in ("new", "newer"):
        (tmp_path / "code.py").write_text(text)
        assert commit() == f"{clean}-dirty"
        digests.add(results.changes())
    assert len(digests - {""}) == 2
    git("checkout", "code.py")
    assert [each[:12] for each in results.ancestors()] == [clean]


def test_where_there_is_no_git_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REEDSP_COMMIT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert results.conditions(DEVICE)["commit"] == "unknown"  # type: ignore[arg-type]
    assert (results.changes(), results.ancestors()) == ("", [])


def test_journal_survives_a_line_that_was_cut_off_anywhere(tmp_path: Path) -> None:
    file, head, rows = tmp_path / "journal", {"commit": "one"}, [{"n": 1, "note": "{}"}, {"n": 2, "note": ""}]
    journal = Journal(file, head)
    journal.add("a", rows)
    kept = len(file.read_bytes())
    journal.add("b", rows)
    whole = file.read_bytes()
    for length in range(kept, len(whole)):
        file.write_bytes(whole[:length])
        found = Journal(file, head)
        assert found.get("a") == rows
        assert found.get("b") in (None, rows)
        found.add("c", rows)
        assert Journal(file, head).get("c") == rows
    for length in range(kept):
        file.write_bytes(whole[:length])
        assert Journal(file, head).get("b") is None


def test_failed_experiment_leaves_no_file(fakes: dict[str, Fake], tmp_path: Path) -> None:
    fakes["first"].errors["c"] = WrongAnswerError
    assert run(tmp_path) == ["first"]
    assert not list((tmp_path / FOLDER).glob("first.*"))
    assert labels(tmp_path / FOLDER / "second.csv") == ["a", "b", "c"]
    fakes["first"].errors.clear()
    fakes["first"].calls.clear()
    assert run(tmp_path) == []
    assert fakes["first"].calls == ["c"]


def test_command_says_what_failed(fakes: dict[str, Fake], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "get_device", lambda name: DEVICE)
    monkeypatch.setattr(sys, "argv", ["experiments", "--quick", "--output", str(tmp_path)])
    fakes["second"].errors["a"] = WrongAnswerError
    with pytest.raises(SystemExit, match="failed: second;"):
        command.main()
    fakes["second"].errors["a"] = KeyboardInterrupt
    with pytest.raises(SystemExit, match="interrupted"):
        command.main()


def test_impossible_experiment_is_left_out(
    fakes: dict[str, Fake], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = fakes["first"]
    impossible = Experiment("A fake.", fake.cases, fake.plot, lambda setting: "one device only")
    monkeypatch.setitem(command.EXPERIMENTS, "first", impossible)
    assert run(tmp_path) == []
    assert fake.calls == []
    assert "first: left out: one device only" in capsys.readouterr().err


def test_list_names_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["experiments", "--list"])
    command.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(EXPERIMENTS)
    assert all(len(line.split()) > 2 for line in lines)


def test_unknown_name_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["experiments", "figure_9_9"])
    with pytest.raises(SystemExit) as caught:
        command.main()
    assert caught.value.code == 2
    assert "no experiment is called 'figure_9_9'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nowhere"], "--data: nowhere is no folder"),
        (["--output", "file"], "--output: file is no folder"),
        (["--device", "no such device"], "--device: device = 'no such device' fits none"),
        (["--draw", "--device", "0"], "--draw measures nothing: it takes no --device and no --data"),
        (["--draw", "--data", "."], "--draw measures nothing: it takes no --device and no --data"),
    ],
)
def test_wrong_options_are_named(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["experiments", *arguments])
    with pytest.raises(SystemExit) as caught:
        command.main()
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_draw_draws_what_is_named(fakes: dict[str, Fake], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    plots = {name: tmp_path / FOLDER / f"{name}.svg" for name in fakes}
    for plot in plots.values():
        plot.write_text("")
    monkeypatch.setattr(sys, "argv", ["experiments", "--draw", "second", "--output", str(tmp_path)])
    command.main()
    assert {name: plot.stat().st_size > 0 for name, plot in plots.items()} == {"first": False, "second": True}
    monkeypatch.setattr(sys, "argv", ["experiments", "--draw", "--output", str(tmp_path / "nothing")])
    with pytest.raises(SystemExit, match=r"nothing to draw: .*nothing has no"):
        command.main()


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*/*.csv")), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_results_are_those_of_an_experiment_and_drawn(file: Path) -> None:
    assert file.stem in EXPERIMENTS
    assert [*wrong_in_rows(file), *wrong_in_plots(file)] == []


@pytest.mark.parametrize("plot", sorted(RESULTS.glob("*/*.svg")), ids=lambda plot: f"{plot.parent.name}/{plot.stem}")
def test_plots_can_be_read_on_a_page(plot: Path) -> None:
    """A page is some 700 pixels wide: what is much wider is shown with letters that are too small."""
    width = re.search(r'<svg [^>]*width="([\d.]+)pt"', plot.read_text(encoding="utf-8"))
    assert width is not None
    assert float(width[1]) < (910 if plot.stem == "scan_trace" else 700)  # whose letters are large


@pytest.mark.parametrize(
    ("name", "told"),
    [("figure_6_1", "thesis: fewer than 4,096"), ("figure_6_2", ": thesis"), ("figure_6_3", "report: thesis, +10 %")],
)
def test_what_the_thesis_tells_is_in_its_figures(name: str, told: str) -> None:
    plots = sorted(RESULTS.glob(f"*/{name}.csv"))
    assert len(plots) > 1
    for file in plots:
        figure = EXPERIMENTS[name].plot(read(file))
        labels = [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]
        assert sum(told in label for label in labels) == 1


def test_what_is_wrong_in_files_is_noticed(fakes: dict[str, Fake], tmp_path: Path) -> None:
    run(tmp_path)
    file = tmp_path / FOLDER / "first.csv"
    for time in ("-1.5", "nan", "soon"):
        file.write_text(file.read_text().replace("1.5", time, 1))
        assert [wrong.split()[-1] for wrong in wrong_in_rows(file)] == [repr(time)]
        assert len(list(wrong_in_plots(file))) == 2
        file.write_text(file.read_text().replace(time, "1.5", 1))
    assert [*wrong_in_rows(file), *wrong_in_plots(file)] == []
    file.write_text(file.read_text().splitlines()[0])
    assert list(wrong_in_rows(file)) == [f"{file}: no rows"]
    file.with_suffix(".svg").unlink()
    file.with_suffix(".png").write_bytes(b"")
    assert [wrong.rpartition(": ")[2] for wrong in wrong_in_plots(file)] == ["0 bytes only", "missing"]
