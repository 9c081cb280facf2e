from __future__ import annotations

import bz2
import errno
import gzip
import io
import itertools
import lzma
import os
import random
import re
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
import scipy.sparse.csgraph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reedsp.graph.graph import Graph
from reedsp.io import archives, readers, words
from reedsp.io.readers import read
from reedsp.io.writers import write

MIB = 2**20

# ---- helpers ----------------------------------------------------------------------------------------


def put(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file, compressed as its name says."""
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    path.write_bytes(data)
    return path


def edges(graph: Graph) -> list[tuple[int, int, Any]]:
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    return list(zip(sources, graph.indices.tolist(), graph.weights.tolist(), strict=True))


def assert_same(one: Graph, other: Graph) -> None:
    assert one.weights.dtype == other.weights.dtype
    assert edges(one) == edges(other)
    assert (one.n, one.directed, one.offset, one.labels) == (other.n, other.directed, other.offset, other.labels)


def assert_fault(path: Path, line: int | None, *words: object, **options: bool) -> None:
    """Check that reading fails with a ValueError that names the place and the words."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        read(path, **options)
    assert type(caught.value) is ValueError
    message = str(caught.value)
    place = f"{path}: " if line is None else f"{path}:{line}: "
    assert message.startswith(place), f"{message!r} does not start with {place!r}"
    for word in words:
        assert str(word) in message, f"{message!r} does not contain {word!r}"


def refused(path: Path, intact: Graph) -> bool:
    """Check that a damaged file is refused with its name, or that the damage has not changed the graph."""
    try:
        graph = read(path)
    except ValueError as error:
        message = str(error)
    else:
        assert_same(graph, intact)
        return False
    assert message.startswith(f"{path}:")
    return True


def spread(text: str) -> str:
    """Put spaces before and after each line and several between the words."""
    return "".join(f"  {line.replace(' ', '   ')} \n" for line in text.splitlines())


# What may be done to any text without changing its meaning.
HARMLESS: dict[str, Callable[[str], str | bytes]] = {
    "plain": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "tabs": lambda text: text.replace(" ", "\t"),
    "spaces": spread,
    "no final newline": lambda text: text.removesuffix("\n"),
    "crlf, no final newline": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
}
# The same where a blank line has no meaning.
HARMLESS_IN_TABLES = HARMLESS | {
    "blank lines": lambda text: "\n \n" + text.replace("\n", "\n\t\n\n"),
    "blank lines at the end": lambda text: text + "\r\n\n  \n",
}

DIMACS = "c a comment\np sp 4 5\nc another\na 1 2 7\na 1 3 0\na 4 1 -3\na 1 2 5\na 2 2 9\n"
DIMACS_EDGES = [(0, 1, 5), (0, 2, 0), (1, 1, 9), (3, 0, -3)]
PACE = "c a comment\np tw 4 3\n1 2\n4 3\nc another\n2 4\n"
PACE_EDGES = [(0, 1, 1), (1, 0, 1), (1, 3, 1), (2, 3, 1), (3, 1, 1), (3, 2, 1)]
MATRIX = "%%MatrixMarket matrix coordinate integer general\n% a comment\n3 3 4\n1 2 7\n3 1 0\n1 2 5\n2 2 -4\n"
MATRIX_EDGES = [(0, 1, 5), (1, 1, -4), (2, 0, 0)]
UNWEIGHTED = "# a comment\n0 3\n3 1\n% another\n5 5\n"
UNWEIGHTED_EDGES = [(0, 3, 1), (3, 1, 1), (5, 5, 1)]
WEIGHTED = "0 3 10\n3 1 0\n# a comment\n0 3 4\n"
WEIGHTED_EDGES = [(0, 3, 4), (3, 1, 0)]
METIS = "% a comment\n4 3\n2 3\n1\n% another\n1 4\n3\n"
METIS_EDGES = [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1), (2, 3, 1), (3, 2, 1)]

# name: text, edges, vertices, directed, offset
FORMATS: dict[str, tuple[str, list[tuple[int, int, Any]], int, bool, int]] = {
    "dimacs.gr": (DIMACS, DIMACS_EDGES, 4, True, 1),
    "pace.gr": (PACE, PACE_EDGES, 4, False, 1),
    "matrix.mtx": (MATRIX, MATRIX_EDGES, 3, True, 1),
    "list.el": (UNWEIGHTED, UNWEIGHTED_EDGES, 6, True, 0),
    "list.wel": (WEIGHTED, WEIGHTED_EDGES, 4, True, 0),
    "metis.graph": (METIS, METIS_EDGES, 4, False, 1),
}


def check_format(graph: Graph, name: str) -> None:
    _, expected, n, directed, offset = FORMATS[name]
    assert edges(graph) == expected
    assert (graph.n, graph.directed, graph.offset, graph.labels) == (n, directed, offset, None)


# ---- what is read -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_with_each_compression(tmp_path: Path, name: str, suffix: str) -> None:
    check_format(read(put(tmp_path, name + suffix, FORMATS[name][0])), name)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param(name, change, id=f"{name}-{label}")
        for name in FORMATS
        for label, change in (HARMLESS if name == "metis.graph" else HARMLESS_IN_TABLES).items()
        if not (name == "matrix.mtx" and label == "spaces")  # the banner's words are separated by any blanks, too
    ]
    + [pytest.param("matrix.mtx", spread, id="matrix.mtx-spaces")],
)
def test_60_line_ends_blanks_and_comments(tmp_path: Path, name: str, change: Callable[[str], str | bytes]) -> None:
    check_format(read(put(tmp_path, name, change(FORMATS[name][0]))), name)


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 16, 64])
@pytest.mark.parametrize("name", FORMATS)
def test_text_arrives_in_pieces_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, piece: int
) -> None:
    monkeypatch.setattr(readers, "_PIECE", piece)
    monkeypatch.setattr(readers, "_PART", piece)
    monkeypatch.setattr(readers, "_HEAD", 1)
    check_format(read(put(tmp_path, name, FORMATS[name][0])), name)
    check_format(read(put(tmp_path, name + ".xz", FORMATS[name][0])), name)


def test_lines_of_too_many_words_to_parse_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_WORD_MEMORY", readers._BASE_MEMORY // 40)
    n = 100
    star = "\n".join([f"{n} {n - 1}", " ".join(map(str, range(2, n + 1))), *["1"] * (n - 1), ""])
    assert readers._adjacency_block(1, star.encode(), readers._Adjacency(n + 1, 0, False), 0) is None
    expected = [(0, v, 1) for v in range(1, n)] + [(v, 0, 1) for v in range(1, n)]
    assert edges(read(put(tmp_path, "star.graph", star))) == expected


def test_a_line_that_is_too_long_to_parse_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is one line at least, however long that is."""
    monkeypatch.setattr(readers, "_PIECE", 64)
    monkeypatch.setattr(readers, "_BASE_MEMORY", 4 * 600)
    monkeypatch.setattr(readers, "_UNDIRECTED_MEMORY", 10**6)
    n = 200
    star = "\n".join([f"{n} {n - 1}", " ".join(map(str, range(2, n + 1))), *["1"] * (n - 1), ""])
    expected = [(0, v, 1) for v in range(1, n)] + [(v, 0, 1) for v in range(1, n)]
    assert edges(read(put(tmp_path, "star.graph", star))) == expected


def test_a_file_that_takes_more_memory_than_its_size_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_BASE_MEMORY", 0)
    limit = f"more than the {readers._MEMORY * 8:,} that its size allows"
    with pytest.raises(ValueError, match=rf"a\.el: it takes [0-9,]+ bytes of memory to read, {limit}"):
        read(put(tmp_path, "a.el", "1 2\n2 3\n"))


def test_an_undirected_graph_whose_archive_has_each_edge_once(tmp_path: Path) -> None:
    """As one who writes the arrays without this package may do."""
    graph = Graph.from_edges(4, [0, 0, 2, 3], [1, 2, 1, 3], [5, 6, 7, 8], directed=False, labels=list("abcd"))
    write(graph, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as content:
        arrays = dict(content)
    upper = scipy.sparse.triu(graph.to_scipy(), format="csr")
    arrays |= {name: getattr(upper, name) for name in ("indptr", "indices", "data")}
    np.savez(tmp_path / "a.npz", **arrays)
    again = read(tmp_path / "a.npz")
    assert again == graph
    assert list(again.edges()) == list(graph.edges())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("unknown", ["graph.txt", "graph.e", "graph", "graph.1", "graph.gz", "graph.txt.xz"])
def test_unknown_names_are_sniffed(tmp_path: Path, name: str, unknown: str) -> None:
    check_format(read(put(tmp_path, unknown, FORMATS[name][0])), name)


def test_edge_lists_with_unknown_names_that_resemble_metis(tmp_path: Path) -> None:
    """METIS has as many lines as its header says, and they differ in length, or each edge is in two of them."""
    assert_fault(put(tmp_path, "a.txt", "1 2\n2 3\n3\n"), 3, "source target", "'3'")
    assert_fault(put(tmp_path, "b.txt", "5 4\n1 2\n3\n"), 3, "source target", "'3'")
    graph = read(put(tmp_path, "c.txt", "3 5\n0 1\n1 2\n2 0\n"))
    assert edges(graph) == [(0, 1, 1), (1, 2, 1), (2, 0, 1), (3, 5, 1)]


@pytest.mark.parametrize(
    ("text", "n", "m"),
    [
        ("6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n5 1\n", 6, 12),
        ("4 4\n2 4\n1 3\n2 4\n1 3\n", 4, 8),
        ("4 4\n2 4\n1 3\n2 4\n1 3\n\n", 4, 8),
        ("4 3\n2 3\n1 3\n1 2\n\n", None, None),
        ("4 3\n2 4\n1 4\n\n1 2\n", 4, 6),
        ("1 0\n\n", 1, 0),
        ("0 0\n\n", 0, 0),
        ("3 0\n\n\n\n", 3, 0),
        ("3 0 1\n\n\n\n", 3, 0),
        ("3 0 001\n\n\n\n\n", 3, 0),
    ],
)
def test_metis_in_which_each_line_has_two_numbers_or_none(
    tmp_path: Path, text: str, n: int | None, m: int | None
) -> None:
    path = put(tmp_path, "a.txt", text)
    if n is None:
        assert_fault(path, None, "an edge list or METIS: write it to a file whose name ends in .el or .graph")
        return
    graph = read(path)
    assert (graph.n, graph.m, graph.directed, graph.offset) == (n, m, False, 1)


def test_long_cycle_in_metis(tmp_path: Path) -> None:
    n = 20_000
    lines = "".join(f"{(v - 1) % n + 1} {(v + 1) % n + 1}\n" for v in range(n))
    assert not read(put(tmp_path, "a.txt", f"{n} {n}\n{lines}")).directed


@pytest.mark.parametrize(
    "text", ["3 1\n1 2\n2 3\n\n", "4 4\n2 4\n1 3\n\n2 4\n1 2\n", "0 0\n", "3 1\n\n1 2\n2 x\n", "1 2 7\n\n"]
)
def test_edge_lists_with_blank_lines(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, "a.txt", text)
    if "x" in text:
        assert_fault(path, 4, "'x'")
    else:
        assert edges(read(path)) == edges(read(put(tmp_path, "a.el", text)))
    big = "30000 1\n" + "1 2\n" * 10_000 + "\n" + "2 3\n" * 10_000
    assert read(put(tmp_path, "b.txt", big)).m == 3


def test_edge_list_cut_anywhere_is_not_taken_for_metis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "a.txt", "90 12\n13 14\n15 16\n17 18\n19 20\n")
    for size in range(1, 32):
        monkeypatch.setattr(readers, "_PIECE", size)
        monkeypatch.setattr(readers, "_HEAD", size)
        assert edges(read(path)) == [(13, 14, 1), (15, 16, 1), (17, 18, 1), (19, 20, 1), (90, 12, 1)]


def test_names_are_read_without_case(tmp_path: Path) -> None:
    path = tmp_path / "GRAPH.GR.GZ"
    path.write_bytes(gzip.compress(DIMACS.encode()))
    check_format(read(path), "dimacs.gr")


def test_path_may_be_a_string(tmp_path: Path) -> None:
    check_format(read(str(put(tmp_path, "a.gr", DIMACS))), "dimacs.gr")


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("name", ["a.gr", "a.gr.gz", "a.gr.xz"])
def test_compression_is_recognised_by_content(tmp_path: Path, compress: Callable[[bytes], bytes], name: str) -> None:
    path = tmp_path / name
    path.write_bytes(compress(DIMACS.encode()))
    check_format(read(path), "dimacs.gr")


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("padding", [b"", b"\0" * 8])
@pytest.mark.parametrize("piece", [3, 2**19])
def test_concatenated_streams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes], padding: bytes, piece: int
) -> None:
    monkeypatch.setattr(readers, "_PIECE", piece)
    text = DIMACS.encode()
    path = tmp_path / "a.gr"
    path.write_bytes(compress(text[:30]) + padding + compress(text[30:41]) + compress(text[41:]) + padding)
    check_format(read(path), "dimacs.gr")


def test_header_without_edges(tmp_path: Path) -> None:
    for name, text in [
        ("a.gr", "p sp 0 0\n"),
        ("b.gr", "p sp 3 0\n"),
        ("c.gr", "p tw 3 0"),
        ("d.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n"),
        ("e.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n"),
        ("f.mtx", "%%MatrixMarket matrix array real general\n0 0\n"),
        ("g.mtx", "%%MatrixMarket matrix array integer skew-symmetric\n0 0\n"),
        ("h.graph", "0 0\n"),
        ("i.graph", "3 0\n\n\n\n"),
        ("j.graph", "3 0 1\n\n\n\n"),
    ]:
        graph = read(put(tmp_path, name, text))
        assert graph.m == 0, name
        assert graph.n == (3 if "3" in text else 0), name


# ---- weights ----------------------------------------------------------------------------------------


def weights_of(path: Path) -> tuple[np.dtype[Any], list[Any]]:
    graph = read(path)
    return graph.weights.dtype, [weight for _, _, weight in edges(graph)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["9223372036854775807", "-9223372036854775808", "0"], [2**63 - 1, -(2**63), 0]),
        (["9007199254740993", "+5", "-0"], [2**53 + 1, 5, 0]),
        (["007", "-00000000000000000000000000012", "3"], [7, -12, 3]),
        (["999999999999999999", "1000000000000000000", "-1"], [10**18 - 1, 10**18, -1]),
    ],
)
def test_integers_stay_exact(tmp_path: Path, words: list[str], expected: list[int]) -> None:
    lines = "".join(f"{v} {v + 1} {word}\n" for v, word in enumerate(words))
    assert weights_of(put(tmp_path, "a.wel", lines)) == (np.int64, expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["0.1", "2", "-3.25"], [0.1, 2.0, -3.25]),
        (["1e3", ".5", "5."], [1000.0, 0.5, 5.0]),
        (["-0.0", "+1.5E-3", "0e-999"], [0.0, 0.0015, 0.0]),
        (["0.1", "9007199254740992", "-9223372036854775808"], [0.1, 2.0**53, -(2.0**63)]),
        (["0.30000000000000004", "1e22", "123456789012345678e-5"], [0.30000000000000004, 1e22, 1234567890123.4568]),
    ],
)
def test_one_fraction_makes_all_float64(tmp_path: Path, words: list[str], expected: list[float]) -> None:
    lines = "".join(f"{v} {v + 1} {word}\n" for v, word in enumerate(words))
    assert weights_of(put(tmp_path, "a.wel", lines)) == (np.float64, expected)


def test_fraction_in_another_block_than_the_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PIECE", 8)
    monkeypatch.setattr(readers, "_HEAD", 1)
    text = "0 1 3\n1 2 4\n2 3 0.5\n3 4 6\n"
    assert weights_of(put(tmp_path, "a.wel", text)) == (np.float64, [3.0, 4.0, 0.5, 6.0])
    for weight in (2**53 + 1, 2**63 - 1, -(2**53) - 1):
        bad = text.replace("1 2 4", f"1 2 {weight}")
        assert_fault(put(tmp_path, "b.wel", bad), 2, weight, "float64")
        assert_fault(put(tmp_path, "c.wel", bad.replace("0.5", "5") + "5 6 1e2\n"), 2, weight, "float64")


def test_integer_that_float64_cannot_hold_next_to_a_fraction(tmp_path: Path) -> None:
    for others in ("0 1 0.5\n", "0 1 5\n0 1 0.5\n", "0 1 0.5\n0 1 0.5\n", "0 1 0.5\n# a comment\n0 1 1e3\n"):
        text = others + "1 2 9007199254740993\n" + others
        line = others.count("\n") + 1
        assert_fault(put(tmp_path, "a.wel", text), line, 9007199254740993, "float64")


@pytest.mark.parametrize("other", ["1", "0.5"])
@pytest.mark.parametrize("weight", [9007199254740993, 10**20, -(10**18 + 1), 2**63, "Infinity", "inf", "+INF"])
def test_real_matrices_hold_floats_alone(tmp_path: Path, weight: int | str, other: str) -> None:
    general = "%%MatrixMarket matrix {} real general\n2 2"
    texts = [
        f"{general.format('coordinate')} 2\n1 2 {other}\n2 1 {weight}\n",
        f"{general.format('array')}\n0\n{weight}\n{other}\n0\n",
    ]
    expected = [(0, 1, float(other)), (1, 0, float(weight))]
    for text in texts:
        assert edges(read(put(tmp_path, "a.mtx", text))) == expected[: 2 - (float(weight) == np.inf)]
    skew = f"{MM} coordinate real skew-symmetric\n2 2 1\n2 1 {weight}\n"
    if float(weight) == np.inf:
        assert_fault(put(tmp_path, "b.mtx", skew), 3, "the mirrored entry -inf is no weight")


BAD_WEIGHTS = [
    "1e999", "-1e999", "nan", "NaN", "-nan", "inf", "Infinity", "0x10", "1_000", "1__0", "1.5.2", "1e", "e5", "--5",
    "+-5", "-", "+", ".", "1d5", "1,5", "\u0663", "1\u00a0", "1\x00", "99999999999999999999", "9223372036854775808",
    "-9223372036854775809", "1" + "0" * 5000, "2e5e5", "1.e+", "1-", "5-3", "5+3",
]  # fmt: skip


GOOD_FLOATS = ["inf", "Infinity", "9" * 20, "9223372036854775808", "-9223372036854775809"]
"""Weights of those that a real matrix holds."""


@pytest.mark.parametrize("weight", BAD_WEIGHTS)
def test_63_bad_weights(tmp_path: Path, weight: str) -> None:
    for other in ("1", "0.5"):
        for name, text in [
            ("a.wel", f"0 1 {other}\n1 2 {weight}\n2 3 1\n"),
            ("b.gr", f"p sp 4 2\na 1 2 {weight}\na 3 4 {other}\n"),
            ("c.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 {other}\n2 1 {weight}\n"),
            ("d.mtx", f"%%MatrixMarket matrix array real general\n2 2\n1\n{other}\n3\n{weight}\n"),
            ("e.graph", f"2 1 1\n2 {weight}\n1 {other}\n"),
        ]:
            line = {"a.wel": 2, "b.gr": 2, "c.mtx": 4, "d.mtx": 6, "e.graph": 2}[name]
            if name.endswith(".mtx") and weight in GOOD_FLOATS:
                continue
            assert_fault(put(tmp_path, name, text), line)


@pytest.mark.parametrize("weight", ["1.5", "1e3", "1.", "1" + "0" * 19])
def test_63_integer_matrix_with_another_number(tmp_path: Path, weight: str) -> None:
    for field in ("integer", "unsigned-integer"):
        text = f"%%MatrixMarket matrix coordinate {field} general\n2 2 2\n1 2 3\n2 1 {weight}\n"
        assert_fault(put(tmp_path, "a.mtx", text), 4, weight[:40])


@pytest.mark.parametrize("weight", ["1e-400", "-1E-400", "0.1e-323", f"0.{'0' * 400}1"])
@pytest.mark.parametrize("other", ["1", "0.5", "0.0"])
def test_63_weights_that_float64_makes_zero(tmp_path: Path, weight: str, other: str) -> None:
    for name, text, line in [
        ("a.wel", f"0 1 {other}\n1 2 {weight}\n2 3 1\n", 2),
        ("b.gr", f"p sp 4 2\na 1 2 {weight}\na 3 4 {other}\n", 2),
        ("c.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 {other}\n2 1 {weight}\n", 4),
        ("d.mtx", f"%%MatrixMarket matrix array real general\n2 2\n1\n{other}\n3\n{weight}\n", 6),
        ("e.graph", f"2 1 1\n2 {weight}\n1 {other}\n", 2),
    ]:
        assert_fault(put(tmp_path, name, text), line, weight[:40], "too small for float64")


def test_63_zeros_in_any_form(tmp_path: Path) -> None:
    words = ["0", "0.0", "-.0", "0e5", "00.E-400", "5e-324", "0.5"]
    graph = read(put(tmp_path, "a.wel", "".join(f"{end} 9 {word}\n" for end, word in enumerate(words))))
    assert graph.weights.tolist() == [*[0.0] * 5, 5e-324, 0.5]


# ---- edge lists -------------------------------------------------------------------------------------


def test_first_line_that_counts_the_edges_is_a_header(tmp_path: Path) -> None:
    graph = read(put(tmp_path, "a.el", "7 3\r\n0\t1\r\n1\t2\r\n4\t4\r\n"))
    assert edges(graph) == [(0, 1, 1), (1, 2, 1), (4, 4, 1)]
    assert (graph.n, graph.directed, graph.offset) == (7, True, 0)


@pytest.mark.parametrize(
    "text",
    [
        "7 2\n0 1\n1 2\n4 4\n",  # counts another number of edges
        "4 3\n0 1\n1 2\n4 4\n",  # a vertex is not below n
        "5 0\n",  # counts no edge
        "7 3 1\n0 1 1\n1 2 1\n4 4 1\n",  # has a weight
    ],
)
def test_first_line_that_is_no_header_is_an_edge(tmp_path: Path, text: str) -> None:
    pairs = sorted(tuple(map(int, line.split()[:2])) for line in text.splitlines())
    graph = read(put(tmp_path, "a.el", text))
    assert [edge[:2] for edge in edges(graph)] == pairs
    assert graph.n == max(map(max, pairs)) + 1


def test_relabel(tmp_path: Path) -> None:
    big = 10**18
    path = put(tmp_path, "a.wel", f"{big} 7 3\n7 5 4\n9223372036854775807 {big} 6\n")
    graph = read(path, relabel=True)
    assert graph.labels == (5, 7, big, 2**63 - 1)
    assert all(type(label) is int for label in graph.labels)
    assert edges(graph) == [(1, 0, 4), (2, 1, 3), (3, 2, 6)]
    assert graph.index(big) == 2
    assert (graph.n, graph.offset) == (4, 0)


def test_relabel_leaves_out_the_header(tmp_path: Path) -> None:
    graph = read(put(tmp_path, "a.el", "1000000000000 2\n0 5\n5 9\n"), relabel=True)
    assert graph.labels == (0, 5, 9)
    assert edges(graph) == [(0, 1, 1), (1, 2, 1)]


@pytest.mark.parametrize("name", ["dimacs.gr", "pace.gr", "matrix.mtx", "metis.graph"])
def test_relabel_is_for_edge_lists(tmp_path: Path, name: str) -> None:
    assert_fault(put(tmp_path, name, FORMATS[name][0]), None, "relabel", relabel=True)


@pytest.mark.parametrize("name", [2**22 + 100, 2**31 - 1, 2**31, 10**12, 2**63 - 1])
def test_sparse_numbers(tmp_path: Path, name: int) -> None:
    path = put(tmp_path, "a.el", f"# comment\n0 1\n\n1 {name}\n2 3\n")
    assert_fault(path, 4, name, "relabel=True")
    assert read(path, relabel=True).labels == (0, 1, 2, 3, name)
    assert_fault(put(tmp_path, "b.el", f"{name} 2\n0 1\n1 2\n"), 1, name)


def test_numbers_as_sparse_as_accepted(tmp_path: Path) -> None:
    last = readers._vertex_limit(10) - 1
    text = f"0 {last}\n"
    assert len(text) == 10
    graph = read(put(tmp_path, "a.el", text))
    assert graph.n == last + 1
    assert edges(graph) == [(0, last, 1)]
    assert_fault(
        put(tmp_path, "b.el", f"0 {last + 1}\n"), 1, f"vertex {last + 1} means more vertices than the {last + 1}"
    )


# ---- Matrix Market ----------------------------------------------------------------------------------

MM = "%%MatrixMarket matrix"


@pytest.mark.parametrize(
    ("text", "expected", "directed", "dtype"),
    [
        (f"{MM} coordinate real general\n2 2 2\n1 2 3\n2 1 0.5\n", [(0, 1, 3.0), (1, 0, 0.5)], True, np.float64),
        (f"{MM} coordinate double general\n2 2 1\n1 2 3\n", [(0, 1, 3.0)], True, np.float64),
        (f"{MM} coordinate real general\n2 2 1\n1 2 3\n", [(0, 1, 3.0)], True, np.float64),
        (f"{MM} coordinate unsigned-integer general\n2 2 1\n1 2 3\n", [(0, 1, 3)], True, np.int64),
        (f"{MM} coordinate pattern general\n2 2 1\n1 2\n", [(0, 1, 1)], True, np.int32),
        (f"{MM} coordinate pattern symmetric\n2 2 1\n2 1\n", [(0, 1, 1), (1, 0, 1)], False, np.int32),
        (
            f"{MM} coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 5\n",
            [(0, 0, 4), (0, 1, 5), (1, 0, 5)],
            False,
            np.int64,
        ),
        (f"{MM} coordinate integer skew-symmetric\n2 2 1\n2 1 5\n", [(0, 1, -5), (1, 0, 5)], True, np.int64),
        (f"{MM} coordinate real skew-symmetric\n2 2 1\n2 1 5\n", [(0, 1, -5.0), (1, 0, 5.0)], True, np.float64),
        (f"{MM} array integer general\n2 2\n1\n2\n0\n4\n", [(0, 0, 1), (1, 0, 2), (1, 1, 4)], True, np.int64),
        (f"{MM} array real general\n2 2\n0\n2\n\n3\n0\n", [(0, 1, 3.0), (1, 0, 2.0)], True, np.float64),
        (f"{MM} array integer symmetric\n2 2\n0\n2\n3\n", [(0, 1, 2), (1, 0, 2), (1, 1, 3)], False, np.int64),
        (
            f"{MM} array integer skew-symmetric\n3 3\n5\n0\n7\n",
            [(0, 1, -5), (1, 0, 5), (1, 2, -7), (2, 1, 7)],
            True,
            np.int64,
        ),
        (f"{MM.upper()} Coordinate INTEGER General\n2 2 1\n1 2 3\n", [(0, 1, 3)], True, np.int64),
    ],
)
def test_matrix_market_kinds(
    tmp_path: Path, text: str, expected: list[tuple[int, int, Any]], directed: bool, dtype: type
) -> None:
    graph = read(put(tmp_path, "a.mtx", text))
    assert edges(graph) == expected
    assert (graph.directed, graph.offset, graph.weights.dtype) == (directed, 1, dtype)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["integer", "real"])
@pytest.mark.parametrize("dense", [False, True])
def test_matrix_market_as_scipy_writes_it(tmp_path: Path, symmetry: str, field: str, dense: bool) -> None:
    rng = np.random.default_rng(7)
    matrix = rng.integers(-9, 10, (13, 13)) * (rng.random((13, 13)) < 0.3)
    lower = np.tril(matrix, -1)
    matrix = {"general": matrix, "symmetric": lower + lower.T, "skew-symmetric": lower - lower.T}[symmetry]
    if field == "real":
        matrix = matrix / 8
    path = tmp_path / "a.mtx"
    scipy.io.mmwrite(path, matrix if dense else scipy.sparse.coo_array(matrix), symmetry=symmetry)
    assert np.array_equal(read(path).to_scipy().toarray(), matrix)


# ---- METIS ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        ("3 2", ["2 3", "1", "1"]),
        ("3 2 0", ["2 3", "1", "1"]),
        ("3 2 000", ["2 3", "1", "1"]),
        ("3 2 0 0", ["2 3", "1", "1"]),
        ("3 2 10", ["9 2 3", "9 1", "9 1"]),
        ("3 2 10 1", ["9 2 3", "9 1", "9 1"]),
        ("3 2 010 3", ["9 9 9 2 3", "9 9 9 1", "9 9 9 1"]),
        ("3 2 100", ["9 2 3", "9 1", "9 1"]),
        ("3 2 110", ["9 9 2 3", "9 9 1", "9 9 1"]),
    ],
)
def test_metis_without_edge_weights(tmp_path: Path, header: str, lines: list[str]) -> None:
    graph = read(put(tmp_path, "a.graph", "\n".join([header, *lines, ""])))
    assert edges(graph) == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1)]


@pytest.mark.parametrize(
    ("header", "prefix"), [("3 2 1", ""), ("3 2 001", ""), ("3 2 11", "9 "), ("3 2 011 2", "9 8 "), ("3 2 111", "7 9 ")]
)
def test_metis_with_edge_weights(tmp_path: Path, header: str, prefix: str) -> None:
    lines = [prefix + rest for rest in ("2 5 3 0", "1 5", "1 0")]
    graph = read(put(tmp_path, "a.graph", "\n".join([header, *lines, ""])))
    assert edges(graph) == [(0, 1, 5), (0, 2, 0), (1, 0, 5), (2, 0, 0)]
    assert graph.weights.dtype == np.int64


def test_metis_isolated_vertices_and_parallel_edges(tmp_path: Path) -> None:
    graph = read(put(tmp_path, "a.graph", "5 3 1\n\n3 9 3 4 \n2 4 2 9 5 1\n\n3 1\n\n \n"))
    assert edges(graph) == [(1, 2, 4), (2, 1, 4), (2, 4, 1), (4, 2, 1)]
    assert graph.n == 5


def test_metis_fractional_weights(tmp_path: Path) -> None:
    graph = read(put(tmp_path, "a.graph", "3 2 1\n2 0.5 3 2\n1 0.5\n1 2\n"))
    assert edges(graph) == [(0, 1, 0.5), (0, 2, 2.0), (1, 0, 0.5), (2, 0, 2.0)]


# ---- npz --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_npz_as_scipy_writes_it(tmp_path: Path, form: str, kind: type, suffix: str) -> None:
    matrix = kind(np.array([[0, 2.5, 0], [0, 0, 3], [7, 0, 0]])).asformat(form)
    for compressed in (False, True):
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix, compressed=compressed)
        graph = read(put(tmp_path, "b.npz" + suffix, (tmp_path / "a.npz").read_bytes()))
        assert edges(graph) == [(0, 1, 2.5), (1, 2, 3.0), (2, 0, 7.0)]
        assert (graph.directed, graph.offset) == (True, 0)
    assert_same(read(put(tmp_path, "unknown", (tmp_path / "a.npz").read_bytes())), graph)


def test_npz_keeps_explicit_zeros_and_the_least_of_duplicates(tmp_path: Path) -> None:
    matrix = scipy.sparse.coo_array(([5, 0, 3], ([0, 1, 0], [1, 2, 1])), shape=(3, 3))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert edges(read(tmp_path / "a.npz")) == [(0, 1, 3), (1, 2, 0)]


def archive(folder: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "made.npz"
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def members_of(matrix: Any) -> dict[str, bytes]:
    """Return the files that save_npz puts into an archive."""
    buffer = io.BytesIO()
    scipy.sparse.save_npz(buffer, matrix)
    with zipfile.ZipFile(buffer) as file:
        return {name: file.read(name) for name in file.namelist()}


def npy(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def claim(shape: str) -> bytes:
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


TRIANGLE = scipy.sparse.csr_array(np.array([[0, 2, 0], [0, 0, 3], [7, 0, 0]]))


@pytest.mark.parametrize(
    "change",
    [
        {"data.npy": npy(np.array([2, 3, 7], dtype=object))},
        {"data.npy": npy(np.array([2, 3, 7]))[:-8]},
        {"data.npy": npy(np.array([2, 3, 7])) + b"\0" * 8},
        {"data.npy": npy(np.array([2, 3]))},
        {"data.npy": npy(np.array([2, np.nan, 7]))},
        {"data.npy": npy(np.array([2, 3, 7j]))},
        {"data.npy": npy(np.array(["a", "b", "c"]))},
        {"data.npy": claim("(1000000000000,)")},
        {"data.npy": claim("(-1, -8)")},
        {"data.npy": claim("'x'")},
        {"data.npy": b""},
        {"data.npy": b"\x80\x04N."},
        {"data.npy": b"\x93NUMPY\x09\x00" + npy(np.array([2, 3, 7]))[8:]},
        {"indices.npy": npy(np.array([1, 2, 5]))},
        {"indices.npy": npy(np.array([1, 2, -1]))},
        {"indptr.npy": npy(np.array([0, 2, 1, 3]))},
        {"indptr.npy": npy(np.array([0, 1, 2, 9]))},
        {"shape.npy": npy(np.array([3, 4]))},
        {"shape.npy": npy(np.array([3]))},
        {"shape.npy": npy(np.array([], dtype=np.int64))},
        {"shape.npy": npy(np.array([-3, -3]))},
        {"shape.npy": npy(np.array([3.5, 3.5]))},
        {"format.npy": npy(np.array(b"lil"))},
        {"format.npy": npy(np.array(5))},
        {"extra.txt": b"hello"},
    ],
)
def test_npz_faults(tmp_path: Path, change: dict[str, bytes]) -> None:
    path = archive(tmp_path, members_of(TRIANGLE) | change)
    assert_fault(path, None)


@pytest.mark.parametrize("missing", ["data.npy", "indices.npy", "indptr.npy", "shape.npy", "format.npy"])
def test_npz_without_a_member(tmp_path: Path, missing: str) -> None:
    members = members_of(TRIANGLE)
    del members[missing]
    assert_fault(archive(tmp_path, members), None)


def test_npz_never_unpickles(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "sprung",)

    trap = np.empty(3, dtype=object)
    trap[:] = Trap()
    assert_fault(archive(tmp_path, members_of(TRIANGLE) | {"data.npy": npy(trap)}), None)
    assert not (tmp_path / "sprung").exists()


def test_npz_other_compression(tmp_path: Path) -> None:
    assert_fault(archive(tmp_path, members_of(TRIANGLE), zipfile.ZIP_LZMA), None, "method")


def test_npz_damaged_anywhere(tmp_path: Path) -> None:
    content = archive(tmp_path, members_of(TRIANGLE)).read_bytes()
    intact = read(tmp_path / "made.npz")
    rng = random.Random(5)
    path = tmp_path / "damaged.npz"
    refusals = 0
    for trial in range(400):
        damaged = bytearray(content)
        if trial % 4 == 0:
            del damaged[rng.randrange(len(damaged)) :]
        else:
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        refusals += refused(path, intact)
    assert refusals > 200


# ---- faults, and the line where each is --------------------------------------------------------------

FAULTS: list[tuple[str, str, str | bytes, int | None, list[object]]] = [
    # DIMACS and PACE
    ("no header", "a.gr", "c x\na 1 2 3\n", 2, ["p sp n m", "a 1 2 3"]),
    ("only comments", "a.gr", "c x\nc y\n", 2, ["p sp n m"]),
    ("only blank lines", "a.gr", "\n\n\n", 3, ["p sp n m"]),
    ("short header", "a.gr", "p sp 2\na 1 2 3\n", 1, ["p sp 2"]),
    ("long header", "a.gr", "p aux sp co 2\nv 1 2 3\n", 1, ["p aux sp co 2"]),
    ("header without a word", "a.gr", "p 1 2 1\n1 2\n", 1, ["p 1 2 1"]),
    ("header with another word", "a.gr", "P sp 2 1\na 1 2 3\n", 1, ["P sp 2 1"]),
    ("negative n", "a.gr", "p sp -2 1\na 1 2 3\n", 1, ["-2"]),
    ("fractional m", "a.gr", "p sp 2 1.0\na 1 2 3\n", 1, ["1.0"]),
    ("second header", "a.gr", "p sp 2 1\na 1 2 3\np sp 2 1\n", 3, ["second header"]),
    ("second header", "a.gr", "p tw 2 1\n1 2\np tw 2 1\n", 3, ["second header"]),
    ("too few columns", "a.gr", "p sp 2 2\na 1 2 3\na 1 2\n", 3, ["a 1 2"]),
    ("too many columns", "a.gr", "p sp 2 2\na 1 2 3\na 1 2 3 4\n", 3, ["a 1 2 3 4"]),
    ("columns moved to the next line", "a.gr", "p sp 2 2\na 1 2\n3 a 1 2 3\n", 2, []),
    ("another tag", "a.gr", "p sp 2 2\na 1 2 3\ne 1 2 3\n", 3, ["e 1 2 3"]),
    ("longer tag", "a.gr", "p sp 2 2\naa 1 2 3\na 1 2 3\n", 2, ["aa 1 2 3"]),
    ("tag and number together", "a.gr", "p sp 2 1\na1 2 3\n", 2, []),
    ("fractional vertex", "a.gr", "p sp 2 1\na 1.0 2 3\n", 2, ["1.0"]),
    ("negative vertex", "a.gr", "p sp 2 1\na -1 2 3\n", 2, ["-1"]),
    ("signed vertex", "a.gr", "p sp 2 1\na +1 2 3\n", 2, ["+1"]),
    ("vertex with underscore", "a.gr", "p sp 20 1\na 1_1 2 3\n", 2, ["1_1"]),
    ("carriage return inside a line", "a.gr", "p sp 2 2\na 1 2 3\ra 2 1 3\n", 2, []),
    ("weights in PACE", "a.gr", "p tw 2 1\n1 2 3\n", 2, ["1 2 3"]),
    ("tags in PACE", "a.gr", "p tw 2 1\ne 1 2\n", 2, ["e 1 2"]),
    ("a flow of DIMACS", "a.gr", "p max 2 1\nn 1 s\n", 1, ["expected a header 'p sp n m'", "p max 2 1"]),
    ("colours of DIMACS", "a.gr", "p edge 2 1\ne 1 2\n", 1, ["expected a header 'p sp n m'", "p edge 2 1"]),
    ("names of columns", "a.wel", "source target weight\n0 1 2\n", 1, ["'source'", "Graph.from_table"]),
    # edge lists
    ("one column", "a.el", "# x\n5\n", 2, ["source target", "'5'"]),
    ("four columns", "a.el", "1 2 3 4\n", 1, ["1 2 3 4"]),
    ("no edge", "a.el", "# nothing\n", 1, []),
    ("another number of columns", "a.el", "0 1\n# x\n1 2 3\n", 3, ["1 2 3"]),
    ("another number of columns", "a.wel", "0 1 5\n\n1 2\n", 3, ["1 2"]),
    ("columns moved to the next line", "a.wel", "0 1 5\n0 1\n5 0 1 5\n", 2, []),
    ("a title line", "a.el", "source target\n0 1\n", 1, ["source"]),
    ("negative vertex", "a.el", "0 1\n1 -2\n", 2, ["-2"]),
    ("vertex outside int64", "a.el", "0 1\n1 9223372036854775808\n", 2, ["9223372036854775808"]),
    ("vertex of 5000 digits", "a.el", "0 1\n1 " + "1" * 5000 + "\n", 2, ["1" * 40]),
    ("comment behind an edge", "a.el", "0 1\n1 2 # x\n", 2, []),
    ("vertical tab", "a.el", "0 1\n1\v2\n\n0 1 2\n", 4, []),
    ("null byte", "a.el", b"0 1\n1 2\0\n", 2, []),
    ("another format", "a.txt", "4096\n0 10\n10 6\n", 1, ["4096"]),
    ("a text", "a.txt", "Once upon a time\nthere was a graph\n", 1, ["Once"]),
    # Matrix Market
    ("no banner", "a.mtx", "2 2 1\n1 2 3\n", 1, ["%%MatrixMarket"]),
    ("short banner", "a.mtx", f"{MM} coordinate real\n2 2 1\n1 2 3\n", 1, ["%%MatrixMarket"]),
    ("vector", "a.mtx", "%%MatrixMarket vector coordinate real general\n2 1\n1 3\n", 1, []),
    ("unknown format", "a.mtx", f"{MM} sparse real general\n2 2 1\n1 2 3\n", 1, ["sparse", "coordinate"]),
    ("unknown field", "a.mtx", f"{MM} coordinate quaternion general\n2 2 1\n1 2 3\n", 1, ["quaternion", "real"]),
    ("unknown symmetry", "a.mtx", f"{MM} coordinate real odd\n2 2 1\n1 2 3\n", 1, ["odd", "symmetric"]),
    ("complex", "a.mtx", f"{MM} coordinate complex general\n2 2 1\n1 2 3 4\n", 1, ["complex"]),
    ("hermitian", "a.mtx", f"{MM} coordinate complex hermitian\n2 2 1\n2 1 3 4\n", 1, ["complex"]),
    ("array pattern", "a.mtx", f"{MM} array pattern general\n1 1\n1\n", 1, ["pattern"]),
    ("skew pattern", "a.mtx", f"{MM} coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1, ["pattern"]),
    ("no size line", "a.mtx", f"{MM} coordinate real general\n% x\n", 2, ["size"]),
    ("short size line", "a.mtx", f"{MM} coordinate real general\n% x\n2 2\n1 2 3\n", 3, ["size", "2 2"]),
    ("long size line", "a.mtx", f"{MM} array real general\n1 1 1\n3\n", 2, ["size", "1 1 1"]),
    ("not square", "a.mtx", f"{MM} coordinate real general\n2 3 1\n1 2 3\n", 2, ["2 x 3"]),
    ("array not square", "a.mtx", f"{MM} array real general\n2 1\n1\n2\n", 2, ["2 x 1"]),
    ("value in a pattern", "a.mtx", f"{MM} coordinate pattern general\n2 2 1\n1 2 3\n", 3, ["1 2 3"]),
    ("no value", "a.mtx", f"{MM} coordinate real general\n2 2 1\n1 2\n", 3, ["1 2"]),
    ("two values in a line", "a.mtx", f"{MM} array real general\n2 2\n1 2\n3 4\n", 3, ["1 2"]),
    ("second banner", "a.mtx", f"{MM} array real general\n1 1\n1\n{MM} array real general\n1 1\n1\n", 4, []),
    ("skew diagonal", "a.mtx", f"{MM} coordinate real skew-symmetric\n2 2 2\n2 1 5\n2 2 0\n", 4, ["diagonal"]),
    (
        "skew entry without a mirror",
        "a.mtx",
        f"{MM} coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 {-(2**63)}\n",
        4,
        [2**63],
    ),
    ("skew value without a mirror", "a.mtx", f"{MM} array integer skew-symmetric\n2 2\n{-(2**63)}\n", 3, [2**63]),
    # METIS
    ("no header", "a.graph", "% x\n", 1, ["n m"]),
    ("one number", "a.graph", "3\n", 1, ["n m"]),
    ("five numbers", "a.graph", "3 2 0 0 0\n", 1, ["n m"]),
    ("header that is no number", "a.graph", "% x\n3 x\n", 2, ["'x'"]),
    ("fmt 2", "a.graph", "1 0 2\n\n", 1, ["fmt", "2"]),
    ("fmt of four digits", "a.graph", "1 0 0001\n\n", 1, ["fmt", "0001"]),
    ("ncon without vertex weights", "a.graph", "1 0 1 1\n\n", 1, ["ncon"]),
    ("vertex weights without ncon", "a.graph", "1 0 10 0\n\n", 1, ["ncon"]),
    ("huge ncon", "a.graph", "1 0 10 1000000000000\n1 2 3\n", 2, ["1000000000000"]),
    ("missing vertex weight", "a.graph", "2 0 10\n5\n\n", 3, ["weights of the vertex"]),
    ("bad vertex weight", "a.graph", "2 0 10\n5\n-5\n", 3, ["-5"]),
    ("missing edge weight", "a.graph", "2 1 1\n2 5\n1\n", 3, ["weight"]),
    ("self loop", "a.graph", "2 1\n2 1\n1\n", 2, ["vertex 1 lists itself"]),
    ("only one direction", "a.graph", "% x\n3 2\n2 3\n1\n2\n", 3, ["vertex 1 lists 3"]),
    ("only the other direction", "a.graph", "4 2\n2\n1 4\n2\n\n", 4, ["vertex 3 lists 2"]),
    ("only from the later vertex", "a.graph", "3 1\n\n1\n1\n", 3, ["vertex 2 lists 1"]),
    ("twice in one direction", "a.graph", "3 2\n2 2\n1 3\n\n", 2, ["vertex 1 lists 2"]),
    ("two weights", "a.graph", "3 2 1\n2 5\n1 5 3 4\n2 6\n", 3, ["vertex 2 lists 3 with weight 4"]),
    ("two weights", "a.graph", "3 2 1\n2 5\n1 5 3 7\n2 6\n", 4, ["vertex 3 lists 2 with weight 6"]),
]


@pytest.mark.parametrize(
    ("name", "content", "line", "words"),
    [pytest.param(*case[1:], id=f"{number}-{case[1]}-{case[0]}") for number, case in enumerate(FAULTS)],
)
def test_faults(tmp_path: Path, name: str, content: str | bytes, line: int | None, words: list[object]) -> None:
    assert_fault(put(tmp_path, name, content), line, *words)
    assert_fault(put(tmp_path, name + ".gz", content), line, *words)


@pytest.mark.parametrize("bad", [6, 4_000, 9_999, 100_000])
def test_line_number_far_down(tmp_path: Path, bad: int) -> None:
    """With comments, so that some blocks are parsed in parts."""
    lines = ["p sp 9 100000", *["a 1 2 3"] * 100_000]
    for comment in (2, 3, 9_000, 60_000):
        lines.insert(comment, "c x")
    lines[bad - 1] = "a 1 2 x"
    assert_fault(put(tmp_path, "a.gr", "\n".join(lines)), bad, "'x'")


@pytest.mark.parametrize("name", ["a.gr", "a.el", "a.wel", "a.mtx", "a.graph", "a.txt", "a"])
def test_empty_file(tmp_path: Path, name: str) -> None:
    assert_fault(put(tmp_path, name, ""), 1, "empty")
    assert_fault(put(tmp_path, name + ".gz", ""), 1, "empty")
    assert_fault(put(tmp_path, name + ".xz", ""), 1, "empty")
    assert_fault(put(tmp_path, name, b"\xef\xbb\xbf"), 1)


def test_empty_npz(tmp_path: Path) -> None:
    assert_fault(put(tmp_path, "a.npz", ""), 1, "empty")
    assert_fault(put(tmp_path, "b.npz", "hello"), None)


@pytest.mark.parametrize(
    ("form", "name"),
    [("csr", "indices"), ("csc", "indptr"), ("bsr", "indices"), ("dia", "offsets"), ("coo", "row"), ("coo", "col")],
)
def test_npz_with_places_that_are_no_integers(form: str, name: str, tmp_path: Path) -> None:
    members = members_of(scipy.sparse.coo_array(([5.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3)).asformat(form))
    places = np.load(io.BytesIO(members[f"{name}.npy"]))
    members[f"{name}.npy"] = npy(np.where(places == places.max(), np.nan, places).astype(np.float32))
    assert_fault(archive(tmp_path, members), None, f"{name}.npy", "float32", "integers")


@pytest.mark.parametrize("form", ["csc", "coo", "dia", "bsr"])
def test_npz_of_ours_in_another_form(form: str, tmp_path: Path) -> None:
    """As others may write it who add to SciPy's arrays what says how the vertices are called."""
    members = members_of(scipy.sparse.coo_array(([5.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3)).asformat(form))
    members |= {
        "directed.npy": npy(np.array(True)),
        "offset.npy": npy(np.array(1)),
        "labels.npy": npy(np.arange(7, 10)),
    }
    graph = read(archive(tmp_path, members))
    assert [each for each in edges(graph) if each[2]] == [(0, 1, 5), (1, 2, 3)]
    assert (graph.directed, graph.offset, graph.labels) == (True, 1, (7, 8, 9))


@pytest.mark.parametrize("directed", [True, False])
def test_npz_whose_offset_leaves_no_room_for_the_names(directed: bool, tmp_path: Path) -> None:
    members = members_of(TRIANGLE) | {"directed.npy": npy(np.array(directed)), "offset.npy": npy(np.array(2**63 - 1))}
    assert_fault(archive(tmp_path, members), None, "offset = 9223372036854775807: int64 does not hold the numbers of 3")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labels", [["a", "b", "a"], [7, 8, 7]])
def test_npz_with_two_vertices_of_one_name(labels: list[Any], directed: bool, tmp_path: Path) -> None:
    named = {"directed": directed, "offset": 0, "labels": labels}
    members = members_of(TRIANGLE) | {f"{name}.npy": npy(np.array(value)) for name, value in named.items()}
    assert_fault(archive(tmp_path, members), None, f"labels[2] = {labels[0]!r} is also labels[0]")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("offset", 1.9, "an integer, got float64"),
        ("offset", [1], "an integer, got int64 of shape (1,)"),
        ("directed", "False", "True or False, got <U5"),
        ("directed", 1, "True or False, got int64"),
        ("geographic", "x", "True or False, got <U1"),
    ],
)
def test_npz_with_values_of_another_kind(name: str, value: Any, expected: str, tmp_path: Path) -> None:
    named = {"directed": True, "offset": 0, name: value}
    members = members_of(TRIANGLE) | {f"{key}.npy": npy(np.array(each)) for key, each in named.items()}
    assert_fault(archive(tmp_path, members), None, f"{name}: expected {expected}")


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        (np.zeros((2, 2)), r"coordinates: expected float64 of shape (3, 2), got float64 of shape (2, 2)"),
        (np.zeros((3, 2), np.int64), "coordinates: expected float64"),
        (np.full((3, 2), np.inf), "coordinates[0, 0] is inf, expected a finite number"),
        (np.where(np.eye(3, 2), np.nan, 1), "coordinates[0, 0] is nan, expected a finite number"),
    ],
)
def test_npz_with_other_coordinates(coordinates: np.ndarray[Any, Any], message: str, tmp_path: Path) -> None:
    named = {"directed": True, "offset": 0, "coordinates": coordinates, "geographic": True}
    members = members_of(TRIANGLE) | {f"{name}.npy": npy(np.array(value)) for name, value in named.items()}
    assert_fault(archive(tmp_path, members), None, message)


@pytest.mark.parametrize("name", ["dimacs.gr", "pace.gr", "matrix.mtx", "metis.graph"])
def test_57_truncated(tmp_path: Path, name: str) -> None:
    """A text that lacks its last line, or that ends in the middle of a line, is refused at its last line."""
    text = FORMATS[name][0]
    lines = text.splitlines(keepends=True)
    assert_fault(put(tmp_path, name, "".join(lines[:-1])), len(lines) - 1)
    for cut in range(len("".join(lines[:-1])) + 1):
        with pytest.raises(ValueError, match=f"^{re.escape(str(tmp_path / name))}:[0-9]+: "):
            read(put(tmp_path, name, text[:cut]))


def test_57_truncated_gr(tmp_path: Path) -> None:
    assert_fault(put(tmp_path, "a.gr", "p sp 3 3\na 1 2 3\na 1 "), 3, "a 1")
    assert_fault(put(tmp_path, "b.gr", "p sp 3 3\na 1 2 3\na 1 3 4"), 3, "declares 3 edges", "has 2")


@pytest.mark.parametrize(
    ("name", "text", "line", "declared", "found"),
    [
        ("a.gr", "c\np sp 3 3\na 1 2 3\na 2 1 3\nc\n", 5, 3, 2),
        ("a.gr", "p sp 3 1\na 1 2 3\nc\na 2 1 3\na 2 3 3\n", 4, 1, 3),
        ("a.gr", "p sp 3 0\na 1 2 3\n", 2, 0, 1),
        ("a.gr", "p sp 3 2\n", 1, 2, 0),
        ("a.gr", "p tw 3 3\n1 2\n2 1\n", 3, 3, 2),
        ("a.gr", "p tw 3 1\n1 2\n2 1\n", 3, 1, 2),
        ("a.mtx", f"{MM} coordinate real general\n3 3 2\n1 2 3\n", 3, 2, 1),
        ("a.mtx", f"{MM} coordinate pattern general\n3 3 1\n1 2\n\n2 1\n", 5, 1, 2),
        ("a.mtx", f"{MM} array real general\n2 2\n1\n2\n3\n", 5, 4, 3),
        ("a.mtx", f"{MM} array real general\n2 2\n1\n2\n3\n4\n5\n", 7, 4, 5),
        ("a.mtx", f"{MM} array real symmetric\n2 2\n1\n2\n3\n4\n", 6, 3, 4),
        ("a.mtx", f"{MM} array real skew-symmetric\n2 2\n1\n2\n", 4, 1, 2),
        ("a.graph", "3 2\n2\n1\n", 3, 3, 2),
        ("a.graph", "3 2\n2\n1\n\n", 4, 2, 2),
        ("a.graph", "3 1\n2\n1 3\n2\n", 3, 2, 4),
        ("a.graph", "2 1\n2\n1\n\n1\n", 5, 2, "more"),
    ],
)
def test_58_counts_disagree(tmp_path: Path, name: str, text: str, line: int, declared: int, found: int | str) -> None:
    assert_fault(put(tmp_path, name, text), line, declared, found)


@pytest.mark.parametrize("bad", [b"\xff", b"\x80", b"\xc3", b"\xed\xa0\x80"])
def test_59_bytes_that_are_not_utf8(tmp_path: Path, bad: bytes) -> None:
    for name, text, line in [
        ("a.gr", b"p sp 2 1\na 1 2 3?\n", 2),
        ("b.gr", b"p sp 2 1\na 1? 2 3\n", 2),
        ("c.gr", b"p sp? 2 1\na 1 2 3\n", 1),
        ("d.gr", b"p sp 2 1\na 1 2 3\n?\n", 3),
        ("e.el", b"0 1\n1 ?2\n", 2),
        ("f.mtx", MM.encode() + b" coordinate real general\n2 2 1\n1 2 3?\n", 3),
        ("g.graph", b"2 1\n2?\n1\n", 2),
    ]:
        assert_fault(put(tmp_path, name, text.replace(b"?", bad)), line, "UTF-8")


@pytest.mark.parametrize("bad", ["é".encode("latin-1"), b"\xff\xfe", "é".encode()])
def test_59_comments_in_any_encoding(tmp_path: Path, bad: bytes) -> None:
    for name in FORMATS:
        text = FORMATS[name][0].encode()
        for comment in (b"a comment", b"another"):
            text = text.replace(comment, bad)
        check_format(read(put(tmp_path, name, text)), name)


@pytest.mark.parametrize("count", [10**12, 10**18 - 1, 10**18, 10**30])
def test_61_declared_edges(tmp_path: Path, count: int) -> None:
    for name, text, line in [
        ("a.gr", f"p sp 3 {count}\na 1 2 3\n", 2),
        ("b.gr", f"p tw 3 {count}\n1 2\n", 2),
        ("c.mtx", f"{MM} coordinate real general\n3 3 {count}\n1 2 3\n", 3),
        ("d.graph", f"3 {count}\n2\n1\n\n", 4),
    ]:
        path = put(tmp_path, name, text)
        assert_small(path, line if count < 10**18 else {"c.mtx": 2}.get(name, 1))


@pytest.mark.parametrize("count", [2**23, 2**31 - 1, 2**31, 10**12, 10**30])
def test_61_declared_vertices(tmp_path: Path, count: int) -> None:
    for name, text, line in [
        ("a.gr", f"c\np sp {count} 1\na 1 2 3\n", 2),
        ("b.gr", f"p tw {count} 1\n1 2\n", 1),
        ("c.mtx", f"{MM} coordinate real general\n%\n{count} {count} 1\n1 2 3\n", 3),
        ("d.graph", f"{count} 1\n2\n1\n", 1 if count >= 2**31 else 3),
        ("e.el", f"{count} 2\n0 1\n1 2\n", 1),
    ]:
        assert_small(put(tmp_path, name, text), line)
    for kind in ("general", "symmetric"):
        path = put(tmp_path, "f.mtx", f"{MM} array real {kind}\n{count} {count}\n1\n")
        assert_small(path, 2 if count > 10**18 else 3)


def test_61_declared_matrix(tmp_path: Path) -> None:
    for size in (2**23, 2**31 - 1, 10**12):
        empty = np.array([], dtype=np.int64)
        matrix = scipy.sparse.coo_array((empty, (empty, empty)), shape=(size, size))
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
        assert_small(tmp_path / "a.npz", None)
    members = members_of(TRIANGLE)
    for shape in ("(1000000000000,)", "(1000000, 1000000)"):
        assert_small(archive(tmp_path, members | {"indices.npy": claim(shape)}), None)


def assert_small(path: Path, line: int | None, *words: object) -> None:
    """Check that a file is refused and that little memory was used for that."""
    tracemalloc.start()
    try:
        assert_fault(path, line, *words)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.deep
def test_61_memory_follows_the_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n, m = 50_000, 100_000
    pairs = [[n, n], *(rng.integers(0, n, (m - 1, 2)) + 1).tolist()]
    arcs = "".join(f"a {u} {v} {u}\n" for u, v in pairs)
    rows = "".join(f"{u} {v} {u / 8}\n" for u, v in pairs)
    for name, text in [
        ("a.gr", f"p sp {n} {m}\n{arcs}"),
        ("b.wel", rows),
        ("c.mtx", f"{MM} coordinate real general\n{n} {n} {m}\n{rows}"),
        ("s.mtx", f"{MM} coordinate real symmetric\n{n} {n} {m}\n{rows}"),
        ("d.el", " " * 4 * MIB),
        ("e.graph", "1 1\n" + "2 " * 2 * MIB),
    ]:
        path = put(tmp_path, name, text)
        tracemalloc.start()
        try:
            if name in ("d.el", "e.graph"):
                assert_fault(path, {"d.el": 1, "e.graph": 2}[name])
            else:
                assert read(path).n == n + (name == "b.wel")
            assert tracemalloc.get_traced_memory()[1] < 4 * len(text) + 16 * MIB, name
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_62_truncated_compression(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    rng = random.Random(1)
    text = "p sp 50 100\n" + "".join(f"a {rng.randint(1, 50)} {rng.randint(1, 50)} 3\n" for _ in range(100))
    data = compress(text.encode())
    path = tmp_path / "a.gr"
    for size in range(6, len(data)):
        path.write_bytes(data[:size])
        assert_fault(path, None)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_62_damaged_compression(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    rng = random.Random(2)
    text = "p sp 50 100\n" + "".join(f"a {rng.randint(1, 50)} {rng.randint(1, 50)} 3\n" for _ in range(100))
    data = compress(text.encode())
    path = tmp_path / "a.gr"
    path.write_bytes(data)
    intact = read(path)
    refusals = 0
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        refusals += refused(path, intact)
    assert refusals > 0.9 * len(data)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("rest", [b"x", b"\0\0\0\0x", b"a 1 2 3\n"])
def test_62_rest_behind_the_compressed_data(tmp_path: Path, compress: Callable[[bytes], bytes], rest: bytes) -> None:
    path = tmp_path / "a.el"
    path.write_bytes(compress(b"0 1\n") + rest)
    assert_fault(path, None)


def test_62_the_rest_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    for rest in (b"x", b"\0\0\0\0garbage" * 99):
        path.write_bytes(lzma.compress(b"0 1\n") + rest)
        assert_fault(path, None, "there is something else behind an xz stream")
    path.write_bytes(lzma.compress(b"0 1\n") + lzma.compress(b"1 2\n")[:9])
    assert_fault(path, None, "ends in the middle of an xz stream")


@pytest.mark.parametrize("name", ["a.gr", "a.el", "a.mtx", "a.graph", "a.txt"])
@pytest.mark.parametrize("text", ["c x\rp sp 2 1\ra 1 2 7\r", "0 1\r1 2", "% x\r0 1\r"])
def test_lines_that_end_with_carriage_returns_alone(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert_fault(path, 1, "there is no line feed")


def test_62_empty_compression(tmp_path: Path) -> None:
    for magic in (b"\x1f\x8b", b"\xfd7zXZ\x00"):
        path = tmp_path / "a.gr.gz"
        path.write_bytes(magic)
        assert_fault(path, None)


def test_62_bomb(tmp_path: Path) -> None:
    path = tmp_path / "a.gr.gz"
    packer = zlib.compressobj(9, wbits=31)
    path.write_bytes(b"".join([*(packer.compress(b" " * MIB) for _ in range(200)), packer.flush()]))
    size = path.stat().st_size
    tracemalloc.start()
    try:
        assert_fault(path, None, 64 * MIB + 200 * size)
        assert tracemalloc.get_traced_memory()[1] < 2 * (64 * MIB + 200 * size) + 8 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a.el.gz", "a.el.xz"])
def test_62_limit_of_expansion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text = "0 1\n" * 100_000
    path = put(tmp_path, name, text)
    size = path.stat().st_size
    monkeypatch.setattr(readers, "EXPANSION", 0)
    monkeypatch.setattr(readers, "BASE_SIZE", len(text))
    assert read(path).m == 1
    monkeypatch.setattr(readers, "BASE_SIZE", len(text) - 1)
    assert_fault(path, None, len(text) - 1)
    monkeypatch.setattr(readers, "EXPANSION", 1)
    monkeypatch.setattr(readers, "BASE_SIZE", len(text) - size)
    assert read(path).m == 1


def test_62_bomb_in_npz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "BASE_SIZE", MIB)
    members = members_of(scipy.sparse.csr_array((4000, 4000), dtype=np.int64))
    assert read(archive(tmp_path, members)).n == 4000
    assert_small(archive(tmp_path, members | {"data.npy": npy(np.zeros(2 * MIB, dtype=np.int8))}), None, "expands")


def test_62_dictionary_that_an_xz_header_claims(tmp_path: Path) -> None:
    """The dictionary size of the first block becomes 1 GiB, with the header's checksum set right."""
    data = bytearray(lzma.compress(DIMACS.encode()))
    path = tmp_path / "a.gr"
    header = data[12 : 12 + 4 * (data[12] + 1)]
    assert header[2:4] == b"\x21\x01"  # the LZMA2 filter with one byte of properties
    header[4] = 36
    header[-4:] = struct.pack("<I", zlib.crc32(header[:-4]))
    data[12 : 12 + len(header)] = header
    path.write_bytes(data)
    assert_fault(path, None, "more memory than the 128 MiB that are allowed: compress it with a smaller dic")


@pytest.mark.parametrize("vertex", [0, 5, 10**9, 10**19, 10**30])
def test_64_vertices_outside_the_graph(tmp_path: Path, vertex: int) -> None:
    for name, text, line in [
        ("a.gr", f"p sp 4 2\na 1 2 3\na 1 {vertex} 3\n", 3),
        ("b.gr", f"p sp 4 2\na 1 2 3\na {vertex} 1 3\n", 3),
        ("c.gr", f"p tw 4 2\n1 2\n{vertex} 1\n", 3),
        ("d.mtx", f"{MM} coordinate real general\n4 4 2\n1 2 3\n1 {vertex} 3\n", 4),
        ("e.mtx", f"{MM} coordinate pattern general\n4 4 2\n1 2\n{vertex} 1\n", 4),
        ("f.graph", f"4 1\n2\n1 {vertex}\n\n\n", 3),
    ]:
        assert_fault(put(tmp_path, name, text), line, vertex, "1 .. 4")


def test_65_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.gr"):
        read(tmp_path / "absent.gr")


def test_what_is_no_path_is_named() -> None:
    with pytest.raises(TypeError, match=r"^path: expected a path, got 3$"):
        read(3)  # type: ignore[arg-type]


def test_65_directory(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
@pytest.mark.timeout(20)
def test_65_fifo(tmp_path: Path) -> None:
    path = tmp_path / "a.gr"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file") as caught:
        read(path)
    assert caught.value.errno == errno.EINVAL


def test_65_device(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        read(os.devnull)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_65_permission(tmp_path: Path) -> None:
    path = put(tmp_path, "a.gr", DIMACS)
    path.chmod(0)
    with pytest.raises(PermissionError):
        read(path)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
@pytest.mark.parametrize("name", ["a.tar", "a.gr", "a.tar.gz", "a.tgz"])
def test_tar_archive(tmp_path: Path, mode: str, name: str) -> None:
    member = put(tmp_path, "member.gr", DIMACS)
    with tarfile.open(tmp_path / name, mode) as file:  # type: ignore[call-overload]
        file.add(member, "member.gr")
    assert_fault(tmp_path / name, None, "tar", "unpack")


def test_other_compression(tmp_path: Path) -> None:
    for name in ("a.gr", "a.el", "a.mtx", "a.graph", "a.gr.bz2"):
        path = tmp_path / name
        path.write_bytes(bz2.compress(DIMACS.encode()))
        assert_fault(path, None, "this is compressed by bzip2, zstd or 7z, or more than once: decompress it first")
    for data in (gzip.compress(gzip.compress(DIMACS.encode())), gzip.compress(lzma.compress(DIMACS.encode()))):
        (tmp_path / "a.gr").write_bytes(data)
        assert_fault(tmp_path / "a.gr", None, "or more than once")


def test_edge_list_with_commas_in_a_comment(tmp_path: Path) -> None:
    for comment in ("#from,to", "\n% a;b\n#c,d", "#"):
        assert edges(read(put(tmp_path, "a.txt", f"{comment}\n0 1\n1 2\n"))) == [(0, 1, 1), (1, 2, 1)]
    assert_fault(put(tmp_path, "a.txt", "# a,b\nsource,target\n0,1\n"), None, "Graph.from_table", "ends in .csv")


FOREIGN: dict[str, tuple[str, bytes]] = {
    "a.graphml": ("GraphML", b'<?xml version="1.0"?>\n<!-- by hand -->\n<graphml xmlns="x"><graph/></graphml>\n'),
    "a.gexf": ("GEXF", b"<gexf></gexf>"),
    "a.osm": ("a road map of OpenStreetMap", b"\xef\xbb\xbf<?xml version='1.0'?>\n<osm version='0.6'>\n</osm>"),
    "a.parquet": ("Parquet", b"PAR1\x15\0"),
    "a.svg": ("XML", b"<svg/>"),
    "a.gml": ("GML", b'Creator "me"\ngraph [\n  node [ id 1 ]\n]\n'),
    "b.gml": ("GML", b"graph\n[\n]\n"),
    "a.dot": ("Graphviz's DOT", b"digraph {\n a -> b;\n}\n"),
    "b.dot": ("Graphviz's DOT", b'\nstrict graph "x"\n{\n}\n'),
    "c.dot": ("Graphviz's DOT", b"graph {\n a [label=1];\n}\n"),
    "a.geojson": ("JSON", b'{"type": "FeatureCollection"}'),
    "a.csv": ("a table with commas or semicolons", b"0,1,7\n1,2,3\n"),
    "b.csv": ("a table with commas or semicolons", b"source;target\n0;1\n"),
    "a.png": ("a binary file", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    "a.osm.pbf": ("a road map of OpenStreetMap", b"\0\0\0\r\n\tOSMHeader\x18\x7f"),
    "utf-16.txt": ("a binary file", "0 1\n".encode("utf-16")),
}


@pytest.mark.parametrize("start", [b"graph", b"strict", b"Creator", b"Creator graph ", b"<", b"a"])
@pytest.mark.parametrize("rest", [b" ", b"\n", b" \n", b"graph ", b"a"])
def test_long_files_of_no_format_are_looked_at_once(start: bytes, rest: bytes) -> None:
    """One that is looked at anew from each of its bytes on takes hours."""
    text = start + rest * 2**20
    assert all(called in ("XML", "a binary file") for beginning, called in readers._FOREIGN if beginning.match(text))


@pytest.mark.parametrize("digits", [b"1", b".1", b"1.", b"1e"])
def test_long_words_that_are_no_numbers_are_looked_at_once(tmp_path: Path, digits: bytes) -> None:
    path = tmp_path / "a.wel"
    path.write_bytes(b"0 1 2.5\n1 2 " + digits + b"1" * 2**21 + b"x\n")
    assert_fault(path, 2, "expected a number as weight, got ")


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_formats_are_called_by_their_names(name: str, tmp_path: Path) -> None:
    called, content = FOREIGN[name]
    for path, data in ((tmp_path / name, content), (tmp_path / f"{name}.gz", gzip.compress(content))):
        path.write_bytes(data)
        assert_fault(path, None, f"this seems to be {called}, which is not read; the formats are .gr, .mtx,")


# ---- one parser against the other --------------------------------------------------------------------

TABLES = {
    "dimacs": readers._Table("", first=1, last=50, comments=b"c", header=b"p", tag=b"a"),
    "pace": readers._Table("", first=1, last=50, comments=b"c", header=b"p", weighted=False),
    "pairs": readers._Table("", comments=b"#%", weighted=False),
    "triples": readers._Table("", comments=b"#%"),
    "integers": readers._Table("", first=1, last=50, integral=True),
    "values": readers._Table("", ends=0),
}
LAYOUTS = {
    "plain": readers._Adjacency(6, 0, False),
    "weighted": readers._Adjacency(6, 0, True),
    "skip": readers._Adjacency(6, 2, False),
    "skip weighted": readers._Adjacency(6, 1, True),
}
TEXT = readers.Text("name", iter([b"x"]), 1)


def compare(quick: Any, careful: Callable[[], Any]) -> bool:
    """Check that the vectorised parser declined or that both parsers agree; return whether it answered."""
    if quick is None:
        return False
    for one, other in zip(quick, careful(), strict=True):  # does not raise
        if one is None or other is None:
            assert one is other
        else:
            one, other = np.asarray(one), np.asarray(other)
            assert one.dtype.kind == other.dtype.kind
            assert one.shape == other.shape
            assert np.array_equal(one, other)
    return True


def compare_table(block: bytes, table: Any) -> bool:
    return compare(readers._table_block(7, block, table), lambda: readers._table_lines(TEXT, 7, block, table))


def compare_adjacency(block: bytes, layout: Any, vertex: int) -> bool:
    quick = readers._adjacency_block(7, block, layout, vertex)
    return compare(quick, lambda: readers._adjacency_lines(TEXT, 7, block, layout, vertex))


def random_block(rng: random.Random, table: Any, fractions: bool) -> bytes:
    """Return valid lines for a table."""
    lines = []
    for _ in range(rng.randint(1, 6)):
        words = [table.tag] if table.tag else []
        words += [
            str(rng.randint(table.first, min(table.last, 10 ** rng.randint(1, 17)))).encode() for _ in range(table.ends)
        ]
        if table.weighted:
            weight: object = rng.randint(-(10 ** rng.randint(0, 17)), 10 ** rng.randint(0, 17))
            if fractions and not table.integral:
                weight = rng.choice([repr(rng.uniform(-9, 9)), "1e3", ".5", "7.", "3", "2.5E-7"])
            words.append(str(weight).encode())
        lines.append(rng.choice([b" ", b"\t", b"  "]).join(words))
    return rng.choice([b"\n", b"\r\n"]).join(lines) + rng.choice([b"\n", b"", b" \n", b"\r\n"])


SPOIL = b"0123456789 \t\r\n-+.eE_xac#%p\v\f\0\x1f\x7f\x80\xff,n"


def spoil(rng: random.Random, block: bytes) -> bytes:
    """Change one place of a text, or a few."""
    data = bytearray(block)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        where = rng.randrange(len(data) + 1)
        action = rng.randrange(4)
        if action == 0:
            data[where:where] = bytes([rng.choice(SPOIL)])
        elif action == 1:
            del data[where : where + rng.choice([1, 1, 2, 5])]
        elif action == 2:
            data[where : where + 1] = bytes([rng.choice(SPOIL)])
        else:
            data[where:where] = rng.choice(
                [b"\n\n", b" 0", b"\nc x\n", b"\n# x\n", b"nan", b"1e999", b"0" * 20, b"9" * 19]
            )
    return bytes(data)


@pytest.mark.deep
@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_block_parser_against_line_parser(name: str, fractions: bool) -> None:
    table = TABLES[name]
    rng = random.Random(f"{name}{fractions}")
    answers = [0, 0]
    for _ in range(1000):
        block = random_block(rng, table, fractions)
        answers[0] += compare_table(block, table)
        answers[1] += compare_table(spoil(rng, block) or b"\n", table)
    assert answers[0] > (300 if fractions and table.weighted and not table.integral else 960)
    assert answers[1] > 60


WORDS = st.one_of(
    st.integers(-5, 60).map(lambda number: str(number).encode()),
    st.integers(10**15, 2**64).map(lambda number: str(number).encode()),
    st.floats().map(lambda number: repr(number).encode()),
    st.from_regex(rb"[+-]?[0-9]{0,20}[.]?[0-9]{0,3}([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.sampled_from(
        [b"a", b"c", b"p", b"#", b"%", b"aa", b"1_0", b"0x1", b"\xff", b"\0", b"", b"\v", b"\xc2\xa0", b"-"]
    ),
)
BLOCKS = st.lists(
    st.tuples(WORDS, st.sampled_from([b" ", b" ", b"\t", b"\n", b"\n", b"\r\n", b"\r", b"", b"\v", b"\n\n"])),
    min_size=1,
).map(lambda pairs: b"".join(itertools.chain.from_iterable(pairs)) or b"\n")


@pytest.mark.deep
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(block=BLOCKS, table=st.sampled_from(list(TABLES.values())))
def test_block_parser_against_line_parser_on_anything(block: bytes, table: Any) -> None:
    compare_table(block, table)


@pytest.mark.deep
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(block=BLOCKS, layout=st.sampled_from(list(LAYOUTS.values())), vertex=st.integers(0, 6))
def test_adjacency_block_parser_against_line_parser_on_anything(block: bytes, layout: Any, vertex: int) -> None:
    compare_adjacency(block, layout, vertex)


@pytest.mark.deep("weighted", "skip")
@pytest.mark.parametrize("name", LAYOUTS)
def test_adjacency_block_parser_against_line_parser(name: str) -> None:
    layout = LAYOUTS[name]
    rng = random.Random(name)
    answers = [0, 0]
    for _ in range(1000):
        vertex = rng.randint(0, 5)
        lines = []
        for own in range(vertex, rng.randint(vertex + 1, 6)):
            words = [str(rng.randint(0, 99)) for _ in range(layout.skip)]
            for target in rng.sample([v for v in range(6) if v != own], rng.randint(0, 3)):
                words += [str(target + 1), str(rng.randint(0, 99))][: 1 + layout.weighted]
            lines.append(" ".join(words).encode())
        block = b"\n".join(lines) + rng.choice([b"\n", b"\r\n", b" \n", b"" if lines[-1] else b"\n"])
        answers[0] += compare_adjacency(block, layout, vertex)
        answers[1] += compare_adjacency(spoil(rng, block) or b"\n", layout, vertex)
    assert answers[0] == 1000
    assert answers[1] > 60


def outcome(path: Path) -> tuple[Any, ...]:
    """Return what reading a file gives: the graph's content or the message of the error."""
    try:
        graph = read(path)
    except ValueError as error:
        return (str(error),)
    return graph.n, graph.directed, graph.weights.dtype, edges(graph)


@pytest.mark.deep("list.wel", "dimacs.gr", "metis.graph", "list.el")
@pytest.mark.parametrize("name", FORMATS)
def test_files_read_with_and_without_the_block_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rng = random.Random(name)
    text = FORMATS[name][0].encode()
    path = tmp_path / name
    monkeypatch.setattr(readers, "_PIECE", 16)
    monkeypatch.setattr(readers, "_HEAD", 1)
    faults = 0
    for _ in range(400):
        path.write_bytes(spoil(rng, text))
        quick = outcome(path)
        with monkeypatch.context() as patch:
            patch.setattr(readers, "_table_block", lambda *_: None)
            patch.setattr(readers, "_adjacency_block", lambda *_: None)
            assert outcome(path) == quick
        if len(quick) == 1:
            assert re.match(re.escape(str(path)) + r"(:[0-9]+)?: ", quick[0])
            faults += 1
    assert 100 < faults < 400


# ---- large files -------------------------------------------------------------------------------------


def write_dimacs(n: int, sources: Iterable[int], targets: Iterable[int], weights: Iterable[Any]) -> str:
    arcs = [f"a {u + 1} {v + 1} {w}" for u, v, w in zip(sources, targets, weights, strict=True)]
    arcs.insert(len(arcs) // 2, "c a comment in the middle")
    return "\n".join([f"p sp {n} {len(arcs) - 1}", *arcs, ""])


def test_generated_road_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid of streets with integer lengths, in several blocks of text."""
    monkeypatch.setattr(readers, "_PIECE", 2**16)
    side = 90
    vertices = np.arange(side * side).reshape(side, side)
    across = np.stack([vertices[:, :-1].ravel(), vertices[:, 1:].ravel()])
    down = np.stack([vertices[:-1].ravel(), vertices[1:].ravel()])
    sources, targets = np.concatenate([across, across[::-1], down, down[::-1]], axis=1)
    weights = np.random.default_rng(11).integers(1, 10**6, len(sources))
    text = write_dimacs(side * side, sources.tolist(), targets.tolist(), weights.tolist())
    assert len(text) > 5 * readers._PIECE
    expected = Graph.from_edges(side * side, sources, targets, weights, offset=1)
    for suffix in ("", ".gz", ".xz"):
        assert_same(read(put(tmp_path, "road.gr" + suffix, text)), expected)


def test_generated_edge_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PIECE", 2**16)
    rng = np.random.default_rng(12)
    n, m = 3_000, 20_000
    sources, targets = rng.integers(0, n, (2, m))
    targets[0] = n - 1
    for name, weights in [
        ("a.el", None),
        ("b.wel", rng.integers(-9, 10**9, m)),
        ("c.wel", rng.random(m)),
        ("d.wel", rng.random(m) * 10.0 ** rng.integers(-300, 300, m)),
        ("e.wel", rng.integers(0, 1000, m) / 4),
    ]:
        columns = [sources, targets] if weights is None else [sources, targets, weights]
        text = "".join("\t".join(map(str, row)) + "\r\n" for row in zip(*(c.tolist() for c in columns), strict=True))
        assert len(text) > 2 * readers._PIECE
        assert_same(read(put(tmp_path, name, text)), Graph.from_edges(n, sources, targets, weights))


def test_generated_metis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PIECE", 2**16)
    rng = np.random.default_rng(13)
    n, m = 5_000, 25_000
    sources, targets = rng.integers(0, n, (2, m))
    proper = sources != targets
    sources, targets = sources[proper], targets[proper]
    weights = rng.integers(0, 100, len(sources))
    for weighted in (False, True):
        lines: list[list[str]] = [[] for _ in range(n)]
        for u, v, w in zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True):
            lines[u] += [str(v + 1), str(w)] if weighted else [str(v + 1)]
            lines[v] += [str(u + 1), str(w)] if weighted else [str(u + 1)]
        text = "\n".join([f"{n} {len(sources)} {int(weighted)}", *map(" ".join, lines), ""])
        assert len(text) > readers._PIECE
        expected = Graph.from_edges(n, sources, targets, weights if weighted else None, directed=False, offset=1)
        assert_same(read(put(tmp_path, "a.graph", text)), expected)
        assert_same(read(put(tmp_path, "unknown.txt", text)), expected)
        broken = text.splitlines()
        words = broken[3_000].split()
        words[0] = str(int(words[0]) % n + 1)
        broken[3_000] = " ".join(words)
        with pytest.raises(ValueError, match=r"b\.graph:[0-9]+: vertex [0-9]+ lists"):
            read(put(tmp_path, "b.graph", "\n".join(broken) + "\n"))


# ---- real files --------------------------------------------------------------------------------------

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real graphs are not in {DATA}")


def reached(graph: Graph, source: int, unit: bool = False) -> tuple[int, float, float]:
    """Return how many vertices are reached, the sum of their distances and the largest."""
    dist = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=source, unweighted=unit)
    dist = dist[np.isfinite(dist)]
    return len(dist), dist.sum(), dist.max()


@needs_data
@pytest.mark.parametrize(
    ("name", "n", "m", "directed", "offset", "dtype"),
    [
        ("dimacs-ny/USA-road-d.NY.gr.gz", 264_346, 730_100, True, 1, np.int64),
        ("road-pace16/COL.gr.xz", 435_666, 2 * 521_200, False, 1, np.int32),
        ("ldbc-sssp-answers/dir-input.e", 11, 13, True, 0, np.float64),
        ("ldbc-sssp-answers/undir-input.e", 13, 14, True, 0, np.float64),
        ("ldbc-sssp-answers/example-directed.e", 11, 17, True, 0, np.float64),
        ("ldbc-sssp-answers/example-undirected.e", 11, 12, True, 0, np.float64),
        ("lagraph-mtx/cover.mtx.gz", 7, 12, True, 1, np.int64),
        ("lagraph-mtx/jagmesh7.mtx.gz", 1138, 7450, False, 1, np.int32),
        ("lagraph-mtx/karate.mtx.gz", 34, 156, False, 1, np.int32),
        ("lagraph-mtx/ldbc-directed-example.mtx.gz", 10, 17, True, 1, np.float64),
        ("lagraph-mtx/test_BF.mtx.gz", 7, 12, True, 1, np.float64),
        ("lagraph-mtx/test_FW_1000.mtx.gz", 1000, 3996, True, 1, np.float64),
        ("lagraph-mtx/test_FW_2003.mtx.gz", 2003, 23_973, True, 1, np.float64),
        ("lagraph-mtx/west0067.mtx.gz", 67, 294, True, 1, np.float64),
        ("snap-social/email-Enron.txt.gz", 36_692, 367_662, True, 0, np.int32),
        ("snap-social/wiki-Vote.txt.gz", 8298, 103_689, True, 0, np.int32),
        ("osm-monaco/monaco.wel.gz", 1590, 4263, True, 0, np.int64),
        ("metis-dimacs10/PGPgiantcompo.graph.gz", 10_680, 2 * 24_316, False, 1, np.int32),
    ],
)
def test_real_file(name: str, n: int, m: int, directed: bool, offset: int, dtype: type) -> None:
    graph = read(DATA / name)
    assert (graph.n, graph.m, graph.directed, graph.offset) == (n, m, directed, offset)
    assert graph.weights.dtype == dtype


@needs_data
def test_real_matrices_as_scipy_reads_them() -> None:
    for path in sorted((DATA / "lagraph-mtx").glob("*.mtx.gz")):
        ours, theirs = read(path).to_scipy(), scipy.io.mmread(path, spmatrix=False).tocsr()
        theirs.sort_indices()
        assert np.array_equal(ours.indptr, theirs.indptr), path
        assert np.array_equal(ours.indices, theirs.indices), path
        assert np.array_equal(ours.data, theirs.data), path


@needs_data
@pytest.mark.parametrize(
    ("name", "source", "unit", "expected"),
    [
        ("dimacs-ny/USA-road-d.NY.gr.gz", 0, False, (264_346, 186_686_642_878, 1_440_081)),
        ("road-pace16/COL.gr.xz", 0, True, (435_666, 163_836_166, 1081)),
        ("lagraph-mtx/test_FW_2003.mtx.gz", 0, False, (1519, 35_609, None)),
        ("snap-social/email-Enron.txt.gz", 0, True, (33_696, 146_222, None)),
        ("snap-social/wiki-Vote.txt.gz", 30, True, (2316, 6920, None)),
    ],
)
def test_real_distances(name: str, source: int, unit: bool, expected: tuple[int, int, int | None]) -> None:
    count, total, largest = reached(read(DATA / name), source, unit)
    assert (count, total) == expected[:2]
    assert expected[2] is None or largest == expected[2]


@needs_data
def test_real_web_graph_with_a_header_line(tmp_path: Path) -> None:
    packed = DATA / "snap-web-notredame" / "web-NotreDame.tar.gz"
    assert_fault(packed, None, "tar", "unpack")
    with tarfile.open(packed) as file:
        member = file.extractfile("web-NotreDame.txt")
        assert member is not None
        text = member.read()
    graph = read(put(tmp_path, "web-NotreDame.txt", text))
    assert (graph.n, graph.m) == (325_729, 1_497_134)
    assert reached(graph, 0, unit=True) == (325_729, 2_787_254, 49)


@needs_data
def test_real_files_of_other_kinds() -> None:
    assert_fault(DATA / "dimacs-ny" / "USA-road-d.NY.co.gz", 5, "p aux sp co 264346")
    for name in ("graph4096.txt.gz", "graph65536.txt.gz"):
        assert_fault(DATA / "rodinia-bfs" / name, 1, name[5:-7])
    for name in ("dir-input.v", "example-directed.v"):
        assert_fault(DATA / "ldbc-sssp-answers" / name, 1)


def test_npz_whose_rows_wrap_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy would read far behind the indices; the differences of int32 are all positive."""
    asked: list[Any] = []
    is_sorted = property(lambda matrix: bool(asked.append(matrix)), lambda *_: None)
    monkeypatch.setattr(scipy.sparse.csr_array, "has_sorted_indices", is_sorted)
    monkeypatch.setattr(scipy.sparse.csr_matrix, "has_sorted_indices", is_sorted)
    monkeypatch.setattr(readers, "_WORKING_MEMORY", 0)
    members = members_of(scipy.sparse.csr_array(np.diag([5, 6, 7, 8])))
    read(archive(tmp_path, members))
    assert asked
    asked.clear()
    wrapped = np.array([0, 2**31 - 1, -(2**31), -1, 4], np.int32)
    assert_fault(archive(tmp_path, members | {"indptr.npy": npy(wrapped)}), None)
    assert not asked


def test_npz_whose_offset_has_no_sign(tmp_path: Path) -> None:
    content = {"indices": np.array([1], np.int32), "indptr": np.array([0, 1, 1]), "format": np.array(b"csr")}
    content |= {"shape": np.array((2, 2)), "data": np.array([5]), "directed": np.array(True), "offset": np.uint8(1)}
    np.savez(tmp_path / "graph.npz", **content)
    assert read(tmp_path / "graph.npz").names == range(1, 3)


@pytest.mark.parametrize(
    ("name", "header", "line"),
    [
        ("x.wel", "", "0 1 {}.5e17\n"),
        ("x.wel", "", "0 1 +{}\n"),
        ("x.wel", "", "0 1 +{}.25\n"),
        ("x.wel", "", "0 1 {}.5\n# comment\n"),
        ("x.el", "", "{} 1\n\n % comment\n"),
        ("x.gr", "p sp 2 5000\n", "a 1 2 {}\nc comment\n"),
        ("x.mtx", f"{MM} coordinate real general\n2 2 5000\n", "1 2 +{}\n"),
        ("x.mtx", f"{MM} coordinate real general\n2 2 5000\n", "1 2 {}e17\n"),
        ("x.mtx", f"{MM} coordinate real general\n2 2 5000\n", "1 2 {}0000000000000000007\n"),
        ("x.mtx", f"{MM} coordinate real general\n2 2 5000\n", "1 2 {}.5\n\n"),
        ("x.mtx", f"{MM} array real general\n100 100\n", "inf\n+INFINITY\n"),
    ],
)
def test_common_lines_are_read_at_once(
    name: str, header: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser of single lines, which gives the same, sees none but the first."""
    path = put(tmp_path, name, header + "".join(line.format(number % 90 + 10) for number in range(5000)))
    singly, sizes = readers._table_lines, []

    def counted(text: Any, first_line: int, block: bytes, table: Any) -> Any:
        sizes.append(len(block))
        return singly(text, first_line, block, table)

    monkeypatch.setattr(readers, "_table_lines", counted)
    graph = read(path)
    assert sum(sizes) < 100
    monkeypatch.setattr(readers, "_table_block", lambda *_: None)
    assert read(path) == graph
    assert sum(sizes) > 5000


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("nan", "expected a number as weight"),
        ("-inf", "expected a number as weight"),
        ("1e999", "too large for float64"),
        ("1e-999", "too small for float64"),
        ("tiny", "expected a number as weight"),
    ],
)
def test_what_is_no_number_of_a_real_matrix(tmp_path: Path, word: str, message: str) -> None:
    assert_fault(put(tmp_path, "x.mtx", f"{MM} array real general\n2 2\ninf\n0.5\n{word}\n1\n"), 5, message)


def test_lines_behind_comments_are_named(tmp_path: Path) -> None:
    assert_fault(put(tmp_path, "x.gr", "p sp 2 1\nc\na 1 2 3\n\nc\na 1 2 4\n"), 6, "declares 1 edges")


@pytest.mark.parametrize("name", ["graph", "graph.mtx"])
def test_a_banner_with_one_percent_sign(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, name, "%MatrixMarket matrix coordinate pattern general\n3 3\n1 2\n")
    assert_fault(path, 1, "expected two percent signs before MatrixMarket, got '%MatrixMarket matrix")


def test_dimacs_in_capitals(tmp_path: Path) -> None:
    assert edges(read(put(tmp_path, "a.gr", "p SP 2 1\na 1 2 7\n"))) == [(0, 1, 7)]
    assert_fault(put(tmp_path, "b.gr", "p MAX 2 1\n1 2\n"), 1, "expected a header 'p sp n m'")


def test_a_header_before_weights_is_explained(tmp_path: Path) -> None:
    path = put(tmp_path, "a.el", "2 1\n0 1 5\n")
    assert_fault(path, 2, "expected 'source target', got '0 1 5'; line 1 has no weight, and is a header 'n m' only")


@pytest.mark.parametrize(
    ("text", "listed"), [("0 : 1 1\n1 : 0 0\n", 2), ("0 : 0 1\n1 : 0\n", 2), ("0 : 1=5 1=7\n1 : 0=5\n", 2)]
)
def test_parallel_edges_of_neighbours_are_counted(tmp_path: Path, text: str, listed: int) -> None:
    graph, count = readers.survey(put(tmp_path, "a.txt", text))
    assert (graph.directed, count) == (False, listed)


def test_a_metis_file_with_fractions_is_read_at_once() -> None:
    block = b"2 0.5 3 -7\n1 0.5\n1 -7\n"
    rows = readers._adjacency_block(2, block, readers._Adjacency(3, 0, True), 0)
    assert rows is not None
    assert rows.weights is not None
    assert (rows.targets.tolist(), rows.weights.tolist()) == ([1, 2, 0, 0], [0.5, -7, 0.5, -7])
    for wrong in (b"2 x 3 7\n", b"2.5 1 3 7\n", b"0.5 2 3 7\n"):
        assert readers._adjacency_block(2, wrong, readers._Adjacency(3, 0, True), 0) is None
