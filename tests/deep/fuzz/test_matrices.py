"""Some of the matrices of ``python -m tests.deep.fuzz.matrices``, and that faults are noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from reedsp.device.device import Device
from tests.deep.fuzz import matrices


@pytest.mark.deep
@pytest.mark.parametrize("host", [None, "never"])
def test_damaged_matrices(host: str | None, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if host is None:
        monkeypatch.delenv("REEDSP_HOST", raising=False)
    else:
        monkeypatch.setenv("REEDSP_HOST", host)
    counts = matrices.run(range(1000), 1, str(device.index))
    assert counts.keys() == matrices.ASKED.keys()


def test_a_matrix_is_always_the_same() -> None:
    (name, one), (again, other) = matrices.make(1, 5), matrices.make(1, 5)
    assert (name, matrices._contents(one)) == (again, matrices._contents(other))
    kinds = {matrices.make(1, number)[1].format for number in range(100)}
    assert kinds == set(matrices.FORMATS)


def _raises(matrix: Any) -> None:
    raise IndexError("out of bounds")


def _changes(matrix: Any) -> None:
    matrix.data[0] += 1


@pytest.mark.parametrize(
    ("answer", "said"), [(_raises, "IndexError: out of bounds"), (_changes, "the matrix was changed"), (bool, None)]
)
def test_what_is_wrong_is_said(answer: Callable[[Any], Any], said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(matrices.ASKED, "sssp", answer)
    assert matrices.wrong_with("sssp", scipy.sparse.csr_array(np.eye(1))) == said


def test_a_crash_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = [["next 7: sssp of a csr matrix of 3 rows", "done", "next 8: bfs of a coo matrix of 4 rows", "ended -6"]]
    monkeypatch.setattr(matrices, "_children", lambda *_: ended)
    with pytest.raises(AssertionError, match=r"^matrix 8: bfs of a coo matrix of 4 rows \(seed 1\): ended -6$"):
        matrices.run(range(7, 9), 1)
