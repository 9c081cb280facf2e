"""The child process of :mod:`reedsp.compiler`: reads sources from its standard input, and answers with binaries."""

from __future__ import annotations

import functools
import json
import os
import select
import sys
from typing import IO

import pyopencl as cl

from reedsp import kernels
from reedsp.compiler import BINARY, LENGTH, REFUSED, UNABLE, RefusedError

_IDLE_SECONDS = 30.0
"""After which it ends: it holds the driver's memory."""


def main() -> None:
    """Answer until nothing is asked any more."""
    requests = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a driver prints is no answer
        answer: bytes | None = b""  # that it is ready
        while answer is not None:
            answers.write(LENGTH.pack(len(answer)) + answer)
            answers.flush()
            request = _next(requests)
            answer = None if request is None else _answer(request)


def _next(requests: IO[bytes]) -> bytes | None:
    if os.name == "posix" and not select.select([requests], [], [], _IDLE_SECONDS)[0]:
        return None
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None


def _answer(request: bytes) -> bytes:
    asked = json.loads(request)
    try:
        context, device = _context(tuple(asked["driver"]))
    except (cl.Error, LookupError) as error:
        return UNABLE + str(error).encode()
    try:
        program = kernels.compile_here(context, device, asked["source"], asked["options"].encode())
        return BINARY + kernels.binary_of(program)
    except RefusedError as error:
        return REFUSED + str(error).encode()


@functools.cache  # PoCL reads its library of built-in functions anew for each context
def _context(driver: tuple[str, ...]) -> tuple[cl.Context, cl.Device]:
    for platform in cl.get_platforms():
        for device in platform.get_devices(cl.device_type.ALL):
            if kernels.driver_of(device) == driver:
                return cl.Context([device]), device
    raise LookupError(f"there is no {driver} in a child process")


if __name__ == "__main__":
    main()
