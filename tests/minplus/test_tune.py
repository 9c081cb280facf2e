"""Tuning: what is measured, what is stored, and what is believed of a stored file."""

from __future__ import annotations

import json
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.minplus import selfcheck, tilings, tune
from reedsp.minplus.blocks import Products
from reedsp.minplus.tilings import ARITHMETICS, Tiling, pairs, panels, registers

INT32 = ARITHMETICS["int32"]
NARROW = ARITHMETICS["uint16"]
PANEL = {"kernel": "panels", "vector_length": 4, "vectors": 1, "item_rows": 5, "depth": 128, "rows": 32}
SMALL = {"kernel": "registers", "rows": 64, "columns": 64, "depth": 16, "item_rows": 8, "item_columns": 8}
LARGE = {**SMALL, "rows": 128}

pytestmark = pytest.mark.usefixtures("nothing_stored")


@pytest.fixture
def nothing_stored(private_cache: Path) -> Iterator[None]:
    """An empty cache, for as long as the test lasts."""
    for each in reedsp.devices():
        tilings.read_anew(each)
    yield
    for each in reedsp.devices():
        tilings.read_anew(each)


@pytest.fixture
def in_groups(monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    """As on a GPU."""
    for module in (tilings, tune, selfcheck):
        monkeypatch.setattr(module, "works_in_groups", lambda device: True)
    monkeypatch.setattr(device, "local_memory", 48 << 10)
    monkeypatch.setattr(device, "max_work_group_size", 1024)


@pytest.fixture(params=[16, 32, 64], ids=["128 bits", "256 bits", "512 bits"])
def every_width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a processor with vectors of this width, whatever this one has."""
    monkeypatch.setattr(tilings, "_vector_bytes", lambda device: request.param)


def write(device: Device, content: bytes | dict[str, Any]) -> Path:
    """Write a file as if it had been stored before."""
    file = tilings.tuning_file(device)
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    tilings.read_anew(device)
    return file


def document(device: Device, **arithmetics: Any) -> dict[str, Any]:
    """Return what a file holds."""
    return {"schema": tilings.FILES.schema, **device.identity, "tilings": arithmetics}


def in_use(device: Device, name: str = "int32") -> list[Tiling]:
    weights = ARITHMETICS[name]
    return tilings.tilings_for(device, weights, tilings.works_in_groups(device))


# ---- what is stored ---------------------------------------------------------------------------------


def test_round_trip(device: Device) -> None:
    found = {"int32": [panels(4, 2, 5, 128, 32)], "float64, none negative": [panels(2, 1, 7)]}
    tune.store(device, found)
    assert tilings.tuned(device) == found
    file = tilings.tuning_file(device)
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert device.name not in file.name  # a name may hold anything
    assert json.loads(file.read_text())["schema"] == tilings.FILES.schema


def test_round_trip_of_groups(device: Device, in_groups: None) -> None:
    found = {"int32": [registers(128, 64, 16, 8, 8), registers(64, 64, 8, 8, 4)], "uint16": [pairs(64, 64, 16, 8, 8)]}
    tune.store(device, found)
    assert tilings.tuned(device) == found


def test_each_device_has_a_file_of_its_own(monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    file = tilings.tuning_file(device)
    monkeypatch.setattr(device, "driver_version", "another")
    assert tilings.tuning_file(device) != file


def test_what_is_stored_takes_precedence(device: Device, in_groups: None) -> None:
    table = tilings.tabled(device, INT32, True)
    tune.store(device, {"int32": [registers(64, 64, 8, 4, 8)], "uint16": [pairs(64, 64, 8, 8, 8)]})
    assert in_use(device) == [registers(64, 64, 8, 4, 8)]
    assert table != in_use(device)
    assert in_use(device, "int64") == tilings.tabled(device, ARITHMETICS["int64"], True)
    [narrow] = in_use(device, "uint16")
    assert narrow.macros == {**pairs(64, 64, 8, 8, 8).macros, "PTX": int(device.nvidia_generation >= 9)}
    # Tilings for groups are none for work-items that work alone.
    assert tilings.tilings_for(device, INT32, False) == tilings.tabled(device, INT32, False)


def test_read_once(device: Device) -> None:
    tune.store(device, {"int32": [panels(4, 1, 5)]})
    assert tilings.tilings_for(device, INT32, False) == [panels(4, 1, 5)]
    tilings.tuning_file(device).unlink()
    assert tilings.tilings_for(device, INT32, False) == [panels(4, 1, 5)]
    tilings.read_anew(device)
    assert tilings.tilings_for(device, INT32, False) == tilings.tabled(device, INT32, False)


def test_forget(device: Device) -> None:
    assert not tune.forget(device)
    tune.store(device, {"int32": [panels(4, 1, 5)]})
    assert tune.forget(device)
    assert tilings.tuned(device) == {}
    assert not tilings.tuning_file(device).exists()


def test_written_whole_or_not_at_all(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    tune.store(device, {"int32": [panels(4, 1, 5)]})

    def fail(*arguments: object) -> None:
        raise OSError("no space is left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space is left"):
        tune.store(device, {"int32": [panels(4, 1, 6)]})
    file = tilings.tuning_file(device)
    assert list(file.parent.iterdir()) == [file]
    assert tilings.tuned(device) == {"int32": [panels(4, 1, 5)]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"schema": ' + b"9" * 5000 + b"}",
        b" " * (1 << 17),
        pickle.dumps({"schema": 1}),
        b"[]",
        b"null",
        b'{"schema": 1}',
    ],
)
def test_row_67_damaged_files_are_ignored(device: Device, content: bytes) -> None:
    file = write(device, content)
    with pytest.warns(RuntimeWarning, match="the tilings of `reedsp tune` are not used: .*`reedsp tune --forget`"):
        assert tilings.tuned(device) == {}
    assert tilings.tuned(device) == {}  # and says so once
    assert file.read_bytes() == content


@pytest.mark.parametrize("change", [{"schema": 2}, {"schema": "1"}, {"driver": "1.0"}, {"more": 1}, {"tilings": []}])
def test_row_67_foreign_files_are_ignored(device: Device, change: dict[str, Any]) -> None:
    write(device, {**document(device, int32=[PANEL]), **change})
    with pytest.warns(RuntimeWarning, match="another version|another device|is damaged"):
        assert tilings.tuned(device) == {}


@pytest.mark.parametrize(
    "entries",
    [
        *([], {}, "panels", [[]], [PANEL, PANEL], [LARGE], [SMALL, SMALL], [SMALL, LARGE], [PANEL, SMALL]),
        *([{**PANEL, "kernel": each}] for each in ("tiles", "registers", "../panels", 7, None, [])),
        *([{**PANEL, "item_rows": each}] for each in (0, -4, 13, 33, 10**30, 4.0, "4", True, None)),
        *([{**PANEL, "vector_length": each}] for each in (1, 3, 32)),
        *([{**PANEL, "vectors": each}] for each in (3, 8)),
        *([{**PANEL, "depth": each}] for each in (1, 100, 2048)),
        *([{**PANEL, "rows": each}] for each in (4, 80)),
        [{**PANEL, "more": 1}],
        [{name: value for name, value in PANEL.items() if name != "depth"}],
        *([{**SMALL, "depth": each}] for each in (4, 12, 128)),
        *([{**SMALL, "item_rows": each}] for each in (1, 5, 64)),
        *([{**SMALL, "item_columns": each}] for each in (2, 32, 128)),
        [{**SMALL, "item_rows": 16, "item_columns": 16}],
        [{**SMALL, "columns": 32}],
        [{**SMALL, "depth": 8, "item_rows": 4, "item_columns": 4}],  # too little to load for all work-items
        [{**SMALL, "kernel": "pairs"}],
        [{**LARGE, "columns": 128, "depth": 64}, SMALL],  # too much local memory
    ],
)
def test_row_67_numbers_out_of_range_are_ignored(device: Device, in_groups: None, entries: Any) -> None:
    write(device, document(device, int32=entries))
    with pytest.warns(RuntimeWarning, match="is damaged|out of range|does not fit|cannot be used"):
        assert tilings.tuned(device) == {}


@pytest.mark.parametrize("entries", [[PANEL], [SMALL], [LARGE, SMALL]])
def test_files_within_the_range_are_used(device: Device, in_groups: None, entries: Any) -> None:
    write(device, document(device, int32=entries))
    assert len(tilings.tuned(device)["int32"]) == len(entries)


def test_unknown_arithmetic_is_ignored(device: Device) -> None:
    write(device, document(device, int8=[PANEL]))
    with pytest.warns(RuntimeWarning, match="is damaged"):
        assert tilings.tuned(device) == {}


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_row_68_directory_of_others_is_not_believed(device: Device) -> None:
    tune.store(device, {"int32": [panels(4, 1, 5)]})
    folder = tilings.tuning_file(device).parent
    folder.chmod(0o777)
    tilings.read_anew(device)
    with pytest.warns(RuntimeWarning, match="tunings is not a directory that only you can change; delete it"):
        assert tilings.tuned(device) == {}
    folder.chmod(0o700)


def test_row_69_no_writable_home(device: Device, private_cache: Path) -> None:
    private_cache.mkdir(exist_ok=True)
    (private_cache / "reedsp").touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tilings.tuned(device) == {}
    with pytest.raises(OSError, match="reedsp"):
        tune.tune(device, quick=True)


def test_environment_is_untouched(device: Device) -> None:
    before = dict(os.environ)
    tune.store(device, {"int32": [panels(4, 1, 5)]})
    tilings.tuned(device)
    assert dict(os.environ) == before


# ---- what may be chosen -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETICS)
def test_tables_fit(device: Device, in_groups: None, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = ARITHMETICS[name]
    for in_tables in tilings.tabled(device, weights, True):
        assert tilings.fits(in_tables, device, weights)
    for vector_bytes in (16, 32, 64):
        monkeypatch.setattr(tilings, "_vector_bytes", lambda device, size=vector_bytes: size)
        [alone] = tilings.tabled(device, weights, False)
        assert tilings.fits(alone, device, weights)


def test_parameters_make_the_tiling() -> None:
    for tiling in (registers(128, 64, 8, 8, 4), pairs(64, 64, 16, 8, 8), panels(8, 2, 6, 128, 32)):
        assert tilings.make(tiling.kernel, tilings.parameters_of(tiling)) == tiling
    assert tilings.parameters_of(panels(8, 2, 6)) == {
        **{"vector_length": 8, "vectors": 2, "item_rows": 6, "depth": 256, "rows": 64}
    }


@pytest.mark.parametrize("name", ARITHMETICS)
@pytest.mark.parametrize("quick", [False, True])
def test_candidates(device: Device, in_groups: None, name: str, quick: bool) -> None:
    """Those for small products stay 64 x 64, and the others are larger."""
    weights = ARITHMETICS[name]
    start = tune._frugal(device, weights, True)
    assert tilings.fits(start, device, weights)
    for large in (False, True):
        coordinates = tune._group_coordinates(large, weights, quick)
        found = [each for values in coordinates for each in tune._varied(start, values, device, weights)]
        tiles = {each.rows * each.columns for each in found if any("rows" in values[0] for values in coordinates)}
        assert (max(tiles) > 64 * 64) is large
        assert len(found) >= 3
    alone = tune._frugal(device, weights, False)
    assert tilings.fits(alone, device, weights)
    found = [
        each
        for values in tune._panel_coordinates(tilings.vector_length(device, weights), quick)
        for each in tune._varied(alone, values, device, weights)
    ]
    assert len(found) >= 5
    assert all(64 % each.columns == 0 for each in found)


def test_tilings_that_do_not_fit_are_not_tried(
    device: Device, in_groups: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = registers(64, 64, 16, 8, 8)
    assert list(tune._varied(start, [{"depth": 32}], device, INT32)) == [registers(64, 64, 32, 8, 8)]
    monkeypatch.setattr(device, "local_memory", 32 << 10)
    assert list(tune._varied(start, [{"depth": 32}], device, INT32)) == []
    assert list(tune._varied(start, [{"item_rows": 4}], device, INT32)) == [registers(64, 64, 16, 4, 8)]
    monkeypatch.setattr(device, "max_work_group_size", 64)
    assert list(tune._varied(start, [{"item_rows": 4}], device, INT32)) == []


# ---- searching, with made-up times ------------------------------------------------------------------

Cost = Callable[[Tiling], float]


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[..., None]:
    """Say how long products take, of which only those in one arithmetic are looked at, and which of them are wrong.

    They are those of a CPU, unless the test asks for those of a GPU.
    """
    if "in_groups" not in request.fixturenames:
        for module in (tilings, tune, selfcheck):
            monkeypatch.setattr(module, "works_in_groups", lambda device: False)

    def set_times(
        cost: Cost, wrong: Cost = lambda tiling: False, wrong_in_the_end: Cost = lambda tiling: False
    ) -> None:
        def seconds(bench: tune._Bench, candidate: Products) -> float:
            return cost(candidate._tilings[0])

        def some_rows_are_right(bench: tune._Bench, candidate: Products) -> bool:
            return not wrong(candidate._tilings[0])

        def is_right(device: Device, weights: Weights, in_groups: bool, tiling: Tiling) -> bool:
            return not wrong_in_the_end(tiling)

        monkeypatch.setattr(tune._Bench, "_seconds", seconds)
        monkeypatch.setattr(tune._Bench, "_some_rows_are_right", some_rows_are_right)
        monkeypatch.setattr(tune, "is_right", is_right)

    monkeypatch.setattr(tune, "ARITHMETICS", {"int32": INT32})
    return set_times


def far_from(best: Tiling) -> Cost:
    """Return times that grow with the distance from the best tiling, in every parameter."""

    def cost(tiling: Tiling) -> float:
        wanted, given = tilings.parameters_of(best), tilings.parameters_of(tiling)
        return 0.01 * (1 + sum(abs(np.log2(wanted[name] / given[name])) for name in wanted))

    return cost


@pytest.mark.usefixtures("every_width")
@pytest.mark.parametrize("quick", [False, True])
def test_finds_the_best_and_stores_it(device: Device, take: Callable[..., None], quick: bool) -> None:
    table = tilings.tabled(device, INT32, False)
    best = panels(tilings.vector_length(device, INT32), 1, 8, 512, table[0].macros["ROWS"])
    take(far_from(best))
    reports: list[tuple[float, str]] = []
    [outcome] = tune.tune(device, quick, lambda part, text: reports.append((part, text)))
    assert (outcome.arithmetic, outcome.before, outcome.after, outcome.small) == ("int32", table[0], best, False)
    assert outcome.rate_after > outcome.rate_before > 0
    assert in_use(device) == [best]
    assert all(0 <= part <= 1 and text == "int32" for part, text in reports)
    assert len(reports) > 5
    [again] = tune.tune(device, quick)
    assert again.before == again.after == best


@pytest.mark.usefixtures("every_width")
def test_no_change_for_a_small_gain(device: Device, take: Callable[..., None]) -> None:
    [table] = tilings.tabled(device, INT32, False)
    take(lambda tiling: 0.0102 if tiling == table else 0.01)
    [outcome] = tune.tune(device, quick=True)
    assert outcome.before == outcome.after == table
    assert not tilings.tuning_file(device).exists()


@pytest.mark.usefixtures("every_width")
def test_back_to_the_table(device: Device, take: Callable[..., None]) -> None:
    [table] = tilings.tabled(device, INT32, False)
    tune.store(device, {"int32": [panels(4, 1, 5)], "int64": [panels(4, 1, 3)]})
    take(far_from(table))
    [outcome] = tune.tune(device, quick=True)
    assert (outcome.before, outcome.after) == (panels(4, 1, 5), table)
    assert tilings.tuned(device) == {"int64": [panels(4, 1, 3)]}


@pytest.mark.usefixtures("every_width")
@pytest.mark.parametrize("how", ["wrong", "wrong in the end", "fails", "driver fails"])
def test_bad_candidates_are_never_stored(
    device: Device, take: Callable[..., None], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However quick they are. What the tables say is not bad."""
    [table] = tilings.tabled(device, INT32, False)
    bad_rows = 8 if table.macros["ITEM_ROWS"] != 8 else 6

    def is_bad(tiling: Tiling) -> bool:
        if tiling.macros["ITEM_ROWS"] != bad_rows:
            return False
        if how == "fails":
            raise reedsp.DeviceError("cl/minplus/panels.cl did not build")
        if how == "driver fails":
            raise tune.cl.LogicError("clCreateKernel failed: OUT_OF_RESOURCES")
        return True

    best = panels(tilings.vector_length(device, INT32), 1, bad_rows, 512, 64)
    never: Cost = lambda tiling: False  # noqa: E731
    take(far_from(best), *((never, is_bad) if how == "wrong in the end" else (is_bad, never)))
    [outcome] = tune.tune(device, quick=True)
    assert outcome.after.macros["ITEM_ROWS"] != bad_rows
    assert outcome.rate_after > 0
    assert all(tiling.macros["ITEM_ROWS"] != bad_rows for tiling in in_use(device))


@pytest.mark.usefixtures("every_width")
def test_what_is_in_use_fails(device: Device, take: Callable[..., None]) -> None:
    """As on a device whose compiler cannot do what the tables ask for."""
    [table] = tilings.tabled(device, INT32, False)
    take(lambda tiling: 0.01, lambda tiling: tiling == table)
    [outcome] = tune.tune(device, quick=True)
    assert (outcome.before, outcome.rate_before) == (table, 0)
    assert outcome.after != table
    assert in_use(device) == [outcome.after]


def test_nothing_works(device: Device, take: Callable[..., None]) -> None:
    take(lambda tiling: 0.01, lambda tiling: True)
    with pytest.raises(reedsp.DeviceError, match="no tiling gives right products in int32"):
        tune.tune(device, quick=True)
    assert not tilings.tuning_file(device).exists()


def test_interruption_keeps_what_was_found(
    device: Device, take: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    take(lambda tiling: 0.02 if tiling == tilings.tabled(device, INT32, False)[0] else 0.01)
    monkeypatch.setattr(tune, "ARITHMETICS", {"int32": INT32, "int64": ARITHMETICS["int64"]})

    def interrupt(part: float, text: str) -> None:
        if text == "int64":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune.tune(device, True, interrupt)
    assert set(tilings.tuned(device)) == {"int32"}


def test_time_is_limited(device: Device, take: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    take(lambda tiling: 0.01)
    monkeypatch.setattr(tune, "_QUICK", replace(tune._QUICK, seconds=1e-9))
    reports: list[float] = []
    tune.tune(device, True, lambda part, text: reports.append(part))
    assert len(reports) == 2  # at the start, and after the only one


def test_skips_what_the_device_lacks(
    device: Device, take: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    take(lambda tiling: 0.01)
    monkeypatch.setattr(tune, "ARITHMETICS", {"int32": INT32, "float64": ARITHMETICS["float64"]})
    monkeypatch.setattr(device, "fp64", False)
    assert [outcome.arithmetic for outcome in tune.tune(device, quick=True)] == ["int32"]


@pytest.mark.parametrize("name", ["int32", "uint16", "int64"])
@pytest.mark.parametrize("large", [True, False])
@pytest.mark.parametrize("quick", [True, False])
def test_smallest_tiling_of_groups_stays_64_by_64(
    device: Device,
    in_groups: None,
    take: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    large: bool,
    quick: bool,
) -> None:
    """Floyd-Warshall relies on it, whether or not larger ones are quicker."""
    monkeypatch.setattr(tune, "ARITHMETICS", {name: ARITHMETICS[name]})
    best = tilings.make(
        "pairs" if name == "uint16" else "registers", {**LARGE_OR_SMALL[large], "depth": 16 if name == "uint16" else 8}
    )
    take(far_from(best))
    outcomes = tune.tune(device, quick)
    found = in_use(device, name)
    assert (found[-1].rows, found[-1].columns) == (64, 64)
    assert [outcome.after for outcome in outcomes] == found
    assert [outcome.small for outcome in outcomes] == ([False, True] if large else [False])
    assert tilings.parameters_of(found[0]) == tilings.parameters_of(best)
    tilings.read_anew(device)
    assert in_use(device, name) == found


LARGE_OR_SMALL = {
    True: {"rows": 128, "columns": 64, "item_rows": 8, "item_columns": 8},
    False: {"rows": 64, "columns": 64, "item_rows": 8, "item_columns": 8},
}


# ---- measuring --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETICS)
def test_right_products_pass(device: Device, name: str) -> None:
    if name.startswith("float64") and not device.fp64:
        pytest.skip("the device has no doubles")
    bench = tune._Bench(device, ARITHMETICS[name])
    tiling, *_ = tilings.tabled(device, ARITHMETICS[name], tilings.works_in_groups(device))
    assert bench.works(tiling)
    assert bench.is_right(tiling)
    [rate] = bench.rates([tiling], 2)
    assert 0 < rate < np.inf


@pytest.mark.parametrize("fault", ["nothing is written", "one entry", "accumulating", "it fails"])
def test_wrong_products_do_not_pass(device: Device, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    bench = tune._Bench(device, INT32)
    tiling, *_ = tilings.tabled(device, INT32, tilings.works_in_groups(device))
    queue = Products.queue

    def faulty(self: Products, a: Any, b: Any, c: Any, shape: Any, accumulate: bool = False, *more: Any) -> None:
        if fault == "it fails":
            raise reedsp.DeviceError("work-groups of 1 work-item")
        if fault == "nothing is written":
            return
        queue(self, a, b, c, shape, accumulate and fault != "accumulating", *more)
        if fault == "one entry":
            job = Job(device)
            job.copy(c.buffer, 4 * c.first, job.upload(np.full(1, -7, np.int32)), 0, 4)

    monkeypatch.setattr(Products, "queue", faulty)
    assert bench.works(tiling) is (fault == "accumulating")
    assert not bench.is_right(tiling)
    if fault != "accumulating":
        assert bench.rates([tiling], 1) == [0.0]


def test_size_grows_until_a_product_can_be_timed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = tune._Bench(device, INT32)
    tiling, *_ = tilings.tabled(device, INT32, tilings.works_in_groups(device))
    monkeypatch.setattr(bench, "_seconds", lambda candidate: 0.9e-3 * (bench._n / 256) ** 3)
    bench.choose_size(tiling)
    assert bench._n == 512
    monkeypatch.setattr(bench, "_seconds", lambda candidate: 1e-9)
    monkeypatch.setattr(device, "max_allocation", 4 * 1024**2)
    bench.choose_size(tiling)
    assert bench._n == 1024


@pytest.mark.deep
def test_tune_for_real(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is found, products and shortest paths are right with it."""
    monkeypatch.setattr(tune, "ARITHMETICS", {"int32": INT32})
    monkeypatch.setattr(tune, "_QUICK", replace(tune._QUICK, seconds=2.0))
    monkeypatch.setattr(tune, "_WORTHWHILE", 0.0)  # take the last one found, quicker or not
    [outcome] = tune.tune(device, quick=True)[:1]
    assert outcome.rate_before > 0
    assert outcome.rate_after > 0
    check_products(device)


@pytest.mark.deep
@pytest.mark.parametrize("tiling", [panels(4, 1, 5, 128, 32), panels(2, 4, 12, 64, 128), panels(8, 1, 1, 1024, 32)])
def test_products_with_a_tuned_tiling_are_right(device: Device, tiling: Tiling) -> None:
    tune.store(device, {"int32": [tiling], "uint16": [tiling]})
    if not tilings.works_in_groups(device):
        assert in_use(device) == [tiling]
    check_products(device)


@pytest.mark.deep
def test_products_with_tuned_groups_are_right(device: Device, in_groups: None) -> None:
    if device.platform.startswith("Intel"):
        pytest.skip("Intel's compiler crashes on large tiles")
    narrow, wide = [pairs(64, 64, 8, 8, 8)], [registers(64, 64, 8, 8, 8)]
    tune.store(device, {"uint16": narrow, "int32": wide})
    assert in_use(device) == wide
    check_products(device)


def check_products(device: Device) -> None:
    """Compare products and shortest paths with numpy's."""
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-50, 60, shape).astype(np.int32) for shape in ((150, 133), (133, 190)))
    expected = (a[:, :, None] + b).min(axis=1)
    assert np.array_equal(reedsp.min_plus_product(a, b, device=device), expected)
    n = 200
    weights = rng.integers(1, 40, (n, n)).astype(np.float64)
    weights[rng.random((n, n)) < 0.9] = np.inf
    np.fill_diagonal(weights, 0)
    closed = weights.copy()
    for k in range(n):
        closed = np.minimum(closed, closed[:, k, None] + closed[k])
    assert np.array_equal(reedsp.apsp(weights, device=device).dist, closed)
    assert np.array_equal(reedsp.apsp(weights, "min-plus", device=device).dist, closed)
