"""The reference: every processor in turn, one step after the other, as Dulle's section 2.1 defines it.

In a step each active processor first computes what it needs, and then stores its result. Two processors meet where both
read a cell in a step, or both write it; what is read is what the cell held before the step. Nothing here is quick.
"""

from __future__ import annotations

from reedsp.pram.arithmetic import converted
from reedsp.pram.errors import ConflictError, EndlessLoopError, OutOfRangeError, RunError
from reedsp.pram.host import Computed, compiled
from reedsp.pram.memory import Memory
from reedsp.pram.rounds import Limits
from reedsp.pram.tree import (
    Assign,
    Element,
    Expression,
    If,
    Number,
    Position,
    Private,
    Statement,
    Tree,
    Variable,
    While,
)

Cell = tuple[str, int]


class Interpreter:
    """One run of a program.

    Parameters
    ----------
    tree : Tree
    n : int
        Processors.
    memory : Memory
        Global arrays, which are changed.
    limits : Limits
        As often as one loop may begin again.

    Attributes
    ----------
    steps : int
        Done so far: an assignment is one, and so is the test of a condition.
    work : int
        Processors that were active, summed over the steps.
    """

    def __init__(self, tree: Tree, n: int, memory: Memory, limits: Limits) -> None:
        self._tree, self._n, self._memory, self._limits = tree, n, memory, limits
        self._private = {each.name: _own_cells(each, n) for each in tree.privates.values()}
        self._compiled: dict[int, Computed] = {}  # by the identity of expressions, which the tree keeps
        self._readers: dict[Cell, int] = {}
        self.steps = 0
        self.work = 0

    def run(self) -> None:
        """Run the program to its end.

        Raises
        ------
        RunError
            It went wrong.
        """
        self._block(self._tree.body, list(range(self._n)))

    def _block(self, body: tuple[Statement, ...], active: list[int]) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                self._assign(statement, active)
            elif isinstance(statement, If):
                self._block(statement.body, self._filtered(statement, active))
            else:
                self._loop(statement, active)

    def _loop(self, loop: While, active: list[int]) -> None:
        rounds, limit = 0, self._limits.of(loop.range)
        active = self._filtered(loop, active)
        while active:
            if rounds == limit:
                raise self._error(
                    EndlessLoopError,
                    f"the loop has not ended after {rounds} rounds; {_processors(active)} did not leave it; "
                    "max_rounds allows more",
                    loop.position,
                    active,
                )
            rounds += 1
            self._block(loop.body, active)
            active = self._filtered(loop, active)

    def _filtered(self, statement: If | While, active: list[int]) -> list[int]:
        self._begin(active)
        return [p for p in active if self._value(statement.condition, p)]

    def _assign(self, statement: Assign, active: list[int]) -> None:
        self._begin(active)
        target = statement.target
        computed: list[tuple[int, int, Number]] = []
        for p in active:
            index = int(self._value(target.index, p)) if isinstance(target, Element) else 0
            computed.append((p, index, self._value(statement.value, p)))
        written: dict[Cell, tuple[int, Number]] = {}
        for p, index, value in computed:
            if isinstance(target, Variable):
                self._private[target.name][p][0] = value
                continue
            self._check_index(target, index, p)
            if target.name in self._private:
                self._private[target.name][p][index] = value
            elif (before := written.get((target.name, index))) is None:
                written[target.name, index] = p, value
            else:
                self._meet(target, index, before, (p, value))
        for (name, index), (_, value) in written.items():
            self._memory[name][index] = value

    def _meet(self, target: Element, index: int, one: tuple[int, Number], other: tuple[int, Number]) -> None:
        """Two processors write a cell; where that is allowed, the value of the one with the lower number stays."""
        mode = self._tree.mode
        cell, pair = self._cell(target, index), [one[0], other[0]]
        reason = None
        if mode in ("EREW", "CREW"):
            reason = f"{_processors(pair)} both write {cell}, which {mode} forbids"
        elif mode == "common" and one[1] != other[1] and (one[1] == one[1] or other[1] == other[1]):
            reason = f"{_processors(pair)} write {one[1]} and {other[1]} to {cell}, which common forbids"
        if reason is not None:
            raise self._error(ConflictError, reason, target.position, pair, cell)

    def _begin(self, active: list[int]) -> None:
        self.steps += 1
        self.work += len(active)
        self._readers = {}

    def _value(self, expression: Expression, p: int) -> Number:
        if (found := self._compiled.get(id(expression))) is None:
            found = self._compiled[id(expression)] = compiled(
                *(self._tree, expression, self._variable, lambda name: len(self._memory[name]), self._read),
                lambda reason, p: {"reason": f"processor {p}: {reason}", "processors": (p,), "step": self.steps},
            )
        return found(p)

    def _variable(self, name: str, p: int) -> Number:
        if name in ("p", "n"):
            return p if name == "p" else self._n
        return self._private[name][p][0]

    def _read(self, element: Element, index: Number, p: int) -> Number:
        place = int(index)
        self._check_index(element, place, p)
        if element.name in self._private:
            return self._private[element.name][p][place]
        if self._tree.mode == "EREW":
            first = self._readers.setdefault((element.name, place), p)
            if first != p:
                cell = self._cell(element, place)
                reason = f"{_processors([first, p])} both read {cell}, which EREW forbids"
                raise self._error(ConflictError, reason, element.position, [first, p], cell)
        found: Number = self._memory[element.name][place].item()
        return found

    def _check_index(self, element: Element, index: int, p: int) -> None:
        if element.name in self._private:
            size = self._tree.privates[element.name].size or 1
        else:
            size = len(self._memory[element.name])
        if not 0 <= index < size:
            cell = self._cell(element, index)
            reason = f"processor {p}: {cell} is outside of {element.name}, which has {size} elements"
            raise self._error(OutOfRangeError, reason, element.position, [p], cell)

    def _cell(self, element: Element, index: int) -> str:
        declared = self._tree.globals.get(element.name)
        return element.name if declared is not None and declared.single else f"{element.name}[{index}]"

    def _error(
        self, kind: type[RunError], reason: str, at: Position, processors: list[int], cell: str | None = None
    ) -> RunError:
        text = self._tree.text_at(at)
        return kind(reason, at.line, at.column, text, processors=tuple(processors), step=self.steps, cell=cell)


def _own_cells(declared: Private, n: int) -> list[list[Number]]:
    """Return the cells that each processor has of a private variable or array."""
    size = declared.size or 1
    try:
        return [[converted(0, declared.type)] * size for _ in range(n)]
    except MemoryError:
        reason = f"{declared.name}: {size} elements of {declared.type} for each of {n} processors are too many"
        raise MemoryError(reason) from None


def _processors(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"processor {numbers[0]}"
    named = ", ".join(map(str, numbers[:-1][:3]))
    return f"processors {named} and {numbers[-1] if len(numbers) <= 4 else f'{len(numbers) - 3} more'}"
