"""Make the page about the command line from the commands themselves.

    python -m docs.tools.command_line

writes ``docs/reference/command-line.md``; the tests compare it.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

from reedsp.cli.commands import COMMANDS, name_of
from reedsp.cli.keys import KEYS
from reedsp.cli.status import STATUSES
from reedsp.io.writers import FORMATS

PAGE = Path(__file__).resolve().parents[1] / "reference" / "command-line.md"

_INTRODUCTION = """\
# Command line

<!-- made by: python -m docs.tools.command_line -->

`reedsp COMMAND --help` says the same in a terminal. `reedsp --install-completion` makes the shell complete commands,
options, methods, devices and data sets; `reedsp --show-completion` prints what it would install.

Vertices are called by the numbers, or labels, of the file. A file's format follows from its name:
{formats}, each also with `.gz` or `.xz` behind it. `-` is standard input, whose format follows
from its content, and as `--output`, where it is text, standard output. Work of more than two seconds
shows on a terminal how far it is, and where that can be known the time left.

A file that is read is a regular one, or what the shell has opened: `-`, `/dev/stdin` or `<(...)`, which may be pipes.
Others are refused, since to open one may be to wait for ever. Whether an output can be written is looked at before the
work, by a file that is made beside it for a moment.

## A first look

```console
{examples}
```
"""

# Typed from the beginning to the end in an empty folder; "..." stands for what differs from run to run.
_EXAMPLES = r"""
$ printf 'p sp 6 7\na 1 2 7\na 1 3 2\na 3 2 3\na 2 4 1\na 3 4 8\na 4 5 1\na 6 1 1\n' > small.gr
$ reedsp info small.gr
graph     small.gr: directed, read in ... s
vertices  6, the first is 1
edges     7; 0 self loops; 0 parallel ones left out
out deg.  0 .. 2, mean 1.167; 1 at 50%, 2 at 90%, 2 at 99%; 1 are 0
in deg.   0 .. 2, mean 1.167; 1 at 50%, 2 at 90%, 2 at 99%; 1 are 0
weights   int64, 1 .. 8; 0 zero, 0 negative
weak      1 component, the largest of 6 vertices
strong    6 components, the largest of 1 vertices
device    ...
sssp      would take dijkstra, about ...
apsp      would take ...: 36 pairs, about ...
          because ... are expected, and ... of ..., by ...
memory    288 B for the distances as float64, 144 B more for predecessors...
$ reedsp sssp small.gr --source 1 --target 5
graph     small.gr: 6 vertices, 7 edges, read in ... s
distance  7 from 1 to 5
route     1 -> 3 -> 2 -> 4 -> 5 (5 vertices)
solved    dijkstra, ... s on ...
$ reedsp sssp small.gr --source 1 --output tree.csv
graph     small.gr: 6 vertices, 7 edges, read in ... s
reached   5 of 6 vertices from 1
farthest  5, at distance 7
solved    dijkstra, ... s on ...
written   tree.csv
$ cat tree.csv
vertex,distance,predecessor
1,0,
2,5,3
3,2,1
4,6,2
5,7,4
6,inf,
$ reedsp verify small.gr tree.csv
graph     small.gr: 6 vertices, 7 edges
verified  tree.csv: distances and predecessors are right for every edge, in ... s
$ sed -i s/4,6,2/4,5,2/ tree.csv
$ reedsp verify small.gr tree.csv; echo "exit status $?"
reedsp: tree.csv: vertex 4: its distance is 5, but the edge from 2 of weight 1 gives 6
exit status 1
$ reedsp sssp small.gr --source 1 --source 6
graph     small.gr: 6 vertices, 7 edges, read in ... s
source  reached  farthest  distance
1             5  5                7
6             6  5                8
solved    dijkstra, ... s on ...
$ reedsp sssp small.gr --source 3 --source 6 --nearest
graph     small.gr: 6 vertices, 7 edges, read in ... s
reached   6 of 6 vertices from 3, 6
farthest  5, at distance 5
nearest   3 to 4 vertices
nearest   6 to 2 vertices
solved    dijkstra, ... s on ...
$ reedsp bfs small.gr --source 1 --target 5
graph     small.gr: 6 vertices, 7 edges, read in ... s
level     3 from 1 to 5
route     1 -> 2 -> 4 -> 5 (4 vertices)
solved    ... s on ...
$ reedsp apsp small.gr --dry-run
graph     small.gr: 6 vertices, 7 edges, read in ... s
expected  ... by ...
because   ... are expected, and ... of ..., by ...
memory    ... device, 288 B host
$ reedsp apsp small.gr --output distances.npy
graph     small.gr: 6 vertices, 7 edges, read in ... s
reached   15 of 30 pairs of vertices
mean      4.06667
diameter  8, from 6 to 5
solved    floyd-warshall, ... s on ...
written   distances.npy
$ reedsp flow small.gr --source 1 --target 5
graph     small.gr: 6 vertices, 7 edges, read in ... s
flow      1 from 1 to 5
cut       1 edges: 4 -> 5
solved    dinic, ... s on ...
$ reedsp verify small.gr distances.npy
graph     small.gr: 6 vertices, 7 edges
verified  distances.npy: distances from 6 vertices are right for every edge, in ... s
$ reedsp betweenness small.gr --unnormalized
graph     small.gr: 6 vertices, 7 edges, read in ... s
vertex  betweenness
1                 4
4                 4
2                 2
3                 2
5                 0
6                 0
solved    work-..., 6 sources, ... s on ...
$ reedsp convert small.gr small.wel
read      small.gr: 6 vertices, 7 edges, in ... s
written   small.wel: 42 B, in ... s
changed   vertices are numbered from 0, no longer from 1
$ reedsp sssp small.wel --source 0 --target 4 --json
{"file": "small.wel", ..., "target": 4, "distance": 7, "path": [0, 2, 1, 3, 4], ...}
$ printf '0 1 7\n1 2 5\n' | reedsp sssp - -s 0 -o - --quiet
vertex,distance,predecessor
0,0,
1,7,0
2,12,1
$ reedsp dataset
name                size  what it is
road-ny          3.5 MiB  Roads of New York, lengths; 264,346 vertices, 733,846 arcs (9th DIMACS challenge)
road-ny-places  1.96 MiB  Coordinates of the vertices of road-ny; no graph (9th DIMACS challenge)
email-enron     1.01 MiB  E-mail between addresses at Enron; 36,692 vertices, 367,662 edges (SNAP)
"""

_TEXT = """\
## Results in files

A `.csv` has a header and one line a vertex: `vertex,distance,predecessor`, or `vertex,level,predecessor` of `bfs`, in
the names of the graph's file; `inf` means that there is no path. From several sources `source` comes first; with
`--nearest` the last column is `nearest`. A `.npz` has the arrays `dist` (or `levels`), `pred` and `source`, and
`offset` or `labels` (`label_text` and `label_ends` where they would be larger than 64 MiB), which turn vertices counted
from 0 into the names of the file; `nearest`, `cutoff`, `target` and `path` where they were asked for; and `about`,
which says how the result was found. Several sources give one row each.
In Python `reedsp.load` makes a result of a `.npz` again. A `.npy` of `apsp` is the matrix of distances, and a
`.pred.npy` beside it that of predecessors. A file appears under its name when it is complete, and replaces another only
with `--force`.

## Exit statuses

| status | meaning |
|---|---|
{statuses}

With `--json`, standard output is JSON or empty, and failures are told on standard error all the same. Where the answer
is "no" (no route, a negative cycle, a wrong result) the JSON says so, too.

## Environment

| variable | meaning |
|---|---|
| `REEDSP_DEVICE` | the device, where `--device` does not say it: an index, or part of a name |
| `REEDSP_HOST` | `never`: small searches go to the device, too, and not to SciPy's routines on the host |
| `REEDSP_REMEMBER` | `never`: a matrix that is given again and again, and does not change, is prepared each time |
| `REEDSP_FORCE_DEVICE` | `1`: every search of [networkx](networkx.md) that a device can do goes to it, however small |
| `REEDSP_DATA` | the folder of `reedsp dataset`, where `--folder` does not say it |
| `XDG_CACHE_HOME` | where data sets, compiled kernels and tunings are kept, in the folder `reedsp`; else `~/.cache` |

In Python, `REEDSP_DEVICE` and `REEDSP_FORCE_DEVICE` are looked at in each call, and `REEDSP_HOST` and `REEDSP_REMEMBER`
only at the first use. Other values of the last three have no meaning, which a warning says.
"""


def page() -> str:
    """Return the page as Markdown."""
    formats = ", ".join(f"`{form}`" for form in FORMATS)
    parts = [_INTRODUCTION.format(formats=formats, examples=_EXAMPLES.strip())]
    parts += ["## Commands\n", *map(_command, COMMANDS)]
    parts.append(_TEXT.format(statuses="\n".join(f"| {status} | {what} |" for status, what in STATUSES.items())))
    return "\n".join(parts)


def _command(command: Callable[..., None]) -> str:
    name = name_of(command)
    usage, rows = [f"reedsp {name}"], []
    for words, value, help_text, required in _parameters(command):
        option = words.startswith("-")
        shown = f"{words} {value}" if value else words
        usage.append(shown.rpartition(", ")[2] if required else f"[{shown}]" if not option else "")
        rows.append(f"| `{shown.replace('|', chr(92) + '|')}` | {help_text} |")
    synopsis = f"{' '.join(filter(None, usage))}{' [OPTIONS]' if rows else ''}"
    text = inspect.cleandoc(command.__doc__ or "")
    lines = [
        f"### reedsp {name}",
        "",
        f"`{synopsis}`",
        "",
        text,
        "",
        "| argument or option | |",
        "|---|---|",
        *rows,
        "",
    ]
    for example, what in COMMANDS[command]:
        lines.append(f"- `{example}`{' ' if what else ''}{what}")
    if name in KEYS:
        lines += ["", *_keys(name)]
    return "\n".join([*lines, ""])


def _parameters(command: Callable[..., None]) -> Iterator[tuple[str, str, str, bool]]:
    """Yield each parameter as it is typed, what stands for its value, what it means, and whether it is required."""
    hints = typing.get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        info = hints[name].__metadata__[0]
        required = parameter.default is inspect.Parameter.empty
        argument = type(info).__name__ == "ArgumentInfo"
        declared = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
        words = (
            info.metavar or name.upper() if argument else ", ".join(declared[::-1] or [f"--{name.replace('_', '-')}"])
        )
        help_text = re.sub(r"\[/?bold\]", "`", info.help)
        default = parameter.default
        if not required and default not in (None, False):
            help_text += f" Default: `{default}`."
        yield words, "" if argument else info.metavar or "", help_text, required


def _keys(name: str) -> list[str]:
    rows = [f"| `{key}` | {meaning} |" for key, meaning in KEYS[name].items()]
    return ["| key of `--json` | |", "|---|---|", *rows]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
