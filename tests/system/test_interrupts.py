"""A few signals at random moments of calls that work in threads; ``interrupts.py`` sends thousands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from reedsp.device.device import Device
from tests.deep import interrupts


@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C")
@pytest.mark.parametrize("name", ["apsp two devices", "apsp predecessors out"])
def test_78_interruptions(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    told, wrong = interrupts.run(name, 6, seed=2)
    assert wrong == ""
    assert told["signals"] >= 6
    assert told["calls"] >= 1


INTERRUPTED_IMPORT = """
import os, signal, sys
import reedsp

class Interrupts:
    sent = 0

    def find_spec(self, name, path=None, target=None):
        if name == "networkx.utils.misc":
            self.sent += 1
            os.kill(os.getpid(), signal.SIGINT)
        return None

sys.meta_path.insert(0, interrupts := Interrupts())
try:
    reedsp.NegativeCycleError
except KeyboardInterrupt:
    import networkx
    print(interrupts.sent, networkx.path_graph(3), reedsp.NegativeCycleError.__name__)
"""


@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C")
def test_an_interrupted_import_leaves_whole_modules() -> None:
    """A name of the package may be looked up first where an exception is on its way: whether it is caught there."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 Graph with 3 nodes and 2 edges NegativeCycleError\n", "")
