"""Find out why reedsp does not work on this machine, and say what cures it: ``reedsp doctor``.

Only the standard library is imported, and everything that may be broken (a package, a driver, a device) is tried
in a child process with a time limit, so that neither an exception nor a crash nor an endless wait ends the
examination. Functions that gather facts return them as data; :func:`diagnose` judges them; :func:`render` prints.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from reedsp._version import __version__
from reedsp.system import icd, pocl
from reedsp.system.files.cache_folders import private_directory
from reedsp.system.terminal import is_terminal
from reedsp.system.threads import shared

# Distribution, the module to import (None: it has none), and what it is for.
_REQUIRED = (
    ("numpy", "numpy", "arrays"),
    ("scipy", "scipy.sparse.csgraph", "sparse matrices"),
    ("networkx", "networkx", "graphs of networkx"),
    ("pyopencl", "pyopencl", "OpenCL"),
    ("typer", "typer", "command line"),
    ("rich", "rich", "command line"),
    ("xxhash", "xxhash", "checksums"),
)
_OPTIONAL = (
    ("intel-opencl-rt", None, 'a CPU device: pip install "reedsp[cpu]"'),
    ("intel-cmplr-lib-rt", None, 'a CPU device: pip install "reedsp[cpu]"'),
    ("matplotlib", "matplotlib", 'pictures: pip install "reedsp[plot]"'),
    ("osmium", None, 'road maps: pip install "reedsp[roads]"'),
    ("pyarrow", None, 'tables: pip install "reedsp[tables]"'),
)
_VARIABLES = (
    *icd.LOADER_VARIABLES,
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "OPENCL_LAYERS",
    "XDG_CACHE_HOME",
)
_VARIABLE_PREFIXES = ("REEDSP_", "PYOPENCL_", "POCL_", "OCL_ICD_", "OCLGRIND_", "CL_CONFIG_")

_INTEL_RUNTIME = ("intel-opencl-rt", "intel-cmplr-lib-rt")
_POCL = "Portable Computing Language"

_CHILD_SECONDS = 90
_ANSWER = "reedsp-doctor-answer:"  # drivers print to standard output, too
_ASK = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from reedsp.cli import doctor
doctor.answer(sys.argv[2], sys.argv[3:])
"""


@dataclass(frozen=True)
class Package:
    """An installed, missing (`version` is None) or broken (`error` is set) distribution."""

    name: str
    version: str | None
    error: str | None
    required: bool
    purpose: str


@dataclass(frozen=True)
class DriverState:
    """A driver that the OpenCL loader will try, and why it does not load."""

    library: str
    file: str
    origin: str
    error: str | None


@dataclass(frozen=True)
class Platform:
    """An OpenCL platform as the loader shows it."""

    name: str
    version: str
    devices: int


@dataclass(frozen=True)
class DeviceState:
    """A device that reedsp can use, whether it is the default, and how its self test failed."""

    index: int
    name: str
    kind: str
    default: bool
    error: str | None


@dataclass(frozen=True)
class OpenCL:
    """What a child process saw of OpenCL; `error` says why it saw nothing."""

    loader: str | None
    platforms: list[Platform]
    devices: list[DeviceState]
    default_error: str | None
    error: str | None


@dataclass(frozen=True)
class Facts:
    """Everything that was found out."""

    python: dict[str, str]
    reedsp: dict[str, str]
    packages: list[Package]
    environment: dict[str, str]
    drivers: list[DriverState]
    hidden_drivers: list[str]
    opencl: OpenCL
    kernel_cache_error: str | None
    temporary_error: str | None
    pocl_cache_error: str | None

    @property
    def works(self) -> bool:
        """Whether at least one device passes its self test."""
        return any(device.error is None for device in self.opencl.devices)


@dataclass(frozen=True)
class Diagnosis:
    """The first problem and the command that cures it; both None if there is no problem."""

    problem: str | None
    command: str | None


# ---- gathering facts --------------------------------------------------------------------------------


def _gather(announce: Callable[[str], None] = lambda text: None) -> Facts:
    """Examine this machine.

    Parameters
    ----------
    announce : callable(str), optional
        Told before each step what is being looked at.
    """
    announce("packages")
    packages = _package_states()
    announce("drivers")
    drivers = _driver_states()
    announce("devices")
    return Facts(
        python=_python_facts(),
        reedsp={"version": __version__, "place": str(Path(__file__).resolve().parents[1])},
        packages=packages,
        environment=environment(),
        drivers=drivers,
        hidden_drivers=_hidden_drivers(),
        opencl=_opencl_state(announce),
        kernel_cache_error=_kernel_cache_error(),
        temporary_error=_temporary_error(),
        pocl_cache_error=_pocl_cache_error(),
    )


def _python_facts() -> dict[str, str]:
    """Return version, place and platform of this Python."""
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "machine": platform.machine(),
    }


def environment() -> dict[str, str]:
    """Return the environment variables that have a say in which devices are found and how they work."""
    names = {name for name in os.environ if name.startswith(_VARIABLE_PREFIXES)} | set(_VARIABLES)
    return {name: os.environ[name] for name in sorted(names) if os.environ.get(name)}


def _package_states() -> list[Package]:
    """Return the state of every required and optional package; each is imported in a child process."""
    rows = [(*row, True) for row in _REQUIRED] + [(*row, False) for row in _OPTIONAL]
    states: dict[int, Package] = {}

    def examine(number: int) -> None:
        states[number] = _package_state(*rows[number])

    shared(examine, len(rows), (os.cpu_count() or 1) - 1)
    return [states[number] for number in range(len(rows))]


def _package_state(name: str, module: str | None, purpose: str, required: bool) -> Package:
    """Return version of a distribution, and why its module cannot be imported."""
    try:
        version = metadata.version(name)
    except Exception:  # not installed, or its metadata is damaged
        version = None
    error = ask("import", module)[1] if module is not None else None
    if version is None:
        if module is None or (error is not None and "No module named" in error):
            return Package(name, None, None, required, purpose)
        version = "of unknown version"
    return Package(name, version, error, required, purpose)


def _driver_states() -> list[DriverState]:
    """Return the drivers that the loader will try, each tried in a child process."""
    return [DriverState(each.library, each.file, each.origin, icd.load_error(each.library)) for each in icd.drivers()]


def _hidden_drivers() -> list[str]:
    """Return the libraries of drivers that the loader would find if no variable said where to look."""
    seen = {driver.library for driver in icd.drivers()}
    everything = {name: value for name, value in os.environ.items() if name not in icd.LOADER_VARIABLES}
    return [driver.library for driver in icd.drivers(everything) if driver.library not in seen]


def _opencl_state(announce: Callable[[str], None] = lambda text: None) -> OpenCL:
    """Return the platforms and devices that a child process sees, and how each device's self test went."""
    seen, error = ask("opencl")
    if error is not None:
        return OpenCL(None, [], [], None, error)
    devices = []
    names: list[str] = []
    for index, (name, kind) in enumerate(seen["devices"]):
        announce(name)
        # Devices are found again by name: another process may list them in another order.
        _, failure = ask("self-test", name, str(names.count(name)))
        names.append(name)
        devices.append(DeviceState(index, name, kind, index == seen["default"], failure))
    platforms = [Platform(*row) for row in seen["platforms"]]
    return OpenCL(seen["loader"], platforms, devices, seen["default_error"], None)


def _kernel_cache_error() -> str | None:
    """Return why compiled kernels cannot be kept for later processes, None if they can."""
    try:
        folder = private_directory("kernels")
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return None if pocl.can_write(folder) else f"{folder} cannot be written to"


def _temporary_error() -> str | None:
    """Return why no temporary folder can be made, None if one can."""
    try:
        with tempfile.TemporaryDirectory():
            return None
    except OSError as error:
        return str(error.strerror)


def _pocl_cache_error() -> str | None:
    """Return why PoCL cannot use the folder that the user has chosen for it, None if it can, or none is chosen."""
    chosen = os.environ.get(pocl.VARIABLE)
    if not chosen or pocl.can_write(Path(chosen)):
        return None
    return f"{pocl.VARIABLE}={chosen} cannot be written to"


# ---- child processes --------------------------------------------------------------------------------


def ask(question: str, *arguments: str) -> tuple[Any, str | None]:
    """Answer one of the questions of :func:`answer` in a child process that imports what this process would.

    Returns
    -------
    result : object
        The answer, None if there is none.
    error : str or None
        Why there is no answer.
    """
    command = [sys.executable, "-P", "-c", _ASK, json.dumps(sys.path), question, *arguments]
    try:
        child = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=_CHILD_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"no answer within {_CHILD_SECONDS} s"
    except OSError as error:
        return None, f"cannot start {sys.executable!r}: {error}"
    for line in child.stdout.splitlines():
        if line.startswith(_ANSWER):
            reply = json.loads(line.removeprefix(_ANSWER))
            return reply["result"], reply["error"]
    if child.returncode < 0:
        return None, f"Python crashed: {signal.strsignal(-child.returncode)}"
    lines = child.stderr.strip().splitlines()
    return None, lines[-1] if lines else f"Python ended with exit status {child.returncode}"


def answer(question: str, arguments: Sequence[str]) -> None:
    """Print the answer to a question of the parent process."""
    result = error = None
    try:
        result = _QUESTIONS[question](*arguments)
    except Exception as failure:  # whatever is broken has to be reported
        text = str(failure).strip()
        error = f"{type(failure).__name__}: {text}" if text else type(failure).__name__
    print(f"\n{_ANSWER}{json.dumps({'result': result, 'error': error})}", flush=True)


def _import(module: str) -> None:
    importlib.import_module(module)


def _see_opencl() -> dict[str, Any]:
    from reedsp import device

    import pyopencl as cl  # isort: skip - after reedsp.device, which prepares the loader

    found = device.devices()
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # raised when there is none
        platforms = []
    default, default_error = None, None
    try:
        default = device.get_device().index
    except device.DeviceError as error:
        default_error = str(error)
    return {
        "loader": _loader(),
        "platforms": [(each.name, " ".join(each.version.split()), len(_platform_devices(each))) for each in platforms],
        "devices": [(str(each), each.kind) for each in found],
        "default": default,
        "default_error": default_error,
    }


def _platform_devices(platform: Any) -> list[Any]:
    import pyopencl as cl

    try:
        return list(platform.get_devices())
    except cl.Error:  # raised when there is none
        return []


def _loader() -> str | None:
    """Return the path of the OpenCL loader in this process, and its version if it tells; None if unknown."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    path = next((line[line.index("/") :] for line in maps.splitlines() if "libOpenCL" in line and "/" in line), None)
    if path is None:
        return None
    library = ctypes.CDLL(path)
    library.clGetExtensionFunctionAddress.restype = ctypes.c_void_p
    address = library.clGetExtensionFunctionAddress(b"clGetICDLoaderInfoOCLICD")  # cl_loader_info, an extension
    if address is None:
        return path
    describe = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p)(address)
    words = []
    for information in (4, 2):  # CL_ICDL_VENDOR, CL_ICDL_VERSION
        text = ctypes.create_string_buffer(200)
        if describe(information, len(text), text, None) == 0:
            words.append(text.value.decode(errors="replace"))
    return f"{path} ({' '.join(words)})"


def _self_test(name: str, occurrence: str) -> None:
    from reedsp import device

    same = [each for each in device.devices() if str(each) == name]
    same[int(occurrence)].self_test()


_QUESTIONS: dict[str, Callable[..., Any]] = {"import": _import, "opencl": _see_opencl, "self-test": _self_test}


# ---- judging them -----------------------------------------------------------------------------------


def diagnose(facts: Facts) -> Diagnosis:
    """Return the first problem, in the order in which they have to be cured."""
    pip = f"{facts.python['executable']} -m pip install"
    opencl = facts.opencl
    required = [package for package in facts.packages if package.required]
    missing = [package.name for package in required if package.version is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        return Diagnosis(f"{', '.join(missing)} {verb} not installed", f"{pip} {' '.join(missing)}")
    broken = next((package for package in required if package.error is not None), None)
    if broken is not None:
        command = f"{pip} --force-reinstall --no-cache-dir {broken.name}"
        return Diagnosis(f"{broken.name} cannot be imported: {broken.error}", command)
    if facts.temporary_error is not None:
        return Diagnosis(f"drivers need a temporary folder: {facts.temporary_error}", _set("TMPDIR", "/dev/shm"))
    if facts.pocl_cache_error is not None and any(each.name == _POCL for each in opencl.platforms):
        return Diagnosis(f"PoCL cannot work, since {facts.pocl_cache_error}", _unset(pocl.VARIABLE))
    if opencl.error is not None and not opencl.devices:
        return Diagnosis(f"OpenCL cannot be used: {opencl.error}", _driver_command(facts))
    if not opencl.devices:
        hiding = [name for name in icd.LOADER_VARIABLES if name in facts.environment]
        if hiding and facts.hidden_drivers:
            shown = " ".join(f"{name}={facts.environment[name]}" for name in hiding)
            return Diagnosis(
                f"no OpenCL device was found, because {shown} hides the drivers of this machine", _unset(*hiding)
            )
        return Diagnosis("no OpenCL device was found", _driver_command(facts))
    working = [device for device in opencl.devices if device.error is None]
    if not working:
        first = opencl.devices[0]
        command = f"{pip} --force-reinstall reedsp" if any(map(_from_pip, facts.drivers)) else icd.install_command()
        return Diagnosis(f"no device passes its self test; {first.name}: {first.error}", command)
    unloaded = next((driver for driver in facts.drivers if _from_pip(driver) and driver.error is not None), None)
    if unloaded is not None:
        return Diagnosis(f"the driver of {unloaded.origin} does not load: {unloaded.error}", _driver_command(facts))
    if opencl.default_error is not None:
        return Diagnosis(opencl.default_error, _unset("REEDSP_DEVICE"))
    failing = next((device for device in opencl.devices if device.default and device.error is not None), None)
    if failing is not None:
        return Diagnosis(
            f"the default device {failing.name} fails its self test: {failing.error}",
            _set("REEDSP_DEVICE", str(working[0].index)),
        )
    if facts.kernel_cache_error is not None:
        return Diagnosis(
            f"every process compiles its kernels again, since they cannot be kept: {facts.kernel_cache_error}",
            _set("XDG_CACHE_HOME", r"%TEMP%\cache" if sys.platform == "win32" else '"$(mktemp -d)"'),
        )
    return Diagnosis(None, None)


def _driver_command(facts: Facts) -> str:
    """Return the command that gives this machine a driver that loads."""
    if not any(_from_pip(driver) and driver.error is not None for driver in facts.drivers):
        return icd.install_command()
    pip = f"{facts.python['executable']} -m pip install"
    missing = [each.name for each in facts.packages if each.name in _INTEL_RUNTIME and each.version is None]
    return f"{pip} {' '.join(missing)}" if missing else f"{pip} --force-reinstall {' '.join(_INTEL_RUNTIME)}"


def _from_pip(driver: DriverState) -> bool:
    return driver.origin.startswith("pip package")


def _unset(*names: str) -> str:
    if sys.platform == "win32":
        return " & ".join(f"set {name}=" for name in names)
    return f"unset {' '.join(names)}"


def _set(name: str, value: str) -> str:
    return f"{'set' if sys.platform == 'win32' else 'export'} {name}={value}"


# ---- printing ---------------------------------------------------------------------------------------


def render(facts: Facts, diagnosis: Diagnosis) -> str:
    """Return the report as text."""
    python, opencl = facts.python, facts.opencl
    none = f"  none: {opencl.error}" if opencl.error is not None else "  none"
    lines = [
        f"reedsp    {facts.reedsp['version']}, {facts.reedsp['place']}",
        f"Python    {python['version']}, {python['executable']}",
        f"platform  {python['platform']}",
        "",
        "Packages",
        *(_package_line(package) for package in facts.packages),
        "",
        "Environment variables",
        *([f"  {name}={value}" for name, value in facts.environment.items()] or ["  none that matters is set"]),
        "",
        "OpenCL",
        f"  loader    {opencl.loader or 'not found out'}",
        *_aligned("drivers", [_driver_text(driver) for driver in facts.drivers]),
        f"  cache     {'works' if facts.kernel_cache_error is None else f'NONE: {facts.kernel_cache_error}'}",
        *_aligned("platforms", [f"{each.name}, {each.version}, {_count(each.devices)}" for each in opencl.platforms]),
        "",
        "Devices",
        *([_device_line(device) for device in opencl.devices] or [none]),
        "",
    ]
    if diagnosis.problem is None:
        empty = [each.name for each in opencl.platforms if not each.devices]
        lines.append(f"everything works, but {' and '.join(empty)} shows no device" if empty else "everything works")
    else:
        lines += [f"Problem: {diagnosis.problem}", "This cures it:", "", f"    {diagnosis.command}"]
        if not opencl.devices and opencl.error is None and facts.temporary_error is None:
            lines += ["", icd.INSTALL_COMMANDS]
    return "\n".join(lines)


def _package_line(package: Package) -> str:
    if package.version is None:
        state = "missing" if package.required else f"not installed (optional; {package.purpose})"
    elif package.error is not None:
        state = f"{package.version}, BROKEN: {package.error}"
    else:
        state = package.version
    return f"  {package.name:<20}{state}"


def _driver_text(driver: DriverState) -> str:
    state = "loads" if driver.error is None else f"DOES NOT LOAD: {driver.error}"
    return f"{driver.library} ({driver.file or driver.origin}): {state}"


def _device_line(device: DeviceState) -> str:
    state = "passes its self test" if device.error is None else f"FAILS ITS SELF TEST: {device.error}"
    return f"  {device.index}  {device.name}, {device.kind}{' (default)' if device.default else ''}: {state}"


def _aligned(title: str, rows: list[str]) -> list[str]:
    first, *others = rows or ["none"]
    return [f"  {title:<10}{first}", *(f"  {'':<10}{row}" for row in others)]


def _count(devices: int) -> str:
    return f"{devices} device{'' if devices == 1 else 's'}"


def show_versions() -> None:
    """Print the versions of reedsp, Python, packages, drivers and devices: what a bug report needs.

    This is the report of ``reedsp doctor``. Every package and device is tried in a child process, which takes a few
    seconds; nothing is changed, and nothing is imported into this process.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.show_versions()
    reedsp ...
    """
    facts = _gather()
    print(render(facts, diagnose(facts)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``reedsp doctor`` and return its exit status: 0 if at least one device works, else 1."""
    parser = argparse.ArgumentParser(
        prog="reedsp doctor",
        description="Examine packages, drivers and devices, run a small kernel on every device, and print the one "
        "command that cures the first problem.",
        epilog="Exit status: 0 if at least one device passes, else 1. Example: reedsp doctor --json > report.json",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for a bug report")
    options = parser.parse_args(arguments)
    facts = _gather(_announce if is_terminal(sys.stderr) else lambda text: None)
    diagnosis = diagnose(facts)
    if options.json:
        print(json.dumps({**asdict(facts), **asdict(diagnosis), "works": facts.works}, indent=2))
    else:
        print(render(facts, diagnosis))
    return 0 if facts.works else 1


def _announce(text: str) -> None:
    print(f"examining {text} ...", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
