"""All pairs over workers: the bytes of one device, wherever rows lie and go, and whatever is killed meanwhile."""

from __future__ import annotations

import concurrent.futures
import contextlib
import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.all_pairs import floyd_warshall
from reedsp.algorithms.all_pairs.out_of_core import checkpoint as checkpoint_module
from reedsp.algorithms.all_pairs.out_of_core import plan as plan_module
from reedsp.arithmetic.matrix import Weights
from reedsp.cluster import all_pairs, answers, question, strips
from reedsp.cluster import floyd_warshall as over_workers
from reedsp.cluster.worker.serve import WORKER
from reedsp.cost_model import sharing
from reedsp.system.files import writing
from tests.cluster.pool_engine import PoolCluster, PoolEngine
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family

SHORT_SPAN = 64
KILLS = int(os.environ.get("REEDSP_KILLS", "4"))
OUTS = (None, "x.npy", "x.zarr", "x")
QUICK = ("one vertex", "no edges", "grid", "random, dense, many ties", "beyond int32", "negative edges")

Answer = tuple[npt.NDArray[Any], npt.NDArray[Any] | None]


class Here(concurrent.futures.ThreadPoolExecutor):
    """Two threads of this process."""

    def __init__(self) -> None:
        super().__init__(2)


@pytest.fixture(scope="module")
def pool() -> Iterator[Here]:
    with Here() as pool:
        yield pool


@pytest.fixture(params=["through the client", "on workers"])
def cluster(
    request: pytest.FixtureRequest, pool: Here, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PoolCluster]:
    """Lend workers in threads, whose strips are in files or, as with Dask, are not."""
    folder = tmp_path_factory.mktemp("graphs")
    with PoolCluster(PoolEngine(pool, folder, request.param == "on workers")) as cluster:
        yield cluster


@pytest.fixture
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have many strips in small matrices, and a checkpoint after each pass."""
    use_short_spans(monkeypatch.setattr)


def use_short_spans(set_attribute: Callable[[object, str, int], None] = setattr) -> None:
    for module in (floyd_warshall, plan_module, checkpoint_module, all_pairs, question):
        set_attribute(module, "SPAN", SHORT_SPAN)
    for name in ("_SECONDS", "_TIMES"):
        set_attribute(over_workers, name, 0)


def fractions(n: int, seed: int = 3, negative: bool = False) -> reedsp.Graph:
    """Return a graph whose distances depend on how weights are bracketed."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 4 * n))
    weights = rng.random(4 * n) + 0.001
    if negative:
        heights = rng.random(n)
        weights += heights[ends[1]] - heights[ends[0]]
    return reedsp.Graph.from_edges(n, *ends, weights)


def read(paths: reedsp.AllPairs) -> Answer:
    """Return distances and predecessors, whatever they are in."""

    def array(kept: Any) -> npt.NDArray[Any]:
        return np.concatenate([np.load(file) for file in kept]) if isinstance(kept, list) else np.asarray(kept[:])

    return array(paths.dist), None if paths.pred is None else array(paths.pred)


def outcome(call: Callable[[], reedsp.AllPairs]) -> Answer | tuple[type, list[Any] | None]:
    """Return what a call finds, or the type of its error, and the cycle that it names."""
    try:
        return read(call())
    except (reedsp.NegativeCycleError, OverflowError, ValueError) as error:
        return type(error), getattr(error, "cycle", None)


def assert_equal(found: Any, expected: Any, *details: object) -> None:
    if isinstance(expected[0], type):
        assert found == expected, details
        return
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None), details
        if one is not None:
            assert one.dtype == other.dtype, details
            assert one.tobytes() == other.tobytes(), details


def check(cluster: PoolCluster, graph: reedsp.Graph, folder: Path, out: str | None, **options: Any) -> None:
    """Assert that workers find what one device finds, and leave nothing else behind."""
    expected = outcome(lambda: reedsp.apsp(graph, **options))
    target = None if out is None else folder / out
    found = outcome(lambda: cluster.apsp(graph, out=target, **options))
    assert_equal(found, expected, out, options)
    left = {each.name for each in folder.iterdir()}
    if target is None or isinstance(expected[0], type):
        assert left == set()
    else:
        assert not any("partial" in each for each in left)


# ---- the bytes of one device ------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("out", OUTS)
@pytest.mark.parametrize("family", [each for each in FAMILIES if each.name in QUICK], ids=lambda each: each.name)
def test_families(family: Family, out: str | None, cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    check(cluster, family.graph(), tmp_path, out, method="floyd-warshall", predecessors=True)


@pytest.mark.deep
@pytest.mark.parametrize("method", ["floyd-warshall", "johnson", "auto"])
@pytest.mark.parametrize("family", [*FAMILIES, *NEGATIVE_CYCLES], ids=lambda each: each.name)
def test_every_family(family: Family, method: Any, cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    for number, out in enumerate(OUTS):
        (folder := tmp_path / str(number)).mkdir()
        check(cluster, family.graph(), folder, out, method=method, predecessors=out != "x.npy")


@pytest.mark.parametrize("negative_cycles", ["raise", "mark"])
@pytest.mark.parametrize("family", NEGATIVE_CYCLES[::3], ids=lambda each: each.name)
def test_negative_cycles(
    family: Family, negative_cycles: Any, cluster: PoolCluster, short_spans: None, tmp_path: Path
) -> None:
    options = {"predecessors": True, "negative_cycles": negative_cycles}
    check(cluster, family.graph(), tmp_path, "x.npy", method="floyd-warshall", **options)


@pytest.mark.parametrize("out", [None, "x"])
@pytest.mark.parametrize("family", [each for each in FAMILIES if each.name in QUICK], ids=lambda each: each.name)
def test_searches(family: Family, out: str | None, cluster: PoolCluster, tmp_path: Path) -> None:
    check(cluster, family.graph(), tmp_path, out, method="johnson", predecessors=True)


@pytest.mark.deep("through the client", "float32")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("negative", [False, True])
def test_fractions(dtype: Any, negative: bool, cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    """Sums that are rounded are rounded in the same order."""
    graph = fractions(5 * SHORT_SPAN + 9, negative=negative)
    check(cluster, graph, tmp_path, "x.npy", method="floyd-warshall", predecessors=True, dtype=dtype)


def test_against_scipy(cluster: PoolCluster, short_spans: None) -> None:
    rng = np.random.default_rng(5)
    matrix = rng.integers(1, 60, (4 * SHORT_SPAN + 1,) * 2) * (rng.random((4 * SHORT_SPAN + 1,) * 2) < 0.03)
    assert np.array_equal(
        cluster.apsp(matrix, "floyd-warshall").dist, scipy.sparse.csgraph.floyd_warshall(matrix.astype(float))
    )


@pytest.mark.parametrize("spans", [2, 3, 7])
def test_strips_of_several_spans(
    spans: int, cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 7 * SHORT_SPAN + 30
    monkeypatch.setattr(sharing, "spans_of_strip", lambda n, span, workers: spans)
    check(cluster, fractions(n), tmp_path, "x.npy", method="floyd-warshall", dtype="float32")


@pytest.mark.parametrize(
    ("count", "shares", "most", "expected"),
    [
        (8, 2, 1, [[0], [1], [2], [3], [4], [5], [6], [7]]),
        (8, 2, 9, [[0, 2, 4, 6], [1, 3, 5, 7]]),
        (9, 2, 3, [[0, 2, 4], [1, 3, 5], [6, 8], [7]]),
        (5, 3, 2, [[0, 3], [1, 4], [2]]),
        (4, 4, 2, [[0], [1], [2], [3]]),
    ],
)
def test_strips_that_are_answered_for_at_once(count: int, shares: int, most: int, expected: list[list[int]]) -> None:
    cut = strips.Strips("", None, Weights(np.dtype(np.int32), 0, 0), count, 1, 1, shares, True)
    assert [list(each) for each in all_pairs._answered_at_once(cut, most)] == expected


@pytest.mark.parametrize("strips_of_task", [1, 2, 99])
@pytest.mark.parametrize("predecessors", [False, True])
def test_answers_of_several_strips(
    strips_of_task: int, predecessors: bool, cluster: PoolCluster, short_spans: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, n = np.random.default_rng(8), 7 * SHORT_SPAN + 5
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, 5 * n)), rng.integers(1, 100, 5 * n))
    expected = reedsp.apsp(graph, method="floyd-warshall", predecessors=predecessors)
    rows = sharing.spans_of_strip(n, SHORT_SPAN, len(cluster.engine.workers())) * SHORT_SPAN
    answered: list[int] = []
    submit = cluster.engine.submit

    def seen(function: Any, *arguments: Any, **options: Any) -> Any:
        if function is answers.answer:
            answered.append(len(arguments[1]))
        return submit(function, *arguments, **options)

    monkeypatch.setattr(cluster.engine, "submit", seen)
    monkeypatch.setattr(cluster.engine, "task_bytes", strips_of_task * rows * n * (12 if predecessors else 8))
    found = cluster.apsp(graph, method="floyd-warshall", predecessors=predecessors)
    assert np.array_equal(found.dist, expected.dist)
    if predecessors:
        assert np.array_equal(found.pred, expected.pred)
    assert max(answered) <= strips_of_task
    assert sum(answered) == -(-n // rows)
    if cluster.engine.keeps_results and strips_of_task > 1:
        assert max(answered) > 1


def test_memory_that_is_little(cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    """Strips and what is staged get smaller; too little is an error that says how much is needed."""
    graph = fractions(6 * SHORT_SPAN)
    with pytest.raises(reedsp.DeviceMemoryError, match=r" 100 bytes, but 384 vertices need [\d,]+ on") as caught:
        cluster.apsp(graph, "floyd-warshall", memory_limit=100.5)
    needed = int(str(caught.value).split(" need ")[1].split()[0].replace(",", ""))
    check(cluster, graph, tmp_path, None, method="floyd-warshall", memory_limit=needed)


def test_names_and_no_vertices(cluster: PoolCluster, tmp_path: Path) -> None:
    network = __import__("networkx").DiGraph()
    network.add_weighted_edges_from([("a", "b", 4), ("b", "c", 1), ("c", "d", 1), ("d", "b", -3)])
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        cluster.apsp(network, "floyd-warshall")
    assert set(caught.value.cycle) == {"b", "c", "d"}
    assert caught.value.weight == -1
    for out in OUTS:
        paths = cluster.apsp(reedsp.Graph.from_edges(0, [], []), out=None if out is None else tmp_path / out)
        assert paths.dist is not None


def test_what_is_said_of_it(cluster: PoolCluster) -> None:
    found = cluster.apsp(reedsp.Graph.from_edges(2, [0], [1]))
    assert set(found.stats) == {"device", "workers", "chosen_because", "milliseconds", "phases"}
    assert found.stats["device"] == found.device == "2 workers"


def test_in_a_place(cluster: PoolCluster) -> None:
    graph = FAMILIES[9].graph()
    place = np.empty((graph.n, graph.n), np.int64)
    assert cluster.apsp(graph, out=place).dist is place
    assert np.array_equal(place, reedsp.apsp(graph, dtype="int64").dist)
    with pytest.raises(ValueError, match="out has shape"):
        cluster.apsp(graph, out=place[1:])


def test_progress(cluster: PoolCluster, short_spans: None) -> None:
    for method in ("floyd-warshall", "johnson"):
        seen: list[tuple[int, int]] = []
        cluster.apsp(fractions(300), method, progress=lambda *each, seen=seen: seen.append(each))
        assert seen == sorted(seen)
        assert seen[-1] == (300, 300)
        assert len(seen) > 3


# ---- what is wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "min-plus"}, "method = 'min-plus', expected one of"),
        ({"negative_cycles": "ignore"}, "negative_cycles = 'ignore'"),
        ({"memory_limit": 0}, "memory_limit = 0"),
        ({"dtype": "int8"}, "dtype = int8"),
        ({"options": {"kernel": "katz-kider"}}, "kernel = 'katz-kider'"),
        ({"options": {"speed": "high"}}, "no option 'speed'"),
        ({"method": "johnson", "options": {"search": "x"}}, "search = 'x'"),
        ({"options": {"search": "near-far"}}, "'search' needs a method that has it: 'johnson'"),
        ({"method": "johnson", "memory_limit": 1 << 30}, "memory_limit: needs method='floyd-warshall'"),
        ({"out": np.empty((2, 2), np.int16)}, r"^out\.dtype = int16, expected"),
    ],
)
def test_wrong_arguments(options: Any, message: str, cluster: PoolCluster) -> None:
    with pytest.raises(ValueError, match=message):
        cluster.apsp(FAMILIES[9].graph(), **options)


def test_options_of_johnson(cluster: PoolCluster) -> None:
    """It also adds up what no matrix holds."""
    graph = reedsp.Graph.from_edges(6, [0, 1, 3, 4], [1, 2, 4, 5], np.array([2**61] * 4))
    options: dict[str, Any] = {"method": "johnson", "dtype": "int64", "options": {"search": "near-far"}}
    found = cluster.apsp(graph, **options)
    assert found.method == "johnson"
    assert np.array_equal(found.dist, reedsp.apsp(graph, **options).dist)


def test_arguments_that_need_a_matrix(cluster: PoolCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "method_for", lambda *_: ("johnson", "it is the best"))
    graph = reedsp.Graph.from_edges(300, [0, 1], [1, 2])
    needs: list[tuple[dict[str, Any], str]] = [
        ({"memory_limit": 1 << 30}, "memory_limit needs it"),
        ({"options": {"kernel": "blocked"}}, "kernel is an option of it"),
    ]
    for options, because in needs:
        found = cluster.apsp(graph, **options)
        assert (found.method, found.stats["chosen_because"]) == ("floyd-warshall", because)
    assert cluster.apsp(graph).method == "johnson"


@pytest.mark.parametrize("error", [reedsp.DeviceError, MemoryError, RuntimeError])
@pytest.mark.parametrize(
    ("method", "owner", "name"),
    [
        ("johnson", answers.Searches, "rows"),
        ("floyd-warshall", answers, "_matrix"),
        ("floyd-warshall", answers, "farthest_of"),
        ("floyd-warshall", answers, "tight_edges_from"),
        ("floyd-warshall", answers, "listed_together"),
    ],
)
def test_what_fails_once(
    method: Any,
    owner: object,
    name: str,
    error: type[Exception],
    cluster: PoolCluster,
    short_spans: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another worker does it; where it goes on failing, the error says what it was about."""
    graph, real, left = fractions(2 * SHORT_SPAN), getattr(owner, name), 1

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        if left:
            left -= 1
            raise error("transient")
        return real(*arguments, **options)

    expected = reedsp.apsp(graph, method, predecessors=True)
    monkeypatch.setattr(owner, name, failing)
    assert_equal(read(cluster.apsp(graph, method, predecessors=True)), read(expected))
    left = 1 << 30
    about = "graph" if name == "listed_together" else r"sources \d+( \.\.\. \d+)?"
    kind = reedsp.DeviceMemoryError if error is MemoryError else error
    with pytest.raises(kind, match=rf"^{about}: failed on .*: {error.__name__}: transient; then on .*transient$"):
        cluster.apsp(graph, method, predecessors=True)


@pytest.mark.parametrize("predecessors", [False, True])
def test_searches_that_are_too_many_at_once(
    predecessors: bool, cluster: PoolCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, real = fractions(2 * SHORT_SPAN), answers.Searches.rows
    expected = reedsp.apsp(graph, "johnson", predecessors=predecessors)

    def few(searches: Any, sources: Any, *arguments: Any) -> Any:
        if len(sources) > 5:
            raise MemoryError
        return real(searches, sources, *arguments)

    monkeypatch.setattr(answers.Searches, "rows", few)
    assert_equal(read(cluster.apsp(graph, "johnson", predecessors=predecessors)), read(expected))


@pytest.mark.parametrize("predecessors", [False, True])
def test_rows_of_a_strip_that_are_too_many_at_once(
    predecessors: bool, cluster: PoolCluster, short_spans: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, n = np.random.default_rng(2), 2 * SHORT_SPAN + 9
    ends, weights = rng.integers(0, n, (2, n)), rng.integers(-3, 9, n)
    graph, real = reedsp.Graph.from_edges(n, *ends, weights), answers.Answers.to_memory
    options: dict[str, Any] = {"predecessors": predecessors, "negative_cycles": "mark"}
    expected = reedsp.apsp(graph, "floyd-warshall", **options)
    assert np.isneginf(expected.dist).any()

    def few(found: Any, dist: Any, pred: Any) -> None:
        if len(dist) > 5:
            raise reedsp.DeviceMemoryError
        real(found, dist, pred)

    monkeypatch.setattr(answers.Answers, "to_memory", few)
    assert_equal(read(cluster.apsp(graph, "floyd-warshall", **options)), read(expected))


class GivenUpError(Exception):
    """The engine has given a task up."""


def test_strips_that_are_given_up(cluster: PoolCluster, short_spans: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are on the device that fails, and no other worker has them; the error is one that is known."""

    def fill(*_: object) -> None:
        error = GivenUpError("three times")
        setattr(error, WORKER, "the first")
        raise error

    monkeypatch.setattr(strips, "fill", fill)
    with pytest.raises(GivenUpError, match="three times") as caught:
        cluster.apsp(fractions(2 * SHORT_SPAN), "floyd-warshall")
    assert caught.value.__notes__ == ["matrix, on worker the first"]
    monkeypatch.setattr(cluster.engine, "final", (GivenUpError,))
    with pytest.raises(RuntimeError, match=r"^matrix: failed on the first: GivenUpError: three times$"):
        cluster.apsp(fractions(2 * SHORT_SPAN), "floyd-warshall")


def test_johnson_and_negative_weights(cluster: PoolCluster) -> None:
    with pytest.raises(ValueError, match="negative_cycles = 'mark': needs"):
        cluster.apsp(FAMILIES[16].graph(), "johnson", negative_cycles="mark")
    with pytest.raises(ValueError, match="negative and fractional"):
        cluster.apsp(fractions(30, negative=True), "johnson")


def test_out_that_is_taken(cluster: PoolCluster, tmp_path: Path) -> None:
    graph = FAMILIES[9].graph()
    with pytest.raises(FileNotFoundError, match="missing"):
        cluster.apsp(graph, out=tmp_path / "missing" / "x.npy")
    for name in ("x.npy", "x.zarr", "x"):
        (tmp_path / name).mkdir()
        with pytest.raises(FileExistsError, match=name):
            cluster.apsp(graph, out=tmp_path / name)
    (tmp_path / "y.pred.npy").touch()
    with pytest.raises(FileExistsError, match=r"y\.pred\.npy"):
        cluster.apsp(graph, out=tmp_path / "y.npy", predecessors=True)
    with pytest.raises(FileExistsError, match=r"y\.pred\.npy"):  # it would be taken for this result's
        cluster.apsp(graph, out=tmp_path / "y.npy")
    (tmp_path / "z.npy.partial").mkdir()
    (tmp_path / "z.npy.partial" / "thesis.tex").touch()
    for _ in range(2):
        with pytest.raises(FileExistsError, match=r"thesis\.tex"):
            cluster.apsp(graph, out=tmp_path / "z.npy")
        (tmp_path / "z.npy.partial" / "journal").write_text("no header\n")  # a journal of something else


@pytest.mark.parametrize("method", ["floyd-warshall", "johnson"])
def test_full_disk(
    method: Any, cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error; when there is room, the same call goes on."""
    graph, fsync, calls = fractions(3 * SHORT_SPAN), os.fsync, 0

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device"):
            cluster.apsp(graph, method, out=tmp_path / "x.npy")
    check(cluster, graph, tmp_path, "x.npy", method=method)


# ---- what is interrupted goes on --------------------------------------------------------------------


class EndedError(BaseException):
    """The process is to have ended here."""


@contextlib.contextmanager
def ending(after: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Have every operation on files fail after some of them, as if the process were no more; lend their names."""
    done: list[str] = []

    def watched(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if len(done) >= after:
                raise EndedError(name)
            done.append(name)
            return operation(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name in ("open", "link", "unlink", "rename", "replace", "fsync", "mkdir", "rmdir", "ftruncate"):
            patch.setattr(os, name, watched(name, getattr(os, name)))
        patch.setattr(writing, "write", watched("write", writing.write))
        yield done


@contextlib.contextmanager
def ended() -> Iterator[None]:
    """Let the process end, or a worker, which is told like the loss of it."""
    try:
        yield
    except (EndedError, RuntimeError) as error:
        if not isinstance(error.__cause__ or error, EndedError):
            raise


@pytest.mark.deep
@pytest.mark.parametrize("method", ["floyd-warshall", "johnson"])
def test_ended_at_operations(
    method: Any, cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = fractions(3 * SHORT_SPAN + 1)
    options = {"method": method, "predecessors": True, "out": tmp_path / "x.npy"}
    with ending(1 << 30, monkeypatch) as done:
        cluster.apsp(graph, **options)
    expected = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert set(expected) == {"x.npy", "x.pred.npy"}
    assert len(done) > 40
    for after in range(1, len(done), 1 + len(done) // 25):
        for each in tmp_path.iterdir():
            each.unlink()
        with ending(after, monkeypatch), ended():
            cluster.apsp(graph, **options)
        with contextlib.suppress(FileExistsError):  # nothing was left to be done but to remove the folder
            cluster.apsp(graph, **options)
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == expected, after


def test_what_is_done_is_not_done_again(
    cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C after half of the passes: the tasks end, and the folder can be gone on with."""
    graph, n = fractions(6 * SHORT_SPAN), 6 * SHORT_SPAN
    expected = reedsp.apsp(graph, "floyd-warshall").dist

    def interrupt(vertices: int, _: int) -> None:
        if vertices >= n // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", progress=interrupt)
    assert [each.name for each in tmp_path.iterdir()] == ["x.npy.partial"]
    others: list[tuple[reedsp.Graph, dict[str, Any], str]] = [
        (fractions(n, seed=4), {}, "graph is '.*', not '.*'"),
        (fractions(n + 1), {}, "graph is '.*', not '.*'"),
        (graph, {"method": "johnson"}, "method is 'floyd-warshall', not 'johnson'"),
        (graph, {"dtype": "float32"}, "dtype is 'float64', not 'float32'"),
        (graph, {"predecessors": True}, "predecessors is False, not True"),
        (graph, {"negative_cycles": "mark"}, "negative_cycles is 'raise', not 'mark'"),
    ]
    for another, options, message in others:
        with pytest.raises(ValueError, match=f"journal: its {message}; it is another problem's"):
            cluster.apsp(another, **{"method": "floyd-warshall", "out": tmp_path / "x.npy", **options})
    seen: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(strips, "fill_rows", lambda *_: pytest.fail("it begins anew"))
        found = cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", progress=lambda k, _: seen.append(k))
    assert min(seen) >= n // 3
    assert found.dist.tobytes() == expected.tobytes()


def test_auto_goes_on_by_the_method_it_began_with(
    cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers on other devices would take another one."""
    graph = fractions(3 * SHORT_SPAN)

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    for method, other in (("johnson", "floyd-warshall"), ("floyd-warshall", "johnson")):
        out = tmp_path / f"{method}.npy"
        monkeypatch.setattr(answers, "method_for", lambda *_, each=method: (each, "it is the best"))
        with pytest.raises(KeyboardInterrupt):
            cluster.apsp(graph, out=out, progress=interrupt)
        monkeypatch.setattr(answers, "method_for", lambda *_, each=other: (each, "it is the best"))
        found = cluster.apsp(graph, out=out)
        assert found.method == method
        assert found.stats["chosen_because"] == "what was begun goes on by it"
        assert np.array_equal(found.dist, reedsp.apsp(graph, method).dist)  # type: ignore[call-overload]


@pytest.mark.parametrize("method", ["floyd-warshall", "johnson"])
def test_the_error_that_says_what_to_ask_for_leaves_nothing(method: Any, cluster: PoolCluster, tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], np.array([2**53, 1, 1]))
    with pytest.raises(ValueError, match=r"^dist\[0, 2\] = 9007199254740993 .* ask for dtype='int64'(\n|$)"):
        cluster.apsp(graph, method, out=tmp_path / "x.npy")
    found = cluster.apsp(graph, method, out=tmp_path / "x.npy", dtype="int64")
    assert np.array_equal(found.dist, reedsp.apsp(graph, method, dtype="int64").dist)


@pytest.mark.parametrize("begun", [False, True])
def test_too_little_memory_takes_nothing_away(
    begun: bool, cluster: PoolCluster, short_spans: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Devices that are too small may be followed by others."""
    graph, n = fractions(6 * SHORT_SPAN), 6 * SHORT_SPAN

    def interrupt(vertices: int, _: int) -> None:
        if vertices >= n // 2:
            raise KeyboardInterrupt

    if begun:
        with pytest.raises(KeyboardInterrupt):
            cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", progress=interrupt)
    with pytest.raises(reedsp.DeviceMemoryError, match="100 bytes"):
        cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", memory_limit=100)
    assert (tmp_path / "x.npy.partial").exists() == begun
    if begun:
        monkeypatch.setattr(strips, "fill_rows", lambda *_: pytest.fail("it begins anew"))
        found = cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy")
        assert np.array_equal(found.dist, reedsp.apsp(graph, "floyd-warshall").dist)


def test_two_calls_at_once(cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    graph = fractions(3 * SHORT_SPAN)

    def again(*_: int) -> None:
        with pytest.raises(BlockingIOError, match="another process is working in this folder"):
            cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy")

    cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", progress=again)


@pytest.mark.parametrize("name", ["journal", "strip"])
def test_damaged(name: str, cluster: PoolCluster, short_spans: None, tmp_path: Path) -> None:
    graph = fractions(6 * SHORT_SPAN)

    def interrupt(vertices: int, _: int) -> None:
        if vertices >= 3 * SHORT_SPAN:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy", progress=interrupt)
    file = max((tmp_path / "x.npy.partial").glob(f"{name}*"))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"{name}.*to start again"):
        cluster.apsp(graph, "floyd-warshall", out=tmp_path / "x.npy")


# ---- processes --------------------------------------------------------------------------------------


KILLED = {"floyd-warshall": 12 * SHORT_SPAN, "johnson": 1500}


def processes() -> concurrent.futures.ProcessPoolExecutor:
    """Return two of them, with many strips in small matrices."""
    return concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), use_short_spans)


def run_in_processes(method: str, out: str) -> None:
    """Solve over two processes: what is killed below."""
    use_short_spans()
    with processes() as pool, PoolCluster(PoolEngine(pool, Path(out).parent.parent)) as cluster:
        print("begins", flush=True)
        cluster.apsp(fractions(KILLED[method]), method, out=out, predecessors=True)


def started(method: str, out: Path) -> subprocess.Popen[bytes]:
    code = f"from tests.cluster.test_all_pairs import run_in_processes; run_in_processes({method!r}, {str(out)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begins\n"
    return process


@pytest.mark.deep
@pytest.mark.parametrize("method", ["floyd-warshall", "johnson"])
def test_killed(method: str, short_spans: None, tmp_path: Path) -> None:
    """All processes are killed at random instants, and the same call ends with the same bytes."""
    graph = fractions(KILLED[method])
    expected = reedsp.apsp(graph, method, predecessors=True, device="pocl")  # type: ignore[call-overload]
    rng, folder = np.random.default_rng(int(time.time())), tmp_path / "results"
    folder.mkdir()
    out = folder / "x.npy"
    begun = time.monotonic()
    with started(method, out) as process:
        assert process.wait() == 0
    took = time.monotonic() - begun
    assert_equal((np.load(out), np.load(folder / "x.pred.npy")), (expected.dist, expected.pred))
    done, killed = {"x.npy", "x.pred.npy"}, 0
    for _ in range(KILLS):
        for name in done:
            (folder / name).unlink()
        while {each.name for each in folder.iterdir()} != done:  # a process may be killed when it has nothing left
            with started(method, out) as process:
                if killed % 4 < 3:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(rng.random() * took)
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                killed += 1
                assert process.wait() in (0, -signal.SIGKILL)
        assert_equal((np.load(out), np.load(folder / "x.pred.npy")), (expected.dist, expected.pred))


@pytest.mark.deep
@pytest.mark.parametrize("method", ["floyd-warshall", "johnson"])
def test_a_worker_is_killed(method: str, short_spans: None, tmp_path: Path) -> None:
    """A pool of processes is lost with it, which is an error; another one goes on."""
    graph, out = fractions(KILLED[method]), tmp_path / "x.npy"
    seen: list[int] = []
    killed: list[int] = []
    with processes() as pool, PoolCluster(PoolEngine(pool, tmp_path)) as cluster:
        cluster.engine.task_bytes = 50 * 8 * graph.n  # so that there is much left

        def kill(vertices: int, n: int) -> None:
            if vertices >= n // 2 and not killed:  # what was sent before may arrive after it
                killed.append(next(iter(pool._processes)))
                os.kill(killed[0], signal.SIGKILL)

        with pytest.raises(BrokenProcessPool):
            cluster.apsp(graph, method, out=out, progress=kill)
    with processes() as pool, PoolCluster(PoolEngine(pool, tmp_path)) as cluster:
        found = cluster.apsp(graph, method, out=out, progress=lambda vertices, _: seen.append(vertices))
    assert seen[0] > 1
    assert_equal(read(found), read(reedsp.apsp(graph, method)))  # type: ignore[call-overload]


@pytest.mark.deep("through the client", "on workers-False")
@pytest.mark.parametrize("predecessors", [False, True])
def test_path_weights_that_rounding_has_spoilt(predecessors: bool, cluster: PoolCluster, short_spans: None) -> None:
    """Cycles of weight 0, which are less in floats, beside a negative one: strips are searched as a matrix is."""
    rng, n = np.random.default_rng(3), 3 * SHORT_SPAN
    heights = rng.random(n) * 10.0 ** rng.uniform(-3, 3, n)
    weights = np.nextafter(heights[:, None] - heights, np.inf)
    exact = heights[:, None].astype(np.longdouble) - heights
    weights = np.where(weights < exact, np.inf, weights)
    np.fill_diagonal(weights, np.inf)
    whole = np.full((n + 3, n + 3), np.inf)
    whole[:n, :n] = weights
    whole[n, n + 1], whole[n + 1, n], whole[5, n], whole[n, n + 2] = 0.5, -0.75, 1, 1
    options: dict[str, Any] = {"method": "floyd-warshall", "predecessors": predecessors, "negative_cycles": "mark"}
    expected = reedsp.apsp(whole, **options)
    found = cluster.apsp(reedsp.Graph.from_dense(whole), **options)
    assert np.array_equal(found.dist, expected.dist)
    if predecessors:
        assert np.array_equal(found.pred, expected.pred)
    assert np.isfinite(found.dist[:n, :n]).all()
    assert np.isneginf(found.dist[:n, n:]).all()
