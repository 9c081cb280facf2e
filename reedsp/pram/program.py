"""A program as users have it: run by the interpreter or on a device, and shown at each stage on the way there."""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from reedsp.pram import text
from reedsp.pram.compiler.kernels import Method, Source, source_of
from reedsp.pram.compiler.listing import explanation, host_program
from reedsp.pram.compiler.plan import OPTIMIZATIONS, Plan, plan_of
from reedsp.pram.errors import NotProvenError, ProgramError
from reedsp.pram.interpreter import Interpreter
from reedsp.pram.memory import memory_of, processors_of, results_of
from reedsp.pram.parser import parse
from reedsp.pram.rounds import limits_of
from reedsp.pram.tree import Mode
from reedsp.system.options import flag

if TYPE_CHECKING:
    from reedsp.device.device import Device

Optimizations = Literal["all"] | Iterable[str]


@dataclass(frozen=True, eq=False)
class Result(Mapping[str, Any]):
    """What a program leaves in its global arrays and variables, by their names; equal to itself alone.

    Attributes
    ----------
    memory : dict
        Arrays of numpy, and numbers of numpy for variables.
    stats : dict
        ``method`` and ``processors``; of the interpreter ``steps``, and ``work``, the active processors of all steps
        together; of a device also ``device``, ``optimizations``, ``kernels_launched``, launches by what they were for,
        bytes, milliseconds, and those of each phase: the launches are in ``phases["search"]``.
    """

    memory: dict[str, Any]
    stats: dict[str, Any]

    __eq__ = object.__eq__  # that of mappings takes arrays for numbers
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> Any:
        return self.memory[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.memory)

    def __len__(self) -> int:
        return len(self.memory)


class Program:
    """A PRAM program; made by :func:`program` or :func:`from_text`.

    Attributes
    ----------
    tree : Tree
        The program as it was read.
    """

    def __init__(
        self,
        source: str,
        mode: Mode | None,
        first_line: int,
        constants: Mapping[str, Any],
        *,
        is_decorated: bool = False,
    ) -> None:
        self.tree = parse(source, mode, first_line, constants, is_decorated=is_decorated)
        self.source = source
        self._plans: dict[tuple[frozenset[str], bool], Plan] = {}
        self._sources: dict[tuple[frozenset[str], Method, bool], Source] = {}
        self._built: dict[tuple[Device, frozenset[str], Method, bool], dict[str, Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was built for a device, which belongs to this process."""
        return {**vars(self), "_built": {}}

    def __repr__(self) -> str:
        return f"<pram.Program {self.tree.name} ({self.tree.mode})>"

    def run(
        self,
        n: int,
        *,
        method: Literal["interpreter", "bitset", "list"] = "bitset",
        optimizations: Optimizations = "all",
        check: bool = False,
        demand: bool = False,
        max_rounds: int | None = None,
        device: Device | int | str | None = None,
        **given: Any,
    ) -> Result:
        """Run the program.

        Parameters
        ----------
        n : int
            Processors.
        method : {"interpreter", "bitset", "list"}
            The interpreter is slow and notices everything that is wrong. The others run on a device, and know who is
            active by flags or by lists (Dulle's sections 4.2.1 and 4.2.2).
        optimizations : "all" or iterable of str
            Those of section 4.3 to apply where it is proven that they change nothing: "merge", "in place", "branches",
            "meta variables", "loops".
        check : bool
            Have a device report indices out of range, operations without a result, and forbidden writes of several
            processors to one cell, too. Otherwise such reads and operations give 0, such writes are left out, and of
            several writes one stays.
        demand : bool
            Raise an error where an optimisation is asked for and cannot be applied.
        max_rounds : int, optional
            As often as a loop may begin again; those over a range, too. By default these end by themselves, and the
            others are given up after 65,536 rounds.
        device : Device, int or str, optional
            As for :func:`reedsp.sssp`.
        **given
            Each global array and variable that is a parameter of the program. They are not changed.

        Returns
        -------
        Result
            Each global array and variable.

        Raises
        ------
        TypeError, ValueError
            An argument is wrong; the message names it.
        RunError
            The program went wrong; the message names line, processors, cell and, by the interpreter, step.
        NotProvenError
            An optimisation was demanded in vain.
        DeviceError, DeviceMemoryError
            The device cannot do it.

        Examples
        --------
        >>> from reedsp.pram import examples
        >>> result = examples.total.run(4, A=[1, 2, 3, 4, 5, 6, 7, 8])
        >>> int(result["A"][0])
        36
        """
        n, check, demand = processors_of(n), flag(check, "check"), flag(demand, "demand")
        limits = limits_of(max_rounds)
        memory, wanted = memory_of(self.tree, n, given), self._chosen(optimizations)
        if method == "interpreter":
            interpreter = Interpreter(self.tree, n, memory, limits)
            if n:
                interpreter.run()
            stats = {"method": method, "processors": n, "steps": interpreter.steps, "work": interpreter.work}
            return Result(results_of(self.tree, memory), stats)
        chosen = self._method(method)
        if demand:
            self._demand(wanted, check)
        from reedsp.device.discovery import get_device
        from reedsp.pram.machine import Machine

        on = get_device(device)
        started = time.perf_counter()
        stats = {"method": method, "processors": n, "optimizations": sorted(wanted)}
        if n:
            key = (on, wanted, chosen, check)
            source = self._source(wanted, chosen, check)
            if key not in self._built:
                title = f"the PRAM program {self.tree.name}"
                self._built[key] = on.kernels_of_text(source.text, title, source.kernels)
            machine = Machine(on, self._plan(wanted, check), source, self._built[key], chosen, n, memory, limits)
            machine.run()
            stats |= machine.job.stats() | machine.counts | {"phases": machine.job.phases.milliseconds()}
        stats |= {"device": str(on), "milliseconds": 1e3 * (time.perf_counter() - started)}
        return Result(results_of(self.tree, memory), stats)

    def meta_program(self) -> str:
        """Return the meta-program (Dulle's section 2.2), written as his Algorithm 2."""
        return text.meta_program(self.tree)

    def host_program(self, method: Method = "bitset", optimizations: Optimizations = "all") -> str:
        """Return what the host does, written as Dulle's Algorithms 4 and 5."""
        return host_program(self._plan(self._chosen(optimizations)), self._method(method))

    def kernels(self, method: Method = "bitset", optimizations: Optimizations = "all", check: bool = False) -> str:
        """Return the kernels in OpenCL C."""
        return self._source(self._chosen(optimizations), self._method(method), flag(check, "check")).text

    def explain(self, optimizations: Optimizations = "all") -> str:
        """Return where each optimisation is applied, and where not, and why."""
        return explanation(self._plan(self._chosen(optimizations)))

    def _plan(self, optimizations: frozenset[str], check: bool = False) -> Plan:
        key = (optimizations, check)
        if key not in self._plans:
            self._plans[key] = plan_of(self.tree, optimizations, check)
        return self._plans[key]

    def _source(self, optimizations: frozenset[str], method: Method, check: bool) -> Source:
        key = (optimizations, method, check)
        if key not in self._sources:
            self._sources[key] = source_of(self._plan(optimizations, check), method)
        return self._sources[key]

    def _demand(self, optimizations: frozenset[str], check: bool) -> None:
        for note in self._plan(optimizations, check).notes:
            if not note.applied:
                at = note.position
                reason = f'"{note.optimization}" is demanded, but: {note.text}'
                raise NotProvenError(reason, at.line, at.column, self.tree.text_at(at))

    @staticmethod
    def _method(method: str) -> Method:
        if method not in ("bitset", "list"):
            raise ValueError(f"method: {method!r} is none of 'interpreter', 'bitset', 'list'")
        return cast(Method, method)

    @staticmethod
    def _chosen(optimizations: Optimizations) -> frozenset[str]:
        if isinstance(optimizations, str) and optimizations == "all":
            return frozenset(OPTIMIZATIONS)
        if isinstance(optimizations, str):
            raise ValueError(f'optimizations: {optimizations!r} is neither "all" nor a set of names')
        if not isinstance(optimizations, Iterable):
            raise TypeError(f'optimizations: expected "all" or a set of names, got {optimizations!r}')
        chosen = list(optimizations)
        for name in chosen:
            if name not in OPTIMIZATIONS:
                raise ValueError(f"optimizations: {name!r} is none of {', '.join(map(repr, OPTIMIZATIONS))}")
        return frozenset(chosen)


@overload
def program(function: Callable[..., Any], /) -> Program: ...
@overload
def program(*, mode: Mode = "CREW") -> Callable[[Callable[..., Any]], Program]: ...
def program(
    function: Callable[..., Any] | None = None, /, *, mode: Mode = "CREW"
) -> Program | Callable[[Callable[..., Any]], Program]:
    """Turn a Python function into a PRAM program; a decorator.

    Parameters
    ----------
    function : callable
        Its first parameters are ``p``, the number of the processor, and ``n``, how many there are; the others are
        global arrays (``A: int64[:]``) and variables (``s: int64``). What it assigns to is private, unless declared as
        ``Global[...]``. It may name numbers of its module, and of functions around it those that are not in sizes
        alone.
    mode : {"EREW", "CREW", "common", "arbitrary", "priority"}
        Which accesses of several processors to one cell in one step are allowed; the last three allow both reads and
        writes. Of several writes that of the processor with the lowest number stays.

    Raises
    ------
    ProgramError
        The function is no program of this language; the message names and quotes the line.
    TypeError
        It is no function.

    Examples
    --------
    >>> from reedsp import pram
    >>> print(pram.examples.total.meta_program())
    global A[·]
    private k
    T0 ← {0, ..., n-1}
    ...
    """
    if function is None:
        return lambda found: program_of(found, mode)
    return program_of(function, mode)


def program_of(function: Callable[..., Any], mode: Mode) -> Program:
    """Read a function's own text."""
    if not callable(function):
        raise TypeError(f"function: expected a function, got {function!r}; a mode is given as mode=...")
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise ProgramError("the text of the function cannot be read; use from_text", 1, 1, "") from None
    return Program("".join(lines), mode, max(1, first), _outside(inspect.unwrap(function)), is_decorated=True)


def _outside(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what a function may name outside of itself and has a value now.

    Python does not say where a name comes from that is only in a declaration: in a function inside of another one it
    may be of that one.
    """
    if (code := getattr(function, "__code__", None)) is None:
        return {}
    around = function.__globals__
    names = code.co_names if "<locals>" in function.__qualname__ else around.keys() - code.co_freevars
    found = {name: around[name] for name in names if name in around}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # it is assigned to later
            found[name] = cell.cell_contents
    return found


def from_text(source: str, *, mode: Mode | None = None, constants: Mapping[str, Any] | None = None) -> Program:
    """Return the PRAM program that a text is.

    Parameters
    ----------
    source : str
        A function, as for :func:`program`, with that decorator or without.
    mode : {"EREW", "CREW", "common", "arbitrary", "priority"}, optional
        By default that of the decorator, else "CREW".
    constants : mapping, optional
        Numbers that the text may name, unless it assigns to the name somewhere, as Python has it.

    Raises
    ------
    ProgramError
        As for :func:`program`; or the text has another decorator, or one with another mode.
    TypeError
        The source is no text, or the constants are no mapping.

    Examples
    --------
    >>> from reedsp import pram
    >>> square = pram.from_text("def square(p, n, A: pram.int64[:]): A[p] = p * p")
    >>> square.run(4, A=[0, 0, 0, 0])["A"]
    array([0, 1, 4, 9])
    """
    if not isinstance(source, str):
        raise TypeError(f"source: expected a text, got {source!r}")
    if constants is not None and not isinstance(constants, Mapping):
        raise TypeError(f"constants: expected a mapping from names to numbers, got {constants!r}")
    return Program(source, mode, 1, constants or {})
