"""Files that are made to become large graphs: whatever is in them, no more memory is taken than is promised.

The promise is 64 MiB and 4 times the decompressed bytes, 6 times those of a text with an undirected graph. Here the
base is 1 MiB, and pieces are small in proportion, so that small files would break it. ``reader_memory.py`` measures
large files, and all memory of the process.
"""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse  # noqa: F401  (its code is no memory that a file takes, whichever test reads the first matrix)

from reedsp.graph import graph
from reedsp.io import readers, words, writers

BASE = 2**20
M = 100_000
DTYPES = ("|b1", "|i1", "<u4", "<f8")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise that small files can break."""
    monkeypatch.setattr(readers, "_BASE_MEMORY", BASE)
    monkeypatch.setattr(readers, "_WORKING_MEMORY", BASE // 4)
    monkeypatch.setattr(words, "_MOST_BYTES", BASE // 4)
    monkeypatch.setattr(words, "_MEMORY", BASE // 2)
    monkeypatch.setattr(readers, "_PIECE", 2**12)
    monkeypatch.setattr(readers, "_HEAD", 2**12)
    monkeypatch.setattr(graph, "_EDGES_AT_ONCE", 2**11)


def outcome(path: Path, decompressed: int, factor: int = 4, **options: bool) -> str:
    """Read a file, which must not take more than is promised, and return what came of it."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        try:
            found = f"m = {readers.read(path, **options).m}"
        except ValueError as error:
            found = str(error)
        taken = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert taken <= BASE + factor * decompressed, f"{taken:,} bytes for {decompressed:,}: {found}"
    return found


# ---- archives ---------------------------------------------------------------------------------------


def archive(path: Path, compression: int, **arrays: Any) -> int:
    """Write an archive as SciPy does, and return the bytes inside."""
    inside = 0
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, values in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(values))
            file.writestr(f"{name}.npy", buffer.getvalue())
            inside += len(buffer.getvalue())
    return inside


def values(dtype: str, zeros: bool = False) -> Any:
    numbers = np.ones(M, dtype)
    if zeros:
        numbers[:] = 0
    return numbers


def rows_of(order: str, dtype: str, form: str = "csr", index: Any = np.int32) -> dict[str, Any]:
    n = M // 10
    places = np.arange(n)[:, np.newaxis] // 2 + np.arange(10) * (n // 20)
    columns = {"ascending": places, "descending": places[:, ::-1], "parallel": 0 * places, "pairs": places // 2 * 2}
    data = values(dtype)
    if order == "missing":
        data[::2] = False if dtype == "|b1" else np.inf if dtype[1] == "f" else 0
    indices = columns.get(order, places).ravel().astype(index)
    indptr = np.arange(0, M + 1, 10, dtype=np.int32)
    return {"format": form.encode(), "shape": [n, n], "indptr": indptr, "indices": indices, "data": data}


def square(n: int) -> dict[str, Any]:
    return {"shape": [n, n]}


RANDOM = np.random.default_rng(5).integers(0, M // 10, (2, M), np.int32)
ONE_ROW = {"indptr": np.array([0, M, M], np.int32), **square(2)}
MATRICES: dict[str, Callable[[str], dict[str, Any]]] = {
    **{
        f"{form} {order}": lambda dtype, form=form, order=order: rows_of(order, dtype, form)
        for form in ("csr", "csc")
        for order in ("ascending", "descending", "parallel", "pairs", "missing")
    },
    "csr int64": lambda dtype: rows_of("descending", dtype, index=np.int64),
    "csr uint16": lambda dtype: rows_of("descending", dtype, index=np.uint16),
    "csr one row": lambda dtype: {"format": b"csr", **ONE_ROW, "indices": np.zeros(M, np.int32), "data": values(dtype)},
    "coo": lambda dtype: {
        "format": b"coo",
        **square(M // 10),
        "row": RANDOM[0],
        "col": RANDOM[1],
        "data": values(dtype),
    },
    "coo parallel": lambda dtype: {
        **{"format": b"coo", **square(2), "row": RANDOM[0] % 2, "col": RANDOM[1] % 2, "data": values(dtype)}
    },
    "coo uint8": lambda dtype: {
        **{"format": b"coo", **square(2), "row": np.zeros(M, np.uint8), "col": np.zeros(M, np.uint8)},
        "data": values(dtype),
    },
    **{
        f"bsr {'zeros' if zeros else 'ones'}": lambda dtype, zeros=zeros: {
            **{"format": b"bsr", **square(240), "indptr": np.int32([0, 1]), "indices": np.int32([0])},
            "data": values(dtype, zeros)[: 240 * 240].reshape(1, 240, 240),
        }
        for zeros in (False, True)
    },
    "bsr small blocks": lambda dtype: {
        **{"format": b"bsr", **square(M), "indptr": np.arange(M // 2 + 1, dtype=np.int32)},
        **{"indices": np.arange(M // 2, dtype=np.int32), "data": np.ones((M // 2, 2, 2), dtype)},
    },
    **{
        f"dia {'zeros' if zeros else 'ones'}": lambda dtype, zeros=zeros: {
            **{"format": b"dia", **square(M // 10), "offsets": np.arange(-5, 5, dtype=np.int32)},
            "data": values(dtype, zeros).reshape(10, -1),
        }
        for zeros in (False, True)
    },
    "dia beside": lambda dtype: {
        **{"format": b"dia", **square(3), "offsets": np.arange(M, dtype=np.int32), "data": values(dtype).reshape(-1, 1)}
    },
    "vertices": lambda dtype: {
        **{"format": b"coo", **square(2**22), "row": np.int32([]), "col": np.int32([]), "data": values(dtype)[:0]}
    },
}


@pytest.mark.deep("<f8", "<u4", "|i1")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MATRICES)
def test_61_matrices(name: str, dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    inside = archive(path, zipfile.ZIP_STORED, **MATRICES[name](dtype))
    outcome(path, max(inside, path.stat().st_size))


@pytest.mark.parametrize("labels", [None, np.int64, "U1", "U30"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", ["|i1", "<f8"])
def test_61_named_matrices(dtype: str, directed: bool, labels: Any, tmp_path: Path) -> None:
    path, arrays = tmp_path / "a.npz", rows_of("ascending", dtype)
    if labels is not None:
        arrays["labels"] = np.arange(M // 10).astype(labels)
    inside = archive(path, zipfile.ZIP_DEFLATED, **arrays, directed=directed, offset=0)
    outcome(path, inside)


def test_61_the_reason_names_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    inside = archive(path, zipfile.ZIP_DEFLATED, **MATRICES["bsr ones"]("|i1"))
    limit = f"{BASE + 4 * inside:,}"
    assert f"{path}: it takes 1," in outcome(path, inside)
    assert f"bytes of memory to read, more than the {limit} that its size allows; Graph.from_" in outcome(path, inside)


def test_what_is_as_large_in_the_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As matrices are that SciPy has written: nothing is refused because of what such a file might hold."""
    monkeypatch.setattr(readers, "_BASE_MEMORY", BASE // 2)
    matrices = {f"csr {order}": rows_of(order, dtype) for order in ("ascending", "descending") for dtype in DTYPES}
    matrices |= {f"{name} {dtype}": MATRICES[name](dtype) for name in ("coo", "bsr zeros") for dtype in DTYPES}
    matrices |= {f"{name} <f8": MATRICES[name]("<f8") for name in ("csc ascending", "bsr ones", "dia ones")}
    for name, arrays in matrices.items():
        path = tmp_path / "a.npz"
        inside = archive(path, zipfile.ZIP_DEFLATED, **arrays)
        assert outcome(path, inside).startswith("m = "), name


# ---- texts ------------------------------------------------------------------------------------------

MM = b"%%MatrixMarket matrix"
N = 240
TRIANGLE = b"".join(b"%d %d 5\n" % (row, column) for row in range(1, N) for column in range(1, row + 1))
TEXTS: dict[str, Callable[[], bytes]] = {
    "parallel.el": lambda: b"0 1\n" * M,
    "parallel.wel": lambda: b"0 1 5\n" * M,
    "fractions.wel": lambda: b"0 1 .5\n" * M,
    "comments.el": lambda: b"0 1\n#\n" * M,
    "mixed.wel": lambda: b"0 1 5\n0 1 .5\n" * (M // 2),
    "vertex.el": lambda: b"9999999 0\n",
    "vertices.gr": lambda: b"p sp 9999999 0\n",
    "comment.gr": lambda: b"p sp %d 0\n" % (M * 6) + b"c" * (8 * M) + b"\n",
    "parallel.gr": lambda: b"p sp 2 %d\n" % M + b"a 1 2 5\n" * M,
    "pace.gr": lambda: b"p tw 2 %d\n" % M + b"1 2\n" * M,
    "vertices.mtx": lambda: MM + b" coordinate pattern symmetric\n9999999 9999999 0\n",
    "general.mtx": lambda: MM + b" coordinate pattern general\n2 2 %d\n" % M + b"1 2\n" * M,
    "symmetric.mtx": lambda: MM + b" coordinate pattern symmetric\n2 2 %d\n" % M + b"2 1\n" * M,
    "weighted.mtx": lambda: MM + b" coordinate integer symmetric\n2 2 %d\n" % M + b"2 1 5\n" * M,
    "skew.mtx": lambda: MM + b" coordinate integer skew-symmetric\n2 2 %d\n" % M + b"2 1 5\n" * M,
    "real.mtx": lambda: MM + b" coordinate real general\n2 2 %d\n" % M + b"1 2 5\n" * M,
    "triangle.mtx": lambda: (
        MM + b" coordinate integer symmetric\n%d %d %d\n" % (N, N, TRIANGLE.count(b"\n")) + TRIANGLE
    ),
    **{
        f"array {field.decode()} {digit.decode()}.mtx": lambda field=field, digit=digit: (
            MM + b" array %s general\n240 240\n" % field + (digit + b"\n") * 240**2
        )
        for field in (b"integer", b"real")
        for digit in (b"0", b"1", b"-999", b"9999999999")
    },
    "array symmetric.mtx": lambda: MM + b" array integer symmetric\n240 240\n" + b"1\n" * (240 * 241 // 2),
    "array skew.mtx": lambda: MM + b" array integer skew-symmetric\n240 240\n" + b"1\n" * (240 * 239 // 2),
    "lonely.graph": lambda: b"%d 0\n" % M + b"\n" * M,
    "lonely vertices.graph": lambda: b"%d 0\n" % (8 * M) + b"\n" * (8 * M),
    "parallel.graph": lambda: b"2 %d\n" % M + b"2 " * M + b"\n" + b"1 " * M + b"\n",
    "weighted.graph": lambda: b"2 %d 1\n" % M + b"2 5 " * M + b"\n" + b"1 5 " * M + b"\n",
    "lopsided.graph": lambda: b"3 %d\n" % M + b"2 " * M + b"\n" + b"3 " * M + b"\n\n",
}
UNDIRECTED = ("pace", "symmetric", "weighted.mtx", "skew", "triangle", ".graph")


@pytest.mark.deep
@pytest.mark.parametrize("name", TEXTS)
def test_61_texts(name: str, tmp_path: Path) -> None:
    path, text = tmp_path / name, TEXTS[name]()
    path.write_bytes(text)
    outcome(path, len(text), 6 if any(word in name for word in UNDIRECTED) else 4)


@pytest.mark.deep(".graph", "5-.mtx")
@pytest.mark.parametrize("form", [".mtx", ".graph"])
@pytest.mark.parametrize("weight", [1, 5])
def test_texts_of_short_lines_with_undirected_graphs_are_read(
    form: str, weight: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a whole file of some hundred MB is, all of whose edges are different: in proportion, the base is as small."""
    monkeypatch.setattr(readers, "_BASE_MEMORY", BASE // 2)
    monkeypatch.setattr(readers, "_WORKING_MEMORY", BASE // 8)
    lower = np.tril_indices(600, -1)
    complete = graph.Graph.from_edges(1600, lower[0] + 1000, lower[1] + 1000, [weight] * len(lower[0]), directed=False)
    path = tmp_path / f"a{form}"
    writers.write(complete, path)
    assert outcome(path, path.stat().st_size, 6) == f"m = {complete.m}"


@pytest.mark.parametrize("name", ["parallel.el", "fractions.wel", "vertex.el"])
def test_61_vertices_numbered_anew(name: str, tmp_path: Path) -> None:
    path, text = tmp_path / name, TEXTS[name]()
    path.write_bytes(text)
    outcome(path, len(text), relabel=True)


def test_61_many_names(tmp_path: Path) -> None:
    path, text = tmp_path / "a.el", b"".join(b"%d %d\n" % (v, v + 1) for v in range(0, 2 * M, 2))
    path.write_bytes(text)
    outcome(path, len(text), relabel=True)
