// Blocked Floyd-Warshall in place: a work-group takes a tile, and all that its tasks need is in local memory.
//
// Source:       Lund and Smith, section 3.2, after Katz and Kider. In figure 2 the loops over ib and jb (lines 13, 23,
//               33 and 34) run to n/s, one tile too far, and do not leave out b, whose tiles are done by then; "block"
//               and "size" in line 37 are b and s.
// NDRange:      T = n / TILE. independent_tile: one work-group. singly_dependent_tiles: T - 1 by 2 of them, tiles of
//               the row and of the column. doubly_dependent_tiles: T - 1 by T - 1. Work-group (GROUP_SIDE, GROUP_SIDE).
// Local memory: TILE * TILE * sizeof(WEIGHT) for the independent tile, twice that for a singly dependent one, three
//               times for a doubly dependent one.
// Macros:       TILE, side of a tile, which divides n, in the paper 32; GROUP_SIDE, work-items along each side of a
//               tile, there 16; those of minplus/common.cl.
//
// Each stage is a launch of the three kernels, in this order, for one tile on the diagonal. What the others read in
// step k, row k or column k of a tile or both, is left alone in that step, as in all_pairs/harish_narayanan.cl.

#if !defined(TILE) || !defined(GROUP_SIDE)
#error "all_pairs/katz_kider.cl needs the macros TILE and GROUP_SIDE"
#endif
#if TILE % GROUP_SIDE
#error "all_pairs/katz_kider.cl: GROUP_SIDE has to divide TILE"
#endif

#include "minplus/common.cl"
#include "core/dispatch.cl"

// Sides of the work-group apart, the entries of one work-item.
#define FOR_EACH_ENTRY(x, y)                                  \
    for (uint y = get_local_id(1); y < TILE; y += GROUP_SIDE) \
        for (uint x = get_local_id(0); x < TILE; x += GROUP_SIDE)

void load(__local WEIGHT (*tile)[TILE], __global const WEIGHT *matrix, const uint n, const size_t tile_row,
          const size_t tile_column)
{
    FOR_EACH_ENTRY(x, y)
        tile[y][x] = matrix[(tile_row * TILE + y) * n + tile_column * TILE + x];
}

void store(__global WEIGHT *matrix, const uint n, const size_t tile_row, const size_t tile_column,
           __local WEIGHT (*tile)[TILE])
{
    FOR_EACH_ENTRY(x, y)
        matrix[(tile_row * TILE + y) * n + tile_column * TILE + x] = result(AS_TYPE(ORDER, tile[y][x]));
}

// The number-th tile along a row or column of tiles that is not on the diagonal of this stage.
size_t other(const size_t number, const uint diagonal)
{
    return number < diagonal ? number : number + 1;
}

WORK_GROUP(GROUP_SIDE, GROUP_SIDE, 1)
__kernel void independent_tile(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT tile[TILE][TILE];
    load(tile, matrix, n, diagonal, diagonal);
    for (uint k = 0; k < TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_EACH_ENTRY(x, y) {
            if (x != k && y != k)
                tile[y][x] = result(relaxed(AS_TYPE(ORDER, tile[y][x]), tile[y][k], tile[k][x]));
        }
    }
    store(matrix, n, diagonal, diagonal, tile);
}

WORK_GROUP(GROUP_SIDE, GROUP_SIDE, 1)
__kernel void singly_dependent_tiles(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT independent[TILE][TILE];
    __local WEIGHT tile[TILE][TILE];
    const bool in_row = GROUP_OF_LAUNCH(1) == 0;
    const size_t number = other(GROUP_OF_LAUNCH(0), diagonal);
    const size_t tile_row = in_row ? diagonal : number, tile_column = in_row ? number : diagonal;
    load(independent, matrix, n, diagonal, diagonal);
    load(tile, matrix, n, tile_row, tile_column);
    for (uint k = 0; k < TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR_EACH_ENTRY(x, y) {
            if (in_row && y != k)
                tile[y][x] = result(relaxed(AS_TYPE(ORDER, tile[y][x]), independent[y][k], tile[k][x]));
            else if (!in_row && x != k)
                tile[y][x] = result(relaxed(AS_TYPE(ORDER, tile[y][x]), tile[y][k], independent[k][x]));
        }
    }
    store(matrix, n, tile_row, tile_column, tile);
}

WORK_GROUP(GROUP_SIDE, GROUP_SIDE, 1)
__kernel void doubly_dependent_tiles(__global WEIGHT *matrix, const uint n, const uint diagonal)
{
    __local WEIGHT in_column[TILE][TILE];
    __local WEIGHT in_row[TILE][TILE];
    __local WEIGHT tile[TILE][TILE];
    const size_t tile_row = other(GROUP_OF_LAUNCH(1), diagonal), tile_column = other(GROUP_OF_LAUNCH(0), diagonal);
    load(in_column, matrix, n, tile_row, diagonal);
    load(in_row, matrix, n, diagonal, tile_column);
    load(tile, matrix, n, tile_row, tile_column);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_ENTRY(x, y) {
        for (uint k = 0; k < TILE; ++k)
            tile[y][x] = AS_TYPE(WEIGHT, relaxed(AS_TYPE(ORDER, tile[y][x]), in_column[y][k], in_row[k][x]));
    }
    store(matrix, n, tile_row, tile_column, tile);
}
