"""Tables with an edge in each row: of any library that hands out Arrow, of arrays, or of a file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_CSV = (".csv", ".tsv")
_PARQUET = (".parquet", ".pq")
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4")
_LONGEST_NAMES = 2**16  # bytes of a line of names that is all of a file
_EXACT = 2**53  # integers up to this are different numbers in float64
_INT64 = np.iinfo(np.int64)
_KINDS = {"a string": (str,), "a truth value": (bool, np.bool_), "a number": (int, float, np.number)}
"""What a row may hold that is not mixed with others, by what to call it: the first one that fits counts."""


class TableEdges(NamedTuple):
    """Edges by the indices of their ends, and the names of the vertices.

    Attributes
    ----------
    sources, targets : ndarray of int64, shape (m,)
    weights : ndarray, shape (m,), or None
    first : int
        The name of the first vertex, if the names are consecutive numbers.
    labels : list, or None
        The names, in ascending order, if they are not.
    n : int
        Number of vertices.
    """

    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    weights: npt.NDArray[Any] | None
    first: int
    labels: list[Hashable] | None
    n: int


def read_table(table: Any, source: str, target: str, weight: str | None) -> TableEdges:
    """Return the edges of a table.

    Raises
    ------
    ImportError
        pyarrow is not installed; the message says how to.
    TypeError, ValueError
        A column is missing or of another type, or holds what is no vertex or no weight; the message names it. Or the
        file is damaged.
    OSError
        The file cannot be opened or read.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "from_table: pyarrow is not installed; install it with: pip install 'reedsp[tables]'"
        ) from None
    for argument, name in (("source", source), ("target", target), ("weight", weight)):
        if not isinstance(name, str) and not (argument == "weight" and name is None):
            raise TypeError(f"{argument}: expected the name of a column, got {name!r}")
    try:
        column_of = _columns(table, source, target, weight)
    except (pyarrow.ArrowException, OSError) as error:
        is_file = isinstance(table, (str, os.PathLike))
        if isinstance(error, OSError) and not (is_file and _is_damage(error, os.fsdecode(table))):
            raise
        raise ValueError(f"{os.fsdecode(table) if is_file else 'table'}: {error}") from None
    of_text = _is_text_file(table)
    first, labels, n, sources, targets = _vertices(column_of(source), column_of(target), source, target, of_text)
    weights = None if weight is None else _weights(column_of(weight), weight, of_text)
    return TableEdges(sources, targets, weights, first, labels, n)


def _is_damage(error: OSError, name: str) -> bool:
    """Whether Arrow complains about what is in a file, which it does as if it could not read it."""
    return type(error) is OSError and error.errno is None and os.path.isfile(name)


def place_in(column: str | None) -> Callable[[int], str]:
    """Return what calls a row of a column by its name in an error."""
    return lambda row: f"column {column!r}, row {row}"


def _is_text_file(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike)) and _suffix(os.fsdecode(table)) in _CSV


def _suffix(name: str) -> str:
    """Return the ending of a file's name in lower case, without that of a compression."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix


def _columns(table: Any, source: str, target: str, weight: str | None) -> Callable[[str], Any]:
    """Return a function that returns a column of the table, after a check that each name is that of one column."""
    names = [name for name in (source, target, weight) if name is not None]
    held, read = _content(table, names)
    for name in names:
        if held.count(name) != 1:
            count = "no column" if name not in held else f"{held.count(name)} columns"
            cure = "; weight=None gives every edge weight 1" if name == weight else ""
            raise ValueError(f"table has {count} {name!r}; its columns are {', '.join(map(repr, held))}{cure}")
    columns: Callable[[str], Any] = read().column
    return columns


def _content(table: Any, names: list[str]) -> tuple[list[Any], Callable[[], Any]]:
    """Return the names of all columns, and what reads some of them: other columns may hold what Arrow does not."""
    pandas = sys.modules.get("pandas")
    if isinstance(table, (str, os.PathLike)):
        return _file_content(os.fsdecode(table), names)
    if isinstance(table, Mapping):
        return list(table), lambda: _of_arrays({name: table[name] for name in names})
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return _frame_content(table, names)
    if pandas is not None and isinstance(table, pandas.Series):
        raise TypeError("table: expected a table, got a Series; .reset_index() makes one")
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        stream = pyarrow.RecordBatchReader.from_stream(table)
        return stream.schema.names, stream.read_all
    raise TypeError(
        f"table: expected a table of pandas, polars, duckdb or pyarrow, a mapping of names to arrays, or a file, "
        f"got {type(table).__name__}"
    )


def _frame_content(table: Any, names: list[str]) -> tuple[list[Any], Callable[[], Any]]:
    """Return what is in a table of pandas, by names as texts: its columns, and levels of its index that are none."""
    columns = [str(name) for name in table.columns]
    levels = [level for level in table.index.names if level is not None and str(level) not in columns]
    level_of = {str(level): level for level in levels}

    def column(name: str) -> Any:
        if name in level_of:
            return table.index.get_level_values(level_of[name])
        return table.iloc[:, columns.index(name)]

    return [*columns, *map(str, levels)], lambda: _of_arrays({name: column(name) for name in names})


def _file_content(name: str, columns: list[str]) -> tuple[list[Any], Callable[[], Any]]:
    """Return what is in a file; columns of a text as text, so that no weight is rounded and no name is shortened."""
    suffix = _suffix(name)
    if suffix in _CSV:
        content = _csv_content(name, "\t" if suffix == ".tsv" else ",", columns)
        return content.column_names, lambda: content
    if suffix in _PARQUET:
        import pyarrow.parquet

        dataset = pyarrow.parquet.ParquetDataset(name)
        return dataset.schema.names, lambda: dataset.read(columns=list(dict.fromkeys(columns)))
    raise ValueError(f"{name}: expected a name that ends in one of {', '.join((*_CSV, *_PARQUET))}")


def _csv_content(name: str, delimiter: str, columns: list[str]) -> Any:
    import pyarrow
    import pyarrow.csv

    # Lines may break within quotes, also where a part of the file ends.
    parsing = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    conversion = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(columns, pyarrow.string()), null_values=[""], strings_can_be_null=True
    )
    try:
        return pyarrow.csv.read_csv(name, parse_options=parsing, convert_options=conversion)
    except pyarrow.ArrowInvalid:
        with pyarrow.input_stream(name) as stream:
            start = stream.read(_LONGEST_NAMES)
        if not start.strip() or b"\n" in start or b"\r" in start or len(start) == _LONGEST_NAMES:
            raise
    # Arrow takes a line of names for an empty file where it does not end.
    line = pyarrow.BufferReader(start + b"\n")
    return pyarrow.csv.read_csv(line, parse_options=parsing, convert_options=conversion)


def _of_arrays(arrays: dict[str, Any]) -> Any:
    import pyarrow

    columns = {}
    for name, values in arrays.items():
        own = _of_known_type(values, name)
        try:
            columns[name] = pyarrow.array(own)
        except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
            _refuse_large_integers(values, name)
            _refuse_mixed(values, name)
            raise TypeError(f"column {name!r}: {error}") from None
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"table has columns of different lengths: {lengths}")
    return pyarrow.table(columns)


def _of_known_type(values: Any, name: str) -> Any:
    """Return a column of numpy or pandas as Arrow reads it: dense, in this machine's byte order, of 64 bits."""
    kind = getattr(values, "dtype", None)
    if type(kind).__name__ == "SparseDtype":
        return np.asarray(values)
    if not isinstance(kind, np.dtype) or kind.kind not in "iufc":
        return values
    if kind.kind == "c":
        raise TypeError(f"column {name!r} has dtype {kind}, expected real numbers or strings")
    if kind.itemsize > _INT64.dtype.itemsize:
        return _as_float64(np.asarray(values), name)
    return values if kind.isnative else np.asarray(values).astype(kind.newbyteorder("="))


def _as_float64(numbers: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        rounded = numbers.astype(np.float64)
    inexact = (rounded != numbers) & ~np.isnan(numbers)
    if inexact.any():
        row = int(np.argmax(inexact))
        raise ValueError(f"{place_in(name)(row)} = {numbers[row]!r} has no exact float64 value")
    return rounded


def _refuse_large_integers(values: Any, name: str) -> None:
    """Refuse an integer outside int64, or one that float64 does not hold next to floats, by its row."""
    values = _listed(values)
    beside_floats = any(isinstance(value, (float, np.floating)) for value in values)
    for row, value in enumerate(values):
        if not isinstance(value, (int, np.integer)):
            continue
        if not _INT64.min <= value <= _INT64.max:
            raise ValueError(f"{place_in(name)(row)} = {value} is outside int64")
        if beside_floats and int(float(value)) != value:
            raise ValueError(f"{place_in(name)(row)} = {value} has no exact float64 value; give integers only")


def _refuse_mixed(values: Any, name: str) -> None:
    """Refuse a string among numbers or truth values, or the other way round, by its row."""
    values = _listed(values)
    kinds = [next((kind for kind, types in _KINDS.items() if isinstance(value, types)), None) for value in values]
    known = [row for row, kind in enumerate(kinds) if kind is not None and values[row] == values[row]]  # NaN is none
    other = next((row for row in known if kinds[row] != kinds[known[0]]), None)
    if other is not None:
        expected = f"{kinds[known[0]]} as in row {known[0]}"
        raise TypeError(f"{place_in(name)(other)} = {values[other]!r}, expected {expected}")


def _listed(values: Any) -> Sequence[Any]:
    """Return a column as a sequence; also one of pandas, or no array at all."""
    if isinstance(values, Sequence) and not isinstance(values, np.ndarray):
        return values
    listed: list[Any] = np.atleast_1d(np.asarray(values, object)).tolist()
    return listed


def _vertices(
    sources: Any, targets: Any, source: str, target: str, of_text: bool
) -> tuple[int, list[Hashable] | None, int, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the names of the vertices as in :class:`TableEdges`, their number, and the ends of all edges."""
    import pyarrow

    ends = [_ends(sources, source), _ends(targets, target)]
    if of_text:
        ends = _as_integers(ends) or ends
    if ends[0].type != ends[1].type and len(sources):
        types = f"{source!r} has {sources.type} and {target!r} has {targets.type}"
        raise TypeError(f"table: column {types}, expected integers or strings in both")
    if not len(sources):
        nothing = np.empty(0, np.int64)
        return 0, None, 0, nothing, nothing
    if ends[0].type == pyarrow.int64():
        names, index = np.unique(np.concatenate([column.to_numpy() for column in ends]), return_inverse=True)
        labels = names.tolist()
        consecutive = labels[-1] - labels[0] == len(labels) - 1
    else:
        encoded = pyarrow.chunked_array([*ends[0].chunks, *ends[1].chunks]).combine_chunks().dictionary_encode()
        found = encoded.dictionary.to_pylist()
        order = np.array(sorted(range(len(found)), key=found.__getitem__), np.int64)
        labels, consecutive = [found[number] for number in order], False
        position = np.empty(len(found), np.int64)
        position[order] = np.arange(len(found))
        index = position[encoded.indices.to_numpy()]
    split = len(sources)
    first = labels[0] if consecutive else 0
    return first, None if consecutive else labels, len(labels), index[:split], index[split:]


def _as_integers(ends: list[Any]) -> list[Any] | None:
    """Return texts as int64 if all are integers as they are written here; names such as 007 remain texts.

    A column of 1.0, 2.0 and so on, as pandas writes one in which something was missing, is one of integers.
    """
    import pyarrow
    from pyarrow import compute

    found = []
    for column in ends:
        words = compute.utf8_trim_whitespace(column)
        if compute.all(compute.match_substring_regex(words, "[.]0$"), min_count=0).as_py():
            words = compute.utf8_slice_codeunits(words, 0, -2)
        try:
            numbers = words.cast(pyarrow.int64())
        except pyarrow.ArrowInvalid:
            return None
        if not numbers.cast(pyarrow.large_string()).equals(words.cast(pyarrow.large_string())):
            return None
        found.append(numbers)
    return found


def _ends(column: Any, name: str) -> Any:
    """Return one end of all edges as int64 or strings of 64 bits."""
    import pyarrow
    from pyarrow import types

    column = _decoded(column)
    kind = column.type
    is_text = types.is_string(kind) or types.is_large_string(kind) or kind == pyarrow.string_view()
    if types.is_floating(kind):  # as pandas makes of integers beside what is missing
        return _whole(column, name)
    if not (is_text or types.is_integer(kind) or types.is_null(kind)):
        raise TypeError(f"column {name!r} has type {kind}, expected integers or strings")
    _refuse_nulls(column, name, "a vertex")
    if types.is_uint64(kind):
        beyond = np.flatnonzero(column.to_numpy() > np.uint64(np.iinfo(np.int64).max))
        if len(beyond):
            raise ValueError(f"{place_in(name)(int(beyond[0]))} = {column[int(beyond[0])]} is outside int64")
    return column.cast(pyarrow.large_string() if is_text else pyarrow.int64())


def _decoded(column: Any) -> Any:
    """Return a column with its values in place of their numbers in a dictionary, as a category of pandas has them."""
    from pyarrow import types

    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def _whole(column: Any, name: str) -> Any:
    """Return floating-point numbers, each of which has to be an integer, as int64."""
    import pyarrow

    _refuse_nulls(column, name, "a vertex")
    numbers = np.asarray(column.to_numpy()).astype(np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.rint(numbers) == numbers) & (np.abs(numbers) <= _EXACT))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise TypeError(f"{place_in(name)(row)} = {numbers[row]}, expected an integer or a string")
    return pyarrow.chunked_array([numbers.astype(np.int64)])


def _weights(column: Any, name: str, of_text: bool) -> npt.NDArray[Any]:
    from pyarrow import types

    column = _decoded(column)
    kind = column.type
    if of_text:
        _refuse_nulls(column, name, "a number")
        return _numbers_of_text(column, name)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if not (is_number or types.is_null(kind)):
        raise TypeError(f"column {name!r} has type {kind}, expected numbers")
    _refuse_nulls(column, name, "a number")
    return np.asarray(column.to_numpy()) if is_number else np.empty(0, np.int64)


def _numbers_of_text(column: Any, name: str) -> npt.NDArray[Any]:
    """Return texts as int64 if all are integers, otherwise as float64 if both hold each integer."""
    import pyarrow
    from pyarrow import compute

    words = compute.utf8_trim_whitespace(column)
    hexadecimal = compute.match_substring_regex(words, "^[+-]?0[xX]").to_numpy()
    if hexadecimal.any():
        row = int(np.argmax(hexadecimal))
        raise ValueError(f"{place_in(name)(row)} is {words[row].as_py()!r}, expected a decimal number")
    with contextlib.suppress(pyarrow.ArrowInvalid):
        return np.asarray(_without_plus(words).cast(pyarrow.int64()).to_numpy())
    try:
        numbers = np.asarray(words.cast(pyarrow.float64()).to_numpy())
    except pyarrow.ArrowInvalid:
        row = _first_other(words, pyarrow.float64())
        raise ValueError(f"{place_in(name)(row)} is {words[row].as_py()!r}, expected a number") from None
    _refuse_unlike_float64(words, numbers, name)
    return numbers


def _refuse_unlike_float64(words: Any, numbers: npt.NDArray[np.float64], name: str) -> None:
    """Refuse numbers that float64 makes infinite or 0, and integers that it rounds or int64 does not hold."""
    import pyarrow
    from pyarrow import compute

    for extreme, digits, size in ((np.isinf(numbers), "[0-9]", "large"), (numbers == 0, "^[^eE]*[1-9]", "small")):
        rows = np.flatnonzero(extreme)
        beyond = rows[compute.match_substring_regex(words.take(rows), digits).to_numpy()]
        if len(beyond):
            row = int(beyond[0])
            raise ValueError(f"{place_in(name)(row)} = {words[row].as_py()[:40]} is too {size} for float64")
    rows = np.flatnonzero(compute.match_substring_regex(words, "^[+-]?[0-9]{16,}$").to_numpy())
    large = _without_plus(words.take(rows))
    rounded = np.clip(numbers[rows], -(2.0**63), np.nextafter(2.0**63, 0))  # what became 2**63 differs from this, too
    try:
        wrong = np.flatnonzero(rounded.astype(np.int64) != large.cast(pyarrow.int64()).to_numpy())
    except pyarrow.ArrowInvalid:
        wrong = np.array([_first_other(large, pyarrow.int64())])
    if len(wrong):
        row = int(rows[wrong[0]])
        raise ValueError(f"{place_in(name)(row)} = {words[row]} is outside int64, or has no exact float64 value")


def _without_plus(words: Any) -> Any:
    """Return texts without the sign of positive integers, with which Arrow sees none."""
    from pyarrow import compute

    if not compute.any(compute.starts_with(words, "+")).as_py():
        return words
    return compute.replace_substring_regex(words, "^[+]([0-9]+)$", r"\1")


def _first_other(words: Any, kind: Any) -> int:
    """Return the first row that Arrow does not read as a number of this type, which Python may do otherwise."""
    import pyarrow

    begin, end = 0, len(words)
    while end - begin > 1:
        middle = (begin + end) // 2
        try:
            words.slice(begin, middle - begin).cast(kind)
        except pyarrow.ArrowInvalid:
            end = middle
        else:
            begin = middle
    return begin


def _refuse_nulls(column: Any, name: str, expected: str) -> None:
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy())
        raise ValueError(f"{place_in(name)(int(missing[0]))} is missing, expected {expected}")
