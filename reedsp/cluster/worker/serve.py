"""A task as a worker runs it: with the registry of its cluster, and the worker's name beside an error."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

from reedsp.cluster.worker import registry
from reedsp.cluster.worker.registry import Setting

WORKER = "reedsp_worker"
"""Attribute of an exception that says on which worker it was raised."""


def serve(key: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function for a cluster that this worker knows."""
    try:
        with registry.serving(key):
            return function(*arguments)
    except Exception as error:
        setattr(error, WORKER, registry.name_in(key))
        raise


def serve_anywhere(setting: Setting, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process that need not know the cluster yet."""
    registry.begin(setting, f"{socket.gethostname()}-{os.getpid()}")
    return serve(setting.key, function, *arguments)
