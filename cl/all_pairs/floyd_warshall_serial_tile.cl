// Floyd-Warshall within one tile on the diagonal, by one work-item with vectors.
//
// Source:       Lund and Smith, section 3.2, the independent block, in the order of their figure 1.
// NDRange:      one work-item.
// Local memory: none.
// Macros:       TILE, side of the tile, a multiple of VECTOR_LENGTH, elements of a vector; those of minplus/common.cl.
//
//   matrix  i/o  row-major, a row `stride` elements after the one before
//   first   in   offset of the first element of the tile

#if !defined(TILE) || !defined(VECTOR_LENGTH) || TILE % VECTOR_LENGTH
#error "all_pairs/floyd_warshall_serial_tile.cl needs the macros TILE and VECTOR_LENGTH, which divides it"
#endif

#include "minplus/vectors.cl"

WORK_GROUP(1, 1, 1)
__kernel void close_tile(__global WEIGHT *matrix, const ulong first, const uint stride)
{
    matrix += first;
    for (uint k = 0; k < TILE; ++k) {
        WEIGHT row[TILE];  // as it is before step k
#pragma unroll
        for (uint j = 0; j < TILE; ++j)
            row[j] = matrix[(size_t)k * stride + j];
        for (uint i = 0; i < TILE; ++i) {
            __global WEIGHT *const own = matrix + (size_t)i * stride;
            const Weights column = (Weights)(own[k]);
#pragma unroll
            for (uint j = 0; j < TILE; j += VECTOR_LENGTH)
                STORE(results(relaxed_vector(TO_ORDER(LOAD(own + j)), column, LOAD(row + j))), own + j);
        }
    }
}
