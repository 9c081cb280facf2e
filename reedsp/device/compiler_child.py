"""The child process of the compiler: reads sources and calls from its standard input, and answers."""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import json
import os
import pickle
import select
import sys
from typing import IO

import pyopencl as cl

from reedsp.device import build
from reedsp.device.compiler import BINARY, LENGTH, REFUSED, RETURNED, UNABLE, RefusedError, compiler
from reedsp.device.device import Device
from reedsp.system import child

_IDLE_SECONDS = 30.0
"""After which it ends: it holds the driver's memory."""


def main() -> None:
    """Answer until nothing is asked any more."""
    compiler.unavailable = "this is the child process"
    requests = sys.stdin.buffer
    with child.answers() as answers:
        answer: bytes | None = b""  # that it is ready
        while answer is not None:
            answers.write(LENGTH.pack(len(answer)) + answer)
            answers.flush()
            if not answer:
                _prepare(tuple(json.loads(sys.argv[1])))
            request = _next(requests)
            answer = None if request is None else _answer(request)


def _prepare(driver: tuple[str, ...]) -> None:
    """Make the context that the first request will need, while the caller makes its own."""
    with contextlib.suppress(cl.Error, LookupError):  # what it asks for will say why
        _ = _device(driver).context


def _next(requests: IO[bytes]) -> bytes | None:
    if os.name == "posix" and not select.select([requests], [], [], _IDLE_SECONDS)[0]:
        return None
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None


def _answer(request: bytes) -> bytes:
    asked = json.loads(request)
    try:
        device = _device(tuple(asked["driver"]))
        context = device.context
    except (cl.Error, LookupError) as error:
        return UNABLE + str(error).encode()
    if "call" in asked:
        with contextlib.suppress(Exception):  # the caller will see it, too
            _Call(base64.b64decode(asked["call"]), device).load()()
        return RETURNED
    try:
        program = build.compile_here(context, device.handle, asked["source"], asked["options"].encode())
        return BINARY + (build.binary_of(program) if asked["has_binary"] else b"")
    except RefusedError as error:
        return REFUSED + str(error).encode()


class _Call(pickle.Unpickler):
    """A call with the device in its place."""

    def __init__(self, content: bytes, device: Device) -> None:
        super().__init__(io.BytesIO(content))
        self._device = device

    def persistent_load(self, name: str) -> Device:
        return self._device


@functools.cache  # PoCL reads its library of built-in functions again for each context
def _device(driver: tuple[str, ...]) -> Device:
    for platform in cl.get_platforms():
        for handle in platform.get_devices(cl.device_type.ALL):
            if build.driver_of(handle) == driver:
                return Device(0, handle)
    raise LookupError(f"there is no {driver} in a child process")


if __name__ == "__main__":
    main()
