"""What an experiment is: cases that yield rows of figures, and a plot of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from reedsp import Device

Row = dict[str, Any]
Case = tuple[str, Callable[[], Iterable[Row]]]


class WrongAnswerError(Exception):
    """An answer is not what it has to be: none of its figures is kept."""


@dataclass(frozen=True)
class Setting:
    """What an experiment is run on.

    Attributes
    ----------
    device : Device
    quick : bool
        Only show that everything works: small inputs, one repeat.
    data : Path or None
        Folder of real graphs, with ``dimacs-ny/USA-road-d.NY.gr.gz``, if there is one.
    """

    device: Device
    quick: bool = False
    data: Path | None = None


@dataclass(frozen=True)
class Experiment:
    """One CSV file, and the plot of it.

    Attributes
    ----------
    about : str
        One line, with the section of the paper.
    cases : callable(Setting) -> sequence of (label, function)
        What is measured, in steps that a run can be interrupted between. Each function returns rows; all rows of an
        experiment have the same columns. Nothing is computed before a function is called.
    plot : callable(rows) -> Figure
        Draws the rows of one device, all of whose values are text, as they are read from the file.
    impossible : callable(Setting) -> str
        Why this cannot run there; empty if it can.
    """

    about: str
    cases: Callable[[Setting], Sequence[Case]]
    plot: Callable[[list[dict[str, str]]], Figure]
    impossible: Callable[[Setting], str] = lambda setting: ""
