// Min-plus product, each work-group a piece of one row: it loads the row of A block by block into local memory.
//
// Source:       thesis Algorithm 4 (section 4.1.2) and its variant on a transposed B. The text loads A[i + lid] without
//               the row, has no barrier between loading and using a block, and stores result[idx][idy].
// NDRange:      global (columns rounded up to BLOCK, rows), work-group (BLOCK, 1); transpose: (BLOCK, TILE_STEP)
//               work-items for each tile of BLOCK x BLOCK entries.
// Local memory: BLOCK * sizeof(WEIGHT); transpose: BLOCK * (BLOCK + 1) * sizeof(WEIGHT).
// Macros:       BLOCK, entries of a block, in the thesis 32, the size of a warp; TRANSPOSED, 1 if b is given by columns,
//               (columns, inner); those of minplus.cl.

#if !defined(BLOCK) || !defined(TRANSPOSED)
#error "minplus_row_blocks.cl needs the macros BLOCK and TRANSPOSED"
#endif

#include "minplus.cl"

#define TILE_STEP 8  // rows of a tile that a work-group transposes at once

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void multiply(__global const WEIGHT *restrict a, __global const WEIGHT *restrict b, __global WEIGHT *restrict c,
              const uint rows, const uint inner, const uint columns)
{
    __local WEIGHT block[BLOCK];
    const size_t column = get_global_id(0), row = get_global_id(1);
    const uint item = get_local_id(0);
    ORDER least = NONE;
    for (size_t first = 0; first < inner; first += BLOCK) {
        block[item] = first + item < inner ? a[row * inner + first + item] : NO_PATH;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (column < columns) {
            const uint count = min((size_t)BLOCK, inner - first);
            for (uint k = 0; k < count; ++k) {
#if TRANSPOSED
                least = shorter(least, block[k], b[column * inner + first + k]);
#else
                least = shorter(least, block[k], b[(first + k) * columns + column]);
#endif
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (column < columns)
        c[row * columns + column] = result(least);
}

// b (rows, columns) to bt (columns, rows), tile by tile through local memory, so that both are accessed along rows.
__kernel __attribute__((reqd_work_group_size(BLOCK, TILE_STEP, 1)))
void transpose(__global const WEIGHT *restrict b, __global WEIGHT *restrict bt, const uint rows, const uint columns)
{
    __local WEIGHT tile[BLOCK][BLOCK + 1];
    const size_t first_column = get_group_id(0) * BLOCK, first_row = get_group_id(1) * BLOCK;
    const uint x = get_local_id(0);
    for (uint y = get_local_id(1); y < BLOCK; y += TILE_STEP) {
        if (first_row + y < rows && first_column + x < columns)
            tile[y][x] = b[(first_row + y) * columns + first_column + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = get_local_id(1); y < BLOCK; y += TILE_STEP) {
        if (first_column + y < columns && first_row + x < rows)
            bt[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
}
