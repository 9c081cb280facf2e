"""How tests run a command."""

from __future__ import annotations

import pytest

from reedsp.cli import command


def run(capture: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command in this process; return exit status, standard output and standard error."""
    status = command.run([str(argument) for argument in arguments])
    return status, *capture.readouterr()
