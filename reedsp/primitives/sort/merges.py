"""Sorts by comparisons: runs are sorted, and pairs of runs merged until one is left."""

from __future__ import annotations

import numpy as np

from reedsp.device.dispatch import even
from reedsp.primitives.sort.records import Pass, Sorting, kernel_by_order

PRESORTS = ("bitonic", "odd-even", "none")
"""How Dulle's lists can be sorted first."""

LIST_LENGTH = 256
"""Records of such a list, by default."""

_WORK_ITEM_FILE = "sort/merge_work_item.cl"
_WORK_GROUP_FILE = "sort/merge_work_group.cl"
_LISTS_FILE = "sort/lists.cl"
_RUN = 16  # records that a work-item sorts by insertion
_PIECE = 1 << 13  # records that it merges
_GROUP_SIZE = 256
_ITEMS = 7  # records of a work-item in a tile; an odd number, so that work-items read from different banks
_STEP_GROUP_SIZE = 256
_COMPARISON = 4  # steps, as devices count them, that one takes


def merge_path_sort(sorting: Sorting, form: str) -> None:
    """Queue the sort of records, merged along merge paths (Green, McColl and Bader 2012)."""
    (_by_work_items if form == "work-item" else _by_work_groups)(sorting)


def _by_work_items(sorting: Sorting) -> None:
    job, records, n = sorting.job, sorting.records, sorting.n
    macros = {"RUN": _RUN, "PIECE": _PIECE}
    runs, pieces = -(-n // _RUN), -(-n // _PIECE)

    def queue(number: int, step: Pass) -> None:
        name, items = ("sort_runs", runs) if number == 0 else ("merge_runs", pieces)
        kernel = kernel_by_order(job, records, _WORK_ITEM_FILE, name, step.is_last, **macros)
        flags = (step.numbered, step.keeps_keys) if number == 0 else (step.keeps_keys,)
        width = () if number == 0 else (np.uint64(_RUN << number - 1),)
        slices = even(0, items, 1, n * _COMPARISON, job.device.steps_at_once)
        job.launch(kernel, items, 1, *step.buffers, *flags, *width, np.uint64(n), slices=slices)

    sorting.run(1 + _merges(runs), queue)


def _by_work_groups(sorting: Sorting) -> None:
    job, records, n = sorting.job, sorting.records, sorting.n
    size = 1 << min(_GROUP_SIZE, job.device.max_work_group_size).bit_length() - 1
    macros = {"GROUP_SIZE": size, "ITEMS": _ITEMS}
    tile = size * _ITEMS
    tiles = -(-n // tile)

    def queue(number: int, step: Pass) -> None:
        name = "sort_tiles" if number == 0 else "merge_tiles"
        kernel = kernel_by_order(job, records, _WORK_GROUP_FILE, name, step.is_last, **macros)
        flags = (step.numbered, step.keeps_keys) if number == 0 else (step.keeps_keys,)
        width = () if number == 0 else (np.uint64(tile << number - 1),)
        job.launch(kernel, tiles * size, size, *step.buffers, *flags, *width, np.uint64(n))

    sorting.run(1 + _merges(tiles), queue)


def list_sort(sorting: Sorting, presort: str, length: int) -> None:
    """Queue the sort of records by Algorithm 11 of Dulle's thesis.

    Parameters
    ----------
    sorting : Sorting
    presort : {"bitonic", "odd-even", "none"}
    length : int
        Records of a list that is sorted first.
    """
    job, records, n = sorting.job, sorting.records, sorting.n
    presorts = presort != "none"
    width = length if presorts else 1
    count = presorts + _merges(-(-n // width))
    if count == 0:
        presorts, count = True, 1  # a single record, in a list of its own
    macros = {"LIST": length, "BITONIC": int(presort == "bitonic")}
    comparisons = length // 2 if presort == "odd-even" else length.bit_length() ** 2
    group = min(_STEP_GROUP_SIZE, job.device.max_work_group_size)

    def queue(number: int, step: Pass) -> None:
        flags, at_once = (step.numbered, step.keeps_keys), job.device.steps_at_once
        if number == 0 and presorts:
            kernel = kernel_by_order(job, records, _LISTS_FILE, "sort_lists", step.is_last, **macros)
            items = -(-n // length) * length
            slices = even(0, items, length, n * comparisons, at_once)
            job.launch(kernel, items, length, *step.buffers, *flags, np.uint64(n), slices=slices)
            return
        kernel = kernel_by_order(job, records, _LISTS_FILE, "merge_step", step.is_last, **macros)
        merged = width << number - presorts
        items = -(-n // group) * group
        slices = even(0, items, group, n * merged.bit_length(), at_once)
        job.launch(kernel, items, group, *step.buffers, *flags, np.uint64(merged), np.uint64(n), slices=slices)

    sorting.run(count, queue)


def _merges(runs: int) -> int:
    """Return how often the number of runs has to be halved until one is left."""
    return (runs - 1).bit_length()
