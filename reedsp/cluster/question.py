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
from reedsp.arithmetic.paths import choose_arithmetic, result_dtype
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

    def problem(self) -> dict[str, int | str]:
        """Return what distinguishes one piece of work from another."""
        weights = Weights(self.dtype, None, None) if self.weights is None else self.weights
        asked = f"{self.dtype} {self.negative_cycles} {self.predecessors} {sorted(self.options.items())}"
        return {
            **{"fingerprint": fingerprint(self.graph, weights), "n": self.graph.n, "method": self.method},
            **{"asked for": asked, "output": str(self.kind), "vertices at a time": SPAN},
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
    out: str | os.PathLike[str] | None = None,
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
        check_memory_limit(memory_limit)
    predecessors = flag(predecessors, "predecessors")
    check_choice("method", method, METHOD_NAMES)
    named = choose.MATRIX if method == "auto" else method
    choices = checked_options(options, METHODS[named].options, repr(named))
    if choices.get("kernel", "blocked") != "blocked":
        raise ValueError(f"options: kernel = {choices['kernel']!r} works on one device, workers need 'blocked'")
    kind, target = (None, None) if out is None else kind_of(out)
    question = Question(
        graph=graph,
        reference=None,
        method=choose.MATRIX if choices else method,
        predecessors=predecessors,
        negative_cycles=negative_cycles,
        dtype=result_dtype(dtype, graph),
        options=choices,
        memory_limit=memory_limit,
        kind=kind,
        target=target,
    )
    if method == choose.SEARCHES:
        refuse_searches(graph, negative_cycles)
    if target is not None and not os.path.lexists(partial(target)):  # beside it they may be its results
        for place in question.targets.values():
            refuse_existing(place)
    return question


def predecessor_place(target: Path) -> Path:
    """Return where predecessors go beside distances."""
    return target.with_name(f"{target.stem}.pred{target.suffix}")
