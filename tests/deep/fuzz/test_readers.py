"""A few thousand changed files a format, and those that readers once took in the wrong way."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.all_pairs.floyd_warshall import SPAN
from reedsp.io import readers
from tests.deep.fuzz import inputs
from tests.deep.fuzz import readers as fuzz
from tests.deep.fuzz.inputs import CHECKPOINT_SIZE, Format, journal_line
from tests.deep.fuzz.readers import FORMATS, OutOfTime

# What a reader does wrong, and what is said about it.
SPOILT: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "crashes": ("os.abort()", "the process ended with -6"),
    "hangs": ("while True: pass", ("OutOfTime", "the process ended with -9")),  # -9 if other processes keep it waiting
    "takes memory": ("bytes(2**33)", "MemoryError at the check"),
    "raises another error": ("1 / 0", "ZeroDivisionError at the check"),
    "warns": ("warnings.warn('careless')", "UserWarning: careless"),
    "does not name the file": ("raise ValueError('bad')", "ValueError at the check"),
    "reads nonsense": ("demand(False, 'nonsense')", "Failure: nonsense at the check"),
}


@pytest.mark.deep
@pytest.mark.timeout(200)
def test_changed_files_are_refused_or_read_whole(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        fuzz.__name__,
        "--count",
        "400",
        "--jobs",
        "2",
        "--seed",
        "20",
        "--save",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    for name in FORMATS:
        assert f"\n{name} " in "\n" + done.stdout
        tried, read = (int(word.replace(",", "")) for word in done.stdout.split(f"{name} ")[1].split()[:3:2])
        assert tried == 400
        assert 40 < read < 250, name


@pytest.mark.deep
@pytest.mark.parametrize("name", FORMATS)
def test_valid_files_are_valid(name: str) -> None:
    """All of them: what is changed afterwards begins as something that is read."""
    for file, content in FORMATS[name].corpus:
        if not file.endswith(".co") or name == "coordinates":
            assert fuzz.wrong_with(name, file, content) is None


def test_inputs_depend_on_seed_and_number_only() -> None:
    for name, form in FORMATS.items():
        made = [form.make(3, number, name) for number in range(40)]
        assert made == [form.make(3, number, name) for number in range(40)]
        assert made != [form.make(4, number, name) for number in range(40)]
        assert len(set(made)) > 20, name


@pytest.mark.deep
@pytest.mark.parametrize("fault", SPOILT)
def test_a_faulty_reader_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, expected = SPOILT[fault]
    scope = {**vars(fuzz), "warnings": warnings}
    exec(f"import os\ndef spoilt(path, limits, number):\n    with limits:\n        {code}", scope)
    monkeypatch.setitem(fuzz.READERS, "spoilt", scope["spoilt"])
    monkeypatch.setitem(fuzz.FORMATS, "spoilt", Format("spoilt", (("a.gr", b"x"),), lambda _, text: text))
    monkeypatch.setattr(fuzz, "_SECONDS", 2)
    wrong = fuzz.wrong_with("spoilt", "a.gr", b"x")
    assert wrong is not None
    assert wrong.startswith(expected)
    tally = fuzz.run(["spoilt"], range(3), 1, 1)["spoilt"]
    assert tally.tried == 3
    assert [(kind.startswith(expected), first) for kind, first in tally.failures.items()] == [(True, 0)]


def test_memory_that_a_small_archive_takes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is when nothing is refused for the memory that it takes."""
    rng = random.Random(1)
    monkeypatch.setattr(rng, "choice", lambda choices: choices[1])  # bytes, each of them 1
    content = inputs.small_and_large(rng, 6000, "bsr")
    assert len(content) < 2**20
    assert fuzz.wrong_with("npz", "a.npz", content) is None
    monkeypatch.setattr(readers.Text, "require", lambda *_: None)
    assert str(fuzz.wrong_with("npz", "a.npz", content)).startswith("MemoryError")


def test_failures_are_made_small() -> None:
    content = bytes(range(33, 120)) * 9
    small = fuzz.shrink(content, lambda data: b"A" in data and data.count(b"B") >= 2)
    assert sorted(small) == [ord("A"), ord("B"), ord("B")]


def test_running_out_of_time_is_no_ordinary_exception() -> None:
    assert not issubclass(OutOfTime, Exception)


# ---- what was found ---------------------------------------------------------------------------------


def archive(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def with_header(header: bytes) -> bytes:
    """Return an archive of a result whose distances have this header, with a checksum that agrees."""
    buffer = io.BytesIO(archive(pred=np.array([-9999, 0, 1]), source=0))
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr("dist.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24))
    return buffer.getvalue()


HEADER = b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n"
MATRIX = {
    **{"format": np.array(b"csr"), "shape": np.array([2, 2]), "data": np.array([1.0, 2.0])},
    **{"indices": np.array([1, 0]), "indptr": np.array([0, 1, 2])},
}
JOURNAL = journal_line(
    b'{"format": 2, "fingerprint": "x", "n": %d, "dtype": "<i8", "vertices at a time": %d}' % (CHECKPOINT_SIZE, SPAN)
)
FOUND: list[tuple[str, str, bytes]] = [
    ("result-csv", "a.csv", b"vertex,distance,predecessor\n1,0,\n2,%s,1\n3,1.5,2\n" % (b"1" * 400)),
    ("result-csv", "a.csv", b"vertex,distance,predecessor\n1,0,\n2,1e999,1\n3,2,2\n"),
    ("result-csv", "a.csv", b'vertex,distance,predecessor\n1,0,\n"2,%s,1\n' % (b"x" * 200_000)),
    ("result-npz", "a.npz", with_header(HEADER.replace(b"(3,)", b"(3,"))),
    ("result-npz", "a.npz", with_header(HEADER.replace(b"(3,)", b"(1if 1else 3,)"))),
    ("result-npz", "a.npz", with_header(HEADER.replace(b"'<i8'", b"'\\d'"))),
    ("result-npz", "a.npz", with_header(HEADER.replace(b"'<i8'", b"'<i9'"))),
    ("result-npz", "a.npz", with_header(HEADER.replace(b"(3,)", b"(1000000000000,)"))),
    ("result-npz", "a.npz", archive(levels=np.arange(3), pred=np.array([-9999, 0, 1]))),
    ("result-npz", "a.npz", archive(dist=np.zeros((2, 3)), source=np.zeros((2, 1), int))),
    ("result-npz", "a.npz", archive(dist=np.zeros((0, 3)), source=np.zeros(0, int))),
    ("result-npz", "a.npz", archive(dist=np.zeros(3), source=0, cutoff=np.array("x"))),
    ("result-npz", "a.npz", archive(dist=np.zeros(3), source=0)[:-30]),
    ("result-npy", "a.npy", b"\x93NUMPY\x01\x00\x08\x00(((((((\n"),
    ("npz", "a.npz", with_header(HEADER.replace(b"'<i8'", b"'\\d'"))),
    *(
        ("npz", "a.npz", archive(**{**MATRIX, name: MATRIX[name].astype(complex)}))
        for name in ("indices", "indptr", "data")
    ),
    *(
        ("npz", "a.npz", archive(**{**MATRIX, name: np.append(np.nan, MATRIX[name][1:])}))
        for name in ("indices", "indptr", "shape")
    ),
    ("checkpoint", "journal", journal_line(b"null")),
    ("checkpoint", "journal", journal_line(b"[" * 3000)),
    ("checkpoint", "journal", journal_line(b"\xff")),
    ("checkpoint", "journal", journal_line(b"9" * 5000)),
    ("checkpoint", "journal", JOURNAL.replace(b'"n"', b'"m"')),
    *(
        ("checkpoint", "journal", JOURNAL + journal_line(record))
        for record in (
            *(b"[0]", b"null", b'["filled", 3]', b'["filled", [-1]]', b'["filled", []]', b'["done", 4]', b'["other"]'),
            *(b'["placed"]', b'["results", "x", {"dist.npy": [0, 0]}]'),
            *(b'["pass", 0, 4, {"matrix": 0}]', b'["writing", 0, 9]', b'["written", 0, 4, []]', b'["done", "x"]'),
        )
    ),
]


@pytest.mark.parametrize(("name", "file", "content"), FOUND, ids=range(len(FOUND)))  # archives hold the time
def test_what_was_found(name: str, file: str, content: bytes) -> None:
    assert fuzz.wrong_with(name, file, content) is None


def test_memory_of_a_table_of_results_follows_its_lines(tmp_path: Path) -> None:
    """Not the vertices of the graph, times the sources that some lines name."""
    graph = reedsp.Graph.from_edges(300_000, [0], [1])
    path = tmp_path / "a.csv"
    path.write_text("source,vertex,distance,predecessor\n" + "".join(f"{v},{v},0,\n" for v in range(2000)))
    code = (
        "import sys, resource, reedsp\nfrom pathlib import Path\nfrom reedsp.results import files\n"
        "graph = reedsp.Graph.from_edges(300_000, [0], [1])\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**26,) * 2)\n"
        "try:\n    files.load(Path(sys.argv[1]), graph)\nexcept ValueError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout.startswith(f"{path}: vertex 1 is missing"), done.stderr
    assert graph.n == 300_000


def test_a_full_memory_is_no_fault_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    path = tmp_path / "a.npz"
    reedsp.write(reedsp.Graph.from_edges(2, [0], [1]), path)
    monkeypatch.setattr(readers, "check_archive", full)
    with pytest.raises(MemoryError):
        reedsp.read(path)
