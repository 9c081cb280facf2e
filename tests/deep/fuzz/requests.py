"""Throw changed requests at the server of the viewer: each is refused with a reason, or answered with a trace.

    python -m tests.deep.fuzz.requests [--count 20000] [--first 0] [--seed 1] [--device NAME]

Request `i` is always the same for a seed, but for the secret of the address. Of each is demanded:

- an end of the connection within the time that the server gives it;
- a trace, the page, or a status that blames the request, with a reason in JSON where it is one of the server's own;
- that nothing runs without the secret and the page's own address as origin, and that the server prints nothing.

In the end the server answers a right request, and none of its threads is left. The first request that fails is printed,
and the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.viewer import watch
from reedsp.viewer.page import Page
from reedsp.viewer.server import LARGEST_BODY, Request, Server
from tests.deep.fuzz.inputs import change_text

SECONDS = 0.5
"""That a request may take to arrive."""

RUN_SECONDS = 300.0
"""That a run may take: the first one of an algorithm builds its kernels."""

_BLAMES = {400, 403, 404, 408, 411, 413, 414, 415, 422, 431, 501, 505}
_ALGORITHMS = {"graph": ("near-far", "components", "boruvka"), "array": ("blelloch-tree", "radix-sort")}
_GENERATORS = {"graph": ("path", "grid", "random"), "array": ("random", "ascending")}
_TEXTS = {
    "graph": ("0 : 1=3 2=1\n1 : 2=4\n2 : 0\n", "a : b c\nb : c\nc :\n", "0 1 2\n1 2 0.5\n", "0 : 0=-1\n"),
    "array": ("3 1 2\n", "0.5, -1, 7", "1\n2\n2\n9\n"),
}
_VALUES = (
    *(None, True, False, 0, -1, 1, 1000, 1001, 2**63, -(2**63), 10**400, 1.5, 1e308, float("nan"), float("inf")),
    *("", "x", "\0", "\ud800", "0", "graph", "array", "near-far", "a" * 5000, [], {}, [[]], {"kind": "graph"}),
)
_NAMES = ("kind", "algorithm", "text", "generate", "size", "source", "device", "options", "__class__", "")
_HEADERS = ("Host", "Origin", "Content-Type", "Content-Length", "Sec-Fetch-Site", "Transfer-Encoding", "Expect", "X")
_OTHER = b"", b"0", b"-1", b"+5", b"1e3", b"9" * 20, b"chunked", b"cross-site", b"null", b"100-continue"
_TOKEN = b"SECRET"
_HOST = b"127.0.0.1:1"
"""What stands for secret and host until a request is sent."""


# ---- requests ---------------------------------------------------------------------------------------


def right_body(rng: random.Random) -> dict[str, Any]:
    """Return what the page could send."""
    kind = rng.choice(("graph", "graph", "array"))
    body: dict[str, Any] = {"kind": kind, "algorithm": rng.choice(_ALGORITHMS[kind])}
    if rng.random() < 0.3:
        return body | {"generate": rng.choice(_GENERATORS[kind]), "size": rng.randrange(1, 30)}
    body["text"] = rng.choice(_TEXTS[kind])
    return body if kind == "array" or rng.random() < 0.5 else body | {"source": rng.choice((0, 1, "a", None))}


def make(seed: int, number: int) -> tuple[bytes, bool]:
    """Return a request, and whether its sender says at once that this is all."""
    rng = random.Random(f"{seed} {number}")
    body = right_body(rng)
    if "text" in body and rng.random() < 0.5:
        body["text"] = change_text(rng, body["text"].encode()).decode("latin-1")
    if rng.random() < 0.3:
        body[rng.choice(_NAMES)] = rng.choice(_VALUES)
    if rng.random() < 0.1:
        body.pop(rng.choice(list(body)))
    content = json.dumps(body).encode()
    if rng.random() < 0.2:
        content = change_text(rng, content)
    if rng.random() < 0.02:
        content = rng.choice((b"[" * 60_000, content.ljust(LARGEST_BODY + 1), b'{"kind":' * 5000, b"\xff" * 100))
    headers = {
        "Host": _HOST,
        "Origin": b"http://" + _HOST,
        "Content-Type": b"application/json",
        "Content-Length": b"%d" % len(content),
    }
    if rng.random() < 0.2:
        headers[rng.choice(_HEADERS)] = rng.choice(_OTHER)
    if rng.random() < 0.1:
        headers.pop(rng.choice(list(headers)))
    lines = [b"%s: %s" % (name.encode(), value) for name, value in headers.items()]
    if rng.random() < 0.05:
        lines.append(rng.choice(lines))
    method = rng.choice((b"POST",) * 40 + (b"GET", b"PUT", b"HEAD", b"post"))
    path = rng.choice((b"/" + _TOKEN + b"/run",) * 40 + (b"/" + _TOKEN + b"/", b"/run", b"/", b"/" + _TOKEN, b"*"))
    head = b"\r\n".join([method + b" " + path + b" HTTP/1.1", *lines])
    if rng.random() < 0.2:
        head = change_text(rng, head)
    request = head + b"\r\n\r\n" + content
    if rng.random() < 0.05:
        return request[: rng.randrange(len(request) + 1)], True
    return request, rng.random() < 0.9


# ---- what is demanded -------------------------------------------------------------------------------


class WrongError(Exception):
    """The server has not done what it has to."""


class Watched:
    """A server, and what was run there.

    Parameters
    ----------
    device : Device
    """

    def __init__(self, device: Device) -> None:
        self._run = watch.runner(device)
        self._runs = 0
        page = Page([watch.watch([1, 2], "blelloch-tree", device=device).traces[0]], run="run", choices=watch.choices())
        self._server = Server(page.html, self._counted, seconds=SECONDS, run_seconds=RUN_SECONDS)
        parts = urlsplit(self._server.address)
        assert parts.port is not None
        self._port, self._host, self._token = parts.port, parts.netloc.encode(), parts.path.strip("/").encode()

    def __enter__(self) -> Watched:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def _counted(self, request: Request) -> Mapping[str, Any]:
        self._runs += 1
        return self._run(request)

    def examine(self, request: bytes, ends: bool) -> int:
        """Send a request and return the status of the answer, 0 for none.

        Raises
        ------
        WrongError
        """
        request = request.replace(_TOKEN, self._token).replace(_HOST, self._host)
        before = self._runs
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            answer = self._answer(request, ends)
        if printed.getvalue():
            raise WrongError(f"the server prints {printed.getvalue()!r}")
        may_run = self._token in request and b"http://" + self._host in request
        if self._runs != before and not may_run:
            raise WrongError("it runs something for a page that is not its own")
        return self._status(answer, self._runs != before)

    def _answer(self, request: bytes, ends: bool) -> bytes:
        deadline, received = time.monotonic() + 3 * SECONDS + RUN_SECONDS, b""
        with socket.create_connection(("127.0.0.1", self._port), timeout=RUN_SECONDS) as connection:
            with contextlib.suppress(OSError):  # it may be refused before all of it has come
                connection.sendall(request)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(65536):
                    received += part
                    if time.monotonic() > deadline:
                        raise WrongError("the answer does not end")
        return received

    @staticmethod
    def _status(answer: bytes, ran: bool) -> int:
        """Return the status of an answer."""
        head, _, content = answer.partition(b"\r\n\r\n")
        line = re.match(rb"HTTP/1\.[01] ([0-9]{3}) ", head)
        if line is None:  # no request line has come, or that of a protocol which has no status
            if ran:
                raise WrongError(f"what runs is answered with {answer[:100]!r}")
            return 0
        status = int(line[1])
        if status != 200 and status not in _BLAMES:
            raise WrongError(f"status {status}: {content[:300]!r}")
        if status == 200 and ran:
            if "steps" not in json.loads(content):
                raise WrongError(f"no trace: {content[:300]!r}")
        elif b"\r\nContent-Type: application/json" in head and content and not json.loads(content)["error"]:
            raise WrongError("there is no reason")
        return status


def run(numbers: range, seed: int, device: Device) -> Counter[int]:
    """Send requests to a server, and return how many were answered with each status.

    Raises
    ------
    WrongError
        With the request as a note.
    """
    found: Counter[int] = Counter()
    before = set(threading.enumerate())
    with Watched(device) as watched:
        for number in numbers:
            request, ends = make(seed, number)
            try:
                found[watched.examine(request, ends)] += 1
            except (WrongError, OSError, ValueError, KeyError) as error:
                error.add_note(f"request {number} of seed {seed}: {request[:2000]!r}")
                raise
        right = json.dumps({"kind": "array", "algorithm": "blelloch-tree", "text": "1 2"}).encode()
        if watched.examine(*_right(right)) != 200:
            raise WrongError("a right request is not answered any more")
    _wait_for(before)
    return found


def _right(content: bytes) -> tuple[bytes, bool]:
    head = b"POST /%s/run HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\n" % (_TOKEN, _HOST, _HOST)
    return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content), True


def _wait_for(before: set[threading.Thread]) -> None:
    """Wait until no other thread is left."""
    for thread in set(threading.enumerate()) - before:
        thread.join(10 * SECONDS)
        if thread.is_alive():
            raise WrongError(f"{thread} is left")


def _told(found: Counter[int]) -> Iterator[str]:
    for status in sorted(found):
        yield f"{found[status]:,} {status or 'without a status'}"


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.count)
    found = run(numbers, arguments.seed, get_device(arguments.device))
    print(f"{len(numbers):,} requests: {', '.join(_told(found))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
