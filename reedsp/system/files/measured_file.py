"""Files of what was measured on a device, in the user's cache: written whole, and read with suspicion."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from reedsp.system.files.atomic_file import write_private
from reedsp.system.files.cache_folders import (
    SharedDirectoryError,
    named_directory,
    private_directory,
    warn_of_shared,
    warn_once,
)
from reedsp.system.files.regular_file import read_regular

_log = logging.getLogger(__name__)

_LARGEST = 1 << 16  # bytes

Parsed = TypeVar("Parsed")
Identity = Mapping[str, str]
"""What the speed of a device depends on: :attr:`reedsp.Device.identity`."""


class UnusableError(ValueError):
    """Why a file is not used."""


@dataclass(frozen=True)
class MeasuredFile:
    """A kind of files, one for each device.

    Attributes
    ----------
    folder : str
        Where they lie, in the cache of the user.
    content : str
        The name of what was measured, in the file and for users.
    command : str
        What measures it.
    schema : int
        Another one when an old file could do harm.
    """

    folder: str
    content: str
    command: str
    schema: int = 1

    def path(self, identity: Identity) -> Path:
        """Return the file for a device, which need not exist.

        Raises
        ------
        OSError
            There is no directory for it that only this user can change.
        """
        return private_directory(self.folder) / _name(identity)

    def read(self, identity: Identity, parse: Callable[[Any], Parsed]) -> Parsed | None:
        """Return what was measured on a device; None if there is no file that can be used.

        Parameters
        ----------
        identity : Identity
        parse : callable(object)
            Returns what is made of the content, or raises :class:`UnusableError`.

        Warns
        -----
        RuntimeWarning
            The file is damaged or another's, or others can change its folder; once in a process.
        """
        try:
            file = self.path(identity)
            written = read_regular(file, _LARGEST + 1)
        except FileNotFoundError:
            return None
        except SharedDirectoryError as error:
            if os.path.lexists(named_directory(self.folder) / _name(identity)):
                warn_of_shared(error, self._unused)
            return None
        except OSError as error:
            _log.info("no %s are read: %s", self.content, error)
            return None
        try:
            return parse(self._checked(written, identity))
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, UnusableError) else "it is damaged"
            cures = f"`{self.command}` measures anew, `{self.command} --forget` deletes it"
            warn_once(f"{self._unused}: {file}: {reason}; {cures}", stacklevel=2)
            return None

    def write(self, identity: Identity, content: Any) -> None:
        """Store what was measured on a device, in place of what is stored.

        Raises
        ------
        OSError
            There is no directory that only this user can change, or it cannot be written to.
        """
        written = json.dumps({"schema": self.schema, **identity, self.content: content}, indent=2)
        write_private(self.path(identity), written.encode())

    def forget(self, identity: Identity) -> bool:
        """Delete what is stored for a device; return whether there was something."""
        file = self.path(identity)
        existed = file.exists()
        file.unlink(missing_ok=True)
        return existed

    @property
    def _unused(self) -> str:
        return f"the {self.content} of `{self.command}` are not used"

    def _checked(self, written: bytes, identity: Identity) -> Any:
        if len(written) > _LARGEST:
            raise UnusableError("it is too large")
        found = json.loads(written)
        if not isinstance(found, dict) or found.get("schema") != self.schema:
            raise UnusableError("it was written by another version")
        if any(found.get(name) != value for name, value in identity.items()):
            raise UnusableError("it is that of another device or driver")
        if set(found) != {"schema", self.content, *identity} or not isinstance(found[self.content], dict):
            raise UnusableError("it is damaged")
        return found[self.content]


def _name(identity: Identity) -> str:
    return f"{hashlib.sha256(repr(tuple(identity.values())).encode()).hexdigest()}.json"
