"""The server serves one page to one machine, and refuses what is not from that page, or too large, or too slow."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from reedsp import NegativeCycleError
from reedsp.viewer import server as server_module
from reedsp.viewer.page import Page
from reedsp.viewer.server import LARGEST_BODY, MOST_CONNECTIONS, Request, Server
from tests.viewer import examples
from tests.viewer.conftest import watch_for_errors

RIGHT = {"kind": "graph", "text": "0 : 1\n1 : 2\n2 :\n", "algorithm": "frontier", "source": 0}


class Runner:
    """What runs requests here: it makes traces by hand, and does as it is told."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.threads: list[threading.Thread] = []
        self.release = threading.Event()

    def __call__(self, request: Request) -> dict[str, Any]:
        self.requests.append(request)
        self.threads.append(threading.current_thread())
        if request.algorithm == "slow":
            self.release.wait(20)
        if request.algorithm == "wrong":
            raise ValueError("text: line 3 is wrong")
        if request.algorithm == "cyclic":
            raise NegativeCycleError([0, 1], -3)
        if request.algorithm == "broken":
            raise RuntimeError("the device is lost")
        if request.algorithm == "infinite":
            return {"value": float("inf")}
        if request.generate is not None:
            return examples.breadth_first(examples.path(request.size))
        assert request.text is not None
        lines = [line.split(":") for line in request.text.splitlines()]
        pairs = [(int(v), int(word.split("=")[0])) for v, rest in lines for word in rest.split()]
        return examples.breadth_first(examples.graph(len(lines), pairs), int(request.source or 0))


@pytest.fixture
def runner() -> Runner:
    return Runner()


@pytest.fixture
def server(runner: Runner) -> Iterator[Server]:
    choices = {
        "algorithms": {"graph": [["frontier", "Breadth first"], ["broken", "Broken"]]},
        "generators": {"graph": ["path"]},
    }
    page = Page([examples.breadth_first(examples.path(3))], run="run", choices=choices)
    with Server(page.html, runner, seconds=1.0, run_seconds=1.0) as started:
        yield started
        runner.release.set()


def ask(
    server: Server, body: Any = RIGHT, method: str = "POST", path: str | None = None, **headers: str | None
) -> tuple[int, Any, dict[str, str]]:
    """Send a request as the page would, but for what is given; return status, answer and headers."""
    parts = urlsplit(server.address)
    sent = {
        "Host": parts.netloc,
        "Origin": f"http://{parts.netloc}",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.putrequest(method, path or parts.path + "run", skip_host=True, skip_accept_encoding=True)
    for name, value in {"Content-Length": str(len(content)), **sent}.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders()
    connection.send(content)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return (
        answer.status,
        json.loads(text) if answer.getheader("Content-Type") == "application/json" else text,
        dict(answer.getheaders()),
    )


def test_the_page_and_a_run(server: Server, runner: Runner) -> None:
    parts = urlsplit(server.address)
    assert parts.hostname == "127.0.0.1"
    assert len(parts.path) == len("/") + 32 + len("/")
    status, page, headers = ask(server, b"", "GET", parts.path)
    assert status == 200
    assert page.startswith(b"<!doctype html>")
    assert headers.pop("Date")
    assert headers == {
        "Server": "reedsp",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(page)),
        "Cache-Control": "no-store",
        "Connection": "close",
        "Content-Security-Policy": "frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    status, trace, _ = ask(server)
    assert (status, trace["input"]["n"]) == (200, 3)
    assert runner.requests == [Request("graph", "frontier", RIGHT["text"], source=0)]


def test_limits(runner: Runner) -> None:
    assert (LARGEST_BODY, MOST_CONNECTIONS) == (256 * 1024, 16)
    generated = {"kind": "graph", "algorithm": "frontier", "generate": "path"}
    with Server("", runner) as server:
        assert (server._http.seconds, server._runs._seconds) == (20, 120)
        assert ask(server, json.dumps(RIGHT).encode().ljust(LARGEST_BODY))[0] == 200
        assert [ask(server, generated | {"size": size})[0] for size in (1, 1000, 1001)] == [200, 200, 422]
        assert ask(server, generated)[0] == 200
    assert runner.requests[-1].size == 1


def test_nothing_is_left_at_the_end(runner: Runner) -> None:
    before = set(threading.enumerate())
    with Server("", runner) as server:
        assert ask(server)[0] == 200
        assert all(thread.daemon for thread in {*threading.enumerate(), *runner.threads} - before)
        serving = set(threading.enumerate()) - before
    with pytest.raises(ConnectionRefusedError):
        ask(server)
    for thread in serving:
        thread.join(30)
        assert not thread.is_alive()


@pytest.mark.parametrize("how", ["it ends by itself", "it is closed"])
def test_the_port_is_given_back(how: str, runner: Runner) -> None:
    server = Server("", runner)
    by_itself = how == "it ends by itself"
    serving = threading.Thread(target=server.serve if by_itself else server._http.serve_forever, daemon=True)
    serving.start()
    assert ask(server)[0] == 200
    (server._http.shutdown if by_itself else server.close)()
    serving.join(30)
    with pytest.raises(ConnectionRefusedError):
        ask(server)


def test_what_was_never_served_is_closed(runner: Runner) -> None:
    server = Server("", runner)
    closing = threading.Thread(target=server.close, daemon=True)
    closing.start()
    closing.join(30)
    assert not closing.is_alive()
    with pytest.raises(ConnectionRefusedError):
        ask(server)


def test_who_closes_waits_until_the_port_is_given_back(runner: Runner) -> None:
    server = Server("", runner)
    listening, begun, may_end = server._http.socket, threading.Event(), threading.Event()

    class Slow:
        """Calls itself closed, and then closes, as a socket of Python does while other threads run."""

        def __getattr__(self, name: str) -> Any:
            return getattr(listening, name)

        def close(self) -> None:
            if not begun.is_set():
                begun.set()
                assert may_end.wait(30)
                listening.close()

    server._http.socket = Slow()  # type: ignore[assignment]
    serving, closing = (threading.Thread(target=work, daemon=True) for work in (server.serve, server.close))
    serving.start()
    assert ask(server)[0] == 200
    server._http.shutdown()
    assert begun.wait(30)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    may_end.set()
    for thread in (serving, closing):
        thread.join(30)
        assert not thread.is_alive()
    with pytest.raises(ConnectionRefusedError):
        ask(server)


def test_the_page_may_be_asked_for_by_the_name_of_this_machine(server: Server) -> None:
    host = f"localhost:{urlsplit(server.address).port}"
    assert ask(server, Host=host, Origin=f"http://{host}")[0] == 200


def test_each_server_has_another_secret(runner: Runner) -> None:
    first, second = (Server("", runner) for _ in range(2))
    assert urlsplit(first.address).path != urlsplit(second.address).path
    for each in (first, second):
        each._http.server_close()


HOSTILE: dict[str, tuple[int, dict[str, Any]]] = {
    "other origin": (403, {"Origin": "https://example.org"}),
    "no origin": (403, {"Origin": None}),
    "null origin": (403, {"Origin": "null"}),
    "other site": (403, {"Sec_Fetch_Site": "cross-site"}),
    "other host": (403, {"Host": "example.org"}),
    "no host": (403, {"Host": None}),
    "host without port": (403, {"Host": "127.0.0.1"}),
    "no token": (403, {"path": "/run"}),
    "wrong token": (403, {"path": "/" + "x" * 32 + "/run"}),
    "token that is no ASCII": (403, {"path": "/%C3%A4\u00e4/run"}),
    "no content type": (415, {"Content_Type": None}),
    "a form": (415, {"Content_Type": "application/x-www-form-urlencoded"}),
    "plain text": (415, {"Content_Type": "text/plain"}),
    "no length": (411, {"Content_Length": None}),
    "chunks": (411, {"Transfer_Encoding": "chunked"}),
    "negative length": (400, {"Content_Length": "-1"}),
    "length that is no number": (400, {"Content_Length": "1e3"}),
    "too long": (413, {"Content_Length": str(LARGEST_BODY + 1)}),
    "much too long": (413, {"Content_Length": "9" * 18}),
    "no JSON": (400, {"body": b"{"}),
    "no UTF-8": (400, {"body": b'"\xff"'}),
    "deep JSON": (400, {"body": b"[" * 60_000}),
    "long number": (400, {"body": b"9" * 60_000}),
    "a list": (400, {"body": []}),
    "nothing": (400, {"body": b""}),
    "no kind": (422, {"body": {"text": "", "algorithm": "frontier"}}),
    "no algorithm": (422, {"body": {"text": "", "kind": "graph"}}),
    "no text": (422, {"body": {"kind": "graph", "algorithm": "frontier"}}),
    "text and generator": (422, {"body": RIGHT | {"generate": "path", "size": 3}}),
    "a path": (422, {"body": RIGHT | {"path": "/etc/passwd"}}),
    "text that is a number": (422, {"body": RIGHT | {"text": 3}}),
    "source that is a list": (422, {"body": RIGHT | {"source": [0]}}),
    "size that is a switch": (
        422,
        {"body": {"kind": "graph", "algorithm": "frontier", "generate": "path", "size": True}},
    ),
    "10^9 vertices": (422, {"body": {"kind": "graph", "algorithm": "frontier", "generate": "path", "size": 10**9}}),
    "no vertices": (422, {"body": {"kind": "graph", "algorithm": "frontier", "generate": "path", "size": 0}}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_requests_are_refused(server: Server, runner: Runner, case: str) -> None:
    expected, changed = HOSTILE[case]
    if "\u00e4" in changed.get("path", ""):
        assert raw(
            server,
            f"POST {changed['path']} HTTP/1.1\r\nHost: {urlsplit(server.address).netloc}\r\n\r\n".encode("latin-1"),
        ).startswith(b"HTTP/1.0 403")
    else:
        status, answer, _ = ask(server, **changed)
        assert status == expected
        assert set(answer) == {"error"}
        assert answer["error"]
    assert runner.requests == []
    assert ask(server)[0] == 200


@pytest.mark.parametrize("path", ["", "index.html", "../../etc/passwd", "run", "%2e%2e/"])
def test_there_is_one_page(server: Server, path: str) -> None:
    whole = urlsplit(server.address).path + path
    status, _, _ = ask(server, b"", "GET", whole)
    assert status == (404 if path else 200)
    assert ask(server, b"", "GET", "/")[0] == 403
    assert ask(server, b"", "GET", "/favicon.ico")[0] == 403
    assert ask(server, b"", "PUT", whole)[0] == 501


def raw(server: Server, content: bytes, wait: float = 5) -> bytes:
    parts = urlsplit(server.address)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 0), timeout=wait) as connection:
        connection.sendall(content)
        received = b""
        while part := connection.recv(65536):
            received += part
    return received


def test_a_slow_body_is_given_up(server: Server, runner: Runner) -> None:
    parts = urlsplit(server.address)
    head = (
        f"POST {parts.path}run HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    )
    started = time.monotonic()
    assert b" 408 " in raw(server, head.encode()).splitlines()[0]
    assert time.monotonic() - started < 4
    assert runner.requests == []


def test_a_body_that_drips_is_given_up(server: Server, runner: Runner) -> None:
    parts = urlsplit(server.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30) as connection:
        head = f"POST {parts.path}run HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n".encode())
        for _ in range(100):
            connection.sendall(b" ")
            if select.select([connection], [], [], 0.1)[0]:
                break
        else:
            raise AssertionError("it waits on")
        assert b" 408 " in connection.recv(200).splitlines()[0]
    assert runner.requests == []


def test_a_header_that_drips_is_given_up(server: Server, runner: Runner) -> None:
    parts = urlsplit(server.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30) as connection:
        started = time.monotonic()
        connection.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nX: ".encode())
        with contextlib.suppress(OSError):
            for _ in range(100):
                connection.sendall(b"x")
                if select.select([connection], [], [], 0.1)[0]:
                    break
            else:
                raise AssertionError("it waits on")
        with contextlib.suppress(OSError):
            assert connection.recv(200) == b""
        assert time.monotonic() - started < 6
    assert ask(server)[0] == 200


def test_an_answer_has_all_its_time_but_not_longer_than_the_program(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[tuple[float | None, bool]] = []
    send = server_module._Handler._send

    def sent(handler: Any, *given: Any) -> None:
        left.append((handler.connection.gettimeout(), threading.current_thread().daemon))
        send(handler, *given)

    monkeypatch.setattr(server_module._Handler, "_send", sent)
    assert ask(server)[0] == 200
    assert left == [(1.0, True)]


def test_a_body_that_ends_early_is_refused(server: Server) -> None:
    parts = urlsplit(server.address)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 0), timeout=5) as connection:
        head = f"POST {parts.path}run HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{".encode())
        connection.shutdown(socket.SHUT_WR)
        assert b" 400 " in connection.recv(200).splitlines()[0]


def test_a_body_may_come_in_parts(runner: Runner) -> None:
    body = json.dumps(RIGHT).encode()
    with Server("", runner, seconds=60) as server:
        parts = urlsplit(server.address)
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as connection:
            head = f"POST {parts.path}run HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
            connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode())
            for each in (body[:9], body[9:]):
                time.sleep(0.1)
                connection.sendall(each)
            assert b" 200 " in connection.recv(200).splitlines()[0]


@pytest.mark.parametrize(("error", "is_news"), [(ConnectionResetError, False), (ZeroDivisionError, True)])
def test_only_a_fault_of_the_server_is_printed(
    error: type[Exception],
    is_news: bool,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(server_module._Handler, "do_GET", fail)
        assert raw(server, b"GET / HTTP/1.1\r\n\r\n") == b""
    said = capsys.readouterr().err
    assert ("ZeroDivisionError" in said) == is_news
    assert is_news or not said
    assert ask(server)[0] == 200


def test_what_goes_wrong_in_a_run_is_said(server: Server) -> None:
    assert ask(server, RIGHT | {"algorithm": "wrong"})[:2] == (422, {"error": "text: line 3 is wrong"})
    status, answer = ask(server, RIGHT | {"algorithm": "cyclic"})[:2]
    assert (status, answer["error"][:24]) == (422, "negative cycle of weight")
    assert ask(server, RIGHT | {"algorithm": "broken"})[:2] == (500, {"error": "RuntimeError: the device is lost"})
    assert ask(server, RIGHT | {"algorithm": "infinite"})[0] == 422
    assert ask(server)[0] == 200


def test_one_run_at_a_time_and_none_for_long(server: Server, runner: Runner) -> None:
    outcome: list[int] = []
    slow = threading.Thread(target=lambda: outcome.append(ask(server, RIGHT | {"algorithm": "slow"})[0]))
    slow.start()
    while not runner.requests:
        time.sleep(0.01)
    assert ask(server)[0] == 503
    slow.join()
    assert outcome == [504]
    assert ask(server)[0] == 503
    runner.release.set()
    for _ in range(100):
        if ask(server)[0] == 200:
            return
        time.sleep(0.02)
    raise AssertionError("it is still busy")


def test_a_run_is_waited_for(runner: Runner) -> None:
    outcome: list[int] = []
    with Server("", runner, run_seconds=60) as server:
        slow = threading.Thread(target=lambda: outcome.append(ask(server, RIGHT | {"algorithm": "slow"})[0]))
        slow.start()
        while not runner.requests:
            time.sleep(0.01)
        runner.release.set()
        slow.join()
    assert outcome == [200]


@pytest.mark.parametrize("seconds", [1.0, 60.0])
def test_idle_connections_do_not_pile_up(seconds: float, runner: Runner) -> None:
    with Server("", runner, seconds=seconds) as server, contextlib.ExitStack() as stack:
        parts = urlsplit(server.address)
        address = parts.hostname or "", parts.port or 0
        idle = [stack.enter_context(socket.create_connection(address, timeout=30)) for _ in range(MOST_CONNECTIONS + 4)]
        if seconds < 60:  # those that say nothing are given up
            assert all(is_closed(connection) for connection in idle)
            assert ask(server)[0] == 200
        else:
            assert all(is_closed(connection) for connection in idle[MOST_CONNECTIONS:])
            assert select.select(idle[:MOST_CONNECTIONS], [], [], 0)[0] == []


def is_closed(connection: socket.socket) -> bool:
    """Wait for the end of a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


# ---- with the page ----------------------------------------------------------------------------------


def test_an_edited_graph_is_run_again(browser: Any, server: Server, runner: Runner) -> None:
    wrong: list[str] = []
    page = browser.new_page()
    watch_for_errors(page, wrong)
    page.goto(server.address)
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("i")
    page.keyboard.press("e")
    page.keyboard.press("[")
    page.keyboard.press("Enter")
    page.click("#draft-run")
    page.wait_for_selector("#draft", state="hidden")
    assert runner.requests[-1].text is not None
    assert runner.requests[-1].text.splitlines()[2:] == ["2 : 1=2 3", "3 : 2"]
    assert page.evaluate("app.state.current.replay.trace.input.n") == 4
    page.click("#edit")
    page.select_option("#generator", "path")
    page.fill("#size", "6")
    page.click("#generate")
    page.wait_for_selector("#edit-dialog", state="hidden")
    assert page.evaluate("app.state.current.replay.trace.input.n") == 6
    page.click("#edit")
    page.select_option("#run-algorithm", "broken")
    page.click("#edit-apply")
    page.wait_for_selector("#edit-error:not(:empty)")
    assert page.inner_text("#edit-error") == "RuntimeError: the device is lost"
    page.close()
    assert [each for each in wrong if not each.startswith(server.address) and "500" not in each] == []
