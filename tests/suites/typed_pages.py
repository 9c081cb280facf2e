"""Type what pages of the documentation show, and compare what comes back with what they say.

    python -m tests.suites.typed_pages [--fresh] [PAGE ...]

Blocks of a page are typed from its beginning to its end, in an empty folder. In a ``console`` block each line that
begins with "$ " goes to one shell, and the lines below it are what is printed; in a ``pycon`` block each line that
begins with ">>> " or "... " goes to one Python; a ``python`` block is run as it stands. "..." stands for anything, and
spaces are not compared. Without PAGE all pages that have ``console`` or ``pycon`` blocks are typed.

Commands that install something are left out, but with --fresh: then those of the tutorial, which make a virtual
environment, and those of the pages are typed first, in a copy of this checkout, and that environment types the pages.
Only the standard library is imported, so that a page has to say what it needs.
"""

from __future__ import annotations

import argparse
import difflib
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial" / "five-minutes.md"

_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_END = "typed-pages-end-of-output"


@dataclass(frozen=True)
class Block:
    """A piece of code on a page, with the number of its first line."""

    line: int
    language: str
    text: str


def typed_pages() -> list[Path]:
    """Return the pages that promise to be typed."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [page for page in pages if any(block.language in ("console", "pycon") for block in blocks(page))]


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of code of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        yield Block(text.count("\n", 0, found.start(2)) + 1, found[1], found[2])


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a ``console`` block, with the lines that it goes on in, and what is to be printed."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        while command.endswith("\\") or _open_here_document(command):
            command += "\n" + rest.pop(0)
        yield command, "\n".join(rest)


def commands_of(page: Path) -> Iterator[str]:
    """Yield every command of a page."""
    for block in blocks(page):
        if block.language == "console":
            yield from (command for command, _ in commands(block.text))


def _open_here_document(command: str) -> bool:
    mark = re.search(r"<<\s*'?(\w+)'?", command)
    return mark is not None and command.splitlines()[-1] != mark[1]


class Shell:
    """One bash, in which what a command sets holds for those after it."""

    def __init__(self) -> None:
        # The commands of this Python, whether its environment is activated or not.
        search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self._bash = subprocess.Popen(
            ["bash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": search},
        )

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *error: object) -> None:
        self._bash.communicate()

    def type(self, command: str) -> str:
        """Run a command and return what it prints, errors included."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._bash.stdin.write(f"{command}\necho; echo {_END}\n")
        self._bash.stdin.flush()
        lines = []
        for line in self._bash.stdout:
            if line == f"{_END}\n":
                return "".join(lines)[:-1]
            lines.append(line)
        raise SystemExit(f"the shell ended at: {command}")


class Page:
    """A page that is being typed.

    Attributes
    ----------
    faults : list of str
        What came back otherwise than the page says.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[str] = []
        self._names: dict[str, object] = {"__name__": "__main__"}

    def type(self) -> None:
        """Type all blocks in turn."""
        with Shell() as shell:
            for block in blocks(self.path):
                if block.language == "console":
                    self._type_commands(block, shell)
                elif block.language == "pycon":
                    self._type_examples(block)
                elif block.language == "python":
                    self._run(block)

    def _type_commands(self, block: Block, shell: Shell) -> None:
        for command, expected in commands(block.text):
            if not installs(command):
                self._compare(block, command, expected, shell.type(command))

    def _type_examples(self, block: Block) -> None:
        name = f"{self.path.name}:{block.line}"
        test = doctest.DocTestParser().get_doctest(block.text, self._names, name, str(self.path), block.line - 1)
        runner = doctest.DocTestRunner(optionflags=_OPTIONS)
        reports: list[str] = []
        runner.run(test, out=reports.append, clear_globs=False)
        self._names = test.globs
        if runner.failures:
            self.faults.append("".join(reports))

    def _run(self, block: Block) -> None:
        try:
            exec(compile(block.text, f"{self.path.name}:{block.line}", "exec"), self._names)
        except Exception as error:
            self.faults.append(f"{self.path.name}:{block.line}: {type(error).__name__}: {error}\n")

    def _compare(self, block: Block, command: str, expected: str, printed: str) -> None:
        if doctest.OutputChecker().check_output(expected.strip() + "\n", printed.strip() + "\n", _OPTIONS):
            return
        difference = difflib.unified_diff(expected.splitlines(), printed.splitlines(), "page", "printed", lineterm="")
        self.faults.append(f"{self.path.name}:{block.line}: $ {command}\n" + "\n".join(difference) + "\n")


def installs(command: str) -> bool:
    """Return whether a command makes the environment that the others need."""
    return "pip install" in command or "-m venv" in command


def type_pages(pages: list[Path]) -> int:
    """Type pages, print what is otherwise than they say, and return the exit status."""
    os.environ["COLUMNS"] = "80"
    os.environ.pop("REEDSP_HOST", None)  # pages show what users see
    status = 0
    for path in pages:
        with tempfile.TemporaryDirectory(prefix="typed-page-") as folder:
            os.chdir(folder)
            page = Page(path.resolve())
            page.type()
            os.chdir(ROOT)
        print(f"{path.name}: {'as it says' if not page.faults else 'NOT as it says'}", *page.faults, sep="\n")
        status |= bool(page.faults)
    return status


def type_in_fresh_environment(pages: list[Path]) -> int:
    """Do what the tutorial says about installing, in a checkout that has nothing, and type pages there."""
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        copy = Path(folder, "reedsp")
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=ignored)
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        typed = [each for page in dict.fromkeys([TUTORIAL, *pages]) for each in commands_of(page) if installs(each)]
        print(*(f"$ {command}" for command in typed), sep="\n", flush=True)
        subprocess.run(["bash", "-ec", "\n".join(typed)], cwd=copy, env=variables, check=True)
        typist = [copy / ".venv" / "bin" / "python", "-P", __file__, *pages]
        return subprocess.run(typist, cwd=folder, env=variables, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="in a new virtual environment")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    options = parser.parse_args()
    pages = [page.resolve() for page in options.pages] or typed_pages()
    return type_in_fresh_environment(pages) if options.fresh else type_pages(pages)


if __name__ == "__main__":
    sys.exit(main())
