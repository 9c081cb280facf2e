"""Through which rooms and modules of reedsp one graph walks, and how often the walk goes on in another module.

    python -m tests.deep.walks [--order]

Each call is made twice, on the device that REEDSP_DEVICE names, and the second is traced: every function of the
package that the calling thread calls is taken as its module. ``--order`` also prints the modules in the order in which
they are first entered. The figures of ``docs/reference/contributing.md`` are from here.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType

import numpy as np

import reedsp
from reedsp.cli import command
from tests.support.modules import room_of_module

VERTICES, EDGES, SEED = 1000, 8000, 2012


class Walk:
    """The modules whose functions a call calls, one after the other."""

    def __init__(self) -> None:
        self.modules: list[str] = []

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Note them for as long as the context lasts."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.split(".")[0] == "reedsp" and self.modules[-1:] != [module]:
            self.modules.append(module)

    @property
    def order(self) -> list[str]:
        """The modules in the order of their first entry."""
        return list(dict.fromkeys(self.modules))

    @property
    def changes(self) -> int:
        """How often it goes on in another module than the one before."""
        return max(0, len(self.modules) - 1)


def random_graph() -> reedsp.Graph:
    """Return the graph that walks."""
    rng = np.random.default_rng(SEED)
    ends = rng.integers(0, VERTICES, (2, EDGES))
    return reedsp.Graph.from_edges(VERTICES, *ends, rng.integers(1, 1001, EDGES))


def calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the calls by what a user writes."""
    graph, file = random_graph(), folder / "graph.gr"
    reedsp.write(graph, file)

    def command_line() -> None:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert command.run(["sssp", os.fspath(file), "--source", "1"]) == 0

    return {
        "sssp(graph, 0)": lambda: reedsp.sssp(graph, 0),
        'sssp(graph, 0, "output-parallel")': lambda: reedsp.sssp(graph, 0, "output-parallel"),
        "apsp(graph, predecessors=True)": lambda: reedsp.apsp(graph, predecessors=True),
        "reedsp sssp FILE": command_line,
    }


def walk_of(call: Callable[[], object]) -> Walk:
    """Return the walk of a call that has been made before."""
    call()
    walk = Walk()
    with walk.recorded():
        call()
    return walk


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--order", action="store_true", help="print the modules, too")
    arguments = parser.parse_args()
    print("| call | rooms | modules | changes of module |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)).items():
            walk = walk_of(call)
            rooms = {room_of_module(module.removeprefix("reedsp.")) for module in walk.order}
            print(f"| `{name}` | {len(rooms)} | {len(walk.order)} | {walk.changes} |")
            if arguments.order:
                print(*walk.order, sep=" > ")


if __name__ == "__main__":
    main()
