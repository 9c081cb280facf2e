"""Say of each file of results by which device it was measured, and at which commits.

    python -m experiments.report.provenance

A commit is "unknown" if it is no ancestor of the checked-out one: figures were taken before history was rewritten, or
of a state that was not kept. It is "dirty" if files differed from it. ``experiments/results/unknown_commits.txt`` lists
the files that name such commits; it may become shorter only, as they are measured again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.lib.results import RESULTS, ancestors, read

RECORDED = RESULTS / "unknown_commits.txt"


def name_of(file: Path) -> str:
    """Return how the list names a file: by its folder and itself."""
    return f"{file.parent.name}/{file.name}"


def doubts(commit: str, known: Sequence[str]) -> list[str]:
    """Return what keeps a reader from checking this commit out."""
    number, _, dirty = commit.partition("-")
    found = any(each.startswith(number) for each in known)
    return ["unknown"] * (not found) + ["dirty"] * bool(dirty)


def unknown(known: Sequence[str]) -> dict[str, list[str]]:
    """Return the files that name commits which cannot be checked out, and these commits."""
    found = {}
    for file in sorted(RESULTS.glob("*/*.csv")):
        commits = sorted({row["commit"] for row in read(file)})
        if doubtful := [commit for commit in commits if doubts(commit, known)]:
            found[name_of(file)] = doubtful
    return found


def recorded() -> list[str]:
    """Return the files that are known to name such commits."""
    return RECORDED.read_text(encoding="utf-8").split()


def main() -> None:
    known = ancestors()
    for file in sorted(RESULTS.glob("*/*.csv")):
        rows = read(file)
        devices = sorted({row["device"] for row in rows})
        commits = sorted({row["commit"] for row in rows})
        said = [" ".join([commit, *(f"({each})" for each in doubts(commit, known))]) for commit in commits]
        print(f"{name_of(file)}: {', '.join(devices)}: {', '.join(said)}")


if __name__ == "__main__":
    main()
