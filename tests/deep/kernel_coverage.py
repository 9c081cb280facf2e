"""Which statements of the kernels the tests reach: builds them with a flag for each statement, and runs tests.

    python -m tests.deep.kernel_coverage [--keep FOLDER] [--report] [PYTEST ARGUMENT ...]

Without arguments the tests of all kernels run (``MODULES`` of ``mutants.py``), on the device that ``REEDSP_DEVICE``
names. ``--keep`` unites what is reached with what earlier calls with the same folder have reached, also on other
devices; with ``--report`` no test runs. What was reached in a file that has changed since does not count.

Each function gets a parameter and each kernel an argument more, the flags. A statement counts wherever a preprocessor
leaves it in; a declaration without a value is none. The statements of a macro count where it is defined.

The exit status is 1 unless every statement was reached, but those in ``UNREACHED``.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.deep.mutants import MODULES, TESTS, UNREACHED, closing
from tests.support.kernel_files import kernel_files

FOLDER = "REEDSP_COVERED_KERNELS"
"""The environment variable that tells pytest where the kernels with flags are, and are to be kept."""

INTERVAL = 10.0
"""Seconds after which what has been reached is kept again."""

FLAGS = "covered_"
PARAMETER = f"__global uint *restrict {FLAGS}"

CHANGE_KERNELS = ("tests/device/test_device.py::test_75_self_test_notices_wrong_answers",)
"""Tests that look for statements in the kernels' text, where flags stand now."""

NOT_CODE = re.compile(
    r"""//.*
    | "(?:\\.|[^"\\\n])*"
    | __attribute__\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)
    | ^WORK_GROUP\(.*\)
    | ^[ ]*\#[ ]*define[ ]+\w+(?:\([^)\n]*\))?
    | ^[ ]*\#[ ]*(?!define)(?:.*\\\n)*.*
    | \\\n""",
    re.MULTILINE | re.VERBOSE,
)
DEFINITION = re.compile(r"^ *# *define +\w+(?:\([^)\n]*\))?((?:.*\\\n)*.*)", re.MULTILINE)
CONDITIONAL = re.compile(r" *# *(if|elif|else|endif)")  # also ifdef and ifndef
DECLARATION = re.compile(r"(?!return\b)(?:__local\b[^=]*|(?:const )?\w+ \**\w+[^=(]*(?:\[[^=]*)?);")
LOOP = re.compile(r"# *define +(\w+)\([^)\n]*\)[\s\\]*for \(")
BLOCK = re.compile(r"# *define +(\w+)\([^)\n]*\)[\s\\]*\{")


def blank(text: str) -> str:
    """Return as many blanks, in as many lines."""
    return re.sub(r"[^\n]", " ", text)


# ---- statements -------------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Statement:
    """A statement of a kernel file."""

    file: str
    place: int
    line: int
    text: str


@dataclass
class Found:
    """What has to be added to a text, and where."""

    statements: set[int] = field(default_factory=set)
    wrapped: set[tuple[int, int]] = field(default_factory=set)  # bodies without braces
    functions: dict[int, str] = field(default_factory=dict)  # names, by the opening bracket of the parameters
    kernels: set[int] = field(default_factory=set)  # opening brackets of the parameters


@dataclass(frozen=True)
class Walk:
    """A walk through the statements of a text of which nothing but code is left."""

    code: str
    loops: frozenset[str]
    """Macros that stand for the head of a loop."""
    blocks: frozenset[str]
    """Macros that stand for a statement in braces."""
    found: Found

    def top(self) -> None:
        """Walk through a file."""
        start = 0
        ends = re.compile(r"[;{]")
        while match := ends.search(self.code, start):
            head, place = self.code[start : match.start()], match.start()
            bracket = start + head.find("(")
            is_function = head.rstrip().endswith(")") and "typedef" not in head
            if is_function and "__kernel" in head:
                self.found.kernels.add(bracket)
            elif is_function:
                self.found.functions[bracket] = re.findall(r"\w+", self.code[start:bracket])[-1]
            leave = self.block if is_function else functools.partial(closing, self.code)
            start = leave(place) if match[0] == "{" else match.end()

    def block(self, start: int) -> int:
        """Walk through a block; return the place behind it."""
        place = self._next(start + 1)
        while self.code[place] != "}":
            place = self._next(self._statement(place))
        return place + 1

    def _next(self, place: int) -> int:
        return place + len(self.code[place:]) - len(self.code[place:].lstrip())

    def _statement(self, start: int) -> int:
        if self.code[start] == "{":
            return self.block(start)
        match = re.compile(r"\w*").match(self.code, start)
        assert match is not None
        word, end = match[0], match.end()
        if word in ("if", "for", "while") or word in self.loops:
            self.found.statements.add(start)
            end = self._body(closing(self.code, self.code.index("(", end)))
            other = self._next(end)
            if word == "if" and re.compile(r"else\b").match(self.code, other):
                end = self._body(other + len("else"))
            return end
        if word == "do":
            self.found.statements.add(start)
            return self.code.index(";", self._body(end)) + 1
        if word in self.blocks:
            self.found.statements.add(start)
            return closing(self.code, end)
        while self.code[end] != ";":
            end = closing(self.code, end) if self.code[end] in "([{" else end + 1
        if end > start and not DECLARATION.fullmatch(re.sub(r"\s+", " ", self.code[start : end + 1])):
            self.found.statements.add(start)
        return end + 1

    def _body(self, place: int) -> int:
        start = self._next(place)
        if self.code[start] == "{":
            return self.block(start)
        end = self._statement(start)
        self.found.wrapped.add((start, end))
        return end


def variants(text: str, code: str) -> Iterator[str]:
    """Return the code with one branch of each conditional directive, so often that each branch takes part."""
    paths: list[tuple[tuple[int, int], ...]] = []  # of each line: the conditionals it is in, and the branch of each
    open_: list[tuple[int, int]] = []
    number = 0
    for line in text.split("\n"):
        directive = CONDITIONAL.match(line)
        if directive and directive[1] == "if":
            open_.append((number, 0))
            number += 1
        elif directive and directive[1] == "endif":
            open_.pop()
        elif directive:
            conditional, branch = open_.pop()
            open_.append((conditional, branch + 1))
        paths.append(tuple(open_))
    lines = code.split("\n")
    for path in sorted(set(paths)):
        chosen = dict(path)
        kept = [all(branch == chosen.get(conditional, 0) for conditional, branch in own) for own in paths]
        yield "\n".join(line if keep else " " * len(line) for line, keep in zip(lines, kept, strict=True))


def macros(folder: Path, file: str, pattern: re.Pattern[str]) -> frozenset[str]:
    """Return the names of a kind of macro that a file, or one that it includes, defines."""
    return frozenset(name for each in with_includes(folder, file) for name in pattern.findall(read(folder, each)))


@functools.cache
def with_includes(folder: Path, file: str) -> list[str]:
    """Return a file and those that it includes."""
    included = re.findall(r'^#include "([\w/]+\.cl)"', read(folder, file), re.MULTILINE)
    return [file, *(each for name in included for each in with_includes(folder, name))]


def built_with(folder: Path, file: str) -> frozenset[str]:
    """Return the files that are built together with a file: what it calls may be in one that includes it."""
    builds = (with_includes(folder, each) for each in kernel_files(folder))
    return frozenset(each for build in builds if file in build for each in build)


@functools.cache
def functions_of(folder: Path, file: str) -> frozenset[str]:
    """Return the names of the functions that a file declares or defines."""
    return frozenset(found_in(folder, file).functions.values())


def read(folder: Path, file: str) -> str:
    """Return a file without the wish to unroll loops, which would repeat all flags."""
    text = (folder / file).read_text(encoding="utf-8")
    return re.sub(r"^#pragma unroll$|\bUNROLL\b(?= for)", lambda match: blank(match[0]), text, flags=re.MULTILINE)


def found_in(folder: Path, file: str) -> Found:
    """Return what has to be added to a kernel file."""
    text = read(folder, file)
    visible = NOT_CODE.sub(lambda match: blank(match[0]), text)
    code = DEFINITION.sub(lambda match: blank(match[0]), text)
    code = NOT_CODE.sub(lambda match: blank(match[0]), code)
    found = Found()
    known = macros(folder, file, LOOP), macros(folder, file, BLOCK)
    for variant in variants(text, code):
        Walk(variant, *known, found).top()
    for match in BLOCK.finditer(text):
        Walk(visible, *known, found).block(match.end() - 1)
    return found


def statements_of(folder: Path, file: str) -> list[Statement]:
    """Return the statements of a kernel file, in the order of its text."""
    text = read(folder, file)
    places = sorted(found_in(folder, file).statements)
    lines = [text.count("\n", 0, place) for place in places]
    end = [re.compile(r"\n|$").search(text, place) for place in places]
    texts = [text[place : match.start()].rstrip(" \\") for place, match in zip(places, end, strict=True) if match]
    return [Statement(file, *each) for each in zip(places, (line + 1 for line in lines), texts, strict=True)]


def all_statements(folder: Path) -> list[Statement]:
    """Return the statements of all kernel files; the number of a flag is the place in this list."""
    return [statement for file in kernel_files(folder) for statement in statements_of(folder, file)]


def with_flags(folder: Path, file: str, first_flag: int) -> str:
    """Return a kernel file in which each statement sets its flag."""
    text, found = read(folder, file), found_in(folder, file)
    visible = NOT_CODE.sub(lambda match: blank(match[0]), text)
    added: list[tuple[int, int, str]] = []  # where, in which order, and what
    for flag, place in enumerate(sorted(found.statements), first_flag):
        added.append((place, 2, f"{FLAGS}[{flag}] = 1; "))
    for start, end in found.wrapped:
        added += [(start, 1, "{ "), (end, 0, " }")]
    for bracket in found.kernels:
        added.append((closing(visible, bracket) - 1, 0, f", {PARAMETER}"))
    names = {name for each in built_with(folder, file) for name in functions_of(folder, each)}
    for match in re.finditer(r"\b(\w+)\(", visible):
        bracket = match.end() - 1
        if match[1] in names and bracket not in found.kernels:
            word = PARAMETER if bracket in found.functions else FLAGS
            inside = visible[bracket + 1 : closing(visible, bracket) - 1].strip()
            added.append((bracket + 1, 0, word if inside in ("", "void") else f"{word}, "))
    for place, _, word in sorted(added, reverse=True):
        text = text[:place] + word + text[place:]
    return text.replace(f"({PARAMETER}void)", f"({PARAMETER})")


def write_with_flags(source: Path, folder: Path) -> None:
    """Write all kernel files anew, with flags."""
    folder.mkdir(parents=True, exist_ok=True)
    first = 0
    for file in kernel_files(source):
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(with_flags(source, file, first), encoding="utf-8")
        first += len(statements_of(source, file))


# ---- in pytest --------------------------------------------------------------------------------------


def pytest_configure(config: Any) -> None:
    """Use the kernels with flags: this file is also a plugin of pytest."""
    if FOLDER in os.environ:
        config.pluginmanager.register(Recorder(Path(os.environ[FOLDER])))


class Recorder:
    """Passes the flags to every kernel, and keeps them when the tests are over."""

    def __init__(self, folder: Path) -> None:
        import pyopencl as cl

        from reedsp.device import build
        from reedsp.device.job import BoundKernel, Job

        source = build.kernel_directory()
        self.every = all_statements(source)
        self.digests = {file: digest(source / file) for file in kernel_files(source)}
        self.file = folder / f"reached-{uuid.uuid4().hex}.json"
        self.kept = time.monotonic()
        self.flags: dict[int, tuple[cl.Context, cl.Buffer]] = {}
        build.kernel_directory = lambda: folder / "cl"
        bind = BoundKernel.__init__

        @functools.wraps(bind)
        def bind_with_flags(bound: BoundKernel, job: Job, *arguments: Any) -> None:
            bind(bound, job, *arguments)
            if bound._handle.num_args == len(bound._args) + 1:  # not in kernels that a test has written
                bound._handle.set_arg(len(bound._args), self.flags_in(job.device.context))

        BoundKernel.__init__ = bind_with_flags  # type: ignore[method-assign]

    def flags_in(self, context: Any) -> Any:
        """Return the flags of a context."""
        import numpy as np
        import pyopencl as cl

        if context.int_ptr not in self.flags:
            zeros = np.zeros(len(self.every), np.uint32)
            access = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            self.flags[context.int_ptr] = context, cl.Buffer(context, access, hostbuf=zeros)
        return self.flags[context.int_ptr][1]

    def pytest_runtest_logfinish(self) -> None:
        """Keep what has been reached so far: no end of the tests may be seen here."""
        if time.monotonic() - self.kept > INTERVAL:
            self.pytest_sessionfinish()

    def pytest_sessionfinish(self) -> None:
        """Keep what has been reached in this process."""
        import numpy as np
        import pyopencl as cl

        reached = np.zeros(len(self.every), bool)
        for context, buffer in self.flags.values():
            flags = np.empty(len(self.every), np.uint32)
            cl.enqueue_copy(cl.CommandQueue(context), flags, buffer)
            reached |= flags != 0
        kept: dict[str, list[int]] = {}
        for statement, is_reached in zip(self.every, reached, strict=True):
            if is_reached:
                kept.setdefault(f"{statement.file} {self.digests[statement.file]}", []).append(statement.place)
        self.file.write_text(json.dumps(kept))
        self.kept = time.monotonic()


def digest(file: Path) -> str:
    """Return what tells a text from what it was before a change."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


# ---- the command ------------------------------------------------------------------------------------


def run_tests(folder: Path, arguments: list[str]) -> int:
    """Run tests with flags and without anybody else's caches; return their exit status."""
    from reedsp.device import build

    write_with_flags(build.kernel_directory(), folder / "cl")
    modules = dict.fromkeys(module for modules in MODULES.values() for module in modules)
    if not any(argument.split("::")[0].endswith(".py") for argument in arguments):
        arguments = [*arguments, *(str(TESTS / module) for module in modules)]
    environment = {
        **os.environ,
        FOLDER: str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "POCL_CACHE_DIR": str(folder / "pocl"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(TESTS.parent), os.environ.get("PYTHONPATH", "")])),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.deep.kernel_coverage", "-p", "no:cacheprovider"]
    command += [f"--deselect={test}" for test in CHANGE_KERNELS]
    return subprocess.run([*command, *arguments], env=environment, cwd=TESTS.parent).returncode


def reached_in(folder: Path) -> set[tuple[str, int]]:
    """Return the file and place of each statement of the present kernels that was reached."""
    from reedsp.device import build

    source = build.kernel_directory()
    present = {f"{file} {digest(source / file)}": file for file in kernel_files(source)}
    kept = [json.loads(file.read_text()) for file in folder.glob("reached-*.json")]
    return {(present[key], place) for each in kept for key in each if key in present for place in each[key]}


def is_complete(folder: Path) -> bool:
    """Print how many statements of each file were reached, and which were not; return whether all were."""
    from reedsp.device import build

    reached = reached_in(folder)
    every = [each for each in all_statements(build.kernel_directory()) if (each.file, each.text) not in UNREACHED]
    missed = [each for each in every if (each.file, each.place) not in reached]
    for file in dict.fromkeys(each.file for each in every):
        count, left = (sum(each.file == file for each in some) for some in (every, missed))
        print(f"{file:<36}  {count - left:>4} of {count:>4}")
    print(f"{'all':<36}  {len(every) - len(missed):>4} of {len(every):>4}")
    for each in missed:
        print(f"not reached: cl/{each.file}:{each.line}: {each.text}")
    return not missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="add to what was reached before")
    parser.add_argument("--report", action="store_true", help="run nothing")
    arguments, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        status = 0 if arguments.report else run_tests(folder, rest)
        complete = is_complete(folder)
        sys.exit(status or not complete)


if __name__ == "__main__":
    main()
