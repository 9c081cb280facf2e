"""What a cluster asks of the engine that runs its tasks: Dask, or any executor of ``concurrent.futures``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from reedsp.cluster.worker.published import Published, Wrapped

BROKEN: tuple[type[RuntimeError], ...] = (BrokenProcessPool, BrokenExecutor)
"""What an executor that is lost is known by, the narrower one first."""


CLOSED = "the cluster is closed: make another one of the same client or executor"
"""What an engine says that was closed."""


class Future(Protocol):
    """What a task will return."""

    def done(self) -> bool:
        """Whether the task has ended, in whichever way."""

    def cancelled(self) -> bool:
        """Whether the task was cancelled."""

    def result(self, timeout: float | None = None) -> Any:
        """Wait, and return what the task returned, or raise what it raised."""

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait, and return what the task raised."""

    def add_done_callback(self, fn: Callable[[Any], object]) -> None:
        """Have a function called with the future, in another thread, when the task has ended."""


class Rows(NamedTuple):
    """Rows of an array, and where they are."""

    future: Future
    there: slice
    """Which of the rows that the task returns."""
    place: slice
    """Which of the array's."""


class Engine(Protocol):
    """Runs tasks on workers.

    Attributes
    ----------
    keeps_results : bool
        Whether what a task returns stays on its worker until someone asks for it, and goes from worker to worker where
        it is an argument of another task. Otherwise it goes through the client.
    final : tuple of exception types
        What a task ends with when the engine itself has given it up.
    task_bytes : int
        Of the rows that a task finds, at most.
    closed : bool
        Whether it was closed: then it takes no task.
    """

    keeps_results: bool
    final: tuple[type[BaseException], ...]
    task_bytes: int
    closed: bool

    def workers(self) -> tuple[str, ...]:
        """Return the names of the workers there are now; one for each that may come where the engine does not say."""

    def submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None, urgent: bool = False
    ) -> Future:
        """Have a worker call a function.

        Parameters
        ----------
        function : callable
            One that pickles. Its :mod:`~reedsp.cluster.worker.registry` is that of this cluster.
        *arguments
            Futures of this engine stand for their results.
        worker : str, optional
            Which one would be best; another takes the task if that is lost.
        urgent : bool
            Whether it comes before those that were handed in before, as far as the engine can say so.
        """

    def cancel(self, futures: Iterable[Future]) -> None:
        """Cancel tasks that have not begun."""

    def avoid(self, function: Callable[..., Any], *arguments: Any, worker: str | None) -> Future:
        """Have a worker call a function, not this one where there is another."""

    def check(self) -> None:
        """Raise RuntimeError if it is closed, or no task can be run any more; its futures need not end then."""

    def each_worker(self, function: Callable[[], Any]) -> dict[str, Any]:
        """Return what a function returns on each worker that is there; empty where the engine cannot name them."""

    def publish(self, graph: Wrapped) -> Published:
        """Have every worker, now and later, find a graph in its registry."""

    def forget(self, graph: Published) -> None:
        """Take a graph from all registries."""

    def close(self) -> None:
        """Take all that was sent from the workers; what runs them stays as it is."""
