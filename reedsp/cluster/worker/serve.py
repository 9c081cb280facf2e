"""A task as a worker runs it: with the registry of its cluster, and the worker's name beside an error."""

from __future__ import annotations

import os
import pickle
import socket
from collections.abc import Callable
from typing import Any

from reedsp.cluster.worker import registry
from reedsp.cluster.worker.registry import Setting

WORKER = "reedsp_worker"
"""Attribute of an exception that says on which worker it was raised."""
NAMED = "reedsp_named"
"""Attribute of an exception whose vertices are not those of the cluster's graph, by their indices."""
_PLAIN = (OverflowError, ValueError, TypeError, OSError, MemoryError)
"""Of which an exception that cannot be sent becomes one; any other becomes a RuntimeError."""


def serve(key: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function for a cluster that this worker knows."""
    try:
        with registry.serving(key):
            return function(*arguments)
    except SystemExit as error:  # by which a worker would end, and after it those that are given its task
        ended = RuntimeError(f"SystemExit: {error.code}")
        _mark(ended, key)
        raise ended from error
    except Exception as error:
        _mark(error, key)
        raise


def serve_anywhere(setting: Setting, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process that need not know the cluster yet."""
    registry.begin(setting, f"{socket.gethostname()}-{os.getpid()}")
    try:
        return serve(setting.key, function, *arguments)
    except Exception as error:
        if _can_be_sent(error):
            raise
        kind = next((each for each in _PLAIN if isinstance(error, each)), RuntimeError)
        plain = kind(f"{type(error).__name__}: {error}")
        _mark(plain, setting.key)
        raise plain from error


def _mark(error: Exception, key: str) -> None:
    """Have an exception say on which worker it was raised."""
    setattr(error, WORKER, registry.name_in(key))


def _can_be_sent(error: Exception) -> bool:
    """Whether an exception can be read by a client; one that cannot would break a pool of processes."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True
