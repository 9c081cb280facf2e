"""What all pairs over workers are asked for, checked before anything is sent."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.apsp import METHODS, refuse_searches
from reedsp.arithmetic.matrix import Weights, matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic, output_array, result_dtype
from reedsp.cost_model import choose
from reedsp.graph.graph import Graph
from reedsp.system.files.rows_path import kind_of, refuse_taken
from reedsp.system.options import check_choice, check_memory_limit, checked_options, flag

METHOD_NAMES = ("auto", choose.MATRIX, choose.SEARCHES)
DIST, PRED = "dist", "pred"
"""Names of the results."""


@dataclass(frozen=True)
class Asked:
    """What is asked for, in arguments that are right.

    Attributes
    ----------
    graph : Graph
    method : str
    predecessors, negative_cycles, memory_limit
        As for :func:`reedsp.apsp`.
    dtype : dtype
        Of the distances.
    options : mapping
        Of the method.
    kind : str or None
        Of the output.
    target : Path or None
    """

    graph: Graph
    method: str
    predecessors: bool
    negative_cycles: str
    dtype: np.dtype[Any]
    options: Mapping[str, str]
    memory_limit: int | None
    kind: str | None
    target: Path | None

    @functools.cached_property
    def weights(self) -> Weights | None:
        """The arithmetic of a matrix."""
        return matrix_weights(self.graph, choose_arithmetic(self.graph, self.dtype))

    @property
    def targets(self) -> dict[str, Path]:
        """Where results go."""
        if self.target is None:
            return {}
        places = {PRED: predecessor_place(self.target)} if self.predecessors else {}
        return {**places, DIST: self.target}


def checked(
    graph: Graph,
    method: str = "auto",
    predecessors: bool = False,
    negative_cycles: str = "raise",
    out: str | os.PathLike[str] | npt.NDArray[Any] | None = None,
    dtype: npt.DTypeLike | None = None,
    memory_limit: int | None = None,
    options: Mapping[str, str] | None = None,
) -> Asked:
    """Return what these arguments ask for, which are checked; :func:`reedsp.apsp` says what they mean.

    Raises
    ------
    ValueError, TypeError, OverflowError
        An argument is wrong.
    FileExistsError, FileNotFoundError
        Where the result is to go there is something, or no folder for it.
    """
    if negative_cycles not in ("raise", "mark"):
        raise ValueError(f"negative_cycles = {negative_cycles!r}, expected 'raise' or 'mark'")
    if memory_limit is not None:
        memory_limit = check_memory_limit(memory_limit)
    predecessors = flag(predecessors, "predecessors")
    choices = _checked_choices(method, options)
    result = _checked_dtype(graph, out, dtype)
    if method == choose.SEARCHES and memory_limit is not None and graph.n:
        raise ValueError("memory_limit: needs method='floyd-warshall'")
    kind, target = (None, None) if out is None or isinstance(out, np.ndarray) else kind_of(out)
    asked = Asked(
        graph=graph,
        method=method,
        predecessors=predecessors,
        negative_cycles=negative_cycles,
        dtype=result,
        options=choices,
        memory_limit=memory_limit,
        kind=kind,
        target=target,
    )
    if method == choose.SEARCHES:
        refuse_searches(graph, negative_cycles)
    if target is not None:  # predecessors beside it would be those of another result
        refuse_taken(predecessor_place(target), target, beside=target)
    return asked


def _checked_choices(method: str, options: Mapping[str, str] | None) -> dict[str, str]:
    """Return the options of a method, which is checked as well; "auto" has those of a matrix."""
    check_choice("method", method, METHOD_NAMES)
    named = choose.MATRIX if method == "auto" else method
    others = {each: METHODS[each] for each in METHOD_NAMES[1:]} if method == "auto" else None
    choices = checked_options(options, METHODS[named].options, repr(named), others)
    if choices.get("kernel", "blocked") != "blocked":
        raise ValueError(f"options: kernel = {choices['kernel']!r} works on one device, workers need 'blocked'")
    return choices


def _checked_dtype(
    graph: Graph, out: str | os.PathLike[str] | npt.NDArray[Any] | None, dtype: npt.DTypeLike | None
) -> np.dtype[Any]:
    """Return the type of the distances, which an array that is to be filled has."""
    if not isinstance(out, np.ndarray):
        return result_dtype(dtype, graph)
    result = result_dtype(out.dtype, graph, "out.dtype") if dtype is None else result_dtype(dtype, graph)
    output_array(out, (graph.n, graph.n), result)
    return result


def predecessor_place(target: Path) -> Path:
    """Return where predecessors go beside distances."""
    return target.with_name(f"{target.stem}.pred{target.suffix}")
