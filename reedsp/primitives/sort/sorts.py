"""Sorted arrays, the indices that sort them, and pairs of arrays sorted by the first one (Dulle, section 5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reedsp.arithmetic.matrix import wrong_type
from reedsp.arithmetic.types import unsigned
from reedsp.cost_model.place import is_sort_for_host
from reedsp.device.arrays import (
    DeviceArrays,
    HostArrays,
    are_on_device,
    check_output,
    overlap,
    vector,
)
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.primitives.operators import check_expression
from reedsp.primitives.sort.merges import LIST_LENGTH, PRESORTS, list_sort, merge_path_sort
from reedsp.primitives.sort.radix import radix_sort
from reedsp.primitives.sort.records import KEY_TYPES, Columns, Records, Sorting
from reedsp.primitives.sort.selfcheck import check_lists, trusted_form
from reedsp.system.options import check_choice, check_method, integer
from reedsp.typing import Presort, SortMethod

_METHODS = ("fast", "merge")
_VALUE_BYTES = (1, 2, 4, 8)
_SHORTEST_LONG = 1 << 32  # records, which 32 bits do not count


# ---- public functions -------------------------------------------------------------------------------


def sort(
    values: Any,
    method: SortMethod = "fast",
    *,
    order: str | None = None,
    presort: Presort = "bitonic",
    list_length: int | None = None,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Sort an array, equal elements in the order in which they were.

    The result is that of ``numpy.sort(values, kind="stable")``, bit by bit: NaN comes last, and 0.0 and -0.0 are equal.

    Parameters
    ----------
    values : array_like or pyopencl.array.Array, shape (n,)
        Booleans, integers of 8 to 64 bits, float16, float32 or float64.
    method : {"fast", "merge"}
        "fast" is a radix sort, and with an `order` a merge sort along merge paths. "merge" is Algorithm 11 of Dulle's
        thesis (section 5.3), which merges lists by a binary search for each element.
    order : str, optional
        OpenCL C expression in ``a`` and ``b``, two elements: whether a comes before b, such as ``"a > b"``. It has to
        be a strict weak order: otherwise the result is a permutation of the elements, or not even that. Booleans are 0
        and 1 in it. float16 has none.
    presort : {"bitonic", "odd-even", "none"}
        Of "merge": the network that sorts lists first; "none" begins with lists of one.
    list_length : int, optional
        Of "merge": elements of these lists, at most as many as the device has work-items in a work-group; a power of
        two if they are sorted by a bitonic network. 256 by default.
    out : array like `values`, optional
        Where to store the result, of the same type and length, in this machine's byte order. It may be `values` itself,
        but must not overlap it otherwise.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. Arrays of pyopencl are worked on by the device of their queue. By default short
        arrays of the host are sorted there.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n,), of the type of `values`
        `out` if it was given. For an array of pyopencl the result stays on the device. A radix sort of keys of more
        than one byte waits until their range is known, and nothing else waits.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.sort([3, 1, 2])
    array([1, 2, 3])
    >>> reedsp.sort([3, 1, 2], order="a > b")
    array([3, 2, 1])
    """
    values = _keys_of("values", values, order)
    how = _How(method, order, presort, list_length)
    if out is not None:
        check_output("out", out, values.shape, values.dtype)
    on_device = are_on_device({"values": values, "out": out})
    if not on_device and (values.size == 0 or how.is_for_host(values.size, device)):
        return _given_back(_sorted_on_host(values), out)
    records = Records(values.dtype, is_long=values.size >= _SHORTEST_LONG, order=order)
    arrays = _open(device, how, records, values=values, out=out)
    result = arrays.empty(values.size, values.dtype) if out is None else out
    source, target = arrays.read_and_write(values, result)
    how.run(Sorting(arrays.job, records, values.size, Columns(source), Columns(target)))
    return arrays.finish(target, result)


def argsort(
    values: Any,
    method: SortMethod = "fast",
    *,
    order: str | None = None,
    presort: Presort = "bitonic",
    list_length: int | None = None,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Find the indices that sort an array, those of equal elements ascending.

    The result is that of ``numpy.argsort(values, kind="stable")``. Parameters and errors are those of :func:`sort`, but
    that `out` is of type int64, and does not overlap `values`.

    Returns
    -------
    ndarray or pyopencl.array.Array of int64, shape (n,)
        As for :func:`sort`.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.argsort([3, 1, 2])
    array([1, 2, 0])
    """
    values = _keys_of("values", values, order)
    how = _How(method, order, presort, list_length)
    index = np.dtype(np.int64)
    if out is not None:
        check_output("out", out, values.shape, index)
    on_device = are_on_device({"values": values, "out": out})
    if out is not None and overlap(values, out):
        raise ValueError("out: it overlaps values")
    if not on_device and (values.size == 0 or how.is_for_host(values.size, device)):
        return _given_back(np.argsort(values, kind="stable"), out)
    is_long = values.size >= _SHORTEST_LONG
    carried, result_type = unsigned(8 if is_long else 4), unsigned(8)
    records = Records(values.dtype, carried, result_type, are_numbered=True, is_long=is_long, order=order)
    arrays = _open(device, how, records, values=values, out=out)
    result = arrays.empty(values.size, index) if out is None else out
    source, target = arrays.read(values), arrays.write(result)
    how.run(Sorting(arrays.job, records, values.size, Columns(source), Columns(None, target)))
    return arrays.finish(target, result)


def sort_by_key(
    keys: Any,
    values: Any,
    method: SortMethod = "fast",
    *,
    order: str | None = None,
    presort: Presort = "bitonic",
    list_length: int | None = None,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Sort an array of keys, and bring another array into the same order.

    Parameters
    ----------
    keys : array_like or pyopencl.array.Array, shape (n,)
        As the `values` of :func:`sort`.
    values : array_like or pyopencl.array.Array, shape (n,)
        Elements of any type of 1, 2, 4 or 8 bytes.
    out : pair of arrays like `keys` and `values`, optional
        Where to store the results, in this machine's byte order. Each may be the array that it is like, but must not
        overlap anything otherwise.
    method, order, presort, list_length, device
        As for :func:`sort`.

    Returns
    -------
    keys, values : ndarray or pyopencl.array.Array, shape (n,)
        The keys as :func:`sort` sorts them, and what was beside each of them.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.sort_by_key([3, 1, 2], [30.0, 10.0, 20.0])
    (array([1, 2, 3]), array([10., 20., 30.]))
    """
    keys = _keys_of("keys", keys, order)
    values = vector("values", values)
    if values.dtype.hasobject or values.dtype.itemsize not in _VALUE_BYTES:
        raise wrong_type("values", values, "elements of 1, 2, 4 or 8 bytes")
    if values.shape != keys.shape:
        raise ValueError(f"values: it has {values.size} elements, but keys has {keys.size}")
    how = _How(method, order, presort, list_length)
    outs = _pair_of(out, keys, values)
    on_device = are_on_device({"keys": keys, "values": values, "out[0]": outs[0], "out[1]": outs[1]})
    if outs[0] is not None and (overlap(*outs) or overlap(keys, outs[1]) or overlap(values, outs[0])):
        raise ValueError("out: its arrays overlap each other, or what they are not like")
    if not on_device and (keys.size == 0 or how.is_for_host(keys.size, device)):
        indices = np.argsort(keys, kind="stable")
        return _given_back(keys[indices], outs[0]), _given_back(values[indices], outs[1])
    size = unsigned(values.dtype.itemsize)
    records = Records(keys.dtype, size, size, is_long=keys.size >= _SHORTEST_LONG, order=order)
    arrays = _open(device, how, records, keys=keys, values=values, keys_out=outs[0], values_out=outs[1])
    results = [
        arrays.empty(x.size, x.dtype) if given is None else given for x, given in zip((keys, values), outs, strict=True)
    ]
    columns = [arrays.read_and_write(x, result) for x, result in zip((keys, values), results, strict=True)]
    source, target = (Columns(*each) for each in zip(*columns, strict=True))
    how.run(Sorting(arrays.job, records, keys.size, source, target))
    assert target.keys is not None
    assert target.values is not None
    return tuple(
        arrays.finish(buffer, result) for buffer, result in zip((target.keys, target.values), results, strict=True)
    )


# ---- arguments --------------------------------------------------------------------------------------


class _How:
    """The method of a sort, with what it is to do."""

    def __init__(self, method: str, order: str | None, presort: str, list_length: int | None) -> None:
        check_method(method, _METHODS)
        check_choice("presort", presort, PRESORTS)
        length = LIST_LENGTH if list_length is None else integer(list_length, "list_length")
        if length < 2:
            raise ValueError(f"list_length: at least 2 is expected, got {length}")
        if presort == "bitonic" and length & (length - 1):
            raise ValueError(f"list_length: {length} is no power of two, which a bitonic network needs")
        for name, is_given in {"presort": presort != PRESORTS[0], "list_length": list_length is not None}.items():
            if is_given and method != "merge":
                raise ValueError(f'{name}: method = {method!r} has none; "merge" has')
        self._is_lists, self._order = method == "merge", order
        self._presort, self._asked, self._length = presort, list_length is not None, length

    def is_for_host(self, n: int, device: Any) -> bool:
        """Return whether the host sorts this many elements, and is likely to be done first."""
        return device is None and not self._is_lists and self._order is None and is_sort_for_host(n)

    def prepare(self, device: Device, records: Records) -> None:
        """Choose a form that is right on a device.

        Raises
        ------
        ValueError
            The device has no work-groups of so many work-items as lists have elements.
        DeviceError
            No form is right.
        """
        if not self._is_lists:
            self._form = trusted_form(device, records, "radix" if self._order is None else "merge")
            return
        most = device.max_work_group_size
        if self._length > most and self._asked:
            raise ValueError(f"list_length: {self._length}, but {device} has work-groups of at most {most} work-items")
        self._length = min(self._length, 1 << most.bit_length() - 1)
        check_lists(device, records, self._presort, self._length)

    def run(self, sorting: Sorting) -> None:
        """Queue the sort."""
        if sorting.n == 0:
            return
        if self._is_lists:
            list_sort(sorting, self._presort, self._length)
        elif self._order is None:
            radix_sort(sorting, self._form)
        else:
            merge_path_sort(sorting, self._form)


def _keys_of(name: str, array: Any, order: str | None) -> Any:
    array = vector(name, array)
    if array.dtype not in KEY_TYPES:
        raise wrong_type(name, array, f"elements of type {', '.join(map(str, KEY_TYPES))}")
    if order is not None:
        check_expression("order", order)
        if array.dtype == np.float16:
            raise TypeError(f"order: {name} of float16 have none; convert them to float32")
    return array


def _pair_of(out: Any, keys: Any, values: Any) -> tuple[Any, Any]:
    if out is None:
        return None, None
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError("out: a pair of arrays is expected, for the keys and for the values")
    for place, (array, like) in enumerate(zip(out, (keys, values), strict=True)):
        check_output(f"out[{place}]", array, like.shape, like.dtype)
    return out[0], out[1]


def _open(device: Any, how: _How, records: Records, **given: Any) -> HostArrays | DeviceArrays:
    """Return the arrays' way to a device that sorts right."""
    arrays: HostArrays | DeviceArrays
    if are_on_device(given):
        arrays = DeviceArrays(given, device)
    else:
        chosen = get_device(device)
        arrays = HostArrays(chosen, borrow=chosen.kind == "cpu")
    how.prepare(arrays.job.device, records)
    return arrays


def _sorted_on_host(values: Any) -> Any:
    # Equal integers have the same bits, so that what is quicker need not be stable.
    return np.sort(values, kind="stable" if values.dtype.kind == "f" else None)


def _given_back(result: Any, out: Any) -> Any:
    if out is None:
        return result
    out[:] = result
    return out
