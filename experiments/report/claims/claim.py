"""A statement of a paper that can be checked, and what the committed results say to it.

A claim's evidence is computed from the CSV files: the figures to show, and whether they bear out the verdict that is
written beside the claim. If they no longer do, the report cannot be made until the claim, and its reason, is judged
anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from experiments.lib.results import RESULTS, Row, read

GPU, CPU = "nvidia-h200", "pocl-amd-epyc"
SHOWN = {GPU: "H200", CPU: "two CPU cores"}
HOLDS, LIMITED, FAILS = "holds", "holds with limits", "does not hold"
NOT_MEASURED = "not measured"
NOT_JUDGED = "not judged"
"""Of a device of which a claim says nothing, or whose figures must not be compared."""

Evidence = tuple[str, bool]
Judged = tuple[str, str]  # figures of one device, and the verdict that they bear out


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, in our words.

    Attributes
    ----------
    section : str
    statement : str
    experiment : str
        Its figures are in ``results/<device>/<experiment>.csv``.
    evidence : callable() -> (text, bool)
    verdict : str
    why : str
        The reason, without figures.
    """

    section: str
    statement: str
    experiment: str
    evidence: Callable[[], Evidence]
    verdict: str
    why: str


def processors(device: str, experiments: tuple[str, ...]) -> set[str]:
    """Return the names of what these experiments were measured on: one folder can hold several processors."""
    return {row["device"] for experiment in experiments for row in read(RESULTS / device / f"{experiment}.csv")}


def judged_on(device: str, experiments: tuple[str, ...], judge: Callable[[str], Judged]) -> Judged:
    """Ask one device, unless its figures are missing, or of several processors and so not to be combined."""
    if not all((RESULTS / device / f"{experiment}.csv").exists() for experiment in experiments):
        return "", NOT_MEASURED
    count = len(processors(device, experiments))
    return (f"measured on {count} processors", NOT_JUDGED) if count > 1 else judge(device)


def of_all(verdicts: tuple[str, ...]) -> str:
    """Return the verdict of all devices: what holds on some of them, or with limits on one, holds with limits."""
    given = set(verdicts) - {NOT_MEASURED, NOT_JUDGED}
    return NOT_MEASURED if not given else given.pop() if len(given) == 1 else LIMITED


def by_devices(
    section: str,
    statement: str,
    experiments: tuple[str, ...],
    judge: Callable[[str], Judged],
    verdicts: tuple[str, str],
    why: str = "",
) -> Claim:
    """Return a claim that each device is asked about that has all these experiments.

    The verdicts are those expected of the devices, in the order of `SHOWN`: other ones are not borne out.
    """

    def evidence() -> Evidence:
        found = {name: judged_on(device, experiments, judge) for device, name in SHOWN.items()}
        shown = [
            f"{name}: {text} ({verdict})" if text else f"{name}: {verdict}" for name, (text, verdict) in found.items()
        ]
        return "; ".join(shown), tuple(verdict for _, verdict in found.values()) == verdicts

    return Claim(section, statement, "`, `".join(experiments), evidence, of_all(verdicts), why)


def verdict_of(holds: bool, partly: bool = False) -> str:
    return HOLDS if holds else LIMITED if partly else FAILS


def rows(device: str, experiment: str, **values: object) -> list[Row]:
    """Return the rows of one file in which these columns have these values."""
    chosen = read(RESULTS / device / f"{experiment}.csv")
    return [row for row in chosen if all(row[column] == str(value) for column, value in values.items())]


def measured(experiment: str, **values: object) -> list[str]:
    """Return the devices that have such rows: figures of a new experiment may be there of one device only."""
    found = [device for device in SHOWN if (RESULTS / device / f"{experiment}.csv").exists()]
    return [device for device in found if rows(device, experiment, **values)]


def number(device: str, experiment: str, column: str, **values: object) -> float:
    """Return the one figure that these values choose."""
    [row] = rows(device, experiment, **values)
    return float(row[column])


def ms(device: str, experiment: str, **values: object) -> float:
    """Return the least time that these values choose."""
    return number(device, experiment, "min_ms", **values)


def times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def time_of(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:.3g} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"


def slope(points: list[tuple[float, float]]) -> float:
    """Return the exponent at which y grows with x between the last two points."""
    (x0, y0), (x1, y1) = sorted(points)[-2:]
    return math.log(y1 / y0) / math.log(x1 / x0)


def heads_and_lines(claims: list[Claim]) -> tuple[list[str], list[list[str]]]:
    """Return heads and lines of a table of claims.

    Raises
    ------
    ValueError
        The figures no longer bear out a verdict.
    """
    lines = []
    for place, claim in enumerate(claims, start=1):
        figures, borne_out = claim.evidence()
        if not borne_out:
            raise ValueError(f"section {claim.section}: {claim.statement!r}, {claim.verdict!r} is not right: {figures}")
        verdict = f"**{claim.verdict}**" + (f". {claim.why}" if claim.why else "")
        lines.append([str(place), claim.section, claim.statement, f"{figures} (`{claim.experiment}`)", verdict])
    return ["", "section", "claim", "here", "verdict"], lines
