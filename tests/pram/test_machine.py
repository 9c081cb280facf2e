"""Programs on devices: the thesis' own, wrong ones that a device notices, and random ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import reedsp
from reedsp import pram
from reedsp.pram import examples, rounds
from reedsp.pram.tree import Mode
from tests.deep.fuzz.pram_programs import ALL_SETS, METHODS, outcome, same
from tests.pram.by_hand import body
from tests.pram.problems import problems

Method = Literal["bitset", "list"]
PAGE = Path(__file__).parents[2] / "docs/explanation/pram.md"
NUMBER = len(list(problems(0)))


@pytest.mark.parametrize("seed", range(12))
def test_interpreter_solves_the_problems_of_the_thesis(seed: int) -> None:
    for problem in problems(seed):
        problem.check(problem.program.run(problem.n, method="interpreter", **problem.given))


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", range(NUMBER))
def test_devices_solve_them(index: int, method: Method, device: reedsp.Device) -> None:
    for seed in range(4):
        problem = list(problems(seed))[index]
        expected = problem.program.run(problem.n, method="interpreter", **problem.given)
        result = problem.program.run(problem.n, method=method, device=device, **problem.given)
        assert all(same(expected[name], result[name]) for name in expected)
    problem = list(problems(0, large=True))[index]
    problem.check(problem.program.run(problem.n, method=method, device=device, **problem.given))


@pytest.mark.deep(parts=82)  # each set is a program of its own to compile
@pytest.mark.parametrize("first", range(0, len(ALL_SETS), 8))
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", range(NUMBER))
def test_every_set_of_optimizations_gives_the_same(
    index: int, method: Method, first: int, device: reedsp.Device
) -> None:
    problem = list(problems(3))[index]
    expected = problem.program.run(problem.n, method="interpreter", **problem.given)
    launches = {}
    for chosen in {*ALL_SETS[first : first + 8], frozenset(pram.OPTIMIZATIONS)}:
        result = problem.program.run(problem.n, method=method, optimizations=chosen, device=device, **problem.given)
        assert all(same(expected[name], result[name]) for name in expected), chosen
        launches[chosen] = result.stats["kernels_launched"]
    assert launches[frozenset(pram.OPTIMIZATIONS)] == min(launches.values())


@pytest.mark.deep
def test_the_program_of_the_page(device: reedsp.Device) -> None:
    """A user's own, with every set of optimisations."""
    text = PAGE.read_text().split("<!-- own program -->")[1].split("@pram.program\n")[1].split("```")[0]
    ranking, n = pram.from_text(text), 37
    order = np.random.default_rng(0).permutation(n)
    after, expected = np.empty(n, int), np.empty(n, int)
    after[order], expected[order] = [*order[1:], order[-1]], np.arange(n)[::-1]
    given = {"after": after, "rank": np.zeros(n, int)}
    assert ranking.run(n, method="interpreter", **given)["rank"].tolist() == expected.tolist()
    for method, chosen in itertools.product(METHODS, ALL_SETS):
        found = ranking.run(n, method=method, optimizations=chosen, device=device, **given)
        assert found["rank"].tolist() == expected.tolist(), (method, chosen)


@pytest.mark.deep
@pytest.mark.parametrize("chosen", [(), ("merge",), ("in place", "branches"), ("meta variables", "loops")])
def test_some_sets_of_optimizations(chosen: tuple[str, ...], device: reedsp.Device) -> None:
    values = np.arange(16) % 5
    for method in METHODS:
        result = examples.efficient_scan.run(8, method=method, optimizations=chosen, device=device, A=values)
        np.testing.assert_array_equal(result["A"], values.cumsum())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 16))])
def test_random_programs(seed: int, device: reedsp.Device) -> None:
    assert outcome(seed, device)[1] == ""


def everywhere(text: str, n: int, device: reedsp.Device, parameters: dict[str, str], **given: Any) -> list[Any]:
    """Return what the interpreter leaves in A, after the same was found by both methods with several optimisations."""
    program = body(text, **parameters, A="int64[:]")
    settings: dict[str, Any] = {"max_rounds": 60, **given}
    expected = program.run(n, method="interpreter", **settings)["A"].tolist()
    for method, chosen in itertools.product(METHODS, ("all", ("loops",))):
        found = program.run(n, method=method, optimizations=chosen, device=device, **settings)
        assert found["A"].tolist() == expected, (method, chosen)
    return list(expected)


@pytest.mark.deep
def test_conditions_whose_sides_wrap(device: reedsp.Device) -> None:
    """Whose difference does not: who is active is not found by subtracting them."""
    text, given = "if p + x < x:\n        A[p] = 1", {"x": 2**63 - 3}
    assert everywhere(text, 6, device, {"x": "int64"}, **given, A=[0] * 6) == [0, 0, 0, 1, 1, 1]


@pytest.mark.deep
def test_ranges_whose_ends_wrap(device: reedsp.Device) -> None:
    """Processors in the middle go round more often than the first and the last one."""
    text = f"for i in range(0, p * {2**62}, {2**62}):\n        A[p] = A[p] + A[(p + 1) % n]\n        A[p] = A[p] + 1"
    assert everywhere(text, 5, device, {}, A=[1] * 5) == [1, 3, 1, 1, 1]


@pytest.mark.deep
def test_counters_at_the_end_of_their_type(device: reedsp.Device) -> None:
    """The next number would be behind it, and come back at the other end."""
    text = "for i in range({}):\n        A[p] = A[p] + 1"
    given = {"last": 2**31 - 1}
    assert everywhere(text.format("last - 1, last, 2"), 1, device, {"last": "int32"}, **given, A=[0]) == [1]
    assert everywhere(text.format(f"{2**63 - 3}, {2**63 - 1}, 3"), 1, device, {}, A=[0]) == [1]
    assert everywhere(text.format(f"{3 - 2**63}, {-(2**63)}, -2"), 1, device, {}, A=[0]) == [2]


@pytest.mark.deep("int32")
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_the_smallest_integer_has_no_magnitude(kind: str, device: reedsp.Device) -> None:
    """It is its own; compilers take the ``abs`` of OpenCL for never negative once it is converted."""
    size = 10
    uses = ("abs(A[p]) % 10", "abs(A[p]) // -3", "abs(A[p]) >> 1", "0 if abs(A[p]) < 0 else 1", "max(abs(-A[p]), 0)")
    text = "".join(f"    R[{place}] = {use}\n" for place, use in enumerate(uses))
    text += f"    B[abs(A[p]) % len(B)] = 1\n    for i in range(abs(A[p]) % {size}):\n        R[9] = R[9] + 1\n"
    program = pram.from_text(f"def f(p, n, A: {kind}[:], B: int64[:], R: int64[:]):\n{text}")
    given = {"A": [np.iinfo(kind).min], "B": [0] * size, "R": [0] * size}
    expected = program.run(1, method="interpreter", **given)
    assert expected["R"][0] == np.iinfo(kind).min % 10
    for method, chosen, check in ((METHODS[0], "all", False), (METHODS[1], (), True)):
        found = program.run(1, method=method, optimizations=chosen, check=check, device=device, **given)
        assert all(same(expected[name], found[name]) for name in expected), method


def test_more_rounds_than_kernels_count(device: reedsp.Device) -> None:
    text = "k = 0\n    while k < A[p]:\n        k = k + 1\n    for i in range(A[p]):\n        k = k + 1\n    A[p] = k"
    assert everywhere(text, 2, device, {}, max_rounds=2**63, A=[3, 4]) == [6, 8]


@pytest.mark.deep
def test_a_counter_that_nothing_reads(device: reedsp.Device) -> None:
    text = "counter = 1\n    for _ in range(2):\n        for _ in range(p):\n            A[p] = A[p] + counter"
    assert everywhere(text, 3, device, {}, A=[0] * 3) == [0, 2, 4]


@pytest.mark.deep
def test_a_counted_loop_ends_where_nobody_is_left(device: reedsp.Device) -> None:
    """Those at the ends, by whose rounds the host counts, may not be in it."""
    text = "if p < 3:\n        for i in range({}p):\n            A[p] = A[p + 1] + 1\n            A[p] = A[p] * 2"
    assert everywhere(text.format(""), 8, device, {}, max_rounds=4, A=[1] * 9)[:4] == [1, 4, 4, 1]
    assert everywhere(text.format(f"{-(2**63)}, {-(2**63)} + "), 8, device, {}, max_rounds=4, A=[1] * 9)[1] == 4
    program = body(text.format(""), A="int64[:]")
    launches = {m: program.run(999, method=m, device=device, A=[1] * 1000).stats["assignments"] for m in METHODS}
    assert launches == {"bitset": 33, "list": 5}


# ---- what is wrong in the thesis ----------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("n", [4, 9, 40])
@pytest.mark.parametrize("method", METHODS)
def test_what_intels_optimizer_gets_wrong(method: Method, n: int, device: reedsp.Device) -> None:
    text = """
def halves(p, n, F: int64[:]):
    if p % 2 == 0:
        F[p] = min((p << 4), max(p, n))
"""
    program = pram.from_text(text, mode="arbitrary")
    for chosen in ALL_SETS:
        result = program.run(n, method=method, optimizations=chosen, device=device, F=np.full(n, -1))
        assert result["F"].tolist() == [-1 if p % 2 else min(16 * p, max(p, n)) for p in range(n)]


@pytest.mark.parametrize("method", METHODS)
def test_cells_that_nobody_writes_stay(method: Method, device: reedsp.Device) -> None:
    """Swapping two buffers, as section 4.2 has it, would lose three of four."""
    result = body("if p == 2:\n        A[p] = A[0] + 7", A="int64[:]").run(
        4, method=method, optimizations=(), device=device, A=[1, 2, 3, 4]
    )
    assert result["A"].tolist() == [1, 2, 8, 4]


def test_lists_are_not_compacted_into_themselves(device: reedsp.Device) -> None:
    """As Algorithm 5 does it; many processors leave the loop, a few each time."""
    text = "x = p\n    while x > 0:\n        x = x - 1 - p % 3\n        A[p] = A[p] + 1"
    n = 3000
    result = body(text, A="int64[:]").run(n, method="list", optimizations=(), device=device, A=np.zeros(n, int))
    p = np.arange(n)
    np.testing.assert_array_equal(result["A"], -(-p // (1 + p % 3)))


# ---- what is wrong in programs -----------------------------------------------------------------------

WRONG: list[tuple[str, Mode, type[pram.RunError], str, str | None]] = [
    ("A[p + 3] = 0", "CREW", pram.OutOfRangeError, "A[4] is outside of A, which has 4 elements", "A[4]"),
    ("x = A[p - 1]", "CREW", pram.OutOfRangeError, "processor 0: A[-1] is outside of A, which has 4 elements", "A[-1]"),
    ("y: int64[2]\n    y[p + 1] = 0", "CREW", pram.OutOfRangeError, "processor 1: y[2] is outside of y", "y[2]"),
    ("x = 3 // p", "CREW", pram.UndefinedError, "processor 0: division by zero", None),
    ("A[s] = p", "CREW", pram.ConflictError, "processor 1 and another one both write A[1], which CREW forbids", "A[1]"),
    ("A[s] = p", "common", pram.ConflictError, "write different values to A[1], which common forbids", "A[1]"),
]


@pytest.mark.deep("x = 3 // p")
@pytest.mark.parametrize(("text", "mode", "kind", "reason", "cell"), WRONG, ids=[each[0] for each in WRONG])
def test_what_a_device_notices(
    text: str,
    mode: Mode,
    kind: type[pram.RunError],
    reason: str,
    cell: str | None,
    device: reedsp.Device,
) -> None:
    method: Method = METHODS[len(text) % 2]
    program = body(text, mode, A="int64[:]", s="int64")
    given: dict[str, Any] = {"A": [1, 2, 3, 4], "s": 1}
    with pytest.raises(kind) as caught:
        program.run(2, method=method, check=True, device=device, **given)
    error = caught.value
    assert reason in str(error)
    assert error.cell == cell
    assert len(error.processors) == 1
    assert (error.launch, error.step) == (1, None)
    assert str(error).startswith(f"line {error.line}, column {error.column}: launch 1: ")
    assert error.text.strip() == text.splitlines()[-1].strip()
    unchecked = program.run(2, method=method, device=device, **given)["A"]  # nothing is written elsewhere
    assert unchecked[0] == 1
    assert unchecked[2:].tolist() in ([3, 4], [3, 0])


def test_a_loop_without_an_end_is_given_up_soon() -> None:
    with pytest.raises(pram.EndlessLoopError, match="not ended after 65536 rounds"):
        body("while p == 0:\n        pass").run(1, method="interpreter")


LONG_RANGES = [
    "for i in range(20):\n        A[p] = A[p] + i",
    "for i in range(p + 19):\n        A[p] = A[(p + 1) % n] + i",
    "for i in range(A[p] + 20):\n        A[p] = A[(p + 1) % n] + i",
    "for i in range(20):\n        k = 0\n        while k < 2:\n            k = k + 1\n        A[p] = A[p] + k",
]


@pytest.mark.deep("first and last", "no end known", "while inside")
@pytest.mark.parametrize("text", LONG_RANGES, ids=["kernel", "first and last", "no end known", "while inside"])
def test_a_range_ends_by_itself(text: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is, unless the caller says how long it may be."""
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 9)
    program, given = body(text, A="int64[:]"), {"A": [0, 0], "device": device}
    expected = program.run(2, method="interpreter", **given)["A"].tolist()
    ways: list[tuple[Method, Any]] = [("bitset", "all"), ("list", ("loops",)), ("bitset", ())]
    for method, chosen in ways:
        assert program.run(2, method=method, optimizations=chosen, **given)["A"].tolist() == expected, (method, chosen)
        with pytest.raises(pram.EndlessLoopError, match="not ended after 9 rounds"):
            program.run(2, method=method, optimizations=chosen, max_rounds=9, **given)
    with pytest.raises(pram.EndlessLoopError, match="not ended after 9 rounds"):
        body("x = 1\n    while x > 0:\n        x = max(x, 1)").run(2, device=device)


@pytest.mark.deep("optimizations1")
@pytest.mark.parametrize("optimizations", ["all", ()])
def test_loops_without_an_end(optimizations: Any, device: reedsp.Device) -> None:
    text = "x = 1\n    while x > {}:\n        x = max(x, 1)"
    for limit, method in (("p - p", "bitset"), ("0", "list")):
        program = body(text.format(limit))
        with pytest.raises(pram.EndlessLoopError, match=r"after 20 rounds;.* max_rounds allows") as caught:
            program.run(3, method=method, optimizations=optimizations, max_rounds=20, device=device)  # type: ignore[arg-type]
        assert caught.value.line == 3
        assert caught.value.processors in ((0,), (1,), (2,))


def test_the_launch_of_an_error_is_named(device: reedsp.Device) -> None:
    """In the third round A[1] becomes the index, of one processor."""
    text = "for i in range(4):\n        A[p] = A[A[p]] + i"
    for method in METHODS:
        with pytest.raises(pram.OutOfRangeError, match=r"launch \d+: processor \d: A\[\d+\] is outside") as caught:
            body(text, A="int64[:]").run(3, method=method, check=True, device=device, A=[1, 2, 0])
        assert caught.value.launch == 3
    reason = "launch 9: the loop has not ended after 4 rounds; processor 1 did not leave it; max_rounds allows more"
    with pytest.raises(pram.EndlessLoopError, match=reason):
        body("while p > 0:\n        A[p] = A[p - 1]", A="int64[:]").run(
            3, optimizations=(), max_rounds=4, device=device, A=[1, 2, 0]
        )


def test_what_the_host_computes_may_be_undefined(device: reedsp.Device) -> None:
    program = body("x = 3 // (n - 2)\n    A[p] = x", A="int64[:]")
    with pytest.raises(pram.UndefinedError, match=r"^line 2, column 9: processor 0: division by zero\n    x = 3 // "):
        program.run(2, check=True, device=device, A=[0, 0])
    assert program.run(3, check=True, device=device, A=[0, 0, 0])["A"].tolist() == [3, 3, 3]
    program = body("for i in range(3 // (n - 2)):\n        A[(p + i) % n] = A[i]", A="int64[:]")
    with pytest.raises(pram.UndefinedError, match=r"^line 2, column 20: processor 0: division by zero\n    for i in "):
        program.run(2, check=True, device=device, A=[0, 0])


@pytest.mark.deep
def test_what_has_no_result_is_0_wherever_it_is_computed(device: reedsp.Device) -> None:
    """Unless that is checked; the host, which knows these variables, does as kernels do."""
    text = "k = 5 // x + (1 << (64 + x))\n    for i in range(7 % x + 2):\n        A[p] = A[p] + k + int32(y) + i"
    program = body(text, A="int64[:]", x="int64", y="int64")
    for method, chosen in itertools.product(METHODS, ("all", ())):
        settings: dict[str, Any] = {"method": method, "optimizations": chosen, "device": device}
        found = program.run(2, **settings, A=[5, 6], x=0, y=1 << 40)
        assert found["A"].tolist() == [6, 7], (method, chosen)
        with pytest.raises(pram.UndefinedError, match="division by zero"):
            program.run(2, check=True, **settings, A=[5, 6], x=0, y=1 << 40)


@pytest.mark.parametrize("method", METHODS)
def test_what_nobody_computes_is_not_undefined(method: Method, device: reedsp.Device) -> None:
    """The host knows the bound, and no processor is there to need it."""
    text = "if p > 5:\n        for i in range(3 // (n - 2)):\n            A[(p + i) % n] = A[i]"
    text += "\n        while 0 < 1:\n            A[0] = A[1]"
    found = body(text, A="int64[:]").run(2, method=method, check=True, device=device, A=[1, 2])
    assert found["A"].tolist() == [1, 2]
    assert found.stats["assignments"] == (method == "bitset")  # the first loop, in a kernel of its own


def test_no_processors(device: reedsp.Device) -> None:
    assert body("A[0] = 1", A="int64[:]").run(0, device=device, A=[3])["A"].tolist() == [3]


def test_empty_arrays(device: reedsp.Device) -> None:
    program = body("T: Global[float64[len(A)]]\n    if p < len(T):\n        T[p] = 1\n        A[p] = 1", A="int64[:]")
    result = program.run(3, device=device, A=[])
    assert result["A"].tolist() == result["T"].tolist() == []


ARITHMETIC = """
    x: float32 = F[p] / float32(3)
    F[p] = max(x, F[(p + 1) % n]) - min(x * 0.1, 2)
    y: int32 = int32(A[p] % 1000) * 1000003
    A[p] = int64(y << 3) ^ (A[p] >> 2) | (~A[p] & 5)
    G[p] = abs(G[p] - big) / (A[p] - A[p]) if p % 2 == 0 else -G[p] * tiny
    A[p] = A[p] + int64(x) + ceil_log2(abs(A[p])) - (-A[p] // -7) * (A[p] % -4)
    last: boolean = not (p < n - 1 and A[p] != 3) or G[p] == big
    z: int64[3]
    z[p % 3] = A[p]
    z[0] = z[0] + z[2]
    H[p] = last ^ (z[0] > 1) & True
    A[p] += z[1]
    H[p] = H[p] ^ boolean(A[p] % 3) ^ (A[p] / 4 > 0.5)
    A[p] = A[p] ^ (least if p == 1 else +p) ^ (least32 if p == 2 else y)
    G[p] = none if p == 5 else G[p]
    F[p] = float32(none) if p == 6 else F[p]
"""


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_arithmetic_of_every_type(method: Method, device: reedsp.Device) -> None:
    parameters = {"A": "int64[:]", "F": "float32[:]", "G": "float64[:]", "H": "boolean[:]"}
    declared = "".join(f", {name}: {kind}" for name, kind in parameters.items())
    text = f"def f(p, n{declared}):{ARITHMETIC}"
    constants = {"big": np.inf, "tiny": 5e-324, "none": np.nan, "least": -(1 << 63), "least32": -(1 << 31)}
    program = pram.from_text(text, constants=constants)
    n = 40
    rng = np.random.default_rng(0)
    given: dict[str, Any] = {
        "A": rng.integers(-(1 << 62), 1 << 62, n),
        "F": rng.standard_normal(n).astype(np.float32),
        "G": np.concatenate([[0.0, -0.0, np.nan, np.inf], rng.standard_normal(n - 4)]),
        "H": np.zeros(n, bool),
    }
    expected = program.run(n, method="interpreter", **given)
    for check in (False, True):
        result = program.run(n, method=method, check=check, device=device, **given)
        assert [name for name in expected if not same(expected[name], result[name])] == []


def test_words_of_the_language_are_python() -> None:
    """What programs are written in can be called and subscripted, too, so that checkers of types know it."""
    from reedsp.pram.language import Global, int32, select

    assert (repr(int32), int32[4], int32(7.0)) == ("int32", int32, 7)
    assert Global[int32] is Global
    assert (select(True, 1, 2), select(False, 1, 2)) == (1, 2)


def test_keywords_of_c(device: reedsp.Device) -> None:
    names = ("_Bool", "_Complex", "_Generic", "_Static_assert", "_Atomic", "_Noreturn", "_own", "_0")
    names += ("read_only", "write_only", "read_write", "complex", "imaginary")
    text = "\n    ".join([*(f"{name} = p" for name in names), f"A[p] = {' + '.join(names)}"])
    assert body(text, A="int64[:]").run(2, device=device, A=[0, 0])["A"].tolist() == [0, len(names)]


def test_names_that_c_has(device: reedsp.Device) -> None:
    text = "kernel = p\n    long = 2\n    count = kernel + long\n    active[p] = count + load_long"
    text += "\n    A_size = len(A)\n    A[p] = A_size"
    result = body(text, active="int64[:]", load_long="int64", A="int64[:]").run(
        2, device=device, active=[0, 0], load_long=1, A=[0, 0]
    )
    assert result["active"].tolist() == [3, 4]
    assert result["A"].tolist() == [2, 2]


def test_names_of_macros_and_types_of_c(device: reedsp.Device) -> None:
    names = [
        "INT_MAX",
        "M_PI",
        "MAXFLOAT",
        "CLK_GLOBAL_MEM_FENCE",
        "pipe",
        "get_global_id",
        "image2d_array_t",
        "generic",
    ]
    text = "\n    ".join(f"{name} = A[p] + {number}" for number, name in enumerate(names))
    text += f"\n    A[p] = A[(p + 1) % n]\n    A[p] = {' + '.join(names)} + FLT_MAX[p]"
    for chosen in ((), "all"):
        found = body(text, A="int64[:]", FLT_MAX="int64[:]").run(
            2, optimizations=chosen, device=device, A=[1, 2], FLT_MAX=[5, 6]
        )
        assert found["A"].tolist() == [8 + 28 + 5, 16 + 28 + 6]


def test_stats(device: reedsp.Device) -> None:
    values = np.arange(16)
    plain, merged = (
        examples.total.run(8, optimizations=chosen, device=device, A=values).stats for chosen in ((), "all")
    )
    assert plain["device"] == str(device)
    assert plain["optimizations"] == []
    # k, and in each of four rounds two assignments; the condition, and two more each round; five tests
    assert (plain["assignments"], plain["branches"], plain["words_read"], plain["copies"]) == (9, 9, 5, 4)
    assert (merged["kernels_launched"], merged["words_read"], merged["copies"]) == (4, 0, 4)
    for stats in (plain, merged):
        assert stats["set_launches"] == stats["kernels_launched"] - stats["assignments"] - stats["branches"]
