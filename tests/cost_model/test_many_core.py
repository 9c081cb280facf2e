"""The model of Ma, Agrawal and Chamberlain: its equations, its table, and what the paper concludes from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reedsp.cost_model import many_core
from reedsp.cost_model.many_core import TABLE, ManyCore, Program

H200 = ManyCore(latency=700, cores=16896, coalesced=32, local_words=12288, cores_together=128, most_threads=16)
LARGE = 2.0**40  # a graph that fits into no fast memory

numbers = st.floats(1, 1e6)
machines = st.builds(ManyCore, numbers, numbers, st.floats(1, 64), st.floats(2, 1e6), st.floats(1, 256), numbers)
programs = st.builds(Program, *[st.floats(1, 1e18)] * 3, st.floats(1, 1e3))
sizes = st.tuples(st.floats(2, 1e9), st.floats(1, 64))
names = st.sampled_from(list(TABLE))


def rises(function: Callable[[float], float], low: float, high: float) -> None:
    assert function(low) <= function(high) * (1 + 1e-9)


# ---- equations ---------------------------------------------------------------------------------------


def test_threads() -> None:
    program = Program(work=1e9, span=10, accesses=1e6, local_words=2)
    assert many_core.threads(program, H200) == 16
    assert many_core.threads(program, replace(H200, most_threads=100)) == 12288 / (2 * 128)
    serial = replace(program, span=1e5)
    assert many_core.threads(serial, H200) == 1e9 / 1e5 / 16896
    assert many_core.threads(serial, H200, span=False) == 16


def test_equations() -> None:
    """By hand, with a machine and programs of round numbers."""
    machine = ManyCore(latency=100, cores=8, coalesced=4, local_words=64, cores_together=2, most_threads=10)
    busy = Program(work=8000, span=10, accesses=500)
    assert many_core.threads(busy, machine) == 10
    assert many_core.effective_work(busy, machine) == 8000
    assert many_core.time(busy, machine) == 1000
    assert many_core.speedup(busy, machine) == 8
    waiting = replace(busy, accesses=4000)
    assert many_core.effective_work(waiting, machine) == 40_000
    assert many_core.time(waiting, machine) == 5000
    assert many_core.speedup(waiting, machine) == 1.6
    serial = replace(busy, span=2000, accesses=1)
    assert many_core.time(serial, machine) == 2000
    assert many_core.time(serial, machine, span=False) == 1000
    assert many_core.speedup(serial, machine) == 4
    assert many_core.time_without_latency(waiting, machine) == 1000
    assert many_core.time_without_latency(serial, machine) == 2000
    assert many_core.latency_hidden(waiting, machine) == 20


@given(programs, machines)
def test_the_speedup_is_the_minimum_of_equation_3(program: Program, machine: ManyCore) -> None:
    parallel = program.work / program.span
    hidden = machine.cores * program.work * many_core.threads(program, machine) / program.accesses / machine.latency
    assert many_core.speedup(program, machine) == pytest.approx(min(machine.cores, parallel, hidden))


@given(programs, machines, st.floats(1, 100))
def test_up_to_the_latency_that_is_hidden_it_is_a_pram(program: Program, machine: ManyCore, factor: float) -> None:
    hidden = many_core.latency_hidden(program, machine)
    for latency, is_one in ((hidden / factor, True), (hidden * factor * 1.001, False)):
        if latency > 0:
            time = many_core.time(program, replace(machine, latency=latency), span=False)
            assert (time <= program.work / machine.cores * (1 + 1e-12)) == is_one


@given(programs, machines, st.floats(1, 100))
def test_what_slows_a_program_down(program: Program, machine: ManyCore, factor: float) -> None:
    for field in ("latency", "cores_together"):
        rises(
            lambda x, field=field: many_core.time(program, replace(machine, **{field: x})),
            *(getattr(machine, field), getattr(machine, field) * factor),
        )
    for field in ("most_threads", "local_words"):
        rises(
            lambda x, field=field: many_core.time(program, replace(machine, **{field: x})),
            *(getattr(machine, field) * factor, getattr(machine, field)),
        )
    more = replace(program, accesses=program.accesses * factor)
    assert many_core.time(more, machine) >= many_core.time(program, machine)


@pytest.mark.parametrize("field", ["latency", "cores", "coalesced", "local_words", "cores_together", "most_threads"])
@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan])
def test_no_such_machine(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{field} = {value}, expected a positive number"):
        replace(H200, **{field: value})


def test_no_such_program() -> None:
    with pytest.raises(ValueError, match="span = 0, expected a positive number"):
        Program(1, 0, 1)


# ---- Table III ---------------------------------------------------------------------------------------


@given(names, sizes, machines)
def test_rows_rise_with_vertices_edges_and_latency(name: str, size: tuple[float, float], machine: ManyCore) -> None:
    n, degree = size
    machine = replace(machine, local_words=min(machine.local_words, n / 2))  # section III has n > Z
    program = TABLE[name].program

    def time(n: float, m: float, latency: float) -> float:
        own = replace(machine, latency=latency)
        return many_core.time(program(n, m, own), own, span=False)

    m, latency = n * degree, machine.latency
    many = m > machine.cores / machine.cores_together * machine.local_words
    if many:
        rises(lambda x: time(x, m, latency), n, 2 * n)
        rises(lambda x: time(n, x, latency), m, 2 * m)
    rises(lambda x: time(n, m, x), latency, 2 * latency)


@given(names, sizes, machines)
def test_the_limits_are_those_of_the_equations(name: str, size: tuple[float, float], machine: ManyCore) -> None:
    """Up to the terms that a sum has beside its largest one."""
    n, degree = size
    m = min(n * degree, n * n)
    row = TABLE[name]
    hidden = many_core.latency_hidden(row.program(n, m, machine), machine)
    edges_fit = m <= machine.cores / machine.cores_together * machine.local_words
    if name == "Bellman-Ford, as printed" and edges_fit:
        assert hidden == pytest.approx(m / n * row.limit(n, m, machine))
    else:
        assert row.limit(n, m, machine) / 3 <= hidden * (1 + 1e-9)
        assert hidden <= 3 * row.limit(n, m, machine) * (1 + 1e-9)


def test_programs() -> None:
    """The columns of a graph of 2^16 vertices and 2^20 edges, powers of two, on a machine of powers of two."""
    machine = ManyCore(latency=8, cores=64, coalesced=4, local_words=256, cores_together=8, most_threads=2)
    n, m, lg = 2.0**16, 2.0**20, 16
    rows = {name: row.program(n, m, machine) for name, row in TABLE.items()}
    assert rows["matrix squaring"] == Program(2**48 * lg, 2**16 * lg, 2**48 * lg / (16 * 4))
    assert rows["heap"] == Program(2**36 * lg, 2**20 * lg, 2**36 * lg)
    assert rows["array"] == Program(2**48 + 2**36, 2**32 * 8 / 256, 2**46 + 2**36)
    assert rows["Bellman-Ford, as printed"] == Program(2**52, 2**16, 2**50 + 2**46)
    assert rows["Bellman-Ford"] == Program(2**52, 2**16, 2**50 + 2**46 + 2**52)
    limits = {name: row.limit(n, m, machine) for name, row in TABLE.items()}
    assert limits == {
        "matrix squaring": 16 * 4 * 2,
        "heap": 2,
        "array": 8,
        "Bellman-Ford": 2,
        "Bellman-Ford, as printed": 8,
    }
    few_threads = replace(machine, most_threads=100)  # now Z / Q = 32 bounds them
    assert TABLE["heap"].limit(n, m, few_threads) == 32
    assert TABLE["array"].limit(n, 2.0**31, few_threads) == 2 * 32  # n^2 / m = 2 is below C


def test_programs_that_fit_into_fast_memory() -> None:
    """Sections V.A and V.B."""
    machine = ManyCore(latency=8, cores=64, coalesced=4, local_words=2**17, cores_together=8, most_threads=2)
    n, m = 2.0**16, 2.0**20
    assert TABLE["array"].program(n, m, machine) == Program(2**48 + 2**36, 2**20 + 2**20, 2**30 + 2**36)
    assert TABLE["Bellman-Ford"].program(n, m, machine).accesses == 2**50 + 2**46
    assert TABLE["Bellman-Ford, as printed"].program(n, m, machine).accesses == 2**46
    assert TABLE["Bellman-Ford, as printed"].program(n, m + 1, machine).accesses > 2**50
    for name in ("matrix squaring", "heap"):
        small = replace(machine, local_words=2**17)
        assert TABLE[name].program(n, m, small) == TABLE[name].program(n, m, machine)


# ---- what the paper concludes ------------------------------------------------------------------------


def table_time(name: str, n: float, m: float, machine: ManyCore) -> float:
    return many_core.time(TABLE[name].program(n, m, machine), machine, span=False)


def with_latency(latency: float, **others: float) -> ManyCore:
    """A machine whose fast memory bounds its threads, as in section IV."""
    return replace(H200, **{"latency": latency, "most_threads": 1e9, **others})


def test_squaring_and_heaps_on_dense_graphs() -> None:
    """Section IV.A.1: the same on a PRAM; sqrt(Z) C apart where the latency is Z^1.5 C / Q."""
    n, z, c = LARGE, 12288, 32
    machine = with_latency(z**1.5 * c / 128)
    assert table_time("matrix squaring", n, n * n, machine) == pytest.approx(n**3 * 40 / 16896)
    assert table_time("heap", n, n * n, machine) == pytest.approx(n**3 * 40 * math.sqrt(z) * c / 16896)


def test_heaps_and_arrays_on_graphs_that_are_not_quite_dense() -> None:
    """Section IV.A.2 has n^3 C / P against n^3 / P; but of n^2 / m and C the smaller one counts, and that is lg n."""
    n, c = LARGE, 64
    m = n * n / 40
    machine = with_latency(12288 * c / 128, coalesced=c)
    assert table_time("heap", n, m, machine) == pytest.approx(n**3 * c / 16896)
    assert table_time("array", n, m, machine) == pytest.approx(n**3 * (1 + c / 40) / 16896)
    with_few = with_latency(12288 * 8 / 128, coalesced=8)  # C <= lg n: as printed, but for the second term of the sum
    assert table_time("heap", n, m, with_few) == pytest.approx(n**3 * 8 / 16896)
    assert table_time("array", n, m, with_few) == pytest.approx(n**3 * (1 + 8 / 40) / 16896)


def test_squaring_against_arrays_and_bellman_ford_where_the_latency_is_large() -> None:
    """Section IV.B: squaring is worse on a PRAM, and better here while lg n < sqrt(Z)."""
    n, z = LARGE, 12288
    machine = with_latency(z**1.5 * 32 / 128)
    squaring = table_time("matrix squaring", n, n * 4, machine)
    assert squaring == pytest.approx(n**3 * 40 / 16896)
    for name in ("array", "Bellman-Ford, as printed"):
        edges = 1.0 if name == "array" else 4.0
        assert table_time(name, n, n * 4, machine) == pytest.approx(edges * n**3 * math.sqrt(z) / 16896, rel=0.3)
        assert squaring < table_time(name, n, n * 4, machine)
    fast = replace(machine, latency=1)
    assert table_time("matrix squaring", n, n * 4, fast) > table_time("array", n, n * 4, fast)


def test_heaps_against_arrays_that_fit() -> None:
    """Section V.A: m = n^2 / lg^2 n; the heap wins on a PRAM, and loses by lg n where the latency is large."""
    n = 4096.0
    m, t = n * n / 144, 12288 / 128
    machine = with_latency(1e6)
    assert table_time("heap", n, m, machine) == pytest.approx(1e6 * n**3 / 12 / (t * 16896))
    assert table_time("array", n, m, machine) == pytest.approx(1e6 * n**3 / 144 / (t * 16896), rel=0.01)
    fast = replace(machine, latency=1)
    assert table_time("heap", n, m, fast) < table_time("array", n, m, fast)


def test_heaps_against_bellman_ford_whose_edges_fit() -> None:
    """Section V.B: m = n^2 / lg n; the heap wins on a PRAM, and loses by C where the latency is large."""
    n = 4096.0
    m, t = n * n / 12, 12288 / 128
    assert m <= 16896 * 12288 / 128
    machine = with_latency(1e9)
    assert table_time("heap", n, m, machine) == pytest.approx(1e9 * n**3 / (t * 16896))
    assert table_time("Bellman-Ford, as printed", n, m, machine) == pytest.approx(1e9 * n**3 / (32 * t * 16896))
    fast = replace(machine, latency=1)
    assert table_time("heap", n, m, fast) < table_time("Bellman-Ford, as printed", n, m, fast)


def test_on_a_large_gpu() -> None:
    """The limits of its table on an H200 with what OpenCL says of it, and what is left of the rate beyond them."""
    n = 10_000.0 * 2
    limits = {name: row.limit(n, 100 * n, H200) for name, row in TABLE.items()}
    assert limits["matrix squaring"] == pytest.approx(56_756, rel=1e-4)
    assert limits["heap"] == 16
    assert limits["array"] == limits["Bellman-Ford, as printed"] == 512
    assert limits["Bellman-Ford"] == 16
    program = TABLE["heap"].program(n, 100 * n, H200)
    assert many_core.time(program, H200, span=False) * 16896 / program.work == pytest.approx(700 / 16)
    # Its sources are fewer than the threads that the machine has: what binds is left out of the table.
    assert many_core.threads(program, H200) == pytest.approx(n / 16896)
