"""``reedsp devices``, ``doctor``, ``calibrate``, ``tune`` and ``demo``: what this machine can do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reedsp.cli.options import DeviceName, Force, Json, JsonList
from reedsp.cli.output import (
    Failure,
    check_output,
    new_table,
    print_json,
    print_table,
    refuse,
    size_text,
    stated_failures,
)
from reedsp.system.files.atomic_file import write_whole
from reedsp.system.progress_bar import LATE, parts_bar, search_bar

if TYPE_CHECKING:
    from reedsp import Device
    from reedsp.cli.demo import Outcome as DemoOutcome
    from reedsp.cli.demo import RoadNetwork
    from reedsp.minplus.tune import Outcome

_PREFIXES = {-4: "p", -3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T"}
_TILING_CAPTION = (
    "A tiling is rows x vectors x their length, and rows x depth of a block;\n"
    "in work-groups rows x columns x depth, and rows x columns of a work-item."
)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, for a bug report.")] = False,
) -> None:
    """Find out why reedsp does not work here, and which command cures it.

    Looks at packages, drivers and devices, and runs a small kernel on every device. Needs nothing but Python
    itself, so it also runs where an installation is broken. The exit status is 0 if at least one device works.
    """
    from reedsp.cli import doctor as examination

    raise typer.Exit(examination.main(["--json"] if as_json else []))


def devices(
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add what `reedsp calibrate` has measured on each device.")
    ] = False,
    as_json: JsonList = False,
) -> None:
    """List the OpenCL devices, and whether a kernel with a known answer passes on each.

    The device marked with a star is the one used by default. The order changes with the drivers installed:
    choose a device by part of its name rather than by its index.
    """
    with stated_failures():
        from reedsp import DeviceError
        from reedsp import devices as all_devices
        from reedsp.device.discovery import get_device

        found = all_devices()
        rows = [_describe(device) for device in found]
        if verbose:
            for row, device in zip(rows, found, strict=True):
                row["machine"] = _stored_parameters(device)
        try:
            default: int | None = get_device().index
            failure = None
        except DeviceError as error:
            default, failure = None, error
        for row in rows:
            row["default"] = row["index"] == default
        if as_json:
            print_json(rows)
        elif rows:
            _print_devices(rows)
            for device in found if verbose else ():
                print()
                _print_parameters(device, _stored_parameters(device))
        if failure is not None:
            raise failure


def calibrate(
    device: DeviceName = None,
    show: Annotated[bool, typer.Option("--list", help="Only list what was measured before.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Only delete what was measured before.")] = False,
    as_json: Json = False,
) -> None:
    """Measure what a device can do: accesses to memory, copies, barriers, launches and arithmetic.

    Takes some seconds. What is found is kept for this user, device, number of compute units and driver. Let the
    machine do nothing else meanwhile.
    """
    with stated_failures():
        if show and forget:
            refuse("choose one of them", "--list and --forget")
        from reedsp.cost_model import machine
        from reedsp.cost_model.calibrate import calibrate as measure
        from reedsp.device.discovery import get_device

        chosen = get_device(device)
        identity = machine.identity_of(chosen)
        file = machine.FILES.path(identity)
        if forget:
            deleted = machine.FILES.forget(identity)
            if as_json:
                print_json({"device": str(chosen), "deleted": str(file) if deleted else None})
            else:
                print(f"deleted   {file}" if deleted else f"nothing is stored for {chosen}")
            return
        if not show:
            with parts_bar("calibrating", LATE) as progress:
                measure(chosen, progress)
        parameters = _stored_parameters(chosen)
        stored = None if parameters is None else str(file)
        if as_json:
            print_json({"device": str(chosen), "file": stored, "machine": parameters})
        else:
            _print_parameters(chosen, parameters)
            if stored is not None:
                print(f"stored    {stored}")


def tune(
    device: DeviceName = None,
    quick: Annotated[bool, typer.Option("--quick", help="Look at fewer tilings: a minute instead of a few.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Only list what is in use, and where it comes from.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Only delete what was found before.")] = False,
    as_json: Json = False,
) -> None:
    """Find the tilings that a device multiplies matrices fastest with, and use them from now on.

    They decide how fast `reedsp apsp` and min-plus products are, never what comes out.
    What gives a wrong product here is passed over. What is found is kept for this user, device and driver.
    Let the machine do nothing else meanwhile.
    """
    with stated_failures():
        if show + forget + quick > 1:
            refuse("choose one of them", "--quick, --list and --forget")
        from reedsp.device.discovery import get_device
        from reedsp.minplus import tilings
        from reedsp.minplus import tune as minplus_tune

        chosen = get_device(device)
        file = tilings.tuning_file(chosen)
        if show:
            rows = _tilings(chosen)
            stored = any(row["from"] != "table" for row in rows)
            if as_json:
                print_json({"device": str(chosen), "file": str(file) if stored else None, "tilings": rows})
            else:
                _print_tilings(chosen, rows, file if stored else None)
        elif forget:
            deleted = minplus_tune.forget(chosen)
            if as_json:
                print_json({"device": str(chosen), "deleted": str(file) if deleted else None})
            else:
                print(f"deleted   {file}" if deleted else f"nothing is stored for {chosen}")
        else:
            if not as_json:
                print(f"device    {chosen}", flush=True)
            with parts_bar("tuning", LATE) as progress:
                outcomes = minplus_tune.tune(chosen, quick, progress)
            stored = file.exists()
            if as_json:
                listed = [_outcome(outcome) for outcome in outcomes]
                print_json({"device": str(chosen), "file": str(file) if stored else None, "outcomes": listed})
            else:
                _print_outcomes(outcomes)
                print(f"stored    {file}" if stored else "stored    nothing: the tables are as good")


def demo(
    vertices: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, max=20_000_000, help="Number of crossings.")
    ] = 250_000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Another seed gives another network.")] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the picture, a .png.")
    ] = Path("reedsp-demo.png"),
    device: DeviceName = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Solve a generated road network, check it against SciPy, and draw the routes.

    Prints how long reedsp and SciPy's Dijkstra took for the same task, whether all distances are equal, and writes
    a picture of the tree of shortest paths with one route on top.
    """
    with stated_failures():
        check_output(output, force, (".png",))
        from reedsp.cli import demo as demonstration

        network = demonstration.road_network(vertices, seed)
        with search_bar(1, "rounds", after=LATE) as progress:
            outcome = demonstration.solve(network, device, progress)
        if not as_json:
            print("\n".join(demonstration.report(network, outcome)), flush=True)
        if not outcome.different:
            _draw(network, outcome, output, force)
        if as_json:
            print_json(_demonstrated(network, outcome, output))
        elif not outcome.different:
            print(f"picture  {output}")
        if outcome.different:
            raise Failure("the answers of reedsp and SciPy differ: this is a fault in reedsp, please report it")


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
            size_text(row["global_memory"]),
            size_text(row["local_memory"]),
            *("yes" if row[key] else "no" for key in ("fp64", "int64_atomics")),
            "passes" if row["self_test"] == "passes" else "FAILS",
        )
    print_table(table)
    for row in rows:
        if row["self_test"] != "passes":
            print(f"self test of device {row['index']} fails: {row['self_test']}")


# ---- parameters -------------------------------------------------------------------------------------


def _stored_parameters(device: Device) -> dict[str, Any] | None:
    from reedsp.cost_model import machine

    found = machine.stored(device)
    return None if found is None else found.content()


def _is_stored(device: Device) -> bool:
    from reedsp.cost_model import machine

    try:
        return machine.FILES.path(machine.identity_of(device)).exists()
    except OSError:
        return False


def _print_parameters(device: Device, parameters: dict[str, Any] | None) -> None:
    from reedsp.cost_model.machine import UNITS

    print(f"device    {device}")
    if parameters is None:
        found = "nothing of use is stored" if _is_stored(device) else "nothing is stored"
        print(f"{found}: `reedsp calibrate` measures what it can do")
        return
    table = new_table("parameter", "")
    for size, seconds in parameters["latencies"]:
        table.add_row(f"latency in {size_text(size)}", _with_prefix(seconds, "s"))
    for name, unit in UNITS.items():
        table.add_row(name.replace("_", " "), _with_prefix(parameters[name], unit))
    for name, rate in parameters["pairs"].items():
        table.add_row(f"sums and minima of {name}", _with_prefix(rate, "/s"))
    print_table(table)


def _with_prefix(value: float, unit: str) -> str:
    """Return a number with its unit, of which a thousandth, a million and so on have names."""
    if unit not in ("s", "B/s", "/s"):
        return f"{value:g} {unit}"
    thousands = min(4, max(-4, math.floor(math.log10(value) / 3)))
    return f"{value / 1000.0**thousands:.3g} {_PREFIXES[thousands]}{unit}"


# ---- tilings ----------------------------------------------------------------------------------------


def _outcome(outcome: Outcome) -> dict[str, Any]:
    from reedsp.minplus.tilings import describe

    return {
        "arithmetic": outcome.arithmetic,
        "small_products": outcome.small,
        "before": describe(outcome.before),
        "before_gpairs_per_second": outcome.rate_before,
        "after": describe(outcome.after),
        "after_gpairs_per_second": outcome.rate_after,
    }


def _print_outcomes(outcomes: Iterable[Outcome]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), caption=_TILING_CAPTION, caption_justify="left")
    table.add_column("arithmetic")
    for title in ("before", "after"):
        table.add_column(title, no_wrap=True)
        table.add_column("G pairs/s", justify="right", no_wrap=True)
    table.add_column("gain", justify="right", no_wrap=True)
    for outcome in outcomes:
        shown, worked = _outcome(outcome), outcome.rate_before > 0
        table.add_row(
            f"{outcome.arithmetic}{', small products' if outcome.small else ''}",
            shown["before"],
            f"{outcome.rate_before:,.1f}" if worked else "FAILS",
            "the same" if outcome.after == outcome.before else shown["after"],
            f"{outcome.rate_after:,.1f}",
            f"{outcome.rate_after / outcome.rate_before:.2f} x" if worked else "",
        )
    print_table(table)


def _tilings(device: Device) -> list[dict[str, str]]:
    from reedsp.minplus import tilings

    in_groups, stored = tilings.works_in_groups(device), tilings.tuned(device)
    return [
        {
            "arithmetic": name,
            "tiling": tilings.describe(tiling),
            "from": "reedsp tune" if name in stored else "table",
        }
        for name, weights in tilings.ARITHMETICS.items()
        for tiling in tilings.tilings_for(device, weights, in_groups)
    ]


def _print_tilings(device: Device, rows: list[dict[str, str]], stored: Path | None) -> None:
    table = new_table("arithmetic", "tiling", "from", caption=_TILING_CAPTION)
    for row in rows:
        table.add_row(*row.values())
    print(f"device    {device}")
    print_table(table)
    if stored is not None:
        print(f"stored    {stored}")


# ---- demonstration ----------------------------------------------------------------------------------


def _draw(network: RoadNetwork, outcome: DemoOutcome, output: Path, force: bool) -> None:
    from reedsp.cli import demo as demonstration

    try:
        picture = demonstration.draw(network, outcome.paths)
    except ImportError as error:
        raise Failure(f'no picture was drawn: {error}; run: pip install "reedsp[plot]"') from None
    write_whole(output, lambda stream: stream.write(picture), overwrite=force)


def _demonstrated(network: RoadNetwork, outcome: DemoOutcome, output: Path) -> dict[str, Any]:
    paths = outcome.paths
    return {
        "vertices": network.graph.n,
        "edges": network.graph.m,
        "source": network.source,
        "target": network.target,
        "distance": int(paths.dist[network.target]),
        "route_vertices": len(paths.path(network.target)),
        "method": paths.method,
        "device": paths.device,
        "first_seconds": outcome.first_seconds,
        "seconds": outcome.seconds,
        "scipy_seconds": outcome.scipy_seconds,
        "different": outcome.different,
        "picture": None if outcome.different else str(output),
    }
