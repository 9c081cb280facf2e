"""Min-plus products of matrices (thesis sections 4.1 and 5.2): C[i][j] = min over k of A[i][k] + B[k][j]."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights, to_device, to_user
from reedsp.arithmetic.types import infinity
from reedsp.device.device import Device
from reedsp.device.dispatch import PAIRS_A_STEP, even
from reedsp.device.job import Job, Kernel
from reedsp.minplus.matrix import Block, transpose
from reedsp.minplus.offsets import Offsets, product_of
from reedsp.minplus.operands import Operands, matrix
from reedsp.minplus.selfcheck import trusted_products
from reedsp.system.options import check_method, integer
from reedsp.typing import ProductMethod

METHODS = ("auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers", "panels")

_NAIVE_GROUP = (32, 4)
_ROW_BLOCK = 32  # the thesis: the size of a warp
_TILE = 16
_COMPARED = (64, 1)
_IN_GROUPS = {"auto": None, "registers": True, "panels": False}


def min_plus_product(
    a: Any, b: Any, method: ProductMethod = "auto", *, out: Any = None, device: Device | int | str | None = None
) -> Any:
    """Multiply two matrices with min for the sum and + for the product.

    If entry (i, k) of `a` is the weight of the best path from i to k of at most p edges, and `b` likewise of at most
    q edges, the product holds those of at most p + q edges (thesis section 5.2.1).

    Parameters
    ----------
    a : array_like or pyopencl.array.Array, shape (rows, inner)
    b : array_like or pyopencl.array.Array, shape (inner, columns)
        Path weights in integers or floats. No path is infinity; in matrices of integers it is the largest number of the
        type, such as ``numpy.iinfo(numpy.int32).max``.
        Integers of which the largest less the smallest of `a`, and of `b`, add up to 2^63 - 1 or more are for the host:
        tens of times slower, and from 2^64 - 1 on, in Python's integers, thousands of times.
    method : {"auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers", "panels"}
        Algorithm 3, Algorithm 4, Algorithm 4 on a transposed `b`, Algorithm 5, tiles of the product in registers,
        which "auto" takes on GPUs, and vectors and packed panels, which it takes on other devices.
    out : ndarray or pyopencl.array.Array, optional
        Where to store the result: contiguous, of its shape and type and where `a` and `b` are. It may be one of them,
        or overlap them. After an error it holds anything.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. Arrays of pyopencl are worked on by the device of their queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (rows, columns), of the type that numpy gives to ``a + b``
        Of float16 float32. Exact for integers. A float is the minimum sum, rounded once, of entries in the type of the
        result; one beyond the type is infinity, as in numpy.
        `out` if it was given. For arrays of pyopencl the result stays on the device; what waits for it is the look at
        their entries, and at results that their type might not hold.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it, and the position of the first wrong entry.
    OverflowError
        An integer result does not fit the type of the result.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import numpy as np
    >>> import reedsp
    >>> a = np.array([[0, 3.0], [np.inf, 0]])
    >>> reedsp.min_plus_product(a, [[0, 10.0], [4, 0]])
    array([[0., 3.],
           [4., 0.]])
    """
    left, right = matrix("a", a), matrix("b", b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"b: it has {right.shape[0]} rows, but a has {left.shape[1]} columns")
    check_method(method, METHODS)
    shape = (*left.shape, right.shape[1])
    operands = Operands({"a": left, "b": right}, (shape[0], shape[2]), out, device)
    if 0 in shape:
        return operands.empty()
    weights = operands.weights()
    if weights is None:
        left, right = map(Offsets.of, operands.on_host())
        return operands.give(_times(operands, method)(left, right).to_user(operands.dtype))
    job = operands.job()
    rows, inner, columns = padded(job, weights, shape, method)
    a_buffer, b_buffer = operands.buffers(job, weights, {"a": (rows, inner), "b": (inner, columns)})
    product = job.allocate(rows * columns, weights.dtype)
    multiply(job, weights, a_buffer, b_buffer, product, (rows, inner, columns), method)
    return operands.result(job, weights, product, (rows, columns))


def min_plus_power(
    a: Any, k: int, method: ProductMethod = "auto", *, out: Any = None, device: Device | int | str | None = None
) -> Any:
    """Multiply a square matrix `k` times with itself, with min for the sum and + for the product.

    Entry (i, j) is the weight of the best path of exactly `k` edges; of at most `k` edges if the diagonal of `a` is
    zero. It takes at most 2 log2(k) products (thesis section 5.2.1, matrixExponent).

    Parameters
    ----------
    a : array_like or pyopencl.array.Array, shape (n, n)
        As for :func:`min_plus_product`. What is slow there is slow here if powers on the way have such entries, however
        large `k` is.
    k : int
        At least 0. The power 0 has zeros on its diagonal, and no other path.
    method : str
        How to multiply, as for :func:`min_plus_product`.
    out, device
        As for :func:`min_plus_product`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n, n), of the type of `a`; of float16 float32
        Exact for integers. Floats are rounded at each addition, those beyond the type to infinity, as in numpy.

    Raises
    ------
    TypeError, ValueError, OverflowError, DeviceError, DeviceMemoryError
        As for :func:`min_plus_product`.

    Examples
    --------
    >>> import numpy as np
    >>> import reedsp
    >>> a = np.array([[0, 3, np.inf], [np.inf, 0, 4], [np.inf, np.inf, 0]])
    >>> reedsp.min_plus_power(a, 2)
    array([[ 0.,  3.,  7.],
           [inf,  0.,  4.],
           [inf, inf,  0.]])
    """
    given = matrix("a", a)
    n = given.shape[0]
    if given.shape != (n, n):
        raise ValueError(f"a: a square matrix is expected, got shape {given.shape}")
    k = integer(k, "k")
    if k < 0:
        raise ValueError(f"k = {k}, expected at least 0")
    check_method(method, METHODS)
    operands = Operands({"a": given}, (n, n), out, device)
    if n == 0:
        return operands.empty()
    weights = operands.weights(times=k)
    if k < 2:
        return operands.give(operands.on_host()[0] + operands.dtype.type(0) if k else _unit(n, operands.dtype))
    if weights is None:
        [base] = map(Offsets.of, operands.on_host())
        return operands.give(_power_by(_times(operands, method), base, int(k)).to_user(operands.dtype))
    job = operands.job()
    size = padded_side(job, weights, n, method)
    shape = (size, size, size)

    def times(left: cl.Buffer, right: cl.Buffer) -> cl.Buffer:
        product = job.allocate(size * size, weights.dtype)
        multiply(job, weights, left, right, product, shape, method)
        return product

    [buffer] = operands.buffers(job, weights, {"a": (size, size)})
    return operands.result(job, weights, _power_by(times, buffer, int(k)), (size, size))


def _unit(n: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the matrix that every matrix is the product of, and itself."""
    result = np.full((n, n), infinity(dtype), dtype)
    np.fill_diagonal(result, 0)
    return result


def _times(operands: Operands, method: str) -> Callable[[Offsets, Offsets], Offsets]:
    """Return what multiplies two matrices of numbers that no arithmetic of the device holds as they are."""

    def on_device(weights: Weights, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
        job, kept = operands.job(), (a.shape[0], b.shape[1])
        rows, inner, columns = padded(job, weights, (*a.shape, b.shape[1]), method)
        sizes = (rows, inner), (inner, columns)
        left, right = (job.upload(to_device(each, size, weights)) for each, size in zip((a, b), sizes, strict=True))
        product = job.allocate(rows * columns, weights.dtype)
        multiply(job, weights, left, right, product, (rows, inner, columns), method)
        values = job.download(product, rows * columns, weights.dtype).reshape(rows, columns)[: kept[0], : kept[1]]
        return to_user(values, values == weights.no_path, a.dtype)

    return functools.partial(product_of, multiply=on_device)


def _power_by(times: Callable[[Any, Any], Any], matrix: Any, exponent: int) -> Any:
    """Return matrixExponent(matrix, exponent) of the thesis, for which the exponent 1 returns the cube."""
    power = matrix
    for digit in f"{exponent:b}"[1:]:
        power = times(power, power)
        if digit == "1":
            power = times(power, matrix)
    return power


def multiply(
    job: Job,
    weights: Weights,
    a: cl.Buffer,
    b: cl.Buffer,
    c: cl.Buffer,
    shape: tuple[int, int, int],
    method: str,
) -> None:
    """Queue the product of two matrices on the device.

    Parameters
    ----------
    job : Job
    weights : Weights
    a, b, c : pyopencl.Buffer
        Row-major; `c` is neither of the others.
    shape : tuple of int
        Rows of a, columns of a, columns of b; multiples of a tile for the fast methods (:meth:`Products.padded`).
    method : str
        As for :func:`min_plus_product`.
    """
    rows, inner, columns = shape
    sizes = tuple(map(np.uint32, shape))
    weight_macros = weights.macros(job.device.kind)

    def launch(kernel: Kernel, group: tuple[int, int]) -> None:
        by_columns = method in ("naive", "row-blocks")  # read from global memory: a pair takes one step
        steps = rows * inner * columns // (1 if by_columns else PAIRS_A_STEP)
        slices = even(1, rows, group[1], steps, job.device.steps_at_once)
        job.launch(kernel, (columns, rows), group, a, b, c, *sizes, slices=slices)

    if method == "naive":
        launch(job.device.kernel("minplus/naive.cl", "multiply", **weight_macros), _NAIVE_GROUP)
    elif method in ("row-blocks", "row-blocks-transposed"):
        transposed = method == "row-blocks-transposed"
        macros = {**weight_macros, "BLOCK": _ROW_BLOCK, "TRANSPOSED": int(transposed)}
        if transposed:
            b = transpose(job, Block(b, columns), (inner, columns), inner, weights.dtype)
        launch(job.device.kernel("minplus/row_blocks.cl", "multiply", **macros), (_ROW_BLOCK, 1))
    elif method == "tiles":
        launch(job.device.kernel("minplus/tiles.cl", "multiply", TILE=_TILE, **weight_macros), (_TILE, _TILE))
    else:
        blocks = (Block(a, inner), Block(b, columns), Block(c, columns))
        trusted_products(job, weights, _IN_GROUPS[method]).queue(*blocks, shape)


def padded(job: Job, weights: Weights, shape: tuple[int, int, int], method: str) -> tuple[int, int, int]:
    """Return rows of a, columns of a and columns of b rounded up to tiles of a method, the rest being "no path"."""
    return trusted_products(job, weights, _IN_GROUPS[method]).padded(shape) if method in _IN_GROUPS else shape


def padded_side(job: Job, weights: Weights, n: int, method: str) -> int:
    """Return the side of a square matrix rounded up to tiles, whose sides are powers of two."""
    return max(padded(job, weights, (n, n, n), method))


def square(job: Job, weights: Weights, matrix: cl.Buffer, side: int, method: str) -> tuple[cl.Buffer, bool]:
    """Return the product of a square matrix with itself, and whether it differs from the matrix."""
    product, differs = job.allocate(side * side, weights.dtype), job.full(1, np.uint32(0))
    multiply(job, weights, matrix, matrix, product, (side, side, side), method)
    kernel = job.device.kernel("minplus/compare.cl", "compare", **weights.macros(job.device.kind))
    slices = even(1, side, _COMPARED[1], side * side // PAIRS_A_STEP, job.device.steps_at_once)
    job.launch(kernel, (side, side), _COMPARED, matrix, product, differs, np.uint32(side), slices=slices)
    return product, bool(job.download(differs, 1, np.uint32)[0])
