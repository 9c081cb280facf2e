"""New processes, in which is measured what happens once in each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_CACHES = ("XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH")


def printed(code: str, *arguments: str, caches: Path | None = None) -> str:
    """Run Python code in a new process, and return what it prints.

    Parameters
    ----------
    code : str
    *arguments : str
        Its ``sys.argv[1:]``.
    caches : Path, optional
        Folder for caches of its own, in which no kernel is yet; by default it has those of this process.
    """
    found = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {} if caches is None else {name: str(caches / name) for name in _CACHES}
    environment = {**os.environ, "PYTHONPATH": found, **own}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # where packages are installed, they are compiled
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
