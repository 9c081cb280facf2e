"""Some of the requests of ``python -m tests.deep.fuzz.requests``, and that faults of a server are noticed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pytest

from reedsp.device.device import Device
from reedsp.viewer import server, watch
from tests.deep.fuzz import requests
from tests.deep.fuzz.requests import WrongError


@pytest.mark.deep
def test_changed_requests(device: Device) -> None:
    found = requests.run(range(100), 1, device)
    assert found.total() == 100
    assert {0, 200, 400, 403, 404, 422} <= found.keys()


def test_a_request_is_always_the_same() -> None:
    assert requests.make(1, 5) == requests.make(1, 5) != requests.make(2, 5)


def _refuses(*_: object) -> None:
    raise server.Refused(server.HTTPStatus.BAD_REQUEST, "")


def _fails(request: server.Request) -> Mapping[str, Any]:
    raise RuntimeError("the device is lost")


def _answers_all(handler: Any) -> None:
    request = server.Request("array", "radix-sort", "1 2")
    handler._send(server.HTTPStatus.OK, "application/json", handler.server.runs(request))


def _prints(handler: Any) -> None:
    print("something", file=sys.stderr)
    handler.do_GET()


@pytest.mark.deep("no reason")
@pytest.mark.parametrize(
    ("place", "name", "fault", "noticed"),
    [
        (server._Handler, "_body", _refuses, "there is no reason"),
        (watch, "runner", lambda device: _fails, "status 500"),
        (watch, "runner", lambda device: lambda request: {}, "no trace"),
        (server._Handler, "do_POST", _answers_all, "a page that is not its own"),
        (server._Handler, "do_POST", _prints, "the server prints"),
    ],
    ids=["no reason", "status 500", "no trace", "any page", "prints"],
)
def test_a_fault_is_noticed(
    place: Any, name: str, fault: Any, noticed: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, fault)
    with pytest.raises(WrongError, match=noticed) as caught:
        requests.run(range(100), 1, device)
    assert "of seed 1" in str(caught.value.__notes__)
