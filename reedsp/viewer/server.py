"""Serves a page to this machine alone, and runs what the page sends: one input at a time, and not for long."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

LARGEST_BODY = 256 * 1024
"""Bytes of a request: 2,000 edges, each listed both ways with all digits of its weight, take some 160 KiB."""

LARGEST_SIZE = 1_000
"""Of an input that is generated: elements of an array; graphs have a smaller limit of their own."""

SECONDS = 20.0
"""That a request may take to arrive."""

RUN_SECONDS = 120.0
"""That a run may take. Some kernels take a compiler for CPUs a minute, once."""

MOST_CONNECTIONS = 16
"""At one time; others are closed."""

_ADDRESS = "127.0.0.1"
_FIELDS: dict[str, tuple[type, ...]] = {
    "kind": (str,),
    "algorithm": (str,),
    "text": (str,),
    "generate": (str,),
    "size": (int,),
    "source": (str, int, type(None)),
}


@dataclass(frozen=True)
class Request:
    """An input that is to be run.

    Attributes
    ----------
    kind : {"graph", "array"}
    algorithm : str
    text : str, optional
        The input, else it is generated.
    generate : str, optional
        Kind of the input that is generated.
    size : int
        Of that one.
    source : int or str, optional
        Vertex, as the text names it.
    """

    kind: str
    algorithm: str
    text: str | None = None
    generate: str | None = None
    size: int = 1
    source: int | str | None = None


Run: TypeAlias = Callable[[Request], Mapping[str, Any]]
"""Runs a request and returns a trace as JSON; ValueError and TypeError say what is wrong with the request."""


class Refused(Exception):
    """A request that is not served, and why.

    Attributes
    ----------
    status : HTTPStatus
    """

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


def request_of(body: bytes) -> Request:
    """Return what the body of a request asks for.

    Raises
    ------
    Refused
        It is no JSON object with the fields of a request.
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON") from None
    if not isinstance(fields, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON object")
    for name, value in fields.items():
        if name not in _FIELDS:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"there is no field {name[:40]!r}")
        wrong_bool = isinstance(value, bool) and bool not in _FIELDS[name]
        if wrong_bool or not isinstance(value, _FIELDS[name]):
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name}: a value of another type is expected")
    if fields.get("kind") not in ("graph", "array"):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "kind: graph or array is expected")
    if "algorithm" not in fields:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "algorithm: a name is expected")
    if ("text" in fields) == ("generate" in fields):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "either text or generate is expected")
    if not 1 <= fields.get("size", 1) <= LARGEST_SIZE:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"size: 1 to {LARGEST_SIZE:,} is expected")
    return Request(**fields)


class Server:
    """A page on 127.0.0.1, at a free port, under an address that holds a secret.

    Parameters
    ----------
    html : str
        The page, which sends requests to ``run`` beside its own address.
    run : callable(Request)
        Returns a trace as JSON.
    seconds, run_seconds : float
        That a request may take to arrive, and a run.
    """

    def __init__(self, html: str, run: Run, *, seconds: float = SECONDS, run_seconds: float = RUN_SECONDS) -> None:
        self._token = secrets.token_urlsafe(24)
        self._runs = _Runs(run, run_seconds)
        self._http = _Http(html.encode(), self._token, self._runs, seconds)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"{self._http.origin}/{self._token}/"

    def serve(self) -> None:
        """Serve until another thread closes, or an interrupt, and give the port back."""
        try:
            self._http.serve_forever(poll_interval=0.1)
        finally:
            self._http.server_close()

    def close(self) -> None:
        """End serving."""
        if self._http.has_begun:
            self._http.shutdown()  # waits for the end of what has begun
        self._http.server_close()

    def __enter__(self) -> Server:
        """Serve in a thread of its own."""
        self._http.has_begun = True
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Runs:
    """Runs one request at a time. One that takes too long is given up, but the next waits until it has ended."""

    def __init__(self, run: Run, seconds: float) -> None:
        self._run, self._seconds = run, seconds
        self._busy = threading.Lock()

    def __call__(self, request: Request) -> bytes:
        if not self._busy.acquire(blocking=False):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "another input is being run")
        outcome: list[bytes | Refused] = []

        def work() -> None:
            try:
                outcome.append(self._answer(request))
            finally:
                self._busy.release()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(self._seconds)
        if not outcome:
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, f"it takes longer than {self._seconds:g} seconds")
        if isinstance(outcome[0], Refused):
            raise outcome[0]
        return outcome[0]

    def _answer(self, request: Request) -> bytes | Refused:
        try:
            return json.dumps(self._run(request), allow_nan=False).encode()
        except (ValueError, TypeError, OverflowError) as error:
            return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except Exception as error:  # whatever it is, the page should say so, and the next request be served
            from reedsp.edges.negative_cycle_error import NegativeCycleError  # which imports networkx

            if isinstance(error, NegativeCycleError):
                return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
            return Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}")


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    has_begun = False

    def __init__(self, page: bytes, token: str, runs: _Runs, seconds: float) -> None:
        super().__init__((_ADDRESS, 0), _Handler)
        self.page, self.token, self.runs, self.seconds = page, token.encode(), runs, seconds
        self.hosts = tuple(f"{name}:{self.server_port}" for name in (_ADDRESS, "localhost"))
        self.origin = f"http://{self.hosts[0]}"
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._closing = threading.Lock()

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        self.has_begun = True
        super().serve_forever(poll_interval)

    def server_close(self) -> None:
        with self._closing:  # a socket calls itself closed before it is: who comes second waits for who came first
            super().server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # a browser that has gone away is no news
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def setup(self) -> None:
        self.request.settimeout(self.server.seconds)  # of each part that arrives
        super().setup()
        self._late = threading.Timer(self.server.seconds, self._cut_off)
        self._late.daemon = True
        self._late.start()

    def parse_request(self) -> bool:
        is_right = super().parse_request()
        self._late.cancel()
        return is_right

    def finish(self) -> None:
        self._late.cancel()
        super().finish()

    def _cut_off(self) -> None:
        """End a connection whose header has not arrived in time, however it trickles in."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def version_string(self) -> str:
        return "reedsp"

    def log_message(self, *_: object) -> None:  # would print the secret
        pass

    def do_GET(self) -> None:
        """Send the page."""
        with self._refusals():
            self._check("/")
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)

    def do_POST(self) -> None:
        """Run what was sent."""
        with self._refusals():
            self._check("/run")
            origins = self.headers.get_all("Origin", [])
            if len(origins) != 1 or origins[0] not in {f"http://{host}" for host in self.server.hosts}:
                raise Refused(HTTPStatus.FORBIDDEN, "this comes from another page")
            if self.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
                raise Refused(HTTPStatus.FORBIDDEN, "this comes from another page")
            answer = self.server.runs(request_of(self._body()))
            self._send(HTTPStatus.OK, "application/json", answer)

    def _check(self, path: str) -> None:
        if self.headers.get_all("Host", []) not in ([host] for host in self.server.hosts):
            raise Refused(HTTPStatus.FORBIDDEN, "this is for another host")
        token, slash, rest = self.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode("utf-8", "surrogateescape"), self.server.token):
            raise Refused(HTTPStatus.FORBIDDEN, "the address has not the secret that was printed")
        if slash + rest != path:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "JSON is expected")
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) != 1 or "Transfer-Encoding" in self.headers:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "one length is expected")
        if not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
            raise Refused(HTTPStatus.BAD_REQUEST, "the length is no number")
        if (left := int(lengths[0])) > LARGEST_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST_BODY:,} bytes are expected")
        deadline = time.monotonic() + self.server.seconds
        parts = []
        while left:
            self.connection.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                part = self.rfile.read1(left)
            except TimeoutError:
                raise Refused(HTTPStatus.REQUEST_TIMEOUT, "the body takes too long") from None
            if not part:
                raise Refused(HTTPStatus.BAD_REQUEST, "the body is shorter than its length")
            parts.append(part)
            left -= len(part)
        self.connection.settimeout(self.server.seconds)
        return b"".join(parts)

    @contextlib.contextmanager
    def _refusals(self) -> Any:
        try:
            yield
        except Refused as refused:
            self._send(refused.status, "application/json", json.dumps({"error": str(refused)}).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


_HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
