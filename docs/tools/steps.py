"""Make the pages that play an algorithm step by step, which the documentation shows in frames.

    python -m docs.tools.steps FOLDER

records each algorithm on the default device. A build of the documentation does that, too: nothing of it is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import reedsp
from reedsp.viewer.page import Page

COLUMNS, ROWS, SEED = 8, 5, 11


def crossings(built: float = 0.8) -> reedsp.Graph:
    """Return the crossings of a small town, a part of whose streets is built, and the minutes from one to the next."""
    random = np.random.default_rng(SEED)
    number = np.arange(COLUMNS * ROWS)
    column, row = number % COLUMNS, number // COLUMNS
    right, down = number[column + 1 < COLUMNS], number[row + 1 < ROWS]
    ends = np.stack([np.concatenate([right, down]), np.concatenate([right + 1, down + COLUMNS])])
    ends = ends[:, random.random(ends.shape[1]) < built]
    places = np.stack([column, -row], axis=1) + random.uniform(-0.22, 0.22, (len(number), 2))
    minutes = random.integers(1, 10, ends.shape[1])
    return reedsp.Graph.from_edges(len(number), *ends, minutes, directed=False).with_coordinates(places)


PAGES = {
    "output-parallel": lambda: reedsp.trace(crossings(), "output-parallel"),
    "input-parallel": lambda: reedsp.trace(crossings(), "input-parallel"),
    "near-far": lambda: reedsp.trace(crossings(), "near-far"),
    "breadth-first": lambda: reedsp.trace(crossings(), "top-down"),
    "floyd-warshall": lambda: reedsp.trace(crossings(), "floyd-warshall-blocked"),
    "components": lambda: reedsp.trace(crossings(0.55), "dulle-components"),
}
"""What is traced, by the name of its page."""


def make(folder: Path) -> None:
    """Write the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, traced in PAGES.items():
        Page([traced().to_json()]).save(folder / f"{name}.html")


def main() -> None:
    """Make them where the command line says."""
    parser = argparse.ArgumentParser(description="pages that play algorithms step by step")
    parser.add_argument("folder", type=Path)
    make(parser.parse_args().folder)


if __name__ == "__main__":
    main()
