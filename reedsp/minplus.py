"""Min-plus products of matrices (thesis sections 4.1 and 5.2): C[i][j] = min over k of A[i][k] + B[k][j]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device import Device, Job, get_device, round_up

METHODS = ("auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers")

_NAIVE_GROUP = (32, 4)
_ROW_BLOCK = 32  # the thesis: the size of a warp
_TRANSPOSED_ROWS = 8  # of a tile at once, TILE_STEP in cl/minplus_row_blocks.cl
_TILE = 16
_SMALL = 32  # below, there is no use in filling up to whole tiles of the register kernel
# By bytes of a weight: what cl/minplus_registers.cl is quickest with on an H200.
_REGISTERS = {
    4: {"TILE_ROWS": 64, "TILE_COLUMNS": 64, "DEPTH": 16, "ITEM_ROWS": 8, "ITEM_COLUMNS": 8},
    8: {"TILE_ROWS": 64, "TILE_COLUMNS": 64, "DEPTH": 8, "ITEM_ROWS": 8, "ITEM_COLUMNS": 8},
}
_C_TYPES = {
    np.dtype(np.int32): "int",
    np.dtype(np.int64): "long",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}


@dataclass(frozen=True)
class Weights:
    """The arithmetic of a product on the device.

    Attributes
    ----------
    dtype : dtype
    no_path
        What stands for infinity.
    limit
        The largest finite result; larger ones are no path.
    non_negative : bool
        Whether all weights are floats and none is negative.
    """

    dtype: np.dtype[Any]
    no_path: Any
    limit: Any
    non_negative: bool = False

    def macros(self, device: Device) -> dict[str, str | int]:
        """Return the macros of ``cl/minplus.cl``, with the minimum that this kind of device is quickest at."""
        name, order, minimum = _C_TYPES[self.dtype], _C_TYPES[self.dtype], "min"
        on_gpu = device.kind == "gpu"
        if self.dtype.kind == "i":
            suffix = "L" if self.dtype.itemsize == 8 else ""
            return {
                **{"WEIGHT": name, "NO_PATH": f"{self.no_path}{suffix}", "LIMIT": f"{self.limit}{suffix}"},
                **{"ORDER": order, "MINIMUM": minimum},
            }
        if self.non_negative and not (on_gpu and self.dtype.itemsize == 8):
            order = {4: "int", 8: "long"}[self.dtype.itemsize]
        else:
            minimum = "fmin" if on_gpu and self.dtype.itemsize == 4 else "smaller"
        infinity = f"(({name})INFINITY)"
        return {"WEIGHT": name, "NO_PATH": infinity, "LIMIT": infinity, "ORDER": order, "MINIMUM": minimum}


def _integers(dtype: npt.DTypeLike) -> Weights:
    """Return an arithmetic whose infinity can be doubled without overflow.

    Less any finite number it is still above the largest finite sum.
    """
    bits = 8 * np.dtype(dtype).itemsize
    return Weights(np.dtype(dtype), (1 << bits - 2) - 1, (1 << bits - 3) - 1)


_INTEGERS = (_integers(np.int32), _integers(np.int64))


def weights_of(*matrices: npt.NDArray[Any]) -> Weights | None:
    """Return the narrowest exact arithmetic for the product of these matrices, or None if the device has none."""
    dtype = np.result_type(*matrices)
    if dtype.kind == "f":
        # -0.0 is no less than 0.0, but its bits are those of the least integer
        return Weights(dtype, np.inf, np.inf, not any(np.signbit(each).any() for each in matrices))
    bound = sum(map(_largest, matrices))
    return next((each for each in _INTEGERS if bound <= each.limit), None)


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
    method : {"auto", "naive", "row-blocks", "row-blocks-transposed", "tiles", "registers"}
        Algorithm 3, Algorithm 4, Algorithm 4 on a transposed `b`, Algorithm 5, and tiles of the product in registers,
        which "auto" takes on GPUs for all but small matrices, and Algorithm 5 otherwise.
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
    left, right = _matrix("a", a), _matrix("b", b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"b: it has {right.shape[0]} rows, but a has {left.shape[1]} columns")
    dtype = np.result_type(left, right)
    weights = weights_of(left, right)
    if 0 in (left.shape[0], right.shape[1]) or left.shape[1] == 0:
        return np.full((left.shape[0], right.shape[1]), _infinity(dtype), dtype)
    if weights is None:
        return _to_result(*_exact_product(left, right), dtype)
    job = Job(get_device(device))
    if method == "auto":
        large = min(left.shape[0], right.shape[1]) >= _SMALL
        method = "registers" if large and job.device.kind == "gpu" else "tiles"
    rows, inner, columns = padded_shape((left.shape[0], left.shape[1], right.shape[1]), weights, method)
    a_buffer = job.upload(_to_device(left, (rows, inner), weights))
    b_buffer = job.upload(_to_device(right, (inner, columns), weights))
    product = job.allocate(rows * columns, weights.dtype)
    multiply(job, weights, a_buffer, b_buffer, product, (rows, inner, columns), method)
    padded = job.download(product, rows * columns, weights.dtype).reshape(rows, columns)
    result = np.ascontiguousarray(padded[: left.shape[0], : right.shape[1]])
    if dtype.kind == "f":
        result += dtype.type(0)  # no negative zeros
        return result
    return _to_result(result, result == weights.no_path, dtype)


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
        Rows of a, columns of a, columns of b, as :func:`padded_shape` wants them.
    method : str
        As for :func:`min_plus_product`, but not "auto".
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
        tiling = _REGISTERS[weights.dtype.itemsize]
        kernel = job.device.kernel("minplus_registers.cl", "multiply", **tiling, **weight_macros)
        size = tiling["TILE_COLUMNS"] // tiling["ITEM_COLUMNS"] * (tiling["TILE_ROWS"] // tiling["ITEM_ROWS"])
        groups = (columns // tiling["TILE_COLUMNS"], rows // tiling["TILE_ROWS"])
        job.launch(kernel, (groups[0] * size, groups[1]), (size, 1), a, b, c, *sizes)


def padded_shape(shape: tuple[int, int, int], weights: Weights, method: str) -> tuple[int, int, int]:
    """Return rows of a, columns of a and columns of b in whole tiles, to be filled up with `no_path`."""
    if method != "registers":
        return shape
    tiling = _REGISTERS[weights.dtype.itemsize]
    rows, inner, columns = map(round_up, shape, (tiling["TILE_ROWS"], tiling["DEPTH"], tiling["TILE_COLUMNS"]))
    return rows, inner, columns


# ---- host matrices ----------------------------------------------------------------------------------


def _matrix(name: str, array: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return path weights as int8 to int64, uint8 to uint64, float32 or float64."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; call {name}.filled() first")
    array = np.asarray(array)
    if array.ndim != 2:
        raise ValueError(f"{name}: a matrix is expected, got shape {array.shape}")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: integers or floats are expected, got {array.dtype}")
    if array.dtype.itemsize > 8:
        raise ValueError(f"{name}: {array.dtype} is wider than float64")
    if array.dtype.kind == "f":
        wrong = np.isnan(array) | (array == -np.inf)
        if wrong.any():
            row, column = map(int, np.unravel_index(wrong.argmax(), wrong.shape))
            raise ValueError(f"{name}[{row}, {column}] is {array[row, column]}")
    return array


def _infinity(dtype: np.dtype[Any]) -> Any:
    """Return what stands for "no path" in the user's matrices of this type."""
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _largest(matrix: npt.NDArray[Any]) -> int:
    """Return the largest absolute value of a finite entry."""
    finite = matrix[matrix != _infinity(matrix.dtype)]
    return max(abs(int(finite.min())), abs(int(finite.max()))) if finite.size else 0


def _to_device(matrix: npt.NDArray[Any], shape: tuple[int, int], weights: Weights) -> npt.NDArray[Any]:
    """Return a row-major matrix of the device's type with the device's infinity, also where it is filled up."""
    result = np.full(shape, weights.no_path, weights.dtype)
    part = result[: matrix.shape[0], : matrix.shape[1]]
    part[:] = matrix
    if matrix.dtype.kind != "f":
        part[matrix == _infinity(matrix.dtype)] = weights.no_path
    return result


def _to_result(values: npt.NDArray[Any], no_path: npt.NDArray[np.bool_], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return finite integers and "no path" in the type of the result."""
    limits = np.iinfo(dtype)
    wrong = ~no_path & ((values < limits.min) | (values >= limits.max))
    if wrong.any():
        row, column = map(int, np.unravel_index(wrong.argmax(), wrong.shape))
        raise OverflowError(
            f"entry ({row}, {column}) of the product is {values[row, column]}, which {dtype} cannot hold"
        )
    result = np.where(no_path, 0, values).astype(dtype)
    result[no_path] = limits.max
    return result


def _exact_product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Multiply in Python's integers, slowly: for numbers too large for any type of the device."""
    no_path = 2 * (_largest(a) + _largest(b)) + 1  # finite sums are below a half of it
    left, right = (np.where(each == _infinity(each.dtype), no_path, each.astype(object)) for each in (a, b))
    product = np.full((a.shape[0], b.shape[1]), no_path, object)
    for k in range(a.shape[1]):
        product = np.minimum(product, left[:, k, None] + right[None, k, :])
    return product, (2 * product > no_path).astype(bool)
