"""What errors say, also where another process has raised them."""

from __future__ import annotations

import copy
import pickle

import pytest

from reedsp import pram
from tests.pram.by_hand import body


def test_errors_are_pickled_with_all_they_say() -> None:
    with pytest.raises(pram.RunError) as caught:
        body("A[0] = p", A="int64[:]").run(2, method="interpreter", A=[0])
    for error in (caught.value, pram.ProgramError("x", 1, 2, "t"), pram.NotProvenError("x", 1, 2, "t")):
        for found in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))
