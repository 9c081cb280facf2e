"""How the work on a matrix on the host is cut up for the devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.arithmetic.matrix import Weights
from reedsp.cost_model.counts import SPAN, TILE
from reedsp.device.device import Device
from reedsp.device.job import round_up
from reedsp.minplus.tilings import works_in_groups

PART_OF_MEMORY = 0.8
"""Of a device, unless the caller says how much."""

_WIDTH = 8192  # rows or columns of the copies of what a product replaces: enough for the largest GPU
_STAGING = 1 << 26  # bytes of host memory that the device reads and writes by itself
_STRIPS = 4  # at least, on each device in each pass: one is computed on while others travel
_HALVINGS = 2  # of staged rows and copies that cost less than one more pass


@dataclass(frozen=True)
class Plan:
    """Sizes, the same ones for all devices.

    Attributes
    ----------
    n, padded : int
        Rows and columns, and these rounded up to tiles.
    parts : int
        How many devices there are.
    pass_spans : int
        Spans that paths are relaxed through while a strip is on a device; 0: each device keeps its rows.
    width : int
        Rows or columns of the copy of what a product replaces.
    staging_rows : int
        Rows that travel at a time.
    """

    n: int
    padded: int
    parts: int
    pass_spans: int
    width: int
    staging_rows: int

    @property
    def resident(self) -> bool:
        """Whether each device keeps its rows."""
        return self.pass_spans == 0

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return -(-self.padded // SPAN)

    @property
    def side(self) -> int:
        """Vertices of the largest span."""
        return min(SPAN, self.padded)

    @property
    def strip_rows(self) -> int:
        """Rows of a strip that travels."""
        return min(self.pass_spans * SPAN, self.padded)

    def first(self, span: int) -> int:
        """Return the first vertex of a span."""
        return span * SPAN

    def size(self, span: int) -> int:
        """Return the number of vertices of a span."""
        return min(SPAN, self.padded - self.first(span))

    def own_spans(self, part: int) -> range:
        """Return the spans whose rows a device keeps: in turn, since each span is more work for its own device."""
        return range(part, self.spans, self.parts)

    def bytes_needed(self, in_groups: bool, item_size: int) -> int:
        """Return the bytes that the first device allocates, which has no less to do than others."""
        rows = 2 * self.staging_rows
        if self.resident:
            rows += sum(map(self.size, self.own_spans(0))) + (2 * self.side if self.parts > 1 else 0)
        else:
            rows += 3 * self.strip_rows
        elements = rows * self.padded + self.side * self.width
        if in_groups:  # what a stage of the diagonal block reads, while it writes another
            elements += self.side**2
        else:  # packed panels, and what is replaced in the diagonal block
            elements += self.side * self.width + 2 * self.side * TILE
        return elements * item_size


def make_plan(
    n: int,
    weights: Weights,
    devices: Sequence[Device],
    memory_limit: int | None,
    checkpoint: Checkpoint | None,
    most_spans: int = 0,
) -> Plan:
    """Choose sizes that fit the memory of every device.

    With `most_spans` strips travel through the device, of so many spans, or of fewer where these do not fit.
    """
    item_size, padded = weights.dtype.itemsize, round_up(n, TILE)
    parts = min(len(devices), -(-padded // SPAN))
    devices = devices[:parts]
    limits = [int(PART_OF_MEMORY * each.global_memory) if memory_limit is None else memory_limit for each in devices]

    def excess(plan: Plan) -> int:
        """Return how many bytes the device with the smallest memory lacks."""
        needed = (plan.bytes_needed(works_in_groups(each), item_size) for each in devices)
        return max(bytes_ - limit for bytes_, limit in zip(needed, limits, strict=True))

    side, width, staging = min(SPAN, padded), min(padded, _WIDTH), max(TILE, _STAGING // (padded * item_size))

    def cut(halvings: int, pass_spans: int) -> Plan:
        """Return the plan with so many spans in a pass, for which other memory is halved some times."""
        copied = max(side, (width >> halvings) // TILE * TILE)
        # what one device keeps and hands to others travels in one piece
        at_once = pass_spans == 0 and parts > 1
        return Plan(
            n, padded, parts, pass_spans, copied, side if at_once else max(TILE, min(side, staging) >> halvings)
        )

    spans = -(-padded // SPAN)
    begun = -(-checkpoint.unfinished[1] // SPAN) if checkpoint is not None and checkpoint.unfinished else 0
    largest = min(each.max_allocation for each in devices) // (SPAN * padded * item_size)
    most = max(1, min(largest, most_spans or spans // (_STRIPS * parts)))
    halvings = range(max(width, staging).bit_length())
    resident = [(times, 0) for times in halvings] if checkpoint is None and not most_spans else []
    streamed = [(times, each) for times in halvings for each in ([begun] if begun else range(most, 0, -1))]
    # the fewer passes, the less travels
    streamed.sort(key=lambda each: (each[0] > _HALVINGS, -(-spans // each[1]), each[0]))
    possible = [cut(*each) for each in resident + streamed]
    for plan in possible:
        if excess(plan) <= 0:
            return plan
    lacking = min(map(excess, possible))
    if memory_limit is None:
        raise ValueError(f"memory_limit: a device has {lacking:,} bytes less than {n:,} vertices need")
    needed = memory_limit + lacking
    raise ValueError(f"memory_limit: {memory_limit:,} bytes, but {n:,} vertices need {needed:,} on each device")


def pieces(total: int, step: int, first: int = 0, size: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the start and length of pieces of a range without the `size` indices from `first` on."""
    for start, end in ((0, first), (first + size, total)):
        for index in range(start, end, step):
            yield index, min(step, end - index)
