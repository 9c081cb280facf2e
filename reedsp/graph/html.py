"""How results look in a notebook: a small table in the notebook's own colours."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

SHOWN = 8
"""Vertices, or sources, that a table shows."""

DASH = "\N{EN DASH}"
"""What a table shows for "none"."""

_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,.35);padding:.25em .8em;text-align:{};background:none"


def card(title: str, facts: Iterable[tuple[str, Any]], columns: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a title, facts and a table as HTML that needs no file and takes its colours from the page around it.

    Parameters
    ----------
    title : str
    facts : iterable of (str, object)
        What is said about the result, in one line.
    columns : list of str
    rows : iterable of iterables of objects
        The first is the heading of its row.
    """
    said = " &middot; ".join(f"{_text(name)} <b>{_text(value)}</b>" for name, value in facts)
    head = "".join(f'<th style="{_LINE.format("right")}">{_text(column)}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    table = f'<table style="border-collapse:collapse;margin:.5em 0"><tr>{head}</tr>{body}</table>' if body else ""
    return f'<div style="color:inherit"><b>{_text(title)}</b><br><span>{said}</span>{table}</div>'


def _cells(row: Iterable[Any]) -> Iterable[str]:
    for index, value in enumerate(row):
        weight = ";opacity:.75" if index == 0 else ""
        yield f'<td style="{_LINE.format("right")}{weight}">{_text(value)}</td>'


def _text(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else repr(value))


def distance_text(value: Any) -> str:
    """Return a numpy number as a table shows a distance: what stands for "no path" as a dash."""
    number = value.item()
    limits = np.iinfo(value.dtype) if value.dtype.kind == "i" else None
    if number in (np.inf, None if limits is None else limits.max):
        return DASH
    if number in (-np.inf, None if limits is None else limits.min):
        return "-inf"
    return str(number) if isinstance(number, int) else f"{number:.10g}"


def and_more(total: int, columns: int) -> list[list[str]]:
    """Return a row that says that a table goes on, if it does."""
    return [["\N{VERTICAL ELLIPSIS}"] * columns] if total > SHOWN else []


def name_or_dash(names: Sequence[Any], vertex: int) -> str:
    """Return the name of a vertex as a table shows it: a negative index, which is that of none, as a dash."""
    return str(names[vertex]) if vertex >= 0 else DASH


def path_text(path: list[Any]) -> str:
    """Return the names on a path as a table shows them: of a long one its ends."""
    shown = path if len(path) <= 2 * SHOWN else [*path[:SHOWN], "\N{HORIZONTAL ELLIPSIS}", *path[-SHOWN:]]
    return " \N{RIGHTWARDS ARROW} ".join(map(str, shown))


def run_facts(stats: Mapping[str, Any], device: str) -> list[tuple[str, str]]:
    """Return what is said about every run: how long it took, and where."""
    return [("time", f"{stats['milliseconds']:.1f} ms"), ("device", device)] if device else []
