"""What reedsp takes from pyopencl that it does not document works with the version that is installed."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from reedsp.device import Device, pyopencl_private

SOURCE = "__kernel void put(__global int *x, const int number) { x[0] = number; }"


def value_from(device: Device, program: cl.Program, number: np.generic) -> int:
    kernel, found = cl.Kernel(program, "put"), np.zeros(1, np.int32)
    buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 4)
    kernel.set_arg(0, buffer)
    pyopencl_private.number_setter()(kernel, 1, number)
    cl.enqueue_nd_range_kernel(device.queue, kernel, (1,), (1,))
    cl.enqueue_copy(device.queue, found, buffer)
    return int(found[0])


def test_programs_from_sources_and_binaries(device: Device) -> None:
    unbuilt = pyopencl_private.from_source(device.context, SOURCE)
    program = pyopencl_private.built(unbuilt, device.handle, b"-cl-std=CL1.2")
    assert value_from(device, program, np.int32(7)) == 7
    [binary] = program.get_info(cl.program_info.BINARIES)
    again = pyopencl_private.from_binary(device.context, device.handle, binary)
    assert value_from(device, pyopencl_private.built(again, device.handle, b"-cl-std=CL1.2"), np.int32(8)) == 8


def test_log_of_a_program_that_does_not_build(device: Device) -> None:
    program = pyopencl_private.from_source(device.context, "no kernel")
    with pytest.raises(cl.Error):
        pyopencl_private.built(program, device.handle, b"")
    assert program.get_build_info(device.handle, cl.program_build_info.LOG)


def test_numbers_of_the_wrong_size_are_refused(device: Device) -> None:
    program = pyopencl_private.built(pyopencl_private.from_source(device.context, SOURCE), device.handle, b"")
    with pytest.raises(cl.Error):
        pyopencl_private.number_setter()(cl.Kernel(program, "put"), 1, np.int64(1))


def test_fast_way_to_set_a_number_is_there() -> None:
    """Without it numbers are set all the same, but slower."""
    assert hasattr(cl.Kernel, "_set_arg_buf"), f"not in pyopencl {cl.version.VERSION_TEXT}"


def test_invokers_are_kept_in_memory(device: Device) -> None:
    from pyopencl import invoker

    assert isinstance(invoker.invoker_cache, pyopencl_private._Invokers), "reedsp.device has replaced it"
    before = len(invoker.invoker_cache)
    program = pyopencl_private.from_source(device.context, SOURCE)
    cl.Kernel(pyopencl_private.built(program, device.handle, b""), "put")
    assert len(invoker.invoker_cache) >= max(1, before), "pyopencl keeps what makes kernels elsewhere"
