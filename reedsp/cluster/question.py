"""Questions for all pairs over workers, and where their results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reedsp.algorithms.all_pairs.for_workers import DIST, PRED, Asked, predecessor_place
from reedsp.algorithms.all_pairs.host_matrix import fingerprint
from reedsp.arithmetic.matrix import Weights
from reedsp.cluster.answers import Wanted
from reedsp.cluster.output import Output
from reedsp.cluster.work_folder import WorkFolder
from reedsp.cost_model.counts import SPAN
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.negative_cycles import cycle_weight, error_for
from reedsp.system.files.rows_path import refuse_existing


@dataclass(frozen=True)
class Question(Asked):
    """What is asked for of workers.

    Attributes
    ----------
    reference : Published
        The graph, as the workers know it.
    """

    reference: Any

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
