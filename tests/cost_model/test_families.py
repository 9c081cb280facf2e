"""What is assumed of devices on which nothing was measured, beside what was measured on some."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reedsp.cost_model import families, machine
from reedsp.cost_model.counts import SIZES
from reedsp.cost_model.families import Known, family, known
from reedsp.device.device import Device
from tests.cost_model.test_calibrate import write
from tests.support.machines import H200, INTEL, POCL

GIB = 1 << 30
CACHES = (1 << 14, 1 << 17, 1 << 20, 1 << 22)
MEASURED = [(POCL, family("cpu", 2, 16 * GIB, True)), (H200, family("gpu", 132, 140 * GIB, False))]
"""Machines that families are made of, which are what they assume of a device of that size."""
FAMILIES = [
    *(family("cpu", 64, 256 * GIB, True), family("gpu", 24, 8 * GIB, True)),
    *(family("gpu", 80, 8 * GIB, False), family("gpu", 80, 80 * GIB, False), family("accelerator", 8, 80 * GIB, False)),
]


@pytest.mark.parametrize(("measured", "assumed"), MEASURED, ids=["PoCL", "H200"])
def test_families_are_made_of_what_was_measured(measured: Known, assumed: Known) -> None:
    """Of so many units, and rounded: caches to a tenth, and all else within 1.3 times."""
    assert (measured.kind, measured.units) == (assumed.kind, assumed.units)
    for name in set(machine.UNITS) - {"coalesced"}:
        there, here = (getattr(each.machine, name) for each in (measured, assumed))
        assert 1 / 1.3 < there / here < 1.3, name
    for name, rate in measured.machine.pairs.items():
        assert 1 / 1.3 < rate / assumed.machine.pairs[name] < 1.3, name
    for size in CACHES:
        assert assumed.machine.latency(size) == pytest.approx(measured.machine.latency(size), rel=0.1), size
    assert 1 / 1.3 < measured.machine.latency(1 << 26) / assumed.machine.latency(1 << 26) < 1.3


def test_another_runtime_differs_by_less_than_three_times() -> None:
    """On the same cores, but for the time until a word is on the host, which is a fifth there."""
    assumed = MEASURED[0][1].machine
    for name in set(machine.UNITS) - {"coalesced", "read_back"}:
        assert 1 / 3 < getattr(INTEL.machine, name) / getattr(assumed, name) < 3, name
    for name, rate in INTEL.machine.pairs.items():
        assert 1 / 3 < rate / assumed.pairs[name] < 3, name
    for size in (1 << 12, 1 << 19, 1 << 24):
        assert 1 / 3 < INTEL.machine.latency(size) / assumed.latency(size) < 3


def test_words_of_an_access_are_whole() -> None:
    assert family("cpu", 2, GIB, True).machine.coalesced == INTEL.machine.coalesced
    assert family("gpu", 132, 140 * GIB, False).machine.coalesced == H200.machine.coalesced


def test_families() -> None:
    assert [each.source for each in FAMILIES] == [
        "processors of this size",
        "GPUs that share memory with the host",
        "GPUs of this size",
        "GPUs of data centres",
        "GPUs of this size",
    ]
    assert [each.is_cpu for each in FAMILIES] == [True, False, False, False, False]
    assert [each.units for each in FAMILIES] == [64, 24, 80, 80, 8]


def test_each_type_of_numbers_has_a_rate() -> None:
    """That of the slowest is for types that a device lacks."""
    for each in FAMILIES:
        assert set(each.machine.pairs) == set(SIZES)
        assert each.machine.rate("float64") < each.machine.rate("float32")
        assert each.machine.rate("int64") < each.machine.rate("int32")


@pytest.mark.parametrize("units", [1, 8, 9, 64])
def test_what_grows_with_units(units: int) -> None:
    """Sums and threads do, and memory with each unit of a GPU, but of a processor with the first eight cores only."""
    for kind, shares in (("cpu", True), ("gpu", True), ("gpu", False)):
        one, many = (family(kind, each, GIB, shares).machine for each in (1, units))
        sharers = min(units, 8) if kind == "cpu" else units
        for name in ("bandwidth", "random_reads", "atomic_minima"):
            assert getattr(many, name) == sharers * getattr(one, name)
        assert many.threads == units * one.threads
        assert many.rate("int32") == units * one.rate("int32")
        assert (many.launch, many.read_back, many.barrier) == (one.launch, one.read_back, one.barrier)
        assert many.latencies == one.latencies


def test_gpus_of_data_centres_have_more_memory_than_others() -> None:
    """From 30 GiB on, as drivers keep some of 32 for themselves; and it is faster."""
    desktop, server = (family("gpu", 80, memory, False) for memory in (30 * GIB - 1, 30 * GIB))
    assert (desktop.source, server.source) == ("GPUs of this size", "GPUs of data centres")
    integrated = family("gpu", 80, 64 * GIB, True).machine
    for name in ("bandwidth", "random_reads", "atomic_minima"):
        assert getattr(integrated, name) < getattr(desktop.machine, name) < getattr(server.machine, name)
    assert desktop.machine.pairs == server.machine.pairs


# ---- what was measured ------------------------------------------------------------------------------


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
