"""One HTML file that plays traces, without a network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reedsp.system.files.atomic_file import write_whole
from reedsp.system.files.path_argument import path_argument
from reedsp.system.public import public
from reedsp.viewer.trace import FORMAT, VERSION, Trace

FOLDER = Path(__file__).with_name("page")
"""Where the files are that a page is made of."""

SCRIPTS = (
    "library",
    "values",
    "trace",
    "layout",
    "graph",
    "tree",
    "bars",
    "matrix",
    "panel",
    "look",
    "text",
    "export",
    "editing",
)
"""Scripts of the page, in an order in which none needs a later one while it is loaded."""

LAST_SCRIPTS = ("controls", "main")

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


@public
class Page:
    """A page that plays traces of one problem or several; in a notebook it shows itself.

    Parameters
    ----------
    traces : sequence of Trace or mapping
        Traces, or what :meth:`Trace.to_json` returns of them.
    run : str, optional
        Address, relative to the page's own, to which the page may send an input to be run. A page without it
        reaches nothing but itself.
    choices : mapping, optional
        What can be chosen there: "algorithms" and "generators", by the kind of input.

    Raises
    ------
    TypeError, ValueError
        One is no trace, or of another version; the message names its position.

    Attributes
    ----------
    html : str
        The page: one file, without any reference to another.

    Examples
    --------
    >>> import reedsp
    >>> page = reedsp.watch([3, 1, 2], "merge-sort")
    >>> page.html[:15]
    '<!doctype html>'
    """

    def __init__(
        self,
        traces: Sequence[Trace | Mapping[str, Any]],
        *,
        run: str | None = None,
        choices: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(traces, (str, bytes, Mapping)) or not isinstance(traces, Iterable):
            raise TypeError(f"traces: expected a sequence of traces, got {type(traces).__name__}")
        self.traces = [_in_json(trace, f"traces[{index}]") for index, trace in enumerate(traces)]
        data = {"traces": self.traces, "run": run, **(choices or {})}
        titles = [trace.get("title") for trace in self.traces]
        names = " and ".join(dict.fromkeys(str(title) for title in titles if title))
        self.html = _assembled(f"{names or 'Algorithms'}, step by step", data, run is not None)

    def save(self, path: str | Path, *, overwrite: bool = True) -> None:
        """Write the page to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or Path
        overwrite : bool
            Whether it may replace a file: unlike a result or a trace, which cost a search, a page does if nothing is
            said.

        Raises
        ------
        OSError
            The file cannot be written.
        TypeError
            `path` is no path.
        """
        content = self.html.encode()
        write_whole(Path(path_argument(path, "path")), lambda file: file.write(content), overwrite=overwrite)

    def _repr_html_(self) -> str:
        """Return the page in a frame that may run its scripts and save files, and do nothing else."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            'style="width:100%;height:640px;border:1px solid rgba(128,128,128,.35)" '
            'title="An algorithm, step by step"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {len(self.traces)} traces, {len(self.html):,} characters>"


def _in_json(trace: Trace | Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a trace as the page has it, which says more about what is wrong inside of it."""
    if isinstance(trace, Trace):
        return trace.to_json()
    if not isinstance(trace, Mapping):
        raise TypeError(f"{name}: expected a Trace, or what its to_json returns, got {type(trace).__name__}")
    for key, expected in (("format", FORMAT), ("version", VERSION)):
        if trace.get(key) != expected:
            raise ValueError(f"{name}: its {key} is {trace.get(key)!r}, and not {expected!r}")
    return trace


def _assembled(title: str, data: Mapping[str, Any], may_run: bool) -> str:
    """Return the page, whose policy admits its own scripts and style by their hashes, and no address but for `may_run`.

    Marks of the frame are replaced one after the other from its text alone, so that no content can hold another mark.
    """
    library = _text("d3.min.js")
    scripts = [_text(f"{name}.js") for name in (*SCRIPTS, *LAST_SCRIPTS)]
    style = _text("style.css")
    policy = [
        "default-src 'none'",
        f"script-src {' '.join(map(_hash, [library, *scripts]))}",
        f"style-src {_hash(style)}",
        "img-src data:",
        *(["connect-src 'self'"] if may_run else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    contents = {
        "policy": "; ".join(policy),
        "title": html.escape(title).encode("ascii", "xmlcharrefreplace").decode(),
        "style": f"<style>{style}</style>",
        "data": embedded(data),
        "licence": _text("d3.LICENSE"),
        "library": base64.b64encode(gzip.compress(library.encode(), 9, mtime=0)).decode(),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: contents[mark[1]], _text("page.html"))


def embedded(data: Any) -> str:
    """Return JSON that ends no script element and no line of a script, whatever its texts are.

    Raises
    ------
    ValueError
        A number is not finite, which JSON has no word for.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda found: _ESCAPED[found[0]], text)


def _text(name: str) -> str:
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return file.read()


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
