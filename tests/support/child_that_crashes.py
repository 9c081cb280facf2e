"""A child process for compiling in which the compiler does what the source says."""

from __future__ import annotations

import faulthandler
import json
import os
import time

from reedsp.device import compiler_child

answer = compiler_child._answer
answered = []


def behave(request: bytes) -> bytes:
    """Crash, hang, talk or leave if the source asks for it; compile it otherwise."""
    source = json.loads(request).get("source", "")
    if "planted_crash" in source:
        faulthandler.enable()
        os.abort()  # not a bad access: PoCL catches some
    if "planted_exit" in source:
        os._exit(3)
    if "planted_hang" in source:
        time.sleep(600)
    if "planted_words" in source:
        os.write(1, b"a driver says something " * 1000)
    if "planted_leave" in source:
        compiler_child._IDLE_SECONDS = 0.0
    if "planted_weariness" in source and answered:
        os.abort()
    answered.append(source)
    return answer(request)


if __name__ == "__main__":
    compiler_child._answer = behave
    compiler_child.main()
