"""What all tests of clusters need."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import pytest


@pytest.fixture(autouse=True)
def gives_up_no_worker() -> Iterator[None]:
    """Have Dask keep workers that are killed more than once.

    Otherwise it closes for good, 15 s after one was killed, the one in its place if that is just being started, too.
    """
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        yield
