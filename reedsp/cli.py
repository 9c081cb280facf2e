"""The ``reedsp`` command."""

from __future__ import annotations

import contextlib
import csv
import enum
import importlib
import io
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, NoReturn

if TYPE_CHECKING:
    import typer  # imported by _application: `reedsp doctor` has to work where it is missing

    from reedsp import AllPairs, Device, Graph, ShortestPaths
    from reedsp.tuning import Outcome

_INTERRUPTED = 130  # as after a SIGINT
_BROKEN_PIPE = 141  # as after a SIGPIPE
_PROGRESS_AFTER_SECONDS = 2.0
_ROUTE_HEAD, _ROUTE_TAIL = 6, 5
_WIDE = 250  # columns of a table that is not printed to a terminal
_TILING_CAPTION = (
    "A tiling is rows x vectors x their length, and rows x depth of a block;\n"
    "in work-groups rows x columns x depth, and rows x columns of a work-item."
)


class Method(enum.StrEnum):
    """Methods of :func:`reedsp.sssp`."""

    auto = "auto"
    output_parallel = "output-parallel"
    input_parallel = "input-parallel"
    input_parallel_refined = "input-parallel-refined"
    near_far = "near-far"


class AllPairsMethod(enum.StrEnum):
    """Methods of :func:`reedsp.apsp`."""

    auto = "auto"
    floyd_warshall = "floyd-warshall"
    min_plus = "min-plus"
    johnson = "johnson"


class NegativeCycles(enum.StrEnum):
    """What :func:`reedsp.apsp` does about negative cycles."""

    fail = "raise"
    mark = "mark"


class DistanceType(enum.StrEnum):
    """Types of the distances of :func:`reedsp.apsp`."""

    float64 = "float64"
    float32 = "float32"
    int64 = "int64"
    int32 = "int32"


class _Failure(Exception):
    """Something the user has to know, in one line."""


def main() -> None:
    """Run the command line and exit: 0 done, 1 a stated failure, 2 wrong usage."""
    try:
        status = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        status = _BROKEN_PIPE
    if status == _BROKEN_PIPE:  # nobody reads what is still buffered: Python would complain about it on leaving
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["doctor"]:
        from reedsp import doctor

        return doctor.main(arguments[1:])
    try:
        application = _application()
    except ImportError as error:
        _say(f"{error}, which the command line needs; run: {sys.executable} -m pip install typer rich")
        return 1
    try:
        application(args=list(arguments), prog_name="reedsp")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0


def _application() -> typer.Typer:
    """Build the application. Typer reads the annotations of the commands below only now."""
    globals()["typer"] = importlib.import_module("typer")
    importlib.import_module("rich")
    application = typer.Typer(
        help="Exact shortest paths on any OpenCL device.",
        epilog="New here? [bold]reedsp demo[/bold] shows what it does, [bold]reedsp doctor[/bold] what is missing. "
        "The environment variable REEDSP_DEVICE chooses the device: an index, or part of a name such as "
        "pocl, nvidia, cpu or gpu.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    application.callback()(_options)
    application.command(epilog="Example: [bold]reedsp doctor --json > report.json[/bold]")(doctor)
    application.command(epilog="Example: [bold]reedsp devices[/bold]")(devices)
    application.command(
        epilog="Examples: [bold]reedsp sssp USA-road-d.NY.gr.gz --source 1 --target 264346[/bold] prints a route; "
        "[bold]reedsp sssp web.el --source 0 --output tree.csv[/bold] writes the distances of all vertices."
    )(sssp)
    application.command(
        epilog="Examples: [bold]reedsp apsp roads.gr --output distances.npy[/bold] writes the matrix of distances; "
        "[bold]reedsp apsp roads.gr --source 1 --target 9[/bold] prints a route."
    )(apsp)
    application.command(
        epilog="Examples: [bold]reedsp tune --quick[/bold]; [bold]reedsp tune --device pocl --list[/bold]"
    )(tune)
    application.command(epilog="Example: [bold]reedsp demo --vertices 40000 --output small.png[/bold]")(demo)
    return application


# ---- commands ---------------------------------------------------------------------------------------


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


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, for a bug report.")] = False,
) -> None:
    """Find out why reedsp does not work here, and which command cures it.

    Looks at packages, drivers and devices, and runs a small kernel on every device. Needs nothing but Python
    itself, so it also runs where an installation is broken. The exit status is 0 if at least one device works.
    """
    from reedsp import doctor as examination

    raise typer.Exit(examination.main(["--json"] if as_json else []))


def devices(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; memory is in bytes.")] = False,
) -> None:
    """List the OpenCL devices, and whether a kernel with a known answer passes on each.

    The device marked with a star is the one used by default. The order changes with the drivers installed:
    choose a device by part of its name rather than by its index.
    """
    with _stated_failures():
        from reedsp import DeviceError
        from reedsp import devices as all_devices
        from reedsp.device import get_device

        rows = [_describe(device) for device in all_devices()]
        try:
            default: int | None = get_device().index
            failure = None
        except DeviceError as error:
            default, failure = None, error
        for row in rows:
            row["default"] = row["index"] == default
        if as_json:
            print(json.dumps(rows, indent=2))
        elif rows:
            _print_devices(rows)
        if failure is not None:
            raise failure


def sssp(
    file: Annotated[
        Path,
        typer.Argument(
            show_default=False,
            help="DIMACS .gr, Matrix Market .mtx, edge list .el/.wel/.txt, METIS .graph or SciPy .npz; "
            "also compressed with gzip or xz.",
        ),
    ],
    source: Annotated[str, typer.Option(show_default=False, help="Vertex to start from, numbered as in the file.")],
    target: Annotated[
        str | None, typer.Option(show_default=False, help="Vertex whose distance and route are wanted.")
    ] = None,
    method: Annotated[Method, typer.Option(help="How to solve.")] = Method.auto,
    device: Annotated[
        str | None, typer.Option(show_default=False, help="Index, or part of the name of a device or platform.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            show_default=False,
            help="Write the result. A .csv holds vertex, distance and predecessor, numbered as in the file: of all "
            "vertices, or with --target of those on the route. A .npz holds dist, pred, source and offset or "
            "labels (and target and path), with vertices counted from 0.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --output replace a file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the whole route.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also check the answer on the device, edge by edge.")
    ] = False,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="For edge lists: keep only the vertices that occur in the file.")
    ] = False,
) -> None:
    """Find shortest paths from one vertex of a graph in a file.

    With --target prints the distance and the route, otherwise how far the vertices are that were reached.
    Weights may be negative. The exit status is 1 if there is no route or the source reaches a negative cycle.
    """
    with _stated_failures():
        if output is not None:
            _check_output(output, force, (".npz", ".csv"))
        import reedsp

        started = time.perf_counter()
        graph = _read(file, relabel)
        read_seconds = time.perf_counter() - started
        start = _vertex(graph, source, "--source")
        goal = None if target is None else _vertex(graph, target, "--target")
        solve_to = None if output is not None and output.suffix == ".npz" else goal  # a .npz holds all distances
        started = time.perf_counter()
        try:
            with _rounds_bar() as progress:
                paths = reedsp.sssp(graph, start, method.value, target=solve_to, device=device, progress=progress)
        except reedsp.NegativeCycleError as error:
            _fail_on_negative_cycle(graph, error, as_json, "the source reaches a negative cycle")
        seconds = time.perf_counter() - started
        if verify:
            paths.verify()
        summary = {
            "file": str(file),
            "vertices": graph.n,
            "edges": graph.m,
            "source": graph.label(start),
            "method": paths.method,
            "rounds": paths.rounds,
            "device": paths.device,
            "read_seconds": read_seconds,
            "seconds": seconds,
            "verified": verify,
        }
        answer = _farthest(graph, paths) if goal is None else _route(graph, paths, goal)
        route = answer.get("path")
        if output is not None and (goal is None or route is not None):
            write = _save_tree if output.suffix == ".npz" else _write_csv
            _write_atomically(output, lambda stream: write(stream, graph, paths, goal), force)
        if as_json:
            print(json.dumps({**summary, **answer, "stats": paths.stats}, default=str))
        elif goal is None or route is not None:
            _print_answer(summary, answer, output)
        if goal is not None and route is None:
            raise _Failure(f"there is no route from {graph.label(start)} to {graph.label(goal)}")


def apsp(
    file: Annotated[
        Path,
        typer.Argument(show_default=False, help="A file that [bold]reedsp sssp[/bold] reads."),
    ],
    source: Annotated[
        str | None, typer.Option(show_default=False, help="With --target: print the distance and the route.")
    ] = None,
    target: Annotated[str | None, typer.Option(show_default=False, help="Where the route of --source ends.")] = None,
    method: Annotated[AllPairsMethod, typer.Option(help="How to solve.")] = AllPairsMethod.auto,
    predecessors: Annotated[
        bool, typer.Option("--predecessors", help="Find the vertex before the last one of each path too.")
    ] = False,
    negative_cycles: Annotated[
        NegativeCycles,
        typer.Option(help="Fail, or give the pairs whose paths can pass a negative cycle the distance -inf."),
    ] = NegativeCycles.fail,
    device: Annotated[
        list[str] | None,
        typer.Option(
            show_default=False,
            help="Index, or part of the name of a device or platform; again for each to share the work.",
        ),
    ] = None,
    memory_limit: Annotated[
        int | None, typer.Option(show_default=False, min=1, help="MiB of memory to use on each device.")
    ] = None,
    dtype: Annotated[DistanceType | None, typer.Option(show_default=False, help="Type of the distances.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            show_default=False,
            help="Write the result, with vertices counted from 0. A .npy holds the distances, row by source, and a "
            ".pred.npy beside it the predecessors; they may be larger than memory, and an interrupted command goes on "
            "when it is given again. A .npz holds dist, pred if asked for, and offset or labels.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --output replace a file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the whole route.")] = False,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="For edge lists: keep only the vertices that occur in the file.")
    ] = False,
) -> None:
    """Find shortest paths between all pairs of vertices of a graph in a file.

    Prints how many pairs have a path and how long the paths are, or with --source and --target one of them.
    Weights may be negative. The exit status is 1 if there is a negative cycle (unless they are marked), or no route.
    """
    with _stated_failures():
        if (source is None) != (target is None):
            raise typer.BadParameter("one needs the other", param_hint="--source and --target")
        if output is not None:
            _check_output(output, force, (".npy", ".npz"))
        streamed = output if output is not None and output.suffix == ".npy" else None
        if streamed is not None and os.path.lexists(streamed):
            streamed = streamed.with_name(
                f"{streamed.stem}.new.npy"
            )  # --force keeps the old one until there is another
        import reedsp

        started = time.perf_counter()
        graph = _read(file, relabel)
        read_seconds = time.perf_counter() - started
        start = None if source is None else _vertex(graph, source, "--source")
        goal = None if target is None else _vertex(graph, target, "--target")
        started = time.perf_counter()
        try:
            with _vertices_bar() as progress:
                paths = reedsp.apsp(
                    graph,
                    method.value,
                    predecessors=predecessors or goal is not None,
                    negative_cycles=negative_cycles.value,
                    out=streamed,
                    device=device[0] if device is not None and len(device) == 1 else device,
                    progress=progress,
                    memory_limit=None if memory_limit is None else memory_limit << 20,
                    dtype=None if dtype is None else dtype.value,
                )
        except reedsp.NegativeCycleError as error:
            _fail_on_negative_cycle(graph, error, as_json, "there is a negative cycle")
        except MemoryError as error:
            raise _Failure(
                f"{error}; there are {graph.n**2:,} distances between all pairs of vertices, but only {graph.n:,} from "
                "one of them, which `reedsp sssp` finds"
            ) from None
        summary = {
            "file": str(file),
            "vertices": graph.n,
            "edges": graph.m,
            "method": paths.method,
            "device": paths.device,
            "read_seconds": read_seconds,
            "seconds": time.perf_counter() - started,
        }
        if start is None or goal is None:
            answer, failure = _extent(graph, paths), None
        else:
            answer, failure = _route_between(graph, paths, start, goal)
        if output is not None and streamed is None and failure is None:
            _write_atomically(output, lambda stream: _save_matrices(stream, graph, paths), force)
        elif output is not None and streamed is not None and streamed != output:
            for ending in (".npy", ".pred.npy"):
                if streamed.with_suffix(ending).exists():
                    os.replace(streamed.with_suffix(ending), output.with_suffix(ending))
        if as_json:
            print(json.dumps({**summary, **answer, "stats": paths.stats}, default=str))
        elif failure is None:
            _print_all_pairs(summary, answer, output)
        if failure is not None:
            raise _Failure(failure)


def tune(
    device: Annotated[
        str | None, typer.Option(show_default=False, help="Index, or part of the name of a device or platform.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Look at fewer tilings: a minute instead of a few.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Only list what is in use, and where it comes from.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Only delete what was found before.")] = False,
) -> None:
    """Find the tilings that a device multiplies matrices fastest with, and use them from now on.

    They decide how fast `reedsp apsp` and min-plus products are, never what comes out.
    What gives a wrong product here is passed over. What is found is kept for this user, device and driver.
    Let the machine do nothing else meanwhile.
    """
    with _stated_failures():
        if show + forget + quick > 1:
            raise typer.BadParameter("choose one of them", param_hint="--quick, --list and --forget")
        from reedsp import tilings, tuning
        from reedsp.device import get_device

        chosen = get_device(device)
        if show:
            _print_tilings(chosen)
        elif forget:
            file = tilings.tuning_file(chosen)
            print(f"deleted   {file}" if tuning.forget(chosen) else f"nothing is stored for {chosen}")
        else:
            print(f"device    {chosen}", flush=True)
            with _tuning_bar() as progress:
                outcomes = tuning.tune(chosen, quick, progress)
            _print_outcomes(outcomes)
            file = tilings.tuning_file(chosen)
            print(f"stored    {file}" if file.exists() else "stored    nothing: the tables are as good")


def demo(
    vertices: Annotated[int, typer.Option(min=2, max=20_000_000, help="Number of crossings.")] = 250_000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives another network.")] = 1,
    output: Annotated[Path, typer.Option(help="Where to write the picture, a .png.")] = Path("reedsp-demo.png"),
    device: Annotated[
        str | None, typer.Option(show_default=False, help="Index, or part of the name of a device or platform.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --output replace a file.")] = False,
) -> None:
    """Solve a generated road network, check it against SciPy, and draw the routes.

    Prints how long reedsp and SciPy's Dijkstra took for the same task, whether all distances are equal, and writes
    a picture of the tree of shortest paths with one route on top.
    """
    with _stated_failures():
        _check_output(output, force, (".png",))
        from reedsp import demo as demonstration

        network = demonstration.road_network(vertices, seed)
        with _rounds_bar() as progress:
            outcome = demonstration.solve(network, device, progress)
        print("\n".join(demonstration.report(network, outcome)), flush=True)
        if outcome.different:
            raise _Failure("the answers of reedsp and SciPy differ: this is a fault in reedsp, please report it")
        try:
            picture = demonstration.draw(network, outcome.paths)
        except ImportError as error:
            raise _Failure(f'no picture was drawn: {error}; run: pip install "reedsp[plot]"') from None
        _write_atomically(output, lambda stream: stream.write(picture), force)
        print(f"picture  {output}")


# ---- failures and progress --------------------------------------------------------------------------


@contextlib.contextmanager
def _stated_failures() -> Iterator[None]:
    """Turn what can go wrong through no fault of the program into a message and an exit status."""
    try:
        import reedsp

        expected = (
            *(OSError, ValueError, OverflowError, MemoryError, _Failure),
            *(reedsp.DeviceError, reedsp.VerificationError),
        )
    except Exception as error:  # a damaged installation can fail in any way
        _say(f"{error}; `reedsp doctor` says what to do")
        raise typer.Exit(1) from None
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(_BROKEN_PIPE) from None
    except expected as error:
        if isinstance(error, OSError) and error.strerror and error.filename is not None:
            _say(f"{error.filename}: {error.strerror}")
        else:
            _say(str(error) or type(error).__name__)
        raise typer.Exit(1) from None


def _say(message: str) -> None:
    print(f"reedsp: {message}", file=sys.stderr)


def _fail_on_negative_cycle(graph: Graph, error: Any, as_json: bool, what: str) -> NoReturn:
    cycle = [graph.label(vertex) for vertex in error.cycle]
    if as_json:
        print(json.dumps({"negative_cycle": cycle, "weight": error.weight}, default=str))
    raise _Failure(f"{what}, of weight {error.weight}: {_elided(cycle)}") from None


@contextlib.contextmanager
def _rounds_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.sssp`; None if nobody would see it."""
    with _bar("{task.completed:,} rounds", with_time_left=False) as show:
        # How many rounds it will take is not known beforehand, so the bar only shows that there is progress.
        yield None if show is None else lambda rounds, most_rounds: show(rounds, None, "")


@contextlib.contextmanager
def _vertices_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of :func:`reedsp.apsp`; None if nobody would see it."""
    with _bar("{task.completed:,} of {task.total:,} vertices") as show:
        yield None if show is None else lambda vertices, n: show(vertices, n, "")


@contextlib.contextmanager
def _tuning_bar() -> Iterator[Callable[[float, str], None] | None]:
    """Give the progress callback of :func:`reedsp.tuning.tune`; None if nobody would see it."""
    with _bar("{task.description}", "tuning") as show:
        yield None if show is None else lambda part, text: show(part, 1.0, text)


@contextlib.contextmanager
def _bar(
    text: str, verb: str = "solving", with_time_left: bool = True
) -> Iterator[Callable[[float, float | None, str], None] | None]:
    """Give a function that shows a bar (done, of how much, description) once the work has taken a while, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    started = time.monotonic()
    columns: list[ProgressColumn] = [TextColumn(verb), BarColumn(), TextColumn(text), TimeElapsedColumn()]
    if with_time_left:
        columns += [TextColumn("left"), TimeRemainingColumn()]
    with contextlib.ExitStack() as stack:
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        task = bar.add_task("", total=None)

        def show(done: float, total: float | None, description: str) -> None:
            bar.update(task, completed=done, total=total, description=description)
            if not bar.live.is_started and time.monotonic() - started > _PROGRESS_AFTER_SECONDS:
                stack.enter_context(bar)

        yield show


# ---- devices ----------------------------------------------------------------------------------------


def _describe(device: Device) -> dict[str, Any]:
    from reedsp import DeviceError

    try:
        device.self_test()
        failure = None
    except DeviceError as error:
        failure = str(error)
    return {
        "index": device.index,
        "name": device.name,
        "platform": device.platform,
        "platform_version": device.platform_version,
        "driver_version": device.driver_version,
        "type": device.kind,
        "compute_units": device.compute_units,
        "global_memory": device.global_memory,
        "max_allocation": device.max_allocation,
        "local_memory": device.local_memory,
        "max_work_group_size": device.max_work_group_size,
        "fp64": device.fp64,
        "int64_atomics": device.int64_atomics,
        "self_test": "passes" if failure is None else failure,
    }


def _print_devices(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    caption = "* used by default" if any(row["default"] for row in rows) else None
    table = Table(box=None, padding=(0, 2, 0, 0), caption=caption, caption_justify="left")
    table.add_column("")
    table.add_column("device\nplatform, driver", overflow="fold")
    table.add_column("\ntype")
    for title in ("\nunits", "\nmemory", "local\nmemory"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("\nfp64", "int64\natomics", "self\ntest"):
        table.add_column(title)
    for row in rows:
        table.add_row(
            f"{row['index']}{'*' if row['default'] else ''}",
            f"{row['name']}\n{row['platform']}, {row['driver_version']}",
            row["type"],
            str(row["compute_units"]),
            _bytes(row["global_memory"]),
            _bytes(row["local_memory"]),
            *("yes" if row[key] else "no" for key in ("fp64", "int64_atomics")),
            "passes" if row["self_test"] == "passes" else "FAILS",
        )
    _print_table(table)
    for row in rows:
        if row["self_test"] != "passes":
            print(f"self test of device {row['index']} fails: {row['self_test']}")


def _print_table(table: Any) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _WIDE, markup=False, highlight=False)
    with console.capture() as text:  # a console that prints itself ends the program when its reader has gone
        console.print(table)
    print(text.get(), end="")


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


# ---- tilings ----------------------------------------------------------------------------------------


def _print_outcomes(outcomes: Iterable[Outcome]) -> None:
    from rich.table import Table

    from reedsp.tilings import describe

    table = Table(box=None, padding=(0, 2, 0, 0), caption=_TILING_CAPTION, caption_justify="left")
    table.add_column("arithmetic")
    for title in ("before", "after"):
        table.add_column(title, no_wrap=True)
        table.add_column("G pairs/s", justify="right", no_wrap=True)
    table.add_column("gain", justify="right", no_wrap=True)
    for outcome in outcomes:
        same, worked = outcome.after == outcome.before, outcome.rate_before > 0
        table.add_row(
            f"{outcome.arithmetic}{', small products' if outcome.small else ''}",
            describe(outcome.before),
            f"{outcome.rate_before:,.1f}" if worked else "FAILS",
            "the same" if same else describe(outcome.after),
            f"{outcome.rate_after:,.1f}",
            f"{outcome.rate_after / outcome.rate_before:.2f} x" if worked else "",
        )
    _print_table(table)


def _print_tilings(device: Device) -> None:
    from rich.table import Table

    from reedsp import tilings

    in_groups, stored = tilings.works_in_groups(device), tilings.tuned(device)
    table = Table(box=None, padding=(0, 2, 0, 0), caption=_TILING_CAPTION, caption_justify="left")
    for title in ("arithmetic", "tiling", "from"):
        table.add_column(title)
    for name, weights in tilings.ARITHMETICS.items():
        for tiling in tilings.tilings_for(device, weights, in_groups):
            table.add_row(name, tilings.describe(tiling), "reedsp tune" if name in stored else "table")
    print(f"device    {device}")
    _print_table(table)
    if stored:
        print(f"stored    {tilings.tuning_file(device)}")


# ---- answers ----------------------------------------------------------------------------------------


def _read(file: Path, relabel: bool) -> Graph:
    import reedsp

    try:
        return reedsp.read(file, relabel=relabel)
    except ValueError as error:
        raise _Failure(str(error).replace("relabel=True", "--relabel")) from None


def _vertex(graph: Graph, text: str, option: str) -> int:
    """Return the vertex that the file calls by this name: a number if there is such a vertex, else a label."""
    names: list[int | str] = [text]
    with contextlib.suppress(ValueError):
        names.insert(0, int(text))
    for name in names:
        try:
            return graph.vertex(name)
        except ValueError as error:
            failure = error
    raise typer.BadParameter(str(failure), param_hint=option)


def _number(graph: Graph, distance: float) -> int | float | None:
    """Return a distance as the kind of number the graph's weights are; None if there is no path."""
    if math.isinf(distance):
        return None
    return int(distance) if graph.has_integral_weights else float(distance)


def _extent(graph: Graph, paths: AllPairs) -> dict[str, Any]:
    """Return how many pairs of different vertices have a path, and how long the paths are."""
    import numpy as np

    count, unbounded, total = 0, 0, 0.0
    longest: tuple[Any, int, int] | None = None
    for source, row in enumerate(paths.dist):  # row by row: the matrix may be all that memory holds
        finite, endless = _finite(row)
        unbounded += int(np.count_nonzero(endless)) - int(endless[source])
        finite[source] = False
        reached = np.flatnonzero(finite)
        if len(reached):
            dist = row[reached]
            count += len(reached)
            total += float(dist.sum(dtype=np.float64))
            farthest = int(dist.argmax())
            if longest is None or dist[farthest] > longest[0]:
                longest = dist[farthest], source, int(reached[farthest])
    return {
        "reachable_pairs": count,
        "unbounded_pairs": unbounded,
        "mean_distance": total / count if count else None,
        "diameter": None if longest is None else _number(graph, longest[0]),
        "farthest_pair": None if longest is None else [graph.label(vertex) for vertex in longest[1:]],
    }


def _finite(dist: Any) -> tuple[Any, Any]:
    """Return which distances are finite, and which ones are those of paths that can pass a negative cycle."""
    import numpy as np

    if dist.dtype.kind == "f":
        return np.isfinite(dist), dist == -np.inf
    limits = np.iinfo(dist.dtype)
    return (dist != limits.max) & (dist != limits.min), dist == limits.min


def _route_between(graph: Graph, paths: AllPairs, source: int, target: int) -> tuple[dict[str, Any], str | None]:
    """Return the distance and the route, and why there is none."""
    names = [graph.label(vertex) for vertex in (source, target)]
    answer: dict[str, Any] = {"source": names[0], "target": names[1], "distance": None, "path": None}
    [finite], [endless] = _finite(paths.dist[source, target : target + 1])
    if endless:
        return answer, f"routes from {names[0]} to {names[1]} can pass a negative cycle, so that none is shortest"
    if not finite:
        return answer, f"there is no route from {names[0]} to {names[1]}"
    answer["distance"] = _number(graph, paths.dist[source, target])
    answer["path"] = [graph.label(vertex) for vertex in paths.path(source, target)]
    return answer, None


def _farthest(graph: Graph, paths: ShortestPaths) -> dict[str, Any]:
    import numpy as np

    reached = np.flatnonzero(np.isfinite(paths.dist))
    farthest = int(reached[np.argmax(paths.dist[reached])])
    return {
        "reached": len(reached),
        "max_distance": _number(graph, paths.dist[farthest]),
        "farthest": graph.label(farthest),
    }


def _route(graph: Graph, paths: ShortestPaths, target: int) -> dict[str, Any]:
    distance = _number(graph, paths.dist[target])
    path = None if distance is None else [graph.label(vertex) for vertex in paths.path(target)]
    return {"target": graph.label(target), "distance": distance, "path": path}


def _print_answer(summary: dict[str, Any], answer: dict[str, Any], output: Path | None) -> None:
    _print_graph(summary)
    if "path" in answer:
        _print_route(summary["source"], answer)
    else:
        print(f"reached   {answer['reached']:,} of {summary['vertices']:,} vertices from {summary['source']}")
        print(f"farthest  {answer['farthest']}, at distance {answer['max_distance']}")
    solved = f"{summary['method']}, {summary['rounds']:,} rounds, {summary['seconds']:.3f} s"
    print(f"solved    {solved} on {summary['device']}")
    if summary["verified"]:
        print("verified  distances and predecessors are right for every edge")
    if output is not None:
        print(f"written   {output}")


def _print_all_pairs(summary: dict[str, Any], answer: dict[str, Any], output: Path | None) -> None:
    _print_graph(summary)
    if "path" in answer:
        _print_route(answer["source"], answer)
    else:
        pairs = summary["vertices"] * (summary["vertices"] - 1)
        print(f"reached   {answer['reachable_pairs']:,} of {pairs:,} pairs of vertices")
        if answer["unbounded_pairs"]:
            print(f"endless   {answer['unbounded_pairs']:,} pairs, whose paths can pass a negative cycle")
        if answer["farthest_pair"] is not None:
            first, last = answer["farthest_pair"]
            print(f"mean      {answer['mean_distance']:.6g}")
            print(f"diameter  {answer['diameter']}, from {first} to {last}")
    print(f"solved    {summary['method']}, {summary['seconds']:.3f} s on {summary['device']}")
    if output is not None:
        print(f"written   {output}")


def _print_graph(summary: dict[str, Any]) -> None:
    size = f"{summary['vertices']:,} vertices, {summary['edges']:,} edges"
    print(f"graph     {summary['file']}: {size}, read in {summary['read_seconds']:.3f} s")


def _print_route(source: Any, answer: dict[str, Any]) -> None:
    print(f"distance  {answer['distance']} from {source} to {answer['target']}")
    print(f"route     {_elided(answer['path'])} ({len(answer['path']):,} vertices)")


def _elided(route: Sequence[Any]) -> str:
    names = [str(name) for name in route]
    left_out = len(names) - _ROUTE_HEAD - _ROUTE_TAIL
    if left_out > 1:
        names[_ROUTE_HEAD:-_ROUTE_TAIL] = [f"({left_out:,} more)"]
    return " -> ".join(names)


# ---- files ------------------------------------------------------------------------------------------


def _check_output(path: Path, force: bool, suffixes: tuple[str, ...]) -> None:
    """Refuse, before any work is done, what could not be written after it."""
    if path.suffix not in suffixes:
        raise typer.BadParameter(f"{path} does not end in {' or '.join(suffixes)}", param_hint="--output")
    if path.is_dir():
        raise _Failure(f"{path} is a directory")
    if not path.parent.is_dir():
        raise _Failure(f"{path.parent} is not a directory")
    if not force and os.path.lexists(path):
        raise _Failure(f"{path} exists; --force replaces it")


def _write_atomically(path: Path, write: Callable[[IO[bytes]], object], force: bool) -> None:
    """Write a file that appears whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "xb") as file:
            write(file)
        if not force and os.path.lexists(path):  # it has appeared meanwhile
            raise _Failure(f"{path} exists; --force replaces it")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _write_csv(stream: IO[bytes], graph: Graph, paths: ShortestPaths, target: int | None) -> None:
    vertices = range(graph.n) if target is None else paths.path(target)
    dist, pred = paths.dist.tolist(), paths.pred.tolist()
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("vertex", "distance", "predecessor"))
    for vertex in vertices:
        distance = _number(graph, dist[vertex])
        before = graph.label(pred[vertex]) if pred[vertex] >= 0 else ""
        writer.writerow((graph.label(vertex), "inf" if distance is None else distance, before))
    text.detach()  # flushes, and leaves the stream open


def _save_tree(stream: IO[bytes], graph: Graph, paths: ShortestPaths, target: int | None) -> None:
    import numpy as np

    arrays = {"dist": paths.dist, "pred": paths.pred, "source": paths.source, **_numbering(graph)}
    if target is not None:
        arrays |= {"target": target, "path": np.array(paths.path(target), dtype=np.int32)}
    np.savez_compressed(stream, **arrays)


def _save_matrices(stream: IO[bytes], graph: Graph, paths: AllPairs) -> None:
    import numpy as np

    arrays = {"dist": paths.dist, **_numbering(graph)}
    if paths.pred is not None:
        arrays["pred"] = paths.pred
    np.savez(stream, **arrays)  # compression would take longer than the solution


def _numbering(graph: Graph) -> dict[str, Any]:
    """Return what the vertices are called in the file that the graph comes from."""
    import numpy as np

    return {"offset": graph.offset} | ({} if graph.labels is None else {"labels": np.array(graph.labels)})


if __name__ == "__main__":
    main()
