"""What a worker keeps for a cluster: shared by the workers of a process, and gone with the last of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import reedsp
from reedsp.cluster.worker import registry
from reedsp.cluster.worker.published import Wrapped
from reedsp.device.device import Device

WRAPPED = Wrapped.of(reedsp.Graph.from_edges(2, [0], [1]))


@pytest.fixture
def key() -> Iterator[str]:
    """A cluster of two workers, both of which were sent a graph."""
    setting = registry.Setting(uuid.uuid4().hex)
    for name in ("first", "second"):
        registry.begin(setting, name)
        registry.put(setting.key, name, WRAPPED)
    with registry.serving(setting.key):
        yield setting.key
    for name in ("first", "second"):
        registry.end(setting.key, name)


def test_workers_of_a_process_share_what_there_is(key: str) -> None:
    graph = registry.graph(WRAPPED.published())
    registry.drop(key, "first", WRAPPED.fingerprint)
    registry.end(key, "first")
    assert registry.graph(WRAPPED.published()) is graph
    registry.end(key, "second")
    with pytest.raises(RuntimeError, match="is not known here"):
        registry.device()


def test_the_last_worker_of_a_process_lets_go_of_its_device(device: Device) -> None:
    setting = registry.Setting(uuid.uuid4().hex, (device.name, device.name))
    for name in ("first", "second"):
        registry.begin(setting, name)
    claim = registry._entries[setting.key].claim
    assert claim is not None
    assert claim._file is not None
    registry.end(setting.key, "first")
    assert not claim._file.closed
    registry.end(setting.key, "second")
    assert claim._file.closed
    assert not Path(claim._file.name).exists()


def test_a_graph_that_is_forgotten_is_not_waited_for(key: str) -> None:
    for name in ("first", "second"):
        registry.drop(key, name, WRAPPED.fingerprint)
    begun = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker first: the graph [0-9a-f]{12} is forgotten: ask again for rows"):
        registry.graph(WRAPPED.published())
    assert time.monotonic() < begun + registry._GRAPH_COMES / 2
    registry.put(key, "second", WRAPPED)
    assert registry.graph(WRAPPED.published()).n == 2


def test_only_a_worker_that_has_just_begun_waits_for_a_graph(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Wrapped.of(reedsp.Graph.from_edges(3, [0], [1])).published()
    begun = time.monotonic()
    monkeypatch.setattr(registry._entries[key], "begun", begun - registry._GRAPH_COMES)
    with pytest.raises(RuntimeError, match="was not sent here"):
        registry.graph(other)
    assert time.monotonic() < begun + registry._GRAPH_COMES / 2
