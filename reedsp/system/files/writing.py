"""Parts of a file that is open."""

from __future__ import annotations

from typing import IO


def write(stream: IO[bytes], offset: int | None, content: bytes | memoryview) -> None:
    """Write contiguous content at an offset in a file, or at the end of what has been written so far."""
    if offset is not None:
        stream.seek(offset)
    stream.write(content)
    stream.flush()
