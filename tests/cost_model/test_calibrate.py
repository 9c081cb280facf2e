from __future__ import annotations

import itertools
import json
import math
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp.cost_model import calibrate, machine
from reedsp.cost_model.machine import Machine
from reedsp.device.device import Device
from tests.support import probes

KNOWN = Machine(
    latencies=((1 << 14, 1e-9), (1 << 20, 8e-9), (1 << 26, 8e-9)),
    bandwidth=2e10,
    random_reads=1e8,
    atomic_minima=4e7,
    coalesced=16,
    threads=2,
    barrier=5e-8,
    launch=3e-6,
    read_back=2e-5,
    upload=2e9,
    download=1e10,
    pairs={"int32": 1e11},
)
BAD = (0, 0.0, -1.0, math.nan, math.inf, 1e19, None, "3", True, [1.0])


# ---- what the kernels do ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "check"), [(name, check) for name, _, check in probes.checks()])
def test_probes_do_what_is_counted(name: str, check: Any, device: Device) -> None:
    assert check(device)


@pytest.mark.parametrize("lanes", [2, 8, 16])
def test_pairs_in_vectors(lanes: int, device: Device) -> None:
    assert probes.adds(device, "int32", lanes, steps=0)
    assert probes.adds(device, "int32", lanes)


# ---- what is measured -------------------------------------------------------------------------------


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything measured, but not for long."""
    monkeypatch.setattr(calibrate, "_ENOUGH", 1e-5)
    monkeypatch.setattr(calibrate, "_TABLE", 1 << 16)
    monkeypatch.setattr(calibrate, "_CHASED", (1 << 12, 1 << 13, 1 << 20))
    monkeypatch.setattr(calibrate, "_LAUNCHES", 3)
    monkeypatch.setattr(calibrate, "_READ_BACKS", 3)
    monkeypatch.setattr(calibrate, "_STRIDES", (1, 64))


def test_calibrate(device: Device, soon: None, private_cache: Path) -> None:
    told: list[tuple[float, str]] = []
    found = calibrate.calibrate(device, lambda part, text: told.append((part, text)))
    assert machine.stored(device) == found
    assert [part for part, _ in told] == [number / 12 for number in range(12)]
    assert [text.replace(" ", "_") for _, text in told] == [*found.content()]
    assert [size for size, _ in found.latencies] == [1 << 12, 1 << 13]  # what the table has room for
    assert set(found.pairs) == {*probes.NUMBERS} - (set() if device.fp64 else {"float64"})
    assert machine.FILES.forget(machine.identity_of(device))
    assert machine.stored(device) is None


def test_a_device_without_doubles(
    device: Device, soon: None, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nobody who wants to know how far it is."""
    monkeypatch.setattr(device, "fp64", False)
    assert set(calibrate.calibrate(device).pairs) == {*probes.NUMBERS} - {"float64"}


@pytest.mark.parametrize(
    ("rates", "expected"),
    [([8.0, 8.0, 2.0, 1.1, 1.0], 8), ([1.0, 1.0, 1.0, 1.0, 1.0], 1), ([9.0, 7.0, 5.0, 3.0, 1.0], 16)],
)
def test_coalesced(
    rates: list[float], expected: int, device: Device, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words side by side, until it takes nearly as long as those that are far from each other."""
    bench, left = calibrate._Bench(device), iter(rates)
    monkeypatch.setattr(calibrate, "_STRIDES", (1, 2, 4, 8, 16))
    monkeypatch.setattr(bench, "_rate", lambda *args: next(left))
    assert bench.coalesced() == expected


@pytest.mark.parametrize(("rates", "expected"), [([1, 2, 4, 8, 9], 8), ([1, 1, 1, 1, 1], 1), ([1, 2, 4, 6, 9], 16)])
def test_threads(
    rates: list[float], expected: int, device: Device, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, left = calibrate._Bench(device), iter(rates)
    bench._items = 16
    monkeypatch.setattr(bench, "_rate", lambda *args: next(left))
    assert bench.threads() == expected


def test_latencies_do_not_fall(device: Device, soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, left = calibrate._Bench(device), iter([1e9, 2e9])  # steps per second
    monkeypatch.setattr(bench, "_rate", lambda *args: next(left))
    assert bench.latencies() == ((1 << 12, 1e-9), (1 << 13, 1e-9))


def test_steps_grow_until_they_can_be_timed(device: Device, soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, asked = calibrate._Bench(device), []
    bound = bench._job.bind

    def bind(kernel: Any, items: int, group: int, *args: Any) -> Any:
        asked.append(int(args[-1]))
        return bound(kernel, items, group, *args)

    monkeypatch.setattr(bench._job, "bind", bind)
    monkeypatch.setattr(bench, "_shortest", lambda work, repeats=9: 1e-7 * asked[-1])
    monkeypatch.setattr(calibrate, "_ENOUGH", 1e-2)
    rate = bench._rate(bench._probe("barriers"), bench._group, bench._group, bench._results)
    assert rate == pytest.approx(bench._group * 1e7)
    assert asked[0] == 16
    assert all(2 * one <= other <= 32 * one for one, other in itertools.pairwise(asked))
    assert 1e5 <= asked[-1] < 4e5


def test_what_is_interrupted_is_not_taken_for_long(device: Device, soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch of few steps that waits for another program does not end the growth."""
    bench, looks, asked = calibrate._Bench(device), itertools.count(), []
    bound = bench._job.bind

    def bind(kernel: Any, items: int, group: int, *args: Any) -> Any:
        asked.append(int(args[-1]))
        return bound(kernel, items, group, *args)

    monkeypatch.setattr(bench._job, "bind", bind)
    monkeypatch.setattr(bench, "_shortest", lambda work, repeats=9: 1.0 if next(looks) == 0 else 1e-7 * asked[-1])
    monkeypatch.setattr(calibrate, "_ENOUGH", 1e-2)
    rate = bench._rate(bench._probe("barriers"), bench._group, bench._group, bench._results)
    assert rate == pytest.approx(bench._group * 1e7)
    assert asked[0] == 16 < asked[-1]


# ---- what is kept -----------------------------------------------------------------------------------


def write(device: Device, **changes: Any) -> Path:
    """Store parameters, of which some are others."""
    machine.FILES.write(machine.identity_of(device), {**KNOWN.content(), **changes})
    return machine.FILES.path(machine.identity_of(device))


def test_round_trip(device: Device, private_cache: Path) -> None:
    assert machine.stored(device) is None
    file = write(device)
    assert machine.stored(device) == KNOWN
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("name", machine.UNITS)
@pytest.mark.parametrize("value", BAD)
def test_no_machine_has_such_numbers(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} = "):
        Machine(**{**KNOWN.content(), "latencies": KNOWN.latencies, name: value})


@pytest.mark.parametrize("value", BAD)
def test_nor_such_rates_and_latencies(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^pairs\['int32'\] = "):
        Machine(**{**KNOWN.content(), "latencies": KNOWN.latencies, "pairs": {"int32": value}})
    for pair in ((1 << 27, value), (value, 1e-8)):
        with pytest.raises(ValueError, match=r"^latencies\[3\] = "):
            Machine(**{**KNOWN.content(), "latencies": (*KNOWN.latencies, pair)})


@pytest.mark.parametrize("name", ["coalesced", "threads"])
def test_some_are_integers(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} = 1.5, expected an integer$"):
        Machine(**{**KNOWN.content(), "latencies": KNOWN.latencies, name: 1.5})


@pytest.mark.parametrize("latencies", [(), ((8, 1e-9), (8, 1e-9)), ((8, 1e-9), (4, 1e-9)), ((8, 2e-9), (16, 1e-9))])
def test_latencies_in_order(latencies: Any) -> None:
    with pytest.raises(ValueError, match=r"^latencies"):
        Machine(**{**KNOWN.content(), "latencies": latencies})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        *(
            ({name: value}, f"{name} = ")
            for name in ("bandwidth", "threads")
            for value in (0, -3, math.nan, math.inf, None)
        ),
        ({"latencies": 3}, "it is damaged"),
        ({"latencies": [3]}, "it is damaged"),
        ({"latencies": [[3]]}, "it is damaged"),
        ({"latencies": []}, "latencies and pairs: expected at least one of each"),
        ({"pairs": [1]}, "it is damaged"),
        ({"pairs": {}}, "latencies and pairs: expected at least one of each"),
        ({"bandwidth": 1e308}, r"bandwidth = 1e\+308, expected a number from 1e-18 to 1e\+18"),
        ({"bandwidth": "9" * 5000}, "bandwidth = '9{39}[.]{3}, expected a number"),
        ({"pairs": {"int32": -1}}, r"pairs\['int32'\] = -1"),
        ({"clock": 3}, "it is damaged"),
    ],
)
def test_a_file_that_cannot_be_used(changes: dict[str, Any], reason: str, device: Device, private_cache: Path) -> None:
    file = write(device, **changes)
    with pytest.warns(RuntimeWarning, match=f"parameters of `reedsp calibrate` are not used: .*{file.name}: {reason}"):
        assert machine.stored(device) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000, b" " * (1 << 16) + b"{}"])
def test_a_damaged_file(content: bytes, device: Device, private_cache: Path) -> None:
    write(device).write_bytes(content)
    with pytest.warns(RuntimeWarning, match="are not used"):
        assert machine.stored(device) is None


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_folder_that_others_can_write_to(device: Device, private_cache: Path) -> None:
    write(device).parent.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="parameters of `reedsp calibrate` are not used: .*only you can change"):
        assert machine.stored(device) is None


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_nothing_is_said_where_nothing_was_measured(device: Device, private_cache: Path) -> None:
    machine.FILES.path(machine.identity_of(device)).parent.parent.chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert machine.stored(device) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_read(device: Device, private_cache: Path) -> None:
    file = machine.FILES.path(machine.identity_of(device))
    os.mkfifo(file)
    assert machine.stored(device) is None
    assert write(device) == file
    assert machine.stored(device) == KNOWN


def test_a_warning_that_is_an_error_is_raised_once(device: Device, private_cache: Path) -> None:
    write(device).write_bytes(b"{")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="it is damaged"):
            machine.stored(device)
        assert machine.stored(device) is None


def test_a_device_with_fewer_units_is_another(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where jobs of a cluster get a part of a processor, and have one home."""
    write(device)
    units = device.compute_units
    monkeypatch.setattr(device, "compute_units", units + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert machine.stored(device) is None
    write(device, launch=4e-6)
    assert machine.stored(device) == replace(KNOWN, launch=4e-6)
    monkeypatch.setattr(device, "compute_units", units)
    assert machine.stored(device) == KNOWN


@pytest.mark.parametrize(("name", "value"), [("schema", 2), ("driver", "another"), ("device", 3)])
def test_a_file_of_another(name: str, value: Any, device: Device, private_cache: Path) -> None:
    file = write(device)
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))
    with pytest.warns(RuntimeWarning, match="it was written by another version|it is that of another device or driver"):
        assert machine.stored(device) is None


def test_latency_between_sizes() -> None:
    sizes = [1, 1 << 14, 1 << 15, 1 << 17, 1 << 20, 1 << 22, 1 << 40]
    seconds = [KNOWN.latency(size) for size in sizes]
    assert seconds == sorted(seconds)
    assert (seconds[0], seconds[1], seconds[-1]) == (1e-9, 1e-9, 8e-9)
    assert seconds[3] == pytest.approx(4.5e-9)  # in the middle by powers of two
    assert np.isclose(KNOWN.latency(1 << 20), 8e-9)
