// Floyd-Warshall within one tile on the diagonal, by a work-group that keeps the tile in registers.
//
// Source:       Lund and Smith, section 3.2, the independent block; the tile stays in registers like their doubly
//               dependent one (section 4.1).
// NDRange:      one work-group of (TILE / SIDE, TILE / SIDE).
// Local memory: 4 * TILE * sizeof(WEIGHT).
// Macros:       TILE, side of the tile; SIDE, side of the square of entries of a work-item; those of minplus/common.cl.
//
// For each k the work-items that hold row k and column k hand them to the others. Two such pairs are in use in turn, so
// that one barrier for each k is enough. What is handed over is added to, and has to be a result.
//   matrix  i/o  row-major, a row `stride` elements after the one before
//   first   in   offset of the first element of the tile

#if !defined(TILE) || !defined(SIDE) || TILE % SIDE
#error "all_pairs/floyd_warshall_tile.cl needs the macros TILE and SIDE, and SIDE divides TILE"
#endif

#include "minplus/common.cl"

WORK_GROUP(TILE / SIDE, TILE / SIDE, 1)
__kernel void close_tile(__global WEIGHT *restrict matrix, const ulong first, const uint stride)
{
    __local WEIGHT rows[2][TILE], columns[2][TILE];
    const uint x = get_local_id(0), y = get_local_id(1);
    matrix += first + (size_t)y * SIDE * stride + x * SIDE;
    ORDER own[SIDE][SIDE];
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
        for (uint j = 0; j < SIDE; ++j)
            own[i][j] = AS_TYPE(ORDER, matrix[(size_t)i * stride + j]);
    }
    for (uint holder = 0; holder < TILE / SIDE; ++holder) {
#pragma unroll
        for (uint step = 0; step < SIDE; ++step) {
            const uint side = (holder * SIDE + step) % 2;
            if (y == holder) {
#pragma unroll
                for (uint j = 0; j < SIDE; ++j)
                    rows[side][x * SIDE + j] = result(own[step][j]);
            }
            if (x == holder) {
#pragma unroll
                for (uint i = 0; i < SIDE; ++i)
                    columns[side][y * SIDE + i] = result(own[i][step]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            WEIGHT row[SIDE], column[SIDE];
#pragma unroll
            for (uint n = 0; n < SIDE; ++n) {
                row[n] = rows[side][x * SIDE + n];
                column[n] = columns[side][y * SIDE + n];
            }
#pragma unroll
            for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
                for (uint j = 0; j < SIDE; ++j)
                    own[i][j] = relaxed(own[i][j], column[i], row[j]);
            }
        }
    }
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
        for (uint j = 0; j < SIDE; ++j)
            matrix[(size_t)i * stride + j] = result(own[i][j]);
    }
}
