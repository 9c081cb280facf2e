"""Draw the map of the rooms of reedsp from what its modules import, and list what each room holds.

    python -m docs.tools.rooms

writes ``docs/images/rooms.svg`` and the list in ``docs/reference/contributing.md``; the tests compare both.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

from docs.tools.drawing import BLUE, GREEN, INK, ORANGE, PALE, Drawing
from tests.support.modules import TREES, imports, modules_of_reedsp, room_of_module, run_time_nodes
from tests.support.rooms import layers

DOCS = Path(__file__).resolve().parents[1]
PICTURE, PAGE = DOCS / "images" / "rooms.svg", DOCS / "reference" / "contributing.md"
LEFT_OUT = {"__init__", "__main__", "_nx_info", "_version", "typing"}  # single files that are no room to work in
STEP, BOX_WIDTH, BOX_HEIGHT, HEAD = 36, 150, 28, 7  # pixels


def imports_between_rooms() -> Counter[tuple[str, str]]:
    """Return how many pairs of modules there are of which one, in the first room, imports one in the second."""
    return Counter(
        (room_of_module(module), room_of_module(imported))
        for module, tree in TREES.items()
        for imported in modules_of_reedsp(imports(run_time_nodes(tree)))
        if room_of_module(module) != room_of_module(imported)
    )


def rooms_by_floor() -> list[list[str]]:
    """Return the rooms that are shown, the highest floor first."""
    shown = [[room for room in floor if room not in LEFT_OUT] for floor in layers()]
    return [floor for floor in shown if floor]


def picture() -> str:
    """Return the map: from each room lines lead to the right and down to those that it imports from.

    A circle where two lines meet says how many imports there are; a line down is the wider, the more have met it.
    """
    shown = rooms_by_floor()
    order = [room for floor in shown for room in floor]
    counts = imports_between_rooms()
    right = [14 + BOX_WIDTH + STEP * place for place in range(len(order))]  # ends of the boxes
    middle = [30 + STEP * place for place in range(len(order))]
    down = [x - STEP / 2 for x in right]  # where the lines to a room come down
    width = right[-1] + 14
    drawing = Drawing(width, middle[-1] + 30, "The rooms of reedsp, and how many imports lead from one down to another")

    for number, floor in enumerate(shown):
        if number % 2:
            top = middle[order.index(floor[0])] - STEP / 2
            drawing.band(0, top, width, STEP * len(floor), PALE)
    for place, room in enumerate(order):
        below = [down[other] for other, name in enumerate(order) if counts[room, name]]
        drawing.line(right[place], middle[place], max(below, default=right[place]), middle[place])
    for place, room in enumerate(order):
        into = [(middle[above], counts[name, room]) for above, name in enumerate(order) if counts[name, room]]
        met, end = 0, middle[place] - BOX_HEIGHT / 2
        for (y, count), (to_y, _) in pairwise([*into, (end - HEAD, 0)]):
            met += count
            drawing.line(down[place], y, down[place], to_y, width=1.5 + met / 6)
        if into:
            drawing.line(down[place], end - HEAD - 1, down[place], end, INK, arrow=True, width=1.5)
    for place, room in enumerate(order):
        for other, name in enumerate(order):
            if count := counts[room, name]:
                drawing.circle(down[other], middle[place], 7 + 1.2 * math.sqrt(count), count, size=11)
    algorithms = [place for place, room in enumerate(order) if "." in room]
    for place, room in enumerate(order):
        colour = GREEN if place < algorithms[0] else ORANGE if place in algorithms else BLUE
        x, y = right[place] - BOX_WIDTH, middle[place] - BOX_HEIGHT / 2
        drawing.box(x, y, BOX_WIDTH - 2, BOX_HEIGHT, colour, room.rpartition(".")[2], bold=True, size=13)
    legend = ((GREEN, "what users call"), (ORANGE, "algorithms"), (BLUE, "what they are made of"))
    for (colour, text), y in zip(legend, middle[-3:], strict=True):
        drawing.box(14, y - 8, 16, 16, colour)
        drawing.text(38, y, text, anchor="start", size=13)
    return drawing.svg()


def table() -> str:
    """Return what each room holds, by its docstring, the lowest floor first."""
    lines = ["| room | what it holds |", "|---|---|"]
    for floor in reversed(rooms_by_floor()):
        for room in floor:
            path = room.replace(".", "/") + ("/" if any(name.startswith(f"{room}.") for name in TREES) else ".py")
            text = (ast.get_docstring(TREES[room]) or "").partition("\n")[0].replace("``", "`").removesuffix(".")
            lines.append(f"| `{path}` | {text} |")
    return "\n".join(lines)


def with_table(page: str) -> str:
    """Return a page with the list made again."""
    return re.sub(
        r"(<!-- rooms -->\n).*?(<!-- end -->)", lambda at: f"{at[1]}\n{table()}\n\n{at[2]}", page, flags=re.DOTALL
    )


def main() -> None:
    """Write both."""
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
