"""The commands of ``reedsp``: each with the example that its help ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from typer.core import TyperCommand, TyperGroup

from reedsp.cli.all_pairs import apsp
from reedsp.cli.files import convert, dataset, info
from reedsp.cli.machine import calibrate, demo, devices, doctor, tune
from reedsp.cli.roads.isochrone import isochrone
from reedsp.cli.roads.nearest import nearest
from reedsp.cli.roads.read_map import read_map
from reedsp.cli.roads.route import route
from reedsp.cli.roads.table import table
from reedsp.cli.search import bfs, sssp
from reedsp.cli.structure.betweenness import betweenness
from reedsp.cli.structure.components import components
from reedsp.cli.structure.flow import flow
from reedsp.cli.structure.forest import forest
from reedsp.cli.structure.match import match
from reedsp.cli.structure.sort import sort
from reedsp.cli.structure.statistics import statistics
from reedsp.cli.verify import verify
from reedsp.cli.viewer.watch import watch

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
    statistics: (
        ("reedsp statistics roads.gr", "prints the diameter"),
        ("reedsp statistics roads.gr --sources 9 --output statistics.csv", "writes a table"),
    ),
    components: (("reedsp components web.el --strong --output parts.csv", "writes the component of each vertex"),),
    forest: (
        ("reedsp forest roads.gr", "prints its weight"),
        ("reedsp forest roads.gr --output forest.csv", "writes the edges of a minimum spanning forest"),
    ),
    match: (("reedsp match web.el --output pairs.csv", "writes the pairs of a maximum matching"),),
    flow: (("reedsp flow roads.gr --source 1 --target 9", "prints how much can flow, and a minimum cut"),),
    betweenness: (
        ("reedsp betweenness web.el --sources 5 --output central.csv", "estimates the values of all vertices"),
        ("reedsp betweenness roads.gr --edges", "prints the edges that most paths pass"),
    ),
    read_map: (
        ("reedsp read-map monaco.osm.gz --output map.npz", "writes the roads for cars"),
        ("reedsp read-map monaco.osm.gz --connected --profile foot -o walks.npz", ""),
    ),
    nearest: (("reedsp nearest map.npz places.csv", "prints the vertex of each place"),),
    route: (("reedsp route map.npz --from 7.42,43.73 --to 7.43,43.74", "prints a route"),),
    table: (("reedsp table map.npz places.csv --output times.csv", "writes all travel times"),),
    isochrone: (("reedsp isochrone map.npz --from 7.42,43.73 --cutoff 60000 -o area.geojson", ""),),
    sort: (
        ("reedsp sort numbers.txt", "prints them in ascending order"),
        ("reedsp sort numbers.npy --output sorted.npy", "keeps their type"),
    ),
    watch: (
        ("reedsp watch roads.gr --algorithm output-parallel", "serves a page and prints its address"),
        ("reedsp watch --generate grid -a boruvka --output steps.html", "writes it to a file"),
    ),
    verify: (("reedsp verify roads.gr tree.csv", "checks what sssp wrote"),),
    info: (("reedsp info roads.gr", ""),),
    convert: (("reedsp convert roads.gr roads.mtx.gz", ""),),
    dataset: (("reedsp dataset", "lists what is known"), ("reedsp dataset road-ny --folder data", "fetches it")),
    devices: (("reedsp devices", ""), ("reedsp devices --verbose", "adds what was measured on each")),
    doctor: (("reedsp doctor --json > report.json", ""),),
    calibrate: (("reedsp calibrate --device pocl", ""),),
    tune: (("reedsp tune --quick", ""), ("reedsp tune --device pocl --list", "")),
    demo: (("reedsp demo --vertices 40000 --output small.png", ""),),
}
"""Every command, in the order in which the help lists them, and examples with what they do."""


def name_of(command: Callable[..., None]) -> str:
    """Return what a command is called on the command line."""
    return command.__name__.replace("_", "-")


_EXAMPLES = {name_of(command): examples for command, examples in COMMANDS.items()}


class _Command(TyperCommand):
    """A command whose help shows no type of a switch, and ends with examples, one a line."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types_of_switches(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's, which newer versions of typer use
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        examples = Table.grid(padding=(0, 3, 0, 0))
        examples.add_column(no_wrap=True)
        for line, what in _EXAMPLES[str(self.name)]:
            examples.add_row(f"[bold]{line}[/bold]", what)
        console = Console(highlight=False)
        console.print(" Examples:")
        console.print(Padding(examples, (0, 0, 1, 3)))


class _Group(TyperGroup):
    """All commands, whose help shows no type of a switch."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types_of_switches(super().get_params(ctx))


def _without_types_of_switches(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def application(wanted: str | None = None) -> typer.Typer:
    """Build the application with the command that is wanted, or with all if there is none of that name."""
    commands = typer.Typer(
        cls=_Group,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Exact shortest paths on any OpenCL device.",
        epilog="New here? [bold]reedsp demo[/bold] shows what it does, [bold]reedsp doctor[/bold] what is missing. "
        "The environment variable REEDSP_DEVICE chooses the device: an index, or part of a name such as "
        "pocl, nvidia, cpu or gpu.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    commands.callback()(_options)
    chosen = [command for command in COMMANDS if name_of(command) == wanted]
    for command in chosen or COMMANDS:  # typer takes longer over all of them than many a command
        commands.command(name_of(command), cls=_Command)(command)
    return commands


def _print_version(wanted: bool) -> None:
    if wanted:
        import reedsp

        print(f"reedsp {reedsp.__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", "-v", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Exact shortest paths on any OpenCL device."""
