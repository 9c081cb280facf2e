"""No kernel cuts a 64-bit number to 32 bits unawares; to try an offset too large for 32 bits takes gigabytes."""

from __future__ import annotations

import re

import pyopencl as cl
import pytest

import reedsp
from reedsp.device import build
from reedsp.device.device import Device
from tests.device import test_build

POCL = next((each for each in reedsp.devices() if each.platform.startswith("Portable")), None)

STRICT = """#pragma clang diagnostic warning "-Wshorten-64-to-32"
#pragma clang diagnostic ignored "-Wpsabi"
#define get_local_id(dimension) ((uint)get_local_id(dimension))
#define get_local_size(dimension) ((uint)get_local_size(dimension))
"""
"""What is within a work-group is small. The build options that PoCL takes do not include warnings.

Clang warns of each vector of 16 ints where the processor has none of that width.
"""

SMALLEST = "not above its other argument, a uint"
VERTEX = "entries have vertices"
LAUNCHED = "the host launches as many work-items as there are slots, a uint"
FITS: dict[tuple[str, str], str] = {
    ("primitives/elements.cl", "out[VALUE_OF(before)] = i;"): "compaction to places numbers fewer than 2**32 elements",
    (
        "all_pairs/floyd_warshall_stage.cl",
        "const uint tile_row = get_group_id(1), tile_column = get_group_id(0) / PARTS;",
    ): "tiles of a span",
    (
        "forests/kruskal.cl",
        "const uint count = state[COUNT], first = state[NEXT], last = min((ulong)count, first + budget);",
    ): SMALLEST,
    ("minplus/row_blocks.cl", "const uint count = min((size_t)BLOCK, inner - first);"): SMALLEST,
    (
        "single_source/near_far_team.cl",
        "return index < near_count ? pile(entries, share->side, worker, 0, capacity)[share->head + index].vertex",
    ): VERTEX,
    (
        "single_source/near_far_team.cl",
        ": pile(entries, share->side, worker, 1, capacity)[index - near_count].vertex;",
    ): VERTEX,
    (
        "single_source/near_far_team.cl",
        "const uint vertex = vertex_at(entries, share, worker, count * i / SAMPLE, capacity);",
    ): "below count, a sum of two places in piles of `capacity`, a uint",
    (
        "single_source/near_far_team.cl",
        "const uint vertex = vertex_at(entries, &share, worker, index - before, capacity);",
    ): "within the piles of one work-item",
    ("single_source/near_far_work_group.cl", "const uint number = get_global_id(0);"): LAUNCHED,
    ("single_source/near_far_work_group.cl", "const uint number = get_global_id(0), slot = first + number;"): LAUNCHED,
    (
        "single_source/near_far_work_group.cl",
        "const uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);",
    ): LAUNCHED,
    ("single_source/near_far_work_group.cl", "const uint taken = min((size_t)share, waiting - begin);"): SMALLEST,
    (
        "single_source/near_far_work_group.cl",
        "const bool leaves = !share_out(s, last - edge, s->sums, may_leave ? s->edges_alone : UINT_MAX);",
    ): "edges of one vertex, each to another one",
    (
        "single_source/near_far_work_group.cl",
        "degree = s->first_edge[vertex + 1] - s->first_edge[vertex];",
    ): "edges of one vertex, each to another one",
    (
        "primitives/work_group_scan.cl",
        "const uint earlier = get_group_id(0);",
    ): "there are some work-groups for each compute unit",
}
"""Where 64 bits do become 32: file and line, and why the number is small enough."""

needs_pocl = pytest.mark.skipif(POCL is None, reason="the warning is one of PoCL's compiler")


def narrowed(device: Device, source: str) -> set[tuple[str, str]]:
    """Return the files and lines in which a compiler sees 64 bits become 32 without a cast."""
    program = cl._cl._Program(device.context, STRICT + source)
    program.compile(build._OPTIONS, [device.handle], [])
    log = str(program.get_build_info(device.handle, cl.program_build_info.LOG))
    found = re.findall(r"cl/(\w+/\w+\.cl):(\d+):\d+.*: implicit conversion loses integer precision", log)
    assert len(found) == log.count("warning:"), log
    return {(file, lines_of(file)[int(line) - 1].strip()) for file, line in found}


def lines_of(file: str) -> list[str]:
    return (build.kernel_directory() / file).read_text(encoding="utf-8").split("\n")


@pytest.mark.deep
@needs_pocl
@pytest.mark.parametrize("file", test_build.OWN_MACROS)
def test_no_number_is_cut_short(file: str) -> None:
    """In the narrowest and in the widest types that the library builds a file with."""
    first, *_, last = [*test_build.combinations(file)] * 2
    for macros in (first, last):
        assert narrowed(POCL, build.assemble(file, macros)) <= set(FITS)


@needs_pocl
def test_a_number_that_is_cut_short_would_be_noticed() -> None:
    line = "kernel void planted(global int *out, ulong place) { uint i = place; out[i] = get_local_id(0); }"
    source = f'{build.assemble("core/self_test.cl", test_build.SELF_TEST)}#line 1 "cl/core/weights.cl"\n{line}\n'
    assert narrowed(POCL, source) == {("core/weights.cl", lines_of("core/weights.cl")[0])}


@pytest.mark.parametrize(("file", "line"), FITS)
def test_lines_that_are_excepted_exist(file: str, line: str) -> None:
    assert line in map(str.strip, lines_of(file))
