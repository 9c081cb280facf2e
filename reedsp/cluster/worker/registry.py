"""What a worker keeps for a cluster as long as it lives: its device, the graphs, and what tasks leave for later ones.

It belongs to the process, not to the memory of an engine, from which replicas may be dropped. So a graph is uploaded to
the device once in a worker's life. Several clusters can use one worker: a task sees what is of its own. Several workers
can be in one process: what they share goes with the last of them.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reedsp._version import __version__
from reedsp.cluster.worker.claims import Claim, claim
from reedsp.cluster.worker.published import Published, Wrapped
from reedsp.device.device import Device
from reedsp.device.discovery import devices, get_device
from reedsp.device.errors import DeviceError, is_opencl_used
from reedsp.graph.graph import Graph
from reedsp.system.options import integer

KEPT = 8
"""Entries of :func:`kept` for a cluster, the last ones used."""

_GRAPH_COMES = 60.0  # seconds that a worker which has just begun may wait for a graph


@dataclass(frozen=True)
class Setting:
    """What a worker has to know of its cluster.

    Attributes
    ----------
    key : str
        Of the cluster.
    devices : str, tuple of str, or None
        "gpu" or "cpu": those of a kind, which the workers of a host share out. Names, as for
        :func:`reedsp.get_device`: the workers of a host take them in turn. None: what each would take by itself.
    threads : int or None
        Of a device that is the host's processor; None: what the engine says.
    folder : str or None
        One that the client deletes with the cluster, where workers do not hear of its end otherwise.
    version : str
        Of the client's reedsp, whose tasks another version may not understand.
    """

    key: str
    devices: str | tuple[str, ...] | None = None
    threads: int | None = None
    folder: str | None = None
    version: str = field(default_factory=lambda: __version__)  # no attribute of the class, which other versions have


def setting_of(devices: str | Sequence[str] | None, threads: int | None) -> Setting:
    """Return what the workers of a new cluster have to know.

    Raises
    ------
    TypeError, ValueError
        There are no such devices or threads; the message names the argument.
    """
    if devices is not None and not isinstance(devices, str):
        if not isinstance(devices, Sequence) or not all(isinstance(each, (str, int)) for each in devices):
            raise TypeError(f"devices: expected a string or a sequence of strings, got {devices!r}")
        devices = tuple(devices)
        if not devices:
            raise ValueError("devices: the list is empty")
    if threads is not None:
        threads = integer(threads, "threads")
        if threads < 1:
            raise ValueError(f"threads = {threads}, expected at least 1")
    return Setting(uuid.uuid4().hex, devices, threads)


@dataclass
class _Entry:
    """What is kept for a cluster."""

    setting: Setting
    name: str
    claim: Claim[Device] | None = None
    failure: str | None = None
    workers: set[str] = field(default_factory=set)
    begun: float = field(default_factory=time.monotonic)
    graphs: dict[str, Graph] = field(default_factory=dict)
    holders: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # workers that were sent each
    forgotten: set[str] = field(default_factory=set)  # fingerprints of graphs that were here
    files: dict[str, str] = field(default_factory=dict)  # of graphs that came in files
    kept: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    changed: threading.Condition = field(default_factory=lambda: threading.Condition(threading.RLock()))
    lock: threading.RLock = field(default_factory=threading.RLock)


_entries: dict[str, _Entry] = {}
_beginning = threading.RLock()
_locks: dict[int, threading.RLock] = {}
_serving = threading.local()


# ---- for the engines --------------------------------------------------------------------------------


def begin(setting: Setting, name: str, threads: int | None = None) -> None:
    """Make room for a cluster, and find the device of this worker; another one of this process has the same.

    Parameters
    ----------
    setting : Setting
    name : str
        What the worker is called.
    threads : int, optional
        How many a device that is the host's processor may use, where `setting` does not say it. A process that has
        used such a device keeps its number.
    """
    with _beginning:
        if setting.key in _entries:
            _entries[setting.key].workers.add(name)
            return
        _forget_deleted()
        entry = _Entry(setting, name, workers={name})
        count = setting.threads if setting.threads is not None else threads
        if count is not None and not is_opencl_used():
            for variable in ("POCL_MAX_PTHREAD_COUNT", "DPCPP_CPU_NUM_CUS"):
                os.environ.setdefault(variable, str(count))
        try:
            _check_version(setting)
            entry.claim = _own_device(setting)
            entry.lock = _locks.setdefault(entry.claim.taken.index, threading.RLock())
        except (DeviceError, RuntimeError) as error:
            entry.failure = str(error)
        _entries[setting.key] = entry


def end(key: str, name: str) -> None:
    """Forget a cluster with the last worker of this process."""
    with _beginning:
        if (entry := _entries.get(key)) is not None:
            entry.workers.discard(name)
            if not entry.workers:
                _forget(entry)


def put(key: str, name: str, wrapped: Wrapped) -> None:
    """Keep a graph for a worker of a cluster."""
    entry = _entries[key]
    graph = wrapped.graph()
    with entry.changed:
        entry.graphs.setdefault(wrapped.fingerprint, graph)
        entry.holders[wrapped.fingerprint].add(name)
        entry.forgotten.discard(wrapped.fingerprint)
        entry.changed.notify_all()


def drop(key: str, name: str, fingerprint: str) -> None:
    """Forget a graph, and what was kept for it, with the last worker of this process that was sent it."""
    if (entry := _entries.get(key)) is not None:
        with entry.changed:
            entry.holders[fingerprint].discard(name)
            if entry.holders[fingerprint]:
                return
            del entry.holders[fingerprint]
            entry.graphs.pop(fingerprint, None)
            entry.kept.clear()
            entry.forgotten.add(fingerprint)
            entry.changed.notify_all()


@contextlib.contextmanager
def serving(key: str) -> Iterator[None]:
    """Have the functions below answer for a cluster, in this thread."""
    before = getattr(_serving, "key", None)
    _serving.key = key
    try:
        yield
    finally:
        _serving.key = before


def name_in(key: str) -> str:
    """Return what this worker is called in a cluster."""
    entry = _entries.get(key)
    return "unknown" if entry is None else entry.name


# ---- for tasks --------------------------------------------------------------------------------------


def name() -> str:
    """Return what this worker is called."""
    return _own().name


def device() -> Device:
    """Return the device of this worker.

    Raises
    ------
    DeviceError
        It has none of those that were asked for, or another version of reedsp than its client.
    """
    entry = _own()
    if entry.claim is None:
        raise DeviceError(f"worker {entry.name}: {entry.failure}")
    return entry.claim.taken


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Have the device to oneself: one task at a time, in whichever threads of the worker they are."""
    with _own().lock:
        yield


def graph(published: Published) -> Graph:
    """Return a graph that was published for this cluster: the same object for the life of the worker.

    Raises
    ------
    RuntimeError
        It did not come, or was forgotten since, or its file cannot be read here.
    """
    entry = _own()
    with entry.changed:
        if published.file is None:
            known = entry.graphs.keys(), entry.forgotten
            left = max(0.0, entry.begun + _GRAPH_COMES - time.monotonic())
            entry.changed.wait_for(lambda: any(published.fingerprint in each for each in known), left)
        elif published.fingerprint not in entry.graphs:
            _drop_deleted(entry)
            entry.graphs[published.fingerprint] = _read(published.file, entry.name)
            entry.files[published.fingerprint] = published.file
        found = entry.graphs.get(published.fingerprint)
    if found is None:
        about = f"worker {entry.name}: the graph {published.fingerprint[:12]}"
        if published.fingerprint in entry.forgotten:
            raise RuntimeError(f"{about} is forgotten: ask again for rows that were lost with another worker")
        raise RuntimeError(f"{about} was not sent here; if it was forgotten, ask for its rows again")
    return found


def kept(key: Hashable, make: Callable[[], Any]) -> Any:
    """Return what was kept under a key, which is made if there is none; the last few used are kept."""
    entry = _own()
    with entry.changed:
        if key not in entry.kept:
            entry.kept[key] = make()
        entry.kept.move_to_end(key)
        while len(entry.kept) > KEPT:
            entry.kept.popitem(last=False)
        return entry.kept[key]


def _own() -> _Entry:
    key = getattr(_serving, "key", None)
    if key is None:
        raise RuntimeError("not in a task of a reedsp.cluster")
    entry = _entries.get(key)
    if entry is None:
        raise RuntimeError(f"the cluster {key} is not known here")
    return entry


def _forget_deleted() -> None:
    """Forget the clusters whose folders are gone, and of others the graphs whose files are."""
    for entry in list(_entries.values()):
        if entry.setting.folder is not None and not os.path.exists(entry.setting.folder):
            _forget(entry)
        else:
            _drop_deleted(entry)


def _forget(entry: _Entry) -> None:
    del _entries[entry.setting.key]
    if entry.claim is not None:
        entry.claim.release()


def _drop_deleted(entry: _Entry) -> None:
    """Forget the graphs whose files are gone: their cluster has forgotten them."""
    with entry.changed:
        gone = [fingerprint for fingerprint, file in entry.files.items() if not os.path.exists(file)]
        for fingerprint in gone:
            del entry.files[fingerprint]
            entry.graphs.pop(fingerprint, None)
        if gone:
            entry.kept.clear()


def _read(file: str, name: str) -> Graph:
    try:
        wrapped: Wrapped = pickle.loads(Path(file).read_bytes())
    except OSError as error:
        raise RuntimeError(
            f"worker {name}: the graph cannot be read ({error}); give Executor a folder that all workers share"
        ) from error
    return wrapped.graph()


def _check_version(setting: Setting) -> None:
    theirs = getattr(setting, "version", "another")
    if theirs != __version__:
        raise RuntimeError(f"it has reedsp {__version__}, and its client {theirs}: install one version on all machines")


def _own_device(setting: Setting) -> Claim[Device]:
    if setting.devices is None:
        return Claim(get_device())
    if isinstance(setting.devices, str):
        best = get_device(setting.devices)  # says which there are, if there is none of this kind
        same = [each for each in devices() if each.kind == best.kind and each.platform == best.platform]
        return claim(setting.key, same)
    return claim(setting.key, [get_device(each) for each in setting.devices])
