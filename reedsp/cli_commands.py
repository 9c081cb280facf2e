"""The commands of ``reedsp``: each with the example that its help ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import rich  # noqa: F401 - typer does without it, and would then print the markup of the help texts
import typer

from reedsp.cli_all_pairs import apsp
from reedsp.cli_files import convert, dataset, info
from reedsp.cli_machine import demo, devices, doctor, tune
from reedsp.cli_paths import bfs, sssp
from reedsp.cli_verify import verify

COMMANDS: dict[Callable[..., None], tuple[tuple[str, str], ...]] = {
    sssp: (
        ("reedsp sssp USA-road-d.NY.gr.gz --source 1 --target 264346", "prints a route"),
        ("reedsp sssp web.el --source 0 --output tree.csv", "writes the distances of all vertices"),
    ),
    bfs: (("reedsp bfs web.el --source 0 --target 9", "prints a route with the fewest edges"),),
    apsp: (
        ("reedsp apsp roads.gr --output distances.npy", "writes the matrix of distances"),
        ("reedsp apsp roads.gr --source 1 --target 9", "prints a route"),
    ),
    verify: (("reedsp verify roads.gr tree.csv", "checks what sssp wrote"),),
    info: (("reedsp info roads.gr", ""),),
    convert: (("reedsp convert roads.gr roads.mtx.gz", ""),),
    dataset: (("reedsp dataset", "lists what is known"), ("reedsp dataset road-ny --folder data", "fetches it")),
    devices: (("reedsp devices", ""),),
    doctor: (("reedsp doctor --json > report.json", ""),),
    tune: (("reedsp tune --quick", ""), ("reedsp tune --device pocl --list", "")),
    demo: (("reedsp demo --vertices 40000 --output small.png", ""),),
}
"""Every command, in the order in which the help lists them, and examples with what they do."""


def application() -> typer.Typer:
    """Build the application."""
    commands = typer.Typer(
        help="Exact shortest paths on any OpenCL device.",
        epilog="New here? [bold]reedsp demo[/bold] shows what it does, [bold]reedsp doctor[/bold] what is missing. "
        "The environment variable REEDSP_DEVICE chooses the device: an index, or part of a name such as "
        "pocl, nvidia, cpu or gpu.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    commands.callback()(_options)
    for command, examples in COMMANDS.items():
        commands.command(epilog=_epilog(examples))(command)
    return commands


def _epilog(examples: tuple[tuple[str, str], ...]) -> str:
    told = "; ".join(f"[bold]{command}[/bold]{' ' if what else ''}{what}" for command, what in examples)
    return f"Example{'s' if len(examples) > 1 else ''}: {told}"


def _print_version(wanted: bool) -> None:
    if wanted:
        import reedsp

        print(f"reedsp {reedsp.__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Exact shortest paths on any OpenCL device."""
