"""Whether Dulle's trees give right answers on a device: they are tried on an array with a known scan first."""

from __future__ import annotations

import dataclasses

from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.primitives.operators import OPERATORS, resolve
from reedsp.primitives.plans import Elements
from reedsp.primitives.selfcheck import known_scan
from reedsp.primitives.strided.trees import Shape, plan_pairs, plan_tree_reduction, plan_tree_scan

_SHORT = 3 * (1 << 11) + 5
_MOST = 1 << 17
"""Elements of the array with a known scan: several nodes and a rest, and for small nodes several levels."""


def check_tree(device: Device, elements: Elements, kind: str, shape: Shape | None) -> None:
    """Check that a tree gives right answers.

    Parameters
    ----------
    device : Device
    elements : Elements
    kind : {"reduction", "scan"}
    shape : Shape or None
        None of a reduction in pairs.

    Raises
    ------
    DeviceError
        It does not.
    """
    # What users' operators make of numbers is not known here, so that sums stand for them.
    if not elements.built_in:
        elements = dataclasses.replace(elements, operator=resolve("add", elements.dtype))
    if shape is not None and shape.local_bytes(elements) > device.local_memory:
        return  # which cannot be built, and says why
    what = "in pairs" if shape is None else f"of {shape.group_size} x {shape.each} elements a work-group"
    name = f"Dulle's {kind} {what}, of {elements.dtype},"
    if not is_trusted(device, name, follows_known_scan, elements, kind, shape, repr(elements.operator.identity)):
        raise none_is_trusted(f"{device}: {name} gives wrong answers, or fails")


def follows_known_scan(device: Device, elements: Elements, kind: str, shape: Shape | None, _identity: str) -> bool:
    """Return whether a scan, or its last element, is that of numpy."""
    job, dtype = Job(device), elements.dtype
    n = _SHORT if shape is None else min(_MOST, max(_SHORT, 2 * shape.tile + 5))
    [op] = (each for each in OPERATORS if resolve(each, dtype).expression == elements.operator.expression)
    known = known_scan(dtype, op, elements.operator.identity, False, n)
    x, out = job.upload(known.x), job.allocate(n, dtype)
    if kind == "scan":
        assert shape is not None
        plan = plan_tree_scan(job, elements, x, out, n, shape)
    elif shape is None:
        plan = plan_pairs(job, elements, x, out, n)
    else:
        plan = plan_tree_reduction(job, elements, x, out, n, shape)
    for kernel in plan:
        kernel.queue()
    expected = known.inclusive if kind == "scan" else known.inclusive[-1:]
    return bool((job.download(out, len(expected), dtype) == expected).all())
