"""Compile and try kernels in a child process, so that a crash of the driver ends the child and not the user's program.

OpenCL compilers run inside the process that calls them, and some have crashed on correct kernels; PoCL's goes on when a
kernel is launched, for the size of its work-groups. Only what has never been compiled, or tried, on a driver comes
here: the binary that the child returns is kept, and loaded by every later process.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import logging
import os
import signal
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any

from reedsp.system import child

_log = logging.getLogger(__name__)

BINARY, REFUSED, UNABLE, RETURNED = b"B", b"R", b"U", b"D"
"""What an answer starts with: the binary, the compiler's log, why the device cannot be worked with, or nothing."""

DEVICE = "device"
"""What stands for a device in a pickled call."""

LENGTH = struct.Struct("<Q")
"""Of what follows in a pipe."""

PATIENCE = 300.0
"""Seconds, after which a compiler is taken to hang."""

_CHILD = "reedsp.device.compiler_child"


class CompilerCrashError(RuntimeError):
    """The compiler, or a kernel, has ended its process, or has not come to an end."""


class CompilerUnavailableError(RuntimeError):
    """No child process can compile for a device here."""


class RefusedError(RuntimeError):
    """The compiler did not accept the source; the message is its log."""


class Compiler:
    """The child process, started when it is needed first, and again after it has ended.

    Attributes
    ----------
    unavailable : str
        Why there is to be no child process, if there is not.
    """

    def __init__(self) -> None:
        self.unavailable = ""
        self._lock = threading.RLock()
        self._is_in_use = False
        self._child: subprocess.Popen[bytes] | None = None
        self._is_ready = False  # which the child has said
        self._has_answered = False
        self._hangs = False
        self._messages: IO[bytes] | None = None  # what the child has printed
        self._owner = os.getpid()

    def begin(self, driver: Sequence[str]) -> None:
        """Start the child if there is none, so that it is soon ready to work with this driver; wait for nothing."""
        with contextlib.suppress(CompilerUnavailableError), self._alone():  # which a question says, too
            if self._child is None and not self.unavailable:
                self._spawn(driver)

    def compile(self, driver: Sequence[str], source: str, options: bytes, has_binary: bool = True) -> bytes:
        """Return the binary of a source for the device with this driver.

        Parameters
        ----------
        driver : sequence of str
            What :func:`reedsp.device.build.driver_of` returns for the device.
        source : str
        options : bytes
        has_binary : bool
            Otherwise the source is compiled, and what is returned is empty.

        Raises
        ------
        RefusedError
        CompilerCrashError
        CompilerUnavailableError
        """
        asked = {"driver": list(driver), "source": source, "options": options.decode(), "has_binary": has_binary}
        kind, content = self._answer(asked)
        if kind == REFUSED:
            raise RefusedError(content.decode(errors="replace"))
        return content

    def rehearse(self, driver: Sequence[str], call: bytes) -> None:
        """Have the child make a call on the device with this driver; what it returns or raises is forgotten.

        Parameters
        ----------
        driver : sequence of str
        call : bytes
            A pickled function without arguments, with :data:`DEVICE` as persistent id of the device.

        Raises
        ------
        CompilerCrashError
            It has ended the child, or hangs.
        CompilerUnavailableError
        """
        self._answer({"driver": list(driver), "call": base64.b64encode(call).decode()})

    def _answer(self, question: dict[str, Any]) -> tuple[bytes, bytes]:
        if self.unavailable:
            raise CompilerUnavailableError(self.unavailable)
        request = json.dumps(question).encode()
        with self._alone():
            if self._child is not None:
                self._await()
            answer = None if self._child is None else self._ask(request)
            if answer is None and self._has_no_blame():
                self._spawn(question["driver"])
                self._await()
                answer = self._ask(request)
            if answer is None:
                raise CompilerCrashError(self._obituary())
            self._has_answered = True
        kind, content = answer[:1], answer[1:]
        if kind == UNABLE:
            raise CompilerUnavailableError(content.decode(errors="replace"))
        return kind, content

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads out, and the handler of a signal that has come to this one."""
        with self._lock:
            if self._is_in_use:
                raise CompilerUnavailableError("a signal's handler has interrupted the use of the child process")
            try:
                self._is_in_use = True
                yield
            finally:
                self._is_in_use = False

    def _has_no_blame(self) -> bool:
        """Return whether it may not be for the question that there is no answer.

        A child that has had nothing to do ends. And NVIDIA's compiler has crashed on what it refuses rightly in another
        process, after hundreds of others.
        """
        return self._child is None or self._child.wait() == 0 or (self._has_answered and not self._hangs)

    def stop(self) -> None:
        """End the child process."""
        process, self._child = self._child, None
        messages, self._messages = self._messages, None
        pipes = [messages]
        if process is not None:
            pipes += [process.stdin, process.stdout]
            if self._owner == os.getpid():
                process.kill()
                process.wait()
        for pipe in pipes:
            if pipe is not None:
                with contextlib.suppress(OSError):  # a request was being written
                    pipe.close()

    def _spawn(self, driver: Sequence[str]) -> None:
        self.stop()
        self._is_ready = self._has_answered = self._hangs = False
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
        try:
            self._child = subprocess.Popen(
                child.command(_CHILD, json.dumps(list(driver))),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._messages,
                env=child.environment(),
                start_new_session=True,  # Ctrl-C is for this process, which then stops the child
            )
        except (OSError, ValueError, RuntimeError) as error:  # no interpreter, no more processes, or none from here
            raise CompilerUnavailableError(str(error)) from error

    def _await(self) -> None:
        """Wait until the child is ready."""
        if not self._is_ready:
            if self._ask(None) is None:
                said = self._obituary()
                if self._hangs:  # as the next one would
                    self.unavailable = said
                raise CompilerUnavailableError(said)
            self._is_ready = True

    def _ask(self, request: bytes | None) -> bytes | None:
        """Return the answer of the child, or None if it ends instead; without a request, that it is ready."""
        assert self._child is not None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        impatient = threading.Timer(PATIENCE, self._give_up)
        impatient.daemon = True  # nothing waits for it if it is never cancelled
        try:
            impatient.start()
            if request is None:
                if not child.begins(self._child.stdout):
                    return None
            else:
                self._child.stdin.write(LENGTH.pack(len(request)) + request)
                self._child.stdin.flush()
            head = self._child.stdout.read(LENGTH.size)
            if len(head) < LENGTH.size:
                return None
            [length] = LENGTH.unpack(head)
            answer = self._child.stdout.read(length)
            return answer if len(answer) == length else None
        except BrokenPipeError:
            return None
        except BaseException:  # Ctrl-C: what the child answers later would be taken for something else
            self.stop()
            raise
        finally:
            impatient.cancel()

    def _give_up(self) -> None:
        """End a child that hangs."""
        self._hangs = True
        if (process := self._child) is not None:
            process.kill()

    def _obituary(self) -> str:
        """Return how the child ended, and the last of what it said; it is forgotten."""
        assert self._child is not None
        assert self._messages is not None
        status = self._child.wait()
        size = self._messages.seek(0, os.SEEK_END)
        self._messages.seek(max(0, size - 2000))
        said = self._messages.read().decode(errors="replace").strip()
        self.stop()
        how = signal.strsignal(-status) if status < 0 else f"exit status {status}"
        return f"{how}\n{said}".strip()


compiler = Compiler()
"""That of this process."""

atexit.register(compiler.stop)
