"""Devices are found and chosen as documented, kept within their limits, and usable again after every error."""

from __future__ import annotations

import gc
import itertools
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import weight_macros
from reedsp.device import build as device_build
from reedsp.device import discovery
from reedsp.device import job as job_module
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import PrecisionError
from reedsp.device.job import Job
from reedsp.device.memory import large_pages
from reedsp.system import icd
from reedsp.system.parts import TRANSFERRED
from tests.device.failing_device import failure
from tests.support import oracle
from tests.support.families import FAMILIES, Family, named

INT32 = weight_macros(np.dtype(np.int32))
RANDOM = named("random")

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")
needs_loader = pytest.mark.skipif(
    any(device.platform == "Oclgrind" for device in reedsp.devices()),
    reason="Oclgrind shows its device whatever the loader reads",
)
posix_only = pytest.mark.skipif(os.name != "posix", reason="forks and signals")


def python(code: str, *arguments: str, **variables: str) -> str:
    """Run code in a process that has not used OpenCL yet, and return what it prints."""
    environment = dict(os.environ)
    if environment.get("OCL_ICD_VENDORS") == str(icd.enable_pip_runtimes()):
        del environment["OCL_ICD_VENDORS"]
    environment["PYTHONPATH"] = str(Path(reedsp.__file__).resolve().parent.parent)
    environment.update(variables)
    command = [sys.executable, "-c", code, *arguments]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert child.returncode == 0, child.stderr
    return child.stdout


def fresh(device: Device) -> Device:
    """Return the same device with nothing built and no context yet."""
    return Device(device.index, device.handle)


def check(device: Device, family: Family = RANDOM) -> None:
    """Solve a graph on the device and compare with the oracle."""
    graph = family.graph()
    expected = oracle.distances(family.n, family.edges, family.source)
    result = reedsp.sssp(graph, family.source, device=device)
    assert result.dist.tolist() == [float("inf") if d is None else float(d) for d in expected]


# ---- finding ----------------------------------------------------------------------------------------


@needs_device
def test_devices_are_found_once_and_numbered() -> None:
    found = reedsp.devices()
    assert [device.index for device in found] == list(range(len(found)))
    found.clear()
    assert [id(device) for device in reedsp.devices()] == [id(device) for device in reedsp.devices()]
    assert reedsp.devices()


def test_facts_about_a_device(device: Device) -> None:
    handle = device.handle
    assert device.name in str(device)
    assert device.platform in str(device)
    assert str(device.index) in repr(device)
    assert device.kind in ("gpu", "accelerator", "cpu", "other")
    for mine, theirs in [
        (device.compute_units, handle.max_compute_units),
        (device.global_memory, handle.global_mem_size),
        (device.local_memory, handle.local_mem_size),
        (device.max_allocation, handle.max_mem_alloc_size),
        (device.max_work_group_size, handle.max_work_group_size),
    ]:
        assert mine == theirs > 0
    assert device.fp64 == bool(handle.double_fp_config)


NO_DEVICE = """
import reedsp
assert reedsp.devices() == []
try:
    reedsp.sssp([[0, 1], [0, 0]], 0)
except reedsp.DeviceError as error:
    print(error)
"""


@needs_loader
def test_71_no_device_says_what_to_install_on_each_system() -> None:
    variables = {**dict.fromkeys(icd.LOADER_VARIABLES, ""), "OCL_ICD_VENDORS": "/nonexistent"}
    for choice in ("", "gpu"):
        message = python(NO_DEVICE, **variables, REEDSP_DEVICE=choice)
        lines = message.splitlines()
        assert "no OpenCL device" in lines[0]
        for system, command in [
            ("x86-64", 'pip install "reedsp[cpu]"'),
            ("Debian, Ubuntu", "sudo apt-get install pocl-opencl-icd"),
            ("Fedora", "sudo dnf install pocl"),
            ("macOS", "conda install -c conda-forge pyopencl pocl"),
            ("Windows", "Intel's CPU Runtime for OpenCL"),
        ]:
            assert [line for line in lines if system in line and command in line]


def test_platform_that_fails_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(kind: int) -> list[cl.Device]:
        raise failure(cl.LogicError, "INVALID_PLATFORM")

    broken = SimpleNamespace(name="broken", get_devices=fail)
    ready = SimpleNamespace(available=True, compiler_available=True)
    absent = SimpleNamespace(available=False, compiler_available=True)
    no_compiler = SimpleNamespace(available=True, compiler_available=False)
    working = SimpleNamespace(name="works", get_devices=lambda kind: [absent, ready, no_compiler])
    monkeypatch.setattr(cl, "get_platforms", lambda: [broken, working])
    assert discovery._device_handles() == [ready]


def test_a_handler_may_look_for_devices_while_its_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """All have the same ones."""
    look, found = discovery._device_handles, []

    def interrupted() -> list[cl.Device]:
        monkeypatch.setattr(discovery, "_device_handles", look)
        with device_build.loading():
            found.append(discovery.devices())
        return look()

    monkeypatch.setattr(discovery, "_devices", None)
    monkeypatch.setattr(discovery, "_device_handles", interrupted)
    thread = threading.Thread(target=lambda: found.append(discovery.devices()), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    first, second = found
    assert first == second == discovery.devices()


@needs_device
def test_queues_of_a_context_share_what_is_built(device: Device) -> None:
    """However many there are; those of another have their own, and a context is released with the last queue."""
    context, other = (cl.Context([device.handle]) for _ in range(2))
    first, second, third = (discovery.device_of(cl.CommandQueue(each)) for each in (context, context, other))
    kernel = first.kernel("edges/verify.cl", "jump", **INT32)
    assert second.kernel("edges/verify.cl", "jump", **INT32) is kernel
    assert third.kernel("edges/verify.cl", "jump", **INT32) is not kernel
    assert first.scratch is not second.scratch
    released = weakref.ref(kernel)
    discovery.device_of.cache_clear()
    del first, kernel
    assert released() is not None
    del second
    assert released() is None


# ---- choosing ---------------------------------------------------------------------------------------


def made_up(
    index: int,
    name: str,
    platform: str = "Some Platform",
    *,
    kind: int = cl.device_type.CPU,
    units: int = 4,
    clock: int = 1000,
    memory: int = 2**30,
    version: str = "OpenCL 1.2",
    vendor: str = "Some Vendor",
    extensions: str = "",
) -> Device:
    """Return a device that cannot compute but can be chosen."""
    handle: Any = SimpleNamespace(
        name=f"{name}\0",
        platform=SimpleNamespace(name=platform, version=version, vendor=vendor),
        driver_version="1",
        type=kind,
        max_compute_units=units,
        max_clock_frequency=clock,
        global_mem_size=memory,
        local_mem_size=2**15,
        max_mem_alloc_size=memory // 4,
        max_work_group_size=256,
        extensions=extensions,
        svm_capabilities=0,
        host_unified_memory=False,
    )
    return Device(index, handle)


CPU, GPU, ACCELERATOR = cl.device_type.CPU, cl.device_type.GPU, cl.device_type.ACCELERATOR
SIMULATED = {"platform": "Oclgrind", "kind": CPU | GPU | ACCELERATOR, "vendor": "James Price"}
FLEET = [
    made_up(0, "pthread-skylake", "Portable Computing Language", version="OpenCL 3.0 PoCL 3.1", vendor="pocl project"),
    made_up(1, "Oclgrind Simulator", units=1000, **SIMULATED),
    made_up(2, "Intel(R)  Xeon(R)", "Intel(R) OpenCL", units=8, vendor="Intel(R) Corporation"),
    made_up(3, "GTX 1080", "NVIDIA CUDA", kind=GPU, units=20, vendor="NVIDIA Corporation"),
    made_up(4, "H200", "NVIDIA CUDA", kind=GPU, units=132, vendor="NVIDIA Corporation"),
    made_up(5, "FPGA", "Some Boards", kind=ACCELERATOR, units=5000),
]
CHOICES = [
    ("0", "pthread-skylake"),
    (" 3 ", "GTX 1080"),
    ("gtx", "GTX 1080"),
    ("intel(r) xeon", "Intel(R) Xeon(R)"),
    ("Portable", "pthread-skylake"),
    ("pocl", "pthread-skylake"),
    ("  POCL\n", "pthread-skylake"),
    ("nvidia", "H200"),
    ("Corporation", "H200"),
    ("cpu", "Intel(R) Xeon(R)"),
    ("GPU", "H200"),
    ("accelerator", "FPGA"),
    ("oclgrind", "Oclgrind Simulator"),
    ("james price", "Oclgrind Simulator"),
]
MISFITS = ["6", "-1", "04", "²", "nonesuch", "H200 GTX", "1e0", "gpus", "9" * 5000]


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch) -> list[Device]:
    """The made-up devices instead of those of this machine."""
    monkeypatch.setattr(discovery, "_devices", FLEET)
    monkeypatch.delenv("REEDSP_DEVICE", raising=False)
    return FLEET


@pytest.mark.usefixtures("fleet")
class TestChoice:
    @pytest.mark.parametrize(
        ("wanted", "name"),
        [(None, "H200"), (0, "pthread-skylake"), (np.int64(3), "GTX 1080"), (np.uint8(5), "FPGA"), *CHOICES],
    )
    def test_by_argument(self, wanted: object, name: str) -> None:
        assert get_device(wanted).name == name

    @pytest.mark.parametrize(("wanted", "name"), [("", "H200"), (" \t", "H200"), *CHOICES])
    def test_by_environment(self, wanted: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("REEDSP_DEVICE", wanted)
        assert get_device().name == name
        assert get_device(3).name == "GTX 1080"

    def test_device_itself(self, fleet: list[Device]) -> None:
        assert all(get_device(each) is each for each in fleet)

    @pytest.mark.parametrize("wanted", [*MISFITS, "", "  ", 6, -1, 2**70, np.int64(-2)])
    def test_nothing_fits_the_argument(self, wanted: object) -> None:
        with pytest.raises(reedsp.DeviceError, match=r"^device = .* fits none of the devices found:") as caught:
            get_device(wanted)
        self.check_listing(str(caught.value))

    @pytest.mark.parametrize("wanted", MISFITS)
    def test_nothing_fits_the_environment(self, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("REEDSP_DEVICE", wanted)
        with pytest.raises(reedsp.DeviceError, match=r"^REEDSP_DEVICE = .* fits none of the devices found:") as caught:
            get_device()
        assert repr(wanted) in str(caught.value)
        self.check_listing(str(caught.value))

    def check_listing(self, message: str) -> None:
        assert message.splitlines()[1:] == [f"  {each.index}: {each}, {each.kind}" for each in FLEET]

    @pytest.mark.parametrize(
        "wanted", [True, False, np.True_, 1.0, np.float64(1), float("nan"), 1j, [0], [], (0,), {}, b"gpu", object(), cl]
    )
    def test_argument_of_another_type(self, wanted: object) -> None:
        with pytest.raises(TypeError, match=r"^device: expected a device, an index or part of a name, got "):
            get_device(wanted)

    def test_simulator_is_no_gpu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Oclgrind says that it is a CPU, a GPU and an accelerator at once."""
        monkeypatch.setattr(discovery, "_devices", FLEET[:2])
        assert get_device().name == "pthread-skylake"
        assert get_device("cpu").name == "pthread-skylake"
        for kind in ("gpu", "accelerator"):
            with pytest.raises(reedsp.DeviceError, match="fits none"):
                get_device(kind)


@pytest.mark.parametrize(
    "best_first",
    [
        pytest.param([{"kind": GPU, "units": 1}, {"kind": CPU, "units": 500}], id="gpu before cpu"),
        pytest.param([{"kind": GPU}, {"kind": ACCELERATOR, "units": 500}], id="gpu before accelerator"),
        pytest.param([{"kind": ACCELERATOR}, {"kind": CPU, "units": 500}], id="accelerator before cpu"),
        pytest.param([{"kind": CPU}, {"kind": cl.device_type.CUSTOM, "units": 500}], id="cpu before the rest"),
        pytest.param([{"units": 8}, {"units": 4}], id="more compute units"),
        pytest.param([{"units": 4, "clock": 3000}, {"units": 8, "clock": 1000}], id="higher clock"),
        pytest.param([{"memory": 2**34}, {"memory": 2**33}], id="more memory"),
        pytest.param([{"kind": CPU, "units": 1}, {**SIMULATED, "units": 1000}], id="real before simulated"),
        pytest.param([{"kind": cl.device_type.CUSTOM}, SIMULATED], id="anything before simulated"),
    ],
)
def test_order_of_preference(best_first: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REEDSP_DEVICE", raising=False)
    best, *others = best_first
    for order in ([best, *others], [*others, best]):
        found = [made_up(index, f"device {order[index] is best}", **facts) for index, facts in enumerate(order)]
        monkeypatch.setattr(discovery, "_devices", found)
        assert get_device().name == "device True"


def test_equal_devices_are_taken_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REEDSP_DEVICE", raising=False)
    monkeypatch.setattr(discovery, "_devices", [made_up(index, "twin", kind=GPU) for index in range(3)])
    assert get_device().index == 0
    assert get_device("gpu").index == 0


def test_simulator_is_used_where_there_is_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REEDSP_DEVICE", raising=False)
    monkeypatch.setattr(discovery, "_devices", [made_up(0, "Oclgrind Simulator", **SIMULATED)])
    assert get_device().name == "Oclgrind Simulator"


def test_extensions_say_what_a_device_can() -> None:
    atomics = "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics"
    able = made_up(0, "able", extensions=f"cl_khr_fp64 {atomics}")
    assert (able.fp64, able.int64_atomics) == (True, True)
    unable = made_up(0, "unable", extensions="cl_khr_fp16 cl_khr_fp64x cl_khr_int64_base_atomics")
    assert (unable.fp64, unable.int64_atomics) == (False, False)


def test_choice_of_a_device_of_this_machine(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for wanted in (device, device.handle, device.index, str(device.index)):
        assert get_device(wanted) is device
    for wanted in (device.name, device.platform):
        monkeypatch.setenv("REEDSP_DEVICE", wanted)
        assert any(wanted in words for words in (get_device().name, get_device().platform))
        assert get_device(wanted) is get_device()


def test_pyopencl_device_that_was_not_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_devices", FLEET)
    with pytest.raises(reedsp.DeviceError, match="is not among the devices found"):
        get_device(device.handle)


OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
CHOOSE = """
import reedsp
from reedsp.device import get_device
print([device.platform for device in reedsp.devices()].count("Oclgrind"), get_device().platform)
print(get_device("oclgrind").platform)
try:
    print(get_device("gpu").kind)
except reedsp.DeviceError as error:
    print("none")
"""


@needs_device
@pytest.mark.skipif(not OCLGRIND.exists(), reason="Oclgrind is not installed as Debian does: apt-get install oclgrind")
def test_real_oclgrind_is_not_chosen_by_itself(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in icd.LOADER_VARIABLES}
    for number, driver in enumerate(icd.drivers(environment)):
        if driver.origin != "pyopencl":
            (tmp_path / f"{number}.icd").write_text(driver.library)
    (tmp_path / "0-first.icd").write_text(str(OCLGRIND))
    first, second, third = python(CHOOSE, OCL_ICD_VENDORS=str(tmp_path), REEDSP_DEVICE="").splitlines()
    assert first.startswith("1 ")
    assert first != "1 Oclgrind"
    assert second == "Oclgrind"
    assert third == ("gpu" if any(device.kind == "gpu" for device in reedsp.devices()) else "none")


# ---- the self test ----------------------------------------------------------------------------------


def tamper(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))


def test_self_test_passes(device: Device) -> None:
    fresh(device).self_test()


FLOAT_SUM = "#else\n    return dist + weight;"
TAMPERINGS = {
    "infinity is added to": ("core/weights.cl", "dist == INF ? INF : dist + weight;", "dist + weight;", "int32"),
    "64-bit integers are cut": ("core/weights.cl", "INF : dist + weight;", "INF : (int)dist + (int)weight;", "int64"),
    "floats are subtracted": ("core/weights.cl", FLOAT_SUM, "#else\n    return dist - weight;", "float32"),
    "doubles are rounded": ("core/weights.cl", FLOAT_SUM, "#else\n    return (float)dist + (float)weight;", "float64"),
    "subnormal floats are flushed": (
        *("core/weights.cl", FLOAT_SUM, "#else\n    return fabs(dist + weight) < FLT_MIN ? 0 : dist + weight;"),
        "float32",
    ),
    "subnormal doubles are flushed": (
        *("core/weights.cl", FLOAT_SUM, "#else\n    return fabs(dist + weight) < 2.3e-308 ? 0 : dist + weight;"),
        "float64",
    ),
    "work-items do not see each other": ("core/self_test.cl", "path[GROUP_SIZE - 1 - slot]", "path[slot]", "int32"),
    "the reduction starts late": ("core/self_test.cl", "GROUP_SIZE / 2; stride", "GROUP_SIZE / 4; stride", "int32"),
    "the reduction stops early": ("core/self_test.cl", "stride > 0", "stride > 1", "int32"),
    "the wrong one is less": ("core/self_test.cl", "< path[slot] ?", "> path[slot] ?", "int32"),
}


@pytest.mark.deep
@pytest.mark.parametrize(("file", "old", "new", "arithmetic"), TAMPERINGS.values(), ids=TAMPERINGS)
def test_75_self_test_notices_wrong_answers(
    file: str, old: str, new: str, arithmetic: str, kernel_copy: Path, device: Device
) -> None:
    if arithmetic == "float64" and not device.fp64:
        pytest.skip("the device has no doubles")
    tamper(kernel_copy / file, old, new)
    tested = fresh(device)
    with pytest.raises(reedsp.DeviceError, match=f"gives wrong answers in {arithmetic} arithmetic") as caught:
        tested.self_test()
    assert str(device) in str(caught.value)


@pytest.mark.deep
def test_73_self_test_notices_a_kernel_that_does_not_build(kernel_copy: Path, device: Device) -> None:
    tamper(kernel_copy / "core/self_test.cl", "const size_t item", "const size_t")
    with pytest.raises(reedsp.DeviceError, match=r"cl/core/self_test.cl did not build on"):
        fresh(device).self_test()
    check(device)


# ---- limits -----------------------------------------------------------------------------------------


def vertices_pass(job: Job) -> tuple[Any, list[cl.Buffer]]:
    """Return a kernel that takes two buffers and a uint, and 64 zeros for each buffer."""
    zeros = np.zeros(64, np.int32)
    return job.device.kernel("edges/verify.cl", "jump", **INT32), [job.upload(zeros), job.upload(zeros)]


def relax(device: Device, **macros: int) -> Any:
    choices = {"GROUP_SIZE": 64, "COOPERATIVE_LOADING": 1, "EARLY_STOP": 1, "KEEP_PREDECESSORS": 0, "CHUNK": 64}
    return device.kernel("single_source/output_parallel.cl", "relax", **{**INT32, **choices, **macros})


@pytest.mark.parametrize("size", [0, -1, 2**20])
def test_work_group_size(size: int, device: Device) -> None:
    job = Job(device)
    kernel, buffers = vertices_pass(job)
    with pytest.raises(reedsp.DeviceError, match=f"jump: work-groups of {size} work-items, but .* allows"):
        job.launch(kernel, 64, size, *buffers, np.uint32(64))
    assert job.kernels_launched == 0
    check(device)


def test_work_group_size_that_the_kernel_was_not_built_for(device: Device) -> None:
    job = Job(device)
    kernel = device.kernel("core/self_test.cl", "self_test", GROUP_SIZE=16, **INT32)
    with pytest.raises(reedsp.DeviceError, match="self_test failed"):
        job.launch(kernel, 64, 8, *(job.allocate(64, np.int32) for _ in range(4)))
    assert job.kernels_launched == 0
    check(device)


def test_work_group_size_as_an_option(device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 1])
    with pytest.raises(ValueError, match=r"^options: group_size = 1048576, expected an integer from 1 to \d+$"):
        reedsp.sssp(graph, 0, "output-parallel", device=device, options={"group_size": 2**20})
    assert reedsp.sssp(graph, 0, device=device).dist.tolist() == [0, 1, 2]


@pytest.mark.deep
def test_local_memory(device: Device) -> None:
    """Some compilers refuse such a kernel; where they do not, launching it would end the process."""
    with pytest.raises(reedsp.DeviceError, match=r"bytes of local memory, but|did not build"):
        Job(device).bind(relax(device, CHUNK=2**24), 64, 64)
    check(device)


def test_local_memory_names_both_numbers(device: Device) -> None:
    small = fresh(device)
    needed = relax(small).local_memory
    assert needed >= 260  # 64 sums and a flag; some drivers round up
    small.local_memory = needed - 1
    with pytest.raises(reedsp.DeviceError, match=rf"relax: {needed} bytes of local memory, but .* has {needed - 1}"):
        Job(small).bind(relax(small), 64, 64)
    small.local_memory = needed
    with pytest.raises(reedsp.DeviceError, match="relax failed"):  # too few arguments, but not too much memory
        Job(small).launch(relax(small), 64, 64)


def test_allocation(device: Device) -> None:
    job = Job(device)
    with pytest.raises(reedsp.DeviceMemoryError, match=r"a buffer of 8,796,093,022,208 bytes is needed") as caught:
        job.allocate(2**40, np.int64)
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, reedsp.DeviceError)
    assert f"{device.max_allocation:,}" in str(caught.value)
    assert job.bytes_allocated == 0
    check(device)


def test_large_buffer_keeps_what_is_written_to_it(device: Device) -> None:
    job, numbers = Job(device), np.arange((job_module._LARGE_PAGES >> 2) + 5, dtype=np.uint32)
    buffers = [job.allocate(len(numbers), np.uint32) for _ in range(2)]
    for buffer in buffers:
        assert buffer.size == numbers.nbytes
    gc.collect()
    job.copy(buffers[0], 0, job.upload(numbers), 0, numbers.nbytes)
    job.fill(buffers[1], len(numbers), np.uint32(7))
    assert np.array_equal(job.download(buffers[0], len(numbers), np.uint32), numbers)
    assert (job.download(buffers[1], len(numbers), np.uint32) == 7).all()


def test_no_memory_for_a_large_buffer(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(queue: cl.CommandQueue, size: int) -> cl.Buffer:
        raise MemoryError("no pages")

    monkeypatch.setattr(large_pages, "allocate", no_memory)
    if device.kind == "cpu":
        with pytest.raises(reedsp.DeviceMemoryError, match=r"allocation of [\d,]+ bytes failed: no pages"):
            Job(device).allocate(job_module._LARGE_PAGES, np.uint8)


def test_a_large_buffer_is_gone_before_what_reads_it_has_run(device: Device) -> None:
    count = job_module._LARGE_PAGES // 4
    own = fresh(device)
    job, begin = Job(own), cl.UserEvent(own.context)
    large, kept = job.allocate(count, np.uint32), job.allocate(count, np.uint32)
    cl.enqueue_barrier(own.queue, wait_for=[begin])
    job.fill(large, count, np.uint32(7))
    job.copy(kept, 0, large, 0, 4 * count)
    own.queue.flush()
    del large
    gc.collect()
    others = [np.full(count, 3, np.uint32) for _ in range(4)]  # one of them where its memory was, had it been released
    is_held = any(each.lent() is None for each in large_pages._kept.values())
    begin.set_status(cl.command_execution_status.COMPLETE)
    assert (job.download(kept, count, np.uint32) == 7).all()
    assert all((other == 3).all() for other in others)
    if device.kind == "cpu":
        assert is_held
    del kept
    job.finish()
    assert not any(each.queue == own.queue for each in large_pages._kept.values())


def test_a_collection_that_releases_a_large_buffer_while_others_are_looked_at(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = fresh(device)
    first, then = (cl.UserEvent(own.context) for _ in range(2))
    buffers = [large_pages.allocate(own.queue, 8) for _ in range(3)]
    of_own = [each for each in large_pages._kept.values() if each.queue == own.queue]
    alive = [weakref.ref(each.memory) for each in of_own]
    del of_own
    is_done = large_pages._is_done

    def look(event: cl.Event) -> bool:
        if buffers:
            buffers.pop()
        return is_done(event)

    for begin in (first, then):
        cl.enqueue_barrier(own.queue, wait_for=[begin])
        buffers.pop(0)
        if begin is first:
            ended = cl.enqueue_marker(own.queue)
    first.set_status(cl.command_execution_status.COMPLETE)
    own.queue.flush()
    ended.wait()
    monkeypatch.setattr(large_pages, "_is_done", look)
    large_pages.release()
    gc.collect()
    assert [each() is not None for each in alive] == [False, True, True]
    then.set_status(cl.command_execution_status.COMPLETE)
    own.queue.finish()
    large_pages.release()
    gc.collect()
    assert not any(each() is not None for each in alive)


@pytest.mark.deep("_mark", "_is_done")
@pytest.mark.parametrize("interrupted", ["_let_go", "_mark", "_is_done"])
def test_ctrl_c_while_a_large_buffer_is_released(
    interrupted: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its memory is kept for as long as commands use it, and no longer."""
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: ignored.append(hook.exc_type))
    ignored: list[Any] = []
    own = fresh(device)
    begin = cl.UserEvent(own.context)

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(large_pages, interrupted, pressed)
        buffer = large_pages.allocate(own.queue, 8)
        memory = weakref.ref(next(each for each in large_pages._kept.values() if each.queue == own.queue).memory)
        cl.enqueue_barrier(own.queue, wait_for=[begin])
        del buffer
        gc.collect()
    assert ignored == [KeyboardInterrupt]
    large_pages.release()
    assert memory() is not None
    begin.set_status(cl.command_execution_status.COMPLETE)
    own.queue.finish()
    large_pages.release()
    assert memory() is None


def test_graph_larger_than_an_allocation(device: Device) -> None:
    small = fresh(device)
    small.max_allocation = 4 * RANDOM.n - 1
    graph = RANDOM.graph()
    with pytest.raises(reedsp.DeviceMemoryError, match=f"allows {small.max_allocation:,} in one"):
        reedsp.sssp(graph, 0, device=small)
    small.max_allocation = device.max_allocation
    check(small)


def test_nothing_is_allocated_as_one_element(device: Device) -> None:
    job = Job(device)
    for buffer in (job.allocate(0, np.int64), job.upload(np.zeros(0, np.int64))):
        assert buffer.size == 8
        assert job.download(buffer, 0, np.int64).size == 0


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(lambda a, b: (a, b, 64), id="int"),
        pytest.param(lambda a, b: (a, b, 64.0), id="float"),
        pytest.param(lambda a, b: (a, b, "64"), id="text"),
        pytest.param(lambda a, b: (a, b, None), id="nothing"),
        pytest.param(lambda a, b: (a, b, np.uint64(64)), id="wide"),
        pytest.param(lambda a, b: (a, b, np.uint8(64)), id="narrow"),
        pytest.param(lambda a, b: (a, b, a), id="buffer"),
        pytest.param(lambda a, b: (np.uint32(64), b, np.uint32(64)), id="number for a buffer"),
        pytest.param(lambda a, b: (a, b), id="too few"),
        pytest.param(lambda a, b: (a, b, np.uint32(64), np.uint32(64)), id="too many"),
    ],
)
def test_kernel_arguments(arguments: Callable[[cl.Buffer, cl.Buffer], tuple[Any, ...]], device: Device) -> None:
    job = Job(device)
    kernel, buffers = vertices_pass(job)
    with pytest.raises(reedsp.DeviceError, match="jump"):
        job.launch(kernel, 64, 64, *arguments(*buffers))
    assert job.kernels_launched == 0
    job.launch(kernel, 64, 64, *buffers, np.uint32(64))
    assert job.download(buffers[1], 64, np.int32).tolist() == [0] * 64


# ---- devices without double precision ---------------------------------------------------------------


def test_72_no_double_precision(device: Device) -> None:
    single = fresh(device)
    single.fp64 = False
    halves = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [0.5, 0.25, 0.5])
    with pytest.raises(reedsp.DeviceError, match="has no double precision; ask for float32"):
        reedsp.sssp(halves, 0, device=single)
    result = reedsp.sssp(halves, 0, dtype="float32", device=single)
    assert result.dist.tolist() == [0, 0.5, 0.75, 1.25]
    assert result.verify()
    check(single)
    wide = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2.0**40, 3.0])
    assert reedsp.sssp(wide, 0, device=single).dist.tolist() == [0, 2.0**40, 2.0**40 + 3]
    single.self_test()
    assert not [macros for _, macros in single._built.programs if ("WEIGHT", "double") in macros]


# ---- faults of the device ---------------------------------------------------------------------------


def lost_after(count: int, routine: str) -> Callable[..., Any]:
    """Return a routine of pyopencl that fails from then on when it has been called so many times."""
    work, calls = getattr(cl, routine), itertools.count()

    def lose(*arguments: Any, **options: Any) -> Any:
        if next(calls) >= count:
            raise failure(cl.RuntimeError, "OUT_OF_RESOURCES")
        return work(*arguments, **options)

    return lose


@pytest.mark.parametrize("routine", ["enqueue_copy", "enqueue_nd_range_kernel"])
def test_76_device_lost_midway(routine: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cl, routine, lost_after(1, routine))
        with pytest.raises(reedsp.DeviceError, match="OUT_OF_RESOURCES") as caught:
            check(device)
    assert not isinstance(caught.value, MemoryError)
    assert str(device) in str(caught.value)
    check(device)


LARGER_THAN_A_BUFFER = """
import numpy as np
import reedsp
from reedsp.device import get_device

n = get_device().max_allocation // 4 + 1
methods = "fast", "blelloch", "naive", "work-group", "work-item"
x, heads = np.zeros(n, np.float32), np.zeros(n, bool)
calls = [
    *(lambda method=method: reedsp.inclusive_scan(x, method=method) for method in methods),
    *(lambda method=method: reedsp.exclusive_scan(x, method=method) for method in methods),
    *(lambda: reedsp.reduce(x), lambda: reedsp.segmented_scan(x, heads), lambda: reedsp.compact(x, heads)),
    lambda: reedsp.compact_indices(heads),
]
for call in calls:
    try:
        call()
    except MemoryError as error:
        print(type(error).__name__, error)
print(reedsp.reduce(x[:1000] + 1))
"""


@pytest.mark.deep
def test_77_array_larger_than_the_largest_buffer(device: Device) -> None:
    if "PoCL" not in device.platform_version:
        pytest.skip("only PoCL lets itself be given less memory")
    *refused, right = python(LARGER_THAN_A_BUFFER, REEDSP_DEVICE=str(device.index), POCL_MEMORY_LIMIT="1").splitlines()
    assert len(refused) == 14
    for line in refused:
        assert re.match(r"DeviceMemoryError a buffer of [\d,]{11,} bytes is needed, but .* allows 268,435,456 in", line)
    assert right == "1000.0"


@pytest.mark.deep("OUT_OF_HOST", "INVALID")
@pytest.mark.usefixtures("nothing_else_is_collected")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (cl.MemoryError, "MEM_OBJECT_ALLOCATION_FAILURE"),
        (cl.RuntimeError, "OUT_OF_HOST_MEMORY"),
        (cl.LogicError, "INVALID_BUFFER_SIZE"),
    ],
)
def test_77_allocation_failure_midway(
    kind: type[cl.Error], code: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever allocation fails, the error says so, no buffer outlives it, and a retry succeeds."""
    made: list[weakref.ref[cl.Buffer]] = []

    class ScarceBuffer(cl.Buffer):
        limit = 0

        def __init__(self, *arguments: Any, **options: Any) -> None:
            if len(made) >= self.limit:
                raise failure(kind, code)
            super().__init__(*arguments, **options)
            made.append(weakref.ref(self))

    check(device)
    monkeypatch.setattr(cl, "Buffer", ScarceBuffer)
    monkeypatch.setattr(device.scratch, "largest", 0)  # nothing is recycled
    failures = 0
    for limit in range(100):
        made.clear()
        ScarceBuffer.limit = limit
        try:
            check(device)
        except reedsp.DeviceMemoryError as error:
            message = str(error)
        else:
            break
        failures += 1
        assert re.search(rf"(allocation|use) of [0-9,]+ bytes (of host memory )?failed: .*{code}", message)
        assert len(made) == limit
        gc.collect()
        assert not [reference for reference in made if reference() is not None]
    assert failures == len(made) == limit > 8


INTERRUPT = """
import os, signal, threading
import numpy as np
import reedsp

def solve(n):
    path = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1, int))
    return reedsp.sssp(path, 0, "output-parallel", options={"group_size": 64}).dist

assert solve(50)[-1] == 49
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    solve(1_000_000)
    print("finished")
except KeyboardInterrupt:
    print("interrupted", solve(200)[-1])
"""


@needs_device
@posix_only
def test_78_interrupted_work_leaves_the_device_usable() -> None:
    """All rounds of this path take minutes, the time limit of the child process."""
    assert python(INTERRUPT) == "interrupted 199.0\n"


# ---- threads and processes --------------------------------------------------------------------------


def test_79_threads_share_a_device_and_a_graph(device: Device) -> None:
    graphs = [
        (family, family.graph()) for family in FAMILIES if family.directed and 2 < family.n < 500 and family.weights
    ]
    work = [(family, graph, source % family.n) for family, graph in graphs[:6] for source in (0, 1, 2)]
    work = [each for each in work for _ in range(2)]
    shared, start = fresh(device), threading.Barrier(8)

    def solve(number: int) -> None:
        start.wait()
        for family, graph, source in work[number:] + work[:number]:
            result = reedsp.sssp(graph, source, device=shared)
            assert result.source == source
            assert result.dist.tolist() == expected[family.name, source]
            assert result.verify()

    expected = {
        (family.name, source): [
            float("inf") if d is None else float(d) for d in oracle.distances(family.n, family.edges, source)
        ]
        for family, _, source in work
    }
    with ThreadPoolExecutor(8) as pool:
        for outcome in [pool.submit(solve, number) for number in range(8)]:
            outcome.result()


def test_79_threads_get_the_same_context_and_queue(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def slowly(name: str) -> Callable[..., object]:
        make = getattr(cl, name)

        def make_slowly(*arguments: Any) -> object:
            made.append(name)
            time.sleep(0.05)  # so that every thread arrives meanwhile
            return make(*arguments)

        return make_slowly

    for name in ("Context", "CommandQueue"):
        monkeypatch.setattr(cl, name, slowly(name))
    shared, start = fresh(device), threading.Barrier(8)

    def use(number: int) -> tuple[object, object]:
        start.wait()
        if number % 2:
            return shared.queue, shared.context
        context = shared.context
        return shared.queue, context

    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(use, range(8)))
    assert made == ["Context", "CommandQueue"]
    assert len({(id(queue), id(context)) for queue, context in used}) == 1


def test_79_threads_build_a_kernel_once(
    device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="reedsp.device")
    shared, start = fresh(device), threading.Barrier(4)

    def use(number: int) -> object:
        start.wait()
        return relax(shared)

    with ThreadPoolExecutor(4) as pool:
        assert len({id(kernel) for kernel in pool.map(use, range(4))}) == 1
    assert len([record for record in caplog.records if record.message.startswith("built ")]) == 1


FORK = """
import os, signal, sys
import reedsp
import reedsp.device

graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
actions = {
    "nothing": lambda: None,
    "devices": lambda: len(reedsp.devices()) > 0,
    "solve": lambda: reedsp.sssp(graph, 0).dist.tolist(),
    "verify": lambda: result.verify(),
    "self-test": lambda: device.self_test(),
}
before, after = sys.argv[1:]
if before != "nothing":
    device = reedsp.device.get_device()
    result = reedsp.sssp(graph, 0) if before == "solve" else None
if os.fork() == 0:
    signal.alarm(60)  # ends a child that hangs in a driver
    try:
        print(after, actions[after]())
    except BaseException as error:
        print(after, type(error).__name__, error)
    sys.stdout.flush()
    os._exit(0)
os.wait()
print("parent", actions[before]())
"""


@pytest.mark.deep("verify", "self-test", "devices")
@needs_device
@posix_only
@pytest.mark.parametrize(
    ("before", "after"),
    [("solve", "solve"), ("solve", "verify"), ("solve", "self-test"), ("solve", "devices"), ("devices", "solve")],
)
def test_80_use_after_a_fork_is_refused(before: str, after: str) -> None:
    child, parent = python(FORK, before, after).splitlines()
    assert child.startswith(f"{after} RuntimeError reedsp used OpenCL before this process was forked")
    assert "spawn" in child
    assert parent == f"parent {'[0.0, 7.0, 2.0, 5.0]' if before == 'solve' else True}"


@needs_device
@posix_only
def test_80_fork_before_the_first_use_is_fine() -> None:
    assert python(FORK, "nothing", "solve") == "solve [0.0, 7.0, 2.0, 5.0]\nparent None\n"


# ---- what was done ----------------------------------------------------------------------------------


def test_job_counts_launches_and_bytes(device: Device) -> None:
    job = Job(device)
    assert {name: value for name, value in job.stats().items() if name != "milliseconds"} == {
        "device": str(device),
        "kernels_launched": 0,
        "bytes_to_device": 0,
        "bytes_from_device": 0,
        "bytes_allocated": 0,
    }
    kernel = device.kernel("edges/verify.cl", "jump", **INT32)
    ancestors, new_ancestors = job.upload(np.arange(64, dtype=np.int32)[::-1]), job.allocate(64, np.int32)
    job.launch(kernel, 64, 64, ancestors, new_ancestors, np.uint32(64))
    bound = job.bind(kernel, 60, 64, new_ancestors, ancestors, np.uint32(64))
    for _ in range(3):
        bound.queue()
    job.finish()
    assert job.download(new_ancestors, 64, np.int32).tolist() == list(range(64))
    assert job.download(ancestors, 10, np.int32).tolist() == list(range(10))
    assert job.kernels_launched == 4
    assert job.bytes_to_device == 256
    assert job.bytes_allocated == 512
    assert job.bytes_from_device == 256 + 40
    assert job.stats()["milliseconds"] > 0


def test_result_counts_every_launch(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, launched = cl.enqueue_nd_range_kernel, 0

    def count(*arguments: Any, **options: Any) -> Any:
        nonlocal launched
        launched += 1
        return launch(*arguments, **options)

    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", count)
    graph = RANDOM.graph()
    result = reedsp.sssp(graph, [0, 1, 2], "output-parallel", device=device)
    assert result.stats["kernels_launched"] == launched > result.rounds


def test_argument_changed_between_launches(device: Device) -> None:
    job = Job(device)
    kernel = device.kernel("edges/verify.cl", "jump", **INT32)
    places = job.upload(np.arange(1, 65, dtype=np.int32) % 64)
    left, right = (job.upload(np.full(64, -1, np.int32)) for _ in range(2))
    bound = job.bind(kernel, 64, 64, places, left, np.uint32(3))
    bound.queue()
    bound.set("new_ancestors", right)
    bound.set("n", np.uint32(2))
    bound.queue()
    assert job.download(left, 5, np.int32).tolist() == [2, 3, 4, -1, -1]
    assert job.download(right, 5, np.int32).tolist() == [2, 3, -1, -1, -1]
    with pytest.raises(reedsp.DeviceError, match="jump, argument 2 failed"):
        bound.set("n", np.uint64(2))


def test_text_that_needs_double_precision(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "fp64", False)
    text = "__kernel void put(__global double *numbers) { numbers[0] = 1; }"
    expected = f"{device} has no double precision, which this needs; choose another device"
    with pytest.raises(PrecisionError, match=f"^{re.escape(expected)}$"):
        device.kernels_of_text(text, "this", ["put"])


def test_a_zero_changes_its_sign_between_launches(device: Device) -> None:
    text = "__kernel void put(__global float *numbers, const float number) { numbers[get_global_id(0)] = number; }"
    job = Job(device)
    numbers = job.upload(np.ones(2, np.float32))
    bound = job.bind(device.kernels_of_text(text, "put", ["put"])["put"], 1, 1, numbers, np.float32(0))
    bound.queue()
    for items, zero in ((1, -0.0), (2, 0.0), (1, -0.0)):
        bound.change((items,), numbers, np.float32(zero))
        bound.queue()
    assert np.signbit(job.download(numbers, 2, np.float32)).tolist() == [True, False]


def test_kernel_objects_are_used_again_but_not_by_two_at_a_time(device: Device) -> None:
    job = Job(device)
    kernel = device.kernel("edges/verify.cl", "jump", **INT32)
    places = job.upload(np.arange(1, 65, dtype=np.int32) % 64)
    left, right = (job.upload(np.full(64, -1, np.int32)) for _ in range(2))
    first, second = (job.bind(kernel, 64, 64, places, each, np.uint32(2)) for each in (left, right))
    first.queue()
    unused = len(kernel.handles.get(3, []))
    del first  # whose launch may be still ahead
    assert len(kernel.handles.get(3, [])) == unused + 1
    third = job.bind(kernel, 64, 64, places, right, np.uint32(1))
    assert len(kernel.handles.get(3, [])) == unused
    third.queue()
    assert job.download(left, 3, np.int32).tolist() == [2, 3, -1]
    assert job.download(right, 3, np.int32).tolist() == [2, -1, -1]
    second.queue()
    assert job.download(right, 3, np.int32).tolist() == [2, 3, -1]
    many = [job.bind(kernel, 64, 64, places, right, np.uint32(1)) for _ in range(100)]
    many.clear()
    assert len(kernel.handles.get(3, [])) == 64


def test_nothing_of_python_runs_at_the_end_of_a_job(device: Device) -> None:
    """In which what a signal's handler raises would be lost: Ctrl-C."""
    job = Job(device)
    array = np.arange(1, 65, dtype=np.int32) % 64
    kernel = device.kernel("edges/verify.cl", "jump", **INT32)
    bound = job.bind(kernel, 64, 64, job.reads(array), job.allocate(64, np.int32), np.uint32(2))
    bound.queue()
    job.return_borrowed()
    begun: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: begun.append(frame.f_code.co_name) if event == "call" else None)
    del bound, job
    sys.setprofile(before)
    assert begun == []


def test_kernel_objects_that_had_shared_memory_are_nobody_elses_on_a_gpu(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVIDIA's driver refuses a buffer as an argument that was shared virtual memory before."""
    if not device.handle.svm_capabilities & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        pytest.skip("this device has none")
    job = Job(device)
    kernel = device.kernel("edges/verify.cl", "jump", **INT32)
    places, right = job.upload(np.arange(64, dtype=np.int32)), job.upload(np.full(64, -1, np.int32))
    shared = cl.SVMAllocation(device.context, 256, 8, cl.svm_mem_flags.READ_WRITE, queue=device.queue)
    for kind, kept in (("cpu", 1), ("gpu", 0)):
        monkeypatch.setattr(device, "kind", kind)
        kernel.handles.clear()
        bound = job.bind(kernel, 64, 64, places, shared, np.uint32(1))
        bound.set("new_ancestors", right)
        del bound
        assert len(kernel.handles.get(3, [])) == kept


@needs_device
@pytest.mark.parametrize("dtype", [None, "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("count", [1, 1000, 3_000_001])
def test_copies_to_and_from_a_gpu_go_through_pinned_memory(
    count: int, dtype: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In parts, by several threads if there is much to copy; a CPU that pretends will do."""
    device = fresh(get_device())
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(job_module, "_LARGE_UPLOAD", 4)
    monkeypatch.setattr(job_module, "_LARGE_DOWNLOAD", 4)
    array = np.arange(count, dtype=np.float64) - 5
    array[0] = -0.0
    expected = array if dtype is None else array.astype(dtype) + np.zeros(1, dtype)
    job = Job(device)
    buffer = job.upload(array, dtype)
    found = job.download(buffer, count, expected.dtype)
    assert found.tobytes() == expected.tobytes()
    backwards = np.asfortranarray(np.empty((1, count), expected.dtype))
    job.download_into(backwards, buffer)
    assert backwards.tobytes() == expected.tobytes()
    assert job.bytes_to_device == job.bytes_allocated == expected.nbytes
    assert job.bytes_from_device == 2 * expected.nbytes
    rows = min(count, 7)
    with job.lent(buffer, count - rows, (rows, 1), expected.dtype) as lent:
        assert lent.tobytes() == expected[-rows:].tobytes()
    assert 1 <= len(device.pinned._free) <= 16


@needs_device
def test_rows_larger_than_a_part_are_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    device = fresh(get_device())
    monkeypatch.setattr(device, "kind", "gpu")
    row = np.arange(TRANSFERRED // 4 + 1, dtype=np.int32)
    job = Job(device)
    with job.lent(job.upload(row), 0, (1, len(row)), np.int32) as lent:
        assert np.array_equal(lent[0], row)


@needs_device
def test_pinned_memory_is_given_back_when_a_copy_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    device = fresh(get_device())
    monkeypatch.setattr(device, "kind", "gpu")
    array = np.arange(1 << 22)
    job = Job(device)
    buffer = job.upload(array)
    parts = list(device.pinned._free)
    with monkeypatch.context() as patch:
        patch.setattr(cl, "enqueue_copy", lost_after(3, "enqueue_copy"))
        with pytest.raises(reedsp.DeviceError, match=r"copy from the device failed: .*OUT_OF_RESOURCES"):
            job.download(buffer, array.size, array.dtype)
    assert set(parts) <= set(device.pinned._free)
    assert np.array_equal(job.download(buffer, array.size, array.dtype), array)


@needs_device
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_uploads_are_not_recycled(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that one job has copied to the device outlives that job's small buffers, however it was copied."""
    device = get_device()
    monkeypatch.setattr(device, "kind", kind)
    monkeypatch.setattr(job_module, "_LARGE_UPLOAD", 4)
    job = Job(device, recycle=True)
    array = np.arange(1000, dtype=np.int32)
    kept = job.upload(array)
    job.recycle()
    later = Job(device, recycle=True)
    scratch = later.allocate(1000, np.int32)
    assert scratch.int_ptr != kept.int_ptr
    assert np.array_equal(later.download(kept, 1000, np.int32), array)
    assert later.stats()["bytes_allocated"] == job.stats()["bytes_to_device"] == 4000


def test_kernels_of_a_cpu_use_the_memory_of_arrays(device: Device) -> None:
    """Also of one that is read-only, and of ones that begin anywhere."""
    if device.kind != "cpu":
        pytest.skip("it has memory of its own")
    n = 1 << 18
    memory, result = np.arange(n + 1, dtype=np.int32), np.zeros(n + 1)
    memory.flags.writeable = False
    job, arithmetic = Job(device), Arithmetic(np.dtype(np.int32))
    kernel = device.kernel("edges/distances.cl", "convert_distances", **arithmetic.macros)
    given = job.borrow(memory[1:], writable=False)
    with job.writes(result[1:]) as converted:
        job.launch(kernel, n, 64, given, converted, np.uint64(n))
    assert np.array_equal(result, np.where(memory, memory, 0.0))
    assert job.bytes_allocated == job.bytes_to_device == job.bytes_from_device == 0


def test_arrays_outlive_a_job_whose_end_is_interrupted(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, pressed while a job waits for its kernels because of another one, is lost; their memory is not."""
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: ignored.append(hook.exc_type))

    def pressed() -> None:
        raise KeyboardInterrupt

    for ends, are_kept in ((pressed, True), (device.queue.finish, False)):
        array, job = np.arange(1 << 12, dtype=np.int32), Job(device)
        lives = weakref.ref(array)
        job.queue = SimpleNamespace(finish=ends)  # type: ignore[assignment]
        job.borrow(array, writable=True)
        del array, job
        gc.collect()
        assert (lives() is not None) == are_kept
    assert ignored == [KeyboardInterrupt]


def test_a_cpu_of_an_old_platform_sees_no_host_memory() -> None:
    class Handle(SimpleNamespace):
        @property
        def svm_capabilities(self) -> int:
            raise cl.LogicError("clGetDeviceInfo failed: INVALID_VALUE")

    old = Handle(**{name: value for name, value in vars(FLEET[0].handle).items() if name != "svm_capabilities"})
    assert not Device(0, old).sees_host_memory


def test_a_device_is_not_copied(device: Device) -> None:
    with pytest.raises(TypeError, match=r"^a Device belongs to its process, .* its name or its index stands for it$"):
        pickle.dumps(device)
