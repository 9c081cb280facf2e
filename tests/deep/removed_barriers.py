"""Remove the barriers of the kernels, one at a time, and show that Oclgrind notices.

    oclgrind --data-races --uninitialized --max-errors 20 --log LOG python -m tests.deep.removed_barriers [FIRST [STEP]]

From the first to the last by steps; without numbers, all. Each is removed for a child process of its own, which has
imported everything already, makes the checks of :mod:`tests.deep.under_oclgrind` of that file, and writes to ``LOG.N``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from reedsp.device import build
from tests.deep import under_oclgrind

Barrier = tuple[Path, re.Match[str]]


def barriers(folder: Path) -> list[Barrier]:
    """Return every barrier of the kernel sources."""
    return [
        (file, match)
        for file in sorted(folder.rglob("*.cl"))
        for match in re.finditer(r"^ *barrier\(.*\n", file.read_text(), re.MULTILINE)
    ]


def is_noticed(barrier: Barrier, folder: Path, log: Path) -> bool:
    """Return whether there is an entry in the log of a process whose kernels lack a barrier."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "cl"
        shutil.copytree(folder, copy)
        remove(barrier, copy / barrier[0].relative_to(folder))
        if (child := os.fork()) == 0:
            make_checks(barrier[0].relative_to(folder), copy, log)
        os.waitpid(child, 0)
    return log.exists() and log.stat().st_size > 0


def remove(barrier: Barrier, file: Path) -> None:
    """Leave a line empty."""
    text, match = file.read_text(), barrier[1]
    file.write_text(text[: match.start()] + "\n" + text[match.end() :])


def make_checks(file: Path, copy: Path, log: Path) -> None:
    """Make the checks of a file with the kernels of a folder, and end the process, which is a child."""
    status = 1
    try:
        os.environ["OCLGRIND_LOG"] = os.fspath(log)
        build.kernel_directory = lambda: copy
        under_oclgrind.until_noticed(file.as_posix())
        status = 0
    except Exception as error:  # a wrong answer, which is no entry in the log
        print(f"{type(error).__name__}: {error}"[:500], file=sys.stderr)
    finally:
        os._exit(status)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("step", type=int, nargs="?", default=1)
    arguments = parser.parse_args()
    folder, log = build.kernel_directory(), Path(os.environ["OCLGRIND_LOG"])
    every, missed = barriers(folder), []
    chosen = range(arguments.first, len(every), arguments.step)
    for number in chosen:
        file, match = every[number]
        place = f"{file.relative_to(folder)}, line {file.read_text().count(chr(10), 0, match.start()) + 1}"
        if not is_noticed(every[number], folder, log.with_name(f"{log.name}.{number}")):
            missed.append(place)
            print(f"barrier {number} is not missed: {place}", flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} removed barriers are noticed, of {len(every)} that there are")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
