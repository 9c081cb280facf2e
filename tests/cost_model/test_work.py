from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reedsp.cost_model import families, machine
from reedsp.cost_model.families import Known, family, known
from reedsp.cost_model.machine import Machine
from reedsp.cost_model.work import Work, seconds, total
from reedsp.device.device import Device
from tests.cost_model.test_calibrate import write
from tests.support.machines import H200, INTEL, MACHINES, POCL

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


# ---- what is known of a device ----------------------------------------------------------------------


def test_a_family_is_near_what_was_measured() -> None:
    """Within a factor of three in everything."""
    for measured, assumed in (
        (POCL, family("cpu", 2, 1 << 34, True)),
        (INTEL, family("cpu", 2, 1 << 34, True)),
        (H200, family("gpu", 132, 150 << 30, False)),
    ):
        assert (measured.kind, measured.units) == (assumed.kind, assumed.units)
        for name in set(machine.UNITS) - {"coalesced", "read_back"}:
            assert 1 / 3 < getattr(measured.machine, name) / getattr(assumed.machine, name) < 3, name
        for name, rate in measured.machine.pairs.items():
            assert 1 / 3 < rate / assumed.machine.pairs[name] < 3, name
        for size in (1 << 12, 1 << 19, 1 << 24):
            assert 1 / 3 < measured.machine.latency(size) / assumed.machine.latency(size) < 3


def test_families() -> None:
    kinds = [
        family("cpu", 64, 1 << 38, True),
        family("gpu", 24, 1 << 33, True),
        family("gpu", 80, 1 << 33, False),
        family("gpu", 80, 80 << 30, False),
        family("accelerator", 8, 80 << 30, False),
    ]
    assert [each.source for each in kinds] == [
        "processors of this size",
        "GPUs that share memory with the host",
        "GPUs of this size",
        "GPUs of data centres",
        "GPUs of this size",
    ]
    assert [each.is_cpu for each in kinds] == [True, False, False, False, False]
    assert kinds[0].machine.pairs["int32"] == 64 * 5.2e10
    assert kinds[0].machine.bandwidth == 8 * 2e10  # which cores share
    assert kinds[3].machine.bandwidth == 80 * 2.2e10


def test_what_was_measured_comes_first(device: Device, private_cache: object) -> None:
    families.forget(device)
    first = known(device)
    assert "calibrate" not in first.source
    write(device)
    assert known(device) is first  # read once
    families.forget(device)
    measured = known(device)
    assert (measured.source, measured.machine.bandwidth) == ("`reedsp calibrate`", 2e10)
    families.forget(device)


def test_one_warning_of_a_file_that_cannot_be_used(device: Device, private_cache: object) -> None:
    families.forget(device)
    write(device).write_bytes(b"{")
    with pytest.warns(RuntimeWarning, match="are not used") as warned:
        found = [known(device) for _ in range(2)]
    assert len(warned) == 1
    assert "calibrate" not in found[0].source
    families.forget(device)


def test_a_device_that_is_gone_is_not_kept() -> None:
    class Imaginary(SimpleNamespace):
        __hash__ = object.__hash__

    facts = {"kind": "cpu", "compute_units": 1, "global_memory": 1, "shares_memory": True}
    device = Imaginary(identity={"platform": "none", "device": "none", "driver": "none"}, **facts)
    assert isinstance(known(device), Known)  # type: ignore[arg-type]
    before = len(families._known)
    del device
    assert len(families._known) == before - 1


def test_the_model_needs_no_driver() -> None:
    code = "import sys, reedsp.cost_model.families, reedsp.cost_model.work; sys.exit('pyopencl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_three_machines() -> None:
    assert {each.kind for each in MACHINES.values()} == {"cpu", "gpu"}
