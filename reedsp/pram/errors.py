"""What is raised when a PRAM program is wrong: as a text, or when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class PramError(ValueError):
    """A PRAM program is wrong; the message names the line and quotes it.

    Attributes
    ----------
    reason : str
        The message without the line.
    line, column : int
        Where, in the file that the program is in; both begin at 1.
    text : str
        That line.
    """

    def __init__(self, reason: str, line: int, column: int, text: str) -> None:
        self.reason, self.line, self.column, self.text = reason, line, column, text
        super().__init__(f"line {line}, column {column}: {reason}\n    {text.strip()}")

    def __reduce__(self) -> tuple[Callable[..., PramError], tuple[type[PramError], str, dict[str, Any]]]:
        """Have it copied with all it says: a pool of processes passes errors on so."""
        return _copied, (type(self), str(self), vars(self))


def _copied(kind: type[PramError], message: str, attributes: dict[str, Any]) -> PramError:
    error = kind.__new__(kind, message)
    vars(error).update(attributes)
    return error


class ProgramError(PramError):
    """The text of a program: Python that the language does not have, types that clash, a name that is unknown."""


class NotProvenError(PramError):
    """An optimisation was demanded, and its condition could not be proven."""


class RunError(PramError):
    """A program went wrong when it ran.

    Attributes
    ----------
    processors : tuple of int
        Those that did it. A device names one of them.
    step : int, optional
        Number of the step, from 1 on; None where a device has found the error.
    launch : int, optional
        Where a device that checks has found the error, the number of the launch, from 1 on.
    cell : str, optional
        The memory cell, such as ``A[3]``.
    """

    def __init__(
        self,
        reason: str,
        line: int,
        column: int,
        text: str,
        *,
        processors: tuple[int, ...] = (),
        step: int | None = None,
        launch: int | None = None,
        cell: str | None = None,
    ) -> None:
        self.processors, self.step, self.launch, self.cell = processors, step, launch, cell
        when = f"step {step}: " if step is not None else "" if launch is None else f"launch {launch}: "
        super().__init__(when + reason, line, column, text)


class ConflictError(RunError):
    """Processors have met in a cell in a way that the mode of the program forbids."""


class OutOfRangeError(RunError):
    """An index is outside its array."""


class UndefinedError(RunError):
    """An operation has no result: a division by zero, a shift beyond the type, a conversion that does not fit."""


class EndlessLoopError(RunError):
    """A loop has gone on for longer than the limit."""
