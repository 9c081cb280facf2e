"""Failures of a device, as pyopencl raises them."""

from __future__ import annotations

import pyopencl as cl

MEMORY = (cl.MemoryError, "MEM_OBJECT_ALLOCATION_FAILURE")
LOST = (cl.RuntimeError, "OUT_OF_RESOURCES")
KINDS = {
    "Buffer": MEMORY,
    "enqueue_nd_range_kernel": LOST,
    "enqueue_copy": LOST,
    "enqueue_fill_buffer": LOST,
    "enqueue_map_buffer": LOST,
}
"""Names in pyopencl, and how each of them fails."""


def failure(kind: type[cl.Error], code: str) -> cl.Error:
    """Return an error as pyopencl raises it."""
    return kind(cl._cl._ErrorRecord(msg="planted", code=getattr(cl.status_code, code), routine="clPlanted"))
