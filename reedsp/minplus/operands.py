"""The matrices that are multiplied, and what they become on a device and back: arrays of the host or of pyopencl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.matrix import (
    Weights,
    check_entries,
    check_kind,
    lost_entry,
    product_weights,
    to_device,
    to_user,
    weights_of,
    wrong_entry,
)
from reedsp.arithmetic.types import infinity
from reedsp.device.arrays import (
    DeviceArrays,
    HostArrays,
    are_on_device,
    check_output,
    is_device_array,
    refuse_part_of_svm,
    refuse_rounded,
)
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.graph.graph import as_array
from reedsp.minplus.entries import Entries, convert, entries_of, look, write_results
from reedsp.minplus.entries_check import can_convert, can_look, can_write

_WORTH_KERNELS = 1 << 20  # entries of matrices and product, from which on kernels take less time than numpy's passes
_PART_OF_MEMORY = 0.25  # of a device, for matrices as they are given


def matrix(name: str, array: Any) -> Any:
    """Return path weights as int8 to int64, uint8 to uint64, float32 or float64, of which none has been looked at.

    Raises
    ------
    TypeError, ValueError
        It is no matrix of such numbers, one that lies scattered on a device, or a list with an integer that numpy
        rounds.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; call {name}.filled() first")
    on_device = is_device_array(array)
    if on_device:
        refuse_part_of_svm(name, array)
    else:
        given, array = array, as_array(array, name)
        refuse_rounded(name, given, array)
        if array.ndim == 0 and array.dtype == object:
            raise TypeError(f"{name}: a dense matrix is expected, got a {type(given).__name__}")
    if array.dtype.newbyteorder("=") == np.float16 and array.ndim == 2:
        if on_device:
            raise TypeError(f"{name}: float16 is not supported on a device")
        array = array.astype(np.float32)
    if on_device and not array.dtype.isnative:
        raise TypeError(f"{name}: {array.dtype} is not in this machine's byte order, which kernels read")
    check_kind(name, array)
    if on_device and not array.flags.c_contiguous:
        raise ValueError(f"{name}: only contiguous arrays are supported on a device")
    return array


class Operands:
    """Matrices of one product or power, and its result.

    Where they are large, or on a device, kernels look at them, convert them and write the result; numpy does it where
    they are small, or of a type that kernels of the device do not read.

    Parameters
    ----------
    matrices : mapping of str to ndarray or pyopencl.array.Array
        As :func:`matrix` returns them, by their names.
    shape : tuple of int
        Of the result.
    out : ndarray or pyopencl.array.Array, optional
        Where to store the result.
    device : Device, int or str, optional

    Attributes
    ----------
    dtype : dtype
        Of the result.
    """

    def __init__(self, matrices: Mapping[str, Any], shape: tuple[int, int], out: Any, device: Any) -> None:
        dtypes = {each.dtype for each in matrices.values()}
        self.dtype: np.dtype[Any] = np.result_type(*dtypes)
        if out is not None:
            check_output("out", out, shape, self.dtype)
        self._matrices, self._shape, self._out, self._requested = matrices, shape, out, device
        self._entries: dict[str, Entries] = {}
        given, sizes = {**matrices, "out": out}, [each.size for each in matrices.values()]
        self._arrays: HostArrays | DeviceArrays | None = None
        if are_on_device(given):
            self._arrays = DeviceArrays(given, device)
        elif min(sizes) > 0 and sum(sizes) + shape[0] * shape[1] >= _WORTH_KERNELS:
            chosen = get_device(device)
            if _reads(chosen, matrices.values()):
                self._arrays = HostArrays(chosen, borrow=chosen.kind == "cpu")

    def weights(self, times: int = 1) -> Weights | None:
        """Return the arithmetic, as :func:`.weights_of`.

        Raises
        ------
        ValueError
            An entry is NaN or -inf.
        """
        if self._arrays is None:
            for name, each in self._matrices.items():
                check_entries(name, each)
            return weights_of(*self._matrices.values(), times=times)
        job, signs, largest = self._arrays.job, False, []
        for name, each in self._matrices.items():
            self._entries[name] = self._read(each)
            facts = look(job, self._entries[name])
            if facts.wrong is not None:
                raise wrong_entry(name, self._on_host(each), facts.wrong)
            signs |= facts.has_signs
            largest.append(0 if each.dtype.kind == "f" else max(-facts.low, facts.high))
        return product_weights(self.dtype, largest, signs, times)

    def job(self) -> Job:
        """Return the job that the product is to be computed by, once there is an arithmetic."""
        return Job(get_device(self._requested)) if self._arrays is None else self._arrays.job

    def buffers(self, job: Job, weights: Weights, shapes: Mapping[str, tuple[int, int]]) -> list[cl.Buffer]:
        """Return the matrices on the device, filled up to some shapes with "no path"; the arrays are free then."""
        result = []
        for name, each in self._matrices.items():
            if self._arrays is not None and self._is_trusted(can_convert(job.device, each.dtype, weights)):
                result.append(convert(job, self._entries.pop(name), weights, shapes[name]))
            else:
                result.append(job.upload(to_device(each, shapes[name], weights)))
        self._entries.clear()
        if isinstance(self._arrays, HostArrays):
            job.return_borrowed()
        return result

    def result(self, job: Job, weights: Weights, product: cl.Buffer, padded: tuple[int, int]) -> Any:
        """Return the upper left part of a product.

        Raises
        ------
        OverflowError
            The type of the result does not hold an entry.
        """
        (rows, columns), dtype = self._shape, self.dtype
        if self._arrays is None or not self._is_trusted(can_write(job.device, weights, dtype)):
            values = job.download(product, padded[0] * padded[1], weights.dtype).reshape(padded)[:rows, :columns]
            if dtype.kind == "f":
                return self.give(values + dtype.type(0))  # no negative zeros
            return self.give(to_user(values, values == weights.no_path, dtype))
        out = self._arrays.empty(self._shape, dtype) if self._out is None else self._out
        target = self._arrays.write(out)
        lost = write_results(job, weights, product, padded[1], target, self._shape, dtype)
        if lost is not None:
            row, column = divmod(lost, columns)
            value = np.empty(1, weights.dtype)
            job.download_into(value, product, row * padded[1] + column)
            raise lost_entry((row, column), value[0], dtype)
        return self._arrays.finish(target, out)

    def empty(self) -> Any:
        """Return a result without any path, after a look at what entries there are."""
        for name, each in self._matrices.items():
            check_entries(name, self._on_host(each))
        return self.give(np.full(self._shape, infinity(self.dtype), self.dtype))

    def on_host(self) -> list[npt.NDArray[Any]]:
        """Return the matrices, for what no device computes."""
        return [self._on_host(each) for each in self._matrices.values()]

    def give(self, values: npt.NDArray[Any]) -> Any:
        """Return what the host has computed where the result is wanted."""
        if not isinstance(self._arrays, DeviceArrays):
            if self._out is None:
                return values
            self._out[...] = values
            return self._out
        job, out = self._arrays.job, self._arrays.empty(self._shape, self.dtype) if self._out is None else self._out
        target = self._arrays.write(out)
        if values.size:
            job.copy(target, 0, job.upload(values), 0, values.nbytes)
        return self._arrays.finish(target, out)

    def _read(self, array: Any) -> Entries:
        assert self._arrays is not None
        if isinstance(self._arrays, HostArrays):
            return entries_of(self._arrays.job, array)
        self._is_trusted(can_look(self._arrays.job.device, array.dtype))
        return Entries(self._arrays.read(array), array.dtype, array.shape, 0, (array.shape[1], 1))

    def _is_trusted(self, trusted: bool) -> bool:
        """Return whether a kernel is right; if it is not, nothing can take its place for arrays on a device."""
        if isinstance(self._arrays, DeviceArrays) and not trusted:
            raise DeviceError(f"{self._arrays.job.device}: it cannot convert such matrices; use arrays of the host")
        return trusted

    def _on_host(self, array: Any) -> npt.NDArray[Any]:
        if not isinstance(self._arrays, DeviceArrays):
            return array  # type: ignore[no-any-return]
        values = np.empty(array.shape, array.dtype)
        if array.size:
            self._arrays.job.download_into(values, self._arrays.read(array))
        return values


def _reads(device: Device, matrices: Any) -> bool:
    """Return whether kernels of a device look at these arrays of the host rightly, and there is room for them."""
    size = sum(each.nbytes for each in matrices)
    return size <= _PART_OF_MEMORY * device.global_memory and all(can_look(device, each.dtype) for each in matrices)
