"""What a call will take: seconds, within limits, and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from reedsp.cost_model.choose import time_text
from reedsp.system.public import public


@public
@dataclass(frozen=True)
class Estimate:
    """What a call will take, as far as can be said without solving.

    Attributes
    ----------
    method : str
        That it will take.
    seconds : float
        Of the call, when kernels are built and the graph is on the device.
    low, high : float
        Between which nineteen of twenty measured calls were, on a machine that was calibrated and does nothing else;
        wider where the device was not, or little is known of the method.
    device_bytes, host_bytes, disk_bytes : int
        Memory of the device, of the host for the answer, and of files, where they need most room.
    because : str
        Why this method, in a sentence.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
    >>> expected = reedsp.estimate(graph, "apsp", predecessors=True)
    >>> expected.host_bytes
    108
    >>> 0 < expected.low < expected.seconds < expected.high < 1
    True
    """

    method: str
    seconds: float
    low: float
    high: float
    device_bytes: int
    host_bytes: int
    disk_bytes: int
    because: str

    def __str__(self) -> str:
        return f"{time_text(self.seconds)} ({time_text(self.low)} to {time_text(self.high)}) by {self.method}"
