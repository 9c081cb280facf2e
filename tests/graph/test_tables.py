from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import reedsp

COLUMNS = {"source": [7, 5, 5, 9], "target": [5, 9, 9, 7], "weight": [3, 4, 2, 1]}
EDGES = [(5, 9, 2), (7, 5, 3), (9, 7, 1)]
WORDS = {"source": ["b", "a", "a", "é"], "target": ["a", "é", "é", "b"], "weight": [3.5, 4, 2, 1]}


class Stream:
    """What another library hands out."""

    def __init__(self, table: pyarrow.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def parquet(folder: Path, columns: dict[str, Any]) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "edges.parquet")
    return folder / "edges.parquet"


def csv(folder: Path, text: str, name: str = "edges.csv") -> Path:
    data = text.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder / name


def lines(columns: dict[str, list[Any]], comma: str = ",") -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(comma.join(map(str, row)) + "\n" for row in rows)


def tables_of(columns: dict[str, list[Any]], folder: Path) -> list[Any]:
    table = pyarrow.table(columns)
    return [
        columns,
        {name: np.array(values) for name, values in columns.items()},
        pandas.DataFrame(columns),
        pandas.DataFrame(columns).astype({"source": "category", "target": "category"}),
        table,
        pyarrow.concat_tables([table.slice(0, 1), table.slice(1)]),
        Stream(table.append_column("other", pyarrow.array([None, {}, None, None]))),
        parquet(folder, columns),
        csv(folder, lines(columns)),
        str(csv(folder, lines(columns), "Edges.CSV.gz")),
        csv(folder, lines(columns, "\t"), "edges.tsv"),
    ]


def test_every_kind_of_table(tmp_path: Path) -> None:
    for table in tables_of(COLUMNS, tmp_path):
        graph = reedsp.Graph.from_table(table)
        assert list(graph.edges()) == EDGES
        assert graph.labels == (5, 7, 9)
        assert graph.weights.dtype == np.int64


def test_strings_are_names_in_order(tmp_path: Path) -> None:
    for table in tables_of(WORDS, tmp_path):
        graph = reedsp.Graph.from_table(table)
        assert graph.labels == ("a", "b", "é")
        assert list(graph.edges()) == [("a", "é", 2), ("b", "a", 3.5), ("é", "b", 1)]
        assert reedsp.sssp(graph, "b").dist.tolist() == [3.5, 0, 5.5]


@pytest.mark.parametrize("first", [-3, 0, 1, 10**15])
def test_consecutive_numbers_take_no_labels(first: int) -> None:
    graph = reedsp.Graph.from_table({"source": [first + 1, first], "target": [first, first + 2]}, weight=None)
    assert graph.labels is None
    assert list(graph.names) == [first, first + 1, first + 2]
    assert list(graph.edges()) == [(first, first + 2, 1), (first + 1, first, 1)]


def test_other_columns_and_direction() -> None:
    table = {"km": [2.5], "to": [1], "from": [0]}
    graph = reedsp.Graph.from_table(table, "from", "to", "km", directed=False)
    assert list(graph.edges()) == list(reedsp.Graph.from_edges(2, [0], [1], [2.5], directed=False).edges())
    assert not graph.directed


@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.uint64, np.float16, np.float32, np.bool_])
def test_types_of_weights(kind: Any) -> None:
    weights = np.array([1, 0, 1], kind)
    graph = reedsp.Graph.from_table({"source": [0, 1, 2], "target": [1, 2, 0], "weight": weights})
    assert graph == reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], weights)


@pytest.mark.parametrize("kind", [pyarrow.uint8(), pyarrow.int32(), pyarrow.uint64()])
def test_types_of_numbers(kind: Any) -> None:
    ends = pyarrow.array([3, 200], kind)
    assert reedsp.Graph.from_table({"source": ends, "target": ends}, weight=None).labels == (3, 200)


def test_infinite_weight_is_no_edge() -> None:
    graph = reedsp.Graph.from_table({"source": [0, 1], "target": [1, 0], "weight": [np.inf, 1.0]})
    assert list(graph.edges()) == [(1, 0, 1.0)]


@pytest.mark.parametrize("table", [{"source": [], "target": [], "weight": []}, pandas.DataFrame(COLUMNS).head(0)])
def test_table_without_rows(table: Any) -> None:
    graph = reedsp.Graph.from_table(table)
    assert (graph.n, graph.m) == (0, 0)


def test_numbers_of_a_text_are_not_rounded(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_table(csv(tmp_path, "source,target,weight\n0,1, 9007199254740993\n1,0,2\n"))
    assert graph.weights.tolist() == [2**53 + 1, 2]
    for other in ("0.5", "1e3"):
        with pytest.raises(ValueError, match=r"column 'weight', row 0 = 9007199254740993 .* no exact float64"):
            reedsp.Graph.from_table(csv(tmp_path, f"source,target,weight\n0,1,9007199254740993\n1,0,{other}\n"))
    graph = reedsp.Graph.from_table(csv(tmp_path, "source,target,weight\n0,1,9007199254740992\n1,0,0.5\n"))
    assert graph.weights.tolist() == [2.0**53, 0.5]


@pytest.mark.parametrize("other", ["1", "0.5"])
def test_integers_of_a_text_are_within_int64(other: str, tmp_path: Path) -> None:
    for beyond in (2**63, 2**64, -(2**64)):
        with pytest.raises(ValueError, match=f"column 'weight', row 1 = {beyond} is outside int64"):
            reedsp.Graph.from_table(csv(tmp_path, f"source,target,weight\n0,1,{other}\n1,0,{beyond}\n"))
    text = f"source,target,weight\n0,1,{2**63 - 1}\n1,0,{-(2**63)}\n"
    assert reedsp.Graph.from_table(csv(tmp_path, text)).weights.tolist() == [2**63 - 1, -(2**63)]


def test_names_that_look_like_nothing(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_table(csv(tmp_path, "source,target\nNA,null\n"), weight=None)
    assert graph.labels == ("NA", "null")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"source": [0, None]}, ValueError, "column 'source', row 1 is missing, expected a vertex"),
        ({"target": [None, "a"]}, ValueError, "column 'target', row 0 is missing, expected a vertex"),
        ({"weight": [1, None]}, ValueError, "column 'weight', row 1 is missing, expected a number"),
        ({"weight": [None, None]}, ValueError, "column 'weight', row 0 is missing"),
        ({"weight": [1.0, np.nan]}, ValueError, "column 'weight', row 1 is nan, expected a number"),
        ({"weight": [-np.inf, 1.0]}, ValueError, "column 'weight', row 0 is -inf"),
        (
            {"weight": np.array([1, 2j])},
            TypeError,
            "^column 'weight' has dtype complex128, expected real numbers or str",
        ),
        ({"source": pandas.Series([1, 2j])}, TypeError, "^column 'source' has dtype complex128, expected real numbers"),
        ({"weight": pyarrow.array([1, None]).dictionary_encode()}, ValueError, "column 'weight', row 1 is missing"),
        ({"weight": ["1", "2"]}, TypeError, "column 'weight' has type string, expected numbers"),
        ({"weight": np.array([1, 2**64 - 1], np.uint64)}, ValueError, "column 'weight', row 1 = 1844.* outside int64"),
        ({"source": np.array([2**64 - 1, 1], np.uint64)}, ValueError, "column 'source', row 0 = 1844.* outside int64"),
        ({"source": [0, 2**70]}, ValueError, f"^column 'source', row 1 = {2**70} is outside int64$"),
        ({"weight": [2**63, 0.5]}, ValueError, f"^column 'weight', row 0 = {2**63} is outside int64$"),
        ({"weight": [0.5, 2**53 + 1]}, ValueError, f"^column 'weight', row 1 = {2**53 + 1} has no exact float64 value"),
        ({"source": [0, 1.5]}, TypeError, "column 'source', row 1 = 1.5, expected an integer or a string"),
        ({"source": [0, 2.0**60]}, TypeError, "column 'source', row 1 = 1.15.* expected an integer or a string"),
        ({"source": [0, np.inf]}, TypeError, "column 'source', row 1 = inf, expected an integer or a string"),
        ({"source": [True, False]}, TypeError, "column 'source' has type bool"),
        ({"source": [0, "a"]}, TypeError, "column 'source', row 1 = 'a', expected a number as in row 0"),
        ({"source": ["a", "b"]}, TypeError, "'source' has string and 'target' has int64"),
        ({"source": [0]}, ValueError, "columns of different lengths"),
    ],
)
def test_columns_that_are_wrong(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.Graph.from_table({"source": [0, 1], "target": [1, 0], "weight": [1, 2]} | change)


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ("007,8,1\n7,9,1\n", ["007", "7", "8", "9"]),
        ("1,A,1\n2,B,1\n", ["1", "2", "A", "B"]),
        ("-0,1,1\n0,1,1\n", ["-0", "0", "1"]),
        ("1, 2,1\n3,-4,1\n", [-4, 1, 2, 3]),
        (f"{2**70},1,1\n2,1,1\n", ["1", str(2**70), "2"]),
        ("+1,2,1\n3,2,1\n", ["+1", "2", "3"]),
        ("1.0,2,1\n2.0,3,1\n", [1, 2, 3]),  # as pandas writes a column in which something was missing
        ("1.0,2,1\n2,3,1\n", ["1.0", "2", "3"]),
        ("01.0,2,1\n2.0,3,1\n", ["01.0", "2", "2.0", "3"]),
    ],
)
def test_names_of_a_text_are_not_shortened(rows: str, names: list[Any], tmp_path: Path) -> None:
    graph = reedsp.Graph.from_table(csv(tmp_path, f"source,target,weight\n{rows}"))
    assert list(graph.names) == names
    assert graph.m == 2


@pytest.mark.parametrize("word", ["1e400", "-1e400", "9" * 400])
def test_weights_of_a_text_that_are_too_large(word: str, tmp_path: Path) -> None:
    file = csv(tmp_path, f"source,target,weight\n0,1,0.5\n1,2,{word}\n")
    with pytest.raises(ValueError, match=rf"column 'weight', row 1 = {word[:40]} is too large for float64$"):
        reedsp.Graph.from_table(file)
    assert reedsp.Graph.from_table(csv(tmp_path, "source,target,weight\n0,1,0.5\n1,2,inf\n")).m == 1


def test_lines_that_break_within_quotes(tmp_path: Path) -> None:
    """Also where parts of the file end, of which each is read by itself."""
    rows = "".join(f'{row},{row + 1},1,"a\n7,7,7,{row}"\n' for row in range(100_000))
    graph = reedsp.Graph.from_table(csv(tmp_path, f"source,target,weight,note\n{rows}"))
    assert (graph.n, graph.m) == (100_001, 100_000)


def test_numbers_that_are_whole() -> None:
    frame = pandas.DataFrame({"source": [0, None, 2], "target": [1.0, 5, 3], "weight": [1, 1, 1]})
    graph = reedsp.Graph.from_table(frame.dropna())
    assert list(graph.edges()) == [(0, 1, 1), (2, 3, 1)]
    with pytest.raises(ValueError, match=r"^column 'source', row 1 is missing"):
        reedsp.Graph.from_table(frame)


def test_a_text_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_bytes("source,target,weight\nKäytävä,b,1\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"edges\.csv: .*UTF8"):
        reedsp.Graph.from_table(path)


def test_nulls_of_pandas() -> None:
    frame = pandas.DataFrame({"source": [0, 1], "target": [1, 0], "weight": [1.5, np.nan]})
    with pytest.raises(ValueError, match="column 'weight', row 1 is missing"):
        reedsp.Graph.from_table(frame)


def test_columns_that_are_not_there() -> None:
    message = "table has no column 'weight'; its columns are 'source', 'target'; weight=None gives every edge weight 1"
    with pytest.raises(ValueError, match=message):
        reedsp.Graph.from_table({"source": [0], "target": [1]})
    with pytest.raises(ValueError, match=r"table has no column 'from'; its columns are 'source', 'target', 'weight'$"):
        reedsp.Graph.from_table(pandas.DataFrame(COLUMNS), "from")
    twice = pyarrow.table([[0], [1], [2]], names=["source", "source", "target"])
    with pytest.raises(ValueError, match="table has 2 columns 'source'"):
        reedsp.Graph.from_table(twice, weight=None)
    with pytest.raises(TypeError, match="source: expected the name of a column, got 0"):
        reedsp.Graph.from_table(COLUMNS, 0)  # type: ignore[arg-type]


def test_what_is_no_table() -> None:
    with pytest.raises(TypeError, match=r"table: expected a table of pandas, .*, got int"):
        reedsp.Graph.from_table(7)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("edges.csv", "", "Empty CSV"),
        ("edges.csv", "source,target,weight\n1,2\n", "Expected 3 columns, got 2"),
        ("edges.csv", "source,target,weight\n1,2,3\n4,,5\n", "column 'target', row 1 is missing"),
        ("edges.csv", "source,target,weight\n1,2,3\n4,5,\n", "column 'weight', row 1 is missing"),
        ("edges.csv", "source,target,weight\n1,2,3\n4,5,far\n", "column 'weight', row 1 is 'far', expected a number"),
        ("edges.csv", "source,target,weight\n1,2,nan\n", "column 'weight', row 0 is nan"),
        ("edges.csv", "source,target,weight\n1,2,1_0\n", "column 'weight', row 0 is '1_0', expected a number"),
        (
            "edges.csv",
            "source,target,weight\n1,2,3\n4,5, 0x10\n",
            "'weight', row 1 is '0x10', expected a decimal number",
        ),
        ("edges.csv", "source,target,weight\n1,2,-0X10\n", "'weight', row 0 is '-0X10', expected a decimal number"),
        ("edges.csv", "source;target;weight\n1;2;3\n", "table has no column 'source'"),
        ("edges.parquet", "no Parquet at all", "edges.parquet: "),
        ("edges.xlsx", "", r"edges\.xlsx: expected a name that ends in one of \.csv, \.tsv, \.parquet"),
    ],
)
def test_damaged_files(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        reedsp.Graph.from_table(csv(tmp_path, text, name))


@pytest.mark.parametrize("end", [-9, -3], ids=["before the checksum", "within the size"])
def test_damaged_compression(end: int, tmp_path: Path) -> None:
    file = csv(tmp_path, lines(COLUMNS), "edges.csv.gz")
    file.write_bytes(file.read_bytes()[:end])
    with pytest.raises(ValueError, match=r"edges\.csv\.gz: "):
        reedsp.Graph.from_table(file)


def test_damaged_parquet(tmp_path: Path) -> None:
    file = parquet(tmp_path, COLUMNS)
    data = file.read_bytes()
    file.write_bytes(data[:4] + b"\xff" * 60 + data[64:])
    with pytest.raises(ValueError, match=r"edges\.parquet: "):
        reedsp.Graph.from_table(file)


@pytest.mark.parametrize("kind", [">i4", ">u8", ">f2", ">f8"])
def test_numbers_of_the_other_byte_order(kind: str) -> None:
    columns = {name: np.array(values, kind) for name, values in COLUMNS.items()}
    assert list(reedsp.Graph.from_table(columns).edges()) == EDGES


@pytest.mark.parametrize("kind", [">i8", ">f8", np.longdouble])
def test_columns_of_pandas_that_arrow_does_not_read(kind: Any) -> None:
    frame = pandas.DataFrame({name: pandas.Series(np.array(values, kind)) for name, values in COLUMNS.items()})
    kinds = dict(frame.dtypes)
    assert list(reedsp.Graph.from_table(frame).edges()) == EDGES
    assert list(reedsp.Graph.from_table(dict(frame.items())).edges()) == EDGES
    assert dict(frame.dtypes) == kinds


def test_weights_that_float64_holds_or_not() -> None:
    ends = {"source": [0, 1], "target": [1, 0]}
    held = np.array([0.5, np.inf], np.longdouble)
    assert list(reedsp.Graph.from_table(ends | {"weight": held}).edges()) == [(0, 1, 0.5)]
    if np.finfo(np.longdouble).nmant == np.finfo(np.float64).nmant:
        return
    longer = held + np.array([np.longdouble(2) ** -60, 0])
    for table in (ends | {"weight": longer}, pandas.DataFrame(ends | {"weight": longer})):
        with pytest.raises(ValueError, match=r"^column 'weight', row 0 = .*0\.5.* has no exact float64 value$"):
            reedsp.Graph.from_table(table)


def test_weights_in_a_dictionary() -> None:
    ends = {"source": [0, 1], "target": [1, 0]}
    for weights in (pyarrow.array([7, 5]).dictionary_encode(), pandas.Series([7, 5], dtype="category")):
        for table in (ends | {"weight": weights}, pandas.DataFrame(ends | {"weight": pandas.Series(weights)})):
            assert list(reedsp.Graph.from_table(table).edges()) == [(0, 1, 7), (1, 0, 5)]


def test_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            reedsp.Graph.from_table(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OSError, match=r"folder\.csv"):
        reedsp.Graph.from_table(tmp_path / "folder.csv")


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'reedsp\[tables\]'"):
        reedsp.Graph.from_table(COLUMNS)


def test_integers_beyond_int64_in_arrays_of_objects() -> None:
    for column in (np.array([1, 2**70], object), pandas.Series([1, 2**70], dtype=object)):
        with pytest.raises(ValueError, match=rf"^column 'w', row 1 = {2**70} is outside int64$"):
            reedsp.Graph.from_table({"s": [1, 2], "t": [2, 3], "w": column}, "s", "t", "w")
        with pytest.raises(ValueError, match=rf"^column 'w', row 1 = {2**70} is outside int64$"):
            reedsp.Graph.from_table(pandas.DataFrame({"s": [1, 2], "t": [2, 3], "w": column}), "s", "t", "w")


@pytest.mark.parametrize(
    "other",
    [
        [1, [2, 3], 4, 5],
        ["a", 1, 2, 3],
        [1j, 2, 3, 4],
        [object(), None, {1}, 2],
        [2**70, 1, 2, 3],
        pandas.arrays.SparseArray([0, 0, 0, 1]),
    ],
)
def test_columns_that_are_not_asked_for(other: Any) -> None:
    frame = pandas.DataFrame(COLUMNS | {"other": pandas.Series(other)}, index=["a", 1, 2.5, None])
    assert list(reedsp.Graph.from_table(frame).edges()) == EDGES
    twice = pandas.concat([frame, frame[["other"]]], axis=1)
    assert list(reedsp.Graph.from_table(twice).edges()) == EDGES
    with pytest.raises(ValueError, match="table has 2 columns 'other'"):
        reedsp.Graph.from_table(twice, weight="other")


def test_ends_in_the_index_of_pandas() -> None:
    frame = pandas.DataFrame(COLUMNS)
    assert list(reedsp.Graph.from_table(frame.set_index(["source", "target"])).edges()) == EDGES
    assert list(reedsp.Graph.from_table(frame.set_index("weight")).edges()) == EDGES
    twice = frame.set_index(pandas.MultiIndex.from_arrays([range(4), range(4)], names=["level", "level"]))
    with pytest.raises(
        ValueError, match=r"table has 2 columns 'level'; its columns are 'source', 'target', 'weight', "
    ):
        reedsp.Graph.from_table(twice, "level")


@pytest.mark.parametrize("name", COLUMNS)
def test_an_index_of_pandas_with_the_name_of_a_column(name: str) -> None:
    frame = pandas.DataFrame(COLUMNS)
    assert list(reedsp.Graph.from_table(frame.set_index(name, drop=False)).edges()) == EDGES
    frame.index = pandas.RangeIndex(len(frame), name=name)
    assert list(reedsp.Graph.from_table(frame).edges()) == EDGES


def test_numbered_columns_of_pandas() -> None:
    """As pandas.read_csv(header=None) numbers them."""
    frame = pandas.DataFrame(COLUMNS)
    frame.columns = pandas.Index([2, 0, 1])
    assert list(reedsp.Graph.from_table(frame, "2", "0", "1").edges()) == EDGES
    assert list(reedsp.Graph.from_table(frame.set_index([2, 1]), "2", "0", "1").edges()) == EDGES
    with pytest.raises(ValueError, match=r"table has no column '3'; its columns are '2', '0', '1'"):
        reedsp.Graph.from_table(frame, "2", "3", "1")


def test_sparse_columns_of_pandas() -> None:
    frame = pandas.DataFrame(COLUMNS).astype({"weight": pandas.SparseDtype(np.int64, 1)})
    assert list(reedsp.Graph.from_table(frame).edges()) == EDGES


def test_a_column_of_a_file_that_is_asked_for_twice(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "edges.parquet")
    graph = reedsp.Graph.from_table(tmp_path / "edges.parquet", "source", "source")
    assert [edge[0] for edge in graph.edges()] == [edge[1] for edge in graph.edges()]
    graph = reedsp.Graph.from_table(tmp_path / "edges.parquet", weight="target")
    assert [edge[1] for edge in graph.edges()] == graph.weights.tolist()


def test_other_columns_of_parquet(tmp_path: Path) -> None:
    table = pyarrow.table([*COLUMNS.values(), COLUMNS["weight"], [0] * 4], [*COLUMNS, "a.b", "other"])
    file = tmp_path / "edges.parquet"
    pyarrow.parquet.write_table(table, file)
    assert list(reedsp.Graph.from_table(file, weight="a.b").edges()) == EDGES
    with pytest.raises(ValueError, match=r"table has no column 'km'; its columns are .*, 'other'; weight=None"):
        reedsp.Graph.from_table(file, weight="km")


@pytest.mark.parametrize("value", [1, np.array(1), None])
def test_columns_that_are_no_arrays_are_named(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^column 'target': "):
        reedsp.Graph.from_table({"source": [1], "target": value, "weight": [3]})


def test_names_of_two_kinds_are_refused_by_column() -> None:
    for table in ({"source": [1, "a"], "target": [2, 3]}, pandas.DataFrame({"source": [1, "a"], "target": [2, 3]})):
        with pytest.raises(TypeError, match=r"^column 'source', row 1 = 'a', expected a number as in row 0$"):
            reedsp.Graph.from_table(table, weight=None)


@pytest.mark.parametrize("word", ["1e-400", "-1E-400", f"0.{'0' * 400}1"])
def test_weights_of_a_text_that_are_too_small(word: str, tmp_path: Path) -> None:
    file = csv(tmp_path, f"source,target,weight\n0,1,0e5\n1,2,{word}\n")
    with pytest.raises(ValueError, match=rf"^column 'weight', row 1 = {word[:40]} is too small for float64$"):
        reedsp.Graph.from_table(file)


def test_integers_of_a_text_with_a_plus(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_table(csv(tmp_path, "source,target,weight\n0,1,+5\n1,0,-2\n"))
    assert graph.weights.dtype == np.int64
    assert graph.weights.tolist() == [5, -2]
    for other in ("+-5", "++5", "+"):
        with pytest.raises(ValueError, match=r"column 'weight', row 1 is '[+]+-?5?', expected a number"):
            reedsp.Graph.from_table(csv(tmp_path, f"source,target,weight\n0,1,+5\n1,0,{other}\n"))
    for integer in (2**53 + 1, 2**63 - 1, 2**63):
        file = csv(tmp_path, f"source,target,weight\n0,1,0.5\n1,0,+{integer}\n")
        with pytest.raises(ValueError, match=rf"row 1 = [+]{integer} is outside int64, or has no exact float64 value"):
            reedsp.Graph.from_table(file)


@pytest.mark.parametrize("bad", [0, 1, 49_999, 99_999])
@pytest.mark.parametrize(("good", "wrong"), [("1", "NA"), ("1000000000000000", "9007199254740993"), ("1", "9" * 19)])
def test_the_first_wrong_weight_of_many_is_found(bad: int, good: str, wrong: str, tmp_path: Path) -> None:
    words = [good, "0.5"] * 50_000
    words[bad] = wrong
    text = "".join(f"0,1,{word}\n" for word in words)
    with pytest.raises(ValueError, match=f"column 'weight', row {bad} "):
        reedsp.Graph.from_table(csv(tmp_path, "source,target,weight\n" + text))


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", 1], r"column 'source', row 1 = 1, expected a string as in row 0"),
        ([None, 7, "b"], r"column 'source', row 2 = 'b', expected a number as in row 1"),
        ([True, "a"], r"column 'source', row 1 = 'a', expected a truth value as in row 0"),
        ([np.True_, "a"], r"column 'source', row 1 = 'a', expected a truth value as in row 0"),
        ([1, True], r"column 'source', row 1 = True, expected a number as in row 0"),
    ],
)
@pytest.mark.parametrize("frame", [False, True])
def test_ids_of_mixed_types_are_named(ids: list[Any], message: str, frame: bool) -> None:
    table = {"source": ids, "target": list(range(len(ids)))}
    with pytest.raises(TypeError, match=f"^{message}$"):
        reedsp.Graph.from_table(pandas.DataFrame(table) if frame else table, weight=None)


def test_a_series_is_no_table() -> None:
    with pytest.raises(TypeError, match=r"^table: expected a table, got a Series; \.reset_index\(\) makes one$"):
        reedsp.Graph.from_table(pandas.Series([1, 2], name="weight"))


@pytest.mark.parametrize("name", ["names.csv", "names.csv.gz"])
def test_a_line_of_names_that_does_not_end(name: str, tmp_path: Path) -> None:
    line = b"source,target,weight"
    (tmp_path / name).write_bytes(gzip.compress(line) if name.endswith(".gz") else line)
    assert reedsp.Graph.from_table(tmp_path / name).n == 0
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(ValueError, match="Empty CSV file"):
        reedsp.Graph.from_table(tmp_path / "empty.csv")
