from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reedsp.cost_model import machine
from reedsp.cost_model.machine import Machine
from reedsp.cost_model.work import Work, seconds, total
from tests.support.machines import MACHINES, POCL

COUNTS = [name for name in Work._fields if name != "arithmetic"]
ALONE = {  # what each count takes on PoCL, where there are a million of it
    "launches": 1.88284,
    "read_backs": 48.5805,
    "pairs": 1e6 / 1.038736e11,
    "bytes": 1e6 / 4.06737e10,
    "random": 1e6 / 2.63642e8,
    "atomics": 1e6 / 1.9765e8,
    "waits": 1.3723e-3,
    "footprint": 0.0,
    "steps": 1.3723e-3,
    "barriers": 3.0365e-2,
    "sent": 1e6 / 2.202434e9,
    "received": 1e6 / 1.412209e10,
    "host": 1e6,
}

rates = st.floats(1e-18, 1e18)
works = st.builds(
    Work,
    arithmetic=st.sampled_from(["uint16", "int32", "int64", "float32", "float64"]),
    **dict.fromkeys(COUNTS, st.floats(0, 1e15)),
)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Return any machine that there may be."""
    names = [each for each in machine.UNITS if each not in ("coalesced", "threads")]
    seconds_of_access = sorted(draw(st.lists(rates, min_size=1, max_size=4)))
    return Machine(
        latencies=tuple((1 << 10 + 3 * level, each) for level, each in enumerate(seconds_of_access)),
        pairs={"int32": draw(rates), "float64": draw(rates)},
        **{"coalesced": draw(st.integers(1, 64)), "threads": draw(st.integers(1, 1 << 30))},
        **{name: draw(rates) for name in names},
    )


@pytest.mark.parametrize("name", COUNTS)
def test_each_count_takes_its_time(name: str) -> None:
    assert seconds(Work(**{name: 1e6}), POCL.machine) == pytest.approx(ALONE[name], rel=1e-12)


def test_what_goes_on_at_once_takes_as_long_as_the_slowest() -> None:
    at_once = ("pairs", "bytes", "random", "atomics", "waits")
    together = seconds(Work(**dict.fromkeys(at_once, 1e6)), POCL.machine)
    assert together == max(ALONE[name] for name in at_once)
    chain = Work(waits=1e6, steps=2e6, barriers=3e6, footprint=1 << 20)
    assert seconds(chain, POCL.machine) == pytest.approx(9.3364e-3 + 2 * 1.3723e-3 + 3 * 3.0365e-2)
    others = [name for name in COUNTS if name not in (*at_once, "steps", "barriers", "footprint")]
    assert seconds(Work(**dict.fromkeys(others, 1.0)), POCL.machine) == pytest.approx(
        sum(ALONE[x] for x in others) / 1e6
    )


def test_arithmetic() -> None:
    assert seconds(Work(pairs=1e9, arithmetic="float64"), POCL.machine) == pytest.approx(1 / 29.0967)
    only = replace(POCL.machine, pairs={"int32": 2e9, "int64": 1e9})
    assert seconds(Work(pairs=1e9, arithmetic="float64"), only) == 1.0  # a device without it


@given(works, machines())
def test_a_time_for_all_work_on_every_machine(work: Work, any_machine: Machine) -> None:
    assert 0 <= seconds(work, any_machine) < math.inf


@given(works, machines(), st.sampled_from(COUNTS), st.floats(1, 1e3), st.floats(0, 1e15))
def test_more_never_takes_less(work: Work, any_machine: Machine, name: str, times: float, more: float) -> None:
    larger = work._replace(**{name: getattr(work, name) * times + more})
    assert seconds(work, any_machine) <= seconds(larger, any_machine) * (1 + 1e-12)


@given(machines(), st.sampled_from([0, 0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 1e300]), st.data())
def test_no_other_rates_reach_the_model(any_machine: Machine, value: float, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*machine.UNITS, "pairs", "latencies"]))
    changed: Any = {"pairs": {"int32": value}, "latencies": ((1, value),)}.get(name, value)
    with pytest.raises(ValueError, match=f"^{name}"):
        replace(any_machine, **{name: changed})


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [-1.0, -math.inf, math.nan])
def test_no_work_is_less_than_none(name: str, value: float) -> None:
    with pytest.raises(ValueError, match="expected counts that are not negative"):
        seconds(Work(**{"host": 1.0, name: value}), POCL.machine)


def test_endless_work() -> None:
    with pytest.raises(ValueError, match="expected counts"):
        seconds(Work(pairs=math.inf), POCL.machine)


def test_parts_one_after_the_other() -> None:
    assert total([Work(host=1.0), Work(host=2.0, launches=3)], POCL.machine) == pytest.approx(3 + 3 * 1.88284e-6)
    assert total([], POCL.machine) == 0


def test_the_model_needs_no_driver() -> None:
    code = "import sys, reedsp.cost_model.families, reedsp.cost_model.work; sys.exit('pyopencl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_three_machines() -> None:
    assert {each.kind for each in MACHINES.values()} == {"cpu", "gpu"}
