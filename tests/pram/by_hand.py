"""Programs of a few lines."""

from __future__ import annotations

from reedsp import pram
from reedsp.pram.tree import Mode


def body(text: str, mode: Mode = "CREW", **parameters: str) -> pram.Program:
    """Return the program with this body, from its line 2 on, and these parameters."""
    declared = "".join(f", {name}: {kind}" for name, kind in parameters.items())
    return pram.from_text(f"def f(p, n{declared}):\n    {text}\n", mode=mode)
