"""What Oclgrind says is uninitialised is, once its records of freed buffers do no harm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.rooms import ROOT

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(shutil.which("oclgrind") is None, reason="what the simulator Oclgrind says is tested"),
]

SMALL_THEN_LARGE = """
import sys
import numpy as np
import pyopencl as cl
from reedsp.device.build import build_generated
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from tests.deep.oclgrind.initialised import know_what_is_initialised

keeps, written = map(int, sys.argv[1:])
if keeps:
    know_what_is_initialised()
device = get_device("oclgrind")
program = build_generated(device.context, device.handle, '''
kernel void write(global int *x) { x[get_global_id(0)] = 7; }
kernel void read(global const int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0)]; }
''', "the probe")
write, read = cl.Kernel(program, "write"), cl.Kernel(program, "read")
for n in (4, 8):
    job = Job(device)
    x, y = job.allocate(n, np.int32), job.allocate(n, np.int32)
    write(device.queue, (min(n, written),), (1,), x)
    read(device.queue, (n,), (1,), x, y)
    assert job.download(y, n, np.int32).tolist() == [7] * min(n, written) + [0] * (n - min(n, written))
    del job, x, y
"""


def reported(log: Path, keeps: bool, written: int) -> list[str]:
    """Return which bytes of the larger buffer are reported, of which so many elements are written."""
    simulate = ["oclgrind", "--uninitialized", "--max-errors", "99", "--log", str(log)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REEDSP_DEVICE": "oclgrind"}
    command = [*simulate, sys.executable, "-c", SMALL_THEN_LARGE, str(int(keeps)), str(written)]
    subprocess.run(command, check=True, env=environment, cwd=ROOT, timeout=300)
    lines = log.read_text().splitlines()
    return sorted(line[-2:] for line in lines if line.startswith("Uninitialized value written to global"))


def test_what_is_behind_the_end_of_a_freed_buffer_is_reported(tmp_path: Path) -> None:
    """Wrongly. A simulator that does not do so needs no help, and this file can go."""
    assert reported(tmp_path / "log", False, 8) == ["10", "14", "18", "1c"]


def test_nothing_is_reported_where_buffers_are_kept(tmp_path: Path) -> None:
    assert reported(tmp_path / "log", True, 8) == []


def test_what_is_uninitialised_is_still_reported(tmp_path: Path) -> None:
    assert reported(tmp_path / "log", True, 6) == ["18", "1c"]
