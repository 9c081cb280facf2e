"""The sums that every kind of betweenness is made of, by the method that fits the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reedsp.algorithms.structure.centrality.selfcheck import finds_known_sums
from reedsp.algorithms.structure.centrality.sums import Question, Sums
from reedsp.algorithms.structure.centrality.work_groups import sum_by_work_groups
from reedsp.algorithms.structure.centrality.work_items import sum_by_work_items
from reedsp.device.device import Device
from reedsp.device.errors import PrecisionError
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.system.progress_bar import Report

METHODS: dict[str, Callable[..., Sums]] = {"work-items": sum_by_work_items, "work-groups": sum_by_work_groups}
"""What CPU devices do, and what GPUs do."""


def method_of(device: Device) -> str:
    """Return the method that fits a device."""
    return "work-items" if device.kind == "cpu" else "work-groups"


def sum_up(question: Question, method: str, job: Job, report: Report | None = None) -> Sums:
    """Sum up the dependencies of all sources on every vertex.

    Raises
    ------
    PrecisionError
        The device has no float64.
    DeviceError
        It gives wrong answers, or fails.
    """
    device = job.device
    if not device.fp64:
        raise PrecisionError(f"{device} has no double precision, which betweenness needs; choose another device")

    def require(form: str) -> None:
        trial: tuple[Any, ...] = (finds_known_sums, METHODS[method], question.edges, form)
        if not is_trusted(device, f"betweenness in {method} with {form} numbers of paths", *trial):
            raise none_is_trusted(f"{device}: betweenness in {method} gives wrong answers, or fails")

    return METHODS[method](question, job, report, require)
