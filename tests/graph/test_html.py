"""Tables of results in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reedsp.graph.html import DASH, SHOWN, and_more, card, distance_text, name_or_dash, run_facts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(np.inf), DASH),
        (np.float32(-np.inf), "-inf"),
        (np.float64(2.5), "2.5"),
        (np.int32(2**31 - 1), DASH),
        (np.int64(2**63 - 1), DASH),
        (np.int64(-(2**63)), "-inf"),
        (np.int64(2**31 - 1), "2147483647"),
        (np.uint32(7), "7"),
    ],
)
def test_what_stands_for_no_path_is_a_dash(value: Any, text: str) -> None:
    assert distance_text(value) == text


def test_a_table_goes_on_where_not_all_are_shown() -> None:
    assert and_more(SHOWN, 3) == []
    [[first, *others]] = and_more(SHOWN + 1, 3)
    assert others == [first, first]


def test_a_card_without_rows_has_no_table() -> None:
    assert "<table" not in card("empty", [], ["vertex"], [])
    shown = card("full", [("vertices", 2)], ["vertex", "<distance>"], [["a", 1], ["b", DASH]])
    assert shown.count("<tr>") == 3
    assert "&lt;distance&gt;" in shown
    cells = [cell.split(">")[:2] for cell in shown.split("<td ")[1:]]
    assert [text.split("<")[0] for _, text in cells] == ["a", "1", "b", DASH]
    assert ["opacity" in style for style, _ in cells] == [True, False, True, False]  # the heading of each row


def test_what_is_said_of_a_run() -> None:
    assert run_facts({"milliseconds": 2.25}, "some device") == [("time", "2.2 ms"), ("device", "some device")]
    assert run_facts({}, "") == []
    assert (name_or_dash(["a", "b"], 1), name_or_dash(["a", "b"], -9999)) == ("b", DASH)
