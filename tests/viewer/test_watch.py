"""``reedsp.watch``, and what a page sends to be run."""

from __future__ import annotations

import pytest

import reedsp
from reedsp.viewer import generators, watch
from reedsp.viewer.server import Request
from tests.viewer.replay import states

TEXT = "3 : 7=4 9\n\n9 : 3=2.5\n"


# ---- watch ------------------------------------------------------------------------------------------


def test_a_page_of_several_algorithms(device: reedsp.Device) -> None:
    graph = generators.graph("grid", 12)
    page = reedsp.watch(graph, ["output-parallel", "floyd-warshall"], device=device)
    assert [trace["algorithm"] for trace in page.traces] == ["output-parallel", "floyd-warshall"]
    expected = reedsp.sssp(graph, 0, device=device).dist
    assert states(page.traces[0])[-1]["dist"] == expected.tolist()
    assert reedsp.watch([3, 1, 2], "merge-sort", device=device).traces[0]["problem"] == "sort"
    both = reedsp.watch(graph, ["floyd-warshall", "top-down"], 3, device=device).traces
    assert [trace["input"]["source"] for trace in both] == [None, 3]
    twice = reedsp.watch(graph, ["top-down", "boruvka", "top-down"], device=device).traces
    assert [trace["algorithm"] for trace in twice] == ["top-down", "boruvka"]
    with pytest.raises(ValueError, match=r"^source: "):
        reedsp.watch(graph, ["floyd-warshall", "min-plus-squaring"], 3, device=device)
    with pytest.raises(ValueError, match=r"^algorithm: at least one"):
        reedsp.watch(graph, [], device=device)
    for algorithm in ("nothing", None, 7, ["merge-sort", 7]):
        with pytest.raises(ValueError, match=r"^algorithm: one of .* is expected, got ('nothing'|None|7)$"):
            reedsp.watch([3, 1], algorithm, device=device)  # type: ignore[arg-type]


def test_requests_are_run(device: reedsp.Device) -> None:
    run = watch.runner(device)
    trace = run(Request("graph", "output-parallel", TEXT, source=9))
    assert trace["input"]["names"] == ["3", "7", "9"]
    assert states(trace)[-1]["dist"] == [2.5, 6.5, 0]
    trace = run(Request("graph", "floyd-warshall", generate="cycle", size=5, source=3))
    assert trace["input"]["n"] == 5
    trace = run(Request("array", "naive-scan", "1 2 3"))
    assert trace["input"]["values"] == [1, 2, 3]
    trace = run(Request("array", "merge-sort", generate="descending", size=9))
    assert states(trace)[-1]["keys"] == list(range(9))


@pytest.mark.parametrize(
    "request_",
    [
        Request("graph", "naive-scan", "0 : 1"),
        Request("array", "output-parallel", "1 2"),
        Request("graph", "nothing", "0 : 1"),
        Request("graph", "output-parallel", ""),
        Request("graph", "output-parallel", "0 : 1", source=2),
        Request("graph", "output-parallel", "0 : 1", source="x"),
        Request("graph", "output-parallel", generate="random", size=201),
        Request("graph", "output-parallel", generate="ascending", size=3),
        Request("array", "naive-scan", ""),
    ],
)
def test_wrong_requests_are_refused(device: reedsp.Device, request_: Request) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^[a-z]+"):
        watch.runner(device)(request_)


@pytest.mark.parametrize(("kind", "algorithm"), [("graph", "output-parallel"), ("array", "naive-scan")])
def test_what_is_not_generated(kind: str, algorithm: str, device: reedsp.Device) -> None:
    with pytest.raises(ValueError, match=r"^generate: one of .* is expected, got 'zzz'$"):
        watch.runner(device)(Request(kind, algorithm, generate="zzz"))


@pytest.mark.deep
def test_every_choice_can_be_made() -> None:
    choices = watch.choices()
    assert set(choices["generators"]["graph"]) == set(generators.GRAPHS)
    for kind in ("graph", "array"):
        assert choices["algorithms"][kind]
        assert all(watch.kind_of(name) == kind for name, _ in choices["algorithms"][kind])
