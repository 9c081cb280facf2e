"""Which ``raise`` statements of reedsp no test has reached, by the data of coverage.

    python -m coverage run -m pytest
    python -m coverage combine
    python -m tests.deep.raises [--data .coverage]

``coverage combine`` also unites data files of several machines. The exit status is 1 unless every statement was
reached, but those in ``UNREACHABLE``.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "reedsp"

UNREACHABLE: dict[tuple[str, str], str] = {}
"""Statements that no test can reach, by module and first line, and why."""


def raises(source: str) -> list[ast.Raise]:
    """Return the ``raise`` statements of a module, in the order of its lines."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise))
    return sorted(found, key=lambda node: node.lineno)


def lines_run(data: Path) -> dict[str, set[int]]:
    """Return the lines of each module of reedsp that have run."""
    from coverage import CoverageData

    measured = CoverageData(str(data))
    measured.read()
    found: dict[str, set[int]] = {}
    for file in measured.measured_files():
        if PACKAGE.name in Path(file).parts:
            inside = Path(file).parts[::-1].index(PACKAGE.name)
            found.setdefault("/".join(Path(file).parts[-inside:]), set()).update(measured.lines(file) or ())
    return found


def missed(run: dict[str, set[int]]) -> Iterator[tuple[str, int, str]]:
    """Return module, line number and first line of each statement that was not reached and could be."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text, name = file.read_text(encoding="utf-8"), file.relative_to(PACKAGE).as_posix()
        for node in raises(text):
            line = text.splitlines()[node.lineno - 1].strip()
            reached = run.get(name, set()) & set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if not reached and (name, line) not in UNREACHABLE:
                yield name, node.lineno, line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(".coverage"), help="data that coverage has combined")
    arguments = parser.parse_args()
    if not arguments.data.is_file():
        parser.error(f"there is no {arguments.data}")
    count = sum(len(raises(file.read_text(encoding="utf-8"))) for file in PACKAGE.rglob("*.py"))
    left = list(missed(lines_run(arguments.data)))
    for file, number, line in left:
        print(f"not reached: reedsp/{file}:{number}: {line}")
    print(f"{count - len(UNREACHABLE) - len(left)} of {count - len(UNREACHABLE)} raise statements reached")
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
