"""A picture under construction, as text: the same bytes everywhere."""

from __future__ import annotations

import html

INK, PALE, LINE = "#1f2933", "#eef1f5", "#9aa5b1"
BLUE, ORANGE, GREEN = "#2563c9", "#c2610c", "#1d7d4d"
TINTS = {BLUE: "#dbe7fb", ORANGE: "#fbe6d1", GREEN: "#d5f0e1", LINE: "#ffffff", INK: PALE}


class Drawing:
    """An SVG picture under construction; lengths in pixels.

    Parameters
    ----------
    width, height : int
    title : str
        Read out to whoever does not see the picture.
    """

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="15">',
            f"<title>{html.escape(title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L10 5L0 10z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
        ]

    def text(self, x: float, y: float, text: object, colour: str = INK, anchor: str = "middle", bold: bool = False,
             size: int = 15) -> None:  # fmt: skip
        """Write a line of text whose middle is at height y."""
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y + 0.35 * size:g}" fill="{colour}" text-anchor="{anchor}" '
            f'font-size="{size}"{weight}>{html.escape(str(text))}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, colour: str = LINE, text: object = "",
            bold: bool = False, size: int = 15) -> None:  # fmt: skip
        """Draw a rectangle with a text in it."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{TINTS[colour]}" '
            f'stroke="{colour}"/>'
        )
        if str(text):
            self.text(x + width / 2, y + height / 2, text, INK if colour == LINE else colour, bold=bold, size=size)

    def band(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Draw a rectangle without a border, for what stands on it."""
        self._parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}"/>')

    def circle(self, x: float, y: float, radius: float, text: object, size: int = 15) -> None:
        """Draw a vertex."""
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{TINTS[BLUE]}" stroke="{BLUE}" stroke-width="2"/>'
        )
        self.text(x, y, text, BLUE, bold=True, size=size)

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str = LINE, arrow: bool = False,
             width: float = 2) -> None:  # fmt: skip
        """Draw a line, with an arrow head at its end if asked for."""
        tip = ' marker-end="url(#tip)"' if arrow else ""
        self._parts.append(
            f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{colour}" stroke-width="{width:g}"{tip}/>'
        )

    def svg(self) -> str:
        """Return the picture."""
        return "\n".join([*self._parts, "</svg>", ""])
