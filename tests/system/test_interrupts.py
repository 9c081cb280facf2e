"""A few signals at random moments of calls that work in threads; ``interrupts.py`` sends thousands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from reedsp.device.device import Device
from tests.deep import interrupts


@pytest.mark.deep("predecessors out")
@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C")
@pytest.mark.parametrize("name", ["apsp two devices", "apsp predecessors out"])
def test_78_interruptions(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    told, wrong = interrupts.run(name, 6, seed=2)
    assert wrong == ""
    assert told["signals"] >= 6
    assert told["calls"] >= 1


CHECKPOINT = """
import signal
import reedsp

heard = []
for each in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, lambda number, frame: heard.append(number))
reedsp.sssp([[0, 1], [0, 0]], 0)
for each in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.raise_signal(each)
print(len(heard))
"""


@pytest.mark.skipif(os.name != "posix", reason="the signals are those of POSIX")
def test_handlers_are_called_after_a_driver_was_loaded(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose compiler has set its own: of SLURM, which sends USR1 before time is up, too."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    done = subprocess.run([sys.executable, "-c", CHECKPOINT], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("5\n", 0), done.stderr


WHILE_IT_IS_LOADED = """
import builtins, sys
import reedsp

real, seen = builtins.__import__, []

def solve():
    return reedsp.sssp([[0, 1], [0, 0]], 0).dist.tolist()

def interrupted(name, *arguments, **named):  # as by a signal's handler
    if not seen and name.startswith("reedsp.graph"):
        seen.append(name)
        try:
            solve()
        except RuntimeError as error:
            print(error)
    return real(name, *arguments, **named)

builtins.__import__ = interrupted
print(solve(), solve())
"""


def test_a_handler_calls_reedsp_while_that_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", WHILE_IT_IS_LOADED], capture_output=True, text=True, check=False)
    said = "reedsp is being loaded, which a signal's handler has interrupted: it may call it afterwards"
    assert (done.stdout, done.returncode) == (f"{said}\n[0.0, 1.0] [0.0, 1.0]\n", 0), done.stderr


def test_masked_arrays_are_there_before_a_call() -> None:
    """Numpy loads them when they are first used, within which a handler could not use them."""
    code = "import sys, reedsp; reedsp.Graph, reedsp.sssp; print('numpy.ma' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


IN_A_SUB_INTERPRETER = """
import warnings

warnings.simplefilter("ignore")  # of numpy
import reedsp

print(reedsp.sssp([[0, 1], [0, 0]], 0).dist, flush=True)
try:
    reedsp.devices()
except reedsp.DeviceError as error:
    print(error, flush=True)
"""

SUB_INTERPRETER = """
import sys

if sys.version_info < (3, 12):
    import _xxsubinterpreters as interpreters
    options = {}
elif sys.version_info < (3, 13):
    import _xxsubinterpreters as interpreters
    options = {"isolated": False}
else:
    import _interpreters as interpreters
    options = {"config": "legacy"}
failed = interpreters.run_string(interpreters.create(**options), sys.argv[1])
assert failed is None, failed
"""


def test_a_sub_interpreter_has_no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of mod_wsgi: what the host solves is solved, and pyopencl is not left to wait for ever."""
    monkeypatch.delenv("REEDSP_HOST", raising=False)
    command = [sys.executable, "-c", SUB_INTERPRETER, IN_A_SUB_INTERPRETER]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[0. 1.]\npyopencl does not work in a sub-interpreter; use the main one")


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
