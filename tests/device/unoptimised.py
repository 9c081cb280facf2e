"""Kernels for GPUs that PoCL takes up to a minute to optimise, and that no CPU is given unasked.

Tests have them built as they are, in a second. What PoCL's optimiser makes of them is tried by ``--deep all``; other
optimisers, and those of the devices that they are for, always have their part.
"""

from __future__ import annotations

import pyopencl as cl

from reedsp.device import build

KERNELS = frozenset(
    {
        "centrality/levels.cl",
        "primitives/single_pass_scan.cl",
        "single_source/near_far_local.cl",
        "single_source/near_far_work_group.cl",
        "sort/radix_lanes.cl",
        "sort/radix_work_group.cl",
        "traversal/queue_levels.cl",
    }
)
"""Files of ``cl/``, each with its folder."""

_OPTIMISER = "Portable Computing Language"

_build_as_users_do = build._build


def leave_as_they_are() -> None:
    """Have this process, but no child process, build these kernels without the optimiser from now on."""
    build._build = _build


def _build(context: cl.Context, device: cl.Device, source: str, title: str, options: bytes) -> cl.Program:
    if device.platform.name == _OPTIMISER and title.removeprefix("cl/") in KERNELS:
        options += b" -cl-opt-disable"
    return _build_as_users_do(context, device, source, title, options)
