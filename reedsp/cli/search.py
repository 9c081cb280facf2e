"""``reedsp sssp`` and ``reedsp bfs``: paths from one vertex, from each of several, or from the nearest."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import (
    fail_on_negative_cycle,
    finite,
    number,
    print_estimate,
    print_graph,
    print_route,
    read_with_summary,
    vertex_called,
)
from reedsp.cli.options import (
    DeviceName,
    DryRun,
    Force,
    GraphFile,
    Json,
    Method,
    Quiet,
    Relabel,
    Sources,
    Target,
    distance_typed,
    output_option,
)
from reedsp.cli.output import (
    Failure,
    beside,
    check_output,
    elided,
    name_text,
    new_table,
    print_end,
    print_json,
    print_table,
    refuse,
    stated_failures,
    the_only,
    write_answer,
)
from reedsp.system.progress_bar import LATE, search_bar

if TYPE_CHECKING:
    from reedsp import BreadthFirst, Graph, ShortestPaths

_OUTPUT = (
    "Write the result. A .csv holds vertex, {extent} and predecessor, numbered as in the file: of those on the route "
    "with --target, of all vertices without it or from several sources, and then the source{nearest}. A .npz holds "
    "{array}, pred, source, about, which says how it was found, and offset or labels, {asked} where asked for, with "
    "vertices counted from 0. - is a .csv on standard output; what else there is to say then goes to standard error."
)
_PathsOutput = Annotated[
    Path | None,
    output_option(
        _OUTPUT.format(
            extent="distance",
            nearest=", or with --nearest that which is nearest",
            array="dist",
            asked="and nearest, cutoff, target and path",
        )
    ),
]
_LevelsOutput = Annotated[
    Path | None, output_option(_OUTPUT.format(extent="level", nearest="", array="levels", asked="and target and path"))
]


def sssp(
    file: GraphFile,
    source: Sources,
    target: Target = None,
    nearest: Annotated[
        bool, typer.Option("--nearest", help="Of several sources, start at the nearest for each vertex.")
    ] = False,
    cutoff: Annotated[
        Any,
        typer.Option(
            parser=distance_typed,
            metavar="NUMBER",
            show_default=False,
            help="Leave out paths that are longer than this.",
        ),
    ] = None,
    method: Annotated[Method, typer.Option(metavar="METHOD", help=f"How to solve: {', '.join(Method)}.")] = Method.auto,
    device: DeviceName = None,
    output: _PathsOutput = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also check the answer on the device, edge by edge.")
    ] = False,
    relabel: Relabel = False,
    dry_run: DryRun = False,
) -> None:
    """Find shortest paths from one vertex of a graph in a file, or from several.

    With --target prints the distance and the route, otherwise how far the vertices are that were reached.
    Weights may be negative. The exit status is 1 if there is no route or a source reaches a negative cycle.
    """
    with stated_failures():
        if nearest and len(source) < 2:
            refuse("needs several --source", "--nearest")
        check_output(output, force, (".npz", ".csv"), as_json)
        import reedsp
        from reedsp.arithmetic.paths import exact_type

        graph, summary, starts, goal = _read(file, source, target, relabel)
        whole = output is not None and (output.suffix.lower() == ".npz" or len(starts) > 1)  # which holds all distances
        arguments: dict[str, Any] = {
            "source": starts if len(starts) > 1 else starts[0],
            "method": method.value,
            "target": None if whole else goal,
            "cutoff": cutoff,
            "device": device,
            "min_only": nearest,
            "dtype": exact_type(graph),
        }
        if dry_run:
            print_estimate(graph, summary, as_json, quiet, "sssp", **arguments)
            return
        started = time.perf_counter()
        try:
            with search_bar(1 if nearest else len(starts), "rounds", after=LATE) as progress:
                paths = reedsp.sssp(graph, progress=progress, **arguments)
        except reedsp.NegativeCycleError as error:
            fail_on_negative_cycle(error, as_json, "the source reaches a negative cycle")
        seconds = time.perf_counter() - started
        if verify:
            paths.verify()
        summary |= {"method": paths.method, "rounds": paths.rounds, "device": paths.device}
        summary |= {"seconds": seconds, "verified": verify}
        answers = _distances(graph, paths, starts, goal)
        _finish(graph, paths, summary, answers, goal, output, force, as_json, quiet, cutoff)


def bfs(
    file: GraphFile,
    source: Sources,
    target: Target = None,
    device: DeviceName = None,
    output: _LevelsOutput = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[bool, typer.Option("--verify", help="Also check the answer, edge by edge.")] = False,
    relabel: Relabel = False,
    dry_run: DryRun = False,
) -> None:
    """Find paths with the fewest edges from one vertex of a graph in a file, or from several.

    With --target prints the level, which is the number of edges, and the route; otherwise how many vertices were
    reached, and the last level. Weights are ignored. The exit status is 1 if there is no route.
    """
    with stated_failures():
        check_output(output, force, (".npz", ".csv"), as_json)
        import reedsp

        graph, summary, starts, goal = _read(file, source, target, relabel)
        arguments: dict[str, Any] = {"source": starts if len(starts) > 1 else starts[0], "device": device}
        if dry_run:
            print_estimate(graph, summary, as_json, quiet, "bfs", **arguments)
            return
        started = time.perf_counter()
        with search_bar(len(starts), "levels", after=LATE) as progress:
            paths = reedsp.bfs(graph, progress=progress, **arguments)
        seconds = time.perf_counter() - started
        if verify:
            paths.verify()
        summary |= {"method": paths.method, "device": paths.device, "seconds": seconds, "verified": verify}
        _finish(graph, paths, summary, _levels(graph, paths, starts, goal), goal, output, force, as_json, quiet)


def _read(
    file: Path, source: list[str], targets: list[str] | None, relabel: bool
) -> tuple[Graph, dict[str, Any], list[Any], Any]:
    """Return the graph, what is to be said about it, and the names of the sources and of the target."""
    target = the_only(targets, "--target")
    graph, summary = read_with_summary(file, relabel)
    starts = [vertex_called(graph, each, "--source") for each in source]
    goal = None if target is None else vertex_called(graph, target, "--target")
    summary["source"] = starts if len(starts) > 1 else starts[0]
    return graph, summary, starts, goal


# ---- answers ----------------------------------------------------------------------------------------


def _distances(graph: Graph, paths: ShortestPaths, starts: list[Any], goal: Any) -> list[dict[str, Any]]:
    """Return what was asked for, for each source, or for the nearest of all."""
    import numpy as np

    rows = np.atleast_2d(paths.dist)
    answers: list[dict[str, Any]] = []
    for row, dist in enumerate(rows):
        if goal is None:
            reached = np.flatnonzero(finite(dist)[0])
            farthest = int(reached[np.argmax(dist[reached])])
            answer: dict[str, Any] = {
                "reached": len(reached),
                "max_distance": number(graph, dist[farthest]),
                "farthest": graph.name(farthest),
            }
        else:
            vertex = graph.index(goal)
            distance = number(graph, dist[vertex]) if finite(dist[vertex : vertex + 1])[0] else None
            path = None if distance is None else paths.path(goal, starts[row] if len(rows) > 1 else None)
            answer = {"target": goal, "distance": distance, "path": path}
        answers.append(answer if len(rows) == 1 else {"source": starts[row], **answer})
    if paths.nearest is not None and goal is None:
        nearest = paths.nearest
        answers[0]["nearest"] = {str(s): int(np.count_nonzero(nearest == graph.index(s))) for s in starts}
    return answers


def _levels(graph: Graph, paths: BreadthFirst, starts: list[Any], goal: Any) -> list[dict[str, Any]]:
    """Return what was asked for, for each source."""
    import numpy as np

    rows = np.atleast_2d(paths.levels)
    answers: list[dict[str, Any]] = []
    for row, levels in enumerate(rows):
        if goal is None:
            farthest = int(np.argmax(levels))
            answer: dict[str, Any] = {
                "reached": int(np.count_nonzero(levels >= 0)),
                "max_level": int(levels[farthest]),
                "farthest": graph.name(farthest),
            }
        else:
            found = int(levels[graph.index(goal)])
            level = found if found >= 0 else None
            path = None if level is None else paths.path(goal, starts[row])
            answer = {"target": goal, "level": level, "path": path}
        answers.append(answer if len(rows) == 1 else {"source": starts[row], **answer})
    return answers


def _finish(
    graph: Graph,
    paths: ShortestPaths | BreadthFirst,
    summary: dict[str, Any],
    answers: list[dict[str, Any]],
    goal: Any,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    cutoff: float | None = None,
) -> None:
    """Write and print the answers; fail after it if there is no route where one was asked for."""
    found = [answer for answer in answers if goal is None or answer["path"] is not None]
    if found:
        listed = None if len(answers) > 1 else goal  # of several sources a .csv lists all vertices
        save = partial(paths.save, target=goal if output is not None and output.suffix.lower() == ".npz" else listed)
        write_answer(output, force, save, partial(paths.write_csv, target=listed))
    if as_json:
        shown = answers[0] if len(answers) == 1 else {"answers": answers}
        print_json({**summary, **shown, "stats": paths.stats})
    elif found and not quiet:
        with beside(output):
            _print(graph, summary, found, output)
    if len(found) < len(answers):
        missing = [name_text(answer["source"]) for answer in answers if len(answers) > 1 and answer["path"] is None]
        nearest = summary["source"] if isinstance(summary["source"], list) else [summary["source"]]
        named = ", ".join(missing) or " or ".join(map(name_text, nearest))
        within = "" if cutoff is None else f" within {cutoff}"
        raise Failure(f"there is no route from {named} to {name_text(goal)}{within}")


def _print(graph: Graph, summary: dict[str, Any], answers: list[dict[str, Any]], output: Path | None) -> None:
    print_graph(summary)
    for answer in answers if "path" in answers[0] else []:
        print_route(answer["path"][0], answer, "distance" if "distance" in answer else "level")
    if "path" not in answers[0] and len(answers) > 1:
        _print_rows(answers)
    elif "path" not in answers[0]:
        names = summary["source"]
        named = elided(names if isinstance(names, list) else [names], ", ")
        print(f"reached   {answers[0]['reached']:,} of {graph.n:,} vertices from {named}")
        where, how_far = answers[0]["farthest"], answers[0].get("max_distance")
        far = f"at level {answers[0]['max_level']}" if how_far is None else f"at distance {how_far}"
        print(f"farthest  {name_text(where)}, {far}")
        for name, count in answers[0].get("nearest", {}).items():
            print(f"nearest   {name_text(name)} to {count:,} vertices")
    rounds = f", {summary['rounds']:,} rounds" if summary.get("rounds") else ""
    what = "distances" if "rounds" in summary else "levels"
    print_end(summary, f"{what} and predecessors are right for every edge", output, rounds)


def _print_rows(answers: list[dict[str, Any]]) -> None:
    extent = "distance" if "max_distance" in answers[0] else "level"
    table = new_table("source", "reached", "farthest", extent, right=("reached", extent))
    for answer in answers:
        values = (answer["source"], f"{answer['reached']:,}", answer["farthest"], answer[f"max_{extent}"])
        table.add_row(*map(name_text, values))
    print_table(table)
