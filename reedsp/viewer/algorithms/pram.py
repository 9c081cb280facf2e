"""Programs for a parallel random access machine, with the processors that are active."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device.device import Device
from reedsp.device.job import Launched
from reedsp.pram import examples
from reedsp.pram.compiler.kernels import Argument, Source
from reedsp.pram.memory import Memory, array_of, memory_of, processors_of
from reedsp.pram.program import Program, Result
from reedsp.pram.tree import DTYPES, Global, Private, Tree
from reedsp.viewer.inputs import LARGEST_LENGTH, Input
from reedsp.viewer.recorder import Moment, Recorder, dtype_of
from reedsp.viewer.roles.role import Array
from reedsp.viewer.story import State, Story, Values, as_json, changed, counted

_FLAGS = "active"  # among the buffers of a moment
_WRITTEN = ("next", "private", "after")
_READ = ("array", "private", "before", "active")

MOST_CELLS = 10 * LARGEST_LENGTH
"""Of an array that the program declares, those of all processors together."""

MOST_ROUNDS = 1_000
"""As often as a loop may begin again, if the caller does not say."""

MOST_LAUNCHES = 3_000
"""Of statements and conditions."""

MOST_INTERPRETED = 100_000
"""Statements and conditions of all processors together: for more, kernels that check are built sooner."""

_BEYOND = np.float64(2.0**63)  # all int64; halves are compared with it in float64


def _of_type(values: npt.NDArray[Any], declared: Global) -> npt.NDArray[Any]:
    """Return the input as a program takes it; one of integers takes no fractions, one of booleans takes 0 and 1."""
    if declared.type == "boolean" and values.dtype.kind != "b":
        wrong = (values != 0) & (values != 1)
        if wrong.any():
            place = int(wrong.argmax())
            raise ValueError(f"input: 0 and 1 are expected by this program, and element {place} is {values[place]}")
        values = values.astype(bool)
    if values.dtype.kind == "f" and declared.type not in ("float32", "float64"):
        wrong = ~((values >= -_BEYOND) & (values < _BEYOND) & (values == np.floor(values)))
        if wrong.any():
            place = int(wrong.argmax())
            raise ValueError(f"input: integers are expected by this program, and element {place} is {values[place]}")
        values = values.astype(np.int64)
    return array_of(dataclasses.replace(declared, name="input"), values)


def _checked(program: Any) -> Program:
    if not isinstance(program, Program):
        raise TypeError(f"program: a program of reedsp.pram is expected, got {program!r}")
    return program


def _main_of(tree: Tree) -> str:
    """Return the name of the array that the input is."""
    for each in tree.globals.values():
        if each.size is None and not each.single:
            return each.name
    raise ValueError(f"program: {tree.name} has no parameter that is an array, which the input could be")


def _beside(others: Any, tree: Tree, main: str) -> dict[str, Any]:
    """Return what is given beside the input."""
    if not isinstance(others, Mapping):
        raise TypeError(f"others: a mapping from names of parameters is expected, got {others!r}")
    for name in others:
        if name == main or name not in tree.globals:
            raise ValueError(f"others: {name!r} is no parameter of {tree.name} beside {main}, which the input is")
    return dict(others)


def _memory_of(tree: Tree, n: int, given: Mapping[str, Any]) -> Memory:
    """Return the memory that the program begins with, no array of which is too long to be traced."""
    if n > LARGEST_LENGTH:
        raise ValueError(f"n: at most {LARGEST_LENGTH:,} processors can be traced, got {n:,}")
    memory = memory_of(tree, n, given)
    for name in given:
        if (size := memory[name].size) > LARGEST_LENGTH:
            raise ValueError(f"others: at most {LARGEST_LENGTH:,} elements can be traced, {name} has {size:,}")
    sizes = {each.name: n * (each.size or 1) for each in tree.privates.values()}
    for name, size in (sizes | {name: array.size for name, array in memory.items()}).items():
        if size > MOST_CELLS:
            raise ValueError(
                f"n: at most {MOST_CELLS:,} cells can be traced, with {n:,} processors {name} has {size:,}"
            )
    return memory


class ProgramStory(Story):
    """A program, compiled without optimisations: each statement is a launch, and so is each condition.

    Parameters
    ----------
    program : Program
    n : int, optional
        Processors; by default one for each element.
    others : mapping, optional
        The global arrays and variables beside the first array, which the input is.
    max_rounds : int
        As often as a loop may begin again.
    """

    title = "PRAM program"
    paper = "Dulle, chapters 2 and 4"
    kernels = {}  # noqa: RUF012 - of generated ones the compiler knows the roles

    def __init__(
        self,
        given: Input,
        device: Device,
        program: Program | None = None,
        n: int | None = None,
        others: Mapping[str, Any] | None = None,
        max_rounds: int = MOST_ROUNDS,
    ) -> None:
        super().__init__(device)
        self.program = examples.scan if program is None else _checked(program)
        self.values = given.as_array
        self.n = self.values.size if n is None else processors_of(n)
        tree = self.program.tree
        self.main = _main_of(tree)
        beside = {} if others is None else _beside(others, tree, self.main)
        self.given = {self.main: _of_type(self.values, tree.globals[self.main]), **beside}
        self.max_rounds = max_rounds
        self.memory = _memory_of(tree, self.n, self.given)
        self.source: Source = self.program._source(frozenset(), "bitset", check=False)
        self.found: Result | None = None
        self._written: dict[str, set[int]] = {}  # by private variable, the processors that have assigned to it
        self.title = f"PRAM program {tree.name} ({tree.mode})"
        self.arrays = {self.main: Array(f"the global array {self.main}", "elements", "value")}
        for kernel in self.source.kernels.values():
            for each in kernel.arguments:
                if each.role == "next" and each.name != self.main:
                    word = "variable" if tree.globals[each.name].single else "array"
                    self.arrays[each.name] = Array(f"the global {word} {each.name}", "cells", "value")
                elif each.role == "private":
                    size = tree.privates[each.name].size
                    cells = "" if size is None else f", {counted(size, 'cell')} one after the other"
                    self.arrays[each.name] = Array(f"{each.name} of each processor{cells}", "cells", "value")
        self.set = "active_" if "active" in self.arrays else "active"  # no name of a program ends so
        self.arrays[self.set] = Array("1 for each processor that is in the last set", "cells", "flag")

    def run(self) -> None:
        """Run the program."""
        self.found = self._run()

    def _run(self, check: bool = False) -> Result:
        how: dict[str, Any] = {"max_rounds": self.max_rounds, "device": self.device, "optimizations": ()}
        return self.program.run(self.n, check=check, **how, **self.given)

    def record(self) -> Recorder:
        """Record the only run, since a program has no trials, and then run it again to notice what is wrong in it.

        The recorder limits how long a program is; so this comes second. The interpreter does it, unless it would take
        long; but it alone knows of two processors that read a cell, which EREW forbids.
        """
        recorder = _ProgramRecorder(self.program.tree.name, self.source, self.set)
        with recorder.active():
            self.run()
        if self.program.tree.mode == "EREW" or len(recorder.moments) * self.n <= MOST_INTERPRETED:
            self.program.run(self.n, method="interpreter", max_rounds=self.max_rounds, **self.given)
        else:
            self._run(check=True)
        return recorder

    def answer(self) -> State:
        """Return the global arrays that the program leaves."""
        assert self.found is not None
        shown = [name for name in self.found if name in self.arrays]
        return {name: _in_json(self.found[name]) for name in shown}

    def shape(self, name: str) -> list[int]:
        """Return how many cells an array has; a private variable has one for each processor."""
        private = self.program.tree.privates.get(name)
        own = 1 if private is None else private.size or 1
        return [self.memory[name].size if name in self.memory else self.n * own]

    def dtypes(self) -> dict[str, str]:
        """Return the types that the program declares or infers."""
        tree = self.program.tree
        declared: list[Global | Private] = [*tree.globals.values(), *tree.privates.values()]
        return {each.name: str(DTYPES[each.type]) for each in declared}

    def first(self) -> dict[str, Values]:
        """Return the global arrays as they are given, or zeros, as in private ones; all processors are active."""
        tree = self.program.tree
        found: dict[str, Values] = {name: [None] * self.shape(name)[0] for name in self.arrays}
        for name in found:
            if name in self.memory:
                found[name] = _in_json(self.memory[name])
            elif name in tree.privates and tree.privates[name].size is not None:
                found[name] = [0] * len(found[name])
        return {**found, self.set: [1] * self.n}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return an array; what no processor has written yet is not shown."""
        values = super().shown(name, moment)
        if values is None or name == self.set or name in self.memory:
            return values
        if (size := self.program.tree.privates[name].size) is not None:  # the device has it cell by cell
            return [values[cell * self.n + p] for p, cell in itertools.product(range(self.n), range(size))]
        written = self._written.setdefault(name, set())
        written |= set(self._workers(moment))
        return [value if index in written else None for index, value in enumerate(values)]

    def _workers(self, moment: Moment) -> list[int]:
        flags = moment.buffers.get(_FLAGS)
        return list(range(self.n)) if flags is None else np.flatnonzero(flags[: self.n]).tolist()

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return the statement or the condition, and how many processors or cells it is about."""
        assert moment.lines is not None
        text = self.source.text.splitlines()
        statement = text[moment.lines[0] - 2].removeprefix("//").strip()
        if self.set in moment.writes:
            return f"{statement}: {counted(sum(after[self.set]), 'processor is', 'processors are')} active"
        cells = sum(len(changed(before[name], after[name])) for name in moment.writes)
        return f"{statement}: {counted(len(self._workers(moment)), 'processor')}, {counted(cells, 'cell')} changed"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the processors that are in the set."""
        return self._workers(moment)


class _ProgramRecorder(Recorder):
    """Knows the roles of arguments from the compiler, and nothing of kernels that it did not write."""

    def __init__(self, name: str, source: Source, active: str) -> None:
        super().__init__({})
        self._name, self._file, self._source, self._active = name, f"{name}.cl", source, active
        self.sources[self._file] = source.text

    def _keep(self, launched: Launched) -> None:
        if (kernel := self._source.kernels.get(launched.kernel.name)) is None:
            return
        if len(self.moments) == MOST_LAUNCHES:
            raise ValueError(f"program: at most {MOST_LAUNCHES:,} launches can be traced, {self._name} takes more")
        given = list(enumerate(kernel.arguments))
        lines = self._source.text.splitlines()
        [first] = [number for number, line in enumerate(lines, 1) if f"__kernel void {kernel.name}(" in line]
        last = next(number for number in range(first, len(lines) + 1) if lines[number - 1] == "}")
        left = {
            each.name or self._active: launched.read(position).view(dtype_of(_type_of(each), {}))
            for position, each in given
            if each.role in _WRITTEN and (each.role != "private" or each.name in kernel.stored)
        }
        flags: dict[str, Any] = {}
        for position, each in given:
            if each.role in ("active", "before"):
                flags[_FLAGS] = launched.read(position).view(np.int32)
        reads = dict.fromkeys(each.name or self._active for _, each in given if each.role in _READ)
        self.moments.append(
            Moment(
                *(self._file, kernel.name, (first, last), {}, launched.global_size, launched.local_size, {}),
                *(tuple(reads), tuple(left), left, flags),
            )
        )


def _in_json(values: Any) -> Values:
    """Return an array, or a variable, as JSON has it."""
    return [as_json(each) for each in np.ravel(values).tolist()]


def _type_of(argument: Argument) -> str:
    found = re.search(r"__global (?:const )?(\w+)", argument.declaration)
    assert found is not None
    return found[1]


class ReductionProgram(ProgramStory):
    """Sums by a stride that doubles."""

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device, examples.reduction, -(-given.as_array.size // 2))


class EfficientScanProgram(ProgramStory):
    """A scan by a tree, up and down."""

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device, examples.efficient_scan, max(1, given.as_array.size // 2))
