"""``reedsp convert``, ``info`` and ``dataset``: graph files."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import read_and_count, read_graph
from reedsp.cli.options import DeviceName, Force, GraphFile, Json, Quiet, Relabel, complete_dataset
from reedsp.cli.output import (
    Failure,
    check_place,
    input_text,
    name_text,
    new_table,
    print_json,
    print_table,
    refuse,
    size_text,
    stated_failures,
)
from reedsp.system.progress_bar import LATE, bytes_bar, edges_bar, parts_bar


def convert(
    file: GraphFile,
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            show_default=False,
            help="The file to write: .gr, .mtx, .el, .wel, .graph or .npz, and .gz or .xz behind it to compress.",
        ),
    ],
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    relabel: Relabel = False,
) -> None:
    """Write a graph in another format.

    Exact: integers stay integers, and fractions come back to the last bit. Says how vertices are renumbered where
    the other format counts differently. The exit status is 1 if the format cannot hold the graph.
    """
    with stated_failures():
        from reedsp.io import writers
        from reedsp.io.readers import suffix

        known = tuple(writers.FORMATS)
        if suffix(output.name) not in known:
            refuse(f"{output} does not end in {', '.join(known)}, with or without .gz or .xz", "OUTPUT")
        check_place(output, force)
        started = time.perf_counter()
        graph = read_graph(file, relabel)
        read_seconds = time.perf_counter() - started
        changes = writers.changes(graph, output)
        started = time.perf_counter()
        with edges_bar("writing", after=LATE) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `changes` says the same
            writers.write(graph, output, overwrite=force, progress=progress)
        size = output.stat().st_size
        summary = {
            "file": str(file),
            "output": str(output),
            "vertices": graph.n,
            "edges": graph.m,
            "bytes": size,
            "changes": changes,
            "read_seconds": read_seconds,
            "write_seconds": time.perf_counter() - started,
        }
        if as_json:
            print_json(summary)
        if as_json or quiet:
            return
        print(f"read      {input_text(file)}: {graph.n:,} vertices, {graph.m:,} edges, in {read_seconds:.3f} s")
        print(f"written   {output}: {size_text(size)}, in {summary['write_seconds']:.3f} s")
        for change in changes:
            print(f"changed   {change}")


def info(file: GraphFile, device: DeviceName = None, as_json: Json = False, relabel: Relabel = False) -> None:
    """Describe a graph in a file: degrees, weights, components, and what solving it would take.

    Needs no device; with one it says which methods would be chosen for it.
    """
    with stated_failures():
        from reedsp.cli.facts import facts

        started = time.perf_counter()
        graph, listed = read_and_count(file, relabel)
        seconds = time.perf_counter() - started
        with parts_bar("examining", LATE) as progress:
            found = facts(graph, listed, device, progress)
        summary = {"file": str(file), "read_seconds": seconds, **found}
        if as_json:
            print_json(summary)
        else:
            _print_facts(summary)


def dataset(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            autocompletion=complete_dataset,
            help="Which one; without a name, all are listed.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            envvar="REEDSP_DATA",
            help="Where to look for the file, also one folder deeper, and to put it.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a public data set, check it, and print where it is.

    The SHA-256 must be that of the published file, wherever it was found. Downloading needs the extra `datasets`;
    a file that is there already needs no network.
    """
    with stated_failures():
        from reedsp.io.datasets import DATASETS, fetch

        if name is None:
            if as_json:
                print_json([{"name": each, **asdict(known)} for each, known in DATASETS.items()])
                return
            table = new_table("name", "size", "what it is", right=("size",))
            for each, known in DATASETS.items():
                table.add_row(each, size_text(known.size), known.title)
            print_table(table)
            return
        if name not in DATASETS:
            refuse(f"{name!r} is not one of {', '.join(DATASETS)}", "NAME")
        try:
            with bytes_bar("downloading", after=LATE) as progress:
                file = fetch(name, folder, progress)
        except ImportError as error:
            raise Failure(str(error)) from None
        known = DATASETS[name]
        if as_json:
            print_json({"name": name, "file": str(file), "sha256": known.sha256, "url": known.url})
        else:
            print(file)


# ---- printing ---------------------------------------------------------------------------------------


def _print_facts(facts: dict[str, Any]) -> None:
    n, kind = facts["vertices"], "directed" if facts["directed"] else "undirected"
    print(f"graph     {input_text(Path(facts['file']))}: {kind}, read in {facts['read_seconds']:.3f} s")
    first = f", the first is {name_text(facts['first_vertex'])}" if n else ""
    print(f"vertices  {n:,}{first}")
    both = "" if facts["directed"] else " in both directions"
    loops, parallel = facts["self_loops"], facts["parallel_edges"]
    print(f"edges     {facts['edges']:,}{both}; {loops:,} self loops; {parallel:,} parallel ones left out")
    for key in ("degree", "out_degree", "in_degree"):
        if facts.get(key) is not None:
            _print_degrees(key.replace("_degree", " deg."), facts[key])
    weights = facts["weights"]
    if weights is not None:
        counts = f"{weights['zero']:,} zero, {weights['negative']:,} negative"
        whole = ", all whole" if weights["whole"] and weights["type"].startswith("float") else ""
        print(f"weights   {weights['type']}{whole}, {weights['min']} .. {weights['max']}; {counts}")
    for key in ("weak_components", "strong_components") if facts["directed"] else ("weak_components",):
        name = key.removesuffix("_components") if facts["directed"] else "connected"
        found = facts[key]
        noun = "component" if found["count"] == 1 else "components"
        print(f"{name:<10}{found['count']:,} {noun}, the largest of {found['largest']:,} vertices")
    _print_methods(facts)


def _print_degrees(name: str, degrees: dict[str, Any]) -> None:
    middle = ", ".join(f"{degrees[key]:,} at {key[1:]}%" for key in ("p50", "p90", "p99"))
    ends = f"{degrees['min']:,} .. {degrees['max']:,}, mean {degrees['mean']:.4g}"
    print(f"{name:<10}{ends}; {middle}; {degrees['zero']:,} are 0")


def _print_methods(facts: dict[str, Any]) -> None:
    from reedsp.cost_model.choose import time_text

    search, apsp = facts["sssp"], facts["apsp"]
    print(f"device    {facts['device'] or 'none: ' + facts['no_device']}")
    if search is not None:
        print(f"sssp      would take {search['method']}, about {time_text(search['seconds'])}")
    if apsp is None:
        return
    limits = f"{time_text(apsp['low'])} to {time_text(apsp['high'])}"
    print(
        f"apsp      would take {apsp['method']}: {apsp['pairs']:,} pairs, about {time_text(apsp['seconds'])} ({limits})"
    )
    print(f"          because {apsp['because']}")
    distances, predecessors = size_text(apsp["distance_bytes"]), size_text(apsp["predecessor_bytes"])
    print(f"memory    {distances} for the distances as float64, {predecessors} more for predecessors")
    if apsp["matrix_bytes"] is not None:
        matrix, has = size_text(apsp["matrix_bytes"]), size_text(apsp["device_memory"])
        print(f"          {matrix} on the device as {apsp['arithmetic']}, which has {has}")
