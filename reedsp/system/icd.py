"""Which OpenCL drivers the loader reads, and how to give it those that pip installed.

An OpenCL program is linked to a loader, which at its first call reads small ``.icd`` files, each of which names
the library of one driver. Intel's CPU runtime from PyPI brings ``.icd`` files that name a path of the machine it
was built on, so no loader finds it. :func:`enable_pip_runtimes` writes a directory with a right one, together
with copies of the system's, and points the loader there.

Only the standard library is used, so that ``reedsp doctor`` can ask here when anything else is broken.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from reedsp.system.files.atomic_file import write_private
from reedsp.system.files.cache_folders import private_directory, temporary_directory

LOADER_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES")
"""Environment variables by which a user chooses the drivers; if one is set nothing is changed."""

SYSTEM_DIRECTORY = Path("/etc/OpenCL/vendors")

INSTALL_COMMANDS = """\
An OpenCL device comes with one of these:
  Linux on x86-64, without root  pip install "reedsp[cpu]"
  Debian, Ubuntu                 sudo apt-get install pocl-opencl-icd
  Fedora                         sudo dnf install pocl
  macOS                          conda install -c conda-forge pyopencl pocl
  Windows                        the GPU vendor's driver, or Intel's CPU Runtime for OpenCL Applications
A GPU needs its vendor's driver."""

_PIP_RUNTIMES = {"intel-opencl-rt": "libintelocl.so"}
_LOAD_SECONDS = 60
# Every driver has this function: the loader finds all others through it.
_LOAD = """
import ctypes, sys
try:
    ctypes.CDLL(sys.argv[1]).clGetExtensionFunctionAddress
except Exception as error:
    sys.exit(str(error))
"""

_lock = threading.Lock()
_enabled: Path | None = None


@dataclass(frozen=True)
class Driver:
    """One driver that the loader will try.

    Attributes
    ----------
    library : str
        The library to load: a path, or a name that the dynamic linker looks up.
    file : str
        The ``.icd`` file that names it; empty if there is none.
    origin : str
        Who put it there: "system", "pip package ...", "pyopencl", or the environment variable.
    """

    library: str
    file: str
    origin: str


def enable_pip_runtimes() -> Path | None:
    """Make OpenCL runtimes that pip installed visible to the loader, beside the system's drivers.

    Has to be called before the process's first OpenCL call, at which the loader reads its configuration. Sets
    ``OCL_ICD_VENDORS`` for this process and its children. Where the user has set one of
    :data:`LOADER_VARIABLES`, without such a runtime, and on systems other than Linux nothing is changed.

    Returns
    -------
    Path or None
        The directory that the loader will read, or None if nothing was changed.
    """
    global _enabled
    with _lock:
        if _enabled is None and sys.platform == "linux" and not _chosen_by_user():
            runtimes = _pip_drivers()
            if runtimes:
                _enabled = _write(_entries(runtimes))
                if _enabled is not None:
                    os.environ["OCL_ICD_VENDORS"] = str(_enabled)
        return _enabled


def drivers(environ: Mapping[str, str] = os.environ) -> list[Driver]:
    """Return the drivers that the loader will try once :func:`enable_pip_runtimes` has been called.

    Parameters
    ----------
    environ : mapping
        The environment variables to go by; those of this process by default.
    """
    return _configured_drivers(environ) + _pyopencl_drivers()


def load_error(library: str) -> str | None:
    """Load a driver in a child process, so that a crash ends only the child.

    Returns
    -------
    str or None
        Why it cannot be loaded, or None if it can.
    """
    command = [sys.executable, "-I", "-S", "-c", _LOAD, library]
    try:
        child = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=_LOAD_SECONDS)
    except subprocess.TimeoutExpired:
        return f"does not finish loading within {_LOAD_SECONDS} s"
    except OSError as error:
        return f"cannot be tried: {error}"
    if child.returncode == 0:
        return None
    if child.returncode < 0:
        return f"crashes when it is loaded ({signal.strsignal(-child.returncode)})"
    lines = child.stderr.strip().splitlines()
    return lines[-1] if lines else f"ends Python with exit status {child.returncode}"


def install_command() -> str:
    """Return the command that gives this machine an OpenCL device."""
    if sys.platform == "darwin":
        return "conda install -c conda-forge pyopencl pocl"
    if sys.platform == "win32":
        return "install the GPU vendor's driver, or Intel's CPU Runtime for OpenCL Applications from intel.com"
    if platform.machine() in ("x86_64", "AMD64"):
        return 'pip install "reedsp[cpu]"'
    if "fedora" in _linux_family():
        return "sudo dnf install pocl"
    return "sudo apt-get install pocl-opencl-icd"


def install_hint() -> str:
    """Return the commands, one a system, that give a machine an OpenCL device, and where to look further."""
    return f"{INSTALL_COMMANDS}\n`reedsp doctor` says what is wrong with the drivers that are there."


# ---- what there is ----------------------------------------------------------------------------------


def _chosen_by_user() -> bool:
    return any(os.environ.get(name) for name in LOADER_VARIABLES)


def _configured_drivers(environ: Mapping[str, str]) -> list[Driver]:
    """Return the drivers named by the environment, or else the system's and those that pip installed."""
    chosen = environ.get("OCL_ICD_VENDORS")
    if chosen:
        if os.path.isdir(chosen):
            return _read_directory(Path(chosen), "OCL_ICD_VENDORS")
        if chosen.endswith(".icd"):
            return _read_file(Path(chosen), "OCL_ICD_VENDORS")
        return [Driver(chosen, "", "OCL_ICD_VENDORS")]
    directory = environ.get("OPENCL_VENDOR_PATH")
    if directory:
        return _read_directory(Path(directory), "OPENCL_VENDOR_PATH")
    libraries = environ.get("OCL_ICD_FILENAMES")
    if libraries:
        named = [Driver(library, "", "OCL_ICD_FILENAMES") for library in libraries.split(os.pathsep) if library]
        return named + _system_drivers()
    if sys.platform == "linux":
        return _pip_drivers() + _system_drivers()
    return _system_drivers()


def _system_drivers() -> list[Driver]:
    found = _read_directory(SYSTEM_DIRECTORY, "system")
    if (Path(sys.prefix) / "conda-meta").is_dir():
        found += _read_directory(Path(sys.prefix) / "etc" / "OpenCL" / "vendors", "conda")
    return found


def _pyopencl_drivers() -> list[Driver]:
    """Return the drivers beside the loader in pyopencl's wheel, which that loader reads in any case."""
    try:
        spec = importlib.util.find_spec("pyopencl")
    except (ImportError, ValueError, AttributeError):
        return []
    places = list(spec.submodule_search_locations or ()) if spec else []
    return [driver for place in places for driver in _read_directory(Path(place) / ".libs", "pyopencl")]


def _pip_drivers() -> list[Driver]:
    """Return the runtimes that pip installed, less those the system has an .icd file for."""
    known = {os.path.basename(driver.library) for driver in _system_drivers() if os.path.isfile(driver.library)}
    return [
        Driver(str(library), "", f"pip package {distribution}")
        for distribution, name in _PIP_RUNTIMES.items()
        if name not in known and (library := _installed_file(distribution, name)) is not None
    ]


def _installed_file(distribution: str, name: str) -> Path | None:
    try:
        for file in metadata.files(distribution) or ():
            if file.name == name:
                path = Path(str(file.locate())).resolve()
                if path.is_file():
                    return path
    except Exception:  # anything may stand in the metadata of a broken installation
        return None
    return None


def _read_directory(directory: Path, origin: str) -> list[Driver]:
    try:
        files = sorted(file for file in directory.iterdir() if file.suffix == ".icd")
    except OSError:
        return []
    return [driver for file in files for driver in _read_file(file, origin)]


def _read_file(file: Path, origin: str) -> list[Driver]:
    try:
        library = file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return []
    return [Driver(library, str(file), origin)] if library else []


def _linux_family() -> str:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ""
    return f"{release.get('ID', '')} {release.get('ID_LIKE', '')}"


# ---- the directory for the loader -------------------------------------------------------------------


def _entries(runtimes: list[Driver]) -> dict[str, str]:
    """Return name and content of each .icd file to write: the runtimes, and a copy of each of the system's."""
    entries = {f"pip-{Path(driver.library).stem}.icd": driver.library for driver in runtimes}
    for driver in _system_drivers():
        entries[f"{driver.origin}-{Path(driver.file).name}"] = driver.library
    return entries


def _write(entries: dict[str, str]) -> Path | None:
    """Write the .icd files into a directory that no other user can change, and return it; None if none can be."""
    key = hashlib.sha256(repr(sorted(entries.items())).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        cached = private_directory("icd", key)
        _write_files(cached, entries)
        return cached
    except OSError:
        pass  # no home, one that cannot be written to, or one where others can write
    try:
        temporary = temporary_directory("reedsp-icd-")
        _write_files(temporary, entries)
    except OSError:
        return None
    return temporary


def _write_files(directory: Path, entries: dict[str, str]) -> None:
    for name, library in entries.items():
        content = os.fsencode(library) + b"\n"
        path = directory / name
        if not path.is_file() or path.read_bytes() != content:
            write_private(path, content)
