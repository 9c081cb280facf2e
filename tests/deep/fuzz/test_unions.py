"""Some of the graphs of ``python -m tests.deep.fuzz.unions``, and that wrong answers are noticed."""

from __future__ import annotations

import pytest

from reedsp.device.device import Device
from tests.deep.fuzz import unions
from tests.deep.fuzz.unions import QUESTIONS, ask

SPOILT = {
    "components": ("oracle", "weak_labels", [0, 1]),
    "forests": ("oracle", "spanning_forest", [(0, 1, 100)]),
    "matchings": (None, "most_pairs", 9),
    "full-matchings": (None, "_least_weight", 1000),
    "flows": (None, "_least_cut", 1000),
    "betweenness": ("oracle", "betweenness", ([-1] * unions.MOST_VERTICES, {})),
}
"""Functions of which each question relies on one, and a wrong answer of it."""


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_small_graphs(question: str, kind: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", kind)
    assert ask(question, 300, 60, 0, device) >= 300


@pytest.mark.parametrize("question", QUESTIONS)
def test_another_answer_is_noticed(question: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, answer = SPOILT[question]
    monkeypatch.setattr(unions.oracle if where else unions, name, lambda *_: answer)
    with pytest.raises((AssertionError, ValueError)) as caught:  # or there is no such matching
        ask(question, 30, 30, 0, device)
    assert f"{question}: seed 0, union 0 of" in str(caught.value.__notes__)
