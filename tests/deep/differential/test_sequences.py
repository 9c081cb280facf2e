"""Some of the sequences of calls; and that a stale answer would be found."""

from __future__ import annotations

import pytest

import reedsp
from reedsp.graph import remembered
from tests.deep.differential import sequences
from tests.deep.differential.answers import Mismatch
from tests.deep.differential.cases import contents


@pytest.fixture(autouse=True)
def small_matrices_are_remembered(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    monkeypatch.setattr(remembered, "_FEWEST_BYTES", 0)
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))  # for functions that take no device


@pytest.mark.deep
@pytest.mark.parametrize("number", range(20))
def test_sequences(number: int, device: reedsp.Device) -> None:
    assert sequences.run(number, [device]) >= 2


@pytest.mark.deep
@pytest.mark.parametrize("number", range(20, 26))
def test_threads_that_share_a_container(number: int, device: reedsp.Device) -> None:
    assert sequences.run_together(number, [device], 4) >= 8


def test_weights_change_in_the_container_itself() -> None:
    kinds = set()
    for number in range(300):
        sequence = sequences.CallSequence(number)
        kept = sequence.case.kept
        assert kept is not None
        before, edges = contents(kept.container), sequence.case.edges
        sequence.change()
        assert sequence.case.kept is kept
        assert (contents(kept.container) != before) <= (sequence.case.edges != edges)
        if contents(kept.container) != before:
            kinds.add(sequence.case.container)
    assert {"csr", "csc", "coo", "dense C", "dense lists", "masked", "DiGraph", "MultiGraph"} <= kinds
    assert not kinds & {"read-only csr", "dense read-only", "edge arrays"}


@pytest.mark.deep
def test_a_change_that_is_not_noticed_is_found(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    monkeypatch.setattr(remembered, "_checksum", lambda *_: 0)

    def run_many() -> None:
        for number in range(60):
            sequences.run(number, [device])

    with pytest.raises(Mismatch) as error:
        run_many()
    assert error.value.__notes__[0].startswith("sequence ")
