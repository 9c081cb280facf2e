"""What is made of a program: the meta-program, the host's part, and where optimisations are proven."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from reedsp import pram
from reedsp.pram import examples
from reedsp.pram.compiler import intervals, proofs
from reedsp.pram.compiler.plan import Launch, plan_of
from reedsp.pram.host import HostValues
from tests.pram.by_hand import body

ALGORITHM_2 = """
global A[·]
private k
T0 ← {0, ..., n-1}
k_p ← 2 * n ∀ p ∈ T0
T1 ← {p ∈ T0 | k_p > 1}
while T1 ≠ ∅:
    T2 ← {p ∈ T1 | p < k_p}
    A[p] ← A[2 * p] + A[2 * p + 1] ∀ p ∈ T2
    k_p ← k_p // 2 ∀ p ∈ T1
    T1 ← {p ∈ T1 | k_p > 1}
"""
ALGORITHM_4 = """
global A[·]
private k
B0[n], B1[n], B2[n]
enqueue assign_1 on {0, ..., n-1}
enqueue branch_1(B1, B0) on {0, ..., n-1}
while REDUCE_or(B1):
    enqueue branch_2(B2, B1) on {0, ..., n-1}
    copy A to A_next
    enqueue assign_2(B2) on {0, ..., n-1}
    swap A ↔ A_next
    enqueue assign_3(B1) on {0, ..., n-1}
    enqueue branch_1(B1, B1) on {0, ..., n-1}
"""
ALGORITHM_5 = """
global A[·]
private k
L0[n], L1[n], L2[n]
n0 ← n
enqueue assign_1 on {0, ..., n-1}
n1 ← FILTER_branch_1(L1, L0, n0)
while n1 > 0:
    n2 ← FILTER_branch_2(L2, L1, n1)
    copy A to A_next
    enqueue assign_2(L2) on {0, ..., n2-1}
    swap A ↔ A_next
    enqueue assign_3(L1) on {0, ..., n1-1}
    n1 ← FILTER_branch_1(L1, L1, n1)
"""


def test_the_example_of_the_thesis() -> None:
    assert examples.total.meta_program() == ALGORITHM_2[1:]
    assert examples.total.host_program("bitset", ()) == ALGORITHM_4[1:]
    assert examples.total.host_program("list", ()) == ALGORITHM_5[1:]


A, AB = {"A": "int64[:]"}, {"A": "int64[:]", "B": "int64[:]", "s": "int64"}
NOTES = [
    ("merge", "A[p] = 1\n    B[p] = 2", True, "with line 2"),
    ("merge", "A[p] = 1\n    B[p] = A[p]", False, "not with line 2: A[p] is read from the copy that was written"),
    ("merge", "A[p] = 1\n    B[p] = A[p + 1]", False, "not with line 2: A[p] of one processor and A[p + 1] of another"),
    ("merge", "x = 1\n    B[p] = A[2 * p + 1]", True, "with line 2"),
    ("in place", "A[p] = A[p] + B[p + 1]", True, "no other processor reads the cell"),
    ("in place", "A[2 * p] = A[2 * p] + A[2 * p + 1]", True, "no other processor reads the cell"),
    ("in place", "A[p] = A[2 * p]", False, "A[p] of one processor and A[2 * p] of another may be the same cell"),
    ("in place", "A[B[p]] = 1", True, "no other processor reads the cell"),
    ("in place", "A[B[p]] = A[p]", False, "A[B[p]] of one processor and A[p] of another may be the same cell"),
    ("in place", "A[p] = A[p + n]", True, "in launches whose numbers prove it, as A[p] of one processor and"),
    ("branches", "if B[p] > 0:\n        A[p] = 1", True, "tested in the kernel"),
    ("branches", "if B[p] > 0:\n        A[p] = 1\n        B[p] = 2", False, "it is more than one launch"),
    ("meta variables", "k = 2 * n", True, "k is the host's"),
    ("meta variables", "k = s + 1", True, "k is the host's"),
    ("loops", "for i in range(n):\n        A[p] = B[i]", True, "inside of the kernel"),
    ("loops", "for i in range(n):\n        A[p] = A[p] + i", True, "the host counts the rounds, which are the same"),
    (
        "loops",
        "for i in range(n):\n        A[p] = A[i]",
        True,
        "the host counts the rounds, which are the same for all",
    ),
    (
        "loops",
        "for i in range(p):\n        A[p] = A[i]",
        True,
        "the host counts the rounds of the first and of the last",
    ),
    ("loops", "for i in range(B[p]):\n        A[p] = A[i]", False, "not in a kernel, since A[p] of one processor and"),
]


@pytest.mark.parametrize(("optimization", "text", "applied", "reason"), NOTES)
def test_where_an_optimization_is_applied(optimization: str, text: str, applied: bool, reason: str) -> None:
    program = body(text, "CREW", **AB)
    notes = [note for note in program._plan(frozenset([optimization])).notes if note.optimization == optimization]
    assert [(note.applied, note.text.startswith(reason)) for note in notes] == [(applied, True)], notes
    explained = program.explain([optimization])
    assert f"{'applied' if applied else 'not applied'}: {reason}" in explained
    assert explained.count("not asked for") == 4


def kernel(program: pram.Program, name: str, optimizations: Any = "all", check: bool = False) -> str:
    """Return the text of one kernel."""
    return program.kernels("bitset", optimizations, check).split(f"__kernel void {name}(")[1].split("\n}\n")[0]


def test_a_write_that_others_may_not_make_is_merged() -> None:
    """In CREW programs two processors never write one cell in a step; a device that checks has to see that they do."""
    text = "x = A[p]\n    B[A[p]] = x"
    assert pram.OPTIMIZATIONS[0] == "merge"
    for mode, check, launches in [("CREW", False, 1), ("EREW", False, 1), ("CREW", True, 2), ("arbitrary", False, 2)]:
        source = body(text, mode, **AB).kernels("bitset", "all", check)  # type: ignore[arg-type]
        assert source.count("__kernel void assign_") == launches, (mode, check)
    twice = body("B[A[p]] = 1\n    B[A[p + 1]] = 2", **AB)
    assert "enqueue assign_2" in twice.host_program()
    again = body("for i in range(n):\n        B[A[p] + i] = 1", **AB)
    assert "while i < n" in again.host_program()


def test_private_values_that_nobody_reads_are_not_stored() -> None:
    text = "x = A[p]\n    y = 0\n    while x > 0:\n        z = x // 2\n        y = y + z\n        x = z\n    A[p] = y"
    assert "_of" not in kernel(body(text, **A), "assign_1")
    kept = kernel(body("x = A[2 * p]\n    A[p] = 1\n    A[p] = A[p + 1] + x", **A), "assign_1")
    assert "x_of[p] = x;" in kept
    # where x is not assigned to, what it was before has to be stored again
    some = body("x = 1\n    A[p] = A[p + 1]\n    if A[p] > 0:\n        x = 2\n    A[p] = A[p + 1] + x", **A)
    assert "x = x_of[p];" in kernel(some, "assign_3")


def test_else_is_one_condition() -> None:
    text = "if B[p] > 0:\n        A[p] = 1\n    else:\n        A[p] = 2"
    assert "} else {" in kernel(body(text, **AB), "assign_1")
    again = "if A[p] > 0:\n        A[p] = 0\n    if not A[p] > 0:\n        A[p] = 2"
    assert "else" not in kernel(body(again, **A), "assign_1")


def test_processors_that_have_nothing_to_do_are_not_launched() -> None:
    """By the conditions that the launches of a step begin with, tried for all numbers."""
    for text in (
        "2 * p + s < k",
        "k > 3 * p",
        "p <= k",
        "k >= 2 * p + 1",
        "p < k and A[p] > 0",
        "s < p",
        "s + 0 * p < k",
    ):
        program = body(f"k = n - 2\n    if {text}:\n        A[p] = 1", **AB)
        [step] = [each for each in program._plan(frozenset(pram.OPTIMIZATIONS)).steps if isinstance(each, Launch)]
        for n, s in itertools.product(range(1, 9), range(-3, 4)):
            numbers = {"n": n, "s": s, "k": n - 2}
            value = eval(f"lambda p, s, k, A: {text}")
            active = [p for p in range(n) if value(p, s, n - 2, [1] * n)]
            items = max([n] if not step.bounds else [bound.active(n, numbers.__getitem__) for bound in step.bounds])
            assert items >= max(active, default=-1) + 1
            if text != "s < p":
                assert items == max(active, default=-1) + 1, (text, n, s)
    both = body("if p < s:\n        A[p] = 1\n    B[p] = 1", **AB)
    assert all(not each.bounds for each in both._plan(frozenset(pram.OPTIMIZATIONS)).steps)  # type: ignore[union-attr]
    some = body("if p < s:\n        A[p] = 1", **AB)
    for method in ("bitset", "list"):
        assert some.host_program(method).endswith("enqueue assign_1 on {0, ..., n-1}, as far as p < s\n")


def test_comparisons_of_comparisons_keep_their_parentheses() -> None:
    for text in ("(p < 3) == (p < 5)", "((p < 3) == (p < 5)) != (p > 4)", "p - (n - 1) < n - p - 1"):
        assert f"x_p ← {text} ∀" in body(f"x = {text}").meta_program()


def test_statements_are_compared_with_each_other_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all of a group with all of it for each statement that joins it."""
    asked, may_meet = [], proofs.may_meet

    def counted(one: proofs.Form | None, other: proofs.Form | None) -> bool:
        asked.append(one)
        return may_meet(one, other)

    monkeypatch.setattr(proofs, "may_meet", counted)
    lines = 60
    program = body("\n    ".join(f"A[p] = A[p] + {i}" for i in range(lines)), **A)
    assert program.kernels().count("__kernel void") == 1
    assert len(asked) < 10 * lines**2


def test_what_is_known_to_be_apart_is_not_needed() -> None:
    """Whether statements meet is the same if those before the last one are not compared again."""
    rng = random.Random(0)
    places = ["A[p]", "A[p + n]", "A[2 * p]", "B[A[p]]", "B[p]", "C[A[p]]", "C[s]"]
    several = 0
    for _ in range(400):
        lines = [f"{rng.choice(places)} = {rng.choice([*places, '1'])}" for _ in range(rng.randrange(3, 6))]
        tree = body("\n    ".join(lines), **AB, C="int64[:]").tree
        for exclusive in (False, True):
            rest = (tree, lambda each: proofs.form_of(each.index, tree, frozenset({"s"})), exclusive)  # noqa: B023
            if proofs.meeting_place(tree.body[:-1], *rest) is None:
                several += 1
                apart = proofs.meeting_place(tree.body, *rest, apart=len(lines) - 1)
                assert apart == proofs.meeting_place(tree.body, *rest), lines
    assert several > 20


def test_what_is_demanded() -> None:
    program = body("A[p] = A[2 * p]", **A)
    with pytest.raises(pram.NotProvenError) as caught:
        program.run(2, optimizations=["in place"], demand=True, A=[1, 2, 3])
    assert caught.value.reason.startswith('"in place" is demanded, but: A[p] of one processor and A[2 * p] of another')
    assert caught.value.line == 2


def test_a_variable_that_differs_is_not_the_hosts() -> None:
    everything = frozenset(pram.OPTIMIZATIONS)
    for text, known in [
        ("k = 1", {"k"}),
        ("k = p", set()),
        ("k = 1\n    if p > 0:\n        k = 2", set()),
        ("k = 1\n    if n > 4:\n        k = 2", {"k"}),
        ("k = n\n    m = k\n    while m > 0:\n        A[p] = A[2 * p]\n        m = m // 2", {"k", "m"}),
        ("k = n\n    while A[k] > 0:\n        k = k // 2", set()),
        ("k = A[0]", set()),
        ("s = 1\n    k = s", set()),
    ]:
        plan = plan_of(body(text, **AB).tree, everything)
        assert plan.known - {"s"} == known, text


def test_proofs_agree_with_trying() -> None:
    """Indices a * p + b and c * q + d, by all pairs of different processors."""
    for a, b, c, d in itertools.product(range(-3, 4), range(-3, 4), range(-3, 4), range(-3, 4)):
        one, other = proofs.Form(_polynomial(a), _polynomial(b)), proofs.Form(_polynomial(c), _polynomial(d))
        for n in (1, 2, 5):
            meets = any(a * p + b == c * q + d for p in range(n) for q in range(n) if p != q)
            assert proofs.meet(one, other, n, lambda name: 0) or not meets
            assert proofs.may_meet(one, other) or not meets
            if a == c:
                assert proofs.meet(one, other, n, lambda name: 0) == meets


def _polynomial(value: int) -> proofs.Polynomial:
    return {(): value} if value else {}


def test_forms_are_what_is_computed() -> None:
    program = body("k = n\n    A[(2 * p - k) * 3 - (p << 0)] = 1\n    A[k * (p + s) + len(A) - -p] = 1", **AB)
    tree = program.tree
    values = HostValues(tree, 7, program_memory(program))
    values.variables["k"] = 11
    first, second = (each.target.index for each in tree.body[1:])  # type: ignore[union-attr]
    known = frozenset({"k", "s"})
    assert proofs.form_of(first, tree, known) is None
    form = proofs.form_of(second, tree, known)
    assert form is not None
    for p in range(7):
        numbers = {"n": 7, "k": 11, "s": 3, "len(A)": 5}
        value = sum(factor * _product(numbers, symbols) for symbols, factor in form.a.items()) * p
        value += sum(factor * _product(numbers, symbols) for symbols, factor in form.b.items())
        assert value == values.evaluate(second, p)


def _product(numbers: dict[str, int], symbols: tuple[str, ...]) -> int:
    product = 1
    for each in symbols:
        product *= numbers[each]
    return product


def program_memory(program: pram.Program) -> dict[str, object]:
    from reedsp.pram.memory import memory_of

    return memory_of(program.tree, 7, {"A": [0] * 5, "B": [0], "s": 3})  # type: ignore[return-value]


def test_intervals_hold() -> None:
    rng = random.Random(0)
    for _ in range(300):
        one, other = (rng.choice(["p", "n", "len(A)", "3", "-5", "min(p, 7)", "p % 4", "n // 3"]) for _ in range(2))
        program = body(f"x = ({one}) {rng.choice(['+', '-', '*', '//', '%'])} ({other})", **A)
        value = program.tree.body[0].value  # type: ignore[union-attr]
        low, high = intervals.interval(value, {})
        for p, n in ((0, 1), (3, 4), (6, 100)):
            try:
                found = HostValues(program.tree, n, {"A": [0] * 9}).evaluate(value, p)  # type: ignore[dict-item]
            except pram.UndefinedError:
                continue
            assert low <= found <= high


def test_kernels_do_not_depend_on_where_they_are_made() -> None:
    for method, chosen in itertools.product(("bitset", "list"), ((), "all")):
        text = examples.components.kernels(method, chosen)  # type: ignore[arg-type]
        assert text == pram.Program(examples.components.source, "CREW", 1, {}).kernels(method, chosen)  # type: ignore[arg-type]
        assert text.count("__kernel void") == len({part.split("(")[0] for part in text.split("__kernel void ")[1:]})
