"""Independent tasks on workers: done again elsewhere if one fails, and cancelled together."""

from __future__ import annotations

import pickle
import queue
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reedsp.cluster.engines.engine import BROKEN, Engine, Future
from reedsp.cluster.plan import AHEAD
from reedsp.cluster.worker.serve import NAMED, WORKER
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.negative_cycles import renamed
from reedsp.edges.overflow_error import VertexOverflowError
from reedsp.system.threads import POLL

_FINAL = (NegativeCycleError, ValueError, TypeError, OverflowError, OSError)
"""What another worker would raise as well."""
_UNSENT = (pickle.PicklingError, AttributeError, TypeError)
"""What says that something cannot be sent, unless a worker has raised it."""


@dataclass(frozen=True)
class Task:
    """Some rows of an answer.

    Attributes
    ----------
    first, count : int
        First one, and number of rows.
    about : str
        Which sources they are from, for an error.
    function : callable
    arguments : tuple
    worker : str or None
        Which one would be best.
    """

    first: int
    count: int
    about: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    worker: str | None = field(default=None, kw_only=True)


_Task = TypeVar("_Task", bound=Task)


def run(
    engine: Engine, tasks: Sequence[_Task], names: Sequence[Any] | None = None
) -> Generator[tuple[_Task, Future], None, None]:
    """Yield each task when it is done, in whichever order, with what it returns.

    What is left is cancelled when the iterator is closed, or an error leaves it, Ctrl-C included.

    Parameters
    ----------
    engine : Engine
    tasks : sequence of Task
    names : sequence, optional
        Of vertices that workers call by their indices, for errors.

    Raises
    ------
    NegativeCycleError, ValueError, TypeError, OverflowError, OSError
        A task has raised it; where, is in a note.
    RuntimeError, DeviceError, DeviceMemoryError
        A task has failed on two workers, which the message names, or the engine is lost: a BrokenExecutor if it is one.
    """
    ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
    running: dict[Future, tuple[_Task, list[str]]] = {}
    waiting = list(reversed(tasks))
    try:
        while waiting or running:
            if engine.closed:
                engine.check()
            most = AHEAD * max(1, len(engine.workers())) if waiting else 0
            while waiting and len(running) < most:
                task = waiting.pop()
                future = engine.submit(task.function, *task.arguments, worker=task.worker)
                running[future] = task, []
                future.add_done_callback(ended.put)
            try:
                future = ended.get(timeout=POLL)
            except queue.Empty:
                engine.check()
                continue
            task, failures = running.pop(future)
            if future.cancelled():
                engine.check()
                raise RuntimeError(f"{task.about}: the task was cancelled by another")
            error = future.exception()
            if error is None:
                yield task, future
                continue
            if isinstance(error, _UNSENT) and not hasattr(error, WORKER):
                raise (_unreturned if _can_be_sent(task) else _unsent)(task, error) from error
            if isinstance(error, _FINAL):
                named = error if names is None else _by_names(error, names)
                named.add_note(note(task.about, error))
                raise named.with_traceback(error.__traceback__) from error.__cause__
            engine.check()
            failures = [*failures, described(error, engine)]
            if len(failures) > 1 or isinstance(error, engine.final):
                raise failure(task.about, failures, error) from error
            future = engine.avoid(task.function, *task.arguments, worker=worker_of(error))
            running[future] = task, failures
            future.add_done_callback(ended.put)
    finally:
        if running:
            engine.cancel(list(running))


def returned(task: Task, future: Future) -> Any:
    """Return what a task that is done has returned, which may have to be fetched now.

    Raises
    ------
    TypeError
        It cannot be sent.
    """
    try:
        return future.result()
    except _UNSENT as error:
        if hasattr(error, WORKER):
            raise
        raise _unreturned(task, error) from error


def _can_be_sent(task: Task) -> bool:
    try:
        pickle.dumps((task.function, task.arguments))
    except Exception:
        return False
    return True


def _unsent(task: Task, error: BaseException) -> TypeError:
    return TypeError(f"{task.about}: cannot be sent to a worker, where functions are those of a module: {error}")


def _unreturned(task: Task, error: BaseException) -> TypeError:
    reason = str(error).partition("\n")[0]  # after which Dask has a traceback
    return TypeError(f"function: its answer for {task.about} cannot be sent back from a worker: {reason}")


def _by_names(error: BaseException, names: Sequence[Any]) -> BaseException:
    """Return an error by these names, if it is one that speaks of vertices, by their indices."""
    if hasattr(error, NAMED):
        return error
    if isinstance(error, NegativeCycleError):
        return renamed(error, names)
    return error.renamed(names) if isinstance(error, VertexOverflowError) else error


def worker_of(error: BaseException) -> str | None:
    """Return on which worker an exception was raised; None if it does not say so, as exceptions of some types."""
    worker: str | None = getattr(error, WORKER, None)
    return worker


def note(about: str, error: BaseException) -> str:
    """Return what a note of an exception says: what its task is about, and where it was raised."""
    return f"{about}, on " + ("a worker" if (worker := worker_of(error)) is None else f"worker {worker}")


def described(error: BaseException, engine: Engine) -> str:
    """Return what an exception says, and where it was raised."""
    where = worker_of(error) or ("a worker that is lost" if isinstance(error, engine.final) else "a worker")
    return f"{where}: {type(error).__name__}: {error}"


def failure(about: str, failures: list[str], error: BaseException) -> RuntimeError:
    """Return the error for tasks that are given up, of which this is the last error."""
    kinds: list[tuple[type[BaseException], type[RuntimeError]]] = [
        *((each, each) for each in BROKEN),
        (MemoryError, DeviceMemoryError),
        (DeviceError, DeviceError),
    ]
    kind = next((raised for caught, raised in kinds if isinstance(error, caught)), RuntimeError)
    return kind(f"{about}: failed on " + "; then on ".join(failures))
