"""The ``reedsp`` command."""

from reedsp.cli.command import main as main
