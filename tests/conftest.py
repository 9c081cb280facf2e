"""Shared fixtures: the devices to test on, and the real graphs if they are there; and how tests are run."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import reedsp
from reedsp.cost_model import choose_search, place
from reedsp.device import build, selfcheck
from reedsp.device.discovery import get_device
from reedsp.device.job import Launched, recording
from reedsp.minplus import tilings
from reedsp.system.files import cache_folders
from tests.device import unoptimised

# Kernels are tested, on however small a graph, but where a test says otherwise: here, and in processes that are begun.
place._serves = False
os.environ[place.SWITCH] = "never"

hypothesis.settings.register_profile("without a clock", deadline=None)  # others may keep the machine busy
hypothesis.settings.load_profile("without a clock")

pytest_plugins = ["tests.support.deep_slice"]

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LARGEST_NUMBER_OF_WORKERS = 4
LONGEST_TEST = 600  # seconds


@pytest.hookimpl(tryfirst=True)  # before the plugins look at their options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the tests in parallel, each with a time limit, where pytest-xdist and pytest-timeout are installed."""
    option = config.option
    if getattr(option, "numprocesses", 0) is None and not hasattr(config, "workerinput"):
        option.numprocesses, option.maxprocesses = "auto", option.maxprocesses or LARGEST_NUMBER_OF_WORKERS
    if getattr(option, "timeout", 0) is None:
        option.timeout = LONGEST_TEST


def pytest_configure(config: pytest.Config) -> None:
    """Leave out what takes compilers long, but where everything is tested."""
    if config.getoption("deep") != "all":
        unoptimised.leave_as_they_are()


def _devices() -> list[reedsp.Device]:
    """Every real device, or the one that REEDSP_DEVICE asks for."""
    if os.environ.get("REEDSP_DEVICE"):
        return [get_device()]
    found = reedsp.devices()
    return [device for device in found if device.platform != "Oclgrind"] or found


@pytest.fixture(params=_devices(), ids=lambda device: f"{device.platform.split('(')[0].split()[0]}-{device.index}")
def device(request: pytest.FixtureRequest) -> reedsp.Device:
    """Each OpenCL device under test."""
    return request.param


@pytest.fixture
def serves(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    """Have the host solve inputs however large, and this device what the host does not."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(place, "_DEVICE", 1e6)
    monkeypatch.setattr(place, "_DEVICE_THIN", 1e6)
    monkeypatch.setattr(choose_search, "_BEGUN", 1e6)


@pytest.fixture
def launches() -> Iterator[list[Launched]]:
    """The kernels that a test launches, from its beginning on."""
    found: list[Launched] = []
    with recording(found.append):
        yield found


@pytest.fixture
def own_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is found out about a device, with settings that a test has changed, from other tests and processes."""
    monkeypatch.setattr(selfcheck, "_known", {})
    monkeypatch.setattr(selfcheck, "_record", lambda *_: None)


@pytest.fixture(autouse=True)
def _no_tunings(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Take the tables' tilings, whatever this user has tuned, but in the tests of tuning."""
    if request.path.stem not in ("test_tune", "test_cli"):
        monkeypatch.setattr(tilings, "tuned", lambda device: {})


@pytest.fixture(autouse=True)
def _no_rehearsals(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Have the trials of kernels in this process alone, but where tests are about the child that has them first.

    What has failed in another test is no part of an error.
    """
    selfcheck._failure.set("")
    if request.path.parent.name != "device":
        monkeypatch.setattr(selfcheck, "_rehearse", lambda *_: None)


@pytest.fixture
def nothing_else_is_collected() -> Iterator[None]:
    """What other tests have left is not looked through again and again for what leaks."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def shared_data() -> Path:
    """The folder of real graphs."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder of real graphs, ../shared/data, is not on this machine")
    return SHARED_DATA


@pytest.fixture
def private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder instead of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if "POCL_CACHE_DIR" not in os.environ:
        monkeypatch.setenv("POCL_CACHE_DIR", str(tmp_path / "pocl"))
    return tmp_path / "cache"


@pytest.fixture
def unwarned() -> None:
    """As in a process that has not warned yet of what is wrong with its cache."""
    cache_folders._warned.clear()


@pytest.fixture
def kernel_copy(private_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of ``cl/`` that is used instead, to be damaged."""
    copy = tmp_path / "cl"
    shutil.copytree(build.kernel_directory(), copy)
    monkeypatch.setattr(build, "kernel_directory", lambda: copy)
    return copy
