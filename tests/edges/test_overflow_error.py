"""The error for numbers that their type does not hold: its vertices are those of whoever shows it."""

from __future__ import annotations

import pickle

from reedsp.edges.overflow_error import VertexOverflowError


def test_vertices_are_renamed() -> None:
    error = VertexOverflowError("from vertex {} to vertex {}", 1, 0).renamed(["a", 7])
    assert str(error) == "from vertex 7 to vertex 'a'"
    assert isinstance(error, OverflowError)


def test_it_can_be_sent_with_all_that_was_added() -> None:
    error = VertexOverflowError("from vertex {}", 1)
    error.add_note("on a worker")
    there = pickle.loads(pickle.dumps(error))
    assert str(there.renamed(["a", "b"])) == "from vertex 'b'"
    assert there.__notes__ == ["on a worker"]
