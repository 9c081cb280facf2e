"""``reedsp apsp``: paths between all pairs of vertices."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.graph import (
    fail_on_negative_cycle,
    finite,
    mean_of,
    number,
    print_estimate,
    print_graph,
    print_route,
    read_with_summary,
    sum_of,
    vertex_called,
)
from reedsp.cli.options import (
    AllPairsMethod,
    DeviceNames,
    DistanceType,
    DryRun,
    Force,
    GraphFile,
    Json,
    NegativeCycles,
    Quiet,
    Relabel,
    output_option,
)
from reedsp.cli.output import (
    Failure,
    check_output,
    check_place,
    name_text,
    print_end,
    print_json,
    refuse,
    stated_failures,
    the_only,
)
from reedsp.system.files.atomic_file import followed, replace_whole
from reedsp.system.progress_bar import LATE, vertices_bar

if TYPE_CHECKING:
    from fractions import Fraction

    from reedsp import AllPairs, Graph


_Source = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        "-s",
        metavar="VERTEX",
        show_default=False,
        help="With --target: print the distance and the route.",
    ),
]
_Target = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", metavar="VERTEX", show_default=False, help="Where the route of --source ends."),
]
_Method = Annotated[AllPairsMethod, typer.Option(metavar="METHOD", help=f"How to solve: {', '.join(AllPairsMethod)}.")]
_Predecessors = Annotated[
    bool, typer.Option("--predecessors", help="Find the vertex before the last one of each path too.")
]
_NegativeCycles = Annotated[
    NegativeCycles,
    typer.Option(
        metavar="raise|mark",
        help="Fail, or give the pairs whose paths can pass a negative cycle the distance -inf.",
    ),
]
_MemoryLimit = Annotated[
    int | None,
    typer.Option(metavar="MIB", show_default=False, min=1, help="MiB of memory to use on each device."),
]
_Type = Annotated[
    DistanceType | None,
    typer.Option(
        metavar="TYPE",
        show_default=False,
        help=f"Type of the distances: {', '.join(DistanceType)}. By default the first that may hold all exactly.",
    ),
]
_Output = Annotated[
    Path | None,
    output_option(
        "Write the result, with vertices counted from 0. A .npy holds the distances, row by source, and a "
        ".pred.npy beside it the predecessors; they may be larger than memory, and an interrupted command goes on "
        "when it is given again. A .npz holds dist, pred if asked for, and offset or labels."
    ),
]


_LIMIT = re.compile(r"memory_limit: ([0-9,]+) bytes, but (.+) need ([0-9,]+) on")


def apsp(
    file: GraphFile,
    source: _Source = None,
    target: _Target = None,
    method: _Method = AllPairsMethod.auto,
    predecessors: _Predecessors = False,
    negative_cycles: _NegativeCycles = NegativeCycles.fail,
    device: DeviceNames = None,
    memory_limit: _MemoryLimit = None,
    dtype: _Type = None,
    output: _Output = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    relabel: Relabel = False,
    dry_run: DryRun = False,
) -> None:
    """Find shortest paths between all pairs of vertices of a graph in a file.

    Prints how many pairs have a path and how long the paths are, or with --source and --target one of them.
    Weights may be negative. The exit status is 1 if there is a negative cycle (unless they are marked), or no route.
    """
    with stated_failures():
        begins, ends = the_only(source, "--source"), the_only(target, "--target")
        if (begins is None) != (ends is None):
            refuse("one needs the other", "--source and --target")
        # Where work goes on, there may be what a killed command has just moved there.
        going_on = output is not None and output.suffix.lower() == ".npy" and os.path.lexists(_in_progress(output))
        check_output(output, force or going_on, (".npy", ".npz"))
        if output is not None and output.suffix.lower() == ".npy":
            check_place(output.with_suffix(".pred.npy"), force or going_on)
        streamed = _streamed(output, force)

        from reedsp.arithmetic.paths import exact_type

        graph, summary = read_with_summary(file, relabel)
        start = None if begins is None else vertex_called(graph, begins, "--source")
        goal = None if ends is None else vertex_called(graph, ends, "--target")
        arguments: dict[str, Any] = {
            "method": method.value,
            "predecessors": predecessors or goal is not None,
            "negative_cycles": negative_cycles.value,
            "out": streamed,
            "device": device[0] if device is not None and len(device) == 1 else device,
            "memory_limit": None if memory_limit is None else memory_limit << 20,
            "dtype": exact_type(graph) if dtype is None else dtype.value,
        }
        if dry_run:
            with _limit_in_mib():
                print_estimate(graph, summary, as_json, quiet, "apsp", **arguments)
            return
        _delete_unmoved(streamed, output)
        started = time.perf_counter()
        with _limit_in_mib():
            paths = _solved(graph, as_json, **arguments)
        summary |= {"method": paths.method, "device": paths.device, "seconds": time.perf_counter() - started}
        if start is None or goal is None:
            answer, failure = _extent(graph, paths), None
        else:
            answer, failure = _route_between(graph, paths, start, goal)
        if output is not None and failure is None:
            _store(paths, output, streamed, force)
        elif streamed is not None:
            _delete(streamed)
        if as_json:
            print_json({**summary, **answer, "stats": paths.stats})
        elif failure is None and not quiet:
            _print(summary, answer, output)
        if failure is not None:
            raise Failure(failure)


def _streamed(output: Path | None, force: bool) -> Path | None:
    """Return the file that the distances go to while they are found: of --force beside old ones, which are kept."""
    if output is None or output.suffix.lower() != ".npy":
        return None
    kept = [output]
    if not os.path.lexists(_in_progress(output)):  # beside it predecessors may be its result
        kept.append(output.with_suffix(".pred.npy"))
    if not force or not any(map(os.path.lexists, kept)):
        return output
    place = followed(output)
    return place.with_name(f".{place.stem}.new.npy")


def _in_progress(streamed: Path) -> Path:
    """Return the folder of the work on a file."""
    return streamed.with_name(f"{streamed.name}.partial")


def _delete_unmoved(streamed: Path | None, output: Path | None) -> None:
    """Delete complete results beside their places, which a command that was killed has not moved any more."""
    if streamed is not None and streamed != output and not os.path.lexists(_in_progress(streamed)):
        _delete(streamed)


def _delete(streamed: Path) -> None:
    for file in _files(streamed):
        file.unlink(missing_ok=True)


def _files(distances: Path) -> tuple[Path, Path]:
    """Return a file of distances, and that of their predecessors."""
    return distances, distances.with_suffix(".pred.npy")


@contextlib.contextmanager
def _limit_in_mib() -> Iterator[None]:
    """Have an error about the memory limit say which option that is, in its unit."""
    try:
        yield
    except ValueError as error:
        raise Failure(_LIMIT.sub(_in_mib, str(error))) from None


def _in_mib(found: re.Match[str]) -> str:
    given, needed = (f"{-(-int(found[group].replace(',', '')) // 2**20):,} MiB" for group in (1, 3))
    return f"--memory-limit: {given}, but {found[2]} need {needed} on"


def _solved(graph: Graph, as_json: bool, **arguments: Any) -> AllPairs:
    import reedsp

    try:
        with vertices_bar(after=LATE, expected=reedsp.estimate(graph, "apsp", **arguments).seconds) as progress:
            return reedsp.apsp(graph, progress=progress, **arguments)
    except reedsp.NegativeCycleError as error:
        fail_on_negative_cycle(error, as_json, "there is a negative cycle")
    except MemoryError as error:
        larger = "--output FILE.npy writes them, also more than memory holds, " if arguments["out"] is None else ""
        raise Failure(
            f"{error}; there are {graph.n**2:,} distances between all pairs of vertices: {larger}`reedsp statistics` "
            f"adds them up, and `reedsp sssp` finds the {graph.n:,} from one vertex"
        ) from None


def _store(paths: AllPairs, output: Path, streamed: Path | None, force: bool) -> None:
    """Write the result, or move what has been written beside its place."""
    if streamed is None:
        paths.save(output, overwrite=force)
    elif streamed != output:
        (dist, pred), (new_dist, new_pred) = _files(output), _files(streamed)
        if paths.pred is None:
            pred.unlink(missing_ok=True)  # of other distances
        replace_whole(new_dist, dist)
        if paths.pred is not None:
            replace_whole(new_pred, pred)


def _extent(graph: Graph, paths: AllPairs) -> dict[str, Any]:
    """Return how many pairs of different vertices have a path, and how long the paths are."""
    import numpy as np

    count, unbounded = 0, 0
    sums: list[float | Fraction] = []
    longest: tuple[Any, int, int] | None = None
    for source, row in enumerate(paths.dist):  # row by row: the matrix may be all that memory holds
        present, endless = finite(row)
        unbounded += int(np.count_nonzero(endless)) - int(endless[source])
        present[source] = False
        reached = np.flatnonzero(present)
        if len(reached):
            dist = row[reached]
            count += len(reached)
            sums.append(sum_of(dist))
            farthest = int(dist.argmax())
            if longest is None or dist[farthest] > longest[0]:
                longest = dist[farthest], source, int(reached[farthest])
    return {
        "reachable_pairs": count,
        "unbounded_pairs": unbounded,
        "mean_distance": mean_of(sums, count),
        "diameter": None if longest is None else number(graph, longest[0]),
        "farthest_pair": None if longest is None else [graph.names[vertex] for vertex in longest[1:]],
    }


def _route_between(graph: Graph, paths: AllPairs, source: Any, target: Any) -> tuple[dict[str, Any], str | None]:
    """Return the distance and the route, and why there is none."""
    answer: dict[str, Any] = {"source": source, "target": target, "distance": None, "path": None}
    row, column = graph.index(source), graph.index(target)
    [present], [endless] = finite(paths.dist[row, column : column + 1])
    ends = f"from {name_text(source)} to {name_text(target)}"
    if endless:
        return answer, f"routes {ends} can pass a negative cycle, so that none is shortest"
    if not present:
        return answer, f"there is no route {ends}"
    answer["distance"] = number(graph, paths.dist[row, column])
    answer["path"] = paths.path(source, target)
    return answer, None


def _print(summary: dict[str, Any], answer: dict[str, Any], output: Path | None) -> None:
    print_graph(summary)
    if "path" in answer:
        print_route(answer["source"], answer)
    else:
        pairs = summary["vertices"] * (summary["vertices"] - 1)
        print(f"reached   {answer['reachable_pairs']:,} of {pairs:,} pairs of vertices")
        if answer["unbounded_pairs"]:
            print(f"endless   {answer['unbounded_pairs']:,} pairs, whose paths can pass a negative cycle")
        if answer["farthest_pair"] is not None:
            first, last = answer["farthest_pair"]
            print(f"mean      {answer['mean_distance']:.6g}")
            print(f"diameter  {answer['diameter']}, from {name_text(first)} to {name_text(last)}")
    print_end(summary, "", output)
