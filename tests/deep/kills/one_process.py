"""Kills calls of one process, and gives them again."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.deep.kills.calls import CALLS
from tests.deep.kills.processes import MODULE, Processes, WrongError, contents, emptied, is_partial, read_until

_OLDER = b"older " * 5000
_KERNEL = b"reedsp kernel 1\n"


def child(name: str, folder: Path) -> None:
    """Make a call."""
    call = CALLS[name].make(folder, folder / "out")
    print("ready", flush=True)
    print("answer", call(), flush=True)


class OneProcess:
    """A call that is killed again and again.

    Parameters
    ----------
    name : str
        Of the call.
    top : Path
        A folder for all its files.
    seed : int
    """

    def __init__(self, name: str, top: Path, seed: int = 1) -> None:
        self.kills = self.calls = 0
        self._name, self._call, self._top = name, CALLS[name], top
        self._out, self._drivers = top / "out", top / "pocl"
        self._random = random.Random(f"{name} {seed}")
        variables = {"TMPDIR": str(emptied(top / "temporary")), "PYTHONWARNINGS": "error::RuntimeWarning"}
        if self._call.cache:
            variables |= {"XDG_CACHE_HOME": str(self._out), "POCL_CACHE_DIR": str(self._drivers)}
        self._processes = Processes(**variables)
        self._older: dict[str, bytes] = {}

    def __enter__(self) -> OneProcess:
        self._begin()
        self.seconds, self._first_file = self._watched()
        self._expected = contents(self._out)
        self._older = dict.fromkeys(self._expected, _OLDER) if self._call.over else {}
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.kill()

    def kill(self) -> None:
        """Kill the call once or more, and give it again until it ends.

        Raises
        ------
        WrongError
            Something is not as it has to be.
        """
        self._begin()
        for _ in range(self._random.choice((1, 2, 4, 8))):
            self.kills += self._killed()
            self._processes.wait_for_none()
            self._check_names()
        self._top.joinpath("goes on").touch()
        process = self._start()
        answer = read_until(process, "answer").removeprefix("answer").strip()
        self._end(process, answer)

    def _begin(self) -> None:
        """Leave nothing of what was before but older files."""
        emptied(self._out)
        emptied(self._drivers)
        self._top.joinpath("goes on").unlink(missing_ok=True)
        for name, content in self._older.items():
            (self._out / name).write_bytes(content)

    def _start(self) -> subprocess.Popen[str]:
        process = self._processes.start("-m", MODULE, "--child", self._name, self._top)
        if not read_until(process, "ready"):
            raise WrongError(f"it does not begin: exit status {process.wait()}")
        return process

    def _watched(self) -> tuple[float, float]:
        """Make the call, and return how long it takes, and after how long the first file is there."""
        self._top.joinpath("goes on").touch()
        process = self._start()
        begun = time.monotonic()
        first = None
        while process.poll() is None and first is None:
            first = time.monotonic() - begun if any(self._out.iterdir()) else None
            time.sleep(0.001)
        self._answer = read_until(process, "answer").removeprefix("answer").strip().removeprefix("answer").strip()
        seconds = time.monotonic() - begun
        process.communicate()
        if process.returncode:
            raise WrongError(f"exit status {process.returncode}")
        return seconds, 0.0 if first is None else first

    def _killed(self) -> bool:
        """Kill a call, and return whether it had not ended before."""
        process = self._start()
        if "between" in self._name:
            read_until(process, "linked")
        elif self._random.random() < 0.5:
            time.sleep(self._random.uniform(0, self.seconds))
        else:
            before = set(self._out.iterdir())
            while process.poll() is None and set(self._out.iterdir()) == before:
                time.sleep(0.001)
            time.sleep(self._random.uniform(0, self.seconds - self._first_file))
        process.kill()
        process.communicate()
        if process.returncode not in (0, -signal.SIGKILL):
            raise WrongError(f"exit status {process.returncode}")
        return process.returncode == -signal.SIGKILL

    def _check_names(self) -> None:
        """Raise WrongError if the name of a result leads to half of it."""
        for name, content in contents(self._out).items():
            if self._call.cache:
                whole = is_partial(name) or _is_whole(name, content)
            else:
                whole = name not in self._expected or content in (self._expected[name], self._older.get(name))
            if not whole:
                raise WrongError(f"{name} holds {len(content):,} bytes, neither the result nor what was there before")

    def _end(self, process: subprocess.Popen[str], answer: str) -> None:
        process.communicate()
        self._processes.wait_for_none()
        self.calls += 1
        if process.returncode:
            raise WrongError(f"given again, it fails: exit status {process.returncode}")
        if answer != self._answer:
            raise WrongError(f"given again, it says {answer!r}, not {self._answer!r}")
        self._check_names()
        left = {name for name in self._everything() if not (self._call.partial and is_partial(name))}
        if left != set(self._expected):
            raise WrongError(f"given again, it leaves {sorted(left ^ set(self._expected))}")
        found = contents(self._out)
        if self._call.fixed and any(found[name] != content for name, content in self._expected.items()):
            raise WrongError("given again, it ends in other bytes")

    def _everything(self) -> Iterator[str]:
        for each in self._out.rglob("*"):
            if each.is_file() or (not any(each.iterdir()) and not self._call.cache):
                yield str(each.relative_to(self._out))
        yield from (f"{each}" for each in (self._top / "temporary").iterdir())


def _is_whole(name: str, content: bytes) -> bool:
    """Whether a file of the cache is what it says."""
    file = Path(name)
    if file.suffix == ".bin":
        head = len(_KERNEL) + hashlib.sha256().digest_size
        digest = hashlib.sha256(file.name.encode() + content[head:]).digest()
        return content[:head] == _KERNEL + digest
    if file.suffix == ".json" or file.parent.name == "trusted":
        json.loads(content)
    return len(content) > 0
