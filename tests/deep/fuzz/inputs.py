"""Inputs for ``readers.py``: small valid files of every format, and what can be done to them.

Changes know the structure of what they change: words, numbers and lines of a text, members and headers of an archive,
records and checksums of a journal. Behind them, single bytes may be changed, too.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import lzma
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse

Change = Callable[[random.Random, bytes], bytes]
"""What makes an input of a valid file."""


@dataclass(frozen=True)
class Format:
    """What is to be read.

    Attributes
    ----------
    reader : str
        A key of ``readers.READERS``.
    corpus : tuple of (str, bytes)
        Names and contents of valid files.
    change : callable(random, content)
    """

    reader: str
    corpus: tuple[tuple[str, bytes], ...]
    change: Change

    def make(self, seed: int, number: int, name: str) -> tuple[str, bytes]:
        """Return the file name and the content of an input, always the same for the same arguments."""
        rng = random.Random(f"{seed} {name} {number}")
        file, content = rng.choice(self.corpus)
        return file, self.change(rng, content)


# ---- texts ------------------------------------------------------------------------------------------

_NUMBERS = (
    *b"0 1 2 3 5 -1 -0 +1 --1 00 007 1.0 0.5 .5 5. 1e3 1e-400 1e999 -1e999 nan NaN -nan inf -inf Infinity".split(),
    *b"0x10 1_000 1,5 1d5 2147483646 2147483647 2147483648 4294967296 999999999999 9007199254740993".split(),
    *b"999999999999999999 1000000000000000000 9223372036854775807 9223372036854775808".split(),
    *b"-9223372036854775808 -9223372036854775809 18446744073709551616 1e308 -1e308 4.9e-324".split(),
    *(b"1.7976931348623159e308", b"9" * 30, b"1" * 400, b"1" * 5000, b"0." + b"3" * 60, b"\xd9\xa3", b"\xc2\xb2"),
)
_WORDS = (
    *(b"a", b"c", b"p", b"v", b"e", b"sp", b"tw", b"aux", b"co", b"#", b"%", b"%%MatrixMarket", b"matrix", b"array"),
    *(b"coordinate", b"real", b"integer", b"pattern", b"complex", b"general", b"symmetric", b"skew-symmetric"),
    *(b"unsigned-integer", b"double", b"hermitian", b"vertex", b"distance", b"inf", b"", b"-", b'"', b",", b"001"),
    *(b"011", b"111", b"100", b"\xff", b"\xef\xbb\xbf", b"\0", b"\x1a", b"\xc3\xa9", b"\xed\xa0\x80", b"a" * 3000),
)
_SPACES = (b" ", b"\t", b"  ", b"\n", b"\r\n", b"\r", b"\v", b"\f", b"", b"\0", b"\xc2\xa0", b",", b"\x1c", b"\x85")
_BYTES = b"0123456789 \t\r\n-+.eE_xacpv#%,\"'\v\f\0\x1f\x7f\x80\xff"
_WORD = re.compile(rb"[^\s,]+")
_SPACE = re.compile(rb"[\s,]+")
_NUMBER = re.compile(rb"[0-9]+")


def _place(rng: random.Random, pattern: re.Pattern[bytes], text: bytes) -> tuple[int, int]:
    places = [match.span() for match in pattern.finditer(text[:20_000])]
    return rng.choice(places) if places else (len(text), len(text))


def _word(rng: random.Random, text: bytes) -> bytes:
    begin, end = _place(rng, _WORD, text)
    return text[:begin] + rng.choice(_NUMBERS if rng.random() < 0.7 else _WORDS) + text[end:]


def _copied_word(rng: random.Random, text: bytes) -> bytes:
    begin, end = _place(rng, _WORD, text)
    first, last = _place(rng, _WORD, text)
    return text[:begin] + text[first:last] + text[end:]


def _number(rng: random.Random, text: bytes) -> bytes:
    begin, end = _place(rng, _NUMBER, text)
    digits = text[begin:end] or b"1"
    value = int(digits[:30])
    others = (
        value + 1,
        value - 1,
        2 * value,
        -value,
        value * 10**9,
        value + 2**32,
        rng.randrange(9),
        rng.randrange(200),
    )
    return text[:begin] + b"%d" % rng.choice(others) + text[end:]


def _header(rng: random.Random, text: bytes) -> bytes:
    """Change a number of the first line that has one and is no comment."""
    for match in re.finditer(rb"(?m)^(?!%|#|c).*[0-9].*$", text[:5000]):
        begin, end = _place(rng, _WORD, match[0])
        line = match[0][:begin] + rng.choice(_NUMBERS) + match[0][end:]
        return text[: match.start()] + line + text[match.end() :]
    return text


def _space(rng: random.Random, text: bytes) -> bytes:
    begin, end = _place(rng, _SPACE, text)
    return text[:begin] + rng.choice(_SPACES) + text[end:]


def _lines(rng: random.Random, text: bytes) -> bytes:
    lines = text.split(b"\n")
    where, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(6)
    if action == 0:
        del lines[where]
    elif action == 1:
        lines.insert(other, lines[where])
    elif action == 2:
        lines[where], lines[other] = lines[other], lines[where]
    elif action == 3:
        lines[where : where + 1] *= rng.choice((2, 3, 30))
    elif action == 4:
        lines.insert(where, rng.choice((b"", b" ", b"c x", b"# x", b"% x", b"\r", b"\0", lines[where] * 20)))
    else:
        del lines[min(where, other) : max(where, other)]
    return b"\n".join(lines)


def _bytes(rng: random.Random, text: bytes) -> bytes:
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        where = rng.randrange(len(data) + 1)
        action = rng.randrange(5)
        if action == 0 and where < len(data):
            data[where] ^= 1 << rng.randrange(8)
        elif action == 1:
            data[where:where] = bytes([rng.choice(_BYTES)])
        elif action == 2:
            del data[where : where + rng.choice((1, 1, 2, 5, 40))]
        elif action == 3:
            data[where : where + 1] = bytes([rng.randrange(256)])
        else:
            data[where : where + 4] = rng.choice((b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f"))
    return bytes(data)


def _cut(rng: random.Random, text: bytes) -> bytes:
    return text[: rng.randrange(len(text) + 1)]


def _doubled(rng: random.Random, text: bytes) -> bytes:
    first, last = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return text[:last] + text[first:last] * rng.choice((1, 2, 10)) + text[last:]


def _encoded(rng: random.Random, text: bytes) -> bytes:
    action = rng.randrange(7)
    if action == 0:
        return text.replace(b"\n", b"\r\n")
    if action == 1:
        return text.replace(b"\n", b"\r")
    if action == 2:
        return text.decode("latin-1").encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037")))
    if action == 3:
        return text.replace(b" ", rng.choice(_SPACES))
    if action == 4:
        return rng.choice((b"\xef\xbb\xbf", b"\n\n", b"\0", b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\0", b"% x\n")) + text
    if action == 5:
        return text + rng.choice((b"\0" * 8, b"\n\n\n", b"\x1a", b"# x", b"\r", b" ", b"\nc", b"\n9 9 9\n"))
    return text.rstrip()


def _spliced(rng: random.Random, text: bytes) -> bytes:
    other = rng.choice(TEXTS)[1]
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


_OF_TEXT: tuple[Change, ...] = (
    *(_word, _word, _number, _number, _copied_word, _header, _space, _lines, _lines, _bytes, _cut, _doubled),
    *(_encoded, _spliced),
)


def change_text(rng: random.Random, text: bytes) -> bytes:
    """Change words, numbers, lines or bytes of a text, once or a few times."""
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3, 5))):
        text = rng.choice(_OF_TEXT)(rng, text)
    return text


def _xz(data: bytes) -> bytes:
    smallest = {
        "id": lzma.FILTER_LZMA2,
        "mode": lzma.MODE_FAST,
        "mf": lzma.MF_HC3,
        "dict_size": 4096,
    }  # which is ready at once
    return lzma.compress(data, filters=[smallest])


def _change_compressed(compress: Callable[[bytes], bytes]) -> Change:
    def change(rng: random.Random, text: bytes) -> bytes:
        if rng.random() < 0.3:
            text = change_text(rng, text)
        if rng.random() < 0.2:
            cut = rng.randrange(len(text) + 1)
            data = compress(text[:cut]) + rng.choice((b"", b"\0" * 4, b"x")) + compress(text[cut:])
        else:
            data = compress(text)
        if rng.random() < 0.7:
            data = rng.choice((_bytes, _bytes, _cut, _doubled))(rng, data)
        return data

    return change


# ---- arrays and archives of them --------------------------------------------------------------------

_DTYPES = (
    *("<i8", "<i4", "<i2", "|i1", "|u1", "<u8", "<u4", ">i8", ">i4", "<f8", "<f4", "<f2", ">f8", "<f16", "<c16", "|b1"),
    *("|O", "|S0", "|S3", "<U0", "<U3", "<M8[s]", "<m8[D]", "|V0", "|V8", "x", "", "<i9", "[('a','<i8')]", "<i8,<i8"),
)
_SHAPES = (
    *("()", "(0,)", "(1,)", "(2,)", "(3,)", "(3, 3)", "(1, 3)", "(0, 0)", "(-1,)", "(-3, -1)", "(1.0,)", "(True,)"),
    *("(3)", "3", "(1000000000000,)", "(4194304,)", "(9223372036854775808,)", "(0, 9223372036854775807)", "(1,)*9"),
    *("(1000000, 1000000)", "('x',)", "(None,)", "(3L,)", "(3,", "(2147483648, 0)", "(" + "1, " * 33 + ")"),
)
_LITERALS = (b"1if 1else 2", b"'\\d'", b"0777", b"1_", b"[" * 300, b"(" * 100, b"-" * 500 + b"1", b"9" * 5000, b"\0")


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def _headed(header: bytes, data: bytes, version: int = 1) -> bytes:
    length = len(header).to_bytes(2 if version == 1 else 4, "little") if len(header) < 65536 else b"\0\0"
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def change_npy(rng: random.Random, content: bytes) -> bytes:
    """Change the header or the numbers of an array file."""
    begin = content.find(b"\n") + 1
    header, data = content[10:begin], content[begin:]
    action = rng.randrange(9)
    if action == 0:
        header = _with(header, rb"'[<>|=]?[a-zA-Z][0-9]*'", b"'%s'" % rng.choice(_DTYPES).encode())
    elif action == 1:
        header = _with(header, rb"\([^)]*\)", rng.choice(_SHAPES).encode())
    elif action == 2:
        header = _with(header, rb"\([^)]*\)|'[^']*'|False", rng.choice(_LITERALS))
    elif action == 3:
        header = rng.choice((_bytes, _cut, _doubled))(rng, header)
    elif action == 4:
        header = header.replace(b"False", rng.choice((b"True", b"None", b"0", b"'x'")))
    elif action == 5:
        data = rng.choice((data[:-1], data[: rng.randrange(len(data) + 1)], data * 2, data + b"\0", b""))
    elif action == 6:
        array = _array(header, data)
        usable = array is not None and array.dtype.kind in "iuf" and array.ndim <= 32  # what every numpy works on
        return _npy(_changed_numbers(rng, array)) if usable else content
    elif action == 7:
        return _bytes(rng, content)
    return _headed(header, data, rng.choice((1, 1, 1, 1, 1, 2, 3, 4, 0)))


def _with(header: bytes, pattern: bytes, other: bytes) -> bytes:
    """Return the header with something else in the place of the first match."""
    match = re.search(pattern, header)
    return header if match is None else header[: match.start()] + other + header[match.end() :]


def _array(header: bytes, data: bytes) -> np.ndarray | None:
    try:
        return np.lib.format.read_array(io.BytesIO(_headed(header, data)))
    except Exception:  # the header may be spoilt already
        return None


def _changed_numbers(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """Change numbers, the type or the shape of an array."""
    values = array.copy()
    if values.size and rng.random() < 0.7:
        kind = values.dtype
        limits = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
        special = [0, 1, 2, 3, 4, 7, limits.min, limits.max, limits.max // 2]
        special += [np.nan, -np.inf] if kind.kind == "f" else []
        values.reshape(-1)[rng.randrange(values.size)] = rng.choice(special)
        return values
    action = rng.randrange(5)
    if action == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return values.astype(rng.choice(("i1", "u8", "f2", "f8", "c16", "S2", "U2", "O", "M8[s]", "b1", "g")))
    if action == 1:
        return np.atleast_1d(values)[: rng.randrange(values.size + 1)]
    if action == 2:
        return np.concatenate([np.atleast_1d(values).ravel()] * 2)
    if action == 3:
        return values.reshape(-1, 1)
    return values[..., np.newaxis] if action == 4 else values


def change_archive(rng: random.Random, content: bytes) -> bytes:
    """Change the members of an archive, and pack them again; then perhaps bytes of it."""
    if rng.random() < _SMALL_AND_LARGE:
        return small_and_large(rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        content = _repacked(rng, content)
    if rng.random() < 0.4:
        content = rng.choice((_bytes, _bytes, _bytes, _cut, _doubled))(rng, content)
    return content


@functools.lru_cache(64)
def _members(content: bytes) -> tuple[tuple[str, bytes], ...]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return tuple((name, archive.read(name)) for name in archive.namelist())


_SMALL_AND_LARGE = 0.005
"""Of the archives, so many hold a matrix that would become a graph many times as large."""


def small_and_large(rng: random.Random, side: int | None = None, form: str | None = None) -> bytes:
    """Return a small archive of a large sparse matrix: of one block, of full diagonals, or of parallel entries."""
    side = side or rng.choice((1000, 2000, 3000))
    form = form or rng.choice(("bsr", "dia", "coo", "csr", "csc"))
    count, dtype = side * side, rng.choice(("|b1", "|i1", "<f4", "<f8"))
    value = rng.choice((0, 1, 1))
    arrays: dict[str, object] = {"format": np.array(form.encode()), "shape": np.array([side, side])}
    ones, zeros = np.full(count, value, dtype), np.zeros(count, np.int32)
    if form == "bsr":
        arrays |= {"indptr": np.int32([0, 1]), "indices": np.int32([0]), "data": ones.reshape(1, side, side)}
    elif form == "dia":
        arrays |= {"offsets": np.arange(side, dtype=np.int32), "data": ones.reshape(side, side)}
    elif form == "coo":
        arrays |= {"row": zeros, "col": zeros, "data": ones}
    else:
        rows = np.array([0, *(rng.choice((count, 0)),) * (side - 1), count], np.int32)
        arrays |= {"indptr": rows, "indices": zeros, "data": ones}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _repacked(rng: random.Random, content: bytes) -> bytes:
    members = list(_members(content))
    where = rng.randrange(len(members))
    name, data = members[where]
    action = rng.randrange(10)
    if action == 0:
        del members[where]
    elif action == 1:
        members[where] = name, rng.choice(members)[1]
    elif action == 2:
        members.append((rng.choice((name, "labels.npy", "x", "data", "../x.npy", "blocksize.npy", "cutoff.npy")), data))
    elif action == 3:
        members[where] = name, rng.choice((b"", b"x", b"\x80\x04N.", b"PK\x03\x04", b"\x93NUMPY", data[:9]))
    else:
        members[where] = name, change_npy(rng, data)
    methods = (zipfile.ZIP_STORED,) * 6 + (zipfile.ZIP_DEFLATED,) * 3 + (zipfile.ZIP_BZIP2,)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that occurs twice
        with zipfile.ZipFile(buffer, "w", rng.choice(methods)) as archive:
            for member, inside in members:
                archive.writestr(zipfile.ZipInfo(member), inside, archive.compression)
    return buffer.getvalue()


# ---- journals ---------------------------------------------------------------------------------------

_VALUES = (
    *b'0 1 2 3 7 8 -1 1.5 NaN Infinity null true "x" [] {} [0] [[0]] {"matrix":1} {"..":0} 1000000000000'.split(),
    *b'9223372036854775808 1e999 "pass" "done" "filled" "writing" "written" "\\ud800" 4294967295 "matrix"'.split(),
    *b'"results" "placed" "dist.npy" {"dist.npy":[0,0]} {"pred.npy":[0,0]}'.split(),
    *(b"9" * 5000, b"[" * 2000),
)


def change_journal(rng: random.Random, content: bytes) -> bytes:
    """Change records of a checkpoint's journal, mostly with checksums that agree."""
    lines = [line.partition(b" ")[2] for line in content.split(b"\n")[:-1]]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        where = rng.randrange(len(lines)) if lines else 0
        action = rng.randrange(8)
        if not lines or action == 0:
            lines.insert(where, rng.choice(_VALUES))
        elif action == 1:
            del lines[where]
        elif action == 2:
            lines.insert(rng.randrange(len(lines) + 1), lines[where])
        elif action == 3:
            lines[where] = _bytes(rng, lines[where]).replace(b"\n", b"")
        else:
            begin, end = _place(rng, re.compile(rb'[0-9]+|"[^"]*"|\[[^][]*\]'), lines[where])
            lines[where] = lines[where][:begin] + rng.choice(_VALUES) + lines[where][end:]
    content = b"".join(journal_line(line) for line in lines)
    return rng.choice((_bytes, _cut))(rng, content) if rng.random() < 0.15 else content


def journal_line(text: bytes) -> bytes:
    """Return a line of a journal with its checksum."""
    return b"%08x %s\n" % (zlib.crc32(text), text)


# ---- valid files ------------------------------------------------------------------------------------

_MM = b"%%MatrixMarket matrix "
DIMACS = (
    ("a.gr", b"c a comment\np sp 4 5\nc another\na 1 2 7\na 1 3 0\na 4 1 -3\na 1 2 5\na 2 2 9\n"),
    ("b.gr", b"p sp 6 7\na 1 2 0.5\na 2 3 12\na 3 4 1e3\na 4 5 9\na 5 6 1\na 6 1 2\na 3 1 7\n"),
    ("c.gr", b"p sp 3 0\n"),
    ("d.gr", b"p sp 99 30\n" + b"".join(b"a %d %d %d\n" % (v, 99 - v, v * v) for v in range(1, 31))),
)
PACE = (("a.gr", b"c x\np tw 5 5\n1 2\n4 3\nc another\n2 4\n5 1\n5 2\n"), ("b.gr", b"p edge 2 1\n1 2\n"))
MATRIX_MARKET = (
    ("a.mtx", _MM + b"coordinate integer general\n% x\n3 3 4\n1 2 7\n3 1 0\n1 2 5\n2 2 -4\n"),
    ("b.mtx", _MM + b"coordinate real symmetric\n4 4 4\n2 1 0.5\n3 1 2\n4 4 1e3\n4 2 .25\n"),
    ("c.mtx", _MM + b"coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n"),
    ("d.mtx", _MM + b"coordinate integer skew-symmetric\n4 4 3\n2 1 5\n3 1 -6\n4 3 7\n"),
    ("e.mtx", _MM + b"array real general\n3 3\n0\n2\n1\n\n3\n0\n5\n1.5\n4\n0\n"),
    ("f.mtx", _MM + b"array integer symmetric\n3 3\n0\n2\n3\n1\n0\n8\n"),
    ("g.mtx", _MM + b"array integer skew-symmetric\n3 3\n5\n0\n7\n"),
    ("h.mtx", _MM + b"array integer general\n0 0\n"),
)
UNWEIGHTED = (
    ("a.el", b"# a comment\n0 3\n3 1\n% another\n5 5\n"),
    ("b.el", b"9 4\n0 1\n1 2\n2 3\n3 0\n"),
    ("c.el", b"".join(b"%d\t%d\r\n" % (v, v * v % 29) for v in range(29))),
)
WEIGHTED = (
    ("a.wel", b"0 3 10\n3 1 0\n# a comment\n0 3 4\n"),
    ("b.wel", b"0 1 .5\n1 2 -3\n2 0 1e-3\n1 1 7\n"),
    ("c.wel", b"0 1 9007199254740993\n1 0 -9223372036854775808\n"),
)
METIS = (
    ("a.graph", b"% a comment\n4 3\n2 3\n1\n% another\n1 4\n3\n"),
    ("b.graph", b"5 3 1\n\n3 9 3 4 \n2 4 2 9 5 1\n\n3 1\n"),
    ("c.graph", b"3 2 011 2\n9 8 2 5 3 0\n9 8 1 5\n9 8 1 0\n"),
    ("d.graph", b"3 2 110\n9 9 2 3\n9 9 1\n9 9 1\n"),
    ("e.graph", b"20 20\n" + b"".join(b"%d %d\n" % ((v - 1) % 20 + 1, (v + 1) % 20 + 1) for v in range(20))),
    ("f.graph", b"3 2 1\n2 0.5 3 2\n1 0.5\n1 2\n"),
    ("g.graph", b"0 0\n"),
)
COORDINATES = (
    ("a.co", b"c x\np aux sp co 3\nc\nv 2 -5 7\nv 1 0 1\nv 3 12 -9\n"),
    ("b.co", b"p aux sp co 2\nv 1 0.5 1e3\nv 2 -73530767 41085396\n"),
    ("c.co", b"p aux sp co 0\n"),
)
TEXTS = DIMACS + PACE + MATRIX_MARKET + UNWEIGHTED + WEIGHTED + METIS + COORDINATES


def _sparse_archives() -> tuple[tuple[str, bytes], ...]:
    dense = np.array([[0, 2.5, 0, 0], [0, 0, 3, 1], [7, 0, 0, 0], [0, 0, 0, 5]])
    found = []
    for form in ("csr", "csc", "coo", "bsr", "dia"):
        for kind in (np.float64, np.int32):
            buffer = io.BytesIO()
            matrix = scipy.sparse.coo_array(dense.astype(kind)).asformat(form)
            scipy.sparse.save_npz(buffer, matrix, compressed=kind is np.int32)
            found.append((f"{form}.npz", buffer.getvalue()))
    for labels in (None, ["a", "bb", "c"], [5, 7, 9]):
        found.append(("named.npz", _archive(**_csr(labels))))
    return tuple(found)


def _csr(labels: list[object] | None) -> dict[str, object]:
    arrays = {"indices": np.array([1, 0, 2, 1], np.int32), "indptr": np.array([0, 1, 3, 4]), "format": np.array(b"csr")}
    arrays |= {"shape": np.array((3, 3)), "data": np.array([5, 5, 6, 6]), "_is_array": np.array(True)}
    arrays |= {"directed": np.array(False), "offset": np.array(1)}
    return arrays if labels is None else {**arrays, "labels": np.array(labels)}


def _archive(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


# Results are those of the graph of three vertices in ``readers.py``, whose vertices count from 1.
_DIST, _PRED = np.array([[0, 5, 11], [5, 0, 6], [11, 6, 0]]), np.array([[-9999, 0, 1], [1, -9999, 1], [1, 2, -9999]])
RESULT_TABLES = (
    ("a.csv", b"vertex,distance,predecessor\n1,0,\n2,5,1\n3,11,2\n"),
    ("b.csv", b"source,vertex,distance,predecessor\n1,1,0,\n1,2,5.5,1\n1,3,inf,\n3,1,11,2\n3,2,6,3\n3,3,0,\n"),
    ("c.csv", b"vertex,level,predecessor\n1,0,\n2,1,1\n3,2,2\n"),
    ("d.csv", b'vertex,distance,predecessor,nearest\n1,0,,1\n"2",-inf,1,1\n3,0,,3\n'),
)
RESULT_ARCHIVES = (
    ("a.npz", _archive(dist=_DIST[0], pred=_PRED[0], source=0, offset=1, target=2, path=np.array([0, 1, 2]))),
    ("b.npz", _archive(dist=_DIST[:2] * 0.5, pred=_PRED[:2], source=np.array([0, 1]), offset=1, cutoff=7.5)),
    ("c.npz", _archive(levels=np.array([0, 1, 2]), pred=_PRED[0], source=0, offset=1)),
    ("d.npz", _archive(dist=_DIST.astype(np.uint16), pred=_PRED, offset=1, labels=np.array(["a", "b", "c"]))),
    ("e.npz", _archive(dist=_DIST[0], pred=_PRED[0], source=np.array([0, 2]), nearest=np.array([0, 0, 2]), offset=1)),
)
RESULT_MATRICES = (("a.npy", _npy(_DIST)), ("b.npy", _npy(_DIST.astype(np.float32))), ("c.npy", _npy(_DIST.T)))

CHECKPOINT_SIZE = 4
"""Rows of the matrix of the checkpoint whose journals these are; see ``readers.py`` for its other files."""
CHECKPOINT_FILE = bytes(CHECKPOINT_SIZE * CHECKPOINT_SIZE * 8)
_RECORDS: tuple[object, ...] = (
    {"format": 2, "fingerprint": "x", "n": CHECKPOINT_SIZE, "dtype": "<i8", "vertices at a time": None},
    ["filled", [zlib.crc32(CHECKPOINT_FILE)]],
    ["pass", 0, CHECKPOINT_SIZE, dict.fromkeys(("panels", "rows", "columns"), zlib.crc32(CHECKPOINT_FILE))],
    ["writing", 0, CHECKPOINT_SIZE],
    ["written", 0, CHECKPOINT_SIZE, [zlib.crc32(CHECKPOINT_FILE)]],
    ["done", CHECKPOINT_SIZE],
    ["results", "x", {"dist.npy": [0, 0], "pred.npy": [0, 0]}],
    ["placed"],
)


def _journals(span: int) -> tuple[tuple[str, bytes], ...]:
    assert isinstance(_RECORDS[0], dict)
    records = ({**_RECORDS[0], "vertices at a time": span}, *_RECORDS[1:])
    lines = [journal_line(json.dumps(each).encode()) for each in records]
    return tuple((f"{count}", b"".join(lines[:count])) for count in range(1, len(lines) + 1))


def formats(span: int) -> Mapping[str, Format]:
    """Return every format by its name.

    Parameters
    ----------
    span : int
        ``reedsp.algorithms.all_pairs.floyd_warshall.SPAN``, which journals contain.
    """
    archives = _sparse_archives()
    unnamed = tuple(("unknown", content) for _, content in TEXTS + archives)
    return {
        "dimacs": Format("graph", DIMACS, change_text),
        "pace": Format("graph", PACE, change_text),
        "matrix-market": Format("graph", MATRIX_MARKET, change_text),
        "edge-list": Format("graph", UNWEIGHTED + WEIGHTED, change_text),
        "relabelled": Format("relabelled graph", UNWEIGHTED + WEIGHTED, change_text),
        "metis": Format("graph", METIS, change_text),
        "unnamed": Format("graph", unnamed, change_text),
        "gzip": Format("graph", TEXTS, _change_compressed(lambda data: gzip.compress(data, 1, mtime=0))),
        "xz": Format("graph", TEXTS, _change_compressed(_xz)),
        "npz": Format("graph", archives, change_archive),
        "coordinates": Format("coordinates", COORDINATES, change_text),
        "result-csv": Format("result", RESULT_TABLES, change_text),
        "result-npz": Format("result", RESULT_ARCHIVES, change_archive),
        "result-npy": Format("result", RESULT_MATRICES, change_npy),
        "checkpoint": Format("checkpoint", _journals(span), change_journal),
    }
