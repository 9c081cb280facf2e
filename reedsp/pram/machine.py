"""Runs a plan on a device: buffers, sets of active processors as flags or as lists, launches, and the host's part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Argument as Given
from reedsp.device.job import BoundKernel, Job, Kernel
from reedsp.pram.compiler import proofs
from reedsp.pram.compiler.kernels import Argument, Method, Source, claims_needed
from reedsp.pram.compiler.plan import (
    Branch,
    HostAssign,
    HostIf,
    HostWhile,
    Launch,
    Loop,
    Plan,
    Repeat,
    Step,
)
from reedsp.pram.errors import ConflictError, EndlessLoopError, OutOfRangeError, RunError, UndefinedError
from reedsp.pram.host import HostValues
from reedsp.pram.memory import Memory
from reedsp.pram.rounds import Limits
from reedsp.pram.tree import (
    DTYPES,
    Expression,
    If,
    Number,
    Position,
    Range,
    Scalar,
    Statement,
    While,
)
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import PLAIN_GROUP_SIZE, Buffers, Compaction, Elements
from reedsp.primitives.plans import Plan as Kernels
from reedsp.primitives.scan import plan_reduce, plan_scan

_FAULT_WORDS = 4
_LARGEST_SITE = (1 << 31) - 1
_UNKNOWN_ROUNDS = 32  # of a loop in a kernel, about which nothing is known before it runs
_UNSEEN_ROUNDS = 16  # of a loop that the host counts, before it waits to know whether a processor is left
_FREE = np.uint32(0xFFFFFFFF)  # a cell that no processor claims
_PLANS_KEPT = 64
_STEPS_OF_A_LAUNCH = 1 << 12  # at least, so that no more than a thousand are waiting
_CHANGING = frozenset({"before", "after", "active", "list", "count", "array", "next", "number", "first"})
"""What a kernel is given, by role, that may be another thing in its next launch."""


@dataclass
class _Queued:
    """A kernel as it was queued last.

    Attributes
    ----------
    bound : BoundKernel
    given : list
        Its arguments.
    steps : int
        That a launch counts as, if it is not cut into dispatches, which count themselves.
    is_cut : bool
    state : tuple
        When the arguments were up to date.
    """

    bound: BoundKernel
    given: list[Given]
    steps: int
    is_cut: bool
    state: tuple[int, int, bool] = (-1, 0, False)


@dataclass
class _Facts:
    """What is the same in all launches of a step, and how many work-items the last one had.

    Attributes
    ----------
    written : list of str
        Arrays.
    own_cell : str
        The array of which each processor stores the element at its own number, or leaves it as it is; else empty.
    claims : bool
        Whether processors have to claim a cell before.
    forms : list of Form
        Of the index of the one write and of those at which the same array is read, if that decides at launch.
    items, version : int
        Of the last launch, and what the machine's version then was.
    """

    written: list[str]
    own_cell: str
    claims: bool
    forms: list[proofs.Form | None]
    items: int = 0
    version: int = -1

    @staticmethod
    def of(step: Launch, plan: Plan) -> _Facts:
        writes = [each for each, stores in proofs.accesses(step.body, plan.tree) if stores]
        forms: list[proofs.Form | None] = []
        if step.placing == "at launch":
            [write] = writes
            touched = [write, *proofs.reads_of(write.name, step.body, plan.tree)]
            forms = [proofs.form_of(each.index, plan.tree, plan.known) for each in touched]
        names = list(dict.fromkeys(each.name for each in writes))
        own = step.own_cell() if step.placing != "in place" else None
        return _Facts(names, own.name if own else "", bool(names) and claims_needed(plan, step), forms)


class Machine:
    """One run of a plan on a device.

    Parameters
    ----------
    device : Device
    plan : Plan
    source : Source
    kernels : mapping
        The built kernels of the source.
    method : {"bitset", "list"}
    n : int
        Processors, at least one.
    memory : Memory
        Global arrays, which are changed.
    limits : Limits
        As often as a loop may begin again.

    Attributes
    ----------
    job : Job
    counts : dict of str to int
        Launches by what they were for, and words that were read.
    """

    def __init__(
        self,
        device: Device,
        plan: Plan,
        source: Source,
        kernels: Mapping[str, Kernel],
        method: Method,
        n: int,
        memory: Memory,
        limits: Limits,
    ) -> None:
        self.job = job = Job(device)
        self._plan, self._tree, self._source, self._kernels = plan, plan.tree, source, kernels
        self._n, self._memory, self._limits = n, memory, limits
        self._group = min(PLAIN_GROUP_SIZE, device.max_work_group_size)
        self._values = HostValues(plan.tree, n, memory, plan.check)
        self._queued: dict[str, _Queued] = {}
        self._launches = 0  # of steps: one that claims cells before is one launch
        self._version = 0  # changes with what kernels are given
        self._passed = {each.name for kernel in source.kernels.values() for each in kernel.arguments}
        self._facts: dict[str, _Facts] = {}
        self._next: dict[str, cl.Buffer] = {}
        self._claims: dict[str, cl.Buffer] = {}
        self._globals = {
            name: job.upload(array.view(np.uint8) if array.dtype == bool else array)
            for name, array in memory.items()
            if name not in plan.known
        }
        self._privates: dict[str, cl.Buffer] = {}
        self._fault = job.full(_FAULT_WORDS, np.int32(0))
        self._sets: Flags | Lists = Flags(job, n, plan.levels) if method == "bitset" else Lists(job, n, plan.levels)
        self.counts = dict.fromkeys(("assignments", "branches", "copies", "in_place", "words_read"), 0)

    def run(self) -> None:
        """Run the plan to its end, and copy the global arrays back.

        Raises
        ------
        RunError
            It went wrong, and that was noticed.
        """
        self.job.phases.begin("search")
        self._steps(self._plan.steps)
        self._look_for_faults()
        self.job.finish()
        self.job.phases.begin("download")
        for name, buffer in self._globals.items():
            array = self._memory[name]
            if array.size:
                self.job.download_into(array.view(np.uint8) if array.dtype == bool else array, buffer)
        self.counts["words_read"] += self._sets.words_read
        self.counts["set_launches"] = self.job.kernels_launched - self.counts["assignments"] - self.counts["branches"]

    # ---- steps ----------------------------------------------------------------------------------------

    def _steps(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Launch):
                self._launch(step)
            elif isinstance(step, Branch):
                self._branch(step)
            elif isinstance(step, HostAssign):
                self._values.variables[step.target] = self._values.evaluate(step.value)
                self._version += step.target in self._passed
            elif isinstance(step, HostIf):
                if self._known(step.condition, step.level):
                    self._steps(step.body)
            elif isinstance(step, Loop):
                self._loop(step)
            elif isinstance(step, HostWhile):
                self._host_while(step)
            else:
                self._repeat(step)

    def _known(self, expression: Expression, level: int, p: int = 0) -> Number:
        """Compute what the host knows; nothing is wrong with it where no processor would."""
        try:
            return self._values.evaluate(expression, p)
        except UndefinedError:
            if self._sets.is_empty(level):
                return 0
            raise

    def _loop(self, loop: Loop) -> None:
        rounds = 0
        while not self._sets.is_empty(loop.level):
            self._begin_round(rounds, loop)
            rounds += 1
            self._steps(loop.body)

    def _host_while(self, loop: HostWhile) -> None:
        rounds = 0
        while self._known(loop.condition, loop.level):
            if rounds == 0 and loop.level and self._sets.is_empty(loop.level):
                return
            self._begin_round(rounds, loop)
            rounds += 1
            self._steps(loop.body)

    def _repeat(self, loop: Repeat) -> None:
        if not all(proofs.is_exact(each, self._n, self._symbol) for each in loop.ends):
            self._loop(Loop(loop.level, loop.body, loop.range, loop.position))
            return
        most = max(self._trips(loop.range, loop.level, p) for p in (0, self._n - 1))
        for rounds in range(most):
            if self._looks(rounds, most) and self._sets.is_empty(loop.level):
                return
            self._begin_round(rounds, loop)
            self._steps(loop.body)

    def _looks(self, rounds: int, most: int) -> bool:
        """Whether to look if a processor is left for a round: other processors may need fewer than those at the ends.

        A list knows; flags are waited for when none may be there for an endless loop, and after 16, 32, 64 rounds.
        """
        if isinstance(self._sets, Lists) or rounds == self._limits.ranges:
            return True
        if rounds == 0:
            return most > self._limits.ranges
        return rounds >= _UNSEEN_ROUNDS and rounds & (rounds - 1) == 0

    def _trips(self, over: Range, level: int, p: int) -> int:
        start, stop = (int(self._known(each, level, p)) for each in (over.start, over.stop))
        return _rounds_of(start, stop, over.step)

    def _begin_round(self, rounds: int, loop: Loop | HostWhile | Repeat) -> None:
        if rounds == self._limits.of(loop.range):
            self._look_for_faults()
            p = self._sets.first(loop.level)
            what = f"the loop has not ended after {rounds} rounds"
            reason = f"{what}; processor {p} did not leave it; max_rounds allows more"
            raise self._error(EndlessLoopError, reason, loop.position, p, launch=self._launches)

    # ---- kernels --------------------------------------------------------------------------------------

    def _launch(self, step: Launch) -> None:
        if (facts := self._facts.get(step.name)) is None:
            facts = self._facts[step.name] = _Facts.of(step, self._plan)
        if facts.version != self._version:
            facts.items, facts.version = self._items(step), self._version
        if (items := facts.items) == 0:
            return
        self._launches += 1
        names = facts.written
        in_place = step.placing == "in place" or (step.placing == "at launch" and not self._may_meet(facts))
        targets = self._globals if in_place else self._next
        if not in_place:
            for name in names:
                self._prepare_next(name, name == facts.own_cell and items >= len(self._memory[name]))
        if facts.claims:
            self._claim(names[0])
            self._queue(f"claim_{step.name}", step.level, items, targets, step.body)
        self._queue(step.name, step.level, items, targets, step.body)
        if f"compare_{step.name}" in self._kernels:
            self._queue(f"compare_{step.name}", step.level, items, targets, step.body)
        if in_place:
            self.counts["in_place"] += bool(names)
        else:
            self._version += 1
            for name in names:
                self._globals[name], self._next[name] = self._next[name], self._globals[name]

    def _items(self, step: Launch) -> int:
        """Return how many work-items a launch has: processors behind them have nothing to do."""
        items = self._sets.items(step.level)
        if step.bounds and (step.level == 0 or isinstance(self._sets, Flags)):
            return min(items, max(bound.active(self._n, self._symbol) for bound in step.bounds))
        return items

    def _prepare_next(self, name: str, is_overwritten: bool) -> None:
        """Have a copy that takes the place of an array: cells that no processor writes keep what they hold.

        A kernel that each cell has a processor of copies them itself.
        """
        if name not in self._next:
            self._next[name] = self.job.allocate(len(self._memory[name]), self._memory[name].dtype)
        if not is_overwritten and (size := self._memory[name].nbytes):
            self.job.copy(self._next[name], 0, self._globals[name], 0, size)
            self.counts["copies"] += 1

    def _may_meet(self, facts: _Facts) -> bool:
        """Whether a processor may read what another one writes, with the numbers that the host knows now."""
        write, *reads = facts.forms
        return any(write is None or read is None or proofs.meet(write, read, self._n, self._symbol) for read in reads)

    def _symbol(self, name: str) -> Number:
        if name == "n":
            return self._n
        return len(self._memory[name[4:-1]]) if name.startswith("len(") else self._number(name)

    def _number(self, name: str) -> Number:
        if name in self._tree.globals:
            found: Number = self._memory[name][0].item()
            return found
        return self._values.variables.get(name, 0)

    def _claim(self, name: str) -> None:
        size = len(self._memory[name])
        if name not in self._claims:
            self._claims[name] = self.job.allocate(size, np.uint32)
        self.job.fill(self._claims[name], size, _FREE)

    def _branch(self, step: Branch) -> None:
        items = self._sets.items(step.source)
        if items:
            self._launches += 1
            buffers = self._sets.before_filter(step.source, step.target)
            self._queue(step.name, step.source, items, {}, (), buffers)
        self._sets.filter(step.source, step.target)
        self._version += isinstance(self._sets, Lists)

    def _queue(
        self,
        name: str,
        level: int,
        items: int,
        targets: Mapping[str, cl.Buffer],
        body: tuple[Statement, ...],
        more: Mapping[str, cl.Buffer] | None = None,
    ) -> None:
        state = (self._version, items, targets is self._next)
        if (last := self._queued.get(name)) is None or last.state != state or more or self._plan.check:
            last = self._queued[name] = self._changed(last, name, level, items, targets, body, more or {})
            last.state = state
        last.bound.queue()
        if last.steps:
            self.job.add_steps(last.steps)
        self.counts["branches" if name.startswith("branch") else "assignments"] += 1

    def _changed(
        self,
        last: _Queued | None,
        name: str,
        level: int,
        items: int,
        targets: Mapping[str, cl.Buffer],
        body: tuple[Statement, ...],
        more: Mapping[str, cl.Buffer],
    ) -> _Queued:
        """Return a kernel with the arguments that it has now."""
        arguments = self._source.kernels[name].arguments
        if last is None:
            given = [self._argument(each, level, targets, more) for each in arguments]
        else:
            given = last.given
            for position, argument in enumerate(arguments):
                if argument.role in _CHANGING:
                    given[position] = self._argument(argument, level, targets, more)
        rounds = self._rounds(body)
        slices = even(0, items, self._group, items * rounds, self.job.device.steps_at_once)
        if len(slices.ends) > 1:
            bound = self.job.bind(self._kernels[name], items, self._group, *given, slices=slices)
            return _Queued(bound, given, steps=0, is_cut=True)
        if last is None or last.is_cut:
            bound = self.job.bind(self._kernels[name], items, self._group, *given)
        else:
            bound = last.bound
            bound.change((items,), *given)
        return _Queued(bound, given, steps=max(items * rounds, _STEPS_OF_A_LAUNCH), is_cut=False)

    def _argument(
        self, argument: Argument, level: int, targets: Mapping[str, cl.Buffer], more: Mapping[str, cl.Buffer]
    ) -> Given:
        role, name = argument.role, argument.name
        if role == "n":
            return np.int64(self._n)
        if role in more:
            return more[role]
        if role in ("active", "list"):
            return self._sets.buffer(level)
        if role == "count":
            return np.int64(self._sets.items(level))
        if role == "array":
            return self._globals[name]
        if role == "next":
            return targets[name]
        if role == "size":
            return np.int64(len(self._memory[name]))
        if role == "private":
            return self._private(name)
        if role == "number":
            kind = self._kind(name)
            return _scalar(self._number(name), kind)
        if role == "claims":
            return self._claims[name]
        if role == "first":
            return np.int32(min(self._launches * len(self._source.sites), _LARGEST_SITE - len(self._source.sites)))
        return self._fault if role == "fault" else np.int64(self._limit(role))

    def _limit(self, role: str) -> int:
        return self._limits.ranges if role == "max_range" else self._limits.whiles

    def _kind(self, name: str) -> Scalar:
        return self._tree.globals[name].type if name in self._tree.globals else self._tree.privates[name].type

    def _private(self, name: str) -> cl.Buffer:
        if name not in self._privates:
            declared = self._tree.privates[name]
            dtype = DTYPES[declared.type]
            zero = np.zeros(1, np.uint8 if declared.type == "boolean" else dtype)[0]
            self._privates[name] = self.job.full(self._n * (declared.size or 1), zero)
        return self._privates[name]

    def _rounds(self, body: tuple[Statement, ...]) -> int:
        """Return about how often the innermost statements of a kernel are executed by a processor."""
        total = 1
        for each in body:
            if isinstance(each, While):
                total += self._estimate(each) * self._rounds(each.body)
            elif isinstance(each, If):
                total += self._rounds(each.body) - 1
        return total

    def _estimate(self, loop: While) -> int:
        known = self._plan.known
        over = loop.range
        if over is not None and all(
            proofs.is_known(each, self._tree, known, also_p=True) for each in (over.start, over.stop)
        ):
            try:
                return max(self._values_trips(over, p) for p in (0, self._n - 1))
            except UndefinedError:
                return 1
        return _UNKNOWN_ROUNDS

    def _values_trips(self, over: Range, p: int) -> int:
        start, stop = (int(self._values.evaluate(each, p)) for each in (over.start, over.stop))
        return min(_rounds_of(start, stop, over.step), self._limits.ranges)

    # ---- errors -----------------------------------------------------------------------------------------

    def _look_for_faults(self) -> None:
        if not any(each.role == "fault" for kernel in self._source.kernels.values() for each in kernel.arguments):
            return
        site, p, low, high = (int(each) for each in self.job.download(self._fault, _FAULT_WORDS, np.int32))
        self.counts["words_read"] += _FAULT_WORDS
        if site == 0:
            return
        launch, place = divmod(site - 1, len(self._source.sites))
        found = self._source.sites[place]
        index = (high << 32) | (low & 0xFFFFFFFF)
        if found.kind == "endless":
            what = f"the loop has not ended after {self._limit(found.name)} rounds"
            reason = f"processor {p}: {what}; max_rounds allows more"
            raise self._error(EndlessLoopError, reason, found.position, p, launch=launch)
        if found.kind == "undefined":
            raise self._error(UndefinedError, f"processor {p}: {found.name}", found.position, p, launch=launch)
        declared = self._tree.globals.get(found.name)
        cell = found.name if declared is not None and declared.single else f"{found.name}[{index}]"
        if found.kind == "conflict":
            reason = f"processor {p} and another one both write {cell}, which {self._tree.mode} forbids"
            if self._tree.mode == "common":
                reason = f"processor {p} and another one write different values to {cell}, which common forbids"
            raise self._error(ConflictError, reason, found.position, p, cell, launch)
        size = len(self._memory[found.name]) if declared is not None else self._tree.privates[found.name].size
        reason = f"processor {p}: {cell} is outside of {found.name}, which has {size} elements"
        raise self._error(OutOfRangeError, reason, found.position, p, cell, launch)

    def _error(
        self,
        kind: type[RunError],
        reason: str,
        at: Position,
        p: int,
        cell: str | None = None,
        launch: int = 0,
    ) -> RunError:
        """Return an error; kernels that do not check do not say which launch they are."""
        text = self._tree.text_at(at)
        return kind(reason, at.line, at.column, text, processors=(p,), launch=launch or None, cell=cell)


def _rounds_of(start: int, stop: int, step: int) -> int:
    """Return how many numbers a range has, which may be more than Python's ``len`` returns."""
    return max(0, -((start - stop) // step))


def _scalar(value: Number, kind: Scalar) -> np.generic:
    number: type[np.generic] = np.uint8 if kind == "boolean" else DTYPES[kind].type
    return number(value)


# ---- sets of active processors --------------------------------------------------------------------------


class Flags:
    """The bitset method: for each set a flag a processor; it is empty if their maximum is 0.

    Attributes
    ----------
    words_read : int
        From the device, to know whether a set is empty.
    """

    def __init__(self, job: Job, n: int, levels: int) -> None:
        self._job, self._n = job, n
        self._buffers: list[cl.Buffer | None] = [None] * levels
        self._result = job.allocate(1, np.int32)
        self._tests: dict[int, Kernels] = {}
        self.words_read = 0

    def items(self, level: int) -> int:
        """Return how many work-items a launch for a set has."""
        return self._n

    def buffer(self, level: int) -> cl.Buffer:
        """Return the flags of a set; those of the first one are all 1."""
        found = self._buffers[level]
        if found is None:
            found = self._buffers[level] = self._job.full(self._n, np.int32(level == 0))
        return found

    def before_filter(self, source: int, target: int) -> Mapping[str, cl.Buffer]:
        """Return what the kernel of a branch reads and writes."""
        return {"before": self.buffer(source), "after": self.buffer(target)}

    def filter(self, source: int, target: int) -> None:
        """Finish a branch, whose kernel has done all."""

    def first(self, level: int) -> int:
        """Return the first processor of a set; waits for the device."""
        return int(self._job.download(self.buffer(level), self._n, np.int32).argmax())

    def is_empty(self, level: int) -> bool:
        """Whether a set is empty; waits for the device."""
        if level == 0:
            return False
        if level not in self._tests:
            largest = Elements(resolve("max", np.dtype(np.int32)), np.dtype(np.int32), built_in=True)
            self._tests[level] = plan_reduce(self._job, largest, self.buffer(level), self._result, self._n)
        for kernel in self._tests[level]:
            kernel.queue()
        self.words_read += 1
        return int(self._job.download(self._result, 1, np.int32)[0]) == 0


class Lists:
    """The list method: for each set the numbers of its processors, and the host knows how many they are.

    A list is never compacted into itself, where one work-item could overwrite what another has not read yet: there is
    one list more than there are sets. One of all processors has them in order, and is neither written before it is
    compacted nor read.

    Attributes
    ----------
    words_read : int
        From the device: the length of each list.
    """

    def __init__(self, job: Job, n: int, levels: int) -> None:
        self._job = job
        self._n = n
        self._lists: list[cl.Buffer | None] = [None] * (levels + 1)
        self._counts = [n, *([0] * (levels - 1))]
        self._flags: cl.Buffer | None = None
        self._total = job.allocate(1, np.uint32)
        self._plans: dict[tuple[int, int, int], tuple[cl.Buffer, cl.Buffer, Kernels]] = {}
        self.words_read = 0

    def items(self, level: int) -> int:
        """Return how many processors are in a set."""
        return self._counts[level]

    def buffer(self, level: int) -> cl.Buffer:
        """Return the list of a set; that of the first one, which has all processors, has no elements."""
        found = self._lists[level]
        if found is None:
            found = self._lists[level] = self._job.allocate(self._n if level else 0, np.int32)
        return found

    def _flags_of_all(self) -> cl.Buffer:
        if self._flags is None:
            self._flags = self._job.allocate(self._n, np.uint8)
        return self._flags

    def before_filter(self, source: int, target: int) -> Mapping[str, cl.Buffer]:
        """Return what the kernel of a branch writes, beside the list of the set that it reads."""
        return {"flags": self._flags_of_all()}

    def filter(self, source: int, target: int) -> None:
        """Finish a branch: FILTER, a scan of the flags that scatters what they select; waits for its length."""
        count = self._counts[source]
        if count == 0:
            self._counts[target] = 0
            return
        before, after = self.buffer(source), self.buffer(len(self._lists) - 1)
        key = (before.int_ptr, after.int_ptr, count)
        if key not in self._plans:
            if len(self._plans) == _PLANS_KEPT:
                self._plans.clear()
            count_type = np.dtype(np.uint32)
            compaction: Compaction = "values" if count < self._n else "places"
            elements = Elements(
                resolve("add", count_type), count_type, built_in=True, compaction=compaction, value_type="uint"
            )
            buffers = Buffers(before, self._flags_of_all(), after, self._total)
            self._plans[key] = before, after, plan_scan(self._job, elements, buffers, count)
        for kernel in self._plans[key][-1]:
            kernel.queue()
        self._lists[target], self._lists[-1] = after, self._lists[target]
        self._counts[target] = int(self._job.download(self._total, 1, np.uint32)[0])
        self.words_read += 1

    def first(self, level: int) -> int:
        """Return the first processor of a set; waits for the device."""
        count = self._counts[level]
        return int(self._job.download(self.buffer(level), count, np.int32)[0]) if count < self._n else 0

    def is_empty(self, level: int) -> bool:
        """Whether a set is empty."""
        return self._counts[level] == 0
