"""OpenCL does not survive a fork: which process has called it."""

from __future__ import annotations

import os

_process: int | None = None


def opencl_is_used() -> None:
    """Remember that it is this process that calls OpenCL."""
    global _process
    _process = os.getpid()


def refuse_after_fork() -> None:
    """Raise a RuntimeError if another process has called OpenCL before this one was forked."""
    if _process not in (None, os.getpid()):
        raise RuntimeError(
            "reedsp used OpenCL before this process was forked, and OpenCL does not survive a fork; "
            "start worker processes with multiprocessing.get_context('spawn')"
        )
