"""What searches take, where and why: by recorded machines, so that no clock decides whether a test passes."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reedsp
from reedsp.algorithms.single_source import sssp
from reedsp.cost_model import choose_search, contraction, families, place, searches
from reedsp.cost_model.choose_search import Choice, breadth_first, levels_on_host, seconds_on, shortest_paths_on_host
from reedsp.cost_model.families import Known
from reedsp.cost_model.searches import Searches
from reedsp.device import discovery
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from tests.support.machines import H200, INTEL, MACHINES, POCL

CHANGED, ALL, GROUPS, QUEUE = choose_search.CHANGED, choose_search.ALL, choose_search.GROUPS, choose_search.QUEUE
HOST, DEVICE = "host", "device"


def asked(n: int, degree: float, rows: int = 1, negative: bool = False, directed: bool = True) -> Searches:
    return Searches(n, int(n * degree), directed, rows, "int32", 8, negative)


def never(*_: Any) -> Any:
    raise AssertionError("nobody should ask")


def chosen(of: Searches, known: Known, *, min_only: bool = False, most_entering: int = 10, fits: bool = True) -> Choice:
    skewed, room = lambda: most_entering, lambda: fits
    return choose_search.shortest_paths(of, known, min_only=min_only, most_entering=skewed, fits=room)


# ---- on the host, or on a device --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "paths", "levels"),
    [  # on PoCL, Intel's runtime and the H200; those of PoCL are what whole calls measured
        (asked(100, 2), (HOST, HOST, HOST), (HOST, HOST, HOST)),
        (asked(100, 2, rows=16), (HOST, HOST, HOST), (HOST, HOST, HOST)),
        (asked(1000, 4), (HOST, HOST, HOST), (HOST, HOST, HOST)),
        (asked(1000, 8, rows=16), (DEVICE, DEVICE, DEVICE), (DEVICE, DEVICE, DEVICE)),
        (asked(2000, 1, rows=16), (HOST, HOST, HOST), (HOST, DEVICE, DEVICE)),
        (asked(2000, 32), (DEVICE, DEVICE, DEVICE), (DEVICE, DEVICE, DEVICE)),
        (asked(5000, 4), (DEVICE, DEVICE, HOST), (DEVICE, DEVICE, DEVICE)),
        (asked(8192, 2, directed=False), (HOST, HOST, HOST), (HOST, HOST, HOST)),
        (asked(30_000, 4), (DEVICE, DEVICE, DEVICE), (DEVICE, DEVICE, DEVICE)),
        (asked(10**6, 4, rows=64), (DEVICE, DEVICE, DEVICE), (DEVICE, DEVICE, DEVICE)),
        (asked(100, 4, negative=True), (HOST, HOST, HOST), None),
        (asked(100, 4, rows=16, negative=True), (HOST, DEVICE, HOST), None),
        (asked(200, 4, rows=16, negative=True), (DEVICE, DEVICE, DEVICE), None),
        (asked(400, 4, negative=True), (DEVICE, DEVICE, DEVICE), None),
        (asked(1000, 4, rows=16, negative=True), (DEVICE, DEVICE, DEVICE), None),
    ],
)
def test_where(of: Searches, paths: tuple[str, ...], levels: tuple[str, ...] | None) -> None:
    def where(on_host: Any) -> tuple[str, ...]:
        found = [on_host(of, lambda _, known=known: known) for known in MACHINES.values()]
        return tuple(DEVICE if each is None else HOST for each in found)

    assert where(shortest_paths_on_host) == paths
    assert levels is None or where(levels_on_host) == levels


def test_nobody_asks_for_a_device_where_none_would_be_sooner() -> None:
    found = shortest_paths_on_host(asked(100, 2), never)
    assert found is not None
    assert found.methods == ("dijkstra",)
    assert found.seconds == searches.on_host(asked(100, 2)) < 3e-4
    assert re.fullmatch(r"0\.\d+ ms are expected on the host, and no device begins sooner", found.because)
    found = levels_on_host(asked(100, 2), never)
    assert found is not None
    assert found.seconds == searches.levels_on_host(asked(100, 2))
    with pytest.raises(AssertionError):
        shortest_paths_on_host(asked(3000, 2), never)


def test_what_leads_far_away_is_far_for_the_host_too() -> None:
    for n in (5000, 6000, 7000, 8000, 100_000):
        near = asked(n, 2, directed=False)
        assert shortest_paths_on_host(near._replace(scattered=1.0), lambda _: POCL) == shortest_paths_on_host(
            near, lambda _: POCL
        )
    many = asked(200_000, 2.5, 500)
    assert contraction.pays(many._replace(scattered=1.0), POCL) == contraction.pays(many, POCL)
    assert seconds_on(many._replace(scattered=1.0), POCL, "near-far") > 2 * seconds_on(many, POCL, "near-far")


def test_why_the_host() -> None:
    found = shortest_paths_on_host(asked(1500, 3), lambda _: POCL)
    assert found is not None
    assert re.fullmatch(r"0\.\d+ ms are expected on the host, and 0\.\d+ ms of a device", found.because)
    negative = shortest_paths_on_host(asked(100, 4, negative=True), lambda _: POCL)
    assert negative is not None
    assert negative.methods == ("bellman-ford",)


def test_without_a_device() -> None:
    """The constants decide that any device is compared with."""
    some = asked(6000, 6.5)  # 1.2 ms on any device
    assert 1.2e-3 < searches.on_host(some) < 2.4e-3
    assert shortest_paths_on_host(some, lambda _: None) is None
    found = shortest_paths_on_host(asked(5000, 3), lambda _: None)
    assert found is not None
    assert found.because.endswith(" ms are expected on the host, and no device is known")


def test_devices_are_looked_for_when_the_host_has_taken_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_search._Waiting, "seconds", 0.0)
    monkeypatch.setattr(discovery, "_devices", None)
    looked: list[int] = []

    def look() -> Any:
        looked.append(1)
        raise DeviceError("none")

    monkeypatch.setattr(sssp, "get_device", look)
    of = asked(3000, 4)
    calls = math.ceil(0.2 / searches.on_host(of))
    for _ in range(calls - 1):
        assert sssp.known_default(of) is None
    assert looked == []
    assert sssp.known_default(of) is None
    assert looked == [1]


def test_known_devices_are_asked_at_once(monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    monkeypatch.setattr(choose_search, "is_time_to_look", never)
    monkeypatch.setattr(sssp, "get_device", lambda: device)
    assert sssp.known_default(asked(3000, 4)) is families.known(device)


def test_a_process_that_has_looked(device: Device) -> None:
    assert discovery.are_known()
    assert place.on_any_device(100, 700) < place.on_any_device(100, 500)


# ---- methods ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "expected"),
    [  # on the H200; CPUs take a queue
        (asked(300, 4), GROUPS),
        (asked(2000, 4), GROUPS),
        (asked(2000, 4, rows=16), GROUPS),
        (asked(5000, 8, rows=16), GROUPS),
        (asked(20_000, 3), ALL),
        (asked(20_000, 10), ALL),
        (asked(50_000, 4), ALL),
        (asked(100_000, 8), ALL),
        (asked(100_000, 8, rows=16), GROUPS),
        (asked(100_000, 16, rows=16), ALL),
        (asked(800, 800, rows=16), GROUPS),  # all to all: 7 ms on the H200, and 48 or 724
        (asked(2000, 4, rows=2000), GROUPS),
    ],
)
def test_negative_weights(of: Searches, expected: str) -> None:
    of = of._replace(negative=True)
    found = [chosen(of, known) for known in MACHINES.values()]
    assert [each.methods[0] for each in found] == [QUEUE, QUEUE, expected]
    for each, known in zip(found, MACHINES.values(), strict=True):
        assert set(each.methods) >= {CHANGED, ALL, choose_search.BY_EDGES}
        assert len(set(each.methods)) == len(each.methods)
        assert each.seconds == seconds_on(of, known, each.methods[0])
        other = r"[\d.]+ m?s of (input-parallel-refined|output-parallel|bellman-ford(-queue)?)"
        sentence = rf"some weights are negative, and [\d.]+ m?s are expected, and {other}, by `reedsp calibrate`"
        assert re.fullmatch(sentence, each.because)


def test_a_vertex_with_many_edges_on_a_gpu() -> None:
    of = asked(100_000, 8, negative=True)
    assert chosen(of, H200, most_entering=100).methods[0] == ALL
    assert chosen(of, H200, most_entering=101).methods[0] == CHANGED
    choose_search.shortest_paths(of, POCL, min_only=False, most_entering=never, fits=never)


def test_weights_that_are_not_negative() -> None:
    for known in MACHINES.values():
        found = chosen(asked(1000, 4), known)
        assert found.methods == ("near-far", CHANGED, ALL, choose_search.BY_EDGES)
        assert found.seconds == seconds_on(asked(1000, 4), known, "near-far")
        sentence = r"none of the weights is negative, and [\d.]+ ms are expected, by `reedsp calibrate`"
        assert re.fullmatch(sentence, found.because)
    assert chosen(asked(1000, 4), POCL, min_only=True).methods == ("near-far",)


def test_local_memory_of_a_gpu() -> None:
    assert chosen(asked(1000, 4, 63), H200).methods[0] == "near-far"
    assert chosen(asked(1000, 4, 64), H200, fits=False).methods[0] == "near-far"
    found = chosen(asked(1000, 4, 64), H200)
    assert found.methods[:2] == ("near-far-local", "near-far")
    assert found.because.startswith("64 sources are at least 64, and each search fits into local memory; none of the")
    choose_search.shortest_paths(asked(1000, 4, 63), H200, min_only=False, most_entering=never, fits=never)


def test_levels() -> None:
    for known in MACHINES.values():
        found = breadth_first(asked(1000, 4), known, known.kind)
        assert found.methods == (("work-items", "work-groups") if known.is_cpu else ("work-groups", "work-items"))
        sentence = rf"the device is a {known.kind}, and [\d.]+ ms are expected, by `reedsp calibrate`"
        assert re.fullmatch(sentence, found.because)


# ---- what is predicted ------------------------------------------------------------------------------

sizes = st.integers(1, 1 << 20)


@given(
    st.sampled_from([*searches.METHODS, "levels"]),
    st.sampled_from(list(MACHINES)),
    st.tuples(sizes, st.integers(0, 1 << 24), st.integers(1, 300)),
    st.booleans(),
    st.integers(0, 1000),
)
def test_more_never_takes_less(method: str, machine: str, counts: Any, directed: bool, more: int) -> None:
    """Of edges, sources, and vertices with as many edges each."""
    n, m, rows = counts
    known, count = MACHINES[machine], searches.METHODS.get(method, searches.breadth_first)

    def seconds(n: int, m: int, rows: int) -> float:
        works, factor = count(Searches(n, m, directed, rows, "int32", 8), known)
        assert factor >= 1
        return searches_seconds(works, known)

    now = seconds(n, m, rows)
    assert 0 < now < math.inf
    # From 2^18 edges on several work-items search one row, and with more than six a vertex levels are few.
    if m != (1 << 18) and not m < 1 << 18 <= m + more and not m <= 6 * n < m + more:
        assert now <= seconds(n, m + more, rows) * (1 + 1e-9)
    assert now <= seconds(n, m, rows + more) * (1 + 1e-9) or rows < known.units or method == "bellman-ford"
    larger = math.ceil(m / n * (n + more))
    if not m < 1 << 18 <= larger:
        assert now <= seconds(n + more, larger, rows) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("rows", "measured", "levels_measured"), [(1024, 0.050, 0.0231), (4096, 0.154, 0.083), (32768, 1.13, 0.557)]
)
def test_sums_of_distances_take_what_was_measured(rows: int, measured: float, levels_measured: float) -> None:
    """Of New York on an H200; without the copy of rows, with which a search from as many sources takes longer."""
    asked = Searches(264_346, 730_100, True, rows, "int32", 8, stays=True)
    assert measured / 1.3 < seconds_on(asked, H200, "near-far") < 1.3 * measured
    assert levels_measured / 1.3 < breadth_first(asked, H200, "gpu").seconds < 1.3 * levels_measured
    for known in MACHINES.values():
        rows_copied = asked._replace(stays=False)
        assert seconds_on(asked, known, "near-far") < seconds_on(rows_copied, known, "near-far")
        assert contraction.swept(asked, known) <= contraction.swept(rows_copied, known)
    assert contraction.swept(asked, H200) == pytest.approx(3e-4 + 0.180 * rows / 32768, rel=0.1)
    for count in (searches.breadth_first, searches.breadth_first_in_groups):
        assert searches_seconds(count(asked, H200)[0], H200) < searches_seconds(
            count(asked._replace(stays=False), H200)[0], H200
        )


def searches_seconds(works: Any, known: Known) -> float:
    from reedsp.cost_model.work import total

    return total(works, known.machine)


@given(sizes, st.integers(0, 1 << 24), st.integers(1, 300), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_the_host_too(n: int, m: int, rows: int, directed: bool, negative: bool, more: int) -> None:
    def seconds(n: int, m: int, rows: int) -> float:
        of = Searches(n, m, directed, rows, "int32", 8, negative)
        assert searches.levels_on_host(of) > 0
        return searches.on_host(of)

    now = seconds(n, m, rows)
    assert 0 < now <= seconds(n, m + more, rows)
    assert now <= seconds(n, m, rows + more)
    assert now <= seconds(n + more, math.ceil(m / n * (n + more)), rows) * (1 + 1e-6)


def test_intel_differs_from_pocl_by_what_was_measured_only() -> None:
    of = asked(1000, 4)
    assert seconds_on(of, POCL, "near-far") != seconds_on(of, INTEL, "near-far")
    same = Known(POCL.machine, "cpu", 2, "x")
    for method in searches.METHODS:
        assert seconds_on(of, POCL, method) == seconds_on(of, same, method)


# ---- calls ------------------------------------------------------------------------------------------


def graph(negative: bool = False) -> reedsp.Graph:
    rng = np.random.default_rng(3)
    ends, lift = rng.integers(0, 90, (2, 400)), rng.integers(-40, 40, 90) * negative
    return reedsp.Graph.from_edges(90, *ends, rng.integers(1, 30, 400) + lift[ends[0]] - lift[ends[1]])


@pytest.mark.parametrize("known", MACHINES.values(), ids=MACHINES)
def test_calls_say_why(known: Known, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "known", lambda device: known)
    for negative, source in itertools.product((False, True), (0, [0, 1, 2])):
        paths = reedsp.sssp(graph(negative), source, device=device)
        assert "are expected" in paths.stats["chosen_because"]
        assert paths.stats["chosen_because"].startswith("some weights" if negative else "none of the weights")
        assert reedsp.sssp(graph(negative), source, "output-parallel", device=device).stats["chosen_because"] == (
            "it was asked for"
        )
    search = reedsp.bfs(graph(), [0, 1], device=device)
    assert "are expected" in search.stats["chosen_because"] or "levels are small" in search.stats["chosen_because"]
    asked_for = reedsp.bfs(graph(), 0, device=device, options={"method": "frontier"})
    assert asked_for.stats["chosen_because"] == "it was asked for"
    assert "are expected" in reedsp.sssp(graph(), [0, 1], min_only=True, device=device).stats["chosen_because"]


def test_what_is_not_right_is_left_out(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "known", lambda device: POCL)
    form = sssp._trusted_form
    monkeypatch.setattr(sssp, "_trusted_form", lambda each, *more: None if each == QUEUE else form(each, *more))
    paths = reedsp.sssp(graph(negative=True), 0, device=device)
    assert (paths.method, paths.stats["chosen_because"]) == (CHANGED, "bellman-ford-queue is not right here")
