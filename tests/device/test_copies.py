"""Copies of rows from one buffer to another, as the strictest driver allows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from reedsp.device.device import Device
from reedsp.device.job import Job


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse, as NVIDIA's driver does, rows of which the last one's pitch ends beyond a buffer, or none at all."""
    copy = cl.enqueue_copy

    def checked(queue: cl.CommandQueue, target: Any, source: Any, **options: Any) -> cl.Event:
        if "region" in options:
            rows = options["region"][1]
            assert rows > 0
            for buffer, side in ((target, "dst"), (source, "src")):
                (pitch,) = options[f"{side}_pitches"]
                assert (options[f"{side}_origin"][1] + rows) * pitch <= buffer.size
        return copy(queue, target, source, **options)

    monkeypatch.setattr(cl, "enqueue_copy", checked)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("n", [1, 2, 64])
def test_a_diagonal(n: int, device: Device) -> None:
    """Its elements are a row and an element apart, so that the pitch of the last one ends behind the matrix."""
    job, matrix = Job(device), np.arange(n * n, dtype=np.int32)
    there = job.upload(matrix)
    diagonal = job.upload(np.full(n, -1, np.int32))
    job.copy_rows(diagonal, 0, 4, there, 0, 4 * (n + 1), 4, n)
    assert job.download(diagonal, n, np.int32).tolist() == matrix[:: n + 1].tolist()
    job.copy_rows(there, 0, 4 * (n + 1), job.upload(np.full(n, 7, np.int32)), 0, 4, 4, n)
    matrix[:: n + 1] = 7
    assert job.download(there, n * n, np.int32).tolist() == matrix.tolist()


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("first", [0, 17, 53])
def test_a_block(first: int, device: Device) -> None:
    job, matrix = Job(device), np.arange(60, dtype=np.int64).reshape(10, 6)
    there, block = job.upload(matrix), job.upload(np.zeros(4, np.int64))
    rows = min(2, (60 - first) // 6)
    job.copy_rows(block, 0, 16, there, 8 * first, 48, 16, rows)
    wanted = np.zeros(4, np.int64)
    for row in range(rows):
        wanted[2 * row : 2 * row + 2] = matrix.ravel()[first + 6 * row : first + 6 * row + 2]
    assert job.download(block, 4, np.int64).tolist() == wanted.tolist()
