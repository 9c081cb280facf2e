// Min-plus product, each work-group a tile of C: tiles of A and B pass through local memory.
//
// Source:       thesis Algorithm 5 (section 4.1.4). The text loads A[gyid * gsize] and B[i + lyid][gxid * gsize]
//               without the work-item's own row and column, lacks the barrier after the inner loop, whose length it
//               fixes at 32, and stores the tile transposed.
// NDRange:      global (columns, rows) rounded up to TILE, work-group (TILE, TILE).
// Local memory: TILE * (2 * TILE + 1) * sizeof(WEIGHT).
// Macros:       TILE, side of a tile; those of minplus/common.cl.

#ifndef TILE
#error "minplus/tiles.cl needs the macro TILE"
#endif

#include "minplus/common.cl"

WORK_GROUP(TILE, TILE, 1)
__kernel void multiply(__global const WEIGHT *restrict a, __global const WEIGHT *restrict b,
                       __global WEIGHT *restrict c, const uint rows, const uint inner, const uint columns)
{
    __local WEIGHT a_tile[TILE][TILE];
    __local WEIGHT b_tile[TILE][TILE + 1];  // a column of it lies in TILE different banks (figure 4.2)
    const size_t column = get_global_id(0), row = get_global_id(1);
    const uint x = get_local_id(0), y = get_local_id(1);
    ORDER minimum = NONE;
    for (size_t first = 0; first < inner; first += TILE) {
        a_tile[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : NO_PATH;
        b_tile[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : NO_PATH;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; ++k)
            minimum = relaxed(minimum, a_tile[y][k], b_tile[k][x]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows && column < columns)
        c[row * columns + column] = result(minimum);
}
