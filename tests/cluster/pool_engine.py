"""An engine for tests: tasks go to a pool of threads or processes, and their results through this process."""

from __future__ import annotations

import concurrent.futures
import contextlib
import pickle
import threading
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from reedsp.cluster import all_pairs
from reedsp.cluster.worker import registry
from reedsp.cluster.worker.published import Published, Wrapped
from reedsp.graph.graph import Graph
from reedsp.results.all_pairs import AllPairs

Future = concurrent.futures.Future[Any]


def run(setting: registry.Setting, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function on a worker, where its registry is that of a cluster."""
    registry.begin(setting, "worker")
    with registry.serving(setting.key):
        return function(*arguments)


class PoolEngine:
    """The engine.

    Parameters
    ----------
    pool : concurrent.futures.Executor
    folder : Path
        Where workers find graphs.
    keeps_results : bool
        What it pretends: where workers are threads, results are where they were.
    """

    final: tuple[type[BaseException], ...] = (concurrent.futures.BrokenExecutor,)

    def __init__(self, pool: concurrent.futures.Executor, folder: Path, keeps_results: bool = False) -> None:
        self.keeps_results = keeps_results
        self.task_bytes = 1 << 27
        self.closed = False
        self._pool = pool
        self._folder = folder
        self._setting = registry.Setting(uuid.uuid4().hex)

    def workers(self) -> tuple[str, ...]:
        return "first", "second"

    def submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None, urgent: bool = False
    ) -> Future:
        given: Future = concurrent.futures.Future()
        awaited = [each for each in arguments if isinstance(each, concurrent.futures.Future)]
        left, lock = len(awaited) + 1, threading.Lock()

        def one_less(_: Any = None) -> None:
            nonlocal left
            with lock:
                left -= 1
                ready = left == 0
            if ready and not given.cancelled():
                begin()

        def begin() -> None:
            try:
                values = tuple(
                    each.result() if isinstance(each, concurrent.futures.Future) else each for each in arguments
                )
                self._pool.submit(run, self._setting, function, values).add_done_callback(done)
            except BaseException as error:
                given.set_exception(error)

        def done(ended: Future) -> None:
            if given.set_running_or_notify_cancel():
                error = concurrent.futures.CancelledError() if ended.cancelled() else ended.exception()
                given.set_exception(error) if error is not None else given.set_result(ended.result())

        for each in awaited:
            each.add_done_callback(one_less)
        one_less()
        return given

    def cancel(self, futures: Iterable[Any]) -> None:
        for each in futures:
            each.cancel()

    def avoid(self, function: Callable[..., Any], *arguments: Any, worker: str | None) -> Future:
        return self.submit(function, *arguments)

    def check(self) -> None:
        pass

    def each_worker(self, function: Callable[[], Any]) -> dict[str, Any]:
        return {}

    def publish(self, graph: Wrapped) -> Published:
        file = self._folder / graph.fingerprint
        file.write_bytes(pickle.dumps(graph))
        return graph.published(str(file))

    def forget(self, graph: Published) -> None:
        if graph.file is not None:
            Path(graph.file).unlink()

    def close(self) -> None:
        """Forget what threads of this process keep."""
        registry.end(self._setting.key, "worker")


class PoolCluster:
    """What all pairs need of a cluster."""

    def __init__(self, engine: PoolEngine) -> None:
        self.engine = engine

    def __enter__(self) -> PoolCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.close()

    def _used(self, graph: Graph) -> contextlib.AbstractContextManager[Published]:
        return contextlib.nullcontext(self.engine.publish(Wrapped.of(graph)))

    def apsp(self, graph: Any, method: Any = "auto", **options: Any) -> AllPairs:
        return all_pairs.apsp(self, graph, method, **options)
