"""From a program to what the host does: launches of kernels, sets of active processors, loops and tests.

Without optimisations each assignment is a launch, each condition one more, and each loop asks the device whether a
processor is left (Dulle's section 4.2). The five optimisations of section 4.3 are applied where their condition is
proven:

``merge``
    adjacent assignments that touch no common cell of two processors share a launch (4.3.1);
``in place``
    an assignment to an array stores its results in the array itself, not in a copy that takes its place (4.3.2);
``branches``
    a condition whose body is one launch is tested in it (4.3.3);
``meta variables``
    a variable that has one value for all processors is the host's (4.3.4);
``loops``
    a loop whose body is one launch, and needs no waiting, runs in it; one whose rounds the host can count, or whose
    condition it knows, is the host's (4.3.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from reedsp.pram.compiler import proofs
from reedsp.pram.text import written
from reedsp.pram.tree import (
    Assign,
    Element,
    Expression,
    If,
    Position,
    Range,
    Statement,
    Tree,
    Variable,
    While,
    assigned,
    statements,
)

OPTIMIZATIONS = ("merge", "in place", "branches", "meta variables", "loops")
"""The names of the optimisations, in the order of section 4.3."""

Placing = Literal["in place", "buffered", "at launch"]


@dataclass(frozen=True)
class Launch:
    """A kernel that all active processors run.

    Attributes
    ----------
    name : str
    level : int
        Of the set of active processors.
    body : tuple of Statement
    placing : str
        Whether results go to the arrays themselves, or to copies that take their place. "at launch": to the array
        itself where the numbers that the host then knows prove that no other processor reads the cell.
    bounds : tuple of Bound
        With the host's numbers they say from which processor on none has anything to do; none where that is unknown.
    """

    name: str
    level: int
    body: tuple[Statement, ...]
    placing: Placing
    bounds: tuple[proofs.Bound, ...] = ()

    def own_cell(self) -> Element | None:
        """Return the element at its own number that each of n processors stores, or else may leave as it is."""
        statement = proofs.only_assignment(self.body)
        if self.level > 0 or statement is None or not isinstance(statement.target, Element):
            return None
        return statement.target if statement.target.index == Variable("p", "int64") else None


@dataclass(frozen=True)
class Branch:
    """A set becomes those of another set, or of itself, whose condition holds.

    A loop has two, with one kernel: one where it begins, and one after each round.
    """

    name: str
    target: int
    source: int
    condition: Expression


@dataclass(frozen=True)
class HostAssign:
    """The host assigns to a meta-variable."""

    target: str
    value: Expression


@dataclass(frozen=True)
class HostIf:
    """The host knows a condition."""

    level: int
    condition: Expression
    body: tuple[Step, ...]


@dataclass(frozen=True)
class HostWhile:
    """The host knows the condition of a loop."""

    level: int
    condition: Expression
    body: tuple[Step, ...]
    range: Range | None
    position: Position


@dataclass(frozen=True)
class Repeat:
    """The host knows how often a loop goes round at most: as often as for the first processor, or for the last.

    Attributes
    ----------
    level : int
    range : Range
    body : tuple of Step
    position : Position
    ends : tuple of Form
        The start and the stop of the range, if processors differ in them: the first and the last one are the extremes
        only where no number wraps.
    """

    level: int
    range: Range
    body: tuple[Step, ...]
    position: Position
    ends: tuple[proofs.Form, ...] = ()


@dataclass(frozen=True)
class Loop:
    """A loop that goes on until a set is empty."""

    level: int
    body: tuple[Step, ...]
    range: Range | None
    position: Position


Step = Launch | Branch | HostAssign | HostIf | HostWhile | Repeat | Loop


@dataclass(frozen=True)
class Note:
    """What became of an optimisation somewhere in the program."""

    optimization: str
    applied: bool
    position: Position
    text: str


@dataclass
class Plan:
    """What the host does.

    Attributes
    ----------
    tree : Tree
    optimizations : frozenset of str
    check : bool
        Whether kernels report errors. Then an assignment in which processors may meet has a launch of its own.
    known : frozenset of str
        Meta-variables, and given numbers that nothing assigns to, if the host keeps them.
    steps : tuple of Step
    levels : int
        Sets of active processors.
    notes : list of Note
    """

    tree: Tree
    optimizations: frozenset[str]
    check: bool
    known: frozenset[str]
    steps: tuple[Step, ...] = ()
    levels: int = 1
    notes: list[Note] = field(default_factory=list)


def plan_of(tree: Tree, optimizations: frozenset[str], check: bool = False) -> Plan:
    """Plan a program with some of the optimisations, for kernels that report errors or that do not."""
    known = _known_numbers(tree, optimizations, check) if "meta variables" in optimizations else frozenset()
    plan = Plan(tree, optimizations, check, known)
    _Planner(plan).make()
    return plan


def all_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield steps and all inside of them."""
    for step in steps:
        yield step
        if isinstance(step, (HostIf, HostWhile, Repeat, Loop)):
            yield from all_steps(step.body)


# ---- meta-variables -----------------------------------------------------------------------------------


def _known_numbers(tree: Tree, optimizations: frozenset[str], check: bool) -> frozenset[str]:
    """Return the names of meta-variables, and of given numbers that stay what they are."""
    targets = {each.target.name for each in statements(tree.body) if isinstance(each, Assign)}
    constant = {each.name for each in tree.globals.values() if each.single and each.size is None} - targets
    inside: set[str] = set()
    if "loops" in optimizations:  # what loops inside of kernels assign to is the processor's own
        fuser = _Planner(Plan(tree, optimizations, check, frozenset(constant)))
        for each in statements(tree.body):
            if isinstance(each, While) and fuser.fits_one_launch((each,)):
                inside |= assigned((each,))
    scalars = {each.name for each in tree.privates.values() if each.size is None}
    candidates = (scalars & targets) - inside
    while True:
        known = frozenset(candidates | constant)
        wrong = set(_not_uniform(tree, tree.body, known, uniform=True))
        if not wrong & candidates:
            return known
        candidates -= wrong


def _not_uniform(tree: Tree, body: tuple[Statement, ...], known: frozenset[str], uniform: bool) -> Iterator[str]:
    """Yield the variables that some processors may assign to and others not, or with another value."""
    for each in body:
        if not isinstance(each, Assign):
            yield from _not_uniform(tree, each.body, known, uniform and proofs.is_known(each.condition, tree, known))
        elif isinstance(each.target, Variable) and not (uniform and proofs.is_known(each.value, tree, known)):
            yield each.target.name


# ---- steps --------------------------------------------------------------------------------------------


class _Planner:
    def __init__(self, plan: Plan) -> None:
        self._plan, self._tree, self._known = plan, plan.tree, plan.known
        self._exclusive = plan.tree.mode in ("EREW", "CREW") and not plan.check
        self._numbers: dict[str, int] = {}
        self._forms: dict[int, proofs.Form | None] = {}  # by the identity of elements, which the tree keeps

    def make(self) -> None:
        self._plan.steps = self._block(self._tree.body, 0)

    def _has(self, optimization: str) -> bool:
        return optimization in self._plan.optimizations

    def _note(self, optimization: str, applied: bool, position: Position, text: str) -> None:
        note = Note(optimization, applied, position, text)
        if self._has(optimization) and note not in self._plan.notes:
            self._plan.notes.append(note)

    def _name(self, kind: str) -> str:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}_{self._numbers[kind]}"

    def _block(self, body: tuple[Statement, ...], level: int) -> tuple[Step, ...]:
        self._plan.levels = max(self._plan.levels, level + 1)
        steps: list[Step] = []
        group: list[Statement] = []

        def end_group() -> None:
            if group:
                steps.append(self._launch(tuple(group), level))
                group.clear()

        for statement in body:
            if self._is_hosts(statement):
                end_group()
                steps += self._on_host(statement, level)
            elif not self.fits_one_launch((statement,)):
                end_group()
                steps += self._spread(statement, level)
            else:
                if group and not self._joins(group, statement):
                    end_group()
                group.append(statement)
        end_group()
        return tuple(steps)

    def _joins(self, group: list[Statement], statement: Statement) -> bool:
        """Whether a statement is merged with those before it, as optimisation 1 has it."""
        if not self._has("merge"):
            return False
        joined = (*group, statement)
        before, after = (_line(each) for each in (group[-1], statement))
        if (met := self._meeting_place(joined, apart=len(group) if len(group) > 1 else 0)) is not None:
            self._note("merge", False, statement.position, f"not with line {before}: {self._why_they_meet(*met)}")
            return False
        if not self._has("in place") and (read := proofs.reads_what_it_wrote(joined, self._tree)) is not None:
            text = f"not with line {before}: {written(read, self._tree)} is read from the copy that was written"
            self._note("merge", False, statement.position, text)
            return False
        self._note(
            "merge", True, statement.position, f"with line {before}" if before != after else "with the one before"
        )
        return True

    def _why_they_meet(self, write: Element, element: Element) -> str:
        one, other = (written(each, self._tree) for each in (write, element))
        both = f"{one} of two processors" if one == other else f"{one} of one processor and {other} of another"
        return f"{both} may be the same cell"

    def _is_hosts(self, statement: Statement) -> bool:
        if isinstance(statement, Assign):
            return isinstance(statement.target, Variable) and statement.target.name in self._known
        known = proofs.is_known(statement.condition, self._tree, self._known)
        if isinstance(statement, If):
            return known and self._has("meta variables")
        return known and self._has("loops") and self._has("meta variables")

    def _on_host(self, statement: Statement, level: int) -> list[Step]:
        if isinstance(statement, Assign):
            self._note("meta variables", True, statement.position, f"{statement.target.name} is the host's")
            return [HostAssign(statement.target.name, statement.value)]
        if isinstance(statement, If):
            self._note("meta variables", True, statement.position, "the host knows the condition")
            return [HostIf(level, statement.condition, self._block(statement.body, level))]
        self._note("loops", True, statement.position, "the host knows the condition: no set, and no test on the device")
        body = self._block(statement.body, level)
        return [HostWhile(level, statement.condition, body, statement.range, statement.position)]

    # ---- one launch -----------------------------------------------------------------------------------

    def fits_one_launch(self, body: tuple[Statement, ...]) -> bool:
        """Whether statements become one launch with the optimisations that are switched on."""
        if not self._is_one_launch(body):
            return False
        if proofs.only_assignment(body) is not None:
            return True  # all is read before anything is stored, since the results may go to a copy
        if self._meeting_place(body) is not None:
            return False
        return self._has("in place") or proofs.reads_what_it_wrote(body, self._tree) is None

    def _is_one_launch(self, body: tuple[Statement, ...], counter: str | None = None) -> bool:
        """Whether the shape of statements allows for one launch."""
        if assigned(body) & self._known:
            return False
        if counter is not None and _assigns(body[-1], counter):
            body = body[:-1]  # the counter's next value is a part of the loop
        if len(body) > 1 and not self._has("merge"):
            return False
        for each in body:
            if isinstance(each, If) and not (self._has("branches") and self._is_one_launch(each.body)):
                return False
            if isinstance(each, While):
                inner = each.range.counter if each.range is not None else None
                if not (self._has("loops") and self._is_one_launch(each.body, inner)):
                    return False
        return True

    def _launch(self, body: tuple[Statement, ...], level: int) -> Launch:
        for each in statements(body):
            if isinstance(each, If):
                self._note("branches", True, each.position, "tested in the kernel")
            elif isinstance(each, While):
                self._note("loops", True, each.position, "inside of the kernel")
        bounds = proofs.bounds_of(body, self._tree, self._known) if self._has("branches") else ()
        return Launch(self._name("assign"), level, body, self._placing(body), bounds)

    def _placing(self, body: tuple[Statement, ...]) -> Placing:
        writes = [element for element, writes in proofs.accesses(body, self._tree) if writes]
        if not writes:
            return "in place"
        if not self._has("in place"):
            return "buffered"
        position = writes[0].position
        if (met := self._meeting_place(body)) is None:
            self._note("in place", True, position, "no other processor reads the cell")
            return "in place"
        [write] = writes
        form = self._form(write)
        touched = [self._form(each) for each in proofs.reads_of(write.name, body, self._tree)]
        if all(proofs.depends_on_numbers(form, each) for each in touched if proofs.may_meet(form, each)):
            self._note(
                "in place", True, position, f"in launches whose numbers prove it, as {self._why_they_meet(*met)}"
            )
            return "at launch"
        self._note("in place", False, position, self._why_they_meet(*met))
        return "buffered"

    def _meeting_place(self, body: tuple[Statement, ...], apart: int = 0) -> tuple[Element, Element] | None:
        return proofs.meeting_place(body, self._tree, self._form, self._exclusive, apart)

    def _form(self, element: Element) -> proofs.Form | None:
        if (key := id(element)) not in self._forms:
            self._forms[key] = proofs.form_of(element.index, self._tree, self._known)
        return self._forms[key]

    # ---- conditions and loops by sets of processors -----------------------------------------------------

    def _spread(self, statement: Statement, level: int) -> list[Step]:
        assert not isinstance(statement, Assign)
        if isinstance(statement, While) and self._has("loops"):
            if (steps := self._counted(statement, level)) is not None:
                return steps
            reason = f"not in a kernel, since {self._why_not_one(statement.body)}; the host does not know the rounds"
            self._note("loops", False, statement.position, reason)
        inner = level + 1
        if isinstance(statement, If):
            self._note("branches", False, statement.position, self._why_not_one(statement.body))
            branch = Branch(self._name("branch"), inner, level, statement.condition)
            return [branch, *self._block(statement.body, inner)]
        enter = Branch(self._name("branch"), inner, level, statement.condition)
        body = self._block(statement.body, inner)
        again = Branch(enter.name, inner, inner, statement.condition)
        return [enter, Loop(inner, (*body, again), statement.range, statement.position)]

    def _counted(self, loop: While, level: int) -> list[Step] | None:
        """Plan a loop whose rounds the host can count, if this is one."""
        if loop.range is None:
            return None
        start, stop = loop.range.start, loop.range.stop
        if all(proofs.is_known(each, self._tree, self._known) for each in (start, stop)):
            text = "the host counts the rounds, which are the same for all"
            self._note("loops", True, loop.position, text)
            return [Repeat(level, loop.range, self._block(loop.body, level), loop.position)]
        ends = tuple(proofs.form_of(each, self._tree, self._known) for each in (start, stop))
        if ends[0] is None or ends[1] is None:
            return None
        self._note("loops", True, loop.position, "the host counts the rounds of the first and of the last processor")
        inner = level + 1
        enter = Branch(self._name("branch"), inner, level, loop.condition)
        body = self._block(loop.body, inner)
        again = Branch(enter.name, inner, inner, loop.condition)
        return [enter, Repeat(inner, loop.range, (*body, again), loop.position, (ends[0], ends[1]))]

    def _why_not_one(self, body: tuple[Statement, ...]) -> str:
        if assigned(body) & self._known:
            return "the host assigns to a meta-variable in it"
        if (met := self._meeting_place(body)) is not None:
            return self._why_they_meet(*met)
        return "it is more than one launch"


def _assigns(statement: Statement, name: str) -> bool:
    return isinstance(statement, Assign) and statement.target == Variable(name, statement.value.type)


def _line(statement: Statement) -> int:
    return statement.position.line
