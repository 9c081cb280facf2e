"""Random PRAM programs with at most four variables and three levels: texts, with the memory that they begin with."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

MODES = ("EREW", "CREW", "common", "arbitrary", "priority")
_LOWEST = {"int32": -(2**31), "int64": -(2**63)}  # which negation and abs leave as they are


@dataclass(frozen=True)
class Case:
    """A program, its mode, its processors, and its global arrays."""

    text: str
    mode: str
    n: int
    given: dict[str, Any]


def case(seed: int) -> Case:
    """Return one case, always the same for the same seed."""
    return _Writer(random.Random(seed)).case()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._kinds: dict[str, str] = {}  # of the private variables
        self._arrays: dict[str, str] = {}
        self._counters: list[str] = []
        self._loops = 0

    def case(self) -> Case:
        rng = self._rng
        self._arrays = {"A": "int64", "F": rng.choice(["int32", "float64", "int64"])}
        n = rng.choice([1, 2, 3, 5, 8, 33])
        size = n * rng.choice([1, 2]) + rng.choice([0, 0, 3])
        lines = [f"def generated(p, n, A: int64[:], F: {self._arrays['F']}[:], s: int64):"]
        for name in ("x", "y"):
            kind = rng.choice(["int64", "int64", "int32", "float64", "boolean"])
            lines.append(f"    {name}: {kind} = {self._fitting(kind)}")
            self._kinds[name] = kind
        lines += self._block(0, "    ", rng.randint(2, 4))
        values = np.random.default_rng(rng.getrandbits(32))
        given: dict[str, Any] = {
            **{name: values.integers(-3, 12, size).astype(kind) for name, kind in self._arrays.items()},
            "s": int(values.integers(0, 5)),
        }
        for name in [name for name, kind in self._arrays.items() if kind in _LOWEST and rng.random() < 0.2]:
            given[name][rng.randrange(size)] = _LOWEST[self._arrays[name]]
        mode = rng.choice([*MODES, "arbitrary", "priority", "arbitrary"])
        return Case("\n".join(lines) + "\n", mode, n, given)

    # ---- statements -------------------------------------------------------------------------------------

    def _block(self, depth: int, indent: str, count: int) -> list[str]:
        return [line for _ in range(count) for line in self._statement(depth, indent)]

    def _statement(self, depth: int, indent: str) -> list[str]:
        rng = self._rng
        kinds = ["private", "array", "array", "array", "if", "if", "for", "while"]
        kind = rng.choice(kinds if depth < 3 else kinds[:2])
        inner = indent + "    "
        if kind == "private":
            name = rng.choice(["x", "y"])
            return [f"{indent}{name} = {self._fitting(self._kinds[name])}"]
        if kind == "array":
            if rng.random() < 0.08:
                return [f"{indent}s = {self._fitting('int64')}"]
            name = rng.choice(["A", "F"])
            return [f"{indent}{name}[{self._index(name)}] = {self._fitting(self._arrays[name])}"]
        if kind == "if":
            lines = [f"{indent}if {self._condition(2)}:", *self._block(depth + 1, inner, rng.randint(1, 2))]
            if rng.random() < 0.4:
                lines += [f"{indent}else:", *self._block(depth + 1, inner, 1)]
            return lines
        self._loops += 1
        name = f"i{self._loops}"
        if kind == "for":
            computed = f"abs({self._value('int64', 1)}) % 3"
            limits = rng.choice(["3", "p % 4", "n", "s % 4", "1, 3", "4, 0, -2", "p, n", computed])
            self._counters.append(name)
            body = self._block(depth + 1, inner, rng.randint(1, 2))
            self._counters.remove(name)
            return [f"{indent}for {name} in range({limits}):", *body]
        step = rng.choice([f"{name} = {name} // 2", f"{name} = {name} - 1"])
        start = rng.choice(["n", "p", "3", "s % 5"])
        self._counters.append(name)
        body = self._block(depth + 1, inner, rng.randint(1, 2))
        self._counters.remove(name)
        return [f"{indent}{name} = {start}", f"{indent}while {name} > 0:", *body, f"{inner}{step}"]

    # ---- expressions ------------------------------------------------------------------------------------

    def _index(self, array: str) -> str:
        rng = self._rng
        roll = rng.random()
        if roll < 0.4:
            return "p"
        if roll < 0.5:
            return rng.choice([f"len({array}) - 1 - p", "n - 1 - p", "(p + 1) % n"])
        if roll < 0.55:
            return rng.choice(["2 * p", "p + s", "p + 1", "p - 1", "0"])
        return f"abs({self._value('int64', 2)}) % len({array})"

    def _fitting(self, kind: str) -> str:
        value = self._value(kind, 2)
        return f"int32({value})" if kind == "int32" else value  # numbers of the text alone are int64

    def _condition(self, depth: int) -> str:
        rng = self._rng
        roll = rng.random()
        if depth and roll < 0.25:
            return f"({self._condition(depth - 1)} {rng.choice(['and', 'or'])} {self._condition(depth - 1)})"
        if depth and roll < 0.35:
            return f"not {self._condition(0)}"
        if roll < 0.45:
            booleans = [name for name, each in self._kinds.items() if each == "boolean"]
            if booleans:
                return rng.choice(booleans)
        kind = rng.choice(["int64", "int64", "float64"])
        sign = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        if roll > 0.8:
            return f"p % 2 == {rng.randint(0, 1)}"
        return f"{self._value(kind, 1)} {sign} {self._value(kind, 1)}"

    def _value(self, kind: str, depth: int) -> str:
        rng = self._rng
        if kind == "boolean":
            return self._condition(depth - 1 if depth else 0)
        if depth == 0 or rng.random() < 0.3:
            return self._leaf(kind)
        one, other = self._value(kind, depth - 1), self._value(kind, depth - 1)
        roll = rng.random()
        if roll < 0.1:
            return f"({one} if {self._condition(0)} else {other})"
        if roll < 0.25:
            return f"{rng.choice(['min', 'max'])}({one}, {other})"
        if kind == "float64":
            return f"({one} {rng.choice(['+', '-', '*', '/'])} {other})"
        if roll < 0.3:
            return f"ceil_log2({one})"
        if roll < 0.35:
            return f"({one} {rng.choice(['<<', '>>'])} {rng.randint(0, 5)})"
        if roll < 0.45:
            return f"({one} {rng.choice(['//', '%'])} {rng.choice(['2', '3', '-2', other])})"
        return f"({one} {rng.choice(['+', '-', '*', '+', '&', '|', '^'])} {other})"

    def _leaf(self, kind: str) -> str:
        rng = self._rng
        choices = [str(rng.randint(0, 4)), str(rng.randint(-2, 100))]
        names = {name for name, each in self._kinds.items() if each == kind}
        if kind == "int64":
            names |= {"p", "n", "s", *self._counters}
        choices += sorted(names)
        for array, each in self._arrays.items():
            if each == kind:
                choices += [f"{array}[p]", f"{array}[{rng.choice(['p', '0', 'n - 1 - p'])}]"]
        if kind == "float64":
            choices += ["0.5", "float64(p)", "float64(s)"]
        if kind == "int32":
            choices += ["int32(p)"]
        if kind in _LOWEST and rng.random() < 0.04:
            return f"{kind}({_LOWEST[kind]})"
        return rng.choice(choices)
