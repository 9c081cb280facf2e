"""Min-plus products of matrices (thesis sections 4.1 and 5.2): C[i][j] = min over k of A[i][k] + B[k][j]."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device import Job, get_device
from reedsp.path_matrix import Block, Weights, checked, largest, to_device, to_user, user_infinity, weights_of
from reedsp.products import Products

METHODS = ("auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers", "panels")

_NAIVE_GROUP = (32, 4)
_ROW_BLOCK = 32  # the thesis: the size of a warp
_TRANSPOSED_ROWS = 8  # of a tile at once, TILE_STEP in cl/minplus_row_blocks.cl
_TILE = 16
_IN_GROUPS = {"auto": None, "registers": True, "panels": False}


def min_plus_product(
    a: npt.ArrayLike, b: npt.ArrayLike, method: str = "auto", *, device: Any = None
) -> npt.NDArray[Any]:
    """Multiply two matrices with min for the sum and + for the product.

    If entry (i, k) of `a` is the weight of the best path from i to k of at most p edges, and `b` likewise of at most
    q edges, the product holds those of at most p + q edges (thesis section 5.2.1).

    Parameters
    ----------
    a : array_like, shape (rows, inner)
    b : array_like, shape (inner, columns)
        Path weights in integers or floats. No path is infinity; in matrices of integers it is the largest number of the
        type, such as ``numpy.iinfo(numpy.int32).max``.
    method : {"auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers", "panels"}
        Algorithm 3, Algorithm 4, Algorithm 4 on a transposed `b`, Algorithm 5, tiles of the product in registers,
        which "auto" takes on GPUs, and vectors and packed panels, which it takes on other devices.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`.

    Returns
    -------
    ndarray, shape (rows, columns), of the type that numpy gives to ``a + b``
        Exact for integers. A float is the least sum, rounded once.

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
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(map(repr, METHODS))}")
    left, right = checked("a", a), checked("b", b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"b: it has {right.shape[0]} rows, but a has {left.shape[1]} columns")
    dtype = np.result_type(left, right)
    weights = weights_of(left, right)
    if 0 in (left.shape[0], right.shape[1]) or left.shape[1] == 0:
        return np.full((left.shape[0], right.shape[1]), user_infinity(dtype), dtype)
    if weights is None:
        return to_user(*_exact_product(left, right), dtype)
    job = Job(get_device(device))
    rows, inner, columns = shape = left.shape[0], left.shape[1], right.shape[1]
    if method in _IN_GROUPS:
        rows, inner, columns = Products(job, weights, _IN_GROUPS[method]).padded(shape)
    a_buffer = job.upload(to_device(left, (rows, inner), weights))
    b_buffer = job.upload(to_device(right, (inner, columns), weights))
    product = job.allocate(rows * columns, weights.dtype)
    multiply(job, weights, a_buffer, b_buffer, product, (rows, inner, columns), method)
    padded = job.download(product, rows * columns, weights.dtype).reshape(rows, columns)
    result = np.ascontiguousarray(padded[: left.shape[0], : right.shape[1]])
    if dtype.kind == "f":
        result += dtype.type(0)  # no negative zeros
        return result
    return to_user(result, result == weights.no_path, dtype)


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
        Rows of a, columns of a, columns of b; in whole tiles for the fast methods (:meth:`Products.padded`).
    method : str
        As for :func:`min_plus_product`.
    """
    rows, inner, columns = shape
    sizes = tuple(map(np.uint32, shape))
    weight_macros = weights.macros(job.device)
    if method == "naive":
        kernel = job.device.kernel("minplus_naive.cl", "multiply", **weight_macros)
        job.launch(kernel, (columns, rows), _NAIVE_GROUP, a, b, c, *sizes)
    elif method in ("row-blocks", "row-blocks-transposed"):
        transposed = method == "row-blocks-transposed"
        macros = {**weight_macros, "BLOCK": _ROW_BLOCK, "TRANSPOSED": int(transposed)}
        if transposed:
            bt = job.allocate(inner * columns, weights.dtype)
            transpose = job.device.kernel("minplus_row_blocks.cl", "transpose", **macros)
            tiles_down = -(-inner // _ROW_BLOCK)
            group = (_ROW_BLOCK, _TRANSPOSED_ROWS)
            job.launch(transpose, (columns, tiles_down * _TRANSPOSED_ROWS), group, b, bt, sizes[1], sizes[2])
            b = bt
        kernel = job.device.kernel("minplus_row_blocks.cl", "multiply", **macros)
        job.launch(kernel, (columns, rows), (_ROW_BLOCK, 1), a, b, c, *sizes)
    elif method == "tiles":
        kernel = job.device.kernel("minplus_tiles.cl", "multiply", TILE=_TILE, **weight_macros)
        job.launch(kernel, (columns, rows), (_TILE, _TILE), a, b, c, *sizes)
    else:
        blocks = (Block(a, inner), Block(b, columns), Block(c, columns))
        Products(job, weights, _IN_GROUPS[method]).queue(*blocks, shape)


def _exact_product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Multiply in Python's integers, slowly: for numbers too large for any type of the device."""
    no_path = 2 * (largest(a) + largest(b)) + 1  # finite sums are below a half of it
    left, right = (np.where(each == user_infinity(each.dtype), no_path, each.astype(object)) for each in (a, b))
    product = np.full((a.shape[0], b.shape[1]), no_path, object)
    for k in range(a.shape[1]):
        product = np.minimum(product, left[:, k, None] + right[None, k, :])
    return product, (2 * product > no_path).astype(bool)
