"""The page of this project on PyPI: the README, with links that lead somewhere from there.

Hatchling runs this when it builds a release. ``repository`` in ``pyproject.toml`` is the one line that says where the
repository can be read; as long as it is empty, what would be a link is plain text, and there are no pictures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE = r"(?!\w+:|#)([^)]+)"
_PICTURE = re.compile(rf"!\[([^\]]*)\]\({_RELATIVE}\)")
_LINK = re.compile(rf"(?<!!)\[([^\]]*)\]\({_RELATIVE}\)")


class FrontPage(MetadataHookInterface):
    """Adds the description and the addresses to the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill the fields that ``pyproject.toml`` calls dynamic."""
        repository: str = self.config["repository"]
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": page(readme, repository)}
        metadata["urls"] = addresses(repository)


def page(readme: str, repository: str) -> str:
    """Return the README with absolute links, or without links into the repository if that has no address."""
    if not repository:
        return _LINK.sub(r"\1", _PICTURE.sub("", readme))
    with_pictures = _PICTURE.sub(rf"![\1]({repository}/raw/HEAD/\2)", readme)
    return _LINK.sub(rf"[\1]({repository}/blob/HEAD/\2)", with_pictures)


def addresses(repository: str) -> dict[str, str]:
    """Return what PyPI lists beside the page."""
    if not repository:
        return {}
    return {
        "Source": repository,
        "Documentation": f"{repository}/blob/HEAD/docs/index.md",
        "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
