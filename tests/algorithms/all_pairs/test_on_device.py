"""Distances between all pairs that are left on the device, of graphs and of matrices that are there."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from pyopencl import array as cl_array

import reedsp
from reedsp.algorithms.all_pairs import on_device
from reedsp.device import arrays
from reedsp.device.job import Job
from reedsp.graph.graph import Graph
from reedsp.minplus import entries
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family

SMALL = [family for family in (*FAMILIES, *NEGATIVE_CYCLES) if family.n <= 300 and family.name != "heavy"]
DTYPES = ("int8", "uint16", "int32", "int64", "uint64", "float32", "float64")


def needs_doubles(device: reedsp.Device, dtype: Any) -> None:
    if np.dtype(dtype) == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")


def matrix_of(n: int, dtype: str, kind: str = "whole") -> np.ndarray:
    """Weights with gaps, zeros on and off the diagonal, and a loop that is an edge."""
    rng = np.random.default_rng(n)
    values: Any = rng.integers(1, 100, (n, n))
    if kind != "whole":
        potential = rng.integers(-200, 200, n)
        values = values + (potential[:, np.newaxis] - potential if kind == "negative" else 0)
    matrix = values.astype(dtype)
    if kind == "fractional":
        matrix += rng.integers(0, 8, (n, n)).astype(dtype) / 8
    matrix[rng.random((n, n)) < 0.5] = 0
    if matrix.dtype.kind == "f":
        matrix[rng.random((n, n)) < 0.2] = np.inf
    matrix[n // 2, n // 2] = 7
    return matrix


def result_of(function: Any, *arguments: Any, **more: Any) -> Any:
    """Return what a function returns, or the negative cycle that it names."""
    try:
        return function(*arguments, **more)
    except reedsp.NegativeCycleError as error:
        return str(error)


def compare(there: cl_array.Array, expected: Any) -> None:
    """Check that an array has the distances of a result, in a type that it documents."""
    values = there.get()
    assert there.shape == expected.shape
    assert there.flags.c_contiguous
    none = values == (np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max)
    assert np.array_equal(none, expected == np.inf)
    assert np.array_equal(values[~none], expected[~none])


@pytest.mark.deep
@pytest.mark.parametrize("units", [1, 7])
@pytest.mark.parametrize("family", SMALL, ids=lambda family: family.name)
def test_families(family: Family, units: int, device: reedsp.Device) -> None:
    """The distances, or the error, of apsp, from a graph and from a matrix on the device."""
    if units > 1:
        needs_doubles(device, "float64")
    listed = family.graph(units=units)
    dense = listed.to_scipy().toarray()  # in which an edge of weight 0 is none
    given = cl_array.to_device(device.queue, dense)
    for graph, host in ((listed, listed), (dense, dense), (given, dense)):
        paths = result_of(reedsp.apsp, host, "floyd-warshall", device=device)
        found = result_of(reedsp.all_pairs_on_device, graph, device=device)
        if isinstance(paths, str):
            assert found == paths
        else:
            assert (found.dtype.kind == "f") == (not listed.has_integral_weights)
            compare(found, paths.dist)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_and_size(dtype: str, device: reedsp.Device) -> None:
    needs_doubles(device, dtype)
    for n in (0, 1, 63, 64, 65, 130):
        matrix = matrix_of(n, dtype) if n else np.empty((0, 0), dtype)
        there = cl_array.to_device(device.queue, matrix)
        found = reedsp.all_pairs_on_device(there)
        assert found.dtype == np.int32
        assert found.queue == there.queue
        compare(found, reedsp.apsp(matrix, "floyd-warshall", device=device).dist)
        assert np.array_equal(there.get(), matrix)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["fractional", "negative"])
def test_floats(kind: str, dtype: str, device: reedsp.Device) -> None:
    needs_doubles(device, "float64")
    for n in (1, 64, 130):
        matrix = matrix_of(n, dtype, kind)
        there = cl_array.to_device(device.queue, matrix)
        for asked in (None, "float32"):
            found = reedsp.all_pairs_on_device(there, dtype=asked)
            wanted = "int32" if kind == "negative" or n == 1 else asked or "float64"
            assert found.dtype == wanted
            compare(found, reedsp.apsp(matrix, "floyd-warshall", dtype=asked, device=device).dist)


def test_negative_cycles_of_rounded_sums(device: reedsp.Device) -> None:
    """That no entry of the diagonal shows, or that only rounding makes up, as apsp decides it."""
    needs_doubles(device, "float64")
    for units in (3, 7):
        hidden = np.full((3, 3), np.inf)
        hidden[0, 1], hidden[1, 2], hidden[2, 0] = 1e20, 1 / units, -1e20
        hidden[2, 1] = -2 / units
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.all_pairs_on_device(cl_array.to_device(device.queue, hidden))
        assert caught.value.cycle in ([1, 2, 1], [2, 1, 2])
    made_up = np.array([[0, 0.1, 0], [0, 0, 0.2], [-(0.1 + 0.2) + 2**-54, 0, 0]])
    expected = reedsp.apsp(made_up, "floyd-warshall", device=device).dist
    compare(reedsp.all_pairs_on_device(cl_array.to_device(device.queue, made_up)), expected)


@pytest.mark.deep
def test_the_types_that_hold_every_path(device: reedsp.Device) -> None:
    for heaviest, n, dtype in (
        (2**15 - 2, 2, "int32"),
        (2**15, 2, "int32"),
        (2**29, 3, "int32"),
        (2**29, 5, "int64"),
        (-(2**29), 3, "int32"),
        (-(2**29), 5, "int64"),
        (2**30, 3, "int64"),
        (2**31 - 1, 2, "int64"),
        (2**60, 2, "int64"),
    ):
        path = np.zeros((n, n), np.int64)
        path[np.arange(n - 1), np.arange(1, n)] = heaviest
        found = reedsp.all_pairs_on_device(cl_array.to_device(device.queue, path))
        assert found.dtype == dtype
        values = found.get()
        assert values[0].tolist() == [heaviest * i for i in range(n)]
        assert (values[np.tril_indices(n, -1)] == np.iinfo(dtype).max).all()
    largest = np.array([[0, 2**31 - 1], [0, 0]], np.int32)  # of its type, and a weight
    found = reedsp.all_pairs_on_device(cl_array.to_device(device.queue, largest))
    assert found.dtype == np.int64
    assert found.get().tolist() == [[0, 2**31 - 1], [2**63 - 1, 0]]


def test_sums_beyond_every_type(device: reedsp.Device) -> None:
    chain = np.zeros((3, 3), np.int64)
    chain[0, 1] = chain[1, 2] = 2**62
    for given in (chain, cl_array.to_device(device.queue, chain), Graph.from_dense(chain)):
        with pytest.raises(OverflowError, match="path weights of up to"):
            reedsp.all_pairs_on_device(given, device=device)
    needs_doubles(device, "float64")
    heavy = np.where(chain == 0, np.inf, 1.5e308)
    with pytest.raises(OverflowError, match="a distance from vertex 0"):
        reedsp.all_pairs_on_device(cl_array.to_device(device.queue, heavy))
    heavy[1, 2] = 1.5  # which a bound on all paths cannot know
    assert reedsp.all_pairs_on_device(cl_array.to_device(device.queue, heavy)).get()[0, 2] == 1.5e308


@pytest.mark.deep
@pytest.mark.parametrize("pretends", ["cpu", "gpu"])
def test_the_matrix_stays_on_the_device(pretends: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work-groups of few entries, and nothing of the size of a matrix is copied to the host or from it."""
    expected = {}
    for n in (65, 130):
        for kind, dtype in (("whole", "int32"), ("negative", "int64"), ("fractional", "float32")):
            matrix = matrix_of(n, dtype, kind)
            there = cl_array.to_device(device.queue, matrix)
            asked = "float32" if dtype == "float32" else None
            right = reedsp.apsp(matrix, "floyd-warshall", dtype=asked, device=device).dist
            expected[n, kind] = there, asked, right
            reedsp.all_pairs_on_device(there, dtype=asked)  # whatever is tried is tried now
    if device.kind == "cpu":
        monkeypatch.setattr(arrays, "device_of", lambda queue: device)
        monkeypatch.setattr(device, "kind", pretends)
        monkeypatch.setattr(entries, "_CPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_GROUP", 32)
        for each in expected.values():
            reedsp.all_pairs_on_device(each[0], dtype=each[1])
    copied = []
    download_into = Job.download_into

    def watched(job: Job, array: Any, *more: Any) -> None:
        copied.append(array.nbytes)
        download_into(job, array, *more)

    monkeypatch.setattr(Job, "download_into", watched)
    monkeypatch.setattr(Job, "_upload", lambda *_: pytest.fail("something goes to the device"))
    results = {key: reedsp.all_pairs_on_device(there, dtype=asked) for key, (there, asked, _) in expected.items()}
    assert max(copied) < 65**2 * 4
    for key, found in results.items():
        compare(found, expected[key][2])


@pytest.mark.deep
def test_queues_and_parts(device: reedsp.Device) -> None:
    """A context and queues of the user's, parts of arrays, and products with what comes out."""
    context = cl.Context([device.handle])
    matrix = matrix_of(70, "int32")
    expected = reedsp.apsp(matrix, "floyd-warshall", device=device, dtype="int32").dist
    for properties in 5 * (0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE):
        queue = cl.CommandQueue(context, device.handle, properties)
        both = cl_array.to_device(queue, np.concatenate((matrix[:3], matrix)))
        for found in (
            reedsp.all_pairs_on_device(matrix, queue=queue),
            reedsp.all_pairs_on_device(both[3:]),
            reedsp.all_pairs_on_device(both[3:] + 0, device=device.handle),
        ):
            assert found.context == context
            assert found.queue == queue
            squared = reedsp.min_plus_product(found, found)
            assert np.array_equal(squared.get(), expected)
            assert np.array_equal(found.get(), expected)


def test_errors(device: reedsp.Device) -> None:
    queue = device.queue
    for wrong in (np.nan, -np.inf):
        matrix = np.zeros((70, 70), np.float32)
        matrix[65, 3] = matrix[68, 1] = wrong
        with pytest.raises(ValueError, match=rf"^matrix\[65, 3\] is {wrong}, expected a number greater than -inf$"):
            reedsp.all_pairs_on_device(cl_array.to_device(queue, matrix))
    beyond = np.zeros((2, 2), np.uint64)
    beyond[1, 0] = 2**63
    with pytest.raises(ValueError, match=r"^matrix\[1, 0\] = 9223372036854775808 is outside int64$"):
        reedsp.all_pairs_on_device(cl_array.to_device(queue, beyond))
    there = cl_array.to_device(queue, np.zeros((6, 5), np.int32))
    with pytest.raises(ValueError, match=r"^graph: a square matrix is expected, got shape \(6, 5\)$"):
        reedsp.all_pairs_on_device(there)
    with pytest.raises(ValueError, match=r"^graph: a matrix is expected, got shape \(30,\)$"):
        reedsp.all_pairs_on_device(there.reshape(30))
    with pytest.raises(ValueError, match=r"^graph: only contiguous arrays"):
        reedsp.all_pairs_on_device(there[:5].T)
    with pytest.raises(TypeError, match=r"^graph: integers or floats are expected, got complex64$"):
        reedsp.all_pairs_on_device(cl_array.to_device(queue, np.zeros((2, 2), np.complex64)))
    with pytest.raises(ValueError, match=r"^queue: the array has one already"):
        reedsp.all_pairs_on_device(there, queue=queue)
    with pytest.raises(ValueError, match=r"^device: the queue has one already$"):
        reedsp.all_pairs_on_device([[0]], queue=queue, device=device)
    halves = cl_array.to_device(queue, np.full((2, 2), 0.5, np.float32))
    with pytest.raises(ValueError, match="dtype = int32 cannot hold"):
        reedsp.all_pairs_on_device(halves, dtype="int32")


def test_matrices_that_are_too_large(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = matrix_of(70, "int32")
    there = cl_array.to_device(device.queue, matrix)
    monkeypatch.setattr(arrays, "device_of", lambda queue: device)
    monkeypatch.setattr(device, "global_memory", 340_000)  # of which the matrix and panels take 294,912 bytes
    for given in (matrix, there):
        with pytest.raises(reedsp.DeviceMemoryError, match="a matrix of 70 vertices"):
            on_device.all_pairs_on_device(given, device=device)


@pytest.mark.parametrize(
    ("ability", "message"),
    [
        ("can_write", "it cannot write distances as int32; use reedsp.apsp"),
        ("can_look", "it cannot convert such matrices; use arrays of the host"),
        ("can_convert", "it cannot convert such matrices; use arrays of the host"),
    ],
)
def test_a_device_that_is_not_trusted_with_matrices(
    ability: str, message: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = cl_array.to_device(device.queue, matrix_of(70, "int32"))
    monkeypatch.setattr(on_device, ability, lambda *_, **__: False)
    with pytest.raises(reedsp.DeviceError, match=f": {message}$"):
        reedsp.all_pairs_on_device(there)


def test_docstring_example(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    assert doctest.testmod(on_device, raise_on_error=True).attempted == 5
