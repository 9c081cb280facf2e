"""Put what the compiler of PRAM programs makes of two programs on the page about it.

    python -m docs.tools.pram

writes what stands between ``<!-- pram: NAME -->`` and ``<!-- end -->`` in ``docs/explanation/pram.md``; the tests
compare it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

from reedsp.pram import examples

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "pram.md"


def _from_first_kernel(text: str) -> str:
    """Return the kernels without the functions that they call, which stand above them."""
    first = text.index("__kernel")
    return text[text.rindex("\n\n", 0, first) + 2 :]


TEXTS: dict[str, tuple[str, Callable[[], str]]] = {
    "total": ("py", lambda: textwrap.dedent(examples.total.source)),
    "total meta": ("text", examples.total.meta_program),
    "total bitset": ("text", lambda: examples.total.host_program("bitset", ())),
    "total bitset kernels": ("c", lambda: _from_first_kernel(examples.total.kernels("bitset", ()))),
    "total list": ("text", lambda: examples.total.host_program("list", ())),
    "total list kernel": ("c", lambda: _kernel(examples.total.kernels("list", ()), "assign_2")),
    "total optimised": ("text", lambda: examples.total.host_program("bitset")),
    "total optimised kernel": ("c", lambda: _from_first_kernel(examples.total.kernels("bitset"))),
    "total explained": ("text", examples.total.explain),
    "reduction": ("py", lambda: textwrap.dedent(examples.reduction.source)),
    "reduction optimised": ("text", lambda: examples.reduction.host_program("bitset")),
    "reduction explained": ("text", examples.reduction.explain),
    "components optimised": ("text", lambda: examples.components.host_program("bitset")),
    "components explained": ("text", examples.components.explain),
}
"""By the names of the places on the page: the language, and what makes the text."""


def _kernel(text: str, name: str) -> str:
    """Return one kernel, with the comment above it."""
    start = text.index(f"__kernel void {name}(")
    end = text.index("\n}\n", start) + 3
    return text[text.rindex("\n\n", 0, start) + 2 : end]


def with_texts(page: str) -> str:
    """Return a page with all texts made again."""

    def made(place: re.Match[str]) -> str:
        language, make = TEXTS[place[2]]
        return f"{place[1]}\n\n```{language}\n{make().rstrip()}\n```\n\n<!-- end -->"

    return re.sub(r"(<!-- pram: (.*?) -->).*?<!-- end -->", made, page, flags=re.DOTALL)


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_texts(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
