"""What the language has, what it refuses, and how the refusal reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp import Device, pram
from reedsp.pram.tree import Constant
from tests.pram.by_hand import body

REFUSED = [
    ("x = y", "y is unknown here: no variable assigned above, no array, and no number outside", 9),
    ("x = A", "A is an array; take an element of it", 9),
    ("A = 1", "A is an array; assign to an element of it", 5),
    ("x = s[0]", "s is a variable, not an array", 9),
    ("x = B[0]", "B is no array", 9),
    ("x = A[0:1]", "arrays have one dimension, and are read one element at a time", 9),
    ("x = A[0.5]", "an integer is needed, and 0.5 is float64", 11),
    ("A[p] = 1.5", "A[p] is int64, but 1.5 is float64; write int64(...)", 12),
    ("A[p] = p < 1", "A[p] is int64, but p < 1 is boolean; write int64(...)", 12),
    ("x: int32 = p", "x is int32, but p is int64; write int32(...)", 16),
    ("x = 1\n    x = 0.5", "x is int64, but 0.5 is float64; write int64(...), or begin x with float64(...)", 9),
    ("print(p)", "print(p) is not supported; there are assignments, if, while, for over range, and pass", 5),
    ("def g():\n        pass", "def g() is not supported; there are assignments", 5),
    ("f(" + "p, " * 40 + ")", "f(" + "p, " * 12 + "p,... is not supported", 5),
    ("s = s * 2\n    T: Global[int64[s + n]]", "a size uses s as it is given, and it is assigned to above", 21),
    ("x = 1\n    x: int64", "x is declared already", 5),
    ("p = 1", "p is a word of the language", 5),
    ("len = 1", "len is a word of the language", 5),
    ("_ = 1", "_: names are of ASCII letters, without __ and without _ at the end", 5),
    ("for _ in range(3):\n        x = _", "_ is unknown here: no variable assigned above", 13),
    ("x_ = 1", "x_: names are of ASCII letters, without __ and without _ at the end", 5),
    ("x: string", "string is no type; there are boolean, int32, int64, float32, float64", 8),
    ("x: int64[n]", "x: the size of a private array is a constant; global ones are Global[...]", 5),
    ("x: int64[0]", "x: the size of a private array is a constant; global ones are Global[...]", 5),
    ("T: Global[int64[p]]", "a size is made of n, constants, given integers, and lengths of given arrays", 21),
    ("if p > 0:\n        T: Global[int64]", "T: global arrays and variables are declared outside of conditions", 9),
    ("A[0]: int64 = 1", "only names are declared", 5),
    ("x = y = 1", "one assignment at a time", 5),
    ("x, y = 1, 2", "(1, 2) is not supported in an expression", 12),
    ("A.x = 1", "assigned to are variables and elements of arrays", 5),
    ("if p: pass", "a condition is boolean, and p is int64; compare it", 8),
    ("x = p < 1 and p", "a condition is boolean, and p is int64; compare it", 19),
    ("x = (p < 1) < (p < 2)", "< is for numbers, and these are boolean", 9),
    ("x = p in A", "p in A: this comparison is not supported", 9),
    ("x = (p < 1) + 1", "a number is needed, and p < 1 is boolean", 10),
    ("x = p == (p < 1)", "int64 and boolean do not go together; convert one of them", 9),
    ("x = 0.5 // 2", "// is for integers, and these are float64", 9),
    ("x = 0.5 | 2.5", "| is for integers, and these are float64", 9),
    ("x = ~0.5", "~ is for integers, and this is float64", 9),
    ("x = p ** 2", "p ** 2: this operator is not supported", 9),
    ("x = 1 // 0", "division by zero", 9),
    ("x = 1 << 64", "int64 shifted by 64", 9),
    ("x = 9223372036854775808", "9223372036854775808 is no int64", 9),
    ("x = -9223372036854775809", "9223372036854775809 is no int64", 10),
    ("x = 1" + " + p" * 101, "more than 100 operations within one another; name a part of them", 9),
    ("x = " + "(p - " * 101 + "1" + ")" * 101, "more than 100 operations within one another", 510),
    ("x = " + " and ".join(["p < 1"] * 101) + " and p < 2", "more than 100 operations within one another", 9),
    ("x = 'a'", "'a' is no number", 9),
    ("x = sum(A)", "sum is no function of the language; there are min, max,", 9),
    ("x = min(A)", "min has 2 arguments or more, which are numbers and no arrays", 9),
    ("x = abs(p, p)", "abs has 1 argument", 9),
    ("x = int32(p, p)", "int32 has one argument", 9),
    ("x = min(p, key=p)", "functions have plain arguments", 9),
    ("x = len(p)", "len is that of a global array", 9),
    ("x = ceil_log2(0.5)", "ceil_log2 is for integers, and this is float64", 9),
    ("for i in A: pass", "a loop goes over range(...)", 14),
    ("for i in range(): pass", "range has one to three arguments", 14),
    ("for i in range(1, 2, p): pass", "the step of a range is a constant, and not 0", 26),
    ("for i in range(int32(3), int32(4), 1 << 31): pass", "the step of this range is of type int32, and 2147483", 40),
    ("for i in range(3):\n        i = 1", "i is the counter of this loop, and not assigned to", 9),
    ("for i in range(3): pass\n    x = i", "i is known inside of its loop only", 9),
    ("for i in range(3): pass\n    i = 1", "i has been the counter of a loop; take another name", 5),
    ("x = 1\n    for x in range(3): pass", "x is declared already; the counter of a loop has a name of its own", 9),
    ("for i in range(3): pass\n    for i in range(int32(3)): pass", "i has been the counter of a loop over int64", 9),
    ("for A[0] in range(3): pass", "the counter of a loop is a name", 9),
    ("for i in range(3): pass\n    else: pass", "for has no else here", 5),
    ("while p < 0: pass\n    else: pass", "while has no else here", 5),
    ("x: int64[2]\n    x = 1", "x is an array; assign to an element of it", 5),
    ("x: int64[2]\n    y = x", "x is an array; take an element of it", 9),
    ("break", "break is not supported; there are assignments, if, while, for over range, and pass", 5),
    ("return", "return is not supported", 5),
]


@pytest.mark.parametrize(("text", "reason", "column"), REFUSED, ids=[text[:80] for text, _, _ in REFUSED])
def test_what_is_refused(text: str, reason: str, column: int) -> None:
    with pytest.raises(pram.ProgramError) as caught:
        body(text, A="int64[:]", s="int64")
    error = caught.value
    assert error.reason.startswith(reason)
    assert error.column == column
    assert error.text == f"    {text}".splitlines()[error.line - 2]
    assert str(error) == f"line {error.line}, column {column}: {error.reason}\n    {error.text.strip()}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1", "a program is one function"),
        ("def f(:", "no Python: "),
        ("def f(p, n): x = '\0'", "no Python: "),
        pytest.param("def f(p, n): x = " + "-" * 10_000 + "p", "no Python: ", id="ten thousand signs"),
        ("def f(p): pass", "the first two parameters are p, the processor's number, and n, how many there are"),
        ("def f(p, n, device: int64): pass", "device is an argument of Program.run; take another name"),
        ("def f(p, n, A): pass", "A: a type is missing, such as int64[:] or int64"),
        ("def f(p, n, A: int64[3]): pass", "A: a given array is declared as int64[:]"),
        ("def f(p, n, A: int64[0:3]): pass", "A: a given array is declared as int64[:]"),
        ("def f(p, n=3): pass", "parameters are plain names, without defaults"),
        ("def f(p, n, *A): pass", "parameters are plain names, without defaults"),
    ],
)
def test_functions_that_are_no_programs(text: str, reason: str) -> None:
    with pytest.raises(pram.ProgramError) as caught:
        pram.from_text(text)
    assert caught.value.reason.startswith(reason)


def test_as_many_operations_as_there_may_be(device: Device) -> None:
    program = body("A[0] = -9223372036854775808" + " + B[p]" * 99, A="int64[:]", B="int64[:]")
    assert program.run(1, device=device, A=[0], B=[1])["A"].tolist() == [-(2**63) + 99]


def test_the_smallest_private_array() -> None:
    program = body("x: int64[1]\n    x[0] = p\n    A[p] = x[0]", A="int64[:]")
    assert program.run(2, method="interpreter", A=[7, 7])["A"].tolist() == [0, 1]


def test_as_many_conditions_within_one_another_as_there_may_be() -> None:
    first, others = "if p == 0:\n        A[p] = 0", [f"\n    elif p == {i}:\n        A[p] = {i}" for i in range(1, 250)]
    program = body(first + "".join(others[:99]), A="int64[:]")
    assert program.run(100, method="interpreter", A=[-1] * 100)["A"].tolist() == list(range(100))
    with pytest.raises(pram.ProgramError, match="more than 100 conditions and loops within one another") as caught:
        body(first + "".join(others), A="int64[:]")
    assert caught.value.text.strip() == "elif p == 100:"


def test_lines_are_those_of_python() -> None:
    with pytest.raises(pram.ProgramError) as caught:
        body("y = 1  # \f \u2028 \x85\r\n    z = 2\r    x = q")
    assert (caught.value.line, caught.value.text) == (4, "    x = q")


def test_a_text_that_is_indented() -> None:
    with pytest.raises(pram.ProgramError, match="q is unknown here") as caught:
        pram.from_text("\n# here\n    def f(p, n):\n# there\n        x = q\n")
    assert (caught.value.line, caught.value.column) == (5, 13)
    with pytest.raises(pram.ProgramError, match="'\\(' was never closed") as caught:
        pram.from_text("    def f(p, n):\n        x = (p\n")
    assert (caught.value.line, caught.value.column) == (2, 13)
    for text in ("  def f(p, n): pass\n  x = 1", " def f(p, n): pass\nelse: pass", ""):
        with pytest.raises(pram.ProgramError, match="a program is one function"):
            pram.from_text(text)


def test_what_is_no_text() -> None:
    for source in (None, b"def f(p, n): pass"):
        with pytest.raises(TypeError, match=r"^source: expected a text, got "):
            pram.from_text(source)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^constants: expected a mapping from names to numbers, got 5$"):
        pram.from_text("def f(p, n): pass", constants=5)  # type: ignore[arg-type]


def test_a_function_inside_of_another_one(tmp_path: Path) -> None:
    """Whose comments and texts may begin where they like."""
    file = tmp_path / "inside.py"
    file.write_text("""
from reedsp import pram

def outside(limit):
    @pram.program
    def inside(p, n, A: pram.int64[:]):
        '''Set all elements,
which are given.'''
# to a limit
        A[p] = limit
    return inside
""")
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    assert names["outside"](7).run(2, method="interpreter", A=[0, 0])["A"].tolist() == [7, 7]
    with pytest.raises(pram.ProgramError, match="limit is no number") as caught:
        names["outside"]("7")
    assert (caught.value.line, caught.value.column) == (10, 16)


CONSTANTS = """
import functools
from reedsp import pram

SIZE = 3

def passed_on(function):
    return functools.wraps(function)(lambda *given: function(*given))

@pram.program
def sized(p, n, A: pram.int64[:]):
    x: pram.int64[SIZE]
    T: pram.Global[pram.int64[SIZE * n]]
    x[SIZE - 1] = len(T)
    A[p] = x[2]

@pram.program
@passed_on
def wrapped(p, n, A: pram.int64[:]):
    A[p] = 2 * SIZE

class Holder:
    @pram.program
    @staticmethod
    def static(p, n, A: pram.int64[:]):
        A[p] = 2 * SIZE

def inner():
    @pram.program
    def sized(p, n, A: pram.int64[:]):
        x: pram.int64[SIZE]
"""


def test_constants_of_a_module(tmp_path: Path) -> None:
    (file := tmp_path / "constants.py").write_text(CONSTANTS)
    names: dict[str, Any] = {}
    exec(compile(CONSTANTS, str(file), "exec"), names)
    for program in (names["sized"], names["wrapped"], names["Holder"].static):
        assert program.run(2, method="interpreter", A=[0, 0])["A"].tolist() == [6, 6]
    with pytest.raises(pram.ProgramError, match="SIZE is unknown here"):  # Python does not say whose it would be
        names["inner"]()


@pytest.mark.parametrize(
    "text",
    [
        "while count < 3:\n        count = count + 1",
        "A[p] = count\n    count = 1",
        "A[p] = count\n    for count in range(3):\n        pass",
        "A[count] = 1\n    count: pram.int64",
        "A[p] = count\n    count += 1",
    ],
)
def test_a_name_that_is_assigned_to_means_nothing_outside(text: str, tmp_path: Path) -> None:
    function = f"def f(p, n, A: pram.int64[:]):\n    {text}\n"
    with pytest.raises(pram.ProgramError, match=r"^line 2, column .*: count is unknown here"):
        pram.from_text(function, constants={"count": 100})
    module = f"from reedsp import pram\ncount = 100\n@pram.program\n{function}"
    (file := tmp_path / "own_names.py").write_text(module)
    with pytest.raises(pram.ProgramError, match=r"^line 5, column .*: count is unknown here"):
        exec(compile(module, str(file), "exec"), {})


def test_what_a_declared_variable_began_with_is_no_matter() -> None:
    with pytest.raises(pram.ProgramError) as caught:
        body("x: int32 = 1\n    x = 0.5")
    assert caught.value.reason == "x is int32, but 0.5 is float64; write int32(...)"


def test_sizes_use_given_numbers_that_change_later() -> None:
    program = body("T: Global[int64[s]]\n    s = s * 2\n    A[p] = len(T)", A="int64[:]", s="int64")
    assert program.run(1, method="interpreter", A=[0], s=3)["A"].tolist() == [3]


def test_a_text_with_imports() -> None:
    with pytest.raises(pram.ProgramError, match="a text has this alone, without imports"):
        pram.from_text("from reedsp import pram\n\n@pram.program\ndef f(p, n): pass")


def test_a_name_that_has_no_value_yet() -> None:
    with pytest.raises(pram.ProgramError, match="later is unknown here"):

        @pram.program
        def early(p, n, A: pram.int64[:]):  # type: ignore[no-untyped-def,valid-type,name-defined,type-arg]
            A[p] = later

    later = 3


def test_a_function_names_its_own_line() -> None:
    limit = 7

    with pytest.raises(pram.ProgramError) as caught:

        @pram.program
        def wrong(p, n, A: pram.int64[:]):  # type: ignore[no-untyped-def,valid-type,name-defined,type-arg]
            A[p] = limit
            A[p] = unknown  # noqa: F821

    with open(__file__, encoding="utf-8") as file:
        assert "A[p] = unknown  # noqa" in file.read().splitlines()[caught.value.line - 1]


def test_numbers_outside_of_a_function_are_constants() -> None:
    limit = 7

    @pram.program(mode="EREW")
    def right(p, n, A: pram.int64[:]):  # type: ignore[no-untyped-def,valid-type,name-defined,type-arg]
        A[p] = limit

    assert right.run(2, method="interpreter", A=[0, 0])["A"].tolist() == [7, 7]
    assert repr(right) == "<pram.Program right (EREW)>"


def test_a_function_without_a_text() -> None:
    with pytest.raises(pram.ProgramError, match="the text of the function cannot be read; use from_text"):
        pram.program(len)
    with pytest.raises(TypeError, match=r"^function: expected a function, got 'EREW'; a mode is given as mode=\.\.\.$"):
        pram.program("EREW")  # type: ignore[call-overload]


def test_modes() -> None:
    with pytest.raises(
        ValueError, match=r"^mode: 'PRAM' is none of 'EREW', 'CREW', 'common', 'arbitrary', 'priority'$"
    ):
        pram.from_text("def f(p, n): pass", mode="PRAM")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^mode: None is none of 'EREW', "):
        pram.program(mode=None)(test_modes)  # type: ignore[call-overload]


DECORATED = '@{}(mode="priority")\ndef f(p, n, A: int64[:]):\n    A[0] = p + 1\n'


@pytest.mark.parametrize("name", ["program", "pram.program", "reedsp.pram.program"])
def test_a_text_says_its_mode(name: str) -> None:
    text = DECORATED.format(name)
    assert pram.from_text(text).run(3, A=[7])["A"].tolist() == [1]
    assert pram.from_text(text, mode="priority").tree.mode == "priority"
    for line in (f"@{name}", f"@{name}()"):
        undecided = text.replace(f'@{name}(mode="priority")', line)
        assert pram.from_text(undecided).tree.mode == "CREW"
        assert pram.from_text(undecided, mode="EREW").tree.mode == "EREW"


@pytest.mark.parametrize(
    ("old", "new", "mode", "reason"),
    [
        ("", "", "EREW", "mode: 'priority' here, but 'EREW' is given beside the text"),
        ('"priority"', '"CRCW"', None, "mode: 'CRCW' is none of 'EREW', 'CREW', 'common', 'arbitrary', 'priority'"),
        ('"priority"', "MODE", None, "mode: MODE is none of 'EREW', 'CREW', 'common', 'arbitrary', 'priority'"),
        ('"priority"', "[1]", None, r"mode: \[1\] is none of 'EREW', .*"),
        ('mode="priority"', '"priority"', None, r"program takes mode=\.\.\. and nothing else"),
        ("mode=", "n=3, mode=", None, r"program takes mode=\.\.\. and nothing else"),
        ("program", "wraps", None, r"@wraps\(.* is not supported; a text has @program\(mode=\.\.\.\) at most"),
        ("@", "@program\n@", None, r"@program\(mode='priority'\) is not supported; a text has .* at most"),
    ],
)
def test_decorators_of_a_text_that_say_something_else(old: str, new: str, mode: Any, reason: str) -> None:
    text = DECORATED.format("program").replace(old, new, 1)
    with pytest.raises(pram.ProgramError, match=rf"^line {2 if text.count('@') == 2 else 1}, column \d+: {reason}\n"):
        pram.from_text(text, mode=mode)


def test_the_least_integer_is_no_float() -> None:
    program = body("F[p] = -9223372036854775808.0 / 2.5\n    A[p] = -9223372036854775808", F="float64[:]", A="int64[:]")
    assert program.tree.body[0].value == Constant(-(2.0**63) / 2.5, "float64")  # type: ignore[union-attr]
    assert program.tree.body[1].value == Constant(-(2**63), "int64")  # type: ignore[union-attr]
    with pytest.raises(pram.ProgramError, match=r"A\[p\] is int64, but -9.223372036854776e\+18 is float64"):
        body("A[p] = -9223372036854775808.0", A="int64[:]")


def test_types_of_numbers_of_the_text() -> None:
    program = body("x: int32 = 1\n    x = x + 1\n    F[p] = F[p] * 2 + 0.1", F="float32[:]")
    result = program.run(2, method="interpreter", F=np.array([0.1, 0.2], np.float32))
    expected = np.array([0.1, 0.2], np.float32) * np.float32(2) + np.float32(0.1)
    assert result["F"].tobytes() == expected.tobytes()
