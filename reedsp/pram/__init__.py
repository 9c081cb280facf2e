"""PRAM programs: written in Python, interpreted step by step, and compiled to OpenCL.

A PRAM (parallel random access machine) has n processors that execute one program in lock step on a common memory. This
is the machine of S. Dulle, *Implementierungen von parallelen Algorithmen auf GPGPUs*, Hannover, 2016, chapters 2 and 4.
"""

from __future__ import annotations

from typing import Any

from reedsp.pram.compiler.plan import OPTIMIZATIONS
from reedsp.pram.errors import (
    ConflictError,
    EndlessLoopError,
    NotProvenError,
    OutOfRangeError,
    PramError,
    ProgramError,
    RunError,
    UndefinedError,
)
from reedsp.pram.language import Global, boolean, ceil_log2, float32, float64, int32, int64, select
from reedsp.pram.program import Program, Result, from_text, program

__all__ = [
    "OPTIMIZATIONS",
    "ConflictError",
    "EndlessLoopError",
    "Global",
    "NotProvenError",
    "OutOfRangeError",
    "PramError",
    "Program",
    "ProgramError",
    "Result",
    "RunError",
    "UndefinedError",
    "boolean",
    "ceil_log2",
    "examples",
    "float32",
    "float64",
    "from_text",
    "int32",
    "int64",
    "program",
    "select",
]


def __getattr__(name: str) -> Any:
    if name == "examples":  # read when they are first used, as each of them is parsed then
        import importlib

        return importlib.import_module("reedsp.pram.examples")
    raise AttributeError(f"module 'reedsp.pram' has no attribute {name!r}")
