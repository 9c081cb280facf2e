"""What a program begins with: the arrays and numbers that the caller gives, checked, and those that it declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import as_array
from reedsp.pram.arithmetic import WIDTHS
from reedsp.pram.host import HostValues
from reedsp.pram.tree import DTYPES, Global, Tree
from reedsp.system.options import integer

MOST_PROCESSORS = (1 << 31) - 1
"""As many as a kernel's indices are trusted with."""

LONGEST_ARRAY = 1 << 48
"""As many elements as an array may have."""

Memory = dict[str, npt.NDArray[Any]]
"""Each global array by its name; a variable is an array of one element."""


def processors_of(n: Any) -> int:
    """Check the number of processors.

    Raises
    ------
    TypeError, ValueError
        It is no such number.
    """
    count = integer(n, "n")
    if not 0 <= count <= MOST_PROCESSORS:
        raise ValueError(f"n = {count} is no number of processors from 0 to {MOST_PROCESSORS}")
    return count


def memory_of(tree: Tree, n: int, given: Mapping[str, Any]) -> Memory:
    """Return the memory that a program begins with; nothing of the caller's is in it.

    Raises
    ------
    TypeError, ValueError, RunError
        Something is missing, or is not of its type; or a size is none of an array.
    MemoryError
        An array that the program declares is too large.
    """
    wanted = [each for each in tree.globals.values() if each.size is None]
    if unknown := [name for name in given if name not in {each.name for each in wanted}]:
        raise TypeError(f"{unknown[0]}: {tree.name} has no such parameter")
    memory: Memory = {}
    for declared in wanted:
        if declared.name not in given:
            raise TypeError(f"{declared.name}: {tree.name} needs this {'number' if declared.single else 'array'}")
        memory[declared.name] = array_of(declared, given[declared.name])
    values = HostValues(tree, n, memory)
    for declared in tree.globals.values():
        if declared.size is not None:
            size = int(values.evaluate(declared.size))
            if not 0 <= size <= LONGEST_ARRAY:
                raise ValueError(f"{declared.name}: its size would be {size}")
            try:
                memory[declared.name] = np.zeros(size, DTYPES[declared.type])
            except MemoryError:
                raise MemoryError(f"{declared.name}: {size} elements of {declared.type} are too many") from None
    return memory


def array_of(declared: Global, value: Any) -> npt.NDArray[Any]:
    """Return what the caller gives for a global array or variable, as an array of its type.

    Raises
    ------
    TypeError, ValueError
        It is not of this type.
    """
    name, dtype = declared.name, DTYPES[declared.type]
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; call {name}.filled() first")
    array = as_array(value, name)
    if array.ndim != (0 if declared.single else 1):
        expected = "one number" if declared.single else "an array of one dimension"
        raise ValueError(f"{name}: {expected} is expected, got shape {array.shape}")
    array = array.reshape(-1)
    if array.size == 0 and not isinstance(value, np.ndarray):
        return np.zeros(0, dtype)
    allowed = {"boolean": "b", **dict.fromkeys(WIDTHS, "iu")}.get(declared.type, "iuf")
    if array.dtype.kind not in allowed:
        raise _other_type(declared, array, allowed)
    with np.errstate(over="ignore"):
        found = array.astype(dtype)
    if array.dtype.kind in "iu" and array.size and not _are_exact(array, dtype):
        wrong = found != array if dtype.kind in "iu" else _are_rounded(array, dtype)
        if wrong.any():
            position = int(wrong.argmax())
            raise ValueError(f"{_cell(declared, position)} = {array[position]} is no {declared.type}")
    elif array.dtype.kind == "f" and not np.can_cast(array.dtype, dtype, "safe"):
        wrong = (found != array) & ~np.isnan(array)
        if wrong.any():
            position = int(wrong.argmax())
            cell = _cell(declared, position)
            advice = f"numpy.{declared.type}({name}) rounds it"
            raise ValueError(f"{cell} = {array[position]} is no {declared.type}; {advice}")
    return found


def _cell(declared: Global, position: int) -> str:
    return declared.name if declared.single else f"{declared.name}[{position}]"


def _other_type(declared: Global, array: npt.NDArray[Any], allowed: str) -> TypeError:
    """Return the error for an array of another type; of objects it names the first one that is at fault."""
    for position, each in enumerate(array.tolist() if array.dtype.kind == "O" else []):
        if not isinstance(each, (int, float, np.generic)) or np.asarray(each).dtype.kind not in allowed:
            got = f"an integer of {each.bit_length()} bits" if type(each) is int else f"{each!r:.40}"
            return TypeError(f"{_cell(declared, position)}: {declared.type} is expected, got {got}")
    return TypeError(f"{declared.name}: {declared.type} is expected, got {array.dtype}")


def _are_exact(integers: npt.NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether a type holds all integers from the least to the largest of some."""
    if dtype.kind == "f":
        largest = 1 << np.finfo(dtype).nmant + 1
        lowest = -largest
    else:
        lowest, largest = np.iinfo(dtype).min, np.iinfo(dtype).max
    return lowest <= int(integers.min()) and int(integers.max()) <= largest


def _are_rounded(integers: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[np.bool_]:
    """Return for each integer whether it has more bits from its first 1 to its last than a float holds."""
    size = integers.astype(np.uint64)
    size[integers < 0] = -size[integers < 0]
    last = size & -size
    are: npt.NDArray[np.bool_] = size // np.maximum(last, 1) >= np.uint64(1 << np.finfo(dtype).nmant + 1)
    return are


def results_of(tree: Tree, memory: Memory) -> dict[str, Any]:
    """Return what the caller gets: arrays, and variables as numbers of numpy."""
    return {name: memory[name][0] if tree.globals[name].single else memory[name] for name in tree.globals}
