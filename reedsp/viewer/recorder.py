"""Reads what each launch leaves in the buffers that have a role, while an algorithm runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import arguments, text_of
from reedsp.device.job import Launched, recording
from reedsp.viewer.roles.role import SAME, Kernels, Role

_DTYPE_OF = {name: dtype for dtype, name in C_TYPES.items()}


@dataclass(frozen=True)
class Moment:
    """What a launch was and what it has left.

    Attributes
    ----------
    file : str, optional
        In ``cl/``, where the kernel is written; None if it was generated.
    kernel : str
    lines : tuple of int, optional
        The first and the last one of the kernel in its file.
    macros : mapping
    global_size, local_size : tuple of int
    numbers : mapping of str to number
        The arguments that are no memory, by their names.
    reads, writes : tuple of str
        Arrays that have a role.
    left : mapping of str to ndarray
        What the buffers of those that are written to hold, padding included, in the device's order.
    buffers : mapping of str to ndarray
        What the arguments named by ``watched`` of :class:`Recorder` hold.
    """

    file: str | None
    kernel: str
    lines: tuple[int, int] | None
    macros: Mapping[str, str | int]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    numbers: Mapping[str, Any]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    left: Mapping[str, npt.NDArray[Any]]
    buffers: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


class Recorder:
    """Keeps a moment of each launch.

    Parameters
    ----------
    kernels : mapping
        A table of roles.
    watched : sequence of str
        Arguments without a role, of uint32, that are read as well.
    followed : tuple of str
        Beginnings of files that are not in the table, whose buffers are known if they have had a role before.

    Attributes
    ----------
    moments : list of Moment
    sources : dict of str to str
        The text of each file of kernels.
    """

    def __init__(self, kernels: Kernels, watched: Sequence[str] = (), followed: tuple[str, ...] = ()) -> None:
        self._kernels, self._watched, self._followed = kernels, watched, followed
        self._known: dict[int, Role] = {}
        self.moments: list[Moment] = []
        self.sources: dict[str, str] = {}

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Record the launches within this context."""
        with recording(self._keep):
            yield

    def _keep(self, launched: Launched) -> None:
        file, name = launched.kernel.file, launched.kernel.name
        written = text_of(file, name)
        self.sources[written.file] = written.text
        names = arguments(file, name)
        roles = self._roles_of(launched, names)
        left = {
            role.array: launched.read(position).view(dtype_of(role.dtype, launched.kernel.macros))
            for position, role in roles.items()
            if role.writes
        }
        self.moments.append(
            Moment(
                *(written.file, name, (written.first, written.last), launched.kernel.macros),
                *(launched.global_size, launched.local_size),
                {
                    names[position]: given.item() if isinstance(given, np.generic) else given
                    for position, given in enumerate(launched.arguments)
                    if position not in launched.buffers
                },
                tuple(dict.fromkeys(role.array for role in roles.values() if role.reads)),
                tuple(left),
                left,
                {
                    names[position]: launched.read(position).view(np.uint32)
                    for position in launched.buffers
                    if names[position] in self._watched
                },
            )
        )

    def _roles_of(self, launched: Launched, names: Sequence[str]) -> dict[int, Role]:
        """Return the roles of arguments that are shown, by their positions."""
        table = self._kernels.get(launched.kernel.file)
        if table is None:
            if not launched.kernel.file.startswith(self._followed):
                return {}
            found = {position: self._known.get(_address(each)) for position, each in launched.buffers.items()}
            return {position: role for position, role in found.items() if role is not None}
        given = table[launched.kernel.name]
        for argument, role in given.items():
            if not role.array:  # the memory may have been another array's
                self._known.pop(_address(launched.buffers[names.index(argument)]), None)
        shown = {names.index(argument): role for argument, role in given.items() if role.array}
        for position, role in shown.items():
            if role == SAME:
                shown[position] = self._known[_address(launched.buffers[position])]
                continue
            dtype = C_TYPES[dtype_of(role.dtype, launched.kernel.macros)]
            self._known[_address(launched.buffers[position])] = Role(role.array, dtype, True, True)
        return shown


def dtype_of(name: str, macros: Mapping[str, str | int]) -> np.dtype[Any]:
    """Return the type that a table of roles names, which may be by a macro."""
    return _DTYPE_OF[str(macros.get(name, name))]


def _address(memory: Any) -> int:
    return memory.int_ptr if isinstance(memory, cl.Buffer) else memory.mem.ctypes.data
