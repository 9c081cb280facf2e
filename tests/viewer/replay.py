"""What the arrays of a trace hold at each step, by the rules of its format alone."""

from __future__ import annotations

from math import prod
from typing import Any


def states(trace: dict[str, Any]) -> list[dict[str, list[Any]]]:
    """Return the arrays after each step."""
    now = {name: [None] * prod(array["shape"]) for name, array in trace["arrays"].items()}
    seen = []
    for step in trace["steps"]:
        now = {name: list(values) for name, values in now.items()}
        for name, change in step["changes"].items():
            if isinstance(change, dict):
                now[name] = list(change["all"])
            else:
                for index, value in change:
                    now[name][index] = value
        seen.append(now)
    return seen
