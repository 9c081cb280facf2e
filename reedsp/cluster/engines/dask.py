"""The engine of Dask: a client's workers, the ones that come later, and those that are started again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import dask.array
import distributed
import numpy as np
from distributed.comm import CommClosedError

from reedsp.cluster.engines.engine import CLOSED, Future, Rows
from reedsp.cluster.worker import registry
from reedsp.cluster.worker.published import Published, Wrapped
from reedsp.cluster.worker.registry import Setting, setting_of
from reedsp.cluster.worker.serve import serve
from reedsp.cost_model import sharing

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_LOST = CommClosedError, ConnectionError, TimeoutError
_TRIES = 5
"""How often workers are asked of which one is lost meanwhile."""
_PATIENCE = 30.0
"""Seconds between looks for workers; where two find none, a warning says that they are waited for."""


class DaskEngine:
    """Runs tasks by a client of Dask.

    Parameters
    ----------
    client : distributed.Client
    devices : str, sequence of str or None
    threads : int, optional
    """

    keeps_results: bool = True
    final: tuple[type[BaseException], ...] = (distributed.scheduler.KilledWorker,)

    def __init__(self, client: Any, devices: str | Sequence[str] | None = None, threads: int | None = None) -> None:
        if not isinstance(client, distributed.Client):
            raise TypeError(f"client: expected a distributed.Client, got {type(client).__name__}")
        if client.asynchronous:
            raise ValueError("client: it is asynchronous, expected one whose calls wait")
        self.client = client
        self._setting = setting_of(devices, threads)
        self.task_bytes = sharing.ROW_BYTES
        self.closed: bool = False
        self._published: dict[str, Published] = {}
        self._looked, self._alone = time.monotonic(), 0  # when workers were looked for, and how often none was there
        self.check()
        begin, name = _Begin(self._setting), f"reedsp-{self._setting.key}"
        self._reach(lambda: client.register_plugin(begin, name=name))
        try:
            self._reach(lambda: client.register_plugin(_Release(), name=f"{name}-release"))
        except ImportError as error:
            _log.info("the scheduler has no reedsp; where all workers are lost, a matrix waits for these: %s", error)

    def workers(self) -> tuple[str, ...]:
        """Return the addresses of the workers."""
        return tuple(self._reach(self.client.nthreads))  # not scheduler_info, which Dask overwrites now and then

    def submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None, urgent: bool = False
    ) -> Future:
        """Have a worker call a function."""
        return self._submit(function, arguments, None if worker is None else [worker], urgent)

    def avoid(self, function: Callable[..., Any], *arguments: Any, worker: str | None) -> Future:
        """Have a worker call a function, not this one where there is another."""
        others = [each for each in self.workers() if each != worker]
        return self._submit(function, arguments, others or None)

    def _submit(
        self, function: Callable[..., Any], arguments: Sequence[Any], workers: list[str] | None, urgent: bool = False
    ) -> Future:
        self.check()
        options: dict[str, Any] = {"priority": int(urgent)}
        if workers is not None:
            options |= {"workers": workers, "allow_other_workers": True}
        named = getattr(function, "__name__", "task").strip("_")
        future: Future = self.client.submit(
            *(serve, self._setting.key, function, *arguments), key=f"reedsp-{named}-{uuid.uuid4().hex}", **options
        )
        return future

    def cancel(self, futures: Iterable[Future]) -> None:
        """Cancel tasks that have not begun; nothing more is known of any of them."""
        if self.client.status == "running":
            self.client.cancel(list(futures))

    def check(self) -> None:
        """Raise RuntimeError if this is closed, or the client, or its scheduler is lost; warn of no worker for long."""
        if self.closed:
            raise RuntimeError(CLOSED)
        self._check_client()
        if time.monotonic() >= self._looked + _PATIENCE:
            self._looked = time.monotonic()
            self._alone = 0 if self.workers() else self._alone + 1
            if self._alone == 2:
                message = (
                    f"the cluster has had no workers for {_PATIENCE:.0f} s; what is left to do waits for new ones: "
                    "start some, as by scale() of a LocalCluster, or interrupt the call. Dask itself starts none where "
                    "one was not back within its setting distributed.deploy.lost-worker-timeout"
                )
                warnings.warn(message, RuntimeWarning, stacklevel=2)

    def _check_client(self) -> None:
        if self.client.status in ("closed", "closing", "newly-created"):
            raise RuntimeError("client: it is closed, or its scheduler is lost; the same call with a new one goes on")
        if self.client.status != "running":
            raise RuntimeError(
                f"client: the scheduler is lost ({self.client.status}); the same call with a new one goes on"
            )

    def each_worker(self, function: Callable[[], Any]) -> dict[str, Any]:
        """Return what a function returns on each worker that is there."""
        return dict(self._reach(lambda: self.client.run(_serve_beside, self._setting.key, function)))

    def _reach(self, call: Callable[[], _T]) -> _T:
        """Return what the scheduler answers; where a worker is lost meanwhile, those that are left are asked again."""
        lost: BaseException | None = None
        for _ in range(_TRIES):
            self._check_client()
            try:
                return call()
            except OSError as error:
                if not (isinstance(error, _LOST) or type(error) is OSError):  # the latter: it cannot be connected to
                    raise
                lost = error
        raise RuntimeError(
            f"client: the scheduler is lost, or one worker after the other ({lost}); the same call goes on"
        ) from lost

    def publish(self, graph: Wrapped) -> Published:
        """Send a graph to every worker that is there, and to those that come."""
        published = graph.published()
        if graph.fingerprint not in self._published:
            put, name = _Put(self._setting, graph), self._name_of(published)
            self._reach(lambda: self.client.register_plugin(put, name=name))
            self._published[graph.fingerprint] = published
        return published

    def forget(self, graph: Published) -> None:
        """Take a graph from all registries."""
        if self._published.pop(graph.fingerprint, None) is not None and self.client.status == "running":
            with contextlib.suppress(OSError):  # what is lost, nothing has to be taken from
                self.client.unregister_worker_plugin(self._name_of(graph))

    def array(
        self,
        parts: Sequence[Rows],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        item: int | None = None,
    ) -> Any:
        """Return a dask.array of rows that are on workers: all that tasks returned, or some of an item of it."""
        if not parts:
            return dask.array.from_array(np.empty(shape, dtype))  # those that dask makes by itself forget the type
        blocks = []
        for future, there, place in parts:
            rows = future if item is None else dask.delayed(_some_of)(future, item, there)
            blocks.append(dask.array.from_delayed(rows, (place.stop - place.start, shape[1]), dtype))
        return dask.array.concatenate(blocks)

    def close(self) -> None:
        """Take all that was sent from the workers; the client stays as it is."""
        self.closed = True
        for published in list(self._published.values()):
            self.forget(published)
        if self.client.status == "running":
            with contextlib.suppress(ValueError, OSError):
                self.client.unregister_worker_plugin(f"reedsp-{self._setting.key}")
            with contextlib.suppress(ValueError, OSError):
                self.client.unregister_scheduler_plugin(f"reedsp-{self._setting.key}-release")

    def _name_of(self, published: Published) -> str:
        return f"reedsp-{self._setting.key}-{published.fingerprint}"


def _some_of(found: Any, item: int, there: slice) -> Any:
    return found[item][there]


async def _serve_beside(key: str, function: Callable[[], Any]) -> Any:
    """Call a function in another thread than that in which a worker answers the scheduler."""
    return await asyncio.to_thread(serve, key, function)


class _Release(distributed.SchedulerPlugin):
    """Has tasks run anywhere that are for workers which are lost.

    Dask does so by itself while there is another worker, but has those that become ready while there is none, or none
    that is ready itself, wait for the workers they are for.
    """

    async def start(self, scheduler: Any) -> None:
        """Take part in what the scheduler does."""
        self._scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Let a task go that is to wait, so that the next worker which becomes ready takes it."""
        if finish == "no-worker" and str(key).startswith("reedsp-"):
            task = self._scheduler.tasks[key]
            if task.loose_restrictions and task.worker_restrictions:
                self._scheduler.set_restrictions({key: None})


class _Begin(distributed.WorkerPlugin):
    """Gives a worker its device."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    async def setup(self, worker: Any) -> None:
        """Find the device in another thread, so that the worker answers meanwhile."""
        threads = min(worker.state.nthreads, os.cpu_count() or 1)
        await asyncio.to_thread(registry.begin, self._setting, worker.address, threads)

    def teardown(self, worker: Any) -> None:
        """Forget the cluster."""
        registry.end(self._setting.key, worker.address)


class _Put(distributed.WorkerPlugin):
    """Gives a worker a graph."""

    def __init__(self, setting: Setting, graph: Wrapped) -> None:
        self._setting = setting
        self._graph = graph

    async def setup(self, worker: Any) -> None:
        """Make the graph in another thread; a worker that comes later may find it before its device."""
        threads = min(worker.state.nthreads, os.cpu_count() or 1)
        await asyncio.to_thread(registry.begin, self._setting, worker.address, threads)
        await asyncio.to_thread(registry.put, self._setting.key, worker.address, self._graph)

    def teardown(self, worker: Any) -> None:
        """Forget the graph."""
        registry.drop(self._setting.key, worker.address, self._graph.fingerprint)
