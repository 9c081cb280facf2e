"""The engine of any executor of ``concurrent.futures``: a process pool, or mpi4py.futures under Slurm."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import errno
import os
import pickle
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from reedsp.cluster.engines.engine import BROKEN, CLOSED, Future
from reedsp.cluster.worker.published import Published, Wrapped
from reedsp.cluster.worker.registry import setting_of
from reedsp.cluster.worker.serve import serve_anywhere
from reedsp.cost_model import sharing
from reedsp.system.files.atomic_file import write_private


class ExecutorEngine:
    """Runs tasks by an executor; graphs go through files, and results through the client.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    devices : str, sequence of str or None
    folder : Path, optional
        One that all workers share.
    threads : int, optional
    """

    keeps_results: bool = False
    final: tuple[type[BaseException], ...] = (concurrent.futures.BrokenExecutor,)

    def __init__(
        self,
        executor: concurrent.futures.Executor,
        devices: str | Sequence[str] | None = None,
        folder: Path | None = None,
        threads: int | None = None,
    ) -> None:
        self._executor = executor
        self._count = int(getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None) or 1)
        if threads is None and isinstance(executor, concurrent.futures.ProcessPoolExecutor):
            threads = max(1, (os.cpu_count() or 1) // self._count)
        setting = setting_of(devices, threads)
        within = None if folder is None else folder.absolute()  # wherever this process is later
        if within is not None and not within.is_dir():
            raise FileNotFoundError(errno.ENOENT, "folder: there is no such folder", str(folder))
        self._folder = Path(tempfile.mkdtemp(prefix="reedsp-graphs-", dir=within))
        self._delete = weakref.finalize(self, _remove, self._folder, os.getpid())  # also if no one closes the cluster
        self._setting = dataclasses.replace(setting, folder=str(self._folder))
        self.task_bytes = sharing.ROW_BYTES_GPU if devices == "gpu" else sharing.ROW_BYTES
        self._failure: RuntimeError | None = None
        self.closed: bool = False

    def workers(self) -> tuple[str, ...]:
        """Return a number for each worker."""
        return tuple(map(str, range(self._count)))

    def submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None, urgent: bool = False
    ) -> Future:
        """Hand a task to the executor as soon as the futures among its arguments are done."""
        if any(isinstance(each, concurrent.futures.Future) for each in arguments):
            waiting = _Waiting(self._hand_over, function, arguments)
            waiting.begin()
            return waiting
        return self._hand_over(function, arguments)

    def avoid(self, function: Callable[..., Any], *arguments: Any, worker: str | None) -> Future:
        """Hand a task to the executor, which alone knows who takes it."""
        return self.submit(function, *arguments)

    def _hand_over(self, function: Callable[..., Any], arguments: Sequence[Any]) -> concurrent.futures.Future[Any]:
        self.check()
        try:
            return self._executor.submit(serve_anywhere, self._setting, function, *arguments)
        except RuntimeError as error:  # also BrokenExecutor
            self._failure = error
            raise self._as_failure() from error

    def cancel(self, futures: Iterable[Future]) -> None:
        """Cancel tasks that have not begun."""
        for each in futures:
            each.cancel()  # type: ignore[attr-defined]

    def check(self) -> None:
        """Raise RuntimeError if this is closed, or the executor is broken or shut down."""
        if self.closed:
            raise RuntimeError(CLOSED)
        if self._failure is not None:
            raise self._as_failure()

    def _as_failure(self) -> RuntimeError:
        kind = next((each for each in BROKEN if isinstance(self._failure, each)), RuntimeError)
        return kind(f"the executor takes no task: {self._failure}")

    def each_worker(self, function: Callable[[], Any]) -> dict[str, Any]:
        """Return nothing: no one can say which worker takes a task."""
        return {}

    def publish(self, graph: Wrapped) -> Published:
        """Write a graph to a file that workers read when they first meet it."""
        file = self._folder / graph.fingerprint
        if not file.exists():
            write_private(file, pickle.dumps(graph, pickle.HIGHEST_PROTOCOL))
        return graph.published(str(file))

    def forget(self, graph: Published) -> None:
        """Delete its file."""
        if graph.file is not None:
            Path(graph.file).unlink(missing_ok=True)

    def close(self) -> None:
        """Delete the files of graphs, so that workers forget the cluster; the executor stays as it is."""
        self.closed = True
        self._delete()


def _remove(folder: Path, process: int) -> None:
    """Delete a folder, but not in a child of the process that has made it, which is forked with all objects."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class _Waiting(concurrent.futures.Future[Any]):
    """A task that waits for the futures among its arguments, without a thread."""

    def __init__(
        self,
        hand_over: Callable[[Callable[..., Any], Sequence[Any]], concurrent.futures.Future[Any]],
        function: Callable[..., Any],
        arguments: Sequence[Any],
    ) -> None:
        super().__init__()
        self._hand_over = hand_over
        self._function = function
        self._arguments: Sequence[Any] = arguments
        self._open = 1 + sum(isinstance(each, concurrent.futures.Future) for each in arguments)
        self._counting = threading.Lock()

    def begin(self) -> None:
        """Begin to wait."""
        for each in self._arguments:
            if isinstance(each, concurrent.futures.Future):
                each.add_done_callback(self._argument_is_done)
        self._argument_is_done(None)

    def _argument_is_done(self, _: object) -> None:
        with self._counting:
            self._open -= 1
            if self._open:
                return
        try:
            known = [each.result() if isinstance(each, concurrent.futures.Future) else each for each in self._arguments]
            if not self.set_running_or_notify_cancel():
                return
            task = self._hand_over(self._function, known)
        except concurrent.futures.CancelledError:
            if not self.done():
                self.cancel()
                self.set_running_or_notify_cancel()
            return
        except Exception as error:
            if self.running() or self.set_running_or_notify_cancel():
                self.set_exception(error)
            return
        finally:
            self._arguments = ()
        task.add_done_callback(self._task_is_done)

    def _task_is_done(self, task: concurrent.futures.Future[Any]) -> None:
        try:
            self.set_result(task.result())
        except BaseException as error:  # CancelledError is one
            self.set_exception(error)
