"""Programs for a parallel random access machine, with the processors that are active."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from reedsp.device.device import Device
from reedsp.device.job import Launched
from reedsp.pram import examples
from reedsp.pram.compiler.kernels import Argument, Source
from reedsp.pram.program import Program, Result
from reedsp.viewer.inputs import Input
from reedsp.viewer.recorder import Moment, Recorder, dtype_of
from reedsp.viewer.roles.role import Array
from reedsp.viewer.story import State, Story, Values, as_json, changed, counted

_ACTIVE = "active"
_WRITTEN = ("next", "private", "after")
_READ = ("array", "private", "before", "active")


def _of_type(values: Any, kind: str) -> Any:
    """Return the input as a program takes it; one of integers takes no fractions."""
    if kind in ("float32", "float64"):
        return values
    whole = values.astype(np.int64)
    if (whole != values).any():
        raise ValueError("input: integers are expected by this program")
    return whole


class ProgramStory(Story):
    """A program, compiled without optimisations: each statement is a launch, and so is each condition.

    Parameters
    ----------
    program : Program
    n : int, optional
        Processors; by default one for each element.
    others : mapping, optional
        The global arrays and variables beside the first one, which the input is.
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
        others: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(device)
        self.program = examples.scan if program is None else program
        self.values = given.as_array
        self.n = self.values.size if n is None else n
        tree = self.program.tree
        self.main = next(iter(tree.globals))
        self.given = {self.main: _of_type(self.values, tree.globals[self.main].type), **(others or {})}
        self.source: Source = self.program._source(frozenset(), "bitset", check=False)
        self.found: Result | None = None
        self._written: dict[str, set[int]] = {}  # by private variable, the processors that have assigned to it
        self.title = f"PRAM program {tree.name} ({tree.mode})"
        self.arrays = {self.main: Array(f"the global array {self.main}", "elements", "value")}
        for kernel in self.source.kernels.values():
            for each in kernel.arguments:
                if each.role == "next" and each.name != self.main:
                    self.arrays[each.name] = Array(f"the global array {each.name}", "cells", "value")
                elif each.role == "private":
                    self.arrays[each.name] = Array(f"{each.name} of each processor", "cells", "value")
        self.arrays[_ACTIVE] = Array("1 for each processor that is in the last set", "cells", "flag")

    def run(self) -> None:
        """Run the program."""
        self.found = self.program.run(self.n, device=self.device, optimizations=(), **self.given)

    def record(self) -> Recorder:
        """Run once, to know how long the arrays are, and then record."""
        self.run()
        recorder = _ProgramRecorder(self.program.tree.name, self.source)
        with recorder.active():
            self.run()
        return recorder

    def answer(self) -> State:
        """Return the global arrays that the program leaves."""
        assert self.found is not None
        shown = [name for name in self.found if name in self.arrays]
        return {name: [as_json(each) for each in np.asarray(self.found[name]).tolist()] for name in shown}

    def shape(self, name: str) -> list[int]:
        """Return how many cells an array has; a private variable has one for each processor."""
        assert self.found is not None
        return [len(self.found[name]) if name in self.found else self.n]

    def first(self) -> dict[str, Values]:
        """Return the global arrays as they are given; all processors are active."""
        found: dict[str, Values] = {name: [None] * self.shape(name)[0] for name in self.arrays}
        for name in found:
            if name in self.given:
                found[name] = [as_json(each) for each in np.asarray(self.given[name]).tolist()]
        return {**found, _ACTIVE: [1] * self.n}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return an array; what no processor has written yet is not shown."""
        values = super().shown(name, moment)
        if values is None or name == _ACTIVE or name in (self.found or {}):
            return values
        written = self._written.setdefault(name, set())
        written |= set(self._workers(moment))
        return [value if index in written else None for index, value in enumerate(values)]

    def _workers(self, moment: Moment) -> list[int]:
        flags = moment.buffers.get(_ACTIVE)
        return list(range(self.n)) if flags is None else np.flatnonzero(flags[: self.n]).tolist()

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return the statement or the condition, and how many processors or cells it is about."""
        assert moment.lines is not None
        text = self.source.text.splitlines()
        statement = text[moment.lines[0] - 2].removeprefix("//").strip()
        if _ACTIVE in moment.writes:
            return f"{statement}: {counted(sum(after[_ACTIVE]), 'processor is', 'processors are')} active"
        cells = sum(len(changed(before[name], after[name])) for name in moment.writes)
        return f"{statement}: {counted(len(self._workers(moment)), 'processor')}, {counted(cells, 'cell')} changed"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the processors that are in the set."""
        return self._workers(moment)


class _ProgramRecorder(Recorder):
    """Knows the roles of arguments from the compiler, and nothing of kernels that it did not write."""

    def __init__(self, name: str, source: Source) -> None:
        super().__init__({})
        self._file, self._source = f"{name}.cl", source
        self.sources[self._file] = source.text

    def _keep(self, launched: Launched) -> None:
        if (kernel := self._source.kernels.get(launched.kernel.name)) is None:
            return
        given = list(enumerate(kernel.arguments))
        lines = self._source.text.splitlines()
        [first] = [number for number, line in enumerate(lines, 1) if f"__kernel void {kernel.name}(" in line]
        last = next(number for number in range(first, len(lines) + 1) if lines[number - 1] == "}")
        left = {
            _name_of(each): launched.read(position).view(dtype_of(_type_of(each), {}))
            for position, each in given
            if each.role in _WRITTEN and (each.role != "private" or f"{each.name}_of[p] = " in kernel.text)
        }
        flags: dict[str, Any] = {}
        for position, each in given:
            if each.role in ("active", "before"):
                flags[_ACTIVE] = launched.read(position).view(np.int32)
        reads = dict.fromkeys(_name_of(each) for _, each in given if each.role in _READ)
        self.moments.append(
            Moment(
                *(self._file, kernel.name, (first, last), {}, launched.global_size, launched.local_size, {}),
                *(tuple(reads), tuple(left), left, flags),
            )
        )


def _name_of(argument: Argument) -> str:
    return argument.name or _ACTIVE


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
