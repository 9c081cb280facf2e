"""Every kernel in every configuration on small inputs, to be run under Oclgrind's race detector.

    oclgrind --data-races --uninitialized --max-errors 20 --log LOG python tests/under_oclgrind.py [--plant N]

The answers are checked here; races, uninitialised reads and invalid accesses are what Oclgrind writes to LOG, which
has to stay empty (its exit status says nothing). ``--plant N`` first removes the N-th barrier of the kernels, to show
that the lane would notice; ``--count-barriers`` prints how many there are.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import oracle
from families import FAMILIES, NEGATIVE_CYCLES, Family

import reedsp
from reedsp import kernels
from reedsp.device import Job, get_device

GROUP_SIZE = 16
LARGEST = 300  # edges: two work-groups and a tail at least, and still quick in a simulator


def barriers(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    """Return every barrier of the kernel sources."""
    return [
        (file, match)
        for file in sorted(folder.glob("*.cl"))
        for match in re.finditer(r"^ *barrier\(.*\);\n", file.read_text(), re.MULTILINE)
    ]


def plant(number: int, folder: Path) -> None:
    """Use a copy of the kernels without one of the barriers."""
    copy = Path(tempfile.mkdtemp()) / "cl"
    shutil.copytree(folder, copy)
    file, match = barriers(copy)[number]
    text = file.read_text()
    line = text.count("\n", 0, match.start()) + 1
    file.write_text(text[: match.start()] + "\n" + text[match.end() :])
    print(f"removed the barrier in {file.name}, line {line}")
    kernels.kernel_directory = lambda: copy


def keep_buffers() -> None:
    """Never free a buffer: Oclgrind 21.10 gives a new buffer the initialisation record of a freed, smaller one."""
    kept = []
    for name in ("allocate", "upload"):
        make = getattr(Job, name)

        def make_and_keep(*args: object, make: object = make) -> object:
            kept.append(make(*args))
            return kept[-1]

        setattr(Job, name, make_and_keep)


def graph_of(family: Family, dtype: type) -> reedsp.Graph:
    weights = np.array(family.weights, dtype)
    return reedsp.Graph.from_edges(family.n, family.sources, family.targets, weights, directed=family.directed)


def check(family: Family, graph: reedsp.Graph, options: dict[str, object]) -> None:
    """Solve and compare with the oracle."""
    expected = oracle.distances(family.n, family.edges, family.source)
    result = reedsp.sssp(graph, family.source, options=options)
    assert result.dist.tolist() == [float("inf") if d is None else float(d) for d in expected], family.name
    assert result.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected), family.name
    assert result.verify()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plant", type=int)
    parser.add_argument("--count-barriers", action="store_true")
    arguments = parser.parse_args()
    folder = kernels.kernel_directory()
    if arguments.count_barriers:
        print(len(barriers(folder)))
        return
    if arguments.plant is not None:
        plant(arguments.plant, folder)
    keep_buffers()
    device = get_device("oclgrind")
    device.self_test()
    for family in FAMILIES:
        if len(family.weights) > LARGEST:
            continue
        for cooperative, ordered in itertools.product((False, True), repeat=2):
            options = {"cooperative_loading": cooperative, "in_degree_order": ordered, "group_size": GROUP_SIZE}
            check(family, graph_of(family, np.int64), options)
        for dtype, early_stop in ((np.float64, True), (np.int64, family.n > 100)):
            graph = graph_of(family, dtype)
            if dtype is np.float64:  # a half makes the arithmetic fractional
                graph = reedsp.Graph(graph.indptr, graph.indices, graph.weights + 0.5, directed=True)
                assert reedsp.sssp(graph, family.source, options={"group_size": GROUP_SIZE}).verify()
            else:
                check(family, graph, {"cooperative_loading": True, "early_stop": early_stop, "group_size": GROUP_SIZE})
    for family in NEGATIVE_CYCLES:
        if len(family.weights) <= LARGEST:
            for cooperative in (False, True):
                options = {"cooperative_loading": cooperative, "group_size": GROUP_SIZE}
                with pytest.raises(reedsp.NegativeCycleError) as found:
                    reedsp.sssp(graph_of(family, np.int64), family.source, options=options)
                assert oracle.closed_walk_weight(family.edges, found.value.cycle) < 0
    print("all answers are right")


if __name__ == "__main__":
    main()
