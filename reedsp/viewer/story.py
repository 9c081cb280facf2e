"""What makes a trace of recorded launches: arrays in the user's order, rounds in words."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import infinity
from reedsp.device.device import Device
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph
from reedsp.viewer.recorder import Moment, Recorder
from reedsp.viewer.roles.role import Array, Kernels

Values = list[Any]
"""Of an array, as JSON has them."""

State = Mapping[str, Values]


class Story(ABC):
    """An algorithm that can be traced, on one input and one device.

    Attributes
    ----------
    title : str
    paper : str, optional
        Where it comes from.
    main : str
        The array that bars and colours show.
    arrays : mapping of str to Array
        Those that are shown.
    kernels : mapping
        The roles of all arguments.
    watched, followed : tuple of str
        Those of :class:`.Recorder`.
    """

    title: str
    paper: str | None = None
    main: str
    arrays: dict[str, Array]
    kernels: ClassVar[Kernels]
    watched: ClassVar[tuple[str, ...]] = ()
    followed: ClassVar[tuple[str, ...]] = ()

    def __init__(self, device: Device) -> None:
        self.device = device

    @abstractmethod
    def run(self) -> None:
        """Run the algorithm; its launches are recorded at the second call, when all trials are over."""

    @abstractmethod
    def answer(self) -> State:
        """Return what the library answers, under the names of arrays."""

    @abstractmethod
    def shape(self, name: str) -> list[int]:
        """Return the shape of an array."""

    @abstractmethod
    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return in words what a launch that has changed something has done."""

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the vertices or elements that a launch worked on, or None."""
        return None

    def level(self, moment: Moment) -> int | None:
        """Return which level of a tree a launch has written, that of the leaves is 0; None where there is no tree."""
        return None

    def block(self, moment: Moment) -> tuple[int, int] | None:
        """Return the columns and rows of a matrix that a work-group has written, if not a cell by each work-item."""
        return None

    def first(self) -> dict[str, Values]:
        """Return the arrays before the first launch."""
        return {name: [None] * int(np.prod(self.shape(name))) for name in self.arrays}

    def record(self) -> Recorder:
        """Run twice, and record the second time."""
        self.run()
        recorder = Recorder(self.kernels, self.watched, self.followed)
        with recorder.active():
            self.run()
        return recorder

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the array that a launch has left in the user's order; None if it says nothing."""
        if name not in moment.left:
            return None
        values = moment.left[name][: int(np.prod(self.shape(name)))]
        return self.plain(name, self.in_order(name, values), moment)

    def dtypes(self) -> dict[str, str]:
        """Return the types of those arrays that have one before the first launch."""
        return {}

    def dtype(self, name: str, moment: Moment) -> np.dtype[Any]:
        """Return the type of an array that a launch has left."""
        return moment.left[name].dtype if name in moment.left else np.dtype(np.int32)

    def in_order(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values in the order of the user."""
        return values

    def vertices(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the user's vertices of numbers of the device, none of which is negative."""
        return numbers

    def plain(self, name: str, values: npt.NDArray[Any], moment: Moment) -> Values:
        """Return values as JSON has them, None for those that there are not."""
        holds = self.arrays[name].holds
        if holds == "distances":
            absent = values >= no_path(values.dtype, moment.macros)
        elif holds == "vertices":
            values = values.view(np.dtype(f"i{values.itemsize}"))
            absent = (values < 0) | (values >= np.iinfo(np.int32).max)
            values = self.vertices(np.where(absent, 0, values))
        else:
            absent = np.zeros(len(values), bool)
        return [None if gone else as_json(value) for gone, value in zip(absent.tolist(), values.tolist(), strict=True)]


def no_path(dtype: np.dtype[Any], macros: Mapping[str, str | int]) -> Any:
    """Return the number from which on there is no path."""
    if dtype.kind != "f" and (written := re.search(r"\d+", str(macros.get("NO_PATH", "")))):
        return dtype.type(int(written[0]))
    return infinity(dtype)


def as_json(value: Any) -> Any:
    """Return a number as a trace writes it: JSON knows neither infinities nor integers of more than 53 bits.

    Booleans are 0 and 1.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        if value != value:
            return "nan"
        return {np.inf: None, -np.inf: "-inf"}.get(value, value)
    if isinstance(value, int) and abs(value) > EXACT_IN_FLOAT64:
        return str(value)
    return value


def distances_in_json(dist: npt.NDArray[Any], graph: Graph) -> Values:
    """Return distances of a graph as a trace writes them; where weights are integers, they are."""
    none = np.iinfo(dist.dtype).max if dist.dtype.kind == "i" else np.inf
    whole = graph.has_integral_weights
    return [None if value == none else as_json(int(value) if whole else value) for value in dist.ravel().tolist()]


def changed(before: Values, after: Values) -> list[int]:
    """Return the indices at which two arrays of one length differ."""
    return [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number and what it counts."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names for a message."""
    return ", ".join(f'"{name}"' for name in names)
