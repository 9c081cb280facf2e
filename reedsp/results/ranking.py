"""Which of several names have the largest values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.system.options import integer


def largest(names: Sequence[Any], values: npt.NDArray[np.float64], count: int) -> list[tuple[Any, float]]:
    """Return so many names with their values, the largest first, and of equal ones in their order.

    Raises
    ------
    TypeError
        The count is no integer.
    """
    order = np.argsort(-values, kind="stable")[: max(0, integer(count, "count"))]
    return [(names[each], float(values[each])) for each in order.tolist()]
