"""Errors that nothing else in the tests runs into: of failing machines, damaged files, and rounding."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.sparse
import typer

import reedsp
from reedsp.algorithms.all_pairs import floyd_warshall
from reedsp.algorithms.all_pairs.out_of_core import checkpoint
from reedsp.algorithms.all_pairs.out_of_core.solve import solve_matrix
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.single_source import (
    bellman_ford_groups,
    input_parallel,
    near_far,
    outcome,
    output_parallel,
    sssp,
)
from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cli import command, doctor, machine
from reedsp.device import arrays as device_arrays
from reedsp.device import build, compiler_child, errors, kernel_cache
from reedsp.device import job as job_module
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.job import Job
from reedsp.graph import graph as graph_module
from reedsp.minplus import tilings, tune
from reedsp.networkx_backend.functions import backend
from reedsp.results import certificate, files
from reedsp.results.files import Stored
from reedsp.system.files import cache_folders
from tests.deep import raises

FLOAT32 = Weights(np.dtype(np.float32), np.inf, np.inf)
SMALL = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 2])


# ---- the list of what is not reached -----------------------------------------------------------------


def test_raise_statements_that_were_not_run_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def f(x):\n    if x:\n        raise ValueError(\n            x\n        )\n    raise\n"
    (tmp_path / "module.py").write_text(code)
    monkeypatch.setattr(raises, "PACKAGE", tmp_path)
    first, last = ("module.py", 3, "raise ValueError("), ("module.py", 6, "raise")
    assert list(raises.missed({})) == [first, last]
    assert list(raises.missed({"module.py": {1, 4}})) == [last]
    monkeypatch.setattr(raises, "UNREACHABLE", {("module.py", "raise"): "why"})
    assert list(raises.missed({"other.py": {3}})) == [first]


def test_what_counts_as_unreachable_exists() -> None:
    for file, line in raises.UNREACHABLE:
        assert [each.strip() for each in (raises.PACKAGE / file).read_text().splitlines()].count(line) == 1


# ---- rounding ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "module"),
    [("output-parallel", output_parallel), ("input-parallel", input_parallel), ("bellman-ford", bellman_ford_groups)],
)
def test_rounding_lowers_weights_for_ever(
    method: str, module: Any, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn of a cycle of weight 0.3 loses 2. Found in the predecessors or not, it is solved in whole numbers."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 1], [1e16, 0.9, 0.9, -1.5])
    reedsp.sssp(graph, 0, method, device=device)  # what is tried at first use is right
    monkeypatch.setattr(module, "look_for_cycle", lambda *arguments: None)
    monkeypatch.setattr(module, "settle", lambda *arguments: pytest.fail("these weights are not at rest"))
    result = reedsp.sssp(graph, 0, method, device=device)
    assert result.dist.tolist() == [0, 1e16, 1e16, 1e16 + 2]  # 1e16 + 0.9 and 1e16 + 1.8, each rounded once
    assert result.pred.tolist() == [-9999, 0, 1, 2]
    assert result.stats["exact_on_host"] == 1
    assert result.verify()
    result.dist[2] += 2
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: dist 1.0000000000000002e\+16 should be 1e\+16$"):
        result.verify()


def test_a_distance_that_was_changed_to_none_of_the_arithmetic(device: Device) -> None:
    result = reedsp.sssp(SMALL, 0, device=device)
    result.dist[2] = 3.5
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 2: its distance was changed to 3.5$"):
        result.verify()


def test_path_weights_that_contradict_each_other(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Integers do not round: the device computes wrong."""
    for module, name, method in (
        (outcome, "find_trees_outgoing", "near-far"),
        (outcome, "find_trees", "output-parallel"),
        (bellman_ford_groups, "find_trees", "bellman-ford"),
    ):
        find = getattr(module, name)
        reedsp.sssp(SMALL, 0, method, device=device)  # what is tried at first use is right
        with monkeypatch.context() as patch:
            patch.setattr(module, name, lambda *a, find=find: dataclasses.replace(find(*a), unresolved=1))
            with pytest.raises(DeviceError, match="has computed path weights that contradict each other"):
                reedsp.sssp(SMALL, 0, method, device=device)
        assert reedsp.sssp(SMALL, 0, method, device=device).dist.tolist() == [0, 1, 3]


def test_no_form_gives_right_answers(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (near_far, floyd_warshall):
        monkeypatch.setattr(module, "is_trusted", lambda *arguments: False)
    with pytest.raises(DeviceError, match=r": near-far in int64 gives wrong answers, or fails$"):
        near_far.chosen_form(device, Arithmetic(np.dtype(np.int64)))
    with pytest.raises(DeviceError, match=r": Floyd-Warshall in uint16 gives wrong answers, or fails$"):
        reedsp.apsp(SMALL, "floyd-warshall", device=device)


def test_no_tiling_that_was_found_is_right(device: Device) -> None:
    [tiling, *_] = tilings.tabled(device, tilings.ARITHMETICS["int32"], False)
    bench: Any = SimpleNamespace(device=device, is_right=lambda tiling: False)
    with pytest.raises(DeviceError, match=r": no tiling gives right products in some way$"):
        tune._compared(bench, "some way", tiling, [tiling])


# ---- sums beyond every type ---------------------------------------------------------------------------


def test_potentials_beyond_int64(device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [3, 3, 3], [2**62, -(2**62), 2**62])
    with pytest.raises(OverflowError, match=r"^graph: weights and potentials together are beyond int64$"):
        reedsp.apsp(graph, "johnson", device=device, dtype="int64", options={"search": "near-far"})


def test_simple_paths_beyond_the_range_of_floats(device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 2, 2], [1, 2, 1, 3], [0.5, 2e38, 2e38, 0.5])
    with pytest.raises(OverflowError, match=r"^dist\[1\] is beyond float32$"):
        reedsp.yen(graph, 0, 1, 2, dtype="float32", device=device)
    assert reedsp.yen(graph, 0, 1, 2, device=device).dist.tolist() == [0.5, 4e38]


# ---- devices ------------------------------------------------------------------------------------------


def test_copies_that_a_device_refuses(device: Device) -> None:
    job = Job(device)
    buffer, other = job.allocate(8, np.int32), job.allocate(8, np.int32)
    with pytest.raises(DeviceError, match="copy from the device failed"):
        job.download_rows(buffer, 4, (2, 4), np.int32)
    with pytest.raises(DeviceError, match="copy on the device failed"):
        job.copy(buffer, 16, other, 0, 32)


def test_a_device_that_is_lost(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost() -> None:
        raise cl.RuntimeError(cl._cl._ErrorRecord(msg="lost", code=cl.status_code.OUT_OF_RESOURCES, routine="clFinish"))

    monkeypatch.setattr(device, "_queue", SimpleNamespace(finish=lost))
    with pytest.raises(DeviceError, match="waiting for the device failed"):
        Job(device).finish()


def test_an_argument_that_pyopencl_refuses(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kernel: object, position: int, argument: object) -> None:
        raise TypeError("no argument")

    job = Job(device)
    kernel = device.kernel("primitives/heads.cl", "clear", INDEX="int")
    bound = job.bind(kernel, 1, 1, job.allocate(1, np.uint32), np.uint64(1))
    monkeypatch.setattr(job_module, "_set_number", refuse)
    with pytest.raises(DeviceError, match="clear, argument 1 failed: no argument"):
        bound.set("words", np.uint64(2))


def test_a_process_that_was_forked(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_process", os.getpid() + 1)
    with pytest.raises(RuntimeError, match="before this process was forked"):
        Job(device)


def test_an_array_of_another_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        handle = None

        def __str__(self) -> str:
            return "another one"

    monkeypatch.setattr(device_arrays, "get_device", lambda wanted: Other())
    x = cl_array.zeros(device.queue, 4, np.int32)
    with pytest.raises(ValueError, match=r"^device: x is on .*, not on another one$"):
        reedsp.inclusive_scan(x, device="another")


def test_no_memory_to_try_a_method(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> bool:
        raise DeviceMemoryError("full")

    monkeypatch.setattr(sssp, "chosen_form", full)
    with pytest.raises(DeviceMemoryError, match=r"^full$"):
        reedsp.sssp(SMALL, 0, device=device)


def test_a_compiler_asked_for_a_device_that_is_not_there() -> None:
    with pytest.raises(LookupError, match="in a child process"):
        compiler_child._device(("no", "such", "driver"))


# ---- several devices, and more than their memory --------------------------------------------------------


def test_what_cannot_be_closed(device: Device, tmp_path: Path) -> None:
    matrix = np.zeros((4, 4), np.float32)
    for wrong in (matrix[:3], matrix.astype(np.float64), matrix[::2, ::2]):
        with pytest.raises(ValueError, match=r"^matrix: a contiguous square one of float32 is expected$"):
            solve_matrix(wrong, FLOAT32, [device])
    with pytest.raises(ValueError, match=r"^devices: at least one is needed$"):
        solve_matrix(matrix, FLOAT32, [])
    with checkpoint.Checkpoint(tmp_path / "c", "", 4, np.float32) as state:
        for given in (matrix, state.matrix):
            with pytest.raises(ValueError, match=r"^checkpoint: it is that of another matrix, or its matrix is not"):
                solve_matrix(given, FLOAT32, [device], checkpoint=state)


def test_a_device_with_next_to_no_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "global_memory", 1000)
    with pytest.raises(ValueError, match=r"^memory_limit: a device has .* bytes less than 100 vertices need$"):
        solve_matrix(np.zeros((100, 100), np.float32), FLOAT32, [device])


def test_a_team_stops_when_one_of_it_fails_or_is_interrupted() -> None:
    team = Team()
    reached: list[str] = []

    def wait() -> None:
        while True:
            team.go_on()

    def fail() -> None:
        raise DeviceError("lost")

    with pytest.raises(DeviceError, match=r"^lost$"):
        team.together([wait, fail])
    assert team._stopping

    def interrupt() -> None:
        reached.append("watched")
        raise KeyboardInterrupt

    team = Team()
    with pytest.raises(KeyboardInterrupt):
        team.together([wait], interrupt)
    assert reached == ["watched"]


# ---- checkpoints ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a checkpoint whose matrix is filled."""
    with checkpoint.Checkpoint(tmp_path / "c", "", 4, np.float32) as state:
        state.matrix[:] = 1
        state.filled()
    return tmp_path / "c"


def journal_line(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


def opened(folder: Path) -> checkpoint.Checkpoint:
    return checkpoint.Checkpoint(folder, "", 4, np.float32)


@pytest.mark.parametrize(
    ("first", "more", "message"),
    [
        (None, b'["done", 4]', r"journal: line 3 cannot follow those before it"),
        (None, b"[", r"journal: line 3 cannot be read"),
        (b"[]", b"", r"journal: line 1 is no header"),
    ],
)
def test_a_journal_that_tells_nonsense(folder: Path, first: bytes | None, more: bytes, message: str) -> None:
    journal = folder / "journal"
    kept = journal.read_bytes() if first is None else journal_line(first)
    journal.write_bytes(kept + (journal_line(more) if more else b""))
    with pytest.raises(ValueError, match=message):
        opened(folder)


def test_a_checkpoint_in_another_type_is_told_by_the_type(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"journal: its dtype is '<f4', not '<f8'; "):
        checkpoint.Checkpoint(folder, "of other weights", 4, np.float64)


def test_a_matrix_that_is_not_what_the_journal_tells(folder: Path) -> None:
    matrix = folder / "matrix"
    content = matrix.read_bytes()
    matrix.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="matrix: not 64 bytes long"):
        opened(folder)
    matrix.write_bytes(b"\1" + content[1:])
    with pytest.raises(ValueError, match="matrix: wrong checksum between rows 0 and 4"):
        opened(folder)
    matrix.unlink()
    with pytest.raises(ValueError, match="matrix: missing"):
        opened(folder)
    matrix.write_bytes(content)
    opened(folder).close()


def test_rows_set_aside_that_are_not_what_the_journal_tells(folder: Path) -> None:
    record = ["pass", 0, 2, {"panels": 1, "rows": 1, "columns": 1}]
    with (folder / "journal").open("ab") as journal:
        journal.write(journal_line(json.dumps(record).encode()))
    with pytest.raises(ValueError, match="panels: wrong checksum"):
        opened(folder)


def failing(code: int) -> Callable[..., None]:
    def fail(*arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint.sys, "platform", "linux")
    monkeypatch.setattr(os, "posix_fallocate", failing(errno.ENOSPC), raising=False)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        checkpoint.Checkpoint(tmp_path / "c", "", 4, np.float32)
    assert not (tmp_path / "c" / "matrix").exists()
    monkeypatch.setattr(os, "posix_fallocate", failing(errno.EOPNOTSUPP), raising=False)
    with checkpoint.Checkpoint(tmp_path / "c", "", 4, np.float32) as state:
        assert state.matrix.shape == (4, 4)


@pytest.mark.skipif(os.name != "posix", reason="other systems lock in another way")
def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    monkeypatch.setattr(fcntl, "flock", failing(errno.ENOLCK))
    with pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
        checkpoint.Checkpoint(tmp_path / "c", "", 4, np.float32)


# ---- results in files -----------------------------------------------------------------------------------


def test_a_nearest_source_that_is_not_that_of_the_predecessor() -> None:
    nothing = np.empty((0, 0), bool)
    dist, pred = np.array([[0, 1, 0]]), np.array([[-9999, 0, -9999]])
    right = Stored([[0, 2]], dist, nothing, nothing, pred, np.array([0, 0, 2]))
    graph = reedsp.Graph.from_edges(3, [0], [1], [1])
    assert certificate.check(graph, right) == 1
    wrong = Stored([[0, 2]], dist, nothing, nothing, pred, np.array([0, 2, 2]))
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 1: its nearest source is not that of its predecessor"):
        certificate.check(graph, wrong)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"levels": [0, 1, 2]}, "there is an array 'levels', but none that is called 'source'"),
        ({"dist": [0, 1, 3], "source": 0, "cutoff": "x"}, "cutoff: expected a number, got <U1 of shape ()"),
        ({"dist": [0, 1, 3], "source": 0, "nearest": [0, 0]}, "expected nearest to be 3 vertices, got int64 of shape"),
        ({"dist": [0, 1, 3], "source": 0, "stopped_at": 3}, "stopped_at: 3 is not a vertex of this graph"),
    ],
)
def test_arrays_that_are_no_result(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "result.npz"
    np.savez(file, **arrays)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole beginning is compared
        files.load(file, SMALL)
    assert str(caught.value).startswith(f"{file}: {message}")


def test_other_files_that_are_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"x.txt: the name does not end in .csv, .npz or .npy$"):
        files.load(tmp_path / "x.txt", SMALL)
    (tmp_path / "x.csv").write_text("vertex,distance,predecessor\n")
    with pytest.raises(ValueError, match=r"x.csv: there is no vertex in it$"):
        files.load(tmp_path / "x.csv", SMALL)
    np.savez(tmp_path / "x.npz", dist=[0, 1, 3], source=0)

    def full(*arguments: object, **options: object) -> None:
        raise MemoryError("full")

    monkeypatch.setattr(np, "load", full)
    with pytest.raises(MemoryError, match=r"^full$"):
        files.load(tmp_path / "x.npz", SMALL)


def test_an_array_of_a_type_that_numpy_does_not_have(tmp_path: Path) -> None:
    header = b"{'descr': '<i7', 'fortran_order': False, 'shape': (3, 3), }\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(63))
    with pytest.raises(ValueError, match=r"x.npy: x.npy: data type '<i7' not understood$"):
        files.load(tmp_path / "x.npy", SMALL)


# ---- graphs in files ------------------------------------------------------------------------------------


def test_no_memory_for_a_matrix_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise MemoryError("full")

    reedsp.write(SMALL, tmp_path / "x.npz")
    monkeypatch.setattr(scipy.sparse, "load_npz", full)
    with pytest.raises(MemoryError, match=r"^full$"):
        reedsp.read(tmp_path / "x.npz")


def test_labels_of_another_length(tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [1], labels=["a", "b"])
    reedsp.write(graph, tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as content:
        arrays = dict(content)
    np.savez(tmp_path / "x.npz", **{**arrays, "labels": np.array(["a"])})
    with pytest.raises(ValueError, match=r"labels: expected 2 integers or strings, got <U1 of shape \(1,\)"):
        reedsp.read(tmp_path / "x.npz")


@pytest.mark.parametrize("order", ["<", ">"])
def test_labels_of_characters_that_there_are_not(tmp_path: Path, order: str) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [1], labels=["a", "\U0010ffff"])
    reedsp.write(graph, tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as content:
        arrays = dict(content)
    labels = arrays["labels"].astype(f"{order}U1")
    np.savez(tmp_path / "x.npz", **{**arrays, "labels": labels})
    assert reedsp.read(tmp_path / "x.npz").labels == ("a", "\U0010ffff")
    labels = np.array([97, 0x110000], f"{order}u4").view(f"{order}U1")
    np.savez(tmp_path / "x.npz", **{**arrays, "labels": labels})
    with pytest.raises(ValueError, match=r"x\.npz: .*: labels\[1\] holds a character beyond U\+10FFFF"):
        reedsp.read(tmp_path / "x.npz")


def test_more_rows_than_vertices_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "MAX_VERTICES", 2)
    with pytest.raises(ValueError, match=r"^indptr describes more than 2 vertices$"):
        reedsp.Graph([0, 0, 0, 0], [], [])


def test_another_thread_writes_to_the_sources_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    class Changing(np.ndarray):
        def __getitem__(self, part: slice) -> np.ndarray:
            return np.full(part.stop - part.start, 2)

    monkeypatch.setattr(graph_module, "_integer_vector", lambda values, name: np.array(values).view(Changing))
    with pytest.raises(ValueError, match=r"^sources has changed while it was read$"):
        reedsp.Graph.from_edges(2, [0], [1], [1])


# ---- the command, folders, networkx -----------------------------------------------------------------------


def test_an_output_that_is_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reedsp.write(SMALL, tmp_path / "x.gr")
    assert command.run(["convert", str(tmp_path / "x.gr"), str(tmp_path)]) != 0
    (tmp_path / "x.npz").mkdir()
    assert command.run(["convert", str(tmp_path / "x.gr"), str(tmp_path / "x.npz"), "--force"]) == 1
    assert capsys.readouterr().err.endswith(f"reedsp: {tmp_path / 'x.npz'} is a directory\n")


def test_doctor_ends_with_its_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "main", lambda arguments: {"--json": 7}[arguments[0]])
    assert command.run(["doctor", "--json"]) == 7
    with pytest.raises(typer.Exit) as caught:  # as its description and its completion know it
        machine.doctor(as_json=True)
    assert caught.value.exit_code == 7


def test_nobody_has_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OSError, match=r"^Could not determine home directory.$"):
        cache_folders.private_directory("kernels")


def test_an_installation_without_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_PACKAGE", tmp_path / "reedsp")
    build.kernel_directory.cache_clear()
    with pytest.raises(FileNotFoundError, match=r"^the kernel sources of reedsp are missing; run: pip install"):
        build.kernel_directory()


def test_a_kernel_that_cannot_be_kept_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", failing(errno.ENOSPC))
    with pytest.warns(RuntimeWarning, match="cannot be kept: .*No space left on device"):
        kernel_cache.write(tmp_path / "x.bin", b"binary")
    assert list(tmp_path.iterdir()) == []


def test_a_contradiction_seen_from_either_end() -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 1), (0, 2, 5), (2, 1, -9), (1, 3, 20), (3, 4, 20)])
    for given in (graph, backend.convert_from_nx(graph)):
        with pytest.raises(ValueError, match="Contradictory paths found: negative weights"):
            nx.bidirectional_dijkstra(given, 0, 4)
