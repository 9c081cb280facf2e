"""The files that experiments leave: a CSV file for each device and experiment, and the plot that is drawn from it."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

import reedsp

RESULTS = Path(__file__).resolve().parents[1] / "results"
Row = dict[str, str]


def folder_name(device: reedsp.Device) -> str:
    """Return a short name for a device, such as ``nvidia-h200`` or ``pocl-intel-xeon``."""
    short = re.sub(r"^(pthread|cpu)-[a-z0-9-]*-(?=[A-Z])|\(\w+\)| (Processor|CPU)\b|@.*", "", device.name)
    platform = {"Portable Computing Language": "pocl"}.get(device.platform, device.platform.split("(")[0].split()[0])
    words = f"{platform} {short}".lower().split()
    return "-".join(dict.fromkeys(re.sub(r"[^a-z0-9.]+", "", word) for word in words))


def conditions(device: reedsp.Device) -> dict[str, str]:
    """Return what a figure depends on besides its input: device, driver and commit."""
    return {
        "device": device.name,
        "platform": device.platform,
        "driver": device.driver_version,
        "commit": os.environ.get("REEDSP_COMMIT") or _commit(),
    }


def changes() -> str:
    """Return a digest of what differs from the commit, but for results; nothing if all is committed, or without git."""
    changed = _git("diff", "HEAD", "--", ":(top)", ":(top,exclude)experiments/results")
    return hashlib.sha256(changed.encode()).hexdigest() if changed else ""


def _commit() -> str:
    commit = _git("rev-parse", "--short=12", "HEAD").strip()
    return f"{commit}{'-dirty' * bool(changes())}" if commit else "unknown"


def ancestors() -> list[str]:
    """Return the checked-out commit and all before it; none where git does not know them all."""
    complete = _git("rev-parse", "--is-shallow-repository").strip() == "false"
    return _git("rev-list", "HEAD").split() if complete else []


def _git(*arguments: str) -> str:
    """Return what git prints of this repository; nothing where there is no git, or no repository."""
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
    except FileNotFoundError:
        return ""


def write(file: Path, rows: Sequence[Mapping[str, Any]], measured: Mapping[str, str]) -> None:
    """Write the rows of one experiment, each with the conditions under which it was measured."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, fieldnames=[*rows[0], *measured], lineterminator="\n")
        table.writeheader()
        table.writerows({**row, **measured} for row in rows)


def read(file: Path) -> list[Row]:
    """Return the rows of one file."""
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def by_device(name: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield the folder and the rows of one experiment for each device that it was run on.

    Raises
    ------
    ValueError
        If a file has rows of two devices, which no table may mix.
    """
    for file in sorted(RESULTS.glob(f"*/{name}.csv")):
        rows = read(file)
        if len(devices := {row["device"] for row in rows}) != 1:
            raise ValueError(f"{file} has rows of several devices: {', '.join(sorted(devices))}")
        yield file.parent.name, rows


def digest(file: Path) -> str:
    """Return what a plot says about the file that it is drawn from."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def save(figure: Figure, file: Path) -> None:
    """Save the plot of a CSV file beside it, as PNG and SVG that name its digest."""
    source = digest(file)
    with matplotlib.rc_context({"svg.hashsalt": "reedsp", "svg.fonttype": "none"}):
        figure.savefig(file.with_suffix(".svg"), bbox_inches="tight", metadata={"Date": None, "Source": source})
    figure.savefig(file.with_suffix(".png"), bbox_inches="tight", dpi=144, metadata={"Source": source})
