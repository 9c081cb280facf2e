"""Imports one module of the package with a fault, in a process and in those that it starts."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

from tests.deep.host_mutants.faults import ROOT, file_of, planted

FAULT = "REEDSP_HOST_MUTANT"
"""The environment variable that names the fault."""

IN_CHILDREN = Path(__file__).with_name("in_children")
"""The folder of a ``sitecustomize`` that plants it in processes of Python."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles a module with a fault, whatever is in its cache."""

    def __init__(self, fullname: str, path: str, fault: str) -> None:
        super().__init__(fullname, path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        text = Path(path).read_text(encoding="utf-8")
        tree = planted(self._fault.split(":")[0], text, self._fault)
        return compile(tree, path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the module of a fault, and no other."""

    def __init__(self, fault: str) -> None:
        module = fault.split(":")[0]
        self._fault, self._file = fault, file_of(module)
        self._fullname = "reedsp" if module == "__init__" else f"reedsp.{module}"

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._fullname:
            return None
        loader = _Loader(fullname, str(self._file), self._fault)
        return importlib.util.spec_from_file_location(fullname, self._file, loader=loader)


def plant(fault: str) -> None:
    """Have a fault in this process, which has not imported the package, and in its children."""
    os.environ[FAULT] = fault
    os.environ["PYTHONPATH"] = os.pathsep.join((str(IN_CHILDREN), str(ROOT)))
    plant_here(fault)


def plant_here(fault: str) -> None:
    """Have a fault in this process."""
    sys.meta_path.insert(0, Finder(fault))
