"""Figures of the papers, for comparison. Of times, the thesis has plots only: its text tells none."""

from __future__ import annotations

THESIS_TOO_LARGE = 4096
"""Vertices whose matrix the GPU of the thesis cannot hold twice: the points of figure 6.1 end before (6.1.1)."""

THESIS_GROWTH = 2
"""Power of the number of vertices that the time in figure 6.2 grows with (6.1.2)."""

THESIS_COST_OF_REPORT = 0.1
"""Part of its time that a round takes longer where updates are reported, as behind figure 6.3 (6.1.2)."""

LUND_SMITH_METHODS = ("cpu", "harish-narayanan", "katz-kider", "optimized-blocked", "staged-load")
_LUND_SMITH_TABLE_1 = {  # vertices: seconds of each method, in float32; 0 where the paper has none
    1024: (2.405, 0.408, 0.108, 0.0428, 0.0274),
    2048: (18.38, 3.212, 0.65, 0.282, 0.14),
    3072: (62.04, 10.99, 2.01, 0.653, 0.401),
    4096: (145.2, 26.05, 4.62, 2.06, 0.934),
    5120: (0, 50.87, 8.84, 4.02, 1.76),
    6144: (0, 87.9, 15.09, 6.89, 2.98),
    7168: (0, 0, 23.82, 10.9, 4.65),
    8192: (0, 208.6, 35.37, 16.39, 6.88),
    9216: (0, 0, 50.24, 23.05, 9.71),
    10240: (0, 0, 68.67, 31.52, 13.22),
    11264: (0, 0, 91.08, 41.82, 17.48),
    12288: (0, 0, 0, 54.05, 22.67),
    13312: (0, 0, 0, 68.56, 28.63),
    14336: (0, 0, 0, 85.56, 36.7),
    15360: (0, 0, 0, 0, 43.74),
    16384: (0, 0, 277.8, 126.9, 53.02),
    17408: (0, 0, 0, 0, 63.4),
}
LUND_SMITH_SECONDS: dict[str, dict[int, float]] = {
    method: {n: seconds[column] for n, seconds in _LUND_SMITH_TABLE_1.items() if seconds[column]}
    for column, method in enumerate(LUND_SMITH_METHODS)
}
"""By method and vertices; "cpu" on one core of an AMD Phenom 9950, the others on an NVIDIA Tesla C1060."""

LUND_SMITH_DEVICE = "Tesla C1060"
LUND_SMITH_RATES_AT = 4096
"""Vertices; the tasks per second that section 5 of the paper names are those of this line of the table."""

LUND_SMITH_COPY = 77.0
"""Gigabytes per second that a copy on the device was measured to read and write (section 3.1)."""

LUND_SMITH_GIGAFLOPS = 933.0
"""As advertised (section 3.1), which is three operations of each lane in each clock."""

BYTES_PER_TASK = 16
"""Three reads and a write of global memory, with one work-item for each task (section 3.1)."""
