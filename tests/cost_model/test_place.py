"""Where small inputs are solved, by an environment variable."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("value", "serves", "said"),
    [
        ("", True, ""),
        ("never", False, ""),
        ("Never", True, "RuntimeWarning: REEDSP_HOST = 'Never' is ignored, expected 'never'"),
    ],
)
def test_the_variable_that_keeps_small_inputs_on_the_device(value: str, serves: bool, said: str) -> None:
    command = [sys.executable, "-c", "from reedsp.cost_model import place; print(place._serves)"]
    done = subprocess.run(command, env={**os.environ, "REEDSP_HOST": value}, capture_output=True, text=True)
    assert done.stdout == f"{serves}\n"
    assert said in done.stderr if said else not done.stderr
