"""Which form of search in a hierarchy a device is given."""

from __future__ import annotations

import numpy as np

from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.algorithms.contraction.wide import Wide
from reedsp.device.job import Job

Searches = Batches | Wide


def searches_in(hierarchy: Hierarchy, job: Job) -> Searches:
    """Copy a hierarchy to a device, in the form that is fast there."""
    device = job.device
    is_wide = device.kind != "cpu" and (hierarchy.up.weights.dtype == np.int32 or device.int64_atomics)
    return (Wide if is_wide else Batches)(hierarchy, job)
