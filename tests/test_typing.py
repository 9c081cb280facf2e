"""The types of arguments have exactly the values that the functions accept; tests/typed_calls.py shows their use."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args, is_typeddict

import pytest

import reedsp
from reedsp import csgraph
from reedsp import typing as types
from reedsp.algorithms.all_pairs import apsp, johnson, lund_smith
from reedsp.algorithms.single_source import sssp as ss
from reedsp.algorithms.structure.centrality import dependencies
from reedsp.algorithms.structure.components import components
from reedsp.algorithms.structure.forests import choose
from reedsp.algorithms.traversal import bfs
from reedsp.arithmetic import paths
from reedsp.cli import options as cli_options
from reedsp.edges import balance, ladder
from reedsp.minplus import product
from reedsp.primitives import operators, scan
from reedsp.primitives.sort import sorts

GRAPH = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 2])


def named_in_the_error(function: Callable[..., object], *arguments: object, **options: object) -> set[str]:
    """Return the values that an error names, beside the one that is wrong."""
    with pytest.raises(ValueError, match="'x'") as caught:
        function(*arguments, **options)
    after = re.split("expected|there are", str(caught.value))[1]
    return set(re.findall(r"[\w-]+", after)) - {"or", "one", "of"}


VALUES: dict[str, list[Iterable[str]]] = {
    "ForestMethod": [("auto", *choose.METHODS)],
    "SearchMethod": [("auto", *ss._METHODS), cli_options.Method],
    "AllPairsMethod": [("auto", *apsp.METHODS), cli_options.AllPairsMethod],
    "EstimatedFunction": [named_in_the_error(reedsp.estimate, GRAPH, "x")],
    "JohnsonSearch": [johnson.SEARCHES],
    "NegativeCycles": [cli_options.NegativeCycles, named_in_the_error(reedsp.apsp, GRAPH, negative_cycles="x")],
    "ProductMethod": [product.METHODS],
    "FloydWarshallKernel": [("blocked", *lund_smith.LADDER)],
    "BetweennessMethod": [dependencies.METHODS],
    "Balance": [balance.RUNGS],
    "BreadthFirstMethod": [bfs._OPTIONS],
    "ComponentsMethod": [dict.fromkeys(components.METHODS["weak"] + components.METHODS["strong"])],
    "Connection": [components.METHODS],
    "Direction": [bfs._EDGE_FACTORS],
    "FlowMethod": [named_in_the_error(reedsp.maximum_flow, GRAPH, 0, 2, "x")],
    "FullMatchingMethod": [named_in_the_error(reedsp.full_matching, [[1.0]], method="x")],
    "MatchingMethod": [named_in_the_error(reedsp.maximum_matching, [[1]], "x")],
    "SortMethod": [sorts._METHODS],
    "Presort": [sorts.PRESORTS],
    "Rung": [ladder.RUNGS],
    "OperatorName": [operators.OPERATORS],
    "ReduceMethod": [scan._REDUCTIONS],
    "InclusiveMethod": [scan._INCLUSIVE],
    "ScanMethod": [scan._METHODS],
    "ChunkedMethod": [scan._CHUNKED],
    "CsgraphMethod": [named_in_the_error(csgraph.shortest_path, [[0, 1], [1, 0]], "x")],
    "DistanceTypeName": [map(str, paths.RESULT_TYPES), cli_options.DistanceType],
}
KEYS: dict[str, set[str]] = {
    "SearchOptions": {name for method in ss._METHODS.values() for name in method.options},
    "AllPairsOptions": {name for method in apsp.METHODS.values() for name in method.options},
    "BetweennessOptions": named_in_the_error(reedsp.betweenness, GRAPH, options={"x": 1}),
    "BreadthFirstOptions": named_in_the_error(bfs.checked_bfs_options, {"x": 1}),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_type_has_the_values_that_are_accepted(name: str) -> None:
    for accepted in VALUES[name]:
        assert set(get_args(getattr(types, name))) == set(accepted)


@pytest.mark.parametrize("name", KEYS)
def test_options_are_those_that_are_accepted(name: str) -> None:
    assert set(getattr(types, name).__annotations__) == KEYS[name]


def test_nothing_is_left_out() -> None:
    literals = {name for name, alias in vars(types).items() if isinstance(next(iter(get_args(alias)), None), str)}
    assert literals == set(VALUES)
    assert {name for name, alias in vars(types).items() if is_typeddict(alias)} == set(KEYS)


def test_the_reference_names_every_type() -> None:
    tree = ast.parse(Path(types.__file__).read_text(encoding="utf-8"))
    defined = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    defined |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    reference = (Path(__file__).parents[1] / "docs" / "reference" / "functions.md").read_text(encoding="utf-8")
    section = reference.split("## Types")[1].split("## ")[0]
    assert set(re.findall(r"`(\w+)`", section.split("|---|---|")[1])) >= defined > set()
