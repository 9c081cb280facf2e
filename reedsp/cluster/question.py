"""What all pairs over workers are asked for, checked before anything is sent."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.apsp import METHODS, refuse_searches
from reedsp.algorithms.all_pairs.host_matrix import fingerprint
from reedsp.arithmetic.matrix import Weights, matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic, output_array, result_dtype
from reedsp.cluster.answers import Wanted
from reedsp.cluster.output import Output, kind_of
from reedsp.cluster.work_folder import WorkFolder, partial, refuse_existing
from reedsp.cost_model import choose
from reedsp.cost_model.counts import SPAN
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.negative_cycles import cycle_weight, error_for
from reedsp.graph.graph import Graph
from reedsp.system.options import check_choice, check_memory_limit, checked_options, flag

METHOD_NAMES = ("auto", choose.MATRIX, choose.SEARCHES)
DIST, PRED = "dist", "pred"
"""Names of the results."""


@dataclass(frozen=True)
class Question:
    """What is asked for; checked before anything is sent.

    Attributes
    ----------
    graph : Graph
    reference : Published or None
        The graph, as the workers know it; nothing is sent before all is checked.
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
    reference: Any
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

    def refuse_stale_predecessors(self) -> None:
        """Raise FileExistsError if beside a result without predecessors there are some, which are another's."""
        if self.target is not None and not self.predecessors:
            refuse_existing(predecessor_place(self.target))

    def problem(self) -> dict[str, int | str]:
        """Return what distinguishes one piece of work from another, what is said first of it first."""
        weights = Weights(self.dtype, None, None) if self.weights is None else self.weights
        return {
            **{"function": "apsp", "method": self.method, "dtype": str(self.dtype)},
            **{"negative_cycles": self.negative_cycles, "predecessors": self.predecessors},
            **{"options": str(sorted(self.options.items())), "output": str(self.kind)},
            **{"graph": fingerprint(self.graph, weights), "n": self.graph.n, "vertices at a time": SPAN},
        }

    def outputs(self, folder: WorkFolder) -> dict[str, Output]:
        """Return where workers write rows, as many at a time as it was begun with."""
        assert self.kind is not None
        assert folder.rows is not None
        shape, types = (self.graph.n, self.graph.n), {DIST: self.dtype, PRED: np.dtype(np.int32)}
        return {name: Output(self.kind, folder.result(name), shape, types[name], folder.rows) for name in self.targets}

    def wanted(self, outputs: Mapping[str, Output]) -> Wanted:
        """Return what tasks are to find, and where it goes."""
        return Wanted(self.dtype, self.predecessors, outputs.get(DIST), outputs.get(PRED))

    def error(self, cycle: Sequence[int]) -> NegativeCycleError:
        """Return the error for a negative cycle, given by the indices of its vertices."""
        return error_for(self.graph, cycle, cycle_weight(self.graph, cycle))


def question_of(
    graph: Graph,
    method: str = "auto",
    predecessors: bool = False,
    negative_cycles: str = "raise",
    out: str | os.PathLike[str] | npt.NDArray[Any] | None = None,
    dtype: npt.DTypeLike | None = None,
    memory_limit: int | None = None,
    options: Mapping[str, str] | None = None,
) -> Question:
    """Return the question that these arguments are, which are checked; :func:`reedsp.apsp` says what they mean.

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
    question = Question(
        graph=graph,
        reference=None,
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
    if target is not None and not os.path.lexists(partial(target)):  # beside it they may be its results
        question.refuse_stale_predecessors()
        for place in question.targets.values():
            refuse_existing(place)
    return question


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
