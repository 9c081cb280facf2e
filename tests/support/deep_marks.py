"""Marks of tests that share a kernel which takes a compiler for CPUs a minute: all of them, or none, are in a run."""

from __future__ import annotations

import pytest


def near_far_in_work_groups(arithmetic: str, *cases: str) -> pytest.MarkDecorator:
    """Return the mark of the cases that search in work-groups and in an arithmetic, by parts of their names.

    Those in int32 and float64 are quick enough for every run, as they share one kernel each.
    """
    return pytest.mark.deep(*cases, group=f"near-far in work-groups and {arithmetic}")
