"""Programs of the thesis in the language of :mod:`reedsp.pram`, right also where its pseudo-code is not."""

from __future__ import annotations

from reedsp.pram.language import int64
from reedsp.pram.program import program


@program(mode="EREW")
def total(p, n, A: int64[:]):
    """Sum 2n elements into A[0], n a power of two (Algorithm 1)."""
    k = 2 * n
    while k > 1:
        if p < k:
            A[p] = A[2 * p] + A[2 * p + 1]
        k = k // 2
