"""The reference: lock step, conflicts of every mode, and errors that name line, step, processors and cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reedsp import pram
from reedsp.pram.tree import Mode
from tests.pram.by_hand import body


def interpreted(text: str, n: int, mode: Mode = "CREW", **given: Any) -> pram.Result:
    kinds = {
        name: f"{'float64' if np.asarray(value).dtype.kind == 'f' else 'int64'}{'[:]' if np.ndim(value) else ''}"
        for name, value in given.items()
    }
    return body(text, mode, **kinds).run(n, method="interpreter", max_rounds=100, **given)


def test_all_is_read_before_anything_is_stored() -> None:
    assert interpreted("A[p] = A[n - 1 - p]", 4, A=[1, 2, 3, 4])["A"].tolist() == [4, 3, 2, 1]
    assert interpreted("A[p] = A[2 * p]", 3, A=[0, 1, 2, 3, 4])["A"].tolist() == [0, 2, 4, 3, 4]


def test_who_leaves_a_loop_does_not_come_back() -> None:
    """Processor 0 stops at once; the flag that would let it go on is set later."""
    text = "while A[p] < 3:\n        A[p] = A[p] + 1\n        B[0] = A[0]"
    result = interpreted(text, 2, "common", A=[3, 0], B=[0])
    assert result["A"].tolist() == [3, 3]
    text = "x = 0\n    while A[0] > x:\n        x = x + 1\n        if p == 1:\n            A[0] = 5"
    assert interpreted(text, 2, A=[0])["A"].tolist() == [0]


def test_else_goes_by_what_the_condition_was() -> None:
    assert interpreted("if A[p] < 2:\n        A[p] = 9\n    else:\n        A[p] = 0", 3, A=[1, 2, 3])["A"].tolist() == [
        9,
        0,
        0,
    ]


def test_steps_and_work() -> None:
    result = interpreted("if p > 0:\n        A[p] = 1\n    for i in range(p):\n        A[p] = i", 3, A=[0, 0, 0])
    # the condition and its assignment, start, three conditions, and two rounds of two assignments
    assert result.stats == {
        "method": "interpreter",
        "processors": 3,
        "steps": 10,
        "work": 3 + 2 + 3 + 3 + 4 + 2 + 2 + 1,
    }


CONFLICTS = [
    ("EREW", "x = A[0]", "processors 0 and 1 both read A[0], which EREW forbids", "A[0]"),
    ("EREW", "x = s", "processors 0 and 1 both read s, which EREW forbids", "s"),
    ("EREW", "A[0] = p", "processors 0 and 1 both write A[0], which EREW forbids", "A[0]"),
    ("CREW", "A[0] = p", "processors 0 and 1 both write A[0], which CREW forbids", "A[0]"),
    ("CREW", "s = 1", "processors 0 and 1 both write s, which CREW forbids", "s"),
    ("common", "A[1] = p", "processors 0 and 1 write 0 and 1 to A[1], which common forbids", "A[1]"),
]


@pytest.mark.parametrize(("mode", "text", "reason", "cell"), CONFLICTS)
def test_conflicts(mode: Mode, text: str, reason: str, cell: str) -> None:
    with pytest.raises(pram.ConflictError) as caught:
        interpreted(f"B[p] = p\n    {text}", 3, mode, A=[0, 0, 0], B=[0, 0, 0], s=0)
    error = caught.value
    assert (error.line, error.step, error.processors, error.cell) == (3, 2, (0, 1), cell)
    assert str(error) == f"line 3, column {error.column}: step 2: {reason}\n    {text}"


@pytest.mark.parametrize(("mode", "expected"), [("common", 7), ("arbitrary", 5), ("priority", 5)])
def test_writes_that_are_allowed(mode: Mode, expected: int) -> None:
    text = "A[0] = 7" if mode == "common" else "A[0] = 5 + p"
    assert interpreted(text, 3, mode, A=[0])["A"].tolist() == [expected]


def test_nan_is_common_to_itself() -> None:
    assert np.isnan(interpreted("A[0] = B[p]", 2, "common", A=[0.0], B=[np.nan, np.nan])["A"]).all()


WRONG = [
    ("x = A[p + 1]", pram.OutOfRangeError, "processor 1: A[2] is outside of A, which has 2 elements", (1,), "A[2]"),
    ("A[p - 1] = 0", pram.OutOfRangeError, "processor 0: A[-1] is outside of A, which has 2 elements", (0,), "A[-1]"),
    ("y[2] = 0", pram.OutOfRangeError, "processor 0: y[2] is outside of y, which has 2 elements", (0,), "y[2]"),
    ("x = 3 // p", pram.UndefinedError, "processor 0: division by zero", (0,), None),
    ("x = 3 % (1 - p)", pram.UndefinedError, "processor 1: division by zero", (1,), None),
    ("x = 1 << (64 * p)", pram.UndefinedError, "processor 1: int64 shifted by 64", (1,), None),
    ("z = int32(p << 40)", pram.UndefinedError, f"processor 1: {1 << 40} is no int32", (1,), None),
    ("x = int64(1 / (1.0 - p))", pram.UndefinedError, "processor 1: inf is no int64", (1,), None),
]


@pytest.mark.parametrize(("text", "kind", "reason", "processors", "cell"), WRONG, ids=[each[0] for each in WRONG])
def test_what_goes_wrong(
    text: str, kind: type[pram.RunError], reason: str, processors: tuple[int, ...], cell: str | None
) -> None:
    with pytest.raises(kind) as caught:
        interpreted(f"y: int64[2]\n    A[p] = 0\n    {text}", 2, A=[0, 0])
    error = caught.value
    assert (error.line, error.step, error.processors, error.cell) == (4, 2, processors, cell)
    assert error.reason == f"step 2: {reason}" or str(error).startswith(
        f"line 4, column {error.column}: step 2: {reason}"
    )


def test_an_endless_loop() -> None:
    with pytest.raises(
        pram.EndlessLoopError,
        match="the loop has not ended after 100 rounds; processor 1 did not leave it; max_rounds allows more",
    ):
        interpreted("while A[p] > 0:\n        A[p] = A[p] + 1", 2, A=[0, 1])
    assert interpreted("while A[p] > 0:\n        A[p] = A[p] - 1", 2, A=[0, 100])["A"].tolist() == [0, 0]


def test_no_processors_do_nothing() -> None:
    assert interpreted("while 0 < 1:\n        A[0] = 1", 0, A=[3])["A"].tolist() == [3]


def test_integers_wrap_and_divisions_round_down() -> None:
    largest = np.iinfo(np.int64).max
    text = "A[0] = A[0] + 1\n    A[1] = A[1] * A[1]\n    A[2] = A[2] // 2\n    A[3] = A[3] % 3\n    A[4] = A[4] // -1"
    result = interpreted(text, 1, A=[largest, largest, -7, -7, -largest - 1])["A"]
    assert result.tolist() == [-largest - 1, 1, -4, 2, -largest - 1]


def test_only_what_is_needed_is_evaluated() -> None:
    text = "if p < len(A) and A[p] > 0:\n        A[p] = 2\n    x = A[p] if p < len(A) else 0"
    text += "\n    y = select(p < 2, A[p], 1)"
    assert interpreted(text, 4, A=[0, 1])["A"].tolist() == [0, 2]


ARGUMENTS = [
    ({}, TypeError, "A: f needs this array"),
    ({"A": [1], "B": 1}, TypeError, "B: f has no such parameter"),
    ({"A": [[1]]}, ValueError, r"A: an array of one dimension is expected, got shape \(1, 1\)"),
    ({"A": [0.5]}, TypeError, "A: int32 is expected, got float64"),
    ({"A": [1, [2]]}, ValueError, r"A: setting an array element with a sequence\..*"),
    ({"A": [1, 1 << 40]}, ValueError, rf"A\[1\] = {1 << 40} is no int32"),
    ({"A": np.array([1, 2**64 - 1], np.uint64)}, ValueError, rf"A\[1\] = {2**64 - 1} is no int32"),
    ({"A": [1, 2**70]}, TypeError, r"A\[1\]: int32 is expected, got an integer of 71 bits"),
    ({"A": [1, None]}, TypeError, r"A\[1\]: int32 is expected, got None"),
    ({"A": np.array([1, np.int8(2), "a" * 99], object)}, TypeError, r"A\[2\]: int32 is expected, got 'a{39}"),
    ({"A": np.array([1, 2], object)}, TypeError, "A: int32 is expected, got object"),
    ({"A": [1, np.ma.masked]}, ValueError, r"A\[1\] is masked"),
    ({"A": np.ma.masked_array([1], [True])}, TypeError, r"A: masked arrays are not supported; call A.filled\(\) first"),
]


@pytest.mark.parametrize(("given", "kind", "message"), ARGUMENTS)
def test_arguments(given: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^{message}$"):
        body("A[0] = 1", A="int32[:]").run(1, method="interpreter", **given)


@pytest.mark.parametrize(("kind", "bits"), [("float32", 24), ("float64", 53)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_that_a_float_holds(kind: str, bits: int, dtype: Any) -> None:
    """From the first 1 to the last they have no more digits than it."""
    program = body("A[0] = A[0]", A=f"{kind}[:]")
    held = [0, 2**bits, 2**bits + 2, 2**63 - 2 ** (63 - bits), 2**62 + 2 ** (63 - bits)]
    held += [-(2**63), -(2**bits) - 2] if dtype is np.int64 else [2**63, 2**64 - 2 ** (64 - bits)]
    values = np.array(held, dtype)
    assert list(map(int, program.run(1, method="interpreter", A=values)["A"])) == held
    for wrong in (2**bits + 1, 2**62 + 1, 2**63 - 1):
        with pytest.raises(ValueError, match=rf"^A\[1\] = {wrong} is no {kind}$"):
            program.run(1, method="interpreter", A=np.array([held[-1], wrong, wrong], dtype))


def test_other_arguments() -> None:
    program = body("F[0] = 1", F="float32[:]")
    with pytest.raises(ValueError, match=r"^F\[1\] = 0.1 is no float32; numpy.float32\(F\) rounds it$"):
        program.run(1, method="interpreter", F=[0.5, 0.1])
    assert program.run(1, method="interpreter", F=np.float32([0.5, 0.1]))["F"].tolist() == [1, np.float32(0.1)]
    with pytest.raises(ValueError, match=r"^s = 0.1 is no float32; numpy.float32\(s\) rounds it$"):
        body("s = 1", s="float32").run(1, method="interpreter", s=0.1)
    with pytest.raises(MemoryError, match=rf"^Q: {2**62} elements of int64 for each of 3 processors are too many$"):
        body(f"Q: int64[{2**62}]").run(3, method="interpreter")
    with pytest.raises(TypeError, match=r"^n: expected an integer, got "):
        program.run(0.5, F=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^n = -1 is no number of processors from 0 to 2147483647$"):
        program.run(-1, F=[])
    with pytest.raises(ValueError, match=r"^max_rounds = 0: at least one is needed$"):
        program.run(1, F=[], max_rounds=0)
    with pytest.raises(ValueError, match=r"^method: 'both' is none of 'interpreter', 'bitset', 'list'$"):
        program.run(1, F=[], method="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^optimizations: 'some' is neither \"all\" nor a set of names$"):
        program.run(1, F=[], optimizations="some")
    with pytest.raises(
        ValueError, match=r"^optimizations: 'speed' is none of 'merge', 'in place', 'branches', 'meta var"
    ):
        program.run(1, F=[], optimizations=["speed"])
    with pytest.raises(ValueError, match=r"^optimizations: \['merge'\] is none of 'merge', 'in place', "):
        program.run(1, F=[], optimizations=[["merge"]])  # type: ignore[list-item]
    for size, kind, message in (
        ("n - 2", ValueError, "T: its size would be -1"),
        (f"{2**62}", ValueError, f"T: its size would be {2**62}"),
        (f"{2**47}", MemoryError, f"T: {2**47} elements of int64 are too many"),
    ):
        with pytest.raises(kind, match=f"^{message}$"):
            body(f"T: Global[int64[{size}]]").run(1, method="interpreter")
    assert body("s = s + 1", s="int64").run(1, method="interpreter", s=3)["s"] == 4
    assert body("A[p] = True", A="boolean[:]").run(1, method="interpreter", A=[False])["A"].tolist() == [True]


@pytest.mark.parametrize(("kind", "digits"), [("float32", 24), ("float64", 53)])
def test_integers_that_a_float_cannot_hold(kind: str, digits: int) -> None:
    program, most = body("F[p] = F[p]", F=f"{kind}[:]"), 2**digits
    given = [-most, most, most + 2]
    assert program.run(3, method="interpreter", F=given)["F"].tolist() == given
    for dtype in (np.int64, np.uint64):
        with pytest.raises(ValueError, match=rf"^F\[1\] = {most + 1} is no {kind}$"):
            program.run(2, method="interpreter", F=np.array([1, most + 1], dtype))


def test_a_result_is_equal_to_itself_alone() -> None:
    one, other = (interpreted("A[p] = 0", 2, A=[1, 2]) for _ in range(2))
    assert one == one
    assert one != other
    assert one != dict(one)
    assert len({one, other, one}) == 2


def test_what_is_given_is_not_changed() -> None:
    given = np.array([1, 2])
    result = interpreted("A[p] = 0", 2, A=given)
    assert given.tolist() == [1, 2]
    assert dict(result)["A"].tolist() == [0, 0]
    assert len(result) == 1
