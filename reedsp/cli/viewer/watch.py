"""``reedsp watch``: an algorithm, step by step, in a browser."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from reedsp.cli.graph import read_graph, vertex_called
from reedsp.cli.options import DeviceName, Force, Json, Quiet, Relabel, file_typed, output_option
from reedsp.cli.output import (
    Failure,
    check_output,
    input_text,
    print_json,
    refuse,
    size_text,
    stated_failures,
    the_only,
)
from reedsp.cli.structure.sort import read_numbers

_SIZE = 30  # of an input that is generated


def complete_algorithm(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the algorithms that can be watched, and their problems."""
    from reedsp.viewer.algorithms.catalogue import ALGORITHMS

    return ((name, entry.problem.name) for name, entry in ALGORITHMS.items() if name.startswith(incomplete))


def watch(
    file: Annotated[
        Path | None,
        typer.Argument(
            parser=file_typed,
            metavar="FILE",
            show_default=False,
            help="A graph as of the other commands, at most 200 vertices and 2,000 edges; for scans and sorts numbers "
            "as of sort, at most 1,000. - is standard input.",
        ),
    ] = None,
    algorithm: Annotated[
        list[str],
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            show_default=False,
            autocompletion=complete_algorithm,
            help="What to watch: output-parallel, near-far, top-down, merge-sort ...; an unknown name lists them. "
            "Again for each to be on the page.",
        ),
    ] = [],  # noqa: B006 - typer copies it
    generate: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            show_default=False,
            help="Instead of a file: grid, road, random, r-mat, tree, path, cycle, complete or bipartite; for scans "
            "and sorts constant, random, shuffled, ascending or descending.",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", show_default=False, help="Of the input that is generated; 30 by default."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            "-s",
            metavar="VERTEX",
            show_default=False,
            help="Vertex that those algorithms start from that search, else the first.",
        ),
    ] = None,
    device: DeviceName = None,
    output: Annotated[
        Path | None, output_option("Write a page of one .html file, instead of serving it to this machine.", "PAGE")
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    relabel: Relabel = False,
) -> None:
    """Show what each kernel of an algorithm does to the memory of the device, forwards and backwards.

    Without --output the page is served to this machine alone, under an address that is printed, where the input can be
    changed and run again; Ctrl-C ends that.
    """
    with stated_failures():
        if not algorithm:
            refuse("is missing; for instance --algorithm output-parallel", "--algorithm")
        if (file is None) == (generate is None):
            refuse("either a file or --generate is expected", "FILE")
        if file is not None and size is not None:
            refuse("needs --generate", "--size")
        check_output(output, force, (".html",))
        if as_json and output is None:
            refuse("needs --output", "--json")
        from reedsp.viewer import watch as viewer

        try:
            kinds = [viewer.kind_of(each) for each in algorithm]
        except ValueError as error:
            refuse(str(error).removeprefix("algorithm: "), "--algorithm")
        for other, kind in zip(algorithm, kinds, strict=True):
            if (kind == "array") != (kinds[0] == "array"):
                refuse(f"{other} does not take what {algorithm[0]} does: a page has one input", "--algorithm")
        begins = the_only(source, "--source")
        if begins is not None and not any(map(viewer.searches, algorithm)):
            refuse(f"{' and '.join(algorithm)} start{'s' * (len(algorithm) == 1)} from no vertex", "--source")
        given = _input(kinds[0], file, generate, _SIZE if size is None else size, relabel)
        start = None if begins is None else vertex_called(given, begins, "--source")
        if output is None:
            with _named(file):
                server = viewer.serve(given, algorithm, start, device=device)
            _serve(server, quiet)
            return
        with _named(file):
            page = viewer.watch(given, algorithm, start, device=device)
        page.save(output, overwrite=force)
        summary = {
            "file": None if file is None else str(file),
            "output": str(output),
            "bytes": output.stat().st_size,
            "device": page.traces[0]["device"],
            "steps": {trace["algorithm"]: len(trace["steps"]) - 1 for trace in page.traces},
        }
        if as_json:
            print_json(summary)
        elif not quiet:
            for name, steps in summary["steps"].items():
                print(f"recorded  {name}: {steps:,} steps on {summary['device']}")
            print(f"written   {output}: {size_text(summary['bytes'])}")


def _input(kind: str, file: Path | None, generate: str | None, size: int, relabel: bool) -> Any:
    if file is None:
        from reedsp.viewer.watch import generated

        try:
            return generated(kind, str(generate), size)
        except ValueError as error:
            option, _, complaint = str(error).partition(": ")
            refuse(complaint, f"--{option}")
    return read_numbers(file) if kind == "array" else read_graph(file, relabel)


@contextlib.contextmanager
def _named(file: Path | None) -> Iterator[None]:
    """Have what is wrong with the input begin with the name of the file that it is from."""
    try:
        yield
    except (TypeError, ValueError) as error:
        name, _, complaint = str(error).partition(": ")
        if file is None or name != "input":
            raise
        raise Failure(f"{input_text(file)}: {complaint}") from None


def _serve(server: Any, quiet: bool) -> None:
    if not quiet:
        print("serving   until Ctrl-C, to this machine alone:")
    print(server.address, flush=True)
    server.serve()
