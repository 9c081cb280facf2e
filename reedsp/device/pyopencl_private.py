"""The parts of pyopencl that are not documented, and what they are needed for: nothing else relies on them.

They are below its own layer, which unpickles cache files and obeys the environment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyopencl as cl

TRIED = ("2025.1", "2026.1.4")
"""The oldest and the newest version that this was tried with: see ``tests/device/test_pyopencl_private.py``."""


def from_source(context: cl.Context, source: str) -> cl._cl._Program:
    """Return a program that is still to be built."""
    import pyopencl as cl

    return cl._cl._Program(context, source)


def from_binary(context: cl.Context, device: cl.Device, binary: bytes) -> cl._cl._Program:
    """Return a program that is still to be built."""
    import pyopencl as cl

    return cl._cl._Program(context, [device], [binary])


def built(program: cl._cl._Program, device: cl.Device, options: bytes) -> cl.Program:
    """Build a program for one device, with these options alone.

    Raises
    ------
    pyopencl.Error
    """
    import pyopencl as cl

    program._build(options, [device])
    return cl.Program(program)


def number_setter() -> Callable[[cl.Kernel, int, np.generic | bytes], None]:
    """Return what sets an argument to a number: ``set_arg`` tries every other kind first, for ten microseconds."""
    import pyopencl as cl

    return getattr(cl.Kernel, "_set_arg_buf", cl.Kernel.set_arg)


class _Invokers(dict[Any, Any]):
    """In memory, what pyopencl keeps in a database of pickles and reads again for every kernel object."""

    def store_if_not_present(self, key: Any, value: Any) -> None:
        self.setdefault(key, value)


def keep_invokers_in_memory() -> None:
    """Have pyopencl make kernel objects without its cache on disk: no pickle, and no need of a writable home."""
    import pyopencl as cl

    without_cache = cl._PYOPENCL_NO_CACHE
    cl._PYOPENCL_NO_CACHE = True
    from pyopencl import invoker  # opens the database otherwise

    cl._PYOPENCL_NO_CACHE = without_cache
    invoker.invoker_cache = _Invokers()  # type: ignore[assignment]
