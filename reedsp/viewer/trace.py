"""Traces: what an algorithm does to its arrays, launch by launch."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reedsp._version import __version__
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.system.files.atomic_file import write_whole
from reedsp.system.files.path_argument import path_argument
from reedsp.system.public import public
from reedsp.viewer.algorithms.catalogue import entry_of
from reedsp.viewer.inputs import Input, input_of
from reedsp.viewer.recorder import Moment
from reedsp.viewer.story import State, Story, Values, changed

FORMAT, VERSION = "reedsp-trace", 1
"""How a trace in JSON says what it is."""


@dataclass(frozen=True)
class Step:
    """One launch that has changed something.

    Attributes
    ----------
    kernel : str
        Its name; "input" for the arrays before the first launch.
    file : str, optional
        In ``cl/``.
    lines : tuple of int, optional
        The first and the last one of the kernel.
    global_size, local_size : tuple of int
        Work-items of the launch, and of a work-group, in each dimension.
    reads, writes : tuple of str
        Arrays.
    says : str
        What it has done, in words.
    folded : int
        Launches before this one that changed nothing that is shown, and are left out.
    active : list of int, optional
        Vertices or elements that it worked on.
    level : int, optional
        Level of the tree that it wrote, where there is one: nodes of this level stand over 2**level leaves.
    block : tuple of int, optional
        Columns and rows of the tiles of a matrix, where these are not the work-items of a work-group.
    changes : dict of str to list or dict
        For each array that is another one now the pairs of index and value, or ``{"all": [...]}``.
    """

    kernel: str
    file: str | None
    lines: tuple[int, int] | None
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    says: str
    folded: int
    active: list[int] | None
    level: int | None
    block: tuple[int, int] | None
    changes: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the step as the format has it."""
        return {
            "kernel": self.kernel,
            "file": self.file,
            "lines": None if self.lines is None else list(self.lines),
            "global": list(self.global_size),
            "local": list(self.local_size),
            "reads": list(self.reads),
            "writes": list(self.writes),
            "says": self.says,
            "folded": self.folded,
            "active": self.active,
            "level": self.level,
            "block": None if self.block is None else list(self.block),
            "changes": self.changes,
        }


@public
@dataclass(frozen=True)
class Trace:
    """An algorithm on one input, step by step.

    Attributes
    ----------
    problem, algorithm, title : str
    paper : str, optional
    device : str
    input : dict
        The graph or the array.
    arrays : dict of str to dict
        What is shown: its meaning, what it is of, its shape, type and role.
    sources : dict of str to str
        Files of kernels.
    steps : list of Step
        The first one is the input.
    result : dict of str to list
        What the library answers.
    library : str
        Its version.

    Examples
    --------
    >>> import reedsp
    >>> steps = reedsp.trace([3, 1, 2], "naive-scan")
    >>> steps.states()[-1]["prefixes"], steps.result
    ([3, 4, 6], {'prefixes': [3, 4, 6]})
    """

    problem: str
    algorithm: str
    title: str
    paper: str | None
    device: str
    input: dict[str, Any]
    arrays: dict[str, dict[str, Any]]
    sources: dict[str, str]
    steps: list[Step]
    result: dict[str, Values]
    library: str = field(default=__version__)

    def to_json(self) -> dict[str, Any]:
        """Return the trace as the format has it: dictionaries, lists, strings and numbers."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "problem": self.problem,
            "algorithm": self.algorithm,
            "title": self.title,
            "paper": self.paper,
            "device": self.device,
            "library": self.library,
            "input": self.input,
            "arrays": self.arrays,
            "sources": self.sources,
            "steps": [step.to_json() for step in self.steps],
            "result": self.result,
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the trace to a file in JSON.

        Parameters
        ----------
        path : str or path-like
        overwrite : bool
            Whether a file of this name may be replaced.

        Raises
        ------
        FileExistsError
            There is a file of this name, and `overwrite` is false.
        TypeError
            `path` is no path.
        """
        text = json.dumps(self.to_json(), allow_nan=False, separators=(",", ":"))
        write_whole(Path(path_argument(path, "path")), lambda file: file.write(text.encode()), overwrite=overwrite)

    def states(self) -> list[dict[str, Values]]:
        """Return all arrays as they are after each step."""
        found: list[dict[str, Values]] = []
        now: dict[str, Values] = {}
        for step in self.steps:
            for name, changes in step.changes.items():
                if isinstance(changes, dict):
                    now[name] = list(changes["all"])
                    continue
                now[name] = list(now[name])
                for index, value in changes:
                    now[name][index] = value
            found.append(dict(now))
        return found


def trace(
    input: Any,
    algorithm: str,
    source: Any = None,
    *,
    device: Device | int | str | None = None,
    **options: Any,
) -> Trace:
    """Run an algorithm and keep what each of its launches leaves in the memory of the device.

    Parameters
    ----------
    input : Graph, or what is taken for one; or array_like
        At most 200 vertices and 2,000 edges, or 1,000 elements.
    algorithm : str
        One of ``reedsp.viewer.algorithms.catalogue.ALGORITHMS``.
    source : vertex, optional
        Where searches start; by default the first vertex.
    device : Device, int or str, optional
        By default that of :func:`reedsp.get_device`.
    **options
        Of the algorithm.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        There is no such algorithm, or the input is too large, or it is not for this algorithm.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> steps = reedsp.trace(graph, "output-parallel").steps
    >>> [step.says for step in steps[:3]]
    ['the input', 'the path to vertex 0 weighs 0', 'round 1: 2 path weights fell']
    """
    entry = entry_of(algorithm)
    known = [name for name in inspect.signature(entry.story).parameters if name not in ("given", "device")]
    for name in options:
        if name not in known:
            raise TypeError(f"options: {algorithm!r} has {', '.join(known) or 'none'}, got {name!r}")
    what = input_of(input, entry.problem, source)
    on = get_device(device)
    return _trace(what, algorithm, entry.story(what, on, **options), on)


def _trace(what: Input, algorithm: str, story: Story, device: Device) -> Trace:
    recorder = story.record()
    steps = [_input_step(story)]
    state: dict[str, Values] = story.first()
    dtypes = story.dtypes()
    folded = 0
    for moment in recorder.moments:
        after = {**state}
        for name in story.arrays:
            if (values := story.shown(name, moment)) is not None:
                after[name] = values
                dtypes.setdefault(name, str(story.dtype(name, moment)))
        changes = {name: _changes(state[name], after[name]) for name in after if state[name] != after[name]}
        if changes:
            steps.append(_step(moment, story, state, after, changes, folded))
            folded = 0
        else:
            folded += 1
        state = after
    if folded:
        last = _step(recorder.moments[-1], story, state, state, {}, folded - 1)
        steps.append(last)
    return Trace(
        problem=what.problem,
        algorithm=algorithm,
        title=story.title,
        paper=story.paper,
        device=str(device),
        input=what.described,
        arrays={
            name: {
                "meaning": array.meaning,
                "of": array.of,
                "shape": story.shape(name) if array.of != "queue" else [len(state[name])],
                "dtype": dtypes.get(name, "int32"),
                "role": array.role,
                "main": name == story.main,
            }
            for name, array in story.arrays.items()
        },
        sources={step.file: recorder.sources[step.file] for step in steps if step.file is not None},
        steps=steps,
        result=dict(story.answer()),
    )


def _input_step(story: Story) -> Step:
    values = {name: {"all": each} for name, each in story.first().items()}
    return Step("input", None, None, (), (), (), tuple(values), "the input", 0, None, None, None, values)


def _step(moment: Moment, story: Story, before: State, after: State, changes: dict[str, Any], folded: int) -> Step:
    return Step(
        kernel=moment.kernel,
        file=moment.file,
        lines=moment.lines,
        global_size=moment.global_size,
        local_size=moment.local_size,
        reads=tuple(name for name in moment.reads if name in story.arrays),
        writes=tuple(name for name in moment.writes if name in story.arrays),
        says=story.says(moment, before, after) if changes else "nothing changed: the answer is final",
        folded=folded,
        active=story.active(moment, before, after) if changes else None,
        level=story.level(moment),
        block=story.block(moment),
        changes=changes,
    )


def _changes(before: Values, after: Values) -> Mapping[str, Values] | list[list[Any]]:
    if len(before) != len(after):
        return {"all": after}
    return [[index, after[index]] for index in changed(before, after)]
