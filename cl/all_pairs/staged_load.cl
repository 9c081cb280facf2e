// Blocked Floyd-Warshall in place: tiles are in registers, and what their tasks need is loaded in stages.
//
// Source:       Lund and Smith, sections 4.1 to 4.3. They describe doubly dependent tiles only. Singly dependent ones
//               are here updated by the same code: the independent tile holds the minimum path weights between its
//               vertices already, so that the order of k no longer matters.
// NDRange:      T = n / TILE. independent_tile: one work-group. singly_dependent_tiles: T - 1 by 2 of them, tiles of
//               the row and of the column. doubly_dependent_tiles: T - 1 by T - 1. Work-group (GROUP_SIZE, 1).
//               to_tiles, from_tiles: global (n, n), the work-group is free.
// Local memory: 2 * TILE * STAGE * sizeof(WEIGHT); the independent tile: TILE * TILE * sizeof(WEIGHT).
// Macros:       TILE, side of a tile, which divides n, in the paper 32; STAGE, steps of k in a stage and side of the
//               small tiles, there 4; GROUP_SIZE, work-items for a tile, there 64; those of minplus/common.cl.
//
// The matrix is kept as tiles of small tiles, all contiguous, and both kinds in row-major order. A stage needs a column
// of small tiles on the left and a row of them on the right: both are read in contiguous pieces. The entries of a
// work-item have the same index (i, j) in small tiles in every row of these, and in COLUMNS columns. Neighbouring
// work-items, those of one small tile, are to read different banks of local memory in each step, so they begin a stage
// with different k.

#if !defined(TILE) || !defined(STAGE) || !defined(GROUP_SIZE)
#error "all_pairs/staged_load.cl needs the macros TILE, STAGE and GROUP_SIZE"
#endif
#if TILE % STAGE || GROUP_SIZE % (STAGE * STAGE) || TILE * STAGE % GROUP_SIZE
#error "all_pairs/staged_load.cl: work-items come in small tiles, which share a row of them evenly"
#endif

#include "minplus/common.cl"
#include "core/dispatch.cl"

#define SMALL (STAGE * STAGE)                // entries of a small tile
#define ROWS (TILE / STAGE)                  // of small tiles, and of the entries of a work-item
#define COLUMNS (TILE * STAGE / GROUP_SIZE)  // of the entries of a work-item
#define APART (GROUP_SIZE / SMALL)           // these columns, in small tiles

// Index of an entry in a tile.
uint index_of(const uint y, const uint x)
{
    return (y / STAGE * ROWS + x / STAGE) * SMALL + y % STAGE * STAGE + x % STAGE;
}

// Index of an entry in the matrix.
size_t place_in_matrix(const size_t row, const size_t column, const uint n)
{
    return (row / TILE * (n / TILE) + column / TILE) * TILE * TILE + index_of(row % TILE, column % TILE);
}

__kernel void to_tiles(__global const WEIGHT *restrict matrix, __global WEIGHT *restrict tiles, const uint n)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    tiles[place_in_matrix(row, column, n)] = matrix[row * n + column];
}

__kernel void from_tiles(__global const WEIGHT *restrict tiles, __global WEIGHT *restrict matrix, const uint n)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    matrix[row * n + column] = tiles[place_in_matrix(row, column, n)];
}

// Where a tile begins in the matrix.
size_t tile_at(const size_t tile_row, const size_t tile_column, const uint n)
{
    return (tile_row * (n / TILE) + tile_column) * TILE * TILE;
}

// The number-th tile along a row or column of tiles that is not on the diagonal.
size_t other(const size_t number, const uint diagonal)
{
    return number + (number >= diagonal);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void independent_tile(__global WEIGHT *tiles, const uint n, const uint diagonal)
{
    __local WEIGHT tile[TILE * TILE];
    const uint item = get_local_id(0);
    const uint i = item % SMALL / STAGE, j = item % STAGE;
    __global WEIGHT *const source = tiles + tile_at(diagonal, diagonal, n);
    for (uint entry = item; entry < TILE * TILE; entry += GROUP_SIZE)
        tile[entry] = source[entry];
    for (uint k = 0; k < TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        WEIGHT right[COLUMNS];
#pragma unroll
        for (uint column = 0; column < COLUMNS; ++column)
            right[column] = tile[index_of(k, (column * APART + item / SMALL) * STAGE + j)];
#pragma unroll
        for (uint row = 0; row < ROWS; ++row) {
            const uint y = row * STAGE + i;
            const WEIGHT left = tile[index_of(y, k)];
#pragma unroll
            for (uint column = 0; column < COLUMNS; ++column) {
                const uint x = (column * APART + item / SMALL) * STAGE + j, own = index_of(y, x);
                if (x != k && y != k)  // what the others read in this step
                    tile[own] = result(relaxed(AS_TYPE(ORDER, tile[own]), left, right[column]));
            }
        }
    }
    for (uint entry = item; entry < TILE * TILE; entry += GROUP_SIZE)
        source[entry] = tile[entry];
}

void load(ORDER (*minimum)[COLUMNS], __global const WEIGHT *tile)
{
#pragma unroll
    for (uint row = 0; row < ROWS; ++row) {
#pragma unroll
        for (uint column = 0; column < COLUMNS; ++column)
            minimum[row][column] = AS_TYPE(ORDER, tile[(row * COLUMNS + column) * GROUP_SIZE + get_local_id(0)]);
    }
}

void store(__global WEIGHT *tile, ORDER (*minimum)[COLUMNS])
{
#pragma unroll
    for (uint row = 0; row < ROWS; ++row) {
#pragma unroll
        for (uint column = 0; column < COLUMNS; ++column)
            tile[(row * COLUMNS + column) * GROUP_SIZE + get_local_id(0)] = result(minimum[row][column]);
    }
}

// Relax paths by way of the vertices of the diagonal tile: left is a tile of its column, right one of its row.
void update(ORDER (*minimum)[COLUMNS], __global const WEIGHT *left, __global const WEIGHT *right,
            __local WEIGHT *left_stage, __local WEIGHT *right_stage)
{
    const uint item = get_local_id(0);
    const uint i = item % SMALL / STAGE, j = item % STAGE;
    for (uint stage = 0; stage < ROWS; ++stage) {
#pragma unroll
        for (uint entry = item; entry < TILE * STAGE; entry += GROUP_SIZE) {
            left_stage[entry] = left[(entry / SMALL * ROWS + stage) * SMALL + entry % SMALL];
            right_stage[entry] = right[stage * (TILE * STAGE) + entry];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint step = 0; step < STAGE; ++step) {
            const uint k = (i + j + step) % STAGE;
            WEIGHT right_own[COLUMNS];
#pragma unroll
            for (uint column = 0; column < COLUMNS; ++column)
                right_own[column] = right_stage[(column * APART + item / SMALL) * SMALL + k * STAGE + j];
#pragma unroll
            for (uint row = 0; row < ROWS; ++row) {
                const WEIGHT left_own = left_stage[row * SMALL + i * STAGE + k];
#pragma unroll
                for (uint column = 0; column < COLUMNS; ++column)
                    minimum[row][column] = relaxed(minimum[row][column], left_own, right_own[column]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void singly_dependent_tiles(__global WEIGHT *tiles, const uint n, const uint diagonal)
{
    __local WEIGHT left_stage[TILE * STAGE];
    __local WEIGHT right_stage[TILE * STAGE];
    const bool in_row = GROUP_OF_LAUNCH(1) == 0;
    const size_t number = other(GROUP_OF_LAUNCH(0), diagonal);
    __global WEIGHT *const tile = tiles + (in_row ? tile_at(diagonal, number, n) : tile_at(number, diagonal, n));
    __global const WEIGHT *const independent = tiles + tile_at(diagonal, diagonal, n);
    ORDER minimum[ROWS][COLUMNS];
    load(minimum, tile);
    update(minimum, in_row ? independent : tile, in_row ? tile : independent, left_stage, right_stage);
    // the other work-items have read the tile
    barrier(CLK_GLOBAL_MEM_FENCE);
    store(tile, minimum);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void doubly_dependent_tiles(__global WEIGHT *tiles, const uint n, const uint diagonal)
{
    __local WEIGHT left_stage[TILE * STAGE];
    __local WEIGHT right_stage[TILE * STAGE];
    const size_t tile_row = other(GROUP_OF_LAUNCH(1), diagonal), tile_column = other(GROUP_OF_LAUNCH(0), diagonal);
    __global WEIGHT *const tile = tiles + tile_at(tile_row, tile_column, n);
    ORDER minimum[ROWS][COLUMNS];
    load(minimum, tile);
    update(minimum, tiles + tile_at(tile_row, diagonal, n), tiles + tile_at(diagonal, tile_column, n), left_stage,
           right_stage);
    store(tile, minimum);
}
