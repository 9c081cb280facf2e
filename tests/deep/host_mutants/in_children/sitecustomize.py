"""Plants the fault that the environment names, in every process of Python that finds this file first."""

import os

if "REEDSP_HOST_MUTANT" in os.environ:
    from tests.deep.host_mutants.planting import FAULT, plant_here

    plant_here(os.environ[FAULT])
