"""Kernels as text in OpenCL C 1.2: one program for each PRAM program, made from its plan.

Both methods have the same kernels, but for how a work-item knows its processor: from its number and a flag (bitset
method, Dulle's section 4.2.1), or from a list of those that are active (list method, section 4.2.2).
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from reedsp.pram.arithmetic import LAZY, WIDTHS
from reedsp.pram.compiler import intervals, proofs
from reedsp.pram.compiler.library import HELPERS, helpers_in
from reedsp.pram.compiler.plan import Branch, Launch, Plan, all_steps
from reedsp.pram.text import PRECEDENCE, written
from reedsp.pram.tree import (
    Assign,
    Constant,
    Element,
    Expression,
    If,
    Length,
    Operation,
    Position,
    Scalar,
    Statement,
    Variable,
    While,
    expressions_of,
    parts,
    statements,
    variables_of,
)

Method = Literal["bitset", "list"]
_WIDTH = 100  # of a line of a kernel's arguments
Kind = Literal["launch", "branch", "claim", "compare"]

C_TYPES: dict[Scalar, str] = {
    "boolean": "uchar",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
}
"""What the types of the language are in OpenCL C."""

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    auto bool break case char complex const constant continue default do double else enum event_t extern false float
    for global goto half if image2d_t imaginary inline int kernel local long main private quad read_only read_write
    register restrict return sampler_t short signed sizeof static struct switch true typedef uchar uint ulong union
    unsigned ushort void volatile while write_only abs acos all any asin atan barrier ceil clamp clz convert cos cross
    degrees distance dot exp fabs floor fma fmax fmin fract isinf isnan ldexp length log log2 mad mad24 max min
    mix mod modf mul24 mul_hi nan normalize popcount pow prefetch printf radians rint root rotate round select
    shuffle sign sin size_t sqrt step tan trunc upsample vload vstore vec_step
    pipe generic asm typeof linux unix
    active active_before active_after flags first list count place fault claims rounds max_rounds max_range index value
    report inline
    """,
    )
)


_OF_C = re.compile(
    r"[A-Z][A-Z0-9_]+|_[A-Z]\w*|(get_|image|CLK_|cl_).*|.*_t|(u?(char|short|int|long)|float|double|half|bool)\d+"
)
"""Macros, types and keywords of OpenCL C, of whatever version, and more names than there are of these."""


@dataclass(frozen=True)
class Argument:
    """What a kernel is given.

    Attributes
    ----------
    role : str
        n, active, before, after, list, count, flags, array, next, size, private, number, claims, fault, first or
        max_rounds, or max_range for loops over ranges.
    name : str
        Of the array or the variable.
    declaration : str
    """

    role: str
    name: str
    declaration: str


@dataclass(frozen=True)
class KernelText:
    """A kernel.

    Attributes
    ----------
    name, text : str
    arguments : tuple of Argument
    stored : frozenset of str
        The private variables and arrays that it leaves in their buffers, of those that it assigns to.
    """

    name: str
    text: str
    arguments: tuple[Argument, ...]
    stored: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Site:
    """Where a kernel notices an error, by its number from 1 on."""

    kind: Literal["range", "undefined", "conflict", "endless"]
    position: Position
    name: str


@dataclass(frozen=True)
class Source:
    """A program for a device.

    Attributes
    ----------
    text : str
    kernels : dict
        By their names.
    sites : list of Site
    """

    text: str
    kernels: dict[str, KernelText]
    sites: list[Site]


def source_of(plan: Plan, method: Method) -> Source:
    """Return the kernels of a plan.

    Parameters
    ----------
    plan : Plan
        It says whether kernels report indices out of range, undefined operations and forbidden conflicts.
    method : {"bitset", "list"}
    """
    writer = _Writer(plan, method)
    kernels: list[KernelText] = []
    for step in all_steps(plan.steps):
        if isinstance(step, Branch):
            if step.name not in {each.name for each in kernels}:
                kernels.append(writer.branch(step))
        elif isinstance(step, Launch):
            if claims_needed(plan, step):
                kernels.append(writer.assign(step, "claim"))
            kernels.append(writer.assign(step, "launch"))
            if plan.check and plan.tree.mode == "common" and claims_needed(plan, step):
                kernels.append(writer.assign(step, "compare"))
    body = "\n".join(each.text for each in kernels)
    return Source(writer.head(body) + body, {each.name: each for each in kernels}, writer.sites)


def claims_needed(plan: Plan, launch: Launch) -> bool:
    """Whether processors may meet when they write, and that is allowed, or is to be noticed."""
    if plan.tree.mode in ("EREW", "CREW") and not plan.check:
        return False
    written_to = _written(plan, launch.body)
    if len(written_to) != 1 or proofs.only_assignment(launch.body) is None:
        return False
    form = proofs.form_of(written_to[0].index, plan.tree, plan.known)
    return proofs.may_meet(form, form)


def _written(plan: Plan, body: tuple[Statement, ...]) -> list[Element]:
    return [element for element, writes in proofs.accesses(body, plan.tree) if writes]


class _Writer:
    def __init__(self, plan: Plan, method: Method) -> None:
        self._plan, self._tree, self._method, self._check = plan, plan.tree, method, plan.check
        self.needed = _needed(plan)
        self._counters = intervals.counters_of(plan.tree)
        self.sites: list[Site] = []
        self._begin("launch", set(), claims=False)

    # ---- names ----------------------------------------------------------------------------------------

    def _c_name(self, name: str) -> str:
        names = {*self._tree.globals, *self._tree.privates}
        made = any(name == each + end for each in names for end in ("_next", "_size", "_of"))
        of_c = name in _RESERVED or _OF_C.fullmatch(name) is not None
        taken = of_c or name in HELPERS or made or name.startswith(("assign", "branch", "claim", "compare"))
        return f"{name}_" if taken else name

    def _site(self, kind: Literal["range", "undefined", "conflict", "endless"], at: Position, name: str) -> str:
        """Return the number with which a kernel reports an error; with checks it says which launch that is, too."""
        self.sites.append(Site(kind, at, name))
        self._reports = True
        return f"first + {len(self.sites)}" if self._check else str(len(self.sites))

    # ---- kernels --------------------------------------------------------------------------------------

    def head(self, body: str) -> str:
        """Return what stands above the kernels."""
        method = {"bitset": "the bitset method (4.2.1)", "list": "the list method (4.2.2)"}[self._method]
        applied = ", ".join(each for each in sorted(self._plan.optimizations)) or "none"
        lines = [
            f"// {self._tree.name}: a PRAM program ({self._tree.mode}), made by reedsp.pram.",
            "//",
            f"// Source:       Dulle's thesis, chapter 4: {method}; optimisations: {applied}.",
            f"// NDRange:      global {'n' if self._method == 'bitset' else 'count'}, rounded up; any work-group.",
            "// Local memory: none.",
            "#pragma OPENCL FP_CONTRACT OFF",
        ]
        helpers = helpers_in(body, self._check)
        if "double" in body or "double" in helpers:
            lines.insert(-1, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
        return "\n".join([*lines, "", helpers])

    def branch(self, step: Branch) -> KernelText:
        """Return the kernel that tests a condition: BRANCH, or what FILTER compacts."""
        self._begin("branch", set(), claims=False)
        uses = _Uses.of([step.condition], (), self)
        if self._method == "bitset":
            arguments = [
                Argument("n", "n", "const long n"),
                Argument("before", "", "__global const int *active_before"),
                Argument("after", "", "__global int *active_after"),
            ]
            head = ["    const long p = get_global_id(0);", "    if (p < n) {"]
            result = f"        active_after[p] = active_before[p] && {self._expression(step.condition, 3)};"
        else:
            arguments, head = self._listed()
            arguments.append(Argument("flags", "", "__global uchar *flags"))
            result = f"        flags[place] = {self._expression(step.condition)};"
        arguments += uses.arguments(self, set())
        lines = [*head, *(f"        {line}" for line in uses.loads), result, "    }"]
        return self._kernel(step.name, written(step.condition, self._tree), arguments, lines)

    def assign(self, step: Launch, kind: Kind) -> KernelText:
        """Return the kernel of a launch: ASSIGN, FIELD-ASSIGN and what is merged into them."""
        name = step.name if kind == "launch" else f"{kind}_{step.name}"
        nexts = {each.name for each in _written(self._plan, step.body)} if step.placing != "in place" else set()
        self._begin(kind, nexts, claims=kind != "launch" or claims_needed(self._plan, step))
        uses = _Uses.of([], step.body, self, kind)
        body = self._block(step.body, "        ")
        arguments = [Argument("n", "n", "const long n")]
        if step.level == 0:  # all processors are active, and need neither flags nor a list
            head = ["    const long p = get_global_id(0);", "    if (p < n) {"]
        elif self._method == "bitset":
            arguments.append(Argument("active", "", "__global const int *active"))
            head = ["    const long p = get_global_id(0);", "    if (p < n && active[p]) {"]
        else:
            arguments, head = self._listed()
        # an array and the copy that takes its place are the same buffer where the host finds no need of a copy
        arguments += uses.arguments(self, nexts, "" if step.placing == "at launch" else "restrict ")
        if self._claims:
            constant = "" if kind == "claim" else "const "
            [written_to] = _written(self._plan, step.body)
            arguments.append(Argument("claims", written_to.name, f"__global {constant}uint *claims"))
        loads = [f"        {line}" for line in uses.loads]
        if kind == "launch" and (own := step.own_cell()) and own.name in nexts and isinstance(step.body[0], If):
            kept = self._c_name(own.name)
            loads += [f"        if (p < {kept}_size)", f"            {kept}_next[p] = {kept}[p];"]
        stores = [f"        {line}" for line in uses.stores]
        comment = "; ".join(dict.fromkeys(self._comment(step.body)))
        stored = frozenset([*uses.stored, *(each for each in uses.own_arrays if each in uses.written)])
        return self._kernel(name, comment, arguments, [*head, *loads, *body, *stores, "    }"], stored)

    @staticmethod
    def _listed() -> tuple[list[Argument], list[str]]:
        """Return what a work-item needs to know its processor from a list, and how it does.

        A list of all processors has them in order, and is not read.
        """
        arguments = [
            Argument("n", "n", "const long n"),
            Argument("list", "", "__global const int *list"),
            Argument("count", "", "const long count"),
        ]
        return arguments, [
            "    const long place = get_global_id(0);",
            "    if (place < count) {",
            "        const long p = count < n ? list[place] : place;",
        ]

    def _begin(self, kind: Kind, nexts: set[str], claims: bool) -> None:
        """Begin a kernel of a kind, which stores some arrays in copies, and may know who has claimed a cell."""
        self._kind, self._nexts, self._claims = kind, nexts, claims
        self._reports = False  # whether it has errors to report
        self._limits: set[str] = set()  # of its loops, by the names of arguments

    def _comment(self, body: tuple[Statement, ...]) -> Iterator[str]:
        for each in body:
            if isinstance(each, Assign):
                yield f"{written(each.target, self._tree)} = {written(each.value, self._tree)}"
            else:
                yield f"{'if' if isinstance(each, If) else 'while'} {written(each.condition, self._tree)}: ..."

    def _kernel(
        self,
        name: str,
        comment: str,
        arguments: list[Argument],
        lines: list[str],
        stored: frozenset[str] = frozenset(),
    ) -> KernelText:
        if self._reports:
            arguments.append(Argument("fault", "", "__global int *fault"))
            if self._check:
                arguments.append(Argument("first", "", "const int first"))
        for limit in sorted(self._limits):
            arguments.append(Argument(limit, "", f"const long {limit}"))
        declared = textwrap.wrap(", ".join(each.declaration.replace(" ", "\0") for each in arguments), _WIDTH)
        head = f"__kernel void {name}({chr(10).join(declared)})".replace("\0", " ").replace("\n", "\n    ")
        text = "\n".join([f"// {comment}", head, "{", *lines, "}"]) + "\n"
        return KernelText(name, text, tuple(arguments), stored)

    # ---- statements -------------------------------------------------------------------------------------

    def _block(self, body: tuple[Statement, ...], indent: str) -> list[str]:
        lines: list[str] = []
        before: Statement | None = None
        for each in body:
            before, last = each, before
            if isinstance(each, Assign):
                lines += [indent + line for line in self._assignment(each)]
                continue
            inner = indent + "    "
            if isinstance(each, If):
                if last is not None and _is_else(last, each):
                    lines[-1] = f"{indent}}} else {{"
                else:
                    lines.append(f"{indent}if ({self._expression(each.condition)}) {{")
                lines += [*self._block(each.body, inner), f"{indent}}}"]
                continue
            lines += [indent + line for line in self._loop(each)]
        return lines

    def _loop(self, loop: While) -> list[str]:
        """Return a loop that reports an error after as many rounds as are allowed; over a range, before it begins."""
        limited = "max_rounds" if loop.range is None else "max_range"
        self._limits.add(limited)
        site, condition = self._site("endless", loop.position, limited), self._expression(loop.condition)
        if loop.range is None:
            limit = [
                "    if (rounds == max_rounds) {",
                f"        report(fault, {site}, p, 0);",
                "        break;",
                "    }",
            ]
            head = f"for (long rounds = 0; {condition}; rounds++) {{"
            return [head, *limit, *self._block(loop.body, "    "), "}"]
        counter, step = self._c_name(loop.range.counter), loop.range.step
        ends = [f"(ulong){self._expression(loop.range.stop, 12)}", f"(ulong){counter}"]
        first, last = ends if step > 0 else ends[::-1]
        rounds = f"{first} - {last}" if abs(step) == 1 else f"({first} - {last} - 1) / {abs(step)} + 1"
        return [
            f"if ({self._expression(loop.condition, 3)} && {rounds} > (ulong)max_range)",
            f"    report(fault, {site}, p, 0);",
            "else",
            *(f"    {line}" for line in [f"while ({condition}) {{", *self._block(loop.body, "    "), "}"]),
        ]

    def _assignment(self, statement: Assign) -> list[str]:
        target = statement.target
        if isinstance(target, Variable):
            return [f"{self._c_name(target.name)} = {self._expression(statement.value)};"]
        index, name, kind = self._expression(target.index), self._c_name(target.name), C_TYPES[target.type]
        if target.name in self._tree.privates:
            size = self._tree.privates[target.name].size
            more = self._checked("range", target.position, target.name)
            value = self._expression(statement.value)
            return [f"store_own_{kind}({name}_of, {size}, {index}, {value}, n{more or ', p'});"]
        if self._kind == "claim":
            return [f"claim(claims, {name}_size, {index}, p);"]
        place = f"{name}_next" if target.name in self._nexts else name
        if self._kind == "compare":
            site = self._site("conflict", target.position, target.name)
            value = self._expression(statement.value)
            return [f"compare_{kind}({place}, {name}_size, {index}, {value}, claims, fault, {site}, p);"]
        value = self._expression(statement.value)
        more = self._checked("range", target.position, target.name)
        if not self._claims:
            return [f"store_{kind}({place}, {name}_size, {index}, {value}{more});"]
        lines = [f"const long index = {index};"]
        if self._check:  # what is wrong with a value is an error even if another processor's value stays
            lines.append(f"const {kind} value = {value};")
            value = "value"
        store = f"store_{kind}({place}, {name}_size, index, {value}{more});"
        lines += [f"if (is_mine(claims, {name}_size, index, p)) {{", f"    {store}"]
        if self._check and self._tree.mode in ("EREW", "CREW"):
            site = self._site("conflict", target.position, target.name)
            lines += ["} else {", f"    report(fault, {site}, p, index);"]
        return [*lines, "}"]

    def _checked(self, kind: Literal["range", "undefined"], at: Position, name: str) -> str:
        """Return the arguments with which a helper reports an error, where errors are checked."""
        return f", fault, {self._site(kind, at, name)}, p" if self._check else ""

    # ---- expressions ------------------------------------------------------------------------------------

    def _expression(self, expression: Expression, least: int = 0) -> str:
        text, level = self._form(expression)
        return f"({text})" if level < least else text

    def _form(self, part: Expression) -> tuple[str, int]:
        atom = 12
        if isinstance(part, Constant):
            return _literal(part), atom
        if isinstance(part, Variable):
            return (part.name if part.name in ("p", "n") else self._c_name(part.name)), atom
        if isinstance(part, Length):
            return f"{self._c_name(part.name)}_size", atom
        if isinstance(part, Element):
            return self._element(part), atom
        operator, arguments = part.operator, part.arguments
        if operator in LAZY:
            level = PRECEDENCE[operator]
            values = [self._expression(each, level + 1) for each in arguments]
            if operator == "if":
                return f"{values[0]} ? {values[1]} : {values[2]}", level
            return f"{values[0]} {'&&' if operator == 'and' else '||'} {values[1]}", level
        return self._computed(part)

    def _element(self, part: Element) -> str:
        name, kind = self._c_name(part.name), C_TYPES[part.type]
        if part.name in self._plan.known:
            return name
        more = self._checked("range", part.position, part.name)
        if part.name in self._tree.privates:
            size = self._tree.privates[part.name].size
            return f"load_own_{kind}({name}_of, {size}, {self._expression(part.index)}, n{more or ', p'})"
        return f"load_{kind}({name}, {name}_size, {self._expression(part.index)}{more})"

    def _computed(self, part: Operation) -> tuple[str, int]:
        operator, kind, arguments = part.operator, C_TYPES[part.type], part.arguments
        atom = 12

        def call(name: str, more: str = "") -> tuple[str, int]:
            return f"{name}({', '.join(self._expression(each) for each in arguments)}{more})", atom

        if operator in C_TYPES:
            return self._conversion(part)
        if operator in PRECEDENCE and part.type in WIDTHS and operator in ("+", "-", "*", "negative"):
            if not intervals.exact(part, self._counters):
                return call({"+": "add", "-": "subtract", "*": "multiply", "negative": "negate"}[operator] + f"_{kind}")
        elif operator in ("//", "%"):
            low, _ = intervals.interval(arguments[0], self._counters)
            divisor = arguments[1]
            if low < 0 or not (isinstance(divisor, Constant) and divisor.value > 0):
                name = "floor_divide" if operator == "//" else "floor_modulo"
                return call(f"{name}_{kind}", self._checked("undefined", part.position, "division by zero"))
            operator = "/" if operator == "//" else "%"
        elif operator in ("<<", ">>"):
            name = "shift_left" if operator == "<<" else "shift_right"
            more = self._checked("undefined", part.position, f"{part.type} shifted beyond its width")
            return call(f"{name}_{kind}", more)
        elif operator == "/" and kind == "float":
            return call("divide_float")
        elif operator in ("min", "max"):
            if part.type in WIDTHS:
                return call(operator)
            return call(f"{'least' if operator == 'min' else 'largest'}_{kind}")
        elif operator == "abs":
            return call(f"absolute_{kind}")
        elif operator == "ceil_log2":
            return call(f"ceil_log2_{kind}")
        level = PRECEDENCE["//" if operator == "/" else part.operator]
        if len(arguments) == 1:
            sign = {"negative": "-", "not": "!"}.get(operator, operator)
            return sign + self._expression(arguments[0], atom), PRECEDENCE["negative"]
        # C has other precedences of comparisons, bits and shifts than Python: their operands get parentheses
        plain = operator in ("+", "-", "*", "/", "%") or level == PRECEDENCE["<"]
        first, second = (level, level + 1) if plain and level != PRECEDENCE["<"] else (PRECEDENCE["+"], PRECEDENCE["+"])
        if not plain:
            first = second = atom
        return f"{self._expression(arguments[0], first)} {operator} {self._expression(arguments[1], second)}", (
            level if plain else PRECEDENCE["or"]
        )

    def _conversion(self, part: Operation) -> tuple[str, int]:
        [value] = part.arguments
        kind = C_TYPES[part.type]
        if part.type == "boolean":
            return f"{self._expression(value, PRECEDENCE['+'])} != 0", PRECEDENCE["!="]
        if part.type in WIDTHS and value.type in ("float32", "float64"):
            more = self._checked("undefined", part.position, f"a number that is no {part.type}")
            return f"{kind}_of_{C_TYPES[value.type]}({self._expression(value)}{more})", 12
        if part.type == "int32" and value.type == "int64":
            more = self._checked("undefined", part.position, "a number that is no int32")
            return f"int_of_long({self._expression(value)}{more})", 12
        return f"({kind}){self._expression(value, 12)}", PRECEDENCE["negative"]


@dataclass
class _Uses:
    """What a kernel needs beside its processor, in the order of its arguments."""

    globals: list[str]
    written: set[str]
    sizes: set[str]
    own_arrays: list[str]
    loaded: list[str]
    stored: list[str]
    loads: list[str]
    stores: list[str]
    numbers: list[str]

    @staticmethod
    def of(expressions: list[Expression], body: tuple[Statement, ...], writer: _Writer, kind: Kind = "launch") -> _Uses:
        plan, tree = writer._plan, writer._plan.tree
        found: list[Expression] = [part for each in expressions for part in parts(each)]
        for statement in statements(body):
            if kind == "claim" and isinstance(statement, Assign) and isinstance(statement.target, Element):
                found += parts(statement.target)  # the value is computed later
                continue
            if isinstance(statement, Assign):
                found += parts(statement.target)
            found += [part for each in expressions_of(statement) for part in parts(each)]
        names = list(dict.fromkeys(part.name for part in found if isinstance(part, (Variable, Element, Length))))
        numbers = [name for name in names if name in plan.known]
        touched = {part.name for part in found if isinstance(part, Element)}
        arrays = [name for name in names if name in tree.globals and name not in plan.known]
        own_arrays = [name for name in names if name in tree.privates and tree.privates[name].size is not None]
        scalars = [
            name for name in names if name in tree.privates and name not in plan.known and name not in own_arrays
        ]
        changed = {each.target.name for each in statements(body) if isinstance(each, Assign)}
        stored = [name for name in scalars if name in changed & writer.needed]
        loaded = [name for name in scalars if _is_loaded(name, expressions, body, name in stored)]
        loads, stores = [], []
        for name in scalars:
            c_name, c_type = writer._c_name(name), C_TYPES[tree.privates[name].type]
            constant = "" if name in changed else "const "
            first = f" = {c_name}_of[p]" if name in loaded else ""
            loads.append(f"{constant}{c_type} {c_name}{first};")
            if name in stored:
                stores.append(f"{c_name}_of[p] = {c_name};")
        return _Uses(
            [name for name in arrays if name in touched],
            changed,
            set(arrays),
            own_arrays,
            loaded,
            stored,
            loads,
            stores,
            numbers,
        )

    def arguments(self, writer: _Writer, nexts: set[str], restrict: str = "restrict ") -> list[Argument]:
        tree, found = writer._tree, []
        for name in self.globals:
            c_name, c_type = writer._c_name(name), C_TYPES[tree.globals[name].type]
            constant = "" if name in self.written - nexts else "const "
            found.append(Argument("array", name, f"__global {constant}{c_type} *{restrict}{c_name}"))
            if name in nexts:
                found.append(Argument("next", name, f"__global {c_type} *{restrict}{c_name}_next"))
        for name in tree.globals:
            if name in self.sizes:
                found.append(Argument("size", name, f"const long {writer._c_name(name)}_size"))
        for name in [*self.own_arrays, *dict.fromkeys([*self.loaded, *self.stored])]:
            c_type = C_TYPES[tree.privates[name].type]
            found.append(Argument("private", name, f"__global {c_type} *restrict {writer._c_name(name)}_of"))
        for name in self.numbers:
            kind = tree.privates[name].type if name in tree.privates else tree.globals[name].type
            found.append(Argument("number", name, f"const {C_TYPES[kind]} {writer._c_name(name)}"))
        return found


def _is_else(one: Statement, other: If) -> bool:
    """Whether the second of two conditions holds where the first one does not, and nothing of that has changed."""
    if not isinstance(one, If) or other.condition != Operation("not", (one.condition,), "boolean", other.position):
        return False
    targets = {each.target.name for each in statements(one.body) if isinstance(each, Assign)}
    return not targets & {part.name for part in parts(one.condition) if isinstance(part, (Variable, Element))}


def _needed(plan: Plan) -> set[str]:
    """Return the names of private variables whose value from another launch some kernel reads."""
    needed: set[str] = set()
    for step in all_steps(plan.steps):
        if isinstance(step, Branch):
            needed |= variables_of(step.condition)
        elif isinstance(step, Launch):
            needed |= {name for name in plan.tree.privates if _first_use(name, step.body) == "read"}
    return needed


def _is_loaded(name: str, expressions: list[Expression], body: tuple[Statement, ...], stored: bool) -> bool:
    """Whether the value that a private variable has before is needed, or has to stay where nothing is assigned."""
    if any(name in variables_of(each) for each in expressions):
        return True
    first = _first_use(name, body)
    return first == "read" or (stored and first != "assigned")


def _first_use(name: str, body: tuple[Statement, ...]) -> Literal["read", "assigned", "neither"]:
    """Return what statements may do first with a private variable; "assigned" only if they certainly do."""
    for statement in body:
        if any(name in variables_of(each) for each in expressions_of(statement)):
            return "read"
        if not isinstance(statement, Assign):
            if _first_use(name, statement.body) == "read":
                return "read"
        elif isinstance(statement.target, Variable) and statement.target.name == name:
            return "assigned"
    return "neither"


def _literal(constant: Constant) -> str:
    value, kind = constant.value, constant.type
    if kind == "boolean":
        return str(int(value))
    if kind in WIDTHS:
        suffix, lowest = ("L", -(1 << 63)) if kind == "int64" else ("", -(1 << 31))
        if value == lowest:
            return f"(-{-(int(value) + 1)}{suffix} - 1)"
        return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"
    suffix = "f" if kind == "float32" else ""
    if math.isnan(value):
        return "NAN" if suffix else "((double)NAN)"
    if math.isinf(value):
        text = "INFINITY" if suffix else "((double)INFINITY)"
        return text if value > 0 else f"(-{text})"
    text = repr(float(value)) + suffix
    return f"({text})" if text.startswith("-") else text
