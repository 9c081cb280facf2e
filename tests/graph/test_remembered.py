"""Graphs of matrices that have not changed: found again, and never where a byte of the matrix is another."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.graph import remembered
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.system.parts import PART

N = 40
CALLS = 60


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> remembered._Memory:
    """Begin with nothing, and take small matrices, too."""
    monkeypatch.setattr(remembered, "_FEWEST_BYTES", 0)
    monkeypatch.setattr(remembered, "_memory", remembered._Memory())
    return remembered._memory


def dense(seed: int = 2012) -> Any:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((N, N)) < 0.2, rng.integers(1, 100, (N, N)), 0).astype(float)


MATRICES: dict[str, Callable[[], Any]] = {
    **{form: lambda form=form: scipy.sparse.coo_array(dense()).asformat(form) for form in ("bsr", "coo", "csc", "csr")},
    "csr_matrix": lambda: scipy.sparse.csr_matrix(dense()),
    "dia": lambda: scipy.sparse.dia_array((np.arange(1, 3 * N + 1.0).reshape(3, N), [-2, 0, 5]), shape=(N, N)),
    "dense": dense,
    "dense in Fortran order": lambda: np.asfortranarray(dense()),
    "matrix": lambda: dense().view(np.matrix),
    "masked": lambda: np.ma.masked_equal(dense(), 0),
    "without a mask": lambda: np.ma.MaskedArray(dense()),
}


def make(matrix: Any) -> Graph:
    return Graph.from_scipy(matrix) if scipy.sparse.issparse(matrix) else Graph.from_dense(matrix)


def values_of(matrix: Any) -> Any:
    """The numbers of a matrix, which a test can change."""
    return matrix.data if scipy.sparse.issparse(matrix) else np.ma.getdata(matrix)


# ---- what is found again ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MATRICES)
def test_the_third_call_prepares_nothing(kind: str) -> None:
    matrix, made = MATRICES[kind](), []

    def counted(given: Any) -> Graph:
        made.append(given)
        return make(given)

    graphs = [remembered.remembered(matrix, "kind", counted) for _ in range(5)]
    assert len(made) == 2
    assert graphs[1] is graphs[2] is graphs[3] is graphs[4] is not graphs[0]
    assert all(graph == make(matrix) for graph in graphs)
    assert type(made[1]) is type(matrix)
    assert not np.shares_memory(values_of(made[1]), values_of(matrix))
    remembered.remembered(matrix, "another kind", counted)
    assert len(made) == 3


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("entry", [0, 7, -1])
def test_one_weight_that_changes_in_place_is_noticed(kind: str, entry: int) -> None:
    matrix = MATRICES[kind]()
    before = [as_graph(matrix) for _ in range(4)]
    values = np.asarray(values_of(matrix))
    index = np.unravel_index(np.flatnonzero(values)[entry], values.shape)
    values[index] += 1
    changed = [as_graph(matrix) for _ in range(4)]
    assert all(graph == make(matrix) for graph in changed)
    assert before[-1] != changed[0]
    values[index] -= 1
    assert all(as_graph(matrix) == before[0] for _ in range(4))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_an_index_that_changes_in_place_is_noticed(kind: str) -> None:
    matrix = MATRICES[kind]()
    before = [as_graph(matrix) for _ in range(3)]
    indices = {"coo": "row", "dia": "offsets"}.get(kind, "indptr")
    array = getattr(matrix, indices)
    if indices == "indptr":
        array[1:3] = array[2]
    else:
        array[0] += 1
    assert as_graph(matrix) == make(matrix) != before[-1]


def test_a_mask_that_changes_is_noticed() -> None:
    matrix = MATRICES["masked"]()
    before = [as_graph(matrix) for _ in range(3)]
    matrix.mask[tuple(np.argwhere(~matrix.mask)[0])] = True
    assert as_graph(matrix) == make(matrix) != before[-1]


@pytest.mark.parametrize("order", ["C", "F"])
def test_each_part_of_a_large_matrix_counts(order: Any) -> None:
    matrix = np.ones((600, 600), order=order)
    values = matrix.reshape(-1, order=order)
    a_part = PART // values.itemsize
    assert 2 * a_part < values.size
    for entry in (0, a_part - 1, a_part, 2 * a_part - 1, 2 * a_part, values.size - 1):
        found = [as_graph(matrix) for _ in range(3)][-1]
        values[entry] += entry + 1
        assert np.array_equal(as_graph(matrix).weights.reshape(matrix.shape), matrix)
        assert not np.array_equal(found.weights.reshape(matrix.shape), matrix)


def test_other_arrays_and_types_are_noticed() -> None:
    matrix = MATRICES["csr"]()
    found = [as_graph(matrix) for _ in range(3)]
    matrix.data = matrix.data.view(np.int64)  # the same bytes
    assert as_graph(matrix) == make(matrix) != found[-1]
    square = np.ones((4, 4))
    assert [as_graph(square).n for _ in range(3)] == [4, 4, 4]
    square.shape = (2, 8)
    with pytest.raises(ValueError, match="square"):
        as_graph(square)


@pytest.mark.parametrize(
    "matrix",
    [
        scipy.sparse.lil_array(dense()),
        scipy.sparse.dok_array(dense()),
        np.repeat(dense(), 2, axis=1)[:, ::2],
        dense().tolist(),
    ],
    ids=["lil", "dok", "strided", "list"],
)
def test_what_is_not_remembered_is_prepared_each_time(matrix: Any, memory: remembered._Memory) -> None:
    graphs = [as_graph(matrix) for _ in range(4)]
    assert len(set(map(id, graphs))) == 4
    assert memory.graphs() == []


def test_errors_are_those_of_the_matrix(memory: remembered._Memory) -> None:
    matrix = MATRICES["csr"]()
    matrix.indices[3] = N
    for _ in range(4):
        with pytest.raises(ValueError, match=rf"indices\[3\] = {N}"):
            as_graph(matrix)
    assert memory.graphs() == []
    matrix.indices[3] = N - 1
    assert as_graph(matrix) == make(matrix)


# ---- what is forgotten ------------------------------------------------------------------------------


def test_a_graph_goes_with_its_matrix(memory: remembered._Memory) -> None:
    matrix = MATRICES["csr"]()
    for _ in range(3):
        as_graph(matrix)
    graph = weakref.ref(memory.graphs()[0])
    data = weakref.ref(matrix.data)
    del matrix
    gc.collect()
    assert graph() is data() is None
    assert not memory._entries
    assert not memory._with_graph


def test_a_matrix_that_dies_in_the_call() -> None:
    paths = reedsp.sssp(MATRICES["csr"](), 0)
    matrix = MATRICES["csr"]()
    for _ in range(3):
        paths = reedsp.sssp(matrix, 0)
    del matrix
    gc.collect()
    assert paths.verify()


def test_a_matrix_that_dies_while_others_are_looked_at(memory: remembered._Memory) -> None:
    """A collector of garbage may come at any step."""

    class Looked(dict[Any, Any]):
        def items(self) -> Any:
            return self._each(super().items())

        def values(self) -> Any:
            return self._each(super().values())

        def _each(self, entries: Any) -> Any:
            for each in entries:
                yield each
                matrices.clear()

    matrices, kept = [MATRICES["csr"]() for _ in range(3)], MATRICES["csr"]()
    for each in [*matrices, kept]:
        for _ in range(3):
            as_graph(each)
    del each
    memory._with_graph = Looked(memory._with_graph)
    assert len(memory.graphs()) == 4
    assert len(memory._with_graph) == 4
    as_graph(kept)
    assert len(matrices) == 3


def test_an_address_that_is_used_again(memory: remembered._Memory) -> None:
    old, new = MATRICES["csr"](), MATRICES["csr"]()
    new.data += 1
    for _ in range(3):
        as_graph(old)
    memory._entries[id(new), "graph"] = memory._entries[id(old), "graph"]  # as if `old` had been there
    assert as_graph(new) == make(new) != make(old)
    assert memory._entries[id(new), "graph"].matrix() is new
    assert as_graph(old) == make(old)


def test_a_matrix_that_dies_after_its_address_is_used_again(memory: remembered._Memory) -> None:
    old, new = MATRICES["csr"](), MATRICES["csr"]()
    for _ in range(3):
        found = [as_graph(matrix) for matrix in (old, new)]
    key = id(old), "graph"
    in_a_call = memory._entries[key]  # by which another thread hears that `old` has died
    memory._entries[key] = memory._entries[id(new), "graph"]
    del old
    gc.collect()
    assert in_a_call.matrix() is None
    assert memory._entries[key].matrix() is new
    assert found[1] in memory.graphs()


def test_a_graph_that_is_larger_than_all_that_is_kept(
    memory: remembered._Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = MATRICES["csr"]()
    kept = [as_graph(matrix) for _ in range(3)][-1]
    assert memory.graphs() == [kept]
    monkeypatch.setattr(remembered, "_part_of_memory", lambda known: 1.0)  # as if it had that many buffers now
    assert as_graph(matrix) is kept
    assert memory.graphs() == []
    assert as_graph(matrix) == make(matrix)


def test_what_was_of_use_the_longest_time_ago_goes_first(
    memory: remembered._Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrices = [scipy.sparse.csr_array(dense(seed)) for seed in range(4)]
    graphs = [[as_graph(matrix) for _ in range(2)][-1] for matrix in matrices[:3]]
    each = max(entry.part for entry in memory._with_graph.values())
    monkeypatch.setattr(remembered, "PART_OF_MEMORY", 3.5 * each)
    assert as_graph(matrices[0]) is graphs[0]
    fourth = [as_graph(matrices[3]) for _ in range(2)][-1]
    assert {*map(id, memory.graphs())} == {*map(id, (graphs[0], graphs[2], fourth))}
    assert as_graph(matrices[1]) == make(matrices[1])


def test_a_number_of_graphs_is_kept(memory: remembered._Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST_GRAPHS", 3)
    matrices = [scipy.sparse.csr_array(dense(seed)) for seed in range(9)]
    for matrix in matrices * 6:
        assert as_graph(matrix) == make(matrix)
        assert len(memory.graphs()) <= 3


def test_as_many_graphs_are_kept_as_the_guide_says(memory: remembered._Memory) -> None:
    matrices = [scipy.sparse.eye_array(size, format="csr") for size in range(1, 259)]
    for matrix in matrices:
        for _ in range(2):
            as_graph(matrix)
        assert len(memory.graphs()) == min(matrix.shape[0], 256)


def test_a_large_matrix_is_not_copied(memory: remembered._Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "host_memory", lambda: 16 * 1000)
    matrix = MATRICES["csr"]()
    assert len({id(graph) for graph in [as_graph(matrix) for _ in range(4)]}) == 4
    assert not memory._entries


def test_buffers_on_the_device_count(device: reedsp.Device, memory: remembered._Memory) -> None:
    matrix = MATRICES["csr"]()
    for _ in range(2):
        as_graph(matrix)
    (entry,) = memory._with_graph.values()
    before = entry.part
    reedsp.sssp(matrix, 0, device=device)
    reedsp.bfs(matrix, 0, device=device)
    as_graph(matrix)
    edges = matrix.nnz * 8 / device.global_memory
    assert entry.part > before + edges
    for value in ([1, 2.5, "", None], np.broadcast_to(np.int32(1), 1 << 40)):
        assert remembered._part_of_memory(value) < 1e-6


def test_a_matrix_that_always_changes_is_seldom_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, checksum = [], remembered._checksum

    def counted(matrix: Any, arrays: Any) -> Any:
        looks.append(matrix)
        return checksum(matrix, arrays)

    monkeypatch.setattr(remembered, "_checksum", counted)
    matrix = MATRICES["csr"]()
    for number in range(10 * CALLS):
        matrix.data[number % matrix.nnz] += 1
        assert as_graph(matrix) == make(matrix)
    assert len(looks) < CALLS
    found = [as_graph(matrix) for _ in range(2 * remembered._LONGEST_WAIT)]
    assert found[-1] is found[-2]


# ---- threads and processes --------------------------------------------------------------------------


def test_what_is_written_while_a_graph_is_made_is_noticed() -> None:
    matrix = MATRICES["csr"]()
    expected = make(matrix)

    def interrupted(given: Any) -> Graph:
        matrix.data[0] += 1
        graph = make(given)
        matrix.data[0] -= 1
        return graph

    remembered.remembered(matrix, "kind", make)
    assert remembered.remembered(matrix, "kind", interrupted) == expected
    assert remembered.remembered(matrix, "kind", make) == expected


def test_threads_with_one_matrix_that_another_changes() -> None:
    matrix = scipy.sparse.csr_array(np.array([[0, 1.0], [0, 0]]))
    wrong: list[Any] = []
    ended = threading.Event()

    def ask() -> None:
        for _ in range(300):
            found = as_graph(matrix).weights[0]
            if found not in (1, 2):
                wrong.append(found)

    def change() -> None:
        while not ended.is_set():
            matrix.data[0] = 3 - matrix.data[0]

    askers = [threading.Thread(target=ask) for _ in range(4)]
    changer = threading.Thread(target=change)
    for thread in (*askers, changer):
        thread.start()
    for thread in askers:
        thread.join()
    ended.set()
    changer.join()
    assert wrong == []
    for value in (5.0, 6.0, 5.0):
        matrix.data[0] = value
        assert [as_graph(matrix).weights[0] for _ in range(4)] == [value] * 4


def test_threads_share_a_graph(device: reedsp.Device) -> None:
    matrix = MATRICES["csr"]()
    expected = [reedsp.sssp(make(matrix), source, device=device).dist for source in range(N)]
    wrong: list[int] = []

    def search(first: int) -> None:
        for source in range(first, N, 3):
            if not np.array_equal(reedsp.sssp(matrix, source, device=device).dist, expected[source]):
                wrong.append(source)

    threads = [threading.Thread(target=search, args=(first,)) for first in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_begins_anew_and_releases_nothing(memory: remembered._Memory) -> None:
    matrix = MATRICES["csr"]()
    found = [as_graph(matrix) for _ in range(3)][-1]
    graph = weakref.ref(found)
    gc.collect()  # or the child would release what other tests left on a device
    with memory._lock:  # as if another thread had it
        child = os.fork()
        if child == 0:
            try:
                del found
                right = remembered._memory is not memory and as_graph(matrix) == make(matrix)
                del matrix
                gc.collect()
                os._exit(0 if right and graph() is not None else 1)
            finally:
                os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert as_graph(matrix) is found


def test_the_environment_can_prevent_it() -> None:
    code = (
        "import numpy, reedsp.graph.arguments as arguments\n"
        "matrix = numpy.ones((100, 100))\n"
        "graphs = [arguments.as_graph(matrix) for _ in range(4)]\n"
        "print(len(set(map(id, graphs))))"
    )
    for value, count, said in (
        ("", "2", ""),
        ("never", "4", ""),
        ("nonsense", "2", "RuntimeWarning: REEDSP_REMEMBER = 'nonsense' is ignored, expected 'never'"),
    ):
        environment = {**os.environ, remembered.SWITCH: value}
        child = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert child.stdout.strip() == count
        assert said in child.stderr if said else not child.stderr
