"""The ladder of load balancing by itself: whatever items there are, each of their units comes once, with its item."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.busato_bombieri.expansion import plan_expansions
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.ladder import RUNGS, Rung, rung_for

SMALL = {"group_size": 64, "items": 192, "run": 3, "large": 70, "each": 6, "portions": 3}
RNG = np.random.default_rng(12)
COUNTS: dict[str, list[int]] = {
    "one item": [5],
    "one unit": [0, 1, 0],
    "no units": [0] * 300,
    "one large item": [3000],
    "the same of each": [4] * 700,
    "any": RNG.integers(0, 12, 900).tolist(),
    "few among many without": (np.arange(3000) % 517 == 516).astype(int).tolist(),
    "large ones": [*[1] * 40, 4000, *[0] * 50, 71, 70, 72, *[33] * 70, 900, *[2] * 31, 32, 33, 64, 65],
    "none first, and last": [0] * 200 + [7] * 30 + [0] * 200,
}
each_rung = pytest.mark.parametrize("name", RUNGS)
deep = pytest.mark.deep(*(f"{name}" for name in RUNGS if name not in ("multi-phase", "cta-warp-scan")))


def small(name: str) -> Rung:
    """Return a rung of few work-items, so that each goes through its loops several times."""
    return Rung(name, **SMALL)


def expand(
    device: Device,
    rung: Rung,
    prefixes: np.ndarray,
    first: int = 0,
    last: int | None = None,
    counted: int = 0,
) -> list[int]:
    """Return the owners of some units; -1 where a unit has come twice or never."""
    job, last = Job(device), int(prefixes[-1]) if last is None else last
    items = len(prefixes) - 1 - counted
    offset = "uint" if prefixes.dtype == np.uint32 else "ulong"
    on_device = job.upload(prefixes)
    number = job.upload(np.array([items], np.uint32)) if counted else None
    owners = job.full(last - first + 1, np.uint32(0))
    plans = plan_expansions(
        *(job, rung, on_device, items + counted, (first, last), owners),
        offset=offset,
        item_count=number,
        adds=True,
    )
    found = np.zeros(last - first + 1, np.int64)
    for turn in range(5 if rung.name == "dynamic-virtual-warps" else 1):
        job.fill(owners, last - first + 1, np.uint32(0))
        for kernel in plans[turn % 3]:
            kernel.queue()
        again = job.download(owners, last - first + 1, np.uint32).astype(np.int64)
        assert turn == 0 or np.array_equal(again, found)
        found = again
    assert found[-1] == 0
    return (found[:-1] - 1).tolist()


def prefixes_of(counts: list[int], before: int = 0, dtype: type = np.uint32) -> np.ndarray:
    return np.concatenate(([before], before + np.cumsum(np.array(counts, np.int64)))).astype(dtype)


def owners_of(prefixes: np.ndarray, first: int, last: int) -> list[int]:
    return (np.searchsorted(prefixes, np.arange(first, last), "right") - 1).tolist()


@pytest.mark.deep("multi")
@deep
@each_rung
def test_every_unit_comes_once(name: str, device: Device) -> None:
    for what, counts in COUNTS.items():
        prefixes = prefixes_of(counts)
        total = int(prefixes[-1])
        assert expand(device, small(name), prefixes) == owners_of(prefixes, 0, total), what
        some = (total // 3, total - total // 4)
        assert expand(device, small(name), prefixes, *some) == owners_of(prefixes, *some), what
    assert expand(device, small(name), prefixes_of([])) == []


@pytest.mark.deep
@each_rung
def test_fewer_items_than_there_is_room_for(name: str, device: Device) -> None:
    """Behind the last item, of which the device alone knows, the prefix sums stay the same."""
    counts = COUNTS["large ones"]
    prefixes = prefixes_of(counts)
    longer = np.concatenate((prefixes, np.full(100, prefixes[-1]))).astype(np.uint32)
    assert expand(device, small(name), longer, counted=100) == owners_of(prefixes, 0, int(prefixes[-1]))
    assert expand(device, small(name), np.zeros(90, np.uint32), counted=89) == []


@pytest.mark.deep
@each_rung
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64], ids=lambda dtype: np.dtype(dtype).name)
def test_units_beyond_two_to_the_31(name: str, dtype: type, device: Device) -> None:
    """A launch takes some of them; there is an item that begins long before, and one that ends long after."""
    many = (1 << 31) + 7 if dtype is np.uint32 else (1 << 34) + 7
    prefixes = prefixes_of([many, *COUNTS["large ones"], many // 2], dtype=dtype)
    rung = Rung(name, **{**SMALL, "large": 1 << 20})  # as the queue has room for that many parts of all units
    ends = many - 40, many + sum(COUNTS["large ones"]) + 50
    assert expand(device, rung, prefixes, *ends) == owners_of(prefixes, *ends)


@pytest.mark.deep
@each_rung
def test_as_devices_are_given_them(name: str, device: Device) -> None:
    counts = np.minimum(RNG.pareto(0.7, 5000), 20_000).astype(int).tolist()
    prefixes = prefixes_of(counts)
    rung = rung_for(device, name)
    assert expand(device, rung, prefixes) == owners_of(prefixes, 0, int(prefixes[-1]))


def test_rungs_of_gpus(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many work-items, in work-groups of a power of two, take one unit after the other."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "compute_units", 2)
    for most, size in ((1024, 256), (200, 128)):
        monkeypatch.setattr(device, "max_work_group_size", most)
        rung = rung_for(device, "two-phase")
        assert rung == Rung("two-phase", size, 4096)
        prefixes = prefixes_of(COUNTS["large ones"])
        assert expand(device, rung, prefixes) == owners_of(prefixes, 0, int(prefixes[-1]))


def test_names() -> None:
    """Each is a rung of the kernels, and no two are the same there."""
    macros = [Rung(name, 32, 96).macros for name in RUNGS]
    assert len({(each["LADDER"], each["WIDTH"]) for each in macros}) == len(RUNGS)
