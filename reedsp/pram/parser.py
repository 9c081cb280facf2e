"""From the text of a Python function to a :class:`~reedsp.pram.tree.Tree`: names, types, and what is not supported."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from reedsp.pram.arithmetic import LAZY, WIDTHS, NoResultError, compute, wrapped
from reedsp.pram.compiler.intervals import interval, of_type
from reedsp.pram.errors import ProgramError
from reedsp.pram.tree import (
    DTYPES,
    Assign,
    Constant,
    Element,
    Expression,
    Global,
    If,
    Length,
    Mode,
    Operation,
    Position,
    Private,
    Range,
    Scalar,
    Statement,
    Tree,
    Variable,
    While,
    assigned,
    elements_of,
    parts,
    statements,
    variables_of,
)

_TYPES: dict[str, Scalar] = {each: each for each in get_args(Scalar)} | {
    "bool": "boolean",
    "int": "int64",
    "float": "float64",
}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = {"min": (2, None), "max": (2, None), "abs": (1, 1), "ceil_log2": (1, 1), "select": (3, 3), "len": (1, 1)}
_WORDS = {"p", "n", "range", "Global", *_TYPES, *_FUNCTIONS}
_OPTIONS = ("method", "optimizations", "check", "demand", "max_rounds", "device", "self")
_DEPTH = 100  # of expressions, and of statements
_LONGEST_SHOWN = 40  # characters of what is not supported
_MODES = ", ".join(map(repr, get_args(Mode)))
_SUPPORTED = "assignments, if, while, for over range, and pass"


def parse(
    text: str,
    mode: Mode | None = None,
    first_line: int = 1,
    constants: Mapping[str, Any] | None = None,
    *,
    is_decorated: bool = False,
) -> Tree:
    """Read a program.

    Parameters
    ----------
    text : str
        A function of Python, with its decorators or without.
    mode : {"EREW", "CREW", "common", "arbitrary", "priority"}, optional
        By default that of the decorator, else "CREW".
    first_line : int
        Where the text begins in its file.
    constants : mapping, optional
        Numbers that the program may name.
    is_decorated : bool
        Whether Python has run the decorators, so that nothing is read from them.

    Raises
    ------
    ProgramError
        The program is not one of this language; the message names and quotes the line.
    """
    if mode not in get_args(Mode) and (is_decorated or mode is not None):
        raise ValueError(f"mode: {mode!r} is none of {_MODES}")
    return _Parser(text, mode, first_line, constants or {}).tree(is_decorated)


class _Parser:
    def __init__(self, text: str, mode: Mode | None, first_line: int, constants: Mapping[str, Any]) -> None:
        lines = re.split(r"\r\n|\r|\n", text)  # as Python has them
        self._lines = {first_line + number: line for number, line in enumerate(lines)}
        self._mode, self._first, self._constants = mode, first_line, constants
        code = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
        self._is_inside = code[:1].isspace()  # of another function, or of a text that is indented
        self._text = f"if True:\n{text}" if self._is_inside else text
        self._globals: dict[str, Global] = {}
        self._privates: dict[str, Private] = {}
        self._own: set[str] = set()  # names that are assigned to somewhere, and so mean nothing outside
        self._known: set[str] = set()  # privates that may be read here
        self._counters: list[str] = []  # of the loops that this is in
        self._past: set[str] = set()  # counters of loops that are over
        self._hidden: set[str] = set()
        self._inferred: set[str] = set()  # privates whose type is that of the first value
        self._changed: set[str] = set()  # global variables that are assigned to above

    def tree(self, is_decorated: bool) -> Tree:
        try:
            module = ast.parse(self._text)
        except SyntaxError as error:
            line = self._first + (error.lineno or 1) - 1 - self._is_inside
            raise ProgramError(f"no Python: {error.msg}", line, error.offset or 1, self._lines.get(line, "")) from None
        except (RecursionError, MemoryError, ValueError) as error:  # nested without an end, or characters of no text
            raise ProgramError(f"no Python: {error}", self._first, 1, self._lines.get(self._first, "")) from None
        found: list[ast.stmt] = module.body
        if self._is_inside and len(found) == 1 and isinstance(found[0], ast.If) and not found[0].orelse:
            found = found[0].body
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
            reason = "a program is one function: a text has this alone, without imports and what else is around it"
            raise ProgramError(reason, self._first, 1, self._lines.get(self._first, ""))
        function = found[0]
        mode = self._mode if is_decorated else self._mode_of(function.decorator_list)
        self._want_shallow(function)
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        self._all_names = {node.id for node in names} | {argument.arg for argument in function.args.args}
        self._own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        self._read_parameters(function)
        body = function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and ast.get_docstring(function):
            body = body[1:]
        statements = self._block(body, top=True)
        return Tree(function.name, mode or "CREW", self._globals, self._privates, statements, self._lines)

    def _want_shallow(self, function: ast.FunctionDef) -> None:
        """Refuse expressions, and statements, within one another beyond what compilers, and this one, take."""
        todo: list[tuple[ast.AST, int]] = [(each, 0) for each in ast.iter_child_nodes(function)]
        while todo:
            node, depth = todo.pop()
            if isinstance(node, ast.stmt):
                depth += isinstance(node, (ast.If, ast.For, ast.While))
                if depth > _DEPTH:
                    raise self._wrong(node, f"more than {_DEPTH} conditions and loops within one another")
                for each in ast.iter_child_nodes(node):
                    todo.append((each, depth if isinstance(each, ast.stmt) else 0))
                continue
            if isinstance(node, ast.expr) and not isinstance(node, (ast.Name, ast.Constant)):
                depth += 1
                if isinstance(node, (ast.BoolOp, ast.Compare, ast.Call)):  # an operation for each further operand
                    depth += max(0, sum(isinstance(each, ast.expr) for each in ast.iter_child_nodes(node)) - 2)
                if depth > _DEPTH:
                    raise self._wrong(node, f"more than {_DEPTH} operations within one another; name a part of them")
            todo += [(each, depth) for each in ast.iter_child_nodes(node)]

    # ---- declarations -----------------------------------------------------------------------------------

    def _mode_of(self, decorators: list[ast.expr]) -> Mode | None:
        """Return the mode, which a decorator may say instead of the caller."""
        mode = self._mode
        for number, node in enumerate(decorators):
            called, keywords = (node.func, node.keywords) if isinstance(node, ast.Call) else (node, [])
            if number or ast.unparse(called).rpartition(".")[2] != "program":
                raise self._wrong(node, f"@{ast.unparse(node)} is not supported; a text has @program(mode=...) at most")
            if (isinstance(node, ast.Call) and node.args) or [each.arg for each in keywords] not in ([], ["mode"]):
                raise self._wrong(node, "program takes mode=... and nothing else")
            for each in keywords:
                mode = next((one for one in get_args(Mode) if repr(one) == ast.unparse(each.value)), None)
                if mode is None:
                    raise self._wrong(each.value, f"mode: {ast.unparse(each.value)} is none of {_MODES}")
                if self._mode not in (None, mode):
                    raise self._wrong(each.value, f"mode: {mode!r} here, but {self._mode!r} is given beside the text")
        return mode

    def _read_parameters(self, function: ast.FunctionDef) -> None:
        arguments = function.args
        others = [*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        if any(others) or arguments.defaults:
            raise self._wrong(function, "parameters are plain names, without defaults")
        if [each.arg for each in arguments.args[:2]] != ["p", "n"]:
            raise self._wrong(
                function, "the first two parameters are p, the processor's number, and n, how many there are"
            )
        for argument in arguments.args[2:]:
            if argument.annotation is None:
                raise self._wrong(argument, f"{argument.arg}: a type is missing, such as int64[:] or int64")
            kind, size = self._type(argument.annotation)
            self._new_name(argument.arg, argument)
            if argument.arg in _OPTIONS:
                raise self._wrong(argument, f"{argument.arg} is an argument of Program.run; take another name")
            if size is not None and not (isinstance(size, ast.Slice) and ast.unparse(size) == ":"):
                raise self._wrong(argument, f"{argument.arg}: a given array is declared as {kind}[:]")
            self._globals[argument.arg] = Global(argument.arg, kind, single=size is None)

    def _type(self, node: ast.expr) -> tuple[Scalar, ast.expr | None]:
        if isinstance(node, ast.Subscript):
            kind, inner = self._type(node.value)
            if inner is None:
                return kind, node.slice
        elif (name := self._last_name(node)) in _TYPES:
            return _TYPES[name], None
        raise self._wrong(node, f"{ast.unparse(node)} is no type; there are {', '.join(DTYPES)}")

    @staticmethod
    def _last_name(node: ast.expr) -> str:
        """Return a name, also of a module's: ``pram.int64``."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr
        return node.id if isinstance(node, ast.Name) else ""

    def _new_name(self, name: str, node: ast.AST) -> None:
        if name in _WORDS:
            raise self._wrong(node, f"{name} is a word of the language")
        if name.endswith("_") or "__" in name or not name.isascii():
            raise self._wrong(node, f"{name}: names are of ASCII letters, without __ and without _ at the end")
        if name in self._globals or name in self._privates:
            raise self._wrong(node, f"{name} is declared already")

    def _hide(self, name: str, kind: Scalar) -> str:
        """Return a new private variable that the program does not name."""
        number, hidden = 1, name
        while hidden in self._all_names or hidden in self._hidden:
            number, hidden = number + 1, f"{name}{number + 1}"
        self._hidden.add(hidden)
        self._privates[hidden] = Private(hidden, kind)
        return hidden

    def _declare(self, node: ast.AnnAssign, top: bool) -> list[Statement]:
        if not isinstance(node.target, ast.Name):
            raise self._wrong(node, "only names are declared")
        name, annotation = node.target.id, node.annotation
        self._new_name(name, node.target)
        if isinstance(annotation, ast.Subscript) and self._last_name(annotation.value) == "Global":
            if not top:
                raise self._wrong(
                    node, f"{name}: global arrays and variables are declared outside of conditions and loops"
                )
            kind, size = self._type(annotation.slice)
            given: Expression | None = None
            if size is not None:
                given = self._integer(size)
                self._check_size(given, size)
            self._globals[name] = Global(name, kind, size is None, Constant(1, "int64") if given is None else given)
            return [] if node.value is None else [self._assignment(node.target, node.value, node)]
        kind, size = self._type(annotation)
        length = None
        if size is not None:
            constant = self._expression(size) if not isinstance(size, ast.Slice) else None
            if not isinstance(constant, Constant) or type(constant.value) is not int or constant.value < 1:
                raise self._wrong(
                    node, f"{name}: the size of a private array is a constant; global ones are Global[...]"
                )
            length = constant.value
        self._privates[name] = Private(name, kind, length)
        self._known.add(name)
        return [] if node.value is None else [self._assignment(node.target, node.value, node)]

    def _check_size(self, size: Expression, node: ast.expr) -> None:
        for part in parts(size):
            given = self._globals.get(part.name) if isinstance(part, (Element, Length)) else None
            if (isinstance(part, Variable) and part.name != "n") or (
                given is not None and (given.size is not None or (isinstance(part, Element) and not given.single))
            ):
                raise self._wrong(node, "a size is made of n, constants, given integers, and lengths of given arrays")
            if isinstance(part, Element) and part.name in self._changed:
                raise self._wrong(node, f"a size uses {part.name} as it is given, and it is assigned to above")

    # ---- statements -------------------------------------------------------------------------------------

    def _block(self, nodes: list[ast.stmt], top: bool = False) -> tuple[Statement, ...]:
        return tuple(each for node in nodes for each in self._statement(node, top))

    def _statement(self, node: ast.stmt, top: bool) -> list[Statement]:
        if isinstance(node, ast.Pass):
            return []
        if isinstance(node, ast.AnnAssign):
            return self._declare(node, top)
        if isinstance(node, ast.Assign):
            if len(node.targets) != 1:
                raise self._wrong(node, "one assignment at a time")
            return [self._assignment(node.targets[0], node.value, node)]
        if isinstance(node, ast.AugAssign):
            read = ast.parse(ast.unparse(node.target), mode="eval").body
            value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            for each in ast.walk(read):
                ast.copy_location(each, node.target)
            return [self._assignment(node.target, value, node)]
        if isinstance(node, ast.If):
            return self._branch(node)
        if isinstance(node, ast.While):
            if node.orelse:
                raise self._wrong(node, "while has no else here")
            condition = self._condition(node.test)
            return [While(condition, self._block(node.body), None, self._position(node))]
        if isinstance(node, ast.For):
            return self._loop(node)
        raise self._wrong(node, f"{_shortened(node)} is not supported; there are {_SUPPORTED}")

    def _branch(self, node: ast.If) -> list[Statement]:
        condition, at = self._condition(node.test), self._position(node)
        body = self._block(node.body)
        if not node.orelse:
            return [If(condition, body, at)]
        before: list[Statement] = []
        if _may_change(condition, body):
            kept = Variable(self._hide("chosen", "boolean"), "boolean")
            before, condition = [Assign(kept, condition, at)], kept
        otherwise = Operation("not", (condition,), "boolean", at)
        return [*before, If(condition, body, at), If(otherwise, self._block(node.orelse), at)]

    def _loop(self, node: ast.For) -> list[Statement]:
        call = node.iter
        if node.orelse:
            raise self._wrong(node, "for has no else here")
        if not isinstance(node.target, ast.Name):
            raise self._wrong(node.target, "the counter of a loop is a name")
        if not (isinstance(call, ast.Call) and self._last_name(call.func) == "range" and not call.keywords):
            raise self._wrong(call, "a loop goes over range(...)")
        if not 1 <= len(call.args) <= 3:
            raise self._wrong(call, "range has one to three arguments")
        limits = [self._integer(each) for each in call.args]
        step = 1
        if len(limits) == 3:
            last = limits.pop()
            if not isinstance(last, Constant) or last.value == 0:
                raise self._wrong(call.args[2], "the step of a range is a constant, and not 0")
            step = int(last.value)
        start, stop = limits if len(limits) == 2 else (Constant(0, limits[0].type), limits[0])
        start, stop = self._unified(start, stop, call)
        kind, at = start.type, self._position(node)
        name = self._counter(node.target, kind)
        counter = Variable(name, kind)
        if wrapped(step, kind) != step:
            raise self._wrong(call.args[2], f"the step of this range is of type {kind}, and {step} is none")
        lowest, highest = of_type(kind)
        low, high = interval(stop, {})
        before: list[Statement] = [Assign(counter, start, at)]
        if elements_of(stop) or not variables_of(stop) <= {"p", "n"}:
            limit = Variable(self._hide(f"{name}_stop", kind), kind)
            before, stop = [Assign(limit, stop, at), *before], limit
        self._known.add(name)
        self._counters.append(name)
        body = self._block(node.body)
        self._counters.remove(name)
        self._known.discard(name)
        self._past.add(name)
        condition = Operation("<" if step > 0 else ">", (counter, stop), "boolean", at)
        next_one = Operation("+", (counter, Constant(step, kind)), kind, at)
        if high - 1 + step > highest or low + 1 + step < lowest:  # past the last number of its type the loop is over
            last_one = Constant((highest if step > 0 else lowest) - step, kind)
            fits = Operation("<=" if step > 0 else ">=", (counter, last_one), "boolean", at)
            next_one = Operation("if", (fits, next_one, stop), kind, at)
        return [*before, While(condition, (*body, Assign(counter, next_one, at)), Range(name, start, stop, step), at)]

    def _counter(self, target: ast.Name, kind: Scalar) -> str:
        """Return the name of a loop's counter, which is declared here; ``_`` is one that the program does not read."""
        name = target.id
        if name == "_":
            return self._hide("counter", kind)
        if name in self._counters or (name in self._privates and name not in self._past):
            raise self._wrong(target, f"{name} is declared already; the counter of a loop has a name of its own")
        if name not in self._past:
            self._new_name(name, target)
        if name in self._privates and self._privates[name].type != kind:
            raise self._wrong(target, f"{name} has been the counter of a loop over {self._privates[name].type}")
        self._past.discard(name)
        self._privates[name] = Private(name, kind)
        return name

    def _assignment(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> Statement:
        at = self._position(node)
        computed = self._expression(value)
        if isinstance(target, ast.Subscript):
            place = self._element(target)
            return Assign(place, self._fitted(computed, place.type, value, ast.unparse(target)), at)
        if not isinstance(target, ast.Name):
            raise self._wrong(target, "assigned to are variables and elements of arrays")
        name = target.id
        if name in self._globals:
            declared = self._globals[name]
            if not declared.single:
                raise self._wrong(target, f"{name} is an array; assign to an element of it")
            self._changed.add(name)
            cell = Element(name, Constant(0, "int64"), declared.type, self._position(target))
            return Assign(cell, self._fitted(computed, declared.type, value, name), at)
        if name in self._counters:
            raise self._wrong(target, f"{name} is the counter of this loop, and not assigned to")
        if name not in self._privates:
            self._new_name(name, target)
            self._privates[name] = Private(name, computed.type)
            self._inferred.add(name)
        elif name in self._past:
            raise self._wrong(target, f"{name} has been the counter of a loop; take another name")
        private = self._privates[name]
        if private.size is not None:
            raise self._wrong(target, f"{name} is an array; assign to an element of it")
        self._known.add(name)
        return Assign(Variable(name, private.type), self._fitted(computed, private.type, value, name), at)

    # ---- expressions ------------------------------------------------------------------------------------

    def _expression(self, node: ast.expr) -> Expression:
        at = self._position(node)
        if isinstance(node, ast.Constant):
            return self._constant(node.value, node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Subscript):
            return self._element(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.BoolOp):
            values = [self._condition(each) for each in node.values]
            operator = "and" if isinstance(node.op, ast.And) else "or"
            return self._chain(operator, values, at)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.IfExp):
            return self._selection(node.test, node.body, node.orelse, node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise self._wrong(node, f"{ast.unparse(node)} is not supported in an expression")

    def _constant(self, value: object, node: ast.expr) -> Constant:
        if isinstance(value, (bool, np.bool_)):
            return Constant(bool(value), "boolean")
        if isinstance(value, (int, np.integer)):
            if wrapped(int(value), "int64") != value:
                raise self._wrong(node, f"{value} is no int64")
            return Constant(int(value), "int64")
        if isinstance(value, (float, np.floating)):
            return Constant(float(value), "float64")
        raise self._wrong(node, f"{ast.unparse(node)} is no number")

    def _name(self, node: ast.Name) -> Expression:
        name = node.id
        if name in ("p", "n"):
            return Variable(name, "int64")
        if name in self._globals:
            declared = self._globals[name]
            if not declared.single:
                raise self._wrong(node, f"{name} is an array; take an element of it")
            return Element(name, Constant(0, "int64"), declared.type, self._position(node))
        if name in self._known:
            if self._privates[name].size is not None:
                raise self._wrong(node, f"{name} is an array; take an element of it")
            return Variable(name, self._privates[name].type)
        if name in self._past:
            raise self._wrong(node, f"{name} is known inside of its loop only")
        if name in self._constants and name not in self._own:
            return self._constant(self._constants[name], node)
        raise self._wrong(node, f"{name} is unknown here: no variable assigned above, no array, and no number outside")

    def _element(self, node: ast.Subscript) -> Element:
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        declared = self._globals.get(name) or (self._privates.get(name) if name in self._known else None)
        if declared is None:
            raise self._wrong(node, f"{ast.unparse(node.value)} is no array")
        if declared.single if isinstance(declared, Global) else declared.size is None:
            raise self._wrong(node, f"{name} is a variable, not an array")
        if isinstance(node.slice, (ast.Slice, ast.Tuple)):
            raise self._wrong(node, "arrays have one dimension, and are read one element at a time")
        index = self._converted(self._integer(node.slice), "int64", node)
        return Element(name, index, declared.type, self._position(node))

    def _unary(self, node: ast.UnaryOp) -> Expression:
        at = self._position(node)
        if isinstance(node.op, ast.Not):
            return self._operation("not", (self._condition(node.operand),), "boolean", at)
        value = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.USub) and type(value) is int and value == 2**63:
            return self._constant(-(2**63), node)  # of which Python has no literal
        operand = self._expression(node.operand)
        if isinstance(node.op, ast.Invert):
            if operand.type == "boolean" or operand.type not in WIDTHS:
                raise self._wrong(node, f"~ is for integers, and this is {operand.type}")
            return self._operation("~", (operand,), operand.type, at)
        self._want_number(operand, node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        return self._operation("negative", (operand,), operand.type, at)

    def _binary(self, node: ast.BinOp) -> Expression:
        at, operator = self._position(node), type(node.op)
        one, other = self._expression(node.left), self._expression(node.right)
        if operator in _ARITHMETIC:
            sign = _ARITHMETIC[operator]
            self._want_number(one, node.left)
            self._want_number(other, node.right)
            one, other = self._unified(one, other, node)
            if sign == "/" and one.type in WIDTHS:
                one, other = self._converted(one, "float64", node), self._converted(other, "float64", node)
            if sign in ("//", "%") and one.type not in WIDTHS:
                raise self._wrong(node, f"{sign} is for integers, and these are {one.type}")
            return self._operation(sign, (one, other), one.type, at)
        if operator in _BITS:
            sign = _BITS[operator]
            one, other = self._unified(one, other, node)
            if one.type not in WIDTHS and (sign in ("<<", ">>") or one.type != "boolean"):
                raise self._wrong(node, f"{sign} is for integers, and these are {one.type}")
            return self._operation(sign, (one, other), one.type, at)
        raise self._wrong(node, f"{ast.unparse(node)}: this operator is not supported")

    def _comparison(self, node: ast.Compare) -> Expression:
        at = self._position(node)
        nodes = [node.left, *node.comparators]
        found: list[Expression] = []
        for operator, left, right in zip(node.ops, nodes, nodes[1:], strict=False):
            if type(operator) not in _COMPARISONS:
                raise self._wrong(node, f"{ast.unparse(node)}: this comparison is not supported")
            one, other = self._unified(self._expression(left), self._expression(right), node)
            sign = _COMPARISONS[type(operator)]
            if one.type == "boolean" and sign not in ("==", "!="):
                raise self._wrong(node, f"{sign} is for numbers, and these are boolean")
            found.append(self._operation(sign, (one, other), "boolean", at))
        return self._chain("and", found, at)

    def _selection(self, test: ast.expr, one: ast.expr, other: ast.expr, node: ast.expr) -> Expression:
        condition = self._condition(test)
        values = self._unified(self._expression(one), self._expression(other), node)
        return Operation("if", (condition, *values), values[0].type, self._position(node))

    def _call(self, node: ast.Call) -> Expression:
        name, at = self._last_name(node.func), self._position(node)
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            raise self._wrong(node, "functions have plain arguments")
        if name in _TYPES:
            if len(node.args) != 1:
                raise self._wrong(node, f"{name} has one argument")
            return Operation(_TYPES[name], (self._expression(node.args[0]),), _TYPES[name], at)
        if name not in _FUNCTIONS:
            functions = ", ".join([*_FUNCTIONS, *DTYPES])
            raise self._wrong(node, f"{ast.unparse(node.func)} is no function of the language; there are {functions}")
        fewest, most = _FUNCTIONS[name]
        if len(node.args) < fewest or (most is not None and len(node.args) > most):
            several = " or more, which are numbers and no arrays" * (most is None)
            raise self._wrong(node, f"{name} has {fewest} argument{'s' * (fewest > 1)}{several}")
        if name == "len":
            array = node.args[0]
            if not isinstance(array, ast.Name) or array.id not in self._globals or self._globals[array.id].single:
                raise self._wrong(node, "len is that of a global array")
            return Length(array.id)
        if name == "select":
            condition, one, other = node.args
            return self._selection(condition, one, other, node)
        values = [self._expression(each) for each in node.args]
        for value, each in zip(values, node.args, strict=True):
            self._want_number(value, each)
        if name == "ceil_log2" and values[0].type not in WIDTHS:
            raise self._wrong(node, f"ceil_log2 is for integers, and this is {values[0].type}")
        found = values[0]
        if len(values) == 1:
            return self._operation(name, (found,), found.type, at)
        for value in values[1:]:
            pair = self._unified(found, value, node)
            found = self._operation(name, pair, pair[0].type, at)
        return found

    def _chain(self, operator: str, values: list[Expression], at: Position) -> Expression:
        found = values[0]
        for value in values[1:]:
            found = Operation(operator, (found, value), "boolean", at)
        return found

    def _condition(self, node: ast.expr) -> Expression:
        found = self._expression(node)
        if found.type != "boolean":
            raise self._wrong(node, f"a condition is boolean, and {ast.unparse(node)} is {found.type}; compare it")
        return found

    def _integer(self, node: ast.expr) -> Expression:
        found = self._expression(node)
        if found.type not in WIDTHS:
            raise self._wrong(node, f"an integer is needed, and {ast.unparse(node)} is {found.type}")
        return found

    # ---- types ------------------------------------------------------------------------------------------

    def _operation(self, operator: str, arguments: tuple[Expression, ...], kind: Scalar, at: Position) -> Expression:
        if operator not in LAZY and all(isinstance(each, Constant) for each in arguments):
            try:
                values = [each.value for each in arguments if isinstance(each, Constant)]
                return Constant(compute(operator, values, kind), kind)
            except NoResultError as error:
                raise ProgramError(str(error), at.line, at.column, self._lines.get(at.line, "")) from None
        return Operation(operator, arguments, kind, at)

    def _unified(self, one: Expression, other: Expression, node: ast.AST) -> tuple[Expression, Expression]:
        """Convert two operands to one type: numpy's, where numbers of the text take that of the other operand."""
        if one.type == other.type:
            return one, other
        if "boolean" in (one.type, other.type):
            raise self._wrong(node, f"{one.type} and {other.type} do not go together; convert one of them")
        kind: Any = str(np.promote_types(DTYPES[one.type], DTYPES[other.type]))
        constants = isinstance(one, Constant), isinstance(other, Constant)
        if constants == (True, False):
            kind = _adapted(one.type, other.type)
        elif constants == (False, True):
            kind = _adapted(other.type, one.type)
        return self._converted(one, kind, node), self._converted(other, kind, node)

    def _converted(self, value: Expression, kind: Scalar, node: ast.AST) -> Expression:
        if value.type == kind:
            return value
        if isinstance(value, Constant):
            return self._operation(kind, (value,), kind, self._position(node))
        return Operation(kind, (value,), kind, self._position(node))

    def _fitted(self, value: Expression, kind: Scalar, node: ast.expr, target: str) -> Expression:
        """Convert what is assigned, where nothing can be lost."""
        fits = value.type == kind or (
            "boolean" not in (value.type, kind)
            and (_adapted(value.type, kind) == kind if isinstance(value, Constant) else _is_wider(kind, value.type))
        )
        if not fits:
            other = f", or begin {target} with {value.type}(...)" * (target in self._inferred)
            is_wrong = f"{target} is {kind}, but {ast.unparse(node)} is {value.type}"
            raise self._wrong(node, f"{is_wrong}; write {kind}(...){other}")
        return self._converted(value, kind, node)

    def _want_number(self, value: Expression, node: ast.expr) -> None:
        if value.type == "boolean":
            raise self._wrong(node, f"a number is needed, and {ast.unparse(node)} is boolean")

    def _position(self, node: ast.AST) -> Position:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Position(self._first + line - 1 - self._is_inside, column + 1)

    def _wrong(self, node: ast.AST, reason: str) -> ProgramError:
        at = self._position(node)
        return ProgramError(reason, at.line, at.column, self._lines.get(at.line, ""))


def _shortened(statement: ast.stmt) -> str:
    """Return a statement for a message: its first line, or the beginning of that."""
    line = ast.unparse(statement).partition("\n")[0].rstrip(":")
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}..."


def _adapted(constant: Scalar, other: Scalar) -> Scalar:
    """Return the type of a number of the text beside an operand."""
    return "float64" if constant == "float64" and other in WIDTHS else other


def _is_wider(kind: Scalar, than: Scalar) -> bool:
    return bool(np.can_cast(DTYPES[than], DTYPES[kind], "safe"))


def _may_change(condition: Expression, body: tuple[Statement, ...]) -> bool:
    """Whether a condition may have another value after some statements."""
    written = assigned(body) | {
        each.target.name for each in statements(body) if isinstance(each, Assign) and isinstance(each.target, Element)
    }
    return bool(written & (variables_of(condition) | {each.name for each in elements_of(condition)}))
