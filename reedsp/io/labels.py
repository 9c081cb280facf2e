"""Labels of vertices as arrays, and back.

Integers are an array of int64, and strings one of numpy's, in which all are as long as the longest. Where that would
be large, strings are UTF-8 behind one another, and where each of them ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.io.archives import BASE_SIZE

LABELS, TEXT, ENDS = "labels", "label_text", "label_ends"
"""What the arrays are called: the first, or the other two."""

_SURROGATES = "surrogatepass"
"""Strings of Python may hold them alone."""


def label_arrays(labels: Sequence[Any] | None) -> dict[str, npt.NDArray[Any]]:
    """Return labels as arrays by name; none if they are neither integers nor strings, or would be changed."""
    kinds = set(map(type, labels or ()))
    if labels is None or not (kinds <= {int} or kinds <= {str}):
        return {}
    if kinds == {str} and array_size(labels) > BASE_SIZE:
        return _as_text(labels)
    try:
        array = np.array(labels, dtype=np.int64 if kinds <= {int} else np.str_)
    except OverflowError:
        return {}
    return {LABELS: array} if array.tolist() == list(labels) else {}


def array_size(labels: Sequence[str]) -> int:
    """Return the bytes of numpy's array of these strings."""
    return 4 * len(labels) * max(map(len, labels), default=0)


def _as_text(labels: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    words = [label.encode(errors=_SURROGATES) for label in labels]
    ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)))
    return {TEXT: np.frombuffer(b"".join(words), np.uint8), ENDS: ends}


class LabelText(NamedTuple):
    """Strings that are written behind one another, of which at most one is empty.

    Attributes
    ----------
    text : ndarray of uint8
        Their UTF-8.
    ends : ndarray of int64
        Where each of them ends.
    """

    text: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]

    def strings(self) -> list[str]:
        """Return them.

        Raises
        ------
        ValueError
            One is no UTF-8.
        """
        content = self.text.tobytes()
        labels: list[str] = []
        for begin, end in itertools.pairwise((0, *self.ends.tolist())):
            try:
                labels.append(content[begin:end].decode(errors=_SURROGATES))
            except UnicodeDecodeError:
                raise ValueError(f"labels[{len(labels)}] is no UTF-8 text: {content[begin:end][:40]!r}") from None
        return labels


def label_text(arrays: Mapping[str, npt.NDArray[Any]], n: int) -> LabelText:
    """Return n strings that are written behind one another, none of which has been made yet.

    Raises
    ------
    ValueError
        The arrays are not of such strings, or two are empty.
    """
    text, ends = arrays[TEXT], arrays[ENDS]
    if text.dtype != np.uint8 or text.ndim != 1:
        raise ValueError(f"{TEXT}: expected bytes, got {text.dtype} of shape {text.shape}")
    if ends.dtype != np.int64 or ends.shape != (n,):
        raise ValueError(f"{ENDS}: expected int64 of shape {(n,)}, got {ends.dtype} of shape {ends.shape}")
    bounds = np.concatenate(([0], ends))
    if (bounds[1:] < bounds[:-1]).any() or bounds[-1] != len(text):
        raise ValueError(f"{ENDS}: they do not ascend to the {len(text)} bytes of {TEXT}")
    empty = np.flatnonzero(bounds[1:] == bounds[:-1])
    if len(empty) > 1:
        raise ValueError(f"labels[{empty[1]}] = '' is also labels[{empty[0]}]")
    return LabelText(text, ends)
