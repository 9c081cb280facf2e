"""All questions of ``ask.py``: how often each is asked, with which arguments, and what checks its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.deep.differential import answers, structures
from tests.deep.differential.cases import Case, Number

CHECKS: dict[str, Callable[[Case, Any], None]] = {**answers.CHECKS, **structures.CHECKS}
QUESTIONS: dict[str, float] = {**answers.QUESTIONS, **structures.QUESTIONS}


def choose(rng: np.random.Generator, question: str, n: int, weights: list[Number], weight_type: str) -> dict[str, Any]:
    """Choose the arguments of a question."""
    if question in structures.CHECKS:
        return structures.choose(rng, question, n)
    return answers.choose(rng, question, n, weights, weight_type)


def check(case: Case, device: Any = None) -> None:
    """Raise Mismatch if reedsp answers a case wrong.

    Parameters
    ----------
    case : Case
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. What takes no device runs on the one that ``REEDSP_DEVICE`` names.
    """
    CHECKS[case.question](case, device)
