"""From the files in ``cl/`` to built programs, which are kept on disk (:mod:`reedsp.device.kernel_cache`).

This is the only module that reads ``cl/``. Macros become ``#define`` lines in the source itself, so that no
environment variable and no option string of a user can change what a kernel computes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reedsp.device import kernel_cache, pyopencl_private
from reedsp.device.compiler import CompilerCrashError, CompilerUnavailableError, RefusedError, compiler
from reedsp.system import handlers, pocl

if TYPE_CHECKING:
    import pyopencl as cl

_log = logging.getLogger(__name__)

_PACKAGE = Path(__file__).resolve().parents[1]
_OPTIONS = b"-cl-std=CL1.2"
_DOUBTFUL_OPTIMIZERS = ("Intel(R) OpenCL",)  # platforms: `array[p] = min(16 * p, max(p, n))` writes to another p there

_POCL = "Portable Computing Language"

_CACHING_DRIVERS = (_POCL,)
"""Platforms that keep what they have compiled themselves. PoCL compiles each kernel of a program once more to say what
its binary is, for work-groups of any size: that takes more than twice as long as what is launched afterwards.
"""

_SOURCE = b"source"
"""What is kept in place of a binary, once a source has been compiled for such a driver."""

# Environment variables through which pyopencl or a driver would add options of the user's to a build.
_OPTION_VARIABLES = (
    "PYOPENCL_BUILD_OPTIONS",
    "POCL_EXTRA_BUILD_FLAGS",
    "CL_CONFIG_USE_FAST_RELAXED_MATH",  # Intel's CPU runtime
    "AMD_OCL_BUILD_OPTIONS",
    "AMD_OCL_BUILD_OPTIONS_APPEND",
    "CLOVER_EXTRA_BUILD_OPTIONS",
)
_environment_lock = threading.RLock()  # a signal's handler may build meanwhile

SIMULATORS = ("Oclgrind",)
"""Platforms that are slow, and are there to find faults.

They take build options from their own command line, which no cache key of ours could name; and their log file, which a
child process would begin again.
"""


class KernelBuildError(RuntimeError):
    """A kernel did not compile; the message holds the compiler's log, or how the compiler crashed."""


@functools.cache
def kernel_directory() -> Path:
    """Return the folder with the kernel sources: inside an installed wheel, or beside ``reedsp`` in a checkout.

    Raises
    ------
    FileNotFoundError
        The installation is incomplete.
    """
    return _kernels_of(_PACKAGE)


@functools.cache
def _kernels_of(package: Path) -> Path:
    for folder in (package / "cl", package.parent / "cl"):
        if (folder / "core/weights.cl").is_file():
            return folder
    raise FileNotFoundError("the kernel sources of reedsp are missing; run: pip install --force-reinstall reedsp")


def assemble(file: str, macros: Mapping[str, str | int]) -> str:
    """Join macros and one kernel file, with the files that it includes, each once, into one source.

    ``#line`` directives make its errors name the true file and line.
    """
    parts = ['#line 1 "macros set by reedsp"']
    for name, value in sorted(macros.items()):
        parts += [f"#undef {name}", f"#define {name} {value}"]
    return "\n".join([*parts, *_lines_with_includes(file, set())]) + "\n"


def digest_of(file: str, macros: Mapping[str, str | int]) -> str:
    """Return a digest of all that is handed to a compiler for one kernel file; parameters as for :func:`assemble`."""
    return hashlib.sha256(_OPTIONS + assemble(file, macros).encode()).hexdigest()


def constants(file: str) -> Mapping[str, int]:
    """Return the integers that one kernel file, and those that it includes, define macros as."""
    return _constants(kernel_directory(), file)


@functools.cache
def _constants(folder: Path, file: str) -> Mapping[str, int]:
    lines = "\n".join(_lines_with_includes(file, set()))
    found = re.findall(r"^#define (\w+) +\(?(-?\w+?)u?\)?(?: *//.*)?$", lines, re.MULTILINE)
    return {name: int(value, 0) for name, value in found if re.fullmatch(r"-?\d+|0[xX][0-9a-fA-F]+", value)}


def arguments(file: str, kernel: str) -> list[str]:
    """Return the arguments of a kernel, in order."""
    return list(_arguments(kernel_directory(), file, kernel))


class KernelText(NamedTuple):
    """Where a kernel is written.

    Attributes
    ----------
    file : str
        In ``cl/``: the one that was asked for, or one that it includes.
    first, last : int
        Lines, from 1 on.
    text : str
        The whole file.
    """

    file: str
    first: int
    last: int
    text: str


def text_of(file: str, kernel: str) -> KernelText:
    """Return where a kernel of one file is written."""
    return _text_of(kernel_directory(), file, kernel)


@functools.cache
def _text_of(folder: Path, file: str, kernel: str) -> KernelText:
    included: set[str] = set()
    for _ in _lines_with_includes(file, included):
        pass
    for each in [file, *sorted(included - {file})]:
        text = (folder / each).read_text(encoding="utf-8")
        lines = text.splitlines()
        for number, line in enumerate(lines, start=1):
            if re.match(rf"__kernel void {kernel}\(", line):
                last = next(end for end in range(number, len(lines) + 1) if lines[end - 1] == "}")
                return KernelText(each, number, last, text)
    raise KeyError(f"cl/{file} has no kernel {kernel}")


@functools.cache
def _arguments(folder: Path, file: str, kernel: str) -> list[str]:
    text = re.sub(r"//.*|\\\n", "", "\n".join(_lines_with_includes(file, set())))
    lists = dict(re.findall(r"^#define (\w+) +(.+,.+)$", text, re.MULTILINE))
    [declared] = re.findall(rf"__kernel void {kernel}\(([^)]*)\)", text)
    expanded = re.sub(r"\w+", lambda word: lists.get(word[0], word[0]), declared)
    return re.findall(r"(\w+)\s*(?:,|$)", expanded)


def _lines_with_includes(file: str, included: set[str]) -> Iterator[str]:
    included.add(file)
    yield f'#line 1 "cl/{file}"'
    text = (kernel_directory() / file).read_text(encoding="utf-8")
    in_condition = False  # of an include, whose own #line does not count if the condition does not hold
    for number, line in enumerate(text.splitlines(), start=1):
        if directive := re.fullmatch(r'#include "(\w+/\w+\.cl)"', line):
            if directive[1] not in included:
                yield from _lines_with_includes(directive[1], included)
            in_condition = True
            yield f'#line {number + 1} "cl/{file}"'
        else:
            yield line
            if in_condition and line.startswith("#endif"):
                yield f'#line {number + 1} "cl/{file}"'


def build(context: cl.Context, device: cl.Device, file: str, macros: Mapping[str, str | int]) -> cl.Program:
    """Build one kernel file for one device, from the disk cache if it holds this very source for this very driver.

    What it does not hold is compiled in a child process (:mod:`reedsp.device.compiler`).

    Parameters
    ----------
    context, device : pyopencl.Context, pyopencl.Device
    file : str
        A file in ``cl/``, with its folder.
    macros : mapping
        Macro names and values.

    Returns
    -------
    pyopencl.Program

    Raises
    ------
    KernelBuildError
        The compiler refused the source, and the message names file and line in ``cl/``; or it has crashed.
    """
    return _build(context, device, assemble(file, macros), f"cl/{file}", _OPTIONS)


def build_generated(context: cl.Context, device: cl.Device, source: str, title: str) -> cl.Program:
    """Build a whole source that was generated, which no trial has looked at; messages call it by its title."""
    import pyopencl as cl

    options = _OPTIONS
    if device.platform.name in _DOUBTFUL_OPTIMIZERS:
        options += b" -cl-opt-disable"
    if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
        options += b" -cl-fp32-correctly-rounded-divide-sqrt"  # else a quotient may be that of the next float
    return _build(context, device, source, title, options)


def _build(context: cl.Context, device: cl.Device, source: str, title: str, options: bytes) -> cl.Program:
    try:
        if device.platform.name in SIMULATORS:
            return compile_here(context, device, source, options)
        cached = _cache_file(device, source, options)
        known = None if cached is None else kernel_cache.read(cached)
        if known is not None and (program := _load(context, device, source, known, options)) is not None:
            return program
        program, binary = _compile_apart(context, device, source, options)
        if cached is not None:
            kernel_cache.write(cached, binary)
        return program
    except RefusedError as error:
        lines = [f"{title} did not build on {device.name}:", name_lines(str(error), source)]
        if device.platform.name == _POCL and (cause := pocl.cache_folder_error()) is not None:
            lines.append(cause)
        raise KernelBuildError("\n".join(lines)) from error
    except CompilerCrashError as error:
        raise KernelBuildError(f"the compiler of {device.name} has crashed on {title}: {error}") from error


def _cache_file(device: cl.Device, source: str, options: bytes | None = None) -> Path | None:
    return kernel_cache.file_for(driver_of(device), _OPTIONS if options is None else options, source)


def _compile_apart(context: cl.Context, device: cl.Device, source: str, options: bytes) -> tuple[cl.Program, bytes]:
    """Compile in a child process, or here where that cannot be; return what is to be kept, too."""
    has_binary = device.platform.name not in _CACHING_DRIVERS
    try:
        kept = compiler.compile(driver_of(device), source, options, has_binary) or _SOURCE
    except CompilerUnavailableError as error:
        _log.info("kernels are compiled in this process: %s", error)
    else:
        if (program := _load(context, device, source, kept, options)) is not None:
            return program, kept
    program = compile_here(context, device, source, options)
    return program, binary_of(program) if has_binary else _SOURCE


def expect_work(device: cl.Device) -> None:
    """Have the child process get ready where everything will have to be compiled, and return at once."""
    if device.platform.name not in SIMULATORS and kernel_cache.is_empty():
        compiler.begin(driver_of(device))


def rehearse(device: cl.Device, call: bytes) -> None:
    """Have a call made in a child process first: see :meth:`reedsp.device.compiler.Compiler.rehearse`."""
    compiler.rehearse(driver_of(device), call)


def _load(context: cl.Context, device: cl.Device, source: str, kept: bytes, options: bytes) -> cl.Program | None:
    import pyopencl as cl

    if kept == _SOURCE:
        return compile_here(context, device, source, options)
    try:
        return _finished(pyopencl_private.from_binary(context, device, kept), device, options)
    except cl.Error as error:
        _log.info("a binary is not accepted by the driver, and the kernel built anew: %s", error)
        return None


def compile_here(context: cl.Context, device: cl.Device, source: str, options: bytes) -> cl.Program:
    """Compile in this process.

    Raises
    ------
    RefusedError
        The compiler did not accept the source.
    """
    import pyopencl as cl

    if device.platform.name == _POCL:
        pocl.mend_cache_folder()
    program = pyopencl_private.from_source(context, source)
    try:
        return _finished(program, device, options)
    except cl.Error as error:
        log = str(program.get_build_info(device, cl.program_build_info.LOG)).strip()
        raise RefusedError(log or str(error)) from error


def driver_of(device: cl.Device) -> tuple[str, ...]:
    """Return what a binary depends on, apart from its source."""
    return (device.platform.name, device.platform.version, device.name, device.version, device.driver_version)


def binary_of(program: cl.Program) -> bytes:
    """Return the binary of a program for one device."""
    import pyopencl as cl

    binaries: list[bytes] = program.get_info(cl.program_info.BINARIES)  # type: ignore[assignment]
    return binaries[0]


def name_lines(log: str, source: str) -> str:
    """Translate the places in the log of a compiler that ignores ``#line``, as NVIDIA's does.

    Such a compiler calls the whole assembled source ``<kernel>`` and counts its lines from the top.
    """
    places, file, number = [], "", 0
    for line in source.splitlines():
        if directive := re.fullmatch(r'#line (\d+) "(.*)"', line):
            file, number = directive[2], int(directive[1]) - 1
        places.append(f"{file}:{number}")
        number += 1

    def place(match: re.Match[str]) -> str:
        return places[int(match[1]) - 1] if 0 < int(match[1]) <= len(places) else match[0]

    return re.sub(r"<kernel>:(\d+)", place, log)


def _finished(program: cl._cl._Program, device: cl.Device, options: bytes) -> cl.Program:
    with loading():
        return pyopencl_private.built(program, device, options)


@contextlib.contextmanager
def without_option_variables() -> Iterator[None]:
    """Hide the variables that would change how a driver builds kernels, for as long as the context lasts."""
    with _environment_lock:
        removed = {name: os.environ.pop(name) for name in _OPTION_VARIABLES if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(removed)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """As :func:`without_option_variables`, and put back the handlers of signals that a driver's compiler replaces."""
    with without_option_variables(), handlers.kept():
        yield
