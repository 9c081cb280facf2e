// Blocked Floyd-Warshall in place as in all_pairs/katz_kider.cl, with fewer and cheaper instructions for each task.
//
// Source:       Lund and Smith, section 4, "Optimized and Blocked": loops are unrolled and no index is divided.
// NDRange:      as in all_pairs/katz_kider.cl, but the work-group is (TILE, GROUP_ROWS).
// Local memory: as in all_pairs/katz_kider.cl, three tiles for a doubly dependent one.
// Macros:       TILE, side of a tile, which divides n, in the paper 32; GROUP_ROWS, rows of a tile that the work-group
//               updates at once, 8; UNROLL, steps of k for which an entry stays in a register; those of
//               minplus/common.cl.
//
// A work-item has entries of one column, GROUP_ROWS rows apart: the index of the first of them is computed once, the
// others lie at constant distances, and what it reads of row k serves all of them.

#if !defined(TILE) || !defined(GROUP_ROWS) || !defined(UNROLL)
#error "all_pairs/optimized_blocked.cl needs the macros TILE, GROUP_ROWS and UNROLL"
#endif
#if TILE % GROUP_ROWS || TILE % UNROLL
#error "all_pairs/optimized_blocked.cl: GROUP_ROWS and UNROLL have to divide TILE"
#endif

#include "minplus/common.cl"
#include "core/dispatch.cl"

#define ENTRIES (TILE / GROUP_ROWS)
#define APART (GROUP_ROWS * TILE)

void load(__local WEIGHT *own, __global const WEIGHT *source, const size_t step)
{
#pragma unroll
    for (uint entry = 0; entry < ENTRIES; ++entry)
        own[entry * APART] = source[entry * step];
}

void store(__global WEIGHT *target, const size_t step, __local const WEIGHT *own)
{
#pragma unroll
    for (uint entry = 0; entry < ENTRIES; ++entry)
        target[entry * step] = result(AS_TYPE(ORDER, own[entry * APART]));
}

// The number-th tile along a row or column of tiles that is not on the diagonal of this stage.
size_t other(const size_t number, const uint diagonal)
{
    return number + (number >= diagonal);
}

// Index in the matrix of this work-item's first entry of a tile.
size_t index_of(const uint n, const size_t tile_row, const size_t tile_column)
{
    return (tile_row * TILE + get_local_id(1)) * n + tile_column * TILE + get_local_id(0);
}

WORK_GROUP(TILE, GROUP_ROWS, 1)
__kernel void independent_tile(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT tile[TILE * TILE];
    const uint x = get_local_id(0), y = get_local_id(1), row = y * TILE;
    __global WEIGHT *const first = matrix + index_of(n, diagonal, diagonal);
    const size_t step = (size_t)GROUP_ROWS * n;
    load(tile + row + x, first, step);
    for (uint k = 0; k < TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const WEIGHT in_row = tile[k * TILE + x];
#pragma unroll
        for (uint entry = 0; entry < ENTRIES; ++entry) {
            __local WEIGHT *const own = tile + row + x + entry * APART;
            if (x != k && y + entry * GROUP_ROWS != k)
                *own = result(relaxed(AS_TYPE(ORDER, *own), tile[row + entry * APART + k], in_row));
        }
    }
    store(first, step, tile + row + x);
}

WORK_GROUP(TILE, GROUP_ROWS, 1)
__kernel void singly_dependent_tiles(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT independent[TILE * TILE];
    __local WEIGHT tile[TILE * TILE];
    const uint x = get_local_id(0), y = get_local_id(1), row = y * TILE;
    const size_t number = other(GROUP_OF_LAUNCH(0), diagonal), step = (size_t)GROUP_ROWS * n;
    const bool is_in_row = GROUP_OF_LAUNCH(1) == 0;
    __global WEIGHT *const first = matrix + (is_in_row ? index_of(n, diagonal, number) : index_of(n, number, diagonal));
    load(independent + row + x, matrix + index_of(n, diagonal, diagonal), step);
    load(tile + row + x, first, step);
    __local const WEIGHT *const left = is_in_row ? independent : tile;
    __local const WEIGHT *const right = is_in_row ? tile : independent;
    for (uint k = 0; k < TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const WEIGHT in_row = right[k * TILE + x];
#pragma unroll
        for (uint entry = 0; entry < ENTRIES; ++entry) {
            __local WEIGHT *const own = tile + row + x + entry * APART;
            if ((is_in_row ? y + entry * GROUP_ROWS : x) != k)
                *own = result(relaxed(AS_TYPE(ORDER, *own), left[row + entry * APART + k], in_row));
        }
    }
    store(first, step, tile + row + x);
}

WORK_GROUP(TILE, GROUP_ROWS, 1)
__kernel void doubly_dependent_tiles(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT in_column[TILE * TILE];
    __local WEIGHT in_row[TILE * TILE];
    __local WEIGHT tile[TILE * TILE];
    const uint x = get_local_id(0), row = get_local_id(1) * TILE;
    const size_t tile_row = other(GROUP_OF_LAUNCH(1), diagonal), tile_column = other(GROUP_OF_LAUNCH(0), diagonal);
    __global WEIGHT *const first = matrix + index_of(n, tile_row, tile_column);
    const size_t step = (size_t)GROUP_ROWS * n;
    load(in_column + row + x, matrix + index_of(n, tile_row, diagonal), step);
    load(in_row + row + x, matrix + index_of(n, diagonal, tile_column), step);
    load(tile + row + x, first, step);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; k += UNROLL) {
        WEIGHT right[UNROLL];
#pragma unroll
        for (uint next = 0; next < UNROLL; ++next)
            right[next] = in_row[(k + next) * TILE + x];
#pragma unroll
        for (uint entry = 0; entry < ENTRIES; ++entry) {
            __local WEIGHT *const own = tile + row + x + entry * APART;
            __local const WEIGHT *const left = in_column + row + entry * APART + k;
            ORDER minimum = AS_TYPE(ORDER, *own);
#pragma unroll
            for (uint next = 0; next < UNROLL; ++next)
                minimum = relaxed(minimum, left[next], right[next]);
            *own = AS_TYPE(WEIGHT, minimum);
        }
    }
    store(first, step, tile + row + x);
}
