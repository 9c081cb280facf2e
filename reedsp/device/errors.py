"""What is raised when a device cannot do what it was asked to."""

from __future__ import annotations

from reedsp.system.public import public


@public
class DeviceError(RuntimeError):
    """No usable OpenCL device, or a device could not do what it was asked to.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1])
    >>> reedsp.sssp(graph, 0, device="abacus")
    Traceback (most recent call last):
        ...
    reedsp.DeviceError: device = 'abacus' fits none of the devices found:
    ...
    """


class PrecisionError(DeviceError):
    """The device does not have this arithmetic at all."""


@public
class DeviceMemoryError(DeviceError, MemoryError):
    """A buffer does not fit on the device; the message says how many bytes were needed.

    Examples
    --------
    It is a ``MemoryError`` as well, so that a program need not know where memory was short:

    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(2, [0], [1])
    >>> try:
    ...     dist = reedsp.apsp(graph).dist
    ... except MemoryError:
    ...     dist = reedsp.apsp(graph, out="distances.npy").dist
    """
