"""Machines whose parameters are recorded, so that decisions can be tested without a clock."""

from __future__ import annotations

from reedsp.cost_model.families import Known
from reedsp.cost_model.machine import Machine

# `reedsp calibrate` with PoCL 3.1 on two cores of an AMD EPYC
POCL = Known(
    Machine(
        latencies=(
            *((16384, 1.3723e-9), (131072, 4.152e-9), (1048576, 9.3364e-9), (4194304, 1.52063e-8)),
            *((16777216, 1.271275e-7), (67108864, 1.271275e-7)),
        ),
        bandwidth=4.06737e10,
        random_reads=2.63642e8,
        atomic_minima=1.9765e8,
        coalesced=32,
        threads=2,
        barrier=3.0365e-8,
        launch=1.88284e-6,
        read_back=4.85805e-5,
        upload=2.202434e9,
        download=1.412209e10,
        pairs={
            **{"uint16": 2.243824e11, "int32": 1.038736e11, "int64": 5.27702e10},
            **{"float32": 5.82098e10, "float64": 2.90967e10},
        },
    ),
    kind="cpu",
    units=2,
    source="`reedsp calibrate`",
)

# the same with Intel's runtime 2026.22 on the same cores
INTEL = Known(
    Machine(
        latencies=(
            *((16384, 1.3882e-9), (131072, 4.1841e-9), (1048576, 9.0302e-9), (4194304, 1.54821e-8)),
            *((16777216, 8.33417e-8), (67108864, 8.33417e-8)),
        ),
        bandwidth=2.30082e10,
        random_reads=3.53009e8,
        atomic_minima=3.22554e8,
        coalesced=16,
        threads=2,
        barrier=2.69136e-8,
        launch=2.1562e-6,
        read_back=8.7303e-6,
        upload=2.057343e9,
        download=1.474223e10,
        pairs={
            **{"uint16": 2.284508e11, "int32": 1.04834e11, "int64": 4.89152e10},
            **{"float32": 5.84827e10, "float64": 2.92359e10},
        },
    ),
    kind="cpu",
    units=2,
    source="`reedsp calibrate`",
)

# the same with NVIDIA's driver 580.159.04 on an H200
H200 = Known(
    Machine(
        latencies=(
            *((16384, 2.02958e-8), (131072, 2.12516e-8), (1048576, 1.420464e-7), (4194304, 1.458536e-7)),
            *((16777216, 1.46233e-7), (67108864, 1.46233e-7)),
        ),
        bandwidth=2.91936e12,
        random_reads=5.230193e10,
        atomic_minima=2.15728e10,
        coalesced=16,
        threads=8192,
        barrier=2.12885e-8,
        launch=9.43823e-6,
        read_back=2.77618e-5,
        upload=2.949656e10,
        download=2.547248e10,
        pairs={
            **{"uint16": 8.604764e12, "int32": 1.56503e13, "int64": 2.756317e12},
            **{"float32": 1.506026e13, "float64": 3.041216e12},
        },
    ),
    kind="gpu",
    units=132,
    source="`reedsp calibrate`",
)

MACHINES = {"PoCL": POCL, "Intel": INTEL, "H200": H200}
