"""Which method a call uses: the one that is asked for, or of those that suit a device the first that is right there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from reedsp.device.device import Device
from reedsp.device.selfcheck import none_is_trusted

_Method = TypeVar("_Method", bound=str)


def chosen(
    device: Device,
    what: str,
    asked: _Method | None,
    suited: Sequence[_Method],
    is_right: Callable[[_Method], bool],
    because: str | None = None,
) -> tuple[_Method, str]:
    """Return a method that gives right answers on a device, and why it was chosen.

    Parameters
    ----------
    device : Device
    what : str
        What they find, as an error names it.
    asked : str or None
        The one that is asked for, if any.
    suited : sequence of str
        Those to choose from, the best first.
    is_right : callable(method)
    because : str, optional
        Why the first of these is the best; by default, for the kind of the device.

    Raises
    ------
    DeviceError
        None is right.
    """
    why = because or f"it suits {'CPU devices' if device.kind == 'cpu' else 'GPUs'}"
    methods = suited
    if asked is not None:
        methods, why = [asked], "it was asked for"
    for each in methods:
        if is_right(each):
            return each, why if each == methods[0] else f"{methods[0]} gives wrong answers on this device, or fails"
    raise none_is_trusted(f"{device}: {what} by {' and '.join(methods)} gives wrong answers, or fails")
